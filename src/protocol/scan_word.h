/* SPDX-License-Identifier: BSD-2-Clause */
/* A word that is put together of tokens (words_of_scan.c): it stays in registers until it is whole,
 * while its asides go to the batch at once. */
#ifndef CAIRN_PROTOCOL_SCAN_WORD_H
#define CAIRN_PROTOCOL_SCAN_WORD_H

#include "protocol/words.h"

#define SCAN_INLINE static inline __attribute__((always_inline))
#define NO_PACKET UINT64_MAX
#define FAR (UINT32_MAX - UINT64_C(0x10000)) /* behind it there may be too far for a batch */

enum { ASIDES_MOST = UINT8_MAX };

/* The word that is being put together, and the places in the batch for what comes next. Places in the
 * source are counted from the origin. */
struct scan_word {
    struct cairn_words *words;
    struct cairn_word *next; /* its place, or the next one's, */
    uint32_t *place;         /* and for that of its first token, */
    uint32_t begun;          /* which is this */
    struct cairn_aside *aside;
    bool open;       /* there is a word */
    unsigned asides; /* of it */
    size_t data;
    uint64_t origin;
    uint64_t at;
    uint64_t end;   /* of the last Atom's packet */
    uint64_t atoms; /* as bits */
    unsigned count;
    uint64_t packet; /* that the last aside tells of, if it is one alone */
};

SCAN_INLINE void scan_word_give(struct scan_word *w, uint64_t target, uint64_t before,
                                uint64_t length)
{
    struct cairn_word *word = w->next++;

    *w->place++ = w->begun;
    word->atoms = w->atoms | (uint64_t)w->count << CAIRN_WORD_BITS_SHIFT;
    word->target = target;
    word->at = (uint32_t)w->at;
    word->before = (uint16_t)before;
    word->target_length = (uint8_t)length;
    word->asides = (uint8_t)w->asides;
    w->open = false;
}

static inline void scan_word_end(struct scan_word *w)
{
    if (w->open && w->count + w->asides > 0)
        scan_word_give(w, CAIRN_WORD_NO_TARGET, w->count ? w->end - w->at : 0, 0);
    w->open = false;
}

/* Begins a word, with that token; there is room for it, and there is none. */
SCAN_INLINE void scan_word_open(struct scan_word *w, uint64_t at, uint32_t place)
{
    w->open = true;
    w->begun = place;
    w->asides = 0;
    w->at = at;
    w->atoms = 0;
    w->count = 0;
    w->packet = NO_PACKET;
}

/* Whether the word at hand, if there is one, takes so many more asides, and all of it ends here. */
static inline bool scan_word_takes(const struct scan_word *w, unsigned asides, uint64_t end)
{
    return w->open && w->asides + asides <= ASIDES_MOST && end <= FAR &&
           (w->count == 0 || end - w->at <= UINT16_MAX);
}

SCAN_INLINE struct cairn_aside *scan_word_aside(struct scan_word *w, unsigned kind, uint64_t at,
                                                uint64_t length, uint64_t value)
{
    struct cairn_aside *aside = w->aside++;

    w->asides++;
    aside->value = value;
    aside->at = (uint32_t)at;
    aside->data = 0;
    aside->length = (uint16_t)length;
    aside->lead = 0;
    aside->flags = 0;
    aside->kind = (uint8_t)kind;
    aside->step = (uint8_t)w->count;
    return aside;
}

#endif
