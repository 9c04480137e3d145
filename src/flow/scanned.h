/* SPDX-License-Identifier: BSD-2-Clause */
/* The scanned way of decoding: a source's bytes become tokens (protocol/scan.h), and runs of their
 * Atoms are looked up like the packets of the hot loop. */
#ifndef CAIRN_FLOW_SCANNED_H
#define CAIRN_FLOW_SCANNED_H

#include "flow/hot.h"
#include "protocol/branches.h"
#include "protocol/scan.h"

struct cairn_engine;
struct cairn_flow;

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
    bool has_bytes;               /* bytes may be taken without the scan: */
    bool branches;                /* P-headers and branch packets, */
    bool waits;                   /* the same, cycle-accurate, */
    bool waypoints;               /* Atoms and branch packets of PTM with cycle counts, */
    bool narrow;                  /* which look so (protocol/branches.h) */
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
    struct cairn_word_builder builder;
    struct cairn_word_batch *out;
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

/* The same for P-headers and branch packets of ETMv3: how far their loop has come, */
struct cairn_scanned_point {
    const uint8_t *at;
    uint64_t code;
    uint64_t expected;
    uint64_t branches;               /* packets */
    uint64_t longer;                 /* and their bytes beyond one each */
    struct cairn_branch_place place; /* what the next one is compressed against */
    uint32_t path;
};
struct cairn_scanned_branches {
    bool narrow;
    const uint8_t *first; /* a P-header with atoms */
    const uint8_t *limit; /* no unit begins behind it; there are CAIRN_SCANNED_MARGIN bytes more */
    uint64_t offset;      /* of `first` */
    struct cairn_scanned_point now;  /* `at` and `place` are the caller's to set */
    struct cairn_scanned_point last; /* in front of the last unit */
    struct cairn_memo_entry *entry;  /* of that; NULL: there is none */
    unsigned count;                  /* P-headers of that */
};
/* Eight P-headers, and what is looked at of the packet behind them. */
#define CAIRN_SCANNED_MARGIN (8u + CAIRN_BRANCH_MARGIN)

/* From there on. Stops as the above, and with ROOM in front of a unit that the batch's columns have
 * no room for. Unless a P-header with atoms is at hand then, nothing says yet that the last atom
 * was not cancelled. */
enum cairn_scanned_stop cairn_scanned_take_branches(struct cairn_lane *lane,
                                                    struct cairn_scanned_job *job,
                                                    struct cairn_scanned_branches *branches);
bool cairn_scanned_branches_stand(const struct cairn_scanned_branches *branches);
/* Then back in front of the last P-header. False: the dictionary is full, and it goes back
 * further. */
bool cairn_scanned_give_back(struct cairn_lane *lane, struct cairn_scanned_job *job,
                             struct cairn_scanned_branches *branches);

/* The same for cycle-accurate P-headers, and branch packets. */
struct cairn_scanned_waits {
    const struct cairn_wait_form *forms; /* by header */
    bool narrow;
    const uint8_t *limit; /* no packet begins behind it; there are CAIRN_BRANCH_MARGIN
                             bytes more */
    uint64_t offset;      /* of `at`, at the beginning */
    /* Takes what stands at that place, if it says nothing of atoms and a P-header with atoms is
     * behind it. */
    bool (*between)(void *owner, const uint8_t *at, const struct cairn_branch_place *place);
    void *owner;
    const uint8_t *at;               /* a P-header with atoms, as it is afterwards,
                                        or there is what was taken between; */
    struct cairn_branch_place place; /* what branch packets are compressed against there */
    uint64_t branches;               /* out: packets, */
    uint64_t longer;                 /* and their bytes beyond one each */
    uint64_t held;                   /* W's right before `at`, which no event tells; as it is
                                        afterwards, too, */
    uint64_t held_offset;            /* and their packet */
};

/* From there on. Stops as those above, with ROOM where the batch may have none for a P-header. */
enum cairn_scanned_stop cairn_scanned_take_waits(struct cairn_lane *lane,
                                                 struct cairn_scanned_job *job,
                                                 struct cairn_scanned_waits *waits);

/* The same for Atoms and branch packets of PTM with cycle counts. */
struct cairn_scanned_waypoints {
    const uint8_t *limit;            /* no packet begins behind it; there are CAIRN_WAYPOINT_MARGIN
                                        bytes more */
    uint64_t offset;                 /* of `at`, at the beginning */
    const uint8_t *at;               /* a packet; afterwards what is next */
    const uint8_t *last;             /* out: the last one taken; NULL: none */
    struct cairn_branch_place place; /* what branch packets are compressed against at `at` */
    uint64_t packets;                /* out */
    bool left;      /* out: the address of the last one, a branch packet, is not taken yet, */
    uint32_t count; /* and this is its count */
};

/* From there on. Stops as those above. */
enum cairn_scanned_stop cairn_scanned_take_waypoints(struct cairn_lane *lane,
                                                     struct cairn_scanned_job *job,
                                                     struct cairn_scanned_waypoints *waypoints);

/* scanned.c */
/* From here on, which is the beginning, the source is decoded so. */
cairn_status cairn_scanned_begin(struct cairn_engine *engine);
void cairn_scanned_end(struct cairn_engine *engine);
/* Begins again, if it is. */
cairn_status cairn_scanned_rewind(struct cairn_engine *engine);
/* Whether the lane can stand for the follower. It does not know ITSTATE. */
bool cairn_scanned_fits_lane(const struct cairn_flow *flow);
struct cairn_scanned_job cairn_scanned_job_of(struct cairn_engine *engine);
/* There is no room in the dictionary: it ends here. */
void cairn_scanned_end_dictionary(struct cairn_engine *engine, bool *again);
/* Moves what the scan has counted since into the engine's ledger, in which bytes may have gone to
 * other accounts already. */
void cairn_scanned_count(struct cairn_engine *engine);
/* Goes on. `*again` false: the bytes are used up, or the batch or the dictionary is full. */
cairn_status cairn_scanned_run(struct cairn_engine *engine, size_t *position, bool *again);
/* The same behind the last byte; `*again` false: nothing is left, or as above. */
cairn_status cairn_scanned_finish(struct cairn_engine *engine, bool *again);

/* Whether `branches`, `waits` or `waypoints`. */
static inline bool cairn_scanned_has_branches(const struct cairn_scanned *scanned)
{
    return scanned->branches || scanned->waits || scanned->waypoints;
}

/* scanned_past.c: takes bytes without the scan, where that can be: Atoms, addresses and Cycle
 * Counts, or branch packets and what stands between them. `*went` tells that something was done. */
cairn_status cairn_scanned_past_bytes(struct cairn_engine *engine, bool *again, bool *went);
cairn_status cairn_scanned_past_branches(struct cairn_engine *engine, bool *again, bool *went);

#endif
