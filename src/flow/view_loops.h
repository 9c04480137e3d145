/* SPDX-License-Identifier: BSD-2-Clause */
/* The loops of the lists, which are inlined into functions built for different processors. Who
 * includes this defines VIEW_VECTOR, the bytes of a vector register there. */
#ifndef CAIRN_FLOW_VIEW_LOOPS_H
#define CAIRN_FLOW_VIEW_LOOPS_H

#include <string.h>

#include "flow/cursor.h"
#include "flow/dictionary.h"

#define CAIRN_VIEW_INLINE static inline __attribute__((always_inline))

enum {
    VIEW_STEPS = 16, /* copied at once; a copy may overrun by one less */
    VIEW_GROUP = 8,  /* addresses made at once, likewise */
    VIEW_LANES = VIEW_VECTOR / sizeof(uint64_t),
    VIEW_WORD = 64,  /* sizes in a word of the dictionary */
    VIEW_LONG = 512, /* long blocks in hand at once */
    T32_STRIDE = 2,
    NARROW_SHIFT = 1, /* instructions of two bytes, of four */
    WIDE_SHIFT = 2,
};

typedef uint64_t view_vector __attribute__((vector_size(VIEW_VECTOR)));

#define VIEW_BYTES UINT64_C(0x0101010101010101)

CAIRN_VIEW_INLINE const struct cairn_path *view_path(const struct cairn_word_batch *batch, size_t w)
{
    return &batch->dictionary->paths[batch->path[w] & ~CAIRN_WORD_INFERRED];
}

/* --- blocks --- */

CAIRN_VIEW_INLINE void copy_steps(uint32_t *to, const uint32_t *from)
{
    for (size_t i = 0; i < VIEW_STEPS; i += VIEW_VECTOR / sizeof *to) {
        view_vector part;

        memcpy(&part, from + i, sizeof part);
        memcpy(to + i, &part, sizeof part);
    }
}

/* The rest of the word in hand, as far as there is room. */
CAIRN_VIEW_INLINE size_t finish_unit(const struct cairn_word_batch *batch,
                                     struct cairn_word_cursor *cursor, uint32_t *steps,
                                     size_t capacity)
{
    const struct cairn_path *path = view_path(batch, cursor->word);
    const size_t left = path->steps - cursor->step;
    const size_t count = left < capacity ? left : capacity;

    if (count > 0)
        memcpy(steps, batch->dictionary->steps + path->first + cursor->step, count * sizeof *steps);
    cursor->step += count;
    if (cursor->step == path->steps) {
        cursor->step = 0;
        cursor->word++;
    }
    return count;
}

CAIRN_VIEW_INLINE size_t view_blocks(const struct cairn_word_batch *batch,
                                     struct cairn_word_cursor *cursor, uint32_t *steps,
                                     size_t capacity)
{
    const struct cairn_path *paths = batch->dictionary->paths;
    const uint32_t *all = batch->dictionary->steps;
    const uint32_t *ids = batch->path;
    const size_t words = batch->count;
    size_t count = 0;
    size_t w;

    if (cursor->step > 0 && cursor->word < words)
        count = finish_unit(batch, cursor, steps, capacity);
    if (cursor->step > 0)
        return count;
    for (w = cursor->word; w < words; w++) {
        const struct cairn_path *path = &paths[ids[w] & ~CAIRN_WORD_INFERRED];
        const uint32_t *from = all + path->first;
        const size_t n = path->steps;

        if (capacity - count < n + VIEW_STEPS)
            break;
        copy_steps(steps + count, from);
        for (size_t i = VIEW_STEPS; i < n; i += VIEW_STEPS)
            copy_steps(steps + count + i, from + i);
        count += n;
    }
    cursor->word = w;
    /* Too little room for a copy that overruns. */
    while (cursor->word < words && count < capacity)
        count += finish_unit(batch, cursor, steps + count, capacity - count);
    return count;
}

/* --- instructions --- */

/* The addresses of a block: evenly spaced, or by the sizes of its instructions. */
struct view_block {
    uint64_t address;
    uint64_t mask;
    unsigned shift;
    const uint64_t *sizes; /* NULL: evenly spaced */
    size_t count;
};

CAIRN_VIEW_INLINE struct view_block view_block(const struct cairn_dictionary *dictionary,
                                               uint32_t id)
{
    const struct cairn_code_block *block = &dictionary->blocks[id];
    struct view_block view = {.address = block->address,
                              .mask = block->isa == CAIRN_ISA_A64 ? UINT64_MAX : UINT32_MAX,
                              .shift = WIDE_SHIFT,
                              .count = block->instructions};

    if (block->isa == CAIRN_ISA_T32) {
        const uint32_t at = dictionary->more[id].sizes;

        if (at)
            view.sizes = dictionary->sizes + at;
        else if ((uint32_t)(block->end - block->address) == block->instructions * T32_STRIDE)
            view.shift = NARROW_SHIFT;
    }
    return view;
}

/* Byte i: how far the i-th of eight T32 instructions is from the first, bit i of `wide` saying that
 * it has four bytes. */
CAIRN_VIEW_INLINE uint64_t t32_offsets(uint64_t wide)
{
    const uint64_t each_its_bit = wide * VIEW_BYTES & UINT64_C(0x8040201008040201);
    const uint64_t ones = (each_its_bit + VIEW_BYTES * 0x7f) >> 7 & VIEW_BYTES;
    const uint64_t wide_before = ones * VIEW_BYTES << 8;

    return T32_STRIDE * (UINT64_C(0x0706050403020100) + wide_before);
}

/* Eight addresses, evenly spaced. */
CAIRN_VIEW_INLINE void put_group(uint64_t *to, uint64_t at, unsigned shift, uint64_t mask)
{
#if VIEW_VECTOR == 32
    const view_vector ramp = {0, 1, 2, 3};
#else
    const view_vector ramp = {0, 1};
#endif
    const view_vector first = at + (ramp << shift);

    for (unsigned i = 0; i < VIEW_GROUP; i += VIEW_LANES) {
        const view_vector part = (first + ((uint64_t)i << shift)) & mask;

        memcpy(to + i, &part, sizeof part);
    }
}

/* All of the block, in groups: up to seven entries behind it are overwritten. */
CAIRN_VIEW_INLINE void put_block(uint64_t *to, const struct view_block *view)
{
    uint64_t at = view->address;

    if (!view->sizes) {
        put_group(to, at, view->shift, view->mask);
        for (size_t i = VIEW_GROUP; i < view->count; i += VIEW_GROUP)
            put_group(to + i, at + ((uint64_t)i << view->shift), view->shift, view->mask);
        return;
    }
    for (size_t i = 0; i < view->count; i += VIEW_GROUP) {
        const uint64_t wide = view->sizes[i / VIEW_WORD] >> i % VIEW_WORD & 0xff;
        const uint64_t offsets = t32_offsets(wide);

        for (unsigned k = 0; k < VIEW_GROUP; k++)
            to[i + k] = (at + (offsets >> 8 * k & 0xff)) & view->mask;
        at += VIEW_GROUP * T32_STRIDE + T32_STRIDE * (unsigned)__builtin_popcountll(wide);
    }
}

/* Instructions [from, from + count) of the block and nothing behind them. */
CAIRN_VIEW_INLINE void put_part(uint64_t *to, const struct view_block *view, size_t from,
                                size_t count)
{
    uint64_t at = view->address;

    if (!view->sizes) {
        for (size_t i = 0; i < count; i++)
            to[i] = (at + ((from + i) << view->shift)) & view->mask;
        return;
    }
    for (size_t i = 0; i < from / VIEW_WORD; i++)
        at += VIEW_WORD * T32_STRIDE + T32_STRIDE * (unsigned)__builtin_popcountll(view->sizes[i]);
    for (size_t i = from / VIEW_WORD * VIEW_WORD; i < from + count; i++) {
        if (i >= from)
            to[i - from] = at & view->mask;
        at += T32_STRIDE + T32_STRIDE * (view->sizes[i / VIEW_WORD] >> i % VIEW_WORD & 1);
    }
}

/* The rest of the word in hand, block by block: a block that does not fit begins the next list,
 * and is cut when it has that for itself. No events are listed: `event` counts what was given of
 * the block in hand. True when the word is done. */
CAIRN_VIEW_INLINE bool finish_instructions(const struct cairn_word_batch *batch,
                                           struct cairn_word_cursor *cursor, uint64_t *addresses,
                                           size_t capacity, size_t *count)
{
    const struct cairn_dictionary *dictionary = batch->dictionary;
    const struct cairn_path *path = view_path(batch, cursor->word);

    for (; cursor->step < path->steps; cursor->step++) {
        const struct view_block view =
            view_block(dictionary, dictionary->steps[path->first + cursor->step] >> 1);
        const size_t left = view.count - cursor->event;
        const size_t room = capacity - *count;

        if (left > room) {
            if (*count == 0) {
                put_part(addresses, &view, cursor->event, room);
                cursor->event += room;
                *count = room;
            }
            return false;
        }
        if (cursor->event == 0 && room >= left + VIEW_GROUP)
            put_block(addresses + *count, &view);
        else
            put_part(addresses + *count, &view, cursor->event, left);
        *count += left;
        cursor->event = 0;
    }
    cursor->step = 0;
    cursor->word++;
    return true;
}

/* Where a long block's list begins, its first group being written. */
struct view_long {
    uint32_t block;
    uint32_t at;
};

/* Instructions of a long block behind its first group, none but them: the last group ends with it.
 */
CAIRN_VIEW_INLINE void put_rest(uint64_t *to, const struct cairn_code_block *block)
{
    const size_t last = block->instructions - VIEW_GROUP;

    for (size_t i = VIEW_GROUP; i < last; i += VIEW_GROUP)
        put_group(to + i, block->address + (i << WIDE_SHIFT), WIDE_SHIFT, UINT64_MAX);
    put_group(to + last, block->address + (last << WIDE_SHIFT), WIDE_SHIFT, UINT64_MAX);
}

/* Whole words from the cursor on, as many as there is room for, of a dictionary whose blocks are
 * all even. First a group of each block, whatever its length, so that no branch depends on that;
 * the rest of the long ones when enough of them have come together. Returns how many instructions.
 */
CAIRN_VIEW_INLINE size_t put_even_words(const struct cairn_word_batch *batch,
                                        struct cairn_word_cursor *cursor, uint64_t *to,
                                        size_t capacity)
{
    const struct cairn_code_block *blocks = batch->dictionary->blocks;
    const uint32_t *all = batch->dictionary->steps;
    struct view_long longs[VIEW_LONG];
    size_t w = cursor->word;
    size_t count = 0;

    do {
        size_t waiting = 0;

        for (; w < batch->count; w++) {
            const struct cairn_path *path = view_path(batch, w);
            const uint32_t *steps = all + path->first;

            if (capacity - count < (size_t)path->instructions + VIEW_GROUP) {
                capacity = 0;
                break;
            }
            if (waiting + path->steps > VIEW_LONG)
                break;
            for (uint32_t i = 0; i < path->steps; i++) {
                const struct cairn_code_block *block = &blocks[steps[i] >> 1];

                put_group(to + count, block->address, WIDE_SHIFT, UINT64_MAX);
                longs[waiting].block = steps[i] >> 1;
                longs[waiting].at = (uint32_t)count;
                waiting += block->instructions > VIEW_GROUP;
                count += block->instructions;
            }
        }
        for (size_t i = 0; i < waiting; i++)
            put_rest(to + longs[i].at, &blocks[longs[i].block]);
    } while (w < batch->count && capacity > 0);
    cursor->word = w;
    return count;
}

/* The same of any dictionary, block by block. */
CAIRN_VIEW_INLINE size_t put_words(const struct cairn_word_batch *batch,
                                   struct cairn_word_cursor *cursor, uint64_t *to, size_t capacity)
{
    const uint32_t *all = batch->dictionary->steps;
    size_t w = cursor->word;
    size_t count = 0;

    for (; w < batch->count; w++) {
        const struct cairn_path *path = view_path(batch, w);

        if (capacity - count < (size_t)path->instructions + VIEW_GROUP)
            break;
        for (uint32_t i = 0; i < path->steps; i++) {
            const struct view_block view = view_block(batch->dictionary, all[path->first + i] >> 1);

            put_block(to + count, &view);
            count += view.count;
        }
    }
    cursor->word = w;
    return count;
}

CAIRN_VIEW_INLINE size_t view_instructions(const struct cairn_word_batch *batch,
                                           struct cairn_word_cursor *cursor, uint64_t *addresses,
                                           size_t capacity)
{
    size_t count = 0;

    while (cursor->word < batch->count) {
        if (cursor->step == 0 && cursor->event == 0)
            count += batch->dictionary->uneven
                         ? put_words(batch, cursor, addresses + count, capacity - count)
                         : put_even_words(batch, cursor, addresses + count, capacity - count);
        if (cursor->word == batch->count ||
            !finish_instructions(batch, cursor, addresses, capacity, &count))
            break;
    }
    return count;
}

#endif
