/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/pipeline.h"

#include <stdlib.h>
#include <string.h>

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

struct cli_pipeline {
    enum cli_level level;
    struct cli_progress *progress;
    struct cairn_reader *reader;
    struct cairn_packets *packets;
    struct cairn_elements *elements;
    struct cairn_resolver *resolver;
    struct cairn_flow *flow;

    struct cairn_chunk chunk;
    size_t chunk_position;
    struct cairn_packet_batch *packet_batch;
    size_t packet_position;
    struct cairn_element_batch *element_batch;
    size_t element_position;
    struct cairn_element_batch *resolved_batch;
    size_t resolved_position;
    struct cairn_flow_batch *flow_batch;
    enum stage packet_stage, element_stage, resolved_stage, flow_stage;

    struct cairn_ledger ledger;

    struct cairn_run *runs; /* a ring of the last CLI_RUNS_KEPT */
    size_t run_count;       /* ever added */

    uint64_t packet_end; /* behind the last packet */
    /* From the first byte that no packet has yet, and the last bytes before the chunk. */
    uint64_t head_offset;
    size_t head_count;
    uint8_t head[CLI_BYTES_KEPT];
    uint64_t tail_offset;
    size_t tail_count;
    uint8_t tail[BYTES_BEHIND];
};

static cairn_status new_decoders(struct cli_pipeline *pipeline, struct cairn_config *config,
                                 struct cairn_image *image)
{
    cairn_status status = cairn_packets_new(config, &pipeline->packets);

    if (!status)
        status = cairn_packet_batch_new(BATCH_PACKETS, &pipeline->packet_batch);
    if (!status && pipeline->level >= CLI_LEVEL_ELEMENTS)
        status = cairn_elements_new(config, &pipeline->elements);
    if (!status && pipeline->level >= CLI_LEVEL_ELEMENTS)
        status = cairn_element_batch_new(BATCH_ELEMENTS, &pipeline->element_batch);
    if (!status && pipeline->level >= CLI_LEVEL_RESOLVED)
        status = cairn_resolver_new(config, &pipeline->resolver);
    if (!status && pipeline->level >= CLI_LEVEL_RESOLVED)
        status = cairn_element_batch_new(BATCH_ELEMENTS, &pipeline->resolved_batch);
    if (!status && pipeline->level >= CLI_LEVEL_FLOW)
        status = cairn_flow_new(config, image, &pipeline->flow);
    if (!status && pipeline->level >= CLI_LEVEL_FLOW)
        status = cairn_flow_batch_new(BATCH_FLOW, &pipeline->flow_batch);
    return status;
}

cairn_status cli_pipeline_new(const struct cairn_capture *capture, size_t source,
                              struct cairn_config *config, struct cairn_image *image,
                              enum cli_level level, struct cli_progress *progress,
                              struct cli_pipeline **pipeline, struct cairn_error *error)
{
    struct cli_pipeline *made = calloc(1, sizeof *made);
    if (!made)
        return CAIRN_E_MEMORY;
    made->level = level;
    made->progress = progress;
    made->ledger.size = sizeof made->ledger;
    made->runs = calloc(CLI_RUNS_KEPT, sizeof *made->runs);
    cairn_status status = made->runs ? CAIRN_OK : CAIRN_E_MEMORY;
    if (!status)
        status = cairn_reader_new(capture, source, &made->reader, error);
    if (!status)
        status = new_decoders(made, config, image);
    if (status) {
        cli_pipeline_free(made);
        return status;
    }
    *pipeline = made;
    return CAIRN_OK;
}

void cli_pipeline_free(struct cli_pipeline *pipeline)
{
    if (!pipeline)
        return;
    cairn_flow_batch_free(pipeline->flow_batch);
    cairn_flow_free(pipeline->flow);
    cairn_element_batch_free(pipeline->resolved_batch);
    cairn_resolver_free(pipeline->resolver);
    cairn_element_batch_free(pipeline->element_batch);
    cairn_elements_free(pipeline->elements);
    cairn_packet_batch_free(pipeline->packet_batch);
    cairn_packets_free(pipeline->packets);
    cairn_reader_free(pipeline->reader);
    free(pipeline->runs);
    free(pipeline);
}

static void add_run(struct cli_pipeline *pipeline, const struct cairn_run *run)
{
    struct cairn_run *last = &pipeline->runs[(pipeline->run_count - 1) % CLI_RUNS_KEPT];

    if (pipeline->run_count && last->offset + last->length == run->offset &&
        last->file_offset + last->length == run->file_offset)
        last->length += run->length;
    else
        pipeline->runs[pipeline->run_count++ % CLI_RUNS_KEPT] = *run;
}

/* Adds the chunk to the last bytes before the next one. */
static void keep_tail(struct cli_pipeline *pipeline)
{
    const struct cairn_chunk *chunk = &pipeline->chunk;
    size_t added = chunk->size < BYTES_BEHIND ? chunk->size : BYTES_BEHIND;
    size_t room = BYTES_BEHIND - added;
    size_t kept = pipeline->tail_count < room ? pipeline->tail_count : room;

    memmove(pipeline->tail, pipeline->tail + pipeline->tail_count - kept, kept);
    memcpy(pipeline->tail + kept, chunk->data + chunk->size - added, added);
    pipeline->tail_count = kept + added;
    pipeline->tail_offset = chunk->offset + chunk->size - pipeline->tail_count;
}

/* Keeps what the listing of a packet may still need of the chunk that goes away. */
static void keep_bytes(struct cli_pipeline *pipeline)
{
    const struct cairn_chunk *chunk = &pipeline->chunk;
    uint64_t end = chunk->offset + chunk->size;
    uint8_t head[CLI_BYTES_KEPT];

    if (!chunk->size)
        return;
    pipeline->head_count =
        cli_pipeline_bytes(pipeline, pipeline->packet_end, end - pipeline->packet_end, head);
    pipeline->head_offset = pipeline->packet_end;
    memcpy(pipeline->head, head, pipeline->head_count);
    keep_tail(pipeline);
}

static cairn_status next_chunk(struct cli_pipeline *pipeline)
{
    keep_bytes(pipeline);
    cairn_status status = cairn_reader_next(pipeline->reader, &pipeline->chunk);
    if (status)
        return status;
    if (pipeline->progress)
        cli_progress_update(pipeline->progress, cairn_reader_file_position(pipeline->reader));
    pipeline->chunk_position = 0;
    for (size_t i = 0; i < pipeline->chunk.run_count; i++)
        add_run(pipeline, &pipeline->chunk.runs[i]);
    if (!pipeline->chunk.size)
        pipeline->packet_stage = STAGE_FINISHING;
    return CAIRN_OK;
}

/* Adds what the batch has to the ledger, and remembers where its last packet ends. */
static void note_packets(struct cli_pipeline *pipeline)
{
    const struct cairn_packet_batch *batch = pipeline->packet_batch;

    cairn_ledger_packets(&pipeline->ledger, batch);
    if (batch->count)
        pipeline->packet_end = batch->offset[batch->count - 1] + batch->length[batch->count - 1];
}

/* Fills the empty packet batch; leaves it empty at the end only. */
static cairn_status next_packets(struct cli_pipeline *pipeline)
{
    struct cairn_packet_batch *batch = pipeline->packet_batch;
    cairn_status status = CAIRN_OK;

    batch->count = 0;
    pipeline->packet_position = 0;
    while (!status && !batch->count && pipeline->packet_stage == STAGE_RUNNING &&
           !cli_interrupted()) {
        if (pipeline->chunk_position == pipeline->chunk.size)
            status = next_chunk(pipeline);
        if (!status && pipeline->packet_stage == STAGE_RUNNING)
            status = cairn_packets_run(pipeline->packets, pipeline->chunk.data,
                                       pipeline->chunk.size, &pipeline->chunk_position, batch);
    }
    if (!status && !batch->count && pipeline->packet_stage == STAGE_FINISHING) {
        status = cairn_packets_finish(pipeline->packets, batch);
        if (!batch->count)
            pipeline->packet_stage = STAGE_ENDED;
    }
    note_packets(pipeline);
    return status;
}

static cairn_status next_elements(struct cli_pipeline *pipeline)
{
    struct cairn_element_batch *batch = pipeline->element_batch;
    cairn_status status = CAIRN_OK;

    batch->count = 0;
    pipeline->element_position = 0;
    while (!status && !batch->count && pipeline->element_stage == STAGE_RUNNING) {
        if (pipeline->packet_position == pipeline->packet_batch->count) {
            status = next_packets(pipeline);
            if (!status && !pipeline->packet_batch->count)
                pipeline->element_stage = STAGE_ENDED;
        }
        if (!status && pipeline->element_stage == STAGE_RUNNING)
            status = cairn_elements_run(pipeline->elements, pipeline->packet_batch,
                                        &pipeline->packet_position, batch);
    }
    return status;
}

static cairn_status next_resolved(struct cli_pipeline *pipeline)
{
    struct cairn_element_batch *batch = pipeline->resolved_batch;
    cairn_status status = CAIRN_OK;

    batch->count = 0;
    pipeline->resolved_position = 0;
    while (!status && !batch->count && pipeline->resolved_stage == STAGE_RUNNING) {
        if (pipeline->element_position == pipeline->element_batch->count) {
            status = next_elements(pipeline);
            if (!status && !pipeline->element_batch->count)
                pipeline->resolved_stage = STAGE_FINISHING;
        }
        if (!status && pipeline->resolved_stage == STAGE_RUNNING)
            status = cairn_resolver_run(pipeline->resolver, pipeline->element_batch,
                                        &pipeline->element_position, batch);
    }
    if (!status && !batch->count && pipeline->resolved_stage == STAGE_FINISHING) {
        status = cairn_resolver_finish(pipeline->resolver, batch);
        if (!batch->count)
            pipeline->resolved_stage = STAGE_ENDED;
    }
    return status;
}

static cairn_status next_flow(struct cli_pipeline *pipeline)
{
    struct cairn_flow_batch *batch = pipeline->flow_batch;
    cairn_status status = CAIRN_OK;

    batch->count = 0;
    while (!status && !batch->count && pipeline->flow_stage == STAGE_RUNNING) {
        if (pipeline->resolved_position == pipeline->resolved_batch->count) {
            status = next_resolved(pipeline);
            if (!status && !pipeline->resolved_batch->count)
                pipeline->flow_stage = STAGE_ENDED;
        }
        if (!status && pipeline->flow_stage == STAGE_RUNNING)
            status = cairn_flow_run(pipeline->flow, pipeline->resolved_batch,
                                    &pipeline->resolved_position, batch);
    }
    cairn_ledger_flow(&pipeline->ledger, batch);
    return status;
}

cairn_status cli_pipeline_next(struct cli_pipeline *pipeline)
{
    switch (pipeline->level) {
    case CLI_LEVEL_PACKETS: return next_packets(pipeline);
    case CLI_LEVEL_ELEMENTS: return next_elements(pipeline);
    case CLI_LEVEL_RESOLVED: return next_resolved(pipeline);
    case CLI_LEVEL_FLOW: return next_flow(pipeline);
    }
    return CAIRN_E_ARGUMENT;
}

const struct cairn_packet_batch *cli_pipeline_packets(const struct cli_pipeline *pipeline)
{
    return pipeline->packet_batch;
}

const struct cairn_element_batch *cli_pipeline_elements(const struct cli_pipeline *pipeline)
{
    return pipeline->level == CLI_LEVEL_RESOLVED ? pipeline->resolved_batch
                                                 : pipeline->element_batch;
}

const struct cairn_flow_batch *cli_pipeline_flow(const struct cli_pipeline *pipeline)
{
    return pipeline->flow_batch;
}

uint64_t cli_pipeline_file_offset(const struct cli_pipeline *pipeline, uint64_t offset)
{
    size_t count = pipeline->run_count;
    size_t low = count > CLI_RUNS_KEPT ? count - CLI_RUNS_KEPT : 0;
    size_t high = count;

    while (low < high) { /* the first run that begins behind the offset */
        size_t middle = low + (high - low) / 2;
        if (pipeline->runs[middle % CLI_RUNS_KEPT].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || (count > CLI_RUNS_KEPT && low == count - CLI_RUNS_KEPT))
        return UINT64_MAX;
    const struct cairn_run *run = &pipeline->runs[(low - 1) % CLI_RUNS_KEPT];
    if (offset - run->offset >= run->length)
        return UINT64_MAX;
    return run->file_offset + (offset - run->offset);
}

/* One kept byte; false when it is gone. */
static bool kept_byte(const struct cli_pipeline *pipeline, uint64_t offset, uint8_t *byte)
{
    const struct cairn_chunk *chunk = &pipeline->chunk;

    if (chunk->size && offset >= chunk->offset && offset - chunk->offset < chunk->size)
        *byte = chunk->data[offset - chunk->offset];
    else if (offset >= pipeline->head_offset &&
             offset - pipeline->head_offset < pipeline->head_count)
        *byte = pipeline->head[offset - pipeline->head_offset];
    else if (offset >= pipeline->tail_offset &&
             offset - pipeline->tail_offset < pipeline->tail_count)
        *byte = pipeline->tail[offset - pipeline->tail_offset];
    else
        return false;
    return true;
}

size_t cli_pipeline_bytes(const struct cli_pipeline *pipeline, uint64_t offset, uint64_t length,
                          uint8_t bytes[CLI_BYTES_KEPT])
{
    size_t wanted = length < CLI_BYTES_KEPT ? (size_t)length : CLI_BYTES_KEPT;
    size_t count = 0;

    while (count < wanted && kept_byte(pipeline, offset + count, &bytes[count]))
        count++;
    return count;
}

const struct cairn_ledger *cli_pipeline_ledger(const struct cli_pipeline *pipeline)
{
    return &pipeline->ledger;
}

uint64_t cli_pipeline_source_bytes(const struct cli_pipeline *pipeline)
{
    return pipeline->chunk.offset + pipeline->chunk_position;
}
