/* SPDX-License-Identifier: BSD-2-Clause */
/* TSB CSYNC, stalling, and what asks for synchronisation: DDI0608 D6.6, D6.10.5, D6.10.6, D1.9. */
#include "reach.h"

#define EVENT_0 "TRCRSCTLR2=1 TRCEVENTCTL0R=2 TRCEVENTCTL1R=1 "
#define NOOVERFLOW "TRCSTALLCTLR=0x2100 " /* with ISTALL */

static uint64_t generated(const struct bench *b)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_counters(b->unit, &counters);
    return counters.bytes;
}

static uint64_t overflows(const struct bench *b)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_counters(b->unit, &counters);
    return counters.overflows;
}

/* --- TSB CSYNC --- */

/* Behind a TSB the unit is not Unstable, and its resources are at rest. */
static void test_tsb_waits(void **state)
{
    (void)state;
    for (int by_lock = 0; by_lock < 2; by_lock++) {
        struct bench b;

        bench_begin(&b, "TRCCNTVR0=1000 TRCCNTCTLR0=1");
        delay(&b, 0, 50, 100);
        branch(&b, 0x1000, 0x2000, TAKEN);
        cycles(&b, 3);
        cairn_unit_prohibit(b.unit, true);
        /* proves: R_FCBLJ, D16.24 */
        assert_int_equal(cairn_unit_tsb(b.unit), 0); /* Paused since it was prohibited */
        cycles(&b, 5);
        /* proves: R_FCBLJ */
        assert_int_equal(mrs(&b, "TRCCNTVR0"), load(&b, "TRCCNTVR0"));
        assert_int_equal(mrs(&b, "TRCCNTVR0"), 997);
        if (by_lock)
            lock(&b, 1);
        else
            msr(&b, "TRCPRGCTLR", 0);
        assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_UNSTABLE);
        cycles(&b, 10);
        /* proves: R_FCBLJ, D16.24 */
        assert_int_equal(cairn_unit_tsb(b.unit), 40);
        /* proves: R_FCBLJ, D16.24 */
        assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_STABLE);
        assert_int_equal(cairn_unit_tsb(b.unit), 0);
        bench_end(&b);
    }
}

/* And all that was traced before it is out; nothing comes behind it in the region. */
static void test_tsb_writes(void **state)
{
    (void)state;
    for (int disabled = 0; disabled < 2; disabled++) {
        struct bench b;
        size_t written;

        bench_begin(&b, "TS MAXSPEC=8 choices=0 " EVENT_0);
        at_time(&b, 50);
        branch(&b, 0x1000, 0x2000, TAKEN);
        branch(&b, 0x2000, 0x3000, NOT_TAKEN);
        cairn_unit_prohibit(b.unit, true);
        if (disabled)
            msr(&b, "TRCPRGCTLR", 0);
        else
            assert_true(b.size < generated(&b));
        (void)cairn_unit_tsb(b.unit);
        /* proves: I_JYJZ, R_RFJQN */
        assert_int_equal(b.size, generated(&b));
        written = b.size;
        /* proves: I_JYJZ */
        assert_true(bench_order(bench_trace(&b), "E", "N", NULL));
        branch(&b, 0x8000, 0x9000, TAKEN);
        cycles(&b, 10000);
        cairn_unit_event(b.unit, 0);
        (void)cairn_unit_tsb(b.unit);
        /* proves: D16.24 */
        assert_int_equal(b.size, written);
        bench_end(&b);
    }
}

/* Outside of such a region it has no bytes put out, but what waited is generated. */
static void test_tsb_outside(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "choices=3"); /* N Atoms are left out */
    branch(&b, 0x1000, 0x2000, NOT_TAKEN);
    sync_context(&b);
    if (b.options.watch)
        assert_int_equal(bench_count(bench_seen(&b), "N"), 0);
    assert_int_equal(cairn_unit_tsb(b.unit), 0);
    if (b.options.watch)
        /* proves: I_JYJZ */
        assert_int_equal(bench_count(bench_seen(&b), "N"), 1);
    assert_true(b.size < generated(&b) || b.size == 0);
    assert_trace(&b, BEGIN("1000") " N");
    bench_end(&b);
}

/* In a transaction it does not wait for how that ends. */
static void test_tsb_in_transaction(void **state)
{
    (void)state;
    for (int fails = 0; fails < 2; fails++) {
        struct bench b;

        bench_begin(&b, "");
        tstart(&b, 0x1000);
        branch(&b, 0x1004, 0x2000, TAKEN);
        /* proves: R_TSLRT */
        assert_int_equal(cairn_unit_tsb(b.unit), 0);
        cairn_unit_prohibit(b.unit, true);
        /* proves: R_TSLRT */
        assert_int_equal(cairn_unit_tsb(b.unit), 0);
        /* proves: R_TSLRT */
        assert_int_equal(b.size, generated(&b));
        if (fails)
            cairn_unit_transaction_fail(b.unit);
        else
            cairn_unit_transaction_commit(b.unit);
        assert_int_equal(b.size, generated(&b));
        bench_end(&b);
    }
}

/* What comparators matched in front of it has been dealt with: single-shots have fired, or will. */
static void test_tsb_single_shot(void **state)
{
    (void)state;
    for (int by_range = 0; by_range < 2; by_range++) {
        struct bench b;

        bench_begin(&b, by_range ? "TRCACVR0=0x1000 TRCACVR1=0x10ff TRCSSCCR0=0x10000 CID"
                                 : "TRCACVR0=0x1010 TRCACATR0=4 TRCCIDCVR0=7 TRCSSCCR0=1 CID");
        context_id(&b, 7);
        code(&b, 0x1010, 1);
        cairn_unit_prohibit(b.unit, true);
        (void)cairn_unit_tsb(b.unit);
        /* proves: R_RFSRY, D16.35 */
        assert_int_equal(mrs(&b, "TRCSSCSR0") >> 31, 1);
        code(&b, 0x1010, 1); /* in the region nothing matches */
        lock(&b, 1);
        msr(&b, "TRCSSCSR0", 0);
        lock(&b, 0);
        code(&b, 0x1010, 1);
        (void)cairn_unit_tsb(b.unit);
        /* proves: R_RFSRY, D16.35 */
        assert_int_equal(mrs(&b, "TRCSSCSR0"), 0);
        bench_end(&b);
    }
}

/* --- stalling and overflow --- */

static void flood(struct bench *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        jump(b, 0x100000 + 0x10010 * (uint64_t)i);
}

static void test_no_overflow(void **state)
{
    (void)state;
    for (int on = 0; on < 2; on++) {
        struct bench b;

        bench_begin(&b, on ? "fifo=128 drain=1 " NOOVERFLOW : "fifo=128 drain=1");
        flood(&b, 300);
        /* proves: R_YSPHL */
        assert_int_equal(overflows(&b) == 0, on);
        cycles(&b, 100000);
        branch(&b, 0x1000, 0x1000, TAKEN);
        /* proves: R_YSPHL */
        assert_int_equal(bench_count(bench_trace(&b), "OVERFLOW") == 0, on);
        bench_end(&b);
    }
}

/* A PE that does not let itself be stalled: the control has no effect. */
static void test_no_stalling(void **state)
{
    (void)state;
    for (int stalls = 0; stalls < 2; stalls++) {
        struct bench b;
        char text[128];

        /* TRCIDR3.SYSSTALL is bit 27. */
        snprintf(text, sizeof text, "fifo=128 drain=1 TRCIDR3=0x%x " NOOVERFLOW,
                 stalls ? 0x8d7f0001u : 0x857f0001u);
        bench_begin(&b, text);
        flood(&b, 300);
        /* proves: R_MYMKW */
        assert_int_equal(overflows(&b) == 0, stalls);
        bench_end(&b);
    }
}

/* One of each ETEEvent a session, whatever else: no overflow. */
static void test_events_do_not_overflow(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "fifo=128 drain=1 TRCEVENTCTL1R=0xf " NOOVERFLOW);
    for (unsigned session = 0; session < 3; session++) {
        flood(&b, 100);
        for (unsigned i = 0; i < 4; i++)
            cairn_unit_event(b.unit, i);
        cycles(&b, 1);
        flood(&b, 100);
        cairn_unit_disable(b.unit);
        cairn_unit_enable(b.unit);
    }
    {
        const char *text = bench_trace(&b);

        for (unsigned i = 0; i < 4; i++) {
            const char name[] = {'E', 'V', (char)('0' + i), '\0'};

            /* proves: R_VHMZX */
            assert_int_equal(bench_count(text, name), 3);
        }
        /* proves: R_VHMZX */
        assert_int_equal(bench_count(text, "OVERFLOW"), 0);
    }
    bench_end(&b);
}

/* A unit that stalls the PE is reached all the same. */
static void test_access_while_stalling(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "fifo=128 drain=1 " NOOVERFLOW);
    flood(&b, 300);
    /* proves: R_NVBGS */
    assert_int_equal(try_mrs(&b, "TRCSTATR", 1), CAIRN_ANSWER_OK);
    /* proves: R_NVBGS */
    assert_int_equal(try_load(&b, 0x080, 4, 0), CAIRN_ANSWER_OK);
    /* proves: R_NVBGS */
    assert_int_equal(try_msr(&b, "TRCCLAIMSET", 1, 1), CAIRN_ANSWER_OK);
    /* proves: R_NVBGS */
    assert_int_equal(try_msr(&b, "TRCPRGCTLR", 1, 0), CAIRN_ANSWER_OK);
    cairn_unit_prohibit(b.unit, true);
    (void)cairn_unit_tsb(b.unit);
    /* proves: R_NVBGS */
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_IDLE);
    bench_end(&b);
}

/* --- synchronisation --- */

/* TRCSYNCPR 0xc: every 4,096 bytes, give or take a packet. */
static void test_period(void **state)
{
    static const uint8_t sync[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80};
    struct bench b;
    size_t last = 0, found = 0;

    (void)state;
    bench_open(&b, "");
    msr(&b, "TRCSYNCPR", 0xc);
    level(&b, "EL1n");
    msr(&b, "TRCPRGCTLR", 1);
    flood(&b, 10000);
    cairn_unit_flush(b.unit);
    for (size_t i = 0; i + sizeof sync <= b.size; i++) {
        if (memcmp(b.bytes + i, sync, sizeof sync) != 0)
            continue;
        if (found > 0)
            /* proves: I_YPRYM */
            assert_true(i - last >= 4096 && i - last < 4096 + 64);
        last = i;
        found++;
    }
    /* proves: I_YPRYM */
    assert_true(found > 5);
    bench_end(&b);
}

/* And when the capture infrastructure asks. */
static void test_requested(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "TRCSYNCPR=0");
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    branch(&b, 0x1000, 0x1000, TAKEN);
    assert_trace(&b, "E");
    cairn_unit_request_sync(b.unit);
    branch(&b, 0x1000, 0x1000, TAKEN);
    text = bench_trace(&b);
    /* proves: I_NTFYC */
    assert_true(bench_order(text, "SYNC", "INFO", "E", NULL));
    branch(&b, 0x1000, 0x1000, TAKEN);
    /* proves: I_NTFYC */
    assert_trace(&b, "E");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tsb_waits),
        cmocka_unit_test(test_tsb_writes),
        cmocka_unit_test(test_tsb_outside),
        cmocka_unit_test(test_tsb_in_transaction),
        cmocka_unit_test(test_tsb_single_shot),
        cmocka_unit_test(test_no_overflow),
        cmocka_unit_test(test_no_stalling),
        cmocka_unit_test(test_events_do_not_overflow),
        cmocka_unit_test(test_access_while_stalling),
        cmocka_unit_test(test_period),
        cmocka_unit_test(test_requested),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
