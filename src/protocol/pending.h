/* SPDX-License-Identifier: BSD-2-Clause */
/* The elements of one packet, which wait for room in a batch. */
#ifndef CAIRN_PROTOCOL_PENDING_H
#define CAIRN_PROTOCOL_PENDING_H

#include <stddef.h>
#include <stdint.h>

#include <cairn/element.h>

struct cairn_pending {
    uint8_t kind;
    uint16_t flags;
    struct cairn_element_data data;
};

/* Those from *given on, as many as there is room for; the packet is at this offset. */
static inline void cairn_pending_give(const struct cairn_pending *pending, unsigned count,
                                      unsigned *given, uint64_t offset, uint64_t length,
                                      struct cairn_element_batch *out)
{
    while (*given < count && out->count < out->capacity) {
        const struct cairn_pending *p = &pending[(*given)++];
        const size_t i = out->count++;

        out->offset[i] = offset;
        out->length[i] = length;
        out->kind[i] = p->kind;
        out->flags[i] = p->flags;
        out->data[i] = p->data;
    }
}

#endif
