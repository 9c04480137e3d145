/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions by hand: an opcode from the Arm ARM and what it must be classified as. */
#ifndef TESTS_ISA_VECTOR_H
#define TESTS_ISA_VECTOR_H

#include <stddef.h>
#include <stdint.h>

#include <cairn/isa.h>

struct vector {
    const char *text; /* assembly, for the reader of a failure */
    uint32_t opcode;
    uint8_t size;
    uint8_t kind;   /* enum cairn_insn_kind */
    uint32_t flags; /* CAIRN_INSN_..., all of them but LOAD and STORE */
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* An Armv8.1-M core with every feature that the M profile has. */
struct cairn_arch vector_arch_m(void);

/* The instruction at `address`, from bytes in the order of instruction fetch. */
struct cairn_insn vector_decode(const struct cairn_arch *arch, enum cairn_isa isa, uint64_t address,
                                uint32_t opcode, unsigned size);

/* How many of the vectors are classified otherwise; prints each of them. */
size_t vector_wrong(const struct cairn_arch *arch, enum cairn_isa isa, const struct vector *list,
                    size_t count);

#endif
