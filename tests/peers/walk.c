/* SPDX-License-Identifier: BSD-2-Clause */
#include "walk.h"

#include <string.h>

enum {
    TAKEN_PERCENT = 55,    /* of conditional branches */
    RETURN_PERCENT = 85,   /* of returns that go where the call came from */
    INDIRECT_PERCENT = 30, /* of other indirect branches that do */
    NEXT_PERCENT = 6,      /* of calls through a register that go to the next instruction */
    SWITCH_PERCENT = 25,   /* of ISBs in the kernel behind which there is a new context id */
    TYPE_CALL = 0x02,
};

bool peer_context_equal(const struct cairn_context *a, const struct cairn_context *b)
{
    return a->EL == b->EL && a->security == b->security && a->SF == b->SF && a->vmid == b->vmid &&
           a->context_id == b->context_id;
}

static const struct peer_op *op_at(const struct peer_machine *machine, uint32_t index)
{
    return &machine->program->ops[index];
}

static bool in_kernel(const struct peer_machine *machine, uint32_t op)
{
    return machine->program->regions[op_at(machine, op)->region].kernel;
}

static void switch_ids(struct peer_machine *machine)
{
    if (machine->rules->context_ids)
        machine->context.context_id = (uint32_t)peer_random_64(machine->random);
    if (machine->rules->vmids && peer_random_percent(machine->random, 40))
        machine->context.vmid = peer_random_below(machine->random, 0x100);
}

/* The context goes with the code at `op`. */
static void set_privilege(struct peer_machine *machine, uint32_t op)
{
    const bool kernel = in_kernel(machine, op);

    machine->context.EL = kernel ? machine->rules->kernel_el : 0;
    machine->context.security =
        kernel ? machine->rules->kernel_security : machine->rules->user_security;
    machine->context.SF = op_at(machine, op)->isa == CAIRN_ISA_A64;
}

static uint32_t pick(struct peer_machine *machine, bool kernel, enum cairn_isa isa)
{
    uint32_t op = 0;

    if (!peer_program_pick(machine->program, machine->random, kernel, isa, &op))
        peer_program_pick(machine->program, machine->random, kernel, CAIRN_ISA_UNKNOWN, &op);
    return op;
}

void peer_machine_start(struct peer_machine *machine, const struct peer_program *program,
                        const struct peer_rules *rules, struct peer_random *random)
{
    memset(machine, 0, sizeof *machine);
    machine->program = program;
    machine->rules = rules;
    machine->random = random;
    machine->at = pick(machine, false, CAIRN_ISA_UNKNOWN);
    set_privilege(machine, machine->at);
    switch_ids(machine);
}

void peer_machine_jump(struct peer_machine *machine)
{
    machine->call_count = 0;
    machine->frame_count = 0;
    machine->at = pick(machine, peer_random_percent(machine->random, 30), CAIRN_ISA_UNKNOWN);
    set_privilege(machine, machine->at);
    if (peer_random_percent(machine->random, 30))
        switch_ids(machine);
}

static void push_call(struct peer_machine *machine, uint32_t op)
{
    if (machine->call_count == PEER_CALLS) {
        memmove(machine->calls, machine->calls + 1, sizeof machine->calls - sizeof *machine->calls);
        machine->call_count--;
    }
    machine->calls[machine->call_count++] = op;
}

/* A call's return that this branch could go to. */
static bool pop_call(struct peer_machine *machine, const struct peer_op *branch, uint32_t *op)
{
    const struct peer_op *target;

    if (machine->call_count == 0)
        return false;
    target = op_at(machine, machine->calls[machine->call_count - 1]);
    if (((branch->flags & PEER_OP_SAME_ISA) && target->isa != branch->isa) ||
        machine->program->regions[target->region].kernel !=
            machine->program->regions[branch->region].kernel)
        return false;
    *op = machine->calls[--machine->call_count];
    return true;
}

static void return_from_exception(struct peer_machine *machine)
{
    if (machine->frame_count > 0 && peer_random_percent(machine->random, 90)) {
        const struct peer_frame *frame = &machine->frames[--machine->frame_count];

        machine->at = frame->op;
        machine->context = frame->context;
        return;
    }
    machine->at = pick(machine, peer_random_percent(machine->random, 20), CAIRN_ISA_UNKNOWN);
    set_privilege(machine, machine->at);
}

static void go_indirect(struct peer_machine *machine, uint32_t index)
{
    const struct peer_op *op = op_at(machine, index);
    const bool fixed = (op->flags & PEER_OP_SAME_ISA) || op->isa == CAIRN_ISA_A64;
    const unsigned percent = op->flags & PEER_OP_RETURN ? RETURN_PERCENT : INDIRECT_PERCENT;

    if (op->flags & PEER_OP_ERET) {
        return_from_exception(machine);
        return;
    }
    if ((op->flags & PEER_OP_LINK) && peer_random_percent(machine->random, NEXT_PERCENT)) {
        machine->at = index + 1;
        return;
    }
    if (!(op->flags & PEER_OP_LINK) && peer_random_percent(machine->random, percent) &&
        pop_call(machine, op, &machine->at))
        return;
    machine->at = pick(machine, in_kernel(machine, index),
                       fixed ? (enum cairn_isa)op->isa : CAIRN_ISA_UNKNOWN);
}

void peer_machine_branch(struct peer_machine *machine, uint32_t index, bool taken)
{
    const struct peer_op *op = op_at(machine, index);

    if (!taken || (op->kind != PEER_OP_DIRECT && op->kind != PEER_OP_INDIRECT)) {
        machine->at = index + 1;
        if (op->kind == PEER_OP_ISB && in_kernel(machine, index) &&
            peer_random_percent(machine->random, SWITCH_PERCENT))
            switch_ids(machine);
        return;
    }
    if (op->kind == PEER_OP_DIRECT)
        machine->at = op->target;
    else
        go_indirect(machine, index);
    if (op->flags & PEER_OP_LINK)
        push_call(machine, index + 1);
}

static void take_exception(struct peer_machine *machine, uint32_t resume)
{
    const struct cairn_context interrupted = machine->context;

    if (machine->frame_count == PEER_FRAMES)
        machine->frame_count = 0;
    machine->frames[machine->frame_count].op = resume;
    machine->frames[machine->frame_count++].context = interrupted;
    machine->at = pick(machine, true, CAIRN_ISA_UNKNOWN);
    set_privilege(machine, machine->at);
    if (peer_random_percent(machine->random, 5))
        switch_ids(machine);
}

static bool is_p0(const struct peer_machine *machine, const struct peer_op *op)
{
    return op->kind == PEER_OP_DIRECT || op->kind == PEER_OP_INDIRECT || op->kind == PEER_OP_ISB ||
           (op->kind == PEER_OP_WAIT && machine->rules->waits_are_p0);
}

/* The next P0 instruction or SVC. */
static uint32_t block_end(const struct peer_machine *machine)
{
    uint32_t op = machine->at;

    while (!is_p0(machine, op_at(machine, op)) && op_at(machine, op)->kind != PEER_OP_CALL)
        op++;
    return op;
}

static bool draw_outcome(struct peer_machine *machine, uint32_t op)
{
    return !(op_at(machine, op)->flags & PEER_OP_MAY_FALL) ||
           peer_random_percent(machine->random, TAKEN_PERCENT);
}

static uint16_t draw_type(struct peer_machine *machine)
{
    static const uint8_t types[] = {0x03, 0x04, 0x06, 0x07, 0x0a, 0x0b, 0x0c, 0x0e, 0x0f, 0x0e};

    return types[peer_random_below(machine->random, sizeof types)];
}

static void exception_step(struct peer_machine *machine, struct peer_step *step, uint32_t resume,
                           uint16_t type)
{
    step->kind = PEER_STEP_EXCEPTION;
    step->count = resume - step->first;
    step->resume = resume;
    step->type = type;
    take_exception(machine, resume);
    step->next = machine->at;
}

static void p0_step(struct peer_machine *machine, struct peer_step *step, uint32_t end)
{
    step->kind = PEER_STEP_P0;
    step->count = end - step->first + 1;
    step->taken = draw_outcome(machine, end);
    peer_machine_branch(machine, end, step->taken);
    step->next = machine->at;
}

static void begin(const struct peer_machine *machine, struct peer_step *step)
{
    memset(step, 0, sizeof *step);
    step->first = machine->at;
    step->context = machine->context;
}

void peer_machine_step(struct peer_machine *machine, struct peer_step *step)
{
    const uint32_t end = block_end(machine);

    begin(machine, step);
    if (peer_random_percent(machine->random, machine->rules->exception_percent)) {
        const uint32_t resume = peer_random_range(machine->random, machine->at, end);

        exception_step(machine, step, resume, draw_type(machine));
        return;
    }
    if (op_at(machine, end)->kind == PEER_OP_CALL)
        exception_step(machine, step, end + 1, TYPE_CALL);
    else
        p0_step(machine, step, end);
}

bool peer_machine_guess(struct peer_machine *machine, struct peer_step *step)
{
    const uint32_t end = block_end(machine);
    const struct peer_op *op = op_at(machine, end);

    if (op->kind == PEER_OP_CALL || op->kind == PEER_OP_ISB || (op->flags & PEER_OP_ERET))
        return false;
    begin(machine, step);
    p0_step(machine, step, end);
    return true;
}
