/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/branches/branches.h"
#include "pe/fields.h"
#include "pe/registers.h"
#include "report/json_fields.h"

enum {
    KEY_FORMAT = CLI_OWN_KEY,
    KEY_IMAGE,
    KEY_OLDEST_FIRST,
    KEY_VHE,
    KEY_BRBE,
    KEY_CHECK,
    KEY_EVERY,
};

static const struct cli_option own_options[] = {
    {"image", KEY_IMAGE | CLI_FIRST, "FILE[@OFFSET]",
     "An ELF file of what was executed: addresses are followed by function+offset. OFFSET is added\n"
     "to the file's addresses (KASLR, a position independent program). May be given several times.\n"
     "--format perf tells perf of these files."},
    {"oldest-first", KEY_OLDEST_FIRST | CLI_FIRST, NULL,
     "In the order of time. Default: the youngest branch first, as in the buffer."},
    {"vhe", KEY_VHE | CLI_FIRST, NULL,
     "For --format perf: the kernel ran at EL2 (VHE), so that EL2 is no hypervisor's."},
    {"brbe", KEY_BRBE | CLI_FIRST, "REG=VALUE,...",
     "FILE is a capture or a TARMAC log: its flow goes through a Branch Record Buffer with these\n"
     "registers, and what that has at the end is listed: BRBFCR_EL1=0x7e0000,BRBCR_EL1=0xc0001b,\n"
     "NUMREC=32. \"all\" is every branch, exception and return of EL0 to EL2. With --check: what a\n"
     "dump does not say. \"raw\", or \"raw,32\" for buffers of 32: FILE has no text but records as\n"
     "they lie in memory, BRBINF, BRBSRC and BRBTGT of each, little-endian, record 0 first."},
    {"every", KEY_EVERY, "N", "With --brbe: also list what the buffer has behind each N records."},
    {"check", KEY_CHECK | CLI_FIRST, "CAPTURE",
     "Find where in the flow of this capture or TARMAC log, of the same run, the records of the\n"
     "dump belong; list where they differ, and what the trace has lost."},
    {"format", KEY_FORMAT | CLI_FIRST, "text|json|perf|perfscript",
     "text (default), json (JSON lines: one object a line), perf (a perf.data file with a sample\n"
     "for each stack, for --output) or perfscript (what perf script prints, for llvm-profgen)."},
    {0},
};

static bool take_format(struct cli_options *options, const char *argument)
{
    static const struct {
        const char *name;
        enum cli_format format;
    } formats[] = {{"text", CLI_FORMAT_TEXT},
                   {"json", CLI_FORMAT_JSON},
                   {"perf", CLI_FORMAT_PERF},
                   {"perfscript", CLI_FORMAT_PERFSCRIPT}};

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (!strcmp(argument, formats[i].name)) {
            options->format = formats[i].format;
            return true;
        }
    fprintf(
        stderr,
        "cairn branches: --format %s: expected text, json, perf or perfscript. See `cairn branches --help`.\n",
        argument);
    return false;
}

static bool take_every(struct cli_options *options, const char *argument)
{
    if (cli_number(argument, &options->every) && options->every)
        return true;
    fprintf(stderr, "cairn branches: --every %s: expected a number of records, from 1 on.\n",
            argument);
    return false;
}

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    switch (key) {
    case KEY_FORMAT: return take_format(options, argument);
    case KEY_IMAGE: return cli_list_add(&options->images, argument);
    case KEY_OLDEST_FIRST: options->oldest_first = true; break;
    case KEY_VHE: options->kernel_at_EL2 = true; break;
    case KEY_BRBE: options->brbe = argument; break;
    case KEY_CHECK: options->against = argument; break;
    case KEY_EVERY: return take_every(options, argument);
    }
    return true;
}

/* --- what --brbe says of FILE --- */

/* It has registers as they lie in memory. */
static bool is_raw(const struct cli_options *options)
{
    return options->brbe && !strncasecmp(options->brbe, "raw", 3) &&
           (!options->brbe[3] || options->brbe[3] == ',');
}

/* It is a capture or a log. */
static bool is_of_flow(const struct cli_options *options)
{
    return options->brbe && !options->against && !is_raw(options);
}

/* --- names --- */

static bool add_image(struct cli_branch_list *list, const char *argument)
{
    const char *at = strrchr(argument, '@');
    uint64_t offset = 0;
    struct cairn_error error = {.status = CAIRN_OK};

    if (at && (at == argument || !cli_number(at + 1, &offset)))
        at = NULL; /* part of the file's name */
    char *path = at ? strndup(argument, (size_t)(at - argument)) : strdup(argument);
    if (!path) {
        cli_session_say(list->session, "out of memory");
        return false;
    }
    const cairn_status status = cairn_image_add_elf(list->image, path, offset, NULL, &error);
    free(path);
    if (status == CAIRN_OK)
        return true;
    cli_session_say(list->session, "--image %s: %s", argument,
                    error.status ? error.text : cairn_status_text(status));
    return false;
}

static bool open_space(struct cli_branch_list *list)
{
    const struct cairn_place place = {0};

    if (cairn_space_new(list->image, &list->space) == CAIRN_OK &&
        cairn_space_select(list->space, &place) == CAIRN_OK) {
        list->naming = cairn_naming_new();
        return true;
    }
    cli_session_say(list->session, "out of memory");
    return false;
}

/* Names are those of --image, or of a capture. */
static bool add_images(struct cli_branch_list *list)
{
    const struct cli_list *given = &list->session->options->images;

    if (list->session->capture) {
        list->image = cairn_image_ref(cairn_capture_image(list->session->capture));
        return open_space(list);
    }
    if (!given->count)
        return true;
    if (cairn_image_new(&list->image) != CAIRN_OK) {
        cli_session_say(list->session, "out of memory");
        return false;
    }
    for (size_t i = 0; i < given->count; i++)
        if (!add_image(list, given->items[i]))
            return false;
    return open_space(list);
}

const char *cli_branch_function(const struct cli_branch_list *list, uint64_t address,
                                uint64_t *offset)
{
    const char *symbol;

    if (!list->space || cairn_space_symbol(list->space, address, &symbol, offset) != CAIRN_OK)
        return NULL;
    return list->session->options->format == CLI_FORMAT_JSON
               ? symbol
               : cairn_naming_short(list->naming, symbol);
}

size_t cli_branch_at(const struct cli_branch_list *list, size_t count, size_t i)
{
    return list->session->options->oldest_first ? count - 1 - i : i;
}

void cli_branch_clean(const char *text, char *copy, size_t capacity)
{
    cairn_text_to_utf8(text, copy, capacity);
    for (; *copy; copy++)
        if ((unsigned char)*copy < ' ' || *copy == 0x7f)
            *copy = '?';
}

/* --- what a dump says --- */

/* A bit of BRBCR_EL1 and BRBCR_EL2, of which both must be 1, is so as far as the dump has them. */
static bool both_say(const struct cli_branch_dump *dump, uint64_t bit)
{
    const struct cli_branch_value *const EL1 = &dump->controls[CLI_BRANCH_CR_EL1];
    const struct cli_branch_value *const EL2 = &dump->controls[CLI_BRANCH_CR_EL2];

    return (!EL1->line || (EL1->value & bit)) && (!EL2->line || (EL2->value & bit));
}

/* A transaction that failed behind the youngest record has none that tells of it: LASTFAILED waits in
 * BRBFCR_EL1 for the next one (F1.1.7), and the youngest records may be of that transaction. */
static void mark_youngest(struct cli_branch_stack *stack)
{
    for (size_t i = 0; i < stack->count; i++) {
        if (!(stack->branches[i].flags & CAIRN_BRANCH_TRANSACTIONAL))
            return;
        stack->branches[i].flags |= CAIRN_BRANCH_POSSIBLY_ROLLED_BACK;
        if (stack->branches[i].flags & CAIRN_BRANCH_LAST_FAILED)
            return; /* what is older was before an earlier failure, which marks it */
    }
}

void cli_branch_read_stack(const struct cli_branch_dump *dump, const char *path,
                           struct cli_branch_stack *stack)
{
    struct cairn_branch_registers registers[CLI_BRANCHES_MOST];

    *stack = (struct cli_branch_stack){
        .dump = dump,
        .path = path,
        .has_predictions = both_say(dump, CAIRN_MASK(BRBCR_MPRED)),
        .has_cycles = both_say(dump, CAIRN_MASK(BRBCR_CC)),
        .failed_last = CAIRN_GET(dump->controls[CLI_BRANCH_FCR].value, BRBFCR_LASTFAILED) != 0,
    };
    for (size_t i = 0; i < dump->count; i++) {
        struct cairn_branch one = {.size = sizeof one};

        registers[i] = (struct cairn_branch_registers){
            .BRBINF = dump->records[i][CLI_BRANCH_INF].value,
            .BRBSRC = dump->records[i][CLI_BRANCH_SRC].value,
            .BRBTGT = dump->records[i][CLI_BRANCH_TGT].value,
        };
        cairn_branch_decode(&registers[i], &one, &stack->findings[i]);
        stack->branches[i].size = sizeof one;
    }
    stack->count = cairn_branch_stack(registers, dump->count, stack->branches, NULL);
    for (size_t i = stack->count; i < dump->count; i++) {
        stack->hole_findings |= stack->findings[i];
        if (!stack->hole && (dump->records[i][CLI_BRANCH_INF].value & 3))
            stack->hole = dump->first + i;
    }
    if (stack->hole)
        stack->hole_findings |= CAIRN_BRANCH_BAD_HOLE;
    cairn_branch_mark_rolled_back(stack->branches, stack->count);
    if (stack->failed_last)
        mark_youngest(stack);
}

static void count(struct cli_branch_totals *totals, const struct cli_branch_stack *stack)
{
    totals->stacks++;
    totals->branches += stack->count;
    totals->findings += (size_t)__builtin_popcount(stack->hole_findings);
    for (size_t i = 0; i < stack->count; i++) {
        const uint32_t flags = stack->branches[i].flags;

        totals->half_sources += !(flags & CAIRN_BRANCH_TARGET);
        totals->half_targets += !(flags & CAIRN_BRANCH_SOURCE);
        totals->mispredicted += (flags & CAIRN_BRANCH_MISPREDICTED) != 0;
        totals->possibly_rolled_back += (flags & CAIRN_BRANCH_POSSIBLY_ROLLED_BACK) != 0;
        totals->findings += (size_t)__builtin_popcount(stack->findings[i]);
    }
}

/* --- the command --- */

void cli_branch_tell(struct cli_branch_list *list, const struct cli_branch_stack *stack,
                     size_t number)
{
    count(&list->totals, stack);
    switch (list->session->options->format) {
    case CLI_FORMAT_PERF:
    case CLI_FORMAT_PERFSCRIPT: cli_branches_perf(list, stack, number); break;
    case CLI_FORMAT_JSON: cli_branches_json(list, stack, number); break;
    default: cli_branches_text(list, stack);
    }
}

/* What was read of the files in advance: of each that is a dump its stacks. */
struct branch_files {
    struct cli_branch_dumps dumps;
    size_t *ends; /* of each file, the number of the stack behind its last; 0: it is no dump */
};

/* False after a message. */
static bool tell_dumps(struct cli_branch_list *list, const struct branch_files *files, size_t file,
                       size_t from, size_t *number)
{
    struct cli_branch_stack *stack = malloc(sizeof *stack);

    if (!stack) {
        cli_session_say(list->session, "out of memory");
        return false;
    }
    for (size_t i = from; i < files->ends[file] && cli_session_goes_on(list->session); i++) {
        cli_branch_read_stack(&files->dumps.items[i],
                              list->session->options->programming.words.items[file], stack);
        cli_branch_tell(list, stack, (*number)++);
    }
    free(stack);
    return true;
}

/* All dumps beside the flow of --check. False after a message. */
static bool check_dumps(struct cli_branch_list *list, const struct branch_files *files)
{
    const struct cli_list *paths = &list->session->options->programming.words;
    struct cli_branch_stack *stacks = calloc(files->dumps.count + 1, sizeof *stacks);
    size_t at = 0;

    if (!stacks) {
        cli_session_say(list->session, "out of memory");
        return false;
    }
    for (size_t i = 0; i < paths->count; i++)
        for (; at < files->ends[i]; at++)
            cli_branch_read_stack(&files->dumps.items[at], paths->items[i], &stacks[at]);
    const bool done = cli_branches_check(list, stacks, files->dumps.count);
    free(stacks);
    return done;
}

static bool tell_files(struct cli_branch_list *list, const struct branch_files *files)
{
    const struct cli_list *paths = &list->session->options->programming.words;
    size_t number = 0, from = 0;
    bool done = true;

    if (list->session->options->against)
        return check_dumps(list, files);
    if (is_of_flow(list->session->options))
        return cli_branches_flow(list);
    for (size_t i = 0; done && i < paths->count && cli_session_goes_on(list->session); i++) {
        if (!files->ends[i]) {
            done = cli_branches_perf_file(list, paths->items[i], &number);
            continue;
        }
        done = tell_dumps(list, files, i, from, &number);
        from = files->ends[i];
    }
    return done;
}

/* The ends of a listing. False after a message. */
static bool tell_end(struct cli_branch_list *list)
{
    switch (list->session->options->format) {
    case CLI_FORMAT_PERF:
        if (cairn_perf_write(&list->data, list->session->output))
            return true;
        cli_session_say(list->session, "out of memory");
        return false;
    case CLI_FORMAT_PERFSCRIPT: break;
    case CLI_FORMAT_JSON: cli_branches_json_end(list); break;
    default: cli_branches_text_end(list);
    }
    return true;
}

static enum cli_exit tell_all(struct cli_branch_list *list, const struct branch_files *files)
{
    if (list->session->options->format == CLI_FORMAT_JSON)
        cairn_json_begin(list->session->output, list->session->command->name);
    if (!tell_files(list, files) || !tell_end(list))
        return CLI_UNUSABLE;
    return list->totals.findings + list->totals.differing + list->totals.fit_nowhere || list->unread
               ? CLI_GAPS
               : CLI_CLEAN;
}

/* --brbe raw: of each dump's registers what it says besides. False after a message. */
static bool raw_controls(struct cli_session *session, struct cli_branch_programming *programming,
                         struct cli_branch_value controls[CLI_BRANCH_CONTROLS])
{
    static const char *const names[CLI_BRANCH_CONTROLS] = {
        [CLI_BRANCH_FCR] = "BRBFCR_EL1",
        [CLI_BRANCH_CR_EL1] = "BRBCR_EL1",
        [CLI_BRANCH_CR_EL2] = "BRBCR_EL2",
    };

    if (!cli_branch_programming_read(programming, session, session->options->brbe))
        return false;
    for (size_t i = 0; i < CLI_BRANCH_CONTROLS; i++)
        for (size_t k = 0; names[i] && k < programming->count; k++)
            if (!strcasecmp(programming->registers[k].name, names[i]))
                controls[i] =
                    (struct cli_branch_value){.value = programming->registers[k].value, .line = 1};
    return true;
}

/* The dumps of all files but perf's. False after a message. */
static bool read_dumps(struct cli_session *session, struct branch_files *files)
{
    const struct cli_list *paths = &session->options->programming.words;
    struct cli_branch_value controls[CLI_BRANCH_CONTROLS] = {{0}};
    struct cli_branch_programming raw = {0};
    bool done = !is_raw(session->options) || raw_controls(session, &raw, controls);

    for (size_t i = 0; done && i < paths->count; i++) {
        const char *path = paths->items[i];

        if (raw.is_raw)
            done = cli_branch_dumps_read_raw(&files->dumps, session, path, raw.raw, controls);
        else if (session->options->against || !cli_branches_is_perf(path))
            done = cli_branch_dumps_read(&files->dumps, session, path);
        else
            continue;
        files->ends[i] = files->dumps.count;
    }
    return done;
}

static enum cli_exit list_files(struct cli_session *session)
{
    const struct cli_list *paths = &session->options->programming.words;
    struct cli_branch_list list = {.session = session};
    struct branch_files files = {.ends = calloc(paths->count, sizeof *files.ends)};
    bool done = files.ends && add_images(&list);

    if (done && !is_of_flow(session->options))
        done = read_dumps(session, &files);
    const enum cli_exit result = done ? tell_all(&list, &files) : CLI_UNUSABLE;
    free(files.ends);
    cli_branch_dumps_free(&files.dumps);
    cairn_perf_free(&list.data);
    cairn_naming_free(list.naming);
    cairn_space_free(list.space);
    cairn_image_unref(list.image);
    return result;
}

/* What is wrong with the command line; NULL: nothing. */
static const char *wrong(const struct cli_options *options)
{
    const bool flow = is_of_flow(options);

    if (!options->programming.words.count)
        return flow ? "a capture is wanted: cairn branches --brbe REG=VALUE,... CAPTURE"
                    : "a file with registers is wanted: cairn branches FILE";
    if (flow && options->programming.words.count > 1)
        return "--brbe: one capture at a time";
    if (options->every && !flow)
        return "--every goes with --brbe and a capture";
    if (options->sources.count && !flow && !options->against)
        return "--source goes with --brbe and --check, where there is a capture";
    if (options->format == CLI_FORMAT_PERF && !options->output)
        return "--format perf writes a file: give --output perf.data";
    return NULL;
}

static enum cli_exit run(const struct cli_options *options)
{
    struct cli_session session = {.command = &cli_command_branches, .options = options};
    struct cli_options with_capture = *options;
    const char *const sentence = wrong(options);

    if (sentence) {
        cli_session_say(&session, "%s", sentence);
        return CLI_UNUSABLE;
    }
    with_capture.capture =
        options->against ? options->against : options->programming.words.items[0];
    const bool has_flow = options->against || is_of_flow(options);
    enum cli_exit result =
        has_flow && !cli_branch_is_log(with_capture.capture)
            ? cli_session_open(&session, &cli_command_branches, &with_capture, CLI_SURVEY_NEVER)
            : cli_session_open_output(&session, &cli_command_branches, &with_capture);
    if (!result)
        result = list_files(&session);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_branches = {
    .name = "branches",
    .summary = "list the branches of a Branch Record Buffer (BRBE) or of perf's samples",
    .arguments = "FILE...",
    .description =
        "Decodes the registers of a Branch Record Buffer, read by a debugger or printed at a crash: the\n"
        "last 8 to 64 branches, exceptions and returns of a core, the youngest first.\n"
        "FILE is a text with BRBINF<n>_EL1, BRBSRC<n>_EL1 and BRBTGT<n>_EL1 as NAME=VALUE or NAME: VALUE,\n"
        "in any order and case, with _EL1 or without; values 0x..., decimal, or all 16 hex digits. What\n"
        "else is in it is left alone. [NAME] in front of registers begins another buffer, of another core\n"
        "say. BRBIDR0, BRBFCR, BRBCR and BRBCR_EL2 are read where they are given: in front of the first\n"
        "[NAME] they are those of all. docs/brbe.md has an example.\n"
        "Or FILE is a perf.data file, of either byte order: its samples with branch stacks, as BRBE and\n"
        "other processors' branch recorders give them (perf record -b, -j any,save_type,priv).\n"
        "Or, with --brbe, FILE is a capture as cairn record and debuggers write them, or a TARMAC log:\n"
        "what a buffer with that programming would have recorded of the flow. Where a trace has no cycle\n"
        "counts an instruction is one cycle; a log's are those of its clock. Or, with --brbe raw, FILE is\n"
        "records as they lie in memory.",
    .output =
        "text: a line for each buffer, then a line for each branch: its number in the buffer, source ->\n"
        "target (- where recording was prohibited), type, Exception level of the target, cycles since the\n"
        "older one, and what else the record says: mispredicted, in a transaction, possibly rolled back.\n"
        "Below it what is wrong with the record. The last line counts.\n"
        "json: an object of type \"stack\" for each buffer, one of type \"branch\" for each branch, at the\n"
        "end one of type \"result\" (docs/json.md, branches.schema.json).\n"
        "With --check: where in the flow the records belong, and below each that does not agree what the\n"
        "flow has, or why it has nothing: a gap of the trace, or older or younger than the trace.\n"
        "Of samples: type and level of the target in perf's words, as far as they were recorded.\n"
        "perf: a perf.data file, a sample with its branch stack for each buffer: perf script -F brstack.\n"
        "perfscript: PERF_RECORD_MMAP2 lines of the code (of --image, or of a perf.data file), then a\n"
        "line for each stack: llvm-profgen --perfscript.",
    .exit_status =
        "0   nothing is wrong\n"
        "1   records say what no Branch Record Buffer writes; a part of a perf.data file cannot be read;\n"
        "    --check: records differ from the flow\n"
        "2   a file cannot be read or has no branches, or a register is missing or no number",
    .examples = "cairn branches crash.txt\n"
                "cairn branches --image vmlinux@0x1c200000 --oldest-first crash.txt\n"
                "cairn branches --format json crash.txt\n"
                "cairn branches --format perf -o perf.data crash.txt\n"
                "cairn branches --format perfscript -o app.txt perf.data\n"
                "cairn branches --check capture/ crash.txt\n"
                "cairn branches --brbe all,NUMREC=64 capture/\n"
                "cairn branches --brbe all run.log\n"
                "cairn branches --brbe raw,32 records.bin",
    .own = own_options,
    .take_own = take_own,
    .options = CLI_TAKES_WORDS | CLI_TAKES_SOURCE | CLI_TAKES_OUTPUT | CLI_TAKES_FILES,
    .run = run,
};
