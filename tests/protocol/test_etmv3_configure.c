/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv3 registers: what they say of the stream, and what is told where they contradict one another
 * or the core. */
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

#define V3_0 0x41002200u
#define V3_1 0x41003211u
#define R5 0x4104f230u
#define A7 0x410cf250u
#define M3 0x4114f240u
#define M4 0x4114f250u
#define A7_CCER 0x344008f2u
#define M4_CCER 0x18541800u

static struct cairn_config *configure(enum cairn_profile profile, uint32_t id, uint32_t control,
                                      uint32_t ccer)
{
    struct cairn_config *config = etmv3_configure(profile, id, control, ccer, NULL);

    assert_non_null(config);
    return config;
}

static void assert_refused(uint32_t id, const char *words)
{
    struct cairn_error error = {.text = ""};

    assert_null(etmv3_configure(CAIRN_PROFILE_A, id, 0, 0, &error));
    assert_int_equal(error.status, CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, words));
}

static bool has_note(const struct cairn_config *config, const char *words)
{
    const char *note;

    for (size_t i = 0; (note = cairn_config_note(config, i)); i++)
        if (strstr(note, words))
            return true;
    return false;
}

static void test_refused(void **state)
{
    (void)state;
    /* proves: ETM3-3.5.18-a */
    assert_refused(0x411cf310, "PTM");
    assert_refused(0x4100f400, "ETMv3 has 2");
    assert_refused(0x41000102, "give the protocol of the source as ETMv2");
}

static void test_assumed(void **state)
{
    (void)state;
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = CAIRN_PROTOCOL_ETMV3;
    source.arch = (struct cairn_arch){CAIRN_PROFILE_M, 7, 0, 0};
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    assert_true(has_note(config, "ETMCR is missing"));
    assert_true(has_note(config, "ETMIDR is missing"));
    assert_true(has_note(config, "ETMCCER is missing"));
    cairn_config_unref(config);
    config = configure(CAIRN_PROFILE_A, A7 + 0x10, 0, A7_CCER);
    assert_true(has_note(config, "not known"));
    cairn_config_unref(config);
    config = configure(CAIRN_PROFILE_A, V3_0 | 1u << 20, 1u << 20, 0);
    assert_true(has_note(config, "alternative branch encoding"));
    assert_true(has_note(config, "data-only mode"));
    cairn_config_unref(config);
}

/* Without a core the trace unit itself tells that it is of the M profile. */
/* Numbers 0 to 0x17 of the M profile, and from there to 0x1ff interrupts. */
static void assert_m_names(const struct cairn_config *config)
{
    static const char *const names[] = {
        "none",     "IRQ1",     "IRQ2",       "IRQ3",  "IRQ4",     "IRQ5",         "IRQ6",
        "IRQ7",     "IRQ0",     "UsageFault", "NMI",   "SVCall",   "DebugMonitor", "MemManage",
        "PendSV",   "SysTick",  "Reserved",   "Reset", "Reserved", "HardFault",    "Reserved",
        "BusFault", "Reserved", "Reserved",   "IRQ8",
    };

    for (unsigned type = 0; type < sizeof names / sizeof *names; type++)
        assert_string_equal(cairn_exception_name(config, type), names[type]);
    assert_string_equal(cairn_exception_name(config, 0x26), "IRQ22");
    assert_string_equal(cairn_exception_name(config, 0x1ff), "IRQ495");
}

static void test_profile(void **state)
{
    (void)state;
    const struct cairn_register registers[] = {{"ETMIDR", M3}, {"ETMCR", 0}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = CAIRN_PROTOCOL_ETMV3;
    source.arch = cairn_arch_any_a();
    source.registers = registers;
    source.register_count = 2;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    assert_true(has_note(config, "M profile"));
    /* proves: ETM3-7.3.5-bs, ETM3-7.3.5-bt */
    assert_m_names(config);
    assert_int_equal(cairn_config_tells(config), CAIRN_TELLS_CONDITIONS | CAIRN_TELLS_EXCEPTIONS);
    cairn_config_unref(config);
    config = configure(CAIRN_PROFILE_A, A7, 0, A7_CCER);
    assert_int_equal(cairn_config_tells(config),
                     CAIRN_TELLS_CONDITIONS | CAIRN_TELLS_EXCEPTIONS | CAIRN_TELLS_SECURITY);
    /* proves: ETM3-7.3.5-be, ETM3-7.3.5-br */
    assert_string_equal(cairn_exception_name(config, 0x0e), "IRQ");
    cairn_config_unref(config);
}

/* Every note, and each has all of its words. */
static void assert_notes(struct cairn_config *config, const char *const *words, size_t count)
{
    size_t notes = 0;

    while (cairn_config_note(config, notes))
        notes++;
    assert_int_equal(notes, count);
    for (size_t i = 0; i < count; i++)
        assert_non_null(strstr(cairn_config_note(config, i), words[i]));
    cairn_config_unref(config);
}

#define ASSERT_NOTES(CONFIG, ...)                                                                  \
    do {                                                                                           \
        const char *const words[] = {NULL, __VA_ARGS__};                                           \
        assert_notes(CONFIG, words + 1, sizeof words / sizeof words[0] - 1);                       \
    } while (0)

/* What real units have. */
static void test_no_notes(void **state)
{
    (void)state;
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, A7, 0x10001860, A7_CCER), );
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, A7, 0x5008180e, A7_CCER), );
    ASSERT_NOTES(configure(CAIRN_PROFILE_R, R5, 0xc40, 0), );
    ASSERT_NOTES(configure(CAIRN_PROFILE_R, R5, 0x4040c | 1u << 20, 0), );
    ASSERT_NOTES(configure(CAIRN_PROFILE_M, M3, 0, 0), );
    ASSERT_NOTES(configure(CAIRN_PROFILE_M, M4, 0x10000000, M4_CCER), );
}

static void test_control(void **state)
{
    (void)state;
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, A7, 1u << 29, A7_CCER), "return stack of PTM");
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, A7, 1u << 31, A7_CCER), "reserved");
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, A7, 1u << 19 | 0xc, A7_CCER), "bit 19) but not traced");
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, A7, 1u << 18 | 1u << 7 | 0xc, A7_CCER),
                 "stalling (bit 7)");
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, A7, 1u << 20 | 1u << 12 | 0xc, A7_CCER), "tell cycles");
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, A7, 1u << 20, A7_CCER), "without data tracing");
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, A7, 2, A7_CCER), "taken to have none");
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, V3_0, 1u << 20 | 0xc, 0), "from ETMv3.1 on only");
}

/* ETMCR[29] and ETMCCER[25:23] are PTM's alone: v3.5 has no packet and no rule by them, and 72, which
 * is PTM's Waypoint update, is reserved. */
static void test_nothing_of_ptm(void **state)
{
    static const uint32_t controls[] = {0, 0x1000, 0xc, 0x5000c00c};

    (void)state;
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        struct cairn_config *plain = configure(CAIRN_PROFILE_A, A7, controls[i], A7_CCER);
        struct cairn_config *with =
            configure(CAIRN_PROFILE_A, A7, controls[i] | 1u << 29, A7_CCER | 7u << 23);
        uint8_t kinds[2][256];

        cairn_etmv3_headers(cairn_etmv3_of(plain), kinds[0]);
        cairn_etmv3_headers(cairn_etmv3_of(with), kinds[1]);
        /* proves: ETM35Q-7.2-c */
        assert_memory_equal(kinds[0], kinds[1], sizeof kinds[0]);
        /* proves: ETM35Q-7.2-c */
        assert_memory_equal(cairn_etmv3_of(plain), cairn_etmv3_of(with),
                            sizeof(struct cairn_etmv3_config));
        /* proves: ETM35Q-7.2-c */
        assert_memory_equal(&plain->rules, &with->rules, sizeof plain->rules);
        /* proves: ETM35Q-7.2-c */
        assert_int_equal(kinds[1][0x72], CAIRN_ETMV3_RESERVED);
        /* proves: ETM35Q-7.2-c */
        assert_false(with->rules.return_stack);
        cairn_config_unref(plain);
        cairn_config_unref(with);
    }
}

/* ETMIDR2, of v3.5: which of two transfers comes first. */
static void test_order_of_transfers(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 4; bits++) {
        const struct cairn_register registers[] = {{"ETMIDR", A7}, {"ETMCR", 0}, {"ETMIDR2", bits}};
        struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
        struct cairn_config *config = NULL;

        source.protocol = CAIRN_PROTOCOL_ETMV3;
        source.arch = cairn_arch_any_a();
        source.registers = registers;
        source.register_count = 3;
        assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
        assert_int_equal(cairn_etmv3_of(config)->swp_stores_first, bits >> 1);
        assert_int_equal(cairn_etmv3_of(config)->rfe_cpsr_first, bits & 1);
        cairn_config_unref(config);
    }
}

static void test_extensions(void **state)
{
    (void)state;
    ASSERT_NOTES(configure(CAIRN_PROFILE_R, R5, 1u << 28, 0), "from ETMv3.5 on only");
    ASSERT_NOTES(configure(CAIRN_PROFILE_R, R5, 1u << 30, 0), "from ETMv3.5 on only");
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, A7, 1u << 30, A7_CCER & ~(1u << 26)),
                 "no VMID packets");
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, A7, 1u << 28, A7_CCER & ~(1u << 22)),
                 "has none (bit 22)");
    ASSERT_NOTES(configure(CAIRN_PROFILE_M, M4, 0, M4_CCER | 1u << 26), "not of the M profile");
    ASSERT_NOTES(configure(CAIRN_PROFILE_M, M4, 1u << 30, M4_CCER), "no VMID packets");
}

static void test_identification(void **state)
{
    (void)state;
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, V3_1 | 1u << 18, 0, 0), "from ETMv3.2 on only");
    ASSERT_NOTES(configure(CAIRN_PROFILE_A, V3_1 | 1u << 19, 0, 0), "from ETMv3.2 on only");
    ASSERT_NOTES(configure(CAIRN_PROFILE_R, R5 | 1u << 20, 0, 0), "from ETMv3.4 on only");
    ASSERT_NOTES(configure(CAIRN_PROFILE_M, R5, 0, 0), "older than trace units of the M profile");
    ASSERT_NOTES(configure(CAIRN_PROFILE_M, M3 | 1u << 19, 0, 0), "not of the M profile");
}

/* The value of a field of the configuration's listing. */
static uint64_t setting(struct cairn_config *config, const char *name)
{
    struct cairn_field fields[32];
    const size_t count = cairn_config_describe(config, fields, 32);
    uint64_t value = UINT64_MAX;

    for (size_t i = 0; i < count && i < 32; i++)
        if (!strcmp(fields[i].name, name))
            value = fields[i].value;
    cairn_config_unref(config);
    return value;
}

static void test_pc_first(void **state)
{
    (void)state;
    static const char name[] = "LSM traces PC first";

    /* proves: ETM3-3.5.18-b */
    assert_int_equal(setting(configure(CAIRN_PROFILE_A, 0x41003210, 0, 0), name), 1);
    assert_int_equal(setting(configure(CAIRN_PROFILE_A, 0x41003211, 0, 0), name), 0);
    assert_int_equal(setting(configure(CAIRN_PROFILE_A, 0x41013211, 0, 0), name), 1);
    assert_int_equal(setting(configure(CAIRN_PROFILE_R, R5, 0, 0), name), 0);
}

/* Presets of Table 3-47 and 3.5.40 of issue Q: what each says. */
static void test_presets(void **state)
{
    (void)state;
    static const struct {
        uint32_t id;
        unsigned atoms, security;
    } rows[] = {
        {0x41002200, 2, 0}, {0x41003210, 2, 0}, {0x41013211, 2, 0}, {0x41001220, 2, 0},
        {0x41013220, 2, 0}, {0x41053220, 1, 0}, {0x41093220, 2, 1}, {0x4104f230, 1, 0},
        {0x410cf230, 1, 1}, {0x4114f240, 1, 0}, {0x410cf250, 1, 1}, {0x4114f250, 1, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        /* proves: ETM3-3.5.18-a */
        assert_int_equal(
            setting(configure(CAIRN_PROFILE_A, rows[i].id, 0, 0), "atoms of 32-bit Thumb"),
            rows[i].atoms);
        assert_int_equal(
            setting(configure(CAIRN_PROFILE_A, rows[i].id, 0, 0), "Security Extensions"),
            rows[i].security);
    }
}

/* 3.5.18: a minor version that is not known is read as the newest, 5. */
static void test_minor_versions(void **state)
{
    (void)state;
    for (uint32_t minor = 0; minor < 16; minor++) {
        struct cairn_config *config = configure(CAIRN_PROFILE_A, 0x41000200u | minor << 4, 0, 0);
        struct cairn_field fields[32];
        char expected[16];

        assert_non_null(config);
        assert_true(cairn_config_describe(config, fields, 32) <= 32);
        snprintf(expected, sizeof expected, "%u", minor < 5 ? minor : 5);
        assert_string_equal(fields[0].name, "version");
        assert_string_equal(strrchr(fields[0].text_space, '.') + 1, expected);
        cairn_config_unref(config);
    }
}

/* 7.3.4: a count has five bytes at most, whatever bit 7 of the last one says. */
static void test_longest_count(void **state)
{
    static const uint8_t bytes[] = {0,    0,    0,    0,    0,    0x80, 0x04,
                                    0xff, 0xff, 0xff, 0xff, 0xff, 0x04, 1};
    static struct etmv3_list list;
    struct cairn_config *config = configure(CAIRN_PROFILE_A, A7, 1 << 12, A7_CCER);

    (void)state;
    assert_true(etmv3_decode(config, bytes, sizeof bytes, 0, 16, &list));
    assert_int_equal(list.count, 3);
    assert_int_equal(list.packets[1].kind, CAIRN_ETMV3_CYCLE_COUNT);
    assert_int_equal(list.packets[1].length, 6);
    assert_int_equal(list.packets[2].kind, CAIRN_ETMV3_CYCLE_COUNT);
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_assumed),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_no_notes),
        cmocka_unit_test(test_control),
        cmocka_unit_test(test_nothing_of_ptm),
        cmocka_unit_test(test_order_of_transfers),
        cmocka_unit_test(test_extensions),
        cmocka_unit_test(test_identification),
        cmocka_unit_test(test_pc_first),
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_minor_versions),
        cmocka_unit_test(test_longest_count),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
