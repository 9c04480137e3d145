/* SPDX-License-Identifier: BSD-2-Clause */
/* The second writer against the numbers that the specification prints, cycle by cycle, and against
 * bytes worked out from its text. The ids in brackets are of the rules; what proves that Cairn keeps them
 * are tests of Cairn, not these. */
#include <stdio.h>

#include "packets.h"
#include "pins.h"

enum { CYCLES = 64 };

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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
