/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that choose a part of a listing: --last, --first, --function ... */
#ifndef CAIRN_CLI_WINDOW_OPTIONS_H
#define CAIRN_CLI_WINDOW_OPTIONS_H

#include "cli/options.h"

/* As `own` of a command: of flow, of data, of packets and of elements. */
extern const struct cli_option cli_part_of_flow[];
extern const struct cli_option cli_part_of_data[];
extern const struct cli_option cli_part_of_packets[];
extern const struct cli_option cli_part_of_elements[];

/* Takes one of them for the command of this name; false after a message. */
bool cli_part_take(const char *command, struct cli_options *options, int key, const char *argument);

/* Whether a part was asked for, beside --from and --to. */
bool cli_part_given(const struct cli_part *part);

/* False after a message: some of the options do not go together. */
bool cli_part_check(const char *command, const struct cli_options *options);

#endif
