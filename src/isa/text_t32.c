/* SPDX-License-Identifier: BSD-2-Clause */
/* T32 as text (DDI0487 F3.1, DDI0553 C2.3): what writes PC, loops, IT, exception calls, hints and
 * barriers. `cond` is that of the IT block, which every conditional mnemonic ends in. */
#include "isa/insn.h"
#include "isa/text.h"

enum { REG_SP = 13, REG_PC = 15, COND_NV = 15, ADD_PC_SP = 0x44ef };

/* --- 16 bits --- */

/* IT: the mask's bits down to its lowest one, as T (the condition) or E (its opposite). */
static void put_it(uint32_t op, struct cairn_text *text)
{
    const uint32_t mask = cairn_bits(op, 0, 4);
    const uint32_t cond = cairn_bits(op, 4, 4);

    cairn_text_put(text, "it");
    for (unsigned i = 3; cairn_bits(mask, 0, i); i--)
        cairn_text_put(text, cairn_bits(mask, i, 1) == (cond & 1) ? "t" : "e");
    cairn_text_put(text, " %s", cairn_text_condition(cond));
}

static void compare_zero(const struct cairn_insn *insn, struct cairn_text *text)
{
    cairn_text_put(text, "%s %s,", cairn_bits(insn->opcode, 11, 1) ? "cbnz" : "cbz",
                   cairn_text_r(cairn_bits(insn->opcode, 0, 3)));
    cairn_text_target(text, insn->target);
}

static bool direct16(const struct cairn_insn *insn, unsigned cond, struct cairn_text *text)
{
    const uint32_t op = insn->opcode;

    if (op >> 12 == 0xb) {
        compare_zero(insn, text);
        return true;
    }
    cairn_text_put(text, "b%s", cairn_text_suffix(op >> 12 == 0xd ? insn->cond : cond));
    cairn_text_target(text, insn->target);
    return true;
}

static bool indirect16(uint32_t op, const char *cond, struct cairn_text *text)
{
    const char *rm = cairn_text_r(cairn_bits(op, 3, 4));

    if (op >> 8 == 0xbd) { /* POP with PC */
        cairn_text_put(text, "pop%s ", cond);
        cairn_text_list(text, cairn_bits(op, 0, 8) | 1u << REG_PC);
        return true;
    }
    switch (op & 0xff87) {
    case 0x4487:
        cairn_text_put(text, "add%s pc, %s%s", cond, rm, op == ADD_PC_SP ? ", pc" : "");
        return true;
    case 0x4687: cairn_text_put(text, "mov%s pc, %s", cond, rm); return true;
    case 0x4700: cairn_text_put(text, "bx%s %s", cond, rm); return true;
    case 0x4704: cairn_text_put(text, "bxns%s %s", cond, rm); return true;
    case 0x4780: cairn_text_put(text, "blx%s %s", cond, rm); return true;
    case 0x4784: cairn_text_put(text, "blxns%s %s", cond, rm); return true;
    default: return false; /* half of a BL or BLX of before Thumb-2 */
    }
}

static bool other16(const struct cairn_arch *arch, const struct cairn_insn *insn, const char *cond,
                    struct cairn_text *text)
{
    const uint32_t op = insn->opcode;
    const uint32_t number = cairn_bits(op, 0, 8);
    const char *hint = (op & 0xff0f) == 0xbf00 ? cairn_text_hint(arch, number >> 4) : NULL;

    if ((insn->flags & CAIRN_INSN_IT) && cairn_bits(op, 4, 4) != COND_NV)
        put_it(op, text);
    else if (op >> 8 == 0xdf)
        cairn_text_put(text, "svc%s #0x%x", cond, number);
    else if (op >> 8 == 0xbe)
        cairn_text_put(text, "bkpt #0x%x", number);
    else if (hint)
        cairn_text_put(text, "%s%s", hint, cond);
    else
        return false;
    return true;
}

static bool text16(const struct cairn_arch *arch, const struct cairn_insn *insn, unsigned cond,
                   struct cairn_text *text)
{
    const uint32_t op = insn->opcode;
    const char *suffix = cairn_text_suffix(cond);

    switch ((enum cairn_insn_kind)insn->kind) {
    case CAIRN_INSN_BRANCH_DIRECT: return direct16(insn, cond, text);
    case CAIRN_INSN_BRANCH_INDIRECT: return indirect16(op, suffix, text);
    case CAIRN_INSN_UNDEFINED: cairn_text_put(text, "udf #0x%x", cairn_bits(op, 0, 8)); return true;
    case CAIRN_INSN_OTHER:
    case CAIRN_INSN_ISB:
    case CAIRN_INSN_WFX:
    case CAIRN_INSN_TSTART:
    case CAIRN_INSN_BARRIER: break;
    }
    return other16(arch, insn, suffix, text);
}

/* --- 32 bits --- */

/* Armv8.1-M: WLS, WLSTP, LE, LETP. Bits 21:20 are the size of the elements, 3 in bits 22:20 and
 * above mean none; with Rn 15 it is the end of a loop. */
static bool loop(const struct cairn_insn *insn, struct cairn_text *text)
{
    const uint32_t word = insn->opcode;
    const uint32_t op = cairn_bits(word, 20, 3);
    const uint32_t rn = cairn_bits(word, 16, 4);

    if (rn == REG_PC)
        cairn_text_put(text, op == 2 ? "le" : op == 1 ? "letp lr," : "le lr,");
    else if (op < 4)
        cairn_text_put(text, "wlstp.%u lr, %s,", 8u << op, cairn_text_r(rn));
    else
        cairn_text_put(text, "wls lr, %s,", cairn_text_r(rn));
    cairn_text_target(text, insn->target);
    return true;
}

static bool direct32(const struct cairn_arch *arch, const struct cairn_insn *insn, unsigned cond,
                     struct cairn_text *text)
{
    const uint32_t word = insn->opcode;

    if ((word & 0xffffffef) == 0xf3bf8f0f) {
        cairn_text_put(text, cairn_bits(word, 4, 1) ? "enterx" : "leavex");
        return true;
    }
    if (insn->flags & CAIRN_INSN_LINK)
        cairn_text_put(text, "bl%s%s", insn->flags & CAIRN_INSN_EXCHANGE ? "x" : "",
                       cairn_text_suffix(cond));
    else if (cairn_bits(word, 12, 1))
        cairn_text_put(text, "b%s.w", cairn_text_suffix(cond));
    else if (arch->profile == CAIRN_PROFILE_M && cairn_bits(word, 14, 1))
        return loop(insn, text);
    else
        cairn_text_put(text, "b%s.w", cairn_text_suffix(insn->cond));
    cairn_text_target(text, insn->target);
    return true;
}

static bool load_multiple(uint32_t word, const char *cond, struct cairn_text *text)
{
    const unsigned rn = cairn_bits(word, 16, 4);
    const bool up = cairn_bits(word, 23, 1) != 0;
    const bool writes_back = cairn_bits(word, 21, 1) != 0;

    if ((word & 0xffd0ffff) == 0xe810c000 || (word & 0xffd0ffff) == 0xe990c000) {
        cairn_text_put(text, "rfe%s%s %s%s", up ? "ia" : "db", cond, cairn_text_r(rn),
                       writes_back ? "!" : "");
        return true;
    }
    if (up && writes_back && rn == REG_SP && cairn_bits(word, 0, 15)) /* POP of one is an LDR */
        cairn_text_put(text, "pop%s.w ", cond);
    else
        cairn_text_put(text, "ldm%s%s%s %s%s, ", up ? "" : "db", cond, up ? ".w" : "",
                       cairn_text_r(rn), writes_back ? "!" : "");
    cairn_text_list(text, cairn_bits(word, 0, 16));
    return true;
}

static bool table_branch(uint32_t word, const char *cond, struct cairn_text *text)
{
    const bool halfwords = cairn_bits(word, 4, 1) != 0;

    cairn_text_put(text, "tb%c%s [%s, %s%s]", halfwords ? 'h' : 'b', cond,
                   cairn_text_r(cairn_bits(word, 16, 4)), cairn_text_r(cairn_bits(word, 0, 4)),
                   halfwords ? ", lsl #1" : "");
    return true;
}

/* LDR PC: a literal or imm12 (bit 23), a register, or imm8 with P, U and W in bits 10:8. */
static bool load_pc(uint32_t word, const char *cond, struct cairn_text *text)
{
    const uint32_t imm12 = cairn_bits(word, 0, 12);
    const uint32_t imm8 = cairn_bits(word, 0, 8);
    const char *rn = cairn_text_r(cairn_bits(word, 16, 4));
    const bool literal = cairn_bits(word, 16, 4) == REG_PC;
    const bool up = cairn_bits(word, 23, 1) != 0;
    const char *sign = cairn_bits(word, 9, 1) ? "" : "-";

    if (literal || up) {
        cairn_text_put(text, "ldr%s.w pc, [%s", cond, rn);
        if (imm12 || !up || literal)
            cairn_text_put(text, ", #%s0x%x", up ? "" : "-", imm12);
        cairn_text_put(text, "]");
    } else if (!cairn_bits(word, 11, 1)) {
        const uint32_t shift = cairn_bits(word, 4, 2);

        cairn_text_put(text, "ldr%s.w pc, [%s, %s", cond, rn, cairn_text_r(cairn_bits(word, 0, 4)));
        if (shift)
            cairn_text_put(text, ", lsl #%u", shift);
        cairn_text_put(text, "]");
    } else if (!cairn_bits(word, 10, 1)) {
        cairn_text_put(text, "ldr%s pc, [%s], #%s%u", cond, rn, sign, imm8);
    } else {
        cairn_text_put(text, "ldr%s pc, [%s, #%s%u]%s", cond, rn, sign, imm8,
                       cairn_bits(word, 8, 1) ? "!" : "");
    }
    return true;
}

/* BXAUT: Rn authenticates the address in Ra with Rm. */
static bool authenticated(uint32_t word, const char *cond, struct cairn_text *text)
{
    cairn_text_put(text, "bxaut%s %s, %s, %s", cond, cairn_text_r(cairn_bits(word, 12, 4)),
                   cairn_text_r(cairn_bits(word, 16, 4)), cairn_text_r(cairn_bits(word, 0, 4)));
    return true;
}

static bool control(uint32_t word, const char *cond, struct cairn_text *text)
{
    if (cairn_t32_is_bxj(word))
        cairn_text_put(text, "bxj%s %s", cond, cairn_text_r(cairn_bits(word, 16, 4)));
    else if (cairn_bits(word, 0, 8) == 0)
        cairn_text_put(text, "eret%s", cond);
    else
        cairn_text_put(text, "subs%s pc, lr, #0x%x", cond, cairn_bits(word, 0, 8));
    return true;
}

static bool indirect32(uint32_t word, const char *cond, struct cairn_text *text)
{
    switch (word >> 24) {
    case 0xe8:
    case 0xe9:
        return (word & 0xfff0ffe0) == 0xe8d0f000 ? table_branch(word, cond, text)
                                                 : load_multiple(word, cond, text);
    case 0xf3: return control(word, cond, text);
    case 0xf8: return load_pc(word, cond, text);
    case 0xfb: return authenticated(word, cond, text);
    default: return false;
    }
}

static bool other32(const struct cairn_arch *arch, uint32_t word, const char *cond,
                    struct cairn_text *text)
{
    const char *hint =
        (word & 0xffffff00) == 0xf3af8000 ? cairn_text_hint(arch, cairn_bits(word, 0, 8)) : NULL;

    if (hint)
        cairn_text_put(text, "%s%s.w", hint, cond);
    else if (arch->profile == CAIRN_PROFILE_M)
        return false;
    else if ((word & 0xfff0f000) == 0xf7e08000)
        cairn_text_put(text, "hvc.w #0x%x",
                       cairn_bits(word, 16, 4) << 12 | cairn_bits(word, 0, 12));
    else if ((word & 0xfff0ffff) == 0xf7f08000)
        cairn_text_put(text, "smc%s #0x%x", cond, cairn_bits(word, 16, 4));
    else
        return false;
    return true;
}

/* UDF, or an instruction that another profile has. */
static bool undefined32(uint32_t word, struct cairn_text *text)
{
    if ((word & 0xfff0f000) != 0xf7f0a000)
        return false;
    cairn_text_put(text, "udf.w #0x%x", cairn_bits(word, 16, 4) << 12 | cairn_bits(word, 0, 12));
    return true;
}

static bool text32(const struct cairn_arch *arch, const struct cairn_insn *insn, unsigned cond,
                   struct cairn_text *text)
{
    const uint32_t word = insn->opcode;
    const char *suffix = cairn_text_suffix(cond);

    switch ((enum cairn_insn_kind)insn->kind) {
    case CAIRN_INSN_BRANCH_DIRECT: return direct32(arch, insn, cond, text);
    case CAIRN_INSN_BRANCH_INDIRECT: return indirect32(word, suffix, text);
    case CAIRN_INSN_UNDEFINED: return undefined32(word, text);
    case CAIRN_INSN_ISB:
    case CAIRN_INSN_BARRIER:
        if (word >> 24 == 0xf3)
            cairn_text_aarch32_barrier(arch, word, suffix, text);
        else
            cairn_text_mcr(text, word, cond);
        return true;
    case CAIRN_INSN_OTHER:
    case CAIRN_INSN_WFX:
    case CAIRN_INSN_TSTART: break;
    }
    return other32(arch, word, suffix, text);
}

bool cairn_t32_text(const struct cairn_arch *arch, const struct cairn_insn *insn, unsigned cond,
                    struct cairn_text *text)
{
    return insn->size == 2 ? text16(arch, insn, cond, text) : text32(arch, insn, cond, text);
}
