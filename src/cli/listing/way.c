/* SPDX-License-Identifier: BSD-2-Clause */
/* Which stretches of a source a listing goes through, and which it leaves out. */
#include <stdlib.h>
#include <string.h>

#include "cli/index/stretches.h"

/* Stretches kept before one that is wanted: of more, two become one. */
#define BEFORE_MOST 1024u

cairn_status cli_way_begin(struct cli_way *way, struct cli_window *window, cli_stretch_next *next,
                           void *stretches)
{
    *way = (struct cli_way){
        .next = next,
        .stretches = stretches,
        .window = window,
        .context = window->choice->kind == CLI_CHOICE_ADDRESS ? window->choice->context : 0,
        .before = malloc(BEFORE_MOST * sizeof *way->before),
    };
    return way->before ? CAIRN_OK : CAIRN_E_MEMORY;
}

void cli_way_end(struct cli_way *way)
{
    free(way->before);
    way->before = NULL;
}

static void drop_first(struct cli_way *way)
{
    const struct cli_stretch first = way->before[0];

    if (first.instructions)
        way->passed = first.from;
    way->before_instructions -= first.instructions;
    way->before_count--;
    memmove(way->before, way->before + 1, way->before_count * sizeof first);
}

/* Keeps it as long as the context of what comes behind may reach into it. */
static void keep_before(struct cli_way *way, const struct cli_stretch *stretch)
{
    if (way->before_count == BEFORE_MOST) {
        struct cli_stretch *last = &way->before[BEFORE_MOST - 1];

        last->to = stretch->to;
        last->instructions += stretch->instructions;
    } else {
        way->before[way->before_count++] = *stretch;
    }
    way->before_instructions += stretch->instructions;
    while (way->before_count &&
           way->before_instructions - way->before[0].instructions >= way->context)
        drop_first(way);
}

/* Looks for the next stretch that is wanted. */
static void look_ahead(struct cli_way *way)
{
    bool any = true;

    while (!way->ahead.to && !way->ended && !way->status && !cli_interrupted()) {
        struct cli_stretch stretch;

        way->status = way->next(way->stretches, &stretch, &any);
        if (way->status)
            break;
        way->executed += any ? stretch.instructions : 0;
        if (!any)
            way->ended = true;
        else if (stretch.touched)
            way->ahead = stretch;
        else
            keep_before(way, &stretch);
    }
}

uint64_t cli_way_next(void *context, uint64_t reached)
{
    struct cli_way *way = context;

    if (way->status || reached < way->to || cli_window_goes_on(way->window))
        return reached;
    look_ahead(way);
    if (way->status || cli_interrupted())
        return reached;
    if (way->ended && !way->executed) /* why there is nothing, only going through it tells */
        return reached;
    if (way->ended) {
        way->cut = true;
        return UINT64_MAX;
    }
    const uint64_t from = way->before_count ? way->before[0].from : way->ahead.from;
    const bool skips = way->passed > reached && from > reached;

    way->to = way->ahead.to;
    way->ahead.to = 0;
    way->before_count = 0;
    way->before_instructions = 0;
    if (!skips)
        return reached;
    cli_window_leave_out(way->window, from);
    way->cut = true;
    return from;
}
