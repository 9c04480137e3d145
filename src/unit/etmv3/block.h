/* SPDX-License-Identifier: BSD-2-Clause */
/* A block, instruction by instruction, as trace units take it that have an atom or a status of each
 * (ETMv1, ETMv3). */
#ifndef CAIRN_UNIT_ETMV3_BLOCK_H
#define CAIRN_UNIT_ETMV3_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "unit/etmv3/resources.h"

/* The place of instruction n of a block, and its size. Those of T32 are told one by one (or all of
 * them have 2 bytes, but the last). */
static inline struct cairn_etmv3_instruction
cairn_etmv3_block_instruction(const struct cairn_block *block, uint32_t n, bool passed)
{
    const uint8_t step = block->isa == CAIRN_ISA_T32 ? 2 : 4;
    const bool last = n + 1 >= block->count;
    const uint32_t address = (uint32_t)block->address;

    return (struct cairn_etmv3_instruction){
        .address = last ? address + block->size - block->last_size : address + n * step,
        .size = last ? block->last_size : step,
        .passed = !last || passed,
    };
}

/* How many there are. A feed's mistake makes no more instructions than there are bytes. */
static inline uint32_t cairn_etmv3_block_count(const struct cairn_block *block)
{
    const uint32_t most = block->size / (block->isa == CAIRN_ISA_T32 ? 2 : 4);

    if (block->count == 0 || most == 0)
        return 1;
    return block->count < most ? block->count : most;
}

#endif
