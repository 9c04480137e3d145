/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces of ETMv3 written by hand, of a small program: through the engine, and what that tells. */
#ifndef CAIRN_TESTS_ENGINE_ETMV3_WALK_H
#define CAIRN_TESTS_ENGINE_ETMV3_WALK_H

#include "compare.h"
#include "flow/cursor.h"

#define ETMV3_BASE 0x8000u /* where the program is */

struct etmv3_totals {
    uint64_t instructions;
    uint64_t cycles;    /* all counts, added up */
    uint64_t last;      /* the total that the last one told */
    uint64_t hot_bytes; /* taken unit by unit, past the scan */
    struct cairn_word_cursor cursor;
};

/* A trace of a Cortex-A with these ETMIDR and ETMCR over `code`. Fails the test if it cannot be. */
struct engine_case etmv3_case(const uint8_t *bytes, size_t size, uint32_t id, uint32_t control,
                              const uint8_t *code, size_t code_size);
void etmv3_case_end(const struct engine_case *input);

/* Decodes it, in batches of so many units. `data` (or NULL) gets each record of a transfer. */
struct etmv3_totals etmv3_walk(const struct engine_case *input, size_t units,
                               void (*data)(void *owner, const struct cairn_flow_batch *records,
                                            size_t i),
                               void *owner);

#endif
