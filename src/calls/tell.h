/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that begin and end on a thread's stack, and who is told of them. */
#ifndef CAIRN_CALLS_TELL_H
#define CAIRN_CALLS_TELL_H

#include "calls/stack.h"

static inline struct cairn_call_frame *cairn_stack_top(const struct cairn_call_thread *thread)
{
    return &thread->frames[thread->depth - 1];
}

/* Tells of the topmost frame, if that was put off. */
CAIRN_MUST_CHECK cairn_status cairn_stack_tell(const struct cairn_stacks *stacks,
                                               struct cairn_call_thread *thread);
CAIRN_MUST_CHECK cairn_status cairn_stack_push(struct cairn_stacks *stacks,
                                               struct cairn_call_thread *thread,
                                               const struct cairn_call_frame *frame);
/* A call in the step's function; of a stub it is told when it is seen what that stands for. */
CAIRN_MUST_CHECK cairn_status cairn_stack_begin(struct cairn_stacks *stacks,
                                                struct cairn_call_thread *thread,
                                                const struct cairn_call_step *step,
                                                enum cairn_call_kind kind);
/* Control is in a frame that may have been executing other code of it. */
cairn_status cairn_stack_settle(struct cairn_call_thread *thread, uint32_t function);

CAIRN_MUST_CHECK cairn_status cairn_stack_pop(struct cairn_stacks *stacks,
                                              struct cairn_call_thread *thread,
                                              enum cairn_call_end end);
/* Ends the frames above the lowest `depth`. The last of them ended as `end` says, those above it
 * were unwound. */
CAIRN_MUST_CHECK cairn_status cairn_stack_unwind(struct cairn_stacks *stacks,
                                                 struct cairn_call_thread *thread, size_t depth,
                                                 enum cairn_call_end end);
/* What is known of the stack is no more so: it is kept for a return into one of its frames, which have ended as
 * `end` says. */
CAIRN_MUST_CHECK cairn_status cairn_stack_cut(struct cairn_stacks *stacks,
                                              struct cairn_call_thread *thread, uint32_t account,
                                              enum cairn_call_end end);
/* The same, and a call is found in the step's function. */
CAIRN_MUST_CHECK cairn_status cairn_stack_begin_anew(struct cairn_stacks *stacks,
                                                     struct cairn_call_thread *thread,
                                                     const struct cairn_call_step *step,
                                                     uint32_t account, enum cairn_call_end end);

#endif
