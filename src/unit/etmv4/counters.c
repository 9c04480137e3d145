/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv4/counters.h"

#include <stddef.h>

/* EvalCounter (D7.7.2). */
static bool evaluate(uint16_t *value, const struct cairn_counter_program *program, bool CNTEVENT,
                     bool RLDEVENT, bool lower_reloads, bool *resource_active)
{
    const bool zero = *value == 0;
    const bool dec_action = CNTEVENT || (program->chained && lower_reloads);
    const bool reload = RLDEVENT || (program->self_reload && dec_action && zero);

    *resource_active = zero && (!program->self_reload || (dec_action && !RLDEVENT));
    if (reload)
        *value = program->reload_value;
    else if (dec_action && !zero)
        --*value;
    return reload;
}

uint8_t cairn_counters_evaluate(struct cairn_counters *counters,
                                const struct cairn_counter_program program[CAIRN_UNIT_COUNTERS],
                                struct cairn_counter_events events, uint8_t *reloads)
{
    unsigned at_zero = 0;
    unsigned reload = 0;

    for (unsigned n = 0; n < CAIRN_UNIT_COUNTERS; n++) {
        /* Counter 1 follows 0, and 3 follows 2 (R_WPQD, R_GYKGZ). */
        const bool lower_reloads = n % 2 == 1 && (reload >> (n - 1) & 1u);
        bool active;

        if (evaluate(&counters->value[n], &program[n], (unsigned)events.decrement >> n & 1u,
                     (unsigned)events.reload >> n & 1u, lower_reloads, &active))
            reload |= 1u << n;
        at_zero |= (unsigned)active << n;
    }
    if (reloads)
        *reloads = (uint8_t)reload;
    return (uint8_t)at_zero;
}

uint8_t cairn_counters_at_rest(const struct cairn_counters *counters,
                               const struct cairn_counter_program program[CAIRN_UNIT_COUNTERS])
{
    struct cairn_counters copy = *counters;

    return cairn_counters_evaluate(&copy, program, (struct cairn_counter_events){0}, NULL);
}

/* --- many clocks with the same events --- */

/* A counter under events that stay as they are. */
struct steady {
    bool decrements; /* dec_action is active in every clock */
    bool reloads;    /* the counter reloads in every clock */
};

static struct steady find_steady(const struct cairn_counters *counters,
                                 const struct cairn_counter_program *program,
                                 struct cairn_counter_events events, unsigned n)
{
    struct steady steady = {.decrements = (unsigned)events.decrement >> n & 1u};
    const bool RLDEVENT = (unsigned)events.reload >> n & 1u;

    if (n % 2 == 1 && program[n].chained && find_steady(counters, program, events, n - 1).reloads)
        steady.decrements = true;
    steady.reloads = RLDEVENT || (program[n].self_reload && steady.decrements &&
                                  counters->value[n] == 0 && program[n].reload_value == 0);
    return steady;
}

/* The same for one counter. */
static uint64_t steady_for(const struct cairn_counters *counters,
                           const struct cairn_counter_program *program,
                           struct cairn_counter_events events, unsigned n, bool at_zero)
{
    const struct steady steady = find_steady(counters, program, events, n);
    const uint16_t value = counters->value[n];
    const bool RLDEVENT = (unsigned)events.reload >> n & 1u;
    bool next;

    if (value != 0) {
        if (at_zero)
            return 0;
        if (RLDEVENT) /* then it is the reload value, clock after clock */
            return program[n].reload_value != 0 || program[n].self_reload ? UINT64_MAX : 0;
        return steady.decrements ? value : UINT64_MAX;
    }
    next = !program[n].self_reload || (steady.decrements && !RLDEVENT);
    if (next != at_zero)
        return 0;
    if (RLDEVENT)
        return program[n].reload_value == 0 || program[n].self_reload ? UINT64_MAX : 0;
    if (program[n].self_reload && steady.decrements)
        return program[n].reload_value == 0 ? UINT64_MAX : 0;
    return UINT64_MAX;
}

uint64_t cairn_counters_steady(const struct cairn_counters *counters,
                               const struct cairn_counter_program program[CAIRN_UNIT_COUNTERS],
                               struct cairn_counter_events events, uint8_t observed,
                               uint8_t at_zero)
{
    uint64_t least = UINT64_MAX;

    for (unsigned n = 0; n < CAIRN_UNIT_COUNTERS; n++) {
        uint64_t clocks;

        if (!((unsigned)observed >> n & 1u))
            continue;
        clocks = steady_for(counters, program, events, n, (unsigned)at_zero >> n & 1u);
        if (clocks < least)
            least = clocks;
    }
    return least;
}

/* So many decrements of a counter that RLDEVENT leaves alone. Returns how often it reloaded. */
static uint64_t decrement(uint16_t *value, const struct cairn_counter_program *program,
                          uint64_t times)
{
    const uint64_t period = (uint64_t)program->reload_value + 1;
    uint64_t reloads;

    if (times <= *value) {
        *value = (uint16_t)(*value - times);
        return 0;
    }
    if (!program->self_reload) {
        *value = 0;
        return 0;
    }
    times -= (uint64_t)*value + 1; /* those until it has reloaded for the first time */
    reloads = 1 + times / period;
    *value = (uint16_t)(program->reload_value - times % period);
    return reloads;
}

uint8_t cairn_counters_advance(struct cairn_counters *counters,
                               const struct cairn_counter_program program[CAIRN_UNIT_COUNTERS],
                               struct cairn_counter_events events, uint64_t clocks)
{
    uint64_t reloads = 0; /* of the counter before this one */
    unsigned changed = 0;

    if (clocks == 0)
        return 0;
    for (unsigned n = 0; n < CAIRN_UNIT_COUNTERS; n++) {
        const uint16_t before = counters->value[n];
        uint64_t times = 0;

        if ((unsigned)events.decrement >> n & 1u)
            times = clocks;
        else if (n % 2 == 1 && program[n].chained)
            times = reloads;
        if ((unsigned)events.reload >> n & 1u) {
            counters->value[n] = program[n].reload_value;
            reloads = clocks;
        } else {
            reloads = decrement(&counters->value[n], &program[n], times);
        }
        if (reloads > 0 || (before != 0 && counters->value[n] == 0))
            changed |= 1u << n;
    }
    return (uint8_t)changed;
}
