/* SPDX-License-Identifier: BSD-2-Clause */
/* What an ETMv2 shows, cycle by cycle (IHI0014 chapter 6): expected by hand from the text. */
#include "etmv1_bench.h"

#define DEPTH 45
#define FOLDS CAIRN_UNIT_FOLD_BRANCHES

/* --- trace on, periodic TFOs --- */

static void test_trace_on(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=10", DEPTH, 0);
    pass(3);
    run(0x8000);
    run(0x8004);
    pass(20);
    /* header 20, trace enabled, and the whole address */
    expect_cycles("TD.09 IE.20 IE.00 WT.80 WT.00 WT.00");
    cairn_unit_debug_state(pins.unit, true);
    pass(4);
    cairn_unit_debug_state(pins.unit, false);
    run(0x8101);
    pass(20);
    /* proves: ETM2-6.9.1-a */
    expect_cycles("TD.09 IE.60 WT.01 WT.81 WT.00 WT.00");
    pins_end();
}

static void test_periodic(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=14 ETMSYNCFR=2e", DEPTH, 0);
    run(0x8000);
    run_on(0x8004, 0x80b0);
    ignore_cycles();
    fail_condition(0x80b4); /* the counter reaches zero: cycle 46 behind the TFO */
    run(0x80b8);
    load(0x1000, 1, 0x12);
    run(0x80bc);
    run_on(0x80c0, 0x80d4);
    /* neither IN nor DE is told by a TFO; one byte is in front of the packet: 19 (Example 6-1) */
    /* proves: ETM2-6.5.1-a */
    expect_cycles("IN.00 DE.26 TD.19 IE.12 IE.00 IE.bc IE.80 IE.00 IE.00");
    pins_end();
}

/* A value that comes back in the cycle is not given up for it. */
static void test_periodic_waits(void **state)
{
    const uint32_t missed = CAIRN_UNIT_DATA_MISSED | CAIRN_UNIT_DATA_TAG(2);

    (void)state;
    pins_begin_v2("ETMCR=14 ETMSYNCFR=2e", DEPTH, 0);
    run(0x8000);
    transfer(0x1000, 1, 0x12, missed);
    run_on(0x8004, 0x80b0);
    ignore_cycles();
    run(0x80b4);
    transfer(0, 0, 0, CAIRN_UNIT_DATA_RETURNED | CAIRN_UNIT_DATA_TAG(2));
    run(0x80b8);
    run(0x80bc);
    /* 44: tag 2, one byte */
    /* proves: ETM2-6.4.3-f */
    expect_cycles("DE.44 TD.19 IE.12");
    pins_end();
}

/* All DE, each with a byte, so that five stay in the FIFO: no IE comes for a TFO. */
static void test_no_periodic(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=14 ETMSYNCFR=2e", DEPTH, 0);
    for (uint32_t cycle = 1; cycle <= 91; cycle++) {
        run(0x7ffc + 4 * cycle);
        load(0x1000, 4, 0);
    }
    ignore_cycles();
    for (uint32_t cycle = 92; cycle <= 97; cycle++) {
        run(0x7ffc + 4 * cycle);
        load(0x1000, 4, 0);
    }
    /* proves: ETM2-6.5.1-b */
    expect_cycles("WT.22 WT.22 WT.22 WT.22 WT.22 TD.09 DE.40");
    pins_end();
}

/* --- statuses --- */

static void test_first_cycle(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=14", 0);
    run(0x8004); /* LDM of two: the second comes two cycles later */
    load(0x1000, 4, 0);
    pass(2);
    load(0x1004, 4, 0);
    pass(2);
    run(0x8008);
    pass(9);
    /* proves: ETM2-6.1.4-a */
    expect_cycles("DE.22 DW.02 IE.00");
    pins_end();
    pins_begin("ETMCR=14");
    run(0x8000);
    pass(40);
    ignore_cycles();
    run(0x8004);
    load(0x1000, 1, 0x11);
    pass(2);
    load(0x1004, 1, 0x22);
    pass(2);
    run(0x8008);
    /* ETMv1 has no DW: its only status is in the last cycle */
    /* proves: ETM2-6.1.3-a */
    expect_statuses("WT WT ID IE");
    pins_end();
}

static void test_waits(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=1014", 0);
    run(0x8004);
    load(0x1000, 4, 0x12345678);
    pass(3); /* it takes two more cycles, in which others are not executed */
    run(0x8008);
    pass(4); /* memory waits, and the FIFO is empty at last */
    run(0x800c);
    pass(1);
    /* proves: ETM2-6.1.1-a */
    expect_cycles("DE.2e WT.78 WT.56 IE.34 WT.12 TD.07 TD.07 IE.00");
    pins_end();
}

static void test_phantoms(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=14", FOLDS);
    branch(0x8004, 0x9000);
    run(0x9000);
    load(0x1000, 4, 0);
    tell(0x9004, CAIRN_INSN_BRANCH_DIRECT, 0x8000, false);
    fail_condition(0x9008);
    run(0x900c);
    load(0x1000, 4, 0);
    branch(0x9010, 0x9100);
    run(0x9100);
    /* one of the two may transfer data: the load in front of a branch is alone */
    /* proves: ETM2-2.11.1-a */
    expect_cycles("PTDE.22 PNIN.00 DE.22 PTIE.00");
    pins_end();
}

/* What was fetched beneath it was of the other way: a cycle passes. */
static void test_mispredicted(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=10", FOLDS);
    branch(0x8004, 0x9000);
    pass(1);
    run(0x9000);
    pass(1);
    tell(0x9004, CAIRN_INSN_BRANCH_DIRECT, 0x8000, false);
    pass(1);
    run(0x9008);
    pass(1);
    /* proves: ETM2-6.1.2-b */
    expect_statuses("IE IE IN IE");
    pins_end();
}

static void test_branch_last(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=14", 0);
    jump(0x8004); /* LDM {r0, pc} */
    load(0x1000, 4, 0);
    load(0x1004, 4, 0x8010);
    run(0x8010);
    pass(20);
    /* C is 1 in both data packets, and the address, 0x8010, is the last */
    /* proves: ETM2-6.2-e, ETM2-6.3-a */
    expect_cycles("DE.a2 IE.8a WT.10 WT.80 WT.09");
    pins_end();
}

static void test_group_begins(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=14", 0);
    run(0x8004);
    load(0x1000, 1, 0x11);
    run(0x8008);
    load(0x1000, 1, 0x22);
    pass(9);
    run(0x800c);
    load(0x1000, 1, 0x33);
    pass(9);
    /* proves: ETM2-6.3-b */
    expect_cycles("DE.26 DE.11 WT.26 WT.22 DE.26 WT.33");
    pins_end();
}

/* 0x66 beside a lone byte; the first byte of a branch address in the upper lane. */
static void test_wide(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=24", 0);
    run(0x8004);
    load(0x1000, 4, 0x332211);
    pass(9);
    jump(0x8008);
    load(0x1000, 4, 0);
    run(0x8010);
    pass(9);
    /* proves: ETM2-6.3-d */
    expect_cycles("DE.112e WT.3322 WT.6600 DE.09a2 IE.0000");
    pins_end();
}

static void test_values(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=14", 0);
    run(0x8004);
    transfer(0x1000, 1, 0, CAIRN_UNIT_DATA_STORE);
    run(0x8008);
    transfer(0x1000, 4, 0, CAIRN_UNIT_DATA_STORE);
    run(0x800c);
    transfer(0x1000, 4, 0x1234, CAIRN_UNIT_DATA_STORE);
    pass(9);
    /* STRB and STR of 0 look the same */
    /* proves: ETM2-6.4.1-k */
    expect_cycles("DE.22 DE.22 DE.2a WT.34 WT.12");
    pins_end();
}

static void test_whole_addresses(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=18 ETMSYNCFR=2e", DEPTH, 0);
    run(0x8000);
    load(0x1000, 4, 0); /* the first behind the TFO: 22 80 a0 80 80 00 */
    run_on(0x8004, 0x8050);
    ignore_cycles();
    run(0x8054);
    load(0x1004, 4, 0); /* cycle 22: one byte */
    run(0x8058);
    load(0x1004, 4, 0); /* cycle 23, half a period behind: five */
    run_on(0x805c, 0x8070);
    expect_cycles("DE.22 DE.04 IE.22 IE.84 IE.a0 IE.80 IE.80 IE.00");
    run_on(0x8074, 0x80b4);
    /* and the TFO in cycle 46 */
    /* proves: ETM2-6.5.6-b */
    expect_statuses("IE IE IE IE IE IE IE IE IE IE IE IE IE IE IE IE TD");
    pins_end();
}

static void test_interruption(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=18", 0);
    run(0x8004);
    load(0x1000, 4, 0);
    pass(20);
    run(0x8008);
    load(0x1000, 4, 0);
    pass(20);
    expect_cycles("DE.22 WT.80 WT.a0 WT.80 WT.80 WT.00 DE.22 WT.00");
    run(0x9000); /* unseen in between: trace begins anew */
    load(0x1000, 4, 0);
    pass(20);
    /* proves: ETM2-6.8.3-a */
    expect_cycles("TD.09 DE.20 WT.00 WT.90 WT.00 WT.00 WT.22 WT.80 WT.a0 WT.80 WT.80 WT.00");
    pins_end();
}

static void test_misses(void **state)
{
    const uint32_t missed = CAIRN_UNIT_DATA_MISSED | CAIRN_UNIT_DATA_TAG(1);
    const uint32_t returned = CAIRN_UNIT_DATA_RETURNED | CAIRN_UNIT_DATA_TAG(1);

    (void)state;
    /* ViewData for 0x1000 alone; TraceEnable for 0x8000 to 0x80ff */
    begin_v2_at_8000("ETMCR=14 ETMVDCR3=1 ETMACVR1=1000 ETMACTR1=4 ETMACVR2=1004 ETMACTR2=4 "
                     "ETMTECR1=2 ETMACVR3=8000 ETMACTR3=1 ETMACVR4=8100 ETMACTR4=1",
                     0);
    run(0x8004);
    transfer(0x2000, 4, 5, missed); /* not viewed */
    run(0x8008);
    transfer(0, 0, 0, returned);
    run(0x800c);
    transfer(0x1000, 4, 5, missed);
    branch(0x8010, 0x9000);
    run(0x9000);
    pass(9);
    transfer(0, 0, 0, returned); /* trace is off */
    pass(9);
    run(0x9004);
    /* 74: A, tag 1; 24: tag 1, one byte */
    /* proves: ETM2-6.4.3-g, ETM2-6.4.3-e */
    expect_cycles("IE.00 IE.00 DE.74 IE.00 DW.24 WT.05");
    pins_end();
}

static void test_context_ids(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=c016", 0);
    run(0x8004); /* MCR p15, 0, r0, c13, c0, 1 */
    transfer(0, 4, 0x12345678, CAIRN_UNIT_DATA_COPROCESSOR | CAIRN_UNIT_DATA_STORE);
    context_id(0x12345678);
    pass(20);
    /* proves: ETM2-6.4.5-b */
    expect_cycles("DE.8e WT.78 WT.56 WT.34 WT.12 WT.6e WT.78 WT.56 WT.34 WT.12");
    run(0x9000);
    pass(20);
    /* proves: ETM2-6.5.7-a */
    expect_cycles("TD.09 IE.20 WT.78 WT.56 WT.34 WT.12 WT.00 WT.90 WT.00 WT.00");
    pins_end();
}

/* --- branches and exceptions --- */

static void test_branches(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=10 ETMTECR1=1 ETMACVR1=8000 ETMACTR1=1 ETMACVR2=8200 ETMACTR2=1", 0);
    jump(0x8004);
    run(0x8101);
    pass(20);
    jump(0x8103);
    run(0x8001 - 1);
    pass(20);
    /* proves: ETM2-6.7.1-e */
    expect_cycles("DE.81 IE.82 WT.82 WT.80 WT.10 DE.81 IE.80 WT.81 WT.80 WT.08");
    jump(0x8004);
    run(0x9000); /* not traced, but its address is */
    pass(20);
    /* proves: ETM2-6.7.1-f, ETM2-6.9.2-a */
    expect_cycles("DE.81 WT.10");
    pins_end();
}

static void test_exceptions(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=14", 0);
    except(CAIRN_EXCEPTION_IRQ, 0x8004);
    run(0x18);
    pass(20);
    /* the instruction has a status, and the address five bytes, with E */
    /* proves: ETM2-6.7.1-j */
    expect_cycles("DE.8d IE.80 WT.80 WT.80 WT.48");
    run(0x1c);
    transfer(0x1000, 4, 0, CAIRN_UNIT_DATA_ABORTED);
    except(CAIRN_EXCEPTION_DATA_FAULT, 0x1c);
    run(0x10);
    pass(20);
    /* executed, its data is traced, and E is 0 */
    /* proves: ETM2-6.1.5-b */
    expect_cycles("DE.a2 IE.09");
    pins_end();
}

/* ViewData is active for 0x1004 alone. ETMv1 asks it of the first access, for all; ETMv2 of each. */
#define ONE_WORD "ETMVDCR3=1 ETMACVR1=1004 ETMACTR1=4 ETMACVR2=1008 ETMACTR2=4"

static void test_view_data(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=14 " ONE_WORD, 0);
    run(0x8004);
    load(0x1000, 4, 0);
    load(0x1004, 4, 0);
    load(0x1008, 4, 0);
    pass(20);
    expect_cycles("DE.a2 WT.6a");
    pins_end();
    pins_begin("ETMCR=14 " ONE_WORD);
    run(0x8000);
    pass(40);
    ignore_cycles();
    run(0x8004);
    load(0x1000, 4, 0);
    load(0x1004, 4, 0);
    run(0x8008);
    pass(20);
    /* neither has data */
    /* proves: ETM1-2.6.5-a */
    expect_statuses("IE IE");
    pins_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_on),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_periodic_waits),
        cmocka_unit_test(test_no_periodic),
        cmocka_unit_test(test_first_cycle),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_phantoms),
        cmocka_unit_test(test_mispredicted),
        cmocka_unit_test(test_branch_last),
        cmocka_unit_test(test_group_begins),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_whole_addresses),
        cmocka_unit_test(test_interruption),
        cmocka_unit_test(test_misses),
        cmocka_unit_test(test_context_ids),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_exceptions),
        cmocka_unit_test(test_view_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
