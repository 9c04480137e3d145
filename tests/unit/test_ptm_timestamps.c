/* SPDX-License-Identifier: BSD-2-Clause */
/* What asks the PTM model for a timestamp (IHI0035 2.4, 4.14), as bytes worked out by hand: 42, and
 * of a time below 128 that differs in nothing else from the last one, one byte. */
#include "ptm_bench.h"

#define A32_DMB 0xf57ff05fu
#define A32_DSB 0xf57ff04fu

static struct ptm_bench b;

/* Up to and with the first waypoint, a branch to where it is, at time 1. */
static void start(uint32_t etmidr, uint32_t etmccer, const char *hex)
{
    const struct cairn_register built[] = {{"ETMCCER", etmccer}};

    ptm_begin(&b, etmidr, ETMCR_TIMESTAMPS, built, 1);
    b.at = 0x1000;
    cairn_unit_time(b.unit, 1);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_expect(&b, hex);
}

static void barrier(uint32_t opcode)
{
    const uint8_t bytes[] = {(uint8_t)opcode, (uint8_t)(opcode >> 8), (uint8_t)(opcode >> 16),
                             (uint8_t)(opcode >> 24)};
    struct cairn_block block;

    assert_int_equal(cairn_unit_scan(b.unit, CAIRN_ISA_A32, b.at, bytes, sizeof bytes, &block),
                     sizeof bytes);
    cairn_unit_execute(b.unit, &block, true);
    b.at += sizeof bytes;
}

#define SYNC_1_1 "08 00 10 00 00 21 42 81 80 80 80 80 80 80 80 00 84" /* nine bytes of time */
#define SYNC_1_0 "08 00 10 00 00 21 42 81 80 80 80 80 80 00 84"       /* seven */

static void test_barriers(void **state)
{
    (void)state;
    start(PTM_1_1, 0x37c01800, SYNC_1_1); /* ETMCCER[25:24]: waypoints, with timestamps */
    cairn_unit_time(b.unit, 2);
    barrier(A32_DMB);
    /* proves: PFT-2.4-a */
    ptm_expect(&b, "84 42 02");
    cairn_unit_time(b.unit, 3);
    barrier(A32_DSB);
    /* proves: PFT-2.4-a */
    ptm_expect(&b, "84 42 03");
    ptm_end(&b);
    start(PTM_1_1, 0x35c01800, SYNC_1_1); /* waypoints only */
    cairn_unit_time(b.unit, 2);
    barrier(A32_DMB);
    barrier(A32_DSB);
    /* proves: PFT-2.4-a */
    ptm_expect(&b, "88");
    ptm_end(&b);
}

/* In PFT 1.1 all of these, in 1.0 the ISB alone; a branch never. */
static void test_others(void **state)
{
    (void)state;
    start(PTM_1_1, 0x34c01800, SYNC_1_1);
    cairn_unit_time(b.unit, 2);
    ptm_isb(&b, 4);
    cairn_unit_time(b.unit, 3);
    ptm_indirect(&b, 4, 0x2000, true, 0);
    cairn_unit_time(b.unit, 4);
    ptm_exception(&b, CAIRN_EXCEPTION_IRQ, 0x18);
    cairn_unit_time(b.unit, 5);
    ptm_indirect(&b, 4, 0x2000, true, CAIRN_INSN_ERET);
    cairn_unit_time(b.unit, 6);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* E of the ISB; to 0x2000; IRQ to 0x18; back to 0x2000, and the mark of the return; E */
    /* proves: PFT-2.4-a */
    ptm_expect(&b, "84 42 02 81 20 8d 40 1c 42 04 81 20 76 42 05 84");
    ptm_end(&b);
    start(PTM_1_0, 0x00c018c2, SYNC_1_0);
    cairn_unit_time(b.unit, 2);
    ptm_isb(&b, 4);
    cairn_unit_time(b.unit, 4);
    ptm_exception(&b, CAIRN_EXCEPTION_IRQ, 0x18);
    cairn_unit_time(b.unit, 5);
    ptm_indirect(&b, 4, 0x1004, true, CAIRN_INSN_ERET);
    cairn_unit_time(b.unit, 6);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* 2 is 3 in Gray code */
    /* proves: PFT-2.4-a */
    ptm_expect(&b, "84 42 03 8d 40 1c 83 10 84");
    ptm_end(&b);
}

/* ETMTSEVR asks for none where it is 0, which docs/trace.md says is no event, nor where ETMCR turns
 * timestamps off. */
static void test_no_event(void **state)
{
    const struct cairn_register none[] = {{"ETMACVR1", 0x1000}, {"ETMTSEVR", 0}};
    const struct cairn_register always[] = {{"ETMTSEVR", 0x6f}};

    (void)state;
    ptm_begin(&b, PTM_1_1, ETMCR_TIMESTAMPS, none, 2);
    b.at = 0x1000;
    cairn_unit_time(b.unit, 1);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_expect(&b, SYNC_1_1);
    cairn_unit_time(b.unit, 2);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_expect(&b, "88");
    ptm_end(&b);
    ptm_begin(&b, PTM_1_1, 0, always, 1);
    b.at = 0x1000;
    cairn_unit_time(b.unit, 1);
    cairn_unit_cycles(b.unit, 1);
    ptm_expect(&b, "");
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_expect(&b, "08 00 10 00 00 21 88");
    ptm_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_no_event),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("PTM model: timestamps", tests, NULL, NULL);
}
