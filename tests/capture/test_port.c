/* SPDX-License-Identifier: BSD-2-Clause */
/* Waveforms of a connector's pins, drawn here from the tables of IHI0014 chapter 8, and what is read of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void assert_samples(const struct cairn_capture *capture, unsigned version, unsigned width)
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

static struct cairn_capture *open_told(const struct folder *folder, unsigned version,
                                       const char *told)
{
    char ini[1024];
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;

    folder_text(folder, "port.vcd", wave.text);
    snprintf(ini, sizeof ini, "[source arm]\nprotocol=ETMv%u\n%s\n", version, told);
    folder_text(folder, "port.ini", ini);
    options.config_path = folder_path(folder, "port.ini");
    return open_ok(folder_path(folder, "port.vcd"), &options);
}

static struct cairn_capture *open_wave(const struct folder *folder, unsigned version,
                                       unsigned etmcr)
{
    char told[64];

    snprintf(told, sizeof told, "pins=mictor38\nETMCR=0x%x", etmcr);
    return open_told(folder, version, told);
}

/* Each legal mode of Table 2-17 as ETMCR has it, each width, both versions: what the trace unit gave, cycle
 * by cycle. */
static void clocking_modes(void **state)
{
    static const struct {
        const char *mode;
        unsigned etmcr; /* bit 13, bits 17:16 */
    } modes[] = {{"normal", 0},
                 {"multiplexed", 1 << 16},
                 {"demultiplexed", 2 << 16},
                 {"half-rate", 1 << 13},
                 {"demultiplexed-half-rate", 1 << 13 | 2 << 16}};
    static const unsigned widths[] = {4, 8, 16};

    for (unsigned version = 1; version <= 2; version++)
        for (size_t m = 0; m < 5; m++)
            for (unsigned w = 0; w < 3; w++) {
                draw(version, widths[w], modes[m].mode);
                struct cairn_capture *capture = open_wave(*state, version, modes[m].etmcr | w << 4);
                /* proves: ETM1-2.10.1-a, ETMC-8.4.1-a */
                assert_samples(capture, version, widths[w]);
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
    struct cairn_capture *capture =
        open_told(*state, 1, "pins=mictor38\nport_width=8\nport_mode=multiplexed");
    /* proves: ETM1-4.3.2-a, ETM1-2.10.1-c */
    assert_true(same_samples(capture, 8)); /* two signals a pin, one at each edge */
    cairn_capture_free(capture);
    capture = open_wave(*state, 1, 0);
    assert_false(same_samples(capture, 4)); /* rising edges alone */
    cairn_capture_free(capture);
}

static void demultiplexed(void **state)
{
    draw(1, 4, "demultiplexed");
    struct cairn_capture *capture = open_wave(*state, 1, 2 << 16);
    /* proves: ETM1-4.3.3-a, ETMC-8.2.5-a, ETMC-8.2.5-b */
    assert_true(same_samples(capture, 4));
    cairn_capture_free(capture);
    /* with _A and _B swapped, each pair comes in the wrong order */
    capture = open_told(
        *state, 1,
        "ETMCR=0x20000\npins=mictor38,PIPESTAT_A[0]=pin37,PIPESTAT_A[1]=pin35,PIPESTAT_A[2]=pin33,TRACESYNC_A=pin31,"
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
    struct cairn_capture *capture = open_wave(*state, 1, 0);
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
    /* ports that share TRACECLK_A: pin 5 is ground, and pin 6 the clock of both */
    capture = open_told(folder, 1, "pins=mictor38-b,TRACECLK=pin6\nport_width=4");
    bytes = read_source(capture, 0, &size);
    /* proves: ETMC-8.2.3-b */
    assert_int_equal(size, 2 * sizeof second);
    assert_memory_equal(bytes + sizeof second, second, sizeof second);
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
    struct cairn_capture *capture = open_wave(*state, 2, 1 << 4);
    uint8_t *bytes = read_source(capture, 0, &size);
    /* proves: ETMC-8.2.2-b */
    assert_int_equal(size, 12); /* the last one says "trace disabled" */
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(bytes[4 * i], rows[i][2]);
    free(bytes);
    cairn_capture_free(capture);
    capture = open_wave(*state, 1, 1 << 4);
    bytes = read_source(capture, 0, &size);
    assert_int_equal(bytes[0], 4); /* BE, BD, TR */
    assert_int_equal(bytes[4], 5);
    assert_int_equal(bytes[8], 6);
    free(bytes);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
