/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture put together by the caller: the frames of the example capture from memory, and from many
 * parts in another order, give the same flow as its file.
 *
 * usage: test_build CAPTURE */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn.h>

#define FRAME 16
#define ROOM 65536

static const char *capture_path;

struct bytes {
    uint8_t data[ROOM];
    size_t size;
};

static void read_buffer(struct bytes *bytes)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/trace.bin", capture_path);
    file = fopen(path, "rb");
    assert_non_null(file);
    bytes->size = fread(bytes->data, 1, sizeof bytes->data, file);
    fclose(file);
    assert_true(bytes->size >= 5 * FRAME && bytes->size < sizeof bytes->data);
}

/* The sources of the example over another buffer. */
static struct cairn_capture *made_of(const struct cairn_buffer_options *buffer,
                                     const struct cairn_capture *example)
{
    struct cairn_capture *made = NULL;
    size_t index = 99;

    assert_int_equal(cairn_capture_new(&made, NULL), CAIRN_OK);
    assert_int_equal(cairn_capture_put_buffer(made, buffer, &index, NULL), CAIRN_OK);
    assert_int_equal(index, 0);
    for (size_t i = 0; i < cairn_capture_source_count(example); i++) {
        struct cairn_source_options options = CAIRN_SOURCE_OPTIONS_INIT;
        struct cairn_source_info info = {.size = sizeof info};
        assert_int_equal(cairn_capture_source(example, i, &info), CAIRN_OK);
        options.name = info.name;
        options.core = info.core_type;
        options.protocol = info.protocol;
        options.trace_id = info.trace_id;
        options.registers = info.registers;
        options.register_count = info.register_count;
        assert_int_equal(cairn_capture_put_source(made, &options, &index, NULL), CAIRN_OK);
        assert_int_equal(index, i);
    }
    return made;
}

static uint64_t instructions(struct cairn_capture *capture, struct cairn_image *image,
                             size_t source)
{
    struct cairn_pipeline *pipeline = NULL;
    uint64_t sum = 0;

    assert_int_equal(cairn_pipeline_new(capture, source, NULL, image, NULL, &pipeline, NULL),
                     CAIRN_OK);
    const struct cairn_flow_batch *batch = cairn_pipeline_flow(pipeline);
    do {
        assert_int_equal(cairn_pipeline_next(pipeline), CAIRN_OK);
        for (size_t i = 0; i < batch->count; i++)
            sum += batch->kind[i] == CAIRN_FLOW_RANGE ? batch->instructions[i] : 0;
    } while (batch->count);
    cairn_pipeline_free(pipeline);
    return sum;
}

/* 107 and 58 are the lines of the example's *.addresses. */
static void check(const struct cairn_buffer_options *buffer, struct cairn_capture *example)
{
    struct cairn_capture *made = made_of(buffer, example);
    struct cairn_buffer_account account = {.size = sizeof account};
    struct cairn_buffer_info info = {.size = sizeof info};

    assert_int_equal(instructions(made, cairn_capture_image(example), 0), 107);
    assert_int_equal(instructions(made, cairn_capture_image(example), 1), 58);
    assert_int_equal(cairn_capture_survey(made, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    assert_int_equal(cairn_capture_buffer(made, 0, &info), CAIRN_OK);
    assert_true(account.framing > 0 && account.framing < info.bytes);
    cairn_capture_free(made);
}

static struct cairn_capture *open_example(void)
{
    struct cairn_capture *example = NULL;

    assert_int_equal(cairn_capture_open(capture_path, NULL, &example, NULL), CAIRN_OK);
    return example;
}

static void frames_in_memory(void **unused)
{
    static struct bytes bytes;
    struct cairn_capture *example = open_example();
    struct cairn_buffer_options buffer = {.size = sizeof buffer, .name = "ring"};
    (void)unused;

    read_buffer(&bytes);
    buffer.format = CAIRN_FORMAT_CORESIGHT;
    buffer.memory = bytes.data;
    buffer.memory_size = bytes.size;
    check(&buffer, example);
    buffer.format = CAIRN_FORMAT_AUTO;
    check(&buffer, example);
    cairn_capture_free(example);
}

/* Each frame is a part, the last one first in memory. */
static void parts_in_any_number(void **unused)
{
    static struct bytes bytes, turned;
    static struct cairn_span spans[ROOM / FRAME];
    struct cairn_capture *example = open_example();
    struct cairn_buffer_options buffer = {.size = sizeof buffer, .name = "parts"};
    char path[] = "cairn-parts-XXXXXX";
    (void)unused;

    read_buffer(&bytes);
    const size_t count = bytes.size / FRAME;
    for (size_t i = 0; i < count; i++) {
        spans[i] = (struct cairn_span){.offset = (count - 1 - i) * FRAME, .length = FRAME};
        memcpy(turned.data + spans[i].offset, bytes.data + i * FRAME, FRAME);
    }
    buffer.format = CAIRN_FORMAT_CORESIGHT;
    buffer.memory = turned.data;
    buffer.memory_size = count * FRAME;
    buffer.spans = spans;
    buffer.span_count = count;
    check(&buffer, example);

    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(turned.data, FRAME, count, file), count);
    fclose(file);
    buffer.memory = NULL;
    buffer.memory_size = 0;
    buffer.path = path;
    check(&buffer, example);
    remove(path);
    cairn_capture_free(example);
}

/* Seven bytes each, in turns of memory and of a file, some of them empty. */
static void parts_of_files_and_memories(void **unused)
{
    enum { PART = 7 };
    static struct bytes bytes, behind;
    static struct cairn_buffer_part parts[2 * (ROOM / PART + 2)];
    struct cairn_capture *example = open_example();
    struct cairn_buffer_options buffer = {.size = sizeof buffer, .name = "parts"};
    struct cairn_capture *capture = NULL;
    char path[] = "cairn-parts-XXXXXX";
    size_t count = 0;
    (void)unused;

    read_buffer(&bytes);
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    for (size_t at = 0; at < bytes.size; at += PART) {
        const size_t length = bytes.size - at < PART ? bytes.size - at : PART;
        const size_t place =
            bytes.size - at - length; /* in memory they stand the other way round */
        memcpy(behind.data + place, bytes.data + at, length);
        parts[count++] =
            at % 2 ? (struct cairn_buffer_part){.path = path, .offset = at, .length = length}
                   : (struct cairn_buffer_part){
                         .memory = behind.data, .offset = place, .length = length};
        if (at % 3 == 0)
            parts[count++] = (struct cairn_buffer_part){.path = path, .offset = bytes.size};
    }
    buffer.format = CAIRN_FORMAT_CORESIGHT;
    buffer.parts = parts;
    buffer.part_count = count;
    check(&buffer, example);
    buffer.format = CAIRN_FORMAT_AUTO;
    check(&buffer, example);
    assert_int_equal(cairn_capture_new(&capture, NULL), CAIRN_OK);
    buffer.memory = bytes.data;
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, NULL, NULL), CAIRN_E_ARGUMENT);
    buffer.memory = NULL;
    parts[1].memory = bytes.data;
    parts[1].path = path;
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, NULL, NULL), CAIRN_E_ARGUMENT);
    parts[1].memory = NULL;
    parts[1].offset = bytes.size;
    parts[1].length = 1;
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, NULL, NULL), CAIRN_E_ARGUMENT);
    parts[1].offset = 0;
    parts[1].path = "no such file";
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, NULL, NULL), CAIRN_E_NOT_FOUND);
    assert_int_equal(cairn_capture_buffer_count(capture), 0);
    cairn_capture_free(capture);
    remove(path);
    cairn_capture_free(example);
}

static void what_cannot_be_is_refused(void **unused)
{
    static const uint8_t data[2 * FRAME] = {1};
    const struct cairn_span beyond = {.offset = FRAME, .length = FRAME + 1};
    const struct cairn_span wraps = {.offset = UINT64_MAX, .length = 2};
    struct cairn_buffer_options buffer = {.size = sizeof buffer, .name = "b"};
    struct cairn_source_options source = CAIRN_SOURCE_OPTIONS_INIT;
    struct cairn_capture *capture = NULL;
    size_t index = 99;
    (void)unused;

    assert_int_equal(cairn_capture_new(&capture, NULL), CAIRN_OK);
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, &index, NULL), CAIRN_E_ARGUMENT);
    buffer.path = "no such file";
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, &index, NULL), CAIRN_E_NOT_FOUND);
    buffer.memory = data;
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, &index, NULL), CAIRN_E_ARGUMENT);
    buffer.path = NULL;
    buffer.memory_size = sizeof data;
    buffer.spans = &beyond;
    buffer.span_count = 1;
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, &index, NULL), CAIRN_E_ARGUMENT);
    buffer.spans = &wraps;
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, &index, NULL), CAIRN_E_ARGUMENT);
    source.name = "s";
    assert_int_equal(cairn_capture_put_source(capture, &source, &index, NULL), CAIRN_E_ARGUMENT);
    assert_int_equal(index, 99);
    assert_int_equal(cairn_capture_buffer_count(capture), 0);
    cairn_capture_free(capture);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_in_memory),
        cmocka_unit_test(parts_in_any_number),
        cmocka_unit_test(parts_of_files_and_memories),
        cmocka_unit_test(what_cannot_be_is_refused),
    };

    if (argc != 2)
        return 2;
    capture_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
