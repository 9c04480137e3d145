/* SPDX-License-Identifier: BSD-2-Clause */
/* What reads one source of a run: between its files. */
#ifndef CAIRN_REPORT_DIFF_READER_H
#define CAIRN_REPORT_DIFF_READER_H

#include "report/diff.h"

/* Pieces of a range: up to each branch in it. */
struct diff_piece {
    uint64_t end;
    uint32_t block; /* from where the piece begins; 0: it does not end by a branch */
};
struct diff_range {
    uint64_t address, end;
    uint64_t identity, from; /* of the memory */
    size_t first;            /* piece */
    uint32_t count;
    uint8_t isa;
};

/* The chain of calls of a stack that does not execute (cairn_calls_thread). */
struct cairn_diff_stack {
    uint32_t chain;
    uint64_t above;
};

struct cairn_diff_reader {
    struct cairn_diff *diff;
    struct cairn_diff_run *run;
    struct cairn_config *config;
    const struct cairn_arch *arch;
    struct cairn_calls *calls;
    struct cairn_consumer follow; /* of `calls` */
    struct cairn_place place;
    unsigned side;
    uint32_t source;
    uint32_t first_thread; /* of the run: the first one of this source */
    uint32_t now;          /* thread; NONE: not wanted */
    bool has_wanted;
    uint32_t wanted;
    uint32_t last;        /* block executed last, for cycles; 0: a handler's, or none */
    uint32_t last_thread; /* that executed it, and may have it open still */
    uint64_t ahead;       /* cycles of what is executed next */
    uint64_t last_timestamp;
    uint64_t losses; /* gaps in which any thread may have executed */
    struct cairn_table by_thread;
    struct cairn_table by_range;
    struct diff_range *ranges;
    size_t range_count, range_room;
    struct diff_piece *pieces;
    size_t piece_count, piece_room;
    struct cairn_diff_stack *stacks; /* by their numbers */
    size_t stack_count;
};

/* A stack of the thread executes, or is told of; diff_thread.c. */
CAIRN_MUST_CHECK cairn_status cairn_diff_turn(struct cairn_diff_reader *reader,
                                              struct cairn_diff_thread *thread, uint32_t stack);

/* The pieces of a range of the code that is selected by the reader's place; diff_ranges.c. */
CAIRN_MUST_CHECK cairn_status cairn_diff_know_range(struct cairn_diff_reader *reader, uint8_t isa,
                                                    uint64_t address, uint64_t end, uint64_t offset,
                                                    const struct diff_range **found);

#endif
