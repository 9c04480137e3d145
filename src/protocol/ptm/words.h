/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of PTM (protocol/words.h): Atoms and branch packets without information bytes, with or
 * without cycle counts, become words of bits where they lie (IHI0035 4.5.3, 4.5.4). Everything else
 * is left to the levels (parse.c, elements.c), and what they give comes as elements. Nothing in PTM
 * is speculative: every atom is certain at once. */
#ifndef CAIRN_PTM_WORDS_H
#define CAIRN_PTM_WORDS_H

#include <cairn/status.h>

#include "protocol/branches.h"
#include "protocol/words.h"

struct cairn_config;

enum {
    CAIRN_PTM_WORD_ASIDES = 2 * CAIRN_WORD_ATOMS_MOST + 2, /* of one word, at most */
};

/* Reading in step, from a place in the bytes on. */
struct cairn_ptm_word_run {
    struct cairn_words *out;
    const uint8_t *at;    /* next packet; moved on */
    const uint8_t *limit; /* none begins here or behind */
    uint64_t bias;        /* what a place in the bytes as a number is less than its distance */
    struct cairn_branch_place place;
    const uint8_t *last; /* the last packet */
    uint64_t packets;
    bool other;    /* the next packet is not for here */
    bool portable; /* without what is special to this processor */
};

/* words_run.c: reads as far as it gets, to a packet that is not for it, to the limit or to the end
 * of the room. */
void cairn_ptm_run_words(struct cairn_ptm_word_run *run, const struct cairn_config *config);

#if defined(__x86_64__)
/* words_x86.c: the same with counts, without packets; `branched`: with CAIRN_WORD_BRANCH. */
void cairn_ptm_run_counted_x86(struct cairn_ptm_word_run *run, bool branched);
#endif

/* The members of the protocol's table. */
CAIRN_MUST_CHECK cairn_status cairn_ptm_reader_new(struct cairn_config *config,
                                                   struct cairn_word_bytes *bytes, void **state);
void cairn_ptm_reader_amid(void *state, uint64_t offset);
void cairn_ptm_reader_free(void *state);
CAIRN_MUST_CHECK cairn_status cairn_ptm_reader_words(void *state, const uint8_t *data, size_t size,
                                                     size_t *position, struct cairn_words *words);
CAIRN_MUST_CHECK cairn_status cairn_ptm_reader_finish(void *state, struct cairn_words *words);
bool cairn_ptm_reader_stand(void *state, struct cairn_reader_place *place);
void cairn_ptm_reader_begin_at(void *state, uint64_t offset,
                               const struct cairn_reader_place *place);
size_t cairn_ptm_reader_packets(void *state, const struct cairn_word *word, const uint8_t *bytes,
                                struct cairn_aside *asides);

/* Before the first bytes: it does without what is special to this processor, for tests. */
void cairn_ptm_reader_portable(void *state);

/* What it was made with. */
const struct cairn_config *cairn_ptm_reader_config(const void *state);

#endif
