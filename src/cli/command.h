/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of the program: one table entry and one file each. */
#ifndef CAIRN_CLI_COMMAND_H
#define CAIRN_CLI_COMMAND_H

#include "cli/options/options.h"

/* Exit statuses of every command. */
enum cli_exit {
    CLI_CLEAN = 0,         /* decoded, no gaps */
    CLI_GAPS = 1,          /* decoded with gaps; check: findings that lose data; lint: problems */
    CLI_UNUSABLE = 2,      /* nothing could be decoded, or the command line is wrong */
    CLI_NOT_RUN = 127,     /* record: no emulator, as shells count it */
    CLI_INTERRUPTED = 130, /* Ctrl-C, as shells count it: 128 + SIGINT */
};

/* What puts every instruction in words; without it the program makes do. */
#define CLI_LLVM_WANTED "LLVM 14 or later on this machine (Debian: libllvm19)"

struct cli_command {
    const char *name;
    const char *summary;   /* one line, lower case, no full stop */
    const char *arguments; /* behind the options: "CAPTURE" */
    const char *description;
    const char *output;
    const char *exit_status;
    const char *examples;
    unsigned options;             /* CLI_TAKES_... */
    const struct cli_option *own; /* options that only this command has, ended by an empty one */
    /* Takes one of them; NULL `argument`: none was given. False after a message. */
    bool (*take_own)(struct cli_options *options, int key, const char *argument);
    void (*free_own)(struct cli_options *options);
    enum cli_exit (*run)(const struct cli_options *options);
};

extern const struct cli_command cli_command_info;
extern const struct cli_command cli_command_packets;
extern const struct cli_command cli_command_elements;
extern const struct cli_command cli_command_flow;
extern const struct cli_command cli_command_data;
extern const struct cli_command cli_command_check;
extern const struct cli_command cli_command_record;
extern const struct cli_command cli_command_registers;
extern const struct cli_command cli_command_lint;
extern const struct cli_command cli_command_simulate;
extern const struct cli_command cli_command_barriers;
extern const struct cli_command cli_command_branches;
extern const struct cli_command cli_command_pgo;
extern const struct cli_command cli_command_profile;
extern const struct cli_command cli_command_calls;
extern const struct cli_command cli_command_coverage;
extern const struct cli_command cli_command_export;
extern const struct cli_command cli_command_latency;
extern const struct cli_command cli_command_diff;
extern const struct cli_command cli_command_count;
extern const struct cli_command cli_command_merge;
extern const struct cli_command cli_command_run;

#endif
