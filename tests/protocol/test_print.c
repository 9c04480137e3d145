/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and listings: packets, elements, exceptions, accounts and configurations in words. Names
 * are DDI0608's; exception names of M profile cores are those of the Armv8-M exceptions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/element.h>
#include <cairn/etmv4.h>
#include <cairn/image.h>
#include <cairn/packet.h>

#include "protocol/etmv4/etmv4.h"

#define FIELDS 32
#define TEXT 512
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static struct cairn_config *configure(enum cairn_protocol_id protocol, enum cairn_profile profile,
                                      unsigned major)
{
    const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x18d1},
        {"TRCIDR0", protocol == CAIRN_PROTOCOL_ETE ? 0x6840cea1 : 0x280006e1},
        {"TRCIDR2", 0x40001088},
        {"TRCIDR8", 12},
        {"TRCIDR1", protocol == CAIRN_PROTOCOL_ETE ? 0x4100fff0 : 0x4100f442},
        {"TRCDEVARCH", protocol == CAIRN_PROTOCOL_ETE ? 0x47735a13 : 0x47744a13},
        {"TRCCCCTLR", 16},
        {"TRCTRACEIDR", 0x10},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config;
    source.protocol = protocol;
    source.arch = (struct cairn_arch){profile, (uint8_t)major, 0, 0};
    source.registers = registers;
    source.register_count = COUNT_OF(registers);
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

static struct cairn_config *ete(void)
{
    return configure(CAIRN_PROTOCOL_ETE, CAIRN_PROFILE_A, 9);
}

/* "name=value name=value": decimal, 0x hex, yes or no, text in quotes, ? for UNKNOWN. */
static void as_text(const struct cairn_field *fields, size_t count, char text[TEXT])
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const struct cairn_field *field = &fields[i];
        int size = snprintf(text + at, TEXT - at, "%s%s=", i ? " " : "", field->name);
        at += (size_t)size;
        assert_true(field->type != CAIRN_FIELD_UNKNOWN || field->value == 0);
        switch (field->type) {
        case CAIRN_FIELD_DECIMAL:
            size = snprintf(text + at, TEXT - at, "%llu", (unsigned long long)field->value);
            break;
        case CAIRN_FIELD_HEX:
            size = snprintf(text + at, TEXT - at, "0x%llx", (unsigned long long)field->value);
            break;
        case CAIRN_FIELD_FLAG:
            assert_true(field->value <= 1);
            size = snprintf(text + at, TEXT - at, "%s", field->value ? "yes" : "no");
            break;
        case CAIRN_FIELD_TEXT: size = snprintf(text + at, TEXT - at, "'%s'", field->text); break;
        case CAIRN_FIELD_UNKNOWN: size = snprintf(text + at, TEXT - at, "?"); break;
        }
        at += (size_t)size;
        assert_true(at < TEXT);
    }
}

static void assert_packet_text(const struct cairn_config *config, unsigned kind,
                               const struct cairn_packet_fields *packet, const char *wanted)
{
    struct cairn_packet_batch *batch;
    struct cairn_field fields[FIELDS];
    char text[TEXT];
    assert_int_equal(cairn_packet_batch_new(1, &batch), CAIRN_OK);
    batch->count = 1;
    batch->kind[0] = (uint16_t)kind;
    batch->fields[0] = *packet;
    const size_t count = cairn_packet_describe(config, batch, 0, fields, FIELDS);
    assert_true(count <= FIELDS);
    as_text(fields, count, text);
    assert_string_equal(text, wanted);
    /* asking for fewer, or for none, counts the same and writes no more */
    struct cairn_field few[2] = {{.name = "a"}, {.name = "b"}};
    assert_int_equal(cairn_packet_describe(config, batch, 0, few, 1), count);
    assert_string_equal(few[1].name, "b");
    assert_int_equal(cairn_packet_describe(config, batch, 0, NULL, 0), count);
    assert_int_equal(cairn_packet_describe(config, batch, 1, fields, FIELDS), 0);
    cairn_packet_batch_free(batch);
}

static void assert_element_text(const struct cairn_config *config, unsigned kind, unsigned flags,
                                const struct cairn_element_data *data, const char *wanted)
{
    struct cairn_element_batch *batch;
    struct cairn_field fields[FIELDS];
    char text[TEXT];
    assert_int_equal(cairn_element_batch_new(1, &batch), CAIRN_OK);
    batch->count = 1;
    batch->kind[0] = (uint8_t)kind;
    batch->flags[0] = (uint16_t)flags;
    batch->data[0] = *data;
    const size_t count = cairn_element_describe(config, batch, 0, fields, FIELDS);
    as_text(fields, count, text);
    assert_string_equal(text, wanted);
    assert_int_equal(cairn_element_describe(config, batch, 0, NULL, 0), count);
    assert_int_equal(cairn_element_describe(config, batch, 1, fields, FIELDS), 0);
    cairn_element_batch_free(batch);
}

#define P(...) (&(const struct cairn_packet_fields){__VA_ARGS__})
#define E(...) (&(const struct cairn_element_data){__VA_ARGS__})

static void test_packet_names(void **state)
{
    struct cairn_config *config = ete();
    (void)state;
    assert_string_equal(cairn_packet_name(config, CAIRN_ETMV4_ATOM_F3), "Atom format 3");
    assert_string_equal(cairn_packet_mnemonic(config, CAIRN_ETMV4_ATOM_F3), "ATOM_F3");
    assert_string_equal(cairn_packet_name(config, CAIRN_ETMV4_ALIGNMENT_SYNC),
                        "Alignment Synchronization");
    assert_string_equal(cairn_packet_mnemonic(config, CAIRN_ETMV4_NOT_SYNC), "NOT_SYNC");
    for (unsigned kind = 0; kind < CAIRN_ETMV4_KIND_COUNT; kind++) {
        assert_true(strlen(cairn_packet_name(config, kind)) > 0);
        for (unsigned other = 0; other < kind; other++) {
            assert_string_not_equal(cairn_packet_name(config, kind),
                                    cairn_packet_name(config, other));
            assert_string_not_equal(cairn_packet_mnemonic(config, kind),
                                    cairn_packet_mnemonic(config, other));
        }
    }
    assert_string_equal(cairn_packet_name(config, CAIRN_ETMV4_KIND_COUNT), "Unknown");
    assert_string_equal(cairn_packet_mnemonic(config, 0xffff), "UNKNOWN");
    cairn_config_unref(config);
}

static void test_packets(void **state)
{
    struct cairn_config *config = ete();
    (void)state;
    assert_packet_text(config, CAIRN_ETMV4_ATOM_F3, P(.atom_count = 3, .atoms = 3), "atoms='EEN'");
    assert_packet_text(config, CAIRN_ETMV4_ATOM_F6, P(.atom_count = 24, .atoms = 0x7fffff),
                       "atoms='EEEEEEEEEEEEEEEEEEEEEEEN'");
    assert_packet_text(config, CAIRN_ETMV4_CANCEL_F3,
                       P(.flags = CAIRN_PACKET_HAS_COUNT | CAIRN_PACKET_MISPREDICT, .count = 3,
                         .atom_count = 1, .atoms = 1),
                       "atoms='E' CANCEL=3 mispredict=yes");
    assert_packet_text(config, CAIRN_ETMV4_CANCEL_F1,
                       P(.flags = CAIRN_PACKET_HAS_COUNT, .count = 3), "CANCEL=3 mispredict=no");
    assert_packet_text(config, CAIRN_ETMV4_COMMIT, P(.count = 5), "COMMIT=5");
    assert_packet_text(config, CAIRN_ETMV4_TRACE_ON, P(0), "");
    assert_packet_text(config, CAIRN_ETMV4_EVENT, P(.type = 0xb), "events='0,1,3'");
    assert_packet_text(config, CAIRN_ETMV4_TRACE_INFO, P(.type = 0), "");
    assert_packet_text(config, CAIRN_ETMV4_TRACE_INFO,
                       P(.type = 0xd, .info = 0x41, .count = 7, .cycles = 4),
                       "CC=yes T=yes SPEC=7 CYCT=4");
    assert_packet_text(config, CAIRN_ETMV4_INSTRUMENTATION, P(.info = 1, .value = 0xabc),
                       "EL=1 value=0xabc");
    assert_packet_text(config, CAIRN_ETMV4_RESERVED, P(0), "");
    cairn_config_unref(config);
}

static void test_time_packets(void **state)
{
    struct cairn_config *config = ete();
    (void)state;
    assert_packet_text(config, CAIRN_ETMV4_TIMESTAMP,
                       P(.flags = CAIRN_PACKET_HAS_TIMESTAMP, .value = 0x1234), "TS=0x1234");
    assert_packet_text(
        config, CAIRN_ETMV4_TIMESTAMP,
        P(.flags = CAIRN_PACKET_HAS_TIMESTAMP | CAIRN_PACKET_HAS_CYCLES, .value = 1, .cycles = 9),
        "TS=0x1 COUNT=9");
    assert_packet_text(
        config, CAIRN_ETMV4_CYCLE_COUNT_F1,
        P(.flags = CAIRN_PACKET_HAS_COUNT | CAIRN_PACKET_HAS_CYCLES, .count = 2, .cycles = 14),
        "COMMIT=2 cycle count=14");
    assert_packet_text(config, CAIRN_ETMV4_CYCLE_COUNT_F1, P(0), "cycle count=?");
    assert_packet_text(config, CAIRN_ETMV4_Q, P(0), "COUNT=?");
    cairn_config_unref(config);
}

static void test_address_packets(void **state)
{
    const struct cairn_context context = {
        .EL = 1, .security = CAIRN_REALM, .SF = 1, .vmid = 0x22, .context_id = 0x33};
    const uint32_t address = CAIRN_PACKET_HAS_ADDRESS;
    struct cairn_config *config = ete();
    (void)state;
    assert_packet_text(config, CAIRN_ETMV4_ADDRESS_SHORT_IS0,
                       P(.flags = address, .address = 0xffff000000001014, .address_bits = 9),
                       "address=0xffff000000001014 sub_isa='IS0' address bits=9");
    assert_packet_text(config, CAIRN_ETMV4_ADDRESS_EXACT,
                       P(.flags = address, .address = 0x1014, .sub_isa = 1, .info = 2),
                       "address=0x1014 sub_isa='IS1' history entry=2");
    assert_packet_text(config, CAIRN_ETMV4_CONTEXT,
                       P(.flags = CAIRN_PACKET_HAS_CONTEXT, .context = context),
                       "EL=1 security='Realm' SF=1");
    assert_packet_text(
        config, CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0,
        P(.flags = address | CAIRN_PACKET_HAS_CONTEXT | CAIRN_PACKET_HAS_VMID |
                   CAIRN_PACKET_HAS_CONTEXT_ID | CAIRN_PACKET_SBZ,
          .address = 4, .address_bits = 64, .context = context),
        "address=0x4 sub_isa='IS0' address bits=64 EL=1 security='Realm' SF=1 VMID=0x22 "
        "CONTEXTID=0x33 SBZ not zero=yes");
    assert_packet_text(
        config, CAIRN_ETMV4_EXCEPTION,
        P(.flags = address | CAIRN_PACKET_E10, .type = 0xe, .address = 0x4000, .address_bits = 17),
        "exception='IRQ' TYPE=0xe E='10' address=0x4000 sub_isa='IS0' "
        "address bits=17");
    assert_packet_text(
        config, CAIRN_ETMV4_Q_SHORT_IS0,
        P(.flags = address | CAIRN_PACKET_HAS_COUNT, .count = 7, .address = 8, .address_bits = 9),
        "COUNT=7 address=0x8 sub_isa='IS0' address bits=9");
    assert_packet_text(config, CAIRN_ETMV4_PE_RESET, P(0), "E='01'");
    cairn_config_unref(config);
}

static void test_etmv4_packets(void **state)
{
    struct cairn_config *config = configure(CAIRN_PROTOCOL_ETMV4, CAIRN_PROFILE_M, 8);
    (void)state;
    assert_packet_text(config, CAIRN_ETMV4_EXCEPTION, P(.type = 0x208, .info = 0x80),
                       "exception='IRQ 8' TYPE=0x208 E='01' fault pending=yes");
    assert_packet_text(config, CAIRN_ETMV4_TRACE_INFO, P(.type = 3, .info = 0x3f, .value = 9),
                       "CC=yes COND=7 P0 loads=yes P0 stores=yes KEY=9");
    assert_packet_text(config, CAIRN_ETMV4_TRACE_INFO, P(.type = 1, .info = 0x10),
                       "CC=no COND=0 P0 loads=yes P0 stores=no");
    assert_packet_text(config, CAIRN_ETMV4_TRACE_INFO, P(.type = 1, .info = 0x24),
                       "CC=no COND=2 P0 loads=no P0 stores=yes");
    assert_packet_text(config, CAIRN_ETMV4_COND_INSTRUCTION_F3, P(.value = 0x0b), "NUM=5 Z=1");
    assert_packet_text(config, CAIRN_ETMV4_COND_INSTRUCTION_F2, P(.type = 2), "CI=2");
    assert_packet_text(config, CAIRN_ETMV4_COND_RESULT_F1,
                       P(.type = 1, .value = UINT64_C(0x900000001), .info = 0x65),
                       "CI=1 key=1 result=0x5 second key=9 second result=0x6");
    assert_packet_text(config, CAIRN_ETMV4_COND_RESULT_F1, P(.type = 6, .value = 300, .info = 1),
                       "CI=0 key=300 result=0x1");
    assert_packet_text(config, CAIRN_ETMV4_COND_RESULT_F2, P(.type = 6), "K=1 token=2");
    assert_packet_text(config, CAIRN_ETMV4_COND_RESULT_F3, P(.value = 0xab), "tokens=0xab");
    assert_packet_text(config, CAIRN_ETMV4_DATA_SYNC_NUMBERED, P(.type = 3), "number=3");
    cairn_config_unref(config);
}

/* Each value of fields that are a few bits of a member. */
static void test_each_value(void **state)
{
    static const char *const events[16] = {"",    "0",     "1",     "0,1",    "2",   "0,2",
                                           "1,2", "0,1,2", "3",     "0,3",    "1,3", "0,1,3",
                                           "2,3", "0,2,3", "1,2,3", "0,1,2,3"};
    struct cairn_config *config = configure(CAIRN_PROTOCOL_ETMV4, CAIRN_PROFILE_M, 8);
    char wanted[TEXT];
    (void)state;
    for (unsigned v = 0; v < 128; v++) {
        snprintf(wanted, sizeof wanted, "NUM=%u Z=%u", v / 2, v % 2);
        assert_packet_text(config, CAIRN_ETMV4_COND_INSTRUCTION_F3, P(.value = v), wanted);
    }
    for (unsigned v = 0; v < 64; v++) {
        snprintf(wanted, sizeof wanted, "CC=%s COND=%u P0 loads=%s P0 stores=%s",
                 v & 1 ? "yes" : "no", v >> 1 & 7, v & 16 ? "yes" : "no", v & 32 ? "yes" : "no");
        assert_packet_text(config, CAIRN_ETMV4_TRACE_INFO, P(.type = 1, .info = (uint8_t)v),
                           wanted);
    }
    for (unsigned v = 0; v < 4; v++) {
        snprintf(wanted, sizeof wanted, "K=0 token=%u", v);
        assert_packet_text(config, CAIRN_ETMV4_COND_RESULT_F2, P(.type = (uint16_t)v), wanted);
        snprintf(wanted, sizeof wanted, "K=1 token=%u", v);
        assert_packet_text(config, CAIRN_ETMV4_COND_RESULT_F2, P(.type = (uint16_t)(4 + v)),
                           wanted);
        snprintf(wanted, sizeof wanted, "token=%u", v);
        assert_packet_text(config, CAIRN_ETMV4_COND_RESULT_F4, P(.type = (uint16_t)v), wanted);
        snprintf(wanted, sizeof wanted, "CI=%u key=5 result=0x0 second key=6 second result=0x0", v);
        assert_packet_text(config, CAIRN_ETMV4_COND_RESULT_F1,
                           P(.type = (uint16_t)v, .value = UINT64_C(0x600000005)), wanted);
        snprintf(wanted, sizeof wanted, "CI=%u key=5 result=0x0", v & 1);
        assert_packet_text(config, CAIRN_ETMV4_COND_RESULT_F1,
                           P(.type = (uint16_t)(4 + v), .value = UINT64_C(0x600000005)), wanted);
    }
    for (unsigned v = 0; v < 16; v++) {
        snprintf(wanted, sizeof wanted, "events='%s'", events[v]);
        assert_packet_text(config, CAIRN_ETMV4_EVENT, P(.type = (uint16_t)v), wanted);
        snprintf(wanted, sizeof wanted, "CI=0 key=0 result=0x%x second key=0 second result=0x%x", v,
                 15 - v);
        assert_packet_text(config, CAIRN_ETMV4_COND_RESULT_F1,
                           P(.info = (uint8_t)(v | (15 - v) << 4)), wanted);
    }
    assert_packet_text(config, CAIRN_ETMV4_COND_INSTRUCTION_F1, P(.value = 77), "key=77");
    assert_packet_text(config, CAIRN_ETMV4_DATA_SYNC_UNNUMBERED, P(.type = 4), "number=4");
    assert_packet_text(config, CAIRN_ETMV4_PE_RESET, P(.flags = CAIRN_PACKET_E10), "E='10'");
    assert_packet_text(config, CAIRN_ETMV4_RESERVED, P(.flags = CAIRN_PACKET_FRAMED),
                       "length='known'");
    assert_packet_text(config, CAIRN_ETMV4_TRACE_ON, P(.flags = CAIRN_PACKET_GOES_ON),
                       "goes_on_behind='reserved packet'");
    assert_packet_text(config, CAIRN_ETMV4_IGNORE, P(.flags = CAIRN_PACKET_SBZ),
                       "SBZ not zero=yes");
    assert_packet_text(config, CAIRN_ETMV4_MISPREDICT, P(.atom_count = 2, .atoms = 2),
                       "atoms='NE'");
    assert_packet_text(config, CAIRN_ETMV4_ATOM_F6, P(.atom_count = 40, .atoms = 0xffffffff),
                       "atoms='EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE'");
    cairn_config_unref(config);
}

/* DDI0608 D5.13's table of TYPE. */
static void test_exception_names(void **state)
{
    static const char *const names[32] = {
        [0] = "PE Reset",
        [1] = "Debug halt",
        [2] = "Call",
        [3] = "Trap",
        [4] = "System Error",
        [5] = "Reserved 5",
        [6] = "Inst debug",
        [7] = "Data debug",
        [8] = "Reserved 8",
        [9] = "Reserved 9",
        [10] = "Alignment",
        [11] = "Inst Fault",
        [12] = "Data Fault",
        [13] = "Reserved 13",
        [14] = "IRQ",
        [15] = "FIQ",
        [16] = "IMPLEMENTATION DEFINED 0",
        [17] = "IMPLEMENTATION DEFINED 1",
        [18] = "IMPLEMENTATION DEFINED 2",
        [19] = "IMPLEMENTATION DEFINED 3",
        [20] = "IMPLEMENTATION DEFINED 4",
        [21] = "IMPLEMENTATION DEFINED 5",
        [22] = "IMPLEMENTATION DEFINED 6",
        [23] = "IMPLEMENTATION DEFINED 7",
        [24] = "Transaction Failure",
        [25] = "Reserved 25",
        [31] = "Reserved 31",
    };
    struct cairn_config *config = ete();
    (void)state;
    for (unsigned type = 0; type < COUNT_OF(names); type++)
        if (names[type])
            assert_string_equal(cairn_exception_name(config, type), names[type]);
    assert_string_equal(cairn_exception_name(config, 1023), "Reserved 1023");
    assert_string_equal(cairn_exception_name(config, 0x10000), "Reserved");
    cairn_config_unref(config);

    config = configure(CAIRN_PROTOCOL_ETMV4, CAIRN_PROFILE_A, 8);
    assert_string_equal(cairn_exception_name(config, 24), "Reserved 24");
    assert_string_equal(cairn_exception_name(config, 15), "FIQ");
    cairn_config_unref(config);
}

static void test_m_exception_names(void **state)
{
    static const struct {
        unsigned type;
        const char *name;
    } rows[] = {
        {0x00, "Reserved 0"},   {0x01, "PE Reset"},      {0x02, "NMI"},
        {0x03, "HardFault"},    {0x04, "MemManage"},     {0x05, "BusFault"},
        {0x06, "UsageFault"},   {0x07, "SecureFault"},   {0x0b, "SVC"},
        {0x0c, "DebugMonitor"}, {0x0d, "Reserved 13"},   {0x0e, "PendSV"},
        {0x0f, "SysTick"},      {0x10, "IRQ 0"},         {0x17, "IRQ 7"},
        {0x18, "Debug halt"},   {0x19, "Lazy FP push"},  {0x1a, "Lockup"},
        {0x1b, "Reserved 27"},  {0x207, "Reserved 519"}, {0x208, "IRQ 8"},
        {0x264, "IRQ 100"},     {0x3ef, "IRQ 495"},      {0x3f0, "Reserved 1008"},
    };
    struct cairn_config *config = configure(CAIRN_PROTOCOL_ETMV4, CAIRN_PROFILE_M, 8);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(cairn_exception_name(config, rows[i].type), rows[i].name);
    cairn_config_unref(config);
    config = configure(CAIRN_PROTOCOL_ETMV4, CAIRN_PROFILE_M, 7);
    assert_string_equal(cairn_exception_name(config, 7), "Reserved 7");
    cairn_config_unref(config);
}

static void test_elements(void **state)
{
    struct cairn_config *config = ete();
    (void)state;
    assert_element_text(config, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E, E(0),
                        "status='E'");
    assert_element_text(config, CAIRN_ELEMENT_ATOM,
                        CAIRN_ELEMENT_INITIAL_E | CAIRN_ELEMENT_TRANSACTIONAL, E(0),
                        "status='N' initially='E' transactional=yes");
    assert_element_text(config, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_LOST,
                        E(.reason = CAIRN_GAP_OVERFLOW),
                        "status='N' lost='gap: trace unit overflow'");
    assert_element_text(config, CAIRN_ELEMENT_EXCEPTION, 0, E(.value = 2, .address = 0x1004),
                        "exception='Call' TYPE=0x2 address=0x1004 sub_isa='IS0'");
    assert_element_text(config, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_UNKNOWN, E(0),
                        "exception='PE Reset' TYPE=0x0 address=?");
    assert_element_text(config, CAIRN_ELEMENT_TARGET_ADDRESS, 0, E(.address = 0x1002, .sub_isa = 1),
                        "address=0x1002 sub_isa='IS1'");
    assert_element_text(config, CAIRN_ELEMENT_Q, CAIRN_ELEMENT_UNKNOWN, E(0), "count=?");
    assert_element_text(config, CAIRN_ELEMENT_TRACE_INFO, 0, E(.info = 1, .value = 2),
                        "CC=yes T=no SPEC=2 CYCT=0");
    assert_element_text(config, CAIRN_ELEMENT_TRACE_INFO, 0, E(.info = 0x40, .cycles = 4),
                        "CC=no T=yes SPEC=0 CYCT=4");
    assert_element_text(config, CAIRN_ELEMENT_COMMIT, CAIRN_ELEMENT_IMPLIED, E(.value = 1),
                        "count=1 implied=yes");
    assert_element_text(config, CAIRN_ELEMENT_TIMESTAMP, CAIRN_ELEMENT_CYCLES,
                        E(.value = 0xff, .cycles = 3), "value=0xff cycles=3");
    assert_element_text(config, CAIRN_ELEMENT_CONTEXT, 0,
                        E(.context = {.EL = 3, .security = CAIRN_ROOT, .SF = 1}),
                        "EL=3 security='Root' SF=1 VMID=0x0 CONTEXTID=0x0");
    assert_element_text(config, CAIRN_ELEMENT_GAP, 0, E(.value = CAIRN_GAP_NO_SYNC),
                        "reason='gap: no synchronisation'");
    assert_element_text(config, CAIRN_ELEMENT_EVENT, 0, E(.value = 3), "number=3");
    assert_element_text(config, CAIRN_ELEMENT_CONDITIONAL, 0, E(0), "what='flush'");
    assert_element_text(config, CAIRN_ELEMENT_CONDITIONAL, 0,
                        E(.info = CAIRN_CONDITIONAL_INSTRUCTION, .value = 5),
                        "what='instruction' key=5");
    assert_element_text(config, CAIRN_ELEMENT_CONDITIONAL, 0,
                        E(.info = CAIRN_CONDITIONAL_INSTRUCTIONS, .value = 3),
                        "what='instruction' next keys=3");
    assert_element_text(config, CAIRN_ELEMENT_CONDITIONAL, 0,
                        E(.info = CAIRN_CONDITIONAL_INSTRUCTIONS, .value = 0, .cycles = 1),
                        "what='instruction' next keys=0 same key=yes");
    assert_element_text(config, CAIRN_ELEMENT_CONDITIONAL, 0,
                        E(.info = CAIRN_CONDITIONAL_RESULT, .value = 11, .cycles = 0x15),
                        "what='result' key=11 result=0x5 CI=1");
    assert_element_text(config, CAIRN_ELEMENT_CONDITIONAL, 0,
                        E(.info = CAIRN_CONDITIONAL_RESULT_NEXT, .value = 2, .cycles = 1),
                        "what='result' next keys=2 token=1");
    assert_element_text(config, CAIRN_ELEMENT_CONDITIONAL, 0,
                        E(.info = CAIRN_CONDITIONAL_RESULT_TOKENS, .value = 0xa3c),
                        "what='result' tokens=0xa3c");
    assert_element_text(config, CAIRN_ELEMENT_CONDITIONAL, 0,
                        E(.info = CAIRN_CONDITIONAL_RESULT_TOKEN, .cycles = 2),
                        "what='result' token=2");
    assert_element_text(config, CAIRN_ELEMENT_CONDITIONAL, 0, E(.info = 7), "");
    cairn_config_unref(config);
}

/* DDI0608 D2.2: what has to be committed or cancelled. */
static void test_p0(void **state)
{
    struct cairn_config *config = ete();
    unsigned p0 = 0;
    (void)state;
    for (unsigned kind = 0; kind <= CAIRN_ELEMENT_CANCELLED; kind++)
        p0 += cairn_element_is_p0(config, kind);
    assert_int_equal(p0, 4);
    assert_true(cairn_element_is_p0(config, CAIRN_ELEMENT_ATOM));
    /* proves: R_YPPRH */
    assert_true(cairn_element_is_p0(config, CAIRN_ELEMENT_EXCEPTION));
    /* proves: R_WTRBB */
    assert_true(cairn_element_is_p0(config, CAIRN_ELEMENT_SOURCE_ADDRESS));
    /* proves: R_JRFYT */
    assert_true(cairn_element_is_p0(config, CAIRN_ELEMENT_Q));
    assert_false(cairn_element_is_p0(config, CAIRN_ELEMENT_TRANSACTION_START)); /* COMMTRANS 1 */
    cairn_config_unref(config);
    config = configure(CAIRN_PROTOCOL_ETMV4, CAIRN_PROFILE_A, 8);
    assert_false(cairn_element_is_p0(config, CAIRN_ELEMENT_EXCEPTION_RETURN));
    assert_false(cairn_element_is_p0(config, CAIRN_ELEMENT_TRANSACTION_START));
    cairn_config_unref(config);
}

static void test_plain_names(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind <= CAIRN_ELEMENT_CANCELLED; kind++)
        for (unsigned other = 0; other < kind; other++)
            assert_string_not_equal(cairn_element_name(kind), cairn_element_name(other));
    assert_string_equal(cairn_element_name(CAIRN_ELEMENT_SOURCE_ADDRESS), "Source Address");
    assert_string_equal(cairn_element_name(1000), "Unknown");
    for (unsigned account = 0; account <= CAIRN_GAP_LOST; account++) {
        const char *name = cairn_account_name((enum cairn_account)account);
        assert_int_equal(strncmp(name, "gap: ", 5) == 0, CAIRN_ACCOUNT_IS_GAP(account));
        for (unsigned other = 0; other < account; other++)
            assert_string_not_equal(name, cairn_account_name((enum cairn_account)other));
    }
    assert_string_equal(cairn_account_name((enum cairn_account)99), "unknown account");
    assert_string_equal(cairn_protocol_name(CAIRN_PROTOCOL_ETE), "ETE");
    assert_string_equal(cairn_protocol_name(CAIRN_PROTOCOL_PTM), "PTM");
    assert_string_equal(cairn_protocol_name((enum cairn_protocol_id)77), "unknown");
    assert_true(cairn_protocol_decodes(CAIRN_PROTOCOL_ETMV4));
    assert_true(cairn_protocol_decodes(CAIRN_PROTOCOL_ETE));
    assert_false(cairn_protocol_decodes(CAIRN_PROTOCOL_STM));
    assert_false(cairn_protocol_decodes(CAIRN_PROTOCOL_UNKNOWN));
}

static void assert_config_text(struct cairn_config *config, const char *wanted)
{
    struct cairn_field fields[FIELDS];
    char text[TEXT * 2];
    const size_t count = cairn_config_describe(config, fields, FIELDS);
    assert_true(count <= FIELDS);
    char first[TEXT];
    char second[TEXT];
    as_text(fields, 12, first);
    as_text(fields + 12, count - 12, second);
    snprintf(text, sizeof text, "%s %s", first, second);
    assert_string_equal(text, wanted);
    assert_int_equal(cairn_config_describe(config, NULL, 0), count);
    cairn_config_unref(config);
}

static void test_config(void **state)
{
    (void)state;
    assert_config_text(
        ete(), "version='1.3' profile='A' trace id=0x10 return stack=yes branch broadcast=no "
               "cycle counting=yes cycle count threshold=16 cycle counter bits=12 timestamps=yes "
               "timestamp bits=64 timestamp markers=no context id=yes virtual context id=yes "
               "virtual context id source='CONTEXTIDR_EL2' speculation depth=12 commit mode=1 "
               "Q elements='no' address bits=64 WFI and WFE are P0=no Transaction Start is P0=no "
               "instrumentation=yes");
    assert_config_text(
        configure(CAIRN_PROTOCOL_ETMV4, CAIRN_PROFILE_R, 8),
        "version='4.4' profile='R' trace id=0x10 return stack=yes branch broadcast=no "
        "cycle counting=yes cycle count threshold=16 cycle counter bits=12 timestamps=yes "
        "timestamp bits=64 timestamp markers=no context id=yes virtual context id=yes "
        "virtual context id source='CONTEXTIDR_EL2' speculation depth=12 commit mode=1 "
        "Q elements='no' address bits=64 WFI and WFE are P0=no loads are P0=no stores are P0=no "
        "conditional instructions='no' data trace='no'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packet_names),    cmocka_unit_test(test_packets),
        cmocka_unit_test(test_time_packets),    cmocka_unit_test(test_address_packets),
        cmocka_unit_test(test_etmv4_packets),   cmocka_unit_test(test_each_value),
        cmocka_unit_test(test_exception_names), cmocka_unit_test(test_m_exception_names),
        cmocka_unit_test(test_elements),        cmocka_unit_test(test_p0),
        cmocka_unit_test(test_plain_names),     cmocka_unit_test(test_config),
    };
    return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
