/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes -> packets (IHI0035 4.5). Alignment synchronisations are found first, by bytes; no packet
 * crosses one. What a packet is does not depend on how the bytes were cut into calls.
 *
 * Behind a reserved packet the framing cannot be trusted up to the next A-sync. Its bytes are
 * listed as the packets they look like; their account is the gap. What packets are compressed
 * against is forgotten there, as a packet may be missing, and again at the A-sync, as those bytes
 * may have looked like an I-sync: addresses are known again from the next I-sync behind it. */
#include "protocol/ptm/ptm.h"

#include <stdlib.h>
#include <string.h>

/* The window that bytes pass through: room for reading ahead, and behind `head` as many old bytes
 * as an A-sync can have begun with in a gap. */
enum {
    WINDOW = 4096,
    KEEP = 16,
    NO_CORE = WINDOW + 1,
    BETWEEN = 64, /* bytes of packets between two that go past the levels, at most */
};

#define ATOM 0x80u /* of a header whose bit 0 is 0 */

/* Where the parser stands. */
enum place {
    PACKETS,  /* the next byte is a packet header */
    GAP,      /* before the first A-sync: bytes only count */
    ZERO_RUN, /* in a run of zeros that began as a header 00 and may become an A-sync */
};

struct parser {
    struct cairn_config *config;
    const struct cairn_ptm_config *decoded;
    struct cairn_ptm_state state;
    enum place place;
    bool suspect; /* a reserved packet was seen since the last A-sync */
    bool ended;
    uint64_t run_offset; /* of the gap, or of the run of zeros */
    uint64_t run_length;
    uint64_t run_zeros; /* zeros at the end of the gap: they belong to an A-sync that follows */
    uint64_t base;      /* source offset of window[0] */
    size_t head;        /* next byte to parse */
    size_t tail;        /* end of the bytes */
    size_t core;        /* first of the last five zeros of the next A-sync, or NO_CORE */
    size_t scanned;     /* up to here A-syncs have been looked for */
    uint8_t kinds[256];
    uint8_t window[WINDOW];
};

cairn_status cairn_ptm_parser_new(struct cairn_config *config, void **parser)
{
    struct parser *p = calloc(1, sizeof *p);

    if (!p)
        return CAIRN_E_MEMORY;
    p->config = cairn_config_ref(config);
    p->decoded = cairn_ptm_of(config);
    p->place = GAP;
    p->core = NO_CORE;
    cairn_ptm_headers(p->decoded, p->kinds);
    *parser = p;
    return CAIRN_OK;
}

void cairn_ptm_parser_free(void *parser)
{
    struct parser *p = parser;

    if (!p)
        return;
    cairn_config_unref(p->config);
    free(p);
}

static bool is_full(const struct cairn_packet_batch *batch)
{
    return batch->count >= batch->capacity;
}

/* Whether a batch has columns of addresses: it may have been made without a place for them. */
static bool has_addresses(const struct cairn_packet_batch *batch)
{
    return batch->size >= sizeof *batch && (batch->address || batch->address_packet);
}

static void put_address(struct cairn_packet_batch *batch, size_t packet,
                        const struct cairn_packet_fields *fields)
{
    const size_t i = batch->address_count++;

    if (batch->address)
        batch->address[i] = fields->address | fields->sub_isa;
    if (batch->address_packet)
        batch->address_packet[i] = (uint32_t)packet;
}

/* Appends a packet. Its fields are in their place already, or it has none. */
static void put(const struct parser *p, struct cairn_packet_batch *batch, unsigned kind,
                uint64_t offset, uint64_t length, const struct cairn_packet_fields *fields)
{
    static const uint8_t accounts[] = {
#define ROW(NAME, MASK, HEADER, ACCOUNT, TEXT, SECTION) ACCOUNT,
        CAIRN_PTM_PACKETS(ROW)
#undef ROW
    };
    const size_t i = batch->count++;
    uint8_t account = accounts[kind];

    if (p->suspect && !CAIRN_ACCOUNT_IS_GAP(account))
        account = CAIRN_GAP_RESERVED;
    if (batch->offset)
        batch->offset[i] = offset;
    if (batch->length)
        batch->length[i] = length;
    if (batch->kind)
        batch->kind[i] = (uint16_t)kind;
    if (batch->account)
        batch->account[i] = account;
    if (fields && (fields->flags & CAIRN_PACKET_HAS_ADDRESS) && has_addresses(batch))
        put_address(batch, i, fields);
    if (batch->fields && !fields)
        memset(&batch->fields[i], 0, sizeof batch->fields[i]);
}

/* The bytes from `head` up to `end` are no whole, legal packet. */
static void put_damage(struct parser *p, struct cairn_packet_batch *batch, unsigned kind,
                       uint64_t offset, uint64_t length)
{
    if (kind == CAIRN_PTM_RESERVED)
        p->suspect = true;
    memset(&p->state, 0, sizeof p->state);
    put(p, batch, kind, offset, length, NULL);
}

/* Looks for the next A-sync in what has arrived since the last look. */
static void find_core(struct parser *p)
{
    if (p->core != NO_CORE || p->scanned >= p->tail)
        return;
    const size_t zeros = CAIRN_PTM_ASYNC_ZEROS;
    const size_t from = p->scanned > zeros ? p->scanned - zeros : 0;

    p->core = cairn_ptm_find_sync(p->window, p->tail, from);
    if (p->core >= p->tail)
        p->core = NO_CORE;
    p->scanned = p->core == NO_CORE ? p->tail : p->core + zeros + 1;
}

/* The A-sync that the run, or the header at `head`, leads to. */
static void put_async(struct parser *p, struct cairn_packet_batch *batch, uint64_t offset)
{
    const size_t end = p->core + CAIRN_PTM_ASYNC_ZEROS + 1;

    if (p->suspect) /* the bytes since the reserved packet have told nothing for certain */
        memset(&p->state, 0, sizeof p->state);
    p->suspect = false;
    put(p, batch, CAIRN_PTM_ALIGNMENT_SYNC, offset, p->base + end - offset, NULL);
    p->head = end;
    p->core = NO_CORE;
    p->place = PACKETS;
}

/* Moves the bytes up to `end` into the gap. */
static void take_into_gap(struct parser *p, size_t end)
{
    const size_t size = end - p->head;
    size_t zeros = 0;

    while (zeros < size && p->window[end - 1 - zeros] == 0)
        zeros++;
    p->run_zeros = zeros == size ? p->run_zeros + size : zeros;
    p->run_length += size;
    p->head = end;
}

/* One step in the gap at the start. False: more bytes are needed. */
static bool step_gap(struct parser *p, struct cairn_packet_batch *batch)
{
    const size_t end = p->core == NO_CORE ? p->tail : p->core;

    if (end > p->head)
        take_into_gap(p, end);
    if (p->core == NO_CORE)
        return false;
    if (p->run_length > p->run_zeros) {
        const uint64_t length = p->run_length - p->run_zeros;

        put(p, batch, CAIRN_PTM_NOT_SYNC, p->run_offset, length, NULL);
        p->run_offset += length;
        p->run_length = p->run_zeros;
    } else {
        put_async(p, batch, p->run_offset);
    }
    return true;
}

/* One step in a run of zeros that stands where a header should: it ends in an A-sync, or, with the
 * byte that broke it, it is a reserved packet. False: more bytes are needed. */
static bool step_zero_run(struct parser *p, struct cairn_packet_batch *batch)
{
    const size_t limit = p->core == NO_CORE ? p->tail : p->core;

    while (p->head < limit && p->window[p->head] == 0) {
        p->head++;
        p->run_length++;
    }
    if (p->head < limit) {
        put_damage(p, batch, CAIRN_PTM_RESERVED, p->run_offset, p->run_length + 1);
        p->head++;
        p->place = PACKETS;
        return true;
    }
    if (p->core == NO_CORE)
        return false;
    put_async(p, batch, p->run_offset);
    return true;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* True when no A-sync can begin inside the `length` bytes at `head` once more bytes are known. */
static bool is_settled(const struct parser *p, size_t length)
{
    const size_t end = p->head + length;

    if (p->core != NO_CORE || p->ended || p->window[end - 1] != 0)
        return true;
    return p->tail - end >= CAIRN_PTM_ASYNC_ZEROS || !all_zero(p->window + end, p->tail - end);
}

/* One packet. False: more bytes are needed. The fields are parsed into their place in the batch. */
static bool step_packet(struct parser *p, struct cairn_packet_batch *batch)
{
    const size_t limit = p->core == NO_CORE ? p->tail : p->core;
    const size_t size = limit - p->head;
    const uint8_t *bytes = p->window + p->head;
    const uint64_t offset = p->base + p->head;
    struct cairn_packet_fields scratch;
    struct cairn_packet_fields *fields = batch->fields ? &batch->fields[batch->count] : &scratch;
    struct cairn_ptm_state moved = p->state;
    size_t length = 0;

    if (size == 0 || bytes[0] == 0x00) {
        p->place = ZERO_RUN;
        p->run_offset = offset;
        p->run_length = 0;
        return true;
    }
    const unsigned kind = p->kinds[bytes[0]];

    switch (cairn_ptm_payload(p->decoded, kind, &moved, bytes, size, &length, fields)) {
    case CAIRN_PTM_WHOLE:
        if (!is_settled(p, length))
            return false;
        p->state = moved;
        put(p, batch, kind, offset, length, fields);
        p->head += length;
        return true;
    case CAIRN_PTM_BROKEN:
        if (!is_settled(p, length))
            return false;
        put_damage(p, batch, CAIRN_PTM_RESERVED, offset, length);
        p->head += length;
        return true;
    case CAIRN_PTM_MORE: break;
    }
    if (p->core == NO_CORE && !p->ended)
        return false;
    put_damage(p, batch, p->core == NO_CORE ? CAIRN_PTM_INCOMPLETE : CAIRN_PTM_CUT, offset, size);
    p->head = limit;
    return true;
}

/* Parses until the bytes or the batch are used up. */
static void parse(struct parser *p, struct cairn_packet_batch *batch)
{
    bool more = true;

    while (more && !is_full(batch)) {
        find_core(p);
        switch (p->place) {
        case PACKETS: more = p->head < p->tail && step_packet(p, batch); break;
        case GAP: more = step_gap(p, batch); break;
        case ZERO_RUN: more = step_zero_run(p, batch); break;
        }
    }
}

/* Makes room at the end of the window. */
static void slide(struct parser *p)
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

cairn_status cairn_ptm_parser_run(void *parser, const uint8_t *data, size_t size, size_t *position,
                                  struct cairn_packet_batch *batch)
{
    struct parser *p = parser;

    if (*position > size || p->ended)
        return CAIRN_E_ARGUMENT;
    begin_batch(batch);
    for (;;) {
        parse(p, batch);
        if (is_full(batch) || *position == size)
            return CAIRN_OK;
        slide(p); /* what is left is shorter than a packet and the zeros behind it */
        const size_t room = WINDOW - p->tail;
        const size_t take = size - *position < room ? size - *position : room;

        memcpy(p->window + p->tail, data + *position, take);
        p->tail += take;
        *position += take;
    }
}

/* Zeros up to the end where a header should be are the start of an A-sync, or memory that the trace
 * did not fill: no packet is lost. If framing is, few of them may be the rest of a packet. */
static unsigned kind_of_zeros(struct parser *p)
{
    if (p->suspect && p->run_length < CAIRN_PTM_ASYNC_ZEROS)
        return CAIRN_PTM_INCOMPLETE;
    p->suspect = false;
    return CAIRN_PTM_INCOMPLETE_SYNC;
}

cairn_status cairn_ptm_parser_finish(void *parser, struct cairn_packet_batch *batch)
{
    struct parser *p = parser;

    p->ended = true;
    begin_batch(batch);
    parse(p, batch);
    if (is_full(batch) || p->place == PACKETS || p->run_length == 0)
        return CAIRN_OK;
    put(p, batch, p->place == ZERO_RUN ? kind_of_zeros(p) : CAIRN_PTM_NOT_SYNC, p->run_offset,
        p->run_length, NULL);
    p->run_offset += p->run_length;
    p->run_length = 0;
    p->run_zeros = 0;
    return CAIRN_OK;
}

const struct cairn_ptm_state *cairn_ptm_parser_stands(const void *parser, size_t *unused)
{
    const struct parser *p = parser;

    *unused = p->tail - p->head;
    return p->place == PACKETS && !p->suspect && !p->ended ? &p->state : NULL;
}

struct cairn_ptm_state *cairn_ptm_parser_state(void *parser, uint64_t *offset)
{
    struct parser *p = parser;

    *offset = p->base + p->head;
    return &p->state;
}

void cairn_ptm_parser_skip(void *parser, size_t bytes)
{
    struct parser *p = parser;

    p->base += p->head + bytes;
    p->head = 0;
    p->tail = 0;
    p->scanned = 0;
    p->core = NO_CORE;
}

/* The A-sync that the zeros at bytes[at] lead to. Returns its length; 0: they are none, or more
 * bytes are needed to know. */
static size_t async_length(const uint8_t *bytes, size_t at, size_t end, size_t core)
{
    if (core >= end || !all_zero(bytes + at, core - at))
        return 0;
    return core + CAIRN_PTM_ASYNC_ZEROS + 1 - at;
}

/* The packet at bytes[at], which an A-sync at `core` follows, unless that is behind `end`. Returns
 * its length; 0: it is not whole, or not legal, or nobody knows yet. */
static size_t take_between(const struct parser *p, struct cairn_ptm_state *moved,
                           const uint8_t *bytes, size_t at, size_t end, size_t core,
                           struct cairn_packet_fields *fields)
{
    const size_t limit = core < end ? core : end;
    size_t length;

    if (cairn_ptm_payload(p->decoded, p->kinds[bytes[at]], moved, bytes + at, limit - at, &length,
                          fields) != CAIRN_PTM_WHOLE)
        return 0;
    at += length;
    if (bytes[at - 1] == 0 && core >= end &&
        all_zero(bytes + at, end - at < CAIRN_PTM_ASYNC_ZEROS ? end - at : CAIRN_PTM_ASYNC_ZEROS))
        return 0;
    return length;
}

/* Whether the packet at bytes[at] is for who takes them past the levels. */
static bool is_plain(const uint8_t *bytes, size_t left)
{
    struct cairn_branch_place place = {0};
    uint64_t first;

    if (!cairn_branch_begins(*bytes) || left < CAIRN_BRANCH_MARGIN)
        return cairn_branch_begins(*bytes) || (*bytes & ATOM);
    memcpy(&first, bytes, sizeof first);
    return cairn_branch_read(first, true, &place) > 0;
}

size_t cairn_ptm_parser_between(void *parser, size_t skipped,
                                const struct cairn_branch_place *place, const uint8_t *bytes,
                                size_t size, struct cairn_packet_batch *batch)
{
    struct parser *p = parser;
    const uint64_t offset = p->base + p->head + skipped;
    const size_t end = size < BETWEEN ? size : BETWEEN;
    size_t core = cairn_ptm_find_sync(bytes, end, 0);
    size_t at = 0;

    p->state.address = place->address;
    p->state.alignment = place->thumb ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    batch->count = 0;
    batch->address_count = 0;
    while (at < end && !is_full(batch) && !is_plain(bytes + at, end - at)) {
        struct cairn_packet_fields *fields = &batch->fields[batch->count];
        struct cairn_ptm_state moved = p->state;
        size_t length;

        if (bytes[at] == 0) {
            length = async_length(bytes, at, end, core);
            if (length == 0)
                break;
            put(p, batch, CAIRN_PTM_ALIGNMENT_SYNC, offset + at, length, NULL);
            core = cairn_ptm_find_sync(bytes, end, at + length);
        } else {
            length = take_between(p, &moved, bytes, at, end, core, fields);
            if (length == 0)
                break;
            put(p, batch, p->kinds[bytes[at]], offset + at, length, fields);
            p->state = moved;
        }
        at += length;
    }
    if (at > 0)
        cairn_ptm_parser_skip(p, skipped + at);
    return at;
}
