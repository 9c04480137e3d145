/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters (DDI0608 D7.7). Pure functions of what is programmed, the counter values and the resource
 * events of a clock. */
#ifndef CAIRN_UNIT_ETMV4_COUNTERS_H
#define CAIRN_UNIT_ETMV4_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#define CAIRN_UNIT_COUNTERS 4u

struct cairn_counter_program {
    uint16_t reload_value; /* TRCCNTRLDVR.VALUE */
    bool self_reload;      /* TRCCNTCTLR.RLDSELF */
    bool chained;          /* TRCCNTCTLR.CNTCHAIN: of counters 1 and 3 */
};

struct cairn_counters {
    uint16_t value[CAIRN_UNIT_COUNTERS]; /* TRCCNTVR.VALUE */
};

/* The resource events of a clock: bit n is of counter n. */
struct cairn_counter_events {
    uint8_t decrement; /* CNTEVENT */
    uint8_t reload;    /* RLDEVENT */
};

/* EvalAllCounters (D7.7.2): one clock. Bit n of what it returns: CounterAtZero[n]; `*reloads`, if
 * not NULL, gets those that reloaded. */
uint8_t cairn_counters_evaluate(struct cairn_counters *counters,
                                const struct cairn_counter_program program[CAIRN_UNIT_COUNTERS],
                                struct cairn_counter_events events, uint8_t *reloads);

/* CounterAtZero while there are no events. */
uint8_t cairn_counters_at_rest(const struct cairn_counters *counters,
                               const struct cairn_counter_program program[CAIRN_UNIT_COUNTERS]);

/* For how many clocks with the same events CounterAtZero of the `observed` counters stays `at_zero`;
 * UINT64_MAX: for ever. Counters that a chain makes others depend on have to be observed if those
 * are. */
uint64_t cairn_counters_steady(const struct cairn_counters *counters,
                               const struct cairn_counter_program program[CAIRN_UNIT_COUNTERS],
                               struct cairn_counter_events events, uint8_t observed,
                               uint8_t at_zero);

/* The values so many clocks with the same events later. Returns the counters that reloaded or reached
 * zero on the way. */
uint8_t cairn_counters_advance(struct cairn_counters *counters,
                               const struct cairn_counter_program program[CAIRN_UNIT_COUNTERS],
                               struct cairn_counter_events events, uint64_t clocks);

#endif
