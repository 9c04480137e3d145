/* SPDX-License-Identifier: BSD-2-Clause */
/* Making, programming, enabling and disabling a trace unit (DDI0608 D6.1, D6.2). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/sizes.h"
#include "unit/etmv4/core.h"
#include "unit/etmv4/register_table.h"

#define TRCCONFIGR_INSTP0 UINT64_C(6)
#define TRCPRGCTLR_EN UINT64_C(1)
#define TRCIDR0_QSUPP_SHIFT 15
#define TRCIDR0_QSUPP_UNCOUNTED 2u
#define FIFO_LEAST 64u

/* --- registers --- */

static struct cairn_config *make_config(const struct cairn_etmv4_unit *unit,
                                        struct cairn_error *error)
{
    struct cairn_register list[CAIRN_UNIT_REGISTERS_MAX];
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = unit->registers.protocol;
    source.arch = unit->base.arch;
    source.registers = list;
    source.register_count =
        cairn_unit_registers_list_all(&unit->registers, list, CAIRN_UNIT_REGISTERS_MAX);
    if (cairn_config_new(&source, &config, error) != CAIRN_OK)
        return NULL;
    return config;
}

struct cairn_config *cairn_etmv4_unit_config(const struct cairn_unit *base)
{
    const struct cairn_etmv4_unit *unit = cairn_etmv4_unit_const(base);
    return make_config(unit, NULL);
}

/* What an enabled unit keeps of its state in registers. TRCPRGCTLR is what software wrote. */
static void store_state(const struct cairn_etmv4_unit *unit, bool start_stop,
                        struct cairn_unit_registers *registers)
{
    struct cairn_unit_state state = {
        .enabled = registers->values[CAIRN_REG_TRCPRGCTLR] != 0,
        .start_stop = start_stop,
        .traced = unit->path.traced,
    };

    cairn_unit_resource_state(unit, &state);
    cairn_unit_registers_store(registers, &state);
}

static struct cairn_unit_registers current(const struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_registers registers = unit->registers;

    if (!(unit->mode & CAIRN_MODE_DISABLED))
        store_state(unit, unit->path.start_stop, &registers);
    registers.values[CAIRN_REG_TRCSTATR] = cairn_session_status(unit);
    return registers;
}

uint64_t cairn_unit_live(const struct cairn_etmv4_unit *unit, unsigned index)
{
    return current(unit).values[index];
}

cairn_status cairn_etmv4_unit_read(const struct cairn_unit *base, const char *name, uint64_t *value)
{
    const struct cairn_etmv4_unit *unit = cairn_etmv4_unit_const(base);
    const struct cairn_unit_registers registers = current(unit);

    return cairn_unit_registers_read(&registers, name, value);
}

/* Which instructions are P0: cairn_unit_scan needs it before the unit is enabled. */
static void find_p0_kinds(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_program program;

    cairn_unit_program_read(&unit->registers, &program);
    unit->base.p0_kinds = 1u << CAIRN_INSN_BRANCH_DIRECT | 1u << CAIRN_INSN_BRANCH_INDIRECT |
                          1u << CAIRN_INSN_ISB | 1u << CAIRN_INSN_TSTART;
    if (program.wfx_is_p0)
        unit->base.p0_kinds |= 1u << CAIRN_INSN_WFX;
}

cairn_status cairn_etmv4_unit_write(struct cairn_unit *base, const char *name, uint64_t value,
                                    struct cairn_error *error)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    const bool enabled = !(unit->mode & CAIRN_MODE_DISABLED);
    const bool control = name && strcasecmp(name, "TRCPRGCTLR") == 0;
    cairn_status status;

    if (enabled && !control)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s cannot be written while the trace unit is enabled: clear "
                          "TRCPRGCTLR.EN first",
                          name ? name : "(null)");
    if (control) {
        if (value & ~TRCPRGCTLR_EN)
            return cairn_fail(error, CAIRN_E_CONFIG, "TRCPRGCTLR has one bit, EN: it is 0 or 1");
        if (value)
            cairn_etmv4_unit_enable(base);
        else
            cairn_etmv4_unit_disable(base);
        return unit->status;
    }
    status = cairn_unit_registers_write(&unit->registers, name, value, false, error);
    if (status == CAIRN_OK)
        find_p0_kinds(unit);
    return status;
}

cairn_status cairn_etmv4_unit_register(const struct cairn_unit *base, size_t index,
                                       struct cairn_register *value)
{
    const struct cairn_etmv4_unit *unit = cairn_etmv4_unit_const(base);
    const struct cairn_unit_registers registers = current(unit);

    return cairn_unit_registers_list(&registers, index, value);
}

/* --- making --- */

static cairn_status check_options(const struct cairn_unit_options *options,
                                  struct cairn_error *error)
{
    if (options->arch.profile == CAIRN_PROFILE_M)
        return cairn_fail(
            error, CAIRN_E_UNSUPPORTED,
            "an ETMv4 or ETE of an M profile core is not modelled; an MTB and an ETMv3 are");
    if (options->return_stack_depth > CAIRN_UNIT_RETURNS)
        return cairn_fail(error, CAIRN_E_CONFIG, "a return stack has at most %u entries, not %u",
                          CAIRN_UNIT_RETURNS, options->return_stack_depth);
    if (options->fifo_bytes != 0 && options->fifo_bytes < FIFO_LEAST)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "a trace unit's buffer has at least %u bytes, not %u", FIFO_LEAST,
                          options->fifo_bytes);
    return CAIRN_OK;
}

static cairn_status program(struct cairn_etmv4_unit *unit, const struct cairn_unit_options *options,
                            struct cairn_error *error)
{
    struct cairn_unit_state state;
    struct cairn_config *config;
    uint64_t value = 0;
    cairn_status status;

    cairn_unit_registers_reset(&unit->registers, options->protocol, &options->arch);
    status = cairn_unit_registers_program(&unit->registers, options->registers,
                                          options->register_count, error);
    if (status == CAIRN_OK)
        status = cairn_unit_check_built(&unit->registers, options->choices, error);
    if (status != CAIRN_OK)
        return status;
    cairn_unit_registers_load(&unit->registers, &state);
    state.enabled = false; /* whatever a copied program says */
    cairn_unit_registers_store(&unit->registers, &state);
    status = cairn_unit_registers_read(&unit->registers, "TRCCONFIGR", &value);
    if (status == CAIRN_OK && (value & TRCCONFIGR_INSTP0))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "TRCCONFIGR.INSTP0 is not 0: loads and stores as P0 instructions are not "
                          "modelled");
    config = make_config(unit, error);
    if (!config)
        return error && error->status != CAIRN_OK ? error->status : CAIRN_E_CONFIG;
    unit->protocol = config->protocol;
    cairn_config_unref(config);
    return CAIRN_OK;
}

cairn_status cairn_etmv4_unit_new(const struct cairn_unit_options *options,
                                  struct cairn_unit **base, struct cairn_error *error)
{
    struct cairn_error local = {.status = CAIRN_OK};
    struct cairn_etmv4_unit *u;
    cairn_status status = check_options(options, error);

    if (status != CAIRN_OK)
        return status;
    u = calloc(1, sizeof *u);
    if (!u)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for a trace unit");
    u->mode = CAIRN_MODE_DISABLED;
    u->signals = CAIRN_UNIT_DBGEN | CAIRN_UNIT_NIDEN | CAIRN_UNIT_SPIDEN | CAIRN_UNIT_SPNIDEN;
    if (options->outputs)
        u->mode |= CAIRN_MODE_CLOCK;
    u->base.arch = options->arch;
    u->choices = options->choices;
    u->return_stack_depth = options->return_stack_depth;
    u->fifo_bytes = options->fifo_bytes;
    u->fifo_drain = options->fifo_drain;
    u->q_instructions = options->q_instructions;
    u->sink = options->sink;
    u->sink_context = options->sink_context;
    u->taker.port = options->port;
    u->taker.context = options->port_context;
    u->watch = options->watch;
    u->watch_context = options->watch_context;
    u->outputs = options->outputs;
    u->outputs_context = options->outputs_context;
    u->changes = options->changes;
    u->changes_context = options->changes_context;
    u->path.context.EL = 0;
    u->path.context.security = CAIRN_NONSECURE;
    u->path.context.SF = options->arch.profile == CAIRN_PROFILE_A &&
                         (options->arch.major == 0 || options->arch.major >= 8);
    u->out.bytes = malloc(CAIRN_UNIT_BUFFER);
    u->out.capacity = CAIRN_UNIT_BUFFER;
    status = u->out.bytes ? program(u, options, &local) : CAIRN_E_MEMORY;
    if (status != CAIRN_OK) {
        cairn_etmv4_unit_free(&u->base);
        if (error && local.status != CAIRN_OK)
            *error = local;
        return local.status != CAIRN_OK ? status
                                        : cairn_fail(error, status, "no memory for a trace unit");
    }
    find_p0_kinds(u);
    cairn_session_begin(u);
    *base = &u->base;
    return CAIRN_OK;
}

void cairn_etmv4_unit_free(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    if (unit->encoder)
        unit->protocol->encoder_free(unit->encoder);
    free(unit->out.bytes);
    free(unit->saved);
    free(unit->held);
    free(unit->p0s);
    free(unit);
}

cairn_status cairn_etmv4_unit_status(const struct cairn_unit *base)
{
    const struct cairn_etmv4_unit *unit = cairn_etmv4_unit_const(base);
    return unit->status;
}

void cairn_etmv4_unit_counters(const struct cairn_unit *base, struct cairn_unit_counters *counters)
{
    const struct cairn_etmv4_unit *unit = cairn_etmv4_unit_const(base);
    struct cairn_unit_counters now = unit->counters;

    now.bytes = cairn_unit_generated(unit);
    now.stalled = unit->taker.stalled;
    cairn_info_write(counters, &now, sizeof now);
}

/* --- enabling --- */

static bool selects_something(struct cairn_unit_selection selection)
{
    return selection.pair || selection.select != 0;
}

/* What the short way may do under this program. */
static void find_short_way(struct cairn_etmv4_unit *unit)
{
    const struct cairn_unit_program *program = &unit->program;
    uint64_t idr0 = 0;
    bool options;

    (void)cairn_unit_registers_read(&unit->registers, "TRCIDR0", &idr0);
    unit->q_uncounted = (idr0 >> TRCIDR0_QSUPP_SHIFT & 3) == TRCIDR0_QSUPP_UNCOUNTED;
    unit->has_timestamp_event = program->timestamps && selects_something(program->timestamp_event);
    unit->return_limit = program->return_stack ? unit->return_stack_depth : 0;
    unit->has_q = program->q != 0 && unit->q_instructions > 0;
    options = !program->views_all || program->branch_broadcast || program->maxspec > 0 ||
              unit->watch || unit->base.sight.observe || unit->fifo_bytes > 0 || unit->has_q ||
              (program->is_ete && (unit->choices & CAIRN_UNIT_OMIT_NOT_TAKEN));
    unit->mode &= ~(uint32_t)CAIRN_MODE_OPTIONS;
    if (options)
        unit->mode |= CAIRN_MODE_OPTIONS;
    unit->fast_kinds = 1u << CAIRN_INSN_OTHER | unit->base.p0_kinds | 1u << CAIRN_INSN_UNDEFINED |
                       1u << CAIRN_INSN_WFX;
    unit->slow_flags = 0;
    if (program->timestamps)
        unit->fast_kinds &= ~(1u << CAIRN_INSN_ISB);
    if (program->timestamps || !program->is_ete)
        unit->slow_flags = CAIRN_INSN_ERET;
}

static cairn_status prepare(struct cairn_etmv4_unit *unit)
{
    struct cairn_config *config = make_config(unit, NULL);
    void *encoder = NULL;
    cairn_status status;

    if (!config)
        return CAIRN_E_CONFIG;
    status = unit->protocol->encoder_new(config, unit->choices, &encoder);
    cairn_config_unref(config);
    if (status != CAIRN_OK)
        return status;
    if (unit->encoder)
        unit->protocol->encoder_free(unit->encoder);
    unit->encoder = encoder;
    unit->put_atom = unit->protocol->encoder_atom;
    cairn_unit_program_read(&unit->registers, &unit->program);
    unit->program.first_bytes = (unit->choices & CAIRN_UNIT_MATCHES_FIRST_BYTE) != 0;
    if (unit->program.maxspec >= unit->p0_capacity) {
        const size_t capacity = (size_t)unit->program.maxspec + 1;
        struct cairn_unit_p0 *p0s = realloc(unit->p0s, capacity * sizeof *p0s);

        if (!p0s)
            return CAIRN_E_MEMORY;
        unit->p0s = p0s;
        unit->p0_capacity = capacity;
    }
    return CAIRN_OK;
}

/* Of the path, what a PE has that no unit looks at. */
static void reset_path(struct cairn_etmv4_unit *unit, const struct cairn_unit_state *state)
{
    const struct cairn_unit_path old = unit->path;
    struct cairn_unit_path *path = &unit->path;

    memset(path, 0, sizeof *path);
    path->owed = old.owed & CAIRN_PATH_STATES;
    path->synchronized_at = old.synchronized_at;
    path->crossed_at = old.crossed_at;
    path->context = old.context;
    path->in_transaction = old.in_transaction;
    path->start_stop = state->start_stop;
    path->start_stop_at_start = state->start_stop;
    path->traced = state->traced;
    path->barrier = 0;
    unit->start_stop_at_enable = state->start_stop;
    unit->traced_at_enable = state->traced;
    unit->enabled_at = unit->told;
}

void cairn_unit_start(struct cairn_etmv4_unit *unit)
{
    const uint32_t kept = CAIRN_MODE_SPECULATIVE | CAIRN_MODE_SYNCHRONIZED;
    struct cairn_unit_state state;
    const cairn_status status = prepare(unit);

    if (status != CAIRN_OK) {
        if (unit->status == CAIRN_OK)
            unit->status = status;
        return;
    }
    cairn_unit_registers_load(&unit->registers, &state);
    /* An overflow that a port keeps the unit from telling is still to be told. */
    unit->mode &= kept | (unit->taker.port ? CAIRN_MODE_INOPERATIVE : 0);
    if (cairn_unit_is_low(unit))
        unit->mode |= CAIRN_MODE_LOW;
    reset_path(unit, &state);
    unit->counted_at = unit->clock;
    unit->count_unknown = true;
    unit->cancel_owed = 0;
    unit->start_out = false;
    if (!unit->taker.port)
        unit->fifo_left = cairn_unit_generated(unit);
    cairn_unit_begin_stalls(unit);
    find_short_way(unit);
    cairn_unit_begin_resources(unit, &state);
    if (!(unit->mode & CAIRN_MODE_INOPERATIVE)) {
        unit->lost_events = 0;
        cairn_unit_become_operative(unit);
    }
    cairn_unit_resume_resources(unit);
}

/* Completes what was told, as far as it may ever be. */
static void write_rest(struct cairn_etmv4_unit *unit)
{
    bool lost;

    cairn_unit_settle_resolved(unit);
    cairn_unit_let_out(unit);
    cairn_unit_commit_all(unit);
    cairn_unit_put_held_events(unit);
    lost = unit->p0_count > 0 || unit->start_out;
    if (unit->start_out)
        cairn_unit_put(unit, CAIRN_ELEMENT_TRANSACTION_FAILURE, 0, &(struct cairn_element_data){0});
    cairn_unit_request_timestamp(unit);
    cairn_unit_give_timestamp(unit);
    if (lost)
        cairn_unit_put(unit, CAIRN_ELEMENT_DISCARD, 0, &(struct cairn_element_data){0});
}

/* An overflow is told before anything is idle or flushed (R_TWBVY, R_RPSPH). */
static void end_overflow(struct cairn_etmv4_unit *unit)
{
    cairn_unit_pack(unit);
    if (unit->taker.port) { /* when it has taken the rest */
        cairn_unit_drain(unit);
        return;
    }
    unit->fifo_left = cairn_unit_generated(unit);
    cairn_unit_recover(unit);
}

static void write_out(struct cairn_etmv4_unit *unit)
{
    cairn_unit_pack(unit);
    cairn_unit_drain(unit);
    if (!unit->taker.port)
        unit->fifo_left = unit->drained;
}

/* TRCVICTLR.SSSTATUS of a unit that becomes disabled: what is speculated counts, or not (R_BZSXR),
 * and so does what is in a transaction (R_LRBDC). */
static bool last_start_stop(const struct cairn_etmv4_unit *unit)
{
    const uint64_t resolved =
        unit->resolved > unit->saved_first ? unit->resolved : unit->saved_first;
    const struct cairn_unit_path *path = &unit->path;

    if ((unit->choices & CAIRN_UNIT_DISABLED_UNDOES_POINTS) && unit->speculative &&
        unit->saved_count > 0 && resolved < unit->told)
        path = cairn_unit_saved(unit, resolved);
    if ((unit->choices & CAIRN_UNIT_DISABLED_FAILS_POINTS) && path->in_transaction)
        return path->start_stop_at_start;
    return path->start_stop;
}

void cairn_unit_stop(struct cairn_etmv4_unit *unit)
{
    const bool start_stop = last_start_stop(unit);

    cairn_unit_pause_resources(unit);
    cairn_unit_shots_forget(unit); /* R_NKKSJ, R_KFMKS */
    cairn_unit_see_cut(&unit->base.sight);
    if (!(unit->mode & CAIRN_MODE_INOPERATIVE))
        write_rest(unit);
    if (unit->mode & CAIRN_MODE_INOPERATIVE) /* what was the rest may not have fitted */
        end_overflow(unit);
    write_out(unit);
    cairn_unit_forget_p0s(unit);
    cairn_unit_forget_held(unit);
    store_state(unit, start_stop, &unit->registers);
    unit->path.started = false;
    unit->mode |= CAIRN_MODE_DISABLED;
}

/* --- requests --- */

void cairn_etmv4_unit_flush(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    unit->path.crossed_at = 0; /* nothing more comes of what was before (R_XLVQM) */
    if (unit->mode & CAIRN_MODE_DISABLED)
        return;
    if (unit->taker.port) /* this one may take nothing, however often it is flushed */
        cairn_unit_make_room(unit);
    if (unit->mode & CAIRN_MODE_INOPERATIVE) {
        end_overflow(unit);
    } else {
        cairn_unit_settle_path(unit);
        cairn_unit_let_out(unit);
        cairn_unit_commit_all(unit);
        cairn_unit_request_timestamp(unit);
        cairn_unit_give_timestamp(unit);
    }
    write_out(unit);
}

uint64_t cairn_etmv4_unit_position(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    if (!(unit->mode & CAIRN_MODE_DISABLED)) {
        cairn_unit_settle_path(unit);
        cairn_unit_pack(unit);
        cairn_unit_drain(unit);
    }
    return unit->taker.port ? cairn_unit_generated(unit) : unit->delivered;
}

uint64_t cairn_etmv4_unit_offer(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);

    cairn_unit_drain(unit);
    return cairn_etmv4_unit_pending(base);
}

uint64_t cairn_etmv4_unit_pending(const struct cairn_unit *base)
{
    const struct cairn_etmv4_unit *unit = cairn_etmv4_unit_const(base);

    if (unit->status != CAIRN_OK)
        return 0;
    return unit->taker.port ? cairn_unit_fifo_level(unit) : unit->out.size;
}
