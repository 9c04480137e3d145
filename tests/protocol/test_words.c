/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of words gives what packets, elements and resolver give one after the other: on random
 * trace in which every packet is legal, on the same with damage, on random bytes, however they are
 * cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_trace.h"
#include "words_compare.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum {
    TRACE = 5000, /* bytes of a trace */
    NOISE = 3000, /* of random bytes */
    LONG = 40000,
};

static const struct words_cut cuts[] = {
    {0, 512, 1024, false, 0, 0},
    {0, 512, 1024, true, 3, 0},
    {SCAN_UNEVEN, 512, 256, false, 2, 0},
    {SCAN_UNEVEN, 100, 64, true, 0, 0},
    {200, 90, 70, false, 5, 0},
    {0, 256, 256, false, 4, 61},
    {0, 256, 256, true, 0, 1},
    {SCAN_UNEVEN, 300, 300, false, 3, 333},
    {7, 5, 65, true, 0, 0},
    {1, 1, 1, false, 0, 0},
    {0, 81, 1, false, 1, 0},
    {0, 3, 200, true, 1, 19},
};

static struct words_total total;

static void check(struct cairn_config *config, struct random_trace trace)
{
    words_check(config, trace.bytes, trace.size, cuts, COUNT_OF(cuts), &total);
}

/* Of every configuration: CAIRN_ROUNDS, or one. */
static unsigned rounds(void)
{
    const char *given = getenv("CAIRN_ROUNDS");

    return given ? (unsigned)strtoul(given, NULL, 10) : 1;
}

static void test_traces(void **state)
{
    (void)state;
    for (size_t u = 0; u < random_unit_count; u++) {
        struct cairn_config *config = random_configure(&random_units[u]);

        for (unsigned i = 0; i < rounds() * random_mix_count; i++)
            check(config, random_trace(&random_units[u], i % random_mix_count,
                                       0x9e3779b97f4a7c15u + 1000 * u + i, TRACE));
        cairn_config_unref(config);
    }
    print_message("# %zu elements, %zu words, %zu relays\n", total.elements, total.words,
                  total.relays);
    assert_true(total.words > 10000 && total.relays > 1000);
}

static void test_damage(void **state)
{
    (void)state;
    for (size_t u = 0; u < random_unit_count; u++) {
        struct cairn_config *config = random_configure(&random_units[u]);

        for (unsigned i = 0; i < 2 * rounds() * random_mix_count; i++) {
            random_trace(&random_units[u], i % random_mix_count, 0xd1b54a32d192ed03u + 1000 * u + i,
                         TRACE / 4);
            check(config, random_damage());
        }
        cairn_config_unref(config);
    }
}

static void test_noise(void **state)
{
    (void)state;
    for (size_t u = 0; u < random_unit_count; u++) {
        struct cairn_config *config = random_configure(&random_units[u]);

        for (unsigned i = 0; i < 4 * rounds(); i++)
            check(config, random_noise(0xbf58476d1ce4e5b9u + 1000 * u + i, NOISE));
        cairn_config_unref(config);
    }
}

/* Runs of Atom packets and of addresses of every length, longer than a batch of words; `what`, of
 * the last one, is what the reader has to look ahead over, or leave to the levels. */
static void test_long_runs(void **state)
{
    static const uint8_t begin[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x01, 1};
    static const uint8_t what[] = {0xff, 0x04, 0x70, 0x30, 0x0a, 0x90};
    static uint8_t trace[LONG + 64];
    (void)state;
    for (unsigned atoms = 1; atoms < 40; atoms++)
        for (unsigned w = 0; w < COUNT_OF(what); w++) {
            struct cairn_config *config = random_configure(&random_units[w % 2 ? 8 : 0]);
            uint32_t random = 17 * atoms + w;
            size_t size = sizeof begin;

            memcpy(trace, begin, sizeof begin);
            while (size < LONG / 8) {
                for (unsigned i = 0; i < (w < 3 ? atoms : atoms * atoms); i++)
                    trace[size++] = (uint8_t)(0xc0 + (random = random * 1664525u + 5) % 61);
                trace[size++] = 0x9a;
                for (unsigned i = 0; i < 4; i++)
                    trace[size++] = (uint8_t)(1 + (random = random * 1664525u + 5) % 127);
            }
            trace[size++] = 0xf7;
            trace[size++] = what[w];
            for (unsigned i = 0; i < 48; i++)
                trace[size++] = 0xf7;
            words_check(config, trace, size, cuts, COUNT_OF(cuts) - 4, &total);
            cairn_config_unref(config);
        }
}

static struct cairn_config *configure_uncounted(bool is_ete)
{
    const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x1},
        {"TRCIDR0", 0x28018ea1},
        {"TRCIDR1", is_ete ? 0x4100fff0 : 0x4100f420},
        {"TRCIDR2", 0x40001088},
        {"TRCIDR8", 0},
        {"TRCDEVARCH", is_ete ? 0x47705a13 : 0x47724a13},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = is_ete ? CAIRN_PROTOCOL_ETE : CAIRN_PROTOCOL_ETMV4;
    source.arch = (struct cairn_arch){CAIRN_PROFILE_A, 9, 2, 0};
    source.registers = registers;
    source.register_count = COUNT_OF(registers);
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

/* Without Cycle Count packets a run of words ends where another packet stands. Every header behind the last
 * Atom packet, with nothing between, or addresses: what can change that Atom is read by the levels. */
static void test_uncounted(void **state)
{
    static const uint8_t begin[] = {0,    0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0x80, 0x01,
                                    0x01, 0, 4, 0x9d, 0, 8, 0, 0, 0, 0, 0, 0};
    uint8_t trace[512];

    (void)state;
    for (unsigned what = 0; what < 4 * 256; what++) {
        struct cairn_config *config = configure_uncounted(what & 1);
        size_t size = sizeof begin;

        memcpy(trace, begin, sizeof begin);
        memset(trace + size, 0xf7, 80);
        size += 80;
        for (unsigned i = 0; i < what / 2 % 2 * 2; i++) {
            memcpy(trace + size, "\x9a\x11\x22\x33\x44", 5);
            size += 5;
        }
        trace[size++] = (uint8_t)(what / 4);
        memset(trace + size, 0xf6, 120);
        size += 120;
        words_check(config, trace, size, cuts, 6, &total);
        cairn_config_unref(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traces),    cmocka_unit_test(test_damage),
        cmocka_unit_test(test_noise),     cmocka_unit_test(test_long_runs),
        cmocka_unit_test(test_uncounted),
    };
    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
