/* SPDX-License-Identifier: BSD-2-Clause */
/* What exceptions took, for the shares of their handlers and for what was interrupted. */
#include "report/latency_state.h"

#include "base/room.h"

uint64_t cairn_latency_since(uint64_t first, uint64_t then)
{
    return then > first ? then - first : 0;
}

bool cairn_latency_exact(const struct cairn_latency_point *point)
{
    return point->is_told[CYCLES] && point->low[CYCLES] == point->high[CYCLES] &&
           point->unknown[CYCLES] != UINT64_MAX;
}

/* From a moment to another one, without what other threads took. False: it is not known. */
static bool cycles_between(const struct cairn_latency_point *from,
                           const struct cairn_latency_point *to, uint64_t others, uint64_t *cycles)
{
    const bool is_known = cairn_latency_exact(from) && cairn_latency_exact(to) &&
                          from->lost == to->lost && from->unknown[CYCLES] == to->unknown[CYCLES];

    *cycles = is_known ? cairn_latency_since(from->high[CYCLES] + others, to->low[CYCLES]) : 0;
    return is_known;
}

/* The innermost exception that is open, or NULL. */
static struct latency_open *exception_around(const struct latency_thread *thread)
{
    for (size_t i = thread->count; i > 0; i--)
        if (thread->open[i - 1].point.is_exception)
            return &thread->open[i - 1];
    return NULL;
}

/* An exception took so many cycles: of its group, and of what is around it, which has had `excepted` with it. */
static void add_cycles(struct cairn_latency *latency, const struct latency_thread *thread,
                       const struct latency_chained *of, bool is_known, uint64_t cycles,
                       struct cairn_latency_excepted *excepted)
{
    struct latency_open *const around = exception_around(thread);

    excepted->cycles += cycles;
    excepted->inexact += !is_known;
    if (around) {
        around->inside[CAIRN_CLOCK_CYCLES] += cycles;
        around->is_inside_unknown = around->is_inside_unknown || !is_known;
    }
    if (of->group == CAIRN_LATENCY_GROUPS_MAX)
        return;
    struct cairn_latency_group *const group = &latency->groups[of->group];
    if (is_known && !of->is_inside_unknown)
        group->self[CAIRN_CLOCK_CYCLES] += cairn_latency_since(of->inside, cycles);
    else
        group->self_unknown[CAIRN_CLOCK_CYCLES]++;
}

void cairn_latency_leave_exception(struct cairn_latency *latency, struct latency_thread *thread,
                                   const struct latency_open *open, const struct cairn_call *call,
                                   const struct cairn_latency_point *to)
{
    const bool is_asked = latency->of == CAIRN_LATENCY_EXCEPTIONS &&
                          !cairn_latency_unwanted(latency, thread, call->thread);
    const struct cairn_latency_point *const from = &open->point;
    const uint64_t instructions = call->ended.instructions - call->began.instructions;
    const struct latency_chained ended = {
        .is_there = true,
        .group = is_asked ? cairn_latency_group(latency, call, true) : CAIRN_LATENCY_GROUPS_MAX,
        .from = *from,
        .others = cairn_latency_since(call->ended.cycles - call->began.cycles,
                                      call->ended.total_cycles - call->began.total_cycles),
        .inside = open->inside[CAIRN_CLOCK_CYCLES],
        .is_inside_unknown = open->is_inside_unknown,
        .ended = call->ended.executed,
    };
    struct latency_open *const around = exception_around(thread);
    uint64_t cycles;

    thread->inside = open->outside;
    thread->excepted = from->excepted;
    if (open->before) {
        const struct latency_chained *const before = &thread->before[open->before - 1];
        const bool is_known = cycles_between(&before->from, from, before->others, &cycles);

        add_cycles(latency, thread, before, is_known, cycles, &thread->excepted);
        thread->before_count = open->before - 1;
    }
    /* Of the thread's own; timestamps stand too far apart to be shared out. */
    thread->excepted.instructions += instructions;
    if (around)
        around->inside[CAIRN_CLOCK_INSTRUCTIONS] += instructions;
    if (ended.group != CAIRN_LATENCY_GROUPS_MAX)
        latency->groups[ended.group].self[CAIRN_CLOCK_INSTRUCTIONS] +=
            cairn_latency_since(open->inside[CAIRN_CLOCK_INSTRUCTIONS], instructions);
    thread->chained = ended;
    thread->chained.is_there = to->ends_there && call->end == CAIRN_CALL_RETURNED;
    thread->chained.was_around_unknown = around && around->is_inside_unknown;
    const bool is_known =
        cycles_between(from, to, ended.others, &cycles) && call->end != CAIRN_CALL_CUT;
    add_cycles(latency, thread, &ended, is_known, is_known ? cycles : 0, &thread->excepted);
}

void cairn_latency_chain(struct cairn_latency *latency, struct latency_thread *thread,
                         struct latency_open *open, uint64_t now)
{
    struct latency_chained *const chained = &thread->chained;
    struct latency_open *const around = exception_around(thread);

    if (!chained->is_there || chained->ended != now ||
        cairn_enlarge(&thread->before, &thread->before_room, thread->before_count + 1,
                      sizeof *thread->before))
        return;
    thread->before[thread->before_count++] = *chained;
    open->before = (uint32_t)thread->before_count;
    /* it was taken for unknown, which leave_exception decides anew */
    thread->excepted.inexact--;
    open->point.excepted.inexact--;
    if (around)
        around->is_inside_unknown = chained->was_around_unknown;
    if (chained->group != CAIRN_LATENCY_GROUPS_MAX)
        latency->groups[chained->group].self_unknown[CAIRN_CLOCK_CYCLES]--;
    chained->is_there = false;
}
