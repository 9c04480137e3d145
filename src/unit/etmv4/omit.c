/* SPDX-License-Identifier: BSD-2-Clause */
/* N Atoms that are left out (DDI0608 R_SRYKV, R_TZZRH): a Source Address or Exception behind them
 * says as much. Where neither comes they are generated after all, late. */
#include "unit/etmv4/core.h"

static bool is_on(const struct cairn_etmv4_unit *unit)
{
    return unit->program.is_ete && (unit->choices & CAIRN_UNIT_OMIT_NOT_TAKEN);
}

/* One more, at the end of the block in path->last. */
static void leave_out(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    if (path->omitted == 0)
        path->omitted_first = cairn_unit_observation(unit);
    path->omitted++;
    path->blocks++;
    path->omitted_blocks = path->blocks;
    path->instructions = 0;
    path->omitted_next = cairn_unit_follows(&path->last, false);
    path->late_time = unit->time;
    path->late_clock = unit->clock;
    path->last_trace = CAIRN_TRACE_OMITTED;
}

bool cairn_unit_omit(struct cairn_etmv4_unit *unit)
{
    if (!is_on(unit))
        return false;
    leave_out(unit);
    return true;
}

/* How many of the N Atoms in hand are left out in an older path. */
static uint32_t left_out_in(const struct cairn_unit_path *older, const struct cairn_unit_path *path)
{
    return older->omitted > 0 && older->omitted_first == path->omitted_first ? older->omitted : 0;
}

/* `barrier` is that of then: what was told since may be taken back, and with it a newer one. */
static void put_late(struct cairn_etmv4_unit *unit, uint64_t observation, uint64_t barrier)
{
    const struct cairn_unit_element element = {
        .kind = CAIRN_ELEMENT_ATOM,
        .observation = observation,
        .barrier = barrier,
        .time = unit->path.late_time,
        .clock = unit->path.late_clock,
        .late = true,
    };

    cairn_unit_pass(unit, &element);
}

/* They have been told, with all that had to come before them. */
static void settle(struct cairn_unit_path *path)
{
    path->owed &= ~(uint32_t)CAIRN_OWED_ANEW;
    path->omitted = 0;
    path->blocks -= path->omitted_blocks;
    path->target = path->omitted_next;
    if (path->blocks == 0)
        path->owed &= ~(uint32_t)CAIRN_OWED_LANDING;
    if (path->last_trace == CAIRN_TRACE_OMITTED)
        path->last_trace = CAIRN_TRACE_ATOM;
}

/* Each belongs to its own observation, which the paths that are kept tell. */
void cairn_unit_give_omitted(struct cairn_etmv4_unit *unit)
{
    const struct cairn_unit_path run = unit->path;
    const uint64_t end = unit->saved_first + unit->saved_count;
    uint64_t mark = unit->saved_count > 0 ? unit->saved_first : unit->told;
    uint32_t given = 0;

    if (run.omitted == 0)
        return;
    cairn_unit_introduce_again(unit);
    for (; mark < end; mark++) {
        struct cairn_unit_path *older = cairn_unit_saved(unit, mark);
        const uint32_t count = left_out_in(older, &run);

        for (; given < count; given++)
            put_late(unit, mark - 1, older->barrier);
        if (count > 0)
            settle(older);
    }
    for (; given < run.omitted; given++)
        put_late(unit, unit->told - 1, unit->path.barrier);
    settle(&unit->path);
}

/* The taken branch behind N Atoms that were left out is told with a Source Address (R_NTMM). */
void cairn_unit_correct_omitted(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;
    const struct cairn_block *block = &path->last;

    path->owed &= ~(uint32_t)CAIRN_OWED_LANDING; /* the Source Address tells as much */
    cairn_unit_introduce_again(unit);
    cairn_unit_put_place(unit, CAIRN_ELEMENT_SOURCE_ADDRESS, cairn_unit_last_instruction(block), 0);
    path->blocks = 0;
    path->omitted = 0;
    path->last_trace = CAIRN_TRACE_SOURCE;
    cairn_unit_push_return(unit, block);
    cairn_unit_go(unit, block);
}

void cairn_unit_omit_again(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    path->omitted = path->last_omitted;
    path->omitted_first = path->last_omitted_first;
    path->blocks = path->last_blocks;
    leave_out(unit);
}
