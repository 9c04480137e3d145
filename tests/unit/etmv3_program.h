/* SPDX-License-Identifier: BSD-2-Clause */
/* A random program of A32 and T32 instructions, as bytes and as what they do. Addresses have bit 0
 * set in Thumb state. */
#ifndef CAIRN_TESTS_UNIT_ETMV3_PROGRAM_H
#define CAIRN_TESTS_UNIT_ETMV3_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRAM_SLOTS 512u
#define PROGRAM_ARM 0x8000u    /* words from here */
#define PROGRAM_THUMB 0x20000u /* halfwords from here */

/* What an instruction transfers, and how it is written. */
struct program_transfers {
    uint8_t bytes, count; /* of each transfer, and how many in a row */
    bool store;
    bool coprocessor;   /* between registers, no address */
    uint32_t arm, wide; /* A32; T32 of 32 bits, and */
    uint16_t narrow;    /* of 16; 0: has none */
};

struct program_insn {
    bool is_start;
    bool must_pass;                            /* behind it is nothing */
    uint8_t size, kind;                        /* enum cairn_insn_kind */
    uint32_t target;                           /* of a direct branch */
    const struct program_transfers *transfers; /* NULL: none */
};

struct program {
    uint64_t random;
    bool thumb_only;
    bool keeps_state;                           /* direct branches do */
    struct program_insn insn[2][PROGRAM_SLOTS]; /* A32, T32 */
    uint32_t starts[2][PROGRAM_SLOTS];
    uint32_t start_count[2];
    uint8_t arm[PROGRAM_SLOTS * 4],
        thumb[PROGRAM_SLOTS * 2 + 2]; /* who reads four bytes at the end finds them */
};

/* `random` is the seed, and then the state; the other two are kept. */
void program_make(struct program *program);
uint32_t program_below(struct program *program, uint32_t limit);
bool program_one_in(struct program *program, uint32_t n);
/* The address of some instruction. */
uint32_t program_place(struct program *program);
/* NULL: no instruction begins there. */
const struct program_insn *program_at(const struct program *program, uint32_t address);

#endif
