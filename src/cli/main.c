/* SPDX-License-Identifier: BSD-2-Clause */
/* The program: finds the command and hands over. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <cairn/code.h>
#include <cairn/status.h>

#include "cli/options/manual.h"
#include "cli/screen/watch.h"

static const struct cli_command *const commands[] = {
    &cli_command_info,   &cli_command_packets,  &cli_command_elements, &cli_command_flow,
    &cli_command_data,   &cli_command_check,    &cli_command_record,   &cli_command_registers,
    &cli_command_lint,   &cli_command_simulate, &cli_command_barriers, &cli_command_branches,
    &cli_command_pgo,    &cli_command_profile,  &cli_command_calls,    &cli_command_coverage,
    &cli_command_export, &cli_command_latency,  &cli_command_diff,     &cli_command_count,
    &cli_command_merge,  &cli_command_run,
};
static const struct cli_commands all = {
    .list = commands,
    .count = sizeof commands / sizeof commands[0],
};

/* Which disassembler listings get, for it depends on the machine. */
static enum cli_exit version(void)
{
    struct cairn_disasm *disasm = cairn_disasm_new();
    const char *name = cairn_disasm_name(disasm);

    printf("cairn %s\ndisassembly: %s\n", cairn_version(),
           name ? name : "built in, since there is no " CLI_LLVM_WANTED);
    cairn_disasm_free(disasm);
    return cli_help_finish();
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
    case CLI_PARSE_HELP:
        cli_manual_first(command);
        result = cli_help_finish();
        break;
    case CLI_PARSE_HELP_ALL:
        cli_manual_all(command);
        result = cli_help_finish();
        break;
    case CLI_PARSE_WRONG: break;
    }
    cli_options_free(command, &options);
    return result;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        cli_manual_overview(stderr, &all);
        return CLI_UNUSABLE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version") || !strcmp(name, "-V"))
        return (int)version();
    if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
        return (int)cli_help(&all, argc - 1, argv + 1);
    const struct cli_command *command = cli_find_command(&all, name);
    if (!command)
        return CLI_UNUSABLE;
    return (int)run_command(command, argc - 1, argv + 1);
}
