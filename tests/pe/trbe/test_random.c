/* SPDX-License-Identifier: BSD-2-Clause */
/* Random histories of a Trace Buffer Unit: modes, triggers, alignment, pointers, faults, aborts, direct writes
 * at any time, and chunks of any size. The byte loop and the block path come to the same, with each step.
 *
 * usage: test_pe_random [--seeds FROM COUNT] */
#include "history.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS 2000u
#define STEPS 40u
#define RATE 200u /* one history of so many at least has each of what is to be seen */
#define ENOUGH 1000u

static uint64_t from = 0, count = SEEDS;

static void test_ways(void **state)
{
    uint64_t deeds[HISTORY_DEEDS] = {0};

    (void)state;
    for (uint64_t seed = from; seed < from + count; seed++) {
        /* Seeds that follow one another have nothing in common. */
        struct history_source source = {.is_random = true,
                                        .random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
        uint32_t done = 0;
        const char *const difference = history_run(&source, STEPS, &done);

        if (difference)
            print_message("# seed %" PRIu64 ": the ways differ in %s\n", seed, difference);
        /* proves: R_PLYXP */
        assert_null(difference);
        for (unsigned i = 0; i < HISTORY_DEEDS; i++)
            deeds[i] += done >> i & 1;
    }
    print_message("# %" PRIu64 " histories from seed %" PRIu64 " on; in percent:", count, from);
    for (unsigned i = 0; i < HISTORY_DEEDS; i++)
        print_message(" %s %" PRIu64 "%s", history_deeds[i], deeds[i] * 100 / (count ? count : 1),
                      i + 1 < HISTORY_DEEDS ? "," : "\n");
    for (unsigned i = 0; i < HISTORY_DEEDS && count >= ENOUGH; i++)
        assert_true(deeds[i] * RATE > count);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ways)};

    if (argc == 4 && strcmp(argv[1], "--seeds") == 0) {
        from = strtoull(argv[2], NULL, 0);
        count = strtoull(argv[3], NULL, 0);
    } else if (argc != 1) {
        fprintf(stderr, "usage: test_pe_random [--seeds FROM COUNT]\n");
        return 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
