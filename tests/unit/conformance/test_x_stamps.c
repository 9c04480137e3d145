/* SPDX-License-Identifier: BSD-2-Clause */
/* What a Timestamp is of where elements come late, or may not leave yet (DDI0608 D2.4, D6.9.16). */
#include "bench.h"

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

/* A request waits for the elements that may not leave yet, be it one: behind them it is of the youngest. */
static void test_held_elements(void **state)
{
    (void)state;
    for (unsigned held = 1; held < 4; held++) {
        struct bench b;
        char expected[64] = "";

        begin(&b, "TS TSMARK=0 MAXSPEC=0 " ON_INPUT);
        speculate(&b);
        for (unsigned i = 0; i < held; i++) {
            at_time(&b, 100 + i);
            branch(&b, 0x1000, 0x1000, TAKEN);
            strcat(expected, "E ");
        }
        pulse(&b);
        assert_trace(&b, "");
        resolve(&b, mark(&b));
        snprintf(expected + strlen(expected), 16, "TS(%u)", 99 + held);
        assert_trace(&b, expected);
        bench_end(&b);
    }
}

/* An ETMv4 with timestamps of 48 bits tells no more of the time (TRCIDR0.TSSIZE). */
static void test_size(void **state)
{
    (void)state;
    for (unsigned size = 6; size <= 8; size += 2) {
        struct bench b;
        char text[128];
        uint64_t value;

        bench_open(&b, "etmv4");
        value = read_register(&b, "TRCIDR0");
        bench_end(&b);
        snprintf(text, sizeof text, "etmv4 TRCIDR0=0x%llx TS " ON_INPUT,
                 (unsigned long long)((value & ~(UINT64_C(0x1f) << 24)) | size << 24));
        bench_begin(&b, text);
        at_time(&b, (UINT64_C(1) << 48) + 5);
        (void)settle(&b);
        pulse(&b);
        assert_trace(&b, size == 6 ? "TS(5)" : "TS(281474976710661)");
        bench_end(&b);
    }
}

/* An Atom that comes late is of when its instruction executed: later than the one before it, though
 * only by the time, or only by cycles. */
static void test_late_atoms(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TS CCI THRESHOLD=100 choices=1 " ON_INPUT);
    at_time(&b, 20);
    cycles(&b, 200);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    cycles(&b, 7);
    branch(&b, 0x1000, 0x1000, NOT_TAKEN);
    pulse(&b);
    cairn_unit_flush(b.unit);
    assert_true(bench_order(bench_trace(&b), "N", "TS(20,7)", NULL));
    at_time(&b, 30);
    branch(&b, 0x1004, 0x1000, NOT_TAKEN);
    pulse(&b);
    cairn_unit_flush(b.unit);
    assert_true(bench_order(bench_trace(&b), "N", "TS(30,9)", NULL));
    at_time(&b, 40);
    branch(&b, 0x1008, 0x1000, TAKEN);
    (void)bench_trace(&b);
    at_time(&b, 41); /* no cycle later */
    branch(&b, 0x1000, 0x1000, NOT_TAKEN);
    cairn_unit_flush(b.unit);
    assert_true(bench_order(bench_trace(&b), "N", "TS(41", NULL));
    bench_end(&b);
}

/* A Q element comes when its branches are past: a Timestamp behind it is of its last instruction. */
static void test_q(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, "TS TSMARK=0 QSUPP=3 QFILT=1 QE=1 q=16 " ON_INPUT);
    at_time(&b, 100);
    branch(&b, 0x1000, 0x2000, NOT_TAKEN);
    at_time(&b, 110);
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    at_time(&b, 200);
    speculate(&b); /* ends it */
    assert_true(bench_order(bench_trace(&b), "Q(2)", "ADDR(1008)", NULL));
    pulse(&b);
    assert_trace(&b, "TS(110)");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held_elements),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_late_atoms),
        cmocka_unit_test(test_q),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
