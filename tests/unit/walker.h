/* SPDX-License-Identifier: BSD-2-Clause */
/* A random A64 program in memory, a PE that wanders through it and tells a trace unit of it,
 * speculation included, and what a decoder should make of the bytes. */
#ifndef CAIRN_TESTS_UNIT_WALKER_H
#define CAIRN_TESTS_UNIT_WALKER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/flow.h>
#include <cairn/unit.h>

enum { WALK_BASE = 0x10000, WALK_WORDS = 512, WALK_TRUTH = 1 << 16, WALK_CALLS = 32 };

struct walk_state {
    uint64_t pc;
    uint64_t calls[WALK_CALLS];
    unsigned depth;
    size_t truth;
    size_t sure;
    bool taken; /* the last instruction was P0 and E */
    bool in_transaction;
    size_t truth_at_start;
    uint64_t pc_at_start;
    unsigned depth_at_start;
};

struct walker {
    uint32_t seed;
    uint32_t words[WALK_WORDS];
    struct cairn_unit *unit;
    struct cairn_image *image;
    struct walk_state state;
    uint64_t *truth; /* an executed instruction's address, or 1 + type of an exception */
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    /* per cent of steps */
    unsigned exceptions;
    unsigned prohibits;
    unsigned guesses; /* wrong paths */
    unsigned transactions;
    unsigned splits; /* blocks that end early */
    unsigned mispredicts;
    unsigned syncs;
    unsigned events;
    unsigned lag;    /* observations until they are resolved, at most */
    unsigned cycles; /* in each step, at most */
    /* what the decoder made of it */
    size_t decoded;
    size_t gaps;
    size_t cycle_counts;
    size_t timestamps;
};

uint32_t walk_random(struct walker *w, uint32_t below);
bool walk_chance(struct walker *w, unsigned percent);
cairn_status walk_sink(void *walker, const uint8_t *bytes, size_t size);

/* A program, and a unit of these options (sink and arch are set here). */
void walk_begin(struct walker *w, uint32_t seed, struct cairn_unit_options *options);
/* Enabled to disabled: so many steps. */
void walk_run(struct walker *w, unsigned steps);
/* Decodes and compares: every instruction up to the last P0 element, in order, and no gap. */
void walk_check(struct walker *w);
void walk_end(struct walker *w);

#endif
