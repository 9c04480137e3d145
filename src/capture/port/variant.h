/* SPDX-License-Identifier: BSD-2-Clause */
/* The same recording of a port read as if it were set up otherwise, to see whether that fits better. */
#ifndef CAIRN_CAPTURE_PORT_VARIANT_H
#define CAIRN_CAPTURE_PORT_VARIANT_H

#include "capture/model.h"
#include "capture/port/pins.h"

/* How it is read; NULL: the buffer is no recording of a port's wires. */
const struct cairn_port_layout *cairn_port_layout_of(const struct cairn_buffer *buffer);

struct cairn_port_variant {
    unsigned width;
    enum cairn_port_mode mode;
    bool other_edge; /* TRACECLK upside down */
    /* Wire i of the layout of that width and mode is where wire moved[i] is, if `moves`. */
    bool moves;
    uint8_t moved[CAIRN_PORT_WIRES];
};
/* As the layout is. */
struct cairn_port_variant cairn_port_variant_of(const struct cairn_port_layout *layout);

/* The first bytes of the source: how many, at most `size`, out of the first `reach` bytes of the recording; -1: it has no
 * wires for that, or cannot be read. *read: how many bytes of the recording (of a session, unpacked) that took. */
int64_t cairn_port_read_variant(const struct cairn_buffer *buffer,
                                const struct cairn_port_variant *variant, uint8_t *bytes,
                                size_t size, uint64_t reach, uint64_t *read);

/* How many bytes of a value change dump take as long as one of the recording. */
uint64_t cairn_port_read_weight(const struct cairn_buffer *buffer);

/* `etmcr` with the bits that tell width and mode as the variant's; of ETMv3 as it is. */
uint64_t cairn_port_variant_etmcr(const struct cairn_port_layout *layout,
                                  const struct cairn_port_variant *variant, uint64_t etmcr);

#endif
