/* SPDX-License-Identifier: BSD-2-Clause */
/* One source through a pipeline in every way: counts and events together are the same flow as the
 * records, and consumers are told each thing once.
 *
 * usage: test_pipeline CAPTURE */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cairn.h>

static const char *capture_path;

/* What a consumer was told. */
struct told {
    unsigned begun, ended;
    uint64_t instructions, exceptions, words;
    uint64_t bytes; /* of the ledger, at the end */
    cairn_status status;
    bool counted;           /* some path was */
    unsigned refuse_events; /* the batch of events that it refuses */
};

static cairn_status begin(void *context, struct cairn_config *config)
{
    struct told *told = context;

    assert_non_null(config);
    assert_int_equal(told->ended, 0);
    told->begun++;
    return CAIRN_OK;
}

static cairn_status words(void *context, const struct cairn_word_batch *batch)
{
    struct told *told = context;

    assert_int_equal(told->begun, 1);
    told->words += batch->count;
    return CAIRN_OK;
}

static cairn_status events(void *context, const struct cairn_flow_batch *batch)
{
    struct told *told = context;

    for (size_t i = 0; i < batch->count; i++) {
        if (batch->kind[i] == CAIRN_FLOW_RANGE)
            told->instructions += batch->instructions[i];
        told->exceptions += batch->kind[i] == CAIRN_FLOW_EXCEPTION;
    }
    return told->refuse_events && !--told->refuse_events ? CAIRN_E_LIMIT : CAIRN_OK;
}

static cairn_status dictionary_ends(void *context, const struct cairn_dictionary *dictionary,
                                    const uint64_t *counts, size_t count)
{
    struct told *told = context;
    size_t known;
    const struct cairn_path *paths = cairn_dictionary_paths(dictionary, &known);

    assert_true(count <= known);
    for (size_t i = 0; i < count; i++)
        told->instructions += counts[i] * paths[i].instructions;
    told->counted = true;
    return CAIRN_OK;
}

static void end(void *context, const struct cairn_ledger *ledger, cairn_status status)
{
    struct told *told = context;

    told->bytes = ledger->total;
    told->status = status;
    told->ended++;
}

static struct cairn_consumer consumer_of(struct told *told)
{
    return (struct cairn_consumer){
        sizeof(struct cairn_consumer), told, begin, words, events, dictionary_ends, end};
}

static struct cairn_pipeline *begin_pipeline(struct cairn_capture *capture, size_t source,
                                             uint32_t flags, uint32_t jobs)
{
    struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_pipeline *pipeline = NULL;

    options.flags = flags;
    options.jobs = jobs;
    assert_int_equal(cairn_pipeline_new(capture, source, NULL, NULL, &options, &pipeline, NULL),
                     CAIRN_OK);
    return pipeline;
}

static struct told run(struct cairn_capture *capture, size_t source, uint32_t flags, uint32_t jobs)
{
    struct told told = {0};
    const struct cairn_consumer consumer = consumer_of(&told);
    struct cairn_pipeline *pipeline = begin_pipeline(capture, source, flags, jobs);

    assert_int_equal(cairn_pipeline_add(pipeline, &consumer), CAIRN_OK);
    assert_int_equal(cairn_pipeline_run(pipeline), CAIRN_OK);
    assert_int_equal(cairn_pipeline_add(pipeline, &consumer), CAIRN_E_ARGUMENT);
    assert_int_equal(told.begun, 1);
    assert_int_equal(told.ended, 1);
    assert_int_equal(told.status, CAIRN_OK);
    assert_int_equal(told.bytes, cairn_pipeline_source_bytes(pipeline));
    cairn_pipeline_free(pipeline);
    return told;
}

static struct cairn_capture *open_capture(void)
{
    struct cairn_capture *capture = NULL;

    assert_int_equal(cairn_capture_open(capture_path, NULL, &capture, NULL), CAIRN_OK);
    return capture;
}

static void every_way_is_the_same_flow(void **unused)
{
    static const uint32_t ways[] = {
        CAIRN_PIPELINE_COUNTS,
        CAIRN_PIPELINE_COUNTS | CAIRN_PIPELINE_NO_PLACES,
        CAIRN_PIPELINE_REFERENCE,
        CAIRN_PIPELINE_REFERENCE | CAIRN_PIPELINE_COUNTS,
    };
    struct cairn_capture *capture = open_capture();
    uint64_t instructions = 0;
    unsigned counted = 0;
    (void)unused;

    for (size_t source = 0; source < cairn_capture_source_count(capture); source++) {
        const struct told records = run(capture, source, 0, 1);
        assert_false(records.counted);
        for (size_t i = 0; i < 2 * sizeof ways / sizeof ways[0]; i++) {
            const uint32_t way = ways[i / 2];
            const struct told told = run(capture, source, way, i & 1 ? 3 : 1);
            assert_int_equal(told.instructions, records.instructions);
            assert_int_equal(told.exceptions, records.exceptions);
            assert_int_equal(told.bytes, records.bytes);
            /* a source may be such that all of it goes by the levels */
            assert_false(told.counted && way & CAIRN_PIPELINE_REFERENCE);
            assert_int_equal(told.counted, told.words != 0);
            counted += told.counted;
        }
        instructions += records.instructions;
    }
    assert_int_equal(instructions, 165); /* the lines of its *.addresses */
    assert_true(counted >= 4);           /* by each of two ways, with one thread and three */
    cairn_capture_free(capture);
}

static void a_consumer_ends_the_source(void **unused)
{
    struct cairn_capture *capture = open_capture();
    struct told told = {.refuse_events = 1};
    struct told other = {0};
    const struct cairn_consumer refuses = consumer_of(&told), listens = consumer_of(&other);
    struct cairn_pipeline *pipeline = begin_pipeline(capture, 0, 0, 1);
    (void)unused;

    assert_int_equal(cairn_pipeline_add(pipeline, &listens), CAIRN_OK);
    assert_int_equal(cairn_pipeline_add(pipeline, &refuses), CAIRN_OK);
    assert_int_equal(cairn_pipeline_run(pipeline), CAIRN_E_LIMIT);
    assert_int_equal(told.status, CAIRN_E_LIMIT);
    assert_int_equal(other.ended, 1);
    cairn_pipeline_free(pipeline);
    cairn_capture_free(capture);
}

#define WANTED UINT64_C(0x8000004c) /* `small` of the example, by its assembler file */
#define WANTED_END UINT64_C(0x80000200)

static bool is_wanted(void *context, const struct cairn_code_block *block)
{
    ++*(unsigned *)context;
    return block->address < WANTED_END && block->end > WANTED;
}

/* Records that a listing of the function is made of. */
struct function_records {
    size_t count;
    uint64_t offset[256];
    uint64_t address[256];
    uint16_t flags[256];
    size_t other;  /* ranges of other code */
    size_t passed; /* Ranges that stand for what was passed over */
    uint64_t instructions;
};

static cairn_status note_function(void *context, const struct cairn_flow_batch *batch)
{
    struct function_records *records = context;

    for (size_t i = 0; i < batch->count; i++) {
        if (batch->kind[i] != CAIRN_FLOW_RANGE)
            continue;
        records->instructions += batch->instructions[i];
        records->passed += batch->instructions[i] == 0;
        if (batch->address[i] >= WANTED_END || batch->value[i] <= WANTED) {
            records->other += batch->instructions[i] > 0;
            continue;
        }
        assert_true(records->count < 256);
        records->offset[records->count] = batch->offset[i];
        records->address[records->count] = batch->address[i];
        records->flags[records->count++] = batch->flags[i];
    }
    return CAIRN_OK;
}

static cairn_status count_function(void *context, const struct cairn_dictionary *dictionary,
                                   const uint64_t *counts, size_t count)
{
    struct function_records *records = context;
    size_t known;
    const struct cairn_path *paths = cairn_dictionary_paths(dictionary, &known);

    for (size_t i = 0; i < count; i++)
        records->instructions += counts[i] * paths[i].instructions;
    return CAIRN_OK;
}

static struct function_records records_with(struct cairn_capture *capture, size_t source,
                                            const struct cairn_pipeline_options *options,
                                            struct cairn_consumer consumer)
{
    struct function_records records = {0};
    struct cairn_pipeline *pipeline = NULL;

    consumer.size = sizeof consumer;
    consumer.context = &records;
    consumer.events = note_function;
    assert_int_equal(cairn_pipeline_new(capture, source, NULL, NULL, options, &pipeline, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_pipeline_add(pipeline, &consumer), CAIRN_OK);
    assert_int_equal(cairn_pipeline_run(pipeline), CAIRN_OK);
    cairn_pipeline_free(pipeline);
    return records;
}

static struct function_records records_of_function(struct cairn_capture *capture, size_t source,
                                                   const struct cairn_pipeline_options *options)
{
    return records_with(capture, source, options,
                        (struct cairn_consumer){.dictionary_ends = count_function});
}

/* Of a function whose blocks are wanted all ranges are records, as they are where nothing is counted;
 * of other code fewer are; and what is left out is told, and counted. */
static void wanted_blocks_are_records(void **unused)
{
    struct cairn_capture *capture = open_capture();
    size_t passed = 0, fewer = 0;
    unsigned asked = 0;
    (void)unused;

    for (size_t source = 0; source < cairn_capture_source_count(capture); source++) {
        struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;
        const struct function_records all = records_of_function(capture, source, &options);

        options.flags = CAIRN_PIPELINE_COUNTS;
        options.wants = is_wanted;
        options.wants_context = &asked;
        const struct function_records some = records_of_function(capture, source, &options);
        assert_true(all.count > 0);
        assert_int_equal(some.count, all.count);
        assert_memory_equal(some.offset, all.offset, sizeof all.offset);
        assert_memory_equal(some.address, all.address, sizeof all.address);
        assert_memory_equal(some.flags, all.flags, sizeof all.flags);
        assert_int_equal(some.instructions, all.instructions);
        /* also where nobody is told of counts, so that there are none */
        const struct function_records alone =
            records_with(capture, source, &options, (struct cairn_consumer){0});
        assert_int_equal(alone.count, some.count);
        assert_int_equal(alone.other, some.other);
        assert_int_equal(alone.passed, some.passed);
        assert_memory_equal(alone.offset, some.offset, sizeof some.offset);
        assert_int_equal(all.passed, 0);
        passed += some.passed;
        fewer += all.other - some.other;
    }
    assert_true(asked > 0); /* a source may be such that all of it goes by the levels */
    assert_true(passed > 0);
    assert_true(fewer > 0);
    cairn_capture_free(capture);
}

static int stop_at_once(void *context, uint64_t done)
{
    (void)context;
    (void)done;
    return 1;
}

static void the_caller_ends_the_source(void **unused)
{
    struct cairn_capture *capture = open_capture();
    struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;
    struct told told = {0};
    const struct cairn_consumer consumer = consumer_of(&told);
    struct cairn_pipeline *pipeline = NULL;
    (void)unused;

    options.flags = CAIRN_PIPELINE_COUNTS;
    options.progress = stop_at_once;
    assert_int_equal(cairn_pipeline_new(capture, 0, NULL, NULL, &options, &pipeline, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_pipeline_add(pipeline, &consumer), CAIRN_OK);
    assert_int_equal(cairn_pipeline_run(pipeline), CAIRN_OK);
    assert_int_equal(told.instructions, 0);
    assert_int_equal(told.ended, 1);
    cairn_pipeline_free(pipeline);

    memset(&told, 0, sizeof told);
    pipeline = begin_pipeline(capture, 0, CAIRN_PIPELINE_COUNTS, 1);
    assert_int_equal(cairn_pipeline_add(pipeline, &consumer), CAIRN_OK);
    assert_int_equal(cairn_pipeline_next(pipeline), CAIRN_OK);
    assert_int_equal(cairn_pipeline_stop(pipeline), CAIRN_OK);
    assert_int_equal(told.ended, 1);
    assert_true(told.instructions > 0);
    assert_int_equal(cairn_pipeline_next(pipeline), CAIRN_E_ARGUMENT);
    cairn_pipeline_free(pipeline);
    cairn_capture_free(capture);
}

static void what_is_not_known_is_refused(void **unused)
{
    struct cairn_capture *capture = open_capture();
    struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_pipeline *pipeline = NULL;
    struct cairn_error error = {0};
    (void)unused;

    options.flags = 1u << 31;
    assert_int_equal(cairn_pipeline_new(capture, 0, NULL, NULL, &options, &pipeline, &error),
                     CAIRN_E_ARGUMENT);
    assert_non_null(strstr(error.text, "CAIRN_PIPELINE_OPTIONS_INIT"));
    options = (struct cairn_pipeline_options)CAIRN_PIPELINE_OPTIONS_INIT;
    assert_int_equal(cairn_pipeline_new(capture, 99, NULL, NULL, &options, &pipeline, &error),
                     CAIRN_E_NOT_FOUND);
    assert_null(pipeline);
    cairn_capture_free(capture);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_is_the_same_flow),
        cmocka_unit_test(wanted_blocks_are_records),
        cmocka_unit_test(a_consumer_ends_the_source),
        cmocka_unit_test(the_caller_ends_the_source),
        cmocka_unit_test(what_is_not_known_is_refused),
    };

    if (argc != 2)
        return 2;
    capture_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
