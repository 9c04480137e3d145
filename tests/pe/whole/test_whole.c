/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs on a PE whose trace unit, Branch Record Buffer and Performance Monitors are on, at levels at
 * which one or the other is prohibited: the trace decoded, the records and the counts tell of the same execution,
 * and the trace is the same through the Trace Buffer Unit as to another sink.
 *
 * usage: test_pe_whole [--seeds FROM COUNT] */
#include "expect.h"
#include "peer.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS 1500u
#define DEEDS (WHOLE_FAILURE + 1u)
#define ENOUGH 500u /* seeds, for which all is to be seen */
#define STEPS 30u
#define STEPS_MORE 220u

static struct {
    uint64_t from, count;
} seeds = {0, SEEDS};

static struct whole_run run, second;
static struct whole_list flow, merged;
static struct whole_records expected;
static struct whole_program program;
static struct whole_settings settings;

/* Whether something was compared at all. */
static struct {
    unsigned mixes[4]; /* levels of a program: traced | recorded << 1 */
    unsigned full, flows, partial, halves[4], totals, buffers;
    unsigned deeds[DEEDS]; /* runs with each */
    unsigned froze, went_on, kept, swallowed, injected, refused;
} seen;

static unsigned begin(uint64_t seed)
{
    uint64_t state = seed * 2 + 1;

    whole_settings_draw(&settings, &state);
    whole_program_draw(&program, settings.transactions, &state);
    return STEPS + whole_below(&state, STEPS_MORE);
}

static void must_run(struct whole_run *made, uint64_t seed, unsigned steps)
{
    if (!whole_run(made, &settings, &program, seed, steps))
        fail_msg("seed %" PRIu64 ": %s", seed, made->error);
}

/* --- records --- */

/* `by_run`: what a trace does not say is compared, too. */
static bool is_same(const struct cairn_branch *record, const struct cairn_branch *wanted,
                    bool by_run)
{
    const uint32_t flags = by_run ? UINT32_MAX
                                  : CAIRN_BRANCH_SOURCE | CAIRN_BRANCH_TARGET |
                                        CAIRN_BRANCH_MISPREDICTED | CAIRN_BRANCH_TRANSACTIONAL;

    if (by_run && !(wanted->flags & CAIRN_BRANCH_CYCLES_OVERFLOWED) &&
        record->cycles != wanted->cycles)
        return false;
    return ((record->flags ^ wanted->flags) & flags) == 0 && record->source == wanted->source &&
           record->target == wanted->target && record->type == wanted->type &&
           record->EL == wanted->EL;
}

/* How many of the youngest are as expected: all that there can be, or fewer if one differs. */
static size_t agreeing(uint64_t seed, const char *by)
{
    size_t n = 0;

    for (; n < expected.count && n < run.branch_count; n++) {
        const struct cairn_branch *wanted = &expected.records[expected.count - 1 - n];
        const struct cairn_branch *record = &run.branches[n];

        if (is_same(record, wanted, strcmp(by, "run") == 0)) {
            seen.halves[wanted->flags & 3]++;
            continue;
        }
        printf("# seed %" PRIu64 ", by the %s: record %zu is %" PRIx64 " to %" PRIx64
               " type %x EL %u flags %x, and should be %" PRIx64 " to %" PRIx64
               " type %x EL %u flags %x\n",
               seed, by, n, record->source, record->target, record->type, record->EL, record->flags,
               wanted->source, wanted->target, wanted->type, wanted->EL, wanted->flags);
        break;
    }
    if (n < run.branch_count && n == expected.count && !expected.partial)
        printf("# seed %" PRIu64 ", by the %s: %zu records instead of %zu\n", seed, by,
               run.branch_count, n);
    return n;
}

static size_t expected_size(void)
{
    return expected.count < settings.records ? expected.count : settings.records;
}

/* The records are the youngest of the branches that were executed and selected, without one missing. */
static void compare_records(uint64_t seed)
{
    whole_expect_run(&expected, &settings, &run.truth);
    /* proves: R_PKZCF, R_TJGLK, R_HTRNR, R_DTPDK, R_SQLCX */
    assert_int_equal(agreeing(seed, "run"), expected_size());
    assert_int_equal(run.branch_count, expected_size());
    seen.full += expected.count >= settings.records;
}

/* --- the flow --- */

static bool has(unsigned levels, unsigned level)
{
    return level < WHOLE_LEVELS && (levels >> level & 1);
}

/* An event as the trace has it, where only some levels are traced. False: it has it not. */
static bool project(const struct whole_event *event, struct whole_event *traced)
{
    const unsigned levels = whole_traced(&settings);

    *traced = *event;
    if (!has(levels, event->to)) {
        traced->to = WHOLE_NOWHERE;
        traced->target = 0;
    }
    if (!has(levels, event->from)) {
        traced->type = WHOLE_ARRIVAL;
        traced->from = WHOLE_NOWHERE;
        traced->source = 0;
        return has(levels, event->to);
    }
    return true;
}

/* What software did is in no trace, nor is what a transaction did that failed. */
static bool is_traced(const struct whole_event *event, struct whole_event *traced)
{
    return event->deed == WHOLE_BRANCH && !event->undone && project(event, traced);
}

/* The flow's own events, with what is in no trace from the run. */
static void merge(const struct whole_event *told, const struct whole_event *truth)
{
    struct whole_event event = told ? *told : *truth;

    event.predicted = truth->predicted;
    event.transactional = truth->transactional;
    event.clock = truth->clock;
    event.paused = truth->paused;
    event.isb = truth->isb;
    whole_add(&merged, &event);
}

/* An event of a level that is not traced, of which the flow has nothing. */
static bool is_hidden(const struct whole_event *event)
{
    struct whole_event traced;

    return event->deed == WHOLE_BRANCH && !event->undone && !project(event, &traced);
}

static bool flow_agrees(uint64_t seed)
{
    struct whole_event wanted;
    unsigned n = 0;

    whole_clear(&merged);
    for (unsigned i = 0; i < run.truth.count; i++) {
        const struct whole_event *truth = &run.truth.events[i], *told = &flow.events[n];

        if (!is_traced(truth, &wanted)) {
            if (!is_hidden(truth) && i > 0)
                merge(NULL, truth);
            continue;
        }
        if (n++ < flow.count && told->source == wanted.source && told->type == wanted.type &&
            told->from == wanted.from &&
            ((told->target == wanted.target && told->to == wanted.to) ||
             (n == flow.count && told->to == WHOLE_NOWHERE))) {
            if (i > 0)
                merge(told, truth);
            continue;
        }
        printf("# seed %" PRIu64 ": event %u of the flow is %" PRIx64 " to %" PRIx64
               " type %x, and should be %" PRIx64 " to %" PRIx64 " type %x\n",
               seed, n - 1, told->source, told->target, told->type, wanted.source, wanted.target,
               wanted.type);
        return false;
    }
    return n == flow.count;
}

/* Of instructions, branches and exceptions the flow has those that transactions did not take back. */
static void assert_same_totals(const struct whole_totals *told)
{
    assert_int_equal(run.counts[0], told->instructions + run.truth.undone.instructions);
    assert_int_equal(run.counts[1], told->branches + run.truth.undone.branches);
    assert_int_equal(run.counts[2], told->exceptions + run.truth.undone.exceptions);
}

/* The trace has all that is recorded: by what it says, too, the records are the youngest. */
static void compare_flow(uint64_t seed)
{
    if (!whole_follow(&run, &program, &flow))
        fail_msg("seed %" PRIu64 ": %s", seed, run.error);
    assert_true(flow_agrees(seed));
    if (whole_recorded(&settings) & ~whole_traced(&settings))
        return;
    whole_expect_flow(&expected, &settings, &merged);
    assert_int_equal(agreeing(seed, "flow"), expected_size());
    if (!expected.partial)
        assert_int_equal(run.branch_count, expected_size());
    seen.flows++;
    seen.partial += expected.partial;
}

/* --- counts --- */

static void compare_counts(void)
{
    assert_int_equal(run.counts[0], run.truth.totals.instructions);
    assert_int_equal(run.counts[1], run.truth.totals.branches);
    assert_int_equal(run.counts[2], run.truth.totals.exceptions);
    whole_expect_run(&expected, &settings, &run.truth);
    /* proves: R_GWMZV */
    assert_int_equal(run.counts[3], expected.made);
    assert_int_equal(run.counts[4], run.truth.mispredicted);
    if (whole_traced(&settings) != whole_used(&settings))
        return;
    assert_same_totals(&flow.totals);
    seen.totals++;
}

/* --- the state it is left in --- */

/* Also: how often a rule decided in one way and in the other. */
static void compare_state(uint64_t seed)
{
    const uint64_t time = expected.frozen - (settings.physical ? 0 : settings.offset);

    if ((run.BRBFCR >> 7 & 1) != expected.paused || (run.BRBFCR >> 6 & 1) != expected.last_failed)
        fail_msg("seed %" PRIu64 ": BRBFCR_EL1 is %" PRIx64
                 ", and PAUSED should be %d, LASTFAILED %d",
                 seed, run.BRBFCR, expected.paused, expected.last_failed);
    if (expected.froze > 0)
        assert_int_equal(run.BRBTS, time);
    else
        assert_int_equal(run.BRBTS, 0);
    for (unsigned i = 0; i < DEEDS; i++)
        seen.deeds[i] += run.truth.deeds[i] > 0;
    seen.froze += expected.froze > 0;
    seen.went_on += expected.went_on > 0;
    seen.kept += expected.kept > 0;
    seen.swallowed += expected.swallowed > 0;
    seen.injected += expected.injected > 0;
    seen.refused += expected.refused > 0;
}

static void see_mixes(void)
{
    for (unsigned level = 0; level < WHOLE_LEVELS; level++)
        if (has(whole_used(&settings), level))
            seen.mixes[has(whole_traced(&settings), level) | has(whole_recorded(&settings), level)
                                                                 << 1]++;
}

static void test_records(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < seeds.count; n++) {
        const uint64_t seed = seeds.from + n;
        const unsigned steps = begin(seed);

        settings.buffered = settings.has_TRBE && n % 2 == 1;
        must_run(&run, seed, steps);
        see_mixes();
        compare_records(seed);
        compare_flow(seed);
        compare_counts();
        compare_state(seed);
        whole_run_end(&run);
    }
}

/* --- another decoder --- */

/* libopencsd has the same of the trace, and so the records are the youngest by what it says. */
static void test_peer(void **state)
{
    (void)state;
    if (!whole_peer_is_there()) {
        print_message("# skipped: built without libopencsd-dev\n");
        skip();
    }
    for (uint64_t n = 0; n < seeds.count / 4; n++) {
        const uint64_t seed = seeds.from + n;
        const unsigned steps = begin(seed);
        uint64_t draws = seed;

        settings.has_EL3_code = false;
        settings.traced = 7;
        /* The way to it knows nothing of transactions. */
        settings.transactions = false;
        whole_program_draw(&program, false, &draws);
        must_run(&run, seed, steps);
        assert_true(whole_peer_follow(&run, &program, seed, &flow));
        whole_expect_run(&expected, &settings, &run.truth);
        assert_true(flow_agrees(seed));
        whole_expect_flow(&expected, &settings, &merged);
        assert_int_equal(agreeing(seed, "libopencsd"), expected_size());
        if (!expected.partial)
            assert_int_equal(run.branch_count, expected_size());
        assert_same_totals(&flow.totals);
        whole_run_end(&run);
    }
}

/* --- the buffer --- */

/* Software has all its barriers and the buffer is large: the same bytes, in any order that is allowed. */
static void test_buffer(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < seeds.count / 4; n++) {
        const uint64_t seed = seeds.from + n;
        const unsigned steps = begin(seed);

        settings.owner_is_EL1 &= !(settings.traced & 4); /* it would prohibit more */
        must_run(&run, seed, steps);
        settings.has_TRBE = settings.buffered = true;
        settings.order = (enum cairn_pe_order)((settings.order + 1) % 3);
        must_run(&second, seed, steps);
        assert_int_equal(second.size, run.size);
        assert_memory_equal(second.bytes, run.bytes, run.size);
        seen.buffers += run.size > 0;
        whole_run_end(&run);
        whole_run_end(&second);
    }
}

/* Else those above would not notice that they compare nothing. */
static void test_enough(void **state)
{
    (void)state;
    if (seeds.count < ENOUGH)
        return;
    for (unsigned i = 0; i < 4; i++)
        assert_true(seen.mixes[i] > seeds.count / 10);
    for (unsigned i = CAIRN_BRANCH_SOURCE; i < 4; i++)
        assert_true(seen.halves[i] > seeds.count / 10);
    assert_true(seen.full > seeds.count / 20);
    assert_true(seen.flows > seeds.count / 4);
    assert_true(seen.flows - seen.partial > seeds.count / 10);
    assert_true(seen.totals > seeds.count / 10);
    assert_true(seen.buffers > seeds.count / 10);
    for (unsigned i = 0; i < DEEDS; i++)
        assert_true(seen.deeds[i] > seeds.count / 50);
    assert_true(seen.froze > seeds.count / 50);
    assert_true(seen.went_on > seeds.count / 100);
    assert_true(seen.kept > seeds.count / 500);
    assert_true(seen.swallowed > seeds.count / 500);
    assert_true(seen.injected > seeds.count / 50);
    assert_true(seen.refused > seeds.count / 50);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_peer),
        cmocka_unit_test(test_buffer),
        cmocka_unit_test(test_enough),
    };

    if (argc == 4 && strcmp(argv[1], "--seeds") == 0) {
        seeds.from = strtoull(argv[2], NULL, 0);
        seeds.count = strtoull(argv[3], NULL, 0);
    } else if (argc != 1) {
        fprintf(stderr, "usage: test_pe_whole [--seeds FROM COUNT]\n");
        return 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
