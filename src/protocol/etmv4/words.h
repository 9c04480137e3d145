/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of a source without speculation: bytes -> certain words.
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

/* Bytes that one step of a run may read from where it stands. */
#define CAIRN_ETMV4_WORD_MARGIN 32u
/* Bytes that are looked at together, what may be read of them and behind, and the words that they
 * may become. */
#define CAIRN_ETMV4_WORD_BLOCK 64u
#define CAIRN_ETMV4_WORD_BLOCK_MARGIN (2 * CAIRN_ETMV4_WORD_BLOCK + CAIRN_ETMV4_WORD_MARGIN)
#define CAIRN_ETMV4_WORD_BLOCK_ROOM (CAIRN_ETMV4_WORD_BLOCK + 16u)

/* How Address packets look once more, indexed by what of header and payload tells them apart: fewer
 * and flatter than in the table. */
#define CAIRN_ETMV4_RUN_FORMS 32u
struct cairn_etmv4_run_form {
    uint64_t keep;
    uint64_t mask;
    int32_t entry; /* how far back it is, in bytes, of the history: 0 or less */
    uint8_t shift;
    uint8_t sub_isa;
    uint8_t unused[10]; /* 32 bytes are found faster than 24 */
};

/* Reading Atom and Address packets, from `at` on. */
struct cairn_etmv4_run {
    const struct cairn_hot_table *table;
    const struct cairn_etmv4_run_form *forms; /* for cairn_etmv4_run_blocks */
    const uint8_t *origin;                    /* of the words' places */
    const uint8_t *at;                        /* next packet; moved on */
    const uint8_t *end;                       /* of the bytes */
    const uint8_t *stop; /* soon behind this place it may end; no further than `end` */
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
CAIRN_TARGET_AVX2 void
cairn_etmv4_run_forms(const struct cairn_hot_table *table,
                      struct cairn_etmv4_run_form form[CAIRN_ETMV4_RUN_FORMS]);
#endif

/* What a run with Cycle Counts has besides. Its words are of bits, and their asides the counts. */
struct cairn_etmv4_counts {
    const struct cairn_hot_cycles *cycles;
    uint32_t threshold;
    bool packets; /* PACKET asides as well */
    struct cairn_aside *aside;
    size_t count;
    size_t capacity;
    uint64_t packets_counted; /* Cycle Counts, */
    uint64_t bytes;           /* and their bytes */
};

/* Asides that there is room for, or a run ends. */
#define CAIRN_ETMV4_CYCLES_ASIDES CAIRN_WORDS_ROOM

/* words_cycles.c: the same with Cycle Counts. Packets end at `stop`, or behind it, where more bytes
 * of a margin are. */
void cairn_etmv4_run_cycles(struct cairn_etmv4_run *run, struct cairn_etmv4_counts *counts);
/* Gives up the last Atom packet of such a run and what is behind it. */
void cairn_etmv4_shorten_cycles(struct cairn_etmv4_run *run, struct cairn_etmv4_counts *counts);
/* The packets of such a word, which is read from `bytes` (NULL: they are not there). */
size_t cairn_etmv4_find_packets(const struct cairn_hot_table *table,
                                const struct cairn_hot_cycles *cycles,
                                const struct cairn_word *word, const uint8_t *bytes,
                                struct cairn_aside *asides);

/* The members of the protocol's table. */
CAIRN_MUST_CHECK cairn_status cairn_etmv4_reader_new(struct cairn_config *config,
                                                     struct cairn_word_bytes *bytes, void **state);
void cairn_etmv4_reader_amid(void *state, uint64_t offset);
void cairn_etmv4_reader_free(void *state);
CAIRN_MUST_CHECK cairn_status cairn_etmv4_reader_words(void *state, const uint8_t *data,
                                                       size_t size, size_t *position,
                                                       struct cairn_words *words);
CAIRN_MUST_CHECK cairn_status cairn_etmv4_reader_finish(void *state, struct cairn_words *words);
bool cairn_etmv4_reader_stand(void *state, struct cairn_reader_place *place);
void cairn_etmv4_reader_begin_at(void *state, uint64_t offset,
                                 const struct cairn_reader_place *place);
size_t cairn_etmv4_reader_packets(void *state, const struct cairn_word *word, const uint8_t *bytes,
                                  struct cairn_aside *asides);

/* Before the first bytes: it does without what is special to this processor, for tests. */
void cairn_etmv4_reader_portable(void *state);

/* Between two packets, as the place of a reader. */
_Static_assert(sizeof(struct cairn_hot_state) <= sizeof((struct cairn_reader_place){0}.state),
               "a place holds it");

#endif
