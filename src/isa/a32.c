/* SPDX-License-Identifier: BSD-2-Clause */
/* A32 (DDI0487 F4.1). P0 instructions are those of DDI0608 D3.2. Everything below 0xf0000000 is
 * conditional; D3.2.4 reserves N for RFE only. */
#include "isa/insn.h"

/* Unconditional space (bits 31:28 all ones). */
#define UNCONDITIONAL 15u
#define BLX_IMM_MASK 0xfe000000u
#define BLX_IMM 0xfa000000u
#define RFE_MASK 0xfe500000u /* bits 15:0 should be 0x0a00; nothing else is there */
#define RFE 0xf8100000u
#define ISB_MASK 0xfffffff0u /* all but the option; of DSB and DMB as well */
#define ISB 0xf57ff060u
#define DSB 0xf57ff040u
#define DMB 0xf57ff050u

/* Conditional space: bits 31:28 are the condition. */
#define BX_MASK 0x0ffffff0u
#define BX 0x012fff10u
#define BXJ 0x012fff20u
#define BLX_REG 0x012fff30u
#define ERET_MASK 0x0fffffffu
#define ERET 0x0160006eu
#define HINT_MASK 0x0fffffffu
#define WFE 0x0320f002u
#define WFI 0x0320f003u
#define CP15ISB_MASK 0x0fff0fffu /* all but Rt */
#define CP15ISB 0x0e070f95u
#define CP15DSB 0x0e070f9au
#define CP15DMB 0x0e070fbau
#define UDF_MASK 0x0ff000f0u
#define UDF 0x07f000f0u

/* Extra loads and stores, multiplies. */
#define EXTRA_MASK 0x02000090u
#define EXTRA 0x00000090u

/* Function returns, all without a condition field (bits 27:0). */
#define BODY_MASK 0x0fffffffu
#define BX_LR 0x012fff1eu
#define MOV_PC_LR 0x01a0f00eu
#define LDM_SP_MASK 0x0fff0000u
#define LDMIA_SP_WRITEBACK 0x08bd0000u
#define LDR_SP_MASK 0x0ffff000u
#define LDR_PC_SP_POST 0x049df000u /* LDR PC, [SP], #imm: POP {PC} */

enum { REG_PC = 15 };

/* Data processing opcodes, bits 24:21: TST, TEQ, CMP, CMN write no register. */
enum { DP_FIRST_COMPARE = 8, DP_LAST_COMPARE = 11 };

static void indirect(struct cairn_insn *insn, uint32_t flags)
{
    insn->kind = CAIRN_INSN_BRANCH_INDIRECT;
    insn->flags |= flags;
}

static void direct(struct cairn_insn *insn, uint32_t target, enum cairn_isa isa, uint32_t flags)
{
    insn->kind = CAIRN_INSN_BRANCH_DIRECT;
    insn->flags |= flags;
    insn->target_isa = (uint8_t)isa;
    insn->target = target;
}

/* PC reads as the address plus 8; arithmetic wraps at 32 bits. */
static uint32_t target24(uint32_t address, uint32_t word)
{
    return address + 8 + (uint32_t)(cairn_sign_extend(cairn_bits(word, 0, 24), 24) * 4);
}

static void unconditional(uint32_t address, uint32_t word, struct cairn_insn *insn)
{
    if ((word & BLX_IMM_MASK) == BLX_IMM) {
        const uint32_t halfword = cairn_bits(word, 24, 1) * 2;
        direct(insn, target24(address, word) + halfword, CAIRN_ISA_T32,
               CAIRN_INSN_LINK | CAIRN_INSN_EXCHANGE);
    } else if ((word & RFE_MASK) == RFE) {
        indirect(insn, CAIRN_INSN_ERET | CAIRN_INSN_NEVER_N | CAIRN_INSN_LOAD);
    } else if ((word & ISB_MASK) == ISB) {
        insn->kind = CAIRN_INSN_ISB;
    } else if ((word & ISB_MASK) == DSB || (word & ISB_MASK) == DMB) {
        insn->kind = CAIRN_INSN_BARRIER;
    } else {
        insn->flags |= cairn_a32_transfers(word);
    }
}

/* Bits 27:26 zero: data processing, and what hides in the holes of its table. A compare writes no
 * register, and without S it is a miscellaneous instruction, MOVW, MOVT or MSR. */
static bool writes_register(uint32_t word)
{
    const uint32_t op = cairn_bits(word, 21, 4);
    const bool compare = op >= DP_FIRST_COMPARE && op <= DP_LAST_COMPARE;

    return !compare && (word & EXTRA_MASK) != EXTRA;
}

/* Rd is PC, or what stands in its place is all ones. */
static void data_processing_pc(uint32_t word, struct cairn_insn *insn)
{
    switch (word & BX_MASK) {
    case BX: indirect(insn, (word & BODY_MASK) == BX_LR ? CAIRN_INSN_RETURN : 0); return;
    case BXJ: indirect(insn, 0); return;
    case BLX_REG: indirect(insn, CAIRN_INSN_LINK); return;
    default: break;
    }
    switch (word & BODY_MASK) {
    case WFE:
    case WFI: insn->kind = CAIRN_INSN_WFX; return;
    case MOV_PC_LR: indirect(insn, CAIRN_INSN_RETURN); return;
    default: break;
    }
    if (writes_register(word)) /* with S it also restores CPSR: SUBS PC, LR, #imm and its kin */
        indirect(insn, cairn_bits(word, 20, 1) ? CAIRN_INSN_ERET : 0);
    else
        insn->flags |= cairn_a32_transfers(word);
}

static void data_processing(uint32_t word, struct cairn_insn *insn)
{
    if (cairn_bits(word, 12, 4) == REG_PC)
        data_processing_pc(word, insn);
    else if ((word & EXTRA_MASK) == EXTRA)
        insn->flags |= cairn_a32_transfers(word);
    else if ((word & BODY_MASK) == ERET)
        indirect(insn, CAIRN_INSN_ERET);
}

static void load_store(uint32_t word, struct cairn_insn *insn)
{
    const bool unprivileged = !cairn_bits(word, 24, 1) && cairn_bits(word, 21, 1); /* LDRT */
    const bool load_word = cairn_bits(word, 20, 1) && !cairn_bits(word, 22, 1) && !unprivileged;

    insn->flags |= cairn_bits(word, 20, 1) ? CAIRN_INSN_LOAD : CAIRN_INSN_STORE;
    if (load_word && cairn_bits(word, 12, 4) == REG_PC)
        indirect(insn, (word & LDR_SP_MASK) == LDR_PC_SP_POST ? CAIRN_INSN_RETURN : 0);
}

static void load_store_multiple(uint32_t word, struct cairn_insn *insn)
{
    const bool load = cairn_bits(word, 20, 1) != 0;
    const bool restores_cpsr = cairn_bits(word, 22, 1) != 0;

    insn->flags |= load ? CAIRN_INSN_LOAD : CAIRN_INSN_STORE;
    if (!load || !cairn_bits(word, REG_PC, 1))
        return;
    if (restores_cpsr)
        indirect(insn, CAIRN_INSN_ERET);
    else
        indirect(insn, (word & LDM_SP_MASK) == LDMIA_SP_WRITEBACK ? CAIRN_INSN_RETURN : 0);
}

void cairn_a32_classify(uint32_t address, uint32_t word, struct cairn_insn *insn)
{
    const uint32_t cond = word >> 28;

    if (cond == UNCONDITIONAL) {
        unconditional(address, word, insn);
        return;
    }
    insn->cond = (uint8_t)cond;
    insn->flags = cond == CAIRN_COND_AL ? 0 : CAIRN_INSN_CONDITIONAL;

    switch (cairn_bits(word, 25, 3)) {
    case 0:
    case 1: data_processing(word, insn); return;
    case 2: load_store(word, insn); return;
    case 3:
        if (!cairn_bits(word, 4, 1))
            load_store(word, insn);
        else if ((word & UDF_MASK) == UDF)
            insn->kind = CAIRN_INSN_UNDEFINED;
        return;
    case 4: load_store_multiple(word, insn); return;
    case 5:
        direct(insn, target24(address, word), CAIRN_ISA_A32,
               cairn_bits(word, 24, 1) ? CAIRN_INSN_LINK : 0);
        return;
    case 6: insn->flags |= cairn_a32_transfers(word); return;
    default:
        if ((word & CP15ISB_MASK) == CP15ISB)
            insn->kind = CAIRN_INSN_ISB;
        else if ((word & CP15ISB_MASK) == CP15DSB || (word & CP15ISB_MASK) == CP15DMB)
            insn->kind = CAIRN_INSN_BARRIER;
        return;
    }
}

bool cairn_a32_is_bxj(uint32_t word)
{
    return (word & BX_MASK) == BXJ;
}
