/* SPDX-License-Identifier: BSD-2-Clause */
/* Target Address elements: DDI0608 D6.9.13, D6.8.1. */
#include "bench.h"

#include <stdlib.h>

/* Not where the program went, as nothing is traced there; but where tracing begins again. */
static void test_filtered_target(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, ONLY("0x1000", "0x10ff"));
    jump(&b, 0x1000);
    code(&b, 0x5000, 1);
    jump(&b, 0x5004);
    branch(&b, 0x1010, 0x1000, TAKEN);
    /* proves: I_FGSBW */
    assert_trace(&b, BEGIN("1000") " E ON ADDR(1010) E");
    bench_end(&b);
}

static void test_indirect_and_direct(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    jump(&b, 0x1000);
    branch(&b, 0x2000, 0x3000, TAKEN);
    branch(&b, 0x3000, 0x4000, NOT_TAKEN);
    ret(&b, 0x3004);
    /* The first instruction is the target, even if the P0 instruction is far behind it. */
    code(&b, 0x4000, 2);
    code(&b, 0x4008, 2);
    branch(&b, 0x4010, 0x5000, TAKEN);
    /* proves: R_HLRZJ, I_FRTGM, R_ZRYSN */
    assert_trace(&b, BEGIN("1000") " E ADDR(2000) E N E ADDR(4000) E");
    /* An indirect branch that was not taken (A32) goes on behind itself. */
    b.isa = CAIRN_ISA_A32;
    bench_end(&b);
}

static void test_causes(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "BB TRCBBCTLR=0");
    branch(&b, 0x1000, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x3000, NOT_TAKEN);
    branch(&b, 0x2004, 0x3000, TAKEN);
    branch(&b, 0x3000, 0x4000, NOT_TAKEN);
    /* proves: I_FRTGM, R_HLRZJ */
    assert_trace(&b, BEGIN("1000") " E ADDR(2000) N E ADDR(3000) N");
    bench_end(&b);

    bench_begin(&b, "");
    code(&b, 0x1000, 1);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x1004);
    code(&b, 0x8000, 1);
    branch(&b, 0x8004, 0x9000, TAKEN);
    /* proves: I_FRTGM, R_ZRYSN */
    assert_trace(&b, BEGIN("1000") " EXC(IRQ,1004) ADDR(8000) E");
    bench_end(&b);

    bench_begin(&b, "");
    tstart(&b, 0x1000);
    branch(&b, 0x1004, 0x1100, TAKEN);
    cairn_unit_transaction_fail(b.unit);
    branch(&b, 0x1004, 0x1200, TAKEN);
    /* proves: I_FRTGM, R_ZRYSN */
    assert_true(bench_order(bench_trace(&b), "E", "START", "E", "FAIL", "ADDR(1004)", "E", NULL));
    bench_end(&b);
}

/* A transaction fails and what follows is filtered: nothing is owed there. */
static void test_transaction_failure_filtered(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TRCACVR0=0x1004 TRCACVR1=0x10ff TRCVIIECTLR=1");
    cairn_unit_transaction_start(b.unit);
    branch(&b, 0x1004, 0x1100, TAKEN);
    cairn_unit_transaction_fail(b.unit);
    branch(&b, 0x2000, 0x1010, TAKEN);
    branch(&b, 0x1010, 0x1200, TAKEN);
    /* proves: R_ZRYSN */
    assert_true(bench_order(bench_trace(&b), "E", "FAIL", "ON", "ADDR(1010)", "E", NULL));
    bench_end(&b);
}

static void test_after_misspeculation(void **state)
{
    struct bench b;
    uint64_t before;

    (void)state;
    bench_begin(&b, "MAXSPEC=8");
    speculate(&b);
    jump(&b, 0x1000);
    before = mark(&b);
    branch(&b, 0x2000, 0x3000, TAKEN); /* the wrong target */
    cancel(&b, before);
    branch(&b, 0x6000, 0x7000, TAKEN); /* the right one */
    /* proves: I_FRTGM, R_HLRZJ */
    assert_trace(&b, BEGIN("1000") " E ADDR(2000) E CANCEL(1) ADDR(6000) E");
    bench_end(&b);
}

static void test_after_q(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "QSUPP=3 QFILT QE=3 q=8 TRCACVR0=0x2000 TRCACVR1=0x2fff TRCQCTLR=0x101");
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 2);
    branch(&b, 0x2008, 0x3000, TAKEN);
    branch(&b, 0x3000, 0x4000, TAKEN);
    text = bench_trace(&b);
    /* proves: I_FRTGM, R_ZRYSN */
    assert_string_equal(text, BEGIN("1000") " E Q(3) ADDR(3000) E");
    bench_end(&b);
}

/* Bits 63:P neither all zero nor all one. */
static bool is_invalid(uint64_t address, unsigned p)
{
    uint64_t high = address >> p;

    return high != 0 && high != UINT64_MAX >> p;
}

#define INVALID UINT64_C(0x00ff000000001000)

static void test_invalid_address(void **state)
{
    struct bench b;
    const char *text;
    uint64_t traced;

    (void)state;
    bench_begin(&b, "");
    jump(&b, 0x1000);
    exception(&b, CAIRN_EXCEPTION_INST_FAULT, INVALID);
    text = bench_trace(&b);
    assert_int_equal(bench_count(text, "ADDR("), 2);
    traced = strtoull(text + bench_find(text, "ADDR(", bench_find(text, "E", 20)) + 5, NULL, 16);
    /* proves: I_KZXQW */
    assert_true(is_invalid(traced, 48) && is_invalid(traced, 52));
    /* proves: R_VVWR */
    assert_int_equal(traced & 0x0000ffffffffffff, INVALID & 0x0000ffffffffffff);
    assert_string_equal(text + bench_find(text, "EXC", 0), "EXC(Inst_Fault,ff000000001000)");
    bench_end(&b);
}

/* The PC has no tag: bits 63:56 are copies of bit 55, or zero, and are traced as they are. */
static void test_no_tag(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    jump(&b, 0x1000);
    jump(&b, UINT64_C(0xffffff8000002000)); /* a pointer 0xa5ffff80_00002000 with TBI */
    jump(&b, UINT64_C(0x0000007f00003000)); /* a pointer 0x5a00007f_00003000 with TBI */
    exception(&b, CAIRN_EXCEPTION_IRQ, UINT64_C(0xffffff8000002000));
    /* proves: R_SBCPK */
    assert_trace(&b, BEGIN("1000") " E ADDR(ffffff8000002000) E ADDR(7f00003000) E"
                                   " ADDR(ffffff8000002000) EXC(IRQ,ffffff8000002000)");
    bench_end(&b);
}

/* A misaligned PC shows in the address only down to the instruction set's alignment. */
static void test_low_bits(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "watched");
    jump(&b, 0x1000);
    exception(&b, CAIRN_EXCEPTION_ALIGNMENT, 0x2003);
    /* Nor are they in the elements: packets have no room for them. */
    /* proves: R_FSWRC */
    assert_seen(&b, BEGIN("1000") " E ADDR(2000) EXC(Alignment,2000)");
    assert_trace(&b, BEGIN("1000") " E ADDR(2000) EXC(Alignment,2000)");
    branch(&b, 0x8000, 0x9000, TAKEN);
    (void)bench_trace(&b);
    b.isa = CAIRN_ISA_T32;
    b.context.SF = 0;
    cairn_unit_context(b.unit, &b.context);
    exception(&b, CAIRN_EXCEPTION_INST_FAULT, 0x9003);
    /* proves: R_FSWRC */
    assert_true(strstr(bench_trace(&b), "EXC(Inst_Fault,9002t)") != NULL);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filtered_target),
        cmocka_unit_test(test_indirect_and_direct),
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_transaction_failure_filtered),
        cmocka_unit_test(test_after_misspeculation),
        cmocka_unit_test(test_after_q),
        cmocka_unit_test(test_invalid_address),
        cmocka_unit_test(test_no_tag),
        cmocka_unit_test(test_low_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
