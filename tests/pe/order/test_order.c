/* SPDX-License-Identifier: BSD-2-Clause */
/* The ordering diagrams of DDI0608 E1.2.3.7 and part G1, each with its barriers and with one of them
 * left out: the right sequence gives the same result in every order and no finding, whatever is left
 * out is named. The trace buffer here is four lines: an operation writes its bytes at TRBPTR_EL1, if
 * TRBLIMITR_EL1.E is 1, and moves it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pe/fields.h"
#include "pe/order.h"

#define MEMORY 256u
#define SEEDS 1000u
#define PTR CAIRN_PE_TRBPTR_EL1
#define LIMIT CAIRN_PE_TRBLIMITR_EL1

struct bench {
    struct cairn_access_order order;
    uint8_t memory[3][MEMORY];
    struct cairn_register_set accesses, writes;
    unsigned found;
    struct cairn_order_finding first;
    uint64_t pointers; /* bit n: some lane wrote a byte at n */
};

static void operate(void *context, struct cairn_access_lane *lane, unsigned kind,
                    const uint8_t *bytes, size_t size)
{
    struct bench *b = context;
    uint64_t *pointer = &lane->seen.value[PTR];

    (void)kind;
    if (!(lane->seen.value[LIMIT] & 1))
        return;
    assert_true(*pointer + size <= MEMORY);
    cairn_lane_store(&b->order, lane, *pointer, bytes, size);
    *pointer += size;
}

static void remember(void *context, struct cairn_access_lane *lane, uint64_t address,
                     const uint8_t *bytes, size_t size)
{
    struct bench *b = context;

    memcpy(b->memory[lane->index] + address, bytes, size);
}

static void tell(void *context, const struct cairn_order_finding *finding)
{
    struct bench *b = context;

    if (b->found++ == 0)
        b->first = *finding;
}

static void begin(struct bench *b, enum cairn_lane_kind actual, uint64_t seed)
{
    const enum cairn_lane_kind lanes[] = {actual, CAIRN_LANE_EARLY, CAIRN_LANE_LATE};
    struct cairn_pe_registers values;

    memset(&values, 0, sizeof values);
    values.value[PTR] = 16;
    values.value[LIMIT] = 1;
    memset(b, 0, sizeof *b);
    cairn_order_begin(&b->order, lanes, 3, seed, &values);
    b->order.operate = operate;
    b->order.memory = remember;
    b->order.tell = tell;
    b->order.context = b;
    cairn_set_add(&b->accesses, PTR);
    cairn_set_add(&b->accesses, LIMIT);
    cairn_set_add(&b->writes, PTR);
}

/* A program, a letter a step:
 *   t an instruction is traced: a byte      w MSR TRBPTR_EL1, 64         r MRS TRBPTR_EL1
 *   e TRBLIMITR_EL1.E = 0                   c a CSE                      p TSB CSYNC, prohibited
 *   a TSB CSYNC where tracing is allowed    d DSB                        l software reads the first byte
 *   z software clears bytes 16 to 31        . an instruction that is nothing of this */
static uint64_t run(struct bench *b, const char *program)
{
    static const uint8_t zeros[16];
    uint64_t read = 0;

    for (uint64_t place = 1; *program; program++, place++) {
        const uint8_t byte = (uint8_t)(0x80 + place);

        cairn_order_at(&b->order, place);
        switch (*program) {
        case 't': cairn_order_operation(&b->order, &b->accesses, &b->writes, 0, &byte, 1); break;
        case 'w': cairn_order_write(&b->order, PTR, 64); break;
        case 'e': cairn_order_write(&b->order, LIMIT, 0); break;
        case 'r': read = cairn_order_read(&b->order, PTR); break;
        case 'c': cairn_order_cse(&b->order); break;
        case 'p': cairn_order_tsb(&b->order, true); break;
        case 'a': cairn_order_tsb(&b->order, false); break;
        case 'd': cairn_order_dsb(&b->order); break;
        case 'l': cairn_order_load(&b->order, 16, 1); break;
        case 'z': cairn_order_store(&b->order, 16, zeros, sizeof zeros); break;
        default: break;
        }
        cairn_order_step(&b->order);
    }
    return read;
}

/* In all orders the same, and nothing is found. */
static void assert_silent(const char *program, uint64_t read)
{
    struct bench b, early;

    begin(&early, CAIRN_LANE_EARLY, 0);
    assert_int_equal(run(&early, program), read);
    cairn_order_settle(&early.order);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        begin(&b, seed ? CAIRN_LANE_RANDOM : CAIRN_LANE_LATE, seed);
        assert_int_equal(run(&b, program), read);
        if (b.found)
            print_message("%s, seed %u: %s missing %x\n", program, (unsigned)seed, b.first.rule,
                          (unsigned)b.first.missing);
        assert_int_equal(b.found, 0);
        cairn_order_settle(&b.order);
        for (unsigned lane = 0; lane < 3; lane++)
            assert_memory_equal(b.memory[lane], early.memory[0], MEMORY);
        assert_int_equal(b.order.lanes[0].seen.value[PTR], early.order.lanes[0].seen.value[PTR]);
        cairn_order_end(&b.order);
    }
    cairn_order_end(&early.order);
}

/* Found in every order, of this rule and with these barriers missing. */
static void assert_found(const char *program, const char *rule, uint32_t missing, uint64_t place,
                         uint64_t since)
{
    struct bench b;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        begin(&b,
              seed == 0   ? CAIRN_LANE_LATE
              : seed == 1 ? CAIRN_LANE_EARLY
                          : CAIRN_LANE_RANDOM,
              seed);
        (void)run(&b, program);
        assert_true(b.found > 0);
        assert_string_equal(b.first.rule, rule);
        assert_int_equal(b.first.missing, missing);
        assert_int_equal(b.first.place, place);
        assert_int_equal(b.first.since, since);
        cairn_order_settle(&b.order);
        cairn_order_end(&b.order);
    }
}

/* A direct write, a CSE, and A is traced: its operation has the new value, and comes behind it. */
static void test_write_then_trace(void **state)
{
    (void)state;
    assert_silent("wctcpcr", 65);
    /* proves: R_BFJKD, I_FVBP */
    assert_found("wtcpcr", "R_BFJKD", CAIRN_PE_MISSES_CSE, 2, 1);
    /* The pointer that the operation has moved is not moved back by the write in front of the CSE. */
    /* proves: R_MJQXM */
    assert_silent("wc.tt.cpcr", 66);
}

/* A is traced, a CSE, a TSB CSYNC, and the direct write cannot reach A's operation. */
static void test_trace_then_write(void **state)
{
    (void)state;
    assert_silent("tcpwctcpcr", 65);
    /* proves: I_MQTRQ, R_ZCDDS */
    assert_found("tcawcr", "R_ZCDDS", CAIRN_PE_MISSES_PROHIBITION, 4, 1);
    /* proves: R_TSPXF */
    assert_found("tcwcr", "R_TSPXF", CAIRN_PE_MISSES_TSB, 3, 1);
    assert_found("tpwcr", "R_TSPXF", CAIRN_PE_MISSES_CSE | CAIRN_PE_MISSES_TSB, 3, 1);
    /* The buffer is switched off before it was drained: bytes are lost or not. */
    /* proves: I_TRWF */
    assert_found("tcecpcr", "R_TSPXF", CAIRN_PE_MISSES_TSB, 3, 1);
    assert_silent("tcpecr", 17);
}

/* A is traced, a CSE, a TSB CSYNC, another CSE: the direct read has what A's operation wrote. */
static void test_trace_then_read(void **state)
{
    (void)state;
    /* proves: R_VTNCS, I_SLWRW */
    assert_silent("tcpcr", 17);
    assert_silent("tcacr", 17); /* the rule does not ask for a Prohibited region */
    assert_found("tcpr", "R_VTNCS", CAIRN_PE_MISSES_CSE2, 4, 1);
    assert_found("tccr", "R_VTNCS", CAIRN_PE_MISSES_TSB | CAIRN_PE_MISSES_CSE2, 4, 1);
    /* A TSB CSYNC is not held in place by anything in front of it (R_CKVWP). */
    /* proves: R_CKVWP */
    assert_found("tpcr", "R_VTNCS", CAIRN_PE_MISSES_TSB | CAIRN_PE_MISSES_CSE2, 4, 1);
    /* Nothing was traced: nothing can differ. */
    assert_silent(".r", 16);
}

/* Software's access, a DSB, a CSE, and A is traced: what it writes is not overwritten. */
static void test_memory_then_trace(void **state)
{
    (void)state;
    /* proves: R_DFHWV, I_NWRPJ */
    assert_silent("zdctcpdl", 0);
    assert_found("zctcpdl", "R_DFHWV", CAIRN_PE_MISSES_DSB | CAIRN_PE_MISSES_CSE2, 3, 1);
    assert_found("zdtcpdl", "R_DFHWV", CAIRN_PE_MISSES_CSE2, 3, 1);
}

/* A is traced, a CSE into a Prohibited region, TSB CSYNC, DSB: the bytes are there. */
static void test_trace_then_memory(void **state)
{
    (void)state;
    /* proves: R_VLWDM, I_JBRHG */
    assert_silent("tcpdl", 0);
    assert_found("tcpl", "R_VLWDM", CAIRN_PE_MISSES_DSB, 4, 1);
    assert_found("tcadl", "R_VLWDM", CAIRN_PE_MISSES_PROHIBITION | CAIRN_PE_MISSES_DSB, 5, 1);
}

/* Without any barrier it happens in finite time, and in the order of the program. */
static void test_finite(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, CAIRN_LANE_LATE, 0);
    b.order.tell = NULL;
    for (unsigned i = 0; i < 200; i++) {
        const uint8_t byte = (uint8_t)i;

        cairn_order_operation(&b.order, &b.accesses, &b.writes, 0, &byte, 1);
    }
    /* proves: R_GTCKK */
    assert_int_equal(b.order.lanes[0].seen.value[PTR], 16);
    for (unsigned i = 0; i < 70000; i++)
        cairn_order_operation(&b.order, &b.accesses, &b.writes, 0, NULL, 0);
    assert_int_equal(b.order.lanes[0].seen.value[PTR], 216);
    assert_int_equal(b.order.lanes[0].direct.value[PTR], 16);
    cairn_order_settle(&b.order);
    for (unsigned i = 0; i < 200; i++)
        assert_int_equal(b.memory[0][16 + i], i);
    cairn_order_end(&b.order);
}

/* The three rules of G1: a direct read has the direct writes in front of it, by the same encoding, and
 * nobody else has them before a CSE. */
static void test_registers(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, CAIRN_LANE_LATE, 0);
    cairn_order_write(&b.order, PTR, 0x40);
    /* proves: G1_FIGS */
    assert_int_equal(cairn_order_read(&b.order, PTR), 0x40);
    assert_int_equal(b.order.lanes[0].seen.value[PTR], 16);
    cairn_order_cse(&b.order);
    assert_int_equal(b.order.lanes[0].seen.value[PTR], 0x40);
    cairn_order_end(&b.order);
    /* In a random order some are seen before it, and some are not. */
    unsigned soon = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        begin(&b, CAIRN_LANE_RANDOM, seed);
        cairn_order_write(&b.order, PTR, 0x40);
        cairn_order_step(&b.order);
        soon += b.order.lanes[0].seen.value[PTR] == 0x40;
        cairn_order_end(&b.order);
    }
    /* proves: R_PFJZ */
    assert_true(soon > SEEDS / 10 && soon < SEEDS - SEEDS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_then_trace),  cmocka_unit_test(test_trace_then_write),
        cmocka_unit_test(test_trace_then_read),   cmocka_unit_test(test_memory_then_trace),
        cmocka_unit_test(test_trace_then_memory), cmocka_unit_test(test_finite),
        cmocka_unit_test(test_registers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
