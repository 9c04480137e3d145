/* SPDX-License-Identifier: BSD-2-Clause */
/* The ETMv3 model, data trace (IHI0014 7.4), and what decides about it: bytes worked out by hand.
 */
#include "etmv3_bench.h"

#define START_8000 "08 21 00 80 00 00 84"
#define SYNC "00 00 00 00 00 80 "
#define ID_V30 0x41000200u
#define ID_V32 0x41041220u

static void test_values(void **state)
{
    (void)state;
    bench_start(BENCH_R, "ETMCR=c", 0x8000, START_8000);
    load(0x20000000, 4, 0x12345678);
    run(0x8004);
    store(0x20000004, 2, 0xffff8001); /* as the register has it: what is beyond is not traced */
    run(0x8008);
    load(0x20000006, 1, 0);
    run(0x800c);
    expect("2e 80 80 80 80 02 78 56 34 12 84 2a 04 01 80 84 22 06 84");
    transfer(0x20000008, 4, 7, CAIRN_UNIT_DATA_BIG_ENDIAN);
    run(0x8010);
    load(0x2000000c, 4, 7);
    /* proves: ETM3-7.4.2-e */
    expect("26 88 80 80 80 12 07 84 26 8c 80 80 80 02 07");
    fail_condition(0x8014); /* transfers nothing */
    run(0x8018);
    expect("8a");
    bench_end();

    bench_start(BENCH_R, "ETMCR=8", 0x8000, START_8000);
    load(0x20000000, 4, 0x12345678);
    run(0x8004);
    store(0x20000004, 4, 1);
    expect("22 80 80 80 80 02 84 22 04"); /* addresses only */
    bench_end();
    bench_start(BENCH_R, "ETMCR=4", 0x8000, START_8000);
    load(0x20000000, 4, 0x12345678);
    run(0x8004);
    store(0x20000004, 4, 1);
    expect("2e 78 56 34 12 84 26 01"); /* values only: A has no bytes */
    bench_end();
    bench_start(BENCH_R, "", 0x8000, START_8000);
    load(0x20000000, 4, 0x12345678);
    expect("");
    bench_end();
}

/* One packet a word; an address where it is not behind the last one. */
static void test_multiple(void **state)
{
    (void)state;
    bench_start(BENCH_R, "ETMCR=c", 0x8000, START_8000);
    load(0x20000000, 4, 1); /* LDM of three */
    load(0x20000004, 4, 2);
    load(0x20000008, 4, 3);
    run(0x8004);
    load(0x20000010, 8, 0x0000000500000004); /* VLDR.64 */
    run(0x8008);
    load(0x20000020, 4, 6); /* SWP */
    store(0x20000020, 4, 7);
    /* proves: ETM3-7.4-b */
    expect("26 80 80 80 80 02 01 06 02 06 03 84 26 10 04 06 05 84 26 20 06 26 20 07");
    run(0x800c);
    transfer(0x20000030, 8, 0x0000000500000004, CAIRN_UNIT_DATA_BIG_ENDIAN);
    expect("84 26 b0 80 80 80 12 05 06 04"); /* the memory's view: the upper word is first */
    bench_end();
    /* ETMv3.0 gives SWP one address. */
    bench_start(ID_V30, "ETMCR=c", 0x8000, START_8000);
    load(0x20000020, 4, 6);
    store(0x20000020, 4, 7);
    expect("26 a0 80 80 80 02 06 06 07");
    bench_end();
}

/* ETMVDCR3 includes data addresses 20000008 to 20000010: part of a load multiple (7.4.5). */
static void test_partial(void **state)
{
    (void)state;
    bench_start(BENCH_R,
                "ETMCR=c ETMVDCR3=1 ETMACVR1=20000008 ETMACVR2=20000010 ETMACTR1=1c ETMACTR2=1c",
                0x8000, START_8000);
    for (uint32_t i = 0; i < 6; i++)
        load(0x20000000 + 4 * i, 4, i + 1);
    run(0x8004);
    load(0x20000000, 4, 9);
    /* proves: ETMC-2.6.5-a */
    expect("26 88 80 80 80 02 03 06 04 6a 6a 84");
    run(0x8008);
    load(0x2000000f, 4, 5);  /* its first byte is inside (2.7.2) */
    store(0x20000000, 4, 6); /* not behind the load: a Value not traced has an address too */
    expect("84 26 0f 05 7a 00");
    bench_end();
}

static void test_store_failed(void **state)
{
    const uint32_t flags =
        CAIRN_UNIT_DATA_STORE | CAIRN_UNIT_DATA_EXCLUSIVE | CAIRN_UNIT_DATA_FAILED;

    (void)state;
    bench_start(BENCH_R, "ETMCR=c", 0x8000, START_8000);
    transfer(0x20000000, 4, 0x1234, flags);
    expect("22 80 80 80 80 02 50"); /* the value is 0 */
    bench_end();
    bench_start(BENCH_R, "ETMCR=8", 0x8000, START_8000);
    transfer(0x20000000, 4, 0x1234, flags);
    expect("22 80 80 80 80 02"); /* with values only */
    bench_end();
}

/* A feed that does not know the value. */
static void test_no_value(void **state)
{
    (void)state;
    bench_start(BENCH_R, "ETMCR=c", 0x8000, START_8000);
    transfer(0x20000000, 4, 0x1234, CAIRN_UNIT_DATA_NO_VALUE);
    load(0x20000004, 4, 1);
    expect("7a 80 80 80 80 02 06 01");
    bench_end();
}

static void test_coprocessor(void **state)
{
    const uint32_t mcr = CAIRN_UNIT_DATA_COPROCESSOR | CAIRN_UNIT_DATA_STORE;

    (void)state;
    bench_start(BENCH_R, "ETMCR=c", 0x8000, START_8000);
    transfer(0, 4, 0x12, mcr);
    /* proves: ETM3-4.11.3-a */
    expect("");
    bench_end();
    bench_start(BENCH_R, "ETMCR=6", 0x8000, START_8000);
    transfer(0, 4, 0x12, mcr);
    /* proves: ETM3-4.11.3-a */
    expect("06 12");
    bench_end();
    bench_start(BENCH_R, "ETMCR=8000e ETMVDEVR=406f", 0x8000, START_8000);
    transfer(0, 4, 0x12, mcr);
    /* proves: ETM3-4.11.3-a */
    expect("");
    bench_end();
    bench_start(BENCH_R, "ETMCR=8000e", 0x8000, START_8000);
    transfer(0, 4, 0x12, mcr);
    /* proves: ETM3-4.11.3-a */
    expect("06 12");
    bench_end();
}

/* Values of loads come three instructions behind their placeholders. */
static void test_out_of_order(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    (void)state;
    options.choices = CAIRN_UNIT_DATA_OUT_OF_ORDER;
    bench_begin_with(BENCH_R, "ETMCR=c", options);
    run(0x8000);
    load(0x20000000, 4, 0x12);
    run(0x8004);
    load(0x20000010, 8, 0x0000000500000004);
    run(0x8008);
    store(0x20000020, 4, 7);
    run(0x800c);
    run(0x8010);
    run(0x8014);
    /* proves: ETM3-7.4.3-h */
    expect(SYNC START_8000 "74 80 80 80 80 02 84 78 10 58 84 26 20 07 24 12 84 44 04 44 05 88");
    bench_end();
    /* The value of what was traced comes also when nothing is traced any more. */
    bench_begin_with(BENCH_A,
                     "ETMCR=c ETMTECR1=1 ETMACVR1=8000 ETMACVR2=8004 ETMACTR1=19 "
                     "ETMACTR2=19",
                     options);
    run(0x8000);
    load(0x20000000, 4, 0x12);
    for (uint32_t i = 1; i < 4; i++)
        run(0x8000 + 4 * i);
    /* proves: ETM3-7.4.3-g */
    expect(SYNC START_8000 "74 80 80 80 80 02 24 12");
    bench_end();
    bench_begin_with(BENCH_A, "ETMCR=c", options);
    run(0x8000);
    load(0x20000000, 4, 0x12);
    cairn_unit_prohibit(bench.unit, true);
    for (uint32_t i = 1; i < 4; i++)
        run(0x8000 + 4 * i);
    /* proves: ETM3-2.6.2-c */
    expect(SYNC START_8000 "74 80 80 80 80 02 24 12");
    bench_end();
    /* A core that waits has its loads behind it. */
    bench_begin_with(BENCH_A, "ETMCR=c", options);
    run(0x8000);
    load(0x20000000, 4, 0x12);
    cairn_unit_low_power(bench.unit, true);
    /* proves: ETM3-7.4.3-g, ETM3-4.12-a */
    assert_int_equal(bench.bytes[bench.size - 1], 0x12);
    bench_end();
}

static void begin_suppressing(uint32_t id)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    options.fifo_bytes = 256;
    options.fifo_drain = 16;
    /* Less than 240 free bytes: from 17 in the FIFO on. */
    bench_begin_with(id, "ETMCR=4000c ETMFFLR=f0", options);
    run(0x8000);
}

/* Values that come late are data packets, too; and without a placeholder there is none. */
static void test_suppressed_late(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    (void)state;
    options.choices = CAIRN_UNIT_DATA_OUT_OF_ORDER;
    options.fifo_bytes = 256;
    options.fifo_drain = 16;
    bench_begin_with(BENCH_R, "ETMCR=4000c ETMFFLR=f0", options);
    run(0x8000);
    load(0x20000000, 4, 1); /* 13 bytes are in, then 19 */
    run(0x8004);
    run(0x8008);
    run(0x800c);
    cairn_unit_cycles(bench.unit, 100);
    run(0x8010);
    load(0x20000004, 4, 2);
    run(0x8014);
    run(0x8018);
    run(0x801c);
    /* proves: ETM3-7.4.6-a */
    expect(SYNC START_8000 "74 80 80 80 80 02 88 62 88 74 04 88 24 02 84");
    bench_end();
    bench_begin_with(BENCH_R, "ETMCR=4000c ETMFFLR=f0", options);
    run(0x8000);
    load(0x20000000, 8, 0x200000001); /* the second half has no placeholder any more */
    cairn_unit_cycles(bench.unit, 100);
    run(0x8004);
    run(0x8008);
    run(0x800c);
    expect(SYNC START_8000 "74 80 80 80 80 02 62 88 24 01 84");
    bench_end();
}

static void test_suppression(void **state)
{
    (void)state;
    begin_suppressing(BENCH_R);
    load(0x20000000, 4, 0x12345678); /* 13 bytes are in, then 23 */
    run(0x8004);
    load(0x20000004, 4, 1);
    load(0x20000008, 4, 2);
    run(0x8008);
    load(0x2000000c, 4, 3);
    run(0x800c);
    cairn_unit_cycles(bench.unit, 100);
    load(0x20000010, 4, 4);
    run(0x8010);
    load(0x20000014, 4, 5);
    /* proves: ETM3-7.4.6-a */
    expect(SYNC START_8000 "2e 80 80 80 80 02 78 56 34 12 84 62 88 26 10 04 84 26 14 05");
    bench_end();
    /* The rest of the instruction is left out as well. */
    begin_suppressing(BENCH_R);
    load(0x20000000, 4, 0x12345678);
    load(0x20000004, 4, 1);
    cairn_unit_cycles(bench.unit, 100);
    load(0x20000008, 4, 2);
    run(0x8004);
    load(0x2000000c, 4, 3);
    /* proves: ETM3-7.4.6-c */
    expect(SYNC START_8000 "2e 80 80 80 80 02 78 56 34 12 62 84 26 0c 03");
    bench_end();
    /* Nothing to suppress: nothing is told. */
    begin_suppressing(BENCH_R);
    load(0x20000000, 4, 0x12345678);
    run(0x8004);
    cairn_unit_cycles(bench.unit, 100);
    run(0x8008);
    load(0x20000004, 4, 1);
    /* proves: ETM3-7.4.6-b */
    expect(SYNC START_8000 "2e 80 80 80 80 02 78 56 34 12 88 26 04 01");
    bench_end();
    /* An I-sync that is due waits for room. */
    begin_suppressing(BENCH_R);
    load(0x20000000, 4, 0x12345678);
    cairn_unit_request_sync(bench.unit);
    run(0x8004);
    run(0x8008);
    cairn_unit_cycles(bench.unit, 100);
    run(0x800c);
    /* proves: ETM3-7.4.6-f */
    expect(SYNC START_8000 "2e 80 80 80 80 02 78 56 34 12 88 " SYNC "08 01 0c 80 00 00 84");
    bench_end();
    /* Up to ETMv3.2 the address behind it is whole. */
    begin_suppressing(ID_V32);
    load(0x20000000, 4, 0x12345678);
    run(0x8004);
    load(0x20000004, 4, 1);
    run(0x8008);
    cairn_unit_cycles(bench.unit, 100);
    load(0x20000008, 4, 2);
    expect(SYNC START_8000 "2e 80 80 80 80 02 78 56 34 12 84 62 84 26 88 80 80 80 02 02");
    bench_end();
}

static void test_data_only(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMCR=10400c"); /* a byte of context ID */
    context_id(0x11);
    run(0x8000);
    load(0x20000000, 4, 0x12);
    jump(0x8004);
    store(0x20000004, 4, 0x13);
    context_id(0x22);
    run(0x9000);
    except(CAIRN_EXCEPTION_IRQ, 0x9004);
    run(0x18);
    load(0x20000008, 4, 0x14);
    /* proves: ETM3-7.4.10-b */
    expect(SYNC "08 11 21 26 80 80 80 80 02 12 26 04 13 6e 22 26 08 14");
    bench_end();
}

/* On other profiles than M the packet stands next to the P-header of the instruction, in front of
 * what an RFE loads. */
static void test_return_with_data(void **state)
{
    (void)state;
    bench_begin(BENCH_A, "ETMCR=c");
    run(0x8000);
    (void)cairn_unit_position(bench.unit);
    bench.checked = bench.size;
    exception_return(0x8004);
    load(0x20000000, 4, 1);
    load(0x20000004, 4, 2);
    expect("84 76 26 80 80 80 80 02 01 06 02");
    bench_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),           cmocka_unit_test(test_multiple),
        cmocka_unit_test(test_partial),          cmocka_unit_test(test_store_failed),
        cmocka_unit_test(test_no_value),         cmocka_unit_test(test_coprocessor),
        cmocka_unit_test(test_out_of_order),     cmocka_unit_test(test_suppression),
        cmocka_unit_test(test_suppressed_late),  cmocka_unit_test(test_data_only),
        cmocka_unit_test(test_return_with_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
