/* SPDX-License-Identifier: BSD-2-Clause */
/* `cairn help`: what the program says of itself, in the forms that people and tools want. */
#include <string.h>

#include "cli/options/manual.h"
#include "cli/screen/watch.h"

const struct cli_command *cli_find_command(const struct cli_commands *commands, const char *name)
{
    const char *names[64] = {"help"};
    size_t known = 1;

    for (size_t i = 0; i < commands->count; i++) {
        if (!strcmp(commands->list[i]->name, name))
            return commands->list[i];
        if (known < sizeof names / sizeof names[0] - 1)
            names[known++] = commands->list[i]->name;
    }
    const char *near = cli_nearest(name, names);
    fprintf(stderr, "cairn: unknown command '%s'.", name);
    if (near)
        fprintf(stderr, " Did you mean `cairn %s`?", near);
    fputs(" See `cairn help`.\n", stderr);
    return NULL;
}

enum cli_exit cli_help_finish(void)
{
    if (fflush(stdout) && !cli_pipe_closed()) {
        fputs("cairn: cannot write to standard output\n", stderr);
        return CLI_UNUSABLE;
    }
    return CLI_CLEAN;
}

static enum cli_exit page(const struct cli_commands *commands, const char *name)
{
    const struct cli_command *command = name ? cli_find_command(commands, name) : NULL;

    if (name && !command)
        return CLI_UNUSABLE;
    if (command)
        cli_page_command(command, commands);
    else
        cli_page_program(commands);
    return cli_help_finish();
}

static enum cli_exit completion(const struct cli_commands *commands, const char *shell)
{
    if (shell && !strcmp(shell, "bash")) {
        cli_completion_bash(commands);
    } else if (shell && !strcmp(shell, "zsh")) {
        cli_completion_zsh(commands);
    } else {
        fprintf(stderr, "cairn help: --completion %s: expected bash or zsh\n", shell ? shell : "");
        return CLI_UNUSABLE;
    }
    return cli_help_finish();
}

enum cli_exit cli_help(const struct cli_commands *commands, int argc, char **argv)
{
    static const char completion_is[] = "--completion=";
    const char *first = argc > 1 ? argv[1] : NULL;
    const char *second = argc > 2 ? argv[2] : NULL;

    if (argc > (first && (!strcmp(first, "--man") || !strcmp(first, "--completion")) ? 3 : 2)) {
        fprintf(stderr, "cairn help: one command at a time: '%s' is one too many\n",
                argv[argc - 1]);
        return CLI_UNUSABLE;
    }
    if (!first || !strcmp(first, "help") || !strcmp(first, "--help") || !strcmp(first, "-h")) {
        cli_manual_overview(stdout, commands);
        return cli_help_finish();
    }
    if (!strcmp(first, "--man"))
        return page(commands, second);
    if (!strcmp(first, "--completion"))
        return completion(commands, second);
    if (!strncmp(first, completion_is, sizeof completion_is - 1))
        return completion(commands, first + sizeof completion_is - 1);
    const struct cli_command *command = cli_find_command(commands, first);
    if (!command)
        return CLI_UNUSABLE;
    cli_manual_first(command);
    return cli_help_finish();
}
