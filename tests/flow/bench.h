/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases for the follower's rules: a script, and what its flow is, as text. */
#ifndef CAIRN_TESTS_FLOW_BENCH_H
#define CAIRN_TESTS_FLOW_BENCH_H

#include "script.h"

#define A32_NOP 0xe320f000u
#define A32_BX_LR 0xe12fff1eu
/* A branch over so many words, from its own address. */
#define A32_B(words) (0xea000000u | (((uint32_t)(words)-2u) & 0xffffffu))

struct bench {
    struct script script;
    char text[4096];
    size_t length;
};

/* An array of words or halfwords, as arguments of bench_begin(). */
#define BENCH_CODE(array) (array), sizeof *(array), sizeof(array) / sizeof *(array)

/* A bench for AArch32 code of the A profile (`arch` NULL) at `address`: `count` numbers of `width`
 * bytes, 2 or 4. */
void bench_begin(struct bench *bench, const struct cairn_arch *arch,
                 const struct cairn_follow_rules *rules, uint64_t address, const void *code,
                 size_t width, size_t count);
void bench_end(struct bench *bench);

/* Elements. An address with bit 0 set is in Thumb state. */
void bench_put(struct bench *bench, unsigned kind, unsigned flags, uint64_t address,
               uint64_t value);
/* Context and Target Address. */
void bench_start(struct bench *bench, uint64_t address);
void bench_address(struct bench *bench, uint64_t address);
/* 'E', 'N', 'A' (E of a branch packet), in order. */
void bench_atoms(struct bench *bench, const char *atoms);

/* Compares the flow of what was put with `expected`, a line a record:
 *   range FROM TO COUNT E|N|- [first][inferred]; exception TYPE ADDRESS; gap REASON ADDRESS;
 *   warning WHICH ADDRESS; return ADDRESS;
 *   data KIND [at ADDRESS] [= VALUE] of INSTRUCTION[TRANSFER] | core | ? | packet OFFSET
 * (no contexts, synchronisations and the like), and the engine with the reference in all ways.
 * Begins anew. */
#define bench_expect(bench, expected) bench_expect_at(bench, expected, __FILE__, __LINE__)
void bench_expect_at(struct bench *bench, const char *expected, const char *file, int line);

#endif
