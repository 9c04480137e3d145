/* SPDX-License-Identifier: BSD-2-Clause */
/* The program: finds the command and hands over. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <cairn/status.h>

#include "cli/command.h"
#include "cli/watch.h"

static const struct cli_command *const commands[] = {
    &cli_command_info, &cli_command_packets, &cli_command_elements, &cli_command_flow,
    &cli_command_data, &cli_command_check,   &cli_command_record,
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static const struct cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(commands[i]->name, name))
            return commands[i];
    return NULL;
}

static void print_overview(FILE *file)
{
    fputs("cairn - Arm program trace: from a capture to what the program executed\n\n"
          "usage: cairn COMMAND [OPTION]... CAPTURE\n"
          "       cairn record [OPTION]... -o FOLDER -- PROGRAM [ARGUMENT]...\n"
          "       cairn help [COMMAND]\n"
          "       cairn --version\n\ncommands:\n",
          file);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(file, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nCAPTURE is a snapshot (a folder, or its snapshot.ini) or a raw trace buffer.\n"
          "`cairn COMMAND --help` tells more. A good start: cairn check CAPTURE\n"
          "No capture at hand? `cairn record` makes one of any Arm Linux program.\n",
          file);
}

static enum cli_exit unknown_command(const char *name)
{
    const char *names[COMMAND_COUNT + 2];

    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i]->name;
    names[COMMAND_COUNT] = "help";
    names[COMMAND_COUNT + 1] = NULL;
    const char *near = cli_nearest(name, names);
    fprintf(stderr, "cairn: unknown command '%s'.", name);
    if (near)
        fprintf(stderr, " Did you mean `cairn %s`?", near);
    fputs(" See `cairn help`.\n", stderr);
    return CLI_UNUSABLE;
}

/* Standard output may be full, or its reader gone (which is no error). */
static enum cli_exit finish_output(void)
{
    if (fflush(stdout) && !cli_pipe_closed()) {
        fputs("cairn: cannot write to standard output\n", stderr);
        return CLI_UNUSABLE;
    }
    return CLI_CLEAN;
}

static enum cli_exit help(const char *name)
{
    if (!name) {
        print_overview(stdout);
        return finish_output();
    }
    const struct cli_command *command = find_command(name);
    if (!command)
        return unknown_command(name);
    cli_options_manual(command);
    return finish_output();
}

static enum cli_exit run_command(const struct cli_command *command, int argc, char **argv)
{
    struct cli_options options;
    enum cli_exit result = CLI_UNUSABLE;

    switch (cli_options_parse(command, argc, argv, &options)) {
    case CLI_PARSE_RUN:
        cli_watch_start();
        result = command->run(&options);
        break;
    case CLI_PARSE_HELP: result = help(command->name); break;
    case CLI_PARSE_WRONG: break;
    }
    cli_options_free(command, &options);
    return result;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        print_overview(stderr);
        return CLI_UNUSABLE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        printf("cairn %s\n", cairn_version());
        return (int)finish_output();
    }
    if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
        return (int)help(argc > 2 ? argv[2] : NULL);
    const struct cli_command *command = find_command(name);
    if (!command)
        return (int)unknown_command(name);
    return (int)run_command(command, argc - 1, argv + 1);
}
