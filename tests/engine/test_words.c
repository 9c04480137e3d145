/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces that the engine has to cut into words at awkward places, beside the reference path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../house/share.h"
#include "base/bytes.h"
#include "compare.h"
#include "flow/engine.h"
#include "generate.h"

enum {
    INSTRUCTIONS = 16,
    RECORDS = 64,
    LARGE = 4096,
    TRACE = 1 << (TEST_SHARE > 1 ? 16 : 20), /* bytes of a large trace */
};

#define BASE UINT64_C(0x400000)
#define END UINT64_C(0x600000)        /* where memory ends soon */
#define A64_B_EQ UINT32_C(0x54000020) /* to the next instruction */
#define A64_NOP UINT32_C(0xd503201f)

/* Packets of ETE. */
#define A_SYNC 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80
#define TRACE_INFO 0x01, 0x01, 0x00
#define TRACE_ON 0x04
#define CONTEXT_EL1_A64 0x81, 0x11
#define ADDRESS_BASE 0x9d, 0x00, 0x00, 0x40, 0, 0, 0, 0, 0
#define ADDRESS_END 0x9d, 0x00, 0x00, 0x60, 0, 0, 0, 0, 0
#define ADDRESS_NOWHERE 0x9d, 0x00, 0x00, 0x80, 0, 0, 0, 0, 0
#define TRANSACTION_START 0x0a
#define TRANSACTION_COMMIT 0x0b
#define ATOM_N 0xf6
#define ATOM_E 0xf7

static struct cairn_config *make_config(void)
{
    const struct cairn_register registers[] = {{"TRCDEVARCH", 0x47705a13}, {"TRCIDR8", 0}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = CAIRN_PROTOCOL_ETE;
    source.arch = cairn_arch_any_a();
    source.registers = registers;
    source.register_count = sizeof registers / sizeof *registers;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

/* Conditional branches on end, elsewhere two instructions that are none, and nothing else anywhere. */
static struct cairn_image *make_image(void)
{
    const struct cairn_scope scope = cairn_scope_any();
    const uint32_t plain[] = {cairn_le32(A64_NOP), cairn_le32(A64_NOP)};
    uint32_t code[INSTRUCTIONS];
    struct cairn_image *image;

    for (unsigned i = 0; i < INSTRUCTIONS; i++)
        code[i] = cairn_le32(A64_B_EQ);
    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "branches", &scope, CAIRN_ORDER_LITTLE, BASE,
                                           code, sizeof code, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "plain", &scope, CAIRN_ORDER_LITTLE, END, plain,
                                           sizeof plain, NULL),
                     CAIRN_OK);
    return image;
}

/* Every way, and by words of either reader, which take turns with the seed. */
static void compare_all(const struct engine_case *input)
{
    for (uint64_t seed = 0; seed < 2; seed++)
        assert_true(engine_compare_ways(input, ENGINE_ALL_WAYS | ENGINE_BY_WORDS(ENGINE_ALL_WAYS),
                                        seed, stdout));
}

/* A transaction ends while execution is lost, so that the follower is the first to hear of it. The
 * next word is several packets that are looked up at once, and none of its atoms is in the
 * transaction, not even the first. */
static void test_transactions_end_while_execution_is_lost(void **state)
{
    static const uint8_t bytes[] = {/* known */
                                    A_SYNC, TRACE_INFO, TRACE_ON, CONTEXT_EL1_A64, ADDRESS_BASE,
                                    /* lost within the transaction, which ends */
                                    TRANSACTION_START, ATOM_E, ADDRESS_NOWHERE, ATOM_E,
                                    TRANSACTION_COMMIT, ATOM_E,
                                    /* known again */
                                    ADDRESS_BASE, ATOM_N, ATOM_E, ATOM_N};
    static const bool in_transaction[] = {true, false, false, false}; /* by range */
    struct engine_case made = {
        .config = make_config(), .image = make_image(), .data = bytes, .size = sizeof bytes};
    struct engine_record record;
    size_t ranges = 0;

    (void)state;
    for (size_t i = 0; i < RECORDS && engine_reference_find(&made, i, false, &record); i++) {
        if (record.kind != CAIRN_FLOW_RANGE)
            continue;
        assert_true(ranges < sizeof in_transaction / sizeof *in_transaction);
        assert_int_equal((record.flags & CAIRN_FLOW_TRANSACTION) != 0, in_transaction[ranges]);
        ranges++;
    }
    assert_int_equal(ranges, sizeof in_transaction / sizeof *in_transaction);
    compare_all(&made);
    cairn_image_unref(made.image);
    cairn_config_unref(made.config);
}

/* Ranges at `address` that the engine, which decodes by words, tells of as events: how many say that
 * they do not follow from what was before. */
static size_t count_anew(const struct engine_case *made, uint64_t address)
{
    const struct cairn_engine_options options = {.size = sizeof options,
                                                 .flags = CAIRN_ENGINE_WORDS};
    struct cairn_engine *engine;
    struct cairn_word_batch *batch;
    size_t count = 0;

    assert_int_equal(cairn_engine_make(made->config, made->image, &options, NULL, &engine),
                     CAIRN_OK);
    assert_int_equal(cairn_word_batch_new(LARGE, false, &batch), CAIRN_OK);
    for (size_t at = 0; at < made->size;)
        assert_int_equal(cairn_engine_run(engine, made->data, made->size, &at, batch), CAIRN_OK);
    for (size_t i = 0; i < batch->event_count; i++)
        count += batch->event[i].kind == CAIRN_FLOW_RANGE && batch->event[i].address == address &&
                 (batch->event[i].flags & CAIRN_FLOW_DISCONTINUITY);
    cairn_word_batch_free(batch);
    cairn_engine_free(engine);
    return count;
}

#define ONCE_MORE TRACE_ON, ADDRESS_BASE, ATOM_N, ATOM_E
#define OFTEN ONCE_MORE, ONCE_MORE, ONCE_MORE, ONCE_MORE, ONCE_MORE, ONCE_MORE, ONCE_MORE, ONCE_MORE

/* The first word behind a Trace On is not to be looked up, since memory ends within it: the range up to
 * there is the one that does not follow from what was before. */
static void test_memory_ends_where_flow_begins_anew(void **state)
{
    static const uint8_t bytes[] = {A_SYNC,   TRACE_INFO,  CONTEXT_EL1_A64, OFTEN,
                                    TRACE_ON, ADDRESS_END, ATOM_E,          OFTEN};
    struct engine_case made = {
        .config = make_config(), .image = make_image(), .data = bytes, .size = sizeof bytes};
    struct engine_record record;
    size_t ranges = 0;

    (void)state;
    for (size_t i = 0; i < RECORDS && engine_reference_find(&made, i, false, &record); i++) {
        if (record.kind != CAIRN_FLOW_RANGE || record.address != END)
            continue;
        assert_int_equal(record.instructions, 2);
        assert_int_equal(record.flags & CAIRN_FLOW_DISCONTINUITY, CAIRN_FLOW_DISCONTINUITY);
        ranges++;
    }
    assert_int_equal(ranges, 1);
    assert_int_equal(count_anew(&made, END), 1);
    compare_all(&made);
    cairn_image_unref(made.image);
    cairn_config_unref(made.config);
}

/* Whether the engine, which decodes by words, is told by the trace not to remember them. */
static bool gives_up_remembering(const struct engine_case *made)
{
    const struct cairn_engine_options options = {.size = sizeof options,
                                                 .flags = CAIRN_ENGINE_WORDS};
    struct cairn_engine *engine;
    struct cairn_word_batch *batch;
    bool gave_up = false;

    assert_int_equal(cairn_engine_make(made->config, made->image, &options, NULL, &engine),
                     CAIRN_OK);
    assert_int_equal(cairn_word_batch_new(LARGE, false, &batch), CAIRN_OK);
    for (size_t at = 0; at < made->size; batch->count = batch->event_count = 0) {
        assert_int_equal(cairn_engine_run(engine, made->data, made->size, &at, batch), CAIRN_OK);
        gave_up |= engine->fresh;
    }
    cairn_word_batch_free(batch);
    cairn_engine_free(engine);
    return gave_up;
}

/* A large trace over a large program, where most words come once, and over a small one. */
static void test_words_that_do_not_repeat_are_not_remembered(void **state)
{
    const struct {
        uint64_t seed;
        bool repeats;
    } traces[] = {{63, false}, {127, true}};

    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        struct engine_case made;

        assert_true(engine_generate(traces[i].seed, TRACE, &made));
        assert_int_equal(gives_up_remembering(&made), !traces[i].repeats);
        assert_true(engine_compare_ways(&made, ENGINE_BY_WORDS(1), 1, stdout));
        engine_generated_free(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transactions_end_while_execution_is_lost),
        cmocka_unit_test(test_memory_ends_where_flow_begins_anew),
        cmocka_unit_test(test_words_that_do_not_repeat_are_not_remembered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
