/* SPDX-License-Identifier: BSD-2-Clause */
/* `--help` and `--help-all`: the tables as they are. */
#include "cli/options/manual.h"

#include <string.h>

const char cli_usage[] = "cairn COMMAND [OPTION]... CAPTURE\n"
                         "cairn record [OPTION]... -o FOLDER -- PROGRAM [ARGUMENT]...\n"
                         "cairn help [COMMAND]\n"
                         "cairn --version";

const char cli_advice[] =
    "CAPTURE is a snapshot (a folder, or its snapshot.ini), a raw buffer, or what a trace port\n"
    "showed (VCD, sigrok, OpenOCD's dump).\n"
    "`cairn COMMAND --help` tells more. A good start is `cairn check CAPTURE`.\n"
    "No capture at hand? `cairn record` makes one of any Arm Linux program.";

/* Text of several lines, each behind `indent`; the first may have another one. */
static void print_lines(FILE *file, const char *text, const char *first, const char *indent)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");

        fprintf(file, "%s%.*s\n", length ? first : "", (int)length, text);
        first = indent;
        text += length + (text[length] == '\n');
    }
}

void cli_manual_overview(FILE *file, const struct cli_commands *commands)
{
    fputs("cairn - " CLI_SUMMARY "\n\n", file);
    print_lines(file, cli_usage, "usage: ", "       ");
    fputs("\ncommands:\n", file);
    for (size_t i = 0; i < commands->count; i++)
        fprintf(file, "  %-9s %s\n", commands->list[i]->name, commands->list[i]->summary);
    fputc('\n', file);
    print_lines(file, cli_advice, "", "");
}

static void print_option(const struct cli_option_text *option)
{
    const char *argument = option->argument ? option->argument : "";
    const char *blank = *argument && *argument != '[' ? " " : "";

    printf("    ");
    if (option->key < 256)
        printf("-%c%s%s, ", option->key, blank, argument);
    printf("--%s%s%s\n", option->name, blank, argument);
    print_lines(stdout, option->help, "        ", "        ");
}

static void print_section(const char *title, const char *text)
{
    printf("\n%s\n", title);
    print_lines(stdout, text, "    ", "    ");
}

enum which {
    OPTIONS_FIRST,
    OPTIONS_ALL,
};

static void print_head(const struct cli_command *command, enum which which)
{
    struct cli_option_text option;

    printf("NAME\n    cairn %s - %s\n", command->name, command->summary);
    printf("\nSYNOPSIS\n    cairn %s [OPTION]... %s\n", command->name, command->arguments);
    print_section("DESCRIPTION", command->description);
    printf("\nOPTIONS\n");
    for (size_t i = 0; cli_options_describe(command, i, &option); i++)
        if (option.first || which == OPTIONS_ALL)
            print_option(&option);
}

void cli_manual_first(const struct cli_command *command)
{
    print_head(command, OPTIONS_FIRST);
    print_section("EXAMPLES", command->examples);
}

void cli_manual_all(const struct cli_command *command)
{
    print_head(command, OPTIONS_ALL);
    print_section("OUTPUT", command->output);
    print_section("EXIT STATUS", command->exit_status);
    print_section("EXAMPLES", command->examples);
}
