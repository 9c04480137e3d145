/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the listing of a source begins and ends, found before it: what --last and --first count is
 * counted from behind, in stretches that become longer until there is enough. */
#ifndef CAIRN_CLI_WINDOW_PLAN_H
#define CAIRN_CLI_WINDOW_PLAN_H

#include <cairn/pipeline.h>

#include "cli/screen/watch.h"
#include "cli/session/session.h"
#include "cli/window/window.h"

struct cli_plan {
    uint64_t from; /* records of packets before it, in the source's bytes, are not listed, */
    uint64_t to;   /* nor of packets at it or behind */
    bool part;     /* of what is left, only so much: `skip` units are left out, `most` follow */
    uint64_t skip;
    uint64_t most; /* UINT64_MAX: all */
    bool rises;    /* timestamps do: the part ends behind its last one */
    bool crashed;  /* the source's end is what --around is about */
};

/* What a plan is of. */
struct cli_plan_of {
    struct cli_session *session;
    const struct cli_choice *choice;
    size_t source;
    enum cairn_level level;
    struct cairn_config *config;
    struct cairn_code *code; /* CAIRN_LEVEL_FLOW */
    struct cli_progress *progress;
};

CAIRN_MUST_CHECK cairn_status cli_plan_make(const struct cli_plan_of *of, struct cli_plan *plan,
                                            struct cairn_error *error);

/* The options of a pipeline for the source, from `from` on, with flags CAIRN_PIPELINE_... */
struct cairn_pipeline_options cli_plan_pipeline(const struct cli_plan_of *of, uint64_t from,
                                                uint32_t flags);

/* Resolved records come later than their packets, and not strictly in the packets' order: how many
 * bytes behind --to one may still come from before it. */
#define CLI_LATE_BYTES (UINT64_C(1) << 20)

#endif
