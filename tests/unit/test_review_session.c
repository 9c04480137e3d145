/* SPDX-License-Identifier: BSD-2-Clause */
/* Power, synchronization and what ETMv4 has not. */
#include "conformance/bench.h"

/* In Low-power Override Mode the unit is not in the low-power state: a timestamp comes with the
 * Event that it waited for. */
static void override_gives_timestamps(void **unused)
{
    struct bench b;

    (void)unused;
    bench_begin(&b, "TS TSMARK=0 WFXMODE TRCTSCTLR=1 TRCEVENTCTL0R=1 TRCEVENTCTL1R=0x1001");
    at_time(&b, 5);
    wfi(&b, 0x1000, TAKEN);
    cycles(&b, 1);
    assert_trace(&b, BEGIN("1000") " E TS(5) EV0");
    cairn_unit_low_power(b.unit, true);
    at_time(&b, 9);
    cycles(&b, 1);
    /* proves: R_VHSFL, R_RMSVV */
    assert_trace(&b, "EV0 TS(9)");
    bench_end(&b);
}

/* Without it nothing is generated, whatever becomes known. */
static void low_power_is_silent(void **unused)
{
    struct bench b;

    (void)unused;
    bench_begin(&b, "MAXSPEC=4 COMMTRANS=1 WFXMODE");
    speculate(&b);
    wfi(&b, 0x1000, TAKEN);
    assert_trace(&b, BEGIN("1000") " E");
    cairn_unit_low_power(b.unit, true);
    resolve(&b, mark(&b));
    /* proves: R_LBDSM */
    assert_trace(&b, "");
    cairn_unit_low_power(b.unit, false);
    branch(&b, 0x1004, 0x1000, TAKEN);
    /* proves: R_ONLYJ */
    assert_trace(&b, "COMMIT(1) E");
    bench_end(&b);
}

static void low_power_is_silent_on_cancel(void **unused)
{
    struct bench b;
    uint64_t before;

    (void)unused;
    bench_begin(&b, "MAXSPEC=4 COMMTRANS=1");
    speculate(&b);
    branch(&b, 0x1000, 0x1004, TAKEN);
    before = mark(&b);
    branch(&b, 0x1004, 0x1000, TAKEN);
    assert_trace(&b, BEGIN("1000") " E E");
    cairn_unit_low_power(b.unit, true);
    cancel(&b, before);
    /* proves: R_LBDSM */
    assert_trace(&b, "");
    cairn_unit_low_power(b.unit, false);
    branch(&b, 0x1004, 0x2000, TAKEN);
    /* proves: R_HYCXR */
    assert_trace(&b, "CANCEL(1) E");
    bench_end(&b);
}

/* In a Trace Prohibited region nothing comes that could imply the Commits that waited. */
static void low_power_in_prohibited_region(void **unused)
{
    struct bench b;

    (void)unused;
    bench_begin(&b, "MAXSPEC=8 COMMTRANS=1 choices=0");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    cairn_unit_prohibit(b.unit, true);
    cairn_unit_low_power(b.unit, true);
    resolve(&b, mark(&b));
    assert_trace(&b, BEGIN("1000") " E");
    cairn_unit_low_power(b.unit, false);
    /* proves: R_CKZMR */
    assert_trace(&b, "COMMIT(1)");
    bench_end(&b);
}

/* A FIFO that drains as fast as Events fill it does not overflow, however many cycles a call tells
 * of. */
static void drains_cycle_by_cycle(void **unused)
{
    struct bench b;
    struct cairn_unit_counters counters = {.size = sizeof counters};

    (void)unused;
    bench_begin(&b, "fifo=256 drain=16 TRCEVENTCTL0R=1 TRCEVENTCTL1R=1");
    branch(&b, 0x1000, 0x1000, TAKEN);
    cycles(&b, 1000);
    cairn_unit_counters(b.unit, &counters);
    assert_int_equal(bench_count(bench_trace(&b), "EV0"), 1000);
    /* proves: R_LDDL */
    assert_int_equal(counters.overflows, 0);
    bench_end(&b);
}

/* ETMv4 knows no transactions: bit 6 of its Trace Info is reserved, and nothing is discarded. */
static void etmv4_has_no_transactions(void **unused)
{
    struct bench b;

    (void)unused;
    bench_begin(&b, "etmv4");
    tstart(&b, 0x1000);
    branch(&b, 0x1004, 0x3000, TAKEN);
    assert_trace(&b, BEGIN("1000") " E E");
    cairn_unit_request_sync(b.unit);
    branch(&b, 0x3000, 0x3000, TAKEN);
    assert_trace(&b, "SYNC INFO CTX(EL1n) ADDR(3000) E");
    cairn_unit_disable(b.unit);
    assert_trace(&b, "");
    bench_end(&b);
}

/* 0x1000: B.cond to itself. */
static const struct cairn_block loop = {
    .address = 0x1000,
    .target = 0x1000,
    .size = 4,
    .count = 1,
    .isa = CAIRN_ISA_A64,
    .kind = CAIRN_INSN_BRANCH_DIRECT,
    .last_size = 4,
    .target_isa = CAIRN_ISA_A64,
};

/* Enabled, 256 bytes a period, while nobody watches it. */
static struct cairn_unit *make_unwatched(void)
{
    static const struct cairn_register period[] = {{"TRCSYNCPR", 8}};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit;

    options.arch = cairn_arch_any_a();
    options.registers = period;
    options.register_count = 1;
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    cairn_unit_enable(unit);
    return unit;
}

/* How often a unit synchronizes that traces 4096 branches in bytes of their own. */
static uint64_t count_syncs(void (*write)(struct cairn_unit *unit))
{
    struct cairn_unit *unit = make_unwatched();
    struct cairn_unit_counters counters = {.size = sizeof counters};

    for (unsigned i = 0; i < 4096; i++) {
        cairn_unit_execute(unit, &loop, true);
        write(unit);
    }
    cairn_unit_counters(unit, &counters);
    cairn_unit_free(unit);
    return counters.syncs;
}

static void ask_position(struct cairn_unit *unit)
{
    (void)cairn_unit_position(unit);
}

/* A feed that asks for positions all the time, or flushes, gets its synchronization too. */
static void synchronizes_between_positions(void **unused)
{
    (void)unused;
    /* proves: R_QHHSY */
    assert_in_range(count_syncs(ask_position), 12, 18);
}

static void synchronizes_between_flushes(void **unused)
{
    (void)unused;
    /* proves: R_QHHSY */
    assert_in_range(count_syncs(cairn_unit_flush), 12, 18);
}

/* Branches until so many bytes were generated in all. */
static void branch_until(struct cairn_unit *unit, uint64_t bytes)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    for (; counters.bytes < bytes; cairn_unit_counters(unit, &counters))
        cairn_unit_execute(unit, &loop, true);
}

/* Neither does one that asks once, in the middle of a period. */
static void synchronizes_behind_a_position(void **unused)
{
    struct cairn_unit *unit = make_unwatched();
    struct cairn_unit_counters counters = {.size = sizeof counters};

    (void)unused;
    branch_until(unit, 200);
    (void)cairn_unit_position(unit);
    branch_until(unit, 400);
    cairn_unit_counters(unit, &counters);
    /* proves: R_QHHSY */
    assert_int_equal(counters.syncs, 2); /* that of the beginning, and one behind 256 bytes */
    cairn_unit_free(unit);
}

/* One Event a cycle, however many cycles one call tells of; or a loss that is counted. */
static void events_of_many_cycles(void **unused)
{
    struct bench b;
    struct cairn_unit_counters before = {.size = sizeof before};
    struct cairn_unit_counters after = {.size = sizeof after};

    (void)unused;
    bench_begin(&b, "TRCEVENTCTL0R=1 TRCEVENTCTL1R=1");
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)cairn_unit_position(b.unit);
    cairn_unit_counters(b.unit, &before);
    cycles(&b, 5000);
    (void)cairn_unit_position(b.unit);
    cairn_unit_counters(b.unit, &after);
    /* proves: R_KKLYB */
    assert_true(after.bytes - before.bytes >= 5000 || after.overflows > before.overflows);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(override_gives_timestamps),
        cmocka_unit_test(low_power_is_silent),
        cmocka_unit_test(low_power_is_silent_on_cancel),
        cmocka_unit_test(low_power_in_prohibited_region),
        cmocka_unit_test(drains_cycle_by_cycle),
        cmocka_unit_test(etmv4_has_no_transactions),
        cmocka_unit_test(synchronizes_between_positions),
        cmocka_unit_test(synchronizes_between_flushes),
        cmocka_unit_test(synchronizes_behind_a_position),
        cmocka_unit_test(events_of_many_cycles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
