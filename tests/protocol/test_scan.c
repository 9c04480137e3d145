/* SPDX-License-Identifier: BSD-2-Clause */
/* The scan gives what packets, elements and resolver give one after the other: on random trace in
 * which every packet is legal, on the same with damage, on random bytes, however they are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_trace.h"
#include "scan_compare.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum {
    TRACE = 5000, /* bytes of a trace */
    NOISE = 3000, /* of random bytes */
};

static const struct scan_cut cuts[] = {
    {0, 4096, 4096}, {SCAN_UNEVEN, 256, 64}, {7, 64, 64}, {1, 1, 1}, {0, 3, 2},
};

static size_t elements_seen;
static size_t runs_seen;

static void check(struct cairn_config *config, struct random_trace trace)
{
    elements_seen += scan_check(config, trace.bytes, trace.size, cuts, COUNT_OF(cuts), &runs_seen);
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

        for (unsigned i = 0; i < rounds() * random_mix_count; i++) {
            check(config, random_trace(&random_units[u], i % random_mix_count,
                                       0x9e3779b97f4a7c15u + 1000 * u + i, TRACE));
        }
        cairn_config_unref(config);
    }
    print_message("# %zu elements\n", elements_seen);
    print_message("# %zu runs\n", runs_seen);
    assert_true(runs_seen > 400);
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

/* Random bytes, A-syncs and Trace Infos between them. */
static void test_noise(void **state)
{
    (void)state;
    for (size_t u = 0; u < random_unit_count; u++) {
        struct cairn_config *config = random_configure(&random_units[u]);

        for (unsigned i = 0; i < 4 * rounds(); i++) {
            check(config, random_noise(0xbf58476d1ce4e5b9u + 1000 * u + i, NOISE));
        }
        cairn_config_unref(config);
    }
}

/* What waits behind one Atom is more than the scan's queue has room for, and more than the
 * resolver's. */
static void test_long_waits(void **state)
{
    static const struct scan_cut all[] = {{0, 4096, 4096}, {5000, 100, 100}};
    /* A-sync, a Trace Info of depth 0, Atoms. */
    static uint8_t events[150000] = {0, 0, 0,    0,    0,    0, 0,    0,   0,
                                     0, 0, 0x80, 0x01, 0x01, 1, 0xff, 0xf7};
    (void)state;
    for (size_t i = 17; i < sizeof events; i++)
        events[i] = i % 40000 == 0 ? 0xf7 : (uint8_t)(0x71 + (i & 7));
    for (size_t u = 0; u < random_unit_count; u++) {
        struct cairn_config *config = random_configure(&random_units[u]);

        elements_seen += scan_check(config, events, sizeof events, all, COUNT_OF(all), &runs_seen);
        cairn_config_unref(config);
    }
}

static void test_arguments(void **state)
{
    struct cairn_config *config = random_configure(&random_units[0]);
    struct cairn_token token;
    struct cairn_element_data data;
    struct cairn_scan_batch batch = {.token = &token, .data = &data};
    const uint8_t bytes_given[1] = {0};
    size_t position = 0;
    void *scan;
    (void)state;

    assert_int_equal(config->protocol->scan_new(config, &scan), CAIRN_OK);
    assert_int_equal(config->protocol->scan_run(scan, bytes_given, 1, &position, &batch),
                     CAIRN_E_ARGUMENT);
    batch.capacity = 1;
    batch.data_capacity = 1;
    position = 2;
    assert_int_equal(config->protocol->scan_run(scan, bytes_given, 1, &position, &batch),
                     CAIRN_E_ARGUMENT);
    position = 0;
    assert_int_equal(config->protocol->scan_run(scan, bytes_given, 1, &position, &batch), CAIRN_OK);
    batch.data_capacity = 0;
    assert_int_equal(config->protocol->scan_finish(scan, &batch), CAIRN_E_ARGUMENT);
    batch.data_capacity = 1;
    assert_int_equal(config->protocol->scan_finish(scan, &batch), CAIRN_OK);
    assert_int_equal(config->protocol->scan_run(scan, bytes_given, 1, &position, &batch),
                     CAIRN_E_ARGUMENT);
    config->protocol->scan_free(scan);
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traces),    cmocka_unit_test(test_damage),
        cmocka_unit_test(test_noise),     cmocka_unit_test(test_long_waits),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
