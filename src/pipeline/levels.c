/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/levels.h"

#include <stdlib.h>
#include <string.h>

#include "flow/follow.h"

#define BATCH_PACKETS 1024
#define BATCH_ELEMENTS 4096
#define BATCH_FLOW 4096

/* A packet decoder takes bytes in before it decides on them; more than any holds back. */
#define BYTES_BEHIND ((size_t)32768)

/* How far a level has come. */
enum stage {
    STAGE_RUNNING = 0,
    STAGE_FINISHING = 1, /* its input has ended */
    STAGE_ENDED = 2,
};

struct cairn_level_stream {
    enum cairn_level level;
    struct cairn_config *config; /* the caller's */
    struct cairn_intake *intake;
    struct cairn_packets *packets;
    struct cairn_elements *elements;
    struct cairn_resolver *resolver;
    struct cairn_flow *flow;

    struct cairn_piece piece;
    size_t piece_position;
    struct cairn_packet_batch *packet_batch;
    size_t packet_position;
    struct cairn_element_batch *element_batch;
    size_t element_position;
    struct cairn_element_batch *resolved_batch;
    size_t resolved_position;
    struct cairn_flow_batch *flow_batch;
    enum stage packet_stage, element_stage, resolved_stage, flow_stage;
    bool lost; /* trace was lost in front of the piece: what is before it is to be given first */

    struct cairn_ledger ledger;

    uint64_t base;       /* source offset of the first byte, which the decoder counts from */
    uint64_t packet_end; /* behind the last packet */
    /* From the first byte that no packet has yet, and the last bytes before the piece. */
    uint64_t head_offset;
    size_t head_count;
    uint8_t head[CAIRN_PACKET_BYTES_KEPT];
    uint64_t tail_offset;
    size_t tail_count;
    uint8_t tail[BYTES_BEHIND];
};

static cairn_status new_decoders(struct cairn_level_stream *levels, struct cairn_config *config,
                                 struct cairn_image *image)
{
    cairn_status status = cairn_packets_new(config, &levels->packets);

    if (!status)
        status = cairn_packet_batch_new(BATCH_PACKETS, &levels->packet_batch);
    if (!status && levels->level >= CAIRN_LEVEL_ELEMENTS)
        status = cairn_elements_new(config, &levels->elements);
    if (!status && levels->level >= CAIRN_LEVEL_ELEMENTS)
        status = cairn_element_batch_new(BATCH_ELEMENTS, &levels->element_batch);
    if (!status && levels->level >= CAIRN_LEVEL_RESOLVED)
        status = cairn_resolver_new(config, &levels->resolver);
    if (!status && levels->level >= CAIRN_LEVEL_RESOLVED)
        status = cairn_element_batch_new(BATCH_ELEMENTS, &levels->resolved_batch);
    if (!status && levels->level >= CAIRN_LEVEL_FLOW)
        status = cairn_flow_new(config, image, &levels->flow);
    if (!status && levels->flow)
        levels->flow->ledger = &levels->ledger;
    if (!status && levels->level >= CAIRN_LEVEL_FLOW)
        status = cairn_flow_batch_new(BATCH_FLOW, &levels->flow_batch);
    return status;
}

cairn_status cairn_level_stream_new(struct cairn_config *config, struct cairn_image *image,
                                    enum cairn_level level, struct cairn_intake *intake,
                                    struct cairn_level_stream **levels)
{
    struct cairn_level_stream *made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    made->level = level;
    made->config = config;
    made->intake = intake;
    made->ledger.size = sizeof made->ledger;
    cairn_status status = new_decoders(made, config, image);
    if (status) {
        cairn_level_stream_free(made);
        return status;
    }
    *levels = made;
    return CAIRN_OK;
}

void cairn_level_stream_free(struct cairn_level_stream *levels)
{
    if (!levels)
        return;
    cairn_flow_batch_free(levels->flow_batch);
    cairn_flow_free(levels->flow);
    cairn_element_batch_free(levels->resolved_batch);
    cairn_resolver_free(levels->resolver);
    cairn_element_batch_free(levels->element_batch);
    cairn_elements_free(levels->elements);
    cairn_packet_batch_free(levels->packet_batch);
    cairn_packets_free(levels->packets);
    free(levels);
}

void cairn_level_stream_begin_at(struct cairn_level_stream *levels, uint64_t offset)
{
    levels->base = offset;
    levels->packet_end = offset;
}

/* Adds the piece to the last bytes before the next one. */
static void keep_tail(struct cairn_level_stream *levels)
{
    const struct cairn_piece *piece = &levels->piece;
    size_t added = piece->size < BYTES_BEHIND ? piece->size : BYTES_BEHIND;
    size_t room = BYTES_BEHIND - added;
    size_t kept = levels->tail_count < room ? levels->tail_count : room;

    memmove(levels->tail, levels->tail + levels->tail_count - kept, kept);
    memcpy(levels->tail + kept, piece->data + piece->size - added, added);
    levels->tail_count = kept + added;
    levels->tail_offset = piece->offset + piece->size - levels->tail_count;
}

/* Keeps what the listing of a packet may still need of the piece that goes away. */
static void keep_bytes(struct cairn_level_stream *levels)
{
    const struct cairn_piece *piece = &levels->piece;
    uint64_t end = piece->offset + piece->size;
    uint8_t head[CAIRN_PACKET_BYTES_KEPT];

    if (!piece->size)
        return;
    levels->head_count = cairn_level_stream_bytes(levels, levels->packet_end,
                                                  end - levels->packet_end, head, sizeof head);
    levels->head_offset = levels->packet_end;
    memcpy(levels->head, head, levels->head_count);
    keep_tail(levels);
}

static cairn_status next_piece(struct cairn_level_stream *levels)
{
    keep_bytes(levels);
    cairn_status status = cairn_intake_next(levels->intake, &levels->piece);
    if (status)
        return status;
    cairn_intake_progress(levels->intake, 0);
    levels->piece_position = 0;
    levels->lost = levels->piece.lost && levels->config->protocol->packets_amid;
    if (!levels->piece.size || levels->lost)
        levels->packet_stage = STAGE_FINISHING;
    return CAIRN_OK;
}

/* Adds what the batch has to the ledger, and remembers where its last packet ends. */
static void note_packets(struct cairn_level_stream *levels)
{
    const struct cairn_packet_batch *batch = levels->packet_batch;

    for (size_t i = 0; levels->base && i < batch->count; i++)
        batch->offset[i] += levels->base;
    cairn_ledger_packets(&levels->ledger, batch);
    if (batch->count)
        levels->packet_end = batch->offset[batch->count - 1] + batch->length[batch->count - 1];
}

/* Fills the empty packet batch; leaves it empty at the end only. */
static cairn_status next_packets(struct cairn_level_stream *levels)
{
    struct cairn_packet_batch *batch = levels->packet_batch;
    cairn_status status = CAIRN_OK;

    batch->count = 0;
    levels->packet_position = 0;
    while (!status && !batch->count && levels->packet_stage == STAGE_RUNNING &&
           cairn_intake_goes_on(levels->intake)) {
        if (levels->piece_position == levels->piece.size)
            status = next_piece(levels);
        if (!status && levels->packet_stage == STAGE_RUNNING)
            status = cairn_packets_run(levels->packets, levels->piece.data, levels->piece.size,
                                       &levels->piece_position, batch);
    }
    if (!status && !batch->count && levels->packet_stage == STAGE_FINISHING) {
        status = cairn_packets_finish(levels->packets, batch);
        if (!batch->count)
            levels->packet_stage = STAGE_ENDED;
    }
    note_packets(levels);
    return status;
}

static cairn_status next_elements(struct cairn_level_stream *levels)
{
    struct cairn_element_batch *batch = levels->element_batch;
    cairn_status status = CAIRN_OK;

    batch->count = 0;
    levels->element_position = 0;
    while (!status && !batch->count && levels->element_stage == STAGE_RUNNING) {
        if (levels->packet_position == levels->packet_batch->count) {
            status = next_packets(levels);
            if (!status && !levels->packet_batch->count)
                levels->element_stage = STAGE_FINISHING;
        }
        if (!status)
            status = cairn_elements_run(levels->elements, levels->packet_batch,
                                        &levels->packet_position, batch);
    }
    /* Of the last packet the level may still hold elements that a full batch had no room for. */
    if (!status && !batch->count && levels->element_stage == STAGE_FINISHING)
        levels->element_stage = STAGE_ENDED;
    return status;
}

/* Stopped by the caller, the input breaks off: what a level still holds has not come to its end. */
static enum stage end_of_input(const struct cairn_level_stream *levels)
{
    return cairn_intake_goes_on(levels->intake) ? STAGE_FINISHING : STAGE_ENDED;
}

static cairn_status next_resolved(struct cairn_level_stream *levels)
{
    struct cairn_element_batch *batch = levels->resolved_batch;
    cairn_status status = CAIRN_OK;

    batch->count = 0;
    levels->resolved_position = 0;
    while (!status && !batch->count && levels->resolved_stage == STAGE_RUNNING) {
        if (levels->element_position == levels->element_batch->count) {
            status = next_elements(levels);
            if (!status && !levels->element_batch->count)
                levels->resolved_stage = end_of_input(levels);
        }
        if (!status && levels->resolved_stage == STAGE_RUNNING)
            status = cairn_resolver_run(levels->resolver, levels->element_batch,
                                        &levels->element_position, batch);
    }
    if (!status && !batch->count && levels->resolved_stage == STAGE_FINISHING) {
        status = cairn_resolver_finish(levels->resolver, batch);
        if (!batch->count)
            levels->resolved_stage = STAGE_ENDED;
    }
    return status;
}

static cairn_status next_flow(struct cairn_level_stream *levels)
{
    struct cairn_flow_batch *batch = levels->flow_batch;
    cairn_status status = CAIRN_OK;

    batch->count = 0;
    while (!status && !batch->count && levels->flow_stage == STAGE_RUNNING) {
        if (levels->resolved_position == levels->resolved_batch->count) {
            status = next_resolved(levels);
            if (!status && !levels->resolved_batch->count && levels->lost)
                break; /* the follower goes on behind it */
            if (!status && !levels->resolved_batch->count)
                levels->flow_stage = end_of_input(levels);
        }
        if (!status && levels->flow_stage == STAGE_RUNNING)
            status = cairn_flow_run(levels->flow, levels->resolved_batch,
                                    &levels->resolved_position, batch);
    }
    if (!status && !batch->count && levels->flow_stage == STAGE_FINISHING) {
        status = cairn_flow_finish(levels->flow, batch);
        if (!batch->count)
            levels->flow_stage = STAGE_ENDED;
    }
    cairn_ledger_flow(&levels->ledger, batch);
    return status;
}

static cairn_status next_of_level(struct cairn_level_stream *levels)
{
    switch (levels->level) {
    case CAIRN_LEVEL_PACKETS: return next_packets(levels);
    case CAIRN_LEVEL_ELEMENTS: return next_elements(levels);
    case CAIRN_LEVEL_RESOLVED: return next_resolved(levels);
    case CAIRN_LEVEL_FLOW: return next_flow(levels);
    }
    return CAIRN_E_ARGUMENT;
}

static size_t count_of_level(const struct cairn_level_stream *levels)
{
    switch (levels->level) {
    case CAIRN_LEVEL_PACKETS: return levels->packet_batch->count;
    case CAIRN_LEVEL_ELEMENTS: return levels->element_batch->count;
    case CAIRN_LEVEL_RESOLVED: return levels->resolved_batch->count;
    case CAIRN_LEVEL_FLOW: return levels->flow_batch->count;
    }
    return 0;
}

static void put_gap(struct cairn_level_stream *levels)
{
    struct cairn_element_batch *batch = levels->element_batch;

    batch->offset[0] = levels->base;
    batch->length[0] = 0;
    batch->kind[0] = CAIRN_ELEMENT_GAP;
    batch->flags[0] = 0;
    batch->data[0] = (struct cairn_element_data){.value = CAIRN_GAP_LOST};
    batch->count = 1;
    levels->element_position = 0;
}

/* All that came before a loss is given. Decoders that know nothing go on at the piece, behind a gap; the follower is
 * the same. */
static cairn_status go_on_behind(struct cairn_level_stream *levels)
{
    struct cairn_packets *packets = NULL;
    struct cairn_elements *elements = NULL;
    struct cairn_resolver *resolver = NULL;
    cairn_status status = cairn_packets_new(levels->config, &packets);

    if (!status && levels->elements)
        status = cairn_elements_new(levels->config, &elements);
    if (!status && levels->resolver)
        status = cairn_resolver_new(levels->config, &resolver);
    if (status) {
        cairn_elements_free(elements);
        cairn_packets_free(packets);
        return status;
    }
    cairn_packets_free(levels->packets);
    cairn_elements_free(levels->elements);
    cairn_resolver_free(levels->resolver);
    levels->packets = packets;
    levels->elements = elements;
    levels->resolver = resolver;
    levels->packet_stage = STAGE_RUNNING;
    levels->element_stage = STAGE_RUNNING;
    levels->resolved_stage = STAGE_RUNNING;
    levels->base = levels->piece.offset;
    levels->lost = false;
    if (elements)
        put_gap(levels);
    return CAIRN_OK;
}

cairn_status cairn_level_stream_next(struct cairn_level_stream *levels)
{
    cairn_status status = next_of_level(levels);

    while (!status && !count_of_level(levels) && levels->lost &&
           cairn_intake_goes_on(levels->intake)) {
        status = go_on_behind(levels);
        if (!status && levels->level != CAIRN_LEVEL_ELEMENTS)
            status = next_of_level(levels);
    }
    return status;
}

const struct cairn_packet_batch *cairn_level_stream_packets(const struct cairn_level_stream *levels)
{
    return levels->packet_batch;
}

const struct cairn_element_batch *
cairn_level_stream_elements(const struct cairn_level_stream *levels)
{
    return levels->level == CAIRN_LEVEL_RESOLVED ? levels->resolved_batch : levels->element_batch;
}

struct cairn_flow_batch *cairn_level_stream_flow(const struct cairn_level_stream *levels)
{
    return levels->flow_batch;
}

/* One kept byte; false when it is gone. */
static bool kept_byte(const struct cairn_level_stream *levels, uint64_t offset, uint8_t *byte)
{
    const struct cairn_piece *piece = &levels->piece;

    if (piece->size && offset >= piece->offset && offset - piece->offset < piece->size)
        *byte = piece->data[offset - piece->offset];
    else if (offset >= levels->head_offset && offset - levels->head_offset < levels->head_count)
        *byte = levels->head[offset - levels->head_offset];
    else if (offset >= levels->tail_offset && offset - levels->tail_offset < levels->tail_count)
        *byte = levels->tail[offset - levels->tail_offset];
    else
        return false;
    return true;
}

size_t cairn_level_stream_bytes(const struct cairn_level_stream *levels, uint64_t offset,
                                uint64_t length, uint8_t *bytes, size_t capacity)
{
    size_t most = capacity < CAIRN_PACKET_BYTES_KEPT ? capacity : CAIRN_PACKET_BYTES_KEPT;
    size_t wanted = length < most ? (size_t)length : most;
    size_t count = 0;

    while (count < wanted && kept_byte(levels, offset + count, &bytes[count]))
        count++;
    return count;
}

const struct cairn_ledger *cairn_level_stream_ledger(const struct cairn_level_stream *levels)
{
    return &levels->ledger;
}

uint64_t cairn_level_stream_source_bytes(const struct cairn_level_stream *levels)
{
    return levels->piece.offset + levels->piece_position;
}
