/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace ports of which cycles are missing: where the bytes of an ETMv3 count again (IHI0014 7.7.2), and what is
 * said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../house/share.h"
#include "folder.h"

#define TEXT ((size_t)1 << 20)

/* A waveform of TRACEDATA, both edges, without TRACECTL. */
struct wave {
    char text[TEXT];
    size_t size;
    unsigned width, time, clock;
    unsigned held, held_bits; /* bits that fill no cycle yet */
};

static struct wave wave;

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    wave.size += (size_t)vsnprintf(wave.text + wave.size, TEXT - wave.size, format, arguments);
    va_end(arguments);
    assert_true(wave.size < TEXT);
}

static void begin(unsigned width)
{
    memset(&wave, 0, sizeof wave);
    wave.width = width;
    add("$var wire 1 c TRACECLK $end $var wire %u d TRACEDATA $end $enddefinitions $end #0 0c\n",
        width);
}

static void toggle(void)
{
    add(" #%u %uc\n", wave.time += 2, wave.clock ^= 1);
}

static void put_bit(unsigned bit)
{
    wave.held |= bit << wave.held_bits++;
    if (wave.held_bits < wave.width)
        return;
    add("#%u b", wave.time += 2);
    for (unsigned i = wave.width; i-- > 0;)
        add("%u", wave.held >> i & 1);
    add(" d");
    toggle();
    wave.held = wave.held_bits = 0;
}

static void put(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < 8 * size; i++)
        put_bit(bytes[i / 8] >> i % 8 & 1);
}

/* A cycle that nobody can read. */
static void put_unknown(void)
{
    add("#%u bx d", wave.time += 2);
    toggle();
}

static struct cairn_capture *open_wave(const struct folder *folder,
                                       const struct cairn_capture_options *options)
{
    folder_write(folder, "w.vcd", wave.text, wave.size);
    return open_ok(folder_path(folder, "w.vcd"), options);
}

static void expect(const struct cairn_capture *capture, const void *expected, size_t count)
{
    size_t size;
    uint8_t *bytes = read_source(capture, 0, &size);

    assert_int_equal(size, count);
    assert_memory_equal(bytes, expected, count);
    free(bytes);
}

/* A-sync, I-sync, atoms: bytes that hold less than 47 zeros elsewhere. */
static const uint8_t trace[] = {0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x08,
                                0x21, 0x00, 0x80, 0x00, 0x00, 0x84, 0x88};

/* So many bits were missed, or came twice, in front of an A-sync: behind it bytes are whole again. */
static void shifted(void **state)
{
    static const unsigned widths[] = {1, 2, 4};

    for (unsigned w = 0; w < 3; w++)
        for (unsigned bits = 0; bits < 16; bits += widths[w]) {
            uint8_t expected[2 * sizeof trace + 2];
            size_t count = 0;
            begin(widths[w]);
            put(trace, sizeof trace);
            for (unsigned i = 0; i < bits; i++)
                put_bit(1);
            put(trace, sizeof trace);
            memcpy(expected, trace, sizeof trace);
            count = sizeof trace;
            for (unsigned left = bits; left; left -= left < 8 ? left : 8)
                expected[count++] = (uint8_t)(left < 8 ? (1u << left) - 1 : 0xff);
            memcpy(expected + count, trace, sizeof trace);
            struct cairn_capture *capture = open_wave(*state, NULL);
            /* proves: ETM3-7.7.2-c, ETM3-7.7.2-g */
            expect(capture, expected, count + sizeof trace);
            assert_int_equal(remarks_with(capture, CAIRN_WARNING,
                                          "1 alignment synchronisation began inside a byte"),
                             bits % 8 != 0);
            cairn_capture_free(capture);
        }
}

/* 46 zeros are no A-sync, and a port of whole bytes is not moved. */
static void not_shifted(void **state)
{
    static const uint8_t less[] = {0xff, 0x81, 0, 0, 0, 0, 0, 0x40, 0x42, 0xff},
                         whole[] = {0x01, 0, 0, 0, 0, 0, 0x40, 0x42};

    begin(1);
    put(less, sizeof less);
    struct cairn_capture *capture = open_wave(*state, NULL);
    expect(capture, less, sizeof less);
    cairn_capture_free(capture);
    begin(8);
    put(whole, sizeof whole);
    capture = open_wave(*state, NULL);
    expect(capture, whole, sizeof whole);
    cairn_capture_free(capture);
}

/* 47 zeros and more are what an ETMv4 may write; its A-Sync has 95. */
static void other_protocols(void **state)
{
    static const uint8_t plain[] = {0x9d, 0, 0, 0, 0, 0, 0, 0, 0, 0xf7, 0xf7},
                         sync[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01};
    uint8_t expected[2 * sizeof sync];
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;

    options.protocol = CAIRN_PROTOCOL_ETMV4;
    begin(4);
    put(plain, sizeof plain);
    for (unsigned i = 0; i < 4; i++)
        put_bit(1);
    put(sync, sizeof sync);
    memcpy(expected, plain, sizeof plain);
    expected[sizeof plain] = 0x0f;
    memcpy(expected + sizeof plain + 1, sync, sizeof sync);
    struct cairn_capture *capture = open_wave(*state, &options);
    expect(capture, expected, sizeof plain + 1 + sizeof sync);
    cairn_capture_free(capture);
    /* behind what is missing as well */
    begin(8);
    put(sync, sizeof sync);
    put_unknown();
    put(plain, sizeof plain);
    put(sync, sizeof sync);
    memcpy(expected, sync, sizeof sync);
    memcpy(expected + sizeof sync, sync, sizeof sync);
    capture = open_wave(*state, &options);
    expect(capture, expected, 2 * sizeof sync);
    cairn_capture_free(capture);
}

/* What is behind an unreadable cycle is no part of the packet in front of it. */
static void unreadable(void **state)
{
    static const unsigned widths[] = {4, 8, 16, 32};
    static const uint8_t front[] = {0x08, 0x21, 0x85, 0x66}, behind[] = {0x81, 0x03, 0x84, 0x66};

    for (unsigned w = 0; w < 4; w++) {
        uint8_t expected[16 + sizeof front + sizeof trace];
        size_t count = 0;
        char said[80];
        begin(widths[w]);
        put_unknown(); /* nothing was in front of it */
        put(front, sizeof front);
        put_unknown();
        put(behind, sizeof behind);
        put(trace, sizeof trace);
        put(behind, 2);
        struct cairn_capture *capture = open_wave(*state, NULL);
        memcpy(expected, front, sizeof front);
        memcpy(expected + sizeof front, trace, sizeof trace);
        memcpy(expected + sizeof front + sizeof trace, behind, 2);
        count = sizeof front + sizeof trace + 2;
        expect(capture, expected, count);
        snprintf(said, sizeof said, "in 2 of %u cycles a wire was neither",
                 (unsigned)(8 * (count + sizeof behind) / widths[w] + 2));
        assert_int_equal(remarks_with(capture, CAIRN_WARNING, said), 1);
        assert_int_equal(remarks_with(capture, CAIRN_WARNING,
                                      "4 bytes behind missing cycles are left out, up to the next "
                                      "alignment synchronisation."),
                         1);
        cairn_capture_free(capture);
    }
}

/* While nothing is traced, wires other than TRACECTL and TRACEDATA[0] say nothing (Table 4-1). */
static void idle(void **state)
{
    const struct folder *folder = *state;
    static const uint8_t bytes[] = {0x81, 0x88};

    folder_text(folder, "i.vcd",
                "$var wire 1 c TRACECLK $end $var wire 1 t TRACECTL $end\n"
                "$var wire 8 d TRACEDATA $end $enddefinitions $end\n"
                "#0 0c 0t b10000001 d #1 1c #2 1t bxxxxxxx1 d #3 0c #4 0t b10001000 d #5 1c #6\n");
    struct cairn_capture *capture = open_ok(folder_path(folder, "i.vcd"), NULL);
    expect(capture, bytes, sizeof bytes);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "neither 0 nor 1"), 0);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "3 cycles, 2 of them"), 1);
    cairn_capture_free(capture);
}

/* $dumpoff stops the clock as well, so that no cycle of what is missing is seen. */
static void dump_off(void **state)
{
    static const uint8_t front[] = {0x08, 0x21};
    uint8_t expected[sizeof front + sizeof trace];

    begin(8);
    put(front, sizeof front);
    add("#%u $dumpoff xc bx d $end\n#%u $dumpon %uc b0 d $end\n", wave.time + 2, wave.time + 90,
        wave.clock);
    wave.time += 92;
    put(front, sizeof front);
    put(trace, sizeof trace);
    add("#%u $dumpoff xc bx d $end\n",
        wave.time + 2); /* the end of the recording, behind which nothing is missing */
    struct cairn_capture *capture = open_wave(*state, NULL);
    memcpy(expected, front, sizeof front);
    memcpy(expected + sizeof front, trace, sizeof trace);
    expect(capture, expected, sizeof expected);
    assert_int_equal(
        remarks_with(capture, CAIRN_WARNING, "TRACECLK stopped being 0 or 1 in 1 place"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "2 bytes behind missing cycles are left"),
                     1);
    cairn_capture_free(capture);
    /* and where no A-sync comes any more */
    begin(8);
    put(trace, sizeof trace);
    put_unknown();
    put(front, sizeof front);
    capture = open_wave(*state, NULL);
    expect(capture, trace, sizeof trace);
    assert_int_equal(
        remarks_with(capture, CAIRN_WARNING, "behind the last of these cycles none comes"), 1);
    cairn_capture_free(capture);
}

/* The same of samples, which have a mark for it. */
static void dump_off_samples(void **state)
{
    const struct folder *folder = *state;
    static const uint8_t samples[] = {1, 0, 2, 0, 2, 4, 2, 0};

    folder_text(folder, "o.vcd",
                "$var wire 1 c TRACECLK $end $var wire 3 p PIPESTAT $end $var wire 1 s TRACESYNC "
                "$end\n$var wire 4 d TRACEPKT $end $enddefinitions $end\n"
                "#0 0c b1 p 0s b10 d #1 1c #2 $dumpoff xc bx p xs bx d $end\n"
                "#9 $dumpon 0c b10 p 0s b10 d $end #10 1c #11\n");
    struct cairn_capture *capture = open_ok(folder_path(folder, "o.vcd"), NULL);
    expect(capture, samples, sizeof samples);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING,
                                  "in 1 place ($dumpoff, x or z): what the port showed until it "
                                  "was so again is missing, and the next sample is marked"),
                     1);
    cairn_capture_free(capture);
}

/* A TPIU's frames count again from the next FSYNC on, wherever it begins. */
static void frames(void **state)
{
    static const uint8_t fsync[] = {0xff, 0xff, 0xff, 0x7f},
                         frame[] = {0x21, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                    0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0x00},
                         data[] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                   0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee};
    static const unsigned widths[] = {1, 4, 8};
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    uint8_t expected[2 * sizeof data];

    options.format = CAIRN_FORMAT_DSTREAM_CORESIGHT;
    options.protocol = CAIRN_PROTOCOL_PTM;
    options.trace_id = 0x10;
    memcpy(expected, data, sizeof data);
    memcpy(expected + sizeof data, data, sizeof data);
    for (unsigned w = 0; w < 3; w++)
        for (unsigned unknown = 0; unknown < 2; unknown++) {
            if (widths[w] == 8 && !unknown)
                continue; /* whole bytes were missed */
            begin(widths[w]);
            put(fsync, sizeof fsync);
            put(frame, sizeof frame);
            if (unknown)
                put_unknown();
            put(frame, 3);
            for (unsigned i = 0; i < 4; i++)
                put_bit(0);
            if (widths[w] == 8)
                for (unsigned i = 0; i < 4; i++)
                    put_bit(0);
            put(fsync, sizeof fsync);
            put(frame, sizeof frame);
            struct cairn_capture *capture = open_wave(*state, &options);
            expect(capture, expected, sizeof expected);
            assert_int_equal(
                remarks_with(capture, CAIRN_WARNING, "left out, up to the next FSYNC."), unknown);
            assert_int_equal(remarks_with(capture, CAIRN_WARNING, "1 FSYNC began inside a byte"),
                             !unknown);
            cairn_capture_free(capture);
        }
}

/* Whatever place reading goes on from knows what came before it. */
static void anywhere(void **state)
{
    struct cairn_reader *reader;
    struct cairn_chunk chunk;
    size_t size, again;

    begin(4);
    for (unsigned i = 0; i < 900; i++) {
        put(trace, sizeof trace);
        if (i % 7 == 3)
            for (unsigned k = 0; k < 4; k++)
                put_bit(1);
        if (i % 11 == 5)
            put_unknown();
    }
    struct cairn_capture *capture = open_wave(*state, NULL);
    uint8_t *bytes = read_source(capture, 0, &size);
    assert_int_equal(cairn_reader_new(capture, 0, &reader, NULL), CAIRN_OK);
    for (size_t at = 0; at<size; at += TEST_SHARE> 1 ? 205 : 41) {
        assert_int_equal(cairn_reader_seek(reader, at), CAIRN_OK);
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        assert_int_equal(chunk.offset, at);
        again = size - at < chunk.size ? size - at : chunk.size;
        assert_memory_equal(chunk.data, bytes + at, again);
    }
    free(bytes);
    cairn_reader_free(reader);
    cairn_capture_free(capture);
}

/* What fills no byte is not there, and that is said. */
static void last_bits(void **state)
{
    static const uint8_t bytes[] = {0x84};

    begin(4);
    put(bytes, 1);
    for (unsigned i = 0; i < 4; i++)
        put_bit(1);
    struct cairn_capture *capture = open_wave(*state, NULL);
    expect(capture, bytes, 1);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE,
                                  "the last 4 bits of the port fill no byte and are left out"),
                     1);
    cairn_capture_free(capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shifted, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(not_shifted, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(other_protocols, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(unreadable, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(idle, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(dump_off, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(dump_off_samples, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(frames, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(anywhere, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(last_bits, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
