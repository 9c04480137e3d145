/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters: DDI0608 D7.7. TRCCNTCTLR has CNTEVENT in bits 7:0, RLDEVENT
 * in 15:8, RLDSELF in 16 and CNTCHAIN in 17. */
#include "bench.h"

static unsigned counter(struct bench *b, unsigned n)
{
    char name[16];

    snprintf(name, sizeof name, "TRCCNTVR%u", n);
    return (unsigned)read_register(b, name);
}

static void test_clock(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SELECTORS "TRCCNTVR0=100 TRCCNTCTLR0=1");
    cycles(&b, 10);
    /* proves: R_RBMQM */
    assert_int_equal(counter(&b, 0), 90);
    /* The PE waits: ten clocks in which it executes nothing. */
    code(&b, 0x1000, 1);
    cycles(&b, 1 + 10);
    /* proves: R_PZQGV */
    assert_int_equal(counter(&b, 0), 90 - 11);
    /* Without being told of clocks a feed has one a block. */
    for (unsigned i = 0; i < 5; i++)
        code(&b, 0x1004, 1);
    cycles(&b, 1);
    assert_int_equal(counter(&b, 0), 79 - 5);
    cairn_unit_disable(b.unit);
    /* proves: R_LFVYH */
    assert_int_equal(counter(&b, 0), 74);
    cycles(&b, 10);
    /* proves: R_RWNIS, R_TMVLW */
    assert_int_equal(counter(&b, 0), 74);
    bench_end(&b);
}

static void test_paused(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SELECTORS "TRCCNTVR0=100 TRCCNTCTLR0=1");
    cycles(&b, 10);
    cairn_unit_prohibit(b.unit, true);
    cycles(&b, 10);
    /* proves: R_FHFMP, R_YWQNO */
    assert_int_equal(counter(&b, 0), 90);
    cairn_unit_prohibit(b.unit, false);
    cycles(&b, 3);
    assert_int_equal(counter(&b, 0), 87);
    cairn_unit_low_power(b.unit, true);
    cycles(&b, 10);
    /* proves: R_MFBDT */
    assert_int_equal(counter(&b, 0), 87);
    cairn_unit_low_power(b.unit, false);
    cycles(&b, 1);
    assert_int_equal(counter(&b, 0), 86);
    bench_end(&b);
}

/* Decremented by input 0, reloaded by input 1, with 3; ETEEvent 0 tells when it is at zero, a clock
 * later. */
static void test_normal(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SELECTORS "outputs TRCCNTVR0=2 TRCCNTRLDVR0=3 TRCCNTCTLR0=0x0302 "
                              "TRCEVENTCTL0R=6");
    clock_with(&b, 0);
    /* proves: R_KXLLKC */
    assert_int_equal(counter(&b, 0), 2);
    clock_with(&b, 1);
    clock_with(&b, 1); /* clock 2: now it is 0 */
    assert_int_equal(counter(&b, 0), 0);
    clock_with(&b, 1);
    clock_with(&b, 1);
    clock_with(&b, 0);
    /* proves: R_SBQPN */
    assert_int_equal(counter(&b, 0), 0);
    clock_with(&b, 2); /* clock 6 reloads it */
    /* proves: R_SBQPN */
    assert_int_equal(counter(&b, 0), 3);
    clock_with(&b, 0);
    clock_with(&b, 0);
    /* At zero in clocks 3 to 6, seen in 4 to 7. */
    /* proves: R_HYLGG */
    assert_outputs(&b, "4:1 5:1 6:1 7:1");
    clock_with(&b, 1);
    assert_int_equal(counter(&b, 0), 2);
    clock_with(&b, 3);
    /* proves: R_DDCDK */
    assert_int_equal(counter(&b, 0), 3);
    bench_end(&b);
}

static void test_self_reload(void **state)
{
    static const unsigned values[] = {2, 1, 0, 3, 2, 1, 0, 3, 2};
    struct bench b;

    (void)state;
    bench_begin(&b, SELECTORS "outputs TRCCNTVR0=3 TRCCNTRLDVR0=3 TRCCNTCTLR0=0x10001 "
                              "TRCEVENTCTL0R=6");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        cycles(&b, 1);
        /* proves: R_YLYPH */
        assert_int_equal(counter(&b, 0), values[i]);
    }
    cycles(&b, 5);
    /* It reloads in clocks 3, 7 and 11: one clock in four. */
    /* proves: R_VGJNL */
    assert_outputs(&b, "4:1 8:1 12:1");
    bench_end(&b);

    /* It is not at zero for anybody while nothing decrements it; nor when it is reloaded. */
    bench_begin(&b, SELECTORS "outputs TRCCNTRLDVR0=3 TRCCNTCTLR0=0x10302 TRCEVENTCTL0R=6");
    cycles(&b, 5);
    clock_with(&b, 3);
    assert_int_equal(counter(&b, 0), 3);
    cycles(&b, 5);
    /* proves: R_VGJNL */
    assert_outputs(&b, "");
    bench_end(&b);
}

/* The two tables of D7.7 and D7.7.2: {RLDEVENT, dec_action, value} -> {next value, resource}. */
static void test_tables(void **state)
{
    static const struct {
        bool self;
        unsigned reload, decrement, value, next, active;
    } rows[] = {
        /* Normal mode: stable, stable, decrement, reload, reload */
        {false, 0, 0, 0, 0, 1},
        {false, 0, 1, 0, 0, 1},
        {false, 0, 0, 5, 5, 0},
        {false, 0, 1, 5, 4, 0},
        {false, 0, 1, 1, 0, 0},
        {false, 1, 0, 0, 9, 1},
        {false, 1, 1, 0, 9, 1},
        {false, 1, 0, 5, 9, 0},
        {false, 1, 1, 5, 9, 0},
        /* Self-reload mode: stable, reload, decrement, reload */
        {true, 0, 0, 0, 0, 0},
        {true, 0, 0, 5, 5, 0},
        {true, 0, 1, 0, 9, 1},
        {true, 0, 1, 5, 4, 0},
        {true, 0, 1, 1, 0, 0},
        {true, 1, 0, 0, 9, 0},
        {true, 1, 1, 0, 9, 0},
        {true, 1, 0, 5, 9, 0},
        {true, 1, 1, 5, 9, 0},
    };

    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct bench b;
            char text[600];

            snprintf(text, sizeof text,
                     SELECTORS "outputs TRCCNTVR%u=%u TRCCNTRLDVR%u=9 TRCCNTCTLR%u=0x%x "
                               "TRCEVENTCTL0R=0x%x",
                     n, rows[i].value, n, n, 0x0302u | (rows[i].self ? 0x10000u : 0), 6 + n);
            bench_begin(&b, text);
            clock_with(&b, rows[i].decrement | rows[i].reload << 1);
            (void)bench_outputs(&b); /* of what was before */
            /* proves: D7.7.2 */
            assert_int_equal(counter(&b, n), rows[i].next);
            cycles(&b, 1);
            /* proves: D7.7.2 */
            assert_outputs(&b, rows[i].active ? "1:1" : "");
            bench_end(&b);
        }
    }
}

/* The higher counter is decremented whenever the lower one reloads, and by its own event. */
static void test_chain(void **state)
{
    (void)state;
    for (unsigned lower = 0; lower < 4; lower += 2) {
        struct bench b;
        char text[600];

        snprintf(text, sizeof text,
                 SELECTORS
                 "TRCCNTRLDVR%u=2 TRCCNTCTLR%u=0x10302 TRCCNTVR%u=20 TRCCNTCTLR%u=0x20004",
                 lower, lower, lower + 1, lower + 1);
        bench_begin(&b, text);
        for (unsigned i = 0; i < 6; i++) /* it reloads in clocks 0 and 3 */
            clock_with(&b, 1);
        if (lower == 0) {
            /* proves: R_WPQD */
            assert_int_equal(counter(&b, 1), 18);
        } else {
            /* proves: R_GYKGZ */
            assert_int_equal(counter(&b, 3), 18);
        }
        clock_with(&b, 2); /* the lower one's RLDEVENT */
        /* proves: R_QHZFW */
        assert_int_equal(counter(&b, lower + 1), 17);
        clock_with(&b, 4); /* its own CNTEVENT */
        /* proves: R_QHZFW */
        assert_int_equal(counter(&b, lower + 1), 16);
        clock_with(&b, 2 | 4); /* both in a clock */
        /* proves: R_QHZFW */
        assert_int_equal(counter(&b, lower + 1), 15);
        cycles(&b, 9);
        assert_int_equal(counter(&b, lower + 1), 15);
        bench_end(&b);
    }
    { /* 2 is none of 1's */
        struct bench b;

        bench_begin(&b,
                    SELECTORS "TRCCNTCTLR1=0x10001 TRCCNTVR2=20 TRCCNTVR3=20 TRCCNTCTLR3=0x20000");
        cycles(&b, 5);
        assert_int_equal(counter(&b, 2), 20);
        assert_int_equal(counter(&b, 3), 20);
        bench_end(&b);
    }
}

static void test_no_tearing(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SELECTORS "TRCCNTVR0=0 TRCCNTRLDVR0=0xffff TRCCNTCTLR0=0x10002 "
                              "TRCCNTVR1=0x1234 TRCCNTCTLR1=0x20000");
    clock_with(&b, 0);
    assert_int_equal(counter(&b, 1) << 16 | counter(&b, 0), 0x12340000);
    clock_with(&b, 1);
    /* proves: I_FTDHL, R_BDDPN */
    assert_int_equal(counter(&b, 1) << 16 | counter(&b, 0), 0x1233ffff);
    for (unsigned expected = 0x1233ffff; expected > 0x1233fff0;) {
        clock_with(&b, 1);
        /* proves: R_BDDPN */
        assert_int_equal(counter(&b, 1) << 16 | counter(&b, 0), --expected);
    }
    bench_end(&b);
}

/* A pair of counters as one of 32 bits: what is left of 2^40 clocks, and where it is then. */
static void test_long_stretch(void **state)
{
    const uint64_t clocks = (UINT64_C(1) << 40) + 12345;
    struct bench b;

    (void)state;
    bench_begin(&b, "TRCCNTVR0=0xffff TRCCNTRLDVR0=0xffff TRCCNTCTLR0=0x10001 "
                    "TRCCNTVR1=0xffff TRCCNTRLDVR1=0xffff TRCCNTCTLR1=0x30000");
    cycles(&b, clocks);
    /* It goes round every 2^32 clocks. */
    assert_int_equal(counter(&b, 1) << 16 | counter(&b, 0), 0xffffffffu - 12345);
    bench_end(&b);

    /* Periods of 3, 3 * 1000 and 3 * 1000 * 1000 clocks, each counter driven by the one before it,
     * a clock later: counters 1 and 2 begin at their reload values, and counter 3 counts what comes
     * of counter 2. */
    bench_begin(&b, SELECTORS "TRCCNTVR0=2 TRCCNTRLDVR0=2 TRCCNTCTLR0=0x10001 "
                              "TRCCNTVR1=999 TRCCNTRLDVR1=999 TRCCNTCTLR1=0x10006 "
                              "TRCCNTVR2=999 TRCCNTRLDVR2=999 TRCCNTCTLR2=0x10007 "
                              "TRCCNTVR3=65535 TRCCNTCTLR3=0x00008");
    cycles(&b, UINT64_C(3000000) * 40000 + 3);
    /* proves: D7.7.2 */
    assert_int_equal(counter(&b, 3), 65535 - 40000);
    assert_int_equal(counter(&b, 2), 999);
    assert_int_equal(counter(&b, 1), 999);
    bench_end(&b);
}

/* A counter that others drive slowly, and what begins when it is at zero: in the very clock. Counter
 * 0 is seen at zero in clocks 4, 8 and so on; counter 1 has counted those in clock 400, and is seen
 * at zero from clock 402 on, where counter 2 counts. */
static void test_stretch_ends(void **state)
{
    (void)state;
    for (unsigned clocks = 395; clocks < 415; clocks++) {
        struct bench b;

        bench_begin(&b, SELECTORS "TRCCNTVR0=3 TRCCNTRLDVR0=3 TRCCNTCTLR0=0x10001 "
                                  "TRCCNTVR1=100 TRCCNTCTLR1=6 TRCCNTVR2=1000 TRCCNTCTLR2=7");
        cycles(&b, clocks);
        /* proves: R_RBMQM, R_HYLGG */
        assert_int_equal(counter(&b, 2), clocks > 402 ? 1000 - (clocks - 402) : 1000);
        assert_int_equal(counter(&b, 1), clocks > 400 ? 0 : 100 - (clocks - 1) / 4);
        bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock),        cmocka_unit_test(test_paused),
        cmocka_unit_test(test_normal),       cmocka_unit_test(test_self_reload),
        cmocka_unit_test(test_tables),       cmocka_unit_test(test_chain),
        cmocka_unit_test(test_no_tearing),   cmocka_unit_test(test_long_stretch),
        cmocka_unit_test(test_stretch_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
