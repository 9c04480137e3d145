/* SPDX-License-Identifier: BSD-2-Clause */
/* Timestamp and Timestamp Marker elements: DDI0608 D2.4, D6.9.16, D6.11.5. Where the text leaves
 * open when a requested Timestamp comes, a test gives it time and a P0 element or two. */
#include "bench.h"

#include <stdlib.h>

/* External input 0 is the timestamp resource event. */
#define ON_INPUT "TRCTSCTLR=2 TRCRSCTLR2=1 "

static void pulse(struct bench *b)
{
    cairn_unit_inputs(b->unit, 1);
    cycles(b, 1);
    cairn_unit_inputs(b->unit, 0);
    cycles(b, 1);
}

/* Atoms at 0x1000 until whatever is pending is told; what came. */
static const char *settle(struct bench *b)
{
    for (unsigned i = 0; i < 4; i++)
        branch(b, 0x1000, 0x1000, TAKEN);
    return bench_trace(b);
}

static void begin(struct bench *b, const char *text)
{
    bench_begin(b, text);
    at_time(b, 50);
    (void)settle(b);
}

/* --- values --- */

#define STEPS 300

/* Checks each Timestamp of the trace: the i-th P0 or Event element happened at times[i]. Returns
 * how many were wrong; *markers is how many had a marker in front since the one before. */
static unsigned wrong_values(const char *trace, const uint64_t *times, bool with_markers,
                             unsigned *count, unsigned *markers)
{
    char *text = strdup(trace), *save;
    uint64_t last = 0, marked = 0;
    bool has_marker = false;
    unsigned wrong = 0;
    size_t next = 0;

    *count = 0;
    *markers = 0;
    for (char *w = strtok_r(text, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
        if (strcmp(w, "E") == 0 || strcmp(w, "N") == 0 || strncmp(w, "EXC", 3) == 0 ||
            strncmp(w, "EV", 2) == 0) {
            last = times[next++];
        } else if (strcmp(w, "MARK") == 0) {
            marked = last;
            has_marker = true;
        } else if (strncmp(w, "TS(", 3) == 0) {
            uint64_t expected = with_markers && has_marker ? marked : last;

            (*count)++;
            *markers += has_marker;
            wrong += strtoull(w + 3, NULL, 10) != expected;
            has_marker = false;
        }
    }
    free(text);
    return wrong;
}

/* Every P0 element at a time of its own, code that takes time between, and requests of all kinds.
 */
static void run_times(struct bench *b, uint64_t *times, unsigned seed)
{
    size_t told = 0;

    for (unsigned i = 0; i < STEPS; i++) {
        seed = seed * 1103515245 + 12345;
        at_time(b, times[told++] = 1000 + 10 * (uint64_t)i);
        if (seed >> 16 & 1)
            branch(b, 0x1000, 0x1000, TAKEN);
        else
            jump(b, 0x1000);
        at_time(b, 1005 + 10 * (uint64_t)i);
        switch (seed >> 20 & 7) {
        case 0: pulse(b); break;
        case 1: cairn_unit_flush(b->unit); break;
        case 2: cairn_unit_request_sync(b->unit); break;
        case 3:
            times[told++] = 1005 + 10 * (uint64_t)i;
            cairn_unit_event(b->unit, 0);
            cycles(b, 1);
            pulse(b);
            break;
        case 4:
            times[told++] = 1005 + 10 * (uint64_t)i;
            exception(b, CAIRN_EXCEPTION_IRQ, 0x1000);
            break;
        default: break;
        }
    }
    cairn_unit_flush(b->unit);
}

#define EVENT_0 "TRCEVENTCTL1R=1 "

static void test_values(void **state)
{
    static uint64_t times[2 * STEPS];
    unsigned count, markers;
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "TS TSMARK REVISION=1 " ON_INPUT EVENT_0);
    run_times(&b, times, 7);
    text = bench_trace(&b);
    /* proves: R_MCSGX, R_SZRHP */
    assert_int_equal(wrong_values(text, times, true, &count, &markers), 0);
    assert_true(count > 20);
    /* proves: R_LWZKX */
    assert_int_equal(markers, count);
    bench_end(&b);

    bench_begin(&b, "TS TSMARK=0 REVISION=0 " ON_INPUT EVENT_0);
    run_times(&b, times, 8);
    text = bench_trace(&b);
    /* proves: R_DGTJZ */
    assert_int_equal(wrong_values(text, times, false, &count, &markers), 0);
    assert_true(count > 20);
    assert_int_equal(bench_count(text, "MARK"), 0);
    bench_end(&b);
}

static void test_sources_of_time(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TS");
    at_time(&b, 5000); /* physical time */
    branch(&b, 0x1000, 0x1000, TAKEN);
    assert_true(strstr(bench_trace(&b), "TS(5000)") != NULL);
    at_time(&b, 400); /* TRFCR_EL1.TS now selects virtual time, which is behind */
    isb(&b, 0x1000, TAKEN);
    branch(&b, 0x1004, 0x1000, TAKEN);
    /* proves: I_YFPDZ */
    assert_true(strstr(bench_trace(&b), "TS(400)") != NULL);
    bench_end(&b);
}

static void test_compression(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TS");
    at_time(&b, UINT64_C(0x123456789abcde));
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    cairn_unit_request_sync(b.unit);
    at_time(&b, UINT64_C(0x123456789abcdf)); /* one bit differs */
    branch(&b, 0x1000, 0x1000, TAKEN);
    branch(&b, 0x1000, 0x1000, TAKEN);
    /* A decoder that knows nothing before the second Trace Info. */
    /* proves: R_GPGQQ */
    assert_true(strstr(bench_from_last_sync(&b), "TS(5124095576030431)") != NULL);
    bench_end(&b);
}

/* --- requests --- */

static void test_requests(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TS " ON_INPUT);
    at_time(&b, 10);
    /* proves: R_YYWTR */
    assert_int_equal(bench_count(settle(&b), "TS("), 1); /* the Trace Info's */
    at_time(&b, 20);
    isb(&b, 0x1000, TAKEN);
    branch(&b, 0x1004, 0x1000, TAKEN);
    /* proves: R_YYWTR */
    assert_int_equal(bench_count(settle(&b), "TS(20)"), 1);
    at_time(&b, 30);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x1000);
    branch(&b, 0x8000, 0x1000, TAKEN);
    /* proves: R_YYWTR */
    assert_int_equal(bench_count(settle(&b), "TS(30)"), 1);
    at_time(&b, 40);
    eret(&b, 0x1000);
    /* proves: R_YYWTR */
    assert_int_equal(bench_count(settle(&b), "TS(40)"), 1);
    at_time(&b, 50);
    branch(&b, 0x1000, 0x1000, TAKEN);
    cairn_unit_flush(b.unit);
    /* proves: R_YYWTR */
    assert_int_equal(bench_count(settle(&b), "TS(50)"), 1);
    at_time(&b, 60);
    branch(&b, 0x1000, 0x1000, TAKEN);
    pulse(&b);
    /* proves: R_YYWTR */
    assert_int_equal(bench_count(settle(&b), "TS(60)"), 1);
    /* Nothing asked: nothing comes. Nor does it with timestamps off. */
    at_time(&b, 70);
    assert_int_equal(bench_count(settle(&b), "TS("), 0);
    bench_end(&b);

    bench_begin(&b, "TS=0 " ON_INPUT);
    isb(&b, 0x1000, TAKEN);
    pulse(&b);
    branch(&b, 0x1004, 0x1000, TAKEN);
    assert_int_equal(bench_count(settle(&b), "TS("), 0);
    bench_end(&b);
}

static void test_request_of_recovery(void **state)
{
    struct bench b;
    const char *again;

    (void)state;
    bench_begin(&b, "TS fifo=256 drain=16");
    at_time(&b, 10);
    for (unsigned i = 0; i < 100; i++)
        jump(&b, 0x100000 + 0x10010 * (uint64_t)i);
    cycles(&b, 100000);
    at_time(&b, 20);
    branch(&b, 0x1000, 0x1000, TAKEN);
    again = strstr(settle(&b), "OVERFLOW ");
    cycles(&b, 100000);
    assert_non_null(again);
    /* proves: R_YYWTR */
    assert_true(strstr(again, "TS(20)") != NULL);
    bench_end(&b);
}

/* Many requests, apart: as many Timestamps. */
static void test_spaced_requests(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    begin(&b, "TS " ON_INPUT);
    for (unsigned i = 0; i < 20; i++) {
        at_time(&b, 100 + i);
        branch(&b, 0x1000, 0x1000, TAKEN);
        pulse(&b);
        branch(&b, 0x1000, 0x1000, TAKEN);
    }
    text = settle(&b);
    /* proves: R_RMSVV */
    assert_int_equal(bench_count(text, "TS("), 20);
    bench_end(&b);
}

/* An ISB that fails its condition and synchronizes nothing may ask or not, once. */
static void test_optional_request(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    begin(&b, "TS");
    at_time(&b, 100);
    isb(&b, 0x1000, NOT_TAKEN);
    branch(&b, 0x1004, 0x1000, TAKEN);
    text = settle(&b);
    assert_true(bench_order(text, "N", "E", NULL));
    /* proves: R_CKNEV */
    assert_in_range(bench_count(text, "TS("), 0, 1);
    bench_end(&b);
}

static void test_filtered_requests(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    begin(&b, "TS " ON_INPUT EVENT_0 ONLY("0x1000", "0x1fff"));
    branch(&b, 0x1000, 0x8000, TAKEN);
    code(&b, 0x8000, 1);
    (void)bench_trace(&b);
    at_time(&b, 200);
    pulse(&b); /* asked for here, where nothing is traced */
    code(&b, 0x8004, 1);
    (void)bench_trace(&b);
    at_time(&b, 300);
    branch(&b, 0x8008, 0x1000, TAKEN);
    text = settle(&b);
    /* proves: R_NGXNQ, R_HZSYP */
    assert_int_equal(bench_count(text, "TS("), 1);
    bench_end(&b);

    begin(&b, "TS " ON_INPUT EVENT_0 ONLY("0x1000", "0x1fff"));
    branch(&b, 0x1000, 0x8000, TAKEN);
    code(&b, 0x8000, 1);
    (void)bench_trace(&b);
    at_time(&b, 200);
    pulse(&b);
    pulse(&b); /* the first is still pending: one Timestamp does */
    code(&b, 0x8004, 1);
    at_time(&b, 300);
    cairn_unit_event(b.unit, 0);
    cycles(&b, 1);
    code(&b, 0x8008, 1);
    text = bench_trace(&b);
    /* proves: R_HZSYP, R_SZNMB */
    assert_in_range(bench_count(text, "TS("), 1, 2);
    assert_true(bench_order(text, "EV0", "TS(300)", NULL));
    bench_end(&b);
}

static void test_same_value(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, "TS");
    at_time(&b, 100);
    branch(&b, 0x1000, 0x1000, TAKEN);
    cairn_unit_flush(b.unit);
    cairn_unit_flush(b.unit); /* no P0 element in between */
    /* proves: R_DWFTT */
    assert_in_range(bench_count(bench_trace(&b), "TS(100)"), 1, 2);
    /* One of a synchronization is not ignored. */
    cairn_unit_request_sync(b.unit);
    branch(&b, 0x1000, 0x1000, TAKEN);
    /* proves: R_DWFTT */
    assert_int_equal(bench_count(settle(&b), "TS(100)"), 1);
    bench_end(&b);
}

static void test_prohibited_request(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, "TS " ON_INPUT);
    at_time(&b, 100);
    branch(&b, 0x1000, 0x2000, TAKEN);
    cairn_unit_prohibit(b.unit, true);
    (void)bench_trace(&b);
    code(&b, 0x2000, 1);
    cairn_unit_flush(b.unit); /* TSB CSYNC */
    code(&b, 0x2004, 1);
    pulse(&b);
    /* proves: R_XMJGY */
    assert_int_equal(bench_count(bench_trace(&b), "TS("), 0);
    at_time(&b, 300);
    cairn_unit_prohibit(b.unit, false);
    branch(&b, 0x1000, 0x1000, TAKEN);
    /* proves: R_XMJGY */
    assert_int_equal(bench_count(settle(&b), "TS("), 1);
    bench_end(&b);
}

static void test_first_request(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "TS " ON_INPUT);
    at_time(&b, 10);
    code(&b, 0x1000, 2);
    pulse(&b);
    cairn_unit_flush(b.unit);
    /* proves: R_CWHHW */
    assert_int_equal(bench_count(bench_trace(&b), "TS("), 0);
    at_time(&b, 20);
    branch(&b, 0x1008, 0x1000, TAKEN);
    text = settle(&b);
    /* proves: R_CWHHW */
    assert_int_equal(bench_count(text, "TS(20)"), 1);
    assert_true(bench_find(text, "E", 0) < bench_find(text, "TS(", 0));
    bench_end(&b);
}

static void test_low_power_request(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    begin(&b, "TS WFXMODE=1 " ON_INPUT);
    wfi(&b, 0x1000, TAKEN);
    cairn_unit_low_power(b.unit, true);
    (void)bench_trace(&b);
    pulse(&b);
    cairn_unit_low_power(b.unit, false);
    branch(&b, 0x1004, 0x1000, TAKEN);
    text = settle(&b);
    assert_true(bench_count(text, "E") > 0);
    /* proves: I_VTRBC */
    assert_in_range(bench_count(text, "TS("), 0, 1);
    bench_end(&b);
}

/* No room: the Timestamp waits, and is not lost. */
static void test_no_capacity(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    begin(&b, "TS fifo=512 drain=16 " ON_INPUT);
    cycles(&b, 100000);
    (void)bench_trace(&b);
    for (unsigned i = 0; i < 20; i++)
        jump(&b, 0x100000 + 0x10010 * (uint64_t)i);
    at_time(&b, 900);
    jump(&b, 0x500000);
    pulse(&b);
    cycles(&b, 100000);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)settle(&b);
    cycles(&b, 100000);
    b.consumed = 0;
    text = bench_trace(&b);
    assert_int_equal(bench_count(text, "OVERFLOW"), 0);
    /* proves: R_DWCYP */
    assert_int_equal(bench_count(text, "TS(900)"), 1);
    bench_end(&b);
}

/* --- cycle counts of Timestamps --- */

static void test_cycle_counts(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TS CCI THRESHOLD=10 " ON_INPUT);
    at_time(&b, 10);
    cycles(&b, 4);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)cairn_unit_position(b.unit);
    /* proves: R_JNSWW */
    assert_int_equal(bench_count(bench_trace(&b), "TS(10,?)"), 1);
    cycles(&b, 20);
    branch(&b, 0x1000, 0x1000, TAKEN);
    assert_trace(&b, "E CC(?)");
    cycles(&b, 7);
    at_time(&b, 20);
    isb(&b, 0x1000, TAKEN); /* 7 cycles: below the threshold */
    branch(&b, 0x1004, 0x1000, TAKEN);
    /* proves: R_ZMQLT */
    assert_int_equal(bench_count(bench_trace(&b), "TS(20,7)"), 1);
    cycles(&b, 5);
    branch(&b, 0x1000, 0x1000, TAKEN);
    /* proves: R_MWJHD */
    assert_trace(&b, "E CC(12)");
    at_time(&b, 30);
    pulse(&b); /* what it stands for is the Atom of the Cycle Count, no cycles behind it */
    branch(&b, 0x1000, 0x1000, TAKEN);
    bench_end(&b);
}

static void test_no_cycles(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "TS TSMARK=0 CCI THRESHOLD=4");
    cycles(&b, 20);
    branch(&b, 0x1000, 0x1000, TAKEN);
    cycles(&b, 20);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    at_time(&b, 40);
    cycles(&b, 8);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)cairn_unit_position(b.unit);
    cairn_unit_flush(b.unit);
    text = bench_trace(&b);
    /* proves: R_MWJHD */
    assert_string_equal(text, "E CC(8) TS(40,0)");
    bench_end(&b);
}

/* A Cycle Count that came with a later Commit than that of the element: no cycles since, rather
 * than less than none. */
static void test_commit_behind(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "TS CCI THRESHOLD=4 MAXSPEC=8");
    cycles(&b, 20);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    speculate(&b);
    at_time(&b, 40);
    branch(&b, 0x1000, 0x1000, TAKEN);
    cycles(&b, 30);
    resolve(&b, mark(&b));
    cairn_unit_flush(b.unit);
    text = bench_trace(&b);
    assert_true(bench_order(text, "E", "COMMIT(1)", "CC(30)", NULL));
    /* proves: R_ZMQLT */
    assert_true(strstr(text, "TS(40,0)") != NULL || strstr(text, "TS(40,?)") != NULL);
    bench_end(&b);
}

static void test_counter_beyond_maximum(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TS CCI CCSIZE=0 THRESHOLD=0xfff " ON_INPUT);
    cycles(&b, 4095);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    cycles(&b, 4000);
    at_time(&b, 10);
    isb(&b, 0x1000, TAKEN);
    branch(&b, 0x1004, 0x1000, TAKEN);
    assert_int_equal(bench_count(bench_trace(&b), "TS(10,4000)"), 1);
    bench_end(&b);

    bench_begin(&b, "TS CCI CCSIZE=0 THRESHOLD=0xfff MAXSPEC=8 " ON_INPUT);
    cycles(&b, 4095);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    speculate(&b); /* no Commit, hence no Cycle Count, while the counter runs over */
    cycles(&b, 5000);
    at_time(&b, 20);
    branch(&b, 0x1000, 0x1000, TAKEN);
    pulse(&b);
    branch(&b, 0x1000, 0x1000, TAKEN);
    /* proves: R_NPYKS */
    assert_int_equal(bench_count(bench_trace(&b), "TS(20,?)"), 1);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_sources_of_time),
        cmocka_unit_test(test_compression),
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_request_of_recovery),
        cmocka_unit_test(test_spaced_requests),
        cmocka_unit_test(test_optional_request),
        cmocka_unit_test(test_filtered_requests),
        cmocka_unit_test(test_same_value),
        cmocka_unit_test(test_prohibited_request),
        cmocka_unit_test(test_first_request),
        cmocka_unit_test(test_low_power_request),
        cmocka_unit_test(test_no_capacity),
        cmocka_unit_test(test_cycle_counts),
        cmocka_unit_test(test_no_cycles),
        cmocka_unit_test(test_commit_behind),
        cmocka_unit_test(test_counter_beyond_maximum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
