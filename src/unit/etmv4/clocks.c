/* SPDX-License-Identifier: BSD-2-Clause */
/* Resource clocks (include/cairn/unit.h; DDI0608 D7.1): what is told in one, what happens when it
 * ends, and when the resources run, are Pausing, or are Paused. */
#include "unit/etmv4/core.h"

#include <string.h>

#include "unit/etmv4/periods.h"

#define LOOK_FOR_PERIODS_AFTER 8u /* most calls are of fewer clocks */

/* R_LYFDT. */
static bool may_run(const struct cairn_etmv4_unit *unit)
{
    return !(unit->mode & CAIRN_MODE_DISABLED) && !(unit->path.owed & CAIRN_PATH_PROHIBITED) &&
           !cairn_unit_is_low(unit);
}

/* The External Input Selectors that are there. */
static uint32_t all_inputs(const struct cairn_etmv4_unit *unit)
{
    return (1u << unit->program.input_count) - 1;
}

/* Paused, External Input Selectors go on seeing (R_KCXLF), but not in low-power state (R_KVEVS). */
static void keep_inputs(struct cairn_etmv4_unit *unit, uint32_t inputs)
{
    if ((unit->path.owed & CAIRN_PATH_PROHIBITED) && !(unit->mode & CAIRN_MODE_DISABLED) &&
        !cairn_unit_is_low(unit))
        unit->present.kept_inputs |= (uint8_t)(inputs & all_inputs(unit));
}

/* For whoever asks: what the clock with that number has come to. In a pass over many clocks what repeats
 * itself is told a few times. */
static void tell_change(const struct cairn_etmv4_unit *unit, uint64_t clock,
                        const struct cairn_resource_state *before, uint8_t reached)
{
    const struct cairn_unit_clock *present = &unit->present;
    struct cairn_unit_resources resources = {
        .size = sizeof resources,
        .clock = clock,
        .sequencer = present->state.sequencer,
        .fired = present->fired,
        .reached = reached,
        .moved = before->sequencer != present->state.sequencer,
        .firing = (uint8_t)present->lines.high[CAIRN_GROUP_SINGLE_SHOTS],
    };

    for (unsigned n = 0; n < CAIRN_UNIT_COUNTERS; n++) /* a reload clock after clock is none */
        if (before->counters.value[n] == present->state.counters.value[n])
            resources.reached &= (uint8_t) ~(1u << n);
    if (!resources.reached && !resources.moved && !resources.firing)
        return;
    memcpy(resources.counters, present->state.counters.value, sizeof resources.counters);
    unit->changes(unit->changes_context, &resources);
}

/* --- one clock --- */

/* What one call may tell others of. */
struct budget {
    uint32_t outputs;
    uint32_t elements;
    bool overflowed; /* there were more */
};
#define BUDGET                                                                                     \
    {                                                                                              \
        .outputs = CAIRN_UNIT_OUTPUTS_MAX, .elements = CAIRN_UNIT_EVENTS_MAX                       \
    }

static uint64_t clock_number(const struct cairn_etmv4_unit *unit)
{
    return unit->clock + unit->present.cut;
}

static void drive_outputs(struct cairn_etmv4_unit *unit, unsigned events)
{
    uint32_t outputs = events;

    if ((events & 1u) && unit->program.atb_trigger)
        outputs |= CAIRN_UNIT_ATB_TRIGGER;
    unit->outputs(unit->outputs_context, clock_number(unit), outputs);
}

/* ETEEvents occur (D7.10, D6.9.6). True if somebody was told. */
static bool report(struct cairn_etmv4_unit *unit, unsigned events, struct budget *budget)
{
    const unsigned traced = events & unit->program.events_traced;
    bool told = false;

    if (events == 0)
        return false;
    if (unit->outputs && budget->outputs > 0) {
        budget->outputs--;
        drive_outputs(unit, events);
        told = true;
    }
    if (traced == 0 || budget->overflowed)
        return told;
    told |= !(unit->mode & CAIRN_MODE_INOPERATIVE);
    if (budget->elements-- == 0) {
        cairn_unit_overflow(unit);
        budget->overflowed = true;
    }
    cairn_unit_put_events(unit, traced);
    return told;
}

/* All that is high in the present clock: where the others are, for a copy would wait for their stores. */
static struct cairn_resource_lines *gather(struct cairn_etmv4_unit *unit)
{
    struct cairn_resource_lines *lines = &unit->present.lines;

    lines->high[CAIRN_GROUP_INPUTS] =
        (uint16_t)((unit->inputs | unit->present.inputs) & all_inputs(unit));
    lines->high[CAIRN_GROUP_DERIVED] = unit->present.state.derived;
    lines->running = true;
    return lines;
}

/* Evaluates resource events, moves what they move, and lets ETEEvents occur, with `told` ones. True
 * if something may have been generated. */
static bool evaluate(struct cairn_etmv4_unit *unit, const struct cairn_resource_lines *lines,
                     unsigned told, struct budget *budget)
{
    struct cairn_unit_clock *present = &unit->present;
    const uint32_t events = cairn_resources_events(&present->logic, lines);
    const bool asks = (events >> CAIRN_EVENT_TIMESTAMP & 1u) && !present->timestamp_asked;
    const struct cairn_resource_state before = present->state;
    uint8_t reached = 0;

    if (present->logic.moves)
        reached = cairn_resources_move(&present->state, &unit->program, events);
    if (unit->changes)
        tell_change(unit, clock_number(unit), &before, reached);
    if (asks)
        cairn_unit_request_timestamp(unit);
    return report(unit, (events & 0xfu) | told, budget) || asks;
}

/* The present clock is as if nothing had been told in it. */
static void clear(struct cairn_unit_clock *present)
{
    present->told = false;
    present->timestamp_asked = false;
    present->inputs = 0;
    present->events = 0;
    memset(present->lines.high, 0, sizeof present->lines.high);
}

static bool is_watched(const struct cairn_etmv4_unit *unit)
{
    return unit->present.in_use || (unit->outputs && !unit->base.unnumbered);
}

/* The next clock has no block yet. */
static void begin_clock(struct cairn_etmv4_unit *unit)
{
    clear(&unit->present);
    unit->present.has_block = false;
    unit->present.blocks = unit->counters.blocks;
}

/* True if something may have been generated. */
static bool end_clock(struct cairn_etmv4_unit *unit, struct budget *budget)
{
    struct cairn_unit_clock *present = &unit->present;
    bool generated = false;

    if (present->running && (present->in_use || present->told))
        generated = evaluate(unit, gather(unit), present->events, budget);
    else if (unit->inputs != 0)
        keep_inputs(unit, unit->inputs);
    begin_clock(unit);
    if (!is_watched(unit))
        unit->mode &= ~(uint32_t)CAIRN_MODE_CLOCK;
    return generated;
}

/* --- what is told in a clock --- */

static void tell(struct cairn_etmv4_unit *unit)
{
    unit->present.told = true;
    unit->mode |= CAIRN_MODE_CLOCK;
}

void cairn_unit_clock_block(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_clock *present = &unit->present;

    if (present->has_block || present->blocks != unit->counters.blocks) {
        struct budget budget = BUDGET;

        const bool generated = end_clock(unit, &budget);

        present->cut++;
        if (generated)
            cairn_unit_end(unit);
    }
    present->has_block = true;
}

/* The single-shots that select something of this. */
static unsigned match_shots(const struct cairn_etmv4_unit *unit, const uint16_t high[CAIRN_GROUPS],
                            uint8_t pes)
{
    unsigned matches = 0;

    for (uint32_t left = unit->program.shots_used; left != 0; left &= left - 1) {
        const unsigned n = (unsigned)__builtin_ctz(left);
        const struct cairn_unit_single_shot *shot = &unit->program.single_shots[n];

        if ((shot->sacs & high[CAIRN_GROUP_SACS]) || (shot->arcs & high[CAIRN_GROUP_ARCS]) ||
            (shot->pes & pes))
            matches |= 1u << n;
    }
    return matches;
}

void cairn_unit_clock_match(struct cairn_etmv4_unit *unit, const struct cairn_block *block)
{
    struct cairn_unit_clock *present = &unit->present;
    struct cairn_filter_input input;
    unsigned matches;

    if (!present->running)
        return;
    tell(unit);
    if (present->runs_alone)
        return;
    input = cairn_unit_filter_input(unit, block);
    present->inputs |= (uint8_t)(unit->inputs & all_inputs(unit));
    cairn_filter_match(&unit->program, &input, present->logic.wanted, present->lines.high);
    present->lines.high[CAIRN_GROUP_PES] = input.pe_matches;
    matches = match_shots(unit, present->lines.high, input.pe_matches);
    if (matches != 0 && unit->path.in_transaction)
        unit->path.transaction_matches |= (uint8_t)matches;
    else
        cairn_unit_shots_executed(unit, matches);
    if (unit->has_timestamp_event && !present->timestamp_asked) {
        input = cairn_unit_filter_input(unit, block);
        present->timestamp_asked =
            cairn_filter_event(&unit->program, unit->program.timestamp_event, &input);
        if (present->timestamp_asked)
            cairn_unit_request_timestamp(unit);
    }
}

void cairn_etmv4_unit_event(struct cairn_unit *base, unsigned number)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);

    if ((unit->mode & CAIRN_MODE_DISABLED) || number >= unit->program.event_count)
        return;
    if (!unit->present.running) {
        unit->present.kept_events |= (uint8_t)(1u << number); /* R_GYWLS */
        return;
    }
    unit->present.events |= (uint8_t)(1u << number);
    tell(unit);
}

void cairn_etmv4_unit_pmu_event(struct cairn_unit *base, uint32_t number)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    unsigned inputs = 0;

    if (unit->mode & CAIRN_MODE_DISABLED)
        return;
    for (unsigned n = 0; n < unit->program.input_count; n++)
        if (unit->program.selected_inputs[n] == number)
            inputs |= 1u << n;
    if (inputs == 0)
        return;
    if (!unit->present.running) {
        keep_inputs(unit, inputs);
        return;
    }
    unit->present.inputs |= (uint8_t)inputs;
    tell(unit);
}

void cairn_etmv4_unit_inputs(struct cairn_unit *base, uint32_t inputs)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);

    unit->inputs = inputs;
    keep_inputs(unit, inputs);
}

/* --- clocks in which nothing is told --- */

/* For how many of them nothing changes but what counts down, after one with these events. */
static uint64_t find_quiet(const struct cairn_etmv4_unit *unit,
                           const struct cairn_resource_state *before, uint32_t events)
{
    const struct cairn_unit_clock *present = &unit->present;
    const struct cairn_resource_state *state = &present->state;

    if (before->sequencer != state->sequencer ||
        ((before->derived ^ state->derived) & present->logic.observed))
        return 0;
    return cairn_counters_steady(&state->counters, unit->program.counters,
                                 cairn_resources_counter_events(events),
                                 present->logic.observed & 0xfu, state->derived & 0xfu);
}

/* The present clock and those behind it, in which nothing changes but what counts down; what that
 * comes to, it comes to in the last one. Returns the counters that did. */
static uint8_t advance(struct cairn_etmv4_unit *unit, uint32_t events, uint64_t clocks)
{
    struct cairn_unit_clock *present = &unit->present;
    const struct cairn_counter_events steps = cairn_resources_counter_events(events);
    struct cairn_resource_state before;
    uint8_t changed;

    if (!unit->changes)
        return cairn_counters_advance(&present->state.counters, unit->program.counters, steps,
                                      clocks);
    before = present->state;
    changed =
        cairn_counters_advance(&present->state.counters, unit->program.counters, steps, clocks);
    tell_change(unit, clock_number(unit) + clocks - 1, &before,
                changed & present->logic.observed & 0xfu);
    return changed;
}

static bool pass_quiet(struct cairn_etmv4_unit *unit, uint64_t clocks, struct budget *budget)
{
    struct cairn_unit_clock *present = &unit->present;
    struct cairn_resource_lines *lines = gather(unit);
    struct cairn_periods periods;
    uint32_t seen = 0;
    uint64_t left = clocks;
    bool generated = false;

    for (uint32_t changes = 0; left > 0; changes++) {
        const struct cairn_resource_state before = present->state;
        uint8_t changed = 0;
        uint32_t events;
        bool told;

        if (changes >= CAIRN_UNIT_CHANGES_MAX) { /* the rest as if Paused */
            cairn_unit_pass_cycles(unit, left);
            return generated;
        }
        lines->high[CAIRN_GROUP_DERIVED] = before.derived;
        events = cairn_resources_events(&present->logic, lines);
        if (present->logic.moves)
            changed = cairn_resources_move(&present->state, &unit->program, events);
        if (unit->changes)
            tell_change(unit, clock_number(unit), &before, changed);
        if (events >> CAIRN_EVENT_TIMESTAMP & 1u) {
            cairn_unit_request_timestamp(unit);
            generated = true;
        }
        told = report(unit, events & 0xfu, budget);
        generated |= told;
        seen += told;
        cairn_unit_pass_cycles(unit, 1);
        left--;
        if (told && left > 0)
            cairn_unit_end(unit);
        if (!told && left > 0) {
            uint64_t quiet = find_quiet(unit, &before, events);

            quiet = quiet < left ? quiet : left;
            changed |= advance(unit, events, quiet);
            cairn_unit_pass_cycles(unit, quiet);
            left -= quiet;
        }
        if (changes == LOOK_FOR_PERIODS_AFTER)
            memset(&periods, 0, sizeof periods);
        if (changes >= LOOK_FOR_PERIODS_AFTER && left > 0) {
            const uint64_t skipped =
                cairn_periods_skip(&periods, &present->state, changed, seen, left);

            cairn_unit_pass_cycles(unit, skipped);
            left -= skipped;
        }
    }
    return generated;
}

/* Where nothing depends on clocks, and nothing was told in this one: what that leaves is clear already. */
static void pass_unwatched(struct cairn_etmv4_unit *unit, uint64_t clocks)
{
    struct cairn_unit_clock *present = &unit->present;

    if (unit->inputs != 0)
        keep_inputs(unit, unit->inputs);
    present->has_block = false;
    present->blocks = unit->counters.blocks;
    cairn_unit_pass_cycles(unit, clocks);
}

/* Apart from what is most common, which needs nothing of the stack. */
static __attribute__((noinline)) void pass_watched(struct cairn_etmv4_unit *unit, uint64_t cycles)
{
    struct budget budget = BUDGET;
    bool generated;

    if (unit->present.running && unit->present.runs_alone && unit->present.events == 0) {
        begin_clock(unit); /* this one is like those behind it */
        if (pass_quiet(unit, cycles, &budget))
            cairn_unit_end(unit);
        return;
    }
    generated = end_clock(unit, &budget);
    cairn_unit_pass_cycles(unit, 1);
    cycles--;
    if (generated && cycles > 0)
        cairn_unit_end(unit);
    if (cycles > 0 && unit->present.running && unit->present.in_use)
        generated |= pass_quiet(unit, cycles, &budget);
    else if (cycles > 0)
        cairn_unit_pass_cycles(unit, cycles);
    if (generated)
        cairn_unit_end(unit);
}

void cairn_etmv4_unit_cycles(struct cairn_unit *base, uint64_t cycles)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);

    if (cycles == 0)
        return;
    if (unit->mode & CAIRN_MODE_CLOCK)
        pass_watched(unit, cycles);
    else
        pass_unwatched(unit, cycles);
}

/* --- when the resources run --- */

/* R_RDCGC: what was told is propagated, then counters and the sequencer once more. */
void cairn_unit_pause_resources(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_clock *present = &unit->present;
    struct cairn_resource_lines lines = {.running = false};
    struct budget budget = BUDGET;

    if (!present->running)
        return;
    if (present->told) {
        (void)evaluate(unit, gather(unit), present->events, &budget);
        clear(present);
    }
    if (present->in_use) {
        /* What the last evaluation left, and what it has moved them to. */
        struct cairn_resource_state now = present->state;

        cairn_resources_begin(&now, &unit->program);
        lines.high[CAIRN_GROUP_DERIVED] = present->state.derived | now.derived;
        (void)evaluate(unit, &lines, 0, &budget);
        clear(present);
    }
    present->running = false;
}

void cairn_unit_resume_resources(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_clock *present = &unit->present;
    const unsigned pending = present->pending;

    if (present->running || !may_run(unit))
        return;
    present->running = true;
    present->inputs |= present->kept_inputs; /* R_QWYSK */
    present->events |= present->kept_events; /* R_SWBRL */
    if (present->inputs != 0 || present->events != 0)
        tell(unit);
    present->kept_inputs = 0;
    present->kept_events = 0;
    present->pending = 0;
    cairn_unit_shots_fire(unit, pending); /* R_PVRGR */
}

void cairn_etmv4_unit_low_power(struct cairn_unit *base, bool low)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    const bool was_low = cairn_unit_is_low(unit);
    const bool operates = !(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE));
    const bool is_low = low && !unit->program.low_power_override;

    if (was_low == is_low) {
        unit->low_power = low;
        return;
    }
    if (is_low) {
        cairn_unit_pause_resources(unit); /* R_RGFJY */
        unit->low_power = low;
        unit->mode |= CAIRN_MODE_LOW;
        unit->slept_from = unit->clock;
        if (operates) {
            cairn_unit_commit_all(unit); /* I_MXHHN */
            cairn_unit_pack(unit);
        }
        return;
    }
    unit->low_power = low;
    unit->mode &= ~(uint32_t)CAIRN_MODE_LOW;
    if (unit->choices & CAIRN_UNIT_LOW_POWER_STOPS_COUNT) /* I_BPQTL */
        unit->counted_at += unit->clock - (unit->slept_from > unit->counted_at ? unit->slept_from
                                                                               : unit->counted_at);
    cairn_unit_recover(unit);
    if (operates)
        cairn_unit_let_out(unit);
    cairn_unit_resume_resources(unit);
}

/* --- enabling --- */

static bool runs_alone(const struct cairn_etmv4_unit *unit)
{
    const struct cairn_resource_logic *logic = &unit->present.logic;

    for (unsigned group = 0; group < CAIRN_GROUPS; group++)
        if (group != CAIRN_GROUP_DERIVED && logic->wanted[group] != 0)
            return false;
    return unit->program.shots_used == 0 && !unit->has_timestamp_event;
}

void cairn_unit_begin_resources(struct cairn_etmv4_unit *unit, const struct cairn_unit_state *state)
{
    struct cairn_unit_clock *present = &unit->present;
    const struct cairn_unit_program *program = &unit->program;
    /* ETEEvents matter if they are traced, or if somebody is connected to the outputs. */
    const unsigned reported = unit->outputs ? 0xfu : program->events_traced;

    cairn_resources_connect(&present->logic, program, reported, program->timestamps);
    present->state.counters = state->counters;
    present->state.sequencer = state->sequencer;
    cairn_resources_begin(&present->state, program);
    present->fired = state->fired;
    present->pending = state->pending;
    /* ETMv4 has no register that keeps them. */
    present->kept_inputs = program->is_ete ? state->kept_inputs : 0;
    present->kept_events = program->is_ete ? state->kept_events : 0;
    present->in_use = present->logic.any || program->shots_used != 0;
    present->runs_alone = present->in_use && runs_alone(unit);
    present->running = false;
    clear(present);
    if (is_watched(unit))
        unit->mode |= CAIRN_MODE_CLOCK;
}

void cairn_unit_resource_state(const struct cairn_etmv4_unit *unit, struct cairn_unit_state *state)
{
    const struct cairn_unit_clock *present = &unit->present;

    state->kept_events = present->kept_events;
    state->kept_inputs = present->kept_inputs;
    state->counters = present->state.counters;
    state->sequencer = present->state.sequencer;
    state->fired = present->fired;
    state->pending = present->pending;
}
