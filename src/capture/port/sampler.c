/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/port/sampler.h"

#include <string.h>

#define BIT(n) (UINT64_C(1) << (n))
#define CLOCK BIT(CAIRN_PORT_CLOCK_WIRE)

void cairn_port_sampler_init(struct cairn_port_sampler *sampler,
                             const struct cairn_port_layout *layout)
{
    memset(sampler, 0, sizeof *sampler);
    sampler->layout = layout;
    for (size_t i = 0; i < layout->wire_count; i++)
        if (layout->at[i].variable != CAIRN_PORT_NO_SLOT)
            sampler->now.unknown |= BIT(i);
    sampler->now.unknown |= CLOCK;
    sampler->settled = sampler->now;
}

/* The wires that are sampled at this edge, for this cycle of a sample. */
static bool gather(const struct cairn_port_sampler *sampler, unsigned edge, unsigned half,
                   uint64_t *cycle)
{
    const struct cairn_port_layout *layout = sampler->layout;
    bool readable = true;

    for (size_t i = 0; i < layout->wire_count; i++) {
        const struct cairn_port_wire *wire = &layout->wires[i];
        if (wire->edge != edge || wire->half != half)
            continue;
        readable &= !(sampler->settled.unknown & BIT(i));
        if (sampler->settled.high & BIT(i))
            *cycle |= BIT(wire->bit);
    }
    return readable;
}

static size_t store_sample(struct cairn_port_sampler *sampler, uint64_t cycle, uint8_t *bytes)
{
    struct cairn_sample sample = cairn_port_sample(sampler->layout->kind, cycle);

    if (sampler->lost)
        sample.flags |= CAIRN_SAMPLE_LOST;
    sampler->lost = false;
    cairn_sample_store(bytes, sample);
    return CAIRN_SAMPLE_BYTES;
}

/* TRACEDATA is a stream of bits, the first in the lowest pin (7.7.2: what is no multiple of 8 is
 * aligned by whoever reads the bytes). */
static size_t store_data(struct cairn_port_sampler *sampler, uint64_t cycle, uint8_t *bytes)
{
    const unsigned width = sampler->layout->width;
    size_t count = 0;

    sampler->bits |= (cycle & (BIT(width) - 1)) << sampler->bit_count;
    sampler->bit_count += width;
    for (; sampler->bit_count >= 8; sampler->bit_count -= 8) {
        bytes[count++] = (uint8_t)sampler->bits;
        sampler->bits >>= 8;
    }
    return count;
}

/* One cycle of the trace unit's port, as the capture device sees it. */
static size_t take_cycle(struct cairn_port_sampler *sampler, uint64_t cycle, uint8_t *bytes)
{
    const enum cairn_port_kind kind = sampler->layout->kind;
    const struct cairn_port_rule rule = cairn_port_rule(kind, cycle);
    struct cairn_port_counts *counts = &sampler->counts;

    counts->cycles++;
    if (rule.trigger && !counts->triggers++)
        counts->first_trigger = sampler->produced;
    if (!rule.store)
        return 0;
    counts->stored++;
    counts->ones |= cycle;
    counts->zeros |= ~cycle;
    const size_t size = kind == CAIRN_PORT_V3 ? store_data(sampler, cycle, bytes)
                                              : store_sample(sampler, cycle, bytes);
    sampler->produced += size;
    return size;
}

static void miss_cycle(struct cairn_port_sampler *sampler)
{
    sampler->counts.cycles++;
    sampler->counts.unreadable++;
    sampler->lost = true;
}

static size_t take_readable(struct cairn_port_sampler *sampler, bool readable, uint64_t cycle,
                            uint8_t *bytes)
{
    if (readable)
        return take_cycle(sampler, cycle, bytes);
    miss_cycle(sampler);
    return 0;
}

static size_t take_paired(struct cairn_port_sampler *sampler, bool rising, uint8_t *bytes)
{
    uint64_t cycle = 0;

    if (rising) {
        sampler->half = 0;
        sampler->half_unreadable = !gather(sampler, 0, CAIRN_PORT_WHOLE, &sampler->half);
        sampler->has_half = true;
        return 0;
    }
    if (!sampler->has_half)
        return 0; /* the recording begins between the two */
    sampler->has_half = false;
    const bool readable = gather(sampler, 1, CAIRN_PORT_WHOLE, &cycle);
    return take_readable(sampler, readable && !sampler->half_unreadable, cycle | sampler->half,
                         bytes);
}

static size_t take_edge(struct cairn_port_sampler *sampler, bool rising, uint8_t *bytes)
{
    const struct cairn_port_clocking *clocking = sampler->layout->clocking;
    uint64_t cycle = 0, later = 0;

    sampler->counts.edges++;
    if (!rising && !clocking->both_edges)
        return 0;
    if (clocking->edges == 2)
        return take_paired(sampler, rising, bytes);
    if (clocking->cycles == 1) {
        const bool readable = gather(sampler, 0, CAIRN_PORT_WHOLE, &cycle);
        return take_readable(sampler, readable, cycle, bytes);
    }
    const bool first = gather(sampler, 0, CAIRN_PORT_B, &cycle);
    const bool second = gather(sampler, 0, CAIRN_PORT_A, &later);
    const size_t size = take_readable(sampler, first, cycle, bytes);
    return size + take_readable(sampler, second, later, bytes + size);
}

size_t cairn_port_sampler_settle(struct cairn_port_sampler *sampler,
                                 uint8_t bytes[CAIRN_PORT_EDGE_BYTES])
{
    const bool was = sampler->settled.high & CLOCK, is = sampler->now.high & CLOCK;
    const bool clocked = !((sampler->settled.unknown | sampler->now.unknown) & CLOCK);
    size_t size = 0;

    if (clocked && was != is)
        size = take_edge(sampler, is, bytes);
    if (sampler->now.unknown & CLOCK && !(sampler->settled.unknown & CLOCK)) {
        sampler->lost |= sampler->produced > 0;
        sampler->has_half = false;
    }
    sampler->settled = sampler->now;
    return size;
}
