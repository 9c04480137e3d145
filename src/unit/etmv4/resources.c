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

static void want(struct cairn_resource_logic *logic, const struct cairn_unit_program *program,
                 unsigned selector)
{
    const uint32_t value = program->selectors[selector];

    if (selector < 2)
        return;
    logic->selectors |= 1u << selector;
    logic->wanted[GROUP(value)] |= (uint16_t)SELECT(value);
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
    logic->events[logic->count].event = (uint8_t)event;
    logic->events[logic->count++].selection = selection;
    if (selection.pair) {
        want(logic, program, 2u * ((unsigned)selection.select & 15u));
        want(logic, program, 2u * ((unsigned)selection.select & 15u) + 1);
    } else {
        want(logic, program, (unsigned)selection.select & 31u);
    }
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
    logic->moves = logic->count > 0;
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
                                const struct cairn_unit_program *program,
                                const struct cairn_resource_lines *lines)
{
    uint32_t fires = lines->running ? 2 : 0; /* bit n: selector n; 0 is FALSE, 1 is TRUE */
    uint32_t events = 0;

    for (uint32_t left = logic->selectors; left != 0; left &= left - 1) {
        const unsigned n = (unsigned)__builtin_ctz(left);
        const uint32_t selector = program->selectors[n];
        const uint32_t high = (lines->high[GROUP(selector)] & SELECT(selector)) != 0;

        fires |= (high ^ INV(selector)) << n;
    }
    for (uint32_t i = 0; i < logic->count; i++) {
        const unsigned select = logic->events[i].selection.select;
        uint32_t active;

        if (logic->events[i].selection.pair)
            active = (fires >> 2 * select & fires >> (2 * select + 1) & 1u) ^
                     PAIRINV(program->selectors[2 * select]);
        else
            active = fires >> select & 1u;
        events |= active << logic->events[i].event;
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
