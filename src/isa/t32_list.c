/* SPDX-License-Identifier: BSD-2-Clause */
/* The transfers of T32 instructions (DDI0406 A6, DDI0487 F3.1), as in a32_list.c. */
#include "isa/transfer_list.h"

enum { REG_LR = 14 };

#define CLREX 0xf3bf8f2fu

/* Bits 31:27, or 31:28, of the 16-bit loads and stores. */
enum {
    T16_LITERAL = 0x4,
    T16_REGISTER_OFFSET = 0x5,
    T16_WORD = 0x6,
    T16_BYTE = 0x7,
    T16_HALFWORD = 0x8,
    T16_FROM_SP = 0x9,
    T16_PUSH_POP = 0xb,
};

/* Bits 7:4 of the exclusives other than LDREX and STREX; bits 1:0 are the size in all of them. */
enum { OP3_TABLE = 0x0, OP3_TABLE_HALFWORD = 0x1, OP3_FIRST_EXCLUSIVE = 0x4 };
enum { OP3_BYTE = 0, OP3_HALFWORD = 1, OP3_WORD = 2, OP3_DOUBLEWORD = 3 };

static const uint8_t log_sizes[] = {CAIRN_BYTE, CAIRN_HALFWORD, CAIRN_WORD};

/* By bits 11:9. */
static void t16_register_offset(struct cairn_transfer_draft *draft, uint32_t op)
{
    static const uint8_t sizes[] = {CAIRN_WORD, CAIRN_HALFWORD, CAIRN_BYTE, CAIRN_BYTE,
                                    CAIRN_WORD, CAIRN_HALFWORD, CAIRN_BYTE, CAIRN_HALFWORD};
    const uint32_t form = cairn_bits(op, 9, 3);

    cairn_transfers_core(draft, cairn_memory_kind(form >= 3), sizes[form], cairn_bits(op, 0, 3));
}

static void t16_push_pop(struct cairn_transfer_draft *draft, uint32_t op)
{
    const uint32_t load = cairn_bits(op, 11, 1);
    const uint32_t extra = cairn_bits(op, 8, 1) << (load ? CAIRN_REG_PC : REG_LR);

    cairn_transfers_multiple(draft, cairn_memory_kind(load), cairn_bits(op, 0, 8) | extra);
}

void cairn_t16_list(struct cairn_transfer_draft *draft, const struct cairn_insn *insn)
{
    const uint32_t op = insn->opcode;
    const uint8_t kind = cairn_memory_kind(cairn_bits(op, 11, 1));
    const uint32_t low = cairn_bits(op, 0, 3);
    const uint32_t high = cairn_bits(op, 8, 3);

    if (!(insn->flags & (CAIRN_INSN_LOAD | CAIRN_INSN_STORE)))
        return;
    switch (op >> 12) {
    case T16_LITERAL:
    case T16_FROM_SP: cairn_transfers_core(draft, kind, CAIRN_WORD, high); return;
    case T16_REGISTER_OFFSET: t16_register_offset(draft, op); return;
    case T16_WORD: cairn_transfers_core(draft, kind, CAIRN_WORD, low); return;
    case T16_BYTE: cairn_transfers_core(draft, kind, CAIRN_BYTE, low); return;
    case T16_HALFWORD: cairn_transfers_core(draft, kind, CAIRN_HALFWORD, low); return;
    case T16_PUSH_POP: t16_push_pop(draft, op); return;
    default: cairn_transfers_multiple(draft, kind, cairn_bits(op, 0, 8)); return;
    }
}

static void multiple(struct cairn_transfer_draft *draft, uint32_t word)
{
    const bool load = cairn_bits(word, 20, 1) != 0;
    const bool is_list = cairn_bits(word, 24, 1) != cairn_bits(word, 23, 1);

    if (is_list)
        cairn_transfers_multiple(draft, cairn_memory_kind(load), word & 0xffffu);
    else if (load)
        cairn_transfers_rfe(draft);
    else
        cairn_transfers_srs(draft);
}

static void table(struct cairn_transfer_draft *draft, uint8_t size)
{
    cairn_transfers_add(draft, (struct cairn_transfer){.kind = CAIRN_TRANSFER_LOAD,
                                                       .size = size,
                                                       .file = CAIRN_REGISTER_NONE});
}

/* Bits 24:23 01 and 21 clear. */
static void table_or_exclusive(struct cairn_transfer_draft *draft, uint32_t word)
{
    const uint32_t load = cairn_bits(word, 20, 1);
    const uint32_t op3 = cairn_bits(word, 4, 4);
    const uint8_t kind = cairn_memory_kind(load);
    const uint32_t size = op3 & 3;

    if (op3 < OP3_FIRST_EXCLUSIVE) {
        if (load && op3 <= OP3_TABLE_HALFWORD)
            table(draft, op3 == OP3_TABLE ? CAIRN_BYTE : CAIRN_HALFWORD);
        else
            cairn_transfers_unknown(draft);
    } else if (size == OP3_DOUBLEWORD) {
        cairn_transfers_pair(draft, kind, cairn_bits(word, 12, 4), cairn_bits(word, 8, 4));
    } else {
        cairn_transfers_core(draft, kind, log_sizes[size], cairn_bits(word, 12, 4));
    }
}

static void dual_or_exclusive(struct cairn_transfer_draft *draft, uint32_t word)
{
    const uint8_t kind = cairn_memory_kind(cairn_bits(word, 20, 1));
    const uint32_t rt = cairn_bits(word, 12, 4);

    if (cairn_bits(word, 24, 1) || cairn_bits(word, 21, 1))
        cairn_transfers_pair(draft, kind, rt, cairn_bits(word, 8, 4));
    else if (cairn_bits(word, 23, 1))
        table_or_exclusive(draft, word);
    else
        cairn_transfers_core(draft, kind, CAIRN_WORD, rt);
}

/* Bits 31:25 1111100. */
static void single_or_elements(struct cairn_transfer_draft *draft, uint32_t word)
{
    const uint32_t load = cairn_bits(word, 20, 1);
    const uint32_t size = cairn_bits(word, 21, 2);

    if (!load && cairn_bits(word, 24, 1))
        cairn_element_transfers(draft, word);
    else if (size > 2)
        cairn_transfers_unknown(draft);
    else
        cairn_transfers_core(draft, cairn_memory_kind(load), log_sizes[size],
                             cairn_bits(word, 12, 4));
}

static void memory(struct cairn_transfer_draft *draft, uint32_t word)
{
    switch (word >> 25) {
    case 0x74:
        if (cairn_bits(word, 22, 1))
            dual_or_exclusive(draft, word);
        else
            multiple(draft, word);
        return;
    case 0x7c: single_or_elements(draft, word); return;
    default: cairn_coprocessor_memory(draft, word); return;
    }
}

void cairn_t32_list(struct cairn_transfer_draft *draft, const struct cairn_insn *insn)
{
    if (insn->flags & (CAIRN_INSN_LOAD | CAIRN_INSN_STORE))
        memory(draft, insn->opcode);
    else if (insn->opcode == CLREX)
        cairn_transfers_unknown(draft);
    else if (insn->opcode >> 29 == 7)
        cairn_coprocessor_register(draft, insn->opcode);
}
