/* SPDX-License-Identifier: BSD-2-Clause */
#include <cairn/pipeline.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sizes.h"
#include "pipeline/begin.h"
#include "pipeline/levels.h"
#include "pipeline/words.h"

/* The engine wants much at once, and a part for each of its threads. Records are taken by one
 * thread, which takes longer than all decoding: there larger pieces would only be more memory. */
#define PIECE ((size_t)1 << 20)
#define PIECE_OF_JOB ((size_t)8 << 20)

#define FLAGS                                                                                      \
    (CAIRN_PIPELINE_REFERENCE | CAIRN_PIPELINE_COUNTS | CAIRN_PIPELINE_NO_PLACES |                 \
     CAIRN_PIPELINE_OWN_TOTALS)

struct cairn_pipeline {
    struct cairn_pipeline_options options;
    struct cairn_capture *capture;
    size_t source;
    struct cairn_image *image;
    struct cairn_config *config;
    struct cairn_intake *intake;
    struct cairn_level_stream *levels; /* one of these two */
    struct cairn_word_stream *words;
    struct cairn_consumers consumers;
    struct cairn_chosen chosen; /* of the levels' records: words have their own */
    bool begun;                 /* the consumers were told */
    bool stopped;
    /* Begun in the midst of the source: */
    bool amid;
    uint64_t amid_at;
    struct cairn_prefix prefix; /* of what is before */
    struct cairn_skipping skipping;
    struct cairn_search *search; /* of places to go on at */
    bool cycles_known;
    uint64_t cycles_before; /* that totals lack */
    bool undefined_told;    /* since */
};

static size_t piece_max(const struct cairn_pipeline_options *options)
{
    if (options->level != CAIRN_LEVEL_FLOW || options->flags & CAIRN_PIPELINE_REFERENCE)
        return 0;
    if (options->jobs <= 1 || !(options->flags & CAIRN_PIPELINE_COUNTS))
        return PIECE;
    return PIECE_OF_JOB * options->jobs;
}

/* The configuration of a source by the registers that its capture has. */
static cairn_status own_config(const struct cairn_capture *capture, size_t source,
                               struct cairn_config **config, struct cairn_error *error)
{
    struct cairn_source_config wanted = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_source_info info = {.size = sizeof info};
    const cairn_status status = cairn_capture_source(capture, source, &info);

    if (status)
        return cairn_fail(error, status, "the capture has no source %zu", source);
    wanted.protocol = info.protocol;
    wanted.arch = info.arch;
    wanted.source = (uint32_t)source;
    wanted.registers = info.registers;
    wanted.register_count = info.register_count;
    return cairn_config_new(&wanted, config, error);
}

static cairn_status read_options(const struct cairn_pipeline_options *options,
                                 struct cairn_pipeline_options *given, struct cairn_error *error)
{
    cairn_status status = cairn_options_read(given, sizeof *given, options);

    if (!status && (given->flags & ~FLAGS || given->level > CAIRN_LEVEL_FLOW))
        status = CAIRN_E_ARGUMENT;
    if (status)
        return cairn_fail(error, status,
                          "cairn_pipeline_new: begin with CAIRN_PIPELINE_OPTIONS_INIT, and set "
                          "nothing that version %s does not know",
                          cairn_version());
    return CAIRN_OK;
}

static cairn_status new_stream(struct cairn_pipeline *pipeline, struct cairn_image *image)
{
    const struct cairn_pipeline_options *options = &pipeline->options;

    if (options->level == CAIRN_LEVEL_FLOW && !(options->flags & CAIRN_PIPELINE_REFERENCE))
        return cairn_word_stream_new(pipeline->config, image, options, pipeline->intake,
                                     &pipeline->consumers, &pipeline->words);
    return cairn_level_stream_new(pipeline->config, image, options->level, pipeline->intake,
                                  &pipeline->levels);
}

/* Begins near options.from, if there is a place for it. */
static cairn_status begin_amid(struct cairn_pipeline *pipeline, struct cairn_error *error)
{
    const struct cairn_pipeline_options *options = &pipeline->options;
    struct cairn_beginning beginning;

    if (!options->from || options->level == CAIRN_LEVEL_RESOLVED ||
        (options->level == CAIRN_LEVEL_FLOW && options->flags & CAIRN_PIPELINE_REFERENCE))
        return CAIRN_OK;
    cairn_status status =
        cairn_beginning_find(pipeline->capture, pipeline->source, pipeline->config, pipeline->image,
                             options, &beginning, error);
    if (!status && beginning.found)
        status = cairn_intake_seek(pipeline->intake, beginning.offset);
    if (status || !beginning.found)
        return status;
    if (pipeline->words)
        cairn_word_stream_begin_at(pipeline->words, &beginning.standing);
    else
        cairn_level_stream_begin_at(pipeline->levels, beginning.offset);
    pipeline->amid = true;
    pipeline->amid_at = beginning.offset;
    return CAIRN_OK;
}

cairn_status cairn_pipeline_new(struct cairn_capture *capture, size_t source,
                                struct cairn_config *config, struct cairn_image *image,
                                const struct cairn_pipeline_options *options,
                                struct cairn_pipeline **pipeline, struct cairn_error *error)
{
    struct cairn_pipeline_options given = CAIRN_PIPELINE_OPTIONS_INIT;
    cairn_status status = read_options(options, &given, error);

    if (status)
        return status;
    struct cairn_pipeline *made = calloc(1, sizeof *made);
    if (!made)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory to decode a source");
    made->options = given;
    made->capture = capture;
    made->source = source;
    made->image = image ? image : cairn_capture_image(capture);
    cairn_chosen_begin(&made->chosen, given.chooses, given.chooses_context);
    const struct cairn_intake_watch watch = {given.progress, given.context};
    if (config)
        made->config = cairn_config_ref(config);
    else
        status = own_config(capture, source, &made->config, error);
    if (!status)
        status = cairn_intake_new(capture, source, piece_max(&given), &watch, &made->intake, error);
    if (!status)
        status = new_stream(made, made->image);
    if (!status)
        status = begin_amid(made, error);
    if (status) {
        cairn_pipeline_free(made);
        return status;
    }
    *pipeline = made;
    return CAIRN_OK;
}

void cairn_pipeline_free(struct cairn_pipeline *pipeline)
{
    if (!pipeline)
        return;
    cairn_word_stream_free(pipeline->words);
    cairn_level_stream_free(pipeline->levels);
    cairn_search_free(pipeline->search);
    cairn_intake_free(pipeline->intake);
    cairn_consumers_free(&pipeline->consumers);
    cairn_config_unref(pipeline->config);
    free(pipeline);
}

cairn_status cairn_pipeline_add(struct cairn_pipeline *pipeline,
                                const struct cairn_consumer *consumer)
{
    if (pipeline->begun || pipeline->options.level != CAIRN_LEVEL_FLOW)
        return CAIRN_E_ARGUMENT;
    return cairn_consumers_add(&pipeline->consumers, consumer);
}

static size_t batch_count(const struct cairn_pipeline *pipeline)
{
    switch (pipeline->options.level) {
    case CAIRN_LEVEL_PACKETS: return cairn_pipeline_packets(pipeline)->count;
    case CAIRN_LEVEL_ELEMENTS:
    case CAIRN_LEVEL_RESOLVED: return cairn_pipeline_elements(pipeline)->count;
    case CAIRN_LEVEL_FLOW: return cairn_pipeline_flow(pipeline)->count;
    }
    return 0;
}

static cairn_status begin(struct cairn_pipeline *pipeline)
{
    if (pipeline->begun)
        return CAIRN_OK;
    pipeline->begun = true;
    return cairn_consumers_begin(&pipeline->consumers, pipeline->config);
}

/* What was counted is told even where the source failed: it was executed. */
static cairn_status end(struct cairn_pipeline *pipeline, cairn_status status)
{
    if (pipeline->words) {
        const cairn_status told = cairn_word_stream_close(pipeline->words);
        status = status ? status : told;
    }
    cairn_consumers_end(&pipeline->consumers, cairn_pipeline_ledger(pipeline), status);
    return status;
}

void cairn_pipeline_until(struct cairn_pipeline *pipeline, uint64_t offset)
{
    cairn_intake_until(pipeline->intake, offset);
}

void cairn_pipeline_repeat_undefined(struct cairn_pipeline *pipeline)
{
    pipeline->undefined_told = true;
}

/* --- what is not wanted --- */

/* Goes on at a place before `from`, if there is one that is not behind. */
static cairn_status jump(struct cairn_pipeline *pipeline, uint64_t from)
{
    const uint64_t lowest = cairn_word_stream_source_bytes(pipeline->words);
    struct cairn_beginning beginning;
    cairn_status status = CAIRN_OK;

    if (from <= lowest)
        return CAIRN_OK;
    if (!pipeline->search)
        status = cairn_search_new(pipeline->capture, pipeline->source, pipeline->config,
                                  pipeline->image, &pipeline->options, &pipeline->search, NULL);
    if (!status)
        status = cairn_search_between(pipeline->search, lowest, from, &beginning);
    if (status || !beginning.found)
        return status;
    status = cairn_intake_seek(pipeline->intake, beginning.offset);
    if (!status)
        cairn_word_stream_jump(pipeline->words, &beginning.standing, from);
    return status;
}

static cairn_status ask(void *context, uint64_t reached)
{
    struct cairn_pipeline *pipeline = context;
    const struct cairn_skipping *skipping = &pipeline->skipping;
    const uint64_t from = skipping->next(skipping->context, reached);

    if (from == UINT64_MAX)
        cairn_word_stream_stop(pipeline->words);
    return from <= reached || from == UINT64_MAX ? CAIRN_OK : jump(pipeline, from);
}

bool cairn_pipeline_skip(struct cairn_pipeline *pipeline, const struct cairn_skipping *skipping)
{
    if (!pipeline->words || pipeline->begun || !cairn_word_stream_can_jump(pipeline->words))
        return false;
    pipeline->skipping = *skipping;
    cairn_word_stream_ask(pipeline->words, ask, pipeline);
    return true;
}

/* --- begun in the midst: what only counting all before can tell --- */

/* Records of packets so many bytes behind another may come before it. */
#define LATE_BYTES (UINT64_C(1) << 20)

/* For a record of a packet at `offset`. */
static cairn_status know_prefix(struct cairn_pipeline *pipeline, uint64_t offset)
{
    const uint64_t until = offset < UINT64_MAX - LATE_BYTES ? offset + LATE_BYTES : UINT64_MAX;

    return cairn_prefix_count(pipeline->capture, pipeline->source, pipeline->config,
                              pipeline->image, &pipeline->options, pipeline->amid_at, until,
                              &pipeline->prefix);
}

/* The first Cycle Count that is wanted: what the totals lack. */
static cairn_status know_cycles(struct cairn_pipeline *pipeline,
                                const struct cairn_flow_batch *batch, size_t index)
{
    cairn_status status;

    if (pipeline->cycles_known)
        return CAIRN_OK;
    pipeline->cycles_known = true;
    status = know_prefix(pipeline, batch->offset[index]);
    if (pipeline->prefix.counted)
        pipeline->cycles_before = pipeline->prefix.cycles - batch->address[index];
    return status;
}

static void drop_record(struct cairn_flow_batch *batch, size_t index)
{
    const size_t left = --batch->count - index;

    memmove(batch->kind + index, batch->kind + index + 1, left * sizeof *batch->kind);
    memmove(batch->isa + index, batch->isa + index + 1, left * sizeof *batch->isa);
    memmove(batch->flags + index, batch->flags + index + 1, left * sizeof *batch->flags);
    memmove(batch->instructions + index, batch->instructions + index + 1,
            left * sizeof *batch->instructions);
    memmove(batch->offset + index, batch->offset + index + 1, left * sizeof *batch->offset);
    memmove(batch->length + index, batch->length + index + 1, left * sizeof *batch->length);
    memmove(batch->address + index, batch->address + index + 1, left * sizeof *batch->address);
    memmove(batch->value + index, batch->value + index + 1, left * sizeof *batch->value);
}

static bool is_undefined(const struct cairn_flow_batch *batch, size_t i)
{
    return batch->kind[i] == CAIRN_FLOW_WARNING && batch->value[i] == CAIRN_WARNING_UNDEFINED;
}

/* Totals begin at the beginning of the source, and an undefined instruction is not told of again
 * before another one is. What is before `from` nobody looks at. */
static cairn_status add_prefix(struct cairn_pipeline *pipeline, struct cairn_flow_batch *batch)
{
    const bool totals = !(pipeline->options.flags & CAIRN_PIPELINE_OWN_TOTALS);
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < batch->count && !status; i++) {
        const bool wanted = batch->offset[i] >= pipeline->options.from;

        if (batch->kind[i] == CAIRN_FLOW_CYCLES && totals && wanted) {
            status = know_cycles(pipeline, batch, i);
            batch->address[i] += pipeline->cycles_before;
        } else if (is_undefined(batch, i) && !pipeline->undefined_told) {
            if (wanted)
                status = know_prefix(pipeline, batch->offset[i]);
            pipeline->undefined_told = true;
            if (wanted && pipeline->prefix.undefined &&
                pipeline->prefix.undefined_at == batch->address[i])
                drop_record(batch, i--);
        }
    }
    return status;
}

/* Of the levels' flow, what is wanted; true where nothing is of a batch that had some. */
static bool choose_records(struct cairn_pipeline *pipeline)
{
    if (pipeline->options.level != CAIRN_LEVEL_FLOW || !batch_count(pipeline))
        return false;
    cairn_chosen_records(&pipeline->chosen, cairn_level_stream_flow(pipeline->levels));
    return !batch_count(pipeline);
}

/* A batch of the level; of one that has lost its only record, the next. */
static cairn_status next_batch(struct cairn_pipeline *pipeline)
{
    cairn_status status = CAIRN_OK;
    bool again = true;

    while (!status && again) {
        status = pipeline->words ? cairn_word_stream_next(pipeline->words)
                                 : cairn_level_stream_next(pipeline->levels);
        again = !pipeline->words && choose_records(pipeline);
        if (!status && pipeline->amid && pipeline->words && batch_count(pipeline)) {
            status = add_prefix(pipeline, cairn_word_stream_flow(pipeline->words));
            again = !batch_count(pipeline);
        }
    }
    return status;
}

cairn_status cairn_pipeline_next(struct cairn_pipeline *pipeline)
{
    if (pipeline->stopped)
        return CAIRN_E_ARGUMENT;
    cairn_status status = begin(pipeline);
    if (!status)
        status = next_batch(pipeline);
    if (pipeline->options.level == CAIRN_LEVEL_FLOW && batch_count(pipeline)) {
        const cairn_status told =
            cairn_consumers_events(&pipeline->consumers, cairn_pipeline_flow(pipeline));
        status = status ? status : told;
    }
    return status || !batch_count(pipeline) ? end(pipeline, status) : CAIRN_OK;
}

cairn_status cairn_pipeline_stop(struct cairn_pipeline *pipeline)
{
    cairn_status status = begin(pipeline);

    pipeline->stopped = true;
    return end(pipeline, status);
}

cairn_status cairn_pipeline_run(struct cairn_pipeline *pipeline)
{
    cairn_status status;

    do
        status = cairn_pipeline_next(pipeline);
    while (!status && batch_count(pipeline));
    return status;
}

const struct cairn_packet_batch *cairn_pipeline_packets(const struct cairn_pipeline *pipeline)
{
    return pipeline->options.level == CAIRN_LEVEL_PACKETS
               ? cairn_level_stream_packets(pipeline->levels)
               : NULL;
}

const struct cairn_element_batch *cairn_pipeline_elements(const struct cairn_pipeline *pipeline)
{
    return pipeline->options.level == CAIRN_LEVEL_ELEMENTS ||
                   pipeline->options.level == CAIRN_LEVEL_RESOLVED
               ? cairn_level_stream_elements(pipeline->levels)
               : NULL;
}

const struct cairn_flow_batch *cairn_pipeline_flow(const struct cairn_pipeline *pipeline)
{
    return pipeline->words ? cairn_word_stream_flow(pipeline->words)
                           : cairn_level_stream_flow(pipeline->levels);
}

uint64_t cairn_pipeline_file_offset(const struct cairn_pipeline *pipeline, uint64_t offset)
{
    return cairn_intake_file_offset(pipeline->intake, offset);
}

size_t cairn_pipeline_bytes(const struct cairn_pipeline *pipeline, uint64_t offset, uint64_t length,
                            uint8_t *bytes, size_t capacity)
{
    if (pipeline->options.level != CAIRN_LEVEL_PACKETS)
        return 0;
    return cairn_level_stream_bytes(pipeline->levels, offset, length, bytes, capacity);
}

const struct cairn_ledger *cairn_pipeline_ledger(const struct cairn_pipeline *pipeline)
{
    return pipeline->words ? cairn_word_stream_ledger(pipeline->words)
                           : cairn_level_stream_ledger(pipeline->levels);
}

uint64_t cairn_pipeline_source_bytes(const struct cairn_pipeline *pipeline)
{
    return pipeline->words ? cairn_word_stream_source_bytes(pipeline->words)
                           : cairn_level_stream_source_bytes(pipeline->levels);
}

struct cairn_config *cairn_pipeline_config(const struct cairn_pipeline *pipeline)
{
    return pipeline->config;
}
