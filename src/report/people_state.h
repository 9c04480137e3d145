/* SPDX-License-Identifier: BSD-2-Clause */
/* What src/report/people*.c share. */
#ifndef CAIRN_REPORT_PEOPLE_STATE_H
#define CAIRN_REPORT_PEOPLE_STATE_H

#include "report/columns.h"
#include "report/gaps.h"
#include "report/people.h"
#include "report/told.h"

#define CAIRN_PEOPLE_WAITING 32 /* events behind an instruction; more do not wait */
#define CAIRN_PEOPLE_TEXT_COLUMN 34

/* An instruction, or a range, as it will be printed. */
struct cairn_people_line {
    char shown[CAIRN_CODE_SHOWN];
    size_t size;
    size_t flag_at; /* where `flag` belongs */
    char flag;
    unsigned flags; /* CAIRN_FLOW_... that it says in words */
    bool has_origin;
    struct cairn_origin origin;
    struct cairn_moment moment;
};

struct cairn_people_event {
    struct cairn_told_event told;
    struct cairn_origin origin;
    struct cairn_moment moment;
    uint8_t kind; /* enum cairn_flow_kind */
    bool leads;   /* execution went on at `to`: another exception was taken there */
    uint64_t to;
};

struct cairn_people {
    struct cairn_people_options options;
    struct cairn_columns columns;
    struct cairn_told told;
    struct cairn_sources *sources;
    struct cairn_gaps gaps; /* no instruction and no event waits while there is a run */
    struct cairn_origin gap_origin;
    struct cairn_moment gap_moment;
    bool begun;                    /* columns are chosen */
    bool header_due;               /* the row that names them is to be printed */
    bool holds;                    /* `held` is to be printed */
    struct cairn_people_line held; /* the last instruction: a count may belong to it */
    size_t event_count;
    struct cairn_people_event events[CAIRN_PEOPLE_WAITING]; /* behind it */
    struct cairn_moment ahead;                              /* of the line that comes next */
    bool is_marked;                /* a Timestamp Marker came, and its timestamp has not */
    struct cairn_moment *marked;   /* what it stands behind; NULL: that was printed */
    bool headed;                   /* a function's name was printed, or that there is none */
    const char *object;            /* without a name: the file that the instructions are of */
    struct cairn_code_place place; /* of which the source lines were printed last */
};

/* Prints what waits. `target`: where execution goes on, if that is known. */
void cairn_people_flush(struct cairn_listing *listing, const uint64_t *target);

/* Prints the row of columns if it is due. */
void cairn_people_header(struct cairn_listing *listing);

/* Range `index`, as instructions or as one line. */
void cairn_people_instructions(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                               size_t index, const struct cairn_origin *origin);
void cairn_people_range(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                        size_t index, const struct cairn_origin *origin);

/* Prints a line that is no longer held. */
void cairn_people_line(struct cairn_listing *listing, const struct cairn_people_line *line);

/* Prints where the instruction is in the sources, if that is another line than the last one's. */
void cairn_people_source(struct cairn_listing *listing, uint64_t address);

#endif
