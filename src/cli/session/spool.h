/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture that comes through a pipe: it is read to its end first, since what is in it is looked up
 * from several places. Small ones are kept in memory, others in a file without a name. */
#ifndef CAIRN_CLI_SESSION_SPOOL_H
#define CAIRN_CLI_SESSION_SPOOL_H

#include <stdbool.h>

#include <cairn/status.h>

#define CLI_SPOOL_NAME "stdin" /* what such a source is called */
#define CLI_SPOOL_PATH 32

/* True for "-", and for what is no file and no folder: a pipe, a terminal. */
bool cli_spool_wanted(const char *path);

/* Reads it to the end. *fd is then open on its bytes, for the caller to close, and `opened` the path
 * of that. */
CAIRN_MUST_CHECK cairn_status cli_spool_read(const char *path, int *fd, char opened[CLI_SPOOL_PATH],
                                             struct cairn_error *error);

#endif
