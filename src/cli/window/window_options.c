/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/window/window_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/window/window.h"

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

    if (key >= CLI_LOOK_SOURCE_LINES)
        return cli_look_take(&options->look, command, key, argument);
    switch ((enum cli_part_key)key) {
    case CLI_PART_LAST:
        return read_count(command, "last", argument,
                          flow ? "how many instructions, 1 or more" : "how many, 1 or more",
                          &part->last);
    case CLI_PART_FIRST:
        return read_count(command, "first", argument,
                          flow ? "how many instructions, 1 or more" : "how many, 1 or more",
                          &part->first);
    case CLI_PART_FUNCTION: part->function = argument; break;
    case CLI_PART_AROUND: part->around = argument; break;
    case CLI_PART_CONTEXT:
        part->has_context = true;
        if (!cli_number(argument, &part->context) || part->context > CLI_AROUND_MOST)
            return refuse(command, "context", argument,
                          "how many instructions before and behind, 0 to 1000000");
        break;
    case CLI_PART_BETWEEN: return read_times(command, argument, part);
    case CLI_PART_OWN_TOTALS: part->own_totals = true; break;
    }
    return true;
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
