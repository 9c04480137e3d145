/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "cli/answers/export_file.h"
#include "cli/answers/kept.h"
#include "cli/answers/sources.h"
#include "cli/audit/audit.h"
#include "cli/command.h"
#include "cli/screen/watch.h"
#include "cli/session/units.h"
#include "report/export.h"
#include "report/json_fields.h"

#define ROWS_DEFAULT UINT64_C(10000000)
#define NANOSECONDS UINT64_C(1000000000)

enum {
    KEY_TABLES = CLI_OWN_KEY,
    KEY_ROWS,
    KEY_FORMAT,
    KEY_OF_PROGRAM,
    KEY_SUMMARY,
};

enum export_format { EXPORT_SQLITE, EXPORT_CSV };
static const char *const formats[] = {"sqlite", "csv", NULL};
static const char *const summaries[] = {"text", "json", NULL};

static const struct cli_option own_options[] = {
    {"tables", KEY_TABLES | CLI_FIRST, "LIST",
     "Which tables have rows, with commas between: lines, instructions, branches, jumps, call_tree,\n"
     "calls, exceptions, events, gaps, ranges; all; or default, which is all but ranges, the one\n"
     "that has a row for each few instructions that were executed. Those of sources, accounts,\n"
     "threads, binaries and functions are always there."},
    {"rows", KEY_ROWS | CLI_FIRST, "N",
     "At most N rows of each of the tables that grow with the time recorded (calls, exceptions,\n"
     "events, gaps, ranges): the first ones. Default: 10000000; all: any number. How many were left\n"
     "out is told, and stands in the table contents."},
    {"format", KEY_FORMAT | CLI_FIRST, "sqlite|csv",
     "sqlite (default): a database. csv: the same rows, in a folder with a file for each table."},
    {"of-program", KEY_OF_PROGRAM | CLI_FIRST, NULL,
     "All functions of the files of which something was executed, with their code: also those that\n"
     "never ran. Default: the functions that ran, with all of their code."},
    {"summary", KEY_SUMMARY, "text|json",
     "How it is told what each table has: text (default) or json (JSON lines), on standard output."},
    {0},
};

/* --- options --- */

static bool take_table(struct cli_export *options, const char *name, size_t length)
{
    bool is_all = length == 3 && !strncmp(name, "all", length);
    bool is_default = length == 7 && !strncmp(name, "default", length);
    bool is_known = is_all || is_default;

    for (unsigned i = 0; i < CAIRN_EXPORT_TABLES; i++) {
        const struct cairn_export_schema *const one = &cairn_export_schemas[i];
        const bool is_it = strlen(one->name) == length && !strncmp(one->name, name, length);

        if (is_it || is_all || (is_default && i != CAIRN_EXPORT_RANGES))
            options->tables |= UINT32_C(1) << i;
        is_known |= is_it;
    }
    return is_known;
}

static bool take_tables(struct cli_export *options, const char *list)
{
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");

        if (!take_table(options, at, length)) {
            fprintf(stderr,
                    "cairn export: --tables %s: there is no table '%.*s'. Tables are: all, "
                    "default",
                    list, (int)length, at);
            for (unsigned i = 0; i < CAIRN_EXPORT_TABLES; i++)
                if (cairn_export_schemas[i].is_chosen)
                    fprintf(stderr, ", %s", cairn_export_schemas[i].name);
            fprintf(stderr, ".\n");
            return false;
        }
        at += length;
        if (!*at)
            return true;
    }
}

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    struct cli_export *const export = &options->export;

    switch (key) {
    case KEY_TABLES: return take_tables(export, argument);
    case KEY_FORMAT: return cli_option_word("export", "format", argument, formats, &export->format);
    case KEY_SUMMARY:
        return cli_option_word("export", "summary", argument, summaries, &export->summary);
    case KEY_OF_PROGRAM: export->of_program = true; break;
    case KEY_ROWS:
        export->has_rows = true;
        if (!strcmp(argument, "all") || (cli_number(argument, &export->rows) && export->rows))
            return true;
        fprintf(stderr, "cairn export: --rows %s: expected a number from 1 on, or all.\n",
                argument);
        return false;
    }
    return true;
}

/* --- the run --- */

struct export_run {
    struct cairn_export data;
    struct cli_sources sources;
    struct cli_counts_file kept; /* in place of a capture */
    bool *is_done;               /* by source of the capture */
    bool lacks_sources;          /* not all that were asked for are decoded to their end */
    const char *complete;        /* "yes", or "no" and why, once that is settled */
};

static cairn_status begin(void *context, const struct cairn_source_info *info,
                          struct cairn_image *image, struct cairn_pipeline *pipeline)
{
    struct export_run *const run = context;

    (void)image;
    return cairn_export_source(&run->data, info, pipeline);
}

static cairn_status end(void *context, const struct cairn_source_info *info,
                        const struct cairn_ledger *ledger)
{
    struct export_run *const run = context;
    const char *state = "decoded";

    if (cli_interrupted())
        state = "stopped";
    else if (run->sources.status)
        state = "failed";
    run->lacks_sources |= run->sources.status != CAIRN_OK;
    const struct cairn_export_outcome outcome = {
        .state = state, .ledger = ledger, .lost_bytes = cli_audit_gap_bytes(ledger)};
    run->is_done[run->data.source] = true;
    return cairn_export_source_end(&run->data, info, &outcome);
}

/* Sources that were chosen, and of which nothing was decoded. */
static cairn_status tell_others(struct export_run *run, const struct cli_session *session)
{
    const struct cairn_export_outcome outcome = {.state = "left out"};
    struct cairn_source_info info = {.size = sizeof info};
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < session->source_count && !status; i++)
        if (!run->is_done[session->sources[i]] &&
            !cairn_capture_source(session->capture, session->sources[i], &info)) {
            run->lacks_sources = true;
            status = cairn_export_source_row(&run->data, session->sources[i], &info, &outcome);
        }
    return status;
}

static void print_numbers(FILE *file, const char *option, const struct cli_numbers *numbers)
{
    for (size_t i = 0; i < numbers->count; i++)
        fprintf(file, " --%s %" PRIu64, option, numbers->list[i]);
}

static void print_texts(FILE *file, const char *option, const struct cli_list *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        fprintf(file, " --%s %s", option, texts->items[i]);
}

static void print_seconds(FILE *file, uint64_t nanoseconds)
{
    fprintf(file, "%" PRIu64 ".%09" PRIu64, nanoseconds / NANOSECONDS, nanoseconds % NANOSECONDS);
}

/* The options that choose what is exported; "": all is. To be freed; NULL: no memory. */
static char *chosen_by(const struct cli_options *options)
{
    const struct cairn_capture_options *const open = &options->open;
    char *text = NULL;
    size_t size = 0;
    FILE *const file = open_memstream(&text, &size);

    if (!file)
        return NULL;
    print_texts(file, "source", &options->sources);
    print_numbers(file, "pid", &options->whose.processes);
    print_numbers(file, "tid", &options->whose.threads);
    print_texts(file, "comm", &options->whose.names);
    print_numbers(file, "cpu", &options->whose.cpus);
    if (open->time_to) { /* one of them may be left out */
        fprintf(file, " --time ");
        if (open->time_from)
            print_seconds(file, open->time_from);
        fprintf(file, ",");
        if (open->time_to != UINT64_MAX)
            print_seconds(file, open->time_to);
    }
    if (fclose(file)) {
        free(text);
        return NULL;
    }
    return text;
}

static cairn_status tell_itself(struct export_run *run, const struct cli_session *session)
{
    const struct cli_options *const options = session->options;
    char schema[16], rows[32] = "all";
    char *const chosen = chosen_by(options);
    cairn_status status = chosen ? CAIRN_OK : CAIRN_E_MEMORY;

    run->complete = "yes";
    if (run->lacks_sources)
        run->complete = "no: a source failed or is left out";
    if (run->kept.given.missing)
        run->complete = "no: files that were executed are not here";
    if (run->kept.is_odd)
        run->complete = "no: the counts are not whole";
    if (chosen && *chosen)
        run->complete = "no: a part was chosen";
    if (cli_interrupted())
        run->complete = "no: stopped by the user";
    snprintf(schema, sizeof schema, "%d", CAIRN_EXPORT_SCHEMA);
    if (run->data.most)
        snprintf(rows, sizeof rows, "%" PRIu64, run->data.most);
    const char *const pairs[][2] = {
        {"schema", schema},
        {"cairn", cairn_version()},
        {"capture", options->capture},
        {"complete", run->complete},
        {"chosen", chosen && *chosen ? chosen + 1 : "all"},
        {"rows", rows},
        {"of_program", options->export.of_program ? "yes" : "no"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && !status; i++)
        status = cairn_export_meta(&run->data, pairs[i][0], pairs[i][1]);
    free(chosen);
    return status;
}

/* Of a capture all is. */
static bool is_in_counts(const struct export_run *run, unsigned table)
{
    if (run->data.capture)
        return true;
    return table == CAIRN_EXPORT_CALL_TREE ? run->data.profile.has_calls
                                           : !cairn_export_schemas[table].grows;
}

static void print_text(struct cairn_output *output, const char *path, const struct export_run *run)
{
    const struct cairn_export *const data = &run->data;

    cairn_output_format(output, "%s\n%12s  table\n", path, "rows");
    for (unsigned i = CAIRN_EXPORT_SOURCES; i < CAIRN_EXPORT_TABLES; i++) {
        const char *const name = cairn_export_schemas[i].name;

        if (data->wanted[i])
            cairn_output_format(output, "%12" PRIu64 "  %s", data->rows[i], name);
        else
            cairn_output_format(output, "%12s  %s: %s", "-", name,
                                is_in_counts(run, i) ? "not asked for (--tables)"
                                                     : "not in counts");
        cairn_output_line(output);
    }
}

static void print_json(struct cairn_output *output, const char *path, const struct export_run *run)
{
    const struct cairn_export *const data = &run->data;

    cairn_json_begin(output, cli_command_export.name);
    cairn_output_text(output, "{\"type\":\"export\",\"path\":");
    cairn_output_json(output, path);
    cairn_output_format(output, ",\"complete\":%s}\n",
                        strcmp(run->complete, "yes") ? "false" : "true");
    for (unsigned i = CAIRN_EXPORT_SOURCES; i < CAIRN_EXPORT_TABLES; i++) {
        cairn_output_format(output,
                            "{\"type\":\"table\",\"name\":\"%s\",\"wanted\":%s,\"rows\":%" PRIu64
                            ",\"left_out\":%" PRIu64 "}",
                            cairn_export_schemas[i].name, data->wanted[i] ? "true" : "false",
                            data->rows[i], data->left_out[i]);
        cairn_output_line(output);
    }
}

/* What was written, and what not. */
static enum cli_exit tell(struct cli_session *session, const struct export_run *run,
                          enum cli_exit result)
{
    const struct cairn_export *const data = &run->data;

    (session->options->export.summary == CLI_FORMAT_JSON ? print_json : print_text)(
        session->output, session->options->output, run);
    for (unsigned i = 0; i < CAIRN_EXPORT_TABLES; i++) {
        if (!data->left_out[i])
            continue;
        if (i == CAIRN_EXPORT_JUMPS)
            cli_session_say(session,
                            "jumps: %" PRIu64 " executions are not counted: there is more than "
                            "there is room for",
                            data->left_out[i]);
        else
            cli_session_say(session,
                            "%s: the first %" PRIu64 " rows are there, and %" PRIu64
                            " are left out. --rows all takes them all, --tables leaves others out",
                            cairn_export_schemas[i].name, data->rows[i], data->left_out[i]);
        if (result == CLI_CLEAN)
            result = CLI_GAPS;
    }
    return result;
}

/* What was asked for by name, and counts do not have. */
static enum cli_exit say_lacking(struct cli_session *session, const struct export_run *run)
{
    const struct cairn_counts *const counts = &run->kept.counts;
    const uint64_t outside = cairn_counts_sum(counts, CAIRN_COUNTS_OUTSIDE);
    enum cli_exit result = CLI_CLEAN;

    for (unsigned i = 0; i < CAIRN_EXPORT_TABLES; i++)
        if ((session->options->export.tables >> i & 1) && !is_in_counts(run, i))
            result = CLI_GAPS;
    if (result)
        cli_session_say(session,
                        "counts have no calls, exceptions, events, gaps and ranges, for these are "
                        "in the order of time, and no call_tree after --no-calls: export the "
                        "capture for them");
    if (run->data.wanted[CAIRN_EXPORT_JUMPS] && outside) {
        cli_session_say(session,
                        "jumps: %" PRIu64 " instructions were executed in memory of no file, whose "
                        "branches counts do not have",
                        outside);
        result = CLI_GAPS;
    }
    return result;
}

static enum cli_exit take_kept(struct cli_session *session, struct export_run *run,
                               cairn_status *status)
{
    struct cli_counts_file *const kept = &run->kept;
    struct cairn_export *const data = &run->data;

    for (unsigned i = 0; i < CAIRN_EXPORT_TABLES; i++)
        data->wanted[i] &= !cairn_export_schemas[i].grows;
    *status = cairn_export_kept(data, &kept->given, cli_audit_gap_bytes);
    if (*status)
        return CLI_UNUSABLE;
    run->lacks_sources = cairn_counts_sum(&kept->counts, CAIRN_COUNTS_REFUSED) != 0;
    run->sources.lost_bytes = cli_kept_lost(&kept->counts);
    const enum cli_exit lacking = say_lacking(session, run);
    const enum cli_exit result = kept->given.missing ? CLI_GAPS : cli_kept_result(kept);
    return result ? result : lacking;
}

static enum cli_exit decode(struct cli_session *session, struct export_run *run)
{
    struct cairn_export *const data = &run->data;
    cairn_status status = CAIRN_OK;
    enum cli_exit result = CLI_UNUSABLE;

    if (!session->capture) {
        result = take_kept(session, run, &status);
    } else {
        status = cairn_export_begin(data);
        result = status ? CLI_UNUSABLE : cli_sources_run(&run->sources);
    }
    if (!status && result != CLI_UNUSABLE && !data->is_failed && session->capture)
        status = tell_others(run, session);
    if (!status && result != CLI_UNUSABLE && !data->is_failed)
        status = tell_itself(run, session);
    if (!status && result != CLI_UNUSABLE && !data->is_failed)
        status = cairn_export_end(data);
    const char *const why = data->writer.why(data->writer.context);
    if (*why)
        return cli_export_cannot_write(session, session->options->output, why);
    if (status) {
        cli_session_say(session, "%s",
                        status == CAIRN_E_LIMIT
                            ? "the programs have more code than is kept: leave out --of-program"
                            : cairn_status_text(status));
        return CLI_UNUSABLE;
    }
    return result;
}

static cairn_status open_writer(const struct cli_export_file *place, struct cairn_export *data,
                                struct cairn_error *error)
{
    return place->is_folder ? cairn_export_csv(place->part, &data->writer, error)
                            : cairn_export_sqlite(place->part, &data->writer, error);
}

static enum cli_exit export_capture(struct cli_session *session)
{
    const struct cli_export *const options = &session->options->export;
    struct cli_export_file place = {.path = session->options->output,
                                    .is_folder = options->format == EXPORT_CSV};
    struct cairn_error error = {.status = CAIRN_OK};
    struct export_run run = {
        .data = {.capture = session->capture,
                 .capture_name = session->options->capture,
                 .most = options->has_rows ? options->rows : ROWS_DEFAULT,
                 .of_program = options->of_program,
                 .is_stopped = cli_interrupted},
        .sources = {.session = session, .begin = begin, .end = end, .wants_records = true},
        .is_done = calloc(session->capture ? cairn_capture_source_count(session->capture) + 1 : 1,
                          sizeof *run.is_done),
    };
    struct cairn_export *const data = &run.data;
    enum cli_exit result = CLI_UNUSABLE;

    run.sources.context = &run;
    for (unsigned i = 0; i < CAIRN_EXPORT_TABLES; i++) {
        const bool by_default = !options->tables && i != CAIRN_EXPORT_RANGES;

        data->wanted[i] =
            by_default || !cairn_export_schemas[i].is_chosen || (options->tables >> i & 1);
    }
    if (!run.is_done)
        cli_session_say(session, "out of memory");
    else if (session->capture || cli_kept_open(session, &run.kept, true))
        result = cli_export_make_part(session, &place);
    if (!result && open_writer(&place, data, &error)) {
        if (error.status == CAIRN_E_UNSUPPORTED)
            cli_session_say(session, "%s", error.text);
        else
            (void)cli_export_cannot_write(session, place.part, error.text);
        result = CLI_UNUSABLE;
    }
    if (!result) {
        result = decode(session, &run);
        data->writer.close(data->writer.context);
        if (result != CLI_UNUSABLE && cli_export_put_in_place(session, &place))
            result = CLI_UNUSABLE;
        if (result != CLI_UNUSABLE)
            result = tell(session, &run, result);
        if (run.sources.lost_bytes && result != CLI_UNUSABLE && !cli_interrupted())
            cli_session_say(session, "%llu byte%s of trace could not be followed: %s",
                            (unsigned long long)run.sources.lost_bytes,
                            cairn_plural(run.sources.lost_bytes),
                            session->capture ? "the tables gaps and accounts have where and why"
                                             : "the table accounts has why");
        cli_sources_free(&run.sources);
    }
    cli_export_remove_part(&place);
    cairn_export_free(data);
    cli_units_tell(session, run.kept.given.image);
    cli_kept_close(&run.kept);
    free(place.part);
    free(run.is_done);
    return result;
}

static enum cli_exit run(const struct cli_options *given)
{
    struct cli_options options = *given;
    struct cli_session session;

    if (!given->output) {
        fprintf(stderr, "cairn export: where to? -o trace.db names the file that is written.\n");
        return CLI_UNUSABLE;
    }
    if (!strcmp(given->output, "-")) {
        fprintf(stderr, "cairn export: standard output can be neither a database nor a folder of "
                        "tables. -o trace.db names the file that is written.\n");
        return CLI_UNUSABLE;
    }
    options.output = NULL; /* it is written beside its place */
    enum cli_exit result = cli_kept_session(&session, &cli_command_export, &options);
    options.output = given->output;
    if (!result)
        result = export_capture(&session);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_export = {
    .name = "export",
    .summary = "write a recording into a database, for questions of your own",
    .arguments = "-o FILE CAPTURE",
    .description =
        "Writes what the trace shows into an SQLite database: sources and threads, functions, lines,\n"
        "instructions and branches with how often they were executed, where branches went, the call\n"
        "tree, each call, exception, event and gap in the order of time, and if asked for each range\n"
        "of instructions. Views answer what is asked most: hot_functions, hot_lines, callers,\n"
        "uncovered_functions, uncovered_lines, one_way_branches, interrupts, gaps_by_reason,\n"
        "thread_timeline, incomplete. sqlite3, duckdb, Python and others open it. CAPTURE may be a\n"
        "file of `cairn count` or `cairn merge`: then it has what adds up, and nothing in the order\n"
        "of time.",
    .output =
        "How many rows each table has; with --summary json as JSON lines (docs/json.md).\n"
        "docs/export.md has the tables, columns and views. The same capture and options give the\n"
        "same bytes.",
    .exit_status = "0   all of the trace became flow (but the oldest bytes of a buffer that\n"
                   "    wrapped, and what was never certain to be executed)\n"
                   "1   exported with gaps, some source could not be decoded, or --rows left\n"
                   "    rows out\n"
                   "2   nothing could be decoded or written, or the command line is wrong\n"
                   "130 stopped by Ctrl-C; what was decoded until then is exported, and the table\n"
                   "    meta says so",
    .examples = "cairn export -o trace.db snapshot/\n"
                "sqlite3 -box trace.db 'SELECT * FROM hot_functions LIMIT 10'\n"
                "cairn export --tables all --rows all -o trace.db snapshot/\n"
                "cairn export --format csv -o tables/ snapshot/",
    .options = CLI_ANSWERS,
    .own = own_options,
    .take_own = take_own,
    .run = run,
};
