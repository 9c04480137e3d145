/* SPDX-License-Identifier: BSD-2-Clause */
/* What a decoder holds back until it is told that nothing follows: it says so, and says when it has
 * given all. And the events of its batches without the words.
 *
 * usage: test_api_finish CAPTURE */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn.h>

#define BYTES_MAX 1024

static const char *path;

/* The first source of the example capture. */
struct source {
    struct cairn_capture *capture;
    struct cairn_config *config;
    uint8_t bytes[BYTES_MAX];
    size_t size;
};

static void open_source(struct source *source)
{
    struct cairn_source_config wanted = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_reader *reader = NULL;
    struct cairn_chunk chunk;

    memset(source, 0, sizeof *source);
    assert_int_equal(cairn_capture_open(path, NULL, &source->capture, NULL), CAIRN_OK);
    assert_int_equal(cairn_capture_source(source->capture, 0, &info), CAIRN_OK);
    wanted.protocol = info.protocol;
    wanted.arch = info.arch;
    wanted.registers = info.registers;
    wanted.register_count = info.register_count;
    assert_int_equal(cairn_config_new(&wanted, &source->config, NULL), CAIRN_OK);
    assert_int_equal(cairn_reader_new(source->capture, 0, &reader, NULL), CAIRN_OK);
    for (;;) {
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        if (!chunk.size)
            break;
        assert_true(source->size + chunk.size <= BYTES_MAX);
        memcpy(source->bytes + source->size, chunk.data, chunk.size);
        source->size += chunk.size;
    }
    cairn_reader_free(reader);
}

static void close_source(struct source *source)
{
    cairn_config_unref(source->config);
    cairn_capture_free(source->capture);
}

static uint64_t instructions_of(struct cairn_flow_batch *batch)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < batch->count; i++)
        sum += batch->kind[i] == CAIRN_FLOW_RANGE ? batch->instructions[i] : 0;
    batch->count = 0;
    return sum;
}

static void a_decoder_says_what_it_holds_back(void **unused)
{
    struct source source;
    struct cairn_decoder *decoder = NULL;
    struct cairn_flow_batch *batch = NULL;
    uint64_t before = 0, behind = 0;
    (void)unused;

    open_source(&source);
    assert_int_equal(
        cairn_decoder_new(source.config, cairn_capture_image(source.capture), &decoder), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(4, &batch), CAIRN_OK);
    assert_false(cairn_decoder_is_pending(decoder));
    for (size_t at = 0; at < source.size; before += instructions_of(batch))
        assert_int_equal(cairn_decoder_run(decoder, source.bytes, source.size, &at, batch),
                         CAIRN_OK);
    assert_true(cairn_decoder_is_pending(decoder));
    for (;;) {
        assert_int_equal(cairn_decoder_finish(decoder, batch), CAIRN_OK);
        assert_int_equal(cairn_decoder_is_pending(decoder), batch->count > 0);
        if (!batch->count)
            break;
        if (batch->count == batch->capacity) { /* no room tells nothing */
            assert_int_equal(cairn_decoder_finish(decoder, batch), CAIRN_OK);
            assert_true(cairn_decoder_is_pending(decoder));
        }
        behind += instructions_of(batch);
    }
    assert_true(before > 0 && behind > 0); /* else nothing was held back */
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    close_source(&source);
}

static uint64_t words_of(struct cairn_word_batch *batch)
{
    const uint64_t sum = batch->count + batch->event_count;

    batch->count = batch->event_count = 0;
    return sum;
}

static void run_engine(struct cairn_engine *engine, const struct source *source,
                       struct cairn_word_batch *batch)
{
    for (size_t at = 0; at < source->size; words_of(batch))
        assert_int_equal(cairn_engine_run(engine, source->bytes, source->size, &at, batch),
                         CAIRN_OK);
}

static void an_engine_says_what_it_holds_back(void **unused)
{
    struct source source;
    struct cairn_engine *engine = NULL;
    struct cairn_word_batch *batch = NULL;
    uint64_t behind = 0, more;
    (void)unused;

    open_source(&source);
    assert_int_equal(
        cairn_engine_new(source.config, cairn_capture_image(source.capture), NULL, &engine),
        CAIRN_OK);
    assert_int_equal(cairn_word_batch_new(64, true, &batch), CAIRN_OK);
    assert_false(cairn_engine_is_pending(engine));
    run_engine(engine, &source, batch);
    assert_true(cairn_engine_is_pending(engine));
    do {
        assert_int_equal(cairn_engine_finish(engine, batch), CAIRN_OK);
        more = words_of(batch);
        assert_int_equal(cairn_engine_is_pending(engine), more > 0);
        behind += more;
    } while (more);
    assert_true(behind > 0); /* else nothing was held back */
    assert_int_equal(cairn_engine_rewind(engine), CAIRN_OK);
    run_engine(engine, &source, batch);
    assert_true(cairn_engine_is_pending(engine));
    assert_int_equal(cairn_engine_rewind(engine), CAIRN_OK);
    assert_false(cairn_engine_is_pending(engine));
    cairn_word_batch_free(batch);
    cairn_engine_free(engine);
    close_source(&source);
}

/* Records of one view, a few at a time. */
typedef cairn_status view(const struct cairn_word_batch *batch, struct cairn_word_cursor *cursor,
                          struct cairn_flow_batch *out);

static size_t records_of(view *of, const struct cairn_word_batch *batch,
                         struct cairn_word_cursor *cursor, uint64_t *list)
{
    struct cairn_flow_batch *out = NULL;
    size_t count = 0;

    assert_int_equal(cairn_flow_batch_new(3, &out), CAIRN_OK);
    do {
        out->count = 0;
        assert_int_equal(of(batch, cursor, out), CAIRN_OK);
        for (size_t i = 0; i < out->count; i++)
            if (out->kind[i] != CAIRN_FLOW_RANGE) {
                list[count] = (uint64_t)out->kind[i] << 56 ^ out->address[i] ^ out->value[i] << 20;
                count++;
            }
    } while (out->count == out->capacity);
    cairn_flow_batch_free(out);
    return count;
}

static void events_without_words(void **unused)
{
    struct source source;
    struct cairn_engine *engine = NULL;
    struct cairn_word_batch *batch = NULL;
    struct cairn_word_cursor *all = NULL, *alone = NULL;
    uint64_t of_all[1024], of_alone[1024];
    size_t events = 0, count;
    bool finishing = false;
    (void)unused;

    open_source(&source);
    assert_int_equal(
        cairn_engine_new(source.config, cairn_capture_image(source.capture), NULL, &engine),
        CAIRN_OK);
    assert_int_equal(cairn_word_batch_new(64, true, &batch), CAIRN_OK);
    assert_int_equal(cairn_word_cursor_new(&all), CAIRN_OK);
    assert_int_equal(cairn_word_cursor_new(&alone), CAIRN_OK);
    for (size_t at = 0;;) {
        batch->count = batch->event_count = 0;
        finishing = at == source.size;
        assert_int_equal(finishing
                             ? cairn_engine_finish(engine, batch)
                             : cairn_engine_run(engine, source.bytes, source.size, &at, batch),
                         CAIRN_OK);
        cairn_word_cursor_next(all);
        cairn_word_cursor_next(alone);
        count = records_of(cairn_words_records, batch, all, of_all);
        assert_int_equal(records_of(cairn_words_events, batch, alone, of_alone), count);
        assert_memory_equal(of_alone, of_all, count * sizeof *of_all);
        assert_int_equal(records_of(cairn_words_events, batch, alone, of_alone), 0);
        assert_int_equal(records_of(cairn_words_records, batch, alone, of_alone), 0);
        events += count;
        if (finishing && !batch->count && !batch->event_count)
            break;
    }
    assert_true(events > 10);
    cairn_word_cursor_reset(alone);
    cairn_word_cursor_free(alone);
    cairn_word_cursor_free(all);
    cairn_word_cursor_free(NULL);
    cairn_word_batch_free(batch);
    cairn_engine_free(engine);
    close_source(&source);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decoder_says_what_it_holds_back),
        cmocka_unit_test(an_engine_says_what_it_holds_back),
        cmocka_unit_test(events_without_words),
    };
    path = argc > 1 ? argv[1] : "";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
