/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the architecture leaves the unit a choice: each with all of its outcomes. */
#include "reach.h"

#define START_0 "TRCVICTLR=1 TRCACVR0=0x1000 TRCACVR1=0x2000 TRCVISSCTLR=0x20001 "
#define FORCED "TRCVICTLR=0xe01 TRCACVR0=0x100000 TRCACVR1=0x100004 TRCVIIECTLR=1 "

static void open_with(struct bench *b, uint32_t choices, const char *text)
{
    char all[512];

    snprintf(all, sizeof all, "choices=0x%x %s", CAIRN_UNIT_COMMIT_AT_ONCE | choices, text);
    bench_begin(b, all);
}

static uint64_t start_stop(struct bench *b)
{
    return read_register(b, "TRCVICTLR") & SSSTATUS;
}

static uint64_t traced(struct bench *b)
{
    return read_register(b, "TRCRSR") & TA;
}

/* --- the start/stop function --- */

/* Disabled while what was met is speculative: it was met, or not. */
static void test_disabled_speculative(void **state)
{
    (void)state;
    for (int undoes = 0; undoes < 2; undoes++) {
        for (int resolved = 0; resolved < 2; resolved++) {
            struct bench b;

            open_with(&b, undoes ? CAIRN_UNIT_DISABLED_UNDOES_POINTS : 0, START_0 "MAXSPEC=8");
            speculate(&b);
            code(&b, 0x1000, 1);
            if (resolved)
                resolve(&b, mark(&b));
            cairn_unit_disable(b.unit);
            /* proves: R_BZSXR */
            assert_int_equal(start_stop(&b) != 0, resolved || !undoes);
            bench_end(&b);

            /* A stop point the same. */
            open_with(&b, undoes ? CAIRN_UNIT_DISABLED_UNDOES_POINTS : 0,
                      START_0 "TRCVICTLR=0x201 MAXSPEC=8");
            speculate(&b);
            code(&b, 0x3000, 1);
            if (resolved)
                resolve(&b, mark(&b));
            code(&b, 0x2000, 1);
            cairn_unit_os_lock(b.unit, true);
            /* proves: R_BZSXR */
            assert_int_equal(start_stop(&b) == 0, !undoes);
            bench_end(&b);
        }
    }
}

/* Disabled in a transaction: it failed, or it did not. */
static void test_disabled_transaction(void **state)
{
    (void)state;
    for (int fails = 0; fails < 2; fails++) {
        for (int before = 0; before < 2; before++) {
            struct bench b;

            open_with(&b, fails ? CAIRN_UNIT_DISABLED_FAILS_POINTS : 0, START_0);
            if (before)
                code(&b, 0x1000, 1); /* outside of it: that counts in any case */
            tstart(&b, 0x3000);
            code(&b, 0x1000, 1);
            cairn_unit_disable(b.unit);
            /* proves: R_LRBDC */
            assert_int_equal(start_stop(&b) != 0, before || !fails);
            bench_end(&b);
        }
    }
}

/* A Prohibited region begins in a transaction: as if it failed, as if it did not, or as it comes. */
static void test_prohibited_transaction(void **state)
{
    static const uint32_t choices[] = {0, CAIRN_UNIT_PROHIBITED_FAILS_POINTS,
                                       CAIRN_UNIT_PROHIBITED_KEEPS_POINTS};

    (void)state;
    for (unsigned choice = 0; choice < 3; choice++) {
        for (int fails = 0; fails < 2; fails++) {
            struct bench b;

            open_with(&b, choices[choice], START_0);
            tstart(&b, 0x3000);
            code(&b, 0x1000, 1);
            assert_int_equal(start_stop(&b), SSSTATUS);
            cairn_unit_prohibit(b.unit, true);
            /* proves: R_FFZDC */
            assert_int_equal(start_stop(&b) != 0, choice != 1);
            if (fails)
                cairn_unit_transaction_fail(b.unit);
            else
                cairn_unit_transaction_commit(b.unit);
            /* proves: R_FFZDC */
            assert_int_equal(start_stop(&b) != 0, choice == 2 || (choice == 0 && !fails));
            cairn_unit_disable(b.unit);
            assert_int_equal(start_stop(&b) != 0, choice == 2 || (choice == 0 && !fails));
            bench_end(&b);
        }
    }
}

/* --- TRCRSR.TA --- */

/* At an overflow it is cleared, or what it was of the last instruction. */
static void test_overflow(void **state)
{
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        struct cairn_unit_counters counters = {.size = sizeof counters};
        struct bench b;

        open_with(&b, keeps ? CAIRN_UNIT_OVERFLOW_KEEPS_TA : 0, "fifo=64 drain=1 RS");
        for (unsigned i = 0; counters.overflows == 0; i++) {
            assert_true(i < 1000);
            exception(&b, CAIRN_EXCEPTION_IRQ, 0x1000 + 0x10010 * (uint64_t)i);
            jump(&b, 0x9000);
            cairn_unit_counters(b.unit, &counters);
            if (counters.overflows == 0)
                assert_int_equal(traced(&b), TA);
        }
        bench_end(&b);

        /* Told of nothing since: too many Events are what it does not hold. */
        open_with(&b, keeps ? CAIRN_UNIT_OVERFLOW_KEEPS_TA : 0,
                  "fifo=64 drain=1 TRCRSCTLR2=1 TRCEVENTCTL0R=2 TRCEVENTCTL1R=1");
        branch(&b, 0x1000, 0x2000, TAKEN);
        assert_int_equal(traced(&b), TA);
        cairn_unit_inputs(b.unit, 1);
        counters.overflows = 0;
        for (unsigned i = 0; counters.overflows == 0; i++) {
            assert_true(i < 1000);
            cycles(&b, 1);
            cairn_unit_counters(b.unit, &counters);
        }
        /* proves: R_QZPJD */
        assert_int_equal(traced(&b) != 0, keeps);
        bench_end(&b);
    }
}

/* A System Error or PE Reset traced because it is forced: TA is set, or stays 0. */
static void test_forced(void **state)
{
    (void)state;
    for (int sets = 0; sets < 2; sets++) {
        struct bench b;

        open_with(&b, sets ? CAIRN_UNIT_FORCED_SETS_TA : 0, FORCED);
        branch(&b, 0x1000, 0x2000, TAKEN); /* filtered */
        assert_int_equal(traced(&b), 0);
        exception(&b, CAIRN_EXCEPTION_SYSTEM_ERROR, 0x2000);
        assert_int_equal(bench_count(bench_trace(&b), "EXC"), 1);
        /* proves: R_NZNDM */
        assert_int_equal(traced(&b) != 0, sets);
        branch(&b, 0x3000, 0x4000, TAKEN);
        assert_int_equal(traced(&b), 0);
        exception(&b, CAIRN_EXCEPTION_PE_RESET, 0);
        assert_int_equal(bench_count(bench_trace(&b), "EXC"), 1);
        /* proves: R_YFKGM */
        assert_int_equal(traced(&b) != 0, sets);
        bench_end(&b);
    }
}

/* --- Prohibited regions --- */

/* Left otherwise than at a Context synchronization event: it ends there, or at the next one. */
static void test_region_until_sync(void **state)
{
    (void)state;
    for (int extends = 0; extends < 2; extends++) {
        for (unsigned event = 0; event < 4; event++) {
            struct bench b;

            open_with(&b, extends ? CAIRN_UNIT_PROHIBITED_UNTIL_SYNC : 0, "");
            branch(&b, 0x1000, 0x2000, TAKEN);
            cairn_unit_prohibit(b.unit, true);
            branch(&b, 0x2000, 0x3000, TAKEN);
            (void)bench_trace(&b);
            cairn_unit_prohibit(b.unit, false); /* a signal has changed */
            branch(&b, 0x3000, 0x4000, NOT_TAKEN);
            /* proves: I_JBFTB */
            assert_trace(&b, extends ? "" : "ON ADDR(3000) N");
            switch (event) {
            case 0: isb(&b, 0x3004, TAKEN); break;
            case 1: eret(&b, 0x3004); break;
            case 2: exception(&b, CAIRN_EXCEPTION_IRQ, 0x3004); break;
            default: sync_context(&b); break;
            }
            (void)bench_trace(&b);
            branch(&b, 0x5000, 0x6000, NOT_TAKEN);
            /* proves: I_JBFTB */
            assert_int_equal(bench_count(bench_trace(&b), "N"), 1);
            bench_end(&b);
        }
    }
}

/* Left at one, it ends in any case; and what begins again before the event is one region. */
static void test_region_at_sync(void **state)
{
    struct bench b;

    (void)state;
    open_with(&b, CAIRN_UNIT_PROHIBITED_UNTIL_SYNC, "");
    cairn_unit_prohibit(b.unit, true);
    eret(&b, 0x2000);
    level(&b, "EL0n"); /* what the exception return brought */
    cairn_unit_prohibit(b.unit, false);
    branch(&b, 0x3000, 0x4000, NOT_TAKEN);
    /* proves: I_JBFTB */
    assert_trace(&b, "SYNC INFO ON CTX(EL0n) ADDR(3000) N");
    cairn_unit_prohibit(b.unit, true);
    branch(&b, 0x3004, 0x4000, NOT_TAKEN);
    cairn_unit_prohibit(b.unit, false);
    branch(&b, 0x3008, 0x4000, NOT_TAKEN);
    cairn_unit_prohibit(b.unit, true);
    sync_context(&b);
    branch(&b, 0x300c, 0x4000, NOT_TAKEN);
    assert_trace(&b, "");
    /* Speculation takes back both the end and the event. */
    speculate(&b);
    {
        const uint64_t inside = mark(&b);

        cairn_unit_prohibit(b.unit, false);
        sync_context(&b);
        branch(&b, 0x3010, 0x4000, NOT_TAKEN);
        cancel(&b, inside);
        branch(&b, 0x3014, 0x4000, NOT_TAKEN);
        resolve(&b, mark(&b));
        cairn_unit_flush(b.unit);
        assert_int_equal(bench_count(bench_trace(&b), "ADDR(3014)"), 0);
    }
    bench_end(&b);
}

/* A System Error or PE Reset told where a region ends: outside, or inside; and where one begins. */
static void test_errors_near_regions(void **state)
{
    static const unsigned types[] = {CAIRN_EXCEPTION_SYSTEM_ERROR, CAIRN_EXCEPTION_PE_RESET,
                                     CAIRN_EXCEPTION_IRQ};

    (void)state;
    for (int across = 0; across < 2; across++) {
        for (unsigned i = 0; i < 3; i++) {
            const bool may = i < 2;
            struct bench b;

            open_with(&b, across ? CAIRN_UNIT_ERRORS_ACROSS : 0, "TRCVICTLR=0xe01");
            cairn_unit_prohibit(b.unit, true);
            branch(&b, 0x1000, 0x2000, TAKEN);
            eret(&b, 0x2000);
            cairn_unit_prohibit(b.unit, false);
            level(&b, "EL0n");
            exception(&b, types[i], 0x3000);
            /* proves: I_GWHRM */
            assert_int_equal(bench_count(bench_trace(&b), "EXC"), may && !across);
            branch(&b, 0x4000, 0x4000, TAKEN);
            exception(&b, types[i], 0x4000); /* not near any more */
            assert_int_equal(bench_count(bench_trace(&b), "EXC"), 1);
            branch(&b, 0x5000, 0x6000, TAKEN);
            (void)bench_trace(&b);
            cairn_unit_prohibit(b.unit, true);
            exception(&b, types[i], 0x6000);
            /* proves: I_GWHRM */
            assert_int_equal(bench_count(bench_trace(&b), "EXC"), may && across);
            exception(&b, types[i], 0x7000);
            assert_int_equal(bench_count(bench_trace(&b), "EXC"), 0);
            branch(&b, 0x7000, 0x7000, TAKEN);
            cairn_unit_prohibit(b.unit, false);
            branch(&b, 0x8000, 0x8000, TAKEN);
            assert_int_equal(bench_count(bench_trace(&b), "ON"), 1);
            bench_end(&b);
        }
    }
    {
        /* What a TSB CSYNC has finished nothing is added to (R_XLVQM). */
        struct bench b;

        open_with(&b, CAIRN_UNIT_ERRORS_ACROSS, "TRCVICTLR=0xe01");
        branch(&b, 0x1000, 0x2000, TAKEN);
        cairn_unit_prohibit(b.unit, true);
        (void)cairn_unit_tsb(b.unit);
        (void)bench_trace(&b);
        exception(&b, CAIRN_EXCEPTION_SYSTEM_ERROR, 0x2000);
        assert_trace(&b, "");
        bench_end(&b);
    }
}

/* The authentication interface: what it denies is a Prohibited region, unless trace is self-hosted. */
static void test_authentication(void **state)
{
    (void)state;
    for (unsigned signals = 0; signals < 32; signals++) {
        const bool self_hosted = signals & CAIRN_UNIT_SELF_HOSTED;
        const bool non_invasive = signals & (CAIRN_UNIT_DBGEN | CAIRN_UNIT_NIDEN);
        const bool secure = non_invasive && (signals & (CAIRN_UNIT_SPIDEN | CAIRN_UNIT_SPNIDEN));
        struct bench b;

        bench_begin(&b, "");
        cairn_unit_authenticate(b.unit, signals);
        level(&b, "EL1s");
        branch(&b, 0x1000, 0x1000, TAKEN);
        /* proves: R_HYZLQ */
        assert_int_equal(bench_count(bench_trace(&b), "E"), secure || self_hosted);
        level(&b, "EL1n");
        branch(&b, 0x2000, 0x2000, TAKEN);
        assert_int_equal(bench_count(bench_trace(&b), "E"), non_invasive || self_hosted);
        /* They change while the PE stays where it is. */
        level(&b, "EL1s");
        (void)bench_trace(&b);
        cairn_unit_authenticate(b.unit, CAIRN_UNIT_NIDEN);
        branch(&b, 0x3000, 0x3000, TAKEN);
        /* proves: R_HYZLQ */
        assert_trace(&b, "");
        cairn_unit_authenticate(b.unit, CAIRN_UNIT_NIDEN | CAIRN_UNIT_SPNIDEN);
        branch(&b, 0x4000, 0x4000, TAKEN);
        /* proves: R_HYZLQ */
        assert_int_equal(bench_count(bench_trace(&b), "ON"), 1);
        /* What the PE prohibits besides stays prohibited. */
        cairn_unit_prohibit(b.unit, true);
        cairn_unit_authenticate(b.unit, signals);
        cairn_unit_authenticate(b.unit, CAIRN_UNIT_SELF_HOSTED);
        branch(&b, 0x5000, 0x5000, TAKEN);
        assert_trace(&b, "");
        bench_end(&b);
    }
}

/* Nothing tells of what is denied: not the context in which it is, nor that in which it ends. */
static void test_denied_context(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "CID");
    cairn_unit_authenticate(b.unit, CAIRN_UNIT_NIDEN);
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 2);
    level(&b, "EL3s");
    context_id(&b, 0x5ec4e7);
    branch(&b, 0x9000, 0xa000, TAKEN);
    level(&b, "EL1n");
    context_id(&b, 7);
    branch(&b, 0x3000, 0x4000, TAKEN);
    assert_trace(&b, "SYNC INFO ON CTX(EL1n) ADDR(1000) E ON CTX(EL1n,cid=7) ADDR(3000) E");
    assert_false(bench_has_bytes(&b, "e7 c4 5e"));
    bench_end(&b);
}

/* --- comparators --- */

/* A byte inside an instruction: it matches, or only the first does. */
static void test_inner_bytes(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        for (unsigned offset = 0; offset < 8; offset++) {
            struct bench b;
            char text[128];

            snprintf(text, sizeof text, "TRCVICTLR=1 TRCVISSCTLR=1 TRCACVR0=0x%x", 0x1000 + offset);
            open_with(&b, first ? CAIRN_UNIT_MATCHES_FIRST_BYTE : 0, text);
            branch(&b, 0x1000, 0x2000, TAKEN);
            /* proves: I_JZXFJ */
            assert_int_equal(start_stop(&b) != 0, offset < (first ? 1 : 4));
            bench_end(&b);

            open_with(&b, first ? CAIRN_UNIT_MATCHES_FIRST_BYTE : 0, text);
            b.isa = CAIRN_ISA_T32;
            code(&b, 0x1000, 4);
            assert_int_equal(start_stop(&b) != 0, !first || offset % 2 == 0);
            bench_end(&b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disabled_speculative),
        cmocka_unit_test(test_disabled_transaction),
        cmocka_unit_test(test_prohibited_transaction),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_forced),
        cmocka_unit_test(test_region_until_sync),
        cmocka_unit_test(test_region_at_sync),
        cmocka_unit_test(test_errors_near_regions),
        cmocka_unit_test(test_authentication),
        cmocka_unit_test(test_denied_context),
        cmocka_unit_test(test_inner_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
