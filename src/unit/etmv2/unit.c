/* SPDX-License-Identifier: BSD-2-Clause */
/* Making, programming, enabling and disabling an ETMv2; the model as a table. */
#include <stdlib.h>

#include "base/error.h"
#include "unit/etmv2/core.h"

#define MINOR_SHIFT 4u /* in ETMIDR */
#define MINOR_MASK 0xfu

/* --- enabling --- */

/* The program, decoded. */
static void load(struct cairn_etmv2_unit *unit)
{
    const uint32_t *values = unit->common.registers.file.values;
    const uint32_t control = values[CAIRN_ETMV3_REG_ETMCR];

    unit->minor = (uint8_t)(values[CAIRN_ETMV3_REG_ETMIDR] >> MINOR_SHIFT & MINOR_MASK);
    unit->encoder = (struct cairn_etmv2_encoder){
        .context_bytes = cairn_etmv1_registers_context_bytes(&unit->common.registers),
        .has_values = (control & CAIRN_ETMCR3_DATA_VALUE) != 0,
        .has_addresses = (control & CAIRN_ETMCR3_DATA_ADDRESS) != 0,
    };
    unit->data = unit->encoder.has_values || unit->encoder.has_addresses;
    unit->cycle_accurate = (control & CAIRN_ETMCR3_CYCLE_ACCURATE) != 0;
    cairn_pins_unit_load(&unit->common);
}

static void enable(struct cairn_unit *base)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    if (unit->common.enabled)
        return;
    load(unit);
    unit->common.enabled = true;
    unit->common.after_debug = false;
    unit->told_context = 0;
    cairn_etmv2_lose_path(unit);
}

static void disable(struct cairn_unit *base)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    if (!unit->common.enabled)
        return;
    cairn_etmv2_return_all_data(unit);
    cairn_etmv2_hide_path(base);
    cairn_etmv2_drain(unit);
    cairn_pins_unit_unload(&unit->common);
}

/* --- making --- */

static const struct cairn_pins_version version = {
    .v2 = true,
    .fifo_least = CAIRN_ETMV2_PORT_LEAST,
    .fifo_most = CAIRN_ETMV2_PORT_MOST,
    .hide = cairn_etmv2_hide_path,
};

static cairn_status create(const struct cairn_unit_options *options, struct cairn_unit **base,
                           struct cairn_error *error)
{
    struct cairn_etmv2_unit *unit = calloc(1, sizeof *unit);
    cairn_status status;

    if (!unit)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for a trace unit");
    unit->choices = options->choices;
    status = cairn_pins_unit_begin(&unit->common, &cairn_etmv2_unit_model, &version,
                                   &unit->port.pins, options, error);
    if (status != CAIRN_OK) {
        cairn_pins_unit_free(&unit->common.base);
        return status;
    }
    *base = &unit->common.base;
    return CAIRN_OK;
}

/* --- requests --- */

static void flush(struct cairn_unit *base)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    if (unit->common.enabled)
        cairn_etmv2_drain(unit);
}

static uint64_t position(struct cairn_unit *base)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    cairn_etmv2_show_now(unit);
    cairn_etm_pins_deliver(&unit->port.pins);
    return unit->port.pins.delivered;
}

const struct cairn_unit_model cairn_etmv2_unit_model = {
    .protocol = CAIRN_PROTOCOL_ETMV2,
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
    .context = cairn_etmv2_unit_context,
    .execute = cairn_etmv2_unit_execute,
    .exception = cairn_etmv2_unit_exception,
    .prohibit = cairn_pins_unit_prohibit,
    .flush = flush,
    .position = position,
    .data = cairn_etmv2_unit_data,
    .misses = true,
    .data_pending = cairn_etmv2_unit_data_pending,
    .debug_state = cairn_etmv2_unit_debug_state,
    .low_power = cairn_etmv2_unit_low_power,
    .cycles = cairn_etmv2_unit_cycles,
    .inputs = cairn_etmv2_unit_inputs,
    .authenticate = cairn_pins_unit_authenticate,
    .request_sync = cairn_etmv2_unit_request_sync,
    .stalls = cairn_etmv2_unit_stalls,
};
