/* SPDX-License-Identifier: BSD-2-Clause */
/* Making, programming and enabling the model of a PTM (IHI0035 3.16). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sizes.h"
#include "unit/ptm/core.h"

/* What the unit has: 8 pairs of address comparators, 4 counters, the sequencer, 4 external inputs,
 * 3 context ID comparators, the start/stop block (ETMCCR). */
#define ETMCCR 0x8f098008u
/* PFT 1.1 by Arm, Security Extensions, 32-bit Thumb instructions are one waypoint. */
#define ETMIDR 0x411cf310u
/* Timestamps of 64 bits in binary, return stack, virtualization; 8 EmbeddedICE watchpoint
 * comparator inputs, 4 instrumentation resources, 4 selectors of 16 extended external inputs. */
#define ETMCCER 0x34c89884u
#define IDR_MINOR 4
#define CCER_RETURN_STACK (1u << 23)
#define CCER_TIMESTAMPS (1u << 22)
#define CCER_BARRIERS (1u << 24)
#define CCER_BARRIERS_TIMED (1u << 25)
#define SYNC_PERIOD 1024u
#define TRACE_ALL 0x01000000u /* ETMTECR1: exclude nothing */
#define ALL_SIGNALS (CAIRN_UNIT_DBGEN | CAIRN_UNIT_NIDEN | CAIRN_UNIT_SPIDEN | CAIRN_UNIT_SPNIDEN)
#define CR_CONTEXT_SIZE 14
#define STATUS_TRIGGERED 8u
#define STATUS_START_STOP 4u

static cairn_status make_config(const struct cairn_ptm_unit *unit, struct cairn_config **config,
                                struct cairn_error *error)
{
    struct cairn_register list[CAIRN_ETM_COUNT];
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    source.protocol = CAIRN_PROTOCOL_PTM;
    source.arch = unit->base.arch;
    source.registers = list;
    while (cairn_etm_registers_list(&unit->registers, source.register_count,
                                    &list[source.register_count]) == CAIRN_OK)
        source.register_count++;
    return cairn_config_new(&source, config, error);
}

static struct cairn_config *config_of(const struct cairn_unit *base)
{
    struct cairn_config *config = NULL;

    return make_config(cairn_ptm_unit_const(base), &config, NULL) == CAIRN_OK ? config : NULL;
}

static void reset_registers(struct cairn_etm_registers *registers)
{
    uint32_t *values = registers->values;

    values[CAIRN_ETM_ETMCR] = CAIRN_ETMCR_PROGRAMMING;
    values[CAIRN_ETM_ETMCCR] = ETMCCR;
    values[CAIRN_ETM_ETMIDR] = ETMIDR;
    values[CAIRN_ETM_ETMCCER] = ETMCCER;
    values[CAIRN_ETM_ETMTECR1] = TRACE_ALL;
    values[CAIRN_ETM_ETMTEEVR] = CAIRN_ETM_ALWAYS;
    values[CAIRN_ETM_ETMSYNCFR] = SYNC_PERIOD;
    for (unsigned i = 0; i < CAIRN_ETM_ADDRESSES; i++)
        values[CAIRN_ETM_ETMACTR + i] = CAIRN_ETMACTR_EXECUTE;
    for (unsigned i = CAIRN_ETM_ETMCNTENR; i <= CAIRN_ETM_ETMCNTRLDEVR_LAST; i++)
        values[i] = CAIRN_ETM_NEVER;
    for (unsigned i = CAIRN_ETM_ETMSQ12EVR; i <= CAIRN_ETM_ETMSQ13EVR; i++)
        values[i] = CAIRN_ETM_NEVER;
}

/* What IHI0035 forbids, or what was not built. */
static cairn_status check_control(const struct cairn_etm_registers *registers,
                                  struct cairn_error *error)
{
    const uint32_t control = registers->values[CAIRN_ETM_ETMCR];
    const uint32_t built = registers->values[CAIRN_ETM_ETMCCER];

    if ((control & CAIRN_ETMCR_BROADCAST) && (control & CAIRN_ETMCR_RETURN_STACK))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMCR has both branch broadcast (bit 8) and the return stack (bit 29): "
                          "what a unit traces then is UNPREDICTABLE");
    if ((control & CAIRN_ETMCR_RETURN_STACK) && !(built & CCER_RETURN_STACK))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMCR bit 29: by ETMCCER bit 23 the trace unit has no return stack");
    if ((control & CAIRN_ETMCR_TIMESTAMPS) && !(built & CCER_TIMESTAMPS))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMCR bit 28: by ETMCCER bit 22 the trace unit has no timestamps");
    if ((built & CCER_BARRIERS_TIMED) && !(built & CCER_BARRIERS))
        return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                          "ETMCCER bit 25 without bit 24: timestamps of DMB and DSB are modelled "
                          "only where these are waypoints");
    return CAIRN_OK;
}

static cairn_status program(struct cairn_ptm_unit *unit, const struct cairn_unit_options *options,
                            struct cairn_error *error)
{
    struct cairn_config *config = NULL;
    cairn_status status;

    reset_registers(&unit->registers);
    for (size_t i = 0; i < options->register_count; i++) {
        const struct cairn_register *given = &options->registers[i];

        status =
            cairn_etm_registers_write(&unit->registers, given->name, given->value, true, error);
        if (status != CAIRN_OK)
            return status;
    }
    /* Whatever a copied program says. */
    unit->registers.values[CAIRN_ETM_ETMCR] |= CAIRN_ETMCR_PROGRAMMING;
    unit->registers.values[CAIRN_ETM_ETMCR] &= ~CAIRN_ETMCR_POWERDOWN;
    status = check_control(&unit->registers, error);
    if (status == CAIRN_OK)
        status = make_config(unit, &config, error);
    if (status == CAIRN_OK)
        cairn_config_unref(config);
    return status;
}

static void unit_free(struct cairn_unit *base)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    cairn_unit_pipe_free(&unit->pipe);
    free(unit);
}

static cairn_status create(const struct cairn_unit_options *options, struct cairn_unit **base,
                           struct cairn_error *error)
{
    struct cairn_ptm_unit *unit;
    cairn_status status;

    if (options->arch.profile == CAIRN_PROFILE_M)
        return cairn_fail(
            error, CAIRN_E_UNSUPPORTED,
            "cores of the M profile have no PTM; an MTB and an ETMv3 of them are modelled");
    if (options->return_stack_depth > CAIRN_UNIT_RETURNS)
        return cairn_fail(error, CAIRN_E_CONFIG, "a return stack has at most %u entries, not %u",
                          CAIRN_UNIT_RETURNS, options->return_stack_depth);
    unit = calloc(1, sizeof *unit);
    if (!unit)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for a trace unit");
    unit->base.model = &cairn_ptm_unit_model;
    unit->base.arch = options->arch;
    unit->base.p0_kinds =
        1u << CAIRN_INSN_BRANCH_DIRECT | 1u << CAIRN_INSN_BRANCH_INDIRECT | 1u << CAIRN_INSN_ISB;
    unit->return_stack_depth = options->return_stack_depth;
    unit->choices = options->choices;
    unit->context.security = CAIRN_NONSECURE;
    unit->next.isa = CAIRN_ISA_UNKNOWN;
    unit->signals = ALL_SIGNALS;
    unit->resources.registers = &unit->registers;
    status = cairn_unit_pipe_init(&unit->pipe, options, error);
    if (status == CAIRN_OK)
        status = program(unit, options, error);
    if (unit->registers.values[CAIRN_ETM_ETMCCER] & CCER_BARRIERS)
        unit->base.p0_kinds |= 1u << CAIRN_INSN_BARRIER;
    if (status != CAIRN_OK) {
        unit_free(&unit->base);
        return status;
    }
    *base = &unit->base;
    return CAIRN_OK;
}

/* --- registers --- */

static uint32_t status_register(const struct cairn_ptm_unit *unit)
{
    return (unit->triggered ? STATUS_TRIGGERED : 0) |
           (unit->resources.start_stop ? STATUS_START_STOP : 0) | (unit->enabled ? 0 : 2u) |
           (unit->overflowed ? 1u : 0);
}

static cairn_status read_register(const struct cairn_unit *base, const char *name, uint64_t *value)
{
    const struct cairn_ptm_unit *unit = cairn_ptm_unit_const(base);
    struct cairn_etm_registers registers = unit->registers;

    if (cairn_etm_register_find(name) == CAIRN_ETM_ETMSR) {
        *value = status_register(unit);
        return CAIRN_OK;
    }
    if (unit->enabled)
        cairn_etm_resources_store(&unit->resources, &registers);
    return cairn_etm_registers_read(&registers, name, value);
}

static void enable(struct cairn_unit *base);
static void disable(struct cairn_unit *base);

/* The Programming bit enables and disables. */
static cairn_status write_control(struct cairn_unit *base, uint64_t value,
                                  struct cairn_error *error)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);
    const bool on = !(value & CAIRN_ETMCR_PROGRAMMING);
    struct cairn_etm_registers next = unit->registers;
    cairn_status status = cairn_etm_registers_write(&next, "ETMCR", value, false, error);

    if (status == CAIRN_OK)
        status = check_control(&next, error);
    if (status != CAIRN_OK)
        return status;
    if (unit->enabled && on &&
        next.values[CAIRN_ETM_ETMCR] != unit->registers.values[CAIRN_ETM_ETMCR])
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMCR cannot be changed while the trace unit is enabled: set its "
                          "Programming bit (10) first");
    if (!on)
        disable(base);
    if (next.values[CAIRN_ETM_ETMCR] & CAIRN_ETMCR_POWERDOWN)
        unit->overflowed = false; /* 3.16.4 */
    if (!unit->enabled)
        unit->registers.values[CAIRN_ETM_ETMCR] = next.values[CAIRN_ETM_ETMCR];
    if (on)
        enable(base);
    return unit->pipe.status;
}

/* What software writes of counters and the sequencer is where these begin (3.15.4). */
static void keep_state(struct cairn_ptm_unit *unit, unsigned index)
{
    if (index >= CAIRN_ETM_ETMCNTVR && index <= CAIRN_ETM_ETMCNTVR_LAST)
        unit->resources.kept |= 1u << (index - CAIRN_ETM_ETMCNTVR);
    else if (index == CAIRN_ETM_ETMSQR)
        unit->resources.kept |= CAIRN_ETM_KEPT_SEQUENCER;
}

/* Start/stop and triggered, where software may say what they are. */
static cairn_status write_status(struct cairn_ptm_unit *unit, uint64_t value,
                                 struct cairn_error *error)
{
    if (value & ~(uint64_t)(STATUS_TRIGGERED | STATUS_START_STOP))
        return cairn_fail(error, CAIRN_E_CONFIG, "of ETMSR only bits 3 and 2 can be written");
    unit->triggered = (value & STATUS_TRIGGERED) != 0;
    unit->resources.start_stop = (value & STATUS_START_STOP) != 0;
    unit->resources.kept |= CAIRN_ETM_KEPT_STATUS;
    unit->status_kept = true;
    return CAIRN_OK;
}

static cairn_status write_register(struct cairn_unit *base, const char *name, uint64_t value,
                                   struct cairn_error *error)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);
    cairn_status status;

    if (cairn_etm_register_find(name) == CAIRN_ETM_ETMCR)
        return write_control(base, value, error);
    if (unit->enabled)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s cannot be written while the trace unit is enabled: set ETMCR's "
                          "Programming bit (10) first",
                          name ? name : "(null)");
    if (cairn_etm_register_find(name) == CAIRN_ETM_ETMSR)
        return write_status(unit, value, error);
    status = cairn_etm_registers_write(&unit->registers, name, value, false, error);
    if (status == CAIRN_OK)
        keep_state(unit, cairn_etm_register_find(name));
    return status;
}

static cairn_status register_at(const struct cairn_unit *base, size_t index,
                                struct cairn_register *value)
{
    return cairn_etm_registers_list(&cairn_ptm_unit_const(base)->registers, index, value);
}

/* --- enabling --- */

static void read_program(struct cairn_ptm_unit *unit)
{
    static const uint32_t masks[] = {0, 0xff, 0xffff, 0xffffffff};
    const uint32_t *values = unit->registers.values;
    const uint32_t control = values[CAIRN_ETM_ETMCR];

    unit->counts = (control & CAIRN_ETMCR_CYCLES) != 0;
    unit->timestamps = (control & CAIRN_ETMCR_TIMESTAMPS) != 0;
    unit->broadcasts = (control & CAIRN_ETMCR_BROADCAST) != 0;
    unit->is_1_1 = (values[CAIRN_ETM_ETMIDR] >> IDR_MINOR & 0xf) >= 1;
    unit->barriers_timed = (values[CAIRN_ETM_ETMCCER] & CCER_BARRIERS_TIMED) != 0;
    unit->has_trigger = values[CAIRN_ETM_ETMTRIGGER] != 0;
    unit->has_time_event = unit->timestamps && values[CAIRN_ETM_ETMTSEVR] != 0;
    unit->watches = !cairn_etm_traces_all(&unit->registers) || unit->has_trigger ||
                    unit->has_time_event || unit->resources.moves;
    unit->return_limit = control & CAIRN_ETMCR_RETURN_STACK ? unit->return_stack_depth : 0;
    unit->sync_period = values[CAIRN_ETM_ETMSYNCFR];
    unit->context_mask = masks[control >> CR_CONTEXT_SIZE & 3];
    unit->traces_vmid = (control & CAIRN_ETMCR_VMID) != 0;
}

static void enable(struct cairn_unit *base)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);
    struct cairn_config *config = NULL;
    cairn_status status;

    if (unit->enabled)
        return;
    unit->registers.values[CAIRN_ETM_ETMCR] &= ~CAIRN_ETMCR_PROGRAMMING;
    status = check_control(&unit->registers, NULL);
    if (status == CAIRN_OK)
        status = make_config(unit, &config, NULL);
    if (status == CAIRN_OK)
        status = cairn_unit_pipe_open(&unit->pipe, config, unit->choices);
    if (config)
        cairn_config_unref(config);
    if (status != CAIRN_OK) {
        unit->registers.values[CAIRN_ETM_ETMCR] |= CAIRN_ETMCR_PROGRAMMING;
        if (unit->pipe.status == CAIRN_OK)
            unit->pipe.status = status;
        return;
    }
    cairn_etm_resources_begin(&unit->resources, &unit->registers);
    read_program(unit);
    unit->resources.explains = unit->base.sight.observe != NULL;
    unit->enabled = true;
    unit->tracing = false;
    unit->reason = CAIRN_PTM_TRACE_ON;
    unit->triggered &= unit->status_kept;
    unit->status_kept = false; /* an overflow is still to be told (3.16.4) */
    unit->trigger_owed = false;
    unit->time_off = false;
    unit->counted_at = unit->clock;
    unit->waiting.wait = CAIRN_PTM_WAIT_NOTHING;
    unit->run.begun = false;
    unit->next.isa = CAIRN_ISA_UNKNOWN;
    memset(&unit->told, 0, sizeof unit->told);
    cairn_ptm_put_alignment(unit);
}

static void disable(struct cairn_unit *base)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    if (!unit->enabled)
        return;
    if (!unit->prohibited && !unit->debug)
        cairn_ptm_break(unit, CAIRN_PTM_TRACE_ON);
    cairn_unit_pipe_flush(&unit->pipe);
    cairn_etm_resources_store(&unit->resources, &unit->registers);
    unit->enabled = false;
    unit->registers.values[CAIRN_ETM_ETMCR] |= CAIRN_ETMCR_PROGRAMMING;
}

/* --- requests --- */

static cairn_status status_of(const struct cairn_unit *base)
{
    return cairn_ptm_unit_const(base)->pipe.status;
}

static void counters_of(const struct cairn_unit *base, struct cairn_unit_counters *counters)
{
    const struct cairn_ptm_unit *unit = cairn_ptm_unit_const(base);
    struct cairn_unit_counters now = unit->counters;

    now.bytes = cairn_unit_pipe_generated(&unit->pipe);
    now.stalled = unit->pipe.taker.stalled;
    cairn_info_write(counters, &now, sizeof now);
}

/* With nothing new since the last one there is nothing to synchronise. A second request before the
 * first was served makes trace begin anew, as behind an overflow (4.11.1). */
static void request_sync(struct cairn_unit *base)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    if (!unit->enabled || unit->pipe.elements == unit->fresh)
        return;
    if (unit->sync_wanted && unit->tracing)
        cairn_ptm_overflow(unit);
    unit->sync_wanted = true;
}

static void flush(struct cairn_unit *base)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    if (!unit->enabled)
        return;
    cairn_ptm_request_time(unit); /* 4.15: it may come after the flush is acknowledged */
    cairn_ptm_empty_fifo(unit);
}

static uint64_t position(struct cairn_unit *base)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    if (unit->enabled)
        cairn_unit_pipe_flush(&unit->pipe);
    return cairn_unit_pipe_position(&unit->pipe);
}

static uint64_t pending(const struct cairn_unit *base)
{
    return cairn_unit_pipe_pending(&cairn_ptm_unit_const(base)->pipe);
}

static uint64_t offer(struct cairn_unit *base)
{
    cairn_unit_pipe_offer(&cairn_ptm_unit(base)->pipe);
    return pending(base);
}

static bool stalls(const struct cairn_unit *base)
{
    return cairn_ptm_stalls(cairn_ptm_unit_const(base));
}

const struct cairn_unit_model cairn_ptm_unit_model = {
    .protocol = CAIRN_PROTOCOL_PTM,
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
    .context = cairn_ptm_unit_context,
    .execute = cairn_ptm_unit_execute,
    .exception = cairn_ptm_unit_exception,
    .prohibit = cairn_ptm_unit_prohibit,
    .authenticate = cairn_ptm_unit_authenticate,
    .flush = flush,
    .position = position,
    .debug_state = cairn_ptm_unit_debug_state,
    .low_power = cairn_ptm_unit_low_power,
    .cycles = cairn_ptm_unit_cycles,
    .time = cairn_ptm_unit_time,
    .inputs = cairn_ptm_unit_inputs,
    .hint = cairn_ptm_unit_hint,
    .event = cairn_ptm_unit_event,
    .request_sync = request_sync,
    .offer = offer,
    .pending = pending,
    .stalls = stalls,
};
