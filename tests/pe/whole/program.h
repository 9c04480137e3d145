/* SPDX-License-Identifier: BSD-2-Clause */
/* Random A64 programs: one region of code for each Exception level, so that an address says at which level it is
 * executed. Written into memory as words, with beside each word what it is. */
#ifndef PE_WHOLE_PROGRAM_H
#define PE_WHOLE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum { WHOLE_LEVELS = 4, WHOLE_WORDS = 128 };

enum whole_op {
    WHOLE_PLAIN,
    WHOLE_CONDITIONAL,
    WHOLE_ALWAYS, /* B.AL, B.NV, BC.AL, BC.NV: conditional branches that are always taken */
    WHOLE_DIRECT,
    WHOLE_DIRECT_CALL,
    WHOLE_INDIRECT,
    WHOLE_INDIRECT_CALL,
    WHOLE_SUB_RETURN,
    WHOLE_ERET,
    WHOLE_SVC,
    WHOLE_ISB,
    WHOLE_TSTART,
    WHOLE_TCOMMIT,
};

struct whole_program {
    uint8_t bytes[WHOLE_LEVELS][4 * WHOLE_WORDS];
    uint8_t ops[WHOLE_LEVELS][WHOLE_WORDS];      /* enum whole_op */
    uint16_t targets[WHOLE_LEVELS][WHOLE_WORDS]; /* words, of direct branches */
};

/* SplitMix64: the next of a sequence, and one below `count`. */
uint64_t whole_draw(uint64_t *state);
uint32_t whole_below(uint64_t *state, uint32_t count);
static inline bool whole_percent(uint64_t *state, uint32_t percent)
{
    return whole_below(state, 100) < percent;
}

/* `transactions`: with TSTART. */
void whole_program_draw(struct whole_program *program, bool transactions, uint64_t *state);

uint64_t whole_base(unsigned level);
static inline uint64_t whole_address(unsigned level, unsigned word)
{
    return whole_base(level) + 4u * word;
}
/* Where an address lies. False: in no region. */
bool whole_find(uint64_t address, unsigned *level, unsigned *word);

#endif
