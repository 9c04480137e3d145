/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of a source without speculation and cycle counts: bytes -> certain words.
 *
 * It is in one of two modes. In step it reads Atom and Address packets where they lie, and takes
 * what stands between two runs of them packet by packet; everything before its place is certain.
 * Otherwise the levels (parse.c, elements.c, resolve.c) read, and what they resolve comes as
 * elements. An Atom is certain once another one follows with nothing between that could change it:
 * so the reader looks ahead to the next Atom packet before it gives what it has read, and where it
 * cannot tell, it leaves the last Atom packet to the levels. Nothing is ever taken back. */
#ifndef CAIRN_ETMV4_WORDS_H
#define CAIRN_ETMV4_WORDS_H

#include "base/cpu.h"
#include "protocol/etmv4/payload.h"
#include "protocol/words.h"

#include <string.h>

/* Bytes that one step of a run may read from where it stands. */
#define CAIRN_ETMV4_WORD_MARGIN 32u
/* Bytes that are looked at together, what may be read of them and behind, and the words that they
 * may become. */
#define CAIRN_ETMV4_WORD_BLOCK 64u
#define CAIRN_ETMV4_WORD_BLOCK_MARGIN (2 * CAIRN_ETMV4_WORD_BLOCK + CAIRN_ETMV4_WORD_MARGIN)
#define CAIRN_ETMV4_WORD_BLOCK_ROOM (CAIRN_ETMV4_WORD_BLOCK + 16u)

/* Reading Atom and Address packets, from `at` on. */
struct cairn_etmv4_run {
    const struct cairn_hot_table *table;
    const uint8_t *origin; /* of the words' places */
    const uint8_t *at;     /* next packet; moved on */
    const uint8_t *end;    /* of the bytes */
    const uint8_t *stop;   /* soon behind this place it may end; no further than `end` */
    struct cairn_word *word;
    size_t count;
    size_t capacity;
    /* Room for `capacity` behind the first three, which are the last ones before, oldest first. */
    uint64_t *history;
    size_t addresses;       /* behind the first three */
    uint64_t address_bytes; /* of their packets */
};

/* Goes on as far as it gets: to a packet of another kind, to the stop, to the end of the bytes (less
 * a margin), to the end of the room. */
void cairn_etmv4_run_portable(struct cairn_etmv4_run *run);
#if CAIRN_AVX2
/* words_avx2.c: block by block. False: it ended for want of bytes, and the portable one goes on. */
CAIRN_TARGET_AVX2 bool cairn_etmv4_run_blocks(struct cairn_etmv4_run *run);
#endif

/* The members of the protocol's table. */
CAIRN_MUST_CHECK cairn_status cairn_etmv4_reader_new(struct cairn_config *config,
                                                     struct cairn_word_bytes *bytes, void **state);
void cairn_etmv4_reader_free(void *state);
CAIRN_MUST_CHECK cairn_status cairn_etmv4_reader_words(void *state, const uint8_t *data,
                                                       size_t size, size_t *position,
                                                       struct cairn_words *words);
CAIRN_MUST_CHECK cairn_status cairn_etmv4_reader_finish(void *state, struct cairn_words *words);
bool cairn_etmv4_reader_stand(void *state, struct cairn_reader_place *place);
void cairn_etmv4_reader_begin_at(void *state, uint64_t offset,
                                 const struct cairn_reader_place *place);

/* Before the first bytes: it does without what is special to this processor, for tests. */
void cairn_etmv4_reader_portable(void *state);

/* Between two packets, as the place of a reader. */
_Static_assert(sizeof(struct cairn_hot_state) <= sizeof((struct cairn_reader_place){0}.state),
               "a place holds it");

/* Eight bytes, the first lowest. */
static inline uint64_t cairn_etmv4_word_load(const uint8_t *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

#endif
