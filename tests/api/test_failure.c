/* SPDX-License-Identifier: BSD-2-Clause */
/* A call that fails writes nothing but its error (docs/api.md).
 *
 * usage: test_api_failure CAPTURE */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn.h>

#define FILLING 0x5a

static const char *path;

static bool is_filled(const void *memory, size_t size)
{
    const uint8_t *bytes = memory;

    while (size && bytes[size - 1] == FILLING)
        size--;
    return size == 0;
}

/* The call is not CAIRN_OK, and leaves `out` as it is. */
#define assert_fails(out, call)                                                                    \
    do {                                                                                           \
        memset(&(out), FILLING, sizeof(out));                                                      \
        assert_int_not_equal(call, CAIRN_OK);                                                      \
        assert_true(is_filled(&(out), sizeof(out)));                                               \
    } while (0)

static void of_captures(void **unused)
{
    const struct cairn_pipeline_options later = {.size = sizeof later, .flags = 1u << 31};
    struct cairn_pipeline_options levels = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_capture *capture = NULL, *none;
    struct cairn_reader *reader;
    struct cairn_pipeline *pipeline;
    struct cairn_remark remark;
    (void)unused;

    assert_fails(none, cairn_capture_open("no such file", NULL, &none, NULL));
    assert_int_equal(cairn_capture_open(path, NULL, &capture, NULL), CAIRN_OK);
    assert_fails(reader, cairn_reader_new(capture, 99, &reader, NULL));
    assert_fails(pipeline, cairn_pipeline_new(capture, 99, NULL, NULL, NULL, &pipeline, NULL));
    assert_fails(pipeline, cairn_pipeline_new(capture, 0, NULL, NULL, &later, &pipeline, NULL));
    levels.level = (enum cairn_level)9;
    assert_fails(pipeline, cairn_pipeline_new(capture, 0, NULL, NULL, &levels, &pipeline, NULL));
    assert_fails(remark, cairn_capture_remark(capture, 99, &remark));
    cairn_capture_free(capture);
}

static void of_images(void **unused)
{
    const struct cairn_place place = {.security = CAIRN_NONSECURE};
    struct cairn_image *image = NULL;
    struct cairn_space *space = NULL;
    struct {
        const char *name;
        uint64_t offset;
    } symbol;
    struct cairn_window window;
    struct cairn_arch arch = cairn_arch_any_a();
    struct cairn_insn insn;
    (void)unused;

    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(
        cairn_image_add_bytes(image, "two", NULL, CAIRN_ORDER_LITTLE, 16, "ab", 2, NULL), CAIRN_OK);
    assert_int_equal(cairn_space_new(image, &space), CAIRN_OK);
    assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
    assert_fails(symbol, cairn_image_symbol(image, 0, 16, &symbol.name, &symbol.offset));
    assert_fails(symbol, cairn_image_symbol(image, 7, 16, &symbol.name, &symbol.offset));
    assert_fails(window, cairn_space_window(space, 18, &window) ? CAIRN_OK : CAIRN_E_NOT_FOUND);
    assert_fails(insn, cairn_space_insn(space, &arch, CAIRN_ISA_A64, 16, &insn)
                           ? CAIRN_OK
                           : CAIRN_E_NOT_FOUND); /* half of it is there */
    cairn_space_free(space);
    cairn_image_unref(image);
}

static void of_decoders(void **unused)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_engine_options options = CAIRN_ENGINE_OPTIONS_INIT;
    struct cairn_config *config = NULL, *none;
    struct cairn_image *image = NULL;
    struct cairn_engine *engine;
    struct cairn_packet_batch *packets;
    struct cairn_element_batch *elements;
    struct cairn_flow_batch *records;
    /* 256 bytes are written, of which the dump has 64 */
    const struct cairn_register written[] = {{.name = "POSITION", .value = 0x100},
                                             {.name = "MASTER", .value = 8}};
    struct {
        struct cairn_span span[CAIRN_SPANS_MAX];
        size_t count;
    } spans;
    (void)unused;

    assert_fails(none, cairn_config_new(&source, &none, NULL));
    source.protocol = CAIRN_PROTOCOL_MTB;
    source.registers = written;
    source.register_count = 2;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    assert_fails(spans, cairn_config_spans(config, 64, spans.span, &spans.count, NULL));
    cairn_config_unref(config);
    source.register_count = 1; /* without MASTER */
    assert_fails(none, cairn_config_new(&source, &none, NULL));
    source.protocol = CAIRN_PROTOCOL_ETE;
    source.arch = cairn_arch_any_a();
    source.register_count = 0;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    options.flags = UINT32_MAX;
    assert_fails(engine, cairn_engine_new(config, image, &options, &engine));
    assert_fails(packets, cairn_packet_batch_new(0, &packets));
    assert_fails(elements, cairn_element_batch_new(0, &elements));
    assert_fails(records, cairn_flow_batch_new(0, &records));
    cairn_image_unref(image);
    cairn_config_unref(config);
}

static void of_trace_units(void **unused)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit = NULL, *none;
    struct cairn_register one;
    uint64_t value;
    (void)unused;

    options.arch = cairn_arch_any_a();
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    assert_fails(value, cairn_unit_read(unit, "TRCNOTHING", &value));
    assert_fails(one, cairn_unit_register(unit, 9999, &one));
    cairn_unit_free(unit);
    options.choices = UINT32_MAX;
    assert_fails(none, cairn_unit_new(&options, &none, NULL));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_captures),
        cmocka_unit_test(of_images),
        cmocka_unit_test(of_decoders),
        cmocka_unit_test(of_trace_units),
    };
    path = argc > 1 ? argv[1] : "";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
