/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a decoder may begin: I-syncs, periodic synchronisation (IHI0014 7.7), overflow, timestamps
 * (7.7 of issue Q), the trigger (7.8.1). */
#include "unit/etmv3/core.h"

#define REASON_SHIFT 5
#define LSIP 0x80u
#define REASON_DEBUG 3u
#define WAITS_MAX 512u /* W atoms in one call of the encoder */
#define LONG_GAP 4096u /* cycles that are told as a gap: fewer bytes than so many W (7.10.1) */
#define EVENT_FALSE 0x0406fu

static const struct cairn_element_data nothing;

void cairn_etmv3_put_context(struct cairn_etmv3_unit *unit)
{
    const struct cairn_element_data data = {.context = unit->resources.context};

    cairn_etmv3_put(unit, CAIRN_ELEMENT_CONTEXT, 0, &data);
    unit->told = unit->resources.context;
}

static void put_address(struct cairn_etmv3_unit *unit, uint16_t flags,
                        struct cairn_etmv3_place place)
{
    const struct cairn_element_data data = {.address = place.address,
                                            .sub_isa = cairn_etmv3_sub_isa(place.isa)};

    if (!unit->data_only)
        cairn_etmv3_put(unit, CAIRN_ELEMENT_TARGET_ADDRESS, flags, &data);
}

/* --- when the next one is due --- */

static uint64_t progress(const struct cairn_etmv3_unit *unit)
{
    return unit->minor == 0 ? unit->clock : cairn_unit_pipe_generated(&unit->pipe);
}

static void put_alignment(struct cairn_etmv3_unit *unit)
{
    const uint32_t period = unit->registers.values[CAIRN_ETMV3_REG_ETMSYNCFR];

    cairn_etmv3_put_kind(unit, CAIRN_ELEMENT_A_SYNC);
    unit->sync_at = period > 0 ? progress(unit) + period : UINT64_MAX;
    unit->sync_limit = period > 0 ? progress(unit) + 2 * (uint64_t)period : UINT64_MAX;
    unit->stamp_wanted = true;
}

void cairn_etmv3_unit_request_sync(struct cairn_unit *base)
{
    cairn_etmv3_unit(base)->sync_at = 0;
}

/* --- trace goes on --- */

/* How many cycles nothing was traced, in the I-sync; the last one is the first instruction's, but a
 * count of 0 would mean that it is not known: a gap without cycles has no count, but for the first
 * one, before which nobody counted. */
static void put_gap(struct cairn_etmv3_unit *unit)
{
    const bool leaves_one = unit->gap > 1;
    const struct cairn_element_data data = {.value = unit->gap - leaves_one};

    if (unit->cycle_accurate && !unit->data_only && (unit->gap > 0 || !unit->synchronised))
        cairn_etmv3_put(unit, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_CYCLES, &data);
    unit->gap = 0;
    unit->waits = leaves_one;
}

/* The data instruction, which is implied to have executed, and in which security state; then what
 * executes beneath it (7.7.3). */
static void put_in_progress(struct cairn_etmv3_unit *unit, struct cairn_etmv3_place place)
{
    const struct cairn_context now = unit->resources.context;

    unit->resources.context.security = unit->mover.security;
    unit->resources.context.EL = unit->mover.EL;
    cairn_etmv3_put_context(unit);
    unit->resources.context = now;
    put_address(unit, 0, unit->mover.place);
    cairn_etmv3_put(unit, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E, &nothing);
    cairn_etmv3_put_context(unit);
    put_address(unit, 0, place);
    if (!unit->mover.traced) /* else it is told again, behind an overflow */
        unit->counters.traced++;
    unit->mover.traced = true;
}

static void start(struct cairn_etmv3_unit *unit, struct cairn_etmv3_place place)
{
    const bool debug = unit->after_debug;
    const bool beneath = cairn_etmv3_is_beneath(unit) && !unit->data_only;
    const struct cairn_element_data info = {
        .info = (uint8_t)((debug ? REASON_DEBUG << REASON_SHIFT : 0) | (beneath ? LSIP : 0))};

    if (!unit->synchronised || unit->after_overflow || progress(unit) >= unit->sync_at)
        put_alignment(unit);
    cairn_etmv3_put(unit, CAIRN_ELEMENT_TRACE_INFO, 0, &info);
    if (unit->after_overflow && !debug)
        cairn_etmv3_put_kind(unit, CAIRN_ELEMENT_OVERFLOW);
    put_gap(unit);
    unit->synchronised = true;
    cairn_etmv3_put_kind(unit, CAIRN_ELEMENT_TRACE_ON);
    if (beneath) {
        put_in_progress(unit, place);
    } else {
        cairn_etmv3_put_context(unit);
        put_address(unit, 0, place);
    }
    unit->tracing = true;
    unit->after_overflow = false;
    unit->owes_branch = false;
    unit->exception.pending = false;
}

static void overflow(struct cairn_etmv3_unit *unit)
{
    unit->counters.overflows++;
    unit->overflowed = true;
    unit->tracing = false;
    unit->suppressing = false;
    unit->owes_branch = false;
    unit->exception.pending = false;
    cairn_etmv3_end_cycles(unit);
    for (unsigned i = 0; i < CAIRN_ETMV3_TAGS; i++)
        unit->late[i].words = 0; /* lost (7.4.3) */
    cairn_unit_pipe_pack(&unit->pipe);
}

/* I-sync, and so all that comes with it, waits while data is suppressed (7.4.6), but for no more
 * than another period (7.7.1). False: the unit overflows for it. */
static bool synchronise(struct cairn_etmv3_unit *unit, struct cairn_etmv3_place place)
{
    const uint64_t now = progress(unit);

    if (now < unit->sync_at)
        return true;
    if (cairn_etmv3_suppresses(unit)) {
        if (now >= unit->sync_limit)
            overflow(unit);
        return !unit->overflowed;
    }
    put_alignment(unit);
    cairn_etmv3_put(unit, CAIRN_ELEMENT_TRACE_INFO, 0, &nothing);
    cairn_etmv3_put_context(unit);
    put_address(unit, CAIRN_ELEMENT_CHECK, place);
    return true;
}

bool cairn_etmv3_make_ready(struct cairn_etmv3_unit *unit, struct cairn_etmv3_place place)
{
    if (unit->overflowed && cairn_unit_pipe_is_empty(&unit->pipe)) {
        unit->overflowed = false;
        unit->after_overflow = true;
    }
    if (unit->overflowed)
        return false;
    if (!cairn_unit_pipe_has_room(&unit->pipe)) {
        overflow(unit);
        return false;
    }
    if (unit->tracing && unit->waits > LONG_GAP)
        cairn_etmv3_stop(unit, place);
    if (!unit->tracing) {
        start(unit, place);
        return true;
    }
    cairn_etmv3_introduce(unit, place);
    return synchronise(unit, place);
}

/* --- cycles --- */

/* A long gap stays for the next instruction's I-sync, also where data comes first. */
void cairn_etmv3_put_waits(struct cairn_etmv3_unit *unit)
{
    if (unit->waits > LONG_GAP)
        return;
    while (unit->waits > 0) {
        const uint64_t some = unit->waits < WAITS_MAX ? unit->waits : WAITS_MAX;

        cairn_etmv3_put(unit, CAIRN_ELEMENT_CYCLE_COUNT, 0,
                        &(struct cairn_element_data){.value = some});
        unit->waits -= some;
    }
}

void cairn_etmv3_unit_cycles(struct cairn_unit *base, uint64_t cycles)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);

    cairn_unit_pipe_cycles(&unit->pipe, cycles);
    if (!unit->enabled)
        return;
    unit->last.left = unit->last.left || cycles > 0;
    unit->clock = cairn_etmv3_add(unit->clock, cycles);
    if (unit->cycle_accurate && unit->tracing)
        unit->waits = cairn_etmv3_add(unit->waits, cycles);
    else if (unit->cycle_accurate)
        unit->gap = cairn_etmv3_add(unit->gap, cycles);
    if (!unit->resources.moves)
        return;
    cairn_etmv3_see_cycles(&unit->resources, &unit->registers, cycles);
    cairn_etmv3_sample(unit);
}

void cairn_etmv3_unit_time(struct cairn_unit *base, uint64_t time)
{
    cairn_etmv3_unit(base)->time = time;
}

void cairn_etmv3_unit_clock_stopped(struct cairn_unit *base)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);

    unit->clock_changed = true;
    unit->stamp_wanted = true;
}

void cairn_etmv3_unit_inputs(struct cairn_unit *base, uint32_t inputs)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);

    unit->resources.inputs = inputs;
    if (unit->enabled)
        cairn_etmv3_sample(unit);
}

/* --- events --- */

void cairn_etmv3_give_timestamp(struct cairn_etmv3_unit *unit)
{
    const struct cairn_element_data data = {.value = unit->time, .info = unit->clock_changed};

    if (!unit->timestamps || !unit->stamp_wanted)
        return;
    cairn_etmv3_put(unit, CAIRN_ELEMENT_TIMESTAMP, 0, &data);
    unit->stamp_wanted = false;
    unit->clock_changed = false;
}

/* One trigger until the Programming bit is set again (2.4). */
void cairn_etmv3_sample(struct cairn_etmv3_unit *unit)
{
    const uint32_t trigger = unit->registers.values[CAIRN_ETMV3_REG_ETMTRIGGER];
    const uint32_t stamp = unit->registers.values[CAIRN_ETMV3_REG_ETMTSEVR];

    if (!unit->triggers || unit->resources.held)
        return;
    if (!unit->resources.triggered &&
        cairn_etmv3_event(&unit->resources, &unit->registers, trigger)) {
        unit->resources.triggered = true;
        cairn_etmv3_put_kind(unit, CAIRN_ELEMENT_EVENT);
    }
    if (!unit->timestamps || stamp == EVENT_FALSE)
        return;
    const bool active = cairn_etmv3_event(&unit->resources, &unit->registers, stamp);
    if (active && !unit->stamp_event)
        unit->stamp_wanted = true;
    unit->stamp_event = active;
}
