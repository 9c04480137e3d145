/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about the programming of trace units as the specifications have them: DDI0608 D6.8, D6.10, D7,
 * D8.3, D10; IHI0014 2 and 3; IHI0035 3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lint_bench.h"

/* DDI0608 D7.4.2: the end is below the start; the two types differ. */
static void test_ranges(void **state)
{
    (void)state;
    /* proves: R_MXCGD, S_WFSPV */
    expect(ETE, "TRCVIIECTLR=0x80 TRCACVR14=0xffff000000001000 TRCACVR15=0x1000", "RANGE-ORDER",
           CAIRN_LINT_PROBLEM, "TRCACVR14", 0);
    expect(ETE, "TRCTSCTLR=0x3 TRCRSCTLR3=0x50002 TRCACVR2=2 TRCACVR3=1", "RANGE-ORDER",
           CAIRN_LINT_PROBLEM, "TRCACVR2", 0);
    /* proves: R_XYJLC */
    expect(ETE, "TRCVIIECTLR=0x20000 TRCACATR2=0x4 TRCACATR3=0x8", "RANGE-TYPES",
           CAIRN_LINT_PROBLEM, "TRCACATR2", 0);
}

/* D7.4.1: what no instruction's address is. */
static void test_addresses(void **state)
{
    (void)state;
    expect(ETE, "TRCVISSCTLR=0x10 TRCACVR4=0x8001", "ADDRESS", CAIRN_LINT_WARNING, "TRCACVR4", 0);
    expect(ETE, "TRCVISSCTLR=0x10 TRCACVR4=0x1200ffff00008000", "ADDRESS", CAIRN_LINT_WARNING,
           "TRCACVR4", 0);
    expect(ETMV4, "TRCVISSCTLR=0x1 TRCACVR0=0x100000000 TRCIDR2=0x4", "ADDRESS", CAIRN_LINT_WARNING,
           "TRCACVR0", 0);
}

/* D6.8.2: start and stop points. */
static void test_points(void **state)
{
    (void)state;
    /* proves: R_XHFYQ */
    expect(ETE, "TRCVISSCTLR=0x80008000 TRCACVR15=0x1000", "START-IS-STOP", CAIRN_LINT_PROBLEM,
           "TRCVISSCTLR", 0);
    /* proves: R_SFXZB, I_RYPM */
    expect(ETE, "TRCVISSCTLR=0x80000001 TRCACVR0=0x1001 TRCACVR15=0x1000", "POINT-ORDER",
           CAIRN_LINT_PROBLEM, "TRCVISSCTLR", 0);
    /* proves: S_XMMLP */
    expect(ETE, IDLE "write TRCVICTLR 0x201\nwrite TRCPRGCTLR 1", "NOT-PROGRAMMED",
           CAIRN_LINT_WARNING, "", 4);
}

/* D6.9.18, D6.10.6. */
static void test_options(void **state)
{
    (void)state;
    /* proves: R_KJXDK */
    expect(ETMV4, "TRCCONFIGR=0x10 TRCCCCTLR=0xff TRCIDR3=0x100", "THRESHOLD", CAIRN_LINT_PROBLEM,
           "TRCCCCTLR", 0);
    /* proves: R_JYYLV */
    expect(ETMV4, "TRCSTALLCTLR=0x200f", "STALL", CAIRN_LINT_PROBLEM, "TRCSTALLCTLR", 0);
}

/* D7.3: Tables D7.1 and D7.2. */
static void test_selectors(void **state)
{
    static const unsigned reserved[] = {2, 5};

    (void)state;
    for (unsigned group = 8; group < 16; group++) {
        char text[64];
        snprintf(text, sizeof text, "TRCRSCTLR31=0x%x", group << 16);
        /* proves: R_WZVDQ */
        expect(ETE, text, "SELECTOR-RESERVED", CAIRN_LINT_PROBLEM, "TRCRSCTLR31", 0);
    }
    for (unsigned function = 0; function < 8; function++) {
        char text[96];
        const bool is_reserved = function == reserved[0] || function == reserved[1];
        /* INV of A, INV of B, PAIRINV */
        snprintf(text, sizeof text, "TRCTSCTLR=0x8f TRCRSCTLR30=0x%x TRCRSCTLR31=0x%x",
                 0x40001u | (function >> 2) << 20 | (function & 1) << 21,
                 0x40002u | (function >> 1 & 1) << 20);
        assert_int_equal(lint(ETE, text), CAIRN_OK);
        /* proves: D7.3.1 */
        assert_int_equal(has("PAIR-FUNCTION"), is_reserved);
    }
}

/* D8.3: Table D8.2 and what may be written when. */
static void test_session(void **state)
{
    (void)state;
    /* proves: R_RWYQD */
    expect(ETE, IDLE "write TRCPRGCTLR 1\nread TRCSTATR 0\nwrite TRCSYNCPR 0xc", "WRITE-ENABLED",
           CAIRN_LINT_PROBLEM, "TRCSYNCPR", 5);
    expect(ETE, "write TRCPRGCTLR 0\nread TRCSTATR 2\nwrite TRCSYNCPR 0xc", "WRITE-NOT-IDLE",
           CAIRN_LINT_PROBLEM, "TRCSYNCPR", 3);
    /* proves: R_MDZDN */
    expect(ETE,
           IDLE "write TRCPRGCTLR 1\nwait TRCSTATR.IDLE 0\nwrite TRCPRGCTLR 0\n"
                "write TRCPRGCTLR 1",
           "ENABLE-TOO-SOON", CAIRN_LINT_PROBLEM, "TRCPRGCTLR", 6);
    /* locking disables as EN does (R_TMLTF) */
    expect(ETE,
           IDLE "write TRCPRGCTLR 1\nwait TRCSTATR.IDLE 0\nmsr OSLAR_EL1, 1\n"
                "write TRCSYNCPR 0xc",
           "WRITE-NOT-IDLE", CAIRN_LINT_PROBLEM, "TRCSYNCPR", 6);
    /* what is enabled while it is locked runs when it is unlocked (D10.1.3), and so has rules */
    expect(ETE, "msr OSLAR_EL1, 1\nmsr TRCVICTLR, 0x1\nmsr TRCPRGCTLR, 1\nmsr OSLAR_EL1, 0",
           "NEVER-STARTS", CAIRN_LINT_WARNING, "TRCVICTLR", 4);
    expect(ETE, "msr OSLAR_EL1, 1\nmsr TRCPRGCTLR, 1\nisb", "OS-LOCK", CAIRN_LINT_PROBLEM,
           "TRCPRGCTLR", 2);
    /* proves: R_SVSNR */
    expect(ETE, "write TRCIDR3 1", "READ-ONLY", CAIRN_LINT_PROBLEM, "TRCIDR3", 1);
    /* proves: R_WPKDP */
    expect(ETE, "read TRCLAR", "WRITE-ONLY", CAIRN_LINT_PROBLEM, "TRCLAR", 1);
}

/* D6.2.1: what has a state begins with the state that is written. */
static void test_initial_state(void **state)
{
    static const char all[] = IDLE
        "write TRCCONFIGR 1\nwrite TRCEVENTCTL0R 0\nwrite TRCEVENTCTL1R 0\nwrite TRCSYNCPR 12\n"
        "write TRCTRACEIDR 1\nwrite TRCTSCTLR 2\nwrite TRCVICTLR 0x201\nwrite TRCVIIECTLR 0\n"
        "write TRCVISSCTLR 0\nwrite TRCRSCTLR2 0x20011\nwrite TRCCNTCTLR0 0x10001\n"
        "write TRCCNTRLDVR0 9\nwrite TRCSEQEVR0 0x101\nwrite TRCSEQEVR1 0x101\n"
        "write TRCSEQEVR2 0x101\nwrite TRCSEQRSTEVR 0\n";
    char text[1024];

    (void)state;
    snprintf(text, sizeof text, "%swrite TRCSEQSTR 0\nwrite TRCPRGCTLR 1", all);
    /* proves: S_LMPNV */
    expect(ETE, text, "NOT-PROGRAMMED", CAIRN_LINT_WARNING, "", 20); /* no TRCCNTVR0 */
    snprintf(text, sizeof text, "%swrite TRCCNTVR0 9\nwrite TRCPRGCTLR 1", all);
    expect(ETE, text, "NOT-PROGRAMMED", CAIRN_LINT_WARNING, "", 20); /* no TRCSEQSTR */
    snprintf(text, sizeof text, "%swrite TRCCNTVR0 9\nwrite TRCSEQSTR 0\nwrite TRCPRGCTLR 1", all);
    assert_int_equal(lint(ETE, text), CAIRN_OK);
    assert_false(has("NOT-PROGRAMMED"));
}

/* What a session left is no fault of the programming; what a script wrote is. */
static void test_left_over(void **state)
{
    static const struct {
        const char *text, *code, *name;
    } rows[] = {
        {"TRCTSCTLR=2 TRCRSCTLR2=0x30001 TRCSSCCR0=1 TRCSSCSR0=0x80000000", "SINGLE-SHOT-FIRED",
         "TRCSSCSR0"},
        {"TRCVICTLR=1 TRCVISSCTLR=0x10000 TRCACVR0=0x1000", "NEVER-STARTS", "TRCVICTLR"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lint_flags = 0;
        expect(ETE, rows[i].text, rows[i].code, CAIRN_LINT_WARNING, rows[i].name, 0);
        lint_flags = CAIRN_LINT_AFTERWARDS;
        expect(ETE, rows[i].text, rows[i].code, CAIRN_LINT_NOTE, rows[i].name, 0);
    }
    /* nobody has stopped what has no stop point */
    expect(ETE, "TRCVICTLR=1", "NEVER-STARTS", CAIRN_LINT_WARNING, "TRCVICTLR", 0);
    expect(ETE, IDLE "write TRCVICTLR 1\nwrite TRCVISSCTLR 0x10000\nwrite TRCPRGCTLR 1",
           "NEVER-STARTS", CAIRN_LINT_WARNING, "TRCVICTLR", 5);
    lint_flags = 0;
}

/* The PE's filter may be opened behind the write that enables the unit (Listing D10.2), and what the
 * unit does not have needs no writing. */
static void test_last(void **state)
{
    (void)state;
    assert_int_equal(lint(ETE, "msr TRFCR_EL1, 0\n" IDLE "msr TRCPRGCTLR, 1\nisb\n"
                               "msr TRFCR_EL1, 3"),
                     CAIRN_OK);
    assert_false(has("TRFCR"));
    expect(ETE, "msr TRFCR_EL1, 3\n" IDLE "msr TRCPRGCTLR, 1\nisb\nmsr TRFCR_EL1, 0", "TRFCR",
           CAIRN_LINT_WARNING, "TRFCR_EL1", 0);
    assert_int_equal(lint(ETMV4,
                          "read TRCIDR4 0x00114000\nread TRCIDR3 0x0f090004\n" IDLE
                          "write TRCCONFIGR 1\nwrite TRCEVENTCTL0R 0\nwrite TRCEVENTCTL1R 0\n"
                          "write TRCSTALLCTLR 0\nwrite TRCTRACEIDR 1\nwrite TRCVICTLR 0x201\n"
                          "write TRCPRGCTLR 1"),
                     CAIRN_OK);
    assert_false(has("NOT-PROGRAMMED"));
}

/* D10.1, D8.2.1. */
static void test_order(void **state)
{
    (void)state;
    /* proves: S_PWXHJ */
    expect(ETE, "msr OSLAR_EL1, 0\nmsr TRCPRGCTLR, 1\nmsr TRBLIMITR_EL1, 1", "SINK-ORDER",
           CAIRN_LINT_WARNING, "TRBLIMITR_EL1", 3);
    /* proves: S_WPVBX */
    expect(ETE, "msr TRBLIMITR_EL1, 1\nmsr TRCPRGCTLR, 1\nmsr TRBLIMITR_EL1, 0", "SINK-ORDER",
           CAIRN_LINT_WARNING, "TRBLIMITR_EL1", 3);
    /* proves: S_HSXGZ */
    expect(ETE, "msr TRCPRGCTLR, 1\nmrs x0, TRCSTATR", "NO-ISB", CAIRN_LINT_WARNING, "TRCSTATR", 2);
    expect(ETE, "msr TRCPRGCTLR, 1\nisb\nmrs x0, TRCSTATR 1\nmrs x0, TRCSTATR 0", "NO-ISB",
           CAIRN_LINT_WARNING, "TRCSTATR", 4);
    /* proves: R_VVFQZ */
    expect(ETE, "TRCIDR0=0x68c1cea1 TRCIDR8=0x0", "IDENTIFICATION", CAIRN_LINT_WARNING, "TRCIDR0",
           0);
}

/* IHI0014 2.2.1, 2.6.4, 3.2.4: what is UNPREDICTABLE. */
static void test_etm(void **state)
{
    (void)state;
    /* proves: ETMC-2.2.1-j */
    expect(ETMV3, "ETMTECR1=0x80 ETMACTR15=0x19 ETMACTR16=0x1a", "ETM-RANGE-TYPES",
           CAIRN_LINT_PROBLEM, "ETMACTR16", 0);
    assert_int_equal(lint(ETMV3, "ETMTECR1=0x80 ETMACTR15=0x3c ETMACTR16=0x1c"), CAIRN_OK);
    assert_false(has("ETM-RANGE-TYPES")); /* the data comparison is of the first alone */
    assert_int_equal(
        lint(ETMV3, "ETMTECR1=0x80 ETMACTR15=0x04 ETMACTR16=0x1c ETMACVR16=0xffffffff"), CAIRN_OK);
    assert_false(has("ETM-RANGE-TYPES")); /* up to the last address */
    /* proves: ETMC-2.2.1-o */
    expect(ETMV3, "ETMACTR3=0x79", "ETM-DATA-COMPARE", CAIRN_LINT_PROBLEM, "ETMACTR3", 0);
    /* proves: ETMC-2.6.4-c */
    expect(ETMV3, "ETMTECR1=0x1000000 ETMTECR2=0x4 ETMACTR3=0x1e", "ETM-DATA-EXCLUDE",
           CAIRN_LINT_PROBLEM, "ETMACTR3", 0);
    /* proves: ETMC-3.2.4-a */
    expect(ETMV3, "read ETMOSLAR", "WRITE-ONLY", CAIRN_LINT_PROBLEM, "ETMOSLAR", 1);
    expect(ETMV3, "write ETMIDR 0", "READ-ONLY", CAIRN_LINT_PROBLEM, "ETMIDR", 1);
}

/* PTM and ETMv3: the Programming bit (3.15.4). */
static void test_programming_bit(void **state)
{
    static const char right[] = "write ETMCR 0x400\nwait ETMSR.PROGRAMMING 1\nwrite ETMTEEVR 0x6f\n"
                                "write ETMTECR1 0x1000000\nwrite ETMCR 0\n"
                                "wait ETMSR.PROGRAMMING 0";
    (void)state;
    assert_int_equal(lint(PTM, right), CAIRN_OK);
    assert_false(has("WRITE-ENABLED") || has("WRITE-NOT-IDLE") || has("ENABLE-TOO-SOON"));
    /* proves: PFT-3.15.4-a, ETMC-3.4.3-a */
    expect(PTM, "write ETMCR 0x400\nread ETMSR 2\nwrite ETMCR 0\nwrite ETMTEEVR 0x6f",
           "WRITE-ENABLED", CAIRN_LINT_PROBLEM, "ETMTEEVR", 4);
    expect(ETMV3, "write ETMCR 0x400\nwrite ETMTEEVR 0x6f", "WRITE-NOT-IDLE", CAIRN_LINT_PROBLEM,
           "ETMTEEVR", 2);
    /* proves: ETMC-3.4.3-b */
    expect(ETMV3, "read ETMCR 0x1000\nwrite ETMCR 0x1c00", "ETM-ALONE", CAIRN_LINT_PROBLEM, "ETMCR",
           2);
}

static void test_bus(void **state)
{
    const struct cairn_register ids[] = {
        {"TRCTRACEIDR", 0x10}, {"ETMTRACEIDR", 0x10}, {"TRCTRACEIDR", 0x11}, {"TRCTRACEIDR", 0}};
    struct cairn_lint_unit units[4];
    const struct cairn_lint_unit *list[4];
    struct cairn_error error;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        units[i] = (struct cairn_lint_unit){.size = sizeof units[i],
                                            .protocol = i == 1 ? PTM : ETE,
                                            .registers = &ids[i],
                                            .register_count = 1};
        list[i] = &units[i];
    }
    told_count = 0;
    assert_int_equal(cairn_lint_bus(list, 4, tell, NULL, &error), CAIRN_OK);
    /* proves: I_TVDMT */
    assert_int_equal(told_count, 1);
    assert_string_equal(told[0].code, "CAIRN-LINT-TRACE-ID-TWICE");
    assert_string_equal(told[0].name, "ETMTRACEIDR");
    /* none on a shared bus; whatever it is where nobody shares */
    units[3].flags = CAIRN_LINT_SHARED_BUS;
    told_count = 0;
    assert_int_equal(cairn_lint(&units[3], tell, NULL, &error), CAIRN_OK);
    assert_true(has_grave("TRACE-ID"));
    units[3].flags = CAIRN_LINT_OWN_SINK;
    told_count = 0;
    assert_int_equal(cairn_lint(&units[3], tell, NULL, &error), CAIRN_OK);
    assert_false(has("TRACE-ID"));
}

/* D10.2 and D10.1: what the specification gives as right. */
static void test_minimal(void **state)
{
    static const char minimal[] =
        "TRCCONFIGR=0x18c1 TRCEVENTCTL0R=0 TRCEVENTCTL1R=0 TRCSTALLCTLR=0 TRCSYNCPR=0xc "
        "TRCTRACEIDR=0x1 TRCTSCTLR=0 TRCVICTLR=0x006f0201 TRCVIIECTLR=0 TRCVISSCTLR=0";
    static const char exclude[] = "TRCCONFIGR=0x18c1 TRCVICTLR=0x006f0201 TRCVIIECTLR=0x10000 "
                                  "TRCACATR0=0 TRCACVR0=0x1000 TRCACATR1=0 TRCACVR1=0x2000";
    (void)state;
    for (unsigned p = 0; p < 2; p++) {
        assert_int_equal(lint(p ? ETMV4 : ETE, minimal), CAIRN_OK);
        assert_int_equal(told_count, 0);
        assert_int_equal(lint(p ? ETMV4 : ETE, exclude), CAIRN_OK);
        assert_int_equal(told_count, 0);
    }
}

/* The sequences of D10.1: enabling, disabling, saving, restoring. Only what a script cannot tell is
 * a note. */
static void test_listings(void **state)
{
    static const char sequences[] =
        "msr OSLAR_EL1, 0\nisb\nmsr TRCPRGCTLR, 0\nisb\nmrs x1, TRCSTATR 3\n"
        "msr TRCCONFIGR, 0x18c1\nmsr TRCEVENTCTL0R, 0\nmsr TRCEVENTCTL1R, 0\n"
        "msr TRCSTALLCTLR, 0\nmsr TRCSYNCPR, 0xc\nmsr TRCTRACEIDR, 1\nmsr TRCTSCTLR, 0\n"
        "msr TRCVICTLR, 0x006f0201\nmsr TRCVIIECTLR, 0\nmsr TRCVISSCTLR, 0\n"
        /* D10.1 */
        "isb\nmsr TRCPRGCTLR, 1\nisb\nmrs x1, TRCSTATR 0\n"
        /* D10.2 */
        "mrs x0, TRFCR_EL1 0x23\nmsr TRFCR_EL1, 0x20\nisb\ntsb csync\nmsr TRCPRGCTLR, 0\nisb\n"
        "mrs x1, TRCSTATR 3\nmsr TRFCR_EL1, 0x23\n"
        /* again, then D10.3 */
        "msr TRCPRGCTLR, 1\nisb\nmrs x1, TRCSTATR 0\n"
        "msr TRFCR_EL1, 0x20\nisb\ntsb csync\nmsr OSLAR_EL1, 1\nisb\nmrs x1, TRCSTATR 2\n"
        "msr TRFCR_EL1, 0x23\nisb\nmrs x1, TRCSTATR 3\n"
        /* D10.4 */
        "msr TRCVICTLR, 0x006f0201\nmsr TRCPRGCTLR, 1\nmsr OSLAR_EL1, 0\nisb\n";

    (void)state;
    assert_int_equal(lint(ETE, sequences), CAIRN_OK);
    for (size_t i = 0; i < told_count; i++)
        if (told[i].severity != CAIRN_LINT_NOTE)
            fail_msg("%s in line %u", told[i].code, told[i].line);
    assert_int_equal(told_count, 0);
}

static void test_wrong_use(void **state)
{
    struct cairn_lint_unit unit = {.size = sizeof unit, .protocol = CAIRN_PROTOCOL_STM};
    struct cairn_lint_rule_info rule = {0};
    struct cairn_error error;

    (void)state;
    assert_int_equal(cairn_lint(&unit, tell, NULL, &error), CAIRN_E_UNSUPPORTED);
    unit.protocol = ETE;
    assert_int_equal(cairn_lint(&unit, NULL, NULL, &error), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_lint(NULL, tell, NULL, &error), CAIRN_E_ARGUMENT);
    unit.flags = 0x80;
    assert_int_equal(cairn_lint(&unit, tell, NULL, &error), CAIRN_E_ARGUMENT);
    unit.flags = 0;
    unit.register_count = 1;
    assert_int_equal(cairn_lint(&unit, tell, NULL, &error), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_lint_bus(NULL, 1, tell, NULL, &error), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_lint_rule(0, &rule), CAIRN_E_ARGUMENT);
    assert_int_equal(lint(ETE, "write TRCPRGCTLR 0\npoke"), CAIRN_E_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_points),        cmocka_unit_test(test_options),
        cmocka_unit_test(test_selectors),     cmocka_unit_test(test_session),
        cmocka_unit_test(test_initial_state), cmocka_unit_test(test_left_over),
        cmocka_unit_test(test_last),          cmocka_unit_test(test_order),
        cmocka_unit_test(test_etm),           cmocka_unit_test(test_programming_bit),
        cmocka_unit_test(test_bus),           cmocka_unit_test(test_minimal),
        cmocka_unit_test(test_listings),      cmocka_unit_test(test_wrong_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
