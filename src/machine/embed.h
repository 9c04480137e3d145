/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of the files that code was from, in a recording's folder: it can then be moved to another
 * machine and still has its names and source lines. */
#ifndef CAIRN_MACHINE_EMBED_H
#define CAIRN_MACHINE_EMBED_H

#include <stdbool.h>

#include "capture/arena.h"
#include "capture/snapshot/write.h"
#include "machine/recording.h"

/* What the name of a package of debug information (-gsplit-dwarf) has behind that of its program. */
#define CAIRN_EMBED_PACKAGE ".dwp"

/* Copies each module's file into the folder, with the package beside it, and puts the name it has there into `file` of the
 * module. A file that is not there any more, or for which there is no room, is counted in *failed and leaves
 * nothing. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_modules_embed(const char *folder,
                                                  const struct cairn_recorded_program *program,
                                                  struct cairn_arena *arena,
                                                  struct cairn_snapshot_module *modules,
                                                  size_t count, uint64_t *failed);

/* Whether a name is one that cairn_modules_embed gives: such a file may be removed. */
bool cairn_embed_name_ok(const char *name);

#endif
