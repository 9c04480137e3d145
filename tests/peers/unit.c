/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <string.h>

#include "state.h"

enum {
    GUESS_PERCENT = 25, /* of steps behind which a path is followed that was not executed */
    OMIT_PERCENT = 40,  /* of N atoms, and of E atoms that become Source Addresses */
};

static void tell_instructions(struct unit *unit, const struct peer_step *step, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct peer_op *op = unit_op(unit, step->first + i);
        const struct peer_entry entry = {
            .address = op->address, .isa = op->isa, .context = step->context};

        peer_truth_add(unit->truth, &entry);
    }
}

static void tell_p0(struct unit *unit, const struct peer_step *step)
{
    const struct peer_op *op = unit_op(unit, step->first + step->count - 1);
    const struct peer_entry entry = {
        .address = op->address,
        .isa = op->isa,
        .context = step->context,
        .kind = step->taken ? PEER_TAKEN : PEER_NOT_TAKEN,
    };

    tell_instructions(unit, step, step->count - 1);
    peer_truth_add(unit->truth, &entry);
}

/* Where the truth of the P0 element in hand begins: with the branches that were left out. */
static size_t truth_start(const struct unit *unit)
{
    return unit->omitting ? unit->omitted_from : unit->truth->count;
}

static void write_exception(struct unit *unit, const struct peer_step *step,
                            const struct peer_machine *before)
{
    struct unit_state *state = &unit->state;
    const struct peer_op *resume = unit_op(unit, step->resume);
    const size_t from = truth_start(unit);
    const struct peer_entry entry = {
        .kind = PEER_EXCEPTION, .address = resume->address, .type = step->type};
    const bool at_target = step->count == 0 && !unit->omitting;
    const bool changed = !peer_context_equal(&unit->traced, &step->context) || state->context_owed;
    const bool may_skip = at_target && !state->context_owed && unit->traced.SF == step->context.SF;
    const struct cairn_context *context = NULL;
    bool target = false;

    if (at_target && !state->inferred && unit->settings->target_exceptions)
        target = state->target_owed ? unit_chance(unit, 60) : unit_chance(unit, 20);
    const bool in_packet = unit_chance(unit, 60) || unit_context_spoils(unit, resume);

    if (changed && !(may_skip && unit_chance(unit, 40)) && (!state->target_owed || target) &&
        in_packet)
        context = &step->context;
    else if (unit_chance(unit, 5) && !changed)
        context = &step->context;
    if (state->target_owed && !target)
        unit_introduce(unit, before);
    else if (changed && !context && !may_skip)
        peer_emit_context(&unit->emitter, &step->context);
    if (context || (changed && !may_skip))
        unit->traced = step->context;
    peer_emit_exception(&unit->emitter, step->type, resume->address, unit_sub_isa(resume), context,
                        target);
    tell_instructions(unit, step, step->count);
    peer_truth_add(unit->truth, &entry);
    unit_count_p0(unit, true, from);
    unit->omitting = false;
    state->context_owed = false;
    state->target_owed = true;
    state->inferred = false;
}

/* True when the step's element is left out, since a later one implies it (ETE). */
static bool omit(struct unit *unit, const struct peer_step *step, const struct peer_machine *before)
{
    if (step->taken || !unit->settings->omits)
        return false;
    if (!unit->omitting) {
        if (!unit_chance(unit, OMIT_PERCENT))
            return false;
        unit_introduce(unit, before);
        unit->omitted_from = unit->truth->count;
        unit->omitting = true;
        unit->state.inferred = false;
    }
    tell_p0(unit, step);
    return true;
}

static void write_p0(struct unit *unit, const struct peer_step *step,
                     const struct peer_machine *before)
{
    const uint32_t index = step->first + step->count - 1;
    const struct peer_op *op = unit_op(unit, index);
    const size_t from = truth_start(unit);

    if (omit(unit, step, before))
        return;
    if (!unit->omitting)
        unit_introduce(unit, before);
    if (unit_can_mispredict(unit, op, step->taken)) {
        unit_write_mispredicted(unit, step, before, from);
    } else {
        if (unit->omitting ||
            (step->taken && unit->settings->source_addresses && unit_chance(unit, OMIT_PERCENT)))
            peer_emit_source(&unit->emitter, op->address, unit_sub_isa(op));
        else
            peer_emit_atom(&unit->emitter, step->taken);
        unit_count_p0(unit, true, from);
        unit->omitting = false;
        if (step->taken && (op->flags & PEER_OP_LINK))
            unit_push_return(unit, index);
    }
    tell_p0(unit, step);
    if (step->taken && (op->flags & PEER_OP_ERET) &&
        unit->settings->protocol == CAIRN_PROTOCOL_ETMV4)
        peer_emit_kind(&unit->emitter, CAIRN_ETMV4_EXCEPTION_RETURN);
    if (!unit->synchronised || !unit->state.target_owed)
        unit_settle(unit, op, step->taken, step->next);
}

static void run(struct unit *unit)
{
    const struct peer_settings *s = unit->settings;

    unit_start(unit);
    for (unsigned i = 0; i < s->steps && !unit->truth->full && !unit->emitter.failed; i++) {
        const struct peer_machine before = unit->machine;
        struct peer_step step;
        bool indirect;

        peer_machine_step(&unit->machine, &step);
        unit->synchronised = false;
        if (step.kind == PEER_STEP_EXCEPTION)
            write_exception(unit, &step, &before);
        else
            write_p0(unit, &step, &before);
        unit_sprinkle(unit);
        indirect = step.kind == PEER_STEP_P0 && step.taken && !unit->omitting &&
                   unit_op(unit, step.first + step.count - 1)->kind == PEER_OP_INDIRECT;
        if (s->maxspec > 0 && unit_chance(unit, GUESS_PERCENT))
            unit_guess_and_cancel(unit, indirect);
        unit_maybe_sync(unit);
        if (!unit->omitting && unit_chance(unit, 2))
            unit_gap(unit);
        else if (!unit->omitting && unit_chance(unit, 1))
            unit_overflow(unit);
    }
    if (unit->omitting)
        unit->truth->count = unit->omitted_from;
    if (s->losses && unit_chance(unit, 50))
        unit_lose(unit);
    else
        unit_commit_all(unit);
    peer_emit_flush(&unit->emitter);
}

bool peer_trace_make(struct peer_trace *trace, struct cairn_config *config,
                     struct peer_random *random)
{
    struct unit unit;
    const struct peer_settings *settings = &trace->settings;

    memset(&unit, 0, sizeof unit);
    unit.settings = settings;
    unit.program = &trace->program;
    unit.random = random;
    unit.truth = &trace->truth;
    unit.trace = trace;
    unit.emitter.random = random;
    unit.emitter.settings = settings;
    unit.emitter.out = &trace->bytes;
    trace->bytes.size = 0;
    trace->lossy = false;
    peer_truth_clear(&trace->truth);
    peer_program_make(&trace->program, random, settings->family, settings->without);
    if (cairn_packet_writer_new(config, &unit.emitter.writer) != CAIRN_OK)
        return false;
    peer_machine_start(&unit.machine, &trace->program, &settings->rules, random);
    run(&unit);
    cairn_packet_writer_free(unit.emitter.writer);
    return !unit.emitter.failed && !trace->truth.full;
}
