/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers by name through <cairn/access.h>, for tests: a bench's unit (../conformance/bench.h), an
 * instruction at EL1 or a debugger's access, and what it is answered. */
#ifndef CAIRN_TESTS_UNIT_ACCESS_REACH_H
#define CAIRN_TESTS_UNIT_ACCESS_REACH_H

#include <cairn/access.h>

#include "../conformance/bench.h"

#define STATR_IDLE 1u
#define STATR_PMSTABLE 2u
#define SSSTATUS UINT64_C(0x200)
#define TA UINT64_C(0x1000)

struct cairn_unit_register_info reach(struct bench *b, const char *name);

/* The answer has to be CAIRN_ANSWER_OK. */
uint64_t mrs(struct bench *b, const char *name);
void msr(struct bench *b, const char *name, uint64_t value);
uint64_t load(struct bench *b, const char *name); /* of the register's size */
void store(struct bench *b, const char *name, uint64_t value);
/* The PE's OS Lock, by OSLAR_EL1. */
void lock(struct bench *b, unsigned locked);
/* A Context synchronization event. */
void sync_context(struct bench *b);

/* The answer itself. */
enum cairn_answer try_mrs(struct bench *b, const char *name, unsigned EL);
enum cairn_answer try_msr(struct bench *b, const char *name, unsigned EL, uint64_t value);
enum cairn_answer try_load(struct bench *b, uint32_t offset, uint32_t bytes, uint32_t flags);
enum cairn_answer try_store(struct bench *b, uint32_t offset, uint32_t bytes, uint32_t flags,
                            uint64_t value);

/* Zeros but for these. */
void choose(struct bench *b, uint32_t choices);
void delay(struct bench *b, uint32_t enabling, uint32_t unstable, uint32_t draining);
void choose_all(struct bench *b, const struct cairn_access_options *options);

#endif
