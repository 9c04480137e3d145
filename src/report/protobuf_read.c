/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/protobuf_read.h"

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

#define VARINT_BITS 7u
#define VARINT_MOST 70u /* bits: those beyond 64 are dropped */

static bool take_varint(struct cairn_protobuf_in *in, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < VARINT_MOST && in->at < in->end; shift += VARINT_BITS) {
        const uint8_t byte = *in->at++;

        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

static bool take_size(struct cairn_protobuf_in *in, uint64_t size)
{
    if (size > cairn_protobuf_left(in))
        return false;
    in->at += size;
    return true;
}

static bool take_field(struct cairn_protobuf_in *in, struct cairn_protobuf_field *field,
                       bool *is_known)
{
    uint64_t tag, value;

    if (!take_varint(in, &tag) || tag > UINT32_MAX || !(tag >> 3))
        return false;
    *field = (struct cairn_protobuf_field){.number = (uint32_t)(tag >> 3)};
    *is_known = true;
    switch (tag & 7) {
    case WIRE_VARINT: return take_varint(in, &field->value);
    case WIRE_BYTES:
        field->is_bytes = true;
        if (!take_varint(in, &value))
            return false;
        field->bytes.at = in->at;
        if (!take_size(in, value))
            return false;
        field->bytes.end = in->at;
        return true;
    case WIRE_64: *is_known = false; return take_size(in, 8);
    case WIRE_32: *is_known = false; return take_size(in, 4);
    default: return false;
    }
}

bool cairn_protobuf_next(struct cairn_protobuf_in *in, struct cairn_protobuf_field *field)
{
    bool is_known = false;

    while (!is_known) {
        const uint8_t *const begin = in->at;

        if (in->is_damaged || in->at == in->end)
            return false;
        if (!take_field(in, field, &is_known)) {
            in->at = begin;
            in->is_damaged = true;
            return false;
        }
    }
    return true;
}
