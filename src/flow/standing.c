/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/standing.h"

#include "flow/follow.h"

#include <string.h>

enum {
    LEAP = 1024, /* bytes from a synchronisation to where a reader stands, at most */
    STRIDE = 16, /* bytes read at once on the way */
};

static bool stands(const struct cairn_engine *engine, size_t position,
                   struct cairn_reader_place *place)
{
    const struct cairn_flow *flow = engine->levels->flow;

    if (engine->turn != CAIRN_TURN_TAKE || position >= engine->size || flow->q.pending ||
        flow->undefined_pending || flow->task != CAIRN_TASK_NONE || engine->records->count > 0)
        return false;
    return cairn_reading_stands(engine, place);
}

bool cairn_standing_take(struct cairn_engine *engine, size_t position,
                         struct cairn_standing *standing)
{
    const struct cairn_flow *flow = engine->levels->flow;
    const struct cairn_return_stack *stack = &flow->stack;
    struct cairn_reader_place place;

    if (!stands(engine, position, &place))
        return false;
    cairn_engine_from_lane(engine);
    *standing = (struct cairn_standing){.offset = engine->offset,
                                        .place = place,
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
                                        .half = flow->half,
                                        .source_isa_told = flow->source_isa_told,
                                        .context = flow->context,
                                        .reported = flow->reported,
                                        .depth = stack->depth,
                                        .stale = stack->stale};
    for (unsigned i = 0; i < stack->depth; i++) {
        const unsigned at =
            (stack->top + CAIRN_RETURN_STACK_DEPTH - stack->depth + i) % CAIRN_RETURN_STACK_DEPTH;

        standing->entries[i] = stack->entries[at].address | stack->entries[at].sub_isa;
    }
    return true;
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
    flow->half = standing->half;
    flow->source_isa_told = standing->source_isa_told;
    flow->context = standing->context;
    flow->reported = standing->reported;
    put_stack(standing, &flow->stack);
    flow->space_current = false;
    flow->gap_given = false;
    flow->undefined_at = UINT64_MAX; /* the records view knows */
    flow->undefined_pending = false;
    flow->task = CAIRN_TASK_NONE;
    flow->count = 0;
    flow->given = 0;
    flow->q = (struct cairn_q){.pending = false};
    flow->q_left = 0;
}

void cairn_standing_put(const struct cairn_standing *standing, struct cairn_engine *engine)
{
    put_flow(standing, engine->levels->flow);
    engine->offset = standing->offset;
    engine->records->count = 0;
    engine->record_at = 0;
    engine->elements->count = 0;
    engine->element_at = 0;
    engine->view = NULL;
    engine->turn = CAIRN_TURN_TAKE;
    engine->stuck = false;
    cairn_engine_to_lane(engine);
    cairn_reading_begin_at(engine, standing->offset, &standing->place);
}

static bool same_stack(const struct cairn_standing *a, const struct cairn_standing *b)
{
    return a->depth == b->depth && a->stale == b->stale &&
           memcmp(a->entries, b->entries, a->depth * sizeof *a->entries) == 0;
}

static bool is_certain(unsigned from)
{
    return from == CAIRN_FROM_TRACE || from == CAIRN_FROM_OPCODE;
}

/* Whether the trace or flow itself told the address is asked by another address only. */
static bool same_from(const struct cairn_standing *a, const struct cairn_standing *b)
{
    return a->from == b->from ||
           (a->place.atom && a->address_known && is_certain(a->from) && is_certain(b->from));
}

static bool same_flow(const struct cairn_standing *a, const struct cairn_standing *b)
{
    return a->address == b->address && same_from(a, b) && a->sub_isa == b->sub_isa &&
           a->address_known == b->address_known && a->context_known == b->context_known &&
           a->awaiting_target == b->awaiting_target && a->context_reported == b->context_reported &&
           a->clear_stack == b->clear_stack &&
           memcmp(&a->context, &b->context, sizeof a->context) == 0 &&
           memcmp(&a->reported, &b->reported, sizeof a->reported) == 0 && a->half == b->half &&
           a->source_isa_told == b->source_isa_told &&
           (a->address_known || (a->lost == b->lost && a->lost_at == b->lost_at));
}

bool cairn_standing_same(const struct cairn_standing *a, const struct cairn_standing *b)
{
    return a->offset == b->offset && memcmp(&a->place, &b->place, sizeof a->place) == 0 &&
           same_flow(a, b) && same_stack(a, b);
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

/* Of a scout that has followed what there is: whether it stands where a part can begin. */
static bool is_found(struct cairn_engine *scout, size_t position, struct cairn_standing *standing)
{
    const struct cairn_flow *flow = scout->levels->flow;

    cairn_engine_to_lane(scout);
    if (!flow->address_known || !flow->context_known || flow->clear_stack ||
        !cairn_standing_take(scout, position, standing))
        return false;
    standing->discontinuity = false;
    standing->total_cycles = 0;
    return true;
}

/* Step by step: all that is read has to be followed. */
static cairn_status guess(struct cairn_engine *scout, size_t at, uint64_t origin,
                          struct cairn_standing *standing, bool *found)
{
    const struct cairn_reading *reading = &scout->reading;
    const size_t end = scout->size - at > LEAP ? at + LEAP : scout->size;
    size_t position = at;
    cairn_status status = CAIRN_OK;

    cairn_reading_begin_at(scout, origin + at, NULL);
    while (status == CAIRN_OK && !*found && scout->stop < end) {
        const size_t before = position;
        bool gave = false;

        status = cairn_reading_read(scout, position);
        position = reading->taken;
        while (status == CAIRN_OK && cairn_reading_put_up(scout)) {
            status = follow(scout);
            cairn_engine_to_lane(scout);
            gave = true;
        }
        if (status == CAIRN_OK)
            *found = is_found(scout, position, standing);
        if (position >= scout->stop || (position == before && !gave))
            scout->stop = (position > scout->stop ? position : scout->stop) + STRIDE;
    }
    return status;
}

cairn_status cairn_standing_guess(struct cairn_engine *scout, const uint8_t *data, size_t size,
                                  size_t at, uint64_t origin, struct cairn_standing *standing,
                                  bool *found)
{
    const struct cairn_standing nothing = {
        .offset = origin + at, .lost = CAIRN_GAP_NO_ADDRESS, .discontinuity = true};

    *found = false;
    cairn_standing_put(&nothing, scout);
    scout->data = data;
    scout->size = size;
    scout->stop = at + STRIDE;
    return guess(scout, at, origin, standing, found);
}
