/* SPDX-License-Identifier: BSD-2-Clause */
/* The scanned way of decoding: a source's bytes become tokens (protocol/scan.h), and runs of their
 * Atoms are looked up like the packets of the hot loop. */
#ifndef CAIRN_FLOW_SCANNED_H
#define CAIRN_FLOW_SCANNED_H

#include "flow/hot.h"
#include "protocol/scan.h"

struct cairn_engine;

/* Where a scanned source stands. */
struct cairn_scanned {
    void *scan; /* the protocol's; NULL: the source is not decoded so */
    struct cairn_scan_batch tokens;
    size_t next;      /* token to take */
    unsigned skip;    /* Atoms of it that are done */
    size_t taken;     /* of the caller's bytes, by the scan */
    bool under_way;   /* `taken` is of these bytes */
    bool transaction; /* what the last TRANSACTION mark said */
    bool packet_told; /* a PACKET event was given, for the packet at: */
    uint64_t packet;
    struct cairn_scan_ledger counted; /* what the engine's ledger has of the scan's */

    struct cairn_hot_cycles cycles;
    bool has_bytes;               /* bytes may be taken without the scan */
    bool by_scan;                 /* the next ones may not */
    size_t few;                   /* tokens that a scan may then give, */
    size_t many;                  /* and where it is often called on */
    uint64_t on_end;              /* bytes taken since it was */
    struct cairn_hot_state state; /* what packets are compressed against, there */
};

/* Why the loop over the tokens ended. */
enum cairn_scanned_stop {
    CAIRN_SCANNED_TOKENS, /* all are done */
    CAIRN_SCANNED_ROOM,   /* the batch is full */
    CAIRN_SCANNED_FULL,   /* the dictionary is */
    CAIRN_SCANNED_TOKEN,  /* the token at hand is for the follower */
    CAIRN_SCANNED_ATOM,   /* an Atom of it is */
    CAIRN_SCANNED_SELECT, /* its packet needs another view */
};

struct cairn_scanned_job {
    struct cairn_memo *memo;
    struct cairn_unit_builder builder;
    struct cairn_unit_batch *out;
    struct cairn_flow *flow;
    uint64_t from; /* the memo is for packets from here on, */
    uint64_t span; /* and so many bytes more */
    bool counting;
    bool listing; /* with PACKET events */
    uint64_t misses;
};

/* Bytes that are taken without the scan: Atoms, addresses and Cycle Counts. */
struct cairn_scanned_bytes {
    const struct cairn_hot_table *table;
    const struct cairn_hot_cycles *cycles;
    const uint8_t *at;    /* a packet; afterwards what is next */
    const uint8_t *limit; /* packets end here or before; there are 16 bytes more, no more than
                             CAIRN_HOT_MOST from the beginning */
    uint64_t offset;      /* of `at`, at the beginning */
    const uint8_t *atom;  /* out: the last Atom packet taken; NULL: none */
    uint64_t cycle_packets;
    uint64_t cycle_bytes;
    uint64_t address_packets;
    uint64_t address_bytes;
};

/* True when the next Atom packet is near, and nothing comes before it that could change the last
 * one. 128 bytes are there. */
bool cairn_scanned_lead_to_atom(const struct cairn_scanned_bytes *bytes);

/* From there on. Room for an event a byte, two where PACKET events are listed, and a unit a byte is
 * in the batch. TOKENS: the limit is reached, or in the packet at hand; TOKEN: that packet is for
 * the scan; ATOM: the Atoms there have to be followed. */
enum cairn_scanned_stop cairn_scanned_take_bytes(struct cairn_hot_state *state,
                                                 struct cairn_lane *lane,
                                                 struct cairn_scanned_job *job,
                                                 struct cairn_scanned_bytes *bytes);

/* Takes tokens with the selected memo, as far as it gets. */
enum cairn_scanned_stop cairn_scanned_take(struct cairn_scanned *scanned, struct cairn_lane *lane,
                                           struct cairn_scanned_job *job);

/* scanned.c */
/* From here on, which is the beginning, the source is decoded so. */
cairn_status cairn_scanned_begin(struct cairn_engine *engine);
void cairn_scanned_end(struct cairn_engine *engine);
/* Begins again, if it is. */
cairn_status cairn_scanned_rewind(struct cairn_engine *engine);
/* Begins again, if it is. */
cairn_status cairn_scanned_rewind(struct cairn_engine *engine);
/* Goes on. `*again` false: the bytes are used up, or the batch or the dictionary is full. */
cairn_status cairn_scanned_run(struct cairn_engine *engine, size_t *position, bool *again);
/* The same behind the last byte; `*again` false: nothing is left, or as above. */
cairn_status cairn_scanned_finish(struct cairn_engine *engine, bool *again);

#endif
