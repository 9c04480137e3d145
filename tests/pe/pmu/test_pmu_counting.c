/* SPDX-License-Identifier: BSD-2-Clause */
/* What counts where, and what happens at an overflow (Arm Architecture Reference Manual). */
#include "pmu_bench.h"

#define HUGE_COUNT (UINT64_C(1) << 40)

static void begin(struct bench *b)
{
    const struct cairn_pmu_config config = everything();

    bench_begin(b, &config);
    put(b, CAIRN_PE_PMCR_EL0, E);
}

/* --- events of the program --- */

static uint64_t of_block(uint32_t number, const struct cairn_block *block, bool passed)
{
    struct bench b;

    begin(&b);
    count_event(&b, 0, number);
    cairn_pmu_retired(&b.pmu, block, passed, &EL0);
    assert_int_equal(exported(&b, number), counted(&b, 0));
    return counted(&b, 0);
}

/* Rows: what a block of 3 instructions that ends so counts, passed and not. */
static void test_blocks(void **state)
{
    static const struct row {
        uint8_t kind;
        uint32_t flags;
        uint32_t number;
        unsigned passed, failed;
    } rows[] = {
        {CAIRN_INSN_OTHER, 0, CAIRN_PMU_INST_RETIRED, 3, 3},
        {CAIRN_INSN_OTHER, 0, CAIRN_PMU_BR_RETIRED, 0, 0},
        {CAIRN_INSN_ISB, 0, CAIRN_PMU_BR_RETIRED, 0, 0},
        {CAIRN_INSN_TSTART, 0, CAIRN_PMU_BR_RETIRED, 0, 0},
        {CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, CAIRN_PMU_INST_RETIRED, 3, 3},
        {CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, CAIRN_PMU_BR_RETIRED, 1, 1},
        {CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, CAIRN_PMU_BR_IMMED_RETIRED, 1, 1},
        {CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, CAIRN_PMU_BR_SKIP_RETIRED, 0, 1},
        {CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, CAIRN_PMU_BR_IMMED_TAKEN_RETIRED, 1, 0},
        {CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, CAIRN_PMU_PC_WRITE_RETIRED, 1, 0},
        {CAIRN_INSN_BRANCH_DIRECT, 0, CAIRN_PMU_BR_IND_RETIRED, 0, 0},
        {CAIRN_INSN_BRANCH_DIRECT, 0, CAIRN_PMU_BR_INDNR_TAKEN_RETIRED, 0, 0},
        {CAIRN_INSN_BRANCH_INDIRECT, 0, CAIRN_PMU_BR_IND_RETIRED, 1, 1},
        {CAIRN_INSN_BRANCH_INDIRECT, 0, CAIRN_PMU_BR_IMMED_RETIRED, 0, 0},
        {CAIRN_INSN_BRANCH_INDIRECT, 0, CAIRN_PMU_BR_RETURN_RETIRED, 0, 0},
        {CAIRN_INSN_BRANCH_INDIRECT, 0, CAIRN_PMU_BR_INDNR_TAKEN_RETIRED, 1, 0},
        {CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_RETURN, CAIRN_PMU_BR_RETURN_RETIRED, 1, 0},
        {CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_RETURN, CAIRN_PMU_BR_INDNR_TAKEN_RETIRED, 0, 0},
        {CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_RETURN, CAIRN_PMU_EXC_RETURN, 0, 0},
        {CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_ERET, CAIRN_PMU_EXC_RETURN, 1, 0},
        {CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_ERET, CAIRN_PMU_BR_RETIRED, 1, 1},
    };

    (void)state;
    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        const struct cairn_block block = block_of(3, rows[n].kind, rows[n].flags);

        assert_int_equal(of_block(rows[n].number, &block, true), rows[n].passed);
        assert_int_equal(of_block(rows[n].number, &block, false), rows[n].failed);
    }
}

static void test_predictions(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    count_event(&b, 0, CAIRN_PMU_BR_PRED);
    count_event(&b, 1, CAIRN_PMU_BR_MIS_PRED);
    count_event(&b, 2, CAIRN_PMU_BR_MIS_PRED_RETIRED);
    count_event(&b, 3, CAIRN_PMU_BR_PRED_RETIRED);
    for (unsigned n = 0; n < 5; n++)
        cairn_pmu_predicted(&b.pmu, n < 2 ? CAIRN_PMU_MISPREDICTED : CAIRN_PMU_PREDICTED, &EL0);
    assert_int_equal(counted(&b, 0), 5);
    assert_int_equal(counted(&b, 1), 2);
    assert_int_equal(counted(&b, 2), 2);
    assert_int_equal(counted(&b, 3), 3);
}

/* An exception is counted where it came from. */
static void test_exceptions(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    count_event(&b, 0, CAIRN_PMU_EXC_TAKEN | P);
    count_event(&b, 1, CAIRN_PMU_EXC_TAKEN | U);
    count_event(&b, 2, CAIRN_PMU_EXC_SVC);
    count_event(&b, 3, CAIRN_PMU_EXC_IRQ);
    cairn_pmu_exception(&b.pmu, CAIRN_PMU_EXC_SVC, &EL0);
    cairn_pmu_exception(&b.pmu, CAIRN_PMU_EXC_IRQ, &EL1);
    cairn_pmu_exception(&b.pmu, 0, &EL1);
    assert_int_equal(counted(&b, 0), 1);
    assert_int_equal(counted(&b, 1), 2);
    assert_int_equal(counted(&b, 2), 1);
    assert_int_equal(counted(&b, 3), 1);
}

/* --- where --- */

/* Whether Non-secure, Secure and Realm EL0 to EL2 and EL3 count with these bits of a filter. */
struct where {
    uint64_t filter;
    const char *counts; /* levels 0 to 2 Non-secure, Secure, Realm; EL3: '1' or '.' */
};

static void test_filters(void **state)
{
    static const struct where rows[] = {
        {0, "11. 11. 11. 1"},         {P, "1.. 1.. 1.. ."},        {U, ".1. .1. .1. 1"},
        {P | U, "... ... ... ."},     {NSK, "1.. 11. 11. 1"},      {P | NSK, "11. 1.. 1.. ."},
        {NSU, ".1. 11. 11. 1"},       {U | NSU, "11. .1. .1. 1"},  {NSH, "111 111 111 1"},
        {SH, "11. 111 11. 1"},        {NSH | SH, "111 11. 111 1"}, {RLH, "11. 11. 111 1"},
        {NSH | RLH, "111 111 11. 1"}, {RLK, "11. 11. 1.. 1"},      {P | RLK, "1.. 1.. 11. ."},
        {RLU, "11. 11. .1. 1"},       {U | RLU, ".1. .1. 11. 1"},  {M, "11. 11. 11. ."},
        {P | M, "1.. 1.. 1.. 1"},
    };
    static const uint8_t securities[] = {CAIRN_NONSECURE, CAIRN_SECURE, CAIRN_REALM};

    (void)state;
    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++)
        for (unsigned cycle = 0; cycle < 2; cycle++) {
            struct cairn_pmu_config config = everything();
            struct bench b;

            config.features.realms = true;
            bench_begin(&b, &config);
            put(&b, CAIRN_PE_PMCR_EL0, E);
            put_other(&b, CAIRN_PE_MDCR_EL3, SPME);
            count_event(&b, 0, CAIRN_PMU_CPU_CYCLES | rows[n].filter);
            put(&b, CAIRN_PE_PMCNTENSET_EL0, CYCLE_BIT);
            put(&b, CAIRN_PE_PMCCFILTR_EL0, rows[n].filter);
            for (unsigned at = 0; at < 10; at++) {
                const struct cairn_pe_state where = {.EL = (uint8_t)(at == 9 ? 3 : at % 3),
                                                     .security =
                                                         at == 9 ? CAIRN_ROOT : securities[at / 3]};
                const char expected = rows[n].counts[at + at / 3];
                const uint64_t before = cycle ? get(&b, CAIRN_PE_PMCCNTR_EL0) : counted(&b, 0);
                uint64_t after;

                cairn_pmu_cycles(&b.pmu, 1, &where);
                after = cycle ? get(&b, CAIRN_PE_PMCCNTR_EL0) : counted(&b, 0);
                assert_int_equal(after - before, expected == '1');
            }
        }
}

/* Counter 0, counter 5 (reserved for EL2 from 3 on) and the cycle counter. */
struct prohibit {
    uint8_t version;
    uint64_t PMCR, EL2_bits, EL3_bits;
    const struct cairn_pe_state *where;
    const char *counts;
};

static void test_prohibited(void **state)
{
    static const struct cairn_pe_state secure_EL1 = {.EL = 1, .security = CAIRN_SECURE};
    static const struct cairn_pe_state halted = {
        .EL = 1, .security = CAIRN_NONSECURE, .debug = true};
    static const struct prohibit rows[] = {
        /* enables */
        {0, E, HPME, 0, &EL1, "111"},
        {0, 0, HPME, 0, &EL1, ".1."},
        {0, E, 0, 0, &EL1, "1.1"},
        {0, E, HPME, 0, &halted, "..."},
        /* Secure state */
        {0, E, HPME, 0, &secure_EL1, "..1"},
        {0, E | DP, HPME, 0, &secure_EL1, "..."},
        {0, E | DP, HPME, SPME, &secure_EL1, "111"},
        {0, E | DP, HPME, MPMX, &secure_EL1, "111"},
        {CAIRN_PMU_V3P5, E, HPME, MPMX, &secure_EL1, "..1"},
        {0, E, HPME, SPME | SCCD, &secure_EL1, "11."},
        {CAIRN_PMU_V3P4, E, HPME, SPME | SCCD, &secure_EL1, "111"},
        {0, E, HPME, SCCD, &EL1, "111"},
        /* EL3 */
        {0, E, HPME, 0, &EL3, "..1"},
        {0, E, HPME, SPME, &EL3, "111"},
        {0, E, HPME, MPMX, &EL3, "..1"},
        {0, E, HPME, SPME | MPMX, &EL3, ".11"},
        {0, E | DP, HPME, SPME | MPMX, &EL3, ".1."},
        {0, E, HPME, SPME | MCCD, &EL3, "11."},
        {CAIRN_PMU_V3P5, E, HPME, SPME | MCCD | MPMX, &EL3, "111"},
        /* EL2 */
        {0, E, HPME, 0, &EL2, "111"},
        {0, E, HPME | HPMD, 0, &EL2, ".11"},
        {0, E | DP, HPME | HPMD, 0, &EL2, ".1."},
        {0, E, HPME | HPMD | HCCD, 0, &EL2, ".1."},
        {0, E, HPME | HCCD, 0, &EL2, "11."},
        {0, E, HPME | HCCD | HPMD, 0, &EL1, "111"},
        {CAIRN_PMU_V3P4, E, HPME | HCCD, 0, &EL2, "111"},
        {CAIRN_PMU_V3, E, HPME | HPMD, 0, &EL2, "111"},
    };

    (void)state;
    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        struct cairn_pmu_config config = everything();
        struct bench b;

        config.version = rows[n].version;
        bench_begin(&b, &config);
        put(&b, CAIRN_PE_PMCR_EL0, rows[n].PMCR);
        put_EL2(&b, 3, rows[n].EL2_bits);
        put_other(&b, CAIRN_PE_MDCR_EL3, rows[n].EL3_bits);
        count_event(&b, 0, CAIRN_PMU_CPU_CYCLES | NSH);
        count_event(&b, 5, CAIRN_PMU_CPU_CYCLES | NSH);
        put(&b, CAIRN_PE_PMCNTENSET_EL0, CYCLE_BIT);
        put(&b, CAIRN_PE_PMCCFILTR_EL0, NSH);
        cairn_pmu_cycles(&b.pmu, 1, rows[n].where);
        assert_int_equal(counted(&b, 0), rows[n].counts[0] == '1');
        assert_int_equal(counted(&b, 5), rows[n].counts[1] == '1');
        assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0), rows[n].counts[2] == '1');
    }
}

/* A number that is not there counts nothing, and a counter whose bit is off neither. */
static void test_nothing(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    count_event(&b, 0, CAIRN_PMU_LD_RETIRED);
    count_event(&b, 1, CAIRN_PMU_INST_RETIRED);
    put(&b, CAIRN_PE_PMCNTENCLR_EL0, BIT(1));
    count_event(&b, 2, CAIRN_PMU_CHAIN); /* even: never */
    count_event(&b, 3, CAIRN_PMU_TSTART_RETIRED);
    cairn_pmu_event(&b.pmu, CAIRN_PMU_LD_RETIRED, 4, &EL0);
    cairn_pmu_event(&b.pmu, CAIRN_PMU_CHAIN, 4, &EL0);
    cairn_pmu_event(&b.pmu, CAIRN_PMU_TSTART_RETIRED, 4, &EL0);
    cairn_pmu_event(&b.pmu, CAIRN_PMU_PMU_OVFS, 4, &EL0);
    retire(&b, 9, &EL0);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(counted(&b, n), 0);
    assert_int_equal(exported(&b, CAIRN_PMU_PMU_OVFS), 0);
    assert_int_equal(cairn_pmu_implement(&b.pmu, CAIRN_PMU_LD_RETIRED), CAIRN_OK);
    cairn_pmu_event(&b.pmu, CAIRN_PMU_LD_RETIRED, 4, &EL0);
    assert_int_equal(counted(&b, 0), 4);
    cairn_pmu_event(&b.pmu, CAIRN_PMU_CPU_CYCLES, 4, &EL0);
    assert_int_equal(exported(&b, CAIRN_PMU_CPU_CYCLES), 4);
}

/* --- overflow --- */

static void test_widths(void **state)
{
    struct cairn_pmu_config config = everything();
    struct bench b;

    (void)state;
    begin(&b);
    count_event(&b, 0, CAIRN_PMU_INST_RETIRED);
    put(&b, EVCNTR(0), UINT32_MAX);
    retire(&b, 2, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSCLR_EL0), 1);
    assert_int_equal(b.overflowed, 1);
    assert_true(counted(&b, 0) == UINT64_C(0x100000001)); /* carries on above */
    assert_false(b.line);
    put(&b, CAIRN_PE_PMOVSCLR_EL0, 1);
    put(&b, CAIRN_PE_PMCR_EL0, E | LP);
    put(&b, EVCNTR(0), UINT32_MAX);
    retire(&b, 2, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSCLR_EL0), 0);
    put(&b, EVCNTR(0), UINT64_MAX);
    put(&b, CAIRN_PE_PMINTENSET_EL1, 1);
    retire(&b, 2, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSCLR_EL0), 1);
    assert_int_equal(counted(&b, 0), 1);
    assert_true(b.line);
    put(&b, CAIRN_PE_PMOVSCLR_EL0, 1);
    assert_false(b.line);
    config.version = CAIRN_PMU_V3P4;
    bench_begin(&b, &config);
    put(&b, CAIRN_PE_PMCR_EL0, E | LP);
    count_event(&b, 0, CAIRN_PMU_INST_RETIRED);
    put(&b, EVCNTR(0), UINT32_MAX);
    retire(&b, 2, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSCLR_EL0), 1);
    assert_int_equal(counted(&b, 0), 1);
}

static void test_cycle_counter(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    put(&b, CAIRN_PE_PMCNTENSET_EL0, CYCLE_BIT);
    put(&b, CAIRN_PE_PMCR_EL0, E | D);
    cairn_pmu_cycles(&b.pmu, 63, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0), 0);
    assert_int_equal(cairn_pmu_until_overflow(&b.pmu, CAIRN_PMU_CPU_CYCLES, &EL0),
                     (UINT64_C(1) << 38) - 63);
    cairn_pmu_cycles(&b.pmu, 1, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0), 1);
    cairn_pmu_cycles(&b.pmu, 130, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0), 3);
    cairn_pmu_cycles(&b.pmu, 62, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0), 4);
    /* The divider starts anew with PMCR_EL0.C and at a reset. */
    cairn_pmu_cycles(&b.pmu, 63, &EL0);
    put(&b, CAIRN_PE_PMCR_EL0, E | D | RESET_CYCLES);
    cairn_pmu_cycles(&b.pmu, 63, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0), 0);
    cairn_pmu_reset(&b.pmu);
    put(&b, CAIRN_PE_PMCR_EL0, E | D);
    put(&b, CAIRN_PE_PMCNTENSET_EL0, CYCLE_BIT);
    cairn_pmu_cycles(&b.pmu, 63, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0), 0);
    put(&b, CAIRN_PE_PMCCNTR_EL0, 4);
    put(&b, CAIRN_PE_PMCR_EL0, E | D | LC); /* D is ignored */
    cairn_pmu_cycles(&b.pmu, 10, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0), 14);
    put(&b, CAIRN_PE_PMCCNTR_EL0, UINT32_MAX);
    cairn_pmu_cycles(&b.pmu, 1, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), 0);
    put(&b, CAIRN_PE_PMCCNTR_EL0, UINT64_MAX);
    cairn_pmu_cycles(&b.pmu, 1, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), CYCLE_BIT);
    put(&b, CAIRN_PE_PMOVSCLR_EL0, CYCLE_BIT);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    put(&b, CAIRN_PE_PMCCNTR_EL0, UINT32_MAX);
    cairn_pmu_cycles(&b.pmu, 3, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), CYCLE_BIT);
    assert_true(get(&b, CAIRN_PE_PMCCNTR_EL0) == UINT64_C(0x100000002));
}

/* A range that freezes stops with the event that overflows, all of it and no other. */
static void test_freeze(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    put_EL2(&b, 3, HPME);
    put(&b, CAIRN_PE_PMCR_EL0, E | FZO | DP);
    for (unsigned n = 0; n < 6; n++)
        count_event(&b, n, CAIRN_PMU_CPU_CYCLES);
    put(&b, CAIRN_PE_PMCNTENSET_EL0, CYCLE_BIT);
    put(&b, EVCNTR(1), UINT32_MAX - 9);
    put(&b, EVCNTR(4), UINT32_MAX - 19);
    cairn_pmu_cycles(&b.pmu, 100, &EL0);
    assert_int_equal(counted(&b, 0), 10);
    assert_int_equal(counted(&b, 1) & UINT32_MAX, 0);
    assert_int_equal(counted(&b, 2), 10);
    assert_int_equal(counted(&b, 3), 100);
    assert_int_equal(counted(&b, 4) & UINT32_MAX, 80);
    assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0), 10); /* DP: frozen with them */
    assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), BIT(1) | BIT(4));
    put_EL2(&b, 3, HPME | HPMFZO);
    cairn_pmu_cycles(&b.pmu, 100, &EL0);
    assert_int_equal(counted(&b, 5), 100);
    put(&b, CAIRN_PE_PMOVSCLR_EL0, BIT(1) | BIT(4));
    put(&b, CAIRN_PE_PMCR_EL0, E | FZO);
    put(&b, EVCNTR(1), UINT32_MAX - 9);
    put(&b, EVCNTR(4), UINT32_MAX - 19);
    put(&b, CAIRN_PE_PMCCNTR_EL0, UINT32_MAX);
    cairn_pmu_cycles(&b.pmu, 100, &EL0);
    assert_int_equal(counted(&b, 0), 20);
    assert_int_equal(counted(&b, 5), 120);
    /* The cycle counter's own flag freezes nothing, and it goes on. */
    assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), CYCLE_BIT | BIT(1) | BIT(4));
    assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0) & UINT32_MAX, 99);
}

static void test_chain(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    count_event(&b, 2, CAIRN_PMU_CPU_CYCLES);
    count_event(&b, 3, CAIRN_PMU_CHAIN);
    cairn_pmu_cycles(&b.pmu, HUGE_COUNT + 5, &EL0);
    assert_int_equal(counted(&b, 3), 256);
    assert_int_equal(counted(&b, 2) & UINT32_MAX, 5);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), BIT(2));
    put(&b, EVCNTR(3), UINT32_MAX);
    put(&b, EVCNTR(2), UINT32_MAX);
    cairn_pmu_cycles(&b.pmu, 1, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), BIT(2) | BIT(3));
    /* no chain out of 64 bits, to a counter that is off, or across the border */
    put(&b, EVCNTR(3), 0);
    put(&b, CAIRN_PE_PMCR_EL0, E | LP);
    put(&b, EVCNTR(2), UINT64_MAX);
    cairn_pmu_cycles(&b.pmu, 1, &EL0);
    assert_int_equal(counted(&b, 3), 0);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    put(&b, CAIRN_PE_PMCNTENCLR_EL0, BIT(3));
    put(&b, EVCNTR(2), UINT32_MAX);
    cairn_pmu_cycles(&b.pmu, 1, &EL0);
    assert_int_equal(counted(&b, 3), 0);
    put(&b, CAIRN_PE_PMCNTENSET_EL0, BIT(3));
    put_EL2(&b, 3, HPME);
    put(&b, EVCNTR(2), UINT32_MAX);
    cairn_pmu_cycles(&b.pmu, 1, &EL0);
    assert_int_equal(counted(&b, 3), 0);
    put_EL2(&b, 4, HPME);
    put(&b, EVCNTR(2), UINT32_MAX);
    cairn_pmu_cycles(&b.pmu, 1, &EL0);
    assert_int_equal(counted(&b, 3), 1);
}

/* No call counts one by one; a count that cannot be is exact all the same. */
static void test_many(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    put(&b, CAIRN_PE_PMCR_EL0, E | LP | LC);
    count_event(&b, 0, CAIRN_PMU_CPU_CYCLES);
    put(&b, CAIRN_PE_PMCNTENSET_EL0, CYCLE_BIT);
    put(&b, CAIRN_PE_PMINTENSET_EL1, 1);
    for (unsigned n = 0; n < 1000; n++) {
        cairn_pmu_cycles(&b.pmu, HUGE_COUNT, &EL0);
        b.said_count = 0;
    }
    assert_true(counted(&b, 0) == 1000 * HUGE_COUNT);
    assert_true(get(&b, CAIRN_PE_PMCCNTR_EL0) == 1000 * HUGE_COUNT);
    cairn_pmu_cycles(&b.pmu, UINT64_MAX, &EL0);
    assert_true(counted(&b, 0) == 1000 * HUGE_COUNT - 1);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), CYCLE_BIT | 1);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    put(&b, EVCNTR(0), UINT32_MAX);
    b.said_count = 0;
    cairn_pmu_cycles(&b.pmu, UINT64_MAX, &EL0);
    /* 2^64 - 1 more than 2^32 - 1: bit 31 overflowed 2^32 times */
    assert_true(exported(&b, CAIRN_PMU_PMU_OVFS) == UINT64_C(1) << 32);
}

static void test_until_overflow(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    assert_true(cairn_pmu_until_overflow(&b.pmu, CAIRN_PMU_CPU_CYCLES, &EL0) == UINT64_MAX);
    count_event(&b, 0, CAIRN_PMU_CPU_CYCLES);
    count_event(&b, 1, CAIRN_PMU_INST_RETIRED);
    put(&b, EVCNTR(0), 0xffffff00);
    put(&b, EVCNTR(1), 0xfffffff0);
    assert_int_equal(cairn_pmu_until_overflow(&b.pmu, CAIRN_PMU_CPU_CYCLES, &EL0), 256);
    assert_int_equal(cairn_pmu_until_overflow(&b.pmu, CAIRN_PMU_INST_RETIRED, &EL0), 16);
    put(&b, CAIRN_PE_PMCNTENSET_EL0, CYCLE_BIT);
    put(&b, CAIRN_PE_PMCCNTR_EL0, 0xffffff80);
    assert_int_equal(cairn_pmu_until_overflow(&b.pmu, CAIRN_PMU_CPU_CYCLES, &EL0), 128);
    cairn_pmu_cycles(&b.pmu, 127, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), 0);
    cairn_pmu_cycles(&b.pmu, 1, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), CYCLE_BIT);
    put(&b, CAIRN_PE_PMCR_EL0, E | LC | LP);
    put(&b, EVCNTR(0), UINT64_MAX - 4);
    assert_int_equal(cairn_pmu_until_overflow(&b.pmu, CAIRN_PMU_CPU_CYCLES, &EL0), 5);
}

/* --- totals --- */

static void test_totals(void **state)
{
    struct cairn_pmu_total list[CAIRN_PE_EVENT_COUNTERS + 1];
    struct bench b;

    (void)state;
    begin(&b);
    assert_int_equal(cairn_pmu_totals(&b.pmu, list), 0);
    count_event(&b, 4, CAIRN_PMU_INST_RETIRED);
    count_event(&b, 1, 0x3c7);
    put(&b, CAIRN_PE_PMCNTENSET_EL0, CYCLE_BIT);
    put(&b, EVCNTR(4), UINT32_MAX);
    retire(&b, 3, &EL0);
    put(&b, CAIRN_PE_PMCR_EL0, E | RESET_EVENTS | RESET_CYCLES);
    retire(&b, 4, &EL0);
    cairn_pmu_cycles(&b.pmu, 11, &EL0);
    assert_int_equal(cairn_pmu_totals(&b.pmu, list), 3);
    assert_int_equal(list[0].counter, 1);
    assert_int_equal(list[0].number, 0x3c7);
    assert_null(list[0].name);
    assert_int_equal(list[0].counted, 0);
    assert_int_equal(list[1].counter, 4);
    assert_string_equal(list[1].name, "INST_RETIRED");
    assert_int_equal(list[1].counted, 7);
    assert_int_equal(list[1].overflows, 1);
    assert_int_equal(list[2].counter, CAIRN_PMU_CYCLE_COUNTER);
    assert_string_equal(list[2].name, "CPU_CYCLES");
    assert_int_equal(list[2].counted, 11);
    /* Another filter goes on, another event begins anew. */
    put(&b, EVTYPER(4), CAIRN_PMU_INST_RETIRED | NSH);
    assert_int_equal(cairn_pmu_totals(&b.pmu, list), 3);
    assert_int_equal(list[1].counted, 7);
    put(&b, EVTYPER(4), CAIRN_PMU_BR_RETIRED);
    assert_int_equal(cairn_pmu_totals(&b.pmu, list), 3);
    assert_string_equal(list[1].name, "BR_RETIRED");
    assert_int_equal(list[1].counted, 0);
    assert_int_equal(list[1].overflows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),     cmocka_unit_test(test_predictions),
        cmocka_unit_test(test_exceptions), cmocka_unit_test(test_filters),
        cmocka_unit_test(test_prohibited), cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_widths),     cmocka_unit_test(test_cycle_counter),
        cmocka_unit_test(test_freeze),     cmocka_unit_test(test_chain),
        cmocka_unit_test(test_many),       cmocka_unit_test(test_until_overflow),
        cmocka_unit_test(test_totals),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
