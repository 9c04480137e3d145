/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycle counts of records (DDI0608 F1.1.2), and what BRBTS_EL1 captures (Table F1.11). */
#include "bench.h"

/* Of the youngest record; UINT64_MAX: unknown. */
static uint64_t cycles(struct bench *b)
{
    const struct cairn_branch record = bench_record(b, 0);

    return record.flags & CAIRN_BRANCH_CYCLES_UNKNOWN ? UINT64_MAX : record.cycles;
}

/* So many cycles, then a branch. */
static uint64_t cycles_after(struct bench *b, uint64_t n)
{
    cairn_brbe_cycles(&b->brbe, n);
    bench_b(b, 0x1000);
    return cycles(b);
}

#define UNKNOWN UINT64_MAX

static void differences(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    bench_b(&b, 0x1000);
    for (uint64_t n = 0; n < 512; n++)
        /* proves: R_KVRBB */
        assert_int_equal(cycles_after(&b, n), n);
    /* nothing recorded between: one count from record to record */
    cairn_brbe_cycles(&b.brbe, 100);
    bench_set(&b, BRBFCR_EL1, BRBFCR_DIRECT, 1);
    bench_b(&b, 0x1000);
    bench_set(&b, BRBFCR_EL1, BRBFCR_DIRECT, 0);
    assert_int_equal(cycles_after(&b, 50), 150);
    /* an exception is a record as any other */
    cairn_brbe_cycles(&b.brbe, 30);
    bench_exception(&b, 1, CAIRN_BRANCH_IRQ, 0x1000, 0x200);
    assert_int_equal(cycles(&b), 30);
    assert_int_equal(cycles_after(&b, 0xfffff), 0xff800);
    assert_int_equal(cycles_after(&b, 0x100000), 0x100000);
    assert_int_equal(bench_record(&b, 0).flags & CAIRN_BRANCH_CYCLES_OVERFLOWED,
                     CAIRN_BRANCH_CYCLES_OVERFLOWED);
    assert_int_equal(cycles_after(&b, UINT64_MAX), 0x100000);
}

/* A branch whose target the PE has, and its feed tells later: the cycles since are of the next record. */
static void told_later(void **state)
{
    const struct cairn_brbe_branch branch = {
        .source = 0x1000, .kind = CAIRN_INSN_BRANCH_INDIRECT, .taken = true, .calculated = true};
    struct bench b;

    (void)state;
    bench_begin(&b);
    const struct cairn_brbe_side now = bench_now(&b);
    bench_b(&b, 0x800);
    cairn_brbe_cycles(&b.brbe, 3);
    cairn_brbe_branch(&b.brbe, &now, &branch);
    cairn_brbe_cycles(&b.brbe, 20);
    cairn_brbe_target(&b.brbe, &now, 0x2000);
    /* proves: R_PGXMB */
    assert_int_equal(cycles(&b), 3);
    /* proves: R_KVRBB */
    assert_int_equal(cycles_after(&b, 5), 25);
}

/* BRBCR_EL2.CC counts wherever EL2 is implemented, BRBCR_EL1.CC always. */
static void without_CC(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        bench_begin(&b);
        b.features.EL2 = i & 4;
        b.state.security =
            i & 8 ? CAIRN_SECURE : CAIRN_NONSECURE; /* EL2 disabled in Secure state */
        bench_set(&b, BRBCR_EL1, BRBCR_CC, i & 1);
        bench_set(&b, BRBCR_EL2, BRBCR_CC, i >> 1);
        bench_b(&b, 0x1000);
        /* proves: R_MJDL */
        assert_true(cycles_after(&b, 9) ==
                    ((i & 1) && (!(i & 4) || (i & 2)) ? UINT64_C(9) : UNKNOWN));
    }
}

/* Each of four occasions: the next count is unknown, the one behind it known. */
static void unknown_once(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    assert_true(cycles_after(&b, 5) == UNKNOWN);
    assert_true(cycles_after(&b, 5) == 5);
    /* a Prohibited region, left by a change of a register */
    bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, 0);
    bench_look(&b);
    bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, 1);
    /* proves: R_MJDL */
    assert_true(cycles_after(&b, 5) == UNKNOWN);
    assert_true(cycles_after(&b, 5) == 5);
    /* counting disabled and enabled */
    bench_set(&b, BRBCR_EL2, BRBCR_CC, 0);
    bench_look(&b);
    bench_set(&b, BRBCR_EL2, BRBCR_CC, 1);
    /* proves: R_MJDL */
    assert_true(cycles_after(&b, 5) == UNKNOWN);
    assert_true(cycles_after(&b, 5) == 5);
    /* paused */
    bench_control(&b, 0x10080);
    bench_control(&b, 0x10000);
    /* proves: R_MJDL */
    assert_true(cycles_after(&b, 5) == UNKNOWN);
    assert_true(cycles_after(&b, 5) == 5);
    bench_control(&b, 0x10000);
    assert_true(cycles_after(&b, 5) == 5);
    /* invalidated */
    const struct cairn_brbe_side now = bench_now(&b);
    assert_int_equal(cairn_brbe_invalidate(&b.brbe, &now), 0);
    /* proves: R_MJDL */
    assert_true(cycles_after(&b, 5) == UNKNOWN);
    assert_true(cycles_after(&b, 5) == 5);
}

/* A Prohibited region that is left by the very event that is recorded, or by one that is not. */
static void unknown_where_it_returns(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned ERTN = 0; ERTN < 2; ERTN++) {
        bench_begin(&b);
        bench_set(&b, BRBCR_EL2, BRBCR_EL2_E2BRE, 0);
        bench_set(&b, BRBCR_EL2, BRBCR_ERTN, ERTN);
        bench_b(&b, 0x1000);
        cairn_brbe_cycles(&b.brbe, 6);
        bench_exception(&b, 2, CAIRN_BRANCH_CALL, 0x1104, 0x400);
        /* half-source: not from a Prohibited region */
        assert_true(cycles(&b) == 6);
        cairn_brbe_cycles(&b.brbe, 1000);
        bench_return(&b, 1, 0x480, 0x1104);
        if (ERTN)
            /* proves: R_MJDL */
            assert_true(cycles(&b) == UNKNOWN);
        assert_true(cycles_after(&b, 8) == (ERTN ? 8 : UNKNOWN));
        assert_true(cycles_after(&b, 8) == 8);
    }
}

/* --- timestamps --- */

#define COUNT UINT64_C(0x1000000)
#define VOFF UINT64_C(0x100)
#define POFF UINT64_C(0x20000)

/* What a freeze captures. */
static uint64_t stamp(struct bench *b)
{
    bench_restart(b);
    b->registers.value[CAIRN_PE_CNTVOFF_EL2] = VOFF;
    b->registers.value[CAIRN_PE_CNTPOFF_EL2] = POFF;
    bench_set(b, BRBCR_EL1, BRBCR_FZP, 1);
    b->count = COUNT;
    bench_look(b);
    bench_overflow(b, 1);
    assert_true(bench_paused(b));
    b->count = 0;
    return b->brbe.timestamp;
}

/* All sixteen, with both parts of the physical offset's condition allowing it. */
static void sources(void **state)
{
    /* of TS 1, 2, 3 */
    static const uint64_t values[] = {0, COUNT - VOFF, COUNT - POFF, COUNT};
    struct bench b;

    (void)state;
    bench_begin(&b);
    bench_set(&b, SCR_EL3, SCR_EL3_ECVEn, 1);
    bench_set(&b, CNTHCTL_EL2, CNTHCTL_EL2_ECV, 1);
    for (unsigned two = 0; two < 4; two++)
        for (unsigned one = two ? 0 : 1; one < 4; one++) {
            bench_set(&b, BRBCR_EL2, BRBCR_TS, two);
            bench_set(&b, BRBCR_EL1, BRBCR_TS, one);
            /* proves: R_QKQZL */
            assert_true(stamp(&b) == values[two ? two : one]);
            assert_int_equal(b.findings, 0);
        }
    /* 0b00 in both is reserved: as the option says */
    bench_set(&b, BRBCR_EL2, BRBCR_TS, 0);
    bench_set(&b, BRBCR_EL1, BRBCR_TS, 0);
    for (unsigned as = 0; as < 4; as++) {
        b.options.reserved_TS = (uint8_t)as;
        assert_true(stamp(&b) == values[as ? as : 1]);
        assert_int_equal(b.findings, 1u << CAIRN_BRBE_RESERVED_TS);
    }
}

static void offsets(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    for (unsigned i = 0; i < 16; i++) {
        const bool EL3 = i & 4, EL2 = i & 8;

        b.features.EL3 = EL3;
        b.features.EL2 = EL2;
        bench_set(&b, SCR_EL3, SCR_EL3_ECVEn, i & 1);
        bench_set(&b, CNTHCTL_EL2, CNTHCTL_EL2_ECV, i >> 1);
        bench_set(&b, BRBCR_EL2, BRBCR_TS, 0);
        bench_set(&b, BRBCR_EL1, BRBCR_TS, 2);
        /* proves: TAB_F1.11 */
        assert_true(stamp(&b) == (EL2 && (i & 2) && (!EL3 || (i & 1)) ? COUNT - POFF : COUNT));
        bench_set(&b, BRBCR_EL1, BRBCR_TS, 1);
        /* proves: TAB_F1.11 */
        assert_true(stamp(&b) == (EL2 ? COUNT - VOFF : COUNT));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences),
        cmocka_unit_test(told_later),
        cmocka_unit_test(without_CC),
        cmocka_unit_test(unknown_once),
        cmocka_unit_test(unknown_where_it_returns),
        cmocka_unit_test(sources),
        cmocka_unit_test(offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
