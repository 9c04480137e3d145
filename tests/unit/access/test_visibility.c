/* SPDX-License-Identifier: BSD-2-Clause */
/* What is seen of writes, by whom and when: DDI0608 D8.2. Everything runs as early and as late as the
 * architecture lets it. */
#include "reach.h"

#define LATE_WRITES CAIRN_ACCESS_LATE_WRITES
#define LATE_ENABLE CAIRN_ACCESS_LATE_ENABLE
#define LATE_READS CAIRN_ACCESS_LATE_READS
#define ALL_LATE (LATE_WRITES | LATE_ENABLE | LATE_READS)
#define MIXES 8

static uint32_t mix(unsigned n)
{
    return (n & 1 ? LATE_WRITES : 0) | (n & 2 ? LATE_ENABLE : 0) | (n & 4 ? LATE_READS : 0);
}

/* What enabling by an MSR has to do with instructions: those before it are not traced, those behind the
 * next Context synchronization event are, and those between may be or not. */
static void test_enabling(void **state)
{
    (void)state;
    for (unsigned n = 0; n < MIXES; n++) {
        for (unsigned event = 0; event < 4; event++) {
            struct bench b;
            const char *text;

            bench_open(&b, "");
            choose(&b, mix(n));
            level(&b, "EL1n");
            branch(&b, 0x1000, 0x2000, TAKEN);
            msr(&b, "TRCPRGCTLR", 1);
            branch(&b, 0x2000, 0x3000, TAKEN); /* between */
            switch (event) {
            case 0: isb(&b, 0x3000, TAKEN); break;
            case 1: exception(&b, CAIRN_EXCEPTION_IRQ, 0x3000); break;
            case 2: eret(&b, 0x3000); break;
            default: sync_context(&b); break;
            }
            assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_RUNNING);
            branch(&b, 0x4000, 0x5000, NOT_TAKEN);
            text = bench_trace(&b);
            /* proves: R_JQTM, D16.32 */
            assert_int_equal(bench_count(text, "ADDR(1000)"), 0);
            /* proves: R_JQTM, D16.32 */
            assert_int_equal(bench_count(text, "ADDR(2000)"), mix(n) & LATE_ENABLE ? 0 : 1);
            /* proves: R_KNQWS, D16.32 */
            assert_int_equal(bench_count(text, "ADDR(4000)"), 1);
            /* proves: R_KNQWS, D16.32 */
            assert_int_equal(bench_count(text, "N"), 1);
            bench_end(&b);
        }
    }
}

/* And disabling: by TRCPRGCTLR, or by the OS Lock. */
static void test_disabling(void **state)
{
    (void)state;
    for (unsigned n = 0; n < MIXES; n++) {
        for (int by_lock = 0; by_lock < 2; by_lock++) {
            struct bench b;
            const char *text;

            bench_begin(&b, "");
            choose(&b, mix(n));
            branch(&b, 0x1000, 0x1000, NOT_TAKEN);
            if (by_lock)
                lock(&b, 1);
            else
                msr(&b, "TRCPRGCTLR", 0);
            branch(&b, 0x1004, 0x2000, TAKEN); /* between */
            isb(&b, 0x2000, TAKEN);
            branch(&b, 0x2004, 0x5000, NOT_TAKEN);
            text = bench_trace(&b);
            /* proves: R_JQTM */
            assert_int_equal(bench_find(text, "N", 0) < strlen(text), 1);
            /* Nothing behind the event; between, the branch and the ISB itself. */
            /* proves: R_KNQWS */
            assert_int_equal(bench_count(text, "N"), 1);
            /* proves: R_KNQWS */
            assert_int_equal(bench_count(text, "E"), mix(n) & LATE_ENABLE ? 2 : 0);
            assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_IDLE);
            bench_end(&b);
        }
    }
}

/* Programming, an ISB, enabling, an ISB: the same trace, however late writes are. Without the first ISB
 * the old program may be what is traced. */
static void test_isb_before_enabling(void **state)
{
    (void)state;
    for (unsigned n = 0; n < MIXES; n++) {
        for (int with_isb = 0; with_isb < 2; with_isb++) {
            struct bench b;
            bool old;

            bench_open(&b, "");
            choose(&b, mix(n));
            level(&b, "EL1n");
            msr(&b, "TRCVICTLR", 0x00200201); /* not EL1 */
            if (with_isb)
                sync_context(&b);
            msr(&b, "TRCPRGCTLR", 1);
            sync_context(&b);
            branch(&b, 0x1000, 0x1000, TAKEN);
            old = bench_count(bench_trace(&b), "E") != 0;
            assert_int_equal(old, !with_isb && (mix(n) & LATE_WRITES) && !(mix(n) & LATE_ENABLE));
            bench_end(&b);
        }
    }
}

/* TRCSTATR is to be read behind an event, each time. */
static void test_polling(void **state)
{
    struct bench b;
    unsigned n;

    (void)state;
    bench_open(&b, "");
    choose(&b, ALL_LATE);
    msr(&b, "TRCPRGCTLR", 1);
    for (n = 0; n < 1000; n++)
        assert_int_equal(mrs(&b, "TRCSTATR"), STATR_IDLE | STATR_PMSTABLE);
    sync_context(&b);
    assert_int_equal(mrs(&b, "TRCSTATR"), 0);
    msr(&b, "TRCPRGCTLR", 0);
    sync_context(&b);
    assert_int_equal(mrs(&b, "TRCSTATR"), STATR_IDLE | STATR_PMSTABLE);
    assert_int_equal(load(&b, "TRCSTATR"), STATR_IDLE | STATR_PMSTABLE);
    bench_end(&b);
}

/* An MSR is seen by an MRS of the same register, and the last of two counts, with no event between; by
 * debuggers behind one. */
static void test_own_writes(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "");
    choose(&b, ALL_LATE);
    msr(&b, "TRCACVR2", 0x1111);
    assert_int_equal(mrs(&b, "TRCACVR2"), 0x1111);
    assert_int_equal(load(&b, "TRCACVR2"), 0);
    msr(&b, "TRCACVR2", 0x2222);
    assert_int_equal(mrs(&b, "TRCACVR2"), 0x2222);
    msr(&b, "TRCPRGCTLR", 1);
    msr(&b, "TRCPRGCTLR", 0);
    assert_int_equal(mrs(&b, "TRCPRGCTLR"), 0);
    sync_context(&b);
    assert_int_equal(load(&b, "TRCACVR2"), 0x2222);
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_IDLE);
    bench_end(&b);
}

/* Nor does a reset. */
static void test_reset(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "");
    choose(&b, ALL_LATE);
    for (int by_lock = 0; by_lock < 2; by_lock++) {
        cairn_unit_os_lock(b.unit, by_lock);
        msr(&b, "TRCACVR2", 0x1111);
        msr(&b, "TRCPRGCTLR", 1);
        if (by_lock)
            lock(&b, 0);
        cairn_unit_reset(b.unit, CAIRN_RESET_TRACE_UNIT);
        sync_context(&b);
        assert_int_equal(load(&b, "TRCOSLSR"), by_lock ? 0x12 : 0x10);
        cairn_unit_os_lock(b.unit, false);
        assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_IDLE);
        assert_int_equal(load(&b, "TRCACVR2"), 0);
    }
    bench_end(&b);
}

/* Options that are chosen anew find nothing on its way. */
static void test_changing_options(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "");
    choose(&b, ALL_LATE);
    msr(&b, "TRCACVR2", 0x1111);
    msr(&b, "TRCVICTLR", 0x600201);
    choose(&b, 0);
    assert_int_equal(load(&b, "TRCACVR2"), 0x1111);
    assert_int_equal(load(&b, "TRCVICTLR"), 0x600201);
    msr(&b, "TRCACVR2", 0x2222);
    assert_int_equal(mrs(&b, "TRCACVR2"), 0x2222);
    bench_end(&b);
}

/* --- external --- */

static void test_external_writes(void **state)
{
    (void)state;
    for (unsigned n = 0; n < MIXES; n++) {
        struct bench b;

        bench_open(&b, "");
        choose(&b, mix(n));
        level(&b, "EL1n");
        store(&b, "TRCVICTLR", 0x00200201); /* not EL1 */
        /* proves: R_DYRZC */
        assert_int_equal(load(&b, "TRCVICTLR"), 0x00200201);
        store(&b, "TRCVICTLR", 0x00300201); /* nor EL0 */
        /* proves: R_DYRZC */
        assert_int_equal(load(&b, "TRCVICTLR"), 0x00300201);
        /* What an MRS sees of it may be old until the next event. */
        assert_int_equal(mrs(&b, "TRCVICTLR"), mix(n) & LATE_READS ? 0x201 : 0x00300201);
        store(&b, "TRCPRGCTLR", 1);
        branch(&b, 0x1000, 0x1000, TAKEN);
        level(&b, "EL2n");
        branch(&b, 0x2000, 0x1000, NOT_TAKEN);
        /* proves: R_PGTLX */
        assert_trace(&b, "SYNC INFO ON CTX(EL2n) ADDR(2000) N");
        bench_end(&b);
    }
}

/* --- what the unit writes --- */

#define COUNTING "TRCCNTVR0=100 TRCCNTCTLR0=1 TRCACVR0=0x1000 TRCACVR1=0x2000 TRCVISSCTLR=0x20001 "

/* Registers of Table D8.1 are never stale: with nothing but time, by each way. */
static void test_table_D8_1(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, COUNTING SELECTORS "TRCSEQEVR0=2 TRCSSCCR0=1");
    choose(&b, ALL_LATE);
    level(&b, "EL1n");
    store(&b, "TRCPRGCTLR", 1);
    cycles(&b, 10);
    /* proves: R_WPWWS */
    assert_int_equal(mrs(&b, "TRCCNTVR0"), 90);
    assert_int_equal(load(&b, "TRCCNTVR0"), 90);
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 1);
    cairn_unit_inputs(b.unit, 0);
    /* proves: R_WPWWS */
    assert_int_equal(mrs(&b, "TRCSEQSTR"), 1);
    code(&b, 0x1000, 1);
    cycles(&b, 1);
    /* proves: R_WPWWS */
    assert_int_equal(mrs(&b, "TRCSSCSR0") >> 31, 1);
    store(&b, "TRCCLAIMSET", 0x42);
    /* proves: R_WPWWS, D16.43 */
    assert_int_equal(mrs(&b, "TRCCLAIMCLR"), 0x42);
    msr(&b, "TRCCLAIMCLR", 0x40);
    /* proves: R_WPWWS, D16.43 */
    assert_int_equal(load(&b, "TRCCLAIMCLR"), 0x02);
    /* proves: R_WPWWS, D16.43 */
    assert_int_equal(mrs(&b, "TRCCLAIMCLR"), 0x02);
    bench_end(&b);
}

/* Of the others MRS may rely on what it reads behind an event in Stable or Idle; debuggers, on what they
 * read in Stable or Idle. */
static void test_SSSTATUS(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;
        struct bench b;

        bench_open(&b, COUNTING "TRCVICTLR=1");
        options.choices = late ? LATE_READS : 0;
        options.unstable = 10;
        options.draining = 10;
        choose_all(&b, &options);
        level(&b, "EL1n");
        msr(&b, "TRCPRGCTLR", 1);
        code(&b, 0x1000, 1); /* starts */
        sync_context(&b);
        assert_int_equal(mrs(&b, "TRCVICTLR") & SSSTATUS, late ? 0 : SSSTATUS);
        assert_int_equal(load(&b, "TRCVICTLR") & SSSTATUS, late ? 0 : SSSTATUS);
        assert_int_equal(load(&b, "TRCRSR") & TA, late ? 0 : TA);
        msr(&b, "TRCPRGCTLR", 0);
        sync_context(&b); /* Unstable: too early */
        assert_int_equal(mrs(&b, "TRCVICTLR") & SSSTATUS, late ? 0 : SSSTATUS);
        assert_int_equal(load(&b, "TRCVICTLR") & SSSTATUS, late ? 0 : SSSTATUS);
        assert_int_equal(load(&b, "TRCRSR") & TA, late ? 0 : TA);
        cycles(&b, 10);
        assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_STABLE);
        /* proves: R_GQKGX, R_MMYRJ */
        assert_int_equal(load(&b, "TRCVICTLR") & SSSTATUS, SSSTATUS);
        /* proves: R_GQKGX, R_MMYRJ */
        assert_int_equal(load(&b, "TRCRSR") & TA, TA);
        assert_int_equal(mrs(&b, "TRCVICTLR") & SSSTATUS, late ? 0 : SSSTATUS);
        sync_context(&b);
        /* proves: R_WZQWC */
        assert_int_equal(mrs(&b, "TRCVICTLR") & SSSTATUS, SSSTATUS);
        /* proves: R_WZQWC */
        assert_int_equal(mrs(&b, "TRCRSR") & TA, TA);
        cycles(&b, 100);
        /* proves: R_MMYRJ */
        assert_int_equal(load(&b, "TRCVICTLR") & SSSTATUS, SSSTATUS);
        /* proves: D16.36 */
        assert_int_equal(load(&b, "TRCVICTLR"), mrs(&b, "TRCVICTLR"));
        /* What it begins its next session with is that as well. */
        msr(&b, "TRCPRGCTLR", 1);
        sync_context(&b);
        assert_int_equal(load(&b, "TRCVICTLR") & SSSTATUS, SSSTATUS);
        assert_int_equal(load(&b, "TRCRSR") & TA, TA);
        branch(&b, 0x3000, 0x3000, TAKEN);
        /* proves: R_GQKGX */
        assert_int_equal(bench_count(bench_trace(&b), "ADDR(3000)"), 1);
        bench_end(&b);
    }
}

/* The unit's own reads and writes of its registers are in the order of what happens: a sequencer, event
 * by event, and a counter that is reloaded in one of its states. */
static void test_order(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "outputs " SELECTORS "TRCSEQEVR0=2 TRCSEQEVR1=4 TRCSEQEVR2=0x0305 "
                   "TRCCNTRLDVR0=7 TRCCNTCTLR0=0x0c01 TRCEVENTCTL0R=0x0d0c0b0a");
    choose(&b, ALL_LATE);
    store(&b, "TRCPRGCTLR", 1);
    clock_with(&b, 1);
    /* proves: R_XLXQL */
    assert_int_equal(mrs(&b, "TRCSEQSTR"), 1);
    clock_with(&b, 4);
    /* proves: R_XLXQL */
    assert_int_equal(mrs(&b, "TRCSEQSTR"), 2);
    cycles(&b, 2); /* in state 2, seen a clock later, the counter is reloaded ... */
    /* proves: R_XLXQL */
    assert_int_equal(mrs(&b, "TRCCNTVR0"), 7);
    clock_with(&b, 8); /* ... and so it is while the last clock in that state is seen */
    cycles(&b, 1);
    assert_int_equal(mrs(&b, "TRCCNTVR0"), 7);
    cycles(&b, 1); /* and counts behind it */
    /* proves: R_XLXQL */
    assert_int_equal(mrs(&b, "TRCCNTVR0"), 6);
    /* Events are of the states in the order in which they were. */
    /* proves: R_XLXQL */
    assert_outputs(&b, "0:1 1:1 2:2 3:4 4:4 5:4 6:8");
    bench_end(&b);
}

/* --- the authentication interface --- */

static void test_authentication(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        struct bench b;

        bench_open(&b, "");
        choose(&b, waits ? CAIRN_ACCESS_AUTHENTICATION_WAITS : 0);
        assert_int_equal(load(&b, "TRCAUTHSTATUS"), 0xcc);
        cairn_unit_authenticate(b.unit, CAIRN_UNIT_NIDEN);
        /* proves: R_WYWMJ */
        assert_int_equal(load(&b, "TRCAUTHSTATUS"), waits ? 0xcc : 0x8c);
        sync_context(&b);
        /* proves: R_WYWMJ */
        assert_int_equal(load(&b, "TRCAUTHSTATUS"), 0x8c);
        assert_int_equal(mrs(&b, "TRCAUTHSTATUS"), 0x8c);
        cairn_unit_authenticate(b.unit, CAIRN_UNIT_SPNIDEN);
        isb(&b, 0x1000, TAKEN);
        assert_int_equal(load(&b, "TRCAUTHSTATUS"), 0x88);
        bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enabling),
        cmocka_unit_test(test_disabling),
        cmocka_unit_test(test_isb_before_enabling),
        cmocka_unit_test(test_polling),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_changing_options),
        cmocka_unit_test(test_own_writes),
        cmocka_unit_test(test_external_writes),
        cmocka_unit_test(test_table_D8_1),
        cmocka_unit_test(test_SSSTATUS),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_authentication),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
