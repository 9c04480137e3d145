/* SPDX-License-Identifier: BSD-2-Clause */
/* What a decoder has to know before the next P0 element: Trace On, Transaction Start, Target
 * Address and Context (DDI0608 D6.9.9, D6.9.12, D6.9.13, D6.9.17). */
#include "unit/etmv4/core.h"

void cairn_unit_put_place(struct cairn_etmv4_unit *unit, unsigned kind,
                          struct cairn_unit_place place, uint64_t value)
{
    const uint8_t sub_isa = cairn_unit_sub_isa(place.isa);
    const struct cairn_element_data data = {
        .address = cairn_unit_wrap(place.isa, place.address) & ~(uint64_t)(sub_isa ? 1 : 3),
        .sub_isa = sub_isa,
        .value = value,
    };

    cairn_unit_generate(unit, kind, 0, &data);
}

/* The context as Context elements have it: identifiers that are not traced count as 0. */
static struct cairn_context traced_context(const struct cairn_etmv4_unit *unit)
{
    struct cairn_context context = unit->path.context;

    context.sbz = 0;
    if (!unit->program.context_id)
        context.context_id = 0;
    if (!unit->program.vmid || !unit->program.vmid_allowed)
        context.vmid = 0;
    return context;
}

static bool same_context(const struct cairn_context *a, const struct cairn_context *b)
{
    return a->EL == b->EL && a->security == b->security && a->SF == b->SF && a->vmid == b->vmid &&
           a->context_id == b->context_id;
}

static bool has_changed(const struct cairn_etmv4_unit *unit)
{
    const struct cairn_context context = traced_context(unit);

    return !same_context(&context, &unit->path.told);
}

static void put_told(struct cairn_etmv4_unit *unit)
{
    cairn_unit_generate(unit, CAIRN_ELEMENT_CONTEXT, 0,
                        &(struct cairn_element_data){.context = unit->path.told});
    unit->path.owed &= ~(uint32_t)CAIRN_OWED_CONTEXT;
}

/* The context of what is executed from here on. */
static void tell_context(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    if ((path->owed & CAIRN_OWED_CONTEXT) || has_changed(unit)) {
        path->told = traced_context(unit);
        put_told(unit);
    }
    path->owed &= ~(uint32_t)CAIRN_OWED_CHANGE;
}

/* The target of the youngest P0 element: the first block behind it has decided it. */
static void tell_target(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;
    const bool matches = unit->return_limit > 0 && !(path->owed & CAIRN_OWED_EXPLICIT) &&
                         cairn_unit_returns_match(&path->returns, path->target.address,
                                                  cairn_unit_sub_isa(path->target.isa));

    /* Where the target may have matched before, for a decoder it will not have. */
    if ((path->owed & CAIRN_OWED_AGAIN) && path->blocks > 0)
        cairn_unit_returns_clear(&path->returns);
    if (!matches)
        cairn_unit_put_place(unit, CAIRN_ELEMENT_TARGET_ADDRESS, path->target, 0);
    path->owed &= ~(uint32_t)(CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT | CAIRN_OWED_AGAIN);
}

/* Where N Atoms were left out it is in front of them. */
void cairn_unit_introduce_again(struct cairn_etmv4_unit *unit)
{
    unit->is_late = unit->path.omitted > 0;
    unit->late_observation = unit->path.omitted_first;
    if (unit->path.owed & CAIRN_OWED_TARGET)
        tell_target(unit);
    if (unit->path.owed & CAIRN_OWED_CONTEXT)
        put_told(unit);
    unit->is_late = false;
}

/* A Cancel took execution back to a place behind blocks that no P0 element tells (R_KDVTX). */
void cairn_unit_land(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    if (!(path->owed & CAIRN_OWED_LANDING))
        return;
    path->owed &= ~(uint32_t)CAIRN_OWED_LANDING;
    cairn_unit_introduce_again(unit);
    cairn_unit_put_place(unit, CAIRN_ELEMENT_EXCEPTION, path->landing,
                         CAIRN_EXCEPTION_IMPLEMENTATION_DEFINED);
    path->blocks = 0;
    path->omitted = 0;
    path->owed |= CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT | CAIRN_OWED_CHANGE;
}

static void turn_on(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_generate(unit, CAIRN_ELEMENT_TRACE_ON, 0, &(struct cairn_element_data){0});
    cairn_unit_returns_clear(&path->returns);
    path->blocks = 0;
    path->omitted = 0;
    path->owed &= ~(uint32_t)CAIRN_OWED_TRACE_ON;
    path->owed |= CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT | CAIRN_OWED_CHANGE;
}

/* Up to the address, which a Target Address names if none of the blocks behind the youngest P0
 * element was traced so far. */
static void introduce(struct cairn_etmv4_unit *unit, struct cairn_unit_place place)
{
    struct cairn_unit_path *path = &unit->path;

    if (path->owed & CAIRN_OWED_TRACE_ON)
        turn_on(unit);
    if (path->blocks > 0) {
        cairn_unit_introduce_again(unit);
        return;
    }
    path->target = place;
    if (path->owed & CAIRN_OWED_TARGET)
        tell_target(unit);
}

/* It may be a P0 element, so that address and context come before it (R_KMFKP). */
static void start_transaction(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    if (!(path->owed & CAIRN_OWED_START))
        return;
    path->owed &= ~(uint32_t)CAIRN_OWED_START;
    path->started = true;
    cairn_unit_generate(unit, CAIRN_ELEMENT_TRANSACTION_START, 0, &(struct cairn_element_data){0});
}

void cairn_unit_introduce_block(struct cairn_etmv4_unit *unit, struct cairn_unit_place place)
{
    struct cairn_unit_path *path = &unit->path;

    /* They ran in the old context, and before what a synchronisation tells. */
    if (path->omitted > 0 &&
        ((unit->mode & CAIRN_MODE_SYNC) || ((path->owed & CAIRN_OWED_CHANGE) && has_changed(unit))))
        cairn_unit_give_omitted(unit);
    if (unit->mode & CAIRN_MODE_SYNC)
        cairn_unit_serve_sync(unit);
    cairn_unit_land(unit);
    introduce(unit, place);
    if (path->owed & (CAIRN_OWED_CONTEXT | CAIRN_OWED_CHANGE))
        tell_context(unit);
    start_transaction(unit);
}

/* A context that changed behind the last block is that of the exception's target only (I_WTSTB). */
void cairn_unit_introduce_exception(struct cairn_etmv4_unit *unit, struct cairn_unit_place place)
{
    struct cairn_unit_path *path = &unit->path;

    if (unit->mode & CAIRN_MODE_SYNC)
        cairn_unit_serve_sync(unit);
    path->owed &= ~(uint32_t)CAIRN_OWED_LANDING;
    introduce(unit, place);
    if (path->blocks == 0 && (path->owed & (CAIRN_OWED_CONTEXT | CAIRN_OWED_CHANGE)))
        tell_context(unit);
    start_transaction(unit);
}
