/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of the translation registers and of descriptors, "high, low"; positions are those of the Arm
 * Architecture Reference Manual. */
#ifndef CAIRN_PE_TRANSLATE_FIELDS_H
#define CAIRN_PE_TRANSLATE_FIELDS_H

#define SCTLR_M 0, 0
#define SCTLR_A 1, 1
#define SCTLR_C 2, 2
#define SCTLR_I 12, 12
#define SCTLR_WXN 19, 19
#define SCTLR_EE 25, 25
#define SCTLR_EPAN 57, 57

/* TCR_EL1, and TCR_EL2 where HCR_EL2.E2H is 1 */
#define TCR_T0SZ 5, 0
#define TCR_EPD0 7, 7
#define TCR_TG0 15, 14
#define TCR_T1SZ 21, 16
#define TCR_EPD1 23, 23
#define TCR_TG1 31, 30
#define TCR_IPS 34, 32
#define TCR_TBI0 37, 37
#define TCR_TBI1 38, 38
#define TCR_HA 39, 39
#define TCR_HD 40, 40
#define TCR_HPD0 41, 41
#define TCR_HPD1 42, 42
#define TCR_TBID0 51, 51
#define TCR_TBID1 52, 52
#define TCR_E0PD0 55, 55
#define TCR_E0PD1 56, 56
#define TCR_SH0 13, 12
#define TCR_SH1 29, 28
#define TCR_DS 59, 59

/* TCR_EL2 where HCR_EL2.E2H is 0 */
#define TCR_EL2_PS 18, 16
#define TCR_EL2_TBI 20, 20
#define TCR_EL2_HA 21, 21
#define TCR_EL2_HD 22, 22
#define TCR_EL2_HPD 24, 24
#define TCR_EL2_TBID 29, 29
#define TCR_EL2_DS 32, 32

/* VTCR_EL2, VSTCR_EL2 */
#define VTCR_T0SZ 5, 0
#define VTCR_SL0 7, 6
#define VTCR_SH0 13, 12
#define VTCR_TG0 15, 14
#define VTCR_PS 18, 16
#define VTCR_HA 21, 21
#define VTCR_HD 22, 22
#define VTCR_NSW 29, 29 /* SW of VSTCR_EL2 */
#define VTCR_NSA 30, 30 /* SA of VSTCR_EL2 */
#define VTCR_DS 32, 32
#define VTCR_SL2 33, 33

#define HCR_EL2_VM 0, 0
#define HCR_EL2_PTW 2, 2
#define HCR_EL2_DC 12, 12
#define HCR_EL2_CD 32, 32
#define HCR_EL2_ID 33, 33
#define HCR_EL2_FWB 46, 46
#define SCR_EL3_SIF 9, 9

#define ID_AA64MMFR0_PARANGE 3, 0
#define ID_AA64MMFR0_TGRAN16 23, 20
#define ID_AA64MMFR0_TGRAN64 27, 24
#define ID_AA64MMFR0_TGRAN4 31, 28
#define ID_AA64MMFR0_TGRAN16_2 35, 32
#define ID_AA64MMFR0_TGRAN64_2 39, 36
#define ID_AA64MMFR0_TGRAN4_2 43, 40
#define ID_AA64MMFR1_HAFDBS 3, 0
#define ID_AA64MMFR1_HPDS 15, 12
#define ID_AA64MMFR1_PAN 23, 20
#define ID_AA64MMFR1_XNX 31, 28
#define ID_AA64MMFR2_VARANGE 19, 16
#define ID_AA64MMFR2_ST 31, 28
#define ID_AA64MMFR2_FWB 43, 40
#define ID_AA64MMFR2_E0PD 63, 60

/* Descriptors */
#define DESC_TYPE 1, 0
#define DESC_ATTRINDX 4, 2 /* stage 1 */
#define DESC_MEMATTR 5, 2  /* stage 2 */
#define DESC_NS 5, 5
#define DESC_AP1 6, 6
#define DESC_AP2 7, 7
#define DESC_S2AP_READ 6, 6
#define DESC_S2AP_WRITE 7, 7
#define DESC_SH 9, 8
#define DESC_AF 10, 10
#define DESC_DBM 51, 51
#define DESC_PXN 53, 53
#define DESC_UXN 54, 54
#define DESC_S2XN 54, 53
#define DESC_PXNTABLE 59, 59
#define DESC_UXNTABLE 60, 60
#define DESC_APTABLE0 61, 61
#define DESC_APTABLE1 62, 62
#define DESC_NSTABLE 63, 63

/* Shareability */
#define SH_NON 0
#define SH_OUTER 2
#define SH_INNER 3

/* MAIR_ELx.Attr<n> */
#define ATTR_DEVICE_nGnRnE 0x00
#define ATTR_NONCACHEABLE 0x44
#define ATTR_WRITE_BACK 0xff

#endif
