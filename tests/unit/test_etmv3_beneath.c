/* SPDX-License-Identifier: BSD-2-Clause */
/* The ETMv3 model with a core that goes on while a load or store is on its way (IHI0014 2.11.2):
 * what is traced, and LSiP I-syncs (7.7.3). Bytes worked out by hand. */
#include "etmv3_bench.h"

#define SYNC "00 00 00 00 00 80 "
#define RANGE_1(LOW, HIGH) " ETMACVR1=" LOW " ETMACVR2=" HIGH " ETMACTR1=19 ETMACTR2=19 ETMTECR1=1"
/* TraceEnable by data addresses. */
#define DATA_RANGE_1(LOW, HIGH)                                                                    \
    " ETMACVR1=" LOW " ETMACVR2=" HIGH " ETMACTR1=1c ETMACTR2=1c ETMTECR1=1"

static void pending(uint32_t transfers)
{
    cairn_unit_data_pending(bench.unit, transfers);
}

/* Trace is on for the load alone. */
static void test_kept_on(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMCR=c" RANGE_1("8000", "8004"));
    run(0x8000);
    load(0x20000000, 4, 1);
    pending(2);
    run(0x8004);
    load(0x20000004, 4, 2);
    fail_condition(0x8008);
    load(0x20000008, 4, 3);
    run(0x800c);
    /* proves: ETM3-7.7.3-t, ETM3-7.4.5-b, ETMC-2.6.4-f */
    expect(SYNC "08 21 00 80 00 00 84 26 80 80 80 80 02 01 84 06 02 c0 06 03");
    bench_end();
}

/* Trace is on for what executes beneath the load. */
static void test_begins_beneath(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMCR=c" RANGE_1("8004", "8008"));
    run(0x8000);
    load(0x20000000, 4, 1);
    pending(1);
    run(0x8004);
    load(0x20000004, 4, 2);
    run(0x8008);
    /* proves: ETM3-7.7.3-t, ETM3-7.7.3-p */
    expect(SYNC "08 a1 00 80 00 00 03 84 26 84 80 80 80 02 02");
    bench_end();
    /* Cycle-accurate: five before the load, three beneath it, of which the last is the other's. */
    bench_begin(BENCH_R, "ETMCR=100c" RANGE_1("8004", "8008"));
    cairn_unit_cycles(bench.unit, 5);
    run(0x8000);
    pending(1);
    cairn_unit_cycles(bench.unit, 3);
    run(0x8004);
    load(0x20000000, 4, 1);
    /* proves: ETM3-7.7.3-p */
    expect(SYNC "70 07 a1 00 80 00 00 03 84 26 80 80 80 80 02 01");
    bench_end();
}

/* Trace is on because of a transfer. */
static void test_begins_by_transfer(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMCR=c" DATA_RANGE_1("20000000", "20000010"));
    run(0x8000);
    load(0x20000000, 4, 1);
    /* proves: ETMC-2.6.4-l */
    expect(SYNC "08 21 00 80 00 00 84 26 80 80 80 80 02 01");
    run(0x8004); /* the range holds up to the next transfer */
    load(0x30000000, 4, 2);
    run(0x8008);
    expect("84 26 80 80 80 80 03 02");
    run(0x800c);
    pending(1);
    run(0x8010);
    load(0x20000004, 4, 3);
    /* proves: ETM3-7.7.3-p, ETMC-2.11.2-a */
    expect("08 a1 0c 80 00 00 09 84 26 84 80 80 80 02 03");
    run(0x8014);
    load(0x30000000, 4, 5);
    expect("84 26 80 80 80 80 03 05");
    run(0x8018);
    pending(1);
    run(0x801c);
    cairn_unit_cycles(bench.unit, 1); /* it has ended */
    load(0x20000008, 4, 6);
    run(0x8020);
    /* proves: ETM3-7.7.3-p */
    expect("08 21 18 80 00 00 26 88 80 80 80 02 06 11 84");
    bench_end();
}

/* The security states of the load, and of what executes beneath it. */
static void test_security(void **state)
{
    (void)state;
    bench_begin(BENCH_A, "ETMCR=c" RANGE_1("8004", "8008"));
    secure(false, 1);
    run(0x8000);
    pending(1);
    run(0x8004);
    load(0x20000000, 4, 1);
    expect(SYNC "08 a9 00 80 00 00 03 84 26 80 80 80 80 02 01");
    bench_end();
    bench_begin(BENCH_A, "ETMCR=c" RANGE_1("8004", "8008"));
    run(0x8000);
    pending(1);
    secure(false, 1);
    run(0x8004);
    load(0x20000000, 4, 1);
    expect(SYNC "08 a1 00 80 00 00 83 80 81 80 48 01 84 26 80 80 80 80 02 01");
    bench_end();
}

/* ViewData includes the data of the instruction at 0x8000. */
static void test_view_data(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMCR=c ETMVDCR3=0 ETMVDCR1=1 ETMACVR1=8000 ETMACTR1=19");
    run(0x8000);
    pending(1);
    run(0x8004);
    load(0x20000000, 4, 1);
    run(0x8008);
    load(0x20000004, 4, 2);
    /* proves: ETMC-2.11.2-a */
    expect(SYNC "08 21 00 80 00 00 88 26 80 80 80 80 02 01 84");
    bench_end();
}

/* An overflow beneath the load: the I-sync behind it tells of both. */
static void test_overflow(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    uint32_t at = 0x8000;

    (void)state;
    options.fifo_bytes = 128;
    options.fifo_drain = 16;
    bench_begin_with(BENCH_R, "ETMCR=c", options);
    run(at);
    pending(1);
    jump(at + 4);
    for (unsigned i = 0; i < 20; i++) { /* two far apart: 6 bytes a jump */
        at ^= 0xc0000000;
        jump(at);
    }
    cairn_unit_flush(bench.unit);
    bench.checked = bench.size;
    cairn_unit_cycles(bench.unit, 1000);
    run(0x8010);
    load(0x20000000, 4, 1);
    run(0x8014);
    /* proves: ETM3-7.7.3-p */
    expect(SYNC "08 c1 00 80 00 00 09 84 26 80 80 80 80 02 01 84");
    bench_end();
}

/* Nothing is on its way any more where execution went unseen, and without data trace. */
static void test_forgotten(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMCR=c" RANGE_1("9000", "9004"));
    run(0x8000);
    pending(1);
    run(0x9000);
    expect(SYNC "08 21 00 90 00 00 84");
    bench_end();
    bench_begin(BENCH_R, RANGE_1("8004", "8008"));
    run(0x8000);
    pending(1);
    run(0x8004);
    expect(SYNC "08 21 04 80 00 00 84");
    bench_end();
    /* And there has to be an instruction. */
    bench_begin(BENCH_R, "ETMCR=c");
    pending(2);
    run(0x8000);
    expect(SYNC "08 21 00 80 00 00 84");
    bench_end();
    /* What was told up to a halt is not told again. */
    bench_begin(BENCH_R, "ETMCR=c");
    run(0x8000);
    except(CAIRN_EXCEPTION_DEBUG_HALT, 0x8004);
    load(0x20000000, 4, 1);
    expect(SYNC "08 21 00 80 00 00 84 81 80 80 80 48 02");
    bench_end();
}

/* An exception ends what was on its way (IHI0014 7.5.3): the transfers that the handler makes are its
 * own, and ViewData goes by its address. */
static void test_interrupted(void **state)
{
    const uint32_t stacking = CAIRN_UNIT_DATA_STORE | CAIRN_UNIT_DATA_STACKING;

    (void)state;
    bench_begin(BENCH_M, "ETMCR=c ETMVDCR3=0 ETMVDCR1=1 ETMACVR1=9000 ETMACTR1=9");
    run(0x8001);
    pending(16);
    run(0x8003);
    except(16, 0x8005);
    for (uint32_t i = 0; i < 8; i++)
        transfer(0x20001000 + 4 * i, 4, i, stacking);
    run(0x9001);
    cairn_unit_flush(bench.unit);
    bench.checked = bench.size;
    load(0x20000000, 4, 1);
    expect("26 80 80 80 80 02 01");
    run(0x9003);
    load(0x20000004, 4, 2);
    expect("84");
    bench_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_on),
        cmocka_unit_test(test_begins_beneath),
        cmocka_unit_test(test_begins_by_transfer),
        cmocka_unit_test(test_security),
        cmocka_unit_test(test_view_data),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_forgotten),
        cmocka_unit_test(test_interrupted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
