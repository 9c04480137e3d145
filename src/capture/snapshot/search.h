/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the file of a recorded module is on this machine: in the capture, where it was, below another
 * root, or in a folder of debug files, as gdb and debuginfod keep them; and where the file with its
 * debug information is. */
#ifndef CAIRN_CAPTURE_SNAPSHOT_SEARCH_H
#define CAIRN_CAPTURE_SNAPSHOT_SEARCH_H

#include "capture/model.h"

struct cairn_module_search {
    const struct cairn_files *files;
    const char *folder; /* of the capture, with its slash or empty: it is put in front */
    const struct cairn_capture_options *options;
};

struct cairn_module_found {
    enum cairn_module_state state;
    char *file;  /* that gives names; NULL unless the state is CAIRN_MODULE_USED */
    char *code;  /* the file with the code where that is another one; or NULL */
    char *other; /* one that the module's file names, and that is of another build; or NULL */
};

/* Looks for the file of a module: `embedded` is its copy in the capture's folder, or NULL. Of those
 * that have its build-id (nothing tells it: of those at its path, and then of those that have the
 * build-id of the first of these) the first that has symbols and lines gives names, else the first
 * with symbols, else the first; the first with code is the code, for debug information that was
 * split off has none. Where nothing has lines, the file that the .gnu_debuglink of what there is
 * names is looked for as gdb does: beside it, in .debug beside it, and in the folders of debug
 * files, there in the module's folder or in none. CAIRN_E_MEMORY, with nothing found. */
CAIRN_MUST_CHECK cairn_status cairn_module_find(const struct cairn_module_search *search,
                                                const struct cairn_module_info *module,
                                                const char *embedded,
                                                struct cairn_module_found *found);
void cairn_module_found_clear(struct cairn_module_found *found);

#endif
