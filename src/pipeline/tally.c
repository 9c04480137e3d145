/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/tally.h"

#include <stdlib.h>

/* In the counter of a path that tells something. */
#define TELLING (UINT64_C(1) << 63)

enum { FIRST_CAPACITY = 4096 };

void cairn_tally_free(struct cairn_tally *tally)
{
    free(tally->words);
    *tally = (struct cairn_tally){0};
}

static bool tells(const struct cairn_code_block *block, bool taken)
{
    return block->flags & CAIRN_BLOCK_UNDEFINED || (!taken && block->flags & CAIRN_BLOCK_NEVER_N);
}

static uint64_t mark_of(const struct cairn_tally *tally, const struct cairn_path *path,
                        const struct cairn_code_block *blocks, const uint32_t *steps)
{
    for (uint32_t i = 0; i < path->steps; i++) {
        const uint32_t step = steps[path->first + i];
        if (tells(&blocks[step >> 1], step & 1) ||
            (tally->wants && tally->wants(tally->context, &blocks[step >> 1])))
            return TELLING;
    }
    return 0;
}

/* Begins the counters of paths that are new. */
static cairn_status learn(struct cairn_tally *tally, const struct cairn_dictionary *dictionary)
{
    size_t count, unused;
    const struct cairn_path *paths = cairn_dictionary_paths(dictionary, &count);

    if (count <= tally->known)
        return CAIRN_OK;
    if (count > tally->capacity) {
        size_t capacity = tally->capacity ? tally->capacity : FIRST_CAPACITY;
        while (capacity < count)
            capacity *= 2;
        uint64_t *grown = realloc(tally->words, capacity * sizeof *grown);
        if (!grown)
            return CAIRN_E_MEMORY;
        tally->words = grown;
        tally->capacity = capacity;
    }
    const struct cairn_code_block *blocks = cairn_dictionary_blocks(dictionary, &unused);
    const uint32_t *steps = cairn_dictionary_steps(dictionary, &unused);
    if (!tally->known) /* path 0 is none */
        tally->words[tally->known++] = 0;
    for (; tally->known < count; tally->known++) {
        const uint64_t mark = mark_of(tally, &paths[tally->known], blocks, steps);

        tally->words[tally->known] = mark;
        tally->tells |= mark != 0;
    }
    return CAIRN_OK;
}

/* Returns the marks of all words together. */
static uint64_t count_words(uint64_t *words, const uint32_t *paths, size_t count)
{
    uint64_t marks = 0;

    for (size_t i = 0; i < count; i++)
        marks |= words[paths[i] & ~CAIRN_WORD_INFERRED]++;
    return marks;
}

cairn_status cairn_tally_add(struct cairn_tally *tally, const struct cairn_word_batch *batch,
                             bool *telling)
{
    const cairn_status status = learn(tally, batch->dictionary);

    if (status)
        return status;
    if (tally->counts)
        *telling = count_words(tally->words, batch->path, batch->count) & TELLING;
    else
        *telling = tally->tells && cairn_tally_telling(tally, batch, 0) < batch->count;
    return CAIRN_OK;
}

size_t cairn_tally_telling(const struct cairn_tally *tally, const struct cairn_word_batch *batch,
                           size_t word)
{
    while (word < batch->count &&
           !(tally->words[batch->path[word] & ~CAIRN_WORD_INFERRED] & TELLING))
        word++;
    return word;
}

void cairn_tally_close(struct cairn_tally *tally)
{
    for (size_t i = 0; i < tally->known; i++)
        if (tally->words[i] & TELLING)
            tally->words[i] = 0;
}

void cairn_tally_clear(struct cairn_tally *tally)
{
    tally->known = 0;
    tally->tells = false;
}
