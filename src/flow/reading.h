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
    struct cairn_scan_ledger ledger; /* of the call under way */
    size_t taken;                    /* of the caller's bytes, by the reader */
    bool under_way;                  /* `taken` is of these bytes */
};

/* From here on, which is the beginning, the source is decoded so: by the reader of its protocol, or
 * by that of words_of_levels.h. */
cairn_status cairn_reading_begin(struct cairn_engine *engine, bool of_levels);
void cairn_reading_end(struct cairn_engine *engine);
/* Begins again, if it is. */
cairn_status cairn_reading_rewind(struct cairn_engine *engine);

/* Goes on: reads a batch, or takes from it. `*again` false: the bytes are used up, or the batch or
 * the dictionary is full. */
cairn_status cairn_reading_run(struct cairn_engine *engine, size_t *position, bool *again);
/* The same behind the last byte; `*again` false: nothing is left, or as above. */
cairn_status cairn_reading_finish(struct cairn_engine *engine, bool *again);

#endif
