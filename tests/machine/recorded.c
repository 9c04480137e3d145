/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const uint8_t recorded_loop[8] = {0x00, 0x04, 0x00, 0x91, 0xff, 0xff, 0xff, 0x17};
const uint8_t recorded_self[4] = {0x00, 0x00, 0x00, 0x14};
const uint8_t recorded_start[24] = {0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0x80,
                                    0x01, 0x00, 0x85, 0, 8, 0, 0, 0, 0, 0, 0, 0x31};

const char *record_path(const struct folder *folder)
{
    return folder_path(folder, "record");
}

struct cairn_recording *record_new(const struct folder *folder)
{
    const struct cairn_recording_options options = {.size = sizeof options,
                                                    .protocol = CAIRN_PROTOCOL_ETE,
                                                    .core = "ARM-AA64",
                                                    .note = "a test",
                                                    .overwrite = true};
    struct cairn_recording *recording;
    struct cairn_error error;
    if (cairn_recording_new(record_path(folder), &options, &recording, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    return recording;
}

struct cairn_recorded_source *record_source(struct cairn_recording *recording, const char *name)
{
    struct cairn_recorded_source *source;
    struct cairn_error error;
    if (cairn_recorded_source_new(recording, name, &source, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    return source;
}

void record_describe(struct cairn_recorded_source *source)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit;
    struct cairn_error error;
    options.arch = cairn_arch_any_a();
    if (cairn_unit_new(&options, &unit, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    assert_int_equal(cairn_recorded_source_describe(source, unit), CAIRN_OK);
    cairn_unit_free(unit);
}

void record_bytes(struct cairn_recorded_source *source, const void *bytes, size_t size)
{
    assert_int_equal(cairn_recorded_source_sink(source, bytes, size), CAIRN_OK);
}

struct cairn_recording_result finish_ok(const struct folder *folder)
{
    struct cairn_recording_result result;
    struct cairn_error error;
    if (cairn_recording_finish(record_path(folder), NULL, &result, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    return result;
}

struct cairn_capture *open_finished(const struct folder *folder)
{
    struct cairn_capture *capture = open_ok(record_path(folder), NULL);
    struct cairn_remark remark;
    if (cairn_capture_remark(capture, 0, &remark) == CAIRN_OK)
        fail_msg("%s", remark.text);
    return capture;
}

uint8_t pattern(unsigned stream, uint64_t at)
{
    const uint64_t mixed = (at + 1) * UINT64_C(0x9e3779b97f4a7c15) + stream * UINT64_C(0x2545f491);
    return (uint8_t)(mixed >> 29 ^ mixed >> 51);
}

void record_pattern(struct cairn_recorded_source *source, unsigned stream, uint64_t from,
                    size_t size)
{
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = pattern(stream, from + i);
    record_bytes(source, bytes, size);
    free(bytes);
}

uint64_t check_pattern(const struct cairn_capture *capture, size_t source, unsigned stream)
{
    size_t size;
    uint8_t *bytes = read_source(capture, source, &size);
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != pattern(stream, i))
            fail_msg("byte %zu of %zu differs", i, size);
    }
    free(bytes);
    return size;
}

uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is not there", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}
