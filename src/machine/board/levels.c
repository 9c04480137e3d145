/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions, and returns from them. QEMU tells of both alike, when the core is there: at the vector, or where the return
 * led. */
#include "machine/board/board.h"

/* Exception classes, ESR_ELx.EC (Arm ARM). */
enum {
    EC_BTI = 0x0d,
    EC_SVC32 = 0x11,
    EC_HVC32 = 0x12,
    EC_SMC32 = 0x13,
    EC_SVC64 = 0x15,
    EC_HVC64 = 0x16,
    EC_SMC64 = 0x17,
    EC_PAC_FAIL = 0x1c,
    EC_INST_LOWER = 0x20,
    EC_INST_SAME = 0x21,
    EC_PC_ALIGNMENT = 0x22,
    EC_DATA_LOWER = 0x24,
    EC_DATA_SAME = 0x25,
    EC_SP_ALIGNMENT = 0x26,
    EC_SERROR = 0x2f,
    EC_BREAKPOINT_LOWER = 0x30,
    EC_STEP_SAME = 0x33,
    EC_WATCHPOINT_LOWER = 0x34,
    EC_WATCHPOINT_SAME = 0x35,
    EC_BKPT32 = 0x38,
    EC_VECTOR32 = 0x3a,
    EC_BRK64 = 0x3c,
    VECTORS = 0x800, /* bytes of a table */
    VECTOR = 0x80,   /* of one of it */
    DAIF = 0xf << 6, /* of PSTATE */
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

/* DDI0608 tables D3.13 and D3.14. */
static unsigned type_of_class(unsigned EC, unsigned EL, bool executed)
{
    switch (EC) {
    case EC_SMC32:
    case EC_SMC64: return executed && EL != 2 ? CAIRN_EXCEPTION_CALL : CAIRN_EXCEPTION_TRAP;
    case EC_SVC32:
    case EC_HVC32:
    case EC_SVC64:
    case EC_HVC64: return executed ? CAIRN_EXCEPTION_CALL : CAIRN_EXCEPTION_TRAP;
    case EC_BTI:
    case EC_INST_LOWER:
    case EC_INST_SAME: return CAIRN_EXCEPTION_INST_FAULT;
    case EC_PAC_FAIL:
    case EC_DATA_LOWER:
    case EC_DATA_SAME: return CAIRN_EXCEPTION_DATA_FAULT;
    case EC_PC_ALIGNMENT:
    case EC_SP_ALIGNMENT: return CAIRN_EXCEPTION_ALIGNMENT;
    case EC_SERROR: return CAIRN_EXCEPTION_SYSTEM_ERROR;
    case EC_BKPT32:
    case EC_VECTOR32:
    case EC_BRK64: return CAIRN_EXCEPTION_INST_DEBUG;
    case EC_WATCHPOINT_LOWER:
    case EC_WATCHPOINT_SAME: return CAIRN_EXCEPTION_DATA_DEBUG;
    default:
        return EC >= EC_BREAKPOINT_LOWER && EC <= EC_STEP_SAME ? CAIRN_EXCEPTION_INST_DEBUG
                                                               : CAIRN_EXCEPTION_TRAP;
    }
}

static unsigned type_of(const struct cairn_board_core *core, unsigned EL, uint64_t vector,
                        uint64_t back)
{
    /* In each of the four groups of vectors, which are for where it came from. */
    static const uint8_t asynchronous[] = {0, CAIRN_EXCEPTION_IRQ, CAIRN_EXCEPTION_FIQ,
                                           CAIRN_EXCEPTION_SYSTEM_ERROR};
    const unsigned which = (unsigned)(vector / VECTOR) % 4;
    const struct cairn_board_code *code = core->code;

    if (which > 0)
        return asynchronous[which];
    /* A call that was trapped before it was executed is what its return address is of. */
    return type_of_class((unsigned)(banked(core, EL, 5, 2, 0) >> 26 & 0x3f), EL,
                         !code || back != code->address + code->last);
}

/* At the same level both look alike, but for where they lead. */
static bool is_exception(const struct cairn_board_core *core, const struct cairn_context *now,
                         uint64_t PC)
{
    const unsigned EL = now->EL;
    const uint64_t vectors = EL > 0 && now->SF ? banked(core, EL, 12, 0, 0) : 0;

    if (EL < core->context.EL || EL == 0)
        return false;
    return EL > core->context.EL ||
           (PC - vectors < VECTORS && (PC - vectors) % VECTOR == 0 &&
            (*core->host.PSTATE & DAIF) == DAIF && banked(core, EL, 4, 0, 1) != PC);
}

void cairn_board_crossed(void *cpu, void *context)
{
    struct cairn_board_core *core = context;
    const struct cairn_context now = cairn_board_context(core);
    const uint64_t PC = *core->host.PC;

    (void)cpu;
    if (!core->live)
        return;
    if (is_exception(core, &now, PC)) {
        const uint64_t back = banked(core, now.EL, 4, 0, 1);
        const struct cairn_pe_exception exception = {.size = sizeof exception,
                                                     .type = type_of(core, now.EL, PC, back),
                                                     .address = back,
                                                     .vector = PC,
                                                     .isa = CAIRN_ISA_A64,
                                                     .to = now};

        cairn_board_settle(core, back);
        cairn_pe_exception(core->pe, &exception);
    } else if (core->code && core->code->returns) {
        cairn_board_complete(core, true);
        cairn_pe_return(core->pe, PC, &now);
    } else {
        core->code = NULL;
        atomic_fetch_add_explicit(&cairn_board.lost, 1, memory_order_relaxed);
        cairn_pe_enter(core->pe, &now);
    }
    core->context = now;
}
