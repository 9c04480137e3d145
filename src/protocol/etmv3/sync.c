/* SPDX-License-Identifier: BSD-2-Clause */
/* A-sync (IHI0014 7.7.2): five zero bytes or more, then 80. Bitwise: 47 zeros or more, then a one,
 * which is the last bit of a byte. */
#include <string.h>

#include "protocol/etmv3/etmv3.h"

#define END 0x80u
#define ZERO_BITS 47u

size_t cairn_etmv3_find_sync(const uint8_t *data, size_t size, size_t from)
{
    for (size_t at = from; size - at > CAIRN_ETMV3_SYNC_ZEROS;) {
        const uint8_t *end =
            memchr(data + at + CAIRN_ETMV3_SYNC_ZEROS, END, size - at - CAIRN_ETMV3_SYNC_ZEROS);
        unsigned zeros = 0;

        if (!end)
            return size;
        while (zeros < CAIRN_ETMV3_SYNC_ZEROS && end[-1 - (int)zeros] == 0)
            zeros++;
        at = (size_t)(end - data) - CAIRN_ETMV3_SYNC_ZEROS;
        if (zeros == CAIRN_ETMV3_SYNC_ZEROS)
            return at;
        at++;
    }
    return size;
}

size_t cairn_etmv3_find_shift(const uint8_t *data, size_t size, size_t from, unsigned *shift)
{
    size_t begin = from > ZERO_BITS / 8 + 1 ? from - ZERO_BITS / 8 - 1 : 0;
    unsigned zeros = 0;

    for (size_t i = begin; i < size; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            if (!(data[i] >> bit & 1)) {
                zeros += zeros < ZERO_BITS;
                continue;
            }
            if (zeros == ZERO_BITS && i >= from) {
                *shift = (bit + 1) % 8;
                return i;
            }
            zeros = 0;
        }
    return size;
}

size_t cairn_etmv3_align(const uint8_t *data, size_t size, unsigned shift, uint8_t *aligned)
{
    if (shift == 0 || size == 0) {
        if (size)
            memmove(aligned, data, size);
        return size;
    }
    for (size_t i = 0; i + 1 < size; i++)
        aligned[i] = (uint8_t)(data[i] >> shift | data[i + 1] << (8 - shift));
    return size - 1;
}
