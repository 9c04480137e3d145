/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/columns.h"

#include <stdio.h>
#include <string.h>

enum {
    FIELDS_MAX = 64,
    OFFSET_WIDTH = 10, /* "0x00000000"; larger ones are wider */
    /* at first */
    TIME_WIDTH = 14,
    TIME_STEP_WIDTH = 8,
    CYCLES_WIDTH = 9,
    CYCLES_STEP_WIDTH = 6,
    ADDRESS_DIGITS_A64 = 16,
    ADDRESS_DIGITS_A32 = 8,
    A64_SINCE = 8, /* version of the architecture */
    TEXT_SIZE = 40,
};

#define TEXT_COLUMN 34 /* of the instruction; src/report/people.c has the same */

static bool is_on(const struct cairn_field *field, const char *begin)
{
    return field->type == CAIRN_FIELD_FLAG && field->value &&
           strncmp(field->name, begin, strlen(begin)) == 0;
}

void cairn_columns_begin(struct cairn_columns *columns, const struct cairn_config *config,
                         enum cairn_detail detail)
{
    struct cairn_field fields[FIELDS_MAX];
    const struct cairn_arch *const arch = cairn_config_arch(config);
    size_t count = cairn_config_describe(config, fields, FIELDS_MAX);

    if (count > FIELDS_MAX)
        count = FIELDS_MAX;
    for (size_t i = 0; i < count; i++) {
        columns->time = columns->time || is_on(&fields[i], "timestamps");
        columns->cycles = columns->cycles || is_on(&fields[i], "cycle");
    }
    columns->time_width = TIME_WIDTH;
    columns->cycles_width = CYCLES_WIDTH;
    columns->time_step_width = TIME_STEP_WIDTH;
    columns->cycles_step_width = CYCLES_STEP_WIDTH;
    columns->detail = detail;
    columns->ahead = cairn_config_tells(config) & CAIRN_TELLS_CONDITIONS;
    columns->address_width = arch->profile == CAIRN_PROFILE_M || arch->major < A64_SINCE
                                 ? ADDRESS_DIGITS_A32
                                 : ADDRESS_DIGITS_A64;
}

/* Whether a number needs a wider column, which it has then. */
static bool widen(unsigned *width, uint64_t value)
{
    unsigned digits = 2; /* and one for a ~ */

    while (value >= 10) {
        value /= 10;
        digits++;
    }
    if (digits <= *width)
        return false;
    *width = digits;
    return true;
}

bool cairn_columns_timestamp(struct cairn_columns *columns, const struct cairn_flow_batch *batch,
                             size_t index, struct cairn_moment *moment)
{
    const bool new_column = !columns->time;
    const unsigned flags = batch->flags[index];

    columns->time = true;
    if (flags & CAIRN_FLOW_UNKNOWN) {
        moment->has |= CAIRN_MOMENT_TIME_UNKNOWN;
        return new_column;
    }
    moment->has &= ~(CAIRN_MOMENT_TIME_UNKNOWN | CAIRN_MOMENT_TIME_ABOUT);
    moment->has |= CAIRN_MOMENT_TIME;
    if (flags & CAIRN_FLOW_IMPRECISE)
        moment->has |= CAIRN_MOMENT_TIME_ABOUT;
    moment->time = batch->value[index];
    return widen(&columns->time_width, moment->time) || new_column;
}

bool cairn_columns_cycles(struct cairn_columns *columns, const struct cairn_flow_batch *batch,
                          size_t index, struct cairn_moment *moment)
{
    const bool new_column = !columns->cycles;

    columns->cycles = true;
    if (!(moment->has & CAIRN_MOMENT_CYCLES))
        moment->passed = 0;
    moment->has |= CAIRN_MOMENT_CYCLES;
    if (batch->flags[index] & CAIRN_FLOW_UNKNOWN)
        moment->has |= CAIRN_MOMENT_CYCLES_UNKNOWN;
    else
        moment->passed += batch->value[index];
    moment->cycles = batch->address[index];
    return widen(&columns->cycles_width, moment->cycles) || new_column;
}

static void write_right(struct cairn_output *output, const char *text, size_t width)
{
    const size_t length = strlen(text);

    for (size_t i = length; i < width; i++)
        cairn_output_char(output, ' ');
    cairn_output_text(output, text);
}

void cairn_write_offsets(struct cairn_output *output, const struct cairn_origin *origin)
{
    if (origin->file_offset == CAIRN_FILE_OFFSET_UNKNOWN) {
        cairn_output_text(output, "         -");
    } else {
        cairn_output_text(output, "0x");
        cairn_output_hex(output, origin->file_offset, OFFSET_WIDTH - 2);
    }
    cairn_output_text(output, " 0x");
    cairn_output_hex(output, origin->offset, OFFSET_WIDTH - 2);
    cairn_output_text(output, "  ");
}

static void write_spaces(struct cairn_output *output, size_t count)
{
    memset(cairn_output_room(output, count), ' ', count);
    output->used += count;
}

/* "+12", or "-3" where time went back; "" for the first one. */
static void time_step(const struct cairn_columns *columns, const struct cairn_moment *moment,
                      char text[TEXT_SIZE])
{
    text[0] = '\0';
    if (!(moment->has & CAIRN_MOMENT_TIME) || !columns->time_seen)
        return;
    if (moment->time >= columns->last_time)
        snprintf(text, TEXT_SIZE, "+%llu", (unsigned long long)(moment->time - columns->last_time));
    else
        snprintf(text, TEXT_SIZE, "-%llu", (unsigned long long)(columns->last_time - moment->time));
}

static void cycles_step(const struct cairn_columns *columns, const struct cairn_moment *moment,
                        char text[TEXT_SIZE])
{
    const bool goes_on = columns->cycles_seen && moment->cycles >= columns->last_cycles;
    const uint64_t passed = goes_on ? moment->cycles - columns->last_cycles : moment->passed;
    const bool unknown = moment->has & CAIRN_MOMENT_CYCLES_UNKNOWN;

    text[0] = '\0';
    if (!(moment->has & CAIRN_MOMENT_CYCLES))
        return;
    if (unknown && passed == 0)
        snprintf(text, TEXT_SIZE, "?");
    else
        snprintf(text, TEXT_SIZE, "+%llu%s", (unsigned long long)passed, unknown ? "?" : "");
}

static void write_time(struct cairn_columns *columns, struct cairn_output *output,
                       const struct cairn_moment *moment, const char *step)
{
    char text[TEXT_SIZE] = "";

    if (moment->has & CAIRN_MOMENT_TIME) {
        snprintf(text, sizeof text, "%s%llu", moment->has & CAIRN_MOMENT_TIME_ABOUT ? "~" : "",
                 (unsigned long long)moment->time);
        columns->time_seen = true;
        columns->last_time = moment->time;
    } else if (moment->has & CAIRN_MOMENT_TIME_UNKNOWN) {
        text[0] = '?';
        text[1] = '\0';
    }
    write_right(output, text, columns->time_width);
    write_right(output, step, columns->time_step_width + 1);
    cairn_output_char(output, ' ');
}

static void write_cycles(struct cairn_columns *columns, struct cairn_output *output,
                         const struct cairn_moment *moment, const char *step)
{
    char text[TEXT_SIZE] = "";

    if (moment->has & CAIRN_MOMENT_CYCLES) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)moment->cycles);
        columns->cycles_seen = true;
        columns->last_cycles = moment->cycles;
    }
    write_right(output, text, columns->cycles_width);
    write_right(output, step, columns->cycles_step_width + 1);
    cairn_output_char(output, ' ');
}

static bool fits(unsigned *width, const char *text)
{
    const size_t length = strlen(text);

    if (length <= *width)
        return true;
    *width = (unsigned)length;
    return false;
}

static void write_moment(struct cairn_columns *columns, struct cairn_output *output,
                         const struct cairn_moment *moment, const char *time, const char *cycles)
{
    cairn_output_text(output, columns->style->columns);
    if (columns->time)
        write_time(columns, output, moment, time);
    if (columns->cycles)
        write_cycles(columns, output, moment, cycles);
    cairn_output_text(output, columns->style->end);
}

static size_t moment_width(const struct cairn_columns *columns)
{
    return (columns->time ? columns->time_width + columns->time_step_width + 2u : 0u) +
           (columns->cycles ? columns->cycles_width + columns->cycles_step_width + 2u : 0u);
}

static const size_t offsets_width = 2 * OFFSET_WIDTH + 3;

void cairn_columns_write(struct cairn_columns *columns, struct cairn_output *output,
                         const struct cairn_origin *origin, const struct cairn_moment *moment)
{
    const bool told = moment && moment->has;
    char time[TEXT_SIZE], cycles[TEXT_SIZE];

    if (told) {
        time_step(columns, moment, time);
        cycles_step(columns, moment, cycles);
        const bool time_fits = fits(&columns->time_step_width, time);
        if (!fits(&columns->cycles_step_width, cycles) || !time_fits)
            cairn_columns_header(columns, output);
    }
    if (columns->offsets && origin)
        cairn_write_offsets(output, origin);
    else if (columns->offsets)
        write_spaces(output, offsets_width);
    if (told)
        write_moment(columns, output, moment, time, cycles);
    else
        write_spaces(output, moment_width(columns));
}

void cairn_columns_skip(const struct cairn_columns *columns, struct cairn_output *output)
{
    write_spaces(output, (columns->offsets ? offsets_width : 0) + moment_width(columns));
}

void cairn_columns_header(const struct cairn_columns *columns, struct cairn_output *output)
{
    cairn_output_text(output, columns->style->columns);
    if (columns->offsets)
        cairn_output_format(output, "%-*s %-*s  ", OFFSET_WIDTH, "in file", OFFSET_WIDTH,
                            "in source");
    if (columns->time)
        cairn_output_format(output, "%*s %*s ", (int)columns->time_width, "time",
                            (int)columns->time_step_width, "passed");
    if (columns->cycles)
        cairn_output_format(output, "%*s %*s ", (int)columns->cycles_width, "cycles",
                            (int)columns->cycles_step_width, "passed");
    if (columns->detail == CAIRN_DETAIL_RANGES)
        cairn_output_format(output, "%*s  %-*s  E/N  %12s  function", (int)columns->address_width,
                            "from", (int)columns->address_width, "to", "instructions");
    else
        cairn_output_format(output, "%*s E/N %-*s  function", (int)columns->address_width,
                            "address", TEXT_COLUMN, "instruction");
    cairn_output_text(output, columns->style->end);
    cairn_output_line(output);
}
