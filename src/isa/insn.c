/* SPDX-License-Identifier: BSD-2-Clause */
#include "isa/insn.h"

#include "base/bytes.h"

enum {
    HALFWORD = 2,
    WORD = 4,
    /* T32, F3.1: a first halfword of this value or more is the first of two. */
    T32_FIRST_OF_TWO = 0xe800,
    /* Before Thumb-2: a BL or BLX pair is a prefix, then a suffix (DDI0100 A7.1.15). */
    PAIR_PREFIX = 0xf000,
    PAIR_SUFFIX = 0xf800,
};

static void start(struct cairn_insn *insn, uint32_t opcode, uint8_t size)
{
    *insn = (struct cairn_insn){
        .opcode = opcode, .size = size, .kind = CAIRN_INSN_OTHER, .cond = CAIRN_COND_AL};
}

/* Before Thumb-2 every instruction is a halfword. The two halves of a BL or BLX are executed one by
 * one, but trace treats them as one 4-byte instruction, and so does every compiler: a prefix with a
 * suffix behind it is one instruction here. A prefix without one only writes LR; a suffix reached
 * on its own branches to LR plus its offset. */
static bool is_pair(const struct cairn_arch *arch, uint32_t first, uint32_t second)
{
    const bool prefix = first >= PAIR_PREFIX && first < PAIR_SUFFIX;
    const bool bl = second >= PAIR_SUFFIX;
    const bool blx =
        second >= T32_FIRST_OF_TWO && second < PAIR_PREFIX && (second & 1) == 0 && arch->major >= 5;

    return prefix && (bl || blx);
}

static bool has_only_pairs(const struct cairn_arch *arch)
{
    return !cairn_arch_has(arch, CAIRN_FEATURE_THUMB2) && arch->profile != CAIRN_PROFILE_M;
}

static unsigned decode_t32(const struct cairn_arch *arch, uint64_t address, const uint8_t *bytes,
                           size_t size, struct cairn_insn *insn)
{
    if (size < HALFWORD)
        return 0;

    const uint32_t first = cairn_load_le16(bytes);
    bool two = first >= T32_FIRST_OF_TWO;

    if (two && has_only_pairs(arch)) {
        two = first >= PAIR_PREFIX && first < PAIR_SUFFIX;
        if (two && size >= WORD)
            two = is_pair(arch, first, cairn_load_le16(bytes + HALFWORD));
    }
    if (!two) {
        start(insn, first, HALFWORD);
        cairn_t16_classify(arch, (uint32_t)address, first, insn);
        return HALFWORD;
    }
    if (size < WORD)
        return 0;

    const uint32_t word = first << 16 | cairn_load_le16(bytes + HALFWORD);

    start(insn, word, WORD);
    cairn_t32_classify(arch, (uint32_t)address, word, insn);
    return WORD;
}

static unsigned decode_a64(const struct cairn_arch *arch, uint64_t address, const uint8_t *bytes,
                           size_t size, struct cairn_insn *insn)
{
    if (size < WORD)
        return 0;

    const uint32_t word = cairn_load_le32(bytes);

    start(insn, word, WORD);
    cairn_a64_classify(arch, address, word, insn);
    return WORD;
}

static unsigned decode_a32(uint64_t address, const uint8_t *bytes, size_t size,
                           struct cairn_insn *insn)
{
    if (size < WORD)
        return 0;

    const uint32_t word = cairn_load_le32(bytes);

    start(insn, word, WORD);
    cairn_a32_classify((uint32_t)address, word, insn);
    return WORD;
}

unsigned cairn_insn_decode(const struct cairn_arch *arch, enum cairn_isa isa, uint64_t address,
                           const uint8_t *bytes, size_t size, struct cairn_insn *insn)
{
    switch (isa) {
    case CAIRN_ISA_A64: return decode_a64(arch, address, bytes, size, insn);
    /* No encoding of A32 changes its bearing on flow with a feature or version. */
    case CAIRN_ISA_A32: return decode_a32(address, bytes, size, insn);
    case CAIRN_ISA_T32: return decode_t32(arch, address, bytes, size, insn);
    case CAIRN_ISA_UNKNOWN: break;
    }
    return 0;
}

const char *cairn_isa_name(enum cairn_isa isa)
{
    switch (isa) {
    case CAIRN_ISA_A64: return "A64";
    case CAIRN_ISA_A32: return "A32";
    case CAIRN_ISA_T32: return "T32";
    case CAIRN_ISA_UNKNOWN: break;
    }
    return "?";
}
