/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of the trace unit, the trace buffer and branch records in the PMU: DDI0608 E1.3, F1.2. */
#include "pmu_trace_bench.h"

/* --- events of trace --- */

/* PMCEID0_EL0, with a feature and without. */
static uint64_t identified(struct cairn_pmu_config config)
{
    struct bench b;

    bench_begin(&b, &config);
    return get(&b, CAIRN_PE_PMCEID0_EL0);
}

/* What a counter of the number makes of `told`. */
static uint64_t count_of(uint32_t choices, uint32_t number, uint64_t told)
{
    struct bench b;

    begin(&b, choices);
    count_event(&b, 3, number);
    cairn_pmu_event(&b.pmu, number, told, &EL0);
    return counted(&b, 3);
}

static void test_TRB_events(void **state)
{
    struct cairn_pmu_config with = everything();
    struct cairn_pmu_config without = everything();
    struct bench b;

    (void)state;
    without.features.trbe = false;
    /* proves: EV_0x400C */
    assert_true(identified(with) >> 44 & 1u);
    /* proves: EV_0x400C */
    assert_false(identified(without) >> 44 & 1u);
    /* proves: EV_0x400C */
    assert_int_equal(count_of(0, 0x400c, 7), 7);
    /* proves: EV_0x400E */
    assert_false(identified(without) >> 46 & 1u);
    for (uint32_t choice = 0; choice <= CAIRN_PMU_TRB_TRIG_UNCOUNTABLE;
         choice += CAIRN_PMU_TRB_TRIG_UNCOUNTABLE) {
        with.choices = choice;
        /* proves: EV_0x400E */
        assert_int_equal(identified(with) >> 46 & 1u, choice ? 0 : 1);
        /* proves: EV_0x400E */
        assert_int_equal(count_of(choice, 0x400e, 5), choice ? 0 : 5);
        begin(&b, choice);
        cairn_pmu_event(&b.pmu, 0x400e, 1, &EL0);
        /* proves: EV_0x400E */
        assert_int_equal(exported(&b, 0x400e), 1);
    }
}

/* Counter n two events below its overflow, which is that of bit 31 or 63; the interrupt enabled, or not. */
static uint64_t overflows_of(unsigned n, bool enabled, uint64_t from, uint64_t control,
                             uint64_t EL2_bits, uint32_t number)
{
    struct bench b;

    begin(&b, 0);
    put_EL2(&b, 3, HPME | EL2_bits);
    put(&b, CAIRN_PE_PMCR_EL0, E | control);
    count_event(&b, n, CAIRN_PMU_INST_RETIRED);
    put(&b, EVCNTR(n), from);
    put(&b, CAIRN_PE_PMINTENSET_EL1, enabled ? BIT(n) : 0);
    retire(&b, 1, &EL0);
    assert_int_equal(exported(&b, number), 0);
    retire(&b, 1, &EL0);
    return exported(&b, number);
}

static void test_OVFS(void **state)
{
    const uint64_t low = 0xfffffffe;
    const uint64_t all = UINT64_MAX - 1;
    struct bench b;

    (void)state;
    /* proves: EV_0x400D */
    assert_int_equal(overflows_of(2, true, low, 0, HLP, 0x400d), 1);
    /* proves: EV_0x400D */
    assert_int_equal(overflows_of(2, false, low, 0, HLP, 0x400d), 0);
    /* proves: EV_0x400D */
    assert_int_equal(overflows_of(2, true, low, LP, 0, 0x400d), 0);
    /* proves: EV_0x400D */
    assert_int_equal(overflows_of(2, true, all, LP, 0, 0x400d), 1);
    /* proves: EV_0x400D */
    assert_int_equal(overflows_of(3, true, low, 0, 0, 0x400d), 0);
    begin(&b, 0);
    put(&b, CAIRN_PE_PMCNTENSET_EL0, CYCLE_BIT);
    put(&b, CAIRN_PE_PMINTENSET_EL1, CYCLE_BIT);
    for (unsigned long_count = 0; long_count < 2; long_count++) {
        put(&b, CAIRN_PE_PMCR_EL0, long_count ? E | LC : E);
        put(&b, CAIRN_PE_PMCCNTR_EL0, low);
        cairn_pmu_cycles(&b.pmu, 2, &EL0);
        /* proves: EV_0x400D */
        assert_int_equal(exported(&b, 0x400d), !long_count);
        put(&b, CAIRN_PE_PMCCNTR_EL0, all);
        cairn_pmu_cycles(&b.pmu, 2, &EL0);
        /* proves: EV_0x400D */
        assert_int_equal(exported(&b, 0x400d), 1);
    }
    put(&b, CAIRN_PE_PMINTENCLR_EL1, CYCLE_BIT);
    put(&b, CAIRN_PE_PMCCNTR_EL0, all);
    cairn_pmu_cycles(&b.pmu, 2, &EL0);
    /* proves: EV_0x400D */
    assert_int_equal(exported(&b, 0x400d), 0);
}

/* Without EL2 all counters raise PMU_OVFS, and there is no PMU_HOVFS; neither is ever counted. */
static void test_OVFS_presence(void **state)
{
    struct cairn_pmu_config config = everything();
    struct bench b;

    (void)state;
    /* proves: EV_0x400D, EV_0x400F */
    assert_int_equal(identified(config) & (BIT(45) | BIT(47)), 0);
    config.features.EL2 = false;
    bench_begin(&b, &config);
    put_EL2(&b, 1, 0);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    count_event(&b, 5, CAIRN_PMU_INST_RETIRED);
    put(&b, EVCNTR(5), UINT32_MAX);
    put(&b, CAIRN_PE_PMINTENSET_EL1, BIT(5));
    retire(&b, 1, &EL0);
    /* proves: EV_0x400D */
    assert_int_equal(exported(&b, 0x400d), 1);
    /* proves: EV_0x400F */
    assert_int_equal(exported(&b, 0x400f), 0);
    config = everything();
    config.ETE = false;
    bench_begin(&b, &config);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    overflow_both(&b, &EL0);
    /* proves: EV_0x400D */
    assert_int_equal(exported(&b, 0x400d), 0);
    /* proves: EV_0x400F */
    assert_int_equal(exported(&b, 0x400f), 0);
    begin(&b, 0);
    overflow_both(&b, &EL0);
    put(&b, CAIRN_PE_PMOVSCLR_EL0, UINT32_MAX);
    count_event(&b, 1, CAIRN_PMU_PMU_OVFS);
    count_event(&b, 2, CAIRN_PMU_PMU_HOVFS);
    overflow_both(&b, &EL0);
    /* proves: EV_0x400D */
    assert_int_equal(counted(&b, 1), 0);
    /* proves: EV_0x400F */
    assert_int_equal(counted(&b, 2), 0);
}

static void test_HOVFS(void **state)
{
    const uint64_t low = 0xfffffffe;
    const uint64_t all = UINT64_MAX - 1;

    (void)state;
    /* proves: EV_0x400F */
    assert_int_equal(overflows_of(3, true, low, LP, 0, 0x400f), 1);
    /* proves: EV_0x400F */
    assert_int_equal(overflows_of(5, true, low, LP, 0, 0x400f), 1);
    /* proves: EV_0x400F */
    assert_int_equal(overflows_of(3, false, low, LP, 0, 0x400f), 0);
    /* proves: EV_0x400F */
    assert_int_equal(overflows_of(3, true, low, 0, HLP, 0x400f), 0);
    /* proves: EV_0x400F */
    assert_int_equal(overflows_of(3, true, all, 0, HLP, 0x400f), 1);
    /* proves: EV_0x400F */
    assert_int_equal(overflows_of(2, true, low, 0, 0, 0x400f), 0);
}

/* Implemented with ETE and not without; counted; and seen by the trace unit as told, or never. */
static bool is_output(unsigned n, bool input)
{
    struct cairn_pmu_config config = everything();
    const uint32_t number = 0x4010 + n;
    struct bench b;
    bool right;

    right = identified(config) >> (48 + n) & 1u;
    config.ETE = false;
    right = right && !(identified(config) >> (48 + n) & 1u);
    right = right && count_of(0, number, 6) == 6;
    begin(&b, input ? CAIRN_PMU_OUTPUTS_ARE_INPUTS : 0);
    cairn_pmu_event(&b.pmu, number, 1, &EL0);
    return right && exported(&b, number) == input;
}

static void test_outputs(void **state)
{
    (void)state;
    for (unsigned input = 0; input < 2; input++) {
        /* proves: EV_0x4010 */
        assert_true(is_output(0, input));
        /* proves: EV_0x4011 */
        assert_true(is_output(1, input));
        /* proves: EV_0x4012 */
        assert_true(is_output(2, input));
        /* proves: EV_0x4013 */
        assert_true(is_output(3, input));
    }
}

static bool is_trigger(unsigned n)
{
    struct cairn_pmu_config config = everything();
    const uint32_t number = 0x4018 + n;
    struct bench b;
    bool right;

    right = identified(config) >> (56 + n) & 1u;
    config.ETE = false;
    right = right && !(identified(config) >> (56 + n) & 1u);
    right = right && count_of(0, number, 2) == 2;
    begin(&b, 0);
    cairn_pmu_event(&b.pmu, number, 1, &EL0);
    return right && exported(&b, number) == 1;
}

static void test_triggers(void **state)
{
    (void)state;
    /* proves: EV_0x4018, I_XDSQV */
    assert_true(is_trigger(0));
    /* proves: EV_0x4019, I_XDSQV */
    assert_true(is_trigger(1));
    /* proves: EV_0x401A, I_XDSQV */
    assert_true(is_trigger(2));
    /* proves: EV_0x401B, I_XDSQV */
    assert_true(is_trigger(3));
}

/* --- branch records --- */

static void test_FILTRATE(void **state)
{
    struct cairn_pmu_config config = everything();
    struct bench b;

    (void)state;
    /* proves: EV_0x811F */
    assert_int_equal(count_of(0, 0x811f, 11), 11);
    config.features.brbe = 0;
    bench_begin(&b, &config);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    count_event(&b, 0, 0x811f);
    cairn_pmu_event(&b.pmu, 0x811f, 1, &EL0);
    /* proves: EV_0x811F */
    assert_int_equal(counted(&b, 0), 0);
}

/* The record of an exception is made when the PE is at EL1 already, that of a return when it has left. */
static void test_exception_related(void **state)
{
    const struct cairn_block eret = block_of(2, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_ERET);
    struct bench b;

    (void)state;
    begin(&b, 0);
    count_event(&b, 0, 0x811f | P | NSU); /* U 0, NSU 1: nothing of EL0 */
    count_event(&b, 1, 0x811f | P);       /* Non-secure EL0 alone */
    count_event(&b, 2, 0x811f | U | NSU | P | NSK);
    put(&b, EVTYPER(0), 0x811f | U); /* Non-secure EL1 alone */
    cairn_pmu_exception(&b.pmu, CAIRN_PMU_EXC_SVC, &EL0);
    retire(&b, 3, &EL1);
    cairn_pmu_exception_event(&b.pmu, CAIRN_PMU_BRB_FILTRATE);
    /* proves: R_GMCHN, EV_0x811F */
    assert_int_equal(counted(&b, 1), 1);
    /* proves: R_GMCHN */
    assert_int_equal(counted(&b, 0), 0);
    cairn_pmu_retired(&b.pmu, &eret, true, &EL1);
    retire(&b, 3, &EL0);
    cairn_pmu_exception_event(&b.pmu, CAIRN_PMU_BRB_FILTRATE);
    /* proves: R_GMCHN */
    assert_int_equal(counted(&b, 0), 1);
    /* proves: R_GMCHN */
    assert_int_equal(counted(&b, 1), 1);
    assert_int_equal(counted(&b, 2), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_TRB_events),    cmocka_unit_test(test_OVFS),
        cmocka_unit_test(test_OVFS_presence), cmocka_unit_test(test_HOVFS),
        cmocka_unit_test(test_outputs),       cmocka_unit_test(test_triggers),
        cmocka_unit_test(test_FILTRATE),      cmocka_unit_test(test_exception_related),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
