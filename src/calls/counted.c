/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls/counted.h"

#include <stdlib.h>
#include <string.h>

#include "base/golden.h"
#include "base/pages.h"

enum { FIRST_BITS = 12, FIRST_CAPACITY = 1024 };

void cairn_block_counts_free(struct cairn_block_counts *counted)
{
    free(counted->list);
    free(counted->slots);
    *counted = (struct cairn_block_counts){0};
}

/* An entry's number in its slot, and bits of its hash that tell most others apart without looking at them. */
#define ENTRY_BITS 24
#define ENTRY_MASK ((UINT32_C(1) << ENTRY_BITS) - 1)
_Static_assert(CAIRN_BLOCK_COUNTS_MAX <= ENTRY_MASK + 1, "the numbers of entries");

static uint64_t hash_of(uint64_t address, uint64_t end, uint32_t function, uint64_t memory)
{
    const uint64_t mixed = (address ^ end << 32 ^ memory) * CAIRN_GOLDEN;

    return (mixed ^ mixed >> 32 ^ function) * CAIRN_GOLDEN;
}

static uint32_t mark_of(uint64_t hash)
{
    return (uint32_t)(hash >> 8) & ~ENTRY_MASK;
}

/* Where a block is looked for first. Blocks near each other are executed one behind the other, so that the slots of those
 * that begin in 64 bytes of code are in one line of the cache. */
static uint32_t slot_of(uint64_t address, unsigned bits)
{
    const uint64_t line = (address >> 6) * CAIRN_GOLDEN;

    return ((uint32_t)(line >> (64 - bits)) & ~15u) | (address >> 2 & 15u);
}

static cairn_status rehash(struct cairn_block_counts *counted)
{
    const unsigned bits = counted->bits ? counted->bits + 1 : FIRST_BITS;
    uint32_t *slots = aligned_alloc(64, sizeof *slots << bits);

    if (!slots)
        return CAIRN_E_MEMORY;
    memset(slots, 0, sizeof *slots << bits);
    for (uint32_t i = 1; i < counted->count; i++) {
        const struct cairn_block_count *one = &counted->list[i];
        const uint64_t hash =
            hash_of(one->block.address, one->block.end, one->function, one->memory);
        uint32_t at = slot_of(one->block.address, bits);

        while (slots[at])
            at = (at + 1) & ((1u << bits) - 1);
        slots[at] = mark_of(hash) | i;
    }
    free(counted->slots);
    counted->slots = slots;
    counted->bits = bits;
    return CAIRN_OK;
}

static cairn_status make_room(struct cairn_block_counts *counted)
{
    if (counted->count >= counted->capacity) {
        const uint32_t capacity = counted->capacity ? counted->capacity * 2 : FIRST_CAPACITY;

        if (counted->count >= CAIRN_BLOCK_COUNTS_MAX)
            return CAIRN_E_LIMIT;
        struct cairn_block_count *grown = cairn_pages_grow(
            counted->list, counted->count * sizeof *grown, (size_t)capacity * sizeof *grown);
        if (!grown)
            return CAIRN_E_MEMORY;
        counted->list = grown;
        counted->capacity = capacity;
    }
    if (counted->count == 0)
        counted->list[counted->count++] = (struct cairn_block_count){0};
    if (counted->bits == 0 || counted->count * 2 > 1u << counted->bits)
        return rehash(counted);
    return CAIRN_OK;
}

/* What tells blocks apart: of the rest a record without a path tells less. */
#define SAME_FLAGS (CAIRN_BLOCK_P0 | CAIRN_BLOCK_BRANCH | CAIRN_BLOCK_INDIRECT)

static bool is_same(const struct cairn_block_count *one, const struct cairn_code_block *block,
                    uint32_t function, uint64_t memory)
{
    return one->block.address == block->address && one->block.end == block->end &&
           one->function == function && one->memory == memory && one->block.isa == block->isa &&
           one->block.instructions == block->instructions &&
           ((one->block.flags ^ block->flags) & SAME_FLAGS) == 0;
}

cairn_status cairn_block_counts_find(struct cairn_block_counts *counted,
                                     const struct cairn_code_block *block, uint32_t function,
                                     uint64_t memory, uint32_t *entry)
{
    cairn_status status = make_room(counted);

    if (status)
        return status;
    const uint64_t hash = hash_of(block->address, block->end, function, memory);
    const uint32_t mark = mark_of(hash);
    uint32_t at = slot_of(block->address, counted->bits);
    for (; counted->slots[at]; at = (at + 1) & ((1u << counted->bits) - 1)) {
        const uint32_t found = counted->slots[at] & ENTRY_MASK;

        if ((counted->slots[at] & ~ENTRY_MASK) == mark &&
            is_same(&counted->list[found], block, function, memory)) {
            *entry = found;
            return CAIRN_OK;
        }
    }
    counted->list[counted->count] =
        (struct cairn_block_count){.block = *block, .function = function, .memory = memory};
    counted->slots[at] = mark | counted->count;
    *entry = counted->count++;
    return CAIRN_OK;
}
