/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory -> instruction blocks (DDI0608 D6.6.4). */
#include "unit/model.h"

/* Between core registers and a coprocessor. */
static bool is_move(const struct cairn_unit *unit, enum cairn_isa isa,
                    const struct cairn_insn *insn)
{
    struct cairn_transfers transfers;

    cairn_insn_transfers(&unit->arch, isa, insn, 0, &transfers);
    return transfers.count > 0;
}

/* Whether a feed has something to tell about the instruction, and so of nothing behind it. Which
 * T32 instructions have a condition depends on an IT instruction that may lie before the block. */
static bool is_end(const struct cairn_unit *unit, enum cairn_isa isa, const struct cairn_insn *insn)
{
    if ((unit->p0_kinds >> insn->kind) & 1u)
        return true;
    if ((unit->block_ends & CAIRN_BLOCK_ENDS_CONDITION) &&
        (isa == CAIRN_ISA_T32 || insn->cond != CAIRN_COND_AL))
        return true;
    if ((unit->block_ends & CAIRN_BLOCK_ENDS_TRANSFER) &&
        (insn->flags & (CAIRN_INSN_LOAD | CAIRN_INSN_STORE)))
        return true;
    return (unit->block_ends & CAIRN_BLOCK_ENDS_MOVE) && is_move(unit, isa, insn);
}

size_t cairn_unit_scan(const struct cairn_unit *unit, enum cairn_isa isa, uint64_t address,
                       const uint8_t *bytes, size_t size, struct cairn_block *block)
{
    struct cairn_insn insn;
    size_t at = 0;

    *block = (struct cairn_block){.address = address, .isa = (uint8_t)isa};
    while (block->size <= UINT32_MAX - sizeof insn.opcode) {
        const uint64_t here = isa == CAIRN_ISA_A64 ? address + at : (address + at) & UINT32_MAX;
        const unsigned length =
            cairn_insn_decode(&unit->arch, isa, here, bytes + at, size - at, &insn);

        if (length == 0)
            break;
        at += length;
        block->size = (uint32_t)at;
        block->count++;
        block->last_size = insn.size;
        if (!is_end(unit, isa, &insn))
            continue;
        block->kind = insn.kind;
        block->flags = insn.flags;
        if (insn.kind == CAIRN_INSN_BRANCH_DIRECT) {
            block->target = insn.target;
            block->target_isa = insn.target_isa;
        }
        break;
    }
    return at;
}
