/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/dictionary.h"

#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_CAPACITY = 1024,
    WORD_BITS = 64,
    FRACTION = 8,
    T32_NARROW = 2, /* bytes of an instruction */
    T32_WIDE = 4,
};

void cairn_dictionary_init(struct cairn_dictionary *dictionary, uint64_t limit, bool counting)
{
    memset(dictionary, 0, sizeof *dictionary);
    dictionary->limit = limit;
    dictionary->counting = counting;
    dictionary->path_count = 1;
    dictionary->block_count = 1;
    dictionary->size_count = 1;
    dictionary->generation = 1;
}

void cairn_dictionary_release(struct cairn_dictionary *dictionary)
{
    free(dictionary->paths);
    free(dictionary->counts);
    free(dictionary->steps);
    free(dictionary->blocks);
    free(dictionary->more);
    free(dictionary->links);
    free(dictionary->sizes);
}

void cairn_dictionary_clear(struct cairn_dictionary *dictionary, bool keep_blocks)
{
    if (dictionary->counts)
        memset(dictionary->counts, 0, dictionary->path_count * sizeof *dictionary->counts);
    dictionary->path_count = 1;
    dictionary->step_count = 0;
    dictionary->generation++;
    dictionary->full = false;
    dictionary->size_noted = 0;
    if (keep_blocks)
        return;
    dictionary->block_count = 1;
    dictionary->size_count = 1;
    dictionary->uneven = false;
}

uint64_t cairn_dictionary_block_bytes(const struct cairn_dictionary *dictionary)
{
    return dictionary->block_count * (sizeof *dictionary->blocks + sizeof *dictionary->more +
                                      sizeof *dictionary->links + sizeof(uint64_t)) +
           dictionary->size_count * sizeof *dictionary->sizes;
}

bool cairn_dictionary_grow(struct cairn_dictionary *dictionary, uint64_t bytes)
{
    if (dictionary->limit - dictionary->bytes < bytes) {
        dictionary->full = true;
        return false;
    }
    dictionary->bytes += bytes;
    return true;
}

/* Makes *array of `from` entries one of `to`; the new ones are zero. */
static bool enlarge(struct cairn_dictionary *dictionary, void *array, uint32_t from, uint32_t to,
                    size_t size)
{
    void **at = array;
    void *made;

    if (!cairn_dictionary_grow(dictionary, (uint64_t)(to - from) * size))
        return false;
    made = cairn_pages_grow(*at, from * size, to * size);
    if (!made) {
        dictionary->bytes -= (uint64_t)(to - from) * size;
        dictionary->full = true;
        return false;
    }
    memset((char *)made + from * size, 0, (to - from) * size);
    *at = made;
    return true;
}

/* The next capacity of arrays whose entries have `size` bytes together: near the limit it is not
 * twice the last one. */
static uint32_t more_than(const struct cairn_dictionary *dictionary, uint32_t capacity, size_t size)
{
    const uint64_t left = dictionary->limit - dictionary->bytes;

    if (capacity == 0)
        return FIRST_CAPACITY;
    return left / size >= capacity ? capacity * 2 : capacity + capacity / FRACTION;
}

bool cairn_dictionary_note_size(struct cairn_dictionary *dictionary, uint32_t n, unsigned size)
{
    const uint32_t word = dictionary->size_count + n / WORD_BITS;

    if (word >= dictionary->size_capacity) {
        const uint32_t from = dictionary->size_capacity;
        const uint32_t to = more_than(dictionary, from, sizeof *dictionary->sizes);

        if (!enlarge(dictionary, &dictionary->sizes, from, to, sizeof *dictionary->sizes))
            return false;
        dictionary->size_capacity = to;
    }
    if (n % WORD_BITS == 0)
        dictionary->sizes[word] = 0;
    dictionary->sizes[word] |= (uint64_t)(size == T32_WIDE) << n % WORD_BITS;
    dictionary->size_noted = n + 1;
    return true;
}

/* Where the sizes that were noted for a block stay: nowhere when they are all alike. */
static uint32_t keep_sizes(struct cairn_dictionary *dictionary,
                           const struct cairn_code_block *block)
{
    const uint32_t count = block->instructions;
    const uint32_t length = (uint32_t)(block->end - block->address);
    const bool noted = count > 0 && dictionary->size_noted == count;
    const uint32_t at = dictionary->size_count;

    dictionary->size_noted = 0;
    if (block->isa != CAIRN_ISA_T32 || !noted || length == count * T32_NARROW ||
        length == count * T32_WIDE)
        return 0;
    dictionary->size_count += (count + WORD_BITS - 1) / WORD_BITS;
    return at;
}

uint32_t cairn_dictionary_add_block(struct cairn_dictionary *dictionary,
                                    const struct cairn_code_block *block,
                                    const struct cairn_block_more *more)
{
    const uint32_t id = dictionary->block_count;

    if (id >= dictionary->block_capacity) {
        const uint32_t from = dictionary->block_capacity;
        const uint32_t to = more_than(dictionary, from,
                                      sizeof *dictionary->blocks + sizeof *dictionary->more +
                                          sizeof *dictionary->links);

        if (!enlarge(dictionary, &dictionary->blocks, from, to, sizeof *dictionary->blocks) ||
            !enlarge(dictionary, &dictionary->more, from, to, sizeof *dictionary->more) ||
            !enlarge(dictionary, &dictionary->links, from, to, sizeof *dictionary->links))
            return 0;
        dictionary->block_capacity = to;
    }
    dictionary->blocks[id] = *block;
    dictionary->more[id] = *more;
    dictionary->links[id] = (struct cairn_block_link){
        .next = {0, (block->flags & CAIRN_BLOCK_INDIRECT) ? CAIRN_LINK_NEED : 0},
        .instructions = block->instructions,
        .flags = block->flags};
    dictionary->more[id].sizes = keep_sizes(dictionary, block);
    if (block->isa == CAIRN_ISA_T32 || (block->isa != CAIRN_ISA_A64 && block->end < block->address))
        dictionary->uneven = true;
    dictionary->block_count++;
    return id;
}

static bool has_room(struct cairn_dictionary *dictionary, uint32_t steps)
{
    if (dictionary->path_count >= dictionary->path_capacity) {
        const uint32_t from = dictionary->path_capacity;
        const uint32_t to =
            more_than(dictionary, from, sizeof *dictionary->paths + sizeof *dictionary->counts);

        if (to >= CAIRN_WORD_INFERRED) {
            dictionary->full = true;
            return false;
        }
        if (dictionary->counting &&
            !enlarge(dictionary, &dictionary->counts, from, to, sizeof *dictionary->counts))
            return false;
        if (!enlarge(dictionary, &dictionary->paths, from, to, sizeof *dictionary->paths))
            return false;
        dictionary->path_capacity = to;
    }
    if (dictionary->step_count + steps + CAIRN_PATH_STEPS_MAX > dictionary->step_capacity) {
        const uint32_t from = dictionary->step_capacity;
        const uint32_t to = more_than(dictionary, from, sizeof *dictionary->steps);

        if (to < from ||
            !enlarge(dictionary, &dictionary->steps, from, to, sizeof *dictionary->steps))
            return false;
        dictionary->step_capacity = to;
    }
    return true;
}

uint32_t cairn_dictionary_add_path(struct cairn_dictionary *dictionary, enum cairn_path_kind kind,
                                   uint64_t word, const uint32_t *steps, uint32_t count)
{
    struct cairn_path *path;

    if (!has_room(dictionary, count))
        return 0;
    path = &dictionary->paths[dictionary->path_count];
    *path = (struct cairn_path){
        .atoms = word, .first = dictionary->step_count, .steps = count, .kind = kind};
    for (uint32_t i = 0; i < count; i++) {
        dictionary->steps[dictionary->step_count + i] = steps[i];
        path->instructions += dictionary->links[steps[i] >> 1].instructions;
    }
    dictionary->step_count += count;
    return dictionary->path_count++;
}

const struct cairn_path *cairn_dictionary_paths(const struct cairn_dictionary *dictionary,
                                                size_t *count)
{
    *count = dictionary->path_count;
    return dictionary->paths;
}

const struct cairn_code_block *cairn_dictionary_blocks(const struct cairn_dictionary *dictionary,
                                                       size_t *count)
{
    *count = dictionary->block_count;
    return dictionary->blocks;
}

const uint32_t *cairn_dictionary_steps(const struct cairn_dictionary *dictionary, size_t *count)
{
    *count = dictionary->step_count;
    return dictionary->steps;
}

uint64_t cairn_dictionary_undefined(const struct cairn_dictionary *dictionary, uint32_t block)
{
    return dictionary->more[block].undefined_at;
}

const uint64_t *cairn_dictionary_counts(const struct cairn_dictionary *dictionary, size_t *count)
{
    if (dictionary->flush)
        dictionary->flush(dictionary->owner);
    *count = dictionary->path_count;
    return dictionary->counts;
}
