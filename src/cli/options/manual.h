/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program says of itself. The commands and their options are described once, in tables
 * (cli/command.h, cli/options/options.h); from these come `--help`, `--help-all`, the manual pages and the
 * completions of shells. All of it goes to standard output. */
#ifndef CAIRN_CLI_OPTIONS_MANUAL_H
#define CAIRN_CLI_OPTIONS_MANUAL_H

#include <stdio.h>

#include "cli/command.h"

struct cli_commands {
    const struct cli_command *const *list;
    size_t count;
};

#define CLI_SUMMARY "Arm program trace: from a capture to what the program executed"

/* Lines of the usage of the program, without the word in front. */
extern const char cli_usage[];

/* What else there is to know at first. */
extern const char cli_advice[];

/* What `cairn help` says. */
void cli_manual_overview(FILE *file, const struct cli_commands *commands);

/* What `--help` says: the options that one needs first. */
void cli_manual_first(const struct cli_command *command);

/* What `--help-all` says. */
void cli_manual_all(const struct cli_command *command);

/* The same as a manual page in the language man(7): cairn-COMMAND.1. */
void cli_page_command(const struct cli_command *command, const struct cli_commands *commands);

/* The manual page of the program: cairn.1. */
void cli_page_program(const struct cli_commands *commands);

/* Scripts that complete command lines of this program. */
void cli_completion_bash(const struct cli_commands *commands);
void cli_completion_zsh(const struct cli_commands *commands);

/* Runs `cairn help ...`; argv[0] is "help". */
enum cli_exit cli_help(const struct cli_commands *commands, int argc, char **argv);

/* The command of that name; NULL after a message. */
const struct cli_command *cli_find_command(const struct cli_commands *commands, const char *name);

/* Standard output may be full, or its reader gone, which is no error. */
enum cli_exit cli_help_finish(void);

#endif
