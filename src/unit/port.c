/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/port.h"

#include <stdlib.h>
#include <string.h>

size_t cairn_unit_taker_offer(struct cairn_unit_taker *taker, const uint8_t *bytes, size_t size,
                              uint64_t cycles, cairn_status *status)
{
    size_t taken;

    if ((size == 0 && cycles == 0) || *status != CAIRN_OK)
        return size;
    taken = taker->port(taker->context, bytes, size, cycles);
    if (taken > size) {
        *status = CAIRN_E_ARGUMENT;
        return size;
    }
    if (taken > 0)
        taker->waited = 0;
    return taken;
}

/* Little is moved, and seldom: only where half of the buffer is free then. */
size_t cairn_unit_taker_make_space(struct cairn_encoder_out *out, size_t taken,
                                   cairn_status *status)
{
    uint8_t *more;

    if (out->capacity - out->size >= CAIRN_ENCODER_ROOM)
        return 0;
    if (taken >= out->capacity / 2) {
        memmove(out->bytes, out->bytes + taken, out->size - taken);
        out->size -= taken;
        return taken;
    }
    more = realloc(out->bytes, 2 * out->capacity);
    if (more) {
        out->bytes = more;
        out->capacity *= 2;
        return 0;
    }
    *status = CAIRN_E_MEMORY;
    taken = out->size;
    out->size = 0;
    return taken;
}
