/* SPDX-License-Identifier: BSD-2-Clause */
/* TSB CSYNC as a trace unit and a Trace Buffer Unit make it, in a Prohibited region and in Debug state:
 * E1.2.3.1, E1.2.3.2, E1.2.3.4, E1.2.3.6. What the PE itself has to put in order is not here. */
#include "bench.h"

enum { CODE = 0x400000 };

static struct bench b;
static struct cairn_unit *unit;

/* B back to the first, each block a NOP and a branch. */
static void execute(unsigned blocks)
{
    static const uint8_t code[] = {0x1f, 0x20, 0x03, 0xd5, 0xff, 0xff, 0xff, 0x17};
    struct cairn_block block;

    for (unsigned i = 0; i < blocks; i++) {
        assert_int_equal(cairn_unit_scan(unit, CAIRN_ISA_A64, CODE, code, sizeof code, &block), 8);
        cairn_unit_execute(unit, &block, true);
        cairn_unit_cycles(unit, 1);
    }
}

/* Cycle counts, so that every block is bytes; Events of ETEEvent 0; a buffer that takes a byte a cycle. */
static void begin(const struct cairn_pe_trbe_options *options, unsigned TM)
{
    static const struct cairn_register registers[] = {{"TRCCONFIGR", 0x11},
                                                      {"TRCCCCTLR", 4},
                                                      {"TRCEVENTCTL1R", 1},
                                                      {"TRCIDR8", 64}}; /* speculation is traced */
    static const struct cairn_context context = {.EL = 0, .security = CAIRN_NONSECURE, .SF = 1};
    struct cairn_unit_options unit_options = CAIRN_UNIT_OPTIONS_INIT;

    bench_begin(&b, options);
    b.state.EL = 0;
    bench_enable(&b, CIRCULAR, TM, BASE, LIMIT + 0x2000, BASE);
    unit_options.arch = (struct cairn_arch){CAIRN_PROFILE_A, 9, 2, 0};
    unit_options.registers = registers;
    unit_options.register_count = COUNT_OF(registers);
    unit_options.port = cairn_pe_trbe_port;
    unit_options.port_context = &b.trbe;
    unit_options.outputs = cairn_pe_trbe_outputs;
    unit_options.outputs_context = &b.trbe;
    unit_options.fifo_bytes = 4096;
    assert_int_equal(cairn_unit_new(&unit_options, &unit, NULL), CAIRN_OK);
    cairn_unit_context(unit, &context);
}

static void end(void)
{
    assert_int_equal(cairn_unit_status(unit), CAIRN_OK);
    cairn_unit_free(unit);
}

/* The PE goes to that level: what is prohibited there the registers say. */
static void go_to(uint8_t EL)
{
    const struct cairn_pe_view view = cairn_pe_trbe_view(&b.trbe);

    b.state.EL = EL;
    cairn_unit_prohibit(unit, cairn_pe_trace_prohibited(&view));
}

static const struct cairn_pe_trbe_options slow = {
    .rate = 1, .depth = 16, .align = 5, .choices = CAIRN_PE_TRBE_COLLECTS};

/* An exception to EL2, above the owner, then TSB CSYNC: all of before is in memory, the registers say so, and
 * nothing comes and no trigger fires until the region is left. */
static void test_prohibited(void **state)
{
    uint64_t pointer;

    (void)state;
    begin(&slow, STOP);
    cairn_unit_enable(unit);
    execute(50);
    assert_true(cairn_unit_pending_bytes(unit) > 0);
    go_to(2);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    /* proves: R_MRVPT */
    assert_int_equal(cairn_unit_pending_bytes(unit), 0);
    assert_true(cairn_pe_trbe_is_finished(&b.trbe));
    pointer = bench_pointer(&b);
    assert_int_equal(b.stored, pointer - BASE);
    execute(50);
    cairn_unit_event(unit, 0);
    cairn_unit_cycles(unit, 100);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    assert_int_equal(bench_pointer(&b), pointer);
    /* proves: I_ZYZGZ */
    assert_int_equal(bench_status(&b) & TRG, 0);
    go_to(0);
    execute(50);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    assert_true(bench_pointer(&b) > pointer);
    end();
}

/* Behind it the pointer is written: the bytes of before are at the old place, all of them. */
static void test_write_behind(void **state)
{
    uint64_t pointer, stored;

    (void)state;
    begin(&slow, IGNORE);
    memset(b.memory, 0xee, sizeof b.memory);
    cairn_unit_enable(unit);
    execute(50);
    go_to(2);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    bench_switch(&b, false);
    pointer = bench_pointer(&b);
    stored = b.stored;
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, BASE + 0x1000);
    bench_switch(&b, true);
    go_to(0);
    execute(50);
    go_to(2);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    /* proves: R_ZCDDS */
    assert_int_equal(stored, pointer - BASE);
    assert_int_equal(b.stored, stored + bench_pointer(&b) - (BASE + 0x1000));
    assert_int_equal(bench_at(&b, pointer), 0xee); /* nothing more at the old place */
    assert_int_equal(bench_count(&b, FINDING, CAIRN_PE_TRBE_BYTES_CUT), 0);
    end();
}

/* Without it a slow buffer still has some, and they go where the registers then point. */
static void test_write_without(void **state)
{
    uint64_t stored;

    (void)state;
    begin(&slow, IGNORE);
    cairn_unit_enable(unit);
    execute(50);
    go_to(2);
    stored = b.stored;
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, BASE + 0x1000);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    /* proves: I_NMWZY */
    assert_true(b.stored > stored);
    assert_int_equal(bench_pointer(&b), BASE + 0x1000 + b.stored - stored);
    end();
}

/* No synchronization at all: in finite time the trace is generated and accepted. In memory it need not be. */
static void test_without(void **state)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    (void)state;
    begin(&slow, IGNORE);
    cairn_unit_enable(unit);
    execute(51);
    for (unsigned i = 0; i < 100; i++)
        cairn_unit_cycles(unit, 1024);
    cairn_unit_counters(unit, &counters);
    /* proves: R_GTCKK */
    assert_int_equal(cairn_unit_pending_bytes(unit), 0);
    assert_int_equal(b.trbe.counts.accepted, counters.bytes);
    assert_true(b.stored < counters.bytes);
    cairn_pe_trbe_drain(&b.trbe);
    assert_int_equal(b.stored, counters.bytes);
    end();
}

/* The wrong path's trace is in memory, though it is cancelled; TSB CSYNC waits for it as for the right one. */
static void test_speculation(void **state)
{
    uint64_t stored, speculative, mark;
    uint8_t before[256];

    (void)state;
    begin(&slow, IGNORE);
    cairn_unit_enable(unit);
    execute(5);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    stored = b.stored;
    cairn_unit_speculate(unit, true);
    mark = cairn_unit_mark(unit);
    execute(40);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    speculative = b.stored - stored;
    /* proves: I_ZGCVG */
    assert_true(speculative > 0);
    assert_true(speculative <= sizeof before);
    memcpy(before, &b.memory[BASE - MEMORY + stored], (size_t)speculative);
    execute(20);
    assert_int_equal(cairn_unit_cancel(unit, mark), CAIRN_OK);
    cairn_unit_speculate(unit, false);
    go_to(2);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    assert_memory_equal(&b.memory[BASE - MEMORY + stored], before, (size_t)speculative);
    /* proves: R_HCVVS */
    assert_int_equal(cairn_unit_pending_bytes(unit), 0);
    assert_true(b.stored > stored + speculative);
    end();
}

/* Enabled where trace is prohibited, the trace unit is silent until that is left. */
static void test_enabled_inside(void **state)
{
    (void)state;
    begin(NULL, IGNORE);
    go_to(2);
    cairn_unit_enable(unit);
    execute(50);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    /* proves: R_YWSDB */
    assert_int_equal(b.stored, 0);
    go_to(0);
    execute(50);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    assert_true(b.stored > 0);
    end();
}

/* An ETEEvent of the last clock before the region is in the buffer by TSB CSYNC, and its trigger was detected. */
static void test_resource(void **state)
{
    (void)state;
    begin(&slow, STOP);
    cairn_unit_enable(unit);
    execute(50);
    cairn_unit_event(unit, 0);
    go_to(2);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    /* proves: R_QVGHF */
    assert_int_equal(bench_status(&b) & (TRG | S | 0x3f), TRG | S | 2);
    assert_non_null(memchr(b.memory + BASE - MEMORY, 0x71, (size_t)b.stored));
    end();
}

/* A DSB behind it: each byte in memory has been answered for. */
static void test_complete(void **state)
{
    struct cairn_pe_trbe_options options = slow;

    (void)state;
    options.aborts = CAIRN_PE_TRBE_ABORTS_ASYNCHRONOUS;
    options.abort_delay = 1000;
    begin(&options, IGNORE);
    bench_abort(&b, BASE + 20, 1, 0x10);
    cairn_unit_enable(unit);
    execute(50);
    go_to(2);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    assert_int_equal(bench_status(&b), 0);
    assert_int_equal(b.stored + 1, bench_pointer(&b) - BASE);
    cairn_pe_trbe_complete(&b.trbe);
    /* proves: R_VLWDM, R_NSFRQ */
    assert_int_equal(bench_status(&b), EA | IRQ | S | EC(0x24) | 0x10);
    end();
}

/* Debug state, with the trace unit disabled there: the same, and writes behind it do not touch what was before. */
static void test_debug(void **state)
{
    uint64_t pointer;

    (void)state;
    begin(&slow, STOP);
    memset(b.memory, 0xee, sizeof b.memory);
    cairn_unit_enable(unit);
    execute(50);
    cairn_unit_exception(unit, CAIRN_EXCEPTION_DEBUG_HALT, CODE, CAIRN_ISA_A64);
    cairn_unit_debug_state(unit, true);
    b.state.debug = true;
    cairn_unit_disable(unit);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    /* proves: R_WYHRT */
    assert_int_equal(cairn_unit_pending_bytes(unit), 0);
    assert_true(cairn_pe_trbe_is_finished(&b.trbe));
    cairn_pe_trbe_complete(&b.trbe);
    pointer = bench_pointer(&b);
    /* proves: R_MPXXN */
    assert_int_equal(b.stored, pointer - BASE);
    bench_switch(&b, false);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, BASE + 0x1000);
    bench_switch(&b, true);
    execute(10);
    cairn_unit_event(unit, 0);
    cairn_unit_cycles(unit, 100);
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, unit));
    /* proves: R_XQVZW */
    assert_int_equal(bench_at(&b, pointer), 0xee);
    assert_int_equal(b.stored, pointer - BASE); /* silent */
    assert_int_equal(bench_status(&b), 0);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prohibited),    cmocka_unit_test(test_write_behind),
        cmocka_unit_test(test_write_without), cmocka_unit_test(test_enabled_inside),
        cmocka_unit_test(test_resource),      cmocka_unit_test(test_complete),
        cmocka_unit_test(test_debug),         cmocka_unit_test(test_without),
        cmocka_unit_test(test_speculation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
