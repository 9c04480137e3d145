/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking words (protocol/words.h): each is looked up in the memo, its path is counted or listed,
 * and its asides become events. Words are final, so that nothing is ever taken back. */
#ifndef CAIRN_FLOW_TAKE_H
#define CAIRN_FLOW_TAKE_H

#include "flow/hot.h"
#include "protocol/words.h"

struct cairn_flow;

/* reader_packets of a protocol */
typedef size_t cairn_take_packets(void *reader, const struct cairn_word *word, const uint8_t *bytes,
                                  struct cairn_aside *asides);

/* Where taking stands in a batch of words. */
struct cairn_taking {
    struct cairn_words words;
    size_t next;        /* the word in hand */
    size_t first_aside; /* of its asides */
    size_t aside;       /* the next of them */
    bool begun;         /* some of it is done: */
    uint64_t left;      /* of its atoms; 0: all are done */
    unsigned taken;     /* packets, or atoms as bits, that are done */
    /* Of the asides: */
    size_t run;        /* 1 + the last one that tells of more than one packet, or wait; 0: none */
    unsigned run_step; /* the next atom that it has to tell of */
    bool untold;       /* the packet of the next atom, to the caller's batch */
    bool transaction;  /* what they said last */
    bool told;         /* and what the last event of it said */
    size_t marked;     /* 1 + the word of cairn_take_mark; 0: none */
    /* Whose words they are, to be asked for packets that are not among the asides; NULL: all are. */
    cairn_take_packets *packets;
    void *reader;
    const uint8_t *bytes;  /* of the call that gave the batch, */
    uint64_t bytes_origin; /* the first of them at this source offset */
    size_t found_of;       /* 1 + the word whose packets were asked for last: */
    size_t found_count;
    struct cairn_aside found[CAIRN_WORD_ATOMS_MOST];
};

/* Why it stopped. */
enum cairn_take_stop {
    CAIRN_TAKE_WORDS,  /* in front of the last word that was asked for */
    CAIRN_TAKE_ROOM,   /* the batch is full */
    CAIRN_TAKE_FULL,   /* the dictionary is */
    CAIRN_TAKE_HARD,   /* the next atoms have to be followed one by one */
    CAIRN_TAKE_TARGET, /* the target is not where execution goes on */
};

struct cairn_take_job {
    struct cairn_taking *taking;
    struct cairn_lane *lane;
    struct cairn_hot_job *memo; /* what is looked up in, and what was missed */
    struct cairn_word_batch *out;
    struct cairn_flow *flow;
    size_t end;         /* words in front of this one are taken; */
    unsigned most;      /* or, if not 0, so many packets or atoms of the one in hand, and no more */
    size_t events_most; /* that a path may have inside: they go to the same batch as it does */
    bool listing;       /* paths go to the columns */
    bool packets;       /* PACKET events are listed */
};

typedef enum cairn_take_stop cairn_take_words(const struct cairn_take_job *job);

/* One for each kind of machine. */
struct cairn_take_loops {
    cairn_memo_hash *hash;
    cairn_take_words *plain;
    cairn_take_words *stacked;
};
extern const struct cairn_take_loops cairn_take_portable;
#if defined(__x86_64__)
extern const struct cairn_take_loops cairn_take_x86;
#endif

/* Packets of `atoms`, or atoms if they are bits. */
static inline unsigned cairn_take_count(uint64_t atoms)
{
    if (atoms == 0)
        return 0;
    if (cairn_word_is_bits(atoms))
        return (unsigned)(atoms >> CAIRN_WORD_COUNT_SHIFT);
    return 8 - (unsigned)__builtin_clzll(atoms) / 8;
}

/* What is left of `atoms` behind the first `count` packets, or atoms. */
static inline uint64_t cairn_take_rest(uint64_t atoms, unsigned count)
{
    const unsigned all = cairn_take_count(atoms);
    const uint64_t branch = atoms & CAIRN_WORD_BRANCH;
    const uint64_t bits = atoms & (CAIRN_WORD_BRANCH - 1);

    if (count >= all)
        return 0;
    if (!cairn_word_is_bits(atoms))
        return atoms >> (8 * count);
    return bits >> count | branch | (uint64_t)(all - count) << CAIRN_WORD_COUNT_SHIFT;
}

/* The first `count` of them. */
static inline uint64_t cairn_take_first(uint64_t atoms, unsigned count)
{
    if (count >= cairn_take_count(atoms))
        return atoms;
    if (!cairn_word_is_bits(atoms))
        return atoms & ((UINT64_C(1) << (8 * count)) - 1);
    return (atoms & ((UINT64_C(1) << count) - 1)) | (uint64_t)count << CAIRN_WORD_COUNT_SHIFT;
}

/* The source offset of the packet that the word in hand has its `step`-th packet, or atom, of. */
uint64_t cairn_take_packet(struct cairn_taking *taking, unsigned step, uint64_t *length);

/* Puts up Cycle Counts in front of an atom. False: some are left, in an aside that is shorter then. */
bool cairn_take_put_up_counts(const struct cairn_taking *taking, struct cairn_aside *counts,
                              unsigned step, struct cairn_element_batch *elements);

/* How many of the `all` atoms that are left of the word in hand, one at least, have no more events
 * between them than a path may have. */
unsigned cairn_take_fitting(const struct cairn_take_job *job, unsigned all);

/* The same of the next one. */
static inline uint64_t cairn_take_offset(struct cairn_taking *taking)
{
    uint64_t length;

    if (!taking->begun || taking->taken == 0)
        return taking->words.origin + taking->words.word[taking->next].at;
    return cairn_take_packet(taking, taking->taken, &length);
}

/* Gives the events of the asides that stand in front of the atoms up to `end`, of a word of which
 * `from` are done; there is room. `last`: of all that are left, behind its last atom. */
void cairn_take_asides(const struct cairn_take_job *job, unsigned from, unsigned end, bool last);

/* Tells that the word at hand does not follow from what was before it; and, when taking has stopped,
 * takes that back if it stopped in front of that word. */
void cairn_take_mark(const struct cairn_take_job *job);
void cairn_take_unmark(const struct cairn_take_job *job);

#endif
