/* SPDX-License-Identifier: BSD-2-Clause */
/* Every rule about the programming of a PE: what breaks it, which is its example, and what comes near. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/pe.h>

#define WORDS 8u

/* Nearly what breaks the rule, and right. */
static const struct {
    const char *code, *text;
} nears[] = {
    {"PE-RESERVED-BITS",
     "BRBFCR_EL1=0x10000 BRBCR_EL1=0xc0017b TRBMAR_EL1=0x3ff PMEVTYPER3_EL0=0x21"},
    {"PE-RESERVED-BITS", "BRBIDR0_EL1=0xffffffff"}, /* hardware's own: of a later version */
    {"PE-RESERVED-BITS", "TRCVICTLR=0x80000000"},   /* not the PE's */
    {"TRBE-EMPTY", "TRBBASER_EL1=0x80000000 TRBLIMITR_EL1=0x80001001"},
    {"TRBE-EMPTY", "TRBLIMITR_EL1=0x1"}, /* where it begins is not known */
    {"TRBE-POINTER", "TRBBASER_EL1=0x80000000 TRBLIMITR_EL1=0x80001001 TRBPTR_EL1=0x80000fff"},
    {"TRBE-POINTER", "TRBBASER_EL1=0x80000000 TRBLIMITR_EL1=0x80001000 TRBPTR_EL1=0x80001000"},
    {"TRBE-ALIGNMENT", "TRBIDR_EL1=0x5 TRBPTR_EL1=0x80000020 TRBTRG_EL1=0x40"},
    {"TRBE-ALIGNMENT", "TRBPTR_EL1=0x80000021"}, /* what it has to be is not known */
    {"TRBE-STOPPED", "TRBSR_EL1=0x100000 TRBLIMITR_EL1=0x80001001"}, /* WRAP alone */
    {"TRBE-STOPPED", "TRBSR_EL1=0x20000 TRBLIMITR_EL1=0x80001000"},
    {"TRBE-ADDRESS", "TRBBASER_EL1=0xffff000080000000 TRBLIMITR_EL1=0xffff000080001001"},
    {"TRBE-ADDRESS", "TRBBASER_EL1=0xf000080000000 TRBLIMITR_EL1=0xf000080001021"}, /* 52 bits */
    {"TRBE-ATTRIBUTES", "TRBLIMITR_EL1=0x80001021 TRBMAR_EL1=0x3ff"},
    {"TRBE-ATTRIBUTES", "TRBLIMITR_EL1=0x80001021 TRBMAR_EL1=0x44"}, /* Non-cacheable */
    {"TRBE-ATTRIBUTES", "TRBLIMITR_EL1=0x80001001 TRBMAR_EL1=0x0"},
    {"TRBE-INTERRUPT", "TRBLIMITR_EL1=0x80001001 MDCR_EL2=0x0 HCR_EL2=0x80000010"},
    {"TRBE-INTERRUPT", "TRBLIMITR_EL1=0x80001001 MDCR_EL2=0x0 HCR_EL2=0x88000000"},
    {"TRBE-INTERRUPT", "TRBLIMITR_EL1=0x80001001 MDCR_EL2=0x3000000 HCR_EL2=0x80000000"},
    {"TRBE-INTERRUPT",
     "TRBLIMITR_EL1=0x80001001 HCR_EL2=0x80000000"}, /* whose it is is not known */
    {"TRBE-INTERRUPT", "TRBLIMITR_EL1=0x80001001 SCR_EL3=0x401"},
    {"TRBE-INTERRUPT", "TRBLIMITR_EL1=0x80001000 SCR_EL3=0x403"}, /* it is off */
    {"BRBE-TYPES", "BRBCR_EL1=0x3 BRBFCR_EL1=0x10000"},
    {"BRBE-TYPES", "BRBCR_EL1=0x3 BRBFCR_EL1=0x7d0000"}, /* all but unconditional ones left out */
    {"BRBE-TYPES", "BRBCR_EL1=0x800003 BRBFCR_EL1=0x0"}, /* exceptions */
    {"BRBE-LEVELS", "BRBCR_EL1=0xc00001 BRBFCR_EL1=0x10000 MDCR_EL3=0x300000000"},
    {"BRBE-LEVELS", "BRBCR_EL1=0xc00000 BRBCR_EL2=0x2 BRBFCR_EL1=0x10000"},
    {"BRBE-LEVELS", "BRBCR_EL1=0x0"}, /* it is off */
    {"BRBE-PAUSED", "BRBCR_EL1=0x3 BRBFCR_EL1=0x10040"},
    {"BRBE-PAUSED", "BRBCR_EL1=0x0 BRBFCR_EL1=0x10080"},
    {"BRBE-BOTH", "BRBCR_EL1=0x1b BRBCR_EL2=0x18"},
    {"BRBE-BOTH", "BRBCR_EL1=0xb"}, /* there may be no EL2 */
};

struct bench {
    char code[64]; /* looked for */
    unsigned found, others;
    char what[256], name[24], unit[24];
};

static void tell(void *context, const struct cairn_lint_finding *finding)
{
    struct bench *b = context;

    if (strcmp(finding->code, b->code) != 0) {
        b->others++;
        return;
    }
    b->found++;
    snprintf(b->what, sizeof b->what, "%s", finding->what);
    snprintf(b->name, sizeof b->name, "%s", finding->name ? finding->name : "");
    snprintf(b->unit, sizeof b->unit, "%s", finding->unit ? finding->unit : "");
    assert_true(strlen(finding->what) > 10 && strlen(finding->remedy) > 10);
}

static void lint(struct bench *b, const char *code, const char *words)
{
    struct cairn_register registers[WORDS];
    char text[512], *save = NULL;
    size_t count = 0;

    memset(b, 0, sizeof *b);
    snprintf(b->code, sizeof b->code, "%s", code);
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(word, '=');

        assert_non_null(equals);
        assert_true(count < WORDS);
        *equals = '\0';
        registers[count].name = word;
        registers[count++].value = strtoull(equals + 1, NULL, 0);
    }
    cairn_pe_lint(registers, count, "cpu0", tell, b);
}

static void test_examples(void **state)
{
    struct cairn_lint_rule_info rule = {.size = sizeof rule};
    struct bench b;
    size_t index = 0;

    (void)state;
    for (; cairn_pe_lint_rule(index, &rule) == CAIRN_OK; index++) {
        bool is_near = false;

        lint(&b, rule.code, rule.example);
        if (b.found != 1 || b.others)
            fail_msg("%s: %s: %u, and %u others", rule.code, rule.example, b.found, b.others);
        assert_string_equal(b.unit, "cpu0");
        assert_non_null(strstr(rule.example, b.name));
        assert_int_equal(rule.protocol, CAIRN_PROTOCOL_UNKNOWN);
        assert_int_equal(strncmp(rule.code, "CAIRN-LINT-", 11), 0);
        for (size_t i = 0; i < sizeof nears / sizeof nears[0]; i++)
            is_near |= strcmp(nears[i].code, rule.code + 11) == 0;
        if (!is_near)
            fail_msg("%s: nothing comes near it", rule.code);
    }
    assert_int_equal(index, 12);
}

static void test_nears(void **state)
{
    char code[64];
    struct bench b;

    (void)state;
    for (size_t i = 0; i < sizeof nears / sizeof nears[0]; i++) {
        snprintf(code, sizeof code, "CAIRN-LINT-%s", nears[i].code);
        lint(&b, code, nears[i].text);
        if (b.found)
            fail_msg("%s: %s: %s", nears[i].code, nears[i].text, b.what);
    }
}

/* What a rule says in each of its cases. */
static void test_cases(void **state)
{
    static const struct {
        const char *code, *text, *name, *says;
    } cases[] = {
        {"PE-RESERVED-BITS", "PMCNTENSET_EL0=0x100000001", "PMCNTENSET_EL0", "bits 0x100000000"},
        {"PE-RESERVED-BITS", "pmevtyper3_el0=0x10000000000", "PMEVTYPER3_EL0", "0x10000000000"},
        {"TRBE-EMPTY", "TRBBASER_EL1=0x80002000 TRBLIMITR_EL1=0x80001001", "TRBLIMITR_EL1",
         "no room"},
        {"TRBE-EMPTY", "TRBBASER_EL1=0x80000000 TRBLIMITR_EL1=0x100000080001001", "TRBLIMITR_EL1",
         "63:56"},
        {"TRBE-POINTER", "TRBBASER_EL1=0x80001000 TRBLIMITR_EL1=0x80002001 TRBPTR_EL1=0x80000fff",
         "TRBPTR_EL1", "0x80001000 up to 0x80002000"},
        {"TRBE-ALIGNMENT", "TRBIDR_EL1=0xb TRBTRG_EL1=0x400", "TRBTRG_EL1", "multiple of 2048"},
        {"TRBE-ADDRESS", "TRBPTR_EL1=0x10000000000000 TRBLIMITR_EL1=0x1021", "TRBPTR_EL1",
         "nVM is 1"},
        {"TRBE-ATTRIBUTES", "TRBLIMITR_EL1=0x80001021 TRBMAR_EL1=0x4", "TRBMAR_EL1", "0x4, Device"},
        {"TRBE-INTERRUPT", "TRBLIMITR_EL1=0x80001001 SCR_EL3=0x403", "SCR_EL3", "EL3 takes"},
        {"BRBE-TYPES", "BRBFCR_EL1=0x7f0000", "BRBFCR_EL1", "all types are left out"},
        {"BRBE-LEVELS", "BRBCR_EL2=0x8", "BRBCR_EL2", "no Exception level"},
        {"BRBE-LEVELS", "BRBCR_EL1=0x1 MDCR_EL3=0x0", "MDCR_EL3", "SBRBE"},
        {"BRBE-BOTH", "BRBCR_EL1=0x1 BRBCR_EL2=0x10", "BRBCR_EL1", "MPRED"},
        {"TRBE-STOPPED", "TRBLIMITR_EL1=0x1000 TRBLIMITR_EL1=0x1001 TRBSR_EL1=0x20000", "TRBSR_EL1",
         "thrown away"},
    };
    char code[64];
    struct bench b;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(code, sizeof code, "CAIRN-LINT-%s", cases[i].code);
        lint(&b, code, cases[i].text);
        if (b.found != 1 || strcmp(b.name, cases[i].name) != 0 || !strstr(b.what, cases[i].says))
            fail_msg("%s: %s: %u, %s: %s", cases[i].code, cases[i].text, b.found, b.name, b.what);
    }
}

/* Of all settings of what routes an IRQ: where it is taken (Arm ARM), and whose the buffer is. */
static void test_interrupts(void **state)
{
    char text[128];
    struct bench b;

    (void)state;
    for (unsigned n = 0; n < 32; n++) {
        const unsigned IRQ = n & 1, IMO = n >> 1 & 1, TGE = n >> 2 & 1;
        const unsigned E2TB = n >> 3; /* 1 is reserved */
        const unsigned taken = IRQ ? 3 : IMO || TGE ? 2 : 1, owner = E2TB == 0 ? 2 : 1;

        if (E2TB == 1)
            continue;
        snprintf(text, sizeof text, "TRBLIMITR_EL1=0x1001 SCR_EL3=0x%x HCR_EL2=0x%x MDCR_EL2=0x%x",
                 0x401 | IRQ << 1, IMO << 4 | TGE << 27, E2TB << 24);
        lint(&b, "CAIRN-LINT-TRBE-INTERRUPT", text);
        /* A hypervisor may take it for a guest. */
        /* proves: S_XLNJY */
        assert_int_equal(b.found, taken == 3 || (owner == 2 && taken == 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_nears),
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_interrupts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
