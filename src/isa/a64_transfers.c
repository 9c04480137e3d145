/* SPDX-License-Identifier: BSD-2-Clause */
/* Which A64 instructions read and write memory (DDI0487 C4.1: loads and stores; SVE and SME
 * memory). Prefetches transfer no data, and neither does what only touches allocation tags (LDG,
 * STG, ST2G, LDGM, STGM). Words that are unallocated get an answer, too; nobody executes them. */
#include "isa/insn.h"

#define LOAD CAIRN_INSN_LOAD
#define STORE CAIRN_INSN_STORE
#define BOTH (CAIRN_INSN_LOAD | CAIRN_INSN_STORE)

static uint32_t load_if(uint32_t load)
{
    return load ? LOAD : STORE;
}

/* The bit that most classes call L, or the low bit of opc. */
static uint32_t by_bit22(uint32_t word)
{
    return load_if(cairn_bits(word, 22, 1));
}

static bool is_simd(uint32_t word)
{
    return cairn_bits(word, 26, 1) != 0;
}

/* Bits 29:27 001: exclusives, ordered, compare and swap; Advanced SIMD structures. */
static uint32_t exclusive_or_structure(uint32_t word)
{
    const bool o2 = cairn_bits(word, 23, 1) != 0;
    const bool o1 = cairn_bits(word, 21, 1) != 0;
    const bool pair = cairn_bits(word, 31, 1) != 0;
    const bool compare_and_swap = o1 && (o2 || !pair);

    return !is_simd(word) && compare_and_swap ? BOTH : by_bit22(word);
}

/* Bits 31:24 xx0110x1 with bit 21 clear and bits 11:10 01: CPY*, SET*. */
static uint32_t copy_or_set(uint32_t word)
{
    return cairn_bits(word, 22, 2) == 3 ? STORE : BOTH;
}

/* Bits 31:21 11011001xx1: allocation tags. */
static uint32_t tags(uint32_t word)
{
    const uint32_t opc = cairn_bits(word, 22, 2);
    const bool multiple = cairn_bits(word, 10, 2) == 0;

    if (multiple)
        return opc == 0 ? STORE : 0;         /* STZGM; LDG, STGM, LDGM */
    return opc == 1 || opc == 3 ? STORE : 0; /* STZG, STZ2G; STG, ST2G */
}

/* Bits 29:27 011: literals, and with bit 24 the later extensions. */
static uint32_t literal_or_extension(uint32_t word)
{
    const uint32_t size = cairn_bits(word, 30, 2);
    const uint32_t form = cairn_bits(word, 10, 2);

    if (!cairn_bits(word, 24, 1))
        return size == 3 && !is_simd(word) ? 0 : LOAD; /* PRFM */
    if (!is_simd(word) && cairn_bits(word, 21, 1))
        return size == 3 ? tags(word) : BOTH; /* 128-bit atomics, RCW* */
    if (form == 1)
        return copy_or_set(word);
    if (form == 3)
        return STORE; /* GCSSTR, GCSSTTR */
    if (is_simd(word) || form == 2)
        return by_bit22(word); /* LDAPUR, STLUR (SIMD&FP); LDIAPP, STILP, LDAPR, STLR */
    return load_if(cairn_bits(word, 22, 2)); /* LDAPUR*, STLUR* */
}

/* Bits 29:27 111 with bit 24 clear, bit 21 set and bits 11:10 00. */
static uint32_t atomic(uint32_t word)
{
    const bool o3 = cairn_bits(word, 15, 1) != 0;
    const uint32_t opc = cairn_bits(word, 12, 3);
    const bool doubleword = cairn_bits(word, 30, 2) == 3;

    if (!o3 || is_simd(word))
        return BOTH;
    switch (opc) {
    case 1:
    case 2:
    case 3: return doubleword ? STORE : BOTH; /* ST64B*; RCW* */
    case 4:
    case 5: return LOAD;  /* LDAPR, LD64B */
    default: return BOTH; /* SWP */
    }
}

/* Bits 29:27 111: the single register in all its addressing modes. */
static uint32_t single(uint32_t word)
{
    const uint32_t size = cairn_bits(word, 30, 2);
    const uint32_t opc = cairn_bits(word, 22, 2);
    const bool atomic_or_pac = !cairn_bits(word, 24, 1) && cairn_bits(word, 21, 1);

    if (atomic_or_pac && cairn_bits(word, 10, 2) == 0)
        return atomic(word);
    if (atomic_or_pac && cairn_bits(word, 10, 1))
        return LOAD; /* LDRAA, LDRAB */
    if (is_simd(word))
        return by_bit22(word);
    if (size == 3 && opc == 2)
        return 0; /* PRFM, PRFUM, RPRFM */
    return load_if(opc);
}

/* SVE memory, bits 28:25 0010: bits 31:29 are 100, 101 (contiguous loads), 110 or 111 (stores). */
static uint32_t sve(uint32_t word)
{
    const uint32_t bits24_21 = cairn_bits(word, 21, 4);
    const uint32_t bits15_13 = cairn_bits(word, 13, 3);
    const bool contiguous = cairn_bits(word, 29, 3) == 4;
    bool prefetch = false;

    switch (cairn_bits(word, 29, 3)) {
    case 4:
    case 6: break;
    case 5: return LOAD;
    case 7: return STORE;
    default: return 0;
    }
    /* Scalar and 32-bit offsets; vector and immediate; vector and scaled 64-bit offsets. */
    if ((bits24_21 & 0xd) == 1 && bits15_13 < 4)
        prefetch = true;
    else if ((bits24_21 & 3) == 0 && bits15_13 == 7)
        prefetch = true;
    else if (contiguous)
        prefetch =
            ((bits24_21 & 0xe) == 0xe && bits15_13 < 4) || ((bits24_21 & 3) == 0 && bits15_13 == 6);
    else
        prefetch = bits24_21 == 3 && bits15_13 >= 4;
    return prefetch ? 0 : LOAD;
}

/* Bits 28:25 zero and bit 31 set: multi-vector, ZA and ZT0 transfers; bit 21 is the direction. */
static uint32_t sme(uint32_t word)
{
    const uint32_t bits31_29 = cairn_bits(word, 29, 3);

    if (bits31_29 == 5 ? cairn_bits(word, 23, 1) : bits31_29 != 7)
        return 0; /* outer products */
    return load_if(!cairn_bits(word, 21, 1));
}

uint32_t cairn_a64_transfers(uint32_t word)
{
    switch (cairn_bits(word, 25, 4)) {
    case 0x0: return sme(word);
    case 0x2: return sve(word);
    default: break;
    }
    switch (cairn_bits(word, 27, 3)) {
    case 1: return exclusive_or_structure(word);
    case 3: return literal_or_extension(word);
    case 5: return by_bit22(word); /* pairs */
    case 7: return single(word);
    default: return 0;
    }
}
