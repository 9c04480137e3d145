/* SPDX-License-Identifier: BSD-2-Clause */
/* What software reads of an ETMv1 in ETMSR (IHI0014 3.5.5). */
#include "etmv1_bench.h"

static uint64_t status_now(void)
{
    uint64_t status = 0;

    assert_int_equal(cairn_unit_read(pins.unit, "ETMSR", &status), CAIRN_OK);
    return status;
}

/* The second load has no room. */
static void overflow_at_8004(void)
{
    pins_begin_with("ETMCR=14", 9);
    run(0x8000);
    pass(40);
    ignore_cycles();
    run(0x8004);
    load(0, 8, 0);
    load(0, 8, 0);
    run(0x8008);
}

static void write_control(uint32_t value)
{
    assert_int_equal(cairn_unit_write(pins.unit, "ETMCR", value, NULL), CAIRN_OK);
}

static void test_overflow_status(void **state)
{
    (void)state;
    overflow_at_8004();
    cairn_unit_debug_state(pins.unit, true);
    /* proves: ETM1-4.8-b */
    assert_int_equal(status_now() & 1, 1);
    pins_end();
    /* neither setting nor clearing the Programming bit takes it away, but ETMCR[0] does */
    overflow_at_8004();
    write_control(0x414);
    /* proves: ETMC-3.5.5-a */
    assert_int_equal(status_now(), 3);
    write_control(0x14);
    assert_int_equal(status_now(), 1);
    write_control(0x414);
    write_control(0x415);
    assert_int_equal(status_now(), 2);
    pins_end();
}

/* Bit 0 from v1.1 on, the others from v1.2 on. */
static void test_status_of_versions(void **state)
{
    (void)state;
    pins_begin("ETMCCR=10000000 ETMCR=14");
    write_control(0x414);
    /* proves: ETMC-3.5.5-a */
    assert_int_equal(status_now(), 0);
    pins_end();
    pins_begin("ETMCCR=20098088 ETMCR=14 ETMTSSCR=1 ETMACVR1=8004 ETMACTR1=1");
    run(0x8000);
    assert_int_equal(status_now(), 0);
    run(0x8004);
    run(0x8008);
    assert_int_equal(status_now(), 4);
    pins_end();
}

static void test_low_power(void **state)
{
    (void)state;
    overflow_at_8004(); /* and then WFI */
    cairn_unit_low_power(pins.unit, true);
    /* proves: ETM1-5.9-e */
    assert_int_equal(status_now() & 1, 1);
    cairn_unit_low_power(pins.unit, false);
    run(0x800c);
    pass(40);
    /* proves: ETM1-4.12-a */
    expect_cycles("ID.00 WT.00x7 BE*8c IE.80 IE.82 WT.80 WT.20 IE.00");
    /* proves: ETM1-5.9-e */
    assert_int_equal(status_now() & 1, 0);
    pins_end();
}

/* What switches trace on by its data is not traced itself: that is known only when its access is. Trace begins
 * with the next instruction. */
static void test_imprecise_start(void **state)
{
    (void)state;
    /* start at a data address of 0x2000 */
    pins_begin("ETMCCR=20098088 ETMCR=10 ETMTECR1=3000000 ETMTSSCR=1 ETMACVR1=2000 ETMACTR1=4");
    run(0x8000);
    load(0x1000, 4, 0);
    run(0x8004);
    load(0x2000, 4, 0);
    run(0x8008);
    pass(9);
    run(0x800c);
    /* proves: ETM1-5.8.4-a */
    expect_cycles("BE*88 IE.80 IE.82 WT.80 WT.10 IE.00 IE.00"); /* of 0x8008 and 0x800c */
    pins_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overflow_status),
        cmocka_unit_test(test_status_of_versions),
        cmocka_unit_test(test_low_power),
        cmocka_unit_test(test_imprecise_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
