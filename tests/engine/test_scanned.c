/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's scanned way, which most of the random traces would not take by themselves: all of
 * them are sent there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "compare.h"
#include "flow/cursor.h"
#include "flow/engine.h"
#include "generate.h"
#include "mutate.h"

enum {
    SEEDS = 60,
    FIRST_SEED = 7001,
    SMALLEST = 256,
    SIZES = 8, /* of traces, each twice the one before */
    UNITS = 4096,
    BRANCHES = 500, /* of a trace with one Atom, and its Commit, at a time */
    EPOCHS = 60,    /* places where another code begins, byte after byte */
};

#define BASE UINT64_C(0x400000)
#define A64_NOP UINT32_C(0xd503201f)
#define A64_B_EQ UINT32_C(0x54000020) /* to the next instruction */

static uint64_t seeds = SEEDS;

static size_t size_of(uint64_t seed)
{
    return (size_t)SMALLEST << seed % SIZES;
}

static void compare_ways(const struct engine_case *input, uint64_t seed, uint64_t first,
                         unsigned step)
{
    struct engine_reference *reference = engine_reference_new(input);

    assert_non_null(reference);
    for (unsigned i = (unsigned)first; i < ENGINE_WAYS; i += step) {
        struct engine_way way = engine_way(i, seed);

        way.scanned = true;
        if (!engine_compare(input, reference, &way, stdout))
            fail_msg("seed %llu, way %u", (unsigned long long)seed, i);
    }
    engine_reference_free(reference);
}

static void test_every_trace_can_be_scanned(void **state)
{
    (void)state;
    for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + seeds; seed++) {
        struct engine_case made;

        assert_true(engine_generate(seed, size_of(seed), &made));
        compare_ways(&made, seed, seed % 3, 3);
        engine_generated_free(&made);
    }
}

static void test_damaged_traces_can_be_scanned(void **state)
{
    (void)state;
    for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + seeds; seed++) {
        struct engine_case made, damaged;
        uint8_t *bytes;

        assert_true(engine_generate(seed, size_of(seed), &made));
        bytes = malloc(made.size + MUTATE_MORE);
        assert_non_null(bytes);
        memcpy(bytes, made.data, made.size);
        damaged = made;
        damaged.data = bytes;
        damaged.size = mutate(bytes, made.size, seed);
        compare_ways(&damaged, seed, seed % 4, 4);
        free(bytes);
        engine_generated_free(&made);
    }
}

static struct cairn_config *speculative_config(void)
{
    const struct cairn_register registers[] = {{"TRCDEVARCH", 0x47705a13}, {"TRCIDR8", 5}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = CAIRN_PROTOCOL_ETE;
    source.arch = cairn_arch_any_a();
    source.registers = registers;
    source.register_count = sizeof registers / sizeof *registers;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

/* Conditional branches on end; behind byte `epoch` of the trace with an instruction before each. */
static struct cairn_image *image_of_epochs(uint64_t epoch)
{
    static uint32_t code[4 * BRANCHES];
    struct cairn_scope scope = cairn_scope_any();
    struct cairn_image *image;

    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    for (unsigned i = 0; i < 4 * BRANCHES; i++)
        code[i] = cairn_le32(A64_B_EQ);
    scope.epoch_to = epoch;
    assert_int_equal(cairn_image_add_bytes(image, "before", &scope, CAIRN_ORDER_LITTLE, BASE, code,
                                           sizeof code, NULL),
                     CAIRN_OK);
    for (unsigned i = 0; i < 4 * BRANCHES; i += 2)
        code[i] = cairn_le32(A64_NOP);
    scope.epoch_from = epoch;
    scope.epoch_to = UINT64_MAX;
    assert_int_equal(cairn_image_add_bytes(image, "behind", &scope, CAIRN_ORDER_LITTLE, BASE, code,
                                           sizeof code, NULL),
                     CAIRN_OK);
    return image;
}

/* Atoms of many packets in one token, and other memory in the midst of them. */
static void test_epochs_end_within_runs(void **state)
{
    static const uint8_t beginning[] = {
        0, 0, 0,    0, 0, 0, 0,    0,    0,
        0, 0, 0x80, 1, 1, 1, 0x81, 0x11, /* 64-bit address, BASE */ 0x9d,
        0, 0, 0x40, 0, 0, 0, 0,    0};
    uint8_t bytes[sizeof beginning + 3 * BRANCHES];
    uint8_t *next = bytes + sizeof beginning;
    struct engine_case made = {.config = speculative_config(), .data = bytes, .size = sizeof bytes};

    (void)state;
    memcpy(bytes, beginning, sizeof beginning);
    for (unsigned i = 0; i < BRANCHES; i++) {
        *next++ = (uint8_t)(0xf6 | (i * 7 / 5 & 1));
        *next++ = 0x2d;
        *next++ = 1;
    }
    for (unsigned i = 0; i < EPOCHS; i++) {
        made.image = image_of_epochs(sizeof bytes / 2 + i);
        compare_ways(&made, 2 * i, i % 2, 2);
        cairn_image_unref(made.image);
    }
    cairn_config_unref(made.config);
}

/* All records of a source, from an engine that stands at its beginning. */
static void decode(struct cairn_engine *engine, const struct engine_case *input,
                   const struct engine_reference *reference)
{
    struct cairn_word_cursor cursor = {0};
    struct cairn_word_batch *units;
    struct cairn_flow_batch *records;
    size_t position = 0;
    size_t count = 0;
    bool finishing = false;

    assert_int_equal(cairn_word_batch_new(UNITS, true, &units), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(UNITS, &records), CAIRN_OK);
    for (;;) {
        units->count = 0;
        units->event_count = 0;
        finishing = position == input->size;
        assert_int_equal(finishing
                             ? cairn_engine_finish(engine, units)
                             : cairn_engine_run(engine, input->data, input->size, &position, units),
                         CAIRN_OK);
        cursor.word = 0;
        cursor.step = 0;
        cursor.event = 0;
        do {
            records->count = 0;
            assert_int_equal(cairn_words_records(units, &cursor, records), CAIRN_OK);
            for (size_t i = 0; i < records->count; i++) {
                const struct engine_record record = engine_record_of(records, i);

                assert_true(count < reference->records.count);
                assert_int_equal(engine_record_hash(&record), reference->records.at[count++]);
            }
        } while (records->count > 0);
        if (finishing && units->count == 0 && units->event_count == 0)
            break;
    }
    assert_int_equal(count, reference->records.count);
    cairn_flow_batch_free(records);
    cairn_word_batch_free(units);
}

static void test_sources_can_be_decoded_again(void **state)
{
    (void)state;
    for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + seeds; seed++) {
        struct cairn_engine_statistics statistics = {.size = sizeof statistics};
        struct engine_reference *reference;
        struct cairn_engine *engine;
        struct engine_case made;

        assert_true(engine_generate(seed, size_of(seed), &made));
        reference = engine_reference_new(&made);
        assert_non_null(reference);
        assert_int_equal(cairn_engine_new(made.config, made.image, NULL, &engine), CAIRN_OK);
        decode(engine, &made, reference);
        assert_int_equal(cairn_engine_rewind(engine), CAIRN_OK);
        decode(engine, &made, reference);
        cairn_engine_statistics(engine, &statistics);
        assert_int_equal(statistics.scanned_bytes + statistics.hot_bytes, 2 * made.size);
        assert_int_equal(statistics.cold_bytes, 0);
        assert_memory_equal(cairn_engine_ledger(engine)->account, reference->ledger.account,
                            sizeof reference->ledger.account);
        cairn_engine_free(engine);
        engine_reference_free(reference);
        engine_generated_free(&made);
    }
}

/* usage: [SEEDS] */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_trace_can_be_scanned),
        cmocka_unit_test(test_damaged_traces_can_be_scanned),
        cmocka_unit_test(test_epochs_end_within_runs),
        cmocka_unit_test(test_sources_can_be_decoded_again),
    };

    if (argc > 1)
        seeds = strtoull(argv[1], NULL, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
