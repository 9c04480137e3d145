/* SPDX-License-Identifier: BSD-2-Clause */
/* What nearly all steps are, done at once where calls are only counted: calls, returns to where the topmost frame
 * returns to, and jumps of stubs to what they stand for. What is done is what cairn_stacks_go does. */
#ifndef CAIRN_CALLS_PLAIN_H
#define CAIRN_CALLS_PLAIN_H

#include "calls/totals.h"

static inline uint64_t cairn_call_cycles(const struct cairn_stacks *stacks,
                                         const struct cairn_call_thread *thread)
{
    return stacks->now.total_cycles - thread->others_cycles;
}

/* Those that blocks have, of a thread that executes. */
static inline uint64_t cairn_call_code_cycles(const struct cairn_stacks *stacks,
                                              const struct cairn_call_thread *thread)
{
    return cairn_call_cycles(stacks, thread) - thread->codeless_cycles;
}

/* What is longer than a stub is a function by itself, also where it has no name. */
static inline bool cairn_call_stands_in(const struct cairn_call_thread *thread,
                                        const struct cairn_call_frame *top)
{
    return !top->is_told &&
           thread->instructions - top->began.instructions <= CAIRN_STUB_INSTRUCTIONS_MAX;
}

/* The topmost frame executes code of a function. */
static inline void cairn_call_settle(struct cairn_call_thread *thread, uint32_t function)
{
    struct cairn_call_frame *const top = &thread->frames[thread->depth - 1];

    if (top->now != function)
        top->context = 0;
    top->now = thread->now = function;
}

/* Tells who counts of the topmost frame, if that was put off. */
static inline cairn_status cairn_count_top(const struct cairn_stacks *stacks,
                                           struct cairn_call_thread *thread,
                                           struct cairn_call_frame *top)
{
    if (top->is_told)
        return CAIRN_OK;
    const cairn_status status = stacks->totals
                                    ? cairn_call_totals_enter(stacks->totals, thread, top)
                                    : stacks->counter.enter(stacks->counter.context, thread, top);
    top->is_told = true;
    return status;
}

static inline bool cairn_call_plainly(const struct cairn_stacks *stacks,
                                      struct cairn_call_thread *thread, uint64_t address,
                                      uint64_t site, uint64_t behind, struct cairn_call_target to,
                                      cairn_status *status)
{
    if (thread->depth == 0 || thread->depth == thread->capacity ||
        thread->depth >= CAIRN_CALLS_DEPTH_MAX || !(to.is_plain || to.is_stub))
        return false;
    struct cairn_call_frame *frame = &thread->frames[thread->depth];
    *status = cairn_count_top(stacks, thread, frame - 1);
    *frame = (struct cairn_call_frame){
        .address = address,
        .site = site,
        .behind = behind,
        .began = {.instructions = thread->instructions},
        .code_cycles = cairn_call_code_cycles(stacks, thread),
        .function = to.function,
        .now = to.function,
        .kind = CAIRN_CALL_CALLED,
    };
    thread->depth++;
    thread->now = to.function;
    if (to.is_plain && !*status)
        *status = cairn_count_top(stacks, thread, frame);
    return true;
}

static inline bool cairn_return_plainly(const struct cairn_stacks *stacks,
                                        struct cairn_call_thread *thread, uint64_t address,
                                        struct cairn_call_target to, cairn_status *status)
{
    if (thread->depth <= thread->held)
        return false;
    struct cairn_call_frame *top = &thread->frames[thread->depth - 1];
    if (top->behind != address || !address || top->handles || top->is_setjmp || to.lands)
        return false;
    *status = cairn_count_top(stacks, thread, top);
    const uint64_t cycles = cairn_call_code_cycles(stacks, thread);
    if (!*status)
        *status = stacks->totals ? cairn_call_totals_leave(stacks->totals, thread, top, cycles)
                                 : stacks->counter.leave(stacks->counter.context, thread, cycles);
    thread->depth--;
    cairn_call_settle(thread, to.function);
    return true;
}

/* The topmost frame is a stub's, and nobody was told of it. */
static inline bool cairn_jump_plainly(const struct cairn_stacks *stacks,
                                      struct cairn_call_thread *thread, uint64_t address,
                                      struct cairn_call_target to, cairn_status *status)
{
    if (thread->depth == 0)
        return false;
    if (to.function == thread->now)
        return true;
    struct cairn_call_frame *top = &thread->frames[thread->depth - 1];
    if (!cairn_call_stands_in(thread, top) || top->handles || !to.is_plain || !to.starts ||
        to.lands || to.function == top->function)
        return false;
    top->address = address;
    top->function = top->now = thread->now = to.function;
    *status = cairn_count_top(stacks, thread, top);
    return true;
}

/* False: cairn_stacks_go has to do it, and nothing is done yet. Only with a counter and no sink. */
static inline bool cairn_go_plainly(const struct cairn_stacks *stacks,
                                    struct cairn_call_thread *thread, uint64_t address,
                                    uint64_t site, uint64_t behind, uint8_t way,
                                    struct cairn_call_target to, cairn_status *status)
{
    switch ((enum cairn_call_way)way) {
    case CAIRN_WAY_CALL:
        return cairn_call_plainly(stacks, thread, address, site, behind, to, status);
    case CAIRN_WAY_RETURN: return cairn_return_plainly(stacks, thread, address, to, status);
    case CAIRN_WAY_JUMP: return cairn_jump_plainly(stacks, thread, address, to, status);
    case CAIRN_WAY_ON:
        if (thread->depth == 0)
            return false;
        cairn_call_settle(thread, to.function);
        return true;
    default: return false;
    }
}

#endif
