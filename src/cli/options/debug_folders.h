/* SPDX-License-Identifier: BSD-2-Clause */
/* Where files with symbols and debug information are usually kept. */
#ifndef CAIRN_CLI_OPTIONS_DEBUG_FOLDERS_H
#define CAIRN_CLI_OPTIONS_DEBUG_FOLDERS_H

#include "cli/options/options.h"

/* Adds to the folders that were given those of the system: /usr/lib/debug, and where debuginfod's client
 * keeps what it has fetched. False when memory is out. */
bool cli_debug_folders(struct cli_options *options);

#endif
