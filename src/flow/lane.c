/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's state and the follower's: what is put up is followed as the reference path follows
 * it, and its records become events. */
#include "flow/engine.h"

#include "flow/follow.h"
#include "flow/gate.h"

#include <string.h>

/* The index of its oldest entry. */
static unsigned oldest_of(const struct cairn_return_stack *stack)
{
    return stack->top >= stack->depth ? stack->top - stack->depth
                                      : stack->top + CAIRN_RETURN_STACK_DEPTH - stack->depth;
}

void cairn_engine_to_lane(struct cairn_engine *engine)
{
    const struct cairn_flow *flow = engine->levels->flow;
    const struct cairn_return_stack *from = &flow->stack;
    struct cairn_lane *lane = &engine->lane;
    struct cairn_hot_stack *stack = &lane->stack;
    const uint64_t code = flow->address | flow->sub_isa | (flow->half ? CAIRN_CODE_HALF : 0);

    lane->expected = CAIRN_CODE_NEED;
    if (flow->awaiting_target)
        lane->code = CAIRN_CODE_NEED;
    else if (!flow->context_known || !flow->address_known ||
             flow->from == CAIRN_FROM_RETURN_ADDRESS)
        lane->code = CAIRN_CODE_LOST;
    else
        lane->code = code;
    if (lane->code == code && flow->from == CAIRN_FROM_OPCODE)
        lane->expected = code;
    lane->path = 0;
    stack->bottom = stack->entries + CAIRN_HOT_STACK_FIRST;
    stack->base = stack->bottom + from->stale;
    stack->sp = stack->bottom;
    for (unsigned i = 0, at = oldest_of(from); i < from->depth; i++) {
        *stack->sp++ = from->entries[at].address | from->entries[at].sub_isa;
        at = at + 1 < CAIRN_RETURN_STACK_DEPTH ? at + 1 : 0;
    }
}

/* The end of the last block of the last word: where the follower stands behind an indirect branch. */
static void stand_at_end(struct cairn_engine *engine, struct cairn_flow *flow)
{
    const struct cairn_dictionary *dictionary = engine->dictionary;
    const struct cairn_code_block *block;
    const struct cairn_path *path;

    flow->address = 0;
    if (!cairn_gate_enter(engine->gate, &engine->cancelled))
        return; /* what is made of it is given up */
    path = &dictionary->paths[engine->lane.path];
    block = &dictionary->blocks[dictionary->steps[path->first + path->steps - 1] >> 1];
    flow->address = block->end;
    flow->sub_isa = block->isa == CAIRN_ISA_T32;
    cairn_gate_leave(engine->gate);
}

static void stack_from_lane(const struct cairn_hot_stack *from, struct cairn_return_stack *stack)
{
    const uint64_t *bottom = from->bottom;

    if (from->sp - bottom > CAIRN_RETURN_STACK_DEPTH)
        bottom = from->sp - CAIRN_RETURN_STACK_DEPTH;
    stack->depth = (unsigned)(from->sp - bottom);
    stack->top = stack->depth < CAIRN_RETURN_STACK_DEPTH ? stack->depth : 0;
    for (unsigned i = 0; i < stack->depth; i++) {
        stack->entries[i].address = bottom[i] & ~UINT64_C(1);
        stack->entries[i].sub_isa = (uint8_t)(bottom[i] & 1);
    }
    stack->stale = from->base > bottom ? (unsigned)(from->base - bottom) : 0;
}

void cairn_engine_from_lane(struct cairn_engine *engine)
{
    const struct cairn_lane *lane = &engine->lane;
    struct cairn_flow *flow = engine->levels->flow;

    if (lane->code == CAIRN_CODE_NEED) {
        if (lane->path != 0) {
            stand_at_end(engine, flow);
            flow->from = CAIRN_FROM_OPCODE;
        }
        flow->address_known = false;
        flow->awaiting_target = true;
        flow->half = false;
    } else if (lane->code != CAIRN_CODE_LOST) {
        flow->half =
            flow->config->rules.thumb_halves && !flow->context.SF && (lane->code & CAIRN_CODE_HALF);
        flow->address = lane->code & ~(flow->half ? CAIRN_CODE_HALF | 1 : UINT64_C(1));
        flow->sub_isa = (uint8_t)(lane->code & 1);
        flow->address_known = true;
        flow->awaiting_target = false;
        flow->from = lane->expected == lane->code ? CAIRN_FROM_OPCODE : CAIRN_FROM_TRACE;
    }
    stack_from_lane(&lane->stack, &flow->stack);
    /* The records view knows which one was told last; here that is not known. */
    flow->undefined_at = UINT64_MAX;
}

/* A gap's bytes were counted as flow. By itself: gaps are rare, and records are not. */
static __attribute__((noinline)) void count_gap(struct cairn_engine *engine,
                                                struct cairn_record *gap)
{
    cairn_ledger_flow(&engine->levels->ledger, &(struct cairn_flow_batch){.count = 1,
                                                                          .kind = &gap->kind,
                                                                          .length = &gap->length,
                                                                          .value = &gap->value});
}

/* What a step gave, as events. False: the batch is full before the end. */
static bool give_pending(struct cairn_engine *engine)
{
    struct cairn_flow *flow = engine->levels->flow;
    struct cairn_word_batch *out = engine->out;
    const unsigned count = flow->count;
    const size_t capacity = out->event_capacity;
    unsigned given = flow->given;
    size_t events = out->event_count;

    for (; given < count && events < capacity; given++, events++) {
        struct cairn_record *record = &flow->pending[given];

        out->event[events] = (struct cairn_word_event){.word = (uint32_t)out->count,
                                                       .kind = record->kind,
                                                       .isa = record->isa,
                                                       .flags = record->flags,
                                                       .instructions = record->instructions,
                                                       .offset = record->offset,
                                                       .length = record->length,
                                                       .address = record->address,
                                                       .value = record->value};
        if (record->kind == CAIRN_FLOW_RANGE)
            out->instructions += record->instructions;
        else if (record->kind == CAIRN_FLOW_GAP)
            count_gap(engine, record);
    }
    out->event_count = events;
    flow->given = given;
    return given == count;
}

cairn_status cairn_engine_follow(struct cairn_engine *engine, bool *done)
{
    struct cairn_flow *flow = engine->levels->flow;

    *done = false;
    while (flow->given == flow->count || give_pending(engine)) {
        const cairn_status status =
            cairn_follow_steps(flow, engine->elements, &engine->element_at, done);

        if (status != CAIRN_OK || *done) {
            engine->turn = *done ? CAIRN_TURN_TAKE : CAIRN_TURN_FOLLOW;
            return status;
        }
    }
    return CAIRN_OK;
}

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

bool cairn_engine_fits_lane(const struct cairn_flow *flow)
{
    return flow->context_known && !flow->q.pending && !flow->undefined_pending &&
           !flow->config->rules.any_source;
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
