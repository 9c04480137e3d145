/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv3's scan gives what its levels give: of P-headers and branch packets, which go past the
 * levels, with anything between them, damaged and as noise, however the bytes are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "etmv3_session.h"
#include "scan_compare.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { ROUNDS = 60, BYTES = 3000, LONGEST = 24, DAMAGED = 6 };

static const struct scan_cut cuts[] = {
    {0, 4096, 4096}, {0, 9, 2}, {1, 64, 64}, {7, 1, 1}, {SCAN_UNEVEN, 30, 5}};

struct trace {
    uint8_t bytes[BYTES];
    size_t size;
};

static unsigned below(uint64_t *seed, unsigned limit)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((*seed >> 33) % limit);
}

static void put(struct trace *trace, unsigned byte)
{
    trace->bytes[trace->size++] = (uint8_t)byte;
}

static void put_any(struct trace *trace, uint64_t *seed, unsigned count)
{
    while (count-- > 0)
        put(trace, below(seed, 4) ? below(seed, 256) : 0);
}

/* A-sync, and an I-sync that as a rule is legal: ARM or Thumb, any reason. */
static void put_syncs(struct trace *trace, uint64_t *seed, unsigned context_bytes)
{
    for (unsigned zeros = 5 + below(seed, 3); zeros > 0; zeros--)
        put(trace, 0);
    put(trace, 0x80);
    put(trace, 0x08);
    put_any(trace, seed, context_bytes);
    put(trace, 0x01 | below(seed, 4) << 5 | below(seed, 2) << 3);
    put(trace, below(seed, 2) ? 0x01 : 0x00);
    put_any(trace, seed, 3);
}

/* One to five address bytes; with some luck, information bytes. */
static void put_branch(struct trace *trace, uint64_t *seed)
{
    const unsigned more = below(seed, 5);
    unsigned byte = below(seed, 128) | 1;

    for (unsigned i = 0; i < more; i++) {
        put(trace, byte | 0x80);
        byte = below(seed, 5) ? below(seed, 0x40) : below(seed, 128) & (below(seed, 2) ? 0x40 : 0);
    }
    if (more == 4 && below(seed, 8))
        byte = below(seed, 2) ? 0x08 | (byte & 7) : 0x10 | (byte & 15);
    put(trace, byte);
    if ((byte & 0x40) && below(seed, 2))
        put(trace, below(seed, 128));
}

static void put_packet(struct trace *trace, uint64_t *seed, unsigned context_bytes)
{
    static const uint8_t headers[] = {0x0c, 0x66, 0x76, 0x7e, 0x42, 0x46, 0x04, 0x6e, 0x3c};
    const unsigned kind = below(seed, 64);

    if (kind == 0) {
        put_syncs(trace, seed, context_bytes);
    } else if (kind == 1) {
        put(trace, headers[below(seed, COUNT_OF(headers))]);
        put_any(trace, seed, below(seed, 4));
    } else if (kind < 20) {
        put_branch(trace, seed);
    } else if (kind < 52) {
        put(trace, 0x80 | below(seed, 16) << 2 | (below(seed, 4) ? 0 : 0x40));
    } else {
        put(trace, 0x82 | below(seed, 4) << 2);
    }
}

static void make_trace(uint64_t *seed, unsigned context_bytes, struct trace *trace)
{
    trace->size = 0;
    put_syncs(trace, seed, context_bytes);
    while (trace->size < BYTES - LONGEST)
        put_packet(trace, seed, context_bytes);
}

/* Mostly what goes past the levels: no cycles, no data. */
static struct cairn_config *any_config(uint64_t *seed, unsigned *context_bytes)
{
    const unsigned minor = below(seed, 6);
    const unsigned size = below(seed, 2) ? 0 : below(seed, 4);
    uint32_t id = 0x410cf200u | minor << 4 | 1u << 19 | below(seed, 2) << 18;
    uint32_t control = size << 14;
    struct cairn_error error = {0};

    if (minor >= 4)
        id |= below(seed, 2) << 20;
    if (below(seed, 8) == 0)
        control |= 1u << 12;
    if (below(seed, 8) == 0)
        control |= below(seed, 4) << 2;
    *context_bytes = size == 3 ? 4 : size;
    struct cairn_config *config = etmv3_configure(CAIRN_PROFILE_A, id, control, 0, &error);

    assert_non_null(config);
    return config;
}

static size_t check(struct cairn_config *config, const struct trace *trace)
{
    size_t runs = 0;

    return scan_check(config, trace->bytes, trace->size, cuts, COUNT_OF(cuts), &runs);
}

static void test_packets(void **state)
{
    uint64_t seed = 1;
    size_t elements = 0;
    (void)state;

    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned context_bytes;
        struct cairn_config *config = any_config(&seed, &context_bytes);
        struct trace trace;

        make_trace(&seed, context_bytes, &trace);
        elements += check(config, &trace);
        for (unsigned k = 0; k < DAMAGED; k++)
            trace.bytes[below(&seed, BYTES - LONGEST)] = (uint8_t)below(&seed, 256);
        (void)check(config, &trace);
        cairn_config_unref(config);
    }
    assert_true(elements > (size_t)ROUNDS * BYTES / 4); /* most of it is no gap */
}

/* Addresses whose last byte is 00, in front of zeros that may be an A-sync's. */
static void test_zeros(void **state)
{
    uint64_t seed = 3;
    (void)state;

    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned context_bytes;
        struct cairn_config *config = any_config(&seed, &context_bytes);
        struct trace trace = {.size = 0};

        put_syncs(&trace, &seed, context_bytes);
        while (trace.size < BYTES - LONGEST) {
            put(&trace, 0x84);
            put(&trace, below(&seed, 128) | 0x81);
            for (unsigned zeros = below(&seed, 8); zeros > 0; zeros--)
                put(&trace, 0);
            if (below(&seed, 2))
                put(&trace, 0x80);
            if (below(&seed, 16) == 0)
                put_syncs(&trace, &seed, context_bytes);
        }
        assert_true(check(config, &trace) > 0);
        cairn_config_unref(config);
    }
}

/* 1,000 P-headers of 15 E in a row: past the levels, each is one token. */
static void test_past_levels(void **state)
{
    static const uint8_t syncs[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x21, 0x00, 0x80, 0x00, 0x00};
    const struct scan_cut cut = {0, 4096, 4096};
    struct scan_elements got = {0};
    struct cairn_error error = {0};
    struct cairn_config *config =
        etmv3_configure(CAIRN_PROFILE_A, 0x410cf250u | 1u << 19, 0, 0, &error);
    uint8_t bytes[sizeof syncs + 1000];
    (void)state;

    assert_non_null(config);
    memset(bytes, 0x80 | 15 << 2, sizeof bytes);
    memcpy(bytes, syncs, sizeof syncs);
    scan_expand(config, bytes, sizeof bytes, &cut, &got);
    assert_true(got.count >= 15000);
    assert_true(got.tokens < 2000); /* the first and the last few are the levels' */
    scan_elements_free(&got);
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packets), cmocka_unit_test(test_zeros),
                                       cmocka_unit_test(test_past_levels)};

    return cmocka_run_group_tests_name("scan of ETMv3", tests, NULL, NULL);
}
