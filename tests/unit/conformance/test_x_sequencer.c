/* SPDX-License-Identifier: BSD-2-Clause */
/* The sequencer: DDI0608 D7.8. Its states are ETEEvents 0 to 3, seen a clock after the clock that
 * was in them. */
#include "bench.h"

/* SequencerState[n] is ETEEvent n. */
#define STATES SELECTORS "outputs TRCEVENTCTL0R=0x0d0c0b0a "

static unsigned sequencer(struct bench *b)
{
    return (unsigned)read_register(b, "TRCSEQSTR");
}

static unsigned selection(unsigned active)
{
    return active ? 2 : 0; /* input 0, or FALSE */
}

/* A unit in this state, of which input 0 activates those of F0 to F2, B0 to B2 and RST (bits 0 to 6)
 * that are given. */
static void begin(struct bench *b, unsigned state, unsigned events)
{
    char text[700];

    snprintf(text, sizeof text,
             STATES
             "TRCSEQSTR=%u TRCSEQEVR0=0x%x TRCSEQEVR1=0x%x TRCSEQEVR2=0x%x TRCSEQRSTEVR=0x%x",
             state, selection(events & 1) | selection(events & 8) << 8,
             selection(events & 2) | selection(events & 16) << 8,
             selection(events & 4) | selection(events & 32) << 8, selection(events & 64));
    bench_begin(b, text);
}

/* Where the table of R_JDPYL leads, read as a way: up as long as the next step up is active, else
 * down as long as the step down is and the step up from there is not. The states on the way. */
static unsigned follow(unsigned state, unsigned events, unsigned *passed)
{
    const unsigned F = events & 7, B = events >> 3 & 7;
    unsigned at = state;

    *passed = 1u << state;
    if (events & 64)
        return 0;
    while (at < 3 && (F >> at & 1)) {
        *passed |= 1u << at;
        at++;
    }
    if (at != state)
        return at;
    while (at > 0 && (B >> (at - 1) & 1) && !(F >> (at - 1) & 1)) {
        *passed |= 1u << at;
        at--;
    }
    return at;
}

static void test_table(void **state)
{
    (void)state;
    for (unsigned from = 0; from < 4; from++) {
        for (unsigned events = 0; events < 128; events++) {
            unsigned passed;
            const unsigned to = follow(from, events, &passed);
            struct bench b;
            char expected[16];

            begin(&b, from, events);
            clock_with(&b, 1);
            /* proves: R_JDPYL, D7.8.1.2, D7.8.1.4 */
            assert_int_equal(sequencer(&b), to);
            (void)bench_outputs(&b);
            cycles(&b, 1);
            snprintf(expected, sizeof expected, "1:%x", passed);
            /* proves: D7.8.1.3, D7.8.1.1 */
            assert_outputs(&b, expected);
            bench_end(&b);
        }
    }
}

static void test_four_states(void **state)
{
    struct bench b;
    unsigned seen = 0, random = 1;

    (void)state;
    bench_begin(&b, SELECTORS "TRCSEQEVR0=0x0502 TRCSEQEVR1=0x0503 TRCSEQEVR2=0x0504");
    for (unsigned i = 0; i < 10000; i++) {
        random = random * 1103515245u + 12345u;
        clock_with(&b, random >> 16 & 0xf);
        assert_true(sequencer(&b) < 4);
        seen |= 1u << sequencer(&b);
    }
    /* proves: R_QYNJH */
    assert_int_equal(seen, 0xf);
    bench_end(&b);
}

static void test_start(void **state)
{
    (void)state;
    for (unsigned from = 0; from < 4; from++) {
        struct bench b;
        char expected[16];

        begin(&b, from, 0);
        cycles(&b, 1);
        snprintf(expected, sizeof expected, "0:%x", 1u << from);
        /* proves: R_TQWHX */
        assert_outputs(&b, expected); /* in the first clock */
        assert_int_equal(sequencer(&b), from);
        bench_end(&b);
    }
}

static void test_priorities(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 1, 2 | 8); /* F1 and B0 */
    clock_with(&b, 1);
    /* proves: R_NPVRQ */
    assert_int_equal(sequencer(&b), 2);
    bench_end(&b);

    begin(&b, 0, 1 | 2); /* F0 and F1 */
    clock_with(&b, 1);
    /* proves: I_QNFJZ */
    assert_int_equal(sequencer(&b), 2);
    bench_end(&b);

    for (unsigned from = 0; from < 4; from++) {
        begin(&b, from, 127);
        clock_with(&b, 1);
        /* proves: R_KVSXC */
        assert_int_equal(sequencer(&b), 0);
        bench_end(&b);
    }

    /* RST by input 1, F0 by input 0: not in the clock of RST, but in the next. */
    bench_begin(&b, STATES "TRCSEQSTR=2 TRCSEQEVR0=2 TRCSEQRSTEVR=3");
    clock_with(&b, 3);
    /* proves: R_HQBFB */
    assert_int_equal(sequencer(&b), 0);
    clock_with(&b, 1);
    /* proves: R_HQBFB */
    assert_int_equal(sequencer(&b), 1);
    bench_end(&b);
}

static void test_passing(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 0, 1 | 2 | 4);
    clock_with(&b, 1); /* 0 to 3 */
    cycles(&b, 2);
    /* Of the clock that moved: 0, 1 and 2; then 3. */
    /* proves: R_HQHFT, I_DCFMF */
    assert_outputs(&b, "0:1 1:7 2:8");
    bench_end(&b);

    begin(&b, 3, 16 | 32); /* B1, B2 */
    clock_with(&b, 1);
    cycles(&b, 2);
    /* proves: I_DCFMF */
    assert_outputs(&b, "0:8 1:c 2:2");
    bench_end(&b);

    begin(&b, 3, 8 | 16 | 32 | 64); /* RST passes through nothing */
    clock_with(&b, 1);
    cycles(&b, 2);
    /* proves: R_HQHFT, I_DCFMF */
    assert_outputs(&b, "0:8 1:8 2:1");
    bench_end(&b);
}

/* Two comparators that match in one clock have no order: the two instructions of F0 and F1 are in one
 * block, whichever comes first. */
static void test_no_order(void **state)
{
    (void)state;
    for (unsigned swapped = 0; swapped < 2; swapped++) {
        struct bench b;
        char text[256];

        snprintf(text, sizeof text,
                 "TRCACVR0=%s TRCACVR1=%s TRCRSCTLR2=0x40001 TRCRSCTLR3=0x40002 "
                 "TRCSEQEVR0=2 TRCSEQEVR1=3",
                 swapped ? "0x1004" : "0x1000", swapped ? "0x1000" : "0x1004");
        bench_begin(&b, text);
        code(&b, 0x1000, 2);
        cycles(&b, 1);
        /* proves: I_YQZGV */
        assert_int_equal(sequencer(&b), 2);
        bench_end(&b);
    }
}

static void test_register(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 0, 1);
    clock_with(&b, 1);
    cairn_unit_disable(b.unit);
    /* proves: R_VDTDP */
    assert_int_equal(sequencer(&b), 1);
    cairn_unit_enable(b.unit);
    cycles(&b, 3);
    /* proves: R_VNGFG */
    assert_int_equal(sequencer(&b), 1);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),    cmocka_unit_test(test_four_states),
        cmocka_unit_test(test_start),    cmocka_unit_test(test_priorities),
        cmocka_unit_test(test_passing),  cmocka_unit_test(test_no_order),
        cmocka_unit_test(test_register),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
