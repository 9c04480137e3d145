/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of a scanned source that go past its scan, where that stands between two packets: the loops
 * over bytes, and what is told to the scan behind them. */
#include "flow/engine.h"
#include "flow/follow.h"
#include "protocol/level_scan.h"

enum {
    BYTES_LEAST = 256, /* worth taking so, */
    BRANCHES_LEAST = 32,
    BEHIND = 32, /* that stay behind them */
    RARE = 1024, /* so many on end, and what stands between them is rare */
    ROOM = 64,   /* units and events that a batch has to have room for */
};

/* Bytes at hand that may be taken without the scan. 0: none, or the batch has no room for enough.
 */
static size_t bytes_at_hand(const struct cairn_engine *engine, const struct cairn_scanned_job *job)
{
    const struct cairn_word_batch *out = engine->out;
    const struct cairn_flow *flow = engine->levels->flow;
    const size_t left = engine->size - engine->scanned.taken;
    size_t size = CAIRN_HOT_MOST;
    size_t room = out->event_capacity - out->event_count;

    if (job->listing)
        room /= 2;
    if (!job->counting && out->capacity - out->count < room)
        room = out->capacity - out->count;
    if (left < BEHIND || room < BYTES_LEAST)
        return 0;
    if (left - BEHIND < size)
        size = left - BEHIND;
    if (room - 2 < size) /* marks */
        size = room - 2;
    if (flow->selected_until - engine->offset < size)
        size = (size_t)(flow->selected_until - engine->offset);
    return size < BYTES_LEAST ? 0 : size;
}

static void count_bytes(struct cairn_engine *engine, const struct cairn_scanned_bytes *bytes,
                        uint64_t size)
{
    struct cairn_ledger *ledger = &engine->levels->ledger;
    const unsigned account = engine->scanned.cycles.account;
    const uint64_t atoms = size - bytes->cycle_bytes - bytes->address_bytes;

    ledger->total += size;
    ledger->account[CAIRN_ACCOUNT_FLOW].bytes += size - bytes->cycle_bytes;
    ledger->account[CAIRN_ACCOUNT_FLOW].packets += atoms + bytes->address_packets;
    ledger->account[account].bytes += bytes->cycle_bytes;
    ledger->account[account].packets += bytes->cycle_packets;
    engine->scanned.taken += (size_t)size;
    engine->offset += size;
    engine->statistics.hot_bytes += size;
}

/* Marks in front of what comes. No transaction is open where bytes are taken. */
static void put_marks(struct cairn_engine *engine)
{
    struct cairn_flow *flow = engine->levels->flow;
    struct cairn_word_batch *out = engine->out;

    if (flow->discontinuity)
        out->event[out->event_count++] = (struct cairn_word_event){.word = (uint32_t)out->count,
                                                                   .kind = CAIRN_WORD_DISCONTINUITY,
                                                                   .offset = engine->offset};
    if (engine->scanned.transaction)
        out->event[out->event_count++] = (struct cairn_word_event){
            .word = (uint32_t)out->count, .kind = CAIRN_WORD_TRANSACTION, .offset = engine->offset};
    flow->discontinuity = false;
    engine->scanned.transaction = false;
}

/* What became of bytes that were to be taken without the scan. */
static void end_bytes(struct cairn_engine *engine, enum cairn_scanned_stop stop, uint64_t size,
                      bool *again, bool *went)
{
    struct cairn_scanned *scanned = &engine->scanned;

    scanned->packet_told = false;
    scanned->by_scan = stop != CAIRN_SCANNED_TOKENS || size == 0;
    scanned->on_end += size;
    scanned->tokens.capacity = scanned->on_end >= RARE ? scanned->few : scanned->many;
    if (scanned->by_scan)
        scanned->on_end = 0;
    *went = size > 0;
    if (size > 0)
        engine->stuck = false;
    if (stop == CAIRN_SCANNED_ROOM) {
        *again = false;
    } else if (stop == CAIRN_SCANNED_FULL && !engine->stuck) {
        cairn_scanned_end_dictionary(engine, again);
    } else {
        return;
    }
    scanned->by_scan = false;
    *went = true;
}

/* P-headers and branch packets that are at hand, the first at source offset `offset`. 0: there are
 * too few. */
static size_t branches_at_hand(const struct cairn_engine *engine, size_t left, uint64_t offset)
{
    const struct cairn_flow *flow = engine->levels->flow;

    if (left < BRANCHES_LEAST + BEHIND)
        return 0;
    left -= BEHIND;
    return flow->selected_until - offset < left ? (size_t)(flow->selected_until - offset) : left;
}

/* So many bytes were taken without the scan, among them branch packets with so many `longer` bytes
 * beyond one each. */
static void pass_branches(struct cairn_engine *engine, uint64_t size, uint64_t branches,
                          uint64_t longer)
{
    struct cairn_flow *flow = engine->levels->flow;
    struct cairn_ledger *ledger = &engine->levels->ledger;
    struct cairn_hot_stack *stack = &engine->lane.stack;

    engine->scanned.taken += size;
    engine->offset += size;
    engine->statistics.hot_bytes += size;
    ledger->total += size;
    ledger->account[CAIRN_ACCOUNT_FLOW].bytes += size;
    ledger->account[CAIRN_ACCOUNT_FLOW].packets += size - longer;
    if (flow->clear_stack && branches > 0) {
        stack->sp = stack->bottom;
        stack->base = stack->bottom;
        flow->clear_stack = false;
    }
}

/* Packets behind the loop's that say nothing of atoms, if a P-header is behind them: their elements
 * are put up. *length is theirs; 0: there are none. */
static cairn_status pass_between(struct cairn_engine *engine, const uint8_t *first,
                                 const uint8_t *at, const struct cairn_branch_place *place,
                                 size_t *length)
{
    struct cairn_element_batch *elements = engine->elements;
    cairn_status status;

    elements->count = 0;
    engine->element_at = 0;
    status = cairn_level_scan_between(engine->scanned.scan, (size_t)(at - first), place, at,
                                      (size_t)(engine->data + engine->size - at), elements, length);
    if (status != CAIRN_OK || *length == 0)
        return status;
    engine->scanned.taken += *length;
    engine->offset += *length;
    engine->statistics.scanned_bytes += *length;
    cairn_scanned_count(engine);
    return CAIRN_OK;
}

/* What is put up is to be followed. */
static void go_on_between(struct cairn_engine *engine)
{
    if (engine->elements->count == 0)
        return;
    engine->turn = CAIRN_TURN_FOLLOW;
    cairn_engine_from_lane(engine);
}

/* The levels have these, or, with their number negated, have not. */
static void move_unused(struct cairn_engine *engine, uint64_t unused)
{
    engine->scanned.taken += (size_t)unused;
    engine->offset += unused;
    engine->statistics.scanned_bytes += unused;
}

/* The loop over them: from in front of a P-header to in front of another. */
static cairn_status run_branches(struct cairn_engine *engine, struct cairn_scanned_job *job,
                                 size_t unused, size_t size, const struct cairn_branch_place *place,
                                 bool *again, bool *went)
{
    struct cairn_scanned *scanned = &engine->scanned;
    const uint8_t *from = engine->data + scanned->taken - unused;
    struct cairn_scanned_branches branches = {.narrow = scanned->narrow,
                                              .limit = from + size,
                                              .offset = engine->offset - unused,
                                              .now = {.at = from, .place = *place}};
    enum cairn_scanned_stop stop;
    size_t between = 0;
    cairn_status status = CAIRN_OK;

    move_unused(engine, -(uint64_t)unused);
    put_marks(engine);
    stop = cairn_scanned_take_branches(&engine->lane, job, &branches);
    if (!cairn_scanned_branches_stand(&branches)) {
        status = pass_between(engine, from, branches.now.at, &branches.now.place, &between);
        if (between > 0)
            stop = CAIRN_SCANNED_TOKENS;
        else if (!cairn_scanned_give_back(&engine->lane, job, &branches))
            stop = CAIRN_SCANNED_FULL;
    }
    engine->statistics.misses += job->misses;
    size = (size_t)(branches.now.at - from);
    pass_branches(engine, size, branches.now.branches, branches.now.longer);
    if (size == 0) {
        move_unused(engine, unused);
    } else if (between == 0) {
        cairn_level_scan_skip(scanned->scan, size, 0, &branches.now.place);
    } else {
        go_on_between(engine);
    }
    end_bytes(engine, stop, size, again, went);
    return status;
}

struct between {
    struct cairn_engine *engine;
    const uint8_t *first;
    size_t length;
    cairn_status status;
};

static bool take_between(void *owner, const uint8_t *at, const struct cairn_branch_place *place)
{
    struct between *b = owner;

    b->status = pass_between(b->engine, b->first, at, place, &b->length);
    return b->status == CAIRN_OK && b->length > 0;
}

/* The same of cycle-accurate ones. */
static cairn_status run_waits(struct cairn_engine *engine, struct cairn_scanned_job *job,
                              size_t unused, size_t size, const struct cairn_branch_place *place,
                              bool *again, bool *went)
{
    struct cairn_scanned *scanned = &engine->scanned;
    const uint8_t *from = engine->data + scanned->taken - unused;
    struct between between = {.engine = engine, .first = from};
    struct cairn_scanned_waits waits = {.forms = engine->wait_forms,
                                        .narrow = scanned->narrow,
                                        .limit = from + size,
                                        .offset = engine->offset - unused,
                                        .between = take_between,
                                        .owner = &between,
                                        .at = from,
                                        .place = *place};
    enum cairn_scanned_stop stop;

    move_unused(engine, -(uint64_t)unused);
    put_marks(engine);
    waits.held = cairn_level_scan_release(scanned->scan, &waits.held_offset);
    stop = cairn_scanned_take_waits(&engine->lane, job, &waits);
    engine->statistics.misses += job->misses;
    size = (size_t)(waits.at - from);
    pass_branches(engine, size, waits.branches, waits.longer);
    if (size == 0) {
        move_unused(engine, unused);
        if (stop == CAIRN_SCANNED_ROOM) /* for one P-header, and no more */
            stop = CAIRN_SCANNED_TOKEN;
    } else if (between.length > 0) {
        go_on_between(engine);
    } else {
        cairn_level_scan_skip(scanned->scan, size, 0, &waits.place);
    }
    if (waits.held > 0)
        cairn_level_scan_hold(scanned->scan, waits.held_offset, waits.held);
    end_bytes(engine, stop, size, again, went);
    return between.status;
}

/* The address behind the last of them is for the follower, and its count comes behind that. */
static void leave_address(struct cairn_engine *engine,
                          const struct cairn_scanned_waypoints *waypoints, uint64_t offset)
{
    struct cairn_scan_batch *tokens = &engine->scanned.tokens;
    const bool known = cairn_count_is_known(waypoints->count);
    const uint64_t length = (uint64_t)(waypoints->at - waypoints->last);

    tokens->token[tokens->count++] = (struct cairn_token){.offset = offset,
                                                          .length = length,
                                                          .value = waypoints->place.address,
                                                          .kind = CAIRN_ELEMENT_TARGET_ADDRESS,
                                                          .count = waypoints->place.thumb};
    tokens->token[tokens->count++] =
        (struct cairn_token){.offset = offset,
                             .length = length,
                             .value = known ? waypoints->count : 0,
                             .flags = known ? 0 : CAIRN_ELEMENT_UNKNOWN,
                             .kind = CAIRN_ELEMENT_CYCLE_COUNT};
}

/* The same of Atoms and branch packets of PTM with cycle counts. */
static cairn_status run_waypoints(struct cairn_engine *engine, struct cairn_scanned_job *job,
                                  size_t unused, size_t size,
                                  const struct cairn_branch_place *place, bool *again, bool *went)
{
    struct cairn_scanned *scanned = &engine->scanned;
    const uint8_t *from = engine->data + scanned->taken - unused;
    const uint64_t offset = engine->offset - unused;
    struct cairn_scanned_waypoints waypoints = {
        .limit = from + size, .offset = offset, .at = from, .place = *place};
    enum cairn_scanned_stop stop;
    size_t between = 0;
    cairn_status status = CAIRN_OK;

    move_unused(engine, -(uint64_t)unused);
    put_marks(engine);
    stop = cairn_scanned_take_waypoints(&engine->lane, job, &waypoints);
    engine->statistics.misses += job->misses;
    size = (size_t)(waypoints.at - from);
    pass_branches(engine, size, 0, size - waypoints.packets);
    if (size > 0) {
        const uint64_t last = offset + (uint64_t)(waypoints.last - from);

        cairn_level_scan_skip(scanned->scan, size, last, &waypoints.place);
        if (waypoints.left)
            leave_address(engine, &waypoints, last);
    }
    if (stop == CAIRN_SCANNED_TOKEN && !waypoints.left) {
        status = pass_between(engine, waypoints.at, waypoints.at, &waypoints.place, &between);
        if (between > 0) {
            stop = CAIRN_SCANNED_TOKENS;
            go_on_between(engine);
        }
    }
    if (size + between == 0)
        move_unused(engine, unused);
    end_bytes(engine, stop, size + between, again, went);
    return status;
}

/* Takes branch packets and what stands between them without the scan, where that can be. `*went`
 * tells that something was done. */
cairn_status cairn_scanned_past_branches(struct cairn_engine *engine, bool *again, bool *went)
{
    struct cairn_scanned *scanned = &engine->scanned;
    struct cairn_flow *flow = engine->levels->flow;
    const struct cairn_word_batch *out = engine->out;
    struct cairn_branch_place place;
    struct cairn_scanned_job job;
    cairn_status status;
    size_t unused, size;
    bool stands;

    *went = false;
    if (engine->lane.code == CAIRN_CODE_LOST || !cairn_scanned_fits_lane(flow))
        return CAIRN_OK;
    if (scanned->waypoints && flow->clear_stack) /* an I-sync has an address: it is never so */
        return CAIRN_OK;
    status = cairn_level_scan_stand(scanned->scan, engine->data, engine->size, scanned->taken,
                                    &scanned->tokens, &unused, &place, &stands);
    if (status != CAIRN_OK || !stands) {
        *went = scanned->tokens.count > 0;
        return status;
    }
    flow->offset = engine->offset - unused;
    status = cairn_engine_select(engine);
    if (status != CAIRN_OK)
        return status;
    size = branches_at_hand(engine, engine->size - scanned->taken + unused, flow->offset);
    if (size == 0)
        return CAIRN_OK;
    engine->dictionary->full = false;
    job = cairn_scanned_job_of(engine);
    if (out->event_capacity - out->event_count < ROOM ||
        (!job.counting && out->capacity - out->count < ROOM)) {
        *again = false;
        *went = true;
        return CAIRN_OK;
    }
    if (scanned->waypoints)
        return run_waypoints(engine, &job, unused, size, &place, again, went);
    if (scanned->waits)
        return run_waits(engine, &job, unused, size, &place, again, went);
    return run_branches(engine, &job, unused, size, &place, again, went);
}

/* Takes bytes without the scan, where that can be. `*went` tells that something was done. */
cairn_status cairn_scanned_past_bytes(struct cairn_engine *engine, bool *again, bool *went)
{
    const struct cairn_protocol *protocol = engine->config->protocol;
    struct cairn_scanned *scanned = &engine->scanned;
    struct cairn_flow *flow = engine->levels->flow;
    const uint8_t *from = engine->data + scanned->taken;
    struct cairn_scanned_bytes bytes = {
        .table = &engine->table, .cycles = &scanned->cycles, .at = from, .offset = engine->offset};
    struct cairn_scanned_job job;
    enum cairn_scanned_stop stop;
    cairn_status status;
    size_t size;

    *went = false;
    if (engine->size - scanned->taken < BYTES_LEAST + BEHIND ||
        !cairn_scanned_lead_to_atom(&bytes) || engine->lane.code == CAIRN_CODE_LOST ||
        !cairn_scanned_fits_lane(flow))
        return CAIRN_OK;
    if (!protocol->scan_stand(scanned->scan, &scanned->tokens, &scanned->state)) {
        *went = scanned->tokens.count > 0;
        return CAIRN_OK;
    }
    flow->offset = engine->offset;
    status = cairn_engine_select(engine);
    if (status != CAIRN_OK)
        return status;
    engine->dictionary->full = false;
    job = cairn_scanned_job_of(engine);
    size = bytes_at_hand(engine, &job);
    if (size == 0)
        return CAIRN_OK;
    put_marks(engine);
    bytes.limit = bytes.at + size;
    stop = cairn_scanned_take_bytes(&scanned->state, &engine->lane, &job, &bytes);
    size = (size_t)(bytes.at - from);
    engine->statistics.misses += job.misses;
    count_bytes(engine, &bytes, size);
    protocol->scan_go_on(scanned->scan, size,
                         bytes.atom ? bytes.offset + (uint64_t)(bytes.atom - from) : UINT64_MAX,
                         bytes.atom ? engine->table.atoms[*bytes.atom] - 1u : 0, &scanned->state);
    end_bytes(engine, stop, size, again, went);
    return CAIRN_OK;
}
