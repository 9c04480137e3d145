/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/session/ranges.h"

#include <stdlib.h>
#include <string.h>

#define RANGES_MAX 4096
#define RANGES_FIRST 64
#define REACH_FIRST 4096 /* a page */

static bool near(const struct cli_ranges *ranges, uint64_t lower, uint64_t upper)
{
    return upper - lower <= ranges->reach;
}

/* The first range that ends at or behind `address`. */
static size_t find(const struct cli_ranges *ranges, uint64_t address)
{
    size_t low = 0, high = ranges->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->items[middle].last < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merges range `at` with the next one where they have come near. */
static void join_next(struct cli_ranges *ranges, size_t at)
{
    if (at + 1 >= ranges->count)
        return;
    struct cli_range *range = &ranges->items[at], *next = range + 1;
    if (!near(ranges, range->last, next->first))
        return;
    range->last = next->last;
    range->count += next->count;
    memmove(next, next + 1, (ranges->count - at - 2) * sizeof *next);
    ranges->count--;
}

/* Fewer, wider ranges. */
static void coarsen(struct cli_ranges *ranges)
{
    while (ranges->count >= RANGES_MAX) {
        size_t kept = 0;
        ranges->reach *= 4;
        for (size_t i = 1; i < ranges->count; i++) {
            struct cli_range *range = &ranges->items[kept];
            if (near(ranges, range->last, ranges->items[i].first)) {
                range->last = ranges->items[i].last;
                range->count += ranges->items[i].count;
            } else {
                ranges->items[++kept] = ranges->items[i];
            }
        }
        ranges->count = kept + 1;
    }
}

static bool grow(struct cli_ranges *ranges)
{
    if (ranges->count < ranges->capacity)
        return true;
    size_t capacity = ranges->capacity ? ranges->capacity * 2 : RANGES_FIRST;
    struct cli_range *items = realloc(ranges->items, capacity * sizeof *items);
    if (!items)
        return false;
    ranges->items = items;
    ranges->capacity = capacity;
    return true;
}

bool cli_ranges_add(struct cli_ranges *ranges, uint64_t address)
{
    if (!ranges->reach)
        ranges->reach = REACH_FIRST;
    size_t at = find(ranges, address);
    if (at < ranges->count &&
        (address >= ranges->items[at].first || near(ranges, address, ranges->items[at].first))) {
        if (address < ranges->items[at].first)
            ranges->items[at].first = address;
        ranges->items[at].count++;
        if (at > 0)
            join_next(ranges, at - 1);
        return true;
    }
    if (at > 0 && near(ranges, ranges->items[at - 1].last, address)) {
        ranges->items[at - 1].last = address;
        ranges->items[at - 1].count++;
        return true;
    }
    coarsen(ranges);
    at = find(ranges, address);
    if (!grow(ranges))
        return false;
    memmove(&ranges->items[at + 1], &ranges->items[at],
            (ranges->count - at) * sizeof *ranges->items);
    ranges->items[at] = (struct cli_range){.first = address, .last = address, .count = 1};
    ranges->count++;
    return true;
}

void cli_ranges_free(struct cli_ranges *ranges)
{
    free(ranges->items);
    *ranges = (struct cli_ranges){0};
}
