/* SPDX-License-Identifier: BSD-2-Clause */
/* Making, programming, enabling and disabling an ETMv3 (IHI0014 3.4.3, 3.4.4, 3.5.1). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/sizes.h"
#include "unit/etmv3/core.h"

#define EVENT_TRUE 0x0006fu
#define EVENT_FALSE 0x0406fu
#define TECR1_TRACE_ALL (1u << 24)
#define VDCR3_EXCLUDE_ONLY (1u << 16)

/* ETMSR */
#define STATUS_OVERFLOW (1u << 0)
#define STATUS_PROGRAMMING (1u << 1)
#define STATUS_START_STOP (1u << 2)
#define STATUS_TRIGGERED (1u << 3)

void cairn_etmv3_put(struct cairn_etmv3_unit *unit, unsigned kind, uint16_t flags,
                     const struct cairn_element_data *data)
{
    if (kind != CAIRN_ELEMENT_DATA && kind != CAIRN_ELEMENT_CYCLE_COUNT)
        cairn_etmv3_end_return(unit);
    if (kind == CAIRN_ELEMENT_A_SYNC)
        unit->counters.syncs++;
    cairn_unit_pipe_put(&unit->pipe, kind, flags, data);
}

void cairn_etmv3_put_kind(struct cairn_etmv3_unit *unit, unsigned kind)
{
    const struct cairn_element_data nothing = {0};

    cairn_etmv3_put(unit, kind, 0, &nothing);
}

void cairn_etmv3_end_return(struct cairn_etmv3_unit *unit)
{
    if (!unit->last.owes_return)
        return;
    unit->last.owes_return = false;
    cairn_etmv3_put_kind(unit, CAIRN_ELEMENT_EXCEPTION_RETURN);
}

/* --- registers --- */

/* As software reads them: with what the unit keeps of its state there. */
static struct cairn_etmv3_registers current(const struct cairn_etmv3_unit *unit)
{
    struct cairn_etmv3_registers registers = unit->registers;
    uint32_t *values = registers.values;

    if (!unit->enabled)
        values[CAIRN_ETMV3_REG_ETMCR] |= CAIRN_ETMCR3_PROGRAMMING;
    values[CAIRN_ETMV3_REG_ETMSR] =
        (unit->overflowed || unit->after_overflow ? STATUS_OVERFLOW : 0) |
        (unit->enabled ? 0 : STATUS_PROGRAMMING) |
        (unit->resources.start_stop ? STATUS_START_STOP : 0) |
        (unit->resources.triggered ? STATUS_TRIGGERED : 0);
    if (!unit->enabled)
        return registers;
    values[CAIRN_ETMV3_REG_ETMSQR] = unit->resources.derived.sequencer;
    for (unsigned n = 0; n < CAIRN_ETM_COUNTERS; n++)
        values[CAIRN_ETMV3_REG_ETMCNTVR + n] = unit->resources.derived.counters[n];
    return registers;
}

cairn_status cairn_etmv3_unit_read(const struct cairn_unit *base, const char *name, uint64_t *value)
{
    const struct cairn_etmv3_registers registers = current(cairn_etmv3_unit_const(base));

    return cairn_etmv3_registers_read(&registers, name, value);
}

/* A capture has the registers as they were while the unit traced. */
cairn_status cairn_etmv3_unit_register(const struct cairn_unit *base, size_t index,
                                       struct cairn_register *value)
{
    return cairn_etmv3_registers_list(&cairn_etmv3_unit_const(base)->registers, index, value);
}

static struct cairn_config *make_config(const struct cairn_etmv3_unit *unit,
                                        struct cairn_error *error)
{
    struct cairn_register list[CAIRN_ETMV3_REG_COUNT];
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = CAIRN_PROTOCOL_ETMV3;
    source.arch = unit->base.arch;
    source.registers = list;
    while (source.register_count < CAIRN_ETMV3_REG_COUNT &&
           cairn_etmv3_registers_list(&unit->registers, source.register_count,
                                      &list[source.register_count]) == CAIRN_OK)
        source.register_count++;
    return cairn_config_new(&source, &config, error) == CAIRN_OK ? config : NULL;
}

struct cairn_config *cairn_etmv3_unit_config(const struct cairn_unit *base)
{
    return make_config(cairn_etmv3_unit_const(base), NULL);
}

/* What cairn_unit_scan has to know before the unit is enabled. */
static void find_block_ends(struct cairn_etmv3_unit *unit)
{
    const uint32_t control = unit->registers.values[CAIRN_ETMV3_REG_ETMCR];
    const uint32_t data =
        CAIRN_ETMCR3_DATA_VALUE | CAIRN_ETMCR3_DATA_ADDRESS | CAIRN_ETMCR3_MONITOR_CPRT;

    unit->base.p0_kinds =
        1u << CAIRN_INSN_BRANCH_DIRECT | 1u << CAIRN_INSN_BRANCH_INDIRECT | 1u << CAIRN_INSN_ISB;
    unit->base.block_ends = CAIRN_BLOCK_ENDS_CONDITION;
    if (control & data)
        unit->base.block_ends |= CAIRN_BLOCK_ENDS_TRANSFER;
    if (control & CAIRN_ETMCR3_MONITOR_CPRT)
        unit->base.block_ends |= CAIRN_BLOCK_ENDS_MOVE;
}

cairn_status cairn_etmv3_unit_write(struct cairn_unit *base, const char *name, uint64_t value,
                                    struct cairn_error *error)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);
    const bool control = name && strcasecmp(name, "ETMCR") == 0;
    const uint64_t programming = control ? value & CAIRN_ETMCR3_PROGRAMMING : 0;
    const uint32_t now = unit->registers.values[CAIRN_ETMV3_REG_ETMCR];
    cairn_status status;

    if (unit->enabled && !(control && (value & ~programming) == now))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s cannot be written while the trace unit traces: set the Programming "
                          "bit, ETMCR[10], alone first",
                          name ? name : "(null)");
    status =
        cairn_etmv3_registers_write(&unit->registers, name, value & ~programming, false, error);
    if (status != CAIRN_OK)
        return status;
    find_block_ends(unit);
    if (control && !programming)
        cairn_etmv3_unit_enable(base);
    else if (control)
        cairn_etmv3_unit_disable(base);
    return unit->pipe.status;
}

/* --- making --- */

static cairn_status program(struct cairn_etmv3_unit *unit, const struct cairn_unit_options *options,
                            struct cairn_error *error)
{
    struct cairn_error local = {.status = CAIRN_OK};
    struct cairn_config *config;
    cairn_status status;

    cairn_etmv3_registers_reset(&unit->registers, &options->arch);
    unit->registers.fifo_bytes = options->fifo_bytes;
    status = cairn_etmv3_registers_program(&unit->registers, options->registers,
                                           options->register_count, error);
    if (status != CAIRN_OK)
        return status;
    config = make_config(unit, &local);
    if (!config) {
        if (error)
            *error = local;
        return local.status != CAIRN_OK ? local.status : CAIRN_E_CONFIG;
    }
    cairn_config_unref(config);
    return cairn_unit_pipe_init(&unit->pipe, options, error);
}

cairn_status cairn_etmv3_unit_new(const struct cairn_unit_options *options,
                                  struct cairn_unit **base, struct cairn_error *error)
{
    struct cairn_etmv3_unit *unit = calloc(1, sizeof *unit);
    cairn_status status;

    if (!unit)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for a trace unit");
    unit->base.model = &cairn_etmv3_unit_model;
    unit->base.arch = options->arch;
    unit->choices = options->choices;
    unit->m_profile = options->arch.profile == CAIRN_PROFILE_M;
    unit->resources.context.security = unit->m_profile ? CAIRN_SECURE : CAIRN_NONSECURE;
    status = program(unit, options, error);
    if (status != CAIRN_OK) {
        cairn_etmv3_unit_free(&unit->base);
        return status;
    }
    find_block_ends(unit);
    *base = &unit->base;
    return CAIRN_OK;
}

void cairn_etmv3_unit_free(struct cairn_unit *base)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);

    cairn_unit_pipe_free(&unit->pipe);
    free(unit);
}

cairn_status cairn_etmv3_unit_status(const struct cairn_unit *base)
{
    return cairn_etmv3_unit_const(base)->pipe.status;
}

void cairn_etmv3_unit_counters(const struct cairn_unit *base, struct cairn_unit_counters *counters)
{
    const struct cairn_etmv3_unit *unit = cairn_etmv3_unit_const(base);
    struct cairn_unit_counters now = unit->counters;

    now.bytes = cairn_unit_pipe_generated(&unit->pipe);
    cairn_info_write(counters, &now, sizeof now);
}

/* --- enabling --- */

static bool watches(const struct cairn_etmv3_unit *unit)
{
    const uint32_t *values = unit->registers.values;
    const bool traces_all = values[CAIRN_ETMV3_REG_ETMTEEVR] == EVENT_TRUE &&
                            values[CAIRN_ETMV3_REG_ETMTECR1] == TECR1_TRACE_ALL &&
                            values[CAIRN_ETMV3_REG_ETMTECR2] == 0;
    const bool views_all = values[CAIRN_ETMV3_REG_ETMVDEVR] == EVENT_TRUE &&
                           values[CAIRN_ETMV3_REG_ETMVDCR1] == 0 &&
                           values[CAIRN_ETMV3_REG_ETMVDCR3] == VDCR3_EXCLUDE_ONLY;

    return !traces_all || (unit->data && !views_all) || unit->triggers || unit->resources.moves ||
           values[CAIRN_ETMV3_REG_ETMTSSCR] != 0;
}

/* The program, decoded. */
static void load(struct cairn_etmv3_unit *unit)
{
    const uint32_t *values = unit->registers.values;
    const uint32_t control = values[CAIRN_ETMV3_REG_ETMCR];
    const uint32_t id = values[CAIRN_ETMV3_REG_ETMIDR];

    unit->minor = (uint8_t)cairn_etmv3_minor(&unit->registers);
    unit->cycle_accurate = (control & CAIRN_ETMCR3_CYCLE_ACCURATE) != 0;
    unit->branch_output = (control & CAIRN_ETMCR3_BRANCH_OUTPUT) != 0;
    unit->data_only = (control & CAIRN_ETMCR3_DATA_ONLY) != 0;
    unit->timestamps = (control & CAIRN_ETMCR3_TIMESTAMPS) != 0;
    unit->values = (control & CAIRN_ETMCR3_DATA_VALUE) != 0;
    unit->data = unit->values || (control & CAIRN_ETMCR3_DATA_ADDRESS);
    unit->halves = !(id >> 18 & 1u) || unit->minor < 2;
    unit->triggers = values[CAIRN_ETMV3_REG_ETMTRIGGER] != EVENT_FALSE ||
                     values[CAIRN_ETMV3_REG_ETMTSEVR] != EVENT_FALSE;
    cairn_etmv3_resources_reset(&unit->resources, &unit->registers);
    unit->watches = watches(unit);
}

void cairn_etmv3_unit_enable(struct cairn_unit *base)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);
    struct cairn_config *config;
    cairn_status status = CAIRN_E_CONFIG;

    if (unit->enabled)
        return;
    config = make_config(unit, NULL);
    if (config)
        status = cairn_unit_pipe_open(&unit->pipe, config, unit->choices);
    cairn_config_unref(config);
    if (status != CAIRN_OK) {
        if (unit->pipe.status == CAIRN_OK)
            unit->pipe.status = status;
        return;
    }
    load(unit);
    unit->enabled = true;
    unit->synchronised = false;
    unit->overflowed = false;
    unit->after_overflow = false;
    unit->pause_count = 0;
    unit->stamp_event = false;
    unit->sync_at = UINT64_MAX;
    unit->sync_limit = UINT64_MAX;
    cairn_etmv3_lose_path(unit);
    unit->waits = 0; /* the Programming bit clears the counter (7.3.4) */
    unit->gap = 0;
}

void cairn_etmv3_unit_disable(struct cairn_unit *base)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);

    if (!unit->enabled)
        return;
    cairn_etmv3_end_return(unit);
    cairn_etmv3_return_all_data(unit);
    if (unit->tracing && !unit->data_only)
        cairn_etmv3_put_waits(unit);
    cairn_unit_pipe_flush(&unit->pipe);
    unit->registers = current(unit);
    unit->registers.values[CAIRN_ETMV3_REG_ETMCR] &= ~CAIRN_ETMCR3_PROGRAMMING;
    unit->enabled = false;
    unit->tracing = false;
}

void cairn_etmv3_unit_flush(struct cairn_unit *base)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);

    if (!unit->enabled)
        return;
    cairn_etmv3_end_return(unit);
    cairn_etmv3_return_all_data(unit);
    if (unit->tracing && unit->last.traced) {
        unit->stamp_wanted = true;
        cairn_etmv3_give_timestamp(unit);
    }
    cairn_unit_pipe_flush(&unit->pipe);
}

uint64_t cairn_etmv3_unit_position(struct cairn_unit *base)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);

    if (unit->enabled) {
        cairn_etmv3_end_return(unit);
        cairn_unit_pipe_flush(&unit->pipe);
    }
    return cairn_unit_pipe_position(&unit->pipe);
}

uint64_t cairn_etmv3_unit_offer(struct cairn_unit *base)
{
    cairn_unit_pipe_offer(&cairn_etmv3_unit(base)->pipe);
    return cairn_etmv3_unit_pending(base);
}

uint64_t cairn_etmv3_unit_pending(const struct cairn_unit *base)
{
    return cairn_unit_pipe_pending(&cairn_etmv3_unit_const(base)->pipe);
}
