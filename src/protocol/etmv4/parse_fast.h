/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes -> packets without fields: kinds, places and addresses, straight from the caller's bytes.
 *
 * parse.c hands over between two packets, in step with the trace, and gets the trace back in the
 * same state at the first packet that is not plain: damage, the last bytes of a call, Discard and
 * Overflow. Packets are found by their headers: each but the rare ones has a length that the header
 * and the continuation bit behind it tell. */
#ifndef CAIRN_ETMV4_PARSE_FAST_H
#define CAIRN_ETMV4_PARSE_FAST_H

#include "base/bytes.h"
#include "base/cpu.h"
#include "protocol/etmv4/cursor.h"
#include "protocol/etmv4/payload.h"
#include "protocol/framing.h"

/* Bytes of trace that one step may read from where it stands. */
#define CAIRN_FAST_MARGIN 16u
/* A block, the bytes that it may read, and the packets that it may write. */
#define CAIRN_FAST_BLOCK 64u
#define CAIRN_FAST_BLOCK_MARGIN (2 * CAIRN_FAST_BLOCK + CAIRN_FAST_MARGIN)
#define CAIRN_FAST_BLOCK_ROOM (CAIRN_FAST_BLOCK + 16u)

/* The continuation bit in an index of cairn_hot_table.length. */
#define CAIRN_FAST_CONTINUE (CAIRN_ETMV4_CONTINUE << 8)

#define CAIRN_FAST_HISTORY 3u

/* How an Address packet changes the newest address, as in protocol/etmv4/hot.h, but without a choice: of
 * each of the last addresses some bits are kept, or none. */
struct cairn_fast_address {
    uint64_t keep[CAIRN_FAST_HISTORY];
    uint64_t mask;
    uint8_t shift;
    uint8_t sub_isa;
};

struct cairn_etmv4_fast {
    const struct cairn_etmv4_config *decoded;
    /* With lengths as well for other packets that their header tells all of, and for Atoms. */
    struct cairn_hot_table table;
    struct cairn_fast_address address_of[512]; /* indexed as table.address */
    uint8_t kinds[256];
    uint8_t account[256]; /* by header */
    uint8_t is_address[256];
    bool portable;

    /* Of the call under way. */
    const uint8_t *bytes;
    size_t at;       /* next byte */
    size_t size;     /* of the bytes */
    uint64_t origin; /* source offset of bytes[0] */
    size_t count;    /* of the batch */
    size_t capacity;
    size_t address_count;
    bool wide; /* one of the next three is there */
    uint64_t *offset;
    uint64_t *length;
    uint8_t *account_of;
    uint16_t *kind;
    uint64_t *address;
    uint32_t *address_packet;
    uint64_t history[CAIRN_FAST_HISTORY]; /* newest first; bit 0 is the sub_isa */
};

/* NULL: no memory. Free with free(). */
struct cairn_etmv4_fast *cairn_etmv4_fast_new(const struct cairn_config *config, bool portable);

/* Takes packets from data[*position] on, at `offset` of the source, as far as it gets. */
void cairn_etmv4_fast_run(struct cairn_etmv4_fast *fast, struct cairn_etmv4_state *state,
                          uint64_t offset, const uint8_t *data, size_t size, size_t *position,
                          struct cairn_packet_batch *batch);

#if CAIRN_AVX2
/* parse_avx2.c: blocks of bytes as long as there are such, and room. */
CAIRN_TARGET_AVX2 void cairn_etmv4_fast_blocks(struct cairn_etmv4_fast *fast);
#endif

/* A packet's last byte and the one behind it are zeros: an A-sync may begin in the packet. */
static inline bool cairn_etmv4_fast_is_odd(const uint8_t *last)
{
    return cairn_load_le16(last) == 0;
}

#endif
