/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions of <cairn/packet.h> and <cairn/element.h> as calls of a protocol's table. */
#include "protocol/protocol.h"

#include <stdlib.h>

#include "base/sizes.h"

enum cairn_depth cairn_depth_of(const struct cairn_protocol *protocol)
{
    if (!protocol->packets_new)
        return CAIRN_DEPTH_NONE;
    if (!protocol->elements_new)
        return CAIRN_DEPTH_PACKETS;
    return protocol->about->no_flow ? CAIRN_DEPTH_ELEMENTS : CAIRN_DEPTH_FLOW;
}

const char *cairn_packet_name(const struct cairn_config *config, unsigned kind)
{
    return kind < config->protocol->kind_count ? config->protocol->kinds[kind].name : "Unknown";
}

const char *cairn_packet_mnemonic(const struct cairn_config *config, unsigned kind)
{
    return kind < config->protocol->kind_count ? config->protocol->kinds[kind].mnemonic : "UNKNOWN";
}

size_t cairn_packet_describe(const struct cairn_config *config,
                             const struct cairn_packet_batch *batch, size_t index,
                             struct cairn_field *fields, size_t capacity)
{
    return config->protocol->describe_packet
               ? config->protocol->describe_packet(config, batch, index, fields, capacity)
               : 0;
}

size_t cairn_find_sync(const struct cairn_config *config, const uint8_t *data, size_t size,
                       size_t from)
{
    return from < size && config->protocol->find_sync
               ? config->protocol->find_sync(data, size, from)
               : size;
}

/* The public decoder objects: a protocol's own state and the configuration that says whose. The
 * five types are the same shape, and stay different types so that a caller cannot mix them up. */
struct cairn_packets {
    struct cairn_config *config;
    void *state;
};
struct cairn_elements {
    struct cairn_config *config;
    void *state;
};
struct cairn_resolver {
    struct cairn_config *config;
    void *state;
};
struct cairn_packet_writer {
    struct cairn_config *config;
    void *state;
};

/* TYPE_new and TYPE_free of one of them. A protocol may lack the group: packets only. */
#define CAIRN_DEFINE_LIFE(TYPE, GROUP)                                                             \
    cairn_status TYPE##_new(struct cairn_config *config, struct TYPE **made)                       \
    {                                                                                              \
        if (!config || !made)                                                                      \
            return CAIRN_E_ARGUMENT;                                                               \
        if (!config->protocol->GROUP##_new)                                                        \
            return CAIRN_E_UNSUPPORTED;                                                            \
        struct TYPE *object = calloc(1, sizeof *object);                                           \
        if (!object)                                                                               \
            return CAIRN_E_MEMORY;                                                                 \
        cairn_status status = config->protocol->GROUP##_new(config, &object->state);               \
        if (status != CAIRN_OK) {                                                                  \
            free(object);                                                                          \
            return status;                                                                         \
        }                                                                                          \
        object->config = cairn_config_ref(config);                                                 \
        *made = object;                                                                            \
        return CAIRN_OK;                                                                           \
    }                                                                                              \
    void TYPE##_free(struct TYPE *object)                                                          \
    {                                                                                              \
        if (!object)                                                                               \
            return;                                                                                \
        object->config->protocol->GROUP##_free(object->state);                                     \
        cairn_config_unref(object->config);                                                        \
        free(object);                                                                              \
    }

CAIRN_DEFINE_LIFE(cairn_packets, packets)
CAIRN_DEFINE_LIFE(cairn_elements, elements)
CAIRN_DEFINE_LIFE(cairn_resolver, resolver)
CAIRN_DEFINE_LIFE(cairn_packet_writer, writer)

/* Columns of structures that are as this library has them. */
static bool has_own_fields(const struct cairn_packet_batch *batch)
{
    return CAIRN_ROWS_FIT(struct cairn_packet_batch, batch, fields, fields_size);
}

/* What elements are made of. */
static bool has_columns(const struct cairn_packet_batch *batch)
{
    return batch->offset && batch->length && batch->kind && batch->fields;
}

static bool has_own_data(const struct cairn_element_batch *batch)
{
    return CAIRN_ROWS_FIT(struct cairn_element_batch, batch, data, data_size);
}

cairn_status cairn_packets_run(struct cairn_packets *packets, const uint8_t *data, size_t size,
                               size_t *position, struct cairn_packet_batch *batch)
{
    if (!has_own_fields(batch))
        return CAIRN_E_ARGUMENT;
    return packets->config->protocol->packets_run(packets->state, data, size, position, batch);
}

cairn_status cairn_packets_finish(struct cairn_packets *packets, struct cairn_packet_batch *batch)
{
    if (!has_own_fields(batch))
        return CAIRN_E_ARGUMENT;
    return packets->config->protocol->packets_finish(packets->state, batch);
}

cairn_status cairn_elements_run(struct cairn_elements *elements,
                                const struct cairn_packet_batch *in, size_t *position,
                                struct cairn_element_batch *out)
{
    if (!has_own_fields(in) || !has_own_data(out) || !has_columns(in) || *position > in->count)
        return CAIRN_E_ARGUMENT;
    return elements->config->protocol->elements_run(elements->state, in, position, out);
}

void cairn_elements_shorten(struct cairn_elements *elements)
{
    if (elements->config->protocol->elements_shorten)
        elements->config->protocol->elements_shorten(elements->state);
}

uint32_t cairn_elements_depth(const struct cairn_elements *elements)
{
    const struct cairn_protocol *protocol = elements->config->protocol;

    return protocol->elements_depth ? protocol->elements_depth(elements->state) : 0;
}

cairn_status cairn_resolver_run(struct cairn_resolver *resolver,
                                const struct cairn_element_batch *in, size_t *position,
                                struct cairn_element_batch *out)
{
    if (!has_own_data(in) || !has_own_data(out))
        return CAIRN_E_ARGUMENT;
    return resolver->config->protocol->resolver_run(resolver->state, in, position, out);
}

cairn_status cairn_resolver_finish(struct cairn_resolver *resolver, struct cairn_element_batch *out)
{
    if (!has_own_data(out))
        return CAIRN_E_ARGUMENT;
    return resolver->config->protocol->resolver_finish(resolver->state, out);
}

size_t cairn_packet_write(struct cairn_packet_writer *writer, unsigned kind,
                          const struct cairn_packet_fields *fields, uint8_t *bytes, size_t capacity)
{
    return writer->config->protocol->writer_write(writer->state, kind, fields, bytes, capacity);
}
