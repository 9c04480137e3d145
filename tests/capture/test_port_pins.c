/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of IHI0014 chapters 2.10, 4.4 and 8, as they are printed. */
#include <stdlib.h>
#include <string.h>

#include "capture/port/connectors.h"
#include "capture/port/cycle.h"
#include "capture/port/modes.h"
#include "folder.h"

#define BIT(n) (UINT64_C(1) << (n))

/* --- 4.3 and 4.4 --- */

static void signals(void **state)
{
    static const unsigned widths[] = {4, 8, 16};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        const uint16_t packet = (uint16_t)(0xa5c3 & (BIT(widths[i]) - 1));
        const struct cairn_sample v1 = {.pipestat = 5, .flags = 1, .packet = packet};
        const struct cairn_sample v2 = {.pipestat = 13, .packet = packet};
        /* PIPESTAT is bits 2:0, TRACESYNC bit 4, TRACEPKT from bit 8 on */
        assert_int_equal(cairn_port_cycle(CAIRN_PORT_V1, v1), 0x15 | (uint64_t)packet << 8);
        /* PIPESTAT[3] is bit 3; there is no TRACESYNC */
        assert_int_equal(cairn_port_cycle(CAIRN_PORT_V2, v2), 0x0d | (uint64_t)packet << 8);
        struct cairn_sample back = cairn_port_sample(CAIRN_PORT_V1, 0x15 | (uint64_t)packet << 8);
        /* proves: ETM1-4.3.1-a */
        assert_true(back.pipestat == 5 && back.flags == 1 && back.packet == packet);
        back = cairn_port_sample(CAIRN_PORT_V2, 0x1d | (uint64_t)packet << 8);
        assert_true(back.pipestat == 13 && back.flags == 0 && back.packet == packet);
    }
    assert_true(cairn_port_has_width(CAIRN_PORT_V1, 4) && cairn_port_has_width(CAIRN_PORT_V2, 16));
    assert_false(cairn_port_has_width(CAIRN_PORT_V1, 12) ||
                 cairn_port_has_width(CAIRN_PORT_V2, 32));
    assert_true(cairn_port_has_width(CAIRN_PORT_V3, 1) && cairn_port_has_width(CAIRN_PORT_V3, 32));
    assert_false(cairn_port_has_width(CAIRN_PORT_V3, 0) || cairn_port_has_width(CAIRN_PORT_V3, 33));
}

static void triggers(void **state)
{
    (void)state;
    for (unsigned status = 0; status < 16; status++) {
        const bool v1 = cairn_port_rule(CAIRN_PORT_V1, status).trigger;
        const bool v2 = cairn_port_rule(CAIRN_PORT_V2, status).trigger;
        /* proves: ETM1-4.4.1-a */
        assert_int_equal(v1, (status & 7) == 6); /* bit 3 is none of ETMv1's */
        /* proves: ETM2-4.4.1-a */
        assert_int_equal(v2, status == 6);
    }
}

static void stored(void **state)
{
    (void)state;
    for (unsigned status = 0; status < 16; status++) {
        for (unsigned packet = 0; packet < 16; packet++) {
            const uint64_t cycle = status | (uint64_t)packet << 8;
            /* proves: ETM1-4.4.2-a */
            assert_int_equal(cairn_port_rule(CAIRN_PORT_V1, cycle).store,
                             !((status & 7) == 7 && !(packet & 1)));
            /* proves: ETM2-4.4.2-a */
            assert_int_equal(cairn_port_rule(CAIRN_PORT_V2, cycle).store,
                             !(status == 7 && !(packet & 1)));
        }
    }
}

/* Table 4-1: TRACECTL, TRACEDATA[0], TRACEDATA[1]. */
static void stored_v3(void **state)
{
    static const struct {
        unsigned ctl, data0, data1;
        bool store, trigger;
    } rows[] = {
        {0, 0, 0, true, false}, {0, 0, 1, true, false},  {0, 1, 0, true, false},
        {0, 1, 1, true, false}, {1, 1, 0, false, false}, {1, 1, 1, false, false},
        {1, 0, 0, true, true},  {1, 0, 1, false, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cairn_port_rule rule = cairn_port_rule(
            CAIRN_PORT_V3, (uint64_t)rows[i].ctl << 32 | rows[i].data0 | rows[i].data1 << 1);
        /* proves: ETM3-4.4.2-a, ETM3-4.4.2-b, ETM3-4.4.2-c, ETM3-4.4.2-d */
        assert_int_equal(rule.store, rows[i].store);
        /* proves: ETM3-4.4.1-a */
        assert_int_equal(rule.trigger, rows[i].trigger);
    }
}

/* --- 2.10 --- */

/* Table 2-17: bit 13, bits 17:16, edges, clock, data rate and pins against the ETM's, in percent. */
static void modes_v1(void **state)
{
    static const struct {
        unsigned half, mode;
        bool both;
        unsigned clock, data, pins;
    } rows[] = {
        {0, 0, false, 100, 100, 100}, {0, 1, true, 100, 200, 50}, {0, 2, false, 50, 50, 200},
        {1, 0, true, 50, 100, 100},   {1, 2, true, 25, 50, 200},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint64_t etmcr = rows[i].half << 13 | rows[i].mode << 16;
        const struct cairn_port_clocking *clocking =
            cairn_port_clocking_of_etmcr(CAIRN_PORT_V1, etmcr | 0x40cdf);
        assert_non_null(clocking);
        /* proves: ETM1-2.10.1-b */
        assert_true(
            clocking->both_edges == rows[i].both && clocking->clock_percent == rows[i].clock &&
            clocking->data_percent == rows[i].data && clocking->pin_percent == rows[i].pins);
        assert_ptr_equal(clocking, cairn_port_clocking_of_etmcr(CAIRN_PORT_V2, etmcr));
        assert_int_equal(cairn_port_etmcr_of_clocking(clocking), etmcr);
    }
    /* half-rate and multiplexed, and mode b11, are in no row */
    assert_null(cairn_port_clocking_of_etmcr(CAIRN_PORT_V1, 1 << 13 | 1 << 16));
    assert_null(cairn_port_clocking_of_etmcr(CAIRN_PORT_V2, 3 << 16));
    assert_null(cairn_port_clocking(CAIRN_PORT_V1, CAIRN_PORT_MODE_DYNAMIC));
}

/* Table 2-18: all but the dynamic mode are sampled at both edges. */
static void modes_v3(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode < 8; mode++) {
        const struct cairn_port_clocking *clocking = cairn_port_clocking_of_etmcr(
            CAIRN_PORT_V3, (uint64_t)(mode >> 2) << 13 | (mode & 3) << 16);
        if (mode == 2) {
            assert_null(clocking); /* reserved */
            continue;
        }
        assert_non_null(clocking);
        assert_int_equal(clocking->both_edges, mode != 0);
        assert_int_equal(clocking->pin_percent, 100);
    }
    /* proves: ETMC-8.2.4-c */
    assert_null(cairn_port_clocking(CAIRN_PORT_V3, CAIRN_PORT_MODE_MULTIPLEXED));
    assert_null(cairn_port_clocking(CAIRN_PORT_V3, CAIRN_PORT_MODE_DEMULTIPLEXED));
}

/* Table 3-6. */
static void widths(void **state)
{
    static const struct {
        unsigned code, width;
    } rows[] = {{0, 4}, {1, 8}, {2, 16}, {3, 24}, {4, 32}, {8, 1}, {9, 2}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t etmcr = (rows[i].code & 7) << 4 | (rows[i].code >> 3) << 21;
        assert_int_equal(cairn_port_width_of_etmcr(CAIRN_PORT_V3, etmcr), rows[i].width);
        assert_int_equal(cairn_port_etmcr_of_width(CAIRN_PORT_V3, rows[i].width), etmcr);
        if (rows[i].code < 3)
            assert_int_equal(cairn_port_width_of_etmcr(CAIRN_PORT_V1, etmcr | 1 << 21),
                             rows[i].width);
    }
    assert_int_equal(cairn_port_width_of_etmcr(CAIRN_PORT_V3, 7 << 4), 0);
    assert_int_equal(cairn_port_width_of_etmcr(CAIRN_PORT_V2, 3 << 4), 0);
}

/* --- chapter 8 --- */

#define P(n) (8 + (n)) /* TRACEPKT[n] of a cycle */
#define CTL 32
#define LOW CAIRN_PORT_LOGIC_0
#define HIGH CAIRN_PORT_LOGIC_1
#define A(pin) cairn_port_slot_of_pin(0, pin)
#define B(pin) cairn_port_slot_of_pin(1, pin)

static void table_8_2(void **state)
{
    static const uint8_t v1[] = {0,    1,    2,    4,    P(0),  P(1),  P(2),  P(3),  P(4),  P(5),
                                 P(6), P(7), P(8), P(9), P(10), P(11), P(12), P(13), P(14), P(15)};
    static const uint8_t v3[] = {0, CTL, HIGH, LOW, LOW, 1,  2,  3,  4,  5,
                                 6, 7,   8,    9,   10,  11, 12, 13, 14, 15};
    (void)state;
    for (unsigned n = 1; n <= 4; n++) {
        const unsigned v2 = n == 4 ? 3 : v1[n - 1];
        /* proves: ETMC-8.2.1-a */
        assert_true(cairn_port_trace_signal(CAIRN_PORT_V1, n) == v1[n - 1] &&
                    cairn_port_trace_signal(CAIRN_PORT_V2, n) == v2 &&
                    cairn_port_trace_signal(CAIRN_PORT_V3, n) == v3[n - 1]);
    }
    for (unsigned n = 5; n <= 20; n++) {
        /* proves: ETMC-8.2.1-b */
        assert_true(cairn_port_trace_signal(CAIRN_PORT_V1, n) == v1[n - 1] &&
                    cairn_port_trace_signal(CAIRN_PORT_V2, n) == v1[n - 1] &&
                    cairn_port_trace_signal(CAIRN_PORT_V3, n) == v3[n - 1]);
    }
}

static unsigned slot_of(enum cairn_port_map map, enum cairn_port_kind kind,
                        enum cairn_port_mode mode, unsigned width, struct cairn_port_wire wire)
{
    const struct cairn_port_clocking *clocking = cairn_port_clocking(kind, mode);

    assert_non_null(clocking);
    return cairn_port_wire_slot(map, kind, clocking, width, &wire);
}

/* Trace signals 1 to 20 of a single connector. */
static const uint8_t table_8_3[] = {38, 36, 34, 32, 30, 28, 26, 24, 22, 20,
                                    18, 16, 37, 35, 33, 31, 29, 27, 25, 23};

static void single_connector(void **state)
{
    static const struct {
        unsigned pin;
        const char *signal;
    } others[] = {{5, "GND"},        {6, "TRACECLK"},  {7, "DBGREQ"},     {8, "DBGACK"},
                  {9, "nSRST"},      {10, "EXTTRIG"},  {11, "TDO"},       {12, "VTRef"},
                  {13, "RTCK"},      {14, "VSupply"},  {15, "TCK"},       {17, "TMS"},
                  {19, "TDI"},       {21, "nTRST"},    {1, "no connect"}, {2, "no connect"},
                  {3, "no connect"}, {4, "no connect"}};
    (void)state;
    for (unsigned n = 1; n <= 20; n++) {
        const struct cairn_port_wire wire = {
            .bit = (uint8_t)cairn_port_trace_signal(CAIRN_PORT_V1, n)};
        /* proves: ETMC-8.2.2-a */
        assert_int_equal(
            slot_of(CAIRN_PORT_MAP_MICTOR, CAIRN_PORT_V1, CAIRN_PORT_MODE_NORMAL, 16, wire),
            A(table_8_3[n - 1]));
        assert_null(cairn_port_other_pin(table_8_3[n - 1]));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        /* proves: ETMC-8.2.2-a */
        assert_string_equal(cairn_port_other_pin(others[i].pin), others[i].signal);
    }
    assert_int_equal(cairn_port_clock_slot(CAIRN_PORT_MAP_MICTOR), A(6));
}

/* Table 8-5: TRACEDATA[31:16]. */
static void second_connector(void **state)
{
    static const uint8_t pins[] = {38, 28, 26, 24, 22, 20, 18, 16, 37, 35, 33, 31, 29, 27, 25, 23};

    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        const struct cairn_port_wire low = {.bit = (uint8_t)i}, high = {.bit = (uint8_t)(16 + i)};
        /* proves: ETMC-8.2.2-c, ETMC-8.2.2-d */
        assert_int_equal(
            slot_of(CAIRN_PORT_MAP_MICTOR, CAIRN_PORT_V3, CAIRN_PORT_MODE_HALF_RATE, 32, high),
            B(pins[i]));
        assert_int_equal(
            slot_of(CAIRN_PORT_MAP_MICTOR, CAIRN_PORT_V3, CAIRN_PORT_MODE_HALF_RATE, 32, low),
            A(i ? table_8_3[i + 4] : 38));
    }
}

/* ... and the levels beside it, so that an old analyser sees PIPESTAT b010x. */
static void second_levels(void **state)
{
    static const unsigned pins[][2] = {{36, LOW}, {34, HIGH}, {32, LOW}, {30, LOW}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        /* proves: ETMC-8.2.2-c */
        assert_int_equal(cairn_port_second_pin(pins[i][0]), pins[i][1]);
    }
    assert_int_equal(cairn_port_second_pin(38), 16);
    assert_int_equal(cairn_port_second_pin(12), CAIRN_PORT_NO_SLOT);
}

/* Table 8-6. */
static void dual_connector(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 12; n++) {
        const struct cairn_port_wire wire = {
            .bit = (uint8_t)cairn_port_trace_signal(CAIRN_PORT_V2, n)};
        const unsigned first =
            slot_of(CAIRN_PORT_MAP_MICTOR_A, CAIRN_PORT_V2, CAIRN_PORT_MODE_NORMAL, 8, wire);
        const unsigned second =
            slot_of(CAIRN_PORT_MAP_MICTOR_B, CAIRN_PORT_V2, CAIRN_PORT_MODE_NORMAL, 8, wire);
        /* proves: ETMC-8.2.3-a */
        assert_true(first == A(40 - 2 * n) &&
                    second == (n <= 8 ? A(39 - 2 * n) : CAIRN_PORT_NO_SLOT));
    }
    /* proves: ETMC-8.2.3-a */
    assert_true(cairn_port_clock_slot(CAIRN_PORT_MAP_MICTOR_A) == A(6) &&
                cairn_port_clock_slot(CAIRN_PORT_MAP_MICTOR_B) == A(5));
}

/* Tables 8-7 and 8-8: pin, rising and falling edge; the first of ETMv2 ends with PIPESTAT[3]. */
static const uint8_t table_8_8[][3] = {
    {38, 0, 4},       {36, 1, P(1)},    {34, 2, P(2)},      {32, P(0), P(3)},   {30, P(4), P(5)},
    {28, P(6), P(7)}, {26, P(8), P(9)}, {24, P(10), P(11)}, {22, P(12), P(13)}, {20, P(14), P(15)},
};

static void multiplexed_connector(void **state)
{
    static const unsigned width_pairs[][2] = {{4, 4}, {8, 6}, {16, 10}};
    struct cairn_port_wire wires[CAIRN_PORT_WIRES];

    (void)state;
    for (unsigned v = CAIRN_PORT_V1; v <= CAIRN_PORT_V2; v++) {
        const enum cairn_port_kind kind = (enum cairn_port_kind)v;
        const struct cairn_port_clocking *clocking =
            cairn_port_clocking(kind, CAIRN_PORT_MODE_MULTIPLEXED);
        for (size_t w = 0; w < 3; w++) {
            const size_t count = cairn_port_wires(kind, clocking, width_pairs[w][0], wires);
            assert_int_equal(count, 2 * width_pairs[w][1]);
            for (size_t i = 0; i < count; i++) {
                const unsigned falling =
                    v == CAIRN_PORT_V2 && i == 1 ? 3 : table_8_8[i / 2][1 + i % 2];
                /* proves: ETMC-8.2.4-b, ETM2-8.2.4-a */
                assert_true(wires[i].edge == i % 2 && wires[i].bit == falling);
                /* proves: ETMC-8.2.4-a */
                assert_int_equal(slot_of(CAIRN_PORT_MAP_MICTOR, kind, CAIRN_PORT_MODE_MULTIPLEXED,
                                         width_pairs[w][0], wires[i]),
                                 A(table_8_8[i / 2][0]));
            }
        }
    }
}

/* Table 8-9, and two connectors for wider ports. */
static void demultiplexed_connectors(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 20; n++) {
        const uint8_t bit = (uint8_t)cairn_port_trace_signal(CAIRN_PORT_V1, n);
        const struct cairn_port_wire of_A = {.bit = bit, .half = CAIRN_PORT_A};
        const struct cairn_port_wire of_B = {.bit = bit, .half = CAIRN_PORT_B};
        if (n <= 8) {
            /* proves: ETMC-8.2.5-a */
            assert_true(slot_of(CAIRN_PORT_MAP_MICTOR, CAIRN_PORT_V1, CAIRN_PORT_MODE_DEMULTIPLEXED,
                                4, of_A) == A(40 - 2 * n) &&
                        slot_of(CAIRN_PORT_MAP_MICTOR, CAIRN_PORT_V1, CAIRN_PORT_MODE_DEMULTIPLEXED,
                                4, of_B) == A(39 - 2 * n));
        }
        /* proves: ETMC-8.2.5-c */
        assert_true(slot_of(CAIRN_PORT_MAP_MICTOR, CAIRN_PORT_V1, CAIRN_PORT_MODE_DEMULTIPLEXED, 16,
                            of_A) == A(table_8_3[n - 1]) &&
                    slot_of(CAIRN_PORT_MAP_MICTOR, CAIRN_PORT_V1, CAIRN_PORT_MODE_DEMULTIPLEXED, 16,
                            of_B) == B(table_8_3[n - 1]));
    }
}

static void spellings(void **state)
{
    static const struct {
        const char *name;
        unsigned slot, bits; /* bits 0: of no signal */
    } rows[] = {
        {"PIPESTAT", 0, 4},
        {"PIPESTAT0", 0, 1},
        {"pipestat[2]", 2, 1},
        {"TRACESYNC", 4, 1},
        {"TracePkt", 5, 16},
        {"TRACE_PKT_15", 20, 1},
        {"TRACECLK", 21, 1},
        {"trace_clk", 21, 1},
        {"TRACECTL", 22, 1},
        {"TRACEDATA", 23, 32},
        {"tracedata[31]", 54, 1},
        {"TRACED3", 26, 1},
        {"TRACECLK_B", 2 * 55 + 21, 1},
        {"PIPESTAT_A[1]", 55 + 1, 1},
        {"PIPESTAT1_B", 2 * 55 + 1, 1},
        {"pin38", 3 * 55 + 38, 1},
        {"38", 3 * 55 + 38, 1},
        {"b6", 3 * 55 + 39 + 6, 1},
        {"TRACEDATA[32]", 0, 0},
        {"PIPESTAT4", 0, 0},
        {"TRACECLK2", 0, 0},
        {"pin39", 0, 0},
        {"pin0", 0, 0},
        {"TRACE", 0, 0},
        {"TRACEDATAX", 0, 0},
        {"TRACEDATA[1", 0, 0},
        {"", 0, 0},
    };
    char text[CAIRN_PORT_SLOT_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cairn_port_named named = {0};
        const bool is = cairn_port_named(rows[i].name, &named);
        if (is != (rows[i].bits > 0) || named.slot != rows[i].slot || named.bits != rows[i].bits)
            fail_msg("%s: %d, slot %u, %u bits", rows[i].name, is, named.slot, named.bits);
    }
    cairn_port_slot_text(2 * 55 + 5 + 11, text);
    assert_string_equal(text, "TRACEPKT_B[11]");
    cairn_port_slot_text(22, text);
    assert_string_equal(text, "TRACECTL");
    cairn_port_slot_text(B(37), text);
    assert_string_equal(text, "pin b37");
    assert_int_equal(cairn_port_kind_of_type("ETM9"), CAIRN_PORT_V1);
    assert_int_equal(cairn_port_kind_of_type("ETMv2.1"), CAIRN_PORT_V2);
    assert_int_equal(cairn_port_kind_of_type("ETM3.5"), CAIRN_PORT_V3);
    assert_int_equal(cairn_port_kind_of_type("ETM10RV"), CAIRN_PORT_UNKNOWN);
    assert_int_equal(cairn_port_kind_of_type("ETMv4"), CAIRN_PORT_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals),
        cmocka_unit_test(triggers),
        cmocka_unit_test(stored),
        cmocka_unit_test(stored_v3),
        cmocka_unit_test(modes_v1),
        cmocka_unit_test(modes_v3),
        cmocka_unit_test(widths),
        cmocka_unit_test(table_8_2),
        cmocka_unit_test(single_connector),
        cmocka_unit_test(second_connector),
        cmocka_unit_test(second_levels),
        cmocka_unit_test(dual_connector),
        cmocka_unit_test(multiplexed_connector),
        cmocka_unit_test(demultiplexed_connectors),
        cmocka_unit_test(spellings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
