/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch lists of simpleperf, in place of captures and in place of profiles. */
#ifndef CAIRN_CLI_ANSWERS_PGO_LISTS_H
#define CAIRN_CLI_ANSWERS_PGO_LISTS_H

#include <cairn/pipeline.h>

#include "cli/answers/pgo_run.h"
#include "report/branch_lists.h"

/* Whether the first of the captures is a branch list, or a text with the names of such (@FILE). */
bool cli_pgo_are_lists(const struct cli_options *options);

/* Whether branch lists can go where the output goes; else it says so. */
bool cli_pgo_can_write_lists(const struct cli_options *options);

/* Reads all that are named into run->lists. CLI_GAPS where some are damaged, and left out; CLI_UNUSABLE where none
 * can be used, or something that is named is no branch list. */
enum cli_exit cli_pgo_read_lists(struct pgo_run *run);
/* Makes ranges and branches of them. */
enum cli_exit cli_pgo_follow_lists(struct pgo_run *run);
/* Writes run->lists, or those of --binary. */
enum cli_exit cli_pgo_write_lists(struct pgo_run *run);

/* pgo_lists_trace.c: the lists of a source. */
CAIRN_MUST_CHECK cairn_status cli_pgo_list_source(struct pgo_run *run, size_t source,
                                                  struct cairn_config *config,
                                                  struct cairn_error *error);
/* What is said when all sources are listed. */
void cli_pgo_say_listed(struct pgo_run *run);

#endif
