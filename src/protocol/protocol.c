/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions of <cairn/packet.h> and <cairn/element.h> as calls of a protocol's table. */
#include "protocol/protocol.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Every protocol that this build decodes. */
static const struct cairn_protocol *const cairn_protocols[] = {
    &cairn_etmv4, &cairn_ete, &cairn_etmv3, &cairn_ptm, &cairn_mtb,
};

static const struct cairn_protocol *find_protocol(enum cairn_protocol_id id)
{
    for (size_t i = 0; i < sizeof cairn_protocols / sizeof *cairn_protocols; i++)
        if (cairn_protocols[i]->id == id)
            return cairn_protocols[i];
    return NULL;
}

const char *cairn_protocol_name(enum cairn_protocol_id protocol)
{
    switch (protocol) {
    case CAIRN_PROTOCOL_UNKNOWN: break;
    case CAIRN_PROTOCOL_ETMV4: return "ETMv4";
    case CAIRN_PROTOCOL_ETE: return "ETE";
    case CAIRN_PROTOCOL_ETMV3: return "ETMv3";
    case CAIRN_PROTOCOL_PTM: return "PTM";
    case CAIRN_PROTOCOL_STM: return "STM";
    case CAIRN_PROTOCOL_ITM: return "ITM";
    case CAIRN_PROTOCOL_MTB: return "MTB";
    }
    return "unknown";
}

bool cairn_protocol_has_flow(const struct cairn_protocol *protocol)
{
    return protocol->elements_new != NULL;
}

bool cairn_protocol_decodes(enum cairn_protocol_id protocol)
{
    const struct cairn_protocol *found = find_protocol(protocol);

    return found && cairn_protocol_has_flow(found);
}

bool cairn_protocol_decodes_packets(enum cairn_protocol_id protocol)
{
    return find_protocol(protocol) != NULL;
}

void cairn_config_add_note(struct cairn_config *config, const char *format, ...)
{
    if (config->note_count == CAIRN_CONFIG_NOTES_MAX)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(config->notes[config->note_count], CAIRN_CONFIG_NOTE_TEXT, format, arguments);
    va_end(arguments);
    config->note_count++;
}

cairn_status cairn_config_new(const struct cairn_source_config *source,
                              struct cairn_config **config, struct cairn_error *error)
{
    if (!source || !config || source->size < sizeof *source ||
        (source->register_count != 0 && !source->registers))
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "cairn_config_new: begin with CAIRN_SOURCE_CONFIG_INIT and give the "
                          "registers and a place for the result");
    const struct cairn_protocol *protocol = find_protocol(source->protocol);
    if (!protocol)
        return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                          "protocol %s is not decoded, and others are, ETMv4 and ETE first of all: "
                          "give one of them if the source is of another type than the capture says",
                          cairn_protocol_name(source->protocol));

    struct cairn_config *made = calloc(1, sizeof *made);
    if (!made)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for the configuration of a source");
    atomic_init(&made->references, 1);
    made->protocol = protocol;
    made->arch = source->arch;
    made->source = source->source;
    cairn_status status = protocol->configure(source, made, error);
    if (status != CAIRN_OK) {
        cairn_config_unref(made);
        return status;
    }
    *config = made;
    return CAIRN_OK;
}

struct cairn_config *cairn_config_ref(struct cairn_config *config)
{
    atomic_fetch_add_explicit(&config->references, 1, memory_order_relaxed);
    return config;
}

void cairn_config_unref(struct cairn_config *config)
{
    if (!config || atomic_fetch_sub_explicit(&config->references, 1, memory_order_acq_rel) != 1)
        return;
    free(config->decoded);
    free(config);
}

const char *cairn_config_note(const struct cairn_config *config, size_t index)
{
    return index < config->note_count ? config->notes[index] : NULL;
}

enum cairn_protocol_id cairn_config_protocol(const struct cairn_config *config)
{
    return config->protocol->id;
}

const struct cairn_arch *cairn_config_arch(const struct cairn_config *config)
{
    return &config->arch;
}

uint32_t cairn_config_source(const struct cairn_config *config)
{
    return config->source;
}

size_t cairn_config_describe(const struct cairn_config *config, struct cairn_field *fields,
                             size_t capacity)
{
    return config->protocol->describe_config(config, fields, capacity);
}

cairn_status cairn_config_spans(const struct cairn_config *config, uint64_t size,
                                struct cairn_span spans[CAIRN_SPANS_MAX], size_t *count,
                                struct cairn_error *error)
{
    if (config->protocol->spans)
        return config->protocol->spans(config, size, spans, count, error);
    spans[0] = (struct cairn_span){.offset = 0, .length = size};
    *count = size != 0;
    return CAIRN_OK;
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
    return config->protocol->describe_packet(config, batch, index, fields, capacity);
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
struct cairn_hot_taker {
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
CAIRN_DEFINE_LIFE(cairn_hot_taker, taker)

cairn_status cairn_packets_run(struct cairn_packets *packets, const uint8_t *data, size_t size,
                               size_t *position, struct cairn_packet_batch *batch)
{
    return packets->config->protocol->packets_run(packets->state, data, size, position, batch);
}

cairn_status cairn_packets_finish(struct cairn_packets *packets, struct cairn_packet_batch *batch)
{
    return packets->config->protocol->packets_finish(packets->state, batch);
}

cairn_status cairn_elements_run(struct cairn_elements *elements,
                                const struct cairn_packet_batch *in, size_t *position,
                                struct cairn_element_batch *out)
{
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
    return resolver->config->protocol->resolver_run(resolver->state, in, position, out);
}

cairn_status cairn_resolver_finish(struct cairn_resolver *resolver, struct cairn_element_batch *out)
{
    return resolver->config->protocol->resolver_finish(resolver->state, out);
}

size_t cairn_packet_write(struct cairn_packet_writer *writer, unsigned kind,
                          const struct cairn_packet_fields *fields, uint8_t *bytes, size_t capacity)
{
    return writer->config->protocol->writer_write(writer->state, kind, fields, bytes, capacity);
}

bool cairn_hot_table(const struct cairn_config *config, struct cairn_hot_table *table)
{
    return config->protocol->hot_table && config->protocol->hot_table(config, table);
}

enum cairn_hot_take cairn_hot_take(struct cairn_hot_taker *taker, struct cairn_hot_state *state,
                                   const uint8_t *bytes, size_t size, uint64_t offset,
                                   size_t *length, enum cairn_account *account,
                                   struct cairn_element_batch *out)
{
    return taker->config->protocol->take(taker->state, state, bytes, size, offset, length, account,
                                         out);
}

bool cairn_levels_plain_stands(const struct cairn_packets *packets,
                               const struct cairn_elements *elements, const uint8_t *data,
                               size_t size, size_t position, size_t *unused)
{
    return packets->config->protocol->plain_stands(packets->state, elements->state, data, size,
                                                   position, unused);
}

void cairn_levels_plain_settle(struct cairn_resolver *resolver)
{
    if (resolver->config->protocol->plain_settle)
        resolver->config->protocol->plain_settle(resolver->state);
}

uint64_t cairn_levels_plain_release(struct cairn_resolver *resolver, uint64_t *offset)
{
    if (!resolver->config->protocol->plain_release)
        return 0;
    return resolver->config->protocol->plain_release(resolver->state, offset);
}

void cairn_levels_plain_hold(struct cairn_resolver *resolver, uint64_t offset, uint64_t waits)
{
    resolver->config->protocol->plain_hold(resolver->state, offset, waits);
}

size_t cairn_levels_plain_run(struct cairn_packets *packets, struct cairn_elements *elements,
                              const uint8_t *data, size_t size, struct cairn_scan_batch *batch,
                              struct cairn_scan_ledger *ledger)
{
    return packets->config->protocol->plain_run(packets->state, elements->state, data, size, batch,
                                                ledger);
}

struct cairn_branch_place cairn_levels_plain_place(struct cairn_packets *packets)
{
    return packets->config->protocol->plain_place(packets->state);
}

void cairn_levels_plain_skip(struct cairn_packets *packets, struct cairn_elements *elements,
                             size_t bytes, uint64_t last, const struct cairn_branch_place *place)
{
    packets->config->protocol->plain_skip(packets->state, elements->state, bytes, last, place);
}

size_t cairn_levels_plain_between(struct cairn_packets *packets, size_t skipped,
                                  const struct cairn_branch_place *place, const uint8_t *bytes,
                                  size_t size, struct cairn_packet_batch *batch)
{
    return packets->config->protocol->plain_between(packets->state, skipped, place, bytes, size,
                                                    batch);
}

bool cairn_levels_stand(const struct cairn_packets *packets, const struct cairn_elements *elements,
                        const struct cairn_resolver *resolver, uint64_t *offset,
                        struct cairn_hot_state *state)
{
    return packets->config->protocol->levels_stand(packets->state, elements->state, resolver->state,
                                                   offset, state);
}

bool cairn_levels_settle(struct cairn_resolver *resolver, struct cairn_element_batch *out)
{
    return resolver->config->protocol->levels_settle(resolver->state, out);
}

void cairn_levels_resume(struct cairn_packets *packets, struct cairn_elements *elements,
                         struct cairn_resolver *resolver, uint64_t offset,
                         const struct cairn_hot_state *state)
{
    packets->config->protocol->levels_resume(packets->state, elements->state, resolver->state,
                                             offset, state);
}
