/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the machine begins, at EL3, and the way to other levels and back. */
#include "registers.h"

    .section .text.start, "ax"
    .global _start
_start:
    mrs x0, CurrentEL
    cmp x0, #(3 << 2)
    b.ne below_EL3
    ldr x0, =stack_EL3
    mov sp, x0
    ldr x0, =vectors_EL3
    msr VBAR_EL3, x0
    ldr x0, =vectors_EL2
    msr VBAR_EL2, x0
    ldr x0, =vectors_EL1
    msr VBAR_EL1, x0
    mov x0, #(1 << 31)          /* RW: EL1 is in AArch64 */
    msr HCR_EL2, x0
    ldr x0, =stack_EL2
    msr SP_EL2, x0
    ldr x0, =stack_EL1
    msr SP_EL1, x0
    isb
    ldr x0, =bss_begin
    ldr x1, =bss_end
1:  cmp x0, x1
    b.hs 2f
    str xzr, [x0], #8
    b 1b
2:  bl main
    bl switch_off

/* A machine that begins at EL2 or EL1: what EL1 may do there. It ends by PSCI. */
below_EL3:
    ldr x1, =stack_EL3
    mov sp, x1
    cmp x0, #(1 << 2)
    b.eq 1f
    ldr x0, =vectors_below
    msr VBAR_EL2, x0
    mov x0, #(1 << 31)
    msr HCR_EL2, x0
    mov x0, #(3 << 24)          /* E2TB: the buffer is EL1's */
    msr MDCR_EL2, x0
    mov x0, #0x3c5
    msr SPSR_EL2, x0
    adr x0, 1f
    msr ELR_EL2, x0
    ldr x0, =stack_EL1
    msr SP_EL1, x0
    eret
1:  ldr x0, =vectors_below
    msr VBAR_EL1, x0
    isb
    bl main_below
    ldr w0, =0x84000008         /* SYSTEM_OFF */
    mrs x1, ID_AA64PFR0_EL1
    tst x1, #(15 << 8)
    b.eq 2f
    smc #0
2:  hvc #0
    b .

    .text
/* run_at(EL, code, X0): comes back from vectors_EL3. */
    .global run_at
run_at:
    ldr x9, =saved
    stp x19, x20, [x9], #16
    stp x21, x22, [x9], #16
    stp x23, x24, [x9], #16
    stp x25, x26, [x9], #16
    stp x27, x28, [x9], #16
    stp x29, x30, [x9], #16
    mov x10, sp
    str x10, [x9]
    cmp x0, #3
    b.eq 1f
    lsl x11, x0, #2
    cbz x0, 2f
    orr x11, x11, #1            /* its own stack */
2:  orr x11, x11, #0x3c0        /* DAIF */
    msr SPSR_EL3, x11
    msr ELR_EL3, x1
    mov x0, x2
    eret
1:  mov x0, x2
    br x1

back:                           /* x9: ESR, x10: ELR, x11: level */
    ldr x12, =outcome
    stp x0, x9, [x12]
    stp x10, x11, [x12, #16]
    ldr x9, =saved
    ldp x19, x20, [x9], #16
    ldp x21, x22, [x9], #16
    ldp x23, x24, [x9], #16
    ldp x25, x26, [x9], #16
    ldp x27, x28, [x9], #16
    ldp x29, x30, [x9], #16
    ldr x10, [x9]
    mov sp, x10
    ret

/* Levels below hand what they took on to EL3. */
.macro hand_on EL
    .rept 16
    .balign 0x80
    mrs x9, ESR_EL\EL
    mrs x10, ELR_EL\EL
    mov x11, #\EL
    smc #0
    .endr
.endm

    .balign 0x800
    .global vectors_EL1, vectors_EL2
vectors_EL1:
    hand_on 1
    .balign 0x800
vectors_EL2:
    hand_on 2

    .balign 0x800
vectors_EL3:
    .rept 8                     /* from EL3 itself */
    .balign 0x80
    b 1f
    .endr
    .rept 8
    .balign 0x80
    b 2f
    .endr
    .balign 0x80
2:  mrs x12, ESR_EL3
    lsr x12, x12, #26
    cmp x12, #0x17              /* SMC: x9 to x11 are as they were handed on */
    b.eq back
1:  mrs x9, ESR_EL3
    mrs x10, ELR_EL3
    mov x11, #3
    b back

    .balign 0x800
vectors_below:                  /* nothing is to come here */
    .rept 16
    .balign 0x80
    b 1f
    .endr
    .balign 0x80
1:  ldr x0, =0x09000000
    mov w1, #'!'
    str w1, [x0]
    b .

    .bss
    .balign 16
saved:
    .skip 128
    .balign 4096
    .skip 16384
stack_EL3:
    .skip 4096
stack_EL2:
    .skip 4096
stack_EL1:
