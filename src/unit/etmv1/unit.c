/* SPDX-License-Identifier: BSD-2-Clause */
/* Making, programming, enabling and disabling an ETMv1; the model as a table. */
#include <stdlib.h>

#include "base/error.h"
#include "base/sizes.h"
#include "unit/etm/derived.h"
#include "unit/etmv1/core.h"
#include "unit/etmv1/program.h"

/* --- registers --- */

/* As software reads them. */
static struct cairn_etmv1_registers current(const struct cairn_etmv1_unit *unit)
{
    return cairn_etmv1_program_current(&unit->registers, &unit->resources, unit->enabled,
                                       unit->overflowed || unit->after_overflow);
}

static cairn_status read_register(const struct cairn_unit *base, const char *name, uint64_t *value)
{
    const struct cairn_etmv1_registers registers = current(cairn_etmv1_unit_const(base));

    return cairn_etmv1_registers_read(&registers, name, value);
}

/* A capture has the registers as they were while the unit traced. */
static cairn_status register_at(const struct cairn_unit *base, size_t index,
                                struct cairn_register *value)
{
    return cairn_etmv1_registers_list(&cairn_etmv1_unit_const(base)->registers, index, value);
}

static struct cairn_config *config_of(const struct cairn_unit *base)
{
    return cairn_etmv1_program_config(&cairn_etmv1_unit_const(base)->registers, &base->arch);
}

/* What cairn_unit_scan has to know before the unit is enabled. */
static void find_block_ends(struct cairn_etmv1_unit *unit)
{
    unit->base.p0_kinds = 1u << CAIRN_INSN_BRANCH_DIRECT | 1u << CAIRN_INSN_BRANCH_INDIRECT;
    unit->base.block_ends = cairn_etmv1_registers_block_ends(&unit->registers);
}

/* --- enabling --- */

/* The program, decoded. */
static void load(struct cairn_etmv1_unit *unit)
{
    const uint32_t *values = unit->registers.file.values;
    const uint32_t control = values[CAIRN_ETMV3_REG_ETMCR];

    unit->edition = cairn_etmv1_registers_edition(&unit->registers);
    unit->values = (control & CAIRN_ETMCR3_DATA_VALUE) != 0;
    unit->addresses = (control & CAIRN_ETMCR3_DATA_ADDRESS) != 0;
    unit->moves = (control & CAIRN_ETMCR3_MONITOR_CPRT) != 0;
    unit->branch_output = (control & CAIRN_ETMCR3_BRANCH_OUTPUT) != 0;
    unit->triggers = values[CAIRN_ETMV3_REG_ETMTRIGGER] != CAIRN_ETM_NEVER;
    unit->port.pins.width = (uint8_t)cairn_etmv1_registers_pins(&unit->registers);
    unit->port.cycle_accurate = (control & CAIRN_ETMCR3_CYCLE_ACCURATE) != 0;
    unit->encoder = (struct cairn_etmv1_encoder){
        .context_bytes = cairn_etmv1_registers_context_bytes(&unit->registers)};
    cairn_etmv3_resources_reset(&unit->resources, &unit->registers.file);
    unit->watches = unit->resources.moves || cairn_etmv1_registers_watch(&unit->registers);
}

static void enable(struct cairn_unit *base)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    if (unit->enabled)
        return;
    load(unit);
    unit->enabled = true;
    unit->after_debug = false;
    unit->told_context = 0;
    cairn_etmv1_lose_path(unit);
}

/* All leaves, in as many cycles as it takes. */
static void drain(struct cairn_etmv1_unit *unit)
{
    cairn_etmv1_pass_time(unit);
    while (unit->port.pins.triggers || cairn_etmv1_port_is_busy(&unit->port))
        cairn_etmv1_show_wait(unit, 1);
    cairn_etm_pins_deliver(&unit->port.pins);
}

static void disable(struct cairn_unit *base)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    if (!unit->enabled)
        return;
    cairn_etmv1_lose_path(unit);
    drain(unit);
    unit->registers = current(unit);
    unit->registers.file.values[CAIRN_ETMV3_REG_ETMCR] &= ~CAIRN_ETMCR3_PROGRAMMING;
    unit->enabled = false;
}

static cairn_status write_register(struct cairn_unit *base, const char *name, uint64_t value,
                                   struct cairn_error *error)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);
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
        enable(base);
    if (request == CAIRN_ETMV1_REQUEST_DISABLE)
        disable(base);
    return unit->port.pins.status;
}

/* --- making --- */

static void unit_free(struct cairn_unit *base)
{
    free(cairn_etmv1_unit(base));
}

static cairn_status create(const struct cairn_unit_options *options, struct cairn_unit **base,
                           struct cairn_error *error)
{
    struct cairn_etmv1_unit *unit = calloc(1, sizeof *unit);
    cairn_status status;

    if (!unit)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for a trace unit");
    unit->base.model = &cairn_etmv1_unit_model;
    unit->base.arch = options->arch;
    unit->resources.context.security = CAIRN_NONSECURE;
    unit->waits_for_port = options->fifo_bytes == 0;
    unit->port.pins.sink = options->sink;
    unit->port.pins.sink_context = options->sink_context;
    status = cairn_etmv1_program_new(&unit->registers, false, options, CAIRN_ETMV1_FIFO_LEAST,
                                     CAIRN_ETMV1_FIFO_MOST, &unit->port.pins.depth, error);
    if (status != CAIRN_OK) {
        unit_free(&unit->base);
        return status;
    }
    find_block_ends(unit);
    *base = &unit->base;
    return CAIRN_OK;
}

/* --- requests --- */

static cairn_status status_of(const struct cairn_unit *base)
{
    return cairn_etmv1_unit_const(base)->port.pins.status;
}

static void counters_of(const struct cairn_unit *base, struct cairn_unit_counters *counters)
{
    const struct cairn_etmv1_unit *unit = cairn_etmv1_unit_const(base);
    struct cairn_unit_counters now = unit->counters;

    now.bytes = cairn_etm_pins_generated(&unit->port.pins);
    now.stalled = unit->stalled;
    cairn_info_write(counters, &now, sizeof now);
}

/* Of an instruction whose successor nobody knows yet there is no status. */
static void complete(struct cairn_etmv1_unit *unit)
{
    const bool known = unit->next.isa != CAIRN_ISA_UNKNOWN;

    if (unit->enabled && known)
        cairn_etmv1_finish(unit, unit->next);
}

static void flush(struct cairn_unit *base)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    complete(unit);
    if (unit->enabled)
        drain(unit);
}

static uint64_t position(struct cairn_unit *base)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    complete(unit);
    cairn_etm_pins_deliver(&unit->port.pins);
    return unit->port.pins.delivered;
}

/* The next indirect branch has a whole address, and the next direct one becomes one. */
static void request_sync(struct cairn_unit *base)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);
    const uint64_t late = CAIRN_ETMV1_PERIOD + CAIRN_ETMV1_PATIENCE;

    unit->whole_at = unit->port.pins.clock - late;
}

const struct cairn_unit_model cairn_etmv1_unit_model = {
    .protocol = CAIRN_PROTOCOL_ETMV1,
    .create = create,
    .free = unit_free,
    .status = status_of,
    .counters = counters_of,
    .read = read_register,
    .write = write_register,
    .register_at = register_at,
    .config = config_of,
    .enable = enable,
    .disable = disable,
    .context = cairn_etmv1_unit_context,
    .execute = cairn_etmv1_unit_execute,
    .exception = cairn_etmv1_unit_exception,
    .prohibit = cairn_etmv1_unit_prohibit,
    .flush = flush,
    .position = position,
    .data = cairn_etmv1_unit_data,
    .debug_state = cairn_etmv1_unit_debug_state,
    .low_power = cairn_etmv1_unit_low_power,
    .cycles = cairn_etmv1_unit_cycles,
    .inputs = cairn_etmv1_unit_inputs,
    .authenticate = cairn_etmv1_unit_authenticate,
    .request_sync = request_sync,
    .stalls = cairn_etmv1_unit_stalls,
};
