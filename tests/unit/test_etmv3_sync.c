/* SPDX-License-Identifier: BSD-2-Clause */
/* How often the ETMv3 model synchronises, what else makes it (IHI0014 7.7.1, 3.5.17; 7.10.2 of issue
 * Q), and how trace ends and goes on where signals change (2.6.2). */
#include "etmv3_bench.h"

#define BENCH_V3_0 0x4100f200u
#define SYNC "00 00 00 00 00 80 "
#define START_8000 "08 21 00 80 00 00 84"
#define FAR 0x40000000u

static uint64_t syncs(void)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_counters(bench.unit, &counters);
    return counters.syncs;
}

/* Jumps there and far away from there, of two or more bytes each. */
static uint32_t jumps(uint32_t at, unsigned count)
{
    for (; count > 0; count--, at ^= FAR)
        jump(at);
    return at;
}

/* What was written is not looked at; it is this much. */
static size_t written(void)
{
    const size_t before = bench.checked;

    cairn_unit_flush(bench.unit);
    bench.checked = bench.size;
    return bench.size - before;
}

/* In v3.0 the period, here of 100, is one of cycles, and bytes are none of its concern. */
static void test_cycles(void **state)
{
    uint32_t at;

    (void)state;
    bench_start(BENCH_V3_0, "ETMSYNCFR=64", 0x8000, START_8000);
    cairn_unit_cycles(bench.unit, 99);
    run(0x8004);
    run(0x8008);
    expect("88");
    cairn_unit_cycles(bench.unit, 1);
    run(0x800c);
    /* proves: ETM3-7.7.1-a */
    expect(SYNC "08 01 0c 80 00 00 84");
    at = jumps(0x8010, 60);
    assert_in_range(written(), 120, 1000);
    assert_int_equal(syncs(), 2);
    cairn_unit_cycles(bench.unit, 99);
    at = jumps(at, 2);
    assert_int_equal(syncs(), 2);
    cairn_unit_cycles(bench.unit, 1);
    (void)jumps(at, 2);
    /* proves: ETM3-7.7.1-a */
    assert_int_equal(syncs(), 3);
    bench_end();
}

/* From v3.1 on it is one of bytes, and cycles are none of its concern. */
static void test_bytes(void **state)
{
    uint64_t before;
    size_t bytes = 0;
    uint32_t at = 0x8004;

    (void)state;
    bench_start(BENCH_R, "ETMSYNCFR=200", 0x8000, START_8000);
    cairn_unit_cycles(bench.unit, 5000);
    for (unsigned n = 0; n < 4; n++) {
        before = syncs();
        bytes = 0;
        while (syncs() == before) {
            at = jumps(at, 1);
            bytes += written();
        }
        /* The first one is counted from the A-sync on, since when 13 bytes are gone by; the rest is
         * the synchronisation itself, of 12 bytes, and what it waits for. */
        /* proves: ETM3-7.7.1-a */
        assert_in_range(bytes, 512 - 13, 512 + 32);
    }
    bench_end();
}

/* Data is suppressed while more than 16 bytes are in the FIFO, which a byte leaves with each cycle:
 * five jumps fill it so far, and one in six cycles keeps it there. */
static uint32_t begin_suppressing(void)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    options.fifo_bytes = 256;
    options.fifo_drain = 16;
    bench_begin_with(BENCH_R, "ETMCR=4000c ETMFFLR=f0 ETMSYNCFR=100", options);
    return jumps(0x8000, 5);
}

static uint32_t suppress_until(uint32_t at, uint64_t bytes)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    do {
        cairn_unit_cycles(bench.unit, 6);
        at = jumps(at, 1);
        cairn_unit_counters(bench.unit, &counters);
    } while (counters.bytes < bytes);
    return at;
}

/* A synchronisation that has to wait is at most a period late: the unit overflows then. */
static void test_late(void **state)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};
    uint32_t at;

    (void)state;
    at = suppress_until(begin_suppressing(), 2 * 256 - 32);
    assert_int_equal(syncs(), 1);
    cairn_unit_cycles(bench.unit, 200); /* the FIFO runs empty */
    (void)jumps(at, 2);
    cairn_unit_counters(bench.unit, &counters);
    /* proves: ETM3-7.7.1-a */
    assert_int_equal(counters.syncs, 2);
    assert_int_equal(counters.overflows, 0);
    bench_end();

    at = suppress_until(begin_suppressing(), 2 * 256 - 8);
    for (unsigned n = 0; n < 4; n++) {
        cairn_unit_cycles(bench.unit, 6);
        at = jumps(at, 1);
    }
    cairn_unit_counters(bench.unit, &counters);
    /* proves: ETM3-7.7.1-a */
    assert_int_equal(counters.overflows, 1);
    assert_int_equal(counters.syncs, 1);
    at = jumps(at, at & FAR ? 1 : 2); /* untraced */
    (void)written();
    cairn_unit_cycles(bench.unit, 200);
    run(at);
    run(at + 4);
    expect(SYNC "08 41 00 80 00 00 88");
    bench_end();
}

/* What is suppressed behind an overflow is told anew, though it was before it (7.4.6). */
static void test_suppressed_again(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit_counters counters = {.size = sizeof counters};
    uint32_t at;

    (void)state;
    options.fifo_bytes = 256;
    options.fifo_drain = 16;
    bench_begin_with(BENCH_R, "ETMCR=4000c ETMFFLR=f8", options); /* with 9 bytes in the FIFO */
    run(0x8000);
    load(0x20000000, 4, 1);
    expect(SYNC START_8000 "62");
    at = jumps(0x8004, 200);
    (void)written();
    cairn_unit_cycles(bench.unit, 1000);
    run(at);
    load(0x20000004, 4, 2);
    /* proves: ETM3-7.4.6-a */
    expect(SYNC "08 41 04 80 00 00 84 62");
    cairn_unit_counters(bench.unit, &counters);
    assert_int_equal(counters.overflows, 1);
    bench_end();
}

/* A period of one byte: each instruction is a new beginning. */
static void test_shortest_period(void **state)
{
    (void)state;
    bench_start(BENCH_A, "ETMSYNCFR=1", 0x8000, START_8000);
    run(0x8004);
    expect(SYNC "08 01 04 80 00 00 84");
    run(0x8008);
    /* proves: ETM3-7.7.1-a */
    expect(SYNC "08 01 08 80 00 00 84");
    bench_end();
}

/* 0 turns the counter off: what asks for a synchronisation otherwise still does. */
static void test_no_counter(void **state)
{
    uint32_t at;

    (void)state;
    bench_start(BENCH_A, "ETMSYNCFR=0", 0x8000, START_8000);
    at = jumps(0x8004, 2000);
    assert_in_range(written(), 4096, sizeof bench.bytes);
    /* proves: ETM35Q-7.10.2-b */
    assert_int_equal(syncs(), 1);
    cairn_unit_request_sync(bench.unit);
    at = jumps(at, 2);
    /* proves: ETM35Q-7.10.2-b */
    assert_int_equal(syncs(), 2);
    at = jumps(at, 2000);
    assert_int_equal(syncs(), 2);
    assert_int_equal(cairn_unit_write(bench.unit, "ETMCR", 0x400, NULL), CAIRN_OK);
    assert_int_equal(cairn_unit_write(bench.unit, "ETMCR", 0, NULL), CAIRN_OK);
    at = jumps(at, 2);
    /* proves: ETM35Q-7.10.2-b */
    assert_int_equal(syncs(), 3);
    bench_end();
}

static void test_no_counter_overflow(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    uint32_t at;

    (void)state;
    options.fifo_bytes = 128;
    options.fifo_drain = 16;
    bench_begin_with(BENCH_A, "ETMSYNCFR=0", options);
    at = jumps(0x8000, 40);
    assert_int_equal(syncs(), 1);
    (void)written();
    cairn_unit_cycles(bench.unit, 1000);
    run(at);
    run(at + 4);
    /* proves: ETM35Q-7.10.2-b */
    expect(SYNC "08 41 00 80 00 00 88");
    bench_end();
}

/* A period of fewer bytes than the FIFO has is not allowed. */
static void test_shorter_than_fifo(void **state)
{
    static const struct {
        uint64_t period;
        uint32_t fifo_bytes;
        cairn_status status;
    } rows[] = {
        {127, 128, CAIRN_E_CONFIG}, {128, 128, CAIRN_OK}, {0, 128, CAIRN_OK},
        {1, 128, CAIRN_E_CONFIG},   {1, 0, CAIRN_OK},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct cairn_register period = {"ETMSYNCFR", rows[i].period};
        struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
        struct cairn_unit *unit = NULL;

        options.protocol = CAIRN_PROTOCOL_ETMV3;
        options.arch = (struct cairn_arch){.profile = CAIRN_PROFILE_A, .major = 7};
        options.fifo_bytes = rows[i].fifo_bytes;
        assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
        /* proves: ETM35Q-7.10.2-b */
        assert_int_equal(cairn_unit_write(unit, "ETMSYNCFR", rows[i].period, NULL), rows[i].status);
        cairn_unit_free(unit);
        unit = NULL;
        options.registers = &period;
        options.register_count = 1;
        assert_int_equal(cairn_unit_new(&options, &unit, NULL), rows[i].status);
        cairn_unit_free(unit);
    }
}

/* The signals change behind a jump from 0x8000, whose branch leads to 0, or is left out; trace goes on at
 * 0x8008 either way. A unit that is late is told of them an instruction later. */
static void test_signals(void **state)
{
    static const struct {
        uint32_t choices;
        bool late;
        const char *bytes;
    } rows[] = {
        {0, false, "84 81 00"},
        {CAIRN_UNIT_SIGNALS_WITHOUT_BRANCH, false, "84"},
        {0, true, "84 83 80 01 84"},
        {CAIRN_UNIT_SIGNALS_WITHOUT_BRANCH, true, "84 83 80 01 84"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

        options.choices |= rows[i].choices; /* bits 14:2 in two bytes are enough for 0 */
        bench_begin_with(BENCH_A, "", options);
        run(0x7ffc);
        expect(SYNC "08 21 fc 7f 00 00 84");
        jump(0x8000);
        if (rows[i].late)
            run(0x8004);
        cairn_unit_authenticate(bench.unit, 0);
        run(0x9000);
        /* proves: ETM3-2.6.2-e */
        expect(rows[i].bytes);
        cairn_unit_authenticate(bench.unit, CAIRN_UNIT_NIDEN);
        if (rows[i].late)
            run(0x8008);
        run(rows[i].late ? 0x800c : 0x8008);
        /* proves: ETM3-2.6.2-e */
        expect(rows[i].late ? "08 21 08 80 00 00 88" : "08 21 08 80 00 00 84");
        bench_end();
    }
    /* A region is none of the signals'. */
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    options.choices |= CAIRN_UNIT_SIGNALS_WITHOUT_BRANCH;
    bench_begin_with(BENCH_A, "", options);
    run(0x7ffc);
    jump(0x8000);
    expect(SYNC "08 21 fc 7f 00 00 88");
    cairn_unit_prohibit(bench.unit, true);
    /* proves: ETM3-2.6.2-e */
    expect("81 00");
    bench_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_suppressed_again),
        cmocka_unit_test(test_shortest_period),
        cmocka_unit_test(test_no_counter),
        cmocka_unit_test(test_no_counter_overflow),
        cmocka_unit_test(test_shorter_than_fifo),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("ETMv3 model: synchronisation", tests, NULL, NULL);
}
