/* SPDX-License-Identifier: BSD-2-Clause */
/* Four ways to collect trace without stopping the program, under load. Where the timer is fast enough, the watermark
 * leaves room for what comes during the interrupt's latency, and the copy is done before its half is wanted again, no
 * byte is lost, and the flow of what was collected is the run. Where not, what is missing is told to the byte.
 *
 * usage: test_pe_collector [--seeds FROM COUNT] */
#include "collector.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define HALF ((uint32_t)COLLECTOR_HALF)

static struct {
    uint64_t from, count;
} seeds = {0, 60};

static struct collector c;

/* The bounds. An indirect branch is an atom of one byte and an address of at most four (its bits above 16 never
 * change). At least every 256 bytes there is what synchronizes: 12 bytes of A-sync, a Trace Info of 4, an address of
 * 9 with its context of 3 and a Trace On, and a block may be cut by it: less than 7 bytes a block in all. Each
 * session has an exception with its address, and what it begins with, once: less than 128. */
enum { MOST = 7, ONCE = 128 };

/* So many blocks make at most so many bytes, and so many bytes take at least so many blocks. */
static uint32_t bytes_of(uint32_t blocks)
{
    return MOST * blocks + ONCE;
}

static uint32_t blocks_of(uint32_t bytes)
{
    return bytes > ONCE ? (bytes - ONCE) / MOST : 0;
}

static uint32_t between(uint64_t *state, uint32_t low, uint32_t high)
{
    return low + whole_below(state, high - low + 1);
}

/* So fast that a half is copied in that time. */
static uint32_t rate_for(uint32_t blocks)
{
    return HALF / blocks + 1;
}

static struct collector_plan plan_of(uint64_t seed, uint64_t *state)
{
    *state = seed;
    return (struct collector_plan){.method = (enum collector_method)(seed % COLLECTOR_METHODS),
                                   .order = (enum cairn_pe_order)whole_below(state, 3),
                                   .period = COLLECTOR_NEVER};
}

/* A timer by which less than a half comes; or, where interrupts come at once, a watermark above which there is room
 * for what comes until the driver is there. */
static struct collector_plan plan_below(uint64_t seed)
{
    uint64_t state;
    struct collector_plan plan = plan_of(seed, &state);
    const bool marks = plan.method == COLLECTOR_WRAP || plan.method == COLLECTOR_TRIGGER;

    plan.watermark = between(&state, ONCE + 20 * MOST, HALF - ONCE - 20 * MOST);
    plan.latency = between(&state, 0, blocks_of(HALF - plan.watermark) - 1);
    if (marks && plan.order == CAIRN_PE_EARLY) {
        assert_true(plan.watermark + bytes_of(plan.latency) <= HALF);
        plan.rate = rate_for(blocks_of(plan.watermark));
        return plan;
    }
    plan.period = between(&state, 50, blocks_of(HALF));
    assert_true(bytes_of(plan.period) <= HALF);
    plan.rate = rate_for(plan.period);
    if (marks && blocks_of(plan.watermark) < plan.period)
        plan.rate = rate_for(blocks_of(plan.watermark));
    return plan;
}

/* The timer is slow or there is none, the interrupt late, the copy slow. */
static struct collector_plan plan_above(uint64_t seed)
{
    uint64_t state;
    struct collector_plan plan = plan_of(seed, &state);

    plan.watermark = between(&state, 1, HALF);
    plan.latency = between(&state, 0, 1500);
    plan.period = between(&state, 100, 2500);
    plan.rate = between(&state, 2, 16);
    if (plan.order == CAIRN_PE_EARLY && plan.method != COLLECTOR_CIRCULAR &&
        whole_percent(&state, 50))
        plan.period = COLLECTOR_NEVER;
    return plan;
}

static void test_below(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < seeds.count; n++) {
        const uint64_t seed = seeds.from + n;
        const struct collector_plan plan = plan_below(seed);

        collector_run(&c, &plan, seed, COLLECTOR_BLOCKS);
        assert_int_equal(c.lost, 0);
        assert_int_equal(c.taken_size, c.stream_size);
        assert_memory_equal(c.taken, c.stream, c.stream_size);
        assert_true(c.changes > 3);
        collector_assert_flow(&c);
        collector_end(&c);
    }
}

static void test_above(void **state)
{
    uint64_t with_loss[COLLECTOR_METHODS] = {0}, without[COLLECTOR_METHODS] = {0};

    (void)state;
    for (uint64_t n = 0; n < seeds.count; n++) {
        const uint64_t seed = seeds.from + n;
        const struct collector_plan plan = plan_above(seed);

        collector_run(&c, &plan, seed, COLLECTOR_BLOCKS);
        with_loss[plan.method] += c.lost > 0;
        without[plan.method] += c.lost == 0;
        collector_end(&c);
    }
    for (unsigned i = 0; i < COLLECTOR_METHODS && seeds.count >= 60; i++) {
        assert_true(with_loss[i] > seeds.count / 16);
        assert_true(without[i] > 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_below), cmocka_unit_test(test_above)};

    if (argc == 4 && strcmp(argv[1], "--seeds") == 0) {
        seeds.from = strtoull(argv[2], NULL, 0);
        seeds.count = strtoull(argv[3], NULL, 0);
    } else if (argc != 1) {
        fprintf(stderr, "usage: test_pe_collector [--seeds FROM COUNT]\n");
        return 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
