/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of the data: decoded by an engine of its own into a batch of its own, then handed over. */
#ifndef CAIRN_FLOW_PART_H
#define CAIRN_FLOW_PART_H

#include "flow/standing.h"

enum cairn_part_state {
    CAIRN_PART_PLANNED, /* nobody has it yet */
    CAIRN_PART_RUNNING,
    CAIRN_PART_DONE,
};

struct cairn_part {
    enum cairn_part_state state;
    size_t start; /* positions in the data */
    size_t stop;  /* of the part behind it */
    bool has_stop;
    bool accepted;
    bool refused; /* by the caller's engine, which had to end before it was done with it */
    bool counted; /* its words are in the counters of its engine's memos */
    struct cairn_standing guess; /* at `start` */

    struct cairn_engine *engine;    /* NULL: it has been given back */
    struct cairn_word_batch *batch; /* what it gave */
    cairn_status status;
    bool filled; /* it ended because the batch was full */
    bool stands; /* it ended in `end`, at `position` */
    size_t position;
    struct cairn_standing end;
    struct cairn_ledger ledger;
    struct cairn_engine_statistics statistics;

    size_t word; /* next to hand over */
    size_t event;
    uint64_t cycles; /* counted before it */
};

/* Decodes the part with its engine. */
void cairn_part_decode(struct cairn_part *part);

/* Moves what it gave to `out`. Where words are counted (`counting` is not NULL), they go to these
 * counters, or stay in those where they are. False: `out` is full. */
bool cairn_part_hand_over(struct cairn_part *part, struct cairn_word_batch *out,
                          struct cairn_dictionary *counting);

/* Its words have never been counted: they are taken off. */
void cairn_part_uncount(struct cairn_part *part, struct cairn_dictionary *dictionary);

/* Adds cycles to what an engine counts: those of what came before its part. */
void cairn_part_add_cycles(struct cairn_engine *engine, uint64_t cycles);

/* A batch for parts. */
struct cairn_word_batch *cairn_part_batch(size_t words, size_t events, bool offsets);

void cairn_ledger_add(struct cairn_ledger *ledger, const struct cairn_ledger *part);
void cairn_statistics_add(struct cairn_engine_statistics *statistics,
                          const struct cairn_engine_statistics *part);

#endif
