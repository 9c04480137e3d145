/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of any bytes: what comes out does not depend on how they are cut, every byte is accounted
 * for, and runs cover what comes out. The first byte chooses layout and ID, the second the pace. */
#include <stdlib.h>
#include <string.h>

#include "capture/detect.h"
#include "capture/frames.h"

enum { HEADER = 2, CAPACITY = 64, RUNS = 24 };

struct totals {
    struct cairn_buffer_account account;
    uint64_t hash;
    uint64_t bytes;
};

static void check_runs(const struct cairn_frames_out *out, uint64_t offset, uint64_t taken,
                       struct totals *totals)
{
    uint64_t covered = 0;
    for (size_t i = 0; i < out->run_count; i++) {
        const struct cairn_run *run = &out->runs[i];
        if (run->offset != offset + covered || run->length == 0 ||
            run->file_offset + run->length > taken)
            abort();
        for (uint64_t k = 0; k < run->length; k++) {
            totals->hash = (totals->hash ^ out->bytes[covered + k]) * 0x100000001b3u;
            totals->hash = (totals->hash ^ (run->file_offset + k)) * 0x100000001b3u;
        }
        covered += run->length;
    }
    if (covered != out->byte_count || out->byte_count > out->byte_capacity)
        abort();
    totals->bytes += covered;
}

static struct totals take_apart(struct cairn_frame_layout layout, uint8_t id, const uint8_t *data,
                                size_t size, size_t step)
{
    struct totals totals = {.hash = 0xcbf29ce484222325u};
    uint8_t bytes[CAPACITY];
    struct cairn_run runs[RUNS];
    struct cairn_frames frames;
    struct cairn_frames_out out = {
        .id = id, .bytes = bytes, .byte_capacity = CAPACITY, .runs = runs, .run_capacity = RUNS};
    cairn_frames_init(&frames, layout);
    for (size_t at = 0; at < size;) {
        const size_t left = size - at;
        const uint64_t offset = out.offset;
        const size_t taken = cairn_frames_run(&frames, data + at, left < step ? left : step, &out);
        if (!taken)
            abort(); /* an empty output always has room */
        at += taken;
        check_runs(&out, offset, at, &totals);
        out.byte_count = 0;
        out.run_count = 0;
    }
    cairn_frames_finish(&frames);
    totals.account = frames.account;
    if (cairn_buffer_account_sum(&frames.account) != size || frames.position != size)
        abort();
    if (totals.bytes != (cairn_trace_id_is_source(id) ? frames.account.data[id] : totals.bytes))
        abort();
    return totals;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEADER)
        return 0;
    const struct cairn_frame_layout layout = {
        .port = data[0] & 1, .hunt = data[0] & 2, .blocks = data[0] & 4};
    /* the ID of the first ID byte, so that something comes out */
    uint8_t id = 0x10;
    for (size_t i = HEADER; i < size; i++) {
        if (data[i] & 1 && cairn_trace_id_is_source(data[i] >> 1)) {
            id = data[i] >> 1;
            break;
        }
    }
    const size_t step = 1 + data[1] % 37;
    const struct totals once = take_apart(layout, id, data + HEADER, size - HEADER, size);
    const struct totals steps = take_apart(layout, id, data + HEADER, size - HEADER, step);
    if (once.hash != steps.hash || memcmp(&once.account, &steps.account, sizeof once.account))
        abort();
    const struct cairn_format_guess guess =
        cairn_format_detect(data + HEADER, size - HEADER, size - HEADER);
    if (guess.format == CAIRN_FORMAT_AUTO)
        abort();
    return 0;
}
