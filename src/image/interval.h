/* SPDX-License-Identifier: BSD-2-Clause */
/* Overlapping claims on addresses, flattened once into disjoint intervals for binary search. */
#ifndef CAIRN_IMAGE_INTERVAL_H
#define CAIRN_IMAGE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

/* Somebody wants the addresses first..last, both included (so that 2^64 - 1 can be claimed). Of the
 * claims on one address the lowest rank wins. Ranks are distinct. */
struct cairn_claim {
    uint64_t first;
    uint64_t last;
    uint64_t rank;
    uint32_t owner;
};

/* The addresses first..last belong to `owner`. Neighbours of one owner are always merged. */
struct cairn_interval {
    uint64_t first;
    uint64_t last;
    uint32_t owner;
};

/* Disjoint, ascending. All zero is an empty list. */
struct cairn_intervals {
    struct cairn_interval *list;
    size_t count;
};

/* Flattens `count` claims, which are sorted in place, into *intervals, whose former content is not
 * freed. O(n log n). CAIRN_E_MEMORY leaves *intervals alone. */
CAIRN_MUST_CHECK cairn_status cairn_intervals_flatten(struct cairn_claim *claims, size_t count,
                                                      struct cairn_intervals *intervals);

/* The interval that contains `address`, or NULL. */
const struct cairn_interval *cairn_intervals_find(const struct cairn_intervals *intervals,
                                                  uint64_t address);

/* The same, with the addresses around it that the interval has, or if there is none nobody has. */
const struct cairn_interval *cairn_intervals_around(const struct cairn_intervals *intervals,
                                                    uint64_t address, uint64_t *first,
                                                    uint64_t *last);

/* The addresses around one that nobody has, both included. False: somebody has it. */
bool cairn_intervals_gap(const struct cairn_intervals *intervals, uint64_t address, uint64_t *first,
                         uint64_t *last);

void cairn_intervals_clear(struct cairn_intervals *intervals);

#endif
