/* SPDX-License-Identifier: BSD-2-Clause */
/* 32-bit T32 (DDI0487 F3.1, DDI0553 C2.3.2). P0 instructions are those of DDI0608 D3.3, and the
 * low-overhead loops of Armv8.1-M. An instruction of another profile is undefined in this one. */
#include "isa/insn.h"

/* Branches and miscellaneous control: bits 31:27 are 11110 and bit 15 is set. */
enum { FORM_MISC_OR_B_COND = 0, FORM_B = 1, FORM_BLX_OR_LOOP = 2, FORM_BL = 3 };
enum { COND_MISC = 14 }; /* B<c> T3 with this condition or more is miscellaneous control */

#define BXJ_MASK 0xfff0ffffu
#define BXJ 0xf3c08f00u
#define SUBS_PC_LR_MASK 0xffffff00u /* all but imm8; with imm8 0 it is ERET */
#define SUBS_PC_LR 0xf3de8f00u
#define ISB_MASK 0xfffffff0u /* all but the option; of DSB and DMB as well */
#define ISB 0xf3bf8f60u
#define DSB 0xf3bf8f40u
#define DMB 0xf3bf8f50u
#define WFE 0xf3af8002u
#define WFI 0xf3af8003u
#define ENTERX 0xf3bf8f1fu /* of Armv7: DDI0406 A9.3.1 */
#define LEAVEX 0xf3bf8f0fu
#define UDF_MASK 0xfff0f000u
#define UDF 0xf7f0a000u

/* Armv8.1-M loops, DDI0553: 11110 0000 op Rn, 11x0 ... 1; any other 11110 boff ... is a branch
 * future, which is a hint: the branch point it names is an ordinary instruction. */
#define LOOP_MASK 0xff800001u /* boff zero, bit 0 set */
#define LOOP 0xf0000001u
#define LOOP_BOFF_MASK 0x07800000u  /* zero: a loop */
#define LOOP_START_ONLY 0x00002000u /* DLS, DLSTP, LCTP: no branch */
enum { LOOP_WLS = 4, REG_NONE = 15 };
enum { LE_LR = 0, LE_TP = 1, LE_ALWAYS = 2 };

/* Load and store multiple, dual, table branch. */
#define LDM_PC_MASK 0xffd08000u /* all but writeback, Rn and the other registers */
#define LDMIA_PC 0xe8908000u
#define LDMDB_PC 0xe9108000u
#define LDMIA_SP_WRITEBACK 0xe8bd0000u
#define LDM_REGISTERS 0xffff0000u
#define CLRM 0xe89f0000u
#define RFE_MASK 0xffd0ffffu /* all but writeback and Rn */
#define RFEDB 0xe810c000u
#define RFEIA 0xe990c000u
#define TBB_MASK 0xfff0ffe0u /* all but Rn, Rm and byte or halfword */
#define TBB 0xe8d0f000u

/* Load word with Rt PC. */
#define LDR_PC_MASK 0xff70f000u
#define LDR_PC 0xf850f000u
#define LDR_IMM12 0x00800000u
#define LDR_IMM8 0x00000800u
#define LDR_IMM8_P 0x00000400u
#define LDR_IMM8_W 0x00000100u
#define LDR_IMM8_PUW 0x00000700u
#define LDRT 0x00000600u         /* unpredictable with PC, and no LDR: not in D3.3.2 */
#define LDR_REG_MASK 0x00000fc0u /* zero: register offset */
#define LDR_RETURN_MASK 0xffffff00u
#define LDR_PC_SP_POST 0xf85dfb00u /* LDR PC, [SP], #imm: POP {PC} */

#define CP15ISB_MASK 0xffff0fffu /* all but Rt */
#define CP15ISB 0xee070f95u
#define CP15DSB 0xee070f9au
#define CP15DMB 0xee070fbau
#define BXAUT_MASK 0xfff00ff0u /* all but Rn, Ra and Rm */
#define BXAUT 0xfb500f10u

enum { REG_LR = 14, REG_PC = 15, ARCH_V8 = 8 };

static bool is_m(const struct cairn_arch *arch)
{
    return arch->profile == CAIRN_PROFILE_M;
}

static void direct(struct cairn_insn *insn, uint32_t target, enum cairn_isa isa, uint32_t flags)
{
    insn->kind = CAIRN_INSN_BRANCH_DIRECT;
    insn->flags = flags;
    insn->target_isa = (uint8_t)isa;
    insn->target = target;
}

static void indirect(struct cairn_insn *insn, uint32_t flags)
{
    insn->kind = CAIRN_INSN_BRANCH_INDIRECT;
    insn->flags |= flags;
}

bool cairn_t32_is_bxj(uint32_t word)
{
    return (word & BXJ_MASK) == BXJ;
}

static void not_in_m(const struct cairn_arch *arch, struct cairn_insn *insn, uint32_t flags)
{
    if (is_m(arch))
        insn->kind = CAIRN_INSN_UNDEFINED;
    else
        indirect(insn, flags);
}

/* BL, BLX and B T4: S:I1:I2:imm10:imm11:0, where I = NOT(J EOR S). */
static uint32_t offset25(uint32_t word)
{
    const uint32_t s = cairn_bits(word, 26, 1);
    const uint32_t i1 = cairn_bits(word, 13, 1) ^ s ^ 1;
    const uint32_t i2 = cairn_bits(word, 11, 1) ^ s ^ 1;
    const uint32_t value =
        s << 23 | i1 << 22 | i2 << 21 | cairn_bits(word, 16, 10) << 11 | cairn_bits(word, 0, 11);

    return (uint32_t)(cairn_sign_extend(value, 24) * 2);
}

/* B T3: S:J2:J1:imm6:imm11:0. */
static uint32_t offset21(uint32_t word)
{
    const uint32_t value = cairn_bits(word, 26, 1) << 19 | cairn_bits(word, 11, 1) << 18 |
                           cairn_bits(word, 13, 1) << 17 | cairn_bits(word, 16, 6) << 11 |
                           cairn_bits(word, 0, 11);

    return (uint32_t)(cairn_sign_extend(value, 20) * 2);
}

static bool has_thumbee(const struct cairn_arch *arch)
{
    return !is_m(arch) && cairn_arch_has(arch, CAIRN_FEATURE_THUMBEE);
}

static void miscellaneous_control(const struct cairn_arch *arch, uint32_t address,
                                  struct cairn_insn *insn)
{
    const uint32_t word = insn->opcode;

    if ((word & SUBS_PC_LR_MASK) == SUBS_PC_LR)
        not_in_m(arch, insn, CAIRN_INSN_ERET);
    else if (cairn_t32_is_bxj(word))
        not_in_m(arch, insn, 0);
    else if ((word & ISB_MASK) == ISB)
        insn->kind = CAIRN_INSN_ISB;
    else if ((word & ISB_MASK) == DSB || (word & ISB_MASK) == DMB)
        insn->kind = CAIRN_INSN_BARRIER;
    else if ((word == WFE || word == WFI) && cairn_arch_has(arch, CAIRN_FEATURE_THUMB2))
        insn->kind = CAIRN_INSN_WFX;
    else if (word == ENTERX && has_thumbee(arch)) /* into ThumbEE, which is no enum cairn_isa */
        direct(insn, address + 4, CAIRN_ISA_UNKNOWN, CAIRN_INSN_EXCHANGE);
    else if (word == LEAVEX && has_thumbee(arch))
        direct(insn, address + 4, CAIRN_ISA_T32, 0);
    else if ((word & UDF_MASK) == UDF)
        insn->kind = CAIRN_INSN_UNDEFINED;
}

static void loop(uint32_t address, struct cairn_insn *insn)
{
    const uint32_t word = insn->opcode;
    const uint32_t op = cairn_bits(word, 20, 3);
    const uint32_t rn = cairn_bits(word, 16, 4);
    const uint32_t offset = cairn_bits(word, 1, 10) << 2 | cairn_bits(word, 11, 1) << 1;
    const uint32_t pc = address + 4;

    if (word & LOOP_START_ONLY)
        return;
    if (rn == REG_NONE) {
        if (op == LE_LR || op == LE_TP)
            direct(insn, pc - offset, CAIRN_ISA_T32, CAIRN_INSN_CONDITIONAL);
        else if (op == LE_ALWAYS)
            direct(insn, pc - offset, CAIRN_ISA_T32, 0);
    } else if (op <= LOOP_WLS) {
        direct(insn, pc + offset, CAIRN_ISA_T32, CAIRN_INSN_CONDITIONAL);
    }
}

static void blx_or_loop(const struct cairn_arch *arch, uint32_t address, struct cairn_insn *insn)
{
    const uint32_t word = insn->opcode;

    if (is_m(arch)) {
        if (!cairn_arch_has(arch, CAIRN_FEATURE_LOB))
            insn->kind = CAIRN_INSN_UNDEFINED;
        else if ((word & LOOP_MASK) == LOOP)
            loop(address, insn);
        return;
    }
    if (word & 1) {
        insn->kind = CAIRN_INSN_UNDEFINED;
        return;
    }
    direct(insn, ((address + 4) & ~3u) + offset25(word), CAIRN_ISA_A32,
           CAIRN_INSN_LINK | CAIRN_INSN_EXCHANGE);
}

static void branch_or_control(const struct cairn_arch *arch, uint32_t address,
                              struct cairn_insn *insn)
{
    const uint32_t word = insn->opcode;
    const uint32_t form = cairn_bits(word, 14, 1) << 1 | cairn_bits(word, 12, 1);
    const uint32_t cond = cairn_bits(word, 22, 4);
    const bool thumb2 = cairn_arch_has(arch, CAIRN_FEATURE_THUMB2);

    switch (form) {
    case FORM_BL:
        direct(insn, address + 4 + offset25(word), CAIRN_ISA_T32, CAIRN_INSN_LINK);
        return;
    case FORM_B:
        /* Armv8-M Baseline has this one, too. */
        if (thumb2 || arch->major >= ARCH_V8)
            direct(insn, address + 4 + offset25(word), CAIRN_ISA_T32, 0);
        return;
    case FORM_BLX_OR_LOOP: blx_or_loop(arch, address, insn); return;
    default: break;
    }
    if (cond >= COND_MISC) {
        miscellaneous_control(arch, address, insn);
    } else if (thumb2) {
        direct(insn, address + 4 + offset21(word), CAIRN_ISA_T32, CAIRN_INSN_CONDITIONAL);
        insn->cond = (uint8_t)cond;
    }
}

static void multiple_or_dual(const struct cairn_arch *arch, struct cairn_insn *insn)
{
    const uint32_t word = insn->opcode;
    const uint32_t multiple = word & LDM_PC_MASK;

    insn->flags = cairn_t32_transfers(arch, word);
    if (!cairn_arch_has(arch, CAIRN_FEATURE_THUMB2))
        return;
    if ((word & LDM_REGISTERS) == CLRM && is_m(arch) && cairn_arch_has(arch, CAIRN_FEATURE_LOB))
        insn->flags = 0; /* bit 15 is APSR here */
    else if (multiple == LDMIA_PC || multiple == LDMDB_PC)
        indirect(insn, (word & LDM_REGISTERS) == LDMIA_SP_WRITEBACK ? CAIRN_INSN_RETURN : 0);
    else if ((word & TBB_MASK) == TBB)
        indirect(insn, 0);
    else if ((word & RFE_MASK) == RFEDB || (word & RFE_MASK) == RFEIA)
        not_in_m(arch, insn, CAIRN_INSN_ERET);
}

static bool is_load_pc(uint32_t word)
{
    const bool literal = cairn_bits(word, 16, 4) == REG_PC;

    if ((word & LDR_PC_MASK) != LDR_PC)
        return false;
    if (literal || (word & LDR_IMM12))
        return true;
    if (word & LDR_IMM8)
        return (word & (LDR_IMM8_P | LDR_IMM8_W)) != 0 && (word & LDR_IMM8_PUW) != LDRT;
    return (word & LDR_REG_MASK) == 0;
}

static void load_store(const struct cairn_arch *arch, struct cairn_insn *insn)
{
    const uint32_t word = insn->opcode;

    insn->flags = cairn_t32_transfers(arch, word);
    if (is_load_pc(word) && cairn_arch_has(arch, CAIRN_FEATURE_THUMB2))
        indirect(insn, (word & LDR_RETURN_MASK) == LDR_PC_SP_POST ? CAIRN_INSN_RETURN : 0);
}

static void multiply(const struct cairn_arch *arch, struct cairn_insn *insn)
{
    const uint32_t word = insn->opcode;

    if ((word & BXAUT_MASK) == BXAUT && is_m(arch) && cairn_arch_has(arch, CAIRN_FEATURE_PAUTH))
        indirect(insn, cairn_bits(word, 12, 4) == REG_LR ? CAIRN_INSN_RETURN : 0);
}

/* The barriers of before Armv7, which the M profile has none of. */
static void cp15(const struct cairn_arch *arch, struct cairn_insn *insn)
{
    if (is_m(arch))
        return;
    switch (insn->opcode & CP15ISB_MASK) {
    case CP15ISB: insn->kind = CAIRN_INSN_ISB; return;
    case CP15DSB:
    case CP15DMB: insn->kind = CAIRN_INSN_BARRIER; return;
    default: return;
    }
}

void cairn_t32_classify(const struct cairn_arch *arch, uint32_t address, uint32_t word,
                        struct cairn_insn *insn)
{
    switch (word >> 24) {
    case 0xe8:
    case 0xe9: multiple_or_dual(arch, insn); return;
    case 0xee: cp15(arch, insn); return;
    case 0xec:
    case 0xed:
    case 0xf9:
    case 0xfc:
    case 0xfd: insn->flags = cairn_t32_transfers(arch, word); return;
    case 0xf0:
    case 0xf1:
    case 0xf2:
    case 0xf3:
    case 0xf4:
    case 0xf5:
    case 0xf6:
    case 0xf7:
        if (cairn_bits(word, 15, 1))
            branch_or_control(arch, address, insn);
        return;
    case 0xf8: load_store(arch, insn); return;
    case 0xfb: multiply(arch, insn); return;
    default: return;
    }
}
