/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/branches.h"
#include "image/layer.h"
#include "pe/fields.h"
#include "pe/registers.h"
#include "report/json_fields.h"
#include "report/perf_data.h"

enum {
    KEY_FORMAT = CLI_OWN_KEY,
    KEY_IMAGE,
    KEY_OLDEST_FIRST,
    KEY_VHE,
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
    {"format", KEY_FORMAT | CLI_FIRST, "text|json|perf",
     "text (default), json (JSON lines: one object a line) or perf (a perf.data file with a sample\n"
     "for each stack, for --output)."},
    {0},
};

static bool take_format(struct cli_options *options, const char *argument)
{
    static const struct {
        const char *name;
        enum cli_format format;
    } formats[] = {{"text", CLI_FORMAT_TEXT}, {"json", CLI_FORMAT_JSON}, {"perf", CLI_FORMAT_PERF}};

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (!strcmp(argument, formats[i].name)) {
            options->format = formats[i].format;
            return true;
        }
    fprintf(
        stderr,
        "cairn branches: --format %s: expected text, json or perf. See `cairn branches --help`.\n",
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
    }
    return true;
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

static bool add_images(struct cli_branch_list *list)
{
    const struct cli_list *given = &list->session->options->images;
    const struct cairn_place place = {0};

    if (!given->count)
        return true;
    if (cairn_image_new(&list->image) != CAIRN_OK) {
        cli_session_say(list->session, "out of memory");
        return false;
    }
    for (size_t i = 0; i < given->count; i++)
        if (!add_image(list, given->items[i]))
            return false;
    if (cairn_space_new(list->image, &list->space) == CAIRN_OK &&
        cairn_space_select(list->space, &place) == CAIRN_OK) {
        list->naming = cairn_naming_new();
        return true;
    }
    cli_session_say(list->session, "out of memory");
    return false;
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

size_t cli_branch_at(const struct cli_branch_list *list, const struct cli_branch_stack *stack,
                     size_t i)
{
    return list->session->options->oldest_first ? stack->count - 1 - i : i;
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

static void read_stack(const struct cli_branch_dump *dump, const char *path,
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

/* --- perf.data --- */

#define STACK_TIME UINT64_C(1000) /* nanoseconds from one stack to the next: perf sorts by time */

/* The code of --image, so that perf knows names. */
static void add_maps(const struct cli_branch_list *list, uint32_t thread,
                     struct cairn_perf_data *data)
{
    const struct cairn_layers *layers = list->image ? cairn_image_layers(list->image) : NULL;

    for (size_t i = 0; layers && i < layers->count; i++) {
        const struct cairn_layer *layer = &layers->list[i];
        char *path =
            layer->executable && layer->file && layer->bytes ? realpath(layer->name, NULL) : NULL;

        if (!path)
            continue;
        const struct cairn_perf_map map = {
            .thread = thread,
            .address = layer->address,
            .size = layer->size,
            .offset = (uint64_t)(layer->bytes - layer->file->data),
            .path = path,
        };
        cairn_perf_map(data, &map);
        free(path);
    }
}

/* Where a sample was taken: where the youngest branch went to, or came from if nothing else is known. */
static void add_sample(struct cli_branch_list *list, const struct cli_branch_stack *stack,
                       size_t number, struct cairn_perf_data *data)
{
    const bool at_EL2 = list->session->options->kernel_at_EL2;
    const struct cairn_branch *youngest = &stack->branches[0];
    struct cairn_branch_entry entries[CLI_BRANCHES_MOST];
    const uint32_t thread = (uint32_t)number + 1;
    struct cairn_perf_sample sample = {
        .time = (number + 1) * STACK_TIME,
        .thread = thread,
        .level = CAIRN_PERF_KERNEL,
        .entries = entries,
        .count = stack->count,
    };

    if (stack->count && (youngest->flags & CAIRN_BRANCH_TARGET)) {
        sample.address = youngest->target;
        if (youngest->EL == 0)
            sample.level = CAIRN_PERF_USER;
        else if (youngest->EL == 3 || (youngest->EL == 2 && !at_EL2))
            sample.level = CAIRN_PERF_HYPERVISOR;
    } else if (stack->count)
        sample.address = youngest->source;
    if (cairn_branch_entries(stack->branches, stack->count, at_EL2 ? CAIRN_BRANCH_KERNEL_AT_EL2 : 0,
                             entries) != CAIRN_OK)
        sample.count = 0;
    cairn_perf_name(data, thread, stack->dump->name ? stack->dump->name : stack->path);
    add_maps(list, thread, data);
    cairn_perf_sample(data, &sample);
}

/* --- the command --- */

/* A file that was given, and where its stacks begin. */
static const char *path_of(const struct cli_session *session, const size_t *ends, size_t number)
{
    size_t file = 0;

    while (ends[file] <= number)
        file++;
    return session->options->programming.words.items[file];
}

static enum cli_exit tell_all(struct cli_branch_list *list, const struct cli_branch_dumps *dumps,
                              const size_t *ends)
{
    const enum cli_format format = list->session->options->format;
    struct cli_branch_stack *stack = malloc(sizeof *stack);
    struct cairn_perf_data data = {0};
    bool done = stack != NULL;

    if (format == CLI_FORMAT_JSON)
        cairn_json_begin(list->session->output, list->session->command->name);
    for (size_t i = 0; done && i < dumps->count && cli_session_goes_on(list->session); i++) {
        read_stack(&dumps->items[i], path_of(list->session, ends, i), stack);
        count(&list->totals, stack);
        if (format == CLI_FORMAT_PERF)
            add_sample(list, stack, i, &data);
        else if (format == CLI_FORMAT_JSON)
            cli_branches_json(list, stack, i);
        else
            cli_branches_text(list, stack);
    }
    free(stack);
    if (format == CLI_FORMAT_PERF)
        done = done && cairn_perf_write(&data, list->session->output);
    else if (done && format == CLI_FORMAT_JSON)
        cli_branches_json_end(list);
    else if (done)
        cli_branches_text_end(list);
    cairn_perf_free(&data);
    if (done)
        return list->totals.findings ? CLI_GAPS : CLI_CLEAN;
    cli_session_say(list->session, "out of memory");
    return CLI_UNUSABLE;
}

static enum cli_exit list_files(struct cli_session *session)
{
    const struct cli_list *files = &session->options->programming.words;
    struct cli_branch_list list = {.session = session};
    struct cli_branch_dumps dumps = {0};
    size_t *ends = calloc(files->count, sizeof *ends);
    bool done = ends && add_images(&list);

    for (size_t i = 0; done && i < files->count; i++) {
        done = cli_branch_dumps_read(&dumps, session, files->items[i]);
        ends[i] = dumps.count;
    }
    const enum cli_exit result = done ? tell_all(&list, &dumps, ends) : CLI_UNUSABLE;
    free(ends);
    cli_branch_dumps_free(&dumps);
    cairn_naming_free(list.naming);
    cairn_space_free(list.space);
    cairn_image_unref(list.image);
    return result;
}

/* What is wrong with the command line; NULL: nothing. */
static const char *wrong(const struct cli_options *options)
{
    if (!options->programming.words.count)
        return "a file with registers is wanted: cairn branches FILE";
    if (options->format == CLI_FORMAT_PERF && !options->output)
        return "--format perf writes a file: give --output perf.data";
    return NULL;
}

static enum cli_exit run(const struct cli_options *options)
{
    struct cli_session session = {.command = &cli_command_branches, .options = options};
    const char *const sentence = wrong(options);

    if (sentence) {
        cli_session_say(&session, "%s", sentence);
        return CLI_UNUSABLE;
    }
    enum cli_exit result = cli_session_open_output(&session, &cli_command_branches, options);
    if (!result)
        result = list_files(&session);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_branches = {
    .name = "branches",
    .summary = "list the branches of a Branch Record Buffer (BRBE)",
    .arguments = "FILE...",
    .description =
        "Decodes the registers of a Branch Record Buffer, read by a debugger or printed at a crash: the\n"
        "last 8 to 64 branches, exceptions and returns of a core, the youngest first.\n"
        "FILE is a text with BRBINF<n>_EL1, BRBSRC<n>_EL1 and BRBTGT<n>_EL1 as NAME=VALUE or NAME: VALUE,\n"
        "in any order and case, with _EL1 or without; values 0x..., decimal, or all 16 hex digits. What\n"
        "else is in it is left alone. [NAME] in front of registers begins another buffer, of another core\n"
        "say. BRBIDR0, BRBFCR, BRBCR and BRBCR_EL2 are read where they are given: in front of the first\n"
        "[NAME] they are those of all. docs/brbe.md has an example.",
    .output =
        "text: a line for each buffer, then a line for each branch: its number in the buffer, source ->\n"
        "target (- where recording was prohibited), type, Exception level of the target, cycles since the\n"
        "older one, and what else the record says: mispredicted, in a transaction, possibly rolled back.\n"
        "Below it what is wrong with the record. The last line counts.\n"
        "json: an object of type \"stack\" for each buffer, one of type \"branch\" for each branch, at the\n"
        "end one of type \"result\" (docs/json.md, branches.schema.json).\n"
        "perf: a perf.data file, a sample with its branch stack for each buffer: perf script -F brstack.",
    .exit_status = "0   nothing is wrong\n"
                   "1   records say what no Branch Record Buffer writes\n"
                   "2   a file cannot be read, or a register is missing or no number",
    .examples = "cairn branches crash.txt\n"
                "cairn branches --image vmlinux@0x1c200000 --oldest-first crash.txt\n"
                "cairn branches --format json crash.txt\n"
                "cairn branches --format perf -o perf.data crash.txt",
    .own = own_options,
    .take_own = take_own,
    .options = CLI_TAKES_WORDS | CLI_TAKES_OUTPUT,
    .run = run,
};
