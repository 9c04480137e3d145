/* SPDX-License-Identifier: BSD-2-Clause */
/* Random streams of a small multiplexer, the formatter's rules the other way round: whatever is put
 * in comes out, with ID changes at once and delayed, synchronisation anywhere, in any pieces and
 * from any start. */
#include "taken.h"

#include <stdlib.h>
#include <string.h>

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
    struct taken *result =
        take(mux->syncs ? PORT : MEMORY, id, mux->stream + start, mux->size - start, pace);
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
        const struct pace pace = {1 + below(round % 3 ? 40 : 5000), 32 + below(200), 8 + below(50)};
        const unsigned ids[] = {0x01, 0x10, 0x35, 0x6f};
        for (unsigned i = 0; i < 4; i++)
            check_cut(mux, ids[i], 0, pace);
        if (mux->syncs && mux->size > 100)
            check_cut(mux, 0x01, below(100), pace);
        free(mux);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
