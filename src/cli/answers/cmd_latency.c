/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/letters.h"
#include "cli/answers/beside.h"
#include "cli/answers/sources.h"
#include "cli/command.h"
#include "cli/screen/watch.h"
#include "cli/session/whose.h"
#include "cli/window/where.h"
#include "report/latency.h"

#define TOP_DEFAULT 8u
#define LONGEST_DEFAULT 1u
#define TOP_MOST CAIRN_LATENCY_GROUPS_MAX
#define FREQUENCY_MOST UINT64_C(1000000000000)

enum {
    KEY_FORMAT = CLI_OWN_KEY,
    KEY_BEGIN,
    KEY_END,
    KEY_FUNCTION,
    KEY_EXCEPTION,
    KEY_PERIOD,
    KEY_WITHOUT_EXCEPTIONS,
    KEY_CLOCK,
    KEY_FREQUENCY,
    KEY_BINS,
    KEY_LONGEST,
    KEY_TOP,
    KEY_SAMPLES,
};

static const char *const format_words[] = {"text", "json", NULL};
static const char *const bin_words[] = {"log2", "linear", NULL};
static const char *const clock_words[] = {"auto", "instructions", "cycles", "time", NULL};

static const struct cli_option own_options[] = {
    {"begin", KEY_BEGIN | CLI_FIRST, "WHERE",
     "From here: a function's first instruction, FILE:LINE, an address (as --function of `cairn flow`)."},
    {"end", KEY_END | CLI_FIRST, "WHERE", "To here, in the same thread."},
    {"function", KEY_FUNCTION | CLI_FIRST, "NAME",
     "Each call of this function (as --function of `cairn flow`), to its return; where it ends by a tail\n"
     "call, to that one's."},
    {"period", KEY_PERIOD | CLI_FIRST, NULL,
     "From each beginning to the next one: of --begin, of --function or of each exception."},
    {"exception", KEY_EXCEPTION, "NAME", "Only exceptions of this name, or with this handler."},
    {"without-exceptions", KEY_WITHOUT_EXCEPTIONS, NULL,
     "Leave out what exceptions, and other threads, took meanwhile."},
    {"clock", KEY_CLOCK | CLI_FIRST, "auto|instructions|cycles|time",
     "What it is measured in. auto (default): cycles, where the trace counts them; else timestamps, if\n"
     "they are near enough to tell something; else instructions."},
    {"frequency", KEY_FREQUENCY, "HZ",
     "Of that clock: text then has nanoseconds. With K, M or G behind: thousands, millions ... A\n"
     "perf.data file may tell that of timestamps itself."},
    {"bins", KEY_BINS, "log2|linear",
     "The histogram's bins: each twice as wide (default), or alike."},
    {"longest", KEY_LONGEST, "N",
     "Show the N longest of each, with the command that lists what was executed. Default: 1."},
    {"top", KEY_TOP, "N", "In text: histograms of the N most frequent. Default: 8."},
    {"samples", KEY_SAMPLES, "FILE", "Write every single one to FILE, as CSV."},
    {"format", KEY_FORMAT | CLI_FIRST, "text|json",
     "text (default) or json (JSON lines: one object a line)."},
    {0},
};

static bool take_frequency(const char *argument, uint64_t *value)
{
    static const char letters[] = "KMG";
    const size_t length = strlen(argument);
    const char *letter = length ? strchr(letters, argument[length - 1]) : NULL;
    uint64_t scale = 1;
    char copy[32];

    snprintf(copy, sizeof copy, "%.*s", (int)(length - (letter != NULL)), argument);
    for (const char *at = letters; letter && at <= letter; at++)
        scale *= 1000;
    if (cli_number(copy, value) && *value > 0 && *value <= FREQUENCY_MOST / scale) {
        *value *= scale;
        return true;
    }
    fprintf(stderr, "cairn latency: --frequency %s: expected one in Hz, such as 25000000 or 25M.\n",
            argument);
    return false;
}

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    struct cli_latency *latency = &options->latency;

    switch (key) {
    case KEY_FORMAT:
        return cli_option_format(options, "latency", argument, format_words, &latency->format);
    case KEY_CLOCK:
        return cli_option_word("latency", "clock", argument, clock_words, &latency->clock);
    case KEY_BINS: return cli_option_word("latency", "bins", argument, bin_words, &latency->bins);
    case KEY_BEGIN: latency->begin = argument; break;
    case KEY_END: latency->end = argument; break;
    case KEY_FUNCTION: latency->function = argument; break;
    case KEY_EXCEPTION: latency->exception = argument; break;
    case KEY_PERIOD: latency->period = true; break;
    case KEY_WITHOUT_EXCEPTIONS: latency->without_exceptions = true; break;
    case KEY_SAMPLES: latency->samples = argument; break;
    case KEY_FREQUENCY: return take_frequency(argument, &latency->frequency);
    case KEY_LONGEST:
        latency->has_longest = true;
        return cli_option_number("latency", "longest", argument, 0, CAIRN_LATENCY_WORST_MAX,
                                 &latency->longest);
    case KEY_TOP:
        latency->has_top = true;
        return cli_option_number("latency", "top", argument, 0, TOP_MOST, &latency->top);
    default: return false;
    }
    return true;
}

/* Options that do not go together. */
static bool fits_together(const struct cli_latency *latency)
{
    const char *why = NULL;

    if (latency->begin && latency->function)
        why = "--begin and --function are two things to measure: give one of them";
    else if (latency->end && !latency->begin)
        why = "--end needs --begin: where it is measured from";
    else if (latency->begin && !latency->end && !latency->period)
        why = "--begin needs --end, or --period: from one time to the next";
    else if (latency->end && latency->period)
        why = "--period is from one --begin to the next, and has no --end";
    else if (latency->exception && (latency->begin || latency->function))
        why = "--exception chooses among exceptions, and goes with neither --begin nor --function";
    else if (latency->period && latency->without_exceptions && !latency->begin &&
             !latency->function)
        why = "--without-exceptions goes with periods of --begin and --function alone: those of "
              "exceptions are of all threads";
    else if (latency->frequency && latency->clock == 1 + CAIRN_CLOCK_INSTRUCTIONS)
        why = "--frequency makes nanoseconds of cycles or timestamps, not of --clock instructions";
    if (why)
        fprintf(stderr, "cairn latency: %s.\n", why);
    return !why;
}

/* --- places --- */

struct place_list {
    uint64_t *places;
    uint8_t *roles;
    uint32_t count;
};

/* Adds an address; there is room. */
static void add_place(struct place_list *list, uint64_t address, uint8_t role)
{
    uint32_t at = 0;

    while (at < list->count && list->places[at] < address)
        at++;
    if (at < list->count && list->places[at] == address) {
        list->roles[at] |= role;
        return;
    }
    memmove(list->places + at + 1, list->places + at, (list->count - at) * sizeof *list->places);
    memmove(list->roles + at + 1, list->roles + at, list->count - at);
    list->places[at] = address;
    list->roles[at] = role;
    list->count++;
}

static bool add_places(struct cli_session *session, const char *option, const char *text,
                       uint8_t role, struct place_list *list)
{
    struct cli_place *found = NULL;
    size_t count, entries = 0;

    if (!cli_where(session, option, text, &found, &count))
        return false;
    uint64_t *places = realloc(list->places, (list->count + count) * sizeof *places);
    list->places = places ? places : list->places;
    uint8_t *roles = realloc(list->roles, list->count + count);
    list->roles = roles ? roles : list->roles;
    if (!places || !roles) {
        free(found);
        cli_session_say(session, "out of memory");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        entries += found[i].is_entry;
    for (size_t i = 0; i < count; i++)
        if (found[i].is_entry || !entries)
            add_place(list, found[i].first & ~UINT64_C(1), role); /* T32's, as pointers have it */
    free(found);
    return true;
}

/* --- functions --- */

struct functions {
    struct cairn_wanted function, exception;
};

/* An exception may have a name that is no function's. */
static bool read_functions(struct cli_session *session, struct functions *functions)
{
    const struct cli_latency *const options = &session->options->latency;
    struct cairn_matches *matches = NULL;

    if (options->exception &&
        cairn_wanted_read(&functions->exception, cairn_capture_image(session->capture),
                          options->exception, &matches) == CAIRN_E_MEMORY) {
        cairn_matches_free(matches);
        cli_session_say(session, "%s", cairn_status_text(CAIRN_E_MEMORY));
        return false;
    }
    cairn_matches_free(matches);
    return !options->function ||
           cli_where_functions(session, cairn_capture_image(session->capture), "function",
                               options->function, &functions->function);
}

/* --- the file of samples --- */

struct sample_file {
    struct cairn_output output;
    struct cli_beside beside;
    const char *path; /* NULL: none is written */
};

static bool open_samples(struct cli_session *session, struct sample_file *file)
{
    const char *path = session->options->latency.samples;
    struct stat there;

    if (!path)
        return true;
    if (!session->options->force && !stat(path, &there) && S_ISREG(there.st_mode)) {
        cli_session_say(session, "%s is there already: --force replaces it", path);
        return false;
    }
    if (!cli_beside_open(&file->beside, path)) {
        cli_session_say(session, "cannot write %s: %s", path, strerror(errno));
        return false;
    }
    file->path = path;
    cairn_output_init(&file->output, file->beside.fd);
    return true;
}

static enum cli_exit close_samples(struct cli_session *session, struct sample_file *file,
                                   enum cli_exit result)
{
    if (!file->path)
        return result;
    cairn_output_flush(&file->output);
    const bool failed = file->output.state != CAIRN_OUTPUT_OPEN;
    const int error = file->output.error;
    const bool is_kept = result != CLI_UNUSABLE && !failed;
    const bool is_done = cli_beside_close(&file->beside, is_kept);
    if (result == CLI_UNUSABLE)
        return result;
    if (!is_kept || !is_done) {
        cli_session_say(session, "cannot write %s: %s", file->path,
                        strerror(failed ? error : errno));
        return CLI_UNUSABLE;
    }
    if (cli_interrupted())
        cli_session_say(session, "%s has what was decoded until then", file->path);
    return result;
}

/* --- measuring --- */

static bool is_wanted_thread(void *context, uint32_t context_id, uint32_t vmid)
{
    return cli_whose_wants(context, context_id, vmid);
}

static cairn_status begin(void *context, const struct cairn_source_info *info,
                          struct cairn_image *image, struct cairn_pipeline *pipeline)
{
    struct cairn_latency *latency = context;
    struct cairn_consumer consumer;

    latency->wants =
        info->thread_id || !cli_whose_asks(latency->wants_context) ? NULL : is_wanted_thread;
    const cairn_status status = cairn_latency_source(latency, image, info->name,
                                                     cairn_pipeline_config(pipeline), &consumer);

    return status ? status : cairn_pipeline_add(pipeline, &consumer);
}

static cairn_status end(void *context, const struct cairn_source_info *info,
                        const struct cairn_ledger *ledger)
{
    (void)info;
    (void)ledger;
    return cairn_latency_source_end(context);
}

static bool has_any(const struct cairn_latency *latency)
{
    for (uint32_t i = 0; i < latency->group_count; i++)
        if (latency->groups[i].is_wanted && latency->groups[i].count)
            return true;
    return false;
}

static const char *nothing_of(const struct cli_latency *options)
{
    if (options->begin && options->period)
        return "--begin was not reached twice";
    if (options->begin)
        return "--begin was not reached";
    return options->period ? "no exception was taken twice" : "no exception is in the trace";
}

static void say_nothing(struct cli_session *session, const struct cairn_latency *latency)
{
    if (latency->function)
        cli_where_none(session, "function", latency->function->text,
                       "no call of it is in the trace. `cairn profile` lists the functions that "
                       "were executed");
    else if (latency->exception && latency->exception->error.status)
        cli_session_say(session,
                        "no such exception is in the trace (without --exception all are shown), "
                        "nor such a handler: %s",
                        latency->exception->error.text);
    else if (latency->exception)
        cli_session_say(session,
                        "no such exception is in the trace; without --exception all are shown");
    else
        cli_session_say(session, "%s", nothing_of(&session->options->latency));
}

/* Of timestamps, in Hz, where the capture tells how they become times; else 0. */
static uint64_t frequency_of(const struct cli_session *session)
{
    struct cairn_clock_info clock = {.size = sizeof clock};

    if (cairn_capture_clock(session->capture, &clock))
        return 0;
    const double frequency = 1e9 * (double)(UINT64_C(1) << clock.shift) / (double)clock.multiplier;

    return frequency < (double)FREQUENCY_MOST ? (uint64_t)(frequency + 0.5) : 0;
}

static void show(struct cli_session *session, struct cairn_latency *latency,
                 const struct cli_sources *sources)
{
    const struct cli_latency *options = &session->options->latency;
    struct cairn_latency_view view = {
        .latency = latency,
        .output = session->output,
        .clock = options->clock ? (enum cairn_call_clock)(options->clock - 1)
                                : cairn_latency_clock(latency),
        .frequency = options->frequency,
        .linear = options->bins == 1,
        .top = options->has_top ? (size_t)options->top : TOP_DEFAULT,
        .capture = session->options->capture,
        .begin = options->begin,
        .end = options->end,
        .words = session->options->capture_words.items,
        .word_count = session->options->capture_words.count,
    };

    if (!options->frequency && view.clock == CAIRN_CLOCK_TIME && options->format == 0)
        view.frequency = frequency_of(session);
    if (options->frequency && view.clock == CAIRN_CLOCK_INSTRUCTIONS) {
        cli_session_say(session,
                        "--frequency is left out: the trace has neither cycles nor timestamps");
        view.frequency = 0;
    }
    if (options->frequency && options->format == 1)
        cli_session_say(session, "--frequency is for text: JSON has no nanoseconds");
    if (!latency->has_clock[view.clock])
        cli_session_say(session, view.clock == CAIRN_CLOCK_CYCLES
                                     ? "the trace counts no cycles: nothing is known by them"
                                     : "the trace has no timestamps: nothing is known by them");
    if (options->format == 1)
        cairn_latency_json(&view, sources->lost_bytes);
    else
        cairn_latency_text(&view);
}

static enum cli_exit finish(struct cli_session *session, struct cairn_latency *latency,
                            const struct cli_sources *sources, enum cli_exit result)
{
    const struct cli_latency *options = &session->options->latency;

    cairn_latency_finish(latency);
    if (!has_any(latency)) {
        say_nothing(session, latency);
        return CLI_UNUSABLE;
    }
    show(session, latency, sources);
    if (latency->left_out)
        cli_session_say(session, "there are more than %u kinds of these: %llu %s left out",
                        CAIRN_LATENCY_GROUPS_MAX, (unsigned long long)latency->left_out,
                        latency->left_out == 1 ? "is" : "are");
    if (options->clock && !latency->has_clock[options->clock - 1])
        return CLI_GAPS;
    if (sources->lost_bytes && !cli_interrupted())
        cli_session_say(session,
                        "%llu byte%s of trace could not be followed, and what was executed there "
                        "is not measured. `cairn check` tells why",
                        (unsigned long long)sources->lost_bytes, cairn_plural(sources->lost_bytes));
    return result;
}

static enum cli_exit measure_capture(struct cli_session *session)
{
    const struct cli_latency *options = &session->options->latency;
    struct place_list list = {0};
    struct functions functions = {.function = {.text = NULL}};
    struct sample_file *file = calloc(1, sizeof *file);
    struct cairn_latency latency = {
        .of = options->begin      ? CAIRN_LATENCY_PAIRS
              : options->function ? CAIRN_LATENCY_FUNCTION
                                  : CAIRN_LATENCY_EXCEPTIONS,
        .period = options->period,
        .without_exceptions = options->without_exceptions,
        .function = options->function ? &functions.function : NULL,
        .exception = options->exception ? &functions.exception : NULL,
        .worst = options->has_longest ? (uint32_t)options->longest : LONGEST_DEFAULT,
        .naming = cairn_naming_new(),
        .wants_context = session,
    };
    struct cli_sources sources = {.session = session,
                                  .context = &latency,
                                  .exact_places = true,
                                  .all_threads = true,
                                  .begin = begin,
                                  .end = end};
    enum cli_exit result = CLI_UNUSABLE;

    if (file && read_functions(session, &functions) &&
        (!options->begin ||
         add_places(session, "begin", options->begin, options->period ? 3 : 1, &list)) &&
        (!options->end || add_places(session, "end", options->end, 2, &list)) &&
        open_samples(session, file)) {
        latency.places = list.places;
        latency.roles = list.roles;
        latency.place_count = list.count;
        latency.samples = file->path ? &file->output : NULL;
        const cairn_status status = cairn_latency_begin(&latency);
        if (status)
            cli_session_say(session, "%s", cairn_status_text(status));
        else
            result = cli_sources_run(&sources);
        if (result != CLI_UNUSABLE)
            result = finish(session, &latency, &sources, result);
        result = close_samples(session, file, result);
    }
    cli_sources_free(&sources);
    cairn_latency_free(&latency);
    cairn_naming_free(latency.naming);
    cairn_wanted_free(&functions.function);
    cairn_wanted_free(&functions.exception);
    free(file);
    free(list.places);
    free(list.roles);
    return result;
}

static enum cli_exit run(const struct cli_options *options)
{
    struct cli_session session;

    if (!fits_together(&options->latency))
        return CLI_UNUSABLE;
    enum cli_exit result =
        cli_session_open(&session, &cli_command_latency, options, CLI_SURVEY_NEVER);

    if (!result)
        result = measure_capture(&session);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_latency = {
    .name = "latency",
    .summary = "measure how long exceptions, calls or ways from A to B took",
    .arguments = "CAPTURE",
    .description =
        "Measures each exception and interrupt from where it is taken to its return, or each call of a\n"
        "function (--function), or each way from one place to another (--begin, --end): least, mean,\n"
        "percentiles, most, a histogram, which function was interrupted, and which one took longest.\n"
        "Where trace was lost inside, or the end was not seen, it is not measured but counted apart.\n"
        "What lies between two counts or timestamps of the trace is known as no more than that: 3..17\n"
        "took at least 3 and at most 17. When an interrupt became pending no trace tells.",
    .output =
        "text: first the unit; then a line for each exception (or function, or way): how many, min, mean,\n"
        "percentiles, max, and the share of all that was executed, without exceptions inside; then the\n"
        "details of each. Instructions and cycles of an exception are those of its own thread. entry and\n"
        "return, of trace with a cycle for each instruction: from the last instruction of what was\n"
        "interrupted to the handler's first, and back.\n"
        "json: docs/json.md and latency.schema.json have every key.",
    .exit_status = "0   all of the trace became flow (but the oldest bytes of a buffer that\n"
                   "    wrapped, and what was never certain to be executed)\n"
                   "1   measured with gaps, or some source could not be decoded, or nothing tells\n"
                   "    --clock\n"
                   "2   nothing could be measured, or the command line is wrong\n"
                   "130 stopped by Ctrl-C; what was decoded until then is measured",
    .examples = "cairn latency snapshot/\n"
                "cairn latency --exception SysTick --period snapshot/\n"
                "cairn latency --begin on_pin --end motor.c:120 --longest 5 snapshot/\n"
                "cairn latency --function memcpy --samples calls.csv snapshot/",
    .options = CLI_ANSWERS,
    .own = own_options,
    .take_own = take_own,
    .run = run,
};
