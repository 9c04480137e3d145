/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/totals.h"

#include <stdlib.h>
#include <string.h>

/* In the counter of a path that tells something. */
#define TELLING (UINT64_C(1) << 63)

enum { FIRST_CAPACITY = 4096 };

void cairn_totals_free(struct cairn_totals *totals)
{
    free(totals->units);
    *totals = (struct cairn_totals){0};
}

static bool tells(const struct cairn_code_block *block, bool taken)
{
    return block->flags & CAIRN_BLOCK_UNDEFINED || (!taken && block->flags & CAIRN_BLOCK_NEVER_N);
}

static uint64_t mark_of(const struct cairn_path *path, const struct cairn_code_block *blocks,
                        const uint32_t *steps)
{
    for (uint32_t i = 0; i < path->steps; i++) {
        const uint32_t step = steps[path->first + i];
        if (tells(&blocks[step >> 1], step & 1))
            return TELLING;
    }
    return 0;
}

/* Begins the counters of paths that are new. */
static cairn_status learn(struct cairn_totals *totals, const struct cairn_dictionary *dictionary)
{
    size_t count, unused;
    const struct cairn_path *paths = cairn_dictionary_paths(dictionary, &count);

    if (count <= totals->known)
        return CAIRN_OK;
    if (count > totals->capacity) {
        size_t capacity = totals->capacity ? totals->capacity : FIRST_CAPACITY;
        while (capacity < count)
            capacity *= 2;
        uint64_t *grown = realloc(totals->units, capacity * sizeof *grown);
        if (!grown)
            return CAIRN_E_MEMORY;
        totals->units = grown;
        totals->capacity = capacity;
    }
    const struct cairn_code_block *blocks = cairn_dictionary_blocks(dictionary, &unused);
    const uint32_t *steps = cairn_dictionary_steps(dictionary, &unused);
    if (!totals->known) /* path 0 is none */
        totals->units[totals->known++] = 0;
    for (; totals->known < count; totals->known++)
        totals->units[totals->known] = mark_of(&paths[totals->known], blocks, steps);
    return CAIRN_OK;
}

cairn_status cairn_totals_add(struct cairn_totals *totals, const struct cairn_word_batch *batch,
                              bool *telling)
{
    uint64_t marks = 0;
    cairn_status status = learn(totals, batch->dictionary);

    if (status)
        return status;
    for (size_t i = 0; i < batch->count; i++)
        marks |= totals->units[batch->path[i] & ~CAIRN_WORD_INFERRED]++;
    *telling = marks & TELLING;
    return CAIRN_OK;
}

size_t cairn_totals_telling(const struct cairn_totals *totals, const struct cairn_word_batch *batch,
                            size_t unit)
{
    while (unit < batch->count &&
           !(totals->units[batch->path[unit] & ~CAIRN_WORD_INFERRED] & TELLING))
        unit++;
    return unit;
}

/* One path, `times` times. */
static void add_path(struct cairn_summary *summary, const struct cairn_path *path, uint64_t times,
                     const struct cairn_code_block *blocks, const uint32_t *steps)
{
    for (uint32_t i = 0; i < path->steps; i++) {
        const uint32_t step = steps[path->first + i];
        const struct cairn_code_block *block = &blocks[step >> 1];
        if (step & 1 && block->flags & CAIRN_BLOCK_ERET)
            summary->records[CAIRN_FLOW_EXCEPTION_RETURN] += times;
        if (!block->instructions)
            continue;
        summary->records[CAIRN_FLOW_RANGE] += times;
        summary->instructions += times * block->instructions;
        if (!(block->flags & CAIRN_BLOCK_P0))
            continue;
        if (step & 1)
            summary->taken += times;
        else
            summary->not_taken += times;
    }
}

static void add_paths(const struct cairn_totals *totals, const struct cairn_dictionary *dictionary,
                      struct cairn_summary *summary)
{
    size_t unused;
    const struct cairn_path *paths = cairn_dictionary_paths(dictionary, &unused);
    const struct cairn_code_block *blocks = cairn_dictionary_blocks(dictionary, &unused);
    const uint32_t *steps = cairn_dictionary_steps(dictionary, &unused);

    for (size_t i = 1; i < totals->known; i++)
        if (totals->units[i] && !(totals->units[i] & TELLING))
            add_path(summary, &paths[i], totals->units[i], blocks, steps);
}

void cairn_totals_turn(struct cairn_totals *totals, const struct cairn_dictionary *dictionary)
{
    add_paths(totals, dictionary, &totals->summary);
    totals->known = 0;
}

void cairn_totals_sum(const struct cairn_totals *totals, const struct cairn_dictionary *dictionary,
                      struct cairn_summary *summary)
{
    cairn_summary_join(summary, &totals->summary);
    if (dictionary)
        add_paths(totals, dictionary, summary);
}
