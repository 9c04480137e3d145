/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes -> packets (DDI0608 D5, D9.2). Alignment synchronisations are found first, by bytes; no
 * packet crosses one. What a packet is does not depend on how the bytes were cut into calls.
 *
 * Behind a reserved packet the framing cannot be trusted up to the next A-sync. Its bytes are
 * listed as the packets they look like, since that is what tells a person of a wrong protocol or a
 * single damaged byte; but their account is the gap. */
#include "protocol/etmv4/parse_fast.h"

#include <stdlib.h>
#include <string.h>

/* The window that bytes pass through: room for reading ahead, and behind `head` enough old bytes to
 * recognise an alignment synchronisation that began in a gap. */
enum {
    WINDOW = 8192,
    KEEP = 16,
    EXTENSION_DISCARD = 0x03,
    EXTENSION_OVERFLOW = 0x05,
    EXTENSION_BRANCH_FUTURE = 0x07,
    NO_CORE = WINDOW + 1,
    ATOM_HEADERS = 256 - CAIRN_ETMV4_FIRST_ATOM,
    SIP = 64,         /* bytes taken into the window before the fast way is tried again */
    FAST_LEAST = 256, /* bytes that make it worth trying */
};

/* Where the parser stands. */
enum state {
    PACKETS,  /* the next byte is a packet header */
    GAP,      /* before the first A-sync: bytes only count */
    ZERO_RUN, /* in a run of zeros behind a header 00 that may yet become an A-sync */
};

/* What an Atom packet's header says, worked out beforehand. */
struct atoms {
    uint8_t kind; /* CAIRN_ETMV4_RESERVED: no packet */
    uint8_t count;
    uint32_t atoms;
};

struct cairn_etmv4_parser {
    struct cairn_config *config;
    const struct cairn_etmv4_config *decoded;
    struct cairn_etmv4_state compression;
    enum state state;
    bool suspect;        /* a reserved packet was seen since the last A-sync */
    uint64_t gap_offset; /* of the gap, or of the run of zeros */
    uint64_t gap_length;
    uint64_t gap_zeros; /* trailing zeros of the gap: they belong to an A-sync that follows */
    uint64_t base;      /* source offset of window[0] */
    size_t head;        /* next byte to parse */
    size_t tail;        /* end of the bytes */
    size_t core;        /* first of the last eleven zeros of the next A-sync, or NO_CORE */
    size_t scanned;     /* up to here A-syncs have been looked for */
    bool ended;
    struct cairn_etmv4_fast *fast; /* made when it is first needed */
    bool portable;                 /* the fast way is not to use what this processor has */
    uint8_t kinds[256];
    struct atoms atoms[ATOM_HEADERS];
    uint8_t window[WINDOW];
};

cairn_status cairn_etmv4_parser_new(struct cairn_config *config, struct cairn_etmv4_parser **parser)
{
    struct cairn_etmv4_parser *p = calloc(1, sizeof *p);

    if (!p)
        return CAIRN_E_MEMORY;
    p->config = cairn_config_ref(config);
    p->decoded = cairn_etmv4_of(config);
    p->state = GAP;
    p->core = NO_CORE;
    cairn_etmv4_headers(p->decoded, p->kinds);
    for (unsigned i = 0; i < ATOM_HEADERS; i++) {
        struct cairn_packet_fields fields = {0};
        unsigned kind = CAIRN_ETMV4_RESERVED;

        (void)cairn_etmv4_atoms(p->kinds, CAIRN_ETMV4_FIRST_ATOM + i, &kind, &fields);
        p->atoms[i] = (struct atoms){(uint8_t)kind, fields.atom_count, fields.atoms};
    }
    *parser = p;
    return CAIRN_OK;
}

void cairn_etmv4_parser_free(struct cairn_etmv4_parser *parser)
{
    if (!parser)
        return;
    cairn_config_unref(parser->config);
    free(parser->fast);
    free(parser);
}

static bool batch_full(const struct cairn_packet_batch *batch)
{
    return batch->count >= batch->capacity;
}

/* Appends a packet. Its fields are in their place already, or it has none. */
static void put(const struct cairn_etmv4_parser *p, struct cairn_packet_batch *batch, unsigned kind,
                uint64_t offset, uint64_t length, const struct cairn_packet_fields *fields)
{
    const size_t i = batch->count++;
    enum cairn_account account = cairn_etmv4_account(kind);

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
    if (fields && (fields->flags & CAIRN_PACKET_HAS_ADDRESS) && cairn_etmv4_has_addresses(batch)) {
        const size_t k = batch->address_count++;

        if (batch->address)
            batch->address[k] = fields->address | fields->sub_isa;
        if (batch->address_packet)
            batch->address_packet[k] = (uint32_t)i;
    }
    if (batch->fields && !fields)
        memset(&batch->fields[i], 0, sizeof batch->fields[i]);
}

/* Looks for the next A-sync in what has arrived since the last look. */
static void find_core(struct cairn_etmv4_parser *p)
{
    size_t from;

    if (p->core != NO_CORE || p->scanned >= p->tail)
        return;
    from = p->scanned > CAIRN_ETMV4_ASYNC_ZEROS ? p->scanned - CAIRN_ETMV4_ASYNC_ZEROS : 0;
    p->core = cairn_etmv4_find_sync(p->window, p->tail, from);
    if (p->core >= p->tail)
        p->core = NO_CORE;
    p->scanned = p->core == NO_CORE ? p->tail : p->core + CAIRN_ETMV4_ASYNC_ZEROS + 1;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Moves the bytes up to `end` into the gap. */
static void take_into_gap(struct cairn_etmv4_parser *p, size_t end)
{
    size_t zeros = 0;
    const size_t size = end - p->head;

    while (zeros < size && p->window[end - 1 - zeros] == 0)
        zeros++;
    p->gap_zeros = zeros == size ? p->gap_zeros + size : zeros;
    p->gap_length += size;
    p->head = end;
}

/* The A-sync that the gap, or the header at `head`, leads to. False: the batch is full. */
static bool emit_async(struct cairn_etmv4_parser *p, struct cairn_packet_batch *batch,
                       uint64_t offset)
{
    const size_t end = p->core + CAIRN_ETMV4_ASYNC_ZEROS + 1;

    if (batch_full(batch))
        return false;
    p->suspect = false;
    put(p, batch, CAIRN_ETMV4_ALIGNMENT_SYNC, offset, p->base + end - offset, NULL);
    p->head = end;
    p->core = NO_CORE;
    p->state = PACKETS;
    return true;
}

/* One step in the gap at the start. False: more bytes are needed, or room in the batch. */
static bool step_gap(struct cairn_etmv4_parser *p, struct cairn_packet_batch *batch)
{
    const size_t end = p->core == NO_CORE ? p->tail : p->core;

    if (end > p->head)
        take_into_gap(p, end);
    if (p->core == NO_CORE || batch_full(batch))
        return false;
    if (p->gap_length > p->gap_zeros) {
        put(p, batch, CAIRN_ETMV4_NOT_SYNC, p->gap_offset, p->gap_length - p->gap_zeros, NULL);
        p->gap_offset += p->gap_length - p->gap_zeros;
        p->gap_length = p->gap_zeros;
        return true;
    }
    return emit_async(p, batch, p->gap_offset);
}

/* One step in a run of zeros behind a header 00: it ends in an A-sync, or, with the byte that broke
 * it, it is a reserved packet. */
static bool step_zero_run(struct cairn_etmv4_parser *p, struct cairn_packet_batch *batch)
{
    const size_t limit = p->core == NO_CORE ? p->tail : p->core;
    size_t end = p->head;

    while (end < limit && p->window[end] == 0)
        end++;
    p->gap_length += end - p->head;
    p->head = end;
    if (end < limit) {
        p->suspect = true;
        put(p, batch, CAIRN_ETMV4_RESERVED, p->gap_offset, p->gap_length + 1, NULL);
        p->head++;
        p->state = PACKETS;
        return true;
    }
    return p->core != NO_CORE && emit_async(p, batch, p->gap_offset);
}

/* True when no A-sync can begin inside the `length` bytes at `head` once more bytes are known. */
static bool settled(const struct cairn_etmv4_parser *p, size_t length)
{
    const size_t end = p->head + length;

    if (p->core != NO_CORE || p->ended)
        return true;
    if (p->window[end - 1] != 0 || p->tail - end >= CAIRN_ETMV4_ASYNC_ZEROS)
        return true;
    return !all_zero(p->window + end, p->tail - end);
}

/* A header 00: A-sync, Discard, Overflow, Branch Future Flush, or reserved. */
static bool step_extension(struct cairn_etmv4_parser *p, struct cairn_packet_batch *batch)
{
    const size_t size = p->tail - p->head;
    unsigned kind;

    if (p->core != NO_CORE && all_zero(p->window + p->head, p->core - p->head))
        return emit_async(p, batch, p->base + p->head);
    if (size < 2) {
        if (!p->ended)
            return false;
        put(p, batch, CAIRN_ETMV4_INCOMPLETE, p->base + p->head, size, NULL);
        p->head = p->tail;
        return true;
    }
    switch (p->window[p->head + 1]) {
    case EXTENSION_DISCARD: kind = CAIRN_ETMV4_DISCARD; break;
    case EXTENSION_OVERFLOW: kind = CAIRN_ETMV4_OVERFLOW; break;
    case EXTENSION_BRANCH_FUTURE:
        kind = p->decoded->branch_future ? CAIRN_ETMV4_BRANCH_FUTURE_FLUSH : CAIRN_ETMV4_RESERVED;
        break;
    case 0x00:
        p->state = ZERO_RUN;
        p->gap_offset = p->base + p->head;
        p->gap_length = 0;
        return true;
    default: kind = CAIRN_ETMV4_RESERVED; break;
    }
    if (kind == CAIRN_ETMV4_RESERVED)
        p->suspect = true;
    put(p, batch, kind, p->base + p->head, 2, NULL);
    p->head += 2;
    return true;
}

/* One packet. False: more bytes are needed. The fields are parsed into their place in the batch. */
static bool step_packet(struct cairn_etmv4_parser *p, struct cairn_packet_batch *batch)
{
    const size_t limit = p->core == NO_CORE ? p->tail : p->core;
    const size_t size = limit - p->head;
    const uint8_t *bytes = p->window + p->head;
    struct cairn_packet_fields scratch;
    struct cairn_packet_fields *fields = batch->fields ? &batch->fields[batch->count] : &scratch;
    struct cairn_etmv4_state moved;
    unsigned kind = CAIRN_ETMV4_RESERVED;
    size_t length = 0;

    if (bytes[0] == 0x00)
        return step_extension(p, batch);
    if (bytes[0] >= CAIRN_ETMV4_FIRST_ATOM) {
        const struct atoms *atoms = &p->atoms[bytes[0] - CAIRN_ETMV4_FIRST_ATOM];

        if (atoms->kind != CAIRN_ETMV4_RESERVED) {
            *fields =
                (struct cairn_packet_fields){.atom_count = atoms->count, .atoms = atoms->atoms};
            put(p, batch, atoms->kind, p->base + p->head, 1, fields);
            p->head++;
            return true;
        }
    }
    moved = p->compression;
    switch (
        cairn_etmv4_payload(p->decoded, p->kinds, &moved, bytes, size, &length, &kind, fields)) {
    case CAIRN_TAKE_WHOLE:
        if (!settled(p, length))
            return false;
        p->compression = moved;
        put(p, batch, kind, p->base + p->head, length, fields);
        p->head += length;
        return true;
    case CAIRN_TAKE_RESERVED:
        if (!settled(p, length))
            return false;
        p->suspect = true;
        put(p, batch, CAIRN_ETMV4_RESERVED, p->base + p->head, length, NULL);
        p->head += length;
        return true;
    case CAIRN_TAKE_MORE: break;
    }
    if (p->core == NO_CORE && !p->ended)
        return false;
    kind = p->core == NO_CORE ? CAIRN_ETMV4_INCOMPLETE : CAIRN_ETMV4_CUT;
    put(p, batch, kind, p->base + p->head, size, NULL);
    p->head = limit;
    return true;
}

/* Parses until the bytes or the batch are used up. */
static void parse(struct cairn_etmv4_parser *p, struct cairn_packet_batch *batch)
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
static void slide(struct cairn_etmv4_parser *p)
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

/* No packet is as long as the window: whatever fills it is no packet. Zeros at its end are left:
 * they may be those of an A-sync. */
static bool give_up_packet(struct cairn_etmv4_parser *p, struct cairn_packet_batch *batch)
{
    size_t end = p->tail;

    if (batch_full(batch))
        return false;
    while (end > p->head + 1 && p->window[end - 1] == 0)
        end--;
    p->suspect = true;
    put(p, batch, CAIRN_ETMV4_RESERVED, p->base + p->head, end - p->head, NULL);
    p->head = end;
    slide(p);
    return true;
}

/* The addresses are those of the packets in the batch, which the caller may have emptied. */
static void begin_batch(struct cairn_packet_batch *batch)
{
    if (cairn_etmv4_has_addresses(batch) && batch->address_count > batch->count)
        batch->address_count = batch->count;
}

/* Between two packets: gives back what was taken in, at most to data[begin], and goes on without
 * the window. False: it did not come to that, or no further. */
static bool run_fast(struct cairn_etmv4_parser *p, const uint8_t *data, size_t size, size_t begin,
                     size_t *position, struct cairn_packet_batch *batch)
{
    const size_t unread = p->tail - p->head;
    size_t from;

    if (batch->fields || p->state != PACKETS || p->suspect || unread > *position - begin)
        return false;
    from = *position - unread;
    if (size - from < FAST_LEAST)
        return false;
    if (!p->fast)
        p->fast = cairn_etmv4_fast_new(p->config, p->portable);
    if (!p->fast)
        return false;
    const uint64_t offset = p->base + p->head;

    *position = from;
    cairn_etmv4_fast_run(p->fast, &p->compression, offset, data, size, position, batch);
    cairn_etmv4_parser_move(p, offset + (*position - from));
    return *position != from;
}

cairn_status cairn_etmv4_parser_run(struct cairn_etmv4_parser *p, const uint8_t *data, size_t size,
                                    size_t *position, struct cairn_packet_batch *batch)
{
    const size_t begin = *position;
    uint64_t stopped = UINT64_MAX; /* where the fast way got no further */
    size_t sip = batch->fields ? WINDOW : SIP;

    if (*position > size || p->ended)
        return CAIRN_E_ARGUMENT;
    begin_batch(batch);
    for (;;) {
        parse(p, batch);
        if (!batch_full(batch) && p->base + p->head != stopped) {
            if (run_fast(p, data, size, begin, position, batch))
                sip = SIP;
            stopped = p->base + p->head;
        }
        if (batch_full(batch) || *position == size)
            return CAIRN_OK;
        slide(p);
        if (p->tail == WINDOW && !give_up_packet(p, batch))
            return CAIRN_OK;
        const size_t room = WINDOW - p->tail < sip ? WINDOW - p->tail : sip;
        const size_t take = size - *position < room ? size - *position : room;

        memcpy(p->window + p->tail, data + *position, take);
        p->tail += take;
        *position += take;
        sip = 2 * sip < WINDOW ? 2 * sip : WINDOW;
    }
}

cairn_status cairn_etmv4_parser_finish(struct cairn_etmv4_parser *p,
                                       struct cairn_packet_batch *batch)
{
    p->ended = true;
    begin_batch(batch);
    parse(p, batch);
    if (batch_full(batch) || p->state == PACKETS || p->gap_length == 0)
        return CAIRN_OK;
    /* Zeros up to the end are the start of an A-sync; elsewhere none was ever found. */
    put(p, batch, p->state == ZERO_RUN ? CAIRN_ETMV4_INCOMPLETE : CAIRN_ETMV4_NOT_SYNC,
        p->gap_offset, p->gap_length, NULL);
    p->gap_offset += p->gap_length;
    p->gap_length = 0;
    p->gap_zeros = 0;
    return CAIRN_OK;
}

void cairn_etmv4_parser_portable(struct cairn_etmv4_parser *p)
{
    p->portable = true;
}

bool cairn_etmv4_parser_stands(const struct cairn_etmv4_parser *p, uint64_t *offset,
                               struct cairn_hot_state *state)
{
    if (p->state != PACKETS || p->suspect)
        return false;
    *offset = p->base + p->head;
    cairn_etmv4_to_hot(&p->compression, state);
    return true;
}

void cairn_etmv4_parser_resume(struct cairn_etmv4_parser *p, uint64_t offset,
                               const struct cairn_hot_state *state)
{
    p->state = PACKETS;
    p->suspect = false;
    p->base = offset;
    p->head = 0;
    p->tail = 0;
    p->core = NO_CORE;
    p->scanned = 0;
    p->gap_length = 0;
    p->gap_zeros = 0;
    cairn_etmv4_from_hot(state, &p->compression);
}

bool cairn_etmv4_parser_between(const struct cairn_etmv4_parser *p, size_t *unread)
{
    if (p->state != PACKETS || p->suspect || p->ended)
        return false;
    *unread = p->tail - p->head;
    return true;
}

void cairn_etmv4_parser_move(struct cairn_etmv4_parser *p, uint64_t offset)
{
    p->state = PACKETS;
    p->suspect = false;
    p->base = offset;
    p->head = 0;
    p->tail = 0;
    p->core = NO_CORE;
    p->scanned = 0;
    p->gap_length = 0;
    p->gap_zeros = 0;
}

struct cairn_etmv4_state *cairn_etmv4_parser_compression(struct cairn_etmv4_parser *p)
{
    return &p->compression;
}
