/* SPDX-License-Identifier: BSD-2-Clause */
/* A segment tree over the addresses at which claims begin or end. A claim stands in the O(log n)
 * nodes that make up its addresses, and all its places there are set aside beforehand: whether it
 * holds is all that changes. What wins in a node is the root of a tournament among those it has. */
#include "image/timeline.h"

#include <stdbool.h>
#include <stdlib.h>

#define NOBODY UINT32_MAX
#define COVER_MAX 128 /* nodes that make up any stretch: two a level */

/* A claim is known by its position in `list`, so that the lower one wins. */
struct cairn_timeline {
    struct cairn_timed_claim *list; /* by rank */
    size_t count;
    uint32_t *starts; /* by `from` */
    uint32_t *ends;   /* by `until` */
    size_t started;   /* of `starts`, at or before the present offset */
    size_t ended;     /* of `ends`, before it */
    bool *holds;

    uint64_t *bounds; /* segment i begins at bounds[i] and ends before bounds[i + 1], or at 2^64 */
    size_t segments;
    size_t leaves;  /* a power of two; node 1 is the root, 2n and 2n + 1 are the parts of n */
    uint32_t *best; /* a node: the lowest claim that holds in a part of it */
    size_t *slices; /* node n has the claims members[slices[n] .. slices[n + 1]), ascending */
    uint32_t *members;
    uint32_t *winners; /* node n's tournament is from winners[2 * slices[n]], its root in place 1 */

    uint64_t work;
};

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_rank(const void *left, const void *right)
{
    const struct cairn_timed_claim *const a = left;
    const struct cairn_timed_claim *const b = right;
    return compare(a->rank, b->rank);
}

static int by_value(const void *left, const void *right)
{
    return compare(*(const uint64_t *)left, *(const uint64_t *)right);
}

static int by_from(const void *left, const void *right, void *context)
{
    const struct cairn_timed_claim *const list = context;
    return compare(list[*(const uint32_t *)left].from, list[*(const uint32_t *)right].from);
}

static int by_until(const void *left, const void *right, void *context)
{
    const struct cairn_timed_claim *const list = context;
    return compare(list[*(const uint32_t *)left].until, list[*(const uint32_t *)right].until);
}

/* How many segments begin at or below an address. */
static size_t segments_to(const struct cairn_timeline *timeline, uint64_t address)
{
    size_t low = 0;
    size_t high = timeline->segments;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (timeline->bounds[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The nodes that make up a claim's addresses; their number. */
static size_t cover(const struct cairn_timeline *timeline, const struct cairn_timed_claim *claim,
                    size_t nodes[COVER_MAX])
{
    size_t low = timeline->leaves + segments_to(timeline, claim->first) - 1;
    size_t high = timeline->leaves + segments_to(timeline, claim->last);
    size_t count = 0;
    for (; low < high; low /= 2, high /= 2) {
        if (low & 1)
            nodes[count++] = low++;
        if (high & 1)
            nodes[count++] = --high;
    }
    return count;
}

/* --- making --- */

static void make_bounds(struct cairn_timeline *timeline)
{
    uint64_t *const bounds = timeline->bounds;
    size_t count = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        bounds[count++] = timeline->list[i].first;
        if (timeline->list[i].last != UINT64_MAX)
            bounds[count++] = timeline->list[i].last + 1;
    }
    if (count > 0)
        qsort(bounds, count, sizeof *bounds, by_value);
    for (size_t i = 0; i < count; i++) {
        if (timeline->segments == 0 || bounds[timeline->segments - 1] != bounds[i])
            bounds[timeline->segments++] = bounds[i];
    }
    timeline->leaves = 1;
    while (timeline->leaves < timeline->segments)
        timeline->leaves *= 2;
}

static void make_orders(struct cairn_timeline *timeline)
{
    for (size_t i = 0; i < timeline->count; i++)
        timeline->starts[i] = timeline->ends[i] = (uint32_t)i;
    if (timeline->count == 0)
        return;
    qsort_r(timeline->starts, timeline->count, sizeof *timeline->starts, by_from, timeline->list);
    qsort_r(timeline->ends, timeline->count, sizeof *timeline->ends, by_until, timeline->list);
}

/* Sizes in `slices`, made into ends; filling from the last claim down makes them beginnings. */
static bool make_slices(struct cairn_timeline *timeline)
{
    size_t nodes[COVER_MAX];
    size_t sum = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        const size_t count = cover(timeline, &timeline->list[i], nodes);
        for (size_t k = 0; k < count; k++)
            timeline->slices[nodes[k]]++;
    }
    for (size_t node = 0; node <= 2 * timeline->leaves; node++) {
        sum += timeline->slices[node];
        timeline->slices[node] = sum;
    }
    timeline->members = calloc(sum + 1, sizeof *timeline->members);
    timeline->winners = calloc(sum + 1, 2 * sizeof *timeline->winners);
    if (!timeline->members || !timeline->winners)
        return false;
    for (size_t i = 0; i < 2 * sum; i++)
        timeline->winners[i] = NOBODY;
    for (size_t i = timeline->count; i-- > 0;) {
        const size_t count = cover(timeline, &timeline->list[i], nodes);
        for (size_t k = 0; k < count; k++)
            timeline->members[--timeline->slices[nodes[k]]] = (uint32_t)i;
    }
    return true;
}

static bool make(struct cairn_timeline *timeline)
{
    const size_t count = timeline->count;
    timeline->starts = calloc(count + 1, sizeof *timeline->starts);
    timeline->ends = calloc(count + 1, sizeof *timeline->ends);
    timeline->holds = calloc(count + 1, sizeof *timeline->holds);
    timeline->bounds = calloc(count + 1, 2 * sizeof *timeline->bounds);
    if (!timeline->starts || !timeline->ends || !timeline->holds || !timeline->bounds)
        return false;
    if (count > 0)
        qsort(timeline->list, count, sizeof *timeline->list, by_rank);
    make_orders(timeline);
    make_bounds(timeline);
    timeline->best = calloc(timeline->leaves, 2 * sizeof *timeline->best);
    timeline->slices = calloc(timeline->leaves + 1, 2 * sizeof *timeline->slices);
    if (!timeline->best || !timeline->slices)
        return false;
    for (size_t i = 0; i < 2 * timeline->leaves; i++)
        timeline->best[i] = NOBODY;
    return make_slices(timeline);
}

cairn_status cairn_timeline_new(struct cairn_timed_claim *claims, size_t count,
                                struct cairn_timeline **timeline)
{
    struct cairn_timeline *const made = calloc(1, sizeof *made);
    if (!made) {
        free(claims);
        return CAIRN_E_MEMORY;
    }
    made->list = claims;
    made->count = count;
    if (!make(made)) {
        cairn_timeline_free(made);
        return CAIRN_E_MEMORY;
    }
    *timeline = made;
    return CAIRN_OK;
}

void cairn_timeline_free(struct cairn_timeline *timeline)
{
    if (!timeline)
        return;
    free(timeline->list);
    free(timeline->starts);
    free(timeline->ends);
    free(timeline->holds);
    free(timeline->bounds);
    free(timeline->best);
    free(timeline->slices);
    free(timeline->members);
    free(timeline->winners);
    free(timeline);
}

/* --- moving --- */

static uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static size_t members_of(const struct cairn_timeline *timeline, size_t node)
{
    return timeline->slices[node + 1] - timeline->slices[node];
}

/* The lowest claim that holds and has the whole node. */
static uint32_t winner(const struct cairn_timeline *timeline, size_t node)
{
    return members_of(timeline, node) > 0 ? timeline->winners[2 * timeline->slices[node] + 1]
                                          : NOBODY;
}

static void refresh(struct cairn_timeline *timeline, size_t node)
{
    uint32_t best = winner(timeline, node);
    if (node < timeline->leaves)
        best = lower(best, lower(timeline->best[2 * node], timeline->best[2 * node + 1]));
    timeline->best[node] = best;
    timeline->work++;
}

static void change_node(struct cairn_timeline *timeline, size_t node, uint32_t claim, bool holds)
{
    const uint32_t *const members = timeline->members + timeline->slices[node];
    uint32_t *const winners = timeline->winners + 2 * timeline->slices[node];
    const size_t count = members_of(timeline, node);
    size_t low = 0;
    size_t high = count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (members[middle] < claim)
            low = middle + 1;
        else
            high = middle;
    }
    winners[count + low] = holds ? claim : NOBODY;
    for (size_t at = (count + low) / 2; at > 0; at /= 2) {
        winners[at] = lower(winners[2 * at], winners[2 * at + 1]);
        timeline->work++;
    }
    refresh(timeline, node);
}

static void refresh_above(struct cairn_timeline *timeline, size_t segment)
{
    for (size_t node = (timeline->leaves + segment) / 2; node > 0; node /= 2)
        refresh(timeline, node);
}

static void change(struct cairn_timeline *timeline, uint32_t index, bool holds)
{
    const struct cairn_timed_claim *const claim = &timeline->list[index];
    size_t nodes[COVER_MAX];
    if (timeline->holds[index] == holds)
        return;
    timeline->holds[index] = holds;
    const size_t count = cover(timeline, claim, nodes);
    for (size_t i = 0; i < count; i++)
        change_node(timeline, nodes[i], index, holds);
    /* Each of these nodes hangs on the way up from the first or the last segment. */
    refresh_above(timeline, segments_to(timeline, claim->first) - 1);
    refresh_above(timeline, segments_to(timeline, claim->last) - 1);
}

/* Claims that are passed as a whole never hold on the way. */
bool cairn_timeline_move(struct cairn_timeline *timeline, uint64_t offset)
{
    const struct cairn_timed_claim *const list = timeline->list;
    const uint32_t *const starts = timeline->starts;
    const uint32_t *const ends = timeline->ends;
    const uint64_t work = timeline->work;
    for (; timeline->ended > 0 && list[ends[timeline->ended - 1]].until >= offset;
         timeline->work++) {
        const uint32_t index = ends[--timeline->ended];
        change(timeline, index, list[index].from <= offset);
    }
    for (; timeline->started > 0 && list[starts[timeline->started - 1]].from > offset;
         timeline->work++)
        change(timeline, starts[--timeline->started], false);
    for (; timeline->started < timeline->count && list[starts[timeline->started]].from <= offset;
         timeline->work++) {
        const uint32_t index = starts[timeline->started++];
        change(timeline, index, list[index].until >= offset);
    }
    for (; timeline->ended < timeline->count && list[ends[timeline->ended]].until < offset;
         timeline->work++)
        change(timeline, ends[timeline->ended++], false);
    return timeline->work != work;
}

void cairn_timeline_hold(const struct cairn_timeline *timeline, uint64_t *from, uint64_t *until)
{
    const struct cairn_timed_claim *const list = timeline->list;
    const size_t started = timeline->started;
    const size_t ended = timeline->ended;
    if (started > 0 && list[timeline->starts[started - 1]].from > *from)
        *from = list[timeline->starts[started - 1]].from;
    if (ended > 0 && list[timeline->ends[ended - 1]].until + 1 > *from)
        *from = list[timeline->ends[ended - 1]].until + 1;
    if (started < timeline->count && list[timeline->starts[started]].from - 1 < *until)
        *until = list[timeline->starts[started]].from - 1;
    if (ended < timeline->count && list[timeline->ends[ended]].until < *until)
        *until = list[timeline->ends[ended]].until;
}

/* --- asking --- */

const struct cairn_timed_claim *cairn_timeline_find(const struct cairn_timeline *timeline,
                                                    uint64_t address)
{
    const size_t segments = segments_to(timeline, address);
    uint32_t found = NOBODY;
    if (segments == 0)
        return NULL;
    for (size_t node = timeline->leaves + segments - 1; node > 0; node /= 2)
        found = lower(found, winner(timeline, node));
    return found == NOBODY ? NULL : &timeline->list[found];
}

/* How many claims have a rank below `rank`. */
static uint32_t claims_below(const struct cairn_timeline *timeline, uint64_t rank)
{
    size_t low = 0;
    size_t high = timeline->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (timeline->list[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* In a node with best[node] < limit: the lowest segment with such a winner, or with `side` 1 the
 * highest. */
static size_t outermost(const struct cairn_timeline *timeline, size_t node, uint32_t limit,
                        size_t side)
{
    bool whole = false;
    while (node < timeline->leaves) {
        whole = whole || winner(timeline, node) < limit;
        node = 2 * node + side;
        if (!whole && timeline->best[node] >= limit)
            node ^= 1;
    }
    return node - timeline->leaves;
}

void cairn_timeline_clip(const struct cairn_timeline *timeline, uint64_t rank, uint64_t address,
                         uint64_t *first, uint64_t *last)
{
    const uint32_t limit = claims_below(timeline, rank);
    const size_t segments = segments_to(timeline, address);
    size_t below = SIZE_MAX;
    size_t above = SIZE_MAX;
    if (timeline->best[1] >= limit)
        return;
    if (segments == 0)
        above = outermost(timeline, 1, limit, 0);
    for (size_t node = segments == 0 ? 1 : timeline->leaves + segments - 1; node > 1; node /= 2) {
        const size_t other = node ^ 1;
        if (timeline->best[other] >= limit)
            continue;
        if (node & 1 && below == SIZE_MAX)
            below = outermost(timeline, other, limit, 1);
        if (!(node & 1) && above == SIZE_MAX)
            above = outermost(timeline, other, limit, 0);
    }
    if (below != SIZE_MAX && timeline->bounds[below + 1] > *first)
        *first = timeline->bounds[below + 1];
    if (above != SIZE_MAX && timeline->bounds[above] - 1 < *last)
        *last = timeline->bounds[above] - 1;
}

uint64_t cairn_timeline_work(const struct cairn_timeline *timeline)
{
    return timeline->work;
}
