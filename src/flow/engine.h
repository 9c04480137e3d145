/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the engine share. */
#ifndef CAIRN_FLOW_ENGINE_H
#define CAIRN_FLOW_ENGINE_H

#include <cairn/engine.h>

#include "flow/decoder.h"
#include "flow/dictionary.h"

struct cairn_engine {
    struct cairn_config *config;
    struct cairn_image *image;
    struct cairn_engine_options options;
    struct cairn_dictionary dictionary;
    struct cairn_decoder *levels; /* the reference path's, for what is not decoded here */
    struct cairn_flow_batch *records;
    size_t record_at; /* next of `records` to hand over */
    bool finishing;
    struct cairn_ledger ledger;
    struct cairn_engine_statistics statistics;
    struct cairn_unit_batch *out; /* of the call under way */
};

/* cold.c: through the reference path's levels. */
cairn_status cairn_engine_run_cold(struct cairn_engine *engine, const uint8_t *data, size_t size,
                                   size_t *position);

/* Hands over waiting records. False: the batch is full. */
bool cairn_engine_give_records(struct cairn_engine *engine);

#endif
