/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions: DDI0608 D1.10.1, D2.7, D6.9.1, D6.9.9 to D6.9.11. */
#include "bench.h"

static void loops(struct bench *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        branch(b, 0x1004, 0x1004, TAKEN);
}

/* A transaction from 0x1000 with two Atoms in it; the PE is at 0x1004. */
static void begin_inside(struct bench *b, const char *text)
{
    bench_begin(b, text);
    tstart(b, 0x1000);
    loops(b, 2);
}

static void test_commit(void **state)
{
    struct bench b;

    (void)state;
    begin_inside(&b, "");
    /* proves: R_KMNWX, R_CYHKB, R_DGRIZ */
    assert_trace(&b, BEGIN("1000") " E START E E");
    tcommit(&b, 0x1004);
    branch(&b, 0x1008, 0x1000, NOT_TAKEN);
    /* proves: R_BGMKL, R_TWNQP */
    assert_trace(&b, "TCOMMIT N");
    bench_end(&b);
}

static void test_fail(void **state)
{
    struct bench b;

    (void)state;
    begin_inside(&b, "");
    cairn_unit_transaction_fail(b.unit);
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    /* proves: R_MHBCG, R_TWNQP */
    assert_true(bench_order(bench_trace(&b), "START", "E", "E", "FAIL", "ADDR(1004)", "N", NULL));
    /* It is no exception, for all that its packet looks like one. */
    assert_true(bench_has_bytes(&b, "06 31 70") || bench_has_bytes(&b, "06 70 70"));
    bench_end(&b);
}

/* Two in a row, and a TSTART inside one. */
static void test_one_start_each(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    tstart(&b, 0x1000);
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    step(&b, 0x1008, 4, CAIRN_INSN_TSTART, 0, 0, TAKEN); /* nested: nothing but its Atom */
    branch(&b, 0x100c, 0x2000, NOT_TAKEN);
    step(&b, 0x1010, 4, CAIRN_INSN_OTHER, 0, 0, TAKEN); /* the inner TCOMMIT */
    tcommit(&b, 0x1014);
    tstart(&b, 0x1018);
    branch(&b, 0x101c, 0x2000, NOT_TAKEN);
    tcommit(&b, 0x1020);
    branch(&b, 0x1024, 0x2000, TAKEN);
    /* proves: R_MMCQD, R_PCKKS, R_DPNGP */
    assert_trace(&b, BEGIN("1000") " E START N E N TCOMMIT E START N TCOMMIT E");
    bench_end(&b);
}

static void test_start_not_traced(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "TRCACVR0=0x1008 TRCACVR1=0x1fff TRCVIIECTLR=1");
    tstart(&b, 0x1000);
    code(&b, 0x1004, 1);
    branch(&b, 0x1008, 0x2000, NOT_TAKEN);
    text = bench_trace(&b);
    /* proves: R_RKGLY */
    assert_true(bench_find(text, "ON", 0) < bench_find(text, "START", 0) &&
                bench_find(text, "START", 0) < bench_find(text, "N", bench_find(text, "ADDR", 0)));
    /* proves: R_WMXVM */
    assert_int_equal(bench_count(text, "INFO(T"), 0);
    bench_end(&b);
}

static void test_trace_info(void **state)
{
    struct bench b;

    (void)state;
    begin_inside(&b, "");
    cairn_unit_request_sync(b.unit);
    loops(&b, 1);
    /* proves: R_WJJK */
    assert_string_equal(bench_from_last_sync(&b), "SYNC INFO(T) CTX(EL1n) ADDR(1004) E");
    tcommit(&b, 0x1004);
    cairn_unit_request_sync(b.unit);
    branch(&b, 0x1008, 0x1000, NOT_TAKEN);
    /* proves: R_WMXVM */
    assert_int_equal(bench_count(bench_from_last_sync(&b), "INFO(T"), 0);
    bench_end(&b);

    /* In a transaction of which nothing was traced. */
    bench_begin(&b, "TRCACVR0=0x4000 TRCACVR1=0x4fff TRCVIIECTLR=1");
    branch(&b, 0x4000, 0x1000, TAKEN);
    tstart(&b, 0x1000);
    cairn_unit_request_sync(b.unit);
    branch(&b, 0x1004, 0x4004, TAKEN);
    branch(&b, 0x4004, 0x4004, NOT_TAKEN);
    /* proves: R_WMXVM */
    assert_int_equal(bench_count(bench_trace(&b), "INFO(T"), 0);
    bench_end(&b);
}

/* Overflows in the transaction that is open, recovers, and goes on. */
static const char *overflow(struct bench *b)
{
    const char *text;

    for (unsigned i = 0; i < 100; i++)
        jump(b, 0x100000 + 0x10010 * (uint64_t)i);
    cycles(b, 100000);
    branch(b, 0x3000, 0x3000, NOT_TAKEN);
    cycles(b, 100000);
    text = bench_trace(b);
    assert_int_equal(bench_count(text, "OVERFLOW"), 1);
    return text;
}

static void test_overflow(void **state)
{
    struct bench b;
    const char *text, *behind, *packet;

    (void)state;
    begin_inside(&b, "fifo=256 drain=16");
    text = overflow(&b);
    behind = strstr(text, "OVERFLOW");
    /* proves: R_QMTSR */
    assert_int_equal(bench_count(behind, "INFO(T"), 0);
    /* proves: R_CRPJZ, R_WXTQS, R_MMCQD */
    assert_int_equal(bench_count(behind, "START"), 1);
    assert_true(bench_find(behind, "START", 0) < bench_find(behind, "N", 0));
    /* An Overflow packet ends the open transaction (D9.2.5); one that says so in front is as good.
     */
    packet = strstr(text, "FAIL");
    if (packet == NULL)
        packet = strstr(text, "DISCARD OVERFLOW");
    /* proves: R_YTKLN */
    assert_true(packet != NULL && packet <= behind);
    cairn_unit_transaction_commit(b.unit);
    branch(&b, 0x3004, 0x3000, NOT_TAKEN);
    cycles(&b, 100000);
    assert_int_equal(bench_count(bench_trace(&b), "TCOMMIT"), 1);
    bench_end(&b);
}

static void test_cut_short(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    begin_inside(&b, "");
    cairn_unit_prohibit(b.unit, true);
    code(&b, 0x1004, 1);
    /* proves: R_XQSPC, R_NMWFJ */
    assert_trace(&b, BEGIN("1000") " E START E E FAIL");
    cairn_unit_transaction_commit(b.unit); /* how it really ended is not told */
    cairn_unit_prohibit(b.unit, false);
    branch(&b, 0x1008, 0x1000, NOT_TAKEN);
    assert_trace(&b, "ON ADDR(1008) N");
    bench_end(&b);

    begin_inside(&b, "");
    (void)bench_trace(&b);
    cairn_unit_disable(b.unit);
    text = bench_trace(&b);
    /* proves: R_ZJXHP, R_NMWFJ */
    assert_true(strcmp(text, "FAIL") == 0 || strcmp(text, "FAIL DISCARD") == 0);
    bench_end(&b);
}

/* Out of a Prohibited region into the same transaction, of which the Failure told the end. */
static void test_goes_on(void **state)
{
    struct bench b;

    (void)state;
    begin_inside(&b, "");
    cairn_unit_prohibit(b.unit, true);
    cairn_unit_prohibit(b.unit, false);
    (void)bench_trace(&b);
    loops(&b, 1);
    /* proves: R_MMCQD, R_RKGLY */
    assert_trace(&b, "ON ADDR(1004) START E");
    bench_end(&b);
}

/* The calls of a transaction that failed were none: a decoder's return stack has not their entries.
 */
static void test_failed_calls(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "RS");
    tstart(&b, 0x1000);
    call(&b, 0x1004, 0x2000);
    cairn_unit_transaction_fail(b.unit);
    ret(&b, 0x1004);
    branch(&b, 0x1008, 0x2000, NOT_TAKEN);
    assert_true(bench_order(bench_trace(&b), "START", "E", "FAIL", "ADDR(1004)", "E", "ADDR(1008)",
                            "N", NULL));
    bench_end(&b);
}

/* What a Q element of the transaction was to tell did not happen, and comes no more. */
static void test_failed_q(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "QSUPP=3 QE=1 q=16");
    tstart(&b, 0x1000);
    loops(&b, 1);
    code(&b, 0x1004, 2);
    branch(&b, 0x100c, 0x1004, NOT_TAKEN);
    (void)bench_trace(&b);
    branch(&b, 0x1010, 0x1004, NOT_TAKEN);
    cairn_unit_transaction_fail(b.unit);
    cairn_unit_prohibit(b.unit, true);
    /* proves: R_MHBCG */
    assert_trace(&b, "FAIL");
    bench_end(&b);
}

/* Where nothing is traced nobody is told that it failed; a request that waits is served. */
static void test_failed_unseen(void **state)
{
    struct bench b;

    (void)state;
    begin_inside(&b, "");
    cairn_unit_disable(b.unit);
    (void)bench_trace(&b);
    cairn_unit_transaction_fail(b.unit);
    /* proves: R_NMWFJ */
    assert_trace(&b, "");
    cairn_unit_enable(b.unit);
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    /* proves: R_WMXVM */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n) ADDR(1004) N");
    bench_end(&b);
}

/* A Cycle Count that is due comes with the Commit behind the Failure, not with what is executed
 * later. */
static void test_failed_counts(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    begin_inside(&b, "MAXSPEC=8 CCI THRESHOLD=4 choices=0");
    (void)bench_trace(&b);
    cycles(&b, 10);
    cairn_unit_transaction_fail(b.unit);
    text = bench_trace(&b);
    assert_true(bench_order(text, "FAIL", "COMMIT", "CC", NULL));
    bench_end(&b);
}

static void test_reset(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    begin_inside(&b, "");
    (void)bench_trace(&b);
    cairn_unit_exception(b.unit, CAIRN_EXCEPTION_PE_RESET, 0, CAIRN_ISA_A64);
    code(&b, 0, 1);
    branch(&b, 4, 0x1000, TAKEN);
    text = bench_trace(&b);
    /* A PE Reset packet inside a transaction says as much: the decoder then shows the failure. */
    /* proves: R_QWGL */
    assert_int_equal(bench_count(text, "FAIL"), 1);
    /* proves: R_QWGL */
    assert_true(bench_find(text, "FAIL", 0) < bench_find(text, "EXC(PE_Reset)", 0));
    /* proves: R_WMXVM */
    assert_int_equal(bench_count(text, "START"), 0);
    bench_end(&b);
}

/* Where nobody sees the reset itself the PE is in no transaction behind it all the same. */
static void test_reset_unseen(void **state)
{
    struct bench b;

    (void)state;
    begin_inside(&b, "");
    cairn_unit_prohibit(b.unit, true);
    exception(&b, CAIRN_EXCEPTION_PE_RESET, 0);
    cairn_unit_prohibit(b.unit, false);
    (void)bench_trace(&b);
    loops(&b, 1);
    /* proves: R_MMCQD */
    assert_trace(&b, "ON ADDR(1004) E");
    bench_end(&b);

    begin_inside(&b, "");
    cairn_unit_disable(b.unit);
    exception(&b, CAIRN_EXCEPTION_PE_RESET, 0);
    cairn_unit_enable(b.unit);
    (void)bench_trace(&b);
    loops(&b, 1);
    /* proves: R_MMCQD */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n) ADDR(1004) E");
    bench_end(&b);

    /* An exception that is none for the transaction does not end it. */
    begin_inside(&b, "");
    cairn_unit_prohibit(b.unit, true);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x8000);
    cairn_unit_prohibit(b.unit, false);
    (void)bench_trace(&b);
    loops(&b, 1);
    /* proves: R_MMCQD */
    assert_trace(&b, "ON ADDR(1004) START E");
    bench_end(&b);
}

/* A cancelled TSTART takes its Transaction Start with it. */
static void test_cancelled(void **state)
{
    struct bench b;
    uint64_t before;

    (void)state;
    bench_begin(&b, "MAXSPEC=16 COMMTRANS=0");
    branch(&b, 0x2000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    speculate(&b);
    before = mark(&b);
    tstart(&b, 0x1000);
    loops(&b, 1);
    cancel(&b, before);
    branch(&b, 0x1000, 0x2000, TAKEN);
    resolve(&b, mark(&b));
    cairn_unit_flush(b.unit);
    /* E and START, and the E in it. */
    /* proves: R_TWNQP */
    assert_trace(&b, "E START E CANCEL(3) E COMMIT(1)");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commit),         cmocka_unit_test(test_fail),
        cmocka_unit_test(test_one_start_each), cmocka_unit_test(test_start_not_traced),
        cmocka_unit_test(test_trace_info),     cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_cut_short),      cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_failed_calls),   cmocka_unit_test(test_failed_q),
        cmocka_unit_test(test_failed_unseen),  cmocka_unit_test(test_failed_counts),
        cmocka_unit_test(test_reset),          cmocka_unit_test(test_reset_unseen),
        cmocka_unit_test(test_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
