/* SPDX-License-Identifier: BSD-2-Clause */
/* Positions of fields, "high, low", of the registers that decide about trace. DDI0608 names them; the
 * positions are those of the Arm Architecture Reference Manual's register pages. */
#ifndef CAIRN_PE_FIELDS_H
#define CAIRN_PE_FIELDS_H

/* TRFCR_EL1, TRFCR_EL2 */
#define TRFCR_EL1_E0TRE 0, 0
#define TRFCR_EL1_E1TRE 1, 1
#define TRFCR_EL2_E0HTRE 0, 0
#define TRFCR_EL2_E2TRE 1, 1
#define TRFCR_EL2_CX 3, 3
#define TRFCR_TS 6, 5

/* Trace Buffer Unit */
#define TRBLIMITR_LIMIT 63, 12
#define TRBLIMITR_nVM 5, 5
#define TRBLIMITR_TM 4, 3 /* 0 stop on trigger, 1 interrupt, 3 ignore */
#define TRBLIMITR_FM 2, 1 /* 0 fill, 1 wrap, 3 circular */
#define TRBLIMITR_E 0, 0
#define TRBBASER_BASE 63, 12
#define TRBSR_EC 31, 26
#define TRBSR_IRQ 22, 22
#define TRBSR_TRG 21, 21
#define TRBSR_WRAP 20, 20
#define TRBSR_EA 18, 18
#define TRBSR_S 17, 17
#define TRBSR_MSS 15, 0
#define TRBSR_BSC 5, 0
#define TRBSR_FSC 5, 0
#define TRBMAR_SH 9, 8
#define TRBMAR_ATTR 7, 0
#define TRBTRG_TRG 31, 0
#define TRBIDR_F 5, 5
#define TRBIDR_P 4, 4
#define TRBIDR_ALIGN 3, 0

/* Branch Record Buffer */
#define BRBCR_EXCEPTION 23, 23
#define BRBCR_ERTN 22, 22
#define BRBCR_FZP 8, 8
#define BRBCR_TS 6, 5
#define BRBCR_MPRED 4, 4
#define BRBCR_CC 3, 3
#define BRBCR_EL1_E1BRE 1, 1
#define BRBCR_EL1_E0BRE 0, 0
#define BRBCR_EL2_E2BRE 1, 1
#define BRBCR_EL2_E0HBRE 0, 0
#define BRBFCR_BANK 29, 28
#define BRBFCR_CONDDIR 22, 22
#define BRBFCR_DIRCALL 21, 21
#define BRBFCR_INDCALL 20, 20
#define BRBFCR_RTN 19, 19
#define BRBFCR_INDIRECT 18, 18
#define BRBFCR_DIRECT 17, 17
#define BRBFCR_EnI 16, 16
#define BRBFCR_PAUSED 7, 7
#define BRBFCR_LASTFAILED 6, 6
#define BRBIDR0_CC 15, 12
#define BRBIDR0_FORMAT 11, 8
#define BRBIDR0_NUMREC 7, 0
#define BRBINF_CCU 46, 46
#define BRBINF_CC 45, 32
#define BRBINF_LASTFAILED 17, 17
#define BRBINF_T 16, 16
#define BRBINF_TYPE 13, 8
#define BRBINF_EL 7, 6
#define BRBINF_MPRED 5, 5
#define BRBINF_VALID 1, 0 /* 0 none, 1 target, 2 source, 3 both */

/* MDCR_EL2, MDCR_EL3 */
#define MDCR_EL2_HPMN 4, 0
#define MDCR_EL2_TPMCR 5, 5
#define MDCR_EL2_TPM 6, 6
#define MDCR_EL2_HPME 7, 7
#define MDCR_EL2_TDE 8, 8
#define MDCR_EL2_TDA 9, 9
#define MDCR_EL2_TDOSA 10, 10
#define MDCR_EL2_HPMD 17, 17
#define MDCR_EL2_TTRF 19, 19
#define MDCR_EL2_HCCD 23, 23
#define MDCR_EL2_E2TB 25, 24
#define MDCR_EL2_HLP 26, 26
#define MDCR_EL2_HPMFZO 29, 29
#define MDCR_EL3_RLTE 0, 0
#define MDCR_EL3_TPM 6, 6
#define MDCR_EL3_TDA 9, 9
#define MDCR_EL3_TDOSA 10, 10
#define MDCR_EL3_SDD 16, 16
#define MDCR_EL3_SPME 17, 17
#define MDCR_EL3_STE 18, 18
#define MDCR_EL3_TTRF 19, 19
#define MDCR_EL3_EPMAD 21, 21
#define MDCR_EL3_ETAD 22, 22
#define MDCR_EL3_SCCD 23, 23
#define MDCR_EL3_NSTB 25, 24
#define MDCR_EL3_NSTBE 26, 26
#define MDCR_EL3_SBRBE 33, 32
#define MDCR_EL3_MCCD 34, 34
#define MDCR_EL3_MPMX 35, 35
#define MDCR_EL3_E3BREW 37, 37
#define MDCR_EL3_E3BREC 38, 38

/* HCR_EL2, SCR_EL3, traps, counters */
#define HCR_EL2_IMO 4, 4
#define HCR_EL2_TID3 18, 18
#define HCR_EL2_TVM 26, 26
#define HCR_EL2_VM 0, 0
#define HCR_EL2_TGE 27, 27
#define HCR_EL2_TRVM 30, 30
#define HCR_EL2_E2H 34, 34
#define SCR_EL3_NS 0, 0
#define SCR_EL3_IRQ 1, 1
#define SCR_EL3_EEL2 18, 18
#define SCR_EL3_FGTEn 27, 27
#define SCR_EL3_ECVEn 28, 28
#define SCR_EL3_NSE 62, 62
#define CPACR_EL1_TTA 28, 28
#define CPTR_EL2_TTA 20, 20     /* HCR_EL2.E2H 0 */
#define CPTR_EL2_TTA_E2H 28, 28 /* HCR_EL2.E2H 1 */
#define CPTR_EL2_TCPAC 31, 31
#define CPTR_EL3_TTA 20, 20
#define CPTR_EL3_TCPAC 31, 31
#define CNTHCTL_EL2_ECV 12, 12

/* Performance Monitors */
#define PMCR_E 0, 0
#define PMCR_P 1, 1
#define PMCR_C 2, 2
#define PMCR_D 3, 3
#define PMCR_X 4, 4
#define PMCR_DP 5, 5
#define PMCR_LC 6, 6
#define PMCR_LP 7, 7
#define PMCR_FZO 9, 9
#define PMCR_N 15, 11
#define PMUSERENR_EN 0, 0
#define PMUSERENR_SW 1, 1
#define PMUSERENR_CR 2, 2
#define PMUSERENR_ER 3, 3
#define PMSELR_SEL 4, 0
#define PMEVTYPER_EVENT 15, 0
#define PMEVTYPER_EVENT_V3 9, 0 /* before FEAT_PMUv3p1 */
#define PMEVTYPER_RLH 20, 20
#define PMEVTYPER_RLU 21, 21
#define PMEVTYPER_RLK 22, 22
#define PMEVTYPER_T 23, 23
#define PMEVTYPER_SH 24, 24
#define PMEVTYPER_M 26, 26
#define PMEVTYPER_NSH 27, 27
#define PMEVTYPER_NSU 28, 28
#define PMEVTYPER_NSK 29, 29
#define PMEVTYPER_U 30, 30
#define PMEVTYPER_P 31, 31

/* Identification */
#define ID_AA64DFR0_DEBUGVER 3, 0
#define ID_AA64DFR0_TRACEVER 7, 4
#define ID_AA64DFR0_PMUVER 11, 8
#define ID_AA64DFR0_TRACEFILT 43, 40
#define ID_AA64DFR0_TRACEBUFFER 47, 44
#define ID_AA64DFR0_BRBE 55, 52

#endif
