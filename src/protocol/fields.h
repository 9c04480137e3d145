/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of named values under construction: counts past its capacity, writes only inside it. */
#ifndef CAIRN_PROTOCOL_FIELDS_H
#define CAIRN_PROTOCOL_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include <cairn/packet.h>

struct cairn_field_list {
    struct cairn_field *fields; /* may be NULL with capacity 0 */
    size_t capacity;
    size_t count; /* how many there would be with room for all */
};

void cairn_fields_add(struct cairn_field_list *list, const char *name, enum cairn_field_type type,
                      uint64_t value);
/* `text` is static. */
void cairn_fields_add_text(struct cairn_field_list *list, const char *name, const char *text);
/* A text made for this field; what does not fit in text_space is cut. */
void cairn_fields_add_format(struct cairn_field_list *list, const char *name, const char *format,
                             ...) __attribute__((format(printf, 3, 4)));

/* EL and security, unless the source does not tell them, SF and, where asked for, VMID and
 * CONTEXTID. */
void cairn_fields_add_context(struct cairn_field_list *list, const struct cairn_config *config,
                              const struct cairn_context *context,
                              unsigned flags /* CAIRN_PACKET_HAS_VMID, _HAS_CONTEXT_ID */);

#endif
