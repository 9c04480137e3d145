/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv1/pins_unit.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/sizes.h"
#include "unit/etm/derived.h"
#include "unit/etmv1/program.h"

#define HIGH_VECTORS UINT32_C(0xffff0000)

static const struct cairn_pins_location nowhere = {.isa = CAIRN_ISA_UNKNOWN};

/* --- registers --- */

/* As software reads them. */
static struct cairn_etmv1_registers current(const struct cairn_pins_unit *unit)
{
    return cairn_etmv1_program_current(&unit->registers, &unit->resources, unit->enabled,
                                       unit->overflowed || unit->after_overflow);
}

cairn_status cairn_pins_unit_read(const struct cairn_unit *base, const char *name, uint64_t *value)
{
    const struct cairn_etmv1_registers registers = current(cairn_pins_unit_const(base));

    return cairn_etmv1_registers_read(&registers, name, value);
}

/* A capture has the registers as they were while the unit traced. */
cairn_status cairn_pins_unit_register_at(const struct cairn_unit *base, size_t index,
                                         struct cairn_register *value)
{
    return cairn_etmv1_registers_list(&cairn_pins_unit_const(base)->registers, index, value);
}

struct cairn_config *cairn_pins_unit_config(const struct cairn_unit *base)
{
    return cairn_etmv1_program_config(&cairn_pins_unit_const(base)->registers, &base->arch);
}

/* What cairn_unit_scan has to know before the unit is enabled. */
static void find_block_ends(struct cairn_pins_unit *unit)
{
    unit->base.p0_kinds = 1u << CAIRN_INSN_BRANCH_DIRECT | 1u << CAIRN_INSN_BRANCH_INDIRECT;
    unit->base.block_ends = cairn_etmv1_registers_block_ends(&unit->registers);
}

cairn_status cairn_pins_unit_write(struct cairn_unit *base, const char *name, uint64_t value,
                                   struct cairn_error *error)
{
    struct cairn_pins_unit *unit = cairn_pins_unit(base);
    bool overflow = true;
    enum cairn_etmv1_request request;
    const cairn_status status = cairn_etmv1_program_write(&unit->registers, unit->enabled, name,
                                                          value, &overflow, &request, error);

    if (status != CAIRN_OK)
        return status;
    unit->overflowed = unit->overflowed && overflow;
    unit->after_overflow = unit->after_overflow && overflow;
    find_block_ends(unit);
    if (request == CAIRN_ETMV1_REQUEST_ENABLE)
        base->model->enable(base);
    if (request == CAIRN_ETMV1_REQUEST_DISABLE)
        base->model->disable(base);
    return unit->pins->status;
}

/* --- making, enabling --- */

void cairn_pins_unit_free(struct cairn_unit *base)
{
    free(cairn_pins_unit(base));
}

cairn_status
cairn_pins_unit_begin(struct cairn_pins_unit *unit, const struct cairn_unit_model *model,
                      const struct cairn_pins_version *version, struct cairn_etm_pins *pins,
                      const struct cairn_unit_options *options, struct cairn_error *error)
{
    cairn_status status;

    unit->base.model = model;
    unit->base.arch = options->arch;
    unit->version = version;
    unit->pins = pins;
    unit->resources.context.security = CAIRN_NONSECURE;
    unit->waits_for_port = options->fifo_bytes == 0;
    pins->sink = options->sink;
    pins->sink_context = options->sink_context;
    status = cairn_etmv1_program_new(&unit->registers, version->v2, options, version->fifo_least,
                                     version->fifo_most, &pins->depth, error);
    if (status == CAIRN_OK)
        find_block_ends(unit);
    return status;
}

void cairn_pins_unit_load(struct cairn_pins_unit *unit)
{
    const uint32_t *values = unit->registers.file.values;
    const uint32_t control = values[CAIRN_ETMV3_REG_ETMCR];

    unit->moves = (control & CAIRN_ETMCR3_MONITOR_CPRT) != 0;
    unit->branch_output = (control & CAIRN_ETMCR3_BRANCH_OUTPUT) != 0;
    unit->triggers = values[CAIRN_ETMV3_REG_ETMTRIGGER] != CAIRN_ETM_NEVER;
    unit->pins->width = (uint8_t)cairn_etmv1_registers_pins(&unit->registers);
    cairn_etmv3_resources_reset(&unit->resources, &unit->registers.file);
    unit->watches = unit->resources.moves || cairn_etmv1_registers_watch(&unit->registers);
}

void cairn_pins_unit_unload(struct cairn_pins_unit *unit)
{
    unit->registers = current(unit);
    unit->registers.file.values[CAIRN_ETMV3_REG_ETMCR] &= ~CAIRN_ETMCR3_PROGRAMMING;
    unit->enabled = false;
}

/* --- requests --- */

cairn_status cairn_pins_unit_status(const struct cairn_unit *base)
{
    return cairn_pins_unit_const(base)->pins->status;
}

void cairn_pins_unit_counters(const struct cairn_unit *base, struct cairn_unit_counters *counters)
{
    const struct cairn_pins_unit *unit = cairn_pins_unit_const(base);
    struct cairn_unit_counters now = unit->counters;

    now.bytes = cairn_etm_pins_generated(unit->pins);
    now.stalled = unit->stalled;
    cairn_info_write(counters, &now, sizeof now);
}

/* --- resources --- */

bool cairn_pins_trace_enable(const struct cairn_pins_unit *unit)
{
    return unit->watches ? cairn_etmv3_trace_enable(&unit->resources, &unit->registers.file)
                         : !unit->resources.prohibited;
}

bool cairn_pins_trigger(struct cairn_pins_unit *unit)
{
    const uint32_t event = unit->registers.file.values[CAIRN_ETMV3_REG_ETMTRIGGER];

    if (!unit->triggers || unit->resources.held || unit->resources.triggered ||
        !cairn_etmv3_event(&unit->resources, &unit->registers.file, event))
        return false;
    unit->resources.triggered = true;
    return true;
}

/* --- the path --- */

bool cairn_pins_is_elsewhere(const struct cairn_pins_unit *unit, struct cairn_pins_location place)
{
    return unit->next.isa != CAIRN_ISA_UNKNOWN &&
           (unit->next.address != place.address || unit->next.isa != place.isa);
}

struct cairn_pins_location cairn_pins_successor(const struct cairn_block *block, bool taken)
{
    struct cairn_pins_location next = {(uint32_t)block->address + block->size, block->isa};

    if (!taken)
        return next;
    if (block->kind == CAIRN_INSN_BRANCH_INDIRECT)
        return nowhere;
    if (block->kind != CAIRN_INSN_BRANCH_DIRECT)
        return next;
    next.address = (uint32_t)block->target;
    if (block->target_isa != CAIRN_ISA_UNKNOWN)
        next.isa = block->target_isa;
    return next;
}

/* --- exceptions --- */

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

uint32_t cairn_pins_vectors(const struct cairn_pins_unit *unit)
{
    return unit->registers.HIVECS ? HIGH_VECTORS : 0;
}

struct cairn_pins_location cairn_pins_vector(const struct cairn_pins_unit *unit, unsigned type)
{
    return (struct cairn_pins_location){cairn_pins_vectors(unit) + offset_of(type), CAIRN_ISA_A32};
}

bool cairn_pins_ends_last(const struct cairn_pins_unit *unit, const struct cairn_pins_last *last,
                          unsigned type, uint32_t address)
{
    const bool leads_on =
        unit->next.isa != CAIRN_ISA_UNKNOWN && unit->next.address != last->place.address;

    if (last->place.isa == CAIRN_ISA_UNKNOWN || last->excepted)
        return false;
    return type == CAIRN_EXCEPTION_CALL || type == CAIRN_EXCEPTION_PE_RESET || last->aborted ||
           (last->place.address == address && leads_on);
}

struct cairn_etmv3_instruction cairn_pins_excepted(struct cairn_pins_location place)
{
    return (struct cairn_etmv3_instruction){
        .address = place.address, .size = place.isa == CAIRN_ISA_T32 ? 2 : 4, .passed = true};
}

/* --- regions --- */

static void prohibit(struct cairn_pins_unit *unit)
{
    const bool prohibited = unit->in_region || unit->resources.held;

    if (unit->enabled && prohibited && !unit->resources.prohibited)
        unit->version->hide(&unit->base);
    unit->next = nowhere;
    unit->resources.prohibited = prohibited;
}

void cairn_pins_unit_prohibit(struct cairn_unit *base, bool prohibited)
{
    struct cairn_pins_unit *unit = cairn_pins_unit(base);

    unit->in_region = prohibited;
    prohibit(unit);
}

void cairn_pins_unit_authenticate(struct cairn_unit *base, uint32_t signals)
{
    struct cairn_pins_unit *unit = cairn_pins_unit(base);

    unit->resources.held = !(signals & (CAIRN_UNIT_DBGEN | CAIRN_UNIT_NIDEN));
    prohibit(unit);
}

/* --- observers --- */

struct cairn_unit_seen cairn_pins_seen(const struct cairn_pins_unit *unit,
                                       const struct cairn_etmv3_instruction *instruction,
                                       uint8_t isa)
{
    return (struct cairn_unit_seen){
        .size = sizeof(struct cairn_unit_seen),
        .address = instruction->address,
        .end = (uint64_t)instruction->address + instruction->size,
        .instructions = 1,
        .isa = isa,
        .context = unit->resources.context,
    };
}

uint32_t cairn_pins_why(const struct cairn_pins_unit *unit, bool enabled, bool traced)
{
    if (!enabled)
        return unit->watches ? cairn_etmv3_low_terms(&unit->resources, &unit->registers.file)
                             : CAIRN_UNIT_WHY_PROHIBITED;
    return traced ? 0 : CAIRN_UNIT_WHY_OVERFLOW;
}

uint32_t cairn_pins_why_asleep(const struct cairn_pins_unit *unit)
{
    return (unit->enabled ? 0 : CAIRN_UNIT_WHY_DISABLED) | (unit->debug ? CAIRN_UNIT_WHY_DEBUG : 0);
}
