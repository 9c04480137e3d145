/* SPDX-License-Identifier: BSD-2-Clause */
/* Where Cairn's plugins for QEMU are. */
#ifndef CAIRN_CLI_RECORD_PLUGIN_H
#define CAIRN_CLI_RECORD_PLUGIN_H

#include <limits.h>
#include <stdbool.h>

struct cli_plugin {
    const char *command; /* who looks for it */
    const char *given;   /* by --plugin; or NULL */
    const char *folder;  /* of a build, below the program's */
    const char *file;
};
/* False after a message. */
bool cli_plugin_find(const struct cli_plugin *plugin, char path[PATH_MAX]);

#endif
