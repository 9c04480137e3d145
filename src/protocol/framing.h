/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes -> packets, for protocols whose packets follow one another from an A-sync on: what has nothing
 * to do with which packets there are. An A-sync is at least so many zero bytes, then 80.
 *
 * A-syncs are found first, by bytes, and no packet crosses one. Bytes pass through a window, so that
 * what a packet is does not depend on how they were cut into calls. Behind a reserved packet the
 * framing is not trusted up to the next A-sync: its bytes are listed as the packets they look like,
 * for that is what tells a person of a wrong protocol or a single damaged byte, but their account is
 * the gap. */
#ifndef CAIRN_PROTOCOL_FRAMING_H
#define CAIRN_PROTOCOL_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cairn/packet.h>

enum {
    CAIRN_FRAMING_WINDOW = 8192, /* longer than a packet and the zeros behind it */
    CAIRN_FRAMING_NO_CORE = CAIRN_FRAMING_WINDOW + 1,
};

enum cairn_framing_place {
    CAIRN_FRAMING_GAP,      /* before the first A-sync: bytes only count */
    CAIRN_FRAMING_PACKETS,  /* the next byte is a packet header */
    CAIRN_FRAMING_ZERO_RUN, /* in a run of zeros that stands where a header should */
};

/* What is a protocol's own. `parser` is the protocol's, which begins with a struct cairn_framing. */
struct cairn_framing_rules {
    unsigned sync_zeros;     /* of an A-sync, at least */
    const uint8_t *accounts; /* by packet kind */
    /* packet kinds */
    uint8_t async, not_sync, reserved, incomplete;
    uint8_t cut;             /* a packet that an A-sync cut short */
    uint8_t incomplete_sync; /* zeros at the end, where a header should be */

    size_t (*find_sync)(const uint8_t *data, size_t size, size_t from); /* cairn_find_sync */
    /* Takes packets as long as cairn_framing_goes_on. False: more bytes are needed. */
    bool (*packets)(void *parser, struct cairn_packet_batch *batch);
    /* An A-sync is there; `suspect`: a reserved packet was in front of it. NULL: nothing to do. */
    void (*synchronised)(void *parser, bool suspect);
    /* Bytes were no whole and legal packet. NULL: nothing to do. */
    void (*damaged)(void *parser);
    /* Between two packets in step, at offset `at` of the source, and without fields: takes packets
     * from data[0] on, as far as it gets, and returns their bytes. It leaves an A-sync, and what is
     * not whole, legal and certain, where it is. NULL: there is no such way. */
    size_t (*fast)(void *parser, uint64_t at, const uint8_t *data, size_t size,
                   struct cairn_packet_batch *batch);
};

/* A parser begins with one. */
struct cairn_framing {
    const struct cairn_framing_rules *rules;
    enum cairn_framing_place place;
    bool suspect; /* a reserved packet was seen since the last A-sync */
    bool ended;
    uint64_t run_offset; /* of the gap, or of the run of zeros */
    uint64_t run_length;
    uint64_t run_zeros; /* zeros at the end of the gap: they belong to an A-sync that follows */
    uint64_t base;      /* source offset of window[0] */
    size_t head;        /* next byte to parse */
    size_t tail;        /* end of the bytes */
    size_t core;        /* the first of the last zeros of the next A-sync, or NO_CORE */
    size_t scanned;     /* up to here A-syncs have been looked for */
    uint8_t window[CAIRN_FRAMING_WINDOW];
};

void cairn_framing_begin(struct cairn_framing *framing, const struct cairn_framing_rules *rules);
/* cairn_packets_run and cairn_packets_finish */
cairn_status cairn_framing_run(struct cairn_framing *framing, const uint8_t *data, size_t size,
                               size_t *position, struct cairn_packet_batch *batch);
cairn_status cairn_framing_finish(struct cairn_framing *framing, struct cairn_packet_batch *batch);

/* packets_amid of a protocol (protocol/protocol.h), whose parser begins with its framing. */
void cairn_framing_amid(void *parser, uint64_t offset);

/* What is in the window is not there, and the next byte is a packet header at offset `at`. */
void cairn_framing_move(struct cairn_framing *framing, uint64_t at);

/* --- for rules.packets --- */

/* The A-sync at `core`, which begins at `offset`. */
void cairn_framing_put_async(struct cairn_framing *framing, struct cairn_packet_batch *batch,
                             uint64_t offset);
/* `length` bytes from `head` on are no whole and legal packet, and are taken. */
void cairn_framing_put_damage(struct cairn_framing *framing, struct cairn_packet_batch *batch,
                              unsigned kind, size_t length);
/* The bytes end inside a packet. False: more are needed. */
bool cairn_framing_put_rest(struct cairn_framing *framing, struct cairn_packet_batch *batch);
/* A header 00 begins a run of zeros, which becomes an A-sync or a reserved packet. */
void cairn_framing_zero_run(struct cairn_framing *framing);

static inline bool cairn_batch_full(const struct cairn_packet_batch *batch)
{
    return batch->count >= batch->capacity;
}

/* Whether a batch has columns of addresses: it may have been made without a place for them. */
static inline bool cairn_batch_has_addresses(const struct cairn_packet_batch *batch)
{
    return batch->size >=
               offsetof(struct cairn_packet_batch, address_count) + sizeof batch->address_count &&
           (batch->address || batch->address_packet);
}

/* The addresses are those of the packets in the batch, which the caller may have emptied. */
static inline void cairn_batch_begin(struct cairn_packet_batch *batch)
{
    if (cairn_batch_has_addresses(batch) && batch->address_count > batch->count)
        batch->address_count = batch->count;
}

/* Appends a packet. Its fields are in their place already, or it has none. */
static inline void cairn_batch_put(struct cairn_packet_batch *batch, unsigned kind,
                                   unsigned account, uint64_t offset, uint64_t length,
                                   const struct cairn_packet_fields *fields)
{
    const size_t i = batch->count++;

    if (batch->offset)
        batch->offset[i] = offset;
    if (batch->length)
        batch->length[i] = length;
    if (batch->kind)
        batch->kind[i] = (uint16_t)kind;
    if (batch->account)
        batch->account[i] = (uint8_t)account;
    if (fields && (fields->flags & CAIRN_PACKET_HAS_ADDRESS) && cairn_batch_has_addresses(batch)) {
        const size_t k = batch->address_count++;

        if (batch->address)
            batch->address[k] = fields->address | fields->sub_isa;
        if (batch->address_packet)
            batch->address_packet[k] = (uint32_t)i;
    }
    if (batch->fields && !fields)
        memset(&batch->fields[i], 0, sizeof batch->fields[i]);
}

/* The same with the account of its kind, unless that is not to be trusted. */
static inline void cairn_framing_put(const struct cairn_framing *framing,
                                     struct cairn_packet_batch *batch, unsigned kind,
                                     uint64_t offset, uint64_t length,
                                     const struct cairn_packet_fields *fields)
{
    unsigned account = framing->rules->accounts[kind];

    if (framing->suspect && !CAIRN_ACCOUNT_IS_GAP(account))
        account = CAIRN_GAP_RESERVED;
    cairn_batch_put(batch, kind, account, offset, length, fields);
}

/* Where the bytes that a packet at `head` may have end. */
static inline size_t cairn_framing_limit(const struct cairn_framing *framing)
{
    return framing->core == CAIRN_FRAMING_NO_CORE ? framing->tail : framing->core;
}

/* Source offset of `head`. */
static inline uint64_t cairn_framing_at(const struct cairn_framing *framing)
{
    return framing->base + framing->head;
}

/* A packet may begin at `head`, and where the next A-sync is has been looked for. */
static inline bool cairn_framing_goes_on(const struct cairn_framing *framing,
                                         const struct cairn_packet_batch *batch)
{
    return framing->place == CAIRN_FRAMING_PACKETS && framing->head < framing->tail &&
           (framing->core != CAIRN_FRAMING_NO_CORE || framing->scanned == framing->tail) &&
           !cairn_batch_full(batch);
}

static inline bool cairn_all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* True when no A-sync can begin inside the `length` bytes at `head` once more bytes are known. */
static inline bool cairn_framing_settled(const struct cairn_framing *framing, size_t length,
                                         size_t sync_zeros)
{
    const size_t end = framing->head + length;

    if (framing->window[end - 1] != 0 || framing->core != CAIRN_FRAMING_NO_CORE || framing->ended)
        return true;
    return framing->tail - end >= sync_zeros ||
           !cairn_all_zero(framing->window + end, framing->tail - end);
}

#endif
