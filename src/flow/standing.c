/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/standing.h"

#include "flow/follow.h"

#include <string.h>

enum {
    ATOM = 0xc0,
    REACH = 4096, /* bytes from an A-sync to its first Atom packet, at most */
};

bool cairn_engine_stands(const struct cairn_engine *engine, size_t position)
{
    const struct cairn_flow *flow = engine->levels->flow;

    return engine->turn == CAIRN_TURN_TAKE && position < engine->size &&
           engine->data[position] >= ATOM && !flow->q.pending && flow->task == CAIRN_TASK_NONE &&
           engine->records->count == 0;
}

void cairn_standing_take(struct cairn_engine *engine, struct cairn_standing *standing)
{
    const struct cairn_flow *flow = engine->levels->flow;
    const struct cairn_return_stack *stack = &flow->stack;

    cairn_engine_from_lane(engine);
    *standing = (struct cairn_standing){.offset = engine->offset,
                                        .state = engine->state,
                                        .address = flow->address,
                                        .lost_at = flow->lost_at,
                                        .total_cycles = flow->total_cycles,
                                        .lost = flow->lost,
                                        .from = flow->from,
                                        .sub_isa = flow->sub_isa,
                                        .address_known = flow->address_known,
                                        .context_known = flow->context_known,
                                        .awaiting_target = flow->awaiting_target,
                                        .context_reported = flow->context_reported,
                                        .clear_stack = flow->clear_stack,
                                        .discontinuity = flow->discontinuity,
                                        .context = flow->context,
                                        .reported = flow->reported,
                                        .depth = stack->depth,
                                        .stale = stack->stale};
    memcpy(standing->state.history, engine->lane.history, sizeof standing->state.history);
    for (unsigned i = 0; i < stack->depth; i++) {
        const unsigned at =
            (stack->top + CAIRN_RETURN_STACK_DEPTH - stack->depth + i) % CAIRN_RETURN_STACK_DEPTH;

        standing->entries[i] = stack->entries[at].address | stack->entries[at].sub_isa;
    }
}

static void put_stack(const struct cairn_standing *standing, struct cairn_return_stack *stack)
{
    cairn_return_stack_clear(stack);
    for (unsigned i = 0; i < standing->depth; i++)
        cairn_return_stack_push(stack, standing->entries[i] & ~UINT64_C(1),
                                (uint8_t)(standing->entries[i] & 1));
    stack->stale = standing->stale;
}

static void put_flow(const struct cairn_standing *standing, struct cairn_flow *flow)
{
    flow->address = standing->address;
    flow->lost_at = standing->lost_at;
    flow->total_cycles = standing->total_cycles;
    flow->lost = standing->lost;
    flow->from = (enum cairn_address_from)standing->from;
    flow->sub_isa = standing->sub_isa;
    flow->address_known = standing->address_known;
    flow->context_known = standing->context_known;
    flow->awaiting_target = standing->awaiting_target;
    flow->context_reported = standing->context_reported;
    flow->clear_stack = standing->clear_stack;
    flow->discontinuity = standing->discontinuity;
    flow->context = standing->context;
    flow->reported = standing->reported;
    put_stack(standing, &flow->stack);
    flow->space_current = false;
    flow->gap_given = false;
    flow->undefined_at = UINT64_MAX; /* the records view knows */
    flow->task = CAIRN_TASK_NONE;
    flow->source_isa_told = false; /* a part begins behind a Trace Info, and no such address */
    flow->count = 0;
    flow->given = 0;
    flow->q = (struct cairn_q){.pending = false};
    flow->q_left = 0;
}

void cairn_standing_put(const struct cairn_standing *standing, struct cairn_engine *engine)
{
    put_flow(standing, engine->levels->flow);
    engine->offset = standing->offset;
    engine->state = standing->state;
    memcpy(engine->lane.history, standing->state.history, sizeof engine->lane.history);
    engine->lane.atom = NULL;
    engine->records->count = 0;
    engine->record_at = 0;
    engine->elements->count = 0;
    engine->element_at = 0;
    engine->view = NULL;
    engine->turn = CAIRN_TURN_TAKE;
    engine->stuck = false;
    cairn_engine_to_lane(engine);
}

static bool same_state(const struct cairn_hot_state *a, const struct cairn_hot_state *b)
{
    return memcmp(a->history, b->history, sizeof a->history) == 0 && a->timestamp == b->timestamp &&
           memcmp(&a->context, &b->context, sizeof a->context) == 0 &&
           a->threshold == b->threshold && a->marked == b->marked;
}

static bool same_stack(const struct cairn_standing *a, const struct cairn_standing *b)
{
    return a->depth == b->depth && a->stale == b->stale &&
           memcmp(a->entries, b->entries, a->depth * sizeof *a->entries) == 0;
}

bool cairn_standing_same(const struct cairn_standing *a, const struct cairn_standing *b)
{
    return a->offset == b->offset && same_state(&a->state, &b->state) && a->address == b->address &&
           a->from == b->from && a->sub_isa == b->sub_isa && a->address_known == b->address_known &&
           a->context_known == b->context_known && a->awaiting_target == b->awaiting_target &&
           a->context_reported == b->context_reported && a->clear_stack == b->clear_stack &&
           memcmp(&a->context, &b->context, sizeof a->context) == 0 &&
           memcmp(&a->reported, &b->reported, sizeof a->reported) == 0 && same_stack(a, b) &&
           (a->address_known || (a->lost == b->lost && a->lost_at == b->lost_at));
}

/* Follows what is put up, and tells nobody. */
static cairn_status follow(struct cairn_engine *scout)
{
    cairn_status status = CAIRN_OK;

    do {
        scout->records->count = 0;
        status = cairn_flow_run(scout->levels->flow, scout->elements, &scout->element_at,
                                scout->records);
    } while (status == CAIRN_OK && scout->records->count > 0);
    scout->turn = CAIRN_TURN_TAKE;
    return status;
}

cairn_status cairn_standing_guess(struct cairn_engine *scout, const uint8_t *data, size_t size,
                                  size_t at, uint64_t origin, struct cairn_standing *standing,
                                  bool *found)
{
    const struct cairn_standing nothing = {
        .offset = origin + at, .lost = CAIRN_GAP_NO_ADDRESS, .discontinuity = true};
    const struct cairn_flow *flow = scout->levels->flow;
    const uint8_t *behind;
    cairn_status status;

    *found = false;
    cairn_standing_put(&nothing, scout);
    scout->data = data;
    scout->size = size - at > REACH ? at + REACH : size;
    if (!cairn_engine_look_ahead(scout, data + at, origin + at, &behind))
        return CAIRN_OK;
    status = follow(scout);
    scout->offset = origin + (uint64_t)(behind - data);
    if (status != CAIRN_OK || !flow->address_known || !flow->context_known ||
        flow->from != CAIRN_FROM_TRACE || flow->clear_stack || flow->q.pending)
        return status;
    cairn_engine_to_lane(scout);
    cairn_standing_take(scout, standing);
    standing->discontinuity = false;
    standing->total_cycles = 0;
    *found = true;
    return CAIRN_OK;
}
