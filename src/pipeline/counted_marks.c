/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/counted_marks.h"

#include <stdlib.h>

#include "pipeline/counted_state.h"

void cairn_counted_mark_clear(struct cairn_counted_mark *mark)
{
    free(mark->nodes);
    free(mark->rows);
    free(mark->edges);
    *mark = (struct cairn_counted_mark){0};
}

cairn_status cairn_counted_mark_edges(const struct cairn_counted *counted,
                                      struct cairn_counted_mark *mark)
{
    free(mark->edges);
    mark->edge_count = counted->edge_count;
    mark->edges = calloc(mark->edge_count + 1, sizeof *mark->edges);
    for (size_t i = 0; i < mark->edge_count && mark->edges; i++)
        mark->edges[i] = counted->edges[i].count;
    return mark->edges ? CAIRN_OK : CAIRN_E_MEMORY;
}

cairn_status cairn_counted_mark(const struct cairn_counted *counted,
                                struct cairn_counted_mark *mark)
{
    mark->node_count = counted->node_count;
    mark->row_count = counted->row_count;
    mark->nodes = calloc(2 * mark->node_count + 1, sizeof *mark->nodes);
    mark->rows = calloc(mark->row_count + 1, sizeof *mark->rows);
    mark->left_out = counted->left_out;
    mark->is_set = true;
    if (!mark->nodes || !mark->rows)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < mark->node_count; i++) {
        mark->nodes[2 * i] = counted->nodes[i].count;
        mark->nodes[2 * i + 1] = counted->nodes[i].taken;
    }
    for (size_t i = 0; i < mark->row_count; i++)
        mark->rows[i] = counted->rows[i].count;
    return cairn_counted_mark_edges(counted, mark);
}

/* A count that the mark does not have was 0 then. */
static uint64_t at(const uint64_t *list, size_t count, size_t i)
{
    return i < count ? list[i] : 0;
}

static uint64_t between(uint64_t now, const uint64_t *from, size_t from_count,
                        const struct cairn_counted_mark *to, const uint64_t *to_list,
                        size_t to_count, size_t i)
{
    return (to->is_set ? at(to_list, to_count, i) : now) - at(from, from_count, i);
}

void cairn_counted_keep(struct cairn_counted *counted, const struct cairn_counted_mark *from,
                        const struct cairn_counted_mark *to)
{
    for (size_t i = 0; i < counted->node_count; i++) {
        struct counted_node *const node = &counted->nodes[i];

        node->count = between(node->count, from->nodes, 2 * from->node_count, to, to->nodes,
                              2 * to->node_count, 2 * i);
        node->taken = between(node->taken, from->nodes, 2 * from->node_count, to, to->nodes,
                              2 * to->node_count, 2 * i + 1);
    }
    for (size_t i = 0; i < counted->row_count; i++)
        counted->rows[i].count = between(counted->rows[i].count, from->rows, from->row_count, to,
                                         to->rows, to->row_count, i);
    for (size_t i = 0; i < counted->edge_count; i++)
        counted->edges[i].count = between(counted->edges[i].count, from->edges, from->edge_count,
                                          to, to->edges, to->edge_count, i);
    counted->left_out = (to->is_set ? to->left_out : counted->left_out) - from->left_out;
    if (to->is_set) /* what has not ended is of the part behind it */
        counted->previous = counted->row = CAIRN_TABLE_NONE;
}
