/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls/calls_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "calls/going.h"
#include "flow/dictionary.h"
#include "image/frames.h"

/* The return address of an exception that follows another one at once (ETMv4 of the M profile). */
#define M_CHAINED 0xfffffffeu

static void tell_clock(const struct cairn_calls *calls, enum cairn_watch_told what)
{
    if (calls->watch && calls->watch->told)
        calls->watch->told(calls->watch->context, what);
}

static void tell_break(const struct cairn_calls *calls, enum cairn_watch_break why)
{
    if (calls->watch && calls->watch->broke)
        calls->watch->broke(calls->watch->context, calls->thread->id, why);
}

/* Nothing is known of what the thread does now. */
static void go_away(const struct cairn_calls *calls, struct cairn_call_thread *thread,
                    uint32_t account)
{
    const bool is_memory = account == CAIRN_GAP_NO_IMAGE;

    if (!thread->has_left)
        thread->left = cairn_stacks_moment(&calls->stacks, thread);
    if (thread->way == CAIRN_WAY_CALL && is_memory)
        thread->called = true;
    thread->is_lost = thread->is_lost || (account && !is_memory);
    if (account)
        thread->account = account;
    thread->has_left = true;
    thread->way = CAIRN_WAY_AWAY;
}

/* A thread that did not execute when trace was lost may have done so in the gap. */
static void catch_up(const struct cairn_calls *calls, struct cairn_call_thread *thread)
{
    if (thread->gaps != calls->stacks.gaps && thread->depth)
        go_away(calls, thread, calls->stacks.gap_account);
    thread->gaps = calls->stacks.gaps;
}

static void lose(struct cairn_calls *calls, uint32_t account)
{
    go_away(calls, calls->thread, account);
    calls->thread->gaps = ++calls->stacks.gaps;
    calls->stacks.gap_account = account;
    calls->last = 0; /* cycles that are told now are of nothing that is known */
    tell_break(calls, CAIRN_BREAK_LOST);
}

static cairn_status choose_thread(struct cairn_calls *calls, uint64_t offset)
{
    const struct cairn_place *const place = &calls->place;
    const uint32_t life = calls->lives.of ? calls->lives.of(calls->lives.context, place->vmid,
                                                            place->context_id, offset)
                                          : 0;
    const cairn_status status = cairn_call_threads_choose(
        &calls->threads, place->vmid, place->context_id, life, calls->stacks.now.total_cycles);

    calls->thread = calls->threads.now;
    if (!status)
        catch_up(calls, calls->thread);
    return status;
}

/* --- blocks --- */

cairn_status cairn_calls_select(struct cairn_calls *calls, uint64_t offset)
{
    calls->place.offset = offset;
    return cairn_space_select(calls->space, &calls->place);
}

/* An unwinder runs in the place that it unwinds. */
static bool find_pad(void *context, uint64_t site, uint64_t *landing)
{
    struct cairn_calls *calls = context;

    return !cairn_calls_select(calls, calls->place.offset) &&
           cairn_space_landing(calls->space, site, landing);
}

cairn_status cairn_calls_go(struct cairn_calls *calls, struct cairn_call_thread *thread,
                            uint64_t address, uint64_t site, uint64_t behind, uint8_t way,
                            struct cairn_call_target to)
{
    const struct cairn_call_step step = {
        .address = address,
        .site = site,
        .behind = behind,
        .function = to.function,
        .way = way,
        .starts = to.starts,
        .lands = to.lands,
    };

    return cairn_stacks_go(&calls->stacks, thread, &step);
}

/* The instructions of a block, and the watched places among them. */
static inline void execute_block(struct cairn_calls *calls, const struct cairn_known_block *block,
                                 uint32_t instructions)
{
    const struct cairn_mark *const marks = calls->known.marks + block->first_mark;
    uint32_t done = 0;

    for (uint32_t i = 0; i < block->marks; i++) {
        cairn_calls_execute(calls, calls->thread, marks[i].before - done);
        done = marks[i].before;
        cairn_calls_reach(calls, marks[i].place);
    }
    cairn_calls_execute(calls, calls->thread, instructions - done);
}

/* What was told is of a block, or with 0 of none. */
static void settle_cycles(struct cairn_calls *calls, uint32_t block)
{
    const uint64_t before = calls->stacks.now.total_cycles;

    if (calls->told_cycles > before && block)
        calls->known.counted->list[block].cycles += calls->told_cycles - before;
    else
        calls->thread->codeless_cycles += calls->told_cycles - before;
    calls->stacks.now.total_cycles = calls->told_cycles;
    if (calls->told_cycles != before)
        tell_clock(calls, CAIRN_TOLD_CYCLES);
}

/* The trace tells how many there were up to here. */
static void count_cycles(struct cairn_calls *calls, uint64_t total)
{
    calls->told_cycles = total;
    if (!calls->cycles_ahead)
        settle_cycles(calls, calls->last);
}

cairn_status cairn_calls_take_block(struct cairn_calls *calls, const struct cairn_code_block *block,
                                    const struct cairn_known_block *known, bool taken)
{
    struct cairn_call_thread *thread = calls->thread;
    cairn_status status = CAIRN_OK;

    if (calls->waits > 0) { /* a count in front of the block */
        calls->waits--;
        count_cycles(calls, calls->told_cycles + 1);
    }
    calls->last = known->counted;
    if (calls->keeps_stacks)
        status = cairn_calls_arrive(calls, thread, block->address, known->to);
    if (calls->told_cycles != calls->stacks.now.total_cycles)
        settle_cycles(calls, known->counted);
    execute_block(calls, known, block->instructions);
    cairn_calls_leave_by(thread, known->way[taken], cairn_block_last(block), block->end);
    return status;
}

/* A range that no path has. */
static cairn_status take_range(struct cairn_calls *calls, const struct cairn_range *range,
                               uint64_t offset)
{
    const size_t marks = calls->known.mark_count;
    struct cairn_known_block known;
    cairn_status status = range->instructions ? cairn_calls_select(calls, offset) : CAIRN_OK;

    if (status || range->instructions == 0)
        return status;
    const struct cairn_code_block block = cairn_known_range(&calls->known, calls->space, range);
    status = cairn_known_one(&calls->known, calls->space, &block, &known);
    if (status)
        return status;
    struct cairn_block_count *counted = &calls->known.counted->list[known.counted];
    counted->executed++;
    counted->taken += range->taken;
    if (!calls->keeps_stacks)
        calls->stacks.now.executed += range->instructions;
    status = cairn_calls_take_block(calls, &block, &known, range->taken);
    calls->known.mark_count = marks;
    return status;
}

/* --- events --- */

static cairn_status except(struct cairn_calls *calls, unsigned flags, uint64_t address,
                           uint64_t type, uint64_t offset)
{
    struct cairn_call_thread *thread = calls->thread;
    const bool is_chained = calls->stacks.is_m_profile && address == M_CHAINED;
    const uint64_t back = flags & CAIRN_FLOW_UNKNOWN || is_chained ? 0 : address;
    const bool chains = calls->stacks.is_m_profile && !back && thread->way == CAIRN_WAY_ERET;
    cairn_status status = CAIRN_OK;

    calls->excepts = true;
    /* What led there: a branch whose target was not executed any more. */
    if (thread->way != CAIRN_WAY_ON && back) {
        bool starts;

        status = cairn_calls_select(calls, offset);
        if (status)
            return status;
        const uint32_t function =
            cairn_functions_at(calls->known.functions, calls->space, back, &starts);
        const struct cairn_call_target to = {
            .function = function & (CAIRN_FUNCTIONS_MAX - 1),
            .starts = starts,
            .lands = cairn_functions_lands(calls->known.functions, back),
        };
        status = cairn_calls_arrive(calls, thread, back, to);
    }
    const uint32_t number = type <= UINT32_MAX ? (uint32_t)type : UINT32_MAX;
    if (!status && chains)
        status = cairn_stacks_chain(&calls->stacks, thread, number);
    else if (!status)
        status = cairn_stacks_except(&calls->stacks, thread, back, number);
    cairn_calls_leave_by(thread, CAIRN_WAY_EXCEPTION, back, back);
    calls->excepts = false;
    return status;
}

static void take_gap(struct cairn_calls *calls, uint64_t account)
{
    if (account == CAIRN_GAP_DISCARD || account == CAIRN_GAP_UNRESOLVED)
        return;
    if (account == CAIRN_GAP_NO_IMAGE) {
        go_away(calls, calls->thread, (uint32_t)account);
        calls->last = 0;
        tell_break(calls, CAIRN_BREAK_HOLE);
        return;
    }
    lose(calls, (uint32_t)account);
}

static cairn_status take_event(struct cairn_calls *calls, uint8_t kind, unsigned flags,
                               uint64_t address, uint64_t value, uint64_t offset)
{
    struct cairn_call_moment *now = &calls->stacks.now;
    struct cairn_call_thread *thread = calls->thread;

    switch (kind) {
    case CAIRN_FLOW_CONTEXT:
        calls->place = cairn_flow_place(calls->place.source, offset, address, value);
        calls->stacks.EL = calls->place.EL;
        return choose_thread(calls, offset);
    case CAIRN_FLOW_EXCEPTION:
        return calls->keeps_stacks ? except(calls, flags, address, value, offset) : CAIRN_OK;
    case CAIRN_FLOW_EXCEPTION_RETURN: cairn_calls_eret(calls); break;
    case CAIRN_FLOW_TRACE_ON:
        go_away(calls, thread, 0);
        settle_cycles(calls, 0); /* of a time without trace: nobody's */
        tell_break(calls, CAIRN_BREAK_OFF);
        /* the context may be that of before, and another's */
        return calls->lives.of ? choose_thread(calls, offset) : CAIRN_OK;
    case CAIRN_FLOW_GAP: take_gap(calls, value); break;
    case CAIRN_FLOW_OVERFLOW: lose(calls, CAIRN_GAP_OVERFLOW); break;
    case CAIRN_FLOW_Q:
        if (flags & CAIRN_FLOW_UNKNOWN) {
            go_away(calls, thread, CAIRN_GAP_UNRESOLVED);
            calls->last = 0;
            tell_break(calls, CAIRN_BREAK_HOLE);
        }
        break;
    case CAIRN_FLOW_TIMESTAMP:
        if (!(flags & CAIRN_FLOW_UNKNOWN)) {
            now->timestamp = value;
            tell_clock(calls, CAIRN_TOLD_TIME);
        }
        break;
    case CAIRN_FLOW_CYCLES:
        count_cycles(calls, address);
        if (flags & CAIRN_FLOW_UNKNOWN)
            tell_clock(calls, CAIRN_TOLD_CYCLES_UNKNOWN);
        calls->waits = 0;
        break;
    default: break;
    }
    return CAIRN_OK;
}

cairn_status cairn_calls_take_event(struct cairn_calls *calls, const struct cairn_word_event *event)
{
    calls->offset = event->offset;
    if (event->kind == CAIRN_FLOW_RANGE)
        return take_range(calls,
                          &(struct cairn_range){.address = event->address,
                                                .end = event->value,
                                                .instructions = event->instructions,
                                                .isa = event->isa,
                                                .taken = event->flags & CAIRN_FLOW_TAKEN,
                                                .flags = event->flags},
                          event->offset);
    if (event->kind == CAIRN_WORD_WAITS) {
        count_cycles(calls, event->address);
        calls->waits = event->instructions;
        return CAIRN_OK;
    }
    return take_event(calls, event->kind, event->flags, event->address, event->value,
                      event->offset);
}

/* Records: all there is where the levels of the reference path decode. */
static cairn_status take_records(void *context, const struct cairn_flow_batch *batch)
{
    struct cairn_calls *calls = context;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < batch->count && !status && !calls->has_words; i++) {
        calls->offset = batch->offset[i];
        if (batch->kind[i] == CAIRN_FLOW_RANGE)
            status = take_range(calls,
                                &(struct cairn_range){.address = batch->address[i],
                                                      .end = batch->value[i],
                                                      .instructions = batch->instructions[i],
                                                      .isa = batch->isa[i],
                                                      .taken = batch->flags[i] & CAIRN_FLOW_TAKEN,
                                                      .flags = batch->flags[i]},
                                batch->offset[i]);
        else
            status = take_event(calls, batch->kind[i], batch->flags[i], batch->address[i],
                                batch->value[i], batch->offset[i]);
    }
    return status;
}

static void end(void *context, const struct cairn_ledger *ledger, cairn_status ended)
{
    struct cairn_calls *calls = context;
    cairn_status status = CAIRN_OK;

    (void)ledger;
    (void)ended;
    settle_cycles(calls, 0);
    if (calls->dictionary && calls->dictionary->generation == calls->known.generation)
        cairn_calls_flush(calls, calls->dictionary);
    for (uint32_t i = 0; i < calls->threads.count && !status && calls->keeps_stacks; i++) {
        struct cairn_call_thread *const one = calls->threads.list[i];

        if (one != calls->thread) /* it took none since others run */
            one->others_cycles = calls->stacks.now.total_cycles - one->cycles;
        status = cairn_stacks_end(&calls->stacks, one);
    }
}

/* --- what others see --- */

struct cairn_consumer cairn_calls_consumer(struct cairn_calls *calls)
{
    return (struct cairn_consumer){
        .size = sizeof(struct cairn_consumer),
        .context = calls,
        .words = cairn_calls_take_words,
        .events = take_records,
        .end = end,
    };
}

cairn_status cairn_calls_make(struct cairn_config *config, struct cairn_image *image,
                              struct cairn_space *space, struct cairn_functions *functions,
                              struct cairn_block_counts *counted,
                              const struct cairn_calls_sink *sink,
                              const struct cairn_call_counter *counter,
                              struct cairn_call_totals *totals, struct cairn_calls **calls)
{
    struct cairn_calls *made = calloc(1, sizeof *made);
    cairn_status status = made ? CAIRN_OK : CAIRN_E_MEMORY;

    if (status)
        return status;
    made->config = cairn_config_ref(config);
    made->keeps_stacks = sink || counter || totals;
    made->only_counts = (counter || totals) && !sink;
    made->known.has_turns = made->keeps_stacks;
    made->remembers = made->only_counts && counter && counter->settle;
    made->stacks.sink.size = sizeof made->stacks.sink;
    if (counter)
        made->stacks.counter = *counter;
    made->stacks.totals = totals;
    if (totals)
        cairn_call_totals_begin(totals);
    if (sink)
        status = cairn_options_read(&made->stacks.sink, sizeof made->stacks.sink, sink);
    made->known.functions = functions ? functions : &made->own_functions;
    made->known.counted = counted ? counted : &made->own_counted;
    made->cycles_ahead = (cairn_config_tells(config) & CAIRN_TELLS_CYCLES_AHEAD) != 0;
    made->known.arch = cairn_config_arch(config);
    made->known.source = cairn_config_source(config);
    made->stacks.functions = made->known.functions;
    made->stacks.lands = find_pad;
    made->stacks.lands_context = made;
    made->stacks.is_m_profile = made->known.arch->profile == CAIRN_PROFILE_M;
    made->stacks.misses_exceptions = !(cairn_config_tells(config) & CAIRN_TELLS_EXCEPTIONS);
    made->stacks.threads = &made->threads;
    made->place.source = made->known.source;
    made->space = space;
    if (!status && !space)
        status = cairn_space_new(image, &made->own_space);
    if (!space)
        made->space = made->own_space;
    if (!status)
        status = choose_thread(made, 0);
    if (status) {
        cairn_calls_free(made);
        return status;
    }
    *calls = made;
    return CAIRN_OK;
}
