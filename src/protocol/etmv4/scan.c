/* SPDX-License-Identifier: BSD-2-Clause */
/* A scan: its life, and which mode takes the next bytes. */
#include "protocol/etmv4/scan.h"
#include "protocol/framing.h"

#include <stdlib.h>

enum {
    PACKETS = 64,
    ELEMENTS = 256,
    BYTES = 32,   /* for each packet that the levels are to take */
    ENOUGH = 256, /* bytes at hand that make it worth leaving the levels early */
};

_Static_assert(sizeof(struct cairn_token) == 32, "two tokens a cache line");

cairn_status cairn_etmv4_scan_new(struct cairn_config *config, struct cairn_etmv4_scan **scan)
{
    struct cairn_etmv4_scan *s = calloc(1, sizeof *s);
    cairn_status status = s ? CAIRN_OK : CAIRN_E_MEMORY;

    if (status != CAIRN_OK)
        return status;
    s->config = cairn_config_ref(config);
    s->decoded = cairn_etmv4_of(config);
    status = cairn_etmv4_parser_new(config, &s->parser);
    if (status == CAIRN_OK)
        status = cairn_etmv4_elements_new(config, &s->elements);
    if (status == CAIRN_OK)
        status = cairn_etmv4_resolver_new(config, &s->resolver);
    if (status == CAIRN_OK)
        status = cairn_packet_batch_new(PACKETS, &s->packets);
    if (status == CAIRN_OK)
        status = cairn_element_batch_new(ELEMENTS, &s->raw);
    if (status == CAIRN_OK)
        status = cairn_element_batch_new(ELEMENTS, &s->resolved);
    if (status != CAIRN_OK) {
        cairn_etmv4_scan_free(s);
        return status;
    }
    cairn_etmv4_elements_shorten(s->elements);
    s->compression = cairn_etmv4_parser_compression(s->parser);
    s->max = s->decoded->max_speculation;
    s->tsmark = s->decoded->tsmark;
    s->stride = 1;
    for (unsigned kind = 0; kind <= CAIRN_ELEMENT_CANCELLED; kind++)
        if (cairn_etmv4_is_p0(config, kind))
            s->p0 |= 1u << kind;
    cairn_etmv4_scan_headers(s);
    *scan = s;
    return CAIRN_OK;
}

void cairn_etmv4_scan_amid(struct cairn_etmv4_scan *scan, uint64_t offset)
{
    cairn_framing_amid(scan->parser, offset);
    scan->offset = offset;
}

void cairn_etmv4_scan_free(struct cairn_etmv4_scan *scan)
{
    if (!scan)
        return;
    cairn_etmv4_parser_free(scan->parser);
    cairn_etmv4_elements_free(scan->elements);
    cairn_etmv4_resolver_free(scan->resolver);
    cairn_packet_batch_free(scan->packets);
    cairn_element_batch_free(scan->raw);
    cairn_element_batch_free(scan->resolved);
    free(scan->queue);
    free(scan->slot);
    free(scan->free_slot);
    free(scan->spill);
    cairn_config_unref(scan->config);
    free(scan);
}

static void count_packets(struct cairn_etmv4_scan *s)
{
    const struct cairn_packet_batch *packets = s->packets;

    for (size_t i = 0; i < packets->count; i++) {
        s->ledger.total += packets->length[i];
        s->ledger.account[packets->account[i]].bytes += packets->length[i];
        s->ledger.account[packets->account[i]].packets++;
    }
    s->by_levels += packets->count;
}

/* Passes on what the levels have. False: the batch has no room for all of it. */
static cairn_status pump(struct cairn_etmv4_scan *s, bool *room)
{
    cairn_status status;

    for (;;) {
        if (cairn_etmv4_scan_flush(s))
            cairn_etmv4_scan_translate(s);
        *room = s->spill_end == 0 && s->batch->count < s->batch->capacity &&
                s->batch->data_count < s->batch->data_capacity;
        if (!*room)
            return CAIRN_OK;
        s->resolved->count = 0;
        s->resolved_at = 0;
        status = cairn_etmv4_resolver_run(s->resolver, s->raw, &s->raw_at, s->resolved);
        if (status != CAIRN_OK)
            return status;
        if (s->resolved->count > 0)
            continue;
        s->raw->count = 0;
        s->raw_at = 0;
        status = cairn_etmv4_elements_run(s->elements, s->packets, &s->packet_at, s->raw);
        if (status != CAIRN_OK)
            return status;
        if (s->raw->count == 0)
            return CAIRN_OK;
    }
}

/* Some packets by the levels: few at first, more if they have to go on. */
static cairn_status take_packets(struct cairn_etmv4_scan *s, const uint8_t *data, size_t size,
                                 size_t *position)
{
    const size_t from = *position;
    const size_t left = size - from;
    const size_t bytes = s->stride * BYTES;
    cairn_status status;

    s->packets->count = 0;
    s->packet_at = 0;
    s->packets->capacity = s->stride;
    if (s->stride < PACKETS)
        s->stride *= 2;
    status = cairn_etmv4_parser_run(s->parser, data, left < bytes ? size : from + bytes, position,
                                    s->packets);
    s->packets->capacity = PACKETS;
    s->offset += *position - from;
    count_packets(s);
    return status;
}

/* One turn of the levels. *on: there is more to do. */
static cairn_status run_levels(struct cairn_etmv4_scan *s, const uint8_t *data, size_t size,
                               size_t start, size_t *position, bool *on)
{
    size_t unread = 0;
    const size_t before = *position;
    cairn_status status = pump(s, on);

    if (status != CAIRN_OK || !*on)
        return status;
    if (s->by_levels > 0 && (*position == size || size - *position >= ENOUGH) &&
        cairn_etmv4_scan_enter(s, *position - start, &unread)) {
        *position -= unread;
        s->offset -= unread;
        return CAIRN_OK;
    }
    status = take_packets(s, data, size, position);
    *on = *position > before || s->packets->count > 0;
    return status;
}

cairn_status cairn_etmv4_scan_run(struct cairn_etmv4_scan *s, const uint8_t *data, size_t size,
                                  size_t *position, struct cairn_scan_batch *batch)
{
    struct cairn_scan_view view = {data, size, size, *position, *position};
    const size_t start = *position;
    cairn_status status = CAIRN_OK;
    bool on = true;

    if (*position > size || s->ended || batch->capacity == 0 || batch->data_capacity == 0)
        return CAIRN_E_ARGUMENT;
    s->batch = batch;
    while (on && status == CAIRN_OK && !s->failed) {
        if (!s->fast) {
            status = run_levels(s, data, size, start, position, &on);
            continue;
        }
        if (!cairn_etmv4_scan_flush(s) || *position == size ||
            cairn_etmv4_scan_fast(s, &view, position) == CAIRN_SCAN_STOP_FULL)
            break;
        if (*position < size)
            cairn_etmv4_scan_leave(s);
    }
    return s->failed ? CAIRN_E_MEMORY : status;
}

cairn_status cairn_etmv4_scan_finish(struct cairn_etmv4_scan *s, struct cairn_scan_batch *batch)
{
    cairn_status status = CAIRN_OK;
    bool room = true;

    if (batch->capacity == 0 || batch->data_capacity == 0)
        return CAIRN_E_ARGUMENT;
    s->batch = batch;
    s->ended = true;
    if (s->fast)
        cairn_etmv4_scan_leave(s);
    while (status == CAIRN_OK && !s->failed) {
        status = pump(s, &room);
        if (status != CAIRN_OK || !room)
            break;
        s->packets->count = 0;
        s->packet_at = 0;
        status = cairn_etmv4_parser_finish(s->parser, s->packets);
        count_packets(s);
        if (status != CAIRN_OK || s->packets->count > 0)
            continue;
        status = cairn_etmv4_resolver_finish(s->resolver, s->resolved);
        if (s->resolved->count == 0)
            break;
    }
    return s->failed ? CAIRN_E_MEMORY : status;
}

const struct cairn_scan_ledger *cairn_etmv4_scan_ledger(const struct cairn_etmv4_scan *scan)
{
    return &scan->ledger;
}
