/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that is written whole or not at all: beside where it is to be, then renamed. */
#ifndef CAIRN_CLI_ANSWERS_BESIDE_H
#define CAIRN_CLI_ANSWERS_BESIDE_H

#include <stdbool.h>

struct cli_beside {
    int fd;
    char *made, *becomes; /* NULL: a device or a pipe, which is written as it is */
};

/* Opens a file beside `path`, or beside what a link leads to, that may be read by whom the file would be read by. False:
 * errno has the reason, and nothing is to be closed. */
bool cli_beside_open(struct cli_beside *beside, const char *path);
/* Closes it and puts it in its place, if it is to be kept and can be; else it is gone. False: errno has the reason why it
 * could not be. */
bool cli_beside_close(struct cli_beside *beside, bool is_kept);

#endif
