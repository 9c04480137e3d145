/* SPDX-License-Identifier: BSD-2-Clause */
/* The core of a whole machine, of M profile: what of its state tells of exceptions, and its memory.
 * Where the machine has several, the first.
 * All of it is exact at the start of a TB, outside of TBs, and when the machine is stopped. */
#ifndef CAIRN_MACHINE_QEMU_CORE_H
#define CAIRN_MACHINE_QEMU_CORE_H

#include <stdbool.h>
#include <stdint.h>

#define CAIRN_QEMU_CORE_SP 13
#define CAIRN_QEMU_CORE_LR 14
#define CAIRN_QEMU_CORE_PC 15
#define CAIRN_QEMU_CORE_BANKS 2 /* Non-secure, Secure */
#define CAIRN_QEMU_CORE_SECURE 1

struct cairn_qemu_core {
    const uint32_t *registers;                      /* R0 to R15; R13 is the stack pointer in use */
    const uint32_t *exception;                      /* IPSR */
    const uint32_t *other_sp;                       /* the stack pointer that is not in use */
    bool has_security;                              /* the Security Extension of Armv8-M */
    const uint32_t *secure;                         /* 1: in Secure state */
    const uint32_t *other_main;                     /* stack pointers of the other security state */
    const uint32_t *other_process;                  /* (with the Security Extension) */
    const uint32_t *control[CAIRN_QEMU_CORE_BANKS]; /* FPCA is in Secure's, with every core */
    const uint32_t *vectors[CAIRN_QEMU_CORE_BANKS]; /* VTOR */
};
extern struct cairn_qemu_core cairn_qemu_core;

/* Finds the core's state inside of QEMU, once there is a core. False where QEMU is not built as
 * expected, or the core is not of M profile. */
bool cairn_qemu_core_find(void);
/* Whether the calling thread runs, or translates for, that core. */
bool cairn_qemu_core_is_here(void);
/* Reads memory as the core sees it, or in Non-secure state would see it in Secure state; false if
 * it is not there. */
bool cairn_qemu_core_read(uint32_t address, void *bytes, uint32_t size);

#endif
