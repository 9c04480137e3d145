/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/table.h"

#include <stdlib.h>

#define BITS_FIRST 8u
#define BITS_MOST 31u

static void put(struct cairn_table *table, uint32_t hash, uint32_t item)
{
    const size_t mask = ((size_t)1 << table->bits) - 1;
    size_t at = cairn_table_begin(table, hash);

    while (table->slots[at].item)
        at = (at + 1) & mask;
    table->slots[at] = (struct cairn_table_slot){.hash = hash, .item = item + 1};
}

static cairn_status grow(struct cairn_table *table)
{
    struct cairn_table grown = {.bits = table->bits ? table->bits + 1 : BITS_FIRST,
                                .used = table->used};
    const size_t size = table->bits ? (size_t)1 << table->bits : 0;

    if (grown.bits > BITS_MOST)
        return CAIRN_E_MEMORY;
    grown.slots = calloc((size_t)1 << grown.bits, sizeof *grown.slots);
    if (!grown.slots)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < size; i++)
        if (table->slots[i].item)
            put(&grown, table->slots[i].hash, table->slots[i].item - 1);
    free(table->slots);
    *table = grown;
    return CAIRN_OK;
}

cairn_status cairn_table_add(struct cairn_table *table, uint32_t hash, uint32_t item)
{
    if (!table->bits || table->used >= (size_t)1 << (table->bits - 1)) {
        const cairn_status status = grow(table);

        if (status)
            return status;
    }
    put(table, hash, item);
    table->used++;
    return CAIRN_OK;
}

void cairn_table_clear(struct cairn_table *table)
{
    free(table->slots);
    *table = (struct cairn_table){0};
}
