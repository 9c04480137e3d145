/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of the core -> cycles of the port; the trigger; FIFOFULL (IHI0014 5.1.1, 5.9.1). */
#include "unit/etmv1/core.h"

void cairn_etmv1_show(struct cairn_etmv1_unit *unit, unsigned pipestat)
{
    if (unit->owed > 0)
        unit->owed--;
    else
        unit->ahead = cairn_etm_pins_later(unit->ahead, 1);
    cairn_etmv1_port_status(&unit->port, pipestat);
}

void cairn_etmv1_show_wait(struct cairn_etmv1_unit *unit, uint64_t cycles)
{
    const uint64_t told = cycles < unit->owed ? cycles : unit->owed;

    unit->owed -= told;
    unit->ahead = cairn_etm_pins_later(unit->ahead, cycles - told);
    cairn_etmv1_port_wait(&unit->port, cycles);
}

void cairn_etmv1_pass_time(struct cairn_etmv1_unit *unit)
{
    cairn_etmv1_port_wait(&unit->port, unit->owed);
    unit->owed = 0;
}

/* The last cycle that was told may be that of the status. */
void cairn_etmv1_unit_cycles(struct cairn_unit *base, uint64_t cycles)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);
    const uint64_t shown = cycles < unit->ahead ? cycles : unit->ahead;

    unit->ahead -= shown;
    unit->owed = cairn_etm_pins_later(unit->owed, cycles - shown);
    if (!unit->last.pending) {
        cairn_etmv1_pass_time(unit);
    } else if (unit->owed > 1) {
        cairn_etmv1_port_wait(&unit->port, unit->owed - 1);
        unit->owed = 1;
    }
    if (!unit->common.enabled || !unit->common.resources.moves)
        return;
    cairn_etmv3_see_cycles(&unit->common.resources, &unit->common.registers.file, cycles);
    cairn_etmv1_sample(unit);
}

void cairn_etmv1_unit_inputs(struct cairn_unit *base, uint32_t inputs)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    unit->common.resources.inputs = inputs;
    if (unit->common.enabled)
        cairn_etmv1_sample(unit);
}

/* One trigger until the Programming bit is set again (2.4). It is in the next cycle, whatever that
 * shows besides. */
void cairn_etmv1_sample(struct cairn_etmv1_unit *unit)
{
    if (cairn_pins_trigger(&unit->common))
        unit->port.pins.triggers = true;
}

/* --- room --- */

/* What does not leave by itself is not waited for. */
bool cairn_etmv1_unit_stalls(const struct cairn_unit *base)
{
    const struct cairn_etmv1_unit *unit = cairn_etmv1_unit_const(base);

    return unit->common.enabled && cairn_etmv1_port_is_busy(&unit->port) &&
           cairn_etmv1_registers_stall(&unit->common.registers, cairn_etmv1_port_room(&unit->port),
                                       unit->common.resources.instruction_ranges);
}

bool cairn_etmv1_make_room(struct cairn_etmv1_unit *unit, size_t bytes)
{
    while (unit->common.waits_for_port && cairn_etmv1_port_room(&unit->port) < bytes &&
           cairn_etmv1_port_is_busy(&unit->port)) {
        cairn_etmv1_show_wait(unit, 1);
        unit->common.stalled++;
    }
    return cairn_etmv1_port_room(&unit->port) >= bytes;
}
