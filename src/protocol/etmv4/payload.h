/* SPDX-License-Identifier: BSD-2-Clause */
/* Payload of one ETMv4/ETE packet: bytes -> fields, with the decompression state it needs.
 * DDI0608 D5 (layouts), D5.3 (field encodings), D9.2 (state). */
#ifndef CAIRN_ETMV4_PAYLOAD_H
#define CAIRN_ETMV4_PAYLOAD_H

#include "protocol/etmv4/etmv4.h"

/* Alignment Synchronization (DDI0608 D5.4): at least this many zeros, then the end byte. */
#define CAIRN_ETMV4_ASYNC_ZEROS 11u
#define CAIRN_ETMV4_ASYNC_END 0x80u

/* From here on every header is that of an Atom packet (DDI0608 D5.2). */
#define CAIRN_ETMV4_FIRST_ATOM 0xc0u

/* One entry of the address history (DDI0608 D15.3.9). */
struct cairn_etmv4_address {
    uint64_t address;
    uint8_t sub_isa;
};

/* What the packets are compressed against (DDI0608 D9.2.1.1). Trace Info resets it. */
struct cairn_etmv4_state {
    struct cairn_etmv4_address history[3];
    uint64_t timestamp;
    struct cairn_context context;
    uint32_t cc_threshold;
    /* Behind a reserved packet, until they are told in full again */
    uint8_t unknown;        /* of `history`, the last so many */
    bool unknown_timestamp; /* its upper bits */
};

/* Everything that the packets are compressed against is known. */
static inline bool cairn_etmv4_state_is_known(const struct cairn_etmv4_state *state)
{
    return state->unknown == 0 && !state->unknown_timestamp;
}

/* How parsing one packet ended. */
enum cairn_etmv4_take {
    CAIRN_TAKE_WHOLE = 0,    /* `length` bytes, `kind`, fields; the state moved on */
    CAIRN_TAKE_MORE = 1,     /* the bytes end inside the packet; nothing changed */
    CAIRN_TAKE_RESERVED = 2, /* byte `length` - 1 makes it a reserved encoding; nothing changed */
    CAIRN_TAKE_FRAMED = 3,   /* reserved, but of `length` bytes for certain; the state moved on */
};

/* The kind of packet each header byte begins under a configuration; CAIRN_ETMV4_RESERVED for none.
 * Headers 00 and 06 begin several kinds: the table has ALIGNMENT_SYNC and EXCEPTION for them. */
void cairn_etmv4_headers(const struct cairn_etmv4_config *config, uint8_t kinds[256]);

/* The account that a packet of this kind is in by itself. */
enum cairn_account cairn_etmv4_account(unsigned kind);
extern const uint8_t cairn_etmv4_accounts[]; /* the same, by kind */

/* An Atom packet, all of which is its header: true, with kind and fields. */
bool cairn_etmv4_atoms(const uint8_t kinds[256], unsigned header, unsigned *kind,
                       struct cairn_packet_fields *fields);

/* Parses the packet at bytes[0]. `size` is not 0, and bytes[0] is not the header 00. */
enum cairn_etmv4_take cairn_etmv4_payload(const struct cairn_etmv4_config *config,
                                          const uint8_t kinds[256], struct cairn_etmv4_state *state,
                                          const uint8_t *bytes, size_t size, size_t *length,
                                          unsigned *kind, struct cairn_packet_fields *fields);

/* The state right after a Trace Info (DDI0608 D9.2.6.2). */
void cairn_etmv4_state_reset(struct cairn_etmv4_state *state);

/* hot.c: true when no A-sync begins inside the packet at bytes[0] and cuts it, as far as `size`
 * bytes tell for certain. */
bool cairn_etmv4_is_clear(const uint8_t *bytes, size_t length, size_t size);

/* hot.c: the same state as <protocol/etmv4/hot.h> has it. */
void cairn_etmv4_to_hot(const struct cairn_etmv4_state *state, struct cairn_hot_state *hot);
void cairn_etmv4_from_hot(const struct cairn_hot_state *hot, struct cairn_etmv4_state *state);

#endif
