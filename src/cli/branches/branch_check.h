/* SPDX-License-Identifier: BSD-2-Clause */
/* A dump beside the flow of the same run: where in it the records fit, and what does not. */
#ifndef CAIRN_CLI_BRANCHES_BRANCH_CHECK_H
#define CAIRN_CLI_BRANCHES_BRANCH_CHECK_H

#include "cli/branches/branch_dump.h"
#include "cli/branches/branch_model.h"

/* In what a record differs from the flow, a bit each. */
#define CLI_BRANCH_DIFFERS_HALVES (1u << 0) /* the flow has a half more, or less */
#define CLI_BRANCH_DIFFERS_SOURCE (1u << 1)
#define CLI_BRANCH_DIFFERS_TARGET (1u << 2)
#define CLI_BRANCH_DIFFERS_TYPE (1u << 3)
#define CLI_BRANCH_DIFFERS_EL (1u << 4)

enum cli_branch_place {
    CLI_BRANCH_IN_FLOW, /* it is beside a branch of the flow */
    CLI_BRANCH_IN_GAP, /* it was lost to the trace: the flow has a gap there, and this is one of its branches */
    CLI_BRANCH_BEFORE, /* it is older than the flow */
    CLI_BRANCH_BEHIND, /* it is younger than the flow */
};

/* A branch of the flow as a Branch Record Buffer would have it. */
struct cli_branch_flow_entry {
    struct cairn_branch branch;
    bool unknown_source, unknown_target; /* the flow does not tell */
    bool gap_before;                     /* between it and the next older one branches were lost */
};

/* What was found of a record. */
struct cli_branch_beside {
    uint8_t place;                     /* enum cli_branch_place */
    uint32_t differs;                  /* CLI_BRANCH_DIFFERS_... */
    struct cli_branch_flow_entry flow; /* IN_FLOW */
};

/* A stack that is looked for, and where it fits best so far. */
struct cli_branch_check {
    const struct cairn_branch *branches; /* the youngest first */
    size_t count;
    struct cli_branch_programming programming;
    const char *wanted; /* the name of the source that it is of; NULL: it may be of any */
    bool recorded;      /* such a buffer has records of a flow */
    bool found;         /* and some of them may be these */
    bool fits;          /* at least half of the records that are in the flow agree with it */
    uint32_t cost;      /* of the best place: 0, all agrees */
    uint64_t
        number; /* of the branch of the flow that is beside the youngest record of those that are in it, from
                        1 on */
    uint64_t total;                      /* branches of that flow */
    size_t source;                       /* number of the flow that it fits best */
    size_t disagree, lost;               /* records */
    uint64_t sources[CLI_BRANCHES_MOST]; /* a table of source addresses, by their hash; 0: none */
    uint64_t met; /* of the youngest of the flow, the lowest bit: its source may be one of these */
    struct cli_branch_beside beside[CLI_BRANCHES_MOST];
};

/* Looks for all stacks in the flows. False after a message. */
bool cli_branch_checks_run(const struct cli_branch_flows *flows, struct cli_branch_check *checks,
                           size_t count);

#endif
