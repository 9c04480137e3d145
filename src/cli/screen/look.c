/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/screen/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wrong(const char *command, const char *option, const char *argument,
                  const char *expected)
{
    fprintf(stderr, "cairn %s: --%s %s: expected %s. See `cairn %s --help`.\n", command, option,
            argument, expected, command);
    return false;
}

static bool add_path(struct cli_look *look, const char *command, const char *argument)
{
    const char *const equals = strchr(argument, '=');

    if (!equals || equals == argument)
        return wrong(command, "source-path", argument, "FROM=TO, such as /build=/home/me");
    struct cairn_source_path *const grown =
        realloc(look->paths, (look->path_count + 1) * sizeof *grown);
    if (grown)
        look->paths = grown;
    char *const from = strndup(argument, (size_t)(equals - argument));
    if (!grown || !from) {
        free(from);
        return wrong(command, "source-path", argument, "more memory");
    }
    look->paths[look->path_count++] = (struct cairn_source_path){.from = from, .to = equals + 1};
    return true;
}

static bool set_colour(struct cli_look *look, const char *command, const char *argument)
{
    if (!argument || !strcmp(argument, "always"))
        look->colour = CLI_COLOUR_ALWAYS;
    else if (!strcmp(argument, "never"))
        look->colour = CLI_COLOUR_NEVER;
    else if (!strcmp(argument, "auto"))
        look->colour = CLI_COLOUR_AUTO;
    else
        return wrong(command, "color", argument, "auto, always or never");
    return true;
}

bool cli_look_take(struct cli_look *look, const char *command, int key, const char *argument)
{
    switch (key) {
    case CLI_LOOK_SOURCE_LINES: look->source_lines = true; break;
    case CLI_LOOK_SOURCE_PATH: return add_path(look, command, argument);
    case CLI_LOOK_OFFSETS: look->offsets = true; break;
    case CLI_LOOK_COLOUR: return set_colour(look, command, argument);
    case CLI_LOOK_NO_PAGER: look->no_pager = true; break;
    }
    return true;
}

void cli_look_free(struct cli_look *look)
{
    for (size_t i = 0; i < look->path_count; i++)
        free((char *)(uintptr_t)look->paths[i].from);
    free(look->paths);
}

/* https://no-color.org: set, and not to nothing. */
static bool wants_colours(void)
{
    const char *const no = getenv("NO_COLOR");
    const char *const terminal = getenv("TERM");

    return !(no && no[0]) && terminal && strcmp(terminal, "dumb") != 0;
}

struct cairn_people_options cli_look_people(const struct cli_look *look, bool terminal)
{
    const bool colours = look->colour == CLI_COLOUR_ALWAYS ||
                         (look->colour == CLI_COLOUR_AUTO && terminal && wants_colours());

    return (struct cairn_people_options){
        .style = colours ? cairn_style_colours() : cairn_style_plain(),
        .offsets = look->offsets,
        .source_lines = look->source_lines,
        .paths = look->paths,
        .path_count = look->path_count,
    };
}
