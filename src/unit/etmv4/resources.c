/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv4/resources.h"

#include "unit/etmv4/sequencer.h"

#define ALL_COUNTERS 0xfu
#define SEQUENCER_SHIFT 4 /* of group 2 */

/* TRCRSCTLR */
#define SELECT(selector) ((selector)&0xffffu)
#define GROUP(selector) ((selector) >> 16 & 0x7u)
#define INV(selector) ((selector) >> 20 & 1u)
#define PAIRINV(selector) ((selector) >> 21 & 1u)

/* --- connecting --- */

/* A selector other than 0 and 1. */
static struct cairn_resource_selector *
want(struct cairn_resource_logic *logic, const struct cairn_unit_program *program, unsigned number)
{
    const uint32_t value = program->selectors[number];
    struct cairn_resource_selector *selector = logic->selectors;

    while (selector < logic->selectors + logic->selector_count && selector->number != number)
        selector++;
    if (selector == logic->selectors + logic->selector_count) {
        logic->selector_count++;
        *selector = (struct cairn_resource_selector){.select = SELECT(value),
                                                     .group = GROUP(value),
                                                     .number = (uint8_t)number,
                                                     .inverted = INV(value)};
        logic->wanted[GROUP(value)] |= (uint16_t)SELECT(value);
    }
    return selector;
}

static void connect_pair(struct cairn_resource_logic *logic,
                         const struct cairn_unit_program *program, unsigned event, unsigned lower)
{
    struct cairn_resource_pair *pair = &logic->pairs[logic->pair_count++];

    *pair = (struct cairn_resource_pair){.events = 1u << event,
                                         .lower = (uint8_t)lower,
                                         .inverted = PAIRINV(program->selectors[lower])};
    for (unsigned number = lower; number < lower + 2; number++)
        if (number >= 2)
            (void)want(logic, program, number);
}

/* Selectors that are not there fire never. */
static bool exists(const struct cairn_unit_program *program, struct cairn_unit_selection selection)
{
    const unsigned lowest =
        selection.pair ? 2u * ((unsigned)selection.select & 15u) : selection.select;

    return lowest < 2 || lowest < program->selector_count;
}

static void connect(struct cairn_resource_logic *logic, const struct cairn_unit_program *program,
                    unsigned event, struct cairn_unit_selection selection)
{
    if ((!selection.pair && selection.select == 0) || !exists(program, selection))
        return;
    logic->any = true;
    if (selection.pair)
        connect_pair(logic, program, event, 2u * ((unsigned)selection.select & 15u));
    else if (selection.select == 1)
        logic->events_of_true |= 1u << event;
    else
        want(logic, program, (unsigned)selection.select & 31u)->events |= 1u << event;
}

/* A counter that another is chained to matters to it. */
static uint8_t with_lower(uint8_t observed, const struct cairn_unit_program *program)
{
    for (unsigned n = 1; n < CAIRN_UNIT_COUNTERS; n += 2)
        if (((unsigned)observed >> n & 1u) && program->counters[n].chained)
            observed |= (uint8_t)(1u << (n - 1));
    return observed;
}

void cairn_resources_connect(struct cairn_resource_logic *logic,
                             const struct cairn_unit_program *program, unsigned reported,
                             bool timestamps)
{
    struct cairn_resource_logic view = {0};

    *logic = (struct cairn_resource_logic){0};
    for (unsigned n = 0; n < CAIRN_UNIT_COUNTERS; n++) {
        connect(logic, program, CAIRN_EVENT_DECREMENT + n, program->decrements[n]);
        connect(logic, program, CAIRN_EVENT_RELOAD + n, program->reloads[n]);
    }
    for (unsigned n = 0; n < 3; n++) {
        connect(logic, program, CAIRN_EVENT_FORWARD + n, program->forwards[n]);
        connect(logic, program, CAIRN_EVENT_BACKWARD + n, program->backwards[n]);
    }
    connect(logic, program, CAIRN_EVENT_RESET, program->sequencer_reset);
    logic->moves = logic->any;
    for (unsigned n = 0; n < CAIRN_UNIT_ETE_EVENTS; n++)
        if (reported >> n & 1u)
            connect(logic, program, CAIRN_EVENT_ETE + n, program->events[n]);
    if (timestamps)
        connect(logic, program, CAIRN_EVENT_TIMESTAMP, program->timestamp_event);
    /* ViewInst asks for itself, when there is a block. */
    connect(&view, program, 0, program->view_event);
    logic->observed = with_lower(
        (uint8_t)(logic->wanted[CAIRN_GROUP_DERIVED] | view.wanted[CAIRN_GROUP_DERIVED]), program);
    for (unsigned n = 0; n < CAIRN_UNIT_SSCS; n++) {
        logic->wanted[CAIRN_GROUP_SACS] |= program->single_shots[n].sacs;
        logic->wanted[CAIRN_GROUP_ARCS] |= program->single_shots[n].arcs;
    }
}

/* --- one clock --- */

uint32_t cairn_resources_events(const struct cairn_resource_logic *logic,
                                const struct cairn_resource_lines *lines)
{
    uint32_t fires = lines->running ? 2 : 0; /* bit n: selector n; 0 is FALSE, 1 is TRUE */
    uint32_t events = lines->running ? logic->events_of_true : 0;

    for (uint32_t i = 0; i < logic->selector_count; i++) {
        const struct cairn_resource_selector *selector = &logic->selectors[i];
        const bool high = (lines->high[selector->group] & selector->select) != 0;

        if (high == selector->inverted)
            continue;
        fires |= 1u << selector->number;
        events |= selector->events;
    }
    for (uint32_t i = 0; i < logic->pair_count; i++) {
        const struct cairn_resource_pair *pair = &logic->pairs[i];

        if (((fires >> pair->lower & 3u) == 3u) != pair->inverted)
            events |= pair->events;
    }
    return events;
}

uint8_t cairn_resources_move(struct cairn_resource_state *state,
                             const struct cairn_unit_program *program, uint32_t events)
{
    const struct cairn_counters before = state->counters;
    const struct cairn_sequencer_events steps = {
        .forward = events >> CAIRN_EVENT_FORWARD & 7u,
        .backward = events >> CAIRN_EVENT_BACKWARD & 7u,
        .reset = events >> CAIRN_EVENT_RESET & 1u,
    };
    uint8_t changed = 0;
    unsigned derived = cairn_counters_evaluate(&state->counters, program->counters,
                                               cairn_resources_counter_events(events), &changed);

    derived |= (unsigned)cairn_sequencer_evaluate(&state->sequencer, steps) << SEQUENCER_SHIFT;
    state->derived = (uint8_t)derived;
    for (unsigned n = 0; n < CAIRN_UNIT_COUNTERS; n++)
        if (before.value[n] != 0 && state->counters.value[n] == 0)
            changed |= (uint8_t)(1u << n);
    return changed;
}

void cairn_resources_begin(struct cairn_resource_state *state,
                           const struct cairn_unit_program *program)
{
    (void)cairn_resources_move(state, program, 0);
}
