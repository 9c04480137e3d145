/* SPDX-License-Identifier: BSD-2-Clause */
/* The modules of a finished recording: which files its code came from, and what they are. */
#ifndef CAIRN_MACHINE_MODULES_H
#define CAIRN_MACHINE_MODULES_H

#include "capture/arena.h"
#include "machine/mapped.h"

struct cairn_module {
    struct cairn_snapshot_module told; /* without ranges */
    uint64_t from, to;                 /* epochs, as of struct cairn_mapped */
};

/* All texts, and the list, are in the arena. What is no ELF file is left out, and so is a file without a build-id
 * that is not in its place any more, by which *gone grows. */
CAIRN_MUST_CHECK cairn_status cairn_modules_make(struct cairn_arena *arena,
                                                 const struct cairn_mapped_list *mapped,
                                                 const struct cairn_recorded_program *program,
                                                 struct cairn_module **modules, size_t *count,
                                                 uint64_t *gone);

#endif
