/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions, and where nothing is traced (IHI0014 2.14, 4.5.3, 4.12, 6.1.5, 6.7.1, 6.8.1). */
#include "unit/etmv2/core.h"

#define HIGH_VECTORS UINT32_C(0xffff0000)
#define MINOR_IMPRECISE 1u /* imprecise data aborts: v2.1 */

static const struct cairn_etmv2_location nowhere = {.isa = CAIRN_ISA_UNKNOWN};

static uint32_t offset_of(unsigned type)
{
    switch (type) {
    case CAIRN_EXCEPTION_PE_RESET: return 0x00;
    case CAIRN_EXCEPTION_CALL: return 0x08;
    case CAIRN_EXCEPTION_INST_DEBUG:
    case CAIRN_EXCEPTION_INST_FAULT: return 0x0c;
    case CAIRN_EXCEPTION_SYSTEM_ERROR:
    case CAIRN_EXCEPTION_DATA_DEBUG:
    case CAIRN_EXCEPTION_ALIGNMENT:
    case CAIRN_EXCEPTION_DATA_FAULT: return 0x10;
    case CAIRN_EXCEPTION_IRQ: return 0x18;
    case CAIRN_EXCEPTION_FIQ: return 0x1c;
    default: return 0x04;
    }
}

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

/* Whether it comes to the instruction told last: that did not complete though it was told, it called, or it
 * is abandoned by a reset. */
static bool is_of_last(const struct cairn_etmv2_unit *unit, unsigned type, uint32_t address)
{
    const struct cairn_etmv2_last *last = &unit->last;
    const bool leads_on =
        unit->next.isa != CAIRN_ISA_UNKNOWN && unit->next.address != last->place.address;

    if (last->place.isa == CAIRN_ISA_UNKNOWN || unit->excepted)
        return false;
    return type == CAIRN_EXCEPTION_CALL || type == CAIRN_EXCEPTION_PE_RESET || last->aborted ||
           (last->place.address == address && leads_on);
}

/* An instruction that has not been told, and is what raises the exception or is cancelled by it: it has a
 * status, and the branch is its own (6.1.5). */
static void begin_excepted(struct cairn_etmv2_unit *unit, uint32_t address, enum cairn_isa isa)
{
    const struct cairn_etmv3_instruction instruction = {
        .address = address, .size = isa == CAIRN_ISA_T32 ? 2 : 4, .passed = true};

    if (unit->next.isa != CAIRN_ISA_UNKNOWN && unit->next.address != address) {
        unit->counters.discontinuities++;
        cairn_etmv2_lose_path(unit);
    }
    cairn_etmv2_begin(unit, &instruction, (uint8_t)isa, NULL);
}

/* Halting debug has no vector: trace ends there. */
static void halt(struct cairn_etmv2_unit *unit, struct cairn_etmv2_location place)
{
    cairn_etmv2_stop(unit, place);
    unit->next = nowhere;
}

void cairn_etmv2_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                                enum cairn_isa isa)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);
    const struct cairn_etmv2_location place = {(uint32_t)address, (uint8_t)isa};

    if (!unit->enabled || unit->debug || unit->resources.prohibited)
        return;
    if (type == CAIRN_EXCEPTION_DEBUG_HALT) {
        halt(unit, place);
        return;
    }
    const bool of_last = is_of_last(unit, type, place.address);
    const bool resets = type == CAIRN_EXCEPTION_PE_RESET;

    if (!of_last && !resets)
        begin_excepted(unit, place.address, isa);
    if (resets) { /* what was missed may never come (6.4.3) */
        cairn_etmv2_forget_data(unit);
        unit->mover.pending = 0;
    }
    unit->owes_branch = false;
    unit->next = nowhere;
    if (!unit->last.traced) { /* nothing that is traced leads there */
        unit->tracing = false;
        return;
    }
    unit->excepted = true;
    unit->cancels = cancels(unit, type);
    unit->exception = (uint8_t)(type < UINT8_MAX ? type : UINT8_MAX);
    unit->counters.exceptions++;
}

/* --- regions and states --- */

void cairn_etmv2_hide_path(struct cairn_etmv2_unit *unit)
{
    const struct cairn_etmv2_location vector = {
        (unit->registers.HIVECS ? HIGH_VECTORS : 0) + offset_of(unit->exception), CAIRN_ISA_A32};

    unit->owes_branch = false;
    if (unit->excepted)
        cairn_etmv2_stop(unit, vector);
    cairn_etmv2_lose_path(unit);
}

static void prohibit(struct cairn_etmv2_unit *unit)
{
    const bool prohibited = unit->in_region || unit->resources.held;

    if (unit->enabled && prohibited && !unit->resources.prohibited)
        cairn_etmv2_hide_path(unit);
    unit->next = nowhere;
    unit->resources.prohibited = prohibited;
}

void cairn_etmv2_unit_prohibit(struct cairn_unit *base, bool prohibited)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    unit->in_region = prohibited;
    prohibit(unit);
}

void cairn_etmv2_unit_authenticate(struct cairn_unit *base, uint32_t signals)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    unit->resources.held = !(signals & (CAIRN_UNIT_DBGEN | CAIRN_UNIT_NIDEN));
    prohibit(unit);
}

/* Values that were missed may never come (6.4.3). */
void cairn_etmv2_unit_debug_state(struct cairn_unit *base, bool debug)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    if (unit->enabled && debug != unit->debug) {
        cairn_etmv2_lose_path(unit);
        cairn_etmv2_forget_data(unit);
        unit->after_debug = !debug;
    }
    unit->debug = debug;
}

/* The WFI or its like is traced, then the FIFO drains, and trace begins anew with what follows (4.12). Loads
 * that are out have ended. */
void cairn_etmv2_unit_low_power(struct cairn_unit *base, bool low)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    if (!unit->enabled || !low)
        return;
    cairn_etmv2_return_all_data(unit);
    cairn_etmv2_lose_path(unit);
    cairn_etmv2_drain(unit);
}
