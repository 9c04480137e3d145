/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules look at of events, selectors and resources with a state: DDI0608 D7.3 with Tables D7.1
 * and D7.2, D7.7 to D7.11; the registers as the Arm ARM has them. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../house/share.h"
#include "lint_bench.h"

/* TRCIDR4.NUMRSPAIR: N is N + 1 pairs. */
static void test_selectors(void **state)
{
    (void)state;
    for (unsigned pairs = 2; pairs <= 16; pairs++) {
        const uint32_t idr4 = (pairs - 1) << 16;
        for (unsigned n = 1; n < 32; n++)
            assert_int_equal(is_told(ETE, "EVENT-SELECTOR", "TRCTSCTLR=%u TRCIDR4=0x%x", n,
                                     pairs % 2 ? idr4 : idr4 | 0xfff0ffffu),
                             n >= 2 * pairs);
        for (unsigned n = 1; n < 16; n++)
            assert_int_equal(
                is_told(ETE, "EVENT-SELECTOR", "TRCTSCTLR=%u TRCIDR4=0x%x", 0x80 + n, idr4),
                n >= pairs);
    }
}

/* Each selector, and each pair, is looked at by its number. */
static void test_each_selector(void **state)
{
    (void)state;
    for (unsigned n = 2; n < 32; n++) {
        const unsigned other = n == 31 ? 2 : n + 1;
        /* a range has no resource 8; this unit has no range 4 */
        assert_true(is_told(ETE, "SELECTOR-RESERVED", "TRCRSCTLR%u=0x50100", n));
        assert_string_equal(told[0].name + strlen("TRCRSCTLR") + (n > 9 ? 2 : 1), "");
        assert_false(is_told(ETE, "SELECTOR-RESERVED", "TRCRSCTLR%u=0x50080", n));
        assert_true(is_told(ETE, "SELECTOR-NOT-BUILT", "TRCRSCTLR%u=0x50010 TRCIDR4=0xf0004", n));
        assert_false(is_told(ETE, "SELECTOR-NOT-BUILT", "TRCRSCTLR%u=0x50008 TRCIDR4=0xf0004", n));
        /* proves: R_HVNQG */
        assert_true(is_told(ETE, "VIEW-NEVER", "TRCVICTLR=0x%x TRCRSCTLR%u=0", 0x200 + n, n));
        assert_false(is_told(ETE, "VIEW-NEVER", "TRCVICTLR=0x%x TRCRSCTLR%u=0", 0x200 + n, other));
    }
    for (unsigned n = 1; n < 16; n++) {
        const char format[] = "TRCTSCTLR=0x%x TRCRSCTLR%u=0x40001 TRCRSCTLR%u=0x140002";
        assert_true(is_told(ETE, "PAIR-FUNCTION", format, 0x80 + n, 2 * n, 2 * n + 1));
        assert_false(is_told(ETE, "PAIR-FUNCTION", format, 0x80 + n % 15 + 1, 2 * n, 2 * n + 1));
    }
}

/* Table D7.1: which resources a group has, a bit each. */
static void test_groups(void **state)
{
    static const uint32_t members[8] = {0x000f, 0x00ff, 0x00ff, 0x00ff,
                                        0xffff, 0x00ff, 0x00ff, 0x00ff};

    (void)state;
    for (unsigned group = 0; group < 8; group++) {
        const struct look look = {ETE,
                                  "SELECTOR-RESERVED",
                                  "TRCRSCTLR2",
                                  group << 16,
                                  false,
                                  0x80000 | (~members[group] & 0xffff),
                                  ""};
        expect_looks(&look, 1);
    }
}

/* How many of each there are, in TRCIDR4 and TRCIDR5: their other bits 0, or 1. */
static void test_counts(void **state)
{
    static const struct {
        unsigned group;
        const char *name;
        unsigned high, low, each, most;
    } counts[] = {{0, "TRCIDR5", 11, 9, 1, 4},  {1, "TRCIDR4", 15, 12, 1, 8},
                  {2, "TRCIDR5", 30, 28, 1, 4}, {3, "TRCIDR4", 23, 20, 1, 8},
                  {4, "TRCIDR4", 3, 0, 2, 8},   {5, "TRCIDR4", 3, 0, 1, 8},
                  {6, "TRCIDR4", 27, 24, 1, 8}, {7, "TRCIDR4", 31, 28, 1, 8}};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const unsigned high = counts[i].high, low = counts[i].low;
        const uint32_t mask = (UINT32_C(2) << high) - (UINT32_C(1) << low);
        for (uint32_t count = 0; count <= counts[i].most; count++)
            for (unsigned n = 0; n < counts[i].most * counts[i].each; n++)
                assert_int_equal(is_told(ETE, "SELECTOR-NOT-BUILT", "TRCRSCTLR2=0x%x %s=0x%x",
                                         counts[i].group << 16 | 1u << n, counts[i].name,
                                         count << low | ((count ^ n) % 2 ? ~mask : 0)),
                                 n >= count * counts[i].each);
    }
    /* four states of a sequencer, or none */
    static const struct look looks[] = {
        {ETE, "SELECTOR-NOT-BUILT", "TRCIDR5", 0, true, 0xe000000, "TRCRSCTLR2=0x20010"},
        {ETE, "SELECTOR-NOT-BUILT", "TRCIDR5", 0, true, 0xe000000, "TRCRSCTLR2=0x20020"},
        {ETE, "SELECTOR-NOT-BUILT", "TRCIDR5", 0, true, 0xe000000, "TRCRSCTLR2=0x20040"},
        {ETE, "SELECTOR-NOT-BUILT", "TRCIDR5", 0, true, 0xe000000, "TRCRSCTLR2=0x20080"},
    };
    LOOK_AT(looks);
}

static void test_events(void **state)
{
    static const struct look looks[] = {
        {ETE, "EVENT-PAIR-0", "TRCTSCTLR", 0x80, true, 0xff, ""},
        {ETE, "EVENT-NEVER", "TRCEVENTCTL1R", 0, false, 0x80f, "TRCEVENTCTL0R=0"},
        {ETE, "EVENT-NEVER", "TRCEVENTCTL0R", 0, true, 0x9f, "TRCEVENTCTL1R=1"},
        {ETE, "EVENT-NEVER", "TRCEVENTCTL0R", 0, true, 0x9f00, "TRCEVENTCTL1R=2"},
        {ETE, "EVENT-NEVER", "TRCEVENTCTL0R", 0, true, 0x9f0000, "TRCEVENTCTL1R=4"},
        {ETE, "EVENT-NEVER", "TRCEVENTCTL0R", 0, true, 0x9f000000, "TRCEVENTCTL1R=8"},
        {ETE, "EVENT-NEVER", "TRCRSCTLR2", 0, true, 0x10ffff, "TRCEVENTCTL0R=0x2000000"},
        {ETE, "EVENT-NEVER", "TRCRSCTLR2", 0, true, 0x10ffff, "TRCTSCTLR=2 TRCEVENTCTL0R=0"},
        {ETE, "EVENT-ALWAYS", "TRCEVENTCTL1R", 0, false, 1, "TRCEVENTCTL0R=0x1"},
        {ETE, "EVENT-ALWAYS", "TRCEVENTCTL1R", 0, false, 2, "TRCEVENTCTL0R=0x100"},
        {ETE, "EVENT-ALWAYS", "TRCEVENTCTL1R", 0, false, 4, "TRCEVENTCTL0R=0x10000"},
        {ETE, "EVENT-ALWAYS", "TRCEVENTCTL1R", 0, false, 8, "TRCEVENTCTL0R=0x1000000"},
        {ETE, "EVENT-ALWAYS", "TRCCONFIGR", 1, false, 0x800, "TRCTSCTLR=1"},
        {ETE, "EVENT-ALWAYS", "TRCTSCTLR", 0, false, 1, "TRCCONFIGR=0x801"},
        {ETE, "PAIR-FUNCTION", "TRCRSCTLR2", 0x40001, true, 0x300000,
         "TRCTSCTLR=0x81 TRCRSCTLR3=0x140002"},
        {ETE, "PAIR-FUNCTION", "TRCRSCTLR3", 0x140002, true, 0x100000,
         "TRCTSCTLR=0x81 TRCRSCTLR2=0x40001"},
    };

    (void)state;
    LOOK_AT(looks);
}

/* D7.3.1: a selector is never, sometimes or always active, or nothing is told of it; a pair is both,
 * perhaps inverted. The other functions (Table D7.2) come of INV. */
static void test_pairs(void **state)
{
    enum { NEVER, SOMETIMES, ALWAYS };
    static const uint32_t values[] = {[NEVER] = 0, [SOMETIMES] = 0x40001, [ALWAYS] = 0x100000};

    (void)state;
    for (unsigned a = NEVER; a <= ALWAYS; a++)
        for (unsigned b = NEVER; b <= ALWAYS; b++)
            for (unsigned inverted = 0; inverted < 2; inverted++) {
                const bool never = a == NEVER || b == NEVER, always = a == ALWAYS && b == ALWAYS;
                assert_int_equal(is_told(ETE, "VIEW-NEVER",
                                         "TRCVICTLR=0x281 TRCRSCTLR2=0x%x TRCRSCTLR3=0x%x",
                                         values[a] | inverted << 21, values[b]),
                                 inverted ? always : never);
                assert_int_equal(is_told(ETE, "EVENT-ALWAYS",
                                         "TRCEVENTCTL0R=0x81 TRCEVENTCTL1R=1 TRCRSCTLR2=0x%x "
                                         "TRCRSCTLR3=0x%x",
                                         values[a] | inverted << 21, values[b]),
                                 inverted ? never : always);
            }
    /* where one is not told of, the other may be enough; PAIRINV is the first one's */
    assert_true(is_told(ETE, "VIEW-NEVER", "TRCVICTLR=0x281 TRCRSCTLR2=0"));
    assert_false(is_told(ETE, "VIEW-NEVER", "TRCVICTLR=0x281 TRCRSCTLR2=0x300000"));
    assert_false(is_told(ETE, "VIEW-NEVER", "TRCVICTLR=0x281 TRCRSCTLR3=0"));
}

/* D7.7: the counter n is used by a selector. */
static void test_counters(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        char used[64], counter[24], reload[24], value[24], rest[160];
        /* a chained counter is counted by the one below, of which nothing is told: it may reload */
        const uint32_t counted = 0x9f | (n % 2 ? 0x20000u : 0);

        snprintf(used, sizeof used, "TRCTSCTLR=2 TRCRSCTLR2=0x%x", 0x20000u | 1u << n);
        snprintf(counter, sizeof counter, "TRCCNTCTLR%u", n);
        snprintf(reload, sizeof reload, "TRCCNTRLDVR%u", n);
        snprintf(value, sizeof value, "TRCCNTVR%u", n);
        expect_looks(&(struct look){ETE, "COUNTER-STANDS", counter, 0, true, counted, used}, 1);
        snprintf(rest, sizeof rest, "%s %s=0", used, value);
        expect_looks(&(struct look){ETE, "COUNTER-EMPTY", counter, 0, true, 0x19f00, rest}, 1);
        snprintf(rest, sizeof rest, "%s %s=0", used, counter);
        expect_looks(&(struct look){ETE, "COUNTER-EMPTY", value, 0, true, 0xffff, rest}, 1);
        snprintf(rest, sizeof rest, "%s %s=0", used, reload);
        expect_looks(&(struct look){ETE, "COUNTER-RELOAD", counter, 0, false, 0x10000, rest}, 1);
        snprintf(rest, sizeof rest, "%s %s=0x10000", used, counter);
        expect_looks(&(struct look){ETE, "COUNTER-RELOAD", reload, 0, true, 0xffff, rest}, 1);
        /* who uses it: a selector of group 2 that an event uses */
        snprintf(rest, sizeof rest, "TRCTSCTLR=2 %s=0", counter);
        expect_looks(
            &(struct look){ETE, "COUNTER-STANDS", "TRCRSCTLR2", 0x20000, false, 1u << n, rest}, 1);
    }
    for (unsigned n = 1; n < 4; n += 2) {
        char below[24], rest[160];

        /* chained, and the counter below reloads: by itself, or by an event */
        snprintf(below, sizeof below, "TRCCNTCTLR%u", n - 1);
        snprintf(rest, sizeof rest, "TRCTSCTLR=2 TRCRSCTLR2=0x%x TRCCNTCTLR%u=0x20000",
                 0x20000u | 1u << n, n);
        expect_looks(&(struct look){ETE, "COUNTER-STANDS", below, 1, true, 0x19f00, rest}, 1);
        /* and then the one below is used, too */
        snprintf(rest, sizeof rest, "TRCTSCTLR=2 TRCRSCTLR2=0x%x %s=0x10000", 0x20000u | 1u << n,
                 below);
        snprintf(below, sizeof below, "TRCCNTCTLR%u", n);
        expect_looks(&(struct look){ETE, "COUNTER-STANDS", below, 1, false, 0x20001, rest}, 1);
    }
}

/* D7.8: where a sequencer comes to, by hand: forward from n by TRCSEQEVRn.F, back to n by .B, to 0 by
 * the reset event, from wherever it is. */
static void test_sequencer(void **state)
{
    (void)state;
    for (unsigned events = 0; events<128; events += TEST_SHARE> 1 ? 7 : 1)
        for (unsigned from = 0; from < 4; from++) {
            const unsigned forward = events & 7, back = events >> 3 & 7, reset = events >> 6;
            uint32_t comes_to = 1u << from;
            bool leaves;

            for (unsigned n = from; n < 3 && (forward >> n & 1); n++)
                comes_to |= 2u << n;
            for (unsigned n = from; n > 0 && (back >> (n - 1) & 1); n--)
                comes_to |= 1u << (n - 1);
            if (reset)
                for (unsigned n = 0; n < 4; n++) {
                    comes_to |= 1u << n;
                    if (n == 3 || !(forward >> n & 1))
                        break;
                }
            leaves = (from < 3 && (forward >> from & 1)) ||
                     (from > 0 && ((back >> (from - 1) & 1) || reset));
            for (unsigned wanted = events % 4; wanted < 4; wanted += 2) {
                /* proves: R_JDPYL */
                assert_int_equal(is_told(ETE, "SEQUENCER-STATE",
                                         "TRCTSCTLR=2 TRCRSCTLR2=0x%x TRCSEQSTR=%u TRCSEQEVR0=0x%x "
                                         "TRCSEQEVR1=0x%x TRCSEQEVR2=0x%x TRCSEQRSTEVR=%u",
                                         0x20000u | 0x10u << wanted, from,
                                         (forward & 1) | (back & 1) << 8,
                                         (forward >> 1 & 1) | (back >> 1 & 1) << 8,
                                         (forward >> 2 & 1) | (back >> 2 & 1) << 8, reset),
                                 !(comes_to >> wanted & 1));
                assert_int_equal(has_grave("SEQUENCER-STUCK"), !leaves);
            }
        }
}

/* Where the events stand: F in bits 7:0 of TRCSEQEVRn, B in 15:8 of the one below. */
static void test_sequencer_bits(void **state)
{
#define USED "TRCTSCTLR=2 TRCRSCTLR2=0x20010 "
    static const struct look looks[] = {
        /* the other states can be left */
        {ETE, "SEQUENCER-STUCK", "TRCSEQEVR0", 0, true, 0x9f,
         USED "TRCSEQSTR=0 TRCSEQEVR1=0 TRCSEQEVR2=0 TRCSEQRSTEVR=1"},
        {ETE, "SEQUENCER-STUCK", "TRCSEQEVR0", 1, true, 0x9f00,
         USED "TRCSEQSTR=1 TRCSEQEVR1=0 TRCSEQEVR2=0"},
        {ETE, "SEQUENCER-STUCK", "TRCSEQEVR1", 0, true, 0x9f,
         USED "TRCSEQSTR=1 TRCSEQEVR0=0 TRCSEQEVR2=0x101"},
        {ETE, "SEQUENCER-STUCK", "TRCSEQEVR2", 1, true, 0x9f00,
         USED "TRCSEQSTR=3 TRCSEQEVR0=0 TRCSEQEVR1=0"},
        {ETE, "SEQUENCER-STUCK", "TRCSEQRSTEVR", 0, true, 0x9f,
         USED "TRCSEQSTR=3 TRCSEQEVR0=1 TRCSEQEVR1=0 TRCSEQEVR2=0"},
        {ETE, "SEQUENCER-STATE", "TRCSEQSTR", 0, false, 3,
         USED "TRCSEQEVR0=1 TRCSEQEVR1=1 TRCSEQEVR2=1"},
    };

    (void)state;
    LOOK_AT(looks);
}

/* D7.9, D7.11. */
static void test_single_shots(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        char used[64], control[24], inputs[24], status[24], rest[160];

        snprintf(used, sizeof used, "TRCTSCTLR=2 TRCRSCTLR2=0x%x", 0x30000u | 1u << n);
        snprintf(control, sizeof control, "TRCSSCCR%u", n);
        snprintf(inputs, sizeof inputs, "TRCSSPCICR%u", n);
        snprintf(status, sizeof status, "TRCSSCSR%u", n);
        expect_looks(&(struct look){ETE, "SINGLE-SHOT-NONE", control, 0, true, 0xffffff, used}, 1);
        snprintf(rest, sizeof rest, "%s %s=0", used, control);
        expect_looks(&(struct look){ETE, "SINGLE-SHOT-NONE", inputs, 0, true, ALL, rest}, 1);
        expect_looks(&(struct look){ETE, "SINGLE-SHOT-FIRED", status, 0, false, 0x80000000, rest},
                     1);
        snprintf(rest, sizeof rest, "%s %s=0x80000000", used, status);
        expect_looks(&(struct look){ETE, "SINGLE-SHOT-FIRED", control, 0, true, 1u << 24, rest}, 1);
        snprintf(rest, sizeof rest, "TRCTSCTLR=2 %s=0", control);
        expect_looks(
            &(struct look){ETE, "SINGLE-SHOT-NONE", "TRCRSCTLR2", 0x30000, false, 1u << n, rest},
            1);
    }
    for (unsigned n = 0; n < 4; n++)
        for (unsigned input = 2; input < 6; input++)
            for (unsigned unused = 0; unused < 2; unused++)
                assert_int_equal(is_told(ETMV4, "EXTERNAL-INPUT",
                                         "TRCTSCTLR=2 TRCRSCTLR2=0x%x TRCEXTINSELR=0x%x "
                                         "TRCIDR5=0x28c70804",
                                         1u << (n + unused) % 4, input << 8 * n),
                                 !unused && input >= 4);
    /* all nine bits of NUMEXTIN; 0x1ff stands for the events of the PMU */
    static const struct look looks[] = {
        {ETMV4, "EXTERNAL-INPUT", "TRCIDR5", 0x28c70801, true, 0x1fe,
         "TRCTSCTLR=2 TRCRSCTLR2=1 TRCEXTINSELR=1"},
        {ETMV4, "EXTERNAL-INPUT", "TRCIDR5", 0x28c709ff, false, 0x100,
         "TRCTSCTLR=2 TRCRSCTLR2=1 TRCEXTINSELR=0xff"},
    };
    LOOK_AT(looks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selectors),    cmocka_unit_test(test_each_selector),
        cmocka_unit_test(test_groups),       cmocka_unit_test(test_counts),
        cmocka_unit_test(test_events),       cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_counters),     cmocka_unit_test(test_sequencer),
        cmocka_unit_test(test_single_shots), cmocka_unit_test(test_sequencer_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
