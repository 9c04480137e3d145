/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions -> statuses and branch addresses (IHI0014 6.1, 6.7). */
#include "unit/etmv2/core.h"
#include "unit/etmv3/block.h"

static const struct cairn_pins_location nowhere = {.isa = CAIRN_ISA_UNKNOWN};

/* --- what follows from the instruction before --- */

static bool owes_target(const struct cairn_etmv2_unit *unit)
{
    return unit->owes_branch || unit->excepted;
}

/* An exception's vector is in ARM state: there is no E bit for another (6.7.1). */
static void put_target(struct cairn_etmv2_unit *unit, struct cairn_pins_location location)
{
    const struct cairn_etmv2_place place = cairn_etmv2_place_of(location);
    struct cairn_etmv2_cycle *cycle = cairn_etmv2_open_cycle(unit);
    uint8_t packet[CAIRN_ETMV2_WHOLE_ADDRESS];

    if (!owes_target(unit)) /* what was in hand had no room, and it is lost */
        return;
    cairn_etmv2_add(cycle, packet,
                    cairn_etmv2_encode_branch(&unit->encoder, place,
                                              unit->excepted && unit->cancels && !place.thumb,
                                              packet));
    cycle->ended = true;
    unit->owes_branch = false;
    unit->excepted = false;
}

void cairn_etmv2_introduce(struct cairn_etmv2_unit *unit, struct cairn_pins_location place)
{
    cairn_etmv2_put_context(unit);
    if (owes_target(unit))
        put_target(unit, place);
}

/* Of a target that is not traced itself the Context ID is not told either. */
void cairn_etmv2_stop(struct cairn_etmv2_unit *unit, struct cairn_pins_location place)
{
    if (owes_target(unit))
        put_target(unit, place);
    unit->tracing = false;
}

void cairn_etmv2_lose_path(struct cairn_etmv2_unit *unit)
{
    unit->tracing = false;
    unit->owes_branch = false;
    unit->excepted = false;
    unit->common.next = nowhere;
    unit->last = (struct cairn_etmv2_last){.place = nowhere};
    unit->mover = (struct cairn_etmv2_mover){.place = nowhere};
}

/* --- an instruction begins --- */

/* For whoever asks, when the cycle is shown. */
static void note(struct cairn_etmv2_unit *unit, const struct cairn_etmv3_instruction *instruction,
                 uint8_t isa, bool enabled)
{
    struct cairn_etmv2_cycle *cycle = &unit->now;

    if (!unit->common.base.sight.observe ||
        cycle->sight_count == sizeof cycle->sights / sizeof *cycle->sights)
        return;
    cycle->sights[cycle->sight_count++] = (struct cairn_etmv2_sight){
        .seen = cairn_pins_seen(&unit->common, instruction, isa),
        .traced = unit->last.traced,
        .why = cairn_pins_why(&unit->common, enabled, unit->last.traced),
    };
}

/* Whose transfers come: of the instruction that begins, unless an earlier one's are on their way. */
static void begin_transfers(struct cairn_etmv2_unit *unit, struct cairn_pins_location place)
{
    if (unit->mover.pending > 0) {
        unit->mover.beneath = true;
        return;
    }
    unit->mover = (struct cairn_etmv2_mover){
        .place = place,
        .ranges = unit->common.resources.instruction_ranges,
        .matches = unit->common.resources.instruction_matches,
    };
}

/* The branch in the cycle in hand, which puts nothing into the FIFO, and this instruction execute in
 * parallel (6.1.2). Trace that cannot begin with the one does not with the other. */
static bool folds(const struct cairn_etmv2_unit *unit, bool wanted)
{
    const struct cairn_etmv2_cycle *now = &unit->now;

    if (!now->used || !now->folds || now->size > 0)
        return false;
    return now->begins ? wanted && unit->tracing : !wanted || now->enabled;
}

static void begin_cycle(struct cairn_etmv2_unit *unit)
{
    struct cairn_etmv2_cycle *now = &unit->now;

    now->used = true;
    now->begins = unit->last.traced;
    now->passed = unit->last.passed;
    now->folds = false;
    now->enabled = unit->last.enabled;
    now->whole = unit->last.whole;
    now->counts = unit->tracing;
    now->place = unit->last.place;
    now->context_id = unit->told_context;
}

/* What is in hand is shown, but for a branch that this instruction is folded with; trace begins, if it is not
 * on. What is not traced takes a cycle as well, in which the FIFO drains. */
static void begin_status(struct cairn_etmv2_unit *unit, struct cairn_pins_location place,
                         bool wanted)
{
    const bool is_folded = folds(unit, wanted);
    const uint8_t phantom = unit->now.passed ? CAIRN_ETMV2_PIPESTAT_PT : CAIRN_ETMV2_PIPESTAT_PN;

    if (unit->now.used && !is_folded)
        cairn_etmv2_show_now(unit);
    if (wanted && !unit->tracing && !is_folded)
        (void)cairn_etmv2_begin_trace(unit, place);
    cairn_etmv2_show_held(unit);
    unit->last.traced = wanted && unit->tracing;
    begin_cycle(unit);
    if (is_folded && unit->last.traced)
        unit->now.phantom = phantom;
}

void cairn_etmv2_begin(struct cairn_etmv2_unit *unit,
                       const struct cairn_etmv3_instruction *instruction, uint8_t isa,
                       const struct cairn_etmv3_instruction *whole)
{
    const struct cairn_pins_location place = {instruction->address, isa};

    if (unit->common.watches)
        cairn_etmv3_see_instruction(&unit->common.resources, &unit->common.registers.file,
                                    instruction);
    unit->last = (struct cairn_etmv2_last){
        .place = place, .passed = instruction->passed, .whole = whole != NULL};
    begin_transfers(unit, place);

    const bool enabled = cairn_pins_trace_enable(&unit->common);
    const bool wanted = enabled || cairn_etmv2_is_kept_on(unit);

    unit->last.enabled = enabled;
    unit->kept_until_now = false;
    if (wanted)
        cairn_etmv2_introduce(unit, place);
    else
        cairn_etmv2_stop(unit, place);
    begin_status(unit, place, wanted);
    if (!cairn_etmv2_is_beneath(unit)) {
        unit->mover.traced = unit->last.traced;
        unit->mover.counted = unit->last.traced || !unit->last.whole;
    }
    if (whole)
        note(unit, whole, isa, enabled);
    cairn_etmv2_return_data(unit);
    if (unit->common.watches)
        cairn_etmv2_sample(unit);
}

void cairn_etmv2_trace_last(struct cairn_etmv2_unit *unit)
{
    unit->last.traced = true;
    begin_cycle(unit);
    for (unsigned i = 0; i < unit->now.sight_count; i++)
        unit->now.sights[i].traced = true;
    unit->owes_branch = unit->last.branches;
}

/* --- blocks --- */

/* The halves of a BL or BLX pair are two instructions (4.5.4). */
static void run_block(struct cairn_etmv2_unit *unit, const struct cairn_block *block, bool taken)
{
    const uint32_t count = cairn_etmv3_block_count(block);

    for (uint32_t n = 0; n < count; n++) {
        const struct cairn_etmv3_instruction whole = cairn_etmv3_block_instruction(block, n, taken);
        struct cairn_etmv3_instruction instruction = whole;

        if (block->isa == CAIRN_ISA_T32 && instruction.size == 4) {
            instruction.size = 2;
            cairn_etmv2_begin(unit, &instruction, block->isa, NULL);
            instruction.address += 2;
        }
        cairn_etmv2_begin(unit, &instruction, block->isa, &whole);
    }
}

/* A core folds direct branches, which have no packets, if it predicts them (6.1.2). */
static bool may_fold(const struct cairn_etmv2_unit *unit, const struct cairn_block *block)
{
    return (unit->choices & CAIRN_UNIT_FOLD_BRANCHES) && !unit->last.branches &&
           block->kind == CAIRN_INSN_BRANCH_DIRECT;
}

static void go_on(struct cairn_etmv2_unit *unit, const struct cairn_block *block, bool taken)
{
    const bool direct = block->kind == CAIRN_INSN_BRANCH_DIRECT && taken;
    const bool indirect = block->kind == CAIRN_INSN_BRANCH_INDIRECT && taken;

    unit->common.next = cairn_pins_successor(block, taken);
    unit->last.branches = indirect || (direct && unit->common.branch_output);
    if (unit->last.traced)
        unit->owes_branch = unit->last.branches;
    unit->now.folds = unit->now.phantom == 0 && may_fold(unit, block);
}

/* Jazelle state is not of this version. */
static bool takes(struct cairn_etmv2_unit *unit, const struct cairn_block *block)
{
    uint32_t why = cairn_pins_why_asleep(&unit->common);
    const bool known = block->isa == CAIRN_ISA_A32 || block->isa == CAIRN_ISA_T32;

    if (why == 0 && known)
        return true;
    if (why == 0) {
        cairn_etmv2_lose_path(unit);
        why = CAIRN_UNIT_WHY_NO_PACKETS;
    }
    if (unit->common.base.sight.observe) {
        cairn_etmv2_show_now(unit);
        cairn_unit_see(&unit->common.base.sight,
                       cairn_unit_seen_block(block, &unit->common.resources.context), false, why);
    }
    return false;
}

void cairn_etmv2_unit_execute(struct cairn_unit *base, const struct cairn_block *block, bool taken)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);
    const struct cairn_pins_location place = {(uint32_t)block->address, block->isa};

    if (!takes(unit, block))
        return;
    unit->common.counters.blocks++;
    unit->common.counters.instructions += cairn_etmv3_block_count(block);
    if (cairn_pins_is_elsewhere(&unit->common, place)) {
        unit->common.counters.discontinuities++;
        cairn_etmv2_lose_path(unit);
    }
    run_block(unit, block, taken);
    go_on(unit, block, taken);
}

/* In the cycle of the instruction that is in hand; where time was told since, with the next one, unless
 * that begins at once. */
void cairn_etmv2_unit_context(struct cairn_unit *base, const struct cairn_context *context)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    unit->common.resources.context = *context;
    if (unit->common.enabled && unit->now.used)
        cairn_etmv2_put_context(unit);
}
