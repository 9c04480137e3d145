/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/answers/sources.h"
#include "cli/audit/audit.h"
#include "cli/command.h"
#include "cli/screen/watch.h"
#include "report/diff_view.h"
#include "report/json_fields.h"

#define TOP_OF_TEXT 20u
#define PARTINGS_OF_TEXT 6u

enum {
    KEY_BY = CLI_OWN_KEY,
    KEY_TOP,
    KEY_PARTINGS,
    KEY_COVERAGE,
    KEY_EXCEPTIONS,
    KEY_FORMAT,
    KEY_SOURCE_A,
    KEY_SOURCE_B,
    KEY_THREAD_A,
    KEY_THREAD_B,
    KEY_IMAGE_A,
    KEY_IMAGE_B,
};

enum diff_format { DIFF_TEXT, DIFF_JSON };

static const char *const formats[] = {"text", "json", NULL};
static const char *const bys[] = {"function", "line", "block", NULL};

static const struct cli_option own_options[] = {
    {"by", KEY_BY | CLI_FIRST, "function|line|block",
     "What a line of the table is. Default: function."},
    {"top", KEY_TOP | CLI_FIRST, "N",
     "Only the N lines that differ most, with --coverage of each list. Default: 20 in text without\n"
     "--coverage, else all."},
    {"partings", KEY_PARTINGS | CLI_FIRST, "N",
     "How many partings of each two threads are listed. Default: 6 in text, else 4096, the most."},
    {"coverage", KEY_COVERAGE | CLI_FIRST, NULL,
     "In place of the table: lines that only one of them executed, and ways that a branch went in\n"
     "one of them only."},
    {"exceptions", KEY_EXCEPTIONS | CLI_FIRST, NULL,
     "Handlers of interrupts and signals are compared as well. Default: they are apart, for they come\n"
     "when they come."},
    {"format", KEY_FORMAT | CLI_FIRST, "text|json", "text (default) or json (JSON lines)."},
    {"source-a", KEY_SOURCE_A, "SOURCE",
     "The source of A, as --source has it: with --source-b two sources are compared, also of one capture."},
    {"source-b", KEY_SOURCE_B, "SOURCE", "The source of B."},
    {"thread-a", KEY_THREAD_A, "CONTEXT",
     "Only the thread of A with this context ID: with --thread-b two threads are compared."},
    {"thread-b", KEY_THREAD_B, "CONTEXT", "Only the thread of B with this context ID."},
    {"image-a", KEY_IMAGE_A, "FILE[@ADDRESS]",
     "As --image, for A alone: where two builds have no files of their own in their captures."},
    {"image-b", KEY_IMAGE_B, "FILE[@ADDRESS]", "The same for B."},
    {0},
};

static bool take_context(const char *option, const char *argument, struct cli_diff *diff,
                         unsigned side)
{
    uint64_t value;

    if (!cli_number(argument, &value) || value > UINT32_MAX) {
        fprintf(stderr, "cairn diff: --%s %s: expected a context ID: a number of 32 bits.\n",
                option, argument);
        return false;
    }
    diff->contexts[side] = (uint32_t)value;
    diff->has_context[side] = true;
    return true;
}

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    struct cli_diff *const diff = &options->diff;

    switch (key) {
    case KEY_BY: return cli_option_word("diff", "by", argument, bys, &diff->by);
    case KEY_TOP: return cli_option_number("diff", "top", argument, 1, SIZE_MAX, &diff->top);
    case KEY_PARTINGS:
        return cli_option_number("diff", "partings", argument, 1, CAIRN_DIFF_PARTINGS_MAX,
                                 &diff->partings);
    case KEY_COVERAGE: diff->coverage = true; break;
    case KEY_EXCEPTIONS: diff->exceptions = true; break;
    case KEY_FORMAT: return cli_option_format(options, "diff", argument, formats, &diff->format);
    case KEY_SOURCE_A:
    case KEY_SOURCE_B: diff->sources[key == KEY_SOURCE_B] = argument; break;
    case KEY_THREAD_A: return take_context("thread-a", argument, diff, CAIRN_DIFF_A);
    case KEY_THREAD_B: return take_context("thread-b", argument, diff, CAIRN_DIFF_B);
    case KEY_IMAGE_A:
    case KEY_IMAGE_B:
        if (!cli_list_add(&diff->images[key == KEY_IMAGE_B], argument)) {
            fprintf(stderr, "cairn diff: out of memory\n");
            return false;
        }
        break;
    }
    return true;
}

static void free_own(struct cli_options *options)
{
    free((void *)options->diff.images[CAIRN_DIFF_A].items);
    free((void *)options->diff.images[CAIRN_DIFF_B].items);
}

/* --- runs --- */

struct diff_side {
    struct cairn_diff *diff;
    unsigned side;
    const struct cli_diff *options;
    struct cairn_diff_reader *reader;
    struct cli_options given; /* what its session is opened with */
    struct cli_session session;
    struct cli_sources sources;
    bool is_open;
};

static cairn_status begin(void *context, const struct cairn_source_info *info,
                          struct cairn_image *image, struct cairn_pipeline *pipeline)
{
    struct diff_side *const side = context;
    const struct cli_diff *const options = side->options;

    (void)image;
    const cairn_status status = cairn_diff_reader_new(
        side->diff, side->side, info->name, cairn_pipeline_config(pipeline),
        options->has_context[side->side] ? &options->contexts[side->side] : NULL, &side->reader);
    if (status)
        return status;
    const struct cairn_consumer consumer = cairn_diff_reader_consumer(side->reader);
    return cairn_pipeline_add(pipeline, &consumer);
}

static cairn_status end(void *context, const struct cairn_source_info *info,
                        const struct cairn_ledger *ledger)
{
    struct diff_side *const side = context;
    cairn_status status = CAIRN_OK;

    (void)info;
    if (side->reader)
        status = cairn_diff_reader_end(side->reader, ledger ? cli_audit_gap_bytes(ledger) : 0);
    cairn_diff_reader_free(side->reader);
    side->reader = NULL;
    return status;
}

/* A list of the common words and those of one side; to be freed. */
static bool join(struct cli_list *joined, const struct cli_list *common, const struct cli_list *own)
{
    *joined = (struct cli_list){0};
    for (size_t i = 0; i < common->count; i++)
        if (!cli_list_add(joined, common->items[i]))
            return false;
    for (size_t i = 0; i < own->count; i++)
        if (!cli_list_add(joined, own->items[i]))
            return false;
    return true;
}

static enum cli_exit read_side(struct diff_side *side, const struct cli_options *options,
                               const char *capture)
{
    const char *const source = options->diff.sources[side->side];
    const struct cli_list none = {0}, one = {.items = (const char **)&source, .count = 1};

    side->given = *options;
    side->given.capture = capture;
    side->given.output = NULL; /* opened when all is known */
    if (!join(&side->given.images, &options->images, &options->diff.images[side->side]) ||
        !join(&side->given.sources, source ? &none : &options->sources, source ? &one : &none)) {
        fprintf(stderr, "cairn diff: out of memory\n");
        return CLI_UNUSABLE;
    }
    side->is_open = true;
    enum cli_exit result =
        cli_session_open(&side->session, &cli_command_diff, &side->given, CLI_SURVEY_NEVER);
    if (result)
        return result;
    side->sources = (struct cli_sources){.session = &side->session,
                                         .context = side,
                                         .wants_records = true,
                                         .begin = begin,
                                         .end = end};
    const cairn_status status =
        cairn_diff_run(side->diff, side->side, capture, cairn_capture_image(side->session.capture));
    if (!status)
        return cli_sources_run(&side->sources);
    cli_session_say(&side->session, "%s", cairn_status_text(status));
    return CLI_UNUSABLE;
}

static void close_side(struct diff_side *side)
{
    free((void *)side->given.images.items);
    free((void *)side->given.sources.items);
    if (!side->is_open)
        return;
    cli_sources_free(&side->sources);
    (void)cli_session_close(&side->session, CLI_CLEAN);
}

/* --- output --- */

static bool is_output(const struct diff_side *side, const char *path)
{
    struct cairn_buffer_info buffer = {.size = sizeof buffer};
    const struct cairn_image *const image = cairn_capture_image(side->session.capture);
    struct cairn_layer_info layer = {.size = sizeof layer};
    struct stat there, other;

    if (!path || stat(path, &there))
        return false;
    for (size_t i = 0; i < cairn_capture_buffer_count(side->session.capture); i++)
        if (!cairn_capture_buffer(side->session.capture, i, &buffer) && buffer.path &&
            !stat(buffer.path, &other) && there.st_dev == other.st_dev &&
            there.st_ino == other.st_ino)
            return true;
    for (size_t i = 0; i < cairn_image_layer_count(image); i++)
        if (!cairn_image_layer(image, i, &layer) && layer.name && !stat(layer.name, &other) &&
            there.st_dev == other.st_dev && there.st_ino == other.st_ino)
            return true;
    return false;
}

static cairn_status show(struct cli_session *session, struct cairn_diff *diff)
{
    const struct cli_diff *const options = &session->options->diff;
    const bool is_text = options->format == DIFF_TEXT;
    struct cairn_diff_view view = {
        .diff = diff,
        .output = session->output,
        .naming = cairn_naming_new(),
        .disasm = is_text ? cairn_disasm_new() : NULL,
        .by = (enum cairn_diff_by)options->by,
        .top = (size_t)options->top,
        .partings = (size_t)options->partings,
        .coverage = options->coverage,
    };
    cairn_status status;

    if (is_text && !view.top && !view.coverage)
        view.top = TOP_OF_TEXT;
    if (!view.partings)
        view.partings = is_text ? PARTINGS_OF_TEXT : CAIRN_DIFF_PARTINGS_MAX;
    if (is_text) {
        status = cairn_diff_text(&view);
    } else {
        cairn_json_begin(session->output, session->command->name);
        status = cairn_diff_json(&view);
    }
    cairn_disasm_free(view.disasm);
    cairn_naming_free(view.naming);
    return status;
}

/* As diff has it: 0 is that they are the same, and that all of them is known. */
static enum cli_exit verdict(struct cli_session *session, const struct cairn_diff *diff)
{
    enum cli_exit result = CLI_CLEAN;
    bool gave_up = false;

    for (size_t i = 0; i < diff->pair_count; i++) {
        const struct cairn_diff_pair *const pair = &diff->pairs[i];

        gave_up |= pair->gave_up;
        if (pair->ways || pair->unknowns || pair->differs || pair->nameless[CAIRN_DIFF_A] ||
            pair->nameless[CAIRN_DIFF_B] || pair->own[CAIRN_DIFF_A] || pair->own[CAIRN_DIFF_B] ||
            pair->threads[CAIRN_DIFF_A] == CAIRN_DIFF_NONE ||
            pair->threads[CAIRN_DIFF_B] == CAIRN_DIFF_NONE)
            result = CLI_GAPS;
    }
    if (gave_up)
        cli_session_say(session,
                        "behind a parting the runs are so different that no place was found "
                        "where they meet again: what is left of either was not compared");
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        if (diff->runs[side].is_full) {
            cli_session_say(session,
                            "%s is longer than what is kept of a run, a gigabyte: what is behind "
                            "that was not compared. --source chooses one source",
                            diff->runs[side].capture);
            result = CLI_GAPS;
        }
    return result;
}

/* Says so if the thread that was asked for is not there. */
static bool lacks_thread(struct cli_session *session, const struct cairn_diff *diff, unsigned side)
{
    const struct cli_diff *const options = &session->options->diff;
    const struct cairn_diff_run *const run = &diff->runs[side];
    char text[CAIRN_DIFF_OTHERS * 12 + 8] = "";
    size_t used = 0;

    if (!options->has_context[side])
        return false;
    for (size_t i = 0; i < run->thread_count; i++)
        if (run->threads[i].count || run->threads[i].handled)
            return false;
    for (size_t i = 0; i < run->other_count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s0x%x", i ? ", " : "",
                                 run->others[i]);
    cli_session_say(session, "--thread-%c 0x%x: nothing was executed in this context. %s%s%s",
                    "ab"[side], options -> contexts[side],
                    used ? "There is trace of " : "`cairn check` tells what there is", text,
                    run->other_count == CAIRN_DIFF_OTHERS ? " and perhaps others" : "");
    return true;
}

static enum cli_exit stopped(void)
{
    fprintf(stderr, "cairn diff: stopped: nothing was compared\n");
    return CLI_INTERRUPTED;
}

static enum cli_exit report(const struct cli_options *options, struct cairn_diff *diff,
                            struct diff_side sides[CAIRN_DIFF_SIDES], enum cli_exit result)
{
    struct cli_session session = {.command = &cli_command_diff, .options = options};
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        if (lacks_thread(&session, diff, side))
            return CLI_UNUSABLE;
    cairn_status status = cairn_diff_settle(diff);
    if (cli_interrupted())
        return stopped();
    if (!status && diff->pair_count == 0) {
        cli_session_say(&session, "nothing was executed in either, as far as the traces could be "
                                  "followed. `cairn check` tells why");
        return CLI_UNUSABLE;
    }
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        if (is_output(&sides[side], options->output)) {
            cli_session_say(&session,
                            "--output %s is one of the files that are read; choose another",
                            options->output);
            return CLI_UNUSABLE;
        }
    enum cli_exit opened =
        status ? CLI_UNUSABLE : cli_session_open_output(&session, &cli_command_diff, options);
    if (!opened)
        status = show(&session, diff);
    if (status) {
        cli_session_say(&session, "%s", cairn_status_text(status));
        opened = CLI_UNUSABLE;
    }
    if (!opened) {
        const enum cli_exit differs = verdict(&session, diff);

        result = differs ? differs : result;
    }
    return cli_session_close(&session, opened ? opened : result);
}

static enum cli_exit run(const struct cli_options *options)
{
    const struct cli_list *const captures = &options->programming.words;
    struct cairn_diff diff = {.with_exceptions = options->diff.exceptions,
                              .stops = cli_interrupted};
    struct diff_side sides[CAIRN_DIFF_SIDES] = {
        {.diff = &diff, .side = CAIRN_DIFF_A, .options = &options->diff},
        {.diff = &diff, .side = CAIRN_DIFF_B, .options = &options->diff},
    };
    const bool chooses =
        options->diff.sources[CAIRN_DIFF_A] || options->diff.sources[CAIRN_DIFF_B] ||
        options->diff.has_context[CAIRN_DIFF_A] || options->diff.has_context[CAIRN_DIFF_B];
    enum cli_exit result = CLI_CLEAN;

    if (captures->count < 1 || captures->count > 2 || (captures->count == 1 && !chooses)) {
        fprintf(stderr,
                "cairn diff: which two captures? Usage: cairn diff [OPTION]... A B; of one "
                "capture, --source-a and --source-b or --thread-a and --thread-b choose what "
                "is compared.\n");
        return CLI_UNUSABLE;
    }
    const cairn_status status = cairn_diff_begin(&diff);
    if (status) {
        fprintf(stderr, "cairn diff: %s\n", cairn_status_text(status));
        result = CLI_UNUSABLE;
    }
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES && result != CLI_UNUSABLE && !cli_interrupted();
         side++) {
        const enum cli_exit one =
            read_side(&sides[side], options, captures->items[side < captures->count ? side : 0]);

        result = one ? one : result;
    }
    /* Of one run alone, or the half of one, nothing can be said. */
    if (result != CLI_UNUSABLE && cli_interrupted()) {
        result = stopped();
    } else if (result != CLI_UNUSABLE) {
        result = report(options, &diff, sides, result);
    }
    cairn_diff_free(&diff);
    close_side(&sides[CAIRN_DIFF_A]);
    close_side(&sides[CAIRN_DIFF_B]);
    return result;
}

const struct cli_command cli_command_diff = {
    .name = "diff",
    .summary = "tell where two runs part, and what differs in them",
    .arguments = "A B",
    .description =
        "Compares two captures of a program, two sources or two threads: instruction by instruction it\n"
        "tells where they part first, what each did next, and where they meet again; then which functions\n"
        "or lines were executed more often in one of them. Interrupts and signals are told apart from the\n"
        "flow, addresses are those of the file, and what a gap of the trace hides is not known and counts\n"
        "as no difference. Two builds of a program are compared by functions and source lines.",
    .output =
        "text: for each two threads the last instruction that both executed with its function, line and\n"
        "callers, and what each did next; more partings a line each; totals. Then the table: instructions\n"
        "in A and in B, how many more in B, B / A, calls (how often the function's first instruction was\n"
        "executed), and cycles where both have them. json: docs/json.md and diff.schema.json have every\n"
        "key. docs/diff.md has the rules.",
    .exit_status = "0   the same, and all of both traces became flow\n"
                   "1   they differ, or gaps hide whether they do\n"
                   "2   one of them could not be decoded, or the command line is wrong\n"
                   "130 stopped by Ctrl-C; nothing was compared",
    .examples = "cairn diff passes/ fails/\n"
                "cairn diff --by line --top 50 passes/ fails/\n"
                "cairn diff --coverage passes/ fails/\n"
                "cairn diff --source-a ETM_0 --source-b ETM_1 snapshot/\n"
                "cairn diff --image-a old.elf --image-b new.elf old/ new/",
    .options = CLI_ANSWERS | CLI_TAKES_WORDS,
    .own = own_options,
    .take_own = take_own,
    .free_own = free_own,
    .run = run,
};
