/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns in front of an instruction: offsets, time, cycles. Which of them there are, and which
 * line a timestamp or a cycle count stands on (docs/listing.md). */
#ifndef CAIRN_REPORT_COLUMNS_H
#define CAIRN_REPORT_COLUMNS_H

#include "report/report.h"
#include "report/style.h"

/* What the trace tells of when a line was: the members that `has` names. */
#define CAIRN_MOMENT_TIME (1u << 0)
#define CAIRN_MOMENT_TIME_UNKNOWN (1u << 1)
#define CAIRN_MOMENT_TIME_ABOUT (1u << 2) /* of a line before, or not exact */
#define CAIRN_MOMENT_CYCLES (1u << 3)
#define CAIRN_MOMENT_CYCLES_UNKNOWN (1u << 4) /* how many passed; the total is that of before */
struct cairn_moment {
    unsigned has;
    uint64_t time;
    uint64_t cycles; /* the running total */
    uint64_t passed; /* of it, what this moment added */
};

struct cairn_columns {
    const struct cairn_style *style;
    bool offsets, time, cycles;
    bool ahead;                        /* cycle counts stand before their instruction (ETMv3) */
    unsigned address_width;            /* digits */
    unsigned time_width, cycles_width; /* of a timestamp and a total; these grow */
    unsigned time_step_width, cycles_step_width; /* of what passed; the same */
    enum cairn_detail detail;
    bool time_seen, cycles_seen;
    uint64_t last_time, last_cycles; /* that were written */
};

/* Which columns the source's configuration asks for. */
void cairn_columns_begin(struct cairn_columns *columns, const struct cairn_config *config,
                         enum cairn_detail detail);

/* Takes a Timestamp or Cycles record into a moment. True: there was no column for it, or it was not
 * wide enough, and there is one from now on: the columns are to be named anew. */
bool cairn_columns_timestamp(struct cairn_columns *columns, const struct cairn_flow_batch *batch,
                             size_t index, struct cairn_moment *moment);
bool cairn_columns_cycles(struct cairn_columns *columns, const struct cairn_flow_batch *batch,
                          size_t index, struct cairn_moment *moment);

/* The row that names the columns. */
void cairn_columns_header(const struct cairn_columns *columns, struct cairn_output *output);

/* Everything in front of the address; in front of that, the row anew where a column has to grow. `origin` NULL: no offsets on this line; `moment` NULL: no time
 * and no cycles. */
void cairn_columns_write(struct cairn_columns *columns, struct cairn_output *output,
                         const struct cairn_origin *origin, const struct cairn_moment *moment);

/* Both offsets, and two blanks: what any listing begins with. */
void cairn_write_offsets(struct cairn_output *output, const struct cairn_origin *origin);

/* Blanks, as wide as what is in front of the address. */
void cairn_columns_skip(const struct cairn_columns *columns, struct cairn_output *output);

#endif
