/* SPDX-License-Identifier: BSD-2-Clause */
/* What is counted of words that are made by hand: where one goes on with the next, and where something stands between
 * them, or between the steps of one. The numbers are those of the lists of words in each case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "flow/dictionary.h"
#include "pipeline/counted.h"
#include <cairn.h>

enum { ROOM = 64 };

/* Two instructions each: NOP; BR X0. NOP; B.EQ to `branches`. NOP; RET. */
#define JUMPS UINT64_C(0x1000)
#define BRANCHES UINT64_C(0x1008)
#define RETURNS UINT64_C(0x1010)
static const uint32_t code[] = {0xd503201f, 0xd61f0000, 0xd503201f,
                                0x54ffffe0, 0xd503201f, 0xd65f03c0};

/* Paths, in the order that they are added in. */
enum path { NO_PATH, JUMP, RETURN, JUMP_RETURN, BITS_BRANCH_BRANCH, PATHS };

struct words_bench {
    struct cairn_capture *capture;
    struct cairn_pipeline *pipeline;
    struct cairn_counted *counted;
    struct cairn_consumer consumer;
    struct cairn_dictionary dictionary;
    struct cairn_word_batch *batch;
};

static const char *capture_path;

static uint32_t add_block(struct cairn_dictionary *dictionary, uint64_t address, unsigned flags)
{
    const struct cairn_code_block block = {
        .address = address,
        .end = address + 8,
        .instructions = 2,
        .isa = CAIRN_ISA_A64,
        .last_size = 4,
        .flags = (uint16_t)(CAIRN_BLOCK_P0 | CAIRN_BLOCK_BRANCH | flags),
    };
    const struct cairn_block_more more = {0};
    const uint32_t added = cairn_dictionary_add_block(dictionary, &block, &more);

    assert_int_not_equal(added, 0);
    return added;
}

static void add_path(struct cairn_dictionary *dictionary, enum path wanted,
                     enum cairn_path_kind kind, uint32_t one, uint32_t other)
{
    const uint32_t steps[] = {2 * one + 1, 2 * other + 1};

    assert_int_equal(cairn_dictionary_add_path(dictionary, kind, wanted, steps, other ? 2 : 1),
                     wanted);
}

static void fill(struct words_bench *bench)
{
    struct cairn_dictionary *const made = &bench->dictionary;
    const uint32_t jump = add_block(made, JUMPS, CAIRN_BLOCK_INDIRECT);
    const uint32_t branch = add_block(made, BRANCHES, CAIRN_BLOCK_CONDITIONAL);
    const uint32_t back = add_block(made, RETURNS, CAIRN_BLOCK_INDIRECT | CAIRN_BLOCK_RETURN);

    add_path(made, JUMP, CAIRN_PATH_PACKETS, jump, 0);
    add_path(made, RETURN, CAIRN_PATH_PACKETS, back, 0);
    add_path(made, JUMP_RETURN, CAIRN_PATH_PACKETS, jump, back);
    add_path(made, BITS_BRANCH_BRANCH, CAIRN_PATH_BITS, branch, branch);
}

static void begin(struct words_bench *bench)
{
    static uint8_t bytes[sizeof code];

    memset(bench, 0, sizeof *bench);
    for (size_t i = 0; i < sizeof code / sizeof *code; i++)
        cairn_store_le32(bytes + 4 * i, code[i]);
    assert_int_equal(cairn_capture_open(capture_path, NULL, &bench->capture, NULL), CAIRN_OK);
    assert_int_equal(
        cairn_pipeline_new(bench->capture, 0, NULL, NULL, NULL, &bench->pipeline, NULL), CAIRN_OK);
    struct cairn_image *const image = cairn_capture_image(bench->capture);
    assert_int_equal(cairn_image_add_bytes(image, "code", NULL, CAIRN_ORDER_LITTLE, JUMPS, bytes,
                                           sizeof bytes, NULL),
                     CAIRN_OK);
    assert_int_equal(
        cairn_counted_new(image, cairn_pipeline_config(bench->pipeline), &bench->counted),
        CAIRN_OK);
    bench->consumer = cairn_counted_words_consumer(bench->counted);
    cairn_dictionary_init(&bench->dictionary, UINT64_C(1) << 20, false);
    fill(bench);
    assert_int_equal(cairn_word_batch_new(ROOM, true, &bench->batch), CAIRN_OK);
}

static void word(struct words_bench *bench, enum path path)
{
    struct cairn_word_batch *const batch = bench->batch;

    batch->path[batch->count] = path;
    batch->offset[batch->count++] = 16;
}

/* In front of a step of the word that comes next. */
static struct cairn_word_event *event(struct words_bench *bench, uint8_t kind, uint16_t step)
{
    struct cairn_word_batch *const batch = bench->batch;
    struct cairn_word_event *const made = &batch->event[batch->event_count++];

    *made = (struct cairn_word_event){
        .word = (uint32_t)batch->count, .step = step, .kind = kind, .offset = 16};
    return made;
}

static void give(struct words_bench *bench, bool ends)
{
    struct cairn_word_batch *const batch = bench->batch;

    batch->dictionary = &bench->dictionary;
    batch->generation = bench->dictionary.generation;
    batch->dictionary_ends = ends;
    assert_int_equal(bench->consumer.words(bench->consumer.context, batch), CAIRN_OK);
    batch->count = batch->event_count = 0;
    if (!ends)
        return;
    cairn_dictionary_clear(&bench->dictionary, false);
    fill(bench);
}

static void count_all(struct words_bench *bench)
{
    give(bench, false);
    bench->consumer.end(bench->consumer.context, NULL, CAIRN_OK);
    assert_int_equal(cairn_counted_finish(bench->counted), CAIRN_OK);
    assert_int_equal(cairn_counted_left_out(bench->counted), 0);
}

static void check_range(const struct words_bench *bench, uint64_t address, uint64_t executed,
                        uint64_t taken)
{
    size_t count;
    const struct cairn_counted_range *const ranges = cairn_counted_ranges(bench->counted, &count);

    for (size_t i = 0; i < count; i++)
        if (ranges[i].address == address) {
            assert_int_equal(ranges[i].count, executed);
            assert_int_equal(ranges[i].taken, taken);
            return;
        }
    assert_int_equal(executed, 0);
}

/* Where the branch that ends a range went, and how often it is not known where. */
static void check_branch(const struct words_bench *bench, uint64_t range, uint64_t to,
                         uint64_t times, uint64_t unknown)
{
    size_t count;
    const struct cairn_counted_branch *const list = cairn_counted_branches(bench->counted, &count);
    uint64_t found = 0, others = 0;

    for (size_t i = 0; i < count; i++) {
        if (list[i].from != range + 4)
            continue;
        if (!list[i].has_target)
            others += list[i].count;
        else if (list[i].to == to)
            found += list[i].count;
        else
            fail_msg("0x%llx went to 0x%llx", (unsigned long long)range,
                     (unsigned long long)list[i].to);
    }
    assert_int_equal(found, times);
    assert_int_equal(others, unknown);
}

static void finish(struct words_bench *bench)
{
    cairn_word_batch_free(bench->batch);
    cairn_dictionary_release(&bench->dictionary);
    cairn_counted_free(bench->counted);
    cairn_pipeline_free(bench->pipeline);
    cairn_capture_free(bench->capture);
}

/* From word to word, over the ends of batches and of the dictionary. */
static void a_word_goes_on_with_the_next(void **unused)
{
    struct words_bench bench;
    (void)unused;

    begin(&bench);
    for (unsigned i = 0; i < 3; i++) {
        word(&bench, JUMP);
        if (i)
            give(&bench, i == 2);
        word(&bench, RETURN);
    }
    count_all(&bench);
    check_range(&bench, JUMPS, 3, 3);
    check_range(&bench, RETURNS, 3, 3);
    check_branch(&bench, JUMPS, RETURNS, 3, 0);
    check_branch(&bench, RETURNS, JUMPS, 2, 1);
    finish(&bench);
}

/* One of `kinds` stands in front of a word. */
static void count_with(struct words_bench *bench, uint8_t kind, unsigned flags)
{
    begin(bench);
    for (unsigned i = 0; i < 3; i++) {
        word(bench, JUMP);
        if (i == 1)
            event(bench, kind, 0)->flags = (uint16_t)flags;
        word(bench, RETURN);
    }
    count_all(bench);
    check_range(bench, JUMPS, 3, 3);
    check_range(bench, RETURNS, 3, 3);
}

static void breaks_between_words(void **unused)
{
    static const uint8_t breaks[] = {CAIRN_WORD_DISCONTINUITY, CAIRN_FLOW_GAP,
                                     CAIRN_FLOW_TRACE_ON,      CAIRN_FLOW_EXCEPTION,
                                     CAIRN_FLOW_OVERFLOW,      CAIRN_FLOW_DISCARD};
    struct words_bench bench;
    (void)unused;

    for (size_t i = 0; i < sizeof breaks; i++) {
        count_with(&bench, breaks[i], 0);
        check_branch(&bench, JUMPS, RETURNS, 2, 1);
        check_branch(&bench, RETURNS, JUMPS, 2, 1);
        finish(&bench);
    }
    count_with(&bench, CAIRN_FLOW_Q, CAIRN_FLOW_UNKNOWN);
    check_branch(&bench, JUMPS, RETURNS, 2, 1);
    finish(&bench);
    count_with(&bench, CAIRN_FLOW_TIMESTAMP, 0); /* breaks nothing */
    check_branch(&bench, JUMPS, RETURNS, 3, 0);
    finish(&bench);
}

/* The same between the two steps of the second of three words. */
static void breaks_inside_of_a_word(void **unused)
{
    static const uint8_t breaks[] = {
        CAIRN_WORD_DISCONTINUITY, CAIRN_FLOW_GAP,     CAIRN_FLOW_TRACE_ON, CAIRN_FLOW_EXCEPTION,
        CAIRN_FLOW_OVERFLOW,      CAIRN_FLOW_DISCARD, CAIRN_FLOW_TIMESTAMP};
    struct words_bench bench;
    (void)unused;

    for (size_t i = 0; i < sizeof breaks; i++) {
        const unsigned is_broken = breaks[i] != CAIRN_FLOW_TIMESTAMP;

        begin(&bench);
        word(&bench, JUMP_RETURN);
        event(&bench, breaks[i], 1);
        word(&bench, JUMP_RETURN);
        word(&bench, JUMP_RETURN);
        count_all(&bench);
        check_range(&bench, JUMPS, 3, 3);
        check_range(&bench, RETURNS, 3, 3);
        check_branch(&bench, JUMPS, RETURNS, 3 - is_broken, is_broken);
        check_branch(&bench, RETURNS, JUMPS, 2, 1);
        finish(&bench);
    }
}

/* A range that no path has comes between the steps, and between words. */
static void a_range_between(void **unused)
{
    struct words_bench bench;
    (void)unused;

    begin(&bench);
    for (uint16_t step = 0; step < 2; step++) {
        struct cairn_word_event *const made = event(&bench, CAIRN_FLOW_RANGE, step);

        made->isa = CAIRN_ISA_A64;
        made->flags = CAIRN_FLOW_P0 | CAIRN_FLOW_TAKEN;
        made->instructions = 2;
        made->address = step ? RETURNS : JUMPS;
        made->value = made->address + 8;
        word(&bench, step ? JUMP_RETURN : RETURN);
    }
    count_all(&bench);
    /* JUMPS, RETURNS; JUMPS, RETURNS, RETURNS */
    check_range(&bench, JUMPS, 2, 2);
    check_range(&bench, RETURNS, 3, 3);
    check_branch(&bench, JUMPS, RETURNS, 2, 0);
    finish(&bench);
}

/* Of the second packet of a word of bits it is not known whether branches are taken; of the next one it is again. */
static void outcomes_that_are_not_known(void **unused)
{
    struct words_bench bench;
    (void)unused;

    begin(&bench);
    event(&bench, CAIRN_WORD_PACKET, 0);
    event(&bench, CAIRN_WORD_PACKET, 1)->flags = CAIRN_FLOW_UNKNOWN;
    word(&bench, BITS_BRANCH_BRANCH);
    word(&bench, BITS_BRANCH_BRANCH); /* of the same packet */
    event(&bench, CAIRN_WORD_PACKET, 0);
    word(&bench, BITS_BRANCH_BRANCH);
    count_all(&bench);
    check_range(&bench, BRANCHES, 6, 3);
    check_branch(&bench, BRANCHES, BRANCHES, 3, 0);
    finish(&bench);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_goes_on_with_the_next), cmocka_unit_test(breaks_between_words),
        cmocka_unit_test(breaks_inside_of_a_word),      cmocka_unit_test(a_range_between),
        cmocka_unit_test(outcomes_that_are_not_known),
    };

    if (argc < 2)
        return 2;
    capture_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
