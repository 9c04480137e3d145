/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs through the ETMv3 model and back: every instruction, its condition, its context
 * and its cycle, every exception, every transfer's address and value are what the model was told;
 * and so is the flow that the program's bytes and the trace give.
 * CAIRN_SEEDS=N runs N programs. */
#include "etmv3_history.h"

#include <stdlib.h>

static uint64_t overflows; /* of all programs */

static void compare(void)
{
    for (size_t i = 0; i < told.insns && i < seen.insns; i++) {
        assert_int_equal(seen.insn[i].address, told.insn[i].address);
        assert_int_equal(seen.insn[i].passed, told.insn[i].passed);
        assert_int_equal(seen.insn[i].context_id, told.insn[i].context_id);
        if (setting.id == BENCH_A)
            assert_int_equal(seen.insn[i].security, told.insn[i].security);
        if (setting.cycles)
            assert_int_equal(seen.insn[i].cycles, told.insn[i].cycles);
    }
    assert_int_equal(seen.insns, told.insns);
    for (size_t i = 0; i < told.exceptions && i < seen.exceptions; i++) {
        assert_int_equal(seen.exception[i].insn, told.exception[i].insn);
        assert_int_equal(seen.exception[i].type, told.exception[i].type);
    }
    assert_int_equal(seen.exceptions, told.exceptions);
    for (size_t i = 0; i < told.moves && i < seen.moves; i++) {
        if (setting.address)
            assert_int_equal(seen.move[i].address, told.move[i].address);
        assert_true(seen.move[i].known);
        assert_int_equal(seen.move[i].value, told.move[i].value);
        assert_int_equal(seen.move[i].insn, told.move[i].insn);
    }
    assert_int_equal(seen.moves, told.moves);
}

/* Where in `told` the instruction is, from `at` on. */
static size_t find_told(const struct executed *insn, size_t at)
{
    while (at < told.insns &&
           (told.insn[at].address != insn->address || told.insn[at].passed != insn->passed ||
            told.insn[at].context_id != insn->context_id))
        at++;
    return at;
}

/* Overflows lose some of it: what is there is what was told, in its order, but for instructions
 * whose Cancel was lost, perhaps with all that came behind it. */
static void compare_part(void)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};
    size_t at = 0;

    for (size_t i = 0; i < seen.insns; i++) {
        const size_t found = find_told(&seen.insn[i], at);

        if (seen.insn[i].uncertain || (i + 1 == seen.insns && found == told.insns))
            continue;
        assert_true(found < told.insns);
        at = found + 1;
    }
    cairn_unit_counters(bench.unit, &counters);
    assert_true(counters.overflows > 0 || seen.insns == told.insns);
    overflows += counters.overflows;
}

static void run_seed(uint64_t seed)
{
    const bool small = seed % 5 == 4;

    tell_program(seed, TELL_DATA | (small ? TELL_TOO_MUCH : TELL_CYCLES) |
                           (seed % 3 == 2 ? TELL_M_PROFILE : 0));
    see();
    if (small) {
        compare_part();
    } else {
        compare();
        expect_flow();
    }
    bench_end();
}

static void test_random(void **state)
{
    const char *seeds = getenv("CAIRN_SEEDS");
    const uint64_t count = seeds ? strtoull(seeds, NULL, 10) : 300;

    (void)state;
    for (uint64_t seed = 0; seed < count; seed++) {
        if (seeds)
            print_message("seed %llu\n", (unsigned long long)seed);
        run_seed(seed);
    }
    assert_true(overflows > 0 || count < 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
