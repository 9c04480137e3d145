/* SPDX-License-Identifier: BSD-2-Clause */
/* What the rules of `cairn lint` mean: each as docs/lint.md has it, with an example that is looked at
 * when it is printed. */
#ifndef CAIRN_CLI_LINT_LINT_EXPLAIN_H
#define CAIRN_CLI_LINT_LINT_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include <cairn/lint.h>

const char *cli_lint_severity(enum cairn_lint_severity severity);
/* "ETM_0: TRCVICTLR: ", "board.etm:4: TRCVICTLR: ". */
void cli_lint_where(const struct cairn_lint_finding *finding, const char *script, char *text,
                    size_t size);

/* Prints the entry of `word` (with or without CAIRN-LINT-), or all of them for "all". False, after a
 * message: there is no such code. */
bool cli_lint_explain(const char *word);

#endif
