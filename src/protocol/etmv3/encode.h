/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements -> the packets of ETMv3 (IHI0014 chapter 7), through encoder_new ... of protocol.h: what
 * protocol/encoder.h says of the encoder of ETMv4, for ETMv3. It takes what docs/legacy.md says
 * that packets are decoded to:
 *   CAIRN_ELEMENT_A_SYNC   an A-sync. The next data address and timestamp are whole
 *   TRACE_INFO        an I-sync begins: info = bits [7:5] of its information byte (LSiP, reason).
 *                     Behind it come [OVERFLOW], [TRACE_ON], CONTEXT and TARGET_ADDRESS; with LSiP
 *                     then ATOM (E), [CONTEXT] and the TARGET_ADDRESS of the current instruction;
 *                     and perhaps CYCLE_COUNT with CAIRN_ELEMENT_CYCLES, which directly behind
 *                     TRACE_INFO and OVERFLOW it need not have: an I-sync with cycle count, unless
 *                     it is periodic. Behind an OVERFLOW the next timestamp is whole. OVERFLOW
 *                     makes the reason 2, TRACE_ON makes it 1 if `info` says 0; with neither the
 *                     I-sync is of the reason that `info` has. In data-only mode CONTEXT is the
 *                     last of it, and there is no TARGET_ADDRESS
 *   ATOM              a P-header's
 *   CYCLE_COUNT       `value` W atoms, of which one call takes CAIRN_ETMV3_WAITS_MAX at most; with
 *                     CAIRN_ELEMENT_CYCLES: a Cycle count packet, UNKNOWN or beyond 32 bits is 0
 *   CONTEXT           Context ID and VMID packets as they change; NS and Hyp change with the branch
 *                     packet that comes next, as nothing else says them
 *   CANCEL, CANCELLED     Can = 1 in the branch packet that comes next; PAUSED: at the transfer in
 *                     `info`, its Resume field
 *   EXCEPTION         value = type, in the branch packet that comes next
 *   TARGET_ADDRESS    a branch packet, from what came before it; PAUSED: resumed at `info`
 *   STACKING, EXCEPTION_RETURN, EVENT     packets of one byte: 7E, 76, Trigger
 *   TIMESTAMP         value, or UNKNOWN; info bit 0: the clock has changed (R)
 *   DATA              see <cairn/element.h>; the value's size is the least that it has
 *
 * What the configuration has no packet for is left out. P-headers are packed as far as the next
 * element of another kind, or flush. */
#ifndef CAIRN_PROTOCOL_ETMV3_ENCODE_H
#define CAIRN_PROTOCOL_ETMV3_ENCODE_H

#include "protocol/etmv3/etmv3.h"

#define CAIRN_ETMV3_WAITS_MAX 512u /* 64 P-headers */

/* The P-header that is growing (7.3.1). Not cycle-accurate: `executed` E, then perhaps an N.
 * Cycle-accurate: `late` W and an E, or else `executed` times WE, then perhaps WN; behind either
 * `waits` W that no instruction has ended. */
struct cairn_etmv3_atoms {
    uint8_t executed; /* 0 to 15, or to 7 */
    bool not_executed;
    uint8_t late; /* 0, or 2 to 8 */
    uint32_t waits;
};

/* An I-sync that is not written yet: how far it is. */
enum cairn_etmv3_sync {
    CAIRN_SYNC_NONE = 0,
    CAIRN_SYNC_BEGUN,   /* no address yet */
    CAIRN_SYNC_CURRENT, /* LSiP, without the address of the current instruction */
    CAIRN_SYNC_WHOLE,   /* a cycle count may still join */
};

struct cairn_etmv3_encoder {
    struct cairn_config *config;
    const struct cairn_etmv3_config *etm;
    struct cairn_etmv3_writer *writer;
    struct cairn_etmv3_atoms atoms;
    uint8_t sync;     /* enum cairn_etmv3_sync */
    bool sync_counts; /* it has a cycle count */
    struct cairn_packet_fields sync_fields;
    struct cairn_packet_fields branch; /* of the branch packet to come: exception, Can, Resume */
    struct cairn_context told;         /* identifiers a decoder knows */
    struct cairn_context context;      /* and what is current */
    bool data_sync;                    /* the next data address is whole (7.7.4) */
    bool time_sync;                    /* the next timestamp is (7.7.1, 7.10 of issue Q) */
};

cairn_status cairn_etmv3_encoder_new(struct cairn_config *config, uint32_t choices,
                                     struct cairn_etmv3_encoder **encoder);
void cairn_etmv3_encoder_free(struct cairn_etmv3_encoder *encoder);
void cairn_etmv3_encoder_atom(struct cairn_etmv3_encoder *encoder, bool executed,
                              struct cairn_encoder_out *out);
void cairn_etmv3_encoder_put(struct cairn_etmv3_encoder *encoder, unsigned kind, uint16_t flags,
                             const struct cairn_element_data *data, struct cairn_encoder_out *out);
void cairn_etmv3_encoder_flush(struct cairn_etmv3_encoder *encoder, struct cairn_encoder_out *out);

/* Writes a packet, if there is one with these fields. */
bool cairn_etmv3_encode(struct cairn_etmv3_encoder *encoder, unsigned kind,
                        const struct cairn_packet_fields *fields, struct cairn_encoder_out *out);

/* encode_atoms.c */
void cairn_etmv3_encode_atom(struct cairn_etmv3_encoder *encoder, bool executed,
                             struct cairn_encoder_out *out);
void cairn_etmv3_encode_waits(struct cairn_etmv3_encoder *encoder, uint64_t waits,
                              struct cairn_encoder_out *out);
void cairn_etmv3_encode_p_header(struct cairn_etmv3_encoder *encoder,
                                 struct cairn_encoder_out *out);

/* encode_data.c */
void cairn_etmv3_encode_data(struct cairn_etmv3_encoder *encoder,
                             const struct cairn_element_data *data, struct cairn_encoder_out *out);

#endif
