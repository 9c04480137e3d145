/* SPDX-License-Identifier: BSD-2-Clause */
/* What a word does to the calls of a stack, remembered: the stack behind it, and what a counter counts. A word that
 * comes again at the same stack is then an addition, and what it counted is added up in the end. */
#ifndef CAIRN_CALLS_MEMO_H
#define CAIRN_CALLS_MEMO_H

#include <cairn/engine.h>

#include "calls/contexts.h"

/* When there are more all are forgotten, and the memo begins anew. */
#define CAIRN_CALL_WORDS_MAX (1u << 20)
#define CAIRN_CALL_EFFECTS_MAX (1u << 23)

/* A word at a stack. */
struct cairn_call_word {
    uint32_t path;
    uint32_t times;
    uint32_t next[2];  /* what came behind it, the last time and before that; 0: not known */
    uint32_t from, to; /* contexts */
    uint32_t came;     /* the last step that was executed before it, */
    uint32_t left;     /* and its own: 2 * block + outcome */
};

/* Zero it first. */
struct cairn_call_memo {
    struct cairn_call_contexts contexts;
    struct cairn_call_word *words; /* 0 is none */
    uint32_t *effects;             /* of each word, where its own begin */
    uint32_t count;
    size_t room, effect_room;
    uint32_t *slots; /* a word, and above it some bits of its hash; 0 is empty */
    unsigned bits;
    struct cairn_call_effects found;
    uint64_t since; /* words that were added or counted since it began anew */
    uint64_t added; /* ... and those that were added */
    uint64_t rests; /* words that are not remembered, because those before did not come again */
    bool failed;    /* there is no memory for it */
};

void cairn_call_memo_free(struct cairn_call_memo *memo);

/* The word `path` at a context, behind the step `came`; 0: it is not known. */
uint32_t cairn_call_memo_find(const struct cairn_call_memo *memo, uint32_t from, uint32_t came,
                              uint32_t path);
/* Adds one that is not there; its effects are those found from `first` on. 0: there is no room. */
uint32_t cairn_call_memo_add(struct cairn_call_memo *memo, const struct cairn_call_word *word,
                             size_t first);
/* Forgets all words, which have been added up. */
void cairn_call_memo_clear(struct cairn_call_memo *memo);

/* Counts words of `path` from *word on, behind *at, as far as they are known: *at becomes the last one. */
static inline uint32_t cairn_call_memo_run(struct cairn_call_memo *memo, const uint32_t *path,
                                           uint32_t word, uint32_t end, uint32_t *at)
{
    struct cairn_call_word *const words = memo->words;
    struct cairn_call_word *one = &words[*at];

    for (; word < end; word++) {
        const uint32_t id = path[word] & ~CAIRN_WORD_INFERRED;
        uint32_t next = one->next[0];

        if (words[next].path != id) {
            next = one->next[1];
            if (words[next].path != id)
                next = cairn_call_memo_find(memo, one->to, one->left, id);
            if (!next)
                break;
            one->next[1] = one->next[0];
            one->next[0] = next;
        }
        one = &words[next];
        one->times++;
    }
    *at = (uint32_t)(one - words);
    return word;
}

#endif
