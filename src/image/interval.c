/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/interval.h"

#include <stdbool.h>
#include <stdlib.h>

/* The claims that have begun at the sweep's position, the lowest rank on top. Claims that have
 * ended stay until they come to the top. */
struct heap {
    const struct cairn_claim **list;
    size_t count;
};

static void heap_push(struct heap *heap, const struct cairn_claim *claim)
{
    size_t at = heap->count++;
    while (at > 0) {
        const size_t parent = (at - 1) / 2;
        if (heap->list[parent]->rank <= claim->rank)
            break;
        heap->list[at] = heap->list[parent];
        at = parent;
    }
    heap->list[at] = claim;
}

static void heap_pop(struct heap *heap)
{
    const struct cairn_claim *const claim = heap->list[--heap->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && heap->list[child + 1]->rank < heap->list[child]->rank)
            child++;
        if (claim->rank <= heap->list[child]->rank)
            break;
        heap->list[at] = heap->list[child];
        at = child;
    }
    heap->list[at] = claim;
}

static int by_first(const void *left, const void *right)
{
    const struct cairn_claim *const a = left;
    const struct cairn_claim *const b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Symbols are sorted already, and most recordings have their memory in order. */
static void sort(struct cairn_claim *claims, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (by_first(&claims[i - 1], &claims[i]) > 0) {
            qsort(claims, count, sizeof *claims, by_first);
            return;
        }
}

static void append(struct cairn_intervals *intervals, uint64_t first, uint64_t last, uint32_t owner)
{
    if (intervals->count > 0) {
        struct cairn_interval *const previous = &intervals->list[intervals->count - 1];
        if (previous->owner == owner && previous->last + 1 == first) {
            previous->last = last;
            return;
        }
    }
    intervals->list[intervals->count++] =
        (struct cairn_interval){.first = first, .last = last, .owner = owner};
}

/* Sweeps upwards. Each step ends where the winner ends or where the next claim begins, so that
 * there are at most two steps a claim, which is what `intervals` has room for. */
static void sweep(const struct cairn_claim *claims, size_t count, struct heap *heap,
                  struct cairn_intervals *intervals)
{
    size_t next = 0;
    uint64_t position = 0;
    for (;;) {
        while (heap->count > 0 && heap->list[0]->last < position)
            heap_pop(heap);
        if (heap->count == 0) {
            if (next == count)
                return;
            position = claims[next].first;
        }
        while (next < count && claims[next].first <= position)
            heap_push(heap, &claims[next++]);
        const struct cairn_claim *const winner = heap->list[0];
        uint64_t last = winner->last;
        if (next < count && claims[next].first <= last)
            last = claims[next].first - 1;
        append(intervals, position, last, winner->owner);
        if (last == UINT64_MAX)
            return;
        position = last + 1;
    }
}

cairn_status cairn_intervals_flatten(struct cairn_claim *claims, size_t count,
                                     struct cairn_intervals *intervals)
{
    if (count == 0) {
        *intervals = (struct cairn_intervals){0};
        return CAIRN_OK;
    }
    if (count > SIZE_MAX / (2 * sizeof *intervals->list))
        return CAIRN_E_MEMORY;
    struct heap heap = {.list = malloc(count * sizeof *heap.list)};
    struct cairn_intervals result = {.list = malloc(2 * count * sizeof *result.list)};
    if (!heap.list || !result.list) {
        free(heap.list);
        free(result.list);
        return CAIRN_E_MEMORY;
    }
    sort(claims, count);
    sweep(claims, count, &heap, &result);
    free(heap.list);
    struct cairn_interval *const trimmed = realloc(result.list, result.count * sizeof *result.list);
    if (trimmed)
        result.list = trimmed;
    *intervals = result;
    return CAIRN_OK;
}

/* The first interval that is not below the address. */
static size_t not_below(const struct cairn_intervals *intervals, uint64_t address)
{
    size_t low = 0;
    size_t high = intervals->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (intervals->list[middle].last < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct cairn_interval *cairn_intervals_find(const struct cairn_intervals *intervals,
                                                  uint64_t address)
{
    const size_t at = not_below(intervals, address);

    if (at == intervals->count || intervals->list[at].first > address)
        return NULL;
    return &intervals->list[at];
}

const struct cairn_interval *cairn_intervals_around(const struct cairn_intervals *intervals,
                                                    uint64_t address, uint64_t *first,
                                                    uint64_t *last)
{
    const size_t at = not_below(intervals, address);

    if (at < intervals->count && intervals->list[at].first <= address) {
        *first = intervals->list[at].first;
        *last = intervals->list[at].last;
        return &intervals->list[at];
    }
    *first = at > 0 ? intervals->list[at - 1].last + 1 : 0;
    *last = at < intervals->count ? intervals->list[at].first - 1 : UINT64_MAX;
    return NULL;
}

bool cairn_intervals_gap(const struct cairn_intervals *intervals, uint64_t address, uint64_t *first,
                         uint64_t *last)
{
    uint64_t from, until;

    if (cairn_intervals_around(intervals, address, &from, &until))
        return false;
    *first = from;
    *last = until;
    return true;
}

void cairn_intervals_clear(struct cairn_intervals *intervals)
{
    free(intervals->list);
    *intervals = (struct cairn_intervals){0};
}
