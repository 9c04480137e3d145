/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions and cycles of committed transactions in the PMU: DDI0608 C2.5.6, C2.5.7, C2.5.16. */
#include "pmu_transaction_bench.h"

/* --- committed instructions and cycles --- */

static void test_instructions(void **state)
{
    (void)state;
    EACH_CHOICE(choice, CAIRN_PMU_COMMITTED_DIRECT)
    {
        struct bench b;

        begin(&b, choice, 0);
        count_event(&b, 0, 0x4034);
        retire(&b, 100, &EL0);
        start(&b);
        retire(&b, 5, &EL0_inside);
        start(&b);
        retire(&b, 6, &EL0_inside);
        commit(&b);
        retire(&b, 7, &EL0_inside);
        /* proves: I_CJMQ */
        assert_int_equal(counted(&b, 0), choice ? 18 : 0);
        commit(&b);
        /* proves: R_LPZF, EV_0x4034 */
        assert_int_equal(counted(&b, 0), 18);
        start(&b);
        retire(&b, 1000, &EL0_inside);
        failed(&b, ERR, 0);
        retire(&b, 1, &EL0);
        /* proves: R_LPZF, I_CJMQ */
        assert_int_equal(counted(&b, 0), 18);
        /* proves: EV_0x4034 */
        assert_int_equal(exported(&b, 0x4034), 18);
    }
}

static void test_cycles(void **state)
{
    (void)state;
    EACH_CHOICE(choice, CAIRN_PMU_COMMITTED_DIRECT)
    {
        struct bench b;

        begin(&b, choice, 0);
        count_event(&b, 0, 0x4035);
        cairn_pmu_cycles(&b.pmu, 3, &EL0);
        start(&b);
        cairn_pmu_cycles(&b.pmu, 4, &EL0_inside);
        /* proves: I_CFNH */
        assert_int_equal(counted(&b, 0), choice ? 4 : 0);
        commit(&b);
        /* proves: R_RMSG, EV_0x4035 */
        assert_int_equal(counted(&b, 0), 4);
        start(&b);
        cairn_pmu_cycles(&b.pmu, 50, &EL0_inside);
        failed(&b, MEM, 0);
        cairn_pmu_cycles(&b.pmu, 3, &EL0);
        /* proves: R_RMSG, I_CFNH, EV_0x4035 */
        assert_int_equal(counted(&b, 0), 4);
        /* proves: EV_0x4035 */
        assert_int_equal(exported(&b, 0x4035), 4);
    }
}

static void test_stopped_clock(void **state)
{
    (void)state;
    EACH_CHOICE(choice, CAIRN_PMU_STOPPED_CLOCK_COUNTS)
    {
        struct bench b;

        begin(&b, choice, 0);
        count_event(&b, 0, 0x4035);
        start(&b);
        cairn_pmu_cycles(&b.pmu, 4, &EL0_inside);
        cairn_pmu_stopped_cycles(&b.pmu, 60, &EL0_inside); /* WFE */
        commit(&b);
        /* proves: R_DSFD */
        assert_int_equal(counted(&b, 0), choice ? 64 : 4);
    }
}

/* What one transaction adds, of a number that 32 bits do not hold. */
static uint64_t most_of(uint32_t choices, uint32_t number)
{
    struct bench b;

    begin(&b, choices, 0);
    put(&b, CAIRN_PE_PMCR_EL0, E | LP);
    count_event(&b, 0, number);
    start(&b);
    for (unsigned n = 0; n < 3; n++) {
        retire(&b, UINT32_MAX - 9, &EL0_inside);
        cairn_pmu_cycles(&b.pmu, UINT32_MAX - 9, &EL0_inside);
    }
    commit(&b);
    return counted(&b, 0);
}

static void test_capped(void **state)
{
    (void)state;
    EACH_CHOICE(direct, CAIRN_PMU_COMMITTED_DIRECT)
    {
        const uint32_t capped = direct | CAIRN_PMU_COMMITTED_CAPPED;

        /* proves: I_WBGV */
        assert_true(most_of(direct, 0x4034) == 3 * UINT64_C(0xfffffff6));
        /* proves: I_WBGV */
        assert_true(most_of(capped, 0x4034) == UINT64_C(0xffffffff));
        /* proves: I_WMBD */
        assert_true(most_of(direct, 0x4035) == 3 * UINT64_C(0xfffffff6));
        /* proves: I_WMBD */
        assert_true(most_of(capped, 0x4035) == UINT64_C(0xffffffff));
    }
}

/* --- overflow --- */

static void test_ordinary_overflow(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 0, 0);
    count_event(&b, 0, CAIRN_PMU_CPU_CYCLES);
    put(&b, EVCNTR(0), 0xfffffffe);
    put(&b, CAIRN_PE_PMINTENSET_EL1, 1);
    start(&b);
    cairn_pmu_cycles(&b.pmu, 5, &EL0_inside);
    /* proves: R_RGWF */
    assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), 1);
    /* proves: R_RGWF */
    assert_true(b.line);
    failed(&b, MEM, 0);
    /* proves: R_RGWF */
    assert_int_equal(get(&b, CAIRN_PE_PMOVSCLR_EL0), 1);
    assert_int_equal(counted(&b, 0) & UINT32_MAX, 3);
}

/* Counters 0 and 1 are two steps from overflowing with 0x4034 and 0x4035. */
static void near_overflow(struct bench *b, uint32_t choices)
{
    begin(b, choices, 0);
    count_event(b, 0, 0x4034);
    count_event(b, 1, 0x4035);
    put(b, EVCNTR(0), 0xfffffffe);
    put(b, EVCNTR(1), 0xfffffffe);
    put(b, CAIRN_PE_PMINTENSET_EL1, 3);
    start(b);
    retire(b, 4, &EL0_inside);
    cairn_pmu_cycles(&b->pmu, 5, &EL0_inside);
}

static void test_failed_overflow(void **state)
{
    (void)state;
    EACH_CHOICE(choice, CAIRN_PMU_COMMITTED_DIRECT)
    {
        struct bench b;

        near_overflow(&b, choice);
        failed(&b, MEM, 0);
        /* proves: R_DGMD, I_KHYN */
        assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), 0);
        assert_int_equal(get(&b, CAIRN_PE_PMOVSCLR_EL0), 0);
        /* proves: I_KHYN */
        assert_int_equal(counted(&b, 0), 0xfffffffe);
        assert_int_equal(counted(&b, 1), 0xfffffffe);
        /* proves: R_PPFR */
        assert_int_equal(b.line_changes, 0);
        assert_int_equal(b.overflowed, 0);
        assert_int_equal(exported(&b, CAIRN_PMU_PMU_OVFS), 0);
        /* One that was there before stays. */
        near_overflow(&b, choice);
        failed(&b, MEM, 0);
        put(&b, CAIRN_PE_PMOVSSET_EL0, 1);
        start(&b);
        retire(&b, 4, &EL0_inside);
        failed(&b, MEM, 0);
        /* proves: R_DGMD */
        assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), 1);
    }
}

static void test_committed_overflow(void **state)
{
    (void)state;
    EACH_CHOICE(choice, CAIRN_PMU_COMMITTED_DIRECT)
    {
        struct bench b;

        near_overflow(&b, choice);
        /* proves: R_PPFR */
        assert_false(b.line);
        /* proves: I_KHYN */
        assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), choice ? 3 : 0);
        commit(&b);
        /* proves: R_PPFR, I_KHYN */
        assert_true(b.line);
        /* proves: I_KHYN */
        assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), 3);
        assert_int_equal(b.overflowed, 3);
        assert_int_equal(counted(&b, 0) & UINT32_MAX, 2);
        assert_int_equal(counted(&b, 1) & UINT32_MAX, 3);
        assert_int_equal(exported(&b, CAIRN_PMU_PMU_OVFS), 2);
    }
}

/* One that overflows again in a transaction, its flag set before: the event comes with the commit, and the
 * flag is none that BRBE has not seen. */
static void test_overflow_again(void **state)
{
    (void)state;
    EACH_CHOICE(choice, CAIRN_PMU_COMMITTED_DIRECT)
    {
        struct bench b;

        begin(&b, choice, 0);
        put_EL2(&b, 0, HPME);
        count_event(&b, 0, 0x4034);
        put(&b, EVCNTR(0), UINT32_MAX);
        put(&b, CAIRN_PE_PMINTENSET_EL1, 1);
        put(&b, CAIRN_PE_PMOVSSET_EL0, 1);
        start(&b);
        retire(&b, 1, &EL0_inside);
        assert_int_equal(exported(&b, CAIRN_PMU_PMU_HOVFS), 0);
        commit(&b);
        assert_int_equal(exported(&b, CAIRN_PMU_PMU_HOVFS), 1);
        assert_int_equal(get(&b, CAIRN_PE_PMOVSSET_EL0), 1);
    }
}

/* What waits aside has nothing to take back: a debugger's write stays. */
static void test_written_inside(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 0, 0);
    count_event(&b, 0, 0x4034);
    start(&b);
    retire(&b, 3, &EL0_inside);
    cairn_pmu_write(&b.pmu, EVCNTR(0), 70, NULL);
    failed(&b, MEM, 0);
    assert_int_equal(counted(&b, 0), 70);
}

/* A counter chained to one of committed instructions goes back with it. */
static void test_chained_back(void **state)
{
    (void)state;
    EACH_CHOICE(choice, CAIRN_PMU_COMMITTED_DIRECT)
    {
        struct bench b;

        near_overflow(&b, choice);
        failed(&b, MEM, 0);
        count_event(&b, 1, CAIRN_PMU_CHAIN);
        start(&b);
        retire(&b, 4, &EL0_inside);
        failed(&b, MEM, 0);
        assert_int_equal(counted(&b, 1), 0);
        start(&b);
        retire(&b, 4, &EL0_inside);
        commit(&b);
        assert_int_equal(counted(&b, 1), 1);
        assert_int_equal(counted(&b, 0) & UINT32_MAX, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instructions),       cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_stopped_clock),      cmocka_unit_test(test_capped),
        cmocka_unit_test(test_ordinary_overflow),  cmocka_unit_test(test_failed_overflow),
        cmocka_unit_test(test_committed_overflow), cmocka_unit_test(test_overflow_again),
        cmocka_unit_test(test_written_inside),     cmocka_unit_test(test_chained_back),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
