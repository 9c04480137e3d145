/* SPDX-License-Identifier: BSD-2-Clause */
/* Values, addresses and synchronisation of data that an ETMv2 shows (IHI0014 6.4, 6.5): expected by hand from the text. */
#include "etmv1_bench.h"

#define DEPTH 45

#define MISSED (CAIRN_UNIT_DATA_MISSED | CAIRN_UNIT_DATA_TAG(1))
#define RETURNED (CAIRN_UNIT_DATA_RETURNED | CAIRN_UNIT_DATA_TAG(1))

/* The value comes where nothing may be traced, and not to the next load with that tag. */
static void test_returned_while_prohibited(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=14", 0);
    run(0x8004);
    transfer(0x1000, 4, 5, MISSED);
    pass(9);
    cairn_unit_prohibit(pins.unit, true);
    pass(9);
    transfer(0, 0, 0, RETURNED);
    pass(9);
    cairn_unit_prohibit(pins.unit, false);
    run(0x8010);
    transfer(0x2000, 4, 7, MISSED);
    pass(20);
    transfer(0, 0, 0, RETURNED);
    pass(9);
    /* 74: A, tag 1; 24: tag 1, one byte */
    /* proves: ETM2-6.4.3-e, ETM2-6.4.3-g */
    expect_cycles("DE.74 DW.24 WT.05 TD.09 DE.20 WT.10 WT.80 WT.00 WT.00 WT.74 DW.24 WT.07");
    pins_end();
}

/* A request is not the counter's first zero: without an IE overflow begins at the second one all the same. */
static void test_requested(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=14 ETMSYNCFR=2e", DEPTH, 0);
    for (uint32_t cycle = 1; cycle <= 91; cycle++) {
        if (cycle == 10)
            cairn_unit_request_sync(pins.unit);
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
    /* and it is answered at the next IE: reason 0, the address of the one in the place of which it stands */
    begin_v2_at_8000("ETMCR=10", 0);
    cairn_unit_request_sync(pins.unit);
    fail_condition(0x8004);
    run(0x8008);
    run(0x800c);
    pass(9);
    expect_cycles("IN.00 TD.09 IE.00 WT.08 WT.80 WT.00 WT.00");
    pins_end();
}

/* Nothing can be told of it in front of a packet that has the address; behind one it is Value Not Traced. */
static void test_unknown_value(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=1c", 0);
    run(0x8004); /* LDM of two */
    transfer(0x1000, 4, 0, CAIRN_UNIT_DATA_NO_VALUE);
    load(0x1004, 4, 0x12);
    pass(20);
    expect_cycles("DE.26 WT.84 WT.a0 WT.80 WT.80 WT.00 WT.12");
    run(0x8008);
    load(0x1004, 4, 5);
    transfer(0x1008, 4, 0, CAIRN_UNIT_DATA_NO_VALUE);
    pass(20);
    expect_cycles("DE.a6 WT.04 WT.05 WT.6a");
    run(0x800c);
    transfer(0x1000, 4, 0, MISSED | CAIRN_UNIT_DATA_NO_VALUE);
    pass(9);
    transfer(0, 0, 0, RETURNED);
    pass(9);
    run(0x8010);
    pass(9);
    /* no Load Miss Data without its Load Miss Occurred */
    /* proves: ETM2-6.4.3-g */
    expect_cycles("IE.00 IE.00");
    pins_end();
}

/* Whole, 22 84 a0 80 80 00, in the cycles 23 and 69, 46 apart; one byte in those before them. */
static void test_whole_addresses(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=18 ETMSYNCFR=2e", DEPTH, 0);
    run(0x8000);
    load(0x1000, 4, 0);
    for (uint32_t cycle = 23; cycle <= 69; cycle += 46) {
        const uint32_t at = 0x7ffc + 4 * cycle;
        run_on(cycle == 23 ? 0x8004 : 0x8074, at - 8);
        ignore_cycles();
        run(at - 4);
        load(0x1004, 4, 0);
        run(at);
        load(0x1004, 4, 0);
        run_on(at + 4, at + 0x18);
        /* proves: ETM2-6.5.6-a */
        expect_cycles("DE.22 DE.04 IE.22 IE.84 IE.a0 IE.80 IE.80 IE.00");
    }
    pins_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_returned_while_prohibited),
        cmocka_unit_test(test_requested),
        cmocka_unit_test(test_unknown_value),
        cmocka_unit_test(test_whole_addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
