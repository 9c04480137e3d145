/* SPDX-License-Identifier: BSD-2-Clause */
/* What the decoder says was executed. */
#ifndef CAIRN_TESTS_ROUNDTRIP_SAID_H
#define CAIRN_TESTS_ROUNDTRIP_SAID_H

#include <cairn/flow.h>

#include "feed.h"
#include "truth.h"

enum {
    TRIP_SAID_MAX = 16384,
    TRIP_SAID_VALUES = 4096,
};

enum trip_said_kind {
    /* TRIP_PLAIN ... TRIP_EXCEPT, and then */
    TRIP_SAID_Q = TRIP_EXCEPT + 1, /* `value` instructions whose path is not known; 0: nobody knows
                                      how many */
};

struct trip_said_entry {
    uint8_t kind;
    bool announced;   /* a discontinuity in front */
    bool transaction; /* inside a committed one */
    bool uncertain;   /* a branch, directly before a loss */
    uint16_t type;    /* of an exception */
    uint32_t op;      /* TRIP_NO_OP: none of the program's */
    uint32_t context; /* index */
    uint64_t value;   /* Q: instructions; Exception: its address */
};

/* A timestamp or cycle count, and how many entries were there before it. */
struct trip_said_value {
    uint64_t value; /* 0: unknown */
    uint32_t entry;
    uint32_t event; /* how many Events were there before it */
};

struct trip_said {
    uint32_t count;
    uint32_t context_count;
    uint32_t event_count;
    uint32_t timestamp_count;
    uint32_t cycle_count;
    uint32_t overflows;
    uint32_t syncs;
    struct trip_said_entry entries[TRIP_SAID_MAX];
    uint32_t truth_at[TRIP_SAID_MAX]; /* which of the truth's an entry is: trip_compare */
    struct cairn_context contexts[TRIP_SAID_MAX];
    uint8_t events[TRIP_SAID_VALUES];
    struct trip_said_value timestamps[TRIP_SAID_VALUES];
    struct trip_said_value cycles[TRIP_SAID_VALUES];
    char problem[TRIP_PROBLEM_MAX]; /* what no decoder should say of a legal trace, or empty */
};

/* What is forgiven. */
#define TRIP_MAY_LOSE (1u << 0)       /* P0 elements that were never resolved, or overflowed */
#define TRIP_MAY_BEGIN_LATE (1u << 1) /* the bytes are the rest of a trace */

/* Decodes bytes[from ..) in random pieces. False: `problem` says why. */
bool trip_decode(const struct trip_trace *trace, size_t from, const struct trip_program *program,
                 struct peer_random *random, unsigned forgiven, struct trip_said *said);

/* True when it is the truth; otherwise the first difference is in said->problem. */
bool trip_compare(const struct trip_case *trip, const struct trip_truth *truth,
                  struct trip_said *said, unsigned forgiven);

#endif
