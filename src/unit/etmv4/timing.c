/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycle counts (DDI0608 D6.9.18), timestamps (D6.9.16) and Events (D6.9.6). */
#include "unit/etmv4/core.h"

#define EVENTS 4u
#define INPUTS 0xfu /* external input selectors */

static const struct cairn_element_data nothing;

/* --- cycles --- */

void cairn_unit_count_cycles(struct cairn_etmv4_unit *unit)
{
    const uint64_t count = unit->clock - unit->counted_at;
    const bool unknown = unit->count_unknown || count > unit->program.cycle_max;

    if (!unit->program.cycle_counting || count < unit->program.cycle_threshold || count == 0)
        return;
    cairn_unit_put(unit, CAIRN_ELEMENT_CYCLE_COUNT, unknown ? CAIRN_ELEMENT_UNKNOWN : 0,
                   &(struct cairn_element_data){.value = unknown ? 0 : count});
    unit->counted_at = unit->clock;
    unit->count_unknown = false;
}

void cairn_etmv4_unit_clock_stopped(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    unit->count_unknown = true;
}

void cairn_etmv4_unit_time(struct cairn_unit *base, uint64_t time)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    unit->time = time;
}

/* --- timestamps --- */

void cairn_unit_request_timestamp(struct cairn_etmv4_unit *unit)
{
    if (unit->program.timestamps && !(unit->mode & CAIRN_MODE_DISABLED))
        unit->mode |= CAIRN_MODE_REQUEST;
}

static void put_timestamp(struct cairn_etmv4_unit *unit)
{
    struct cairn_element_data data = {.value = unit->stamp.time};
    uint64_t cycles = 0;
    unsigned flags = data.value == 0 ? CAIRN_ELEMENT_UNKNOWN : 0;

    /* A Cycle Count may have come behind the element that is stamped. */
    if (unit->stamp.clock > unit->counted_at)
        cycles = unit->stamp.clock - unit->counted_at;
    if (unit->program.cycle_counting && !unit->count_unknown && cycles <= unit->program.cycle_max) {
        flags |= CAIRN_ELEMENT_CYCLES;
        data.cycles = (uint32_t)cycles;
    }
    unit->mode &= ~(uint32_t)CAIRN_MODE_REQUEST;
    if (unit->program.timestamp_markers)
        cairn_unit_put(unit, CAIRN_ELEMENT_TIMESTAMP_MARKER, 0, &nothing);
    cairn_unit_put(unit, CAIRN_ELEMENT_TIMESTAMP, (uint16_t)flags, &data);
}

/* Nothing may be generated now, or nothing was that a timestamp could be of. */
static bool is_silent(const struct cairn_etmv4_unit *unit)
{
    return (unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE)) || !unit->stamp.valid ||
           unit->held_count > 0 || (unit->path.owed & CAIRN_PATH_PROHIBITED) ||
           cairn_unit_is_low(unit);
}

void cairn_unit_give_timestamp(struct cairn_etmv4_unit *unit)
{
    /* While ViewInst is inactive it waits (R_HZSYP). */
    if ((unit->mode & CAIRN_MODE_REQUEST) && !is_silent(unit) &&
        !(unit->path.owed & CAIRN_OWED_TRACE_ON))
        put_timestamp(unit);
}

/* --- events --- */

static void put_event(struct cairn_etmv4_unit *unit, unsigned number)
{
    if (unit->mode & CAIRN_MODE_INOPERATIVE) {
        unit->lost_events |= 1u << number;
        return;
    }
    cairn_unit_make_room(unit);
    if (unit->mode & CAIRN_MODE_INOPERATIVE) {
        unit->lost_events |= 1u << number;
        return;
    }
    if ((unit->mode & CAIRN_MODE_SYNC) && (unit->path.owed & CAIRN_OWED_TRACE_ON))
        cairn_unit_serve_sync(unit); /* it waited for this (I_MQNB) */
    cairn_unit_generate(unit, CAIRN_ELEMENT_EVENT, 0,
                        &(struct cairn_element_data){.value = number});
    if ((unit->mode & CAIRN_MODE_REQUEST) && !is_silent(unit))
        put_timestamp(unit);
}

/* The resources rest in a Prohibited region (D7.1.3) and in low-power state (R_LBDSM). */
static bool rests(const struct cairn_etmv4_unit *unit)
{
    return (unit->mode & CAIRN_MODE_DISABLED) || (unit->path.owed & CAIRN_PATH_PROHIBITED) ||
           cairn_unit_is_low(unit);
}

void cairn_etmv4_unit_event(struct cairn_unit *base, unsigned number)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    if (number >= EVENTS || (unit->mode & CAIRN_MODE_DISABLED))
        return;
    if (rests(unit))
        unit->kept_events |= 1u << number; /* R_GYWLS */
    else if ((unsigned)unit->program.events_traced >> number & 1u)
        put_event(unit, number);
}

static unsigned active_events(const struct cairn_etmv4_unit *unit, const struct cairn_block *block)
{
    const struct cairn_filter_input input = cairn_unit_filter_input(unit, block);
    unsigned active = 0;

    for (unsigned i = 0; i < EVENTS; i++)
        if ((unit->program.events_traced >> i & 1u) &&
            cairn_filter_event(&unit->program, unit->program.events[i], &input))
            active |= 1u << i;
    return active;
}

static void put_events(struct cairn_etmv4_unit *unit, unsigned events)
{
    for (unsigned i = 0; i < EVENTS; i++)
        if (events >> i & 1u)
            put_event(unit, i);
}

/* What is active in a cycle whether a block is there or not counts when the cycle has passed; here
 * counts what the block itself brings. */
void cairn_unit_sample(struct cairn_etmv4_unit *unit, const struct cairn_block *block)
{
    const struct cairn_filter_input input = cairn_unit_filter_input(unit, block);

    if (rests(unit))
        return;
    if (unit->has_timestamp_event &&
        cairn_filter_event(&unit->program, unit->program.timestamp_event, &input))
        cairn_unit_request_timestamp(unit);
    if (unit->has_events)
        put_events(unit, active_events(unit, block) & ~active_events(unit, NULL));
}

void cairn_unit_resume_resources(struct cairn_etmv4_unit *unit)
{
    const uint32_t inputs = unit->inputs;
    unsigned events = unit->kept_events & unit->program.events_traced;

    if (rests(unit) || (unit->kept_events | unit->kept_inputs) == 0)
        return;
    if (unit->kept_inputs != 0) {
        unit->inputs |= unit->kept_inputs;
        events |= active_events(unit, NULL);
        unit->inputs = inputs;
    }
    unit->kept_events = 0;
    unit->kept_inputs = 0;
    put_events(unit, events);
}

/* External inputs are seen in a Prohibited region, too, and remembered (R_KCXLF). */
static void keep_inputs(struct cairn_etmv4_unit *unit)
{
    if ((unit->path.owed & CAIRN_PATH_PROHIBITED) && !(unit->mode & CAIRN_MODE_DISABLED) &&
        !cairn_unit_is_low(unit))
        unit->kept_inputs |= unit->inputs & INPUTS;
}

static void drain_fifo(struct cairn_etmv4_unit *unit, uint64_t cycles)
{
    const uint64_t level = cairn_unit_fifo_level(unit);
    uint64_t left;

    if (unit->fifo_drain == 0 || cycles >= UINT64_MAX / UINT32_MAX / 2) {
        left = unit->fifo_drain == 0 ? 0 : level;
    } else {
        const uint64_t sixteenths = cycles * unit->fifo_drain + unit->fifo_carry;

        left = sixteenths / 16;
        unit->fifo_carry = (uint32_t)(sixteenths % 16);
    }
    if (left >= level) {
        left = level;
        unit->fifo_carry = 0;
    }
    unit->fifo_left += left;
    if (!cairn_unit_is_low(unit))
        cairn_unit_recover(unit);
}

/* Resources in cycles without a block: those with Events pass one by one. Returns how many passed.
 */
static uint64_t sample_cycles(struct cairn_etmv4_unit *unit, uint64_t cycles)
{
    const struct cairn_filter_input input = cairn_unit_filter_input(unit, NULL);
    const unsigned events = unit->has_events ? active_events(unit, NULL) : 0;
    uint64_t passed = 0;

    if (unit->has_timestamp_event &&
        cairn_filter_event(&unit->program, unit->program.timestamp_event, &input))
        cairn_unit_request_timestamp(unit);
    if (events == 0)
        return 0;
    for (; passed < cycles; passed++) {
        if (passed >= CAIRN_UNIT_EVENTS_MAX)
            cairn_unit_overflow(unit);
        put_events(unit, events);
        if (unit->mode & CAIRN_MODE_INOPERATIVE)
            break; /* one of each is enough */
        unit->clock++;
        if (unit->fifo_bytes > 0)
            drain_fifo(unit, 1);
    }
    return passed;
}

void cairn_etmv4_unit_cycles(struct cairn_unit *base, uint64_t cycles)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    const bool sampling = unit->has_events || unit->has_timestamp_event;

    if (cycles == 0)
        return;
    if (sampling && !rests(unit))
        cycles -= sample_cycles(unit, cycles);
    if (unit->inputs != 0)
        keep_inputs(unit);
    unit->clock += cycles;
    if (unit->mode & CAIRN_MODE_DISABLED)
        return;
    if (unit->fifo_bytes > 0)
        drain_fifo(unit, cycles);
    if (sampling)
        cairn_unit_end(unit);
}

void cairn_etmv4_unit_pmu_event(struct cairn_unit *base, uint32_t number)
{
    (void)base;
    (void)number;
}

uint32_t cairn_etmv4_unit_needs(const struct cairn_unit *base)
{
    (void)base;
    return CAIRN_UNIT_NEEDS_CYCLES | CAIRN_UNIT_NEEDS_TIME | CAIRN_UNIT_NEEDS_CONTEXT |
           CAIRN_UNIT_NEEDS_ADDRESSES | CAIRN_UNIT_NEEDS_PMU_EVENTS;
}

void cairn_etmv4_unit_inputs(struct cairn_unit *base, uint32_t inputs)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    unit->inputs = inputs;
    keep_inputs(unit);
}

void cairn_etmv4_unit_low_power(struct cairn_unit *base, bool low)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    const bool was_low = cairn_unit_is_low(unit);
    const bool operates = !(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE));

    unit->low_power = low;
    if (was_low == cairn_unit_is_low(unit))
        return;
    if (!was_low) {
        if (operates) {
            cairn_unit_commit_all(unit); /* I_MXHHN */
            cairn_unit_pack(unit);
        }
        return;
    }
    cairn_unit_recover(unit);
    if (operates)
        cairn_unit_let_out(unit);
    cairn_unit_resume_resources(unit);
}
