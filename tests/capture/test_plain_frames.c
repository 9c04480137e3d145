/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames without IDs are taken in one go; whatever the IDs between them, the cuts of the input and
 * the room in the output, all bytes, offsets and accounts are as they are one byte at a time. */
#include "taken.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 600, ROUNDS = 60 };

static uint64_t state = 0x243f6a8885a308d3u;

static unsigned below(unsigned limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state * 0x2545f4914f6cdd1du >> 33) % limit;
}

/* Frames of data, in one of `rare` an ID in some place; in memory some barriers, in a port's stream
 * some synchronisation. Returns how many bytes. */
static size_t generate(uint8_t *stream, unsigned rare, bool port)
{
    static const uint8_t fsync[] = {FSYNC};
    size_t size = 0;

    if (port) {
        memcpy(stream, fsync, sizeof fsync);
        size = sizeof fsync;
    }
    for (unsigned f = 0; f < FRAMES; f++) {
        uint8_t *frame = stream + size;

        for (unsigned i = 0; i < CAIRN_FRAME_SIZE; i++)
            frame[i] = (uint8_t)(below(256) & (i % 2 == 0 ? 0xfe : 0xff));
        if (f == 0 || below(rare) == 0)
            frame[2 * below(8)] = (uint8_t)((0x10 + below(2)) << 1 | 1);
        size += CAIRN_FRAME_SIZE;
        if (below(4 * rare) == 0) {
            const unsigned count = port ? 1 : 4;

            if (port && below(3) == 0) /* a byte is lost: the next one is taken for it */
                size--;

            for (unsigned i = 0; i < count; i++, size += sizeof fsync)
                memcpy(stream + size, fsync, sizeof fsync);
        }
    }
    return size;
}

/* The same in memory, without synchronisation: written down from the rules for one byte after
 * another, bit 0 of even bytes looked up where it is. Returns how many bytes ID `wanted` has. */
static size_t by_hand(const uint8_t *stream, size_t size, unsigned wanted, uint8_t *bytes,
                      uint64_t *file_offset)
{
    unsigned id = CAIRN_FRAME_NO_ID;
    size_t count = 0;

    for (size_t at = 0; at + CAIRN_FRAME_SIZE <= size; at += CAIRN_FRAME_SIZE) {
        const uint8_t *frame = stream + at;
        unsigned later = id; /* what an ID whose next byte is the old one's changes to */

        if (frame[0] == 0xff) {
            id = CAIRN_FRAME_NO_ID;
            continue;
        }
        for (unsigned i = 0; i < CAIRN_FRAME_SIZE - 1; i++) {
            const unsigned bit = frame[15] >> i / 2 & 1;

            if (i % 2 == 0 && frame[i] & 1) {
                later = frame[i] >> 1;
                if (!bit || i == 14)
                    id = later;
                continue;
            }
            if (id == wanted) {
                file_offset[count] = at + i;
                bytes[count++] = i % 2 ? frame[i] : (uint8_t)(frame[i] | bit);
            }
            id = i % 2 ? later : id;
            later = id;
        }
    }
    return count;
}

static void same(const struct taken *a, const struct taken *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->bytes, b->bytes, a->count);
    assert_memory_equal(a->file_offset, b->file_offset, a->count * sizeof *a->file_offset);
    assert_memory_equal(&a->frames.account, &b->frames.account, sizeof a->frames.account);
    assert_int_equal(a->frames.id, b->frames.id);
    assert_int_equal(a->frames.stray, b->frames.stray);
    assert_int_equal(a->frames.cut, b->frames.cut);
    assert_int_equal(a->frames.reserved, b->frames.reserved);
}

static void at_any_pace(bool port)
{
    static uint8_t stream[2 * FRAMES * CAIRN_FRAME_SIZE];
    static uint8_t bytes[sizeof stream];
    static uint64_t file_offset[sizeof stream];
    const struct cairn_frame_layout layout = {.port = port, .hunt = port};

    for (unsigned round = 0; round < ROUNDS; round++) {
        const size_t size = generate(stream, 1 + round, port);
        const unsigned id = 0x10 + round % 2;
        struct taken *want = take(layout, id, stream, size, (struct pace){1, 32, 8});
        const struct pace paces[] = {AT_ONCE,
                                     {MOST, 32, 8},
                                     {MOST, 100 + below(99), MOST},
                                     {MOST, MOST, 8 + below(20)},
                                     {15, 64, 16},
                                     {17 + below(200), 1000, 40}};

        for (size_t i = 0; i < sizeof paces / sizeof *paces; i++) {
            struct taken *got = take(layout, id, stream, size, paces[i]);

            same(got, want);
            free(got);
        }
        if (!port) {
            assert_int_equal(by_hand(stream, size, id, bytes, file_offset), want->count);
            assert_memory_equal(bytes, want->bytes, want->count);
            assert_memory_equal(file_offset, want->file_offset, want->count * sizeof *file_offset);
        }
        struct cairn_frames counted;

        cairn_frames_init(&counted, layout);
        assert_int_equal(cairn_frames_run(&counted, stream, size, NULL), size);
        cairn_frames_finish(&counted);
        assert_memory_equal(&counted.account, &want->frames.account, sizeof counted.account);
        free(want);
    }
}

static void in_memory(void **unused)
{
    (void)unused;
    at_any_pace(false);
}

static void in_a_port_stream(void **unused)
{
    (void)unused;
    at_any_pace(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test(in_a_port_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
