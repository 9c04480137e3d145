/* SPDX-License-Identifier: BSD-2-Clause */
/* What `cairn run` tells the plugin, NAME=VALUE each. */
#include "machine/board/board.h"

#include <stdlib.h>
#include <string.h>

static bool take_number(const char *text, uint64_t *number)
{
    char *end;

    *number = strtoull(text, &end, 0);
    return end != text && *end == '\0';
}

static bool take_order(const char *word, struct cairn_board_settings *settings)
{
    static const char *const words[] = {
        [CAIRN_PE_EARLY] = "early", [CAIRN_PE_LATE] = "late", [CAIRN_PE_RANDOM] = "random"};

    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i]) == 0) {
            settings->order = (enum cairn_pe_order)i;
            settings->finds = true;
            return true;
        }
    return false;
}

static bool is(const char *argument, const char *name, const char **value)
{
    const size_t length = strlen(name);

    *value = argument + length + 1;
    return strncmp(argument, name, length) == 0 && argument[length] == '=';
}

static bool take(const char *argument, struct cairn_board_settings *settings)
{
    const char *value;

    if (is(argument, "order", &value))
        return take_order(value, settings);
    if (is(argument, "seed", &value))
        return take_number(value, &settings->seed);
    if (is(argument, "found", &value))
        return take_number(value, &settings->found);
    if (is(argument, "log", &value)) {
        settings->log = strdup(value);
        return settings->log != NULL;
    }
    if (is(argument, "names", &value)) {
        settings->names = strdup(value);
        return settings->names != NULL;
    }
    return false;
}

const char *cairn_board_set(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (!take(argv[i], &cairn_board.settings))
            return "the board's plugin does not know one of its arguments: it is of another version than cairn run";
    return NULL;
}
