/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets without fields are those that a batch with all columns has: their kinds, places, accounts
 * and addresses, on any bytes, however they are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "captured.h"
#include "packets_compare.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum {
    TRACE = 6000, /* bytes of a trace */
    NOISE = 2000, /* of random bytes */
    ROUNDS = 3,   /* of every configuration and mix */
    DAMAGE_EVERY = 600,
};

#define NARROW (PACKETS_KIND | PACKETS_ADDRESS | PACKETS_ADDRESS_PACKET)

static const struct packets_cut cuts[] = {
    {0, 4096, NARROW},
    {0, 4096, PACKETS_COLUMNS},
    {0, 4096, NARROW | PACKETS_PORTABLE},
    {0, 1000, PACKETS_COLUMNS | PACKETS_PORTABLE},
    {0, 100, PACKETS_OFFSET | PACKETS_ADDRESS},
    {0, 17, PACKETS_COLUMNS},
    {0, 1, PACKETS_COLUMNS},
    {300, 333, PACKETS_COLUMNS},
    {PACKETS_UNEVEN, 500, PACKETS_KIND | PACKETS_LENGTH},
    {PACKETS_UNEVEN, 90, PACKETS_COLUMNS | PACKETS_FIELDS},
    {7, 64, PACKETS_ACCOUNT | PACKETS_ADDRESS_PACKET},
};

static uint64_t seed;
static uint8_t trace[TRACE + 64];
static size_t trace_size;

/* xorshift64*: below `limit`. */
static uint32_t below(uint32_t limit)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * 0x2545f4914f6cdd1du) >> 33) % limit;
}

/* --- configurations --- */

struct unit {
    bool is_ete;
    bool m_profile;
    uint32_t maxspec;
    uint32_t idr0;
};

static const struct unit units[] = {
    {true, false, 0, 0x08018ea1},  {true, false, 0, 0x28018ea1},   {true, false, 8, 0x08818ea1},
    {false, false, 0, 0x28018ea1}, {false, false, 20, 0x08018ea1}, {false, true, 0, 0x08018ee1},
};

static struct cairn_config *configure(const struct unit *unit)
{
    const struct cairn_register registers[] = {
        {"TRCCONFIGR", unit->m_profile ? 0x60d1 : 0x78d1},
        {"TRCIDR0", unit->idr0},
        {"TRCIDR1", unit->is_ete ? 0x4100fff0 : 0x4100f420},
        {"TRCIDR2", unit->m_profile ? 0x488 : 0x40001088},
        {"TRCIDR8", unit->maxspec},
        {"TRCDEVARCH", unit->is_ete ? 0x47735a13 : 0x47724a13},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = unit->is_ete ? CAIRN_PROTOCOL_ETE : CAIRN_PROTOCOL_ETMV4;
    source.arch = unit->m_profile ? (struct cairn_arch){CAIRN_PROFILE_M, 8, 1, 0}
                                  : (struct cairn_arch){CAIRN_PROFILE_A, 9, 2, 0};
    source.registers = registers;
    source.register_count = COUNT_OF(registers);
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

/* --- random trace --- */

static void byte(unsigned value)
{
    trace[trace_size++] = (uint8_t)value;
}

/* Payload; zeros are frequent, since they may belong to an A-sync that follows. */
static void payload(unsigned count)
{
    const bool zeros = below(3) == 0;

    while (count-- > 0)
        byte(zeros ? 0 : below(256));
}

static void async(void)
{
    for (unsigned zeros = 11 + (below(4) ? 0 : below(20)); zeros > 0; zeros--)
        byte(0);
    byte(0x80);
}

static void address(void)
{
    static const uint8_t headers[] = {0x90, 0x91, 0x92, 0x95, 0x95, 0x95, 0x95,
                                      0x96, 0x9a, 0x9a, 0x9b, 0x9d, 0x9e};
    const unsigned header = headers[below(COUNT_OF(headers))];

    byte(header);
    if (header == 0x95 || header == 0x96) {
        const bool more = below(2);

        byte(below(3) ? below(128) | (more ? 0x80 : 0) : (more ? 0x80 : 0));
        if (more)
            payload(1);
    } else if (header >= 0x9d) {
        payload(8);
    } else if (header >= 0x9a) {
        payload(4);
    }
}

/* Any packet, by its header. */
static void other(void)
{
    static const uint8_t headers[] = {0x02, 0x03, 0x04, 0x05, 0x06, 0x06, 0x07, 0x09, 0x0a, 0x0b,
                                      0x0c, 0x0d, 0x0e, 0x0f, 0x2d, 0x2e, 0x2f, 0x35, 0x3b, 0x70,
                                      0x71, 0x80, 0x81, 0x82, 0x83, 0x85, 0x86, 0x88, 0xa0, 0xa5,
                                      0xaa, 0xac, 0xaf, 0xb1, 0xb4, 0xb6, 0xb9, 0x31, 0x6c, 0x68};

    byte(headers[below(COUNT_OF(headers))]);
    for (unsigned count = below(6); count > 0; count--)
        byte(below(3) ? below(128) : below(256));
}

/* How often, in 1000, packets other than Atoms come. */
struct mix {
    uint16_t addresses, cycles, others, extensions, syncs;
};
static const struct mix mixes[] = {
    {250, 0, 0, 0, 3}, {400, 0, 1, 0, 20}, {100, 300, 1, 1, 3},
    {20, 2, 0, 0, 2},  {900, 0, 0, 0, 30}, {200, 100, 60, 30, 40},
};

static void make_trace(const struct mix *mix)
{
    for (trace_size = 0; trace_size < TRACE;) {
        const uint32_t roll = below(1000);
        uint32_t up_to = mix->addresses;

        if (trace_size == 0 || roll >= 1000u - mix->syncs) {
            async();
            if (below(4)) {
                byte(1);
                byte(0);
            }
        } else if (roll < up_to) {
            address();
        } else if (roll < (up_to += mix->cycles)) {
            byte(0x10 + below(16));
        } else if (roll < (up_to += mix->others)) {
            other();
        } else if (roll < up_to + mix->extensions) {
            byte(0);
            byte(below(2) ? 0x05 : below(8));
        } else {
            byte(0xc0 + below(64));
        }
    }
}

static void damage(void)
{
    for (size_t at = below(DAMAGE_EVERY); at < trace_size; at += 1 + below(DAMAGE_EVERY))
        trace[at] = (uint8_t)(below(2) ? below(256) : trace[at] ^ 1u << below(8));
}

static void test_random(void **state)
{
    size_t packets = 0;
    (void)state;

    for (size_t u = 0; u < COUNT_OF(units); u++) {
        struct cairn_config *config = configure(&units[u]);

        for (size_t m = 0; m < COUNT_OF(mixes); m++)
            for (unsigned round = 0; round < ROUNDS; round++) {
                seed = 1 + ((uint64_t)u << 32) + (m << 16) + round;
                make_trace(&mixes[m]);
                packets += packets_check(config, trace, trace_size, cuts, COUNT_OF(cuts));
                damage();
                packets += packets_check(config, trace, trace_size, cuts, COUNT_OF(cuts));
            }
        cairn_config_unref(config);
    }
    print_message("# %zu packets\n", packets);
}

static void test_noise(void **state)
{
    (void)state;

    for (size_t u = 0; u < COUNT_OF(units); u++) {
        struct cairn_config *config = configure(&units[u]);

        for (unsigned round = 0; round < 2 * ROUNDS; round++) {
            seed = 77 + ((uint64_t)u << 32) + round;
            trace_size = 0;
            async();
            while (trace_size < NOISE) {
                if (below(100) == 0)
                    async();
                byte(below(1 + round) ? 0x90 + below(112) : below(256));
            }
            packets_check(config, trace, trace_size, cuts, COUNT_OF(cuts));
        }
        cairn_config_unref(config);
    }
}

/* Every packet at every distance from the next A-sync, whose zeros it may end with. */
static void test_before_sync(void **state)
{
    static const uint8_t tails[][9] = {
        {0x90},
        {0x95, 0},
        {0x95, 0x80, 0},
        {0x95, 0x80, 1},
        {0x9a, 1, 0, 0, 0},
        {0x9a, 0, 0, 0, 0},
        {0x9a, 1, 2, 3, 4},
        {0x9d, 1, 0, 0, 0, 0, 0, 0, 0},
        {0x0e, 0},
        {0x2d, 0},
        {0x02, 0},
        {0x81, 0},
        {0x06, 0x41, 0x95, 0},
        {0xf7},
        {0x71},
        {0x00, 0x05},
    };
    static const uint8_t sizes[] = {1, 2, 3, 3, 5, 5, 5, 9, 2, 2, 2, 2, 4, 1, 1, 2};
    (void)state;

    for (size_t u = 0; u < 4; u += 3) {
        struct cairn_config *config = configure(&units[u]);

        for (size_t t = 0; t < COUNT_OF(tails); t++)
            for (unsigned atoms = 180; atoms < 280; atoms += 3)
                for (unsigned zeros = 8; zeros < 13; zeros++)
                    for (unsigned lost = 0; lost < 2; lost++) {
                        trace_size = 0;
                        seed = 5;
                        async();
                        for (unsigned i = 0; i < atoms; i++)
                            byte(0xf7 - i % 5);
                        memcpy(trace + trace_size, tails[t], sizes[t] - lost);
                        trace_size += sizes[t] - lost;
                        for (unsigned i = 0; i < zeros; i++)
                            byte(0);
                        byte(0x80);
                        for (unsigned i = 0; i < 300; i++)
                            byte(0xf7 - i % 3);
                        packets_check(config, trace, trace_size, cuts, 3);
                    }
        cairn_config_unref(config);
    }
}

/* --- what the columns promise --- */

static void test_addresses(void **state)
{
    static const uint8_t bytes[] = {0,    0,    0,    0,    0,    0,    0,    0,    0,
                                    0,    0,    0x80, 0x01, 0x00, 0x9a, 0x10, 0x20, 0x30,
                                    0x40, 0xf7, 0x95, 0x01, 0x91, 0x96, 0x02};
    struct cairn_config *config = configure(&units[0]);
    uint16_t kind[16];
    uint64_t address[16];
    uint32_t packet[16];
    struct cairn_packet_batch batch = {.size = sizeof batch,
                                       .capacity = 16,
                                       .kind = kind,
                                       .address = address,
                                       .address_packet = packet};
    struct cairn_packets *decoder;
    size_t at = 0;
    (void)state;

    assert_int_equal(cairn_packets_new(config, &decoder), CAIRN_OK);
    assert_int_equal(cairn_packets_run(decoder, bytes, sizeof bytes, &at, &batch), CAIRN_OK);
    assert_int_equal(cairn_packets_finish(decoder, &batch), CAIRN_OK);
    assert_int_equal(batch.count, 7);
    assert_int_equal(batch.address_count, 4);
    assert_int_equal(address[0], 0x40304040);
    assert_int_equal(address[1], 0x40304004);
    assert_int_equal(address[2], 0x40304040);
    assert_int_equal(address[3], 0x40304005); /* IS1 */
    assert_int_equal(packet[0], 2);
    assert_int_equal(packet[1], 4);
    assert_int_equal(packet[2], 5);
    assert_int_equal(packet[3], 6);
    cairn_packets_free(decoder);
    cairn_config_unref(config);
}

/* A caller that was compiled before there were addresses. */
static void test_older_batch(void **state)
{
    struct cairn_config *config = configure(&units[0]);
    uint16_t kind[64];
    struct cairn_packet_batch batch = {.size = offsetof(struct cairn_packet_batch, address),
                                       .capacity = 64,
                                       .kind = kind,
                                       .address = (uint64_t *)(uintptr_t)8,
                                       .address_packet = (uint32_t *)(uintptr_t)8,
                                       .address_count = 12345};
    struct cairn_packets *decoder;
    size_t at = 0;
    (void)state;

    seed = 3;
    make_trace(&mixes[0]);
    assert_int_equal(cairn_packets_new(config, &decoder), CAIRN_OK);
    while (at < trace_size) {
        assert_int_equal(cairn_packets_run(decoder, trace, trace_size, &at, &batch), CAIRN_OK);
        batch.count = 0;
    }
    assert_int_equal(cairn_packets_finish(decoder, &batch), CAIRN_OK);
    assert_int_equal(batch.address_count, 12345);
    cairn_packets_free(decoder);
    cairn_config_unref(config);
}

/* --- captures --- */

static void check_source(void *context, const struct captured *source)
{
    size_t *const packets = context;
    size_t size;
    uint8_t *bytes = captured_bytes(source, &size);

    *packets += packets_check(source->config, bytes, size, cuts, 5);
    seed = source->index + 1;
    for (size_t at = 0; at < size; at += 1 + below(DAMAGE_EVERY))
        bytes[at] = (uint8_t)below(256);
    *packets += packets_check(source->config, bytes, size, cuts, 4);
    free(bytes);
}

static void test_captures(void **state)
{
    size_t packets = 0;

    (void)state;
    captured_each(check_source, &packets);
    print_message("# %zu packets\n", packets);
    assert_true(packets > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),   cmocka_unit_test(test_older_batch),
        cmocka_unit_test(test_random),      cmocka_unit_test(test_noise),
        cmocka_unit_test(test_before_sync), cmocka_unit_test(test_captures),
    };

    return cmocka_run_group_tests_name("packets without fields", tests, NULL, NULL);
}
