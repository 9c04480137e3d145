/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine: its making, and the calls that feed it. */
#include "flow/engine.h"

#include "protocol/protocol.h"

#include <stdlib.h>
#include <string.h>

enum {
    RECORDS = 256,
    ROOM = 64, /* units and events that a batch has to have room for */
};

cairn_status cairn_engine_new(struct cairn_config *config, struct cairn_image *image,
                              const struct cairn_engine_options *options,
                              struct cairn_engine **engine)
{
    struct cairn_engine *e = calloc(1, sizeof *e);
    cairn_status status = e ? CAIRN_OK : CAIRN_E_MEMORY;

    if (status != CAIRN_OK)
        return status;
    if (options)
        e->options = *options;
    if (e->options.table_bytes == 0)
        e->options.table_bytes = CAIRN_ENGINE_TABLE_BYTES;
    if (e->options.table_bytes < CAIRN_ENGINE_TABLE_BYTES_MIN)
        e->options.table_bytes = CAIRN_ENGINE_TABLE_BYTES_MIN;
    e->config = cairn_config_ref(config);
    e->image = cairn_image_ref(image);
    cairn_dictionary_init(&e->dictionary, e->options.table_bytes,
                          (e->options.flags & CAIRN_ENGINE_COUNTS) != 0);
    e->ledger.size = sizeof e->ledger;
    e->statistics.size = sizeof e->statistics;
    status = cairn_decoder_new(config, image, &e->levels);
    if (status == CAIRN_OK)
        status = cairn_flow_batch_new(RECORDS, &e->records);
    if (status != CAIRN_OK) {
        cairn_engine_free(e);
        return status;
    }
    *engine = e;
    return CAIRN_OK;
}

void cairn_engine_free(struct cairn_engine *engine)
{
    if (!engine)
        return;
    cairn_flow_batch_free(engine->records);
    cairn_decoder_free(engine->levels);
    cairn_dictionary_release(&engine->dictionary);
    cairn_image_unref(engine->image);
    cairn_config_unref(engine->config);
    free(engine);
}

static cairn_status begin(struct cairn_engine *engine, struct cairn_unit_batch *batch)
{
    const bool counts = (engine->options.flags & CAIRN_ENGINE_COUNTS) != 0;

    if (!batch->event || batch->event_capacity - batch->event_count < ROOM ||
        (!counts && (!batch->path || batch->capacity - batch->count < ROOM)))
        return CAIRN_E_ARGUMENT;
    if (engine->dictionary.full)
        cairn_dictionary_clear(&engine->dictionary);
    engine->out = batch;
    batch->dictionary = &engine->dictionary;
    batch->generation = engine->dictionary.generation;
    batch->dictionary_ends = false;
    return CAIRN_OK;
}

cairn_status cairn_engine_run(struct cairn_engine *engine, const uint8_t *data, size_t size,
                              size_t *position, struct cairn_unit_batch *batch)
{
    cairn_status status = *position > size ? CAIRN_E_ARGUMENT : begin(engine, batch);

    if (status == CAIRN_OK)
        status = cairn_engine_run_cold(engine, data, size, position);
    return status;
}

cairn_status cairn_engine_finish(struct cairn_engine *engine, struct cairn_unit_batch *batch)
{
    cairn_status status = begin(engine, batch);

    while (status == CAIRN_OK && cairn_engine_give_records(engine)) {
        status = cairn_decoder_finish(engine->levels, engine->records);
        if (engine->records->count == 0)
            break;
    }
    return status;
}

const struct cairn_ledger *cairn_engine_ledger(const struct cairn_engine *engine)
{
    return cairn_decoder_ledger(engine->levels);
}

void cairn_engine_statistics(const struct cairn_engine *engine,
                             struct cairn_engine_statistics *statistics)
{
    const size_t size = statistics->size;

    memcpy(statistics, &engine->statistics, size < sizeof *statistics ? size : sizeof *statistics);
    statistics->size = size;
}

cairn_status cairn_unit_batch_new(size_t capacity, bool offsets, struct cairn_unit_batch **batch)
{
    struct cairn_unit_batch *b = calloc(1, sizeof *b);

    if (!b)
        return CAIRN_E_MEMORY;
    b->size = sizeof *b;
    b->capacity = capacity;
    b->event_capacity = capacity;
    b->path = calloc(capacity, sizeof *b->path);
    b->offset = offsets ? calloc(capacity, sizeof *b->offset) : NULL;
    b->event = calloc(capacity, sizeof *b->event);
    if (!b->path || !b->event || (offsets && !b->offset)) {
        cairn_unit_batch_free(b);
        return CAIRN_E_MEMORY;
    }
    *batch = b;
    return CAIRN_OK;
}

void cairn_unit_batch_free(struct cairn_unit_batch *batch)
{
    if (!batch)
        return;
    free(batch->path);
    free(batch->offset);
    free(batch->event);
    free(batch);
}
