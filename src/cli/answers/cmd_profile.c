/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "cli/answers/kept.h"
#include "cli/answers/sources.h"
#include "cli/answers/thread_files.h"
#include "cli/command.h"
#include "cli/screen/watch.h"
#include "cli/session/units.h"
#include "cli/session/whose.h"
#include "cli/window/where.h"
#include "report/json_fields.h"
#include "report/profile_view.h"

enum {
    KEY_FORMAT = CLI_OWN_KEY,
    KEY_BY,
    KEY_SORT,
    KEY_TOP,
    KEY_ANNOTATE,
    KEY_THREADS,
    KEY_NO_CALLS,
};

enum profile_format {
    FORMAT_TEXT,
    FORMAT_JSON,
    FORMAT_FOLDED,
    FORMAT_CALLGRIND,
    FORMAT_SPEEDSCOPE,
    FORMAT_PPROF,
};

static const char *const formats[] = {"text",       "json",  "folded", "callgrind",
                                      "speedscope", "pprof", NULL};
static const char *const bys[] = {"function",    "line",   "block",   "branch",
                                  "instruction", "thread", "process", NULL};
static const char *const sorts[] = {"self", "total", "calls", "cycles", "address", NULL};

static const struct cli_option own_options[] = {
    {"by", KEY_BY | CLI_FIRST, "function|line|block|branch|instruction|thread|process",
     "What a line of the table is. Default: function. A block is consecutive instructions up to one\n"
     "that decides where execution goes on. Threads are told apart by contexts, or by what a\n"
     "perf.data file says; their numbers and names are of such a file."},
    {"sort", KEY_SORT | CLI_FIRST, "self|total|calls|cycles|address",
     "What the lines are ordered by. Default: self, the instructions executed in it."},
    {"top", KEY_TOP | CLI_FIRST, "N", "Only the first N lines. Default: 40 in text, else all."},
    {"format", KEY_FORMAT | CLI_FIRST, "text|json|folded|callgrind|speedscope|pprof",
     "text (default), json (JSON lines), folded (a chain of calls a line, for flame graphs),\n"
     "callgrind (for KCachegrind and callgrind_annotate), speedscope (for speedscope.app) or pprof\n"
     "(for pprof: profile.proto, not compressed)."},
    {"annotate", KEY_ANNOTATE | CLI_FIRST, "FUNCTION",
     "The instructions of a function (as --function of `cairn flow`) in place of the table, each with\n"
     "how often it was executed, and of branches how often they were taken; with the source lines where\n"
     "they are known."},
    {"threads", KEY_THREADS, NULL,
     "In folded, speedscope and pprof: chains of calls begin with the thread (its source, and the\n"
     "context ID where the trace has it). In callgrind: a file for each thread, FILE-01, FILE-02 and so\n"
     "on of --output FILE, the one that executed most first; of each function what all of its calls\n"
     "executed, not of each instruction."},
    {"no-calls", KEY_NO_CALLS, NULL,
     "Keep no stacks: no totals and no calls, but faster. Tables by anything but functions need none."},
    {0},
};

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    struct cli_profile *profile = &options->profile;

    switch (key) {
    case KEY_FORMAT:
        return cli_option_format(options, "profile", argument, formats, &profile->format);
    case KEY_BY: return cli_option_word("profile", "by", argument, bys, &profile->by);
    case KEY_SORT: return cli_option_word("profile", "sort", argument, sorts, &profile->sort);
    case KEY_TOP:
        if (cli_number(argument, &profile->top) && profile->top && profile->top <= SIZE_MAX)
            return true;
        fprintf(stderr, "cairn profile: --top %s: expected how many lines, from 1 on.\n", argument);
        return false;
    case KEY_ANNOTATE: profile->annotate = argument; break;
    case KEY_THREADS: profile->by_thread = true; break;
    case KEY_NO_CALLS: profile->no_calls = true; break;
    }
    return true;
}

static bool is_by_thread(const struct cli_profile *options)
{
    return options->by >= CAIRN_PROFILE_BY_THREAD;
}

static bool needs_calls(const struct cli_profile *options)
{
    switch (options->format) {
    case FORMAT_TEXT:
    case FORMAT_JSON:
        return is_by_thread(options) ||
               (options->by == 0 && !options->annotate && !options->no_calls);
    default: return true;
    }
}

/* Of functions alone: who called whom need not be kept where that costs more than it saves. */
static bool needs_totals(const struct cli_profile *options)
{
    return options->format <= FORMAT_JSON && !is_by_thread(options);
}

static bool needs_insns(const struct cli_profile *options)
{
    switch (options->format) {
    case FORMAT_TEXT:
    case FORMAT_JSON:
        return options->annotate ||
               (options->by != CAIRN_PROFILE_BY_FUNCTION && options->by != CAIRN_PROFILE_BY_BLOCK);
    default: return options->format == FORMAT_CALLGRIND;
    }
}

/* Of each thread one. */
static bool are_files(const struct cli_profile *options)
{
    return options->format == FORMAT_CALLGRIND && options->by_thread;
}

static bool fits(const struct cli_profile *options, const char *output)
{
    const char *wrong = NULL;

    if (options->no_calls && options->format > FORMAT_JSON)
        wrong = "this format has calls in it: leave out --no-calls";
    else if (options->format > FORMAT_JSON &&
             (options->by || options->top || options->sort || options->annotate))
        wrong =
            "--by, --sort, --top and --annotate are about tables: leave them out with this format";
    else if ((options->sort == CAIRN_PROFILE_SORT_TOTAL ||
              options->sort == CAIRN_PROFILE_SORT_CALLS) &&
             (options->by || options->no_calls))
        wrong =
            "only functions have totals and calls: leave out --by and --no-calls, or sort by self";
    else if (is_by_thread(options) &&
             (options->no_calls || options->sort == CAIRN_PROFILE_SORT_ADDRESS))
        wrong = "threads are followed by their stacks, and sorted by self or cycles: leave out "
                "--no-calls and --sort address";
    else if (options->annotate &&
             (options->by || options->top || options->sort || options->format != FORMAT_TEXT))
        wrong = "--annotate is a listing of its own: leave out --by, --sort, --top and --format";
    else if (options->by_thread && options->format < FORMAT_FOLDED)
        wrong = "--threads is for the formats folded, callgrind, speedscope and pprof";
    else if (are_files(options) && !output)
        wrong = "--threads makes a file for each thread in callgrind's format: give --output FILE, "
                "for FILE-01, FILE-02 and so on";
    if (wrong)
        fprintf(stderr, "cairn profile: %s.\n", wrong);
    return !wrong;
}

static cairn_status begin(void *context, const struct cairn_source_info *info,
                          struct cairn_image *image, struct cairn_pipeline *pipeline)
{
    (void)image;
    return cairn_profile_add(context, info->name, pipeline);
}

static cairn_status end(void *context, const struct cairn_source_info *info,
                        const struct cairn_ledger *ledger)
{
    (void)info;
    (void)ledger;
    return cairn_profile_added(context);
}

/* False after a message. */
static bool read_annotated(struct cli_session *session, const struct cairn_image *image,
                           struct cairn_wanted *wanted)
{
    const char *const text = session->options->profile.annotate;

    wanted->parts = true;
    return !text || cli_where_functions(session, image, "annotate", text, wanted);
}

static bool annotate(struct cli_session *session, const struct cairn_profile_view *view,
                     const struct cairn_wanted *wanted, cairn_status *status)
{
    size_t found;

    *status = cairn_profile_annotate(view, wanted, &found);
    if (*status || found)
        return true;
    cli_where_none(session, "annotate", wanted->text,
                   "it was not executed. `cairn profile --format json` lists the functions that "
                   "were");
    return false;
}

static cairn_status show(struct cli_session *session, struct cairn_profile_view *view,
                         const struct cli_sources *sources, const char *capture)
{
    if (view->by >= CAIRN_PROFILE_BY_THREAD && cairn_profile_lacks_numbers(view))
        cli_session_say(
            session,
            "nobody knows which thread or process what was executed is of: " CLI_NO_NUMBERS);
    switch ((enum profile_format)session->options->profile.format) {
    case FORMAT_JSON:
        cairn_json_begin(session->output, session->command->name);
        return cairn_profile_json(view, sources->lost_bytes);
    case FORMAT_FOLDED: return cairn_profile_folded(view);
    case FORMAT_CALLGRIND: return cairn_profile_callgrind(view, capture);
    case FORMAT_SPEEDSCOPE: return cairn_profile_speedscope(view, capture);
    case FORMAT_PPROF: return cairn_profile_pprof(view);
    case FORMAT_TEXT: break;
    }
    return cairn_profile_text(view);
}

static enum cli_exit take_kept(struct cli_sources *sources, struct cli_counts_file *kept,
                               struct cairn_profiled *profile)
{
    struct cli_session *const session = sources->session;

    if (!cli_kept_open(session, kept, true))
        return CLI_UNUSABLE;
    if (profile->has_calls && cairn_counts_flag(&kept->counts, CAIRN_COUNTS_NO_CALLS)) {
        cli_session_say(session,
                        "%s: there are no chains of calls in it: give --no-calls, or count "
                        "anew without it",
                        session->options->capture);
        return CLI_UNUSABLE;
    }
    if (session->options->profile.by >= CAIRN_PROFILE_BY_THREAD ||
        are_files(&session->options->profile)) {
        cli_session_say(session,
                        "%s: counts do not say which threads and processes there were: leave "
                        "out --by and --threads, or profile the capture",
                        session->options->capture);
        return CLI_UNUSABLE;
    }
    const cairn_status status = cairn_counts_give_profile(&kept->given, profile);
    if (status) {
        cli_session_say(session, "%s: %s", session->options->capture, cairn_status_text(status));
        return CLI_UNUSABLE;
    }
    sources->lost_bytes = cli_kept_lost(&kept->counts);
    return cli_kept_result(kept);
}

/* Who had a number one after the other is of matter there. */
static bool tells_threads(const struct cli_profile *options)
{
    return options->by >= CAIRN_PROFILE_BY_THREAD || options->by_thread || are_files(options);
}

static enum cli_exit profile_capture(struct cli_session *session)
{
    const struct cli_profile *options = &session->options->profile;
    struct cairn_profiled profile = {.has_calls = needs_calls(options),
                                     .only_totals = needs_totals(options),
                                     .has_insns = needs_insns(options),
                                     .capture = tells_threads(options) ? session->capture : NULL,
                                     .is_ordered = true};
    struct cli_counts_file kept = {.counts = {0}};
    struct cli_sources sources = {
        .session = session, .context = &profile, .begin = begin, .end = end};
    struct cairn_wanted wanted = {.text = NULL};
    cairn_status status = CAIRN_OK;
    enum cli_exit result = CLI_UNUSABLE;

    if (!session->capture) {
        result = take_kept(&sources, &kept, &profile);
        if (result != CLI_UNUSABLE && !read_annotated(session, profile.image, &wanted))
            result = CLI_UNUSABLE;
    } else if (read_annotated(session, cairn_capture_image(session->capture), &wanted)) {
        status = cairn_profile_begin(&profile, cairn_capture_image(session->capture));
        result = status ? CLI_UNUSABLE : cli_sources_run(&sources);
    }
    if (!status && result != CLI_UNUSABLE)
        status = cairn_profile_finish(&profile);
    if (!status && result != CLI_UNUSABLE && profile.instructions == 0) {
        cli_session_say(session, "nothing was executed, as far as this trace could be followed. "
                                 "`cairn check` tells why");
        result = CLI_UNUSABLE;
    }
    if (!status && result != CLI_UNUSABLE) {
        struct cairn_profile_view view = {
            .profile = &profile,
            .capture = session->capture,
            .output = session->output,
            .naming = cairn_naming_new(),
            .by = (enum cairn_profile_by)options->by,
            .sort = (enum cairn_profile_sort)options->sort,
            .top = (size_t)options->top,
            .by_thread = options->by_thread,
        };

        if (options->format == FORMAT_TEXT && !options->top)
            view.top = CAIRN_PROFILE_TOP;
        if (are_files(options))
            result = cli_thread_files_write(session, &view, &status) ? result : CLI_UNUSABLE;
        else if (!options->annotate)
            status = show(session, &view, &sources,
                          cli_kept_name(&kept.counts, session->options->capture));
        else if (!annotate(session, &view, &wanted, &status))
            result = CLI_UNUSABLE;
        cairn_naming_free(view.naming);
    }
    if (status) {
        cli_session_say(session, "%s", cairn_status_text(status));
        result = CLI_UNUSABLE;
    }
    if (profile.is_full)
        cli_session_say(session,
                        "there are more than %u different chains of calls in one source, or %u in "
                        "all: those behind them are counted with their callers",
                        CAIRN_PROFILE_NODES_MAX, CAIRN_PROFILE_ALL_NODES_MAX);
    if (result != CLI_UNUSABLE && options->sort == CAIRN_PROFILE_SORT_CYCLES &&
        !profile.has_cycles) {
        cli_session_say(session, "the trace counts no cycles: there is nothing to sort by");
        result = CLI_GAPS;
    }
    if (sources.lost_bytes && result != CLI_UNUSABLE && !cli_interrupted())
        cli_session_say(session,
                        "%llu byte%s of trace could not be followed, and what was executed there "
                        "is not counted. `cairn check` tells why",
                        (unsigned long long)sources.lost_bytes, cairn_plural(sources.lost_bytes));
    cli_sources_free(&sources);
    cairn_wanted_free(&wanted);
    cairn_profile_free(&profile);
    cli_units_tell(session, kept.given.image);
    cli_kept_close(&kept);
    return result;
}

static enum cli_exit run(const struct cli_options *options)
{
    struct cli_session session;
    struct cli_options own;

    if (!fits(&options->profile, options->output))
        return CLI_UNUSABLE;
    if (are_files(&options->profile)) { /* the output says which they are */
        own = *options;
        own.profile.files = own.output;
        own.output = NULL;
        options = &own;
    }
    enum cli_exit result = cli_kept_session(&session, &cli_command_profile, options);

    if (!result)
        result = profile_capture(&session);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_profile = {
    .name = "profile",
    .summary = "count what was executed, by function, line or instruction",
    .arguments = "CAPTURE",
    .description =
        "Counts every instruction that the trace shows as executed: no samples, but all of them. Of\n"
        "functions it tells how many were executed in each itself (self), with all that it called\n"
        "(total), and how often it was called; cycles where the trace counts them. Sources are added up.\n"
        "Totals come from call stacks, which are followed through exceptions, tail calls, longjmp and\n"
        "C++ exceptions; behind a gap they begin anew. `cairn calls` shows the calls one by one.",
    .output =
        "text: a line for each source with what was executed; then a table. share: of all instructions;\n"
        "self: instructions executed in it; cycles, where they are traced: each count is that of what was\n"
        "executed last before it, in ETMv1 and ETMv3 of the instruction behind it; total: self and all\n"
        "that was called, recursion counted once; calls: how often it was called, jumped to (tail calls)\n"
        "or taken (exceptions); times, taken: of blocks, branches and instructions. [FILE] is code of a\n"
        "file without symbols.\n"
        "json: docs/json.md and profile.schema.json have every key.\n"
        "folded: names with ; between, outermost first, then instructions. callgrind: events Ir and, if\n"
        "traced, Cy, with jumps. docs/profile.md tells how to open each.",
    .exit_status = "0   all of the trace became flow (but the oldest bytes of a buffer that\n"
                   "    wrapped, and what was never certain to be executed)\n"
                   "1   counted with gaps, or some source could not be decoded, or no cycles to\n"
                   "    sort by\n"
                   "2   nothing could be decoded, or the command line is wrong\n"
                   "130 stopped by Ctrl-C; what was decoded until then is counted",
    .examples =
        "cairn profile snapshot/\n"
        "cairn profile --by line --top 20 snapshot/\n"
        "cairn profile --annotate memcpy snapshot/\n"
        "cairn profile --format folded snapshot/ | flamegraph.pl > flame.svg\n"
        "cairn profile --format callgrind -o callgrind.out snapshot/\n"
        "cairn profile --format pprof -o profile.pb snapshot/ && go tool pprof -top profile.pb",
    .options = CLI_ANSWERS,
    .own = own_options,
    .take_own = take_own,
    .run = run,
};
