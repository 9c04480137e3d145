/* SPDX-License-Identifier: BSD-2-Clause */
/* The System registers of a PE that trace depends on, and the instructions beside them: one line each,
 * S(name, op0, op1, CRn, CRm, op2). Positions are those of the Arm Architecture Reference Manual; the
 * encodings are held against llvm-mc's by a test. TRC* registers are the trace unit's own
 * (<cairn/access.h>). */
#ifndef CAIRN_PE_SYSREG_TABLE_H
#define CAIRN_PE_SYSREG_TABLE_H

/* Trace Filtering, the Trace Buffer Unit (DDI0608 part E), the Branch Record Buffer (part F). */
#define CAIRN_PE_SYSREGS_TRACE(S)                                                                  \
    S(TRFCR_EL1, 3, 0, 1, 2, 1)                                                                    \
    S(TRFCR_EL2, 3, 4, 1, 2, 1)                                                                    \
    S(TRBLIMITR_EL1, 3, 0, 9, 11, 0)                                                               \
    S(TRBPTR_EL1, 3, 0, 9, 11, 1)                                                                  \
    S(TRBBASER_EL1, 3, 0, 9, 11, 2)                                                                \
    S(TRBSR_EL1, 3, 0, 9, 11, 3)                                                                   \
    S(TRBMAR_EL1, 3, 0, 9, 11, 4)                                                                  \
    S(TRBTRG_EL1, 3, 0, 9, 11, 6)                                                                  \
    S(TRBIDR_EL1, 3, 0, 9, 11, 7)                                                                  \
    S(BRBCR_EL1, 2, 1, 9, 0, 0)                                                                    \
    S(BRBCR_EL2, 2, 4, 9, 0, 0)                                                                    \
    S(BRBFCR_EL1, 2, 1, 9, 0, 1)                                                                   \
    S(BRBTS_EL1, 2, 1, 9, 0, 2)                                                                    \
    S(BRBINFINJ_EL1, 2, 1, 9, 1, 0)                                                                \
    S(BRBSRCINJ_EL1, 2, 1, 9, 1, 1)                                                                \
    S(BRBTGTINJ_EL1, 2, 1, 9, 1, 2)                                                                \
    S(BRBIDR0_EL1, 2, 1, 9, 2, 0)

/* The Performance Monitors; PMEVCNTR<n>_EL0, PMEVTYPER<n>_EL0 and BRB*<n>_EL1 are rows of numbers
 * (sysreg.h). */
#define CAIRN_PE_SYSREGS_PMU(S)                                                                    \
    S(PMCR_EL0, 3, 3, 9, 12, 0)                                                                    \
    S(PMCNTENSET_EL0, 3, 3, 9, 12, 1)                                                              \
    S(PMCNTENCLR_EL0, 3, 3, 9, 12, 2)                                                              \
    S(PMOVSCLR_EL0, 3, 3, 9, 12, 3)                                                                \
    S(PMSWINC_EL0, 3, 3, 9, 12, 4)                                                                 \
    S(PMSELR_EL0, 3, 3, 9, 12, 5)                                                                  \
    S(PMCEID0_EL0, 3, 3, 9, 12, 6)                                                                 \
    S(PMCEID1_EL0, 3, 3, 9, 12, 7)                                                                 \
    S(PMCCNTR_EL0, 3, 3, 9, 13, 0)                                                                 \
    S(PMXEVTYPER_EL0, 3, 3, 9, 13, 1)                                                              \
    S(PMXEVCNTR_EL0, 3, 3, 9, 13, 2)                                                               \
    S(PMUSERENR_EL0, 3, 3, 9, 14, 0)                                                               \
    S(PMOVSSET_EL0, 3, 3, 9, 14, 3)                                                                \
    S(PMINTENSET_EL1, 3, 0, 9, 14, 1)                                                              \
    S(PMINTENCLR_EL1, 3, 0, 9, 14, 2)                                                              \
    S(PMMIR_EL1, 3, 0, 9, 14, 6)                                                                   \
    S(PMCCFILTR_EL0, 3, 3, 14, 15, 7)

/* Debug and control. */
#define CAIRN_PE_SYSREGS_CONTROL(S)                                                                \
    S(MDSCR_EL1, 2, 0, 0, 2, 2)                                                                    \
    S(OSLAR_EL1, 2, 0, 1, 0, 4)                                                                    \
    S(OSLSR_EL1, 2, 0, 1, 1, 4)                                                                    \
    S(OSDLR_EL1, 2, 0, 1, 3, 4)                                                                    \
    S(MDCR_EL2, 3, 4, 1, 1, 1)                                                                     \
    S(MDCR_EL3, 3, 6, 1, 3, 1)                                                                     \
    S(HCR_EL2, 3, 4, 1, 1, 0)                                                                      \
    S(SCR_EL3, 3, 6, 1, 1, 0)                                                                      \
    S(CPACR_EL1, 3, 0, 1, 0, 2)                                                                    \
    S(CPTR_EL2, 3, 4, 1, 1, 2)                                                                     \
    S(CPTR_EL3, 3, 6, 1, 1, 2)                                                                     \
    S(HDFGRTR_EL2, 3, 4, 3, 1, 4)                                                                  \
    S(HDFGWTR_EL2, 3, 4, 3, 1, 5)                                                                  \
    S(HFGITR_EL2, 3, 4, 1, 1, 6)                                                                   \
    S(CONTEXTIDR_EL1, 3, 0, 13, 0, 1)                                                              \
    S(CONTEXTIDR_EL2, 3, 4, 13, 0, 1)                                                              \
    S(CNTPCT_EL0, 3, 3, 14, 0, 1)                                                                  \
    S(CNTVCT_EL0, 3, 3, 14, 0, 2)                                                                  \
    S(CNTVOFF_EL2, 3, 4, 14, 0, 3)                                                                 \
    S(CNTPOFF_EL2, 3, 4, 14, 0, 6)                                                                 \
    S(CNTHCTL_EL2, 3, 4, 14, 1, 0)

/* Translation, of the owning translation regime of a trace buffer. */
#define CAIRN_PE_SYSREGS_TRANSLATION(S)                                                            \
    S(SCTLR_EL1, 3, 0, 1, 0, 0)                                                                    \
    S(SCTLR_EL2, 3, 4, 1, 0, 0)                                                                    \
    S(TTBR0_EL1, 3, 0, 2, 0, 0)                                                                    \
    S(TTBR1_EL1, 3, 0, 2, 0, 1)                                                                    \
    S(TCR_EL1, 3, 0, 2, 0, 2)                                                                      \
    S(MAIR_EL1, 3, 0, 10, 2, 0)                                                                    \
    S(TTBR0_EL2, 3, 4, 2, 0, 0)                                                                    \
    S(TTBR1_EL2, 3, 4, 2, 0, 1)                                                                    \
    S(TCR_EL2, 3, 4, 2, 0, 2)                                                                      \
    S(MAIR_EL2, 3, 4, 10, 2, 0)                                                                    \
    S(VTTBR_EL2, 3, 4, 2, 1, 0)                                                                    \
    S(VTCR_EL2, 3, 4, 2, 1, 2)                                                                     \
    S(VSTTBR_EL2, 3, 4, 2, 6, 0)                                                                   \
    S(VSTCR_EL2, 3, 4, 2, 6, 2)                                                                    \
    S(TCR_EL3, 3, 6, 2, 0, 2)

/* Identification. */
#define CAIRN_PE_SYSREGS_ID(S)                                                                     \
    S(ID_AA64PFR0_EL1, 3, 0, 0, 4, 0)                                                              \
    S(ID_AA64DFR0_EL1, 3, 0, 0, 5, 0)                                                              \
    S(ID_AA64DFR1_EL1, 3, 0, 0, 5, 1)                                                              \
    S(ID_AA64ISAR0_EL1, 3, 0, 0, 6, 0)                                                             \
    S(ID_AA64MMFR0_EL1, 3, 0, 0, 7, 0)                                                             \
    S(ID_AA64MMFR1_EL1, 3, 0, 0, 7, 1)                                                             \
    S(ID_AA64MMFR2_EL1, 3, 0, 0, 7, 2)

#define CAIRN_PE_SYSREGS(S)                                                                        \
    CAIRN_PE_SYSREGS_TRACE(S)                                                                      \
    CAIRN_PE_SYSREGS_PMU(S)                                                                        \
    CAIRN_PE_SYSREGS_CONTROL(S)                                                                    \
    CAIRN_PE_SYSREGS_TRANSLATION(S)                                                                \
    CAIRN_PE_SYSREGS_ID(S)

#endif
