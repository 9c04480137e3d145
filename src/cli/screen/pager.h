/* SPDX-License-Identifier: BSD-2-Clause */
/* Standard output through a pager, as git does it. */
#ifndef CAIRN_CLI_SCREEN_PAGER_H
#define CAIRN_CLI_SCREEN_PAGER_H

#include <stdbool.h>

/* If standard output is a terminal, starts CAIRN_PAGER, else PAGER, else `less -FRX`, and hands it
 * what is written to standard output from now on, and to standard error if that is a terminal, too.
 * A pager that is empty or `cat` is none; one that cannot be started is left out, after a message if
 * the user named it. Whether there is one now. */
bool cli_pager_start(const char *command);

/* Ends what it is given, and waits until the user has seen enough. Without a pager: nothing. */
void cli_pager_end(void);

#endif
