/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "cli/answers/sources.h"
#include "cli/command.h"
#include "cli/screen/pager.h"
#include "cli/screen/watch.h"
#include "cli/window/where.h"
#include "report/call_list.h"

#define LAST_MOST UINT64_C(10000000)

enum {
    KEY_FORMAT = CLI_OWN_KEY,
    KEY_FUNCTION,
    KEY_DEPTH,
    KEY_LAST,
    KEY_CLOCK,
};

static const char *const format_words[] = {"text", "json", "perfetto", "chrome", NULL};
static const struct cairn_call_format *const list_formats[] = {
    &cairn_calls_text, &cairn_calls_json, &cairn_calls_perfetto, &cairn_calls_chrome};
static const char *const clock_words[] = {"instructions", "cycles", "time", NULL};

static const struct cli_option own_options[] = {
    {"function", KEY_FUNCTION | CLI_FIRST, "NAME",
     "Only calls of this function, and what is called inside of them: as --function of `cairn flow`\n"
     "(ns::f(int), f, libc.so.6:memcpy, input.c:helper, 0x400600)."},
    {"depth", KEY_DEPTH | CLI_FIRST, "N",
     "Only so many levels of calls: 1 is the outermost ones, or with --function those of NAME alone."},
    {"last", KEY_LAST | CLI_FIRST, "N", "Only the last N lines of each source, as text or json."},
    {"clock", KEY_CLOCK | CLI_FIRST, "instructions|cycles|time",
     "What times and durations are counted in: instructions (default), cycles, where the trace\n"
     "counts them, or its timestamps, which stand for all that was executed up to the next one:\n"
     "nanoseconds of the system's clock, where a perf.data file tells how they become such.\n"
     "In text ? is what the trace does not tell."},
    {"format", KEY_FORMAT | CLI_FIRST, "text|json|perfetto|chrome",
     "text (default), json (JSON lines: an object a call, when it ends), perfetto (a trace for\n"
     "ui.perfetto.dev) or chrome (JSON for chrome://tracing and others). Perfetto is told a\n"
     "nanosecond for each instruction, cycle or tick."},
    CLI_LOOK_NO_PAGER_OPTION,
    {0},
};

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    struct cli_profile *calls = &options->profile;

    switch (key) {
    case KEY_FORMAT:
        return cli_option_format(options, "calls", argument, format_words, &calls->format);
    case KEY_CLOCK: return cli_option_word("calls", "clock", argument, clock_words, &calls->clock);
    case KEY_FUNCTION: calls->function = argument; break;
    case KEY_DEPTH:
        calls->has_depth = true;
        return cli_option_number("calls", "depth", argument, 1, UINT32_MAX - 1, &calls->depth);
    case KEY_LAST: return cli_option_number("calls", "last", argument, 1, LAST_MOST, &calls->last);
    default: return cli_look_take(&options->look, "calls", key, argument);
    }
    return true;
}

static cairn_status begin(void *context, const struct cairn_source_info *info,
                          struct cairn_image *image, struct cairn_pipeline *pipeline)
{
    struct cairn_call_list *list = context;
    const struct cairn_calls_sink sink = cairn_call_list_sink(list);
    cairn_status status;

    list->source = info->name;
    list->config = cairn_pipeline_config(pipeline);
    list->source_index = cairn_config_source(list->config);
    status = cairn_calls_new(list->config, image, &sink, &list->calls);
    if (status)
        return status;
    cairn_call_list_source(list);
    const struct cairn_consumer consumer = cairn_calls_consumer(list->calls);
    return cairn_pipeline_add(pipeline, &consumer);
}

static cairn_status end(void *context, const struct cairn_source_info *info,
                        const struct cairn_ledger *ledger)
{
    struct cairn_call_list *list = context;

    (void)info;
    (void)ledger;
    if (list->calls)
        cairn_call_list_source_end(list);
    cairn_calls_free(list->calls);
    list->calls = NULL;
    return CAIRN_OK;
}

static enum cli_exit list_calls(struct cli_session *session)
{
    const struct cli_profile *options = &session->options->profile;
    struct cairn_wanted wanted = {.text = NULL};

    if (options->function && !cli_where_functions(session, cairn_capture_image(session->capture),
                                                  "function", options->function, &wanted)) {
        cairn_wanted_free(&wanted);
        return CLI_UNUSABLE;
    }
    struct cairn_call_list list = {
        .format = list_formats[options->format],
        .output = session->output,
        .naming = cairn_naming_new(),
        .capture = session->capture,
        .clock = (enum cairn_call_clock)options->clock,
        .function = options->function ? &wanted : NULL,
        .depth = options->has_depth ? (uint32_t)options->depth : UINT32_MAX,
        .last = (size_t)options->last,
    };
    struct cli_sources sources = {.session = session, .context = &list, .begin = begin, .end = end};
    struct cairn_clock_info system = {.size = sizeof system};

    if (!cairn_capture_clock(session->capture, &system))
        list.system = &system;
    const cairn_status status = cairn_call_list_begin(&list);
    enum cli_exit result = status ? CLI_UNUSABLE : cli_sources_run(&sources);
    if (status)
        cli_session_say(session, "%s", cairn_status_text(status));
    else
        cairn_call_list_end(&list);
    if (result != CLI_UNUSABLE && !list.lines && !cli_interrupted() &&
        cairn_output_wanted(session->output)) {
        if (options->function)
            cli_where_none(session, "function", options->function,
                           "no call of it is in the trace. `cairn profile` lists the functions "
                           "that were executed");
        else
            cli_session_say(session,
                            "nothing was executed, as far as this trace could be followed. "
                            "`cairn check` tells why");
        cli_session_discard(session);
        result = CLI_UNUSABLE;
    }
    if (result != CLI_UNUSABLE && list.lines && !list.has_clock && !list.format->only_ends) {
        cli_session_say(session, list.clock == CAIRN_CLOCK_CYCLES
                                     ? "the trace counts no cycles: times are not known"
                                     : "the trace has no timestamps: times are not known");
        result = CLI_GAPS;
    }
    cli_sources_free(&sources);
    cairn_call_list_free(&list);
    cairn_naming_free(list.naming);
    cairn_wanted_free(&wanted);
    return result;
}

static enum cli_exit run(const struct cli_options *options)
{
    const bool text = options->profile.format == 0;
    struct cli_session session;

    if (options->profile.last && list_formats[options->profile.format]->wants_opens) {
        fprintf(stderr,
                "cairn calls: --last is of lines, and a timeline has none: leave it out with this "
                "format.\n");
        return CLI_UNUSABLE;
    }
    enum cli_exit result =
        cli_session_open(&session, &cli_command_calls, options, CLI_SURVEY_NEVER);

    if (!result && text && !options->output && !options->look.no_pager)
        (void)cli_pager_start(cli_command_calls.name);
    if (!result)
        result = list_calls(&session);
    result = cli_session_close(&session, result);
    cli_pager_end();
    return result;
}

const struct cli_command cli_command_calls = {
    .name = "calls",
    .summary = "show who called whom, in the order of time",
    .arguments = "CAPTURE",
    .description =
        "Follows the call stack of every thread that the trace tells apart and lists each call where it\n"
        "begins, with how long it took. Returns are matched by their addresses, so that tail calls,\n"
        "longjmp, C++ exceptions, signals, interrupts and switches between threads come out as they were.\n"
        "Behind a gap the stack is not known: calls begin anew there, until a return into one of before\n"
        "finds the stack again.",
    .output =
        "text: a line where a call begins with { and one where it ends with }; one line where nothing\n"
        "was called inside. at: what was executed before, in this source; then how long it took. Exceptions\n"
        "and interrupts are calls with their kind in front: `IRQ: handler`. In brackets: (was running) when\n"
        "the trace began, (jumped to) by a tail call, (found again) behind a gap; and at an end (jumped) to\n"
        "the next function, (unwound) by longjmp or an exception, (cut) by a gap, (still running).\n"
        "json: docs/json.md and calls.schema.json have every key. perfetto and chrome: a track for each\n"
        "thread.",
    .exit_status =
        "0   all of the trace became flow (but the oldest bytes of a buffer that\n"
        "    wrapped, and what was never certain to be executed)\n"
        "1   followed with gaps, or some source could not be decoded, or nothing tells --clock\n"
        "2   nothing could be decoded or listed, or the command line is wrong\n"
        "130 stopped by Ctrl-C",
    .examples = "cairn calls snapshot/\n"
                "cairn calls --function main --depth 2 snapshot/\n"
                "cairn calls --last 50 snapshot/\n"
                "cairn calls --format perfetto -o calls.pftrace snapshot/",
    .options = CLI_ANSWERS,
    .own = own_options,
    .take_own = take_own,
    .run = run,
};
