/* SPDX-License-Identifier: BSD-2-Clause */
/* For each case: put its descriptors and registers in place, execute AT, keep PAR_EL1, and take the
 * descriptors back as the walk left them. Runs at EL3 without translation. */
#include "layout.h"

    .arch armv8.5-a
    .text
    .globl _start
_start:
    adr x0, vectors
    msr VBAR_EL3, x0
    isb
    ldr x28, =HEADER
    mrs x0, ID_AA64MMFR0_EL1
    mrs x1, ID_AA64MMFR1_EL1
    mrs x2, ID_AA64MMFR2_EL1
    stp x0, x1, [x28, #8]
    str x2, [x28, #24]
    ldr x20, [x28]
    ldr x19, =CASES
next:
    cbz x20, done
    ldr x22, [x19, #8 * CASE_DESCRIPTORS]
    add x23, x19, #8 * CASE_WORDS
    mov x24, x22
1:  cbz x24, 2f
    ldp x0, x1, [x23], #16
    str x1, [x0]
    sub x24, x24, #1
    b 1b
2:  add x9, x19, #8 * CASE_REGISTERS
    /* A core without one of these takes an exception, and goes on behind it. */
    ldp x0, x1, [x9], #16
    msr SCTLR_EL1, x0
    msr TCR_EL1, x1
    ldp x0, x1, [x9], #16
    msr TTBR0_EL1, x0
    msr TTBR1_EL1, x1
    ldp x0, x1, [x9], #16
    msr MAIR_EL1, x0
    msr SCTLR_EL2, x1
    ldp x0, x1, [x9], #16
    msr TCR_EL2, x0
    msr TTBR0_EL2, x1
    ldp x0, x1, [x9], #16
    msr S3_4_C2_C0_1, x0 /* TTBR1_EL2 */
    msr MAIR_EL2, x1
    ldp x0, x1, [x9], #16
    msr VTCR_EL2, x0
    msr VTTBR_EL2, x1
    ldp x0, x1, [x9], #16
    msr S3_4_C2_C6_2, x0 /* VSTCR_EL2 */
    msr S3_4_C2_C6_0, x1 /* VSTTBR_EL2 */
    ldp x0, x1, [x9], #16
    msr HCR_EL2, x0
    msr SCR_EL3, x1
    isb
    tlbi alle1
    tlbi alle2
    dsb sy
    isb
    ldr x0, [x19, #8 * CASE_PAN]
    cbz x0, 3f
    msr pan, #1
    b 4f
3:  msr pan, #0
4:  mov x27, #0
    ldr x0, [x19, #8 * CASE_OPERATION]
    ldr x2, [x19, #8 * CASE_ADDRESS]
    adr x1, operations
    add x1, x1, x0, lsl #3
    br x1
operations:
    at s1e1r, x2
    b 5f
    at s1e1w, x2
    b 5f
    at s1e0r, x2
    b 5f
    at s1e0w, x2
    b 5f
    at s12e1r, x2
    b 5f
    at s12e1w, x2
    b 5f
    at s12e0r, x2
    b 5f
    at s12e0w, x2
    b 5f
    at s1e2r, x2
    b 5f
    at s1e2w, x2
    b 5f
    at s1e1rp, x2
    b 5f
    at s1e1wp, x2
    b 5f
5:  isb
    mrs x0, PAR_EL1
    stp x0, x27, [x19, #8 * CASE_PAR]
    add x23, x19, #8 * CASE_WORDS
6:  cbz x22, 7f
    ldr x0, [x23]
    ldr x1, [x0]
    str xzr, [x0]
    str x1, [x23, #8]
    add x23, x23, #16
    sub x22, x22, #1
    b 6b
7:  mov x19, x23
    sub x20, x20, #1
    b next
done:
    ldr x1, =exit
    mov w0, #0x18
    hlt #0xf000
    b .
    .balign 8
exit:
    .quad 0x20026, 0

    .balign 2048
vectors:
    .rept 16
    mrs x27, ESR_EL3
    mrs x26, ELR_EL3
    add x26, x26, #4
    msr ELR_EL3, x26
    eret
    .balign 128
    .endr
