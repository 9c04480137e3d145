/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cairn/code.h>

#include "cli/answers/kept.h"
#include "cli/answers/sources.h"
#include "cli/audit/audit.h"
#include "cli/command.h"
#include "cli/screen/watch.h"
#include "cli/session/spool.h"
#include "cli/session/units.h"
#include "report/coverage_view.h"
#include "report/json_fields.h"

enum {
    KEY_BY = CLI_OWN_KEY,
    KEY_FORMAT,
    KEY_OF_PROGRAM,
    KEY_BINARY,
};

#define BINARIES_SHOWN 16u
#define OUTPUT_IS_READ "--output %s is one of the files that are read; choose another"

enum coverage_format {
    COVERAGE_TEXT,
    COVERAGE_LCOV,
    COVERAGE_COBERTURA,
    COVERAGE_HTML,
    COVERAGE_DRCOV,
    COVERAGE_JSON,
};

static const char *const formats[] = {"text", "lcov", "cobertura", "html", "drcov", "json", NULL};
static const char *const bys[] = {"function", "line",     "file", "instruction",
                                  "branch",   "decision", NULL};

static const struct cli_option own_options[] = {
    {"by", KEY_BY | CLI_FIRST, "function|line|file|instruction|branch|decision",
     "What a line of the table is. Default: function. A decision is an expression of\n"
     "several conditions in one function, with whether its branches show MC/DC."},
    {"format", KEY_FORMAT | CLI_FIRST, "text|lcov|cobertura|html|drcov|json",
     "text (default), lcov (.info: genhtml, editors), cobertura (XML: continuous integration), html\n"
     "(one file to look at), drcov (Lighthouse and other views of disassemblers) or json (JSON lines)."},
    {"of-program", KEY_OF_PROGRAM | CLI_FIRST, NULL,
     "All functions of the files of which something was executed, also those that never ran.\n"
     "Default: the functions that ran, with all of their code."},
    {"binary", KEY_BINARY | CLI_FIRST, "NAME",
     "Only this binary: its path or the end of it, or the beginning of its build-id (eight digits\n"
     "or more). Default: all that were executed, libraries too."},
    {"source-path", CLI_LOOK_SOURCE_PATH, "FROM=TO",
     "Name source files whose path begins with FROM by TO instead, and read them there. May be\n"
     "given several times; the first that fits counts. TO may be empty: /build/ and nothing."},
    {0},
};

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    switch (key) {
    case KEY_BY: return cli_option_word("coverage", "by", argument, bys, &options->coverage.by);
    case KEY_FORMAT:
        return cli_option_format(options, "coverage", argument, formats, &options->coverage.format);
    case KEY_BINARY: options->coverage.binary = argument; break;
    case KEY_OF_PROGRAM: options->coverage.of_program = true; break;
    default: return cli_look_take(&options->look, "coverage", key, argument);
    }
    return true;
}

/* --- captures --- */

struct coverage_run {
    struct cairn_coverage coverage;
    const char *capture; /* that is decoded */
    cairn_status ended;  /* of the first source whose counts could not be kept */
};

static cairn_status begin(void *context, const struct cairn_source_info *info,
                          struct cairn_image *image, struct cairn_pipeline *pipeline)
{
    struct coverage_run *const run = context;

    (void)image;
    return cairn_coverage_begin(&run->coverage, run->capture, info->name, pipeline);
}

static cairn_status end(void *context, const struct cairn_source_info *info,
                        const struct cairn_ledger *ledger)
{
    struct coverage_run *const run = context;

    (void)info;
    const cairn_status status =
        cairn_coverage_end(&run->coverage, ledger, ledger ? cli_audit_gap_bytes(ledger) : 0);
    if (!run->ended)
        run->ended = status;
    return status;
}

static bool is_same_file(const char *path, const struct stat *other)
{
    struct stat there;

    return path && !stat(path, &there) && there.st_dev == other->st_dev &&
           there.st_ino == other->st_ino;
}

/* Whether a path is a file of trace or of memory of the capture. */
static bool is_of_capture(struct cairn_capture *capture, const char *path)
{
    const struct cairn_image *const image = cairn_capture_image(capture);
    struct cairn_buffer_info buffer = {.size = sizeof buffer};
    struct cairn_layer_info layer = {.size = sizeof layer};
    struct stat there;

    if (!path || stat(path, &there))
        return false;
    for (size_t i = 0; i < cairn_capture_buffer_count(capture); i++)
        if (!cairn_capture_buffer(capture, i, &buffer) && is_same_file(buffer.path, &there))
            return true;
    for (size_t i = 0; i < cairn_image_layer_count(image); i++)
        if (!cairn_image_layer(image, i, &layer) && is_same_file(layer.name, &there))
            return true;
    return false;
}

static enum cli_exit take_capture(struct coverage_run *run, const struct cli_options *given,
                                  const char *path)
{
    struct cli_options options = *given;
    struct cli_session session;

    options.capture = run->capture = path;
    options.output = NULL; /* opened when all is known */
    enum cli_exit result =
        cli_session_open(&session, &cli_command_coverage, &options, CLI_SURVEY_NEVER);
    if (!result && is_of_capture(session.capture, given->output)) {
        cli_session_say(&session, OUTPUT_IS_READ, given->output);
        result = CLI_UNUSABLE;
    }
    if (!result) {
        struct cli_sources sources = {
            .session = &session, .context = run, .begin = begin, .end = end};

        cairn_status status =
            cairn_coverage_capture(&run->coverage, cairn_capture_image(session.capture));

        result = status ? CLI_UNUSABLE : cli_sources_run(&sources);
        cairn_coverage_captured(&run->coverage);
        if (!status)
            status = run->ended;
        if (status) {
            cli_session_say(&session, "%s: %s", path,
                            status == CAIRN_E_LIMIT
                                ? "its programs have more instructions than are kept"
                                : cairn_status_text(status));
            result = CLI_UNUSABLE;
        }
        cli_sources_free(&sources);
    }
    /* Ctrl-C: what was decoded until then is shown. */
    const enum cli_exit closed = cli_session_close(&session, result);
    return closed == CLI_INTERRUPTED ? result : closed;
}

/* The names that coverage has of it are texts of the counts, which live as long. */
static enum cli_exit take_kept(struct coverage_run *run, const struct cli_options *given,
                               const char *path, struct cli_counts_file *kept)
{
    struct cli_options options = *given;
    struct cli_session session = {.command = &cli_command_coverage, .options = &options};

    options.capture = path;
    if (!cli_kept_open(&session, kept, true))
        return CLI_UNUSABLE;
    const cairn_status status =
        cairn_counts_give_coverage(&kept->given, &run->coverage, cli_audit_gap_bytes);
    if (status) {
        cli_session_say(&session, "%s: %s", path, cairn_status_text(status));
        return CLI_UNUSABLE;
    }
    return kept->given.missing ? CLI_GAPS : cli_kept_result(kept);
}

/* --- output --- */

static cairn_status show(struct cli_session *session, const struct cairn_coverage *coverage)
{
    const struct cli_options *const options = session->options;
    struct cairn_coverage_view view = {
        .coverage = coverage,
        .output = session->output,
        .naming = cairn_naming_new(),
        .sources = coverage->texts,
        .by = (enum cairn_coverage_by)options->coverage.by,
    };
    cairn_status status = CAIRN_OK;

    if (view.by == CAIRN_COVERAGE_BY_INSTRUCTION && options->coverage.format == COVERAGE_TEXT)
        view.disasm = cairn_disasm_new();
    switch ((enum coverage_format)options->coverage.format) {
    case COVERAGE_TEXT: status = cairn_coverage_text(&view); break;
    case COVERAGE_LCOV: status = cairn_coverage_lcov(&view); break;
    case COVERAGE_COBERTURA: status = cairn_coverage_cobertura(&view); break;
    case COVERAGE_HTML: status = cairn_coverage_html(&view); break;
    case COVERAGE_DRCOV: status = cairn_coverage_drcov(&view); break;
    case COVERAGE_JSON:
        cairn_json_begin(session->output, session->command->name);
        status = cairn_coverage_json(&view);
        break;
    }
    cairn_disasm_free(view.disasm);
    cairn_naming_free(view.naming);
    return status;
}

/* What needs source lines says so when there are none. */
static bool says_something(struct cli_session *session, const struct cairn_coverage *coverage)
{
    const struct cli_coverage *const options = &session->options->coverage;
    const bool wants_lines =
        options->format == COVERAGE_LCOV || options->format == COVERAGE_COBERTURA ||
        ((options->format == COVERAGE_TEXT || options->format == COVERAGE_JSON) &&
         (options->by == CAIRN_COVERAGE_BY_LINE || options->by == CAIRN_COVERAGE_BY_FILE));

    if (!coverage->insn_count && options->binary && coverage->object_count) {
        cli_session_say(
            session, "nothing of %s was executed. Files of which something was:", options->binary);
        for (size_t i = 0; i < coverage->object_count && i < BINARIES_SHOWN; i++)
            cli_session_say(session, "  %s", coverage->objects[i].path);
        return false;
    }
    if (!coverage->insn_count) {
        cli_session_say(session, "nothing was executed, as far as the trace could be followed. "
                                 "`cairn check` tells why");
        return false;
    }
    const bool wants_decisions =
        options->by == CAIRN_COVERAGE_BY_DECISION &&
        (options->format == COVERAGE_TEXT || options->format == COVERAGE_JSON);
    if ((wants_lines || wants_decisions) && !coverage->line_count) {
        cli_session_say(session,
                        "no source lines are known: the programs have no debug information. "
                        "Compile with -g, or name the folder that has it by --debug-dir");
        return false;
    }
    return true;
}

static bool is_read(const struct cairn_coverage *coverage, const char *path)
{
    struct stat there;

    if (!path || stat(path, &there))
        return false;
    for (size_t i = 0; i < coverage->object_count; i++)
        if (is_same_file(coverage->objects[i].path, &there))
            return true;
    return false;
}

static enum cli_exit report(const struct cli_options *options, struct cairn_coverage *coverage,
                            enum cli_exit result)
{
    struct cli_session session;

    if (is_read(coverage, options->output)) {
        fprintf(stderr, "cairn coverage: " OUTPUT_IS_READ "\n", options->output);
        return CLI_UNUSABLE;
    }
    coverage->of_program = options->coverage.of_program;
    coverage->binary = options->coverage.binary;
    coverage->paths = options->look.paths;
    coverage->path_count = options->look.path_count;
    coverage->texts = cairn_sources_new(options->look.paths, options->look.path_count);
    /* An output is begun when there is something to write. */
    session = (struct cli_session){.command = &cli_command_coverage, .options = options};
    cairn_status status = cairn_coverage_settle(coverage);
    if (!status && !says_something(&session, coverage))
        return cli_interrupted() ? CLI_INTERRUPTED : CLI_UNUSABLE;
    enum cli_exit opened =
        status ? CLI_UNUSABLE : cli_session_open_output(&session, &cli_command_coverage, options);
    if (!opened)
        status = show(&session, coverage);
    if (status) {
        cli_session_say(&session, "%s",
                        status == CAIRN_E_LIMIT
                            ? "the programs have more instructions than are kept: "
                              "leave out --of-program, or take fewer captures at once"
                            : cairn_status_text(status));
        opened = CLI_UNUSABLE;
    }
    const uint64_t lost = cairn_coverage_lost(coverage);
    const uint64_t overflows = cairn_coverage_overflows(coverage);
    bool is_partial = false;
    if (lost && !opened && options->coverage.format != COVERAGE_TEXT)
        cli_session_say(&session,
                        "%llu byte%s of trace could not be followed: what is said not to have run "
                        "may have run there. `cairn check` tells why",
                        (unsigned long long)lost, lost == 1 ? "" : "s");
    if (overflows && !opened && options->coverage.format != COVERAGE_TEXT)
        cli_session_say(&session,
                        "trace units overflowed %llu time%s: what is said not to have run may have "
                        "run there",
                        (unsigned long long)overflows, overflows == 1 ? "" : "s");
    for (size_t i = 0; i < coverage->object_count && !opened; i++) {
        const struct cairn_coverage_object *const object = &coverage->objects[i];

        if (object->partial && options->coverage.format != COVERAGE_TEXT)
            cli_session_say(&session, "%s" CAIRN_COVERAGE_PARTIAL, object->path, object->partial,
                            object->partial == 1 ? "" : "s");
        is_partial |= object->partial != 0;
    }
    if ((overflows || is_partial) && result == CLI_CLEAN)
        result = CLI_GAPS;
    for (size_t i = 0; i < coverage->object_count; i++)
        cli_units_tell_file(&session, coverage->objects[i].file);
    return cli_session_close(&session, opened ? opened : result);
}

static void free_all(struct coverage_run *run, struct cli_counts_file *kept, size_t count)
{
    cairn_sources_free(run->coverage.texts);
    cairn_coverage_free(&run->coverage);
    for (size_t i = 0; i < count; i++)
        cli_kept_close(&kept[i]);
    free(kept);
}

static enum cli_exit run(const struct cli_options *options)
{
    const struct cli_list *const captures = &options->programming.words;
    struct coverage_run run = {.capture = NULL};
    enum cli_exit result = CLI_CLEAN;
    struct stat there;

    if (!captures->count) {
        fprintf(stderr,
                "cairn coverage: which capture? Usage: cairn coverage [OPTION]... CAPTURE...\n");
        return CLI_UNUSABLE;
    }
    if (options->output && !options->force && !stat(options->output, &there) &&
        S_ISREG(there.st_mode)) {
        fprintf(stderr, "cairn coverage: %s exists; give --force to replace it\n", options->output);
        return CLI_UNUSABLE;
    }
    struct cli_counts_file *const kept = calloc(captures->count, sizeof *kept);
    if (!kept) {
        fprintf(stderr, "cairn coverage: out of memory\n");
        return CLI_UNUSABLE;
    }
    for (size_t i = 0; i < captures->count && !cli_interrupted(); i++) {
        const enum cli_exit one = cairn_counts_is_file(cli_spool_look(captures->items[i]))
                                      ? take_kept(&run, options, captures->items[i], &kept[i])
                                      : take_capture(&run, options, captures->items[i]);

        if (one == CLI_UNUSABLE) {
            /* Coverage of some captures only would look as if the others had run nothing. */
            free_all(&run, kept, captures->count);
            return one;
        }
        if (one)
            result = one;
    }
    result = report(options, &run.coverage, result);
    free_all(&run, kept, captures->count);
    return result;
}

const struct cli_command cli_command_coverage = {
    .name = "coverage",
    .summary = "tell which code was executed: functions, lines, branches",
    .arguments = "CAPTURE...",
    .description =
        "Tells what of a program the trace shows as executed, how often, and which ways its branches\n"
        "went: of functions, source lines, files, instructions and branches. The program needs no\n"
        "instrumentation, only its debug information (-g) for lines. Captures and their sources are\n"
        "added up, by file and address in it. What the trace lost, or shows of code without an image,\n"
        "is told apart from what never ran.",
    .output =
        "text: what was decoded, totals, what is not known, then a table. branches: B+O/N, of N\n"
        "conditional branches B went both ways and O one way only; entered: how often the function was\n"
        "called or jumped to. Addresses are those of the file. ways: both, taken, not_taken, never\n"
        "(executed), not_told (the trace does not say). MC/DC: shown, not shown, undecided\n"
        "(docs/coverage.md has the rule).\n"
        "json: docs/json.md and coverage.schema.json have every key.",
    .exit_status = "0   all of the trace became flow (but the oldest bytes of a buffer that\n"
                   "    wrapped, and what was never certain to be executed)\n"
                   "1   counted with gaps, a trace unit overflowed, a file has names and no code,\n"
                   "    or some source could not be decoded\n"
                   "2   nothing could be decoded, or the command line is wrong\n"
                   "130 stopped by Ctrl-C; what was decoded until then is counted",
    .examples =
        "cairn coverage snapshot/\n"
        "cairn coverage --by line --of-program run1/ run2/ run3/\n"
        "cairn coverage --format lcov -o run.info run/ && genhtml --branch-coverage -o html run.info\n"
        "cairn coverage --format html -o coverage.html run/\n"
        "cairn coverage --format cobertura --source-path /build/= -o coverage.xml run/\n"
        "cairn coverage --format drcov -o run.drcov run/",
    .options = CLI_ANSWERS | CLI_TAKES_WORDS,
    .own = own_options,
    .take_own = take_own,
    .run = run,
};
