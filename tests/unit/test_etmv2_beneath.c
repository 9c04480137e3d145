/* SPDX-License-Identifier: BSD-2-Clause */
/* What executes beneath a load or store multiple, and trace that begins there (IHI0014 2.11.2, 6.4.4, 6.5.5): expected
 * by hand from the text. */
#include "etmv1_bench.h"

#define DEPTH 45

/* Only 0x8004 is to be traced. */
#define ONE_LDM "ETMTECR1=1 ETMACVR1=8004 ETMACTR1=1 ETMACVR2=8008 ETMACTR2=1"

static void test_kept_on(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=14 " ONE_LDM, DEPTH, 0);
    run(0x8000);
    pass(3);
    run(0x8004);
    cairn_unit_data_pending(pins.unit, 2);
    load(0x1000, 4, 0);
    pass(1);
    run(0x8008); /* beneath it */
    pass(1);
    load(0x1004, 4, 0);
    pass(1);
    run(0x800c);
    pass(20);
    /* proves: ETM2-6.4.4-c, ETM2-2.11.2-a */
    expect_cycles("TD.09 DE.20 IE.04 DW.80 WT.00 WT.00 WT.22 WT.02");
    pins_end();
}

/* Trace is on for the instruction beneath it. */
static void test_in_progress(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=14 ETMTECR1=1 ETMACVR1=8008 ETMACTR1=1 ETMACVR2=800c ETMACTR2=1", DEPTH,
                  0);
    run(0x8004);
    cairn_unit_data_pending(pins.unit, 2);
    load(0x1000, 4, 0);
    pass(2);
    run(0x8008);
    load(0x1004, 4, 7);
    pass(20);
    /* a0, the LSM, and 0x8008 compressed against it: 05; then DE is of that, the data of the LSM */
    /* proves: ETM2-6.5.5-a */
    expect_cycles("TD.09 DE.a0 WT.04 WT.80 WT.00 WT.00 WT.05 WT.26 WT.07");
    pins_end();
}

/* Only 0x8008 is to be traced, while 0x1004 is accessed. TraceEnable is looked at while 0x8008 executes, whoever
 * accesses it: if that is in its first cycle the TFO tells of both. */
#define BY_ACCESS                                                                                  \
    "ETMCR=14 ETMTECR1=1 ETMACVR1=8008 ETMACTR1=1 ETMACVR2=800c ETMACTR2=1 ETMTEEVR=2 "            \
    "ETMACVR3=1004 ETMACTR3=4"

static void test_begins_beneath(void **state)
{
    (void)state;
    pins_begin_v2(BY_ACCESS, DEPTH, 0);
    run(0x8004);
    cairn_unit_data_pending(pins.unit, 2);
    load(0x1000, 4, 0);
    pass(2);
    run(0x8008);
    load(0x1004, 4, 7);
    pass(20);
    /* proves: ETM2-6.5.5-a, ETM2-2.11.2-a */
    expect_cycles("TD.09 DE.a0 WT.04 WT.80 WT.00 WT.00 WT.05 WT.26 WT.07");
    pins_end();
    pins_begin_v2(BY_ACCESS, DEPTH, 0);
    run(0x8004);
    cairn_unit_data_pending(pins.unit, 2);
    load(0x1004, 4, 0);
    pass(2);
    run(0x8008);
    load(0x1000, 4, 7);
    pass(20);
    expect_cycles("");
    pins_end();
}

/* Nothing of where trace is prohibited is told, neither then nor behind it. */
static void test_prohibited(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=14", DEPTH, 0);
    pass(3);
    cairn_unit_prohibit(pins.unit, true);
    run(0x8004);
    cairn_unit_data_pending(pins.unit, 2);
    load(0x1000, 4, 0);
    pass(2);
    cairn_unit_prohibit(pins.unit, false);
    run(0x8010);
    pass(20);
    /* proves: ETM2-6.5.5-a */
    expect_cycles("TD.09 IE.20 WT.10 WT.80 WT.00 WT.00");
    pins_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_on),
        cmocka_unit_test(test_in_progress),
        cmocka_unit_test(test_begins_beneath),
        cmocka_unit_test(test_prohibited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
