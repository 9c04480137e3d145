/* SPDX-License-Identifier: BSD-2-Clause */
/* Every rule about the programming of trace units: what breaks it, which is its example, and what
 * comes near. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lint_bench.h"

#include "unit/lint/lint.h"

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
    {"NOT-BUILT", ETMV4, "TRCVICTLR=0x201 TRCIDR4=0x00000004 TRCIDR1=0x4100f443"}, /* RES1 */
    {"NOT-BUILT", ETE, "TRCCONFIGR=0x40001 TRCIDR0=0x28c1cea1"},
    {"EVENT-SELECTOR", ETMV4, "TRCVICTLR=0x201 TRCIDR4=0x00000004 TRCIDR1=0x4100f443"},
    {"IDENTIFICATION", ETE, "TRCIDR0=0x40000001 TRCIDR8=0x4"},
    {"IDENTIFICATION", ETE, "TRCIDR0=0x28c1cea1 TRCIDR2=0xd0001088 TRCIDR8=0x0"},
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
    {"RANGE-NONE", ETE, "TRCBBCTLR=0x101"},
    {"Q", ETE, "TRCCONFIGR=0x6001 TRCQCTLR=0x101"},
    {"Q", ETE, "TRCCONFIGR=0x6001 TRCIDR0=0x08010ea1"},
    {"OPTION-OFF", ETE, "TRCCONFIGR=0x11 TRCCCCTLR=0x100"},
    {"TRFCR", ETE, "TRFCR_EL1=0x21"},
    {"VIEW-NEVER", ETE, "TRCVICTLR=0x201"},
    {"VIEW-NEVER", ETE, "TRCVICTLR=0x202 TRCRSCTLR2=0x100000"}, /* not nothing: always */
    {"VIEW-NEVER", ETMV4, "TRCVICTLR=0x200 TRCIDR4=0x00000004 TRCIDR1=0x4100f443"}, /* no events */
    {"LEVELS-NONE", ETE, "TRCVICTLR=0x7f0201 TRCIDR3=0x0d000004"},
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
    {"SINK-ORDER", ETE,
     "msr TRBLIMITR_EL1, 0x80100001\nmsr TRCPRGCTLR, 1\nmsr TRCPRGCTLR, 0\nmsr TRBLIMITR_EL1, 0"},
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
    {"ETM-START-IS-STOP", PTM, "ETMTSSCR=0x20001"},
    {"ETM-DATA-EXCLUDE", ETMV3, "ETMTECR1=0x1 ETMACTR1=0x1c ETMACTR2=0x1c"},
    {"ETM-DATA-EXCLUDE", ETMV3, "ETMTECR1=0x1000001 ETMACTR1=0x19 ETMACTR2=0x19"},
    {"ETM-FETCH", ETMV3, "ETMTECR1=0x1 ETMACTR1=0x19 ETMACTR2=0x19 ETMSCR=0x20000"},
    {"ETM-CPRT", ETMV3, "ETMCR=0x80002"},
    {"ETM-PORT", ETMV3, "ETMCR=0x210060"}, /* user defined 1 */
    {"ETM-ALONE", PTM, "read ETMCR 0x1000\nwrite ETMCR 0x1400"},
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
        assert_int_equal(cairn_register_slot(place), slots);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_codes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
