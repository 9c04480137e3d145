/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a view stands in a batch, and what it must know of the batches before. */
#ifndef CAIRN_FLOW_CURSOR_H
#define CAIRN_FLOW_CURSOR_H

#include <cairn/engine.h>

#include "flow/data.h"

/* All zero at a source's start. */
struct cairn_word_cursor {
    /* Of the batch in hand; 0 at each new one. */
    size_t word;
    size_t step;
    size_t event;
    /* Of the source. */
    bool discontinuity;
    bool transaction;
    uint8_t part; /* of the range in hand */
    bool undefined_given;
    uint64_t undefined_at;  /* last address an undefined instruction was told for */
    uint64_t packet_offset; /* what the last PACKET event said */
    uint64_t packet_length;
    uint16_t packet_flags;
    bool waited;     /* the step in hand has had its cycle */
    bool passed;     /* the caller has passed over these steps: their cycles come at once */
    uint32_t waits;  /* so many steps, with the one in hand, have one before each */
    uint64_t cycles; /* the total before that */
    struct cairn_word_data data;
};

/* The word that is next is passed over: the cycles that wait for its steps come at once, and what was
 * to be said of the next range is not said. */
void cairn_word_cursor_leave(struct cairn_word_cursor *cursor);

/* Gives the cycle before the step in hand, if it has one: the events before it have been given. False:
 * there is no room. */
bool cairn_word_cursor_wait(struct cairn_word_cursor *cursor, struct cairn_flow_batch *out);

/* The batches that follow are of another place of the source, behind this one. */
void cairn_word_cursor_jump(struct cairn_word_cursor *cursor);

#endif
