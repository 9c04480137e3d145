/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements in the order they are generated. Some have to wait (DDI0608 D6.7): a P0 element whose
 * output would imply the Commit of one that is not resolved, and whatever is speculated behind a
 * Context synchronization event; with them all that comes behind. */
#include "unit/etmv4/core.h"

#include <stdlib.h>

static struct cairn_unit_element *held_at(const struct cairn_etmv4_unit *unit, size_t index)
{
    return &unit->held[(unit->held_first + index) & (unit->held_capacity - 1)];
}

static bool grow(struct cairn_etmv4_unit *unit)
{
    const size_t capacity = unit->held_capacity ? 2 * unit->held_capacity : 64;
    struct cairn_unit_element *held = malloc(capacity * sizeof *held);

    if (!held)
        return false;
    for (size_t i = 0; i < unit->held_count; i++)
        held[i] = *held_at(unit, i);
    free(unit->held);
    unit->held = held;
    unit->held_capacity = capacity;
    unit->held_first = 0;
    return true;
}

static void hold(struct cairn_etmv4_unit *unit, const struct cairn_unit_element *element)
{
    if (unit->held_count >= CAIRN_UNIT_HELD_MAX) {
        cairn_unit_overflow(unit);
        return;
    }
    if (unit->held_count == unit->held_capacity && !grow(unit)) {
        unit->status = CAIRN_E_MEMORY;
        cairn_unit_overflow(unit);
        return;
    }
    *held_at(unit, unit->held_count++) = *element;
    unit->mode |= CAIRN_MODE_HELD;
}

/* Elements that tell of time and of the trace itself: of no use to anybody waiting. */
static bool is_timeless(unsigned kind)
{
    return kind == CAIRN_ELEMENT_EVENT || kind == CAIRN_ELEMENT_TIMESTAMP ||
           kind == CAIRN_ELEMENT_TIMESTAMP_MARKER;
}

static bool may_leave(const struct cairn_etmv4_unit *unit, const struct cairn_unit_element *element)
{
    if (!unit->speculative || is_timeless(element->kind))
        return true;
    if (element->barrier > unit->resolved)
        return false;
    switch (element->kind) {
    case CAIRN_ELEMENT_ATOM:
    case CAIRN_ELEMENT_EXCEPTION:
    case CAIRN_ELEMENT_SOURCE_ADDRESS:
    case CAIRN_ELEMENT_Q:
    case CAIRN_ELEMENT_TRANSACTION_START: return cairn_unit_has_depth(unit, element->observation);
    default: return unit->program.maxspec > 0 || cairn_unit_is_resolved(unit, element->observation);
    }
}

void cairn_unit_pass(struct cairn_etmv4_unit *unit, const struct cairn_unit_element *element)
{
    if (unit->mode & (CAIRN_MODE_INOPERATIVE | CAIRN_MODE_DISABLED))
        return;
    if (unit->held_count > 0 || !may_leave(unit, element))
        hold(unit, element);
    else
        cairn_unit_output(unit, element);
}

void cairn_unit_generate(struct cairn_etmv4_unit *unit, unsigned kind, uint16_t flags,
                         const struct cairn_element_data *data)
{
    const struct cairn_unit_element element = {
        .observation = unit->is_late ? unit->late_observation : cairn_unit_observation(unit),
        .barrier = unit->path.barrier,
        .time = unit->time,
        .clock = unit->clock,
        .data = *data,
        .flags = flags,
        .kind = (uint8_t)kind,
    };

    cairn_unit_pass(unit, &element);
}

void cairn_unit_generate_resolved(struct cairn_etmv4_unit *unit, unsigned kind)
{
    const struct cairn_unit_element element = {
        .observation = cairn_unit_observation(unit),
        .barrier = unit->told,
        .time = unit->time,
        .clock = unit->clock,
        .kind = (uint8_t)kind,
    };

    cairn_unit_pass(unit, &element);
}

void cairn_unit_release(struct cairn_etmv4_unit *unit)
{
    while (unit->held_count > 0) {
        const struct cairn_unit_element element = *held_at(unit, 0);

        if (!may_leave(unit, &element))
            return;
        cairn_unit_make_room(unit);
        if (unit->held_count == 0) /* lost in an overflow */
            return;
        unit->held_first++;
        unit->held_count--;
        cairn_unit_output(unit, &element);
    }
    unit->mode &= ~(uint32_t)CAIRN_MODE_HELD;
}

static bool is_p0(unsigned kind)
{
    return kind == CAIRN_ELEMENT_ATOM || kind == CAIRN_ELEMENT_EXCEPTION ||
           kind == CAIRN_ELEMENT_SOURCE_ADDRESS || kind == CAIRN_ELEMENT_Q;
}

struct cairn_unit_element *cairn_unit_find_held(const struct cairn_etmv4_unit *unit,
                                                uint64_t observation)
{
    for (size_t i = unit->held_count; i > 0; i--) {
        struct cairn_unit_element *element = held_at(unit, i - 1);

        if (is_p0(element->kind))
            return element->observation == observation ? element : NULL;
    }
    return NULL;
}

/* Drops what comes behind the first `count`, Events not. */
static void drop_from(struct cairn_etmv4_unit *unit, size_t count)
{
    size_t kept = count;

    for (size_t i = count; i < unit->held_count; i++)
        if (is_timeless(held_at(unit, i)->kind))
            *held_at(unit, kept++) = *held_at(unit, i);
    unit->held_count = kept;
    if (kept == 0)
        unit->mode &= ~(uint32_t)CAIRN_MODE_HELD;
}

/* How many elements there are up to the youngest P0 element. */
static size_t count_to_youngest(const struct cairn_etmv4_unit *unit)
{
    size_t count = unit->held_count;

    while (count > 0 && !is_p0(held_at(unit, count - 1)->kind))
        count--;
    return count;
}

void cairn_unit_drop_youngest(struct cairn_etmv4_unit *unit)
{
    const size_t count = count_to_youngest(unit);

    if (count > 0)
        drop_from(unit, count - 1);
}

void cairn_unit_drop_behind_youngest(struct cairn_etmv4_unit *unit)
{
    drop_from(unit, count_to_youngest(unit));
}

void cairn_unit_drop_held(struct cairn_etmv4_unit *unit, uint64_t mark)
{
    size_t first = unit->held_count;

    while (first > 0 && (is_timeless(held_at(unit, first - 1)->kind) ||
                         held_at(unit, first - 1)->observation >= mark))
        first--;
    for (size_t i = first; i < unit->held_count; i++)
        if (held_at(unit, i)->kind == CAIRN_ELEMENT_TRACE_INFO)
            unit->mode |= CAIRN_MODE_SYNC;
    drop_from(unit, first);
}

void cairn_unit_put_held_events(struct cairn_etmv4_unit *unit)
{
    for (size_t i = 0; i < unit->held_count; i++)
        if (held_at(unit, i)->kind == CAIRN_ELEMENT_EVENT)
            cairn_unit_output(unit, held_at(unit, i));
    unit->held_count = 0;
    unit->mode &= ~(uint32_t)CAIRN_MODE_HELD;
}

void cairn_unit_forget_held(struct cairn_etmv4_unit *unit)
{
    for (size_t i = 0; i < unit->held_count; i++)
        if (held_at(unit, i)->kind == CAIRN_ELEMENT_EVENT)
            unit->lost_events |= 1u << (held_at(unit, i)->data.value & 3u);
    unit->held_count = 0;
    unit->held_first = 0;
    unit->mode &= ~(uint32_t)CAIRN_MODE_HELD;
}
