/* SPDX-License-Identifier: BSD-2-Clause */
/* A source's calls, while they are followed. */
#ifndef CAIRN_CALLS_CALLS_STATE_H
#define CAIRN_CALLS_CALLS_STATE_H

#include "calls/calls.h"
#include "calls/threads.h"

struct cairn_calls {
    struct cairn_config *config;
    struct cairn_space *space;
    struct cairn_place place;
    bool is_selected; /* the place is, in the space */
    bool keeps_stacks;
    bool only_counts; /* nobody is told of calls but a counter */
    bool has_words;   /* it is told of paths, so that records say nothing new */
    struct cairn_known known;
    struct cairn_stacks stacks;
    struct cairn_functions own_functions;
    struct cairn_block_counts own_counted;

    struct cairn_call_threads threads;
    struct cairn_call_thread *thread; /* the one that executes */
    uint64_t gaps;                    /* in which any thread may have executed */
    uint32_t gap_account;             /* of the last one */

    const struct cairn_calls_watch *watch; /* or NULL */
    uint64_t offset;                       /* of the packet of what comes, if it is watched */

    const struct cairn_dictionary *dictionary; /* of the last batch */
    bool cycles_ahead;                         /* CAIRN_TELLS_CYCLES_AHEAD */
    uint64_t told_cycles;                      /* with those of what comes next */
    uint32_t last;                             /* entry of the last block executed, for cycles */
    uint64_t waits;                            /* steps that take a cycle each */
    bool excepts; /* an exception is taken: what comes next is its own, and not told yet */
};

/* The thread executed an exception return. */
void cairn_calls_eret(struct cairn_calls *calls);

#endif
