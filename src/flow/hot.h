/* SPDX-License-Identifier: BSD-2-Clause */
/* The hot loop: units straight from the bytes of the trace. */
#ifndef CAIRN_FLOW_HOT_H
#define CAIRN_FLOW_HOT_H

#include "flow/memo.h"
#include "protocol/hot.h"

/* Where decoding stands, as the hot loop has it. */
struct cairn_lane {
    const uint8_t *at;   /* next byte */
    const uint8_t *atom; /* the last Atom packet; NULL: none since it was set so */
    uint64_t code;       /* where execution goes on: a code address, NEED or LOST */
    uint64_t expected;   /* the same if flow itself found it, and an address in the trace has to
                            agree; NEED: nothing is expected */
    uint64_t history[3];
    uint32_t path; /* of the last unit; 0: none since it was set so */
    struct cairn_hot_stack stack;
};

/* Why the hot loop ended. */
enum cairn_hot_exit {
    CAIRN_HOT_LIMIT, /* the limit is reached, or inside the packet at hand */
    CAIRN_HOT_OTHER, /* a packet that is not for it */
    CAIRN_HOT_HARD,  /* an Atom packet that has to be followed atom by atom */
    CAIRN_HOT_FULL,  /* the dictionary has no room */
};

/* Bytes from `at` to `limit` at most: the loop keeps all addresses that can be in them. */
#define CAIRN_HOT_MOST 4096

#define CAIRN_HOT_SEEN_BITS 16

struct cairn_engine;

/* The memo of another thread for the same memory, from number *n on; NULL: there is no more. */
typedef const struct cairn_memo *cairn_hot_peer(const struct cairn_engine *engine, unsigned *n);

struct cairn_hot_job {
    const struct cairn_hot_address *address; /* of the protocol's table */
    const uint8_t *length;                   /* the same, or one without any */
    struct cairn_memo *memo;
    struct cairn_word_builder builder;
    const struct cairn_engine *engine; /* whose job it is */
    cairn_hot_peer *peer;
    const uint8_t *limit; /* decode up to here */
    bool short_of;        /* or up to an Atom packet in front of it: no run of them is cut there */
    bool counting;
    uint32_t delta;       /* what a unit counts: 1, or -1 to take back */
    uint32_t *path;       /* columns, with room for limit - at; NULL: counting and nothing else */
    uint64_t *offset;     /* or NULL */
    uint64_t offset_bias; /* source offset of address 0: what offset - pointer is */
    size_t units;         /* out: units decoded */
    uint64_t address_packets;
    uint64_t address_bytes;
    uint64_t misses;
    /* Where nothing repeats, units are not added to the memo: */
    uint16_t *seen;    /* by hash: what came by lately; NULL until that is first asked */
    uint64_t repeated; /* out: misses that had come by */
    struct cairn_memo_entry loose;
    struct cairn_stack_entry loose_stacked;
};

typedef enum cairn_hot_exit cairn_hot_loop(struct cairn_lane *lane, struct cairn_hot_job *job);

/* One for each kind of machine and of trace. */
struct cairn_hot_loops {
    cairn_memo_hash *hash;
    cairn_hot_loop *plain;
    cairn_hot_loop *stacked;
};
extern const struct cairn_hot_loops cairn_hot_portable;
#if defined(__x86_64__)
extern const struct cairn_hot_loops cairn_hot_x86;
#endif

/* Moves the entries to the bottom of their room. */
void cairn_hot_stack_lower(struct cairn_hot_stack *stack);

/* Finds or works out the unit at hand, `*count` packets of it. NULL: `*exit` says
 * why not. */
struct cairn_memo_entry *cairn_hot_miss(struct cairn_lane *lane, struct cairn_hot_job *job,
                                        uint64_t code, uint64_t word, unsigned *count,
                                        cairn_memo_hash *hash, enum cairn_hot_exit *exit);
struct cairn_stack_entry *cairn_hot_miss_stacked(struct cairn_lane *lane, struct cairn_hot_job *job,
                                                 uint64_t code, uint64_t word, unsigned *count,
                                                 cairn_memo_hash *hash, enum cairn_hot_exit *exit);

#endif
