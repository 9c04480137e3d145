/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and words of the command line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "cli/options/options.h"

bool cli_number(const char *text, uint64_t *value)
{
    char *end;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, hex ? 16 : 10);
    return !errno && !*end && !(hex && !text[2]);
}

bool cli_offset(const char *text, uint64_t *offset, bool *from_the_end)
{
    *from_the_end = text[0] == '-';
    return cli_number(text + *from_the_end, offset);
}

bool cli_size(const char *text, uint64_t *value)
{
    static const char units[] = "KMG";
    char number[CAIRN_LETTERS_MAX + 1];
    size_t length = strlen(text);
    unsigned shift = 0;

    if (!length || length > CAIRN_LETTERS_MAX)
        return false;
    const char *unit = strchr(units, text[length - 1] & ~0x20); /* in either case */
    if (unit && *unit) {
        shift = 10 * (unsigned)(unit - units + 1);
        length--;
    }
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    if (!cli_number(number, value) || *value > UINT64_MAX >> shift)
        return false;
    *value <<= shift;
    return true;
}

bool cli_option_number(const char *command, const char *option, const char *argument,
                       uint64_t least, uint64_t most, uint64_t *value)
{
    if (cli_number(argument, value) && *value >= least && *value <= most)
        return true;
    fprintf(stderr, "cairn %s: --%s %s: expected a number from %llu to %llu.\n", command, option,
            argument, (unsigned long long)least, (unsigned long long)most);
    return false;
}

bool cli_option_word(const char *command, const char *option, const char *argument,
                     const char *const *words, int *value)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(argument, words[i])) {
            *value = i;
            return true;
        }
    const char *near = cli_nearest(argument, words);
    fprintf(stderr, "cairn %s: --%s %s: expected", command, option, argument);
    for (int i = 0; words[i]; i++)
        fprintf(stderr, "%s %s", i == 0 ? "" : words[i + 1] ? "," : " or", words[i]);
    if (near)
        fprintf(stderr, ". Did you mean %s?\n", near);
    else
        fprintf(stderr, ". See `cairn %s --help`.\n", command);
    return false;
}

bool cli_option_format(struct cli_options *options, const char *command, const char *argument,
                       const char *const *words, int *format)
{
    if (!cli_option_word(command, "format", argument, words, format))
        return false;
    options->format = strcmp(argument, "json") ? CLI_FORMAT_TEXT : CLI_FORMAT_JSON;
    return true;
}
