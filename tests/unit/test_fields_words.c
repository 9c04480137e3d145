/* SPDX-License-Identifier: BSD-2-Clause */
/* Every value of every field whose values have names, by hand: IHI0014 Tables 3-3 to 3-50, IHI0035 3.16,
 * DDI0608 D6 to D8, D16 and E1.2.1, and the Arm ARM for what these leave to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/fields/fields.h"

#define ETE CAIRN_OF_ETE
#define ETMV4 CAIRN_OF_ETMV4
#define PTM CAIRN_OF_PTM
#define ETMV3 CAIRN_OF_ETMV3
#define VALUES_MOST 64u /* of a field; all of them have fewer bits than 7, but for one */

struct named {
    unsigned unit;
    const char *name, *field;
    const char *words; /* of 0, 1, 2 and so on; "-" and all behind the last are reserved */
};

static const struct named etmv4[] = {
    {ETE, "TRCPRGCTLR", "EN", "disabled|enabled"},
    {ETMV4, "TRCCONFIGR", "INSTP0", "none|loads|stores|loads and stores"},
    {ETMV4, "TRCCONFIGR", "COND",
     "none|conditional loads|conditional stores|conditional loads and stores|-|-|-|all"},
    {ETE, "TRCCONFIGR", "QE",
     "none|with a count of instructions|-|with and without a count of instructions"},
    {ETE, "TRCCONFIGR", "VMIDOPT", "VTTBR_EL2.VMID|CONTEXTIDR_EL2"},
    {ETE, "TRCBBCTLR", "MODE",
     "outside the ranges, and everywhere where there are none|inside the ranges"},
    {ETE, "TRCQCTLR", "MODE",
     "outside the ranges, and everywhere where there are none|inside the ranges"},
    {ETE, "TRCRSCTLR2", "GROUP",
     "external input selectors|PE comparator inputs|counters at zero and sequencer states|"
     "single-shot comparator controls|single address comparators|address range comparators|"
     "context identifier comparators|virtual context identifier comparators"},
    {ETE, "TRCACATR15", "CONTEXTTYPE",
     "none|a context identifier comparator|a virtual context identifier comparator|one of each"},
    {ETMV4, "TRCACATR0", "TYPE",
     "instruction addresses|addresses of loads|addresses of stores|addresses of loads and stores"},
    {ETMV4, "TRCACATR0", "DATAMATCH", "not compared|it has to match|-|it has to differ"},
    {ETMV4, "TRCACATR0", "DATASIZE", "byte|halfword|word|doubleword"},
    {ETE, "TRCVICTLR", "SSSTATUS", "stopped|started"},
    {ETE, "TRCSEQSTR", "STATE", "state 0|state 1|state 2|state 3"},
    {ETE, "TRFCR_EL1", "TS", "as the other level says|virtual|guest physical|physical"},
    {ETE, "TRFCR_EL2", "TS", "as the other level says|virtual|guest physical|physical"},
    {ETE, "TRBLIMITR_EL1", "TM", "stop on trigger|IRQ on trigger|-|ignore triggers"},
    {ETE, "TRBLIMITR_EL1", "FM",
     "fill: collection stops|wrap: with an interrupt|-|circular: on from the base"},
    {ETE, "TRBLIMITR_EL1", "E", "disabled|enabled"},
};

static const struct named built[] = {
    {ETE, "TRCIDR0", "COMMTRANS", "a P0 element|no P0 element"},
    {ETE, "TRCIDR0", "COMMOPT", "mode 0: Commits are in them|mode 1: no Commits are in them"},
    {ETE, "TRCIDR0", "TSSIZE", "not there|-|-|-|-|-|48 bits|-|64 bits"},
    {ETE, "TRCIDR0", "QSUPP", "not there|with a count|without a count|with and without a count"},
    {ETMV4, "TRCIDR0", "CONDTYPE", "passed or failed|the flags"},
    {ETMV4, "TRCIDR0", "TRCDATA", "not there|-|-|there"},
    {ETMV4, "TRCIDR0", "INSTP0", "not there|-|-|there"},
    {ETE, "TRCIDR1", "TRCARCHMAJ", "-|-|-|-|ETMv4|-|-|-|-|-|-|-|-|-|-|told by TRCDEVARCH"},
    {ETE, "TRCIDR2", "WFXMODE", "WFI and WFE are not P0|WFI and WFE are P0"},
    {ETE, "TRCIDR2", "VMIDOPT", "always 0|what is written|always 1: CONTEXTIDR_EL2"},
    {ETMV4, "TRCIDR2", "DVSIZE", "not there|-|-|-|32 bits|-|-|-|64 bits"},
    {ETMV4, "TRCIDR2", "DASIZE", "not there|-|-|-|32 bits|-|-|-|64 bits"},
    {ETE, "TRCIDR2", "VMIDSIZE", "not there|8 bits|16 bits|-|32 bits"},
    {ETE, "TRCIDR2", "CIDSIZE", "not there|-|-|-|32 bits"},
    {ETE, "TRCIDR2", "IASIZE", "-|-|-|-|32 bits|-|-|-|64 bits"},
    {ETE, "TRCIDR3", "SYNCPR", "TRCSYNCPR can be written|the period is fixed"},
    {ETE, "TRCIDR5", "TRACEIDSIZE", "no trace ID|-|-|-|-|-|-|7 bits"},
    {ETE, "TRCIDR5", "NUMSEQSTATE", "no sequencer|-|-|-|4 states"},
    {ETE, "TRCAUTHSTATUS", "NSNID", "not there|-|there, disabled|there, enabled"},
    {ETE, "TRCDEVTYPE", "MAJOR", "-|-|-|trace source"},
    {ETE, "TRCDEVTYPE", "SUB", "-|a PE"},
    {ETE, "TRCOSLSR", "OSLK", "unlocked|locked"},
    {ETE, "OSLAR_EL1", "OSLK", "unlocked|locked"},
};

static const struct named etm[] = {
    {ETMV3, "ETMCR", "PORTSIZE",
     "4 (or 1) bits|8 (or 2) bits|16 bits|24 bits|32 bits|48 bits|64 (or user defined) bits|"
     "user defined, with PORTSIZE3"},
    {ETMV3, "ETMCR", "PORTMODE", "mode 0 (or 4)|mode 1 (or 5)|mode 2 (or 6)|mode 3 (or 7)"},
    {ETMV3, "ETMCR", "DATA", "no|values|addresses|addresses and values"},
    {PTM, "ETMCR", "CONTEXTID", "none|8 bits|16 bits|32 bits"},
    {PTM, "ETMTECR1", "EXCLUDE", "what is chosen|the rest"},
    {ETMV3, "ETMACTR16", "TYPE",
     "fetched instructions|executed instructions|instructions that passed their condition|"
     "instructions that failed their condition|loads and stores|loads|stores"},
    {PTM, "ETMACTR16", "TYPE", "-|executed instructions"},
    {ETMV3, "ETMACTR1", "SIZE",
     "Java instruction or byte|Thumb instruction or halfword|-|ARM instruction or word"},
    {ETMV3, "ETMACTR1", "DATA", "not compared|it has to match|-|it has to differ"},
    {PTM, "ETMACTR1", "CONTEXTID", "none|comparator 1|comparator 2|comparator 3"},
    {ETMV3, "ETMACTR1", "SECURITY", "any|Non-secure|Secure"},
    {ETMV3, "ETMSQR", "STATE", "state 1|state 2|state 3"},
    {ETMV3, "ETMIDR", "MAJOR", "ETMv1|ETMv2|ETMv3|PTM (PFT v1)"},
    {PTM, "ETMIDR", "BRANCH", "original|alternative"},
    {PTM, "ETMCCER", "TSCODE", "Gray|binary"},
    {PTM, "ETMOSLSR", "LOCKED", "unlocked|locked"},
    {PTM, "ETMAUTHSTATUS", "SNID", "not there|-|there, disabled|there, enabled"},
};

static const struct cairn_register_field *field_of(unsigned unit, const char *name,
                                                   const char *field)
{
    const struct cairn_register_field *it =
        cairn_register_field_of(unit, cairn_register_place_of(unit, name), field);

    if (!it)
        fail_msg("%s has no %s", name, field);
    return it;
}

static void expect(const struct named *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct cairn_register_field *field =
            field_of(rows[i].unit, rows[i].name, rows[i].field);
        const uint64_t most = cairn_field_mask(field) >> field->low;
        const char *at = rows[i].words;

        assert_true(most < VALUES_MOST);
        for (uint64_t v = 0; v <= most; v++) {
            const size_t length = strcspn(at, "|");
            const bool reserved = length == 0 || (length == 1 && *at == '-');
            char expected[100], words[CAIRN_FIELD_WORDS];
            uint64_t back;

            snprintf(expected, sizeof expected, "%.*s", (int)length, at);
            if (cairn_field_describe(rows[i].unit, field, v << field->low, words) == reserved)
                fail_msg("%s.%s: %u is \"%s\"", rows[i].name, rows[i].field, (unsigned)v, words);
            assert_string_equal(words, reserved ? "reserved" : expected);
            if (!reserved) {
                assert_true(cairn_field_parse(field, expected, &back));
                assert_int_equal(back, v);
            }
            at += length + (at[length] == '|');
        }
        assert_int_equal(*at, '\0');
    }
}

static void test_etmv4(void **state)
{
    (void)state;
    expect(etmv4, sizeof etmv4 / sizeof etmv4[0]);
}

static void test_built(void **state)
{
    char words[CAIRN_FIELD_WORDS];

    (void)state;
    expect(built, sizeof built / sizeof built[0]);
    /* 16 bits: of all of them these two */
    for (unsigned v = 0; v < 0x10000; v++)
        assert_int_equal(cairn_field_describe(ETE, field_of(ETE, "TRCDEVARCH", "ARCHID"), v, words),
                         v == 0x4a13 || v == 0x5a13);
    cairn_field_describe(ETE, field_of(ETE, "TRCDEVARCH", "ARCHID"), 0x47735a13, words);
    assert_string_equal(words, "ETE");
    cairn_field_describe(ETE, field_of(ETE, "TRCDEVARCH", "ARCHID"), 0x47704a13, words);
    assert_string_equal(words, "ETMv4");
}

static void test_etm(void **state)
{
    (void)state;
    expect(etm, sizeof etm / sizeof etm[0]);
}

/* How much of a state's modes match: two bits. */
enum { ALL, NONE, NOT_USER, USER };

static void say_state(char text[100], unsigned modes, const char *state)
{
    if (modes == USER)
        snprintf(text, 100, "User mode of %s state", state);
    else
        snprintf(text, 100, "%s state%s", state, modes == NOT_USER ? " but for User mode" : "");
}

/* IHI0035 3.16.13: bits 13 and 11 are of Non-secure state, 12 and 10 of Secure state. */
static void test_modes(void **state)
{
    static const char *const same[] = {"all states and modes", "neither state",
                                       "all modes but User mode", "User mode"};
    const struct cairn_register_field *field = field_of(PTM, "ETMACTR1", "MODES");

    (void)state;
    for (unsigned s = ALL; s <= USER; s++)
        for (unsigned n = ALL; n <= USER; n++) {
            const uint64_t value = (n >> 1) << 13 | (s >> 1) << 12 | (n & 1) << 11 | (s & 1) << 10;
            char secure[100], other[100], words[CAIRN_FIELD_WORDS], expected[220];

            say_state(secure, s, "Secure");
            say_state(other, n, "Non-secure");
            if (s == n)
                snprintf(expected, sizeof expected, "%s", same[s]);
            else if (s == NONE || n == NONE)
                snprintf(expected, sizeof expected,
                         s + n == ALL + NONE ? "all modes of %s alone" : "%s",
                         s == NONE ? other : secure);
            else
                snprintf(expected, sizeof expected, "%s, and %s", s == ALL ? secure : other,
                         s == ALL ? other : secure);
            /* proves: PFT-3.16.13-b */
            assert_true(cairn_field_describe(PTM, field, value, words));
            assert_string_equal(words, expected);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_etmv4),
        cmocka_unit_test(test_built),
        cmocka_unit_test(test_etm),
        cmocka_unit_test(test_modes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
