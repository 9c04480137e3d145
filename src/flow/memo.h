/* SPDX-License-Identifier: BSD-2-Clause */
/* The memo: (start address, atom word) -> path, with every bit of the key compared. A view of
 * memory has a memo of its own. */
#ifndef CAIRN_FLOW_MEMO_H
#define CAIRN_FLOW_MEMO_H

#include "flow/word_build.h"

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

enum { CAIRN_MEMO_GUESS_BITS = 16 };

struct cairn_memo {
    struct cairn_memo_entry *entries;
    struct cairn_stack_entry *stacked;
    struct cairn_stack_more *more; /* 0 is none's */
    uint64_t *held;                /* a bit for each place of the table: there is an entry */
    /* By so many bits of the hash of a word's atoms alone: the place of the entry that such a word had last. Only
     * to ask for memory by, so a wrong one does no harm; NULL: none, of a table with no return stack or of fewer
     * places than this has, which is in a near cache. */
    uint32_t *guess;
    unsigned bits;
    uint32_t used;
    uint32_t more_count;
    uint32_t more_capacity;
};

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
