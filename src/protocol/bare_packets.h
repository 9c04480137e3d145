/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes -> packets without fields, straight from the caller's bytes: what ETMv3 and PTM share.
 *
 * Most of a trace is atoms with branch packets (protocol/branches.h) between them. One turn takes the
 * atoms in front, all at once, and what is behind them, so that which of the two comes next is never
 * guessed. A-syncs and the other packets are taken where nothing near them is odd; damage, and the
 * last bytes of a call, are left to the framing. */
#ifndef CAIRN_PROTOCOL_BARE_PACKETS_H
#define CAIRN_PROTOCOL_BARE_PACKETS_H

#include "base/bytes.h"
#include "protocol/branches.h"
#include "protocol/framing.h"

enum {
    CAIRN_BARE_ROOM = 10,   /* packets of one turn, and those that are written too many */
    CAIRN_BARE_MARGIN = 48, /* bytes that one turn may look at */
    CAIRN_BARE_FRONT = 8,   /* atoms at once */
    CAIRN_BARE_ZEROS = 5,   /* of an A-sync, at least (IHI0014 7.3.3, IHI0035 4.5.1) */
    CAIRN_BARE_SYNC_END = 0x80,
};

/* Constants among the arguments make a loop of its own of each. */
#define CAIRN_BARE_INLINE static inline __attribute__((always_inline))

/* Of the call under way. A loop works on a copy of its own, which stays in registers. */
struct cairn_bare {
    struct cairn_packet_batch *batch;
    uint16_t *kind; /* columns of the batch, as the next two */
    uint64_t *address;
    uint32_t *address_packet;
    size_t capacity;
    const uint8_t *accounts; /* by kind */
    struct cairn_branch_place place;
    const uint8_t *data;
    uint64_t origin; /* source offset of data[0] */
    size_t at;
    size_t size;
    size_t count; /* of packets in the batch */
    size_t address_count;
    bool addresses; /* are wanted */
};

static inline struct cairn_bare cairn_bare_begin(const struct cairn_framing *framing,
                                                 struct cairn_packet_batch *batch, uint64_t origin,
                                                 const uint8_t *data, size_t size)
{
    const bool addresses = cairn_batch_has_addresses(batch);

    return (struct cairn_bare){
        .batch = batch,
        .kind = batch->kind,
        .address = addresses ? batch->address : NULL,
        .address_packet = addresses ? batch->address_packet : NULL,
        .capacity = batch->capacity,
        .accounts = framing->rules->accounts,
        .data = data,
        .origin = origin,
        .size = size,
        .count = batch->count,
        .address_count = addresses ? batch->address_count : 0,
        .addresses = addresses,
    };
}

static inline void cairn_bare_end(const struct cairn_bare *b)
{
    b->batch->count = b->count;
    if (b->addresses)
        b->batch->address_count = b->address_count;
}

static inline bool cairn_bare_goes_on(const struct cairn_bare *b)
{
    return b->at + CAIRN_BARE_MARGIN <= b->size && b->count + CAIRN_BARE_ROOM <= b->capacity;
}

/* Whether a batch has the columns that few ask for. */
static inline bool cairn_bare_is_wide(const struct cairn_packet_batch *batch)
{
    return batch->offset || batch->length || batch->account;
}

static inline void cairn_bare_put_place(const struct cairn_bare *b, size_t packet, size_t at,
                                        size_t length, unsigned kind)
{
    const struct cairn_packet_batch *batch = b->batch;

    if (batch->offset)
        batch->offset[packet] = b->origin + at;
    if (batch->length)
        batch->length[packet] = length;
    if (batch->account)
        batch->account[packet] = b->accounts[kind];
}

CAIRN_BARE_INLINE void cairn_bare_put(struct cairn_bare *b, size_t length, unsigned kind,
                                      const bool wide)
{
    if (b->kind)
        b->kind[b->count] = (uint16_t)kind;
    if (wide)
        cairn_bare_put_place(b, b->count, b->at, length, kind);
    b->count++;
    b->at += length;
}

/* The next packet has this address. */
static inline void cairn_bare_put_address(struct cairn_bare *b, uint64_t address)
{
    if (b->address)
        b->address[b->address_count] = address;
    if (b->address_packet)
        b->address_packet[b->address_count] = (uint32_t)b->count;
    b->address_count++; /* means nothing where none are wanted */
}

/* A packet that ends so may be cut by an A-sync, whose zeros began in it. */
static inline bool cairn_bare_may_be_cut(const uint8_t *packet, size_t length)
{
    return packet[length - 1] == 0 && packet[length] == 0;
}

/* A branch packet without information bytes, and with `counts` the cycle count behind it. */
CAIRN_BARE_INLINE bool cairn_bare_branch(struct cairn_bare *b, unsigned kind, const bool narrow,
                                         const bool counts, const bool wide)
{
    const uint8_t *packet = b->data + b->at;
    struct cairn_branch_place place = b->place;
    unsigned length = cairn_branch_read(cairn_load_le64(packet), narrow, &place);

    if (length == 0)
        return false;
    if (counts) {
        uint32_t count;
        const unsigned more = cairn_count_read(cairn_load_le64(packet + length), &count);

        length += more;
        if (more == 0 || cairn_bare_may_be_cut(packet, length))
            return false;
    }
    b->place = place;
    cairn_bare_put_address(b, (uint64_t)place.address | place.thumb);
    cairn_bare_put(b, length, kind, wide);
    return true;
}

static inline bool cairn_bare_async(struct cairn_bare *b, unsigned kind, const bool wide)
{
    const uint8_t *packet = b->data + b->at;
    const size_t most = b->size - b->at;
    size_t zeros = 0;

    while (zeros < most && packet[zeros] == 0)
        zeros++;
    if (zeros == most || zeros < CAIRN_BARE_ZEROS || packet[zeros] != CAIRN_BARE_SYNC_END)
        return false;
    cairn_bare_put(b, zeros + 1, kind, wide);
    return true;
}

/* In these bytes and those behind them are so many zeros in a row that they may be an A-sync's. */
static inline bool cairn_bare_has_zeros(const uint8_t *bytes, size_t length)
{
    size_t zeros = 0;

    for (size_t i = 0; i < length + CAIRN_BARE_ZEROS - 1; i++) {
        zeros = bytes[i] == 0 ? zeros + 1 : 0;
        if (zeros == CAIRN_BARE_ZEROS)
            return true;
    }
    return false;
}

#endif
