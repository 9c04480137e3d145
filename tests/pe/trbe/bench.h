/* SPDX-License-Identifier: BSD-2-Clause */
/* A Trace Buffer Unit with memory around it, and a log of what it told. */
#ifndef CAIRN_TESTS_PE_TRBE_BENCH_H
#define CAIRN_TESTS_PE_TRBE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/unit.h>

#include "pe/trbe.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* TRBSR_EL1 and TRBLIMITR_EL1, by public register descriptions. */
#define EC(value) ((uint64_t)(value) << 26)
#define IRQ (UINT64_C(1) << 22)
#define TRG (UINT64_C(1) << 21)
#define WRAP (UINT64_C(1) << 20)
#define EA (UINT64_C(1) << 18)
#define S (UINT64_C(1) << 17)
enum { FILL = 0, WRAPS = 1, RESERVED = 2, CIRCULAR = 3, STOP = 0, INTERRUPT = 1, IGNORE = 3 };

enum {
    MEMORY = 0x10000, /* its first address */
    MEMORY_SIZE = 0x8000,
    BASE = 0x12000,
    LIMIT = 0x13000, /* of most tests: a page */
    FAULTS = 8,
    LOG = 4096,
};

enum bench_what { LINE, EVENT, FLUSH, SYSTEM_ERROR, FINDING };

struct bench_fault {
    uint64_t address;
    uint8_t fault_stage, fault_FSC, abort_stage, abort_FSC;
    bool once; /* the next write there is fine */
};

struct bench {
    struct cairn_pe_features features;
    struct cairn_pe_registers registers;
    struct cairn_pe_state state;
    struct cairn_pe_authentication authentication;
    struct cairn_pe_trbe trbe;
    uint8_t memory[MEMORY_SIZE];
    uint64_t stored;                 /* bytes */
    uint64_t crossed;                /* writes to two pages */
    uint64_t writes;                 /* calls */
    size_t most;                     /* bytes of one */
    uint64_t outside;                /* bytes to other addresses */
    uint64_t outside_address;        /* of the first of them */
    struct cairn_pe_trbe_write last; /* its bytes are gone */
    struct bench_fault faults[FAULTS];
    size_t fault_count;
    struct {
        enum bench_what what;
        uint64_t value, stored; /* bytes stored by then */
    } log[LOG];
    size_t log_count;
    bool level;
    uint8_t next;    /* byte of the pattern */
    uint64_t passed; /* bytes to the other sink */
    size_t bus_takes;
};

/* Non-secure EL1 owns the buffer and is executing; Disabled. */
void bench_begin(struct bench *b, const struct cairn_pe_trbe_options *options);
/* Registers by direct writes, then E. */
void bench_enable(struct bench *b, unsigned FM, unsigned TM, uint64_t base, uint64_t limit,
                  uint64_t pointer);
/* TRBLIMITR_EL1.E alone. */
void bench_switch(struct bench *b, bool on);
/* So many bytes of the pattern 1, 2, ... 251, 1: how many are gone. */
size_t bench_offer(struct bench *b, size_t size);
void bench_fault(struct bench *b, uint64_t address, uint8_t stage, uint8_t FSC);
void bench_abort(struct bench *b, uint64_t address, uint8_t stage, uint8_t FSC);

uint64_t bench_get(const struct bench *b, enum cairn_pe_register number);
uint64_t bench_status(const struct bench *b);
uint64_t bench_pointer(const struct bench *b);
/* Of the log, those with that value. */
size_t bench_count(const struct bench *b, enum bench_what what, uint64_t value);
size_t bench_count_what(const struct bench *b, enum bench_what what);
uint8_t bench_at(const struct bench *b, uint64_t address);

/* A byte loop, and blocks: most tests are of both. */
#define EACH_WAY(options, way) for (unsigned way = 0; way < 2 && bench_way(&(options), way); way++)
bool bench_way(struct cairn_pe_trbe_options *options, unsigned way);

#endif
