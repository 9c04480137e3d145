/* SPDX-License-Identifier: BSD-2-Clause */
/* Context elements: DDI0608 D6.6.1, D6.9.3, D6.9.12, and the examples of D13. */
#include "bench.h"

/* One program; `what` of the PE's state differs. */
static void run_with(char *out, size_t size, char what)
{
    struct bench b;
    uint64_t base = what == 'p' ? 0x9000 : 0x1000;

    bench_begin(&b, "CID VMID");
    if (what == 't') {
        b.isa = CAIRN_ISA_T32;
        b.context.SF = 0;
    }
    b.context.EL = what == 'e' ? 2 : 1;
    b.context.security = what == 's' ? CAIRN_SECURE : CAIRN_NONSECURE;
    b.context.context_id = what == 'c' ? 5 : 0;
    b.context.vmid = what == 'v' ? 7 : 0;
    cairn_unit_context(b.unit, &b.context);
    if (what == 'x')
        cairn_unit_transaction_start(b.unit); /* TxNestingLevel is 1 */
    if (what == 'r')
        cairn_unit_prohibit(b.unit, true); /* TRFCR_ELx, MDCR_EL3.STE */
    code(&b, base, 2);
    branch(&b, base + (what == 't' ? 4 : 8), 0x2000, TAKEN);
    snprintf(out, size, "%s", bench_trace(&b));
    bench_end(&b);
}

static void test_state_per_instruction(void **state)
{
    static const struct {
        char what;
        const char *trace;
    } cases[] = {
        {'-', BEGIN("1000") " E"},
        {'p', BEGIN("9000") " E"},
        {'t', "SYNC INFO ON CTX(EL1n,32) ADDR(1000t) E"},
        {'e', "SYNC INFO ON CTX(EL2n) ADDR(1000) E"},
        {'s', "SYNC INFO ON CTX(EL1s) ADDR(1000) E"},
        {'c', "SYNC INFO ON CTX(EL1n,cid=5) ADDR(1000) E"},
        {'v', "SYNC INFO ON CTX(EL1n,vmid=7) ADDR(1000) E"},
        {'x', BEGIN("1000") " START E"},
        {'r', ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof *cases; i++) {
        char text[256];

        run_with(text, sizeof(text), cases[i].what);
        /* proves: R_YCJXC */
        assert_string_equal(text, cases[i].trace);
    }
}

/* TRFCR_EL1 is written; the feed says that tracing is prohibited when the ISB makes it so. */
static void test_written_and_synchronized(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    code(&b, 0x1000, 1); /* MSR TRFCR_EL1 */
    isb(&b, 0x1004, TAKEN);
    cairn_unit_prohibit(b.unit, true);
    code(&b, 0x1008, 1);
    branch(&b, 0x100c, 0x2000, TAKEN);
    /* proves: R_QCFMC */
    assert_trace(&b, BEGIN("1000") " E");
    bench_end(&b);
}

/* D13.1: MSR CONTEXTIDR, ADD, ISB; then an IRQ. */
static void test_change_then_exception(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "CID");
    cairn_unit_enable(b.unit);
    b.context.context_id = 0xaa;
    level(&b, "EL1n");
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 2);
    isb(&b, 0x2008, TAKEN);
    context_id(&b, 0xbb);
    code(&b, 0x200c, 1);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x2010);
    context_id(&b, 0xcc);
    branch(&b, 0x3000, 0x4000, TAKEN);
    /* proves: D13.1, R_BDFDQ */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,cid=170) ADDR(1000) E E CTX(EL1n,cid=187)"
                     " EXC(IRQ,2010) CTX(EL1n,cid=204) ADDR(3000) E");
    bench_end(&b);
}

/* D13.2: the IRQ directly behind the ISB. */
static void test_exception_behind_isb(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "CID");
    cairn_unit_enable(b.unit);
    b.context.context_id = 0xaa;
    level(&b, "EL1n");
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 2);
    isb(&b, 0x2008, TAKEN);
    context_id(&b, 0xbb);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x200c);
    context_id(&b, 0xcc);
    branch(&b, 0x3000, 0x4000, TAKEN);
    /* proves: D13.2, R_XGXKK */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,cid=170) ADDR(1000) E E CTX(EL1n,cid=187)"
                     " EXC(IRQ,200c) CTX(EL1n,cid=204) ADDR(3000) E");
    bench_end(&b);
}

/* D13.3: the IRQ before the ISB. */
static void test_exception_before_isb(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "CID");
    cairn_unit_enable(b.unit);
    b.context.context_id = 0xaa;
    level(&b, "EL1n");
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 2);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x2008);
    context_id(&b, 0xcc);
    branch(&b, 0x3000, 0x4000, TAKEN);
    /* proves: D13.3, I_WTSTB */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,cid=170) ADDR(1000) E EXC(IRQ,2008)"
                     " CTX(EL1n,cid=204) ADDR(3000) E");
    bench_end(&b);
}

/* The feed tells the written value at once: the handler, at the latest, is traced with it. */
static void test_written_context_behind_exception(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "CID");
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 1);
    context_id(&b, 0xbb);
    code(&b, 0x2004, 1);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x2008);
    branch(&b, 0x3000, 0x4000, TAKEN);
    text = bench_trace(&b);
    assert_int_equal(bench_count(text, "CTX(EL1n,cid=187)"), 1);
    /* proves: I_WTSTB */
    assert_true(bench_order(text, "E", "CTX(EL1n,cid=187)", "E", NULL) &&
                bench_order(text, "EXC(IRQ,2008)", "ADDR(3000)", "E", NULL));
    bench_end(&b);
}

static void test_system_register_write(void **state)
{
    struct bench b;
    const char *text;
    size_t context, second;

    (void)state;
    bench_begin(&b, "CID");
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 1); /* MSR CONTEXTIDR_EL1 */
    context_id(&b, 0xbb);
    code(&b, 0x2004, 1);
    isb(&b, 0x2008, TAKEN);
    branch(&b, 0x200c, 0x3000, NOT_TAKEN); /* the P0 element behind the synchronization event */
    text = bench_trace(&b);
    context = bench_find(text, "CTX(EL1n,cid=187)", 0);
    second = bench_find(text, "E", 0);
    assert_true(second < strlen(text));
    /* proves: R_HXNXF */
    assert_true(second < context && context < bench_find(text, "N", 0));
    bench_end(&b);
}

static void test_changes_and_synchronization(void **state)
{
    struct bench b;
    const char *text;
    uint64_t before;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x2000, TAKEN);
    exception(&b, CAIRN_EXCEPTION_CALL, 0x2000);
    level(&b, "EL2n");
    code(&b, 0x8000, 1);
    eret(&b, 0x8004);
    level(&b, "EL1n");
    branch(&b, 0x2000, 0x3000, TAKEN);
    /* proves: R_BDFDQ */
    assert_trace(&b, BEGIN("1000") " E EXC(Call,2000) CTX(EL2n) ADDR(8000) E CTX(EL1n) ADDR(2000)"
                                   " E");
    cairn_unit_request_sync(b.unit);
    branch(&b, 0x3000, 0x4000, TAKEN);
    /* proves: R_BDFDQ */
    assert_trace(&b, "SYNC INFO CTX(EL1n) ADDR(3000) E");
    bench_end(&b);

    bench_begin(&b, "CID MAXSPEC=8");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    before = mark(&b);
    code(&b, 0x2000, 1);
    context_id(&b, 5); /* written on a path that is not taken */
    branch(&b, 0x2004, 0x3000, TAKEN);
    cancel(&b, before);
    context_id(&b, 0);
    branch(&b, 0x2000, 0x4000, TAKEN);
    /* The Cancel does not take back the Context in front of the Atom. */
    text = bench_trace(&b);
    assert_true(strstr(text, " E CTX(EL1n,cid=5) E CANCEL(1) ") != NULL);
    /* proves: R_BDFDQ */
    assert_true(strstr(text, "CANCEL(1) CTX(EL1n) ") != NULL);
    bench_end(&b);
}

/* TRFCR_EL2.CX forbids the identifier: the feed then tells 0, and 0 must be written, as what a
 * packet leaves out stays as it was. */
static void test_vmid_disallowed(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "VMID");
    b.context.vmid = 7;
    cairn_unit_context(b.unit, &b.context);
    branch(&b, 0x1000, 0x2000, TAKEN);
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,vmid=7) ADDR(1000) E");
    b.context.vmid = 0;
    cairn_unit_context(b.unit, &b.context);
    branch(&b, 0x2000, 0x3000, TAKEN);
    /* proves: R_JNXJT */
    assert_trace(&b, "CTX(EL1n) E");
    bench_end(&b);
}

static void test_context_identifier(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "CID");
    context_id(&b, 0x12345678);
    branch(&b, 0x1000, 0x2000, TAKEN);
    (void)bench_trace(&b);
    /* The information byte: C, Non-secure, AArch64, EL1. */
    /* proves: R_MKKZN */
    assert_true(bench_has_bytes(&b, "b1 78 56 34 12"));
    bench_end(&b);

    /* One that is not traced does not differ from another. */
    bench_begin(&b, "CID=0");
    branch(&b, 0x1000, 0x2000, TAKEN);
    context_id(&b, 0x12345678);
    branch(&b, 0x2000, 0x3000, TAKEN);
    assert_trace(&b, BEGIN("1000") " E E");
    bench_end(&b);
}

static void test_filtered_context(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, ONLY("0x1000", "0x1fff"));
    branch(&b, 0x1000, 0x1100, TAKEN);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x1100);
    level(&b, "EL3s");
    code(&b, 0x8000, 4);
    eret(&b, 0x8010);
    level(&b, "EL1n");
    branch(&b, 0x1100, 0x1200, TAKEN);
    /* proves: I_KTPVJ */
    assert_true(strstr(bench_trace(&b), "CTX(EL3s)") == NULL);
    bench_end(&b);
}

static void test_execution_state(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    eret(&b, 0x1000);
    b.context.SF = 0;
    cairn_unit_context(b.unit, &b.context); /* the same level: only the state differs */
    b.isa = CAIRN_ISA_A32;
    branch(&b, 0x2000, 0x3000, TAKEN);
    /* proves: R_RHDMW */
    assert_trace(&b, BEGIN("1000") " E CTX(EL1n,32) ADDR(2000) E");
    exception(&b, CAIRN_EXCEPTION_TRAP, 0x3000);
    b.context.SF = 1;
    cairn_unit_context(b.unit, &b.context);
    b.isa = CAIRN_ISA_A64;
    branch(&b, 0x8000, 0x9000, TAKEN);
    /* proves: R_RHDMW */
    assert_trace(&b, "EXC(Trap,3000) CTX(EL1n) ADDR(8000) E");
    bench_end(&b);
}

/* What a unit takes the PE for that nobody has told it the context of: cores of ARMv7, and those of
 * the R profile, begin in AArch32 state. */
static void test_context_never_told(void **state)
{
    static const struct cairn_arch archs[] = {{.profile = CAIRN_PROFILE_A, .major = 7},
                                              {.profile = CAIRN_PROFILE_R, .major = 8}};

    (void)state;
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        struct bench b;

        bench_open(&b, "etmv4");
        cairn_unit_free(b.unit);
        cairn_config_unref(b.config);
        b.options.arch = archs[i];
        assert_int_equal(cairn_unit_new(&b.options, &b.unit, NULL), CAIRN_OK);
        b.config = cairn_unit_config(b.unit);
        b.isa = CAIRN_ISA_A32;
        cairn_unit_enable(b.unit);
        branch(&b, 0x1000, 0x2000, TAKEN);
        assert_trace(&b, "SYNC INFO ON CTX(EL0n,32) ADDR(1000) E");
        bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_state_per_instruction),
        cmocka_unit_test(test_written_and_synchronized),
        cmocka_unit_test(test_change_then_exception),
        cmocka_unit_test(test_exception_behind_isb),
        cmocka_unit_test(test_exception_before_isb),
        cmocka_unit_test(test_written_context_behind_exception),
        cmocka_unit_test(test_system_register_write),
        cmocka_unit_test(test_changes_and_synchronization),
        cmocka_unit_test(test_vmid_disallowed),
        cmocka_unit_test(test_context_identifier),
        cmocka_unit_test(test_filtered_context),
        cmocka_unit_test(test_execution_state),
        cmocka_unit_test(test_context_never_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
