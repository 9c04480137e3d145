/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that live as long as a test. */
#ifndef CAIRN_TEST_SCRATCH_H
#define CAIRN_TEST_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/* A folder of its own, removed with its content by scratch_close. The test fails if that fails. */
struct scratch {
    char folder[256];
    char path[512]; /* the last one that scratch_path made */
};
void scratch_open(struct scratch *scratch);
void scratch_close(struct scratch *scratch);

/* The path of a name in the folder; valid until the next call. */
const char *scratch_path(struct scratch *scratch, const char *name);

/* Writes a file (anew) and gives its path. */
const char *scratch_write(struct scratch *scratch, const char *name, const void *bytes,
                          size_t size);

/* A small generator, so that a failure can be had again: xorshift64*. */
struct dice {
    uint64_t state; /* not 0 */
};
uint64_t dice_roll(struct dice *dice, uint64_t sides); /* 0 .. sides - 1 */

#endif
