/* SPDX-License-Identifier: BSD-2-Clause */
/* The ETMv3 model, instruction trace: what a core does, and the bytes that IHI0014 chapter 7 has
 * for it, worked out by hand. */
#include "etmv3_bench.h"

/* Armv7-A and R: what the model's exception types are; M: numbers as IPSR has them. */
#define IRQ CAIRN_EXCEPTION_IRQ
#define M_SVC 11
#define M_PENDSV 14
#define M_SYSTICK 15
#define M_IRQ(n) (16 + (n))

#define SYNC "00 00 00 00 00 80 "
#define START_8000 "08 21 00 80 00 00 84"

static void test_branches(void **state)
{
    (void)state;
    bench_start(BENCH_R, "", 0x8000, START_8000);
    run(0x8004);
    jump(0x8008);
    run(0x8104);
    expect("88 83 01 84"); /* EE, the target, E */
    fail_condition(0x8108);
    branch(0x810c, 0x9000);
    run(0x9000);
    expect("8a 84"); /* NE, E: a direct branch has no packet */
    instruction(0x9004, CAIRN_INSN_BRANCH_INDIRECT, 0, 0, false);
    run(0x9008);
    expect("8a");           /* nor has an indirect one that fails its condition */
    branch(0x900c, 0xa001); /* BLX */
    run(0xa001);
    jump(0xa003);
    run(0x9020);
    expect("8c 91 10 84"); /* ARM as broadcast last: the state needs no packet (table 7-15) */
    bench_end();

    bench_start(BENCH_R, "ETMCR=100", 0x8000, START_8000);
    branch(0x8004, 0x9000);
    run(0x9000);
    instruction(0x9004, CAIRN_INSN_BRANCH_DIRECT, 0, 0x8000, false);
    run(0x9008);
    expect("84 81 10 c4 84"); /* branch output */
    bench_end();
}

/* 32-bit Thumb instructions of a unit that gives their halves an atom each. */
static void test_halves(void **state)
{
    const struct cairn_block wide = {
        .address = 0x8002, .size = 4, .count = 1, .isa = CAIRN_ISA_T32, .last_size = 4};

    (void)state;
    bench_start(0x4100f230, "", 0x8001, "08 21 01 80 00 00 84");
    cairn_unit_execute(bench.unit, &wide, true);
    run(0x8007);
    cairn_unit_execute(bench.unit, &wide, false);
    expect("8c 08 21 03 80 00 00 8e"); /* E, E and E; then from elsewhere N and N */
    bench_end();
}

/* Execution that went unseen. */
static void test_discontinuity(void **state)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    (void)state;
    bench_start(BENCH_R, "", 0x8000, START_8000);
    run(0x9000);
    /* proves: ETMC-2.6-a */
    expect("08 21 00 90 00 00 84");
    except(IRQ, 0x9010);
    run(0x18);
    expect("08 21 18 00 00 00 84");
    cairn_unit_counters(bench.unit, &counters);
    assert_int_equal(counters.discontinuities, 2);
    assert_int_equal(counters.blocks, 3);
    assert_int_equal(counters.traced, 3);
    bench_end();
}

static void test_exceptions(void **state)
{
    (void)state;
    bench_start(BENCH_R, "", 0x8000, START_8000);
    except(IRQ, 0x8004);
    run(0x18);
    expect("8d 80 80 80 48 1c 84"); /* nothing was cancelled */
    jump(0x1c);
    run(0x8004);
    except(IRQ, 0x8004); /* the instruction there was told, and did not complete */
    run(0x18);
    expect("84 83 80 01 84 8d 80 80 80 48 3c 84");
    bench_end();
    /* The vector's own instruction is not reached. */
    bench_start(BENCH_R, "", 0x8000, START_8000);
    except(CAIRN_EXCEPTION_CALL, 0x8004);
    except(CAIRN_EXCEPTION_INST_FAULT, 0x8);
    run(0xc);
    expect("85 80 80 80 48 14 87 80 80 80 48 16 84");
    bench_end();
    /* A load that is aborted is taken back, an undefined instruction never is. */
    bench_start(BENCH_R, "ETMCR=c", 0x8000, START_8000);
    run(0x8004);
    transfer(0x20000000, 4, 0, CAIRN_UNIT_DATA_ABORTED);
    except(CAIRN_EXCEPTION_DATA_FAULT, 0x8004);
    run(0x10);
    /* proves: ETM3-4.5.3-m */
    expect("84 89 80 80 80 48 38 84");
    jump(0x14);
    run(0x8000);
    fail_condition(0x8004);
    except(CAIRN_EXCEPTION_TRAP, 0x8004);
    run(0x4);
    expect("84 81 80 01 c4 83 80 80 80 48 12 84");
    bench_end();
}

/* A prefetch abort, with the instruction and without it. */
static void test_prefetch_abort(void **state)
{
    (void)state;
    bench_start(BENCH_R, "", 0x8000, START_8000);
    run(0x8004);
    except(CAIRN_EXCEPTION_INST_FAULT, 0x8004);
    run(0xc);
    /* proves: ETM3-4.5.3-n */
    expect("84 87 80 80 80 48 36 84");
    bench_end();
    bench_start(BENCH_R, "", 0x8000, START_8000);
    except(CAIRN_EXCEPTION_INST_FAULT, 0x8004);
    run(0xc);
    /* proves: ETM3-4.5.3-n */
    expect("87 80 80 80 48 16 84");
    bench_end();
}

static void test_security(void **state)
{
    (void)state;
    bench_start(BENCH_A, "", 0x8000, START_8000);
    secure(false, 1);
    run(0x8004);
    expect("83 80 81 80 48 01 84"); /* NS changes without a branch: it is told with a packet */
    except(CAIRN_EXCEPTION_CALL, 0x8008);
    secure(true, 3);
    run(0x8);
    expect("85 80 80 80 48 04 84"); /* SMC */
    secure(false, 1);
    run(0xc);
    except(CAIRN_EXCEPTION_CALL, 0x10);
    secure(false, 2);
    run(0x40000014);
    expect("87 80 80 80 48 01 84 8b 80 80 80 4a 87 20 84"); /* HVC */
    bench_end();
}

static void test_context_id(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMCR=8000"); /* two bytes */
    context_id(0x1234);
    run(0x8000);
    expect(SYNC "08 34 12 21 00 80 00 00 84");
    run(0x8004);
    context_id(0x4321);
    run(0x8008);
    /* proves: ETM3-7.3.6-b */
    expect("84 6e 21 43 84");
    context_id(0x14321);
    run(0x800c);
    /* proves: ETM35Q-4.7-b */
    expect("84");
    bench_end();
    /* Another security state has another one: its packet comes with the branch. */
    bench_begin(BENCH_A, "ETMCR=4000"); /* one byte */
    context_id(0x11);
    run(0x8000);
    expect(SYNC "08 11 21 00 80 00 00 84");
    except(CAIRN_EXCEPTION_IRQ, 0x8004);
    secure(false, 1);
    context_id(0x22);
    run(0x18);
    /* proves: ETM3-4.7-b */
    expect("8d 80 80 80 48 1d 6e 22 84");
    jump(0x1c);
    secure(true, 1);
    run(0x8004);
    /* proves: ETM3-4.7-b */
    expect("84 83 80 81 80 48 00 84");
    bench_end();
}

static void test_prohibited(void **state)
{
    (void)state;
    bench_begin(BENCH_A, "ETMCR=9000"); /* cycle-accurate, two bytes of context ID */
    cairn_unit_cycles(bench.unit, 5);
    run(0x8000);
    expect(SYNC "70 04 00 00 21 00 80 00 00 84");
    context_id(0x77);
    secure(false, 1);
    except(CAIRN_EXCEPTION_CALL, 0x8004);
    cairn_unit_prohibit(bench.unit, true);
    /* proves: ETM3-2.6.2-b */
    expect("81 80 80 80 48 14"); /* SVC, address 0 */
    run(0xc0000000);
    cairn_unit_cycles(bench.unit, 301);
    expect("");
    cairn_unit_prohibit(bench.unit, false);
    run(0x8004);
    /* proves: ETM3-2.6.2-d */
    expect("70 ac 02 77 00 29 04 80 00 00 84");
    bench_end();
}

static void test_debug(void **state)
{
    (void)state;
    bench_start(BENCH_R, "", 0x8000, START_8000);
    except(CAIRN_EXCEPTION_DEBUG_HALT, 0x8004);
    cairn_unit_debug_state(bench.unit, true);
    run(0x8004);
    expect("81 80 80 80 48 02"); /* Halting debug, without an address */
    cairn_unit_debug_state(bench.unit, false);
    run(0x8004);
    /* proves: ETM3-4.8-a */
    expect("08 61 04 80 00 00 84");
    bench_end();
    /* The last instruction did not complete: bit 5 of the last byte, Can (Table 4-2). */
    bench_start(BENCH_R, "", 0x8000, START_8000);
    run(0x8004);
    except(CAIRN_EXCEPTION_DEBUG_HALT, 0x8004);
    /* proves: ETM3-4.5.3-b */
    expect("84 81 80 80 80 48 22");
    bench_end();
    /* Only if the first instruction behind it is traced. */
    bench_start(BENCH_R, "ETMTECR1=1 ETMACVR1=8000 ETMACVR2=9000 ETMACTR1=19 ETMACTR2=19", 0x8000,
                START_8000);
    cairn_unit_debug_state(bench.unit, true);
    cairn_unit_debug_state(bench.unit, false);
    jump(0xa000);
    run(0x8008);
    expect("08 21 08 80 00 00 84");
    bench_end();
}

/* Cycles: a W each; a long gap is in an I-sync (7.10.1). */
static void test_cycles(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMCR=1000");
    run(0x8000);
    cairn_unit_cycles(bench.unit, 1);
    run(0x8004);
    run(0x8008);
    cairn_unit_cycles(bench.unit, 3);
    fail_condition(0x800c);
    /* proves: ETM3-7.3.4-d */
    expect(SYNC "70 00 21 00 80 00 00 92 82 a4 c0"); /* E; WEE; WW, WN */
    jump(0x8010);
    cairn_unit_cycles(bench.unit, 2);
    run(0x8104);
    expect("92 83 01 e4"); /* E, the target, WWE */
    cairn_unit_cycles(bench.unit, 100001);
    run(0x8108);
    /* proves: ETM3-7.3.4-f */
    expect("70 a0 8d 06 21 08 81 00 00 84");
    bench_end();
}

static void test_periodic(void **state)
{
    (void)state;
    bench_start(BENCH_R, "ETMSYNCFR=10 ETMCR=8", 0x8000, START_8000);
    jump(0x8004);
    run(0xc0018000);
    expect("84 81 80 83 80 0e 84"); /* 13 bytes behind the A-sync */
    run(0xc0018004);
    load(0x20000000, 4, 0);
    expect("84 22 80 80 80 80 02"); /* 21: from 16 on one is due, at the next instruction */
    run(0xc0018008);
    load(0x20000004, 4, 0);
    /* proves: ETM3-7.7.1-a */
    expect(SYNC "08 01 08 80 01 c0 84 22 84 80 80 80 02");
    run(0xc001800c);
    load(0x20000008, 4, 0);
    expect("84 22 08");
    bench_end();
}

/* One that is due while nothing is traced comes when trace goes on. */
static void test_periodic_delayed(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMTEEVR=60"); /* external input 1 */
    cairn_unit_inputs(bench.unit, 1);
    run(0x8000);
    jump(0x8004);
    run(0xc0018000);
    cairn_unit_inputs(bench.unit, 0);
    run(0xc0018004);
    cairn_unit_request_sync(bench.unit);
    expect(SYNC "08 21 00 80 00 00 88 81 80 83 80 0e 84");
    cairn_unit_inputs(bench.unit, 1);
    run(0xc0018008);
    /* proves: ETM35Q-7.10.3-a */
    expect(SYNC "08 21 08 80 01 c0 84");
    bench_end();
}

static void test_overflow(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit_counters counters = {.size = sizeof counters};
    uint32_t at = 0x8000;

    (void)state;
    options.fifo_bytes = 128;
    options.fifo_drain = 16;
    bench_begin_with(BENCH_R, "", options);
    for (unsigned i = 0; i < 20; i++) { /* two far apart: 6 bytes a jump */
        jump(at);
        at ^= 0xc0000000;
    }
    cairn_unit_counters(bench.unit, &counters);
    assert_int_equal(counters.overflows, 1);
    uint64_t status = 0;
    assert_int_equal(cairn_unit_read(bench.unit, "ETMSR", &status), CAIRN_OK);
    assert_int_equal(status & 1, 1);
    cairn_unit_flush(bench.unit);
    bench.checked = bench.size;
    cairn_unit_cycles(bench.unit, 1000);
    run(at);
    run(at + 4);
    /* proves: ETM35Q-7.10.2-b */
    expect(SYNC "08 41 00 80 00 00 88");
    bench_end();
}

static void test_timestamps(void **state)
{
    (void)state;
    bench_begin(BENCH_M, "ETMCR=10000000");
    cairn_unit_time(bench.unit, 5);
    run(0x8001);
    run(0x8003);
    /* proves: ETM35Q-7.7.1-c, ETM35Q-7.10.2-a */
    expect(SYNC "08 21 01 80 00 00 84 42 85 80 80 80 80 80 00 84 42 05"); /* the flush asks too */
    cairn_unit_time(bench.unit, 7);
    run(0x8005);
    instruction(0x8007, CAIRN_INSN_ISB, 0, 0, true);
    run(0x8009);
    except(M_IRQ(0), 0x800b);
    run(0x8041);
    /* proves: ETM35Q-7.7.1-a */
    expect("8c 42 07 c1 40 10 84 42 07 42 07");
    cairn_unit_clock_stopped(bench.unit);
    run(0x8043);
    expect("84 46 07 42 07");
    bench_end();
}

/* The P-header that is still open goes out when the trace unit stops. */
static void test_disable(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "");
    run(0x8000);
    run(0x8004);
    cairn_unit_disable(bench.unit);
    assert_int_equal(bench.bytes[bench.size - 1], 0x88);
    bench_end();
}

/* What asked for one while nothing was traced gets one when trace goes on. */
static void test_timestamps_merge(void **state)
{
    (void)state;
    bench_begin(BENCH_M, "ETMCR=10000000 ETMTEEVR=60"); /* external input 1 */
    cairn_unit_inputs(bench.unit, 1);
    cairn_unit_time(bench.unit, 5);
    run(0x8001);
    cairn_unit_inputs(bench.unit, 0);
    run(0x8003);
    except(M_IRQ(0), 0x8005);
    run(0x8041);
    except(M_IRQ(1), 0x8043);
    run(0x8081);
    cairn_unit_inputs(bench.unit, 1);
    cairn_unit_time(bench.unit, 7);
    run(0x8083);
    run(0x8085);
    /* proves: ETM35Q-7.7.1-b */
    expect(SYNC "08 21 01 80 00 00 84 42 85 80 80 80 80 80 00 "
                "08 21 83 80 00 00 84 42 07 84 42 07"); /* the last one is the flush's */
    bench_end();
}

/* --- Armv7-M --- */

/* Eight words from `address` up. */
static void stack(uint32_t address, uint32_t flags)
{
    for (uint32_t i = 0; i < 8; i++)
        transfer(address + 4 * i, 4, i, flags | CAIRN_UNIT_DATA_STACKING);
}

#define PUSHED "7e 22 e0 bf 80 80 02 06 01 06 02 06 03 06 04 06 05 06 06 06 07 "

static void test_stacking(void **state)
{
    (void)state;
    bench_start(BENCH_M, "ETMCR=c", 0x1001, "08 21 01 10 00 00 84");
    except(M_SYSTICK, 0x1003);
    stack(0x20001fe0, CAIRN_UNIT_DATA_STORE);
    run(0x1201);
    expect(PUSHED "81 64 1e 84"); /* SysTick to 0x1200 */
    exception_return(0x1203);
    stack(0x20001fe0, 0);
    run(0x1003);
    expect("84 76 22 60 06 01 06 02 06 03 06 04 06 05 06 06 06 07 83 20 84");
    bench_end();
    /* Tail-chained: nothing is popped, and the return leads nowhere. */
    bench_start(BENCH_M, "ETMCR=c", 0x1001, "08 21 01 10 00 00 84");
    except(M_IRQ(1), 0x1003);
    stack(0x20001fe0, CAIRN_UNIT_DATA_STORE);
    run(0x1201);
    exception_return(0x1203);
    except(M_IRQ(20), 0x1003);
    run(0x1281);
    expect(PUSHED "81 64 02 88 76 81 65 88 02 84");
    bench_end();
    bench_start(BENCH_M, "", 0x1001, "08 21 01 10 00 00 84");
    except(M_SVC, 0x1003);
    stack(0x20001fe0, CAIRN_UNIT_DATA_STORE);
    run(0x1201);
    /* proves: ETM3-7.5.3-c */
    expect("81 64 16 84");
    bench_end();
}

/* POP {pc} loads EXC_RETURN by itself: that transfer is the instruction's, and comes before 76;
 * those behind it are the core's (7.5.4). Headers 7.4.2: 2e has an address and four bytes of value.
 */
static void test_return_by_load(void **state)
{
    (void)state;
    bench_start(BENCH_M, "ETMCR=c", 0x1001, "08 21 01 10 00 00 84");
    except(M_SYSTICK, 0x1003);
    stack(0x20001fe0, CAIRN_UNIT_DATA_STORE);
    run(0x1201);
    expect(PUSHED "81 64 1e 84");
    exception_return(0x1203);
    load(0x20001fdc, 4, 0xfffffff9);
    stack(0x20001fe0, 0);
    run(0x1003);
    expect("84 2e 5c f9 ff ff ff 76 22 60 06 01 06 02 06 03 06 04 06 05 06 06 06 07 83 20 84");
    exception_return(0x1005); /* nothing of its own, and it is chained */
    except(M_IRQ(1), 0x1007);
    run(0x1201);
    expect("84 76 81 64 02 84");
    bench_end();
}

/* Trace goes on in the middle: the I-sync has the address of the instruction that was interrupted,
 * or that returns, and no P-header tells of it. */
static void test_stacking_begins(void **state)
{
    (void)state;
    bench_begin(BENCH_M, "ETMCR=c ETMTEEVR=60"); /* external input 1 */
    run(0x1001);
    except(M_SYSTICK, 0x1003);
    cairn_unit_inputs(bench.unit, 1);
    stack(0x20001fe0, CAIRN_UNIT_DATA_STORE);
    run(0x1201);
    /* proves: ETM3-7.5.3-d */
    expect(SYNC "08 21 01 10 00 00 " PUSHED "81 64 1e 84");
    cairn_unit_inputs(bench.unit, 0);
    exception_return(0x1203);
    cairn_unit_inputs(bench.unit, 1);
    stack(0x20001fe0, 0);
    run(0x1003);
    /* proves: ETM3-7.5.4-c */
    expect("08 21 03 12 00 00 76 22 e0 bf 80 80 02 06 01 06 02 06 03 06 04 06 05 06 06 06 07 83 20 "
           "84");
    bench_end();
}

/* A load multiple that is interrupted behind two of its transfers, and goes on (7.5.2). */
static void expect_pause(const char *program, unsigned type, const char *paused,
                         const char *resumed)
{
    bench_start(BENCH_M, program, 0x1001, "08 21 01 10 00 00 84");
    run(0x1003);
    load(0x20000000, 4, 1);
    load(0x20000004, 4, 2);
    except(type, 0x1003);
    run(0x1201);
    expect(paused);
    exception_return(0x1203);
    run(0x1003);
    expect(resumed);
    bench_end();
}

static void test_pause(void **state)
{
    (void)state;
    expect_pause("ETMCR=c", M_IRQ(8), "84 26 80 80 80 80 02 01 06 02 81 64 b0 81 42 84",
                 "84 76 83 60 80 42 84");
    expect_pause("ETMCR=c", M_PENDSV, "84 26 80 80 80 80 02 01 06 02 81 64 bc 42 84",
                 "84 76 83 60 80 42 84");
    /* proves: ETM3-7.3.5-cd */
    expect_pause("", M_IRQ(8), "84 81 64 b0 01 84", "84 76 83 20 84");
}

/* Trace goes off with the handler's first instruction: the exception is told all the same. */
static void test_exception_into_untraced(void **state)
{
    (void)state;
    bench_begin(BENCH_M, "ETMTECR1=1 ETMACVR1=1000 ETMACVR2=1100 ETMACTR1=9 ETMACTR2=9");
    run(0x1001);
    except(M_SYSTICK, 0x1003);
    run(0x1201);
    /* proves: CM3-15.5.3-h */
    expect(SYNC "08 21 01 10 00 00 84 81 64 1e");
    jump(0x1203);
    run(0x1003);
    expect("08 21 03 10 00 00 84");
    bench_end();
}

/* Which number each exception has in packets. */
static void test_numbers(void **state)
{
    static const struct {
        unsigned number;
        const char *hex;
    } cases[] = {
        {1, "81 64 a2 01 84"},     {2, "81 64 14 84"},           {3, "81 64 86 01 84"},
        {4, "81 64 1a 84"},        {5, "81 64 8a 01 84"},        {6, "81 64 12 84"},
        {12, "81 64 18 84"},       {14, "81 64 1c 84"},          {M_IRQ(0), "81 64 10 84"},
        {M_IRQ(7), "81 64 0e 84"}, {M_IRQ(8), "81 64 90 01 84"}, {M_IRQ(239), "81 64 9e 0f 84"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench_start(BENCH_M, "", 0x1001, "08 21 01 10 00 00 84");
        except(cases[i].number, 0x1003);
        run(0x1201);
        expect(cases[i].hex);
        bench_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches),         cmocka_unit_test(test_halves),
        cmocka_unit_test(test_discontinuity),    cmocka_unit_test(test_exceptions),
        cmocka_unit_test(test_security),         cmocka_unit_test(test_context_id),
        cmocka_unit_test(test_prohibited),       cmocka_unit_test(test_debug),
        cmocka_unit_test(test_cycles),           cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_overflow),         cmocka_unit_test(test_timestamps),
        cmocka_unit_test(test_disable),          cmocka_unit_test(test_timestamps_merge),
        cmocka_unit_test(test_stacking),         cmocka_unit_test(test_pause),
        cmocka_unit_test(test_numbers),          cmocka_unit_test(test_return_by_load),
        cmocka_unit_test(test_stacking_begins),  cmocka_unit_test(test_prefetch_abort),
        cmocka_unit_test(test_periodic_delayed), cmocka_unit_test(test_exception_into_untraced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
