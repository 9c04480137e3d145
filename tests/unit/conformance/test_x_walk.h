/* SPDX-License-Identifier: BSD-2-Clause */
/* What was executed beside what the trace says of it: programs are told to the unit and kept, and
 * the words of the trace are followed through them, instruction by instruction. */
#ifndef CAIRN_TESTS_UNIT_CONFORMANCE_WALK_H
#define CAIRN_TESTS_UNIT_CONFORMANCE_WALK_H

#include "bench.h"

#define WALK_STEPS 4096

enum walk_by { BY_NOTHING, BY_ATOM, BY_Q, BY_EXCEPTION };

/* An instruction, or an exception where `exception` is set. */
struct walk_step {
    uint64_t address;    /* of an exception: its return address */
    uint32_t context_id; /* in which it was executed */
    uint8_t kind;        /* enum cairn_insn_kind */
    uint32_t flags;
    bool p0, taken, exception;
    bool loose;      /* behind a change of context without synchronization: told late, or not yet */
    enum walk_by by; /* the element that tells of it */
    size_t block;    /* number of the block that it is in */
    size_t element;  /* number of that element, from 0 */
};

struct walk {
    struct bench *bench;
    struct walk_step steps[WALK_STEPS];
    size_t count, blocks;
    uint64_t next; /* where execution is */
    uint64_t random;
    bool loose;
    size_t qs, atoms, exceptions, contexts, addresses; /* words of each kind that were followed */
};

/* Begins with a block, since an exception before any is not traced. */
void walk_begin(struct walk *w, struct bench *b, uint64_t address, uint64_t seed);
uint32_t walk_random(struct walk *w, uint32_t below);

/* Tells the unit of a block at w->next of `count` instructions, the last of this kind. An indirect
 * or direct branch that is taken goes to `target`. */
void walk_block(struct walk *w, unsigned count, enum cairn_insn_kind kind, uint32_t flags,
                uint64_t target, int taken);
/* An exception at w->next; the handler is at `vector`, in another context if `context_id` differs.
 */
void walk_exception(struct walk *w, unsigned type, uint64_t vector, uint32_t context_id);
/* A write of the context id: with the Context synchronization event that an ISB or ERET before it
 * was, or without one. */
void walk_context(struct walk *w, uint32_t context_id, bool synchronized);
/* One step of a random program. */
void walk_any(struct walk *w);

/* Follows the words of a trace that left nothing out, from the first step on, to the last word.
 * Fails where a word contradicts what was executed. What no word has told is BY_NOTHING. */
void assert_followed(struct walk *w, const char *text);

#endif
