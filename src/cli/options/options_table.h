/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that several commands have. */
#ifndef CAIRN_CLI_OPTIONS_OPTIONS_TABLE_H
#define CAIRN_CLI_OPTIONS_OPTIONS_TABLE_H

#include "cli/options/options.h"

/* Keys of the options without a letter. */
enum option_key {
    KEY_HELP = 'h',
    KEY_OUTPUT = 'o',
    KEY_PROTOCOL = 256,
    KEY_CORE,
    KEY_SET,
    KEY_CONFIG,
    KEY_FRAMES,
    KEY_ID,
    KEY_IMAGE,
    KEY_SOURCE,
    KEY_FROM,
    KEY_TO,
    KEY_FORMAT,
    KEY_MERGE,
    KEY_RESOLVED,
    KEY_RANGES,
    KEY_SUMMARY,
    KEY_FORCE,
    KEY_JOBS,
    KEY_TABLE_MEMORY,
    KEY_REFERENCE,
    KEY_HELP_ALL,
    KEY_SYSROOT,
    KEY_DEBUG_DIR,
    KEY_VMLINUX,
    KEY_KCORE,
    KEY_PINS,
    KEY_PORT_MODE,
    KEY_PORT_WIDTH,
    KEY_PID,
    KEY_TID,
    KEY_COMM,
    KEY_CPU,
    KEY_TIME,
    KEY_JSON,
};

struct option_entry {
    unsigned takes; /* commands that take it, any of the bits; 0: all */
    const char *name;
    int key;              /* with CLI_FIRST: `--help` shows it, not `--help-all` alone */
    const char *argument; /* NULL: none; in lower case: the words that it takes, with | between */
    const char *help;
};

extern const struct option_entry cli_option_entries[];
extern const size_t cli_option_count;

#endif
