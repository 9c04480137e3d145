/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions, and returns from them. QEMU tells of both alike, when the core is there: at the vector, or where the return
 * led. */
#include <cairn/access.h>

#include "machine/classes.h"
#include "machine/system/system.h"

enum {
    VECTORS = 0x800, /* bytes of a table, which is aligned so */
    VECTOR = 0x80,   /* of one of it */
    EC_SHIFT = 26,   /* in ESR_ELx */
    VMID_SHIFT = 48, /* in VTTBR_EL2 */
};
#define PSTATE_EL(value) ((value) >> 2 & 3u)
#define SCR_NS UINT64_C(1)

#define SCR_EL3 CAIRN_SYSREG(3, 6, 1, 1, 0)
#define HCR_EL2 CAIRN_SYSREG(3, 4, 1, 1, 0)
#define VTTBR_EL2 CAIRN_SYSREG(3, 4, 2, 1, 0)
#define CONTEXTIDR_EL1 CAIRN_SYSREG(3, 0, 13, 0, 1)
#define CONTEXTIDR_EL2 CAIRN_SYSREG(3, 4, 13, 0, 1)
#define CONTEXTIDR_EL12 CAIRN_SYSREG(3, 5, 13, 0, 1)

bool cairn_system_is_of_context(uint32_t encoding)
{
    return encoding == CONTEXTIDR_EL1 || encoding == CONTEXTIDR_EL2 ||
           encoding == CONTEXTIDR_EL12 || encoding == VTTBR_EL2 || encoding == SCR_EL3;
}

static const uint64_t *find(const struct cairn_system_core *core, uint32_t encoding)
{
    const struct cairn_host_register *reg = cairn_host_register(&core->host, encoding);

    return reg && reg->field ? (const uint64_t *)(const void *)(core->host.state + reg->field)
                             : NULL;
}

void cairn_system_find_registers(struct cairn_system_core *core)
{
    static const unsigned op1[] = {0, 0, 4, 6};
    struct cairn_system_registers *registers = &core->registers;

    for (unsigned EL = 1; EL <= 3; EL++) {
        registers->ESR[EL] = find(core, CAIRN_SYSREG(3, op1[EL], 5, 2, 0));
        registers->ELR[EL] = find(core, CAIRN_SYSREG(3, op1[EL], 4, 0, 1));
    }
    registers->SCR = find(core, SCR_EL3);
    registers->CONTEXTIDR[1] = find(core, CONTEXTIDR_EL1);
    registers->CONTEXTIDR[2] = find(core, CONTEXTIDR_EL2);
    registers->VTTBR = find(core, VTTBR_EL2);
}

struct cairn_context cairn_system_context(const struct cairn_system_core *core)
{
    const struct cairn_system_registers *registers = &core->registers;
    const bool is_A64 = *core->host.is_A64 != 0;
    struct cairn_context context = {.SF = is_A64, .security = CAIRN_NONSECURE};

    /* In AArch32 state the level is elsewhere; nothing is told then. */
    context.EL = (uint8_t)(is_A64 ? PSTATE_EL(*core->host.PSTATE) : 0);
    if (registers->SCR && (context.EL == 3 || !(*registers->SCR & SCR_NS)))
        context.security = CAIRN_SECURE;
    if (registers->CONTEXTIDR[1])
        context.context_id = (uint32_t)*registers->CONTEXTIDR[1];
    if (core->vmid_is_context)
        context.vmid = registers->CONTEXTIDR[2] ? (uint32_t)*registers->CONTEXTIDR[2] : 0;
    else
        context.vmid = registers->VTTBR ? (uint32_t)(*registers->VTTBR >> VMID_SHIFT) : 0;
    return context;
}

/* Snapshots have names of EL2 in each state alone. */
static void note(const struct cairn_context *context)
{
    if (context->EL == 2 && context->security == CAIRN_SECURE)
        atomic_store_explicit(&cairn_system.control->secure_EL2, 1, memory_order_relaxed);
}

void cairn_system_enter(struct cairn_system_core *core)
{
    const struct cairn_context now = cairn_system_context(core), *before = &core->context;

    if (!now.SF ||
        (now.EL == before->EL && now.security == before->security && now.SF == before->SF &&
         now.context_id == before->context_id && now.vmid == before->vmid))
        return;
    cairn_system_settle_cycles(core);
    cairn_unit_context(core->unit, &now);
    core->context = now;
    note(&now);
}

/* Asynchronous exceptions, in each of the four groups of vectors, which are for where it came from. */
static const uint8_t asynchronous[] = {0, CAIRN_EXCEPTION_IRQ, CAIRN_EXCEPTION_FIQ,
                                       CAIRN_EXCEPTION_SYSTEM_ERROR};

/* Whether it is because of an instruction that QEMU began to execute (or translated as one that raises it). */
static bool is_of_instruction(unsigned type, unsigned EC)
{
    enum { BTI = 0x0d, PC_ALIGNMENT = 0x22, BRK = 0x3c };

    switch (type) {
    case CAIRN_EXCEPTION_INST_FAULT: return EC == BTI;
    case CAIRN_EXCEPTION_ALIGNMENT: return EC != PC_ALIGNMENT;
    case CAIRN_EXCEPTION_INST_DEBUG: return EC == BRK;
    case CAIRN_EXCEPTION_IRQ:
    case CAIRN_EXCEPTION_FIQ:
    case CAIRN_EXCEPTION_SYSTEM_ERROR: return false;
    default: return true;
    }
}

static void except(struct cairn_system_core *core, unsigned EL, uint64_t PC)
{
    const struct cairn_host_code *code = core->code;
    const uint64_t back = *core->registers.ELR[EL];
    const unsigned EC = (unsigned)(*core->registers.ESR[EL] >> EC_SHIFT & 0x3f);
    const unsigned which = (unsigned)(PC % VECTORS / VECTOR) % 4;
    /* A call that was trapped before it was executed is what its return address is of. */
    const bool executed = code == &cairn_system_nothing || back != code->address + code->last;
    const unsigned type =
        which > 0 ? asynchronous[which] : cairn_exception_of_class(EC, EL, executed, false);

    cairn_system_settle(core, back, is_of_instruction(type, EC));
    /* Nothing is known of what code that is not told was interrupted at. */
    if (core->prohibited)
        return;
    cairn_system_settle_cycles(core);
    cairn_unit_exception(core->unit, type, back, CAIRN_ISA_A64);
}

void cairn_system_crossed(void *cpu, void *context)
{
    struct cairn_system_core *core = context;

    (void)cpu;
    if (atomic_load_explicit(&core->state, memory_order_relaxed) == CAIRN_SYSTEM_ABSENT ||
        !cairn_system_wake(core))
        return;
    const struct cairn_context now = cairn_system_context(core);
    const bool returns = core->code->returns && !core->partial;

    if (now.EL > core->context.EL || (now.EL == core->context.EL && now.EL > 0 && !returns))
        except(core, now.EL, *core->host.PC);
    else if (returns)
        cairn_system_complete(core, true);
    else if (core->code != &cairn_system_nothing)
        cairn_system_lose(core);
    if (!now.SF && !core->prohibited)
        cairn_system_lose(core);
    cairn_system_enter(core);
}
