/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of registers: none over another, no bit of a model's register without one, and what
 * values mean. Expectations are from the specifications: DDI0608 D7.3, Table D7.1, D7.3.1, D10.2;
 * IHI0014 3.5, 3.6; IHI0035 3.8, 3.16. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/fields/fields.h"

/* One register of one kind of unit. */
static void check_register(unsigned unit, struct cairn_register_place place)
{
    const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];
    const size_t count = cairn_register_fields(unit, place, fields);
    uint64_t expected = place.family->mask, seen = 0;
    char name[CAIRN_REGISTER_NAME];

    cairn_register_name(place, name);
    for (size_t i = 0; i < count; i++) {
        const uint64_t mask = cairn_field_mask(fields[i]);

        if (fields[i]->high < fields[i]->low || fields[i]->high >= place.family->bits)
            fail_msg("%s.%s is bits %u:%u", name, fields[i]->name, fields[i]->high, fields[i]->low);
        if (seen & mask)
            fail_msg("%s: bits 0x%llx have two fields", name, (unsigned long long)(seen & mask));
        seen |= mask;
        if (i > 0 && fields[i]->high >= fields[i - 1]->low)
            fail_msg("%s: %s is not below %s", name, fields[i]->name, fields[i - 1]->name);
        /* a name is one field's, so that NAME.FIELD says which */
        for (size_t j = 0; j < i; j++)
            if (fields[i]->meaning != CAIRN_MEANS_RESERVED)
                assert_string_not_equal(fields[i]->name, fields[j]->name);
    }
    /* The model's table has the same bits for all numbers; PAIRINV is of even ones (R_KTNJM),
     * CNTCHAIN of odd ones (D7.7.1). */
    if (strcmp(place.family->name, "TRCRSCTLR") == 0 && place.number % 2 == 1)
        expected &= ~UINT64_C(0x200000);
    if (strcmp(place.family->name, "TRCCNTCTLR") == 0 && place.number % 2 == 0)
        expected &= ~UINT64_C(0x20000);
    if (unit == CAIRN_OF_ETMV4 && strcmp(place.family->name, "TRCVICTLR") == 0)
        expected &= ~UINT64_C(0x07000000); /* Realm state came with ETE 1.2 */
    if (expected & ~seen)
        fail_msg("%s: bits 0x%llx have no field", name, (unsigned long long)(expected & ~seen));
    if (count == 0 && place.family->mask)
        fail_msg("%s has no field", name);
}

static void test_masks(void **state)
{
    const struct cairn_register_family *family;
    unsigned registers = 0;

    (void)state;
    for (size_t i = 0; (family = cairn_register_family_at(i)); i++)
        for (unsigned unit = 1; unit <= CAIRN_OF_ANY; unit <<= 1)
            for (unsigned n = 0; (family->units & unit) && n < family->count; n++) {
                const unsigned first = family->first == CAIRN_NO_NUMBER ? 0 : family->first;
                check_register(unit, (struct cairn_register_place){family, first + n});
                registers++;
            }
    assert_true(registers > 500);
}

/* Each field belongs to a register that there is. */
static void test_owners(void **state)
{
    const struct cairn_register_field *field;

    (void)state;
    for (size_t i = 0; (field = cairn_register_field_at(i)); i++)
        for (unsigned unit = 1; unit <= CAIRN_OF_ANY; unit <<= 1) {
            const struct cairn_register_family *family;
            bool found = !(field->units & unit);

            for (size_t j = 0; !found && (family = cairn_register_family_at(j)); j++)
                found = (family->units & unit) &&
                        strncmp(field->of, family->name, strlen(family->name)) == 0;
            if (!found)
                fail_msg("%s.%s: no unit 0x%x has the register", field->of, field->name, unit);
            assert_true(strlen(field->text) > 5 && field->section[0]);
        }
}

static void test_names(void **state)
{
    char near[3][CAIRN_REGISTER_NAME];
    char name[CAIRN_REGISTER_NAME];
    struct cairn_register_place place = cairn_register_place_of(CAIRN_OF_ETE, "trcrsctlr31");

    (void)state;
    assert_non_null(place.family);
    assert_int_equal(place.number, 31);
    cairn_register_name(place, name);
    assert_string_equal(name, "TRCRSCTLR31");
    assert_null(cairn_register_place_of(CAIRN_OF_ETE, "TRCRSCTLR1").family); /* fixed: TRUE */
    assert_null(cairn_register_place_of(CAIRN_OF_ETE, "TRCRSCTLR32").family);
    assert_null(cairn_register_place_of(CAIRN_OF_ETE, "TRCRSCTLR02").family);
    assert_null(cairn_register_place_of(CAIRN_OF_ETE, "TRCRSCTLR").family);
    assert_null(cairn_register_place_of(CAIRN_OF_ETE, "TRCACVR99999999999").family);
    assert_null(cairn_register_place_of(CAIRN_OF_ETE, "").family);
    assert_null(cairn_register_place_of(CAIRN_OF_ETMV4, "TRCRSR").family);
    assert_non_null(cairn_register_place_of(CAIRN_OF_MTB, "master").family);
    /* by offset: TRCVICTLR, TRCACATR1, ETMIDR (D8.4.1, IHI0014 3.5.18) */
    assert_string_equal(cairn_register_place_of(CAIRN_OF_ETE, "0x080").family->name, "TRCVICTLR");
    place = cairn_register_place_of(CAIRN_OF_ETE, "0x488");
    assert_string_equal(place.family->name, "TRCACATR");
    assert_int_equal(place.number, 1);
    assert_string_equal(cairn_register_place_of(CAIRN_OF_ETMV3, "0x1e4").family->name, "ETMIDR");
    assert_null(cairn_register_place_of(CAIRN_OF_ETE, "0x081").family);
    assert_null(cairn_register_place_of(CAIRN_OF_ETE, "0x10000000000").family);
    assert_int_equal(cairn_register_units("TRCCONFIGR"), CAIRN_OF_BOTH);
    assert_int_equal(cairn_register_units("ETMCR"), CAIRN_OF_ETM);
    assert_int_equal(cairn_register_units("ETMTECR2"), CAIRN_OF_ETMV3);
    assert_int_equal(cairn_register_units("TRCNOTHING"), 0);
    assert_true(cairn_register_names_near(CAIRN_OF_ETE, "TRCVICTRL", near, 3) >= 1);
    assert_string_equal(near[0], "TRCVICTLR");
    assert_int_equal(cairn_register_names_near(CAIRN_OF_ETE, "WHATEVERITIS", near, 3), 0);
}

struct meaning {
    unsigned unit;
    const char *name, *field;
    uint64_t value;
    const char *words;
    bool permitted;
};

static const struct meaning meanings[] = {
    /* D10.2: 0x18c1 enables return stack, timestamps, both identifiers */
    {CAIRN_OF_ETE, "TRCCONFIGR", "RS", 0x18c1, "yes", true},
    {CAIRN_OF_ETE, "TRCCONFIGR", "TS", 0x18c1, "yes", true},
    {CAIRN_OF_ETE, "TRCCONFIGR", "CID", 0x18c1, "yes", true},
    {CAIRN_OF_ETE, "TRCCONFIGR", "VMID", 0x18c1, "yes", true},
    {CAIRN_OF_ETE, "TRCCONFIGR", "CCI", 0x18c1, "no", true},
    {CAIRN_OF_ETE, "TRCCONFIGR", "QE", 0x4000, "reserved", false},
    /* D10.2: every 4096 bytes */
    {CAIRN_OF_ETE, "TRCSYNCPR", "PERIOD", 0xc, "4096 bytes", true},
    {CAIRN_OF_ETE, "TRCSYNCPR", "PERIOD", 7, "reserved: 0, or 8 to 20", false},
    {CAIRN_OF_ETE, "TRCSYNCPR", "PERIOD", 21, "reserved: 0, or 8 to 20", false},
    {CAIRN_OF_ETE, "TRCSYNCPR", "PERIOD", 20, "1048576 bytes", true},
    /* D10.2: EL1, EL2 Non-secure and all of Secure state disabled */
    {CAIRN_OF_ETE, "TRCVICTLR", "EXLEVEL_NS", 0x006f0201, "EL1, EL2", true},
    {CAIRN_OF_ETE, "TRCVICTLR", "EXLEVEL_S", 0x006f0201, "EL0, EL1, EL2, EL3", true},
    {CAIRN_OF_ETE, "TRCVICTLR", "SSSTATUS", 0x006f0201, "started", true},
    {CAIRN_OF_ETE, "TRCVICTLR", "EVENT", 0x006f0201, "always: selector 1 is TRUE", true},
    {CAIRN_OF_ETE, "TRCVICTLR", "EVENT", 0, "never: selector 0 is FALSE", true},
    {CAIRN_OF_ETE, "TRCVICTLR", "EVENT", 0x1f, "selector 31", true},
    {CAIRN_OF_ETE, "TRCVICTLR", "EVENT", 0x83, "pair 3: selectors 6 and 7", true},
    {CAIRN_OF_ETE, "TRCVICTLR", "EVENT", 0x90, "reserved: there are pairs 0 to 15", false},
    {CAIRN_OF_ETE, "TRCVICTLR", "EVENT", 0x21, "reserved: bits 6:5 of an event are 0", false},
    /* D10.4: ARC0 excluded */
    {CAIRN_OF_ETE, "TRCVIIECTLR", "EXCLUDE", 0x10000, "address range 0", true},
    {CAIRN_OF_ETE, "TRCVIIECTLR", "INCLUDE", 0x10000, "none", true},
    /* Table D7.1 */
    {CAIRN_OF_ETE, "TRCRSCTLR2", "SELECT", 0x20021, "counter 0 at zero; sequencer state 1", true},
    {CAIRN_OF_ETE, "TRCRSCTLR2", "SELECT", 0x20100, "reserved: the group has resources 0x00ff",
     false},
    {CAIRN_OF_ETE, "TRCRSCTLR2", "SELECT", 0x48001, "address comparators 0, 15", true},
    {CAIRN_OF_ETE, "TRCRSCTLR2", "SELECT", 0x00010, "reserved: the group has resources 0x000f",
     false},
    {CAIRN_OF_ETE, "TRCRSCTLR2", "GROUP", 0x80000, "reserved", false},
    {CAIRN_OF_ETE, "TRCACATR0", "CONTEXTTYPE", 0xc, "one of each", true},
    {CAIRN_OF_ETE, "TRCCIDCCTLR1", "COMP5", 0x0300, "bytes 0, 1", true},
    {CAIRN_OF_ETE, "TRCIDR4", "NUMRSPAIR", 0x70000, "8", true},
    {CAIRN_OF_ETE, "TRCIDR4", "NUMACPAIRS", 9, "9, which is reserved", false},
    {CAIRN_OF_ETE, "TRCIDR2", "CCSIZE", 8u << 25, "20 bits", true},
    {CAIRN_OF_ETE, "TRCTRACEIDR", "TRACEID", 0x70, "0x70, which is reserved", false},
    {CAIRN_OF_ETE, "TRCTRACEIDR", "TRACEID", 0x6f, "0x6f", true},
    {CAIRN_OF_ETMV4, "TRCCONFIGR", "INSTP0", 6, "loads and stores", true},
    /* 3.6, 3.8.3: functions and resources */
    {CAIRN_OF_ETMV3, "ETMTEEVR", "EVENT", 0x6f, "always", true},
    {CAIRN_OF_ETMV3, "ETMTEEVR", "EVENT", 0x406f, "never", true},
    {CAIRN_OF_PTM, "ETMTEEVR", "EVENT", 0x10 << 7 | 0x40 | 2 << 14,
     "counter 1 at zero and address range 1", true},
    {CAIRN_OF_PTM, "ETMTEEVR", "EVENT", 0x5f << 7 | 0x6d | 7 << 14,
     "not Non-secure state or not start/stop", true},
    {CAIRN_OF_PTM, "ETMTEEVR", "EVENT", 0x7f, "resource 0x7f, which is reserved", false},
    {CAIRN_OF_PTM, "ETMACTR1", "MODES", 0x800, "all modes of Secure state alone", true},
    {CAIRN_OF_PTM, "ETMACTR1", "MODES", 0x2c00, "User mode of Non-secure state", true},
    {CAIRN_OF_PTM, "ETMACTR1", "TYPE", 0, "reserved", false},
    {CAIRN_OF_ETMV3, "ETMACTR1", "TYPE", 7, "reserved", false},
    {CAIRN_OF_ETMV3, "ETMSQR", "STATE", 3, "reserved", false},
    {CAIRN_OF_ETMV3, "ETMCR", "CONTEXTID", 0xc000, "32 bits", true},
    {CAIRN_OF_ETMV3, "ETMTECR2", "SACS", 0x8001, "address comparators 1, 16", true},
    {CAIRN_OF_MTB, "MTB_MASTER", "MASK", 0x80000008, "4096 bytes", true},
    {CAIRN_OF_MTB, "MTB_FLOW", "WATERMARK", 0x20000ff9, "0x20000ff8", true},
};

static void test_meanings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        const struct meaning *m = &meanings[i];
        const struct cairn_register_place place = cairn_register_place_of(m->unit, m->name);
        const struct cairn_register_field *field;
        char words[CAIRN_FIELD_WORDS];

        assert_non_null(place.family);
        field = cairn_register_field_of(m->unit, place, m->field);
        if (!field)
            fail_msg("%s has no %s", m->name, m->field);
        assert_int_equal(cairn_field_describe(m->unit, field, m->value, words), m->permitted);
        assert_string_equal(words, m->words);
    }
}

/* Of every field each word that a value has means that value again. */
static void test_words_back(void **state)
{
    const struct cairn_register_field *field;
    unsigned named = 0;

    (void)state;
    for (size_t i = 0; (field = cairn_register_field_at(i)); i++)
        for (uint64_t v = 0; v <= cairn_field_mask(field) >> field->low && v < 0x100; v++) {
            const char *word = cairn_meaning_word(field->meaning, v);
            uint64_t back = UINT64_MAX;

            if (!word)
                continue;
            assert_true(cairn_field_parse(field, word, &back));
            assert_int_equal(back, v);
            named++;
        }
    assert_true(named > 150);
}

static void test_parse(void **state)
{
    static const struct {
        const char *name, *field, *word;
        uint64_t value;
        bool taken;
    } rows[] = {
        {"TRCVICTLR", "EVENT", "1", 1, true},
        {"TRCVICTLR", "EVENT", "always", 1, true},
        {"TRCVICTLR", "EVENT", "never", 0, true},
        {"TRCVICTLR", "EVENT", "pair 3", 0x83, true},
        {"TRCVICTLR", "EVENT", "Selector5", 5, true},
        {"TRCVICTLR", "EVENT", "pair 16", 0, false},
        {"TRCVICTLR", "EVENT", "selector 32", 0, false},
        {"TRCVICTLR", "EVENT", "selector", 0, false},
        {"TRCVICTLR", "SSSTATUS", "started", 1, true},
        {"TRCVICTLR", "SSSTATUS", "2", 0, false},
        {"TRCVICTLR", "EXLEVEL_NS", "0x7", 7, true},
        {"TRCVICTLR", "EXLEVEL_NS", "8", 0, false},
        {"TRCCONFIGR", "TS", "yes", 1, true},
        {"TRCCONFIGR", "TS", "maybe", 0, false},
        {"TRCCONFIGR", "TS", "0x", 0, false},
        {"TRCCONFIGR", "TS", "", 0, false},
        {"TRCACVR0", "ADDRESS", "0xffffffffffffffff", UINT64_MAX, true},
        {"TRCACVR0", "ADDRESS", "0x1ffffffffffffffffffff", 0, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cairn_register_place place =
            cairn_register_place_of(CAIRN_OF_ETE, rows[i].name);
        uint64_t value = 0;

        assert_int_equal(
            cairn_field_parse(cairn_register_field_of(CAIRN_OF_ETE, place, rows[i].field),
                              rows[i].word, &value),
            rows[i].taken);
        assert_int_equal(value, rows[i].value);
    }
}

/* Bits that nothing describes, and the ones that only some numbers of an array have. */
static void test_reserved(void **state)
{
    static const struct {
        unsigned unit;
        const char *name;
        uint64_t reserved;
    } rows[] = {
        {CAIRN_OF_ETE, "TRCTRACEIDR", ~UINT64_C(0x7f)},
        {CAIRN_OF_ETE, "TRCVISSCTLR", ~UINT64_C(0xffffffff)},
        {CAIRN_OF_ETE, "TRCACVR0", 0},
        {CAIRN_OF_ETE, "TRCRSCTLR2", ~UINT64_C(0x3fffff)},
        {CAIRN_OF_ETE, "TRCRSCTLR3", ~UINT64_C(0x1fffff)},
        {CAIRN_OF_ETE, "TRCCNTCTLR0", ~UINT64_C(0x1ffff)},
        {CAIRN_OF_ETE, "TRCCNTCTLR1", ~UINT64_C(0x3ffff)},
        {CAIRN_OF_ETMV3, "ETMTECR1", ~UINT64_C(0x03ffffff)},
        {CAIRN_OF_PTM, "ETMTECR1", ~UINT64_C(0x030000ff)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        /* proves: R_KTNJM */
        assert_int_equal(cairn_register_reserved(
                             rows[i].unit, cairn_register_place_of(rows[i].unit, rows[i].name)),
                         rows[i].reserved);
}

/* Table D7.1, by hand: the last resource of each group, and the first behind it. */
static void test_groups(void **state)
{
    static const struct {
        uint64_t value;
        const char *words;
        uint64_t reserved; /* 0: all sixteen are there */
    } rows[] = {
        {0x00009, "external input selectors 0, 3", 0x00010},
        {0x10081, "PE comparator inputs 0, 7", 0x10100},
        {0x20008, "counter 3 at zero", 0x20100},
        {0x20090, "sequencer states 0, 3", 0x28000},
        {0x30081, "single-shot comparator controls 0, 7", 0x30100},
        {0x48001, "address comparators 0, 15", 0},
        {0x50081, "address range comparators 0, 7", 0x50100},
        {0x60081, "context identifier comparators 0, 7", 0x60100},
        {0x70081, "virtual context identifier comparators 0, 7", 0x70100},
    };
    const struct cairn_register_place place = cairn_register_place_of(CAIRN_OF_ETE, "TRCRSCTLR31");
    const struct cairn_register_field *select =
        cairn_register_field_of(CAIRN_OF_ETE, place, "SELECT");
    const struct cairn_register_field *group =
        cairn_register_field_of(CAIRN_OF_ETE, place, "GROUP");
    char words[CAIRN_FIELD_WORDS];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(cairn_field_describe(CAIRN_OF_ETE, select, rows[i].value, words));
        /* proves: R_WZVDQ */
        assert_string_equal(words, rows[i].words);
        if (rows[i].reserved)
            assert_false(cairn_field_describe(CAIRN_OF_ETE, select, rows[i].reserved, words));
    }
    for (uint64_t n = 0; n < 16; n++)
        assert_int_equal(cairn_field_describe(CAIRN_OF_ETE, group, n << 16, words), n < 8);
}

static void test_protocols(void **state)
{
    (void)state;
    assert_int_equal(cairn_of_protocol(CAIRN_PROTOCOL_ETE), CAIRN_OF_ETE);
    assert_int_equal(cairn_of_protocol(CAIRN_PROTOCOL_MTB), CAIRN_OF_MTB);
    assert_int_equal(cairn_of_protocol(CAIRN_PROTOCOL_STM), 0);
    for (unsigned unit = 1; unit <= CAIRN_OF_ANY; unit <<= 1)
        assert_int_equal(cairn_of_protocol(cairn_protocol_of(unit)), unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masks),      cmocka_unit_test(test_owners),
        cmocka_unit_test(test_names),      cmocka_unit_test(test_meanings),
        cmocka_unit_test(test_words_back), cmocka_unit_test(test_parse),
        cmocka_unit_test(test_reserved),   cmocka_unit_test(test_groups),
        cmocka_unit_test(test_protocols),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
