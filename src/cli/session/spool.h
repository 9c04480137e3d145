/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture, or counts, that come through a pipe: they are read to their end first, since what is in them is looked up
 * from several places. Small ones are kept in memory, others in a file without a name. */
#ifndef CAIRN_CLI_SESSION_SPOOL_H
#define CAIRN_CLI_SESSION_SPOOL_H

#include <stdbool.h>

#include <cairn/status.h>

#define CLI_SPOOL_NAME "stdin" /* what such a source is called */
/* True for "-", and for what is no file and no folder: a pipe, a terminal. */
bool cli_spool_wanted(const char *path);

/* Where its bytes can be opened as a file as often as one likes until the program ends: `path` itself where that is a
 * file or folder. It is read once, when that is first asked for. */
CAIRN_MUST_CHECK cairn_status cli_spool_open(const char *path, const char **opened,
                                             struct cairn_error *error);
/* The same for what asks what a file is; `path` where it cannot be read. */
const char *cli_spool_look(const char *path);

#endif
