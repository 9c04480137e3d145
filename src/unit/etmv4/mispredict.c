/* SPDX-License-Identifier: BSD-2-Clause */
/* A P0 instruction that went the other way (DDI0608 D6.9.14). */
#include "unit/etmv4/core.h"

/* What the P0 instruction in hand left to do is undone, as if it had been the other way at first.
 */
static void unfollow(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    if (path->last_pushed)
        cairn_unit_returns_undo(&path->returns, &path->last_push);
    if (!(path->owed & CAIRN_OWED_AGAIN))
        path->owed &= ~(uint32_t)(CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT);
}

/* An Atom that is held back never was the other way for a decoder. */
static void change_held_atom(struct cairn_etmv4_unit *unit, struct cairn_unit_element *element,
                             bool taken)
{
    struct cairn_unit_path *path = &unit->path;

    unfollow(unit);
    element->flags ^= CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E;
    cairn_unit_drop_behind_youngest(unit); /* an Exception Return */
    path->last_pushed = false;
    if (!taken)
        return;
    cairn_unit_push_return(unit, &path->last);
    cairn_unit_go(unit, &path->last);
}

/* Corrects an Atom that is out. */
static void correct_atom(struct cairn_etmv4_unit *unit, bool taken)
{
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_generate(unit, CAIRN_ELEMENT_MISPREDICT, 0, &(struct cairn_element_data){0});
    if (!(path->owed & CAIRN_OWED_AGAIN))
        path->owed &= ~(uint32_t)(CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT);
    /* Only what was E at first is pushed (R_NYHFH). */
    path->last_pushed = false;
    if (taken)
        cairn_unit_go(unit, &path->last);
}

/* Takes the youngest P0 element, of the last observation, back. False: it is resolved. */
static bool withdraw(struct cairn_etmv4_unit *unit)
{
    const uint64_t observation = cairn_unit_observation(unit);

    if (cairn_unit_find_held(unit, observation)) {
        cairn_unit_drop_youngest(unit);
        return true;
    }
    if (cairn_unit_uncount(unit, observation, 1) == 0)
        return false;
    cairn_unit_put(unit, CAIRN_ELEMENT_CANCEL, 0, &(struct cairn_element_data){.value = 1});
    return true;
}

static cairn_status correct(struct cairn_etmv4_unit *unit, bool taken)
{
    struct cairn_unit_element *held;

    switch ((enum cairn_unit_trace)unit->path.last_trace) {
    case CAIRN_TRACE_NOTHING: break;
    case CAIRN_TRACE_OMITTED: cairn_unit_correct_omitted(unit); break;
    case CAIRN_TRACE_SOURCE:
        if (!withdraw(unit)) /* nor can it become N (R_SCKBZ) */
            return CAIRN_E_ARGUMENT;
        unfollow(unit);
        cairn_unit_omit_again(unit);
        break;
    case CAIRN_TRACE_ATOM:
        held = cairn_unit_find_held(unit, cairn_unit_observation(unit));
        if (held)
            change_held_atom(unit, held, taken);
        else if (unit->program.maxspec > 0)
            correct_atom(unit, taken);
        else
            return CAIRN_E_ARGUMENT;
        break;
    case CAIRN_TRACE_Q: cairn_unit_correct_q(unit, taken); break;
    }
    return CAIRN_OK;
}

cairn_status cairn_etmv4_unit_mispredict(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct cairn_unit_path *path = &unit->path;
    const bool taken = !path->last_taken;

    if (!path->can_mispredict)
        return CAIRN_E_ARGUMENT;
    path->barrier = path->last_barrier;
    if (!(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE))) {
        const cairn_status status = correct(unit, taken);

        if (status != CAIRN_OK)
            return status;
    }
    cairn_unit_note_synchronization(unit, &path->last, taken);
    path->last_taken = taken;
    path->next = cairn_unit_follows(&path->last, taken);
    cairn_unit_end(unit);
    return CAIRN_OK;
}
