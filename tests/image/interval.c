/* SPDX-License-Identifier: BSD-2-Clause */
/* Flattening of claims against looking at every claim for every address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image/interval.h"
#include "scratch.h"

#define MANY 12
#define SPAN 24 /* addresses looked at */
#define NOBODY UINT32_MAX

static uint32_t owner_of(const struct cairn_claim *claims, size_t count, uint64_t address)
{
    const struct cairn_claim *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct cairn_claim *const claim = &claims[i];
        if (claim->first <= address && address <= claim->last &&
            (!best || claim->rank < best->rank))
            best = claim;
    }
    return best ? best->owner : NOBODY;
}

/* Random claims on SPAN addresses from `base`; owners may have several. */
static size_t roll_claims(struct dice *dice, uint64_t base, struct cairn_claim *claims)
{
    const size_t count = (size_t)dice_roll(dice, MANY + 1);
    for (size_t i = 0; i < count; i++) {
        const uint64_t first = dice_roll(dice, SPAN);
        const uint64_t last = first + dice_roll(dice, SPAN - first);
        claims[i] = (struct cairn_claim){.first = base + first,
                                         .last = base + last,
                                         .rank = dice_roll(dice, 1000) * MANY + i,
                                         .owner = (uint32_t)dice_roll(dice, MANY)};
    }
    return count;
}

static void check(const struct cairn_intervals *intervals, const struct cairn_claim *claims,
                  size_t count, uint64_t base)
{
    for (uint64_t n = 0; n < SPAN; n++) {
        const uint32_t owner = owner_of(claims, count, base + n);
        const struct cairn_interval *const found = cairn_intervals_find(intervals, base + n);
        assert_int_equal(found ? found->owner : NOBODY, owner);
        if (!found)
            continue;
        assert_true(found->first <= base + n && base + n <= found->last);
        /* As large as it can be. */
        if (found->first > base)
            assert_int_not_equal(owner_of(claims, count, found->first - 1), owner);
        if (found->last < base + SPAN - 1)
            assert_int_not_equal(owner_of(claims, count, found->last + 1), owner);
    }
}

static void against_the_naive_way(uint64_t base)
{
    struct dice dice = {base | 1};
    for (unsigned round = 0; round < 20000; round++) {
        struct cairn_claim claims[MANY];
        struct cairn_claim sorted[MANY];
        const size_t count = roll_claims(&dice, base, claims);
        memcpy(sorted, claims, sizeof claims);
        struct cairn_intervals intervals;
        assert_int_equal(cairn_intervals_flatten(sorted, count, &intervals), CAIRN_OK);
        check(&intervals, claims, count, base);
        cairn_intervals_clear(&intervals);
    }
}

static void at_the_bottom(void **state)
{
    (void)state;
    against_the_naive_way(0);
}

static void in_the_middle(void **state)
{
    (void)state;
    against_the_naive_way(UINT64_C(0x7ffffffffffffff0));
}

static void at_the_top(void **state)
{
    (void)state;
    against_the_naive_way(UINT64_MAX - SPAN + 1);
}

static void whole_address_space(void **state)
{
    (void)state;
    struct cairn_claim claims[] = {
        {.first = 0, .last = UINT64_MAX, .rank = 2, .owner = 7},
        {.first = 5, .last = 6, .rank = 1, .owner = 8},
    };
    struct cairn_intervals intervals;
    assert_int_equal(cairn_intervals_flatten(claims, 2, &intervals), CAIRN_OK);
    assert_int_equal(intervals.count, 3);
    assert_int_equal(cairn_intervals_find(&intervals, 4)->last, 4);
    assert_int_equal(cairn_intervals_find(&intervals, 6)->owner, 8);
    assert_int_equal(cairn_intervals_find(&intervals, 7)->owner, 7);
    assert_true(cairn_intervals_find(&intervals, 7)->last == UINT64_MAX);
    cairn_intervals_clear(&intervals);
}

static void nothing(void **state)
{
    (void)state;
    struct cairn_intervals intervals;
    assert_int_equal(cairn_intervals_flatten(NULL, 0, &intervals), CAIRN_OK);
    assert_null(cairn_intervals_find(&intervals, 0));
    assert_null(cairn_intervals_find(&intervals, UINT64_MAX));
    cairn_intervals_clear(&intervals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_bottom), cmocka_unit_test(in_the_middle),
        cmocka_unit_test(at_the_top),    cmocka_unit_test(whole_address_space),
        cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests_name("interval", tests, NULL, NULL);
}
