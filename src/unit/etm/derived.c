/* SPDX-License-Identifier: BSD-2-Clause */
/* Events, counters and the sequencer. */
#include "unit/etm/derived.h"

#define RESOURCE 0x7fu
#define B_SHIFT 7
#define FUNCTION_SHIFT 14
#define TRANSITIONS 6u

bool cairn_etm_function(uint32_t event, cairn_etm_is_active *is_active, const void *resources)
{
    const bool a = is_active(resources, event & RESOURCE);
    const bool b = is_active(resources, event >> B_SHIFT & RESOURCE);

    switch (event >> FUNCTION_SHIFT & 7) {
    case 0: return a;
    case 1: return !a;
    case 2: return a && b;
    case 3: return !a && b;
    case 4: return !a && !b;
    case 5: return a || b;
    case 6: return !a || b;
    default: return !a || !b;
    }
}

static uint16_t next_count(uint16_t count, uint16_t reload_value, bool reloads, bool enabled)
{
    if (reloads)
        return reload_value;
    return (uint16_t)(count - (enabled && count > 0));
}

static uint8_t next_state(uint8_t state, const uint32_t *transitions,
                          cairn_etm_is_active *is_active, const void *resources)
{
    /* Of each state two transitions: where to, and the register. */
    static const struct {
        uint8_t to[2], event[2];
    } table[] = {{{1, 2}, {0, 5}}, {{0, 2}, {1, 2}}, {{0, 1}, {3, 4}}};
    const bool first = cairn_etm_function(transitions[table[state].event[0]], is_active, resources);
    const bool second =
        cairn_etm_function(transitions[table[state].event[1]], is_active, resources);

    return first == second ? state : table[state].to[first ? 0 : 1];
}

struct cairn_etm_derived cairn_etm_derived_next(const struct cairn_etm_derived *now,
                                                const struct cairn_etm_derived_program *program,
                                                cairn_etm_is_active *is_active,
                                                const void *resources)
{
    struct cairn_etm_derived next;

    for (unsigned n = 0; n < CAIRN_ETM_COUNTERS; n++) {
        const bool reduced = program->reduced && n == 0;
        const bool reloads = reduced
                                 ? now->counters[n] == 0
                                 : cairn_etm_function(program->reloads[n], is_active, resources);
        const bool enabled =
            reduced || cairn_etm_function(program->enables[n], is_active, resources);

        next.counters[n] =
            next_count(now->counters[n], (uint16_t)program->reload_values[n], reloads, enabled);
    }
    next.sequencer = next_state(now->sequencer, program->transitions, is_active, resources);
    return next;
}

bool cairn_etm_derived_moves(const struct cairn_etm_derived_program *program)
{
    if (program->reduced)
        return true;
    for (unsigned n = 0; n < CAIRN_ETM_COUNTERS; n++)
        if ((program->enables[n] & CAIRN_ETM_EVENT) != CAIRN_ETM_NEVER ||
            program->reloads[n] != CAIRN_ETM_NEVER)
            return true;
    for (unsigned n = 0; n < TRANSITIONS; n++)
        if (program->transitions[n] != CAIRN_ETM_NEVER)
            return true;
    return false;
}
