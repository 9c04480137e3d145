/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions, exception returns and Debug state: whether there is a record, and which halves it has
 * (DDI0608 F1.1.5, F1.1.6). */
#include "bench.h"

enum { NONE, HALF_TARGET, HALF_SOURCE, FULL };

/* Allows exactly these levels: bits 0 to 3; EL3 by MDCR_EL3. */
static void allow(struct bench *b, unsigned levels)
{
    bench_set(b, BRBCR_EL1, BRBCR_EL1_E0BRE, levels & 1);
    bench_set(b, BRBCR_EL1, BRBCR_EL1_E1BRE, levels >> 1);
    bench_set(b, BRBCR_EL2, BRBCR_EL2_E2BRE, levels >> 2);
    bench_set(b, MDCR_EL3, MDCR_EL3_E3BREC, levels >> 3);
}

static unsigned halves(bool from, bool to)
{
    return from ? (to ? FULL : HALF_SOURCE) : (to ? HALF_TARGET : NONE);
}

static void exceptions(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned levels = 0; levels < 16; levels++)
        for (unsigned from = 0; from < 4; from++)
            for (unsigned to = from ? from : 1; to < 4; to++) {
                const bool source = levels >> from & 1, target = levels >> to & 1;
                /* one to EL3 needs EL3 recording too (R_KRJQC) */
                const bool asked = to < 3 || (levels & 8);

                bench_begin(&b);
                allow(&b, levels);
                b.state.EL = (uint8_t)from;
                bench_exception(&b, to, CAIRN_BRANCH_CALL, 0x1004, 0x8200);
                if (!source && !target)
                    /* proves: R_YSKQK */
                    assert_int_equal(bench_valid(&b), 0);
                /* proves: R_YBJDJ */
                assert_int_equal(bench_halves(&b, 0), asked ? halves(source, target) : NONE);
                assert_int_equal(b.captured, bench_valid(&b));
            }
}

static void returns(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned levels = 0; levels < 16; levels++)
        for (unsigned from = 1; from < 4; from++)
            for (unsigned to = 0; to <= from; to++) {
                const bool source = levels >> from & 1, target = levels >> to & 1;
                const bool asked = from < 3 || (levels & 8);

                bench_begin(&b);
                allow(&b, levels);
                b.state.EL = (uint8_t)from;
                bench_return(&b, to, 0x1000, 0x2000);
                if (!source && !target)
                    /* proves: R_LMXHS */
                    assert_int_equal(bench_valid(&b), 0);
                /* proves: R_ZTGMW */
                assert_int_equal(bench_halves(&b, 0), asked ? halves(source, target) : NONE);
                assert_int_equal(b.captured, bench_valid(&b));
            }
}

/* EXCEPTION of the level that the exception goes to, and of no other. */
static void which_exception_bit(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned bits = 0; bits < 8; bits++)
        for (unsigned to = 1; to < 4; to++) {
            bench_begin(&b);
            bench_set(&b, BRBCR_EL1, BRBCR_EXCEPTION, bits & 1);
            bench_set(&b, BRBCR_EL2, BRBCR_EXCEPTION, bits >> 1);
            bench_set(&b, MDCR_EL3, MDCR_EL3_E3BREC, bits >> 2);
            b.state.EL = 0;
            bench_exception(&b, to, CAIRN_BRANCH_IRQ, 0x1000, 0x280);
            /* proves: R_KRJQC */
            assert_int_equal(bench_valid(&b), bits >> (to - 1) & 1);
        }
    /* to EL3 without FEAT_BRBEv1p1: none, whatever MDCR_EL3 says */
    bench_begin(&b);
    b.features.brbe = 1;
    bench_exception(&b, 3, CAIRN_BRANCH_CALL, 0x1000, 0x280);
    assert_int_equal(bench_valid(&b), 0);
}

/* ERTN of the level that the return is executed at. */
static void which_return_bit(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned bits = 0; bits < 8; bits++)
        for (unsigned from = 1; from < 4; from++) {
            bench_begin(&b);
            bench_set(&b, BRBCR_EL1, BRBCR_ERTN, bits & 1);
            bench_set(&b, BRBCR_EL2, BRBCR_ERTN, bits >> 1);
            bench_set(&b, MDCR_EL3, MDCR_EL3_E3BREC, bits >> 2);
            b.state.EL = (uint8_t)from;
            bench_return(&b, 0, 0x1000, 0x280);
            /* proves: R_ZSHDL */
            assert_int_equal(bench_valid(&b), bits >> (from - 1) & 1);
        }
}

static void addresses(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    b.state.EL = 0;
    /* an SVC at 0x1000 returns behind itself; a fault of 0x3000 to it */
    bench_exception(&b, 1, CAIRN_BRANCH_CALL, 0x1004, 0xffff000000080400);
    struct cairn_branch record = bench_record(&b, 0);
    /* proves: R_BZCRW */
    assert_true(record.source == 0x1004);
    /* proves: R_FYLTG */
    assert_true(record.target == 0xffff000000080400);
    assert_int_equal(record.EL, 1);
    bench_exception(&b, 1, CAIRN_BRANCH_DATA_FAULT, 0x3000, 0x80200);
    /* proves: R_BZCRW */
    assert_true(bench_record(&b, 0).source == 0x3000);
    /* an Illegal Execution state exception, Full and Half-source */
    bench_exception(&b, 1, CAIRN_BRANCH_TRAP, 0x5000, 0x80200);
    /* proves: I_MZNRV */
    assert_true(bench_record(&b, 0).source == 0x5000);
    bench_set(&b, BRBCR_EL2, BRBCR_EL2_E2BRE, 0);
    bench_exception(&b, 2, CAIRN_BRANCH_TRAP, 0x5004, 0x80200);
    record = bench_record(&b, 0);
    /* proves: I_MZNRV */
    assert_true(record.source == 0x5004);
    assert_int_equal(record.EL, 0);
    assert_true(record.target == 0);
}

static void debug_entry(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned levels = 0; levels < 16; levels++)
        for (unsigned EL = 0; EL < 4; EL++) {
            bench_begin(&b);
            allow(&b, levels);
            /* no control of exceptions has a say */
            bench_set(&b, BRBCR_EL1, BRBCR_EXCEPTION, 0);
            bench_set(&b, BRBCR_EL2, BRBCR_EXCEPTION, 0);
            b.state.EL = (uint8_t)EL;
            bench_halt(&b, 0x1000);
            /* proves: R_LLCTG */
            assert_int_equal(bench_halves(&b, 0), levels >> EL & 1 ? HALF_SOURCE : NONE);
            assert_int_equal(b.captured, bench_valid(&b));
            if (levels >> EL & 1)
                assert_true(bench_record(&b, 0).source == 0x1000);
        }
}

static void debug_exit(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned levels = 0; levels < 16; levels++)
        for (unsigned EL = 0; EL < 4; EL++) {
            bench_begin(&b);
            allow(&b, levels);
            bench_set(&b, BRBCR_EL1, BRBCR_ERTN, 0);
            bench_set(&b, BRBCR_EL2, BRBCR_ERTN, 0);
            b.state.EL = (uint8_t)EL;
            b.state.debug = true;
            bench_look(&b);
            bench_resume(&b, 0x2000);
            /* proves: R_RBCFP */
            assert_int_equal(bench_halves(&b, 0), levels >> EL & 1 ? HALF_TARGET : NONE);
            assert_int_equal(b.captured, bench_valid(&b));
            if (levels >> EL & 1)
                assert_int_equal(bench_record(&b, 0).EL, EL);
        }
}

/* An exception return at EL1 that asks for EL2 is illegal: it stays at EL1. Whether EL1 is allowed counts;
 * that EL2 is the opposite does not. */
static void illegal_returns(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned EL1 = 0; EL1 < 2; EL1++) {
        const unsigned wanted_EL = 2, loaded_EL = 1;

        bench_begin(&b);
        allow(&b, EL1 << 1 | (EL1 ? 0 : 1u << wanted_EL));
        b.state.EL = 1;
        bench_return(&b, loaded_EL, 0x1000, 0x2000);
        /* proves: I_JCYHD */
        assert_int_equal(bench_halves(&b, 0), EL1 ? FULL : NONE);
        if (!EL1)
            continue;
        const struct cairn_branch record = bench_record(&b, 0);
        /* proves: I_NGWPR */
        assert_int_equal(record.EL, 1);
        /* proves: I_NGWPR */
        assert_true(record.target == 0x2000);
    }
    /* one from EL2, where nothing is recorded, that sets PSTATE.IL in EL1 */
    bench_begin(&b);
    allow(&b, 1u << 1);
    b.state.EL = 2;
    bench_return(&b, 1, 0x1000, 0x2000);
    assert_int_equal(bench_halves(&b, 0), HALF_TARGET);
    assert_int_equal(bench_record(&b, 0).EL, 1);
}

/* A return shows how it was predicted, if it has a source and the controls say so. */
static void predicted_returns(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        const unsigned prediction = i % 3;
        const bool MPRED = i / 3 & 1, source = i / 3 & 2;

        bench_begin(&b);
        bench_set(&b, BRBCR_EL1, BRBCR_MPRED, MPRED);
        bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, source);
        const struct cairn_pe_state EL0 = {.EL = 0, .security = CAIRN_NONSECURE};
        const struct cairn_brbe_side before = bench_now(&b), after = {&b.registers, &EL0};
        cairn_brbe_return(&b.brbe, &before, &after,
                          &(struct cairn_brbe_return){0x1000, 0x2000, (uint8_t)prediction});
        assert_int_equal(bench_halves(&b, 0), source ? FULL : HALF_TARGET);
        assert_int_equal(bench_record(&b, 0).flags & CAIRN_BRANCH_MISPREDICTED,
                         MPRED && source && prediction != CAIRN_BRBE_HIT ? CAIRN_BRANCH_MISPREDICTED
                                                                         : 0);
    }
}

/* From EL0 in AArch32 state. */
static void from_aarch32(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    b.state.EL = 0;
    b.state.aarch32 = true;
    bench_exception(&b, 1, CAIRN_BRANCH_CALL, 0x1004, 0x600);
    assert_int_equal(bench_halves(&b, 0), HALF_TARGET);
    assert_true(bench_record(&b, 0).source == 0);
}

/* The values that count may differ on the two sides. */
static void two_register_files(void **state)
{
    struct cairn_pe_registers later;
    struct bench b;

    (void)state;
    bench_begin(&b);
    later = b.registers;
    later.value[CAIRN_PE_BRBCR_EL2] = 0;
    const struct cairn_pe_state EL2 = {.EL = 2, .security = CAIRN_NONSECURE};
    const struct cairn_brbe_side before = bench_now(&b), after = {&later, &EL2};
    cairn_brbe_exception(&b.brbe, &before, &after,
                         &(struct cairn_brbe_exception){0x1000, 0x400, CAIRN_BRANCH_CALL});
    assert_int_equal(bench_valid(&b), 0);
    later = b.registers;
    bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, 0);
    cairn_brbe_exception(&b.brbe, &before, &after,
                         &(struct cairn_brbe_exception){0x1000, 0x400, CAIRN_BRANCH_CALL});
    assert_int_equal(bench_halves(&b, 0), HALF_TARGET);
}

/* Controls that the event itself synchronizes count for its record: old values before, new ones behind. */
static void synchronized_by_the_event(void **state)
{
    struct cairn_pe_registers later;
    struct bench b;

    (void)state;
    for (unsigned enables = 0; enables < 2; enables++) {
        bench_begin(&b);
        later = b.registers;
        uint64_t *old = &b.registers.value[CAIRN_PE_BRBCR_EL1];
        uint64_t *new = &later.value[CAIRN_PE_BRBCR_EL1];
        *(enables ? old : new) &= ~UINT64_C(0xc00000); /* EXCEPTION, ERTN */
        const struct cairn_pe_state EL0 = {.EL = 0, .security = CAIRN_NONSECURE};
        const struct cairn_pe_state EL1 = {.EL = 1, .security = CAIRN_NONSECURE};
        const struct cairn_brbe_side at_EL1 = {&b.registers, &EL1}, to_EL0 = {&later, &EL0};
        const struct cairn_brbe_side at_EL0 = {&b.registers, &EL0}, to_EL1 = {&later, &EL1};
        cairn_brbe_return(&b.brbe, &at_EL1, &to_EL0,
                          &(struct cairn_brbe_return){0x1000, 0x2000, CAIRN_BRBE_HIT});
        /* proves: I_ZCHRF */
        assert_int_equal(bench_valid(&b), enables);
        cairn_brbe_exception(&b.brbe, &at_EL0, &to_EL1,
                             &(struct cairn_brbe_exception){0x2000, 0x400, CAIRN_BRANCH_IRQ});
        /* proves: I_ZCHRF */
        assert_int_equal(bench_valid(&b), 2 * enables);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exceptions),          cmocka_unit_test(returns),
        cmocka_unit_test(which_exception_bit), cmocka_unit_test(which_return_bit),
        cmocka_unit_test(addresses),           cmocka_unit_test(debug_entry),
        cmocka_unit_test(debug_exit),          cmocka_unit_test(illegal_returns),
        cmocka_unit_test(from_aarch32),        cmocka_unit_test(predicted_returns),
        cmocka_unit_test(two_register_files),  cmocka_unit_test(synchronized_by_the_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
