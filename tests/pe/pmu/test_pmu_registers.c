/* SPDX-License-Identifier: BSD-2-Clause */
/* What accesses to the PMU's registers do (Arm Architecture Reference Manual; DDI0608 C3.2). */
#include "pmu_bench.h"

static void begin(struct bench *b)
{
    const struct cairn_pmu_config config = everything();

    bench_begin(b, &config);
}

static uint64_t get_at(const struct bench *b, enum cairn_pe_register name,
                       const struct cairn_pe_state *state)
{
    return cairn_pmu_read(&b->pmu, name, state);
}

static void put_at(struct bench *b, enum cairn_pe_register name, uint64_t value,
                   const struct cairn_pe_state *state)
{
    cairn_pmu_write(&b->pmu, name, value, state);
}

static void test_reset(void **state)
{
    struct cairn_pmu_config config = everything();
    struct bench b;

    (void)state;
    config.PMMIR = 8;
    bench_begin(&b, &config);
    put(&b, EVCNTR(2), 5);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    cairn_pmu_reset(&b.pmu);
    assert_int_equal(get(&b, CAIRN_PE_PMCR_EL0), 6 << 11);
    assert_int_equal(get(&b, EVCNTR(2)), 0);
    assert_int_equal(get(&b, CAIRN_PE_PMMIR_EL1), 8);
    assert_int_equal(b.registers.value[CAIRN_PE_MDCR_EL2] & 0x1f, 6);
    put(&b, CAIRN_PE_PMMIR_EL1, 9);
    put(&b, CAIRN_PE_PMCEID0_EL0, 0);
    assert_int_equal(get(&b, CAIRN_PE_PMMIR_EL1), 8);
    /* SW_INCR, INST_RETIRED, EXC_TAKEN, CPU_CYCLES, CHAIN */
    assert_int_equal(get(&b, CAIRN_PE_PMCEID0_EL0) & 0x40020301, 0x40020301);
    assert_int_equal(get(&b, CAIRN_PE_PMCEID0_EL0) & BIT(32), 0); /* 0x4000, SAMPLE_POP */
    /* LD_RETIRED only if somebody tells it */
    assert_int_equal(get(&b, CAIRN_PE_PMCEID0_EL0) & BIT(6), 0);
    assert_int_equal(cairn_pmu_implement(&b.pmu, CAIRN_PMU_LD_RETIRED), CAIRN_OK);
    assert_int_equal(get(&b, CAIRN_PE_PMCEID0_EL0) & BIT(6), BIT(6));
    /* BR_RETIRED, BR_MIS_PRED_RETIRED */
    assert_int_equal(get(&b, CAIRN_PE_PMCEID1_EL0) & 7, 6);
}

static void test_refused(void **state)
{
    struct cairn_pmu_config config = everything();
    struct cairn_pe_registers registers = {0};
    struct cairn_pmu pmu;

    (void)state;
    config.features.counters = 32;
    assert_int_equal(cairn_pmu_init(&pmu, &config, &registers), CAIRN_E_ARGUMENT);
    config.features.counters = 31;
    assert_int_equal(cairn_pmu_init(&pmu, &config, &registers), CAIRN_OK);
    config.version = 2;
    assert_int_equal(cairn_pmu_init(&pmu, &config, &registers), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_pmu_implement(&pmu, 0x10000), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_pmu_implement(&pmu, 0xffff), CAIRN_OK);
    for (uint32_t n = 1; n < CAIRN_PMU_OTHERS; n++)
        assert_int_equal(cairn_pmu_implement(&pmu, 0xc000 + n), CAIRN_OK);
    assert_int_equal(cairn_pmu_implement(&pmu, 0xc000 + 5), CAIRN_OK);
    assert_int_equal(cairn_pmu_implement(&pmu, 0xd000), CAIRN_E_LIMIT);
    assert_int_equal(cairn_pmu_implement(&pmu, 0x81ff), CAIRN_OK);
}

static void test_set_clear(void **state)
{
    static const enum cairn_pe_register pairs[3][2] = {
        {CAIRN_PE_PMCNTENSET_EL0, CAIRN_PE_PMCNTENCLR_EL0},
        {CAIRN_PE_PMINTENSET_EL1, CAIRN_PE_PMINTENCLR_EL1},
        {CAIRN_PE_PMOVSSET_EL0, CAIRN_PE_PMOVSCLR_EL0},
    };

    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        struct bench b;

        begin(&b);
        put(&b, pairs[n][0], 0x80000005);
        put(&b, pairs[n][0], 0xffffffff00000010);
        assert_int_equal(get(&b, pairs[n][0]), 0x80000015);
        assert_int_equal(get(&b, pairs[n][1]), 0x80000015);
        put(&b, pairs[n][1], 0x80000004);
        assert_int_equal(get(&b, pairs[n][0]), 0x11);
        assert_int_equal(get(&b, pairs[n][1]), 0x11);
        put(&b, pairs[n][0], ~UINT64_C(0)); /* six counters */
        assert_int_equal(get(&b, pairs[n][0]), 0x8000003f);
        /* EL1 reaches two of them, and the cycle counter. */
        put_EL2(&b, 2, 0);
        assert_int_equal(get_at(&b, pairs[n][0], &EL1), 0x80000003);
        put_at(&b, pairs[n][1], ~UINT64_C(0), &EL0);
        assert_int_equal(get(&b, pairs[n][1]), 0x3c);
        put_at(&b, pairs[n][0], ~UINT64_C(0), &EL1);
        assert_int_equal(get(&b, pairs[n][1]), 0x8000003f);
    }
}

static void test_control(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    put_EL2(&b, 2, 0);
    put(&b, CAIRN_PE_PMCR_EL0, ~UINT64_C(0));
    assert_int_equal(get(&b, CAIRN_PE_PMCR_EL0), (6 << 11) | 0x2f9);
    /* PMCR_EL0.N is what EL1 reaches. */
    assert_int_equal(get_at(&b, CAIRN_PE_PMCR_EL0, &EL1), (2 << 11) | 0x2f9);
    put(&b, CAIRN_PE_PMCR_EL0, 0);
    for (unsigned n = 0; n < 6; n++)
        put(&b, EVCNTR(n), 10 + n);
    put(&b, CAIRN_PE_PMCCNTR_EL0, 99);
    put(&b, CAIRN_PE_PMOVSSET_EL0, 0x8000003f);
    put_at(&b, CAIRN_PE_PMCR_EL0, RESET_EVENTS, &EL1);
    assert_int_equal(get(&b, EVCNTR(1)), 0);
    assert_int_equal(get(&b, EVCNTR(2)), 12);
    assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0), 99);
    assert_int_equal(get(&b, EVCNTR(0)), 0);
    put(&b, CAIRN_PE_PMCR_EL0, RESET_EVENTS);
    assert_int_equal(get(&b, EVCNTR(2)), 0);
    assert_int_equal(get(&b, EVCNTR(5)), 0);
    put_at(&b, CAIRN_PE_PMCR_EL0, RESET_CYCLES, &EL0);
    assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0), 0);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), 0x8000003f);
}

static void test_old_control(void **state)
{
    struct cairn_pmu_config config = everything();
    struct bench b;

    (void)state;
    config.version = CAIRN_PMU_V3;
    bench_begin(&b, &config);
    put(&b, CAIRN_PE_PMCR_EL0, ~UINT64_C(0));
    assert_int_equal(get(&b, CAIRN_PE_PMCR_EL0) & 0x3ff, 0x79);
    put(&b, EVTYPER(0), 0xffff);
    assert_int_equal(get(&b, EVTYPER(0)), 0x3ff);
    put(&b, EVCNTR(0), UINT64_C(0x123456789));
    assert_int_equal(get(&b, EVCNTR(0)), 0x23456789);
    config.version = CAIRN_PMU_V3P5;
    bench_begin(&b, &config);
    put(&b, CAIRN_PE_PMCR_EL0, ~UINT64_C(0));
    assert_int_equal(get(&b, CAIRN_PE_PMCR_EL0) & 0x3ff, 0xf9);
    put(&b, EVCNTR(0), UINT64_C(0x123456789));
    assert_int_equal(get(&b, EVCNTR(0)), UINT64_C(0x123456789));
}

static void test_selected(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    put(&b, CAIRN_PE_PMSELR_EL0, 0xe4);
    assert_int_equal(get(&b, CAIRN_PE_PMSELR_EL0), 4);
    put(&b, CAIRN_PE_PMXEVTYPER_EL0, 0x8 | P);
    put(&b, CAIRN_PE_PMXEVCNTR_EL0, 77);
    assert_int_equal(get(&b, EVTYPER(4)), 0x8 | P);
    assert_int_equal(get(&b, EVCNTR(4)), 77);
    assert_int_equal(get(&b, CAIRN_PE_PMXEVTYPER_EL0), 0x8 | P);
    assert_int_equal(get(&b, CAIRN_PE_PMXEVCNTR_EL0), 77);
    /* 31: the cycle counter's filter */
    put(&b, CAIRN_PE_PMSELR_EL0, 31);
    put(&b, CAIRN_PE_PMXEVTYPER_EL0, U | 0x11);
    put(&b, CAIRN_PE_PMXEVCNTR_EL0, 5);
    assert_int_equal(get(&b, CAIRN_PE_PMCCFILTR_EL0), U);
    assert_int_equal(get(&b, CAIRN_PE_PMXEVTYPER_EL0), U);
    assert_int_equal(get(&b, CAIRN_PE_PMXEVCNTR_EL0), 0);
    /* one that is not there, and one that EL1 does not reach */
    put(&b, CAIRN_PE_PMSELR_EL0, 6);
    put(&b, CAIRN_PE_PMXEVCNTR_EL0, 5);
    assert_int_equal(get(&b, CAIRN_PE_PMXEVCNTR_EL0), 0);
    put_EL2(&b, 4, 0);
    put(&b, CAIRN_PE_PMSELR_EL0, 4);
    put_at(&b, CAIRN_PE_PMXEVTYPER_EL0, 0, &EL1);
    assert_int_equal(get_at(&b, CAIRN_PE_PMXEVTYPER_EL0, &EL1), 0);
    assert_int_equal(get(&b, EVTYPER(4)), 0x8 | P);
    put_at(&b, EVCNTR(4), 1, &EL0);
    assert_int_equal(get_at(&b, EVCNTR(4), &EL0), 0);
    assert_int_equal(get(&b, EVCNTR(4)), 77);
    put_at(&b, EVCNTR(3), 1, &EL0);
    assert_int_equal(get(&b, EVCNTR(3)), 1);
}

/* Bits of filters that are there with what they filter. */
static void test_filter_bits(void **state)
{
    static const struct row {
        bool EL2, EL3, secure_EL2, realms;
        uint64_t bits;
    } rows[] = {
        {false, false, false, false, P | U},
        {true, false, false, false, P | U | NSH},
        {false, true, false, false, P | U | NSK | NSU | M},
        {true, true, true, false, P | U | NSK | NSU | M | NSH | SH},
        {true, true, true, true, P | U | NSK | NSU | M | NSH | SH | RLK | RLU | RLH},
    };

    (void)state;
    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        struct cairn_pmu_config config = everything();
        struct bench b;

        config.features.EL2 = rows[n].EL2;
        config.features.EL3 = rows[n].EL3;
        config.features.secure_EL2 = rows[n].secure_EL2;
        config.features.realms = rows[n].realms;
        config.features.transactions = false;
        bench_begin(&b, &config);
        put(&b, EVTYPER(1), ~UINT64_C(0));
        put(&b, CAIRN_PE_PMCCFILTR_EL0, ~UINT64_C(0));
        assert_int_equal(get(&b, EVTYPER(1)), rows[n].bits | 0xffff);
        assert_int_equal(get(&b, CAIRN_PE_PMCCFILTR_EL0), rows[n].bits);
    }
}

static void test_software_increment(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    put_EL2(&b, 4, HPME);
    count_event(&b, 0, CAIRN_PMU_SW_INCR);
    count_event(&b, 1, CAIRN_PMU_INST_RETIRED);
    count_event(&b, 2, CAIRN_PMU_SW_INCR | U); /* not at EL0 but Non-secure EL0 is U != NSU */
    count_event(&b, 4, CAIRN_PMU_SW_INCR);
    put(&b, EVTYPER(3), CAIRN_PMU_SW_INCR); /* not enabled */
    put_at(&b, CAIRN_PE_PMSWINC_EL0, 0x3f, &EL0);
    assert_int_equal(counted(&b, 0), 1);
    assert_int_equal(counted(&b, 1), 0);
    assert_int_equal(counted(&b, 2), 0);
    assert_int_equal(counted(&b, 3), 0);
    assert_int_equal(counted(&b, 4), 0);
    put_at(&b, CAIRN_PE_PMSWINC_EL0, 0x3e, &EL1);
    assert_int_equal(counted(&b, 0), 1);
    assert_int_equal(counted(&b, 2), 1);
    put_other(&b, CAIRN_PE_MDCR_EL3, SPME);
    put(&b, CAIRN_PE_PMSWINC_EL0, 0x10);
    assert_int_equal(counted(&b, 4), 1);
    assert_int_equal(get(&b, CAIRN_PE_PMSWINC_EL0), 0);
    put(&b, EVCNTR(0), UINT32_MAX);
    put_at(&b, CAIRN_PE_PMSWINC_EL0, 1, &EL1);
    assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), 1);
    put_at(&b, CAIRN_PE_PMUSERENR_EL0, 0xff, &EL1);
    assert_int_equal(get(&b, CAIRN_PE_PMUSERENR_EL0), 0xf);
}

/* A debugger's writes and reads meet no level, and names of others nothing. */
static void test_debugger(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    put_EL2(&b, 2, 0);
    put_at(&b, EVCNTR(5), 3, NULL);
    put_at(&b, CAIRN_PE_PMCNTENSET_EL0, BIT(5), NULL);
    assert_int_equal(get_at(&b, EVCNTR(5), NULL), 3);
    assert_int_equal(get_at(&b, CAIRN_PE_PMCNTENCLR_EL0, NULL), BIT(5));
    put_at(&b, CAIRN_PE_PMSWINC_EL0, BIT(5), NULL);
    assert_int_equal(exported(&b, CAIRN_PMU_SW_INCR),
                     0); /* Secure, and counting prohibited there */
    put_at(&b, CAIRN_PE_HCR_EL2, 3, NULL);
    assert_int_equal(b.registers.value[CAIRN_PE_HCR_EL2], 0);
    assert_int_equal(get_at(&b, CAIRN_PE_MDCR_EL2, NULL), 0);
    assert_false(cairn_pmu_owns(CAIRN_PE_MDCR_EL2));
    assert_true(cairn_pmu_owns(CAIRN_PE_PMCCFILTR_EL0));
    assert_true(cairn_pmu_owns(EVTYPER(30)));
    assert_false(cairn_pmu_owns(CAIRN_PE_REGISTERS));
}

/* The level of PMUIRQ: flag, interrupt enable and the enable of the counter's range. */
static void test_line(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    put_EL2(&b, 3, 0);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    put(&b, CAIRN_PE_PMOVSSET_EL0, BIT(2) | BIT(3));
    assert_false(b.line);
    put(&b, CAIRN_PE_PMINTENSET_EL1, BIT(3));
    assert_false(b.line);
    put_EL2(&b, 3, HPME);
    assert_true(b.line);
    put_EL2(&b, 3, 0);
    assert_false(b.line);
    put(&b, CAIRN_PE_PMINTENSET_EL1, BIT(2));
    assert_true(b.line);
    put(&b, CAIRN_PE_PMCR_EL0, 0);
    assert_false(b.line);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    put(&b, CAIRN_PE_PMOVSCLR_EL0, BIT(2));
    assert_false(b.line);
    put(&b, CAIRN_PE_PMOVSSET_EL0, CYCLE_BIT);
    put(&b, CAIRN_PE_PMINTENSET_EL1, CYCLE_BIT);
    assert_true(b.line);
    put(&b, CAIRN_PE_PMINTENCLR_EL1, CYCLE_BIT);
    assert_false(b.line);
    assert_int_equal(b.line_changes, 8);
    put(&b, CAIRN_PE_PMINTENSET_EL1, CYCLE_BIT);
    assert_true(b.line);
    cairn_pmu_reset(&b.pmu);
    assert_false(b.line);
    assert_int_equal(b.overflowed, 0); /* software set these */
}

static void test_names(void **state)
{
    size_t count = 0;
    const struct cairn_pmu_event_row *rows = cairn_pmu_event_rows(&count);

    (void)state;
    for (size_t n = 1; n < count; n++)
        assert_true(rows[n - 1].number < rows[n].number);
    for (size_t n = 0; n < count; n++)
        assert_ptr_equal(cairn_pmu_event_row(rows[n].number), &rows[n]);
    assert_null(cairn_pmu_event_row(0x4033));
    assert_null(cairn_pmu_event_row(0x10008));
    assert_true(cairn_pmu_event_row(0x400c)->is & CAIRN_PMU_IS_ARCH);
    assert_false(cairn_pmu_event_row(0x4010)->is & CAIRN_PMU_IS_ARCH);
    assert_string_equal(cairn_pmu_event_row(0x8)->name, "INST_RETIRED");
    assert_string_equal(cairn_pmu_event_row(0x403f)->name, "TME_FAILURE_WSET");
    assert_string_equal(cairn_pmu_event_row(0x811f)->name, "BRB_FILTRATE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reset),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_set_clear),   cmocka_unit_test(test_control),
        cmocka_unit_test(test_old_control), cmocka_unit_test(test_selected),
        cmocka_unit_test(test_filter_bits), cmocka_unit_test(test_software_increment),
        cmocka_unit_test(test_debugger),    cmocka_unit_test(test_line),
        cmocka_unit_test(test_names),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
