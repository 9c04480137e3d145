/* SPDX-License-Identifier: BSD-2-Clause */
/* The System registers of a PE as things with a name, an encoding and bits, and the instructions that
 * name them.
 *   sysreg_table.h     names and encodings          registers.h  their values
 *   sysreg.c           finding them                 trap.h       who may access them
 *   sysreg_bits.c      bits, and who reads them     fields/      their fields in words
 *   instruction.c      words of A64
 * TRC* registers are the trace unit's own (<cairn/access.h>); what is said of them here is their class
 * and, in trap.h, their traps. */
#ifndef CAIRN_PE_SYSREG_H
#define CAIRN_PE_SYSREG_H

#include <stdbool.h>
#include <stddef.h>

#include <cairn/pe.h>

#include "pe/registers.h"

/* Rows of registers that differ by their number, behind the single ones. */
enum cairn_pe_row {
    CAIRN_PE_ROW_PMEVCNTR,
    CAIRN_PE_ROW_PMEVTYPER,
    CAIRN_PE_ROW_BRBINF,
    CAIRN_PE_ROW_BRBSRC,
    CAIRN_PE_ROW_BRBTGT,
    CAIRN_PE_ROWS,
};
#define CAIRN_PE_SINGLES CAIRN_PE_PMEVCNTR0_EL0
#define CAIRN_PE_FAMILIES ((unsigned)CAIRN_PE_SINGLES + (unsigned)CAIRN_PE_ROWS)
#define CAIRN_PE_RECORDS_SEEN 32u /* BRBINF<n>_EL1: a bank (I_PPBZP) */

enum cairn_pe_direction {
    CAIRN_PE_READ,
    CAIRN_PE_WRITE,
};
#define CAIRN_PE_CAN_READ (1u << CAIRN_PE_READ)
#define CAIRN_PE_CAN_WRITE (1u << CAIRN_PE_WRITE)

/* The controls that a register's accesses meet (trap.c). */
enum cairn_pe_control {
    CAIRN_PE_CONTROL_NONE,
    CAIRN_PE_CONTROL_FILTER, /* TRFCR_ELx */
    CAIRN_PE_CONTROL_BUFFER, /* TRB* */
    CAIRN_PE_CONTROL_BUFFER_ID,
    CAIRN_PE_CONTROL_BRANCHES, /* BRB* */
    CAIRN_PE_CONTROL_PMU,
    CAIRN_PE_CONTROL_PMU_ENABLE, /* PMUSERENR_EL0 */
    CAIRN_PE_CONTROL_PMU_ID,     /* PMMIR_EL1 */
    CAIRN_PE_CONTROL_DEBUG,      /* MDSCR_EL1 */
    CAIRN_PE_CONTROL_OS_LOCK,
    CAIRN_PE_CONTROL_DOUBLE_LOCK,
    CAIRN_PE_CONTROL_MDCR,   /* MDCR_EL2 */
    CAIRN_PE_CONTROL_CPTR,   /* CPACR_EL1, CPTR_EL2 */
    CAIRN_PE_CONTROL_FINE,   /* HDFG*_EL2, HFGITR_EL2 */
    CAIRN_PE_CONTROL_OFFSET, /* CNTPOFF_EL2 */
    CAIRN_PE_CONTROL_MEMORY, /* of stage 1 at EL1, and CONTEXTIDR_EL1 */
    CAIRN_PE_CONTROL_ID,     /* ID_AA64* */
    CAIRN_PE_CONTROL_TRACE,  /* TRC* */
};

/* R_SXXQJ: on whose behalf the trace unit or the Trace Buffer Unit reads or writes a register. */
#define CAIRN_PE_BY_INSTRUCTION (1u << 0) /* that is, or is not, traced */
#define CAIRN_PE_BY_OPERATION (1u << 1)   /* the instruction's trace operation */
#define CAIRN_PE_BY_OTHER (1u << 2)       /* neither: resources of the trace unit */

struct cairn_pe_sysreg {
    const char *name;  /* "TRBSR_EL1"; of a row what stands before the number: "BRBINF" */
    const char *after; /* of a row what stands behind it: "_EL1"; NULL: no row */
    uint32_t encoding; /* CAIRN_SYSREG(...); of a row that of number 0 */
    uint8_t count;     /* 1, or of the row */
    uint8_t access;    /* CAIRN_PE_CAN_... */
    uint8_t EL;        /* the lowest that has it */
    uint8_t control;   /* enum cairn_pe_control */
    bool is_host;  /* trace looks at some of its bits alone: all bits are kept, few have fields */
    uint64_t bits; /* that exist: the others are RES0 */
    uint64_t writable;                     /* by MSR */
    uint64_t by_instruction, by_operation; /* bits that each of them reads or writes */
    /* The bit that traps it in HDFGRTR_EL2 and HDFGWTR_EL2; CAIRN_PE_NOT_FINE: none. Those that
     * begin with n trap where they are 0 (I_BDKJJ). */
    uint8_t fine[2]; /* by direction */
};
#define CAIRN_PE_NOT_FINE 0xffu

struct cairn_pe_sysreg_place {
    const struct cairn_pe_sysreg *sysreg; /* NULL: none */
    unsigned number;                      /* in its row */
    bool EL12;                            /* by the name *_EL12 */
};
#define CAIRN_PE_SYSREG_NAME 24u

/* All of them, NULL past the last: first the single ones, in the order of enum cairn_pe_register. */
const struct cairn_pe_sysreg *cairn_pe_sysreg_at(size_t index);
/* By name, in any case; and by encoding. Names and encodings *_EL12 are found as well. */
struct cairn_pe_sysreg_place cairn_pe_sysreg_named(const char *name);
struct cairn_pe_sysreg_place cairn_pe_sysreg_encoded(uint32_t encoding);
uint32_t cairn_pe_sysreg_encoding(struct cairn_pe_sysreg_place place);
void cairn_pe_sysreg_name(struct cairn_pe_sysreg_place place, char name[CAIRN_PE_SYSREG_NAME]);
/* Where its value is in struct cairn_pe_registers. CAIRN_PE_REGISTERS: branch records, which are the
 * Branch Record Buffer's. */
enum cairn_pe_register cairn_pe_sysreg_slot(struct cairn_pe_sysreg_place place);

/* The register that an access at an Exception level reaches: at EL2 with HCR_EL2.E2H 1 names of EL1
 * are those of EL2, and *_EL12 at EL2 and EL3 are those of EL1. No register: the access is
 * UNDEFINED. */
struct cairn_pe_sysreg_place cairn_pe_sysreg_reached(struct cairn_pe_sysreg_place place,
                                                     unsigned EL, bool E2H);

/* What becomes of a register's value where `value` is written; bits that are WO, as PMCR_EL0.P, are
 * 0 in it. What writing does besides is not its matter. */
uint64_t cairn_pe_sysreg_written(const struct cairn_pe_sysreg *sysreg, uint64_t before,
                                 uint64_t value);

/* R_SXXQJ, I_DDLVC: CAIRN_PE_BY_... of bits of a register, also of TRC* ones; 0: no trace depends on
 * it. Which TRC* registers belong to resources is the trace unit's choice. */
unsigned cairn_pe_sysreg_class(uint32_t encoding, uint64_t bits);
/* A register of the trace unit: TRC*. */
bool cairn_pe_is_trace_sysreg(uint32_t encoding);

#define CAIRN_PE_OSLSR_OSLK UINT64_C(2) /* the OS Lock is locked */

enum cairn_pe_reset {
    CAIRN_PE_RESET_COLD,
    CAIRN_PE_RESET_WARM,
};
/* Registers after a reset of the PE. What is UNKNOWN then in the registers of trace, branch records
 * and Performance Monitors is made of `unknown`, a seed, or 0 where that is 0; in other registers it
 * is 0. Identification stays. DDI0608 F1.1.13: BRBE's controls survive a Warm reset in FEAT_BRBEv1p1,
 * MDCR_EL3.E3BREC does, E3BREW does not. TRBLIMITR_EL1.E is 0 after both. */
struct cairn_pe_features;
void cairn_pe_registers_reset(struct cairn_pe_registers *registers,
                              const struct cairn_pe_features *features, enum cairn_pe_reset kind,
                              uint64_t unknown);

/* --- instructions --- */

enum cairn_pe_instruction_kind {
    CAIRN_PE_OTHER,
    CAIRN_PE_MRS,
    CAIRN_PE_MSR, /* of a register; not the immediate form */
    CAIRN_PE_SYS, /* op0 1: BRB IALL is CAIRN_PE_BRB_IALL in `encoding` */
    CAIRN_PE_TSB_CSYNC,
    CAIRN_PE_PSB_CSYNC,
    CAIRN_PE_ISB,
    CAIRN_PE_DSB,
    CAIRN_PE_DMB,
};

struct cairn_pe_instruction {
    enum cairn_pe_instruction_kind kind;
    uint32_t encoding; /* of MRS, MSR, SYS: CAIRN_SYSREG(...) */
    uint8_t Rt;        /* of those; 31 is XZR */
    uint8_t CRm;       /* of barriers */
};

/* What a word of A64 is, as far as registers and barriers go. */
struct cairn_pe_instruction cairn_pe_instruction_of(uint32_t word);
/* And back; 0 of CAIRN_PE_OTHER. */
uint32_t cairn_pe_instruction_word(const struct cairn_pe_instruction *instruction);
/* ESR_ELx.ISS of EC 0x18 for MRS, MSR and SYS. */
#define CAIRN_PE_EC_SYSTEM 0x18u
uint32_t cairn_pe_instruction_syndrome(const struct cairn_pe_instruction *instruction);

#endif
