/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands between units: packets up to the next Atom packet, taken one by one and followed as
 * the reference path follows them. */
#include "flow/engine.h"

#include "flow/follow.h"
#include "flow/gate.h"

#include <string.h>

enum {
    ELEMENTS_OF_ONE = 64, /* room that taking a packet may need */
    ATOM = 0xc0,
};

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

/* The end of the last block of the last unit: what the follower has as its address behind an
 * indirect branch. */
static uint64_t end_of_path(struct cairn_engine *engine)
{
    const struct cairn_dictionary *dictionary = engine->dictionary;
    const struct cairn_path *path;
    uint64_t end;

    if (!cairn_gate_enter(engine->gate, &engine->cancelled))
        return 0; /* what is made of it is given up */
    path = &dictionary->paths[engine->lane.path];
    end = dictionary->blocks[dictionary->steps[path->first + path->steps - 1] >> 1].end;
    cairn_gate_leave(engine->gate);
    return end;
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
            flow->address = end_of_path(engine);
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

bool cairn_engine_look_ahead(struct cairn_engine *engine, const uint8_t *at, uint64_t offset,
                             const uint8_t **behind)
{
    struct cairn_element_batch *elements = engine->elements;
    struct cairn_ledger *ledger = &engine->levels->ledger;
    const struct cairn_ledger before = *ledger;
    const struct cairn_hot_state state = engine->state;
    const uint8_t *const end = engine->data + engine->size;
    const size_t count = elements->count;

    memcpy(engine->state.history, engine->lane.history, sizeof engine->state.history);
    for (;;) {
        enum cairn_account account;
        size_t length;

        if (at < end && *at >= ATOM) {
            *behind = at;
            memcpy(engine->lane.history, engine->state.history, sizeof engine->state.history);
            engine->element_at = 0;
            engine->turn = elements->count > 0 ? CAIRN_TURN_FOLLOW : CAIRN_TURN_TAKE;
            return true;
        }
        if (at == end || elements->capacity - elements->count < ELEMENTS_OF_ONE ||
            cairn_hot_take(engine->taker, &engine->state, at, (size_t)(end - at), offset, &length,
                           &account, elements) != CAIRN_HOT_TAKEN)
            break;
        ledger->total += length;
        ledger->account[account].bytes += length;
        ledger->account[account].packets++;
        engine->statistics.scanned_bytes += length;
        at += length;
        offset += length;
    }
    *ledger = before;
    engine->state = state;
    elements->count = count;
    return false;
}

void cairn_engine_put_atoms(struct cairn_engine *engine, const uint8_t *at)
{
    struct cairn_element_batch *elements = engine->elements;
    struct cairn_ledger *ledger = &engine->levels->ledger;
    const unsigned count = engine->table.atoms[*at];
    uint32_t bits = engine->table.bits[*at];

    elements->count = 0;
    for (unsigned i = 0; i < count; i++, bits >>= 1) {
        const size_t n = elements->count++;

        elements->offset[n] = engine->offset;
        elements->length[n] = 1;
        elements->kind[n] = CAIRN_ELEMENT_ATOM;
        elements->flags[n] = (bits & 1) ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0;
        elements->data[n] = (struct cairn_element_data){.nth = (uint8_t)i};
    }
    engine->element_at = 0;
    engine->turn = CAIRN_TURN_FOLLOW;
    ledger->total++;
    ledger->account[CAIRN_ACCOUNT_FLOW].bytes++;
    ledger->account[CAIRN_ACCOUNT_FLOW].packets++;
    engine->statistics.scanned_bytes++;
}

/* What a step gave, as events. False: the batch is full before the end. */
static bool give_pending(struct cairn_engine *engine)
{
    struct cairn_flow *flow = engine->levels->flow;
    struct cairn_word_batch *out = engine->out;

    while (flow->given < flow->count && out->event_count < out->event_capacity) {
        struct cairn_record *record = &flow->pending[flow->given++];

        out->event[out->event_count++] =
            (struct cairn_word_event){.word = (uint32_t)out->count,
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
        if (record->kind == CAIRN_FLOW_GAP)
            cairn_ledger_flow(&engine->levels->ledger,
                              &(struct cairn_flow_batch){.count = 1,
                                                         .kind = &record->kind,
                                                         .length = &record->length,
                                                         .value = &record->value});
    }
    return flow->given == flow->count;
}

cairn_status cairn_engine_follow(struct cairn_engine *engine, bool *done)
{
    *done = false;
    while (give_pending(engine)) {
        const cairn_status status =
            cairn_follow_step(engine->levels->flow, engine->elements, &engine->element_at, done);

        if (status != CAIRN_OK || *done) {
            engine->turn = *done ? CAIRN_TURN_TAKE : CAIRN_TURN_FOLLOW;
            return status;
        }
    }
    return CAIRN_OK;
}
