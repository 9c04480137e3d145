/* SPDX-License-Identifier: BSD-2-Clause */
#include "state.h"

#include <string.h>

enum { EVENT_MASKS = 15 };

/* --- speculation depth --- */

static void resolve(struct unit *unit, uint32_t count)
{
    unit->mark_count -= count;
    memmove(unit->marks, unit->marks + count, unit->mark_count * sizeof *unit->marks);
}

void unit_count_p0(struct unit *unit, bool executed, size_t truth_start)
{
    if (executed)
        unit->marks[unit->mark_count++] = truth_start;
    else
        unit->wrong++;
    if (unit->depth < unit->settings->maxspec)
        unit->depth++;
    else
        resolve(unit, 1);
}

static uint32_t committable(const struct unit *unit)
{
    return unit->mark_count > unit->held ? unit->mark_count - unit->held : 0;
}

static void commit(struct unit *unit, uint32_t count)
{
    peer_emit_commit(&unit->emitter, count);
    unit->depth -= count;
    resolve(unit, count);
}

void unit_commit_all(struct unit *unit)
{
    if (committable(unit) > 0)
        commit(unit, committable(unit));
}

/* --- what may stand anywhere --- */

static void put_cycles(struct unit *unit)
{
    const struct peer_settings *s = unit->settings;
    uint32_t commits = 0;

    if (!s->commopt && s->maxspec > 0) {
        if (!s->commits_with_cycles)
            return;
        commits = peer_random_range(unit->random, 0, committable(unit));
    }
    peer_truth_add_value(unit->truth, PEER_CYCLES, peer_emit_cycles(&unit->emitter, commits));
    unit->depth -= commits;
    resolve(unit, commits);
}

static void put_event(struct unit *unit)
{
    const struct cairn_packet_fields fields = {
        .type = (uint16_t)peer_random_range(unit->random, 1, EVENT_MASKS)};

    peer_emit(&unit->emitter, CAIRN_ETMV4_EVENT, &fields);
    for (unsigned i = 0; i < 4; i++)
        if (fields.type & (1u << i))
            peer_truth_add_value(unit->truth, PEER_EVENTS, i);
}

void unit_sprinkle(struct unit *unit)
{
    const struct peer_settings *s = unit->settings;

    if (s->cycles && unit_chance(unit, 8))
        put_cycles(unit);
    if (s->timestamps && unit_chance(unit, 5))
        peer_truth_add_value(unit->truth, PEER_TIMESTAMPS, peer_emit_timestamp(&unit->emitter));
    if (unit_chance(unit, 3))
        put_event(unit);
    if (s->ignores && unit_chance(unit, 2))
        peer_emit_kind(&unit->emitter, CAIRN_ETMV4_IGNORE);
    if (committable(unit) > 0 && unit_chance(unit, 15))
        commit(unit, peer_random_range(unit->random, 1, committable(unit)));
    if (!unit->state.inferred && unit_chance(unit, 3))
        unit->state.stack_count = 0; /* allowed at any time (I_XRQHQ) */
}

/* --- synchronisation --- */

static void write_sync(struct unit *unit)
{
    peer_emit_sync(&unit->emitter, unit->depth);
    unit->synchronised = true;
    unit->state.stack_count = 0;
    unit->state.target_owed = true;
    unit->state.context_owed = true;
    unit->state.inferred = false;
}

void unit_maybe_sync(struct unit *unit)
{
    if (unit->omitting || !unit_chance(unit, 3))
        return;
    if (unit->held > 0 && !unit->settings->voided_addresses)
        return;
    if (!unit->settings->syncs_in_speculation) {
        if (unit->wrong > 0 || unit->held > 0)
            return;
        unit_commit_all(unit);
    }
    write_sync(unit);
}

static void write_trace_on(struct unit *unit)
{
    peer_emit_kind(&unit->emitter, CAIRN_ETMV4_TRACE_ON);
    unit->state.stack_count = 0;
    unit->state.target_owed = true;
    unit->state.inferred = false;
}

void unit_start(struct unit *unit)
{
    write_sync(unit);
    unit_sprinkle(unit);
    write_trace_on(unit);
}

void unit_gap(struct unit *unit)
{
    peer_machine_jump(&unit->machine);
    write_trace_on(unit);
}

void unit_lose(struct unit *unit)
{
    if (unit->mark_count > 0) {
        unit->truth->count = unit->marks[0];
        unit->trace->lossy = true;
    }
    unit->mark_count = 0;
    unit->depth = 0;
}

void unit_overflow(struct unit *unit)
{
    if (!unit->settings->losses)
        unit_commit_all(unit);
    peer_emit_kind(&unit->emitter,
                   unit_chance(unit, 70) ? CAIRN_ETMV4_OVERFLOW : CAIRN_ETMV4_DISCARD);
    unit_lose(unit);
    if (unit_chance(unit, 30))
        put_event(unit);
    peer_machine_jump(&unit->machine);
    unit_start(unit);
}

bool unit_context_spoils(const struct unit *unit, const struct peer_op *op)
{
    return unit->settings->shared && op->isa != CAIRN_ISA_A64 &&
           unit_sub_isa(op) != unit->emitter.sub_isa;
}

void unit_introduce(struct unit *unit, const struct peer_machine *machine)
{
    struct peer_emitter *e = &unit->emitter;
    struct unit_state *state = &unit->state;
    const struct peer_op *op = unit_op(unit, machine->at);
    const bool extras = unit->held == 0 || unit->settings->voided_addresses;
    const bool free_address = extras && !state->inferred && unit_chance(unit, 3);
    const bool new_context =
        state->context_owed || !peer_context_equal(&unit->traced, &machine->context);
    const bool spoils = unit_context_spoils(unit, op);
    const bool address = state->target_owed || free_address || (new_context && spoils);
    const bool context = new_context || (extras && unit_chance(unit, 2) && (address || !spoils));

    if (address && (context ? unit_chance(unit, 60) : unit_chance(unit, 10))) {
        peer_emit_address_context(e, op->address, unit_sub_isa(op), &machine->context);
    } else {
        const bool address_first = context && address && unit_chance(unit, 40);

        if (address_first)
            peer_emit_address(e, op->address, unit_sub_isa(op));
        if (context)
            peer_emit_context(e, &machine->context);
        if (address && !address_first)
            peer_emit_address(e, op->address, unit_sub_isa(op));
    }
    unit->traced = machine->context;
    state->target_owed = false;
    state->context_owed = false;
}

void unit_push_return(struct unit *unit, uint32_t index)
{
    struct unit_state *state = &unit->state;
    const struct peer_op *op = unit_op(unit, index + 1);

    if (!unit->settings->return_stack)
        return;
    if (state->stack_count == unit->settings->stack_depth) {
        memmove(state->stack, state->stack + 1, (STACK_MAX - 1) * sizeof *state->stack);
        state->stack_count--;
    }
    state->stack[state->stack_count].address = op->address;
    state->stack[state->stack_count++].sub_isa = (uint8_t)unit_sub_isa(op);
}

static bool top_matches(const struct unit *unit, const struct peer_op *op)
{
    const struct unit_state *state = &unit->state;

    return unit->settings->return_stack && state->stack_count > 0 &&
           state->stack[state->stack_count - 1].address == op->address &&
           state->stack[state->stack_count - 1].sub_isa == unit_sub_isa(op);
}

void unit_settle(struct unit *unit, const struct peer_op *op, bool taken, uint32_t next)
{
    struct unit_state *state = &unit->state;

    state->inferred = false;
    state->target_owed = false;
    if (!taken || op->kind != PEER_OP_INDIRECT)
        return;
    if ((op->flags & PEER_OP_ERET) && unit_context_spoils(unit, unit_op(unit, next)))
        state->stack_count = 0; /* so that an address can come with a Context */
    if (top_matches(unit, unit_op(unit, next))) {
        state->stack_count--;
        state->inferred = true;
    } else {
        state->target_owed = true;
    }
}
