/* SPDX-License-Identifier: BSD-2-Clause */
#include "isa/transfer_list.h"

enum { REG_LR = 14, REGISTERS = 16 };

#define MEMORY (CAIRN_INSN_LOAD | CAIRN_INSN_STORE)

void cairn_transfers_unknown(struct cairn_transfer_draft *draft)
{
    draft->out->count = 0;
    draft->out->flags = CAIRN_TRANSFERS_UNKNOWN;
}

void cairn_transfers_add(struct cairn_transfer_draft *draft, struct cairn_transfer transfer)
{
    struct cairn_transfers *out = draft->out;

    if (out->flags & CAIRN_TRANSFERS_UNKNOWN)
        return;
    if (out->count == CAIRN_TRANSFERS_MAX)
        cairn_transfers_unknown(draft);
    else
        out->list[out->count++] = transfer;
}

void cairn_transfers_core(struct cairn_transfer_draft *draft, uint8_t kind, uint8_t size,
                          uint32_t number)
{
    cairn_transfers_add(draft, (struct cairn_transfer){.kind = kind,
                                                       .size = size,
                                                       .file = CAIRN_REGISTER_R,
                                                       .number = (uint8_t)number});
}

static void add_word(struct cairn_transfer_draft *draft, uint8_t kind, unsigned index,
                     uint32_t number)
{
    cairn_transfers_add(draft, (struct cairn_transfer){.kind = kind,
                                                       .size = CAIRN_WORD,
                                                       .offset = (uint8_t)(CAIRN_WORD * index),
                                                       .file = CAIRN_REGISTER_R,
                                                       .number = (uint8_t)number});
}

void cairn_transfers_pair(struct cairn_transfer_draft *draft, uint8_t kind, uint32_t first,
                          uint32_t second)
{
    add_word(draft, kind, 0, first);
    add_word(draft, kind, 1, second);
}

void cairn_transfers_multiple(struct cairn_transfer_draft *draft, uint8_t kind, uint32_t registers)
{
    const unsigned count = (unsigned)__builtin_popcount(registers);
    const bool pc_first = kind == CAIRN_TRANSFER_LOAD &&
                          (draft->order & CAIRN_TRANSFERS_PC_FIRST) != 0 &&
                          (registers >> CAIRN_REG_PC & 1) != 0;
    unsigned index = 0;

    if (count == 0) { /* unpredictable; some cores transfer PC alone */
        cairn_transfers_unknown(draft);
        return;
    }
    if (pc_first)
        add_word(draft, kind, count - 1, CAIRN_REG_PC);
    for (uint32_t number = 0; number < REGISTERS; number++)
        if ((registers >> number & 1) && !(pc_first && number == CAIRN_REG_PC))
            add_word(draft, kind, index++, number);
}

void cairn_transfers_swap(struct cairn_transfer_draft *draft, uint8_t size, uint32_t loaded,
                          uint32_t stored)
{
    if (draft->order & CAIRN_TRANSFERS_STORE_FIRST)
        cairn_transfers_core(draft, CAIRN_TRANSFER_STORE, size, stored);
    cairn_transfers_core(draft, CAIRN_TRANSFER_LOAD, size, loaded);
    if (!(draft->order & CAIRN_TRANSFERS_STORE_FIRST))
        cairn_transfers_core(draft, CAIRN_TRANSFER_STORE, size, stored);
}

static const struct cairn_transfer psr_above = {
    .size = CAIRN_WORD, .offset = CAIRN_WORD, .file = CAIRN_REGISTER_PSR};

void cairn_transfers_rfe(struct cairn_transfer_draft *draft)
{
    struct cairn_transfer psr = psr_above;

    psr.kind = CAIRN_TRANSFER_LOAD;
    if (draft->order & CAIRN_TRANSFERS_PSR_FIRST)
        cairn_transfers_add(draft, psr);
    cairn_transfers_core(draft, CAIRN_TRANSFER_LOAD, CAIRN_WORD, CAIRN_REG_PC);
    if (!(draft->order & CAIRN_TRANSFERS_PSR_FIRST))
        cairn_transfers_add(draft, psr);
}

void cairn_transfers_srs(struct cairn_transfer_draft *draft)
{
    struct cairn_transfer psr = psr_above;

    psr.kind = CAIRN_TRANSFER_STORE;
    cairn_transfers_core(draft, CAIRN_TRANSFER_STORE, CAIRN_WORD, REG_LR);
    cairn_transfers_add(draft, psr);
}

void cairn_insn_transfers(const struct cairn_arch *arch, enum cairn_isa isa,
                          const struct cairn_insn *insn, uint32_t order,
                          struct cairn_transfers *transfers)
{
    struct cairn_transfer_draft draft = {.arch = arch, .order = order, .out = transfers};

    transfers->flags = 0;
    transfers->count = 0;
    transfers->coprocessor = 0;
    if (isa == CAIRN_ISA_A32)
        cairn_a32_list(&draft, insn);
    else if (isa == CAIRN_ISA_T32 && insn->size == CAIRN_HALFWORD)
        cairn_t16_list(&draft, insn);
    else if (isa == CAIRN_ISA_T32)
        cairn_t32_list(&draft, insn);
    else if (insn->flags & MEMORY)
        cairn_transfers_unknown(&draft);
}
