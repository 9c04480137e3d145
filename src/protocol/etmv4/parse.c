/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes -> packets (DDI0608 D5, D9.2), by protocol/framing.h. */
#include "protocol/etmv4/parse_fast.h"

#include <stdlib.h>
#include <string.h>

enum {
    EXTENSION_DISCARD = 0x03,
    EXTENSION_OVERFLOW = 0x05,
    EXTENSION_BRANCH_FUTURE = 0x07,
    ATOM_HEADERS = 256 - CAIRN_ETMV4_FIRST_ATOM,
};

/* What an Atom packet's header says, worked out beforehand. */
struct atoms {
    uint8_t kind; /* CAIRN_ETMV4_RESERVED: no packet */
    uint8_t count;
    uint32_t atoms;
};

struct cairn_etmv4_parser {
    struct cairn_framing framing; /* first: protocol/framing.h */
    struct cairn_config *config;
    const struct cairn_etmv4_config *decoded;
    struct cairn_etmv4_state compression;
    struct cairn_etmv4_fast *fast; /* made when it is first needed */
    bool portable;                 /* the fast way is not to use what this processor has */
    uint8_t kinds[256];
    struct atoms atoms[ATOM_HEADERS];
};

/* A header 00: A-sync, Discard, Overflow, Branch Future Flush, or reserved. */
static bool etmv4_extension(struct cairn_etmv4_parser *p, struct cairn_packet_batch *batch)
{
    struct cairn_framing *f = &p->framing;
    const size_t size = f->tail - f->head;
    unsigned kind;

    if (f->core != CAIRN_FRAMING_NO_CORE &&
        cairn_all_zero(f->window + f->head, f->core - f->head)) {
        cairn_framing_put_async(f, batch, cairn_framing_at(f));
        return true;
    }
    if (size < 2) {
        if (!f->ended)
            return false;
        cairn_framing_put_damage(f, batch, CAIRN_ETMV4_INCOMPLETE, size);
        return true;
    }
    switch (f->window[f->head + 1]) {
    case EXTENSION_DISCARD: kind = CAIRN_ETMV4_DISCARD; break;
    case EXTENSION_OVERFLOW: kind = CAIRN_ETMV4_OVERFLOW; break;
    case EXTENSION_BRANCH_FUTURE:
        kind = p->decoded->branch_future ? CAIRN_ETMV4_BRANCH_FUTURE_FLUSH : CAIRN_ETMV4_RESERVED;
        break;
    case 0x00: cairn_framing_zero_run(f); return true;
    default: kind = CAIRN_ETMV4_RESERVED; break;
    }
    if (kind == CAIRN_ETMV4_RESERVED) {
        cairn_framing_put_damage(f, batch, kind, 2);
        return true;
    }
    cairn_framing_put(f, batch, kind, cairn_framing_at(f), 2, NULL);
    f->head += 2;
    return true;
}

/* At a Trace On behind a reserved packet. */
enum goes_on {
    GOES_NOT_ON,
    GOES_ON,
    MORE_BYTES,
};

/* Where nothing is speculative, decoding goes on at a Trace On with an address and a context in full behind it: that
 * is all that there is to know but for older addresses and the upper bits of timestamps. By chance the bytes
 * of another packet look like this once in 2^15. */
static enum goes_on goes_on(const struct cairn_etmv4_parser *p, const uint8_t *bytes, size_t size)
{
    const unsigned in_full = CAIRN_PACKET_HAS_CONTEXT |
                             (p->decoded->vmid ? CAIRN_PACKET_HAS_VMID : 0u) |
                             (p->decoded->context_id ? CAIRN_PACKET_HAS_CONTEXT_ID : 0u);
    struct cairn_etmv4_state moved = p->compression;
    struct cairn_packet_fields fields;
    unsigned kind = CAIRN_ETMV4_RESERVED;
    size_t length = 0;

    if (p->decoded->maxspec != 0)
        return GOES_NOT_ON;
    if (size == 0)
        return MORE_BYTES;
    if (p->kinds[bytes[0]] != CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0 &&
        p->kinds[bytes[0]] != CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS1)
        return GOES_NOT_ON;
    /* it is legal, whatever its bytes are */
    if (cairn_etmv4_payload(p->decoded, p->kinds, &moved, bytes, size, &length, &kind, &fields) ==
            CAIRN_TAKE_MORE ||
        !cairn_framing_settled(&p->framing, 1 + length, CAIRN_ETMV4_ASYNC_ZEROS))
        return MORE_BYTES;
    return (fields.flags & in_full) == in_full && !(fields.flags & CAIRN_PACKET_SBZ) ? GOES_ON
                                                                                     : GOES_NOT_ON;
}

/* A Trace On while the framing is not trusted. False: more bytes are needed. */
static bool etmv4_trace_on(struct cairn_etmv4_parser *p, struct cairn_packet_batch *batch)
{
    struct cairn_framing *f = &p->framing;
    const size_t left = cairn_framing_limit(f) - f->head - 1;
    struct cairn_packet_fields scratch;
    struct cairn_packet_fields *fields = batch->fields ? &batch->fields[batch->count] : &scratch;

    *fields = (struct cairn_packet_fields){0};
    switch (goes_on(p, f->window + f->head + 1, left)) {
    case GOES_NOT_ON: break;
    case MORE_BYTES:
        if (f->core == CAIRN_FRAMING_NO_CORE && !f->ended)
            return false;
        break;
    case GOES_ON:
        fields->flags = CAIRN_PACKET_GOES_ON;
        f->suspect = false;
        p->compression.unknown = 2 + 1; /* of which the address behind it is one */
        p->compression.unknown_timestamp = true;
        break;
    }
    cairn_framing_put(f, batch, CAIRN_ETMV4_TRACE_ON, cairn_framing_at(f), 1, fields);
    f->head++;
    return true;
}

/* One packet. False: more bytes are needed. The fields are parsed into their place in the batch. */
static inline bool etmv4_step(struct cairn_etmv4_parser *p, struct cairn_packet_batch *batch)
{
    struct cairn_framing *f = &p->framing;
    const size_t size = cairn_framing_limit(f) - f->head;
    const uint8_t *bytes = f->window + f->head;
    struct cairn_packet_fields scratch;
    struct cairn_packet_fields *fields = batch->fields ? &batch->fields[batch->count] : &scratch;
    struct cairn_etmv4_state moved;
    unsigned kind = CAIRN_ETMV4_RESERVED;
    size_t length = 0;

    if (bytes[0] == 0x00)
        return etmv4_extension(p, batch);
    if (bytes[0] >= CAIRN_ETMV4_FIRST_ATOM) {
        const struct atoms *atoms = &p->atoms[bytes[0] - CAIRN_ETMV4_FIRST_ATOM];

        if (atoms->kind != CAIRN_ETMV4_RESERVED) {
            *fields =
                (struct cairn_packet_fields){.atom_count = atoms->count, .atoms = atoms->atoms};
            cairn_framing_put(f, batch, atoms->kind, cairn_framing_at(f), 1, fields);
            f->head++;
            return true;
        }
    }
    if (f->suspect && p->kinds[bytes[0]] == CAIRN_ETMV4_TRACE_ON)
        return etmv4_trace_on(p, batch);
    moved = p->compression;
    const enum cairn_etmv4_take take =
        cairn_etmv4_payload(p->decoded, p->kinds, &moved, bytes, size, &length, &kind, fields);
    if (take == CAIRN_TAKE_MORE)
        return cairn_framing_put_rest(f, batch);
    /* What makes a packet reserved may be the byte behind it. */
    const size_t seen = length + (take == CAIRN_TAKE_RESERVED && length < size);

    if (!cairn_framing_settled(f, seen, CAIRN_ETMV4_ASYNC_ZEROS))
        return false;
    if (take == CAIRN_TAKE_RESERVED) {
        cairn_framing_put_damage(f, batch, CAIRN_ETMV4_RESERVED, length);
        return true;
    }
    p->compression = moved; /* CAIRN_TAKE_FRAMED is a packet like others here */
    cairn_framing_put(f, batch, kind, cairn_framing_at(f), length, fields);
    f->head += length;
    return true;
}

static bool etmv4_packets(void *parser, struct cairn_packet_batch *batch)
{
    struct cairn_etmv4_parser *p = parser;

    while (cairn_framing_goes_on(&p->framing, batch))
        if (!etmv4_step(p, batch))
            return false;
    return true;
}

static size_t etmv4_fast(void *parser, uint64_t at, const uint8_t *data, size_t size,
                         struct cairn_packet_batch *batch)
{
    struct cairn_etmv4_parser *p = parser;
    size_t taken = 0;

    if (!cairn_etmv4_state_is_known(&p->compression))
        return 0;
    if (!p->fast)
        p->fast = cairn_etmv4_fast_new(p->config, p->portable);
    if (p->fast)
        cairn_etmv4_fast_run(p->fast, &p->compression, at, data, size, &taken, batch);
    return taken;
}

static const struct cairn_framing_rules rules = {
    .sync_zeros = CAIRN_ETMV4_ASYNC_ZEROS,
    .accounts = cairn_etmv4_accounts,
    .async = CAIRN_ETMV4_ALIGNMENT_SYNC,
    .not_sync = CAIRN_ETMV4_NOT_SYNC,
    .reserved = CAIRN_ETMV4_RESERVED,
    .incomplete = CAIRN_ETMV4_INCOMPLETE,
    .cut = CAIRN_ETMV4_CUT,
    .incomplete_sync = CAIRN_ETMV4_INCOMPLETE,
    .find_sync = cairn_etmv4_find_sync,
    .packets = etmv4_packets,
    .fast = etmv4_fast,
};

cairn_status cairn_etmv4_parser_new(struct cairn_config *config, struct cairn_etmv4_parser **parser)
{
    struct cairn_etmv4_parser *p = calloc(1, sizeof *p);

    if (!p)
        return CAIRN_E_MEMORY;
    cairn_framing_begin(&p->framing, &rules);
    p->config = cairn_config_ref(config);
    p->decoded = cairn_etmv4_of(config);
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

cairn_status cairn_etmv4_parser_run(struct cairn_etmv4_parser *p, const uint8_t *data, size_t size,
                                    size_t *position, struct cairn_packet_batch *batch)
{
    return cairn_framing_run(&p->framing, data, size, position, batch);
}

cairn_status cairn_etmv4_parser_finish(struct cairn_etmv4_parser *p,
                                       struct cairn_packet_batch *batch)
{
    return cairn_framing_finish(&p->framing, batch);
}

void cairn_etmv4_parser_portable(struct cairn_etmv4_parser *p)
{
    p->portable = true;
}

bool cairn_etmv4_parser_stands(const struct cairn_etmv4_parser *p, uint64_t *offset,
                               struct cairn_hot_state *state)
{
    if (p->framing.place != CAIRN_FRAMING_PACKETS || p->framing.suspect ||
        !cairn_etmv4_state_is_known(&p->compression))
        return false;
    *offset = cairn_framing_at(&p->framing);
    cairn_etmv4_to_hot(&p->compression, state);
    return true;
}

void cairn_etmv4_parser_resume(struct cairn_etmv4_parser *p, uint64_t offset,
                               const struct cairn_hot_state *state)
{
    cairn_framing_move(&p->framing, offset);
    cairn_etmv4_from_hot(state, &p->compression);
}

bool cairn_etmv4_parser_between(const struct cairn_etmv4_parser *p, size_t *unread)
{
    if (p->framing.place != CAIRN_FRAMING_PACKETS || p->framing.suspect || p->framing.ended ||
        !cairn_etmv4_state_is_known(&p->compression))
        return false;
    *unread = p->framing.tail - p->framing.head;
    return true;
}

void cairn_etmv4_parser_move(struct cairn_etmv4_parser *p, uint64_t offset)
{
    cairn_framing_move(&p->framing, offset);
}

struct cairn_etmv4_state *cairn_etmv4_parser_compression(struct cairn_etmv4_parser *p)
{
    return &p->compression;
}
