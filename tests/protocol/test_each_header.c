/* SPDX-License-Identifier: BSD-2-Clause */
/* Every header byte, with second bytes that make it whole, reserved or something else, between runs
 * of atoms: the scan and the readers of words give of it what packets, elements and resolver give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../house/share.h"
#include "random_trace.h"
#include "words_compare.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* An A-sync, Trace Info with cycle counts, Trace On, an address, atoms. */
#define BEFORE "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\x01\x01\x04\x9d\x00\x08\0\0\0\0\0\0\xff\xd9\xf8\xff"
/* Addresses, atoms, a cycle count, an exception with E = 10, atoms. */
#define BEHIND "\x95\x05\x9a\x04\x10\x00\x80\xff\xd9\x0d\x31\x06\x5c\x95\x07\xf7\xff\xc3\xf7"

/* Every fourth of the second bytes where few are tried. */
enum { SECONDS_STEP = TEST_SHARE > 1 ? 4 : 1 };

static const struct words_cut word_cuts[] = {
    {0, 512, 1024, false, 0, 0},
    {0, 512, 1024, true, 3, 0},
    {61, 90, 70, false, 2, 97},
};
static const struct scan_cut scan_cuts[] = {{0, 4096, 4096}, {53, 64, 64}};

/* All headers with these second bytes, in one source of this unit. Returns how many words there were. */
static size_t check(const struct random_unit *unit, const uint8_t *seconds, size_t count)
{
    const size_t before = sizeof BEFORE - 1, behind = sizeof BEHIND - 1;
    struct cairn_config *config = random_configure(unit);
    uint8_t *bytes = malloc(256 * count * (before + 2 + behind));
    struct words_total total = {0};
    size_t size = 0, runs = 0;

    assert_non_null(bytes);
    for (unsigned header = 0; header < 256; header++)
        for (size_t i = 0; i < count; i += SECONDS_STEP) {
            memcpy(bytes + size, BEFORE, before);
            bytes[size + before] = (uint8_t)header;
            bytes[size + before + 1] = seconds[i];
            memcpy(bytes + size + before + 2, BEHIND, behind);
            size += before + 2 + behind;
        }
    words_check(config, bytes, size, word_cuts, COUNT_OF(word_cuts), &total);
    assert_true(scan_check(config, bytes, size, scan_cuts, COUNT_OF(scan_cuts), &runs) > 1000);
    free(bytes);
    cairn_config_unref(config);
    return total.words;
}

/* Without speculation, ETE and ETMv4, where words are read by the shortest way. */
static void test_committed(void **state)
{
    static const uint8_t seconds[] = {0x00, 0x05, 0x0f, 0x1d, 0x30, 0x5c, 0x70, 0x7f,
                                      0x81, 0x90, 0x95, 0x9d, 0xb1, 0xdc, 0xf7, 0xff};

    size_t words = 0;

    (void)state;
    words += check(&random_units[0], seconds, COUNT_OF(seconds));
    words += check(&random_units[1], seconds, COUNT_OF(seconds));
    words += check(&random_units[8], seconds, COUNT_OF(seconds));
    assert_true(words > 1000);
}

static void test_speculative(void **state)
{
    static const uint8_t seconds[] = {0x00, 0x01, 0x05, 0x3f, 0x70, 0x83, 0x95, 0xff};

    (void)state;
    (void)check(&random_units[2], seconds, COUNT_OF(seconds));
    (void)check(&random_units[3], seconds, COUNT_OF(seconds));
    (void)check(&random_units[9], seconds, COUNT_OF(seconds));
}

/* Every information byte of an exception, which says whether another one follows, in front of each
 * form of an address. */
static void test_exceptions(void **state)
{
    static const char *const forms[] = {"\x90", "\x95\x05", "\x96\x83\x01", "\x9a\x04\x10\x10\x80",
                                        "\x81\x31"};
    static const uint8_t of_one_packet[] = {0, 1, 8, 10};

    (void)state;
    for (size_t u = 0; u < COUNT_OF(of_one_packet); u++) {
        struct cairn_config *config = random_configure(&random_units[of_one_packet[u]]);
        struct words_total total = {0};
        static uint8_t bytes[256 * COUNT_OF(forms) * 64];
        size_t size = 0, runs = 0;

        for (unsigned info = 0; info < 256; info++)
            for (size_t f = 0; f < COUNT_OF(forms); f++) {
                const size_t length = strlen(forms[f]);

                memcpy(bytes + size, BEFORE "\x06", sizeof BEFORE);
                size += sizeof BEFORE;
                bytes[size++] = (uint8_t)info;
                memcpy(bytes + size, forms[f], length);
                memcpy(bytes + size + length, "\xff\x95\x09\xff\xf7", 5);
                size += length + 5;
            }
        words_check(config, bytes, size, word_cuts, COUNT_OF(word_cuts), &total);
        assert_true(scan_check(config, bytes, size, scan_cuts, COUNT_OF(scan_cuts), &runs) > 1000);
        cairn_config_unref(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_committed),
        cmocka_unit_test(test_speculative),
        cmocka_unit_test(test_exceptions),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
