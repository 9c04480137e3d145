/* SPDX-License-Identifier: BSD-2-Clause */
/* Who has what where: at random, beside an array that has an entry an address, also at both ends of all addresses; and
 * many, one behind the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../house/share.h"
#include "capture/perf/held.h"

enum {
    PROCESSES = 3,
    ADDRESSES = 64,
    ROUNDS = TEST_PART(300),
    STEPS = 200,
    MANY = TEST_PART(100000)
};

static uint64_t drawn(uint64_t *seed, uint64_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % below;
}

/* Every address of every process, and what it has from there on. */
static void compare(const struct cairn_perf_held *held, const size_t has[PROCESSES][ADDRESSES],
                    uint64_t base)
{
    for (uint32_t process = 0; process < PROCESSES; process++)
        for (uint64_t at = 0; at < ADDRESSES; at++) {
            const struct cairn_perf_holding *const found =
                cairn_perf_held_from(held, process, base + at);
            uint64_t next = at;

            while (next < ADDRESSES && !has[process][next])
                next++;
            if (next == ADDRESSES) {
                assert_null(found);
                continue;
            }
            assert_non_null(found);
            assert_int_equal(found->process, process);
            assert_int_equal(found->mapping, has[process][next]);
            assert_true(found->first <= base + next && found->last >= base + next);
            assert_true(next == at || found->first == base + next);
        }
}

static void at_random(void **unused)
{
    uint64_t seed = 1;
    (void)unused;

    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint64_t base = round % 3 == 0   ? 0
                              : round % 3 == 1 ? 0x1000
                                               : UINT64_MAX - (ADDRESSES - 1);
        size_t has[PROCESSES][ADDRESSES] = {{0}};
        struct cairn_perf_held held = {0};

        for (size_t step = 1; step <= STEPS; step++) {
            const uint32_t process = (uint32_t)drawn(&seed, PROCESSES);
            const uint64_t first = drawn(&seed, ADDRESSES);
            const uint64_t room = ADDRESSES - first;
            const uint64_t last = first + drawn(&seed, step % 2 ? room : 1 + room / 8);

            assert_int_equal(
                cairn_perf_hold(
                    &held, &(struct cairn_perf_holding){process, base + first, base + last, step}),
                CAIRN_OK);
            for (uint64_t at = first; at <= last; at++)
                has[process][at] = step;
            compare(&held, has, base);
        }
        cairn_perf_held_clear(&held);
    }
}

/* In order, which a tree without balance would take the square of the time for; then one in place of all. */
static void in_order(void **unused)
{
    struct cairn_perf_held held = {0};
    (void)unused;

    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(
            cairn_perf_hold(&held, &(struct cairn_perf_holding){7, 16 * i, 16 * i + 7, i}),
            CAIRN_OK);
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(cairn_perf_held_from(&held, 7, 16 * i)->mapping, i);
    assert_int_equal(
        cairn_perf_hold(&held, &(struct cairn_perf_holding){7, 4, 16 * (MANY - 1) + 3, MANY}),
        CAIRN_OK);
    assert_int_equal(cairn_perf_held_from(&held, 7, 3)->mapping, 0);
    assert_int_equal(cairn_perf_held_from(&held, 7, 4)->mapping, MANY);
    assert_int_equal(cairn_perf_held_from(&held, 7, 16 * (MANY - 1) + 4)->mapping, MANY - 1);
    assert_null(cairn_perf_held_from(&held, 7, 16 * (uint64_t)MANY));
    cairn_perf_held_clear(&held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_random), cmocka_unit_test(in_order)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
