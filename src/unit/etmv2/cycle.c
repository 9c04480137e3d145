/* SPDX-License-Identifier: BSD-2-Clause */
/* The cycles in hand, and those of the core as they pass (IHI0014 6.1, 6.3, 6.10). */
#include "unit/etmv2/core.h"

/* --- room --- */

/* What a feed does not tell of passes all the same. */
static void wait_once(struct cairn_etmv2_unit *unit)
{
    unit->ahead = cairn_etm_pins_later(unit->ahead, 1);
    cairn_etmv2_port_wait(&unit->port, 1);
}

bool cairn_etmv2_make_room(struct cairn_etmv2_unit *unit, size_t bytes)
{
    while (unit->common.waits_for_port && cairn_etm_pins_room(&unit->port.pins) < bytes &&
           cairn_etmv2_port_is_busy(&unit->port)) {
        wait_once(unit);
        unit->common.stalled++;
    }
    return cairn_etm_pins_room(&unit->port.pins) >= bytes;
}

bool cairn_etmv2_unit_stalls(const struct cairn_unit *base)
{
    const struct cairn_etmv2_unit *unit = cairn_etmv2_unit_const(base);

    return unit->common.enabled && cairn_etmv2_port_is_busy(&unit->port) &&
           cairn_etmv1_registers_stall(&unit->common.registers,
                                       cairn_etm_pins_room(&unit->port.pins),
                                       unit->common.resources.instruction_ranges);
}

/* --- a cycle is shown --- */

static void tell_observer(struct cairn_etmv2_unit *unit, const struct cairn_etmv2_cycle *cycle)
{
    for (unsigned i = 0; i < cycle->sight_count; i++)
        cairn_unit_see(&unit->common.base.sight, cycle->sights[i].seen, cycle->sights[i].traced,
                       cycle->sights[i].why);
}

static unsigned status_of(const struct cairn_etmv2_cycle *cycle)
{
    if (!cycle->begins)
        return CAIRN_ETMV2_PIPESTAT_WT;
    return cycle->phantom |
           (unsigned)(cycle->passed ? CAIRN_ETMV2_PIPESTAT_IE : CAIRN_ETMV2_PIPESTAT_IN);
}

static unsigned instructions_of(const struct cairn_etmv2_cycle *cycle)
{
    if (!cycle->begins)
        return 0;
    return (cycle->whole ? 1u : 0u) + (cycle->phantom != 0 ? 1u : 0u);
}

/* Its packets have no room: all there was of it is lost. */
static void drop(struct cairn_etmv2_cycle *cycle)
{
    for (unsigned i = 0; i < cycle->sight_count; i++) {
        struct cairn_etmv2_sight *sight = &cycle->sights[i];

        sight->why |= sight->traced ? CAIRN_UNIT_WHY_OVERFLOW : 0;
        sight->traced = false;
    }
    cycle->begins = false;
    cycle->counts = false;
    cycle->ended = false;
    cycle->phantom = 0;
    cycle->size = 0;
}

void cairn_etmv2_drop_cycles(struct cairn_etmv2_unit *unit)
{
    drop(&unit->held);
    drop(&unit->now);
}

static void show(struct cairn_etmv2_unit *unit, struct cairn_etmv2_cycle cycle)
{
    uint8_t packet[CAIRN_ETMV2_TFO_BYTES];
    size_t size;

    if ((cycle.counts && !cairn_etmv2_count_down(unit)) ||
        (cycle.size > 0 && !cairn_etmv2_make_room(unit, cycle.size))) {
        drop(&cycle);
        cairn_etmv2_overflow(unit);
    }
    size = cairn_etmv2_periodic(unit, &cycle, packet);
    unit->port.pins.triggers = unit->port.pins.triggers || cycle.triggers;
    unit->port.counts = cycle.counts && unit->cycle_accurate;
    unit->common.counters.traced += instructions_of(&cycle);
    if (size > 0) {
        cairn_etmv2_port_tfo(&unit->port, packet, size);
        cairn_etmv2_reload(unit);
    } else {
        cairn_etmv2_port_cycle(&unit->port, status_of(&cycle), cycle.group, cycle.size);
    }
    unit->common.counters.bytes += size + cycle.size;
    tell_observer(unit, &cycle);
}

void cairn_etmv2_show_held(struct cairn_etmv2_unit *unit)
{
    const struct cairn_etmv2_cycle held = unit->held;

    unit->held = (struct cairn_etmv2_cycle){0};
    if (held.used)
        show(unit, held);
}

void cairn_etmv2_show_now(struct cairn_etmv2_unit *unit)
{
    cairn_etmv2_show_held(unit);

    const struct cairn_etmv2_cycle now = unit->now;
    const bool triggers = !now.used && now.triggers; /* it is for the next one */

    unit->now = (struct cairn_etmv2_cycle){.triggers = triggers};
    if (!now.used)
        return;
    unit->ahead = cairn_etm_pins_later(unit->ahead, 1);
    show(unit, now);
}

void cairn_etmv2_show_wait(struct cairn_etmv2_unit *unit, uint64_t cycles)
{
    while (cycles > 0 && unit->tracing) {
        const uint64_t left = unit->sync_at - unit->port.pins.clock; /* 0: time stands still */
        const uint64_t most = left > 1 ? left - 1 : 1;
        const uint64_t some = most < cycles ? most : cycles;

        if (!cairn_etmv2_count_down(unit))
            cairn_etmv2_overflow(unit);
        unit->port.counts = unit->tracing && unit->cycle_accurate;
        cairn_etmv2_port_wait(&unit->port, some);
        cycles -= some;
    }
    unit->port.counts = false;
    cairn_etmv2_port_wait(&unit->port, cycles);
}

void cairn_etmv2_show_busy(struct cairn_etmv2_unit *unit)
{
    const struct cairn_etmv2_cycle *held = &unit->held;

    if (held->begins || held->ended || (held->size > 0 && held->returned == 0))
        cairn_etmv2_show_held(unit);
}

/* It takes the place of a cycle in which nothing happened, if there is one. */
void cairn_etmv2_show_tfo(struct cairn_etmv2_unit *unit, const uint8_t *packet, size_t size)
{
    const struct cairn_etmv2_cycle held = unit->held;

    unit->held = (struct cairn_etmv2_cycle){0};
    if (!held.used)
        unit->ahead = cairn_etm_pins_later(unit->ahead, 1);
    unit->port.pins.triggers = unit->port.pins.triggers || (held.used && held.triggers);
    cairn_etmv2_port_tfo(&unit->port, packet, size);
    unit->common.counters.bytes += size;
    if (held.used)
        tell_observer(unit, &held);
}

void cairn_etmv2_drain(struct cairn_etmv2_unit *unit)
{
    cairn_etmv2_show_now(unit);
    unit->port.pins.triggers = unit->port.pins.triggers || unit->now.triggers;
    unit->now.triggers = false;
    while (unit->port.pins.triggers || cairn_etmv2_port_is_busy(&unit->port))
        wait_once(unit);
    cairn_etm_pins_deliver(&unit->port.pins);
}

/* --- what goes into a cycle --- */

#define LAST_PACKETS (CAIRN_ETMV2_CONTEXT_BYTES + CAIRN_ETMV2_WHOLE_ADDRESS)

static bool takes_more(const struct cairn_etmv2_cycle *cycle)
{
    return cycle->used && !cycle->ended && cycle->size + LAST_PACKETS <= CAIRN_ETMV2_GROUP;
}

struct cairn_etmv2_cycle *cairn_etmv2_open_cycle(struct cairn_etmv2_unit *unit)
{
    if (!unit->now.used && takes_more(&unit->held))
        return &unit->held;
    cairn_etmv2_show_held(unit);
    if (unit->now.used && !takes_more(&unit->now))
        cairn_etmv2_show_now(unit);
    if (!unit->now.used)
        unit->now.counts = unit->tracing;
    unit->now.used = true;
    return &unit->now;
}

void cairn_etmv2_add(struct cairn_etmv2_cycle *cycle, const uint8_t *packet, size_t size)
{
    if (cycle->size > 0)
        cycle->group[cycle->header] |= CAIRN_ETMV2_CONTINUES;
    cycle->header = cycle->size;
    for (size_t i = 0; i < size && cycle->size < CAIRN_ETMV2_GROUP; i++)
        cycle->group[cycle->size++] = packet[i];
}

/* --- time --- */

/* Transfers that kept trace on have ended, and in the cycle behind them nothing begins. */
static void end_kept(struct cairn_etmv2_unit *unit)
{
    unit->tracing = unit->tracing && !unit->kept_until_now;
    unit->kept_until_now = false;
}

/* The cycle in hand is over, and can take nothing but what the next instruction tells of it. */
static void end_now(struct cairn_etmv2_unit *unit)
{
    cairn_etmv2_show_held(unit);
    end_kept(unit);
    unit->now.counts = unit->tracing && (unit->now.counts || !unit->now.used);
    unit->now.used = true;
    cairn_etmv2_put_context(unit);
    unit->held = unit->now;
    unit->now = (struct cairn_etmv2_cycle){0};
    unit->kept_until_now = unit->tracing && !unit->last.enabled && !cairn_etmv2_is_kept_on(unit);
}

static void pass(struct cairn_etmv2_unit *unit, uint64_t cycles)
{
    const uint64_t shown = cycles < unit->ahead ? cycles : unit->ahead;

    unit->ahead -= shown;
    cycles -= shown;
    if (cycles == 0)
        return;
    end_now(unit);
    if (cycles == 1)
        return;
    cairn_etmv2_show_held(unit);
    end_kept(unit);
    cairn_etmv2_show_wait(unit, cycles - 2);
    unit->held = (struct cairn_etmv2_cycle){.used = true, .counts = unit->tracing};
}

void cairn_etmv2_unit_cycles(struct cairn_unit *base, uint64_t cycles)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    unit->last.left = unit->last.left || cycles > 0;
    pass(unit, cycles);
    if (!unit->common.enabled || !unit->common.resources.moves)
        return;
    cairn_etmv3_see_cycles(&unit->common.resources, &unit->common.registers.file, cycles);
    cairn_etmv2_sample(unit);
}

void cairn_etmv2_unit_inputs(struct cairn_unit *base, uint32_t inputs)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    unit->common.resources.inputs = inputs;
    if (unit->common.enabled)
        cairn_etmv2_sample(unit);
}

/* One trigger until the Programming bit is set again (2.4, 6.5.1). */
void cairn_etmv2_sample(struct cairn_etmv2_unit *unit)
{
    if (cairn_pins_trigger(&unit->common))
        unit->now.triggers = true;
}
