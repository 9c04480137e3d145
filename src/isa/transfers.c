/* SPDX-License-Identifier: BSD-2-Clause */
/* Which instructions read and write memory: what TRCCONFIGR.INSTP0 can make P0 instructions
 * (ETMv4), and what data trace speaks of. Prefetches, cache and tag maintenance transfer no data.
 */
#include "isa/insn.h"

#define LOAD CAIRN_INSN_LOAD
#define STORE CAIRN_INSN_STORE
#define BOTH (CAIRN_INSN_LOAD | CAIRN_INSN_STORE)

static uint32_t load_if(uint32_t load)
{
    return load ? LOAD : STORE;
}

/* A64 load/store register, all forms: size bits 31:30, V bit 26, opc bits 23:22. */
static uint32_t a64_register(uint32_t word)
{
    const uint32_t size = cairn_bits(word, 30, 2);
    const uint32_t opc = cairn_bits(word, 22, 2);

    if (cairn_bits(word, 26, 1)) /* SIMD&FP: opc 1x with size 00 is the 128-bit form */
        return load_if(opc & 1);
    if (opc == 0)
        return STORE;
    if (size == 3 && opc == 2)
        return 0; /* PRFM, PRFUM, RPRFM */
    return LOAD;
}

uint32_t cairn_a64_transfers(uint32_t word)
{
    return a64_register(word);
}

uint32_t cairn_a32_transfers(uint32_t word)
{
    return load_if(cairn_bits(word, 20, 1));
}

uint32_t cairn_t16_transfers(uint32_t op)
{
    switch (op >> 11) {
    case 0x09:              /* LDR literal */
    case 0x0d:              /* LDR */
    case 0x0f:              /* LDRB */
    case 0x11:              /* LDRH */
    case 0x13:              /* LDR, SP */
    case 0x19: return LOAD; /* LDM */
    case 0x0c:
    case 0x0e:
    case 0x10:
    case 0x12:
    case 0x18: return STORE;
    case 0x0a: return cairn_bits(op, 9, 2) == 3 ? LOAD : STORE; /* STR, STRH, STRB; LDRSB */
    case 0x0b: return LOAD;
    case 0x16: return cairn_bits(op, 9, 2) == 2 ? STORE : 0; /* PUSH */
    case 0x17: return cairn_bits(op, 9, 2) == 2 ? LOAD : 0;  /* POP */
    default: return 0;
    }
}

uint32_t cairn_t32_transfers(const struct cairn_arch *arch, uint32_t word)
{
    (void)arch;
    return load_if(cairn_bits(word, 20, 1));
}
