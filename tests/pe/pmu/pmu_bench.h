/* SPDX-License-Identifier: BSD-2-Clause */
/* A PMU with its registers, and what it said. */
#ifndef CAIRN_TESTS_PE_PMU_BENCH_H
#define CAIRN_TESTS_PE_PMU_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pe/pmu.h"

#define BIT(n) (UINT64_C(1) << (n))
#define CYCLE_BIT BIT(31)
#define EVTYPER(n) ((enum cairn_pe_register)(CAIRN_PE_PMEVTYPER0_EL0 + (n)))
#define EVCNTR(n) ((enum cairn_pe_register)(CAIRN_PE_PMEVCNTR0_EL0 + (n)))

/* Bits of the filters, as the register pages number them. */
#define P BIT(31)
#define U BIT(30)
#define NSK BIT(29)
#define NSU BIT(28)
#define NSH BIT(27)
#define M BIT(26)
#define SH BIT(24)
#define T BIT(23)
#define RLK BIT(22)
#define RLU BIT(21)
#define RLH BIT(20)
/* and of PMCR_EL0 */
#define E BIT(0)
#define RESET_EVENTS BIT(1)
#define RESET_CYCLES BIT(2)
#define D BIT(3)
#define X BIT(4)
#define DP BIT(5)
#define LC BIT(6)
#define LP BIT(7)
#define FZO BIT(9)
/* and of MDCR_EL2, MDCR_EL3 */
#define HPME BIT(7)
#define HPMD BIT(17)
#define HCCD BIT(23)
#define HLP BIT(26)
#define HPMFZO BIT(29)
#define SPME BIT(17)
#define SCCD BIT(23)
#define MCCD BIT(34)
#define MPMX BIT(35)

struct said {
    uint32_t number;
    uint64_t count;
};

struct bench {
    struct cairn_pmu pmu;
    struct cairn_pe_registers registers;
    struct cairn_pmu_config config;
    bool line;
    unsigned line_changes;
    uint32_t overflowed; /* all that calls.overflow said */
    struct said said[128];
    unsigned said_count;
};

static const struct cairn_pe_state EL0 = {.EL = 0, .security = CAIRN_NONSECURE};
static const struct cairn_pe_state EL1 = {.EL = 1, .security = CAIRN_NONSECURE};
static const struct cairn_pe_state EL2 = {.EL = 2, .security = CAIRN_NONSECURE};
static const struct cairn_pe_state EL3 = {.EL = 3, .security = CAIRN_SECURE};

static inline struct cairn_pe_state in_transaction(struct cairn_pe_state state)
{
    state.transactional = true;
    return state;
}

static inline void bench_line(void *user, bool level)
{
    struct bench *b = user;

    b->line = level;
    b->line_changes++;
}

static inline void bench_overflow(void *user, uint32_t counters)
{
    struct bench *b = user;

    b->overflowed |= counters;
}

static inline void bench_exported(void *user, uint32_t number, uint64_t count)
{
    struct bench *b = user;

    assert_true(b->said_count < sizeof b->said / sizeof b->said[0]);
    b->said[b->said_count++] = (struct said){number, count};
}

/* How many of the event were exported since the last look at it; it is forgotten then. */
static inline uint64_t exported(struct bench *b, uint32_t number)
{
    uint64_t sum = 0;

    for (unsigned n = 0; n < b->said_count; n++)
        if (b->said[n].number == number) {
            sum += b->said[n].count;
            b->said[n].count = 0;
        }
    return sum;
}

static inline struct cairn_pmu_config everything(void)
{
    return (struct cairn_pmu_config){.features = {.EL2 = true,
                                                  .EL3 = true,
                                                  .secure_EL2 = true,
                                                  .brbe = 2,
                                                  .records = 64,
                                                  .trbe = true,
                                                  .counters = 6,
                                                  .transactions = true,
                                                  .trace_filter = true},
                                     .ETE = true};
}

static inline void bench_begin(struct bench *b, const struct cairn_pmu_config *config)
{
    memset(b, 0, sizeof *b);
    b->config = *config;
    b->config.calls = (struct cairn_pmu_calls){
        .user = b, .line = bench_line, .overflow = bench_overflow, .exported = bench_exported};
    assert_int_equal(cairn_pmu_init(&b->pmu, &b->config, &b->registers), CAIRN_OK);
}

/* What a System register instruction at EL3 writes and reads. */
static inline void put(struct bench *b, enum cairn_pe_register name, uint64_t value)
{
    cairn_pmu_write(&b->pmu, name, value, &EL3);
}

static inline uint64_t get(const struct bench *b, enum cairn_pe_register name)
{
    return cairn_pmu_read(&b->pmu, name, &EL3);
}

/* A register of someone else. */
static inline void put_other(struct bench *b, enum cairn_pe_register name, uint64_t value)
{
    b->registers.value[name] = value;
    cairn_pmu_changed(&b->pmu);
}

/* MDCR_EL2 besides HPMN */
static inline void put_EL2(struct bench *b, unsigned HPMN, uint64_t bits)
{
    put_other(b, CAIRN_PE_MDCR_EL2, HPMN | bits);
}

/* Counter n counts `type`, from 0 on, and is enabled. */
static inline void count_event(struct bench *b, unsigned n, uint64_t type)
{
    put(b, EVTYPER(n), type);
    put(b, EVCNTR(n), 0);
    put(b, CAIRN_PE_PMCNTENSET_EL0, BIT(n));
}

static inline uint64_t counted(const struct bench *b, unsigned n)
{
    return get(b, EVCNTR(n));
}

/* A block of so many instructions of 4 bytes. */
static inline struct cairn_block block_of(uint32_t count, uint8_t kind, uint32_t flags)
{
    return (struct cairn_block){.address = 0x1000,
                                .size = 4 * count,
                                .count = count,
                                .flags = flags,
                                .isa = CAIRN_ISA_A64,
                                .kind = kind,
                                .last_size = 4,
                                .target_isa = CAIRN_ISA_A64};
}

static inline void retire(struct bench *b, uint32_t count, const struct cairn_pe_state *state)
{
    const struct cairn_block block = block_of(count, CAIRN_INSN_OTHER, 0);

    cairn_pmu_retired(&b->pmu, &block, true, state);
}

#endif
