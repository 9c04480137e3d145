/* SPDX-License-Identifier: BSD-2-Clause */
/* Resets, power states and low-power state: DDI0608 D6.1, D6.2.4 to D6.2.6, D6.5. */
#include "reach.h"

#define EVENT_0 "TRCRSCTLR2=1 TRCEVENTCTL0R=2 TRCEVENTCTL1R=1 "
#define POWER UINT64_C(1) /* TRCPDSR */
#define STICKYPD UINT64_C(2)

/* Something else than 0 in every register that can be written. */
static void fill(struct bench *b)
{
    struct cairn_unit_register_info info = {.size = sizeof info};

    for (size_t i = 0; cairn_unit_register_info(b->unit, i, &info) == CAIRN_OK; i++)
        if ((info.flags & CAIRN_REGISTER_WRITABLE) && info.offset != 0x004 && info.offset != 0xfb0)
            (void)try_store(b, info.offset, info.bits / 8, 0, info.offset == 0x034 ? 0xa : 0xf0f);
    store(b, "TRCPDCR", 8);
    msr(b, "TRCCLAIMSET", 0xff);
}

/* What is 0 behind a reset; of the rest, the values are UNKNOWN. */
static bool has_reset_value(uint32_t offset)
{
    return offset == 0x004 || offset == 0x018 || offset == 0x1c0 || offset == 0x310 ||
           offset == 0xf00 || offset == 0xfa4;
}

static void check_reset(struct bench *b, uint64_t seed)
{
    struct cairn_unit_register_info info = {.size = sizeof info};
    unsigned differing = 0, known = 0;

    cairn_unit_os_lock(b->unit, false);
    for (size_t i = 0; cairn_unit_register_info(b->unit, i, &info) == CAIRN_OK; i++) {
        uint64_t value = 1;

        if (!(info.flags & CAIRN_REGISTER_WRITABLE) || info.offset == 0xfa0 || info.offset == 0xfb0)
            continue;
        assert_int_equal(cairn_unit_load(b->unit, info.offset, info.bits / 8, 0, &value, NULL),
                         CAIRN_ANSWER_OK);
        if (has_reset_value(info.offset))
            /* proves: R_WKLGX, R_PCXJC */
            assert_int_equal(value, 0);
        known += has_reset_value(info.offset);
        differing += value != (info.offset == 0x010 ? 1 : 0);
    }
    assert_int_equal(known, 6);
    /* proves: R_WKLGX, R_PCXJC */
    assert_int_equal(differing == 0, seed == 0);
    if (seed != 0)
        assert_true(differing > 100);
    /* proves: R_WKLGX */
    assert_int_equal(load(b, "TRCSTATR"), STATR_IDLE | STATR_PMSTABLE);
}

static void test_reset(void **state)
{
    static const enum cairn_reset kinds[] = {CAIRN_RESET_TRACE_UNIT, CAIRN_RESET_COLD};

    (void)state;
    for (unsigned kind = 0; kind < 2; kind++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            for (int running = 0; running < 2; running++) {
                struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;
                struct bench b;

                bench_open(&b, "");
                options.unknown = seed;
                options.unstable = options.draining = 10;
                choose_all(&b, &options);
                fill(&b);
                if (running)
                    cairn_unit_enable(b.unit);
                cairn_unit_reset(b.unit, kinds[kind]);
                assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_IDLE);
                assert_int_equal(mrs(&b, "TRCOSLSR") >> 1 & 1, kind);
                check_reset(&b, seed);
                bench_end(&b);
            }
        }
    }
}

/* Whatever UNKNOWN values are, the unit can be enabled with them, and programmed anew. */
static void test_unknown_values(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 300; seed++) {
        struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;
        struct bench b;

        bench_open(&b, seed & 1 ? "fifo=128 drain=7 MAXSPEC=4" : "");
        options.unknown = seed;
        choose_all(&b, &options);
        cairn_unit_reset(b.unit, CAIRN_RESET_TRACE_UNIT);
        level(&b, seed & 2 ? "EL1n" : "EL0s");
        msr(&b, "TRCPRGCTLR", 1);
        assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_RUNNING);
        for (unsigned i = 0; i < 50; i++) {
            branch(&b, 0x1000 * i, 0x1000 * (i + 1), i & 1);
            cycles(&b, 3);
        }
        msr(&b, "TRCPRGCTLR", 0);
        assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_IDLE);
        bench_end(&b);
    }
}

static void test_power_cycle(void **state)
{
    struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;
    struct bench b;

    (void)state;
    bench_open(&b, "");
    options.unknown = 77;
    choose_all(&b, &options);
    fill(&b);
    assert_int_equal(load(&b, "TRCPDSR"), POWER);
    cairn_unit_power(b.unit, CAIRN_POWER_DOWN);
    cairn_unit_power(b.unit, CAIRN_POWER_NORMAL);
    /* proves: R_PTZDH, R_FQMXQ */
    assert_int_equal(load(&b, "TRCPDSR") & 3, POWER | STICKYPD);
    /* proves: R_PTZDH */
    assert_int_equal(mrs(&b, "TRCCLAIMCLR"), 0);
    /* proves: R_PTZDH */
    assert_int_equal(mrs(&b, "TRCOSLSR"), 0x12);
    check_reset(&b, 77);
    bench_end(&b);
}

/* Cold reset: nothing is traced until software says that it may be. */
static void test_cold_reset_prohibits(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "");
    level(&b, "EL1n");
    cairn_unit_reset(b.unit, CAIRN_RESET_COLD);
    lock(&b, 0);
    msr(&b, "TRCVICTLR", 0x201);
    msr(&b, "TRCSYNCPR", 0xc);
    msr(&b, "TRCPRGCTLR", 1);
    branch(&b, 0x1000, 0x1000, TAKEN);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x1000);
    /* proves: S_WVMHS */
    assert_trace(&b, "");
    cairn_unit_prohibit(b.unit, false); /* TRFCR_EL1, or EDSCR.TFO */
    branch(&b, 0x1000, 0x1000, TAKEN);
    /* proves: S_WVMHS */
    assert_trace(&b, BEGIN("1000") " E");
    bench_end(&b);
}

/* MDCR_EL3 and EDPRSR are the PE's: a cold reset clears what they have here. */
static void test_cold_reset_of_the_PE(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "");
    cairn_unit_deny_external(b.unit, true);
    assert_int_equal(try_load(&b, 0x080, 4, CAIRN_EXTERNAL_NONSECURE), CAIRN_ANSWER_ERROR);
    cairn_unit_reset(b.unit, CAIRN_RESET_TRACE_UNIT);
    assert_int_equal(try_load(&b, 0x080, 4, CAIRN_EXTERNAL_NONSECURE), CAIRN_ANSWER_ERROR);
    cairn_unit_reset(b.unit, CAIRN_RESET_COLD);
    assert_false(cairn_unit_denied(b.unit));
    lock(&b, 0);
    assert_int_equal(try_load(&b, 0x080, 4, CAIRN_EXTERNAL_NONSECURE), CAIRN_ANSWER_OK);
    bench_end(&b);
}

/* A warm reset of the PE is none of the unit: what was on its way goes on. */
static void test_warm_reset(void **state)
{
    struct bench b;
    size_t before;

    (void)state;
    bench_begin(&b, "outputs " EVENT_0 "TRCEXTINSELR0=0x1234");
    branch(&b, 0x1000, 0x2000, TAKEN);
    before = b.size;
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 1);
    cairn_unit_reset(b.unit, CAIRN_RESET_WARM);
    exception(&b, CAIRN_EXCEPTION_PE_RESET, 0);
    cycles(&b, 2);
    /* proves: R_RFGJD */
    assert_outputs(&b, "0:1 1:1 2:1");
    cairn_unit_inputs(b.unit, 0);
    cycles(&b, 3);
    cairn_unit_pmu_event(b.unit, 0x1234);
    cairn_unit_reset(b.unit, CAIRN_RESET_WARM);
    cycles(&b, 1);
    /* proves: R_TTPPY */
    assert_outputs(&b, "6:1");
    branch(&b, 0x0, 0x2000, TAKEN);
    cairn_unit_flush(b.unit);
    /* proves: I_QJKVW */
    assert_true(b.size > before && bench_count(bench_trace(&b), "EXC(PE_Reset)") == 1);
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_RUNNING);
    bench_end(&b);
}

/* Which states registers can be reached in, and what is left when power is back. */
static void test_power_states(void **state)
{
    static const struct {
        enum cairn_power power;
        bool access, kept, sticky;
    } rows[] = {
        {CAIRN_POWER_NORMAL, true, true, false},     {CAIRN_POWER_STANDBY, true, true, false},
        {CAIRN_POWER_RETENTION, false, true, false}, {CAIRN_POWER_DOWN, false, false, true},
        {CAIRN_POWER_SAVED, false, true, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        uint64_t value;

        bench_open(&b, "");
        store(&b, "TRCACVR5", 0xabcd);
        (void)load(&b, "TRCPDSR");
        cairn_unit_power(b.unit, rows[i].power);
        /* proves: I_GNFXXM */
        assert_int_equal(try_load(&b, 0x428, 8, 0),
                         rows[i].access ? CAIRN_ANSWER_OK : CAIRN_ANSWER_ERROR);
        for (uint32_t offset = 0; offset < 0x1000 && !rows[i].access; offset += 4) {
            /* proves: R_TWQJT */
            assert_int_equal(try_load(&b, offset, 4, 0), CAIRN_ANSWER_ERROR);
            assert_int_equal(try_store(&b, offset, 4, 0, 0), CAIRN_ANSWER_ERROR);
        }
        if (!rows[i].access)
            assert_int_equal(cairn_unit_mrs(b.unit, reach(&b, "TRCVICTLR").sysreg, 1, &value, NULL),
                             CAIRN_ANSWER_ERROR);
        cairn_unit_power(b.unit, CAIRN_POWER_NORMAL);
        cairn_unit_os_lock(b.unit, false);
        /* proves: I_GNFXXM */
        assert_int_equal(load(&b, "TRCACVR5"), rows[i].kept ? 0xabcd : 0);
        value = load(&b, "TRCPDSR");
        /* proves: I_CNZJH */
        assert_int_equal(value & STICKYPD, rows[i].sticky ? STICKYPD : 0);
        /* proves: I_CNZJH, D16.26 */
        assert_int_equal(value & POWER, POWER);
        bench_end(&b);
    }
}

/* STICKYPD comes back as it was where registers do. */
static void test_sticky(void **state)
{
    (void)state;
    for (int set = 0; set < 2; set++) {
        struct bench b;

        bench_open(&b, "");
        if (set)
            cairn_unit_reset(b.unit, CAIRN_RESET_TRACE_UNIT);
        cairn_unit_power(b.unit, CAIRN_POWER_SAVED);
        cairn_unit_power(b.unit, CAIRN_POWER_NORMAL);
        lock(&b, 1); /* reading clears it while the lock is unlocked */
        /* proves: R_CMKXK */
        assert_int_equal(load(&b, "TRCPDSR") & 3, POWER | (set ? STICKYPD : 0));
        /* proves: R_CMKXK */
        assert_int_equal(load(&b, "TRCPDSR") & 3, POWER | (set ? STICKYPD : 0));
        lock(&b, 0);
        assert_int_equal(load(&b, "TRCPDSR") & 3, POWER | (set ? STICKYPD : 0));
        /* proves: I_CNZJH */
        assert_int_equal(load(&b, "TRCPDSR") & 3, POWER);
        cairn_unit_power(b.unit, CAIRN_POWER_DOWN);
        cairn_unit_power(b.unit, CAIRN_POWER_RETENTION); /* what is gone does not come back */
        cairn_unit_power(b.unit, CAIRN_POWER_STANDBY);
        /* proves: R_FQMXQ */
        assert_int_equal(load(&b, "TRCPDSR") & 3, POWER | STICKYPD);
        bench_end(&b);
    }
}

/* A unit that was enabled is so again when its registers are back; in retention it never ceased. */
static void test_session_over_power(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x2000, TAKEN);
    cairn_unit_power(b.unit, CAIRN_POWER_RETENTION);
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_RUNNING);
    cairn_unit_power(b.unit, CAIRN_POWER_NORMAL);
    branch(&b, 0x2000, 0x3000, TAKEN);
    assert_trace(&b, BEGIN("1000") " E E");
    cairn_unit_power(b.unit, CAIRN_POWER_SAVED);
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_IDLE);
    branch(&b, 0x3000, 0x3000, TAKEN);
    cairn_unit_power(b.unit, CAIRN_POWER_NORMAL);
    branch(&b, 0x4000, 0x5000, TAKEN);
    assert_trace(&b, BEGIN("4000") " E");
    cairn_unit_power(b.unit, CAIRN_POWER_DOWN);
    cairn_unit_power(b.unit, CAIRN_POWER_NORMAL);
    assert_int_equal(mrs(&b, "TRCPRGCTLR"), 0);
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_IDLE);
    bench_end(&b);
}

/* --- low-power state --- */

/* A PE that executes is not asleep, and then neither is an enabled unit. */
static void test_awake(void **state)
{
    (void)state;
    for (int by_exception = 0; by_exception < 2; by_exception++) {
        struct bench b;

        bench_begin(&b, EVENT_0);
        branch(&b, 0x1000, 0x2000, TAKEN);
        (void)bench_trace(&b);
        cairn_unit_low_power(b.unit, true);
        cairn_unit_inputs(b.unit, 1);
        cycles(&b, 5);
        assert_trace(&b, "");
        if (by_exception)
            exception(&b, CAIRN_EXCEPTION_IRQ, 0x2000);
        else
            branch(&b, 0x2000, 0x3000, TAKEN);
        cycles(&b, 2);
        cairn_unit_inputs(b.unit, 0);
        /* proves: R_LHDSS */
        assert_trace(&b, by_exception ? "EXC(IRQ,2000) EV0 EV0" : "E EV0 EV0");
        bench_end(&b);
    }
}

/* A disabled unit may be, whatever the PE does. */
static void test_asleep_and_disabled(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, EVENT_0);
    cairn_unit_low_power(b.unit, true);
    branch(&b, 0x1000, 0x2000, TAKEN);
    /* Registers are reached all the time. */
    msr(&b, "TRCTRACEIDR", 5);
    assert_int_equal(load(&b, "TRCTRACEIDR"), 5);
    level(&b, "EL1n");
    msr(&b, "TRCPRGCTLR", 1);
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 3);
    /* proves: R_LHDSS */
    assert_trace(&b, "");
    branch(&b, 0x2000, 0x3000, TAKEN);
    cairn_unit_inputs(b.unit, 0);
    /* proves: R_LHDSS */
    assert_int_equal(bench_count(bench_trace(&b), "E"), 1);
    bench_end(&b);
}

/* Cycles in low-power state count, or they do not. */
static void test_cycle_counter(void **state)
{
    (void)state;
    for (int stops = 0; stops < 2; stops++) {
        struct bench b;
        char text[64];

        snprintf(text, sizeof text, "CCI THRESHOLD=1 choices=0x%x",
                 CAIRN_UNIT_COMMIT_AT_ONCE | (stops ? CAIRN_UNIT_LOW_POWER_STOPS_COUNT : 0));
        bench_begin(&b, text);
        cycles(&b, 5);
        branch(&b, 0x1000, 0x2000, TAKEN);
        (void)bench_trace(&b);
        cycles(&b, 7);
        cairn_unit_low_power(b.unit, true);
        cycles(&b, 100);
        cairn_unit_low_power(b.unit, false);
        cycles(&b, 3);
        branch(&b, 0x2000, 0x3000, TAKEN);
        /* proves: I_BPQTL */
        assert_trace(&b, stops ? "E CC(10)" : "E CC(110)");
        bench_end(&b);
    }
    {
        /* Enabled while it is low: nothing runs backwards. */
        struct bench b;

        bench_open(&b, "CCI THRESHOLD=1 choices=0x400002");
        cairn_unit_low_power(b.unit, true);
        cycles(&b, 50);
        level(&b, "EL1n");
        cairn_unit_enable(b.unit);
        cycles(&b, 20);
        cairn_unit_low_power(b.unit, false);
        cycles(&b, 4);
        branch(&b, 0x1000, 0x2000, TAKEN);
        cycles(&b, 6);
        branch(&b, 0x2000, 0x3000, TAKEN);
        assert_true(bench_order(bench_trace(&b), "CC(?)", "E", "CC(6)", NULL));
        bench_end(&b);
    }
}

/* Entering Debug state puts out what there is, the exception included. */
static void test_debug_flush(void **state)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x3000, TAKEN);
    exception(&b, CAIRN_EXCEPTION_DEBUG_HALT, 0x3000);
    assert_int_equal(b.size, 0);
    cairn_unit_debug_state(b.unit, true);
    cairn_unit_counters(b.unit, &counters);
    /* proves: I_KGJRL */
    assert_true(counters.bytes > 20 && b.size == counters.bytes);
    assert_trace(&b, BEGIN("1000") " E E EXC(Debug_halt,3000)");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_unknown_values),
        cmocka_unit_test(test_power_cycle),
        cmocka_unit_test(test_cold_reset_prohibits),
        cmocka_unit_test(test_cold_reset_of_the_PE),
        cmocka_unit_test(test_warm_reset),
        cmocka_unit_test(test_power_states),
        cmocka_unit_test(test_sticky),
        cmocka_unit_test(test_session_over_power),
        cmocka_unit_test(test_awake),
        cmocka_unit_test(test_asleep_and_disabled),
        cmocka_unit_test(test_cycle_counter),
        cmocka_unit_test(test_debug_flush),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
