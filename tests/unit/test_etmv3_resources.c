/* SPDX-License-Identifier: BSD-2-Clause */
/* What decides which instructions and transfers an ETMv3 traces (IHI0014 chapter 2, 3.5, 3.6): a
 * letter for each instruction of a straight program, capital if it is traced. */
#include "etmv3_bench.h"

#include <stdio.h>
#include <string.h>

static void read_register(const char *name, uint32_t *value)
{
    uint64_t read = 0;

    assert_int_equal(cairn_unit_read(bench.unit, name, &read), CAIRN_OK);
    *value = (uint32_t)read;
}

static uint64_t traced(void)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_counters(bench.unit, &counters);
    return counters.traced;
}

/* Instructions at 0x8000, 0x8004 ... under a program: "AbcDE..." says which are traced. Each stores
 * a word, to 0x2000, 0x2004 ... */
static void expect_traced(uint32_t id, const char *program, const char *wanted)
{
    char got[32] = "";

    bench_begin(id, program);
    for (uint32_t n = 0; wanted[n]; n++) {
        const uint64_t before = traced();

        run(0x8000 + 4 * n);
        got[n] = (char)((traced() > before ? 'A' : 'a') + n);
        store(0x2000 + 4 * n, 4, n);
    }
    assert_string_equal(got, wanted);
    bench_end();
}

#define RANGE_1(LOW, HIGH) "ETMACVR1=" LOW " ETMACVR2=" HIGH " ETMACTR1=19 ETMACTR2=19 "

static void test_trace_enable(void **state)
{
    (void)state;
    expect_traced(BENCH_R, "", "ABCDEFGH");
    /* proves: ETMC-3.5.7-b */
    expect_traced(BENCH_R, "ETMTECR1=1000000 ETMTECR2=0 ETMTEEVR=6f", "ABCDEFGH");
    expect_traced(BENCH_R, "ETMTEEVR=406f", "abcdefgh");
    /* proves: ETMC-2.2.1-i */
    expect_traced(BENCH_R, RANGE_1("8004", "800c") "ETMTECR1=1", "aBCdefgh");
    /* proves: ETMC-2.6.4-a */
    expect_traced(BENCH_R, RANGE_1("8004", "800c") "ETMTECR1=1000001", "AbcDEFGH");
    expect_traced(BENCH_R, "ETMACVR4=8010 ETMACTR4=19 ETMTECR2=8 ETMTECR1=0", "abcdEfgh");
    expect_traced(BENCH_R, "ETMACVR4=8010 ETMACTR4=19 ETMTECR2=8 ETMTECR1=1000000", "ABCDeFGH");
}

/* Instructions that are told as one block are looked at one by one: comparators of a step's address,
 * with A32 every four bytes and with T32 every two, find the one in the middle (IHI0014 2.2.1). */
static void test_inside_a_block(void **state)
{
    static const struct {
        const char *program;
        unsigned isa;
        uint8_t size;
    } rows[] = {
        {"ETMACVR4=8008 ETMACTR4=19 ETMTECR2=8 ETMTECR1=0", CAIRN_ISA_A32, 4},
        {"ETMACVR4=8004 ETMACTR4=9 ETMTECR2=8 ETMTECR1=0", CAIRN_ISA_T32, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cairn_block block = {.address = 0x8000,
                                          .size = 4u * rows[i].size,
                                          .count = 4,
                                          .last_size = rows[i].size,
                                          .isa = (uint8_t)rows[i].isa,
                                          .kind = CAIRN_INSN_OTHER};

        bench_begin(BENCH_R, rows[i].program);
        cairn_unit_execute(bench.unit, &block, true);
        assert_int_equal(traced(), 1);
        bench_end();
    }
}

static void test_conditions(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMTECR1=0 ETMTECR2=3 ETMACVR1=8000 ETMACTR1=1a ETMACVR2=8004 "
                         "ETMACTR2=1b");
    run(0x8000);
    fail_condition(0x8004);
    run(0x8008);
    branch(0x800c, 0x8000);
    assert_int_equal(traced(), 2);
    fail_condition(0x8000); /* 1 is for those that pass, 2 for those that fail */
    run(0x8004);
    /* proves: ETMC-2.2.1-b */
    assert_int_equal(traced(), 2);
    bench_end();
}

static void test_start_stop(void **state)
{
    (void)state;
    /* 1 starts at 0x8008, 2 stops at 0x8014. */
    /* proves: ETMC-2.6.4-g, ETMC-2.6.4-h */
    expect_traced(
        BENCH_R,
        "ETMTECR1=3000000 ETMTSSCR=20001 ETMACVR1=8008 ETMACTR1=19 ETMACVR2=8014 ETMACTR2=19",
        "abCDEfgh");
    /* proves: ETMC-2.6.4-j */
    expect_traced(
        BENCH_R,
        "ETMTECR1=1000000 ETMTSSCR=20001 ETMACVR1=8008 ETMACTR1=19 ETMACVR2=8014 ETMACTR2=19",
        "ABCDEFGH");
    /* Both at one address: the stop is ignored. */
    /* proves: ETMC-2.6.4-k */
    expect_traced(
        BENCH_R,
        "ETMTECR1=3000000 ETMTSSCR=20001 ETMACVR1=8008 ETMACTR1=19 ETMACVR2=8008 ETMACTR2=19",
        "abCDEFGH");
    /* A store to 0x2004, which is the second instruction's, starts it: that one is traced then. */
    expect_traced(BENCH_R, "ETMTECR1=3000000 ETMTSSCR=1 ETMACVR1=2004 ETMACTR1=1e", "abCDEFGH");
}

/* A single comparator for data matches with the transfer, which is the second instruction's, and no
 * more with what comes behind it; a range does (2.7.2). */
static void test_data_address(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMTEEVR=0 ETMACVR1=2004 ETMACTR1=1e");
    run(0x8000);
    store(0x2000, 4, 1);
    assert_int_equal(traced(), 0);
    run(0x8004);
    store(0x2004, 4, 1);
    /* proves: ETMC-2.2.1-e */
    assert_int_equal(traced(), 1);
    run(0x8008);
    run(0x800c);
    /* proves: ETMC-2.2.1-e */
    assert_int_equal(traced(), 1);
    bench_end();
}

/* A byte of a word that is big-endian: the first address has its highest byte. */
static void test_big_endian_value(void **state)
{
    static const uint32_t words[4] = {0xab112233, 0x11ab2233, 0x1122ab33, 0x112233ab};

    (void)state;
    for (unsigned byte = 0; byte < 4; byte++)
        for (unsigned n = 0; n < 4; n++) {
            char program[96];
            uint64_t status = 0;

            snprintf(program, sizeof program,
                     "ETMTSSCR=1 ETMACVR1=%x ETMACTR1=26 ETMDCVR1=abababab", 0x2000 + byte);
            bench_begin(BENCH_R, program);
            run(0x8000);
            transfer(0x2000, 4, words[n], CAIRN_UNIT_DATA_STORE | CAIRN_UNIT_DATA_BIG_ENDIAN);
            assert_int_equal(cairn_unit_read(bench.unit, "ETMSR", &status), CAIRN_OK);
            /* proves: ETMC-2.8.3-a */
            assert_int_equal(status >> 2 & 1u, n == byte);
            bench_end();
        }
}

static void test_context_and_security(void **state)
{
    (void)state;
    bench_begin(BENCH_A, RANGE_1("8000", "9000") "ETMTECR1=1 ETMCIDCVR1=120 ETMCIDCMR=f "
                                                 "ETMACTR1=119 ETMACTR2=119");
    run(0x8000);
    assert_int_equal(traced(), 0);
    context_id(0x123); /* the mask leaves the low bits out */
    run(0x8004);
    /* proves: ETMC-3.5.10-b */
    assert_int_equal(traced(), 1);
    bench_end();
    bench_begin(BENCH_A, RANGE_1("8000", "9000") "ETMTECR1=1 ETMACTR1=419 ETMACTR2=419");
    run(0x8000);
    assert_int_equal(traced(), 0);
    secure(false, 1);
    run(0x8004);
    /* proves: ETMC-3.5.10-a */
    assert_int_equal(traced(), 1);
    bench_end();
    bench_begin(BENCH_A, "ETMTEEVR=6d"); /* the resource Non-secure */
    run(0x8000);
    secure(false, 1);
    run(0x8004);
    /* proves: ETMC-2.2.4-d */
    assert_int_equal(traced(), 1);
    bench_end();
}

/* Functions of two resources: external inputs 1 and 2. */
static void test_events(void **state)
{
    static const uint8_t truth[8] = {/* bit n: for inputs n = B A */
                                     0xa, 0x5, 0x8, 0x4, 0x1, 0xe, 0xd, 0x7};

    (void)state;
    for (unsigned function = 0; function < 8; function++) {
        char program[64];

        snprintf(program, sizeof program, "ETMTEEVR=%x", function << 14 | 0x61u << 7 | 0x60u);
        bench_begin(BENCH_R, program);
        for (uint32_t inputs = 0; inputs < 4; inputs++) {
            const uint64_t before = traced();

            cairn_unit_inputs(bench.unit, inputs);
            run(0x8000 + 4 * inputs);
            /* proves: ETMC-3.6.2-a */
            assert_int_equal(traced() - before, truth[function] >> inputs & 1u);
        }
        bench_end();
    }
}

/* Counter 1 goes down at 0x8004 (a comparator that fires), reloads at 0x8010. */
static void test_counter(void **state)
{
    static const uint32_t addresses[] = {0x8000, 0x8004, 0x8004, 0x8004, 0x8008, 0x8010};
    static const uint32_t values[] = {2, 1, 0, 0, 0, 2};
    uint32_t value = 0;

    (void)state;
    bench_begin(BENCH_R, "ETMCNTRLDVR1=2 ETMCNTENR1=0 ETMCNTRLDEVR1=1 ETMACVR1=8004 ETMACTR1=19 "
                         "ETMACVR2=8010 ETMACTR2=19");
    for (unsigned i = 0; i < 6; i++) {
        instruction(addresses[i], CAIRN_INSN_BRANCH_INDIRECT, 0, 0, true);
        read_register("ETMCNTVR1", &value);
        /* proves: ETMC-2.2.3-c, ETMC-3.5.12-a */
        assert_int_equal(value, values[i]);
    }
    bench_end();
    /* Reload wins over decrement; a counter that counts always counts cycles too. */
    bench_begin(BENCH_R, "ETMCNTRLDVR1=9 ETMCNTENR1=6f ETMCNTRLDEVR1=60");
    cairn_unit_cycles(bench.unit, 3);
    read_register("ETMCNTVR1", &value);
    /* proves: ETMC-2.2.3-d */
    assert_int_equal(value, 6);
    cairn_unit_inputs(bench.unit, 1);
    cairn_unit_cycles(bench.unit, 3);
    read_register("ETMCNTVR1", &value);
    /* proves: ETMC-2.2.3-b */
    assert_int_equal(value, 9);
    cairn_unit_inputs(bench.unit, 0);
    cairn_unit_cycles(bench.unit, UINT64_MAX);
    read_register("ETMCNTVR1", &value);
    assert_int_equal(value, 0);
    bench_end();
}

/* Nothing matches in a prohibited region (2.6.2): a counter that counts in a range of addresses stands
 * still there, from the first instruction on, though the last one before it was in the range. */
static void test_range_where_prohibited(void **state)
{
    uint32_t value = 0;

    (void)state;
    bench_begin(BENCH_R, RANGE_1("8000", "8100") "ETMCNTRLDVR1=9 ETMCNTENR1=10");
    run(0x8000);
    read_register("ETMCNTVR1", &value);
    assert_int_equal(value, 8);
    cairn_unit_prohibit(bench.unit, true);
    run(0x8004);
    run(0x9000);
    read_register("ETMCNTVR1", &value);
    /* proves: ETMC-2.6.2-a */
    assert_int_equal(value, 8);
    cairn_unit_prohibit(bench.unit, false);
    run(0x8008);
    read_register("ETMCNTVR1", &value);
    assert_int_equal(value, 7);
    bench_end();
    /* One of data that the last transfer was in goes on matching, whatever is transferred there. */
    bench_begin(BENCH_R, "ETMCNTRLDVR1=9 ETMCNTENR1=10 ETMACVR1=2004 ETMACVR2=2008 ETMACTR1=1c "
                         "ETMACTR2=1c");
    run(0x8000);
    store(0x2004, 4, 1);
    read_register("ETMCNTVR1", &value);
    assert_int_equal(value, 8);
    cairn_unit_prohibit(bench.unit, true);
    run(0x8004);
    store(0x3000, 4, 1);
    run(0x8008);
    read_register("ETMCNTVR1", &value);
    /* proves: ETMC-2.6.2-b */
    assert_int_equal(value, 6);
    bench_end();
}

/* Inputs 1, 2, 3: 1 -> 2, 2 -> 3 and 1 -> 3, 3 -> 1. */
static void test_sequencer(void **state)
{
    static const struct {
        uint32_t inputs, state;
    } steps[] = {{0, 0}, {3, 0}, {1, 1}, {1, 1}, {2, 2}, {3, 2}, {4, 0}, {2, 2}};
    uint32_t value = 0;

    (void)state;
    bench_begin(BENCH_R, "ETMSQ12EVR=60 ETMSQ23EVR=61 ETMSQ13EVR=61 ETMSQ31EVR=62");
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        cairn_unit_inputs(bench.unit, steps[i].inputs);
        cairn_unit_cycles(bench.unit, 1);
        read_register("ETMSQR", &value);
        /* proves: ETMC-2.2.3-f, ETMC-3.5.13-a */
        assert_int_equal(value, steps[i].state);
    }
    bench_end();
    /* proves: ETMC-3.6.3-b */
    expect_traced(BENCH_R, "ETMTEEVR=52 ETMSQ13EVR=0 ETMACVR1=8008 ETMACTR1=19", "abCDEFGH");
}

static void test_trigger(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMTRIGGER=0 ETMACVR1=8004 ETMACTR1=19");
    run(0x8000);
    jump(0x8004);
    jump(0x8004);
    /* proves: ETMC-2.4-c */
    expect("00 00 00 00 00 80 08 21 00 80 00 00 88 0c 03 84");
    assert_int_equal(cairn_unit_write(bench.unit, "ETMCR", 0x400, NULL), CAIRN_OK);
    assert_int_equal(cairn_unit_write(bench.unit, "ETMCR", 0, NULL), CAIRN_OK);
    jump(0x8004);
    /* proves: ETMC-2.4-c */
    expect("00 00 00 00 00 80 08 21 04 80 00 00 84 0c");
    bench_end();
}

/* The example of 3.7.1 without its sequencer: include range 1, exclude two instructions. */
static void test_view_data(void **state)
{
    (void)state;
    bench_begin(BENCH_R, RANGE_1("8000", "8100") "ETMCR=8 ETMVDCR1=c0000 ETMVDCR3=1 ETMACVR3=8074 "
                                                 "ETMACVR4=8090 ETMACTR3=19 ETMACTR4=19");
    run(0x8070);
    store(0x2000, 4, 1);
    run(0x8074);
    store(0x2004, 4, 1);
    run(0x8078);
    store(0x2008, 4, 1);
    jump(0x807c);
    run(0x8200);
    store(0x200c, 4, 1);
    /* proves: ETMC-2.6.5-a */
    expect("00 00 00 00 00 80 08 21 70 80 00 00 84 22 80 c0 80 80 00 88 22 08 84 81 02 84");
    bench_end();
}

/* The example of 3.7.1 as it stands: only in state 3 of the sequencer, which the instruction at 806c leads to;
 * the store in front of it is in the range and not traced. */
static void test_view_data_in_a_state(void **state)
{
    (void)state;
    bench_begin(
        BENCH_R,
        RANGE_1("8000", "8100") "ETMCR=8 ETMVDEVR=52 ETMSQ13EVR=4 ETMACVR5=806c ETMACTR5=19 "
                                "ETMVDCR1=c0000 ETMVDCR3=1 ETMACVR3=8074 "
                                "ETMACVR4=8090 ETMACTR3=19 ETMACTR4=19");
    run(0x8068);
    store(0x2ffc, 4, 1);
    run(0x806c);
    run(0x8070);
    store(0x2000, 4, 1);
    run(0x8074);
    store(0x2004, 4, 1);
    run(0x8078);
    store(0x2008, 4, 1);
    /* proves: ETMC-3.7.1-a */
    expect("00 00 00 00 00 80 08 21 68 80 00 00 8c 22 80 c0 80 80 00 88 22 08");
    bench_end();
}

/* Data value comparators: bytes of a word that is stored, where they are (2.8.3). */
static void test_data_values(void **state)
{
    static const struct {
        uint32_t id;
        const char *program;
        uint32_t address, bytes, value;
        bool matches;
    } cases[] = {
        /* v3.3, byte 0xab at 0x2002 */
        {BENCH_R, "ETMACVR1=2002 ETMACTR1=26 ETMDCVR1=abababab", 0x2002, 1, 0xab, true},
        {BENCH_R, "ETMACVR1=2002 ETMACTR1=26 ETMDCVR1=abababab", 0x2000, 4, 0x11ab2233, true},
        {BENCH_R, "ETMACVR1=2002 ETMACTR1=26 ETMDCVR1=abababab", 0x2000, 4, 0xab112233, false},
        {BENCH_R, "ETMACVR1=2002 ETMACTR1=66 ETMDCVR1=abababab", 0x2002, 1, 0xab, false},
        {BENCH_R, "ETMACVR1=2002 ETMACTR1=66 ETMDCVR1=abababab", 0x2002, 1, 0xac, true},
        /* a word comparator needs a word */
        {BENCH_R, "ETMACVR1=2000 ETMACTR1=3e ETMDCVR1=ab", 0x2000, 4, 0xab, true},
        {BENCH_R, "ETMACVR1=2000 ETMACTR1=3e ETMDCVR1=ab", 0x2000, 1, 0xab, false},
        {BENCH_R, "ETMACVR1=2000 ETMACTR1=3e ETMDCVR1=0 ETMDCMR1=ff", 0x2000, 4, 0xab, true},
        /* before v3.3: the value itself, with the rest masked */
        {0x41041220u, "ETMACVR1=2002 ETMACTR1=26 ETMDCVR1=ab ETMDCMR1=ffffff00", 0x2002, 1, 0xab,
         true},
        /* a load, and an access beside it */
        {BENCH_R, "ETMACVR1=2000 ETMACTR1=1d", 0x2000, 4, 1, false},
        {BENCH_R, "ETMACVR1=2000 ETMACTR1=1e", 0x2004, 4, 1, false},
        {BENCH_R, "ETMACVR1=2000 ETMACTR1=1c", 0x2003, 1, 1, true},
        /* v3.0 leaves the low bits out and looks at the first byte */
        {0x41000200u, "ETMACVR1=2000 ETMACTR1=1e", 0x2003, 1, 1, true},
        {0x41000200u, "ETMACVR1=2003 ETMACTR1=6", 0x2000, 4, 1, false},
        /* from v3.1 on any byte will do */
        {0x41041210u, "ETMACVR1=2003 ETMACTR1=6", 0x2000, 4, 1, true},
        {0x41041220u, "ETMACVR1=2003 ETMACTR1=6", 0x2000, 4, 1, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char program[256];
        uint64_t status = 0;

        snprintf(program, sizeof program, "ETMTSSCR=1 %s", cases[i].program);
        bench_begin(cases[i].id, program);
        run(0x8000);
        store(cases[i].address, cases[i].bytes, cases[i].value);
        assert_int_equal(cairn_unit_read(bench.unit, "ETMSR", &status), CAIRN_OK);
        /* proves: ETMC-2.8.3-a, ETMC-2.8.3-c, ETMC-2.7.2-a, ETMC-2.7.3-b, ETMC-2.7.3-e */
        assert_int_equal(status >> 2 & 1u, cases[i].matches);
        bench_end();
    }
}

/* The example of 2.7.10, cycle by cycle, as start/stop conditions of each comparator. */
static void test_data_range(void **state)
{
    static const struct {
        uint32_t address, bytes;
        bool inside;
    } cases[] = {
        {0x2000, 4, false}, {0x2001, 4, true},  {0x2003, 1, false}, {0x2004, 4, true},
        {0x2007, 1, true},  {0x2008, 4, false}, {0x2007, 2, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench_begin(BENCH_R, "ETMTEEVR=10 ETMACVR1=2004 ETMACVR2=2008 ETMACTR1=1c ETMACTR2=1c");
        run(0x8000);
        store(cases[i].address, cases[i].bytes, 1);
        run(0x8004); /* the range holds until the next transfer */
        /* proves: ETMC-2.7.2-c, ETMC-2.2.1-k */
        assert_int_equal(traced(), cases[i].inside ? 2 : 0);
        bench_end();
    }
    /* The last byte of all is inside where the second comparator of the pair, and it alone, says
     * word. */
    for (unsigned pair = 0; pair < 8; pair++)
        for (unsigned word = 0; word < 2; word++) {
            const unsigned low = 2 * pair + 1;
            char program[128];

            snprintf(program, sizeof program,
                     "ETMTEEVR=1%u ETMACVR%u=fffffff0 ETMACVR%u=ffffffff ETMACTR%u=%s ETMACTR%u=%s",
                     pair, low, low + 1, low, word ? "4" : "1c", low + 1, word ? "1c" : "4");
            bench_begin(BENCH_R, program);
            run(0x8000);
            store(0xffffffff, 1, 1);
            run(0x8004);
            /* proves: ETMC-2.7.7-b */
            assert_int_equal(traced(), word ? 2 : 0);
            bench_end();
        }
    /* From the first address to below the second: nothing, where they are one. */
    bench_begin(BENCH_R, "ETMTEEVR=10 ETMACVR1=2004 ETMACVR2=2004 ETMACTR1=1c ETMACTR2=1c");
    run(0x8000);
    store(0x2004, 4, 1);
    run(0x8004);
    /* proves: ETMC-2.7.2-c */
    assert_int_equal(traced(), 0);
    bench_end();
}

static void refuse(const char *name, uint64_t value)
{
    struct cairn_error error = {.status = CAIRN_OK};

    assert_int_not_equal(cairn_unit_write(bench.unit, name, value, &error), CAIRN_OK);
    assert_true(strlen(error.text) > 0);
}

static void test_registers(void **state)
{
    struct cairn_register listed;
    uint32_t value = 0;
    bool found = false;

    (void)state;
    bench_begin(BENCH_R, "");
    refuse("ETMTEEVR", 0x6f); /* it traces */
    read_register("ETMSR", &value);
    assert_int_equal(value & 2, 0);
    assert_int_equal(cairn_unit_write(bench.unit, "etmcr", 0x400, NULL), CAIRN_OK);
    read_register("ETMSR", &value);
    /* proves: ETMC-3.5.1-i */
    assert_int_equal(value & 2, 2);
    refuse("ETMTEEVR", 0x20000);
    refuse("ETMIDR", 0);
    refuse("ETMCR", 0x400 | 1u << 19);
    refuse("ETMCR", 0x400 | 1u << 28); /* v3.3 has no timestamps */
    refuse("ETMSYNCFR", 0);
    refuse("TRCCONFIGR", 1);
    assert_int_equal(cairn_unit_write(bench.unit, "ETMACVR16", 0x1234, NULL), CAIRN_OK);
    for (size_t i = 0; cairn_unit_register(bench.unit, i, &listed) == CAIRN_OK; i++) {
        struct cairn_register other;

        assert_string_not_equal(listed.name, "ETMSR");     /* no program */
        assert_string_not_equal(listed.name, "ETMACVR15"); /* 0 */
        assert_string_not_equal(listed.name, "ETMACTR15"); /* of a comparator that nobody uses */
        for (size_t k = 0; k < i; k++) {
            assert_int_equal(cairn_unit_register(bench.unit, k, &other), CAIRN_OK);
            assert_string_not_equal(listed.name, other.name);
        }
        found = found || (strcmp(listed.name, "ETMACVR16") == 0 && listed.value == 0x1234);
    }
    assert_true(found);
    bench_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_enable),
        cmocka_unit_test(test_inside_a_block),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_start_stop),
        cmocka_unit_test(test_context_and_security),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_counter),
        cmocka_unit_test(test_range_where_prohibited),
        cmocka_unit_test(test_sequencer),
        cmocka_unit_test(test_trigger),
        cmocka_unit_test(test_view_data),
        cmocka_unit_test(test_view_data_in_a_state),
        cmocka_unit_test(test_data_address),
        cmocka_unit_test(test_big_endian_value),
        cmocka_unit_test(test_data_values),
        cmocka_unit_test(test_data_range),
        cmocka_unit_test(test_registers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
