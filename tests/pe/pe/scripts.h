/* SPDX-License-Identifier: BSD-2-Clause */
/* A PE's scripts, run in the orders that the architecture allows, whole and with a line left out. */
#ifndef PE_SCRIPTS_H
#define PE_SCRIPTS_H

#include "bench.h"

#define SCRIPT_BASE UINT64_C(0x80000000)
#define SCRIPT_LINES 80u

struct script_text {
    char *lines[SCRIPT_LINES];
    size_t count;
    char all[8192];
};

/* Of the folder of this file. */
void script_load(const char *name, struct script_text *text);
/* The line that ends with `# letter`. */
size_t script_line(const struct script_text *text, char letter);
/* Runs it, without line `without` (from 1; 0: all). */
void script_run(struct pe_bench *bench, const struct script_text *text, size_t without,
                enum cairn_pe_order order, uint64_t seed);

/* In all orders: nothing is found. */
void assert_script_silent(const char *name);
/* Without the line that ends with `# letter` the first finding is this one, whatever happens; 0: with all lines. */
void assert_script_finds(const char *name, char letter, const char *rule, const char *reg,
                         uint32_t missing);

#endif
