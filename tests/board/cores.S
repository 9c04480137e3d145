/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware for QEMU's virt with two cores, at EL1: the first switches the second on (PSCI), which computes and switches itself
 * off, three times; then once more, and ends the machine by semihosting while the second one goes on, at a device too. Both
 * have a store exclusive to a device, which QEMU begins, gives up and executes alone, in front of a return. */

#define ROUNDS 3
#define CPU_ON_LOW 0x0003
#define CPU_ON_HIGH 0xc400
#define CPU_OFF_LOW 0x0002
#define CPU_OFF_HIGH 0x8400

    .section .text
    .global _start
_start:
    mov     x19, #ROUNDS
1:  bl      exclusive
    adr     x2, second
    bl      switch_on
    mov     x20, #20000         /* both compute */
    bl      compute
2:  adr     x1, done
    ldr     x0, [x1]
    wfe
    cbz     x0, 2b
    str     xzr, [x1]
    subs    x19, x19, #1
    b.ne    1b
    adr     x2, third
    bl      switch_on
    mov     x20, #20000
    bl      compute
    adr     x1, parameters
    mov     w0, #0x18           /* SYS_EXIT */
    hlt     #0xf000
    b       .

    /* Until it is on: one that is not off yet is told so. */
switch_on:
    mov     x3, #7
    mov     x1, #1
    mov     w0, #CPU_ON_LOW
    movk    w0, #CPU_ON_HIGH, lsl #16
    hvc     #0
    cbnz    w0, switch_on
    ret

second:
    mov     x20, #5000
    bl      compute
    adr     x1, done
    mov     x0, #1
    str     x0, [x1]
    sev
    mov     w0, #CPU_OFF_LOW
    movk    w0, #CPU_OFF_HIGH, lsl #16
    hvc     #0
    b       .

third:
    mov     x20, #100
    bl      compute
    mov     x22, #100           /* UARTFR of the PL011: QEMU's lock is taken each time */
    mov     x23, #0x09000000
1:  ldr     w0, [x23, #0x18]
    subs    x22, x22, #1
    b.ne    1b
    bl      exclusive
    b       third

    /* UARTFBRD gets what it has. */
exclusive:
    mov     x23, #0x09000000
    add     x23, x23, #0x28
    ldxr    w1, [x23]
    stxr    w0, w1, [x23]
    ret

compute:
    mov     x21, x30
1:  and     x0, x20, #7
    adr     x1, steps
    add     x1, x1, x0, lsl #3
    blr     x1
    subs    x20, x20, #1
    b.ne    1b
    mov     x30, x21
    ret
    .balign 8
steps:
    .rept 8
    eor     x5, x5, x20
    ret
    .endr

    .balign 16
parameters:
    .quad   0x20026, 0          /* ADP_Stopped_ApplicationExit, status 0 */
done:
    .quad   0
