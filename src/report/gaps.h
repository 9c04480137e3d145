/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of gaps as one line a reason: what it cost, and at how many places. */
#ifndef CAIRN_REPORT_GAPS_H
#define CAIRN_REPORT_GAPS_H

#include <cairn/flow.h>

#include "report/told.h"

#define CAIRN_GAP_PLACES 1024 /* more are not told apart */

struct cairn_gap_sum {
    unsigned account; /* enum cairn_account */
    uint64_t packets, bytes, places;
    uint64_t address; /* of the first */
};

struct cairn_gaps {
    size_t count; /* reasons, in the order in which they came; 0: there is no run */
    struct cairn_gap_sum list[CAIRN_LEDGER_ACCOUNTS];
    uint64_t place_count;
    uint64_t places[2 * CAIRN_GAP_PLACES];
    uint8_t place_account[2 * CAIRN_GAP_PLACES]; /* 0 (flow is no gap): free */
};

/* Adds Gap record `index`. */
void cairn_gaps_add(struct cairn_gaps *gaps, const struct cairn_flow_batch *batch, size_t index);

/* "gap: no memory at 0x8000 <f>.. (12 packets, 12 bytes, 3 places)" of one reason. */
void cairn_gaps_write(const struct cairn_gap_sum *sum, struct cairn_told *told,
                      struct cairn_output *output);

/* The run is over. */
void cairn_gaps_clear(struct cairn_gaps *gaps);

/* Where execution goes on behind an exception, if memory is missing right there. */
bool cairn_gaps_target(const struct cairn_flow_batch *batch, size_t index, uint64_t *target);

#endif
