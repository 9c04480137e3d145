/* SPDX-License-Identifier: BSD-2-Clause */
/* What `pgo` takes beside traces and samples: files of counts. */
#ifndef CAIRN_CLI_ANSWERS_PGO_INPUT_H
#define CAIRN_CLI_ANSWERS_PGO_INPUT_H

#include "cli/answers/kept.h"
#include "report/pgo.h"

/* Opens counts and takes what a profile for compilers needs; `kept` must live as long. CLI_CLEAN, CLI_GAPS, or
 * CLI_UNUSABLE after a message. */
enum cli_exit cli_pgo_take_kept(struct cli_session *session, struct cli_counts_file *kept,
                                bool by_name, struct cairn_pgo *pgo);

/* Marks the program that a capture is a recording of, where the capture tells. */
void cli_pgo_mark_recorded(const struct cairn_capture *capture, struct cairn_pgo *pgo);

#endif
