/* SPDX-License-Identifier: BSD-2-Clause */
/* All levels in one: bytes -> packets -> elements -> resolved elements -> flow, with the ledger. */
#include "flow/decoder.h"

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
    *decoder = d;
    return CAIRN_OK;
}

cairn_status cairn_decoder_new(struct cairn_config *config, struct cairn_image *image,
                               struct cairn_decoder **decoder)
{
    struct cairn_decoder *d = NULL;
    cairn_status status = cairn_decoder_new_flow(config, image, &d);

    if (status == CAIRN_OK)
        status = cairn_packets_new(config, &d->packets);
    if (status == CAIRN_OK)
        status = cairn_elements_new(config, &d->elements);
    if (status == CAIRN_OK)
        cairn_elements_shorten(d->elements);
    if (status == CAIRN_OK)
        status = cairn_resolver_new(config, &d->resolver);
    if (status == CAIRN_OK)
        status = cairn_packet_batch_new(BATCH, &d->packet_batch);
    if (status == CAIRN_OK)
        status = cairn_element_batch_new(BATCH, &d->raw_batch);
    if (status == CAIRN_OK)
        status = cairn_element_batch_new(BATCH, &d->resolved_batch);
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
    cairn_packets_free(decoder->packets);
    cairn_elements_free(decoder->elements);
    cairn_resolver_free(decoder->resolver);
    cairn_flow_free(decoder->flow);
    cairn_packet_batch_free(decoder->packet_batch);
    cairn_element_batch_free(decoder->raw_batch);
    cairn_element_batch_free(decoder->resolved_batch);
    free(decoder);
}

cairn_status cairn_decoder_pump(struct cairn_decoder *d, struct cairn_flow_batch *out, bool *idle)
{
    const size_t before = out->count;
    cairn_status status;
    struct cairn_flow_batch fresh;

    *idle = false;
    for (;;) {
        status = cairn_flow_run(d->flow, d->resolved_batch, &d->resolved_at, out);
        if (status != CAIRN_OK || out->count == out->capacity)
            break;
        d->resolved_batch->count = 0;
        d->resolved_at = 0;
        status = cairn_resolver_run(d->resolver, d->raw_batch, &d->raw_at, d->resolved_batch);
        if (status != CAIRN_OK)
            break;
        if (d->resolved_batch->count > 0)
            continue;
        d->raw_batch->count = 0;
        d->raw_at = 0;
        status = cairn_elements_run(d->elements, d->packet_batch, &d->packet_at, d->raw_batch);
        if (status != CAIRN_OK)
            break;
        if (d->raw_batch->count > 0)
            continue;
        *idle = true;
        break;
    }
    fresh = *out;
    fresh.count = out->count - before;
    fresh.kind += before;
    fresh.value += before;
    fresh.length += before;
    cairn_ledger_flow(&d->ledger, &fresh);
    return status;
}

static void next_packets(struct cairn_decoder *d)
{
    d->packet_batch->count = 0;
    d->packet_at = 0;
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
        cairn_status status = cairn_decoder_pump(d, out, &idle);

        if (status != CAIRN_OK || !idle)
            return status;
        next_packets(d);
        status = cairn_packets_run(d->packets, data, size, position, d->packet_batch);
        cairn_ledger_packets(&d->ledger, d->packet_batch);
        if (status != CAIRN_OK || d->packet_batch->count == 0)
            return status;
    }
}

cairn_status cairn_decoder_finish(struct cairn_decoder *d, struct cairn_flow_batch *out)
{
    if (!has_ledger_columns(out))
        return CAIRN_E_ARGUMENT;
    for (;;) {
        bool idle;
        cairn_status status = cairn_decoder_pump(d, out, &idle);

        if (status != CAIRN_OK || !idle)
            return status;
        next_packets(d);
        status = cairn_packets_finish(d->packets, d->packet_batch);
        cairn_ledger_packets(&d->ledger, d->packet_batch);
        if (status != CAIRN_OK)
            return status;
        if (d->packet_batch->count > 0)
            continue;
        status = cairn_resolver_finish(d->resolver, d->resolved_batch);
        if (status != CAIRN_OK)
            return status;
        if (d->resolved_batch->count == 0)
            return cairn_flow_finish(d->flow, out);
    }
}

const struct cairn_ledger *cairn_decoder_ledger(const struct cairn_decoder *decoder)
{
    return &decoder->ledger;
}
