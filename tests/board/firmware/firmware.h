/* SPDX-License-Identifier: BSD-2-Clause */
/* What runs at EL3 and has the levels below do something: start.S and levels.c. */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "registers.h"

/* How code of a level ended: by an exception. */
struct outcome {
    uint64_t X0;
    uint64_t ESR, ELR; /* of the level that took it */
    uint64_t level;    /* which that was */
};
extern struct outcome outcome;

/* Runs code at a level, with X0, until it takes an exception; below EL3 in the Security state that SCR_EL3 says.
 * Code that has done what it was to ends with SVC. */
void run_at(unsigned EL, const void *code, uint64_t X0);
#define EC(outcome) ((unsigned)((outcome).ESR >> 26 & 0x3f))
#define EC_SVC 0x15u

#define SCR_BASE 0x430u /* RES1, and RW: levels below are in AArch64 */
#define SCR_NS 1u
#define SCR_EEL2 (1u << 18)

/* The machine's console. Numbers are hexadecimal. */
void put(const char *text);
void put_number(uint64_t value);
/* "NAME VALUE", a line. */
void say(const char *name, uint64_t value);
void hexadecimal(const uint8_t *bytes, uint64_t size);
_Noreturn void switch_off(void);

/* --- what is tried --- */

void try_levels(void);

#endif
