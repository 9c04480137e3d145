/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options/options.h"

#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cairn/engine.h>

#include "base/letters.h"
#include "cli/command.h"
#include "cli/options/debug_folders.h"
#include "cli/options/options_table.h"
#include "cli/options/protocols.h"
#include "cli/options/whose_words.h"

#define OPTIONS_MAX 80
#define WORD_MAX CAIRN_LETTERS_MAX
#define NEAR_DISTANCE 3 /* edits between a typo and what was meant */
#define TRACE_ID_MAX 0x7f
#define PORT_WIDTH_MAX 32

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = words; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (!strncmp(at, word, length) && (at[length] == '|' || !at[length]))
            return true;
    }
    return false;
}

/* The key of the command's --format, if that takes "json"; 0: it does not. */
static int key_of_json(const struct cli_command *command)
{
    for (const struct cli_option *own = command->own; own && own->name; own++)
        if (!strcmp(own->name, "format"))
            return has_word(own->argument, "json") ? cli_option_key(own->key) : 0;
    return command->options & (CLI_TAKES_FORMAT | CLI_TAKES_ADDRESSES) ? KEY_FORMAT : 0;
}

static bool entry_applies(const struct cli_command *command, const struct option_entry *entry)
{
    if (entry->takes == CLI_TAKES_JSON)
        return key_of_json(command) != 0;
    return !entry->takes || (command->options & entry->takes);
}

const char *cli_nearest(const char *word, const char *const *words)
{
    const char *best = NULL;
    unsigned best_distance = NEAR_DISTANCE + 1;

    for (; *words; words++) {
        unsigned distance = cairn_letters_apart(word, *words);
        bool begins = strlen(word) >= 2 && (!strncmp(*words, word, strlen(word)) ||
                                            !strncmp(*words, word, strlen(*words)));
        if (begins && distance > 1)
            distance = 1;
        if (distance < best_distance && distance < strlen(*words)) {
            best = *words;
            best_distance = distance;
        }
    }
    return best;
}

static enum cli_parse wrong(const struct cli_command *command, const char *option,
                            const char *argument, const char *expected)
{
    fprintf(stderr, "cairn %s: --%s %s: expected %s. See `cairn %s --help`.\n", command->name,
            option, argument, expected, command->name);
    return CLI_PARSE_WRONG;
}

bool cli_list_add(struct cli_list *list, const char *item)
{
    const char **grown = realloc(list->items, (list->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    grown[list->count++] = item;
    list->items = grown;
    return true;
}

static enum cli_parse set_register(const struct cli_command *command, struct cli_options *options,
                                   const char *argument)
{
    static const char expected[] = "REGISTER=VALUE, such as TRCCONFIGR=0x10c1";
    const char *equals = strchr(argument, '=');
    size_t count = options->open.register_count;
    uint64_t value;

    if (!equals || equals == argument || !cli_number(equals + 1, &value))
        return wrong(command, "set", argument, expected);
    struct cairn_register *registers = realloc(options->registers, (count + 1) * sizeof *registers);
    if (registers)
        options->registers = registers;
    char **names = realloc(options->register_names, (count + 1) * sizeof *names);
    if (names)
        options->register_names = names;
    char *name = strndup(argument, (size_t)(equals - argument));
    if (!registers || !names || !name) {
        free(name);
        return wrong(command, "set", argument, "more memory");
    }
    names[count] = name;
    registers[count] = (struct cairn_register){.name = name, .value = value};
    options->open.registers = registers;
    options->open.register_count = count + 1;
    return CLI_PARSE_RUN;
}

static enum cli_parse set_protocol(const struct cli_command *command, struct cli_options *options,
                                   const char *argument)
{
    bool records = !(command->options & CLI_TAKES_CAPTURE);
    char choice[CLI_PROTOCOLS_TEXT];

    options->open.protocol = cli_protocols_find(records, argument);
    if (options->open.protocol != CAIRN_PROTOCOL_UNKNOWN)
        return CLI_PARSE_RUN;
    cli_protocols_choice(records, choice);
    return wrong(command, "protocol", argument, choice);
}

static enum cli_parse set_frames(const struct cli_command *command, struct cli_options *options,
                                 const char *argument)
{
    if (!strcmp(argument, "auto"))
        options->open.format = CAIRN_FORMAT_AUTO;
    else if (!strcmp(argument, "none"))
        options->open.format = CAIRN_FORMAT_SOURCE_DATA;
    else if (!strcmp(argument, "coresight"))
        options->open.format = CAIRN_FORMAT_CORESIGHT;
    else if (!strcmp(argument, "dstream"))
        options->open.format = CAIRN_FORMAT_DSTREAM_CORESIGHT;
    else
        return wrong(command, "frames", argument, "auto, none, coresight or dstream");
    return CLI_PARSE_RUN;
}

static enum cli_parse set_format(const struct cli_command *command, struct cli_options *options,
                                 const char *argument)
{
    bool addresses = command->options & CLI_TAKES_ADDRESSES;

    if (!strcmp(argument, "text"))
        options->format = CLI_FORMAT_TEXT;
    else if (!strcmp(argument, "json"))
        options->format = CLI_FORMAT_JSON;
    else if (addresses && !strcmp(argument, "addresses"))
        options->format = CLI_FORMAT_ADDRESSES;
    else if (addresses && !strcmp(argument, "full"))
        options->format = CLI_FORMAT_FULL;
    else
        return wrong(command, "format", argument,
                     addresses ? "text, json, addresses or full" : "text or json");
    return CLI_PARSE_RUN;
}

static enum cli_parse set_id(const struct cli_command *command, struct cli_options *options,
                             const char *argument)
{
    uint64_t value;

    if (!cli_number(argument, &value) || value > TRACE_ID_MAX)
        return wrong(command, "id", argument, "a trace ID from 0 to 0x7f");
    options->open.trace_id = (int)value;
    return CLI_PARSE_RUN;
}

static enum cli_parse set_port_width(const struct cli_command *command, struct cli_options *options,
                                     const char *argument)
{
    uint64_t value;

    if (!cli_number(argument, &value) || !value || value > PORT_WIDTH_MAX)
        return wrong(command, "port-width", argument, "how many pins, 1 to 32");
    options->open.port_width = (unsigned)value;
    return CLI_PARSE_RUN;
}

static enum cli_parse set_jobs(const struct cli_command *command, struct cli_options *options,
                               const char *argument)
{
    uint64_t value;

    if (!cli_number(argument, &value) || !value || value > CLI_JOBS_MAX)
        return wrong(command, "jobs", argument, "how many threads, 1 to 256");
    options->jobs = (uint32_t)value;
    return CLI_PARSE_RUN;
}

static enum cli_parse set_table_memory(const struct cli_command *command,
                                       struct cli_options *options, const char *argument)
{
    uint64_t value;

    if (!cli_size(argument, &value) || value < CAIRN_ENGINE_TABLE_BYTES_MIN ||
        value > CLI_TABLE_BYTES_MAX)
        return wrong(command, "table-memory", argument, "a size from 1M to 64G");
    options->table_bytes = value;
    return CLI_PARSE_RUN;
}

static enum cli_parse set_whose(const struct cli_command *command, struct cli_options *options,
                                int key, const char *argument)
{
    static const char number[] = "a number";
    struct cli_whose *const whose = &options->whose;

    switch (key) {
    case KEY_PID:
        return cli_whose_number(&whose->processes, argument)
                   ? CLI_PARSE_RUN
                   : wrong(command, "pid", argument, number);
    case KEY_TID:
        return cli_whose_number(&whose->threads, argument)
                   ? CLI_PARSE_RUN
                   : wrong(command, "tid", argument, number);
    case KEY_CPU:
        return cli_whose_number(&whose->cpus, argument) ? CLI_PARSE_RUN
                                                        : wrong(command, "cpu", argument, number);
    case KEY_COMM: return cli_list_add(&whose->names, argument) ? CLI_PARSE_RUN : CLI_PARSE_WRONG;
    default:
        return cli_whose_times(argument, &options->open.time_from, &options->open.time_to)
                   ? CLI_PARSE_RUN
                   : wrong(command, "time", argument, "FROM,TO in seconds, such as 12.345678,12.5");
    }
}

/* The processors that this process may use. */
static uint32_t processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    const int count = CPU_COUNT(&set);
    return count < CLI_JOBS_DEFAULT_MAX ? (uint32_t)count : CLI_JOBS_DEFAULT_MAX;
}

static enum cli_parse take(const struct cli_command *command, struct cli_options *options, int key,
                           const char *argument)
{
    static const char offset[] = "an offset, decimal or 0x..., or -OFFSET from the end";

    for (const struct cli_option *own = command->own; own && own->name; own++)
        if (cli_option_key(own->key) == key)
            return command->take_own(options, key, argument) ? CLI_PARSE_RUN : CLI_PARSE_WRONG;
    switch ((enum option_key)key) {
    case KEY_HELP: return CLI_PARSE_HELP;
    case KEY_HELP_ALL: return CLI_PARSE_HELP_ALL;
    case KEY_OUTPUT: options->output = argument; break;
    case KEY_FORCE: options->force = true; break;
    case KEY_PROTOCOL: return set_protocol(command, options, argument);
    case KEY_CORE: options->open.core = argument; break;
    case KEY_SET: return set_register(command, options, argument);
    case KEY_CONFIG: options->open.config_path = argument; break;
    case KEY_FRAMES: return set_frames(command, options, argument);
    case KEY_ID: return set_id(command, options, argument);
    case KEY_PINS: options->open.pins = argument; break;
    case KEY_PORT_MODE: options->open.port_mode = argument; break;
    case KEY_PORT_WIDTH: return set_port_width(command, options, argument);
    case KEY_IMAGE:
        return cli_list_add(&options->images, argument) ? CLI_PARSE_RUN : CLI_PARSE_WRONG;
    case KEY_SOURCE:
        return cli_list_add(&options->sources, argument) ? CLI_PARSE_RUN : CLI_PARSE_WRONG;
    case KEY_FROM:
        if (!cli_offset(argument, &options->from, &options->from_the_end))
            return wrong(command, "from", argument, offset);
        break;
    case KEY_TO:
        if (!cli_offset(argument, &options->to, &options->to_the_end))
            return wrong(command, "to", argument, offset);
        break;
    case KEY_FORMAT: return set_format(command, options, argument);
    case KEY_JSON: return take(command, options, key_of_json(command), "json");
    case KEY_MERGE:
        if (strcmp(argument, "time"))
            return wrong(command, "merge", argument, "time");
        options->merge = true;
        break;
    case KEY_RESOLVED: options->resolved = true; break;
    case KEY_RANGES: options->detail = CLI_DETAIL_RANGES; break;
    case KEY_JOBS: return set_jobs(command, options, argument);
    case KEY_TABLE_MEMORY: return set_table_memory(command, options, argument);
    case KEY_REFERENCE: options->reference = true; break;
    case KEY_SYSROOT: options->open.sysroot = argument; break;
    case KEY_DEBUG_DIR:
        return cli_list_add(&options->debug_folders, argument) ? CLI_PARSE_RUN : CLI_PARSE_WRONG;
    case KEY_VMLINUX: options->open.vmlinux = argument; break;
    case KEY_KCORE: options->open.kcore = argument; break;
    case KEY_PID:
    case KEY_TID:
    case KEY_COMM:
    case KEY_CPU:
    case KEY_TIME: return set_whose(command, options, key, argument);
    case KEY_SUMMARY: options->detail = CLI_DETAIL_SUMMARY; break;
    }
    return CLI_PARSE_RUN;
}

static enum cli_parse unknown_option(const struct cli_command *command, const char *given)
{
    const char *names[OPTIONS_MAX + 1];
    size_t count = 0;
    char word[WORD_MAX + 1];

    for (size_t i = 0; i < cli_option_count && count < OPTIONS_MAX; i++)
        if (entry_applies(command, &cli_option_entries[i]))
            names[count++] = cli_option_entries[i].name;
    for (const struct cli_option *own = command->own; own && own->name && count < OPTIONS_MAX;
         own++)
        names[count++] = own->name;
    names[count] = NULL;
    const char *bare = given + strspn(given, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(bare, "="), bare);
    const char *near = cli_nearest(word, names);
    fprintf(stderr, "cairn %s: unknown option '%s'.", command->name, given);
    if (near)
        fprintf(stderr, " Did you mean --%s?", near);
    fprintf(stderr, " See `cairn %s --help`.\n", command->name);
    return CLI_PARSE_WRONG;
}

/* What says how the capture is opened, so that other commands can be shown with it. */
static bool note_capture_word(struct cli_options *options, int key, const char *argument)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct option_entry *entry = &cli_option_entries[i];

        if (cli_option_key(entry->key) == key && entry->takes & CLI_TAKES_CAPTURE && argument)
            return cli_list_add(&options->capture_words, entry->name) &&
                   cli_list_add(&options->capture_words, argument);
    }
    return true;
}

/* A word that is no option. */
static enum cli_parse take_word(const struct cli_command *command, struct cli_options *options,
                                const char *word)
{
    if (command->options & CLI_TAKES_WORDS)
        return cli_list_add(&options->programming.words, word) ? CLI_PARSE_RUN : CLI_PARSE_WRONG;
    if (options->capture && command->options & CLI_TAKES_FURTHER)
        return cli_list_add(&options->further, word) ? CLI_PARSE_RUN : CLI_PARSE_WRONG;
    if (options->capture) {
        fprintf(stderr, "cairn %s: one capture at a time: '%s' is one too many.\n", command->name,
                word);
        return CLI_PARSE_WRONG;
    }
    options->capture = word;
    return CLI_PARSE_RUN;
}

static enum cli_parse check_complete(const struct cli_command *command,
                                     const struct cli_options *options)
{
    if (command->options & (CLI_TAKES_PROGRAM | CLI_TAKES_WORDS) || options->check.explain)
        return CLI_PARSE_RUN;
    if (!options->capture) {
        fprintf(stderr, "cairn %s: which capture? Usage: cairn %s [OPTION]... %s\n", command->name,
                command->name, command->arguments);
        return CLI_PARSE_WRONG;
    }
    if (options->from_the_end == options->to_the_end &&
        (options->from_the_end ? options->to > options->from : options->from > options->to)) {
        fprintf(stderr, "cairn %s: --from is behind --to: nothing lies between them.\n",
                command->name);
        return CLI_PARSE_WRONG;
    }
    return CLI_PARSE_RUN;
}

static int own_has_argument(const struct cli_option *own)
{
    if (!own->argument)
        return no_argument;
    return own->argument[0] == '[' ? optional_argument : required_argument;
}

/* The table that getopt_long wants, of the options that the command takes; and its letters. */
static void fill_long_options(const struct cli_command *command, struct option *longs,
                              char *letters)
{
    size_t count = 0;
    /* In front: + stops at the first word that is no option, - hands such words over in place. */
    const bool stops = (command->options & CLI_PROGRAM_OR_WORDS) == CLI_TAKES_PROGRAM;
    letters += sprintf(letters, "%s:h%s", stops ? "+" : "-",
                       command->options & CLI_TAKES_OUTPUT ? "o:" : "");
    for (const struct cli_option *own = command->own;
         own && own->name && count < OPTIONS_MAX - cli_option_count - 1; own++) {
        longs[count++] = (struct option){
            .name = own->name,
            .has_arg = own_has_argument(own),
            .val = cli_option_key(own->key),
        };
        if (longs[count - 1].val < 256)
            letters += sprintf(letters, "%c%s", longs[count - 1].val, own->argument ? ":" : "");
    }
    for (size_t i = 0; i < cli_option_count; i++)
        if (entry_applies(command, &cli_option_entries[i]))
            longs[count++] = (struct option){
                .name = cli_option_entries[i].name,
                .has_arg = cli_option_entries[i].argument ? required_argument : no_argument,
                .val = cli_option_key(cli_option_entries[i].key),
            };
    longs[count] = (struct option){0};
}

enum cli_parse cli_options_parse(const struct cli_command *command, int argc, char **argv,
                                 struct cli_options *options)
{
    struct option longs[OPTIONS_MAX];
    char letters[2 * OPTIONS_MAX];

    *options = (struct cli_options){
        .open = CAIRN_CAPTURE_OPTIONS_INIT,
        .to = UINT64_MAX,
        .jobs = processors(),
    };
    fill_long_options(command, longs, letters);
    opterr = 0;
    optind = 1;
    for (;;) {
        int current = optind;
        int key = getopt_long(argc, argv, letters, longs, NULL);
        if (key == -1)
            break;
        if (key == '?')
            return unknown_option(command, argv[current]);
        if (key == ':') {
            fprintf(stderr, "cairn %s: %s needs a value. See `cairn %s --help`.\n", command->name,
                    argv[current], command->name);
            return CLI_PARSE_WRONG;
        }
        enum cli_parse taken = key == 1 /* not an option, in place */
                                   ? take_word(command, options, optarg)
                                   : take(command, options, key, optarg);
        if (taken != CLI_PARSE_RUN)
            return taken;
        if (!note_capture_word(options, key, optarg))
            return wrong(command, "image", optarg, "more memory");
    }
    if (command->options & CLI_TAKES_PROGRAM) {
        options->program = argv + optind;
        optind = argc;
    }
    for (; optind < argc; optind++) /* behind "--" */
        if (take_word(command, options, argv[optind]) != CLI_PARSE_RUN)
            return CLI_PARSE_WRONG;
    if (!cli_debug_folders(options))
        return wrong(command, "debug-dir", "", "more memory");
    return check_complete(command, options);
}

void cli_options_free(const struct cli_command *command, struct cli_options *options)
{
    if (command->free_own)
        command->free_own(options);
    cli_look_free(&options->look);
    for (size_t i = 0; i < options->open.register_count; i++)
        free(options->register_names[i]);
    free(options->register_names);
    free(options->registers);
    free(options->programming.words.items);
    free(options->further.items);
    free(options->images.items);
    free(options->debug_folders.items);
    free(options->debug_cache);
    free(options->sources.items);
    free(options->capture_words.items);
    free(options->whose.processes.list);
    free(options->whose.threads.list);
    free(options->whose.cpus.list);
    free(options->whose.names.items);
}

/* What --protocol takes and means is what the protocols say of themselves. */
static void describe_protocol(const struct cli_command *command, struct cli_option_text *text)
{
    const bool records = !(command->options & CLI_TAKES_CAPTURE);
    char choice[CLI_PROTOCOLS_TEXT];

    cli_protocols_choice(records, choice);
    int length = snprintf(text->composed, sizeof text->composed, "%s: %s.", text->help, choice);
    if (records) {
        char usual[CLI_PROTOCOLS_TEXT], machine[CLI_PROTOCOLS_TEXT];

        cli_protocols_word(cli_protocols_recorded(CAIRN_RECORD_DEFAULT), usual);
        cli_protocols_word(cli_protocols_recorded(CAIRN_RECORD_MACHINE_DEFAULT), machine);
        snprintf(text->composed + length, sizeof text->composed - (size_t)length,
                 "\nDefault: %s; of a Cortex-M: %s.", usual, machine);
    }
    text->help = text->composed;
    cli_protocols_words(records, text->words);
}

/* "text|json" as "text json"; nothing of a placeholder. */
static void describe_words(const char *argument, char words[CLI_WORDS_TEXT])
{
    size_t length = 0;

    for (; argument && argument[0] >= 'a' && argument[0] <= 'z' && argument[length]; length++)
        words[length] = argument[length] == '|' ? ' ' : argument[length];
    words[length] = '\0';
}

bool cli_options_describe(const struct cli_command *command, size_t index,
                          struct cli_option_text *text)
{
    for (const struct cli_option *own = command->own; own && own->name; own++) {
        if (index-- > 0)
            continue;
        *text = (struct cli_option_text){.name = own->name,
                                         .key = cli_option_key(own->key),
                                         .argument = own->argument,
                                         .help = own->help,
                                         .first = own->key & CLI_FIRST};
        describe_words(own->argument, text->words);
        return true;
    }
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct option_entry *entry = &cli_option_entries[i];

        if (!entry_applies(command, entry) || index-- > 0)
            continue;
        *text = (struct cli_option_text){.name = entry->name,
                                         .key = cli_option_key(entry->key),
                                         .argument = entry->argument,
                                         .help = entry->help,
                                         .first = entry->key & CLI_FIRST};
        describe_words(entry->argument, text->words);
        if (text->key == KEY_PROTOCOL)
            describe_protocol(command, text);
        return true;
    }
    return false;
}

bool cli_part_given(const struct cli_part *part)
{
    return part->last || part->first || part->function || part->around || part->between;
}
