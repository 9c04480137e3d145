/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions, and where nothing is traced (IHI0014 2.14, 4.5.3, 4.12, 6.1.5, 6.7.1, 6.8.1). */
#include "unit/etmv2/core.h"

#define MINOR_IMPRECISE 1u /* imprecise data aborts: v2.1 */

static const struct cairn_pins_location nowhere = {.isa = CAIRN_ISA_UNKNOWN};

/* Whether the instruction that it comes to counts as not executed: the E bit. */
static bool cancels(const struct cairn_etmv2_unit *unit, unsigned type)
{
    switch (type) {
    case CAIRN_EXCEPTION_PE_RESET:
    case CAIRN_EXCEPTION_INST_DEBUG:
    case CAIRN_EXCEPTION_INST_FAULT:
    case CAIRN_EXCEPTION_IRQ:
    case CAIRN_EXCEPTION_FIQ: return true;
    case CAIRN_EXCEPTION_SYSTEM_ERROR: return unit->minor >= MINOR_IMPRECISE;
    default: return false;
    }
}

/* An instruction that has not been told, and is what raises the exception or is cancelled by it: it has a
 * status, and the branch is its own (6.1.5). */
static void begin_excepted(struct cairn_etmv2_unit *unit, struct cairn_pins_location place)
{
    const struct cairn_etmv3_instruction instruction = cairn_pins_excepted(place);

    if (unit->common.next.isa != CAIRN_ISA_UNKNOWN && unit->common.next.address != place.address) {
        unit->common.counters.discontinuities++;
        cairn_etmv2_lose_path(unit);
    }
    cairn_etmv2_begin(unit, &instruction, place.isa, NULL);
}

/* Halting debug has no vector: trace ends there. */
static void halt(struct cairn_etmv2_unit *unit, struct cairn_pins_location place)
{
    cairn_etmv2_stop(unit, place);
    unit->common.next = nowhere;
}

void cairn_etmv2_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                                enum cairn_isa isa)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);
    const struct cairn_pins_location place = {(uint32_t)address, (uint8_t)isa};

    if (!unit->common.enabled || unit->common.debug || unit->common.resources.prohibited)
        return;
    if (type == CAIRN_EXCEPTION_DEBUG_HALT) {
        halt(unit, place);
        return;
    }
    const struct cairn_pins_last last = {unit->last.place, unit->last.aborted, unit->excepted};
    const bool of_last = cairn_pins_ends_last(&unit->common, &last, type, place.address);
    const bool resets = type == CAIRN_EXCEPTION_PE_RESET;

    if (!of_last && !resets)
        begin_excepted(unit, place);
    if (resets) { /* what was missed may never come (6.4.3) */
        cairn_etmv2_forget_data(unit);
        unit->mover.pending = 0;
    }
    unit->owes_branch = false;
    unit->common.next = nowhere;
    if (!unit->last.traced) { /* nothing that is traced leads there */
        unit->tracing = false;
        return;
    }
    unit->excepted = true;
    unit->cancels = cancels(unit, type);
    unit->exception = (uint8_t)(type < UINT8_MAX ? type : UINT8_MAX);
    unit->common.counters.exceptions++;
}

/* --- regions and states --- */

void cairn_etmv2_hide_path(struct cairn_unit *base)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    unit->owes_branch = false;
    if (unit->excepted)
        cairn_etmv2_stop(unit, cairn_pins_vector(&unit->common, unit->exception));
    cairn_etmv2_lose_path(unit);
}

/* Values that were missed may never come (6.4.3). */
void cairn_etmv2_unit_debug_state(struct cairn_unit *base, bool debug)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    if (unit->common.enabled && debug != unit->common.debug) {
        cairn_etmv2_lose_path(unit);
        cairn_etmv2_forget_data(unit);
        unit->common.after_debug = !debug;
    }
    unit->common.debug = debug;
}

/* The WFI or its like is traced, then the FIFO drains, and trace begins anew with what follows (4.12). Loads
 * that are out have ended. */
void cairn_etmv2_unit_low_power(struct cairn_unit *base, bool low)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    if (!unit->common.enabled || !low)
        return;
    cairn_etmv2_return_all_data(unit);
    cairn_etmv2_lose_path(unit);
    cairn_etmv2_drain(unit);
}
