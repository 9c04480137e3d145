/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/reader_levels.h"

#include "protocol/protocol.h"

enum { READER_LEVELS = 256 /* room of each level's batch */ };

cairn_status cairn_reader_levels_new(struct cairn_reader_levels *levels,
                                     struct cairn_config *config)
{
    const struct cairn_protocol *protocol = config->protocol;
    cairn_status status = protocol->packets_new(config, &levels->packets);

    levels->protocol = protocol;
    if (status == CAIRN_OK)
        status = protocol->elements_new(config, &levels->elements);
    if (status == CAIRN_OK && protocol->elements_shorten)
        protocol->elements_shorten(levels->elements);
    if (status == CAIRN_OK)
        status = protocol->resolver_new(config, &levels->resolver);
    if (status == CAIRN_OK)
        status = cairn_packet_batch_new(READER_LEVELS, &levels->taken);
    if (status == CAIRN_OK)
        status = cairn_element_batch_new(READER_LEVELS, &levels->raw);
    return status;
}

void cairn_reader_levels_free(struct cairn_reader_levels *levels)
{
    if (!levels->protocol)
        return;
    levels->protocol->packets_free(levels->packets);
    levels->protocol->elements_free(levels->elements);
    levels->protocol->resolver_free(levels->resolver);
    cairn_packet_batch_free(levels->taken);
    cairn_element_batch_free(levels->raw);
}

void cairn_reader_levels_empty(struct cairn_reader_levels *levels)
{
    levels->taken->count = 0;
    levels->packet_at = 0;
    levels->raw->count = 0;
    levels->raw_at = 0;
}

cairn_status cairn_reader_levels_pump(struct cairn_reader_levels *levels,
                                      struct cairn_element_batch *out, bool *idle)
{
    *idle = false;
    for (;;) {
        cairn_status status =
            levels->protocol->resolver_run(levels->resolver, levels->raw, &levels->raw_at, out);

        if (status != CAIRN_OK || out->count == out->capacity)
            return status;
        levels->raw->count = 0;
        levels->raw_at = 0;
        status = levels->protocol->elements_run(levels->elements, levels->taken, &levels->packet_at,
                                                levels->raw);
        if (status != CAIRN_OK)
            return status;
        if (levels->raw->count == 0) {
            *idle = true;
            return CAIRN_OK;
        }
    }
}

static void begin_packets(struct cairn_reader_levels *levels)
{
    levels->taken->count = 0;
    levels->packet_at = 0;
}

cairn_status cairn_reader_levels_take(struct cairn_reader_levels *levels, const uint8_t *data,
                                      size_t size, size_t *position)
{
    begin_packets(levels);
    return levels->protocol->packets_run(levels->packets, data, size, position, levels->taken);
}

cairn_status cairn_reader_levels_take_rest(struct cairn_reader_levels *levels)
{
    begin_packets(levels);
    return levels->protocol->packets_finish(levels->packets, levels->taken);
}

cairn_status cairn_reader_levels_resolve_rest(struct cairn_reader_levels *levels,
                                              struct cairn_element_batch *out)
{
    return levels->protocol->resolver_finish(levels->resolver, out);
}

void cairn_reader_levels_count(const struct cairn_reader_levels *levels, struct cairn_words *out)
{
    const struct cairn_packet_batch *taken = levels->taken;

    for (size_t i = 0; i < taken->count; i++)
        cairn_reader_count(out, taken->account[i], taken->length[i], 1);
}

cairn_status cairn_reader_levels_step(struct cairn_reader_levels *levels, const uint8_t *data,
                                      size_t end, size_t *position, struct cairn_words *out)
{
    const size_t capacity = levels->taken->capacity;
    const size_t before = *position;
    cairn_status status;

    levels->taken->capacity = 1;
    status = cairn_reader_levels_take(levels, data, end, position);
    levels->taken->capacity = capacity;
    cairn_reader_levels_count(levels, out);
    out->by_levels += *position - before;
    return status;
}

cairn_status cairn_reader_levels_finish(struct cairn_reader_levels *levels, struct cairn_words *out)
{
    struct cairn_element_batch *elements = out->elements;

    for (;;) {
        bool idle;
        cairn_status status = cairn_reader_levels_pump(levels, elements, &idle);

        if (status != CAIRN_OK || !idle)
            return status;
        status = cairn_reader_levels_take_rest(levels);
        cairn_reader_levels_count(levels, out);
        if (status != CAIRN_OK)
            return status;
        if (levels->taken->count == 0)
            return cairn_reader_levels_resolve_rest(levels, elements);
    }
}
