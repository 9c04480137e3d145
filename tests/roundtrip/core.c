/* SPDX-License-Identifier: BSD-2-Clause */
#include "core.h"

#include <string.h>

enum {
    TAKEN_PERCENT = 55,    /* of conditional branches */
    RETURN_PERCENT = 85,   /* of returns that go where the call came from */
    INDIRECT_PERCENT = 30, /* of other indirect branches that do */
    NEXT_PERCENT = 6,      /* of calls through a register that go to the next instruction */
    SWITCH_PERCENT = 15,   /* of exceptions and returns with other identifiers behind them */
    IDENTIFIERS = 3,
};

void trip_habits_draw(struct trip_habits *habits, const struct trip_case *trip,
                      struct peer_random *random)
{
    habits->program = trip->program;
    habits->waits_are_p0 = trip->options.waits_are_p0;
    habits->kernel_el = (uint8_t)peer_random_range(random, 1, 3);
    habits->user_security =
        (uint8_t)(peer_random_percent(random, 25) ? CAIRN_SECURE : CAIRN_NONSECURE);
    habits->kernel_security =
        (uint8_t)(habits->kernel_el == 3 ? (unsigned)CAIRN_SECURE : habits->user_security);
}

void trip_core_switch_ids(struct trip_core *core, struct peer_random *random)
{
    core->context.context_id = peer_random_below(random, IDENTIFIERS) * 0x10001;
    core->context.vmid = peer_random_below(random, IDENTIFIERS);
}

/* The context goes with the code at `core->at`. */
static void set_privilege(struct trip_core *core, const struct trip_habits *habits)
{
    const bool kernel = trip_op_in_kernel(habits->program, core->at);

    core->context.EL = kernel ? habits->kernel_el : 0;
    core->context.security = kernel ? habits->kernel_security : habits->user_security;
    core->context.SF = trip_op(habits->program, core->at)->isa == CAIRN_ISA_A64;
}

static uint32_t pick(const struct trip_habits *habits, struct peer_random *random, bool kernel,
                     enum cairn_isa isa)
{
    const struct peer_program *program = &habits->program->base;
    uint32_t op = 0;

    if (!peer_program_pick(program, random, kernel, isa, &op))
        peer_program_pick(program, random, kernel, CAIRN_ISA_UNKNOWN, &op);
    return op;
}

void trip_core_jump(struct trip_core *core, const struct trip_habits *habits,
                    struct peer_random *random)
{
    core->call_count = 0;
    core->frame_count = 0;
    core->nesting = 0;
    core->at = pick(habits, random, peer_random_percent(random, 30), CAIRN_ISA_UNKNOWN);
    set_privilege(core, habits);
    if (peer_random_percent(random, 50))
        trip_core_switch_ids(core, random);
}

uint32_t trip_core_block_end(const struct trip_core *core, const struct trip_habits *habits)
{
    uint32_t op = core->at;

    for (;; op++) {
        const struct peer_op *o = trip_op(habits->program, op);

        if (trip_op_is_p0(o, habits->waits_are_p0) || o->kind == PEER_OP_CALL ||
            o->kind == TRIP_OP_TCOMMIT)
            return op;
    }
}

bool trip_core_outcome(const struct trip_habits *habits, struct peer_random *random, uint32_t op)
{
    return !(trip_op(habits->program, op)->flags & PEER_OP_MAY_FALL) ||
           peer_random_percent(random, TAKEN_PERCENT);
}

static void push_call(struct trip_core *core, uint32_t op)
{
    if (core->call_count == TRIP_CALLS) {
        memmove(core->calls, core->calls + 1, sizeof core->calls - sizeof *core->calls);
        core->call_count--;
    }
    core->calls[core->call_count++] = op;
}

/* A call's return that this branch could go to. */
static bool pop_call(struct trip_core *core, const struct trip_habits *habits,
                     const struct peer_op *branch)
{
    const struct trip_program *program = habits->program;
    const struct peer_op *target;

    if (core->call_count == 0)
        return false;
    target = trip_op(program, core->calls[core->call_count - 1]);
    if (((branch->flags & PEER_OP_SAME_ISA) && target->isa != branch->isa) ||
        program->base.regions[target->region].kernel !=
            program->base.regions[branch->region].kernel)
        return false;
    core->at = core->calls[--core->call_count];
    return true;
}

static void return_from_exception(struct trip_core *core, const struct trip_habits *habits,
                                  struct peer_random *random)
{
    if (core->frame_count > 0 && peer_random_percent(random, 90)) {
        const struct trip_frame *frame = &core->frames[--core->frame_count];

        core->at = frame->op;
        core->context = frame->context;
    } else {
        core->at = pick(habits, random, peer_random_percent(random, 20), CAIRN_ISA_UNKNOWN);
        set_privilege(core, habits);
    }
    if (peer_random_percent(random, SWITCH_PERCENT))
        trip_core_switch_ids(core, random);
}

static void go_indirect(struct trip_core *core, const struct trip_habits *habits,
                        struct peer_random *random, uint32_t index)
{
    const struct peer_op *op = trip_op(habits->program, index);
    const bool fixed = (op->flags & PEER_OP_SAME_ISA) || op->isa == CAIRN_ISA_A64;
    const unsigned percent = op->flags & PEER_OP_RETURN ? RETURN_PERCENT : INDIRECT_PERCENT;

    if (op->flags & PEER_OP_ERET) {
        return_from_exception(core, habits, random);
        return;
    }
    if ((op->flags & PEER_OP_LINK) && peer_random_percent(random, NEXT_PERCENT)) {
        core->at = index + 1;
        return;
    }
    if (!(op->flags & PEER_OP_LINK) && peer_random_percent(random, percent) &&
        pop_call(core, habits, op))
        return;
    core->at = pick(habits, random, trip_op_in_kernel(habits->program, index),
                    fixed ? (enum cairn_isa)op->isa : CAIRN_ISA_UNKNOWN);
}

void trip_core_branch(struct trip_core *core, const struct trip_habits *habits,
                      struct peer_random *random, uint32_t index, bool taken)
{
    const struct peer_op *op = trip_op(habits->program, index);

    if (!taken || (op->kind != PEER_OP_DIRECT && op->kind != PEER_OP_INDIRECT)) {
        core->at = index + 1;
        return;
    }
    if (op->kind == PEER_OP_DIRECT)
        core->at = op->target;
    else
        go_indirect(core, habits, random, index);
    if (op->flags & PEER_OP_LINK)
        push_call(core, index + 1);
}

void trip_core_redirect(struct trip_core *core, const struct trip_habits *habits,
                        struct peer_random *random)
{
    const struct peer_op *op = trip_op(habits->program, core->at);
    const bool kernel = trip_op_in_kernel(habits->program, core->at);

    if (core->call_count > 0 && peer_random_percent(random, 40)) {
        const uint32_t other = core->calls[core->call_count - 1];

        if (trip_op(habits->program, other)->isa == op->isa &&
            trip_op_in_kernel(habits->program, other) == kernel) {
            core->at = other;
            return;
        }
    }
    core->at = pick(habits, random, kernel, (enum cairn_isa)op->isa);
}

void trip_core_except(struct trip_core *core, const struct trip_habits *habits,
                      struct peer_random *random, uint32_t resume)
{
    if (core->frame_count == TRIP_FRAMES)
        core->frame_count = 0;
    core->frames[core->frame_count].op = resume;
    core->frames[core->frame_count++].context = core->context;
    core->at = pick(habits, random, true, CAIRN_ISA_UNKNOWN);
    set_privilege(core, habits);
    if (peer_random_percent(random, SWITCH_PERCENT))
        trip_core_switch_ids(core, random);
}
