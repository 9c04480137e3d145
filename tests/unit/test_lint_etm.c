/* SPDX-License-Identifier: BSD-2-Clause */
/* Which bits rules look at in the registers of PTM and ETMv3 (IHI0014 3.5, 3.6; IHI0035 3.16), and of
 * an MTB (DDI0486 3.2). */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "lint_bench.h"

/* 3.5.10: a range is used by ETMTECR1, ETMVDCR3, or an event: A, and B where the function (16:14) is of
 * two. */
static void test_ranges(void **state)
{
    static const struct {
        const char *text;
        unsigned shift; /* of the first range's bit */
    } users[] = {{"ETMTECR1=", 0}, {"ETMVDCR3=", 0}, {"ETMVDCR3=", 8}};

    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        const char format[] = "%s0x%x ETMACVR%u=0x1000 ETMACVR%u=0x%x ETMACTR%u=1 ETMACTR%u=2";
        const unsigned one = 2 * n + 1, other = 2 * ((n + 1) % 8) + 1;

        for (size_t u = 0; u < sizeof users / sizeof users[0]; u++) {
            const char *text = users[u].text;
            const uint32_t bit = 1u << (users[u].shift + n);
            /* the second one is behind the range: equal is empty */
            assert_true(is_told(ETMV3, "ETM-RANGE-ORDER", format, text, bit, one, one + 1, 0x1000,
                                one, one + 1));
            /* proves: ETMC-2.2.1-j */
            assert_true(has("ETM-RANGE-TYPES"));
            assert_false(is_told(ETMV3, "ETM-RANGE-ORDER", format, text, bit, one, one + 1, 0x1001,
                                 one, one + 1));
            assert_false(is_told(ETMV3, "ETM-RANGE-ORDER", format, text, bit, other, other + 1,
                                 0x1000, other, other + 1));
            assert_false(has("ETM-RANGE-TYPES"));
        }
        for (unsigned function = 0; function < 8; function++) {
            const uint32_t a = function << 14 | (0x10 + n), b = function << 14 | (0x10 + n) << 7;
            assert_true(is_told(PTM, "ETM-RANGE-ORDER", format, "ETMTRIGGER=", a | 0x6f << 7, one,
                                one + 1, 0, one, one + 1));
            assert_int_equal(is_told(PTM, "ETM-RANGE-ORDER", format, "ETMTRIGGER=", b | 0x6f, one,
                                     one + 1, 0, one, one + 1),
                             function >= 2);
            assert_false(is_told(PTM, "ETM-RANGE-ORDER", format, "ETMTRIGGER=", a | 0x6f << 7,
                                 other, other + 1, 0, other, other + 1));
        }
    }
    /* what stands beside the ranges among the resources is none */
    assert_false(is_told(PTM, "ETM-RANGE-ORDER", "ETMTRIGGER=0x0f ETMACVR15=2 ETMACVR16=1"));
    assert_false(is_told(PTM, "ETM-RANGE-ORDER", "ETMTRIGGER=0x18 ETMACVR1=2 ETMACVR2=1"));
    assert_false(is_told(PTM, "ETM-RANGE-ORDER", "ETMTRIGGER=0x8c6f ETMACVR1=2 ETMACVR2=1"));
}

/* 3.5.10, Table 3-27: what a range's two types, and one comparator's, have to be. */
static void test_types(void **state)
{
    static const struct look looks[] = {
        {ETMV3, "ETM-RANGE-TYPES", "ETMACTR2", 0, false, ~UINT64_C(0x60), "ETMTECR1=1 ETMACTR1=0"},
        {ETMV3, "ETM-RANGE-TYPES", "ETMACTR2", 0, false, ~UINT64_C(0x78),
         "ETMTECR1=1 ETMACTR1=0 ETMACVR2=0xffffffff"},
        {ETMV3, "ETM-RANGE-TYPES", "ETMACTR2", 0, false, ~UINT64_C(0x60),
         "ETMTECR1=1 ETMACTR1=0 ETMACVR2=0xfffffffe"},
        {PTM, "ETM-RANGE-TYPES", "ETMACTR2", 1, false, ~UINT64_C(0), "ETMTECR1=1 ETMACTR1=1"},
        {ETMV3, "ETM-DATA-EXCLUDE", "ETMACTR1", 0, false, 4, "ETMTECR1=0x1000001"},
        {ETMV3, "ETM-FETCH", "ETMSCR", 0, false, 1u << 17, "ETMTECR1=1 ETMACTR1=0"},
        {ETMV3, "ETM-FETCH", "ETMACTR1", 0, true, 7, "ETMTECR1=1 ETMSCR=0x20000"},
    };

    (void)state;
    LOOK_AT(looks);
    for (unsigned n = 1; n <= 16; n++) {
        char name[24], rest[64];
        snprintf(name, sizeof name, "ETMACTR%u", n);
        /* proves: ETMC-2.2.1-o */
        expect_looks(&(struct look){ETMV3, "ETM-DATA-COMPARE", name, 1, false, 0x60, ""}, 1);
        expect_looks(&(struct look){ETMV3, "ETM-DATA-COMPARE", name, 0x20, true, 0x24, ""}, 1);
        snprintf(rest, sizeof rest, "ETMTECR1=0x1000000 ETMACTR%u=4", n);
        /* proves: ETMC-2.6.4-c */
        expect_looks(
            &(struct look){ETMV3, "ETM-DATA-EXCLUDE", "ETMTECR2", 0, false, 1u << (n - 1), rest},
            1);
        snprintf(rest, sizeof rest, "ETMACTR%u=4", n);
        expect_looks(&(struct look){ETMV3, "ETM-DATA-EXCLUDE", "ETMTECR1", 0x1000000, false,
                                    1u << (n - 1) / 2, rest},
                     1);
        snprintf(rest, sizeof rest, "ETMSCR=0x20000 ETMACTR%u=0", n);
        expect_looks(
            &(struct look){ETMV3, "ETM-FETCH", "ETMTECR1", 0, false, 1u << (n - 1) / 2, rest}, 1);
    }
}

/* 3.5.1, 3.5.7, 3.5.8 and what follows. */
static void test_control(void **state)
{
    static const struct look looks[] = {
        {ETMV3, "ETM-STALL", "ETMCR", 0x80, false, 1u << 18, ""},
        {ETMV3, "ETM-STALL", "ETMCR", 0x40000, false, 1u << 7, ""},
        {ETMV3, "ETM-FIFO-LEVEL", "ETMCR", 0, false, 0x40080, "ETMFFLR=0"},
        {ETMV3, "ETM-FIFO-LEVEL", "ETMFFLR", 0, true, ALL, "ETMCR=0x80"},
        /* never: not always, whatever B is */
        {PTM, "ETM-VIEW-NEVER", "ETMTEEVR", 0x406f, true, 0x1c07f, ""},
        {PTM, "ETM-INCLUDES-NOTHING", "ETMTECR1", 0, true, 0x1ffffff, ""},
        {ETMV3, "ETM-INCLUDES-NOTHING", "ETMTECR2", 0, true, ALL, "ETMTECR1=0"},
        {PTM, "ETM-NEVER-STARTS", "ETMTECR1", 0x1000000, false, 1u << 25, "ETMTSSCR=0"},
        {PTM, "ETM-NEVER-STARTS", "ETMTSSCR", 0, true, 0xffff, "ETMTECR1=0x3000000"},
        {PTM, "ETM-NEVER-STARTS", "ETMTESSEICR", 0, true, 0xff, "ETMTECR1=0x3000000 ETMTSSCR=0"},
        {PTM, "ETM-NEVER-STARTS", "ETMSR", 0, true, 4, "ETMTECR1=0x3000000 ETMTSSCR=0"},
        {ETMV3, "ETM-CPRT", "ETMCR", 0, false, 1u << 19, ""},
        {ETMV3, "ETM-CPRT", "ETMCR", 0x80000, true, 0x80002, ""},
        {PTM, "ETM-PROGRAMMING", "ETMCR", 0, false, 1u << 10, ""},
        {PTM, "ETM-POWER-DOWN", "ETMCR", 0, false, 1, ""},
        {PTM, "ETM-NO-SYNC", "ETMSYNCFR", 0, true, 0xfff, ""},
        {PTM, "ETM-TIMESTAMPS", "ETMCR", 0, false, 1u << 28, "ETMTSEVR=0x6f"},
        {PTM, "ETM-TIMESTAMPS", "ETMTSEVR", 0x6f, true, 0x1c07f, "ETMCR=0x10000000"},
        {PTM, "ETM-NOT-BUILT", "ETMCR", 0, false, 0x70000000, "ETMCCER=0"},
        {ETMV3, "ETM-NOT-BUILT", "ETMCR", 0, false, 0x50000000, "ETMCCER=0"},
        {PTM, "ETM-NOT-BUILT", "ETMCCER", 0, true, 1u << 22, "ETMCR=0x10000000"},
        {PTM, "ETM-NOT-BUILT", "ETMCCER", 0, true, 1u << 23, "ETMCR=0x20000000"},
        {PTM, "ETM-NOT-BUILT", "ETMCCER", 0, true, 1u << 26, "ETMCR=0x40000000"},
        {PTM, "ETM-AUXILIARY", "ETMAUXCR", 0, false, ALL, ""},
        {MTB, "MTB-OFF", "MTB_MASTER", 0, true, 0x80000020, ""},
    };

    (void)state;
    LOOK_AT(looks);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 16; j++)
            /* proves: ETMC-2.6.4-g */
            assert_int_equal(is_told(PTM, "ETM-START-IS-STOP", "ETMTSSCR=0x%x",
                                     1u << i | UINT32_C(1) << (16 + j)),
                             i == j);
}

/* Table 3-6, by hand: sizes 7 and 10 to 13 are reserved; and of eight modes the one that is. */
static void test_port(void **state)
{
    (void)state;
    for (uint32_t size = 0; size < 16; size++)
        for (uint32_t mode = 0; mode < 8; mode++)
            /* proves: ETMC-3.5.1-d */
            assert_int_equal(
                is_told(ETMV3, "ETM-PORT", "ETMCR=0x%x",
                        (size & 7) << 4 | size >> 3 << 21 | (mode & 3) << 16 | mode >> 2 << 13),
                size == 7 || (size >= 10 && size <= 13) || mode == 2);
}

/* Table 3-81 beside Tables 3-10 and 3-48: how many of each resource there are; the other bits of the
 * register 0, or 1. */
static void test_resources(void **state)
{
    static const struct {
        unsigned first, count; /* of the resources */
        const char *name;
        unsigned high, low, each, most; /* the field, and what it may be */
    } rows[] = {
        {0x00, 16, "ETMCCR", 3, 0, 2, 8},   {0x10, 8, "ETMCCR", 3, 0, 1, 8},
        {0x18, 4, "ETMCCER", 15, 13, 1, 4}, {0x20, 8, "ETMCCER", 19, 16, 1, 8},
        {0x30, 16, "ETMCCR", 12, 8, 1, 16}, {0x40, 4, "ETMCCR", 15, 13, 1, 4},
        {0x50, 3, "ETMCCR", 16, 16, 3, 1},  {0x58, 3, "ETMCCR", 25, 24, 1, 3},
        {0x5f, 1, "ETMCCR", 26, 26, 1, 1},  {0x60, 4, "ETMCCR", 19, 17, 1, 4},
        {0x68, 4, "ETMCCER", 2, 0, 1, 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t mask = (UINT32_C(2) << rows[i].high) - (UINT32_C(1) << rows[i].low);
        for (uint32_t built = 0; built <= rows[i].most; built++)
            for (unsigned n = 0; n < rows[i].count; n++) {
                const uint32_t value =
                    built << rows[i].low | ((built ^ n) % 2 ? ~mask & UINT32_MAX : 0);
                const char format[] = "ETMTRIGGER=0x%x %s=0x%x";
                const unsigned resource = rows[i].first + n, a = 0x6f << 7 | resource,
                               b = 2u << 14 | resource << 7 | 0x6f;
                const bool absent = n >= built * rows[i].each;
                assert_int_equal(is_told(PTM, "ETM-RESOURCE", format, a, rows[i].name, value),
                                 absent);
                assert_int_equal(is_told(PTM, "ETM-RESOURCE", format, b, rows[i].name, value),
                                 absent);
            }
        /* nothing is known without the register; of A alone B says nothing */
        assert_false(is_told(PTM, "ETM-RESOURCE", "ETMTRIGGER=0x%x", rows[i].first));
        assert_false(is_told(PTM, "ETM-RESOURCE", "ETMTRIGGER=0x%x ETMCCR=0 ETMCCER=0",
                             1u << 14 | rows[i].first << 7 | 0x6f));
    }
    /* there always: the states of the core, and the input that is always true */
    for (unsigned n = 0x6d; n <= 0x6f; n++)
        assert_false(is_told(PTM, "ETM-RESOURCE", "ETMTRIGGER=0x%x ETMCCR=0 ETMCCER=0", n));
}

/* 3.5.11, 3.5.15: what the mask leaves out has to be 0 in the value. */
static void test_masked(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 32; bit++)
        for (unsigned n = 1; n <= 3; n++) {
            const char format[] = "ETMCIDCVR%u=0x%" PRIx32 " ETMCIDCMR=0x%" PRIx32;
            const uint32_t value = UINT32_C(1) << bit;
            assert_true(is_told(PTM, "ETM-MASKED", format, n, value, value));
            assert_false(is_told(PTM, "ETM-MASKED", format, n, value, ~value));
        }
    for (unsigned n = 1; n <= 8; n++) {
        const char format[] = "ETMDCVR%u=0x%x ETMDCMR%u=0x80000001";
        assert_true(is_told(ETMV3, "ETM-MASKED", format, n, 1, n));
        assert_true(is_told(ETMV3, "ETM-MASKED", format, n, 0x80000000u, n));
        assert_false(is_told(ETMV3, "ETM-MASKED", format, n, 0x7ffffffeu, n));
        assert_false(is_told(ETMV3, "ETM-MASKED", format, n, 1, n % 8 + 1));
    }
}

/* 3.4.3: the Programming bit is set alone. */
static void test_alone(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 31; bit++) {
        const uint32_t other = UINT32_C(1) << bit;
        if (other == 0x400)
            continue;
        /* proves: ETMC-3.4.3-b */
        assert_true(is_told(PTM, "ETM-ALONE", "read ETMCR 0x%x\nwrite ETMCR 0x400", other));
        assert_true(is_told(PTM, "ETM-ALONE", "read ETMCR 0\nwrite ETMCR 0x%x", 0x400 | other));
        assert_false(
            is_told(PTM, "ETM-ALONE", "read ETMCR 0x%x\nwrite ETMCR 0x%x", other, 0x400 | other));
        /* it is set already, or cleared */
        assert_false(
            is_told(PTM, "ETM-ALONE", "read ETMCR 0x400\nwrite ETMCR 0x%x", 0x400 | other));
        assert_false(is_told(PTM, "ETM-ALONE", "read ETMCR 0x400\nwrite ETMCR 0x%x", other));
        assert_false(is_told(PTM, "ETM-ALONE", "read ETMCR 0\nwrite ETMCR 0x%x", other));
    }
    assert_false(is_told(PTM, "ETM-ALONE", "read ETMCR 0x1\nread ETMCR 0x400"));
    assert_false(is_told(PTM, "ETM-ALONE", "read ETMCR 0x1\nwrite ETMTEEVR 0x400"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),    cmocka_unit_test(test_types),
        cmocka_unit_test(test_control),   cmocka_unit_test(test_port),
        cmocka_unit_test(test_resources), cmocka_unit_test(test_masked),
        cmocka_unit_test(test_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
