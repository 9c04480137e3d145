/* SPDX-License-Identifier: BSD-2-Clause */
/* Data, exceptions, filters, overflow, the trigger and wide ports of an ETMv1 (IHI0014 chapter 5). */
#include "etmv1_bench.h"

#include "unit/etmv1/port.h"

/* On, at 0x8000, and everything out. */
static void begin_at_8000(const char *program, uint32_t fifo_bytes)
{
    pins_begin_with(program, fifo_bytes);
    run(0x8000);
    pass(40);
    ignore_cycles();
}

/* --- data --- */

static void test_statuses_of_data(void **state)
{
    (void)state;
    /* ViewData for the data addresses 0x2000 to 0x2fff */
    begin_at_8000("ETMCR=14 ETMVDCR3=1 ETMACVR1=2000 ETMACTR1=4 ETMACVR2=3000 ETMACTR2=4", 45);
    run(0x8004);
    load(0x1000, 1, 0x11);
    run(0x8008);
    load(0x2000, 1, 0x22);
    jump(0x800c);
    load(0x1000, 4, 0x8000);
    run(0x8000);
    pass(9);
    jump(0x8004);
    load(0x2000, 4, 0x8000);
    run(0x8000);
    pass(9);
    /* proves: ETM1-5.7.1-a */
    expect_cycles("IE.00 ID.22 BE*00 IE.00 IE.00 IE.00 BD.00 IE.80 IE.00 WT.00 WT*00 IE.00");
    pins_end();
}

static void test_multiple(void **state)
{
    (void)state;
    /* What is loaded first decides, for all: ViewData is active for 0x2000 alone. */
    begin_at_8000("ETMCR=14 ETMVDCR3=1 ETMACVR1=2000 ETMACTR1=4 ETMACVR2=2004 ETMACTR2=4", 45);
    run(0x8004);
    load(0x2000, 4, 0x44332211);
    pass(5);
    load(0x2004, 4, 0x88776655);
    pass(6);
    run(0x8008);
    load(0x1ffc, 4, 0x44332211);
    load(0x2000, 4, 0x88776655);
    run(0x800c);
    /* proves: ETM1-5.7.2-a, ETM1-5.3-a, ETM1-5.3-b */
    expect_cycles("WT.11 WT.22 WT.33 WT.44 WT.55 WT.66 WT.77 WT.88 ID.00 IE.00 IE.00");
    pins_end();
}

/* A group begins behind the status of the instruction before, and behind the offset of a branch, and
 * directly behind what is in the FIFO. */
static void test_groups(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=14", 45);
    run(0x8004);
    load(0, 2, 0x2211);
    run(0x8008);
    load(0, 1, 0x33);
    jump(0x800c);
    run(0x8010);
    load(0, 1, 0x44);
    pass(9);
    run(0x8014);
    /* proves: ETM1-5.3-d, ETM1-5.3-f */
    expect_cycles("ID.11 ID.22 BE.33 IE*10 IE.00 WT.44 ID.00 IE.00");
    pins_end();
}

static void test_data_addresses(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=1c", 45);
    run(0x8004);
    load(0x20000, 1, 0xaa);
    pass(20);
    run(0x8008);
    load(0x20010, 4, 0x44332211);
    load(0x20014, 4, 0x88776655);
    pass(20);
    run(0x800c);
    pass(1000);
    run(0x8010);
    load(0x20010, 1, 0xbb);
    pass(20);
    for (size_t i = 0; i < cycle_count(); i++) {
        /* proves: ETM1-5.7.3-c */
        assert_int_equal(cycle_at(i).flags, 0);
    }
    /* proves: ETM1-5.7.5-a */
    expect_cycles("WT.80 WT.80 WT.88 WT.80 WT.00 WT.aa ID.00 "
                  "WT.10 WT.11 WT.22 WT.33 WT.44 WT.55 WT.66 WT.77 WT.88 ID.00 "
                  "IE.00 WT.90 WT.80 WT.88 WT.80 WT.00 WT.bb ID.00");
    pins_end();
}

static void test_values(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=14", 45);
    run(0x8004);
    load(0, 1, 0xab); /* LDRSB: as it is in memory */
    run(0x8008);
    transfer(0, 2, 0x2211, CAIRN_UNIT_DATA_BIG_ENDIAN);
    pass(3); /* of which the last instruction took one */
    run(0x800c);
    transfer(0, 4, 0, CAIRN_UNIT_DATA_COPROCESSOR); /* ETMCR[1] is 0 */
    /* proves: ETM1-4.9.2-b */
    expect_cycles("ID.ab WT.22 ID.11 IE.00");
    pins_end();
}

/* Which byte is the highest is not in the trace, but in what is told of the core. */
static void expect_big_endian(const char *program, uint32_t flags, uint64_t wanted)
{
    uint64_t value = 0;

    begin_at_8000(program, 45);
    run(0x8004);
    transfer(0, 2, 0x2211, flags);
    pass(3);
    run(0x8008);
    assert_int_equal(cairn_unit_read(pins.unit, "BIGENDIAN", &value), CAIRN_OK);
    assert_int_equal(value, wanted);
    expect_cycles(wanted ? "WT.22 WT.11 ID.00 IE.00" : "WT.11 WT.22 ID.00 IE.00");
    pins_end();
}

static void test_big_endian(void **state)
{
    (void)state;
    /* proves: ETM1-4.9.2-b */
    expect_big_endian("ETMCR=14", 0, 0);
    expect_big_endian("ETMCR=14", CAIRN_UNIT_DATA_BIG_ENDIAN, 1);
    expect_big_endian("ETMCR=14 BIGENDIAN=1", 0, 1);
}

/* Moves of coprocessors go by ETMCR[1] alone. */
static void test_coprocessor(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=1e ETMVDEVR=406f", 45);
    run(0x8004);
    load(0x2000, 4, 0x44332211);
    run(0x8008);
    transfer(0, 4, 0x44332211, CAIRN_UNIT_DATA_COPROCESSOR);
    pass(8);
    /* proves: ETM1-4.11.3-b */
    expect_cycles("IE.00 WT.11 WT.22 WT.33 WT.44 ID.00");
    pins_end();
}

/* PLD is none of the instructions that transfer. */
static void test_preload(void **state)
{
    const uint8_t code[] = {0x00, 0xf0, 0xd0, 0xf5,  /* PLD [r0] */
                            0x00, 0x00, 0x90, 0xe5}; /* LDR r0, [r0] */
    struct cairn_block block;

    (void)state;
    pins_begin("ETMCR=14");
    (void)cairn_unit_scan(pins.unit, CAIRN_ISA_A32, 0x8000, code, sizeof code, &block);
    assert_int_equal(block.size, 8);
    cairn_unit_execute(pins.unit, &block, true);
    load(0, 4, 0);
    /* proves: ETM1-4.6.3-a */
    expect_statuses("BE IE IE IE ID");
    pins_end();
}

/* --- exceptions --- */

static void test_exceptions(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=10", 45);
    except(CAIRN_EXCEPTION_IRQ, 0x8004); /* an instruction that has not been told is cancelled */
    run(0x18);
    pass(9);
    jump(0x1c);
    run(0x8004); /* an SVC */
    pass(9);
    except(CAIRN_EXCEPTION_CALL, 0x8008);
    run(0x8);
    pass(9);
    /* proves: ETM1-5.1-b */
    expect_cycles("BE*98 IE.80 IE.00 IE.00 BE*84 IE.80 IE.02 BE*88 IE.80 IE.00 IE.00");
    pins_end();
}

static void test_abort(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=14", 45);
    run(0x8004);
    load(0, 4, 0x44332211);
    transfer(4, 4, 0x88776655, CAIRN_UNIT_DATA_ABORTED);
    pass(9);
    except(CAIRN_EXCEPTION_DATA_FAULT, 0x8004);
    run(0x10);
    pass(9);
    /* proves: ETM1-5.7.4-a */
    expect_cycles("WT.11 WT.22 WT.33 WT.44 WT.55 WT.66 WT.77 WT.88 BD*90 IE.80 IE.00 IE.00");
    pins_end();
}

static void test_reset(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=10", 45);
    run(0x8004);
    except(CAIRN_EXCEPTION_PE_RESET, 0);
    pass(20);
    run(0x0);
    pass(9);
    /* proves: ETM1-4.5.3-h */
    expect_cycles("BE*80 IE.80 IE.00 IE.00");
    pins_end();
}

/* An SVC that is not traced says nothing, though trace is on for what is behind it. */
static void test_untraced_call(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=10 ETMTECR1=1 ETMACVR1=9000 ETMACTR1=1 ETMACVR2=9100 ETMACTR2=1", 45);
    run(0x8ffc);
    except(CAIRN_EXCEPTION_CALL, 0x9000);
    cairn_unit_prohibit(pins.unit, true);
    cairn_unit_prohibit(pins.unit, false);
    run(0x9000);
    pass(9);
    expect_cycles("BE*80 IE.a0 IE.82 WT.80 WT.10 IE.00");
    pins_end();
}

/* An emulator of user programs shows nothing behind the vector. */
static void test_hidden_handler(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=10", 45);
    run(0x8004);
    except(CAIRN_EXCEPTION_CALL, 0x8008);
    cairn_unit_prohibit(pins.unit, true);
    cairn_unit_prohibit(pins.unit, false);
    pass(20);
    run(0x8008);
    pass(9);
    expect_cycles("BE*88 IE.80 IE.00 BE*88 IE.80 IE.82 WT.80 WT.10 IE.00");
    pins_end();
}

/* --- trace on and off --- */

static void test_debug(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=14", 45);
    run(0x8004);
    load(0, 4, 0x44332211);
    except(CAIRN_EXCEPTION_DEBUG_HALT, 0x8008);
    cairn_unit_debug_state(pins.unit, true);
    run(0x100);
    load(0, 4, 0);
    pass(20);
    cairn_unit_debug_state(pins.unit, false);
    run(0x8008);
    pass(9);
    /* proves: ETM1-4.8-a */
    expect_cycles("ID.11 WT.22 WT.33 WT.44 BE*88 IE.80 IE.82 WT.80 WT.30 IE.00");
    pins_end();
}

/* Trace is on for 0x8000 to 0x80ff: the rest of the data comes with WT, then there is TD. */
static void test_trace_enable(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=1014 ETMTECR1=1 ETMACVR1=8000 ETMACTR1=1 ETMACVR2=8100 ETMACTR2=1", 45);
    branch(0x8004, 0x9000);
    load(0, 4, 0x44332211);
    run(0x9000);
    load(0, 4, 0x55555555);
    pass(20);
    branch(0x9004, 0x8008);
    pass(20);
    run(0x8008);
    pass(9);
    /* proves: ETM1-5.8.2-a, ETM1-5.8.3-a */
    expect_cycles("ID.11 WT.22 WT.33 WT.44 BE*88 IE.80 IE.82 WT.80 WT.10 TD.01x3 IE.01");
    pins_end();
}

/* Where trace begins again a branch address may still be on its way. */
static void test_trace_enable_with_an_offset(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=4 ETMTECR1=1 ETMACVR1=8000 ETMACTR1=1 ETMACVR2=8100 ETMACTR2=1", 45);
    jump(0x8004);
    for (unsigned i = 0; i < 3; i++)
        load(4 * i, 4, 0); /* 24 halves of packets; then 4 of an address */
    branch(0x9000, 0x8008);
    run(0x8008);
    pass(80);
    (void)cycle_count();
    for (size_t i = 0; i < 38; i++)
        assert_int_equal(cycle_at(i).flags, i == 24 || i == 28 ? CAIRN_SAMPLE_SYNC : 0);
    /* proves: ETM1-5.8.1-a */
    expect_statuses("BD IE IE WT BE ID IE WTx31 IE");
    pins_end();
}

/* --- overflow --- */

static void test_overflow(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=14", 9);
    run(0x8004);
    load(0, 4, 0x44332211);
    load(4, 4, 0x88776655);
    load(8, 4, 0); /* has no room */
    run(0x8008);
    run(0x800c);
    pass(20);
    run(0x8010);
    pass(9);
    /* proves: ETM1-5.9-a, ETM1-5.9-b */
    expect_cycles("ID.11 WT.22 WT.33 WT.44 WT.55 WT.66 WT.77 WT.88 "
                  "BE*90 IE.80 IE.82 WT.80 WT.20 IE.00");
    pins_end();
}

/* A branch whose address has no room, on four pins: each address takes ten cycles. */
static void test_overflow_of_a_branch(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=0", 9);
    jump(0x8004);
    jump(0x10008000); /* four and a half bytes wait, less one */
    jump(0x20008000); /* seven wait */
    run(0x30008000);  /* no status, but what waits is shown */
    pass(20);
    run(0x30008004);
    pass(20);
    expect_statuses("BE IE IE BE IE IE WTx14 BE IE IE WTx7 IE");
    pins_end();
}

static void test_fifofull(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=94 ETMFFLR=20", 45);
    assert_false(cairn_unit_stalls(pins.unit));
    run(0x8004);
    load(0, 8, 0);
    load(0, 8, 0); /* 29 are free, fewer than 32 */
    /* proves: ETM1-5.9.1-a */
    assert_true(cairn_unit_stalls(pins.unit));
    pass(4);
    assert_false(cairn_unit_stalls(pins.unit));
    pins_end();

    /* The same, where FIFOFULL is permitted at 0x8100 to 0x81ff alone. */
    begin_at_8000("ETMCR=94 ETMFFLR=20 ETMFFRR=1 ETMACVR1=8100 ETMACTR1=1 ETMACVR2=8200 "
                  "ETMACTR2=1",
                  45);
    branch(0x8004, 0x8100);
    load(0, 8, 0);
    load(0, 8, 0);
    assert_false(cairn_unit_stalls(pins.unit));
    run(0x8100);
    /* proves: ETM1-5.9.1-a */
    assert_true(cairn_unit_stalls(pins.unit)); /* one byte has left */
    pins_end();
}

/* Without a depth nothing overflows, and every offset is 0. */
static void test_waits_for_pins(void **state)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    (void)state;
    pins_begin_with("ETMCR=4", 0);
    for (unsigned n = 0; n < 100; n++) {
        jump(n % 2 ? 0x8000 : 0x70008000);
        load(0, 8, 0);
    }
    run(0x8000);
    for (size_t i = 0; i + 2 < cycle_count(); i++)
        if (cycle_at(i).pipestat == 4 || cycle_at(i).pipestat == 5) {
            assert_int_equal(cycle_at(i + 1).pipestat, 0);
            assert_int_equal(cycle_at(i + 2).pipestat, 0);
        }
    cairn_unit_counters(pins.unit, &counters);
    assert_int_equal(counters.overflows, 0);
    assert_true(counters.stalled > 0);
    pins_end();
}

/* --- the trigger --- */

static void test_trigger(void **state)
{
    (void)state;
    begin_at_8000("ETMCR=14 ETMTRIGGER=60", 45);
    run(0x8004);
    load(0, 2, 0x2211);
    cairn_unit_inputs(pins.unit, 1);
    run(0x8008);
    pass(9);
    cairn_unit_inputs(pins.unit, 0);
    cairn_unit_inputs(pins.unit, 1); /* there is one trigger */
    run(0x800c);
    /* proves: ETM1-5.1.1-b */
    expect_cycles("TR.01 WT.11 WT.22 IE.00 IE.00");
    pins_end();

    begin_at_8000("ETMCR=14 ETMTRIGGER=60", 45);
    cairn_unit_inputs(pins.unit, 1);
    pass(9);
    run(0x8004);
    expect_cycles("TR.07 IE.00");
    pins_end();
}

/* What is hidden by it comes a cycle later: halves of packets, offsets, TRACESYNC. */
static void test_trigger_anywhere(void **state)
{
    static struct cairn_etmv1_port port;
    const uint8_t bytes[] = {0x80, 0x12};

    (void)state;
    for (unsigned at = 0; at < 6; at++) {
        static const uint8_t statuses[] = {4, 1, 0, 3, 7, 7};
        static const uint8_t nibbles[] = {0, 8, 2, 1};
        unsigned seen = 0;

        port = (struct cairn_etmv1_port){
            .pins = {.depth = 45, .width = 4}, .cycle_accurate = true, .counts = true};
        cairn_etmv1_port_push(&port, bytes, sizeof bytes, true);
        for (unsigned cycle = 0; cycle < 6; cycle++) {
            port.pins.triggers = cycle == at;
            if (cycle < 3)
                cairn_etmv1_port_status(&port, statuses[cycle]);
            else
                cairn_etmv1_port_wait(&port, 1);
        }
        for (unsigned cycle = 0; cycle < 6; cycle++) {
            const struct cairn_sample sample = cairn_sample_load(port.pins.samples + 4 * cycle);

            if (cycle == at) {
                assert_int_equal(sample.pipestat, 6);
                assert_int_equal(sample.packet, cycle < 3 ? statuses[cycle] : seen < 4 ? 3 : 7);
                assert_int_equal(sample.flags, 0);
                continue;
            }
            assert_int_equal(sample.packet, seen < 4 ? nibbles[seen] : 1);
            assert_int_equal(sample.flags, seen == 0 ? CAIRN_SAMPLE_SYNC : 0);
            seen++;
        }
    }
}

/* --- sixteen pins --- */

static void test_wide(void **state)
{
    (void)state;
    pins_begin("ETMCR=24");
    run(0x8000);
    pass(10);
    run(0x8004);
    load(0, 1, 0xaa);
    pass(10); /* a lone packet waits for the status */
    run(0x8008);
    load(0, 2, 0x2211);
    pass(4);
    jump(0x800c);
    load(0, 1, 0xbb);
    run(0x8010);
    /* proves: ETM1-5.3.1-a, ETM1-5.3.1-b */
    expect_cycles("BE*8080 IE.8082 IE.0010 IE.0000 ID.00aa WT.2211 ID.0000 BD.00bb IE*0010 "
                  "IE.0000 IE.0000");
    pins_end();
}

/* Where trace goes off it does not wait. */
static void test_wide_drain(void **state)
{
    (void)state;
    pins_begin("ETMCR=24 ETMTECR1=1 ETMACVR1=8000 ETMACTR1=1 ETMACVR2=8100 ETMACTR2=1");
    run(0x8000);
    pass(10);
    ignore_cycles();
    branch(0x8004, 0x9000);
    load(0, 4, 0x44332211);
    load(0, 1, 0x55);
    run(0x9000);
    pass(10);
    /* proves: ETM1-5.3.1-a */
    expect_cycles("ID.2211 WT.4433 WT.0055");
    pins_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_big_endian),     cmocka_unit_test(test_statuses_of_data),
        cmocka_unit_test(test_multiple),       cmocka_unit_test(test_groups),
        cmocka_unit_test(test_data_addresses), cmocka_unit_test(test_values),
        cmocka_unit_test(test_coprocessor),    cmocka_unit_test(test_preload),
        cmocka_unit_test(test_exceptions),     cmocka_unit_test(test_abort),
        cmocka_unit_test(test_reset),          cmocka_unit_test(test_untraced_call),
        cmocka_unit_test(test_hidden_handler), cmocka_unit_test(test_debug),
        cmocka_unit_test(test_trace_enable),   cmocka_unit_test(test_trace_enable_with_an_offset),
        cmocka_unit_test(test_overflow),       cmocka_unit_test(test_overflow_of_a_branch),
        cmocka_unit_test(test_fifofull),       cmocka_unit_test(test_waits_for_pins),
        cmocka_unit_test(test_trigger),        cmocka_unit_test(test_trigger_anywhere),
        cmocka_unit_test(test_wide),           cmocka_unit_test(test_wide_drain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
