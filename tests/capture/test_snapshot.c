/* SPDX-License-Identifier: BSD-2-Clause */
/* A snapshot opened, its buffers read and surveyed. */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

static void plain(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(cairn_capture_source_count(capture), 1);
    const struct cairn_source_info source = source_at(capture, 0);
    assert_string_equal(source.name, "ETM_0");
    assert_string_equal(source.core, "cpu_0");
    assert_string_equal(source.core_type, "Cortex-A53");
    assert_string_equal(source.type, "ETM4.1");
    assert_int_equal(source.protocol, CAIRN_PROTOCOL_ETMV4);
    assert_int_equal(source.arch.profile, CAIRN_PROFILE_A);
    assert_int_equal(source.arch.major, 8);
    assert_int_equal(source.trace_id, 0x14);
    assert_int_equal(source.register_count, 3);
    assert_int_equal(register_of(&source, "TRCCONFIGR"), 0x10c1);
    assert_int_equal(register_of(&source, "TRCIDR0"), 0x28000ea1);
    assert_int_equal(cairn_capture_buffer_count(capture), 1);
    const struct cairn_buffer_info buffer = buffer_at(capture, 0);
    assert_string_equal(buffer.name, "ETB_0");
    assert_string_equal(buffer.path, folder_path(folder, "trace.bin"));
    assert_int_equal(buffer.format, CAIRN_FORMAT_CORESIGHT);
    assert_int_equal(buffer.bytes, 32);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, ""), 0);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, ""), 0);
    struct cairn_source_info none = {.size = sizeof none};
    assert_int_equal(cairn_capture_source(capture, 1, &none), CAIRN_E_NOT_FOUND);
    cairn_capture_free(capture);

    capture = open_ok(folder_path(folder, "snapshot.ini"), NULL);
    assert_int_equal(cairn_capture_source_count(capture), 1);
    cairn_capture_free(capture);
}

/* Reading, the survey's account, and a source for the ID that nothing describes. */
static void bytes_of_sources(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    size_t size;
    uint8_t *bytes = read_source(capture, 0, &size);
    const uint8_t wanted[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15};
    assert_int_equal(size, sizeof wanted);
    assert_memory_equal(bytes, wanted, size);
    free(bytes);

    struct cairn_buffer_account account = {.size = sizeof account};
    for (unsigned twice = 0; twice < 2; twice++) {
        assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
        assert_int_equal(account.data[0x14], 14);
        assert_int_equal(account.data[0x22], 14);
        assert_int_equal(account.framing, 4);
        assert_int_equal(cairn_capture_source_count(capture), 2);
    }
    const struct cairn_source_info source = source_at(capture, 1);
    assert_string_equal(source.name, "id-0x22");
    assert_int_equal(source.protocol, CAIRN_PROTOCOL_UNKNOWN);
    assert_int_equal(source.trace_id, 0x22);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "Trace ID 0x22 has 14 bytes"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "TRCTRACEIDR"), 1);
    bytes = read_source(capture, 1, &size);
    assert_int_equal(size, 14);
    assert_int_equal(bytes[0], 0x31);
    free(bytes);
    assert_int_equal(cairn_capture_survey(capture, 1, &account, NULL, NULL, NULL),
                     CAIRN_E_NOT_FOUND);
    cairn_capture_free(capture);
}

static int stop(void *context, uint64_t done, uint64_t total)
{
    (void)context;
    assert_true(done <= total);
    return 1;
}

static void survey_stops(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    struct cairn_buffer_account account = {.size = sizeof account};
    assert_int_not_equal(cairn_capture_survey(capture, 0, &account, stop, NULL, NULL), CAIRN_OK);
    account.size = 0;
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL),
                     CAIRN_E_ARGUMENT);
    cairn_capture_free(capture);
}

/* A reader holds a constant amount however long the buffer is: chunks are bounded. */
static void long_buffer(void **state)
{
    const struct folder *folder = *state;
    const size_t size = 3 << 20;
    uint8_t *bytes = calloc(1, size);
    assert_non_null(bytes);
    for (size_t at = 0; at < size; at++)
        bytes[at] = at % 16 % 2 || at % 16 == 15 ? (uint8_t)(at * 7) : (uint8_t)(at * 5 & 0xfe);
    bytes[0] = 0x29; /* at once */
    bytes[15] &= 0xfe;
    write_plain(folder);
    folder_write(folder, "trace.bin", bytes, size);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    struct cairn_reader *reader;
    struct cairn_chunk chunk;
    assert_int_equal(cairn_reader_new(capture, 0, &reader, NULL), CAIRN_OK);
    uint64_t total = 0;
    for (;;) {
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        if (!chunk.size)
            break;
        assert_true(chunk.size <= 1 << 20);
        for (size_t i = 0; i < chunk.run_count; i++) {
            const struct cairn_run *run = &chunk.runs[i];
            for (uint64_t k = 0; k < run->length; k++) {
                const uint64_t at = run->file_offset + k;
                const unsigned in_frame = at % 16;
                const unsigned auxiliary = bytes[at / 16 * 16 + 15];
                const unsigned low = in_frame % 2 ? 0u : auxiliary >> in_frame / 2 & 1u;
                assert_int_equal(chunk.data[run->offset - chunk.offset + k], bytes[at] | low);
            }
        }
        total += chunk.size;
    }
    assert_int_equal(total, size / 16 * 15 - 1);
    assert_int_equal(cairn_reader_file_position(reader), size);
    cairn_reader_free(reader);
    cairn_capture_free(capture);
    free(bytes);
}

static void plain_source_data(void **state)
{
    const struct folder *folder = *state;
    const size_t size = (1 << 20) + 13;
    uint8_t *bytes = malloc(size), *got;
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    write_plain(folder);
    folder_text(folder, "trace.ini", TRACE("source_data"));
    folder_write(folder, "trace.bin", bytes, size);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    size_t got_size;
    got = read_source(capture, 0, &got_size);
    assert_int_equal(got_size, size);
    assert_memory_equal(got, bytes, size);
    struct cairn_buffer_account account = {.size = sizeof account};
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    assert_int_equal(account.data[0], size);
    free(got);
    free(bytes);
    cairn_capture_free(capture);
}

/* A trace port's buffer: FSYNCs found without being told where. */
static void dstream(void **state)
{
    const struct folder *folder = *state;
    uint8_t stream[3 + 4 + 32 + 4];
    memcpy(stream, "\x12\x34\x56\xff\xff\xff\x7f", 7);
    memcpy(stream + 7, plain_frames, 32);
    memcpy(stream + 39, "\xff\xff\xff\x7f", 4);
    write_plain(folder);
    folder_text(folder, "trace.ini", TRACE("dstream_coresight"));
    folder_write(folder, "trace.bin", stream, sizeof stream);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    struct cairn_buffer_account account = {.size = sizeof account};
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    assert_int_equal(account.unaligned, 3);
    assert_int_equal(account.sync, 8);
    assert_int_equal(account.data[0x14], 14);
    cairn_capture_free(capture);

    folder_write(folder, "trace.bin", plain_frames, sizeof plain_frames);
    capture = open_ok(folder->path, NULL);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "without any FSYNC"), 1);
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    assert_int_equal(account.data[0x14], 14);
    cairn_capture_free(capture);
}

/* DSTREAM's blocks are recognised by plain_frames that fit together only without the last 8 of 512
 * bytes.
 */
static void dstream_blocks(void **state)
{
    const struct folder *folder = *state;
    uint8_t stream[2048];
    size_t used = 0;
    for (size_t at = 0; at < sizeof stream; at++) {
        static const uint8_t fsync[] = {0xff, 0xff, 0xff, 0x7f};
        const size_t in_group = used % 52;
        if (at % 512 >= 504) {
            stream[at] = 0x5a;
            continue;
        }
        stream[at] = in_group < 4 ? fsync[in_group] : plain_frames[(in_group - 4) % 16];
        used++;
    }
    write_plain(folder);
    folder_text(folder, "trace.ini", TRACE("dstream_coresight"));
    folder_write(folder, "trace.bin", stream, sizeof stream);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "DSTREAM"), 1);
    struct cairn_buffer_account account = {.size = sizeof account};
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    assert_int_equal(account.data[0x14], 2016 / 52 * 3 * 14 + 2016 % 52 / 16 * 14);
    assert_int_equal(account.null_id, 0);
    cairn_capture_free(capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plain),          TEST(bytes_of_sources),  TEST(survey_stops),
        TEST(long_buffer),    TEST(plain_source_data), TEST(dstream),
        TEST(dstream_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
