/* SPDX-License-Identifier: BSD-2-Clause */
/* One hot stretch: from an Atom packet on, up to a packet that is not for the hot loop, and over
 * what stands there. An Atom may still be changed by what follows it, up to the next one. So a
 * stretch counts only once the next Atom packet is known to come with nothing of that kind before
 * it; otherwise it is taken back to its last Atom packet, and the levels of the reference path go
 * on from there. */
#include "flow/engine.h"

#include "flow/follow.h"
#include "flow/returnstack.h"

#include <stdlib.h>
#include <string.h>

enum {
    NOVEL_STRETCHES = 64, /* on end, with more than a miss in NOVEL_BYTES: nothing repeats */
    NOVEL_BYTES = 24,
    REPEATED = 4,             /* of as many misses one that had come by: it does again */
    STRETCH = CAIRN_HOT_MOST, /* bytes at most: what taking back may cost */
    LOOK_AHEAD = 64,          /* bytes in front of the end that are left to the levels */
    BEHIND = 32,              /* bytes that stay behind a stretch: packets are looked at there */
    LINE = 64,                /* of the cache */
    ASKED_LINES = 6,          /* a unit seldom needs more */
    ROOM = 64,                /* units that a batch has to have room for */
    ATOM = 0xc0,
};

/* Where a stretch began. */
struct start {
    const uint8_t *at;
    uint64_t code;
    uint64_t expected;
    uint64_t history[3];
    uint32_t path;
    uint32_t paths; /* of the dictionary */
    unsigned stale;
    unsigned depth;
    uint64_t stack[CAIRN_HOT_STACK_FIRST];
};

static void remember(const struct cairn_lane *lane, struct start *start)
{
    const struct cairn_hot_stack *stack = &lane->stack;

    start->at = lane->at;
    start->code = lane->code;
    start->expected = lane->expected;
    memcpy(start->history, lane->history, sizeof start->history);
    start->path = lane->path;
    start->depth = (unsigned)(stack->sp - stack->bottom);
    start->stale = (unsigned)(stack->base - stack->bottom);
    memcpy(start->stack, stack->bottom, start->depth * sizeof *stack->bottom);
}

static void go_back(const struct start *start, struct cairn_lane *lane)
{
    struct cairn_hot_stack *stack = &lane->stack;

    lane->at = start->at;
    lane->code = start->code;
    lane->expected = start->expected;
    memcpy(lane->history, start->history, sizeof lane->history);
    lane->path = start->path;
    stack->bottom = stack->entries + CAIRN_HOT_STACK_FIRST;
    stack->base = stack->bottom + start->stale;
    stack->sp = stack->bottom + start->depth;
    memcpy(stack->bottom, start->stack, start->depth * sizeof *stack->bottom);
}

/* Bytes that this stretch may have: the data's, the part's, the epoch's, the batch's. 0: the batch
 * is full. */
static size_t length_of(struct cairn_engine *engine, size_t position)
{
    const struct cairn_flow *flow = engine->levels->flow;
    const struct cairn_word_batch *out = engine->out;
    size_t length = engine->size - position - BEHIND;

    if (length > engine->stop - position)
        length = engine->stop - position;
    if (flow->selected_until - engine->offset < length)
        length = (size_t)(flow->selected_until - engine->offset) + 1;
    engine->job.short_of = length > STRETCH;
    if (length > STRETCH)
        length = STRETCH;
    if (!engine->listing)
        return length;
    if (out->capacity - out->count < ROOM)
        return 0;
    if (out->capacity - out->count >= length)
        return length;
    engine->job.short_of = true;
    return out->capacity - out->count;
}

/* In place of the lengths of addresses where a stack is to be cleared at the next one. */
static const uint8_t no_addresses[CAIRN_HOT_LENGTH_MASK + 1];

static void set_job(struct cairn_engine *engine, size_t length)
{
    struct cairn_hot_job *job = &engine->job;
    const bool counting = (engine->options.flags & CAIRN_ENGINE_COUNTS) != 0;
    const struct cairn_word_batch *out = engine->out;
    const uint8_t *at = engine->lane.at;

    job->length = engine->levels->flow->clear_stack ? no_addresses : engine->table.length;
    job->memo = &engine->view->memo;
    job->builder.fresh = engine->fresh;
    job->builder.fresh_blocks = engine->fresh_blocks;
    job->builder.gate = engine->gate;
    job->builder.cancelled = &engine->cancelled;
    job->limit = at + length;
    job->counting = counting;
    job->delta = 1;
    job->path = engine->listing ? out->path : NULL;
    job->offset = engine->listing ? out->offset : NULL;
    job->offset_bias = engine->offset - (uint64_t)(uintptr_t)at;
    job->units = engine->listing ? out->count : 0;
    job->address_packets = 0;
    job->address_bytes = 0;
    job->misses = 0;
    job->repeated = 0;
}

void cairn_engine_prepare_job(struct cairn_engine *engine)
{
    engine->job = (struct cairn_hot_job){
        .address = engine->table.address,
        .builder = {.dictionary = engine->dictionary,
                    .blocks = &engine->blocks,
                    .bits = engine->table.bits,
                    .return_stack = engine->config->rules.return_stack},
        .engine = engine,
        .peer = cairn_engine_peer_memo,
    };
}

/* Where nothing repeats, memory is what decoding waits for: that of the program, or of its blocks
 * if these are known. What the stretch's addresses lead to is asked for beforehand. */
static void ask_for_memory(const struct cairn_engine *engine, const struct cairn_hot_job *job)
{
    const struct cairn_window *window = &engine->blocks.fetch.window;
    const uint8_t *at = engine->lane.at;
    uint64_t history[CAIRN_HOT_MOST + 3];
    uint64_t *newest = history + 2;

    for (unsigned i = 0; i < 3; i++)
        newest[-(ptrdiff_t)i] = engine->lane.history[i];
    while (at < job->limit) {
        const unsigned length = job->length[(at[0] | (unsigned)at[1] << 8) & CAIRN_HOT_LENGTH_MASK];
        const struct cairn_hot_address *address = &job->address[at[0] | (at[1] & 0x80u) << 1];
        uint64_t payload = 0;
        uint64_t offset;

        if (*at >= ATOM) {
            at++;
            continue;
        }
        if (length == 0)
            break;
        for (unsigned i = 1; i < length; i++)
            payload |= (uint64_t)at[i] << (8 * (i - 1));
        newest[1] = (newest[-(ptrdiff_t)address->entry] & address->keep) |
                    cairn_hot_gather(payload, address->mask) << address->shift | address->sub_isa;
        newest++;
        at += length;
        if (!engine->fresh_blocks) {
            cairn_blocks_ask(&engine->blocks, *newest, false);
            continue;
        }
        offset = *newest - window->address;
        for (unsigned i = 0; i < ASKED_LINES && offset < window->size; i++, offset += LINE)
            __builtin_prefetch(window->bytes + offset, 0, 2);
    }
    for (const uint64_t *code = history + 3; !engine->fresh_blocks && code <= newest; code++)
        cairn_blocks_ask(&engine->blocks, *code, true);
}

static enum cairn_hot_exit run(struct cairn_engine *engine, struct cairn_hot_job *job)
{
    if (engine->fresh)
        ask_for_memory(engine, job);
    return engine->config->rules.return_stack ? engine->loops->stacked(&engine->lane, job)
                                              : engine->loops->plain(&engine->lane, job);
}

/* Nothing came by yet. The table is made when it is first needed: few sources need it, and an
 * engine is to be small and quickly made. False: there is no memory. */
static bool forget_seen(struct cairn_engine *engine)
{
    const size_t size = sizeof(uint16_t) << CAIRN_HOT_SEEN_BITS;

    if (!engine->job.seen)
        engine->job.seen = malloc(size);
    if (!engine->job.seen)
        return false;
    memset(engine->job.seen, 0, size);
    return true;
}

/* Notices when units stop to repeat, and when they begin again. */
static void watch(struct cairn_engine *engine, const struct cairn_hot_job *job, uint64_t bytes)
{
    if (engine->gate) /* what is not remembered is learnt in step with others */
        return;
    if (engine->fresh && job->repeated * REPEATED > job->misses)
        engine->fresh = false;
    if (engine->fresh)
        return;
    engine->novel = job->misses * NOVEL_BYTES > bytes ? engine->novel + 1 : 0;
    if (engine->novel < NOVEL_STRETCHES || !forget_seen(engine))
        return;
    engine->fresh = true;
    engine->novel = 0;
    engine->fresh_blocks =
        engine->blocks.used - engine->known_blocks > engine->dictionary->step_count / REPEATED;
}

/* What the job decoded counts. */
static void commit(struct cairn_engine *engine, const struct cairn_hot_job *job,
                   const uint8_t *from, size_t *position)
{
    struct cairn_ledger *ledger = &engine->levels->ledger;
    const uint64_t bytes = (uint64_t)(engine->lane.at - from);

    ledger->total += bytes;
    ledger->account[CAIRN_ACCOUNT_FLOW].bytes += bytes;
    ledger->account[CAIRN_ACCOUNT_FLOW].packets +=
        bytes - job->address_bytes + job->address_packets;
    engine->statistics.hot_bytes += bytes;
    engine->statistics.misses += job->misses;
    engine->offset += bytes;
    *position += bytes;
    if (job->path)
        engine->out->count = job->units;
    if (bytes > 0)
        engine->stuck = false;
    watch(engine, job, bytes);
}

/* Decodes the stretch once more, up to its last Atom packet. What it counted is taken back first.
 */
static enum cairn_hot_exit take_back(struct cairn_engine *engine, const struct start *start,
                                     struct cairn_hot_job *job)
{
    const uint8_t *last = engine->lane.atom;
    const size_t length = (size_t)(job->limit - start->at);
    enum cairn_hot_exit exit;

    go_back(start, &engine->lane);
    if (job->counting) {
        for (uint32_t i = start->paths; engine->fresh && i < engine->dictionary->path_count; i++)
            engine->dictionary->counts[i] = 0;
        set_job(engine, length);
        job->delta = UINT32_MAX; /* -1 */
        job->path = NULL;
        job->offset = NULL;
        (void)run(engine, job);
        go_back(start, &engine->lane);
    }
    set_job(engine, length);
    job->limit = last;
    job->short_of = false;
    exit = last > start->at ? run(engine, job) : CAIRN_HOT_LIMIT;
    return exit;
}

/* The Atom packet at hand goes through the follower. */
static bool follow_one(struct cairn_engine *engine, size_t *position)
{
    const struct cairn_ledger before = engine->levels->ledger;
    const uint8_t *at = engine->lane.at;
    const uint8_t *behind;

    cairn_engine_put_atoms(engine, at);
    if (!cairn_engine_look_ahead(engine, at + 1, engine->offset + 1, &behind)) {
        engine->levels->ledger = before;
        engine->statistics.scanned_bytes--;
        engine->turn = CAIRN_TURN_TAKE;
        return false;
    }
    cairn_engine_from_lane(engine);
    engine->offset += (uint64_t)(behind - at);
    *position += (size_t)(behind - at);
    engine->lane.at = behind;
    return true;
}

/* The discontinuity that the follower has noted belongs in front of the next unit. */
static void mark(struct cairn_engine *engine)
{
    struct cairn_flow *flow = engine->levels->flow;
    struct cairn_word_batch *out = engine->out;

    if (!flow->discontinuity)
        return;
    flow->discontinuity = false;
    out->event[out->event_count++] = (struct cairn_word_event){
        .word = (uint32_t)out->count, .kind = CAIRN_WORD_DISCONTINUITY, .offset = engine->offset};
}

/* Packets in front of the first Atom packet, or behind the last one of a stretch. False: they are
 * not to be taken one by one. */
static bool pass(struct cairn_engine *engine, size_t *position)
{
    const uint8_t *at = engine->lane.at;
    const uint8_t *behind;

    engine->elements->count = 0;
    if (!cairn_engine_look_ahead(engine, at, engine->offset, &behind))
        return false;
    cairn_engine_from_lane(engine);
    engine->offset += (uint64_t)(behind - at);
    *position += (size_t)(behind - at);
    engine->lane.at = behind;
    return true;
}

/* Bytes that may be passed without a look at memory or at the batch's room for units. */
static size_t length_of_lost(const struct cairn_engine *engine, size_t position)
{
    const size_t left = engine->size - position - BEHIND;

    return engine->stop - position < left ? engine->stop - position : left;
}

/* True when no Atom can be followed before an address comes. */
static bool is_lost(const struct cairn_engine *engine)
{
    const struct cairn_flow *flow = engine->levels->flow;

    return engine->lane.code == CAIRN_CODE_LOST && !flow->address_known && !flow->awaiting_target &&
           flow->lost > CAIRN_GAP_NOT_DECODED;
}

/* Each Atom packet is a gap then, whatever its atoms are. The last one of a run is left: what
 * follows it may still bear on it. False: there is only that one. */
static bool pass_lost(struct cairn_engine *engine, size_t *position)
{
    struct cairn_flow *flow = engine->levels->flow;
    struct cairn_word_batch *out = engine->out;
    struct cairn_ledger *ledger = &engine->levels->ledger;
    const uint8_t *const first = engine->lane.at;
    const uint8_t *const end = first + length_of_lost(engine, *position);
    const uint8_t *at = first;

    for (; at < end && at[1] >= ATOM && out->event_count < out->event_capacity; at++)
        out->event[out->event_count++] =
            (struct cairn_word_event){.word = (uint32_t)out->count,
                                      .kind = CAIRN_FLOW_GAP,
                                      .offset = engine->offset + (uint64_t)(at - first),
                                      .length = 1,
                                      .address = flow->lost_at,
                                      .value = flow->lost};
    const size_t count = (size_t)(at - first);

    if (count == 0)
        return false;
    ledger->total += count;
    ledger->account[flow->lost].bytes += count;
    ledger->account[flow->lost].packets += count;
    engine->statistics.scanned_bytes += count;
    engine->offset += count;
    *position += count;
    engine->lane.at = at;
    engine->lane.stack.base = engine->lane.stack.sp; /* calls and returns went by unseen */
    flow->gap_given = true;
    flow->gap_offset = engine->offset - 1;
    return true;
}

cairn_status cairn_engine_run_hot(struct cairn_engine *engine, size_t *position, bool *again)
{
    struct cairn_flow *flow = engine->levels->flow;
    struct start start;
    struct cairn_hot_job *job = &engine->job;
    enum cairn_hot_exit exit;
    size_t length;

    *again = true;
    if (engine->size - *position < LOOK_AHEAD) {
        cairn_engine_go_cold(engine);
        return CAIRN_OK;
    }
    if (*engine->lane.at < ATOM) {
        if (!pass(engine, position))
            cairn_engine_go_cold(engine);
        return CAIRN_OK;
    }
    if (!flow->context_known) {
        if (!follow_one(engine, position))
            cairn_engine_go_cold(engine);
        return CAIRN_OK;
    }
    if (is_lost(engine)) {
        if (!pass_lost(engine, position) && !follow_one(engine, position))
            cairn_engine_go_cold(engine);
        return CAIRN_OK;
    }
    flow->offset = engine->offset;
    const cairn_status status = cairn_engine_select(engine);

    if (status != CAIRN_OK)
        return status;
    length = length_of(engine, *position);
    if (length == 0) {
        *again = false;
        return CAIRN_OK;
    }
    mark(engine);
    remember(&engine->lane, &start);
    start.paths = engine->fresh ? engine->dictionary->path_count : 0;
    set_job(engine, length);
    exit = run(engine, job);
    if ((exit == CAIRN_HOT_LIMIT || exit == CAIRN_HOT_OTHER) && *engine->lane.at < ATOM) {
        struct cairn_lane *lane = &engine->lane;
        const uint8_t *at = lane->at;
        const uint64_t bytes = (uint64_t)(at - start.at);
        const uint8_t *behind;

        engine->elements->count = 0;
        if (cairn_engine_look_ahead(engine, at, engine->offset + bytes, &behind)) {
            commit(engine, job, start.at, position);
            cairn_engine_from_lane(engine);
            engine->offset += (uint64_t)(behind - at);
            *position += (size_t)(behind - at);
            lane->at = behind;
            return CAIRN_OK;
        }
        exit = take_back(engine, &start, job);
        commit(engine, job, start.at, position);
        if (exit == CAIRN_HOT_LIMIT)
            cairn_engine_go_cold(engine);
    } else {
        commit(engine, job, start.at, position);
    }
    if (exit == CAIRN_HOT_FULL && !engine->stuck) {
        engine->out->dictionary_ends = true;
        engine->stuck = true;
        *again = false;
        return CAIRN_OK;
    }
    if ((exit == CAIRN_HOT_HARD || exit == CAIRN_HOT_FULL) && !follow_one(engine, position))
        cairn_engine_go_cold(engine);
    return CAIRN_OK;
}
