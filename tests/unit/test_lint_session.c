/* SPDX-License-Identifier: BSD-2-Clause */
/* What a script does, register by register: DDI0608 D8.3, D10.1, D10.2; IHI0014 3.4. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lint_bench.h"

#include "unit/fields/fields.h"

#define ENABLED IDLE "write TRCPRGCTLR 1\nwait TRCSTATR.IDLE 0\n"
#define TEXT 2048u

/* What was told of the code, or NULL. */
static const char *what_of(const char *code)
{
    for (size_t i = 0; i < told_count; i++)
        if (strcmp(told[i].code + strlen("CAIRN-LINT-"), code) == 0)
            return told[i].what;
    return NULL;
}

/* What stands behind the last colon is these names. */
static void expect_names(const char *names)
{
    const char *what = what_of("NOT-PROGRAMMED");

    assert_non_null(what);
    assert_string_equal(strrchr(what, ':') + 2, names);
}

/* Which bits a register is read with that were not written: all but what the unit changes itself. */
static void test_read_back(void **state)
{
    static const struct {
        const char *name;
        uint32_t own; /* bits that change by themselves */
    } rows[] = {{"TRCBBCTLR", 0},   {"TRCVICTLR", 0x200}, {"TRCCONFIGR", 1}, {"TRCSEQSTR", ALL},
                {"TRCCNTVR0", ALL}, {"TRCCNTVR3", ALL},   {"TRCRSR", ALL},   {"TRCSSCSR0", ALL},
                {"TRCSSCSR7", ALL}, {"TRCCNTRLDVR0", 0},  {"TRCSSCCR0", 0},  {"TRCSEQEVR0", 0}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned bit = 0; bit < 32; bit++)
            assert_int_equal(is_told(ETE, "READ-DIFFERS", IDLE "write %s 0\nread %s 0x%" PRIx32,
                                     rows[i].name, rows[i].name, UINT32_C(1) << bit),
                             !(rows[i].own >> bit & 1));
    /* nobody wrote it, or nobody says what was read */
    assert_false(is_told(ETE, "READ-DIFFERS", IDLE "read TRCBBCTLR 1\nread TRCBBCTLR 0"));
    assert_false(is_told(ETE, "READ-DIFFERS", IDLE "write TRCBBCTLR 1\nread TRCBBCTLR"));
    assert_false(is_told(ETE, "READ-DIFFERS", IDLE "write TRCBBCTLR 1\nread TRCBBCTLR 1"));
}

/* D8.3: what may be written while the unit is enabled. */
static void test_restricted(void **state)
{
    static const char *const free[] = {"TRCCLAIMSET", "TRCCLAIMCLR", "TRCPDCR",   "TRCLAR",
                                       "TRFCR_EL1",   "OSLAR_EL1",   "TRFCR_EL2", "TRBLIMITR_EL1"};
    static const char *const restricted[] = {
        "TRCCONFIGR", "TRCAUXCTLR",  "TRCEVENTCTL0R", "TRCEVENTCTL1R", "TRCRSR",
        "TRCSYNCPR",  "TRCTSCTLR",   "TRCCCCTLR",     "TRCBBCTLR",     "TRCTRACEIDR",
        "TRCQCTLR",   "TRCVICTLR",   "TRCVIIECTLR",   "TRCVISSCTLR",   "TRCVIPCSSCTLR",
        "TRCSEQEVR2", "TRCSEQSTR",   "TRCSEQRSTEVR",  "TRCCNTRLDVR0",  "TRCCNTCTLR1",
        "TRCCNTVR2",  "TRCRSCTLR31", "TRCSSCCR0",     "TRCSSCSR7",     "TRCSSPCICR3",
        "TRCACVR15",  "TRCACATR0",   "TRCCIDCVR7",    "TRCVMIDCVR0",   "TRCCIDCCTLR1"};

    (void)state;
    for (size_t i = 0; i < sizeof free / sizeof free[0]; i++) {
        assert_false(is_told(ETE, "WRITE-ENABLED", ENABLED "write %s 0", free[i]));
        assert_false(is_told(ETE, "WRITE-NOT-IDLE", "write TRCPRGCTLR 0\nwrite %s 0", free[i]));
    }
    for (size_t i = 0; i < sizeof restricted / sizeof restricted[0]; i++) {
        /* proves: R_RWYQD */
        assert_true(is_told(ETE, "WRITE-ENABLED", ENABLED "write %s 0", restricted[i]));
        assert_false(has("WRITE-NOT-IDLE"));
        assert_true(
            is_told(ETE, "WRITE-NOT-IDLE", "write TRCPRGCTLR 0\nwrite %s 0", restricted[i]));
        assert_false(has("WRITE-ENABLED"));
        /* reading is allowed */
        assert_false(is_told(ETE, "WRITE-ENABLED", ENABLED "read %s", restricted[i]));
    }
    /* the first write too soon is told of, and the first one after the unit was enabled again */
    assert_true(
        is_told(ETE, "WRITE-NOT-IDLE", "write TRCPRGCTLR 0\nwrite TRCVICTLR 0\nwrite TRCSYNCPR 0"));
    assert_int_equal(told[0].line, 2);
    assert_string_not_equal(told[1].code, "CAIRN-LINT-WRITE-NOT-IDLE");
    /* an MTB may be programmed as it runs */
    assert_false(is_told(MTB, "WRITE-ENABLED", "write MTB_MASTER 0x80000000\nwrite MTB_FLOW 0"));
}

static const char *const always[] = {
    "TRCCONFIGR",  "TRCEVENTCTL0R", "TRCEVENTCTL1R", "TRCSTALLCTLR", "TRCSYNCPR",
    "TRCTRACEIDR", "TRCVICTLR",     "TRCVIIECTLR",   "TRCVISSCTLR",
};
#define ALWAYS (sizeof always / sizeof always[0])

/* A script with all of those but one, `more`, and that enables the unit. */
static void programmed(const char *without, uint32_t config, const char *more)
{
    char text[TEXT];
    size_t length = (size_t)snprintf(text, sizeof text, "%s", IDLE);

    for (size_t i = 0; i < ALWAYS; i++)
        if (strcmp(always[i], without) != 0)
            length += (size_t)snprintf(text + length, sizeof text - length, "write %s 0x%x\n",
                                       always[i], i == 0 ? config : 0u);
    snprintf(text + length, sizeof text - length, "%swrite TRCPRGCTLR 1\n", more);
    assert_int_equal(lint(ETE, text), CAIRN_OK);
}

/* D10.2: what has to be written, whatever is asked for; and what each option needs. */
static void test_programmed(void **state)
{
    static const struct {
        uint32_t config;
        const char *name;
    } options[] = {{0x8, "TRCBBCTLR"},
                   {0x10, "TRCCCCTLR"},
                   {0x800, "TRCTSCTLR"},
                   {0x2000, "TRCQCTLR"},
                   {0x4000, "TRCQCTLR"}};

    (void)state;
    programmed("", 0, "");
    assert_false(has("NOT-PROGRAMMED"));
    for (size_t i = 0; i < ALWAYS; i++) {
        programmed(always[i], 0, "read TRCIDR3 0x8d7f0000\n");
        /* proves: S_XMMLP */
        expect_names(always[i]);
    }
    for (unsigned bit = 0; bit < 16; bit++) {
        const char *name = NULL;
        for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
            if (options[i].config == 1u << bit)
                name = options[i].name;
        programmed("", 1u << bit, "");
        if (name)
            expect_names(name);
        else
            assert_false(has("NOT-PROGRAMMED"));
    }
    /* a unit that cannot stall has no TRCSTALLCTLR */
    programmed("TRCSTALLCTLR", 0, "read TRCIDR3 0x897f0000\n");
    assert_false(has("NOT-PROGRAMMED"));
    /* nothing is asked before the unit is enabled */
    assert_false(is_told(ETE, "NOT-PROGRAMMED", IDLE "write TRCVICTLR 0"));
}

/* S_LMPNV: what is used has to be written, all of it. */
static void test_used(void **state)
{
    char more[200], names[200];

    (void)state;
    for (unsigned n = 0; n < 16; n++) {
        snprintf(more, sizeof more, "write TRCVISSCTLR 0x%x\n", 1u << n);
        programmed("", 0, more);
        snprintf(names, sizeof names, "TRCACVR%u, TRCACATR%u", n, n);
        expect_names(names);
        snprintf(more, sizeof more, "write TRCVIIECTLR 0x%x\n", 1u << n / 2);
        programmed("", 0, more);
        snprintf(names, sizeof names, "TRCACVR%u, TRCACVR%u, TRCACATR%u, TRCACATR%u", n / 2 * 2,
                 n / 2 * 2 + 1, n / 2 * 2, n / 2 * 2 + 1);
        expect_names(names);
    }
    for (unsigned n = 2; n < 32; n++) {
        snprintf(more, sizeof more, "write TRCEVENTCTL0R %u\n", n);
        programmed("", 0, more);
        snprintf(names, sizeof names, "TRCRSCTLR%u", n);
        expect_names(names);
        snprintf(more, sizeof more, "write TRCEVENTCTL0R %u\n", 0x80 + n / 2);
        programmed("", 0, more);
        snprintf(names, sizeof names, "TRCRSCTLR%u, TRCRSCTLR%u", n / 2 * 2, n / 2 * 2 + 1);
        expect_names(names);
    }
    for (unsigned n = 0; n < 8; n++) {
        const char format[] = "write TRCEVENTCTL0R 2\nwrite TRCRSCTLR2 0x%x\n";
        if (n < 4) {
            snprintf(more, sizeof more, format, 0x20000u | 1u << n);
            programmed("", 0, more);
            snprintf(names, sizeof names, "TRCCNTCTLR%u, TRCCNTVR%u", n, n);
            /* proves: S_LMPNV */
            expect_names(names);
            snprintf(more, sizeof more, format, 0x20000u | 0x10u << n);
            programmed("", 0, more);
            expect_names("TRCSEQEVR0, TRCSEQEVR1, TRCSEQEVR2, TRCSEQRSTEVR, TRCSEQSTR");
        }
        snprintf(more, sizeof more, format, 0x30000u | 1u << n);
        programmed("", 0, more);
        snprintf(names, sizeof names, "TRCSSCCR%u, TRCSSCSR%u", n, n);
        expect_names(names);
    }
}

/* However many there are, those that are told are whole names. */
static void test_many(void **state)
{
    (void)state;
    for (size_t without = 0; without <= ALWAYS; without++)
        for (unsigned count = 1; count <= 16; count++) {
            char more[200], names[400];
            unsigned told_of = 0;

            snprintf(more, sizeof more,
                     "write TRCEVENTCTL0R 2\nwrite TRCRSCTLR2 0x200f0\nwrite TRCVISSCTLR 0x%x\n",
                     (1u << count) - 1);
            programmed(without < ALWAYS ? always[without] : "", 0, more);
            snprintf(names, sizeof names, "%s", strrchr(what_of("NOT-PROGRAMMED"), ':') + 2);
            for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", "), told_of++)
                if (!cairn_register_place_of(CAIRN_OF_ETE, name).family)
                    fail_msg("%s is no register", name);
            assert_true(told_of > 5);
        }
}

/* D6.2.2, 3.17.3: what locks, and what tells that it is locked. */
static void test_lock(void **state)
{
    static const struct {
        enum cairn_protocol_id protocol;
        const char *text;
        bool locked, unlocked; /* neither: it says nothing of the lock */
    } rows[] = {
        {ETE, "msr OSLAR_EL1, 1", true, false},
        {ETE, "msr OSLAR_EL1, 3", true, false},
        {ETE, "msr OSLAR_EL1, 0", false, true},
        {ETE, "msr OSLAR_EL1, 2", false, true},
        {ETMV4, "write TRCOSLAR 1", true, false},
        {ETMV4, "write TRCOSLAR 2", false, true},
        {ETMV4, "read TRCOSLSR 0xa", true, false},
        {ETMV4, "read TRCOSLSR 0xd", false, true},
        {ETE, "mrs x0, OSLSR_EL1 0x2", true, false},
        {ETE, "mrs x0, OSLSR_EL1 0x9", false, true},
        {ETE, "mrs x0, OSLSR_EL1", false, false},
        {ETE, "mrs x0, TRCPDSR 0x20", false, false},
        {PTM, "write ETMOSLAR 0xc5acce55", true, false},
        {PTM, "write ETMOSLAR 1", false, true},
        {PTM, "write ETMOSLAR 0xc5acce54", false, true},
        {PTM, "read ETMOSLSR 2", true, false},
        {PTM, "read ETMOSLSR 0xd", false, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool is_told_of =
            is_told(rows[i].protocol, "OS-LOCK", "%s\n%s", rows[i].text,
                    rows[i].protocol == PTM ? "write ETMCR 0" : "write TRCPRGCTLR 1");
        assert_int_equal(is_told_of, !rows[i].unlocked);
        assert_int_equal(has_grave("OS-LOCK"), rows[i].locked);
    }
    /* of what is disabled nothing is told, and the last write of the enable counts */
    assert_false(is_told(ETE, "OS-LOCK", "msr OSLAR_EL1, 1\nmsr TRCPRGCTLR, 0"));
    assert_false(is_told(ETE, "OS-LOCK", "msr OSLAR_EL1, 1\nmsr TRCPRGCTLR, 1\nmsr TRCPRGCTLR, 0"));
}

/* The bit of each kind of unit that enables it, and of its sink. */
static void test_enable_bits(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 32; bit++) {
        const uint32_t value = UINT32_C(1) << bit;
        assert_int_equal(is_told(ETE, "NEVER-ENABLED", IDLE "write TRCPRGCTLR 0x%" PRIx32, value),
                         bit != 0);
        assert_int_equal(is_told(PTM, "NEVER-ENABLED", "write ETMCR 0x%" PRIx32, value), bit == 10);
        assert_int_equal(
            is_told(ETE, "SINK-ORDER", "msr TRCPRGCTLR, 1\nmsr TRBLIMITR_EL1, 0x%" PRIx32, value),
            bit == 0);
        /* what shows the unit idle: one bit of its status */
        assert_int_equal(
            is_told(ETE, "WRITE-NOT-IDLE",
                    "write TRCPRGCTLR 0\nread TRCSTATR 0x%" PRIx32 "\nwrite TRCVICTLR 0", value),
            bit != 0);
        assert_int_equal(is_told(PTM, "WRITE-NOT-IDLE",
                                 "write ETMCR 0x400\nread ETMSR 0x%" PRIx32 "\nwrite ETMTEEVR 0",
                                 value),
                         bit != 1);
        assert_int_equal(is_told(ETE, "ENABLE-TOO-SOON",
                                 IDLE "write TRCPRGCTLR 1\nread TRCSTATR 0x%" PRIx32
                                      "\nwrite TRCPRGCTLR 0",
                                 value),
                         bit == 0);
    }
}

/* S_HSXGZ: an ISB between an MSR of TRCPRGCTLR, or an MRS of TRCSTATR, and the next MRS of it. */
static void test_isb(void **state)
{
    static const struct {
        const char *text;
        bool told;
    } rows[] = {
        {"msr TRCPRGCTLR, 0\nmrs x0, TRCSTATR", true},
        {"msr TRCPRGCTLR, 0\nisb\nmrs x0, TRCSTATR", false},
        {"msr TRCPRGCTLR, 0\ndsb\nmrs x0, TRCSTATR", true},
        {"msr TRCPRGCTLR, 0\ntsb\nmrs x0, TRCSTATR", true},
        {"mrs x0, TRCPRGCTLR\nmrs x0, TRCSTATR", false},
        {"msr TRCVICTLR, 0\nmrs x0, TRCSTATR", false},
        {"mrs x0, TRCSTATR\nmrs x0, TRCSTATR", true},
        {"mrs x0, TRCSTATR\nisb\nmrs x0, TRCSTATR", false},
        /* through memory nothing of the PE is between */
        {"write TRCPRGCTLR 0\nmrs x0, TRCSTATR", false},
        {"msr TRCPRGCTLR, 0\nread TRCSTATR", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        /* proves: S_HSXGZ */
        assert_int_equal(is_told(ETE, "NO-ISB", "%s", rows[i].text), rows[i].told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_back),  cmocka_unit_test(test_restricted),
        cmocka_unit_test(test_programmed), cmocka_unit_test(test_used),
        cmocka_unit_test(test_lock),       cmocka_unit_test(test_enable_bits),
        cmocka_unit_test(test_isb),        cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
