/* SPDX-License-Identifier: BSD-2-Clause */
/* Speculation: paths that were not executed, and branches that were predicted wrongly. */
#include "state.h"

enum {
    MISPREDICT_PERCENT = 30,      /* of branches whose Atom is wrong at first */
    MISPREDICT_LINK_PERCENT = 60, /* of those with link */
};

/* Up to `most` P0 elements from where `machine` stands; returns how many. */
static uint32_t write_wrong_path(struct unit *unit, struct peer_machine *machine, uint32_t most)
{
    struct peer_step step;
    uint32_t count = 0;

    for (; count < most; count++) {
        const struct peer_machine before = *machine;
        const struct peer_op *op;

        unit_sprinkle(unit);
        unit_maybe_sync(unit);
        if (!peer_machine_guess(machine, &step))
            break;
        op = unit_op(unit, step.first + step.count - 1);
        unit_introduce(unit, &before);
        if (step.taken && unit->settings->source_addresses && unit_chance(unit, 20))
            peer_emit_source(&unit->emitter, op->address, unit_sub_isa(op));
        else
            peer_emit_atom(&unit->emitter, step.taken);
        unit_count_p0(unit, false, 0);
        if (step.taken && (op->flags & PEER_OP_LINK))
            unit_push_return(unit, step.first + step.count - 1);
        unit_settle(unit, op, step.taken, step.next);
    }
    unit_sprinkle(unit);
    return count;
}

static void cancel(struct unit *unit, uint32_t count, bool mispredict)
{
    if (count > 0 || mispredict)
        peer_emit_cancel(&unit->emitter, count, mispredict);
    unit->depth -= count;
    unit->wrong -= count;
}

/* The unit's state is that from before the wrong path, but a Trace Info in it stays (D9.3.4), and
 * its Context and Target Address are gone. */
static void restore(struct unit *unit, const struct unit_state *saved)
{
    unit->state = *saved;
    if (unit->synchronised) {
        unit->state.stack_count = 0;
        unit->state.target_owed = true;
        unit->state.context_owed = true;
        unit->state.inferred = false;
    } else if (unit_chance(unit, 20)) {
        unit->state.stack_count = 0;
    }
}

/* The target that a predictor takes for that of an indirect branch: what the return stack says, or
 * anything. The address is owed if it is not the stack's. */
static void mispredict_target(struct unit *unit, struct peer_machine *machine)
{
    struct unit_state *state = &unit->state;
    const struct peer_op *op = unit_op(unit, machine->at);
    const bool kernel = unit->program->regions[op->region].kernel;
    uint32_t at;

    if (state->stack_count > 0 && unit_chance(unit, 40)) {
        const struct return_entry *top = &state->stack[state->stack_count - 1];
        const enum cairn_isa isa = machine->context.SF ? CAIRN_ISA_A64
                                   : top->sub_isa      ? CAIRN_ISA_T32
                                                       : CAIRN_ISA_A32;
        const struct peer_op *other = peer_program_at(unit->program, top->address, isa);

        if (other && unit->program->regions[other->region].kernel == kernel) {
            machine->at = (uint32_t)(other - unit->program->ops);
            state->stack_count--;
            state->target_owed = false;
            state->inferred = true;
            return;
        }
    }
    if (peer_program_pick(unit->program, unit->random, kernel,
                          machine->context.SF ? CAIRN_ISA_A64 : CAIRN_ISA_UNKNOWN, &at))
        machine->at = at;
    state->target_owed = true;
}

/* Elements behind the last executed P0 element that a Cancel removes again. */
void unit_guess_and_cancel(struct unit *unit, bool indirect)
{
    struct peer_machine machine = unit->machine;
    struct unit_state saved;
    uint32_t count;

    if (unit->omitting || unit->state.context_owed ||
        !peer_context_equal(&unit->traced, &machine.context))
        return;
    if (indirect && unit_chance(unit, 50)) {
        if (unit->state.inferred) { /* neither target pops (R_YMRGB, R_GBHNP) */
            unit->state.stack_count++;
            unit->state.inferred = false;
        }
        unit->state.target_owed = true;
        saved = unit->state;
        mispredict_target(unit, &machine);
    } else {
        if (unit->state.target_owed)
            unit_introduce(unit, &machine);
        saved = unit->state;
    }
    unit->synchronised = false;
    count = write_wrong_path(unit, &machine,
                             peer_random_range(unit->random, 1, unit->settings->maxspec));
    cancel(unit, count, false);
    restore(unit, &saved);
}

static bool is_last(const struct unit *unit, const struct peer_op *op)
{
    const struct peer_region *region = &unit->program->regions[op->region];

    return op == unit_op(unit, region->first + region->count - 1);
}

bool unit_can_mispredict(struct unit *unit, const struct peer_op *op, bool taken)
{
    const bool link = op->flags & PEER_OP_LINK;

    if (unit->settings->maxspec == 0 || unit->omitting ||
        !unit_chance(unit, link ? MISPREDICT_LINK_PERCENT : MISPREDICT_PERCENT))
        return false;
    if ((op->kind != PEER_OP_DIRECT && op->kind != PEER_OP_INDIRECT) || (op->flags & PEER_OP_ERET))
        return false;
    if (link && !unit->settings->mispredicts_links)
        return false;
    /* An unconditional branch may be N at first, too (I_BXBNQ). */
    return (op->flags & PEER_OP_MAY_FALL) || (taken && !is_last(unit, op) && unit_chance(unit, 20));
}

/* The Atom of `step` with the wrong status at first. `before` is the machine in front of it. */
void unit_write_mispredicted(struct unit *unit, const struct peer_step *step,
                             const struct peer_machine *before, size_t truth_start)
{
    const uint32_t index = step->first + step->count - 1;
    const struct peer_op *op = unit_op(unit, index);
    const bool initial = !step->taken;
    uint32_t most = unit->settings->maxspec - !unit->settings->late_mispredicts;
    struct peer_machine machine = *before;
    struct unit_state saved;
    uint32_t count;

    peer_emit_atom(&unit->emitter, initial);
    unit_count_p0(unit, true, truth_start);
    if (initial && (op->flags & PEER_OP_LINK))
        unit_push_return(unit, index);
    saved = unit->state;
    unit->held = unit->settings->late_mispredicts ? 0 : 1;
    unit->synchronised = false;
    peer_machine_branch(&machine, index, initial);
    unit_settle(unit, op, initial, machine.at);
    if (unit->state.target_owed && !unit->settings->voided_addresses)
        most = 0;
    else if (unit->state.target_owed && unit_chance(unit, 30))
        unit_introduce(unit, &machine);
    count = write_wrong_path(unit, &machine, peer_random_range(unit->random, 0, most));
    cancel(unit, count, true);
    unit->held = 0;
    saved.target_owed = false;
    saved.context_owed = false;
    restore(unit, &saved);
}
