/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/listing/stream.h"

#include <stdio.h>
#include <string.h>

#include "cli/audit/audit.h"
#include "cli/options/protocols.h"
#include "cli/session/whose.h"
#include "pipeline/begin.h"
#include "report/data.h"
#include "report/people.h"

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
static bool counts_only(const struct cli_session *session, const struct cli_plan *plan)
{
    const struct cli_options *const options = session->options;

    return !cli_whose_asks(session) && options->detail == CLI_DETAIL_SUMMARY && !options->merge &&
           !plan->from && plan->to == UINT64_MAX;
}

static bool decodes(enum cairn_protocol_id protocol, enum cairn_level level)
{
    return level == CAIRN_LEVEL_PACKETS ? cairn_protocol_decodes_packets(protocol)
                                        : cairn_protocol_decodes(protocol);
}

/* --- the part that is listed --- */

static struct cairn_origin origin_of(const struct cli_stream *stream, uint64_t offset,
                                     uint64_t length)
{
    return (struct cairn_origin){
        .offset = offset,
        .length = length,
        .file_offset = cairn_pipeline_file_offset(stream->pipeline, offset),
    };
}

/* Something is left out between two lines. */
static void set_apart(struct cli_stream *stream)
{
    struct cairn_output *output = stream->listing.output;

    if (stream->report->pause)
        stream->report->pause(&stream->listing);
    stream->listing.function = NULL;
    if (stream->options->format == CLI_FORMAT_JSON)
        return;
    cairn_output_text(output, stream->options->format == CLI_FORMAT_ADDRESSES ? "# --" : "--");
    cairn_output_line(output);
}

static void print_piece(void *context, struct cli_piece *piece, bool apart)
{
    struct cli_stream *stream = context;
    const struct cairn_flow_batch batch = cli_piece_batch(piece);
    const struct cairn_origin origin = origin_of(stream, piece->offset, piece->length);

    if (apart)
        set_apart(stream);
    if (piece->kind == CAIRN_FLOW_GAP && cli_gap_matters((enum cairn_account)batch.value[0]))
        stream->gaps = true;
    cli_piece_select(piece, stream->listing.code);
    stream->report->flow(&stream->listing, &batch, 0, &origin);
}

static cairn_status begin_window(struct cli_stream *stream, const struct cli_choice *choice)
{
    const struct cli_plan *plan = &stream->plan;

    if (!plan->part || stream->level != CAIRN_LEVEL_FLOW ||
        stream->options->detail == CLI_DETAIL_DATA)
        return CAIRN_OK;
    stream->window.from = plan->from;
    stream->window.skip = plan->skip;
    stream->window.most = plan->most;
    stream->window.rises = plan->rises;
    stream->window_out = (struct cli_window_out){print_piece, stream};
    if (plan->crashed) {
        stream->end = (struct cli_choice){.kind = CLI_CHOICE_ALL};
        choice = &stream->end;
    }
    return cli_window_begin(&stream->window, choice, stream->config, stream->listing.code,
                            &stream->window_out);
}

/* Whether one more packet, element or transfer is listed. */
static bool is_of_part(struct cli_stream *stream, uint64_t offset)
{
    const struct cli_plan *plan = &stream->plan;

    if (!plan->part)
        return true;
    stream->live = stream->live || offset >= plan->from;
    if (!stream->live)
        return false;
    const uint64_t unit = stream->units++;
    if (unit < plan->skip)
        return false;
    if (unit - plan->skip + 1 >= plan->most) {
        stream->state = CLI_STREAM_ENDED;
        stream->cut = true;
    }
    return unit - plan->skip < plan->most;
}

/* Whether stretches in which nothing is that is looked for can be left out. Where each record is
 * wanted for something else, none can. */
static bool may_leave_out(const struct cli_stream *stream, const struct cli_session *session)
{
    const struct cli_choice *choice = session->choice;
    const struct cli_options *options = session->options;
    const struct cli_plan *plan = &stream->plan;

    return stream->level == CAIRN_LEVEL_FLOW && choice &&
           (choice->kind == CLI_CHOICE_FUNCTION || choice->kind == CLI_CHOICE_ADDRESS) &&
           !choice->between &&
           (options->detail == CLI_DETAIL_FULL || options->detail == CLI_DETAIL_RANGES) &&
           !options->merge && !options->reference && !session->ran && plan->from == 0 &&
           plan->to == UINT64_MAX && plan->skip == 0;
}

/* *looks: the listing goes from one stretch to another, by an index if there is one. Without it a function
 * is listed while the source is counted. */
static cairn_status look_for_stretches(struct cli_stream *stream, const struct cli_plan_of *of,
                                       bool *looks)
{
    *looks = false;
    if (!may_leave_out(stream, of->session))
        return CAIRN_OK;
    const cairn_status status = cli_index_open(of, &stream->known);
    *looks = stream->known || of->choice->kind == CLI_CHOICE_ADDRESS;
    return status;
}

static cairn_status begin_way(struct cli_stream *stream, const struct cli_plan_of *of)
{
    const struct cairn_skipping skipping = {cli_way_next, &stream->way};

    if (!cairn_pipeline_skip(stream->pipeline, &skipping))
        return CAIRN_OK;
    if (stream->known)
        return cli_way_begin(&stream->way, &stream->window, cli_index_next, stream->known);
    cairn_status status = cli_scan_new(of, &stream->scan, &stream->why);
    if (!status)
        status = cli_way_begin(&stream->way, &stream->window, cli_scan_next, stream->scan);
    return status;
}

/* Plans the listing, and begins to decode. */
static cairn_status begin(struct cli_stream *stream, struct cli_session *session, size_t source)
{
    struct cairn_image *image = cairn_capture_image(session->capture);
    const struct cli_options *options = session->options;
    const struct cli_plan_of of = {
        .session = session,
        .choice = session->choice,
        .source = source,
        .level = stream->level,
        .config = stream->config,
        .progress = &stream->progress,
    };
    struct cli_plan_of planned = of;
    cairn_status status = CAIRN_OK;

    stream->options = options;
    stream->session = session;
    stream->asks = cli_whose_asks_of(session, source);
    stream->is_others = stream->asks;
    stream->plan = (struct cli_plan){.to = UINT64_MAX, .most = UINT64_MAX};
    if (stream->level == CAIRN_LEVEL_FLOW)
        status = cairn_code_new(stream->config, image, &stream->listing.code);
    planned.code = stream->listing.code;
    if (!status && session->choice)
        status = cli_plan_make(&planned, &stream->plan, &stream->why);
    if (status)
        return status;
    stream->counted = stream->level == CAIRN_LEVEL_FLOW && counts_only(session, &stream->plan);
    /* A summary has the whole ledger, and so needs the whole source; what is merged is put in order
     * by the last timestamp, which may be anywhere before. */
    const bool all = options->detail == CLI_DETAIL_SUMMARY || options->merge;
    bool by_stretches;

    status = look_for_stretches(stream, &planned, &by_stretches);
    if (status)
        return status;
    struct cairn_pipeline_options wanted =
        cli_plan_pipeline(&of, all ? 0 : stream->plan.from,
                          (stream->counted ? CAIRN_PIPELINE_COUNTS | CAIRN_PIPELINE_NO_PLACES : 0) |
                              (options->part.own_totals ? CAIRN_PIPELINE_OWN_TOTALS : 0));
    if (by_stretches) { /* the threads, and the progress, are of what tells of the stretches */
        wanted.jobs = 1;
        wanted.context = NULL;
    }
    status = cairn_pipeline_new(session->capture, source, stream->config, image, &wanted,
                                &stream->pipeline, &stream->why);
    if (!status && stream->counted) {
        const struct cairn_consumer counts = cairn_summary_of_counts(&stream->summary);
        status = cairn_pipeline_add(stream->pipeline, &counts);
    }
    if (!status && stream->level == CAIRN_LEVEL_FLOW && session->ran) {
        const struct cairn_consumer ran = cli_differences_consumer(session->ran);
        status = cairn_pipeline_add(stream->pipeline, &ran);
    }
    if (!status && session->choice)
        status = begin_window(stream, session->choice);
    return status || !by_stretches ? status : begin_way(stream, &planned);
}

void cli_stream_open(struct cli_stream *stream, struct cli_session *session, size_t source,
                     enum cairn_level level)
{
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
    stream->progress.listing = session->output;
    status = begin(stream, session, source);
    if (status)
        refuse(stream, CLI_STREAM_REFUSED, status);
}

void cli_stream_close(struct cli_stream *stream)
{
    cli_progress_end(&stream->progress);
    cairn_people_free(stream->listing.people);
    cli_window_end(&stream->window);
    cli_way_end(&stream->way);
    cli_scan_free(stream->scan);
    cli_index_free(stream->known);
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
    stream->cut = stream->cut || stream->way.cut;
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

static bool in_range(const struct cli_stream *stream, uint64_t offset)
{
    return offset >= stream->plan.from && offset < stream->plan.to;
}

static void print_packet(struct cli_stream *stream, const struct cairn_report *report)
{
    const struct cairn_packet_batch *batch = cairn_pipeline_packets(stream->pipeline);
    size_t index = stream->index;
    uint8_t bytes[CAIRN_PACKET_BYTES_KEPT];

    stream->offset = batch->offset[index];
    if (stream->offset >= stream->plan.to)
        stream->state = CLI_STREAM_ENDED;
    if (!in_range(stream, stream->offset) || !is_of_part(stream, stream->offset))
        return;
    struct cairn_origin origin = origin_of(stream, stream->offset, batch->length[index]);
    origin.bytes = bytes;
    origin.byte_count =
        cairn_pipeline_bytes(stream->pipeline, origin.offset, origin.length, bytes, sizeof bytes);
    report->packet(&stream->listing, batch, index, &origin);
}

static void print_element(struct cli_stream *stream, const struct cairn_report *report)
{
    const struct cairn_element_batch *batch = cairn_pipeline_elements(stream->pipeline);
    uint64_t late = stream->level == CAIRN_LEVEL_RESOLVED ? CLI_LATE_BYTES : 0;
    size_t index = stream->index;

    stream->offset = batch->offset[index];
    if (stream->offset >= stream->plan.to && stream->offset - stream->plan.to >= late)
        stream->state = CLI_STREAM_ENDED;
    if (stream->offset >= stream->plan.to ||
        (!stream->live && stream->offset < stream->plan.from) ||
        !is_of_part(stream, stream->offset))
        return;
    struct cairn_origin origin = origin_of(stream, stream->offset, batch->length[index]);
    report->element(&stream->listing, batch, index, &origin);
}

/* The transfers of an instruction that are held. Counted back from the last one they are those in
 * front of its end, if there was no other behind it. */
static void give_held(struct cli_stream *stream, const struct cairn_report *report, bool complete)
{
    const struct cairn_flow_batch batch = cli_held_batch(&stream->held);

    if (batch.count == 0)
        return;
    cairn_data_count(&stream->listing, &batch, complete);
    for (size_t i = 0; i < batch.count; i++) {
        if (stream->plan.part ? batch.offset[i] >= stream->plan.to
                              : !in_range(stream, batch.offset[i]))
            continue;
        if (!is_of_part(stream, batch.offset[i]))
            continue;
        stream->data++;
        cairn_code_select(stream->listing.code, batch.offset[i]);
        report->flow(&stream->listing, &batch, i, &stream->held.origin[i]);
    }
    stream->held.count = 0;
}

void cli_stream_flush(struct cli_stream *stream, const struct cairn_report *report)
{
    give_held(stream, report, false);
    if (report->end && stream->listing.code)
        report->end(&stream->listing);
}

/* An exception that leaves the data before it in doubt: it is told with the data, of trace units that have
 * any, which are those with an ETMCR. */
static bool leaves_doubt(const struct cli_stream *stream, const struct cairn_flow_batch *batch,
                         size_t index)
{
    bool has_data = false;

    for (size_t i = 0; i < stream->info.register_count; i++)
        has_data |= strcmp(stream->info.registers[i].name, "ETMCR") == 0;
    return has_data && batch->kind[index] == CAIRN_FLOW_WARNING &&
           batch->value[index] == CAIRN_WARNING_IMPRECISE;
}

/* The current record, for a listing of data alone. */
static void take_data(struct cli_stream *stream, const struct cairn_report *report)
{
    const struct cairn_flow_batch *batch = cairn_pipeline_flow(stream->pipeline);
    const size_t index = stream->index;
    struct cairn_origin origin;

    switch (cli_held_next(&stream->held, batch, index)) {
    case CLI_HELD_GOES_ON: break;
    case CLI_HELD_COMPLETE: give_held(stream, report, true); break;
    case CLI_HELD_BROKEN: give_held(stream, report, false); break;
    }
    if (leaves_doubt(stream, batch, index) && in_range(stream, batch->offset[index]) &&
        is_of_part(stream, batch->offset[index])) {
        origin = origin_of(stream, batch->offset[index], batch->length[index]);
        report->flow(&stream->listing, batch, index, &origin);
    }
    if (batch->kind[index] != CAIRN_FLOW_DATA)
        return;
    origin = origin_of(stream, batch->offset[index], batch->length[index]);
    cli_held_add(&stream->held, batch, index, &origin);
}

/* A record of the part that is listed, or not of it. */
static void take_record(struct cli_stream *stream, const struct cairn_report *report)
{
    stream->report = report;
    if (stream->offset < stream->plan.to)
        cli_window_take(&stream->window, cairn_pipeline_flow(stream->pipeline), stream->index);
    if (!stream->window.done)
        return;
    stream->state = CLI_STREAM_ENDED;
    stream->cut = true;
}

static void print_flow(struct cli_stream *stream, const struct cli_options *options,
                       const struct cairn_report *report)
{
    const struct cairn_flow_batch *batch = cairn_pipeline_flow(stream->pipeline);
    const uint64_t to = stream->plan.to;
    size_t index = stream->index;

    stream->offset = batch->offset[index];
    if (batch->kind[index] == CAIRN_FLOW_RANGE ||
        (batch->kind[index] == CAIRN_FLOW_DATA && options->detail == CLI_DETAIL_DATA))
        stream->followed = true;
    /* A summary has the whole ledger, and so needs the whole source. */
    if (stream->offset >= to && stream->offset - to >= CLI_LATE_BYTES &&
        options->detail != CLI_DETAIL_SUMMARY) {
        stream->state = CLI_STREAM_ENDED;
        stream->cut = true;
    }
    if (options->detail == CLI_DETAIL_DATA)
        take_data(stream, report);
    if (batch->kind[index] == CAIRN_FLOW_CONTEXT) {
        cairn_code_context(stream->listing.code, batch->address[index], batch->value[index]);
        stream->is_others =
            stream->asks &&
            !cli_whose_wants(stream->session, (uint32_t)(batch->address[index] & UINT32_MAX),
                             (uint32_t)(batch->address[index] >> 32));
    }
    if (batch->kind[index] == CAIRN_FLOW_GAP && batch->value[index] == CAIRN_GAP_LOST)
        stream->is_others = false; /* any thread may have run there */
    if (stream->is_others)
        return;
    if (stream->window.choice) {
        take_record(stream, report);
        return;
    }
    if (!stream->gaps && batch->kind[index] == CAIRN_FLOW_GAP && in_range(stream, stream->offset) &&
        cli_gap_matters((enum cairn_account)batch->value[index]))
        stream->gaps = true;
    if (!in_range(stream, stream->offset) || options->detail == CLI_DETAIL_DATA)
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
    case CAIRN_LEVEL_PACKETS: print_packet(stream, report); break;
    case CAIRN_LEVEL_ELEMENTS:
    case CAIRN_LEVEL_RESOLVED: print_element(stream, report); break;
    case CAIRN_LEVEL_FLOW: print_flow(stream, options, report); break;
    }
    stream->index++;
}

uint64_t cli_stream_reached(const struct cli_stream *stream)
{
    return stream->counted ? cairn_pipeline_source_bytes(stream->pipeline) : stream->offset;
}

/* How far the decoder read before --from and beyond --to depends on how it works: the ledger of that
 * is no measure. */
enum cli_exit cli_stream_result(const struct cli_stream *stream)
{
    if (stream->state == CLI_STREAM_REFUSED)
        return CLI_UNUSABLE;
    if (stream->state == CLI_STREAM_FAILED)
        return CLI_GAPS;
    if (stream->cut || stream->plan.part ||
        (stream->plan.from && stream->options->detail != CLI_DETAIL_SUMMARY))
        return stream->gaps ? CLI_GAPS : CLI_CLEAN;
    if (!cli_audit_gap_bytes(cairn_pipeline_ledger(stream->pipeline)))
        return CLI_CLEAN;
    return stream->level != CAIRN_LEVEL_FLOW || stream->followed || stream->summary.instructions
               ? CLI_GAPS
               : CLI_UNUSABLE;
}
