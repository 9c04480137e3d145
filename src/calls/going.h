/* SPDX-License-Identifier: BSD-2-Clause */
/* What is done for each block and turn of a source whose calls are followed. */
#ifndef CAIRN_CALLS_GOING_H
#define CAIRN_CALLS_GOING_H

#include "calls/calls_state.h"
#include "calls/plain.h"

static inline cairn_status cairn_calls_go_to(struct cairn_calls *calls,
                                             struct cairn_call_thread *thread, uint64_t address,
                                             uint64_t site, uint64_t behind, uint8_t way,
                                             struct cairn_call_target to)
{
    cairn_status status = CAIRN_OK;

    if (calls->only_counts &&
        cairn_go_plainly(&calls->stacks, thread, address, site, behind, way, to, &status))
        return status;
    return cairn_calls_go(calls, thread, address, site, behind, way, to);
}

/* Control is at a block, behind what the thread executed last. */
static inline cairn_status cairn_calls_arrive(struct cairn_calls *calls,
                                              struct cairn_call_thread *thread, uint64_t address,
                                              struct cairn_call_target to)
{
    if ((thread->way == CAIRN_WAY_ON || thread->way == CAIRN_WAY_DIRECT) &&
        thread->now == to.function)
        return CAIRN_OK;
    return cairn_calls_go_to(calls, thread, address, thread->site, thread->behind, thread->way, to);
}

static inline void cairn_calls_execute(struct cairn_calls *calls, struct cairn_call_thread *thread,
                                       uint32_t instructions)
{
    if (!calls->keeps_stacks) /* only the sum is wanted, which the counts have */
        return;
    thread->instructions += instructions;
    calls->stacks.now.executed += instructions;
}

static inline void cairn_calls_reach(const struct cairn_calls *calls, uint32_t place)
{
    if (calls->watch->reached)
        calls->watch->reached(calls->watch->context, calls->thread->id, place);
}

static inline void cairn_calls_leave_by(struct cairn_call_thread *thread, uint8_t way,
                                        uint64_t site, uint64_t behind)
{
    thread->way = way;
    thread->site = site;
    thread->behind = behind;
}

#endif
