/* SPDX-License-Identifier: BSD-2-Clause */
/* What cycles of an ETMv1, and its configuration, say of themselves: IHI0014 3.5.1, chapter 5; the
 * members of a packet are those of <cairn/etmv1.h>. */
#include "describe_text.h"

#include <stdio.h>

#include <cairn/etmv1.h>

#define CCR_V1_3 0x30000000u
#define LANE(what, nth, of) CAIRN_ETMV1_LANE(CAIRN_ETMV1_LANE_##what, nth, of)

static struct cairn_config *configure(const struct cairn_register *registers, size_t count)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config;

    source.protocol = CAIRN_PROTOCOL_ETMV1;
    source.registers = registers;
    source.register_count = count;
    assert_int_equal(cairn_arch_from_name("ARM926EJ-S", &source.arch), CAIRN_OK);
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

static struct cairn_config *of_control(uint32_t control)
{
    const struct cairn_register registers[] = {{"ETMCR", control}, {"ETMCCR", CCR_V1_3}};

    return configure(registers, 2);
}

/* 3.5.1: each bit of ETMCR that says how the trace is read, alone. */
static void test_control(void **state)
{
    static const struct {
        uint32_t control;
        const char *text;
    } rows[] = {
        {0, "version=ETMv1.3 trace port pins=4 cycle-accurate=no context id bytes=0 data "
            "trace=none coprocessor transfers=no direct branch packets=no high vectors=no "
            "big-endian=no vectors come late=no"},
        {0x10, "version=ETMv1.3 trace port pins=8 cycle-accurate=no context id bytes=0 data "
               "trace=none coprocessor transfers=no direct branch packets=no high vectors=no "
               "big-endian=no vectors come late=no"},
        {0x20, "version=ETMv1.3 trace port pins=16 cycle-accurate=no context id bytes=0 data "
               "trace=none coprocessor transfers=no direct branch packets=no high vectors=no "
               "big-endian=no vectors come late=no"},
        {0x1004, "version=ETMv1.3 trace port pins=4 cycle-accurate=yes context id bytes=0 data "
                 "trace=values coprocessor transfers=no direct branch packets=no high vectors=no "
                 "big-endian=no vectors come late=no"},
        {0x4008, "version=ETMv1.3 trace port pins=4 cycle-accurate=no context id bytes=1 data "
                 "trace=addresses coprocessor transfers=no direct branch packets=no high "
                 "vectors=no big-endian=no vectors come late=no"},
        {0x800c, "version=ETMv1.3 trace port pins=4 cycle-accurate=no context id bytes=2 data "
                 "trace=addresses and values coprocessor transfers=no direct branch packets=no "
                 "high vectors=no big-endian=no vectors come late=no"},
        {0xc106, "version=ETMv1.3 trace port pins=4 cycle-accurate=no context id bytes=4 data "
                 "trace=values coprocessor transfers=yes direct branch packets=yes high vectors=no "
                 "big-endian=no vectors come late=no"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cairn_config *config = of_control(rows[i].control);

        assert_string_equal(describe_config(config), rows[i].text);
        cairn_config_unref(config);
    }
}

/* What no register tells. */
static void test_beside(void **state)
{
    static const struct {
        const char *name, *text;
    } rows[] = {{"HIVECS", "high vectors=yes big-endian=no vectors come late=no"},
                {"BIGENDIAN", "high vectors=no big-endian=yes vectors come late=no"},
                {"VECTORQUIRK", "high vectors=no big-endian=no vectors come late=yes"}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cairn_register registers[] = {
            {"ETMCR", 0}, {"ETMCCR", CCR_V1_3}, {rows[i].name, 1}};
        struct cairn_config *config = configure(registers, 3);
        char text[400];

        snprintf(text, sizeof text,
                 "version=ETMv1.3 trace port pins=4 cycle-accurate=no context id bytes=0 data "
                 "trace=none coprocessor transfers=no direct branch packets=no %s",
                 rows[i].text);
        assert_string_equal(describe_config(config), text);
        cairn_config_unref(config);
    }
}

/* 3.5.18: an ETMIDR of another architecture, whichever. */
static void test_other_architecture(void **state)
{
    (void)state;
    for (unsigned major = 1; major < 16; major++) {
        struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
        const struct cairn_register id = {"ETMIDR", 0x41000000u | major << 8};
        struct cairn_error error = {.text = ""};
        struct cairn_config *config = NULL;
        char expected[200];

        source.protocol = CAIRN_PROTOCOL_ETMV1;
        source.registers = &id;
        source.register_count = 1;
        snprintf(expected, sizeof expected,
                 "ETMIDR is 0x41000%x00: major version (bits 11:8) is %u, but ETMv1 has 0 (ETMv2 "
                 "1, ETMv3 2, PTM 3); check the value or the protocol of the source",
                 major, major);
        assert_int_equal(cairn_config_new(&source, &config, &error), CAIRN_E_CONFIG);
        assert_string_equal(error.text, expected);
    }
}

/* 5.1, 5.3: statuses, and what the lanes carry. */
static void test_lanes(void **state)
{
    static const struct {
        uint32_t lane;
        const char *text;
    } rows[] = {
        {LANE(NOTHING, 0, 0), "nothing"},
        {LANE(ADDRESS, 1, 5), "address 1 of 5"},
        {LANE(ADDRESS, 5, 5), "address 5 of 5"},
        {LANE(ADDRESS, 2, 0), "address 2, cut short"},
        {LANE(CONTEXT_ID, 4, 4), "Context ID 4 of 4"},
        {LANE(CONTEXT_ID, 1, 0), "Context ID 1, cut short"},
        {LANE(DATA, 0, 0), "data"},
        {LANE(OPEN, 0, 0), "data or nothing"},
        {LANE(STATUS, 0, 0), "status"},
    };
    struct cairn_config *one = of_control(0x10), *two = of_control(0x20);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t j = 0; j < sizeof rows / sizeof rows[0]; j++) {
            const struct cairn_packet_fields fields = {.type = CAIRN_ETMV1_WT,
                                                       .value = 0xabcd,
                                                       .atoms = rows[i].lane | rows[j].lane << 16};
            char text[200];

            snprintf(text, sizeof text, "TRACEPKT=0xabcd carries=%s", rows[i].text);
            assert_string_equal(describe_packet(one, CAIRN_ETMV1_WT, 0, &fields), text);
            snprintf(text, sizeof text, "TRACEPKT=0xabcd carries=%s upper carries=%s", rows[i].text,
                     rows[j].text);
            assert_string_equal(describe_packet(two, CAIRN_ETMV1_WT, 0, &fields), text);
        }
    cairn_config_unref(one);
    cairn_config_unref(two);
}

#define PINS "TRACEPKT=0x0 carries=nothing"

/* Table 5-3, 5.6.1, 5.1.1: branches, and what is said of any cycle. */
static void test_cycles(void **state)
{
    static const struct {
        unsigned kind;
        struct cairn_packet_fields fields;
        const char *text;
    } rows[] = {
        {CAIRN_ETMV1_IE, {.type = CAIRN_ETMV1_IE}, PINS},
        {CAIRN_ETMV1_IE, {.type = CAIRN_ETMV1_IE, .info = CAIRN_ETMV1_SYNC}, "TRACESYNC=yes " PINS},
        {CAIRN_ETMV1_IE,
         {.type = CAIRN_ETMV1_IE, .info = CAIRN_ETMV1_CAPTURE_TRIGGER},
         PINS " capture trigger=yes"},
        {CAIRN_ETMV1_TD,
         {.type = CAIRN_ETMV1_TD, .info = CAIRN_ETMV1_LOST},
         PINS " cycles missing=yes"},
        {CAIRN_ETMV1_TR, {.type = CAIRN_ETMV1_ID}, "status=ID " PINS},
        {CAIRN_ETMV1_TR, {.type = CAIRN_ETMV1_TD}, "status=TD " PINS},
        {CAIRN_ETMV1_APO, {.type = CAIRN_ETMV1_APO, .count = 3}, "APO=3 " PINS},
        {CAIRN_ETMV1_BE, {.type = CAIRN_ETMV1_BE}, "address=? " PINS},
        {CAIRN_ETMV1_BD, {.type = CAIRN_ETMV1_BD}, "address=? " PINS},
        {CAIRN_ETMV1_BE,
         {.type = CAIRN_ETMV1_BE, .info = CAIRN_ETMV1_ABANDONED},
         "abandoned=yes " PINS},
        {CAIRN_ETMV1_BD,
         {.type = CAIRN_ETMV1_BD,
          .info = CAIRN_ETMV1_CONTRADICTION,
          .flags = CAIRN_PACKET_HAS_COUNT,
          .count = 12},
         "APO=12 address=? " PINS " contradiction=yes"},
        {CAIRN_ETMV1_BE,
         {.type = CAIRN_ETMV1_BE,
          .flags = CAIRN_PACKET_HAS_ADDRESS,
          .address = 0x8000,
          .address_bits = 14,
          .state = CAIRN_STATE_ARM},
         "address=0x8000 bits traced=14 state=ARM " PINS},
        {CAIRN_ETMV1_BE,
         {.type = CAIRN_ETMV1_BE,
          .flags = CAIRN_PACKET_HAS_ADDRESS | CAIRN_PACKET_HAS_CONTEXT_ID,
          .address = 0x8002,
          .address_bits = 32,
          .state = CAIRN_STATE_THUMB,
          .reason = CAIRN_ETMV1_TRACE_ON,
          .context = {.context_id = 0x12}},
         "address=0x8002 bits traced=32 state=Thumb reason=trace on Context ID=0x12 " PINS},
        {CAIRN_ETMV1_BE,
         {.type = CAIRN_ETMV1_BE,
          .flags = CAIRN_PACKET_HAS_ADDRESS,
          .state = CAIRN_STATE_JAZELLE,
          .reason = CAIRN_ETMV1_OVERFLOW},
         "address=0x0 bits traced=0 state=Jazelle reason=after overflow " PINS},
        {CAIRN_ETMV1_BE,
         {.type = CAIRN_ETMV1_BE,
          .flags = CAIRN_PACKET_HAS_ADDRESS,
          .reason = CAIRN_ETMV1_DEBUG_EXIT},
         "address=0x0 bits traced=0 state=ARM reason=debug exit " PINS},
        {CAIRN_ETMV1_BE,
         {.type = CAIRN_ETMV1_BE,
          .flags = CAIRN_PACKET_HAS_ADDRESS,
          .reason = CAIRN_ETMV1_PERIODIC},
         "address=0x0 bits traced=0 state=ARM reason=periodic " PINS},
        {CAIRN_ETMV1_BE,
         {.type = CAIRN_ETMV1_BE, .flags = CAIRN_PACKET_HAS_ADDRESS, .reason = 5},
         "address=0x0 bits traced=0 state=ARM reserved reason=5 " PINS},
        {CAIRN_ETMV1_RESERVED, {.type = CAIRN_ETMV1_IE}, ""},
        {CAIRN_ETMV1_INCOMPLETE, {.type = CAIRN_ETMV1_IE}, ""},
    };
    struct cairn_config *config = of_control(0x10);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(describe_packet(config, rows[i].kind, 0, &rows[i].fields),
                            rows[i].text);
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_control), cmocka_unit_test(test_beside),
        cmocka_unit_test(test_lanes),   cmocka_unit_test(test_other_architecture),
        cmocka_unit_test(test_cycles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
