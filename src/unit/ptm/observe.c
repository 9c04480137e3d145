/* SPDX-License-Identifier: BSD-2-Clause */
/* What the PE does, as a feed tells it. */
#include "unit/ptm/core.h"

static const struct cairn_ptm_place nowhere = {.isa = CAIRN_ISA_UNKNOWN};

static bool is_same(struct cairn_ptm_place a, struct cairn_ptm_place b)
{
    return a.address == b.address && a.isa == b.isa;
}

static bool is_unseen(const struct cairn_ptm_unit *unit)
{
    return !unit->enabled || unit->prohibited || unit->debug;
}

/* Execution is at `place`: there the run goes on, or begins. */
static void arrive(struct cairn_ptm_unit *unit, struct cairn_ptm_place place, bool exact)
{
    if (unit->waiting.wait != CAIRN_PTM_WAIT_NOTHING) {
        cairn_ptm_reach(unit, place);
        return;
    }
    if (unit->next.isa != CAIRN_ISA_UNKNOWN && exact && !is_same(unit->next, place)) {
        unit->counters.discontinuities++;
        cairn_ptm_break(unit, CAIRN_PTM_TRACE_ON);
    }
    if (!unit->run.begun)
        cairn_ptm_begin_run(unit, place, unit->clock, unit->time);
    else if (unit->run.empty)
        cairn_ptm_start_run(unit);
}

static void extend_run(struct cairn_ptm_unit *unit, const struct cairn_block *block)
{
    struct cairn_ptm_run *run = &unit->run;

    run->empty = false;
    run->last = (block->address + block->size - block->last_size) & UINT32_MAX;
    run->last_size = block->last_size;
    run->last_isa = block->isa;
    run->instructions += block->count;
}

static struct cairn_ptm_place follows(const struct cairn_block *block, bool taken)
{
    struct cairn_ptm_place place = {.address = (block->address + block->size) & UINT32_MAX,
                                    .isa = block->isa};

    if (taken && block->kind == CAIRN_INSN_BRANCH_INDIRECT)
        return nowhere;
    if (taken && block->kind == CAIRN_INSN_BRANCH_DIRECT) {
        place.address = block->target & UINT32_MAX;
        if (block->target_isa != CAIRN_ISA_UNKNOWN)
            place.isa = block->target_isa;
    }
    return place;
}

void cairn_ptm_unit_execute(struct cairn_unit *base, const struct cairn_block *block, bool taken)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);
    const struct cairn_ptm_place place = {.address = block->address, .isa = block->isa};

    if (!unit->enabled)
        return;
    unit->counters.blocks++;
    unit->counters.instructions += block->count;
    if (unit->prohibited || unit->debug)
        return;
    if (block->isa != CAIRN_ISA_A32 && block->isa != CAIRN_ISA_T32) { /* no packet has them */
        cairn_ptm_break(unit, CAIRN_PTM_TRACE_ON);
        return;
    }
    arrive(unit, place, true);
    extend_run(unit, block);
    unit->next = follows(block, taken);
    if (base->p0_kinds >> (block->kind & 31u) & 1u)
        cairn_ptm_trace_block(unit, block, taken);
}

/* The preferred return address of these need not be where execution stopped. */
static bool is_imprecise(unsigned type)
{
    return type == CAIRN_EXCEPTION_SYSTEM_ERROR || type == CAIRN_EXCEPTION_DEBUG_HALT ||
           type == CAIRN_EXCEPTION_PE_RESET;
}

void cairn_ptm_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                              enum cairn_isa isa)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);
    const bool thumb = isa == CAIRN_ISA_T32;
    const struct cairn_ptm_place place = {.address = address & (thumb ? 0xfffffffeu : 0xfffffffcu),
                                          .isa = thumb ? CAIRN_ISA_T32 : CAIRN_ISA_A32};

    if (type == CAIRN_EXCEPTION_PE_RESET)
        unit->debug = false;
    if (is_unseen(unit))
        return;
    arrive(unit, place, !is_imprecise(type));
    cairn_ptm_trace_exception(unit, type, place);
    unit->next = nowhere;
}

void cairn_ptm_unit_context(struct cairn_unit *base, const struct cairn_context *context)
{
    cairn_ptm_unit(base)->context = *context;
}

void cairn_ptm_unit_prohibit(struct cairn_unit *base, bool prohibited)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    if (prohibited && !is_unseen(unit)) {
        cairn_ptm_leave(unit);
        cairn_ptm_break(unit, CAIRN_PTM_TRACE_ON);
        unit->next = nowhere;
    }
    unit->prohibited = prohibited;
}

void cairn_ptm_unit_debug_state(struct cairn_unit *base, bool debug)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    if (debug && !is_unseen(unit)) {
        cairn_ptm_break(unit, CAIRN_PTM_DEBUG_EXIT);
        cairn_unit_pipe_flush(&unit->pipe); /* the FIFO drains (4.18) */
        unit->next = nowhere;
    }
    unit->debug = debug;
}

/* Before a wait for an interrupt what was traced comes out (4.9). */
void cairn_ptm_unit_low_power(struct cairn_unit *base, bool low)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    if (low && unit->enabled)
        cairn_unit_pipe_flush(&unit->pipe);
}

void cairn_ptm_unit_cycles(struct cairn_unit *base, uint64_t cycles)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    unit->clock += cycles;
    if (unit->pipe.fifo_bytes > 0)
        cairn_unit_pipe_cycles(&unit->pipe, cycles);
}

void cairn_ptm_unit_time(struct cairn_unit *base, uint64_t time)
{
    cairn_ptm_unit(base)->time = time;
}

void cairn_ptm_unit_inputs(struct cairn_unit *base, uint32_t inputs)
{
    cairn_ptm_unit(base)->inputs = inputs;
}

/* The trigger: one a session (3.14). */
void cairn_ptm_unit_event(struct cairn_unit *base, unsigned number)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    if (number != 0 || !unit->enabled || unit->triggered)
        return;
    unit->triggered = true;
    cairn_unit_pipe_put(&unit->pipe, CAIRN_ELEMENT_EVENT, 0, &(struct cairn_element_data){0});
}
