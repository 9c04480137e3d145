/* SPDX-License-Identifier: BSD-2-Clause */
/* Which bits of a register a rule looks at: each bit of each, alone. The fields are where DDI0608
 * D6.8, D7, D10 and the Arm ARM, IHI0014 3.5 and 3.6 and IHI0035 3.16 have them. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lint_bench.h"

/* D6.9, D6.10, D1.5: what TRCCONFIGR asks for, and what goes with it. */
static void test_options(void **state)
{
    static const struct look looks[] = {
        {ETE, "TRACE-ID", "TRCTRACEIDR", 0x60, false, 0x10, ""},
        {ETE, "TRACE-ID", "TRCTRACEIDR", 0x00, true, 0x7f, ""},
        {ETE, "TRACE-ID", "TRCTRACEIDR", 0x7f, true, 0x70, ""},
        {PTM, "TRACE-ID", "ETMTRACEIDR", 0x60, false, 0x10, ""},
        {ETE, "NO-SYNC", "TRCSYNCPR", 0, true, 0x1f, ""},
        {ETE, "NO-SYNC", "TRCIDR3", 0x0d7b0004, true, 1u << 25, "TRCSYNCPR=0"},
        /* CCITMIN is 4 */
        {ETE, "THRESHOLD", "TRCCONFIGR", 0x1, false, 0x10, "TRCCCCTLR=3 TRCIDR3=0x0d7b0004"},
        {ETE, "THRESHOLD", "TRCCCCTLR", 0, true, 0xffc, "TRCCONFIGR=0x11 TRCIDR3=0x0d7b0004"},
        {ETE, "THRESHOLD", "TRCIDR3", 0x0d7b0000, false, 0xff8, "TRCCONFIGR=0x11 TRCCCCTLR=4"},
        {ETE, "STALL", "TRCSTALLCTLR", 0x2000, true, 0x2100, ""},
        {ETE, "STALL", "TRCSTALLCTLR", 0, false, 0x2000, ""},
        {ETE, "STALL-IGNORED", "TRCSTALLCTLR", 0, false, 0x0f, "TRCIDR3=0x0d7b0004"},
        {ETE, "STALL-IGNORED", "TRCSTALLCTLR", 0, false, 0x10f, "TRCIDR3=0x057b0004"},
        {ETE, "STALL-IGNORED", "TRCIDR3", 0x057b0004, true, 1u << 27, "TRCSTALLCTLR=0x100"},
        {ETE, "RANGE-NONE", "TRCBBCTLR", 0x100, true, 0x1ff, ""},
        {ETE, "RANGE-NONE", "TRCBBCTLR", 0, false, 0x100, ""},
        /* QSUPP is 2: without a count alone; then what TRCQCTLR allows */
        {ETE, "Q", "TRCCONFIGR", 0x2001, true, 0x6000, "TRCIDR0=0x08010ea1"},
        {ETE, "Q", "TRCIDR0", 0x08010ea1, true, 0x18000, "TRCCONFIGR=0x2001"},
        {ETE, "Q", "TRCCONFIGR", 0x1, false, 0x6000, "TRCQCTLR=0x100"},
        {ETE, "Q", "TRCQCTLR", 0x100, true, 0x1ff, "TRCCONFIGR=0x2001"},
        {ETE, "OPTION-OFF", "TRCCONFIGR", 0x1, true, 0x10, "TRCCCCTLR=0x100"},
        {ETE, "OPTION-OFF", "TRCCONFIGR", 0x1, true, 0x800, "TRCTSCTLR=1"},
        {ETE, "OPTION-OFF", "TRCCONFIGR", 0x1, true, 0x8, "TRCBBCTLR=1"},
        {ETE, "OPTION-OFF", "TRCCCCTLR", 0, false, ALL, "TRCCONFIGR=1"},
        {ETE, "TRFCR", "TRFCR_EL1", 0, true, 3, ""},
        {ETE, "TRFCR", "TRFCR_EL2", 0, true, 3, "TRFCR_EL1=0"},
    };

    (void)state;
    LOOK_AT(looks);
}

/* What TRCIDR0 and TRCIDR2 say is there: one option of TRCCONFIGR after the other. */
static void test_built(void **state)
{
    static const struct look looks[] = {
        {ETE, "NOT-BUILT", "TRCIDR0", 0x28c1ce81, true, 1u << 5, "TRCCONFIGR=0x9"},
        {ETE, "NOT-BUILT", "TRCIDR0", 0x28c1ce21, true, 1u << 7, "TRCCONFIGR=0x11"},
        {ETE, "NOT-BUILT", "TRCIDR0", 0x28c1cca1, true, 1u << 9, "TRCCONFIGR=0x1001"},
        {ETE, "NOT-BUILT", "TRCIDR0", 0x20c1cea1, true, 0x1f000000, "TRCCONFIGR=0x801"},
        {ETE, "NOT-BUILT", "TRCIDR0", 0x28c04ea1, true, 0x18000, "TRCCONFIGR=0x2001"},
        {ETE, "NOT-BUILT", "TRCIDR0", 0x2881cea1, true, 1u << 22, "TRCCONFIGR=0x40001"},
        {ETE, "NOT-BUILT", "TRCIDR2", 0x30001008, true, 0x3e0, "TRCCONFIGR=0x41"},
        {ETE, "NOT-BUILT", "TRCIDR2", 0x30000088, true, 0x7c00, "TRCCONFIGR=0x81"},
        {ETE, "NOT-BUILT", "TRCIDR2", 0x10001088, true, 0x60000000, "TRCCONFIGR=0x8001"},
        {ETMV4, "NOT-BUILT", "TRCIDR0", 0x2881cef9, true, 0x6, "TRCCONFIGR=0x7"},
        {ETMV4, "NOT-BUILT", "TRCIDR0", 0x2881cebf, true, 0x40, "TRCCONFIGR=0x101"},
        {ETMV4, "NOT-BUILT", "TRCIDR0", 0x2881cee7, true, 0x18, "TRCCONFIGR=0x30001"},
        {ETE, "NOT-BUILT", "TRCIDR3", 0x8b7f0000, true, 1u << 26, "TRCSTALLCTLR=0x10f"},
        {ETE, "NOT-BUILT", "TRCIDR3", 0x0d7f0000, true, 1u << 31, "TRCSTALLCTLR=0x2100"},
        {ETE, "NOT-BUILT", "TRCIDR3", 0x8c7f0000, true, 1u << 24, "TRCVICTLR=0xa01"},
        {ETE, "NOT-BUILT", "TRCIDR5", 0x498709ff, true, 1u << 22, "TRCEVENTCTL1R=0x800"},
        {ETE, "NOT-BUILT", "TRCIDR5", 0x494709ff, true, 1u << 23, "TRCEVENTCTL1R=0x1000"},
        {ETE, "IDENTIFICATION", "TRCIDR8", 0, true, ALL, "TRCIDR0=0x68c1cea1"}, /* R_VVFQZ */
        {ETE, "IDENTIFICATION", "TRCIDR8", 0, false, 0, "TRCIDR0=0x28c1cea1"},
    };

    (void)state;
    LOOK_AT(looks);
}

/* D6.8: ViewInst. */
static void test_view(void **state)
{
    static const struct look looks[] = {
        /* a selector or pair that is not told of may be active; bits 6:5 select nothing */
        {ETE, "VIEW-NEVER", "TRCVICTLR", 0x200, true, 0x9f, ""},
        {ETE, "LEVELS-NONE", "TRCVICTLR", 0x7f0201, true, 0x7f0000, ""},
        {ETE, "LEVELS-NONE", "TRCVICTLR", 0x77f0201, true, 0x77f0000, "TRCIDR6=7"},
        /* what is left: EL0 of Secure state, EL1 and EL2 of Non-secure; EL0 and EL2 of Realm */
        {ETE, "LEVELS-NONE", "TRCIDR3", 0x0d1e0004, true, 0x610000, "TRCVICTLR=0x1e0201"},
        {ETE, "LEVELS-NONE", "TRCIDR6", 2, true, 5, "TRCVICTLR=0x27f0201"},
        {ETE, "NEVER-STARTS", "TRCVICTLR", 1, true, 0x200, ""},
        {ETE, "NEVER-STARTS", "TRCVISSCTLR", 0, true, 0xffff, "TRCVICTLR=1"},
        {ETE, "NEVER-STARTS", "TRCVIPCSSCTLR", 0, true, 0xff, "TRCVICTLR=1"},
        {ETE, "NEVER-STOPS", "TRCVISSCTLR", 0, false, ALL, ""},
        {ETE, "NEVER-STOPS", "TRCVISSCTLR", 0x10000, true, 0x1ffff, ""},
        {ETE, "NEVER-STOPS", "TRCVIPCSSCTLR", 0, false, 0xff00ff, ""},
        {ETE, "NEVER-STOPS", "TRCVIPCSSCTLR", 0, true, 0xff, "TRCVISSCTLR=0x10000"},
        {ETE, "NEVER-STOPS", "TRCVIPCSSCTLR", 0, true, 0xff0000, "TRCVISSCTLR=1"},
        {ETE, "RANGE-TYPES", "TRCACATR1", 0, false, ALL, "TRCVIIECTLR=1 TRCACATR0=0"},
        {ETE, "EXCLUDES-ALL", "TRCACATR2", 0, true, ALL,
         "TRCVIIECTLR=0x20001 TRCACVR0=8 TRCACVR1=9 TRCACVR2=8 TRCACVR3=9"},
        {ETE, "ADDRESS", "TRCACVR0", 0x8000, false, UINT64_C(0xff80000000000001), "TRCVISSCTLR=1"},
        {ETMV4, "ADDRESS", "TRCACVR0", 0x8000, false, UINT64_C(0xffffffff00000001),
         "TRCVISSCTLR=1 TRCIDR2=4"},
        {ETMV4, "ADDRESS", "TRCIDR2", 0x30001088, false, 0x1f,
         "TRCVISSCTLR=1 TRCACVR0=0x100000000"},
        {ETMV4, "ADDRESS", "TRCACATR0", 0, true, 3, "TRCVISSCTLR=1 TRCACVR0=1"},
        {ETE, "COMPARATOR-LEVELS", "TRCACATR0", 0x7f00, true, 0x7f00, "TRCVIIECTLR=1"},
        {ETE, "COMPARATOR-LEVELS", "TRCACATR0", 0x77f00, true, 0x77f00, "TRCVIIECTLR=1 TRCIDR6=7"},
        {ETMV4, "COMPARATOR-LEVELS", "TRCACATR0", 0x7f00, true, 0x7f00, "TRCVIIECTLR=1 TRCIDR6=7"},
        {ETE, "CONTEXT-COMPARATOR", "TRCACATR0", 0x04, false, 0x70, "TRCIDR4=0x11170004"},
        {ETE, "CONTEXT-COMPARATOR", "TRCACATR0", 0x08, false, 0x70, "TRCIDR4=0x11170004"},
        {ETE, "CONTEXT-COMPARATOR", "TRCACATR0", 0x10, false, 0x0c, "TRCIDR4=0x11170004"},
        {ETE, "CONTEXT-COMPARATOR", "TRCIDR4", 0x13170004, true, 0x0c000000, "TRCACATR0=0x34"},
        {ETE, "CONTEXT-COMPARATOR", "TRCIDR4", 0x31170004, true, 0xc0000000, "TRCACATR0=0x38"},
    };

    (void)state;
    LOOK_AT(looks);
    /* what a session left is none of the programming's: a stop point may have been passed */
    lint_flags = CAIRN_LINT_AFTERWARDS;
    for (unsigned bit = 0; bit < 32; bit++) {
        is_told(ETE, "", "TRCVICTLR=1 TRCVISSCTLR=0x%x", 1u << bit);
        assert_int_equal(has_grave("NEVER-STARTS"), false);
        is_told(ETE, "", "TRCVICTLR=1 TRCVIPCSSCTLR=0x%x", 1u << bit);
        assert_int_equal(has_grave("NEVER-STARTS"), !(0xff00ffu >> bit & 1));
    }
    lint_flags = 0;
}

/* D6.8.3: what an excluded range has to cover. */
static void test_excluded(void **state)
{
    static const char code[] = "EXCLUDES-ALL";

    (void)state;
    for (unsigned i = 0; i < 8; i++)
        for (unsigned e = 0; e < 8; e++) {
            const uint32_t chosen = 1u << i | 1u << (16 + e);
            const char format[] = "TRCVIIECTLR=0x%x TRCACVR%u=0x%x TRCACVR%u=0x%x TRCACVR%u=0x1000 "
                                  "TRCACVR%u=0x2000";
            if (i == e)
                continue;
            assert_true(is_told(ETE, code, format, chosen, 2 * e, 0x1000, 2 * e + 1, 0x2000, 2 * i,
                                2 * i + 1));
            assert_false(is_told(ETE, code, format, chosen, 2 * e, 0x1001, 2 * e + 1, 0x2000, 2 * i,
                                 2 * i + 1));
            assert_false(is_told(ETE, code, format, chosen, 2 * e, 0x1000, 2 * e + 1, 0x1fff, 2 * i,
                                 2 * i + 1));
            /* another range that is included is left */
            assert_int_equal(is_told(ETE, code, format, chosen | 1u << ((i + 1) % 8), 2 * e, 0x1000,
                                     2 * e + 1, 0x2000, 2 * i, 2 * i + 1),
                             (i + 1) % 8 == e);
        }
    /* none included: all of 64 bits, or of 32 where TRCIDR2.IASIZE says so */
    assert_true(is_told(ETE, code, "TRCVIIECTLR=0x10000 TRCACVR0=0 TRCACVR1=0xffffffffffffffff"));
    assert_false(is_told(ETE, code, "TRCVIIECTLR=0x10000 TRCACVR0=0 TRCACVR1=0xfffffffffffffffe"));
    assert_false(is_told(ETE, code, "TRCVIIECTLR=0x10000 TRCACVR0=1 TRCACVR1=0xffffffffffffffff"));
    assert_true(
        is_told(ETMV4, code, "TRCVIIECTLR=0x10000 TRCACVR0=0 TRCACVR1=0xffffffff TRCIDR2=4"));
    assert_false(
        is_told(ETMV4, code, "TRCVIIECTLR=0x10000 TRCACVR0=0 TRCACVR1=0xfffffffe TRCIDR2=4"));
}

/* D6.8.2, of each two comparators: one address for both, and the order of addresses. */
static void test_points(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 16; j++) {
            const char format[] = "TRCVISSCTLR=0x%x TRCACVR%u=0x%x TRCACVR%u=0x%x";
            const uint32_t points = 1u << i | UINT32_C(1) << (16 + j);

            if (i == j) {
                assert_true(is_told(ETE, "START-IS-STOP", "TRCVISSCTLR=0x%x", points));
                continue;
            }
            /* proves: R_XHFYQ */
            assert_true(is_told(ETE, "START-IS-STOP", format, points, i, 0x1000, j, 0x1000));
            assert_false(has("POINT-ORDER"));
            assert_false(is_told(ETE, "START-IS-STOP", format, points, i, 0x1000, j, 0x1002));
            /* proves: R_SFXZB, I_RYPM */
            assert_int_equal(has("POINT-ORDER"), i > j);
        }
    for (unsigned i = 0; i < 8; i++) {
        const uint32_t next = (i + 1) % 8;
        assert_true(is_told(ETE, "START-IS-STOP", "TRCVIPCSSCTLR=0x%x", 0x10001u << i));
        assert_false(
            is_told(ETE, "START-IS-STOP", "TRCVIPCSSCTLR=0x%x", 1u << i | 0x10000u << next));
    }
}

/* D7.4: whatever uses a comparator, or a range, uses that one and no other. */
static void test_users(void **state)
{
    static const struct {
        const char *text; /* the register that chooses is last */
        unsigned shift, count;
    } singles[] = {{"TRCVISSCTLR=0x", 0, 16},
                   {"TRCVISSCTLR=0x", 16, 16},
                   {"TRCTSCTLR=2 TRCRSCTLR2=0x30001 TRCSSCCR0=0x", 0, 16},
                   {"TRCTSCTLR=2 TRCRSCTLR2=0x4", 0, 16}},
      ranges[] = {{"TRCVIIECTLR=0x", 0, 8},
                  {"TRCVIIECTLR=0x", 16, 8},
                  {"TRCTSCTLR=2 TRCRSCTLR2=0x30001 TRCSSCCR0=0x", 16, 8},
                  {"TRCTSCTLR=2 TRCRSCTLR2=0x5", 0, 8},
                  {"TRCCONFIGR=0x9 TRCBBCTLR=0x", 0, 8},
                  {"TRCCONFIGR=0x2001 TRCQCTLR=0x", 0, 8},
                  {"TRCCONFIGR=0x4001 TRCQCTLR=0x", 0, 8}};

    (void)state;
    for (size_t u = 0; u < sizeof singles / sizeof singles[0]; u++)
        for (unsigned n = 0; n < 16; n++) {
            const char format[] = "%s%04" PRIx32 " TRCACVR%u=0x8001";
            const uint32_t bit = UINT32_C(1) << (singles[u].shift + n);
            assert_true(is_told(ETE, "ADDRESS", format, singles[u].text, bit, n));
            assert_false(is_told(ETE, "ADDRESS", format, singles[u].text, bit, (n + 1) % 16));
        }
    for (size_t u = 0; u < sizeof ranges / sizeof ranges[0]; u++)
        for (unsigned n = 0; n < 8; n++) {
            const char format[] = "%s%04" PRIx32 " TRCACVR%u=2 TRCACVR%u=1 TRCACATR%u=4 "
                                  "TRCACATR%u=8";
            const uint32_t bit = UINT32_C(1) << (ranges[u].shift + n);
            const unsigned m = (n + 1) % 8;
            /* proves: R_MXCGD, S_WFSPV */
            assert_true(is_told(ETE, "RANGE-ORDER", format, ranges[u].text, bit, 2 * n, 2 * n + 1,
                                2 * n, 2 * n + 1));
            /* proves: R_XYJLC */
            assert_true(has("RANGE-TYPES"));
            assert_false(is_told(ETE, "RANGE-ORDER", format, ranges[u].text, bit, 2 * m, 2 * m + 1,
                                 2 * m, 2 * m + 1));
            assert_false(has("RANGE-TYPES"));
            /* an address of a range that is odd: of the first alone */
            assert_true(
                is_told(ETE, "ADDRESS", "%s%04" PRIx32 " TRCACVR%u=1", ranges[u].text, bit, 2 * n));
            assert_false(is_told(ETE, "ADDRESS", "%s%04" PRIx32 " TRCACVR%u=1", ranges[u].text, bit,
                                 2 * n + 1));
        }
    /* options that are off use no ranges */
    assert_false(is_told(ETE, "RANGE-ORDER", "TRCCONFIGR=1 TRCBBCTLR=1 TRCACVR0=2 TRCACVR1=1"));
    assert_false(is_told(ETE, "RANGE-ORDER", "TRCCONFIGR=1 TRCQCTLR=1 TRCACVR0=2 TRCACVR1=1"));
}

/* D7.5, D7.6: a byte that is left out has to be 0. */
static void test_masked(void **state)
{
    static const char *const arrays[2][2] = {{"TRCCIDCVR", "TRCCIDCCTLR"},
                                             {"TRCVMIDCVR", "TRCVMIDCCTLR"}};

    (void)state;
    for (unsigned n = 0; n < 8; n++)
        for (unsigned bit = 0; bit < 32; bit += bit % 8 ? 1 : 7) {
            const unsigned place = 8 * (n % 4) + bit / 8;
            for (unsigned left_out = 0; left_out < 32; left_out++)
                if (left_out % 8 / 4 == 0)
                    assert_int_equal(is_told(ETE, "CONTEXT-MASKED", "%s%u=0x%x %s%u=0x%x",
                                             arrays[bit / 8 % 2][0], n, 1u << bit,
                                             arrays[bit / 8 % 2][1], n / 4, 1u << left_out),
                                     left_out == place);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options), cmocka_unit_test(test_built),
        cmocka_unit_test(test_view),    cmocka_unit_test(test_excluded),
        cmocka_unit_test(test_points),  cmocka_unit_test(test_users),
        cmocka_unit_test(test_masked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
