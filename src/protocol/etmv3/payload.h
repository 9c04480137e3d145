/* SPDX-License-Identifier: BSD-2-Clause */
/* One packet's bytes -> its fields. */
#ifndef CAIRN_PROTOCOL_ETMV3_PAYLOAD_H
#define CAIRN_PROTOCOL_ETMV3_PAYLOAD_H

#include "protocol/etmv3/etmv3.h"

/* Reads bytes one after the other; runs dry instead of overrunning. */
struct cairn_etmv3_cursor {
    const uint8_t *bytes;
    size_t size;
    size_t at;
    bool dry;
    bool malformed;     /* no packet of the protocol */
    bool sbz;           /* a bit that should be zero (or one) is not */
    bool contradiction; /* fields that no trace unit writes together */
};

static inline unsigned cairn_etmv3_next(struct cairn_etmv3_cursor *in)
{
    if (in->at == in->size) {
        in->dry = true;
        return 0;
    }
    return in->bytes[in->at++];
}

/* branch.c: a branch packet, or the compressed address of an LSiP I-sync (7.7.3), which has no
 * deprecated exception. Moves `state`; fills address, address_bits, state, info and the like. */
void cairn_etmv3_branch(const struct cairn_etmv3_config *config, struct cairn_etmv3_state *state,
                        struct cairn_etmv3_cursor *in, bool is_lsip,
                        struct cairn_packet_fields *fields);

enum cairn_etmv3_take {
    CAIRN_ETMV3_WHOLE = 0,
    CAIRN_ETMV3_MALFORMED = 1,
    CAIRN_ETMV3_MORE = 2, /* the bytes are too few */
};

/* payload.c: the packet of this kind at in->bytes, its header included; in->at is its length behind
 * it. `state` is moved, and worthless unless the packet is whole. */
enum cairn_etmv3_take cairn_etmv3_payload(const struct cairn_etmv3_config *config, unsigned kind,
                                          struct cairn_etmv3_state *state,
                                          struct cairn_etmv3_cursor *in,
                                          struct cairn_packet_fields *fields);

/* Natural binary of a Gray coded number. */
uint64_t cairn_etmv3_from_gray(uint64_t gray);

/* Whether the count of a gap that began so is a count (7.3.4). */
bool cairn_etmv3_counts_over(const struct cairn_etmv3_config *config, unsigned reason);

/* The whole context behind a packet. */
struct cairn_context cairn_etmv3_context(const struct cairn_etmv3_state *state);

#endif
