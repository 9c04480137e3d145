/* SPDX-License-Identifier: BSD-2-Clause */
/* An Atom or branch packet of PTM where it lies, and what is told of its count. */
#ifndef CAIRN_PTM_WORDS_PACKET_H
#define CAIRN_PTM_WORDS_PACKET_H

#include "base/bytes.h"
#include "protocol/ptm/ptm.h"
#include "protocol/ptm/words.h"

enum {
    ATOM = 0x80,   /* of its header; */
    ATOM_N = 0x02, /* and of one with a count */
};

/* A packet, as it is read. */
struct ptm_packet {
    unsigned length; /* 0: it is not for here */
    unsigned atoms;
    unsigned bits;
    bool branch;
    uint32_t count;
};

/* Reads the packet there. A branch packet moves the place, even one that is not for here. */
static inline __attribute__((always_inline)) struct ptm_packet
ptm_read(const uint8_t *at, const bool counts, struct cairn_branch_place *place)
{
    const uint64_t bytes = cairn_load_le64(at);
    struct ptm_packet packet = {.branch = cairn_branch_begins(bytes), .atoms = 1, .bits = 1};

    if (packet.branch) {
        packet.length = cairn_branch_read(bytes, true, place);
        if (counts && packet.length > 0) {
            const unsigned more =
                cairn_count_read(cairn_load_le64(at + packet.length), &packet.count);

            packet.length = more ? packet.length + more : 0;
        }
    } else if ((bytes & ATOM) && counts) {
        packet.bits = !(bytes & ATOM_N);
        packet.length = cairn_count_read(bytes, &packet.count);
    } else if (bytes & ATOM) {
        packet.atoms = cairn_ptm_atoms_of[bytes >> 1 & 0x3f].count;
        packet.bits = cairn_ptm_atoms_of[bytes >> 1 & 0x3f].bits;
        packet.length = packet.atoms > 0;
    }
    /* it may be cut by an A-sync, whose zeros begin in it (4.5.1) */
    if (packet.length > 0 && at[packet.length - 1] == 0 && at[packet.length] == 0)
        packet.length = 0;
    return packet;
}

static inline void ptm_put_aside(struct cairn_aside **aside, unsigned kind, unsigned step,
                                 uint32_t at, unsigned length)
{
    /* Member by member: a copy would wait for the stores of its parts. */
    (*aside)->value = 0;
    (*aside)->at = at;
    (*aside)->data = 0;
    (*aside)->length = (uint16_t)length;
    (*aside)->lead = 0;
    (*aside)->flags = 0;
    (*aside)->kind = (uint8_t)kind;
    (*aside)->step = (uint8_t)step;
    ++*aside;
}

static inline void ptm_put_count(struct cairn_aside **aside, unsigned step, uint32_t at,
                                 const struct ptm_packet *packet)
{
    ptm_put_aside(aside, CAIRN_ELEMENT_CYCLE_COUNT, step, at, packet->length);
    if (cairn_count_is_known(packet->count))
        (*aside)[-1].value = packet->count;
    else
        (*aside)[-1].flags = CAIRN_ELEMENT_UNKNOWN;
}

#endif
