/* SPDX-License-Identifier: BSD-2-Clause */
/* One case, from its steps to the verdict; and the shortest case that still fails. */
#ifndef CAIRN_TESTS_ROUNDTRIP_SHRINK_H
#define CAIRN_TESTS_ROUNDTRIP_SHRINK_H

#include "said.h"

struct trip_work {
    struct trip_program program;
    struct trip_case trip;
    struct trip_case other; /* a shorter one that is tried */
    struct trip_truth truth;
    struct trip_trace trace;
    struct trip_said said;
    struct trip_said rest; /* said of the bytes from somewhere in the middle on */
    bool has_rest;
    char first[TRIP_PROBLEM_MAX]; /* what was wrong before it was made shorter */
};

enum trip_verdict { TRIP_GOOD, TRIP_BAD, TRIP_IMPOSSIBLE };

/* Runs work->trip. */
enum trip_verdict trip_try(struct trip_work *work);

/* What was wrong with the last one. */
const char *trip_problem(const struct trip_work *work);

/* Drops steps and options of a bad case as long as it stays bad, for a bounded number of tries. */
void trip_shrink(struct trip_work *work);

/* Writes the bad case as a scenario file into `folder`, or to standard error if that is NULL. */
void trip_write_scenario(struct trip_work *work, const char *folder);

void trip_work_clear(struct trip_work *work);

#endif
