/* SPDX-License-Identifier: BSD-2-Clause */
/* The recording of a trace port read as if it were set up otherwise: another width, mode or edge, two pins for one
 * another, the pins of a signal in reverse. */
#ifndef CLI_PORT_TRIAL_H
#define CLI_PORT_TRIAL_H

#include "cli/audit/findings.h"

/* How much of recordings is read for it, whatever it takes: by all tries of `cairn check`, and of `cairn info`. */
#define CLI_PORT_CHECK (UINT64_C(128) << 20)
#define CLI_PORT_INFO (UINT64_C(32) << 20)

/* True: one fits far better than what is given, and next to perfectly. What it is ("port width looks like 8, not 4 ..."), and
 * what to give. False as well where the source is of no such recording, or fits as it is: then nothing is tried.
 * *left: bytes that may be read, which become fewer. */
bool cli_port_try(const struct cli_audit *audit, size_t source, uint64_t *left,
                  char what[CLI_SENTENCE_MAX], char advice[CLI_SENTENCE_MAX]);

#endif
