/* SPDX-License-Identifier: BSD-2-Clause */
#include "packets.h"

enum {
    PIECE_BITS = 7,
    PIECE = 0x7f,
    CONTINUED = 0x80,
    CANCELLING = 0x40, /* E, of the fifth byte of an ARM address */
};

/* Steps 1 to 3 of 6.7.1. The one in front is bit 32: figures 6-1, 6-2 and Table 6-9 want it there. */
static uint64_t branch_bits(struct sw_place place)
{
    const uint64_t prefixed = UINT64_C(1) << 32 | place.address;

    return (prefixed >> (place.is_thumb ? 1 : 2)) << 1 | 1;
}

/* How many pieces of seven bits cover what differs; at least one. */
static unsigned pieces(uint64_t was, uint64_t is)
{
    unsigned count = 1;

    while ((was >> (PIECE_BITS * count)) != (is >> (PIECE_BITS * count)))
        count++;
    return count;
}

static void put_pieces(uint8_t *out, uint64_t bits, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        out[i] = (uint8_t)(((bits >> (PIECE_BITS * i)) & PIECE) | (i + 1 < count ? CONTINUED : 0));
}

unsigned sw_put_branch(uint8_t *out, struct sw_place *last, struct sw_place to, bool is_cancelling)
{
    const uint64_t bits = branch_bits(to);
    unsigned count = SW_BRANCH_MAX;

    if (!is_cancelling && last->is_thumb == to.is_thumb)
        count = pieces(branch_bits(*last), bits);
    put_pieces(out, bits, count);
    if (is_cancelling)
        out[SW_BRANCH_MAX - 1] |= CANCELLING;
    *last = to;
    return count;
}

unsigned sw_put_data_address(uint8_t *out, uint32_t *last, uint32_t address, bool is_full)
{
    const unsigned count = is_full ? 5 : pieces(*last, address);

    put_pieces(out, address, count);
    *last = address;
    return count;
}

unsigned sw_value_code(uint32_t value)
{
    if (value == 0)
        return 0;
    if (value < 256)
        return 1;
    return value < 65536 ? 2 : 3;
}

static unsigned put_little(uint8_t *out, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
    return bytes;
}

unsigned sw_put_value(uint8_t *out, uint32_t value)
{
    static const unsigned sizes[] = {0, 1, 2, 4};

    return put_little(out, value, sizes[sw_value_code(value)]);
}

unsigned sw_put_context(uint8_t *out, uint32_t context, unsigned bytes)
{
    return put_little(out, context, bytes);
}

uint8_t sw_normal_header(bool has_address, unsigned value_code)
{
    return (uint8_t)(0x02 | (unsigned)has_address << 5 | value_code << 2);
}

uint8_t sw_miss_header(bool has_address, unsigned tag)
{
    return (uint8_t)(0x50 | (unsigned)has_address << 5 | tag << 2);
}

uint8_t sw_miss_data_header(unsigned tag, unsigned value_code)
{
    return (uint8_t)(tag << 5 | value_code << 2);
}

static uint32_t full_address(struct sw_place place)
{
    return place.address | (place.is_thumb ? 1 : 0);
}

unsigned sw_put_tfo(uint8_t *out, struct sw_place *last, enum sw_reason reason, uint32_t context,
                    unsigned context_bytes, struct sw_place at, const struct sw_place *lsm)
{
    unsigned size = 0;

    out[size++] = (uint8_t)((lsm ? 0x80 : 0) | (unsigned)reason << 5);
    size += sw_put_context(out + size, context, context_bytes);
    size += put_little(out + size, full_address(lsm ? *lsm : at), 4);
    *last = lsm ? *lsm : at;
    if (lsm)
        size += sw_put_branch(out + size, last, at, false);
    return size;
}
