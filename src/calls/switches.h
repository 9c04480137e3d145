/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks that take turns in one context: the tasks of a real-time kernel, which the trace does not tell apart. An
 * exception in one of them, whose handler changes the stack pointer, returns to where another one was interrupted, or to
 * the beginning of one that is new. So a stack is known by where it was interrupted. Where several were at the same
 * place (tasks that wait are all in the kernel's function that switches), one is taken for it, and what it returns to
 * shows which it is: until then it is in doubt. */
#ifndef CAIRN_CALLS_SWITCHES_H
#define CAIRN_CALLS_SWITCHES_H

#include "calls/stack.h"

/* Stacks of a context; with more of them the one that was left first is given up. */
#define CAIRN_CALLS_STACKS_MAX 256u

/* Whether one was interrupted at an address. */
bool cairn_switches_waits(const struct cairn_call_thread *thread, uint64_t address);
/* The exception `ended` returns to the step's address; its frame has been taken from the stack. `may_stay`: it came from
 * there. True: another stack goes on there, which is `thread` now. */
bool cairn_switches_resume(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                           const struct cairn_call_step *step, const struct cairn_call_frame *ended,
                           bool may_stay, cairn_status *status);
/* It goes on where no stack is known to have been interrupted: another one, which is `thread` now. */
CAIRN_MUST_CHECK cairn_status cairn_switches_begin(struct cairn_stacks *stacks,
                                                   struct cairn_call_thread *thread,
                                                   const struct cairn_call_step *step,
                                                   const struct cairn_call_frame *ended);
/* A frame that is in doubt returns: who is `thread` then has it on top, for sure or still in doubt. */
CAIRN_MUST_CHECK cairn_status cairn_switches_return(struct cairn_stacks *stacks,
                                                    struct cairn_call_thread *thread,
                                                    const struct cairn_call_step *step);
/* A return that no frame of the thread was waiting for. True: one of another stack was, which is `thread` now, and to
 * which it is still to be done. */
bool cairn_switches_find(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                         const struct cairn_call_step *step, cairn_status *status);
/* From here on the stack may be another one than it is taken for. */
void cairn_switches_lose(struct cairn_call_thread *thread);

#endif
