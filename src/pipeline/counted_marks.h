/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of a part of a source: what was counted between two moments of it. */
#ifndef CAIRN_PIPELINE_COUNTED_MARKS_H
#define CAIRN_PIPELINE_COUNTED_MARKS_H

#include "pipeline/counted.h"

/* Zero it, and clear it in the end. */
struct cairn_counted_mark {
    uint64_t *nodes, *rows, *edges; /* counts; of nodes executed and taken */
    size_t node_count, row_count, edge_count;
    uint64_t left_out;
    bool is_set;
};
void cairn_counted_mark_clear(struct cairn_counted_mark *mark);

/* What is counted up to here. Where a branch goes is counted with what comes behind it, and is of the part that has the
 * branch: cairn_counted_mark_edges when that range has come. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_counted_mark(const struct cairn_counted *counted,
                                                 struct cairn_counted_mark *mark);
CAIRN_MUST_CHECK cairn_status cairn_counted_mark_edges(const struct cairn_counted *counted,
                                                       struct cairn_counted_mark *mark);

/* Before cairn_counted_finish: leaves what was counted between the two; one that is not set is the beginning or
 * the end of the source. */
void cairn_counted_keep(struct cairn_counted *counted, const struct cairn_counted_mark *from,
                        const struct cairn_counted_mark *to);

#endif
