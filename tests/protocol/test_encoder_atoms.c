/* SPDX-License-Identifier: BSD-2-Clause */
/* Atoms in the fewest packets (DDI0608 D6.11.2, D5.36 to D5.46), against a search over all ways of
 * cutting them. */
#include "encoder_session.h"

#include <stdio.h>
#include <string.h>

/* Atom strings of one packet but for format 6: all of up to three atoms, and these. */
static const char *const patterns[] = {"NEEE",  "NNNN",  "NENE",  "ENEN",   /* D5.43 */
                                       "NEEEE", "NNNNN", "NENEN", "ENENE"}; /* D5.44, D5.45 */

#define LONGEST 24u /* D5.46 */

static struct encoder_session session;

static bool is_packet(const char *atoms, size_t size)
{
    if (size <= 3)
        return size != 0;
    for (size_t i = 0; i < COUNT_OF(patterns); i++)
        if (strlen(patterns[i]) == size && memcmp(patterns[i], atoms, size) == 0)
            return true;
    return size <= LONGEST && memchr(atoms, 'N', size - 1) == NULL; /* D5.46: E ... E, E or N */
}

/* The fewest packets for the first `size` atoms, by trying every last packet. */
static size_t fewest(const char *atoms, size_t size)
{
    size_t best[512] = {0};

    assert_true(size < COUNT_OF(best));
    for (size_t end = 1; end <= size; end++) {
        best[end] = SIZE_MAX;
        for (size_t take = 1; take <= LONGEST && take <= end; take++)
            if (is_packet(atoms + end - take, take) && best[end - take] + 1 < best[end])
                best[end] = best[end - take] + 1;
    }
    return best[size];
}

static void spell(char *text, unsigned bits, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        text[i] = (bits >> i) & 1 ? 'E' : 'N';
    text[size] = '\0';
}

/* Atom packets are a byte each. */
static size_t written_for(const char *atoms)
{
    const size_t before = session.size;

    put_atoms(&session, atoms);
    flush(&session);
    return session.size - before;
}

static void test_every_short_string(void **state)
{
    (void)state;
    encoder_begin_ete(&session, 0, false, 0);
    encoder_start(&session);
    for (unsigned size = 1; size <= 8; size++) {
        for (unsigned bits = 0; bits < 1u << size; bits++) {
            char atoms[9];

            spell(atoms, bits, size);
            /* proves: D6.11.2 */
            assert_int_equal(written_for(atoms), fewest(atoms, size));
        }
    }
    /* proves: R_ZRYPK */
    expect_elements(&session);
    encoder_end(&session);
}

static void test_runs(void **state)
{
    char atoms[64];
    (void)state;

    encoder_begin_ete(&session, 0, false, 0);
    encoder_start(&session);
    for (unsigned size = 1; size <= 60; size++) {
        for (unsigned last = 0; last < 2; last++) {
            memset(atoms, 'E', size);
            atoms[size - 1] = last ? 'N' : 'E';
            atoms[size] = '\0';
            assert_int_equal(written_for(atoms), fewest(atoms, size));
        }
    }
    expect_elements(&session);
    encoder_end(&session);
}

/* D5.40 to D5.46, one packet of each format and both ends of format 6. */
static void test_formats(void **state)
{
    static const struct {
        const char *atoms;
        const char *hex;
    } cases[] = {
        {"N", "f6"},
        {"E", "f7"},
        {"NN", "d8"},
        {"EN", "d9"},
        {"NE", "da"},
        {"EE", "db"},
        {"NNN", "f8"},
        {"ENN", "f9"},
        {"NEN", "fa"},
        {"EEN", "fb"},
        {"NNE", "fc"},
        {"ENE", "fd"},
        {"NEE", "fe"},
        {"EEE", "ff"},
        {"NEEE", "dc"},
        {"NNNN", "dd"},
        {"NENE", "de"},
        {"ENEN", "df"},
        {"NEEEE", "f5"},
        {"NNNNN", "d5"},
        {"NENEN", "d6"},
        {"ENENE", "d7"},
        {"EEEE", "c0"},
        {"EEEN", "e0"},
        {"EEEEEEEEEEEEEEEEEEEEEEEE", "d4"},
        {"EEEEEEEEEEEEEEEEEEEEEEEN", "f4"},
        {"EEEEEEEEEEEEEEEEEEEEEEEEE", "d4 f7"},
        {"EEEEEEEEEEEEEEEEEEEEEEEEN", "d4 f6"},
    };
    (void)state;

    encoder_begin_ete(&session, 0, false, 0);
    encoder_start(&session);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        put_atoms(&session, cases[i].atoms);
        expect_bytes(&session, cases[i].hex);
    }
    encoder_end(&session);
}

static void test_long_random_strings(void **state)
{
    uint32_t random = 12345;
    (void)state;

    encoder_begin_ete(&session, 0, false, 0);
    encoder_start(&session);
    for (unsigned round = 0; round < 40; round++) {
        char atoms[301];

        for (unsigned i = 0; i < 300; i++) {
            random = random * 1664525u + 1013904223u;
            atoms[i] = (random >> 24) % 10 < 3 + round % 7 ? 'E' : 'N';
        }
        atoms[300] = '\0';
        assert_int_equal(written_for(atoms), fewest(atoms, 300));
    }
    expect_elements(&session);
    encoder_end(&session);
}

/* The fewest bytes for atoms, then a Cancel of `cancel` (0: none), then a Mispredict: some of the
 * last atoms may be in the packet of what follows them. */
static size_t fewest_corrected(const char *atoms, size_t size, unsigned cancel)
{
    static const char *const leading[] = {"", "E", "EE", "N"};    /* D5.37, D5.39 */
    const size_t choices = cancel <= 1 ? 4 : cancel <= 5 ? 2 : 1; /* format 3: none, E */
    const size_t last = cancel <= 5 ? 1 : 2;
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < choices; i++) {
        const size_t taken = strlen(leading[i]);

        if (taken <= size && memcmp(atoms + size - taken, leading[i], taken) == 0 &&
            fewest(atoms, size - taken) + last < best)
            best = fewest(atoms, size - taken) + last;
    }
    return best;
}

static void test_corrected_strings(void **state)
{
    (void)state;
    encoder_begin_ete(&session, 8, false, 0);
    encoder_start(&session);
    for (unsigned size = 0; size <= 6; size++) {
        for (unsigned bits = 0; bits < 1u << size; bits++) {
            for (unsigned cancel = 0; cancel <= 7; cancel++) {
                char atoms[9];
                const size_t before = session.size;

                spell(atoms, bits, size);
                put_atoms(&session, atoms);
                if (cancel)
                    put_value(&session, CAIRN_ELEMENT_CANCEL, cancel);
                put_kind(&session, CAIRN_ELEMENT_MISPREDICT);
                flush(&session);
                /* proves: D6.11.2 */
                assert_int_equal(session.size - before, fewest_corrected(atoms, size, cancel));
            }
        }
    }
    expect_elements(&session);
    encoder_end(&session);
}

/* D5.36 to D5.39. */
static void test_cancels(void **state)
{
    static const struct {
        const char *atoms;
        unsigned cancel;
        bool mispredict;
        const char *hex;
    } cases[] = {
        {"", 0, true, "30"},      {"E", 0, true, "31"},        {"EE", 0, true, "32"},
        {"N", 0, true, "33"},     {"EN", 0, true, "d9 30"},    {"", 1, true, "34"},
        {"E", 1, true, "35"},     {"EE", 1, true, "36"},       {"N", 1, true, "37"},
        {"", 2, true, "38"},      {"E", 2, true, "39"},        {"", 3, true, "3a"},
        {"E", 3, true, "3b"},     {"", 4, true, "3c"},         {"E", 4, true, "3d"},
        {"", 5, true, "3e"},      {"E", 5, true, "3f"},        {"N", 2, true, "f6 38"},
        {"EE", 2, true, "db 38"}, {"", 6, true, "2f 06"},      {"E", 6, true, "f7 2f 06"},
        {"", 1, false, "2e 01"},  {"E", 2, false, "f7 2e 02"}, {"", 300, false, "2e ac 02"},
    };
    (void)state;

    encoder_begin_ete(&session, 1000, false, 0);
    encoder_start(&session);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        put_atoms(&session, cases[i].atoms);
        if (cases[i].cancel)
            put_value(&session, CAIRN_ELEMENT_CANCEL, cases[i].cancel);
        if (cases[i].mispredict)
            put_kind(&session, CAIRN_ELEMENT_MISPREDICT);
        expect_bytes(&session, cases[i].hex);
    }
    encoder_end(&session);
}

static void test_cancels_in_a_row(void **state)
{
    (void)state;
    encoder_begin_ete(&session, 64, false, 0);
    encoder_start(&session);
    put_value(&session, CAIRN_ELEMENT_CANCEL, 2);
    put_value(&session, CAIRN_ELEMENT_CANCEL, 3);
    /* proves: I_NDQKN */
    expect_bytes(&session, "2e 05");
    put_value(&session, CAIRN_ELEMENT_CANCEL, 2);
    put_atoms(&session, "E");
    put_value(&session, CAIRN_ELEMENT_CANCEL, 3);
    /* proves: I_NDQKN */
    expect_bytes(&session, "2e 02 f7 2e 03"); /* the second one cancels the E, too */
    put_value(&session, CAIRN_ELEMENT_CANCEL, 1);
    put_value(&session, CAIRN_ELEMENT_CANCEL, 1);
    put_kind(&session, CAIRN_ELEMENT_MISPREDICT);
    expect_bytes(&session, "38");
    encoder_end(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_every_short_string),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_long_random_strings),
        cmocka_unit_test(test_corrected_strings),
        cmocka_unit_test(test_cancels),
        cmocka_unit_test(test_cancels_in_a_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
