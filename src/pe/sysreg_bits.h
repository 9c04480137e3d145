/* SPDX-License-Identifier: BSD-2-Clause */
/* What each register of sysreg_table.h is beyond its encoding:
 *   B(name, access, EL, control, bits, read-only bits, by instruction, by operation, fine R, fine W)
 *   H(name, access, EL, control, by instruction, by operation): the host's, all bits of it. Positions of HDFG*_EL2 are public (the Arm
 * Architecture Reference Manual, Linux); the classes are those of DDI0608 E1.2.3. */
#ifndef CAIRN_PE_SYSREG_BITS_H
#define CAIRN_PE_SYSREG_BITS_H

#include "pe/fields.h"
#include "pe/registers.h"

#define M CAIRN_MASK
#define ALL UINT64_MAX
#define NF CAIRN_PE_NOT_FINE
#define BITS2(high, low) CAIRN_MASK2(high, low)

#define BRBCR_BITS (BITS2(23, 22) | BITS2(8, 8) | BITS2(6, 3) | BITS2(1, 0))
#define BRBINF_BITS (BITS2(46, 32) | BITS2(17, 16) | BITS2(13, 5) | BITS2(1, 0))
#define BRBFCR_BITS (M(BRBFCR_BANK) | BITS2(22, 16) | BITS2(7, 6))
#define PMTYPE_FILTERS (BITS2(31, 26) | BITS2(24, 20))
#define PMEVTYPER_BITS (PMTYPE_FILTERS | BITS2(25, 25) | M(PMEVTYPER_EVENT))
#define MDSCR_BITS                                                                                 \
    (BITS2(31, 29) | BITS2(27, 26) | BITS2(23, 21) | BITS2(19, 19) | BITS2(15, 12) | BITS2(6, 6) | \
     BITS2(0, 0))
#define MDCR2_BITS (BITS2(36, 36) | BITS2(29, 23) | BITS2(19, 19) | BITS2(17, 17) | BITS2(14, 0))
#define MDCR3_BITS (BITS2(38, 32) | BITS2(28, 14) | BITS2(13, 9) | BITS2(6, 6) | BITS2(0, 0))
#define HDFGRTR_BITS                                                                               \
    (~(BITS2(49, 49) | BITS2(42, 42) | BITS2(39, 38) | BITS2(21, 20) | BITS2(8, 8)))
#define HDFGWTR_BITS                                                                               \
    (~(BITS2(63, 63) | BITS2(59, 58) | BITS2(51, 51) | BITS2(47, 47) | BITS2(43, 43) |             \
       BITS2(40, 38) | BITS2(34, 34) | BITS2(30, 30) | BITS2(22, 22) | BITS2(9, 9) | BITS2(6, 6)))
#define OWNER3 (M(MDCR_EL3_NSTB) | M(MDCR_EL3_NSTBE))

/* clang-format off */
#define CAIRN_PE_SYSREG_BITS(B, H)                                                                 \
    B(TRFCR_EL1, RW, 1, FILTER, M(TRFCR_TS) | BITS2(1, 0), 0, BITS2(1, 0), M(TRFCR_TS), NF, 49)    \
    B(TRFCR_EL2, RW, 2, FILTER, M(TRFCR_TS) | M(TRFCR_EL2_CX) | BITS2(1, 0), 0, BITS2(1, 0),       \
      M(TRFCR_TS) | M(TRFCR_EL2_CX), NF, NF)                                                       \
    B(TRBLIMITR_EL1, RW, 1, BUFFER, M(TRBLIMITR_LIMIT) | BITS2(5, 0), 0, 0, ALL, 52, 52)           \
    B(TRBPTR_EL1, RW, 1, BUFFER, ALL, 0, 0, ALL, 54, 54)                                           \
    B(TRBBASER_EL1, RW, 1, BUFFER, M(TRBBASER_BASE), 0, 0, ALL, 50, 50)                            \
    B(TRBSR_EL1, RW, 1, BUFFER, M(TRBSR_EC) | BITS2(22, 20) | BITS2(18, 17) | M(TRBSR_MSS), 0,     \
      0, ALL, 55, 55)                                                                              \
    B(TRBMAR_EL1, RW, 1, BUFFER, M(TRBMAR_SH) | M(TRBMAR_ATTR), 0, 0, ALL, 53, 53)                 \
    B(TRBTRG_EL1, RW, 1, BUFFER, M(TRBTRG_TRG), 0, 0, ALL, 56, 56)                                 \
    B(TRBIDR_EL1, RO, 1, BUFFER_ID, BITS2(5, 0), 0, 0, 0, 51, NF)                                  \
    B(BRBCR_EL1, RW, 1, BRANCHES, BRBCR_BITS, 0, 0, 0, 60, 60)                                     \
    B(BRBCR_EL2, RW, 2, BRANCHES, BRBCR_BITS, 0, 0, 0, NF, NF)                                     \
    B(BRBFCR_EL1, RW, 1, BRANCHES, BRBFCR_BITS, 0, 0, 0, 60, 60)                                   \
    B(BRBTS_EL1, RW, 1, BRANCHES, ALL, 0, 0, 0, 61, 61)                                            \
    B(BRBINFINJ_EL1, RW, 1, BRANCHES, BRBINF_BITS, 0, 0, 0, 61, 61)                                \
    B(BRBSRCINJ_EL1, RW, 1, BRANCHES, ALL, 0, 0, 0, 61, 61)                                        \
    B(BRBTGTINJ_EL1, RW, 1, BRANCHES, ALL, 0, 0, 0, 61, 61)                                        \
    B(BRBIDR0_EL1, RO, 1, BRANCHES, BITS2(15, 0), 0, 0, 0, 59, NF)                                 \
    B(PMCR_EL0, RW, 0, PMU, BITS2(31, 11) | BITS2(9, 9) | BITS2(7, 0), BITS2(31, 11), 0, 0, NF, 21) \
    B(PMCNTENSET_EL0, RW, 0, PMU, BITS2(31, 0), 0, 0, 0, 16, 16)                                   \
    B(PMCNTENCLR_EL0, RW, 0, PMU, BITS2(31, 0), 0, 0, 0, 16, 16)                                   \
    B(PMOVSCLR_EL0, RW, 0, PMU, BITS2(31, 0), 0, 0, 0, 18, 18)                                     \
    B(PMSWINC_EL0, WO, 0, PMU, BITS2(30, 0), 0, 0, 0, NF, 20)                                      \
    B(PMSELR_EL0, RW, 0, PMU, BITS2(4, 0), 0, 0, 0, 19, 19)                                        \
    B(PMCEID0_EL0, RO, 0, PMU, ALL, 0, 0, 0, 58, NF)                                               \
    B(PMCEID1_EL0, RO, 0, PMU, ALL, 0, 0, 0, 58, NF)                                               \
    B(PMCCNTR_EL0, RW, 0, PMU, ALL, 0, 0, 0, 15, 15)                                               \
    B(PMXEVTYPER_EL0, RW, 0, PMU, PMEVTYPER_BITS, 0, 0, 0, 13, 13)                                 \
    B(PMXEVCNTR_EL0, RW, 0, PMU, ALL, 0, 0, 0, 12, 12)                                             \
    B(PMUSERENR_EL0, RW, 0, PMU_ENABLE, BITS2(3, 0), 0, 0, 0, 57, 57)                              \
    B(PMOVSSET_EL0, RW, 0, PMU, BITS2(31, 0), 0, 0, 0, 18, 18)                                     \
    B(PMINTENSET_EL1, RW, 1, PMU, BITS2(31, 0), 0, 0, 0, 17, 17)                                   \
    B(PMINTENCLR_EL1, RW, 1, PMU, BITS2(31, 0), 0, 0, 0, 17, 17)                                   \
    B(PMMIR_EL1, RO, 1, PMU_ID, BITS2(23, 0), 0, 0, 0, 22, NF)                                     \
    B(PMCCFILTR_EL0, RW, 0, PMU, PMTYPE_FILTERS, 0, 0, 0, 14, 14)                                  \
    B(MDSCR_EL1, RW, 1, DEBUG, MDSCR_BITS, 0, 0, 0, 4, 4)                                          \
    B(OSLAR_EL1, WO, 1, OS_LOCK, BITS2(0, 0), 0, BITS2(0, 0), 0, NF, 8)                            \
    B(OSLSR_EL1, RO, 1, OS_LOCK, BITS2(3, 0), 0, BITS2(1, 1), 0, 9, NF)                            \
    B(OSDLR_EL1, RW, 1, DOUBLE_LOCK, 0, 0, 0, 0, 11, 11)                                           \
    B(MDCR_EL2, RW, 2, MDCR, MDCR2_BITS, 0, M(MDCR_EL2_E2TB), M(MDCR_EL2_E2TB), NF, NF)            \
    B(MDCR_EL3, RW, 3, NONE, MDCR3_BITS, 0, M(MDCR_EL3_STE) | OWNER3, OWNER3, NF, NF)              \
    H(HCR_EL2, RW, 2, NONE, M(HCR_EL2_TGE) | M(HCR_EL2_E2H), ALL)                                  \
    H(SCR_EL3, RW, 3, NONE, M(SCR_EL3_EEL2), ALL)                                                  \
    H(CPACR_EL1, RW, 1, CPTR, 0, 0)                                                                \
    H(CPTR_EL2, RW, 2, CPTR, 0, 0)                                                                 \
    H(CPTR_EL3, RW, 3, NONE, 0, 0)                                                                 \
    B(HDFGRTR_EL2, RW, 2, FINE, HDFGRTR_BITS, 0, 0, 0, NF, NF)                                     \
    B(HDFGWTR_EL2, RW, 2, FINE, HDFGWTR_BITS, 0, 0, 0, NF, NF)                                     \
    H(HFGITR_EL2, RW, 2, FINE, 0, 0)                                                               \
    B(CONTEXTIDR_EL1, RW, 1, MEMORY, BITS2(31, 0), 0, 0, ALL, NF, NF)                              \
    B(CONTEXTIDR_EL2, RW, 2, NONE, BITS2(31, 0), 0, 0, ALL, NF, NF)                                \
    B(CNTPCT_EL0, RO, 0, NONE, ALL, 0, 0, ALL, NF, NF)                                             \
    B(CNTVCT_EL0, RO, 0, NONE, ALL, 0, 0, ALL, NF, NF)                                             \
    B(CNTVOFF_EL2, RW, 2, NONE, ALL, 0, 0, ALL, NF, NF)                                            \
    B(CNTPOFF_EL2, RW, 2, OFFSET, ALL, 0, 0, ALL, NF, NF)                                          \
    H(CNTHCTL_EL2, RW, 2, NONE, 0, M(CNTHCTL_EL2_ECV))                                             \
    H(SCTLR_EL1, RW, 1, MEMORY, 0, ALL)                                                            \
    H(SCTLR_EL2, RW, 2, NONE, 0, ALL)                                                              \
    H(TTBR0_EL1, RW, 1, MEMORY, 0, ALL)                                                            \
    H(TTBR1_EL1, RW, 1, MEMORY, 0, ALL)                                                            \
    H(TCR_EL1, RW, 1, MEMORY, 0, ALL)                                                              \
    H(MAIR_EL1, RW, 1, MEMORY, 0, ALL)                                                             \
    H(TTBR0_EL2, RW, 2, NONE, 0, ALL)                                                              \
    H(TTBR1_EL2, RW, 2, NONE, 0, ALL)                                                              \
    H(TCR_EL2, RW, 2, NONE, 0, ALL)                                                                \
    H(TCR_EL3, RW, 3, NONE, 0, 0)                                                                \
    H(MAIR_EL2, RW, 2, NONE, 0, ALL)                                                               \
    H(VTTBR_EL2, RW, 2, NONE, 0, ALL)                                                              \
    H(VTCR_EL2, RW, 2, NONE, 0, ALL)                                                               \
    H(VSTTBR_EL2, RW, 2, NONE, 0, ALL)                                                             \
    H(VSTCR_EL2, RW, 2, NONE, 0, ALL)                                                              \
    H(ID_AA64PFR0_EL1, RO, 1, ID, 0, 0)                                                            \
    H(ID_AA64DFR0_EL1, RO, 1, ID, 0, 0)                                                            \
    H(ID_AA64DFR1_EL1, RO, 1, ID, 0, 0)                                                            \
    H(ID_AA64ISAR0_EL1, RO, 1, ID, 0, 0)                                                           \
    H(ID_AA64MMFR0_EL1, RO, 1, ID, 0, 0)                                                           \
    H(ID_AA64MMFR1_EL1, RO, 1, ID, 0, 0)                                                           \
    H(ID_AA64MMFR2_EL1, RO, 1, ID, 0, 0)

/* Rows: R(row, name, after, encoding of number 0, count, access, EL, control, bits, fine R, fine W) */
#define CAIRN_PE_SYSREG_ROWS(R)                                                                    \
    R(PMEVCNTR, "PMEVCNTR", "_EL0", CAIRN_SYSREG(3, 3, 14, 8, 0), CAIRN_PE_EVENT_COUNTERS, RW, 0, PMU, ALL, 12, 12) \
    R(PMEVTYPER, "PMEVTYPER", "_EL0", CAIRN_SYSREG(3, 3, 14, 12, 0), CAIRN_PE_EVENT_COUNTERS, RW, 0, PMU, PMEVTYPER_BITS, 13, 13) \
    R(BRBINF, "BRBINF", "_EL1", CAIRN_SYSREG(2, 1, 8, 0, 0), CAIRN_PE_RECORDS_SEEN, RO, 1, BRANCHES, BRBINF_BITS, 61, NF) \
    R(BRBSRC, "BRBSRC", "_EL1", CAIRN_SYSREG(2, 1, 8, 0, 1), CAIRN_PE_RECORDS_SEEN, RO, 1, BRANCHES, ALL, 61, NF) \
    R(BRBTGT, "BRBTGT", "_EL1", CAIRN_SYSREG(2, 1, 8, 0, 2), CAIRN_PE_RECORDS_SEEN, RO, 1, BRANCHES, ALL, 61, NF)
/* clang-format on */

#endif
