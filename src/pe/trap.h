/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may access a System register: the answer to an MRS, MSR or SYS at an Exception level in a
 * Security state, before anything is read or written. DDI0608 F1.1.13 (I_BDKJJ), E1.2.1.6; the order of
 * controls is the Arm Architecture Reference Manual's.
 * Not modelled: nested virtualization (HCR_EL2.NV), traps of the timers (CNTKCTL_EL1, CNTHCTL_EL2) and
 * those of HFGRTR_EL2 and HFGWTR_EL2. */
#ifndef CAIRN_PE_TRAP_H
#define CAIRN_PE_TRAP_H

#include "pe/state.h"
#include "pe/sysreg.h"

enum cairn_pe_permission {
    CAIRN_PE_PERMITTED,
    CAIRN_PE_NOTHING, /* permitted, reads as 0, ignores writes: EL2's registers where EL2 is not */
    CAIRN_PE_UNDEFINED,
    CAIRN_PE_TRAP_EL1, /* with EC 0x18 (cairn_pe_instruction_syndrome) */
    CAIRN_PE_TRAP_EL2,
    CAIRN_PE_TRAP_EL3,
};

/* Where the architecture leaves a choice, and what registers outside decide. */
/* EDSCR.SDD is 1: what Debug state would take to EL3 is UNDEFINED instead. */
#define CAIRN_PE_SDD (1u << 0)
/* IMPLEMENTATION DEFINED: then, before all other traps. */
#define CAIRN_PE_SDD_FIRST (1u << 1)
/* IMPLEMENTATION DEFINED: without FEAT_DoubleLock, which Armv9 forbids, TDOSA traps OSDLR_EL1 too. */
#define CAIRN_PE_TRAPS_OSDLR (1u << 2)
/* CONSTRAINED UNPREDICTABLE without FEAT_FGT: event counters that MDCR_EL2.HPMN keeps from EL1 and
 * EL0 are UNDEFINED (neither bit), CAIRN_PE_NOTHING, or a trap to EL2. */
#define CAIRN_PE_KEPT_NOTHING (1u << 3)
#define CAIRN_PE_KEPT_TRAP (1u << 4)
#define CAIRN_PE_TRAP_CHOICES 0x1fu

/* `registers` are the values that count for the instruction. SYS has the direction
 * CAIRN_PE_WRITE. An encoding that no table here has is UNDEFINED; TRC* are all taken to be there:
 * whether a trace unit has one, it says (cairn_unit_register_info). */
enum cairn_pe_permission cairn_pe_permission(uint32_t encoding, enum cairn_pe_direction direction,
                                             const struct cairn_pe_features *features,
                                             const struct cairn_pe_state *state,
                                             const struct cairn_pe_registers *registers,
                                             uint32_t choices);

/* TRBIDR_EL1.P as it reads in that state: the trace buffer is another's. */
bool cairn_pe_buffer_is_others(const struct cairn_pe_features *features,
                               const struct cairn_pe_state *state,
                               const struct cairn_pe_registers *registers);

#endif
