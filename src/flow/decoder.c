/* SPDX-License-Identifier: BSD-2-Clause */
/* All levels in one: bytes -> packets -> elements -> resolved elements -> flow, with the ledger. */
#include "flow/decoder.h"

#include "flow/follow.h"
#include "protocol/protocol.h"

#include <stdlib.h>

enum { BATCH = 256 };

cairn_status cairn_decoder_new_flow(struct cairn_config *config, struct cairn_image *image,
                                    struct cairn_decoder **decoder)
{
    struct cairn_decoder *d = calloc(1, sizeof *d);
    cairn_status status;

    if (!d)
        return CAIRN_E_MEMORY;
    status = cairn_flow_new(config, image, &d->flow);
    if (status != CAIRN_OK) {
        free(d);
        return status;
    }
    d->ledger.size = sizeof d->ledger;
    d->flow->ledger = &d->ledger;
    *decoder = d;
    return CAIRN_OK;
}

cairn_status cairn_decoder_new(struct cairn_config *config, struct cairn_image *image,
                               struct cairn_decoder **decoder)
{
    struct cairn_decoder *d = NULL;
    cairn_status status = cairn_decoder_new_flow(config, image, &d);

    if (status == CAIRN_OK)
        status = cairn_reader_levels_new(&d->levels, config);
    if (status == CAIRN_OK)
        status = cairn_element_batch_new(BATCH, &d->resolved);
    if (status != CAIRN_OK) {
        cairn_decoder_free(d);
        return status;
    }
    *decoder = d;
    return CAIRN_OK;
}

void cairn_decoder_free(struct cairn_decoder *decoder)
{
    if (!decoder)
        return;
    cairn_reader_levels_free(&decoder->levels);
    cairn_flow_free(decoder->flow);
    cairn_element_batch_free(decoder->resolved);
    free(decoder);
}

/* Moves what the levels hold towards `out` as far as it goes. `*idle` tells that all of it is used up,
 * so that only more packets can bring more. */
static cairn_status pump(struct cairn_decoder *d, struct cairn_flow_batch *out, bool *idle)
{
    const size_t before = out->count;
    cairn_status status;
    struct cairn_flow_batch fresh;

    *idle = false;
    for (;;) {
        status = cairn_flow_run(d->flow, d->resolved, &d->resolved_at, out);
        if (status != CAIRN_OK || out->count == out->capacity)
            break;
        d->resolved->count = 0;
        d->resolved_at = 0;
        status = cairn_reader_levels_pump(&d->levels, d->resolved, idle);
        if (status != CAIRN_OK || d->resolved->count == 0)
            break;
        *idle = false;
    }
    fresh = *out;
    fresh.count = out->count - before;
    fresh.kind += before;
    fresh.value += before;
    fresh.length += before;
    cairn_ledger_flow(&d->ledger, &fresh);
    return status;
}

/* The ledger reads the records that leave: their columns have to be there. */
static bool has_ledger_columns(const struct cairn_flow_batch *out)
{
    return out->kind && out->value && out->length;
}

cairn_status cairn_decoder_run(struct cairn_decoder *d, const uint8_t *data, size_t size,
                               size_t *position, struct cairn_flow_batch *out)
{
    if (!has_ledger_columns(out))
        return CAIRN_E_ARGUMENT;
    for (;;) {
        bool idle;
        cairn_status status = pump(d, out, &idle);

        if (status != CAIRN_OK || !idle)
            return status;
        d->pending = d->pending || *position < size;
        status = cairn_reader_levels_take(&d->levels, data, size, position);
        cairn_ledger_packets(&d->ledger, d->levels.taken);
        if (status != CAIRN_OK || d->levels.taken->count == 0)
            return status;
    }
}

/* The source has ended: what the levels hold. */
static cairn_status finish(struct cairn_decoder *d, struct cairn_flow_batch *out)
{
    for (;;) {
        bool idle;
        cairn_status status = pump(d, out, &idle);

        if (status != CAIRN_OK || !idle)
            return status;
        status = cairn_reader_levels_take_rest(&d->levels);
        cairn_ledger_packets(&d->ledger, d->levels.taken);
        if (status != CAIRN_OK)
            return status;
        if (d->levels.taken->count > 0)
            continue;
        status = cairn_reader_levels_resolve_rest(&d->levels, d->resolved);
        if (status != CAIRN_OK)
            return status;
        if (d->resolved->count == 0)
            return cairn_flow_finish(d->flow, out);
    }
}

cairn_status cairn_decoder_finish(struct cairn_decoder *d, struct cairn_flow_batch *out)
{
    const size_t before = out->count;

    if (!has_ledger_columns(out))
        return CAIRN_E_ARGUMENT;
    const cairn_status status = finish(d, out);
    if (status == CAIRN_OK && out->count == before && before < out->capacity)
        d->pending = false;
    return status;
}

bool cairn_decoder_is_pending(const struct cairn_decoder *decoder)
{
    return decoder->pending;
}

const struct cairn_ledger *cairn_decoder_ledger(const struct cairn_decoder *decoder)
{
    return &decoder->ledger;
}
