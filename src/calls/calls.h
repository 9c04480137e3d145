/* SPDX-License-Identifier: BSD-2-Clause */
/* A source's calls with tables that other sources share: for what puts several together. */
#ifndef CAIRN_CALLS_CALLS_H
#define CAIRN_CALLS_CALLS_H

#include <cairn/calls.h>

#include "calls/counted.h"
#include "calls/functions.h"
#include "calls/stack.h"
#include "calls/totals.h"
#include "calls/watch.h"

/* The tables must live as long, and `space`, which is of the image, and in which others may select places between
 * batches; NULL: the calls have one of their own. Calls are told to `counter` or `totals`, and to `sink`; all NULL: no stack is kept. */
CAIRN_MUST_CHECK cairn_status
cairn_calls_make(struct cairn_config *config, struct cairn_image *image, struct cairn_space *space,
                 struct cairn_functions *functions, struct cairn_block_counts *counted,
                 const struct cairn_calls_sink *sink, const struct cairn_call_counter *counter,
                 struct cairn_call_totals *totals, struct cairn_calls **calls);

/* Where the source is now, of the thread that is executing. */
struct cairn_call_moment cairn_calls_now(const struct cairn_calls *calls);
/* And in the source's bytes: of the packet that told it, as near as the pipeline tells that. */
uint64_t cairn_calls_offset(const struct cairn_calls *calls);
/* While a call begins or ends: cycles with those that are told in front of what is executed next, if they are told.
 * False: they come later. */
bool cairn_calls_next_cycles(const struct cairn_calls *calls, uint64_t *total);

/* The thread that is executing. */
uint32_t cairn_calls_running(const struct cairn_calls *calls);
/* The first stack of a thread's context, and whether there are others that take turns with it. */
uint32_t cairn_calls_first(const struct cairn_calls *calls, uint32_t thread);
bool cairn_calls_takes_turns(const struct cairn_calls *calls, uint32_t thread);

/* Which of several threads it is that had the same numbers in contexts one after the other: the first is 0. */
struct cairn_call_lives {
    uint32_t (*of)(void *context, uint32_t vmid, uint32_t context_id, uint64_t offset);
    void *context;
};
/* Before the first batch: threads are told apart by that, too. It is asked where contexts are told and where trace begins. */
void cairn_calls_set_lives(struct cairn_calls *calls, const struct cairn_call_lives *lives);
/* Of a thread that there is. */
uint32_t cairn_calls_life(const struct cairn_calls *calls, uint32_t thread);

/* Before the first batch; the structure and its places must live as long. */
void cairn_calls_set_watch(struct cairn_calls *calls, const struct cairn_calls_watch *watch);

/* Whether the topmost call of the thread that is executing handles an exception or a signal and was not told yet,
 * because it may still become another one: its kind and exception. */
bool cairn_calls_untold(const struct cairn_calls *calls, struct cairn_call *call);

#endif
