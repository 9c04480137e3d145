/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/plan.h"

#include "protocol/protocol.h"

enum {
    PART_SMALLEST = 8 << 10, /* bytes; for many events, */
    PART_LITTLE = 32 << 10,  /* and for little data */
    SEARCH = 1 << 20,        /* bytes in which the beginning of one is looked for at once */
    TRIES = 16,              /* synchronisations looked at for it */
};

void cairn_plan_begin(struct cairn_plan *plan, const struct cairn_engine *engine, size_t position)
{
    plan->data = engine->data;
    plan->size = engine->size;
    plan->origin = cairn_reading_origin(engine, position);
    plan->searched = position;
    plan->done = false;
}

void cairn_plan_again(struct cairn_plan *plan)
{
    plan->searched = 0;
    plan->done = false;
}

/* Bytes wanted of the next part: every thread shall have some of them. */
static size_t wanted(const struct cairn_plan *plan, size_t left)
{
    const size_t each = left / (2 * plan->jobs);
    const size_t least = plan->part < PART_LITTLE ? plan->part : PART_LITTLE;
    const size_t most = plan->part;

    return each < least ? least : each < most ? each : most;
}

/* Looks for a part's beginning near `from`. *next: where to look on. */
static cairn_status look(struct cairn_plan *plan, size_t from, struct cairn_part *part, bool *found,
                         size_t *next)
{
    const size_t end = plan->size - from > SEARCH ? from + SEARCH : plan->size;

    *next = from;
    for (unsigned i = 0; i < TRIES && !*found; i++) {
        const size_t at = cairn_find_sync(plan->scout->config, plan->data, end, *next);
        cairn_status status;

        *next = at;
        if (at == end)
            return CAIRN_OK;
        status = cairn_standing_guess(plan->scout, plan->data, plan->size, at, plan->origin,
                                      &part->guess, found);
        if (status != CAIRN_OK)
            return status;
        *next = at + 1;
    }
    if (*found) {
        part->start = (size_t)(part->guess.offset - plan->origin);
        *next = part->start;
    }
    return CAIRN_OK;
}

cairn_status cairn_plan_next(struct cairn_plan *plan, size_t position, struct cairn_part *part,
                             bool *found)
{
    *found = false;
    if (plan->searched < position)
        plan->searched = position;
    while (!plan->done && !*found && plan->searched - position < plan->ahead_most) {
        const size_t bytes = wanted(plan, plan->size - position);
        size_t next = plan->size;
        cairn_status status = CAIRN_OK;

        if (plan->size - plan->searched > bytes + CAIRN_PLAN_TAIL)
            status = look(plan, plan->searched + bytes, part, found, &next);
        if (status != CAIRN_OK)
            return status;
        plan->searched = next;
        if (plan->size - next <= CAIRN_PLAN_TAIL) {
            plan->done = true;
            *found = false;
        }
    }
    return CAIRN_OK;
}

void cairn_plan_learn(struct cairn_plan *plan, const struct cairn_part *part)
{
    const struct cairn_word_batch *batch = part->batch;

    if (part->filled && plan->part > PART_SMALLEST)
        plan->part /= 2;
    else if (part->stands && plan->part < plan->part_max &&
             batch->event_count < batch->event_capacity / 4 && batch->count < batch->capacity / 4)
        plan->part *= 2;
}
