/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions -> statuses (IHI0014 5.1, 5.5, 4.5.3). */
#include "unit/etmv1/core.h"
#include "unit/etmv3/block.h"

#define HIGH_VECTORS UINT32_C(0xffff0000)
#define VECTORS_LAST UINT32_C(0x1c)

static const struct cairn_etmv1_location nowhere = {.isa = CAIRN_ISA_UNKNOWN};

/* --- the end of an instruction --- */

static uint32_t vectors(const struct cairn_etmv1_unit *unit)
{
    return unit->registers.HIVECS ? HIGH_VECTORS : 0;
}

static bool is_vector(const struct cairn_etmv1_unit *unit, struct cairn_etmv1_location place)
{
    return place.address - vectors(unit) <= VECTORS_LAST;
}

/* Whether the status says that there is an address. */
static bool has_address(const struct cairn_etmv1_unit *unit, const struct cairn_etmv1_step *step,
                        struct cairn_etmv1_location place)
{
    if (step->exception > 0 || step->indirect)
        return true;
    return step->direct &&
           (unit->branch_output || is_vector(unit, place) || cairn_etmv1_forces_address(unit));
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

void cairn_etmv1_finish(struct cairn_etmv1_unit *unit, struct cairn_etmv1_location place)
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
    cairn_etmv1_finish(unit, unit->next);
    cairn_etmv1_stop(unit);
    unit->next = nowhere;
    unit->last = (struct cairn_etmv1_step){.place = nowhere};
}

/* --- the beginning of one --- */

/* For whoever asks: an instruction that was told. */
static void see(struct cairn_etmv1_unit *unit, const struct cairn_etmv3_instruction *instruction,
                uint8_t isa)
{
    const bool enabled = cairn_etmv1_trace_enable(unit);
    uint32_t why = 0;

    if (!enabled)
        why = unit->watches ? cairn_etmv3_low_terms(&unit->resources, &unit->registers.file)
                            : CAIRN_UNIT_WHY_PROHIBITED;
    else if (!unit->last.traced)
        why = CAIRN_UNIT_WHY_OVERFLOW;
    cairn_unit_see(&unit->base.sight,
                   (struct cairn_unit_seen){
                       .size = sizeof(struct cairn_unit_seen),
                       .address = instruction->address,
                       .end = (uint64_t)instruction->address + instruction->size,
                       .instructions = 1,
                       .isa = isa,
                       .context = unit->resources.context,
                   },
                   unit->last.traced, why);
}

/* What is not traced takes a cycle as well, in which the FIFO drains. */
static void begin_instruction(struct cairn_etmv1_unit *unit,
                              const struct cairn_etmv3_instruction *instruction, uint8_t isa)
{
    const struct cairn_etmv1_location place = {instruction->address, isa};

    cairn_etmv1_finish(unit, place);
    if (unit->watches)
        cairn_etmv3_see_instruction(&unit->resources, &unit->registers.file, instruction);
    unit->last = (struct cairn_etmv1_step){.place = place, .passed = instruction->passed};

    const bool enabled = cairn_etmv1_trace_enable(unit);

    if (!enabled)
        cairn_etmv1_stop(unit);
    unit->last.traced = enabled && cairn_etmv1_make_ready(unit, place);
    unit->last.pending = unit->last.traced;
    if (!unit->last.traced)
        cairn_etmv1_show_wait(unit, 1);
    unit->after_debug = false;
    if (unit->watches)
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
        unit->counters.traced += unit->last.traced;
        if (unit->base.sight.observe)
            see(unit, &whole, block->isa);
    }
}

static void go_on(struct cairn_etmv1_unit *unit, const struct cairn_block *block, bool taken)
{
    unit->last.direct = block->kind == CAIRN_INSN_BRANCH_DIRECT && taken;
    unit->last.indirect = block->kind == CAIRN_INSN_BRANCH_INDIRECT && taken;
    unit->next = (struct cairn_etmv1_location){(uint32_t)block->address + block->size, block->isa};
    if (unit->last.indirect)
        unit->next = nowhere;
    if (!unit->last.direct)
        return;
    unit->next.address = (uint32_t)block->target;
    if (block->target_isa != CAIRN_ISA_UNKNOWN)
        unit->next.isa = block->target_isa;
}

/* Nothing is traced in Jazelle state but the way in and out: all of it is one instruction, whose end
 * is a branch (5.11). */
static void run_bytecode(struct cairn_etmv1_unit *unit, const struct cairn_block *block)
{
    const struct cairn_etmv3_instruction instruction = {
        .address = (uint32_t)block->address, .size = 1, .passed = true};

    if (unit->base.sight.observe)
        cairn_unit_see(&unit->base.sight, cairn_unit_seen_block(block, &unit->resources.context),
                       false, CAIRN_UNIT_WHY_NO_PACKETS);
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
    unit->next = nowhere;
}

void cairn_etmv1_unit_execute(struct cairn_unit *base, const struct cairn_block *block, bool taken)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    if (!unit->enabled || unit->debug) {
        if (base->sight.observe)
            cairn_unit_see(&base->sight, cairn_unit_seen_block(block, &unit->resources.context),
                           false,
                           (unit->enabled ? 0 : CAIRN_UNIT_WHY_DISABLED) |
                               (unit->debug ? CAIRN_UNIT_WHY_DEBUG : 0));
        return;
    }
    unit->counters.blocks++;
    unit->counters.instructions += cairn_etmv3_block_count(block);
    if (unit->next.isa != CAIRN_ISA_UNKNOWN &&
        (unit->next.address != (uint32_t)block->address || unit->next.isa != block->isa)) {
        unit->counters.discontinuities++;
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

static uint32_t offset_of(unsigned type)
{
    switch (type) {
    case CAIRN_EXCEPTION_PE_RESET: return 0x00;
    case CAIRN_EXCEPTION_CALL: return 0x08;
    case CAIRN_EXCEPTION_INST_DEBUG:
    case CAIRN_EXCEPTION_INST_FAULT: return 0x0c;
    case CAIRN_EXCEPTION_SYSTEM_ERROR:
    case CAIRN_EXCEPTION_DATA_DEBUG:
    case CAIRN_EXCEPTION_ALIGNMENT:
    case CAIRN_EXCEPTION_DATA_FAULT: return 0x10;
    case CAIRN_EXCEPTION_IRQ: return 0x18;
    case CAIRN_EXCEPTION_FIQ: return 0x1c;
    default: return 0x04;
    }
}

/* Whether the instruction told last ends with it: it was told though it did not complete, it called,
 * or it is abandoned by a reset. */
static bool is_of_last(const struct cairn_etmv1_unit *unit, unsigned type, uint32_t address)
{
    const struct cairn_etmv1_step *last = &unit->last;
    const bool leads_on =
        unit->next.isa != CAIRN_ISA_UNKNOWN && unit->next.address != last->place.address;

    if (last->place.isa == CAIRN_ISA_UNKNOWN || last->exception > 0)
        return false;
    return type == CAIRN_EXCEPTION_CALL || type == CAIRN_EXCEPTION_PE_RESET || last->aborted ||
           (last->place.address == address && leads_on);
}

/* An instruction that has not been told: the exception cancels it, or it is what raises it, and its
 * status is that of the branch (4.5.3). */
static void begin_excepted(struct cairn_etmv1_unit *unit, uint32_t address, enum cairn_isa isa)
{
    const struct cairn_etmv3_instruction instruction = {
        .address = address, .size = isa == CAIRN_ISA_T32 ? 2 : 4, .passed = true};

    if (unit->next.isa != CAIRN_ISA_UNKNOWN && unit->next.address != address) {
        unit->counters.discontinuities++;
        cairn_etmv1_lose_path(unit);
    }
    begin_instruction(unit, &instruction, (uint8_t)isa);
}

void cairn_etmv1_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                                enum cairn_isa isa)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);
    const struct cairn_etmv1_location place = {(uint32_t)address, (uint8_t)isa};

    if (!unit->enabled || unit->debug || unit->resources.prohibited)
        return;
    if (type == CAIRN_EXCEPTION_DEBUG_HALT) {
        cairn_etmv1_finish(unit, place);
        unit->next = nowhere;
        return;
    }
    const bool of_last = is_of_last(unit, type, place.address);

    if (!of_last && type != CAIRN_EXCEPTION_PE_RESET)
        begin_excepted(unit, place.address, isa);
    if (unit->last.pending && (of_last || type != CAIRN_EXCEPTION_PE_RESET)) {
        unit->last.passed = true;
        unit->last.exception = (uint8_t)(type < UINT8_MAX ? type + 1 : UINT8_MAX);
        unit->counters.exceptions++;
    } else { /* nothing that is traced leads there */
        cairn_etmv1_lose_path(unit);
    }
    unit->next = nowhere;
}

/* --- context and regions --- */

void cairn_etmv1_unit_context(struct cairn_unit *base, const struct cairn_context *context)
{
    cairn_etmv1_unit(base)->resources.context = *context;
}

static void hide(struct cairn_etmv1_unit *unit)
{
    const struct cairn_etmv1_location vector = {
        vectors(unit) + offset_of(unit->last.exception - 1u), CAIRN_ISA_A32};

    if (unit->last.exception > 0)
        cairn_etmv1_finish(unit, vector);
    cairn_etmv1_lose_path(unit);
}

static void prohibit(struct cairn_etmv1_unit *unit)
{
    const bool prohibited = unit->in_region || unit->resources.held;

    if (unit->enabled && prohibited && !unit->resources.prohibited)
        hide(unit);
    unit->next = nowhere;
    unit->resources.prohibited = prohibited;
}

void cairn_etmv1_unit_prohibit(struct cairn_unit *base, bool prohibited)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    unit->in_region = prohibited;
    prohibit(unit);
}

void cairn_etmv1_unit_authenticate(struct cairn_unit *base, uint32_t signals)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    unit->resources.held = !(signals & (CAIRN_UNIT_DBGEN | CAIRN_UNIT_NIDEN));
    prohibit(unit);
}

void cairn_etmv1_unit_debug_state(struct cairn_unit *base, bool debug)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    if (unit->enabled && debug != unit->debug) {
        cairn_etmv1_lose_path(unit);
        unit->after_debug = !debug;
    }
    unit->debug = debug;
}

/* The WFI or WFE is traced, then the FIFO drains, and trace begins anew with what follows (4.12). */
void cairn_etmv1_unit_low_power(struct cairn_unit *base, bool low)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);

    if (!unit->enabled || !low)
        return;
    cairn_etmv1_lose_path(unit);
    while (cairn_etmv1_port_is_busy(&unit->port))
        cairn_etmv1_show_wait(unit, 1);
}
