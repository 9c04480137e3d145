/* SPDX-License-Identifier: BSD-2-Clause */
/* What is executed. Code is told when the code behind it begins: only then is known how it ended. */
#include "machine/board/board.h"

#include "base/bytes.h"
#include "pe/sysreg.h"

/* PSTATE of AArch64 and AArch32 state. */
#define PSTATE_EL(value) ((value) >> 2 & 3u)
#define PSTATE_AARCH32 (1u << 4)
#define SCR_NS 1u

struct cairn_context cairn_board_context(struct cairn_board_core *core)
{
    const uint32_t PSTATE = *core->host.PSTATE;
    const bool A64 = *core->host.is_A64 != 0;
    struct cairn_context context = {.SF = A64, .security = CAIRN_NONSECURE};
    /* As written last: QEMU has it so at once. */
    const struct cairn_pe_registers *registers = &core->pe->order.lanes[0].direct;

    /* In AArch32 only user programs run here: the levels above them are in AArch64. */
    context.EL = A64 ? PSTATE_EL(PSTATE) : 0;
    if (core->pe->features.EL3 &&
        (context.EL == 3 || !(registers->value[CAIRN_PE_SCR_EL3] & SCR_NS)))
        context.security = CAIRN_SECURE;
    return context;
}

void cairn_board_enter(struct cairn_board_core *core)
{
    core->context = cairn_board_context(core);
    cairn_pe_enter(core->pe, &core->context);
}

static void pass_time(struct cairn_board_core *core, uint32_t cycles)
{
    if (core->clocked)
        cairn_pe_cycles(core->pe, cycles);
    if (core->timed)
        cairn_pe_time(core->pe, cairn_host_count(&core->host));
}

static void tell(struct cairn_board_core *core, const struct cairn_block *block, bool taken)
{
    if (core->clocked || core->timed)
        pass_time(core, block->count);
    if (!cairn_board_watches()) {
        cairn_pe_execute(core->pe, block, taken);
        return;
    }
    const uint64_t last = block->address + block->size - block->last_size;
    cairn_pe_at(core->pe, block->address);
    cairn_board_log_executed(core, block);
    cairn_pe_execute(core->pe, block, taken);
    if (block->kind == CAIRN_INSN_ISB && taken)
        cairn_board_log_barrier(core, CAIRN_PE_BARRIER_ISB, last);
}

/* The instructions of a block that are not in front of `from`, nor behind `stop`; all are A64. */
static struct cairn_block part_of(const struct cairn_block *block, uint64_t from, uint64_t stop)
{
    const uint64_t end = block->address + block->size;
    struct cairn_block part = *block;

    if (from > part.address)
        part.address = from;
    if (stop < end)
        part = (struct cairn_block){.address = part.address, .isa = block->isa, .last_size = 4};
    part.size = (uint32_t)((stop < end ? stop : end) - part.address);
    part.count = part.size / 4;
    return part;
}

/* What is from `from` on up to `stop`, which is in the code or behind it. */
static void tell_until(struct cairn_board_core *core, uint64_t stop, bool taken)
{
    const struct cairn_host_code *code = core->code;

    for (uint32_t i = 0; i < code->count; i++) {
        const struct cairn_block *block = &code->blocks[i];

        if (block->address >= stop || block->address + block->size <= core->from)
            continue;
        if (core->from <= block->address && block->address + block->size <= stop) {
            tell(core, block, i + 1 < code->count || taken);
        } else {
            const struct cairn_block part = part_of(block, core->from, stop);

            tell(core, &part, i + 1 < code->count || taken);
        }
    }
    core->from = stop;
}

void cairn_board_complete(struct cairn_board_core *core, bool taken)
{
    if (core->code)
        tell_until(core, core->code->next, taken);
    core->code = NULL;
}

void cairn_board_settle_inside(struct cairn_board_core *core, uint64_t stop)
{
    const struct cairn_host_code *code = core->code;

    if (core->live && code && stop - code->address <= code->size && stop > core->from)
        tell_until(core, stop, true);
}

static bool leads(const struct cairn_host_code *code, uint64_t to)
{
    return code->anywhere || to == code->target || (!code->always && to == code->next);
}

/* Nothing is known of how it came here. */
static void lose(struct cairn_board_core *core)
{
    core->code = NULL;
    atomic_fetch_add_explicit(&cairn_board.lost, 1, memory_order_relaxed);
    cairn_board_enter(core);
}

void cairn_board_settle(struct cairn_board_core *core, uint64_t stop)
{
    const struct cairn_host_code *code = core->code;

    if (!code)
        return;
    if (!core->partial && leads(code, stop)) {
        cairn_board_complete(core, code->always || stop != code->next);
    } else if (stop - code->address < code->size && stop >= core->from) {
        tell_until(core, stop, true);
        core->code = NULL;
    } else {
        lose(core);
    }
}

static void renew(struct cairn_board_core *core)
{
    const uint64_t flushes = atomic_load_explicit(&cairn_board.flushes, memory_order_acquire);

    if (core->flushes == flushes)
        return;
    core->flushes = flushes;
    for (unsigned i = 0; i < core->pe->order.lane_count; i++)
        core->pe->lanes[i].memory.cache = (struct cairn_pe_translation_cache){.combined = false};
}

void cairn_board_on_code(unsigned cpu, void *data)
{
    struct cairn_board_core *core = &cairn_board.cores[cpu];
    const struct cairn_host_code *code = data;

    if (!core->live && cairn_board_watches()) {
        cairn_board_mirror(core);
        cairn_board_enter(core);
        core->code = NULL;
        core->live = true;
    }
    if (core->live) {
        const struct cairn_host_code *before = core->code;

        renew(core);
        cairn_board_settle(core, code->address);
        cairn_board_mirror_behind(core, before);
        if (__builtin_expect(code->size == 0, 0))
            lose(core);
    }
    core->code = code;
    core->from = code->address;
    core->partial = code->guarded;
}

void cairn_board_on_end(unsigned cpu, void *code)
{
    (void)code;
    cairn_board.cores[cpu].partial = false;
}

void cairn_board_on_instruction(unsigned cpu, void *data)
{
    struct cairn_board_core *core = &cairn_board.cores[cpu];
    const uint8_t *word = data;
    const struct cairn_pe_instruction instruction = cairn_pe_instruction_of(cairn_load_le32(word));

    if (instruction.kind == CAIRN_PE_SYS)
        atomic_fetch_add_explicit(&cairn_board.flushes, 1, memory_order_acq_rel);
    if (!core->live || !core->code)
        return;
    const uint64_t PC = core->code->address + (uint64_t)(word - core->code->bytes);
    switch (instruction.kind) {
    case CAIRN_PE_TSB_CSYNC:
        cairn_board_settle_inside(core, PC + 4);
        cairn_pe_at(core->pe, PC);
        cairn_board_log_barrier(core, CAIRN_PE_BARRIER_TSB_CSYNC, PC);
        cairn_pe_barrier(core->pe, CAIRN_PE_BARRIER_TSB_CSYNC);
        break;
    case CAIRN_PE_DSB:
        cairn_board_settle_inside(core, PC + 4);
        cairn_pe_at(core->pe, PC);
        cairn_board_log_barrier(core, CAIRN_PE_BARRIER_DSB, PC);
        cairn_pe_barrier(core->pe, CAIRN_PE_BARRIER_DSB);
        break;
    default: break;
    }
}
