/* SPDX-License-Identifier: BSD-2-Clause */
/* Call exceptions (SVC, HVC, SMC) of AArch64: behind each there must be such an instruction. */
#ifndef CAIRN_CLI_AUDIT_CALL_INSTRUCTIONS_H
#define CAIRN_CLI_AUDIT_CALL_INSTRUCTIONS_H

#include "cli/audit/audit.h"
#include <cairn/pipeline.h>

/* Whether an exception of that type is one, as the source's protocol names them. */
bool cli_calls_is_one(const struct cairn_config *config, uint64_t type);

/* Whether the A64 instruction makes one. */
bool cli_calls_makes_one(const struct cairn_insn *insn);

/* Counts, in source->impossible_calls, those in front of whose return address the image has another
 * instruction. Free what it makes, which may be NULL, when the pipeline has ended. */
struct cli_calls;
CAIRN_MUST_CHECK cairn_status cli_calls_watch(struct cairn_pipeline *pipeline,
                                              struct cli_audit_source *source,
                                              struct cairn_image *image, struct cli_calls **calls);
void cli_calls_free(struct cli_calls *calls);

#endif
