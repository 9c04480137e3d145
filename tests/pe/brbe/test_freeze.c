/* SPDX-License-Identifier: BSD-2-Clause */
/* Pausing, freezing and BRB_FILTRATE (DDI0608 F1.1.10). */
#include "bench.h"

static void paused(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    bench_b(&b, 0x1000);
    bench_control(&b, 0x10080);
    /* proves: R_PYBRZ */
    assert_true(bench_paused(&b));
    bench_b(&b, 0x1000);
    bench_exception(&b, 2, CAIRN_BRANCH_CALL, 0x1104, 0x400);
    bench_return(&b, 1, 0x480, 0x1104);
    bench_halt(&b, 0x1104);
    bench_resume(&b, 0x1104);
    /* proves: R_YDZNK */
    assert_int_equal(bench_valid(&b), 1);
    bench_control(&b, 0x10000);
    bench_b(&b, 0x1104);
    assert_int_equal(bench_valid(&b), 2);
}

/* What software has to know of a pause: records from before it may not join those behind. */
static void continuity(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    bench_b(&b, 0x1000);
    bench_control(&b, 0x10080);
    bench_control(&b, 0x10000);
    /* proves: I_XSBPR */
    assert_int_equal(b.findings, 1u << CAIRN_BRBE_NOT_CONTINUOUS);
    b.findings = 0;
    bench_control(&b, 0x10080);
    const struct cairn_brbe_side now = bench_now(&b);
    assert_int_equal(cairn_brbe_invalidate(&b.brbe, &now), 0);
    bench_control(&b, 0x10000);
    /* proves: I_XSBPR */
    assert_int_equal(b.findings, 0);
}

/* Whether this overflow freezes. */
static bool freezes(struct bench *b, uint64_t flags)
{
    bench_restart(b);
    bench_look(b);
    bench_overflow(b, flags);
    return bench_paused(b);
}

/* Each counter alone, of N counters with HPMN of them of EL1. */
static void borders(void **state)
{
    static const uint8_t of[][2] = {{6, 4}, {31, 31}, {31, 0}, {31, 1}, {1, 1}, {8, 8}, {0, 0}};
    struct bench b;

    (void)state;
    bench_begin(&b);
    for (unsigned i = 0; i < COUNT_OF(of) * 4; i++) {
        const unsigned N = of[i / 4][0], HPMN = of[i / 4][1];
        const bool FZP1 = i & 1, FZP2 = i & 2;

        b.features.counters = (uint8_t)N;
        bench_set(&b, MDCR_EL2, MDCR_EL2_HPMN, HPMN);
        bench_set(&b, BRBCR_EL1, BRBCR_FZP, FZP1);
        bench_set(&b, BRBCR_EL2, BRBCR_FZP, FZP2);
        for (unsigned n = 0; n < 32; n++) {
            /* bit 31 is the cycle counter's, and belongs to neither range */
            if (n < HPMN)
                /* proves: R_NXCWF */
                assert_int_equal(freezes(&b, UINT64_C(1) << n), FZP1);
            else
                /* proves: R_GXGWY */
                assert_int_equal(freezes(&b, UINT64_C(1) << n), FZP2 && n < N);
        }
        assert_false(freezes(&b, 0));
        assert_false(freezes(&b, UINT64_C(1) << 32));
    }
    /* HPMN beyond the counters there are: all are EL1's */
    b.features.counters = 6;
    bench_set(&b, MDCR_EL2, MDCR_EL2_HPMN, 9);
    bench_set(&b, BRBCR_EL1, BRBCR_FZP, 1);
    bench_set(&b, BRBCR_EL2, BRBCR_FZP, 1);
    assert_true(freezes(&b, 1u << 5));
    assert_false(freezes(&b, 1u << 6));
}

static void EL2_disabled(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    b.state.security = CAIRN_SECURE;
    bench_set(&b, BRBCR_EL2, BRBCR_FZP, 1);
    bench_set(&b, SCR_EL3, SCR_EL3_EEL2, 0);
    /* proves: R_GXGWY */
    assert_true(freezes(&b, 1u << 4));
    assert_false(freezes(&b, 1u << 3));
}

static void without_EL2(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    b.features.EL2 = false;
    for (unsigned i = 0; i < 4; i++) {
        bench_set(&b, BRBCR_EL1, BRBCR_FZP, i & 1);
        bench_set(&b, BRBCR_EL2, BRBCR_FZP, i >> 1);
        for (unsigned n = 0; n < 32; n++)
            /* proves: R_PkTXQ */
            assert_int_equal(freezes(&b, UINT64_C(1) << n), (i & 1) && n < 6);
    }
}

/* Not in a Prohibited region; there it waits until that is left. */
static void prohibited(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    bench_set(&b, BRBCR_EL1, BRBCR_FZP, 1);
    bench_set(&b, BRBCR_EL2, BRBCR_EL2_E2BRE, 0);
    bench_exception(&b, 2, CAIRN_BRANCH_CALL, 0x1104, 0x400);
    bench_overflow(&b, 1);
    /* proves: R_NXCWF */
    assert_false(bench_paused(&b));
    bench_return(&b, 1, 0x480, 0x1104);
    assert_true(bench_paused(&b));
    /* likewise behind Debug state */
    bench_overflow(&b, 0);
    bench_control(&b, 0x10000);
    bench_halt(&b, 0x1104);
    bench_overflow(&b, 1);
    assert_false(bench_paused(&b));
    bench_resume(&b, 0x1104);
    assert_true(bench_paused(&b));
    /* a flag that is still there freezes again */
    bench_control(&b, 0x10000);
    assert_true(bench_paused(&b));
    bench_overflow(&b, 0);
    assert_true(bench_paused(&b));
    bench_control(&b, 0x10000);
    assert_false(bench_paused(&b));
}

static void what_a_freeze_does(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    bench_set(&b, BRBCR_EL1, BRBCR_FZP, 1);
    b.count = 1234;
    bench_b(&b, 0x1000);
    bench_overflow(&b, 2);
    /* proves: R_BHYTD, S_JCHLT */
    assert_true(bench_paused(&b));
    /* proves: R_BHYTD */
    assert_true(b.brbe.timestamp == 1234);
    b.count = 5678;
    for (unsigned i = 0; i < 5; i++)
        bench_b(&b, 0x2000);
    /* proves: S_SRJND */
    assert_int_equal(bench_valid(&b), 1);
    /* already paused: no second freeze */
    bench_overflow(&b, 6);
    /* proves: REG_BRBTS */
    assert_true(b.brbe.timestamp == 1234);
}

/* --- BRB_FILTRATE --- */

static void counted(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    for (unsigned i = 1; i <= 100; i++) {
        bench_b(&b, 0x1000);
        /* filtered: not counted */
        bench_set(&b, BRBFCR_EL1, BRBFCR_INDIRECT, 1);
        bench_branch(&b, CAIRN_INSN_BRANCH_INDIRECT, 0, 0x1000, 0x2000);
        /* proves: R_GWMZV */
        assert_int_equal(b.captured, i);
    }
    assert_false(b.exception_related);
    bench_control(&b, 0x10080);
    bench_b(&b, 0x1000);
    /* proves: EV_0x811F */
    assert_int_equal(b.captured, 100);
}

/* An exception is counted where it was taken from, a return where it was executed. */
static void where_it_counts(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    b.state.EL = 0;
    bench_exception(&b, 1, CAIRN_BRANCH_CALL, 0x1004, 0x8400);
    /* proves: R_GMCHN, I_PGDQV */
    assert_int_equal(b.where.EL, 0);
    assert_true(b.exception_related);
    bench_return(&b, 0, 0x8480, 0x1004);
    /* proves: R_GMCHN */
    assert_int_equal(b.where.EL, 1);
    assert_true(b.exception_related);
    bench_b(&b, 0x1004);
    assert_int_equal(b.where.EL, 0);
    assert_false(b.exception_related);
}

/* Halting is as an exception; leaving Debug state is no exception return. */
static void where_debug_state_counts(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    b.state.EL = 0;
    bench_halt(&b, 0x1000);
    assert_int_equal(b.captured, 1);
    assert_int_equal(b.where.EL, 0);
    assert_false(b.where.debug);
    assert_true(b.exception_related);
    b.state.EL = 1;
    bench_resume(&b, 0x2000);
    assert_int_equal(b.captured, 2);
    assert_int_equal(b.where.EL, 1);
    assert_false(b.where.debug);
    assert_false(b.exception_related);
}

static void injection_counts_or_not(void **state)
{
    const struct cairn_branch_registers record = {3, 4, 8};
    struct bench b;

    (void)state;
    for (unsigned counts = 0; counts < 2; counts++) {
        bench_begin(&b);
        b.options.flags = counts ? CAIRN_BRBE_INJECTION_COUNTS : 0;
        bench_restart(&b);
        bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, 0);
        bench_inject(&b, &record);
        assert_int_equal(bench_valid(&b), 1);
        /* proves: I_WGZSC */
        assert_int_equal(b.captured, counts);
    }
}

/* A counter of BRB_FILTRATE overflows with the fifth record: that one is there, and so many behind it as
 * the implementation is late. */
static void freezing_record(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned skid = 0; skid < 4; skid++) {
        bench_begin(&b);
        b.options.skid = skid;
        bench_restart(&b);
        bench_set(&b, BRBCR_EL1, BRBCR_FZP, 1);
        b.overflow_at = 5;
        for (unsigned i = 0; i < 20; i++)
            bench_b(&b, 0x1000 + i * 0x10);
        /* proves: R_KSKLG */
        assert_int_equal(bench_valid(&b), 5 + skid);
        /* proves: R_KSKLG */
        assert_true(bench_record(&b, skid).source == 0x1040);
        assert_true(bench_paused(&b));
        assert_int_equal(b.captured, 5 + skid);
    }
}

/* However late, a read of BRBFCR_EL1 sees the freeze, and nothing is recorded behind it; a write and a
 * Prohibited region come behind it too. */
static void late_freeze_ends(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned how = 0; how < 3; how++) {
        bench_begin(&b);
        b.options.skid = 100;
        bench_restart(&b);
        bench_set(&b, BRBCR_EL1, BRBCR_FZP, 1);
        bench_set(&b, BRBCR_EL2, BRBCR_EL2_E2BRE, 0);
        b.overflow_at = 2;
        for (unsigned i = 0; i < 4; i++)
            bench_b(&b, 0x1000);
        b.count = 77;
        if (how == 0)
            /* proves: S_JCHLT */
            assert_true(bench_paused(&b));
        else if (how == 1)
            bench_exception(&b, 2, CAIRN_BRANCH_CALL, 0x1104, 0x400);
        else {
            bench_control(&b, 0x10080);
        }
        assert_true(b.brbe.timestamp == 77);
        const unsigned valid = bench_valid(&b);
        assert_int_equal(valid, how == 1 ? 5 : 4);
        b.state.EL = 1;
        bench_b(&b, 0x1000);
        /* proves: S_SRJND */
        assert_int_equal(bench_valid(&b), valid);
    }
}

/* A counter of anything else may be told of its overflow before or behind the branches of the block that it
 * counted in: they are not there, or they are. */
static void skewed(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned late = 0; late < 2; late++) {
        bench_begin(&b);
        bench_set(&b, BRBCR_EL1, BRBCR_FZP, 1);
        bench_b(&b, 0x1000); /* into the block */
        if (!late)
            bench_overflow(&b, 1);
        bench_b(&b, 0x1110); /* out of it */
        if (late)
            bench_overflow(&b, 1);
        bench_b(&b, 0x1210);
        /* proves: I_RMGDV */
        assert_true(bench_record(&b, 0).source == (late ? 0x1110 : 0x1000));
    }
}

/* An overflow of another counter, in between: no record waits for it. */
static void other_overflow(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    b.options.skid = 3;
    bench_restart(&b);
    bench_set(&b, BRBCR_EL1, BRBCR_FZP, 1);
    bench_b(&b, 0x1000);
    bench_overflow(&b, 4);
    bench_b(&b, 0x1000);
    assert_int_equal(bench_valid(&b), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paused),
        cmocka_unit_test(continuity),
        cmocka_unit_test(borders),
        cmocka_unit_test(EL2_disabled),
        cmocka_unit_test(without_EL2),
        cmocka_unit_test(prohibited),
        cmocka_unit_test(what_a_freeze_does),
        cmocka_unit_test(counted),
        cmocka_unit_test(where_it_counts),
        cmocka_unit_test(injection_counts_or_not),
        cmocka_unit_test(where_debug_state_counts),
        cmocka_unit_test(freezing_record),
        cmocka_unit_test(late_freeze_ends),
        cmocka_unit_test(other_overflow),
        cmocka_unit_test(skewed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
