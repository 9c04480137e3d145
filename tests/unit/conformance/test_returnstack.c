/* SPDX-License-Identifier: BSD-2-Clause */
/* Return stack address matching: DDI0608 D6.11.4. What is not in the trace was matched: each test
 * goes on behind the return, so that a missing address is a missing ADDR before the next Atom. */
#include "bench.h"

static void begin_aarch32(struct bench *b, const char *text, enum cairn_isa isa)
{
    bench_begin(b, text);
    b->isa = isa;
    b->context.SF = 0;
    cairn_unit_context(b->unit, &b->context);
}

#define BEGIN32(address) "SYNC INFO ON CTX(EL1n,32) ADDR(" address ")"

static void test_push_and_pop(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "RS");
    call(&b, 0x1000, 0x2000);
    ret(&b, 0x2000);
    branch(&b, 0x1004, 0x1000, NOT_TAKEN);
    /* proves: R_HFCTC, R_QHSEB, R_HTKJS */
    assert_trace(&b, BEGIN("1000") " E E N");
    jump(&b, 0x1008); /* the entry is gone: the same address again is told */
    branch(&b, 0x1004, 0x1000, NOT_TAKEN);
    /* proves: R_HTKJS */
    assert_trace(&b, "E ADDR(1004) N");
    bench_end(&b);

    begin_aarch32(&b, "RS", CAIRN_ISA_T32);
    call_register(&b, 0x1000); /* BLX Rm: 2 bytes */
    ret(&b, 0x2000);
    branch(&b, 0x1002, 0x3000, NOT_TAKEN);
    /* proves: R_HFCTC */
    assert_trace(&b, BEGIN32("1000t") " E ADDR(2000t) E N");
    bench_end(&b);

    bench_begin(&b, "RS=0");
    call(&b, 0x1000, 0x2000);
    ret(&b, 0x2000);
    branch(&b, 0x1004, 0x1000, NOT_TAKEN);
    /* proves: R_HFCTC */
    assert_trace(&b, BEGIN("1000") " E E ADDR(1004) N");
    bench_end(&b);
}

static void test_untraced_call(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "RS " ONLY("0x2000", "0x2fff"));
    jump(&b, 0x2000);
    call(&b, 0x3000, 0x2010); /* not traced: no push */
    jump(&b, 0x2010);
    branch(&b, 0x2020, 0x2000, NOT_TAKEN);
    /* proves: R_HFCTC */
    assert_trace(&b, BEGIN("2000") " E ON ADDR(2010) E ADDR(2020) N");
    bench_end(&b);
}

static void test_nested_calls(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "RS");
    call(&b, 0x1000, 0x2000);
    call(&b, 0x2000, 0x3000);
    call(&b, 0x3000, 0x4000);
    ret(&b, 0x4000);
    ret(&b, 0x3004);
    ret(&b, 0x2004);
    branch(&b, 0x1004, 0x1000, NOT_TAKEN);
    /* proves: R_ZKTHK, R_HTKJS */
    assert_trace(&b, BEGIN("1000") " E E E E E E N");
    bench_end(&b);
}

static void test_full_stack(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "RS depth=3");
    call(&b, 0x1000, 0x2000);
    call(&b, 0x2000, 0x3000);
    call(&b, 0x3000, 0x4000);
    call(&b, 0x4000, 0x5000);
    ret(&b, 0x5000);
    ret(&b, 0x4004);
    ret(&b, 0x3004);
    ret(&b, 0x2004);
    branch(&b, 0x1004, 0x1000, NOT_TAKEN);
    /* proves: R_ZSVDQ */
    assert_trace(&b, BEGIN("1000") " E E E E E E E E ADDR(1004) N");
    bench_end(&b);

    /* No entry at all: the unit drops what it likes, and then tells. */
    bench_begin(&b, "RS depth=0");
    call(&b, 0x1000, 0x2000);
    ret(&b, 0x2000);
    branch(&b, 0x1004, 0x1000, NOT_TAKEN);
    /* proves: I_XRQHQ */
    assert_trace(&b, BEGIN("1000") " E E ADDR(1004) N");
    bench_end(&b);
}

/* BLEQ: taken at first, corrected to not taken; the entry stays. */
static void test_mispredicted_call(void **state)
{
    struct bench b;

    (void)state;
    begin_aarch32(&b, "RS MAXSPEC=8", CAIRN_ISA_A32);
    speculate(&b);
    step(&b, 0x1000, 4, CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_LINK | CAIRN_INSN_CONDITIONAL, 0x2000,
         TAKEN);
    mispredict(&b);
    branch(&b, 0x1004, 0x2000, TAKEN);
    ret(&b, 0x2000); /* to what was pushed */
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    /* proves: R_FFXPW */
    assert_trace(&b, BEGIN32("1000") " E MISP E E N");
    bench_end(&b);

    begin_aarch32(&b, "RS MAXSPEC=8", CAIRN_ISA_A32);
    speculate(&b);
    step(&b, 0x1000, 4, CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_LINK | CAIRN_INSN_CONDITIONAL, 0x2000,
         NOT_TAKEN);
    mispredict(&b);
    ret(&b, 0x2000);
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    /* proves: R_NYHFH */
    assert_trace(&b, BEGIN32("1000") " N MISP E ADDR(1004) N");
    bench_end(&b);
}

static void test_q(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "RS QSUPP=3 QFILT QE=3 q=1 TRCACVR0=0x2000 TRCACVR1=0x2fff TRCQCTLR=0x101");
    jump(&b, 0x1000);
    call(&b, 0x2000, 0x4000); /* in the region: a Q element */
    ret(&b, 0x4000);
    branch(&b, 0x2004, 0x5000, TAKEN);
    branch(&b, 0x5000, 0x6000, NOT_TAKEN);
    /* proves: R_GVLKJ */
    assert_trace(&b, BEGIN("1000") " E ADDR(2000) Q(1) ADDR(4000) E ADDR(2004) Q(1) ADDR(5000) N");
    bench_end(&b);

    bench_begin(&b, "RS QSUPP=3 QFILT QE=3 q=1 TRCACVR0=0x2000 TRCACVR1=0x2fff TRCQCTLR=0x101");
    call(&b, 0x1000, 0x4000);
    branch(&b, 0x4000, 0x2000, TAKEN);
    ret(&b, 0x2000); /* in the region, and where the stack says: told, and not popped */
    branch(&b, 0x1004, 0x4004, TAKEN);
    ret(&b, 0x4004);
    branch(&b, 0x1004, 0x4004, NOT_TAKEN);
    /* proves: R_WBCJG */
    assert_trace(&b, BEGIN("1000") " E E Q(1) ADDR(1004) E E N");
    bench_end(&b);
}

static void test_broadcast_region(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "RS BB TRCACVR0=0x1000 TRCACVR1=0x1fff TRCBBCTLR=0x101");
    call(&b, 0x1000, 0x2000);
    ret(&b, 0x2000);
    branch(&b, 0x1004, 0x3000, NOT_TAKEN);
    /* proves: R_WRXCW */
    assert_trace(&b, BEGIN("1000") " E ADDR(2000) E ADDR(1004) N");
    branch(&b, 0x1008, 0x3000, TAKEN);
    call(&b, 0x3000, 0x1000);
    branch(&b, 0x1000, 0x2000, TAKEN); /* the region was entered: nothing is on the stack */
    ret(&b, 0x2000);
    branch(&b, 0x3004, 0x4000, NOT_TAKEN);
    /* proves: R_SBZJB */
    assert_trace(&b, "E ADDR(3000) E E ADDR(2000) E ADDR(3004) N");
    bench_end(&b);
}

static void test_instruction_set(void **state)
{
    struct bench b;

    (void)state;
    begin_aarch32(&b, "RS", CAIRN_ISA_T32);
    call(&b, 0x1000, 0x2000);
    ret(&b, 0x2000); /* BX LR with bit 0 clear */
    b.isa = CAIRN_ISA_A32;
    branch(&b, 0x1004, 0x3000, NOT_TAKEN);
    /* proves: R_QHSEB */
    assert_trace(&b, BEGIN32("1000t") " E E ADDR(1004) N");
    bench_end(&b);
}

static void test_wrong_target_then_top(void **state)
{
    struct bench b;
    uint64_t before;

    (void)state;
    bench_begin(&b, "RS MAXSPEC=16");
    speculate(&b);
    call(&b, 0x1000, 0x2000);
    ret(&b, 0x2000);
    before = mark(&b);
    branch(&b, 0x5000, 0x6000, TAKEN);
    cancel(&b, before);
    branch(&b, 0x1004, 0x2000, TAKEN);
    /* proves: I_BCWSQ, R_YMRGB */
    assert_trace(&b, BEGIN("1000") " E E ADDR(5000) E CANCEL(1) ADDR(1004) E");
    ret(&b, 0x2000); /* the entry is still there */
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    /* proves: R_YMRGB */
    assert_trace(&b, "E N");
    bench_end(&b);
}

static void test_top_then_right_target(void **state)
{
    struct bench b;
    uint64_t before;

    (void)state;
    bench_begin(&b, "RS MAXSPEC=16");
    speculate(&b);
    call(&b, 0x1000, 0x2000);
    ret(&b, 0x2000);
    before = mark(&b);
    branch(&b, 0x1004, 0x6000, TAKEN); /* what the PE predicted */
    cancel(&b, before);
    branch(&b, 0x5000, 0x2000, TAKEN);
    /* proves: R_GBHNP */
    assert_trace(&b, BEGIN("1000") " E E E CANCEL(1) ADDR(5000) E");
    ret(&b, 0x2000);
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    /* proves: R_GBHNP */
    assert_trace(&b, "E N");
    bench_end(&b);
}

/* BXEQ LR: the final status decides. */
static void test_final_status(void **state)
{
    struct bench b;

    (void)state;
    begin_aarch32(&b, "RS MAXSPEC=16", CAIRN_ISA_A32);
    speculate(&b);
    call(&b, 0x1000, 0x2000);
    step(&b, 0x2000, 4, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_CONDITIONAL, 0, NOT_TAKEN);
    mispredict(&b);
    branch(&b, 0x1004, 0x2000, TAKEN);
    /* proves: R_ZCCBS */
    assert_trace(&b, BEGIN32("1000") " E N MISP E");
    bench_end(&b);

    begin_aarch32(&b, "RS MAXSPEC=16", CAIRN_ISA_A32);
    speculate(&b);
    call(&b, 0x1000, 0x2000);
    step(&b, 0x2000, 4, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_CONDITIONAL, 0, TAKEN);
    mispredict(&b);
    ret(&b, 0x2004);
    branch(&b, 0x1004, 0x2000, TAKEN);
    /* proves: R_ZCCBS */
    assert_trace(&b, BEGIN32("1000") " E E MISP E E");
    bench_end(&b);
}

static void test_link_and_indirect(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "RS");
    call_register(&b, 0x1000); /* BLR to the instruction behind it */
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    /* proves: R_SLDXR */
    assert_trace(&b, BEGIN("1000") " E N");
    bench_end(&b);
}

static void test_emptied(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "RS");
    call(&b, 0x1000, 0x2000);
    cairn_unit_request_sync(b.unit);
    branch(&b, 0x2000, 0x3000, NOT_TAKEN);
    ret(&b, 0x2004);
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    /* proves: R_SBZJB */
    assert_trace(&b, BEGIN("1000") " E SYNC INFO CTX(EL1n) ADDR(2000) N E ADDR(1004) N");
    bench_end(&b);

    bench_begin(&b, "RS " ONLY("0x1000", "0x2fff"));
    call(&b, 0x1000, 0x2000);
    branch(&b, 0x2000, 0x8000, TAKEN);
    branch(&b, 0x8000, 0x2004, TAKEN); /* not traced */
    ret(&b, 0x2004);
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    /* proves: R_SBZJB */
    assert_trace(&b, BEGIN("1000") " E E ON ADDR(2004) E ADDR(1004) N");
    bench_end(&b);
}

/* A call that stands between a Trace Info and its address and context is not on the stack. */
static void test_call_behind_trace_info(void **state)
{
    struct bench b;
    const char *text, *info;
    size_t synchronized, address, context, atom;

    (void)state;
    bench_begin(&b, "RS");
    branch(&b, 0x1000, 0x2000, TAKEN);
    (void)bench_trace(&b);
    cairn_unit_request_sync(b.unit);
    call(&b, 0x2000, 0x3000);
    ret(&b, 0x3000);
    branch(&b, 0x2004, 0x3000, NOT_TAKEN);
    text = bench_trace(&b);
    info = text + bench_find(text, "INFO", 0);
    address = bench_find(info, "ADDR(2000)", 0);
    context = bench_find(info, "CTX", 0);
    synchronized = address > context ? address : context;
    atom = bench_find(info, "E", 0);
    assert_int_equal(bench_count(text, "INFO"), 1);
    assert_true(atom < strlen(info));
    /* Either both stand in front of the call, which then is on the stack, or the return has its address. */
    /* proves: R_GZSSX */
    assert_true(synchronized < atom || bench_find(info, "ADDR(2004)", atom) < strlen(info));
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push_and_pop),
        cmocka_unit_test(test_untraced_call),
        cmocka_unit_test(test_nested_calls),
        cmocka_unit_test(test_full_stack),
        cmocka_unit_test(test_mispredicted_call),
        cmocka_unit_test(test_q),
        cmocka_unit_test(test_broadcast_region),
        cmocka_unit_test(test_instruction_set),
        cmocka_unit_test(test_wrong_target_then_top),
        cmocka_unit_test(test_top_then_right_target),
        cmocka_unit_test(test_final_status),
        cmocka_unit_test(test_link_and_indirect),
        cmocka_unit_test(test_emptied),
        cmocka_unit_test(test_call_behind_trace_info),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
