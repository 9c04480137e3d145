/* SPDX-License-Identifier: BSD-2-Clause */
/* Making, programming, enabling and disabling an ETMv1; the model as a table. */
#include <stdlib.h>

#include "base/error.h"
#include "unit/etmv1/core.h"

/* --- enabling --- */

/* The program, decoded. */
static void load(struct cairn_etmv1_unit *unit)
{
    const uint32_t *values = unit->common.registers.file.values;
    const uint32_t control = values[CAIRN_ETMV3_REG_ETMCR];

    unit->edition = cairn_etmv1_registers_edition(&unit->common.registers);
    unit->values = (control & CAIRN_ETMCR3_DATA_VALUE) != 0;
    unit->addresses = (control & CAIRN_ETMCR3_DATA_ADDRESS) != 0;
    unit->port.cycle_accurate = (control & CAIRN_ETMCR3_CYCLE_ACCURATE) != 0;
    unit->encoder = (struct cairn_etmv1_encoder){
        .context_bytes = cairn_etmv1_registers_context_bytes(&unit->common.registers)};
    cairn_pins_unit_load(&unit->common);
}

static void enable(struct cairn_unit *base)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    if (unit->common.enabled)
        return;
    load(unit);
    unit->common.enabled = true;
    unit->common.after_debug = false;
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

    if (!unit->common.enabled)
        return;
    cairn_etmv1_lose_path(unit);
    drain(unit);
    cairn_pins_unit_unload(&unit->common);
}

/* --- making --- */

static const struct cairn_pins_version version = {
    .v2 = false,
    .fifo_least = CAIRN_ETMV1_FIFO_LEAST,
    .fifo_most = CAIRN_ETMV1_FIFO_MOST,
    .hide = cairn_etmv1_hide_path,
};

static cairn_status create(const struct cairn_unit_options *options, struct cairn_unit **base,
                           struct cairn_error *error)
{
    struct cairn_etmv1_unit *unit = calloc(1, sizeof *unit);
    cairn_status status;

    if (!unit)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for a trace unit");
    status = cairn_pins_unit_begin(&unit->common, &cairn_etmv1_unit_model, &version,
                                   &unit->port.pins, options, error);
    if (status != CAIRN_OK) {
        cairn_pins_unit_free(&unit->common.base);
        return status;
    }
    *base = &unit->common.base;
    return CAIRN_OK;
}

/* --- requests --- */

/* Of an instruction whose successor nobody knows yet there is no status. */
static void complete(struct cairn_etmv1_unit *unit)
{
    const bool known = unit->common.next.isa != CAIRN_ISA_UNKNOWN;

    if (unit->common.enabled && known)
        cairn_etmv1_finish(unit, unit->common.next);
}

static void flush(struct cairn_unit *base)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    complete(unit);
    if (unit->common.enabled)
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
    .free = cairn_pins_unit_free,
    .status = cairn_pins_unit_status,
    .counters = cairn_pins_unit_counters,
    .read = cairn_pins_unit_read,
    .write = cairn_pins_unit_write,
    .register_at = cairn_pins_unit_register_at,
    .config = cairn_pins_unit_config,
    .enable = enable,
    .disable = disable,
    .context = cairn_etmv1_unit_context,
    .execute = cairn_etmv1_unit_execute,
    .exception = cairn_etmv1_unit_exception,
    .prohibit = cairn_pins_unit_prohibit,
    .flush = flush,
    .position = position,
    .data = cairn_etmv1_unit_data,
    .debug_state = cairn_etmv1_unit_debug_state,
    .low_power = cairn_etmv1_unit_low_power,
    .cycles = cairn_etmv1_unit_cycles,
    .inputs = cairn_etmv1_unit_inputs,
    .authenticate = cairn_pins_unit_authenticate,
    .request_sync = request_sync,
    .stalls = cairn_etmv1_unit_stalls,
};
