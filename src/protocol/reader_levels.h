/* SPDX-License-Identifier: BSD-2-Clause */
/* The levels of the reference path up to resolved elements, and the one pump through them: behind a decoder,
 * and behind a reader of words (protocol/words.h) that takes common packets itself and leaves the others to them. */
#ifndef CAIRN_PROTOCOL_READER_LEVELS_H
#define CAIRN_PROTOCOL_READER_LEVELS_H

#include <cairn/packet.h>
#include <cairn/status.h>

#include "protocol/words.h"

struct cairn_config;
struct cairn_protocol;

/* The states of a protocol's levels, and what is under way between them. */
struct cairn_reader_levels {
    const struct cairn_protocol *protocol;
    void *packets;
    void *elements;
    void *resolver;
    struct cairn_packet_batch *taken;
    struct cairn_element_batch *raw;
    size_t packet_at;
    size_t raw_at;
};

/* All 0 before. After a failure, too, it is to be freed. */
cairn_status cairn_reader_levels_new(struct cairn_reader_levels *levels,
                                     struct cairn_config *config);
void cairn_reader_levels_free(struct cairn_reader_levels *levels);

/* Forgets what is under way. */
void cairn_reader_levels_empty(struct cairn_reader_levels *levels);

/* Passes on what the levels have. *idle: all of it; else there is no more room. */
cairn_status cairn_reader_levels_pump(struct cairn_reader_levels *levels,
                                      struct cairn_element_batch *out, bool *idle);

/* When idle: takes packets from the bytes, as cairn_packets_run, or at their end what is left, none at the end. */
cairn_status cairn_reader_levels_take(struct cairn_reader_levels *levels, const uint8_t *data,
                                      size_t size, size_t *position);
cairn_status cairn_reader_levels_take_rest(struct cairn_reader_levels *levels);

/* When idle behind take_rest without packets: the elements that were waiting for more, none at the end. */
cairn_status cairn_reader_levels_resolve_rest(struct cairn_reader_levels *levels,
                                              struct cairn_element_batch *out);

/* When idle: takes one packet, from bytes in front of data[end], and counts it. *position moves as
 * with cairn_packets_run. */
cairn_status cairn_reader_levels_step(struct cairn_reader_levels *levels, const uint8_t *data,
                                      size_t end, size_t *position, struct cairn_words *out);

/* Counts the packets that were taken last. */
void cairn_reader_levels_count(const struct cairn_reader_levels *levels, struct cairn_words *out);

/* reader_finish */
cairn_status cairn_reader_levels_finish(struct cairn_reader_levels *levels,
                                        struct cairn_words *out);

/* Adds to the ledger of a batch. */
static inline void cairn_reader_count(struct cairn_words *out, enum cairn_account account,
                                      uint64_t bytes, uint64_t packets)
{
    out->ledger->total += bytes;
    out->ledger->account[account].bytes += bytes;
    out->ledger->account[account].packets += packets;
}

#endif
