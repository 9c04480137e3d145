/* SPDX-License-Identifier: BSD-2-Clause */
/* What a feed, a program of registers or a sink may do that nobody means to. */
#include "conformance/bench.h"

#include <stdlib.h>

/* --- exceptions --- */

static void trace_type(struct bench *b, const char *unit, unsigned type)
{
    bench_begin(b, unit);
    branch(b, 0x1000, 0x2000, TAKEN);
    exception(b, type, 0x2000);
    branch(b, 0x4000, 0x3000, TAKEN);
}

/* Numbers that are no type of exception are never a packet of another meaning, or of none (Table
 * D2.1, D2.2; 0x18 is how an Exception packet says Transaction Failure, D5.24). */
static void reserved_types(void **unused)
{
    static const unsigned types[] = {0x05, 0x08, 0x09, 0x0d, 0x18,       0x19,
                                     0x1f, 0x20, 0x2e, 0x38, 0x00010000, UINT32_MAX};
    struct bench b;

    (void)unused;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *trace;

        trace_type(&b, "", types[i]);
        trace = bench_trace(&b);
        assert_null(strstr(trace, "Reserved"));
        assert_null(strstr(trace, "BROKEN"));
        assert_null(strstr(trace, "FAIL"));
        assert_null(strstr(trace, "PE_Reset"));
        assert_null(strstr(trace, "EXC(IRQ"));
        assert_true(bench_order(trace, "E", "ADDR(4000)", "E", NULL));
        bench_end(&b);
    }
}

static void reserved_types_of_etmv4(void **unused)
{
    static const unsigned types[] = {0x05, 0x0d, 0x18, 0x20, 0x38, 0x400, 0x40e, UINT32_MAX};
    struct bench b;

    (void)unused;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *trace;

        trace_type(&b, "etmv4", types[i]);
        trace = bench_trace(&b);
        assert_null(strstr(trace, "Reserved"));
        assert_null(strstr(trace, "PE_Reset"));
        assert_null(strstr(trace, "EXC(IRQ"));
        assert_true(bench_order(trace, "E", "ADDR(4000)", "E", NULL));
        bench_end(&b);
    }
}

/* Whoever does not know the instruction set may know all 64 bits of the address. */
static void unknown_isa(void **unused)
{
    struct bench b;

    (void)unused;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0xffff000012345678, TAKEN);
    cairn_unit_exception(b.unit, CAIRN_EXCEPTION_IRQ, 0xffff000012345678, CAIRN_ISA_UNKNOWN);
    /* I_JLZPY: where the exception was taken from */
    assert_non_null(strstr(bench_trace(&b), "EXC(IRQ,ffff000012345678)"));
    bench_end(&b);
}

/* --- Q elements --- */

static void loop(struct bench *b, uint32_t count)
{
    const struct cairn_block block = {
        .address = 0x1000,
        .target = 0x1000,
        .size = 4,
        .count = count,
        .isa = CAIRN_ISA_A64,
        .kind = CAIRN_INSN_BRANCH_DIRECT,
        .last_size = 4,
        .target_isa = CAIRN_ISA_A64,
    };

    cairn_unit_execute(b->unit, &block, true);
}

/* No limit but that of a number of 32 bits: the counts do not wrap (I_XPNWS). */
static void long_q(void **unused)
{
    const uint64_t told = UINT64_C(5) << 31;
    struct bench b;
    uint64_t counted = 0;

    (void)unused;
    bench_begin(&b, "QE=3 q=0xffffffff TRCQCTLR=0");
    for (unsigned i = 0; i < 5; i++)
        loop(&b, UINT32_C(1) << 31);
    cairn_unit_flush(b.unit);
    for (const char *at = bench_trace(&b); (at = strstr(at, "Q(")) != NULL; at += 2)
        counted += strtoull(at + 2, NULL, 10);
    assert_int_equal(counted, told);
    bench_end(&b);
}

/* Nor does the number of those that cannot be in a Q element, for they ran in another context. */
static void long_q_of_two_contexts(void **unused)
{
    struct bench b;

    (void)unused;
    bench_begin(&b, "QE=3 q=0xffffffff TRCQCTLR=0 CID");
    branch(&b, 0x1000, 0x1000, TAKEN);
    cairn_unit_flush(b.unit);
    code(&b, 0x1000, 3);
    context_id(&b, 5);
    code(&b, 0x100c, 1);
    branch(&b, 0x1010, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x2000, TAKEN);
    cairn_unit_flush(b.unit);
    /* I_BTNZC: none has instructions of both */
    assert_trace(&b, BEGIN("1000") " Q(1) CTX(EL1n,cid=5) ADDR(1000) E Q(1) ADDR(2000)");
    bench_end(&b);
}

/* A block of no instructions is not allowed; that it was there is told nevertheless. */
static void empty_block_in_q(void **unused)
{
    struct bench b;
    const char *trace;

    (void)unused;
    bench_begin(&b, "QE=3 q=8 TRCQCTLR=0");
    loop(&b, 0);
    cairn_unit_flush(b.unit);
    trace = bench_trace(&b);
    assert_int_equal(bench_count(trace, "E") + bench_count(trace, "Q("), 1);
    bench_end(&b);
}

/* TRCIDR0.QSUPP 2: the unit was built without Q elements that have a count (docs/trace.md). */
static void q_without_count(void **unused)
{
    struct bench b;

    (void)unused;
    bench_begin(&b, "QSUPP=2 QE=3 q=8 TRCQCTLR=0");
    branch(&b, 0x1000, 0x1000, TAKEN);
    branch(&b, 0x1000, 0x1000, TAKEN);
    cairn_unit_flush(b.unit);
    assert_null(strstr(bench_trace(&b), "Q(2)"));
    bench_end(&b);
}

/* --- registers, sinks --- */

/* Programs are often copied from units that were running. */
static void enabled_by_program(void **unused)
{
    struct bench b;

    (void)unused;
    bench_open(&b, "TRCPRGCTLR=1");
    assert_int_equal(read_register(&b, "TRCPRGCTLR"), 0);
    cairn_unit_enable(b.unit);
    assert_int_equal(read_register(&b, "TRCPRGCTLR"), 1);
    bench_end(&b);
}

struct vessel {
    size_t room, got;
};

static cairn_status fill(void *context, const uint8_t *bytes, size_t size)
{
    struct vessel *vessel = context;

    (void)bytes;
    if (size > vessel->room - vessel->got)
        return CAIRN_E_IO;
    vessel->got += size;
    return CAIRN_OK;
}

/* Bytes that no sink took are at no place in anything. */
static void position_behind_a_failure(void **unused)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct vessel vessel = {.room = 60};
    struct cairn_unit *unit;
    uint64_t position;
    struct cairn_block block = {
        .size = 4,
        .count = 1,
        .isa = CAIRN_ISA_A64,
        .kind = CAIRN_INSN_BRANCH_INDIRECT,
        .last_size = 4,
    };

    (void)unused;
    options.arch = cairn_arch_any_a();
    options.sink = fill;
    options.sink_context = &vessel;
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    cairn_unit_enable(unit);
    for (unsigned i = 1; i < 100; i++) {
        block.address = 0x1000 * i;
        cairn_unit_execute(unit, &block, true);
        position = cairn_unit_position(unit);
        assert_int_equal(position, vessel.got);
    }
    assert_true(vessel.got > 0);
    assert_int_equal(cairn_unit_status(unit), CAIRN_E_IO);
    cairn_unit_free(unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reserved_types),
        cmocka_unit_test(reserved_types_of_etmv4),
        cmocka_unit_test(unknown_isa),
        cmocka_unit_test(long_q),
        cmocka_unit_test(long_q_of_two_contexts),
        cmocka_unit_test(empty_block_in_q),
        cmocka_unit_test(q_without_count),
        cmocka_unit_test(enabled_by_program),
        cmocka_unit_test(position_behind_a_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
