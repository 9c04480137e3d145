/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs and random traces over them: not what a core would execute, but packets of every
 * kind in legal order, with few bytes that lead nowhere. */
#ifndef CAIRN_TESTS_ENGINE_GENERATE_H
#define CAIRN_TESTS_ENGINE_GENERATE_H

#include "reference.h"

/* Everything is drawn from `seed`; the trace has about `size` bytes. Free what it gave with
 * engine_generated_free. False: there is no memory. */
bool engine_generate(uint64_t seed, size_t size, struct engine_case *made);
/* The same of PTM: generate_ptm.c. */
bool engine_generate_ptm(uint64_t seed, size_t size, struct engine_case *made);
/* What another decoder needs of such a trace: registers, and the program's bytes at `address`. */
struct engine_ptm {
    uint32_t etmidr;
    uint32_t etmcr;
    uint32_t etmccer;
    uint64_t address;
    uint8_t *code; /* free(); four bytes more than code_size can be read */
    size_t code_size;
};
/* A trace for both: the program is all there and lies in one context, and no packet is out of
 * order. */
bool engine_generate_ptm_shared(uint64_t seed, size_t size, struct engine_case *made,
                                struct engine_ptm *ptm);
/* The same of ETMv3. */
bool engine_generate_etmv3(uint64_t seed, size_t size, struct engine_case *made);
/* Behind a synchronisation of PTM and ETMv3 stands all that a trace unit tells there, a whole timestamp
 * and the VMID among it; otherwise what the seed draws. */
extern bool engine_sync_tells_all;
void engine_generated_free(struct engine_case *made);

#endif
