/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace protocol synchronisation (DDI0608 D1.9) and trace unit buffer overflow (D6.4). */
#include "unit/etmv4/core.h"

#define INFO_CC 0x01u
#define INFO_T 0x40u
#define EVENTS 4u

static const struct cairn_element_data nothing;

void cairn_unit_put_trace_info(struct cairn_etmv4_unit *unit)
{
    const bool counts = unit->program.cycle_counting;
    const struct cairn_element_data data = {
        .info = (uint8_t)((counts ? INFO_CC : 0) | (unit->start_out ? INFO_T : 0)),
        .value = unit->p0_count,
        .cycles = counts ? unit->program.cycle_threshold : 0,
    };

    cairn_unit_put(unit, CAIRN_ELEMENT_TRACE_INFO, 0, &data);
    cairn_unit_request_timestamp(unit);
    unit->sync_at = unit->program.sync_period > 0
                        ? cairn_unit_generated(unit) + unit->program.sync_period
                        : UINT64_MAX;
    unit->fresh = unit->atoms + unit->elements;
    cairn_unit_set_limit(unit);
}

void cairn_unit_start_sync(struct cairn_etmv4_unit *unit)
{
    unit->unsynchronised = false;
    cairn_unit_put(unit, CAIRN_ELEMENT_A_SYNC, 0, &nothing);
    cairn_unit_put_trace_info(unit);
}

/* Context and Target Address follow at once, since they are owed before anything else. */
void cairn_unit_serve_sync(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    unit->mode &= ~(uint32_t)CAIRN_MODE_SYNC;
    if (unit->unsynchronised)
        return;
    unit->sync_at = UINT64_MAX; /* until it is out */
    cairn_unit_generate(unit, CAIRN_ELEMENT_A_SYNC, 0, &nothing);
    cairn_unit_generate(unit, CAIRN_ELEMENT_TRACE_INFO, 0, &nothing);
    path->syncs = ++unit->syncs;
    cairn_unit_returns_clear(&path->returns);
    path->owed |= CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT | CAIRN_OWED_CONTEXT;
}

/* With nothing new since the last one there is nothing to synchronise (I_QYQRY). */
void cairn_etmv4_unit_request_sync(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    if (!(unit->mode & CAIRN_MODE_DISABLED) && unit->atoms + unit->elements != unit->fresh)
        unit->mode |= CAIRN_MODE_SYNC;
}

void cairn_unit_become_operative(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    unit->mode &= ~(uint32_t)(CAIRN_MODE_INOPERATIVE | CAIRN_MODE_SYNC);
    unit->unsynchronised = true;
    unit->sync_at = UINT64_MAX;
    unit->stamp.valid = false;
    path->syncs = ++unit->syncs;
    path->sessions = ++unit->sessions;
    path->owed &= CAIRN_PATH_STATES;
    path->owed |= CAIRN_OWED_TRACE_ON | CAIRN_OWED_CONTEXT;
    path->started = false;
    if (path->in_transaction)
        path->owed |= CAIRN_OWED_START;
    path->blocks = 0;
    path->omitted = 0;
    path->q = 0;
    cairn_unit_set_limit(unit);
}

/* --- overflow --- */

uint64_t cairn_unit_fifo_level(const struct cairn_etmv4_unit *unit)
{
    return cairn_unit_generated(unit) - unit->fifo_left;
}

void cairn_unit_make_room(struct cairn_etmv4_unit *unit)
{
    if ((unit->mode & CAIRN_MODE_INOPERATIVE) || !cairn_unit_lacks_room(unit))
        return;
    if (unit->taker.port)
        cairn_unit_offer_bytes(unit, 0);
    if (cairn_unit_lacks_room(unit) && !cairn_unit_wait_for_room(unit))
        cairn_unit_overflow(unit);
}

void cairn_unit_overflow(struct cairn_etmv4_unit *unit)
{
    if (unit->mode & CAIRN_MODE_INOPERATIVE)
        return;
    unit->counters.overflows++;
    cairn_unit_see_cut(&unit->base.sight);
    cairn_unit_forget_held(unit);
    cairn_unit_commit_all(unit);
    unit->lost_p0 = unit->p0_count > 0 || unit->cancel_owed > 0 || unit->start_out;
    unit->cancel_owed = 0;
    if (unit->start_out)
        cairn_unit_put(unit, CAIRN_ELEMENT_TRANSACTION_FAILURE, 0, &nothing);
    unit->start_out = false;
    cairn_unit_forget_p0s(unit);
    if (!unit->unsynchronised)
        cairn_unit_pack(unit);
    unit->mode |= CAIRN_MODE_INOPERATIVE;
    unit->mode &= ~(uint32_t)CAIRN_MODE_REQUEST;
    unit->count_unknown = true;
    unit->path.owed |= CAIRN_OWED_TRACE_ON;
    if (!(unit->choices & CAIRN_UNIT_OVERFLOW_KEEPS_TA))
        unit->path.traced = false;
}

void cairn_unit_recover(struct cairn_etmv4_unit *unit)
{
    if (!(unit->mode & CAIRN_MODE_INOPERATIVE) ||
        (unit->fifo_bytes > 0 && cairn_unit_fifo_level(unit) > 0))
        return;
    for (uint64_t i = 0; i < EVENTS; i++)
        if (unit->lost_events >> i & 1u)
            cairn_unit_put(unit, CAIRN_ELEMENT_EVENT, 0, &(struct cairn_element_data){.value = i});
    unit->lost_events = 0;
    if (unit->lost_p0)
        cairn_unit_put(unit, CAIRN_ELEMENT_DISCARD, 0, &nothing);
    cairn_unit_put(unit, CAIRN_ELEMENT_OVERFLOW, 0, &nothing);
    cairn_unit_pack(unit);
    cairn_unit_become_operative(unit);
    cairn_unit_request_timestamp(unit);
}
