/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes -> packets without fields: protocol/bare_packets.h for ETMv3 (IHI0014 7.3). */
#include "base/bytes.h"
#include "protocol/bare_packets.h"
#include "protocol/etmv3/parse.h"

_Static_assert(CAIRN_BARE_ZEROS == CAIRN_ETMV3_SYNC_ZEROS, "IHI0014 7.3.3");

enum { LONGEST = CAIRN_BARE_MARGIN - CAIRN_BARE_FRONT - CAIRN_BARE_ZEROS }; /* looked at */

_Static_assert((int)CAIRN_ETMV3_P_HEADER_F2 == (int)CAIRN_ETMV3_P_HEADER_F1 + 1,
               "bit 1 tells which");

typedef uint8_t headers __attribute__((vector_size(CAIRN_BARE_FRONT)));
typedef uint16_t kinds __attribute__((vector_size(2 * CAIRN_BARE_FRONT)));

/* Of as many P-headers as can stand in front; those that are none are written over later. */
static inline void etmv3_put_kinds(uint16_t *kind, const uint8_t *packet)
{
    headers bytes;
    kinds wide;

    memcpy(&bytes, packet, sizeof bytes);
    wide = (__builtin_convertvector(bytes, kinds) >> 1 & 1) + CAIRN_ETMV3_P_HEADER_F1;
    memcpy(kind, &wide, sizeof wide);
}

/* P-headers, as many as stand in front. */
CAIRN_BARE_INLINE void etmv3_take_headers(struct cairn_bare *b, const struct cairn_etmv3_parser *p,
                                          const bool cycles, const bool wide)
{
    const uint8_t *packet = b->data + b->at;
    unsigned count = 0;

    if (cycles)
        while (count < CAIRN_BARE_FRONT && (packet[count] & 0x81) == 0x80 &&
               p->kinds[packet[count]] != CAIRN_ETMV3_RESERVED)
            count++;
    else
        count = cairn_p_header_bits(cairn_load_le64(packet)) / 8;
    if (b->kind && cycles)
        for (unsigned i = 0; i < count; i++)
            b->kind[b->count + i] = p->kinds[packet[i]];
    else if (b->kind)
        etmv3_put_kinds(b->kind + b->count, packet);
    if (wide)
        for (unsigned i = 0; i < count; i++)
            cairn_bare_put_place(b, b->count + i, b->at + i, 1, p->kinds[packet[i]]);
    b->count += count;
    b->at += count;
}

/* Any other packet that is whole and legal, and leaves branch packets what they are for here. */
static bool etmv3_take_other(struct cairn_bare *b, struct cairn_etmv3_parser *p, const bool wide)
{
    const uint8_t *packet = b->data + b->at;
    const size_t left = b->size - b->at;
    const unsigned kind = p->kinds[*packet];
    struct cairn_etmv3_cursor in = {.bytes = packet, .size = left < LONGEST ? left : LONGEST};
    struct cairn_packet_fields fields;
    struct cairn_etmv3_state moved = p->compression;

    if (kind == CAIRN_ETMV3_A_SYNC) {
        if (!cairn_bare_async(b, kind, wide))
            return false;
        p->compression.zero_stored = false;
        return true;
    }
    moved.address = b->place.address;
    moved.state = b->place.thumb ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    if (kind == CAIRN_ETMV3_RESERVED ||
        cairn_etmv3_payload(p->decoded, kind, &moved, &in, &fields) != CAIRN_ETMV3_WHOLE ||
        in.at + CAIRN_BARE_ZEROS > left || cairn_bare_has_zeros(packet, in.at) ||
        (moved.state != CAIRN_STATE_ARM && moved.state != CAIRN_STATE_THUMB))
        return false;
    p->compression = moved;
    b->place = (struct cairn_branch_place){moved.address, moved.state == CAIRN_STATE_THUMB};
    if (fields.flags & CAIRN_PACKET_HAS_ADDRESS)
        cairn_bare_put_address(b, fields.address | fields.sub_isa);
    cairn_bare_put(b, in.at, kind, wide);
    return true;
}

CAIRN_BARE_INLINE void etmv3_run(struct cairn_bare *bare, struct cairn_etmv3_parser *p,
                                 const bool cycles, const bool narrow, const bool wide)
{
    struct cairn_bare b = *bare;

    while (cairn_bare_goes_on(&b)) {
        const size_t before = b.at;

        etmv3_take_headers(&b, p, cycles, wide);
        if (cairn_branch_begins(b.data[b.at]) &&
            cairn_bare_branch(&b, CAIRN_ETMV3_BRANCH, narrow, false, wide)) {
            p->compression.zero_stored = false;
            continue;
        }
        if (b.at != before) {
            p->compression.zero_stored = false;
            if (b.at - before == CAIRN_BARE_FRONT)
                continue;
        }
        *bare = b;
        if (!etmv3_take_other(bare, p, wide))
            return;
        b = *bare;
    }
    *bare = b;
}

size_t cairn_etmv3_parse_bare(void *parser, uint64_t at, const uint8_t *data, size_t size,
                              struct cairn_packet_batch *batch)
{
    struct cairn_etmv3_parser *p = parser;
    struct cairn_etmv3_state *state = &p->compression;
    const bool narrow = p->decoded->alternative;
    struct cairn_bare bare = cairn_bare_begin(&p->framing, batch, at, data, size);

    if (p->damaged || p->decoded->data_only || state->address_known != 32 ||
        (state->state != CAIRN_STATE_ARM && state->state != CAIRN_STATE_THUMB))
        return 0;
    bare.place = (struct cairn_branch_place){state->address, state->state == CAIRN_STATE_THUMB};
    if (cairn_bare_is_wide(batch))
        etmv3_run(&bare, p, p->decoded->cycle_accurate, narrow, true);
    else if (p->decoded->cycle_accurate)
        etmv3_run(&bare, p, true, narrow, false);
    else if (narrow)
        etmv3_run(&bare, p, false, true, false);
    else
        etmv3_run(&bare, p, false, false, false);
    state->address = bare.place.address;
    state->state = bare.place.thumb ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    cairn_bare_end(&bare);
    return bare.at;
}
