/* SPDX-License-Identifier: BSD-2-Clause */
/* The PTM model where it may not look, where the PE waits, and in the states of older cores; what
 * is asked for where trace is off, or asked for twice (IHI0035 4.7 to 4.17). */
#include <string.h>

#include "ptm_bench.h"

#define DBGEN CAIRN_UNIT_DBGEN
#define NIDEN CAIRN_UNIT_NIDEN
#define SPIDEN CAIRN_UNIT_SPIDEN
#define SPNIDEN CAIRN_UNIT_SPNIDEN
#define LINK CAIRN_INSN_LINK

static struct ptm_bench b;

static void start(uint32_t etmidr, uint32_t etmcr, const struct cairn_register *registers,
                  size_t count)
{
    ptm_begin(&b, etmidr, etmcr, registers, count);
    b.at = 0x1000;
}

static unsigned value_of(const char *name)
{
    uint64_t value = 0;

    assert_int_equal(cairn_unit_read(b.unit, name, &value), CAIRN_OK);
    return (unsigned)value;
}

static uint64_t overflows(void)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_counters(b.unit, &counters);
    return counters.overflows;
}

/* --- authentication --- */

static void test_signals(void **state)
{
    static const struct {
        uint32_t signals;
        unsigned from_security, from_el, security, el;
        bool traced;
    } cases[] = {
        /* Non-secure invasive or non-invasive debug alone do for Non-secure code */
        {DBGEN, CAIRN_NONSECURE, 1, CAIRN_NONSECURE, 1, true},
        {NIDEN, CAIRN_NONSECURE, 1, CAIRN_NONSECURE, 0, true},
        {NIDEN, CAIRN_NONSECURE, 1, CAIRN_NONSECURE, 2, true},
        {0, CAIRN_NONSECURE, 1, CAIRN_NONSECURE, 1, false},
        {SPIDEN | SPNIDEN, CAIRN_NONSECURE, 1, CAIRN_NONSECURE, 0, false},
        /* Secure code, privileged */
        {NIDEN, CAIRN_SECURE, 1, CAIRN_SECURE, 1, false},
        {NIDEN, CAIRN_NONSECURE, 1, CAIRN_SECURE, 3, false},
        {NIDEN | SPNIDEN, CAIRN_NONSECURE, 1, CAIRN_SECURE, 3, true},
        {NIDEN | SPIDEN, CAIRN_SECURE, 1, CAIRN_SECURE, 1, true},
        {SPIDEN | SPNIDEN, CAIRN_SECURE, 1, CAIRN_SECURE, 1, false},
        /* and User, which privileged code led to, or Non-secure code */
        {NIDEN, CAIRN_SECURE, 1, CAIRN_SECURE, 0, true},
        {NIDEN, CAIRN_NONSECURE, 1, CAIRN_SECURE, 0, false},
        {NIDEN | SPNIDEN, CAIRN_NONSECURE, 1, CAIRN_SECURE, 0, true},
        {0, CAIRN_SECURE, 1, CAIRN_SECURE, 0, false},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        start(PTM_1_1, 0, NULL, 0);
        cairn_unit_authenticate(b.unit, cases[i].signals);
        ptm_context(&b, cases[i].from_el, cases[i].from_security, 0, 0);
        ptm_context(&b, cases[i].el, cases[i].security, 0, 0);
        ptm_context(&b, cases[i].el, cases[i].security, 1, 0); /* the same, with another process */
        ptm_direct(&b, 4, 0x1000, true, 0);
        (void)cairn_unit_position(b.unit);
        /* proves: PFT-4.7-a */
        assert_int_equal(b.size > b.checked, cases[i].traced);
        ptm_end(&b);
    }
}

/* An SMC leads from Non-secure code to where nothing may be traced, and back. */
static void test_secure_region(void **state)
{
    (void)state;
    start(PTM_1_0, 0, NULL, 0);
    cairn_unit_authenticate(b.unit, NIDEN);
    ptm_context(&b, 1, CAIRN_NONSECURE, 0, 0);
    ptm_straight(&b, 4);
    ptm_exception(&b, CAIRN_EXCEPTION_CALL, 0x8);
    ptm_context(&b, 3, CAIRN_SECURE, 0, 0);
    ptm_direct(&b, 4, 0x100, true, 0);
    ptm_indirect(&b, 4, 0x1004, true, CAIRN_INSN_ERET);
    ptm_context(&b, 1, CAIRN_NONSECURE, 0, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.7-a, PFT-4.7-e */
    ptm_expect(&b, "08 00 10 00 00 29 72 01 81 80 80 80 48 04 08 04 10 00 00 29 84");
    ptm_end(&b);
}

/* DBGEN and NIDEN low: what was traced comes out at once, input 1 and the trigger are ignored, and
 * counter and sequencer stand still; then all go on. */
static void test_no_non_invasive_debug(void **state)
{
    const struct cairn_register program[] = {{"ETMTRIGGER", 0x60},
                                             {"ETMCNTRLDVR1", 100},
                                             {"ETMCNTENR1", 0x6f},
                                             {"ETMSQ12EVR", 0x6e},
                                             {"ETMSQ21EVR", 0x60}};
    size_t before;

    (void)state;
    start(PTM_1_0, 0, program, 5);
    ptm_direct(&b, 4, 0x1000, true, 0);
    assert_int_equal(value_of("ETMCNTVR1"), 99);
    before = b.size;
    cairn_unit_authenticate(b.unit, SPIDEN | SPNIDEN);
    /* proves: PFT-4.7.2-a */
    assert_int_equal(b.size - before, 7);
    cairn_unit_inputs(b.unit, 1);
    cairn_unit_event(b.unit, 0);
    cairn_unit_cycles(b.unit, 5);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.7.2-a */
    assert_int_equal(value_of("ETMCNTVR1"), 99);
    /* proves: PFT-4.7.2-a */
    assert_int_equal(value_of("ETMSQR"), 0);
    /* proves: PFT-4.7.2-a */
    assert_int_equal(value_of("ETMSR") & 8, 0);
    cairn_unit_authenticate(b.unit, NIDEN | SPNIDEN);
    cairn_unit_cycles(b.unit, 1);
    assert_int_equal(value_of("ETMCNTVR1"), 98);
    assert_int_equal(value_of("ETMSR") & 8, 8);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.7.2-a */
    ptm_expect(&b, "08 00 10 00 00 21 84 0c 08 00 10 00 00 21 84");
    ptm_end(&b);
}

/* --- waiting --- */

/* The wait is no waypoint: what ran since the last one is told by the next, or, if the power goes,
 * by nothing. */
static void test_wait(void **state)
{
    static const uint8_t told[] = {0x08, 0x00, 0x10, 0x00, 0x00, 0x21, 0x84};

    (void)state;
    start(PTM_1_0, 0, NULL, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_straight(&b, 8);
    cairn_unit_low_power(b.unit, true);
    cairn_unit_low_power(b.unit, false);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.9-a */
    ptm_expect(&b, "08 00 10 00 00 21 84 84");
    ptm_end(&b);
    start(PTM_1_0, 0, NULL, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_straight(&b, 8);
    cairn_unit_low_power(b.unit, true);
    ptm_end(&b); /* without disabling it */
    assert_int_equal(b.size - b.checked, sizeof told);
    /* proves: PFT-4.9-a */
    assert_memory_equal(b.bytes + b.checked, told, sizeof told);
}

/* Trace that is off stays off until the wait is over, whatever TraceEnable says. */
static void test_wait_begins_nothing(void **state)
{
    const struct cairn_register event[] = {{"ETMTEEVR", 0x60}};

    (void)state;
    start(PTM_1_0, 0, event, 1);
    ptm_direct(&b, 4, 0x1000, true, 0);
    cairn_unit_low_power(b.unit, true);
    cairn_unit_inputs(b.unit, 1);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.9-a */
    ptm_expect(&b, "");
    cairn_unit_low_power(b.unit, false);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_expect(&b, "08 00 10 00 00 21 84");
    /* what is on stays on */
    cairn_unit_low_power(b.unit, true);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.9-a */
    ptm_expect(&b, "84");
    ptm_end(&b);
}

/* 64 bytes, which no cycle empties, and two times 25 packets. */
static void test_wait_drains(void **state)
{
    (void)state;
    b.options = (struct cairn_unit_options)CAIRN_UNIT_OPTIONS_INIT;
    b.options.fifo_bytes = 64;
    b.options.fifo_drain = 16;
    start(PTM_1_0, 0, NULL, 0);
    for (unsigned i = 0; i < 20; i++)
        ptm_indirect(&b, 4, 0x1000, true, 0);
    cairn_unit_low_power(b.unit, true);
    cairn_unit_low_power(b.unit, false);
    for (unsigned i = 0; i < 25; i++)
        ptm_indirect(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.9-a */
    assert_int_equal(overflows(), 0);
    for (unsigned i = 0; i < 25; i++)
        ptm_indirect(&b, 4, 0x1000, true, 0);
    assert_int_equal(overflows(), 1);
    ptm_end(&b);
}

/* A trigger while the FIFO is full is sent when it is empty, before trace goes on. */
static void test_trigger_in_overflow(void **state)
{
    (void)state;
    b.options = (struct cairn_unit_options)CAIRN_UNIT_OPTIONS_INIT;
    b.options.fifo_bytes = 64;
    b.options.fifo_drain = 16;
    start(PTM_1_0, 0, NULL, 0);
    for (unsigned i = 0; i < 60; i++)
        ptm_indirect(&b, 4, 0x1000, true, 0);
    assert_int_equal(overflows(), 1);
    (void)cairn_unit_position(b.unit);
    b.checked = b.size;
    cairn_unit_event(b.unit, 0);
    ptm_expect(&b, "");
    cairn_unit_cycles(b.unit, 1000);
    ptm_indirect(&b, 4, 0x1100, true, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-4.8-a */
    ptm_expect(&b, "0c 08 00 10 00 00 41 81 11");
    ptm_end(&b);
}

/* The trigger is event 0 of a unit that is enabled; there is no other (3.14). */
static void test_no_trigger(void **state)
{
    (void)state;
    start(PTM_1_0, 0, NULL, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_expect(&b, "08 00 10 00 00 21 84");
    cairn_unit_event(b.unit, 1);
    ptm_expect(&b, "");
    assert_int_equal(value_of("ETMSR") & 8, 0);
    cairn_unit_disable(b.unit);
    (void)cairn_unit_position(b.unit);
    b.checked = b.size;
    cairn_unit_event(b.unit, 0);
    ptm_expect(&b, "");
    cairn_unit_event(b.unit, 1);
    ptm_expect(&b, "");
    assert_int_equal(value_of("ETMSR") & 8, 0);
    ptm_end(&b);
}

/* --- requests --- */

/* Of one trace does not stop; of a second before the first is served it does, and all of the
 * synchronisation follows. */
static void test_second_request(void **state)
{
    (void)state;
    start(PTM_1_1, ETMCR_TIMESTAMPS, NULL, 0);
    cairn_unit_time(b.unit, 1);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_expect(&b, "08 00 10 00 00 21 42 81 80 80 80 80 80 80 80 00 88");
    cairn_unit_request_sync(b.unit);
    assert_int_equal(overflows(), 0);
    cairn_unit_request_sync(b.unit);
    assert_int_equal(overflows(), 1);
    assert_int_equal(value_of("ETMSR") & 1, 1);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.11.1-d */
    ptm_expect(&b, "00 00 00 00 00 80 08 00 10 00 00 41 42 81 80 80 80 80 80 80 80 00 84");
    assert_int_equal(value_of("ETMSR") & 1, 0);
    cairn_unit_request_sync(b.unit);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.11.1-d */
    ptm_expect(&b, "00 00 00 00 00 80 08 00 10 00 00 01 42 81 80 80 80 80 80 80 80 00 88");
    ptm_end(&b);
}

/* A flush asks for a timestamp: the first one where trace is off is served, with the time of the
 * last waypoint that was traced. */
static void test_times_off(void **state)
{
    const struct cairn_register exclude[] = {
        {"ETMTECR1", 0x01000001}, {"ETMACVR1", 0x2000}, {"ETMACVR2", 0x2100}};

    (void)state;
    start(PTM_1_1, ETMCR_TIMESTAMPS, exclude, 3);
    cairn_unit_time(b.unit, 0x81);
    ptm_direct(&b, 4, 0x2000, true, 0);
    ptm_expect(&b, "08 00 10 00 00 21 42 81 81 80 80 80 80 80 80 00 84");
    cairn_unit_time(b.unit, 0x82);
    ptm_direct(&b, 4, 0x2000, true, 0);
    cairn_unit_flush(b.unit);
    /* proves: PFT-4.14-b */
    ptm_expect(&b, "42 01");
    cairn_unit_time(b.unit, 0x85);
    cairn_unit_flush(b.unit);
    ptm_direct(&b, 4, 0x3000, true, 0);
    cairn_unit_request_sync(b.unit);
    /* proves: PFT-4.14-b */
    ptm_expect(&b, "");
    ptm_direct(&b, 4, 0x3000, true, 0);
    /* proves: PFT-4.14-b */
    ptm_expect(&b, "00 00 00 00 00 80 08 00 30 00 00 21 42 85 81 80 80 80 80 80 80 00 84");
    ptm_end(&b);
}

/* PFT 1.0 tells the time of the packet, here in Gray code of 48 bits: 0x81 is C1, 0x82 is C3; with
 * cycles, how many passed since the last count. */
static void test_times_off_1_0(void **state)
{
    const struct cairn_register exclude[] = {{"ETMTECR1", 0x01000001},
                                             {"ETMACVR1", 0x2000},
                                             {"ETMACVR2", 0x2100},
                                             {"ETMCCER", 0x00c00800}};

    (void)state;
    start(PTM_1_0, ETMCR_TIMESTAMPS | ETMCR_CYCLES, exclude, 4);
    cairn_unit_time(b.unit, 0x81);
    ptm_direct(&b, 4, 0x2000, true, 0);
    /* I-sync with count 0, the timestamp with 0, E with 0 */
    ptm_expect(&b, "08 00 10 00 00 21 80 42 c1 81 80 80 80 80 00 00 80");
    cairn_unit_time(b.unit, 0x82);
    cairn_unit_cycles(b.unit, 10);
    ptm_direct(&b, 4, 0x2000, true, 0);
    cairn_unit_cycles(b.unit, 5);
    cairn_unit_flush(b.unit);
    cairn_unit_flush(b.unit);
    /* 15 cycles: 3C */
    /* proves: PFT-4.14-b */
    ptm_expect(&b, "42 43 3c");
    cairn_unit_cycles(b.unit, 1);
    ptm_direct(&b, 4, 0x3000, true, 0);
    ptm_direct(&b, 4, 0x3000, true, 0);
    ptm_expect(&b, "08 00 30 00 00 21 84 80");
    ptm_end(&b);
}

/* --- the return stack --- */

/* An entry is of an instruction set: BL in ARM state, and a return to the address behind it in Thumb
 * state, is no match. The branch packet has the five bytes of a new state (4.5.4). */
static void test_return_stack_state(void **state)
{
    (void)state;
    start(PTM_1_0, ETMCR_RETURN_STACK, NULL, 0);
    ptm_direct(&b, 4, 0x2000, true, LINK);
    ptm_indirect(&b, 4, 0x1005, true, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-4.13-a, PFT-4.13-c */
    ptm_expect(&b, "08 00 10 00 00 21 84 85 a0 80 80 10");
    ptm_end(&b);
}

/* Secure 0x1000 calls 0x2000; Non-secure without a packet of its own, that calls 0x3000, which
 * returns to 0x2004; an SMC, and Secure code at 8 goes to 0x1004. Of both calls nothing is on the
 * stack. */
static void test_return_stack_security(void **state)
{
    (void)state;
    start(PTM_1_0, ETMCR_RETURN_STACK, NULL, 0);
    ptm_direct(&b, 4, 0x2000, true, LINK);
    ptm_context(&b, 1, CAIRN_NONSECURE, 0, 0);
    ptm_direct(&b, 4, 0x3000, true, LINK);
    ptm_indirect(&b, 4, 0x2004, true, 0);
    ptm_straight(&b, 4);
    /* E; 0x3000, Non-secure; 0x2004 */
    /* proves: PFT-4.13-h */
    ptm_expect(&b, "08 00 10 00 00 21 84 81 70 01 83 20");
    ptm_exception(&b, CAIRN_EXCEPTION_CALL, 0x8);
    ptm_context(&b, 3, CAIRN_SECURE, 0, 0);
    ptm_indirect(&b, 4, 0x1004, true, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-4.13-h */
    ptm_expect(&b, "72 03 85 40 04 83 10");
    ptm_end(&b);
}

/* --- Jazelle and ThumbEE --- */

/* One block, told as it is. */
static void block(uint32_t address, uint32_t size, unsigned isa, unsigned kind, uint32_t target,
                  unsigned target_isa)
{
    const struct cairn_block told = {.address = address,
                                     .target = target,
                                     .size = size,
                                     .count = 1,
                                     .isa = (uint8_t)isa,
                                     .kind = (uint8_t)kind,
                                     .last_size = (uint8_t)size,
                                     .target_isa = (uint8_t)target_isa};

    cairn_unit_execute(b.unit, &told, kind != CAIRN_INSN_OTHER);
}

static void bytecode(uint32_t address)
{
    block(address, 1, CAIRN_UNIT_ISA_JAZELLE, CAIRN_INSN_OTHER, 0, 0);
}

/* The branch there has five bytes; behind it comes an I-sync, also where nothing was executed. */
static void test_jazelle(void **state)
{
    (void)state;
    start(PTM_1_0, 0, NULL, 0);
    ptm_indirect(&b, 4, 0x8001, true, 0);
    bytecode(0x8001);
    bytecode(0x8002);
    ptm_expect(&b, "08 00 10 00 00 21 83 80 84 80 20");
    b.at = 0x1200;
    b.isa = CAIRN_ISA_A32;
    ptm_direct(&b, 4, 0x1200, true, 0);
    ptm_expect(&b, "08 00 12 00 00 21 84");
    ptm_indirect(&b, 4, 0x8001, true, 0);
    bytecode(0x8001);
    b.at = 0x1204;
    b.isa = CAIRN_ISA_A32;
    ptm_exception(&b, CAIRN_EXCEPTION_IRQ, 0x18);
    ptm_straight(&b, 4);
    ptm_expect(&b, "83 80 84 80 20 08 04 12 00 00 21 8d 40 1c");
    ptm_end(&b);
}

/* TraceEnable is input 1, counter 1 counts while range 1 holds, counter 2 always, input 2 is the
 * trigger. */
static void test_resources_in_jazelle(void **state)
{
    const struct cairn_register program[] = {
        {"ETMTEEVR", 0x60},   {"ETMTRIGGER", 0x61},  {"ETMACVR1", 0x1000}, {"ETMACVR2", 0x1100},
        {"ETMCNTENR1", 0x10}, {"ETMCNTRLDVR1", 100}, {"ETMCNTENR2", 0x6f}, {"ETMCNTRLDVR2", 100},
    };

    (void)state;
    start(PTM_1_0, 0, program, 8);
    ptm_indirect(&b, 4, 0x8001, true, 0);
    assert_int_equal(value_of("ETMCNTVR1"), 99);
    bytecode(0x8001);
    cairn_unit_inputs(b.unit, 1);
    cairn_unit_cycles(b.unit, 5);
    bytecode(0x8002);
    /* proves: PFT-4.17-b */
    ptm_expect(&b, "");
    /* proves: PFT-4.17-b */
    assert_int_equal(value_of("ETMCNTVR1"), 99);
    /* proves: PFT-4.17-b */
    assert_int_equal(value_of("ETMCNTVR2"), 94);
    cairn_unit_inputs(b.unit, 3);
    /* proves: PFT-4.17-b */
    ptm_expect(&b, "0c");
    b.at = 0x1200;
    b.isa = CAIRN_ISA_A32;
    ptm_direct(&b, 4, 0x1200, true, 0);
    /* proves: PFT-4.17-b */
    ptm_expect(&b, "08 00 12 00 00 21 84");
    ptm_end(&b);
}

/* ENTERX at 0x1000 is an E atom; the failed check at 0x1008 has LR 0x100c, and the update names
 * 0x1006, in ThumbEE. The one at 0x3004 is behind an instruction of 32 bits at 0x3000: LR 0x3008.
 */
static void test_thumbee(void **state)
{
    const enum cairn_isa thumbee = (enum cairn_isa)CAIRN_UNIT_ISA_THUMBEE;

    (void)state;
    start(PTM_1_0, 0, NULL, 0);
    block(0x1000, 4, CAIRN_ISA_T32, CAIRN_INSN_BRANCH_DIRECT, 0x1004, thumbee);
    block(0x1004, 2, thumbee, CAIRN_INSN_OTHER, 0, 0);
    block(0x1006, 2, thumbee, CAIRN_INSN_OTHER, 0, 0);
    cairn_unit_exception(b.unit, CAIRN_EXCEPTION_THUMBEE_CHECK, 0x1008, thumbee);
    block(0x3000, 4, thumbee, CAIRN_INSN_OTHER, 0, 0);
    /* proves: PFT-4.5.5-b, PFT-5.4-q */
    ptm_expect(&b, "08 01 10 00 00 21 84 72 87 60 40 81 e0 40 4a");
    cairn_unit_exception(b.unit, CAIRN_EXCEPTION_THUMBEE_CHECK, 0x3004, thumbee);
    block(0x3000, 4, thumbee, CAIRN_INSN_OTHER, 0, 0);
    /* proves: PFT-4.5.5-b, PFT-5.4-q */
    ptm_expect(&b, "72 01 81 60 4a");
    cairn_unit_exception(b.unit, CAIRN_EXCEPTION_PE_RESET, 0, CAIRN_ISA_A32);
    block(0, 4, CAIRN_ISA_A32, CAIRN_INSN_OTHER, 0, 0);
    /* proves: PFT-5.4-q */
    ptm_expect(&b, "81 80 80 80 48 10");
    ptm_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_secure_region),
        cmocka_unit_test(test_no_non_invasive_debug),
        cmocka_unit_test(test_wait),
        cmocka_unit_test(test_wait_begins_nothing),
        cmocka_unit_test(test_wait_drains),
        cmocka_unit_test(test_trigger_in_overflow),
        cmocka_unit_test(test_no_trigger),
        cmocka_unit_test(test_second_request),
        cmocka_unit_test(test_times_off),
        cmocka_unit_test(test_times_off_1_0),
        cmocka_unit_test(test_return_stack_state),
        cmocka_unit_test(test_return_stack_security),
        cmocka_unit_test(test_jazelle),
        cmocka_unit_test(test_resources_in_jazelle),
        cmocka_unit_test(test_thumbee),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
