/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims for a time on addresses, against asking every claim for every address and offset; and how
 * much work it is to go through many of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image/timeline.h"
#include "scratch.h"

#define SPAN 40    /* addresses looked at */
#define OFFSETS 30 /* and offsets */
#define MOST 60    /* claims */

struct world {
    uint64_t base;
    uint64_t begin; /* the lowest offset */
    size_t count;
    struct cairn_timed_claim claims[MOST];
    struct cairn_timeline *timeline;
};

static const struct cairn_timed_claim *expected(const struct world *world, uint64_t address,
                                                uint64_t offset)
{
    const struct cairn_timed_claim *best = NULL;
    for (size_t i = 0; i < world->count; i++) {
        const struct cairn_timed_claim *const c = &world->claims[i];
        if (c->first <= address && address <= c->last && c->from <= offset && offset <= c->until &&
            (!best || c->rank < best->rank))
            best = c;
    }
    return best;
}

static uint64_t rank_at(const struct world *world, uint64_t address, uint64_t offset)
{
    const struct cairn_timed_claim *const claim = expected(world, address, offset);
    return claim ? claim->rank : UINT64_MAX;
}

static void open_world(struct world *world, struct dice *dice, uint64_t base, uint64_t begin)
{
    struct cairn_timed_claim *const claims = calloc(MOST, sizeof *claims);
    assert_non_null(claims);
    *world =
        (struct world){.base = base, .begin = begin, .count = (size_t)dice_roll(dice, MOST + 1)};
    for (size_t i = 0; i < world->count; i++) {
        struct cairn_timed_claim *const c = &world->claims[i];
        const uint64_t first = dice_roll(dice, SPAN);
        const uint64_t from = dice_roll(dice, OFFSETS);
        const bool is_long = dice_roll(dice, 4) == 0;
        c->first = base + first;
        c->last = c->first + dice_roll(dice, is_long ? SPAN - first : 1 + (SPAN - first) / 8);
        c->from = begin + from;
        c->until = c->from + dice_roll(dice, is_long ? OFFSETS - from : 1 + (OFFSETS - from) / 8);
        c->rank = dice_roll(dice, 1000) << 32 | i;
        c->owner = (uint32_t)i;
    }
    memcpy(claims, world->claims, sizeof world->claims);
    assert_int_equal(cairn_timeline_new(claims, world->count, &world->timeline), CAIRN_OK);
}

/* As far as possible from `address`, over addresses whose winner is not below `rank`. */
static void check_clip(const struct world *world, uint64_t rank, uint64_t address, uint64_t offset)
{
    const uint64_t top = world->base + SPAN - 1;
    uint64_t first = address;
    uint64_t last = address;
    uint64_t got_first = world->base;
    uint64_t got_last = top;
    if (rank_at(world, address, offset) < rank)
        return;
    while (first > world->base && rank_at(world, first - 1, offset) >= rank)
        first--;
    while (last < top && rank_at(world, last + 1, offset) >= rank)
        last++;
    cairn_timeline_clip(world->timeline, rank, address, &got_first, &got_last);
    assert_int_equal(got_first, first);
    assert_int_equal(got_last, last);
}

static void check_hold(const struct world *world, uint64_t offset)
{
    uint64_t from = world->begin;
    uint64_t until = world->begin + OFFSETS - 1;
    cairn_timeline_hold(world->timeline, &from, &until);
    assert_true(from <= offset && offset <= until);
    for (size_t i = 0; i < world->count; i++) {
        const struct cairn_timed_claim *const c = &world->claims[i];
        const bool holds = c->from <= offset && offset <= c->until;
        assert_int_equal(c->from <= from && from <= c->until, holds);
        assert_int_equal(c->from <= until && until <= c->until, holds);
    }
    /* No narrower than it must be: something begins or ends on either side. */
    bool below = from == world->begin;
    bool above = until == world->begin + OFFSETS - 1;
    for (size_t i = 0; i < world->count; i++) {
        below = below || world->claims[i].from == from || world->claims[i].until == from - 1;
        above = above || world->claims[i].from - 1 == until || world->claims[i].until == until;
    }
    assert_true(below && above);
}

static void check_offset(const struct world *world, struct dice *dice, uint64_t offset)
{
    cairn_timeline_move(world->timeline, offset);
    check_hold(world, offset);
    for (uint64_t n = 0; n < SPAN; n++) {
        const uint64_t address = world->base + n;
        const struct cairn_timed_claim *const want = expected(world, address, offset);
        const struct cairn_timed_claim *const got = cairn_timeline_find(world->timeline, address);
        assert_int_equal(got != NULL, want != NULL);
        if (want)
            assert_memory_equal(got, want, sizeof *want);
        if (want)
            check_clip(world, want->rank, address, offset);
        check_clip(world, dice_roll(dice, 1000) << 32, address, offset);
    }
}

static void against_the_naive_way(uint64_t base, uint64_t begin)
{
    static struct world world;
    struct dice dice = {base ^ begin ^ 5};
    for (unsigned round = 0; round < 60; round++) {
        open_world(&world, &dice, base, begin);
        for (uint64_t n = 0; n < OFFSETS; n++)
            check_offset(&world, &dice, begin + n);
        for (uint64_t n = OFFSETS; n-- > 0;)
            check_offset(&world, &dice, begin + n);
        for (unsigned step = 0; step < 20; step++)
            check_offset(&world, &dice, begin + dice_roll(&dice, OFFSETS));
        cairn_timeline_free(world.timeline);
    }
}

static void at_the_bottom(void **state)
{
    (void)state;
    against_the_naive_way(0, 0);
}

static void at_the_top(void **state)
{
    (void)state;
    against_the_naive_way(UINT64_MAX - SPAN + 1, UINT64_MAX - OFFSETS + 1);
}

static void without_claims(void **state)
{
    (void)state;
    struct cairn_timeline *timeline = NULL;
    uint64_t first = 0, last = UINT64_MAX;
    assert_int_equal(cairn_timeline_new(NULL, 0, &timeline), CAIRN_OK);
    cairn_timeline_move(timeline, 7);
    assert_null(cairn_timeline_find(timeline, 0));
    cairn_timeline_clip(timeline, UINT64_MAX, 5, &first, &last);
    assert_int_equal(first, 0);
    assert_int_equal(last, UINT64_MAX);
    cairn_timeline_hold(timeline, &first, &last);
    assert_int_equal(first, 0);
    assert_int_equal(last, UINT64_MAX);
    cairn_timeline_free(timeline);
    cairn_timeline_free(NULL);
}

/* Every claim begins and ends once, whatever else there is: log2 of 2^17 segments and of 2^16
 * claims that share a node bound what one change touches. */
static void work_of_many(void **state)
{
    enum { COUNT = 1 << 16, SEGMENT_LEVELS = 18, CLAIM_LEVELS = 16 };
    struct cairn_timed_claim *const claims = calloc(COUNT, sizeof *claims);
    struct cairn_timeline *timeline = NULL;
    struct dice dice = {17};
    (void)state;
    assert_non_null(claims);
    for (uint64_t i = 0; i < COUNT; i++) {
        claims[i] = (struct cairn_timed_claim){
            .from = 10 * i, .until = i % 3 ? 10 * i + 9 : UINT64_MAX, .rank = COUNT - i};
        claims[i].first = dice_roll(&dice, 1 << 20);
        claims[i].last = claims[i].first + dice_roll(&dice, i % 100 ? 64 : 1 << 20);
    }
    assert_int_equal(cairn_timeline_new(claims, COUNT, &timeline), CAIRN_OK);
    for (uint64_t i = 0; i < COUNT; i++)
        cairn_timeline_move(timeline, 10 * i + 5);
    const uint64_t nodes = 2 * SEGMENT_LEVELS;
    const uint64_t change = nodes * (1 + CLAIM_LEVELS) + 2 * SEGMENT_LEVELS + 2;
    assert_true(cairn_timeline_work(timeline) <= 2 * COUNT * change);
    /* Back to the middle of the same epoch, and again: nothing. */
    const uint64_t before = cairn_timeline_work(timeline);
    cairn_timeline_move(timeline, 10 * (COUNT - 1) + 3);
    assert_int_equal(cairn_timeline_work(timeline), before);
    /* And all that ended long ago is not touched again. */
    cairn_timeline_move(timeline, 10 * (COUNT - 2) + 3);
    assert_true(cairn_timeline_work(timeline) - before <= 4 * change);
    cairn_timeline_free(timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_bottom),
        cmocka_unit_test(at_the_top),
        cmocka_unit_test(without_claims),
        cmocka_unit_test(work_of_many),
    };
    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
