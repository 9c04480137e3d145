/* SPDX-License-Identifier: BSD-2-Clause */
/* What was observed and traced becomes what a decoder must say: instructions wait for the P0
 * element that tells them. */
#ifndef CAIRN_TESTS_ROUNDTRIP_ENTRIES_H
#define CAIRN_TESTS_ROUNDTRIP_ENTRIES_H

#include "truth.h"

/* A block or an exception that was observed and not taken back. */
struct trip_item {
    const struct trip_step *step;
    bool taken;
    bool traced;
    bool unviewed; /* traced only for what came before it (R_KHDNX): a Q may tell that, too */
    bool failed;   /* in a transaction that was not committed */
    bool loose;    /* as in struct trip_entry */
    bool landed;   /* as in struct trip_entry */
    bool in_transaction;
    uint8_t announced; /* enum trip_answer */
    uint32_t context;
    uint32_t stops; /* as in struct trip_entry */
    uint64_t time;
    uint64_t cycle;
};

static inline const struct peer_op *trip_last_op(const struct trip_case *trip,
                                                 const struct trip_step *block)
{
    return trip_op(trip->program, block->first + block->count - 1);
}

/* The step is told by a P0 element of its own. */
static inline bool trip_closes(const struct trip_case *trip, const struct trip_step *step)
{
    return step->kind == TRIP_EXCEPTION ||
           trip_op_is_p0(trip_last_op(trip, step), trip->options.waits_are_p0);
}

/* Appends the entries of one trace session, which ended in `context`; what comes behind it does not
 * follow from it. */
void trip_entries_add(struct trip_truth *truth, const struct trip_case *trip,
                      const struct trip_item *items, uint32_t count, uint32_t context);

/* All sessions are there. */
void trip_entries_finish(struct trip_truth *truth, const struct trip_options *options);

#endif
