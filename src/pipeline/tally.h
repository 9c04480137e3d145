/* SPDX-License-Identifier: BSD-2-Clause */
/* How often each path was executed, without a record of a single range. */
#ifndef CAIRN_PIPELINE_TALLY_H
#define CAIRN_PIPELINE_TALLY_H

#include <cairn/engine.h>

/* Counters by path of the dictionary in use. Zero it at a source's start. */
struct cairn_tally {
    uint64_t *words;
    size_t capacity;
    size_t known; /* paths that were looked at */
    bool tells;   /* one of these tells something */
    bool counts;  /* the counts are wanted; else `words` is for what tells something alone */
    bool (*wants)(void *context, const struct cairn_code_block *block); /* NULL: none */
    void *context;
};
void cairn_tally_free(struct cairn_tally *tally);

/* Counts the words of a batch but those that tell something, which are left to the caller: for
 * their warnings it matters when they come. `*telling`: the batch has such. */
CAIRN_MUST_CHECK cairn_status cairn_tally_add(struct cairn_tally *tally,
                                              const struct cairn_word_batch *batch, bool *telling);

/* The first word at or behind `word` that tells something; the batch's count: none. */
size_t cairn_tally_telling(const struct cairn_tally *tally, const struct cairn_word_batch *batch,
                           size_t word);

/* The dictionary ends: makes `words` the counts alone, 0 for what tells something. */
void cairn_tally_close(struct cairn_tally *tally);

/* Begins again, for the next dictionary. */
void cairn_tally_clear(struct cairn_tally *tally);

#endif
