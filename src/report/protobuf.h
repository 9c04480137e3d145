/* SPDX-License-Identifier: BSD-2-Clause */
/* Small messages of protocol buffers (the wire format of proto3): numbers, texts, messages in
 * messages. */
#ifndef CAIRN_REPORT_PROTOBUF_H
#define CAIRN_REPORT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#define CAIRN_PROTOBUF_BYTES 8192

/* A message. Begin it with `used` 0. What does not fit is left out whole. */
struct cairn_protobuf {
    size_t used;
    uint8_t bytes[CAIRN_PROTOBUF_BYTES];
};

/* A number without a field, as in packed lists. */
void cairn_protobuf_varint(struct cairn_protobuf *message, uint64_t value);
void cairn_protobuf_number(struct cairn_protobuf *message, unsigned field, uint64_t value);
void cairn_protobuf_double(struct cairn_protobuf *message, unsigned field, double value);
void cairn_protobuf_text(struct cairn_protobuf *message, unsigned field, const char *text);
void cairn_protobuf_nested(struct cairn_protobuf *message, unsigned field,
                           const struct cairn_protobuf *nested);
/* The head of a message of `size` bytes, which are the caller's to write. */
void cairn_protobuf_message(struct cairn_protobuf *message, unsigned field, size_t size);

#endif
