/* SPDX-License-Identifier: BSD-2-Clause */
/* The four structures of options, given by callers that are older than the library, newer, or wrong:
 * what an older one does not know keeps its default, and what the library does not know must be 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn.h>

/* Room for members of a version to come. */
#define LATER 24

static struct cairn_config *config_of(void)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = CAIRN_PROTOCOL_ETE;
    source.arch = cairn_arch_any_a();
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

static cairn_status engine_with(const struct cairn_engine_options *options)
{
    struct cairn_config *config = config_of();
    struct cairn_engine *engine = NULL;
    struct cairn_image *image = NULL;

    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    const cairn_status status = cairn_engine_new(config, image, options, &engine);
    assert_int_equal(status == CAIRN_OK, engine != NULL);
    cairn_engine_free(engine);
    cairn_image_unref(image);
    cairn_config_unref(config);
    return status;
}

static cairn_status unit_with(const struct cairn_unit_options *options)
{
    struct cairn_unit *unit = NULL;
    const cairn_status status = cairn_unit_new(options, &unit, NULL);

    assert_int_equal(status == CAIRN_OK, unit != NULL);
    cairn_unit_free(unit);
    return status;
}

static cairn_status config_with(const struct cairn_source_config *source)
{
    struct cairn_config *config = NULL;
    const cairn_status status = cairn_config_new(source, &config, NULL);

    assert_int_equal(status == CAIRN_OK, config != NULL);
    cairn_config_unref(config);
    return status;
}

/* Right options end in CAIRN_E_NOT_FOUND: there is no such file. */
static cairn_status capture_with(const struct cairn_capture_options *options)
{
    struct cairn_capture *capture = NULL;
    const cairn_status status = cairn_capture_open("no such file", options, &capture, NULL);

    assert_null(capture);
    return status;
}

static void unknown_flags_are_refused(void **unused)
{
    struct cairn_engine_options engine = CAIRN_ENGINE_OPTIONS_INIT;
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    (void)unused;

    unit.arch = cairn_arch_any_a();
    engine.flags = CAIRN_ENGINE_COUNTS | CAIRN_ENGINE_PORTABLE | CAIRN_ENGINE_NO_PACKETS;
    assert_int_equal(engine_with(&engine), CAIRN_OK);
    for (unsigned bit = 3; bit < 32; bit++) { /* those of flow/engine.h among them */
        engine.flags = 1u << bit;
        assert_int_equal(engine_with(&engine), CAIRN_E_ARGUMENT);
    }
    engine.flags = UINT32_MAX;
    assert_int_equal(engine_with(&engine), CAIRN_E_ARGUMENT);
    assert_int_equal(unit_with(&unit), CAIRN_OK);
    unit.choices |= 1u << 31;
    assert_int_equal(unit_with(&unit), CAIRN_E_ARGUMENT);
}

static void no_size_is_refused(void **unused)
{
    struct cairn_engine_options engine = {.size = 0};
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_source_config source = {.protocol = CAIRN_PROTOCOL_ETE};
    struct cairn_capture_options capture = {.trace_id = -1};
    (void)unused;

    unit.size = 0;
    assert_int_equal(engine_with(&engine), CAIRN_E_ARGUMENT);
    assert_int_equal(unit_with(&unit), CAIRN_E_ARGUMENT);
    assert_int_equal(config_with(&source), CAIRN_E_ARGUMENT);
    assert_int_equal(capture_with(&capture), CAIRN_E_ARGUMENT);
    engine.size = SIZE_MAX;
    assert_int_equal(engine_with(&engine), CAIRN_E_ARGUMENT);
    assert_int_equal(engine_with(NULL), CAIRN_OK);
    assert_int_equal(capture_with(NULL), CAIRN_E_NOT_FOUND);
}

/* Behind what an older caller knows there is memory of its own, which is none of the library's. */
static void an_older_caller_gets_the_defaults(void **unused)
{
    struct cairn_engine_options engine;
    struct cairn_unit_options unit;
    struct cairn_source_config source;
    struct cairn_capture_options capture;
    (void)unused;

    memset(&engine, 0xff, sizeof engine);
    engine.size = offsetof(struct cairn_engine_options, jobs);
    engine.flags = 0;
    assert_int_equal(engine_with(&engine), CAIRN_OK);
    memset(&unit, 0xff, sizeof unit);
    unit.size = offsetof(struct cairn_unit_options, choices);
    unit.protocol = CAIRN_PROTOCOL_ETE;
    unit.arch = cairn_arch_any_a();
    unit.registers = NULL;
    unit.register_count = 0;
    assert_int_equal(unit_with(&unit), CAIRN_OK);
    memset(&source, 0xff, sizeof source);
    source.size = offsetof(struct cairn_source_config, registers);
    source.protocol = CAIRN_PROTOCOL_ETE;
    source.arch = cairn_arch_any_a();
    source.source = 0;
    assert_int_equal(config_with(&source), CAIRN_OK);
    memset(&capture, 0xff, sizeof capture);
    capture.size = offsetof(struct cairn_capture_options, core);
    capture.format = CAIRN_FORMAT_AUTO;
    capture.protocol = CAIRN_PROTOCOL_UNKNOWN;
    assert_int_equal(capture_with(&capture), CAIRN_E_NOT_FOUND);
}

static void a_newer_caller_may_leave_its_members_alone(void **unused)
{
    struct {
        struct cairn_engine_options options;
        uint8_t later[LATER];
    } engine = {.options = {.size = sizeof engine}};
    struct {
        struct cairn_unit_options options;
        uint8_t later[LATER];
    } unit = {.options = CAIRN_UNIT_OPTIONS_INIT};
    struct {
        struct cairn_source_config options;
        uint8_t later[LATER];
    } source = {.options = {.size = sizeof source, .protocol = CAIRN_PROTOCOL_ETE}};
    struct {
        struct cairn_capture_options options;
        uint8_t later[LATER];
    } capture = {.options = {.size = sizeof capture, .trace_id = -1}};
    (void)unused;

    unit.options.size = sizeof unit;
    unit.options.arch = source.options.arch = cairn_arch_any_a();
    assert_int_equal(engine_with(&engine.options), CAIRN_OK);
    assert_int_equal(unit_with(&unit.options), CAIRN_OK);
    assert_int_equal(config_with(&source.options), CAIRN_OK);
    assert_int_equal(capture_with(&capture.options), CAIRN_E_NOT_FOUND);
    engine.later[LATER - 1] = unit.later[0] = source.later[7] = capture.later[LATER - 1] = 1;
    assert_int_equal(engine_with(&engine.options), CAIRN_E_ARGUMENT);
    assert_int_equal(unit_with(&unit.options), CAIRN_E_ARGUMENT);
    assert_int_equal(config_with(&source.options), CAIRN_E_ARGUMENT);
    assert_int_equal(capture_with(&capture.options), CAIRN_E_ARGUMENT);
}

#define TEXT(number) #number
#define DOTTED(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

/* Two files write the version down: meson.build and status.h. */
static void the_headers_are_of_the_library(void **unused)
{
    (void)unused;
    assert_string_equal(cairn_version(),
                        DOTTED(CAIRN_VERSION_MAJOR, CAIRN_VERSION_MINOR, CAIRN_VERSION_PATCH));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_flags_are_refused),
        cmocka_unit_test(no_size_is_refused),
        cmocka_unit_test(an_older_caller_gets_the_defaults),
        cmocka_unit_test(a_newer_caller_may_leave_its_members_alone),
        cmocka_unit_test(the_headers_are_of_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
