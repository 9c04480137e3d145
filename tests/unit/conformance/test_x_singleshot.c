/* SPDX-License-Identifier: BSD-2-Clause */
/* Single-shot comparator controls: DDI0608 D7.9. Control 0 is in single-shot mode, control 1 in
 * multi-shot mode; both compare with TRCACVR0, 0x1000. They are ETEEvents 0 and 1, and decrement
 * counters 0 and 1, which begin at 100. */
#include "bench.h"

#define SHOTS                                                                                      \
    SELECTORS "outputs TRCACVR0=0x1000 TRCSSCCR0=1 TRCSSCCR1=0x1000001 TRCEVENTCTL0R=0x0f0e "      \
              "TRCCNTVR0=100 TRCCNTCTLR0=0x0e TRCCNTVR1=100 TRCCNTCTLR1=0x0f "

#define STATUS 0x80000000u
#define PENDING 0x40000000u
#define FORGETS "choices=0x102 " /* CAIRN_UNIT_PROHIBITED_FORGETS_MATCHES */
#define MARKS "choices=0x202 "   /* CAIRN_UNIT_PENDING_AFTER_FIRED */

static uint64_t status(struct bench *b, unsigned n)
{
    return read_register(b, n ? "TRCSSCSR1" : "TRCSSCSR0");
}

/* How often each fired, by its counter. */
static unsigned fired(struct bench *b, unsigned n)
{
    return 100 - (unsigned)read_register(b, n ? "TRCCNTVR1" : "TRCCNTVR0");
}

/* Executes what they compare with, from 0x0ff8 on, to 0x2000. */
static void hit(struct bench *b)
{
    code(b, 0x0ff8, 2);
    branch(b, 0x1000, 0x2000, TAKEN);
}

static void test_modes(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SHOTS);
    code(&b, 0x0ff8, 2); /* clock 0 */
    assert_int_equal(status(&b, 0) | status(&b, 1), 0);
    branch(&b, 0x1000, 0x0ff8, TAKEN); /* clock 1 */
    /* proves: R_SWNFV */
    assert_int_equal(status(&b, 0) & status(&b, 1), STATUS);
    hit(&b); /* clocks 2 and 3 */
    cycles(&b, 5);
    /* proves: R_XVVYX, I_XZJSV, R_KJBCH */
    assert_outputs(&b, "1:3 3:2");
    /* proves: I_XZJSV */
    assert_true(fired(&b, 0) == 1 && fired(&b, 1) == 2);
    bench_end(&b);

    /* STATUS as software left it. */
    bench_begin(&b, SHOTS "TRCSSCSR0=0x80000000 TRCSSCSR1=0x80000000");
    hit(&b);
    cycles(&b, 5);
    /* proves: R_XVVYX */
    assert_true(fired(&b, 0) == 0 && fired(&b, 1) == 1);
    bench_end(&b);
}

/* A range, another address, or both; and none. */
static void test_comparators(void **state)
{
    static const struct {
        const char *program;
        unsigned expected;
    } rows[] = {
        {"TRCSSCCR0=0x2", 0},       /* address 1, and another is executed */
        {"TRCSSCCR0=0x4", 1},       /* address 2: 0x1004 */
        {"TRCSSCCR0=0x10000", 1},   /* range 0: 0x1000 to 0x1000 */
        {"TRCSSCCR0=0x20000", 0},   /* range 1: 0x3000 to 0x3100 */
        {"TRCSSCCR0=0x1020006", 1}, /* several */
        {"TRCSSCCR0=0x1000000", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        char text[700];

        snprintf(text, sizeof text,
                 SELECTORS "TRCCNTVR0=100 TRCCNTCTLR0=0x0e TRCACVR0=0x1000 TRCACVR1=0x1000 "
                           "TRCACVR2=0x3000 TRCACVR3=0x3100 %s %s",
                 rows[i].program, i == 1 ? "TRCACVR2=0x1004" : "");
        bench_begin(&b, text);
        if (i == 0)
            branch(&b, 0x1004, 0x2000, TAKEN);
        else
            code(&b, 0x1000, 2);
        cycles(&b, 3);
        /* proves: R_XVVYX */
        assert_int_equal(fired(&b, 0), rows[i].expected);
        bench_end(&b);
    }
}

/* Whether it passes its condition makes no difference. */
static void test_condition(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SHOTS);
    branch(&b, 0x1000, 0x2000, NOT_TAKEN);
    cycles(&b, 2);
    /* proves: R_VTWXJ */
    assert_true(fired(&b, 0) == 1 && fired(&b, 1) == 1);
    bench_end(&b);
}

/* What matches speculatively matches as a resource, and fires once it is resolved. */
static void test_speculation(void **state)
{
    struct bench b;
    uint64_t before, behind;

    (void)state;
    bench_begin(&b, SHOTS "MAXSPEC=8 COMMOPT=0 TRCRSCTLR16=0x40001 TRCCNTVR2=100 TRCCNTCTLR2=0x10");
    speculate(&b);
    before = mark(&b);
    hit(&b);
    behind = mark(&b);
    cycles(&b, 10);
    /* proves: R_XVVYX */
    assert_true(fired(&b, 0) == 0 && status(&b, 0) == 0);
    /* proves: I_RFTWJ */
    assert_int_equal(read_register(&b, "TRCCNTVR2"), 99);
    cancel(&b, before);
    resolve(&b, mark(&b));
    cycles(&b, 10);
    /* proves: R_XVVYX */
    assert_true(fired(&b, 0) == 0 && fired(&b, 1) == 0);
    /* The counter that the comparator itself moved is not put back. */
    /* proves: I_RFTWJ */
    assert_int_equal(read_register(&b, "TRCCNTVR2"), 99);
    (void)bench_outputs(&b);
    hit(&b);
    assert_int_equal(mark(&b), behind);
    branch(&b, 0x2000, 0x3000, TAKEN);
    resolve(&b, behind - 1); /* all before the branch at 0x1000 */
    cycles(&b, 1);
    assert_int_equal(fired(&b, 1), 0);
    resolve(&b, behind);
    cycles(&b, 3);
    /* proves: R_XVVYX */
    assert_true(fired(&b, 0) == 1 && fired(&b, 1) == 1);
    bench_end(&b);
}

/* Several matches that one call resolves fire once, as does one that matches twice. */
static void test_close_succession(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SHOTS "MAXSPEC=8 COMMOPT=0 ");
    speculate(&b);
    hit(&b);
    branch(&b, 0x2000, 0x0ff8, TAKEN);
    hit(&b);
    resolve(&b, mark(&b));
    cycles(&b, 5);
    /* proves: R_SNDBZ, R_KJBCH */
    assert_true(fired(&b, 1) >= 1 && fired(&b, 1) <= 2);
    assert_int_equal(fired(&b, 0), 1);
    bench_end(&b);
}

/* TSB CSYNC is told as an instruction that is resolved when its synchronization event is complete:
 * here it flushes, and that comes first. */
static void test_tsb(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SHOTS "MAXSPEC=8 COMMOPT=0 ");
    speculate(&b);
    code(&b, 0x1000, 1);
    cycles(&b, 5);
    cairn_unit_flush(b.unit);
    assert_true(fired(&b, 0) == 0 && status(&b, 0) == 0);
    cycles(&b, 5);
    /* proves: R_XFJGB */
    assert_true(fired(&b, 0) == 0 && status(&b, 0) == 0);
    resolve(&b, mark(&b));
    cycles(&b, 1);
    /* proves: R_XFJGB */
    assert_true(fired(&b, 0) == 1 && status(&b, 0) == STATUS);
    bench_end(&b);
}

static void test_transactions(void **state)
{
    (void)state;
    for (unsigned outcome = 0; outcome < 3; outcome++) {
        struct bench b;

        bench_begin(&b, SHOTS "TRCRSCTLR16=0x40001 TRCCNTVR2=100 TRCCNTCTLR2=0x10");
        tstart(&b, 0x0ff4);
        hit(&b);
        cycles(&b, 3);
        assert_int_equal(fired(&b, 0), 0);
        if (outcome == 0)
            tcommit(&b, 0x2000);
        else if (outcome == 1)
            cairn_unit_transaction_fail(b.unit);
        else
            exception(&b, CAIRN_EXCEPTION_PE_RESET, 0);
        cycles(&b, 5);
        /* proves: R_SDDWY */
        assert_true(fired(&b, 0) == (outcome == 0) && fired(&b, 1) == (outcome == 0));
        /* The comparator matched there whatever became of it. */
        /* proves: I_RFTWJ */
        assert_int_equal(read_register(&b, "TRCCNTVR2"), 99);
        /* It is not left over for the next one. */
        if (outcome != 0) {
            tstart(&b, 0x5000);
            tcommit(&b, 0x5004);
            cycles(&b, 5);
            /* proves: R_SDDWY */
            assert_int_equal(fired(&b, 1), 0);
        }
        bench_end(&b);
    }
}

/* The end of a transaction may be speculative itself. */
static void test_speculative_transaction(void **state)
{
    (void)state;
    for (unsigned commits = 0; commits < 2; commits++) {
        struct bench b;
        uint64_t inside;

        bench_begin(&b, SHOTS "MAXSPEC=8 COMMOPT=0 ");
        speculate(&b);
        tstart(&b, 0x0ff4);
        hit(&b);
        resolve(&b, mark(&b));
        inside = mark(&b);
        tcommit(&b, 0x2000);
        cycles(&b, 3);
        assert_int_equal(fired(&b, 1), 0);
        if (!commits) { /* it was not executed, and the transaction is cancelled */
            cancel(&b, inside);
            cairn_unit_transaction_fail(b.unit);
        }
        resolve(&b, mark(&b));
        cycles(&b, 3);
        /* proves: R_SDDWY */
        assert_int_equal(fired(&b, 1), commits);
        bench_end(&b);
    }
}

static void test_disabled(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SHOTS "MAXSPEC=8 COMMOPT=0 ");
    speculate(&b);
    hit(&b);
    cairn_unit_disable(b.unit);
    resolve(&b, mark(&b));
    /* proves: R_NKKSJ, D16.44 */
    assert_int_equal(status(&b, 0) | status(&b, 1), 0);
    cairn_unit_enable(b.unit);
    cycles(&b, 5);
    /* proves: R_NKKSJ */
    assert_true(fired(&b, 0) == 0 && (status(&b, 0) | status(&b, 1)) == 0);
    cairn_unit_speculate(b.unit, false);
    bench_end(&b);

    bench_begin(&b, SHOTS);
    tstart(&b, 0x0ff4);
    hit(&b);
    cairn_unit_disable(b.unit);
    cairn_unit_enable(b.unit);
    tcommit(&b, 0x2000);
    cycles(&b, 5);
    /* proves: R_KFMKS, D16.44 */
    assert_true(fired(&b, 1) == 0 && (status(&b, 0) | status(&b, 1)) == 0);
    bench_end(&b);
}

/* Nor when the PE comes back, by a Cancel, to the transaction that the unit was disabled in. */
static void test_disabled_in_speculation(void **state)
{
    struct bench b;
    uint64_t inside;

    (void)state;
    bench_begin(&b, SHOTS "MAXSPEC=8 COMMOPT=0 ");
    speculate(&b);
    tstart(&b, 0x0ff4);
    hit(&b);
    inside = mark(&b);
    code(&b, 0x2000, 1);
    cairn_unit_disable(b.unit);
    cairn_unit_enable(b.unit);
    code(&b, 0x2004, 1);
    cancel(&b, inside);
    tcommit(&b, 0x2000);
    resolve(&b, mark(&b));
    cycles(&b, 5);
    /* proves: R_KFMKS */
    assert_true(fired(&b, 1) == 0 && (status(&b, 0) | status(&b, 1)) == 0);
    bench_end(&b);
}

/* What is resolved in a Prohibited region is PENDING until it ends. */
static void test_prohibited(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SHOTS "MAXSPEC=8 COMMOPT=0 ");
    speculate(&b);
    hit(&b);
    cairn_unit_prohibit(b.unit, true);
    cycles(&b, 5);
    assert_int_equal(status(&b, 0) | status(&b, 1), 0);
    resolve(&b, mark(&b));
    cycles(&b, 5);
    /* proves: R_DQZSD, R_GBDCK */
    assert_int_equal(status(&b, 0) & status(&b, 1), PENDING);
    /* proves: R_TQHNK */
    assert_true(fired(&b, 0) == 0 && (status(&b, 0) & STATUS) == 0);
    assert_outputs(&b, "");
    cairn_unit_prohibit(b.unit, false);
    cycles(&b, 5);
    /* proves: R_DQZSD, I_SPQLS */
    assert_true(fired(&b, 0) == 1 && fired(&b, 1) == 1);
    assert_int_equal(status(&b, 0) & status(&b, 1), STATUS);
    bench_end(&b);

    /* Not if it turns out not to have been executed. */
    bench_begin(&b, SHOTS "MAXSPEC=8 COMMOPT=0 ");
    speculate(&b);
    {
        const uint64_t before = mark(&b);

        hit(&b);
        cairn_unit_prohibit(b.unit, true);
        cancel(&b, before);
    }
    resolve(&b, mark(&b));
    cycles(&b, 5);
    /* proves: R_DQZSD */
    assert_int_equal(status(&b, 0) | status(&b, 1), 0);
    bench_end(&b);
}

/* PENDING of one that has fired and cannot again: left alone, or set and cleared again. */
static void test_pending_after_fired(void **state)
{
    (void)state;
    for (unsigned marks = 0; marks < 2; marks++) {
        struct bench b;
        char text[700];

        snprintf(text, sizeof text, SHOTS "MAXSPEC=8 COMMOPT=0 TRCSSCSR0=0x80000000 %s",
                 marks ? MARKS : "");
        bench_begin(&b, text);
        speculate(&b);
        hit(&b);
        cairn_unit_prohibit(b.unit, true);
        resolve(&b, mark(&b));
        /* proves: R_GBDCK */
        assert_int_equal(status(&b, 0), marks ? STATUS | PENDING : STATUS);
        /* proves: R_GBDCK */
        assert_int_equal(status(&b, 1), PENDING);
        cairn_unit_prohibit(b.unit, false);
        cycles(&b, 5);
        /* proves: R_PVRGR */
        assert_true(fired(&b, 0) == 0 && fired(&b, 1) == 1);
        /* proves: R_PVRGR */
        assert_int_equal(status(&b, 0), STATUS);
        bench_end(&b);
    }
}

/* PENDING as software restores it. */
static void test_restored(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SHOTS "TRCSSCSR0=0x40000000 TRCSSCSR1=0xc0000000");
    cycles(&b, 5);
    /* proves: R_PVRGR, R_KJBCH, D16.23 */
    assert_outputs(&b, "0:3");
    /* proves: R_PVRGR */
    assert_true(status(&b, 0) == STATUS && status(&b, 1) == STATUS);
    bench_end(&b);

    bench_begin(&b, SHOTS "TRCSSCSR0=0xc0000000");
    cycles(&b, 5);
    /* proves: R_PVRGR */
    assert_true(fired(&b, 0) == 0 && status(&b, 0) == STATUS);
    bench_end(&b);
}

/* A region that becomes prohibited in a transaction: the unit's choice. */
static void test_prohibited_in_transaction(void **state)
{
    (void)state;
    for (unsigned forgets = 0; forgets < 2; forgets++) {
        for (unsigned commits = 0; commits < 2; commits++) {
            struct bench b;
            char text[700];

            snprintf(text, sizeof text, SHOTS "%s", forgets ? FORGETS : "");
            bench_begin(&b, text);
            tstart(&b, 0x0ff4);
            hit(&b);
            cairn_unit_prohibit(b.unit, true);
            if (commits)
                cairn_unit_transaction_commit(b.unit);
            else
                cairn_unit_transaction_fail(b.unit);
            cycles(&b, 5);
            cairn_unit_prohibit(b.unit, false);
            cycles(&b, 5);
            /* proves: R_XRSYH */
            assert_int_equal(fired(&b, 1), commits && !forgets);
            bench_end(&b);
        }
    }
}

/* More speculation than the unit keeps to take back: what matched fires when it is resolved. */
static void test_given_up(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SHOTS "MAXSPEC=8 COMMOPT=0 ");
    speculate(&b);
    hit(&b);
    for (unsigned i = 0; i < 16500; i++)
        branch(&b, 0x2000, 0x2000, TAKEN);
    cycles(&b, 1);
    assert_int_equal(fired(&b, 1), 0);
    resolve(&b, mark(&b));
    cycles(&b, 1);
    /* proves: R_XVVYX, R_TMPZZ */
    assert_int_equal(fired(&b, 1), 1);
    /* once: what is resolved later has nothing of it */
    branch(&b, 0x2000, 0x2000, TAKEN);
    resolve(&b, mark(&b));
    cycles(&b, 1);
    assert_int_equal(fired(&b, 1), 1);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_comparators),
        cmocka_unit_test(test_condition),
        cmocka_unit_test(test_speculation),
        cmocka_unit_test(test_close_succession),
        cmocka_unit_test(test_tsb),
        cmocka_unit_test(test_transactions),
        cmocka_unit_test(test_speculative_transaction),
        cmocka_unit_test(test_disabled),
        cmocka_unit_test(test_disabled_in_speculation),
        cmocka_unit_test(test_prohibited),
        cmocka_unit_test(test_pending_after_fired),
        cmocka_unit_test(test_restored),
        cmocka_unit_test(test_prohibited_in_transaction),
        cmocka_unit_test(test_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
