/* SPDX-License-Identifier: BSD-2-Clause */
/* The levels of a protocol as members of its table (protocol/protocol.h), where the functions of a level
 * take its own type, as those of cairn_etmv4_parser take a struct cairn_etmv4_parser: only the `void *`
 * is given its type back. */
#ifndef CAIRN_PROTOCOL_TYPED_H
#define CAIRN_PROTOCOL_TYPED_H

#include "protocol/protocol.h"

#define CAIRN_TYPED_LIFE(GROUP, TYPE)                                                              \
    static cairn_status GROUP##_new(struct cairn_config *config, void **state)                     \
    {                                                                                              \
        struct TYPE *made = NULL;                                                                  \
        const cairn_status status = TYPE##_new(config, &made);                                     \
                                                                                                   \
        *state = made;                                                                             \
        return status;                                                                             \
    }                                                                                              \
    static void GROUP##_free(void *state)                                                          \
    {                                                                                              \
        TYPE##_free(state);                                                                        \
    }

#define CAIRN_TYPED_PACKETS(TYPE)                                                                  \
    CAIRN_TYPED_LIFE(packets, TYPE)                                                                \
    static cairn_status packets_run(void *state, const uint8_t *data, size_t size,                 \
                                    size_t *position, struct cairn_packet_batch *batch)            \
    {                                                                                              \
        return TYPE##_run(state, data, size, position, batch);                                     \
    }                                                                                              \
    static cairn_status packets_finish(void *state, struct cairn_packet_batch *batch)              \
    {                                                                                              \
        return TYPE##_finish(state, batch);                                                        \
    }

#define CAIRN_TYPED_ELEMENTS(TYPE)                                                                 \
    CAIRN_TYPED_LIFE(elements, TYPE)                                                               \
    static cairn_status elements_run(void *state, const struct cairn_packet_batch *in,             \
                                     size_t *position, struct cairn_element_batch *out)            \
    {                                                                                              \
        return TYPE##_run(state, in, position, out);                                               \
    }

#define CAIRN_TYPED_RESOLVER(TYPE)                                                                 \
    CAIRN_TYPED_LIFE(resolver, TYPE)                                                               \
    static cairn_status resolver_run(void *state, const struct cairn_element_batch *in,            \
                                     size_t *position, struct cairn_element_batch *out)            \
    {                                                                                              \
        return TYPE##_run(state, in, position, out);                                               \
    }                                                                                              \
    static cairn_status resolver_finish(void *state, struct cairn_element_batch *out)              \
    {                                                                                              \
        return TYPE##_finish(state, out);                                                          \
    }

#define CAIRN_TYPED_WRITER(TYPE)                                                                   \
    CAIRN_TYPED_LIFE(writer, TYPE)                                                                 \
    static size_t writer_write(void *state, unsigned kind,                                         \
                               const struct cairn_packet_fields *fields, uint8_t *bytes,           \
                               size_t capacity)                                                    \
    {                                                                                              \
        return TYPE##_write(state, kind, fields, bytes, capacity);                                 \
    }

#define CAIRN_TYPED_ENCODER(TYPE)                                                                  \
    static cairn_status encoder_new(struct cairn_config *config, uint32_t choices, void **state)   \
    {                                                                                              \
        struct TYPE *made = NULL;                                                                  \
        const cairn_status status = TYPE##_new(config, choices, &made);                            \
                                                                                                   \
        *state = made;                                                                             \
        return status;                                                                             \
    }                                                                                              \
    static void encoder_free(void *state)                                                          \
    {                                                                                              \
        TYPE##_free(state);                                                                        \
    }                                                                                              \
    static void encoder_atom(void *state, bool taken, struct cairn_encoder_out *out)               \
    {                                                                                              \
        TYPE##_atom(state, taken, out);                                                            \
    }                                                                                              \
    static void encoder_put(void *state, unsigned kind, uint16_t flags,                            \
                            const struct cairn_element_data *data, struct cairn_encoder_out *out)  \
    {                                                                                              \
        TYPE##_put(state, kind, flags, data, out);                                                 \
    }                                                                                              \
    static void encoder_flush(void *state, struct cairn_encoder_out *out)                          \
    {                                                                                              \
        TYPE##_flush(state, out);                                                                  \
    }

/* All five levels of a protocol, by the beginning of their names. */
#define CAIRN_TYPED_LEVELS(PREFIX)                                                                 \
    CAIRN_TYPED_PACKETS(PREFIX##_parser)                                                           \
    CAIRN_TYPED_ELEMENTS(PREFIX##_elements)                                                        \
    CAIRN_TYPED_RESOLVER(PREFIX##_resolver)                                                        \
    CAIRN_TYPED_WRITER(PREFIX##_writer)                                                            \
    CAIRN_TYPED_ENCODER(PREFIX##_encoder)

/* For the initializer of a struct cairn_protocol. */
#define CAIRN_TYPED_MEMBERS                                                                        \
    .packets_new = packets_new, .packets_free = packets_free, .packets_run = packets_run,          \
    .packets_finish = packets_finish, .elements_new = elements_new,                                \
    .elements_free = elements_free, .elements_run = elements_run, .resolver_new = resolver_new,    \
    .resolver_free = resolver_free, .resolver_run = resolver_run,                                  \
    .resolver_finish = resolver_finish, .writer_new = writer_new, .writer_free = writer_free,      \
    .writer_write = writer_write, .encoder_new = encoder_new, .encoder_free = encoder_free,        \
    .encoder_atom = encoder_atom, .encoder_put = encoder_put, .encoder_flush = encoder_flush

#endif
