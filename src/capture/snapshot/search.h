/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the file of a recorded module is on this machine: in the capture, where it was, below another
 * root, or in a folder of debug files, as gdb and debuginfod keep them. */
#ifndef CAIRN_CAPTURE_SNAPSHOT_SEARCH_H
#define CAIRN_CAPTURE_SNAPSHOT_SEARCH_H

#include "capture/model.h"

struct cairn_module_search {
    const struct cairn_files *files;
    const char *folder; /* of the capture, with its slash or empty: it is put in front */
    const struct cairn_capture_options *options;
};

/* Looks for the file of a module: `embedded` is its copy in the capture's folder, or NULL. Of those
 * that have its build-id (it had none: of those at its path) the first that has symbols and lines is
 * taken, else the first with symbols, else the first. *file is on the heap; NULL where the state is
 * not CAIRN_MODULE_USED. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_module_find(const struct cairn_module_search *search,
                                                const struct cairn_module_info *module,
                                                const char *embedded, char **file,
                                                enum cairn_module_state *state);

#endif
