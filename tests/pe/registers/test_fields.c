/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of a PE's registers: every bit that exists has one, no field is outside, and what values
 * mean. Words are from DDI0608 E1.2 and F1.1; codes that it lacks are public. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pe/fields/fields.h"

static void check_register(const struct cairn_pe_sysreg *sysreg)
{
    const struct cairn_pe_sysreg_place place = {.sysreg = sysreg};
    const struct cairn_register_field *list[CAIRN_FIELDS_MOST];
    const size_t count = cairn_pe_fields(place, list);
    uint64_t seen = 0;

    assert_true(count < CAIRN_FIELDS_MOST);
    for (size_t i = 0; i < count; i++) {
        const uint64_t mask = cairn_field_mask(list[i]);

        if (list[i]->high < list[i]->low || list[i]->high > 63 || seen & mask)
            fail_msg("%s.%s is bits %u:%u", sysreg->name, list[i]->name, list[i]->high,
                     list[i]->low);
        if (mask & ~sysreg->bits)
            fail_msg("%s.%s is outside of the register", sysreg->name, list[i]->name);
        if (i > 0 && list[i]->high >= list[i - 1]->low)
            fail_msg("%s: %s is not below %s", sysreg->name, list[i]->name, list[i - 1]->name);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(list[i]->name, list[j]->name);
        assert_true(strlen(list[i]->text) > 5 && list[i]->section[0]);
        seen |= mask;
    }
    if (!sysreg->is_host && sysreg->bits & ~seen)
        fail_msg("%s: bits 0x%llx have no field", sysreg->name,
                 (unsigned long long)(sysreg->bits & ~seen));
}

static void test_masks(void **state)
{
    const struct cairn_pe_sysreg *sysreg;

    (void)state;
    for (size_t i = 0; (sysreg = cairn_pe_sysreg_at(i)) != NULL; i++)
        check_register(sysreg);
}

static void test_owners(void **state)
{
    const struct cairn_register_field *field;

    (void)state;
    for (size_t i = 0; (field = cairn_pe_field_at(i)) != NULL; i++) {
        const struct cairn_pe_sysreg *sysreg;
        bool found = false;

        for (size_t j = 0; (sysreg = cairn_pe_sysreg_at(j)) != NULL; j++)
            found |= strcmp(field->of, sysreg->name) == 0;
        if (!found)
            fail_msg("%s.%s: there is no such register", field->of, field->name);
    }
}

struct meaning {
    const char *name, *field;
    uint64_t value;
    const char *words;
    bool permitted;
};

static void check_meaning(const struct meaning *m, char words[CAIRN_FIELD_WORDS], bool *permitted)
{
    const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_named(m->name);

    if (!place.sysreg || !cairn_pe_field_of(place, m->field))
        fail_msg("there is no %s.%s", m->name, m->field);
    *permitted = cairn_pe_field_describe(cairn_pe_field_of(place, m->field), m->value, words);
}

static const struct meaning status[] = {
    {"TRBSR_EL1", "EC", 0, "a buffer management event", true},
    {"TRBSR_EL1", "EC", UINT64_C(0x1f) << 26, "IMPLEMENTATION DEFINED", true},
    {"TRBSR_EL1", "EC", UINT64_C(0x24) << 26, "a stage 1 Data Abort", true},
    {"TRBSR_EL1", "EC", UINT64_C(0x25) << 26, "a stage 2 Data Abort", true},
    {"TRBSR_EL1", "EC", UINT64_C(0x01) << 26, "reserved", false},
    {"TRBSR_EL1", "EC", UINT64_C(0x3f) << 26, "reserved", false},
    {"TRBSR_EL1", "MSS", 0, "collection was not stopped by the buffer", true},
    {"TRBSR_EL1", "MSS", 1, "the buffer filled", true},
    {"TRBSR_EL1", "MSS", 2, "stopped by a trigger", true},
    {"TRBSR_EL1", "MSS", 3, "reserved", false},
    {"TRBSR_EL1", "MSS", 63, "reserved", false},
    {"TRBSR_EL1", "MSS", UINT64_C(0x1f) << 26 | 77, "IMPLEMENTATION DEFINED", true},
    {"TRBSR_EL1", "MSS", UINT64_C(0x24) << 26 | 0x07, "Translation fault, level 3", true},
    {"TRBSR_EL1", "MSS", UINT64_C(0x25) << 26 | 0x04, "Translation fault, level 0", true},
    {"TRBSR_EL1", "MSS", UINT64_C(0x24) << 26 | 0x0f, "Permission fault, level 3", true},
    {"TRBSR_EL1", "MSS", UINT64_C(0x24) << 26 | 0x09, "Access flag fault, level 1", true},
    {"TRBSR_EL1", "MSS", UINT64_C(0x24) << 26 | 0x21, "Alignment fault", true},
    {"TRBSR_EL1", "MSS", UINT64_C(0x24) << 26 | 0x3f, "reserved: fault status 0x3f", false},
    {"TRBSR_EL1", "MSS", UINT64_C(0x02) << 26, "reserved", false},
    {"TRBSR_EL1", "S", 0x20000, "yes", true},
    {"TRBSR_EL1", "IRQ", 0x20000, "no", true},
    {"TRBSR_EL1", "WRAP", 0x100000, "yes", true},
};

static void test_status(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof status / sizeof status[0]; i++) {
        char words[CAIRN_FIELD_WORDS];
        bool permitted;

        check_meaning(&status[i], words, &permitted);
        /* proves: REG_TRBSR */
        assert_string_equal(words, status[i].words);
        /* proves: REG_TRBSR */
        assert_int_equal(permitted, status[i].permitted);
    }
}

static const struct meaning buffer[] = {
    {"TRBLIMITR_EL1", "LIMIT", 0xffff800012345fff, "0xffff800012345000", true},
    {"TRBLIMITR_EL1", "nVM", 0x20, "yes", true},
    {"TRBLIMITR_EL1", "TM", 0x00, "stop on trigger", true},
    {"TRBLIMITR_EL1", "TM", 0x08, "IRQ on trigger", true},
    {"TRBLIMITR_EL1", "TM", 0x10, "reserved", false},
    {"TRBLIMITR_EL1", "TM", 0x18, "ignore triggers", true},
    {"TRBLIMITR_EL1", "FM", 0x0, "fill: collection stops", true},
    {"TRBLIMITR_EL1", "FM", 0x2, "wrap: with an interrupt", true},
    {"TRBLIMITR_EL1", "FM", 0x4, "reserved", false},
    {"TRBLIMITR_EL1", "FM", 0x6, "circular: on from the base", true},
    {"TRBLIMITR_EL1", "E", 1, "enabled", true},
    {"TRBIDR_EL1", "Align", 0, "1 byte", true},
    {"TRBIDR_EL1", "Align", 6, "64 bytes", true},
    {"TRBIDR_EL1", "Align", 11, "2048 bytes", true},
    {"TRBIDR_EL1", "Align", 12, "reserved", false},
    {"TRBIDR_EL1", "F", 0x20, "yes", true},
    {"TRBIDR_EL1", "P", 0x10, "yes", true},
    {"TRBTRG_EL1", "TRG", 0xffffffff, "4294967295", true},
    {"TRBBASER_EL1", "BASE", 0x1fff, "0x1000", true},
    {"TRBPTR_EL1", "PTR", UINT64_MAX, "0xffffffffffffffff", true},
    {"TRBMAR_EL1", "SH", 0x300, "Inner Shareable", true},
    {"TRBMAR_EL1", "SH", 0x100, "reserved", false},
    {"TRBMAR_EL1", "Attr", 0xff, "Normal, outer Write-Back, inner Write-Back", true},
    {"TRBMAR_EL1", "Attr", 0x44, "Normal, outer Non-cacheable, inner Non-cacheable", true},
    {"TRBMAR_EL1", "Attr", 0x04, "Device-nGnRE", true},
    {"TRBMAR_EL1", "Attr", 0x01, "reserved", false},
};

static void test_buffer(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof buffer / sizeof buffer[0]; i++) {
        char words[CAIRN_FIELD_WORDS];
        bool permitted;

        check_meaning(&buffer[i], words, &permitted);
        /* proves: REG_TRBLIMITR, REG_TRBIDR, I_FZXSV, I_JDWMT, REG_TRBTRG */
        assert_string_equal(words, buffer[i].words);
        assert_int_equal(permitted, buffer[i].permitted);
    }
}

/* TRBMAR_EL1 and TRBBASER_EL1: what nVM takes its attributes from; the base is a page. */
static void test_buffer_attributes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof buffer / sizeof buffer[0]; i++) {
        char words[CAIRN_FIELD_WORDS];
        bool permitted;

        if (strcmp(buffer[i].name, "TRBMAR_EL1") != 0)
            continue;
        check_meaning(&buffer[i], words, &permitted);
        /* proves: REG_TRBMAR, R_FJKLW */
        assert_string_equal(words, buffer[i].words);
    }
}

/* All 64 codes of BRBINF<n>_EL1.TYPE. */
static void test_types(void **state)
{
    static const struct {
        unsigned code;
        const char *words;
    } known[] = {
        {0x00, "direct branch"},
        {0x01, "indirect branch"},
        {0x02, "direct call"},
        {0x03, "indirect call"},
        {0x05, "return"},
        {0x07, "exception return"},
        {0x08, "conditional direct branch"},
        {0x21, "Debug halt"},
        {0x22, "call exception"},
        {0x23, "trap"},
        {0x24, "System Error"},
        {0x26, "instruction debug exception"},
        {0x27, "data debug exception"},
        {0x2a, "alignment fault"},
        {0x2b, "instruction fault"},
        {0x2c, "data fault"},
        {0x2e, "IRQ"},
        {0x2f, "FIQ"},
        {0x30, "IMPLEMENTATION DEFINED exception to EL3"},
        {0x39, "Debug exit"},
    };

    (void)state;
    for (unsigned code = 0; code < 64; code++) {
        const char *expected = "reserved";
        const struct meaning m = {"BRBINF7_EL1", "TYPE", (uint64_t)code << 8, NULL, true};
        char words[CAIRN_FIELD_WORDS];
        bool permitted;

        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (known[i].code == code)
                expected = known[i].words;
        check_meaning(&m, words, &permitted);
        /* proves: REG_BRBINF_TYPE */
        assert_string_equal(words, expected);
        /* proves: REG_BRBINF_TYPE */
        assert_int_equal(permitted, strcmp(expected, "reserved") != 0);
    }
}

static const struct meaning records[] = {
    {"BRBINF0_EL1", "VALID", 0, "none: no record", true},
    {"BRBINF0_EL1", "VALID", 1, "the target", true},
    {"BRBINF0_EL1", "VALID", 2, "the source", true},
    {"BRBINF0_EL1", "VALID", 3, "source and target", true},
    {"BRBINF0_EL1", "EL", 0x80, "EL2", true},
    {"BRBINF0_EL1", "MPRED", 0x20, "yes", true},
    {"BRBINF0_EL1", "LASTFAILED", 0x20000, "yes", true},
    {"BRBINF0_EL1", "T", 0x10000, "yes", true},
    {"BRBINF0_EL1", "CCU", UINT64_C(1) << 46, "yes", true},
    {"BRBINF0_EL1", "CC", UINT64_C(1) << 46, "unknown", true},
    {"BRBINF0_EL1", "CC", UINT64_C(0xff) << 32, "255", true},
    {"BRBINF0_EL1", "CC", UINT64_C(0x100) << 32, "256, or a few more", true},
    {"BRBINF0_EL1", "CC", UINT64_C(0xcff) << 32, "1046528, or a few more", true}, /* 511 << 11 */
    {"BRBINF0_EL1", "CC", UINT64_C(0x3fff) << 32, "more than the counter holds", true},
    {"BRBINFINJ_EL1", "VALID", 2, "the source", true},
    {"BRBSRC31_EL1", "ADDRESS", 0xffff000000001234, "0xffff000000001234", true},
    {"BRBTGT31_EL1", "ADDRESS", 0x1234, "0x1234", true},
    {"BRBTS_EL1", "TS", 0x1234, "0x1234", true},
};

static void test_records(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        char words[CAIRN_FIELD_WORDS];
        bool permitted;

        check_meaning(&records[i], words, &permitted);
        /* proves: REG_BRBINF, REG_BRBSRC, REG_BRBTGT, REG_BRBTS */
        assert_string_equal(words, records[i].words);
        assert_int_equal(permitted, records[i].permitted);
    }
    /* proves: REG_BRBINF */
    assert_int_equal(cairn_pe_reserved(cairn_pe_sysreg_named("BRBINF3_EL1")),
                     ~UINT64_C(0x7fff00033fe3));
}

/* Each bit of the two kinds of BRBCR is the field of that name. */
static void test_branch_controls(void **state)
{
    static const struct {
        unsigned low;
        const char *EL1, *EL2;
    } rows[] = {
        {23, "EXCEPTION", "EXCEPTION"},
        {22, "ERTN", "ERTN"},
        {8, "FZP", "FZP"},
        {5, "TS", "TS"},
        {4, "MPRED", "MPRED"},
        {3, "CC", "CC"},
        {1, "E1BRE", "E2BRE"},
        {0, "E0BRE", "E0HBRE"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cairn_register_field *one =
            cairn_pe_field_of(cairn_pe_sysreg_named("BRBCR_EL1"), rows[i].EL1);
        const struct cairn_register_field *two =
            cairn_pe_field_of(cairn_pe_sysreg_named("BRBCR_EL2"), rows[i].EL2);

        /* proves: REG_BRBCR_EL1, REG_BRBCR_EL2, I_DMPQZ */
        assert_true(one && one->low == rows[i].low);
        /* proves: REG_BRBCR_EL1, REG_BRBCR_EL2, I_DMPQZ */
        assert_true(two && two->low == rows[i].low);
    }
}

static void test_filter_controls(void **state)
{
    static const struct {
        unsigned high, low;
        const char *name;
    } rows[] = {
        {29, 28, "BANK"}, {22, 22, "CONDDIR"},  {21, 21, "DIRCALL"}, {20, 20, "INDCALL"},
        {19, 19, "RTN"},  {18, 18, "INDIRECT"}, {17, 17, "DIRECT"},  {16, 16, "EnI"},
        {7, 7, "PAUSED"}, {6, 6, "LASTFAILED"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cairn_register_field *field =
            cairn_pe_field_of(cairn_pe_sysreg_named("BRBFCR_EL1"), rows[i].name);

        /* proves: REG_BRBFCR */
        assert_true(field && field->high == rows[i].high && field->low == rows[i].low);
    }
}

static const struct meaning built[] = {
    {"BRBIDR0_EL1", "NUMREC", 8, "8 records", true},
    {"BRBIDR0_EL1", "NUMREC", 16, "16 records", true},
    {"BRBIDR0_EL1", "NUMREC", 32, "32 records", true},
    {"BRBIDR0_EL1", "NUMREC", 64, "64 records", true},
    {"BRBIDR0_EL1", "NUMREC", 0, "reserved", false},
    {"BRBIDR0_EL1", "NUMREC", 24, "reserved", false},
    {"BRBIDR0_EL1", "CC", 0x5000, "20 bits", true},
    {"BRBIDR0_EL1", "CC", 0x4000, "reserved", false},
    {"BRBFCR_EL1", "BANK", 0, "records 0 to 31", true},
    {"BRBFCR_EL1", "BANK", 0x10000000, "records 32 to 63", true},
    {"BRBFCR_EL1", "BANK", 0x20000000, "reserved", false},
};

static void test_built(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof built / sizeof built[0]; i++) {
        char words[CAIRN_FIELD_WORDS];
        bool permitted;

        check_meaning(&built[i], words, &permitted);
        /* proves: REG_BRBIDR0, R_KSLSM, R_HQXNW */
        assert_string_equal(words, built[i].words);
        /* proves: REG_BRBIDR0, I_FBHCC */
        assert_int_equal(permitted, built[i].permitted);
    }
}

static const struct meaning control[] = {
    {"MDCR_EL3", "NSTB", 0, "Secure state; all are trapped to EL3", true},
    {"MDCR_EL3", "NSTB", 0x1000000, "Secure state", true},
    {"MDCR_EL3", "NSTB", 0x2000000, "Non-secure state; all are trapped to EL3", true},
    {"MDCR_EL3", "NSTB", 0x3000000, "Non-secure state", true},
    {"MDCR_EL2", "E2TB", 0, "EL2; EL1 is trapped to EL2", true},
    {"MDCR_EL2", "E2TB", 0x1000000, "reserved", false},
    {"MDCR_EL2", "E2TB", 0x2000000, "EL1; EL1 is trapped to EL2", true},
    {"MDCR_EL2", "E2TB", 0x3000000, "EL1", true},
    {"MDCR_EL3", "E3BREC", UINT64_C(1) << 38, "yes", true},
    {"MDCR_EL3", "E3BREW", UINT64_C(1) << 37, "yes", true},
    {"MDCR_EL3", "SBRBE", UINT64_C(3) << 32, "all", true},
    {"ID_AA64DFR0_EL1", "BRBE", UINT64_C(1) << 52, "FEAT_BRBE", true},
    {"ID_AA64DFR0_EL1", "BRBE", UINT64_C(2) << 52, "FEAT_BRBEv1p1", true},
    {"ID_AA64DFR0_EL1", "BRBE", UINT64_C(3) << 52, "reserved", false},
    {"ID_AA64DFR0_EL1", "BRBE", 0, "not there", true},
    {"ID_AA64DFR0_EL1", "TraceBuffer", UINT64_C(1) << 44, "there", true},
    {"ID_AA64DFR0_EL1", "TraceVer", 0x10, "there", true},
    {"PMCNTENSET_EL0", "P", 0, "none", true},
    {"PMCNTENSET_EL0", "P", 0x4, "counter 2", true},
    {"PMCNTENSET_EL0", "P", 0x80000005, "counters 0, 2, cycles", true},
    {"PMOVSCLR_EL0", "P", 0x80000004, "counter 2, cycles", true},
    {"PMOVSCLR_EL0", "P", 0x80000000, "cycles", true},
    {"PMCR_EL0", "N", 0x3000, "6", true},
    {"PMEVTYPER3_EL0", "evtCount", 0x811f, "0x811f", true},
    {"TRFCR_EL2", "TS", 0, "as the register of EL1 says", true},
    {"TRFCR_EL1", "TS", 0x60, "physical", true},
};

static void test_control(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof control / sizeof control[0]; i++) {
        char words[CAIRN_FIELD_WORDS];
        bool permitted;

        check_meaning(&control[i], words, &permitted);
        assert_string_equal(words, control[i].words);
        assert_int_equal(permitted, control[i].permitted);
        if (i < 8)
            /* proves: REG_MDCR_OWNER */
            assert_string_equal(words, control[i].words);
    }
}

/* What software finds the extensions by. */
static void test_identification(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof control / sizeof control[0]; i++) {
        char words[CAIRN_FIELD_WORDS];
        bool permitted;

        if (strcmp(control[i].name, "ID_AA64DFR0_EL1") != 0)
            continue;
        check_meaning(&control[i], words, &permitted);
        /* proves: I_FKLJM, I_GFXY, S_QVGQX, B1.1.8 */
        assert_string_equal(words, control[i].words);
    }
}

/* C3.1: the controls of transactional memory, and the field that tells of it. */
static void test_transactions(void **state)
{
    static const struct {
        const char *name, *field;
        unsigned bit;
    } rows[] = {
        {"SCTLR_EL1", "TMT0", 50},  {"SCTLR_EL1", "TMT", 51},  {"SCTLR_EL1", "TME0", 52},
        {"SCTLR_EL1", "TME", 53},   {"SCTLR_EL2", "TMT0", 50}, {"SCTLR_EL2", "TMT", 51},
        {"SCTLR_EL2", "TME0", 52},  {"SCTLR_EL2", "TME", 53},  {"HCR_EL2", "TME", 39},
        {"SCR_EL3", "TME", 34},     {"TCR_EL1", "NFD0", 53},   {"TCR_EL1", "NFD1", 54},
        {"TCR_EL2", "NFD0", 53},    {"TCR_EL2", "NFD1", 54},   {"PMEVTYPER30_EL0", "T", 23},
        {"PMCCFILTR_EL0", "T", 23},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cairn_register_field *field =
            cairn_pe_field_of(cairn_pe_sysreg_named(rows[i].name), rows[i].field);

        assert_true(field && field->high == rows[i].bit && field->low == rows[i].bit);
    }
    for (uint64_t value = 0; value < 16; value++) {
        const struct meaning m = {"ID_AA64ISAR0_EL1", "TME", value << 24, NULL, true};
        char words[CAIRN_FIELD_WORDS];
        bool permitted;

        check_meaning(&m, words, &permitted);
        /* proves: R_VJLM */
        assert_string_equal(words, value == 0 ? "not there" : value == 1 ? "there" : "reserved");
    }
}

/* Of every field each word that a value has means that value again. */
static void test_words_back(void **state)
{
    const struct cairn_register_field *field;
    unsigned named = 0;

    (void)state;
    for (size_t i = 0; (field = cairn_pe_field_at(i)) != NULL; i++)
        for (uint64_t v = 0; v < 64 && v <= cairn_field_mask(field) >> field->low; v++) {
            char words[CAIRN_FIELD_WORDS];
            uint64_t back = UINT64_MAX;

            if (field->meaning <= CAIRN_MEANS_PE_WORDS && field->meaning != CAIRN_MEANS_FLAG)
                continue;
            if (!cairn_pe_field_describe(field, v << field->low, words))
                continue;
            assert_true(cairn_pe_field_parse(field, words, &back));
            assert_int_equal(back, v);
            named++;
        }
    assert_true(named > 300);
}

static void test_parse(void **state)
{
    const struct cairn_register_field *MSS =
        cairn_pe_field_of(cairn_pe_sysreg_named("TRBSR_EL1"), "mss");
    const struct cairn_register_field *TM =
        cairn_pe_field_of(cairn_pe_sysreg_named("TRBLIMITR_EL1"), "TM");
    uint64_t value = 0;

    (void)state;
    assert_non_null(MSS);
    assert_true(cairn_pe_field_parse(MSS, "0x21", &value));
    assert_int_equal(value, 0x21);
    assert_false(cairn_pe_field_parse(MSS, "0x10000", &value));
    assert_false(cairn_pe_field_parse(MSS, "full", &value));
    assert_true(cairn_pe_field_parse(TM, "IRQ on trigger", &value));
    assert_int_equal(value, 1);
    assert_false(cairn_pe_field_parse(TM, "4", &value));
}

static void test_names_near(void **state)
{
    char near[3][CAIRN_REGISTER_NAME];

    (void)state;
    assert_true(cairn_pe_names_near("TRBSSR_EL1", near, 3) >= 1);
    assert_string_equal(near[0], "TRBSR_EL1");
    assert_int_equal(cairn_pe_names_near("WHATEVERITIS", near, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_owners),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_buffer),
        cmocka_unit_test(test_buffer_attributes),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_branch_controls),
        cmocka_unit_test(test_filter_controls),
        cmocka_unit_test(test_built),
        cmocka_unit_test(test_control),
        cmocka_unit_test(test_identification),
        cmocka_unit_test(test_words_back),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_transactions),
        cmocka_unit_test(test_names_near),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
