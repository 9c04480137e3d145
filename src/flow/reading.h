/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding by a protocol's reader (protocol/words.h): batches of words are read, taken (take.h) and,
 * where a word cannot be looked up or bytes are no words, followed by the reference path's follower.
 * What was read is never read again. */
#ifndef CAIRN_FLOW_READING_H
#define CAIRN_FLOW_READING_H

#include "flow/take.h"

struct cairn_engine;
struct cairn_protocol;

struct cairn_reading {
    const struct cairn_protocol *protocol; /* whose reader it is */
    void *reader;                          /* NULL: the source is not decoded so */
    struct cairn_taking taking;
    const struct cairn_take_loops *loops;
    struct cairn_word_bytes bytes;   /* of words of packets */
    struct cairn_scan_ledger ledger; /* of the engine's call under way */
    uint64_t misses;                 /* of the batch at hand */
    uint64_t repeated;               /* as in struct cairn_hot_job */
    uint64_t length;                 /* bytes that it was read from */
    size_t taken;                    /* of the caller's bytes, by the reader */
    bool under_way;                  /* `taken` is of these bytes */
};

/* Whose reader decodes the source; NULL: it is not decoded so. (choose_reader.c) */
const struct cairn_protocol *cairn_reading_choose(const struct cairn_engine *engine);
/* From here on, which is the beginning, it is. */
cairn_status cairn_reading_begin(struct cairn_engine *engine);
void cairn_reading_end(struct cairn_engine *engine);
/* Begins again, if it is. */
cairn_status cairn_reading_rewind(struct cairn_engine *engine);
/* Behind the end: goes on at `offset` of the source, of which nothing in front is known, with a gap. */
CAIRN_MUST_CHECK cairn_status cairn_reading_lose(struct cairn_engine *engine, uint64_t offset);

/* Moves what the reader has counted into the engine's ledger, in which bytes may have gone to other
 * accounts already: at the end of a call. */
void cairn_reading_settle(struct cairn_engine *engine);

/* Goes on: reads a batch, or takes from it. `*again` false: the bytes are used up, or the batch or
 * the dictionary is full. */
cairn_status cairn_reading_run(struct cairn_engine *engine, size_t *position, bool *again);
/* The same behind the last byte; `*again` false: nothing is left, or as above. */
cairn_status cairn_reading_finish(struct cairn_engine *engine, bool *again);

/* Reads a batch from where the last one ended, or from data[position] if none of these bytes has
 * been read; nothing is left of the last one. Packets behind the engine's stop are not taken. */
cairn_status cairn_reading_read(struct cairn_engine *engine, size_t position);
/* Puts up what is left of the batch for the follower, as much as there is room for. False: there is
 * nothing. */
bool cairn_reading_put_up(struct cairn_engine *engine);

/* Several threads (flow/standing.h). Whether the reader can tell where it stands at all: */
bool cairn_reading_can_stand(const struct cairn_engine *engine);
/* Whether all that was read has been taken, and what follows depends on nothing in the batch but on
 * *place and on what the follower and the lane hold. */
bool cairn_reading_stands(const struct cairn_engine *engine, struct cairn_reader_place *place);
/* Stands at `offset`: at a place, or (NULL) in front of a synchronisation. */
void cairn_reading_begin_at(struct cairn_engine *engine, uint64_t offset,
                            const struct cairn_reader_place *place);
/* The source offset of the first byte of the data, where decoding is at data[position]. */
uint64_t cairn_reading_origin(const struct cairn_engine *engine, size_t position);

/* lost.c: true when no atom can be followed before an address comes, and that is all there is to say;
 * of the word in hand. */
bool cairn_reading_is_lost(const struct cairn_engine *engine);
/* Its packets are gaps. `*again` false: the batch is full. */
void cairn_reading_pass_lost(struct cairn_engine *engine, bool *again);

#endif
