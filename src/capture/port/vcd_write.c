/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples and bytes as waveforms. The pins change between two edges of TRACECLK, so that they are
 * set up and held at each that samples them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/port.h>

#include "base/error.h"
#include "base/sizes.h"
#include "capture/port/connectors.h"
#include "capture/port/lanes.h"

#define BIT(n) (UINT64_C(1) << (n))
#define TEXT ((size_t)8 << 10)
#define LINE 128u
#define CLOCK_CODE '!'
#define FIRST_CODE '"'
/* PIPESTAT 7 and TRACEPKT[0] 0: trace disabled */
#define DISABLED CAIRN_PORT_TD

/* A variable: some bits of a cycle, or a pin that has one bit at an edge and another at the next. */
struct vcd_group {
    uint8_t first, width;
    uint8_t falling; /* of a pin that has two */
    uint8_t half;    /* enum cairn_port_half */
    uint64_t shown;  /* its value; */
    bool unknown;    /* or x */
};
#define GROUPS CAIRN_PORT_WIRES

struct cairn_vcd {
    struct cairn_vcd_options options;
    enum cairn_port_kind kind;
    const struct cairn_port_clocking *clocking;
    struct cairn_port_lanes lanes;
    struct vcd_group groups[GROUPS];
    size_t group_count;
    uint64_t time;
    bool clock, ended, failed;
    bool has_earlier; /* of two cycles in one sample, the _B */
    bool earlier_unknown;
    uint64_t earlier;
    size_t text_size;
    char text[TEXT];
};

/* --- text --- */

static cairn_status write_out(struct cairn_vcd *vcd)
{
    const size_t size = vcd->text_size;

    vcd->text_size = 0;
    if (size && !vcd->failed)
        vcd->failed = vcd->options.write(vcd->options.context, vcd->text, size) != 0;
    return vcd->failed ? CAIRN_E_IO : CAIRN_OK;
}

static void add(struct cairn_vcd *vcd, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add(struct cairn_vcd *vcd, const char *format, ...)
{
    va_list arguments;

    if (vcd->text_size + LINE > TEXT)
        (void)write_out(vcd);
    va_start(arguments, format);
    vcd->text_size += (size_t)vsnprintf(vcd->text + vcd->text_size, LINE, format, arguments);
    va_end(arguments);
}

static void add_value(struct cairn_vcd *vcd, size_t group)
{
    const struct vcd_group *g = &vcd->groups[group];
    const char code = (char)(FIRST_CODE + group);
    char bits[CAIRN_PORT_DATA_MAX + 1];

    for (unsigned i = 0; i < g->width; i++)
        bits[i] = g->shown >> (g->width - 1 - i) & 1 ? '1' : '0';
    bits[g->width] = 0;
    if (g->width == 1)
        add(vcd, "%s%c\n", g->unknown ? "x" : bits, code);
    else
        add(vcd, "b%s %c\n", g->unknown ? "x" : bits, code);
}

/* --- variables --- */

static void add_group(struct cairn_vcd *vcd, unsigned first, unsigned width, unsigned half)
{
    vcd->groups[vcd->group_count++] =
        (struct vcd_group){.first = (uint8_t)first, .width = (uint8_t)width, .half = (uint8_t)half};
}

/* A vector, or the wires of one. */
static void add_vector(struct cairn_vcd *vcd, unsigned first, unsigned width, unsigned half)
{
    if (!vcd->options.single_wires) {
        add_group(vcd, first, width, half);
        return;
    }
    for (unsigned i = 0; i < width; i++)
        add_group(vcd, first + i, 1, half);
}

static void add_groups_of(struct cairn_vcd *vcd, unsigned half)
{
    if (vcd->kind == CAIRN_PORT_V3) {
        add_group(vcd, CAIRN_PORT_CTL, 1, half);
        add_vector(vcd, 0, vcd->options.width, half);
        return;
    }
    add_vector(vcd, CAIRN_PORT_PIPESTAT, vcd->kind == CAIRN_PORT_V1 ? 3 : 4, half);
    if (vcd->kind == CAIRN_PORT_V1)
        add_group(vcd, CAIRN_PORT_SYNC, 1, half);
    add_vector(vcd, CAIRN_PORT_PACKET, vcd->options.width, half);
}

static void choose_groups(struct cairn_vcd *vcd)
{
    struct cairn_port_wire wires[CAIRN_PORT_WIRES];

    if (vcd->clocking->edges == 2) {
        const size_t count = cairn_port_wires(vcd->kind, vcd->clocking, vcd->options.width, wires);
        for (size_t i = 0; i < count; i += 2) {
            add_group(vcd, wires[i].bit, 1, CAIRN_PORT_WHOLE);
            vcd->groups[i / 2].falling = wires[i + 1].bit;
        }
    } else if (vcd->clocking->cycles == 2) {
        add_groups_of(vcd, CAIRN_PORT_B);
        add_groups_of(vcd, CAIRN_PORT_A);
    } else
        add_groups_of(vcd, CAIRN_PORT_WHOLE);
}

static void add_variable(struct cairn_vcd *vcd, size_t group)
{
    const struct vcd_group *g = &vcd->groups[group];
    const struct cairn_port_wire wire = {.bit = g->first, .half = g->half};
    char name[CAIRN_PORT_SLOT_TEXT];

    cairn_port_slot_text(cairn_port_wire_signal(vcd->kind, &wire), name);
    char *bracket = strchr(name, '[');
    unsigned index = 0;
    if (bracket) {
        index = (unsigned)strtoul(bracket + 1, NULL, 10);
        *bracket = 0;
    }
    add(vcd, "$var wire %u %c %s", g->width, (char)(FIRST_CODE + group), name);
    if (g->width > 1)
        add(vcd, " [%u:0]", g->width - 1);
    else if (bracket)
        add(vcd, " [%u]", index);
    add(vcd, " $end\n");
}

static void declare(struct cairn_vcd *vcd)
{
    add(vcd, "$comment %s, %u pins, %s $end\n", cairn_port_type(vcd->kind), vcd->options.width,
        vcd->clocking->name);
    add(vcd, "$timescale 1 ns $end\n$scope module trace_port $end\n");
    add(vcd, "$var wire 1 %c TRACECLK $end\n", CLOCK_CODE);
    for (size_t i = 0; i < vcd->group_count; i++)
        add_variable(vcd, i);
    add(vcd, "$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n0%c\n", CLOCK_CODE);
    for (size_t i = 0; i < vcd->group_count; i++)
        add_value(vcd, i);
    add(vcd, "$end\n");
}

static cairn_status check(struct cairn_vcd *vcd, struct cairn_error *error)
{
    const struct cairn_vcd_options *options = &vcd->options;

    vcd->kind = cairn_port_kind_of_type(options->type);
    if (!vcd->kind || !options->write)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "a value change dump is written of an ETMv1, ETMv2 or ETMv3, and by a "
                          "function to write with");
    vcd->clocking = cairn_port_clocking(vcd->kind, options->mode);
    if (!vcd->clocking)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "the port of an %s has no such mode",
                          cairn_port_type(vcd->kind));
    if (!cairn_port_has_width(vcd->kind, options->width) ||
        (vcd->kind == CAIRN_PORT_V3 && !cairn_port_lanes_have(options->width)))
        return cairn_fail(error, CAIRN_E_ARGUMENT, "the port of an %s has no width of %u pins",
                          cairn_port_type(vcd->kind), options->width);
    vcd->lanes.width = options->width;
    return CAIRN_OK;
}

cairn_status cairn_vcd_new(const struct cairn_vcd_options *options, struct cairn_vcd **vcd,
                           struct cairn_error *error)
{
    struct cairn_vcd *made = calloc(1, sizeof *made);
    cairn_status status = CAIRN_E_MEMORY;

    if (!made)
        return cairn_fail(error, status, "not enough memory to write a value change dump");
    made->options.size = sizeof made->options;
    if (!options || !vcd ||
        cairn_options_read(&made->options, sizeof made->options, options) != CAIRN_OK)
        status = cairn_fail(error, CAIRN_E_ARGUMENT,
                            "a value change dump needs options that begin with their size");
    else
        status = check(made, error);
    if (status) {
        free(made);
        return status;
    }
    choose_groups(made);
    declare(made);
    *vcd = made;
    return CAIRN_OK;
}

void cairn_vcd_free(struct cairn_vcd *vcd)
{
    free(vcd);
}

/* --- edges --- */

/* The pins at one edge: of two cycles, the earlier one is on _B. */
static void show(struct cairn_vcd *vcd, const uint64_t cycles[3], const bool unknown[3],
                 bool falling)
{
    add(vcd, "#%llu\n", (unsigned long long)(vcd->time += 1));
    if (vcd->clock && !vcd->clocking->both_edges) {
        vcd->clock = false;
        add(vcd, "0%c\n", CLOCK_CODE);
    }
    for (size_t i = 0; i < vcd->group_count; i++) {
        struct vcd_group *g = &vcd->groups[i];
        const unsigned first = falling ? g->falling : g->first;
        const uint64_t value = cycles[g->half] >> first & (BIT(g->width) - 1);
        if (g->shown == value && g->unknown == unknown[g->half])
            continue;
        g->shown = value;
        g->unknown = unknown[g->half];
        add_value(vcd, i);
    }
    vcd->clock = !vcd->clock;
    add(vcd, "#%llu\n%u%c\n", (unsigned long long)(vcd->time += 1), (unsigned)vcd->clock,
        CLOCK_CODE);
}

static void put_cycle(struct cairn_vcd *vcd, uint64_t cycle, bool is_unknown)
{
    const uint64_t cycles[3] = {cycle, cycle, vcd->earlier};
    const bool unknown[3] = {is_unknown, is_unknown, vcd->earlier_unknown};

    if (vcd->clocking->cycles == 2 && !vcd->has_earlier) {
        vcd->has_earlier = true;
        vcd->earlier = cycle;
        vcd->earlier_unknown = is_unknown;
        return;
    }
    vcd->has_earlier = false;
    show(vcd, cycles, unknown, false);
    if (vcd->clocking->edges == 2)
        show(vcd, cycles, unknown, true);
}

static cairn_status put_cycles(struct cairn_vcd *vcd, const uint64_t *cycles, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_cycle(vcd, cycles[i], false);
    return vcd->failed ? CAIRN_E_IO : CAIRN_OK;
}

static bool fits(const struct cairn_vcd *vcd, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += CAIRN_SAMPLE_BYTES)
        if (cairn_sample_load(bytes + i).packet >> vcd->options.width)
            return false;
    return true;
}

static cairn_status write_samples(struct cairn_vcd *vcd, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += CAIRN_SAMPLE_BYTES) {
        const struct cairn_sample sample = cairn_sample_load(bytes + i);
        if (sample.flags & CAIRN_SAMPLE_LOST)
            put_cycle(vcd, DISABLED, true); /* a cycle that nobody can read */
        put_cycle(vcd, cairn_port_cycle(vcd->kind, sample), false);
    }
    return vcd->failed ? CAIRN_E_IO : CAIRN_OK;
}

cairn_status cairn_vcd_write(struct cairn_vcd *vcd, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t cycles[CAIRN_PORT_LANE_CYCLES];
    cairn_status status = CAIRN_OK;

    if (!vcd || (size && !bytes) || vcd->ended)
        return CAIRN_E_ARGUMENT;
    if (vcd->kind != CAIRN_PORT_V3)
        return size % CAIRN_SAMPLE_BYTES || !fits(vcd, at, size) ? CAIRN_E_ARGUMENT
                                                                 : write_samples(vcd, at, size);
    for (size_t i = 0; i < size && !status; i++)
        status = put_cycles(vcd, cycles, cairn_port_lanes_put(&vcd->lanes, at[i], cycles));
    return status;
}

cairn_status cairn_vcd_trigger(struct cairn_vcd *vcd)
{
    uint64_t cycles[CAIRN_PORT_LANE_CYCLES];

    if (!vcd || vcd->kind != CAIRN_PORT_V3 || vcd->ended)
        return CAIRN_E_ARGUMENT;
    return put_cycles(vcd, cycles, cairn_port_lanes_trigger(&vcd->lanes, cycles));
}

cairn_status cairn_vcd_idle(struct cairn_vcd *vcd, uint64_t cycles)
{
    uint64_t filled[CAIRN_PORT_LANE_CYCLES];
    cairn_status status = CAIRN_OK;

    if (!vcd || vcd->ended)
        return CAIRN_E_ARGUMENT;
    /* a trigger does not wait for trace behind it, as other bytes do */
    if (vcd->lanes.trigger)
        status = put_cycles(vcd, filled, cairn_port_lanes_fill(&vcd->lanes, filled));
    for (; cycles && !status; cycles--) {
        put_cycle(vcd, vcd->kind == CAIRN_PORT_V3 ? cairn_port_lanes_idle() : DISABLED, false);
        status = vcd->failed ? CAIRN_E_IO : CAIRN_OK;
    }
    return status;
}

cairn_status cairn_vcd_end(struct cairn_vcd *vcd)
{
    uint64_t cycles[CAIRN_PORT_LANE_CYCLES];

    if (!vcd || vcd->ended)
        return CAIRN_E_ARGUMENT;
    if (vcd->kind == CAIRN_PORT_V3)
        (void)put_cycles(vcd, cycles, cairn_port_lanes_fill(&vcd->lanes, cycles));
    if (vcd->has_earlier)
        put_cycle(vcd, DISABLED, false);
    add(vcd, "#%llu\n", (unsigned long long)(vcd->time += 1));
    vcd->ended = true;
    return write_out(vcd);
}
