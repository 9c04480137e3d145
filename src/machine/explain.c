/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/explain.h"

#include <string.h>

static void give(struct cairn_explainer *explainer, const struct cairn_explained *record)
{
    if (explainer->sink && explainer->sink(explainer->sink_context, record) != CAIRN_OK)
        explainer->sink = NULL;
}

/* More reasons than there is room for are of the last row. */
static struct cairn_explained *row_of(struct cairn_explainer *explainer, bool traced, uint32_t why)
{
    for (size_t i = 0; i < explainer->row_count; i++)
        if (explainer->rows[i].why == why && explainer->rows[i].traced == traced)
            return &explainer->rows[i];
    if (explainer->row_count == CAIRN_EXPLAIN_ROWS)
        return &explainer->rows[CAIRN_EXPLAIN_ROWS - 1];
    return &explainer->rows[explainer->row_count++];
}

static void count_run(struct cairn_explainer *explainer, const struct cairn_explained *run)
{
    struct cairn_explained *row = row_of(explainer, run->traced, run->why);

    if (row->kind != CAIRN_EXPLAINED_ROW) {
        *row = *run;
        row->kind = CAIRN_EXPLAINED_ROW;
        row->runs = 1;
        return;
    }
    row->runs++;
    row->pieces += run->pieces;
    row->instructions += run->instructions;
}

static void end_run(struct cairn_explainer *explainer)
{
    if (explainer->run.pieces == 0)
        return;
    count_run(explainer, &explainer->run);
    give(explainer, &explainer->run);
    explainer->run.pieces = 0;
}

static void observe(void *context, const struct cairn_unit_seen *seen)
{
    struct cairn_explainer *explainer = context;
    struct cairn_explained *run = &explainer->run;

    if (run->pieces == 0 || run->why != seen->why || run->traced != seen->traced) {
        end_run(explainer);
        *run = (struct cairn_explained){
            .kind = CAIRN_EXPLAINED_RUN,
            .why = seen->why,
            .at = explainer->told,
            .address = seen->address,
            .isa = seen->isa,
            .EL = seen->context.EL,
            .security = seen->context.security,
            .SF = seen->context.SF,
            .vmid = seen->context.vmid,
            .context_id = seen->context.context_id,
            .traced = seen->traced,
        };
    }
    run->end = seen->end;
    run->pieces++;
    run->instructions += seen->instructions;
    explainer->told += seen->instructions;
}

/* Where the unit is, as far as it has decided. */
static struct cairn_explained here(const struct cairn_explainer *explainer, uint32_t kind,
                                   uint64_t clock)
{
    struct cairn_explained record = explainer->run;

    record.kind = kind;
    record.at = explainer->told;
    record.address = record.end;
    record.why = 0;
    record.end = record.pieces = record.instructions = 0;
    record.clock = clock;
    return record;
}

static void count_events(struct cairn_explainer *explainer, const struct cairn_explained *record)
{
    for (unsigned n = 0; n < CAIRN_EXPLAIN_EVENTS; n++)
        explainer->events[n] += record->events >> n & 1u;
    for (unsigned n = 0; n < 4; n++)
        if ((unsigned)record->reached >> n & 1u)
            (record->counters[n] == 0 ? explainer->zero : explainer->loaded)[n]++;
    explainer->moved += record->moved;
}

static void output(void *context, uint64_t clock, uint32_t events)
{
    struct cairn_explainer *explainer = context;
    struct cairn_explained record = here(explainer, CAIRN_EXPLAINED_OUTPUT, clock);

    record.events = events;
    count_events(explainer, &record);
    give(explainer, &record);
}

static void change(void *context, const struct cairn_unit_resources *resources)
{
    struct cairn_explainer *explainer = context;
    struct cairn_explained record = here(explainer, CAIRN_EXPLAINED_CHANGE, resources->clock);

    memcpy(record.counters, resources->counters, sizeof record.counters);
    record.sequencer = resources->sequencer;
    record.fired = resources->fired;
    record.reached = resources->reached;
    record.moved = resources->moved;
    record.firing = resources->firing;
    count_events(explainer, &record);
    give(explainer, &record);
}

void cairn_explain(struct cairn_explainer *explainer, struct cairn_unit_options *options)
{
    options->observe = observe;
    options->observe_context = explainer;
    options->outputs = output;
    options->outputs_context = explainer;
    options->changes = change;
    options->changes_context = explainer;
}

void cairn_explain_end(struct cairn_explainer *explainer)
{
    end_run(explainer);
}

void cairn_explain_rows(struct cairn_explainer *explainer, const struct cairn_unit *unit)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};
    struct cairn_explained total = {.kind = CAIRN_EXPLAINED_TOTAL};

    for (size_t i = 0; i < explainer->row_count; i++)
        give(explainer, &explainer->rows[i]);
    cairn_unit_counters(unit, &counters);
    total.instructions = counters.instructions;
    total.pieces = counters.traced;
    total.bytes = counters.bytes;
    total.exceptions = counters.exceptions;
    total.discontinuities = counters.discontinuities;
    total.overflows = counters.overflows;
    total.syncs = counters.syncs;
    total.clock = counters.cycles;
    give(explainer, &total);
}

void cairn_explain_take(struct cairn_explainer *explainer, const struct cairn_explained *record)
{
    switch ((enum cairn_explained_kind)record->kind) {
    case CAIRN_EXPLAINED_ROW:
        if (explainer->row_count < CAIRN_EXPLAIN_ROWS)
            explainer->rows[explainer->row_count++] = *record;
        explainer->told += record->instructions;
        break;
    case CAIRN_EXPLAINED_OUTPUT:
    case CAIRN_EXPLAINED_CHANGE:
        count_events(explainer, record);
        give(explainer, record);
        break;
    case CAIRN_EXPLAINED_RUN:
    case CAIRN_EXPLAINED_TOTAL: give(explainer, record); break;
    }
}
