/* SPDX-License-Identifier: BSD-2-Clause */
/* Every known difference between src/isa and LLVM 19's text, with the reason. test_llvm.c accepts a
 * difference only from this list, and makes sure that each row is met.
 *
 * Most rows are words that the Arm ARM calls unpredictable and LLVM refuses. src/isa classifies
 * those by the instruction they would be: that is what a core without special care does. */
#ifndef TESTS_ISA_DIFFERENCES_H
#define TESTS_ISA_DIFFERENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The disassemblers that a row speaks of; test_llvm.c has their triples and features. */
enum {
    ON_A64 = 1 << 0,
    ON_A32 = 1 << 1,
    ON_T32_A = 1 << 2, /* 16 and 32 bits */
    ON_T32_M = 1 << 3,
    ON_T32_M_BASE = 1 << 4,
    ON_T32_V6M = 1 << 5,
    ON_T32_V5 = 1 << 6,
    ON_T32_8M = ON_T32_M | ON_T32_M_BASE,
    ON_T32_2 = ON_T32_A | ON_T32_M,
};

enum llvm_says {
    REFUSES, /* no such instruction */
    SOMETHING_ELSE,
};

struct difference {
    unsigned on;
    enum llvm_says llvm;
    uint32_t mask;
    uint32_t value; /* 16-bit T32: in bits 15:0 */
    bool (*also)(uint32_t word);
    const char *reason;
};

static inline bool is_sp_or_pc(uint32_t word, unsigned low)
{
    const uint32_t number = word >> low & 15;

    return number == 13 || number == 15;
}

static inline bool is_base_listed(uint32_t word)
{
    return (word >> (word >> 16 & 15) & 1) != 0;
}

static inline bool has_other_should_be_bits(uint32_t word)
{
    return (word & 0xffff) != 0x0a00;
}

static inline bool has_rn(uint32_t word)
{
    return (word >> 16 & 15) != 0;
}

static inline bool has_rm_pc(uint32_t word)
{
    return (word & 15) == 15;
}

static inline bool has_rn_sp(uint32_t word)
{
    return (word >> 16 & 15) == 13;
}

/* A32 LDR with writeback of PC as the base. */
static inline bool writes_back_pc(uint32_t word)
{
    const bool offset_only = (word >> 24 & 1) != 0 && (word >> 21 & 1) == 0;

    return !offset_only && (word >> 16 & 15) == 15;
}

/* LDC2, STC2 with the numbers that floating point, MVE and the architecture keep. */
static inline bool has_reserved_coprocessor(uint32_t word)
{
    const uint32_t number = word >> 8 & 15;

    return number >= 8 && number <= 13;
}

/* T32 LDM: writeback with the base listed, SP listed, both PC and LR listed. */
static inline bool is_bad_t32_list(uint32_t word)
{
    const bool writeback = (word >> 21 & 1) != 0;

    return (writeback && is_base_listed(word)) || (word & 0x2000) != 0 || (word & 0xc000) == 0xc000;
}

static inline bool is_rm_sp_or_pc(uint32_t word)
{
    return is_sp_or_pc(word, 0);
}

static inline bool is_bad_bxaut(uint32_t word)
{
    return is_sp_or_pc(word, 0) || is_sp_or_pc(word, 16) || is_sp_or_pc(word, 12);
}

static const struct difference differences[] = {
    /* What LLVM 19 does not have; tests/isa/test_isa.c has vectors by hand. */
    {ON_A64, REFUSES, 0x7e000000, 0x74000000, NULL, "FEAT_CMPBR (Armv9.6) is not in LLVM 19"},
    {ON_A64, REFUSES, 0xfffffbff, 0xd6ff03e0, NULL, "TEXIT (FEAT_S1POE2) is not in LLVM 19"},

    /* What trace knows better. */
    {ON_A64, SOMETHING_ELSE, 0xffffffff, 0xd6bf03e0, NULL,
     "DRPS is undefined in Non-debug state, and nothing else is traced"},

    {ON_A32, REFUSES, 0x0e00f010, 0x0000f000, has_rm_pc,
     "data processing to PC with PC as the shifted operand: LLVM refuses it, the Arm ARM allows "
     "it"},
    {ON_T32_M, SOMETHING_ELSE, 0xfe000000, 0xfc000000, has_reserved_coprocessor,
     "LDC2, STC2 of p8 to p13: Armv8.1-M keeps these for floating point and MVE"},

    /* Unpredictable, A32. */
    {ON_A32, REFUSES, 0xfe700000, 0xf8100000, has_other_should_be_bits,
     "RFE: bits 15:0 should be 0x0a00; LLVM ignores them with writeback only"},
    {ON_A32, REFUSES, 0x0de0f000, 0x01a0f000, has_rn, "MOV to PC: bits 19:16 should be zero"},
    {ON_A32, REFUSES, 0x0de0f000, 0x01e0f000, has_rn, "MVN to PC: bits 19:16 should be zero"},
    {ON_A32, REFUSES, 0x0e00f090, 0x0000f010, NULL,
     "data processing to PC, shifted by a register; LLVM refuses some opcodes only"},
    {ON_A32, REFUSES, 0x0c10f000, 0x0410f000, writes_back_pc, "LDR PC with writeback to PC"},
    {ON_A32, REFUSES, 0x0e10f010, 0x0610f000, has_rm_pc, "LDR PC with PC as the offset"},
    {ON_A32, REFUSES, 0x0e308000, 0x08308000, is_base_listed,
     "LDM with PC, writeback and the base listed; Armv6 and older had it"},

    /* Unpredictable, T32. */
    {ON_T32_2, REFUSES, 0xfe508000, 0xe8108000, is_bad_t32_list,
     "LDM with PC: SP listed, LR listed too, or writeback and the base listed"},
    {ON_T32_2, REFUSES, 0xfff0ffe0, 0xe8d0f000, is_rm_sp_or_pc, "TBB, TBH: Rm is SP or PC"},
    {ON_T32_M, REFUSES, 0xfff0ffe0, 0xe8d0f000, has_rn_sp, "TBB, TBH: Rn is SP"},
    {ON_T32_2, REFUSES, 0xfff0ffc0, 0xf850f000, is_rm_sp_or_pc, "LDR PC: Rm is SP or PC"},
    {ON_T32_A, REFUSES, 0xffffffff, 0xf3cf8f00, NULL, "BXJ PC"},
    {ON_T32_M, REFUSES, 0xfff00ff0, 0xfb500f10, is_bad_bxaut, "BXAUT: a register is SP or PC"},
    {ON_T32_M, REFUSES, 0xff8fd001, 0xf00dc001, NULL, "WLS, WLSTP: Rn is SP"},
    {ON_T32_M, SOMETHING_ELSE, 0xffff2000, 0xe89f2000, NULL,
     "CLRM: SP listed; LLVM goes on to read LDM from PC, which Armv8.1-M does not have"},
    {ON_T32_M, SOMETHING_ELSE, 0xffbf0f01, 0xec9f0b01, NULL,
     "FLDMIAX from PC: the place of VSCCLRM with an odd length"},
    {ON_T32_8M, REFUSES, 0x0000ffff, 0x000047fc, NULL, "BLXNS PC"},
};

enum { DIFFERENCE_COUNT = sizeof differences / sizeof *differences };

#endif
