/* SPDX-License-Identifier: BSD-2-Clause */
/* Low-power state, and TSB CSYNC in a Prohibited region: DDI0608 D6.2.6, D6.6. */
#include "bench.h"

#define EVENT_0 "TRCRSCTLR2=1 TRCEVENTCTL0R=2 TRCEVENTCTL1R=1 "
/* The same, with Low-power Override Mode. */
#define EVENT_0_OVERRIDE "TRCRSCTLR2=1 TRCEVENTCTL0R=2 TRCEVENTCTL1R=0x1001 "
/* Execution at TRCACVR2 as ETEEvent 0. */
#define EVENT_AT_2 "TRCRSCTLR2=0x40004 TRCEVENTCTL0R=2 TRCEVENTCTL1R=1 TRCACVR2=0x1000 "

#define SSSTATUS 0x200u /* TRCVICTLR */

static void sleep_and_wake(struct bench *b)
{
    cairn_unit_low_power(b->unit, true);
    cycles(b, 100);
    cairn_unit_low_power(b->unit, false);
    cycles(b, 5);
}

/* What came just before the unit went to sleep is not lost. */
static void test_events_in_transit(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, EVENT_0);
    cycles(&b, 1);
    cairn_unit_event(b.unit, 0);
    sleep_and_wake(&b);
    /* proves: R_KQVNN */
    assert_int_equal(bench_count(bench_trace(&b), "EV0"), 1);
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 1);
    cairn_unit_low_power(b.unit, true);
    cairn_unit_inputs(b.unit, 0);
    cairn_unit_low_power(b.unit, false);
    cycles(&b, 5);
    /* proves: R_KQVNN */
    assert_trace(&b, "EV0");
    bench_end(&b);

    bench_begin(&b, EVENT_AT_2);
    code(&b, 0x1000, 1);
    sleep_and_wake(&b);
    /* proves: R_KQVNN */
    assert_int_equal(bench_count(bench_trace(&b), "EV0"), 1);
    bench_end(&b);
}

/* Resources are at rest all the time that the unit is in low-power state, not before and not after.
 */
static void test_paused(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, EVENT_0);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 2);
    cairn_unit_low_power(b.unit, true);
    cycles(&b, 50);
    /* proves: R_RGFJY, R_LBDSM */
    assert_trace(&b, "EV0 EV0");
    cairn_unit_low_power(b.unit, false);
    cycles(&b, 2);
    /* proves: R_RGFJY */
    assert_trace(&b, "EV0 EV0");
    bench_end(&b);
}

/* Nor is it when a Prohibited region begins. */
static void test_events_before_region(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, EVENT_AT_2);
    code(&b, 0x1000, 1);
    cairn_unit_prohibit(b.unit, true);
    cycles(&b, 100);
    cairn_unit_prohibit(b.unit, false);
    cycles(&b, 5);
    /* proves: I_LGWRK */
    assert_int_equal(bench_count(bench_trace(&b), "EV0"), 1);
    bench_end(&b);
}

static void test_silence(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TS CCI WFXMODE=1 " EVENT_0);
    at_time(&b, 10);
    branch(&b, 0x1000, 0x1004, TAKEN);
    wfi(&b, 0x1004, TAKEN);
    cairn_unit_low_power(b.unit, true);
    (void)bench_trace(&b);
    cairn_unit_inputs(b.unit, 1);
    cairn_unit_event(b.unit, 0);
    cycles(&b, 10000);
    at_time(&b, 20);
    cairn_unit_request_sync(b.unit);
    cairn_unit_flush(b.unit);
    /* proves: R_LBDSM */
    assert_trace(&b, "");
    bench_end(&b);
}

/* The Atom of the WFI and the Commits that were held back are out when the PE sleeps. */
static void test_wfi(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "MAXSPEC=8 choices=0 WFXMODE=1");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    wfi(&b, 0x2000, TAKEN);
    resolve(&b, mark(&b));
    assert_trace(&b, BEGIN("1000") " E E");
    cairn_unit_low_power(b.unit, true);
    /* proves: I_MXHHN */
    assert_trace(&b, "COMMIT(2)");
    cairn_unit_low_power(b.unit, false);
    branch(&b, 0x2004, 0x3000, TAKEN);
    /* proves: I_ZVDSF */
    assert_trace(&b, "E");
    bench_end(&b);
}

static void test_resources_kept(void **state)
{
    struct bench b;

    (void)state;
    /* A start point at 0x1000, none behind. */
    bench_begin(&b, "TRCVICTLR=1 TRCACVR0=0x1000 TRCVISSCTLR=1");
    code(&b, 0x0ff8, 2);
    branch(&b, 0x1000, 0x2000, TAKEN);
    assert_int_equal(read_register(&b, "TRCVICTLR") & SSSTATUS, SSSTATUS);
    cairn_unit_low_power(b.unit, true);
    cycles(&b, 1000);
    /* proves: R_MFBDT */
    assert_int_equal(read_register(&b, "TRCVICTLR") & SSSTATUS, SSSTATUS);
    cairn_unit_low_power(b.unit, false);
    branch(&b, 0x2000, 0x3000, TAKEN);
    /* proves: R_MFBDT, I_ZVDSF */
    assert_trace(&b, BEGIN("1000") " E E");
    bench_end(&b);
}

static void test_override(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, EVENT_0_OVERRIDE);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    cairn_unit_low_power(b.unit, true);
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 3);
    cairn_unit_inputs(b.unit, 0);
    /* proves: R_VHSFL */
    assert_trace(&b, "EV0 EV0 EV0");
    bench_end(&b);
}

/* --- TSB CSYNC: the feed flushes in a Prohibited region --- */

static void tsb_csync(struct bench *b)
{
    cairn_unit_prohibit(b->unit, true);
    cairn_unit_flush(b->unit);
}

static void test_silence_behind_tsb(void **state)
{
    struct bench b;
    size_t written;

    (void)state;
    bench_begin(&b, "TS CCI MAXSPEC=8 choices=0 " EVENT_0);
    at_time(&b, 100);
    branch(&b, 0x1000, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x3000, NOT_TAKEN);
    tsb_csync(&b);
    written = b.size;
    at_time(&b, 200);
    cycles(&b, 1000);
    branch(&b, 0x8000, 0x9000, TAKEN);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x9000);
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 10);
    cairn_unit_inputs(b.unit, 0);
    cairn_unit_request_sync(b.unit);
    (void)bench_trace(&b);
    /* proves: R_XLVQM, D16.31 */
    assert_int_equal(b.size, written);
    cairn_unit_flush(b.unit);
    /* proves: R_XLVQM */
    assert_trace(&b, "");
    bench_end(&b);
}

/* All that belongs to the instructions before is there, and only whole packets. */
static void test_complete_at_tsb(void **state)
{
    struct bench b;
    const char *text;
    size_t written;

    (void)state;
    bench_begin(&b, "TS CCI MAXSPEC=8 choices=0 THRESHOLD=4");
    speculate(&b);
    at_time(&b, 100);
    branch(&b, 0x1000, 0x2000, TAKEN);
    cycles(&b, 50);
    at_time(&b, 0x123456789a);
    for (unsigned i = 0; i < 6; i++)
        branch(&b, 0x2000, 0x2000, TAKEN);
    resolve(&b, mark(&b));
    tsb_csync(&b);
    written = b.size;
    text = bench_trace(&b);
    /* proves: R_WBQRN */
    assert_int_equal(b.size, written);
    /* Atoms, their Commits with a Cycle Count, and the Timestamp that a Trace Info asks for. */
    /* proves: R_WBQRN */
    assert_true(bench_count(text, "E") == 7 && bench_count(text, "CC(") == 1 &&
                bench_count(text, "TS(") >= 1 && strstr(text, "COMMIT") != NULL);
    /* proves: I_CZLXW */
    assert_int_equal(bench_count(text, "BROKEN"), 0);
    cairn_unit_speculate(b.unit, false);
    bench_end(&b);
}

/* A System register that changes behind TSB CSYNC does not change what was traced before. */
static void test_register_behind_tsb(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "CID VMID");
    b.context.vmid = 1;
    context_id(&b, 0x11);
    branch(&b, 0x1000, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x3000, NOT_TAKEN);
    tsb_csync(&b);
    b.context.vmid = 2;
    context_id(&b, 0x22);
    /* proves: R_QHTYC */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,cid=17,vmid=1) ADDR(1000) E N");
    cairn_unit_prohibit(b.unit, false);
    branch(&b, 0x4000, 0x5000, TAKEN);
    /* proves: R_QHTYC */
    assert_trace(&b, "ON CTX(EL1n,cid=34,vmid=2) ADDR(4000) E");
    bench_end(&b);
}

/* TSB CSYNC asks for a Timestamp, which waits for the end of the region. */
static void test_timestamp_of_tsb(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "TS");
    at_time(&b, 100);
    branch(&b, 0x1000, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x3000, TAKEN);
    assert_int_equal(bench_count(bench_trace(&b), "TS(100)"), 1);
    at_time(&b, 200);
    tsb_csync(&b);
    assert_trace(&b, "");
    cairn_unit_prohibit(b.unit, false);
    at_time(&b, 300);
    branch(&b, 0x4000, 0x5000, TAKEN);
    branch(&b, 0x5000, 0x6000, TAKEN);
    text = bench_trace(&b);
    /* proves: D16.25 */
    assert_int_equal(bench_count(text, "TS("), 1);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_in_transit),
        cmocka_unit_test(test_paused),
        cmocka_unit_test(test_events_before_region),
        cmocka_unit_test(test_silence),
        cmocka_unit_test(test_wfi),
        cmocka_unit_test(test_resources_kept),
        cmocka_unit_test(test_override),
        cmocka_unit_test(test_silence_behind_tsb),
        cmocka_unit_test(test_complete_at_tsb),
        cmocka_unit_test(test_register_behind_tsb),
        cmocka_unit_test(test_timestamp_of_tsb),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
