/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces that no program would give: random walks through a random program, seen by a trace unit
 * model. */
#ifndef BENCH_GENERATE_H
#define BENCH_GENERATE_H

#include "load.h"

enum bench_walk {
    BENCH_WALK_DISTINCT,    /* every outcome is random: no unit comes twice */
    BENCH_WALK_SCATTERED,   /* the same, each start once, in a program that no cache holds */
    BENCH_WALK_SPECULATIVE, /* few starts, and branches that nearly always go one way; a
                               prediction now and then is wrong, and taken back */
    BENCH_WALK_COUNT,
};
const char *bench_walk_name(enum bench_walk walk);

/* One source of `bytes` of trace and a little more, and the program. Without loops: branches go
 * forward, so that a walk ends at an indirect branch, and another one begins. */
void bench_generate(enum bench_walk walk, size_t bytes, struct bench_capture *loaded);

#endif
