/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv3 in words: names of exceptions, and the fields of packets and configurations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/element.h>

#include "etmv3_session.h"
#include "protocol/etmv3/etmv3.h"

#define A7 0x410cf250u
#define A7_CCER 0x344008f2u
#define M3 0x4114f240u
#define FIELDS 32

static struct cairn_config *configure(enum cairn_profile profile, uint32_t id, uint32_t control)
{
    struct cairn_config *config = etmv3_configure(profile, id, control, A7_CCER, NULL);

    assert_non_null(config);
    return config;
}

static void test_exceptions(void **state)
{
    (void)state;
    static const char *const names[16] = {
        [1] = "Halting debug",
        [2] = "Secure Monitor Call",
        [3] = "Entry to Hyp mode",
        [4] = "Asynchronous Data",
        [5] = "Jazelle or ThumbEE",
        [6] = "Reserved",
        [7] = "Reserved",
        [8] = "Processor reset",
        [9] = "Undefined Instruction",
        [10] = "Supervisor Call",
        [11] = "Prefetch Abort",
        [12] = "Data Abort",
        [13] = "Generic",
        [14] = "IRQ",
        [15] = "FIQ",
    };
    struct cairn_config *config = configure(CAIRN_PROFILE_A, A7, 0);

    for (unsigned type = 1; type < 16; type++)
        /* proves: ETM3-7.3.5-au, ETM3-7.3.5-aw, ETM3-7.3.5-ba, ETM3-7.3.5-bc, ETM35Q-7.3.5-e */
        assert_non_null(strstr(cairn_exception_name(config, type), names[type]));
    cairn_config_unref(config);
}

static void test_exceptions_by_version(void **state)
{
    (void)state;
    struct cairn_config *config = configure(CAIRN_PROFILE_R, 0x41002220, 0);

    /* proves: ETM3-7.3.5-av, ETM3-7.3.5-bd */
    assert_string_equal(cairn_exception_name(config, 3), "Reserved");
    assert_string_equal(cairn_exception_name(config, 13), "Reserved");
    assert_string_equal(cairn_exception_name(config, 14), "IRQ");
    assert_string_equal(cairn_exception_name(config, 16), "Reserved");
    assert_string_equal(cairn_exception_name(config, 0x205), "FIQ");
    cairn_config_unref(config);
}

static void test_m_exceptions(void **state)
{
    (void)state;
    /* traced value, as the tables of DDI0337 15.5.3 map ETMINTNUM to it */
    static const struct {
        unsigned type;
        const char *name;
    } rows[] = {
        {0, "none"},       {1, "IRQ1"},      {7, "IRQ7"},      {8, "IRQ0"},       {9, "UsageFault"},
        {10, "NMI"},       {11, "SVCall"},   {12, "DebugMon"}, {13, "MemManage"}, {14, "PendSV"},
        {15, "SysTick"},   {16, "Reserved"}, {17, "Reset"},    {18, "Reserved"},  {19, "HardFault"},
        {20, "Reserved"},  {21, "BusFault"}, {22, "Reserved"}, {23, "Reserved"},  {24, "IRQ8"},
        {0x1ff, "IRQ495"},
    };
    struct cairn_config *config = configure(CAIRN_PROFILE_M, M3, 0);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        /* proves: CM3-15.5.3-d, CM3-15.5.3-e, ETM3-7.5.1-a */
        assert_non_null(strstr(cairn_exception_name(config, rows[i].type), rows[i].name));
    cairn_config_unref(config);
}

/* "name=value name=value" of the last packet of a stream behind an A-sync. */
static void describe(struct cairn_config *config, const char *bytes, size_t size, char *text,
                     size_t capacity)
{
    static struct etmv3_list list;
    struct cairn_packet_batch *batch = NULL;
    struct cairn_field fields[FIELDS];
    uint8_t stream[64] = {0, 0, 0, 0, 0, 0x80};
    size_t used = 0;

    memcpy(stream + 6, bytes, size);
    assert_true(etmv3_decode(config, stream, size + 6, 0, 16, &list));
    assert_int_equal(cairn_packet_batch_new(1, &batch), CAIRN_OK);
    batch->count = 1;
    batch->kind[0] = list.packets[list.count - 1].kind;
    batch->fields[0] = list.packets[list.count - 1].fields;
    const size_t count = cairn_packet_describe(config, batch, 0, fields, FIELDS);
    assert_true(count <= FIELDS);
    *text = '\0';
    for (size_t i = 0; i < count; i++) {
        if (fields[i].type == CAIRN_FIELD_TEXT)
            used += (size_t)snprintf(text + used, capacity - used, "%s=%s ", fields[i].name,
                                     fields[i].text);
        else if (fields[i].type == CAIRN_FIELD_UNKNOWN)
            used += (size_t)snprintf(text + used, capacity - used, "%s=? ", fields[i].name);
        else
            used += (size_t)snprintf(text + used, capacity - used, "%s=%llx ", fields[i].name,
                                     (unsigned long long)fields[i].value);
    }
    assert_int_equal(cairn_packet_describe(config, batch, 0, NULL, 0), count);
    assert_int_equal(cairn_packet_describe(config, batch, 1, fields, FIELDS), 0);
    cairn_packet_batch_free(batch);
}

/* What a branch packet with exception `type` of the M profile says: five address bytes, then
 * Exception[3:0], and [8:4] where they are not 0 (7.3.5, figure 7-26 and on). */
static void describe_exception(struct cairn_config *config, unsigned type, char *text,
                               size_t capacity)
{
    const bool wide = type > 15;
    const char bytes[] = {
        (char)0x81,       (char)0x80, (char)0x80,
        (char)0x80,       0x50,       (char)((wide ? 0x80u : 0u) | (type & 15) << 1),
        (char)(type >> 4)};

    describe(config, bytes, sizeof bytes - !wide, text, capacity);
}

/* All 512 values: the traced value of an interrupt from 8 on is 16 more than its number. */
static void test_every_m_exception(void **state)
{
    static const char *const names[24] = {
        "",         "IRQ1",     "IRQ2",       "IRQ3",  "IRQ4",     "IRQ5",         "IRQ6",
        "IRQ7",     "IRQ0",     "UsageFault", "NMI",   "SVCall",   "DebugMonitor", "MemManage",
        "PendSV",   "SysTick",  "Reserved",   "Reset", "Reserved", "HardFault",    "Reserved",
        "BusFault", "Reserved", "Reserved",
    };
    struct cairn_config *config = configure(CAIRN_PROFILE_M, M3, 0);
    char text[400], wanted[64];

    (void)state;
    for (unsigned type = 1; type < 512; type++) {
        if (type < 24)
            snprintf(wanted, sizeof wanted, " exception=%s Exception=%x ", names[type], type);
        else
            snprintf(wanted, sizeof wanted, " exception=IRQ%u Exception=%x ", type - 16, type);
        describe_exception(config, type, text, sizeof text);
        /* proves: ETM3-7.3.5-bt */
        assert_non_null(strstr(text, wanted));
    }
    describe_exception(config, 0, text, sizeof text);
    assert_null(strstr(text, "xception="));
    cairn_config_unref(config);
}

#define EXPECT(CONFIG, BYTES, TEXT)                                                                \
    do {                                                                                           \
        char described[400];                                                                       \
        describe(CONFIG, BYTES, sizeof BYTES - 1, described, sizeof described);                    \
        assert_string_equal(described, TEXT);                                                      \
    } while (0)

static void test_packets(void **state)
{
    (void)state;
    struct cairn_config *config = configure(CAIRN_PROFILE_A, A7, 0x5000c00c);

    EXPECT(config, "\x08\x34\x12\0\0\x09\0\x10\0\xc0",
           "reason=periodic address=c0001000 state=ARM NS=1 Hyp=0 Context ID=1234 ");
    EXPECT(config, "\x81\x80\x80\x80\x48\x3c",
           "address=0 state=ARM exception=IRQ Exception=e Can=1 NS=0 Hyp=0 ");
    EXPECT(config, "\x81\x80\x80\x80\x48\x22",
           "address=0 address is=not valid exception=Halting debug Exception=1 Can=1 ");
    EXPECT(config, "\x81\x80\x80\x80\x48\x30",
           "address=0 state=ARM exception=Processor reset Exception=8 Can=1 NS=0 Hyp=0 VMID=0 ");
    EXPECT(
        config, "\x08\0\0\0\0\xa9\0\x10\0\xc0\x83\x80\x80\x80\x4c\0",
        "reason=trace on data instruction=c0001000 state=ARM address=80000004 its state=ARM NS=0 "
        "Hyp=0 data instruction's NS=1 data instruction's Hyp=0 Context ID=0 ");
    EXPECT(config, "\x05", "low bits of address=8 bits traced=8 state=ARM ");
    EXPECT(config, "\x04\x05", "cycles=5 contradiction=1 ");
    EXPECT(config, "\x6e\x01\x02\x03\x04", "Context ID=4030201 ");
    EXPECT(config, "\x3c\x55", "VMID=55 ");
    EXPECT(config, "\x46\x05", "low bits of TS=5 bits traced=7 R=1 ");
    /* whole: nine bytes; a timestamp of 0 is not known */
    EXPECT(config, "\x42\x85\x80\x80\x80\x80\x80\x80\x80\0", "TS=5 bits traced=40 R=0 ");
    EXPECT(config, "\x42\x80\x80\x80\x80\x80\x80\x80\x80\0", "TS=? bits traced=40 R=0 ");
    EXPECT(config, "\x2a\x80\x80\x80\x80\x12\x34\x12", "address=20000000 BE=1 size=2 value=1234 ");
    EXPECT(config, "\x54", "tag=1 ");
    EXPECT(config, "\x24\xab", "tag=1 size=1 value=ab ");
    EXPECT(config, "\xc8", "atoms=EEN ");
    EXPECT(config, "\x76", "");
    cairn_config_unref(config);
    config = configure(CAIRN_PROFILE_A, A7, 0x5000d00c);
    EXPECT(config, "\x70\x05\x34\x12\0\0\xa1\0\x10\0\xc0\x03",
           "cycles=5 reason=trace on data instruction=c0001000 state=ARM address=c0001004 "
           "its state=ARM NS=0 Hyp=0 Context ID=1234 ");
    EXPECT(config, "\x04\x05", "cycles=5 ");
    cairn_config_unref(config);
    config = configure(CAIRN_PROFILE_R, 0x4104f230, 0x1000);
    /* without Context IDs and Virtualization Extensions */
    EXPECT(config, "\x70\x05\x21\0\x10\0\xc0",
           "cycles=5 reason=trace on address=c0001000 state=ARM NS=0 ");
    EXPECT(config, "\xc8", "atoms=WEWEWN ");
    EXPECT(config, "\x8a", "atoms=WNE ");
    EXPECT(config, "\xe8", "atoms=WWWE ");
    EXPECT(config, "\x04\x00", "cycles=? ");
    cairn_config_unref(config);
    config = configure(CAIRN_PROFILE_M, M3, 0);
    EXPECT(config, "\xf9\xac\xd1\x91\x51\xac\x02",
           "address=12345678 state=Thumb exception=IRQ22 Exception=26 Can=1 NS=0 ");
    cairn_config_unref(config);
}

/* EEE 000: the exceptions that the vector tells apart. */
static void test_old_exceptions(void **state)
{
    (void)state;
    struct cairn_config *config = configure(CAIRN_PROFILE_R, 0x41002200, 0);

    /* proves: ETM3-7.3.5-ad */
    EXPECT(config, "\x81\x80\x80\x80\x80",
           "address=0 state=ARM exception=Processor reset Exception=0 ");
    EXPECT(config, "\x83\x80\x80\x80\x80",
           "address=4 state=ARM exception=Undefined Instruction Exception=0 ");
    EXPECT(config, "\x85\x80\x80\x80\x87",
           "address=e0000008 state=ARM exception=Supervisor Call Exception=0 ");
    EXPECT(
        config, "\x87\x80\x80\x80\xc0",
        "address=c state=ARM exception=Prefetch Abort or software breakpoint Exception=0 Can=1 ");
    EXPECT(config, "\x89\x80\x80\x80\xc0",
           "address=10 state=ARM exception=Data Abort or software watchpoint Exception=0 Can=1 ");
    EXPECT(config, "\x8d\x80\x80\x80\x88", "address=18 state=ARM exception=IRQ Exception=1 ");
    EXPECT(config, "\x85\x80\x80\x80\xc0",
           "address=8 state=ARM exception=Supervisor Call Exception=0 Can=1 contradiction=1 ");
    cairn_config_unref(config);
}

static void test_config(void **state)
{
    (void)state;
    struct cairn_config *config = configure(CAIRN_PROFILE_A, A7, 0x10001860);
    struct cairn_field fields[FIELDS];
    const size_t count = cairn_config_describe(config, fields, FIELDS);

    assert_true(count > 10 && count <= FIELDS);
    assert_string_equal(fields[0].name, "version");
    assert_string_equal(fields[0].text, "ETMv3.5");
    assert_int_equal(cairn_config_describe(config, NULL, 0), count);
    for (unsigned kind = 0; kind < CAIRN_ETMV3_KIND_COUNT; kind++)
        assert_string_not_equal(cairn_packet_name(config, kind), "Unknown");
    assert_string_equal(cairn_packet_name(config, CAIRN_ETMV3_KIND_COUNT), "Unknown");
    cairn_config_unref(config);
}

/* The value of a field as text: "yes" and "no" of a flag. */
static void text_of(const struct cairn_field *field, char *text, size_t capacity)
{
    if (field->type == CAIRN_FIELD_TEXT)
        snprintf(text, capacity, "%s", field->text);
    else if (field->type == CAIRN_FIELD_FLAG)
        snprintf(text, capacity, "%s", field->value ? "yes" : "no");
    else
        snprintf(text, capacity, field->type == CAIRN_FIELD_HEX ? "%llx" : "%llu",
                 (unsigned long long)field->value);
}

/* The registers of one configuration: ETMIDR, ETMCR, ETMCCER and ETMTRACEIDR. */
struct values {
    enum cairn_profile profile;
    uint32_t id, control, extensions, trace_id;
};

/* A field is listed once, and with this text; NULL: it is not listed. */
static void check_field(struct values values, const char *name, const char *wanted)
{
    const struct cairn_register registers[] = {{"ETMIDR", values.id},
                                               {"ETMCR", values.control},
                                               {"ETMCCER", values.extensions},
                                               {"ETMTRACEIDR", values.trace_id}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_field fields[FIELDS];
    struct cairn_config *config = NULL;
    char text[64] = "";
    unsigned listed = 0;

    source.protocol = CAIRN_PROTOCOL_ETMV3;
    source.arch = (struct cairn_arch){values.profile, 7, 0, 0};
    source.registers = registers;
    source.register_count = 4;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    const size_t count = cairn_config_describe(config, fields, FIELDS);
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0) {
            listed++;
            text_of(&fields[i], text, sizeof text);
        }
    assert_int_equal(listed, wanted != NULL);
    if (wanted && strcmp(text, wanted) != 0)
        fail_msg("%s=%s, not %s", name, text, wanted);
    cairn_config_unref(config);
}

/* Each field by the bits that say it, and by no other of these registers' (3.5.1, 3.5.18, 3.5.41). */
static void test_config_fields(void **state)
{
    static const struct values base = {CAIRN_PROFILE_A, A7, 0, 0x04400000, 0};
    static const struct {
        const char *name, *before;
        struct values set; /* bits over the base's */
        const char *then;
    } rows[] = {
        {"trace ID", "0", {.trace_id = 0x7f}, "7f"},
        {"branch encoding", "original", {.id = 1u << 20}, "alternative"},
        {"direct branch packets", "no", {.control = 1u << 8}, "yes"},
        {"cycle-accurate", "no", {.control = 1u << 12}, "yes"},
        {"context id bytes", "0", {.control = 1u << 14}, "1"},
        {"context id bytes", "0", {.control = 2u << 14}, "2"},
        {"context id bytes", "0", {.control = 3u << 14}, "4"},
        {"data trace", "none", {.control = 1u << 2}, "values"},
        {"data trace", "none", {.control = 1u << 3}, "addresses"},
        {"data trace", "none", {.control = 3u << 2}, "addresses and values"},
        {"coprocessor transfers", "no", {.control = 1u << 1}, "yes"},
        {"data-only mode", "no", {.control = 1u << 20}, "yes"},
        {"data suppression", "no", {.control = 1u << 18}, "yes"},
        {"timestamps", "no", {.control = 1u << 28}, "yes"},
        {"timestamp form", "48 bits, Gray code", {.extensions = 1u << 29}, "64 bits, Gray code"},
        {"timestamp form",
         "48 bits, Gray code",
         {.extensions = 1u << 28},
         "48 bits, natural binary"},
        {"VMID trace", "no", {.control = 1u << 30}, "yes"},
        {"Security Extensions", "yes", {.trace_id = 1}, "yes"},
        {"LSM traces PC first", "no", {.id = 1u << 16}, "yes"},
        {"atoms of 32-bit Thumb", "1", {.trace_id = 1}, "1"},
        {"Virtualization Extensions", "yes", {.trace_id = 1}, "yes"},
        {"version", "ETMv3.5", {.trace_id = 1}, "ETMv3.5"},
        {"profile", "A or R", {.trace_id = 1}, "A or R"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            const struct values set = {
                base.profile, base.id | rows[k].set.id, base.control | rows[k].set.control,
                base.extensions | rows[k].set.extensions, rows[k].set.trace_id};

            if (i == k)
                check_field(set, rows[i].name, rows[i].then);
            else if (strcmp(rows[i].name, rows[k].name) != 0 &&
                     !(rows[k].set.trace_id && rows[i].set.trace_id))
                check_field(set, rows[i].name, rows[i].before);
        }
    check_field((struct values){.id = 0x41000250, .extensions = 0x00400000}, "Security Extensions",
                "no");
    check_field((struct values){.id = 0x41000250, .extensions = 0x00400000},
                "atoms of 32-bit Thumb", "2");
    check_field((struct values){.id = 0x41000250, .extensions = 0x00400000},
                "Virtualization Extensions", "no");
    check_field((struct values){CAIRN_PROFILE_M, M3, 0, 0, 0}, "profile", "M");
    check_field((struct values){CAIRN_PROFILE_R, 0x4104f230, 0, 0, 0}, "version", "ETMv3.3");
    check_field((struct values){CAIRN_PROFILE_R, 0x4104f230, 0, 0, 0}, "timestamp form", NULL);
}

/* "name=value" of each field of an element, with a space behind it. */
static const char *element_text(const struct cairn_config *config, unsigned kind, unsigned flags,
                                const struct cairn_element_data *data)
{
    static char text[512];
    struct cairn_element_batch *batch = NULL;
    struct cairn_field fields[FIELDS];
    size_t used = 0;

    assert_int_equal(cairn_element_batch_new(1, &batch), CAIRN_OK);
    batch->count = 1;
    batch->kind[0] = (uint8_t)kind;
    batch->flags[0] = (uint16_t)flags;
    batch->data[0] = *data;
    const size_t count = cairn_element_describe(config, batch, 0, fields, FIELDS);

    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const struct cairn_field *f = &fields[i];
        const char *words = f->text ? f->text : f->text_space;

        used += (size_t)snprintf(text + used, sizeof text - used, "%s=", f->name);
        if (f->type == CAIRN_FIELD_TEXT)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s ", words);
        else if (f->type == CAIRN_FIELD_UNKNOWN)
            used += (size_t)snprintf(text + used, sizeof text - used, "? ");
        else
            used += (size_t)snprintf(text + used, sizeof text - used, "%llx ",
                                     (unsigned long long)f->value);
    }
    cairn_element_batch_free(batch);
    return text;
}

static void test_data_elements(void **state)
{
    (void)state;
    struct cairn_config *config = configure(CAIRN_PROFILE_A, A7, 0xc);
    struct cairn_element_data data = {.address = 0x2000,
                                      .value = 0xab,
                                      .info = CAIRN_DATA_HAS_ADDRESS | CAIRN_DATA_HAS_VALUE |
                                              CAIRN_DATA_BIG_ENDIAN,
                                      .cycles = CAIRN_DATA_FORM(CAIRN_DATA_NORMAL, 1, 0)};

    assert_string_equal(element_text(config, CAIRN_ELEMENT_DATA, 0, &data),
                        "kind=normal address=2000 value=ab size=1 big-endian=1 ");
    data.info = CAIRN_DATA_HAS_VALUE;
    data.cycles = CAIRN_DATA_FORM(CAIRN_DATA_LATE, 4, 3);
    assert_string_equal(element_text(config, CAIRN_ELEMENT_DATA, 0, &data),
                        "kind=out-of-order value value=ab size=4 tag=3 placeholder=2000 ");
    assert_string_equal(element_text(config, CAIRN_ELEMENT_DATA, CAIRN_ELEMENT_UNKNOWN, &data),
                        "kind=out-of-order value value=ab size=4 tag=3 placeholder=? ");
    data.info = 0;
    data.cycles = CAIRN_DATA_FORM(CAIRN_DATA_SUPPRESSED, 0, 0);
    assert_string_equal(element_text(config, CAIRN_ELEMENT_DATA, 0, &data), "kind=suppressed ");
    cairn_config_unref(config);
}

static void test_cancelled_elements(void **state)
{
    (void)state;
    struct cairn_config *config = configure(CAIRN_PROFILE_M, M3, 0);
    const struct cairn_element_data paused = {.info = 5};
    const struct cairn_element_data jazelle = {.reason = CAIRN_GAP_NOT_DECODED};

    assert_string_equal(element_text(config, CAIRN_ELEMENT_CANCELLED,
                                     CAIRN_ELEMENT_E | CAIRN_ELEMENT_PAUSED, &paused),
                        "status=E transfers=5 paused=1 ");
    assert_string_equal(
        element_text(config, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_UNKNOWN, &jazelle),
        "address=? reason=gap: not decoded ");
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exceptions),        cmocka_unit_test(test_exceptions_by_version),
        cmocka_unit_test(test_every_m_exception), cmocka_unit_test(test_m_exceptions),
        cmocka_unit_test(test_packets),           cmocka_unit_test(test_config),
        cmocka_unit_test(test_config_fields),     cmocka_unit_test(test_old_exceptions),
        cmocka_unit_test(test_data_elements),     cmocka_unit_test(test_cancelled_elements),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
