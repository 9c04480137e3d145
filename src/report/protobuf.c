/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/protobuf.h"

#include <string.h>

#include "base/bytes.h"

enum {
    WIRE_VARINT = 0,
    WIRE_64 = 1,
    WIRE_BYTES = 2,
    VARINT_MOST = 10,
    HEAD_MOST = 2 * VARINT_MOST
};

static void put(struct cairn_protobuf *message, const void *bytes, size_t size)
{
    if (size == 0)
        return;
    memcpy(message->bytes + message->used, bytes, size);
    message->used += size;
}

static size_t room(const struct cairn_protobuf *message)
{
    return sizeof message->bytes - message->used;
}

void cairn_protobuf_varint(struct cairn_protobuf *message, uint64_t value)
{
    if (room(message) < VARINT_MOST)
        return;
    for (; value >= 0x80; value >>= 7)
        message->bytes[message->used++] = (uint8_t)(value | 0x80);
    message->bytes[message->used++] = (uint8_t)value;
}

void cairn_protobuf_number(struct cairn_protobuf *message, unsigned field, uint64_t value)
{
    if (room(message) < HEAD_MOST)
        return;
    cairn_protobuf_varint(message, (uint64_t)field << 3 | WIRE_VARINT);
    cairn_protobuf_varint(message, value);
}

void cairn_protobuf_double(struct cairn_protobuf *message, unsigned field, double value)
{
    uint8_t bytes[sizeof(uint64_t)];
    uint64_t bits;

    if (room(message) < HEAD_MOST)
        return;
    memcpy(&bits, &value, sizeof bits);
    cairn_store_le64(bytes, bits);
    cairn_protobuf_varint(message, (uint64_t)field << 3 | WIRE_64);
    put(message, bytes, sizeof bytes);
}

void cairn_protobuf_message(struct cairn_protobuf *message, unsigned field, size_t size)
{
    cairn_protobuf_varint(message, (uint64_t)field << 3 | WIRE_BYTES);
    cairn_protobuf_varint(message, size);
}

static void put_bytes(struct cairn_protobuf *message, unsigned field, const void *bytes,
                      size_t size)
{
    if (room(message) < HEAD_MOST || room(message) - HEAD_MOST < size)
        return;
    cairn_protobuf_message(message, field, size);
    put(message, bytes, size);
}

void cairn_protobuf_text(struct cairn_protobuf *message, unsigned field, const char *text)
{
    put_bytes(message, field, text, strlen(text));
}

void cairn_protobuf_nested(struct cairn_protobuf *message, unsigned field,
                           const struct cairn_protobuf *nested)
{
    put_bytes(message, field, nested->bytes, nested->used);
}
