/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of symbols that stand for a thread's flow, of which only a part is there at a time: it moves on, never back. */
#ifndef CAIRN_REPORT_DIFF_WINDOW_H
#define CAIRN_REPORT_DIFF_WINDOW_H

#include "report/diff_kept.h"

/* Functions and source lines as symbols, where files are of two builds; diff_builds.c. */
struct cairn_diff_lines;
CAIRN_MUST_CHECK cairn_status cairn_diff_lines_new(struct cairn_diff *diff,
                                                   struct cairn_diff_lines **lines);
void cairn_diff_lines_free(struct cairn_diff_lines *lines); /* NULL is fine */

/* The symbols of a flow, one after the other. */
struct cairn_diff_symbols {
    struct cairn_diff_cursor cursor;
    struct cairn_diff_lines *lines; /* NULL: each token is one */
    uint32_t symbol, chain;         /* that was read last, and the calls that it is inside of */
    struct cairn_diff_point point;
    bool has_symbol;
    size_t next; /* of lines: what is left of the token that was read last */
    uint32_t left;
};
/* The next one; *is_over: there is none. */
CAIRN_MUST_CHECK cairn_status cairn_diff_next_symbol(struct cairn_diff_symbols *symbols,
                                                     bool *is_over);
/* The same of lines. */
CAIRN_MUST_CHECK cairn_status cairn_diff_next_line(struct cairn_diff_symbols *symbols,
                                                   bool *is_over);

struct cairn_diff_flow {
    struct cairn_diff_symbols source;
    const struct cairn_diff_thread *thread;
    bool by_lines;
    size_t count; /* of all of it */
    size_t first; /* that is there */
    size_t have, room;
    uint32_t *symbols, *chains;
    struct cairn_diff_point *points; /* by lines alone: else each is its token */
};

CAIRN_MUST_CHECK cairn_status cairn_diff_flow_new(struct cairn_diff *diff,
                                                  const struct cairn_diff_thread *thread,
                                                  struct cairn_diff_lines *lines,
                                                  struct cairn_diff_flow *flow);
void cairn_diff_flow_clear(struct cairn_diff_flow *flow);
/* Has the symbols from one place up to another one, as far as there are any; those in front are given up. */
CAIRN_MUST_CHECK cairn_status cairn_diff_flow_need(struct cairn_diff_flow *flow, size_t from,
                                                   size_t until);

/* What is in no flow. */
#define CAIRN_DIFF_PAST_END UINT32_MAX
static inline uint32_t cairn_diff_symbol_at(const struct cairn_diff_flow *flow, size_t position)
{
    return position < flow->count ? flow->symbols[position - flow->first] : CAIRN_DIFF_PAST_END;
}
static inline uint32_t cairn_diff_chain_at(const struct cairn_diff_flow *flow, size_t position)
{
    return flow->chains[position - flow->first];
}

/* Aligns a pair; diff_align.c. */
CAIRN_MUST_CHECK cairn_status cairn_diff_align(struct cairn_diff *diff,
                                               struct cairn_diff_pair *pair,
                                               struct cairn_diff_flow flows[CAIRN_DIFF_SIDES]);

#endif
