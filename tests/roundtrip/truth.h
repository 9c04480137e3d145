/* SPDX-License-Identifier: BSD-2-Clause */
/* What must be traced of a case, worked out from the architecture's rules alone (DDI0608 D6.8,
 * D6.9): the trace unit is never asked. */
#ifndef CAIRN_TESTS_ROUNDTRIP_TRUTH_H
#define CAIRN_TESTS_ROUNDTRIP_TRUTH_H

#include "case.h"

enum {
    TRIP_ENTRIES_MAX = 8192,
    TRIP_VALUES_MAX = 2048,
};

enum trip_entry_kind {
    TRIP_PLAIN,     /* an instruction */
    TRIP_TAKEN,     /* ... that is a P0 instruction with E */
    TRIP_NOT_TAKEN, /* ... with N */
    TRIP_EXCEPT,    /* `op` is at the preferred return address */
};

/* Whether a discontinuity has to be announced, and which answers are right. */
enum trip_answer { TRIP_NO, TRIP_MAYBE, TRIP_YES };

struct trip_entry {
    uint8_t kind;
    uint8_t announced;   /* enum trip_answer: a discontinuity in front */
    uint8_t transaction; /* enum trip_answer: inside a committed one */
    bool loose;          /* near a Cancel: what was in front of it may show (I_MHFJB, R_KDVTX) */
    bool begins;         /* the first since the last P0 element, or behind what a Cancel left */
    bool landed; /* what a Cancel left behind the last P0 element: it may be told (R_KDVTX) */
    bool may_be_left_out; /* N atoms that no later element implies (R_SRYKV) */
    uint16_t type;        /* of an exception */
    uint32_t op;
    uint32_t context;      /* index of the context it was executed in */
    uint32_t context_last; /* up to here may be told instead (R_HXNXF) */
    uint32_t stops;        /* of the PE clock, and beginnings of sessions, up to here */
    uint64_t time;
    uint64_t cycle;
};

struct trip_truth {
    const char *impossible; /* why no feed could tell these steps, or they mean no one thing */
    bool lost;              /* something was never resolved */
    bool in_order;          /* no speculation, transactions or Q: elements come as they are told */
    uint32_t count;
    uint32_t event_count;
    uint32_t time_count;
    uint32_t context_count;
    uint64_t cycles; /* in all */
    struct trip_entry entries[TRIP_ENTRIES_MAX];
    struct cairn_context contexts[TRIP_STEPS_MAX + 1];
    uint8_t events[TRIP_STEPS_MAX];
    uint64_t event_times[TRIP_STEPS_MAX];
    uint64_t times[TRIP_STEPS_MAX]; /* at which P0 elements and Events were told */
};

void trip_truth_make(struct trip_truth *truth, const struct trip_case *trip);

#endif
