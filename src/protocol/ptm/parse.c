/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes -> packets (IHI0035 4.5), by protocol/framing.h.
 *
 * What packets are compressed against is forgotten behind a reserved packet, as a packet may be
 * missing, and again at the A-sync, as the bytes between may have looked like an I-sync: addresses
 * are known again from the next I-sync behind it. */
#include "protocol/ptm/parse.h"

#include <stdlib.h>

#include "base/bytes.h"

#define ATOM 0x80u /* of a header whose bit 0 is 0 */

enum { BETWEEN = 64 }; /* bytes of packets between two that go past the levels, at most */

static void ptm_synchronised(void *parser, bool suspect)
{
    struct cairn_ptm_parser *p = parser;

    if (suspect) /* the bytes since the reserved packet have told nothing for certain */
        p->state = cairn_ptm_unknown(p->decoded);
}

static void ptm_damaged(void *parser)
{
    struct cairn_ptm_parser *p = parser;

    p->state = cairn_ptm_unknown(p->decoded);
}

/* One packet. False: more bytes are needed. The fields are parsed into their place in the batch. */
static bool ptm_step(struct cairn_ptm_parser *p, struct cairn_packet_batch *batch)
{
    struct cairn_framing *f = &p->framing;
    const size_t size = cairn_framing_limit(f) - f->head;
    const uint8_t *bytes = f->window + f->head;
    struct cairn_packet_fields scratch;
    struct cairn_packet_fields *fields = batch->fields ? &batch->fields[batch->count] : &scratch;
    size_t length;

    if (size == 0 || bytes[0] == 0x00) {
        cairn_framing_zero_run(f);
        return true;
    }
    const unsigned kind = p->kinds[bytes[0]];
    struct cairn_ptm_state moved = p->state;
    const enum cairn_ptm_take take =
        cairn_ptm_payload(p->decoded, kind, &moved, bytes, size, &length, fields);

    if (take == CAIRN_PTM_MORE)
        return cairn_framing_put_rest(f, batch);
    if (!cairn_framing_settled(f, length, CAIRN_PTM_ASYNC_ZEROS))
        return false;
    if (take == CAIRN_PTM_BROKEN) {
        cairn_framing_put_damage(f, batch, CAIRN_PTM_RESERVED, length);
        return true;
    }
    p->state = moved;
    cairn_framing_put(f, batch, kind, cairn_framing_at(f), length, fields);
    f->head += length;
    return true;
}

static bool ptm_packets(void *parser, struct cairn_packet_batch *batch)
{
    struct cairn_ptm_parser *p = parser;

    while (cairn_framing_goes_on(&p->framing, batch))
        if (!ptm_step(p, batch))
            return false;
    return true;
}

static const uint8_t accounts[] = {
#define ROW(NAME, MASK, HEADER, ACCOUNT, TEXT, SECTION) ACCOUNT,
    CAIRN_PTM_PACKETS(ROW)
#undef ROW
};

static const struct cairn_framing_rules rules = {
    .sync_zeros = CAIRN_PTM_ASYNC_ZEROS,
    .accounts = accounts,
    .async = CAIRN_PTM_ALIGNMENT_SYNC,
    .not_sync = CAIRN_PTM_NOT_SYNC,
    .reserved = CAIRN_PTM_RESERVED,
    .incomplete = CAIRN_PTM_INCOMPLETE,
    .cut = CAIRN_PTM_CUT,
    .incomplete_sync = CAIRN_PTM_INCOMPLETE_SYNC,
    .find_sync = cairn_ptm_find_sync,
    .packets = ptm_packets,
    .synchronised = ptm_synchronised,
    .damaged = ptm_damaged,
    .fast = cairn_ptm_parse_bare,
};

cairn_status cairn_ptm_parser_new(struct cairn_config *config, void **parser)
{
    struct cairn_ptm_parser *p = calloc(1, sizeof *p);

    if (!p)
        return CAIRN_E_MEMORY;
    cairn_framing_begin(&p->framing, &rules);
    p->config = cairn_config_ref(config);
    p->decoded = cairn_ptm_of(config);
    cairn_ptm_headers(p->decoded, p->kinds);
    p->state = cairn_ptm_unknown(p->decoded);
    *parser = p;
    return CAIRN_OK;
}

void cairn_ptm_parser_free(void *parser)
{
    struct cairn_ptm_parser *p = parser;

    if (!p)
        return;
    cairn_config_unref(p->config);
    free(p);
}

cairn_status cairn_ptm_parser_run(void *parser, const uint8_t *data, size_t size, size_t *position,
                                  struct cairn_packet_batch *batch)
{
    struct cairn_ptm_parser *p = parser;

    return cairn_framing_run(&p->framing, data, size, position, batch);
}

cairn_status cairn_ptm_parser_finish(void *parser, struct cairn_packet_batch *batch)
{
    struct cairn_ptm_parser *p = parser;

    return cairn_framing_finish(&p->framing, batch);
}

const struct cairn_ptm_state *cairn_ptm_parser_stands(const void *parser, size_t *unused)
{
    const struct cairn_ptm_parser *p = parser;
    const struct cairn_framing *f = &p->framing;

    *unused = f->tail - f->head;
    return f->place == CAIRN_FRAMING_PACKETS && !f->suspect && !f->ended ? &p->state : NULL;
}

struct cairn_ptm_state *cairn_ptm_parser_state(void *parser, uint64_t *offset)
{
    struct cairn_ptm_parser *p = parser;

    *offset = cairn_framing_at(&p->framing);
    return &p->state;
}

void cairn_ptm_parser_skip(void *parser, size_t bytes)
{
    struct cairn_ptm_parser *p = parser;

    cairn_framing_move(&p->framing, cairn_framing_at(&p->framing) + bytes);
}

void cairn_ptm_parser_begin(void *parser, uint64_t offset)
{
    struct cairn_ptm_parser *p = parser;

    cairn_framing_move(&p->framing, offset);
    p->state = cairn_ptm_unknown(p->decoded);
}

/* The A-sync that the zeros at bytes[at] lead to. Returns its length; 0: they are none, or more
 * bytes are needed to know. */
static size_t async_length(const uint8_t *bytes, size_t at, size_t end, size_t core)
{
    if (core >= end || !cairn_all_zero(bytes + at, core - at))
        return 0;
    return core + CAIRN_PTM_ASYNC_ZEROS + 1 - at;
}

/* The packet at bytes[at], which an A-sync at `core` follows, unless that is behind `end`. Returns
 * its length; 0: it is not whole, or not legal, or nobody knows yet. */
static size_t take_between(const struct cairn_ptm_parser *p, struct cairn_ptm_state *moved,
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
        cairn_all_zero(bytes + at,
                       end - at < CAIRN_PTM_ASYNC_ZEROS ? end - at : CAIRN_PTM_ASYNC_ZEROS))
        return 0;
    return length;
}

/* Whether the packet at bytes[at] is for who takes them past the levels. */
static bool is_plain(const uint8_t *bytes, size_t left)
{
    struct cairn_branch_place place = {0};

    if (!cairn_branch_begins(*bytes) || left < CAIRN_BRANCH_MARGIN)
        return cairn_branch_begins(*bytes) || (*bytes & ATOM);
    return cairn_branch_read(cairn_load_le64(bytes), true, &place) > 0;
}

size_t cairn_ptm_parser_between(void *parser, size_t skipped,
                                const struct cairn_branch_place *place, const uint8_t *bytes,
                                size_t size, struct cairn_packet_batch *batch)
{
    struct cairn_ptm_parser *p = parser;
    const uint64_t offset = cairn_framing_at(&p->framing) + skipped;
    const size_t end = size < BETWEEN ? size : BETWEEN;
    size_t core = cairn_ptm_find_sync(bytes, end, 0);
    size_t at = 0;

    p->state.address = place->address;
    p->state.alignment = place->thumb ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    batch->count = 0;
    batch->address_count = 0;
    while (at < end && !cairn_batch_full(batch) && !is_plain(bytes + at, end - at)) {
        struct cairn_packet_fields *fields = &batch->fields[batch->count];
        struct cairn_ptm_state moved = p->state;
        size_t length;

        if (bytes[at] == 0) {
            length = async_length(bytes, at, end, core);
            if (length == 0)
                break;
            cairn_framing_put(&p->framing, batch, CAIRN_PTM_ALIGNMENT_SYNC, offset + at, length,
                              NULL);
            core = cairn_ptm_find_sync(bytes, end, at + length);
        } else {
            length = take_between(p, &moved, bytes, at, end, core, fields);
            if (length == 0)
                break;
            cairn_framing_put(&p->framing, batch, p->kinds[bytes[at]], offset + at, length, fields);
            p->state = moved;
        }
        at += length;
    }
    if (at > 0)
        cairn_ptm_parser_skip(p, skipped + at);
    return at;
}
