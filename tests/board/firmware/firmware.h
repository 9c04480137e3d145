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
#define HCR_RW (1u << 31)
#define HCR_TGE (1u << 27)
#define HCR_E2H (UINT64_C(1) << 34)
#define MDCR_EL3_NSTB(value) ((value) << 24)
#define MDCR_EL3_STE (1u << 18)
#define MDCR_EL3_TTRF (1u << 19)
#define MDCR_EL3_SBRBE(value) ((value) << 32)
#define MDCR_EL2_E2TB(value) ((value) << 24)
#define MDCR_EL2_TTRF (1u << 19)
#define CPTR_EL3_TTA (1u << 20)
#define CPTR_EL2_TTA (1u << 20)
#define CPTR_EL2_RES1 0x33ffu
#define CPACR_EL1_TTA (1u << 28)

/* The machine's console. Numbers are hexadecimal. */
void put(const char *text);
void put_number(uint64_t value);
/* "NAME VALUE", a line. */
void say(const char *name, uint64_t value);
void hexadecimal(const uint8_t *bytes, uint64_t size);
_Noreturn void switch_off(void);

/* --- trace.c --- */

#define TRACE_SIZE 65536u
#define TRBLIMITR_E 1u
#define TRBLIMITR_FILL 0u /* FM */
#define TRBLIMITR_WRAP (1u << 1)
#define TRBLIMITR_CIRCULAR (3u << 1)
extern uint8_t trace_buffer[TRACE_SIZE];

/* What decides whether trace is prohibited. */
struct trace_setting {
    uint64_t MDCR_EL3, MDCR_EL2, HCR_EL2, SCR_EL3, TRFCR_EL1, TRFCR_EL2;
};

void trace_program(void);
/* The registers that its bytes are read by. */
void trace_say_unit(void);
/* Buffer and unit on; off, and everything in memory. */
void trace_begin(void);
void trace_begin_at(uint64_t base, uint64_t limit, uint64_t mode);
void trace_end(void);
/* What was traced up to here is in memory. */
void trace_drain(void);
void trace_say(const char *name, uint64_t base);

/* --- what is tried --- */

void try_levels(void);
void try_prohibited(void);
void try_accesses(void);
void try_buffers(void);
void try_branches(void);
void try_counters(void);
void try_lock(void);
void try_fetch(void);

#endif
