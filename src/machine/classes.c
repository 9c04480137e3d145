/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/classes.h"

#include <cairn/unit.h>

/* Exception classes, ESR_ELx.EC and HSR.EC (Arm ARM). */
enum {
    EC_SVC32 = 0x11,
    EC_HVC32 = 0x12,
    EC_SMC32 = 0x13,
    EC_SVC64 = 0x15,
    EC_HVC64 = 0x16,
    EC_SMC64 = 0x17,
    EC_BTI = 0x0d,
    EC_PAC_FAIL = 0x1c,
    EC_INST_LOWER = 0x20,
    EC_INST_SAME = 0x21,
    EC_PC_ALIGNMENT = 0x22,
    EC_DATA_LOWER = 0x24,
    EC_DATA_SAME = 0x25,
    EC_SP_ALIGNMENT = 0x26,
    EC_SERROR = 0x2f,
    EC_BREAKPOINT_LOWER = 0x30,
    EC_BREAKPOINT_SAME = 0x31,
    EC_STEP_LOWER = 0x32,
    EC_STEP_SAME = 0x33,
    EC_WATCHPOINT_LOWER = 0x34,
    EC_WATCHPOINT_SAME = 0x35,
    EC_BKPT32 = 0x38,
    EC_VECTOR32 = 0x3a,
    EC_BRK64 = 0x3c,
};

/* DDI0608 tables D3.13 and D3.14. */
uint8_t cairn_exception_of_class(unsigned EC, unsigned EL, bool executed, bool to_a32)
{
    switch (EC) {
    case EC_SMC32:
    case EC_SMC64:
        /* At EL2 it is a trap, as any call that returns to itself is. */
        return executed && EL != 2 ? CAIRN_EXCEPTION_CALL : CAIRN_EXCEPTION_TRAP;
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
    case EC_PC_ALIGNMENT: /* a Prefetch Abort in AArch32 */
        return to_a32 ? CAIRN_EXCEPTION_INST_FAULT : CAIRN_EXCEPTION_ALIGNMENT;
    case EC_SP_ALIGNMENT: return CAIRN_EXCEPTION_ALIGNMENT;
    case EC_SERROR: return CAIRN_EXCEPTION_SYSTEM_ERROR;
    case EC_BREAKPOINT_LOWER:
    case EC_BREAKPOINT_SAME:
    case EC_STEP_LOWER:
    case EC_STEP_SAME:
    case EC_BKPT32:
    case EC_VECTOR32:
    case EC_BRK64: return to_a32 ? CAIRN_EXCEPTION_INST_FAULT : CAIRN_EXCEPTION_INST_DEBUG;
    case EC_WATCHPOINT_LOWER:
    case EC_WATCHPOINT_SAME:
        return to_a32 ? CAIRN_EXCEPTION_DATA_FAULT : CAIRN_EXCEPTION_DATA_DEBUG;
    default: return CAIRN_EXCEPTION_TRAP;
    }
}
