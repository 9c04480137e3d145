/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory dumps of a snapshot's cores as layers of the image. */
#ifndef CAIRN_CAPTURE_SNAPSHOT_DUMPS_H
#define CAIRN_CAPTURE_SNAPSHOT_DUMPS_H

#include "capture/snapshot/description.h"

/* The exception levels and security states that a memory space's name means ("EL1N", "S", "R" ...);
 * false, and everything, for a name that is not known. */
bool cairn_space_masks(const char *name, uint8_t *el_mask, uint8_t *security_mask);

/* Adds every dump of every core. A dump that all cores with dumps have, or that only one core could
 * have, is one layer for every source. Any other is a layer for the sources of its own core, which
 * wins there, and one for every source behind that: a core may run what only another's dump has.
 * `core_of` names the core of each source of the capture (NULL: none). */
CAIRN_MUST_CHECK cairn_status cairn_snapshot_add_dumps(
    struct cairn_capture *capture, const struct cairn_files *files, const char *folder,
    const struct cairn_snapshot *snapshot, const struct cairn_snapshot_device *const *core_of,
    struct cairn_error *error);

/* A file, or a part of it, as a layer; what cannot be is said. `what` begins each remark. */
struct cairn_dump_place {
    const char *what, *path;
    const char *space; /* or NULL */
    uint64_t address, length, offset;
    bool has_address, has_length;
    uint64_t from, to; /* offsets in the source's bytes, where `to` is not 0: an epoch */
};
/* Checks it once; false: it cannot be added, and a remark says why. */
bool cairn_dump_check(struct cairn_capture *capture, const struct cairn_files *files,
                      const struct cairn_dump_place *place);
/* Adds it for one source, or CAIRN_ANY_SOURCE. Fails only when memory is out. */
CAIRN_MUST_CHECK cairn_status cairn_dump_add(struct cairn_capture *capture,
                                             const struct cairn_dump_place *place, uint32_t source);

#endif
