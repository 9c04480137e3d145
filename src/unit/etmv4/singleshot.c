/* SPDX-License-Identifier: BSD-2-Clause */
/* Single-shot comparator controls (DDI0608 D7.9): a match waits until its instruction is known to be
 * executed architecturally. Whether it passed its condition makes no difference (R_VTWXJ). */
#include "unit/etmv4/core.h"

void cairn_unit_shots_fire(struct cairn_etmv4_unit *unit, unsigned matches)
{
    struct cairn_unit_clock *present = &unit->present;
    const unsigned ready = matches & (unit->program.multi_shots | ~(unsigned)present->fired);

    if (matches == 0 || (unit->mode & CAIRN_MODE_DISABLED))
        return;
    if (!present->running) { /* R_GBDCK, R_TQHNK */
        present->pending |=
            (uint8_t)(unit->choices & CAIRN_UNIT_PENDING_AFTER_FIRED ? matches : ready);
        return;
    }
    if (ready == 0)
        return;
    present->fired |= (uint8_t)ready;
    present->lines.high[CAIRN_GROUP_SINGLE_SHOTS] |= (uint16_t)ready;
    present->told = true;
    unit->mode |= CAIRN_MODE_CLOCK;
}

void cairn_unit_shots_executed(struct cairn_etmv4_unit *unit, unsigned matches)
{
    if (matches == 0)
        return;
    if (unit->speculative && unit->saved_count > 0)
        cairn_unit_saved(unit, cairn_unit_observation(unit))->matches |= (uint8_t)matches;
    else
        cairn_unit_shots_fire(unit, matches);
}

void cairn_unit_shots_resolve(struct cairn_etmv4_unit *unit, uint64_t mark)
{
    struct cairn_unit_clock *present = &unit->present;
    unsigned matches = 0;

    if (unit->program.shots_used == 0)
        return;
    if (present->given_up != 0 && mark >= present->given_up_until) {
        matches = present->given_up;
        present->given_up = 0;
    }
    for (uint64_t i = 0; i < unit->saved_count && unit->saved_first + i < mark; i++)
        matches |= cairn_unit_saved(unit, unit->saved_first + i)->matches;
    cairn_unit_shots_fire(unit, matches);
}

/* Nothing of it can be taken back any more; all of it waits until all is resolved. */
void cairn_unit_shots_give_up(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_clock *present = &unit->present;

    for (uint64_t i = 0; i < unit->saved_count; i++)
        present->given_up |= cairn_unit_saved(unit, unit->saved_first + i)->matches;
    present->given_up_until = unit->told;
}

void cairn_unit_shots_forget(struct cairn_etmv4_unit *unit)
{
    for (uint64_t i = 0; i < unit->saved_count; i++) {
        struct cairn_unit_path *saved = cairn_unit_saved(unit, unit->saved_first + i);

        saved->matches = 0;
        saved->transaction_matches = 0;
    }
    unit->path.transaction_matches = 0;
    unit->present.given_up = 0;
}
