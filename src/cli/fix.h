/* SPDX-License-Identifier: BSD-2-Clause */
/* `cairn check --fix`: descriptions written anew, beside the old ones, with what is certain to be
 * wrong corrected. */
#ifndef CAIRN_CLI_FIX_H
#define CAIRN_CLI_FIX_H

#include "cli/findings.h"

/* Applies the remedies of all causes: of a snapshot writes snapshot.fixed.ini and what it names
 * beside snapshot.ini, of a raw buffer with --config that file anew, otherwise a command line to
 * standard output. Says what it did, and where. CLI_CLEAN (also where there is nothing to mend), or
 * CLI_UNUSABLE after a message: a file exists, or cannot be written. */
enum cli_exit cli_fix(const struct cli_findings *findings);

#endif
