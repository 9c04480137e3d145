/* SPDX-License-Identifier: BSD-2-Clause */
/* What makes a record and what is in it: targets, predictions, transactions, what was not executed. */
#include "bench.h"

/* Taken, from 0x1000 to 0x2000; nobody says how it was predicted. */
static struct cairn_brbe_branch conditional_branch(void)
{
    return (struct cairn_brbe_branch){.source = 0x1000,
                                      .target = 0x2000,
                                      .kind = CAIRN_INSN_BRANCH_DIRECT,
                                      .flags = CAIRN_INSN_CONDITIONAL,
                                      .taken = true,
                                      .has_target = true};
}

static void taken_branches(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    const struct cairn_brbe_side now = bench_now(&b);
    struct cairn_brbe_branch branch = {.source = 0x1000,
                                       .target = 0x2000,
                                       .kind = CAIRN_INSN_BRANCH_DIRECT,
                                       .flags = CAIRN_INSN_CONDITIONAL,
                                       .has_target = true};
    cairn_brbe_branch(&b.brbe, &now, &branch);
    assert_int_equal(bench_valid(&b), 0);
    branch.taken = true;
    cairn_brbe_branch(&b.brbe, &now, &branch);
    /* proves: R_GBCQW */
    assert_int_equal(bench_valid(&b), 1);
    /* proves: R_MLGCF */
    assert_int_equal(bench_halves(&b, 0), 3);
    assert_true(bench_record(&b, 0).source == 0x1000);
    assert_true(bench_record(&b, 0).target == 0x2000);
    assert_int_equal(bench_record(&b, 0).EL, 1);
    bench_exception(&b, 1, CAIRN_BRANCH_CALL, 0x2004, 0x8200);
    /* proves: R_LFVJR */
    assert_int_equal(bench_valid(&b), 2);
}

/* A record needs a target, and the branch to be executed. */
static void not_yet(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    const struct cairn_brbe_side now = bench_now(&b);
    const struct cairn_brbe_branch branch = {
        .source = 0x1000, .kind = CAIRN_INSN_BRANCH_INDIRECT, .taken = true};
    bench_b(&b, 0x800);
    cairn_brbe_cycles(&b.brbe, 10);
    cairn_brbe_branch(&b.brbe, &now, &branch);
    assert_int_equal(bench_valid(&b), 1);
    cairn_brbe_cycles(&b.brbe, 4);
    cairn_brbe_target(&b.brbe, &now, 0x2000);
    assert_int_equal(bench_valid(&b), 2);
    /* proves: R_PGXMB */
    assert_int_equal(bench_record(&b, 0).cycles, 14);
    assert_true(bench_record(&b, 0).target == 0x2000);
    cairn_brbe_target(&b.brbe, &now, 0x3000);
    assert_int_equal(bench_valid(&b), 2);
    /* on a path that turned out wrong */
    cairn_brbe_branch(&b.brbe, &now, &branch);
    cairn_brbe_withdraw(&b.brbe);
    cairn_brbe_target(&b.brbe, &now, 0x4000);
    bench_b(&b, 0x2000);
    /* proves: R_KXTRK */
    assert_int_equal(bench_valid(&b), 3);
    assert_true(bench_record(&b, 1).target == 0x2000);
    assert_int_equal(b.findings, 0);
    /* and one of which nobody ever says where it went: R_PMRRL */
    cairn_brbe_branch(&b.brbe, &now, &branch);
    bench_b(&b, 0x3000);
    assert_int_equal(b.findings, 1u << CAIRN_BRBE_NO_TARGET);
    assert_int_equal(bench_valid(&b), 1);
}

/* Bit 55 decides between two ranges; TBI and TBID are bits of TCR_ELx (Arm ARM). */
static void tags(void **state)
{
    static const struct {
        uint64_t TCR_EL1, TCR_EL2, TCR_EL3, HCR_EL2;
        uint64_t target, wanted;
        unsigned EL;
    } rows[] = {
#define B(n) (UINT64_C(1) << (n))
        {B(37), 0, 0, 0, 0x5a00000012345678, 0x0000000012345678, 1},
        {B(38), 0, 0, 0, 0x5a00000012345678, 0x5a00000012345678, 1},
        {B(38), 0, 0, 0, 0x5a80000012345678, 0xff80000012345678, 1},
        {B(37), 0, 0, 0, 0x5a80000012345678, 0x5a80000012345678, 1},
        {B(38), 0, 0, 0, 0x5a40000012345678, 0x5a40000012345678, 1},
        {B(37) | B(51), 0, 0, 0, 0x5a00000012345678, 0x5a00000012345678, 1},
        {B(38) | B(52), 0, 0, 0, 0x5a80000012345678, 0x5a80000012345678, 0},
        {B(37), 0, 0, 0, 0x5a00000012345678, 0x0000000012345678, 0},
        /* EL2 with one range, and with two; EL0 of a host */
        {0, B(20), 0, 0, 0x5a80000012345678, 0x0080000012345678, 2},
        {0, B(20) | B(29), 0, 0, 0x5a80000012345678, 0x5a80000012345678, 2},
        {0, B(38), 0, B(34), 0x5a80000012345678, 0xff80000012345678, 2},
        {0, B(20), 0, B(34), 0x5a80000012345678, 0x5a80000012345678, 2},
        {0, B(37), 0, B(34) | B(27), 0x5a00000012345678, 0x0000000012345678, 0},
        {0, B(37), 0, B(34), 0x5a00000012345678, 0x5a00000012345678, 0},
        {0, 0, B(20), 0, 0x5a80000012345678, 0x0080000012345678, 3},
        {B(37), B(20), B(20) | B(29), 0, 0x5a00000012345678, 0x5a00000012345678, 3},
#undef B
    };
    struct bench b;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bench_begin(&b);
        b.registers.value[CAIRN_PE_TCR_EL1] = rows[i].TCR_EL1;
        b.registers.value[CAIRN_PE_TCR_EL2] = rows[i].TCR_EL2;
        b.registers.value[CAIRN_PE_TCR_EL3] = rows[i].TCR_EL3;
        b.registers.value[CAIRN_PE_HCR_EL2] = rows[i].HCR_EL2;
        b.state.EL = (uint8_t)rows[i].EL;
        bench_branch(&b, CAIRN_INSN_BRANCH_INDIRECT, 0, 0x1000, rows[i].target);
        /* proves: I_KBDLR */
        assert_true(bench_record(&b, 0).target == rows[i].wanted);
    }
}

static bool misses(struct bench *b, const struct cairn_brbe_branch *branch)
{
    const struct cairn_brbe_side now = bench_now(b);

    cairn_brbe_branch(&b->brbe, &now, branch);
    return bench_record(b, 0).flags & CAIRN_BRANCH_MISPREDICTED;
}

static void predictions(void **state)
{
    struct cairn_brbe_branch branch = {.source = 0x1000,
                                       .target = 0x2000,
                                       .kind = CAIRN_INSN_BRANCH_DIRECT,
                                       .taken = true,
                                       .has_target = true};
    struct bench b;

    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        bench_begin(&b);
        bench_set(&b, BRBCR_EL1, BRBCR_MPRED, i & 1);
        bench_set(&b, BRBCR_EL2, BRBCR_MPRED, i >> 1);
        b.features.EL2 = i & 4;
        branch.prediction = i & 8 ? CAIRN_BRBE_MISS : CAIRN_BRBE_HIT;
        /* proves: R_XHWRB, I_QHGF */
        assert_int_equal(misses(&b, &branch), (i & 8) && (i & 1) && (!(i & 4) || (i & 2)));
    }
    /* EL2 disabled in the Security state: its bit counts all the same */
    bench_begin(&b);
    b.state.security = CAIRN_SECURE;
    bench_set(&b, BRBCR_EL2, BRBCR_MPRED, 0);
    assert_false(misses(&b, &branch));
    bench_set(&b, BRBCR_EL2, BRBCR_MPRED, 1);
    assert_true(misses(&b, &branch));
    branch.prediction = CAIRN_BRBE_HIT;
    /* proves: R_RDLQF */
    assert_false(misses(&b, &branch));
}

/* Who predicts nothing predicts wrongly; the built-in one learns. */
static void predictors(void **state)
{
    struct cairn_brbe_branch branch = conditional_branch();
    struct bench b;

    (void)state;
    bench_begin(&b);
    for (unsigned i = 0; i < 4; i++)
        /* proves: R_LRBGV */
        assert_true(misses(&b, &branch));
    b.options.flags = CAIRN_BRBE_PREDICTS;
    bench_restart(&b);
    /* two times not taken is expected, the third is taken twice before */
    /* proves: R_LRBGV */
    assert_true(misses(&b, &branch));
    assert_true(misses(&b, &branch));
    assert_false(misses(&b, &branch));
    branch.target = 0x3000;
    /* proves: R_LRBGV */
    assert_true(misses(&b, &branch));
    assert_false(misses(&b, &branch));
    /* four times not taken, and it is wrong about the direction again */
    branch.taken = false;
    for (unsigned i = 0; i < 4; i++)
        misses(&b, &branch);
    branch.taken = true;
    /* proves: R_LRBGV */
    assert_true(misses(&b, &branch));
    /* a call from two places: the second return is a hit by the stack */
    branch = (struct cairn_brbe_branch){.source = 0x4000,
                                        .target = 0x5000,
                                        .kind = CAIRN_INSN_BRANCH_DIRECT,
                                        .flags = CAIRN_INSN_LINK,
                                        .taken = true,
                                        .has_target = true};
    assert_true(misses(&b, &branch));
    branch.source = 0x5000;
    branch.target = 0x4004;
    branch.kind = CAIRN_INSN_BRANCH_INDIRECT;
    branch.flags = CAIRN_INSN_RETURN;
    assert_false(misses(&b, &branch));
    assert_true(misses(&b, &branch));
}

/* Calls as deep as the return stack, and deeper: the innermost sixteen returns are hits. */
static void deep_returns(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned deep = 1; deep < 40; deep += 3) {
        bench_begin(&b);
        b.options.flags = CAIRN_BRBE_PREDICTS;
        bench_restart(&b);
        for (unsigned i = 0; i < deep; i++) {
            const struct cairn_brbe_branch call = {.source = 0x1000 + i * 0x1000,
                                                   .target = 0x2000 + i * 0x1000,
                                                   .kind = CAIRN_INSN_BRANCH_DIRECT,
                                                   .flags = CAIRN_INSN_LINK,
                                                   .taken = true,
                                                   .has_target = true};
            assert_true(misses(&b, &call));
        }
        for (unsigned i = deep; i-- > 0;) {
            const struct cairn_brbe_branch back = {.source = 0x2000 + i * 0x1000,
                                                   .target = 0x1004 + i * 0x1000,
                                                   .kind = CAIRN_INSN_BRANCH_INDIRECT,
                                                   .flags = CAIRN_INSN_RETURN,
                                                   .taken = true,
                                                   .has_target = true};
            assert_int_equal(misses(&b, &back), deep - i > 16);
        }
        /* and then it is empty */
        const struct cairn_brbe_branch more = {.source = 0x2000,
                                               .target = 0,
                                               .kind = CAIRN_INSN_BRANCH_INDIRECT,
                                               .flags = CAIRN_INSN_RETURN,
                                               .taken = true,
                                               .has_target = true};
        assert_true(misses(&b, &more));
    }
}

/* A counter of two bits: after many of one kind two of the other turn it. */
static void directions(void **state)
{
    struct cairn_brbe_branch branch = conditional_branch();
    struct bench b;

    (void)state;
    bench_begin(&b);
    b.options.flags = CAIRN_BRBE_PREDICTS;
    bench_restart(&b);
    for (unsigned i = 0; i < 9; i++)
        misses(&b, &branch);
    branch.taken = false;
    misses(&b, &branch); /* three becomes two */
    branch.taken = true;
    assert_false(misses(&b, &branch));
    branch.taken = false;
    for (unsigned i = 0; i < 9; i++)
        misses(&b, &branch);
    branch.taken = true;
    assert_true(misses(&b, &branch)); /* zero becomes one */
    assert_true(misses(&b, &branch));
    assert_false(misses(&b, &branch));
    /* another branch has a counter of its own, and one 4 KiB away the same */
    branch.source = 0x1004;
    assert_true(misses(&b, &branch));
    branch.source = 0x2000;
    assert_true(misses(&b, &branch)); /* its target was another's */
    assert_false(misses(&b, &branch));
}

/* --- transactions (F1.1.7) --- */

static void rolls_back(struct bench *b)
{
    const struct cairn_brbe_side now = bench_now(b);

    cairn_brbe_transaction_fail(&b->brbe, &now);
    b->state.transactional = false;
}

static void start(struct bench *b)
{
    const struct cairn_brbe_side now = bench_now(b);

    cairn_brbe_transaction_start(&b->brbe, &now);
    b->state.transactional = true;
}

/* BRBFCR_EL1.LASTFAILED of a direct read. */
static bool last_failed(struct bench *b)
{
    const struct cairn_brbe_side now = bench_now(b);

    return cairn_brbe_read_control(&b->brbe, &now) >> 6 & 1;
}

static void failed_in_the_open(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    start(&b);
    bench_b(&b, 0x1000);
    assert_false(last_failed(&b));
    rolls_back(&b);
    /* proves: R_GVCJH */
    assert_true(last_failed(&b));
    /* proves: I_HJZWG */
    assert_int_equal(bench_valid(&b), 1);
    /* the body's record stays */
    assert_int_equal(bench_record(&b, 0).flags & CAIRN_BRANCH_TRANSACTIONAL,
                     CAIRN_BRANCH_TRANSACTIONAL);
    bench_b(&b, 0x2000);
    bench_b(&b, 0x3000);
    /* proves: R_KBSZM */
    assert_int_equal(bench_record(&b, 1).flags & CAIRN_BRANCH_LAST_FAILED,
                     CAIRN_BRANCH_LAST_FAILED);
    assert_int_equal(bench_record(&b, 0).flags & CAIRN_BRANCH_LAST_FAILED, 0);
    assert_false(last_failed(&b));
    /* a committed one fails nothing */
    start(&b);
    cairn_brbe_transaction_commit(&b.brbe);
    b.state.transactional = false;
    assert_false(last_failed(&b));
}

/* An injected record neither takes nor clears it. */
static void injection_leaves_it(void **state)
{
    const struct cairn_branch_registers record = {3, 4, 8};
    struct bench b;

    (void)state;
    bench_begin(&b);
    start(&b);
    rolls_back(&b);
    bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, 0);
    bench_look(&b);
    bench_inject(&b, &record);
    /* proves: R_KBSZM */
    assert_int_equal(bench_record(&b, 0).flags & CAIRN_BRANCH_LAST_FAILED, 0);
    assert_true(last_failed(&b));
}

static void failed_in_secret(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned before = 0; before < 2; before++) {
        bench_begin(&b);
        bench_control(&b, 0x10000 | before << 6);
        bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, 0);
        start(&b);
        rolls_back(&b);
        /* proves: R_JMSZF */
        assert_int_equal(last_failed(&b), before);
    }
}

static void failed_between(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        bench_begin(&b);
        b.options.flags = i & 1 ? CAIRN_BRBE_PARTLY_FAILED : 0;
        bench_restart(&b);
        bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, i >> 1);
        start(&b);
        /* which nobody tells before the failure itself */
        bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, !(i >> 1));
        rolls_back(&b);
        /* proves: R_CBTBH */
        assert_int_equal(last_failed(&b), i & 1);
    }
}

/* What one transaction was in is no matter to the next; and what fails has to have begun. */
static void one_behind_another(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, 0);
    start(&b);
    rolls_back(&b);
    bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, 1);
    bench_look(&b);
    start(&b);
    rolls_back(&b);
    assert_true(last_failed(&b));
    bench_b(&b, 0x1000);
    assert_false(last_failed(&b));
    rolls_back(&b);
    assert_false(last_failed(&b));
    start(&b);
    cairn_brbe_transaction_commit(&b.brbe);
    rolls_back(&b);
    assert_false(last_failed(&b));
    /* in an allowed region, then a Prohibited one for a second transaction */
    bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, 0);
    bench_look(&b);
    start(&b);
    rolls_back(&b);
    assert_false(last_failed(&b));
}

static void instructions_that_fail_it(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    bench_b(&b, 0x1000);
    start(&b);
    const struct cairn_brbe_side now = bench_now(&b);
    /* proves: I_TFKNW */
    assert_int_equal(cairn_brbe_invalidate(&b.brbe, &now), 1u << 19);
    /* proves: I_TFKNW */
    assert_int_equal(cairn_brbe_inject(&b.brbe, &now), 1u << 19);
    assert_int_equal(bench_valid(&b), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken_branches),
        cmocka_unit_test(not_yet),
        cmocka_unit_test(tags),
        cmocka_unit_test(predictions),
        cmocka_unit_test(predictors),
        cmocka_unit_test(deep_returns),
        cmocka_unit_test(directions),
        cmocka_unit_test(failed_in_the_open),
        cmocka_unit_test(injection_leaves_it),
        cmocka_unit_test(failed_in_secret),
        cmocka_unit_test(failed_between),
        cmocka_unit_test(one_behind_another),
        cmocka_unit_test(instructions_that_fail_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
