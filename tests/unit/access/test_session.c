/* SPDX-License-Identifier: BSD-2-Clause */
/* Programming states, the OS Lock, and what may be written when: DDI0608 D8.3, D6.2.1, D6.2.2. */
#include "reach.h"

static void assert_state(struct bench *b, enum cairn_session expected)
{
    assert_int_equal(cairn_unit_session(b->unit), expected);
}

/* Table D8.2, row by row, with delays of three, four and five steps. */
static void test_states(void **state)
{
    (void)state;
    for (int stable = 0; stable < 2; stable++) {
        struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;
        const uint64_t pmstable = stable ? STATR_PMSTABLE : 0;
        struct bench b;

        bench_open(&b, "");
        options.enabling = 3;
        options.unstable = 4;
        options.draining = 5;
        options.choices = stable ? CAIRN_ACCESS_STABLE_WHEN_ENABLED : 0;
        choose_all(&b, &options);
        /* proves: R_WMGGP */
        assert_int_equal(load(&b, "TRCSTATR"), STATR_IDLE | STATR_PMSTABLE);
        assert_state(&b, CAIRN_SESSION_IDLE);
        store(&b, "TRCPRGCTLR", 1);
        /* proves: R_DXFFN */
        assert_state(&b, CAIRN_SESSION_ENABLING);
        /* proves: R_WMGGP */
        assert_int_equal(load(&b, "TRCSTATR"), STATR_IDLE | pmstable);
        assert_int_equal(load(&b, "TRCSTATR"), STATR_IDLE | pmstable);
        assert_int_equal(load(&b, "TRCSTATR"), STATR_IDLE | pmstable);
        /* proves: R_ZFPHC */
        assert_state(&b, CAIRN_SESSION_RUNNING);
        /* proves: R_WMGGP */
        assert_int_equal(load(&b, "TRCSTATR"), pmstable);
        store(&b, "TRCPRGCTLR", 0);
        /* proves: R_TZSRP */
        assert_state(&b, CAIRN_SESSION_UNSTABLE);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(load(&b, "TRCSTATR"), 0);
        /* proves: R_CZHWF */
        assert_state(&b, CAIRN_SESSION_STABLE);
        for (unsigned i = 0; i < 5; i++)
            assert_int_equal(load(&b, "TRCSTATR"), STATR_PMSTABLE);
        assert_state(&b, CAIRN_SESSION_IDLE);
        assert_int_equal(load(&b, "TRCSTATR"), STATR_IDLE | STATR_PMSTABLE);
        bench_end(&b);
    }
}

/* Cycles of the PE are steps as well, and no state lasts longer than it may. */
static void test_finite(void **state)
{
    struct bench b;
    unsigned n;

    (void)state;
    bench_open(&b, "");
    delay(&b, 100, 200, 300);
    store(&b, "TRCPRGCTLR", 1);
    for (n = 0; cairn_unit_session(b.unit) == CAIRN_SESSION_ENABLING; n++)
        cycles(&b, 1);
    /* proves: R_ZFPHC */
    assert_int_equal(n, 100);
    store(&b, "TRCPRGCTLR", 0);
    for (n = 0; cairn_unit_session(b.unit) == CAIRN_SESSION_UNSTABLE; n++)
        cycles(&b, 1);
    /* proves: R_CZHWF */
    assert_int_equal(n, 200);
    for (n = 0; cairn_unit_session(b.unit) == CAIRN_SESSION_STABLE; n++)
        cycles(&b, 1);
    assert_int_equal(n, 300);
    assert_state(&b, CAIRN_SESSION_IDLE);
    store(&b, "TRCPRGCTLR", 1);
    cycles(&b, UINT64_MAX); /* no time is too long */
    assert_state(&b, CAIRN_SESSION_RUNNING);
    bench_end(&b);
}

/* Enabled or disabled: by both of EN and the OS Lock, in whatever order they come. */
static void test_enabled(void **state)
{
    (void)state;
    for (unsigned from = 0; from < 4; from++) {
        for (unsigned to = 0; to < 4; to++) {
            struct bench b;
            bool enabled;

            bench_open(&b, "");
            level(&b, "EL1n");
            cairn_unit_os_lock(b.unit, from & 2);
            msr(&b, "TRCPRGCTLR", from & 1);
            cairn_unit_os_lock(b.unit, to & 2);
            msr(&b, "TRCPRGCTLR", to & 1);
            enabled = cairn_unit_session(b.unit) == CAIRN_SESSION_RUNNING;
            branch(&b, 0x1000, 0x1000, TAKEN);
            /* proves: R_VBMV, R_TMLTF, R_GLTKQ */
            assert_int_equal(enabled, to == 1);
            /* proves: R_VBMV, R_TMLTF, R_GLTKQ */
            assert_int_equal(bench_count(bench_trace(&b), "E"), to == 1);
            /* What software wrote is what it reads, whatever the lock makes of it. */
            assert_int_equal(mrs(&b, "TRCPRGCTLR"), to & 1);
            bench_end(&b);
        }
    }
}

/* Locking ends a session as clearing EN does, and unlocking begins one. */
static void test_lock_mid_run(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x2000, TAKEN);
    lock(&b, 1);
    /* proves: R_TMLTF */
    assert_int_equal(mrs(&b, "TRCSTATR"), STATR_IDLE | STATR_PMSTABLE);
    assert_trace(&b, BEGIN("1000") " E");
    branch(&b, 0x2000, 0x3000, TAKEN);
    assert_trace(&b, "");
    lock(&b, 0);
    branch(&b, 0x3000, 0x4000, NOT_TAKEN);
    /* proves: R_VBMV */
    assert_trace(&b, BEGIN("3000") " N");
    /* The older interface is the debugger's view of the same thing. */
    cairn_unit_disable(b.unit);
    assert_int_equal(mrs(&b, "TRCPRGCTLR"), 0);
    cairn_unit_os_lock(b.unit, true);
    cairn_unit_enable(b.unit);
    assert_int_equal(mrs(&b, "TRCPRGCTLR"), 1);
    assert_state(&b, CAIRN_SESSION_IDLE);
    assert_int_equal(cairn_unit_write(b.unit, "TRCVICTLR", 0x201, NULL), CAIRN_OK);
    cairn_unit_os_lock(b.unit, false);
    assert_state(&b, CAIRN_SESSION_RUNNING);
    bench_end(&b);
}

static void step_to(struct bench *b, enum cairn_session wanted)
{
    for (unsigned i = 0; cairn_unit_session(b->unit) != wanted; i++) {
        assert_true(i < 100);
        cycles(b, 1);
    }
}

/* A unit in each state but Idle. */
static void bring_to(struct bench *b, enum cairn_session wanted)
{
    bench_open(b, "");
    delay(b, 10, 10, 10);
    cairn_unit_enable(b->unit);
    if (wanted == CAIRN_SESSION_ENABLING)
        return;
    step_to(b, CAIRN_SESSION_RUNNING);
    if (wanted == CAIRN_SESSION_RUNNING)
        return;
    cairn_unit_disable(b->unit);
    step_to(b, wanted);
}

static const enum cairn_session busy[] = {CAIRN_SESSION_ENABLING, CAIRN_SESSION_RUNNING,
                                          CAIRN_SESSION_UNSTABLE, CAIRN_SESSION_STABLE};

/* Writes while the unit is not idle: ignored, or an UNKNOWN value; but for the three registers. */
static void test_busy_writes(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        for (int unknown = 0; unknown < 2; unknown++) {
            for (int external = 0; external < 2; external++) {
                struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;
                struct bench b;
                enum cairn_answer answer;

                bring_to(&b, busy[i]);
                options.enabling = options.unstable = options.draining = 1000;
                options.choices = unknown ? CAIRN_ACCESS_BUSY_WRITES_UNKNOWN : 0;
                options.unknown = 5;
                if (busy[i] != CAIRN_SESSION_RUNNING && busy[i] != CAIRN_SESSION_STABLE)
                    choose_all(&b, &options);
                if (busy[i] == CAIRN_SESSION_RUNNING || busy[i] == CAIRN_SESSION_STABLE) {
                    options.enabling = options.unstable = 1;
                    choose_all(&b, &options);
                }
                answer = external ? try_store(&b, 0x400, 8, 0, 0x1234)
                                  : try_msr(&b, "TRCACVR0", 1, 0x1234);
                /* proves: R_RWYQD, I_GDNWY */
                assert_int_equal(answer, unknown ? CAIRN_ANSWER_UNKNOWN : CAIRN_ANSWER_IGNORED);
                if (!unknown)
                    /* proves: R_RWYQD, I_GDNWY */
                    assert_int_equal(read_register(&b, "TRCACVR0"), 0);
                if (unknown)
                    /* proves: R_RWYQD */
                    assert_true(read_register(&b, "TRCACVR0") != 0 &&
                                read_register(&b, "TRCACVR0") != 0x1234);
                assert_int_equal(try_msr(&b, "TRCCLAIMSET", 1, 3), CAIRN_ANSWER_OK);
                assert_int_equal(try_store(&b, 0xfa4, 4, 0, 1), CAIRN_ANSWER_OK);
                assert_int_equal(mrs(&b, "TRCCLAIMCLR"), 2);
                bench_end(&b);
            }
        }
    }
}

/* TRCPRGCTLR.EN while the unit is neither idle nor running: ignored, or UNKNOWN. */
static void test_busy_enable(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const bool may = busy[i] == CAIRN_SESSION_RUNNING;
        const uint64_t other = busy[i] == CAIRN_SESSION_ENABLING || may ? 0 : 1;
        bool met[2] = {false, false};
        struct cairn_error why = {.text = ""};
        struct bench b;

        bring_to(&b, busy[i]);
        /* No change is no matter. */
        assert_int_equal(try_store(&b, 0x004, 4, 0, !other), CAIRN_ANSWER_OK);
        assert_state(&b, busy[i]);
        /* proves: R_MDZDN */
        assert_int_equal(cairn_unit_store(b.unit, 0x004, 4, 0, other, &why),
                         may ? CAIRN_ANSWER_OK : CAIRN_ANSWER_IGNORED);
        /* proves: R_MDZDN */
        assert_int_equal(read_register(&b, "TRCPRGCTLR"), may ? other : !other);
        if (!may)
            assert_non_null(strstr(why.text, "TRCSTATR.IDLE"));
        bench_end(&b);
        for (uint64_t seed = 1; seed < 20 && !may; seed++) {
            struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;

            bring_to(&b, busy[i]);
            options.enabling = options.unstable = options.draining = 1000;
            if (busy[i] == CAIRN_SESSION_STABLE)
                options.unstable = 1;
            options.choices = CAIRN_ACCESS_BUSY_ENABLE_UNKNOWN;
            options.unknown = seed;
            choose_all(&b, &options);
            assert_int_equal(try_msr(&b, "TRCPRGCTLR", 1, other), CAIRN_ANSWER_UNKNOWN);
            met[read_register(&b, "TRCPRGCTLR")] = true;
            bench_end(&b);
        }
        if (!may)
            /* proves: R_MDZDN */
            assert_true(met[0] && met[1]);
    }
}

/* In Idle everything may be written, OS Lock locked or not. */
static void test_idle_writes(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "");
    for (int locked = 0; locked < 2; locked++) {
        lock(&b, (unsigned)locked);
        msr(&b, "TRCRSR", 0x1a05);
        msr(&b, "TRCCNTVR1", 77);
        /* proves: D16.15 */
        assert_int_equal(mrs(&b, "TRCRSR") & 0xf, 5);
        /* proves: D16.16 */
        assert_int_equal(mrs(&b, "TRCRSR") >> 8 & 0xf, 0xa);
        /* proves: D16.17 */
        assert_int_equal(mrs(&b, "TRCRSR") & TA, TA);
        assert_int_equal(mrs(&b, "TRCCNTVR1"), 77);
        msr(&b, "TRCRSR", 0);
        assert_int_equal(mrs(&b, "TRCRSR"), 0);
    }
    bench_end(&b);
}

/* What software writes into TRCRSR is what the unit begins with. */
static void test_RSR_is_used(void **state)
{
    (void)state;
    for (unsigned set = 0; set < 2; set++) {
        struct bench b;

        bench_open(&b, "TRCRSCTLR2=1 TRCEVENTCTL0R=0x0200 TRCEVENTCTL1R=7");
        level(&b, "EL1n");
        msr(&b, "TRCRSR", set ? TA | 0x401 : 0);
        msr(&b, "TRCPRGCTLR", 1);
        exception(&b, CAIRN_EXCEPTION_IRQ, 0x2000);
        cycles(&b, 1);
        {
            const char *text = bench_trace(&b);

            /* proves: D16.17 */
            assert_int_equal(bench_count(text, "EXC"), set);
            /* proves: D16.16 */
            assert_int_equal(bench_count(text, "EV2"), set);
            /* proves: D16.15 */
            assert_int_equal(bench_count(text, "EV1"), set);
        }
        bench_end(&b);
    }
}

/* Nothing that the PE does changes the state of a unit that is Stable or Idle. */
static void test_fixed(void **state)
{
    static const char *const names[] = {"TRCVICTLR", "TRCSEQSTR", "TRCCNTVR0",
                                        "TRCCNTVR1", "TRCSSCSR0", "TRCRSR"};
    struct bench b;

    (void)state;
    for (int idle = 0; idle < 2; idle++) {
        uint64_t before[6];

        bench_open(&b,
                   "TRCRSCTLR2=1 TRCRSCTLR3=2 TRCCNTRLDVR0=9 TRCCNTVR0=9 TRCCNTCTLR0=1 "
                   "TRCCNTVR1=500 TRCCNTCTLR1=2 TRCSEQEVR0=2 TRCACVR0=0x1000 TRCVISSCTLR=0x10001 "
                   "TRCSSCCR0=1 TRCEVENTCTL0R=0x03020201 TRCEVENTCTL1R=0xf");
        delay(&b, 0, 0, idle ? 0 : 1000000);
        level(&b, "EL1n");
        msr(&b, "TRCPRGCTLR", 1);
        cairn_unit_inputs(b.unit, 1);
        code(&b, 0x2000, 1);
        cycles(&b, 5);
        cairn_unit_inputs(b.unit, 0);
        cycles(&b, 1);
        msr(&b, "TRCPRGCTLR", 0);
        assert_state(&b, idle ? CAIRN_SESSION_IDLE : CAIRN_SESSION_STABLE);
        for (unsigned i = 0; i < 6; i++)
            before[i] = mrs(&b, names[i]);
        cairn_unit_inputs(b.unit, 3);
        cairn_unit_pmu_event(b.unit, 0);
        cairn_unit_event(b.unit, 2);
        code(&b, 0x1000, 1); /* a start and stop point, and a single-shot's */
        branch(&b, 0x1004, 0x1000, TAKEN);
        cycles(&b, 100);
        cairn_unit_prohibit(b.unit, true);
        cairn_unit_event(b.unit, 1);
        cycles(&b, 100);
        cairn_unit_prohibit(b.unit, false);
        exception(&b, CAIRN_EXCEPTION_IRQ, 0x1000);
        for (unsigned i = 0; i < 6; i++) {
            /* proves: R_BPTKT */
            assert_int_equal(mrs(&b, names[i]), before[i]);
            /* proves: R_BPTKT */
            assert_int_equal(load(&b, names[i]), before[i]);
        }
        bench_end(&b);
    }
}

/* While it runs, the values move as they are read; and are not moved by being read. */
static void test_moving(void **state)
{
    struct bench b;
    uint64_t last = 1000;

    (void)state;
    bench_open(&b, "TRCCNTVR0=1000 TRCCNTCTLR0=1");
    msr(&b, "TRCPRGCTLR", 1);
    for (unsigned i = 0; i < 100; i++) {
        const uint64_t value = load(&b, "TRCCNTVR0");

        assert_int_equal(load(&b, "TRCCNTVR0"), value);
        assert_int_equal(mrs(&b, "TRCCNTVR0"), value);
        if (i > 0)
            /* proves: I_TPTRW */
            assert_true(value < last);
        last = value;
        cycles(&b, 1);
    }
    msr(&b, "TRCPRGCTLR", 0);
    last = mrs(&b, "TRCCNTVR0");
    cycles(&b, 100);
    /* proves: I_TPTRW */
    assert_int_equal(mrs(&b, "TRCCNTVR0"), last);
    bench_end(&b);
}

/* --- when trace cannot leave --- */

struct stuck {
    size_t room; /* bytes that the sink takes */
    size_t size;
};

static cairn_status take_some(void *context, const uint8_t *bytes, size_t size)
{
    struct stuck *stuck = context;

    (void)bytes;
    if (stuck->size + size > stuck->room)
        return CAIRN_E_IO;
    stuck->size += size;
    return CAIRN_OK;
}

/* A unit whose sink takes no more is Stable, and never Idle: loops that wait for it need an end. */
static void test_never_idle(void **state)
{
    (void)state;
    for (int fails = 0; fails < 2; fails++) {
        struct stuck stuck = {.room = fails ? 4 : 4096};
        struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
        struct cairn_unit *unit;
        uint64_t value = 0;
        unsigned polls;

        options.arch = cairn_arch_any_a();
        options.sink = take_some;
        options.sink_context = &stuck;
        assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
        cairn_unit_enable(unit);
        for (unsigned i = 0; i < 10; i++) {
            const struct cairn_block block = {.address = 0x1000,
                                              .size = 4,
                                              .count = 1,
                                              .isa = CAIRN_ISA_A64,
                                              .kind = CAIRN_INSN_BRANCH_INDIRECT,
                                              .last_size = 4};

            cairn_unit_execute(unit, &block, true);
        }
        cairn_unit_disable(unit);
        for (polls = 0; polls < 1000 && !(value & STATR_IDLE); polls++)
            assert_int_equal(cairn_unit_load(unit, 0x00c, 4, 0, &value, NULL), CAIRN_ANSWER_OK);
        /* proves: I_DHOGM, R_TRZCP */
        assert_int_equal(polls, fails ? 1000 : 1);
        /* proves: I_DHOGM, R_TRZCP */
        assert_int_equal(value, fails ? STATR_PMSTABLE : STATR_PMSTABLE | STATR_IDLE);
        assert_int_equal(cairn_unit_session(unit),
                         fails ? CAIRN_SESSION_STABLE : CAIRN_SESSION_IDLE);
        cairn_unit_free(unit);
    }
}

/* Idle means that all of the trace is out. */
static void test_idle_is_drained(void **state)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};
    struct bench b;

    (void)state;
    bench_begin(&b, "fifo=4096 drain=1");
    delay(&b, 0, 3, 5);
    for (unsigned i = 0; i < 200; i++)
        jump(&b, 0x1000 + 0x10010 * (uint64_t)i);
    store(&b, "TRCPRGCTLR", 0);
    for (unsigned i = 0; cairn_unit_session(b.unit) != CAIRN_SESSION_IDLE; i++) {
        assert_true(i < 100000);
        cycles(&b, 1);
    }
    cairn_unit_counters(b.unit, &counters);
    assert_true(counters.bytes > 100);
    /* proves: R_TRZCP */
    assert_int_equal(b.size, counters.bytes);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),      cmocka_unit_test(test_finite),
        cmocka_unit_test(test_enabled),     cmocka_unit_test(test_lock_mid_run),
        cmocka_unit_test(test_busy_writes), cmocka_unit_test(test_busy_enable),
        cmocka_unit_test(test_idle_writes), cmocka_unit_test(test_RSR_is_used),
        cmocka_unit_test(test_fixed),       cmocka_unit_test(test_moving),
        cmocka_unit_test(test_never_idle),  cmocka_unit_test(test_idle_is_drained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
