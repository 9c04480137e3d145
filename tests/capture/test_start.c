/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers of frames that were cut or not filled: where the frames begin, and what is none of them.
 */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

enum {
    FRAME = 16,
    FRAMES = 1024,
    SIZE = FRAME * FRAMES,
    QUIET = 160,
    IDS = 2,
    FIRST_ID = 0x10,
    TURN = 3
};

/* A source's bytes: a synchronisation of 11 zeros and 80 in every 157, the rest noise without
 * zeros. */
static uint8_t stream_byte(unsigned id, size_t at)
{
    const size_t in_period = at % 157;
    if (in_period < 11)
        return 0;
    if (in_period == 11)
        return 0x80;
    const uint8_t noise = (uint8_t)((at * 2654435761u + id * 40503u) >> 13);
    return noise ? noise : 0x55;
}

/* Frames of two sources, which take turns. */
static void make_frames(uint8_t *out, size_t at_of[IDS])
{
    memset(out, 0, SIZE);
    for (size_t frame = 0; frame < FRAMES; frame++, out += FRAME) {
        const unsigned which = (unsigned)(frame / TURN % IDS);
        unsigned byte = 0;
        if (frame % TURN == 0) {
            out[0] = (uint8_t)((FIRST_ID + which) << 1 | 1);
            byte = 1;
        }
        for (; byte < FRAME - 1; byte++) {
            const uint8_t value = stream_byte(which, at_of[which]++);
            out[byte] = byte % 2 ? value : value & 0xfe;
            if (byte % 2 == 0)
                out[FRAME - 1] |= (uint8_t)((value & 1) << byte / 2);
        }
    }
}

static struct cairn_buffer_account survey(struct cairn_capture *capture)
{
    struct cairn_buffer_account account = {.size = sizeof account};
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    return account;
}

static struct cairn_capture *open_as(const struct folder *folder, const uint8_t *bytes, size_t size,
                                     enum cairn_format format)
{
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    options.format = format;
    folder_write(folder, "etb.bin", bytes, size);
    return open_ok(folder_path(folder, "etb.bin"), &options);
}

static void cut_start(void **state)
{
    static uint8_t frames[SIZE];
    const struct folder *folder = *state;
    size_t data_of[IDS] = {0, 0};
    make_frames(frames, data_of);
    for (unsigned cut = 0; cut < FRAME; cut++) {
        for (unsigned given = 0; given < 2; given++) {
            struct cairn_capture *capture =
                open_as(folder, frames + cut, SIZE - cut,
                        given ? CAIRN_FORMAT_CORESIGHT : CAIRN_FORMAT_AUTO);
            assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_CORESIGHT);
            assert_int_equal(remarks_with(capture, CAIRN_WARNING, "the start was cut off"),
                             cut != 0);
            const struct cairn_buffer_account account = survey(capture);
            assert_int_equal(account.unaligned, cut ? FRAME - cut : 0);
            assert_int_equal(account.truncated, 0);
            /* the first frame names the first source; the second and third have no ID any more */
            const size_t lost = cut ? (FRAME - 2) + (TURN - 1) * (FRAME - 1) : 0;
            assert_int_equal(account.data[FIRST_ID], data_of[0] - lost);
            assert_int_equal(account.data[FIRST_ID + 1], data_of[1]);
            size_t size;
            uint8_t *bytes = read_source(capture, 0, &size);
            assert_int_equal(size, data_of[0] - lost);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(bytes[i], stream_byte(0, i + lost));
            free(bytes);
            cairn_capture_free(capture);
        }
    }
}

/* Memory behind the trace that nothing was written to. */
static void not_filled(void **state)
{
    static uint8_t bytes[2 * SIZE];
    const struct folder *folder = *state;
    size_t data_of[IDS] = {0, 0};
    make_frames(bytes, data_of);
    memset(bytes + SIZE, 0xff, SIZE);
    struct cairn_capture *capture = open_as(folder, bytes, sizeof bytes, CAIRN_FORMAT_AUTO);
    assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_CORESIGHT);
    const struct cairn_buffer_account account = survey(capture);
    assert_int_equal(account.unaligned, 0);
    assert_int_equal(account.data[FIRST_ID], data_of[0]);
    cairn_capture_free(capture);

    /* and what has no frames at all does not get some by cutting */
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = stream_byte(0, i);
    capture = open_as(folder, bytes, SIZE, CAIRN_FORMAT_AUTO);
    assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_SOURCE_DATA);
    cairn_capture_free(capture);
    capture = open_as(folder, bytes, SIZE, CAIRN_FORMAT_CORESIGHT);
    assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_CORESIGHT);
    assert_int_equal(survey(capture).unaligned, 0);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "use format source_data"), 1);
    cairn_capture_free(capture);
}

/* A microcontroller's SWO: most frames are a packet of ITM and then nothing, some have ETM. No
 * FSYNC tells where they begin, and a wrong start meets few reserved IDs. */
static size_t make_quiet(uint8_t *out)
{
    size_t at_of[IDS] = {0, 0};

    memset(out, 0, QUIET * FRAME);
    for (size_t frame = 0; frame < QUIET; frame++, out += FRAME) {
        const bool etm = frame % 8 >= 5;
        const unsigned used = etm ? FRAME - 1 : 6;

        out[0] = (uint8_t)((FIRST_ID + etm) << 1 | 1);
        for (unsigned i = 1; i < used; i++) {
            const uint8_t value = stream_byte(etm, at_of[etm]++) & (etm ? 0xdf : 0x5f);
            out[i] = i % 2 ? value : value & 0xfe;
            if (i % 2 == 0)
                out[FRAME - 1] |= (uint8_t)((value & 1) << i / 2);
        }
        if (!etm)
            out[6] = 0x01; /* the null source */
    }
    return at_of[1];
}

static void cut_quiet(void **state)
{
    static uint8_t frames[QUIET * FRAME];
    const struct folder *folder = *state;
    const size_t etm_bytes = make_quiet(frames);

    /* an even number off takes more synchronisations to tell */
    for (unsigned cut = 1; cut < FRAME; cut += 2) {
        struct cairn_capture *capture =
            open_as(folder, frames + cut, sizeof frames - cut, CAIRN_FORMAT_CORESIGHT);
        assert_int_equal(remarks_with(capture, CAIRN_WARNING, "the start was cut off"), 1);
        const struct cairn_buffer_account account = survey(capture);
        assert_int_equal(account.unaligned, FRAME - cut);
        assert_int_equal(account.data[FIRST_ID + 1], etm_bytes);
        cairn_capture_free(capture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(cut_start), TEST(not_filled), TEST(cut_quiet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
