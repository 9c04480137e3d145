/* SPDX-License-Identifier: BSD-2-Clause */
/* 16-bit T32 (DDI0487 F3.1, DDI0553 C2.3.1). P0 instructions are those of DDI0608 D3.3; any of them
 * may be N, since an IT block may hold it. */
#include "isa/insn.h"

/* Special data processing, branch and exchange: 010001. */
#define HIGH_PC_MASK 0xff87u /* all but Rm; Rdn is PC */
#define ADD_PC 0x4487u
#define MOV_PC 0x4687u
#define MOV_PC_LR 0x46f7u
#define BX 0x4700u
#define BXNS 0x4704u
#define BLX_REG 0x4780u
#define BLXNS 0x4784u
#define BX_LR 0x4770u
#define BXNS_LR 0x4774u

/* Miscellaneous: 1011. */
#define CBZ_MASK 0xf500u /* all but the sense, the offset and Rn */
#define CBZ 0xb100u
#define POP_MASK 0xfe00u
#define POP 0xbc00u
#define POP_PC_MASK 0xff00u
#define POP_PC 0xbd00u
#define IT_MASK 0xff00u
#define IT 0xbf00u
#define IT_LENGTH 0x000fu /* zero: a hint, not IT */
#define WFE 0xbf20u
#define WFI 0xbf30u

/* The halves of BL and BLX where Thumb-2 is absent (insn.c, is_pair). */
#define BLX_SUFFIX 0xe800u
#define BL_PREFIX 0xf000u
#define BL_SUFFIX 0xf800u

enum { COND_UDF = 14, COND_SVC = 15, ARCH_V5 = 5, ARCH_V8 = 8 };

static void direct(struct cairn_insn *insn, uint32_t address, int64_t offset, uint32_t flags)
{
    insn->kind = CAIRN_INSN_BRANCH_DIRECT;
    insn->flags = flags;
    insn->target_isa = CAIRN_ISA_T32;
    insn->target = (uint32_t)(address + 4 + (uint32_t)offset); /* PC reads as the address plus 4 */
}

static void indirect(struct cairn_insn *insn, uint32_t flags)
{
    insn->kind = CAIRN_INSN_BRANCH_INDIRECT;
    insn->flags = flags;
}

static void special(const struct cairn_arch *arch, uint32_t op, struct cairn_insn *insn)
{
    const bool v8m = arch->profile == CAIRN_PROFILE_M && arch->major >= ARCH_V8;

    switch (op & HIGH_PC_MASK) {
    case ADD_PC: indirect(insn, 0); return;
    case MOV_PC: indirect(insn, op == MOV_PC_LR ? CAIRN_INSN_RETURN : 0); return;
    case BX: indirect(insn, op == BX_LR ? CAIRN_INSN_RETURN : 0); return;
    case BLX_REG: indirect(insn, CAIRN_INSN_LINK); return;
    case BXNS:
        if (v8m)
            indirect(insn, op == BXNS_LR ? CAIRN_INSN_RETURN : 0);
        return;
    case BLXNS:
        /* Its return address goes to the Secure stack and LR holds FNC_RETURN: a call all the same.
         */
        if (v8m)
            indirect(insn, CAIRN_INSN_LINK);
        return;
    default: return;
    }
}

static void conditional_branch(uint32_t address, uint32_t op, struct cairn_insn *insn)
{
    const uint32_t cond = cairn_bits(op, 8, 4);

    if (cond == COND_SVC)
        return;
    if (cond == COND_UDF) {
        insn->kind = CAIRN_INSN_UNDEFINED;
        return;
    }
    direct(insn, address, cairn_sign_extend(cairn_bits(op, 0, 8), 8) * 2, CAIRN_INSN_CONDITIONAL);
    insn->cond = (uint8_t)cond;
}

static void miscellaneous(const struct cairn_arch *arch, uint32_t address, uint32_t op,
                          struct cairn_insn *insn)
{
    const bool thumb2 = cairn_arch_has(arch, CAIRN_FEATURE_THUMB2);
    const bool m = arch->profile == CAIRN_PROFILE_M;

    if ((op & CBZ_MASK) == CBZ) {
        const uint32_t offset = cairn_bits(op, 9, 1) << 6 | cairn_bits(op, 3, 5) << 1;
        if (thumb2 || (m && arch->major >= ARCH_V8))
            direct(insn, address, offset, CAIRN_INSN_CONDITIONAL);
    } else if ((op & POP_PC_MASK) == POP_PC) {
        indirect(insn, CAIRN_INSN_RETURN | CAIRN_INSN_LOAD);
    } else if ((op & IT_MASK) == IT && (op & IT_LENGTH) != 0) {
        if (thumb2) {
            insn->flags = CAIRN_INSN_IT;
            insn->it = (uint8_t)op;
        }
    } else if (op == WFE || op == WFI) {
        if (thumb2 || m)
            insn->kind = CAIRN_INSN_WFX;
    } else if ((op & POP_MASK) == POP) {
        insn->flags = CAIRN_INSN_LOAD;
    }
}

/* 0xe800 and above: only where Thumb-2 is absent. */
static void lone_half(const struct cairn_arch *arch, uint32_t op, struct cairn_insn *insn)
{
    if (op >= BL_SUFFIX)
        indirect(insn, CAIRN_INSN_LINK);
    else if (op >= BLX_SUFFIX && op < BL_PREFIX && (op & 1) == 0 && arch->major >= ARCH_V5)
        indirect(insn, CAIRN_INSN_LINK);
}

/* By bits 15:9, what the Arm ARM's table says at first sight; the first three are bits: it loads,
 * it stores. */
enum { P = 0, L = 1, S = 2, LAST_PLAIN = 3, SPECIAL, MISC, COND, BRANCH, HALF };

_Static_assert(CAIRN_INSN_LOAD << 1 == CAIRN_INSN_STORE, "the two flags are neighbours");

static const uint8_t classes[16][8] = {
    [0x4] = {P, P, SPECIAL, SPECIAL, L, L, L, L},       /* LDR, literal */
    [0x5] = {S, S, S, L, L, L, L, L},                   /* register offset */
    [0x6] = {S, S, S, S, L, L, L, L},                   /* words */
    [0x7] = {S, S, S, S, L, L, L, L},                   /* bytes */
    [0x8] = {S, S, S, S, L, L, L, L},                   /* halfwords */
    [0x9] = {S, S, S, S, L, L, L, L},                   /* from SP */
    [0xb] = {MISC, MISC, S, P, MISC, MISC, MISC, MISC}, /* PUSH; CBZ, POP, IT, hints */
    [0xc] = {S, S, S, S, L, L, L, L},                   /* STM, LDM */
    [0xd] = {COND, COND, COND, COND, COND, COND, COND, COND},
    [0xe] = {BRANCH, BRANCH, BRANCH, BRANCH, HALF, HALF, HALF, HALF},
    [0xf] = {HALF, HALF, HALF, HALF, HALF, HALF, HALF, HALF},
};

void cairn_t16_classify(const struct cairn_arch *arch, uint32_t address, uint32_t op,
                        struct cairn_insn *insn)
{
    const uint8_t class = classes[op >> 12][op >> 9 & 7];

    if (class <= LAST_PLAIN) {
        insn->flags = class * CAIRN_INSN_LOAD;
        return;
    }
    switch (class) {
    case SPECIAL: special(arch, op, insn); return;
    case MISC: miscellaneous(arch, address, op, insn); return;
    case COND: conditional_branch(address, op, insn); return;
    case BRANCH: direct(insn, address, cairn_sign_extend(cairn_bits(op, 0, 11), 11) * 2, 0); return;
    default: lone_half(arch, op, insn); return;
    }
}
