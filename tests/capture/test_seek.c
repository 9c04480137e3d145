/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader that seeks gives, from there on, the bytes and the places in the file that one gives which
 * reads on from the beginning: in plain buffers, in those put together from parts, and in frames,
 * where an ID stands anywhere before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/capture.h>

#include "../house/share.h"
#include "capture/frames.h"

/* Of the seeks the first ones read on to the end, the others into the windows of the file that come next. */
enum {
    SMALL = 2000,
    LARGE = 3 << 20,
    SEEKS = TEST_SHARE > 1 ? 8 : 20,
    TO_THE_END = TEST_SHARE > 1 ? 3 : 5,
    NEAR = 300 << 10
};

static uint64_t drawn = UINT64_C(0x243f6a8885a308d3);

static unsigned below(unsigned limit)
{
    drawn ^= drawn << 13;
    drawn ^= drawn >> 7;
    drawn ^= drawn << 17;
    return (unsigned)(drawn * UINT64_C(0x2545f4914f6cdd1d) >> 33) % limit;
}

/* What a source has: its bytes, and where each is in the file. */
struct bytes {
    uint8_t *byte;
    uint64_t *place;
    size_t count;
};

/* Whole frames of data; in one of `rare` an ID, of three, in some place. */
static void fill_frames(uint8_t *frames, size_t size, unsigned rare)
{
    for (size_t at = 0; at < size; at += CAIRN_FRAME_SIZE) {
        for (unsigned i = 0; i < CAIRN_FRAME_SIZE; i++)
            frames[at + i] = (uint8_t)(below(256) & (i % 2 ? 0xff : 0xfe));
        if (at == 0 || below(rare) == 0)
            frames[at + 2 * below(8)] = (uint8_t)((0x10 + below(3)) << 1 | 1);
    }
}

static struct cairn_reader *open_reader(const struct cairn_capture *capture, size_t source)
{
    struct cairn_reader *reader;

    assert_int_equal(cairn_reader_new(capture, source, &reader, NULL), CAIRN_OK);
    return reader;
}

/* Reads to the end, or until there are `enough`; the first byte has to be at `from` of the source. */
static struct bytes read_some(struct cairn_reader *reader, uint64_t from, size_t most,
                              size_t enough)
{
    struct bytes bytes = {malloc(most), malloc(most * sizeof(uint64_t)), 0};
    struct cairn_chunk chunk;

    assert_non_null(bytes.byte);
    assert_non_null(bytes.place);
    while (bytes.count < enough) {
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        if (!chunk.size)
            break;
        assert_int_equal(chunk.offset, from + bytes.count);
        assert_true(bytes.count + chunk.size <= most);
        memcpy(bytes.byte + bytes.count, chunk.data, chunk.size);
        size_t covered = 0;
        for (size_t i = 0; i < chunk.run_count; i++) {
            assert_int_equal(chunk.runs[i].offset, chunk.offset + covered);
            for (uint64_t k = 0; k < chunk.runs[i].length; k++)
                bytes.place[bytes.count + covered++] = chunk.runs[i].file_offset + k;
        }
        assert_int_equal(covered, chunk.size);
        bytes.count += chunk.size;
    }
    return bytes;
}

static struct bytes read_all(struct cairn_reader *reader, uint64_t from, size_t most)
{
    return read_some(reader, from, most, SIZE_MAX);
}

/* The bytes are those of `all` from `at` on, and their places. */
static void assert_same(const struct bytes *bytes, const struct bytes *all, size_t at)
{
    assert_true(bytes->count <= all->count - at);
    assert_true(memcmp(bytes->byte, all->byte + at, bytes->count) == 0);
    assert_true(memcmp(bytes->place, all->place + at, bytes->count * sizeof *bytes->place) == 0);
}

static void free_bytes(struct bytes *bytes)
{
    free(bytes->byte);
    free(bytes->place);
}

static void check_seeks(const struct cairn_capture *capture, size_t source, size_t most)
{
    struct cairn_reader *reader = open_reader(capture, source);
    struct bytes all = read_all(reader, 0, most);
    uint64_t size;

    assert_int_equal(cairn_reader_size(reader, NULL, NULL, &size), CAIRN_OK);
    assert_int_equal(size, all.count);
    for (unsigned i = 0; i < SEEKS; i++) {
        /* also over and over with one reader, backwards and forwards, and behind the end */
        const size_t at = i == 0 ? 0 : i == 1 ? all.count : below((unsigned)all.count + 1);

        assert_int_equal(cairn_reader_seek(reader, at), CAIRN_OK);
        const size_t enough = i < TO_THE_END ? SIZE_MAX : NEAR;
        struct bytes some = read_some(reader, at, most, enough);
        assert_true(some.count == all.count - at || (some.count >= enough && some.count > 0));
        assert_same(&some, &all, at);
        free_bytes(&some);
    }
    assert_int_equal(cairn_reader_seek(reader, UINT64_MAX), CAIRN_OK);
    struct bytes none = read_all(reader, all.count, most);
    assert_int_equal(none.count, 0);
    free_bytes(&none);
    cairn_reader_free(reader);
    reader = open_reader(capture, source); /* that seeks before it has read, or measured */
    assert_int_equal(cairn_reader_seek(reader, all.count / 2), CAIRN_OK);
    struct bytes half = read_all(reader, all.count / 2, most);
    assert_int_equal(half.count, all.count - all.count / 2);
    assert_same(&half, &all, all.count / 2);
    free_bytes(&half);
    cairn_reader_free(reader);
    free_bytes(&all);
}

/* A buffer with sources of these IDs; -1: of all its bytes. */
static struct cairn_capture *capture_of(const uint8_t *memory, size_t size,
                                        enum cairn_format format, const struct cairn_span *spans,
                                        size_t span_count)
{
    const struct cairn_buffer_options buffer = {.size = sizeof buffer,
                                                .name = "buffer",
                                                .format = format,
                                                .memory = memory,
                                                .memory_size = size,
                                                .spans = spans,
                                                .span_count = span_count};
    struct cairn_source_options source = CAIRN_SOURCE_OPTIONS_INIT;
    struct cairn_capture *capture;

    assert_int_equal(cairn_capture_new(&capture, NULL), CAIRN_OK);
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, NULL, NULL), CAIRN_OK);
    source.protocol = CAIRN_PROTOCOL_ETE;
    source.name = "source";
    if (format == CAIRN_FORMAT_SOURCE_DATA) {
        assert_int_equal(cairn_capture_put_source(capture, &source, NULL, NULL), CAIRN_OK);
        return capture;
    }
    for (int id = 0x10; id < 0x13; id++) {
        char name[] = {'i', 'd', (char)('0' + id - 0x10), 0};
        source.name = name;
        source.trace_id = id;
        assert_int_equal(cairn_capture_put_source(capture, &source, NULL, NULL), CAIRN_OK);
    }
    return capture;
}

static void plain_buffers(void **state)
{
    uint8_t *memory = malloc(LARGE);

    (void)state;
    assert_non_null(memory);
    for (size_t i = 0; i < LARGE; i++)
        memory[i] = (uint8_t)below(256);
    const struct cairn_span ring[] = {{.offset = 700, .length = SMALL - 700},
                                      {.offset = 0, .length = 700}};
    struct cairn_capture *small = capture_of(memory, SMALL, CAIRN_FORMAT_SOURCE_DATA, NULL, 0);
    struct cairn_capture *large = capture_of(memory, LARGE, CAIRN_FORMAT_SOURCE_DATA, NULL, 0);
    struct cairn_capture *wrapped = capture_of(memory, SMALL, CAIRN_FORMAT_SOURCE_DATA, ring, 2);
    check_seeks(small, 0, SMALL);
    check_seeks(large, 0, LARGE);
    check_seeks(wrapped, 0, SMALL);
    cairn_capture_free(small);
    cairn_capture_free(large);
    cairn_capture_free(wrapped);
    free(memory);
}

static void check_frames(size_t size, unsigned rare)
{
    uint8_t *memory = malloc(size);

    assert_non_null(memory);
    fill_frames(memory, size, rare);
    const size_t cut = size / 2 / CAIRN_FRAME_SIZE * CAIRN_FRAME_SIZE;
    const struct cairn_span ring[] = {{.offset = cut, .length = size - cut},
                                      {.offset = 0, .length = cut}};
    struct cairn_capture *capture = capture_of(memory, size, CAIRN_FORMAT_CORESIGHT, NULL, 0);
    struct cairn_capture *wrapped = capture_of(memory, size, CAIRN_FORMAT_CORESIGHT, ring, 2);
    for (size_t source = 0; source < 3; source++) {
        check_seeks(capture, source, size);
        check_seeks(wrapped, source, size);
    }
    cairn_capture_free(capture);
    cairn_capture_free(wrapped);
    free(memory);
}

static void frames(void **state)
{
    (void)state;
    check_frames(SMALL / CAIRN_FRAME_SIZE * CAIRN_FRAME_SIZE, 2);
    check_frames(LARGE, 3);
    check_frames(LARGE, 4000); /* an ID stands far before the bytes that are its */
}

static void port_streams(void **state)
{
    static const uint8_t fsync[] = {0xff, 0xff, 0xff, 0x7f};
    uint8_t *memory = malloc(LARGE + 4096);
    size_t size = 0;

    (void)state;
    assert_non_null(memory);
    while (size < LARGE / 2) { /* frames are nowhere at multiples of their size */
        memcpy(memory + size, fsync, sizeof fsync);
        size += sizeof fsync;
        const size_t part = (1 + below(40)) * CAIRN_FRAME_SIZE;
        fill_frames(memory + size, part, 30);
        size += part;
    }
    struct cairn_capture *capture =
        capture_of(memory, size, CAIRN_FORMAT_DSTREAM_CORESIGHT, NULL, 0);
    for (size_t source = 0; source < 3; source++)
        check_seeks(capture, source, size);
    cairn_capture_free(capture);
    free(memory);
}

static int stop(void *context, uint64_t done, uint64_t total)
{
    unsigned *calls = context;

    assert_true(done <= total);
    return ++*calls == 3;
}

/* Measuring tells how far it is, ends when it is told to, and goes on from there. */
static void measuring(void **state)
{
    uint8_t *memory = malloc(LARGE);
    unsigned calls = 0;
    uint64_t size, again;

    (void)state;
    assert_non_null(memory);
    fill_frames(memory, LARGE, 3);
    struct cairn_capture *capture = capture_of(memory, LARGE, CAIRN_FORMAT_CORESIGHT, NULL, 0);
    struct cairn_reader *reader = open_reader(capture, 1);
    assert_int_equal(cairn_reader_size(reader, stop, &calls, &size), CAIRN_E_LIMIT);
    assert_int_equal(calls, 3);
    assert_int_equal(cairn_reader_size(reader, stop, &calls, &size), CAIRN_OK);
    calls = 100; /* what is counted is not counted again */
    assert_int_equal(cairn_reader_size(reader, stop, &calls, &again), CAIRN_OK);
    assert_int_equal(calls, 100);
    assert_int_equal(again, size);
    cairn_reader_free(reader);
    cairn_capture_free(capture);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_buffers),
        cmocka_unit_test(frames),
        cmocka_unit_test(port_streams),
        cmocka_unit_test(measuring),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
