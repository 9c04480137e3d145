/* SPDX-License-Identifier: BSD-2-Clause */
/* Which cycles an ETMv1 shows (IHI0014 chapter 5): statuses, branch addresses and their offsets. The
 * packets are worked out by hand: an address has its bits 6:0, 13:7, 20:14, 27:21 and 31:28, so that
 * 0x8000 in whole is 80 80 82 80 R0, with R the reason. */
#include "etmv1_bench.h"

#include <string.h>

#include "protocol/etmv1/encode.h"

#define ON "BE*80 IE.80 IE.82 " /* trace on at 0x8000, first three packets and offset 0 */

/* Example 5-1, behind trace on. TRACEPKT is 01 where there is no packet: the trace is cycle-accurate. */
static void test_example_5_1(void **state)
{
    (void)state;
    pins_begin("ETMCR=1114");
    run(0x1000); /* MOV R2, #20000 */
    pass(5 + 5); /* its own five, behind the five of trace on */
    run(0x1004); /* LDRB */
    pass(5);
    load(0x20000, 1, 0x11);
    pass(1);
    run(0x1008); /* LDRH */
    pass(5);
    load(0x20000, 2, 0x2211);
    pass(1);
    run(0x100c); /* LDR */
    pass(3);
    load(0x20000, 4, 0x44332211);
    pass(5);
    run(0x1010); /* NOP */
    pass(4);
    branch(0x1014, 0x1000);
    pass(1);
    run(0x1000);
    /* proves: ETM1-5.3-e, ETM1-5.3-g, ETM1-5.1-a, ETM1-5.1-g, ETM1-5.7.3-d */
    expect_cycles("BE*80 IE.a0 IE.80 WT.80 WT.10 "
                  "TD.01x4 IE.01 "                               /* MOV */
                  "TD.01x5 ID.11 "                               /* LDRB */
                  "TD.01x5 ID.11 "                               /* LDRH */
                  "WT.22 TD.01x2 WT.11 WT.22 WT.33 WT.44 ID.01 " /* LDR */
                  "TD.01x3 IE.01 "                               /* NOP */
                  "BE*00 IE.01 IE.01 "                           /* B, and the offset */
                  "IE.01");
    pins_end();
}

/* The vector of the conformance list. */
static void test_trace_on(void **state)
{
    (void)state;
    pins_begin("ETMCR=10");
    run(0x8000);
    run(0x8004);
    jump(0x8008);
    run(0x8010);
    /* proves: ETM1-5.6.1-e */
    expect_cycles("BE*80 IE.80 IE.82 IE.80 IE.10 BE*10 IE.00 IE.00 IE.00");
    pins_end();
}

/* Only cycles with TD are left out by the device. */
static void test_time(void **state)
{
    (void)state;
    pins_begin("ETMCR=10");
    run(0x8000);
    pass(100);
    fail_condition(0x8004);
    pass(7);
    run(0x8008);
    expect_cycles(ON "WT.80 WT.10 IE.00 IN.00 IE.00");
    pins_end();

    pins_begin("ETMCR=1010");
    run(0x8000);
    pass(8);
    fail_condition(0x8004);
    pass(3);
    run(0x8008);
    expect_cycles(ON "WT.80 WT.10 TD.01x2 IE.01 TD.01x2 IN.01 IE.01");
    pins_end();
}

/* A loop of two instructions takes as many cycles as were told, however they were told. */
static void test_cycles_of_a_block(void **state)
{
    const struct cairn_block block = {
        .address = 0x8000, .size = 12, .count = 3, .isa = CAIRN_ISA_A32, .last_size = 4};

    (void)state;
    pins_begin("ETMCR=1010");
    cairn_unit_execute(pins.unit, &block, true);
    pass(12); /* three behind trace on */
    run(0x800c);
    expect_cycles(ON "IE.80 IE.10 TD.01x6 IE.01 IE.01");
    pins_end();
}

static void put_top_bit(unsigned bit, unsigned packets)
{
    pins_begin("ETMCR=10");
    run(0x0);
    pass(20);
    jump(0x4);
    run(UINT32_C(1) << bit);
    pass(20);
    ignore_cycles();
    jump((UINT32_C(1) << bit) + 4);
    run(0x8); /* the bit has changed, and bit 3 */
    pass(20);
    assert_int_equal(cycle_at(0).pipestat, 4);
    /* proves: ETM1-5.5.4-d */
    assert_int_equal(cycle_count(), packets < 3 ? 4 : packets + 1); /* BE, offset, packets, IE */
    pins_end();
}

static void test_compression(void **state)
{
    (void)state;
    for (unsigned bit = 4; bit < 32; bit++)
        put_top_bit(bit, bit < 28 ? bit / 7 + 1 : 5);
}

static void test_states(void **state)
{
    (void)state;
    pins_begin("ETMCR=10");
    run(0x8000);
    pass(20);
    ignore_cycles();
    jump(0x8004);
    run(0x8101); /* Thumb */
    jump(0x8103);
    run(0x8000);
    expect_cycles("BE*81 IE.02 IE.00 IE.00 BE*80 IE.00 IE.00 IE.00");
    pins_end();
}

/* The halves of a BL pair have a status each. */
static void test_thumb_pair(void **state)
{
    const struct cairn_block pair = {.address = 0x8000,
                                     .target = 0x8100,
                                     .size = 4,
                                     .count = 1,
                                     .flags = CAIRN_INSN_LINK,
                                     .isa = CAIRN_ISA_T32,
                                     .kind = CAIRN_INSN_BRANCH_DIRECT,
                                     .last_size = 4,
                                     .target_isa = CAIRN_ISA_T32};

    (void)state;
    pins_begin("ETMCR=110");
    run(0x7fff);
    pass(20);
    ignore_cycles();
    cairn_unit_execute(pins.unit, &pair, true);
    run(0x8101);
    /* 0x8101 behind 0x7fff: what the third packet has differs as well */
    expect_cycles("IE.00 BE*81 IE.82 IE.02 IE.00");
    pins_end();
}

static void test_direct_branches(void **state)
{
    (void)state;
    pins_begin("ETMCR=10");
    run(0x8000);
    pass(20);
    ignore_cycles();
    branch(0x8004, 0x8100);
    tell(0x8100, CAIRN_INSN_BRANCH_DIRECT, 0x8000, false);
    branch(0x8104, 0x18);
    run(0x18);
    pass(20);
    /* proves: ETM1-5.5.1-a */
    expect_cycles("IE.00 IN.00 BE*98 IE.80 IE.00 IE.00");
    pins_end();
}

/* Where 0xffff0000 is where vectors are, 0x18 is none. */
static void test_high_vectors(void **state)
{
    (void)state;
    pins_begin("ETMCR=10 HIVECS=1");
    run(0x8000);
    pass(20);
    ignore_cycles();
    branch(0x8004, 0x18);
    branch(0x18, 0xffff001c);
    run(0xffff001c);
    pass(20);
    expect_statuses("IE BE IE IE WT WT IE");
    pins_end();
}

/* The vector of the conformance list: three branches on a narrow port. */
static void test_offsets(void **state)
{
    (void)state;
    pins_begin("ETMCR=0");
    jump(0x8000);
    jump(0x10008000);
    run(0x20008000);
    pass(40);
    for (size_t i = 0; i < 30; i++) {
        /* proves: ETM1-5.6.1-j */
        assert_int_equal(cycle_at(i).flags, i % 10 == 0 ? CAIRN_SAMPLE_SYNC : 0);
    }
    /* proves: ETM1-5.6.1-d, ETM1-5.6.1-i */
    expect_statuses("BE IE IE BE IE IE BE ID IE WTx21 IE");
    pins_end();
}

/* An offset of 15 stands for all that do not fit. */
static void test_offset_too_large(void **state)
{
    (void)state;
    pins_begin_with("ETMCR=0", 256);
    for (unsigned n = 0; n < 26; n++)
        jump(n << 28);
    run(0);
    for (size_t i = 0; i < 26; i++) {
        /* The first packet of address n comes out in cycle 10 n, branch n is in cycle 3 n: earlier
         * ones that are still to come are those with 10 m >= 3 n. */
        const unsigned offset = (unsigned)(i - (3 * i + 9) / 10);
        const unsigned wanted = offset < 15 ? offset : 15;

        assert_int_equal(cycle_at(3 * i).pipestat, 4);
        /* proves: ETM1-5.6.1-d, ETM1-5.6.1-e */
        assert_int_equal(cycle_at(3 * i + 1).pipestat | cycle_at(3 * i + 2).pipestat << 2, wanted);
    }
    pins_end();
}

static void test_periodic(void **state)
{
    (void)state;
    pins_begin("ETMCR=10");
    run(0x8000);
    pass(1000);
    jump(0x8004); /* too early */
    run(0x8010);
    pass(100);
    branch(0x8014, 0x8020); /* late, but direct */
    jump(0x8020);
    run(0x8030);
    pass(20);
    ignore_cycles();
    jump(0x8034); /* the count has begun anew */
    run(0x8040);
    expect_cycles("BE*40 IE.00 IE.00 IE.00");
    pins_end();
}

static void put_periodic(const char *program, const char *cycles)
{
    pins_begin(program);
    run(0x8000);
    pass(1100);
    ignore_cycles();
    jump(0x8004);
    run(0x8010);
    pass(10);
    /* proves: ETM1-5.6.2-a, ETM1-5.6.2-d */
    expect_cycles(cycles);
    pins_end();
}

static void test_periodic_reasons(void **state)
{
    (void)state;
    put_periodic("ETMCR=10", "BE*90 IE.80 IE.82 WT.80 WT.40 IE.00");
    put_periodic("ETMCR=10 ETMCCR=20898088", "BE*90 IE.80 IE.82 WT.80 WT.40 IE.00");
    put_periodic("ETMCR=10 ETMCCR=10898088", "BE*90 IE.80 IE.82 WT.80 WT.00 IE.00");
    put_periodic("ETMCR=10 ETMCCR=00898088", "BE*90 IE.80 IE.82 WT.80 WT.00 IE.00");
}

/* In a loop of direct branches the address is forced after 1024 and 512 cycles. */
static void test_forced(void **state)
{
    unsigned forced = 0;
    size_t first = 0;

    (void)state;
    pins_begin("ETMCR=1010");
    for (unsigned n = 0; n < 1600; n++)
        branch(0x8000, 0x8000);
    for (size_t i = 1; i < cycle_count(); i++)
        if (cycle_at(i).flags & CAIRN_SAMPLE_SYNC) {
            first = forced++ == 0 ? i : first;
        }
    /* proves: ETM1-5.6.2-b, ETM1-5.6.2-c */
    assert_int_equal(forced, 1);
    assert_int_equal(first, 1024 + 512);
    pins_end();
}

/* As long as it is only wanted it waits for room. */
static void test_periodic_waits_for_room(void **state)
{
    (void)state;
    pins_begin_with("ETMCR=14", 9);
    run(0x8000);
    pass(1100);
    ignore_cycles();
    jump(0x8004);
    load(0x0, 4, 0x11223344); /* leaves room for five packets */
    run(0x8010);
    pass(20);
    ignore_cycles();
    pass(1100);
    jump(0x8014);
    load(0x0, 4, 0x11223344);
    load(0x4, 4, 0x55667788); /* for one */
    run(0x8020);
    pass(20);
    expect_cycles("BD.44 IE.33 IE.22 WT.11 WT.88 WT.77 WT.66 WT.55 WT*20 IE.00");
    pins_end();
}

static void test_context_id(void **state)
{
    (void)state;
    pins_begin("ETMCR=8010"); /* 16 bits */
    context_id(0x00050055);
    run(0x8000);
    pass(20);
    expect_cycles(ON "WT.80 WT.10 WT.55 WT.00 IE.00");
    context_id(0x00060055); /* no traced bit */
    branch(0x8004, 0x8008);
    /* proves: ETM1-4.7-b */
    expect_cycles("IE.00");
    context_id(0x1234);
    run(0x8008);
    branch(0x800c, 0x8101);
    run(0x8101);
    pass(20);
    /* proves: ETM1-5.6.3-b, ETM1-5.6.3-c */
    expect_cycles("IE.00 BE*81 IE.82 IE.82 WT.80 WT.40 WT.34 WT.12 IE.00");
    branch(0x8103, 0x8201);
    expect_cycles("IE.00");
    pins_end();
}

/* By a reset, and by what software writes. */
static void test_causes_of_a_context_id(void **state)
{
    (void)state;
    pins_begin("ETMCR=4010"); /* 8 bits */
    context_id(0x55);
    run(0x8000);
    pass(20);
    run(0x8004); /* MCR p15, 0, r0, c13, c0, 1 */
    context_id(0x66);
    pass(1);
    branch(0x8008, 0x8010);
    run(0x8010);
    pass(20);
    ignore_cycles();
    run(0x8014);
    except(CAIRN_EXCEPTION_PE_RESET, 0);
    context_id(0);
    run(0x0);
    pass(20);
    /* proves: ETM1-4.7-c */
    expect_cycles("BE*80 IE.80 IE.80 WT.80 WT.40 WT.00 IE.00");
    context_id(0x77);
    jump(0x4);
    run(0x8);
    pass(20);
    /* proves: ETM1-4.7-c */
    expect_cycles("BE*88 IE.80 IE.80 WT.80 WT.40 WT.77 IE.00");
    pins_end();
}

static void test_jazelle(void **state)
{
    (void)state;
    pins_begin("ETMCR=10");
    run(0x8000);
    pass(20);
    ignore_cycles();
    jump(0x8004);
    bytecode(0x12345);
    pass(20);
    bytecode(0x12348);
    pass(20);
    run(0x8008);
    pass(20);
    /* proves: ETM1-5.11-a */
    expect_cycles("BE*c5 IE.c6 IE.84 WT.80 WT.80 BE*88 IE.80 IE.82 WT.80 WT.00 IE.00");
    pins_end();

    pins_begin("ETMCR=10");
    bytecode(0x12345);
    pass(20);
    run(0x8000);
    pass(20);
    /* proves: ETM1-5.8.1-b */
    expect_cycles("BE*c5 IE.c6 IE.84 WT.80 WT.90 BE*80 IE.80 IE.82 WT.80 WT.00 IE.00");
    pins_end();
}

/* --- registers --- */

static void test_versions(void **state)
{
    static const int minors[] = {0, 1, 2, 3, 2, 3, -1, 3};

    (void)state;
    for (uint32_t number = 0; number < 8; number++) {
        const struct cairn_etmv1_edition *edition = cairn_etmv1_edition_of(number << 28);

        /* proves: ETM1-1.2-a */
        assert_int_equal(edition ? edition->minor : -1, minors[number]);
    }
    assert_null(cairn_etmv1_edition_of(UINT32_C(0x80000000)));
}

static void refuse(const char *name, uint64_t value, const char *why)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    const struct cairn_register registers[] = {{"ETMCCR", 0x10898088}, {name, value}};
    struct cairn_unit *unit = NULL;
    struct cairn_error error = {.status = CAIRN_OK};

    options.protocol = CAIRN_PROTOCOL_ETMV1;
    options.registers = registers;
    options.register_count = 2;
    assert_int_not_equal(cairn_unit_new(&options, &unit, &error), CAIRN_OK);
    assert_non_null(strstr(error.text, why));
}

static size_t take_nothing(void *context, const uint8_t *bytes, size_t size, uint64_t cycles)
{
    (void)context, (void)bytes, (void)size, (void)cycles;
    return 0;
}

/* Of an ETMv1.1, and of any. */
static void test_registers(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_unit *unit = NULL;
    struct cairn_register one;
    uint64_t value = 0;

    (void)state;
    refuse("ETMTSSCR", 1, "no register ETMTSSCR");
    refuse("ETMSYNCFR", 0x400, "no register ETMSYNCFR");
    refuse("ETMCR", 0xc010, "0x0003"); /* Context IDs */
    refuse("ETMCR", 0x30, "4, 8 or 16 pins");
    refuse("ETMCR", 0x12010, "multiplexed");
    refuse("ETMCCR", 0x60000000, "0 to 5 and 7");

    options.protocol = CAIRN_PROTOCOL_ETMV1;
    options.fifo_bytes = 8;
    assert_int_equal(cairn_unit_new(&options, &unit, &error), CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, "9 to 256"));
    options.fifo_bytes = 45;
    options.fifo_drain = 16;
    assert_int_equal(cairn_unit_new(&options, &unit, &error), CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, "its pins"));
    options.fifo_drain = 0;
    options.port = take_nothing;
    assert_int_equal(cairn_unit_new(&options, &unit, &error), CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, "pins show each cycle once"));
    options.port = NULL;
    assert_int_equal(cairn_unit_new(&options, &unit, &error), CAIRN_OK);
    assert_int_equal(cairn_unit_register(unit, 0, &one), CAIRN_OK);
    assert_string_equal(one.name, "ETMCR");
    assert_int_equal(cairn_unit_write(unit, "etmacvr16", 0x1234, &error), CAIRN_OK);
    assert_int_equal(cairn_unit_read(unit, "ETMACVR16", &value), CAIRN_OK);
    assert_int_equal(value, 0x1234);
    assert_int_equal(cairn_unit_write(unit, "ETMCR", 0x14, &error), CAIRN_OK); /* enables */
    assert_int_equal(cairn_unit_write(unit, "ETMFFLR", 1, &error), CAIRN_E_CONFIG);
    assert_int_equal(cairn_unit_write(unit, "ETMCR", 0x414, &error), CAIRN_OK);
    assert_int_equal(cairn_unit_write(unit, "ETMFFLR", 1, &error), CAIRN_OK);
    cairn_unit_free(unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_5_1),
        cmocka_unit_test(test_trace_on),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_cycles_of_a_block),
        cmocka_unit_test(test_compression),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_thumb_pair),
        cmocka_unit_test(test_direct_branches),
        cmocka_unit_test(test_high_vectors),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_offset_too_large),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_periodic_reasons),
        cmocka_unit_test(test_forced),
        cmocka_unit_test(test_periodic_waits_for_room),
        cmocka_unit_test(test_context_id),
        cmocka_unit_test(test_causes_of_a_context_id),
        cmocka_unit_test(test_jazelle),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_registers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
