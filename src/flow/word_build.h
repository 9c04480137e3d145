/* SPDX-License-Identifier: BSD-2-Clause */
/* Working out a word: the path that its atoms take through the code, and what they do to the return stack. */
#ifndef CAIRN_FLOW_WORD_BUILD_H
#define CAIRN_FLOW_WORD_BUILD_H

#include "flow/blocks.h"
#include "flow/gate.h"

/* Words are packet bytes, or bits: then the top byte says how many, and is no packet. */
enum {
    CAIRN_WORD_COUNT_SHIFT = 56,
    CAIRN_WORD_BITS_MOST = 55,
};
/* In a word of bits: the last one is of a branch packet, so its target is not the return stack's.
 * What it does to the stack depends on that where calls pop before they push. */
#define CAIRN_WORD_ADDRESSED (UINT64_C(1) << 55)
static inline bool cairn_word_is_bits(uint64_t word)
{
    const uint64_t top = word >> CAIRN_WORD_COUNT_SHIFT;

    return top > 0 && top <= CAIRN_WORD_BITS_MOST;
}

/* What a word may pop of calls from before it, and leave pushed. */
enum {
    CAIRN_MEMO_POPS = 8,
    CAIRN_MEMO_PUSHES = 7,
};

/* The analyser's return stack as the loop that takes words has it: entries bottom .. sp, those from base on
 * fresh (none of them from before flow was lost), at most CAIRN_RETURN_STACK_DEPTH of them. */
enum {
    CAIRN_HOT_STACK = 512,
    CAIRN_HOT_STACK_FIRST = 16, /* entries left free at either end, so that no pointer leaves it */
};
struct cairn_hot_stack {
    uint64_t *sp;
    uint64_t *base;
    uint64_t *bottom;
    uint64_t entries[CAIRN_HOT_STACK + CAIRN_HOT_STACK_FIRST];
};

/* What became of working out a word. */
enum cairn_word_built {
    CAIRN_WORD_FOUND,
    CAIRN_WORD_HARD, /* a packet of it has to be followed atom by atom */
    CAIRN_WORD_FULL, /* there is no room for another path */
};

/* A word, worked out. */
struct cairn_word_path {
    uint64_t atoms; /* what of the word it covers */
    uint64_t next;
    uint32_t path; /* set by who adds it to the dictionary */
    uint8_t bytes; /* packets in `word`, or atoms if it is bits */
    uint8_t pops;
    uint8_t pushes;
    uint8_t peak;
    uint64_t pop[CAIRN_MEMO_POPS];
    uint64_t push[CAIRN_MEMO_PUSHES];
    uint32_t step_count;
    uint32_t steps[CAIRN_PATH_STEPS_MAX];
};

struct cairn_word_builder {
    struct cairn_dictionary *dictionary;
    struct cairn_blocks *blocks;
    const uint32_t *bits; /* of each packet byte */
    bool return_stack;
    bool pop_first;    /* calls pop their target before they push, unless it is in the trace */
    bool fresh;        /* words do not repeat: a path is used once and found by nobody */
    bool fresh_blocks; /* nor do blocks */
    struct cairn_gate *gate; /* of the dictionary */
    const atomic_bool *cancelled;
};

/* Works out the path of `code` and `word`, `count` packets (atoms if it is bits), or of as many of
 * them as need no second look. HARD: not even one. `stack` is only read; nothing is added but
 * blocks. */
enum cairn_word_built cairn_word_build(const struct cairn_word_builder *builder, uint64_t code,
                                       uint64_t word, unsigned count,
                                       const struct cairn_hot_stack *stack,
                                       struct cairn_word_path *worked);

#endif
