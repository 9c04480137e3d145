/* SPDX-License-Identifier: BSD-2-Clause */
/* The transfers of what A32 and T32 encode alike: coprocessors, floating point, Advanced SIMD
 * (DDI0406 A7, DDI0487 F3.1.8 to F3.1.10, F4.1.7). */
#include "isa/transfer_list.h"

/* Coprocessor numbers, bits 11:8. */
enum {
    CP_HALF = 9, /* VLDR.16, VSTR.16 of Armv8.2 */
    CP_SINGLE = 10,
    CP_DOUBLE = 11,
    CP_DEBUG = 14,
    DEBUG_DTR = 5, /* CRd of LDC and STC p14: one word */
};

enum { VMRS = 0xef }; /* bits 27:20; VMOV has no such form */
enum { S_REGISTERS = 32, D_REGISTERS = 32, ARCH_V8 = 8, UNCONDITIONAL = 15 };

/* P, U and W: bits 24, 23 and 21. */
enum { PUW_P = 4, PUW_W = 1, PUW_DECREMENT_NO_BASE = 1, PUW_UNDEFINED = 7 };

static uint32_t number_of(uint32_t word)
{
    return cairn_bits(word, 8, 4);
}

static bool is_float(uint32_t cp)
{
    return cp == CP_SINGLE || cp == CP_DOUBLE;
}

/* Armv8.1-M took the coprocessors 8, 9, 14 and 15 for MVE and what is beside it. */
static bool is_mve_space(const struct cairn_arch *arch, uint32_t cp)
{
    const bool has_mve =
        arch->profile == CAIRN_PROFILE_M && arch->major >= ARCH_V8 && arch->minor >= 1;

    return has_mve && cp > 7 && !is_float(cp);
}

/* With all of bits 31:28 set, the numbers 8 to 13 are Advanced SIMD operations since Armv8.2. */
static bool is_simd_space(uint32_t word)
{
    return word >> 28 == UNCONDITIONAL && number_of(word) >= 8 && number_of(word) < CP_DEBUG;
}

static uint32_t first_single(uint32_t word)
{
    return cairn_bits(word, 12, 4) << 1 | cairn_bits(word, 22, 1);
}

static uint32_t first_double(uint32_t word)
{
    return cairn_bits(word, 22, 1) << 4 | cairn_bits(word, 12, 4);
}

static void add_singles(struct cairn_transfer_draft *draft, uint8_t kind, uint32_t first,
                        uint32_t count)
{
    if (count == 0 || first + count > S_REGISTERS) {
        cairn_transfers_unknown(draft);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        cairn_transfers_add(draft, (struct cairn_transfer){.kind = kind,
                                                           .size = CAIRN_WORD,
                                                           .offset = (uint8_t)(CAIRN_WORD * i),
                                                           .file = CAIRN_REGISTER_S,
                                                           .number = (uint8_t)(first + i)});
}

/* The word at the lower address is the upper half of the register in a big-endian transfer
 * (IHI0014 4.9.1). `swapped` is 1 there. */
static void add_doubles(struct cairn_transfer_draft *draft, uint8_t kind, uint32_t first,
                        uint32_t count, uint32_t swapped)
{
    if (count == 0 || first + count > D_REGISTERS) {
        cairn_transfers_unknown(draft);
        return;
    }
    for (uint32_t i = 0; i < 2 * count; i++)
        cairn_transfers_add(draft, (struct cairn_transfer){.kind = kind,
                                                           .size = CAIRN_WORD,
                                                           .offset = (uint8_t)(CAIRN_WORD * i),
                                                           .file = CAIRN_REGISTER_D,
                                                           .number = (uint8_t)(first + i / 2),
                                                           .part = (uint8_t)((i & 1) ^ swapped)});
}

static uint32_t is_big_endian(const struct cairn_transfer_draft *draft)
{
    return (draft->order & CAIRN_TRANSFERS_BIG_ENDIAN) != 0;
}

/* VLDR, VSTR, VLDM, VSTM, VPUSH, VPOP. An odd imm8 of doublewords is FLDMX: a word more is skipped
 * in memory, and none transferred. */
static void float_memory(struct cairn_transfer_draft *draft, uint32_t word, uint32_t puw)
{
    const uint8_t kind = cairn_memory_kind(cairn_bits(word, 20, 1));
    const uint32_t imm8 = cairn_bits(word, 0, 8);
    const bool single_register = (puw & PUW_P) != 0 && (puw & PUW_W) == 0;

    if (number_of(word) == CP_DOUBLE)
        add_doubles(draft, kind, first_double(word), single_register ? 1 : imm8 / 2,
                    is_big_endian(draft));
    else
        add_singles(draft, kind, first_single(word), single_register ? 1 : imm8);
}

static void half_memory(struct cairn_transfer_draft *draft, uint32_t word)
{
    cairn_transfers_add(draft,
                        (struct cairn_transfer){.kind = cairn_memory_kind(cairn_bits(word, 20, 1)),
                                                .size = CAIRN_HALFWORD,
                                                .file = CAIRN_REGISTER_S,
                                                .number = (uint8_t)first_single(word)});
}

/* How many words LDC and STC move is between the core and the coprocessor; one at least. */
static void generic_memory(struct cairn_transfer_draft *draft, uint32_t word)
{
    const bool is_dtr = number_of(word) == CP_DEBUG && cairn_bits(word, 12, 4) == DEBUG_DTR;

    cairn_transfers_add(draft,
                        (struct cairn_transfer){.kind = cairn_memory_kind(cairn_bits(word, 20, 1)),
                                                .size = CAIRN_WORD,
                                                .file = CAIRN_REGISTER_COPROCESSOR,
                                                .number = (uint8_t)cairn_bits(word, 12, 4)});
    if (!is_dtr)
        draft->out->flags |= CAIRN_TRANSFERS_MORE;
}

void cairn_coprocessor_memory(struct cairn_transfer_draft *draft, uint32_t word)
{
    const uint32_t cp = number_of(word);
    const uint32_t puw = cairn_bits(word, 23, 2) << 1 | cairn_bits(word, 21, 1);
    const bool single_register = (puw & PUW_P) != 0 && (puw & PUW_W) == 0;

    draft->out->coprocessor = (uint8_t)cp;
    if (cp == CP_HALF && single_register && draft->arch->major >= ARCH_V8)
        half_memory(draft, word);
    else if (is_mve_space(draft->arch, cp))
        cairn_transfers_unknown(draft);
    else if (!is_float(cp))
        generic_memory(draft, word);
    else if (puw == PUW_DECREMENT_NO_BASE || puw == PUW_UNDEFINED)
        cairn_transfers_unknown(draft); /* VLLDM, VLSTM; and what is undefined */
    else
        float_memory(draft, word, puw);
}

static void one_register(struct cairn_transfer_draft *draft, uint32_t word)
{
    const bool to_core = cairn_bits(word, 20, 1) != 0;
    const uint32_t rt = cairn_bits(word, 12, 4);
    const bool is_vmrs = number_of(word) == CP_SINGLE && cairn_bits(word, 20, 8) == VMRS;
    const bool can_be_flags = is_vmrs || !is_float(number_of(word));
    const bool flags = to_core && can_be_flags && rt == CAIRN_REG_PC;

    cairn_transfers_add(
        draft, (struct cairn_transfer){.kind = to_core ? CAIRN_TRANSFER_FROM_COPROCESSOR
                                                       : CAIRN_TRANSFER_TO_COPROCESSOR,
                                       .size = CAIRN_WORD,
                                       .file = flags ? CAIRN_REGISTER_FLAGS : CAIRN_REGISTER_R,
                                       .number = (uint8_t)(flags ? 0 : rt)});
}

static void two_registers(struct cairn_transfer_draft *draft, uint32_t word)
{
    const uint8_t kind =
        cairn_bits(word, 20, 1) ? CAIRN_TRANSFER_FROM_COPROCESSOR : CAIRN_TRANSFER_TO_COPROCESSOR;

    cairn_transfers_core(draft, kind, CAIRN_WORD, cairn_bits(word, 12, 4));
    cairn_transfers_core(draft, kind, CAIRN_WORD, cairn_bits(word, 16, 4));
    draft->out->flags |= CAIRN_TRANSFERS_ASSUMED;
}

void cairn_coprocessor_register(struct cairn_transfer_draft *draft, uint32_t word)
{
    const bool one = cairn_bits(word, 24, 4) == 0xe && cairn_bits(word, 4, 1);
    const bool two = cairn_bits(word, 21, 7) == 0x62;

    if ((!one && !two) || is_simd_space(word) || is_mve_space(draft->arch, number_of(word)))
        return;
    draft->out->coprocessor = (uint8_t)number_of(word);
    if (one)
        one_register(draft, word);
    else
        two_registers(draft, word);
}
