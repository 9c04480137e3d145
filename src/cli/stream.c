/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream.h"

#include <stdio.h>

#include "cli/protocols.h"
#include "report/data.h"
#include "report/people.h"

/* Resolved records come later than their packets, and not strictly in the packets' order: how many
 * bytes behind --to one may still come from before it. */
#define LATE_BYTES (UINT64_C(1) << 20)

static void refuse(struct cli_stream *stream, enum cli_stream_state state, cairn_status status)
{
    stream->state = state;
    if (!stream->why.status)
        snprintf(stream->why.text, sizeof stream->why.text, "%s: %s", stream->info.name,
                 cairn_status_text(status));
    stream->why.status = status;
}

static void refuse_protocol(struct cli_stream *stream)
{
    const struct cairn_source_info *info = &stream->info;
    char words[CLI_PROTOCOLS_TEXT];

    if (info->protocol == CAIRN_PROTOCOL_UNKNOWN && !info->type) {
        cli_protocols_choice(false, words);
        snprintf(stream->why.text, sizeof stream->why.text,
                 "not decoded: no trace unit is configured for it; for a raw buffer give "
                 "--protocol (%s)",
                 words);
    } else if (cairn_protocol_decodes_packets(info->protocol)) {
        cli_protocols_packets_only(info->protocol, words);
        snprintf(stream->why.text, sizeof stream->why.text, "%s", words);
    } else {
        cli_protocols_sentence(words);
        snprintf(stream->why.text, sizeof stream->why.text, "not decoded: %s (%s)",
                 info->type ? info->type : cairn_protocol_name(info->protocol), words);
    }
    stream->why.status = CAIRN_E_UNSUPPORTED;
    stream->state = CLI_STREAM_REFUSED;
}

/* A summary needs no range by itself, unless only some of them count, or their order does. */
static bool counts_only(const struct cli_options *options)
{
    return options->detail == CLI_DETAIL_SUMMARY && !options->merge && !options->from &&
           options->to == UINT64_MAX;
}

/* Merged sources are decoded side by side, and share the threads. */
static uint32_t jobs_of(const struct cli_session *session)
{
    uint32_t jobs = session->options->jobs;
    size_t sources = session->options->merge && session->source_count ? session->source_count : 1;

    return jobs / sources ? (uint32_t)(jobs / sources) : 1;
}

static bool decodes(enum cairn_protocol_id protocol, enum cairn_level level)
{
    return level == CAIRN_LEVEL_PACKETS ? cairn_protocol_decodes_packets(protocol)
                                        : cairn_protocol_decodes(protocol);
}

void cli_stream_open(struct cli_stream *stream, struct cli_session *session, size_t source,
                     enum cairn_level level)
{
    struct cairn_image *image = cairn_capture_image(session->capture);
    cairn_status status;

    *stream = (struct cli_stream){
        .info.size = sizeof stream->info, .buffer.size = sizeof stream->buffer, .level = level};
    stream->listing.people = cairn_people_new(&session->people);
    if (!stream->listing.people) {
        refuse(stream, CLI_STREAM_REFUSED, CAIRN_E_MEMORY);
        return;
    }
    status = cairn_capture_source(session->capture, source, &stream->info);
    if (!status)
        status = cairn_capture_buffer(session->capture, stream->info.buffer, &stream->buffer);
    if (status) {
        refuse(stream, CLI_STREAM_REFUSED, status);
        return;
    }
    stream->listing.output = session->output;
    stream->listing.source = &stream->info;
    stream->listing.buffer = stream->buffer.name;
    if (session->options->detail == CLI_DETAIL_RANGES)
        stream->listing.detail = CAIRN_DETAIL_RANGES;
    if (session->options->detail == CLI_DETAIL_DATA)
        stream->listing.detail = CAIRN_DETAIL_DATA;
    if (!decodes(stream->info.protocol, level)) {
        refuse_protocol(stream);
        return;
    }
    stream->config = cli_session_config(session, source, &stream->why);
    if (!stream->config) {
        refuse(stream, CLI_STREAM_REFUSED, stream->why.status);
        return;
    }
    stream->listing.config = stream->config;
    cli_progress_start(&stream->progress, stream->info.name, stream->buffer.bytes);
    stream->counted = level == CAIRN_LEVEL_FLOW && counts_only(session->options);
    const struct cairn_pipeline_options wanted = {
        .size = sizeof wanted,
        .level = level,
        .flags = (stream->counted ? CAIRN_PIPELINE_COUNTS | CAIRN_PIPELINE_NO_PLACES : 0) |
                 (session->options->reference ? CAIRN_PIPELINE_REFERENCE : 0),
        .jobs = jobs_of(session),
        .table_bytes = session->options->table_bytes,
        .progress = cli_progress_watch,
        .context = &stream->progress,
    };
    status = cairn_pipeline_new(session->capture, source, stream->config, image, &wanted,
                                &stream->pipeline, &stream->why);
    if (!status && stream->counted) {
        const struct cairn_consumer counts = cairn_summary_of_counts(&stream->summary);
        status = cairn_pipeline_add(stream->pipeline, &counts);
    }
    if (!status && level == CAIRN_LEVEL_FLOW)
        status = cairn_code_new(stream->config, image, &stream->listing.code);
    if (status)
        refuse(stream, CLI_STREAM_REFUSED, status);
}

void cli_stream_close(struct cli_stream *stream)
{
    cli_progress_end(&stream->progress);
    cairn_people_free(stream->listing.people);
    cairn_code_free(stream->listing.code);
    cairn_pipeline_free(stream->pipeline);
    cairn_config_unref(stream->config);
}

static size_t batch_count(const struct cli_stream *stream)
{
    switch (stream->level) {
    case CAIRN_LEVEL_PACKETS: return cairn_pipeline_packets(stream->pipeline)->count;
    case CAIRN_LEVEL_ELEMENTS:
    case CAIRN_LEVEL_RESOLVED: return cairn_pipeline_elements(stream->pipeline)->count;
    case CAIRN_LEVEL_FLOW: return cairn_pipeline_flow(stream->pipeline)->count;
    }
    return 0;
}

bool cli_stream_ready(struct cli_stream *stream)
{
    if (stream->state != CLI_STREAM_RUNNING)
        return false;
    if (stream->index < stream->count)
        return true;
    cairn_status status = cairn_pipeline_next(stream->pipeline);
    stream->index = 0;
    stream->count = batch_count(stream);
    if (stream->count)
        return true;
    stream->state = CLI_STREAM_ENDED;
    if (status)
        refuse(stream, CLI_STREAM_FAILED, status);
    return false;
}

static bool packet_timestamp(const struct cairn_packet_batch *batch, size_t index, uint64_t *time)
{
    *time = cairn_packet_fields_at(batch, index)->value;
    return cairn_packet_fields_at(batch, index)->flags & CAIRN_PACKET_HAS_TIMESTAMP;
}

static bool element_timestamp(const struct cairn_element_batch *batch, size_t index, uint64_t *time)
{
    *time = cairn_element_data_at(batch, index)->value;
    return batch->kind[index] == CAIRN_ELEMENT_TIMESTAMP &&
           !(batch->flags[index] & CAIRN_ELEMENT_UNKNOWN);
}

static bool flow_timestamp(const struct cairn_flow_batch *batch, size_t index, uint64_t *time)
{
    *time = batch->value[index];
    return batch->kind[index] == CAIRN_FLOW_TIMESTAMP &&
           !(batch->flags[index] & CAIRN_FLOW_UNKNOWN);
}

bool cli_stream_timestamp(const struct cli_stream *stream, uint64_t *time)
{
    switch (stream->level) {
    case CAIRN_LEVEL_PACKETS:
        return packet_timestamp(cairn_pipeline_packets(stream->pipeline), stream->index, time);
    case CAIRN_LEVEL_ELEMENTS:
    case CAIRN_LEVEL_RESOLVED:
        return element_timestamp(cairn_pipeline_elements(stream->pipeline), stream->index, time);
    case CAIRN_LEVEL_FLOW:
        return flow_timestamp(cairn_pipeline_flow(stream->pipeline), stream->index, time);
    }
    return false;
}

static bool in_range(const struct cli_options *options, uint64_t offset)
{
    return offset >= options->from && offset < options->to;
}

static struct cairn_origin origin_of(const struct cli_stream *stream, uint64_t offset,
                                     uint64_t length)
{
    return (struct cairn_origin){
        .offset = offset,
        .length = length,
        .file_offset = cairn_pipeline_file_offset(stream->pipeline, offset),
    };
}

static void print_packet(struct cli_stream *stream, const struct cli_options *options,
                         const struct cairn_report *report)
{
    const struct cairn_packet_batch *batch = cairn_pipeline_packets(stream->pipeline);
    size_t index = stream->index;
    uint8_t bytes[CAIRN_PACKET_BYTES_KEPT];

    stream->offset = batch->offset[index];
    if (stream->offset >= options->to)
        stream->state = CLI_STREAM_ENDED;
    if (!in_range(options, stream->offset))
        return;
    struct cairn_origin origin = origin_of(stream, stream->offset, batch->length[index]);
    origin.bytes = bytes;
    origin.byte_count =
        cairn_pipeline_bytes(stream->pipeline, origin.offset, origin.length, bytes, sizeof bytes);
    report->packet(&stream->listing, batch, index, &origin);
}

static void print_element(struct cli_stream *stream, const struct cli_options *options,
                          const struct cairn_report *report)
{
    const struct cairn_element_batch *batch = cairn_pipeline_elements(stream->pipeline);
    uint64_t late = stream->level == CAIRN_LEVEL_RESOLVED ? LATE_BYTES : 0;
    size_t index = stream->index;

    stream->offset = batch->offset[index];
    if (stream->offset >= options->to && stream->offset - options->to >= late)
        stream->state = CLI_STREAM_ENDED;
    if (!in_range(options, stream->offset))
        return;
    struct cairn_origin origin = origin_of(stream, stream->offset, batch->length[index]);
    report->element(&stream->listing, batch, index, &origin);
}

/* The transfers of an instruction that are held. Counted back from the last one they are those in
 * front of its end, if there was no other behind it. */
static void give_held(struct cli_stream *stream, const struct cli_options *options,
                      const struct cairn_report *report, bool complete)
{
    const struct cairn_flow_batch batch = cli_held_batch(&stream->held);

    if (batch.count == 0)
        return;
    cairn_data_count(&stream->listing, &batch, complete);
    for (size_t i = 0; i < batch.count; i++) {
        if (!in_range(options, batch.offset[i]))
            continue;
        stream->data++;
        cairn_code_select(stream->listing.code, batch.offset[i]);
        report->flow(&stream->listing, &batch, i, &stream->held.origin[i]);
    }
    stream->held.count = 0;
}

void cli_stream_flush(struct cli_stream *stream, const struct cli_options *options,
                      const struct cairn_report *report)
{
    give_held(stream, options, report, false);
    if (report->end && stream->listing.code)
        report->end(&stream->listing);
}

/* The current record, for a listing of data alone. */
static void take_data(struct cli_stream *stream, const struct cli_options *options,
                      const struct cairn_report *report)
{
    const struct cairn_flow_batch *batch = cairn_pipeline_flow(stream->pipeline);
    const size_t index = stream->index;
    struct cairn_origin origin;

    switch (cli_held_next(&stream->held, batch, index)) {
    case CLI_HELD_GOES_ON: break;
    case CLI_HELD_COMPLETE: give_held(stream, options, report, true); break;
    case CLI_HELD_BROKEN: give_held(stream, options, report, false); break;
    }
    if (batch->kind[index] != CAIRN_FLOW_DATA)
        return;
    origin = origin_of(stream, batch->offset[index], batch->length[index]);
    cli_held_add(&stream->held, batch, index, &origin);
}

static void print_flow(struct cli_stream *stream, const struct cli_options *options,
                       const struct cairn_report *report)
{
    const struct cairn_flow_batch *batch = cairn_pipeline_flow(stream->pipeline);
    size_t index = stream->index;

    stream->offset = batch->offset[index];
    if (batch->kind[index] == CAIRN_FLOW_GAP)
        stream->gaps = true;
    /* A summary has the whole ledger, and so needs the whole source. */
    if (stream->offset >= options->to && stream->offset - options->to >= LATE_BYTES &&
        options->detail != CLI_DETAIL_SUMMARY) {
        stream->state = CLI_STREAM_ENDED;
        stream->cut = true;
    }
    if (options->detail == CLI_DETAIL_DATA)
        take_data(stream, options, report);
    if (batch->kind[index] == CAIRN_FLOW_CONTEXT)
        cairn_code_context(stream->listing.code, batch->address[index], batch->value[index]);
    if (!in_range(options, stream->offset) || options->detail == CLI_DETAIL_DATA)
        return;
    cairn_summary_add(&stream->summary, batch, index);
    if (options->detail == CLI_DETAIL_SUMMARY)
        return;
    if (batch->kind[index] == CAIRN_FLOW_RANGE || batch->kind[index] == CAIRN_FLOW_DATA)
        cairn_code_select(stream->listing.code, stream->offset);
    struct cairn_origin origin = origin_of(stream, stream->offset, batch->length[index]);
    report->flow(&stream->listing, batch, index, &origin);
}

void cli_stream_print(struct cli_stream *stream, const struct cli_options *options,
                      const struct cairn_report *report)
{
    switch (stream->level) {
    case CAIRN_LEVEL_PACKETS: print_packet(stream, options, report); break;
    case CAIRN_LEVEL_ELEMENTS:
    case CAIRN_LEVEL_RESOLVED: print_element(stream, options, report); break;
    case CAIRN_LEVEL_FLOW: print_flow(stream, options, report); break;
    }
    stream->index++;
}

uint64_t cli_stream_reached(const struct cli_stream *stream)
{
    return stream->counted ? cairn_pipeline_source_bytes(stream->pipeline) : stream->offset;
}

/* How far the decoder read beyond --to depends on how it works: the ledger of that is no measure.
 */
enum cli_exit cli_stream_result(const struct cli_stream *stream)
{
    if (stream->state == CLI_STREAM_REFUSED)
        return CLI_UNUSABLE;
    if (stream->state == CLI_STREAM_FAILED)
        return CLI_GAPS;
    if (stream->cut)
        return stream->gaps ? CLI_GAPS : CLI_CLEAN;
    const struct cairn_ledger *ledger = cairn_pipeline_ledger(stream->pipeline);
    for (unsigned account = 0; account < CAIRN_LEDGER_ACCOUNTS; account++)
        if (CAIRN_ACCOUNT_IS_GAP(account) && ledger->account[account].bytes)
            return CLI_GAPS;
    return CLI_CLEAN;
}
