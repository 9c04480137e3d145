/* SPDX-License-Identifier: BSD-2-Clause */
/* The transfers of A32 instructions (DDI0406 A5, DDI0487 F4.1). Only words of which the classifier
 * says that they access memory get here, but for the moves between coprocessors and registers. */
#include "isa/transfer_list.h"

enum { UNCONDITIONAL = 15 };

/* Bits 22:21 of the synchronization primitives. */
enum { EXCLUSIVE_WORD = 0, EXCLUSIVE_DOUBLEWORD = 1, EXCLUSIVE_BYTE = 2, EXCLUSIVE_HALFWORD = 3 };
enum { ORDERED_ONLY = 0xc }; /* bits 11:8: LDA, STL, which have no doubleword */

#define CLREX 0xf57ff01fu

static void synchronization(struct cairn_transfer_draft *draft, uint32_t word)
{
    const bool load = cairn_bits(word, 20, 1) != 0;
    const uint8_t kind = cairn_memory_kind(load);
    const uint32_t rt = load ? cairn_bits(word, 12, 4) : cairn_bits(word, 0, 4);

    switch (cairn_bits(word, 21, 2)) {
    case EXCLUSIVE_WORD: cairn_transfers_core(draft, kind, CAIRN_WORD, rt); return;
    case EXCLUSIVE_BYTE: cairn_transfers_core(draft, kind, CAIRN_BYTE, rt); return;
    case EXCLUSIVE_HALFWORD: cairn_transfers_core(draft, kind, CAIRN_HALFWORD, rt); return;
    default: break;
    }
    if (cairn_bits(word, 8, 4) == ORDERED_ONLY)
        cairn_transfers_unknown(draft);
    else
        cairn_transfers_pair(draft, kind, rt & ~1u, rt | 1);
}

/* Bits 6:5 (op) and 20 (L): halfwords, signed loads, doublewords. */
static void extra(struct cairn_transfer_draft *draft, uint32_t word)
{
    const uint32_t op = cairn_bits(word, 5, 2);
    const bool load = cairn_bits(word, 20, 1) != 0;
    const uint32_t rt = cairn_bits(word, 12, 4);

    if (op == 1)
        cairn_transfers_core(draft, cairn_memory_kind(load), CAIRN_HALFWORD, rt);
    else if (load)
        cairn_transfers_core(draft, CAIRN_TRANSFER_LOAD, op == 2 ? CAIRN_BYTE : CAIRN_HALFWORD, rt);
    else
        cairn_transfers_pair(draft, cairn_memory_kind(op == 2), rt & ~1u, rt | 1);
}

static void multiplies_and_extra(struct cairn_transfer_draft *draft, uint32_t word)
{
    if (cairn_bits(word, 5, 2) != 0)
        extra(draft, word);
    else if (cairn_bits(word, 23, 1))
        synchronization(draft, word);
    else
        cairn_transfers_swap(draft, cairn_bits(word, 22, 1) ? CAIRN_BYTE : CAIRN_WORD,
                             cairn_bits(word, 12, 4), cairn_bits(word, 0, 4));
}

static void single(struct cairn_transfer_draft *draft, uint32_t word)
{
    cairn_transfers_core(draft, cairn_memory_kind(cairn_bits(word, 20, 1)),
                         cairn_bits(word, 22, 1) ? CAIRN_BYTE : CAIRN_WORD,
                         cairn_bits(word, 12, 4));
}

static void multiple(struct cairn_transfer_draft *draft, uint32_t word)
{
    const bool load = cairn_bits(word, 20, 1) != 0;
    const bool hat = cairn_bits(word, 22, 1) != 0;
    const bool with_pc = (word >> CAIRN_REG_PC & 1) != 0;

    cairn_transfers_multiple(draft, cairn_memory_kind(load), word & 0xffffu);
    /* LDM ^ with PC is an exception return: the registers are those of the mode it leaves. */
    if (hat && !(load && with_pc))
        draft->out->flags |= CAIRN_TRANSFERS_USER;
}

static void unconditional(struct cairn_transfer_draft *draft, uint32_t word)
{
    switch (cairn_bits(word, 25, 3)) {
    case 2: cairn_element_transfers(draft, word); return;
    case 4:
        if (cairn_bits(word, 20, 1))
            cairn_transfers_rfe(draft);
        else
            cairn_transfers_srs(draft);
        return;
    default: cairn_coprocessor_memory(draft, word); return;
    }
}

static void memory(struct cairn_transfer_draft *draft, uint32_t word)
{
    if (word >> 28 == UNCONDITIONAL) {
        unconditional(draft, word);
        return;
    }
    switch (cairn_bits(word, 25, 3)) {
    case 0: multiplies_and_extra(draft, word); return;
    case 4: multiple(draft, word); return;
    case 6: cairn_coprocessor_memory(draft, word); return;
    default: single(draft, word); return;
    }
}

void cairn_a32_list(struct cairn_transfer_draft *draft, const struct cairn_insn *insn)
{
    if (insn->flags & (CAIRN_INSN_LOAD | CAIRN_INSN_STORE))
        memory(draft, insn->opcode);
    else if (insn->opcode == CLREX)
        cairn_transfers_unknown(draft);
    else
        cairn_coprocessor_register(draft, insn->opcode);
}
