/* SPDX-License-Identifier: BSD-2-Clause */
/* How the listing for people looks: its options, the environment's wishes, colours. */
#ifndef CAIRN_CLI_SCREEN_LOOK_H
#define CAIRN_CLI_SCREEN_LOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "report/people.h"

enum cli_colour {
    CLI_COLOUR_AUTO = 0, /* on a terminal, unless NO_COLOR or TERM=dumb says otherwise */
    CLI_COLOUR_ALWAYS = 1,
    CLI_COLOUR_NEVER = 2,
};

/* What the options say. All zero is the default. */
struct cli_look {
    bool offsets;
    bool source_lines;
    bool no_pager;
    enum cli_colour colour;
    struct cairn_source_path *paths; /* owned, and `from` of each */
    size_t path_count;
};

/* Keys and texts of the options, for a command's table of its own. */
enum cli_look_key {
    CLI_LOOK_SOURCE_LINES = 2048,
    CLI_LOOK_SOURCE_PATH,
    CLI_LOOK_OFFSETS,
    CLI_LOOK_COLOUR,
    CLI_LOOK_NO_PAGER,
    CLI_LOOK_END,
};
#define CLI_LOOK_NO_PAGER_OPTION                                                                     \
    {                                                                                                \
        "no-pager", CLI_LOOK_NO_PAGER, NULL,                                                         \
            "Do not hand the listing to a pager. Default: on a terminal, CAIRN_PAGER, else PAGER,\n" \
            "else `less -FRX`, if there is one."                                                     \
    }
#define CLI_LOOK_OPTIONS                                                                           \
    {"source-lines", CLI_LOOK_SOURCE_LINES, NULL,                                                  \
     "In text: the source line between the instructions, where it changes, with the functions\n"   \
     "that were inlined. Needs debug information (-g) and, for the text of the line, the file."},  \
        {"source-path", CLI_LOOK_SOURCE_PATH, "FROM=TO",                                           \
         "Look for source files whose path begins with FROM below TO instead. May be given\n"      \
         "several times; the first that fits counts."},                                            \
        {"offsets", CLI_LOOK_OFFSETS, NULL,                                                        \
         "In text: the place of the deciding packet in the file and in the source's bytes, in\n"   \
         "front of each line, as --from, --to and `cairn packets` count them."},                   \
        {"color", CLI_LOOK_COLOUR, "[=WHEN]",                                                      \
         "Colours in text: auto (default: on a terminal, unless NO_COLOR is set), always (also\n"  \
         "if WHEN is left out) or never."},                                                        \
        CLI_LOOK_NO_PAGER_OPTION

/* Takes one of them; `command` is for messages. False after one. */
bool cli_look_take(struct cli_look *look, const char *command, int key, const char *argument);
void cli_look_free(struct cli_look *look);

/* What that means for a listing; `terminal`: people see it at once, be it through a pager. */
struct cairn_people_options cli_look_people(const struct cli_look *look, bool terminal);

#endif
