/* SPDX-License-Identifier: BSD-2-Clause */
/* Event elements, and the resources behind them: DDI0608 D2.6.1, D6.9.6, D7.1, D7.10, D7.11. */
#include "bench.h"

/* External input 0 as ETEEvent 0. */
#define EVENT_0 "TRCRSCTLR2=1 TRCEVENTCTL0R=2 TRCEVENTCTL1R=1 "
/* All four ETEEvents are traced, as the feed tells them. */
#define EVENTS "TRCEVENTCTL1R=0xf "
/* Execution at TRCACVR2 as ETEEvent 0. */
#define EVENT_AT_2 "TRCRSCTLR2=0x40004 TRCEVENTCTL0R=2 TRCEVENTCTL1R=1 "

#define RSR_EVENT 0x100u /* TRCRSR.EVENT[0] */
#define RSR_EXTIN 0x1u   /* TRCRSR.EXTIN[0] */

static void test_number(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "TRCRSCTLR2=1 TRCEVENTCTL0R=0x20000 TRCEVENTCTL1R=4");
    branch(&b, 0x1000, 0x1000, TAKEN);
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 1);
    cairn_unit_inputs(b.unit, 0);
    cycles(&b, 1);
    branch(&b, 0x1000, 0x1000, TAKEN);
    text = bench_trace(&b);
    /* proves: I_RBKYZ */
    assert_int_equal(bench_count(text, "EV2"), 1);
    /* proves: I_RBKYZ */
    assert_int_equal(bench_count(text, "EV"), 1);
    bench_end(&b);
}

static void test_order(void **state)
{
    static const unsigned numbers[] = {0, 1, 0, 3, 2, 3, 1, 1};
    struct bench b;
    char expected[128] = "";
    const char *text;

    (void)state;
    bench_begin(&b, EVENTS);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    for (size_t i = 0; i < sizeof(numbers) / sizeof *numbers; i++) {
        cairn_unit_event(b.unit, numbers[i]);
        cycles(&b, 1);
        snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), "%sEV%u",
                 i != 0 ? " " : "", numbers[i]);
    }
    text = bench_trace(&b);
    /* proves: R_SMLVB */
    assert_string_equal(text, expected);
    /* And relative to P0 elements: behind the first, before the one after the next. */
    branch(&b, 0x1000, 0x2000, TAKEN);
    cairn_unit_event(b.unit, 1);
    cycles(&b, 1);
    branch(&b, 0x2000, 0x3000, NOT_TAKEN);
    branch(&b, 0x2004, 0x3000, NOT_TAKEN);
    text = bench_trace(&b);
    /* proves: R_SPYTT */
    assert_true(strcmp(text, "E EV1 N N") == 0 || strcmp(text, "E N EV1 N") == 0);
    bench_end(&b);
}

static void test_before_idle(void **state)
{
    struct bench b;
    size_t written;

    (void)state;
    bench_begin(&b, EVENTS);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    cairn_unit_event(b.unit, 3);
    cairn_unit_disable(b.unit);
    written = b.size;
    assert_int_equal(read_register(&b, "TRCSTATR") & 1, 1);
    /* proves: R_GLBHL */
    assert_trace(&b, "EV3");
    assert_int_equal(b.size, written);
    bench_end(&b);
}

static void test_while_filtered(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, EVENT_0 ONLY("0x1000", "0x1fff"));
    branch(&b, 0x1000, 0x8000, TAKEN);
    code(&b, 0x8000, 1);
    (void)bench_trace(&b);
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 1);
    cairn_unit_inputs(b.unit, 0);
    code(&b, 0x8004, 1);
    /* proves: R_WJPTB */
    assert_trace(&b, "EV0");
    bench_end(&b);
}

static void test_each_clock(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, EVENT_0);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 3);
    cairn_unit_inputs(b.unit, 0);
    cycles(&b, 3);
    /* proves: R_KKLYB */
    assert_trace(&b, "EV0 EV0 EV0");
    /* Two pulses in one clock are one. */
    cairn_unit_inputs(b.unit, 1);
    cairn_unit_inputs(b.unit, 0);
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 1);
    cairn_unit_inputs(b.unit, 0);
    cycles(&b, 1);
    /* proves: R_QPDHK */
    assert_trace(&b, "EV0");
    bench_end(&b);

    bench_begin(&b, "TRCRSCTLR2=1 TRCEVENTCTL0R=2 TRCEVENTCTL1R=0");
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    cairn_unit_inputs(b.unit, 1);
    cairn_unit_event(b.unit, 0);
    cycles(&b, 3);
    /* proves: R_KKLYB */
    assert_trace(&b, "");
    bench_end(&b);
}

/* An ETEEvent in a Prohibited region is kept, and traced behind it. */
static void test_kept_while_paused(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, EVENTS);
    branch(&b, 0x1000, 0x1000, TAKEN);
    cairn_unit_prohibit(b.unit, true);
    (void)bench_trace(&b);
    cairn_unit_event(b.unit, 0);
    cycles(&b, 1);
    cairn_unit_event(b.unit, 0);
    cycles(&b, 1);
    assert_trace(&b, "");
    /* proves: R_BCMYM, R_FHYQW, R_GYWLS */
    assert_int_equal(read_register(&b, "TRCRSR") & 0xf00, RSR_EVENT);
    cairn_unit_prohibit(b.unit, false);
    cycles(&b, 4);
    branch(&b, 0x2000, 0x3000, TAKEN);
    text = bench_trace(&b);
    /* Two were generated inside, and none of the two had a packet there: there is one now. */
    /* proves: R_FVCMB, R_BCMYM, R_SWBRL */
    assert_int_equal(bench_count(text, "EV0"), 1);
    /* proves: R_SWBRL */
    assert_int_equal(read_register(&b, "TRCRSR") & 0xf00, 0);
    bench_end(&b);
}

/* The bit as software restores it. */
static void test_restored(void **state)
{
    struct bench b;
    const char *text;
    size_t count;

    (void)state;
    bench_begin(&b, EVENT_0 "TRCRSR=0x100");
    cycles(&b, 5);
    branch(&b, 0x1000, 0x1000, TAKEN);
    text = bench_trace(&b);
    /* proves: R_SWBRL */
    assert_int_equal(bench_count(text, "EV0"), 1);
    /* proves: R_SWBRL */
    assert_int_equal(read_register(&b, "TRCRSR") & RSR_EVENT, 0);
    bench_end(&b);

    bench_open(&b, EVENT_0 "TRCRSR=0x100");
    level(&b, "EL1n");
    cairn_unit_inputs(b.unit, 1);
    cairn_unit_enable(b.unit);
    cycles(&b, 1);
    cairn_unit_inputs(b.unit, 0);
    cycles(&b, 5);
    branch(&b, 0x1000, 0x1000, TAKEN);
    count = bench_count(bench_trace(&b), "EV0");
    /* proves: I_KZYKM */
    assert_true(count == 1 || count == 2);
    bench_end(&b);
}

/* The same for the inputs. */
static void test_inputs_kept(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, EVENT_0 "TRCRSR=1");
    cycles(&b, 5);
    branch(&b, 0x1000, 0x1000, TAKEN);
    /* proves: R_QWYSK */
    assert_int_equal(bench_count(bench_trace(&b), "EV0"), 1);
    /* proves: R_QWYSK */
    assert_int_equal(read_register(&b, "TRCRSR") & RSR_EXTIN, 0);
    /* In low-power state they see nothing, and keep nothing. */
    cairn_unit_low_power(b.unit, true);
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 5);
    cairn_unit_inputs(b.unit, 0);
    /* proves: R_KVEVS */
    assert_int_equal(read_register(&b, "TRCRSR") & RSR_EXTIN, 0);
    cairn_unit_low_power(b.unit, false);
    cycles(&b, 5);
    /* proves: R_KVEVS */
    assert_trace(&b, "");
    bench_end(&b);
}

/* The same of an input that was high from before on, as soon as a clock has passed in the region. */
static void test_input_into_region(void **state)
{
    (void)state;
    for (unsigned clocks = 0; clocks < 3; clocks++) {
        struct bench b;

        bench_begin(&b, EVENT_0);
        branch(&b, 0x1000, 0x2000, TAKEN);
        cairn_unit_inputs(b.unit, 1);
        cairn_unit_prohibit(b.unit, true);
        (void)bench_trace(&b);
        cycles(&b, clocks);
        cairn_unit_inputs(b.unit, 0);
        cairn_unit_prohibit(b.unit, false);
        cycles(&b, 1);
        /* proves: R_KCXLF */
        assert_trace(&b, clocks ? "EV0" : "");
        bench_end(&b);
    }
}

/* Behind a Prohibited region an input that was high in it is high for one clock. */
static void test_inputs_in_region(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, EVENT_0);
    branch(&b, 0x1000, 0x2000, TAKEN);
    cairn_unit_prohibit(b.unit, true);
    (void)bench_trace(&b);
    cairn_unit_inputs(b.unit, 1);
    /* proves: R_KCXLF */
    assert_int_equal(read_register(&b, "TRCRSR") & 0xf, RSR_EXTIN); /* at once */
    cycles(&b, 3);
    cairn_unit_inputs(b.unit, 0);
    cycles(&b, 3);
    /* proves: R_KCXLF */
    assert_int_equal(read_register(&b, "TRCRSR") & 0xf, RSR_EXTIN);
    assert_trace(&b, "");
    cairn_unit_prohibit(b.unit, false);
    cycles(&b, 5);
    branch(&b, 0x2000, 0x3000, TAKEN);
    /* proves: R_QWYSK */
    assert_int_equal(bench_count(bench_trace(&b), "EV0"), 1);
    /* proves: R_QWYSK */
    assert_int_equal(read_register(&b, "TRCRSR") & 0xf, 0);
    bench_end(&b);
}

/* Events of `count` clocks with the input high. */
static size_t events(struct bench *b, unsigned count)
{
    cairn_unit_inputs(b->unit, 1);
    cycles(b, count);
    cairn_unit_inputs(b->unit, 0);
    return bench_count(bench_trace(b), "EV0");
}

/* Resources run when the unit is enabled, not in low power and nothing is prohibited: all three. */
static void test_running(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        struct bench b;
        bool enabled = (i & 1) != 0, low = (i & 2) != 0, prohibited = (i & 4) != 0;

        bench_begin(&b, EVENT_0);
        assert_int_equal(events(&b, 3), 3);
        cairn_unit_prohibit(b.unit, prohibited);
        cairn_unit_low_power(b.unit, low);
        if (!enabled)
            cairn_unit_disable(b.unit);
        /* proves: R_PWBZK, R_JLLVN, R_YWDVJ, R_LYFDT, D16.22 */
        assert_int_equal(events(&b, 3), enabled && !low && !prohibited ? 3 : 0);
        cairn_unit_prohibit(b.unit, false);
        cairn_unit_low_power(b.unit, false);
        cairn_unit_enable(b.unit);
        cycles(&b, 5); /* what was kept comes out */
        (void)bench_trace(&b);
        /* proves: R_LYFDT */
        assert_int_equal(events(&b, 3), 3);
        bench_end(&b);
    }
}

/* A comparator sees each execution outside Prohibited regions, and none inside. */
static void test_observed(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, EVENT_AT_2 "TRCACVR2=0x2000");
    for (unsigned i = 0; i < 7; i++) {
        branch(&b, 0x1000, 0x2000, TAKEN);
        code(&b, 0x2000, 1);
        cycles(&b, 1);
        branch(&b, 0x2004, 0x1000, TAKEN);
        cycles(&b, 1);
    }
    /* proves: R_QCFSS */
    assert_int_equal(bench_count(bench_trace(&b), "EV0"), 7);
    cairn_unit_prohibit(b.unit, true);
    code(&b, 0x2000, 1);
    cycles(&b, 1);
    cairn_unit_prohibit(b.unit, false);
    cycles(&b, 1);
    branch(&b, 0x3000, 0x4000, TAKEN);
    /* proves: R_QCFSS */
    assert_trace(&b, "ON ADDR(3000) E");
    bench_end(&b);
}

/* At a Context synchronization event everything older has had its effect. */
static void test_observed_before_synchronization(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, EVENT_AT_2 "TRCACVR2=0x2000");
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 1);
    cycles(&b, 1);
    isb(&b, 0x2004, TAKEN);
    cycles(&b, 1);
    text = bench_trace(&b);
    /* proves: R_CDNKX */
    assert_true(bench_count(text, "EV0") == 1 && bench_count(text, "E") == 3);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x2008);
    /* proves: R_CDNKX */
    assert_trace(&b, "EXC(IRQ,2008)");
    bench_end(&b);
}

/* What may stand before the first Trace Info. */
static void test_before_trace_info(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, EVENTS ONLY("0x1000", "0x1fff"));
    cairn_unit_event(b.unit, 1);
    cycles(&b, 1);
    code(&b, 0x8000, 1);
    text = bench_trace(&b);
    /* proves: D16.48 */
    assert_true(strcmp(text, "SYNC EV1") == 0 || strcmp(text, "SYNC EV1 INFO") == 0 ||
                strcmp(text, "SYNC INFO EV1") == 0);
    bench_end(&b);
}

/* ETEEvents that are FALSE, or that nothing traces, change nothing else: not when Commits come. */
static void test_silent_events(void **state)
{
    static const char *const programs[] = {"", "TRCEVENTCTL0R=0x01010101 TRCEVENTCTL1R=0",
                                           "TRCEVENTCTL0R=0 TRCEVENTCTL1R=0xf"};

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct bench b;
        char text[128];

        snprintf(text, sizeof text, "CCI THRESHOLD=4 MAXSPEC=8 COMMOPT=0 choices=0 %s",
                 programs[i]);
        bench_begin(&b, text);
        branch(&b, 0x1000, 0x1000, TAKEN);
        cycles(&b, 10);
        branch(&b, 0x1000, 0x1000, TAKEN);
        /* proves: I_RBKYZ */
        assert_trace(&b, "SYNC INFO(CC=4) ON CTX(EL1n) ADDR(1000) E E COMMIT(2) CC(?)");
        bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_before_idle),
        cmocka_unit_test(test_while_filtered),
        cmocka_unit_test(test_each_clock),
        cmocka_unit_test(test_kept_while_paused),
        cmocka_unit_test(test_restored),
        cmocka_unit_test(test_inputs_kept),
        cmocka_unit_test(test_input_into_region),
        cmocka_unit_test(test_inputs_in_region),
        cmocka_unit_test(test_running),
        cmocka_unit_test(test_observed),
        cmocka_unit_test(test_observed_before_synchronization),
        cmocka_unit_test(test_before_trace_info),
        cmocka_unit_test(test_silent_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
