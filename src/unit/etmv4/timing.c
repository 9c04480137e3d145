/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycle counts (DDI0608 D6.9.18), timestamps (D6.9.16) and Events (D6.9.6). */
#include "unit/etmv4/core.h"

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

void cairn_unit_put_events(struct cairn_etmv4_unit *unit, unsigned events)
{
    for (unsigned i = 0; i < CAIRN_UNIT_ETE_EVENTS; i++)
        if (events >> i & 1u)
            put_event(unit, i);
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
    if (left > 0)
        unit->taker.waited = 0;
    if (!cairn_unit_is_low(unit))
        cairn_unit_recover(unit);
}

/* All that is generated leaves in finite time, whether anything comes behind it or not (R_GFMRH): a
 * packet is completed when nothing has been generated for a while. */
static void complete_packet(struct cairn_etmv4_unit *unit, uint64_t cycles)
{
    const uint64_t generated = unit->atoms + unit->elements;

    if (generated != unit->idle_at) {
        unit->idle_at = generated;
        unit->idle_since = unit->clock - cycles;
    }
    if (unit->clock - unit->idle_since >= CAIRN_UNIT_IDLE_CYCLES &&
        !(unit->mode & CAIRN_MODE_INOPERATIVE) && !cairn_unit_is_low(unit))
        cairn_unit_pack(unit);
}

static void pass_to_port(struct cairn_etmv4_unit *unit, uint64_t cycles)
{
    if (!(unit->mode & CAIRN_MODE_DISABLED)) {
        cairn_unit_note_stall(unit, cycles);
        complete_packet(unit, cycles);
    }
    cairn_unit_offer_port(unit, cycles);
}

void cairn_unit_pass_cycles(struct cairn_etmv4_unit *unit, uint64_t cycles)
{
    unit->clock += cycles;
    if (unit->fifo_bytes == 0)
        return;
    if (unit->taker.port) {
        pass_to_port(unit, cycles);
        return;
    }
    if (unit->mode & CAIRN_MODE_DISABLED)
        return;
    cairn_unit_note_stall(unit, cycles);
    if (unit->fifo_drain > 0)
        complete_packet(unit, cycles);
    drain_fifo(unit, cycles);
    if (unit->fifo_drain > 0 && cairn_unit_fifo_level(unit) == 0)
        cairn_unit_drain(unit);
}
