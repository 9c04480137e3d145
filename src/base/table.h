/* SPDX-License-Identifier: BSD-2-Clause */
/* Items of a list, found by a hash of what they are. The list is the caller's, and so is the look whether an item
 * with the hash is the one that is wanted:
 *
 *     at = cairn_table_begin(&table, hash);
 *     while ((item = cairn_table_next(&table, hash, &at)) != CAIRN_TABLE_NONE)
 *         if (is it list[item]) ...
 *
 * All zero: empty. */
#ifndef CAIRN_BASE_TABLE_H
#define CAIRN_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

#include "base/golden.h"

#define CAIRN_TABLE_NONE UINT32_MAX

struct cairn_table_slot {
    uint32_t hash;
    uint32_t item; /* and 1; 0: free */
};

struct cairn_table {
    struct cairn_table_slot *slots;
    unsigned bits; /* 0: there are no slots yet */
    size_t used;   /* at most half of them */
};

static inline uint32_t cairn_table_hash(uint64_t one, uint64_t other)
{
    const uint64_t mixed = (one ^ (other * CAIRN_GOLDEN >> 7 | other << 57)) * CAIRN_GOLDEN;

    return (uint32_t)(mixed >> 32);
}

static inline size_t cairn_table_begin(const struct cairn_table *table, uint32_t hash)
{
    return table->bits ? hash >> (32 - table->bits) : 0;
}

/* An item with that hash, from *at on, which moves behind it; NONE: there is no more. */
static inline uint32_t cairn_table_next(const struct cairn_table *table, uint32_t hash, size_t *at)
{
    const size_t mask = ((size_t)1 << table->bits) - 1;

    if (!table->bits)
        return CAIRN_TABLE_NONE;
    while (table->slots[*at].item) {
        const struct cairn_table_slot *const slot = &table->slots[*at];

        *at = (*at + 1) & mask;
        if (slot->hash == hash)
            return slot->item - 1;
    }
    return CAIRN_TABLE_NONE;
}

/* Adds an item that is not in it. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_table_add(struct cairn_table *table, uint32_t hash,
                                              uint32_t item);
void cairn_table_clear(struct cairn_table *table);

#endif
