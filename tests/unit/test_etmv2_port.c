/* SPDX-License-Identifier: BSD-2-Clause */
/* What an ETMv2 shows where its FIFO has no room, and of triggers (IHI0014 6.10, 6.1.7, 6.5.1): expected by hand from the
 * text. */
#include "etmv1_bench.h"

#define DEPTH 45

static void input(bool level)
{
    cairn_unit_inputs(pins.unit, level);
}

/* The TFO's packet has five bytes, and one has left: 12 of 16 are free. */
static void test_overflow(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=1c", 16, 0);
    run(0x8000);
    run(0x8004); /* 10 bytes and 5: none of them */
    load(0x1000, 4, 0x12345678);
    load(0x1004, 4, 0x12345678);
    run_on(0x8008, 0x8014);
    pass(20);
    /* proves: ETM2-6.10-a, ETM2-6.10-b */
    expect_cycles("TD.09 IE.20 WT.00 WT.80 WT.00 WT.00 TD.09 IE.40 WT.14 WT.80 WT.00 WT.00");
    pins_end();
}

static uint64_t status_now(void)
{
    uint64_t status = 0;

    assert_int_equal(cairn_unit_read(pins.unit, "ETMSR", &status), CAIRN_OK);
    return status;
}

static void write_control(uint32_t value)
{
    assert_int_equal(cairn_unit_write(pins.unit, "ETMCR", value, NULL), CAIRN_OK);
}

/* ETMSR: bit 0 says that it overflowed, bit 1 is the Programming bit. Of writes ETMCR[0] alone clears the one, and
 * none sets it. */
static void test_overflow_status(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=1c", 16, 0);
    write_control(0x41c);
    assert_int_equal(status_now(), 2);
    write_control(0x1c);
    run(0x8000);
    run(0x8004);
    load(0x1000, 4, 0x12345678);
    load(0x1004, 4, 0x12345678);
    run(0x8008);
    /* proves: ETMC-3.5.5-a */
    assert_int_equal(status_now(), 1);
    write_control(0x41c);
    assert_int_equal(status_now(), 3);
    write_control(0x41d);
    assert_int_equal(status_now(), 2);
    pins_end();
}

/* Tracing, and the end of it, leave the program alone: bit 10 of an event is no Programming bit. */
static void test_program_kept(void **state)
{
    uint64_t event = 0;

    (void)state;
    pins_begin_v2("ETMCR=10 ETMTRIGGER=1fff", DEPTH, 0);
    run(0x8000);
    write_control(0x410);
    assert_int_equal(cairn_unit_read(pins.unit, "ETMTRIGGER", &event), CAIRN_OK);
    /* proves: ETMC-3.4.3-b */
    assert_int_equal(event, 0x1fff);
    pins_end();
}

/* FIFOFULL with fewer than 40 of 45 bytes free, and a core that looks at it; not below 0x8008 (3.5.8). */
static void test_fifofull(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=94 ETMFFLR=28 ETMFFRR=1000001 ETMACVR1=8000 ETMACTR1=1 ETMACVR2=8008 "
                     "ETMACTR2=1",
                     0);
    run(0x8004);
    load(0x1000, 4, 0x12345678);
    load(0x1004, 4, 0x12345678);
    pass(2); /* 10 bytes, of which one or two are out */
    assert_false(cairn_unit_stalls(pins.unit));
    run(0x8008);
    assert_true(cairn_unit_stalls(pins.unit));
    pass(4);
    assert_false(cairn_unit_stalls(pins.unit));
    pins_end();
}

/* --- triggers --- */

#define TRIGGER "ETMTRIGGER=60" /* external input 1 */

static void test_trigger_at_tfo(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=0 " TRIGGER, DEPTH, 0);
    input(true);
    pass(1);
    run(0x8000);
    run(0x8004);
    pass(20);
    /* TD is on TRACEPKT, the offset, 09, in the two cycles behind it */
    expect_cycles("TR.7 IE.9 IE.0 WT.0 WT.2 WT.0 WT.0 WT.0 WT.8 WT.0x4");
    pins_end();
    begin_v2_at_8000("ETMCR=0 " TRIGGER, 0);
    input(true);
    pass(4);
    /* nothing else happens: WT, not TD */
    /* proves: ETM2-6.5.1-k */
    expect_cycles("TR.4");
    pins_end();
}

static void test_trigger_in_offset(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=0 " TRIGGER, DEPTH, 0);
    pass(1);
    run(0x8000);
    input(true); /* in the cycle of the high nibble */
    run(0x8004);
    pass(20);
    expect_cycles("TD.9 TR.0 IE.0 WT.0 WT.2 WT.0 WT.0 WT.0 WT.8 WT.0x4");
    pins_end();
    /* Table 6-5: a TFO in the middle of a byte, here of the Normal data 22, and a trigger in the cycle of
     * the gap nibble */
    pins_begin_v2("ETMCR=4 ETMSYNCFR=2e " TRIGGER, DEPTH, 0);
    run(0x8000);
    run_on(0x8004, 0x80ac);
    ignore_cycles();
    run(0x80b0);
    load(0x1000, 4, 0);
    run(0x80b4);
    run(0x80b8);
    run(0x80bc);
    input(true);
    run_on(0x80c0, 0x80cc);
    /* proves: ETM2-6.1.7-d */
    expect_cycles("DE.2 TD.9 IE.1 TR.0 IE.6 IE.2 IE.0 IE.0");
    pins_end();
}

/* With 4 pins and a trigger the offset is on them in the two cycles behind the TFO. Another one waits for
 * that, which is a cycle of the 14 that pass in all. */
static void test_offset_first(void **state)
{
    (void)state;
    pins_begin_v2("ETMCR=0 " TRIGGER, DEPTH, 0);
    input(true);
    pass(1);
    run(0x8000);
    run(0x9000); /* unseen in between: trace begins anew */
    pass(12);
    run(0x9004);
    /* proves: ETM2-6.1.7-d */
    expect_statuses("TR IE WT TD IE WTx8 IE");
    pins_end();
}

static void test_one_trigger(void **state)
{
    (void)state;
    begin_v2_at_8000("ETMCR=10 " TRIGGER, 0);
    input(true);
    run(0x8004);
    input(false);
    run(0x8008);
    input(true);
    run(0x800c);
    /* proves: ETM2-6.5.1-l */
    expect_statuses("TR IE IE");
    pins_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overflow),       cmocka_unit_test(test_overflow_status),
        cmocka_unit_test(test_trigger_at_tfo), cmocka_unit_test(test_trigger_in_offset),
        cmocka_unit_test(test_offset_first),   cmocka_unit_test(test_one_trigger),
        cmocka_unit_test(test_program_kept),   cmocka_unit_test(test_fifofull),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
