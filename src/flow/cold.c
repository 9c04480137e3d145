/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that are not the engine's own to decode go through the levels of the reference path, and
 * what comes out are events. */
#include "flow/engine.h"

static void give_record(struct cairn_engine *engine, size_t i)
{
    struct cairn_unit_batch *out = engine->out;
    const struct cairn_flow_batch *records = engine->records;
    struct cairn_unit_event *event = &out->event[out->event_count++];

    *event = (struct cairn_unit_event){.unit = (uint32_t)out->count,
                                       .kind = records->kind[i],
                                       .isa = records->isa[i],
                                       .flags = records->flags[i],
                                       .instructions = records->instructions[i],
                                       .offset = records->offset[i],
                                       .length = records->length[i],
                                       .address = records->address[i],
                                       .value = records->value[i]};
    if (event->kind == CAIRN_FLOW_RANGE)
        out->instructions += event->instructions;
}

bool cairn_engine_give_records(struct cairn_engine *engine)
{
    struct cairn_unit_batch *out = engine->out;

    while (engine->record_at < engine->records->count && out->event_count < out->event_capacity)
        give_record(engine, engine->record_at++);
    if (engine->record_at < engine->records->count)
        return false;
    engine->records->count = 0;
    engine->record_at = 0;
    return out->event_count < out->event_capacity;
}

cairn_status cairn_engine_run_cold(struct cairn_engine *engine, const uint8_t *data, size_t size,
                                   size_t *position)
{
    while (cairn_engine_give_records(engine)) {
        const cairn_status status =
            cairn_decoder_run(engine->levels, data, size, position, engine->records);

        if (status != CAIRN_OK)
            return status;
        if (engine->records->count == 0)
            return CAIRN_OK;
    }
    return CAIRN_OK;
}
