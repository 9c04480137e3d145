/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of functions, and what was executed until they ended, without who called whom: what a call inside of another
 * one of the same function and thread executes is that one's. */
#ifndef CAIRN_CALLS_TOTALS_H
#define CAIRN_CALLS_TOTALS_H

#include "calls/stack.h"

struct cairn_call_total {
    uint64_t calls;
    uint64_t instructions; /* of calls that have ended */
    uint64_t open;         /* calls of `thread` that have not */
    uint64_t cycles;       /* as `instructions` */
};

/* Zero it first. */
struct cairn_call_totals {
    struct cairn_call_total *list; /* of each function */
    size_t room;
    const struct cairn_call_thread *thread; /* that `open` is of; NULL: none is open */
};

void cairn_call_totals_free(struct cairn_call_totals *totals);
/* Of a source that comes next: what did not end in the one before is no more open. */
void cairn_call_totals_begin(struct cairn_call_totals *totals);

/* Makes `open` a thread's, and room for a function. */
CAIRN_MUST_CHECK cairn_status cairn_call_totals_turn(struct cairn_call_totals *totals,
                                                     const struct cairn_call_thread *thread,
                                                     uint32_t function);

/* And nobody's. */
void cairn_call_totals_rest(struct cairn_call_totals *totals);

/* A frame of the thread is told, and was not. */
static inline cairn_status cairn_call_totals_enter(struct cairn_call_totals *totals,
                                                   const struct cairn_call_thread *thread,
                                                   const struct cairn_call_frame *frame)
{
    if (totals->thread != thread || frame->function >= totals->room) {
        const cairn_status status = cairn_call_totals_turn(totals, thread, frame->function);

        if (status)
            return status;
    }
    struct cairn_call_total *const total = &totals->list[frame->function];
    total->open++;
    total->calls += frame->kind != CAIRN_CALL_FOUND && frame->kind != CAIRN_CALL_RESUMED;
    return CAIRN_OK;
}

/* The topmost frame, which was told, ends. `cycles`: of the thread, by now, as cairn_call_counter's. */
static inline cairn_status cairn_call_totals_leave(struct cairn_call_totals *totals,
                                                   const struct cairn_call_thread *thread,
                                                   const struct cairn_call_frame *frame,
                                                   uint64_t cycles)
{
    if (totals->thread != thread) {
        const cairn_status status = cairn_call_totals_turn(totals, thread, frame->function);

        if (status)
            return status;
    }
    struct cairn_call_total *const total = &totals->list[frame->function];
    if (--total->open == 0) {
        total->instructions += thread->instructions - frame->began.instructions;
        total->cycles += cycles - frame->code_cycles;
    }
    return CAIRN_OK;
}

#endif
