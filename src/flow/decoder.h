/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference path's levels, one on the other. The engine hands them what is not its own to
 * decode. */
#ifndef CAIRN_FLOW_DECODER_H
#define CAIRN_FLOW_DECODER_H

#include <cairn/flow.h>

#include "protocol/reader_levels.h"

struct cairn_decoder {
    struct cairn_reader_levels levels;
    struct cairn_flow *flow;
    struct cairn_element_batch *resolved;
    size_t resolved_at; /* the next for `flow` */
    struct cairn_ledger ledger;
    bool pending; /* bytes were taken in, and finish has not come to its end */
};

/* `flow` and the ledger without the levels in front: for an engine that makes its elements itself.
 * Freed as any other, and nothing else is to be called with it. */
CAIRN_MUST_CHECK cairn_status cairn_decoder_new_flow(struct cairn_config *config,
                                                     struct cairn_image *image,
                                                     struct cairn_decoder **decoder);

#endif
