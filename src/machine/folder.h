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

/* Makes recording.ctl, or opens the one that is there (`make` not set), and takes its lock, which
 * is held until the descriptor is closed or the process ends: it tells that somebody records.
 * Returns the descriptor or -1, with *number what errno was: EWOULDBLOCK is that lock. */
int cairn_folder_lock(const char *folder, bool make, int *number);

#endif
