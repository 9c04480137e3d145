/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs of counters, sequencer, single-shots, selectors, ETEEvents and ViewInst through an
 * ETE's model and through a second one that was written from the text alone (second_resources.h):
 * after each step both give the same External Outputs and Event elements, and trace the same; and
 * the registers hold the same.
 *
 * usage: test_unit_second_resources [--seeds FROM COUNT]
 * Half of COUNT are of resources alone, half of them under speculation and in transactions. */
#include "second_run.h"

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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_resources),
                                       cmocka_unit_test(test_speculation)};

    if (argc == 4 && strcmp(argv[1], "--seeds") == 0) {
        seeds.from = strtoull(argv[2], NULL, 0);
        seeds.count = strtoull(argv[3], NULL, 0);
    } else if (argc != 1) {
        fprintf(stderr, "usage: test_unit_second_resources [--seeds FROM COUNT]\n");
        return 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
