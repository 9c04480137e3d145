/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a flow that is looked at. */
#include "report/diff_window.h"

#include <stdlib.h>
#include <string.h>

/* Symbols that are read at a time, if not more are needed. */
#define AHEAD 4096u

cairn_status cairn_diff_next_symbol(struct cairn_diff_symbols *symbols, bool *is_over)
{
    if (symbols->lines)
        return cairn_diff_next_line(symbols, is_over);
    *is_over = !cairn_diff_read(&symbols->cursor);
    symbols->symbol = symbols->cursor.token;
    symbols->chain = symbols->cursor.chain;
    return CAIRN_OK;
}

static void begin(struct cairn_diff_symbols *symbols, const struct cairn_diff *diff,
                  const struct cairn_diff_thread *thread, struct cairn_diff_lines *lines)
{
    *symbols = (struct cairn_diff_symbols){.lines = lines};
    cairn_diff_seek(&symbols->cursor, diff, thread, 0);
}

cairn_status cairn_diff_flow_new(struct cairn_diff *diff, const struct cairn_diff_thread *thread,
                                 struct cairn_diff_lines *lines, struct cairn_diff_flow *flow)
{
    cairn_status status = CAIRN_OK;
    bool is_over = false;

    *flow = (struct cairn_diff_flow){
        .thread = thread, .by_lines = lines != NULL, .count = thread->count};
    begin(&flow->source, diff, thread, lines);
    if (!lines)
        return CAIRN_OK;
    /* How many there are is known when all were read once. */
    for (flow->count = 0; !status && !is_over; flow->count += !is_over)
        status = cairn_diff_next_symbol(&flow->source, &is_over);
    begin(&flow->source, diff, thread, lines);
    return status;
}

void cairn_diff_flow_clear(struct cairn_diff_flow *flow)
{
    free(flow->symbols);
    free(flow->chains);
    free(flow->points);
    *flow = (struct cairn_diff_flow){0};
}

static cairn_status make_room(struct cairn_diff_flow *flow, size_t wanted)
{
    size_t room = flow->room;

    if (wanted <= room)
        return CAIRN_OK;
    room = room + room / 2 < wanted ? wanted : room + room / 2;
    uint32_t *const symbols = realloc(flow->symbols, room * sizeof *symbols);
    flow->symbols = symbols ? symbols : flow->symbols;
    uint32_t *const chains = realloc(flow->chains, room * sizeof *chains);
    flow->chains = chains ? chains : flow->chains;
    if (!symbols || !chains)
        return CAIRN_E_MEMORY;
    if (flow->by_lines) {
        struct cairn_diff_point *const points = realloc(flow->points, room * sizeof *points);
        if (!points)
            return CAIRN_E_MEMORY;
        flow->points = points;
    }
    flow->room = room;
    return CAIRN_OK;
}

static void give_up(struct cairn_diff_flow *flow, size_t gone)
{
    const size_t left = flow->have - gone;

    if (left) {
        memmove(flow->symbols, flow->symbols + gone, left * sizeof *flow->symbols);
        memmove(flow->chains, flow->chains + gone, left * sizeof *flow->chains);
        if (flow->by_lines)
            memmove(flow->points, flow->points + gone, left * sizeof *flow->points);
    }
    flow->first += gone;
    flow->have = left;
}

cairn_status cairn_diff_flow_need(struct cairn_diff_flow *flow, size_t from, size_t until)
{
    cairn_status status = CAIRN_OK;
    bool is_over = false;

    if (until > flow->count)
        until = flow->count;
    if (until <= flow->first + flow->have)
        return CAIRN_OK;
    until = flow->count - until < AHEAD ? flow->count : until + AHEAD;
    if (from > flow->first)
        give_up(flow, from - flow->first < flow->have ? from - flow->first : flow->have);
    status = make_room(flow, until - from);
    while (!status && flow->first + flow->have < until) {
        status = cairn_diff_next_symbol(&flow->source, &is_over);
        if (status || is_over)
            return status;
        if (flow->first < from) {
            flow->first++;
            continue;
        }
        flow->symbols[flow->have] = flow->source.symbol;
        flow->chains[flow->have] = flow->source.chain;
        if (flow->by_lines)
            flow->points[flow->have] = flow->source.point;
        flow->have++;
    }
    return status;
}
