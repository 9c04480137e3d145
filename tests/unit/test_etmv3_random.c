/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs through the ETMv3 model and back: every instruction, its condition, its context
 * and its cycle, every exception, every transfer's address and value are what the model was told;
 * and so is the flow that the program's bytes and the trace give. The engine gives the same flow,
 * of some traces also when they are damaged. A second writer, which knows the specification alone,
 * writes the same bytes.
 *
 * usage: test_unit_etmv3_random [--seeds FROM COUNT] */
#include "etmv3_history.h"
#include "etmv3_second.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/etmv3.h>

#include "../engine/compare.h"
#include "../engine/mutate.h"

#define SEEDS 300u
#define IRQ 0xeu
#define DATA_ONLY_OF 8u /* for so many traces there is one of data alone */
#define DAMAGED_OF 4u   /* one trace of so many is damaged, too */
#define MIX UINT64_C(0x9e3779b97f4a7c15)

static struct {
    uint64_t from, count;
} seeds = {0, SEEDS};

/* Of all programs; `data` of those with data trace that were compared to the last transfer. */
static struct {
    uint64_t seed, done, data, insns, moves, aborts, implied, bytes, overflows;
} tally;

/* Before ETMv3.2 a handler in ARM state has EEE instead, and that of IRQ is 1 (table 7-9). */
static void compare_type(unsigned got, unsigned wanted)
{
    const bool old = (setting.id >> 4 & 15) < 2 && got >= CAIRN_ETMV3_EXCEPTION_OLD;

    assert_int_equal(got, old && wanted == IRQ ? CAIRN_ETMV3_EXCEPTION_OLD + 1 : wanted);
}

static void compare(void)
{
    for (size_t i = 0; i < told.insns && i < seen.insns; i++) {
        assert_int_equal(seen.insn[i].address, told.insn[i].address);
        assert_int_equal(seen.insn[i].passed, told.insn[i].passed);
        assert_int_equal(seen.insn[i].context_id, told.insn[i].context_id);
        if (setting.id == BENCH_A)
            assert_int_equal(seen.insn[i].security, told.insn[i].security);
        assert_int_equal(seen.insn[i].implied, told.insn[i].implied);
        if (setting.cycles && !told.insn[i].implied)
            assert_int_equal(seen.insn[i].cycles, told.insn[i].cycles);
    }
    assert_int_equal(seen.insns, told.insns);
    for (size_t i = 0; i < told.exceptions && i < seen.exceptions; i++) {
        assert_int_equal(seen.exception[i].insn, told.exception[i].insn);
        compare_type(seen.exception[i].type, told.exception[i].type);
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
 * whose Cancel was lost, perhaps with all that came behind it, and those that are told again since
 * their data is still on its way. */
static void compare_part(void)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};
    size_t at = 0;

    for (size_t i = 0; i < seen.insns; i++) {
        const size_t found = find_told(&seen.insn[i], at);

        if (seen.insn[i].implied || seen.insn[i].uncertain ||
            (i + 1 == seen.insns && found == told.insns))
            continue;
        assert_true(found < told.insns);
        at = found + 1;
    }
    cairn_unit_counters(bench.unit, &counters);
    assert_true(counters.overflows > 0 || seen.insns == told.insns);
    tally.overflows += counters.overflows;
}

static void expect_engine(const struct engine_case *input, uint64_t seed)
{
    const uint32_t way = UINT32_C(1) << (seed * MIX >> 60);

    assert_true(engine_compare_ways(input, way, seed, stdout));
}

/* The same engine as the reference path, also of bytes that no unit writes. */
static void compare_engine(uint64_t seed)
{
    static uint8_t bytes[BENCH_BYTES + MUTATE_MORE];
    struct engine_case input = {.config = cairn_unit_config(bench.unit),
                                .image = program_image(),
                                .data = bench.bytes,
                                .size = bench.size};

    expect_engine(&input, seed);
    if (seed % DAMAGED_OF == 0) {
        memcpy(bytes, bench.bytes, bench.size);
        input.data = bytes;
        input.size = mutate(bytes, bench.size, seed);
        expect_engine(&input, seed);
    }
    cairn_image_unref(input.image);
    cairn_config_unref(input.config);
}

static void count(bool whole)
{
    tally.done++;
    tally.data += whole && (setting.value || setting.address);
    tally.insns += told.insns;
    tally.moves += told.moves;
    tally.aborts += told.aborts;
    tally.implied += seen.implied;
    tally.bytes += bench.size;
}

static void run_seed(uint64_t seed)
{
    const bool small = seed % 5 == 4;

    second_forget();
    tell_program(seed, TELL_DATA | (small ? TELL_TOO_MUCH : TELL_CYCLES) |
                           (seed % 3 == 2 ? TELL_M_PROFILE : 0) |
                           (seed % 7 == 6 ? TELL_OLD | TELL_NO_CANCEL : 0));
    expect_second();
    see();
    if (small) {
        compare_part();
    } else {
        compare();
        expect_flow();
    }
    compare_engine(seed);
    count(!small);
    bench_end();
}

/* In data-only mode there is nothing to follow, and the bytes alone are compared. */
static void test_data_only(void **state)
{
    uint64_t bytes = 0;

    (void)state;
    tell_watch = second_watch;
    for (uint64_t seed = seeds.from; seed < seeds.from + seeds.count / DATA_ONLY_OF; seed++) {
        second_forget();
        tell_program(seed, TELL_DATA_ONLY | (seed % 5 == 4 ? TELL_TOO_MUCH : 0) |
                               (seed % 3 == 2 ? TELL_M_PROFILE : 0));
        expect_second();
        bytes += bench.size;
        bench_end();
    }
    assert_true(bytes > 0 || seeds.count < SEEDS);
}

static void test_random(void **state)
{
    (void)state;
    tell_watch = second_watch;
    for (tally.seed = seeds.from; tally.done < seeds.count; tally.seed++)
        run_seed(tally.seed);
    if (seeds.count < SEEDS)
        return;
    assert_true(tally.data > 0);
    assert_true(tally.aborts > 0);
    assert_true(tally.implied > 0);
    assert_true(tally.overflows > 0);
}

static int print_tally(void **state)
{
    (void)state;
    if (tally.done < seeds.count)
        print_message("# seed %" PRIu64 " failed\n", tally.seed);
    print_message("# %" PRIu64 " programs, %" PRIu64 " with data trace in full; %" PRIu64
                  " instructions, %" PRIu64 " transfers, %" PRIu64 " aborts, %" PRIu64
                  " LSiP, %" PRIu64 " overflows, %" PRIu64 " bytes\n",
                  tally.done, tally.data, tally.insns, tally.moves, tally.aborts, tally.implied,
                  tally.overflows, tally.bytes);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_random, print_tally),
                                       cmocka_unit_test(test_data_only)};

    if (argc == 4 && strcmp(argv[1], "--seeds") == 0) {
        seeds.from = strtoull(argv[2], NULL, 0);
        seeds.count = strtoull(argv[3], NULL, 0);
    } else if (argc != 1) {
        fprintf(stderr, "usage: test_unit_etmv3_random [--seeds FROM COUNT]\n");
        return 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
