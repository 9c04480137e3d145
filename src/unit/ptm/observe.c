/* SPDX-License-Identifier: BSD-2-Clause */
/* What the PE executes, as a feed tells it. */
#include "unit/ptm/core.h"

static const struct cairn_ptm_place nowhere = {.isa = CAIRN_ISA_UNKNOWN};

static bool is_same(struct cairn_ptm_place a, struct cairn_ptm_place b)
{
    return a.address == b.address && a.isa == b.isa;
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

static void set_jazelle(struct cairn_ptm_unit *unit, bool jazelle)
{
    unit->jazelle = jazelle;
    unit->resources.jazelle = jazelle;
}

/* The branch that leads there is traced; then nothing is, until an I-sync behind it (4.17). */
static void enter_jazelle(struct cairn_ptm_unit *unit, struct cairn_ptm_place place)
{
    if (unit->jazelle)
        return;
    if (unit->waiting.wait != CAIRN_PTM_WAIT_NOTHING)
        cairn_ptm_reach(unit, place);
    cairn_ptm_break(unit, CAIRN_PTM_TRACE_ON);
    unit->next = nowhere;
    set_jazelle(unit, true);
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

    if (!unit->enabled) {
        cairn_ptm_see_unseen(unit, block, CAIRN_UNIT_WHY_DISABLED);
        return;
    }
    unit->counters.blocks++;
    unit->counters.instructions += block->count;
    if (unit->prohibited || unit->debug) {
        cairn_ptm_see_unseen(unit, block,
                             (unit->prohibited ? CAIRN_UNIT_WHY_PROHIBITED : 0) |
                                 (unit->debug ? CAIRN_UNIT_WHY_DEBUG : 0));
        return;
    }
    if (block->isa == CAIRN_UNIT_ISA_JAZELLE) {
        enter_jazelle(unit, place);
        cairn_ptm_see_unseen(unit, block, CAIRN_UNIT_WHY_NO_PACKETS);
        return;
    }
    set_jazelle(unit, false);
    if (block->isa != CAIRN_ISA_A32 && !cairn_ptm_is_thumb(block->isa)) { /* no packet has them */
        cairn_ptm_break(unit, CAIRN_PTM_TRACE_ON);
        cairn_ptm_see_unseen(unit, block, CAIRN_UNIT_WHY_NO_PACKETS);
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
    const bool thumb = cairn_ptm_is_thumb((uint8_t)isa);
    const struct cairn_ptm_place place = {.address = address & (thumb ? 0xfffffffeu : 0xfffffffcu),
                                          .isa = thumb ? (uint8_t)isa : CAIRN_ISA_A32};

    if (type == CAIRN_EXCEPTION_PE_RESET)
        unit->debug = false;
    if (cairn_ptm_is_unseen(unit))
        return;
    set_jazelle(unit, false);
    if ((unsigned)isa == CAIRN_UNIT_ISA_JAZELLE) /* of bytecode: not reported (5.3.10) */
        return;
    arrive(unit, place, !is_imprecise(type));
    cairn_ptm_trace_exception(unit, type, place);
    unit->next = nowhere;
}

void cairn_ptm_unit_context(struct cairn_unit *base, const struct cairn_context *context)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    cairn_ptm_judge_context(unit, context);
    unit->context = *context;
    cairn_ptm_apply_prohibition(unit);
}
