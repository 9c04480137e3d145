/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports from the trace unit's side: the lanes of an ETMv3 (IHI0014 7.8), and waveforms that read back as
 * what was written. */
#include <stdlib.h>
#include <string.h>

#include <cairn/port.h>

#include "capture/port/lanes.h"
#include "folder.h"

#define CTL (UINT64_C(1) << 32)

/* --- lanes --- */

static void expect_cycles(const uint64_t *cycles, size_t count, const uint64_t *expected,
                          size_t expected_count)
{
    assert_int_equal(count, expected_count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(cycles[i], expected[i]);
}

/* 0x0c is 00110000 from the lowest bit on. */
static void narrow_trigger(void **state)
{
    static const uint64_t one[] = {CTL, 0, 1, 1, 0, 0, 0, 0}, two[] = {CTL, 3, 0, 0},
                          four[] = {CTL | 0xc, 0};
    static const struct {
        unsigned width;
        const uint64_t *cycles;
    } rows[] = {{1, one}, {2, two}, {4, four}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct cairn_port_lanes lanes = {.width = rows[i].width};
        uint64_t cycles[CAIRN_PORT_LANE_CYCLES];
        const size_t count = cairn_port_lanes_trigger(&lanes, cycles);
        assert_int_equal(count, 8 / rows[i].width);
        for (size_t k = 0; k < count; k++) {
            /* proves: ETM3-7.8.1-b */
            assert_int_equal(cycles[k], rows[i].cycles[k]);
        }
        assert_int_equal(cairn_port_lanes_put(&lanes, 0xff, cycles), count);
        assert_false(cycles[0] & CTL);
    }
}

/* Whatever waits in front of it: bit 0 of the trigger is on TRACEDATA[0], which is what a device looks at. */
static void trigger_lane(void **state)
{
    static const unsigned widths[] = {1, 2, 4, 8, 16, 24, 32};

    (void)state;
    for (size_t w = 0; w < 7; w++)
        for (unsigned waiting = 0; waiting < 4; waiting++) {
            struct cairn_port_lanes lanes = {.width = widths[w]};
            uint64_t cycles[CAIRN_PORT_LANE_CYCLES];
            unsigned seen = 0;
            for (unsigned i = 0; i < waiting; i++)
                (void)cairn_port_lanes_put(&lanes, 0xff, cycles);
            size_t count = cairn_port_lanes_trigger(&lanes, cycles);
            count += cairn_port_lanes_fill(&lanes, cycles + count);
            for (size_t i = 0; i < count; i++) {
                const struct cairn_port_rule rule = cairn_port_rule(CAIRN_PORT_V3, cycles[i]);
                assert_true(rule.store);
                seen += rule.trigger;
                /* proves: ETM3-7.8.1-b, ETM3-7.8.1-d */
                assert_true(!rule.trigger || ((cycles[i] & CTL) && !(cycles[i] & 1)));
            }
            assert_int_equal(seen, 1);
        }
}

/* A cycle waits for the full width; Ignore (66) fills it before a trigger, and at the end. */
static void full_width(void **state)
{
    static const uint64_t filled[] = {0x66666603}, triggered[] = {0x66665504},
                          behind[] = {CTL | 0x7706660c};
    struct cairn_port_lanes lanes = {.width = 32};
    uint64_t cycles[CAIRN_PORT_LANE_CYCLES];

    (void)state;
    assert_int_equal(cairn_port_lanes_put(&lanes, 0x00, cycles), 0);
    assert_int_equal(cairn_port_lanes_put(&lanes, 0x01, cycles), 0);
    assert_int_equal(cairn_port_lanes_put(&lanes, 0x02, cycles), 0);
    /* proves: ETM3-7.8.3-b */
    assert_int_equal(cairn_port_lanes_put(&lanes, 0x80, cycles), 1);
    assert_int_equal(cycles[0], 0x80020100);
    (void)cairn_port_lanes_put(&lanes, 0x03, cycles);
    /* the Programming bit is set: what is left comes out, with Ignore in the upper bytes */
    /* proves: ETM3-7.8.3-b */
    expect_cycles(cycles, cairn_port_lanes_fill(&lanes, cycles), filled, 1);
    assert_int_equal(cairn_port_lanes_fill(&lanes, cycles), 0);
    (void)cairn_port_lanes_put(&lanes, 0x04, cycles);
    (void)cairn_port_lanes_put(&lanes, 0x55, cycles);
    /* proves: ETM3-7.8.3-b */
    expect_cycles(cycles, cairn_port_lanes_trigger(&lanes, cycles), triggered, 1);
    (void)cairn_port_lanes_put(&lanes, 0x66, cycles);
    (void)cairn_port_lanes_put(&lanes, 0x06, cycles);
    expect_cycles(cycles, cairn_port_lanes_put(&lanes, 0x77, cycles), behind, 1);
}

static void no_trace(void **state)
{
    struct cairn_port_lanes lanes = {.width = 8};
    uint64_t cycles[CAIRN_PORT_LANE_CYCLES];

    (void)state;
    /* proves: ETM3-7.8.3-a */
    assert_int_equal(cairn_port_lanes_idle(), CTL | 3);
    for (unsigned byte = 0; byte < 256; byte++) {
        assert_int_equal(cairn_port_lanes_put(&lanes, (uint8_t)byte, cycles), 1);
        /* proves: ETM3-7.8.3-a */
        assert_int_equal(cycles[0], byte); /* and TRACECTL 0 */
    }
}

/* --- waveforms --- */

struct text {
    char bytes[1 << 20];
    size_t size;
};

static struct text text;
static unsigned single_wires;

static int keep(void *context, const void *bytes, size_t size)
{
    struct text *to = context;
    if (size > sizeof to->bytes - to->size)
        return 1;
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return 0;
}

static struct cairn_vcd *begin(const char *type, enum cairn_port_mode mode, unsigned width)
{
    const struct cairn_vcd_options options = {.size = sizeof options,
                                              .type = type,
                                              .mode = mode,
                                              .width = width,
                                              .write = keep,
                                              .context = &text,
                                              .single_wires = single_wires};
    struct cairn_vcd *vcd = NULL;
    struct cairn_error error;

    text.size = 0;
    if (cairn_vcd_new(&options, &vcd, &error))
        fail_msg("%s", error.text);
    return vcd;
}

static void end(struct cairn_vcd *vcd)
{
    assert_int_equal(cairn_vcd_end(vcd), CAIRN_OK);
    assert_int_equal(cairn_vcd_write(vcd, "", 0), CAIRN_E_ARGUMENT);
    cairn_vcd_free(vcd);
}

static uint8_t *read_back(const struct folder *folder, const struct cairn_capture_options *options,
                          size_t *size)
{
    folder_write(folder, "w.vcd", text.bytes, text.size);
    struct cairn_capture *capture = open_ok(folder_path(folder, "w.vcd"), options);
    uint8_t *bytes = read_source(capture, 0, size);
    cairn_capture_free(capture);
    return bytes;
}

static const char *const mode_names[] = {
    NULL,     "normal", "multiplexed", "demultiplexed", "half-rate", "demultiplexed-half-rate",
    "dynamic"};

/* Every sample, but for what no pin tells: the device's own trigger, and cycles without trace. */
static void samples_read_back(void **state)
{
    static const unsigned widths[] = {4, 8, 16};
    uint8_t samples[4 * 41];
    uint32_t seed = 1;

    for (unsigned version = 1; version <= 2; version++)
        for (unsigned mode = 1; mode <= 5; mode++)
            for (unsigned w = 0; w < 3; w++) {
                const char *type = version == 1 ? "ETMv1" : "ETMv2";
                single_wires = (version + mode + w) & 1;
                struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
                struct cairn_vcd *vcd = begin(type, (enum cairn_port_mode)mode, widths[w]);
                for (unsigned i = 0; i < sizeof samples; i += 4) {
                    seed = seed * 1664525 + 1013904223;
                    samples[i] = (uint8_t)(seed >> 28 & (version == 1 ? 7 : 15));
                    samples[i + 1] =
                        (uint8_t)((version == 1 ? seed >> 27 & 1 : 0) | (seed >> 20 & 7 ? 0 : 4));
                    samples[i + 2] = (uint8_t)(seed >> 8 | (samples[i] == 7));
                    samples[i + 3] = widths[w] == 16 ? (uint8_t)(seed >> 16) : 0;
                    if (widths[w] == 4)
                        samples[i + 2] &= 15;
                }
                assert_int_equal(cairn_vcd_write(vcd, samples, 80), CAIRN_OK);
                assert_int_equal(cairn_vcd_idle(vcd, 3), CAIRN_OK);
                assert_int_equal(cairn_vcd_write(vcd, samples + 80, sizeof samples - 80), CAIRN_OK);
                assert_int_equal(cairn_vcd_write(vcd, samples, 3), CAIRN_E_ARGUMENT);
                /* TRACEPKT has no such bit: neither sample is written */
                const uint8_t above[] = {
                    1, 0, 1, 0, 1, 0, (uint8_t)(1u << widths[w]), widths[w] == 8};
                if (widths[w] < 16)
                    assert_int_equal(cairn_vcd_write(vcd, above, sizeof above), CAIRN_E_ARGUMENT);
                end(vcd);
                folder_text(*state, "w.ini",
                            version == 1 ? "[source a]\nprotocol=ETMv1\n"
                                         : "[source a]\nprotocol=ETMv2\n");
                options.config_path = folder_path(*state, "w.ini");
                options.port_mode = mode_names[mode];
                size_t size;
                uint8_t *bytes = read_back(*state, &options, &size);
                assert_int_equal(size, sizeof samples);
                assert_memory_equal(bytes, samples, size);
                free(bytes);
            }
    single_wires = 0;
}

/* An ETMv3's bytes, triggers and cycles without trace on each width that Table 3-6 has. */
static void bytes_read_back(void **state)
{
    static const unsigned widths[] = {1, 2, 4, 8, 16, 24, 32};
    static const uint8_t before[] = {0, 0, 0, 0, 0, 0x80, 0x08}, after[] = {0x84, 0x86, 0x88};

    for (unsigned w = 0; w < 7; w++)
        for (unsigned dynamic = 0; dynamic < 2; dynamic++) {
            struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
            struct cairn_vcd *vcd = begin(
                "ETMv3", dynamic ? CAIRN_PORT_MODE_DYNAMIC : CAIRN_PORT_MODE_DEFAULT, widths[w]);
            uint8_t expected[32];
            size_t length = 0, size;
            const unsigned lanes = widths[w] < 8 ? 1 : widths[w] / 8;
            assert_int_equal(cairn_vcd_idle(vcd, 2), CAIRN_OK);
            assert_int_equal(cairn_vcd_write(vcd, before, sizeof before), CAIRN_OK);
            assert_int_equal(cairn_vcd_trigger(vcd), CAIRN_OK);
            assert_int_equal(cairn_vcd_idle(vcd, 1), CAIRN_OK);
            assert_int_equal(cairn_vcd_write(vcd, after, sizeof after), CAIRN_OK);
            end(vcd);
            memcpy(expected, before, sizeof before);
            length = sizeof before;
            while (length % lanes)
                expected[length++] = 0x66;
            expected[length++] = 0x0c;
            while (length % lanes) /* nothing comes behind it in that cycle */
                expected[length++] = 0x66;
            memcpy(expected + length, after, sizeof after);
            length += sizeof after;
            while (length % lanes)
                expected[length++] = 0x66;
            options.port_mode = dynamic ? "dynamic" : NULL;
            uint8_t *bytes = read_back(*state, &options, &size);
            assert_int_equal(size, length);
            /* proves: ETMC-4.4.2-a */
            assert_memory_equal(bytes, expected, length);
            free(bytes);
        }
}

/* The text itself: each pin stands still when the clock moves. */
static void waveform(void **state)
{
    static const char expected[] = "$comment ETMv1, 4 pins, normal $end\n"
                                   "$timescale 1 ns $end\n$scope module trace_port $end\n"
                                   "$var wire 1 ! TRACECLK $end\n"
                                   "$var wire 3 \" PIPESTAT [2:0] $end\n"
                                   "$var wire 1 # TRACESYNC $end\n"
                                   "$var wire 4 $ TRACEPKT [3:0] $end\n"
                                   "$upscope $end\n$enddefinitions $end\n"
                                   "#0\n$dumpvars\n0!\nb000 \"\n0#\nb0000 $\n$end\n"
                                   "#1\nb100 \"\n1#\nb1010 $\n#2\n1!\n"
                                   "#3\n0!\nb000 \"\n0#\n#4\n1!\n"
                                   "#5\n";
    static const uint8_t samples[] = {4, 1, 10, 0, 0, 0, 10, 0};
    struct cairn_vcd *vcd = begin("ETMv1.2", CAIRN_PORT_MODE_DEFAULT, 4);

    (void)state;
    assert_int_equal(cairn_vcd_write(vcd, samples, sizeof samples), CAIRN_OK);
    end(vcd);
    assert_int_equal(text.size, sizeof expected - 1);
    assert_memory_equal(text.bytes, expected, text.size);
}

static int refuse(void *context, const void *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    return size > 0;
}

static void refused(void **state)
{
    static const struct {
        const char *type;
        enum cairn_port_mode mode;
        unsigned width;
        const char *part;
    } rows[] = {
        {"ETMv4", CAIRN_PORT_MODE_DEFAULT, 4, "ETMv1, ETMv2 or ETMv3"},
        {NULL, CAIRN_PORT_MODE_DEFAULT, 4, "ETMv1, ETMv2 or ETMv3"},
        {"ETMv3", CAIRN_PORT_MODE_DEMULTIPLEXED, 8, "no such mode"},
        {"ETMv1", CAIRN_PORT_MODE_DYNAMIC, 8, "no such mode"},
        {"ETMv1", CAIRN_PORT_MODE_DEFAULT, 12, "no width of 12 pins"},
        {"ETMv3", CAIRN_PORT_MODE_DEFAULT, 12, "no width of 12 pins"},
    };
    struct cairn_vcd_options options = {.size = sizeof options, .write = refuse};
    struct cairn_vcd *vcd = NULL;
    struct cairn_error error;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        options.type = rows[i].type;
        options.mode = rows[i].mode;
        options.width = rows[i].width;
        assert_int_equal(cairn_vcd_new(&options, &vcd, &error), CAIRN_E_ARGUMENT);
        assert_non_null(strstr(error.text, rows[i].part));
        assert_null(vcd);
    }
    assert_int_equal(cairn_vcd_new(NULL, &vcd, &error), CAIRN_E_ARGUMENT);
    options = (struct cairn_vcd_options){
        .size = sizeof options, .type = "ETMv1", .width = 4, .write = refuse};
    assert_int_equal(cairn_vcd_new(&options, &vcd, NULL), CAIRN_OK);
    assert_int_equal(cairn_vcd_trigger(vcd), CAIRN_E_ARGUMENT); /* it is in PIPESTAT */
    assert_int_equal(cairn_vcd_end(vcd), CAIRN_E_IO);
    cairn_vcd_free(vcd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_trigger),
        cmocka_unit_test(trigger_lane),
        cmocka_unit_test(full_width),
        cmocka_unit_test(no_trace),
        cmocka_unit_test_setup_teardown(samples_read_back, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(bytes_read_back, folder_make, folder_remove),
        cmocka_unit_test(waveform),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
