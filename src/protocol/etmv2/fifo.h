/* SPDX-License-Identifier: BSD-2-Clause */
/* What is in the trace unit's FIFO, as far as a decoder can tell (IHI0014 6.3): groups of packets that
 * statuses have placed there and that have not come out yet, and the bytes that do. The n-th status that
 * places packets goes with the n-th group. A TFO says after how many bytes its own packet comes
 * (6.5.1): that is where reading begins, and what is checked ever after. */
#ifndef CAIRN_PROTOCOL_ETMV2_FIFO_H
#define CAIRN_PROTOCOL_ETMV2_FIFO_H

#include "protocol/etmv2/etmv2.h"

struct cairn_etmv2_group {
    uint64_t cycle; /* of its status */
    uint64_t at;    /* of a TFO: how many bytes have come out in front of its packet */
    bool tfo;
    bool sought; /* what comes out in front of it belongs to nothing that is known */
};

struct cairn_etmv2_fifo {
    const struct cairn_etmv2_config *config;
    struct cairn_etmv2_state state;
    struct cairn_etmv2_group groups[CAIRN_ETMV2_FIFO]; /* a ring */
    unsigned first, count;
    uint64_t taken;        /* bytes that came out */
    unsigned group_bytes;  /* of them, of the group in hand */
    uint64_t packet_cycle; /* when the packet in hand began */
    uint8_t bytes[CAIRN_ETMV2_LONGEST];
    unsigned size;
};

/* A packet that a byte ended. */
struct cairn_etmv2_item {
    uint8_t kind;
    struct cairn_packet_fields fields;
};

/* A status of this cycle has placed a group. False: there is no room for one in any FIFO. */
bool cairn_etmv2_fifo_place(struct cairn_etmv2_fifo *fifo, uint64_t cycle, bool tfo);
/* The same of a TFO where nothing is known of what is in front of its packet: reading begins there. */
void cairn_etmv2_fifo_seek(struct cairn_etmv2_fifo *fifo, uint64_t cycle);
/* The offset of the youngest TFO. */
void cairn_etmv2_fifo_offset(struct cairn_etmv2_fifo *fifo, unsigned bytes);
/* Nothing is in it, and nothing is known. */
void cairn_etmv2_fifo_forget(struct cairn_etmv2_fifo *fifo);
/* A byte comes out in this cycle; there is a group. True: *item is there. Where that is RESERVED or
 * OUT_OF_STEP, groups in front of the next TFO are gone, and without one all are. */
bool cairn_etmv2_fifo_take(struct cairn_etmv2_fifo *fifo, uint64_t cycle, uint8_t byte,
                           struct cairn_etmv2_item *item);
/* For how many cycles the oldest group has been waited for. */
uint64_t cairn_etmv2_fifo_waits(const struct cairn_etmv2_fifo *fifo, uint64_t cycle);

#endif
