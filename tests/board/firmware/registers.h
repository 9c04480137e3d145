/* SPDX-License-Identifier: BSD-2-Clause */
/* System registers by number, for assemblers that do not know their names. */
#ifndef REGISTERS_H
#define REGISTERS_H

#define TRCPRGCTLR S2_1_C0_C1_0
#define TRCSTATR S2_1_C0_C3_0
#define TRCCONFIGR S2_1_C0_C4_0
#define TRCEVENTCTL0R S2_1_C0_C8_0
#define TRCEVENTCTL1R S2_1_C0_C9_0
#define TRCRSR S2_1_C0_C10_0
#define TRCSTALLCTLR S2_1_C0_C11_0
#define TRCTSCTLR S2_1_C0_C12_0
#define TRCSYNCPR S2_1_C0_C13_0
#define TRCCCCTLR S2_1_C0_C14_0
#define TRCTRACEIDR S2_1_C0_C0_1
#define TRCVICTLR S2_1_C0_C0_2
#define TRCVIIECTLR S2_1_C0_C1_2
#define TRCVISSCTLR S2_1_C0_C2_2
#define TRCSEQEVR0 S2_1_C0_C0_4
#define TRCEXTINSELR0 S2_1_C0_C8_4
#define TRCSEQSTR S2_1_C0_C7_4
#define TRCCNTRLDVR0 S2_1_C0_C0_5
#define TRCCNTCTLR0 S2_1_C0_C4_5
#define TRCCNTVR0 S2_1_C0_C8_5
#define TRCRSCTLR2 S2_1_C1_C2_0
#define TRCACVR0 S2_1_C2_C0_0
#define TRCACVR1 S2_1_C2_C2_0
#define TRCACATR1 S2_1_C2_C2_2
#define TRCACATR0 S2_1_C2_C0_2
#define TRCCIDCVR0 S2_1_C3_C0_0
#define TRCCIDCCTLR0 S2_1_C3_C0_2
#define TRCIDR0 S2_1_C0_C8_7
#define TRCIDR1 S2_1_C0_C9_7
#define TRCIDR2 S2_1_C0_C10_7
#define TRCIDR3 S2_1_C0_C11_7
#define TRCIDR8 S2_1_C0_C0_6
#define TRCOSLSR S2_1_C1_C1_4
#define TRCDEVARCH S2_1_C7_C15_6

#define TRFCR_EL1 S3_0_C1_C2_1
#define TRFCR_EL2 S3_4_C1_C2_1
#define TRBLIMITR_EL1 S3_0_C9_C11_0
#define TRBPTR_EL1 S3_0_C9_C11_1
#define TRBBASER_EL1 S3_0_C9_C11_2
#define TRBSR_EL1 S3_0_C9_C11_3
#define TRBMAR_EL1 S3_0_C9_C11_4
#define TRBTRG_EL1 S3_0_C9_C11_6
#define TRBIDR_EL1 S3_0_C9_C11_7

#define BRBCR_EL1 S2_1_C9_C0_0
#define BRBCR_EL2 S2_4_C9_C0_0
#define BRBFCR_EL1 S2_1_C9_C0_1
#define BRBTS_EL1 S2_1_C9_C0_2
#define BRBIDR0_EL1 S2_1_C9_C2_0

#define MDCR_EL2 S3_4_C1_C1_1
#define MDCR_EL3 S3_6_C1_C3_1
#define SCR_EL3 S3_6_C1_C1_0
#define HCR_EL2 S3_4_C1_C1_0
#define OSLAR_EL1 S2_0_C1_C0_4
#define OSLSR_EL1 S2_0_C1_C1_4

#ifndef __ASSEMBLER__
#define MRS_(name)                                                                                 \
    ({                                                                                             \
        uint64_t value_;                                                                           \
        asm volatile("mrs %0, " #name : "=r"(value_)::"memory");                                   \
        value_;                                                                                    \
    })
#define MSR_(name, value) asm volatile("msr " #name ", %0" ::"r"((uint64_t)(value)) : "memory")
#define MRS(name) MRS_(name)
#define MSR(name, value) MSR_(name, value)
#define ISB() asm volatile("isb" ::: "memory")
#define DSB() asm volatile("dsb sy" ::: "memory")
#define TSB() asm volatile("hint #18" ::: "memory")
#endif

#endif
