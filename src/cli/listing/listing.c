/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/listing/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/shell.h"
#include "capture/model.h"
#include "cli/audit/verdict.h"
#include "cli/listing/stream.h"
#include "cli/options/protocols.h"
#include "cli/screen/pager.h"
#include "cli/session/images.h"
#include "cli/session/session.h"
#include "cli/window/window_options.h"
#include "report/json_fields.h"
#include "report/report.h"

#define NO_STREAM SIZE_MAX
#define CHECK_EVERY 1024 /* records between two looks at Ctrl-C */

struct listing_job {
    struct cli_session session;
    const struct cairn_report *report;
    enum cairn_level level;
    size_t clean, gaps, refused; /* sources by result */
    size_t empty;                /* of the clean ones: not a byte */
    bool lacks_llvm;             /* instructions were listed without it */
};

static bool lists_instructions(const struct cli_options *options, enum cairn_level level)
{
    return level == CAIRN_LEVEL_FLOW &&
           (options->detail == CLI_DETAIL_FULL || options->detail == CLI_DETAIL_RANGES);
}

static const struct cairn_report *report_of(const struct cli_options *options,
                                            enum cairn_level level)
{
    switch (options->format) {
    case CLI_FORMAT_TEXT:
        return lists_instructions(options, level) ? &cairn_report_people : &cairn_report_text;
    case CLI_FORMAT_FULL: return &cairn_report_text;
    case CLI_FORMAT_JSON: return &cairn_report_json;
    case CLI_FORMAT_ADDRESSES: break;
    case CLI_FORMAT_PERF: /* no listing has these */
    case CLI_FORMAT_PERFSCRIPT: break;
    }
    return options->detail == CLI_DETAIL_SUMMARY ? &cairn_report_text : &cairn_report_addresses;
}

static void print_summary(struct listing_job *job, struct cli_stream *stream)
{
    const struct cairn_ledger *ledger = cairn_pipeline_ledger(stream->pipeline);

    if (job->session.options->format == CLI_FORMAT_JSON)
        cairn_summary_json(job->session.output, stream->info.name, &stream->summary, ledger);
    else
        cairn_summary_text(job->session.output, &stream->summary, ledger);
}

/* Only a source that was read to its end can be known to have nothing. */
static bool is_empty(const struct cli_stream *stream)
{
    return stream->state == CLI_STREAM_ENDED && !stream->cut && !cli_interrupted() &&
           cairn_pipeline_source_bytes(stream->pipeline) == 0;
}

/* There are bytes, but synchronisation, Ignore and unwritten memory are all of them. */
static bool is_padding(const struct cli_stream *stream)
{
    if (stream->state != CLI_STREAM_ENDED || stream->cut || cli_interrupted())
        return false;
    const struct cairn_ledger *ledger = cairn_pipeline_ledger(stream->pipeline);
    return ledger->total && ledger->account[CAIRN_ACCOUNT_PADDING].bytes == ledger->total;
}

/* Why nothing was traced, as far as the trace unit's registers tell. */
static const char *why_empty(const struct cairn_source_info *info, const char *otherwise)
{
    return cli_waits_for_start(info) ? CLI_NEVER_STARTED : otherwise;
}

static const char *how_lost(enum cairn_account account)
{
    switch (account) {
    case CAIRN_GAP_NO_IMAGE: return "where there is no memory";
    case CAIRN_GAP_NO_ADDRESS: return "without an address";
    case CAIRN_GAP_RETURN_STACK: return "behind returns that the trace does not tell";
    case CAIRN_GAP_INCONSISTENT: return "where trace and image contradict each other";
    default: return cairn_account_name(account);
    }
}

/* What the gaps of a listing for people cost in all: their lines have packets and bytes, and a byte of
 * trace may be two dozen branches. */
static void tell_lost(const struct listing_job *job, struct cli_stream *stream)
{
    const struct cairn_ledger *ledger = cairn_pipeline_ledger(stream->pipeline);
    const bool instructions = cairn_config_tells(stream->config) & CAIRN_TELLS_CONDITIONS;
    char text[CLI_SENTENCE_MAX] = "lost in gaps";
    size_t used = strlen(text);

    if (job->report != &cairn_report_people || job->session.options->merge ||
        stream->level != CAIRN_LEVEL_FLOW || stream->state != CLI_STREAM_ENDED || stream->cut ||
        stream->plan.part || stream->plan.from != 0 || stream->plan.to != UINT64_MAX ||
        cli_interrupted())
        return; /* of a part only its own gaps are known, and they stand there */
    const size_t nothing = used;
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS && used < sizeof text; i++) {
        const uint64_t lost = ledger->lost[i];

        if (!lost || !cli_gap_matters((enum cairn_account)i))
            continue;
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s %llu %s %s", used == nothing ? ":" : ",",
            (unsigned long long)lost,
            cli_unit_word(instructions ? CLI_UNIT_INSTRUCTIONS : CLI_UNIT_BRANCHES, lost),
            how_lost((enum cairn_account)i));
    }
    if (used != nothing)
        job->report->note(&stream->listing, text);
}

/* Tells how the source ended, and closes it. */
static void end_stream(struct listing_job *job, struct cli_stream *stream)
{
    cli_progress_end(&stream->progress);
    if (stream->listing.code && stream->listing.detail != CAIRN_DETAIL_RANGES &&
        cairn_code_lacks_llvm(stream->listing.code))
        job->lacks_llvm = true;
    if (stream->counted && stream->state == CLI_STREAM_RUNNING)
        (void)cairn_pipeline_stop(stream->pipeline); /* for what was counted so far */
    if (cli_interrupted() && stream->pipeline)
        cli_session_say(&job->session,
                        "stopped in %s at source offset 0x%llx; the rest was not decoded",
                        stream->info.name, (unsigned long long)cli_stream_reached(stream));
    if (stream->state == CLI_STREAM_REFUSED || stream->state == CLI_STREAM_FAILED) {
        job->report->note(&stream->listing, stream->why.text);
        if (stream->why.status != CAIRN_E_UNSUPPORTED && !cli_interrupted() && !stream->config)
            cli_session_say_refused(&job->session, stream->info.name, &stream->why);
        else if (stream->why.status != CAIRN_E_UNSUPPORTED && !cli_interrupted())
            cli_session_say(&job->session, "%s", stream->why.text);
    } else if (job->session.options->detail == CLI_DETAIL_SUMMARY) {
        print_summary(job, stream);
    } else if (stream->level == CAIRN_LEVEL_FLOW && is_padding(stream)) {
        job->report->note(&stream->listing,
                          why_empty(&stream->info, "nothing was traced: all bytes are padding"));
    } else if (stream->level == CAIRN_LEVEL_FLOW && is_empty(stream)) {
        job->report->note(&stream->listing,
                          why_empty(&stream->info, "nothing was traced: there is not a byte"));
    } else if (stream->window.choice && !stream->window.listed && !cli_interrupted()) {
        job->report->note(&stream->listing, cli_choice_nothing(stream->window.choice));
    } else if (job->session.options->detail == CLI_DETAIL_DATA && !stream->data) {
        job->report->note(&stream->listing, "no data transfers are in this trace");
    } else {
        tell_lost(job, stream);
    }
    switch (cli_stream_result(stream)) {
    case CLI_CLEAN:
        job->clean++;
        job->empty += is_empty(stream);
        break;
    case CLI_GAPS: job->gaps++; break;
    case CLI_UNUSABLE:
    case CLI_NOT_RUN:
    case CLI_INTERRUPTED: job->refused++; break;
    }
    cli_stream_close(stream);
}

static void list_source(struct listing_job *job, size_t source)
{
    const struct cli_options *options = job->session.options;
    struct cli_stream stream;
    size_t records = 0;

    cli_stream_open(&stream, &job->session, source, job->level);
    job->report->heading(&stream.listing);
    while (cli_stream_ready(&stream)) {
        if (++records % CHECK_EVERY == 0 && !cli_session_goes_on(&job->session))
            break;
        cli_stream_print(&stream, options, job->report);
    }
    cli_stream_flush(&stream, job->report);
    end_stream(job, &stream);
}

static void list_one_after_another(struct listing_job *job)
{
    for (size_t i = 0; i < job->session.source_count; i++) {
        if (!cli_session_goes_on(&job->session)) {
            if (cli_interrupted())
                cli_session_say(&job->session, "not begun: %zu more of the sources",
                                job->session.source_count - i);
            return;
        }
        list_source(job, job->session.sources[i]);
    }
}

/* Looks for a first timestamp by the packets alone. */
static bool has_timestamps(struct listing_job *job, size_t source)
{
    const struct cli_choice *choice = job->session.choice;
    struct cli_stream stream;
    uint64_t time;
    bool found = false;

    job->session.choice = NULL; /* of all of it */
    cli_stream_open(&stream, &job->session, source, CAIRN_LEVEL_PACKETS);
    job->session.choice = choice;
    while (!found && !cli_interrupted() && cli_stream_ready(&stream)) {
        found = cli_stream_timestamp(&stream, &time) && time;
        stream.index++;
    }
    cli_stream_close(&stream);
    return found;
}

/* The running stream with the oldest last timestamp; NO_STREAM when all have ended. */
static size_t oldest(struct cli_stream *streams, size_t count)
{
    size_t best = NO_STREAM;

    for (size_t i = 0; i < count; i++) {
        if (!streams[i].timed || !cli_stream_ready(&streams[i]))
            continue;
        if (best == NO_STREAM || streams[i].time < streams[best].time)
            best = i;
    }
    return best;
}

/* The least time among the other running streams: when it is their turn. */
static uint64_t next_turn(const struct cli_stream *streams, size_t count, size_t current)
{
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i < count; i++)
        if (i != current && streams[i].timed && streams[i].state == CLI_STREAM_RUNNING &&
            streams[i].time < least)
            least = streams[i].time;
    return least;
}

/* Prints one stream until its time passes `until`. */
static void list_turn(struct listing_job *job, struct cli_stream *stream, uint64_t until)
{
    size_t records = 0;
    uint64_t time;

    while (cli_stream_ready(stream)) {
        if (cli_stream_timestamp(stream, &time))
            stream->time = time;
        if (stream->time > until) {
            if (job->report->pause) { /* the time is that of what was printed last */
                cli_stream_print(stream, job->session.options, job->report);
                job->report->pause(&stream->listing);
            }
            return;
        }
        if (++records % CHECK_EVERY == 0 && !cli_session_goes_on(&job->session))
            break;
        cli_stream_print(stream, job->session.options, job->report);
    }
    cli_stream_flush(stream, job->report);
}

static void merge_streams(struct listing_job *job, struct cli_stream *streams, size_t count)
{
    size_t last = NO_STREAM;
    size_t current;

    while (cli_session_goes_on(&job->session) && (current = oldest(streams, count)) != NO_STREAM) {
        if (current != last)
            job->report->heading(&streams[current].listing);
        last = current;
        list_turn(job, &streams[current], next_turn(streams, count, current));
    }
}

static bool has_something(struct cli_stream *stream)
{
    return stream->counted || cli_stream_ready(stream);
}

static void list_merged(struct listing_job *job)
{
    size_t count = job->session.source_count;
    struct cli_stream *streams = calloc(count ? count : 1, sizeof *streams);

    if (!streams) {
        cli_session_say(&job->session, "out of memory");
        job->refused++;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t source = job->session.sources[i];
        cli_stream_open(&streams[i], &job->session, source, job->level);
        streams[i].timed = has_timestamps(job, source);
    }
    merge_streams(job, streams, count);
    for (size_t i = 0; i < count; i++) {
        struct cli_stream *stream = &streams[i];
        bool wanted = cli_session_goes_on(&job->session);
        if (wanted && !stream->timed) {
            job->report->heading(&stream->listing);
            if (stream->state == CLI_STREAM_RUNNING && has_something(stream))
                job->report->note(&stream->listing,
                                  "no timestamps in this source: it is not in order of time with "
                                  "the others");
            list_turn(job, stream, UINT64_MAX);
        }
        end_stream(job, stream);
    }
    free(streams);
}

static enum cli_exit result_of(const struct listing_job *job)
{
    if (job->clean - job->empty + job->gaps == 0)
        return CLI_UNUSABLE;
    return job->gaps + job->refused ? CLI_GAPS : CLI_CLEAN;
}

/* Says on standard error too when the listing is empty for a reason. */
static void explain(struct listing_job *job)
{
    const char *capture = job->session.options->capture;
    char choice[CLI_PROTOCOLS_TEXT], word[CAIRN_SHELL_ROOM];

    cli_protocols_choice(false, choice);
    if (!job->session.source_count)
        cli_session_say(&job->session,
                        "no trace source in %s; for a raw buffer give --protocol (%s)", capture,
                        choice);
    else if (job->empty && result_of(job) == CLI_UNUSABLE)
        cli_session_say(
            &job->session,
            "there is nothing to list: no source of %s has a byte; `cairn check %s` tells "
            "more",
            capture, cairn_shell_file(capture, word));
    else if (result_of(job) == CLI_UNUSABLE && !cli_interrupted())
        cli_session_say(&job->session, "nothing could be decoded; `cairn check %s` tells more",
                        cairn_shell_file(capture, word));
}

/* Instructions that are missing from a listing are missed; that they need not be is good to know. */
static void tell_missing_llvm(struct listing_job *job)
{
    if (job->lacks_llvm)
        cli_session_say(
            &job->session,
            "only branches, calls, returns, barriers and the like are disassembled, the "
            "rest is .inst: there is no " CLI_LLVM_WANTED);
}

/* A capture that was described by hand may be described wrong: what looks so comes first, for a
 * listing alone does not show it. */
static void tell_doubts(struct listing_job *job, const struct cli_options *options)
{
    const struct cairn_capture_options *open = &options->open;
    struct cairn_remark remark;

    if (job->session.capture->is_perf && (job->session.command->options & CLI_TELLS_THREADS))
        return; /* told already */
    if (!open->protocol && !open->register_count && !open->config_path && !open->core &&
        open->format == CAIRN_FORMAT_AUTO && open->trace_id < 0)
        return;
    for (size_t i = 0; !cairn_capture_remark(job->session.capture, i, &remark); i++) {
        if (remark.severity >= CAIRN_WARNING && !job->session.capture->remarks[i].is_doubt)
            cli_session_say(&job->session, "%s", remark.text);
    }
}

/* A listing on a terminal goes through a pager, and that of instructions has colours. */
static void show_to_people(struct listing_job *job)
{
    const struct cli_options *const options = job->session.options;
    const bool terminal = !options->output && isatty(STDOUT_FILENO);

    job->session.people = cli_look_people(&options->look, terminal);
    if (!terminal || options->look.no_pager)
        return;
    if (cli_pager_start(job->session.command->name))
        cairn_output_init(job->session.output, STDOUT_FILENO);
}

enum cli_exit cli_listing_run(const struct cli_command *command, const struct cli_options *options,
                              enum cairn_level level)
{
    struct listing_job job = {.level = level, .report = report_of(options, level)};
    struct cli_choice choice = {.kind = CLI_CHOICE_ALL};

    if (!cli_part_check(command->name, options))
        return CLI_UNUSABLE;
    enum cli_exit result = cli_session_open(&job.session, command, options, CLI_SURVEY_NEVER);
    if (!result && !cli_choice_make(&job.session, &choice))
        result = CLI_UNUSABLE;
    job.session.choice = &choice;
    if (!result) {
        show_to_people(&job);
        tell_doubts(&job, options);
        if (level == CAIRN_LEVEL_FLOW)
            cli_images_tell(&job.session);
        if (options->format == CLI_FORMAT_JSON)
            cairn_json_begin(job.session.output, command->name);
        if (options->merge)
            list_merged(&job);
        else
            list_one_after_another(&job);
        explain(&job);
        if (cli_session_goes_on(&job.session) && options->from == 0 && options->to == UINT64_MAX &&
            !options->sources.count &&
            !cli_part_given(&options->part)) /* only who saw all can say what is not in it */
            cli_images_tell_unused(&job.session);
        tell_missing_llvm(&job);
        result = result_of(&job);
    }
    cli_choice_free(&choice);
    result = cli_session_close(&job.session, result);
    cli_pager_end();
    return result;
}
