/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options/whose_words.h"

#include <stdlib.h>
#include <string.h>

#include "cli/options/options.h"

#define SECOND UINT64_C(1000000000)
#define SECONDS_MOST (UINT64_MAX / SECOND)

bool cli_whose_number(struct cli_numbers *numbers, const char *text)
{
    uint64_t value;

    if (!cli_number(text, &value) || value > UINT32_MAX)
        return false;
    uint64_t *const grown = realloc(numbers->list, (numbers->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    grown[numbers->count++] = value;
    numbers->list = grown;
    return true;
}

/* Seconds with up to nine digits behind the point; *end is behind them. */
static bool read_seconds(const char *text, const char **end, uint64_t *nanoseconds)
{
    uint64_t whole = 0, part = 0, weight = SECOND;

    if (*text == '.' && (text[1] < '0' || text[1] > '9'))
        return false;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (whole > SECONDS_MOST / 10)
            return false;
        whole = whole * 10 + (uint64_t)(*text - '0');
    }
    if (whole >= SECONDS_MOST)
        return false;
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++) {
            weight /= 10;
            part += weight * (uint64_t)(*text - '0');
        }
    *nanoseconds = whole * SECOND + part;
    *end = text;
    return true;
}

bool cli_whose_times(const char *text, uint64_t *from, uint64_t *to)
{
    const char *const comma = strchr(text, ',');
    const char *end;

    *from = 0;
    *to = UINT64_MAX;
    if (!comma || (text == comma && !comma[1]))
        return false;
    if (text != comma && (!read_seconds(text, &end, from) || end != comma || text == end))
        return false;
    if (comma[1] && (!read_seconds(comma + 1, &end, to) || *end || comma + 1 == end))
        return false;
    return *from <= *to && *to;
}
