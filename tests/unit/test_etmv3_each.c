/* SPDX-License-Identifier: BSD-2-Clause */
/* Each comparator, counter, state and input of an ETMv3 by its number: what is programmed with one
 * of them follows that one and no other (IHI0014 tables 3-81 and 3-82). */
#include "etmv3_bench.h"

#include <stdio.h>
#include <string.h>

static uint64_t traced(void)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_counters(bench.unit, &counters);
    return counters.traced;
}

/* Whether the next instruction of a straight program is traced. */
static bool is_traced(uint32_t address)
{
    const uint64_t before = traced();

    run(address);
    return traced() > before;
}

/* Instructions at 0x8000, 0x8004 ...: "aBcd" if only the second is traced. */
static void expect_traced(const char *program, const char *wanted)
{
    char got[16] = "";

    bench_begin(BENCH_R, program);
    for (uint32_t n = 0; wanted[n]; n++)
        got[n] = (char)((is_traced(0x8000 + 4 * n) ? 'A' : 'a') + n);
    if (strcmp(got, wanted) != 0)
        fail_msg("%s: %s, not %s", program, got, wanted);
    bench_end();
}

#define EXPECT_TRACED(WANTED, ...)                                                                 \
    do {                                                                                           \
        char program_text[512];                                                                    \
        snprintf(program_text, sizeof program_text, __VA_ARGS__);                                  \
        expect_traced(program_text, WANTED);                                                       \
    } while (0)

/* Comparator n as an event, in ETMTECR2, and as a start and a stop. */
static void test_addresses(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 16; n++) {
        const unsigned bit = 1u << (n - 1), other = n % 16 + 1;

        EXPECT_TRACED("aBcd", "ETMTEEVR=%x ETMACVR%u=8004 ETMACTR%u=19", n - 1, n, n);
        EXPECT_TRACED("abcd", "ETMTEEVR=%x ETMACVR%u=8004 ETMACTR%u=19", other - 1, n, n);
        EXPECT_TRACED("aBcd", "ETMTECR1=0 ETMTECR2=%x ETMACVR%u=8004 ETMACTR%u=19", bit, n, n);
        EXPECT_TRACED("AbCD", "ETMTECR1=1000000 ETMTECR2=%x ETMACVR%u=8004 ETMACTR%u=19", bit, n,
                      n);
        EXPECT_TRACED("aBCD", "ETMTECR1=3000000 ETMTSSCR=%x ETMACVR%u=8004 ETMACTR%u=19", bit, n,
                      n);
        EXPECT_TRACED("aBcd",
                      "ETMTECR1=3000000 ETMTSSCR=%x ETMACVR%u=8008 ETMACTR%u=19 ETMACVR%u=8004 "
                      "ETMACTR%u=19",
                      bit << 16 | 1u << (other - 1), n, n, other, other);
    }
}

/* Range n as an event and in ETMTECR1: from the first address to below the second. */
static void test_ranges(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 8; n++) {
        char range[96];

        snprintf(range, sizeof range, "ETMACVR%u=8004 ETMACVR%u=800c ETMACTR%u=19 ETMACTR%u=19",
                 2 * n - 1, 2 * n, 2 * n - 1, 2 * n);
        EXPECT_TRACED("aBCd", "ETMTEEVR=%x %s", 0x10 + n - 1, range);
        EXPECT_TRACED("abcd", "ETMTEEVR=%x %s", 0x10 + n % 8, range);
        EXPECT_TRACED("aBCd", "ETMTECR1=%x %s", 1u << (n - 1), range);
        EXPECT_TRACED("AbcD", "ETMTECR1=%x %s", 0x1000000 | 1u << (n - 1), range);
    }
}

/* Counter n counts from 1 to 0 at 0x8004; the others stay at 1. */
static void test_counters(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 4; n++)
        for (unsigned asked = 1; asked <= 4; asked++)
            EXPECT_TRACED(asked == n ? "aBCD" : "abcd",
                          "ETMTEEVR=%x ETMACVR1=8004 ETMACTR1=19 ETMCNTENR%u=0 ETMCNTRLDVR1=1 "
                          "ETMCNTRLDVR2=1 ETMCNTRLDVR3=1 ETMCNTRLDVR4=1",
                          0x40 + asked - 1, n);
}

static void step(uint32_t inputs)
{
    cairn_unit_inputs(bench.unit, inputs);
    cairn_unit_cycles(bench.unit, 1);
    cairn_unit_inputs(bench.unit, 0);
}

/* Every transition from every state, by input 3, and every state as an event. Inputs 1 and 2 lead
 * to states 2 and 3 first, by transitions that are not tested. */
static void test_states(void **state)
{
    static const struct {
        const char *name;
        unsigned from, to;
    } moves[] = {{"ETMSQ12EVR", 0, 1}, {"ETMSQ21EVR", 1, 0}, {"ETMSQ23EVR", 1, 2},
                 {"ETMSQ31EVR", 2, 0}, {"ETMSQ32EVR", 2, 1}, {"ETMSQ13EVR", 0, 2}};

    (void)state;
    for (unsigned m = 0; m < 6; m++)
        for (unsigned from = 0; from < 3; from++)
            for (unsigned asked = 0; asked < 3; asked++) {
                const unsigned to = from == moves[m].from ? moves[m].to : from;
                char program[128];
                uint64_t value = 0;

                if (moves[m].from == 0 && from != 0)
                    continue; /* there is no other way to that state */
                snprintf(program, sizeof program, "ETMTEEVR=%x %s=62%s%s", 0x50 + asked,
                         moves[m].name, moves[m].from == 0 ? "" : " ETMSQ12EVR=60",
                         moves[m].from == 0 ? "" : " ETMSQ13EVR=61");
                bench_begin(BENCH_R, program);
                if (from > 0)
                    step(from);
                step(4);
                /* proves: ETMC-3.5.13-a */
                assert_int_equal(cairn_unit_read(bench.unit, "ETMSQR", &value), CAIRN_OK);
                assert_int_equal(value, to);
                assert_int_equal(is_traced(0x8000), asked == to);
                bench_end();
            }
}

/* Context ID comparators as events and in ETMACTR, each with a value of its own. */
static void test_context_ids(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 3; n++)
        for (uint32_t asked = 0; asked <= 3; asked++) {
            char program[160];

            snprintf(program, sizeof program,
                     "ETMCIDCVR1=11 ETMCIDCVR2=22 ETMCIDCVR3=33 ETMTEEVR=%x", 0x58 + n - 1);
            bench_begin(BENCH_R, program);
            context_id(0x11 * asked);
            assert_int_equal(is_traced(0x8000), asked == n);
            bench_end();
            snprintf(program, sizeof program,
                     "ETMCIDCVR1=11 ETMCIDCVR2=22 ETMCIDCVR3=33 ETMTEEVR=0 ETMACVR1=8000 "
                     "ETMACTR1=%x",
                     n << 8 | 0x19);
            bench_begin(BENCH_R, program);
            context_id(0x11 * asked);
            assert_int_equal(is_traced(0x8000), asked == n);
            bench_end();
        }
}

/* External inputs, and identifiers that stand for no resource: never active. */
static void test_inputs(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 16; n++) {
        char program[32];

        snprintf(program, sizeof program, "ETMTEEVR=%x", 0x60 + n);
        for (unsigned input = 0; input < 4; input++) {
            bench_begin(BENCH_R, program);
            cairn_unit_inputs(bench.unit, 1u << input);
            assert_int_equal(is_traced(0x8000), n == input || n == 15);
            bench_end();
        }
    }
    for (unsigned id = 0; id < 0x80; id++) {
        const bool exists = id < 0x18 || (id >= 0x40 && id < 0x44) || (id >= 0x50 && id < 0x53) ||
                            (id >= 0x58 && id < 0x5b) || id == 0x5f || id >= 0x60;
        char program[64];

        if (exists && id < 0x70)
            continue;
        snprintf(program, sizeof program, "ETMTEEVR=%x", id);
        bench_begin(BENCH_R, program);
        cairn_unit_inputs(bench.unit, 0xf);
        assert_false(is_traced(0x8000));
        bench_end();
    }
}

static bool is_started(void)
{
    uint64_t status = 0;

    assert_int_equal(cairn_unit_read(bench.unit, "ETMSR", &status), CAIRN_OK);
    return status >> 2 & 1u;
}

/* Whether a store, or a load, of this starts what address comparator 2n - 1 is to start. */
static bool fits(unsigned n, unsigned control, const char *values, uint32_t value, uint32_t flags)
{
    char program[192];
    bool started;

    snprintf(program, sizeof program, "ETMTSSCR=%x ETMACVR%u=2000 ETMACTR%u=%x %s",
             1u << (2 * n - 2), 2 * n - 1, 2 * n - 1, control, values);
    bench_begin(BENCH_R, program);
    run(0x8000);
    transfer(0x2000, 4, value, CAIRN_UNIT_DATA_STORE | flags);
    started = is_started();
    bench_end();
    return started;
}

#define STORE_EQUAL 0x3eu /* of a word, with this value */
#define STORE_OTHER 0x7eu /* and with another */

/* Data value comparator n goes with address comparator 2n - 1, its mask with it. */
static void test_values(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 8; n++) {
        const unsigned other = n % 8 + 1;
        char values[128];

        snprintf(values, sizeof values, "ETMDCVR%u=12345678 ETMDCMR%u=ff00 ETMDCMR%u=ffffffff", n,
                 n, other);
        assert_true(fits(n, STORE_EQUAL, values, 0x12345678, 0));
        assert_true(fits(n, STORE_EQUAL, values, 0x1234ff78, 0));
        assert_false(fits(n, STORE_EQUAL, values, 0x12345679, 0));
        assert_false(fits(n, STORE_OTHER, values, 0x12340078, 0));
        assert_true(fits(n, STORE_OTHER, values, 0x92345678, 0));
        assert_false(fits(n, STORE_EQUAL, values, 0x12345678, CAIRN_UNIT_DATA_NO_VALUE));
        assert_false(fits(n, STORE_OTHER, values, 0x92345678, CAIRN_UNIT_DATA_NO_VALUE));
    }
}

/* In a range the value is that of the whole transfer, of the comparator's size (2.8.3). */
static void test_values_in_ranges(void **state)
{
    static const struct {
        uint32_t control, bytes, value, flags;
        bool inside;
    } cases[] = {
        {0x3e, 4, 0x12345678, 0, true},
        {0x3e, 4, 0x1234ff78, 0, true},
        {0x3e, 4, 0x12345679, 0, false},
        {0x3e, 2, 0x12345678, 0, false},
        {0x3e, 1, 0x12345678, 0, false},
        {0x3e, 4, 0x12345678, CAIRN_UNIT_DATA_NO_VALUE, false},
        {0x7e, 4, 0x12345678, 0, false},
        {0x7e, 4, 0x12345679, 0, true},
        {0x7e, 4, 0x12345679, CAIRN_UNIT_DATA_NO_VALUE, false},
    };

    (void)state;
    for (unsigned n = 1; n <= 8; n++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            char program[256];

            snprintf(program, sizeof program,
                     "ETMTEEVR=%x ETMACVR%u=2000 ETMACVR%u=2010 ETMACTR%u=%x ETMACTR%u=1c "
                     "ETMDCVR%u=12345678 ETMDCMR%u=ff00 ETMDCMR%u=ffffffff",
                     0x10 + n - 1, 2 * n - 1, 2 * n, 2 * n - 1, cases[i].control, 2 * n, n, n,
                     n % 8 + 1);
            bench_begin(BENCH_R, program);
            run(0x8000);
            transfer(0x2004, cases[i].bytes, cases[i].value,
                     CAIRN_UNIT_DATA_STORE | cases[i].flags);
            assert_int_equal(is_traced(0x8004), cases[i].inside);
            bench_end();
        }
}

static bool has_return(void)
{
    cairn_unit_flush(bench.unit);
    assert_true(bench.size > 0);
    return memchr(bench.bytes, 0x76, bench.size) != NULL;
}

/* Before v3.3 it is bits 7:0 of what is transferred, whatever size that has, and bits above are
 * masked (2.8.2, Table 2-12). */
static void test_old_values_in_ranges(void **state)
{
    static const struct {
        uint32_t bytes, value;
        bool inside;
    } cases[] = {{1, 0xab, true}, {2, 0x12ab, true}, {4, 0x123456ab, true}, {2, 0xab12, false}};

    (void)state;
    for (uint32_t minor = 1; minor <= 2; minor++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            bench_begin(0x41041200u | minor << 4,
                        "ETMTEEVR=10 ETMACVR1=2000 ETMACVR2=2010 ETMACTR1=26 ETMACTR2=1c "
                        "ETMDCVR1=ab ETMDCMR1=ffffff00");
            run(0x8000);
            store(0x2004, cases[i].bytes, cases[i].value);
            /* proves: ETMC-2.8.2-c, ETMC-2.8.4-b */
            assert_int_equal(is_traced(0x8004), cases[i].inside);
            bench_end();
        }
}

/* Where the Programming bit was set and cleared no comparator knows of the transfers before. */
static void test_transfers_before_programming(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMTEEVR=10 ETMACVR1=2000 ETMACVR2=2010 ETMACTR1=1c ETMACTR2=1c");
    run(0x8000);
    store(0x2004, 4, 1);
    cairn_unit_disable(bench.unit);
    cairn_unit_enable(bench.unit);
    assert_false(is_traced(0x8004));
    bench_end();
    bench_begin(BENCH_R, "ETMTRIGGER=0 ETMACVR1=2000 ETMACTR1=1e");
    run(0x8000);
    store(0x2000, 4, 1);
    (void)cairn_unit_position(bench.unit);
    assert_non_null(memchr(bench.bytes, 0x0c, bench.size));
    cairn_unit_disable(bench.unit);
    bench.checked = bench.size;
    cairn_unit_enable(bench.unit);
    cairn_unit_inputs(bench.unit, 1); /* it is no resource of the event */
    expect("");
    bench_end();
}

/* 76, Return from exception: from v3.4 on the M profile, from v3.5 on the others (7.5.4, issue Q). */
static void test_returns(void **state)
{
    static const struct {
        uint32_t id, address;
        bool tells;
    } rows[] = {
        {0x410cf240, 0x8000, false}, {0x410cf250, 0x8000, true}, {0x4104f230, 0x8000, false},
        {0x4114f240, 0x8001, true},  {0x4114f250, 0x8001, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench_begin(rows[i].id, "");
        run(rows[i].address);
        exception_return(rows[i].address + (rows[i].address & 1 ? 2 : 4));
        assert_int_equal(has_return(), rows[i].tells); /* at once */
        run(rows[i].address + 0x100);
        assert_int_equal(has_return(), rows[i].tells);
        bench_end();
    }
}

/* Where nothing is observed no transfer can be on its way: what comes behind it is traced as it
 * would be without that call. */
static void test_nothing_pending(void **state)
{
    (void)state;
    for (unsigned place = 0; place < 3; place++) {
        uint8_t bytes[64];
        size_t size = 0;

        for (unsigned calls = 0; calls < 2; calls++) {
            bench_begin(BENCH_R, "ETMCR=c");
            run(0x8000);
            if (place == 0)
                cairn_unit_disable(bench.unit);
            else if (place == 1)
                cairn_unit_debug_state(bench.unit, true);
            else
                cairn_unit_prohibit(bench.unit, true);
            if (calls)
                cairn_unit_data_pending(bench.unit, 2);
            if (place == 0)
                cairn_unit_enable(bench.unit);
            else if (place == 1)
                cairn_unit_debug_state(bench.unit, false);
            else
                cairn_unit_prohibit(bench.unit, false);
            run(0x8004);
            load(0x20000000, 4, 1);
            run(0x8008);
            load(0x20000010, 4, 2);
            cairn_unit_flush(bench.unit);
            assert_true(bench.size > 0 && bench.size <= sizeof bytes);
            if (calls) {
                assert_int_equal(bench.size, size);
                assert_memory_equal(bench.bytes, bytes, size);
            }
            size = bench.size;
            memcpy(bytes, bench.bytes, size);
            bench_end();
        }
    }
}

/* Security state and prohibited regions as resources (table 3-81). */
static void test_security(void **state)
{
    (void)state;
    for (unsigned is_secure = 0; is_secure < 2; is_secure++) {
        bench_begin(BENCH_A, "ETMTEEVR=6d");
        secure(is_secure, 1);
        assert_int_equal(is_traced(0x8000), !is_secure);
        bench_end();
    }
}

/* On the M profile with data trace what the return pops may come in front of 76 (7.5.4); where trace
 * is prohibited then, nothing does. */
static void test_return_into_region(void **state)
{
    (void)state;
    bench_begin(BENCH_M, "ETMCR=c");
    run(0x8001);
    exception_return(0x8003);
    cairn_unit_prohibit(bench.unit, true);
    assert_true(has_return());
    bench_end();
}

static uint64_t counter(void)
{
    uint64_t value = 0;

    assert_int_equal(cairn_unit_read(bench.unit, "ETMCNTVR1", &value), CAIRN_OK);
    return value;
}

/* A counter that goes down where a store is told: with the store, once, and with no cycle. */
static void test_counting_transfers(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMCNTRLDVR1=9 ETMCNTENR1=0 ETMACVR1=2000 ETMACTR1=1e");
    run(0x8000);
    assert_int_equal(counter(), 9);
    cairn_unit_cycles(bench.unit, 3);
    assert_int_equal(counter(), 9);
    store(0x2000, 4, 1);
    assert_int_equal(counter(), 8);
    cairn_unit_cycles(bench.unit, 3);
    assert_int_equal(counter(), 8);
    store(0x2004, 4, 1);
    assert_int_equal(counter(), 8);
    bench_end();
}

/* The start/stop block is off when the unit is programmed again (2.6.4). */
static void test_start_is_forgotten(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMTSSCR=1 ETMACVR1=8000 ETMACTR1=19");
    run(0x8000);
    assert_true(is_started());
    cairn_unit_disable(bench.unit);
    cairn_unit_enable(bench.unit);
    assert_false(is_started());
    bench_end();
}

/* No cycles are no time in which anything could end. */
static void test_no_cycles(void **state)
{
    uint8_t bytes[64];
    size_t size = 0;

    (void)state;
    for (unsigned calls = 0; calls < 2; calls++) {
        bench_begin(BENCH_R, "ETMCR=c ETMACVR1=20000000 ETMACVR2=20000010 ETMACTR1=1c ETMACTR2=1c "
                             "ETMTECR1=1");
        run(0x8000);
        cairn_unit_data_pending(bench.unit, 1);
        run(0x8004);
        if (calls)
            cairn_unit_cycles(bench.unit, 0);
        load(0x20000000, 4, 1);
        run(0x8008);
        cairn_unit_flush(bench.unit);
        assert_true(bench.size > 0 && bench.size <= sizeof bytes);
        if (calls) {
            assert_int_equal(bench.size, size);
            assert_memory_equal(bench.bytes, bytes, size);
        }
        size = bench.size;
        memcpy(bytes, bench.bytes, size);
        bench_end();
    }
}

/* A 32-bit Thumb instruction that is told as two halves matches by the address of each, from v3.2 on
 * and where ETMIDR[18] is 0 (3.5.18). */
static void test_halves(void **state)
{
    static const struct {
        uint32_t id;
        bool has;
    } rows[] = {{0x41002230, true}, {0x41002220, true}, {0x41002210, false}, {0x41042230, false}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (uint32_t at = 0x8000; at < 0x8006; at += 2) {
            const struct cairn_block wide = {.address = 0x8000,
                                             .size = 4,
                                             .count = 1,
                                             .isa = CAIRN_ISA_T32,
                                             .kind = CAIRN_INSN_OTHER,
                                             .last_size = 4};
            char program[64];

            snprintf(program, sizeof program, "ETMTEEVR=0 ETMACVR1=%x ETMACTR1=9", at);
            bench_begin(rows[i].id, program);
            cairn_unit_execute(bench.unit, &wide, true);
            assert_int_equal(traced(), at == 0x8000 || (at == 0x8002 && rows[i].has));
            bench_end();
        }
}

/* The cycles up to where the core waits are told behind that: four with the I-sync, which counts from
 * the last P-header (7.7.3), and the fifth as the W of the atom. */
static void test_cycles_before_waiting(void **state)
{
    (void)state;
    bench_start(BENCH_R, "ETMCR=1000", 0x8000, "70 00 21 00 80 00 00 92");
    cairn_unit_cycles(bench.unit, 5);
    cairn_unit_low_power(bench.unit, true);
    cairn_unit_low_power(bench.unit, false);
    run(0x8004);
    expect("70 04 21 04 80 00 00 84");
    bench_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_context_ids),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_values_in_ranges),
        cmocka_unit_test(test_old_values_in_ranges),
        cmocka_unit_test(test_transfers_before_programming),
        cmocka_unit_test(test_returns),
        cmocka_unit_test(test_nothing_pending),
        cmocka_unit_test(test_security),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_cycles_before_waiting),
        cmocka_unit_test(test_return_into_region),
        cmocka_unit_test(test_counting_transfers),
        cmocka_unit_test(test_start_is_forgotten),
        cmocka_unit_test(test_no_cycles),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
