/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference path's levels, one on the other. The engine hands them what is not its own to
 * decode. */
#ifndef CAIRN_FLOW_DECODER_H
#define CAIRN_FLOW_DECODER_H

#include <cairn/flow.h>

struct cairn_decoder {
    struct cairn_packets *packets;
    struct cairn_elements *elements;
    struct cairn_resolver *resolver;
    struct cairn_flow *flow;
    struct cairn_packet_batch *packet_batch;
    struct cairn_element_batch *raw_batch;
    struct cairn_element_batch *resolved_batch;
    size_t packet_at; /* next of each batch for the next level */
    size_t raw_at;
    size_t resolved_at;
    struct cairn_ledger ledger;
};

/* `flow` and the ledger without the levels in front: for an engine that makes its elements itself.
 * Freed as any other, and nothing else is to be called with it. */
CAIRN_MUST_CHECK cairn_status cairn_decoder_new_flow(struct cairn_config *config,
                                                     struct cairn_image *image,
                                                     struct cairn_decoder **decoder);

/* Moves what the levels hold towards `out` as far as it goes. `*idle` tells that every batch is
 * used up, so that only more packets can bring more. */
CAIRN_MUST_CHECK cairn_status cairn_decoder_pump(struct cairn_decoder *decoder,
                                                 struct cairn_flow_batch *out, bool *idle);

#endif
