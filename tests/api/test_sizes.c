/* SPDX-License-Identifier: BSD-2-Clause */
/* What the library tells callers that are older than it, newer, or wrong: structures of information
 * end where the caller's do, and columns of structures have the steps that their batch says.
 *
 * usage: test_api_sizes CAPTURE */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn.h>

#define FILLING 0x5a

static const char *path;

/* Each call that fills a structure, under one type. */
struct subject {
    struct cairn_capture *capture;
    struct cairn_flow *flow;
    struct cairn_engine *engine;
    struct cairn_unit *unit;
    struct cairn_space *space;
};
typedef cairn_status ask(const struct subject *subject, void *info);

static cairn_status ask_source(const struct subject *subject, void *info)
{
    return cairn_capture_source(subject->capture, 0, info);
}

static cairn_status ask_buffer(const struct subject *subject, void *info)
{
    return cairn_capture_buffer(subject->capture, 0, info);
}

static cairn_status ask_layer(const struct subject *subject, void *info)
{
    return cairn_image_layer(cairn_capture_image(subject->capture), 0, info);
}

/* What calls without a status would say. */
static cairn_status told(const void *info)
{
    size_t size;

    memcpy(&size, info, sizeof size);
    return size ? CAIRN_OK : CAIRN_E_ARGUMENT;
}

static cairn_status ask_flow(const struct subject *subject, void *info)
{
    cairn_flow_state(subject->flow, info);
    return told(info);
}

static cairn_status ask_engine(const struct subject *subject, void *info)
{
    cairn_engine_statistics(subject->engine, info);
    return told(info);
}

static cairn_status ask_unit(const struct subject *subject, void *info)
{
    cairn_unit_counters(subject->unit, info);
    return told(info);
}

static cairn_status ask_symbol(const struct subject *subject, void *info)
{
    return cairn_symbolize(subject->space, UINT64_C(0x80000000), info);
}

static const struct information {
    ask *ask;
    size_t size;
} all[] = {
    {ask_source, sizeof(struct cairn_source_info)},
    {ask_buffer, sizeof(struct cairn_buffer_info)},
    {ask_layer, sizeof(struct cairn_layer_info)},
    {ask_flow, sizeof(struct cairn_flow_state)},
    {ask_engine, sizeof(struct cairn_engine_statistics)},
    {ask_unit, sizeof(struct cairn_unit_counters)},
    {ask_symbol, sizeof(struct cairn_symbol)},
};

static struct cairn_config *config_of(const struct cairn_capture *capture)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_config *config = NULL;

    assert_int_equal(cairn_capture_source(capture, 0, &info), CAIRN_OK);
    source.protocol = info.protocol;
    source.arch = info.arch;
    source.registers = info.registers;
    source.register_count = info.register_count;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

/* Asks a caller's structure of `size` bytes to be filled; its memory is larger, and was filled. */
static cairn_status fill(const struct subject *subject, const struct information *one, size_t size,
                         uint8_t memory[256])
{
    memset(memory, FILLING, 256);
    memcpy(memory, &size, sizeof size);
    return one->ask(subject, memory);
}

static bool is_filled(const uint8_t *memory, size_t from, size_t to, uint8_t with)
{
    while (from < to && memory[from] == with)
        from++;
    return from == to;
}

static void open_subject(struct subject *subject)
{
    const struct cairn_place place = {.security = CAIRN_NONSECURE};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    memset(subject, 0, sizeof *subject);
    options.arch = cairn_arch_any_a();
    assert_int_equal(cairn_capture_open(path, NULL, &subject->capture, NULL), CAIRN_OK);
    struct cairn_image *image = cairn_capture_image(subject->capture);
    struct cairn_config *config = config_of(subject->capture);
    assert_int_equal(cairn_flow_new(config, image, &subject->flow), CAIRN_OK);
    assert_int_equal(cairn_engine_new(config, image, NULL, &subject->engine), CAIRN_OK);
    assert_int_equal(cairn_unit_new(&options, &subject->unit, NULL), CAIRN_OK);
    assert_int_equal(cairn_space_new(image, &subject->space), CAIRN_OK);
    assert_int_equal(cairn_space_select(subject->space, &place), CAIRN_OK);
    cairn_config_unref(config);
}

static void close_subject(struct subject *subject)
{
    cairn_space_free(subject->space);
    cairn_unit_free(subject->unit);
    cairn_engine_free(subject->engine);
    cairn_flow_free(subject->flow);
    cairn_capture_free(subject->capture);
}

static void information_ends_where_the_callers_does(void **unused)
{
    struct subject subject;
    uint8_t whole[256], memory[256];
    (void)unused;

    open_subject(&subject);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const size_t size = all[i].size;
        assert_int_equal(fill(&subject, &all[i], size, whole), CAIRN_OK);
        assert_true(is_filled(whole, size, sizeof whole, FILLING));
        for (size_t less = sizeof size; less < size; less++) { /* an older caller */
            assert_int_equal(fill(&subject, &all[i], less, memory), CAIRN_OK);
            assert_memory_equal(memory + sizeof size, whole + sizeof size, less - sizeof size);
            assert_true(is_filled(memory, less, sizeof memory, FILLING));
        }
        assert_int_equal(fill(&subject, &all[i], size + 24, memory), CAIRN_OK); /* a newer one */
        assert_memory_equal(memory + sizeof size, whole + sizeof size, size - sizeof size);
        assert_true(is_filled(memory, size, size + 24, 0));
        assert_true(is_filled(memory, size + 24, sizeof memory, FILLING));
        assert_int_equal(fill(&subject, &all[i], 0, memory), CAIRN_E_ARGUMENT); /* a wrong one */
        assert_true(is_filled(memory, sizeof size, sizeof memory, FILLING));
    }
    close_subject(&subject);
}

/* All levels of a decoder with batches of `step` bytes more than the structures have. */
static void run_with_steps(const struct cairn_capture *capture, size_t more, cairn_status expected)
{
    static const uint8_t bytes[1] = {0};
    struct cairn_config *config = config_of(capture);
    struct cairn_packet_batch *packets = NULL;
    struct cairn_element_batch *elements = NULL, *resolved = NULL;
    struct cairn_packets *packet_decoder = NULL;
    struct cairn_elements *element_decoder = NULL;
    struct cairn_resolver *resolver = NULL;
    size_t at = 0;

    assert_int_equal(cairn_packet_batch_new(4, &packets), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(4, &elements), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(4, &resolved), CAIRN_OK);
    assert_int_equal(cairn_packets_new(config, &packet_decoder), CAIRN_OK);
    assert_int_equal(cairn_elements_new(config, &element_decoder), CAIRN_OK);
    assert_int_equal(cairn_resolver_new(config, &resolver), CAIRN_OK);
    packets->fields_size += more;
    assert_int_equal(cairn_packets_run(packet_decoder, bytes, 1, &at, packets), expected);
    assert_int_equal(cairn_packets_finish(packet_decoder, packets), expected);
    at = 0;
    assert_int_equal(cairn_elements_run(element_decoder, packets, &at, elements), expected);
    packets->fields_size -= more;
    elements->data_size += more;
    at = 0;
    assert_int_equal(cairn_elements_run(element_decoder, packets, &at, elements), expected);
    at = 0;
    assert_int_equal(cairn_resolver_run(resolver, elements, &at, resolved), expected);
    elements->data_size -= more;
    resolved->data_size += more;
    at = 0;
    assert_int_equal(cairn_resolver_run(resolver, elements, &at, resolved), expected);
    assert_int_equal(cairn_resolver_finish(resolver, resolved), expected);
    cairn_resolver_free(resolver);
    cairn_elements_free(element_decoder);
    cairn_packets_free(packet_decoder);
    cairn_element_batch_free(resolved);
    cairn_element_batch_free(elements);
    cairn_packet_batch_free(packets);
    cairn_config_unref(config);
}

/* The same of what follows them. */
static void follow_with_steps(struct cairn_capture *capture, size_t more, cairn_status expected)
{
    static const uint8_t bytes[1] = {0};
    struct cairn_config *config = config_of(capture);
    struct cairn_element_batch *elements = NULL;
    struct cairn_flow_batch *records = NULL;
    struct cairn_word_batch *words = NULL;
    struct cairn_flow *flow = NULL;
    struct cairn_engine *engine = NULL;
    size_t at = 0;

    assert_int_equal(cairn_element_batch_new(4, &elements), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(4, &records), CAIRN_OK);
    assert_int_equal(cairn_word_batch_new(64, true, &words), CAIRN_OK);
    assert_int_equal(cairn_flow_new(config, cairn_capture_image(capture), &flow), CAIRN_OK);
    assert_int_equal(cairn_engine_new(config, cairn_capture_image(capture), NULL, &engine),
                     CAIRN_OK);
    elements->data_size += more;
    assert_int_equal(cairn_flow_run(flow, elements, &at, records), expected);
    words->event_size += more;
    at = 0;
    assert_int_equal(cairn_engine_run(engine, bytes, 1, &at, words), expected);
    cairn_engine_free(engine);
    cairn_flow_free(flow);
    cairn_word_batch_free(words);
    cairn_flow_batch_free(records);
    cairn_element_batch_free(elements);
    cairn_config_unref(config);
}

static void columns_of_other_steps_are_refused(void **unused)
{
    struct cairn_capture *capture = NULL;
    (void)unused;

    assert_int_equal(cairn_capture_open(path, NULL, &capture, NULL), CAIRN_OK);
    run_with_steps(capture, 0, CAIRN_OK);
    run_with_steps(capture, 8, CAIRN_E_ARGUMENT);
    follow_with_steps(capture, 0, CAIRN_OK);
    follow_with_steps(capture, 8, CAIRN_E_ARGUMENT);
    cairn_capture_free(capture);
}

/* A batch made by a caller without the member: what is behind its own is none of the library's. */
static void a_batch_that_says_no_step_has_the_first(void **unused)
{
    static const uint8_t sync[12] = {[11] = 0x80};
    struct cairn_capture *capture = NULL;
    struct cairn_packets *packets = NULL;
    uint16_t kind[4];
    struct cairn_packet_fields fields[4];
    struct cairn_packet_batch batch = {.size = offsetof(struct cairn_packet_batch, fields_size),
                                       .capacity = 4,
                                       .kind = kind,
                                       .fields = fields,
                                       .fields_size = 1};
    size_t at = 0;
    (void)unused;

    assert_int_equal(cairn_capture_open(path, NULL, &capture, NULL), CAIRN_OK);
    struct cairn_config *config = config_of(capture);
    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packets_run(packets, sync, sizeof sync, &at, &batch), CAIRN_OK);
    assert_int_equal(batch.count, 1);
    batch.size = sizeof batch;
    assert_int_equal(cairn_packets_finish(packets, &batch), CAIRN_E_ARGUMENT);
    batch.fields_size = 0;
    assert_int_equal(cairn_packets_finish(packets, &batch), CAIRN_OK);
    cairn_packets_free(packets);
    cairn_config_unref(config);
    cairn_capture_free(capture);
}

/* A library to come, with larger structures, made these batches. */
static void accessors_take_the_steps_of_the_batch(void **unused)
{
    struct {
        struct cairn_packet_fields fields;
        uint64_t later;
    } fields[3] = {{.fields.count = 1}, {.fields.count = 2}, {.fields.count = 3}};
    struct {
        struct cairn_element_data data;
        uint64_t later;
    } data[3] = {{.data.value = 1}, {.data.value = 2}, {.data.value = 3}};
    struct {
        struct cairn_word_event event;
        uint64_t later;
    } event[3] = {{.event.value = 1}, {.event.value = 2}, {.event.value = 3}};
    struct cairn_packet_batch packets = {.fields = &fields[0].fields,
                                         .fields_size = sizeof *fields};
    struct cairn_element_batch elements = {.data = &data[0].data, .data_size = sizeof *data};
    struct cairn_word_batch words = {.event = &event[0].event, .event_size = sizeof *event};
    (void)unused;

    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(cairn_packet_fields_at(&packets, i)->count, i + 1);
        assert_int_equal(cairn_element_data_at(&elements, i)->value, i + 1);
        assert_int_equal(cairn_word_event_at(&words, i)->value, i + 1);
    }
    struct cairn_packet_fields plain[2] = {{.count = 1}, {.count = 2}};
    packets = (struct cairn_packet_batch){.fields = plain};
    assert_int_equal(cairn_packet_fields_at(&packets, 1)->count, 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(information_ends_where_the_callers_does),
        cmocka_unit_test(columns_of_other_steps_are_refused),
        cmocka_unit_test(a_batch_that_says_no_step_has_the_first),
        cmocka_unit_test(accessors_take_the_steps_of_the_batch),
    };
    path = argc > 1 ? argv[1] : "";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
