/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of ETMv3 (protocol/words.h): P-headers, branch packets without exception and data
 * packets become words where they lie (IHI0014 7.3.1, 7.3.5, 7.4). Without cycles and data the words
 * are of packets: the P-headers as they are; else of bits. Everything else is left to the levels
 * (parse.c, elements.c, resolve.c), and what they give comes as elements.
 *
 * An atom is certain when the next one comes (7.3.5), so what is read ends in front of a P-header
 * with atoms: whatever else stands behind the last one, it goes back there. */
#ifndef CAIRN_PROTOCOL_ETMV3_WORDS_H
#define CAIRN_PROTOCOL_ETMV3_WORDS_H

#include "protocol/branches.h"
#include "protocol/etmv3/elements.h"
#include "protocol/etmv3/p_header.h"
#include "protocol/etmv3/plain_data.h"
#include "protocol/words.h"

enum {
    CAIRN_ETMV3_WORDS_MARGIN = 24, /* bytes that are looked at of a turn */
    CAIRN_ETMV3_FAR = 1024, /* bytes without a P-header with atoms: fewer than the elements that a
                               resolver holds */
    CAIRN_ETMV3_ASIDES = 3, /* of a P-header, at most */
};

/* In front of a packet. */
struct cairn_etmv3_spot {
    const uint8_t *at;
    size_t word;       /* its number in the batch, */
    uint64_t atoms;    /* those that stand before in it, as it has them, */
    size_t first;      /* its first aside, */
    size_t aside;      /* and the next one */
    size_t data;       /* so many are taken */
    size_t longer;     /* bytes that packets have beyond one each, */
    size_t data_bytes; /* and that data packets have */
    uint64_t waits;    /* W's right before, which are the last aside */
    struct cairn_branch_place place;
    struct cairn_etmv3_data_place data_place;
};

/* Reading in step, from a P-header with atoms on. */
struct cairn_etmv3_word_run {
    const struct cairn_etmv3_config *config;
    const struct cairn_etmv3_p_header *headers; /* by byte */
    const uint8_t *kinds;                       /* of packets, by header */
    struct cairn_words *out;
    const uint8_t *limit; /* none begins here or behind */
    const uint8_t *fast;  /* words of packets that begin in front of it have none that does */
    uint64_t bias;        /* what a place in the bytes as a number is less than its distance */
    uint64_t held_offset; /* of W's that stand before the first packet: now.waits */
    struct cairn_etmv3_spot now;
    struct cairn_etmv3_spot begun;   /* where the last word with atoms has its first, */
    struct cairn_etmv3_tags tags;    /* and what they are there; */
    struct cairn_etmv3_tags tagging; /* at `now` they may differ, */
    bool tagged;                     /* if this is so */
    const uint8_t *last;             /* P-header with atoms, of words of bits */
    size_t other_data;               /* end of the last data packet that is not Normal data */
    bool full;                       /* there is no more room */
    bool other;                      /* the next packet is not for here */
    bool certain;                    /* it is a P-header with atoms */
};
#define CAIRN_ETMV3_NO_DATA SIZE_MAX

/* words_headers.c: words of packets, as far as they go: to a packet that is not for them, to the
 * limit or to the end of the room. `now` is moved there. */
void cairn_etmv3_run_headers(struct cairn_etmv3_word_run *run);
/* Then moves it back in front of the last P-header with atoms. */
void cairn_etmv3_back_headers(struct cairn_etmv3_word_run *run);
/* words_bits.c: the same of words of bits. */
void cairn_etmv3_run_bits(struct cairn_etmv3_word_run *run);
void cairn_etmv3_back_bits(struct cairn_etmv3_word_run *run);
/* Of a word of bits without asides that tell: reader_packets. */
size_t cairn_etmv3_bits_packets(const struct cairn_etmv3_word_run *run,
                                const struct cairn_word *word, const uint8_t *bytes,
                                struct cairn_aside *asides);

static inline bool cairn_etmv3_has_data(const struct cairn_etmv3_config *config)
{
    return config->data_value || config->data_address || config->cprt;
}

/* The members of the protocol's table. */
CAIRN_MUST_CHECK cairn_status cairn_etmv3_reader_new(struct cairn_config *config,
                                                     struct cairn_word_bytes *bytes, void **state);
void cairn_etmv3_reader_amid(void *state, uint64_t offset);
void cairn_etmv3_reader_free(void *state);
CAIRN_MUST_CHECK cairn_status cairn_etmv3_reader_words(void *state, const uint8_t *data,
                                                       size_t size, size_t *position,
                                                       struct cairn_words *words);
CAIRN_MUST_CHECK cairn_status cairn_etmv3_reader_finish(void *state, struct cairn_words *words);
bool cairn_etmv3_reader_stand(void *state, struct cairn_reader_place *place);
void cairn_etmv3_reader_begin_at(void *state, uint64_t offset,
                                 const struct cairn_reader_place *place);
size_t cairn_etmv3_reader_packets(void *state, const struct cairn_word *word, const uint8_t *bytes,
                                  struct cairn_aside *asides);

#endif
