/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that perf packed (perf record -z). What lies in compressed records is one stream of zstd through the
 * whole file, and records are cut between two of them anywhere. A stream that is damaged is lost up to where
 * another frame begins. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/bytes.h"
#include "capture/files.h"
#include "capture/perf/perf.h"

#define HEADER_SIZE 8u
#define SIZE_AT 6u
#define DATA_SIZE 8u /* COMPRESSED2: how many of the bytes behind it are data */
#define UNPACKED_ROOM (2 * CAIRN_PERF_RECORD_MOST)
#define FRAME_SIZE 4u /* of the number that a frame begins with */

/* zstd's own limit without --long, and the window of its highest level: 128 MiB. */
#define WINDOW_LOG_MOST 27

bool cairn_perf_is_packed(uint32_t type)
{
    return type == CAIRN_PERF_RECORD_COMPRESSED || type == CAIRN_PERF_RECORD_COMPRESSED2;
}

void cairn_perf_unpack_anew(struct cairn_perf_unpack *unpack)
{
    if (unpack->stream)
        (void)ZSTD_DCtx_reset(unpack->stream, ZSTD_reset_session_only);
    unpack->left = 0;
    unpack->from = unpack->until = 0;
    unpack->is_full = false;
    unpack->is_lost = false;
}

/* Nothing of what is unpacked, or would be next, can be told from noise. */
static void lose(struct cairn_perf_unpack *unpack)
{
    cairn_perf_unpack_anew(unpack);
    unpack->is_lost = true;
    unpack->unreadable++;
}

static bool start(struct cairn_perf_unpack *unpack)
{
    if (!unpack->bytes)
        unpack->bytes = malloc(UNPACKED_ROOM);
    if (!unpack->stream) {
        unpack->stream = ZSTD_createDCtx();
        if (unpack->stream)
            (void)ZSTD_DCtx_setParameter(unpack->stream, ZSTD_d_windowLogMax, WINDOW_LOG_MOST);
    }
    return unpack->bytes && unpack->stream;
}

static bool begins_frame(const uint8_t *bytes, size_t size)
{
    return size >= FRAME_SIZE && cairn_load_le32(bytes) == ZSTD_MAGICNUMBER;
}

void cairn_perf_unpack(struct cairn_perf *perf, const struct cairn_perf_record *record)
{
    struct cairn_perf_unpack *const unpack = &perf->unpack;
    const uint8_t *bytes = record->bytes;
    size_t size = record->size;
    bool fits = true;

    unpack->count++;
    if (record->type == CAIRN_PERF_RECORD_COMPRESSED2) {
        const uint64_t data = size >= DATA_SIZE ? cairn_perf_u64(perf, bytes) : UINT64_MAX;

        fits = data <= UINT64_MAX - DATA_SIZE && data + DATA_SIZE <= size;
        bytes += fits ? DATA_SIZE : 0;
        size = fits ? (size_t)data : 0;
    }
    if (!fits || !start(unpack)) {
        lose(unpack);
        return;
    }
    if (unpack->is_lost && !begins_frame(bytes, size)) {
        unpack->unreadable++;
        return;
    }
    unpack->is_lost = false;
    unpack->packed = bytes;
    unpack->left = size;
    unpack->offset = record->offset;
}

/* More bytes behind those that are unpacked. False: there are no more of this record's, or they are damaged. */
static bool fill(struct cairn_perf_unpack *unpack)
{
    const size_t kept = unpack->until - unpack->from;

    if (unpack->is_lost || (!unpack->left && !unpack->is_full))
        return false;
    memmove(unpack->bytes, unpack->bytes + unpack->from, kept);
    unpack->from = 0;
    unpack->until = kept;
    do {
        ZSTD_inBuffer in = {unpack->packed, unpack->left, 0};
        ZSTD_outBuffer out = {unpack->bytes, UNPACKED_ROOM, kept};
        const size_t result = ZSTD_decompressStream(unpack->stream, &out, &in);

        unpack->packed += in.pos;
        unpack->left -= in.pos;
        unpack->until = out.pos;
        unpack->is_full = out.pos == out.size;
        unpack->taken += in.pos;
        unpack->given += out.pos - kept;
        if (ZSTD_isError(result) || unpack->given > cairn_unpacked_most(unpack->taken)) {
            lose(unpack);
            return false;
        }
    } while (unpack->until == kept && unpack->left);
    return unpack->until > kept;
}

bool cairn_perf_unpacked(struct cairn_perf *perf, struct cairn_perf_record *record)
{
    struct cairn_perf_unpack *const unpack = &perf->unpack;

    do {
        const size_t count = unpack->until - unpack->from;
        const uint8_t *const header = count ? unpack->bytes + unpack->from : NULL;

        if (count < HEADER_SIZE)
            continue;
        const size_t size = cairn_perf_u16(perf, header + SIZE_AT);
        if (size < HEADER_SIZE) {
            lose(unpack);
            return false;
        }
        if (size > count)
            continue;
        *record = (struct cairn_perf_record){
            .type = cairn_perf_u32(perf, header),
            .misc = cairn_perf_u16(perf, header + 4),
            .offset = unpack->offset,
            .bytes = header + HEADER_SIZE,
            .size = size - HEADER_SIZE,
            .is_unpacked = true,
        };
        unpack->from += size;
        return true;
    } while (fill(unpack));
    return false;
}

void cairn_perf_unpack_end(struct cairn_perf *perf)
{
    struct cairn_perf_unpack *const unpack = &perf->unpack;

    if (unpack->until > unpack->from)
        lose(unpack); /* a record goes on behind the end */
}

void cairn_perf_unpack_free(struct cairn_perf *perf)
{
    ZSTD_freeDCtx(perf->unpack.stream);
    free(perf->unpack.bytes);
    perf->unpack.stream = NULL;
    perf->unpack.bytes = NULL;
}
