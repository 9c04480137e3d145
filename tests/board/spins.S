/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware that does not end, and has a branch to trace. */
    .section .text
    .global _start
_start:
    add     x0, x0, #1
    tbz     x0, #0, _start
    b       _start
