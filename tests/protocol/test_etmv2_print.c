/* SPDX-License-Identifier: BSD-2-Clause */
/* What cycles and packets of an ETMv2, and its configuration, say of themselves: IHI0014 3.5.1, chapter
 * 6; the members of a packet are those of <cairn/etmv2.h>. Each packet here is in cycle 100. */
#include "describe_text.h"

#include <stdio.h>

#include <cairn/etmv2.h>

#include "etmv2_session.h"

#define SAMPLE 4 /* bytes of a cycle */
#define CYCLE "cycle=100 "

static struct cairn_config *configure(uint32_t control, const struct cairn_register *more)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_register registers[3] = {{"ETMCR", control}, {"ETMIDR", 0x41002110}};
    struct cairn_config *config;

    source.protocol = CAIRN_PROTOCOL_ETMV2;
    source.registers = registers;
    source.register_count = 2;
    if (more)
        registers[source.register_count++] = *more;
    assert_int_equal(cairn_arch_from_name("ARM926EJ-S", &source.arch), CAIRN_OK);
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

/* 3.5.1: each bit of ETMCR that says how the trace is read. */
static void test_control(void **state)
{
    static const struct {
        uint32_t control;
        const char *pins, *rest;
    } rows[] = {
        {0x00, "4",
         "direct branch packets=no cycle-accurate=no context id bytes=0 data trace=none "
         "coprocessor transfers=no"},
        {0x14, "8",
         "direct branch packets=no cycle-accurate=no context id bytes=0 data "
         "trace=values coprocessor transfers=no"},
        {0x28, "16",
         "direct branch packets=no cycle-accurate=no context id bytes=0 data "
         "trace=addresses coprocessor transfers=no"},
        {0x411e, "8",
         "direct branch packets=yes cycle-accurate=no context id bytes=1 data "
         "trace=addresses and values coprocessor transfers=yes"},
        {0x9000, "4",
         "direct branch packets=no cycle-accurate=yes context id bytes=2 data "
         "trace=none coprocessor transfers=no"},
        {0xc000, "4",
         "direct branch packets=no cycle-accurate=no context id bytes=4 data "
         "trace=none coprocessor transfers=no"},
    };
    static const struct {
        const struct cairn_register hivecs;
        const char *text;
    } vectors[] = {{{"HIVECS", 0}, "0"}, {{"HIVECS", 1}, "0xffff0000"}};
    char text[400];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cairn_config *config = configure(rows[i].control, NULL);

        snprintf(text, sizeof text,
                 "version=ETMv2.1 trace port pins=%s exception vectors=0 or 0xffff0000 %s LSM "
                 "traces PC first=no",
                 rows[i].pins, rows[i].rest);
        assert_string_equal(describe_config(config), text);
        cairn_config_unref(config);
    }
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        struct cairn_config *config = configure(0, &vectors[i].hivecs);

        snprintf(text, sizeof text,
                 "version=ETMv2.1 trace port pins=4 exception vectors=%s %s "
                 "LSM traces PC first=no",
                 vectors[i].text, rows[0].rest);
        assert_string_equal(describe_config(config), text);
        cairn_config_unref(config);
    }
}

struct row {
    unsigned kind;
    struct cairn_packet_fields fields;
    const char *text;
};

static void expect(const struct row *rows, size_t count)
{
    struct cairn_config *config = configure(0x10, NULL);

    for (size_t i = 0; i < count; i++)
        assert_string_equal(
            describe_packet(config, rows[i].kind, UINT64_C(100) * SAMPLE, &rows[i].fields),
            rows[i].text);
    cairn_config_unref(config);
}

/* 6.1, 6.5.1: statuses. */
static void test_statuses(void **state)
{
    static const char *const pipestat[] = {"IE",   "DE",   "IN",   "DN",   "WT",   "DW",
                                           "TR",   "TD",   "PTIE", "PTDE", "PTIN", "PTDN",
                                           "PNIE", "PNDE", "PNIN", "PNDN"};
    static const struct row rows[] = {
        {CAIRN_ETMV2_IE, {.value = 0x5a}, CYCLE "TRACEPKT=0x5a"},
        {CAIRN_ETMV2_IE, {.atom_count = 1, .atoms = 0}, CYCLE "TRACEPKT=0x0 atoms=N"},
        {CAIRN_ETMV2_IE, {.atom_count = 1, .atoms = 1}, CYCLE "TRACEPKT=0x0 atoms=E"},
        {CAIRN_ETMV2_IE, {.atom_count = 2, .atoms = 0}, CYCLE "TRACEPKT=0x0 atoms=NN"},
        {CAIRN_ETMV2_IE, {.atom_count = 2, .atoms = 1}, CYCLE "TRACEPKT=0x0 atoms=EN"},
        {CAIRN_ETMV2_IE, {.atom_count = 2, .atoms = 2}, CYCLE "TRACEPKT=0x0 atoms=NE"},
        {CAIRN_ETMV2_IE, {.atom_count = 2, .atoms = 3}, CYCLE "TRACEPKT=0x0 atoms=EE"},
        {CAIRN_ETMV2_TFO,
         {.flags = CAIRN_PACKET_HAS_COUNT, .count = 19, .info = CAIRN_ETMV2_TFO_CYCLE},
         CYCLE "TRACEPKT=0x0 TFO value=19"},
        {CAIRN_ETMV2_TFO, {.info = CAIRN_ETMV2_TFO_CYCLE}, CYCLE "TRACEPKT=0x0 TFO low nibble=yes"},
        {CAIRN_ETMV2_WT, {.info = CAIRN_ETMV2_GAP_NIBBLE}, CYCLE "TRACEPKT=0x0 gap nibble=yes"},
        {CAIRN_ETMV2_WT, {.info = CAIRN_ETMV2_MARKED}, CYCLE "TRACEPKT=0x0 capture trigger=yes"},
        {CAIRN_ETMV2_WT, {.info = CAIRN_ETMV2_LOST}, CYCLE "TRACEPKT=0x0 cycles missing=yes"},
        {CAIRN_ETMV2_WT,
         {.info = CAIRN_ETMV2_IN_STEP | CAIRN_ETMV2_COUNTED,
          .flags = CAIRN_PACKET_SBZ | CAIRN_PACKET_CONTRADICTION},
         CYCLE "TRACEPKT=0x0 SBZ not zero=yes contradiction=yes"},
        {CAIRN_ETMV2_INCOMPLETE, {.value = 1}, "cycle=100"},
        {CAIRN_ETMV2_RESERVED, {.value = 1}, "cycle=100"},
        {CAIRN_ETMV2_OUT_OF_STEP,
         {.flags = CAIRN_PACKET_HAS_COUNT, .count = 7},
         CYCLE "goes on with TFO of cycle=93"},
    };

    (void)state;
    expect(rows, sizeof rows / sizeof rows[0]);
    for (unsigned status = 0; status < 16; status++) {
        char text[80];

        snprintf(text, sizeof text, CYCLE "TRACEPKT=0x0 status=%s", pipestat[status]);
        const struct row row = {CAIRN_ETMV2_TR, {.type = (uint16_t)status}, text};
        expect(&row, 1);
    }
}

#define WHEN " first cycle=98 status cycle=95"
#define AT .cycles = 2, .count = 5

/* 6.4, 6.5, 6.7: packets of the FIFO. */
static void test_fifo(void **state)
{
    static const struct row rows[] = {
        {CAIRN_ETMV2_BRANCH_ADDRESS,
         {AT, .flags = CAIRN_PACKET_HAS_ADDRESS, .address = 0x8000, .address_bits = 14},
         CYCLE "address=0x8000 bits traced=14 state=ARM" WHEN},
        {CAIRN_ETMV2_BRANCH_ADDRESS,
         {AT, .address = 0x40, .address_bits = 7, .state = CAIRN_STATE_THUMB},
         CYCLE "low bits of address=0x40 bits traced=7 state=Thumb" WHEN},
        {CAIRN_ETMV2_BRANCH_ADDRESS,
         {AT, .flags = CAIRN_PACKET_HAS_ADDRESS | CAIRN_PACKET_CANCEL},
         CYCLE "address=0x0 bits traced=0 state=ARM E bit=yes" WHEN},
        {CAIRN_ETMV2_BRANCH_ADDRESS,
         {AT, .flags = CAIRN_PACKET_HAS_ADDRESS | CAIRN_PACKET_HAS_EXCEPTION, .address = 0x1c,
          .address_bits = 32, .type = 15},
         CYCLE "address=0x1c bits traced=32 state=ARM exception=FIQ" WHEN},
        {CAIRN_ETMV2_NORMAL_DATA, {AT}, CYCLE "A=no" WHEN},
        {CAIRN_ETMV2_NORMAL_DATA, {AT, .info = CAIRN_ETMV2_C}, CYCLE "A=no" WHEN},
        {CAIRN_ETMV2_NORMAL_DATA,
         {AT, .info = CAIRN_ETMV2_A, .flags = CAIRN_PACKET_HAS_ADDRESS | CAIRN_PACKET_HAS_VALUE,
          .address = 0x9000, .address_bits = 12, .value = 0xabcd, .size = 2},
         CYCLE "A=yes address=0x9000 bits traced=12 size=2 value=0xabcd" WHEN},
        {CAIRN_ETMV2_LOAD_MISS_OCCURRED,
         {AT, .info = CAIRN_ETMV2_A, .tag = 3},
         CYCLE "A=yes tag=3" WHEN},
        {CAIRN_ETMV2_LOAD_MISS_DATA,
         {AT, .info = CAIRN_ETMV2_A, .tag = 1, .flags = CAIRN_PACKET_HAS_VALUE, .value = 0x12,
          .size = 1},
         CYCLE "tag=1 size=1 value=0x12" WHEN},
        {CAIRN_ETMV2_VALUE_NOT_TRACED, {AT, .info = CAIRN_ETMV2_A}, "cycle=100" WHEN},
        {CAIRN_ETMV2_CONTEXT_ID,
         {AT, .context = {.context_id = 0xcafe}},
         CYCLE "Context ID=0xcafe" WHEN},
        {CAIRN_ETMV2_NORMAL_TFO,
         {AT, .reason = CAIRN_ETMV2_PERIODIC, .address = 0x8000},
         CYCLE "reason=periodic address=0x8000 state=ARM" WHEN},
        {CAIRN_ETMV2_NORMAL_TFO,
         {AT, .reason = CAIRN_ETMV2_TRACE_ON, .state = CAIRN_STATE_THUMB},
         CYCLE "reason=trace on address=0x0 state=Thumb" WHEN},
        {CAIRN_ETMV2_NORMAL_TFO,
         {AT, .reason = CAIRN_ETMV2_OVERFLOW},
         CYCLE "reason=after overflow address=0x0 state=ARM" WHEN},
        {CAIRN_ETMV2_NORMAL_TFO,
         {AT, .reason = CAIRN_ETMV2_DEBUG_EXIT, .flags = CAIRN_PACKET_HAS_CONTEXT_ID,
          .context = {.context_id = 0x34}},
         CYCLE "reason=debug exit address=0x0 state=ARM Context ID=0x34" WHEN},
        {CAIRN_ETMV2_LSM_IN_PROGRESS_TFO,
         {AT, .reason = CAIRN_ETMV2_OVERFLOW, .flags = CAIRN_PACKET_LSIP, .address = 0x8000,
          .type = CAIRN_STATE_ARM, .value = 0x9002, .state = CAIRN_STATE_THUMB},
         CYCLE
         "reason=after overflow LSM address=0x8000 LSM state=ARM address=0x9002 state=Thumb" WHEN},
    };

    (void)state;
    expect(rows, sizeof rows / sizeof rows[0]);
}

/* Of a packet of the FIFO: how long ago its status and its first byte were. */
static void test_cycles_of_bytes(void **state)
{
    /* TFO in cycle 0, its packet in 1 to 5; DE in 6 with a packet in 6 to 8, in 7 with one in 9
     * and 10 */
    static const char cycles[] =
        "TD:09 WT:20 WT:00 WT:80 WT:00 WT:00 DE:0a DE:34 WT:12 WT:06 WT:ab TD:00";
    static const struct {
        unsigned kind, last, status, first;
    } expected[] = {{CAIRN_ETMV2_NORMAL_TFO, 5, 0, 1},
                    {CAIRN_ETMV2_NORMAL_DATA, 8, 6, 6},
                    {CAIRN_ETMV2_NORMAL_DATA, 10, 7, 9}};
    struct cairn_config *config = etmv2_config(ETMV2_VALUES | ETMV2_PINS_8);
    struct cairn_packet_batch *batch;
    static uint8_t bytes[ETMV2_BYTES];
    struct cairn_packets *packets;
    size_t position = 0, found = 0;

    (void)state;
    const size_t size = etmv2_samples(cycles, bytes);
    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(64, &batch), CAIRN_OK);
    assert_int_equal(cairn_packets_run(packets, bytes, size, &position, batch), CAIRN_OK);
    for (size_t i = 0; i < batch->count; i++) {
        const unsigned cycle = (unsigned)(batch->offset[i] / 4);
        if (batch->kind[i] < CAIRN_ETMV2_BRANCH_ADDRESS)
            continue;
        assert_true(found < sizeof expected / sizeof expected[0]);
        assert_int_equal(batch->kind[i], expected[found].kind);
        assert_int_equal(cycle, expected[found].last);
        assert_int_equal(cycle - batch->fields[i].count, expected[found].status);
        assert_int_equal(cycle - batch->fields[i].cycles, expected[found].first);
        found++;
    }
    assert_int_equal(found, sizeof expected / sizeof expected[0]);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_control),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_fifo),
        cmocka_unit_test(test_cycles_of_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
