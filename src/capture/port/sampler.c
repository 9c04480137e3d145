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
        if ((sampler->settled.high ^ layout->inverted) & BIT(i))
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

static unsigned sync_run(const struct cairn_port_sync *sync)
{
    return 8 * sync->bytes + 7;
}

static size_t put_bits(struct cairn_port_sampler *sampler, uint64_t bits, unsigned width,
                       uint8_t *bytes)
{
    size_t count = 0;

    sampler->bits |= bits << sampler->bit_count;
    sampler->bit_count += width;
    for (; sampler->bit_count >= 8; sampler->bit_count -= 8) {
        bytes[count++] = (uint8_t)sampler->bits;
        sampler->bits >>= 8;
    }
    return count;
}

/* Whether synchronisation ends with this bit of a cycle. A port of whole bytes has it in whole bytes. */
static bool ends_sync(struct cairn_port_sampler *sampler, bool bit, unsigned place)
{
    const struct cairn_port_sync *sync = &sampler->layout->sync;
    const unsigned run = sampler->run;

    if (bit == sync->ones) {
        sampler->run += run < sync_run(sync);
        return false;
    }
    sampler->run = 0;
    return run == sync_run(sync) && (sampler->layout->width % 8 || place % 8 == 7);
}

/* What is missing ends where synchronisation does, all of which is given. */
static size_t end_hunt(struct cairn_port_sampler *sampler, uint8_t *bytes)
{
    const struct cairn_port_sync *sync = &sampler->layout->sync;

    sampler->hunting = false;
    sampler->counts.left_out -= sync_run(sync) + 1;
    memset(bytes, sync->ones ? 0xff : 0, sync->bytes);
    bytes[sync->bytes] = sync->ones ? 0x7f : 0x80;
    return sync->bytes + 1;
}

/* More of the bits that synchronisation begins with, which may be any number, until it ends with a byte. */
static void align(struct cairn_port_sampler *sampler)
{
    const unsigned lacking = 7 - sampler->bit_count;

    if (sampler->layout->sync.ones)
        sampler->bits |= (BIT(lacking) - 1) << sampler->bit_count;
    sampler->bit_count += lacking;
    sampler->counts.realigned += lacking > 0;
}

static size_t store_bitwise(struct cairn_port_sampler *sampler, uint64_t cycle, uint8_t *bytes)
{
    size_t count = 0;

    for (unsigned i = 0; i < sampler->layout->width; i++) {
        const bool bit = cycle >> i & 1;
        const bool ends = ends_sync(sampler, bit, i);
        if (sampler->hunting) {
            sampler->counts.left_out++;
            count += ends ? end_hunt(sampler, bytes + count) : 0;
            continue;
        }
        if (ends)
            align(sampler);
        count += put_bits(sampler, bit, 1, bytes + count);
    }
    return count;
}

/* TRACEDATA is a stream of bits, the first in the lowest pin. Where a cycle is no whole bytes, bytes may begin
 * anywhere, and synchronisation tells where (7.7.2). */
static size_t store_data(struct cairn_port_sampler *sampler, uint64_t cycle, uint8_t *bytes)
{
    const unsigned width = sampler->layout->width;

    if (sampler->hunting || (width % 8 && sampler->layout->sync.bytes))
        return store_bitwise(sampler, cycle, bytes);
    return put_bits(sampler, cycle & (BIT(width) - 1), width, bytes);
}

/* Cycles are missing in front of what comes next. A sample has a mark for that. Bytes have none: they count
 * again from where synchronisation is. */
static void lose(struct cairn_port_sampler *sampler)
{
    sampler->lost = true;
    sampler->run = 0;
    if (!sampler->layout->sync.bytes || !(sampler->produced || sampler->bit_count))
        return;
    sampler->hunting = true;
    sampler->counts.left_out += sampler->bit_count;
    sampler->bit_count = 0;
    sampler->bits = 0;
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
    lose(sampler);
}

/* Of an ETMv3 two wires tell that a cycle holds nothing, whatever the others are (Table 4-1). */
static bool is_idle(const struct cairn_port_sampler *sampler)
{
    const struct cairn_port_layout *layout = sampler->layout;
    const uint64_t high = (sampler->settled.high ^ layout->inverted) & ~sampler->settled.unknown;
    uint64_t cycle = 0;

    for (size_t i = 0; i < layout->wire_count; i++)
        if (high & BIT(i))
            cycle |= BIT(layout->wires[i].bit);
    return layout->kind == CAIRN_PORT_V3 && cycle & BIT(CAIRN_PORT_CTL) && cycle & 1;
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
        const bool readable = gather(sampler, 0, CAIRN_PORT_WHOLE, &cycle) || is_idle(sampler);
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
    const uint64_t inverted = sampler->layout->inverted;
    const bool was = (sampler->settled.high ^ inverted) & CLOCK;
    const bool is = (sampler->now.high ^ inverted) & CLOCK;
    const bool clocked = !((sampler->settled.unknown | sampler->now.unknown) & CLOCK);
    size_t size = 0;

    if (clocked && was != is)
        size = take_edge(sampler, is, bytes);
    if (sampler->now.unknown & CLOCK && !(sampler->settled.unknown & CLOCK)) {
        if (sampler->produced || sampler->bit_count)
            lose(sampler);
        sampler->has_half = false;
    }
    if (sampler->settled.unknown & CLOCK && !(sampler->now.unknown & CLOCK))
        sampler->counts.breaks += sampler->counts.edges > 0;
    sampler->settled = sampler->now;
    return size;
}
