/* SPDX-License-Identifier: BSD-2-Clause */
/* Atom and Source Address elements: DDI0608 D6.9.2, D6.9.4, D6.11.2. */
#include "bench.h"

#define OMIT "choices=3 " /* leave N Atoms out, then Source Address; a Commit at each resolve */

static void test_taken_and_not(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x3000, NOT_TAKEN);
    code(&b, 0x2004, 3);
    jump(&b, 0x2010);
    /* proves: R_XCJGD, R_SRYKV */
    assert_trace(&b, BEGIN("1000") " E N E");
    bench_end(&b);
}

static void test_source_address(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, OMIT);
    branch(&b, 0x1000, 0x2000, TAKEN);
    (void)bench_trace(&b);
    branch(&b, 0x2000, 0x5000, NOT_TAKEN);
    code(&b, 0x2004, 1);
    branch(&b, 0x2008, 0x5000, NOT_TAKEN);
    branch(&b, 0x200c, 0x5000, NOT_TAKEN);
    branch(&b, 0x2010, 0x3000, TAKEN);
    /* proves: R_FWCQR, R_TZZRH, R_WVBQW, R_DCHPO */
    assert_trace(&b, "SRC(2010)");
    branch(&b, 0x3000, 0x5000, NOT_TAKEN);
    branch(&b, 0x3004, 0x4000, TAKEN);
    branch(&b, 0x4000, 0x5000, TAKEN);
    cairn_unit_disable(b.unit);
    assert_trace(&b, "SRC(3004) E");
    bench_end(&b);
}

/* With a Source Address the target of an indirect branch is owed like behind an E Atom. */
static void test_source_address_of_indirect(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, OMIT);
    branch(&b, 0x1000, 0x5000, NOT_TAKEN);
    jump(&b, 0x1004);
    branch(&b, 0x3000, 0x4000, TAKEN);
    /* proves: R_XCJGD */
    assert_trace(&b, BEGIN("1000") " SRC(1004) ADDR(3000) E");
    bench_end(&b);
}

static void test_omitted_then_exception(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, OMIT);
    branch(&b, 0x1000, 0x5000, NOT_TAKEN);
    code(&b, 0x1004, 1);
    branch(&b, 0x1008, 0x5000, NOT_TAKEN);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x100c);
    /* proves: R_NZTGO, R_TZZRH, R_SRYKV */
    assert_trace(&b, BEGIN("1000") " EXC(IRQ,100c)");
    bench_end(&b);
}

/* The branch that was left out must be traced whatever the filter says of what follows. */
static void test_omitted_then_filtered(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, OMIT ONLY("0x1000", "0x1003"));
    branch(&b, 0x1000, 0x5000, NOT_TAKEN);
    code(&b, 0x1004, 4);
    exception(&b, CAIRN_EXCEPTION_FIQ, 0x1014);
    text = bench_trace(&b);
    /* Nothing that is traced follows and could imply it, so it is an N Atom after all. */
    assert_string_equal(text, BEGIN("1000") " N");
    bench_end(&b);

    bench_begin(&b, OMIT ONLY("0x1000", "0x1003"));
    branch(&b, 0x1000, 0x5000, NOT_TAKEN);
    code(&b, 0x1004, 4);
    branch(&b, 0x1014, 0x3000, TAKEN);
    text = bench_trace(&b);
    assert_string_equal(text, BEGIN("1000") " N");
    bench_end(&b);
}

static void test_isb(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    b.isa = CAIRN_ISA_T32;
    b.context.SF = 0;
    cairn_unit_context(b.unit, &b.context);
    isb(&b, 0x1000, NOT_TAKEN); /* fails its condition, no synchronization event */
    /* proves: R_LMDZV */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,32) ADDR(1000t) N");
    isb(&b, 0x1004, TAKEN); /* fails its condition, synchronizes all the same: the feed says so */
    /* proves: R_NZPLB */
    assert_trace(&b, "E");
    isb(&b, 0x1008, TAKEN);
    branch(&b, 0x100c, 0x2000, NOT_TAKEN);
    /* proves: R_CPFBS */
    assert_trace(&b, "E N");
    bench_end(&b);
}

/* Executes what cairn_unit_scan makes of one A32 instruction. */
static void scanned(struct bench *b, uint64_t address, uint32_t opcode, int taken)
{
    const uint8_t bytes[4] = {(uint8_t)opcode, (uint8_t)(opcode >> 8), (uint8_t)(opcode >> 16),
                              (uint8_t)(opcode >> 24)};
    struct cairn_block block;

    assert_int_equal(cairn_unit_scan(b->unit, CAIRN_ISA_A32, address, bytes, sizeof(bytes), &block),
                     4);
    cairn_unit_execute(b->unit, &block, taken != 0);
}

#define BEQ 0x0a000000u
#define WFIEQ 0x0320f003u

static void begin_a32(struct bench *b, const char *text)
{
    bench_begin(b, text);
    b->isa = CAIRN_ISA_A32;
    b->context.SF = 0;
    cairn_unit_context(b->unit, &b->context);
}

static void test_failed_condition(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    begin_a32(&b, "WFXMODE=1");
    scanned(&b, 0x1000, BEQ, NOT_TAKEN);
    /* proves: R_YCRVD */
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,32) ADDR(1000) N");
    scanned(&b, 0x1004, WFIEQ, TAKEN);
    /* proves: R_HJHHV */
    assert_trace(&b, "E");
    scanned(&b, 0x1008, WFIEQ, NOT_TAKEN);
    text = bench_trace(&b);
    /* proves: R_BMXDT */
    assert_true(strcmp(text, "E") == 0 || strcmp(text, "N") == 0);
    bench_end(&b);

    begin_a32(&b, "WFXMODE=0");
    scanned(&b, 0x1000, WFIEQ, TAKEN);
    scanned(&b, 0x1004, BEQ, NOT_TAKEN);
    assert_trace(&b, "SYNC INFO ON CTX(EL1n,32) ADDR(1000) N");
    bench_end(&b);
}

static void test_unconditional_as_not_taken(void **state)
{
    struct bench b;
    uint64_t before;

    (void)state;
    bench_begin(&b, "MAXSPEC=8");
    speculate(&b);
    step(&b, 0x1000, 4, CAIRN_INSN_BRANCH_DIRECT, 0, 0x2000, NOT_TAKEN);
    mispredict(&b);
    resolve(&b, mark(&b));
    /* proves: I_BXBNQ, R_RNYNV */
    assert_trace(&b, BEGIN("1000") " N MISP COMMIT(1)");
    before = mark(&b);
    step(&b, 0x2000, 4, CAIRN_INSN_BRANCH_DIRECT, 0, 0x3000, NOT_TAKEN);
    cancel(&b, before);
    branch(&b, 0x2000, 0x3000, TAKEN);
    /* proves: R_RNYNV */
    assert_trace(&b, "N CANCEL(1) E");
    bench_end(&b);
}

/* Runs of Atoms in the fewest packets that D5.40 to D5.46 allow. */
static void test_packing(void **state)
{
    static const struct {
        const char *atoms, *packets;
    } runs[] = {
        {"N", "ATOM_F1"},
        {"EN", "ATOM_F2"},
        {"NEN", "ATOM_F3"},
        {"NEEE", "ATOM_F4"},
        {"NEEEE", "ATOM_F5_1"},
        {"NENEN", "ATOM_F5_2"},
        {"EEEN", "ATOM_F6"},
        {"EEEEEEEEEEEEEEEEEEEEEEEN", "ATOM_F6"},
        {"EEEEEEEEEEEEEEEEEEEEEEEE", "ATOM_F6"},
        {"EEEEEEEEEEEEEEEEEEEEEEEEE", "ATOM_F6 ATOM_F1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(runs) / sizeof *runs; i++) {
        const char *prefix = "ALIGNMENT_SYNC TRACE_INFO TRACE_ON ADDRESS_CONTEXT_32_IS0 ";
        struct bench b;
        const char *packets;
        uint64_t pc = 0x1000;

        bench_begin(&b, "");
        for (const char *c = runs[i].atoms; *c != '\0'; c++) {
            branch(&b, pc, 0x1000, *c == 'E');
            pc = *c == 'E' ? 0x1000 : pc + 4;
        }
        packets = bench_packets(&b);
        assert_memory_equal(packets, prefix, strlen(prefix));
        /* proves: D6.11.2 */
        assert_string_equal(packets + strlen(prefix), runs[i].packets);
        bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken_and_not),
        cmocka_unit_test(test_source_address),
        cmocka_unit_test(test_source_address_of_indirect),
        cmocka_unit_test(test_omitted_then_exception),
        cmocka_unit_test(test_omitted_then_filtered),
        cmocka_unit_test(test_isb),
        cmocka_unit_test(test_failed_condition),
        cmocka_unit_test(test_unconditional_as_not_taken),
        cmocka_unit_test(test_packing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
