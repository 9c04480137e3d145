/* SPDX-License-Identifier: BSD-2-Clause */
/* What cairn_counted counts is what the example's generator says was executed: each instruction as often, each
 * branch as often taken and to the same places; by records of the engine and of the reference path. By words it is
 * the same.
 *
 * usage: test_counted CAPTURE [CAPTURE...]
 *
 * Of more captures words and records are compared alone. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/counted.h"
#include <cairn.h>

enum { TEXT = 4096, WORDS = 4096 };
#define FIRST UINT64_C(0x80000000) /* where the example's program is loaded */

static const char *capture_path;

/* Of each instruction of the program, by its place: how often it was executed, taken, and of taken ones how often
 * what was executed next is known from the list. */
struct truth {
    uint64_t executed[WORDS], taken[WORDS];
};

static size_t word_of(uint64_t address)
{
    assert_true(address >= FIRST && (address - FIRST) / 4 < WORDS && !(address & 3));
    return (size_t)(address - FIRST) / 4;
}

static void read_truth(const char *source, struct truth *truth)
{
    char path[TEXT], line[128];

    memset(truth, 0, sizeof *truth);
    snprintf(path, sizeof path, "%s/%s.addresses", capture_path, source);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        uint64_t address;
        char outcome = 0;

        if (sscanf(line, "%" SCNx64 " %c", &address, &outcome) < 1)
            continue;
        truth->executed[word_of(address)]++;
        truth->taken[word_of(address)] += outcome == 'E';
    }
    fclose(file);
}

static struct cairn_counted *count(struct cairn_capture *capture, size_t source, uint32_t flags,
                                   struct cairn_pipeline **pipeline)
{
    struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_counted *counted = NULL;

    options.flags = flags;
    assert_int_equal(cairn_pipeline_new(capture, source, NULL, NULL, &options, pipeline, NULL),
                     CAIRN_OK);
    assert_int_equal(
        cairn_counted_new(cairn_capture_image(capture), cairn_pipeline_config(*pipeline), &counted),
        CAIRN_OK);
    cairn_counted_want_rows(counted, CAIRN_ROWS_TO_TAKEN);
    const struct cairn_consumer consumer = cairn_counted_consumer(counted);
    assert_int_equal(cairn_pipeline_add(*pipeline, &consumer), CAIRN_OK);
    assert_int_equal(cairn_pipeline_run(*pipeline), CAIRN_OK);
    assert_int_equal(cairn_counted_finish(counted), CAIRN_OK);
    assert_int_equal(cairn_counted_left_out(counted), 0);
    return counted;
}

/* Ranges, or rows: each instruction as often. */
static void check_ranges(const struct cairn_counted_range *ranges, size_t count,
                         const struct truth *truth)
{
    static uint64_t executed[WORDS];

    memset(executed, 0, sizeof executed);
    assert_true(count > 5);
    for (size_t i = 0; i < count; i++) {
        for (uint64_t at = ranges[i].address; at != ranges[i].end; at += 4)
            executed[word_of(at)] += ranges[i].count;
        assert_int_equal(ranges[i].last, ranges[i].end - 4);
        if (i)
            assert_true(ranges[i - 1].place < ranges[i].place ||
                        ranges[i - 1].address < ranges[i].address ||
                        (ranges[i - 1].address == ranges[i].address &&
                         ranges[i - 1].last < ranges[i].last));
    }
    assert_memory_equal(executed, truth->executed, sizeof executed);
}

/* A row goes on over what is not taken: no branch but its last instruction is always taken. */
static void check_rows(const struct cairn_counted *counted, const struct truth *truth)
{
    static bool is_branch[WORDS];
    size_t count, branch_count;
    const struct cairn_counted_range *rows = cairn_counted_rows(counted, &count);
    const struct cairn_counted_branch *branches = cairn_counted_branches(counted, &branch_count);
    bool goes_on = false;

    memset(is_branch, 0, sizeof is_branch);
    for (size_t i = 0; i < branch_count; i++)
        is_branch[word_of(branches[i].from)] = true;

    for (size_t i = 0; i < count; i++)
        for (uint64_t at = rows[i].address; at < rows[i].last; at += 4) {
            const size_t word = word_of(at);

            goes_on |= is_branch[word];
            assert_true(!is_branch[word] || truth->taken[word] < truth->executed[word]);
        }
    assert_true(goes_on);
}

static void check_branches(const struct cairn_counted *counted, const struct truth *truth)
{
    static uint64_t taken[WORDS];
    size_t count;
    const struct cairn_counted_branch *branches = cairn_counted_branches(counted, &count);
    bool is_indirect = false;

    memset(taken, 0, sizeof taken);
    assert_true(count > 3);
    for (size_t i = 0; i < count; i++) {
        taken[word_of(branches[i].from)] += branches[i].count;
        is_indirect |= branches[i].kind == CAIRN_INSN_BRANCH_INDIRECT && branches[i].has_target;
        if (branches[i].has_target)
            assert_true(truth->executed[word_of(branches[i].to)] >= branches[i].count ||
                        branches[i].kind == CAIRN_INSN_BRANCH_DIRECT);
    }
    assert_true(is_indirect);
    for (size_t i = 0; i < WORDS; i++)
        if (taken[i]) /* others are taken as well that are no branches: ISB */
            assert_int_equal(taken[i], truth->taken[i]);
}

static void counts_are_what_was_executed(void **unused)
{
    static const char *const names[] = {"ETE_0", "ETM_1"};
    static struct truth truth;
    struct cairn_capture *capture = NULL;
    (void)unused;

    assert_int_equal(cairn_capture_open(capture_path, NULL, &capture, NULL), CAIRN_OK);
    for (size_t source = 0; source < 2; source++) {
        read_truth(names[source], &truth);
        for (uint32_t flags = 0; flags < 2; flags++) {
            struct cairn_pipeline *pipeline = NULL;
            struct cairn_counted *counted =
                count(capture, source, flags ? CAIRN_PIPELINE_REFERENCE : 0, &pipeline);

            size_t range_count, row_count;
            const struct cairn_counted_range *ranges = cairn_counted_ranges(counted, &range_count);
            const struct cairn_counted_range *rows = cairn_counted_rows(counted, &row_count);

            check_ranges(ranges, range_count, &truth);
            check_ranges(rows, row_count, &truth);
            check_rows(counted, &truth);
            check_branches(counted, &truth);
            cairn_counted_free(counted);
            cairn_pipeline_free(pipeline);
        }
    }
    cairn_capture_free(capture);
}

static bool wants_none(void *context, const struct cairn_place *place)
{
    (void)place;
    ++*(unsigned *)context;
    return false;
}

static void what_is_not_wanted_is_left_out(void **unused)
{
    struct cairn_capture *capture = NULL;
    struct cairn_pipeline *pipeline = NULL;
    struct cairn_counted *counted = NULL;
    unsigned asked = 0;
    size_t ranges = 1, branches = 1;
    (void)unused;

    assert_int_equal(cairn_capture_open(capture_path, NULL, &capture, NULL), CAIRN_OK);
    assert_int_equal(cairn_pipeline_new(capture, 0, NULL, NULL, NULL, &pipeline, NULL), CAIRN_OK);
    assert_int_equal(
        cairn_counted_new(cairn_capture_image(capture), cairn_pipeline_config(pipeline), &counted),
        CAIRN_OK);
    cairn_counted_filter(counted, wants_none, &asked);
    const struct cairn_consumer consumer = cairn_counted_consumer(counted);
    assert_int_equal(cairn_pipeline_add(pipeline, &consumer), CAIRN_OK);
    assert_int_equal(cairn_pipeline_run(pipeline), CAIRN_OK);
    assert_int_equal(cairn_counted_finish(counted), CAIRN_OK);
    (void)cairn_counted_ranges(counted, &ranges);
    (void)cairn_counted_branches(counted, &branches);
    assert_int_equal(ranges + branches, 0);
    assert_true(asked >= 1);
    cairn_counted_free(counted);
    cairn_pipeline_free(pipeline);
    cairn_capture_free(capture);
}

/* Branches of each of so many instructions to each other one are more than there is room for. The number is a prime:
 * in steps of any size each instruction is come to before the first one again. */
#define PLACES 2053u

static void branches_without_room_are_told(void **unused)
{
    static uint8_t code[4 * PLACES];
    struct cairn_capture *capture = NULL;
    struct cairn_pipeline *pipeline = NULL;
    struct cairn_counted *counted = NULL;
    struct cairn_flow_batch *batch = NULL;
    uint64_t at = 0, sum = 0;
    size_t count;
    (void)unused;

    for (size_t i = 0; i < PLACES; i++)
        code[4 * i + 3] = 0x14; /* B . */
    assert_int_equal(cairn_capture_open(capture_path, NULL, &capture, NULL), CAIRN_OK);
    assert_int_equal(cairn_pipeline_new(capture, 0, NULL, NULL, NULL, &pipeline, NULL), CAIRN_OK);
    struct cairn_image *const image = cairn_capture_image(capture);
    assert_int_equal(cairn_image_add_bytes(image, "code", NULL, CAIRN_ORDER_LITTLE, 0x1000, code,
                                           sizeof code, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_counted_new(image, cairn_pipeline_config(pipeline), &counted), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(PLACES, &batch), CAIRN_OK);
    const struct cairn_consumer consumer = cairn_counted_consumer(counted);
    for (uint64_t step = 1; step < PLACES; step++) {
        for (size_t i = 0; i < PLACES; i++) {
            batch->kind[i] = CAIRN_FLOW_RANGE;
            batch->isa[i] = CAIRN_ISA_A64;
            batch->flags[i] = CAIRN_FLOW_P0 | CAIRN_FLOW_TAKEN;
            batch->instructions[i] = 1;
            batch->offset[i] = batch->length[i] = 0;
            batch->address[i] = 0x1000 + 4 * at;
            batch->value[i] = batch->address[i] + 4;
            at = (at + step) % PLACES;
        }
        batch->count = PLACES;
        assert_int_equal(consumer.events(consumer.context, batch), CAIRN_OK);
    }
    assert_int_equal(cairn_counted_finish(counted), CAIRN_OK);
    const struct cairn_counted_range *const ranges = cairn_counted_ranges(counted, &count);
    assert_int_equal(count, PLACES);
    for (size_t i = 0; i < count; i++)
        sum += ranges[i].taken;
    assert_int_equal(sum, (uint64_t)PLACES * (PLACES - 1));
    /* the last one has not come anywhere */
    assert_int_equal(cairn_counted_left_out(counted), sum - 1 - CAIRN_COUNTED_MOST);
    cairn_flow_batch_free(batch);
    cairn_counted_free(counted);
    cairn_pipeline_free(pipeline);
    cairn_capture_free(capture);
}

/* --- words --- */

struct way {
    uint32_t flags, jobs;
    uint64_t table_bytes;
    bool by_words;
    bool filters;
};

static bool wants_half(void *context, const struct cairn_place *place)
{
    (void)context;
    return place->EL != 0;
}

/* NULL: the source is not decoded to flow. */
static struct cairn_counted *count_in_a_way(struct cairn_capture *capture, size_t source,
                                            const struct way *way)
{
    struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_pipeline *pipeline = NULL;
    struct cairn_counted *counted = NULL;

    options.flags = way->flags | (way->by_words ? CAIRN_PIPELINE_COUNTS : 0);
    options.jobs = way->jobs;
    options.table_bytes = way->table_bytes;
    if (cairn_pipeline_new(capture, source, NULL, NULL, &options, &pipeline, NULL))
        return NULL;
    assert_int_equal(
        cairn_counted_new(cairn_capture_image(capture), cairn_pipeline_config(pipeline), &counted),
        CAIRN_OK);
    if (way->filters)
        cairn_counted_filter(counted, wants_half, NULL);
    const struct cairn_consumer consumer =
        way->by_words ? cairn_counted_words_consumer(counted) : cairn_counted_consumer(counted);
    assert_int_equal(cairn_pipeline_add(pipeline, &consumer), CAIRN_OK);
    assert_int_equal(cairn_pipeline_run(pipeline), CAIRN_OK);
    assert_int_equal(cairn_counted_finish(counted), CAIRN_OK);
    cairn_pipeline_free(pipeline);
    return counted;
}

static void assert_same_places(const struct cairn_counted *one, uint32_t number,
                               const struct cairn_counted *other, uint32_t other_number)
{
    const struct cairn_place *const a = cairn_counted_place(one, number);
    const struct cairn_place *const b = cairn_counted_place(other, other_number);

    assert_int_equal(number, other_number);
    assert_true(a->EL == b->EL && a->security == b->security && a->vmid == b->vmid &&
                a->context_id == b->context_id && a->offset == b->offset);
}

static void assert_same(const struct cairn_counted *one, const struct cairn_counted *other)
{
    size_t count, other_count;
    const struct cairn_counted_range *const ranges = cairn_counted_ranges(one, &count);
    const struct cairn_counted_range *const others = cairn_counted_ranges(other, &other_count);

    assert_int_equal(count, other_count);
    assert_int_equal(cairn_counted_left_out(one), cairn_counted_left_out(other));
    for (size_t i = 0; i < count; i++) {
        assert_true(ranges[i].address == others[i].address && ranges[i].last == others[i].last &&
                    ranges[i].end == others[i].end && ranges[i].isa == others[i].isa);
        assert_int_equal(ranges[i].count, others[i].count);
        assert_int_equal(ranges[i].taken, others[i].taken);
        assert_true(ranges[i].instructions == others[i].instructions &&
                    ranges[i].flags == others[i].flags && ranges[i].kind == others[i].kind);
        assert_same_places(one, ranges[i].place, other, others[i].place);
    }
    const struct cairn_counted_branch *const branches = cairn_counted_branches(one, &count);
    const struct cairn_counted_branch *const more = cairn_counted_branches(other, &other_count);
    assert_int_equal(count, other_count);
    for (size_t i = 0; i < count; i++) {
        assert_true(branches[i].from == more[i].from && branches[i].to == more[i].to &&
                    branches[i].kind == more[i].kind && branches[i].flags == more[i].flags &&
                    branches[i].has_target == more[i].has_target);
        assert_int_equal(branches[i].count, more[i].count);
        assert_same_places(one, branches[i].from_place, other, more[i].from_place);
        if (branches[i].has_target)
            assert_same_places(one, branches[i].to_place, other, more[i].to_place);
    }
}

/* Returns how many executions of ranges were compared. */
static uint64_t compare_words(struct cairn_capture *capture)
{
    static const struct way ways[] = {
        {.by_words = true},
        {.by_words = true, .jobs = 3},
        {.by_words = true, .table_bytes = CAIRN_ENGINE_TABLE_BYTES_MIN},
        {.by_words = true, .flags = CAIRN_PIPELINE_REFERENCE},
    };
    uint64_t sum = 0;

    for (size_t source = 0; source < cairn_capture_source_count(capture); source++)
        for (unsigned filters = 0; filters < 2; filters++) {
            struct cairn_counted *const records =
                count_in_a_way(capture, source, &(struct way){.filters = filters});

            for (size_t i = 0; i < sizeof ways / sizeof ways[0] && records; i++) {
                struct way way = ways[i];
                size_t count;

                way.filters = filters;
                struct cairn_counted *const words = count_in_a_way(capture, source, &way);
                assert_non_null(words);
                assert_same(records, words);
                const struct cairn_counted_range *const ranges =
                    cairn_counted_ranges(words, &count);
                for (size_t k = 0; k < count; k++)
                    sum += ranges[k].count;
                cairn_counted_free(words);
            }
            cairn_counted_free(records);
        }
    return sum;
}

static void words_count_as_records_do(void **unused)
{
    struct cairn_capture *capture = NULL;
    (void)unused;

    assert_int_equal(cairn_capture_open(capture_path, NULL, &capture, NULL), CAIRN_OK);
    assert_true(compare_words(capture) > 100);
    cairn_capture_free(capture);
}

static void words_of_captures_count_as_records_do(void **state)
{
    for (char **path = *state; *path; path++) {
        struct cairn_capture *capture = NULL;

        if (cairn_capture_open(*path, NULL, &capture, NULL)) {
            printf("# %s: not opened\n", *path);
            continue;
        }
        printf("# %s: ", *path);
        fflush(stdout);
        printf("%" PRIu64 " executions of ranges\n", compare_words(capture));
        cairn_capture_free(capture);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest more[] = {
        cmocka_unit_test_prestate(words_of_captures_count_as_records_do, argv + 2),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_what_was_executed),
        cmocka_unit_test(what_is_not_wanted_is_left_out),
        cmocka_unit_test(branches_without_room_are_told),
        cmocka_unit_test(words_count_as_records_do),
    };

    if (argc < 2)
        return 2;
    capture_path = argv[1];
    if (argc > 2)
        return cmocka_run_group_tests(more, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
