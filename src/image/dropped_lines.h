/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of code that the linker dropped (image/dropped.h). A line program is sequences of rows, each of the code of one
 * section; libdw sorts the rows of all by address, so that afterwards nobody can tell them apart. */
#ifndef CAIRN_IMAGE_DROPPED_LINES_H
#define CAIRN_IMAGE_DROPPED_LINES_H

#include <stdint.h>

struct Elf;

/* The sequence at address 0 that is not dropped: of those in one program that may have a function's code, the one
 * that begins nearest behind its declaration, and the shortest of these. */
struct cairn_kept_lines {
    uint64_t program; /* where it begins in the section; UINT64_MAX: none */
    uint64_t end;     /* of the function */
    uint64_t line;    /* of its declaration, or 0 */
};

/* Moves the sequences of what was dropped to where no code is: in memory that libdw then reads in place of the section's,
 * to be freed when libdw is closed. NULL: there are none (or there is no memory, and they stay). */
void *cairn_dropped_lines(struct Elf *elf, const struct cairn_kept_lines *kept);

#endif
