/* SPDX-License-Identifier: BSD-2-Clause */
/* Which A64 instructions read and write memory, where a64_table.h does not tell (DDI0487 C4.1:
 * loads and stores; SVE and SME memory). Prefetches transfer no data, and neither does what only
 * touches allocation tags (LDG, STG, ST2G, LDGM, STGM). Words that are unallocated get an answer,
 * too. */
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

/* Bits 29:26 0010: exclusives, ordered, compare and swap. */
static uint32_t exclusive(uint32_t word)
{
    const bool o2 = cairn_bits(word, 23, 1) != 0;
    const bool o1 = cairn_bits(word, 21, 1) != 0;
    const bool pair = cairn_bits(word, 31, 1) != 0;

    return o1 && (o2 || !pair) ? BOTH : by_bit22(word); /* CAS*, CASP* */
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

/* Bits 29:27 011 with bit 24 set: what came after Armv8.0. */
static uint32_t extension(uint32_t word)
{
    const uint32_t size = cairn_bits(word, 30, 2);
    const uint32_t form = cairn_bits(word, 10, 2);

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

/* Bits 29:27 111 with bit 24 clear and bit 21 set. */
static uint32_t register_offset_or_atomic(uint32_t word)
{
    const uint32_t size = cairn_bits(word, 30, 2);
    const uint32_t opc = cairn_bits(word, 22, 2);
    const uint32_t form = cairn_bits(word, 10, 2);

    if (form == 0)
        return atomic(word);
    if (form != 2)
        return LOAD; /* LDRAA, LDRAB */
    if (is_simd(word))
        return by_bit22(word);
    if (size == 3 && opc == 2)
        return 0; /* PRFM, RPRFM */
    return load_if(opc);
}

/* Bits 31:25 1x00010: SVE gathers, broadcasts and 32-bit elements, with the prefetches among them.
 */
static uint32_t sve(uint32_t word)
{
    const uint32_t bits24_21 = cairn_bits(word, 21, 4);
    const uint32_t bits15_13 = cairn_bits(word, 13, 3);
    const bool contiguous = cairn_bits(word, 29, 3) == 4;
    bool prefetch = false;

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
    case 0x4: return exclusive(word);
    default: return cairn_bits(word, 29, 1) ? register_offset_or_atomic(word) : extension(word);
    }
}
