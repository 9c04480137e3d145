/* SPDX-License-Identifier: BSD-2-Clause */
/* Percentiles and bins of values whose ranks are known: they ascend by the same step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/spread.h"

enum { FIRST = 1000010, STEP = 1000 };

static uint64_t value_of(uint32_t rank)
{
    return FIRST + (uint64_t)(rank - 1) * STEP;
}

static void fill(struct cairn_spread *spread, uint32_t count)
{
    for (uint32_t rank = count; rank > 0; rank--)
        assert_int_equal(cairn_spread_add(spread, value_of(rank)), CAIRN_OK);
    cairn_spread_sort(spread);
}

static void few_are_exact(void **state)
{
    struct cairn_spread spread = {0};

    (void)state;
    fill(&spread, 1000);
    assert_false(spread.is_rounded);
    for (unsigned part = 1; part <= 1000; part++)
        assert_int_equal(cairn_spread_at(&spread, part), value_of(part));
    assert_int_equal(cairn_spread_between(&spread, value_of(10), value_of(20)), 10);
    assert_int_equal(cairn_spread_between(&spread, value_of(991), 0), 10);
    cairn_spread_free(&spread);
}

static void many_are_rounded_to_their_side(void **state)
{
    const uint32_t count = CAIRN_SPREAD_MAX + 37856; /* 300 of each thousandth */
    struct cairn_spread low = {0}, high = {.rounds_up = true};

    (void)state;
    fill(&low, count);
    fill(&high, count);
    assert_true(low.is_rounded && high.is_rounded);
    for (unsigned part = 1; part <= 1000; part++) {
        const uint64_t value = value_of(part * (count / 1000));
        const uint64_t below = cairn_spread_at(&low, part), above = cairn_spread_at(&high, part);

        assert_in_range(below, value - value / 2048, value);
        assert_in_range(above, value, value + value / 2048);
        assert_in_range(below, low.least, low.greatest);
        assert_in_range(above, high.least, high.greatest);
    }
    assert_int_equal(cairn_spread_between(&low, low.least, low.greatest + 1), count);
    assert_int_equal(cairn_spread_between(&high, high.least, high.greatest + 1), count);
    cairn_spread_free(&low);
    cairn_spread_free(&high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_are_exact),
        cmocka_unit_test(many_are_rounded_to_their_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
