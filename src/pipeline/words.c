/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/words.h"

#include <stdlib.h>

#include "flow/begin.h"
#include "flow/cursor.h"
#include "flow/follow.h"
#include "protocol/protocol.h"

#define BATCH_WORDS 16384
#define BATCH_WORDS_OF_PARTS 2048 /* where the source is gone through in places */
#define BATCH_FLOW 4096

enum stage {
    STAGE_RUNNING = 0,
    STAGE_FINISHING = 1, /* its input has ended */
    STAGE_ENDED = 2,
};

/* What of words that are passed over is to be given. */
enum pass {
    PASS_NOTHING = 0,
    PASS_EVENTS = 1, /* those before the first of them, */
    PASS_RECORD = 2, /* and then the record that stands for them */
};

struct cairn_word_stream {
    bool counting; /* ranges that only need it are counted */
    enum stage stage;
    struct cairn_intake *intake;
    const struct cairn_consumers *consumers;
    struct cairn_chosen chosen;
    struct cairn_piece piece;
    size_t piece_position;
    struct cairn_engine *engine;
    struct cairn_word_batch *batch;
    struct cairn_flow_batch *flow_batch;

    bool can_lose; /* the protocol can be taken up again */
    bool
        lost; /* trace was lost in front of the piece, and what is before it is to be given first */
    bool waiting; /* the batch has more to give */
    bool amid;    /* it begins in the midst of the source, with `context`, which is to be told */
    uint64_t amid_at;
    struct cairn_context context;
    struct cairn_word_cursor *cursor;
    cairn_status (*ask)(void *context, uint64_t reached); /* or NULL */
    void *ask_context;
    uint64_t reached; /* the last word given */
    uint64_t from;    /* ranges of packets before it are not wanted */

    /* Where ranges are counted: the batch's events, and its words that tell something, are given in
     * parts: up to one such word, and at last what is behind all of them. */
    struct cairn_tally tally;
    bool telling; /* the batch has such words */
    bool in_part;
    bool last_part;
    bool tells_passes; /* where ranges are passed over a record says so: */
    enum pass pass;
    size_t part_begin;
    size_t part_end;
    size_t pass_end; /* words up to there are passed over */
};

static cairn_status new_engine(struct cairn_word_stream *stream, struct cairn_config *config,
                               struct cairn_image *image,
                               const struct cairn_pipeline_options *options)
{
    struct cairn_engine_options wanted = CAIRN_ENGINE_OPTIONS_INIT;

    wanted.jobs = options->jobs;
    wanted.table_bytes = options->table_bytes;
    if (options->flags & CAIRN_PIPELINE_COUNTS && options->flags & CAIRN_PIPELINE_NO_PLACES)
        wanted.flags |= CAIRN_ENGINE_NO_PACKETS;
    return cairn_engine_new(config, image, &wanted, &stream->engine);
}

cairn_status cairn_word_stream_new(struct cairn_config *config, struct cairn_image *image,
                                   const struct cairn_pipeline_options *options,
                                   struct cairn_intake *intake,
                                   const struct cairn_consumers *consumers,
                                   struct cairn_word_stream **stream)
{
    struct cairn_word_stream *made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    made->counting = options->flags & CAIRN_PIPELINE_COUNTS;
    made->tells_passes = made->counting && options->wants;
    cairn_chosen_begin(&made->chosen, options->chooses, options->chooses_context);
    made->tally.wants = options->wants;
    made->tally.context = options->wants_context;
    made->can_lose = config->protocol->packets_amid != NULL;
    made->intake = intake;
    made->consumers = consumers;
    cairn_status status = new_engine(made, config, image, options);
    if (!status)
        status = cairn_word_batch_new(BATCH_WORDS, true, &made->batch);
    if (!status)
        status = cairn_word_cursor_new(&made->cursor);
    if (!status)
        status = cairn_flow_batch_new(BATCH_FLOW, &made->flow_batch);
    if (status) {
        cairn_word_stream_free(made);
        return status;
    }
    *stream = made;
    return CAIRN_OK;
}

void cairn_word_stream_free(struct cairn_word_stream *stream)
{
    if (!stream)
        return;
    cairn_tally_free(&stream->tally);
    cairn_flow_batch_free(stream->flow_batch);
    cairn_word_cursor_free(stream->cursor);
    cairn_word_batch_free(stream->batch);
    cairn_engine_free(stream->engine);
    free(stream);
}

void cairn_word_stream_begin_at(struct cairn_word_stream *stream,
                                const struct cairn_standing *standing)
{
    cairn_standing_put(standing, stream->engine);
    stream->amid = true;
    stream->amid_at = standing->offset;
    stream->context = standing->context;
    cairn_chosen_context(&stream->chosen, &standing->context);
    stream->piece.offset = standing->offset;
}

void cairn_word_stream_jump(struct cairn_word_stream *stream, const struct cairn_standing *standing,
                            uint64_t from)
{
    struct cairn_standing there = *standing;

    stream->from = from;
    there.total_cycles = stream->engine->levels->flow->total_cycles;
    cairn_word_stream_begin_at(stream, &there);
    stream->engine->unfinished = false;
    stream->piece.size = 0;
    stream->piece_position = 0;
    stream->lost = false;
    stream->stage = STAGE_RUNNING;
    cairn_word_cursor_jump(stream->cursor);
}

void cairn_word_stream_stop(struct cairn_word_stream *stream)
{
    stream->stage = STAGE_ENDED;
}

void cairn_word_stream_ask(struct cairn_word_stream *stream,
                           cairn_status (*ask)(void *context, uint64_t reached), void *context)
{
    if (stream->batch->capacity > BATCH_WORDS_OF_PARTS)
        stream->batch->capacity = BATCH_WORDS_OF_PARTS;
    stream->ask = ask;
    stream->ask_context = context;
}

bool cairn_word_stream_can_jump(const struct cairn_word_stream *stream)
{
    return stream->engine->options.jobs <= 1 && cairn_begin_can(stream->engine);
}

/* The record of the context that there is already. */
static void tell_context(struct cairn_word_stream *stream)
{
    const struct cairn_context *context = &stream->context;
    struct cairn_flow_batch *out = stream->flow_batch;

    stream->amid = false;
    out->kind[0] = CAIRN_FLOW_CONTEXT;
    out->isa[0] = 0;
    out->flags[0] = 0;
    out->instructions[0] = 0;
    out->offset[0] = stream->amid_at;
    out->length[0] = 0;
    out->address[0] = (uint64_t)context->vmid << 32 | context->context_id;
    out->value[0] =
        (uint64_t)context->EL | (uint64_t)context->security << 2 | (uint64_t)context->SF << 4;
    out->count = 1;
}

/* The next piece, when the one in hand is used up. */
static cairn_status provide(struct cairn_word_stream *stream)
{
    if (stream->piece_position < stream->piece.size)
        return CAIRN_OK;
    cairn_status status = cairn_intake_next(stream->intake, &stream->piece);
    if (status)
        return status;
    stream->piece_position = 0;
    stream->lost = stream->piece.lost && stream->can_lose;
    if (!stream->piece.size || stream->lost)
        stream->stage = STAGE_FINISHING;
    return CAIRN_OK;
}

/* Nothing is left of what came before. */
static cairn_status go_on_behind(struct cairn_word_stream *stream)
{
    stream->stage = stream->lost ? STAGE_RUNNING : STAGE_ENDED;
    if (!stream->lost)
        return CAIRN_OK;
    stream->lost = false;
    return cairn_engine_lose(stream->engine);
}

static cairn_status run(struct cairn_word_stream *stream)
{
    struct cairn_word_batch *batch = stream->batch;
    cairn_status status = CAIRN_OK;

    if (stream->stage == STAGE_RUNNING)
        status = provide(stream);
    if (status)
        return status;
    if (stream->stage == STAGE_RUNNING) {
        status = cairn_engine_run(stream->engine, stream->piece.data, stream->piece.size,
                                  &stream->piece_position, batch);
        cairn_intake_progress(stream->intake, stream->piece_position);
        return status;
    }
    status = cairn_engine_finish(stream->engine, batch);
    if (!status && !batch->count && !batch->event_count && !batch->dictionary_ends)
        status = go_on_behind(stream);
    return status;
}

/* The counts of the dictionary in use, to the consumers. */
static cairn_status tell_counts(struct cairn_word_stream *stream)
{
    if (!stream->counting || !stream->batch->dictionary)
        return CAIRN_OK;
    return cairn_consumers_dictionary(stream->consumers, stream->batch->dictionary, &stream->tally);
}

/* Refills the batch of words. */
static cairn_status refill(struct cairn_word_stream *stream)
{
    struct cairn_word_batch *batch = stream->batch;
    cairn_status status = batch->dictionary_ends ? tell_counts(stream) : CAIRN_OK;

    batch->dictionary_ends = false;
    batch->count = 0;
    batch->event_count = 0;
    if (!status)
        status = run(stream);
    if (!status)
        cairn_chosen_words(&stream->chosen, batch);
    stream->tally.counts = cairn_consumers_want_counts(stream->consumers);
    if (!status && batch->dictionary && stream->counting)
        status = cairn_tally_add(&stream->tally, batch, &stream->telling);
    if (!status && batch->dictionary)
        status = cairn_consumers_words(stream->consumers, batch);
    if (status)
        return status;
    cairn_word_cursor_next(stream->cursor);
    stream->part_end = 0;
    stream->waiting = batch->count || batch->event_count;
    if (batch->count)
        stream->reached = batch->offset[batch->count - 1];
    return CAIRN_OK;
}

/* The first word from number `first` on, in front of `end`, that stands behind a range among the events:
 * that it is passed over has to be told behind that. */
static size_t find_split(const struct cairn_word_stream *stream, size_t first, size_t end)
{
    const struct cairn_word_batch *batch = stream->batch;

    for (size_t i = stream->cursor->event; i < batch->event_count; i++) {
        const struct cairn_word_event *event = cairn_word_event_at(batch, i);

        if (event->word >= end)
            break;
        if (event->word > first && event->kind == CAIRN_FLOW_RANGE && event->instructions)
            return event->word;
    }
    return end;
}

static void begin_part(struct cairn_word_stream *stream)
{
    const struct cairn_word_batch *batch = stream->batch;
    const size_t begin = stream->part_end;
    size_t telling = batch->count;
    size_t word;

    if (stream->telling)
        telling = cairn_tally_telling(&stream->tally, batch, begin);
    word = stream->tells_passes ? find_split(stream, begin, telling) : telling;
    stream->part_begin = begin;
    stream->pass_end = word;
    stream->pass = stream->tells_passes && word > begin ? PASS_EVENTS : PASS_NOTHING;
    if (stream->pass == PASS_NOTHING)
        cairn_word_cursor_pass(stream->cursor, word);
    stream->part_end = word == telling && word < batch->count ? word + 1 : word;
    stream->last_part = word == batch->count; /* of which the events are left */
    stream->in_part = true;
}

/* The words of a part that are not given, if there are any. */
static cairn_status give_pass(struct cairn_word_stream *stream)
{
    struct cairn_flow_batch *out = stream->flow_batch;
    struct cairn_word_batch before = *stream->batch;
    cairn_status status = CAIRN_OK;

    if (stream->pass == PASS_EVENTS) {
        before.count = stream->part_begin;
        status = cairn_words_records(&before, stream->cursor, out);
        if (status || out->count == out->capacity || !cairn_word_cursor_wait(stream->cursor, out) ||
            out->count == out->capacity)
            return status;
        stream->pass = PASS_RECORD;
    }
    if (stream->pass == PASS_RECORD) {
        const size_t i = out->count++;
        out->kind[i] = CAIRN_FLOW_RANGE;
        out->isa[i] = 0;
        out->flags[i] = 0;
        out->instructions[i] = 0;
        out->offset[i] = stream->batch->offset[stream->part_begin];
        out->length[i] = 0;
        out->address[i] = 0;
        out->value[i] = 0;
        stream->pass = PASS_NOTHING;
        cairn_word_cursor_pass(stream->cursor, stream->pass_end);
    }
    return status;
}

/* Gives what is not counted, as far as the flow batch has room. */
static cairn_status give_telling(struct cairn_word_stream *stream)
{
    struct cairn_flow_batch *out = stream->flow_batch;
    cairn_status status = CAIRN_OK;

    while (!status && stream->waiting && out->count < out->capacity) {
        if (!stream->in_part)
            begin_part(stream);
        status = give_pass(stream);
        if (status || out->count == out->capacity)
            break;
        struct cairn_word_batch part = *stream->batch;
        part.count = stream->part_end;
        status = stream->last_part ? cairn_words_events(stream->batch, stream->cursor, out)
                                   : cairn_words_records(&part, stream->cursor, out);
        if (out->count == out->capacity)
            break;
        stream->in_part = false;
        if (stream->last_part)
            stream->waiting = false;
    }
    return status;
}

/* Passes over words all of whose packets are before what is wanted: the last of those that begin
 * there is none of them. */
static void pass_before(struct cairn_word_stream *stream)
{
    const struct cairn_word_batch *batch = stream->batch;
    size_t word = 0;

    while (word < batch->count && batch->offset[word] < stream->from)
        word++;
    if (word < batch->count)
        stream->from = 0;
    if (word > 1)
        cairn_word_cursor_pass(stream->cursor, word - 1);
}

static cairn_status give(struct cairn_word_stream *stream)
{
    struct cairn_flow_batch *out = stream->flow_batch;

    if (stream->counting)
        return give_telling(stream);
    if (stream->from)
        pass_before(stream);
    cairn_status status = cairn_words_records(stream->batch, stream->cursor, out);
    stream->waiting = out->count == out->capacity;
    return status;
}

/* Another batch, or the context at another place. */
static cairn_status go_on(struct cairn_word_stream *stream)
{
    cairn_status status = CAIRN_OK;

    if (stream->ask && stream->stage == STAGE_RUNNING)
        status = stream->ask(stream->ask_context, stream->reached);
    if (status || stream->stage == STAGE_ENDED)
        return status;
    if (!stream->amid)
        return refill(stream);
    tell_context(stream);
    return CAIRN_OK;
}

cairn_status cairn_word_stream_next(struct cairn_word_stream *stream)
{
    cairn_status status = CAIRN_OK;

    stream->flow_batch->count = 0;
    if (stream->amid)
        tell_context(stream);
    while (!status && !stream->flow_batch->count && stream->stage != STAGE_ENDED) {
        if (stream->waiting)
            status = give(stream);
        else if (!cairn_intake_goes_on(stream->intake))
            stream->stage = STAGE_ENDED;
        else
            status = go_on(stream);
    }
    return status;
}

struct cairn_flow_batch *cairn_word_stream_flow(const struct cairn_word_stream *stream)
{
    return stream->flow_batch;
}

cairn_status cairn_word_stream_close(struct cairn_word_stream *stream)
{
    return tell_counts(stream);
}

const struct cairn_ledger *cairn_word_stream_ledger(const struct cairn_word_stream *stream)
{
    return cairn_engine_ledger(stream->engine);
}

uint64_t cairn_word_stream_source_bytes(const struct cairn_word_stream *stream)
{
    return stream->piece.offset + stream->piece_position;
}
