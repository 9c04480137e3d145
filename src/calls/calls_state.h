/* SPDX-License-Identifier: BSD-2-Clause */
/* A source's calls, while they are followed. */
#ifndef CAIRN_CALLS_CALLS_STATE_H
#define CAIRN_CALLS_CALLS_STATE_H

#include "calls/calls.h"
#include "calls/memo.h"
#include "calls/threads.h"

struct cairn_calls {
    struct cairn_config *config;
    struct cairn_space *space, *own_space; /* NULL: it is another's */
    struct cairn_place place;
    bool keeps_stacks;
    bool only_counts; /* nobody is told of calls but a counter */
    bool remembers;   /* ... who counts alike each time that the same is called */
    bool has_words;   /* it is told of paths, so that records say nothing new */
    struct cairn_known known;
    struct cairn_stacks stacks;
    struct cairn_functions own_functions;
    struct cairn_block_counts own_counted;

    struct cairn_call_threads threads;
    struct cairn_call_thread *thread; /* the one that executes */
    struct cairn_call_lives lives;    /* `of` NULL: numbers are enough to tell threads apart */

    const struct cairn_calls_watch *watch; /* or NULL */
    uint64_t offset;                       /* of the packet of what comes, if it is watched */

    const struct cairn_dictionary *dictionary; /* of the last batch */
    bool cycles_ahead;                         /* CAIRN_TELLS_CYCLES_AHEAD */
    uint64_t told_cycles;                      /* with those of what comes next */
    uint32_t last;                             /* entry of the last block executed, for cycles */
    uint32_t came; /* of a word: the last step executed, 2 * block + outcome; 0: it is not known */
    struct cairn_call_memo memo;
    uint64_t waits; /* steps that take a cycle each */
    bool excepts;   /* an exception is taken: what comes next is its own, and not told yet */
};

/* The thread executed an exception return. */
void cairn_calls_eret(struct cairn_calls *calls);

/* calls.c: control goes to a block by one that was left at `site`. */
CAIRN_MUST_CHECK cairn_status cairn_calls_go(struct cairn_calls *calls,
                                             struct cairn_call_thread *thread, uint64_t address,
                                             uint64_t site, uint64_t behind, uint8_t way,
                                             struct cairn_call_target to);
/* Selects the memory that the source has at an offset. */
CAIRN_MUST_CHECK cairn_status cairn_calls_select(struct cairn_calls *calls, uint64_t offset);
CAIRN_MUST_CHECK cairn_status cairn_calls_take_block(struct cairn_calls *calls,
                                                     const struct cairn_code_block *block,
                                                     const struct cairn_known_block *known,
                                                     bool taken);
CAIRN_MUST_CHECK cairn_status cairn_calls_take_event(struct cairn_calls *calls,
                                                     const struct cairn_word_event *event);

/* words.c: learns a word's path. */
CAIRN_MUST_CHECK cairn_status cairn_calls_know(struct cairn_calls *calls,
                                               const struct cairn_word_batch *batch, size_t word,
                                               uint32_t id);
/* words_totals.c: words that nothing stands in the midst of. */
CAIRN_MUST_CHECK cairn_status cairn_calls_total_words(struct cairn_calls *calls,
                                                      const struct cairn_word_batch *batch,
                                                      size_t from, size_t end);
/* words.c: a consumer's words, */
CAIRN_MUST_CHECK cairn_status cairn_calls_take_words(void *context,
                                                     const struct cairn_word_batch *batch);
/* and what was counted of them goes to blocks and to who counts. */
void cairn_calls_flush(struct cairn_calls *calls, const struct cairn_dictionary *dictionary);

#endif
