/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are stored in an archive (zip) as they are, not packed: libraries in an Android application (.apk) are, and are
 * mapped from there. Such a file has a path: that of the archive, "!/", and its name in there. */
#ifndef CAIRN_IMAGE_STORED_H
#define CAIRN_IMAGE_STORED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_STORED_MARK "!/"

/* Where a file is in the archive's bytes, and its name, which no 0 ends. */
struct cairn_stored {
    uint64_t offset, size; /* never 0 */
    const char *name;
    size_t name_length;
};

/* By its name, or the one that has a byte of the archive. False: there is none, or it is packed or encrypted, or the bytes
 * are no archive. Archives of 4 GiB and more (ZIP64) are not read. */
bool cairn_stored_find(const uint8_t *archive, size_t size, const char *name,
                       struct cairn_stored *stored);
bool cairn_stored_at(const uint8_t *archive, size_t size, uint64_t offset,
                     struct cairn_stored *stored);

#endif
