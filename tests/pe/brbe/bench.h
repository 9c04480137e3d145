/* SPDX-License-Identifier: BSD-2-Clause */
/* A Branch Record Buffer with a PE around it, for tests: everything is recorded, in Non-secure state at
 * EL1, until a test says otherwise. */
#ifndef BRBE_BENCH_H
#define BRBE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pe/brbe.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

struct bench {
    struct cairn_pe_features features;
    struct cairn_pe_registers registers;
    struct cairn_pe_state state;
    struct cairn_brbe_options options;
    struct cairn_brbe brbe;
    uint64_t count; /* the physical counter */
    /* BRB_FILTRATE */
    unsigned captured;
    struct cairn_pe_state where; /* of the last one */
    bool exception_related;
    unsigned overflow_at; /* the so manieth overflows event counter 0; 0: none */
    bool loses;           /* the next record cannot be captured */
    uint32_t findings;    /* a bit each */
};

/* bench_set(b, BRBCR_EL1, BRBCR_CC, 1) */
#define bench_set(b, name, field, bits)                                                            \
    ((b)->registers.value[CAIRN_PE_##name] =                                                       \
         CAIRN_PUT2((b)->registers.value[CAIRN_PE_##name], field, bits))

void bench_begin(struct bench *b);
/* Once more, with the features and options there are. */
void bench_restart(struct bench *b);
struct cairn_brbe_side bench_now(struct bench *b);
void bench_look(struct bench *b);

/* A taken branch, correctly predicted. */
void bench_branch(struct bench *b, unsigned kind, uint32_t flags, uint64_t source, uint64_t target);
/* A taken B, from source to source + 0x100. */
void bench_b(struct bench *b, uint64_t source);
/* Goes to that level by an exception of that type, and back. */
void bench_exception(struct bench *b, unsigned EL, unsigned type, uint64_t source, uint64_t target);
void bench_return(struct bench *b, unsigned EL, uint64_t source, uint64_t target);
void bench_halt(struct bench *b, uint64_t address);
void bench_resume(struct bench *b, uint64_t address);
void bench_control(struct bench *b, uint64_t value);
/* BRBFCR_EL1.PAUSED of a direct read. */
bool bench_paused(struct bench *b);
void bench_overflow(struct bench *b, uint64_t flags);
void bench_inject(struct bench *b, const struct cairn_branch_registers *record);

/* How many records are valid, by reading them all; they must be a prefix. */
unsigned bench_valid(struct bench *b);
/* Record n, decoded; it has no findings. All zero if it is invalid. */
struct cairn_branch bench_record(struct bench *b, unsigned n);
/* VALID of record n. */
unsigned bench_halves(struct bench *b, unsigned n);

#endif
