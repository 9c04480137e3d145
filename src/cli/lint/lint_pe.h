/* SPDX-License-Identifier: BSD-2-Clause */
/* `cairn lint`: what it says of a PE's registers, by values and by what a script writes. */
#ifndef CAIRN_CLI_LINT_LINT_PE_H
#define CAIRN_CLI_LINT_LINT_PE_H

#include <cairn/lint.h>

#include "cli/session/programmed.h"

/* A finding that is none: a trace unit's rules do not know a register of the PE. */
bool cli_lint_is_of_pe(const struct cairn_lint_finding *finding);
/* The values, with what the script writes over them: where it enables the trace buffer or the branch records,
 * and at its end; each finding once. CAIRN_E_MEMORY. */
cairn_status cli_lint_pe(const struct cli_trace_unit *unit, cairn_lint_tell *tell, void *context);

#endif
