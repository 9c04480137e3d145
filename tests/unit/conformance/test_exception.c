/* SPDX-License-Identifier: BSD-2-Clause */
/* Exception elements, TRCRSR.TA, PE Reset: DDI0608 D2.2.2, D3.5, D6.6.3, D6.8.5, D6.9.3. */
#include "bench.h"

static const struct {
    unsigned type;
    const char *name;
} architectural[] = {
    {CAIRN_EXCEPTION_IRQ, "IRQ"},
    {CAIRN_EXCEPTION_FIQ, "FIQ"},
    {CAIRN_EXCEPTION_TRAP, "Trap"},
    {CAIRN_EXCEPTION_CALL, "Call"},
    {CAIRN_EXCEPTION_INST_FAULT, "Inst_Fault"},
    {CAIRN_EXCEPTION_DATA_FAULT, "Data_Fault"},
    {CAIRN_EXCEPTION_INST_DEBUG, "Inst_debug"},
    {CAIRN_EXCEPTION_DATA_DEBUG, "Data_debug"},
    {CAIRN_EXCEPTION_ALIGNMENT, "Alignment"},
    {CAIRN_EXCEPTION_SYSTEM_ERROR, "System_Error"},
    {CAIRN_EXCEPTION_DEBUG_HALT, "Debug_halt"},
};

/* Each type with its five bits, and the address that the feed gives: by Table D2.1 where execution
 * goes on, or the instruction that was not executed. */
static void test_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(architectural) / sizeof *architectural; i++) {
        struct bench b;
        char expected[128], info[16];

        bench_begin(&b, "");
        code(&b, 0x1000, 2);
        exception(&b, architectural[i].type, 0x1008);
        snprintf(expected, sizeof(expected), BEGIN("1000") " EXC(%s,1008)", architectural[i].name);
        /* proves: R_SFYMW, R_QHRVX, R_MKPFJ */
        assert_trace(&b, expected);
        snprintf(info, sizeof(info), "06 %02x", architectural[i].type * 2 + 1); /* E = 01 */
        /* proves: R_PZRF */
        assert_true(bench_has_bytes(&b, info));
        bench_end(&b);
    }
}

static void test_implementation_defined(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    code(&b, 0x1000, 1);
    exception(&b, CAIRN_EXCEPTION_IMPLEMENTATION_DEFINED + 3, 0x1004);
    code(&b, 0x1004, 1);
    branch(&b, 0x1008, 0x1000, TAKEN);
    /* Execution goes on there: an address behind it may be left out, or told. */
    /* proves: R_ZVYQW, R_MKPFJ */
    assert_true(strncmp(bench_trace(&b), BEGIN("1000") " EXC(IMPLEMENTATION_DEFINED_3,1004)",
                        strlen(BEGIN("1000") " EXC(IMPLEMENTATION_DEFINED_3,1004)")) == 0);
    bench_end(&b);
}

/* Behind the last executed instruction. */
static void test_implementation_defined_address(void **state)
{
    (void)state;
    for (unsigned i = 1; i < 4; i++) {
        struct bench b;
        char expected[96];

        bench_begin(&b, "");
        code(&b, 0x1000, i);
        exception(&b, CAIRN_EXCEPTION_IMPLEMENTATION_DEFINED + 7, 0x1000 + 4 * i);
        snprintf(expected, sizeof(expected), BEGIN("1000") " EXC(IMPLEMENTATION_DEFINED_7,%x)",
                 0x1000 + 4 * i);
        /* proves: I_DFLDJ */
        assert_trace(&b, expected);
        bench_end(&b);
    }
}

/* The address is what the PE wrote to ELR or DLR, not what the unit would think. */
static void test_imprecise(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    code(&b, 0x1000, 2);
    exception(&b, CAIRN_EXCEPTION_SYSTEM_ERROR, 0x1010);
    branch(&b, 0x8000, 0x1000, TAKEN);
    /* proves: R_GFJZF */
    assert_trace(&b, BEGIN("1000") " EXC(System_Error,1010) ADDR(8000) E");
    code(&b, 0x1000, 2);
    exception(&b, CAIRN_EXCEPTION_DEBUG_HALT, 0x1018);
    cairn_unit_debug_state(b.unit, true);
    /* proves: R_LBLWT */
    assert_trace(&b, "EXC(Debug_halt,1018)");
    bench_end(&b);
}

/* A feed that maps causes as D3.5 says gets its types through unchanged; the ones that AArch32 does
 * not have are not made up by the unit. */
static void test_undefined_p0(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    b.isa = CAIRN_ISA_A32;
    b.context.SF = 0;
    cairn_unit_context(b.unit, &b.context);
    code(&b, 0x1000, 1);
    /* A branch at 0x1004 fails its condition, is UNDEFINED, and traps. */
    exception(&b, CAIRN_EXCEPTION_TRAP, 0x1004);
    branch(&b, 0x8000, 0x1004, TAKEN);
    /* proves: R_TSQGH, I_PZRCT */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,32) ADDR(1000) EXC(Trap,1004) ADDR(8000) E");
    /* The same on a PE that executes it as a NOP. */
    branch(&b, 0x1004, 0x2000, NOT_TAKEN);
    /* proves: I_PZRCT */
    assert_trace(&b, "N");
    bench_end(&b);
}

/* --- addresses in front of exceptions --- */

static void test_at_a_target(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    jump(&b, 0x1000);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x2000);
    exception(&b, CAIRN_EXCEPTION_FIQ, 0x8000);
    branch(&b, 0x9000, 0x1000, TAKEN);
    /* proves: I_PCMYT */
    assert_trace(&b, BEGIN("1000") " E ADDR(2000) EXC(IRQ,2000) ADDR(8000) EXC(FIQ,8000) ADDR(9000)"
                                   " E");
    bench_end(&b);

    bench_begin(&b, "BB TRCBBCTLR=0");
    branch(&b, 0x1000, 0x2000, TAKEN);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x2000);
    /* proves: I_PCMYT */
    assert_trace(&b, BEGIN("1000") " E ADDR(2000) EXC(IRQ,2000)");
    bench_end(&b);

    bench_begin(&b, "RS");
    call(&b, 0x1000, 0x2000);
    ret(&b, 0x2000);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x1004);
    /* proves: I_PCMYT */
    assert_trace(&b, BEGIN("1000") " E E EXC(IRQ,1004)");
    bench_end(&b);
}

/* A return address with the bit that says T32 is that of the instruction all the same. */
static void test_odd_address(void **state)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    b.isa = CAIRN_ISA_T32;
    b.context.SF = 0;
    cairn_unit_context(b.unit, &b.context);
    code(&b, 0x1000, 1);
    cairn_unit_exception(b.unit, CAIRN_EXCEPTION_IRQ, 0x1003, CAIRN_ISA_T32);
    /* proves: R_FSWRC */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,32) ADDR(1000t) EXC(IRQ,1002t)");
    cairn_unit_counters(b.unit, &counters);
    assert_int_equal(counters.discontinuities, 0);
    bench_end(&b);
}

#define INVALID UINT64_C(0x00ab000000002000) /* P is 48: bits 63:48 neither all 0 nor all 1 */

static void test_invalid_addresses(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    jump(&b, 0x1000);
    exception(&b, CAIRN_EXCEPTION_INST_FAULT, INVALID);
    branch(&b, 0x8000, 0x9000, TAKEN);
    /* proves: R_RJCBT */
    assert_trace(&b, BEGIN("1000") " E ADDR(ab000000002000) EXC(Inst_Fault,ab000000002000)"
                                   " ADDR(8000) E");
    /* AUTIA failed: it left an error code in the top bits, BR went there. */
    jump(&b, 0x9000);
    exception(&b, CAIRN_EXCEPTION_INST_FAULT, UINT64_C(0x2000000000003000));
    /* proves: R_HHKGB */
    assert_trace(&b, "E ADDR(2000000000003000) EXC(Inst_Fault,2000000000003000)");
    bench_end(&b);
}

/* --- TRCRSR.TA --- */

static unsigned traced_active(struct bench *b)
{
    return (unsigned)(read_register(b, "TRCRSR") >> 12 & 1);
}

static void test_ta_decides(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, ONLY("0x1000", "0x1fff"));
    code(&b, 0x1000, 1);
    /* proves: R_BFSWZ */
    assert_int_equal(traced_active(&b), 1);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x1004);
    /* proves: R_DPMBQ */
    assert_trace(&b, BEGIN("1000") " EXC(IRQ,1004)");
    /* proves: R_BFSWZ */
    assert_int_equal(traced_active(&b), 1);
    code(&b, 0x8000, 1); /* filtered */
    /* proves: R_MLTTK */
    assert_int_equal(traced_active(&b), 0);
    exception(&b, CAIRN_EXCEPTION_FIQ, 0x8004);
    /* proves: R_MLTTK, R_DPMBQ */
    assert_int_equal(bench_count(bench_trace(&b), "EXC"), 0);
    assert_int_equal(traced_active(&b), 0);
    bench_end(&b);
}

static void test_ta_is_restored(void **state)
{
    struct bench b;
    uint64_t before;

    (void)state;
    bench_begin(&b, "MAXSPEC=8 " ONLY("0x1000", "0x1fff"));
    code(&b, 0x7ffc, 1);
    speculate(&b);
    before = mark(&b);
    branch(&b, 0x8000, 0x1000, TAKEN);
    code(&b, 0x1000, 1);
    assert_int_equal(traced_active(&b), 1);
    cancel(&b, before);
    /* proves: R_CJTJM */
    assert_int_equal(traced_active(&b), 0);
    bench_end(&b);
}

static void test_ta_is_frozen(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    code(&b, 0x1000, 1);
    cairn_unit_prohibit(b.unit, true);
    code(&b, 0x8000, 1);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x8004);
    /* proves: R_BJQDP */
    assert_int_equal(traced_active(&b), 1);
    cairn_unit_prohibit(b.unit, false);
    code(&b, 0x2000, 1);
    exception(&b, CAIRN_EXCEPTION_DEBUG_HALT, 0x2004);
    cairn_unit_debug_state(b.unit, true);
    code(&b, 0x8000, 1);
    /* proves: R_BJQDP */
    assert_int_equal(traced_active(&b), 1);
    bench_end(&b);

    bench_begin(&b, ONLY("0x1000", "0x1fff"));
    code(&b, 0x8000, 1);
    cairn_unit_prohibit(b.unit, true);
    code(&b, 0x1000, 1);
    /* proves: R_BJQDP */
    assert_int_equal(traced_active(&b), 0);
    bench_end(&b);
}

/* An address comparator at the vector, and one where the exception came from. */
static void test_no_comparator_matches(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TRCACVR0=0x1004 TRCVISSCTLR=1 TRCVICTLR=0x1"); /* start point, not started */
    code(&b, 0x1000, 1);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x1004); /* not executed */
    branch(&b, 0x8000, 0x9000, TAKEN);
    /* proves: R_CGVJD */
    assert_trace(&b, "");
    /* proves: R_CGVJD */
    assert_int_equal(read_register(&b, "TRCVICTLR") >> 9 & 1, 0);
    branch(&b, 0x9000, 0x1004, TAKEN);
    branch(&b, 0x1004, 0x2000, TAKEN);
    assert_trace(&b, BEGIN("1004") " E");
    bench_end(&b);
}

/* --- PE Reset --- */

static void reset(struct bench *b)
{
    cairn_unit_exception(b->unit, CAIRN_EXCEPTION_PE_RESET, 0, CAIRN_ISA_A64);
}

static void test_reset(void **state)
{
    struct bench b;
    uint64_t program;

    (void)state;
    bench_begin(&b, "CID VMID");
    b.context.vmid = 9;
    context_id(&b, 7);
    branch(&b, 0x1000, 0x2000, TAKEN);
    program = read_register(&b, "TRCCONFIGR");
    code(&b, 0x2000, 1);
    reset(&b);
    b.context.vmid = 0;
    b.context.context_id = 0; /* what a PE has out of reset */
    level(&b, "EL3s");
    branch(&b, 0, 0x100, TAKEN);
    /* proves: R_MZJTJ, R_HTYGF */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,cid=7,vmid=9) ADDR(1000) E EXC(PE_Reset) CTX(EL3s)"
                     " ADDR(0) E");
    assert_true(bench_has_bytes(&b, "06 01 70") || bench_has_bytes(&b, "06 40 70"));
    /* proves: R_YYHBF */
    assert_int_equal(read_register(&b, "TRCCONFIGR"), program);
    assert_int_equal(read_register(&b, "TRCPRGCTLR"), 1);
    bench_end(&b);
}

/* Where a branch led to is not known when nothing was executed there: the reset has no address. */
static void test_reset_behind_branch(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    jump(&b, 0x1000);
    reset(&b);
    branch(&b, 0, 0x100, TAKEN);
    /* proves: R_MZJTJ */
    assert_trace(&b, BEGIN("1000") " E EXC(PE_Reset) ADDR(0) E");
    bench_end(&b);
}

/* An exception return right behind a branch: in ETMv4 an element of its own follows its Atom, and
 * in each of the two it asks for a timestamp. */
static void test_return_behind_branch(void **state)
{
    static const char *const programs[] = {"etmv4", "etmv4 TS", "", "TS TSMARK=0"};
    static const char *const wanted[] = {"E E ERET", "E E ERET TS(9)", "E E", "E E TS(9)"};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct bench b;

        bench_begin(&b, programs[i]);
        at_time(&b, 5);
        branch(&b, 0x1000, 0x1000, TAKEN);
        (void)bench_trace(&b);
        at_time(&b, 9);
        branch(&b, 0x1000, 0x2000, TAKEN);
        eret(&b, 0x2000);
        /* proves: R_YYWTR */
        assert_trace(&b, wanted[i]);
        bench_end(&b);
    }
}

/* In Debug state: traced if TA is 1 or forced, with a Trace On. */
static void test_reset_in_debug_state(void **state)
{
    (void)state;
    for (unsigned ta = 0; ta < 2; ta++) {
        for (unsigned forced = 0; forced < 2; forced++) {
            struct bench b;
            const char *text;

            bench_begin(&b, forced ? "TRCVICTLR=0x601 " ONLY("0x1000", "0x1fff")
                                   : "TRCVICTLR=0x201 " ONLY("0x1000", "0x1fff"));
            branch(&b, 0x1000, ta ? 0x1100 : 0x8000, TAKEN);
            code(&b, ta ? 0x1100 : 0x8000, 1);
            exception(&b, CAIRN_EXCEPTION_DEBUG_HALT, ta ? 0x1104 : 0x8004);
            cairn_unit_debug_state(b.unit, true);
            (void)bench_trace(&b);
            reset(&b);
            cairn_unit_debug_state(b.unit, false);
            code(&b, 0, 1);
            text = bench_trace(&b);
            /* proves: I_NPQLT */
            assert_int_equal(bench_count(text, "EXC(PE_Reset)"), ta || forced);
            /* proves: I_NPQLT */
            assert_int_equal(bench_count(text, "ON"), ta || forced);
            bench_end(&b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_implementation_defined),
        cmocka_unit_test(test_implementation_defined_address),
        cmocka_unit_test(test_imprecise),
        cmocka_unit_test(test_undefined_p0),
        cmocka_unit_test(test_at_a_target),
        cmocka_unit_test(test_invalid_addresses),
        cmocka_unit_test(test_ta_decides),
        cmocka_unit_test(test_ta_is_restored),
        cmocka_unit_test(test_ta_is_frozen),
        cmocka_unit_test(test_no_comparator_matches),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_reset_behind_branch),
        cmocka_unit_test(test_return_behind_branch),
        cmocka_unit_test(test_reset_in_debug_state),
        cmocka_unit_test(test_odd_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
