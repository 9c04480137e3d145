/* SPDX-License-Identifier: BSD-2-Clause */
#include "taken.h"

#include <stdlib.h>

static void collect(struct taken *result, const struct cairn_frames_out *out, uint64_t offset)
{
    size_t at = 0;
    for (size_t i = 0; i < out->run_count; i++) {
        const struct cairn_run *run = &out->runs[i];
        assert_int_equal(run->offset, offset + at);
        for (uint64_t k = 0; k < run->length; k++) {
            assert_true(result->count < MOST);
            result->bytes[result->count] = out->bytes[at++];
            result->file_offset[result->count++] = run->file_offset + k;
        }
    }
    assert_int_equal(at, out->byte_count);
}

struct taken *take(struct cairn_frame_layout layout, unsigned id, const uint8_t *data, size_t size,
                   struct pace pace)
{
    struct taken *result = calloc(1, sizeof *result);
    struct cairn_run *runs = malloc(pace.runs * sizeof *runs);
    uint8_t *bytes = malloc(pace.bytes);
    assert_non_null(result);
    assert_non_null(runs);
    assert_non_null(bytes);
    struct cairn_frames_out out = {.id = (uint8_t)id,
                                   .bytes = bytes,
                                   .byte_capacity = pace.bytes,
                                   .runs = runs,
                                   .run_capacity = pace.runs};
    cairn_frames_init(&result->frames, layout);
    size_t at = 0;
    while (at < size) {
        const size_t left = size - at;
        const uint64_t offset = out.offset;
        at += cairn_frames_run(&result->frames, data + at, left < pace.chunk ? left : pace.chunk,
                               &out);
        collect(result, &out, offset);
        out.byte_count = 0;
        out.run_count = 0;
    }
    cairn_frames_finish(&result->frames);
    assert_int_equal(out.offset, result->count);
    assert_int_equal(result->frames.position, size);
    assert_int_equal(cairn_buffer_account_sum(&result->frames.account), size);
    free(bytes);
    free(runs);
    return result;
}

void expect(struct cairn_frame_layout layout, unsigned id, const uint8_t *data, size_t size,
            const uint8_t *wanted, size_t wanted_size)
{
    static const struct pace paces[] = {
        {MOST * 2, MOST, MOST}, {1, 32, 8}, {7, 32, 8}, {33, 40, 9}};
    for (size_t i = 0; i < sizeof paces / sizeof paces[0]; i++) {
        struct taken *result = take(layout, id, data, size, paces[i]);
        assert_int_equal(result->count, wanted_size);
        assert_memory_equal(result->bytes, wanted, wanted_size);
        free(result);
    }
}
