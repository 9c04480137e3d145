/* SPDX-License-Identifier: BSD-2-Clause */
/* Looking words up: where decoding stands, and what is to be done where the memo has no answer. */
#ifndef CAIRN_FLOW_HOT_H
#define CAIRN_FLOW_HOT_H

#include "flow/memo.h"

/* Where decoding stands. */
struct cairn_lane {
    uint64_t code;     /* where execution goes on: a code address, NEED or LOST */
    uint64_t expected; /* the same if flow itself found it, and an address in the trace has to
                          agree; NEED: nothing is expected */
    uint32_t path;     /* of the last word; 0: none since it was set so */
    struct cairn_hot_stack stack;
};

/* Why a word has no path. */
enum cairn_hot_exit {
    CAIRN_HOT_LIMIT, /* it has one */
    CAIRN_HOT_HARD,  /* its next packet has to be followed atom by atom */
    CAIRN_HOT_FULL,  /* the dictionary has no room */
};

#define CAIRN_HOT_SEEN_BITS 16

struct cairn_engine;

/* The memo of another thread for the same memory, from number *n on; NULL: there is no more. */
typedef const struct cairn_memo *cairn_hot_peer(const struct cairn_engine *engine, unsigned *n);

struct cairn_hot_job {
    struct cairn_memo *memo;
    struct cairn_word_builder builder;
    const struct cairn_engine *engine; /* whose job it is */
    cairn_hot_peer *peer;
    bool counting;
    uint32_t delta; /* what a word counts: 1, or -1 to take back */
    uint64_t misses;
    unsigned finds; /* of entries that were not in their own places */
    /* Where nothing repeats, words are not added to the memo: */
    uint16_t *seen;    /* by hash: what came by lately; NULL until that is first asked */
    uint64_t repeated; /* out: misses that had come by */
    struct cairn_memo_entry loose;
    struct cairn_stack_entry loose_stacked;
};

/* Moves the entries to the bottom of their room. */
void cairn_hot_stack_lower(struct cairn_hot_stack *stack);

/* Finds or works out the word at hand, `*count` packets of it. NULL: `*exit` says why not. */
struct cairn_memo_entry *cairn_hot_miss(struct cairn_lane *lane, struct cairn_hot_job *job,
                                        uint64_t code, uint64_t word, unsigned *count,
                                        cairn_memo_hash *hash, enum cairn_hot_exit *exit);
struct cairn_stack_entry *cairn_hot_miss_stacked(struct cairn_lane *lane, struct cairn_hot_job *job,
                                                 uint64_t code, uint64_t word, unsigned *count,
                                                 cairn_memo_hash *hash, enum cairn_hot_exit *exit);

#endif
