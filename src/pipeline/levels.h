/* SPDX-License-Identifier: BSD-2-Clause */
/* One source through the levels of the reference path, batch by batch: bytes -> packets -> elements
 * -> resolved elements -> flow. Pulled; keeps the ledger. */
#ifndef CAIRN_PIPELINE_LEVELS_H
#define CAIRN_PIPELINE_LEVELS_H

#include <cairn/pipeline.h>

#include "pipeline/intake.h"

struct cairn_level_stream;

/* `image` counts for CAIRN_LEVEL_FLOW only. The intake stays the caller's. */
CAIRN_MUST_CHECK cairn_status cairn_level_stream_new(struct cairn_config *config,
                                                     struct cairn_image *image,
                                                     enum cairn_level level,
                                                     struct cairn_intake *intake,
                                                     struct cairn_level_stream **levels);
void cairn_level_stream_free(struct cairn_level_stream *levels); /* NULL is fine */

/* The first byte that the intake gives is at this offset of the source. Before the first batch. */
void cairn_level_stream_begin_at(struct cairn_level_stream *levels, uint64_t offset);

/* Refills the level's batch; its count is 0 when the source has ended. */
CAIRN_MUST_CHECK cairn_status cairn_level_stream_next(struct cairn_level_stream *levels);

/* The batch that the last cairn_level_stream_next filled; only the one of the level. */
const struct cairn_packet_batch *
cairn_level_stream_packets(const struct cairn_level_stream *levels);
const struct cairn_element_batch *
cairn_level_stream_elements(const struct cairn_level_stream *levels);
/* The caller may change it until the next one. */
struct cairn_flow_batch *cairn_level_stream_flow(const struct cairn_level_stream *levels);

/* The first bytes of a packet of the current batch: returns how many were kept, at most
 * `capacity` and CAIRN_PACKET_BYTES_KEPT. For CAIRN_LEVEL_PACKETS. */
size_t cairn_level_stream_bytes(const struct cairn_level_stream *levels, uint64_t offset,
                                uint64_t length, uint8_t *bytes, size_t capacity);

/* Every byte read so far, by account; complete when the source has ended. */
const struct cairn_ledger *cairn_level_stream_ledger(const struct cairn_level_stream *levels);

uint64_t cairn_level_stream_source_bytes(const struct cairn_level_stream *levels); /* read so far */

#endif
