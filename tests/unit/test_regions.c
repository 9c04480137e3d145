/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace Prohibited regions, Debug state and forced exceptions: DDI0608 D6.3, D6.6.6, D6.8.6. */
#include "conformance/bench.h"

/* Events 0 to 3 for SAC 0, ARC 0, CID 0 and VMID 0, through selectors 2 to 5. */
#define EVENT_RESOURCES                                                                            \
    "TRCRSCTLR2=0x40001 TRCRSCTLR3=0x50001 TRCRSCTLR4=0x60001 TRCRSCTLR5=0x70001 "                 \
    "TRCEVENTCTL0R=0x05040302 TRCEVENTCTL1R=0xf TRCACVR0=0x1000 TRCACVR1=0x1000 "                  \
    "TRCCIDCVR0=5 TRCVMIDCVR0=7 "
#define NOTHING_VIEWED "TRCVICTLR=0x200 " /* selector 0: FALSE */

#define SERROR CAIRN_EXCEPTION_SYSTEM_ERROR
#define HALT CAIRN_EXCEPTION_DEBUG_HALT
#define IRQ CAIRN_EXCEPTION_IRQ
#define RESET CAIRN_EXCEPTION_PE_RESET

static void prohibit(struct bench *b, bool prohibited)
{
    cairn_unit_prohibit(b->unit, prohibited);
}

static void halt(struct bench *b, uint64_t address)
{
    exception(b, HALT, address);
    cairn_unit_debug_state(b->unit, true);
}

static void resume(struct bench *b)
{
    cairn_unit_debug_state(b->unit, false);
}

/* --- Prohibited regions --- */

static void test_enabled_inside(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "");
    prohibit(&b, true);
    cairn_unit_enable(b.unit);
    level(&b, "EL2n");
    branch(&b, 0x9000, 0x9100, TAKEN);
    cairn_unit_request_sync(b.unit);
    cairn_unit_flush(b.unit);
    /* proves: R_XRWPV */
    assert_int_equal(b.size, 0);
    level(&b, "EL1n");
    prohibit(&b, false);
    branch(&b, 0x1000, 0x2000, TAKEN);
    /* proves: R_RXMJF, R_XRWPV */
    assert_trace(&b, BEGIN("1000") " E");
    bench_end(&b);
}

static void test_nothing_inside(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "CID VMID");
    branch(&b, 0x1000, 0x1004, TAKEN);
    exception(&b, CAIRN_EXCEPTION_CALL, 0x1004);
    /* proves: R_THBVD */
    assert_trace(&b, BEGIN("1000") " E EXC(Call,1004)");
    level(&b, "EL2n");
    prohibit(&b, true);
    context_id(&b, 0x5a5b5c5d);
    branch(&b, 0x6162636c, 0x71727374, TAKEN);
    exception(&b, IRQ, 0x71727374);
    jump(&b, 0x4142434c);
    exception(&b, SERROR, 0x51525354);
    exception(&b, RESET, 0);
    code(&b, 0, 2);
    eret(&b, 8);
    cycles(&b, 100);
    cairn_unit_flush(b.unit);
    const char *text = bench_trace(&b);
    /* proves: R_FFVYM, R_THBVD */
    assert_int_equal(bench_count(text, "E") + bench_count(text, "N"), 0);
    context_id(&b, 0);
    level(&b, "EL1n");
    prohibit(&b, false);
    branch(&b, 0x1004, 0x3000, TAKEN);
    /* The first address behind it tells nothing of what was inside. */
    /* proves: R_VHRGM, I_JSKLD */
    assert_trace(&b, "ON ADDR(1004) E");
    /* proves: R_VHRGM, I_JSKLD */
    assert_false(bench_has_bytes(&b, "5d 5c 5b 5a"));
    bench_end(&b);
}

static void test_nothing_told_of_inside(void **state)
{
    /* Identifier; addresses, bits 8:2, 15:9, 23:16 and 31:24 of each. */
    static const char *const secrets[] = {"5d 5c 5b 5a", "5b 31 62 61", "5d 39 72 71"};
    struct bench b;

    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        bench_begin(&b, "CID BB");
        branch(&b, 0x1000, 0x6162636c, TAKEN);
        exception(&b, CAIRN_EXCEPTION_CALL, 0x1100);
        prohibit(&b, inside);
        context_id(&b, 0x5a5b5c5d);
        jump(&b, 0x6162636c);
        jump(&b, 0x71727374);
        context_id(&b, 0);
        prohibit(&b, false);
        jump(&b, 0x1100);
        cairn_unit_flush(b.unit);
        for (unsigned i = 0; i < 3; i++)
            /* proves: R_VHRGM, I_JSKLD */
            assert_int_equal(bench_has_bytes(&b, secrets[i]), !inside);
        bench_end(&b);
    }
}

static void test_comparators_inside(void **state)
{
    static const char *const all = "EV0 EV1 EV2 EV3";

    (void)state;
    for (int where = 0; where < 3; where++) {
        struct bench b;

        bench_begin(&b, NOTHING_VIEWED EVENT_RESOURCES);
        b.context.context_id = 5;
        b.context.vmid = 7;
        level(&b, "EL1n");
        if (where == 1)
            prohibit(&b, true);
        if (where == 2)
            cairn_unit_debug_state(b.unit, true);
        branch(&b, 0x1000, 0x2000, TAKEN);
        cycles(&b, 1);
        const char *text = bench_trace(&b);
        if (where == 0)
            assert_int_equal(bench_find(text, all, 0), 10); /* SYNC INFO ... */
        else if (where == 1)
            /* proves: R_YPWLR, R_SRZGJ, R_WZWL, R_KTMLZ */
            assert_int_equal(bench_count(text, "EV"), 0);
        else
            assert_int_equal(bench_count(text, "EV"), 0);
        bench_end(&b);
    }
}

static void test_comparators_in_debug_state(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NOTHING_VIEWED EVENT_RESOURCES);
    b.context.context_id = 5;
    b.context.vmid = 7;
    level(&b, "EL1n");
    branch(&b, 0x1000, 0x2000, TAKEN);
    cycles(&b, 1);
    assert_int_equal(bench_count(bench_trace(&b), "EV"), 4);
    halt(&b, 0x2000);
    branch(&b, 0x1000, 0x2000, TAKEN);
    cycles(&b, 1);
    /* proves: R_YMVDZ, R_MCYYC, R_LPKBR */
    assert_int_equal(bench_count(bench_trace(&b), "EV"), 0);
    resume(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    cycles(&b, 1);
    assert_int_equal(bench_count(bench_trace(&b), "EV"), 4);
    bench_end(&b);
}

/* SAC 0 and ARC 0 in all three states, with address, level and context right and wrong. */
static void test_comparator_terms(void **state)
{
    (void)state;
    for (unsigned wrong = 0; wrong < 4; wrong++) {
        for (int where = 0; where < 3; where++) {
            struct bench b;

            bench_begin(&b, NOTHING_VIEWED EVENT_RESOURCES
                        "TRCEVENTCTL1R=3 TRCACATR0=0x1004 TRCACATR1=0x1004");
            b.context.context_id = wrong == 1 ? 6 : 5;
            level(&b, wrong == 2 ? "EL0n" : "EL1n");
            if (where == 1)
                prohibit(&b, true);
            if (where == 2)
                cairn_unit_debug_state(b.unit, true);
            branch(&b, wrong == 3 ? 0x1004 : 0x1000, 0x2000, TAKEN);
            cycles(&b, 1);
            const char *text = bench_trace(&b);
            bool matches = wrong == 0 && where == 0;
            /* proves: I_TBNTJ */
            assert_int_equal(bench_count(text, "EV0"), matches);
            /* proves: R_RTXJN */
            assert_int_equal(bench_count(text, "EV1"), matches);
            bench_end(&b);
        }
    }
}

static void test_speculated_exit(void **state)
{
    (void)state;
    for (int taken = 0; taken < 2; taken++) {
        struct bench b;
        uint64_t exit;

        bench_begin(&b, "MAXSPEC=16");
        branch(&b, 0x1000, 0x1100, TAKEN);
        exception(&b, CAIRN_EXCEPTION_CALL, 0x1100);
        prohibit(&b, true);
        speculate(&b);
        code(&b, 0x9000, 1);
        exit = mark(&b);
        eret(&b, 0x9004);
        prohibit(&b, false);
        bench_trace(&b);
        branch(&b, 0x1100, 0x1200, TAKEN);
        branch(&b, 0x1200, 0x1300, TAKEN);
        /* proves: R_YGGGJ */
        assert_trace(&b, "");
        if (taken) {
            resolve(&b, mark(&b));
            /* proves: R_YGGGJ */
            assert_trace(&b, "ON ADDR(1100) E E COMMIT(2)");
        } else {
            cancel(&b, exit);
            prohibit(&b, true);
            code(&b, 0x9004, 1);
            resolve(&b, mark(&b));
            cairn_unit_flush(b.unit);
            /* proves: R_SRLCG */
            assert_trace(&b, "");
        }
        bench_end(&b);
    }
}

/* Between the exit and the first instruction TA decides. */
static void test_exception_at_exit(void **state)
{
    (void)state;
    for (int traced = 0; traced < 2; traced++) {
        struct bench b;

        bench_begin(&b, ONLY("0x1000", "0x10ff"));
        branch(&b, traced ? 0x1000 : 0x5000, 0x1100, TAKEN);
        prohibit(&b, true);
        code(&b, 0x9000, 1);
        prohibit(&b, false);
        bench_trace(&b);
        exception(&b, IRQ, 0x1080);
        jump(&b, 0x8000);
        const char *text = bench_trace(&b);
        /* proves: I_DMXPF */
        assert_int_equal(bench_count(text, "EXC(IRQ,1080)"), traced);
        assert_int_equal(bench_count(text, "E"), traced);
        bench_end(&b);
    }
}

/* --- Debug state --- */

static void test_debug_state(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x1100, TAKEN);
    code(&b, 0x1100, 1);
    exception(&b, HALT, 0x1104);
    /* proves: R_XJXQS */
    assert_trace(&b, BEGIN("1000") " E EXC(Debug_halt,1104)");
    cairn_unit_debug_state(b.unit, true);
    for (unsigned i = 0; i < 4; i++) {
        branch(&b, 0x1000, 0x1100, TAKEN);
        jump(&b, 0x3000 + 4 * i);
        /* proves: R_YMJFJ, R_DPKSC */
        assert_trace(&b, "");
    }
    resume(&b);
    branch(&b, 0x1104, 0x1200, TAKEN);
    /* proves: R_HBNFJ */
    assert_trace(&b, "ON ADDR(1104) E");
    bench_end(&b);
}

static void test_flush_at_halt(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x1100, TAKEN);
    halt(&b, 0x1100);
    assert_true(b.size >= 3); /* nobody has asked for it */
    /* 06, TYPE 1 with the address; exact match or not, these two bytes come first. */
    const char *text = bench_packets(&b);
    const char *last = strrchr(text, ' ') + 1;
    /* proves: I_NHBMZ */
    assert_int_equal(strncmp(last, "EXCEPTION", 9), 0);
    bench_end(&b);
}

static void test_start_stop_in_debug_state(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TRCACVR0=0x1000 TRCACVR1=0x2000 TRCVISSCTLR=0x00020001 TRCVICTLR=1");
    branch(&b, 0x1000, 0x1100, TAKEN); /* start */
    halt(&b, 0x1100);
    branch(&b, 0x2000, 0x1100, TAKEN); /* stop */
    resume(&b);
    bench_trace(&b);
    branch(&b, 0x1100, 0x1200, TAKEN);
    /* proves: R_TGFHM */
    assert_trace(&b, "ON ADDR(1100) E");
    bench_end(&b);
}

static void test_exception_at_resume(void **state)
{
    (void)state;
    for (int traced = 0; traced < 2; traced++) {
        struct bench b;

        bench_begin(&b, ONLY("0x1000", "0x10ff"));
        branch(&b, traced ? 0x1000 : 0x5000, 0x1100, TAKEN);
        halt(&b, 0x1100);
        branch(&b, traced ? 0x5000 : 0x1000, 0x1100, TAKEN); /* leaves TA alone */
        resume(&b);
        bench_trace(&b);
        exception(&b, IRQ, 0x1080);
        /* proves: I_WFYLO */
        assert_int_equal(bench_count(bench_trace(&b), "EXC(IRQ,1080)"), traced);
        bench_end(&b);
    }
}

/* --- forced tracing --- */

/* TRCERR is bit 11 of TRCVICTLR, TRCRESET bit 10; nothing is viewed. */
#define FORCED_ERRORS "TRCVICTLR=0xa00 "
#define FORCED_RESETS "TRCVICTLR=0x600 "

static void test_forced_errors(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, FORCED_ERRORS);
    branch(&b, 0x1000, 0x1100, TAKEN);
    exception(&b, IRQ, 0x1100); /* not a System Error */
    exception(&b, RESET, 0);    /* nor that */
    assert_trace(&b, "");
    code(&b, 0x1100, 1);
    exception(&b, SERROR, 0x1104);
    branch(&b, 0x8000, 0x8100, TAKEN);
    /* proves: R_VLNMN, R_LTLBB, R_BBBBT */
    assert_trace(&b, BEGIN("1104") " EXC(System_Error,1104)");
    exception(&b, IRQ, 0x8100); /* TA: whether this one is traced is up to the unit (R_NZNDM) */
    bench_end(&b);

    bench_begin(&b, NOTHING_VIEWED); /* disabled */
    branch(&b, 0x1000, 0x1100, TAKEN);
    exception(&b, SERROR, 0x1100);
    /* proves: R_VLNMN */
    assert_trace(&b, "");
    bench_end(&b);

    /* While tracing is active nothing comes before it. */
    bench_begin(&b, "TRCVICTLR=0xa01");
    branch(&b, 0x1000, 0x1100, TAKEN);
    exception(&b, SERROR, 0x1100);
    /* proves: R_LTLBB */
    assert_trace(&b, BEGIN("1000") " E EXC(System_Error,1100)");
    bench_end(&b);
}

static void test_forced_errors_prohibited(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, FORCED_ERRORS);
    prohibit(&b, true);
    code(&b, 0x9000, 1);
    exception(&b, SERROR, 0x9004);
    /* proves: R_SJXYS */
    assert_trace(&b, "");
    prohibit(&b, false); /* it was the exit, too */
    code(&b, 0x8000, 1);
    /* proves: R_SJXYS */
    assert_trace(&b, "");
    /* One outside, directly behind an exit. */
    prohibit(&b, true);
    jump(&b, 0x51525354);
    prohibit(&b, false);
    exception(&b, SERROR, 0x1000);
    /* proves: R_TSVKN */
    assert_trace(&b, BEGIN("1000") " EXC(System_Error,1000)");
    bench_end(&b);
}

static void test_forced_resets(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, FORCED_RESETS);
    branch(&b, 0x1000, 0x1100, TAKEN);
    exception(&b, SERROR, 0x1100);
    assert_trace(&b, "");
    code(&b, 0x1100, 1);
    exception(&b, RESET, 0);
    text = bench_trace(&b);
    /* proves: R_NQJNL, R_GPKSH */
    assert_int_equal(bench_count(text, "EXC(PE_Reset)"), 1);
    /* proves: R_BBBBT */
    assert_true(bench_find(text, "ON", 0) < bench_find(text, "ADDR", 0));
    /* proves: R_BBBBT */
    assert_true(bench_find(text, "ADDR", 0) < bench_find(text, "EXC", 0));
    bench_end(&b);

    bench_begin(&b, NOTHING_VIEWED); /* disabled */
    branch(&b, 0x1000, 0x1100, TAKEN);
    exception(&b, RESET, 0);
    /* proves: R_NQJNL */
    assert_trace(&b, "");
    bench_end(&b);

    bench_begin(&b, "TRCVICTLR=0x601");
    branch(&b, 0x1000, 0x1100, TAKEN);
    exception(&b, RESET, 0);
    branch(&b, 0x0, 0x100, TAKEN);
    /* proves: R_GPKSH */
    assert_trace(&b, BEGIN("1000") " E EXC(PE_Reset) ADDR(0) E");
    bench_end(&b);
}

static void test_forced_resets_prohibited(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, FORCED_RESETS);
    prohibit(&b, true);
    code(&b, 0x9000, 1);
    exception(&b, RESET, 0);
    prohibit(&b, false);
    code(&b, 0, 1);
    /* proves: R_NCXJN */
    assert_trace(&b, "");
    prohibit(&b, true);
    jump(&b, 0x51525354);
    prohibit(&b, false);
    exception(&b, RESET, 0);
    assert_int_equal(bench_count(bench_trace(&b), "EXC(PE_Reset)"), 1);
    /* The address inside: 7 bits, 7 bits, two bytes; and what is behind it. */
    /* proves: R_NRNFS */
    assert_false(bench_has_bytes(&b, "55 29 52 51") || bench_has_bytes(&b, "56 29 52 51"));
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enabled_inside),
        cmocka_unit_test(test_nothing_inside),
        cmocka_unit_test(test_nothing_told_of_inside),
        cmocka_unit_test(test_comparators_inside),
        cmocka_unit_test(test_comparators_in_debug_state),
        cmocka_unit_test(test_comparator_terms),
        cmocka_unit_test(test_speculated_exit),
        cmocka_unit_test(test_exception_at_exit),
        cmocka_unit_test(test_debug_state),
        cmocka_unit_test(test_flush_at_halt),
        cmocka_unit_test(test_start_stop_in_debug_state),
        cmocka_unit_test(test_exception_at_resume),
        cmocka_unit_test(test_forced_errors),
        cmocka_unit_test(test_forced_errors_prohibited),
        cmocka_unit_test(test_forced_resets),
        cmocka_unit_test(test_forced_resets_prohibited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
