/* SPDX-License-Identifier: BSD-2-Clause */
/* Making, programming, enabling and disabling an ETMv1; the model as a table. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/sizes.h"
#include "protocol/protocol.h"
#include "unit/etm/derived.h"
#include "unit/etmv1/core.h"

#define TECR1_TRACES_ALL (1u << 24)
#define VDCR3_EXCLUDES_ONLY (1u << 16)
#define PORT_SIZE 7u
#define CONTEXT_SIZE 3u
#define REGISTERS_MOST 128u

#define ETMCR_POWER_DOWN (1u << 0)

/* ETMSR (3.5.5) */
#define STATUS_OVERFLOW (1u << 0)
#define STATUS_PROGRAMMING (1u << 1)
#define STATUS_START_STOP (1u << 2)
#define VERSION_STATUS 2u /* of the last two: 1.2 */

/* --- registers --- */

static uint32_t status_register(const struct cairn_etmv1_unit *unit)
{
    const uint32_t overflow = unit->overflowed || unit->after_overflow ? STATUS_OVERFLOW : 0;

    if (cairn_etmv1_registers_edition(&unit->registers)->minor < VERSION_STATUS)
        return overflow;
    return overflow | (unit->enabled ? 0 : STATUS_PROGRAMMING) |
           (unit->resources.start_stop ? STATUS_START_STOP : 0);
}

/* As software reads them: with what the unit keeps of its state there. */
static struct cairn_etmv1_registers current(const struct cairn_etmv1_unit *unit)
{
    struct cairn_etmv1_registers registers = unit->registers;
    uint32_t *values = registers.file.values;

    if (!unit->enabled)
        values[CAIRN_ETMV3_REG_ETMCR] |= CAIRN_ETMCR3_PROGRAMMING;
    values[CAIRN_ETMV3_REG_ETMSR] = status_register(unit);
    if (!unit->enabled)
        return registers;
    values[CAIRN_ETMV3_REG_ETMSQR] = unit->resources.derived.sequencer;
    for (unsigned n = 0; n < CAIRN_ETM_COUNTERS; n++)
        values[CAIRN_ETMV3_REG_ETMCNTVR + n] = unit->resources.derived.counters[n];
    return registers;
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
    struct cairn_register list[REGISTERS_MOST];
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = CAIRN_PROTOCOL_ETMV1;
    source.arch = base->arch;
    source.registers = list;
    while (source.register_count < REGISTERS_MOST &&
           register_at(base, source.register_count, &list[source.register_count]) == CAIRN_OK)
        source.register_count++;
    return cairn_config_new(&source, &config, NULL) == CAIRN_OK ? config : NULL;
}

/* What cairn_unit_scan has to know before the unit is enabled. */
static void find_block_ends(struct cairn_etmv1_unit *unit)
{
    const uint32_t control = unit->registers.file.values[CAIRN_ETMV3_REG_ETMCR];

    unit->base.p0_kinds = 1u << CAIRN_INSN_BRANCH_DIRECT | 1u << CAIRN_INSN_BRANCH_INDIRECT;
    unit->base.block_ends = CAIRN_BLOCK_ENDS_CONDITION;
    if (control & (CAIRN_ETMCR3_DATA_VALUE | CAIRN_ETMCR3_DATA_ADDRESS | CAIRN_ETMCR3_MONITOR_CPRT))
        unit->base.block_ends |= CAIRN_BLOCK_ENDS_TRANSFER;
    if (control & CAIRN_ETMCR3_MONITOR_CPRT)
        unit->base.block_ends |= CAIRN_BLOCK_ENDS_MOVE;
}

/* --- enabling --- */

static bool watches(const struct cairn_etmv1_unit *unit)
{
    const uint32_t *values = unit->registers.file.values;
    const bool traces_all = values[CAIRN_ETMV3_REG_ETMTEEVR] == CAIRN_ETM_ALWAYS &&
                            values[CAIRN_ETMV3_REG_ETMTECR1] == TECR1_TRACES_ALL &&
                            values[CAIRN_ETMV3_REG_ETMTECR2] == 0;
    const bool views_all = values[CAIRN_ETMV3_REG_ETMVDEVR] == CAIRN_ETM_ALWAYS &&
                           values[CAIRN_ETMV3_REG_ETMVDCR1] == 0 &&
                           values[CAIRN_ETMV3_REG_ETMVDCR3] == VDCR3_EXCLUDES_ONLY;
    const bool stalls = (values[CAIRN_ETMV3_REG_ETMCR] & CAIRN_ETMCR1_STALL) != 0;

    return !traces_all || ((unit->values || unit->addresses) && !views_all) || unit->triggers ||
           values[CAIRN_ETMV3_REG_ETMTSSCR] != 0 || /* ETMSR[2] has it */
           unit->resources.moves || stalls;
}

/* The program, decoded. */
static void load(struct cairn_etmv1_unit *unit)
{
    static const uint8_t context_sizes[] = {0, 1, 2, 4};
    const uint32_t *values = unit->registers.file.values;
    const uint32_t control = values[CAIRN_ETMV3_REG_ETMCR];

    unit->edition = cairn_etmv1_registers_edition(&unit->registers);
    unit->values = (control & CAIRN_ETMCR3_DATA_VALUE) != 0;
    unit->addresses = (control & CAIRN_ETMCR3_DATA_ADDRESS) != 0;
    unit->moves = (control & CAIRN_ETMCR3_MONITOR_CPRT) != 0;
    unit->branch_output = (control & CAIRN_ETMCR3_BRANCH_OUTPUT) != 0;
    unit->triggers = values[CAIRN_ETMV3_REG_ETMTRIGGER] != CAIRN_ETM_NEVER;
    unit->port.width = (uint8_t)(4u << (control >> CAIRN_ETMCR1_PORT_SHIFT & PORT_SIZE));
    unit->port.cycle_accurate = (control & CAIRN_ETMCR3_CYCLE_ACCURATE) != 0;
    unit->encoder = (struct cairn_etmv1_encoder){
        .context_bytes = context_sizes[control >> CAIRN_ETMCR1_CONTEXT_SHIFT & CONTEXT_SIZE]};
    cairn_etmv3_resources_reset(&unit->resources, &unit->registers.file);
    unit->watches = watches(unit);
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
    while (unit->port.triggers || cairn_etmv1_port_is_busy(&unit->port))
        cairn_etmv1_show_wait(unit, 1);
    cairn_etmv1_port_deliver(&unit->port);
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
    const bool control = name && strcasecmp(name, "ETMCR") == 0;
    const uint64_t programming = control ? value & CAIRN_ETMCR3_PROGRAMMING : 0;
    const uint32_t now = unit->registers.file.values[CAIRN_ETMV3_REG_ETMCR];
    cairn_status status;

    if (unit->enabled && !(control && (value & ~programming) == now))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s cannot be written while the trace unit traces: set the Programming "
                          "bit, ETMCR[10], alone first",
                          name ? name : "(null)");
    status =
        cairn_etmv1_registers_write(&unit->registers, name, value & ~programming, false, error);
    if (status != CAIRN_OK)
        return status;
    if (control && (value & ETMCR_POWER_DOWN)) { /* the Programming bit does not clear it (3.5.5) */
        unit->overflowed = false;
        unit->after_overflow = false;
    }
    find_block_ends(unit);
    if (control && !programming)
        enable(base);
    else if (control)
        disable(base);
    return unit->port.status;
}

/* --- making --- */

static cairn_status check_fifo(const struct cairn_unit_options *options, struct cairn_error *error)
{
    const uint32_t depth = options->fifo_bytes;

    if (depth != 0 && (depth < CAIRN_ETMV1_FIFO_LEAST || depth > CAIRN_ETMV1_FIFO_MOST))
        return cairn_fail(error, CAIRN_E_CONFIG, "the FIFO of an ETMv1 has %u to %u bytes, not %u",
                          CAIRN_ETMV1_FIFO_LEAST, CAIRN_ETMV1_FIFO_MOST, depth);
    if (options->fifo_drain != 0)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "fifo_drain is %u, but how fast the FIFO of an ETMv1 drains follows from "
                          "its pins, ETMCR[6:4]",
                          options->fifo_drain);
    return CAIRN_OK;
}

static void unit_free(struct cairn_unit *base)
{
    free(cairn_etmv1_unit(base));
}

static cairn_status create(const struct cairn_unit_options *options, struct cairn_unit **base,
                           struct cairn_error *error)
{
    cairn_status status = check_fifo(options, error);
    struct cairn_etmv1_unit *unit;

    if (status != CAIRN_OK)
        return status;
    unit = calloc(1, sizeof *unit);
    if (!unit)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for a trace unit");
    unit->base.model = &cairn_etmv1_unit_model;
    unit->base.arch = options->arch;
    unit->resources.context.security = CAIRN_NONSECURE;
    unit->waits_for_port = options->fifo_bytes == 0;
    unit->port.depth = unit->waits_for_port ? CAIRN_ETMV1_FIFO_MOST : options->fifo_bytes;
    unit->port.sink = options->sink;
    unit->port.sink_context = options->sink_context;
    cairn_etmv1_registers_reset(&unit->registers);
    status = cairn_etmv1_registers_program(&unit->registers, options->registers,
                                           options->register_count, error);
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
    return cairn_etmv1_unit_const(base)->port.status;
}

static void counters_of(const struct cairn_unit *base, struct cairn_unit_counters *counters)
{
    const struct cairn_etmv1_unit *unit = cairn_etmv1_unit_const(base);
    struct cairn_unit_counters now = unit->counters;

    now.bytes = cairn_etmv1_port_generated(&unit->port);
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
    cairn_etmv1_port_deliver(&unit->port);
    return unit->port.delivered;
}

/* The next indirect branch has a whole address, and the next direct one becomes one. */
static void request_sync(struct cairn_unit *base)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);
    const uint64_t late = CAIRN_ETMV1_PERIOD + CAIRN_ETMV1_PATIENCE;

    unit->whole_at = unit->port.clock - late;
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
