/* SPDX-License-Identifier: BSD-2-Clause */
/* The second writer against the numbers that the specification prints, cycle by cycle, and against
 * bytes worked out from its text. The ids in brackets are of the rules; what proves that Cairn keeps them
 * are tests of Cairn, not these. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "trace.h"

enum { CYCLES = 64, DEPTH = 60 };

/* A cycle as the tables print it. */
struct pins {
    unsigned pipestat;
    unsigned packet;
};

static uint8_t port_samples[CYCLES * 4];
static struct sw_port port;

static void begin_port(unsigned pins)
{
    port = (struct sw_port){
        .pins = pins,
        .depth = DEPTH,
        .samples = port_samples,
        .capacity = sizeof port_samples,
    };
}

static void expect_pins(const struct sw_port *is, size_t first, const struct pins *wanted,
                        size_t count)
{
    assert_int_equal(is->size / 4, first + count);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *sample = is->samples + 4 * (first + i);

        assert_int_equal(sample[0], wanted[i].pipestat);
        assert_int_equal(sample[2] | sample[3] << 8, wanted[i].packet);
    }
}

static void quiet(enum sw_status status)
{
    sw_port_cycle(&port, status, false, false, NULL, 0);
}

static void placing(enum sw_status status, const uint8_t *bytes, unsigned size)
{
    sw_port_cycle(&port, status, false, false, bytes, size);
}

/* Example 6-1 and Table 6-4 [ETM2-6.5.1-i, -g, -h] */
static void test_tfo_values(void **state)
{
    /* TRACEPKT[3:0] of 0-15, 16-31, ... */
    static const unsigned low[] = {0x9, 0xb, 0xd, 0xf, 0x1, 0x3};

    (void)state;
    assert_int_equal(sw_tfo_pins(1), 0x19);
    for (unsigned value = 0; value <= SW_TFO_MAX; value++)
        assert_int_equal(sw_tfo_pins(value), (value % 16) << 4 | low[value / 16]);
}

/* Table 6-5 [ETM2-6.5.1-n], in which its first status has to be DE */
static void test_table_6_5(void **state)
{
    static const uint8_t data[] = {0xcd, 0xab};
    static const uint8_t tfo[] = {0x00, 0x00, 0x80, 0x00, 0x00};
    static const uint8_t one[] = {0x02};
    static const struct pins wanted[] = {
        {SW_DE, 0xd}, {SW_IE, 0xc}, {SW_WT, 0xb}, {SW_TD, 0x9}, {SW_IE, 0x1},
        {SW_WT, 0x6}, {SW_IN, 0xa}, {SW_DN, 0x0}, {SW_WT, 0x0}, {SW_WT, 0x0},
    };

    (void)state;
    begin_port(4);
    placing(SW_DE, data, 2);
    quiet(SW_IE);
    quiet(SW_WT);
    sw_port_tfo(&port, false, tfo, sizeof tfo);
    quiet(SW_IE);
    quiet(SW_WT);
    quiet(SW_IN);
    placing(SW_DN, one, 1);
    quiet(SW_WT);
    quiet(SW_WT);
    expect_pins(&port, 0, wanted, sizeof wanted / sizeof *wanted);
}

/* A trigger in the TFO's own cycle, in that of its second nibble, and in that of the gap: each is output
 * at once, and what it hides one cycle later [ETM2-6.1.7-c, -d, ETM2-6.5.1-k] */
static void test_triggers_in_a_tfo(void **state)
{
    static const uint8_t byte[] = {0xab};
    static const uint8_t tfo[] = {0x20, 0x00, 0x80, 0x00, 0x00};
    static const struct pins wanted[3][7] = {
        {{SW_DE, 0xb},
         {SW_TR, SW_TD},
         {SW_IE, 0x9},
         {SW_IE, 0x1},
         {SW_IE, 0x6},
         {SW_IE, 0xa},
         {SW_IE, 0x0}},
        {{SW_DE, 0xb},
         {SW_TD, 0x9},
         {SW_TR, SW_IE},
         {SW_IE, 0x1},
         {SW_IE, 0x6},
         {SW_IE, 0xa},
         {SW_IE, 0x0}},
        {{SW_DE, 0xb},
         {SW_TD, 0x9},
         {SW_IE, 0x1},
         {SW_TR, SW_IE},
         {SW_IE, 0x6},
         {SW_IE, 0xa},
         {SW_IE, 0x0}},
    };

    (void)state;
    for (unsigned at = 0; at < 3; at++) {
        begin_port(4);
        placing(SW_DE, byte, 1);
        sw_port_tfo(&port, at == 0, tfo, sizeof tfo);
        for (unsigned i = 1; i < 6; i++)
            sw_port_cycle(&port, SW_IE, i == at, false, NULL, 0);
        expect_pins(&port, 0, wanted[at], 7);
    }
    begin_port(8);
    sw_port_tfo(&port, true, tfo, sizeof tfo);
    quiet(SW_IE);
    quiet(SW_WT);
    expect_pins(&port, 0, (const struct pins[]){{SW_TR, SW_TD}, {SW_IE, 0x09}, {SW_WT, 0x20}}, 3);
}

/* The FIFO stands still in a trigger's cycle; where it is empty the status is WT [ETM2-6.1.7-a, -b] */
static void test_triggers(void **state)
{
    static const uint8_t bytes[] = {0x0a, 0x34, 0x12};

    (void)state;
    begin_port(8);
    sw_port_cycle(&port, SW_WT, true, true, NULL, 0);
    sw_port_cycle(&port, SW_DE, true, true, bytes, 3);
    quiet(SW_WT);
    sw_port_cycle(&port, SW_IN, true, true, NULL, 0);
    quiet(SW_WT);
    quiet(SW_WT);
    quiet(SW_WT);
    expect_pins(&port, 0,
                (const struct pins[]){{SW_TR, SW_WT},
                                      {SW_TR, SW_DE},
                                      {SW_WT, 0x0a},
                                      {SW_TR, SW_IN},
                                      {SW_WT, 0x34},
                                      {SW_WT, 0x12},
                                      {SW_TD, 0}},
                7);
}

/* Groups go out from their own cycle on, one behind the other, as many bytes at once as there are pins
 * for [ETM2-6.2-a to -c, ETM2-6.3-a, -b, -d] */
static void test_widths(void **state)
{
    static const uint8_t bytes[] = {0x8a, 0x34, 0x12};
    static const uint8_t branch[] = {0x83, 0x01};

    (void)state;
    begin_port(16);
    placing(SW_DE, bytes, 3);
    placing(SW_DW, branch, 2);
    quiet(SW_WT);
    expect_pins(&port, 0, (const struct pins[]){{SW_DE, 0x348a}, {SW_DW, 0x8312}, {SW_WT, 0x6601}},
                3);
    begin_port(8);
    placing(SW_DE, bytes, 3);
    placing(SW_DW, branch, 2);
    for (unsigned i = 0; i < 3; i++)
        quiet(SW_WT);
    expect_pins(&port, 0,
                (const struct pins[]){
                    {SW_DE, 0x8a}, {SW_DW, 0x34}, {SW_WT, 0x12}, {SW_WT, 0x83}, {SW_WT, 0x01}},
                5);
    begin_port(4);
    placing(SW_DE, branch, 2);
    for (unsigned i = 0; i < 4; i++)
        quiet(SW_WT);
    expect_pins(
        &port, 0,
        (const struct pins[]){{SW_DE, 0x3}, {SW_WT, 0x8}, {SW_WT, 0x1}, {SW_WT, 0x0}, {SW_TD, 0}},
        5);
}

/* Table 6-2, written as its patterns: each header is of one only */
static void test_headers(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 2; a++)
        for (unsigned two = 0; two < 4; two++) {
            assert_int_equal(sw_normal_header(a, two) & 0x53, 0x02);
            assert_int_equal(sw_normal_header(a, two) >> 5 & 1, a);
            assert_int_equal(sw_normal_header(a, two) >> 2 & 3, two);
            assert_int_equal(sw_miss_header(a, two) & 0x53, 0x50);
            assert_int_equal(sw_miss_header(a, two) >> 5 & 1, a);
            assert_int_equal(sw_miss_header(a, two) >> 2 & 3, two);
            for (unsigned tag = 0; tag < 4; tag++) {
                assert_int_equal(sw_miss_data_header(tag, two) & 0x13, 0x00);
                assert_int_equal(sw_miss_data_header(tag, two) >> 5 & 3, tag);
                assert_int_equal(sw_miss_data_header(tag, two) >> 2 & 3, two);
            }
        }
}

static void expect_bytes(const uint8_t *is, unsigned size, const char *wanted)
{
    char text[64] = "";

    for (unsigned i = 0; i < size; i++)
        snprintf(text + 3 * i, sizeof text - 3 * i, "%02x ", is[i]);
    assert_string_equal(text, wanted);
}

static void expect_branch(struct sw_place from, struct sw_place to, bool is_cancelling,
                          const char *wanted)
{
    uint8_t bytes[SW_BRANCH_MAX];
    struct sw_place last = from;

    expect_bytes(bytes, sw_put_branch(bytes, &last, to, is_cancelling), wanted);
    assert_int_equal(last.address, to.address);
    assert_int_equal(last.is_thumb, to.is_thumb);
}

/* 6.7.1: what the figures and Table 6-9 give for these addresses [ETM2-6.7.1-a, -b, -d, -e, -j] */
static void test_branches(void **state)
{
    const struct sw_place arm = {0x8000, false};
    const struct sw_place thumb = {0x8100, true};

    (void)state;
    expect_branch(thumb, arm, false, "81 80 81 80 08 ");
    expect_branch(arm, thumb, false, "81 82 82 80 10 ");
    expect_branch(arm, (struct sw_place){0x8104, false}, false, "83 01 ");
    expect_branch(arm, (struct sw_place){0x8010, false}, false, "09 ");
    expect_branch(arm, arm, false, "01 ");
    /* IRQ, and an imprecise data abort from v2.1 */
    expect_branch(arm, (struct sw_place){0x18, false}, true, "8d 80 80 80 48 ");
    expect_branch(arm, (struct sw_place){0x10, false}, true, "89 80 80 80 48 ");
    /* A[31:29] and A[31:28] */
    expect_branch(thumb, (struct sw_place){0xffff0018, false}, true, "8d 80 fe ff 4f ");
    expect_branch(arm, (struct sw_place){0xfffffffe, true}, false, "ff ff ff ff 1f ");
}

/* 6.4.2, 6.8.3, Table 6-3 [ETM2-6.4.2-a, -c, ETM2-6.4.1-j, ETM2-6.4.5-a] */
static void test_data(void **state)
{
    uint8_t bytes[8];
    uint32_t last = 0;

    (void)state;
    expect_bytes(bytes, sw_put_data_address(bytes, &last, 0x8000, true), "80 80 82 80 00 ");
    expect_bytes(bytes, sw_put_data_address(bytes, &last, 0x8084, false), "84 01 ");
    expect_bytes(bytes, sw_put_data_address(bytes, &last, 0x80f0, false), "70 ");
    expect_bytes(bytes, sw_put_data_address(bytes, &last, 0xf0008070, false), "f0 80 82 80 0f ");
    assert_int_equal(sw_value_code(0), 0);
    assert_int_equal(sw_value_code(255), 1);
    assert_int_equal(sw_value_code(65535), 2);
    assert_int_equal(sw_value_code(65536), 3);
    expect_bytes(bytes, sw_put_value(bytes, 0), "");
    expect_bytes(bytes, sw_put_value(bytes, 0xab), "ab ");
    expect_bytes(bytes, sw_put_value(bytes, 0x1234), "34 12 ");
    expect_bytes(bytes, sw_put_value(bytes, 0x12345678), "78 56 34 12 ");
    expect_bytes(bytes, sw_put_context(bytes, 0x12345678, 2), "78 56 ");
}

/* 6.5.3 to 6.5.5 [ETM2-6.5.3-a, ETM2-6.5.4-a, ETM2-6.5.5-b] */
static void test_tfo_packets(void **state)
{
    const struct sw_place lsm = {0x8000, false};
    struct sw_place last = {0, false};
    uint8_t bytes[SW_TFO_PACKET_MAX];

    (void)state;
    expect_bytes(bytes,
                 sw_put_tfo(bytes, &last, SW_TRACE_ON, 0, 0, (struct sw_place){0x8000, true}, NULL),
                 "20 01 80 00 00 ");
    expect_bytes(
        bytes, sw_put_tfo(bytes, &last, SW_TRACE_ON, 0, 0, (struct sw_place){0x8004, false}, &lsm),
        "a0 00 80 00 00 03 ");
    assert_int_equal(last.address, 0x8004);
    expect_bytes(bytes, sw_put_tfo(bytes, &last, SW_DEBUG_EXIT, 0xbeef, 2, lsm, NULL),
                 "60 ef be 00 80 00 00 ");
}

/* Runs made by hand: instructions at 0x8000 and on, a cycle each. */
static struct sw_run run;
static struct sw_trace trace;
static const struct sw_slot plain = {.what = SW_PLAIN, .size = 4};
static const struct sw_slot load = {.what = SW_LOAD, .size = 4, .transfers = 1, .bytes = 1};

static void begin_run(const struct sw_settings *settings)
{
    run.settings = *settings;
    run.instruction_count = run.cycle_count = run.item_count = 0;
}

static struct sw_cycle *add_cycle(bool is_enabled)
{
    struct sw_cycle *cycle = &run.cycles[run.cycle_count++];

    *cycle = (struct sw_cycle){
        .phantom = SW_NONE,
        .instruction = SW_NONE,
        .open = SW_NONE,
        .first_item = run.item_count,
        .is_enabled = is_enabled,
    };
    return cycle;
}

static struct sw_cycle *add_executed(const struct sw_slot *slot)
{
    struct sw_cycle *cycle = add_cycle(true);
    struct sw_insn *insn = &run.instructions[run.instruction_count];

    *insn = (struct sw_insn){
        .place = {0x8000 + 4 * run.instruction_count, false},
        .slot = slot,
        .has_passed = true,
        .is_data = slot->transfers > 0,
    };
    cycle->instruction = run.instruction_count++;
    return cycle;
}

static void add_transfer(struct sw_cycle *cycle, uint32_t address, uint32_t value)
{
    run.items[run.item_count++] = (struct sw_item){
        .kind = SW_TRANSFER,
        .owner = cycle->instruction,
        .address = address,
        .value = value,
        .is_viewed = true,
    };
    cycle->item_count++;
}

/* The vector of ETM2-6.5.1-p: ADD; LDRB, of which 0x12 is the value, on eight pins; then tracing is
 * disabled, shows WT until the FIFO is empty, then TD [ETM2-6.9.2-a] */
static void test_first_vector(void **state)
{
    static const struct pins wanted[] = {
        {SW_TD, 0x09}, {SW_IE, 0x20}, {SW_DE, 0x00}, {SW_WT, 0x80}, {SW_WT, 0x00},
        {SW_WT, 0x00}, {SW_WT, 0x26}, {SW_WT, 0x12}, {SW_TD, 0x00},
    };

    (void)state;
    begin_run(&(struct sw_settings){.pins = 8, .depth = DEPTH, .sync = 1024, .has_values = true});
    add_cycle(false);
    add_executed(&plain);
    add_transfer(add_executed(&load), 0x20000000, 0x12);
    for (unsigned i = 0; i < 6; i++)
        add_cycle(false);
    sw_trace_run(&trace, &run, 0);
    expect_pins(&trace.port, 0, wanted, sizeof wanted / sizeof *wanted);
}

/* A group of ten bytes where there is room for nine: all or nothing; then WT until the FIFO is empty, and
 * a TFO of reason 2 [ETM2-6.10-a, -b] */
static void test_overflow(void **state)
{
    static const struct pins wanted[] = {
        {SW_TD, 0x09}, {SW_WT, 0x20}, {SW_WT, 0x00}, {SW_WT, 0x80}, {SW_WT, 0x00},
        {SW_WT, 0x00}, {SW_TD, 0x09}, {SW_IE, 0x40}, {SW_IE, 0x10}, {SW_IE, 0x80},
    };
    const struct sw_settings settings = {
        .pins = 8, .depth = 14, .sync = 1024, .has_addresses = true, .has_values = true};
    const uint32_t value = 0x12345678;

    (void)state;
    begin_run(&settings);
    add_cycle(false);
    add_transfer(add_executed(&load), 0x20000000, value);
    for (unsigned i = 0; i < 3; i++)
        add_executed(&plain);
    add_cycle(true);
    add_cycle(true);
    for (unsigned i = 0; i < 3; i++)
        add_executed(&plain);
    sw_trace_run(&trace, &run, 0);
    expect_pins(&trace.port, 0, wanted, sizeof wanted / sizeof *wanted);
}

/* Idle cycles count in cycle-accurate mode while tracing is on [ETM2-6.11-a, ETM2-6.1.6-a]; without it
 * a capture device may drop them */
static void test_idle(void **state)
{
    struct sw_settings settings = {.pins = 16, .depth = DEPTH, .sync = 1024};

    (void)state;
    for (unsigned accurate = 0; accurate < 2; accurate++) {
        settings.is_cycle_accurate = accurate != 0;
        begin_run(&settings);
        add_cycle(false);
        add_executed(&plain);
        for (unsigned i = 0; i < 4; i++)
            add_cycle(true);
        add_cycle(false);
        sw_trace_run(&trace, &run, 0);
        expect_pins(&trace.port, 0,
                    (const struct pins[]){{SW_TD, 0x09},
                                          {SW_IE, 0x0020},
                                          {SW_WT, 0x0080},
                                          {SW_WT, 0x6600},
                                          {SW_TD, accurate ? 0x7 : 0x0},
                                          {SW_TD, accurate ? 0x7 : 0x0},
                                          {SW_TD, 0}},
                    7);
    }
}

/* A periodic TFO waits for an IE, in the place of which it stands [ETM2-6.5.1-a, -d]; if none comes until
 * the counter is at zero again, an overflow is forced [ETM2-6.5.1-b] */
static void test_periodic(void **state)
{
    struct sw_settings settings = {.pins = 8, .depth = DEPTH, .sync = 8, .data_phase = 4};
    unsigned tfos = 0;

    (void)state;
    begin_run(&settings);
    add_cycle(false);
    for (unsigned i = 0; i < 10; i++)
        add_executed(&plain);
    run.instructions[7].has_passed = false; /* in the cycle in which the counter is at zero */
    sw_trace_run(&trace, &run, 0);
    assert_int_equal(trace.samples[4 * 8], SW_IN);
    assert_int_equal(trace.samples[4 * 9], SW_TD);
    assert_int_equal(trace.samples[4 * 9 + 2], 0x09);
    assert_int_equal(trace.samples[4 * 10 + 2], 0x00);
    for (unsigned i = 0; i < trace.said_count; i++)
        tfos += trace.said[i].kind == SW_SAID_PERIODIC && trace.said[i].number == 8;
    assert_int_equal(tfos, 1);
    for (unsigned i = 0; i < 20; i++)
        add_executed(&plain);
    for (unsigned i = 0; i < run.instruction_count; i++)
        run.instructions[i].has_passed = false;
    sw_trace_run(&trace, &run, 0);
    assert_int_equal(trace.samples[4 * 15], SW_IN);
    assert_int_equal(trace.samples[4 * 16], SW_TD); /* the FIFO was empty */
    assert_int_equal(trace.samples[4 * 17], SW_TD);
    assert_int_equal(trace.samples[4 * 17 + 2], 0x09);
    assert_int_equal(trace.samples[4 * 18 + 2], SW_OVERFLOW << 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tfo_values),
        cmocka_unit_test(test_table_6_5),
        cmocka_unit_test(test_triggers_in_a_tfo),
        cmocka_unit_test(test_triggers),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_tfo_packets),
        cmocka_unit_test(test_first_vector),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_idle),
        cmocka_unit_test(test_periodic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
