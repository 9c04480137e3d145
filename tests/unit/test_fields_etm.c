/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of ETMv3 and PTM by hand: IHI0014 3.5 and 3.6, IHI0035 3.16. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/fields/fields.h"

#define PTM CAIRN_OF_PTM
#define ETMV3 CAIRN_OF_ETMV3

static const struct cairn_register_field *field(unsigned unit, const char *name, const char *field)
{
    const struct cairn_register_place place = cairn_register_place_of(unit, name);

    assert_non_null(place.family);
    return cairn_register_field_of(unit, place, field);
}

/* The field has these bits; what its text says of them has this word. */
static void expect_field(unsigned unit, const char *name, const char *field_name, unsigned high,
                         unsigned low, const char *word)
{
    const struct cairn_register_field *it = field(unit, name, field_name);

    if (!it)
        fail_msg("%s has no %s", name, field_name);
    assert_int_equal(it->high, high);
    assert_int_equal(it->low, low);
    assert_non_null(strstr(it->text, word));
}

static void expect_words(unsigned unit, const char *name, const char *field_name, uint64_t value,
                         const char *words)
{
    const struct cairn_register_field *it = field(unit, name, field_name);
    char text[CAIRN_FIELD_WORDS];

    assert_non_null(it);
    assert_int_equal(cairn_field_describe(unit, it, value, text), words != NULL);
    if (words)
        assert_string_equal(text, words);
}

static void expect_offset(unsigned unit, const char *offset, const char *name)
{
    const struct cairn_register_place place = cairn_register_place_of(unit, offset);
    char got[CAIRN_REGISTER_NAME];

    if (!place.family)
        fail_msg("nothing is at %s", offset);
    cairn_register_name(place, got);
    assert_string_equal(got, name);
}

static void test_ptm_control(void **state)
{
    (void)state;
    /* proves: PFT-3.16.1-d */
    expect_field(PTM, "ETMCR", "PROCSEL", 27, 25, "core");
    /* proves: PFT-3.16.1-i */
    expect_field(PTM, "ETMCR", "DBGREQ", 9, 9, "trigger asks");
    /* proves: PFT-3.16.5-a */
    expect_field(PTM, "ETMSCR", "CORES", 14, 12, "Cores");
    expect_words(PTM, "ETMSCR", "CORES", 3u << 12, "4");
    expect_field(PTM, "ETMSCR", "FIFOFULL", 8, 8, "stalled");
}

static void test_ptm_built(void **state)
{
    (void)state;
    /* proves: PFT-3.16.2-a */
    expect_field(PTM, "ETMCCR", "IDR", 31, 31, "ETMIDR");
    /* proves: PFT-3.16.2-b */
    expect_field(PTM, "ETMCCR", "SOFTWARE", 27, 27, "Software");
    /* proves: PFT-3.16.2-e */
    expect_field(PTM, "ETMCCR", "FIFOFULL", 23, 23, "stall");
    /* proves: PFT-3.16.2-f */
    expect_field(PTM, "ETMCCR", "OUTPUTS", 22, 20, "outputs");
    expect_offset(PTM, "0x004", "ETMCCR");
}

static void test_ptm_identity(void **state)
{
    (void)state;
    /* proves: PFT-3.16.28-a */
    expect_field(PTM, "ETMIDR", "IMPLEMENTER", 31, 24, "made");
    /* proves: PFT-3.16.28-c */
    expect_field(PTM, "ETMIDR", "SECURITY", 19, 19, "Security Extensions");
    /* proves: PFT-3.16.28-h */
    expect_field(PTM, "ETMIDR", "REVISION", 3, 0, "revision");
    expect_offset(PTM, "0x1e4", "ETMIDR");
}

static void test_ptm_extension(void **state)
{
    (void)state;
    /* proves: PFT-3.16.29-i */
    expect_field(PTM, "ETMCCER", "EIBCR", 21, 21, "ETMEIBCR");
    /* proves: PFT-3.16.29-j */
    expect_field(PTM, "ETMCCER", "ICESTART", 20, 20, "EmbeddedICE inputs start");
    expect_offset(PTM, "0x1e8", "ETMCCER");
}

/* Tables 3-14, 3-16, 3-17, 3-23 to 3-25. */
static void test_control(void **state)
{
    static const struct {
        const char *name, *field;
        unsigned high, low;
        const char *word;
    } system[] = {{"ETMSCR", "NOFETCH", 17, 17, "Fetches"},
                  {"ETMSCR", "CORES", 14, 12, "Cores"},
                  {"ETMSCR", "MODEOK", 11, 11, "mode"},
                  {"ETMSCR", "SIZEOK", 10, 10, "size"},
                  {"ETMSCR", "MAXSIZE3", 9, 9, "largest"},
                  {"ETMSCR", "FIFOFULL", 8, 8, "stalled"}},
      enable[] = {{"ETMTECR1", "STARTSTOP", 25, 25, "start and stop"},
                  {"ETMTECR1", "EXCLUDE", 24, 24, "the rest"},
                  {"ETMTECR1", "MMDS", 23, 8, "Memory map"},
                  {"ETMTECR1", "RANGES", 7, 0, "ranges"},
                  {"ETMTECR2", "SACS", 15, 0, "Address comparators"}},
      data[] = {
          {"ETMVDCR1", "EXCLUDE", 31, 16, "not traced"},  {"ETMVDCR1", "INCLUDE", 15, 0, "is"},
          {"ETMVDCR2", "EXCLUDE", 31, 16, "Memory map"},  {"ETMVDCR2", "INCLUDE", 15, 0, "map"},
          {"ETMVDCR3", "EXCLUDEONLY", 16, 16, "all but"}, {"ETMVDCR3", "EXCLUDE", 15, 8, "not"},
          {"ETMVDCR3", "INCLUDE", 7, 0, "ranges"}};

    (void)state;
    for (size_t i = 0; i < sizeof system / sizeof system[0]; i++)
        /* proves: ETMC-3.5.6-a */
        expect_field(ETMV3, system[i].name, system[i].field, system[i].high, system[i].low,
                     system[i].word);
    for (size_t i = 0; i < sizeof enable / sizeof enable[0]; i++)
        /* proves: ETMC-3.5.7-a */
        expect_field(ETMV3, enable[i].name, enable[i].field, enable[i].high, enable[i].low,
                     enable[i].word);
    for (size_t i = 0; i < sizeof data / sizeof data[0]; i++)
        /* proves: ETMC-3.5.9-a */
        expect_field(ETMV3, data[i].name, data[i].field, data[i].high, data[i].low, data[i].word);
    expect_offset(ETMV3, "0x34", "ETMVDCR1");
}

/* Table 3-27. */
static void test_access_type(void **state)
{
    static const char *const compares[] = {"not compared", "it has to match", NULL,
                                           "it has to differ"};
    static const char *const sizes[] = {"Java instruction or byte", "Thumb instruction or halfword",
                                        NULL, "ARM instruction or word"};

    (void)state;
    expect_field(ETMV3, "ETMACTR16", "EXACT", 7, 7, "Exact");
    expect_field(ETMV3, "ETMACTR16", "DATA", 6, 5, "data");
    expect_field(ETMV3, "ETMACTR16", "SIZE", 4, 3, "size");
    for (uint64_t v = 0; v < 4; v++) {
        /* proves: ETMC-3.5.10-c */
        expect_words(ETMV3, "ETMACTR1", "DATA", v << 5, compares[v]);
        /* proves: ETMC-3.5.10-d */
        expect_words(ETMV3, "ETMACTR1", "SIZE", v << 3, sizes[v]);
    }
}

/* Tables 3-40, 3-48, 3-49; the map of the counters' registers. */
static void test_extended(void **state)
{
    static const struct {
        const char *field;
        unsigned high, low;
    } extension[] = {{"EIBCR", 21, 21},           {"ICESTART", 20, 20}, {"ICES", 19, 16},
                     {"INSTRUMENTATION", 15, 13}, {"NODATA", 12, 12},   {"READABLE", 11, 11},
                     {"EXTENDED", 10, 3},         {"SELECTORS", 2, 0}};
    static const struct {
        unsigned first;
        const char *name;
    } counters[] = {
        {0x50, "ETMCNTRLDVR"}, {0x54, "ETMCNTENR"}, {0x58, "ETMCNTRLDEVR"}, {0x5c, "ETMCNTVR"}};
    char offset[16], name[CAIRN_REGISTER_NAME];

    (void)state;
    for (size_t i = 0; i < sizeof extension / sizeof extension[0]; i++)
        /* proves: ETMC-3.5.19-a */
        expect_field(ETMV3, "ETMCCER", extension[i].field, extension[i].high, extension[i].low, "");
    for (unsigned n = 1; n <= 4; n++) {
        snprintf(name, sizeof name, "SEL%u", n);
        /* proves: ETMC-3.5.20-a */
        expect_field(ETMV3, "ETMEXTINSELR", name, 8 * n - 1, 8 * (n - 1), "input");
        snprintf(offset, sizeof offset, "0x%x", 4 * (0x67 + n));
        snprintf(name, sizeof name, "ETMEXTOUTEVR%u", n);
        /* proves: ETMC-3.5.14-a */
        expect_offset(ETMV3, offset, name);
        expect_field(ETMV3, name, "EVENT", 16, 0, "output");
        for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
            snprintf(offset, sizeof offset, "0x%x", 4 * (counters[i].first + n - 1));
            snprintf(name, sizeof name, "%s%u", counters[i].name, n);
            /* proves: ETMC-3.5.12-a */
            expect_offset(ETMV3, offset, name);
        }
        snprintf(name, sizeof name, "ETMCNTVR%u", n);
        expect_field(ETMV3, name, "VALUE", 15, 0, "counter");
    }
    expect_offset(ETMV3, "0x1ec", "ETMEXTINSELR");
}

/* Table 3-50. */
static void test_embedded_ice(void **state)
{
    (void)state;
    expect_offset(ETMV3, "0x1f0", "ETMTESSEICR");
    /* proves: ETMC-3.5.21-a */
    expect_words(ETMV3, "ETMTESSEICR", "STOP", 0x810004, "EmbeddedICE inputs 1, 8");
    expect_words(ETMV3, "ETMTESSEICR", "START", 0x810004, "EmbeddedICE input 3");
    assert_int_equal(cairn_register_reserved(ETMV3, cairn_register_place_of(ETMV3, "ETMTESSEICR")),
                     ~UINT64_C(0x00ff00ff));
}

/* 3.6: resources, functions, and the examples. */
static void test_events(void **state)
{
    static const struct {
        unsigned first, last;
        const char *noun; /* with the number of the first */
        unsigned from;
    } resources[] = {{0x00, 0x0f, "address comparator %u", 1},
                     {0x10, 0x17, "address range %u", 1},
                     {0x18, 0x1b, "instrumentation resource %u", 1},
                     {0x20, 0x27, "EmbeddedICE input %u", 1},
                     {0x30, 0x3f, "memory map decode %u", 1},
                     {0x40, 0x43, "counter %u at zero", 1},
                     {0x50, 0x52, "sequencer state %u", 1},
                     {0x58, 0x5a, "context ID comparator %u", 1},
                     {0x5f, 0x5f, "start/stop", 0},
                     {0x60, 0x63, "external input %u", 1},
                     {0x68, 0x6b, "extended external input selector %u", 1},
                     {0x6d, 0x6d, "Non-secure state", 0},
                     {0x6e, 0x6e, "trace prohibited", 0},
                     {0x6f, 0x6f, "always", 0}};
    char words[64];

    (void)state;
    for (unsigned number = 0; number < 0x80; number++) {
        const char *expected = NULL;
        for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++)
            if (number >= resources[i].first && number <= resources[i].last) {
                char *at;
                snprintf(words, sizeof words, "%s", resources[i].noun);
                at = strstr(words, "%u");
                if (at) {
                    char rest[32];
                    snprintf(rest, sizeof rest, "%s", at + 2);
                    snprintf(at, sizeof words - (size_t)(at - words), "%u%s",
                             number - resources[i].first + resources[i].from, rest);
                }
                expected = words;
            }
        if (number == 0x5b) /* VMID came with v3.5 and PTM 1.1 (IHI0014Q) */
            expected = "the VMID comparator";
        /* proves: ETMC-3.6.1-a */
        expect_words(ETMV3, "ETMTRIGGER", "EVENT", number, expected);
    }
    /* proves: ETMC-3.6.3-a */
    expect_words(ETMV3, "ETMTRIGGER", "EVENT", 0x08941, "counter 2 at zero and address range 3");
    /* proves: ETMC-3.6.3-b */
    expect_words(ETMV3, "ETMTRIGGER", "EVENT", 0x00052, "sequencer state 3");
    /* proves: ETMC-3.6.2-b */
    expect_words(ETMV3, "ETMTRIGGER", "EVENT", 0x0406f, "never");
    expect_words(ETMV3, "ETMTRIGGER", "EVENT", 0x0006f, "always");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ptm_control),   cmocka_unit_test(test_ptm_built),
        cmocka_unit_test(test_ptm_identity),  cmocka_unit_test(test_control),
        cmocka_unit_test(test_access_type),   cmocka_unit_test(test_extended),
        cmocka_unit_test(test_ptm_extension), cmocka_unit_test(test_embedded_ice),
        cmocka_unit_test(test_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
