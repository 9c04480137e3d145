/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options/debug_folders.h"

#include <stdio.h>
#include <stdlib.h>

/* By the rules of debuginfod_find_debuginfo(3). NULL: there is none, or no memory. */
static char *cache_of_debuginfod(void)
{
    const char *const own = getenv("DEBUGINFOD_CACHE_PATH");
    const char *const cache = getenv("XDG_CACHE_HOME");
    const char *const home = getenv("HOME");
    char *path = NULL;
    int length = -1;

    if (own && *own)
        length = asprintf(&path, "%s", own);
    else if (cache && *cache)
        length = asprintf(&path, "%s/debuginfod_client", cache);
    else if (home && *home)
        length = asprintf(&path, "%s/.cache/debuginfod_client", home);
    return length < 0 ? NULL : path;
}

bool cli_debug_folders(struct cli_options *options)
{
    options->debug_cache = cache_of_debuginfod();
    if (!cli_list_add(&options->debug_folders, "/usr/lib/debug") ||
        (options->debug_cache && !cli_list_add(&options->debug_folders, options->debug_cache)))
        return false;
    options->open.debug_folders = options->debug_folders.items;
    options->open.debug_folder_count = options->debug_folders.count;
    return true;
}
