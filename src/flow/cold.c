/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that are not the engine's own to decode go through the levels of the reference path, and
 * what comes out are events. */
#include "flow/engine.h"

#include "flow/follow.h"

#include <string.h>

enum {
    SLICE = 64,      /* bytes given to the levels at once while they may soon hand back */
    LOOK_AHEAD = 64, /* bytes that hot decoding wants to have before it */
    ATOM = 0xc0,
};

static void give_record(struct cairn_engine *engine, size_t i)
{
    struct cairn_word_batch *out = engine->out;
    const struct cairn_flow_batch *records = engine->records;
    struct cairn_word_event *event = &out->event[out->event_count++];

    *event = (struct cairn_word_event){.word = (uint32_t)out->count,
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
    struct cairn_word_batch *out = engine->out;

    if (atomic_load_explicit(&engine->cancelled, memory_order_relaxed))
        return false;
    while (engine->record_at < engine->records->count && out->event_count < out->event_capacity)
        give_record(engine, engine->record_at++);
    if (engine->record_at < engine->records->count)
        return false;
    engine->records->count = 0;
    engine->record_at = 0;
    return out->event_count < out->event_capacity;
}

void cairn_engine_go_cold(struct cairn_engine *engine)
{
    struct cairn_decoder *levels = engine->levels;

    cairn_engine_from_lane(engine);
    memcpy(engine->state.history, engine->lane.history, sizeof engine->state.history);
    cairn_levels_resume(levels->packets, levels->elements, levels->resolver, engine->offset,
                        &engine->state);
    levels->packet_batch->count = 0;
    levels->packet_at = 0;
    levels->raw_batch->count = 0;
    levels->raw_at = 0;
    levels->resolved_batch->count = 0;
    levels->resolved_at = 0;
    engine->turn = CAIRN_TURN_READ;
    engine->went_on = false;
    engine->statistics.switches++;
}

/* True when the packets from `at` on lead to an Atom packet with none before it that could still
 * change the last one. */
static bool leads_to_atoms(struct cairn_engine *engine, const uint8_t *at,
                           struct cairn_hot_state state)
{
    const uint8_t *const end = engine->data + engine->size;

    while (end - at >= LOOK_AHEAD) {
        enum cairn_account account;
        size_t length;

        if (*at >= ATOM)
            return true;
        if (cairn_hot_take(engine->taker, &state, at, (size_t)(end - at), 0, &length, &account,
                           NULL) != CAIRN_HOT_TAKEN)
            return false;
        at += length;
    }
    return false;
}

/* Hands over to hot decoding if the levels stand where that can begin. */
static cairn_status try_hot(struct cairn_engine *engine, size_t *position)
{
    struct cairn_decoder *levels = engine->levels;
    struct cairn_hot_state state;
    const uint64_t start = engine->offset - *position; /* of the data */
    uint64_t offset;

    if (!cairn_levels_stand(levels->packets, levels->elements, levels->resolver, &offset, &state) ||
        offset < engine->floor || levels->flow->q.pending ||
        !leads_to_atoms(engine, engine->data + (offset - start), state))
        return CAIRN_OK;
    levels->resolved_batch->count = 0;
    levels->resolved_at = 0;
    if (!cairn_levels_settle(levels->resolver, levels->resolved_batch))
        return CAIRN_OK;
    engine->turn = CAIRN_TURN_DRAIN;
    engine->offset = offset;
    *position = (size_t)(offset - start);
    engine->state = state;
    memcpy(engine->lane.history, state.history, sizeof state.history);
    return CAIRN_OK;
}

cairn_status cairn_engine_drain(struct cairn_engine *engine, bool *idle)
{
    *idle = false;
    while (cairn_engine_give_records(engine)) {
        const cairn_status status = cairn_decoder_pump(engine->levels, engine->records, idle);

        if (status != CAIRN_OK || (*idle && engine->records->count == 0))
            return status;
        *idle = false;
    }
    return CAIRN_OK;
}

cairn_status cairn_engine_run_cold(struct cairn_engine *engine, size_t *position)
{
    struct cairn_decoder *levels = engine->levels;
    struct cairn_packet_batch *packets = levels->packet_batch;
    const size_t capacity = packets->capacity;

    for (;;) {
        const size_t before = *position;
        size_t slice = engine->size;
        bool idle;
        cairn_status status = cairn_engine_drain(engine, &idle);

        if (status != CAIRN_OK || !idle)
            return status;
        if (engine->can_be_hot && engine->went_on) {
            status = try_hot(engine, position);
            if (status != CAIRN_OK || engine->turn != CAIRN_TURN_READ)
                return status;
        }
        if (engine->can_be_hot && slice - *position > SLICE)
            slice = *position + SLICE;
        packets->count = 0;
        levels->packet_at = 0;
        packets->capacity = engine->can_be_hot ? 1 : capacity;
        status = cairn_packets_run(levels->packets, engine->data, slice, position, packets);
        packets->capacity = capacity;
        cairn_ledger_packets(&levels->ledger, packets);
        engine->went_on |= packets->count > 0;
        engine->offset += *position - before;
        engine->statistics.cold_bytes += *position - before;
        if (status != CAIRN_OK)
            return status;
        if (packets->count == 0 && *position == engine->size)
            return CAIRN_OK;
    }
}
