/* SPDX-License-Identifier: BSD-2-Clause */
/* What is resolved, waits or is taken back, where several rules meet (DDI0608 D1.10, D6.7, D6.9).
 */
#include "conformance/bench.h"

/* A PE Reset in a transaction: the Discard leaves no P0 element to a decoder that has not committed
 * it, and none to be committed. What was executed before it is committed in front of it. */
static void discard_at_reset(void **unused)
{
    struct bench b;
    const char *trace;

    (void)unused;
    bench_begin(&b, "MAXSPEC=8 COMMTRANS=1 choices=0");
    branch(&b, 0x1000, 0x2000, TAKEN);
    tstart(&b, 0x2000);
    branch(&b, 0x2004, 0x3000, TAKEN);
    exception(&b, CAIRN_EXCEPTION_PE_RESET, 0);
    branch(&b, 0x0, 0x3000, TAKEN);
    cairn_unit_flush(b.unit);
    trace = bench_trace(&b);
    /* proves: R_ONLYJ, R_NSMJF */
    assert_true(bench_order(trace, "START", "E", "COMMIT(3)", "DISCARD", NULL));
    /* proves: R_CTYFK */
    assert_true(bench_order(trace, "DISCARD", "EXC(PE_Reset)", "E", "COMMIT(2)", NULL));
    /* An analyzer that came to the Discard is not synchronized (D9.5.13). */
    assert_true(bench_order(trace, "DISCARD", "CTX(EL1n)", "ADDR(0)", "E", NULL));
    bench_end(&b);
}

/* An ISB that filtering leaves out is a Context synchronization event all the same. */
static void filtered_synchronization(void **unused)
{
    struct bench b;

    (void)unused;
    bench_begin(&b, "MAXSPEC=8 COMMTRANS=1 " ONLY("0x2000", "0x2ffc"));
    speculate(&b);
    isb(&b, 0x1000, TAKEN);
    branch(&b, 0x1004, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x2000, TAKEN);
    /* proves: R_QHQLY */
    assert_trace(&b, "");
    resolve(&b, mark(&b));
    assert_trace(&b, BEGIN("2000") " E COMMIT(1)");
    bench_end(&b);
}

/* One that was mispredicted lets what comes behind it go. */
static void filtered_synchronization_mispredicted(void **unused)
{
    struct bench b;

    (void)unused;
    bench_begin(&b, "MAXSPEC=8 COMMTRANS=1 " ONLY("0x2000", "0x2ffc"));
    speculate(&b);
    isb(&b, 0x1ffc, TAKEN);
    mispredict(&b);
    branch(&b, 0x2000, 0x2000, TAKEN);
    assert_trace(&b, BEGIN("2000") " E");
    bench_end(&b);
}

/* Neither does ViewInst say which exception returns and ISBs request timestamps. */
static void filtered_timestamp(void **unused)
{
    struct bench b;

    (void)unused;
    bench_begin(&b, "TS TSMARK=0 " ONLY("0x2000", "0x2ffc"));
    at_time(&b, 5);
    branch(&b, 0x2000, 0x1000, TAKEN);
    assert_trace(&b, BEGIN("2000") " E TS(5)");
    eret(&b, 0x1000);
    at_time(&b, 9);
    branch(&b, 0x2000, 0x1000, TAKEN);
    /* proves: R_NGXNQ, R_YYWTR */
    assert_trace(&b, "ON ADDR(2000) E TS(9)");
    isb(&b, 0x1000, TAKEN);
    branch(&b, 0x1004, 0x2000, TAKEN);
    at_time(&b, 12);
    branch(&b, 0x2000, 0x1000, TAKEN);
    assert_trace(&b, "ON ADDR(2000) E TS(12)");
    bench_end(&b);
}

/* Where so much is unresolved that the unit gives up keeping it, it refuses a Cancel into what was given
 * up; the state that is told then leads back. */
static void cancel_into_what_was_given_up(void **unused)
{
    struct bench b;
    uint64_t before;
    const char *trace;

    (void)unused;
    bench_begin(&b, "MAXSPEC=8 COMMTRANS=1 CID");
    context_id(&b, 1);
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    resolve(&b, mark(&b));
    before = mark(&b);
    branch(&b, 0x2000, 0x2000, TAKEN);
    context_id(&b, 2);
    for (unsigned i = 0; i < 40000; i++)
        branch(&b, 0x2000, 0x2000, TAKEN);
    (void)bench_trace(&b);
    assert_int_equal(cairn_unit_cancel(b.unit, before), CAIRN_E_LIMIT);
    context_id(&b, 1);
    branch(&b, 0x2000, 0x3000, TAKEN);
    branch(&b, 0x3000, 0x3000, TAKEN);
    resolve(&b, mark(&b));
    cairn_unit_request_sync(b.unit);
    branch(&b, 0x3000, 0x3000, TAKEN);
    resolve(&b, mark(&b));
    trace = bench_from_last_sync(&b);
    /* proves: R_BDFDQ */
    assert_true(bench_order(trace, "CTX(EL1n,cid=1)", "ADDR(3000)", "E", NULL));
    assert_int_equal(bench_count(trace, "CTX(EL1n,cid=2)"), 0);
    bench_end(&b);
}

/* The same out of a Trace Prohibited region that was never entered. */
static void cancel_out_of_a_prohibited_region(void **unused)
{
    struct bench b;
    uint64_t before;
    const char *trace;

    (void)unused;
    bench_begin(&b, "MAXSPEC=8 COMMTRANS=1");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    resolve(&b, mark(&b));
    before = mark(&b);
    branch(&b, 0x2000, 0x2000, TAKEN);
    cairn_unit_prohibit(b.unit, true);
    for (unsigned i = 0; i < 40000; i++)
        branch(&b, 0x2000, 0x2000, TAKEN);
    (void)bench_trace(&b);
    assert_int_equal(cairn_unit_cancel(b.unit, before), CAIRN_E_LIMIT);
    cairn_unit_prohibit(b.unit, false);
    branch(&b, 0x2000, 0x3000, TAKEN);
    branch(&b, 0x3000, 0x3000, TAKEN);
    resolve(&b, mark(&b));
    trace = bench_trace(&b);
    /* proves: R_KBFFQ */
    assert_true(bench_order(trace, "OVERFLOW", "ON", "ADDR(2000)", "E", "E", NULL));
    bench_end(&b);
}

/* Instructions between the youngest P0 element and what was cancelled: no P0 element, a PE Reset's
 * neither, comes before the Exception that tells of them. */
static void landing_before_reset(void **unused)
{
    struct bench b;
    uint64_t before;

    (void)unused;
    bench_begin(&b, "MAXSPEC=8 COMMTRANS=1");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 3);
    before = mark(&b);
    branch(&b, 0x200c, 0x3000, TAKEN);
    cancel(&b, before);
    exception(&b, CAIRN_EXCEPTION_PE_RESET, 0);
    /* proves: R_KDVTX */
    assert_true(bench_order(bench_trace(&b), "CANCEL(1)", "EXC(IMPLEMENTATION_DEFINED_0,200c)",
                            "EXC(PE_Reset)", NULL));
    bench_end(&b);
}

static void landing_before_prohibited_region(void **unused)
{
    struct bench b;
    uint64_t before;

    (void)unused;
    bench_begin(&b, "MAXSPEC=8 COMMTRANS=1");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 3);
    before = mark(&b);
    branch(&b, 0x200c, 0x3000, TAKEN);
    cancel(&b, before);
    cairn_unit_prohibit(b.unit, true);
    cairn_unit_prohibit(b.unit, false);
    resolve(&b, mark(&b));
    branch(&b, 0x9000, 0x3000, TAKEN);
    /* proves: R_KDVTX */
    assert_true(bench_order(bench_trace(&b), "CANCEL(1)", "EXC(IMPLEMENTATION_DEFINED_0,200c)",
                            "ON", "E", NULL));
    bench_end(&b);
}

/* In a transaction the Exception belongs into it: behind the Failure there is no address to walk
 * from, and nothing was executed. */
static void landing_in_transaction(void **unused)
{
    struct bench b;
    uint64_t before;

    (void)unused;
    bench_begin(&b, "MAXSPEC=8 COMMTRANS=1");
    speculate(&b);
    tstart(&b, 0x2000);
    branch(&b, 0x2004, 0x3000, TAKEN);
    code(&b, 0x3000, 3);
    before = mark(&b);
    branch(&b, 0x300c, 0x3000, TAKEN);
    cancel(&b, before);
    cairn_unit_prohibit(b.unit, true);
    resolve(&b, mark(&b));
    /* proves: R_KDVTX, R_XQSPC */
    assert_true(bench_order(bench_trace(&b), "START", "E", "CANCEL(1)",
                            "EXC(IMPLEMENTATION_DEFINED_0,300c)", "FAIL", NULL));
    bench_end(&b);
}

/* Mis-speculation may lead back behind the unit's being disabled and enabled again. */
static void cancel_across_sessions(void **unused)
{
    struct bench b;
    uint64_t before;

    (void)unused;
    bench_begin(&b, "MAXSPEC=8 COMMTRANS=1 CID");
    context_id(&b, 1);
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    resolve(&b, mark(&b));
    before = mark(&b);
    context_id(&b, 2);
    branch(&b, 0x2000, 0x3000, TAKEN);
    cairn_unit_disable(b.unit);
    cairn_unit_enable(b.unit);
    branch(&b, 0x3000, 0x4000, TAKEN);
    assert_non_null(strstr(bench_trace(&b), "CTX(EL1n,cid=2) ADDR(3000) E"));
    cancel(&b, before);
    branch(&b, 0x2000, 0x5000, TAKEN);
    resolve(&b, mark(&b));
    /* proves: R_HYCXR, R_BDFDQ */
    assert_true(bench_order(bench_trace(&b), "CANCEL(1)", "CTX(EL1n,cid=1)", "ADDR(2000)", "E",
                            "COMMIT(1)", NULL));
    bench_end(&b);
}

/* What survived a Cancel and no P0 element told is of no use where the unit was enabled anew: its trace begins
 * with the block that comes. */
static void landing_of_another_session(void **unused)
{
    struct bench b;
    uint64_t before;

    (void)unused;
    bench_begin(&b, "MAXSPEC=8 COMMTRANS=1");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 3);
    before = mark(&b);
    branch(&b, 0x200c, 0x3000, TAKEN);
    cancel(&b, before);
    cairn_unit_synchronize_context(b.unit);
    cairn_unit_disable(b.unit);
    cairn_unit_enable(b.unit);
    (void)bench_trace(&b);
    cancel(&b, before);
    branch(&b, 0x200c, 0x3000, TAKEN);
    resolve(&b, mark(&b));
    /* proves: R_KDVTX */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n) ADDR(200c) E COMMIT(1)");
    bench_end(&b);
}

/* A transaction that goes on where mis-speculation leads back behind the unit's being disabled and
 * enabled: what comes then has to tell of it, too. */
static void transaction_across_sessions(void **unused)
{
    struct bench b;
    uint64_t before;

    (void)unused;
    bench_begin(&b, "MAXSPEC=8 COMMTRANS=0");
    speculate(&b);
    tstart(&b, 0x1000);
    branch(&b, 0x1004, 0x1004, TAKEN);
    resolve(&b, mark(&b));
    before = mark(&b);
    branch(&b, 0x1004, 0x2000, TAKEN);
    cairn_unit_disable(b.unit);
    cairn_unit_enable(b.unit);
    branch(&b, 0x2000, 0x3000, TAKEN);
    (void)bench_trace(&b);
    cancel(&b, before);
    branch(&b, 0x1004, 0x1008, NOT_TAKEN);
    resolve(&b, mark(&b));
    /* proves: R_WXTQS, R_MMCQD */
    assert_true(bench_order(bench_trace(&b), "CANCEL(2)", "START", "N", "COMMIT(2)", NULL));
    bench_end(&b);
}

/* An overflow while a Cancel waits for the end of low-power state: a decoder has a P0 element that nobody
 * resolves any more, and a Discard says so, though it be the only one. */
static void overflow_before_cancel(void **unused)
{
    (void)unused;
    for (unsigned cancelled = 0; cancelled < 3; cancelled++) {
        struct bench b;
        uint64_t before;
        const char *trace;

        bench_begin(&b, "MAXSPEC=8 COMMTRANS=1");
        speculate(&b);
        before = mark(&b);
        code(&b, 0x1000, 1);
        for (unsigned i = 0; i < cancelled; i++)
            branch(&b, 0x1004, 0x1004, TAKEN);
        cairn_unit_low_power(b.unit, true);
        cancel(&b, before);
        for (uint32_t i = 0; i < 20000; i++) /* more than can be taken back */
            context_id(&b, i);
        (void)bench_seen(&b);
        cairn_unit_low_power(b.unit, false);
        trace = bench_seen(&b);
        assert_int_equal(bench_count(trace, "DISCARD"), cancelled > 0);
        assert_int_equal(bench_count(trace, "OVERFLOW"), 1);
        bench_end(&b);
    }
}

/* A Cancel takes execution back to behind an N Atom that was left out. Given after all, it tells all that
 * survived; where something was executed behind it, an Exception has to (R_KDVTX). */
static void cancel_behind_omitted(void **unused)
{
    (void)unused;
    for (unsigned more = 0; more < 3; more++) {
        const unsigned landing = 0x2004 + 4 * more;
        char expected[128];
        struct bench b;
        uint64_t before;

        bench_begin(&b, "MAXSPEC=8 COMMTRANS=1 choices=3");
        speculate(&b);
        branch(&b, 0x1000, 0x2000, TAKEN);
        branch(&b, 0x2000, 0x1000, NOT_TAKEN);
        for (unsigned i = 0; i < more; i++)
            code(&b, 0x2004 + 4 * i, 1);
        before = mark(&b);
        branch(&b, landing, 0x3000, TAKEN);
        cancel(&b, before);
        cairn_unit_flush(b.unit);
        snprintf(expected, sizeof expected, BEGIN("1000") " E SRC(%x) CANCEL(1) N", landing);
        assert_trace(&b, expected);
        branch(&b, landing, 0x3000, TAKEN);
        resolve(&b, mark(&b));
        snprintf(expected, sizeof expected, "EXC(IMPLEMENTATION_DEFINED_0,%x) ADDR(%x) E COMMIT(4)",
                 landing, landing);
        /* proves: R_KDVTX */
        assert_trace(&b, more ? expected : "E COMMIT(3)");
        bench_end(&b);
    }
}

static void tell_context(struct bench *b)
{
    context_id(b, 5);
}

static void tell_synchronization(struct bench *b)
{
    cairn_unit_synchronize_context(b->unit);
}

static void tell_prohibited(struct bench *b)
{
    cairn_unit_prohibit(b->unit, true);
}

static void tell_debug(struct bench *b)
{
    cairn_unit_debug_state(b->unit, true);
}

static void tell_exception(struct bench *b)
{
    exception(b, CAIRN_EXCEPTION_IRQ, 0x2000);
}

static void tell_start(struct bench *b)
{
    cairn_unit_transaction_start(b->unit);
}

static void tell_commit(struct bench *b)
{
    cairn_unit_transaction_commit(b->unit);
}

static void tell_failure(struct bench *b)
{
    cairn_unit_transaction_fail(b->unit);
}

static void tell_block(struct bench *b)
{
    code(b, 0x2000, 1);
}

/* Whatever is told behind a P0 instruction, this is corrected no more (<cairn/unit.h>), and a mark stands behind
 * it that is another one; a Cancel to the mark before it leads back. */
static void all_is_told(void **unused)
{
    static void (*const tell[])(struct bench *) = {
        tell_context, tell_synchronization, tell_prohibited, tell_debug, tell_exception,
        tell_start,   tell_commit,          tell_failure,    tell_block,
    };

    (void)unused;
    for (size_t i = 0; i < sizeof tell / sizeof tell[0]; i++) {
        struct bench b;
        uint64_t before;

        bench_begin(&b, "MAXSPEC=8 COMMTRANS=1");
        speculate(&b);
        branch(&b, 0x1000, 0x2000, TAKEN);
        before = mark(&b);
        tell[i](&b);
        assert_int_equal(mark(&b), before + 1);
        assert_int_equal(cairn_unit_mispredict(b.unit), CAIRN_E_ARGUMENT);
        cancel(&b, before);
        assert_int_equal(mark(&b), before);
        b.context.context_id = 0;
        branch(&b, 0x2000, 0x3000, TAKEN);
        resolve(&b, mark(&b));
        cairn_unit_flush(b.unit);
        assert_string_equal(bench_resolved_from_last_sync(&b), "INFO ON CTX(EL1n) ADDR(1000) E E");
        bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discard_at_reset),
        cmocka_unit_test(filtered_synchronization),
        cmocka_unit_test(filtered_synchronization_mispredicted),
        cmocka_unit_test(filtered_timestamp),
        cmocka_unit_test(cancel_into_what_was_given_up),
        cmocka_unit_test(cancel_out_of_a_prohibited_region),
        cmocka_unit_test(landing_before_reset),
        cmocka_unit_test(landing_before_prohibited_region),
        cmocka_unit_test(landing_in_transaction),
        cmocka_unit_test(cancel_across_sessions),
        cmocka_unit_test(landing_of_another_session),
        cmocka_unit_test(transaction_across_sessions),
        cmocka_unit_test(overflow_before_cancel),
        cmocka_unit_test(cancel_behind_omitted),
        cmocka_unit_test(all_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
