/* SPDX-License-Identifier: BSD-2-Clause */
/* The folder of a recording: making it, and replacing an earlier one. */
#ifndef CAIRN_MACHINE_FOLDER_H
#define CAIRN_MACHINE_FOLDER_H

#include <stdbool.h>

#include <cairn/status.h>

/* Makes the folder, or empties one that holds an earlier recording, finished or not: of that, only
 * files that recordings write are removed. *path is absolute, on the heap. CAIRN_E_ARGUMENT: it has
 * other content, or an earlier recording and `overwrite` is not set. */
CAIRN_MUST_CHECK cairn_status cairn_folder_prepare(const char *folder, bool overwrite, char **path,
                                                   struct cairn_error *error);

#endif
