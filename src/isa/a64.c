/* SPDX-License-Identifier: BSD-2-Clause */
/* A64: branches, exception generating and system instructions (DDI0487 C4.1.93...). P0 instructions
 * are those of DDI0608 D3.1, and the branches that came later: FEAT_PAuth_LR, FEAT_CMPBR,
 * FEAT_S1POE2. BTI is a hint, and so is everything else that has no row below. */
#include "isa/a64_table.h"
#include "isa/insn.h"

/* Branches (register) and exception returns. */
#define BRANCH_REG_MASK 0xfffffc1fu /* all but Rn */
#define BR 0xd61f0000u
#define BLR 0xd63f0000u
#define RET 0xd65f0000u
#define BRAAZ 0xd61f081fu
#define BRABZ 0xd61f0c1fu
#define BLRAAZ 0xd63f081fu
#define BLRABZ 0xd63f0c1fu

#define BRANCH_PAC_MASK 0xfffffc00u /* all but Rn and Rm */
#define BRAA 0xd71f0800u
#define BRAB 0xd71f0c00u
#define BLRAA 0xd73f0800u
#define BLRAB 0xd73f0c00u

#define RETAA 0xd65f0bffu
#define RETAB 0xd65f0fffu
#define RETASPPCR_MASK 0xfffffbe0u /* all but Rm and the key; Rm 31 is RETAA, RETAB */
#define RETASPPCR 0xd65f0be0u
#define ERET 0xd69f03e0u
#define ERETAA 0xd69f0bffu
#define ERETAB 0xd69f0fffu
#define DRPS 0xd6bf03e0u
#define TEXIT 0xd6ff03e0u
#define TEXIT_NB 0xd6ff07e0u

/* Miscellaneous branch (immediate): RETAASPPC, RETABSPPC; bit 21 is the key. */
#define RETASPPC_MASK 0xffc0001fu
#define RETASPPC 0x5500001fu

/* System instructions. */
#define WFE 0xd503205fu
#define WFI 0xd503207fu
#define WFXT_MASK 0xffffffc0u /* all but Rt and WFET/WFIT */
#define WFXT 0xd5031000u
#define ISB_MASK 0xfffff0ffu /* all but CRm */
#define ISB 0xd50330dfu
#define TSTART_MASK 0xffffffe0u /* all but Rt */
#define TSTART 0xd5233060u

#define UDF_MASK 0xffff0000u

static void direct(struct cairn_insn *insn, uint64_t address, int64_t offset, uint32_t flags)
{
    insn->kind = CAIRN_INSN_BRANCH_DIRECT;
    insn->flags = flags;
    insn->target_isa = CAIRN_ISA_A64;
    insn->target = address + (uint64_t)offset;
}

/* No branch to a register and no exception return is conditional in A64: D3.1.4 reserves N. */
static void indirect(struct cairn_insn *insn, uint32_t flags)
{
    insn->kind = CAIRN_INSN_BRANCH_INDIRECT;
    insn->flags = CAIRN_INSN_NEVER_N | flags;
}

static void never_n(struct cairn_insn *insn, enum cairn_insn_kind kind)
{
    insn->kind = (uint8_t)kind;
    insn->flags = CAIRN_INSN_NEVER_N;
}

static void branch_immediate(uint64_t address, uint32_t word, struct cairn_insn *insn)
{
    const uint32_t link = word >> 31 ? CAIRN_INSN_LINK : 0;
    const int64_t offset = cairn_sign_extend(cairn_bits(word, 0, 26), 26) * 4;

    direct(insn, address, offset, CAIRN_INSN_NEVER_N | link);
}

/* CBZ, CBNZ, B.cond, BC.cond: imm19. */
static int64_t offset19(uint32_t word)
{
    return cairn_sign_extend(cairn_bits(word, 5, 19), 19) * 4;
}

static void branch_condition(const struct cairn_arch *arch, uint64_t address,
                             struct cairn_insn *insn)
{
    const uint32_t cond = cairn_bits(insn->opcode, 0, 4);
    const bool consistent = cairn_bits(insn->opcode, 4, 1) != 0;

    if (consistent && !cairn_arch_has(arch, CAIRN_FEATURE_HBC))
        return;
    /* AL and NV always branch; D3.1.4 does not reserve N for them, since they are B.cond. */
    direct(insn, address, offset19(insn->opcode),
           cond < CAIRN_COND_AL ? CAIRN_INSN_CONDITIONAL : CAIRN_INSN_PASSES);
    insn->cond = (uint8_t)cond;
}

static void test_and_branch(uint64_t address, struct cairn_insn *insn)
{
    direct(insn, address, cairn_sign_extend(cairn_bits(insn->opcode, 5, 14), 14) * 4,
           CAIRN_INSN_CONDITIONAL);
}

/* FEAT_CMPBR: CB<cc>, CBB<cc>, CBH<cc> (register) and CB<cc> (immediate); imm9 in bits 13:5. */
static void compare_and_branch(const struct cairn_arch *arch, uint64_t address,
                               struct cairn_insn *insn)
{
    const uint32_t word = insn->opcode;
    const uint32_t cc = cairn_bits(word, 21, 3);
    const bool wide = word >> 31 != 0;
    const bool immediate = cairn_bits(word, 24, 1) != 0;
    const uint32_t width = cairn_bits(word, 14, 2); /* register form: 0 word, 2 byte, 3 halfword */
    const bool allocated =
        cc != 4 && cc != 5 && (immediate ? (width & 1) == 0 : width == 0 || (width >= 2 && !wide));

    if (!allocated || !cairn_arch_has(arch, CAIRN_FEATURE_CMPBR))
        return;
    direct(insn, address, cairn_sign_extend(cairn_bits(word, 5, 9), 9) * 4, CAIRN_INSN_CONDITIONAL);
}

static bool branch_register_pac(struct cairn_insn *insn)
{
    const uint32_t word = insn->opcode;

    switch (word & BRANCH_PAC_MASK) {
    case BRAA:
    case BRAB: indirect(insn, 0); return true;
    case BLRAA:
    case BLRAB: indirect(insn, CAIRN_INSN_LINK); return true;
    default: break;
    }
    switch (word & BRANCH_REG_MASK) {
    case BRAAZ:
    case BRABZ: indirect(insn, 0); return true;
    case BLRAAZ:
    case BLRABZ: indirect(insn, CAIRN_INSN_LINK); return true;
    default: break;
    }
    if (word == ERETAA || word == ERETAB) {
        indirect(insn, CAIRN_INSN_ERET);
        return true;
    }
    /* With Rm 31 these are RETAA and RETAB. */
    if ((word & RETASPPCR_MASK) == RETASPPCR) {
        indirect(insn, CAIRN_INSN_RETURN);
        return true;
    }
    return false;
}

static void branch_register(const struct cairn_arch *arch, struct cairn_insn *insn)
{
    const uint32_t word = insn->opcode;

    switch (word & BRANCH_REG_MASK) {
    case BR: indirect(insn, 0); return;
    case BLR: indirect(insn, CAIRN_INSN_LINK); return;
    case RET: indirect(insn, CAIRN_INSN_RETURN); return;
    default: break;
    }
    if (cairn_arch_has(arch, CAIRN_FEATURE_PAUTH) && branch_register_pac(insn))
        return;
    switch (word) {
    case ERET: indirect(insn, CAIRN_INSN_ERET); return;
    /* Undefined in Non-debug state, and nothing is traced in Debug state. */
    case DRPS: insn->kind = CAIRN_INSN_UNDEFINED; return;
    case TEXIT:
    case TEXIT_NB:
        /* Leaves what TENTER entered, through ELR: an exception return in all but name. */
        if (cairn_arch_has(arch, CAIRN_FEATURE_TEXIT))
            indirect(insn, CAIRN_INSN_ERET);
        return;
    default: return;
    }
}

static void system_instruction(const struct cairn_arch *arch, struct cairn_insn *insn)
{
    const uint32_t word = insn->opcode;

    if (word == WFE || word == WFI)
        never_n(insn, CAIRN_INSN_WFX);
    else if ((word & ISB_MASK) == ISB)
        never_n(insn, CAIRN_INSN_ISB);
    else if ((word & WFXT_MASK) == WFXT && cairn_arch_has(arch, CAIRN_FEATURE_WFXT))
        never_n(insn, CAIRN_INSN_WFX);
    else if ((word & TSTART_MASK) == TSTART && cairn_arch_has(arch, CAIRN_FEATURE_TME))
        never_n(insn, CAIRN_INSN_TSTART);
}

/* The group with 101x in bits 28:25, by bits 31:24. */
static void branch_group(const struct cairn_arch *arch, uint64_t address, uint32_t word,
                         struct cairn_insn *insn)
{
    switch (word >> 24) {
    case 0x14:
    case 0x15:
    case 0x16:
    case 0x17:
    case 0x94:
    case 0x95:
    case 0x96:
    case 0x97: branch_immediate(address, word, insn); return;
    case 0x34:
    case 0x35:
    case 0xb4:
    case 0xb5: direct(insn, address, offset19(word), CAIRN_INSN_CONDITIONAL); return;
    case 0x36:
    case 0x37:
    case 0xb6:
    case 0xb7: test_and_branch(address, insn); return;
    case 0x54: branch_condition(arch, address, insn); return;
    case 0x55:
        if ((word & RETASPPC_MASK) == RETASPPC && cairn_arch_has(arch, CAIRN_FEATURE_PAUTH))
            indirect(insn, CAIRN_INSN_RETURN);
        return;
    case 0x74:
    case 0x75:
    case 0xf4:
    case 0xf5: compare_and_branch(arch, address, insn); return;
    case 0xd5: system_instruction(arch, insn); return;
    case 0xd6:
    case 0xd7: branch_register(arch, insn); return;
    default: return;
    }
}

void cairn_a64_classify(const struct cairn_arch *arch, uint64_t address, uint32_t word,
                        struct cairn_insn *insn)
{
    const uint8_t class = cairn_a64_class(word);

    if (class <= CAIRN_A64_LAST_PLAIN)
        insn->flags = cairn_a64_class_flags(class);
    else if (class == CAIRN_A64_BRANCH)
        branch_group(arch, address, word, insn);
    else if (class == CAIRN_A64_HARD)
        insn->flags = cairn_a64_transfers(word);
    else if ((word & UDF_MASK) == 0)
        insn->kind = CAIRN_INSN_UNDEFINED;
}
