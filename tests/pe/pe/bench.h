/* SPDX-License-Identifier: BSD-2-Clause */
/* A PE that looks for what is not ordered, with memory for its trace buffer, driven by scripts. */
#ifndef PE_BENCH_H
#define PE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/pe.h>

#define PE_BENCH_MEMORY 0x20000u

struct pe_bench {
    struct cairn_pe *pe;
    uint64_t base; /* physical, of `memory` */
    uint8_t memory[PE_BENCH_MEMORY];
    uint64_t written;       /* bytes of trace, and of software's stores */
    uint64_t bus;           /* bytes that went to the other sink */
    uint64_t status, value; /* of TRBSR_EL1, and of any other register, as read last */
    bool level;             /* TRBIRQ */
    unsigned found;         /* findings; the first, and its register's name or "" */
    struct cairn_pe_finding first;
    char name[24];
    unsigned cti[8];        /* trigger inputs */
    unsigned system_errors; /* and the address of the last */
    uint64_t error_address;
};

/* `given`: order, seed, and what else a test wants; the callbacks are the bench's, but for walk and aborts, to which the
 * bench is the context as well. */
void pe_bench_begin(struct pe_bench *bench, uint64_t base, const struct cairn_pe_options *given);
void pe_bench_end(struct pe_bench *bench);
/* An order by a number, from 0: the earliest, the latest, some others. */
struct cairn_pe_options pe_bench_order(unsigned number);

cairn_status pe_bench_try(struct pe_bench *bench, const char *text, struct cairn_error *error);
void pe_bench_run(struct pe_bench *bench, const char *text);
/* By name, at once. */
uint64_t pe_bench_get(struct pe_bench *bench, const char *name);

/* EL1 of Non-secure state owns the buffer, and EL0 is traced. */
#define PE_BENCH_OWNED_BY_EL1                                                                      \
    "msr SCR_EL3, 0x401\nmsr MDCR_EL3, 0x3000000\nmsr MDCR_EL2, 0x3000000\nenter EL1n\n"           \
    "msr TRFCR_EL1, 1\nmsr TRCCONFIGR, 1\nmsr TRCVICTLR, 0x201\n"

#endif
