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

static void special(const struct cairn_arch *arch, struct cairn_insn *insn)
{
    const uint32_t op = insn->opcode;
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

static void conditional_branch(uint32_t address, struct cairn_insn *insn)
{
    const uint32_t cond = cairn_bits(insn->opcode, 8, 4);

    if (cond == COND_SVC)
        return;
    if (cond == COND_UDF) {
        insn->kind = CAIRN_INSN_UNDEFINED;
        return;
    }
    direct(insn, address, cairn_sign_extend(cairn_bits(insn->opcode, 0, 8), 8) * 2,
           CAIRN_INSN_CONDITIONAL);
    insn->cond = (uint8_t)cond;
}

static void miscellaneous(const struct cairn_arch *arch, uint32_t address, struct cairn_insn *insn)
{
    const uint32_t op = insn->opcode;
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
    } else {
        insn->flags = cairn_t16_transfers(op);
    }
}

/* 0xe800 and above: only where Thumb-2 is absent. */
static void lone_half(const struct cairn_arch *arch, struct cairn_insn *insn)
{
    const uint32_t op = insn->opcode;

    if (op >= BL_SUFFIX)
        indirect(insn, CAIRN_INSN_LINK);
    else if (op >= BLX_SUFFIX && op < BL_PREFIX && (op & 1) == 0 && arch->major >= ARCH_V5)
        indirect(insn, CAIRN_INSN_LINK);
}

void cairn_t16_classify(const struct cairn_arch *arch, uint32_t address, struct cairn_insn *insn)
{
    const uint32_t op = insn->opcode;

    switch (op >> 10) {
    case 0x11: special(arch, insn); return;
    case 0x2c:
    case 0x2d:
    case 0x2e:
    case 0x2f: miscellaneous(arch, address, insn); return;
    case 0x34:
    case 0x35:
    case 0x36:
    case 0x37: conditional_branch(address, insn); return;
    case 0x38:
    case 0x39: direct(insn, address, cairn_sign_extend(cairn_bits(op, 0, 11), 11) * 2, 0); return;
    case 0x3a:
    case 0x3b:
    case 0x3c:
    case 0x3d:
    case 0x3e:
    case 0x3f: lone_half(arch, insn); return;
    default:
        if (op >> 14 != 0)
            insn->flags = cairn_t16_transfers(op);
        return;
    }
}
