/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace that simpleperf packed (simpleperf record -z): what follows an AUXTRACE record is frames of zstd by themselves then,
 * and offsets and AUX records are of what is in them. It is unpacked into memory when the file is opened. perf packs
 * records alone. */
#include <stdlib.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/room.h"
#include "capture/files.h"
#include "capture/perf/trace.h"

#define FRAME_SIZE 4u          /* of the number that a frame begins with */
#define SIMPLEPERF_FEATURES 2u /* its own are from 128 on */
#define STEP ((size_t)64 << 10)
#define WINDOW_LOG_MOST 27 /* as of records */

#define UNPACKED_MOST (UINT64_C(1) << 31)

bool cairn_perf_is_packed_trace(struct cairn_perf *perf, const struct cairn_perf_piece *piece)
{
    if (!perf->features[SIMPLEPERF_FEATURES] || !perf->unpack.count || piece->size < FRAME_SIZE)
        return false;
    const uint8_t *const bytes = cairn_perf_bytes(perf, piece->file, FRAME_SIZE);
    return bytes && cairn_load_le32(bytes) == ZSTD_MAGICNUMBER;
}

static bool start(struct cairn_perf_packed *packed)
{
    if (packed->stream)
        return !ZSTD_isError(ZSTD_DCtx_reset(packed->stream, ZSTD_reset_session_only));
    packed->stream = ZSTD_createDCtx();
    return packed->stream && !ZSTD_isError(ZSTD_DCtx_setParameter(
                                 packed->stream, ZSTD_d_windowLogMax, WINDOW_LOG_MOST));
}

static bool is_too_much(const struct cairn_perf_packed *packed)
{
    return packed->size > cairn_unpacked_most(packed->taken) || packed->size > UNPACKED_MOST;
}

/* All of the bytes, of which *at counts those taken; *open: how many of these since a frame ended, 0 if one ends with them. */
static bool unpack(struct cairn_perf_trace *trace, const uint8_t *bytes, size_t size, uint64_t *at,
                   uint64_t *open)
{
    struct cairn_perf_packed *const packed = &trace->packed;
    ZSTD_inBuffer in = {bytes, size, 0};
    bool is_full = true;

    while (in.pos < size || is_full) {
        if (cairn_enlarge(&packed->bytes, &packed->room, packed->size + STEP, 1) != CAIRN_OK) {
            trace->no_memory = true;
            return false;
        }
        const size_t before = in.pos;
        ZSTD_outBuffer out = {packed->bytes, packed->room, packed->size};
        const size_t result = ZSTD_decompressStream(packed->stream, &out, &in);

        if (ZSTD_isError(result))
            return false;
        packed->size = out.pos;
        packed->taken += in.pos - before;
        *at += in.pos - before;
        *open = result ? *open + (in.pos - before) : 0;
        is_full = out.pos == out.size;
        if (is_too_much(packed))
            return false;
    }
    return true;
}

void cairn_perf_unpack_trace(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                             struct cairn_perf_piece *piece)
{
    struct cairn_perf_packed *const packed = &trace->packed;
    const size_t from = packed->size;
    uint64_t at = 0, open = 0;
    bool is_fine = start(packed);

    while (is_fine && at < piece->size) {
        const uint64_t left = piece->size - at;
        const size_t size = left < STEP ? (size_t)left : STEP;
        const uint8_t *const bytes = cairn_perf_bytes(perf, piece->file + at, size);

        is_fine = bytes && unpack(trace, bytes, size, &at, &open);
    }
    packed->unreadable += piece->size - at + open >= CAIRN_PERF_WORD;
    piece->file = from;
    piece->size = packed->size - from;
    piece->number = CAIRN_PERF_UNPACKED;
}

/* --- whose it is --- */

struct kept {
    struct cairn_buffer_view view;
    uint8_t *bytes;
};

static void give_up(struct cairn_buffer_view *view)
{
    free(((struct kept *)view)->bytes);
}

cairn_status cairn_perf_keep_packed(struct cairn_capture *capture, struct cairn_perf_trace *trace)
{
    if (!trace->packed.bytes)
        return CAIRN_OK;
    struct kept *const kept = cairn_arena_alloc(&capture->arena, sizeof *kept);

    if (!kept)
        return CAIRN_E_MEMORY;
    *kept = (struct kept){.view = {.close = give_up}, .bytes = trace->packed.bytes};
    cairn_capture_keep_view(capture, &kept->view);
    trace->packed.is_kept = true;
    return CAIRN_OK;
}

void cairn_perf_packed_clear(struct cairn_perf_packed *packed)
{
    ZSTD_freeDCtx(packed->stream);
    if (!packed->is_kept)
        free(packed->bytes);
    *packed = (struct cairn_perf_packed){0};
}
