/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace protocol synchronization: DDI0608 D1.9, D5.4, D6.9.1, D6.9.13. */
#include "bench.h"

/* The external input 0 as ETEEvent 0. */
#define EVENT_0 "TRCRSCTLR2=1 TRCEVENTCTL0R=2 TRCEVENTCTL1R=1 "

static void test_start(void **state)
{
    static const uint8_t sync[12] = {[11] = 0x80};
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x2000, TAKEN);
    text = bench_trace(&b);
    /* proves: R_QZRMQ, R_KKQGK, R_RGPTK */
    assert_string_equal(text, BEGIN("1000") " E");
    assert_true(b.size > sizeof(sync));
    /* proves: R_TTLJC, R_VRKLP */
    assert_memory_equal(b.bytes, sync, sizeof(sync));
    bench_end(&b);
}

/* Also when the unit is enabled again, and when it recovers from an overflow. */
static void test_becomes_operative(void **state)
{
    struct bench b;
    const char *text, *again;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x2000, TAKEN);
    cairn_unit_disable(b.unit);
    (void)bench_trace(&b);
    cairn_unit_enable(b.unit);
    branch(&b, 0x2000, 0x3000, TAKEN);
    /* proves: R_QZRMQ, R_KKQGK */
    assert_trace(&b, BEGIN("2000") " E");
    bench_end(&b);

    bench_begin(&b, "fifo=256 drain=16");
    for (unsigned i = 0; i < 100; i++)
        jump(&b, 0x100000 + 0x10010 * (uint64_t)i);
    cycles(&b, 100000);
    branch(&b, 0x900000, 0x2000, TAKEN);
    cairn_unit_disable(b.unit);
    text = bench_trace(&b);
    again = strstr(text, "OVERFLOW ");
    assert_non_null(again);
    /* proves: R_QZRMQ, R_KKQGK, R_TTLJC */
    assert_string_equal(again, "OVERFLOW SYNC INFO ON CTX(EL1n) ADDR(900000) E");
    bench_end(&b);
}

static void test_event_first(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, EVENT_0 ONLY("0x1000", "0x1fff"));
    cairn_unit_event(b.unit, 0);
    cycles(&b, 1);
    branch(&b, 0x8000, 0x1000, TAKEN);
    branch(&b, 0x1000, 0x2000, TAKEN);
    /* Whether an Event stands before or behind the Trace Info is free; nothing else does. */
    /* proves: R_HMDGL, R_TTLJC */
    assert_true(strcmp(bench_trace(&b), "SYNC EV0 INFO ON CTX(EL1n) ADDR(1000) E") == 0 ||
                strcmp(bench_from_last_sync(&b), "SYNC INFO EV0 ON CTX(EL1n) ADDR(1000) E") == 0);
    bench_end(&b);
}

static void test_request_while_inactive(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, ONLY("0x1000", "0x1fff"));
    branch(&b, 0x1000, 0x8000, TAKEN);
    (void)bench_trace(&b);
    code(&b, 0x8000, 1);
    cairn_unit_request_sync(b.unit);
    for (unsigned i = 0; i < 250; i++) {
        cycles(&b, 4);
        branch(&b, 0x8004, 0x8004, TAKEN);
    }
    /* proves: I_MQNB */
    assert_trace(&b, "");
    branch(&b, 0x8004, 0x1004, TAKEN);
    branch(&b, 0x1004, 0x1000, TAKEN);
    /* proves: I_MQNB, R_DLPYX */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n) ADDR(1004) E");
    bench_end(&b);
}

static void test_request_then_event(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, EVENT_0 ONLY("0x1000", "0x1fff"));
    branch(&b, 0x1000, 0x8000, TAKEN);
    code(&b, 0x8000, 1);
    (void)bench_trace(&b);
    cairn_unit_request_sync(b.unit);
    code(&b, 0x8004, 1);
    cairn_unit_event(b.unit, 0);
    cycles(&b, 1);
    code(&b, 0x8008, 1);
    text = bench_trace(&b);
    /* proves: I_MQNB */
    assert_true(strcmp(text, "SYNC INFO EV0") == 0 || strcmp(text, "SYNC EV0 INFO") == 0 ||
                strcmp(text, "SYNC EV0") == 0);
    branch(&b, 0x800c, 0x1004, TAKEN);
    branch(&b, 0x1004, 0x1000, TAKEN);
    text = bench_from_last_sync(&b);
    /* proves: R_DLPYX */
    assert_true(bench_find(text, "INFO", 0) < bench_find(text, "ON", 0) &&
                strstr(text, " ON CTX(EL1n) ADDR(1004) E") != NULL);
    bench_end(&b);
}

/* TRCSYNCPR: every 256 bytes. */
static void test_periodic_by_bytes(void **state)
{
    struct bench b;
    const char *text;
    size_t syncs;

    (void)state;
    bench_begin(&b, "TRCSYNCPR=8");
    jump(&b, 0x1000);
    for (unsigned i = 0; i < 1000; i++)
        jump(&b, 0x10000 + 0x1004 * (uint64_t)(i * 7 % 64));
    text = bench_trace(&b);
    syncs = bench_count(text, "SYNC");
    /* Not later than it should: each stretch has 256 bytes and the synchronization itself. */
    /* proves: R_QHHSY */
    assert_in_range(syncs, b.size / 320, b.size / 256 + 1);
    /* proves: R_VMPYW, R_TFQRM, R_PGHPW */
    assert_int_equal(bench_count(text, "SYNC INFO "), syncs);
    assert_int_equal(bench_count(text, "INFO"), syncs);
    /* proves: R_PGHPW */
    assert_int_equal(bench_count(text, "INFO CTX(EL1n) ADDR(") + 1, syncs);
    bench_end(&b);

    /* Atoms alone. */
    bench_begin(&b, "TRCSYNCPR=8");
    for (unsigned i = 0; i < 3000; i++) {
        branch(&b, 0x1000, 0x2000, NOT_TAKEN);
        branch(&b, 0x1004, 0x1000, TAKEN);
        branch(&b, 0x1000, 0x1000, TAKEN);
    }
    text = bench_trace(&b);
    /* proves: R_QHHSY */
    assert_in_range(bench_count(text, "SYNC"), b.size / 320, b.size / 256 + 1);
    assert_true(b.size > 1024);
    bench_end(&b);

    bench_begin(&b, "TRCSYNCPR=0");
    for (unsigned i = 0; i < 1000; i++)
        jump(&b, 0x10000 + 0x1004 * (uint64_t)(i * 7 % 64));
    /* proves: R_QHHSY */
    assert_int_equal(bench_count(bench_trace(&b), "SYNC"), 1);
    bench_end(&b);
}

static void test_requests(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    for (unsigned i = 0; i < 3; i++) {
        cairn_unit_request_sync(b.unit);
        branch(&b, 0x1000, 0x1000, TAKEN);
        branch(&b, 0x1000, 0x1000, TAKEN);
    }
    text = bench_trace(&b);
    /* proves: R_TFQRM, R_QHHSY, R_VMPYW */
    assert_string_equal(text,
                        "SYNC INFO CTX(EL1n) ADDR(1000) E E SYNC INFO CTX(EL1n) ADDR(1000) E E"
                        " SYNC INFO CTX(EL1n) ADDR(1000) E E");
    bench_end(&b);
}

/* Requests with nothing traced in between. */
static void test_idle_requests(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    cairn_unit_request_sync(b.unit);
    (void)cairn_unit_position(b.unit);
    cairn_unit_request_sync(b.unit);
    branch(&b, 0x1000, 0x1000, NOT_TAKEN);
    text = bench_trace(&b);
    /* proves: I_QYQRY */
    assert_int_equal(bench_count(text, "SYNC"), 1);
    bench_end(&b);

    bench_begin(&b, ONLY("0x1000", "0x1fff"));
    branch(&b, 0x1000, 0x8000, TAKEN);
    code(&b, 0x8000, 1);
    (void)bench_trace(&b);
    cairn_unit_request_sync(b.unit);
    code(&b, 0x8004, 1);
    cairn_unit_request_sync(b.unit);
    branch(&b, 0x8008, 0x1004, TAKEN);
    branch(&b, 0x1004, 0x1000, TAKEN);
    /* proves: I_NQYXW, I_QYQRY, R_DLPYX */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n) ADDR(1004) E");
    bench_end(&b);
}

/* Behind a P0 element whose target has blocks already executed: the address is the target, not
 * where the PE is. A decoder that begins there finds the same. */
static void test_target_of_youngest(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "");
    jump(&b, 0x1000);
    code(&b, 0x4000, 2);
    (void)bench_trace(&b);
    cairn_unit_request_sync(b.unit);
    code(&b, 0x4008, 2);
    branch(&b, 0x4010, 0x5000, TAKEN);
    text = bench_from_last_sync(&b);
    /* proves: R_SVGNN, R_MDTYL */
    assert_string_equal(text, "SYNC INFO CTX(EL1n) ADDR(4000) E");
    bench_end(&b);

    bench_begin(&b, "");
    code(&b, 0x1000, 1);
    branch(&b, 0x1004, 0x4000, TAKEN); /* direct */
    code(&b, 0x4000, 2);
    code(&b, 0x4008, 2);
    code(&b, 0x4010, 2);
    cairn_unit_request_sync(b.unit);
    branch(&b, 0x4018, 0x5000, TAKEN);
    /* proves: R_SVGNN, R_MDTYL */
    assert_trace(&b, BEGIN("1000") " E SYNC INFO CTX(EL1n) ADDR(4000) E");
    bench_end(&b);

    bench_begin(&b, "MAXSPEC=8");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    {
        uint64_t before = mark(&b);

        branch(&b, 0x2000, 0x3000, TAKEN);
        cancel(&b, before);
    }
    cairn_unit_request_sync(b.unit);
    branch(&b, 0x2000, 0x4000, NOT_TAKEN);
    /* proves: R_SVGNN */
    assert_string_equal(bench_from_last_sync(&b), "SYNC INFO(SPEC=1) CTX(EL1n) ADDR(2000) N");
    bench_end(&b);
}

static void test_low_power(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "WFXMODE=1");
    wfi(&b, 0x1000, TAKEN);
    cairn_unit_low_power(b.unit, true);
    (void)bench_trace(&b);
    cairn_unit_request_sync(b.unit);
    cycles(&b, 100);
    (void)bench_trace(&b);
    cairn_unit_low_power(b.unit, false);
    branch(&b, 0x1004, 0x2000, TAKEN);
    /* proves: R_XTBQX */
    assert_string_equal(bench_from_last_sync(&b), "SYNC INFO CTX(EL1n) ADDR(1004) E");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_becomes_operative),
        cmocka_unit_test(test_event_first),
        cmocka_unit_test(test_request_while_inactive),
        cmocka_unit_test(test_request_then_event),
        cmocka_unit_test(test_periodic_by_bytes),
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_idle_requests),
        cmocka_unit_test(test_target_of_youngest),
        cmocka_unit_test(test_low_power),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
