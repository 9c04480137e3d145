/* SPDX-License-Identifier: BSD-2-Clause */
/* The Micro Trace Buffer: what the files of this folder share. Nothing outside the folder includes
 * this file. Sections are DDI0486's. */
#ifndef CAIRN_PROTOCOL_MTB_MTB_H
#define CAIRN_PROTOCOL_MTB_MTB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/mtb.h>
#include <cairn/packet.h>

#include "protocol/protocol.h"

#define CAIRN_MTB_PACKET_SIZE 8u
#define CAIRN_MTB_FLAG 1u /* A in word 0, S in word 1: never a bit of the address */

/* How many kinds of packets there are. */
#define CAIRN_MTB_KIND_COUNT (0u CAIRN_MTB_PACKETS(CAIRN_COUNT_ONE))

/* The registers, decoded. */
struct cairn_mtb_config {
    bool has_position; /* else the dump is packets and nothing else, the oldest first */
    bool wrapped;      /* POSITION.WRAP: the whole ring is written, the oldest at the pointer */
    uint32_t pointer;  /* POSITION.POINTER: where the next packet would go, from BASE */
    bool has_master;
    uint64_t ring; /* MASTER.MASK: 2^(MASK + 4) bytes, naturally aligned; 0 without MASTER */
    bool enabled;  /* MASTER.EN */
    bool autostop; /* FLOW */
    bool autohalt;
    uint32_t watermark; /* FLOW.WATERMARK: as the pointer */
    uint32_t base;      /* BASE; 0: not given, or the part lacks it */
    bool has_dump;
    uint32_t dump; /* DUMP, which is no register: the address of the dump's first byte */
};

static inline const struct cairn_mtb_config *cairn_mtb_of(const struct cairn_config *config)
{
    return config->decoded;
}

/* Bytes of the trace that hold packets; UINT64_MAX when no register tells. */
static inline uint64_t cairn_mtb_written(const struct cairn_mtb_config *mtb)
{
    if (!mtb->has_position)
        return UINT64_MAX;
    return mtb->wrapped ? mtb->ring : mtb->pointer & (mtb->ring - 1);
}

/* Armv8-M: where a branch goes to in order to return to the other security state. */
#define CAIRN_MTB_FNC_RETURN UINT32_C(0xfefffffe)

/* Values that a branch goes to in order to return, and that are no code addresses. Bit 0 is gone.
 */
static inline bool cairn_mtb_is_exc_return(uint32_t address)
{
    return address >> 24 == 0xff && !(address & 2); /* 0xfffffffe, with bit 1, is lockup */
}

enum cairn_account cairn_mtb_account(unsigned kind);
extern const struct cairn_kind_name cairn_mtb_kind_names[CAIRN_MTB_KIND_COUNT];

/* What the two words are; fills what <cairn/mtb.h> names but CAIRN_MTB_JOINED. */
enum cairn_mtb_kind cairn_mtb_read(uint32_t word0, uint32_t word1,
                                   struct cairn_packet_fields *fields);

/* The rooms of the table: see protocol/protocol.h. */
cairn_status cairn_mtb_configure(const struct cairn_source_config *source,
                                 struct cairn_config *config, struct cairn_error *error);
cairn_status cairn_mtb_spans(const struct cairn_config *config, uint64_t size,
                             struct cairn_span spans[CAIRN_SPANS_MAX], size_t *count,
                             struct cairn_error *error);
size_t cairn_mtb_describe_config(const struct cairn_config *config, struct cairn_field *fields,
                                 size_t capacity);
size_t cairn_mtb_describe_packet(const struct cairn_config *config,
                                 const struct cairn_packet_batch *batch, size_t index,
                                 struct cairn_field *fields, size_t capacity);
cairn_status cairn_mtb_packets_new(struct cairn_config *config, void **state);
void cairn_mtb_packets_free(void *state);
cairn_status cairn_mtb_packets_run(void *state, const uint8_t *data, size_t size, size_t *position,
                                   struct cairn_packet_batch *batch);
cairn_status cairn_mtb_packets_finish(void *state, struct cairn_packet_batch *batch);
const char *cairn_mtb_exception_name(const struct cairn_config *config, unsigned type);
cairn_status cairn_mtb_elements_new(struct cairn_config *config, void **state);
void cairn_mtb_elements_free(void *state);
cairn_status cairn_mtb_elements_run(void *state, const struct cairn_packet_batch *in,
                                    size_t *position, struct cairn_element_batch *out);
cairn_status cairn_mtb_writer_new(struct cairn_config *config, void **state);
void cairn_mtb_writer_free(void *state);
size_t cairn_mtb_writer_write(void *state, unsigned kind, const struct cairn_packet_fields *fields,
                              uint8_t *bytes, size_t capacity);

extern const struct cairn_about cairn_mtb_about;

#endif
