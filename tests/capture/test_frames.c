/* SPDX-License-Identifier: BSD-2-Clause */
/* The formatter's frames against streams written by hand from IHI0029's rules, against frames that
 * a small multiplexer here writes, and against other tools' results on real streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/frames.h"

#define MOST 65536

static const struct cairn_frame_layout memory = {0};
static const struct cairn_frame_layout port = {.port = true, .hunt = true};
static const struct cairn_frame_layout port_from_start = {.port = true};

/* ---- one stream taken apart for one ID ---- */

struct result {
    struct cairn_frames frames;
    size_t count;
    uint8_t bytes[MOST];
    uint64_t file_offset[MOST]; /* of each byte */
};

struct pace {
    size_t chunk;       /* bytes a call gets at most */
    size_t bytes, runs; /* capacity of the output */
};
static const struct pace at_once = {MOST * 2, MOST, MOST};

static void collect(struct result *result, const struct cairn_frames_out *out, uint64_t offset)
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

static struct result *take(struct cairn_frame_layout layout, unsigned id, const uint8_t *data,
                           size_t size, struct pace pace)
{
    struct result *result = calloc(1, sizeof *result);
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

static void expect(struct cairn_frame_layout layout, unsigned id, const uint8_t *data, size_t size,
                   const uint8_t *wanted, size_t wanted_size)
{
    static const struct pace paces[] = {
        {MOST * 2, MOST, MOST}, {1, 16, 8}, {7, 16, 8}, {33, 40, 9}};
    for (size_t i = 0; i < sizeof paces / sizeof paces[0]; i++) {
        struct result *result = take(layout, id, data, size, paces[i]);
        assert_int_equal(result->count, wanted_size);
        assert_memory_equal(result->bytes, wanted, wanted_size);
        free(result);
    }
}
#define EXPECT(layout, id, stream, ...)                                                            \
    do {                                                                                           \
        const uint8_t wanted_[] = {__VA_ARGS__};                                                   \
        expect(layout, id, stream, sizeof(stream), wanted_, sizeof wanted_);                       \
    } while (0)

#define FSYNC 0xff, 0xff, 0xff, 0x7f
#define HSYNC 0xff, 0x7f

/* ---- by hand ---- */

/* ID 0x10 at byte 0, effective at once; auxiliary bits 1, 3, 5, 7 are bit 0 of bytes 2, 6, 10, 14.
 */
#define FRAME_OF_10                                                                                \
    0x21, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xaa
#define DATA_OF_10                                                                                 \
    0x11, 0x23, 0x33, 0x44, 0x55, 0x67, 0x77, 0x88, 0x99, 0xab, 0xbb, 0xcc, 0xdd, 0xef

static void one_id(void **state)
{
    (void)state;
    const uint8_t stream[] = {FRAME_OF_10};
    EXPECT(memory, 0x10, stream, DATA_OF_10);
    struct result *result = take(memory, 0x10, stream, sizeof stream, at_once);
    assert_int_equal(result->frames.account.framing, 2); /* ID byte and byte 15 */
    assert_int_equal(result->file_offset[0], 1);
    assert_int_equal(result->file_offset[13], 14);
    free(result);
}

/* A frame without any ID continues the current one: 15 bytes of data. */
static void no_new_id(void **state)
{
    (void)state;
    const uint8_t stream[] = {FRAME_OF_10, 0x00, 0x01, 0x02, 0x03, 0xfe, 0x05, 0x06, 0x07,
                              0x08,        0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0xfe, 0x85};
    EXPECT(memory, 0x10, stream, DATA_OF_10, 0x01, 0x01, 0x02, 0x03, 0xff, 0x05, 0x06, 0x07, 0x08,
           0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0xff);
    struct result *result = take(memory, 0x10, stream, sizeof stream, at_once);
    assert_int_equal(result->file_offset[14], 16);
    assert_int_equal(result->file_offset[28], 30);
    free(result);
}

/* Auxiliary bit of an ID set: the next byte is still the old ID's. */
static void delayed_id(void **state)
{
    (void)state;
    const uint8_t stream[] = {FRAME_OF_10,
                              /* data 00 01, ID 0x11 delayed over 03, data 04 .. 07 */
                              0x00, 0x01, 0x23, 0x03, 0x04, 0x05, 0x06, 0x07,
                              /* ID 0x10 at once with 09, data, ID 0x11 delayed over 0d, data */
                              0x21, 0x09, 0x0a, 0x0b, 0x23, 0x0d, 0x0e, 0x42};
    EXPECT(memory, 0x10, stream, DATA_OF_10, 0x00, 0x01, 0x03, 0x09, 0x0a, 0x0b, 0x0d);
    EXPECT(memory, 0x11, stream, 0x04, 0x05, 0x06, 0x07, 0x0e);
}

/* An ID in byte 14 counts from the next frame, whatever auxiliary bit 7 is. */
static void id_in_byte_14(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 2; bit++) {
        const uint8_t stream[] = {0x21, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
                                  0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x23, (uint8_t)(bit << 7),
                                  0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
                                  0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x00};
        EXPECT(memory, 0x10, stream, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a,
               0x0b, 0x0c, 0x0d);
        EXPECT(memory, 0x11, stream, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19,
               0x1a, 0x1b, 0x1c, 0x1d, 0x1e);
    }
}

static void special_ids(void **state)
{
    (void)state;
    /* before any ID: 2 bytes; null ID; reserved 0x70, 0x7c, 0x7e, 0x7f; trigger 0x7d */
    const uint8_t stream[] = {0x02, 0x03, 0x01, 0x00, 0xe1, 0x55, 0xf9, 0x56,
                              0xfd, 0x57, 0xff, 0x58, 0xfb, 0x59, 0xde, 0x00};
    struct result *result = take(memory, 0x01, stream, sizeof stream, at_once);
    const struct cairn_buffer_account *account = &result->frames.account;
    assert_int_equal(account->no_id, 2);
    assert_int_equal(account->null_id, 5);
    assert_int_equal(account->trigger_id, 2);
    assert_int_equal(account->framing, 7);
    assert_int_equal(result->frames.reserved, 4);
    assert_int_equal(result->count, 0);
    free(result);
    /* the first and the last ID of a source */
    const uint8_t ends[] = {0x03, 0x31, 0xdf, 0x32, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    EXPECT(memory, 0x01, ends, 0x31);
    EXPECT(memory, 0x6f, ends, 0x32);
}

/* Four FSYNCs in place of a frame: the ID is forgotten; fewer are no barrier in memory. */
static void barrier(void **state)
{
    (void)state;
    const uint8_t next[] = {0x40, 0x41, 0x23, 0x43, 0x44, 0x45, 0x46, 0x47,
                            0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x00};
    uint8_t stream[48] = {FRAME_OF_10, FSYNC, FSYNC, FSYNC, FSYNC};
    memcpy(stream + 32, next, sizeof next);
    EXPECT(memory, 0x10, stream, DATA_OF_10);
    EXPECT(memory, 0x11, stream, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d,
           0x4e);
    struct result *result = take(memory, 0x10, stream, sizeof stream, at_once);
    assert_int_equal(result->frames.account.sync, 16);
    assert_int_equal(result->frames.account.no_id, 2);
    assert_int_equal(result->frames.stray, 0);
    free(result);

    stream[28] = 0; /* three, and something else */
    result = take(memory, 0x10, stream, sizeof stream, at_once);
    assert_int_equal(result->frames.account.sync, 0);
    assert_int_equal(result->frames.stray, 1);
    free(result);
}

static void incomplete_frame(void **state)
{
    (void)state;
    const uint8_t stream[] = {FRAME_OF_10, 0x00, 0x01, 0x02};
    EXPECT(memory, 0x10, stream, DATA_OF_10);
    struct result *result = take(memory, 0x10, stream, sizeof stream, at_once);
    assert_int_equal(result->frames.account.truncated, 3);
    free(result);
    result = take(memory, 0x10, stream, 5, at_once);
    assert_int_equal(result->frames.account.truncated, 5);
    free(result);
}

/* FSYNC between frames, HSYNC between and inside them, at each place where an even byte is due. */
static void port_synchronisation(void **state)
{
    (void)state;
    const uint8_t stream[] = {FSYNC, FRAME_OF_10, HSYNC, FSYNC, FSYNC, 0x00, 0x01, HSYNC, 0x02,
                              0x03,  HSYNC,       HSYNC, 0x04,  0x05,  0x06, 0x07, 0x08,  0x09,
                              0x0a,  0x0b,        0x0c,  0xff,  HSYNC, 0x0e, 0xff, FSYNC, FSYNC,
                              FSYNC, FSYNC,       0x23,  0x21,  0x02,  0x23, 0x04, 0x25,  0x06,
                              0x27,  0x08,        0x29,  0x0a,  0x2b,  0x0c, 0x2d, 0x0e,  0x01};
    EXPECT(port, 0x10, stream, DATA_OF_10, 0x01, 0x01, 0x03, 0x03, 0x05, 0x05, 0x07, 0x07, 0x09,
           0x09, 0x0b, 0x0b, 0x0d, 0xff, 0x0f, 0x21);
    EXPECT(port, 0x11, stream, 0x02, 0x23, 0x04, 0x25, 0x06, 0x27, 0x08, 0x29, 0x0a, 0x2b, 0x0c,
           0x2d, 0x0e);
    struct result *result = take(port, 0x10, stream, sizeof stream, at_once);
    assert_int_equal(result->frames.account.sync, 7 * 4 + 5 * 2);
    assert_int_equal(result->frames.account.unaligned, 0);
    assert_int_equal(result->frames.cut, 0);
    assert_int_equal(result->file_offset[0], 5); /* behind FSYNC and the ID */
    assert_int_equal(result->file_offset[14], 30);
    assert_int_equal(result->file_offset[16], 34); /* behind the HSYNC in the frame */
    free(result);
}

/* A port's stream that begins anywhere: nothing counts before the first FSYNC. */
static void unaligned_start(void **state)
{
    (void)state;
    const uint8_t stream[] = {0xee, 0xff, 0xff, 0x7f, 0x33, 0xff, 0xff, FSYNC, FRAME_OF_10};
    EXPECT(port, 0x10, stream, DATA_OF_10);
    struct result *result = take(port, 0x10, stream, sizeof stream, at_once);
    assert_int_equal(result->frames.account.unaligned, 7);
    assert_int_equal(result->frames.account.sync, 4);
    free(result);
    const uint8_t none[] = {FRAME_OF_10};
    EXPECT(port_from_start, 0x10, none, DATA_OF_10);
    result = take(port, 0x10, none, sizeof none, at_once);
    assert_int_equal(result->frames.account.unaligned, 16);
    free(result);
}

/* An FSYNC inside a frame: bytes were lost; the frame's rest is not made up, and the next one
 * counts. When an odd number was lost the FSYNC is out of step with the halfwords, and is found all
 * the same. */
static void cut_frame(void **state)
{
    (void)state;
    for (unsigned kept = 1; kept <= 15; kept++) {
        const uint8_t frame[] = {FRAME_OF_10};
        uint8_t stream[4 + 16 + 15 + 4 + 16] = {FSYNC, FRAME_OF_10};
        size_t size = 20;
        memcpy(stream + size, frame, kept);
        size += kept;
        const uint8_t rest[] = {FSYNC, 0x23, 0x21, 0x02, 0x23, 0x04, 0x25, 0x06, 0x27,
                                0x08,  0x29, 0x0a, 0x2b, 0x0c, 0x2d, 0x0e, 0x00};
        memcpy(stream + size, rest, sizeof rest);
        size += sizeof rest;
        struct result *result = take(port, 0x10, stream, size, at_once);
        const uint8_t data[] = {DATA_OF_10};
        assert_int_equal(result->frames.cut, 1);
        if (kept < 15) { /* else the FSYNC's first byte completes the frame as its auxiliary byte */
            assert_int_equal(result->frames.account.truncated, kept);
            assert_int_equal(result->frames.account.sync, 8);
            assert_int_equal(result->count, 14);
        }
        assert_memory_equal(result->bytes, data, sizeof data);
        assert_int_equal(result->frames.account.data[0x11], 14);
        free(result);
        for (size_t chunk = 1; chunk < 9; chunk++) {
            struct result *again = take(port, 0x11, stream, size, (struct pace){chunk, MOST, MOST});
            assert_int_equal(again->count, 14);
            assert_int_equal(again->file_offset[0], 20 + kept + 5);
            free(again);
        }
    }
}

/* The last 8 of every 512 bytes are not the stream's; a frame continues behind them. */
static void dstream_blocks(void **state)
{
    (void)state;
    uint8_t stream[1024];
    const uint8_t frame[] = {FRAME_OF_10};
    const uint8_t fsync[] = {FSYNC};
    size_t used = 0;
    for (size_t at = 0; at < sizeof stream; at++) {
        if (at % 512 >= 504)
            stream[at] = 0xff;
        else if (used < 4)
            stream[at] = fsync[used++];
        else
            stream[at] = frame[(used++ - 4) % 16];
    }
    const struct cairn_frame_layout blocks = {.port = true, .hunt = true, .blocks = true};
    struct result *result = take(blocks, 0x10, stream, sizeof stream, (struct pace){13, 64, 16});
    assert_int_equal(result->frames.account.data[0x10], 62 * 14);
    assert_int_equal(result->frames.account.framing, 62 * 2 + 16);
    assert_int_equal(result->frames.account.truncated, 1008 - 4 - 62 * 16);
    assert_int_equal(result->frames.account.no_id, 0);
    /* byte 505 of the stream: the 31st frame's (500 bytes after the FSYNC) 5th byte, behind the
     * footer */
    assert_int_equal(result->file_offset[31 * 14 + 2], 503);
    assert_int_equal(result->file_offset[31 * 14 + 3], 512);
    free(result);
}

/* ---- a multiplexer: the rules the other way round ---- */

static uint64_t random_state;

static uint64_t random64(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static unsigned below(unsigned limit)
{
    return (unsigned)(random64() % limit);
}

struct item {
    uint8_t id, byte;
    size_t at;    /* file offset it was written to */
    size_t id_at; /* of the ID byte that it goes by */
};

struct mux {
    uint8_t stream[4 * MOST];
    size_t size;
    size_t fsyncs[MOST];
    size_t fsync_count;
    bool syncs; /* a port's stream */
    unsigned id;
    size_t id_at;
    struct item items[MOST];
    size_t item_count;
};

static void mux_fsync(struct mux *mux)
{
    const uint8_t bytes[] = {FSYNC};
    mux->fsyncs[mux->fsync_count++] = mux->size;
    memcpy(mux->stream + mux->size, bytes, sizeof bytes);
    mux->size += sizeof bytes;
}

static void mux_hsyncs(struct mux *mux)
{
    while (mux->syncs && below(24) == 0) {
        mux->stream[mux->size++] = 0xff;
        mux->stream[mux->size++] = 0x7f;
    }
}

static void mux_data(struct mux *mux, struct item *item)
{
    item->at = mux->size;
    item->id_at = mux->id_at;
}

/* One frame from the items at *next on; what is missing at the end is filled up with ID 0. */
static void mux_frame(struct mux *mux, size_t *next)
{
    static struct item none;
    uint8_t auxiliary = 0;
    for (unsigned pair = 0; pair < 8; pair++) {
        mux_hsyncs(mux);
        struct item *one = *next < mux->item_count ? &mux->items[*next] : &none;
        struct item *two = *next + 1 < mux->item_count ? &mux->items[*next + 1] : &none;
        const bool last = pair == 7;
        if (one->id != mux->id || below(20) == 0) { /* a new ID at once, or the old one again */
            mux->id = one->id;
            mux->id_at = mux->size;
            mux->stream[mux->size++] = (uint8_t)(one->id << 1 | 1);
            if (last) {
                auxiliary |= (uint8_t)(below(2) << 7);
                break;
            }
            mux_data(mux, one);
            mux->stream[mux->size++] = one->byte;
            *next += one != &none;
        } else if (!last && (two->id != mux->id || below(20) == 0)) { /* delayed over one byte */
            const size_t id_at = mux->size;
            mux->stream[mux->size++] = (uint8_t)(two->id << 1 | 1);
            auxiliary |= (uint8_t)(1 << pair);
            mux_data(mux, one);
            mux->stream[mux->size++] = one->byte;
            *next += one != &none;
            mux->id = two->id;
            mux->id_at = id_at;
        } else {
            mux_data(mux, one);
            mux->stream[mux->size++] = one->byte & 0xfe;
            auxiliary |= (uint8_t)((one->byte & 1) << pair);
            *next += one != &none;
            if (!last) {
                mux_data(mux, two);
                mux->stream[mux->size++] = two->byte;
                *next += two != &none;
            }
        }
    }
    mux->stream[mux->size++] = auxiliary;
}

static struct mux *mux_random(bool syncs)
{
    struct mux *mux = calloc(1, sizeof *mux);
    assert_non_null(mux);
    mux->syncs = syncs;
    const unsigned ids[] = {0x01, 0x10, 0x11, 0x35, 0x6f, 0x7d};
    const unsigned id_count = 1 + below(6);
    mux->item_count = below(3000);
    unsigned id = ids[0];
    for (size_t i = 0; i < mux->item_count; i++) {
        if (below(8) == 0)
            id = ids[below(id_count)];
        /* many FF, which make runs that look like the beginning of an FSYNC */
        mux->items[i] =
            (struct item){.id = (uint8_t)id, .byte = (uint8_t)(below(3) ? random64() : 0xff)};
    }
    mux->id = 0x7e; /* none */
    if (syncs)
        mux_fsync(mux);
    for (size_t next = 0; next < mux->item_count;) {
        mux_frame(mux, &next);
        while (syncs && below(10) == 0)
            mux_fsync(mux);
    }
    return mux;
}

/* What of ID `id` must come out when the stream is cut before `start`: what stands behind the first
 * FSYNC from there on, and goes by an ID byte that does, too. */
static void check_cut(const struct mux *mux, unsigned id, size_t start, struct pace pace)
{
    size_t sync = 0;
    while (sync < mux->fsync_count && mux->fsyncs[sync] < start)
        sync++;
    const bool ever = !mux->syncs || sync < mux->fsync_count;
    const size_t from = !mux->syncs ? 0 : ever ? mux->fsyncs[sync] : mux->size;
    struct result *result =
        take(mux->syncs ? port : memory, id, mux->stream + start, mux->size - start, pace);
    size_t count = 0;
    for (size_t i = 0; i < mux->item_count; i++) {
        const struct item *item = &mux->items[i];
        if (item->id != id || !ever || item->at < from || item->id_at < from)
            continue;
        assert_true(count < result->count);
        assert_int_equal(result->bytes[count], item->byte);
        assert_int_equal(result->file_offset[count], item->at - start);
        count++;
    }
    assert_int_equal(result->count, count);
    assert_int_equal(result->frames.account.unaligned, mux->syncs ? from - start : 0);
    assert_int_equal(result->frames.cut, 0);
    free(result);
}

static void round_trip(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        random_state = round;
        struct mux *mux = mux_random(round & 1);
        const struct pace pace = {1 + below(round % 3 ? 40 : 5000), 16 + below(200), 8 + below(50)};
        const unsigned ids[] = {0x01, 0x10, 0x35, 0x6f};
        for (unsigned i = 0; i < 4; i++)
            check_cut(mux, ids[i], 0, pace);
        if (mux->syncs && mux->size > 100)
            check_cut(mux, 0x01, below(100), pace);
        free(mux);
    }
}

/* ---- against other tools' results ---- */

static uint8_t *read_capture(const char *name, size_t *size)
{
    const char *captures = getenv("CAIRN_CAPTURES");
    char path[4096];
    if (!captures)
        return NULL;
    snprintf(path, sizeof path, "%s/%s", captures, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing", path);
    uint8_t *bytes = malloc(MOST);
    assert_non_null(bytes);
    *size = fread(bytes, 1, MOST, file);
    fclose(file);
    return bytes;
}

static void skip_without_captures(void)
{
    if (!getenv("CAIRN_CAPTURES")) {
        print_message("# skipped: CAIRN_CAPTURES is not set\n");
        skip();
    }
}

static void check_file(const char *in, unsigned id, const char *expected)
{
    size_t size, wanted_size;
    uint8_t *stream = read_capture(in, &size);
    uint8_t *wanted = read_capture(expected, &wanted_size);
    struct result *result = take(memory, id, stream, size, at_once);
    assert_int_equal(result->count, wanted_size);
    assert_memory_equal(result->bytes, wanted, wanted_size);
    free(result);
    free(stream);
    free(wanted);
}

static void against_orbtrace(void **state)
{
    (void)state;
    skip_without_captures();
    check_file("frames/test_demux.in.bin", 0x01, "frames/test_demux.expected_id01.bin");
}

static void against_sigrok(void **state)
{
    (void)state;
    skip_without_captures();
    const char *in = "cortex-m3/stm32f105/derived.swo_uart_bytes.bin";
    check_file(in, 0x01, "cortex-m3/stm32f105/derived.tpiu_id01_itm.bin");
    check_file(in, 0x02, "cortex-m3/stm32f105/derived.tpiu_id02_etm.bin");
}

/* Lines "Frame Data; Index     16;   ID_DATA[0x10]; 00 9d ..." of OpenCSD: the index is that of the
 * frame, or of the first byte in it. */
static void check_listing(const char *in, const char *listing)
{
    size_t size, text_size;
    uint8_t *stream = read_capture(in, &size);
    char *text = (char *)read_capture(listing, &text_size);
    assert_true(text_size < MOST);
    text[text_size] = 0;
    struct result *results[4];
    size_t used[4] = {0};
    for (unsigned i = 0; i < 4; i++)
        results[i] = take(memory, 0x10 + i, stream, size, at_once);
    unsigned lines = 0;
    for (char *at = text; (at = strstr(at, "Frame Data; Index")) != NULL;) {
        unsigned index, id;
        int length = 0;
        if (sscanf(at, "Frame Data; Index %u; ID_DATA[0x%x];%n", &index, &id, &length) != 2)
            fail_msg("odd line in %s", listing);
        assert_in_range(id, 0x10, 0x13);
        struct result *result = results[id - 0x10];
        at += length;
        bool first = true;
        for (unsigned byte; *at == ' ' && sscanf(at, " %2x%n", &byte, &length) == 1; at += length) {
            const size_t n = used[id - 0x10]++;
            assert_true(n < result->count);
            assert_int_equal(result->bytes[n], byte);
            if (first)
                assert_int_equal(result->file_offset[n] / 16, index / 16);
            first = false;
        }
        lines++;
    }
    assert_true(lines > 500);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(used[i], results[i]->count);
        free(results[i]);
    }
    free(stream);
    free(text);
}

static void against_opencsd(void **state)
{
    (void)state;
    skip_without_captures();
    check_listing("frames/t1.bin", "frames/t1_decoded.txt");
    check_listing("frames/t2.bin", "frames/t2_decoded.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_id),           cmocka_unit_test(no_new_id),
        cmocka_unit_test(delayed_id),       cmocka_unit_test(id_in_byte_14),
        cmocka_unit_test(special_ids),      cmocka_unit_test(barrier),
        cmocka_unit_test(incomplete_frame), cmocka_unit_test(port_synchronisation),
        cmocka_unit_test(unaligned_start),  cmocka_unit_test(cut_frame),
        cmocka_unit_test(dstream_blocks),   cmocka_unit_test(round_trip),
        cmocka_unit_test(against_orbtrace), cmocka_unit_test(against_sigrok),
        cmocka_unit_test(against_opencsd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
