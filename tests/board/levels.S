/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware for QEMU's virt that goes through the levels it is begun at and all below, calls from each the ones above, takes
 * exceptions to its own level, changes its context identifier, its own code and what is executed at one address in turn, and
 * ends the machine by semihosting. */

#define ROUNDS 40

    /* The 16 vectors of a level: all go on in `\handler`. */
    .macro vectors name, handler
    .balign 0x800
\name:
    .rept 16
    .balign 0x80
    b       \handler
    .endr
    .endm

    /* Behind a call the return address is right; a trap, a fault and a BRK return to what is behind them. */
    .macro skip level
    mrs     x9, esr_\level
    lsr     x9, x9, #26
    cmp     x9, #0x11
    b.lo    1f
    cmp     x9, #0x17
    b.ls    2f
1:  mrs     x10, elr_\level
    add     x10, x10, #4
    msr     elr_\level, x10
2:
    .endm

    .section .text
    .global _start
_start:
    mov     x28, #0             /* how often changed code was called */
    mrs     x0, CurrentEL
    cmp     x0, #12
    b.eq    at_EL3
    cmp     x0, #8
    b.eq    at_EL2
    b       at_EL1

at_EL3:
    adr     x0, vectors_EL3
    msr     vbar_el3, x0
    isb
    brk     #3                  /* to EL3 */
    mov     x0, #0x5b1          /* SCR_EL3: RW, HCE, NS, RES1; SMC is not disabled */
    mov     x1, #0x531
    orr     x0, x0, x1
    bic     x0, x0, #0x80
    msr     scr_el3, x0
    /* FP is not trapped; whoever is below begins with a System register as reset left it. */
    msr     cptr_el3, xzr
    mrs     x1, id_aa64pfr0_el1
    ubfx    x1, x1, #8, #4
    mov     x2, #0x3c9          /* EL2h, all masked */
    adr     x3, at_EL2
    cbnz    x1, 1f
    mov     x2, #0x3c5          /* EL1h */
    adr     x3, at_EL1
1:  msr     spsr_el3, x2
    msr     elr_el3, x3
    eret

at_EL2:
    adr     x0, vectors_EL2
    msr     vbar_el2, x0
    mov     x0, #0x80000000     /* HCR_EL2.RW */
    msr     hcr_el2, x0
    mov     x0, #0x0007000000000000 /* a VMID, of no translation */
    msr     vttbr_el2, x0
    mrs     x1, id_aa64mmfr1_el1
    ubfx    x1, x1, #8, #4
    cbz     x1, 1f
    mov     x1, #0x77
    msr     s3_4_c13_c0_1, x1   /* CONTEXTIDR_EL2, of FEAT_VHE */
1:  isb
    brk     #2
    mov     x2, #0x3c5
    msr     spsr_el2, x2
    adr     x3, at_EL1
    msr     elr_el2, x3
    eret

at_EL1:
    adr     x0, stack
    mov     sp, x0
    adr     x0, vectors_EL1
    msr     vbar_el1, x0
    mov     x0, #(3 << 20)
    msr     cpacr_el1, x0
    isb
    mov     x19, #ROUNDS
round:
    msr     contextidr_el1, x19
    isb
    brk     #1                  /* to EL1, from EL1 */
    .inst   0x00000000          /* UDF */
    mov     x0, #0x3000
    movk    x0, #0xffff, lsl #32
    ldr     x1, [x0]            /* nothing is there: an abort */
    mrs     x1, id_aa64pfr0_el1
    ubfx    x2, x1, #8, #4
    cbz     x2, 1f
    hvc     #7
1:  ubfx    x2, x1, #12, #4
    cbz     x2, 2f
    smc     #8
2:  bl      change
    msr     spsr_el1, xzr       /* EL0 */
    adr     x0, at_EL0
    msr     elr_el1, x0
    eret
behind_EL0:
    subs    x19, x19, #1
    b.ne    round
    adr     x1, parameters
    mov     w0, #0x18           /* SYS_EXIT */
    hlt     #0xf000
    b       .

at_EL0:
    mov     x0, #5
1:  svc     #1
    subs    x0, x0, #1
    b.ne    1b
    svc     #2                  /* the last one */

    /* Writes one of two functions to one address, in turn, and calls it. */
change:
    str     x30, [sp, #-16]!
    adr     x0, odd
    adr     x1, even
    tst     x19, #1
    csel    x0, x0, x1, ne
    adr     x2, changed
    ldp     x3, x4, [x0]
    stp     x3, x4, [x2]
    ldp     x3, x4, [x0, #16]
    stp     x3, x4, [x2, #16]
    dc      cvau, x2
    dsb     ish
    ic      ivau, x2
    dsb     ish
    isb
    bl      changed
    ldr     x30, [sp], #16
    ret
    .balign 16
odd:
    add     x28, x28, #1
    cbz     x28, 1f
    add     x28, x28, #2
1:  ret
    nop
    nop
    nop
    nop
even:
    mov     x5, #3
1:  subs    x5, x5, #1
    b.ne    1b
    cbnz    x5, 2f
    add     x28, x28, #4
2:  ret
    nop
    nop

handler_EL1:
    mrs     x9, esr_el1
    mov     x10, #2
    movk    x10, #0x5600, lsl #16
    cmp     x9, x10             /* SVC #2 of AArch64 */
    b.ne    1f
    adr     x9, behind_EL0
    msr     elr_el1, x9
    mov     x9, #0x3c5
    msr     spsr_el1, x9
    eret
1:  skip    el1
    eret
handler_EL2:
    skip    el2
    eret
handler_EL3:
    skip    el3
    eret

    vectors vectors_EL1, handler_EL1
    vectors vectors_EL2, handler_EL2
    vectors vectors_EL3, handler_EL3

    .balign 4096
changed:
    .fill   64, 1, 0
    .balign 16
parameters:
    .quad   0x20026, 0          /* ADP_Stopped_ApplicationExit, status 0 */
    .fill   4096, 1, 0
    .balign 16
stack:
    .quad   0, 0
