/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch stacks for the command `branches`: what a dump says, and how it is told. */
#ifndef CAIRN_CLI_BRANCHES_H
#define CAIRN_CLI_BRANCHES_H

#include <cairn/brbe.h>
#include <cairn/image.h>

#include "cli/branch_dump.h"
#include "report/naming.h"

/* A stack as it is told. */
struct cli_branch_stack {
    const struct cli_branch_dump *dump;
    const char *path;
    struct cairn_branch branches[CLI_BRANCHES_MOST]; /* the youngest first */
    uint32_t findings[CLI_BRANCHES_MOST];            /* CAIRN_BRANCH_BAD_..., of each */
    size_t count;
    size_t hole;            /* the first valid record behind an invalid one; 0: none */
    uint32_t hole_findings; /* of the records from the first invalid one on */
    bool failed_last;       /* BRBFCR_EL1.LASTFAILED: a transaction, behind the youngest record */
    bool has_predictions;   /* as far as the dump says: BRBCR_ELx.MPRED */
    bool has_cycles;        /* and CC */
};

struct cli_branch_totals {
    size_t stacks, branches, half_sources, half_targets, mispredicted, possibly_rolled_back,
        findings;
};

/* What it is told with. */
struct cli_branch_list {
    struct cli_session *session;
    struct cairn_image *image; /* NULL: none was given */
    struct cairn_space *space;
    struct cairn_naming *naming;
    struct cli_branch_totals totals;
};

/* The i-th that is to be told, by --oldest-first or not. */
size_t cli_branch_at(const struct cli_branch_list *list, const struct cli_branch_stack *stack,
                     size_t i);

/* The function at an address, and how far behind its start that is; NULL: none is known. */
const char *cli_branch_function(const struct cli_branch_list *list, uint64_t address,
                                uint64_t *offset);

/* `number` counts stacks from 0 on. */
void cli_branches_text(struct cli_branch_list *list, const struct cli_branch_stack *stack);
void cli_branches_text_end(struct cli_branch_list *list);
void cli_branches_json(struct cli_branch_list *list, const struct cli_branch_stack *stack,
                       size_t number);
void cli_branches_json_end(struct cli_branch_list *list);

#endif
