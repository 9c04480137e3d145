/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes -> packets without fields: protocol/bare_packets.h for PTM (IHI0035 4.5). */
#include "base/bytes.h"
#include "protocol/bare_packets.h"
#include "protocol/ptm/parse.h"

#define EACH UINT64_C(0x0101010101010101)

_Static_assert(CAIRN_BARE_FRONT + CAIRN_PTM_LONGEST + CAIRN_BARE_ZEROS <= CAIRN_BARE_MARGIN,
               "one turn looks at no more");
_Static_assert(CAIRN_BARE_ZEROS == CAIRN_PTM_ASYNC_ZEROS, "IHI0035 4.5.1");

/* How many of the bytes, from the first on, are headers of Atoms without counts: 1xxxxxx0, but for
 * 10000000 and 10000010. */
static inline unsigned ptm_atoms_in_front(uint64_t bytes)
{
    const uint64_t any = (bytes & EACH * 0x7c) + EACH * 0x7c; /* in the top bit of each byte */
    const uint64_t others = (~bytes | bytes << 7 | ~any) & EACH * 0x80;

    return others ? (unsigned)__builtin_ctzll(others) / 8 : CAIRN_BARE_FRONT;
}

/* Atoms without counts, as many as stand in front. */
CAIRN_BARE_INLINE void ptm_take_atoms(struct cairn_bare *b, const bool wide)
{
    const unsigned count = ptm_atoms_in_front(cairn_load_le64(b->data + b->at));

    if (b->kind)
        for (unsigned i = 0; i < CAIRN_BARE_FRONT; i++) /* too many are written over */
            b->kind[b->count + i] = CAIRN_PTM_ATOM;
    if (wide)
        for (unsigned i = 0; i < count; i++)
            cairn_bare_put_place(b, b->count + i, b->at + i, 1, CAIRN_PTM_ATOM);
    b->count += count;
    b->at += count;
}

/* An Atom with its count. */
CAIRN_BARE_INLINE bool ptm_take_counted(struct cairn_bare *b, const bool wide)
{
    const uint8_t *packet = b->data + b->at;
    uint32_t count;
    const unsigned length = cairn_count_read(cairn_load_le64(packet), &count);

    if (length == 0 || cairn_bare_may_be_cut(packet, length))
        return false;
    cairn_bare_put(b, length, CAIRN_PTM_ATOM, wide);
    return true;
}

/* Any other packet that is whole and legal, and leaves branch packets what they are for here. */
static bool ptm_take_other(struct cairn_bare *b, struct cairn_ptm_parser *p, const bool wide)
{
    const uint8_t *packet = b->data + b->at;
    const unsigned kind = p->kinds[*packet];
    struct cairn_packet_fields fields;
    struct cairn_ptm_state moved = p->state;
    size_t length;

    if (*packet == 0)
        return cairn_bare_async(b, CAIRN_PTM_ALIGNMENT_SYNC, wide);
    moved.address = b->place.address;
    moved.alignment = b->place.thumb ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    if (cairn_ptm_payload(p->decoded, kind, &moved, packet, b->size - b->at, &length, &fields) !=
            CAIRN_PTM_WHOLE ||
        cairn_bare_has_zeros(packet, length) || moved.alignment == CAIRN_STATE_JAZELLE ||
        moved.alt_is)
        return false;
    p->state = moved;
    b->place = (struct cairn_branch_place){moved.address, moved.alignment == CAIRN_STATE_THUMB};
    if (fields.flags & CAIRN_PACKET_HAS_ADDRESS)
        cairn_bare_put_address(b, fields.address | fields.sub_isa);
    cairn_bare_put(b, length, kind, wide);
    return true;
}

CAIRN_BARE_INLINE void ptm_run(struct cairn_bare *bare, struct cairn_ptm_parser *p,
                               const bool counts, const bool wide)
{
    struct cairn_bare b = *bare;

    while (cairn_bare_goes_on(&b)) {
        if (!counts)
            ptm_take_atoms(&b, wide);
        const uint8_t header = b.data[b.at];

        if (cairn_branch_begins(header) &&
            cairn_bare_branch(&b, CAIRN_PTM_BRANCH_ADDRESS, true, counts, wide))
            continue;
        if (p->kinds[header] == CAIRN_PTM_ATOM && (!counts || ptm_take_counted(&b, wide)))
            continue;
        *bare = b;
        if (!ptm_take_other(bare, p, wide))
            return;
        b = *bare;
    }
    *bare = b;
}

size_t cairn_ptm_parse_bare(void *parser, uint64_t at, const uint8_t *data, size_t size,
                            struct cairn_packet_batch *batch)
{
    struct cairn_ptm_parser *p = parser;
    struct cairn_bare bare = cairn_bare_begin(&p->framing, batch, at, data, size);

    if (!p->state.address_known || p->state.alignment == CAIRN_STATE_JAZELLE || p->state.alt_is)
        return 0;
    bare.place =
        (struct cairn_branch_place){p->state.address, p->state.alignment == CAIRN_STATE_THUMB};
    if (cairn_bare_is_wide(batch))
        ptm_run(&bare, p, p->decoded->cycle_accurate, true);
    else if (p->decoded->cycle_accurate)
        ptm_run(&bare, p, true, false);
    else
        ptm_run(&bare, p, false, false);
    p->state.address = bare.place.address;
    p->state.alignment = bare.place.thumb ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    cairn_bare_end(&bare);
    return bare.at;
}
