/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv4/periods.h"

#include <string.h>

#define SEQUENCER CAIRN_UNIT_COUNTERS

static bool only_counted(const struct cairn_periods *periods, const struct cairn_period_mark *mark,
                         unsigned counter)
{
    return periods->changes[counter] == mark->changes[counter];
}

static bool repeats(const struct cairn_periods *periods, const struct cairn_period_mark *mark,
                    const struct cairn_resource_state *state, uint32_t seen)
{
    if (mark->limit == 0 || mark->seen != seen || mark->state.derived != state->derived ||
        mark->state.sequencer != state->sequencer)
        return false;
    for (unsigned n = 0; n < CAIRN_UNIT_COUNTERS; n++)
        if (mark->state.counters.value[n] != state->counters.value[n] &&
            !only_counted(periods, mark, n))
            return false;
    return true;
}

/* Goes round as often as it can. Returns how many clocks that took. */
static uint64_t go_round(const struct cairn_period_mark *mark, struct cairn_resource_state *state,
                         uint64_t left)
{
    const uint64_t period = mark->left - left;
    uint64_t times = left / period;

    for (unsigned n = 0; n < CAIRN_UNIT_COUNTERS; n++) {
        const uint16_t value = state->counters.value[n];
        const uint16_t down = (uint16_t)(mark->state.counters.value[n] - value);

        if (down != 0 && times > (value - 1u) / down)
            times = (value - 1u) / down;
    }
    for (unsigned n = 0; n < CAIRN_UNIT_COUNTERS; n++) {
        const uint16_t value = state->counters.value[n];
        const uint16_t down = (uint16_t)(mark->state.counters.value[n] - value);

        state->counters.value[n] = (uint16_t)(value - times * down);
    }
    return times * period;
}

/* A mark is kept for twice as long as the one before, so that any period is found. */
static void set_mark(const struct cairn_periods *periods, struct cairn_period_mark *mark,
                     const struct cairn_resource_state *state, uint32_t seen, uint64_t left)
{
    if (mark->laps++ < mark->limit)
        return;
    mark->limit = mark->limit == 0 ? 1 : 2 * (mark->limit & UINT32_C(0x3fffffff));
    mark->laps = 0;
    mark->state = *state;
    mark->left = left;
    mark->seen = seen;
    memcpy(mark->changes, periods->changes, sizeof mark->changes);
}

static uint64_t look(struct cairn_periods *periods, struct cairn_period_mark *mark,
                     struct cairn_resource_state *state, uint32_t seen, uint64_t left)
{
    if (repeats(periods, mark, state, seen)) {
        const uint64_t skipped = go_round(mark, state, left);

        if (skipped > 0) {
            mark->limit = 0;
            mark->laps = 0;
            return skipped;
        }
    }
    set_mark(periods, mark, state, seen, left);
    return 0;
}

uint64_t cairn_periods_skip(struct cairn_periods *periods, struct cairn_resource_state *state,
                            uint8_t changed, uint32_t seen, uint64_t left)
{
    uint64_t skipped = 0;

    for (uint32_t counters = changed; counters != 0; counters &= counters - 1)
        periods->changes[__builtin_ctz(counters)]++;
    if (changed == 0) {
        if (left > 0)
            skipped = look(periods, &periods->marks[SEQUENCER], state, seen, left);
        return skipped;
    }
    periods->marks[SEQUENCER].limit = 0;
    periods->marks[SEQUENCER].laps = 0;
    for (uint32_t counters = changed; counters != 0 && skipped < left; counters &= counters - 1)
        skipped +=
            look(periods, &periods->marks[__builtin_ctz(counters)], state, seen, left - skipped);
    return skipped;
}
