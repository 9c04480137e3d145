/* SPDX-License-Identifier: BSD-2-Clause */
/* Speculation and its resolution: DDI0608 D1.9.3, D1.10, D6.6.5, D6.9.7, D6.9.8, D6.9.14, and the
 * examples of D12. */
#include "bench.h"

static void test_cancel_over_trace_info(void **state)
{
    struct bench b;
    uint64_t first, second;
    const char *text;

    (void)state;
    bench_begin(&b, "MAXSPEC=8");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    first = mark(&b);
    branch(&b, 0x2000, 0x3000, TAKEN);
    cairn_unit_request_sync(b.unit);
    second = mark(&b);
    branch(&b, 0x3000, 0x4000, TAKEN);
    assert_trace(&b, BEGIN("1000") " E E SYNC INFO(SPEC=2) CTX(EL1n) ADDR(3000) E");
    cancel(&b, second); /* what is behind the Trace Info, its address and context among it */
    branch(&b, 0x3000, 0x5000, NOT_TAKEN);
    resolve(&b, mark(&b));
    /* A decoder that begins at the Trace Info knows where the Atom behind the Cancel is: whether
     * the address and context were told anew or were none that a Cancel takes back. */
    text = bench_resolved_from_last_sync(&b);
    /* proves: I_NSWTK */
    assert_true(bench_find(text, "ADDR(3000)", 0) < bench_find(text, "N", 0) &&
                bench_find(text, "CTX(EL1n)", 0) < bench_find(text, "N", 0));
    assert_int_equal(bench_count(text, "N") + bench_count(text, "E"), 1);
    bench_end(&b);

    bench_begin(&b, "MAXSPEC=8");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    first = mark(&b);
    branch(&b, 0x2000, 0x3000, TAKEN);
    cairn_unit_request_sync(b.unit);
    branch(&b, 0x3000, 0x4000, TAKEN);
    (void)bench_trace(&b);
    cancel(&b, first);
    branch(&b, 0x2000, 0x6000, NOT_TAKEN);
    /* proves: R_KGPTB */
    assert_trace(&b, "CANCEL(2) CTX(EL1n) ADDR(2000) N");
    bench_end(&b);
}

/* A handler of a higher Exception level on a path that is not taken. */
static void test_higher_privilege(void **state)
{
    struct bench b;
    uint64_t before;
    const char *text;

    (void)state;
    bench_begin(&b, "MAXSPEC=8");
    level(&b, "EL0n");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    before = mark(&b);
    exception(&b, CAIRN_EXCEPTION_CALL, 0x2004);
    level(&b, "EL1n");
    jump(&b, 0xe000);
    branch(&b, 0xe100, 0xe200, TAKEN);
    cancel(&b, before);
    level(&b, "EL0n");
    branch(&b, 0x2000, 0x3000, TAKEN);
    cairn_unit_speculate(b.unit, false);
    cairn_unit_disable(b.unit);
    text = bench_trace(&b);
    assert_true(bench_count(text, "E") > 0);
    /* proves: R_KYGRF */
    assert_true(strstr(text, "EL1") == NULL && strstr(text, "ADDR(e") == NULL);
    bench_end(&b);
}

static void test_context_synchronization(void **state)
{
    struct bench b;
    uint64_t before, behind;
    const char *text;

    (void)state;
    bench_begin(&b, "MAXSPEC=8");
    speculate(&b);
    before = mark(&b);
    isb(&b, 0x1000, TAKEN);
    behind = mark(&b);
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x1008);
    text = bench_trace(&b);
    /* proves: R_QHQLY */
    assert_int_equal(bench_count(text, "N") + bench_count(text, "EXC"), 0);
    resolve(&b, behind);
    text = bench_trace(&b);
    /* proves: R_QHQLY */
    assert_true(bench_count(text, "N") == 1 && strstr(text, "EXC(IRQ,1008)") != NULL);
    bench_end(&b);

    bench_begin(&b, "MAXSPEC=8");
    speculate(&b);
    before = mark(&b);
    isb(&b, 0x1000, TAKEN);
    jump(&b, 0x1004);
    branch(&b, 0x5000, 0x6000, NOT_TAKEN);
    cancel(&b, before);
    step(&b, 0x1000, 4, CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, 0x3000, TAKEN);
    resolve(&b, mark(&b));
    cairn_unit_disable(b.unit);
    text = bench_trace(&b);
    assert_true(strstr(text, "COMMIT(1)") != NULL);
    /* proves: R_LWJCO */
    assert_true(bench_count(text, "N") == 0 && strstr(text, "ADDR(5000)") == NULL);
    bench_end(&b);
}

/* --- Commits and Cancels --- */

static void loops(struct bench *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        branch(b, 0x1000, 0x1000, TAKEN);
}

static void test_merged_commits(void **state)
{
    struct bench b;
    uint64_t two, four;

    (void)state;
    bench_begin(&b, "MAXSPEC=8 choices=0");
    speculate(&b);
    loops(&b, 2);
    two = mark(&b);
    loops(&b, 2);
    four = mark(&b);
    resolve(&b, two);
    resolve(&b, four);
    cairn_unit_flush(b.unit);
    /* proves: I_KHYLN */
    assert_trace(&b, BEGIN("1000") " E E E E COMMIT(4)");
    bench_end(&b);

    bench_begin(&b, "MAXSPEC=4 choices=0");
    speculate(&b);
    loops(&b, 2);
    two = mark(&b);
    loops(&b, 2);
    four = mark(&b);
    resolve(&b, two);
    resolve(&b, four);
    cairn_unit_flush(b.unit);
    /* proves: I_KHYLN */
    assert_trace(&b, BEGIN("1000") " E E E E COMMIT(2) COMMIT(2)");
    bench_end(&b);
}

static void test_commits(void **state)
{
    struct bench b;
    uint64_t two;

    (void)state;
    bench_begin(&b, "MAXSPEC=8");
    speculate(&b);
    loops(&b, 2);
    two = mark(&b);
    loops(&b, 1);
    resolve(&b, two);
    /* proves: R_ONLYJ */
    assert_trace(&b, BEGIN("1000") " E E E COMMIT(2)");
    /* An exception is a P0 element as well. */
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x1000);
    resolve(&b, mark(&b));
    /* proves: R_ONLYJ */
    assert_trace(&b, "EXC(IRQ,1000) COMMIT(2)");
    bench_end(&b);
}

static void test_cancels(void **state)
{
    struct bench b;
    uint64_t one, three;

    (void)state;
    bench_begin(&b, "MAXSPEC=8");
    speculate(&b);
    loops(&b, 1);
    one = mark(&b);
    loops(&b, 3);
    cancel(&b, one);
    loops(&b, 2);
    /* proves: R_HYCXR */
    assert_trace(&b, BEGIN("1000") " E E E E CANCEL(3) E E");
    three = mark(&b);
    loops(&b, 2);
    cancel(&b, three);
    cancel(&b, one);
    branch(&b, 0x1000, 0x2000, NOT_TAKEN);
    /* proves: I_NDQKN */
    assert_trace(&b, "E E CANCEL(4) N");
    bench_end(&b);
}

static void test_prohibited(void **state)
{
    static const char *const settings[] = {"MAXSPEC=8", "MAXSPEC=8 choices=0"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct bench b;
        uint64_t one;

        bench_begin(&b, settings[i]);
        speculate(&b);
        loops(&b, 1);
        one = mark(&b);
        loops(&b, 1);
        cairn_unit_prohibit(b.unit, true);
        (void)bench_trace(&b);
        resolve(&b, one); /* nothing comes that could imply it, or that it could be merged with */
        /* proves: R_CKZMR */
        assert_trace(&b, "COMMIT(1)");
        cancel(&b, one);
        /* proves: R_CKZMR */
        assert_trace(&b, "CANCEL(1)");
        bench_end(&b);
    }
}

static void test_no_speculation(void **state)
{
    struct bench b;
    uint64_t one;

    (void)state;
    bench_begin(&b, "MAXSPEC=0 implied");
    speculate(&b);
    loops(&b, 1);
    one = mark(&b);
    loops(&b, 2);
    resolve(&b, one);
    cancel(&b, one);
    branch(&b, 0x1000, 0x2000, TAKEN);
    mispredict(&b);
    branch(&b, 0x1004, 0x2000, TAKEN);
    resolve(&b, mark(&b));
    cairn_unit_disable(b.unit);
    /* proves: I_KCFGW */
    assert_trace(&b, BEGIN("1000") " E c1 N c1 E c1");
    bench_end(&b);
}

/* An Event that waits behind what is cancelled happened all the same. */
static void test_cancelled_behind_event(void **state)
{
    struct bench b;
    uint64_t before;

    (void)state;
    bench_begin(&b, "MAXSPEC=0 TRCEVENTCTL1R=1");
    branch(&b, 0x1000, 0x1000, TAKEN);
    speculate(&b);
    before = mark(&b);
    loops(&b, 1);
    cairn_unit_event(b.unit, 0);
    loops(&b, 1);
    cancel(&b, before);
    branch(&b, 0x1000, 0x2000, NOT_TAKEN);
    resolve(&b, mark(&b));
    /* proves: R_KKLYB */
    assert_trace(&b, BEGIN("1000") " E EV0 N");
    bench_end(&b);
}

/* --- Mispredicts --- */

static void test_mispredict(void **state)
{
    struct bench b;
    uint64_t before;

    (void)state;
    bench_begin(&b, "MAXSPEC=8");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    mispredict(&b);
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    mispredict(&b);
    branch(&b, 0x2000, 0x3000, TAKEN);
    /* proves: R_YJCNT */
    assert_trace(&b, BEGIN("1000") " E MISP N MISP E");
    before = mark(&b);
    branch(&b, 0x3000, 0x4000, TAKEN);
    cancel(&b, before);
    mispredict(&b); /* the one before, which is the youngest again */
    branch(&b, 0x2004, 0x4000, TAKEN);
    /* proves: R_YJCNT */
    assert_trace(&b, "E CANCEL(1) MISP E");
    jump(&b, 0x4000);
    before = mark(&b);
    branch(&b, 0x5000, 0x6000, TAKEN);
    cancel(&b, before);
    branch(&b, 0x7000, 0x8000, TAKEN);
    /* proves: R_SCKBZ */
    assert_trace(&b, "E ADDR(5000) E CANCEL(1) ADDR(7000) E");
    bench_end(&b);
}

/* What the calls of speculation refuse, they leave undone. */
static void test_refused(void **state)
{
    struct bench b;
    uint64_t one;

    (void)state;
    bench_begin(&b, "MAXSPEC=8");
    assert_int_equal(cairn_unit_mispredict(b.unit), CAIRN_E_ARGUMENT);
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 1);
    assert_int_equal(cairn_unit_mispredict(b.unit), CAIRN_E_ARGUMENT); /* not the youngest */
    speculate(&b);
    branch(&b, 0x2004, 0x3000, TAKEN);
    one = mark(&b);
    branch(&b, 0x3000, 0x4000, TAKEN);
    resolve(&b, one);
    assert_int_equal(cairn_unit_resolve(b.unit, one - 1), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_unit_resolve(b.unit, mark(&b) + 1), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_unit_cancel(b.unit, one - 1), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_unit_cancel(b.unit, mark(&b) + 1), CAIRN_E_ARGUMENT);
    code(&b, 0x4000, 1);
    assert_int_equal(cairn_unit_mispredict(b.unit), CAIRN_E_ARGUMENT);
    branch(&b, 0x4004, 0x5000, NOT_TAKEN);
    assert_true(bench_order(bench_trace(&b), "E", "COMMIT(1)", "E", "E", "COMMIT(1)", "N", NULL));
    bench_end(&b);

    bench_begin(&b, ""); /* the short way */
    branch(&b, 0x1000, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x3000, TAKEN);
    code(&b, 0x3000, 1);
    assert_int_equal(cairn_unit_mispredict(b.unit), CAIRN_E_ARGUMENT);
    bench_end(&b);
}

static void test_mispredict_of_omitted(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "MAXSPEC=8 choices=3");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, NOT_TAKEN);
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    mispredict(&b);
    branch(&b, 0x2000, 0x3000, TAKEN);
    resolve(&b, mark(&b));
    /* proves: R_NTMM */
    assert_trace(&b, BEGIN("1000") " SRC(1004) E COMMIT(2)");
    bench_end(&b);

    /* A Source Address that is committed says E for good. */
    bench_begin(&b, "MAXSPEC=8 choices=3");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, NOT_TAKEN);
    branch(&b, 0x1004, 0x2000, TAKEN);
    resolve(&b, mark(&b));
    assert_trace(&b, BEGIN("1000") " SRC(1004) COMMIT(1)");
    assert_int_equal(cairn_unit_mispredict(b.unit), CAIRN_E_ARGUMENT);
    branch(&b, 0x2000, 0x3000, TAKEN);
    resolve(&b, mark(&b));
    assert_trace(&b, "E COMMIT(1)");
    bench_end(&b);
}

/* --- where a Cancel lands --- */

static void begin_example(struct bench *b)
{
    bench_begin(b, "MAXSPEC=8");
    speculate(b);
    branch(b, 0x1000, 0x2000, TAKEN);
}

/* D12.2 and D12.3, and the same without an exception. */
static void test_not_adjacent(void **state)
{
    struct bench b;
    uint64_t before;
    const char *text, *behind;

    (void)state;
    begin_example(&b);
    code(&b, 0x2000, 1);
    before = mark(&b);
    code(&b, 0x2004, 2);
    branch(&b, 0x200c, 0x3000, NOT_TAKEN);
    code(&b, 0x2010, 1);
    cancel(&b, before);
    exception(&b, CAIRN_EXCEPTION_DATA_FAULT, 0x2004);
    resolve(&b, mark(&b));
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x4000);
    resolve(&b, mark(&b));
    /* proves: R_KDVTX */
    assert_trace(&b, BEGIN("1000") " E N CANCEL(1) EXC(Data_Fault,2004) COMMIT(2) ADDR(4000)"
                                   " EXC(IRQ,4000) COMMIT(1)");
    bench_end(&b);

    begin_example(&b);
    code(&b, 0x2000, 1);
    before = mark(&b);
    code(&b, 0x2004, 2);
    branch(&b, 0x200c, 0x3000, NOT_TAKEN);
    cancel(&b, before);
    code(&b, 0x2004, 2);
    branch(&b, 0x200c, 0x3000, TAKEN);
    text = bench_trace(&b);
    behind = strstr(text, "CANCEL(1) ");
    assert_non_null(behind);
    /* An exception of the implementation's own, from which execution goes on where it was. */
    /* proves: R_KDVTX */
    assert_true(strncmp(behind, "CANCEL(1) EXC(IMPLEMENTATION_DEFINED", 36) == 0 &&
                strstr(behind, ",2004) ") != NULL);
    assert_string_equal(behind + strlen(behind) - 2, " E");
    bench_end(&b);
}

/* D12.1: back to where the youngest P0 element leads, nothing has to be told. */
static void test_adjacent(void **state)
{
    struct bench b;
    uint64_t before;

    (void)state;
    begin_example(&b);
    before = mark(&b);
    code(&b, 0x2000, 3);
    branch(&b, 0x200c, 0x3000, NOT_TAKEN);
    code(&b, 0x2010, 1);
    cancel(&b, before);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x2000);
    resolve(&b, mark(&b));
    /* proves: R_HYCXR, R_ONLYJ */
    assert_trace(&b, BEGIN("1000") " E N CANCEL(1) EXC(IRQ,2000) COMMIT(2)");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancel_over_trace_info),
        cmocka_unit_test(test_higher_privilege),
        cmocka_unit_test(test_context_synchronization),
        cmocka_unit_test(test_merged_commits),
        cmocka_unit_test(test_commits),
        cmocka_unit_test(test_cancels),
        cmocka_unit_test(test_prohibited),
        cmocka_unit_test(test_no_speculation),
        cmocka_unit_test(test_cancelled_behind_event),
        cmocka_unit_test(test_mispredict),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_mispredict_of_omitted),
        cmocka_unit_test(test_not_adjacent),
        cmocka_unit_test(test_adjacent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
