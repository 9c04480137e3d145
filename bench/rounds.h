/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds that take turns: in each, every way of Cairn's once and the peer once beside them. */
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include "runner.h"

#define BENCH_ROUNDS_MAX 31

/* What was done before a pass. */
enum bench_phase {
    BENCH_COLD,  /* nothing: new decoder, image just opened, caches swept */
    BENCH_FIRST, /* new decoder, image in use before */
    BENCH_WARM,  /* the decoder has seen the same trace */
    BENCH_PHASE_COUNT,
};
const char *bench_phase_name(enum bench_phase phase);

struct bench_row {
    enum bench_mode mode;
    enum bench_phase phase;
    unsigned threads;
    struct bench_tables tables;          /* after the last pass of a warm row */
    uint64_t cairn_ns[BENCH_ROUNDS_MAX]; /* a pass, one value a round */
    uint64_t peer_ns[BENCH_ROUNDS_MAX];
    uint64_t alone_ns[BENCH_ROUNDS_MAX]; /* several threads: one thread's passes between them */
};

struct bench_contest {
    const char *path;
    const struct bench_capture *loaded;
    unsigned rounds;
    size_t row_count;
    struct bench_row *rows;
};

/* Counts with every row's runner, untimed. NULL, or the name of a mode that gave other instructions
 * than `instructions`. */
const char *bench_rows_disagree(const struct bench_contest *contest, uint64_t instructions);

/* Fills in the times. */
void bench_run_rounds(struct bench_contest *contest);

/* Sorted copies' middle and ends. */
struct bench_spread {
    double min, median, max;
    double figure; /* median of the three highest */
};
struct bench_spread bench_spread_of(const double *values, unsigned count);

#endif
