/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions -> statuses (IHI0014 5.1, 5.5, 4.5.3). */
#include "unit/etmv1/core.h"
#include "unit/etmv3/block.h"

#define VECTORS_LAST UINT32_C(0x1c)

static const struct cairn_pins_location nowhere = {.isa = CAIRN_ISA_UNKNOWN};

/* --- the end of an instruction --- */

static bool is_vector(const struct cairn_etmv1_unit *unit, struct cairn_pins_location place)
{
    return place.address - cairn_pins_vectors(&unit->common) <= VECTORS_LAST;
}

/* Whether the status says that there is an address. */
static bool has_address(const struct cairn_etmv1_unit *unit, const struct cairn_etmv1_step *step,
                        struct cairn_pins_location place)
{
    if (step->exception > 0 || step->indirect)
        return true;
    return step->direct && (unit->common.branch_output || is_vector(unit, place) ||
                            cairn_etmv1_forces_address(unit));
}

static unsigned plain_status(const struct cairn_etmv1_step *step)
{
    if (!step->passed)
        return CAIRN_ETMV1_PIPESTAT_IN;
    return step->data ? CAIRN_ETMV1_PIPESTAT_ID : CAIRN_ETMV1_PIPESTAT_IE;
}

/* Without its address a branch has no status; its data has to have one (5.9). */
static void finish_without_address(struct cairn_etmv1_unit *unit)
{
    if (unit->last.data)
        cairn_etmv1_show(unit, CAIRN_ETMV1_PIPESTAT_ID);
}

void cairn_etmv1_finish(struct cairn_etmv1_unit *unit, struct cairn_pins_location place)
{
    struct cairn_etmv1_step *last = &unit->last;

    if (!last->pending)
        return;
    last->pending = false;
    if (last->overflows) {
        finish_without_address(unit);
        cairn_etmv1_overflow(unit);
    } else if (!has_address(unit, last, place)) {
        cairn_etmv1_show(unit, plain_status(last));
    } else if (place.isa == CAIRN_ISA_UNKNOWN) {
        finish_without_address(unit);
    } else if (!cairn_etmv1_put_branch(
                   unit, last->data ? CAIRN_ETMV1_PIPESTAT_BD : CAIRN_ETMV1_PIPESTAT_BE, place)) {
        finish_without_address(unit);
        cairn_etmv1_overflow(unit);
    }
}

void cairn_etmv1_lose_path(struct cairn_etmv1_unit *unit)
{
    cairn_etmv1_finish(unit, unit->common.next);
    cairn_etmv1_stop(unit);
    unit->common.next = nowhere;
    unit->last = (struct cairn_etmv1_step){.place = nowhere};
}

/* --- the beginning of one --- */

/* For whoever asks: an instruction that was told. */
static void see(struct cairn_etmv1_unit *unit, const struct cairn_etmv3_instruction *instruction,
                uint8_t isa)
{
    const struct cairn_unit_seen seen = cairn_pins_seen(&unit->common, instruction, isa);
    const bool enabled = cairn_pins_trace_enable(&unit->common);

    cairn_unit_see(&unit->common.base.sight, seen, unit->last.traced,
                   cairn_pins_why(&unit->common, enabled, unit->last.traced));
}

/* What is not traced takes a cycle as well, in which the FIFO drains. */
static void begin_instruction(struct cairn_etmv1_unit *unit,
                              const struct cairn_etmv3_instruction *instruction, uint8_t isa)
{
    const struct cairn_pins_location place = {instruction->address, isa};

    cairn_etmv1_finish(unit, place);
    if (unit->common.watches)
        cairn_etmv3_see_instruction(&unit->common.resources, &unit->common.registers.file,
                                    instruction);
    unit->last = (struct cairn_etmv1_step){.place = place, .passed = instruction->passed};

    const bool enabled = cairn_pins_trace_enable(&unit->common);

    if (!enabled)
        cairn_etmv1_stop(unit);
    unit->last.traced = enabled && cairn_etmv1_make_ready(unit, place);
    unit->last.pending = unit->last.traced;
    if (!unit->last.traced)
        cairn_etmv1_show_wait(unit, 1);
    unit->common.after_debug = false;
    if (unit->common.watches)
        cairn_etmv1_sample(unit);
}

/* The halves of a BL or BLX pair are two instructions. */
static void run_block(struct cairn_etmv1_unit *unit, const struct cairn_block *block, bool taken)
{
    const uint32_t count = cairn_etmv3_block_count(block);

    for (uint32_t n = 0; n < count; n++) {
        const struct cairn_etmv3_instruction whole = cairn_etmv3_block_instruction(block, n, taken);
        struct cairn_etmv3_instruction instruction = whole;

        if (block->isa == CAIRN_ISA_T32 && instruction.size == 4) {
            instruction.size = 2;
            begin_instruction(unit, &instruction, block->isa);
            instruction.address += 2;
        }
        begin_instruction(unit, &instruction, block->isa);
        unit->common.counters.traced += unit->last.traced;
        if (unit->common.base.sight.observe)
            see(unit, &whole, block->isa);
    }
}

static void go_on(struct cairn_etmv1_unit *unit, const struct cairn_block *block, bool taken)
{
    unit->last.direct = block->kind == CAIRN_INSN_BRANCH_DIRECT && taken;
    unit->last.indirect = block->kind == CAIRN_INSN_BRANCH_INDIRECT && taken;
    unit->common.next = cairn_pins_successor(block, taken);
}

/* Nothing is traced in Jazelle state but the way in and out: all of it is one instruction, whose end
 * is a branch (5.11). */
static void run_bytecode(struct cairn_etmv1_unit *unit, const struct cairn_block *block)
{
    const struct cairn_etmv3_instruction instruction = {
        .address = (uint32_t)block->address, .size = 1, .passed = true};

    if (unit->common.base.sight.observe)
        cairn_unit_see(&unit->common.base.sight,
                       cairn_unit_seen_block(block, &unit->common.resources.context), false,
                       CAIRN_UNIT_WHY_NO_PACKETS);
    if (unit->last.place.isa == CAIRN_UNIT_ISA_JAZELLE) {
        cairn_etmv1_show_wait(unit, 1);
        return;
    }
    if (!unit->edition->jazelle) {
        cairn_etmv1_lose_path(unit);
        return;
    }
    begin_instruction(unit, &instruction, block->isa);
    unit->last.indirect = true;
    unit->common.next = nowhere;
}

void cairn_etmv1_unit_execute(struct cairn_unit *base, const struct cairn_block *block, bool taken)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    const struct cairn_pins_location place = {(uint32_t)block->address, block->isa};
    const uint32_t why = cairn_pins_why_asleep(&unit->common);

    if (why != 0) {
        if (base->sight.observe)
            cairn_unit_see(&base->sight,
                           cairn_unit_seen_block(block, &unit->common.resources.context), false,
                           why);
        return;
    }
    unit->common.counters.blocks++;
    unit->common.counters.instructions += cairn_etmv3_block_count(block);
    if (cairn_pins_is_elsewhere(&unit->common, place)) {
        unit->common.counters.discontinuities++;
        cairn_etmv1_lose_path(unit);
    }
    if (block->isa == CAIRN_UNIT_ISA_JAZELLE) {
        run_bytecode(unit, block);
        return;
    }
    run_block(unit, block, taken);
    go_on(unit, block, taken);
}

/* --- exceptions --- */

/* An instruction that has not been told: the exception cancels it, or it is what raises it, and its
 * status is that of the branch (4.5.3). */
static void begin_excepted(struct cairn_etmv1_unit *unit, struct cairn_pins_location place)
{
    const struct cairn_etmv3_instruction instruction = cairn_pins_excepted(place);

    if (unit->common.next.isa != CAIRN_ISA_UNKNOWN && unit->common.next.address != place.address) {
        unit->common.counters.discontinuities++;
        cairn_etmv1_lose_path(unit);
    }
    begin_instruction(unit, &instruction, place.isa);
}

void cairn_etmv1_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                                enum cairn_isa isa)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);
    const struct cairn_pins_location place = {(uint32_t)address, (uint8_t)isa};

    if (!unit->common.enabled || unit->common.debug || unit->common.resources.prohibited)
        return;
    if (type == CAIRN_EXCEPTION_DEBUG_HALT) {
        cairn_etmv1_finish(unit, place);
        unit->common.next = nowhere;
        return;
    }
    const struct cairn_pins_last last = {unit->last.place, unit->last.aborted,
                                         unit->last.exception > 0};
    const bool of_last = cairn_pins_ends_last(&unit->common, &last, type, place.address);

    if (!of_last && type != CAIRN_EXCEPTION_PE_RESET)
        begin_excepted(unit, place);
    if (unit->last.pending && (of_last || type != CAIRN_EXCEPTION_PE_RESET)) {
        unit->last.passed = true;
        unit->last.exception = (uint8_t)(type < UINT8_MAX ? type + 1 : UINT8_MAX);
        unit->common.counters.exceptions++;
    } else { /* nothing that is traced leads there */
        cairn_etmv1_lose_path(unit);
    }
    unit->common.next = nowhere;
}

/* --- context and regions --- */

void cairn_etmv1_unit_context(struct cairn_unit *base, const struct cairn_context *context)
{
    cairn_etmv1_unit(base)->common.resources.context = *context;
}

void cairn_etmv1_hide_path(struct cairn_unit *base)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    if (unit->last.exception > 0)
        cairn_etmv1_finish(unit, cairn_pins_vector(&unit->common, unit->last.exception - 1u));
    cairn_etmv1_lose_path(unit);
}

void cairn_etmv1_unit_debug_state(struct cairn_unit *base, bool debug)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    if (unit->common.enabled && debug != unit->common.debug) {
        cairn_etmv1_lose_path(unit);
        unit->common.after_debug = !debug;
    }
    unit->common.debug = debug;
}

/* The WFI or WFE is traced, then the FIFO drains, and trace begins anew with what follows (4.12). */
void cairn_etmv1_unit_low_power(struct cairn_unit *base, bool low)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    if (!unit->common.enabled || !low)
        return;
    cairn_etmv1_lose_path(unit);
    while (cairn_etmv1_port_is_busy(&unit->port))
        cairn_etmv1_show_wait(unit, 1);
}
