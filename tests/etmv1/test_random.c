/* SPDX-License-Identifier: BSD-2-Clause */
/* Any samples: every byte is in one packet and one account, cutting changes nothing, and the engine makes
 * of them what the levels do.
 *
 * usage: test_random --seeds FIRST COUNT */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../engine/compare.h"
#include "protocol/samples.h"

enum { CYCLES = 1500, SAMPLE = 4, CODE = 256, CAPACITY = 7, LOADS = 12 };

static uint64_t first_seed = 1, seed_count = 10;
static struct etmv1_bench bench;
static uint64_t followed, transfers; /* cycles in the account of flow, and records of data */

struct dice {
    uint64_t state;
};

static uint32_t below(struct dice *dice, uint32_t limit)
{
    dice->state ^= dice->state >> 12;
    dice->state ^= dice->state << 25;
    dice->state ^= dice->state >> 27;
    return (uint32_t)((dice->state * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % limit;
}

/* Of every kind, with loads, branches and coprocessors among them; where trace begins there are loads. */
static void add_program(struct dice *dice, uint32_t address)
{
    static const uint32_t words[] = {0xe1a00000, 0xe5920000, 0xe5d20000, 0xe1d200b0,
                                     0xe8920212, 0xe8bd8001, 0xe12fff1e, 0xeafffffc,
                                     0x1a000004, 0xeb000002, 0xe590f000, 0xed920100,
                                     0xee110f10, 0xef000000, 0xf802f000, 0x47706800};
    uint32_t code[CODE];

    for (unsigned i = 0; i < CODE; i++)
        code[i] = words[i < LOADS ? 1 + below(dice, 3) : below(dice, sizeof words / sizeof *words)];
    etmv1_words(&bench, address, code, CODE);
}

/* A byte of an address in the program, more often than not. */
static uint16_t some_packet(struct dice *dice)
{
    static const uint8_t likely[] = {0x80, 0x82, 0x00, 0x10, 0x84, 0x20, 0x98, 0x30, 0x40, 0x81};

    if (below(dice, 4) == 0)
        return (uint16_t)below(dice, 0x10000);
    return (uint16_t)(likely[below(dice, sizeof likely)] | likely[below(dice, sizeof likely)] << 8);
}

/* `wild`: any bytes at all. Otherwise statuses that can be, full addresses among them, and offset cycles
 * where they belong. */
static void make_samples(struct dice *dice, bool wild)
{
    static const uint8_t on[] = {0x80, 0x80, 0x82, 0x80, 0x10};
    static const uint8_t statuses[] = {0, 0, 1, 1, 1, 1, 2, 3, 7, 0, 1, 4, 5, 6};
    unsigned apo = 0, address = 0;

    bench.size = (size_t)CYCLES * SAMPLE - below(dice, 2) * below(dice, SAMPLE);
    for (unsigned i = 0; i < CYCLES; i++) {
        struct cairn_sample sample = {.pipestat = statuses[below(dice, sizeof statuses)],
                                      .packet = some_packet(dice)};
        const bool begins = !wild && below(dice, 40) == 0;

        if (wild)
            sample.pipestat = (uint8_t)below(dice, 9);
        else if (apo > 0 && below(dice, 50) > 0)
            sample.pipestat = below(dice, 50) == 0;
        apo = apo > 0 ? apo - 1 : 0;
        if (begins)
            sample.pipestat = 4;
        if (sample.pipestat == 4 || sample.pipestat == 5) {
            apo = 2;
            sample.flags = below(dice, 20) > 0 || begins;
            if (!wild)
                sample.packet &= 0x7f7f; /* one byte of address */
        }
        if (begins)
            address = sizeof on;
        if (address > 0 && (sample.pipestat & 6) != 6)
            sample.packet = on[sizeof on - address--];
        if (below(dice, wild ? 20 : 400) == 0)
            sample.flags = (uint8_t)below(dice, 9);
        cairn_sample_store(bench.bytes + (size_t)i * SAMPLE, sample);
    }
}

struct listing {
    uint64_t hash, bytes, sums[CAIRN_LEDGER_ACCOUNTS];
};

static void take(const struct etmv1_bench *b, const struct cairn_packet_batch *batch,
                 struct listing *listing)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct cairn_packet_fields *f = &batch->fields[i];
        const uint64_t told[] = {batch->kind[i], batch->account[i], f->address, f->flags,
                                 f->atoms,       f->info,           f->count,   f->type};
        struct cairn_field fields[24];

        assert_true(cairn_packet_describe(b->config, batch, i, fields, 24) <= 24);
        assert_int_equal(batch->offset[i], listing->bytes);
        listing->bytes += batch->length[i];
        listing->sums[batch->account[i]] += batch->length[i];
        for (size_t k = 0; k < sizeof told / sizeof *told; k++)
            listing->hash = (listing->hash ^ told[k]) * UINT64_C(0x100000001b3);
    }
}

static struct listing list(size_t step, size_t capacity)
{
    struct listing listing = {.hash = 1};
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;

    assert_int_equal(cairn_packets_new(bench.config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(capacity, &batch), CAIRN_OK);
    for (size_t at = 0; at < bench.size;) {
        const size_t end = bench.size - at < step ? bench.size : at + step;

        do {
            batch->count = 0;
            assert_int_equal(cairn_packets_run(packets, bench.bytes, end, &at, batch), CAIRN_OK);
            take(&bench, batch, &listing);
        } while (batch->count > 0 || at < end);
    }
    do {
        batch->count = 0;
        assert_int_equal(cairn_packets_finish(packets, batch), CAIRN_OK);
        take(&bench, batch, &listing);
    } while (batch->count > 0);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    return listing;
}

static void check_cuts(void)
{
    const struct listing whole = list(bench.size, CYCLES), narrow = list(1, CAPACITY);

    assert_int_equal(whole.bytes, bench.size);
    assert_memory_equal(&whole, &narrow, sizeof whole);
}

static void count(const struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        transfers += batch->kind[i] == CAIRN_FLOW_DATA &&
                     CAIRN_FLOW_DATA_KIND(batch->instructions[i]) == CAIRN_DATA_NORMAL;
}

/* The ledger has every byte once. */
static void check_ledger(void)
{
    struct cairn_decoder *decoder;
    struct cairn_flow_batch *batch;
    uint64_t sum = 0;
    size_t at = 0;

    assert_int_equal(cairn_decoder_new(bench.config, bench.image, &decoder), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(64, &batch), CAIRN_OK);
    do {
        batch->count = 0;
        assert_int_equal(cairn_decoder_run(decoder, bench.bytes, bench.size, &at, batch), CAIRN_OK);
        count(batch);
    } while (batch->count > 0);
    do {
        batch->count = 0;
        assert_int_equal(cairn_decoder_finish(decoder, batch), CAIRN_OK);
    } while (batch->count > 0);
    const struct cairn_ledger *ledger = cairn_decoder_ledger(decoder);

    assert_int_equal(ledger->total, bench.size);
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++) {
        assert_true(ledger->account[i].bytes <= bench.size);
        sum += ledger->account[i].bytes;
    }
    assert_int_equal(sum, bench.size);
    followed += ledger->account[CAIRN_ACCOUNT_FLOW].bytes / SAMPLE;
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
}

static void check_seed(uint64_t seed, bool wild)
{
    static const struct etmv1_more big[3] = {{"BIGENDIAN", 1}, {"HIVECS", 1}, {"VECTORQUIRK", 1}};
    struct dice dice = {.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    const uint32_t port = wild || below(&dice, 4) == 0 ? below(&dice, 3) : 1;
    const uint32_t cr =
        port << 4 | below(&dice, 8) << 1 | below(&dice, 2) << 12 | below(&dice, 4) << 14;

    etmv1_begin_with(&bench, cr, CCR(below(&dice, 8)), below(&dice, 4) ? NULL : big);
    add_program(&dice, 0x8000);
    add_program(&dice, 0);
    make_samples(&dice, wild);
    check_cuts();
    check_ledger();
    const struct engine_case input = {
        .config = bench.config, .image = bench.image, .data = bench.bytes, .size = bench.size};

    if (!engine_compare_ways(&input, UINT32_C(0x11) << seed % 12, seed, stdout))
        fail_msg("seed %llu", (unsigned long long)seed);
    etmv1_end(&bench);
}

static void test_plausible(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++)
        check_seed(seed, false);
    /* the samples are such that there is something to compare */
    assert_true(followed > 20 * seed_count);
    assert_true(transfers > seed_count);
}

static void test_wild(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++)
        check_seed(seed, true);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plausible),
        cmocka_unit_test(test_wild),
    };

    if (argc == 4) {
        first_seed = strtoull(argv[2], NULL, 10);
        seed_count = strtoull(argv[3], NULL, 10);
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
