/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CAIRN_TESTS_UNIT_FILTER_BENCH_H
#define CAIRN_TESTS_UNIT_FILTER_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/etmv4/filter.h"

/* A programmed unit, and what it looks at. Begins with everything traced, and a block of one A64
 * instruction at 0x1000 in Non-secure EL1. */
struct bench {
    struct cairn_unit_registers registers;
    struct cairn_unit_program program;
    struct cairn_block block;
    struct cairn_context context;
    struct cairn_filter_input input;
    bool active; /* SSSTATUS */
};

/* TRCRSCTLR.GROUP */
enum { INPUTS, PES, COUNTERS, SINGLE_SHOTS, SACS, ARCS, CIDS, VMIDS };

/* D6.16: S EL0 to EL2, EL3, NS EL0 to EL2. And Realm EL0 to EL2, where there are realms. */
struct level {
    enum cairn_security security;
    uint8_t EL;
    uint8_t bit; /* of TRCVICTLR */
};
enum { LEVELS = 11 };
extern const struct level levels[LEVELS];

/* A block of A64 instructions. */
void at(struct bench *b, uint64_t address, uint32_t instructions);
void in(struct bench *b, enum cairn_security security, uint8_t el);
void set(struct bench *b, const char *name, uint64_t value);
void set_n(struct bench *b, const char *name, unsigned n, uint64_t value);
void begin(struct bench *b);
/* An address range comparator, both ends inclusive. */
void set_range(struct bench *b, unsigned arc, uint64_t first, uint64_t last);
bool view(struct bench *b);
bool view_at(struct bench *b, uint64_t address, uint32_t instructions);
/* Whether a selector, or a pair of them, fires. */
bool event(struct bench *b, uint8_t select, bool pair);
/* Resource `number` of a group, through selector 2. */
bool resource(struct bench *b, unsigned group, unsigned number);
bool resource_at(struct bench *b, unsigned group, unsigned number, uint64_t address);

#endif
