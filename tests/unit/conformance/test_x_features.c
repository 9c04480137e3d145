/* SPDX-License-Identifier: BSD-2-Clause */
/* No overflow (DDI0608 D6.10.5, D6.10.6), resources as the unit uses them (D7.1 to D7.3), and what
 * ETE has changed against ETMv4 (D16). */
#include "bench.h"

#define SSSTATUS 0x200u /* TRCVICTLR */
#define TA 0x1000u      /* TRCRSR */

/* --- stalling: the PE waits, which is to say that no time passes for it --- */

#define ISTALL 0x100u /* TRCSTALLCTLR */
#define LEVEL_3 0xcu
#define NOOVERFLOW 0x2000u

/* Branches in no time, each with an address: whether that overflows. */
static bool floods(unsigned stall, const char *built, const char *drain)
{
    struct cairn_unit_counters counters = {.size = sizeof(counters)};
    struct bench b;
    char text[256];

    snprintf(text, sizeof(text), "fifo=256 %s %s TRCSTALLCTLR=%u", drain, built, stall);
    bench_begin(&b, text);
    for (unsigned i = 0; i < 300; i++)
        jump(&b, 0x100000 + 0x10010 * (uint64_t)i);
    cairn_unit_disable(b.unit);
    cairn_unit_counters(b.unit, &counters);
    /* proves: R_NVKXX */
    assert_int_equal(counters.blocks, 300);
    if (counters.overflows == 0)
        assert_int_equal(bench_count(bench_trace(&b), "E"), 300);
    bench_end(&b);
    return counters.overflows != 0;
}

static void test_no_overflow(void **state)
{
    (void)state;
    /* proves: R_SCLVV, R_RWTYJ, I_ZRQBK */
    assert_true(floods(0, "", "drain=16"));
    /* proves: R_SCLVV, R_RWTYJ, I_ZRQBK */
    assert_true(floods(LEVEL_3, "", "drain=16"));
    /* proves: R_LCGZJ, R_RWTYJ, I_ZRQBK */
    assert_false(floods(ISTALL | NOOVERFLOW, "", "drain=16"));
    /* proves: R_LCGZJ, R_RWTYJ, I_ZRQBK */
    assert_false(floods(ISTALL | NOOVERFLOW | LEVEL_3, "", "drain=16"));
    /* TRCIDR3 without SYSSTALL: the PE cannot be stalled, and the FIFO overflows. */
    /* proves: R_SCLVV */
    assert_true(floods(ISTALL | NOOVERFLOW, "TRCIDR3=0x857f0004", "drain=16"));
}

/* Nothing ever leaves the FIFO. */
static void test_not_for_ever(void **state)
{
    (void)state;
    (void)floods(ISTALL | NOOVERFLOW, "", "drain=0");
}

/* --- resources --- */

static void test_overflow_and_resources(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    /* A start point at 0x1000, a stop point at 0x2000; input 0 is ETEEvent 0. */
    bench_begin(&b, "fifo=256 drain=16 TRCACVR0=0x1000 TRCACVR1=0x2000 TRCVISSCTLR=0x20001 "
                    "TRCRSCTLR2=1 TRCEVENTCTL0R=2 TRCEVENTCTL1R=1");
    branch(&b, 0x1000, 0x1000, TAKEN);
    for (unsigned i = 0; i < 300; i++)
        jump(&b, 0x100000 + 0x10010 * (uint64_t)i);
    text = bench_trace(&b);
    assert_true(bench_count(text, "E") < 300);
    assert_int_equal(read_register(&b, "TRCVICTLR") & SSSTATUS, SSSTATUS);
    code(&b, 0x2000, 1);
    jump(&b, 0x2004);
    /* proves: R_TMPZZ */
    assert_int_equal(read_register(&b, "TRCVICTLR") & SSSTATUS, 0);
    code(&b, 0x1000, 1);
    /* proves: R_TMPZZ */
    assert_int_equal(read_register(&b, "TRCVICTLR") & SSSTATUS, SSSTATUS);
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 1);
    cairn_unit_inputs(b.unit, 0);
    cycles(&b, 100000);
    cycles(&b, 100000);
    branch(&b, 0x1004, 0x1000, TAKEN);
    text = bench_trace(&b);
    /* proves: R_TMPZZ */
    assert_string_equal(text + bench_find(text, "EV0", 0),
                        "EV0 DISCARD OVERFLOW SYNC INFO ON CTX(EL1n) ADDR(1004) E");
    bench_end(&b);
}

/* What is at rest stays as it is, whatever is executed in the Prohibited region. */
static void test_paused(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TRCACVR0=0x1000 TRCACVR1=0x2000 TRCVISSCTLR=0x20001");
    branch(&b, 0x1000, 0x1000, TAKEN);
    cairn_unit_prohibit(b.unit, true);
    code(&b, 0x2000, 1);
    cycles(&b, 1000);
    code(&b, 0x2004, 1);
    /* proves: R_YWQNO */
    assert_int_equal(read_register(&b, "TRCVICTLR") & SSSTATUS, SSSTATUS);
    /* proves: R_YWQNO */
    assert_int_equal(read_register(&b, "TRCRSR") & TA, TA);
    bench_end(&b);
}

/* The same comparator: at once and to the block in ViewInst, somewhen as an ETEEvent. */
static void test_precise(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, ONLY("0x2000", "0x2003") "TRCRSCTLR2=0x50001 TRCEVENTCTL0R=2 TRCEVENTCTL1R=1");
    branch(&b, 0x1000, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x3000, TAKEN);
    cycles(&b, 1);
    branch(&b, 0x3000, 0x1000, TAKEN);
    cycles(&b, 4);
    text = bench_trace(&b);
    /* proves: I_NJLRF */
    assert_true(bench_count(text, "ADDR(2000)") == 1 && bench_count(text, "ADDR") == 1);
    /* proves: I_NJLRF */
    assert_int_equal(bench_count(text, "EV0"), 1);
    bench_end(&b);
}

/* --- against ETMv4 --- */

/* TRCRSR.TA as software has left it decides about an exception before the first instruction. */
static void test_first_exception(void **state)
{
    (void)state;
    for (unsigned traced = 0; traced < 2; traced++) {
        struct bench b;
        char text[32];

        snprintf(text, sizeof(text), "TRCRSR=%u", traced ? TA : 0);
        bench_begin(&b, text);
        exception(&b, CAIRN_EXCEPTION_IRQ, 0x1000);
        /* proves: D16.18, D16.34 */
        assert_int_equal(bench_count(bench_trace(&b), "EXC(IRQ,1000)"), traced);
        bench_end(&b);

        bench_begin(&b, text);
        cairn_unit_prohibit(b.unit, true);
        branch(&b, 0x8000, 0x9000, TAKEN);
        cairn_unit_prohibit(b.unit, false);
        exception(&b, CAIRN_EXCEPTION_IRQ, 0x1000);
        /* proves: D16.18, D16.34 */
        assert_int_equal(bench_count(bench_trace(&b), "EXC(IRQ,1000)"), traced);
        bench_end(&b);
    }
}

static void test_changes(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "");
    tstart(&b, 0x1000);
    code(&b, 0x1004, 1);
    branch(&b, 0x1008, 0x1010, TAKEN);
    tcommit(&b, 0x1010);
    tstart(&b, 0x1014);
    branch(&b, 0x1018, 0x1020, TAKEN);
    cairn_unit_transaction_fail(b.unit);
    branch(&b, 0x1018, 0x1020, NOT_TAKEN);
    text = bench_trace(&b);
    /* proves: D16.28 */
    assert_true(bench_count(text, "START") == 2 && bench_count(text, "TCOMMIT") == 1 &&
                bench_count(text, "FAIL") == 1);
    bench_end(&b);

    /* A block with a start and a stop point obeys their order. */
    bench_begin(&b, "TRCVICTLR=1 TRCACVR0=0x1000 TRCACVR1=0x1004 TRCVISSCTLR=0x20001");
    code(&b, 0x0ffc, 4);
    branch(&b, 0x100c, 0x2000, TAKEN);
    cairn_unit_disable(b.unit);
    /* proves: D16.29 */
    assert_int_equal(bench_count(bench_trace(&b), "ADDR(ffc)"), 1);
    /* proves: D16.29 */
    assert_int_equal(read_register(&b, "TRCVICTLR") & SSSTATUS, 0);
    bench_end(&b);
}

/* The virtual context identifier is CONTEXTIDR_EL2, of 32 bits: TRCIDR2.VMIDSIZE and VMIDOPT say
 * so. */
static void test_virtual_context(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "VMID");
    b.context.vmid = 0x12345678;
    cairn_unit_context(b.unit, &b.context);
    branch(&b, 0x1000, 0x2000, TAKEN);
    /* proves: D16.09 */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,vmid=305419896) ADDR(1000) E");
    /* proves: D16.09 */
    assert_int_equal(read_register(&b, "TRCIDR2") >> 29 & 3, 2);
    assert_int_equal(read_register(&b, "TRCIDR2") >> 10 & 0x1f, 4);
    bench_end(&b);
}

static void test_count_after_overflow(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "CCI THRESHOLD=4 fifo=256 drain=16");
    for (unsigned i = 0; i < 200; i++) {
        cycles(&b, 4);
        jump(&b, 0x100000 + 0x10010 * (uint64_t)i);
    }
    for (unsigned i = 0; i < 3; i++) {
        cycles(&b, 100000);
        branch(&b, 0x900000, 0x900000, TAKEN);
    }
    text = bench_trace(&b);
    text = strstr(text, "OVERFLOW");
    assert_non_null(text);
    text = strstr(text, "CC(");
    assert_non_null(text);
    /* proves: D16.46 */
    assert_memory_equal(text, "CC(?)", 5);
    bench_end(&b);
}

/* A System Error right behind a Prohibited region, forced: it names nothing of the region. */
static void test_forced_behind_region(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "TRCVICTLR=0xa01 TRCRSR=0");
    cairn_unit_prohibit(b.unit, true);
    branch(&b, 0xabc000, 0xabd000, TAKEN);
    exception(&b, CAIRN_EXCEPTION_SYSTEM_ERROR, 0xabd000);
    /* proves: D16.33 */
    assert_trace(&b, "");
    cairn_unit_prohibit(b.unit, false);
    exception(&b, CAIRN_EXCEPTION_SYSTEM_ERROR, 0x1000);
    text = bench_trace(&b);
    assert_true(strstr(text, "EXC(System_Error,1000)") != NULL);
    /* proves: D16.33 */
    assert_null(strstr(text, "ab"));
    bench_end(&b);
}

/* Start points that are speculative when the unit is disabled did occur or did not; nothing
 * between. */
static void test_speculative_start(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "MAXSPEC=8 TRCVICTLR=1 TRCACVR0=0x1000 TRCACVR1=0x2000 TRCVISSCTLR=0x20001");
    speculate(&b);
    code(&b, 0x1000, 1); /* start */
    branch(&b, 0x1004, 0x2000, TAKEN);
    code(&b, 0x2000, 1); /* stop */
    code(&b, 0x2004, 1);
    cairn_unit_disable(b.unit);
    /* Both did, or neither: inactive. */
    /* proves: D16.45 */
    assert_int_equal(read_register(&b, "TRCVICTLR") & SSSTATUS, 0);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_overflow),
        cmocka_unit_test(test_not_for_ever),
        cmocka_unit_test(test_overflow_and_resources),
        cmocka_unit_test(test_paused),
        cmocka_unit_test(test_precise),
        cmocka_unit_test(test_first_exception),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_virtual_context),
        cmocka_unit_test(test_count_after_overflow),
        cmocka_unit_test(test_forced_behind_region),
        cmocka_unit_test(test_speculative_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
