/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory file of a snapshot: what is known of the program's memory, without the holes, and
 * behind that any other bytes. */
#ifndef CAIRN_MACHINE_MEMORY_H
#define CAIRN_MACHINE_MEMORY_H

#include <stdio.h>

#include "capture/snapshot/write.h"
#include "machine/pages.h"

struct cairn_memory_file {
    FILE *stream;
    uint64_t size; /* written so far */
    struct cairn_snapshot_span *spans;
    size_t span_count, span_capacity;
    uint64_t known;      /* bytes of pages, without holes that were filled */
    uint64_t pages_lost; /* left out */
};

/* Makes the file at `path`, in whose folder it is called `name` (which must outlive *file), and
 * writes the pages of each space. A span is a run of known bytes; where these are more than a snapshot should
 * have, the smallest holes (at most 2 KiB) are filled with zeros; where they still are too many, the pages
 * at addresses of user programs (below 2^63) that came last are left out. `secure_EL2`: what is of EL2 is told of its
 * Secure state, too. Call cairn_memory_end after any result. */
CAIRN_MUST_CHECK cairn_status cairn_memory_begin(struct cairn_memory_file *file, const char *path,
                                                 const char *name,
                                                 const struct cairn_pages pages[CAIRN_PAGES_SPACES],
                                                 bool secure_EL2, struct cairn_error *error);

/* Appends bytes; *offset is where they are in the file. */
CAIRN_MUST_CHECK cairn_status cairn_memory_add(struct cairn_memory_file *file, const uint8_t *bytes,
                                               size_t size, uint64_t *offset,
                                               struct cairn_error *error);

/* Closes the file; the spans stay until cairn_memory_free. */
CAIRN_MUST_CHECK cairn_status cairn_memory_end(struct cairn_memory_file *file,
                                               struct cairn_error *error);
void cairn_memory_free(struct cairn_memory_file *file);

#endif
