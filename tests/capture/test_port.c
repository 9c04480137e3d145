/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of a trace port, written here by hand from the tables of IHI0014 chapter 8, and what is read of
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/port.h>

#include "folder.h"

/* --- a waveform of a connector's pins --- */

struct wave {
    char text[64 << 10];
    size_t size;
    unsigned time;
    unsigned clock;
    char level[2][39]; /* 0: not told yet */
};

static struct wave wave;

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    wave.size +=
        (size_t)vsnprintf(wave.text + wave.size, sizeof wave.text - wave.size, format, arguments);
    va_end(arguments);
    assert_true(wave.size < sizeof wave.text);
}

/* Printable and not a digit, so that no code is a value. */
static const char *code_of(unsigned connector, unsigned pin)
{
    static char codes[4][4];
    static unsigned next;
    char *code = codes[next++ % 4];
    snprintf(code, sizeof codes[0], "%c%c", connector ? 'b' : 'a', 58 + (int)pin);
    return code;
}

static void wave_begin(void)
{
    memset(&wave, 0, sizeof wave);
    add("$timescale 10 ps $end\n$scope module board $end\n");
    for (unsigned connector = 0; connector < 2; connector++)
        for (unsigned pin = 5; pin <= 38; pin++)
            add("$var wire 1 %s pin%s%u $end\n", code_of(connector, pin), connector ? "b" : "",
                pin);
    add("$upscope $end\n$enddefinitions $end\n#0\n0%s\n", code_of(0, 6));
}

static void set(unsigned connector, unsigned pin, unsigned level)
{
    char *was = &wave.level[connector][pin];
    if (*was == (char)('0' + level))
        return;
    *was = (char)('0' + level);
    add("%u%s\n", level, code_of(connector, pin));
}

static void step(void)
{
    add("#%u\n", wave.time += 5);
}

static void toggle(void)
{
    step();
    wave.clock ^= 1;
    add("%u%s\n", wave.clock, code_of(0, 6));
    step();
}

/* A rising edge, with the falling one behind it where only that one samples. */
static void tick(bool both)
{
    toggle();
    if (!both) {
        step();
        toggle();
    }
}

struct cycle {
    uint8_t pipestat, sync;
    uint16_t packet;
};

/* Trace signal 1 to 20 (Table 8-2). */
static unsigned trace_signal(unsigned version, const struct cycle *cycle, unsigned n)
{
    if (n <= 3)
        return cycle->pipestat >> (n - 1) & 1;
    if (n == 4)
        return version == 1 ? cycle->sync : cycle->pipestat >> 3 & 1;
    return cycle->packet >> (n - 5) & 1;
}

static const uint8_t single[] = {38, 36, 34, 32, 30, 28, 26, 24, 22, 20,
                                 18, 16, 37, 35, 33, 31, 29, 27, 25, 23};

static void show(unsigned version, unsigned connector, const struct cycle *cycle)
{
    for (unsigned n = 1; n <= 20; n++)
        set(connector, single[n - 1], trace_signal(version, cycle, n));
}

/* Table 8-9: even pins for A, odd ones for B. */
static void show_half(unsigned version, const struct cycle *cycle, unsigned B)
{
    for (unsigned n = 1; n <= 8; n++)
        set(0, 40 - 2 * n - B, trace_signal(version, cycle, n));
}

/* Table 8-8: trace signals at the rising and at the falling edge, on even pins from 38 down. */
static const uint8_t pairs[10][2] = {{1, 4},   {2, 6},   {3, 7},   {5, 8},   {9, 10},
                                     {11, 12}, {13, 14}, {15, 16}, {17, 18}, {19, 20}};

static void show_pairs(unsigned version, const struct cycle *cycle, unsigned falling)
{
    for (unsigned i = 0; i < 10; i++)
        set(0, 38 - 2 * i, trace_signal(version, cycle, pairs[i][falling]));
}

/* What is on the pins is stored, so nothing of it says "trace disabled". */
static const struct cycle cycles[] = {
    {4, 1, 0x5a81}, {0, 0, 0x00fe}, {1, 0, 0xc3a7}, {3, 1, 0xffff},
    {6, 0, 0x0004}, {7, 0, 0x8001}, {2, 0, 0x1234}, {5, 1, 0x8000},
};
#define CYCLES (sizeof cycles / sizeof cycles[0])

static void draw(unsigned version, unsigned width, const char *mode)
{
    const bool half = strstr(mode, "half-rate") != NULL;

    wave_begin();
    for (size_t i = 0; i < CYCLES; i++) {
        struct cycle now = cycles[i];
        if (version == 2 && now.pipestat != 7)
            now.pipestat |= 8;
        if (!strcmp(mode, "multiplexed")) {
            show_pairs(version, &now, 0);
            toggle();
            show_pairs(version, &now, 1);
            toggle();
        } else if (mode[0] == 'd') {
            /* the earlier one is on B */
            if (width == 4)
                show_half(version, &now, i % 2 == 0);
            else
                show(version, i % 2 == 0, &now);
            if (i % 2)
                tick(half);
        } else {
            show(version, 0, &now);
            tick(half);
        }
    }
}

static void expect_samples(const struct cairn_capture *capture, unsigned version, unsigned width)
{
    size_t size;
    uint8_t *bytes = read_source(capture, 0, &size);

    assert_int_equal(size, 4 * CYCLES);
    for (size_t i = 0; i < CYCLES; i++) {
        const unsigned mask = width == 16 ? 0xffff : (1u << width) - 1;
        const unsigned high = version == 2 && cycles[i].pipestat != 7 ? 8 : 0;
        assert_int_equal(bytes[4 * i], cycles[i].pipestat | high);
        assert_int_equal(bytes[4 * i + 1], version == 1 ? cycles[i].sync : 0);
        assert_int_equal(bytes[4 * i + 2] | bytes[4 * i + 3] << 8, cycles[i].packet & mask);
    }
    free(bytes);
}

static struct cairn_capture *open_wave(const struct folder *folder, unsigned version,
                                       unsigned width, const char *mode, const char *pins)
{
    char ini[1024];
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;

    folder_text(folder, "port.vcd", wave.text);
    snprintf(ini, sizeof ini,
             "[source arm]\nprotocol=ETMv%u\npins=%s\nport_width=%u\nport_mode=%s\n", version, pins,
             width, mode);
    folder_text(folder, "port.ini", ini);
    options.config_path = folder_path(folder, "port.ini");
    return open_ok(folder_path(folder, "port.vcd"), &options);
}

/* Each legal mode of Table 2-17, each width, both versions: what the trace unit gave, cycle by cycle. */
static void clocking_modes(void **state)
{
    static const char *const modes[] = {"normal", "multiplexed", "demultiplexed", "half-rate",
                                        "demultiplexed-half-rate"};
    static const unsigned widths[] = {4, 8, 16};

    for (unsigned version = 1; version <= 2; version++)
        for (size_t m = 0; m < 5; m++)
            for (size_t w = 0; w < 3; w++) {
                draw(version, widths[w], modes[m]);
                struct cairn_capture *capture =
                    open_wave(*state, version, widths[w], modes[m], "mictor38");
                char type[8];
                snprintf(type, sizeof type, "ETMv%u", version);
                /* proves: ETM1-2.10.1-a, ETMC-8.4.1-a */
                assert_string_equal(source_at(capture, 0).type, type);
                expect_samples(capture, version, widths[w]);
                cairn_capture_free(capture);
            }
}

/* The same with one thing wrong gives another stream. */
static bool same_samples(const struct cairn_capture *capture, unsigned width)
{
    size_t size;
    uint8_t *bytes = read_source(capture, 0, &size);
    bool same = size == 4 * CYCLES;

    for (size_t i = 0; same && i < CYCLES; i++)
        same = bytes[4 * i] == cycles[i].pipestat && bytes[4 * i + 1] == cycles[i].sync &&
               (bytes[4 * i + 2] | bytes[4 * i + 3] << 8) ==
                   (cycles[i].packet & (width == 16 ? 0xffff : (1 << width) - 1));
    free(bytes);
    return same;
}

static void multiplexed(void **state)
{
    draw(1, 8, "multiplexed");
    struct cairn_capture *capture = open_wave(*state, 1, 8, "multiplexed", "mictor38");
    /* proves: ETM1-4.3.2-a, ETM1-2.10.1-c */
    assert_true(same_samples(capture, 8)); /* two signals a pin, one at each edge */
    cairn_capture_free(capture);
    capture = open_wave(*state, 1, 4, "normal", "mictor38");
    assert_false(same_samples(capture, 4)); /* rising edges alone */
    cairn_capture_free(capture);
}

static void demultiplexed(void **state)
{
    draw(1, 4, "demultiplexed");
    struct cairn_capture *capture = open_wave(*state, 1, 4, "demultiplexed", "mictor38");
    /* proves: ETM1-4.3.3-a, ETMC-8.2.5-b */
    assert_true(same_samples(capture, 4));
    cairn_capture_free(capture);
    /* with _A and _B swapped, each pair comes in the wrong order */
    capture = open_wave(
        *state, 1, 4, "demultiplexed",
        "mictor38,PIPESTAT_A[0]=pin37,PIPESTAT_A[1]=pin35,PIPESTAT_A[2]=pin33,TRACESYNC_A=pin31,"
        "TRACEPKT_A[0]=pin29,TRACEPKT_A[1]=pin27,TRACEPKT_A[2]=pin25,TRACEPKT_A[3]=pin23,"
        "PIPESTAT_B[0]=pin38,PIPESTAT_B[1]=pin36,PIPESTAT_B[2]=pin34,TRACESYNC_B=pin32,"
        "TRACEPKT_B[0]=pin30,TRACEPKT_B[1]=pin28,TRACEPKT_B[2]=pin26,TRACEPKT_B[3]=pin24");
    assert_false(same_samples(capture, 4));
    size_t size;
    uint8_t *bytes = read_source(capture, 0, &size);
    assert_int_equal(size, 4 * CYCLES);
    /* proves: ETM2-8.2.5-a */
    assert_true(bytes[0] == cycles[1].pipestat && bytes[4] == cycles[0].pipestat);
    free(bytes);
    cairn_capture_free(capture);
}

/* Trace disabled is not stored, but a cycle that counts is: PIPESTAT 7 with TRACEPKT[0]. */
static void storage(void **state)
{
    static const struct cycle run[] = {{7, 0, 0}, {0, 0, 0}, {7, 0, 1}, {7, 0, 1},
                                       {7, 0, 2}, {3, 0, 9}, {6, 0, 7}};
    static const uint8_t stored[] = {0, 0, 0, 0, 7, 0, 1, 0, 7, 0, 1, 0, 3, 0, 9, 0, 6, 0, 7, 0};
    size_t size;

    wave_begin();
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        show(1, 0, &run[i]);
        tick(false);
    }
    struct cairn_capture *capture = open_wave(*state, 1, 4, "normal", "mictor38");
    uint8_t *bytes = read_source(capture, 0, &size);
    /* proves: ETM1-4.4.2-b */
    assert_int_equal(size, sizeof stored);
    assert_memory_equal(bytes, stored, sizeof stored);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "7 cycles, 5 of them with trace"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "1 trigger, the first at offset 0x10"), 1);
    free(bytes);
    cairn_capture_free(capture);
}

/* Two ports of one connector, each by its own clock: two streams (Table 8-6). */
static void two_ports(void **state)
{
    const struct folder *folder = *state;
    static const uint8_t first[] = {1, 0, 0x21, 0, 2, 0, 0x43, 0}, second[] = {4, 1, 6, 0};
    size_t size;

    wave_begin();
    add("0%s\n", code_of(0, 5));
    const struct cycle a[] = {{1, 0, 0x21}, {2, 0, 0x43}}, b = {4, 1, 6};
    for (unsigned n = 1; n <= 12; n++)
        set(0, 40 - 2 * n, trace_signal(1, &a[0], n));
    for (unsigned n = 1; n <= 8; n++)
        set(0, 39 - 2 * n, trace_signal(1, &b, n));
    tick(false);
    for (unsigned n = 1; n <= 12; n++)
        set(0, 40 - 2 * n, trace_signal(1, &a[1], n));
    step();
    add("1%s\n", code_of(0, 5)); /* only the second port's clock */
    step();
    tick(false);
    folder_text(folder, "two.vcd", wave.text);
    folder_text(folder, "two.ini",
                "[source one]\nfile=two.vcd\nprotocol=ETMv1\npins=mictor38-a\nport_width=8\n"
                "[source other]\nfile=two.vcd\nprotocol=ETMv1\npins=mictor38-b\nport_width=4\n");
    struct cairn_capture *capture = open_ok(folder_path(folder, "two.ini"), NULL);
    uint8_t *bytes = read_source(capture, 0, &size);
    assert_int_equal(size, sizeof first);
    assert_memory_equal(bytes, first, sizeof first);
    free(bytes);
    bytes = read_source(capture, 1, &size);
    /* proves: ETMC-8.2.3-b */
    assert_int_equal(size, sizeof second);
    assert_memory_equal(bytes, second, sizeof second);
    free(bytes);
    cairn_capture_free(capture);
}

/* An analyser of ETMv2 at the port of an ETMv3, by the pins of the connector (Table 8-4). */
static void old_analyser(void **state)
{
    /* TRACECTL, TRACEDATA[0], and what PIPESTAT[3:0] seems to be */
    static const unsigned rows[][3] = {{0, 0, 4}, {0, 1, 5}, {1, 0, 6}, {1, 1, 7}};
    size_t size;

    wave_begin();
    for (unsigned i = 0; i < 4; i++) {
        set(0, 38, rows[i][1]);
        set(0, 36, rows[i][0]);
        set(0, 34, 1);
        set(0, 32, 0);
        set(0, 30, 0); /* trace signal 5 */
        for (unsigned n = 6; n <= 20; n++)
            set(0, single[n - 1], n == 6);
        tick(false);
    }
    struct cairn_capture *capture = open_wave(*state, 2, 8, "normal", "mictor38");
    uint8_t *bytes = read_source(capture, 0, &size);
    /* proves: ETMC-8.2.2-b */
    assert_int_equal(size, 12); /* the last one says "trace disabled" */
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(bytes[4 * i], rows[i][2]);
    free(bytes);
    cairn_capture_free(capture);
    capture = open_wave(*state, 1, 8, "normal", "mictor38");
    bytes = read_source(capture, 0, &size);
    assert_int_equal(bytes[0], 4); /* BE, BD, TR */
    assert_int_equal(bytes[4], 5);
    assert_int_equal(bytes[8], 6);
    free(bytes);
    cairn_capture_free(capture);
}

/* --- value change dumps as tools write them --- */

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
                                       wide = {"ETMCR", 2 << 4};
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

    options.registers = &bad;
    open_fails(folder_path(folder, "v2.vcd"), &options, CAIRN_E_CONFIG, "has a port mode");
    options.registers = &wide;
    open_fails(folder_path(folder, "v2.vcd"), &options, CAIRN_E_CONFIG, "TRACEPKT[8] is not");
}

/* Any byte is reached as well as the first: a dump of more than the places that are kept. */
static void anywhere(void **state)
{
    const struct folder *folder = *state;
    const unsigned count = 40000;
    struct cairn_reader *reader;
    struct cairn_chunk chunk;
    char *text = malloc(count * 40 + 200);
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, "$var wire 1 c TRACECLK $end $var wire 8 d TRACEDATA $end"
                                        " $enddefinitions $end #0 0c\n");
    for (unsigned i = 0; i < count; i++)
        size += (size_t)sprintf(text + size, "#%u b%u%u%u%u00%u%u d #%u %uc\n", 10 * i + 1,
                                i >> 5 & 1, i >> 4 & 1, i >> 3 & 1, i >> 2 & 1, i >> 1 & 1, i & 1,
                                10 * i + 6, !(i & 1));
    folder_write(folder, "long.vcd", text, size);
    free(text);
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
        cmocka_unit_test_setup_teardown(clocking_modes, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(multiplexed, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(demultiplexed, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(storage, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(two_ports, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(old_analyser, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(dialects, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(unknown_levels, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(told_pins, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(etmcr, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(anywhere, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(etm_dump, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
