/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs of counters, sequencer, single-shots, selectors, ETEEvents and ViewInst through an
 * ETE's model and through a second one that was written from the text alone (second_resources.h):
 * after each step both give the same External Outputs and Event elements, and trace the same; and
 * the registers hold the same.
 *
 * usage: test_unit_second_resources [--seeds FROM COUNT]
 * Half of COUNT are of resources alone, half of them under speculation and in transactions. */
#include "second_run.h"
#include "second_unit.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS 2000u
#define RATE 20u /* one program of so many at least has each of what is to be seen */
#define ENOUGH 1000u

static struct {
    uint64_t from, count;
} seeds = {0, SEEDS};

static struct {
    uint64_t seed, done, deeds[SECOND_DEEDS];
} tally;

/* --- shrinking --- */

static bool fails(const struct second_program *program)
{
    struct second_difference difference;

    return !second_run(program, &difference, NULL);
}

/* Takes steps out as long as it fails, more at a time first; then programs 0. */
static void shrink(struct second_program *program)
{
    const struct second_name *names;
    const size_t count = second_names(&names);

    for (size_t size = program->step_count; size > 0; size /= 2)
        for (size_t at = 0; at + size <= program->step_count;) {
            struct second_program less = *program;

            less.step_count -= size;
            memmove(&less.steps[at], &less.steps[at + size],
                    (less.step_count - at) * sizeof less.steps[0]);
            if (fails(&less))
                *program = less;
            else
                at++;
        }
    for (size_t i = 0; i < count; i++) {
        struct second_program less = *program;

        if (!names[i].zeroed || !second_value(&less.reg, &names[i]))
            continue;
        second_set(&less.reg, &names[i], 0);
        if (second_is_legal(&less.reg) && fails(&less))
            *program = less;
    }
}

static void print_difference(struct second_program *program)
{
    struct second_difference difference;

    shrink(program);
    second_print(program);
    second_tells = true;
    second_run(program, &difference, NULL);
    second_tells = false;
    printf("# at step %zu: %s\n", difference.step, difference.what);
    fflush(stdout);
}

/* --- the families --- */

/* Whether the two models agree on the programs of so many seeds; if not, prints the shortest that
 * differs. */
static bool agree(bool speculative)
{
    struct second_program program;
    struct second_difference difference;
    unsigned deeds[SECOND_DEEDS];

    memset(&tally, 0, sizeof tally);
    for (tally.seed = seeds.from; tally.done < seeds.count / 2; tally.seed++, tally.done++) {
        second_generate(&program, tally.seed, speculative);
        if (!second_run(&program, &difference, deeds)) {
            print_difference(&program);
            return false;
        }
        for (unsigned i = 0; i < SECOND_DEEDS; i++)
            tally.deeds[i] += deeds[i] != 0;
    }
    return true;
}

/* Otherwise the test would not notice that it tests nothing. */
static void expect_rates(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to && seeds.count >= ENOUGH; i++)
        if (tally.deeds[i] * RATE < tally.done)
            fail_msg("%s: in %" PRIu64 " of %" PRIu64 " programs only", second_deeds[i],
                     tally.deeds[i], tally.done);
}

static void print_rates(void)
{
    print_message("# %" PRIu64 " programs from seed %" PRIu64 " on; in percent:", tally.done,
                  seeds.from);
    for (unsigned i = 0; i < SECOND_DEEDS; i++)
        print_message(" %s %" PRIu64 "%s", second_deeds[i],
                      tally.deeds[i] * 100 / (tally.done ? tally.done : 1),
                      i + 1 < SECOND_DEEDS ? "," : "\n");
}

static void test_resources(void **state)
{
    (void)state;
    /* proves: R_GRSVY, R_PBFMY, R_LJRPW, R_JDPYL */
    assert_true(agree(false));
    print_rates();
    expect_rates(0, SECOND_PENDING);
}

static void test_speculation(void **state)
{
    (void)state;
    /* proves: R_SDDWY, R_NKKSJ, R_KFMKS, R_DQZSD */
    assert_true(agree(true));
    print_rates();
    expect_rates(0, SECOND_DEEDS);
}

/* --- what a feed need not tell --- */

static const struct {
    uint32_t bit; /* of cairn_unit_needs */
    uint32_t kinds;
    const char *name;
} needs[] = {
    {CAIRN_UNIT_NEEDS_CYCLES, 1u << STEP_CYCLES, "cycles"},
    {CAIRN_UNIT_NEEDS_CONTEXT, 1u << STEP_CONTEXT, "contexts"},
    {CAIRN_UNIT_NEEDS_PMU_EVENTS, 1u << STEP_PMU_EVENT | 1u << STEP_INPUTS, "inputs"},
};
enum { NEEDS = sizeof needs / sizeof *needs };

static void leave_out(struct second_program *program, uint32_t kinds)
{
    size_t kept = 0;

    for (size_t i = 0; i < program->step_count; i++)
        if (!(kinds >> program->steps[i].kind & 1))
            program->steps[kept++] = program->steps[i];
    program->step_count = kept;
}

/* A program of which many registers are 0, in half of the cases nearly all, and without what
 * pauses, and ETEEvents of the feed, which are told of a clock. */
static void generate_sparse(struct second_program *program, uint64_t seed)
{
    const struct second_name *names;
    const size_t count = second_names(&names);
    const bool bare = seed % 2;
    uint64_t random = seed;

    second_generate(program, seed, false);
    leave_out(program, 1u << STEP_DISABLE | 1u << STEP_PROHIBIT | 1u << STEP_LOW_POWER |
                           1u << STEP_DEBUG | 1u << STEP_ETE_EVENT);
    /* The clock that pauses is evaluated if anything was told in it: a block, without exception. */
    program->steps[program->step_count].kind = STEP_EXECUTE;
    program->steps[program->step_count++].value = 0;
    program->overflows = false;
    program->configr = 1;
    program->tsctlr = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = second_value(&program->reg, &names[i]);

        if (names[i].zeroed && second_random(&random) % 16 >= (bare ? 1u : 10u))
            second_set(&program->reg, &names[i], 0);
        if (!second_is_legal(&program->reg))
            second_set(&program->reg, &names[i], value);
    }
    program->reg.victlr |= 1; /* the TRUE event, or one that needs a selector */
    if (bare) {
        memset(program->reg.acatr, 0, sizeof program->reg.acatr);
        program->reg.victlr |= 1u << 9;
        program->reg.victlr &= 0xffffu;
    }
}

/* What makes a difference to the second model is needed. */
static void test_needs(void **state)
{
    uint64_t differences[NEEDS] = {0}, unneeded[NEEDS] = {0};

    (void)state;
    for (uint64_t seed = seeds.from; seed < seeds.from + seeds.count / 8; seed++) {
        struct second_program program;
        struct second_difference all, without;
        struct cairn_unit *unit = NULL;
        uint32_t needed = 0;

        generate_sparse(&program, seed);
        unit = second_unit(&program, NULL, NULL);
        assert_non_null(unit);
        needed = cairn_unit_needs(unit);
        cairn_unit_free(unit);
        assert_true(second_run(&program, &all, NULL));
        for (unsigned i = 0; i < NEEDS; i++) {
            struct second_program less = program;

            leave_out(&less, needs[i].kinds);
            assert_true(second_run(&less, &without, NULL));
            differences[i] += without.outcome != all.outcome;
            unneeded[i] += !(needed & needs[i].bit);
            if (without.outcome != all.outcome && !(needed & needs[i].bit)) {
                second_print(&program);
                fail_msg("seed %" PRIu64 ": %s make a difference, and are not needed", seed,
                         needs[i].name);
            }
        }
    }
    for (unsigned i = 0; i < NEEDS; i++)
        print_message("# %s: make a difference in %" PRIu64 " of %" PRIu64
                      " programs, not needed in %" PRIu64 "\n",
                      needs[i].name, differences[i], seeds.count / 8, unneeded[i]);
    for (unsigned i = 0; i < NEEDS && seeds.count >= ENOUGH; i++) {
        assert_true(differences[i] * RATE > seeds.count / 8);
        assert_true(unneeded[i] * RATE > seeds.count / 8);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_resources),
                                       cmocka_unit_test(test_speculation),
                                       cmocka_unit_test(test_needs)};

    if (argc == 4 && strcmp(argv[1], "--seeds") == 0) {
        seeds.from = strtoull(argv[2], NULL, 0);
        seeds.count = strtoull(argv[3], NULL, 0);
    } else if (argc != 1) {
        fprintf(stderr, "usage: test_unit_second_resources [--seeds FROM COUNT]\n");
        return 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
