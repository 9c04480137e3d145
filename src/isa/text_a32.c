/* SPDX-License-Identifier: BSD-2-Clause */
/* A32 as text (DDI0487 F4.1): what writes PC, exception calls, hints and barriers. */
#include "isa/insn.h"
#include "isa/text.h"

enum { UNCONDITIONAL = 15, REG_PC = 15, REG_SP = 13 };

/* Data processing opcodes, bits 24:21. */
enum { DP_SUB = 2, DP_ADD = 4, DP_MOV = 13, DP_MVN = 15 };

/* Types of shifts, bits 6:5. */
enum { SHIFT_LSL = 0, SHIFT_LSR = 1, SHIFT_ASR = 2, SHIFT_ROR = 3 };
static const char *const shifts[4] = {"lsl", "lsr", "asr", "ror"};

static uint32_t rotate_right(uint32_t value, unsigned by)
{
    return by ? value >> by | value << (32 - by) : value;
}

/* A number of eight bits, rotated to the right by twice the four bits above. The assembler makes the
 * least rotation of a number that it is given; any other is written out. */
static void put_rotated(struct cairn_text *text, uint32_t word, bool is_address)
{
    const uint32_t bits = cairn_bits(word, 0, 8);
    const unsigned rotation = 2 * cairn_bits(word, 8, 4);
    const uint32_t value = rotate_right(bits, rotation);
    unsigned least = 0;

    while (rotate_right(value, (32 - least) % 32) > 0xff)
        least += 2;
    if (least == rotation && is_address)
        cairn_text_put(text, "#%u", value);
    else if (least == rotation)
        cairn_text_put(text, "#%d", (int)(int32_t)value);
    else
        cairn_text_put(text, "#%u, #%u", bits, rotation);
}

/* ", lsl #3" of a register whose shift is bits 11:5; nothing for LSL #0. */
static void put_shift(struct cairn_text *text, uint32_t word)
{
    const unsigned type = cairn_bits(word, 5, 2);
    const unsigned amount = cairn_bits(word, 7, 5);

    if (!amount && type == SHIFT_LSL)
        return;
    if (!amount && type == SHIFT_ROR)
        cairn_text_put(text, ", rrx");
    else
        cairn_text_put(text, ", %s #%u", shifts[type], amount ? amount : 32);
}

/* MOV with a shift is that shift by name. */
static void put_move(struct cairn_text *text, uint32_t word, const char *s, const char *cond)
{
    const unsigned type = cairn_bits(word, 5, 2);
    const unsigned amount = cairn_bits(word, 7, 5);
    const char *rm = cairn_text_r(cairn_bits(word, 0, 4));

    if (cairn_bits(word, 4, 1))
        cairn_text_put(text, "%s%s%s pc, %s, %s", shifts[type], s, cond, rm,
                       cairn_text_r(cairn_bits(word, 8, 4)));
    else if (!amount && type == SHIFT_LSL)
        cairn_text_put(text, "mov%s%s pc, %s", s, cond, rm);
    else if (!amount && type == SHIFT_ROR)
        cairn_text_put(text, "rrx%s%s pc, %s", s, cond, rm);
    else
        cairn_text_put(text, "%s%s%s pc, %s, #%u", shifts[type], s, cond, rm, amount ? amount : 32);
}

static bool data_processing(uint32_t word, const char *cond, struct cairn_text *text)
{
    static const char *const names[16] = {"and", "eor", "sub", "rsb", "add", "adc", "sbc", "rsc",
                                          "",    "",    "",    "",    "orr", "mov", "bic", "mvn"};
    const unsigned op = cairn_bits(word, 21, 4);
    const bool immediate = cairn_bits(word, 25, 1) != 0;
    const char *s = cairn_bits(word, 20, 1) ? "s" : "";

    if (op == DP_MOV && !immediate) {
        put_move(text, word, s, cond);
        return true;
    }
    cairn_text_put(text, "%s%s%s pc, ", names[op], s, cond);
    if (op != DP_MOV && op != DP_MVN)
        cairn_text_put(text, "%s, ", cairn_text_r(cairn_bits(word, 16, 4)));
    if (immediate) {
        put_rotated(text, word, op == DP_MOV);
        return true;
    }
    cairn_text_put(text, "%s", cairn_text_r(cairn_bits(word, 0, 4)));
    if (cairn_bits(word, 4, 1))
        cairn_text_put(text, ", %s %s", shifts[cairn_bits(word, 5, 2)],
                       cairn_text_r(cairn_bits(word, 8, 4)));
    else
        put_shift(text, word);
    return true;
}

/* LDR PC, and where it comes from. */
static bool load_pc(uint32_t word, const char *cond, struct cairn_text *text)
{
    const bool before = cairn_bits(word, 24, 1) != 0;
    const bool writes_back = cairn_bits(word, 21, 1) != 0;
    const char *sign = cairn_bits(word, 23, 1) ? "" : "-";
    const uint32_t offset = cairn_bits(word, 0, 12);

    cairn_text_put(text, "ldr%s pc, [%s%s", cond, cairn_text_r(cairn_bits(word, 16, 4)),
                   before ? "" : "]");
    if (cairn_bits(word, 25, 1)) {
        cairn_text_put(text, ", %s%s", sign, cairn_text_r(cairn_bits(word, 0, 4)));
        put_shift(text, word);
    } else if (!before) {
        cairn_text_put(text, ", #%s%u", sign, offset);
    } else if (offset || *sign || writes_back) {
        cairn_text_put(text, ", #%s0x%x", sign, offset);
    }
    cairn_text_put(text, before ? writes_back ? "]!" : "]" : "");
    return true;
}

static bool load_multiple(uint32_t word, const char *cond, struct cairn_text *text)
{
    static const char *const modes[4] = {"da", "", "db", "ib"}; /* P, U: bits 24:23 */
    const unsigned mode = cairn_bits(word, 23, 2);
    const unsigned rn = cairn_bits(word, 16, 4);
    const bool writes_back = cairn_bits(word, 21, 1) != 0;
    const bool restores = cairn_bits(word, 22, 1) != 0;

    if (rn == REG_SP && writes_back && mode == 1 && !restores && cairn_bits(word, 0, 15))
        cairn_text_put(text, "pop%s ", cond);
    else
        cairn_text_put(text, "ldm%s%s %s%s, ", modes[mode], cond, cairn_text_r(rn),
                       writes_back ? "!" : "");
    cairn_text_list(text, cairn_bits(word, 0, 16));
    cairn_text_put(text, restores ? " ^" : "");
    return true;
}

static bool return_from_exception(uint32_t word, struct cairn_text *text)
{
    static const char *const modes[4] = {"da", "ia", "db", "ib"};

    cairn_text_put(text, "rfe%s %s%s", modes[cairn_bits(word, 23, 2)],
                   cairn_text_r(cairn_bits(word, 16, 4)), cairn_bits(word, 21, 1) ? "!" : "");
    return true;
}

static bool indirect(uint32_t word, const char *cond, struct cairn_text *text)
{
    const char *rm = cairn_text_r(cairn_bits(word, 0, 4));

    switch (word & 0x0ffffff0) {
    case 0x012fff10: cairn_text_put(text, "bx%s %s", cond, rm); return true;
    case 0x012fff20: cairn_text_put(text, "bxj%s %s", cond, rm); return true;
    case 0x012fff30: cairn_text_put(text, "blx%s %s", cond, rm); return true;
    case 0x01600060: cairn_text_put(text, "eret%s", cond); return true;
    default: break;
    }
    switch (cairn_bits(word, 25, 3)) {
    case 0:
    case 1: return data_processing(word, cond, text);
    case 2:
    case 3: return load_pc(word, cond, text);
    case 4: return load_multiple(word, cond, text);
    default: return false;
    }
}

static bool hint(const struct cairn_arch *arch, uint32_t word, const char *cond,
                 struct cairn_text *text)
{
    const char *name =
        (word & 0x0fffff00) == 0x0320f000 ? cairn_text_hint(arch, cairn_bits(word, 0, 8)) : NULL;

    if (name)
        cairn_text_put(text, "%s%s", name, cond);
    return name != NULL;
}

/* The number that HVC, BKPT and UDF have in bits 19:8 and 3:0. */
static uint32_t number16(uint32_t word)
{
    return cairn_bits(word, 8, 12) << 4 | cairn_bits(word, 0, 4);
}

static bool exception_call(uint32_t word, const char *cond, struct cairn_text *text)
{
    if ((word & 0x0f000000) == 0x0f000000)
        cairn_text_put(text, "svc%s #0x%x", cond, cairn_bits(word, 0, 24));
    else if ((word & 0xfff000f0) == 0xe1400070)
        cairn_text_put(text, "hvc #0x%x", number16(word));
    else if ((word & 0xfff000f0) == 0xe1200070)
        cairn_text_put(text, "bkpt #0x%x", number16(word));
    else if ((word & 0x0ffffff0) == 0x01600070)
        cairn_text_put(text, "smc%s #0x%x", cond, cairn_bits(word, 0, 4));
    else
        return false;
    return true;
}

bool cairn_a32_text(const struct cairn_arch *arch, const struct cairn_insn *insn,
                    struct cairn_text *text)
{
    const uint32_t word = insn->opcode;
    const char *cond = cairn_text_suffix(word >> 28);

    switch ((enum cairn_insn_kind)insn->kind) {
    case CAIRN_INSN_BRANCH_DIRECT:
        cairn_text_put(text, "%s%s",
                       insn->flags & CAIRN_INSN_EXCHANGE ? "blx"
                       : insn->flags & CAIRN_INSN_LINK   ? "bl"
                                                         : "b",
                       cond);
        cairn_text_target(text, insn->target);
        return true;
    case CAIRN_INSN_BRANCH_INDIRECT:
        return word >> 28 == UNCONDITIONAL ? return_from_exception(word, text)
                                           : indirect(word, cond, text);
    case CAIRN_INSN_UNDEFINED:
        if (*cond) /* permanently undefined as well, but not UDF */
            return false;
        cairn_text_put(text, "udf #0x%x", number16(word));
        return true;
    case CAIRN_INSN_ISB:
    case CAIRN_INSN_BARRIER:
        if (word >> 28 == UNCONDITIONAL)
            cairn_text_aarch32_barrier(arch, word, "", text);
        else
            cairn_text_mcr(text, word, word >> 28);
        return true;
    case CAIRN_INSN_OTHER:
    case CAIRN_INSN_WFX:
    case CAIRN_INSN_TSTART: break;
    }
    return word >> 28 != UNCONDITIONAL &&
           (hint(arch, word, cond, text) || exception_call(word, cond, text));
}
