/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder in two floors: encode.c keeps elements that a later one may still share a packet
 * with, encode_forms.c writes one packet in the shortest form it has. Both work on this structure.
 */
#ifndef CAIRN_PROTOCOL_ETMV4_ENCODE_H
#define CAIRN_PROTOCOL_ETMV4_ENCODE_H

#include "protocol/etmv4/draft.h"

/* What waits inside for the next element. Atoms are apart: only they and Cancel wait together. */
enum cairn_encoder_held {
    CAIRN_HELD_NOTHING = 0,
    CAIRN_HELD_CANCEL,  /* atoms, where there are any, come before it */
    CAIRN_HELD_COMMIT,  /* for a Cycle Count */
    CAIRN_HELD_EVENTS,  /* for events of higher numbers */
    CAIRN_HELD_DISCARD, /* for an Overflow, which includes it */
    CAIRN_HELD_Q,       /* for its Target Address */
    CAIRN_HELD_ADDRESS, /* for a Context or an Exception, as all that follow */
    CAIRN_HELD_CONTEXT,
    CAIRN_HELD_ADDRESS_CONTEXT, /* in this order */
    CAIRN_HELD_CONTEXT_ADDRESS,
};

struct cairn_etmv4_encoder {
    uint8_t atoms; /* the Atom packet, as far as it has grown; 0: no atoms are inside */
    uint8_t held;  /* enum cairn_encoder_held */
    uint8_t events;
    bool aligned; /* an Alignment Synchronization was written */
    uint32_t choices;
    uint64_t count; /* of the Commit, Cancel or Q that is held */
    bool counted;   /* the Q that is held has a count */
    uint64_t address;
    uint8_t sub_isa;
    struct cairn_context context;
    const struct cairn_etmv4_config *etm;
    struct cairn_config *config;
    struct cairn_packet_fields fields; /* what draft.fields points to */
    struct cairn_draft draft;          /* its state is what the next packet is compressed against */
};

/* Each writes one packet unless it says otherwise. Addresses lose the bits that their instruction
 * set has not (D5.3.2). */

void cairn_encode_byte(struct cairn_encoder_out *out, unsigned byte);

void cairn_encode_target(struct cairn_etmv4_encoder *e, uint64_t address, uint8_t sub_isa,
                         struct cairn_encoder_out *out);
void cairn_encode_source(struct cairn_etmv4_encoder *e, uint64_t address, uint8_t sub_isa,
                         struct cairn_encoder_out *out);
void cairn_encode_context(struct cairn_etmv4_encoder *e, const struct cairn_context *context,
                          struct cairn_encoder_out *out);

/* True when an address and a context are worth one packet with both (D5.56 to D5.59, D5.20 to
 * D5.23), which knows neither an exact match nor an unchanged context. */
bool cairn_encode_shares(const struct cairn_etmv4_encoder *e, uint64_t address, uint8_t sub_isa,
                         const struct cairn_context *context);
void cairn_encode_target_context(struct cairn_etmv4_encoder *e, uint64_t address, uint8_t sub_isa,
                                 const struct cairn_context *context,
                                 struct cairn_encoder_out *out);

/* An Exception with an address; `context` may be NULL. E10: it stands for a Target Address too. */
void cairn_encode_exception(struct cairn_etmv4_encoder *e, unsigned type, bool e10,
                            uint64_t address, uint8_t sub_isa, const struct cairn_context *context,
                            struct cairn_encoder_out *out);
/* PE Reset, or ETMv4's exceptions without an address. */
void cairn_encode_exception_unknown(struct cairn_etmv4_encoder *e, unsigned type,
                                    struct cairn_encoder_out *out);
void cairn_encode_transaction_failure(struct cairn_etmv4_encoder *e, struct cairn_encoder_out *out);

/* A Q element and its Target Address; false, and nothing written, when no packet has both. */
bool cairn_encode_q_target(struct cairn_etmv4_encoder *e, uint64_t count, uint64_t address,
                           uint8_t sub_isa, struct cairn_encoder_out *out);
void cairn_encode_q(struct cairn_etmv4_encoder *e, bool counted, uint64_t count,
                    struct cairn_encoder_out *out);

void cairn_encode_trace_info(struct cairn_etmv4_encoder *e, const struct cairn_element_data *data,
                             struct cairn_encoder_out *out);
void cairn_encode_alignment(struct cairn_encoder_out *out);
void cairn_encode_timestamp(struct cairn_etmv4_encoder *e, uint16_t flags,
                            const struct cairn_element_data *data, struct cairn_encoder_out *out);

/* `commits` is 0 without a Commit. A count that no packet can hold is written as unknown. */
void cairn_encode_cycle_count(struct cairn_etmv4_encoder *e, uint64_t commits, bool known,
                              uint64_t cycles, struct cairn_encoder_out *out);
/* A header and an unsigned LE128 of 32 bits. */
void cairn_encode_count(struct cairn_etmv4_encoder *e, unsigned header, uint64_t count,
                        struct cairn_encoder_out *out);

#endif
