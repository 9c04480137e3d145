/* SPDX-License-Identifier: BSD-2-Clause */
/* BRB IALL and Context synchronization events (DDI0608 F1.1.12), and injection where it may or may not
 * happen: each outcome. */
#include "bench.h"

static void invalidate(struct bench *b)
{
    const struct cairn_brbe_side now = bench_now(b);

    assert_int_equal(cairn_brbe_invalidate(&b->brbe, &now), 0);
}

static void begin(struct bench *b, int32_t shift)
{
    bench_begin(b);
    b->options.invalidate_shift = shift;
    bench_restart(b);
}

static void all_of_them(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 0);
    for (unsigned i = 0; i < 40; i++)
        bench_b(&b, 0x1000);
    invalidate(&b);
    /* proves: R_LLHYN */
    assert_int_equal(bench_valid(&b), 0);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned n = 0; n < 32; n++)
            /* proves: R_JSCWK */
            assert_int_equal(bench_halves(&b, n), 0);
    bench_b(&b, 0x2000);
    /* proves: R_JSCWK */
    assert_int_equal(bench_valid(&b), 1);
    /* and by an injection */
    invalidate(&b);
    b.state.debug = true;
    bench_inject(&b, &(struct cairn_branch_registers){3, 4, 8});
    assert_int_equal(bench_valid(&b), 1);
}

/* Whatever the implementation leaves alone, what was before the event, or is it, is gone. */
static void before_the_event(void **state)
{
    struct bench b;

    (void)state;
    for (int32_t shift = -8; shift <= 8; shift++) {
        begin(&b, shift);
        for (unsigned i = 0; i < 5; i++)
            bench_b(&b, 0x1000);
        cairn_brbe_synchronize(&b.brbe);
        invalidate(&b);
        /* proves: R_PFRNW */
        assert_int_equal(bench_valid(&b), 0);
        /* an exception that is the event itself */
        begin(&b, shift);
        bench_exception(&b, 1, CAIRN_BRANCH_IRQ, 0x1000, 0x280);
        cairn_brbe_synchronize(&b.brbe);
        invalidate(&b);
        /* proves: R_PFRNW */
        assert_int_equal(bench_valid(&b), 0);
    }
}

static void behind_the_event(void **state)
{
    struct bench b;

    (void)state;
    for (int32_t shift = -8; shift <= 8; shift++) {
        begin(&b, shift);
        for (unsigned i = 0; i < 5; i++)
            bench_b(&b, 0x1000);
        invalidate(&b);
        cairn_brbe_synchronize(&b.brbe);
        const unsigned before = bench_valid(&b);
        for (unsigned i = 0; i < 3; i++)
            bench_b(&b, 0x2000 + i * 0x10);
        /* proves: R_LWPKR */
        assert_int_equal(bench_valid(&b), before + 3);
        assert_true(bench_record(&b, 2).source == 0x2000);
    }
}

/* Two records before the first event, then three, BRB IALL, four, and the second event, which is a record
 * itself: what may go either way goes as the choice says, and always the oldest first. */
static void between_the_events(void **state)
{
    struct bench b;

    (void)state;
    for (int32_t shift = -5; shift <= 7; shift++) {
        begin(&b, shift);
        bench_b(&b, 0x1000);
        bench_b(&b, 0x1010);
        cairn_brbe_synchronize(&b.brbe);
        for (unsigned i = 0; i < 3; i++)
            bench_b(&b, 0x2000 + i * 0x10);
        invalidate(&b);
        for (unsigned i = 0; i < 4; i++)
            bench_b(&b, 0x3000 + i * 0x10);
        bench_exception(&b, 1, CAIRN_BRANCH_IRQ, 0x4000, 0x280);
        cairn_brbe_synchronize(&b.brbe);
        bench_b(&b, 0x5000);
        const int kept_before = shift < -3 ? 3 : shift < 0 ? -shift : 0;
        const int taken_behind = shift > 5 ? 5 : shift > 0 ? shift : 0;
        /* proves: R_WMZKF */
        assert_int_equal(bench_valid(&b), kept_before + 5 - taken_behind + 1);
        /* the youngest are the ones that stay */
        assert_true(bench_record(&b, 0).source == 0x5000);
        if (taken_behind < 5)
            assert_true(bench_record(&b, 1).source == 0x4000);
        for (int i = 0; i < 4 - taken_behind; i++)
            assert_true(bench_record(&b, (unsigned)i + 2).source == 0x3030 - (uint64_t)i * 0x10);
        for (int i = 0; i < kept_before; i++)
            assert_true(bench_record(&b, (unsigned)i + 6).source == 0x2020 - (uint64_t)i * 0x10);
    }
}

/* An injected record is invalidated wherever it is, and all older ones with it. */
static void injected_between(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, -8);
    b.options.flags = CAIRN_BRBE_INJECTS_ANYWHERE;
    bench_restart(&b);
    bench_b(&b, 0x1000);
    bench_inject(&b, &(struct cairn_branch_registers){3, 4, 8});
    bench_b(&b, 0x2000);
    invalidate(&b);
    assert_int_equal(bench_valid(&b), 1);
    assert_true(bench_record(&b, 0).source == 0x2000);
}

static void injection_outside(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned anywhere = 0; anywhere < 2; anywhere++) {
        bench_begin(&b);
        b.options.flags = anywhere ? CAIRN_BRBE_INJECTS_ANYWHERE : 0;
        b.options.unknown = 0x77;
        bench_restart(&b);
        bench_inject(&b, &(struct cairn_branch_registers){3, 4, 8});
        /* proves: I_BCZRK */
        assert_int_equal(bench_valid(&b), anywhere);
        assert_int_equal(b.findings, 1u << CAIRN_BRBE_INJECTS_OUTSIDE);
        /* the data registers are UNKNOWN either way */
        assert_true(cairn_brbe_read_injection(&b.brbe, CAIRN_BRBE_SRC) == 0x77);
    }
}

/* Bits of BRBINFINJ_EL1 that no field has do not come into a record. */
static void reserved_bits(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    b.state.debug = true;
    bench_inject(&b, &(struct cairn_branch_registers){~UINT64_C(0), 4, 8});
    /* proves: REG_BRBINJ */
    assert_true(cairn_brbe_read(&b.brbe, 0, 0, CAIRN_BRBE_INF) == UINT64_C(0x7fff00033fe3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_them),      cmocka_unit_test(before_the_event),
        cmocka_unit_test(behind_the_event), cmocka_unit_test(between_the_events),
        cmocka_unit_test(injected_between), cmocka_unit_test(injection_outside),
        cmocka_unit_test(reserved_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
