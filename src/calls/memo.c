/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/golden.h"
#include "base/room.h"

enum { FIRST_BITS = 12 };

/* A word's number in its slot, and bits of its hash that tell most others apart without looking at them. */
#define WORD_BITS 21
#define WORD_MASK ((UINT32_C(1) << WORD_BITS) - 1)
_Static_assert(CAIRN_CALL_WORDS_MAX <= WORD_MASK, "the numbers of words");

void cairn_call_memo_free(struct cairn_call_memo *memo)
{
    cairn_contexts_free(&memo->contexts);
    free(memo->words);
    free(memo->effects);
    free(memo->slots);
    free(memo->found.list);
    *memo = (struct cairn_call_memo){0};
}

static uint64_t hash_word(uint32_t from, uint32_t came, uint32_t path)
{
    const uint64_t mixed = ((uint64_t)from << 32 | path) * CAIRN_GOLDEN;

    return (mixed ^ mixed >> 32 ^ came) * CAIRN_GOLDEN;
}

static uint32_t word_mark(uint64_t hash)
{
    return (uint32_t)(hash >> 8) & ~WORD_MASK;
}

static void put_word(uint32_t *slots, unsigned bits, uint64_t hash, uint32_t word)
{
    uint32_t at = (uint32_t)(hash >> (64 - bits));

    while (slots[at])
        at = (at + 1) & ((1u << bits) - 1);
    slots[at] = word_mark(hash) | word;
}

uint32_t cairn_call_memo_find(const struct cairn_call_memo *memo, uint32_t from, uint32_t came,
                              uint32_t path)
{
    if (!memo->bits)
        return 0;
    const uint64_t hash = hash_word(from, came, path);
    const uint32_t mark = word_mark(hash);
    uint32_t at = (uint32_t)(hash >> (64 - memo->bits));

    for (; memo->slots[at]; at = (at + 1) & ((1u << memo->bits) - 1)) {
        const uint32_t found = memo->slots[at] & WORD_MASK;
        const struct cairn_call_word *const one = &memo->words[found];

        if ((memo->slots[at] & ~WORD_MASK) == mark && one->path == path && one->from == from &&
            one->came == came)
            return found;
    }
    return 0;
}

static bool rehash_words(struct cairn_call_memo *memo)
{
    const unsigned bits = memo->bits ? memo->bits + 1 : FIRST_BITS;
    uint32_t *const slots = calloc((size_t)1 << bits, sizeof *slots);

    if (!slots)
        return false;
    for (uint32_t i = 1; i < memo->count; i++) {
        const struct cairn_call_word *const one = &memo->words[i];

        put_word(slots, bits, hash_word(one->from, one->came, one->path), i);
    }
    free(memo->slots);
    memo->slots = slots;
    memo->bits = bits;
    return true;
}

uint32_t cairn_call_memo_add(struct cairn_call_memo *memo, const struct cairn_call_word *word,
                             size_t first)
{
    if (memo->count >= CAIRN_CALL_WORDS_MAX || memo->found.count > CAIRN_CALL_EFFECTS_MAX)
        return 0;
    if (cairn_enlarge(&memo->words, &memo->room, (size_t)memo->count + 2, sizeof *memo->words) ||
        cairn_enlarge(&memo->effects, &memo->effect_room, (size_t)memo->count + 2,
                      sizeof *memo->effects)) {
        memo->failed = true;
        return 0;
    }
    if (memo->count == 0)
        memo->words[memo->count++].path = UINT32_MAX;
    if ((!memo->bits || memo->count * 2 > 1u << memo->bits) && !rehash_words(memo)) {
        memo->failed = true;
        return 0;
    }
    put_word(memo->slots, memo->bits, hash_word(word->from, word->came, word->path), memo->count);
    memo->words[memo->count] = *word;
    memo->effects[memo->count] = (uint32_t)first;
    memo->effects[memo->count + 1] = (uint32_t)memo->found.count;
    memo->since++;
    memo->added++;
    return memo->count++;
}

void cairn_call_memo_clear(struct cairn_call_memo *memo)
{
    if (memo->bits > FIRST_BITS && memo->count < 1u << (memo->bits - 4)) { /* begins small again */
        free(memo->slots);
        memo->slots = NULL;
        memo->bits = 0;
    } else if (memo->bits) {
        memset(memo->slots, 0, sizeof *memo->slots << memo->bits);
    }
    memo->count = memo->count ? 1 : 0;
    memo->found.count = 0;
    memo->since = memo->added = 0;
}
