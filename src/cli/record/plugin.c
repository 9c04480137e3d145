/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/plugin.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where it is installed comes from the build: CAIRN_PLUGIN_FOLDER, and as seen from the program's folder
 * CAIRN_PLUGIN_RELATIVE. */
bool cli_plugin_find(const struct cli_plugin *plugin, char path[PATH_MAX])
{
    char self[PATH_MAX] = "";

    if (plugin->given) {
        if (realpath(plugin->given, path))
            return true;
        fprintf(stderr, "cairn %s: --plugin %s: %s\n", plugin->command, plugin->given,
                strerror(errno));
        return false;
    }
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    const char *folder = length > 0 ? dirname(self) : ".";
    /* In a build folder, beside what is installed wherever that was moved to, where it was installed first. */
    char places[3][2 * PATH_MAX];
    snprintf(places[0], sizeof places[0], "%s/%s/%s", folder, plugin->folder, plugin->file);
    snprintf(places[1], sizeof places[1], "%s/" CAIRN_PLUGIN_RELATIVE "/%s", folder, plugin->file);
    snprintf(places[2], sizeof places[2], CAIRN_PLUGIN_FOLDER "/%s", plugin->file);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (realpath(places[i], path) && access(path, R_OK) == 0)
            return true;
    fprintf(
        stderr,
        "cairn %s: the plugin is not there: neither %s nor %s; tell where it is with --plugin\n",
        plugin->command, places[1], places[2]);
    return false;
}
