/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes -> packets (IHI0014 chapter 7). A-syncs are found first, by bytes; no packet crosses one.
 * What a packet is does not depend on how the bytes were cut into calls.
 *
 * Behind a reserved packet the framing cannot be trusted up to the next A-sync. Its bytes are
 * listed as the packets they look like, since that is what tells a person of a wrong version or a
 * single damaged byte; but their account is the gap. Nothing that was known before is certain
 * behind it. */
#include <stdlib.h>
#include <string.h>

#include "protocol/etmv3/payload.h"

/* The window that bytes pass through; behind `head` enough old ones to recognise an A-sync that
 * began in a gap. A packet and the zeros that may belong to an A-sync are far shorter. */
enum {
    WINDOW = 4096,
    KEEP = 8,
    NO_CORE = WINDOW + 1,
    BETWEEN = 64, /* bytes of packets between two P-headers, and a P-header, at most */
};

enum state {
    PACKETS,  /* the next byte is a packet header */
    GAP,      /* before the first A-sync: bytes only count */
    ZERO_RUN, /* in a run of zeros behind a header 00 that may yet become an A-sync */
};

struct cairn_etmv3_parser {
    struct cairn_config *config;
    const struct cairn_etmv3_config *decoded;
    struct cairn_etmv3_state compression;
    enum state state;
    bool suspect;        /* a reserved packet was seen since the last A-sync */
    bool damaged;        /* bytes were lost since then */
    uint64_t gap_offset; /* of the gap, or of the run of zeros */
    uint64_t gap_length;
    uint64_t gap_zeros; /* trailing zeros of the gap: they belong to an A-sync that follows */
    uint64_t base;      /* source offset of window[0] */
    size_t head;        /* next byte to parse */
    size_t tail;        /* end of the bytes */
    size_t core;        /* first of the last five zeros of the next A-sync, or NO_CORE */
    size_t scanned;     /* up to here A-syncs have been looked for */
    bool ended;
    uint8_t kinds[256];
    uint8_t window[WINDOW];
};

cairn_status cairn_etmv3_parser_new(struct cairn_config *config, struct cairn_etmv3_parser **parser)
{
    struct cairn_etmv3_parser *p = calloc(1, sizeof *p);

    if (!p)
        return CAIRN_E_MEMORY;
    p->config = cairn_config_ref(config);
    p->decoded = cairn_etmv3_of(config);
    p->state = GAP;
    p->core = NO_CORE;
    cairn_etmv3_headers(p->decoded, p->kinds);
    *parser = p;
    return CAIRN_OK;
}

void cairn_etmv3_parser_free(struct cairn_etmv3_parser *parser)
{
    if (!parser)
        return;
    cairn_config_unref(parser->config);
    free(parser);
}

static bool batch_full(const struct cairn_packet_batch *batch)
{
    return batch->count >= batch->capacity;
}

static bool has_addresses(const struct cairn_packet_batch *batch)
{
    return batch->size >=
           offsetof(struct cairn_packet_batch, address_count) + sizeof batch->address_count;
}

/* Appends a packet. */
static void put(const struct cairn_etmv3_parser *p, struct cairn_packet_batch *batch, unsigned kind,
                uint64_t offset, uint64_t length, const struct cairn_packet_fields *fields)
{
    static const struct cairn_packet_fields none = {0};
    const size_t i = batch->count++;
    enum cairn_account account = cairn_etmv3_account(kind);

    if (p->suspect && !CAIRN_ACCOUNT_IS_GAP(account))
        account = CAIRN_GAP_RESERVED;
    if (batch->offset)
        batch->offset[i] = offset;
    if (batch->length)
        batch->length[i] = length;
    if (batch->kind)
        batch->kind[i] = (uint16_t)kind;
    if (batch->account)
        batch->account[i] = (uint8_t)account;
    if (batch->fields)
        batch->fields[i] = fields ? *fields : none;
    if (!fields || !(fields->flags & CAIRN_PACKET_HAS_ADDRESS) || !has_addresses(batch))
        return;
    if (batch->address)
        batch->address[batch->address_count] = fields->address | fields->sub_isa;
    if (batch->address_packet)
        batch->address_packet[batch->address_count] = (uint32_t)i;
    batch->address_count++;
}

/* Looks for the next A-sync in what has arrived since the last look. */
static void find_core(struct cairn_etmv3_parser *p)
{
    size_t from;

    if (p->core != NO_CORE || p->scanned >= p->tail)
        return;
    from = p->scanned > CAIRN_ETMV3_SYNC_ZEROS ? p->scanned - CAIRN_ETMV3_SYNC_ZEROS : 0;
    p->core = cairn_etmv3_find_sync(p->window, p->tail, from);
    if (p->core >= p->tail)
        p->core = NO_CORE;
    p->scanned = p->core == NO_CORE ? p->tail : p->core + CAIRN_ETMV3_SYNC_ZEROS + 1;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Moves the bytes up to `end` into the gap. */
static void take_into_gap(struct cairn_etmv3_parser *p, size_t end)
{
    const size_t size = end - p->head;
    size_t zeros = 0;

    while (zeros < size && p->window[end - 1 - zeros] == 0)
        zeros++;
    p->gap_zeros = zeros == size ? p->gap_zeros + size : zeros;
    p->gap_length += size;
    p->head = end;
}

/* The A-sync that begins at `offset`. False: the batch is full. */
static bool emit_sync(struct cairn_etmv3_parser *p, struct cairn_packet_batch *batch,
                      uint64_t offset)
{
    const size_t end = p->core + CAIRN_ETMV3_SYNC_ZEROS + 1;

    if (batch_full(batch))
        return false;
    p->suspect = false;
    if (p->damaged)
        memset(&p->compression, 0, sizeof p->compression);
    p->damaged = false;
    p->compression.zero_stored = false;
    put(p, batch, CAIRN_ETMV3_A_SYNC, offset, p->base + end - offset, NULL);
    p->head = end;
    p->core = NO_CORE;
    p->state = PACKETS;
    return true;
}

/* One step in the gap at the start. False: more bytes are needed, or room in the batch. */
static bool step_gap(struct cairn_etmv3_parser *p, struct cairn_packet_batch *batch)
{
    const size_t end = p->core == NO_CORE ? p->tail : p->core;

    if (end > p->head)
        take_into_gap(p, end);
    if (p->core == NO_CORE || batch_full(batch))
        return false;
    if (p->gap_length > p->gap_zeros) {
        put(p, batch, CAIRN_ETMV3_NOT_SYNC, p->gap_offset, p->gap_length - p->gap_zeros, NULL);
        p->gap_offset += p->gap_length - p->gap_zeros;
        p->gap_length = p->gap_zeros;
        return true;
    }
    return emit_sync(p, batch, p->gap_offset);
}

static void put_damage(struct cairn_etmv3_parser *p, struct cairn_packet_batch *batch,
                       unsigned kind, uint64_t offset, uint64_t length)
{
    p->damaged = true;
    p->compression.zero_stored = false;
    p->suspect |= kind == CAIRN_ETMV3_RESERVED;
    put(p, batch, kind, offset, length, NULL);
}

/* One step in a run of zeros behind a header 00: it ends in an A-sync, or, with the byte that broke
 * it, it is a reserved packet. */
static bool step_zero_run(struct cairn_etmv3_parser *p, struct cairn_packet_batch *batch)
{
    const size_t limit = p->core == NO_CORE ? p->tail : p->core;
    size_t end = p->head;

    while (end < limit && p->window[end] == 0)
        end++;
    p->gap_length += end - p->head;
    p->head = end;
    if (end < limit) {
        put_damage(p, batch, CAIRN_ETMV3_RESERVED, p->gap_offset, p->gap_length + 1);
        p->head++;
        p->state = PACKETS;
        return true;
    }
    return p->core != NO_CORE && emit_sync(p, batch, p->gap_offset);
}

/* True when no A-sync can begin inside the `length` bytes at `head` once more bytes are known. */
static bool settled(const struct cairn_etmv3_parser *p, size_t length)
{
    const size_t end = p->head + length;

    if (p->core != NO_CORE || p->ended)
        return true;
    if (p->window[end - 1] != 0 || p->tail - end >= CAIRN_ETMV3_SYNC_ZEROS)
        return true;
    return !all_zero(p->window + end, p->tail - end);
}

/* One packet. False: more bytes are needed. */
static bool step_packet(struct cairn_etmv3_parser *p, struct cairn_packet_batch *batch)
{
    const size_t limit = p->core == NO_CORE ? p->tail : p->core;
    struct cairn_etmv3_cursor in = {.bytes = p->window + p->head, .size = limit - p->head};
    struct cairn_packet_fields fields;
    struct cairn_etmv3_state moved = p->compression;
    enum cairn_etmv3_take take = CAIRN_ETMV3_MALFORMED;

    if (p->head == p->core)
        return emit_sync(p, batch, p->base + p->head);
    const unsigned kind = p->kinds[in.bytes[0]];
    if (kind == CAIRN_ETMV3_A_SYNC) {
        p->state = ZERO_RUN;
        p->gap_offset = p->base + p->head;
        p->gap_length = 0;
        return true;
    }
    if (kind == CAIRN_ETMV3_RESERVED)
        in.at = 1;
    else
        take = cairn_etmv3_payload(p->decoded, kind, &moved, &in, &fields);
    if (take == CAIRN_ETMV3_MORE) {
        if (p->core == NO_CORE && !p->ended)
            return false;
        put_damage(p, batch, p->core == NO_CORE ? CAIRN_ETMV3_INCOMPLETE : CAIRN_ETMV3_CUT,
                   p->base + p->head, in.size);
        p->head = limit;
        return true;
    }
    if (!settled(p, in.at))
        return false;
    if (take == CAIRN_ETMV3_WHOLE) {
        p->compression = moved;
        put(p, batch, kind, p->base + p->head, in.at, &fields);
    } else {
        put_damage(p, batch, CAIRN_ETMV3_RESERVED, p->base + p->head, in.at);
    }
    p->head += in.at;
    return true;
}

/* Parses until the bytes or the batch are used up. */
static void parse(struct cairn_etmv3_parser *p, struct cairn_packet_batch *batch)
{
    bool more = true;

    while (more && !batch_full(batch)) {
        find_core(p);
        switch (p->state) {
        case PACKETS: more = p->head < p->tail && step_packet(p, batch); break;
        case GAP: more = step_gap(p, batch); break;
        case ZERO_RUN: more = step_zero_run(p, batch); break;
        }
    }
}

/* Makes room at the end of the window. */
static void slide(struct cairn_etmv3_parser *p)
{
    const size_t drop = p->head > KEEP ? p->head - KEEP : 0;

    if (drop == 0)
        return;
    memmove(p->window, p->window + drop, p->tail - drop);
    p->base += drop;
    p->head -= drop;
    p->tail -= drop;
    p->scanned -= drop;
    if (p->core != NO_CORE)
        p->core -= drop;
}

/* The addresses are those of the packets in the batch, which the caller may have emptied. */
static void begin_batch(struct cairn_packet_batch *batch)
{
    if (has_addresses(batch) && batch->address_count > batch->count)
        batch->address_count = batch->count;
}

cairn_status cairn_etmv3_parser_run(struct cairn_etmv3_parser *p, const uint8_t *data, size_t size,
                                    size_t *position, struct cairn_packet_batch *batch)
{
    if (*position > size || p->ended)
        return CAIRN_E_ARGUMENT;
    begin_batch(batch);
    for (;;) {
        parse(p, batch);
        if (batch_full(batch) || *position == size)
            return CAIRN_OK;
        slide(p);
        const size_t room = WINDOW - p->tail;
        const size_t take = size - *position < room ? size - *position : room;

        memcpy(p->window + p->tail, data + *position, take);
        p->tail += take;
        *position += take;
    }
}

/* Zeros up to the end where a header should be are the start of an A-sync, or memory that the trace
 * did not fill: no packet is lost. If framing is, few of them may be the rest of a packet. */
static unsigned kind_of_zeros(struct cairn_etmv3_parser *p)
{
    if (p->suspect && p->gap_length < CAIRN_ETMV3_SYNC_ZEROS)
        return CAIRN_ETMV3_INCOMPLETE;
    p->suspect = false;
    return CAIRN_ETMV3_INCOMPLETE_SYNC;
}

cairn_status cairn_etmv3_parser_finish(struct cairn_etmv3_parser *p,
                                       struct cairn_packet_batch *batch)
{
    p->ended = true;
    begin_batch(batch);
    parse(p, batch);
    if (batch_full(batch) || p->state == PACKETS || p->gap_length == 0)
        return CAIRN_OK;
    put(p, batch, p->state == ZERO_RUN ? kind_of_zeros(p) : CAIRN_ETMV3_NOT_SYNC, p->gap_offset,
        p->gap_length, NULL);
    p->gap_offset += p->gap_length;
    p->gap_length = 0;
    p->gap_zeros = 0;
    return CAIRN_OK;
}

const struct cairn_etmv3_state *cairn_etmv3_parser_stands(const struct cairn_etmv3_parser *p,
                                                          size_t *unused)
{
    *unused = p->tail - p->head;
    return p->state == PACKETS && !p->suspect && !p->damaged && !p->ended ? &p->compression : NULL;
}

struct cairn_etmv3_state *cairn_etmv3_parser_state(struct cairn_etmv3_parser *p, uint64_t *offset)
{
    *offset = p->base + p->head;
    return &p->compression;
}

const uint8_t *cairn_etmv3_parser_kinds(const struct cairn_etmv3_parser *p)
{
    return p->kinds;
}

void cairn_etmv3_parser_skip(struct cairn_etmv3_parser *p, size_t bytes)
{
    p->base += p->head + bytes;
    p->head = 0;
    p->tail = 0;
    p->scanned = 0;
    p->core = NO_CORE;
}

/* Whether a packet says nothing of the atoms before it: none is cancelled by it, and it is no sign
 * that what cancelled one was lost. */
static bool is_between(unsigned kind, const struct cairn_packet_fields *fields)
{
    switch ((enum cairn_etmv3_kind)kind) {
    case CAIRN_ETMV3_I_SYNC:
        return fields->reason == CAIRN_ETMV3_PERIODIC && !(fields->flags & CAIRN_PACKET_LSIP);
    case CAIRN_ETMV3_CONTEXT_ID:
    case CAIRN_ETMV3_VMID:
    case CAIRN_ETMV3_TIMESTAMP:
    case CAIRN_ETMV3_TRIGGER:
    case CAIRN_ETMV3_IGNORE: return true;
    default: return false;
    }
}

/* The packet at bytes[at], which an A-sync at `core` follows, unless that is behind `end`. Returns
 * its length; 0: it is not one for between. */
static size_t take_between(const struct cairn_etmv3_parser *p, struct cairn_etmv3_state *moved,
                           const uint8_t *bytes, size_t end, size_t core,
                           struct cairn_packet_fields *fields)
{
    const unsigned kind = p->kinds[*bytes];
    struct cairn_etmv3_cursor in = {.bytes = bytes, .size = core < end ? core : end};

    if (kind == CAIRN_ETMV3_A_SYNC || kind == CAIRN_ETMV3_RESERVED ||
        cairn_etmv3_payload(p->decoded, kind, moved, &in, fields) != CAIRN_ETMV3_WHOLE ||
        !is_between(kind, fields))
        return 0;
    return in.at;
}

size_t cairn_etmv3_parser_between(struct cairn_etmv3_parser *p, size_t skipped,
                                  const struct cairn_branch_place *place, const uint8_t *bytes,
                                  size_t size, struct cairn_packet_batch *batch)
{
    const uint64_t offset = p->base + p->head + skipped;
    const size_t end = size < BETWEEN ? size : BETWEEN;
    size_t core = cairn_etmv3_find_sync(bytes, end, 0);
    struct cairn_etmv3_state moved = p->compression;
    size_t at = 0;

    moved.address = place->address;
    moved.state = place->thumb ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    moved.zero_stored = false;
    begin_batch(batch);
    /* A P-header is no zero: no A-sync that begins before it ends behind it. */
    while (at < end && !batch_full(batch)) {
        struct cairn_packet_fields fields;
        size_t length;

        if (cairn_etmv3_count_atoms(p->decoded, bytes[at]) > 0) {
            p->compression = moved;
            cairn_etmv3_parser_skip(p, skipped + at);
            return at;
        }
        if (at == core) {
            length = CAIRN_ETMV3_SYNC_ZEROS + 1;
            put(p, batch, CAIRN_ETMV3_A_SYNC, offset + at, length, NULL);
            core = cairn_etmv3_find_sync(bytes, end, at + length);
        } else {
            length = take_between(p, &moved, bytes + at, end - at, core - at, &fields);
            if (length == 0)
                break;
            put(p, batch, p->kinds[bytes[at]], offset + at, length, &fields);
        }
        at += length;
    }
    batch->count = 0;
    return 0;
}
