/* SPDX-License-Identifier: BSD-2-Clause */
/* The totals of units: how often each path was taken, turned into a summary without listing a
 * single range. */
#ifndef CAIRN_REPORT_TOTALS_H
#define CAIRN_REPORT_TOTALS_H

#include <cairn/engine.h>

#include "report/summary.h"

/* Zero it at a source's start. */
struct cairn_totals {
    uint64_t *units; /* by path of the dictionary in use */
    size_t capacity;
    size_t known;                 /* paths that were looked at */
    struct cairn_summary summary; /* of the dictionaries before */
};
void cairn_totals_free(struct cairn_totals *totals);

/* Counts the units of a batch but those that tell something, which are left to the caller: for
 * their warnings it matters when they come. `*telling`: the batch has such. */
CAIRN_MUST_CHECK cairn_status cairn_totals_add(struct cairn_totals *totals,
                                               const struct cairn_word_batch *batch, bool *telling);

/* The first unit at or behind `unit` that tells something; the batch's count: none. */
size_t cairn_totals_telling(const struct cairn_totals *totals, const struct cairn_word_batch *batch,
                            size_t unit);

/* The dictionary ends: what was counted goes into the summary. */
void cairn_totals_turn(struct cairn_totals *totals, const struct cairn_dictionary *dictionary);

/* Adds all that was counted so far; `dictionary` is the one in use, NULL before the first batch. */
void cairn_totals_sum(const struct cairn_totals *totals, const struct cairn_dictionary *dictionary,
                      struct cairn_summary *summary);

#endif
