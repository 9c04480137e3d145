/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that choose a part of a listing: --last, --first, --function ... */
#ifndef CAIRN_CLI_WINDOW_WINDOW_OPTIONS_H
#define CAIRN_CLI_WINDOW_WINDOW_OPTIONS_H

#include "cli/options/options.h"

/* Their keys: other options that only a command has have smaller ones. */
enum cli_part_key {
    CLI_PART_LAST = CLI_OWN_KEY + 64,
    CLI_PART_FIRST,
    CLI_PART_FUNCTION,
    CLI_PART_AROUND,
    CLI_PART_CONTEXT,
    CLI_PART_BETWEEN,
    CLI_PART_OWN_TOTALS,
};

/* Rows for the options that only a command has (`own`). */
#define CLI_PART_OF_FLOW                                                                               \
    {"last", CLI_PART_LAST, "N",                                                                       \
     "Only the last N instructions of each source, and the events between. Decoding begins\n"          \
     "shortly before them, however long the trace is. With --function: the last N visits; with\n"      \
     "--around: the last N events. With --to: the last before it."},                                   \
        {"first", CLI_PART_FIRST, "N",                                                                 \
         "Only the first N instructions (visits, events); of --last, the first of those."},            \
        {"function", CLI_PART_FUNCTION, "NAME",                                                        \
         "Only instructions inside of a function: its name, or FILE:LINE, FIRST..LAST and so on.\n"    \
         "What it calls is left out, and -- stands for it. A visit is from one entry at the\n"         \
         "function's first instruction to the next."},                                                 \
        {"around", CLI_PART_AROUND, "EVENT",                                                           \
         "Only what is around an event: crash (the last fault, or the end of a program that a\n"       \
         "signal ended), exception, exception=NAME (as the listing names it), or each execution\n"     \
         "of an address or name."},                                                                    \
        {"context", CLI_PART_CONTEXT, "N",                                                             \
         "With --around: N instructions before and N behind each event. Default: 20."},                \
        {"between", CLI_PART_BETWEEN, "TIME..TIME",                                                    \
         "Only what lies between two timestamps, as the trace has them (0x...); one may be left\n"     \
         "out. An instruction has the time of the last timestamp before it."},                         \
    {                                                                                                  \
        "own-totals", CLI_PART_OWN_TOTALS, NULL,                                                       \
            "Totals of cycles count from where decoding begins: what is before need not be counted,\n" \
            "which in a long trace with cycle counts takes most of the time."                          \
    }

/* The same of commands that list packets and so on: only so many of them. */
#define CLI_PART_OF(what)                                                                          \
    {"last", CLI_PART_LAST, "N",                                                                   \
     "Only the last N " what " of each source. Decoding begins shortly before them,\n"             \
     "however much there is. With --to: the last before it."},                                     \
    {                                                                                              \
        "first", CLI_PART_FIRST, "N", "Only the first N " what "; of --last, the first of those."  \
    }

/* Takes one of them, or of CLI_LOOK_OPTIONS, for the command of this name; false after a message. */
bool cli_part_take(const char *command, struct cli_options *options, int key, const char *argument);

/* False after a message: some of the options do not go together. */
bool cli_part_check(const char *command, const struct cli_options *options);

#endif
