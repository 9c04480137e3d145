/* SPDX-License-Identifier: BSD-2-Clause */
/* PTM: registers -> configuration, its notes and errors; what there is of the levels; names. */
#include "ptm_session.h"

#include <stdio.h>
#include <string.h>

#include <cairn/element.h>

#include "protocol/protocol.h"
#include "protocol/ptm/ptm.h"

#define FIELDS 32

/* ---- registers ---- */

static cairn_status configure(const struct cairn_register *registers, size_t count,
                              struct cairn_config **config, struct cairn_error *error)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    source.protocol = CAIRN_PROTOCOL_PTM;
    source.arch = cairn_arch_any_a();
    source.registers = registers;
    source.register_count = count;
    return cairn_config_new(&source, config, error);
}

/* "name=value" of a field of the configuration. */
static void assert_described(const struct cairn_config *config, const char *name, const char *value)
{
    struct cairn_field fields[FIELDS];
    const size_t count = cairn_config_describe(config, fields, FIELDS);
    char text[40] = "missing";

    assert_true(count <= FIELDS);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i].name, name) != 0)
            continue;
        if (fields[i].type == CAIRN_FIELD_TEXT)
            snprintf(text, sizeof text, "%s", fields[i].text);
        else
            snprintf(text, sizeof text, "%llu", (unsigned long long)fields[i].value);
    }
    assert_string_equal(text, value);
}

static void assert_noted(const struct cairn_config *config, const char *part)
{
    for (size_t i = 0; cairn_config_note(config, i); i++)
        if (strstr(cairn_config_note(config, i), part))
            return;
    fail_msg("no note says \"%s\"", part);
}

static void test_version(void **state)
{
    struct cairn_config *a9 = ptm_config(0x10001000, A9_ETMIDR, A9_ETMCCER);
    struct cairn_config *a15 = ptm_config(0x20000400, A15_ETMIDR, A15_ETMCCER);

    (void)state;
    /* proves: PFT-3.16.28-g */
    assert_described(a9, "version", "1.0");
    /* proves: PFT-3.16.28-g */
    assert_described(a15, "version", "1.1");
    assert_null(cairn_config_note(a9, 0));
    assert_null(cairn_config_note(a15, 0));
    cairn_config_unref(a9);
    cairn_config_unref(a15);
}

/* ETMIDR[11:8] is 3 of a PTM, whatever stands around it; an ETMv3 has 2 there. */
static void test_major_version(void **state)
{
    struct cairn_register registers[] = {{"ETMIDR", 0}, {"ETMCR", 0}, {"ETMCCER", A15_ETMCCER}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    (void)state;
    source.protocol = CAIRN_PROTOCOL_PTM;
    source.arch = (struct cairn_arch){CAIRN_PROFILE_A, 7, 0, 0};
    source.registers = registers;
    source.register_count = COUNT_OF(registers);
    for (unsigned major = 0; major < 16; major++) {
        struct cairn_config *config = NULL;

        registers[0].value = 0x411cf001 | major << 8;
        /* proves: PFT-3.16.28-f, PFT-3.16.28-i */
        assert_int_equal(cairn_config_new(&source, &config, NULL) == CAIRN_OK, major == 3);
        if (major == 3)
            cairn_config_unref(config);
    }
}

static void test_timestamp_bits(void **state)
{
    (void)state;
    for (unsigned wide = 0; wide < 2; wide++) {
        struct cairn_config *config =
            ptm_config(0, A15_ETMIDR, (A15_ETMCCER & ~(1u << 29)) | wide << 29);

        /* proves: PFT-3.16.29-a */
        assert_described(config, "timestamp bits", wide ? "64" : "48");
        assert_described(config, "timestamp encoding", "binary");
        cairn_config_unref(config);
    }
}

static void test_timestamp_encoding(void **state)
{
    (void)state;
    for (unsigned binary = 0; binary < 2; binary++) {
        struct cairn_config *config =
            ptm_config(0, A15_ETMIDR, (A15_ETMCCER & ~(1u << 28)) | binary << 28);

        /* proves: PFT-3.16.29-b */
        assert_described(config, "timestamp encoding", binary ? "binary" : "Gray");
        assert_described(config, "timestamp bits", "64");
        cairn_config_unref(config);
    }
}

/* Whether this bit of ETMCR alone turns `name` on, of all that it can. */
static bool turns_on(unsigned bit, const char *name)
{
    static const char *const names[] = {"return stack", "branch broadcast", "cycle counting",
                                        "timestamps", "VMID"};
    struct cairn_config *config = ptm_config(1u << bit, A15_ETMIDR, A15_ETMCCER);

    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_described(config, names[i], strcmp(names[i], name) == 0 ? "1" : "0");
    cairn_config_unref(config);
    return true;
}

static void test_bit_30(void **state)
{
    (void)state;
    /* proves: PFT-3.16.1-a */
    assert_true(turns_on(30, "VMID"));
}

static void test_bit_29(void **state)
{
    (void)state;
    /* proves: PFT-3.16.1-b */
    assert_true(turns_on(29, "return stack"));
}

static void test_bit_28(void **state)
{
    (void)state;
    /* proves: PFT-3.16.1-c */
    assert_true(turns_on(28, "timestamps"));
}

static void test_bit_12(void **state)
{
    (void)state;
    /* proves: PFT-3.16.1-g */
    assert_true(turns_on(12, "cycle counting"));
}

static void test_bit_8(void **state)
{
    (void)state;
    /* proves: PFT-3.16.1-j */
    assert_true(turns_on(8, "branch broadcast"));
}

/* Bit 30 came with PFT 1.1, with the rest of virtualization; in 1.0 it says nothing. */
static void test_vmid_version(void **state)
{
    struct cairn_config *a9 = ptm_config(0x40000000, A9_ETMIDR, A9_ETMCCER);

    (void)state;
    assert_described(a9, "VMID", "0");
    assert_noted(a9, "ETMCR is 0x40000000 with bit 30");
    assert_null(cairn_config_note(a9, 1));
    cairn_config_unref(a9);
}

static void test_sizes(void **state)
{
    static const char *const sizes[] = {"0", "1", "2", "4"};

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(sizes); i++) {
        struct cairn_config *config = ptm_config(i << 14, A15_ETMIDR, A15_ETMCCER);

        /* proves: PFT-3.16.1-f */
        assert_described(config, "context id bytes", sizes[i]);
        cairn_config_unref(config);
    }
}

static void test_features(void **state)
{
    struct cairn_config *config = ptm_config(0, A15_ETMIDR, 0x07000000);
    struct cairn_config *other = ptm_config(0, A15_ETMIDR & ~0x40000u, 0);

    (void)state;
    for (unsigned bit = 24; bit <= 26; bit++) {
        struct cairn_config *one = ptm_config(0, A15_ETMIDR, 1u << bit);

        /* proves: PFT-3.16.29-d, PFT-3.16.29-e, PFT-3.16.29-f */
        assert_described(one, "virtualization", bit == 26 ? "1" : "0");
        assert_described(one, "DMB and DSB are waypoints", bit == 24 ? "1" : "0");
        assert_described(one, "DMB and DSB give timestamps", bit == 25 ? "1" : "0");
        cairn_config_unref(one);
    }
    /* proves: PFT-3.16.28-d */
    assert_described(config, "32-bit Thumb is one waypoint", "1");
    assert_described(other, "32-bit Thumb is one waypoint", "0");
    cairn_config_unref(config);
    cairn_config_unref(other);
}

static void test_trace_id(void **state)
{
    const struct cairn_register registers[] = {{"etmidr", A9_ETMIDR}, {"ETMTRACEIDR", 0xf93}};
    struct cairn_config *config;

    (void)state;
    assert_int_equal(configure(registers, 2, &config, NULL), CAIRN_OK);
    /* proves: PFT-3.16.35-a */
    assert_described(config, "trace id", "19");
    cairn_config_unref(config);
}

/* What following a source depends on; whether the core is one of M profile. */
static struct cairn_follow_rules rules_of(uint32_t etmidr, uint32_t etmcr, uint32_t etmccer,
                                          enum cairn_profile profile)
{
    const struct cairn_register registers[] = {
        {"ETMIDR", etmidr}, {"ETMCR", etmcr}, {"ETMCCER", etmccer}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;
    struct cairn_follow_rules rules;

    source.protocol = CAIRN_PROTOCOL_PTM;
    source.arch = cairn_arch_any_a();
    source.arch.profile = profile;
    source.registers = registers;
    source.register_count = COUNT_OF(registers);
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    rules = config->rules;
    cairn_config_unref(config);
    return rules;
}

static void test_rules(void **state)
{
    struct cairn_follow_rules rules = rules_of(A15_ETMIDR, 0, A15_ETMCCER, CAIRN_PROFILE_A);
    (void)state;

    assert_false(rules.return_stack);
    assert_false(rules.barriers_are_p0);
    assert_true(rules.return_packets);
    assert_true(rules.pop_first);
    assert_false(rules.m_profile);
    assert_false(rules.every_instruction || rules.thumb_halves || rules.any_source);
    assert_int_equal(rules.walk_bytes, 4096);
    rules = rules_of(A9_ETMIDR, 1u << 29, A9_ETMCCER | 1u << 24, CAIRN_PROFILE_A);
    assert_true(rules.return_stack);
    assert_true(rules.barriers_are_p0);
    assert_false(rules.return_packets); /* PFT 1.0 has none but on M profile (4.5.10) */
    rules = rules_of(A9_ETMIDR, 0, A9_ETMCCER, CAIRN_PROFILE_M);
    assert_true(rules.m_profile);
    assert_true(rules.return_packets);
}

static void test_missing(void **state)
{
    const struct cairn_register a9[] = {{"ETMIDR", A9_ETMIDR}};
    struct cairn_config *config;

    (void)state;
    assert_int_equal(configure(NULL, 0, &config, NULL), CAIRN_OK);
    assert_described(config, "version", "1.1");
    assert_described(config, "timestamp bits", "64");
    assert_noted(config, "ETMCR is missing");
    assert_noted(config, "ETMIDR is missing");
    assert_noted(config, "ETMCCER is missing");
    cairn_config_unref(config);
    assert_int_equal(configure(a9, 1, &config, NULL), CAIRN_OK);
    assert_described(config, "version", "1.0");
    assert_described(config, "timestamp bits", "48");
    cairn_config_unref(config);
}

static void test_odd(void **state)
{
    const struct cairn_register auxiliary[] = {
        {"ETMCR", 0}, {"ETMIDR", A15_ETMIDR}, {"ETMCCER", A15_ETMCCER}, {"ETMAUXCR", 4}};
    const struct cairn_register wide[] = {{"ETMIDR", 0x1411cf312}};
    struct cairn_config *config = ptm_config(0x70000100, A15_ETMIDR, 0);

    (void)state;
    assert_noted(config, "VMID trace");
    assert_noted(config, "return stack on");
    assert_noted(config, "timestamps on");
    assert_noted(config, "UNPREDICTABLE");
    cairn_config_unref(config);
    assert_int_equal(configure(auxiliary, COUNT_OF(auxiliary), &config, NULL), CAIRN_OK);
    /* proves: PFT-3.16.34-a */
    assert_noted(config, "ETMAUXCR is 0x00000004");
    cairn_config_unref(config);
    assert_int_equal(configure(wide, 1, &config, NULL), CAIRN_OK);
    assert_noted(config, "lower 32 bits");
    cairn_config_unref(config);
    config = ptm_config(0, A15_ETMIDR + 0x10, A15_ETMCCER);
    assert_noted(config, "newer than the newest known");
    cairn_config_unref(config);
}

static void test_refused_registers(void **state)
{
    const struct cairn_register etmv3[] = {{"ETMIDR", 0x410cf250}};
    const struct cairn_register etmv1[] = {{"ETMIDR", 0x410cf000}};
    struct cairn_config *config = NULL;
    struct cairn_error error;

    (void)state;
    assert_int_equal(configure(etmv3, 1, &config, &error), CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, "ETMIDR is 0x410cf250"));
    assert_non_null(strstr(error.text, "ETMv3"));
    assert_int_equal(configure(etmv1, 1, &config, &error), CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, "but PTM has 3"));
}

/* ---- packets only ---- */

static void test_levels(void **state)
{
    struct cairn_config *config = ptm_config(0, A15_ETMIDR, A15_ETMCCER);

    (void)state;
    assert_true(cairn_protocol_decodes_packets(CAIRN_PROTOCOL_PTM));
    assert_true(cairn_protocol_decodes(CAIRN_PROTOCOL_PTM));
    assert_string_equal(cairn_packet_mnemonic(config, CAIRN_PTM_WAYPOINT_UPDATE),
                        "WAYPOINT_UPDATE");
    assert_string_equal(cairn_packet_name(config, CAIRN_PTM_WAYPOINT_UPDATE), "Waypoint update");
    assert_string_equal(cairn_packet_name(config, CAIRN_PTM_KIND_COUNT), "Unknown");
    cairn_config_unref(config);
}

static void test_exceptions(void **state)
{
    struct cairn_config *a9 = ptm_config(0, A9_ETMIDR, A9_ETMCCER);
    struct cairn_config *a15 = ptm_config(0, A15_ETMIDR, A15_ETMCCER);
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *m;

    (void)state;
    assert_string_equal(cairn_exception_name(a15, 0xe), "IRQ");
    assert_string_equal(cairn_exception_name(a15, 1), "Debug halt");
    assert_string_equal(cairn_exception_name(a15, 3), "Hyp entry");
    assert_string_equal(cairn_exception_name(a9, 3), "Reserved 3");
    assert_string_equal(cairn_exception_name(a15, 6), "Reserved 6");
    assert_string_equal(cairn_exception_name(a15, 511), "Reserved 511");
    assert_string_equal(cairn_exception_name(a15, 512), "Unknown");
    source.protocol = CAIRN_PROTOCOL_PTM;
    source.arch.profile = CAIRN_PROFILE_M;
    assert_int_equal(cairn_config_new(&source, &m, NULL), CAIRN_OK);
    /* proves: PFT-4.5.4-ai */
    assert_string_equal(cairn_exception_name(m, 0x11), "Reset");
    assert_string_equal(cairn_exception_name(m, 0x18), "IRQ 8");
    assert_string_equal(cairn_exception_name(m, 0x1ff), "IRQ 495");
    assert_string_equal(cairn_exception_name(m, 0x12), "Reserved 18");
    cairn_config_unref(a9);
    cairn_config_unref(a15);
    cairn_config_unref(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_major_version),
        cmocka_unit_test(test_timestamp_bits),
        cmocka_unit_test(test_timestamp_encoding),
        cmocka_unit_test(test_bit_30),
        cmocka_unit_test(test_bit_29),
        cmocka_unit_test(test_bit_28),
        cmocka_unit_test(test_bit_12),
        cmocka_unit_test(test_bit_8),
        cmocka_unit_test(test_vmid_version),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_trace_id),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_odd),
        cmocka_unit_test(test_refused_registers),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_exceptions),
    };
    return cmocka_run_group_tests_name("ptm configure", tests, NULL, NULL);
}
