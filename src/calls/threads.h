/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a source: what its trace tells apart by context ID and VMID, and of these such as had the same numbers one
 * after the other (lives); and the stacks of each. */
#ifndef CAIRN_CALLS_THREADS_H
#define CAIRN_CALLS_THREADS_H

#include "calls/stack.h"

struct cairn_call_threads {
    struct cairn_call_thread **list;
    uint32_t count, capacity;
    uint32_t *slots; /* 1 + number; 0 is empty */
    unsigned bits;
    struct cairn_call_thread *now; /* the one that executes */
};

void cairn_call_thread_free(struct cairn_call_thread *thread);

/* Zero it first. */
void cairn_call_threads_free(struct cairn_call_threads *threads);

/* Goes on with the thread of a context; `total_cycles` of the source are told. */
CAIRN_MUST_CHECK cairn_status cairn_call_threads_choose(struct cairn_call_threads *threads,
                                                        uint32_t vmid, uint32_t context_id,
                                                        uint32_t life, uint64_t total_cycles);

/* A further stack of a thread's context, which does not execute yet. NULL: there is no room. */
struct cairn_call_thread *cairn_call_threads_add_stack(struct cairn_call_threads *threads,
                                                       const struct cairn_call_thread *of,
                                                       uint32_t number);
/* The stack that executes becomes one that does not, and the other way round: `running` is the other one from here on,
 * for all that have it. */
void cairn_call_threads_exchange(struct cairn_call_threads *threads,
                                 struct cairn_call_thread *running,
                                 struct cairn_call_thread *parked, uint64_t total_cycles);

#endif
