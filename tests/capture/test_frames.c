/* SPDX-License-Identifier: BSD-2-Clause */
/* The formatter's frames against streams written by hand from IHI0029's rules. */
#include "taken.h"

#include <stdlib.h>
#include <string.h>

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
    EXPECT(MEMORY, 0x10, stream, DATA_OF_10);
    struct taken *result = take(MEMORY, 0x10, stream, sizeof stream, AT_ONCE);
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
    EXPECT(MEMORY, 0x10, stream, DATA_OF_10, 0x01, 0x01, 0x02, 0x03, 0xff, 0x05, 0x06, 0x07, 0x08,
           0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0xff);
    struct taken *result = take(MEMORY, 0x10, stream, sizeof stream, AT_ONCE);
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
    EXPECT(MEMORY, 0x10, stream, DATA_OF_10, 0x00, 0x01, 0x03, 0x09, 0x0a, 0x0b, 0x0d);
    EXPECT(MEMORY, 0x11, stream, 0x04, 0x05, 0x06, 0x07, 0x0e);
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
        EXPECT(MEMORY, 0x10, stream, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a,
               0x0b, 0x0c, 0x0d);
        EXPECT(MEMORY, 0x11, stream, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19,
               0x1a, 0x1b, 0x1c, 0x1d, 0x1e);
    }
}

static void special_ids(void **state)
{
    (void)state;
    /* before any ID: 2 bytes; null ID; reserved 0x70, 0x7c, 0x7e, 0x7f; trigger 0x7d */
    const uint8_t stream[] = {0x02, 0x03, 0x01, 0x00, 0xe1, 0x55, 0xf9, 0x56,
                              0xfd, 0x57, 0xff, 0x58, 0xfb, 0x59, 0xde, 0x00};
    struct taken *result = take(MEMORY, 0x01, stream, sizeof stream, AT_ONCE);
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
    EXPECT(MEMORY, 0x01, ends, 0x31);
    EXPECT(MEMORY, 0x6f, ends, 0x32);
    result = take(MEMORY, 0x6f, ends, sizeof ends, AT_ONCE);
    assert_int_equal(result->frames.account.data[0x01], 1);
    assert_int_equal(result->frames.account.data[0x6f], 1);
    assert_int_equal(result->frames.reserved, 0);
    free(result);
}

/* Four FSYNCs in place of a frame: the ID is forgotten; fewer are no barrier in memory. */
static void barrier(void **state)
{
    (void)state;
    const uint8_t next[] = {0x40, 0x41, 0x23, 0x43, 0x44, 0x45, 0x46, 0x47,
                            0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x00};
    uint8_t stream[48] = {FRAME_OF_10, FSYNC, FSYNC, FSYNC, FSYNC};
    memcpy(stream + 32, next, sizeof next);
    EXPECT(MEMORY, 0x10, stream, DATA_OF_10);
    EXPECT(MEMORY, 0x11, stream, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d,
           0x4e);
    struct taken *result = take(MEMORY, 0x10, stream, sizeof stream, AT_ONCE);
    assert_int_equal(result->frames.account.sync, 16);
    assert_int_equal(result->frames.account.no_id, 2);
    assert_int_equal(result->frames.stray, 0);
    free(result);

    stream[28] = 0; /* three, and something else */
    result = take(MEMORY, 0x10, stream, sizeof stream, AT_ONCE);
    assert_int_equal(result->frames.account.sync, 0);
    assert_int_equal(result->frames.stray, 1);
    free(result);
}

static void incomplete_frame(void **state)
{
    (void)state;
    const uint8_t stream[] = {FRAME_OF_10, 0x00, 0x01, 0x02};
    EXPECT(MEMORY, 0x10, stream, DATA_OF_10);
    struct taken *result = take(MEMORY, 0x10, stream, sizeof stream, AT_ONCE);
    assert_int_equal(result->frames.account.truncated, 3);
    free(result);
    result = take(MEMORY, 0x10, stream, 5, AT_ONCE);
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
    EXPECT(PORT, 0x10, stream, DATA_OF_10, 0x01, 0x01, 0x03, 0x03, 0x05, 0x05, 0x07, 0x07, 0x09,
           0x09, 0x0b, 0x0b, 0x0d, 0xff, 0x0f, 0x21);
    EXPECT(PORT, 0x11, stream, 0x02, 0x23, 0x04, 0x25, 0x06, 0x27, 0x08, 0x29, 0x0a, 0x2b, 0x0c,
           0x2d, 0x0e);
    struct taken *result = take(PORT, 0x10, stream, sizeof stream, AT_ONCE);
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
    EXPECT(PORT, 0x10, stream, DATA_OF_10);
    struct taken *result = take(PORT, 0x10, stream, sizeof stream, AT_ONCE);
    assert_int_equal(result->frames.account.unaligned, 7);
    assert_int_equal(result->frames.account.sync, 4);
    free(result);
    const struct cairn_frame_layout from_start = {.port = true};
    const uint8_t none[] = {FRAME_OF_10};
    EXPECT(from_start, 0x10, none, DATA_OF_10);
    result = take(PORT, 0x10, none, sizeof none, AT_ONCE);
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
        struct taken *result = take(PORT, 0x10, stream, size, AT_ONCE);
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
            struct taken *again = take(PORT, 0x11, stream, size, (struct pace){chunk, MOST, MOST});
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
    struct taken *result = take(blocks, 0x10, stream, sizeof stream, (struct pace){13, 64, 16});
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_id),           cmocka_unit_test(no_new_id),
        cmocka_unit_test(delayed_id),       cmocka_unit_test(id_in_byte_14),
        cmocka_unit_test(special_ids),      cmocka_unit_test(barrier),
        cmocka_unit_test(incomplete_frame), cmocka_unit_test(port_synchronisation),
        cmocka_unit_test(unaligned_start),  cmocka_unit_test(cut_frame),
        cmocka_unit_test(dstream_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
