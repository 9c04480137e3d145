/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the PE, which decides what is observed at all (DDI0608 D6.3, D6.6.6). */
#include "unit/etmv4/core.h"

void cairn_etmv4_unit_context(struct cairn_unit *base, const struct cairn_context *context)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_begin(unit);
    path->context = *context;
    path->owed |= CAIRN_OWED_CHANGE;
}

void cairn_etmv4_unit_synchronize_context(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    cairn_unit_begin(unit);
    cairn_unit_synchronize(unit);
}

void cairn_etmv4_unit_prohibit(struct cairn_unit *base, bool prohibited)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_begin(unit);
    if (prohibited == ((path->owed & CAIRN_PATH_PROHIBITED) != 0))
        return;
    if (prohibited) {
        cairn_unit_pause_resources(unit);
        if (unit->choices & CAIRN_UNIT_PROHIBITED_FORGETS_MATCHES)
            path->transaction_matches = 0;
    }
    if (!prohibited) {
        path->owed &= ~(uint32_t)CAIRN_PATH_PROHIBITED;
        cairn_unit_synchronize(unit); /* R_YGGGJ */
        cairn_unit_resume_resources(unit);
        return;
    }
    if (!(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE))) {
        cairn_unit_settle_path(unit);
        cairn_unit_land(unit);
        cairn_unit_fail_started(unit);
        cairn_unit_commit_all(unit);
    }
    cairn_unit_lose_path(unit);
    path->owed |= CAIRN_PATH_PROHIBITED;
}

void cairn_etmv4_unit_debug_state(struct cairn_unit *base, bool debug)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_begin(unit);
    if (debug == ((path->owed & CAIRN_PATH_DEBUG) != 0))
        return;
    if (!debug) {
        path->owed &= ~(uint32_t)CAIRN_PATH_DEBUG;
        return;
    }
    if (!(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE))) {
        cairn_unit_settle_path(unit);
        cairn_unit_commit_all(unit);
        cairn_unit_pack(unit); /* a debugger wants to see how it came to this (I_NHBMZ) */
        cairn_unit_drain(unit);
    }
    cairn_unit_lose_path(unit);
    path->owed |= CAIRN_PATH_DEBUG;
}

/* Where the PE is back there, the resources may run or not. */
cairn_status cairn_etmv4_unit_cancel(struct cairn_unit *base, uint64_t mark)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    cairn_unit_see_end(&unit->base.sight);

    const cairn_status status = cairn_unit_take_back(unit, mark);

    if (status != CAIRN_OK)
        return status;
    if (unit->path.owed & CAIRN_PATH_PROHIBITED)
        cairn_unit_pause_resources(unit);
    else
        cairn_unit_resume_resources(unit);
    return CAIRN_OK;
}
