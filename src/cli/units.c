/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/units.h"

#include <stdlib.h>

#include "report/totals.h"

#define BATCH_UNITS 16384
#define BATCH_FLOW 4096

enum stage {
    STAGE_RUNNING = 0,
    STAGE_FINISHING = 1, /* its input has ended */
    STAGE_ENDED = 2,
};

struct cli_units {
    enum cli_wanted wanted;
    enum stage stage;
    struct cli_intake *intake;
    struct cli_piece piece;
    size_t piece_position;
    struct cairn_engine *engine;
    struct cairn_word_batch *batch;
    struct cairn_flow_batch *flow_batch;

    bool waiting; /* the batch has more to give */
    struct cairn_word_cursor cursor;

    /* Where ranges are only counted: the batch's events, and its units that tell something, are
     * given in parts: up to one such unit, and at last what is behind all of them. */
    struct cairn_totals totals;
    bool telling; /* the batch has such units */
    bool in_part;
    size_t part_end;
};

static cairn_status new_engine(struct cli_units *units, struct cairn_config *config,
                               struct cairn_image *image,
                               const struct cli_pipeline_options *options)
{
    struct cairn_engine_options wanted = CAIRN_ENGINE_OPTIONS_INIT;

    wanted.jobs = options->jobs;
    wanted.table_bytes = options->table_bytes;
    if (options->wanted == CLI_WANTED_TOTALS)
        wanted.flags |= CAIRN_ENGINE_NO_PACKETS;
    return cairn_engine_new(config, image, &wanted, &units->engine);
}

cairn_status cli_units_new(struct cairn_config *config, struct cairn_image *image,
                           const struct cli_pipeline_options *options, struct cli_intake *intake,
                           struct cli_units **units)
{
    struct cli_units *made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    made->wanted = options->wanted;
    made->intake = intake;
    cairn_status status = new_engine(made, config, image, options);
    if (!status)
        status = cairn_word_batch_new(BATCH_UNITS, true, &made->batch);
    if (!status)
        status = cairn_flow_batch_new(BATCH_FLOW, &made->flow_batch);
    if (status) {
        cli_units_free(made);
        return status;
    }
    *units = made;
    return CAIRN_OK;
}

void cli_units_free(struct cli_units *units)
{
    if (!units)
        return;
    cairn_totals_free(&units->totals);
    cairn_flow_batch_free(units->flow_batch);
    cairn_word_batch_free(units->batch);
    cairn_engine_free(units->engine);
    free(units);
}

/* The next piece, when the one in hand is used up. */
static cairn_status provide(struct cli_units *units)
{
    if (units->piece_position < units->piece.size)
        return CAIRN_OK;
    cairn_status status = cli_intake_next(units->intake, &units->piece);
    if (status)
        return status;
    units->piece_position = 0;
    if (!units->piece.size)
        units->stage = STAGE_FINISHING;
    return CAIRN_OK;
}

static cairn_status run(struct cli_units *units)
{
    struct cairn_word_batch *batch = units->batch;
    cairn_status status = CAIRN_OK;

    if (units->stage == STAGE_RUNNING)
        status = provide(units);
    if (status)
        return status;
    if (units->stage == STAGE_RUNNING) {
        status = cairn_engine_run(units->engine, units->piece.data, units->piece.size,
                                  &units->piece_position, batch);
        cli_intake_progress(units->intake, units->piece_position);
        return status;
    }
    status = cairn_engine_finish(units->engine, batch);
    if (!batch->count && !batch->event_count && !batch->dictionary_ends)
        units->stage = STAGE_ENDED;
    return status;
}

/* Refills the batch of units. */
static cairn_status refill(struct cli_units *units)
{
    struct cairn_word_batch *batch = units->batch;
    bool counting = units->wanted != CLI_WANTED_RECORDS;

    if (batch->dictionary_ends && counting)
        cairn_totals_turn(&units->totals, batch->dictionary);
    batch->dictionary_ends = false;
    batch->count = 0;
    batch->event_count = 0;
    cairn_status status = run(units);
    if (!status && counting)
        status =
            batch->dictionary ? cairn_totals_add(&units->totals, batch, &units->telling) : CAIRN_OK;
    if (status)
        return status;
    units->cursor.word = 0;
    units->cursor.step = 0;
    units->cursor.event = 0;
    units->part_end = 0;
    units->waiting = batch->count || batch->event_count;
    return CAIRN_OK;
}

static void begin_part(struct cli_units *units)
{
    const struct cairn_word_batch *batch = units->batch;
    size_t unit = batch->count;

    if (units->telling)
        unit = cairn_totals_telling(&units->totals, batch, units->part_end);
    units->cursor.word = unit;
    units->cursor.step = unit < batch->count ? 0 : SIZE_MAX; /* behind all: the events are left */
    units->part_end = unit < batch->count ? unit + 1 : unit;
    units->in_part = true;
}

/* Gives what is not counted, as far as the flow batch has room. */
static cairn_status give_telling(struct cli_units *units)
{
    struct cairn_flow_batch *out = units->flow_batch;
    cairn_status status = CAIRN_OK;

    while (!status && units->waiting && out->count < out->capacity) {
        if (!units->in_part)
            begin_part(units);
        struct cairn_word_batch part = *units->batch;
        bool last = units->cursor.step == SIZE_MAX;
        part.count = units->part_end;
        status = cairn_words_records(&part, &units->cursor, out);
        if (out->count == out->capacity)
            break;
        units->in_part = false;
        if (last)
            units->waiting = false;
    }
    return status;
}

static cairn_status give(struct cli_units *units)
{
    struct cairn_flow_batch *out = units->flow_batch;

    if (units->wanted != CLI_WANTED_RECORDS)
        return give_telling(units);
    cairn_status status = cairn_words_records(units->batch, &units->cursor, out);
    units->waiting = out->count == out->capacity;
    return status;
}

cairn_status cli_units_next(struct cli_units *units)
{
    cairn_status status = CAIRN_OK;

    units->flow_batch->count = 0;
    while (!status && !units->flow_batch->count && units->stage != STAGE_ENDED) {
        if (units->waiting)
            status = give(units);
        else if (cli_interrupted())
            units->stage = STAGE_ENDED;
        else
            status = refill(units);
    }
    return status;
}

const struct cairn_flow_batch *cli_units_flow(const struct cli_units *units)
{
    return units->flow_batch;
}

void cli_units_counted(const struct cli_units *units, struct cairn_summary *summary)
{
    cairn_totals_sum(&units->totals, units->batch->dictionary, summary);
}

const struct cairn_ledger *cli_units_ledger(const struct cli_units *units)
{
    return cairn_engine_ledger(units->engine);
}

uint64_t cli_units_source_bytes(const struct cli_units *units)
{
    return units->piece.offset + units->piece_position;
}
