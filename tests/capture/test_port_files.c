/* SPDX-License-Identifier: BSD-2-Clause */
/* Value change dumps as tools write them, and OpenOCD's dumps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/port.h>

#include "folder.h"

static void expect_bytes(const struct cairn_capture *capture, const void *expected, size_t count)
{
    size_t size;
    uint8_t *bytes = read_source(capture, 0, &size);

    assert_int_equal(size, count);
    if (count)
        assert_memory_equal(bytes, expected, count);
    free(bytes);
}

/* Vectors and single wires, scopes, ranges both ways, comments, reals, one time twice, CR LF; what changes with
 * the clock is taken as it was. */
static void dialects(void **state)
{
    const struct folder *folder = *state;
    static const char text[] =
        "$date today $end\r\n$version any $end\n$comment $var wire 1 ! TRACECLK $end\n"
        "$timescale\n 1us\n$end\n"
        "$scope module top $end\n$var real 64 R volts $end\n$var integer 32 long_code_0 count $end\n"
        "$scope module port $end\n"
        "$var wire 4 D TRACEDATA [0:3] $end\n$var reg 1 clk_code \\TRACECLK $end\n"
        "$upscope $end\n$var wire 1 ! TRACECTL $end\n$upscope $end\n"
        "$enddefinitions $end\n"
        "$dumpvars bxxxx D 0! 0clk_code r0.5 R b101 long_code_0 $end\n"
        "#1\nb0001 D\n#2\n1clk_code\n$comment #3 0clk_code $end\nsText R\n#2\nb1100 D\n"
        "#5 0clk_code bz D #5 b1 D\n"
        "#18446744073709551615 1clk_code\n";
    /* bit 0 is the leftmost: 1000, 0011, then "1" filled up with 0: 0001 -> 8 */
    static const uint8_t bytes[] = {0x38};

    folder_text(folder, "a.vcd", text);
    struct cairn_capture *capture = open_ok(folder_path(folder, "a.vcd"), NULL);
    assert_int_equal(source_at(capture, 0).protocol, CAIRN_PROTOCOL_ETMV3);
    assert_int_equal(
        remarks_with(capture, CAIRN_NOTE, "an ETMv3, 4 pins, mode half-rate: 3 cycles"), 1);
    expect_bytes(capture, bytes, sizeof bytes);
    assert_int_equal(buffer_at(capture, 0).bytes, 1);
    cairn_capture_free(capture);
}

/* x, z and $dumpoff: the cycle is left out, and the next one marked. */
static void unknown_levels(void **state)
{
    const struct folder *folder = *state;
    static const char text[] =
        "$var wire 1 c TRACECLK $end $var wire 3 p PIPESTAT [2:0] $end\n"
        "$var wire 1 s TRACESYNC $end $var wire 4 d TRACEPKT [3:0] $end $enddefinitions $end\n"
        "#0 0c b001 p 0s b1010 d #1 1c #2 0c\n"                 /* stored */
        "bx0 p #3 1c #4 0c b010 p\n"                            /* PIPESTAT[2]: as its left is */
        "#5 1c #6 0c\n"                                         /* stored, marked */
        "#7 1c #8 $dumpoff xc bx p xs bx d $end\n"              /* stored; then nothing is known */
        "#90 $dumpon 0c b011 p 1s b0001 d $end #91 1c #92 0c\n" /* stored, marked */
        "b00z d #93 1c #94\n"; /* left out, and nothing behind it */
    static const uint8_t samples[] = {1, 0, 10, 0, 2, 4, 10, 0, 2, 0, 10, 0, 3, 5, 1, 0};

    folder_text(folder, "x.vcd", text);
    struct cairn_capture *capture = open_ok(folder_path(folder, "x.vcd"), NULL);
    expect_bytes(capture, samples, sizeof samples);
    assert_string_equal(source_at(capture, 0).type, "ETMv1");
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "in 2 of 6 cycles a wire was neither"),
                     1);
    /* 4 pins and mode normal are ETMCR 0 */
    assert_int_equal(
        register_of(
            &(struct cairn_source_info){.registers = source_at(capture, 0).registers,
                                        .register_count = source_at(capture, 0).register_count},
            "ETMCR"),
        0);
    cairn_capture_free(capture);
}

static unsigned remarks_in(const struct folder *folder, const struct cairn_capture_options *options,
                           const char *part)
{
    struct cairn_capture *capture = open_ok(folder_path(folder, "la.vcd"), options);
    const unsigned count = remarks_with(capture, CAIRN_WARNING, part);

    cairn_capture_free(capture);
    return count;
}

/* Wires of other names, told by --pins; more of them than the port has. */
static void told_pins(void **state)
{
    const struct folder *folder = *state;
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    static const char text[] = "$scope module la $end $var wire 8 b POD [7:0] $end\n"
                               "$var wire 1 k CLK $end $upscope $end\n"
                               "$scope module other $end $var wire 1 j CLK $end $upscope $end\n"
                               "$enddefinitions $end\n"
                               "#0 0k 1j b11010010 b #1 1k #2 b01110010 b #3 0k #4\n";
    /* POD[7:4] is TRACEDATA: d, 7; without TRACECTL every cycle counts */
    static const uint8_t bytes[] = {0x7d};

    folder_text(folder, "la.vcd", text);
    options.protocol = CAIRN_PROTOCOL_ETMV3;
    options.pins =
        "TRACEDATA[0]=POD[4],TRACEDATA[1]=POD[5], TRACEDATA[2]=POD[6],TRACEDATA[3]=POD[7],"
        "TRACECLK=la.CLK";
    struct cairn_capture *capture = open_ok(folder_path(folder, "la.vcd"), &options);
    expect_bytes(capture, bytes, sizeof bytes);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "TRACECTL is not in the file"), 1);
    cairn_capture_free(capture);

    /* TRACECTL[0] is bit 3, which is 0: the same, and said no more */
    options.pins = "TRACEDATA=POD,TRACECTL=POD[3],TRACECLK=la.CLK";
    options.port_width = 4;
    capture = open_ok(folder_path(folder, "la.vcd"), &options);
    expect_bytes(capture, "\x22", 1);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "TRACECTL is not"), 0);
    cairn_capture_free(capture);

    /* two wires have the name that is given, and one the path */
    assert_int_equal(remarks_in(folder, &options, "more than one wire"), 0);
    options.pins = "TRACEDATA=POD,TRACECTL=POD[3],TRACECLK=CLK";
    assert_int_equal(
        remarks_in(folder, &options, "more than one wire has the name that is given for TRACECLK;"),
        1);
    options.pins = "TRACEDATA=POD,TRACECTL=POD[3],TRACECLK=la.CLK";

    /* rising edges alone */
    options.port_width = 8;
    options.port_mode = "dynamic";
    capture = open_ok(folder_path(folder, "la.vcd"), &options);
    expect_bytes(capture, "\xd2", 1);
    cairn_capture_free(capture);
}

static void refused(void **state)
{
    const struct folder *folder = *state;
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    static const struct {
        const char *text, *pins, *mode;
        unsigned width;
        cairn_status status;
        const char *part;
    } rows[] = {
        {"$timescale 1ns $end\n", NULL, NULL, 0, CAIRN_E_FORMAT, "ends in its declarations"},
        {"$var wire 1 a D0 $end $enddefinitions $end", NULL, NULL, 0, CAIRN_E_CONFIG,
         "none of its names is a trace port's"},
        {"$var wire 4 a TRACEDATA $end $enddefinitions $end", NULL, NULL, 0, CAIRN_E_CONFIG,
         "TRACECLK is not in the file"},
        {"$var wire 4 a TRACEDATA $end $enddefinitions $end", "TRACECLK=nowhere", NULL, 0,
         CAIRN_E_CONFIG, "there is no wire nowhere"},
        {"$var wire 4 a TRACEDATA $end $enddefinitions $end", "TRACEFOO=a", NULL, 0, CAIRN_E_CONFIG,
         "no signal of a trace port"},
        {"$var wire 4 a TRACEDATA $end $enddefinitions $end", "mictor39", NULL, 0, CAIRN_E_CONFIG,
         "is no map of pins"},
        {"$var wire 4 a TRACEDATA $end $enddefinitions $end", "21=a", NULL, 0, CAIRN_E_CONFIG,
         "a pin that is nTRST"},
        {"$var wire 4 a TRACEDATA $end $enddefinitions $end", "TRACECLK=a[b]", NULL, 0,
         CAIRN_E_CONFIG, "names no wire"},
        {"$var wire 4 a TRACEDATA $end $enddefinitions $end", "TRACECLK=a[4]", NULL, 0,
         CAIRN_E_CONFIG, "or it has no such bit"},
        {"$var wire 4 a TRACEDATA $end $enddefinitions $end", "mictor38", NULL, 0, CAIRN_E_CONFIG,
         "give the protocol"},
        {"$var wire 4 a TRACEDATA $end $enddefinitions $end", NULL, "multiplexed", 0,
         CAIRN_E_CONFIG, "an ETMv3 has no mode \"multiplexed\"; give one of half-rate, dynamic"},
        {"$var wire 4 a TRACEDATA $end $enddefinitions $end", NULL, NULL, 8, CAIRN_E_CONFIG,
         "TRACEDATA[4] is not in the file, which an ETMv3 port of 8 pins"},
        {"$var wire 3 p PIPESTAT $end $var wire 16 a TRACEPKT $end $enddefinitions $end", NULL,
         NULL, 12, CAIRN_E_CONFIG, "an ETMv1 cannot have 12 pins"},
        {"$var wire 3 p PIPESTAT $end $var wire 3 a TRACEPKT $end $enddefinitions $end", NULL, NULL,
         0, CAIRN_E_CONFIG, "TRACEPKT[3] is not in the file"},
        {"$var wire 5000 p TRACEDATA $end $enddefinitions $end", NULL, NULL, 0, CAIRN_E_UNSUPPORTED,
         "more than 4096 bits"},
        {"$var wire 1 abcdefghijklmnopqrstuvwxyzabcdefghijkl TRACECLK $end $enddefinitions $end",
         NULL, NULL, 0, CAIRN_E_UNSUPPORTED, "more than 31 letters"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        folder_text(folder, "bad.vcd", rows[i].text);
        options.pins = rows[i].pins;
        options.port_mode = rows[i].mode;
        options.port_width = rows[i].width;
        open_fails(folder_path(folder, "bad.vcd"), &options, rows[i].status, rows[i].part);
    }
    folder_text(
        folder, "bad.vcd",
        "$var wire 4 a TRACEDATA $end $var wire 1 c TRACECLK $end $enddefinitions $end #1 b1 a");
    options = (struct cairn_capture_options)CAIRN_CAPTURE_OPTIONS_INIT;
    struct cairn_capture *capture = open_ok(folder_path(folder, "bad.vcd"), &options);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, "TRACECLK never changes"), 1);
    expect_bytes(capture, NULL, 0);
    cairn_capture_free(capture);
    folder_text(folder, "port.ini", "[source a]\nport_width=33\n");
    options.config_path = folder_path(folder, "port.ini");
    open_fails(folder_path(folder, "bad.vcd"), &options, CAIRN_E_FORMAT, "1 to 32 pins");
}

/* What ETMCR says of an ETMv1's port counts before what the file's names say. */
static void etmcr(void **state)
{
    const struct folder *folder = *state;
    static const struct cairn_register half_rate = {"ETMCR", 1 << 13}, bad = {"ETMCR", 3 << 16},
                                       wide = {"ETMCR", 2 << 4}, other_bits = {"ETMCR", 0xa02c};
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    static const char text[] =
        "$var wire 1 c TRACECLK $end $var wire 4 p PIPESTAT $end $var wire 8 d TRACEPKT $end\n"
        "$enddefinitions $end #0 0c b1001 p b10100101 d #1 1c #2 b1010 p #3 0c #4\n";
    static const uint8_t eight[] = {9, 0, 0xa5, 0}, four[] = {9, 0, 5, 0, 10, 0, 5, 0};

    folder_text(folder, "v2.vcd", text);
    struct cairn_capture *capture = open_ok(folder_path(folder, "v2.vcd"), NULL);
    struct cairn_source_info info = source_at(capture, 0);
    assert_string_equal(info.type, "ETMv2");
    assert_int_equal(register_of(&info, "ETMCR"), 1 << 4); /* 8 pins */
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "ETMCR was not given; 0x10 is assumed"),
                     1);
    expect_bytes(capture, eight, sizeof eight);
    cairn_capture_free(capture);

    options.registers = &half_rate;
    options.register_count = 1;
    capture = open_ok(folder_path(folder, "v2.vcd"), &options);
    info = source_at(capture, 0);
    assert_int_equal(register_of(&info, "ETMCR"), 1 << 13);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "ETMCR was not given"), 0);
    expect_bytes(capture, four, sizeof four);
    cairn_capture_free(capture);

    /* what was asked for is what the samples are, and what their decoder is told */
    options.registers = &other_bits;
    options.port_width = 8;
    options.port_mode = "normal";
    capture = open_ok(folder_path(folder, "v2.vcd"), &options);
    info = source_at(capture, 0);
    assert_int_equal(register_of(&info, "ETMCR"), 0x801c);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING,
                                  "ETMCR 0xa02c is that of a port of another width or mode"),
                     1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "0x801c is taken"), 1);
    expect_bytes(capture, eight, sizeof eight);
    cairn_capture_free(capture);
    options.registers = &(struct cairn_register){"ETMCR", 0x801c};
    capture = open_ok(folder_path(folder, "v2.vcd"), &options);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "another width or mode"), 0);
    cairn_capture_free(capture);
    options.port_width = 0;
    options.port_mode = NULL;

    options.registers = &bad;
    open_fails(folder_path(folder, "v2.vcd"), &options, CAIRN_E_CONFIG, "has a port mode");
    options.registers = &wide;
    open_fails(folder_path(folder, "v2.vcd"), &options, CAIRN_E_CONFIG, "TRACEPKT[8] is not");
}

/* The trace unit that registers tell of is the one whose port is looked for. */
static void etmidr(void **state)
{
    const struct folder *folder = *state;
    struct cairn_register registers[] = {{"ETMCR", 1 << 4}, {"ETMIDR", 0x4104f230}};
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;

    options.registers = registers;
    options.register_count = 2;
    folder_text(
        folder, "i.vcd",
        "$var wire 1 c TRACECLK $end $var wire 4 p PIPESTAT $end $var wire 1 s TRACESYNC "
        "$end\n$var wire 8 d TRACEPKT $end $enddefinitions $end #0 0c 0s b1001 p b1 d #1 1c "
        "#2\n");
    open_fails(folder_path(folder, "i.vcd"), &options, CAIRN_E_CONFIG,
               "TRACEDATA[0] is not in the file, which an ETMv3 port");
    registers[1].value = 0x41002110; /* ETMv2.1 */
    struct cairn_capture *capture = open_ok(folder_path(folder, "i.vcd"), &options);
    assert_int_equal(source_at(capture, 0).protocol, CAIRN_PROTOCOL_ETMV2);
    expect_bytes(capture, "\x09\x00\x01\x00", 4);
    cairn_capture_free(capture);
}

/* Any byte is reached as well as the first: a dump of more than the places that are kept. */
static void anywhere(void **state)
{
    const struct folder *folder = *state;
    const unsigned count = 40000;
    struct cairn_reader *reader;
    struct cairn_chunk chunk;
    static char text[40000 * 40 + 200];
    size_t size = (size_t)snprintf(text, sizeof text,
                                   "$var wire 1 c TRACECLK $end $var wire 8 d TRACEDATA $end"
                                   " $enddefinitions $end #0 0c\n");
    for (unsigned i = 0; i < count; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "#%u b%u%u%u%u00%u%u d #%u %uc\n",
                                 10 * i + 1, i >> 5 & 1, i >> 4 & 1, i >> 3 & 1, i >> 2 & 1,
                                 i >> 1 & 1, i & 1, 10 * i + 6, !(i & 1));
    folder_write(folder, "long.vcd", text, size);
    struct cairn_capture *capture = open_ok(folder_path(folder, "long.vcd"), NULL);
    assert_int_equal(buffer_at(capture, 0).bytes, count);
    assert_int_equal(cairn_reader_new(capture, 0, &reader, NULL), CAIRN_OK);
    for (unsigned at = count - 1; at < count; at -= 3333) {
        assert_int_equal(cairn_reader_seek(reader, at), CAIRN_OK);
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        assert_int_equal(chunk.offset, at);
        assert_int_equal(chunk.size, count - at);
        assert_int_equal(chunk.data[0], (at & 3) | (at & 0x3c) << 2);
    }
    cairn_reader_free(reader);
    cairn_capture_free(capture);
}

/* _A and _B: two cycles of one port, or two ports; one name in two scopes. */
static void halves(void **state)
{
    const struct folder *folder = *state;
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    static const char text[] =
        "$var wire 1 c TRACECLK $end $var wire 1 k TRACECLK_B $end\n"
        "$var wire 3 p PIPESTAT_A $end $var wire 3 q PIPESTAT_B $end\n"
        "$var wire 1 s TRACESYNC_A $end $var wire 1 t TRACESYNC_B $end\n"
        "$var wire 4 d TRACEPKT_A $end $var wire 4 e TRACEPKT_B $end $enddefinitions $end\n"
        "#0 0c 0k b1 p b10 q 0s 1t b11 d b100 e #1 1c #2 1k #3\n";
    static const uint8_t both[] = {2, 1, 4, 0, 1, 0, 3, 0};
    static const char scopes[] =
        "$scope module a $end $var wire 4 d TRACEDATA $end $var wire 1 c TRACECLK $end $upscope $end\n"
        "$scope module b $end $var wire 4 D TRACEDATA $end $var wire 1 c TRACECLK $end $upscope $end\n"
        "$enddefinitions $end #0 0c b1 d b10 D #1 1c #2 b11 d b100 D #3 0c #4\n";

    folder_text(folder, "h.vcd", text);
    struct cairn_capture *capture = open_ok(folder_path(folder, "h.vcd"), NULL);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "an ETMv1, 4 pins, mode demultiplexed:"), 1);
    expect_bytes(capture, both, sizeof both);
    cairn_capture_free(capture);
    options.pins = "a";
    capture = open_ok(folder_path(folder, "h.vcd"), &options);
    expect_bytes(capture, both + 4, 4);
    cairn_capture_free(capture);
    options.pins = "B";
    capture = open_ok(folder_path(folder, "h.vcd"), &options);
    expect_bytes(capture, both, 4);
    cairn_capture_free(capture);
    /* one port has not both cycles of a signal; a pin of it may have two signals */
    options.port_mode = "demultiplexed";
    open_fails(folder_path(folder, "h.vcd"), &options, CAIRN_E_CONFIG,
               "pins \"b\" is one of two ports, of which none is demultiplexed; give names, which");
    options.port_mode = "demultiplexed-half-rate";
    options.pins = "a";
    open_fails(folder_path(folder, "h.vcd"), &options, CAIRN_E_CONFIG,
               "none is demultiplexed-half");
    options.port_mode = "multiplexed";
    capture = open_ok(folder_path(folder, "h.vcd"), &options);
    expect_bytes(capture, NULL, 0); /* there is no falling edge */
    cairn_capture_free(capture);
    options.protocol = CAIRN_PROTOCOL_ETMV1;
    options.pins = "mictor38-a";
    open_fails(folder_path(folder, "h.vcd"), &options, CAIRN_E_CONFIG,
               "none is multiplexed (Table 8-6); give mictor38, which");
    options.port_mode = "demultiplexed";
    options.pins = "mictor38-b";
    open_fails(folder_path(folder, "h.vcd"), &options, CAIRN_E_CONFIG,
               "none is demultiplexed (Table 8-6); give mictor38, which");
    options = (struct cairn_capture_options)CAIRN_CAPTURE_OPTIONS_INIT;

    folder_text(folder, "s.vcd", scopes);
    capture = open_ok(folder_path(folder, "s.vcd"), NULL);
    expect_bytes(capture, "\x31", 1);
    assert_int_equal(
        remarks_with(capture, CAIRN_WARNING, "more than one wire is called TRACEDATA[0]"), 1);
    cairn_capture_free(capture);
    options.pins = "TRACEDATA=b.TRACEDATA";
    capture = open_ok(folder_path(folder, "s.vcd"), &options);
    expect_bytes(capture, "\x42", 1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "more than one wire"), 0);
    cairn_capture_free(capture);

    /* a pin is one of the connector */
    options.pins = "38=d";
    options.protocol = CAIRN_PROTOCOL_ETMV3;
    open_fails(folder_path(folder, "s.vcd"), &options, CAIRN_E_CONFIG, "there is no wire d");
    options.pins = "38=TRACEDATA[0]";
    capture = open_ok(folder_path(folder, "s.vcd"), &options);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "an ETMv3, 1 pin, mode half-rate: 2 cycles"),
                     1);
    cairn_capture_free(capture);
}

/* Eight wires were recorded of a port of four pins. */
static void narrow(void **state)
{
    const struct folder *folder = *state;
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    char text[8192];
    size_t size = (size_t)snprintf(text, sizeof text,
                                   "$var wire 1 c TRACECLK $end $var wire 8 d TRACEDATA $end"
                                   " $enddefinitions $end #0 0c\n");

    for (unsigned i = 0; i < 70; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "#%u b1010%u%u%u%u d #%u %uc\n",
                                 4 * i + 1, i >> 3 & 1, i >> 2 & 1, i >> 1 & 1, i & 1, 4 * i + 3,
                                 !(i & 1));
    folder_write(folder, "n.vcd", text, size);
    struct cairn_capture *capture = open_ok(folder_path(folder, "n.vcd"), NULL);
    assert_int_equal(
        remarks_with(capture, CAIRN_WARNING,
                     "TRACEDATA[7:4] never changed in 70 cycles with trace: the width of "
                     "the port looks like 4, not 8"),
        1);
    cairn_capture_free(capture);
    options.port_width = 4;
    capture = open_ok(folder_path(folder, "n.vcd"), &options);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "never changed"), 0);
    cairn_capture_free(capture);
}

/* A TPIU's frames, with FSYNCs between, on four pins: what a format means of any other file. */
static void frames(void **state)
{
    const struct folder *folder = *state;
    static const uint8_t port[] = {0xff, 0xff, 0xff, 0x7f, /* FSYNC; then a frame of ID 0x10 */
                                   0x21, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                   0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0x00};
    static const uint8_t data[] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                   0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee};
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    char text[4096];
    size_t size = (size_t)snprintf(text, sizeof text,
                                   "$var wire 1 c TRACECLK $end $var wire 4 d TRACEDATA $end"
                                   " $enddefinitions $end #0 0c\n");

    for (unsigned i = 0; i < 2 * sizeof port; i++) {
        const unsigned nibble = port[i / 2] >> 4 * (i % 2) & 15;
        size += (size_t)snprintf(text + size, sizeof text - size, "#%u b%u%u%u%u d #%u %uc\n",
                                 4 * i + 1, nibble >> 3, nibble >> 2 & 1, nibble >> 1 & 1,
                                 nibble & 1, 4 * i + 3, !(i & 1));
    }
    folder_write(folder, "tpiu.vcd", text, size);
    options.format = CAIRN_FORMAT_DSTREAM_CORESIGHT;
    options.protocol = CAIRN_PROTOCOL_PTM;
    options.trace_id = 0x10;
    struct cairn_capture *capture = open_ok(folder_path(folder, "tpiu.vcd"), &options);
    assert_int_equal(source_at(capture, 0).protocol, CAIRN_PROTOCOL_PTM);
    expect_bytes(capture, data, sizeof data);
    cairn_capture_free(capture);
    /* samples are in no frames */
    folder_text(
        folder, "v2.vcd",
        "$var wire 1 c TRACECLK $end $var wire 4 p PIPESTAT $end $var wire 8 d TRACEPKT $end\n"
        "$enddefinitions $end #0 0c b1001 p b1 d #1 1c #2 0c\n");
    options = (struct cairn_capture_options)CAIRN_CAPTURE_OPTIONS_INIT;
    options.format = CAIRN_FORMAT_CORESIGHT;
    open_fails(folder_path(folder, "v2.vcd"), &options, CAIRN_E_CONFIG, "samples, and no frames");
}

/* --- OpenOCD's `etm dump` --- */

static void etm_dump(void **state)
{
    const struct folder *folder = *state;
    /* status, ETMCR, records; PIPESTAT, TRACEPKT, flags */
    static const uint8_t dump[] = {
        0, 0, 0, 4, 0, 0, 0x10, 0x14, 0, 0, 0, 3, /* head */
        0, 0, 0, 4, 0, 0, 0,    0x80, 0, 0, 0, 1, /* BE, TRACESYNC */
        0, 0, 0, 3, 0, 0, 0x12, 0x34, 0, 0, 0, 2, /* WT, trigger */
        0, 0, 0, 7, 0, 0, 0,    0,    0, 0, 0, 0, /* TD */
    };
    static const uint8_t samples[] = {4, 1, 0x80, 0, 3, 2, 0x34, 0x12, 7, 0, 0, 0};
    uint8_t written[sizeof dump];
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;

    folder_write(folder, "trace.bin", dump, sizeof dump);
    struct cairn_capture *capture = open_ok(folder_path(folder, "trace.bin"), NULL);
    const struct cairn_source_info info = source_at(capture, 0);
    assert_string_equal(info.type, "ETMv1");
    assert_int_equal(register_of(&info, "ETMCR"), 0x1014);
    expect_bytes(capture, samples, sizeof samples);
    cairn_capture_free(capture);

    cairn_etm_dump_head(4, 0x1014, 3, written);
    for (unsigned i = 0; i < 3; i++)
        cairn_etm_dump_record(samples + 4 * i, written + 12 + 12 * i);
    assert_memory_equal(written, dump, sizeof dump);

    folder_write(folder, "cut.bin", dump, sizeof dump - 5);
    capture = open_ok(folder_path(folder, "cut.bin"), NULL);
    expect_bytes(capture, samples, 8);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "it was cut off"), 1);
    cairn_capture_free(capture);

    /* samples are no bytes of another trace unit */
    options.protocol = CAIRN_PROTOCOL_ETMV3;
    open_fails(folder_path(folder, "trace.bin"), &options, CAIRN_E_CONFIG,
               "was read as the port of an ETMv1, which ETMv3 does not write to");
    options.protocol = CAIRN_PROTOCOL_ETMV2;
    capture = open_ok(folder_path(folder, "trace.bin"), &options);
    expect_bytes(capture, samples, sizeof samples);
    cairn_capture_free(capture);

    /* what is no such dump: a flag more, records more than it says, none */
    memcpy(written, dump, sizeof dump);
    written[35] = 4;
    folder_write(folder, "no.bin", written, sizeof written);
    capture = open_ok(folder_path(folder, "no.bin"), NULL);
    assert_int_equal(buffer_at(capture, 0).bytes, sizeof dump);
    cairn_capture_free(capture);
    memcpy(written, dump, sizeof dump);
    written[11] = 2;
    folder_write(folder, "no.bin", written, sizeof written);
    capture = open_ok(folder_path(folder, "no.bin"), NULL);
    assert_int_equal(buffer_at(capture, 0).bytes, sizeof dump);
    cairn_capture_free(capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(dialects, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(unknown_levels, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(told_pins, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(etmcr, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(etmidr, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(anywhere, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(halves, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(narrow, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(frames, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(etm_dump, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
