/* SPDX-License-Identifier: BSD-2-Clause */
/* An ETMv1 or ETMv2 model, what a core does as calls of one line each, and the cycles that its pins show. */
#ifndef CAIRN_TESTS_UNIT_ETMV1_BENCH_H
#define CAIRN_TESTS_UNIT_ETMV1_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/unit.h>

#include "protocol/samples.h"

#define PINS_MOST 65536

struct etmv1_pins {
    struct cairn_unit *unit;
    uint8_t bytes[PINS_MOST];
    size_t size;
    size_t checked;
    unsigned digits; /* of a packet */
    bool v2;
};

extern struct etmv1_pins pins;

/* ETMCR, hexadecimal, and other registers: "ETMCR=14 ETMTEEVR=6f ...". */
void pins_begin(const char *program);
void pins_begin_with(const char *program, uint32_t fifo_bytes);
/* An ETMv2, whose statuses are told by their names; `choices`: CAIRN_UNIT_... */
void pins_begin_v2(const char *program, uint32_t fifo_bytes, uint32_t choices);
/* The same, with trace on at 0x8000 and everything out; no time is owed. */
void begin_v2_at_8000(const char *program, uint32_t choices);
void pins_end(void);

/* Cycles from here on, as text: "BE*80 IE.0a TD.01" is the status, whether TRACESYNC is 1 (*) or not
 * (.), and TRACEPKT in hexadecimal. Offsets of addresses are told as statuses 0 to 3. The FIFO is not
 * drained for it: pass cycles. "TD.01x4" stands for four of them. */
void expect_cycles(const char *cycles);
/* The same, without looking at packets: "BE IE IE WT". */
void expect_statuses(const char *statuses);
/* Skips what was shown. */
void ignore_cycles(void);
/* The sample `n` of those not checked yet; how many there are. */
struct cairn_sample cycle_at(size_t n);
size_t cycle_count(void);

/* One instruction; bit 0 of its address: Thumb. */
void tell(uint32_t address, unsigned kind, uint32_t target, bool passed);
void run(uint32_t address);
void run_on(uint32_t from, uint32_t last); /* a row of them */
void fail_condition(uint32_t address);
void branch(uint32_t address, uint32_t target);
void jump(uint32_t address); /* an indirect branch */
void bytecode(uint32_t address);
void except(unsigned type, uint32_t address);
void context_id(uint32_t id);
void transfer(uint32_t address, uint32_t bytes, uint64_t value, uint32_t flags);
void load(uint32_t address, uint32_t bytes, uint64_t value);
void pass(uint64_t cycles);

#endif
