/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of --pid, --tid, --cpu and --time. */
#ifndef CAIRN_CLI_OPTIONS_WHOSE_WORDS_H
#define CAIRN_CLI_OPTIONS_WHOSE_WORDS_H

#include "cli/command.h"

/* Adds a number to a list; false: it is none, or memory is short. */
bool cli_whose_number(struct cli_numbers *numbers, const char *text);
/* "12.5,13" as nanoseconds; what is left out has no bound. False: it is something else. */
bool cli_whose_times(const char *text, uint64_t *from, uint64_t *to);

#endif
