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

/* What a path of the dictionary counts at one place. */
struct counted_path {
    uint32_t first, last; /* ranges; where they are NONE it is gone through step by step */
    uint32_t edge, to;    /* where it went on the last time; NONE: not known */
    uint64_t count;       /* words of it */
    uint32_t went;        /* there, one time after the other */
    bool is_known;
    bool is_bits;     /* CAIRN_PATH_BITS */
    bool is_taken;    /* its last instruction is a branch that is taken */
    bool is_indirect; /* ... an indirect one, of which it counts where it goes */
};

/* Paths at a place, until the dictionary ends or another place needs the room. */
struct counted_view {
    uint32_t place; /* NONE: it is free */
    uint64_t used;  /* when it was, for the last time */
    struct counted_path *paths;
    size_t path_room;
    uint32_t *nodes; /* by block: its range and 1; 0: not known */
    size_t node_room;
    uint32_t *known; /* paths */
    size_t known_count, known_room;
};
#define COUNTED_VIEWS 4u

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

    /* where words come: counted_words.c */
    bool has_words; /* and records say nothing new */
    struct counted_view views[COUNTED_VIEWS];
    struct counted_view *view;   /* that of `at`, or NULL */
    struct counted_path *before; /* the path that `previous` is the end of, or NULL */
    uint64_t clock;
    size_t path_count, block_count; /* of the dictionary */
    const struct cairn_dictionary *dictionary;
    uint64_t packet_offset; /* of paths of bits */
    bool is_unknown;        /* their outcomes */
    cairn_status failed;    /* what could not be told at the end of the source */

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

/* Finds the place of a source offset. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_counted_settle(struct cairn_counted *counted, uint64_t offset);

/* The range like `wanted`, added if need be, or the edge; NONE: there is no room. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_counted_find_range(struct cairn_counted *counted,
                                                       const struct counted_node *wanted,
                                                       uint32_t *found);
CAIRN_MUST_CHECK cairn_status cairn_counted_find_edge(struct cairn_counted *counted, uint32_t from,
                                                      uint32_t to, uint32_t *found);
/* Counts the edge from the range before to this one. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_counted_count_edge(struct cairn_counted *counted, uint32_t to);

/* Takes a range of the flow, or a record that is none. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_counted_take_range(struct cairn_counted *counted,
                                                       uint64_t offset,
                                                       const struct cairn_range *range);
CAIRN_MUST_CHECK cairn_status cairn_counted_take_event(struct cairn_counted *counted, uint8_t kind,
                                                       unsigned flags, uint64_t address,
                                                       uint64_t value);

/* counted_words.c */
void cairn_counted_free_views(struct cairn_counted *counted);

/* What comes does not follow from what was. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_counted_break_off(struct cairn_counted *counted);

#endif
