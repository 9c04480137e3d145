/* SPDX-License-Identifier: BSD-2-Clause */
/* Prohibited regions (DDI0608 F1.1.4), and the filters on types (F1.1.5, F1.1.6, F1.1.9). */
#include "pe/brbe_filter.h"

#include <cairn/brbe.h>

/* MDCR_EL3.SBRBE */
enum { SBRBE_NONE = 0, SBRBE_NOT_SECURE = 1 };

/* B.cond and BC.cond of any condition, and what compares or tests (Table F1.8). */
#define HAS_CONDITION (CAIRN_INSN_CONDITIONAL | CAIRN_INSN_PASSES)

bool cairn_brbe_records_EL3(const struct cairn_pe_features *features,
                            const struct cairn_pe_registers *registers)
{
    return features->brbe >= 2 && features->EL3 &&
           CAIRN_GETS(registers, MDCR_EL3, MDCR_EL3_E3BREC) !=
               CAIRN_GETS(registers, MDCR_EL3, MDCR_EL3_E3BREW);
}

/* MDCR_EL3.SBRBE prohibits EL0 to EL2. Without EL3 there is nobody who could. */
static bool is_forbidden_from_EL3(const struct cairn_pe_features *features,
                                  const struct cairn_brbe_side *side)
{
    if (!features->EL3)
        return false;
    switch (CAIRN_GETS(side->registers, MDCR_EL3, MDCR_EL3_SBRBE)) {
    case SBRBE_NONE: return true;
    case SBRBE_NOT_SECURE: return side->state->security == CAIRN_SECURE;
    default: return false;
    }
}

static bool is_enabled_at(const struct cairn_pe_features *features,
                          const struct cairn_brbe_side *side)
{
    const struct cairn_pe_registers *registers = side->registers;

    switch (side->state->EL) {
    case 0:
        return cairn_pe_EL0_is_host(features, registers, side->state->security)
                   ? CAIRN_GETS(registers, BRBCR_EL2, BRBCR_EL2_E0HBRE)
                   : CAIRN_GETS(registers, BRBCR_EL1, BRBCR_EL1_E0BRE);
    case 1: return CAIRN_GETS(registers, BRBCR_EL1, BRBCR_EL1_E1BRE);
    case 2: return CAIRN_GETS(registers, BRBCR_EL2, BRBCR_EL2_E2BRE);
    default: return false;
    }
}

bool cairn_brbe_is_prohibited(const struct cairn_pe_features *features,
                              const struct cairn_brbe_side *side)
{
    if (side->state->aarch32 || side->state->debug)
        return true;
    if (side->state->EL == 3)
        return !cairn_brbe_records_EL3(features, side->registers);
    return is_forbidden_from_EL3(features, side) || !is_enabled_at(features, side);
}

bool cairn_brbe_counts_cycles(const struct cairn_pe_features *features,
                              const struct cairn_pe_registers *registers)
{
    return (!features->EL2 || CAIRN_GETS(registers, BRBCR_EL2, BRBCR_CC)) &&
           CAIRN_GETS(registers, BRBCR_EL1, BRBCR_CC);
}

bool cairn_brbe_shows_predictions(const struct cairn_pe_features *features,
                                  const struct cairn_pe_registers *registers)
{
    return (!features->EL2 || CAIRN_GETS(registers, BRBCR_EL2, BRBCR_MPRED)) &&
           CAIRN_GETS(registers, BRBCR_EL1, BRBCR_MPRED);
}

/* --- branches --- */

unsigned cairn_brbe_branch_type(unsigned kind, uint32_t flags)
{
    if (flags & CAIRN_INSN_ERET)
        return CAIRN_BRBE_NO_TYPE;
    switch (kind) {
    case CAIRN_INSN_ISB: return CAIRN_BRANCH_DIRECT;
    case CAIRN_INSN_BRANCH_DIRECT:
        if (flags & CAIRN_INSN_LINK)
            return CAIRN_BRANCH_DIRECT_CALL;
        return flags & HAS_CONDITION ? CAIRN_BRANCH_CONDITIONAL : CAIRN_BRANCH_DIRECT;
    case CAIRN_INSN_BRANCH_INDIRECT:
        if (flags & CAIRN_INSN_LINK)
            return CAIRN_BRANCH_INDIRECT_CALL;
        return flags & CAIRN_INSN_RETURN ? CAIRN_BRANCH_RETURN : CAIRN_BRANCH_INDIRECT;
    default: return CAIRN_BRBE_NO_TYPE;
    }
}

bool cairn_brbe_selects(uint64_t BRBFCR, unsigned type)
{
    const bool EnI = CAIRN_GET(BRBFCR, BRBFCR_EnI) != 0;

    switch (type) {
    case CAIRN_BRANCH_DIRECT: return EnI != CAIRN_GET(BRBFCR, BRBFCR_DIRECT);
    case CAIRN_BRANCH_INDIRECT: return EnI != CAIRN_GET(BRBFCR, BRBFCR_INDIRECT);
    case CAIRN_BRANCH_DIRECT_CALL: return EnI != CAIRN_GET(BRBFCR, BRBFCR_DIRCALL);
    case CAIRN_BRANCH_INDIRECT_CALL: return EnI != CAIRN_GET(BRBFCR, BRBFCR_INDCALL);
    case CAIRN_BRANCH_RETURN: return EnI != CAIRN_GET(BRBFCR, BRBFCR_RTN);
    case CAIRN_BRANCH_CONDITIONAL: return EnI != CAIRN_GET(BRBFCR, BRBFCR_CONDDIR);
    default: return false;
    }
}

/* --- exceptions --- */

/* ESR_ELx.EC, as the Arm ARM has it. */
static unsigned synchronous_type(unsigned EC, unsigned target_EL, bool trapped)
{
    switch (EC) {
    case 0x11:
    case 0x15: /* SVC */
    case 0x12:
    case 0x16: /* HVC */ return trapped ? CAIRN_BRANCH_TRAP : CAIRN_BRANCH_CALL;
    case 0x13:
    case 0x17: /* SMC: itself it goes to EL3 */
        return trapped || target_EL < 3 ? CAIRN_BRANCH_TRAP : CAIRN_BRANCH_CALL;
    case 0x0d: /* Branch Target */
    case 0x20:
    case 0x21: /* Instruction Abort */ return CAIRN_BRANCH_INST_FAULT;
    case 0x1c: /* PAC Fail */
    case 0x1e: /* Granule Protection Check */
    case 0x24:
    case 0x25: /* Data Abort */ return CAIRN_BRANCH_DATA_FAULT;
    case 0x22: /* misaligned PC */
    case 0x26: /* misaligned SP */ return CAIRN_BRANCH_ALIGNMENT;
    case 0x2f: return CAIRN_BRANCH_SYSTEM_ERROR;
    case 0x30:
    case 0x31: /* Breakpoint */
    case 0x32:
    case 0x33: /* Software Step */
    case 0x38:
    case 0x3c: /* BKPT, BRK */
    case 0x3a: /* Vector Catch */ return CAIRN_BRANCH_INST_DEBUG;
    case 0x34:
    case 0x35: /* Watchpoint */ return CAIRN_BRANCH_DATA_DEBUG;
    default: return CAIRN_BRANCH_TRAP;
    }
}

unsigned cairn_brbe_exception_type(enum cairn_brbe_cause cause, unsigned EC, unsigned target_EL,
                                   bool trapped)
{
    switch (cause) {
    case CAIRN_BRBE_SYNCHRONOUS: return synchronous_type(EC, target_EL, trapped);
    case CAIRN_BRBE_IRQ: return CAIRN_BRANCH_IRQ;
    case CAIRN_BRBE_FIQ: return CAIRN_BRANCH_FIQ;
    case CAIRN_BRBE_SERROR: return CAIRN_BRANCH_SYSTEM_ERROR;
    }
    return CAIRN_BRANCH_TRAP;
}

bool cairn_brbe_selects_exception(const struct cairn_pe_features *features,
                                  const struct cairn_pe_registers *registers, unsigned target_EL)
{
    switch (target_EL) {
    case 1: return CAIRN_GETS(registers, BRBCR_EL1, BRBCR_EXCEPTION);
    case 2: return CAIRN_GETS(registers, BRBCR_EL2, BRBCR_EXCEPTION);
    case 3: return cairn_brbe_records_EL3(features, registers);
    default: return false; /* none is taken to EL0 */
    }
}

bool cairn_brbe_selects_return(const struct cairn_pe_features *features,
                               const struct cairn_pe_registers *registers, unsigned source_EL)
{
    switch (source_EL) {
    case 1: return CAIRN_GETS(registers, BRBCR_EL1, BRBCR_ERTN);
    case 2: return CAIRN_GETS(registers, BRBCR_EL2, BRBCR_ERTN);
    case 3: return cairn_brbe_records_EL3(features, registers);
    default: return false; /* it is UNDEFINED at EL0 */
    }
}

/* --- presets --- */

struct cairn_brbe_preset_values cairn_brbe_preset(enum cairn_brbe_preset preset)
{
    const uint64_t both = CAIRN_MASK(BRBCR_EXCEPTION) | CAIRN_MASK(BRBCR_ERTN);

    switch (preset) {
    case CAIRN_BRBE_CONTROL_PATH:
        return (struct cairn_brbe_preset_values){CAIRN_MASK(BRBFCR_EnI), both};
    case CAIRN_BRBE_CALL_PATH:
        return (struct cairn_brbe_preset_values){
            CAIRN_MASK(BRBFCR_DIRCALL) | CAIRN_MASK(BRBFCR_INDCALL) | CAIRN_MASK(BRBFCR_RTN), 0};
    case CAIRN_BRBE_KERNEL_CALLS: return (struct cairn_brbe_preset_values){0, both};
    case CAIRN_BRBE_ALL_BRANCHES:
        return (struct cairn_brbe_preset_values){CAIRN_MASK(BRBFCR_EnI), 0};
    }
    return (struct cairn_brbe_preset_values){0, 0};
}
