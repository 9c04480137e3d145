// SPDX-License-Identifier: BSD-2-Clause
// The program of the example capture. It runs at EL1 from 0x80000000 on two cores, each with its own
// table: odd numbers count three times, even numbers half; the sum is reported by a supervisor call.
// scripts/make-example assembles it, runs it in a small interpreter, and writes what an ETE and an
// ETMv4 trace unit would have traced.
        .text

_start: isb
loop:   ldr     w3, [x1], #4            // x1: table, w2: how many numbers, set by the generator
        bl      weigh
        add     w0, w0, w3
        subs    w2, w2, #1
        b.ne    loop
        adr     x4, report
        blr     x4
        svc     #1
done:   cbz     w5, done                // until the trace is stopped; w5 counts supervisor calls
        b       _start

weigh:  tbz     w3, #0, even
        add     w3, w3, w3, lsl #1
        ret
even:   lsr     w3, w3, #1
        ret

report: cmp     w0, #20
        b.lt    small
        mov     w6, #1
small:  ret

        .org    0x200                   // the vector "current EL with SPx, synchronous"
handler:
        add     w5, w5, #1
        eret

        .org    0x300
table0: .word   3, 8, 5, 2, 7, 7, 4, 1, 6, 9, 10, 3
table1: .word   2, 4, 6, 1, 8, 2
