/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/audit/audit.h"

#include <stdio.h>
#include <stdlib.h>

#include "capture/model.h"
#include "cli/audit/call_instructions.h"
#include "cli/options/protocols.h"
#include "cli/screen/watch.h"
#include "cli/session/whose.h"
#include <cairn/pipeline.h>

bool cli_gap_matters(enum cairn_account account)
{
    return CAIRN_ACCOUNT_IS_GAP(account) && account != CAIRN_GAP_NO_SYNC &&
           account != CAIRN_GAP_DISCARD && account != CAIRN_GAP_UNRESOLVED;
}

bool cli_gap_is_harmless(const struct cairn_ledger *ledger, enum cairn_account account)
{
    return !cli_gap_matters(account) ||
           (account == CAIRN_GAP_NO_ADDRESS && !ledger->lost[CAIRN_GAP_NO_ADDRESS]);
}

bool cli_is_unsynchronised(const struct cairn_ledger *ledger)
{
    return ledger->total && ledger->account[CAIRN_GAP_NO_SYNC].bytes == ledger->total;
}

uint64_t cli_audit_gap_bytes(const struct cairn_ledger *ledger)
{
    uint64_t bytes = 0;

    for (unsigned account = 0; account < CAIRN_LEDGER_ACCOUNTS; account++)
        if (!cli_gap_is_harmless(ledger, (enum cairn_account)account))
            bytes += ledger->account[account].bytes;
    return bytes + ledger->account[CAIRN_GAP_LOST].packets +
           (cli_is_unsynchronised(ledger) ? ledger->total : 0);
}

static int survey_progress(void *context, uint64_t done, uint64_t total)
{
    struct cli_progress *progress = context;

    progress->total = total;
    cli_progress_update(progress, done);
    return cli_interrupted();
}

static enum cli_exit survey_buffer(struct cli_audit *audit, size_t index)
{
    struct cli_audit_buffer *buffer = &audit->buffers[index];
    struct cairn_capture *capture = audit->session->capture;
    struct cairn_error error = {.status = CAIRN_OK};
    struct cli_progress progress;

    buffer->account.size = sizeof buffer->account;
    buffer->info.size = sizeof buffer->info;
    cairn_status status = cairn_capture_buffer(capture, index, &buffer->info);
    cli_progress_start(&progress, "survey", buffer->info.bytes);
    if (!status)
        status = cairn_capture_survey(capture, index, &buffer->account, survey_progress, &progress,
                                      &error);
    cli_progress_end(&progress);
    if (!status)
        return CLI_CLEAN;
    if (!cli_interrupted())
        cli_session_say(audit->session, "%s",
                        error.status ? error.text : cairn_status_text(status));
    return CLI_UNUSABLE;
}

static void sight(struct cli_sighting *sighting, const struct cairn_pipeline *pipeline,
                  uint64_t offset, uint64_t address)
{
    if (!sighting->count++) {
        sighting->offset = offset;
        sighting->file_offset = cairn_pipeline_file_offset(pipeline, offset);
        sighting->address = address;
    }
}

/* Few, as a rule, and the last ones again. */
static void take_context(struct cli_audit_source *source, uint64_t address, uint64_t value)
{
    const struct cairn_context context = cairn_flow_context(address, value);

    for (size_t i = source->context_count; i-- > 0;)
        if (source->contexts[i].context_id == context.context_id &&
            source->contexts[i].vmid == context.vmid)
            return;
    if (!source->contexts)
        source->contexts = calloc(CLI_AUDIT_CONTEXTS, sizeof *source->contexts);
    if (source->contexts && source->context_count < CLI_AUDIT_CONTEXTS)
        source->contexts[source->context_count++] = context;
    else
        source->has_more_contexts = true;
}

static void take_record(struct cli_audit_source *source, const struct cairn_pipeline *pipeline,
                        const struct cairn_flow_batch *batch, size_t index)
{
    uint64_t value = batch->value[index];
    uint64_t offset = batch->offset[index];
    uint64_t address = batch->address[index];

    cairn_summary_add(&source->summary, batch, index);
    if (batch->kind[index] == CAIRN_FLOW_CONTEXT)
        take_context(source, address, value);
    if (batch->kind[index] == CAIRN_FLOW_OVERFLOW)
        sight(&source->overflows, pipeline, offset, address);
    if (batch->kind[index] == CAIRN_FLOW_DATA &&
        CAIRN_FLOW_DATA_KIND(batch->instructions[index]) == CAIRN_DATA_SUPPRESSED)
        sight(&source->lost_transfers, pipeline, offset, cairn_flow_data_instruction(address));
    else if (batch->kind[index] == CAIRN_FLOW_DATA)
        source->transfers++;
    if (batch->kind[index] == CAIRN_FLOW_Q && batch->flags[index] & CAIRN_FLOW_UNKNOWN)
        source->unknown_q++;
    if (batch->kind[index] == CAIRN_FLOW_WARNING && value < CLI_AUDIT_WARNINGS)
        sight(&source->warnings[value], pipeline, offset, address);
    if (batch->kind[index] != CAIRN_FLOW_GAP || value >= CAIRN_LEDGER_ACCOUNTS)
        return;
    sight(&source->gaps[value], pipeline, offset, address);
    if (value == CAIRN_GAP_NO_IMAGE)
        cli_ranges_add(&source->missing, address);
}

static cairn_status decode(struct cli_audit *audit, struct cli_audit_source *source,
                           struct cairn_pipeline *pipeline)
{
    const struct cairn_flow_batch *batch = cairn_pipeline_flow(pipeline);
    const struct cairn_consumer counts = cairn_summary_of_counts(&source->summary);
    struct cli_calls *calls = NULL;
    cairn_status status = cairn_pipeline_add(pipeline, &counts);

    if (!status && audit->differences) {
        const struct cairn_consumer ran = cli_differences_consumer(audit->differences);

        status = cairn_pipeline_add(pipeline, &ran);
        if (!status)
            status = cli_calls_watch(pipeline, source, cairn_capture_image(audit->session->capture),
                                     &calls);
    }
    if (status)
        return status;
    do {
        status = cairn_pipeline_next(pipeline);
        for (size_t i = 0; i < batch->count; i++)
            take_record(source, pipeline, batch, i);
    } while (!status && batch->count && cli_session_goes_on(audit->session));
    cli_calls_free(calls);
    return status;
}

/* What would decide the flow is no flow yet: it is in the account of what is not decoded. */
static cairn_status decode_packets(struct cli_audit *audit, struct cli_audit_source *source,
                                   struct cairn_pipeline *pipeline)
{
    const struct cairn_packet_batch *batch = cairn_pipeline_packets(pipeline);
    struct cairn_ledger *ledger = &source->ledger;
    cairn_status status = CAIRN_OK;

    do {
        status = cairn_pipeline_next(pipeline);
        for (size_t i = 0; i < batch->count; i++)
            if (CAIRN_ACCOUNT_IS_GAP(batch->account[i]))
                sight(&source->gaps[batch->account[i]], pipeline, batch->offset[i], 0);
    } while (!status && batch->count && cli_session_goes_on(audit->session));
    *ledger = *cairn_pipeline_ledger(pipeline);
    ledger->account[CAIRN_GAP_NOT_DECODED].bytes += ledger->account[CAIRN_ACCOUNT_FLOW].bytes;
    ledger->account[CAIRN_GAP_NOT_DECODED].packets += ledger->account[CAIRN_ACCOUNT_FLOW].packets;
    ledger->account[CAIRN_ACCOUNT_FLOW].bytes = 0;
    ledger->account[CAIRN_ACCOUNT_FLOW].packets = 0;
    if (status)
        return status;
    cli_protocols_packets_only(source->info.protocol, source->why.text);
    source->why.status = CAIRN_E_UNSUPPORTED;
    source->state = CLI_AUDIT_PACKETS_ONLY;
    return CAIRN_OK;
}

static cairn_status decode_level(struct cli_audit *audit, struct cli_audit_source *source,
                                 enum cairn_level level, struct cairn_pipeline *pipeline)
{
    cairn_status status;

    if (level == CAIRN_LEVEL_PACKETS) {
        status = decode_packets(audit, source, pipeline);
    } else {
        status = decode(audit, source, pipeline);
        source->ledger = *cairn_pipeline_ledger(pipeline);
    }
    source->bytes = cairn_pipeline_source_bytes(pipeline);
    return status;
}

static void decode_source(struct cli_audit *audit, size_t index, enum cairn_level level)
{
    struct cli_audit_source *source = &audit->sources[index];
    struct cairn_capture *capture = audit->session->capture;
    struct cairn_pipeline *pipeline = NULL;
    struct cli_progress progress;

    source->config = cli_session_config(audit->session, index, &source->why);
    if (!source->config) {
        source->state = CLI_AUDIT_REFUSED;
        return;
    }
    cli_progress_start(&progress, source->info.name,
                       audit->buffers[source->info.buffer].info.bytes);
    const struct cairn_pipeline_options wanted = {
        .size = sizeof wanted,
        .level = level,
        .flags = CAIRN_PIPELINE_COUNTS |
                 (audit->session->options->reference ? CAIRN_PIPELINE_REFERENCE : 0),
        .jobs = audit->session->options->jobs,
        .table_bytes = audit->session->options->table_bytes,
        .progress = cli_progress_watch,
        .context = &progress,
    };
    cairn_status status =
        cairn_pipeline_new(capture, index, source->config, cairn_capture_image(capture), &wanted,
                           &pipeline, &source->why);
    if (!status)
        status = decode_level(audit, source, level, pipeline);
    cli_progress_end(&progress);
    if (cli_interrupted())
        cli_session_say(audit->session,
                        "stopped in %s at source offset 0x%llx; the rest was not decoded, and "
                        "nothing is printed: no account would be right",
                        source->info.name, (unsigned long long)source->bytes);
    cairn_pipeline_free(pipeline);
    if (!status)
        return;
    source->state = CLI_AUDIT_REFUSED;
    if (!source->why.status)
        snprintf(source->why.text, sizeof source->why.text, "%s: %s", source->info.name,
                 cairn_status_text(status));
    source->why.status = status;
}

/* Reads a source that is not decoded, for its size alone, and puts it all into one account. */
static void measure(struct cli_audit *audit, size_t index, enum cairn_account account)
{
    struct cli_audit_source *source = &audit->sources[index];
    struct cairn_reader *reader = NULL;
    struct cairn_chunk chunk = {.size = 1};

    source->bytes = 0;
    cairn_status status = cairn_reader_new(audit->session->capture, index, &reader, &source->why);
    while (!status && chunk.size && !cli_interrupted()) {
        status = cairn_reader_next(reader, &chunk);
        source->bytes += status ? 0 : chunk.size;
    }
    cairn_reader_free(reader);
    source->ledger = (struct cairn_ledger){.size = sizeof source->ledger, .total = source->bytes};
    source->ledger.account[account].bytes = source->bytes;
}

static bool chosen(const struct cli_session *session, size_t index)
{
    for (size_t i = 0; i < session->source_count; i++)
        if (session->sources[i] == index)
            return true;
    return false;
}

static void audit_source(struct cli_audit *audit, size_t index)
{
    struct cli_audit_source *source = &audit->sources[index];

    if (!chosen(audit->session, index)) {
        source->state = CLI_AUDIT_NOT_CHOSEN;
        measure(audit, index, CAIRN_GAP_FILTERED);
        return;
    }
    if (cairn_protocol_decodes(source->info.protocol))
        decode_source(audit, index, CAIRN_LEVEL_FLOW);
    else if (cairn_protocol_decodes_packets(source->info.protocol))
        decode_source(audit, index, CAIRN_LEVEL_PACKETS);
    else if (source->info.protocol == CAIRN_PROTOCOL_UNKNOWN && !source->info.type)
        source->state = CLI_AUDIT_NO_CONFIG;
    else
        source->state = CLI_AUDIT_OTHER_PROTOCOL;
    if (source->state != CLI_AUDIT_DECODED && source->state != CLI_AUDIT_PACKETS_ONLY)
        measure(audit, index, CAIRN_GAP_NOT_DECODED);
}

/* Everything of a buffer that is no source's data. */
static uint64_t overhead(const struct cairn_buffer_account *account)
{
    return account->framing + account->sync + account->null_id + account->trigger_id +
           account->unaligned + account->no_id + account->truncated + account->unwritten +
           account->outside;
}

static void add_up(struct cli_audit *audit)
{
    for (size_t i = 0; i < audit->buffer_count; i++)
        audit->buffers[i].accounted = overhead(&audit->buffers[i].account);
    for (size_t i = 0; i < audit->source_count; i++) {
        const struct cli_audit_source *source = &audit->sources[i];
        for (unsigned account = 0; account < CAIRN_LEDGER_ACCOUNTS; account++)
            audit->buffers[source->info.buffer].accounted += source->ledger.account[account].bytes;
    }
}

/* A kernel that puts no number of the thread there, or perf in a container. */
static void remark_on_numbers(const struct cli_audit *audit)
{
    struct cairn_capture *const capture = audit->session->capture;
    bool has_contexts = false, has_numbers = false;

    for (size_t i = 0; i < audit->source_count; i++)
        for (size_t n = 0; n < audit->sources[i].context_count && !audit->sources[i].info.thread_id;
             n++) {
            const struct cairn_context *const context = &audit->sources[i].contexts[n];
            const enum cairn_thread_mark mark = audit->sources[i].info.thread_mark;

            has_contexts |= mark != CAIRN_THREAD_NOT_MARKED;
            has_numbers |= mark != CAIRN_THREAD_NOT_MARKED &&
                           (mark == CAIRN_THREAD_VMID ? context->vmid : context->context_id) != 0;
        }
    if (has_contexts && !has_numbers)
        cairn_capture_say(capture, CAIRN_WARNING,
                          "Nobody knows which thread or process the trace is of: " CLI_NO_NUMBERS
                          ".");
}

enum cli_exit cli_audit_run(struct cli_audit *audit, struct cli_session *session)
{
    audit->session = session;
    audit->buffer_count = cairn_capture_buffer_count(session->capture);
    audit->buffers = calloc(audit->buffer_count + 1, sizeof *audit->buffers);
    for (size_t i = 0; audit->buffers && i < audit->buffer_count; i++)
        if (survey_buffer(audit, i))
            return CLI_UNUSABLE;
    audit->source_count = cairn_capture_source_count(session->capture);
    audit->sources = calloc(audit->source_count + 1, sizeof *audit->sources);
    if (!audit->sources || !audit->buffers) {
        cli_session_say(session, "out of memory");
        return CLI_UNUSABLE;
    }
    for (size_t i = 0; i < audit->source_count && cli_session_goes_on(session); i++) {
        audit->sources[i].info.size = sizeof audit->sources[i].info;
        if (cairn_capture_source(session->capture, i, &audit->sources[i].info) ||
            audit->sources[i].info.buffer >= audit->buffer_count)
            return CLI_UNUSABLE;
        audit_source(audit, i);
    }
    add_up(audit);
    remark_on_numbers(audit);
    return CLI_CLEAN;
}

void cli_audit_free(struct cli_audit *audit)
{
    for (size_t i = 0; audit->sources && i < audit->source_count; i++) {
        cairn_config_unref(audit->sources[i].config);
        cli_ranges_free(&audit->sources[i].missing);
        free(audit->sources[i].contexts);
    }
    free(audit->sources);
    free(audit->buffers);
}
