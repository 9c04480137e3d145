/* SPDX-License-Identifier: BSD-2-Clause */
/* How the branch packets of ETMv3 look in the bytes (IHI0014 7.3.5), and its P-headers (7.3.1), for
 * who takes them past the levels. PTM's branch packets are those with `narrow`, and what it has of
 * cycle counts is here too (IHI0035 4.5.3, 4.5.4). */
#ifndef CAIRN_PROTOCOL_BRANCHES_H
#define CAIRN_PROTOCOL_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

#include <cairn/ptm.h>

/* The longest one without information bytes, and bytes that are looked at of each and behind it. */
#define CAIRN_BRANCH_LONGEST 5u
#define CAIRN_BRANCH_MARGIN 8u
/* The same with a cycle count behind them. */
#define CAIRN_WAYPOINT_MARGIN 16u

/* What branch packets are compressed against. */
struct cairn_branch_place {
    uint32_t address;
    bool thumb; /* Thumb state; else ARM state */
};

/* Whether a byte begins one. */
static inline bool cairn_branch_begins(uint64_t bytes)
{
    return bytes & 1;
}

/* The fifth byte: its address bits and the state. False: it is not for here. */
static inline bool cairn_branch_read_last(unsigned byte, uint32_t payload,
                                          struct cairn_branch_place *place)
{
    if (byte & 0xc0) /* information bytes, or reserved */
        return false;
    if ((byte & 0x38) == 0x08)
        *place = (struct cairn_branch_place){(payload | (byte & 7) << 27) << 2, false};
    else if ((byte & 0x30) == 0x10)
        *place = (struct cairn_branch_place){(payload | (byte & 15) << 27) << 1, true};
    else
        return false;
    return true;
}

/* Seven bits of each of four bytes together; of the first one bit 0 is left out. */
static inline uint32_t cairn_branch_payload(uint64_t bytes)
{
    const uint64_t pairs = (bytes & 0x007f007f) | (bytes & 0x7f007f00) >> 1; /* two by two */

    return (uint32_t)((pairs & 0x3fff) | pairs >> 16 << 14) >> 1;
}

/* Reads the branch packet that the first of these bytes, the lowest, begins, and moves the place.
 * Returns its length. 0: it is not for here, because information bytes follow, it may be cut by an
 * A-sync, or it is of another state. `narrow`: the last byte of two to four has six bits of the
 * address and tells whether information follows (the alternative encoding), not seven. */
static inline __attribute__((always_inline)) unsigned
cairn_branch_read_payload(uint64_t bytes, uint32_t payload, bool narrow,
                          struct cairn_branch_place *place)
{
    /* address bits of a packet, by its length */
    static const uint32_t masks[2][CAIRN_BRANCH_LONGEST] = {{0, 0x3f, 0x1fff, 0xfffff, 0x7ffffff},
                                                            {0, 0x3f, 0xfff, 0x7ffff, 0x3ffffff}};
    const uint64_t ends = ~bytes & UINT64_C(0x8080808080); /* bytes that none follows */

    if (ends == 0)
        return 0;
    const unsigned length = (unsigned)__builtin_ctzll(ends) / 8 + 1;
    const unsigned last = (unsigned)(bytes >> (8 * (length - 1))) & 0xff;

    if (last == 0 && (bytes >> (8 * length) & 0xff) == 0)
        return 0; /* it may be the beginning of an A-sync */
    if (length == CAIRN_BRANCH_LONGEST)
        return cairn_branch_read_last(last, payload, place) ? length : 0;
    if (narrow && length > 1 && (last & 0x40))
        return 0;
    const unsigned shift = place->thumb ? 1 : 2;
    const uint32_t mask = masks[narrow][length];

    place->address = ((place->address >> shift & ~mask) | (payload & mask)) << shift;
    return length;
}

static inline __attribute__((always_inline)) unsigned
cairn_branch_read(uint64_t bytes, bool narrow, struct cairn_branch_place *place)
{
    return cairn_branch_read_payload(bytes, cairn_branch_payload(bytes), narrow, place);
}

/* Whether a count is one, and not that of a counter that overflowed (IHI0035 4.4). */
static inline bool cairn_count_is_known(uint32_t count)
{
    return count != CAIRN_PTM_OVERFLOW;
}

/* Reads the cycle count that begins with the first of these bytes, the lowest, which is that of an
 * Atom packet of PTM or the one behind the address of a branch packet. Returns its length. 0: it is
 * not for here. */
static inline unsigned cairn_count_read(uint64_t bytes, uint32_t *count)
{
    const uint64_t ends = ~bytes & UINT64_C(0x8080808000); /* of those behind the first */

    *count = bytes >> 2 & 15;
    if (!(bytes & 0x40))
        return 1;
    if (ends == 0)
        return 0;
    const unsigned length = (unsigned)__builtin_ctzll(ends) / 8 + 1;
    const uint32_t rest = (uint32_t)(bytes >> 8 & 0x7f) | (uint32_t)(bytes >> 16 & 0x7f) << 7 |
                          (uint32_t)(bytes >> 24 & 0x7f) << 14 |
                          (uint32_t)(bytes >> 32 & 0x7f) << 21;

    *count |= (rest & ((UINT32_C(1) << 7 * (length - 1)) - 1)) << 4;
    return length;
}

/* 8 * how many of the bytes, from the first on, are P-headers with atoms: 1NEEEE00 but for
 * 10000000, and 1000FS10. */
static inline __attribute__((always_inline)) unsigned cairn_p_header_bits(uint64_t bytes)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    const uint64_t format_2 = bytes << 6; /* in the top bit of each byte, as all that follows */
    const uint64_t more = bytes << 1 | bytes << 2 | bytes << 3; /* bits 4 to 6 */
    const uint64_t any = (bytes & each * 0x7c) + each * 0x7c;   /* bits 2 to 6 */
    const uint64_t others =
        (~bytes | bytes << 7 | (format_2 & more) | ~(format_2 | any)) & each * 0x80;

    return others ? (unsigned)__builtin_ctzll(others) & ~7u : 64;
}

#endif
