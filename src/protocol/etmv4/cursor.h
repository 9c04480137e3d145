/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading payload bytes: the field encodings of DDI0608 D5.3.1 and D15.4. */
#ifndef CAIRN_ETMV4_CURSOR_H
#define CAIRN_ETMV4_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_ETMV4_GROUP 7u       /* bits of an LE128 or bit replacement byte */
#define CAIRN_ETMV4_CONTINUE 0x80u /* its continuation bit */

/* Bits of numbers that packets carry (DDI0608 D5.9, D5.26 to D5.38). */
enum {
    CAIRN_ETMV4_BITS_COMMIT = 32,
    CAIRN_ETMV4_BITS_CYCLES = 20,
    CAIRN_ETMV4_BITS_TIMESTAMP = 64,
};

/* Reads payload bytes one after the other; runs dry instead of overrunning. */
struct cairn_etmv4_cursor {
    const uint8_t *bytes;
    size_t size;
    size_t at;
    bool dry;
    bool sbz;
};

static inline unsigned cairn_etmv4_next(struct cairn_etmv4_cursor *in)
{
    if (in->at == in->size) {
        in->dry = true;
        return 0;
    }
    return in->bytes[in->at++];
}

static inline uint64_t cairn_etmv4_little_endian(struct cairn_etmv4_cursor *in, unsigned count)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < count; i++)
        value |= (uint64_t)cairn_etmv4_next(in) << (8 * i);
    return value;
}

/* Bit replacement over `value` (DDI0608 D15.4.3): groups of seven bits, low first; the last byte
 * that the width allows has no continuation bit and holds all the rest, excess bits should be zero.
 */
static inline uint64_t cairn_etmv4_bit_replacement(struct cairn_etmv4_cursor *in, unsigned width,
                                                   uint64_t value)
{
    unsigned shift = 0;

    for (;;) {
        const unsigned byte = cairn_etmv4_next(in);
        const unsigned left = width - shift;
        const bool last = left <= CAIRN_ETMV4_GROUP + 1u;
        const unsigned take = last ? left : CAIRN_ETMV4_GROUP;
        const uint64_t mask = ((1ull << take) - 1) << shift;

        value = (value & ~mask) | (((uint64_t)byte << shift) & mask);
        if (last) {
            if (take < 8 && (byte >> take) != 0)
                in->sbz = true;
            return value;
        }
        if (!(byte & CAIRN_ETMV4_CONTINUE) || in->dry)
            return value;
        shift += CAIRN_ETMV4_GROUP;
    }
}

/* Unsigned LE128n (DDI0608 D15.4.2): what the packet does not carry is zero. */
static inline uint64_t cairn_etmv4_le128(struct cairn_etmv4_cursor *in, unsigned width)
{
    return cairn_etmv4_bit_replacement(in, width, 0);
}

#endif
