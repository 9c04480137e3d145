/* SPDX-License-Identifier: BSD-2-Clause */
/* Which frame of a stack an address leads to. A frame found is told as 1 + its index; 0: there is none. */
#ifndef CAIRN_CALLS_FRAMES_H
#define CAIRN_CALLS_FRAMES_H

#include "calls/stack.h"

/* The topmost frame that returns to the address. */
size_t cairn_frames_return(const struct cairn_call_frame *frames, size_t count, uint64_t address);

/* The topmost handler of an exception that goes back to the address, */
size_t cairn_frames_handler(const struct cairn_call_thread *thread, uint64_t address);
/* and that of any. */
size_t cairn_frames_topmost_handler(const struct cairn_call_thread *thread);

/* The topmost frame that executes a function and has not resumed unwinding. */
size_t cairn_frames_function(const struct cairn_stacks *stacks,
                             const struct cairn_call_thread *thread, uint32_t function);

/* Whether an exception that passes the call at `site` lands at the step, by the program's tables. */
bool cairn_frames_leads(const struct cairn_stacks *stacks, uint64_t site,
                        const struct cairn_call_step *step);

/* The topmost frame whose call leads an exception that passes it to the step, by the program's tables. */
size_t cairn_frames_catcher(const struct cairn_stacks *stacks,
                            const struct cairn_call_thread *thread,
                            const struct cairn_call_step *step);

/* The frame that setjmp returned to at the step's address, */
size_t cairn_frames_landing(const struct cairn_call_thread *thread,
                            const struct cairn_call_step *step);
/* and that it does so now: to the topmost one. */
void cairn_frames_note_landing(struct cairn_call_thread *thread, uint64_t address);

#endif
