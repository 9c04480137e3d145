/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/window_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/window.h"

enum part_key {
    KEY_LAST = CLI_OWN_KEY,
    KEY_FIRST,
    KEY_FUNCTION,
    KEY_AROUND,
    KEY_CONTEXT,
    KEY_BETWEEN,
    KEY_OWN_TOTALS,
};

#define LAST_OF(what)                                                                              \
    {                                                                                              \
        "last", KEY_LAST, "N",                                                                     \
            "Only the last N " what ". Decoding begins shortly before them,\n"                     \
            "however much there is. With --to: the last before it."                                \
    }
#define FIRST_OF(what)                                                                             \
    {                                                                                              \
        "first", KEY_FIRST, "N", "Only the first N " what "; of --last, the first of those."       \
    }

const struct cli_option cli_part_of_flow[] = {
    {"last", KEY_LAST, "N",
     "Only the last N instructions of each source, and the events between. Decoding begins\n"
     "shortly before them, however long the trace is. With --function: the last N visits; with\n"
     "--around: the last N events. With --to: the last before it."},
    {"first", KEY_FIRST, "N",
     "Only the first N instructions (visits, events); of --last, the first of those."},
    {"function", KEY_FUNCTION, "NAME",
     "Only instructions inside of a function: its name, or FILE:LINE, FIRST..LAST and so on.\n"
     "What it calls is left out, and -- stands for it. A visit is from one entry at the\n"
     "function's first instruction to the next."},
    {"around", KEY_AROUND, "EVENT",
     "Only what is around an event: crash (the last fault, or the end of a program that a signal\n"
     "ended), exception, exception=NAME (as the listing names it), or each execution of an\n"
     "address or name."},
    {"context", KEY_CONTEXT, "N",
     "With --around: N instructions before and N behind each event. Default: 20."},
    {"between", KEY_BETWEEN, "TIME..TIME",
     "Only what lies between two timestamps, as the trace has them (0x...); one may be left out.\n"
     "An instruction has the time of the last timestamp before it."},
    {"own-totals", KEY_OWN_TOTALS, NULL,
     "Totals of cycles count from where decoding begins: what is before need not be counted,\n"
     "which in a long trace with cycle counts takes most of the time."},
    {NULL, 0, NULL, NULL},
};

const struct cli_option cli_part_of_data[] = {
    LAST_OF("transfers of each source"), FIRST_OF("transfers"), {NULL, 0, NULL, NULL}};
const struct cli_option cli_part_of_packets[] = {
    LAST_OF("packets of each source"), FIRST_OF("packets"), {NULL, 0, NULL, NULL}};
const struct cli_option cli_part_of_elements[] = {
    LAST_OF("elements of each source"), FIRST_OF("elements"), {NULL, 0, NULL, NULL}};

static bool refuse(const char *command, const char *option, const char *argument,
                   const char *expected)
{
    fprintf(stderr, "cairn %s: --%s %s: expected %s. See `cairn %s --help`.\n", command, option,
            argument, expected, command);
    return false;
}

static bool read_count(const char *command, const char *option, const char *argument,
                       const char *expected, uint64_t *count)
{
    if (cli_number(argument, count) && *count)
        return true;
    return refuse(command, option, argument, expected);
}

static bool read_times(const char *command, const char *argument, struct cli_part *part)
{
    static const char expected[] = "two timestamps, such as 0x1200..0x1300";
    const char *dots = strstr(argument, "..");
    char first[32];

    part->between = true;
    part->time_from = 0;
    part->time_to = UINT64_MAX;
    if (!dots || dots - argument >= (int)sizeof first || (dots == argument && !dots[2]))
        return refuse(command, "between", argument, expected);
    memcpy(first, argument, (size_t)(dots - argument));
    first[dots - argument] = 0;
    if ((first[0] && !cli_number(first, &part->time_from)) ||
        (dots[2] && !cli_number(dots + 2, &part->time_to)))
        return refuse(command, "between", argument, expected);
    if (part->time_from > part->time_to)
        return refuse(command, "between", argument, "the earlier time first");
    return true;
}

bool cli_part_take(const char *command, struct cli_options *options, int key, const char *argument)
{
    struct cli_part *part = &options->part;
    const bool flow = !strcmp(command, "flow");

    switch ((enum part_key)key) {
    case KEY_LAST:
        return read_count(command, "last", argument,
                          flow ? "how many instructions, 1 or more" : "how many, 1 or more",
                          &part->last);
    case KEY_FIRST:
        return read_count(command, "first", argument,
                          flow ? "how many instructions, 1 or more" : "how many, 1 or more",
                          &part->first);
    case KEY_FUNCTION: part->function = argument; break;
    case KEY_AROUND: part->around = argument; break;
    case KEY_CONTEXT:
        part->has_context = true;
        if (!cli_number(argument, &part->context) || part->context > CLI_AROUND_MOST)
            return refuse(command, "context", argument,
                          "how many instructions before and behind, 0 to 1000000");
        break;
    case KEY_BETWEEN: return read_times(command, argument, part);
    case KEY_OWN_TOTALS: part->own_totals = true; break;
    }
    return true;
}

bool cli_part_given(const struct cli_part *part)
{
    return part->last || part->first || part->function || part->around || part->between;
}

static bool say(const char *command, const char *what)
{
    fprintf(stderr, "cairn %s: %s. See `cairn %s --help`.\n", command, what, command);
    return false;
}

bool cli_part_check(const char *command, const struct cli_options *options)
{
    const struct cli_part *part = &options->part;

    if (part->function && part->around)
        return say(command, "--function and --around do not go together: one of them");
    if (part->has_context && !part->around)
        return say(command, "--context is how much is listed around an event: give --around");
    if (cli_part_given(part) && options->detail == CLI_DETAIL_SUMMARY)
        return say(command, "--summary is of whole sources: a part of one can only be listed");
    return true;
}
