/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes -> packets (IHI0014 chapter 7), by protocol/framing.h. Nothing that was known before a
 * reserved packet is certain behind it. */
#include <stdlib.h>

#include "protocol/etmv3/p_header.h"
#include "protocol/etmv3/parse.h"

static void etmv3_synchronised(void *parser, bool suspect)
{
    struct cairn_etmv3_parser *p = parser;

    (void)suspect;
    if (p->damaged)
        p->compression = cairn_etmv3_unknown(p->decoded);
    p->damaged = false;
    p->compression.zero_stored = false;
}

static void etmv3_damaged(void *parser)
{
    struct cairn_etmv3_parser *p = parser;

    p->damaged = true;
    p->compression.zero_stored = false;
}

/* One packet. False: more bytes are needed. The fields are parsed into their place in the batch. */
static bool etmv3_step(struct cairn_etmv3_parser *p, struct cairn_packet_batch *batch)
{
    struct cairn_framing *f = &p->framing;
    struct cairn_etmv3_cursor in = {.bytes = f->window + f->head,
                                    .size = cairn_framing_limit(f) - f->head};
    struct cairn_packet_fields scratch;
    struct cairn_packet_fields *fields = batch->fields ? &batch->fields[batch->count] : &scratch;
    struct cairn_etmv3_state moved;
    enum cairn_etmv3_take take = CAIRN_ETMV3_MALFORMED;

    if (in.size == 0) {
        cairn_framing_put_async(f, batch, cairn_framing_at(f));
        return true;
    }
    const unsigned kind = p->kinds[in.bytes[0]];
    if (kind == CAIRN_ETMV3_A_SYNC) {
        cairn_framing_zero_run(f);
        return true;
    }
    moved = p->compression;
    if (kind == CAIRN_ETMV3_RESERVED)
        in.at = 1;
    else
        take = cairn_etmv3_payload(p->decoded, kind, &moved, &in, fields);
    if (take == CAIRN_ETMV3_MORE)
        return cairn_framing_put_rest(f, batch);
    if (!cairn_framing_settled(f, in.at, CAIRN_ETMV3_SYNC_ZEROS))
        return false;
    if (take == CAIRN_ETMV3_MALFORMED) {
        cairn_framing_put_damage(f, batch, CAIRN_ETMV3_RESERVED, in.at);
        return true;
    }
    p->compression = moved;
    cairn_framing_put(f, batch, kind, cairn_framing_at(f), in.at, fields);
    f->head += in.at;
    return true;
}

static bool etmv3_packets(void *parser, struct cairn_packet_batch *batch)
{
    struct cairn_etmv3_parser *p = parser;

    while (cairn_framing_goes_on(&p->framing, batch))
        if (!etmv3_step(p, batch))
            return false;
    return true;
}

static const struct cairn_framing_rules rules = {
    .sync_zeros = CAIRN_ETMV3_SYNC_ZEROS,
    .accounts = cairn_etmv3_accounts,
    .async = CAIRN_ETMV3_A_SYNC,
    .not_sync = CAIRN_ETMV3_NOT_SYNC,
    .reserved = CAIRN_ETMV3_RESERVED,
    .incomplete = CAIRN_ETMV3_INCOMPLETE,
    .cut = CAIRN_ETMV3_CUT,
    .incomplete_sync = CAIRN_ETMV3_INCOMPLETE_SYNC,
    .find_sync = cairn_etmv3_find_sync,
    .packets = etmv3_packets,
    .synchronised = etmv3_synchronised,
    .damaged = etmv3_damaged,
    .fast = cairn_etmv3_parse_bare,
};

cairn_status cairn_etmv3_parser_new(struct cairn_config *config, struct cairn_etmv3_parser **parser)
{
    struct cairn_etmv3_parser *p = calloc(1, sizeof *p);

    if (!p)
        return CAIRN_E_MEMORY;
    cairn_framing_begin(&p->framing, &rules);
    p->config = cairn_config_ref(config);
    p->decoded = cairn_etmv3_of(config);
    cairn_etmv3_headers(p->decoded, p->kinds);
    p->compression = cairn_etmv3_unknown(p->decoded);
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

cairn_status cairn_etmv3_parser_run(struct cairn_etmv3_parser *p, const uint8_t *data, size_t size,
                                    size_t *position, struct cairn_packet_batch *batch)
{
    return cairn_framing_run(&p->framing, data, size, position, batch);
}

cairn_status cairn_etmv3_parser_finish(struct cairn_etmv3_parser *p,
                                       struct cairn_packet_batch *batch)
{
    return cairn_framing_finish(&p->framing, batch);
}

const struct cairn_etmv3_state *cairn_etmv3_parser_stands(const struct cairn_etmv3_parser *p,
                                                          size_t *unused)
{
    const struct cairn_framing *f = &p->framing;

    *unused = f->tail - f->head;
    return f->place == CAIRN_FRAMING_PACKETS && !f->suspect && !p->damaged && !f->ended
               ? &p->compression
               : NULL;
}

struct cairn_etmv3_state *cairn_etmv3_parser_state(struct cairn_etmv3_parser *p, uint64_t *offset)
{
    *offset = cairn_framing_at(&p->framing);
    return &p->compression;
}

const uint8_t *cairn_etmv3_parser_kinds(const struct cairn_etmv3_parser *p)
{
    return p->kinds;
}

void cairn_etmv3_parser_skip(struct cairn_etmv3_parser *p, size_t bytes)
{
    cairn_framing_move(&p->framing, cairn_framing_at(&p->framing) + bytes);
}

void cairn_etmv3_parser_begin(struct cairn_etmv3_parser *p, uint64_t offset)
{
    cairn_framing_move(&p->framing, offset);
    p->damaged = false;
    p->compression = cairn_etmv3_unknown(p->decoded);
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

    if (cairn_etmv3_payload(p->decoded, kind, moved, &in, fields) != CAIRN_ETMV3_WHOLE ||
        !is_between(kind, fields))
        return 0;
    return in.at;
}

size_t cairn_etmv3_parser_between(struct cairn_etmv3_parser *p, size_t skipped,
                                  const struct cairn_branch_place *place, const uint8_t *bytes,
                                  size_t size, struct cairn_packet_batch *batch)
{
    const uint64_t offset = cairn_framing_at(&p->framing) + skipped;
    const size_t end = size < CAIRN_ETMV3_BETWEEN ? size : CAIRN_ETMV3_BETWEEN;
    size_t core = cairn_etmv3_find_sync(bytes, end, 0);
    struct cairn_etmv3_state moved = p->compression;
    size_t at = 0;

    moved.address = place->address;
    moved.state = place->thumb ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    moved.zero_stored = false;
    cairn_batch_begin(batch);
    /* A P-header is no zero: no A-sync that begins before it ends behind it. */
    while (at < end && !cairn_batch_full(batch)) {
        struct cairn_packet_fields *fields = &batch->fields[batch->count];
        size_t length;

        if (cairn_etmv3_p_header(p->decoded, bytes[at]).atoms > 0) {
            if (moved.state != CAIRN_STATE_ARM && moved.state != CAIRN_STATE_THUMB)
                break; /* a place has no room for it */
            p->compression = moved;
            cairn_etmv3_parser_skip(p, skipped + at);
            return at;
        }
        if (at == core) {
            length = CAIRN_ETMV3_SYNC_ZEROS + 1;
            cairn_framing_put(&p->framing, batch, CAIRN_ETMV3_A_SYNC, offset + at, length, NULL);
            core = cairn_etmv3_find_sync(bytes, end, at + length);
        } else {
            length = take_between(p, &moved, bytes + at, end - at, core - at, fields);
            if (length == 0)
                break;
            cairn_framing_put(&p->framing, batch, p->kinds[bytes[at]], offset + at, length, fields);
        }
        at += length;
    }
    batch->count = 0;
    return 0;
}
