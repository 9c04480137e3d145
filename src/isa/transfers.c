/* SPDX-License-Identifier: BSD-2-Clause */
/* Which A32 and 32-bit T32 instructions read and write memory: what TRCCONFIGR.INSTP0 can make P0
 * instructions (ETMv4), and what data trace speaks of. Prefetches and preloads transfer no data.
 * Words that are unallocated get an answer, too; nobody executes them. */
#include "isa/insn.h"

#define LOAD CAIRN_INSN_LOAD
#define STORE CAIRN_INSN_STORE

/* Among the M profile's loads and stores, but not of them. */
#define TT_MASK 0xfff0f000u /* TT, TTT, TTA, TTAT */
#define TT 0xe840f000u
#define SG 0xe97fe97fu
#define VSCCLRM_MASK 0xffbf0e00u
#define VSCCLRM 0xec9f0a00u

enum {
    UNCONDITIONAL = 15,
    REG_PC = 15,
    T32_MINUS_IMM8 = 12, /* bits 11:8: offset without writeback */
};

static uint32_t load_if(uint32_t load)
{
    return load ? LOAD : STORE;
}

/* Coprocessor and floating-point load/store, bits 27:25 110; the same in A32 and T32. */
static uint32_t coprocessor(uint32_t word)
{
    if (cairn_bits(word, 21, 4) == 0 || cairn_bits(word, 21, 4) == 2)
        return 0; /* undefined; 64-bit moves between registers (MCRR, MRRC, VMOV) */
    return load_if(cairn_bits(word, 20, 1));
}

/* The same with all of bits 31:28 set: LDC2 and STC2, and since Armv8.2 Advanced SIMD operations
 * (VCMLA, VCADD, VDOT, VFMAL, ...) where the coprocessor number is 8 to 13. */
static uint32_t coprocessor2(uint32_t word)
{
    const uint32_t number = cairn_bits(word, 8, 4);

    return number >= 8 && number <= 13 ? 0 : coprocessor(word);
}

/* A32 bits 27:25 zero, bits 7 and 4 set: multiplies, synchronization, halfwords and doubles. */
static uint32_t a32_extra(uint32_t word)
{
    const uint32_t op = cairn_bits(word, 5, 2);
    const uint32_t load = cairn_bits(word, 20, 1);

    if (op == 0) {
        if (!cairn_bits(word, 24, 1))
            return 0;
        return cairn_bits(word, 23, 1) ? load_if(load) : LOAD | STORE; /* LDREX...; SWP */
    }
    if (load)
        return LOAD;
    return op == 2 ? LOAD : STORE; /* LDRD; STRH, STRD */
}

static uint32_t a32_unconditional(uint32_t word)
{
    const bool element = cairn_bits(word, 24, 4) == 4 && !cairn_bits(word, 20, 1);

    switch (cairn_bits(word, 25, 3)) {
    case 2: return element ? load_if(cairn_bits(word, 21, 1)) : 0; /* VLD1...; PLD, PLI */
    case 4: return load_if(cairn_bits(word, 20, 1));               /* RFE, SRS */
    case 6: return coprocessor2(word);
    default: return 0;
    }
}

uint32_t cairn_a32_transfers(uint32_t word)
{
    if (word >> 28 == UNCONDITIONAL)
        return a32_unconditional(word);
    switch (cairn_bits(word, 25, 3)) {
    case 0: return (word & 0x90u) == 0x90u ? a32_extra(word) : 0;
    case 2:
    case 4: return load_if(cairn_bits(word, 20, 1));
    case 3: return cairn_bits(word, 4, 1) ? 0 : load_if(cairn_bits(word, 20, 1)); /* media */
    case 6: return coprocessor(word);
    default: return 0;
    }
}

/* Bits 31:25 1110110. */
static uint32_t t32_coprocessor(const struct cairn_arch *arch, uint32_t word)
{
    const bool clears = arch->profile == CAIRN_PROFILE_M &&
                        cairn_arch_has(arch, CAIRN_FEATURE_LOB) && /* Armv8.1-M */
                        (word & VSCCLRM_MASK) == VSCCLRM;

    return clears ? 0 : coprocessor(word);
}

/* Bits 31:25 1110100. */
static uint32_t t32_multiple_or_dual(const struct cairn_arch *arch, uint32_t word)
{
    const bool v8m = arch->profile == CAIRN_PROFILE_M && arch->major >= 8;

    if (v8m && ((word & TT_MASK) == TT || word == SG))
        return 0;
    return load_if(cairn_bits(word, 20, 1));
}

/* Bits 31:25 1111100: single registers; with bit 24 set and bit 20 clear elements and structures.
 */
static uint32_t t32_single(uint32_t word)
{
    const bool load = cairn_bits(word, 20, 1) != 0;
    const bool byte_or_halfword = !cairn_bits(word, 22, 1);
    const bool offset_only = cairn_bits(word, 16, 4) == REG_PC || cairn_bits(word, 23, 1) ||
                             cairn_bits(word, 8, 4) == T32_MINUS_IMM8 ||
                             cairn_bits(word, 6, 6) == 0;
    const bool preload = cairn_bits(word, 12, 4) == REG_PC && byte_or_halfword && offset_only;

    if (load)
        return preload ? 0 : LOAD; /* PLD, PLDW, PLI and the hints beside them */
    if (cairn_bits(word, 24, 1))
        return load_if(cairn_bits(word, 21, 1));
    return STORE;
}

uint32_t cairn_t32_transfers(const struct cairn_arch *arch, uint32_t word)
{
    switch (word >> 25) {
    case 0x74: return t32_multiple_or_dual(arch, word);
    case 0x76: return t32_coprocessor(arch, word);
    case 0x7c: return t32_single(word);
    case 0x7e: return coprocessor2(word); /* the M profile's vector loads and stores, too */
    default: return 0;
    }
}
