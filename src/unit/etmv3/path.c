/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions -> atoms and branch packets (IHI0014 7.3). */
#include "unit/etmv3/block.h"
#include "unit/etmv3/core.h"

#define MINOR_RETURN_M 4u /* 76: on the M profile from v3.4, on A and R from v3.5 */
#define MINOR_RETURN_A 5u

static const struct cairn_etmv3_place nowhere = {.isa = CAIRN_ISA_UNKNOWN};

/* --- branch packets --- */

static bool is_secure(const struct cairn_context *context)
{
    return context->security == CAIRN_SECURE;
}

/* What only a branch packet says. */
static bool state_changed(const struct cairn_etmv3_unit *unit)
{
    const struct cairn_context *now = &unit->resources.context;
    const uint32_t *values = unit->registers.values;
    const bool security = (values[CAIRN_ETMV3_REG_ETMIDR] >> 19 & 1u) != 0;
    const bool virtualization = unit->minor >= 5 && (values[CAIRN_ETMV3_REG_ETMCCER] >> 26 & 1u);

    return (security && is_secure(now) != is_secure(&unit->told)) ||
           (virtualization && (now->EL == 2) != (unit->told.EL == 2));
}

static bool context_changed(const struct cairn_etmv3_unit *unit)
{
    const struct cairn_context *now = &unit->resources.context;

    return now->context_id != unit->told.context_id || now->vmid != unit->told.vmid ||
           state_changed(unit);
}

static void put_exception(struct cairn_etmv3_unit *unit)
{
    const struct cairn_etmv3_unit_exception *exception = &unit->exception;
    const uint16_t flags = exception->paused ? CAIRN_ELEMENT_PAUSED : 0;
    const struct cairn_element_data cancel = {.value = 1, .info = exception->paused};
    const struct cairn_element_data data = {.value = cairn_etmv3_exception_type(unit, exception),
                                            .info = exception->paused};

    if (exception->cancels)
        cairn_etmv3_put(unit, CAIRN_ELEMENT_CANCEL, flags, &cancel);
    cairn_etmv3_put(unit, CAIRN_ELEMENT_EXCEPTION,
                    (uint16_t)(flags | CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_UNKNOWN), &data);
    unit->stamp_wanted = true;
}

/* Transfers that the instruction there had done when it was paused; 0: it begins. */
static uint8_t resumed(struct cairn_etmv3_unit *unit, uint32_t address)
{
    if (unit->pause_count == 0 || unit->exception.pending ||
        unit->pauses[unit->pause_count - 1].address != address)
        return 0;
    return unit->pauses[--unit->pause_count].transfers;
}

static void put_target(struct cairn_etmv3_unit *unit, struct cairn_etmv3_place place)
{
    const uint8_t done = resumed(unit, place.address);
    const struct cairn_element_data data = {
        .address = place.address, .sub_isa = cairn_etmv3_sub_isa(place.isa), .info = done};

    if (!unit->data_only)
        cairn_etmv3_put(unit, CAIRN_ELEMENT_TARGET_ADDRESS, done ? CAIRN_ELEMENT_PAUSED : 0, &data);
}

void cairn_etmv3_introduce(struct cairn_etmv3_unit *unit, struct cairn_etmv3_place place)
{
    const bool branches =
        unit->owes_branch || unit->exception.pending || (state_changed(unit) && !unit->data_only);

    if (unit->exception.pending && !unit->data_only)
        put_exception(unit);
    if (context_changed(unit))
        cairn_etmv3_put_context(unit);
    if (branches)
        put_target(unit, place);
    unit->owes_branch = false;
    unit->exception.pending = false;
}

/* Of a target that is not traced itself the context is not told either (2.6.2). */
void cairn_etmv3_stop(struct cairn_etmv3_unit *unit, struct cairn_etmv3_place place)
{
    if (unit->tracing && (unit->owes_branch || unit->exception.pending)) {
        if (unit->exception.pending && !unit->data_only)
            put_exception(unit);
        put_target(unit, place);
    }
    unit->tracing = false;
    unit->owes_branch = false;
    unit->exception.pending = false;
    cairn_etmv3_end_cycles(unit);
}

static void forget_last(struct cairn_etmv3_unit *unit)
{
    unit->last = (struct cairn_etmv3_last){.place = nowhere};
    unit->mover = (struct cairn_etmv3_mover){.place = nowhere};
}

void cairn_etmv3_lose_path(struct cairn_etmv3_unit *unit)
{
    cairn_etmv3_end_return(unit);
    unit->tracing = false;
    unit->owes_branch = false;
    unit->exception.pending = false;
    cairn_etmv3_end_cycles(unit);
    unit->next = nowhere;
    forget_last(unit);
}

/* --- instructions --- */

static void put_atom(struct cairn_etmv3_unit *unit, bool passed)
{
    cairn_etmv3_put(unit, CAIRN_ELEMENT_ATOM,
                    passed ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0,
                    &(struct cairn_element_data){0});
}

static void put_atoms(struct cairn_etmv3_unit *unit, uint8_t isa, uint8_t size, bool passed)
{
    if (unit->data_only)
        return;
    cairn_etmv3_put_waits(unit);
    if (unit->halves && isa == CAIRN_ISA_T32 && size == 4)
        put_atom(unit, passed);
    put_atom(unit, passed);
    cairn_etmv3_give_timestamp(unit);
}

bool cairn_etmv3_is_enabled(const struct cairn_etmv3_unit *unit)
{
    return unit->watches ? cairn_etmv3_trace_enable(&unit->resources, &unit->registers)
                         : !unit->resources.prohibited;
}

static void put_last(struct cairn_etmv3_unit *unit)
{
    const struct cairn_etmv3_last *last = &unit->last;

    put_atoms(unit, last->place.isa, last->size, last->passed);
    unit->last.traced = true;
    unit->counters.traced++;
}

/* Whose transfers come: of the instruction that begins, unless an earlier one's are on their way.
 */
static void begin_transfers(struct cairn_etmv3_unit *unit, struct cairn_etmv3_place place)
{
    if (unit->mover.pending > 0) {
        unit->mover.beneath = true;
        return;
    }
    unit->mover = (struct cairn_etmv3_mover){
        .place = place,
        .security = unit->resources.context.security,
        .EL = unit->resources.context.EL,
        .ranges = unit->resources.instruction_ranges,
        .matches = unit->resources.instruction_matches,
    };
}

/* What executes beneath a data instruction that is traced is traced, too (2.6.4, 7.7.3). */
static bool is_kept_on(const struct cairn_etmv3_unit *unit)
{
    return cairn_etmv3_is_beneath(unit) && unit->mover.traced && !unit->data_only &&
           !unit->resources.prohibited;
}

/* For whoever asks: an instruction that was observed. */
static void see(struct cairn_etmv3_unit *unit, const struct cairn_etmv3_instruction *instruction,
                uint8_t isa, bool enabled)
{
    const bool traced = unit->last.traced && !unit->data_only;
    uint32_t why = 0;

    if (!enabled)
        why = unit->watches ? cairn_etmv3_low_terms(&unit->resources, &unit->registers)
                            : CAIRN_UNIT_WHY_PROHIBITED;
    else if (!unit->last.traced)
        why = CAIRN_UNIT_WHY_OVERFLOW;
    if (unit->data_only)
        why |= CAIRN_UNIT_WHY_NO_PACKETS;
    cairn_unit_see(&unit->base.sight,
                   (struct cairn_unit_seen){
                       .size = sizeof(struct cairn_unit_seen),
                       .address = instruction->address,
                       .end = (uint64_t)instruction->address + instruction->size,
                       .instructions = 1,
                       .isa = isa,
                       .context = unit->resources.context,
                   },
                   traced, why);
}

static void see_instruction(struct cairn_etmv3_unit *unit,
                            const struct cairn_etmv3_instruction *instruction, uint8_t isa)
{
    const struct cairn_etmv3_place place = {instruction->address, isa};

    cairn_etmv3_return_data(unit);
    if (unit->watches)
        cairn_etmv3_see_instruction(&unit->resources, &unit->registers, instruction);
    unit->last = (struct cairn_etmv3_last){
        .place = place, .size = instruction->size, .passed = instruction->passed};
    begin_transfers(unit, place);

    const bool enabled = cairn_etmv3_is_enabled(unit);

    if (!enabled && !is_kept_on(unit))
        cairn_etmv3_stop(unit, place);
    else if (cairn_etmv3_make_ready(unit, place))
        put_last(unit);
    if (!cairn_etmv3_is_beneath(unit))
        unit->mover.traced = unit->last.traced;
    if (unit->base.sight.observe)
        see(unit, instruction, isa, enabled);
    unit->after_debug = false;
    if (unit->watches)
        cairn_etmv3_sample(unit);
}

static bool returns(const struct cairn_etmv3_unit *unit, const struct cairn_block *block,
                    bool taken)
{
    return taken && (block->flags & CAIRN_INSN_ERET) &&
           unit->minor >= (unit->m_profile ? MINOR_RETURN_M : MINOR_RETURN_A);
}

/* What follows from the instruction told last, which is traced. */
static void tell_end(struct cairn_etmv3_unit *unit)
{
    unit->owes_branch = unit->last.branches;
    if (!unit->last.exits)
        return;
    unit->last.owes_return = !unit->data_only;
    if (!unit->m_profile || !unit->data) /* else behind what POP and kin load (7.5.4) */
        cairn_etmv3_end_return(unit);
    unit->last.returns = true;
    unit->stamp_wanted = true;
}

static void go_on(struct cairn_etmv3_unit *unit, const struct cairn_block *block, bool taken)
{
    const bool direct = block->kind == CAIRN_INSN_BRANCH_DIRECT && taken;
    const bool indirect = block->kind == CAIRN_INSN_BRANCH_INDIRECT && taken;

    unit->next = (struct cairn_etmv3_place){(uint32_t)block->address + block->size, block->isa};
    if (indirect)
        unit->next = nowhere;
    if (direct) {
        unit->next.address = (uint32_t)block->target;
        if (block->target_isa != CAIRN_ISA_UNKNOWN)
            unit->next.isa = block->target_isa;
    }
    unit->last.branches = indirect || (direct && unit->branch_output);
    unit->last.exits = returns(unit, block, taken);
    if (unit->last.traced)
        tell_end(unit);
    if (unit->last.traced && block->kind == CAIRN_INSN_ISB)
        unit->stamp_wanted = true;
}

void cairn_etmv3_trace_last(struct cairn_etmv3_unit *unit)
{
    put_last(unit);
    tell_end(unit);
}

void cairn_etmv3_unit_execute(struct cairn_unit *base, const struct cairn_block *block, bool taken)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);
    const uint32_t count = cairn_etmv3_block_count(block);

    if (!unit->enabled || unit->debug) {
        if (base->sight.observe)
            cairn_unit_see(&base->sight, cairn_unit_seen_block(block, &unit->resources.context),
                           false,
                           (unit->enabled ? 0 : CAIRN_UNIT_WHY_DISABLED) |
                               (unit->debug ? CAIRN_UNIT_WHY_DEBUG : 0));
        return;
    }
    cairn_etmv3_end_return(unit);
    unit->counters.blocks++;
    unit->counters.instructions += count;
    if (unit->next.isa != CAIRN_ISA_UNKNOWN &&
        (unit->next.address != (uint32_t)block->address || unit->next.isa != block->isa)) {
        unit->counters.discontinuities++;
        cairn_etmv3_lose_path(unit);
    }
    for (uint32_t n = 0; n < count; n++) {
        const struct cairn_etmv3_instruction instruction =
            cairn_etmv3_block_instruction(block, n, taken);

        see_instruction(unit, &instruction, block->isa);
    }
    go_on(unit, block, taken);
}

/* --- context and regions --- */

void cairn_etmv3_unit_context(struct cairn_unit *base, const struct cairn_context *context)
{
    cairn_etmv3_unit(base)->resources.context = *context;
}

/* A change of signals may leave the branch out (2.6.2). */
static bool omits_branch(const struct cairn_etmv3_unit *unit)
{
    return (unit->choices & CAIRN_UNIT_SIGNALS_WITHOUT_BRANCH) && !unit->in_region;
}

/* The branch into the region has the address 0 (2.6.2). */
static void prohibit(struct cairn_etmv3_unit *unit)
{
    const bool prohibited = unit->in_region || unit->resources.held;
    const struct cairn_etmv3_place hidden = {0, unit->last.place.isa};

    if (unit->enabled && prohibited && !unit->resources.prohibited) {
        cairn_etmv3_end_return(unit);
        if (omits_branch(unit)) {
            unit->owes_branch = false;
            unit->exception.pending = false;
        }
        cairn_etmv3_stop(unit, hidden);
        forget_last(unit);
    }
    unit->next = nowhere;
    unit->resources.prohibited = prohibited;
}

void cairn_etmv3_unit_prohibit(struct cairn_unit *base, bool prohibited)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);

    unit->in_region = prohibited;
    prohibit(unit);
}

/* Non-invasive debug is disabled where both signals are low: what is in the FIFO comes out (2.14).
 */
void cairn_etmv3_unit_authenticate(struct cairn_unit *base, uint32_t signals)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);
    const bool held = !(signals & (CAIRN_UNIT_DBGEN | CAIRN_UNIT_NIDEN));

    if (held == unit->resources.held)
        return;
    unit->resources.held = held;
    prohibit(unit);
    if (unit->enabled && held)
        cairn_unit_pipe_drain(&unit->pipe);
}

/* The core waits: the FIFO is drained, and then nothing more is traced (4.12). The loads that are
 * out have ended. */
void cairn_etmv3_unit_low_power(struct cairn_unit *base, bool low)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);

    if (!unit->enabled || !low)
        return;
    cairn_etmv3_return_all_data(unit);
    unit->tracing = false;
    unit->owes_branch = false;
    forget_last(unit);
    cairn_etmv3_end_cycles(unit);
    cairn_unit_pipe_drain(&unit->pipe);
}

void cairn_etmv3_unit_debug_state(struct cairn_unit *base, bool debug)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);

    if (unit->enabled && debug != unit->debug) {
        cairn_etmv3_lose_path(unit);
        unit->after_debug = !debug;
    }
    unit->debug = debug;
}
