/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of ETMv3 and PTM without fields are those that a batch with all columns has: their kinds,
 * places, accounts and addresses, on any bytes, however they are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../house/share.h"
#include "packets_compare.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum {
    TRACE = 6000,           /* bytes */
    ROUNDS = TEST_PART(12), /* of every configuration and mix */
};

#define NARROW (PACKETS_KIND | PACKETS_ADDRESS | PACKETS_ADDRESS_PACKET)

static const struct packets_cut cuts[] = {
    {0, 4096, NARROW},
    {0, 4096, PACKETS_COLUMNS},
    {0, 100, PACKETS_OFFSET | PACKETS_ADDRESS},
    {0, 17, PACKETS_COLUMNS},
    {0, 1, PACKETS_COLUMNS},
    {300, 333, PACKETS_COLUMNS},
    {PACKETS_UNEVEN, 500, PACKETS_KIND | PACKETS_LENGTH},
    {PACKETS_UNEVEN, 90, PACKETS_COLUMNS | PACKETS_FIELDS},
    {700, 64, PACKETS_ACCOUNT | PACKETS_ADDRESS_PACKET},
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

static const struct unit {
    const char *name;
    enum cairn_protocol_id protocol;
    uint32_t cr, idr, ccer;
    unsigned context_bytes;
    bool cycles;
} units[] = {
    {"PTM", CAIRN_PROTOCOL_PTM, 0x00000400, 0x411cf310, 0x34c89884, 0, false},
    {"PTM 1.0", CAIRN_PROTOCOL_PTM, 0x00000400, 0x411cf300, 0x000008a1, 0, false},
    {"PTM, Context IDs", CAIRN_PROTOCOL_PTM, 0x0000c400, 0x411cf310, 0x34c89884, 4, false},
    {"PTM, cycles", CAIRN_PROTOCOL_PTM, 0x00001400, 0x411cf310, 0x34c89884, 0, true},
    {"ETMv3.5", CAIRN_PROTOCOL_ETMV3, 0x00000400, 0x410cf250, 0x34c01ac2, 0, false},
    {"ETMv3.5, alternative", CAIRN_PROTOCOL_ETMV3, 0x00000400, 0x411cf250, 0x34c01ac2, 0, false},
    {"ETMv3.0", CAIRN_PROTOCOL_ETMV3, 0x00000400, 0x4100f200, 0x0, 0, false},
    {"ETMv3.5, cycles", CAIRN_PROTOCOL_ETMV3, 0x00001400, 0x411cf250, 0x34c01ac2, 0, true},
    {"ETMv3.3, data", CAIRN_PROTOCOL_ETMV3, 0x0000040c, 0x410cf230, 0x34c01ac2, 0, false},
};

static struct cairn_config *configure(const struct unit *unit)
{
    const struct cairn_register registers[] = {
        {"ETMCR", unit->cr}, {"ETMIDR", unit->idr}, {"ETMCCER", unit->ccer}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;
    struct cairn_error error = {0};

    source.protocol = unit->protocol;
    source.arch = (struct cairn_arch){CAIRN_PROFILE_A, 7, 0, 0};
    source.registers = registers;
    source.register_count = COUNT_OF(registers);
    if (cairn_config_new(&source, &config, &error) != CAIRN_OK)
        fail_msg("%s: %s", unit->name, error.text);
    return config;
}

/* --- random trace --- */

static void byte(unsigned value)
{
    trace[trace_size++] = (uint8_t)value;
}

/* Zeros are frequent, since they may belong to an A-sync that follows. */
static void payload(unsigned count)
{
    const bool zeros = below(3) == 0;

    while (count-- > 0)
        byte(zeros ? 0 : below(256));
}

static void put_async(void)
{
    for (unsigned zeros = 5 + (below(4) ? 0 : below(20)); zeros > 0; zeros--)
        byte(0);
    byte(0x80);
}

/* With an address of ARM or Thumb state, so that what follows is known. */
static void put_i_sync(const struct unit *unit)
{
    const unsigned address = below(2) ? below(1 << 16) | 1 : below(1 << 16) & ~3u;
    const bool is_ptm = unit->protocol == CAIRN_PROTOCOL_PTM;

    byte(0x08);
    if (!is_ptm) {
        payload(unit->context_bytes);
        byte(0x01 | below(4) << 5);
    }
    for (unsigned i = 0; i < 32; i += 8)
        byte(address >> i);
    if (is_ptm) {
        byte(0x01); /* periodic: no cycle count */
        payload(unit->context_bytes);
    }
}

static void put_branch(void)
{
    const unsigned more = below(3) ? below(3) : below(5);

    byte(below(128) | 1 | (more ? 0x80 : 0));
    for (unsigned i = 1; i <= more; i++) {
        if (i == 4)
            byte(below(3) ? 0x08 | below(8) : 0x10 | below(16));
        else
            byte((i < more ? 0x80 : 0) | (below(4) ? below(64) : below(4) ? 0 : below(128)));
    }
}

static void put_atoms(void)
{
    for (unsigned count = 1 + below(below(4) ? 3 : 12); count > 0; count--)
        byte(0x80 | below(64) << 1);
}

static void put_other(void)
{
    static const uint8_t headers[] = {0x08, 0x0c, 0x3c, 0x42, 0x46, 0x66, 0x6e,
                                      0x70, 0x72, 0x76, 0x7e, 0x04, 0x62, 0x02};

    byte(headers[below(COUNT_OF(headers))]);
    payload(below(8));
}

struct mix {
    const char *name;
    unsigned atoms, branch, other, async, noise; /* how many of 1000 packets */
};

static const struct mix mixes[] = {
    {"plain", 480, 510, 0, 5, 0},
    {"all packets", 350, 450, 150, 20, 0},
    {"damaged", 400, 500, 50, 40, 10},
    {"zeros", 100, 700, 50, 50, 5},
};

static void make_trace(const struct unit *unit, const struct mix *mix)
{
    trace_size = 0;
    put_async();
    put_i_sync(unit);
    while (trace_size < TRACE) {
        unsigned pick = below(1000);

        if (pick < mix->atoms) {
            put_atoms();
        } else if ((pick -= mix->atoms) < mix->branch) {
            put_branch();
        } else if ((pick -= mix->branch) < mix->other) {
            put_other();
        } else if ((pick -= mix->other) < mix->async) {
            put_async();
            put_i_sync(unit);
        } else if (pick - mix->async < mix->noise) {
            payload(1 + below(6));
        } else {
            put_i_sync(unit);
        }
    }
}

static void test_random(void **state)
{
    const char *given = getenv("CAIRN_SEED");
    const uint64_t first = given ? strtoull(given, NULL, 0) : 1;
    (void)state;

    for (size_t u = 0; u < COUNT_OF(units); u++) {
        struct cairn_config *config = configure(&units[u]);
        size_t packets = 0;

        for (size_t m = 0; m < COUNT_OF(mixes); m++) {
            for (unsigned round = 0; round < ROUNDS; round++) {
                seed = (first + round) * 0x9e3779b97f4a7c15u + u * 131 + m + 1;
                make_trace(&units[u], &mixes[m]);
                packets += packets_check(config, trace, trace_size, cuts, COUNT_OF(cuts));
            }
        }
        print_message("# %s: %zu packets\n", units[u].name, packets);
        assert_true(packets > 4167 * ROUNDS);
        cairn_config_unref(config);
    }
}

/* Bytes of no trace at all. */
static void test_noise(void **state)
{
    (void)state;
    for (size_t u = 0; u < COUNT_OF(units); u++) {
        struct cairn_config *config = configure(&units[u]);

        for (unsigned round = 0; round < ROUNDS; round++) {
            seed = round * 977 + u + 1;
            trace_size = 0;
            put_async();
            put_i_sync(&units[u]);
            while (trace_size < TRACE)
                payload(1 + below(30));
            packets_check(config, trace, trace_size, cuts, COUNT_OF(cuts));
        }
        cairn_config_unref(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_noise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
