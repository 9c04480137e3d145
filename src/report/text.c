/* SPDX-License-Identifier: BSD-2-Clause */
/* Listings for people: file offset, source offset, and what is there. */
#include <stdio.h>
#include <string.h>

#include "report/columns.h"
#include "report/data.h"
#include "report/event.h"
#include "report/report.h"

#define FIELDS_MAX 48
/* as wide as both offsets and what is behind them */
#define OFFSET_BLANK "                       "
#define BYTES_SHOWN 12 /* of a packet; the rest is "..." */
#define BYTES_WIDTH (BYTES_SHOWN * 3 + 3)
#define NAME_WIDTH 28
#define ADDRESS_DIGITS_A64 16
#define ADDRESS_DIGITS_A32 8
#define OPCODE_WIDTH 8
#define DATA_DIRECTION_WIDTH 8 /* the columns of a data transfer */
#define DATA_REGISTER_WIDTH 10
#define DATA_SIZE_WIDTH 2
#define DATA_VALUE_WIDTH 11
#define DATA_COLUMN 24

static void write_spaces(struct cairn_output *output, size_t count)
{
    while (count-- > 0)
        cairn_output_char(output, ' ');
}

/* Text in a column of `width`, at least one space behind it; 0: alone. */
static void write_padded(struct cairn_output *output, const char *text, size_t width)
{
    size_t length = strlen(text);

    cairn_output_text(output, text);
    if (width)
        write_spaces(output, length < width ? width - length : 1);
}

static void write_field(struct cairn_output *output, const struct cairn_field *field)
{
    cairn_output_char(output, ' ');
    cairn_output_text(output, field->name);
    switch (field->type) {
    case CAIRN_FIELD_DECIMAL:
        cairn_output_char(output, '=');
        cairn_output_decimal(output, field->value);
        return;
    case CAIRN_FIELD_HEX:
        cairn_output_text(output, "=0x");
        cairn_output_hex(output, field->value, 0);
        return;
    case CAIRN_FIELD_FLAG: cairn_output_text(output, field->value ? "=1" : "=0"); return;
    case CAIRN_FIELD_TEXT:
        cairn_output_char(output, '=');
        cairn_output_text(output, field->text ? field->text : "");
        return;
    case CAIRN_FIELD_UNKNOWN: cairn_output_text(output, "=UNKNOWN"); return;
    }
}

static void write_fields(struct cairn_output *output, const struct cairn_field *fields,
                         size_t count)
{
    for (size_t i = 0; i < count && i < FIELDS_MAX; i++)
        write_field(output, &fields[i]);
}

static void text_heading(struct cairn_listing *listing)
{
    struct cairn_output *output = listing->output;
    const struct cairn_source_info *source = listing->source;

    cairn_source_write(output, source, listing->buffer);
    cairn_output_line(output);
    listing->function = NULL;
}

static void text_note(struct cairn_listing *listing, const char *text)
{
    cairn_output_text(listing->output, "-- ");
    cairn_output_text(listing->output, text);
    cairn_output_line(listing->output);
}

static void write_packet_bytes(struct cairn_output *output, const struct cairn_origin *origin)
{
    size_t shown = origin->byte_count < BYTES_SHOWN ? origin->byte_count : BYTES_SHOWN;
    size_t width = shown ? shown * 3 - 1 : 0;

    cairn_output_bytes(output, origin->bytes, shown, ' ');
    if (shown < origin->length) {
        cairn_output_text(output, " ..");
        width += 3;
    }
    write_spaces(output, width < BYTES_WIDTH ? BYTES_WIDTH - width : 1);
}

static void text_packet(struct cairn_listing *listing, const struct cairn_packet_batch *batch,
                        size_t index, const struct cairn_origin *origin)
{
    struct cairn_output *output = listing->output;
    struct cairn_field fields[FIELDS_MAX];
    size_t count = cairn_packet_describe(listing->config, batch, index, fields, FIELDS_MAX);

    cairn_write_offsets(output, origin);
    write_packet_bytes(output, origin);
    write_padded(output, cairn_packet_name(listing->config, batch->kind[index]),
                 count || origin->byte_count < origin->length ? NAME_WIDTH : 0);
    if (origin->byte_count < origin->length || BYTES_SHOWN < origin->length)
        cairn_output_format(output, " length=%llu", (unsigned long long)origin->length);
    write_fields(output, fields, count);
    cairn_output_line(output);
}

static void text_element(struct cairn_listing *listing, const struct cairn_element_batch *batch,
                         size_t index, const struct cairn_origin *origin)
{
    struct cairn_output *output = listing->output;
    struct cairn_field fields[FIELDS_MAX];
    size_t count = cairn_element_describe(listing->config, batch, index, fields, FIELDS_MAX);
    unsigned flags = batch->flags[index];

    cairn_write_offsets(output, origin);
    write_padded(output, cairn_element_name(batch->kind[index]), count || flags ? NAME_WIDTH : 0);
    write_fields(output, fields, count);
    if (flags & CAIRN_ELEMENT_LOST)
        cairn_output_format(output, " (lost: %s)",
                            cairn_account_word(cairn_element_data_at(batch, index)->reason));
    cairn_output_line(output);
}

static void write_symbol(struct cairn_output *output, const char *symbol, uint64_t offset)
{
    cairn_output_text(output, symbol);
    if (offset) {
        cairn_output_text(output, "+0x");
        cairn_output_hex(output, offset, 0);
    }
}

static unsigned address_digits(unsigned isa)
{
    return isa == CAIRN_ISA_A64 ? ADDRESS_DIGITS_A64 : ADDRESS_DIGITS_A32;
}

/* What a range's flags say of how it was come to: it stands at the first instruction. */
static void write_start_flags(struct cairn_output *output, unsigned flags)
{
    if (flags & CAIRN_FLOW_INFERRED)
        cairn_output_text(output, "  (from the return stack)");
}

/* What they say of the range as a whole or of its end: it stands at the last instruction. */
static void write_end_flags(struct cairn_output *output, unsigned flags)
{
    if (flags & CAIRN_FLOW_TRANSACTION)
        cairn_output_text(output, "  (transaction)");
    if (flags & CAIRN_FLOW_IMPRECISE)
        cairn_output_text(output, "  (imprecise)");
}

static void text_range(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                       size_t index, const struct cairn_origin *origin)
{
    struct cairn_output *output = listing->output;
    unsigned digits = address_digits(batch->isa[index]);
    uint64_t offset;
    const char *symbol = cairn_code_symbol(listing->code, batch->address[index], &offset);

    /* Sources with data have one instruction a range. */
    listing->last_address = batch->address[index];
    cairn_write_offsets(output, origin);
    cairn_output_hex(output, batch->address[index], digits);
    cairn_output_text(output, "..");
    cairn_output_hex(output, batch->value[index], digits);
    cairn_output_format(output, " %s %5u instructions %c", cairn_isa_name(batch->isa[index]),
                        batch->instructions[index],
                        cairn_code_outcome(listing->code, batch, index));
    if (symbol) {
        cairn_output_text(output, "  ");
        write_symbol(output, symbol, offset);
    }
    write_start_flags(output, batch->flags[index]);
    write_end_flags(output, batch->flags[index]);
    cairn_output_line(output);
}

/* A line with the function's name where it is another one than on the line before. */
static void function_heading(struct cairn_listing *listing, const struct cairn_code_line *line)
{
    const char *symbol = line ? line->symbol : NULL;

    if (symbol == listing->function)
        return;
    listing->function = symbol;
    cairn_output_text(listing->output, OFFSET_BLANK);
    if (symbol)
        write_symbol(listing->output, symbol, line->symbol_offset);
    else
        cairn_output_text(listing->output, "(no symbol)");
    cairn_output_char(listing->output, ':');
    cairn_output_line(listing->output);
}

static void write_instruction(struct cairn_output *output, const struct cairn_code_line *line,
                              enum cairn_isa isa, uint64_t address, char flag)
{
    cairn_output_hex(output, address, address_digits(isa));
    cairn_output_char(output, ' ');
    cairn_output_char(output, flag);
    cairn_output_char(output, ' ');
    if (!line) {
        cairn_output_text(output, "????????  (no memory here)");
        return;
    }
    unsigned digits = 2u * line->size;
    cairn_output_hex(output, line->opcode, digits);
    write_spaces(output, OPCODE_WIDTH - digits + 2);
    cairn_output_text(output, line->text);
}

static void text_instructions(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                              size_t index, const struct cairn_origin *origin)
{
    struct cairn_output *output = listing->output;
    enum cairn_isa isa = batch->isa[index];
    uint64_t address = batch->address[index];
    uint32_t count = batch->instructions[index];
    char flag = cairn_code_outcome(listing->code, batch, index);

    for (uint32_t i = 0; i < count && cairn_output_wanted(output); i++) {
        const struct cairn_code_line *line = cairn_code_line(listing->code, isa, address);
        bool last = i + 1 == count;

        listing->last_address = address;
        function_heading(listing, line);
        if (i)
            cairn_output_text(output, OFFSET_BLANK);
        else
            cairn_write_offsets(output, origin);
        write_instruction(output, line, isa, address, last ? flag : ' ');
        if (i == 0)
            write_start_flags(output, batch->flags[index]);
        if (last)
            write_end_flags(output, batch->flags[index]);
        cairn_output_line(output);
        address += line ? line->size : cairn_code_size(listing->code, isa, address);
    }
}

/* An element of a line's columns, padded; "-" where it is not known. */
static void write_column(struct cairn_output *output, const char *text, size_t width)
{
    write_padded(output, text[0] ? text : "-", width);
}

static void write_data_flags(struct cairn_output *output, const struct cairn_data_line *line,
                             const struct cairn_flow_batch *batch, size_t index)
{
    const unsigned flags = batch->flags[index];
    const uint32_t form = batch->instructions[index];

    if (flags & CAIRN_FLOW_BY_CORE)
        cairn_output_text(output, "  (by the core)");
    if (line->kind != CAIRN_DATA_NORMAL)
        cairn_output_format(output, "  (%s)", cairn_data_word(form));
    if (CAIRN_FLOW_DATA_HAS_TAG(form))
        cairn_output_format(output, "  (tag %u)", CAIRN_FLOW_DATA_TAG(form));
    if (CAIRN_FLOW_DATA_IS_LATE(form) && !(flags & CAIRN_FLOW_UNKNOWN))
        cairn_output_format(output, "  (of 0x%08llx)", (unsigned long long)batch->address[index]);
    if (flags & CAIRN_FLOW_BIG_ENDIAN)
        cairn_output_text(output, "  (big-endian)");
}

/* As narrow as the column. */
static const char *direction_word(const char *direction)
{
    if (!direction)
        return "";
    if (strcmp(direction, "from-coprocessor") == 0)
        return "from-cp";
    return strcmp(direction, "to-coprocessor") == 0 ? "to-cp" : direction;
}

/* A line of its own for a transfer: the instruction, which way, what, where, how much. */
static void text_data(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                      size_t index, const struct cairn_origin *origin)
{
    struct cairn_output *output = listing->output;
    const struct cairn_code_line *code = NULL;
    struct cairn_data_line line;
    char text[DATA_COLUMN];

    cairn_data_line(listing, batch, index, &line);
    if (line.has_instruction)
        code = cairn_code_line(listing->code, line.isa, line.instruction);
    cairn_write_offsets(output, origin);
    text[0] = '\0';
    if (line.has_instruction)
        snprintf(text, sizeof text, "%08x", line.instruction);
    write_column(output, text, ADDRESS_DIGITS_A32 + 1);
    write_column(output, direction_word(line.direction), DATA_DIRECTION_WIDTH);
    snprintf(text, sizeof text, "%s%s", line.name, line.name[0] && !line.certain ? "?" : "");
    write_column(output, text, DATA_REGISTER_WIDTH);
    text[0] = '\0';
    if (line.has_address)
        snprintf(text, sizeof text, "0x%08x", (unsigned)line.address);
    write_column(output, text, DATA_VALUE_WIDTH);
    text[0] = '\0';
    if (line.size)
        snprintf(text, sizeof text, "%u", line.size);
    write_column(output, text, DATA_SIZE_WIDTH);
    text[0] = '\0';
    if (batch->flags[index] & CAIRN_FLOW_HAS_VALUE)
        snprintf(text, sizeof text, "0x%0*llx", (int)line.size * 2,
                 (unsigned long long)batch->value[index]);
    write_column(output, text, code ? DATA_VALUE_WIDTH : 0);
    if (code)
        cairn_output_text(output, code->text);
    if (code && code->symbol) {
        cairn_output_text(output, "  <");
        write_symbol(output, code->symbol, code->symbol_offset);
        cairn_output_char(output, '>');
    }
    write_data_flags(output, &line, batch, index);
    cairn_output_line(output);
}

/* What a data transfer was, under its instruction. */
static void write_data_event(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                             size_t index)
{
    struct cairn_data_line line;

    cairn_data_line(listing, batch, index, &line);
    cairn_data_phrase(listing->output, &line, batch, index, listing->last_address);
}

static void text_flow(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                      size_t index, const struct cairn_origin *origin)
{
    if (batch->kind[index] == CAIRN_FLOW_RANGE) {
        if (listing->detail == CAIRN_DETAIL_RANGES)
            text_range(listing, batch, index, origin);
        else
            text_instructions(listing, batch, index, origin);
        return;
    }
    if (listing->detail == CAIRN_DETAIL_DATA && batch->kind[index] == CAIRN_FLOW_DATA) {
        text_data(listing, batch, index, origin);
        return;
    }
    cairn_write_offsets(listing->output, origin);
    cairn_output_text(listing->output, "# ");
    if (batch->kind[index] == CAIRN_FLOW_DATA)
        write_data_event(listing, batch, index);
    else
        cairn_event_write(listing->output, listing->config, batch, index);
    cairn_output_line(listing->output);
}

const struct cairn_report cairn_report_text = {
    .name = "text",
    .heading = text_heading,
    .packet = text_packet,
    .element = text_element,
    .flow = text_flow,
    .note = text_note,
};
