/* SPDX-License-Identifier: BSD-2-Clause */
/* A case goes through a trace unit: bytes come out. */
#ifndef CAIRN_TESTS_ROUNDTRIP_FEED_H
#define CAIRN_TESTS_ROUNDTRIP_FEED_H

#include "case.h"

enum { TRIP_PROBLEM_MAX = 640 };

struct trip_trace {
    struct cairn_config *config;
    struct cairn_unit_counters counters;
    size_t size;
    size_t capacity;
    uint8_t *bytes;
    char problem[TRIP_PROBLEM_MAX]; /* what went wrong, or empty */
};

void trip_trace_clear(struct trip_trace *trace);

/* False when the unit refused something it must not refuse: `problem` says what. */
bool trip_feed(const struct trip_case *trip, struct trip_trace *trace);

#endif
