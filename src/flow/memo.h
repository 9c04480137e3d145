/* SPDX-License-Identifier: BSD-2-Clause */
/* The memo: (start address, atom word) -> path, with every bit of the key compared. A view of
 * memory has a memo of its own. */
#ifndef CAIRN_FLOW_MEMO_H
#define CAIRN_FLOW_MEMO_H

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

/* A word of a trace without return stack. */
struct cairn_memo_entry {
    uint64_t code;  /* where it begins */
    uint64_t atoms; /* its atoms; 0: no entry */
    uint64_t next;  /* where execution goes on: a code address, or NEED */
    uint32_t count; /* since the counters were last read; signed */
    uint32_t path;
};

/* The same with return stack: what it pops of calls from before it, newest first, and what it
 * leaves pushed, oldest first. A line of memory, and what seldom matters in another. */
enum {
    CAIRN_MEMO_POPS = 8,
    CAIRN_MEMO_PUSHES = 7,
};
struct cairn_stack_entry {
    uint64_t code;
    uint64_t atoms;
    uint64_t next;
    uint32_t count;
    uint32_t path;
    uint8_t pops;
    uint8_t pushes;
    uint8_t peak;  /* most entries above those that there were when it began */
    uint8_t bytes; /* packets, or atoms, of the word that it covers, if not all; else 0 */
    uint32_t more; /* index of what did not fit; 0: all did */
    uint64_t pop0;
    uint64_t push[2];
};
struct cairn_stack_more {
    uint64_t pop[CAIRN_MEMO_POPS - 1];
    uint64_t push[CAIRN_MEMO_PUSHES - 2];
};

struct cairn_memo {
    struct cairn_memo_entry *entries;
    struct cairn_stack_entry *stacked;
    struct cairn_stack_more *more; /* 0 is none's */
    uint64_t *held;                /* a bit for each place of the table: there is an entry */
    unsigned bits;
    uint32_t used;
    uint32_t more_count;
    uint32_t more_capacity;
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

/* Spreads a key over 32 bits; another one for each kind of machine. */
typedef uint32_t cairn_memo_hash(uint64_t code, uint64_t word);

void cairn_memo_release(struct cairn_memo *memo);
void cairn_memo_clear(struct cairn_memo *memo);

/* Memory of its tables. */
uint64_t cairn_memo_bytes(const struct cairn_memo *memo);

/* Makes sure that one more fits. False: the dictionary is full. `hash` tells where an entry goes.
 */
bool cairn_memo_room(struct cairn_memo *memo, struct cairn_dictionary *dictionary, bool stacked,
                     cairn_memo_hash *hash);

/* Adds an entry; there is room. With other entries of the same key its place goes by the top of the
 * stack: the first entry of a key that is met on the way from the key's own place is marked `many`.
 */
struct cairn_memo_entry *cairn_memo_add(struct cairn_memo *memo, uint64_t code,
                                        const struct cairn_word_path *worked,
                                        cairn_memo_hash *hash);
struct cairn_stack_entry *cairn_memo_add_stacked(struct cairn_memo *memo, uint64_t code,
                                                 uint64_t word,
                                                 const struct cairn_word_path *worked,
                                                 cairn_memo_hash *hash);

/* Adds an entry as another memo, `from`, has it; nothing is counted by it yet. The same. */
struct cairn_memo_entry *cairn_memo_copy(struct cairn_memo *memo,
                                         const struct cairn_memo_entry *entry,
                                         cairn_memo_hash *hash);
struct cairn_stack_entry *cairn_memo_copy_stacked(struct cairn_memo *memo,
                                                  const struct cairn_memo *from,
                                                  const struct cairn_stack_entry *entry,
                                                  cairn_memo_hash *hash);

/* Fills an entry that is in no table: it is good up to the next one. */
void cairn_memo_set_loose(struct cairn_memo *memo, struct cairn_stack_entry *entry, uint64_t word,
                          const struct cairn_word_path *worked);

/* The entry of a key, wherever it is; NULL: there is none. */
struct cairn_memo_entry *cairn_memo_find(const struct cairn_memo *memo, uint64_t code,
                                         uint64_t word, cairn_memo_hash *hash);
struct cairn_stack_entry *cairn_memo_find_stacked(const struct cairn_memo *memo, uint64_t code,
                                                  uint64_t word,
                                                  const struct cairn_hot_stack *stack,
                                                  cairn_memo_hash *hash);

/* Changes places with what is where it would be found first. Returns where it is then. What is moved back is still
 * found; but where two of one key differ in what they pop, seldom one of them is not, and is then worked out again. */
struct cairn_memo_entry *cairn_memo_bring(struct cairn_memo *memo, struct cairn_memo_entry *entry,
                                          cairn_memo_hash *hash);
struct cairn_stack_entry *cairn_memo_bring_stacked(struct cairn_memo *memo,
                                                   struct cairn_stack_entry *entry,
                                                   cairn_memo_hash *hash);

/* Whether an entry's pops are what the stack has. */
static inline bool cairn_memo_pops(const struct cairn_memo *memo,
                                   const struct cairn_stack_entry *entry,
                                   const struct cairn_hot_stack *stack)
{
    const unsigned pops = entry->pops;
    const struct cairn_stack_more *more;

    if (pops == 0)
        return true;
    if (stack->sp - stack->base < (ptrdiff_t)pops || stack->sp[-1] != entry->pop0)
        return false;
    more = &memo->more[entry->more];
    for (unsigned i = 1; i < pops; i++)
        if (stack->sp[-1 - (ptrdiff_t)i] != more->pop[i - 1])
            return false;
    return true;
}

#endif
