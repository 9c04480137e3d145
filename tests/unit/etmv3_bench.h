/* SPDX-License-Identifier: BSD-2-Clause */
/* An ETMv3 model, what a core does as calls of one line each, and the bytes that come out. */
#ifndef CAIRN_TESTS_UNIT_ETMV3_BENCH_H
#define CAIRN_TESTS_UNIT_ETMV3_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/unit.h>

#define BENCH_BYTES 65536

/* Cores: v3.3 without Security Extensions, v3.5 with, v3.5 of the M profile. */
#define BENCH_R 0x4104f230u
#define BENCH_A 0x410cf250u
#define BENCH_M 0x4114f250u

struct etmv3_bench {
    struct cairn_unit *unit;
    uint8_t bytes[BENCH_BYTES];
    size_t size;
    size_t checked;
};

extern struct etmv3_bench bench;

/* The profile follows from ETMIDR. `program`: "ETMCR=8 ETMTEEVR=6f ...", hexadecimal. */
void bench_begin(uint32_t id, const char *program);
/* Begin with CAIRN_UNIT_OPTIONS_INIT; the sink, protocol, arch and registers are the bench's. */
void bench_begin_with(uint32_t id, const char *program, struct cairn_unit_options options);
void bench_end(void);
/* The same, up to and with an A-sync, a Trace-on I-sync and one E at `address`, in bytes `hex`. */
void bench_start(uint32_t id, const char *program, uint32_t address, const char *hex);

/* Flushes: exactly these bytes since the last call. */
void expect(const char *hex);

/* One instruction: A32 of 4 bytes; in Thumb state (bit 0 of the address is 1) of 2. */
void run(uint32_t address);
void fail_condition(uint32_t address); /* it fails its condition */
void branch(uint32_t address, uint32_t target);
void jump(uint32_t address);             /* an indirect branch */
void exception_return(uint32_t address); /* one that returns from an exception */
void instruction(uint32_t address, unsigned kind, uint32_t flags, uint32_t target, bool taken);
void except(unsigned type, uint32_t address);
void secure(bool secure, unsigned EL);
void context_id(uint32_t id);

void load(uint32_t address, uint32_t bytes, uint64_t value);
void store(uint32_t address, uint32_t bytes, uint64_t value);
void transfer(uint32_t address, uint32_t bytes, uint64_t value, uint32_t flags);

#endif
