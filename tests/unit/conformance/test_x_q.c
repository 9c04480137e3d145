/* SPDX-License-Identifier: BSD-2-Clause */
/* Q elements: DDI0608 D2.2.4, D6.9.5, D6.10.2. Where the unit makes use of them is its own choice;
 * what they tell must be what was executed. */
#include "test_x_walk.h"

#include <stdlib.h>

/* Up to 16 instructions in a Q element, with a count. */
#define Q_ON "QSUPP=3 QFILT=1 QE=1 q=16 CID "
/* The region from 0x2000 to 0x2fff: Q elements are permitted there, or not there. */
#define REGION "TRCACVR0=0x2000 TRCACVR1=0x2fff "
#define INSIDE REGION "TRCQCTLR=0x101 "
#define OUTSIDE REGION "TRCQCTLR=0x001 "

static bool in_region(const struct walk_step *step)
{
    return step->address >= 0x2000 && step->address < 0x3000;
}

static void run(struct walk *w, unsigned count)
{
    for (unsigned i = 0; i < count && w->count < WALK_STEPS - 8; i++)
        walk_any(w);
}

/* Programs all over the place; assert_followed holds each Q against what was executed. */
static void test_random(void **state)
{
    struct walk *w = malloc(sizeof(*w));
    size_t qs = 0;

    (void)state;
    assert_non_null(w);
    for (unsigned seed = 1; seed <= 40; seed++) {
        struct bench b;
        const char *text;

        bench_begin(&b, Q_ON);
        walk_begin(w, &b, 0x1000, seed);
        run(w, 200);
        cairn_unit_disable(b.unit);
        text = bench_trace(&b);
        /* proves: R_XWBMW, R_WHLPS, R_MNWCK, R_BJLRS, R_FZTZP */
        assert_followed(w, text);
        qs += w->qs;
        bench_end(&b);
    }
    assert_true(qs > 1000);
    free(w);
}

/* Returns from exceptions and context changes end a Q; the new context follows. */
static void test_ends(void **state)
{
    struct walk *w = malloc(sizeof(*w));
    size_t erets = 0, isbs = 0, changes = 0;

    (void)state;
    assert_non_null(w);
    for (unsigned seed = 1; seed <= 40; seed++) {
        struct bench b;

        bench_begin(&b, Q_ON);
        walk_begin(w, &b, 0x1000, seed);
        for (unsigned i = 0; i < 200 && w->count < WALK_STEPS - 8; i++) {
            walk_any(w);
            if (walk_random(w, 4) == 0) {
                walk_block(w, 2, CAIRN_INSN_ISB, 0, 0, TAKEN);
                walk_context(w, 1 + walk_random(w, 3), true);
            } else if (walk_random(w, 4) == 0) {
                walk_block(w, 1, CAIRN_INSN_OTHER, 0, 0, TAKEN);
                walk_context(w, 1 + walk_random(w, 3), false);
            }
        }
        cairn_unit_disable(b.unit);
        {
            const char *text = bench_trace(&b);

            /* An instruction in another context than the last one told fails in here. */
            /* proves: R_LZLDH, R_JBYXC */
            assert_followed(w, text);
        }
        for (size_t i = 0; i + 1 < w->count; i++) {
            const struct walk_step *step = &w->steps[i], *next = step + 1;
            bool together = step->by == BY_Q && next->by == BY_Q && step->element == next->element;

            if (step->by != BY_Q)
                continue;
            if ((step->flags & CAIRN_INSN_ERET) != 0) {
                erets++;
                /* proves: R_KPNGG */
                assert_false(together);
            }
            if (step->context_id == next->context_id)
                continue;
            if (step->kind == CAIRN_INSN_ISB) {
                isbs++;
                assert_false(together);
            } else {
                changes++;
                /* proves: I_BTNZC */
                assert_false(together);
            }
        }
        bench_end(&b);
    }
    assert_true(erets > 0 && isbs > 0 && changes > 0);
    free(w);
}

/* A program that wanders between the region and what is around it, by branches of every kind, by
 * exceptions and by falling through. */
static void wander(struct walk *w)
{
    static const uint64_t places[] = {0x1ff0, 0x2000, 0x2ff0, 0x3000,
                                      0x1000, 0x2800, 0x2ff8, 0x4000};

    for (unsigned i = 0; i < 200 && w->count < WALK_STEPS - 8; i++) {
        uint64_t target = places[walk_random(w, 8)];
        unsigned count = 1 + walk_random(w, 3);

        switch (walk_random(w, 5)) {
        case 0: walk_block(w, count, CAIRN_INSN_BRANCH_INDIRECT, 0, target, TAKEN); break;
        case 1: walk_exception(w, CAIRN_EXCEPTION_FIQ, target, 1); break;
        case 2: walk_block(w, count, CAIRN_INSN_OTHER, 0, 0, TAKEN); break;
        default:
            walk_block(w, count, CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, target,
                       (int)walk_random(w, 3) == 0);
            break;
        }
    }
}

/* Whether Q elements are permitted for the block that step `i` is in: one instruction is enough. */
static bool is_permitted(const struct walk *w, size_t i, bool inside)
{
    const size_t block = w->steps[i].block;

    if (w->steps[i].exception)
        return false;
    while (i > 0 && w->steps[i - 1].block == block)
        i--;
    for (; i < w->count && w->steps[i].block == block; i++) {
        if (in_region(&w->steps[i]) == inside)
            return true;
    }
    return false;
}

static void check_regions(const char *text_of_unit, bool inside)
{
    struct walk *w = malloc(sizeof(*w));
    size_t permitted = 0, entries = 0, leaves = 0;

    assert_non_null(w);
    for (unsigned seed = 1; seed <= 40; seed++) {
        struct bench b;

        bench_begin(&b, text_of_unit);
        context_id(&b, 1);
        walk_begin(w, &b, 0x1ff0, seed);
        wander(w);
        cairn_unit_disable(b.unit);
        assert_followed(w, bench_trace(&b));
        for (size_t i = 0; i + 1 < w->count; i++) {
            const struct walk_step *step = &w->steps[i], *next = step + 1;
            bool here = is_permitted(w, i, inside), there = is_permitted(w, i + 1, inside);

            if (step->by == BY_Q && here)
                permitted++;
            if (step->by == BY_Q && step->p0) {
                /* proves: R_DSFJZ, R_WXRDY, R_NQSLs, R_SJSGX */
                assert_true(here);
            }
            if (!here && there && (step->exception || (step->p0 && step->taken))) {
                entries++;
                /* proves: R_DTWYZ */
                assert_int_not_equal(step->by, BY_Q);
            }
            if (here && !there && step->by == BY_Q) {
                leaves++;
                /* The last one of the region: the Q has nothing behind it. */
                assert_true(next->by != BY_Q || next->element != step->element);
            }
        }
        bench_end(&b);
    }
    assert_true(permitted > 1000 && entries > 10 && leaves > 10);
    free(w);
}

static void test_regions(void **state)
{
    (void)state;
    check_regions(Q_ON INSIDE, true);
    check_regions(Q_ON OUTSIDE, false);
}

/* The way out of a region: by a branch, and by falling through. */
static void test_leaving(void **state)
{
    struct walk *w = malloc(sizeof(*w));
    struct bench b;

    (void)state;
    assert_non_null(w);
    for (int falls = 0; falls < 2; falls++) {
        const struct walk_step *last, *behind;

        bench_begin(&b, Q_ON INSIDE);
        walk_begin(w, &b, 0x1000, 1);
        walk_block(w, 1, CAIRN_INSN_BRANCH_DIRECT, 0, 0x2fe8, TAKEN);
        walk_block(w, 2, CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, 0x2000, NOT_TAKEN);
        walk_block(w, 2, CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, 0x2000, NOT_TAKEN);
        if (falls)
            walk_block(w, 2, CAIRN_INSN_OTHER, 0, 0, TAKEN);
        else
            walk_block(w, 2, CAIRN_INSN_BRANCH_DIRECT, 0, 0x3000, TAKEN);
        last = &w->steps[w->count - 1];
        behind = last + 1;
        walk_block(w, 2, CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, 0x4000, NOT_TAKEN);
        walk_block(w, 2, CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, 0x4000, TAKEN);
        cairn_unit_disable(b.unit);
        assert_followed(w, bench_trace(&b));
        assert_true(w->qs > 0 && (last - 2)->by == BY_Q);
        /* Where the last instruction of the region is in a Q. */
        /* proves: R_FPHFM */
        assert_true(last->by != BY_Q || behind->by != BY_Q);
        /* proves: R_FPHFM */
        assert_int_not_equal(w->steps[w->count - 1].by, BY_Q);
        bench_end(&b);
    }
    free(w);
}

/* One instruction of a block in the region permits Q elements for all of it. */
static void test_block(void **state)
{
    struct walk *w = malloc(sizeof(*w));
    struct bench b;

    (void)state;
    assert_non_null(w);
    bench_begin(&b, Q_ON INSIDE);
    walk_begin(w, &b, 0x1ff0, 1);
    for (unsigned i = 0; i < 8; i++) {
        /* 0x1ff4 to 0x2000: the branch is the region's first instruction. */
        walk_block(w, 4, CAIRN_INSN_BRANCH_DIRECT, 0, 0x2ffc, TAKEN);
        /* 0x2ffc to 0x3008: its last one, and a branch outside. */
        walk_block(w, 4, CAIRN_INSN_BRANCH_DIRECT, 0, 0x1ff4, TAKEN);
    }
    cairn_unit_disable(b.unit);
    assert_followed(w, bench_trace(&b));
    /* proves: R_RBPJF */
    assert_true(w->qs > 0 && w->steps[8].by == BY_Q);
    bench_end(&b);
    free(w);
}

static void test_disabled(void **state)
{
    struct walk *w = malloc(sizeof(*w));
    struct bench b;
    const char *text;

    (void)state;
    assert_non_null(w);
    bench_begin(&b, "QSUPP=3 QFILT=1 QE=0 q=16 CID");
    walk_begin(w, &b, 0x1000, 77);
    run(w, 400);
    cairn_unit_disable(b.unit);
    text = bench_trace(&b);
    /* proves: R_SGFHP */
    assert_int_equal(bench_count(text, "Q"), 0);
    /* proves: R_CGHsK */
    assert_followed(w, text);
    for (size_t i = 0; i + 8 < w->count; i++) {
        /* proves: R_CGHsK */
        assert_int_not_equal(w->steps[i].by, BY_NOTHING);
    }
    bench_end(&b);
    free(w);
}

/* Two branches, an ISB and two branches. The context changes at the ISB, where that is said. */
static void tell_isb(struct bench *b, bool changes)
{
    bench_begin(b, Q_ON);
    context_id(b, 1);
    branch(b, 0x1000, 0x2000, NOT_TAKEN);
    branch(b, 0x1004, 0x2000, NOT_TAKEN);
    isb(b, 0x1008, TAKEN);
    if (changes)
        context_id(b, 7);
    branch(b, 0x100c, 0x2000, NOT_TAKEN);
    branch(b, 0x1010, 0x2000, NOT_TAKEN);
    cairn_unit_disable(b->unit);
}

/* The ISB is the last instruction of a Q behind which there is another context, and no other one. */
static void test_isb(void **state)
{
    struct bench b;

    (void)state;
    tell_isb(&b, true);
    /* proves: R_YRLJR */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,cid=1) ADDR(1000) Q(3) CTX(EL1n,cid=7) ADDR(100c) Q(2) "
                     "ADDR(1014)");
    bench_end(&b);
    tell_isb(&b, false);
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,cid=1) ADDR(1000) Q(5) ADDR(1014)");
    bench_end(&b);
}

/* The branch that a Q ended with goes the other way when the Q is out: before the session ends, an
 * address behind the Q says where execution went on. */
static void test_other_way(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, Q_ON);
    context_id(&b, 1);
    branch(&b, 0x1000, 0x2000, NOT_TAKEN);
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    speculate(&b);
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,cid=1) ADDR(1000) Q(2) ADDR(1008)");
    mispredict(&b);
    cairn_unit_disable(b.unit);
    /* proves: R_XWBMW */
    assert_trace(&b, "ADDR(2000)");
    bench_end(&b);
}

/* A Q element counts the instructions behind the last P0 element, be that an N Atom that was left out at
 * first. */
static void test_behind_omitted(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, Q_ON INSIDE "choices=1");
    context_id(&b, 1);
    branch(&b, 0x1000, 0x1ff0, TAKEN);
    branch(&b, 0x1ff0, 0x1000, NOT_TAKEN);
    code(&b, 0x1ff4, 2);
    cairn_unit_flush(b.unit);
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,cid=1) ADDR(1000) E N");
    code(&b, 0x1ffc, 1);
    branch(&b, 0x2000, 0x1000, NOT_TAKEN);
    cairn_unit_disable(b.unit);
    /* proves: R_WHLPS */
    assert_trace(&b, "Q(4) ADDR(2004)");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_isb),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_disabled),
        cmocka_unit_test(test_other_way),
        cmocka_unit_test(test_behind_omitted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
