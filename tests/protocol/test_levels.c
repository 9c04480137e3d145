/* SPDX-License-Identifier: BSD-2-Clause */
/* Each level refuses batches whose rows are of another size than this library's, on either side, and
 * takes those that are its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/element.h>
#include <cairn/packet.h>

struct levels {
    struct cairn_packets *packets;
    struct cairn_elements *elements;
    struct cairn_resolver *resolver;
    struct cairn_packet_batch *taken;
    struct cairn_element_batch *raw, *resolved;
};

static struct cairn_config *configure(enum cairn_protocol_id protocol)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = protocol;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

static struct levels begin(struct cairn_config *config)
{
    struct levels l = {0};

    assert_int_equal(cairn_packets_new(config, &l.packets), CAIRN_OK);
    assert_int_equal(cairn_elements_new(config, &l.elements), CAIRN_OK);
    assert_int_equal(cairn_resolver_new(config, &l.resolver), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(16, &l.taken), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(16, &l.raw), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(16, &l.resolved), CAIRN_OK);
    return l;
}

static void end(struct levels *l)
{
    cairn_packets_free(l->packets);
    cairn_elements_free(l->elements);
    cairn_resolver_free(l->resolver);
    cairn_packet_batch_free(l->taken);
    cairn_element_batch_free(l->raw);
    cairn_element_batch_free(l->resolved);
}

/* What each level answers, where the rows of some batches have sizes of their own. */
static void check(enum cairn_protocol_id protocol, size_t fields, size_t raw, size_t resolved)
{
    static const uint8_t bytes[4] = {0};
    struct cairn_config *config = configure(protocol);
    struct levels l = begin(config);
    size_t position = 0, at = 0, raw_at = 0;

    l.taken->fields_size += fields;
    l.raw->data_size += raw;
    l.resolved->data_size += resolved;
    assert_int_equal(cairn_packets_run(l.packets, bytes, sizeof bytes, &position, l.taken),
                     fields ? CAIRN_E_ARGUMENT : CAIRN_OK);
    assert_int_equal(cairn_packets_finish(l.packets, l.taken),
                     fields ? CAIRN_E_ARGUMENT : CAIRN_OK);
    assert_int_equal(cairn_elements_run(l.elements, l.taken, &at, l.raw),
                     fields || raw ? CAIRN_E_ARGUMENT : CAIRN_OK);
    assert_int_equal(cairn_resolver_run(l.resolver, l.raw, &raw_at, l.resolved),
                     raw || resolved ? CAIRN_E_ARGUMENT : CAIRN_OK);
    assert_int_equal(cairn_resolver_finish(l.resolver, l.resolved),
                     resolved ? CAIRN_E_ARGUMENT : CAIRN_OK);
    l.taken->fields_size -= fields;
    l.raw->data_size -= raw;
    l.resolved->data_size -= resolved;
    end(&l);
    cairn_config_unref(config);
}

static void test_sizes(void **state)
{
    static const enum cairn_protocol_id protocols[] = {CAIRN_PROTOCOL_ETE, CAIRN_PROTOCOL_ETMV4,
                                                       CAIRN_PROTOCOL_ETMV3, CAIRN_PROTOCOL_PTM,
                                                       CAIRN_PROTOCOL_MTB};

    (void)state;
    for (size_t p = 0; p < sizeof protocols / sizeof protocols[0]; p++)
        for (unsigned foreign = 0; foreign < 8; foreign++)
            check(protocols[p], foreign & 1 ? 8 : 0, foreign & 2 ? 8 : 0, foreign & 4 ? 8 : 0);
}

/* Elements are made of four columns, and of packets that are there. */
static void test_columns(void **state)
{
    static const enum cairn_protocol_id protocols[] = {CAIRN_PROTOCOL_ETE, CAIRN_PROTOCOL_ETMV4,
                                                       CAIRN_PROTOCOL_ETMV3, CAIRN_PROTOCOL_PTM,
                                                       CAIRN_PROTOCOL_MTB};

    (void)state;
    for (size_t p = 0; p < sizeof protocols / sizeof protocols[0]; p++) {
        struct cairn_config *config = configure(protocols[p]);
        struct levels l = begin(config);
        for (unsigned absent = 0; absent < 5; absent++) {
            struct cairn_packet_batch some = *l.taken;
            size_t at = absent == 4;
            if (absent == 0)
                some.offset = NULL;
            if (absent == 1)
                some.length = NULL;
            if (absent == 2)
                some.kind = NULL;
            if (absent == 3)
                some.fields = NULL;
            assert_int_equal(cairn_elements_run(l.elements, &some, &at, l.raw), CAIRN_E_ARGUMENT);
        }
        size_t at = 0;
        assert_int_equal(cairn_elements_run(l.elements, l.taken, &at, l.raw), CAIRN_OK);
        end(&l);
        cairn_config_unref(config);
    }
}

/* Nothing to make it of, or no place for it. */
static void test_arguments(void **state)
{
    struct cairn_config *config = configure(CAIRN_PROTOCOL_ETE);
    struct cairn_packets *packets = NULL;
    struct cairn_elements *elements = NULL;
    struct cairn_resolver *resolver = NULL;
    struct cairn_packet_writer *writer = NULL;

    (void)state;
    assert_int_equal(cairn_packets_new(NULL, &packets), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_packets_new(config, NULL), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_elements_new(NULL, &elements), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_elements_new(config, NULL), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_resolver_new(NULL, &resolver), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_resolver_new(config, NULL), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_packet_writer_new(NULL, &writer), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_packet_writer_new(config, NULL), CAIRN_E_ARGUMENT);
    cairn_packets_free(NULL);
    cairn_elements_free(NULL);
    cairn_resolver_free(NULL);
    cairn_packet_writer_free(NULL);
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_arguments),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
