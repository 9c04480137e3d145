/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace on, TFOs, Context IDs, overflow (IHI0014 6.5, 6.9, 6.10). */
#include "unit/etmv2/core.h"

/* --- the synchronisation counter --- */

static uint32_t period_of(const struct cairn_etmv2_unit *unit)
{
    return unit->common.registers.file.values[CAIRN_ETMV3_REG_ETMSYNCFR];
}

/* TFOs and whole data addresses are half a period apart (6.5.6). */
static void count_from(struct cairn_etmv2_unit *unit, uint64_t clock)
{
    unit->sync_at = cairn_etm_pins_later(clock, period_of(unit));
    unit->data_at = unit->sync_at - period_of(unit) / 2;
}

void cairn_etmv2_reload(struct cairn_etmv2_unit *unit)
{
    unit->sync_wanted = false;
    unit->sync_asked = false;
    unit->common.counters.syncs++;
    count_from(unit, unit->port.pins.clock);
}

/* When it reaches zero a second time without a TFO there has been no IE for it: one is forced, by an
 * overflow (6.5.1). */
bool cairn_etmv2_count_down(struct cairn_etmv2_unit *unit)
{
    const uint64_t cycle = cairn_etm_pins_later(unit->port.pins.clock, 1);
    const bool late = unit->sync_wanted;

    if (cycle >= unit->data_at) {
        unit->data_known = false;
        unit->data_at = UINT64_MAX;
    }
    if (cycle < unit->sync_at)
        return true;
    unit->sync_wanted = true;
    count_from(unit, unit->sync_at);
    return !late;
}

bool cairn_etmv2_takes_whole_data(struct cairn_etmv2_unit *unit)
{
    const bool asked = cairn_etm_pins_later(unit->port.pins.clock, 1) >= unit->data_at;
    const bool whole = asked || !unit->data_known;

    if (asked)
        unit->data_at = UINT64_MAX;
    unit->data_known = true;
    return whole;
}

void cairn_etmv2_unit_request_sync(struct cairn_unit *base)
{
    cairn_etmv2_unit(base)->sync_asked = true;
}

/* What has no room waits. */
size_t cairn_etmv2_periodic(struct cairn_etmv2_unit *unit, const struct cairn_etmv2_cycle *cycle,
                            uint8_t packet[CAIRN_ETMV2_TFO_BYTES])
{
    if (!(unit->sync_wanted || unit->sync_asked) || !cycle->begins || !cycle->passed ||
        cycle->phantom != 0 || cycle->size > 0 ||
        unit->port.offset_part != CAIRN_ETMV2_OFFSET_NONE ||
        !cairn_etmv2_make_room(unit, cairn_etmv2_tfo_size(&unit->encoder)))
        return 0;
    return cairn_etmv2_encode_tfo(&unit->encoder, CAIRN_ETMV2_PERIODIC, cycle->context_id,
                                  cairn_etmv2_place_of(cycle->place), NULL, packet);
}

/* --- Context IDs --- */

uint32_t cairn_etmv2_context_id(const struct cairn_etmv2_unit *unit)
{
    const unsigned bits = 8u * unit->encoder.context_bytes;

    return bits == 0 ? 0 : unit->common.resources.context.context_id & (UINT32_MAX >> (32u - bits));
}

void cairn_etmv2_put_context(struct cairn_etmv2_unit *unit)
{
    const uint32_t id = cairn_etmv2_context_id(unit);
    uint8_t packet[CAIRN_ETMV2_CONTEXT_BYTES];

    if (!unit->tracing || unit->kept_until_now || id == unit->told_context)
        return;
    struct cairn_etmv2_cycle *cycle = cairn_etmv2_open_cycle(unit);

    if (!unit->tracing) /* what was in hand had no room */
        return;
    unit->told_context = id;
    cairn_etmv2_add(cycle, packet, cairn_etmv2_encode_context(&unit->encoder, id, packet));
}

/* --- trace on and off --- */

static unsigned reason_of(const struct cairn_etmv2_unit *unit)
{
    if (unit->common.after_debug)
        return CAIRN_ETMV2_DEBUG_EXIT;
    return unit->common.after_overflow ? CAIRN_ETMV2_OVERFLOW : CAIRN_ETMV2_TRACE_ON;
}

/* What executes beneath a load or store multiple is traced with that, which is implied to have executed
 * (6.5.5). */
static void note_implied(struct cairn_etmv2_unit *unit)
{
    if (!unit->mover.counted) /* else it is told again, behind an overflow */
        unit->common.counters.traced++;
    unit->mover.counted = true;
    unit->mover.traced = true;
    unit->mover.started = false;
}

/* The offset of a TFO is shown as a whole before another one can be. */
static void finish_offset(struct cairn_etmv2_unit *unit)
{
    if (unit->port.offset_part != CAIRN_ETMV2_OFFSET_NONE)
        cairn_etmv2_show_held(unit);
    while (unit->port.offset_part != CAIRN_ETMV2_OFFSET_NONE) {
        unit->ahead++;
        cairn_etmv2_show_wait(unit, 1);
    }
}

bool cairn_etmv2_begin_trace(struct cairn_etmv2_unit *unit, struct cairn_pins_location location)
{
    const bool beneath = cairn_etmv2_is_beneath(unit) && unit->mover.several;
    const struct cairn_etmv2_place place = cairn_etmv2_place_of(location);
    struct cairn_etmv2_encoder encoder = unit->encoder;
    uint8_t packet[CAIRN_ETMV2_TFO_BYTES];
    size_t size;

    cairn_etmv2_show_busy(unit);
    if (unit->common.overflowed && unit->port.pins.count > 0)
        return false;
    unit->common.after_overflow = unit->common.after_overflow || unit->common.overflowed;
    unit->common.overflowed = false;
    finish_offset(unit);
    size = cairn_etmv2_encode_tfo(&encoder, reason_of(unit), cairn_etmv2_context_id(unit),
                                  beneath ? cairn_etmv2_place_of(unit->mover.place) : place,
                                  beneath ? &place : NULL, packet);
    if (!cairn_etmv2_make_room(unit, size)) {
        cairn_etmv2_show_held(unit);
        if (!unit->common.overflowed)
            cairn_etmv2_overflow(unit);
        return false;
    }
    unit->told_context = cairn_etmv2_context_id(unit);
    unit->encoder = encoder;
    cairn_etmv2_show_tfo(unit, packet, size);
    cairn_etmv2_reload(unit);
    if (beneath)
        note_implied(unit);
    unit->tracing = true;
    unit->common.after_overflow = false;
    unit->common.after_debug = false;
    unit->data_known = false;
    unit->owes_branch = false;
    unit->excepted = false;
    return true;
}

/* What is in hand is lost with what had no room. */
void cairn_etmv2_overflow(struct cairn_etmv2_unit *unit)
{
    unit->common.counters.overflows++;
    unit->common.overflowed = true;
    unit->common.after_debug = false;
    unit->tracing = false;
    unit->owes_branch = false;
    unit->excepted = false;
    unit->last.traced = false;
    unit->mover.traced = false;
    cairn_etmv2_drop_cycles(unit);
    cairn_etmv2_forget_data(unit);
}
