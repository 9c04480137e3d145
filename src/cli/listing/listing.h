/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings: sources one after another, or merged by time. */
#ifndef CAIRN_CLI_LISTING_LISTING_H
#define CAIRN_CLI_LISTING_LISTING_H

#include "cli/command.h"
#include <cairn/pipeline.h>

enum cli_exit cli_listing_run(const struct cli_command *command, const struct cli_options *options,
                              enum cairn_level level);

#endif
