/* SPDX-License-Identifier: BSD-2-Clause */
/* The parser's state: cycles on their way from samples (scan.c) to packets (parse.c). */
#ifndef CAIRN_PROTOCOL_ETMV1_PARSE_H
#define CAIRN_PROTOCOL_ETMV1_PARSE_H

#include <assert.h>

#include "protocol/etmv1/etmv1.h"

enum {
    /* Cycles that a branch waits for its address, at most, Trace Disabled in a row being one. A power of
     * two. In each other cycle a packet leaves the FIFO, on 4 pins half of one; but on 16 pins a lone one
     * stays until a status comes (5.3.1), which may be any time: that time is all in Trace Disabled. */
    CAIRN_ETMV1_WINDOW = 1024,
    CAIRN_ETMV1_PLACES = 2 * (CAIRN_ETMV1_ADDRESS_BYTES + 4), /* halves of the longest address */
    CAIRN_ETMV1_FIFO = 256,   /* bytes, at most: ETMFFLR has 8 bits for their number (3.5.8) */
    CAIRN_ETMV1_TRIGGERS = 1, /* in which nothing leaves (5.1.1); there is one in a trace (2.4) */
};

static_assert(CAIRN_ETMV1_WINDOW > 2 * CAIRN_ETMV1_FIFO + CAIRN_ETMV1_PLACES +
                                       CAIRN_ETMV1_TRIGGERS + CAIRN_ETMV1_APO_CYCLES,
              "whatever a FIFO holds in front of an address leaves while its branch waits");

/* A cycle that is not given yet, or a run of cycles that are alike, and Trace Disabled. */
struct cairn_etmv1_cycle {
    uint64_t number;  /* of the first of them, from the beginning */
    uint64_t repeats; /* more of them behind it */
    uint8_t kind;
    uint8_t status;
    uint8_t info;
    uint8_t apo; /* BE, BD: the offset; APO: its part */
    uint16_t packet;
    uint32_t lanes;
    bool broken;     /* a branch whose offset cycles are none */
    bool has_apo;    /* all of it came */
    uint32_t epoch;  /* which stretch without missing cycles it is in */
    uint64_t before; /* TRACESYNCs in front of it */
    uint64_t turn;   /* with ADDRESS_TO_COME: the number of the TRACESYNC that begins its address */
    uint64_t sync;   /* with SYNC: the number of its own */
};

struct cairn_etmv1_place {
    uint64_t cycle;
    unsigned lane;
};

struct cairn_etmv1_parser {
    struct cairn_config *config;
    const struct cairn_etmv1_config *etm;
    bool ended;
    bool synced; /* in front of the next cycle to give */
    uint64_t first,
        next;        /* the next cycle to give, and the next to come, by their place in `window` */
    uint64_t cycles; /* that came */
    unsigned partial_size; /* bytes of a sample that is not whole */
    uint8_t partial[CAIRN_SAMPLE_BYTES];

    /* which address is whose (5.6.1) */
    uint32_t epoch;
    bool aligned;       /* the last branch's turn is known */
    uint64_t next_turn; /* the one behind it, or behind the last one that was known */
    unsigned apo_left;  /* offset cycles still to come */
    uint64_t branch;    /* the cycle of the branch that they are of */
    uint64_t syncs;     /* TRACESYNCs so far */

    /* the address whose bytes are coming */
    bool collecting;
    uint64_t number; /* of its TRACESYNC */
    bool half;       /* on 4 pins: its low half is in `low` */
    uint8_t low;
    unsigned place_count;
    struct cairn_etmv1_place places[CAIRN_ETMV1_PLACES];
    struct cairn_etmv1_addresses addresses;

    struct cairn_etmv1_address table[CAIRN_ETMV1_WINDOW]; /* by the TRACESYNC's number */
    struct cairn_etmv1_cycle window[CAIRN_ETMV1_WINDOW];
};

static inline struct cairn_etmv1_cycle *cairn_etmv1_cycle_at(struct cairn_etmv1_parser *parser,
                                                             uint64_t cycle)
{
    return &parser->window[cycle % CAIRN_ETMV1_WINDOW];
}

static inline bool cairn_etmv1_is_branch(unsigned status)
{
    return status == CAIRN_ETMV1_BE || status == CAIRN_ETMV1_BD;
}

/* scan.c */
/* The next cycle; there is room for it. */
void cairn_etmv1_scan(struct cairn_etmv1_parser *parser, struct cairn_sample sample);
/* No more bytes of the address in hand are waited for. */
void cairn_etmv1_stop_collecting(struct cairn_etmv1_parser *parser);

#endif
