/* SPDX-License-Identifier: BSD-2-Clause */
/* What the classifiers of the three instruction sets share. Each is handed an opcode and an
 * instruction whose opcode, size and defaults (OTHER, AL, no flags) are set, and changes what
 * differs. Encodings are named after the Arm ARM (DDI0487 C4, F3, F4; DDI0553 C2). */
#ifndef CAIRN_ISA_INSN_H
#define CAIRN_ISA_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include <cairn/isa.h>

/* The `width` bits of `word` whose lowest is `low`. */
static inline uint32_t cairn_bits(uint32_t word, unsigned low, unsigned width)
{
    return (word >> low) & ((1u << width) - 1u);
}

/* The low `width` bits of `value` as a two's complement number. */
static inline int64_t cairn_sign_extend(uint32_t value, unsigned width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1);
    const uint64_t field = value & ((sign << 1) - 1u);

    return (int64_t)(field ^ sign) - (int64_t)sign;
}

static inline bool cairn_arch_has(const struct cairn_arch *arch, uint32_t feature)
{
    return (arch->features & feature) != 0;
}

void cairn_a64_classify(const struct cairn_arch *arch, uint64_t address, uint32_t word,
                        struct cairn_insn *insn);
void cairn_a32_classify(uint32_t address, uint32_t word, struct cairn_insn *insn);

/* 16-bit T32, and 32-bit T32 with the first halfword in bits 31:16. */
void cairn_t16_classify(const struct cairn_arch *arch, uint32_t address, uint32_t op,
                        struct cairn_insn *insn);
void cairn_t32_classify(const struct cairn_arch *arch, uint32_t address, uint32_t word,
                        struct cairn_insn *insn);

/* Whether a word that is an indirect branch is BXJ. */
bool cairn_a32_is_bxj(uint32_t word);
bool cairn_t32_is_bxj(uint32_t word);

static inline bool cairn_insn_is_bxj(enum cairn_isa isa, const struct cairn_insn *insn)
{
    if (insn->kind != CAIRN_INSN_BRANCH_INDIRECT || insn->size != sizeof(uint32_t))
        return false;
    return isa == CAIRN_ISA_A32   ? cairn_a32_is_bxj(insn->opcode)
           : isa == CAIRN_ISA_T32 ? cairn_t32_is_bxj(insn->opcode)
                                  : false;
}

/* CAIRN_INSN_LOAD and CAIRN_INSN_STORE of a word: what it does to memory if it is executed. */
uint32_t cairn_a64_transfers(uint32_t word); /* what a64_table.h calls HARD */
uint32_t cairn_a32_transfers(uint32_t word);
uint32_t cairn_t32_transfers(const struct cairn_arch *arch, uint32_t word);

#endif
