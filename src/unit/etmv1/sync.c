/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch addresses and their offsets, whole addresses, trace on and off, overflow (IHI0014 5.6, 5.8,
 * 5.9). */
#include "unit/etmv1/core.h"

#define APO_MOST 15u /* the offset does not fit (5.6.1) */
#define APO_BITS 2u
#define APO_MASK 3u

/* --- what forces a whole address --- */

static uint32_t traced_context(const struct cairn_etmv1_unit *unit)
{
    const unsigned bits = 8u * unit->encoder.context_bytes;

    return bits == 0 ? 0 : unit->common.resources.context.context_id & (UINT32_MAX >> (32u - bits));
}

static bool context_changed(const struct cairn_etmv1_unit *unit)
{
    return traced_context(unit) != unit->told_context;
}

static uint64_t since_whole(const struct cairn_etmv1_unit *unit)
{
    return unit->port.pins.clock - unit->whole_at;
}

bool cairn_etmv1_forces_address(const struct cairn_etmv1_unit *unit)
{
    return since_whole(unit) >= CAIRN_ETMV1_PERIOD + CAIRN_ETMV1_PATIENCE || context_changed(unit);
}

static struct cairn_etmv1_target target_at(const struct cairn_etmv1_unit *unit,
                                           struct cairn_pins_location place)
{
    return (struct cairn_etmv1_target){
        .address = place.address,
        .thumb = place.isa == CAIRN_ISA_T32,
        .jazelle = place.isa == CAIRN_UNIT_ISA_JAZELLE,
        .context_id = traced_context(unit),
    };
}

/* Where the branch leads, as its packets say it. Until it is forced a whole address waits for room. */
static struct cairn_etmv1_target target_of(const struct cairn_etmv1_unit *unit,
                                           struct cairn_pins_location place)
{
    struct cairn_etmv1_target target = target_at(unit, place);
    struct cairn_etmv1_target whole = target;

    whole.full = true;
    whole.why = unit->edition->context_ids ? CAIRN_ETMV1_WHY_PERIODIC : CAIRN_ETMV1_WHY_NORMAL;
    if (cairn_etmv1_forces_address(unit))
        return whole;
    if (since_whole(unit) >= CAIRN_ETMV1_PERIOD &&
        cairn_etmv1_port_room(&unit->port) >= cairn_etmv1_branch_size(&unit->encoder, &whole))
        return whole;
    target.full = target.jazelle || unit->last.place.isa == CAIRN_UNIT_ISA_JAZELLE;
    return target;
}

/* --- packets --- */

/* A PE that waits for the port does so until the FIFO is empty: then the offset is 0. */
static void await_offset(struct cairn_etmv1_unit *unit)
{
    while (unit->common.waits_for_port && cairn_etmv1_port_is_busy(&unit->port)) {
        cairn_etmv1_show_wait(unit, 1);
        unit->common.stalled++;
    }
}

/* The status, then the offset in the two cycles behind it. */
static bool put_target(struct cairn_etmv1_unit *unit, unsigned pipestat,
                       const struct cairn_etmv1_target *target)
{
    uint8_t bytes[CAIRN_ETMV1_BRANCH_BYTES];
    unsigned offset;

    await_offset(unit);
    if (!cairn_etmv1_make_room(unit, cairn_etmv1_branch_size(&unit->encoder, target)))
        return false;
    offset = cairn_etmv1_port_branches(&unit->port);
    if (offset > APO_MOST)
        offset = APO_MOST;
    const size_t size = cairn_etmv1_encode_branch(&unit->encoder, target, bytes);

    cairn_etmv1_port_push(&unit->port, bytes, size, true);
    unit->common.counters.bytes += size;
    if (size >= CAIRN_ETMV1_WHOLE_ADDRESS) {
        unit->whole_at = unit->port.pins.clock;
        unit->common.counters.syncs++;
    }
    if (target->full && target->why != CAIRN_ETMV1_WHY_NORMAL)
        unit->told_context = target->context_id;
    cairn_etmv1_show(unit, pipestat);
    cairn_etmv1_show(unit, offset & APO_MASK);
    cairn_etmv1_show(unit, offset >> APO_BITS);
    return true;
}

bool cairn_etmv1_put_branch(struct cairn_etmv1_unit *unit, unsigned pipestat,
                            struct cairn_pins_location place)
{
    const struct cairn_etmv1_target target = target_of(unit, place);

    return put_target(unit, pipestat, &target);
}

/* --- trace on and off --- */

void cairn_etmv1_stop(struct cairn_etmv1_unit *unit)
{
    unit->tracing = false;
    unit->data_known = false;
    unit->port.draining = true;
    unit->port.counts = false;
}

void cairn_etmv1_overflow(struct cairn_etmv1_unit *unit)
{
    unit->common.counters.overflows++;
    unit->common.overflowed = true;
    cairn_etmv1_stop(unit);
}

/* The branch that no instruction is: it says where trace begins, and why only there. */
static bool begin_trace(struct cairn_etmv1_unit *unit, struct cairn_pins_location place)
{
    struct cairn_etmv1_target target = target_at(unit, place);

    target.full = true;
    target.why = CAIRN_ETMV1_WHY_ENABLED;
    if (unit->common.after_overflow)
        target.why = CAIRN_ETMV1_WHY_OVERFLOW;
    if (unit->common.after_debug)
        target.why = CAIRN_ETMV1_WHY_DEBUG;
    unit->port.draining = false;
    unit->port.counts = true;
    if (!put_target(unit, CAIRN_ETMV1_PIPESTAT_BE, &target)) {
        cairn_etmv1_overflow(unit);
        return false;
    }
    unit->tracing = true;
    unit->common.after_overflow = false;
    return true;
}

bool cairn_etmv1_make_ready(struct cairn_etmv1_unit *unit, struct cairn_pins_location place)
{
    if (unit->common.overflowed && unit->port.pins.count > 0)
        return false;
    unit->common.after_overflow = unit->common.after_overflow || unit->common.overflowed;
    unit->common.overflowed = false;
    return unit->tracing || begin_trace(unit, place);
}
