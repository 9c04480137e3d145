/* SPDX-License-Identifier: BSD-2-Clause */
#include "vector.h"

#include <stdio.h>

enum { HALFWORD = 2, WORD = 4, BYTE_BITS = 8, HALFWORD_BITS = 16 };

struct cairn_arch vector_arch_m(void)
{
    return (struct cairn_arch){.profile = CAIRN_PROFILE_M,
                               .major = 8,
                               .minor = 1,
                               .features =
                                   CAIRN_FEATURE_THUMB2 | CAIRN_FEATURE_LOB | CAIRN_FEATURE_PAUTH};
}

struct cairn_insn vector_decode(const struct cairn_arch *arch, enum cairn_isa isa, uint64_t address,
                                uint32_t opcode, unsigned size)
{
    const uint32_t stored = isa == CAIRN_ISA_T32 && size == WORD
                                ? opcode << HALFWORD_BITS | opcode >> HALFWORD_BITS
                                : opcode;
    uint8_t bytes[WORD];
    struct cairn_insn insn = {0};

    for (unsigned i = 0; i < WORD; i++)
        bytes[i] = (uint8_t)(stored >> (BYTE_BITS * i));
    if (cairn_insn_decode(arch, isa, address, bytes, size, &insn) != size)
        insn.size = 0;
    return insn;
}

size_t vector_wrong(const struct cairn_arch *arch, enum cairn_isa isa, const struct vector *list,
                    size_t count)
{
    const uint32_t ignored = CAIRN_INSN_LOAD | CAIRN_INSN_STORE;
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        const struct vector *v = &list[i];
        const struct cairn_insn insn = vector_decode(arch, isa, 0x1000, v->opcode, v->size);
        const uint32_t flags = insn.flags & ~ignored;
        if (insn.size == v->size && insn.opcode == v->opcode && insn.kind == v->kind &&
            flags == v->flags)
            continue;
        printf("# %s %s (%08x): size %u, kind %u instead of %u, flags %#x instead of %#x\n",
               cairn_isa_name(isa), v->text, v->opcode, insn.size, insn.kind, v->kind, flags,
               v->flags);
        wrong++;
    }
    return wrong;
}
