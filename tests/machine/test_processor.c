/* SPDX-License-Identifier: BSD-2-Clause */
/* Whom a feed tells (machine/processor.h): a PE around a trace unit sees what the feed leaves out, and the
 * unit in it writes what it would alone. */
#include <stdlib.h>
#include <string.h>

#include "machine/processor.h"

#include "traced_pe.h"

enum { ROUNDS = 200 };

/* --- the machine --- */

static const struct cairn_register timed[] = {{"TRCCONFIGR", 0x811}, {"TRCCCCTLR", 4}};

static struct cairn_unit_options unit_options(struct traced_bytes *bus)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    assert_int_equal(cairn_arch_from_name("ARMv9-A", &options.arch), CAIRN_OK);
    options.registers = timed;
    options.register_count = sizeof timed / sizeof *timed;
    options.sink = traced_take;
    options.sink_context = bus;
    return options;
}

static struct cairn_pe *make_pe(struct traced_bytes *bus, struct traced_bytes *memory)
{
    const struct cairn_unit_options unit = unit_options(bus);

    return traced_pe(&unit, memory, CAIRN_PE_HAS_TRANSACTIONS);
}

static const struct cairn_context user = {.EL = 0, .security = CAIRN_NONSECURE, .SF = 1};
static const struct cairn_context kernel = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1};

static void block(struct cairn_processor *p, uint64_t address, uint32_t count, unsigned kind,
                  uint32_t flags, bool taken)
{
    const struct cairn_block told = {
        .address = address,
        .target = kind == CAIRN_INSN_BRANCH_DIRECT ? address + 0x100 : 0,
        .size = 4 * count,
        .count = count,
        .flags = flags,
        .isa = CAIRN_ISA_A64,
        .kind = (uint8_t)kind,
        .last_size = 4,
        .target_isa = CAIRN_ISA_A64,
    };

    cairn_processor_execute(p, &told, taken);
}

/* A block that falls through to an SVC, with a kernel that nobody sees, and comes back; and a bit of time. */
static void call_unseen(struct cairn_processor *p, uint64_t address, uint64_t *time)
{
    block(p, address, 3, CAIRN_INSN_OTHER, 0, true);
    cairn_processor_exception(p, CAIRN_EXCEPTION_CALL, address + 12, CAIRN_ISA_A64);
    cairn_processor_prohibit(p, true);
    cairn_processor_prohibit(p, false);
    cairn_processor_cycles(p, 7);
    cairn_processor_time(p, *time += 7);
    block(p, address + 12, 2, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_RETURN, true);
}

/* The same with a kernel that is seen: at EL1, which returns. */
static void call_seen(struct cairn_processor *p, uint64_t address, uint64_t *time)
{
    block(p, address, 3, CAIRN_INSN_OTHER, 0, true);
    cairn_processor_exception(p, CAIRN_EXCEPTION_CALL, address + 12, CAIRN_ISA_A64);
    cairn_processor_cycles(p, 3);
    cairn_processor_context(p, &kernel);
    block(p, 0xffff0400, 5, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_ERET, true);
    cairn_processor_time(p, *time += 3);
    cairn_processor_context(p, &user);
    block(p, address + 12, 2, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_RETURN, true);
}

static void run(struct cairn_processor *p)
{
    uint64_t time = 0;

    cairn_processor_enable(p);
    cairn_processor_context(p, &user);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint64_t address = 0x1000 + (i * 37u % 64) * 0x20;

        if (i % 7 == 3)
            call_unseen(p, address, &time);
        else if (i % 7 == 5)
            call_seen(p, address, &time);
        else
            block(p, address, 4, CAIRN_INSN_BRANCH_INDIRECT, 0, true);
        if (i % 50 == 20) { /* the feed has lost the thread */
            cairn_processor_prohibit(p, true);
            cairn_processor_prohibit(p, false);
        }
        if (i % 50 == 40) {
            block(p, address + 0x10, 1, CAIRN_INSN_OTHER, 0, true);
            cairn_processor_halt(p, address + 0x14, CAIRN_ISA_A64);
        }
        if (i % 60 == 30) {
            block(p, address + 0x40, 1, CAIRN_INSN_OTHER, 0, true);
            cairn_processor_exception(p, CAIRN_EXCEPTION_DEBUG_HALT, address + 0x44, CAIRN_ISA_A64);
            cairn_processor_debug_state(p, true);
            cairn_processor_debug_state(p, false);
            block(p, address + 0x44, 1, CAIRN_INSN_BRANCH_INDIRECT, 0, true);
        }
        cairn_processor_cycles(p, 2);
        cairn_processor_time(p, time += 2);
    }
    cairn_processor_end(p);
    cairn_processor_disable(p);
    assert_int_equal(cairn_processor_status(p), CAIRN_OK);
}

enum around { ALONE, IDLE, BUFFERED, COUNTED, RECORDED, ALL };

static void run_in(enum around around, struct traced_bytes *taken)
{
    struct traced_bytes *other = calloc(1, sizeof *other);
    const bool is_buffered = around == BUFFERED || around == ALL;
    struct cairn_processor p;
    struct cairn_unit *unit;
    struct cairn_pe *pe;

    assert_non_null(other);
    memset(taken, 0, sizeof *taken);
    if (around == ALONE) {
        const struct cairn_unit_options options = unit_options(taken);

        assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
        p = cairn_processor_of_unit(unit);
        run(&p);
        cairn_unit_free(unit);
        free(other);
        return;
    }
    pe = is_buffered ? make_pe(other, taken) : make_pe(taken, other);
    if (is_buffered)
        traced_enable_buffer(pe, TRACED_BYTES);
    if (around == COUNTED || around == ALL) {
        traced_put(pe, "PMEVTYPER0_EL0", 0x08);
        traced_put(pe, "PMCNTENSET_EL0", 1);
        traced_put(pe, "PMCR_EL0", 1);
    }
    if (around == RECORDED || around == ALL)
        traced_put(pe, "BRBCR_EL1", 1u << 23 | 1u << 22 | 1u << 3 | 3);
    p = cairn_processor_of_pe(pe);
    run(&p);
    assert_int_equal(other->size, 0);
    cairn_pe_free(pe);
    free(other);
}

/* Whoever stands around the unit, and whoever takes its bytes. */
static void test_same_bytes(void **state)
{
    struct traced_bytes *alone = calloc(1, sizeof *alone), *other = calloc(1, sizeof *other);

    (void)state;
    assert_non_null(alone);
    assert_non_null(other);
    run_in(ALONE, alone);
    assert_true(alone->size > 1000);
    for (unsigned around = IDLE; around <= ALL; around++) {
        run_in((enum around)around, other);
        assert_int_equal(other->size, alone->size);
        assert_memory_equal(other->bytes, alone->bytes, alone->size);
    }
    free(alone);
    free(other);
}

struct bench {
    struct cairn_pe *pe;
    struct cairn_processor processor;
    struct traced_bytes bus, memory;
};

static struct bench *begin(void)
{
    struct bench *b = calloc(1, sizeof *b);

    assert_non_null(b);
    b->pe = make_pe(&b->bus, &b->memory);
    b->processor = cairn_processor_of_pe(b->pe);
    return b;
}

static void end(struct bench *b)
{
    cairn_pe_free(b->pe);
    free(b);
}

/* --- who listens --- */

static void test_listens(void **state)
{
    struct bench *b = begin();

    (void)state;
    cairn_processor_enable(&b->processor);
    cairn_processor_context(&b->processor, &user);
    assert_false(cairn_processor_attends(&b->processor));
    traced_put(b->pe, "PMCNTENSET_EL0", 1);
    assert_true(cairn_processor_attends(&b->processor));
    traced_put(b->pe, "PMCNTENCLR_EL0", 1);
    assert_false(cairn_processor_attends(&b->processor));
    traced_put(b->pe, "TRBLIMITR_EL1", 0x80001001);
    assert_true(cairn_processor_attends(&b->processor));
    traced_put(b->pe, "TRBLIMITR_EL1", 0x80001000);
    assert_false(cairn_processor_attends(&b->processor));
    traced_put(b->pe, "BRBCR_EL1", 2); /* of EL1 alone */
    assert_false(cairn_processor_attends(&b->processor));
    cairn_processor_context(&b->processor, &kernel);
    assert_true(cairn_processor_attends(&b->processor));
    cairn_processor_context(&b->processor, &user);
    assert_false(cairn_processor_attends(&b->processor));
    end(b);
}

/* Levels are followed by the contexts alone, and what is prohibited there with them. */
static void test_idle_levels(void **state)
{
    struct bench *b = begin();
    struct cairn_processor *p = &b->processor;

    (void)state;
    traced_put(b->pe, "TRFCR_EL1", 1);
    cairn_processor_enable(p);
    cairn_processor_context(p, &user);
    assert_false(cairn_pe_is_prohibited(b->pe));
    cairn_processor_exception(p, CAIRN_EXCEPTION_IRQ, 0x1000, CAIRN_ISA_A64);
    assert_false(cairn_processor_attends(p));
    cairn_processor_context(p, &kernel);
    block(p, 0x8000, 2, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_ERET, true);
    assert_int_equal(b->pe->state.EL, 1);
    assert_true(cairn_pe_is_prohibited(b->pe));
    cairn_processor_context(p, &user);
    block(p, 0x1000, 2, CAIRN_INSN_OTHER, 0, true);
    assert_int_equal(b->pe->state.EL, 0);
    assert_false(cairn_pe_is_prohibited(b->pe));
    assert_false(cairn_processor_attends(p));
    end(b);
}

/* --- branch records --- */

/* Vector and return are known from what is executed next; the youngest first. */
static void test_seen_kernel(void **state)
{
    static const struct traced_record records[] = {
        {CAIRN_BRANCH_EXCEPTION_RETURN, 0xffff0410, 0x100c},
        {0x20 | CAIRN_EXCEPTION_CALL, 0x100c, 0xffff0400},
    };
    struct bench *b = begin();
    uint64_t time = 0;

    (void)state;
    traced_put(b->pe, "BRBCR_EL1", 1u << 23 | 1u << 22 | 3);
    cairn_processor_context(&b->processor, &user);
    call_seen(&b->processor, 0x1000, &time);
    traced_records(b->pe, records, 2);
    end(b);
}

/* EL1 is prohibited for BRBE, and not seen: halves. */
static void test_unseen_kernel(void **state)
{
    static const struct traced_record records[] = {
        {CAIRN_BRANCH_EXCEPTION_RETURN, 0, 0x100c},
        {0x20 | CAIRN_EXCEPTION_CALL, 0x100c, 0},
    };
    struct bench *b = begin();
    uint64_t time = 0;

    (void)state;
    traced_put(b->pe, "BRBCR_EL1", 1u << 23 | 1u << 22 | 1);
    cairn_processor_context(&b->processor, &user);
    call_unseen(&b->processor, 0x1000, &time);
    traced_records(b->pe, records, 2);
    assert_int_equal(b->pe->state.EL, 0);
    end(b);
}

/* An exception of the handler, and what the last branch led to; then the thread is lost. */
static void test_lost(void **state)
{
    static const struct traced_record records[] = {
        {0x20 | CAIRN_EXCEPTION_IRQ, 0x4000, 0x8000},
        {CAIRN_BRANCH_INDIRECT, 0x1008, 0x4000},
    };
    struct bench *b = begin();
    struct cairn_processor *p = &b->processor;

    (void)state;
    traced_put(b->pe, "BRBFCR_EL1", 0x7e0000); /* branches of all types */
    traced_put(b->pe, "BRBCR_EL1", 1u << 23 | 1u << 22 | 3);
    cairn_processor_context(p, &user);
    block(p, 0x1000, 3, CAIRN_INSN_BRANCH_INDIRECT, 0, true);
    cairn_processor_exception(p, CAIRN_EXCEPTION_IRQ, 0x4000, CAIRN_ISA_A64);
    cairn_processor_context(p, &kernel);
    block(p, 0x8000, 3, CAIRN_INSN_BRANCH_INDIRECT, 0, true);
    traced_records(b->pe, records, 2);
    cairn_processor_prohibit(p, true);
    cairn_processor_prohibit(p, false);
    traced_records(b->pe, NULL, 0);
    block(p, 0x9000, 1, CAIRN_INSN_BRANCH_DIRECT, 0, true);
    traced_records(b->pe, &(struct traced_record){CAIRN_BRANCH_DIRECT, 0x9000, 0x9100}, 1);
    end(b);
}

/* --- counters --- */

static void test_counts(void **state)
{
    static const unsigned events[] = {0x08, 0x21, 0x09, 0x0a, 0x11};
    /* 3 + 5 + 2 instructions, of which two branch, ERET and RET; then 3 + 2, and one branches: what
     * was not seen, the kernel's return among it, is not counted. 3 cycles, then 7. */
    static const uint64_t seen[] = {10, 2, 1, 1, 3}, all[] = {15, 3, 2, 1, 10};
    struct bench *b = begin();
    uint64_t time = 0;
    char name[24] = "PMEVTYPER0_EL0";

    (void)state;
    for (unsigned n = 0; n < 5; n++) {
        name[9] = (char)('0' + n);
        traced_put(b->pe, name, events[n]);
    }
    traced_put(b->pe, "PMCNTENSET_EL0", 31);
    traced_put(b->pe, "PMCR_EL0", 1);
    cairn_processor_context(&b->processor, &user);
    memcpy(name, "PMEVCNTR", 8);
    for (unsigned turn = 0; turn < 2; turn++) {
        if (turn == 0)
            call_seen(&b->processor, 0x1000, &time);
        else
            call_unseen(&b->processor, 0x2000, &time);
        for (unsigned n = 0; n < 5; n++) {
            memcpy(name, "PMEVCNTR0_EL0", 14);
            name[8] = (char)('0' + n);
            assert_int_equal(traced_get(b->pe, name), turn ? all[n] : seen[n]);
        }
    }
    end(b);
}

/* A transaction of both kinds of ends: counted, and known to the unit. */
static void test_transactions(void **state)
{
    struct bench *b = begin();
    struct cairn_processor *p = &b->processor;

    (void)state;
    traced_put(b->pe, "PMEVTYPER0_EL0", CAIRN_PMU_TSTART_RETIRED);
    traced_put(b->pe, "PMEVTYPER1_EL0", CAIRN_PMU_TME_TRANSACTION_FAILED);
    traced_put(b->pe, "PMEVTYPER2_EL0", CAIRN_PMU_TCOMMIT_RETIRED);
    traced_put(b->pe, "PMCNTENSET_EL0", 7);
    traced_put(b->pe, "PMCR_EL0", 1);
    cairn_processor_enable(p);
    cairn_processor_context(p, &user);
    for (unsigned i = 0; i < 3; i++) {
        block(p, 0x1000, 1, CAIRN_INSN_OTHER, 0, true);
        cairn_processor_transaction_start(p);
        assert_true(b->pe->state.transactional);
        block(p, 0x1004, 2, CAIRN_INSN_BRANCH_INDIRECT, 0, true);
        if (i == 1)
            cairn_processor_transaction_fail(p);
        else
            cairn_processor_transaction_commit(p);
        assert_false(b->pe->state.transactional);
    }
    assert_int_equal(traced_get(b->pe, "PMEVCNTR0_EL0"), 3);
    assert_int_equal(traced_get(b->pe, "PMEVCNTR1_EL0"), 1);
    assert_int_equal(traced_get(b->pe, "PMEVCNTR2_EL0"), 2);
    end(b);
}

/* --- resets --- */

static void blocks(struct cairn_processor *p, uint64_t address)
{
    for (unsigned i = 0; i < 20; i++)
        block(p, address + i % 3 * 0x20, 4, CAIRN_INSN_BRANCH_INDIRECT, 0, true);
}

static void run_through_reset(struct cairn_processor *p)
{
    cairn_processor_enable(p);
    cairn_processor_context(p, &user);
    blocks(p, 0x1000);
    cairn_processor_exception(p, CAIRN_EXCEPTION_PE_RESET, 0, CAIRN_ISA_A64);
    blocks(p, 0x2000);
    cairn_processor_exception(p, CAIRN_EXCEPTION_IRQ, 0x2000, CAIRN_ISA_A64);
    cairn_processor_prohibit(p, true);
    cairn_processor_exception(p, CAIRN_EXCEPTION_PE_RESET, 0, CAIRN_ISA_A64);
    cairn_processor_prohibit(p, false);
    cairn_processor_context(p, &kernel);
    blocks(p, 0x3000);
    cairn_processor_end(p);
    cairn_processor_disable(p);
    assert_int_equal(cairn_processor_status(p), CAIRN_OK);
}

/* Where a debugger has the trace the filters are no matter, and a reset of them neither. */
static void test_reset_same_bytes(void **state)
{
    struct traced_bytes *alone = calloc(1, sizeof *alone), *around = calloc(1, sizeof *around);
    struct traced_bytes *none = calloc(1, sizeof *none);
    const struct cairn_unit_options options = unit_options(alone);
    struct cairn_processor p;
    struct cairn_unit *unit;
    struct cairn_pe *pe;

    (void)state;
    assert_non_null(alone);
    assert_non_null(around);
    assert_non_null(none);
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    p = cairn_processor_of_unit(unit);
    run_through_reset(&p);
    cairn_unit_free(unit);
    pe = make_pe(around, none);
    cairn_pe_feed_debug(pe);
    p = cairn_processor_of_pe(pe);
    run_through_reset(&p);
    assert_false(cairn_pe_is_prohibited(pe));
    cairn_pe_reset(pe, CAIRN_RESET_COLD, 0, CAIRN_ISA_A64); /* but a Cold one takes it from it */
    traced_put(pe, "OSLAR_EL1", 0);
    /* proves: S_WVMHS */
    assert_true(cairn_pe_is_prohibited(pe));
    cairn_pe_free(pe);
    assert_true(alone->size > 50);
    assert_int_equal(around->size, alone->size);
    assert_memory_equal(around->bytes, alone->bytes, alone->size);
    free(alone);
    free(around);
    free(none);
}

static void ring(void *context)
{
    *(bool *)context = true;
}

/* A PE Reset packet without a Target Address element (DDI0608 D5.25). */
static const uint8_t reset_packet[] = {0x06, 0x01, 0x70};

/* What is around the unit is as out of reset; what was traced is in memory, and the unit goes on. */
static void test_reset(void **state)
{
    struct bench *b = begin();
    struct cairn_processor *p = &b->processor;
    bool rang = false;

    (void)state;
    traced_put(b->pe, "PMEVTYPER0_EL0", 0x08);
    traced_put(b->pe, "PMCNTENSET_EL0", 1);
    traced_put(b->pe, "PMCR_EL0", 1);
    traced_enable_buffer(b->pe, 4096);
    cairn_processor_enable(p);
    cairn_processor_context(p, &user);
    blocks(p, 0x1000);
    cairn_pe_feed_alarm(b->pe, 0, ring, &rang);
    cairn_processor_exception(p, CAIRN_EXCEPTION_PE_RESET, 0, CAIRN_ISA_A64);
    assert_int_equal(traced_get(b->pe, "TRBLIMITR_EL1"), 0);
    assert_int_equal(traced_get(b->pe, "PMCR_EL0") & 1, 0);
    assert_int_equal(traced_get(b->pe, "PMCNTENSET_EL0"), 0);
    assert_int_equal(traced_get(b->pe, "TRFCR_EL1"), 0);
    /* proves: R_YYHBF */
    assert_int_equal(traced_get(b->pe, "TRCPRGCTLR"), 1);
    assert_int_equal(b->bus.size, 0);
    /* A Timestamp Marker and a Timestamp of 0 are behind it. */
    assert_true(b->memory.size > sizeof reset_packet + 3);
    assert_memory_equal(b->memory.bytes + b->memory.size - sizeof reset_packet - 3, reset_packet,
                        sizeof reset_packet);
    assert_int_equal(b->pe->state.EL, 0); /* which the feed has not told otherwise */
    assert_true(cairn_pe_is_prohibited(b->pe));
    blocks(p, 0x2000);
    assert_false(rang);
    traced_put(b->pe, "SCR_EL3", 0x401);
    traced_put(b->pe, "TRFCR_EL1", 3);
    assert_false(cairn_pe_is_prohibited(b->pe));
    blocks(p, 0x3000);
    cairn_pe_settle(b->pe);
    /* proves: R_SVDBD */
    assert_true(b->bus.size > 0);
    end(b);
}

/* Records of before stay. None is of the reset, and where the branch led that it cut off is not known. */
static void test_reset_records(void **state)
{
    static const struct traced_record records[] = {
        {CAIRN_BRANCH_DIRECT, 0x4000, 0x4100},
        {CAIRN_BRANCH_INDIRECT, 0x2004, 0},
        {CAIRN_BRANCH_INDIRECT, 0x1008, 0x2000},
    };
    struct bench *b = begin();
    struct cairn_processor *p = &b->processor;

    (void)state;
    traced_put(b->pe, "BRBFCR_EL1", 0x7e0000);
    traced_put(b->pe, "BRBCR_EL1", 1u << 23 | 1u << 22 | 3);
    cairn_processor_context(p, &user);
    block(p, 0x1000, 3, CAIRN_INSN_BRANCH_INDIRECT, 0, true);
    block(p, 0x2000, 2, CAIRN_INSN_BRANCH_INDIRECT, 0, true);
    cairn_processor_exception(p, CAIRN_EXCEPTION_PE_RESET, 0, CAIRN_ISA_A64);
    block(p, 0x3000, 2, CAIRN_INSN_BRANCH_INDIRECT, 0, true);
    traced_records(b->pe, records + 1, 2);
    traced_put(b->pe, "MDCR_EL3", UINT64_C(3) << 32);
    traced_put(b->pe, "BRBFCR_EL1", 0x7e0000);
    traced_put(b->pe, "BRBCR_EL1", 1u << 23 | 1u << 22 | 3);
    block(p, 0x4000, 1, CAIRN_INSN_BRANCH_DIRECT, 0, true);
    traced_records(b->pe, records, 3);
    end(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_listens),
        cmocka_unit_test(test_idle_levels),
        cmocka_unit_test(test_seen_kernel),
        cmocka_unit_test(test_unseen_kernel),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_transactions),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_reset_records),
        cmocka_unit_test(test_reset_same_bytes),
    };

    return cmocka_run_group_tests_name("processor", tests, NULL, NULL);
}
