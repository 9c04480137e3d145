/* SPDX-License-Identifier: BSD-2-Clause */
/* One round trip: a program, a trace unit with its options, and the steps that a feed tells it. Any
 * subsequence of the steps is a case again, unless the truth finds it impossible: that is what
 * makes failures shrink. */
#ifndef CAIRN_TESTS_ROUNDTRIP_CASE_H
#define CAIRN_TESTS_ROUNDTRIP_CASE_H

#include <cairn/unit.h>

#include "program.h"

enum {
    TRIP_STEPS_MAX = 2048,
    TRIP_COMPARATORS = 16,
    TRIP_RANGES = 8,
    TRIP_EVENTS = 4,
};

/* Ranges and points are comparator indices, a bit each: range n is comparators 2n and 2n + 1. */
struct trip_options {
    /* what was built */
    enum cairn_protocol_id protocol;
    unsigned minor; /* of the protocol's version */
    uint32_t maxspec;
    uint32_t cycle_bits; /* of the cycle counter: 12 to 20 */
    bool commopt;
    bool commtrans;
    bool timestamp_markers;
    bool waits_are_p0;
    uint32_t choices; /* CAIRN_UNIT_... */
    uint32_t stack_depth;
    uint32_t fifo_bytes;
    uint32_t fifo_drain;
    uint32_t port; /* the most bytes that a port takes at once, at random; 0: there is none */
    uint32_t q_instructions;
    /* what is programmed */
    uint32_t threshold;
    uint32_t sync_period; /* TRCSYNCPR.PERIOD */
    uint32_t q;           /* TRCCONFIGR.QE */
    bool q_includes;
    uint8_t q_ranges;
    bool broadcast;
    bool broadcast_includes;
    uint8_t broadcast_ranges;
    bool cycles;
    bool timestamps;
    bool context_ids;
    bool vmids;
    bool return_stack;
    uint8_t events_traced;
    uint8_t levels_secure; /* not traced, EL n a bit */
    uint8_t levels_nonsecure;
    bool force_errors;
    bool force_resets;
    uint8_t include;
    uint8_t exclude;
    uint16_t start;
    uint16_t stop;
    bool active;         /* TRCVICTLR.SSSTATUS at first */
    uint8_t view_inputs; /* external inputs of which one must be high; 0: none is asked */
    bool view_inverted;  /* ... or none of which may be */
    uint64_t comparators[TRIP_COMPARATORS];
    uint16_t levels_of[TRIP_COMPARATORS]; /* TRCACATR.EXLEVEL_S and _NS, as they lie there */
};

enum trip_step_kind {
    TRIP_ENABLE,
    TRIP_DISABLE,
    TRIP_CONTEXT,
    TRIP_BLOCK,
    TRIP_EXCEPTION,
    TRIP_SYNCHRONIZE,
    TRIP_PROHIBIT,
    TRIP_DEBUG,
    TRIP_LOW_POWER,
    TRIP_CYCLES,
    TRIP_TIME,
    TRIP_CLOCK_STOPPED,
    TRIP_INPUTS,
    TRIP_EVENT,
    TRIP_SPECULATE,
    TRIP_RESOLVE,
    TRIP_CANCEL,
    TRIP_MISPREDICT,
    TRIP_TRANSACTION_START,
    TRIP_TRANSACTION_COMMIT,
    TRIP_TRANSACTION_FAIL,
    TRIP_REQUEST_SYNC,
    TRIP_FLUSH,
    TRIP_POSITION,
    TRIP_STEP_KINDS,
};

struct trip_step {
    uint8_t kind;
    bool on;        /* Block: taken; Prohibit, Debug, Low power, Speculate: begins */
    uint16_t type;  /* Exception: type; Event: number; Inputs: which are high */
    uint32_t id;    /* Block, Exception: its number. Resolve, Cancel: the first behind the mark */
    uint32_t first; /* Block: op; Exception: op at the return address */
    uint32_t count; /* Block: ops */
    uint64_t value; /* Cycles: how many; Time: what it is then */
    struct cairn_context context;
};

struct trip_case {
    uint64_t seed;
    struct trip_program *program;
    struct trip_options options;
    uint32_t count;
    struct trip_step steps[TRIP_STEPS_MAX];
};

/* Draws everything: options.c, steps.c. */
void trip_options_draw(struct trip_options *options, const struct trip_program *program,
                       struct peer_random *random);
void trip_steps_draw(struct trip_case *trip, struct peer_random *random);

/* The registers over the unit's defaults; their names are static. Returns how many. */
enum { TRIP_REGISTERS_MAX = 64 };
size_t trip_options_registers(const struct trip_options *options,
                              struct cairn_register registers[TRIP_REGISTERS_MAX]);

/* Whether every block is viewed. */
bool trip_options_view_all(const struct trip_options *options);

#endif
