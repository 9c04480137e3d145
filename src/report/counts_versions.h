/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is not one thing: code that changed while it ran, and other processes' at the same addresses. What a
 * block of it executed is known by the block's own bytes. */
#ifndef CAIRN_REPORT_COUNTS_VERSIONS_H
#define CAIRN_REPORT_COUNTS_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/image.h>

/* Stretches of whole pages, ascending, that do not touch. Zero it, and clear it in the end. */
struct cairn_counts_versions {
    struct cairn_counts_stretch {
        uint64_t first, last;
    } * list;
    size_t count;
    bool is_made;
};

/* Finds the pages of which several layers of the image have memory. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_counts_versions_make(struct cairn_counts_versions *versions,
                                                         const struct cairn_image *image);
/* Whether any of [address, address + size) is in them; size is not 0. */
bool cairn_counts_versions_any(const struct cairn_counts_versions *versions, uint64_t address,
                               uint64_t size);
/* Where the image has the window's memory: the same of two windows if they are of the same bytes. It is so wherever
 * the host has them. */
uint64_t cairn_counts_versions_place(const struct cairn_image *image,
                                     const struct cairn_window *window);
void cairn_counts_versions_clear(struct cairn_counts_versions *versions);

#endif
