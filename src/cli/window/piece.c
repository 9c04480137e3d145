/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/window/piece.h"

#define SIZE 4u /* of an instruction of A64 and A32 */

/* What flags say of a range's first instruction, and of its last. */
#define OF_FIRST (CAIRN_FLOW_INFERRED | CAIRN_FLOW_DISCONTINUITY)
#define OF_LAST                                                                                    \
    (CAIRN_FLOW_P0 | CAIRN_FLOW_TAKEN | CAIRN_FLOW_UNKNOWN | CAIRN_FLOW_TRANSACTION |              \
     CAIRN_FLOW_IMPRECISE | CAIRN_FLOW_LINK | CAIRN_FLOW_RETURN | CAIRN_FLOW_TRANSFER)

struct cli_piece cli_piece_of(const struct cairn_flow_batch *batch, size_t index)
{
    return (struct cli_piece){
        .kind = batch->kind[index],
        .isa = batch->isa[index],
        .flags = batch->flags[index],
        .instructions = batch->instructions[index],
        .offset = batch->offset[index],
        .length = batch->length[index],
        .address = batch->address[index],
        .value = batch->value[index],
    };
}

struct cairn_flow_batch cli_piece_batch(struct cli_piece *piece)
{
    return (struct cairn_flow_batch){
        .size = sizeof(struct cairn_flow_batch),
        .capacity = 1,
        .count = 1,
        .kind = &piece->kind,
        .isa = &piece->isa,
        .flags = &piece->flags,
        .instructions = &piece->instructions,
        .offset = &piece->offset,
        .length = &piece->length,
        .address = &piece->address,
        .value = &piece->value,
    };
}

void cli_piece_select(const struct cli_piece *piece, struct cairn_code *code)
{
    if (piece->has_context)
        cairn_code_context(code, piece->context_address, piece->context_value);
    cairn_code_select(code, piece->offset);
}

/* Addresses of A32 and T32 have 32 bits. */
static uint64_t wrapped(const struct cli_piece *range, uint64_t address)
{
    return range->isa == CAIRN_ISA_A64 ? address : address & UINT32_MAX;
}

uint64_t cli_piece_address(const struct cli_piece *range, struct cairn_code *code, uint32_t index)
{
    uint64_t address = range->address;

    if (index >= range->instructions)
        return range->value;
    if (range->isa != CAIRN_ISA_T32)
        return wrapped(range, address + (uint64_t)SIZE * index);
    for (uint32_t i = 0; i < index; i++)
        address = wrapped(range, address + cairn_code_size(code, CAIRN_ISA_T32, address));
    return address;
}

uint32_t cli_piece_before(const struct cli_piece *range, struct cairn_code *code, uint32_t first,
                          uint64_t at, uint64_t address)
{
    uint32_t count = first;

    if (address <= at)
        return first;
    if (range->isa != CAIRN_ISA_T32) {
        const uint64_t before = (address - at + SIZE - 1) / SIZE;
        return before < range->instructions - first ? first + (uint32_t)before
                                                    : range->instructions;
    }
    while (count < range->instructions && at < address) {
        at += cairn_code_size(code, CAIRN_ISA_T32, at);
        count++;
    }
    return count;
}

void cli_piece_cut(struct cli_piece *range, struct cairn_code *code, uint32_t first, uint32_t count)
{
    if (first == 0 && count >= range->instructions)
        return;
    const uint64_t address = cli_piece_address(range, code, first);
    const uint64_t end = cli_piece_address(range, code, first + count);
    unsigned flags = range->flags;

    if (first)
        flags &= ~(unsigned)OF_FIRST;
    if (first + count < range->instructions)
        flags &= ~(unsigned)OF_LAST;
    range->flags = (uint16_t)flags;
    range->address = address;
    range->value = end;
    range->instructions = count;
}
