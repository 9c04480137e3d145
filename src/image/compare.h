/* SPDX-License-Identifier: BSD-2-Clause */
/* Two files that say what is at an address, compared. */
#ifndef CAIRN_IMAGE_COMPARE_H
#define CAIRN_IMAGE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/layer.h"

/* Bytes at addresses. */
struct cairn_bytes {
    uint64_t address;
    uint64_t size; /* never 0; address + size <= 2^64 */
    const uint8_t *bytes;
};

/* Those of a layer; false when it is read by a callback: it has none until it is asked. */
bool cairn_layer_bytes(const struct cairn_layer *layer, struct cairn_bytes *bytes);

/* The byte at `address`, or NULL; *left is how many follow it, itself included. */
const uint8_t *cairn_bytes_at(const struct cairn_bytes *bytes, uint64_t address, uint64_t *left);

/* Which layers have an address, among the first of an image: a recording has thousands. */
struct cairn_layer_index {
    const struct cairn_layers *layers;
    uint32_t *order; /* ascending addresses */
    size_t count;
    uint64_t longest; /* of the layers */
};

/* Of the first `count` layers that have bytes. CAIRN_E_MEMORY. Clear in every case. */
CAIRN_MUST_CHECK cairn_status cairn_layer_index_make(struct cairn_layer_index *index,
                                                     const struct cairn_layers *layers,
                                                     size_t count);
void cairn_layer_index_clear(struct cairn_layer_index *index);

/* The next layer that has the address, in no order that means anything; begin with *at = 0. False:
 * that was the last. */
bool cairn_layer_index_next(const struct cairn_layer_index *index, uint64_t address, size_t *at,
                            size_t *layer);

/* `size` bytes from `address` on differ. False ends the comparison. */
typedef bool cairn_differs(void *context, uint64_t address, uint64_t size);

/* Calls `differs` for each run in which the two differ where both are, ascending. Runs consist of
 * whole units (a power of two of bytes, at addresses that are multiples of it), as far as both have
 * these: instructions differ, not bytes. Returns the number of bytes that both have. */
uint64_t cairn_bytes_compare(const struct cairn_bytes *one, const struct cairn_bytes *other,
                             unsigned unit, cairn_differs *differs, void *context);

/* An ELF file that is used as it is on disk and not as it is loaded. */
struct cairn_raw_elf {
    uint64_t code; /* address of the first executable segment by the file, without bias */
    uint64_t at;   /* where its bytes are in the layer's memory */
    bool
        misplaced; /* that is elsewhere than the file can only be. Where it can be loaded anywhere it
                        may be right */
};
/* Whether the layer is one, from its first byte on as far as its code at least. A dump of a loaded program begins with an ELF header
 * too, but has lost its section headers: that is none. */
bool cairn_layer_is_raw_elf(const struct cairn_layer *layer, struct cairn_raw_elf *raw);

#endif
