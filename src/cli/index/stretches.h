/* SPDX-License-Identifier: BSD-2-Clause */
/* A source in stretches of some KiB, of each of which is known whether what a listing is about was
 * executed there: what a scan tells that lists nothing, and what an index tells that a recording
 * brings along. The listing then goes from one place to the next. */
#ifndef CAIRN_CLI_INDEX_STRETCHES_H
#define CAIRN_CLI_INDEX_STRETCHES_H

#include "cli/window/plan.h"

#define CLI_STRETCH_BYTES ((uint64_t)8 << 10)

struct cli_stretch {
    uint64_t from, to;     /* of packets at these offsets of the source */
    uint64_t instructions; /* at least so many */
    bool touched; /* what is looked for may be in it, or what a listing may not leave out */
};

/* Gives the next stretch; *any false: there are no more. */
typedef cairn_status cli_stretch_next(void *context, struct cli_stretch *stretch, bool *any);

/* Stretches of a choice, by counting (stretches_scan.c). */
struct cli_scan;
CAIRN_MUST_CHECK cairn_status cli_scan_new(const struct cli_plan_of *of, struct cli_scan **scan,
                                           struct cairn_error *error);
void cli_scan_free(struct cli_scan *scan); /* NULL is fine */
cli_stretch_next cli_scan_next;

/* Which of a source's stretches a listing goes through. */
struct cli_way {
    cli_stretch_next *next;
    void *stretches;
    struct cli_window *window;
    uint64_t context; /* so many instructions before what is looked for are listed */
    uint64_t to;      /* what is being gone through, up to there */
    cairn_status status;
    bool cut; /* something was left out */
    /* Stretches before the next one that is wanted, as many as have its context, the oldest first. */
    struct cli_stretch *before;
    size_t before_count;
    uint64_t before_instructions;
    uint64_t passed;          /* where the last one with instructions in front of these begins */
    struct cli_stretch ahead; /* the next one that is wanted; to == 0: not known yet */
    bool ended;               /* there is none */
    uint64_t executed;        /* instructions of all of them so far */
};
CAIRN_MUST_CHECK cairn_status cli_way_begin(struct cli_way *way, struct cli_window *window,
                                            cli_stretch_next *next, void *stretches);
void cli_way_end(struct cli_way *way); /* zeroed is fine */

/* For a pipeline's skipping: where the listing goes on. */
uint64_t cli_way_next(void *way, uint64_t reached);

#endif
