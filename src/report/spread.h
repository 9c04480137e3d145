/* SPDX-License-Identifier: BSD-2-Clause */
/* How often each value came of many: least, greatest, mean, percentiles, bins. */
#ifndef CAIRN_REPORT_SPREAD_H
#define CAIRN_REPORT_SPREAD_H

#include <stdbool.h>

#include "base/table.h"

/* Different values that are kept as they are; where there are more, all are rounded to
 * CAIRN_SPREAD_BITS significant bits. Least, greatest and mean stay exact. */
#define CAIRN_SPREAD_MAX (1u << 18)
#define CAIRN_SPREAD_BITS 12u

struct cairn_spread_value {
    uint64_t value;
    uint64_t count;
};

struct cairn_spread {
    uint64_t count, least, greatest;
    double sum;
    struct cairn_spread_value *values; /* ascending once it is sorted */
    uint32_t value_count, capacity;
    struct cairn_table table;
    bool is_rounded;
    bool rounds_up; /* else down */
};

/* Zero it first, but for rounds_up. */
void cairn_spread_free(struct cairn_spread *spread);
CAIRN_MUST_CHECK cairn_status cairn_spread_add(struct cairn_spread *spread, uint64_t value);
/* Nothing is added behind this. */
void cairn_spread_sort(struct cairn_spread *spread);
/* Of a sorted one: the least value that so many thousandths of all are at or below. 0 without values. */
uint64_t cairn_spread_at(const struct cairn_spread *spread, unsigned thousandths);
double cairn_spread_mean(const struct cairn_spread *spread);
/* Of a sorted one: how many values there are from `first` on, below `end` (0: all above). */
uint64_t cairn_spread_between(const struct cairn_spread *spread, uint64_t first, uint64_t end);

#endif
