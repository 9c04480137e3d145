/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions of trace units: each is the model's. */
#include <stdio.h>

#include "base/error.h"
#include "base/sizes.h"
#include "unit/model.h"

static const struct cairn_unit_model *const models[] = {
    &cairn_ete_unit_model,   &cairn_etmv4_unit_model, &cairn_ptm_unit_model,
    &cairn_mtb_unit_model,   &cairn_etmv3_unit_model, &cairn_etmv2_unit_model,
    &cairn_etmv1_unit_model,
};
#define MODEL_COUNT (sizeof models / sizeof *models)
#define NAMES_TEXT 128

static const struct cairn_unit_model *find_model(enum cairn_protocol_id protocol)
{
    for (size_t i = 0; i < MODEL_COUNT; i++)
        if (models[i]->protocol == protocol)
            return models[i];
    return NULL;
}

bool cairn_unit_has_model(enum cairn_protocol_id protocol)
{
    return find_model(protocol) != NULL;
}

static cairn_status no_model(enum cairn_protocol_id protocol, struct cairn_error *error)
{
    char names[NAMES_TEXT];
    size_t length = 0;

    for (size_t i = 0; i < MODEL_COUNT && length < sizeof names; i++) {
        const char *between = i == 0 ? "" : i + 1 < MODEL_COUNT ? ", " : " and ";

        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", between,
                                   cairn_protocol_name(models[i]->protocol));
    }
    return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                      "a trace unit model of protocol %s does not exist: %s do",
                      cairn_protocol_name(protocol), names);
}

#define CHOICES                                                                                    \
    (CAIRN_UNIT_OMIT_NOT_TAKEN | CAIRN_UNIT_COMMIT_AT_ONCE | CAIRN_UNIT_OVERFLOW_KEEPS_TA |        \
     CAIRN_UNIT_FORCED_SETS_TA | CAIRN_UNIT_EXPLICIT_ADDRESSES | CAIRN_UNIT_SEPARATE_PACKETS |     \
     CAIRN_UNIT_DATA_OUT_OF_ORDER | CAIRN_UNIT_PROHIBITED_FORGETS_MATCHES |                        \
     CAIRN_UNIT_PENDING_AFTER_FIRED | CAIRN_UNIT_OVERFLOW_KEEPS_CYCLES |                           \
     CAIRN_UNIT_SIGNALS_WITHOUT_BRANCH | CAIRN_UNIT_FOLD_BRANCHES |                                \
     CAIRN_UNIT_DISABLED_UNDOES_POINTS | CAIRN_UNIT_DISABLED_FAILS_POINTS |                        \
     CAIRN_UNIT_PROHIBITED_FAILS_POINTS | CAIRN_UNIT_PROHIBITED_KEEPS_POINTS |                     \
     CAIRN_UNIT_PROHIBITED_UNTIL_SYNC | CAIRN_UNIT_ERRORS_ACROSS |                                 \
     CAIRN_UNIT_LOW_POWER_STOPS_COUNT | CAIRN_UNIT_MATCHES_FIRST_BYTE | CAIRN_UNIT_HAS_ATB)

#define ALL_NEEDS                                                                                  \
    (CAIRN_UNIT_NEEDS_CYCLES | CAIRN_UNIT_NEEDS_TIME | CAIRN_UNIT_NEEDS_CONTEXT |                  \
     CAIRN_UNIT_NEEDS_ADDRESSES | CAIRN_UNIT_NEEDS_PMU_EVENTS | CAIRN_UNIT_NEEDS_DATA)

/* A model without a buffer that waits has nothing to offer. */
static cairn_status check_port(const struct cairn_unit_options *options,
                               const struct cairn_unit_model *model, struct cairn_error *error)
{
    if (!model->offer)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s has no port that may take less than it is offered: the RAM of an "
                          "MTB is read when it has stopped, and pins show each cycle once; give "
                          "a sink",
                          cairn_protocol_name(model->protocol));
    if (options->sink)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "a trace unit has a sink, which takes all, or a port: not both");
    if (options->fifo_drain != 0)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "fifo_drain is %u and there is a port, which says by itself how much "
                          "it takes",
                          options->fifo_drain);
    return CAIRN_OK;
}

cairn_status cairn_unit_new(const struct cairn_unit_options *options, struct cairn_unit **unit,
                            struct cairn_error *error)
{
    struct cairn_unit_options given = CAIRN_UNIT_OPTIONS_INIT;
    const struct cairn_unit_model *model;

    if (!options || !unit || cairn_options_read(&given, sizeof given, options) != CAIRN_OK ||
        given.choices & ~CHOICES)
        return cairn_fail(
            error, CAIRN_E_ARGUMENT,
            "cairn_unit_new: begin with CAIRN_UNIT_OPTIONS_INIT, and set nothing that "
            "version %s does not know",
            cairn_version());
    model = find_model(given.protocol);
    if (!model)
        return no_model(given.protocol, error);
    if (given.port) {
        const cairn_status status = check_port(&given, model, error);

        if (status != CAIRN_OK)
            return status;
        if (given.fifo_bytes == 0)
            given.fifo_bytes = CAIRN_UNIT_PORT_DEPTH;
    }

    const cairn_status status = model->create(&given, unit, error);

    if (status == CAIRN_OK) {
        (*unit)->model = model;
        (*unit)->execute = model->execute;
        (*unit)->sight.observe = given.observe;
        (*unit)->sight.context = given.observe_context;
    }
    return status;
}

void cairn_unit_free(struct cairn_unit *unit)
{
    if (unit)
        unit->model->free(unit);
}

cairn_status cairn_unit_status(const struct cairn_unit *unit)
{
    return unit->model->status(unit);
}

void cairn_unit_counters(const struct cairn_unit *unit, struct cairn_unit_counters *counters)
{
    unit->model->counters(unit, counters);
    if (counters->size >= offsetof(struct cairn_unit_counters, cycles) + sizeof counters->cycles)
        counters->cycles = unit->cycles;
}

/* --- registers --- */

cairn_status cairn_unit_read(const struct cairn_unit *unit, const char *name, uint64_t *value)
{
    return unit->model->read(unit, name, value);
}

cairn_status cairn_unit_write(struct cairn_unit *unit, const char *name, uint64_t value,
                              struct cairn_error *error)
{
    return unit->model->write(unit, name, value, error);
}

cairn_status cairn_unit_register(const struct cairn_unit *unit, size_t index,
                                 struct cairn_register *value)
{
    return unit->model->register_at(unit, index, value);
}

struct cairn_config *cairn_unit_config(const struct cairn_unit *unit)
{
    return unit->model->config(unit);
}

void cairn_unit_enable(struct cairn_unit *unit)
{
    unit->model->enable(unit);
}

void cairn_unit_disable(struct cairn_unit *unit)
{
    unit->model->disable(unit);
}

/* A model that has no answer of its own looks at what it is told of. */
uint32_t cairn_unit_needs(const struct cairn_unit *unit)
{
    const struct cairn_unit_model *model = unit->model;
    uint32_t needs = ALL_NEEDS;

    if (model->needs)
        return model->needs(unit);
    if (!model->cycles)
        needs &= ~CAIRN_UNIT_NEEDS_CYCLES;
    if (!model->time)
        needs &= ~CAIRN_UNIT_NEEDS_TIME;
    if (!model->inputs)
        needs &= ~CAIRN_UNIT_NEEDS_PMU_EVENTS;
    if (!model->data || !(unit->block_ends & CAIRN_BLOCK_ENDS_TRANSFER))
        needs &= ~CAIRN_UNIT_NEEDS_DATA;
    return needs;
}

/* --- what the PE does --- */

void cairn_unit_context(struct cairn_unit *unit, const struct cairn_context *context)
{
    unit->model->context(unit, context);
}

void cairn_unit_execute(struct cairn_unit *unit, const struct cairn_block *block, bool taken)
{
    unit->execute(unit, block, taken);
}

void cairn_unit_exception(struct cairn_unit *unit, unsigned type, uint64_t address,
                          enum cairn_isa isa)
{
    unit->model->exception(unit, type, address, isa);
}

void cairn_unit_data(struct cairn_unit *unit, const struct cairn_unit_transfer *transfer)
{
    const bool known = unit->model->misses || !(transfer->flags & CAIRN_UNIT_DATA_RETURNED);

    if (unit->model->data && known)
        unit->model->data(unit, transfer);
}

void cairn_unit_data_pending(struct cairn_unit *unit, uint32_t transfers)
{
    if (unit->model->data_pending)
        unit->model->data_pending(unit, transfers);
}

void cairn_unit_synchronize_context(struct cairn_unit *unit)
{
    if (unit->model->synchronize_context)
        unit->model->synchronize_context(unit);
}

void cairn_unit_prohibit(struct cairn_unit *unit, bool prohibited)
{
    unit->model->prohibit(unit, prohibited);
}

void cairn_unit_debug_state(struct cairn_unit *unit, bool debug)
{
    if (unit->model->debug_state)
        unit->model->debug_state(unit, debug);
}

void cairn_unit_low_power(struct cairn_unit *unit, bool low)
{
    if (unit->model->low_power)
        unit->model->low_power(unit, low);
}

void cairn_unit_cycles(struct cairn_unit *unit, uint64_t cycles)
{
    unit->cycles += cycles;
    if (unit->model->cycles)
        unit->model->cycles(unit, cycles);
}

void cairn_unit_time(struct cairn_unit *unit, uint64_t time)
{
    if (unit->model->time)
        unit->model->time(unit, time);
}

void cairn_unit_clock_stopped(struct cairn_unit *unit)
{
    if (unit->model->clock_stopped)
        unit->model->clock_stopped(unit);
}

void cairn_unit_inputs(struct cairn_unit *unit, uint32_t inputs)
{
    if (unit->model->inputs)
        unit->model->inputs(unit, inputs);
}

void cairn_unit_hint(struct cairn_unit *unit, unsigned hint)
{
    if (unit->model->hint)
        unit->model->hint(unit, hint);
}

void cairn_unit_authenticate(struct cairn_unit *unit, uint32_t signals)
{
    if (unit->model->authenticate)
        unit->model->authenticate(unit, signals);
}

void cairn_unit_pmu_event(struct cairn_unit *unit, uint32_t number)
{
    if (unit->model->pmu_event)
        unit->model->pmu_event(unit, number);
}

void cairn_unit_event(struct cairn_unit *unit, unsigned number)
{
    if (unit->model->event)
        unit->model->event(unit, number);
}

/* --- speculation --- */

void cairn_unit_speculate(struct cairn_unit *unit, bool speculative)
{
    if (unit->model->speculate)
        unit->model->speculate(unit, speculative);
}

uint64_t cairn_unit_mark(const struct cairn_unit *unit)
{
    return unit->model->mark ? unit->model->mark(unit) : 0;
}

cairn_status cairn_unit_resolve(struct cairn_unit *unit, uint64_t mark)
{
    return unit->model->resolve ? unit->model->resolve(unit, mark) : CAIRN_E_UNSUPPORTED;
}

cairn_status cairn_unit_cancel(struct cairn_unit *unit, uint64_t mark)
{
    return unit->model->cancel ? unit->model->cancel(unit, mark) : CAIRN_E_UNSUPPORTED;
}

cairn_status cairn_unit_mispredict(struct cairn_unit *unit)
{
    return unit->model->mispredict ? unit->model->mispredict(unit) : CAIRN_E_UNSUPPORTED;
}

/* --- transactions --- */

void cairn_unit_transaction_start(struct cairn_unit *unit)
{
    if (unit->model->transaction_start)
        unit->model->transaction_start(unit);
}

void cairn_unit_transaction_commit(struct cairn_unit *unit)
{
    if (unit->model->transaction_commit)
        unit->model->transaction_commit(unit);
}

void cairn_unit_transaction_fail(struct cairn_unit *unit)
{
    if (unit->model->transaction_fail)
        unit->model->transaction_fail(unit);
}

/* --- requests --- */

void cairn_unit_request_sync(struct cairn_unit *unit)
{
    if (unit->model->request_sync)
        unit->model->request_sync(unit);
}

void cairn_unit_flush(struct cairn_unit *unit)
{
    unit->model->flush(unit);
}

uint64_t cairn_unit_offer(struct cairn_unit *unit)
{
    return unit->model->offer ? unit->model->offer(unit) : 0;
}

uint64_t cairn_unit_pending_bytes(const struct cairn_unit *unit)
{
    return unit->model->pending ? unit->model->pending(unit) : 0;
}

bool cairn_unit_stalls(const struct cairn_unit *unit)
{
    return unit->model->stalls && unit->model->stalls(unit);
}

uint64_t cairn_unit_position(struct cairn_unit *unit)
{
    return unit->model->position(unit);
}
