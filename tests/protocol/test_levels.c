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

#include "protocol/protocol.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const enum cairn_protocol_id every[] = {CAIRN_PROTOCOL_ETE, CAIRN_PROTOCOL_ETMV4,
                                               CAIRN_PROTOCOL_ETMV3, CAIRN_PROTOCOL_PTM,
                                               CAIRN_PROTOCOL_MTB};

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
    (void)state;
    for (size_t p = 0; p < COUNT_OF(every); p++)
        for (unsigned foreign = 0; foreign < 8; foreign++)
            check(every[p], foreign & 1 ? 8 : 0, foreign & 2 ? 8 : 0, foreign & 4 ? 8 : 0);
}

/* Elements are made of four columns, and of packets that are there. */
static void test_columns(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT_OF(every); p++) {
        struct cairn_config *config = configure(every[p]);
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

/* --- what an object keeps of its configuration --- */

enum { HELD = 8 }; /* references of the test's own: what gives back too many frees nothing */

static size_t references(struct cairn_config *config)
{
    return atomic_load(&config->references);
}

/* One object of a protocol's own: as long as it is there the configuration is held
 * (<cairn/packet.h>: shared by every decoder of the source), and then given back. One that has no
 * state needs none. */
#define HOLDS(CONFIG, NEEDED, GROUP, ...)                                                          \
    do {                                                                                           \
        void *made = NULL;                                                                         \
        if (!(CONFIG)->protocol->GROUP##_new)                                                      \
            break;                                                                                 \
        assert_int_equal((CONFIG)->protocol->GROUP##_new(CONFIG, __VA_ARGS__ &made), CAIRN_OK);    \
        assert_true(!made || !(NEEDED) || references(CONFIG) > HELD);                              \
        (CONFIG)->protocol->GROUP##_free(made);                                                    \
        assert_int_equal(references(CONFIG), HELD);                                                \
    } while (0)

static void test_references(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT_OF(every); p++) {
        struct cairn_config *config = configure(every[p]);
        struct cairn_word_bytes bytes = {0};

        for (unsigned i = 1; i < HELD; i++)
            cairn_config_ref(config);
        HOLDS(config, true, packets, );
        /* what MTB's packets mean does not depend on the registers */
        HOLDS(config, every[p] != CAIRN_PROTOCOL_MTB, elements, );
        HOLDS(config, true, resolver, );
        HOLDS(config, true, writer, );
        HOLDS(config, true, encoder, 0, );
        HOLDS(config, true, scan, );
        HOLDS(config, true, reader, &bytes, );
        for (unsigned i = 0; i < HELD; i++)
            cairn_config_unref(config);
    }
}

/* The caller's reference may be the first to go. */
static void test_config_unref(void **state)
{
    static const uint8_t bytes[16] = {0};

    (void)state;
    for (size_t p = 0; p < COUNT_OF(every); p++) {
        struct cairn_config *config = configure(every[p]);
        struct levels l = begin(config);
        size_t position = 0, at = 0, raw_at = 0;

        cairn_config_unref(config);
        assert_int_equal(cairn_packets_run(l.packets, bytes, sizeof bytes, &position, l.taken),
                         CAIRN_OK);
        assert_int_equal(cairn_packets_finish(l.packets, l.taken), CAIRN_OK);
        assert_int_equal(cairn_elements_run(l.elements, l.taken, &at, l.raw), CAIRN_OK);
        assert_int_equal(cairn_resolver_run(l.resolver, l.raw, &raw_at, l.resolved), CAIRN_OK);
        end(&l);
    }
}

/* --- descriptions --- */

/* What is to be written nowhere is counted (<cairn/packet.h>: at most `capacity` are written); a
 * packet is described by its kind and fields, and by nothing less. */
static void check_packet(const struct cairn_config *config, struct cairn_packet_batch *batch)
{
    struct cairn_field fields[40];
    struct cairn_packet_batch lacking = *batch;
    const size_t count = cairn_packet_describe(config, batch, 0, fields, COUNT_OF(fields));

    assert_true(count <= COUNT_OF(fields));
    assert_int_equal(cairn_packet_describe(config, batch, 0, NULL, 0), count);
    assert_int_equal(cairn_packet_describe(config, batch, 0, NULL, COUNT_OF(fields)), count);
    assert_int_equal(cairn_packet_describe(config, batch, 0, fields, 0), count);
    assert_int_equal(cairn_packet_describe(config, batch, batch->count, NULL, 0), 0);
    lacking.kind = NULL;
    assert_int_equal(cairn_packet_describe(config, &lacking, 0, fields, COUNT_OF(fields)), 0);
    lacking.fields = NULL;
    assert_int_equal(cairn_packet_describe(config, &lacking, 0, fields, COUNT_OF(fields)), 0);
    lacking.kind = batch->kind;
    assert_int_equal(cairn_packet_describe(config, &lacking, 0, fields, COUNT_OF(fields)), 0);
}

static void check_element(const struct cairn_config *config, struct cairn_element_batch *batch)
{
    struct cairn_field fields[40];
    const size_t count = cairn_element_describe(config, batch, 0, fields, COUNT_OF(fields));

    assert_true(count <= COUNT_OF(fields));
    assert_int_equal(cairn_element_describe(config, batch, 0, NULL, 0), count);
    assert_int_equal(cairn_element_describe(config, batch, 0, NULL, COUNT_OF(fields)), count);
    assert_int_equal(cairn_element_describe(config, batch, 0, fields, 0), count);
    assert_int_equal(cairn_element_describe(config, batch, batch->count, NULL, 0), 0);
    for (unsigned absent = 1; absent < 8; absent++) {
        struct cairn_element_batch lacking = *batch;

        if (absent & 1)
            lacking.kind = NULL;
        if (absent & 2)
            lacking.flags = NULL;
        if (absent & 4)
            lacking.data = NULL;
        assert_int_equal(cairn_element_describe(config, &lacking, 0, fields, COUNT_OF(fields)), 0);
    }
}

static void test_describe(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT_OF(every); p++) {
        struct cairn_config *config = configure(every[p]);
        struct levels l = begin(config);
        struct cairn_field fields[40];
        const size_t count = cairn_config_describe(config, fields, COUNT_OF(fields));

        assert_true(count <= COUNT_OF(fields));
        assert_int_equal(cairn_config_describe(config, NULL, 0), count);
        assert_int_equal(cairn_config_describe(config, NULL, COUNT_OF(fields)), count);
        assert_int_equal(cairn_config_describe(config, fields, 0), count);
        l.taken->count = 1;
        for (unsigned kind = 0; kind < config->protocol->kind_count; kind++)
            for (unsigned set = 0; set < 2; set++) {
                l.taken->kind[0] = (uint16_t)kind;
                l.taken->fields[0] =
                    (struct cairn_packet_fields){.flags = set ? 0xfffff : 0, .atom_count = 1};
                check_packet(config, l.taken);
            }
        l.raw->count = 1;
        for (unsigned kind = 0; kind <= CAIRN_ELEMENT_CANCELLED; kind++)
            for (unsigned set = 0; set < 2; set++) {
                l.raw->kind[0] = (uint8_t)kind;
                l.raw->flags[0] = set ? 0x7fff : 0;
                l.raw->data[0] = (struct cairn_element_data){0};
                check_element(config, l.raw);
            }
        end(&l);
        cairn_config_unref(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_arguments),    cmocka_unit_test(test_references),
        cmocka_unit_test(test_config_unref), cmocka_unit_test(test_describe),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
