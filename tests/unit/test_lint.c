/* SPDX-License-Identifier: BSD-2-Clause */
/* Every rule about the programming of trace units: what breaks it, and what comes near. The rules
 * themselves are read in the specification: DDI0608 D6.8, D6.10, D7, D8.3; IHI0014 3.5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/lint.h>

#include "unit/lint/lint.h"

#define REGISTERS 40u
#define TOLD 64u

static struct told {
    char code[48];
    enum cairn_lint_severity severity;
    unsigned line;
    char name[32];
} told[TOLD];
static size_t told_count;

static void tell(void *context, const struct cairn_lint_finding *finding)
{
    (void)context;
    assert_true(finding->size >= sizeof *finding);
    assert_true(strlen(finding->what) > 4 && strlen(finding->remedy) > 10);
    assert_non_null(finding->requirement);
    if (told_count == TOLD)
        return;
    snprintf(told[told_count].code, sizeof told[0].code, "%s", finding->code);
    snprintf(told[told_count].name, sizeof told[0].name, "%s", finding->name ? finding->name : "");
    told[told_count].severity = finding->severity;
    told[told_count++].line = finding->line;
}

/* "A=1 B=2", or a script: whatever has a line of accesses. */
static cairn_status lint(enum cairn_protocol_id protocol, const char *text)
{
    struct cairn_register registers[REGISTERS];
    struct cairn_lint_unit unit = {.size = sizeof unit, .protocol = protocol};
    char names[REGISTERS][32];
    size_t count = 0;
    struct cairn_error error = {.status = CAIRN_OK};

    told_count = 0;
    if (!strchr(text, '=')) {
        unit.script = text;
        unit.script_size = strlen(text);
        unit.script_name = "test";
        return cairn_lint(&unit, tell, NULL, &error);
    }
    for (const char *at = text; *at; count++) {
        const size_t length = strcspn(at, "=");
        char *end;
        assert_true(count < REGISTERS && length < sizeof names[0]);
        snprintf(names[count], sizeof names[count], "%.*s", (int)length, at);
        registers[count].name = names[count];
        registers[count].value = strtoull(at + length + 1, &end, 0);
        at = end + strspn(end, " ");
    }
    unit.registers = registers;
    unit.register_count = count;
    return cairn_lint(&unit, tell, NULL, &error);
}

static bool has(const char *code)
{
    for (size_t i = 0; i < told_count; i++)
        if (strcmp(told[i].code + strlen("CAIRN-LINT-"), code) == 0)
            return true;
    return false;
}

/* No note that only says what is not known. */
static bool has_grave(const char *code)
{
    for (size_t i = 0; i < told_count; i++)
        if (strcmp(told[i].code + strlen("CAIRN-LINT-"), code) == 0 &&
            told[i].severity != CAIRN_LINT_NOTE)
            return true;
    return false;
}

#define ETE CAIRN_PROTOCOL_ETE
#define ETMV4 CAIRN_PROTOCOL_ETMV4
#define PTM CAIRN_PROTOCOL_PTM
#define ETMV3 CAIRN_PROTOCOL_ETMV3
#define MTB CAIRN_PROTOCOL_MTB
#define IDLE "write TRCPRGCTLR 0\nwait TRCSTATR.IDLE 1\n"

/* Nearly what breaks the rule, and right. */
static const struct near {
    const char *code;
    enum cairn_protocol_id protocol;
    const char *text;
} nears[] = {
    {"RESERVED-BITS", ETE, "TRCTRACEIDR=0x10"},
    {"RESERVED-BITS", ETE, "TRCRSCTLR2=0x200001 TRCCNTCTLR1=0x20001"},
    {"RESERVED-BITS", ETE, "TRCIDR7=0xffffffff"}, /* hardware's own: of a later version */
    {"RESERVED-VALUE", ETE, "TRCSYNCPR=0x8 TRCCONFIGR=0x6001 TRCVICTLR=0x28f"},
    {"RESERVED-VALUE", PTM, "ETMACTR9=0x0"},
    {"NOT-BUILT", ETE, "TRCCONFIGR=0x801 TRCIDR0=0x08000ea1"},
    {"NOT-BUILT", ETE, "TRCVICTLR=0x201 TRCIDR4=0x00010000"}, /* SSSTATUS is RES1 */
    {"NOT-BUILT", ETMV4, "TRCVICTLR=0x201 TRCIDR4=0x00000004 TRCIDR1=0x4100f402"},
    {"NOT-BUILT", ETMV4, "TRCCONFIGR=0x7 TRCIDR0=0x08000ea7"},
    {"UNKNOWN-REGISTER", ETE, "trcvictlr=0x201"},
    {"READ-ONLY", ETE, IDLE "write TRCSEQSTR 0"},
    {"WRITE-ONLY", ETE, "read TRCLSR"},
    {"TRACE-ID", ETE, "TRCTRACEIDR=0x6f"},
    {"TRACE-ID", PTM, "ETMTRACEIDR=0x1"},
    {"NO-SYNC", ETE, "TRCSYNCPR=0x8"},
    {"NO-SYNC", ETE, "TRCSYNCPR=0x0 TRCIDR3=0x0f7b0004"}, /* the period is fixed */
    {"THRESHOLD", ETE, "TRCCONFIGR=0x11 TRCCCCTLR=0x4 TRCIDR3=0x0d7b0004"},
    {"THRESHOLD", ETE, "TRCCONFIGR=0x1 TRCCCCTLR=0x3 TRCIDR3=0x0d7b0004"},
    {"STALL", ETE, "TRCSTALLCTLR=0x2100"},
    {"STALL-IGNORED", ETE, "TRCSTALLCTLR=0x10c"},
    {"RANGE-NONE", ETE, "TRCBBCTLR=0x101 TRCQCTLR=0x0"},
    {"Q", ETE, "TRCCONFIGR=0x6001 TRCIDR0=0x08010ea1"},
    {"OPTION-OFF", ETE, "TRCCONFIGR=0x11 TRCCCCTLR=0x100"},
    {"TRFCR", ETE, "TRFCR_EL1=0x21"},
    {"VIEW-NEVER", ETE, "TRCVICTLR=0x201"},
    {"VIEW-NEVER", ETE, "TRCVICTLR=0x202 TRCRSCTLR2=0x100000"}, /* not nothing: always */
    {"LEVELS-NONE", ETE, "TRCVICTLR=0x6f0201"},
    {"LEVELS-NONE", ETE, "TRCVICTLR=0x7f0201 TRCIDR6=0x7"}, /* Realm state is left */
    {"EXCLUDES-ALL", ETE, "TRCVIIECTLR=0x20001"},
    {"EXCLUDES-ALL", ETE,
     "TRCVIIECTLR=0x20001 TRCACVR0=0x1000 TRCACVR1=0x2001 TRCACVR2=0x1000 TRCACVR3=0x2000"},
    {"EXCLUDES-ALL", ETE, "TRCVIIECTLR=0x10000 TRCACVR0=0x0 TRCACVR1=0xffffffff"},
    {"NEVER-STARTS", ETE, "TRCVICTLR=0x1 TRCVISSCTLR=0x20001"},
    {"NEVER-STARTS", ETE, "TRCVICTLR=0x1 TRCVIPCSSCTLR=0x1"},
    {"NEVER-STOPS", ETE, "TRCVISSCTLR=0x20001"},
    {"START-IS-STOP", ETE, "TRCVISSCTLR=0x20001 TRCACVR0=0x1000 TRCACVR1=0x1004"},
    {"POINT-ORDER", ETE, "TRCVISSCTLR=0x20001 TRCACVR0=0x1000 TRCACVR1=0x2000"},
    {"POINT-ORDER", ETE, "TRCVISSCTLR=0x40001 TRCACVR0=0x2000 TRCACVR1=0x1000 TRCACVR2=0x2004"},
    {"RANGE-ORDER", ETE, "TRCVIIECTLR=0x1 TRCACVR0=0x1000 TRCACVR1=0x1000"},
    {"RANGE-ORDER", ETE, "TRCVIIECTLR=0x2 TRCACVR0=0x2000 TRCACVR1=0x1000"}, /* of no use */
    {"RANGE-TYPES", ETE, "TRCVIIECTLR=0x1 TRCACATR0=0x100 TRCACATR1=0x100"},
    {"RANGE-TYPES", ETE, "TRCVIIECTLR=0x2 TRCACATR0=0x100 TRCACATR1=0x0"},
    {"ADDRESS", ETE, "TRCVIIECTLR=0x1 TRCACVR0=0x8000 TRCACVR1=0x80ff"},
    {"ADDRESS", ETE, "TRCVISSCTLR=0x1 TRCACVR0=0xffffffc008000000 TRCACVR1=0x8001"},
    {"ADDRESS", ETMV4, "TRCVISSCTLR=0x1 TRCACVR0=0xfffffffe TRCIDR2=0x4"},
    {"COMPARATOR-LEVELS", ETE, "TRCVIIECTLR=0x1 TRCACATR0=0x6f00"},
    {"COMPARATOR-LEVELS", ETE, "TRCVIIECTLR=0x2 TRCACATR0=0x7f00"},
    {"CONTEXT-COMPARATOR", ETE, "TRCACATR0=0x4 TRCIDR4=0x11170004"},
    {"CONTEXT-COMPARATOR", ETE, "TRCACATR0=0x10 TRCIDR4=0x11170004"}, /* CONTEXTTYPE: none */
    {"CONTEXT-MASKED", ETE, "TRCCIDCVR0=0x34 TRCCIDCCTLR0=0x2"},
    {"EVENT-SELECTOR", ETE, "TRCTSCTLR=0xf TRCIDR4=0x11170004"},
    {"EVENT-SELECTOR", ETE, "TRCTSCTLR=0x87 TRCIDR4=0x11170004"},
    {"EVENT-PAIR-0", ETE, "TRCTSCTLR=0x81"},
    {"EVENT-NEVER", ETE, "TRCEVENTCTL0R=0x2 TRCEVENTCTL1R=0x1 TRCRSCTLR2=0x40001"},
    {"EVENT-NEVER", ETE, "TRCEVENTCTL0R=0x0 TRCEVENTCTL1R=0x0"},
    {"EVENT-ALWAYS", ETE, "TRCEVENTCTL0R=0x1 TRCEVENTCTL1R=0x2"},
    {"PAIR-FUNCTION", ETE, "TRCTSCTLR=0x81 TRCRSCTLR2=0x340001 TRCRSCTLR3=0x140002"},
    {"PAIR-FUNCTION", ETE, "TRCTSCTLR=0x82 TRCRSCTLR2=0x40001 TRCRSCTLR3=0x140002"},
    {"SELECTOR-RESERVED", ETE, "TRCRSCTLR2=0x50080"},
    {"SELECTOR-NOT-BUILT", ETE, "TRCRSCTLR2=0x40080 TRCIDR4=0x11170004"},
    {"COUNTER-STANDS", ETE, "TRCTSCTLR=0x2 TRCRSCTLR2=0x20001 TRCCNTCTLR0=0x10001"},
    {"COUNTER-STANDS", ETE,
     "TRCTSCTLR=0x2 TRCRSCTLR2=0x20002 TRCCNTCTLR0=0x10001 TRCCNTCTLR1=0x20000"},
    {"COUNTER-STANDS", ETE, "TRCCNTCTLR0=0x10000"}, /* of no use */
    {"COUNTER-EMPTY", ETE, "TRCTSCTLR=0x2 TRCRSCTLR2=0x20001 TRCCNTCTLR0=0x1 TRCCNTVR0=0x9"},
    {"COUNTER-RELOAD", ETE,
     "TRCTSCTLR=0x2 TRCRSCTLR2=0x20001 TRCCNTCTLR0=0x10001 TRCCNTRLDVR0=0x1"},
    {"SEQUENCER-STUCK", ETE,
     "TRCTSCTLR=0x2 TRCRSCTLR2=0x20010 TRCSEQSTR=0x0 TRCSEQEVR0=0x101 TRCSEQEVR1=0x0 "
     "TRCSEQEVR2=0x0"},
    {"SEQUENCER-STATE", ETE,
     "TRCTSCTLR=0x2 TRCRSCTLR2=0x20080 TRCSEQSTR=0x0 TRCSEQEVR0=0x1 TRCSEQEVR1=0x1 "
     "TRCSEQEVR2=0x1"},
    {"SINGLE-SHOT-NONE", ETE, "TRCTSCTLR=0x2 TRCRSCTLR2=0x30001 TRCSSCCR0=0x1"},
    {"SINGLE-SHOT-NONE", ETE, "TRCTSCTLR=0x2 TRCRSCTLR2=0x30001 TRCSSCCR0=0x0 TRCSSPCICR0=0x1"},
    {"SINGLE-SHOT-FIRED", ETE,
     "TRCTSCTLR=0x2 TRCRSCTLR2=0x30001 TRCSSCCR0=0x1000001 TRCSSCSR0=0x80000000"},
    {"EXTERNAL-INPUT", ETMV4, "TRCTSCTLR=0x2 TRCRSCTLR2=0x1 TRCEXTINSELR=0x3 TRCIDR5=0x28c70804"},
    {"WRITE-ENABLED", ETE, IDLE "write TRCVICTLR 0x201\nwrite TRCPRGCTLR 1\nwrite TRCCLAIMSET 1"},
    {"WRITE-NOT-IDLE", ETE, IDLE "write TRCVICTLR 0x201"},
    {"WRITE-NOT-IDLE", ETE, "write TRCPRGCTLR 0\nread TRCSTATR 3\nwrite TRCVICTLR 0x201"},
    {"ENABLE-TOO-SOON", ETE,
     IDLE "write TRCPRGCTLR 1\nwait TRCSTATR.IDLE 0\nwrite TRCPRGCTLR 0\nwait TRCSTATR.IDLE 1\n"
          "write TRCPRGCTLR 1"},
    {"OS-LOCK", ETE, "msr OSLAR_EL1, 0\nmsr TRCPRGCTLR, 1"},
    {"OS-LOCK", ETMV4, "read TRCOSLSR 0x8\nwrite TRCPRGCTLR 1"},
    {"OS-LOCK", ETE, /* D10.1.3: restored, then unlocked */
     "msr OSLAR_EL1, 1\nwait TRCSTATR.IDLE 1\nmsr TRCVICTLR, 0x201\nmsr TRCPRGCTLR, 1\n"
     "msr OSLAR_EL1, 0\nisb"},
    {"NOT-PROGRAMMED", ETE,
     IDLE "write TRCCONFIGR 0x18c1\nwrite TRCEVENTCTL0R 0\nwrite TRCEVENTCTL1R 0\n"
          "write TRCSTALLCTLR 0\nwrite TRCSYNCPR 0xc\nwrite TRCTRACEIDR 1\nwrite TRCTSCTLR 0\n"
          "write TRCVICTLR 0x006f0201\nwrite TRCVIIECTLR 0\nwrite TRCVISSCTLR 0\n"
          "write TRCPRGCTLR 1"},
    {"NO-ISB", ETE, "msr TRCPRGCTLR, 0\nisb\nmrs x0, TRCSTATR\nisb\nmrs x0, TRCSTATR"},
    {"READ-DIFFERS", ETE, IDLE "write TRCVICTLR 0x201\nread TRCVICTLR 0x1"}, /* SSSTATUS moved */
    {"NEVER-ENABLED", ETE, IDLE "write TRCPRGCTLR 1"},
    {"ETM-RANGE-ORDER", PTM, "ETMTECR1=0x1 ETMACVR1=0x1000 ETMACVR2=0x1004"},
    {"ETM-RANGE-TYPES", PTM, "ETMTECR1=0x1 ETMACTR1=0x101 ETMACTR2=0x101"},
    {"ETM-RANGE-TYPES", ETMV3, "ETMTECR1=0x1 ETMACTR1=0x24 ETMACTR2=0x4"},
    {"ETM-DATA-COMPARE", ETMV3, "ETMACTR1=0x3c"},
    {"ETM-STALL", ETMV3, "ETMCR=0x40000"},
    {"ETM-FIFO-LEVEL", ETMV3, "ETMCR=0x80 ETMFFLR=0x1"},
    {"ETM-VIEW-NEVER", PTM, "ETMTEEVR=0x6f"},
    {"ETM-INCLUDES-NOTHING", PTM, "ETMTECR1=0x1000000"},
    {"ETM-INCLUDES-NOTHING", ETMV3, "ETMTECR1=0x0 ETMTECR2=0x1"},
    {"ETM-NEVER-STARTS", PTM, "ETMTECR1=0x3000000 ETMTSSCR=0x1"},
    {"ETM-NEVER-STARTS", PTM, "ETMTECR1=0x3000000 ETMTSSCR=0x0 ETMSR=0x4"},
    {"ETM-PROGRAMMING", PTM, "ETMCR=0x1000"},
    {"ETM-POWER-DOWN", PTM, "ETMCR=0x400"},
    {"ETM-NO-SYNC", PTM, "ETMSYNCFR=0x400"},
    {"ETM-TIMESTAMPS", PTM, "ETMCR=0x10000000 ETMTSEVR=0x406f"},
    {"ETM-NOT-BUILT", PTM, "ETMCR=0x20000000 ETMCCER=0x801800"},
    {"ETM-RESOURCE", PTM, "ETMTRIGGER=0x40 ETMCCR=0x8c002004"},
    {"ETM-MASKED", PTM, "ETMCIDCVR1=0x1200 ETMCIDCMR=0xff"},
    {"ETM-AUXILIARY", PTM, "ETMAUXCR=0x0"},
    {"MTB-OFF", MTB, "MTB_MASTER=0x80000008"},
    {"MTB-OFF", MTB, "MTB_MASTER=0x28"},
};

/* The rules that no single unit breaks. */
static bool is_of_bus(const char *code)
{
    return strcmp(code, "CAIRN-LINT-TRACE-ID-TWICE") == 0;
}

static void test_examples(void **state)
{
    struct cairn_lint_rule_info rule = {.size = sizeof rule};
    size_t count = 0;

    (void)state;
    for (; cairn_lint_rule(count, &rule) == CAIRN_OK; count++) {
        bool near = is_of_bus(rule.code);

        assert_int_equal(strncmp(rule.code, "CAIRN-LINT-", 11), 0);
        if (!is_of_bus(rule.code)) {
            assert_int_equal(lint(rule.protocol, rule.example), CAIRN_OK);
            if (!has(rule.code + 11))
                fail_msg("%s is not told of \"%s\"", rule.code, rule.example);
            if (rule.severity != CAIRN_LINT_NOTE && !has_grave(rule.code + 11))
                fail_msg("%s: its example gives only a note", rule.code);
        }
        for (size_t i = 0; i < sizeof nears / sizeof nears[0]; i++)
            near |= strcmp(nears[i].code, rule.code + 11) == 0;
        if (!near)
            fail_msg("%s: nothing comes near it", rule.code);
    }
    assert_true(count >= 60);
}

static void test_near(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof nears / sizeof nears[0]; i++) {
        assert_int_equal(lint(nears[i].protocol, nears[i].text), CAIRN_OK);
        if (has_grave(nears[i].code) ||
            (has(nears[i].code) && strcmp(nears[i].code, "WRITE-NOT-IDLE") != 0 &&
             strcmp(nears[i].code, "OS-LOCK") != 0))
            fail_msg("%s is told of \"%s\"", nears[i].code, nears[i].text);
    }
}

/* Every register has a place in the arrays of a run. */
static void test_room(void **state)
{
    const struct cairn_register_family *family;
    unsigned slots = 0;

    (void)state;
    for (size_t i = 0; (family = cairn_register_family_at(i)); i++) {
        const unsigned first = family->first == CAIRN_NO_NUMBER ? 0 : family->first;
        const struct cairn_register_place place = {family, first};
        assert_int_equal(cairn_lint_slot(place), slots);
        slots += family->count;
    }
    assert_true(slots > 400 && slots <= CAIRN_LINT_SLOTS);
}

/* Codes once each. */
static void test_codes(void **state)
{
    struct cairn_lint_rule_info a = {.size = sizeof a}, b = {.size = sizeof b};

    (void)state;
    for (size_t i = 0; cairn_lint_rule(i, &a) == CAIRN_OK; i++)
        for (size_t j = 0; j < i && cairn_lint_rule(j, &b) == CAIRN_OK; j++)
            assert_string_not_equal(a.code, b.code);
    assert_int_equal(cairn_lint_rule(10000, &a), CAIRN_E_NOT_FOUND);
}

static void expect(enum cairn_protocol_id protocol, const char *text, const char *code,
                   enum cairn_lint_severity severity, const char *name, unsigned line)
{
    assert_int_equal(lint(protocol, text), CAIRN_OK);
    for (size_t i = 0; i < told_count; i++)
        if (strcmp(told[i].code + 11, code) == 0 && strcmp(told[i].name, name) == 0 &&
            told[i].line == line && told[i].severity == severity)
            return;
    fail_msg("\"%s\" does not give %s of %s in line %u", text, code, name, line);
}

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

/* PTM and ETMv3: the Programming bit (3.15.4). */
static void test_programming_bit(void **state)
{
    static const char right[] = "write ETMCR 0x400\nwait ETMSR.PROGRAMMING 1\nwrite ETMTEEVR 0x6f\n"
                                "write ETMTECR1 0x1000000\nwrite ETMCR 0\n"
                                "wait ETMSR.PROGRAMMING 0";
    (void)state;
    assert_int_equal(lint(PTM, right), CAIRN_OK);
    assert_false(has("WRITE-ENABLED") || has("WRITE-NOT-IDLE") || has("ENABLE-TOO-SOON"));
    /* proves: PFT-3.15.4-a */
    expect(PTM, "write ETMCR 0x400\nread ETMSR 2\nwrite ETMCR 0\nwrite ETMTEEVR 0x6f",
           "WRITE-ENABLED", CAIRN_LINT_PROBLEM, "ETMTEEVR", 4);
    expect(ETMV3, "write ETMCR 0x400\nwrite ETMTEEVR 0x6f", "WRITE-NOT-IDLE", CAIRN_LINT_PROBLEM,
           "ETMTEEVR", 2);
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
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_session),
        cmocka_unit_test(test_programming_bit),
        cmocka_unit_test(test_bus),
        cmocka_unit_test(test_minimal),
        cmocka_unit_test(test_listings),
        cmocka_unit_test(test_wrong_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
