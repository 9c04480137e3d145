/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of protocol buffers as they lie in memory, field by field. */
#ifndef CAIRN_REPORT_PROTOBUF_READ_H
#define CAIRN_REPORT_PROTOBUF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message, or what is left of it. */
struct cairn_protobuf_in {
    const uint8_t *at, *end;
    bool is_damaged; /* `at` is where the field begins that cannot be read */
};

/* What a field has: a number, or bytes, which are a text or another message. */
struct cairn_protobuf_field {
    uint32_t number;
    bool is_bytes;
    uint64_t value;
    struct cairn_protobuf_in bytes;
};

/* The next field; false at the end, or where it is damaged. Fields of a kind that is neither a number nor bytes are
 * passed over, but not groups, which are damage. */
bool cairn_protobuf_next(struct cairn_protobuf_in *in, struct cairn_protobuf_field *field);

static inline size_t cairn_protobuf_left(const struct cairn_protobuf_in *in)
{
    return (size_t)(in->end - in->at);
}

/* Whether it is that field, with a number, or with bytes; of another kind it is one that nobody knows. */
static inline bool cairn_protobuf_is_number(const struct cairn_protobuf_field *field,
                                            uint32_t number)
{
    return field->number == number && !field->is_bytes;
}

static inline bool cairn_protobuf_is_bytes(const struct cairn_protobuf_field *field,
                                           uint32_t number)
{
    return field->number == number && field->is_bytes;
}

#endif
