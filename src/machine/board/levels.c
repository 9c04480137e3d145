/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions, and returns from them. QEMU tells of both alike, when the core is there: at the vector, or where the return
 * led. */
#include "machine/board/board.h"
#include "machine/classes.h"

enum {
    VECTORS = 0x800, /* bytes of a table */
    VECTOR = 0x80,   /* of one of it */
    DAIF = 0xf << 6, /* of PSTATE; QEMU keeps them elsewhere than the rest */
};

static uint64_t value_of(const struct cairn_board_core *core, uint32_t encoding)
{
    const struct cairn_host_register *reg = cairn_host_register(&core->host, encoding);

    return reg ? cairn_host_value(&core->host, reg) : 0;
}

/* Registers that each of EL1 to EL3 has, by CRn, CRm and op2. */
static uint64_t banked(const struct cairn_board_core *core, unsigned EL, unsigned CRn, unsigned CRm,
                       unsigned op2)
{
    static const unsigned op1[] = {0, 0, 4, 6};

    return value_of(core, CAIRN_SYSREG(3, op1[EL], CRn, CRm, op2));
}

static unsigned type_of(const struct cairn_board_core *core, unsigned EL, uint64_t vector,
                        uint64_t back)
{
    /* In each of the four groups of vectors, which are for where it came from. */
    static const uint8_t asynchronous[] = {0, CAIRN_EXCEPTION_IRQ, CAIRN_EXCEPTION_FIQ,
                                           CAIRN_EXCEPTION_SYSTEM_ERROR};
    const unsigned which = (unsigned)(vector / VECTOR) % 4;
    const struct cairn_host_code *code = core->code;

    if (which > 0)
        return asynchronous[which];
    /* A call that was trapped before it was executed is what its return address is of. */
    return cairn_exception_of_class((unsigned)(banked(core, EL, 5, 2, 0) >> 26 & 0x3f), EL,
                                    !code || back != code->address + code->last, false);
}

/* At the same level both look alike, but for where they lead. */
static bool is_exception(const struct cairn_board_core *core, const struct cairn_context *now,
                         uint64_t PC)
{
    const unsigned EL = now->EL;
    const uint64_t vectors = EL > 0 && now->SF ? banked(core, EL, 12, 0, 0) : 0;

    if (EL < core->context.EL || EL == 0)
        return false;
    return EL > core->context.EL || (PC - vectors < VECTORS && (PC - vectors) % VECTOR == 0 &&
                                     (value_of(core, CAIRN_SYSREG(3, 3, 4, 2, 1)) & DAIF) == DAIF &&
                                     banked(core, EL, 4, 0, 1) != PC);
}

void cairn_board_crossed(void *cpu, void *context)
{
    struct cairn_board_core *core = context;
    const struct cairn_context now = cairn_board_context(core);
    const uint64_t PC = *core->host.PC;

    (void)cpu;
    if (!core->live)
        return;
    const struct cairn_host_code *code = core->code;

    if (is_exception(core, &now, PC)) {
        const uint64_t back = banked(core, now.EL, 4, 0, 1);
        const struct cairn_pe_exception exception = {.size = sizeof exception,
                                                     .type = type_of(core, now.EL, PC, back),
                                                     .address = back,
                                                     .vector = PC,
                                                     .isa = CAIRN_ISA_A64,
                                                     .to = now};

        /* What was written before it counts for it, as for any Context synchronization event. */
        cairn_board_settle(core, back);
        cairn_board_mirror_behind(core, code);
        cairn_pe_exception(core->pe, &exception);
    } else if (code && code->returns) {
        cairn_board_complete(core, true);
        cairn_pe_return(core->pe, PC, &now);
    } else {
        core->code = NULL;
        atomic_fetch_add_explicit(&cairn_board.lost, 1, memory_order_relaxed);
        cairn_board_mirror_behind(core, code);
        cairn_pe_enter(core->pe, &now);
    }
    core->context = now;
    cairn_board_log_level(core);
}
