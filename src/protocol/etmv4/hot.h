/* SPDX-License-Identifier: BSD-2-Clause */
/* How addresses and Atoms look in the bytes of ETMv4 and its kin, and what packets are compressed
 * against between two of them. */
#ifndef CAIRN_ETMV4_HOT_H
#define CAIRN_ETMV4_HOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/element.h>
#include <cairn/packet.h>

/* Bytes of trace that taking a packet may read behind it. */
#define CAIRN_HOT_MARGIN 16u

#define CAIRN_HOT_LENGTH_MASK 0x80ffu

/* How an Address packet changes the newest address. With y the eight bytes behind the header,
 * little endian, the address is (history[-entry] & keep) | bits(y) << shift | sub_isa where bits(y)
 * are those of y that `mask` has, put together: low seven bits of the first byte, low seven or
 * eight of the second, all of the others. */
struct cairn_hot_address {
    uint64_t keep;
    uint64_t mask;
    uint8_t length; /* of the packet; 0: not such a packet */
    uint8_t entry;  /* 0 is the newest */
    uint8_t shift;
    uint8_t sub_isa;
};

/* The bits of a payload under an address's mask, put together. */
static inline uint64_t cairn_hot_gather(uint64_t payload, uint64_t mask)
{
    const unsigned low = (mask & 0x8000) ? 15 : 14; /* bits of the first two bytes */

    payload &= mask;
    return (payload & 0x7f) | (payload >> 8 & 0xff) << 7 | (payload >> 16) << low;
}

/* Indexed by header | continuation bit of the byte behind it << 8. Atom packets are the bytes whose
 * two top bits are set, all of them: `atoms` of them, oldest in bit 0 of `bits`, 1 = E. */
struct cairn_hot_table {
    struct cairn_hot_address address[512];
    /* Its length once more, where the loop waits for it: indexed by the header and the byte behind
     * it as a little endian halfword & CAIRN_HOT_LENGTH_MASK. */
    uint8_t length[CAIRN_HOT_LENGTH_MASK + 1];
    uint8_t atoms[256];
    uint32_t bits[256];
};

/* How a Cycle Count packet looks. */
enum cairn_hot_cycles_form {
    CAIRN_HOT_CYCLES_NONE,    /* no Cycle Count, or none for the reader of words */
    CAIRN_HOT_CYCLES_HEADER,  /* the header alone: threshold + its low two bits */
    CAIRN_HOT_CYCLES_NIBBLE,  /* threshold + low four bits of the byte behind it */
    CAIRN_HOT_CYCLES_NUMBER,  /* threshold + LE128 number of at most 20 bits behind it */
    CAIRN_HOT_CYCLES_UNKNOWN, /* the header alone, without a count */
};
struct cairn_hot_cycles {
    uint8_t form[256]; /* by header */
    uint8_t account;
};

/* What packets are compressed against, between two packets. Bit 0 of an address in `history` is
 * its sub_isa. */
struct cairn_hot_state {
    uint64_t history[3];
    uint64_t timestamp;
    struct cairn_context context;
    uint32_t threshold; /* of cycle counts */
    bool marked;        /* a Timestamp Marker's Timestamp is still to come */
};

/* What became of the bytes at hand. */
enum cairn_hot_take {
    CAIRN_HOT_TAKEN,  /* one packet: its elements, resolved, were appended */
    CAIRN_HOT_MORE,   /* more bytes are needed to know */
    CAIRN_HOT_LEVELS, /* not to be decoded by itself: it may change the Atom before it, or damage is
                         near */
};

#endif
