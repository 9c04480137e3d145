/* SPDX-License-Identifier: BSD-2-Clause */
/* What a driver does to have a program traced, at EL1: the steps of Linux's drivers of the trace buffer and the trace unit, and
 * the same with one barrier left out each time. Which barriers those are is the letter of the macro's argument. */
#include "registers.h"

.macro barrier letter, without, word:vararg
    .ifnc \letter, \without
    \word
    .endif
.endm

.macro poll_idle value
9:  isb
    mrs x9, TRCSTATR
    .if \value
    tbz x9, #0, 9b
    .else
    tbnz x9, #0, 9b
    .endif
.endm

/* X0: the buffer's first byte, X1: TRBLIMITR_EL1, X2: four words for what was read. */
.macro driver name, without
    .global driver_\name
    .type driver_\name, %function
driver_\name:
    mov x20, x0
    mov x21, x1
    mov x22, x2
    msr TRBBASER_EL1, x20
    msr TRBPTR_EL1, x20
    msr TRBSR_EL1, xzr
    barrier A, \without, isb
    msr TRBLIMITR_EL1, x21
    isb
    mov x9, #3
    msr TRFCR_EL1, x9
    isb
    mov x9, #1
    msr TRCPRGCTLR, x9
    poll_idle 0
    barrier B, \without, isb
    adr x9, program
    msr ELR_EL1, x9
    mov x9, #0x3c0
    msr SPSR_EL1, x9
    adr x23, 1f                 /* where SVC comes back to */
    eret
1:  msr TRFCR_EL1, xzr
    barrier C, \without, isb
    barrier D, \without, hint #18
    barrier E, \without, dsb nsh
    barrier F, \without, isb
    mrs x9, TRBPTR_EL1
    mrs x10, TRBSR_EL1
    sub x9, x9, x20
    stp x9, x10, [x22]
    mov x10, #0                 /* what of it a reader sees */
    mov x11, x20
    add x12, x20, #64
2:  ldr x13, [x11], #8
    eor x10, x13, x10, ror #1
    cmp x11, x12
    b.lo 2b
    str x10, [x22, #16]
    msr TRCPRGCTLR, xzr
    poll_idle 1
    hint #18
    dsb nsh
    isb
    msr TRBLIMITR_EL1, xzr
    isb
    svc #0
    .size driver_\name, . - driver_\name
.endm

    .text
    .balign 0x800
    .global driver_vectors
driver_vectors:
    .skip 0x200
    mrs x9, ESR_EL1             /* SVC of the driver: the end */
    mrs x10, ELR_EL1
    mov x11, #1
    smc #0
    .skip 0x1f0
    br x23                      /* of the program */
    .balign 0x800

    .type program, %function
program:
    mov x1, #40
    mov x2, #1
1:  tbz x1, #1, 2f
    add x2, x2, x1
2:  sub x1, x1, #1
    cbnz x1, 1b
    svc #0
    .size program, . - program

    driver whole, none
    driver without_A, A
    driver without_B, B
    driver without_C, C
    driver without_D, D
    driver without_E, E
    driver without_F, F
