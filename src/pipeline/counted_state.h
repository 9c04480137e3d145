/* SPDX-License-Identifier: BSD-2-Clause */
/* What is counted, while it is: counted.c counts, counted_lists.c makes the lists. */
#ifndef CAIRN_PIPELINE_COUNTED_STATE_H
#define CAIRN_PIPELINE_COUNTED_STATE_H

#include "base/table.h"
#include "pipeline/counted.h"

/* A range. */
struct counted_node {
    uint64_t address, end;
    uint64_t count, taken;
    uint64_t last, target;
    uint32_t instructions, place;
    uint32_t guess; /* what came behind it the last time, */
    uint32_t edge;  /* and the edge to that */
    uint32_t insn_flags;
    uint8_t isa, kind;
};

/* From a range whose last instruction was taken to the next. */
struct counted_edge {
    uint32_t from, to;
    uint64_t count;
};

/* Ranges one behind the other, of which only the last one's last instruction may be taken. */
struct counted_row {
    uint32_t first, last;
    uint64_t count;
};

struct cairn_counted {
    struct cairn_image *image;
    struct cairn_config *config;
    struct cairn_space *space;
    bool (*wants)(void *context, const struct cairn_place *place);
    void *wants_context;

    struct counted_node *nodes;
    size_t node_count, node_room;
    struct counted_edge *edges;
    size_t edge_count, edge_room;
    struct cairn_place *places;
    bool *wanted; /* of each place */
    size_t place_count, place_room, wanted_room;
    enum cairn_rows_end rows_end; /* 0: none are wanted */
    struct counted_row *rows;
    size_t row_count, row_room;
    struct cairn_table by_range, by_edge, by_place, by_row;
    uint64_t left_out;

    /* where the flow stands */
    struct cairn_place place;
    uint64_t from, until; /* source offsets at which `at` is the place; from > until: at none */
    uint32_t at;          /* NONE: there is no room for it */
    uint32_t previous;    /* range; NONE: what comes does not follow from one */
    bool is_taken;        /* its last instruction */
    uint32_t row;         /* where its row began; NONE: it has ended */

    struct cairn_counted_range *row_list;
    struct cairn_counted_range *ranges;
    size_t range_count;
    struct cairn_counted_branch *branches;
    size_t branch_count, branch_room;
};

static inline bool cairn_counted_is_branch(const struct counted_node *node)
{
    return node->kind == CAIRN_INSN_BRANCH_DIRECT || node->kind == CAIRN_INSN_BRANCH_INDIRECT;
}

/* Where a range's last instruction is, and what that does, under the place that is selected. */
void cairn_counted_look(struct cairn_counted *counted, struct counted_node *node);

/* What comes does not follow from what was. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_counted_break_off(struct cairn_counted *counted);

#endif
