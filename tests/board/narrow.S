/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware for QEMU's virt, at EL1, that executes AArch32 code at EL0, twice, and ends the machine by semihosting. */

    .section .text
    .global _start
_start:
    adr     x0, vectors
    msr     vbar_el1, x0
    isb
    mov     x19, #2
again:
    mov     x0, #0x10           /* SPSR_EL1: User mode of AArch32, A32 */
    msr     spsr_el1, x0
    adr     x0, in_AArch32
    msr     elr_el1, x0
    eret

behind:
    subs    x19, x19, #1
    b.ne    again
    adr     x1, parameters
    mov     w0, #0x18           /* SYS_EXIT */
    hlt     #0xf000
    b       .

in_AArch32:
    .inst   0xe2811001          /* ADD r1, r1, #1 */
    .inst   0xe2811001
    .inst   0xef000000          /* SVC #0 */

    .balign 16
parameters:
    .quad   0x20026, 0          /* ADP_Stopped_ApplicationExit, status 0 */

    .balign 0x800
vectors:
    .rept 16
    .balign 0x80
    b       behind
    .endr
