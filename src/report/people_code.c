/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions, ranges and source lines of the listing for people. */
#include <stdio.h>
#include <string.h>

#include "report/people_state.h"

enum {
    SOURCE_TEXT_MAX = 120, /* letters of a source line */
    LINE_ROOM = CAIRN_CODE_SHOWN + 64,
};

/* Text that is put together in a buffer of its own. */
struct piece {
    char *text;
    size_t size, used;
};

static void put(struct piece *piece, const char *text, size_t length)
{
    const size_t room = piece->size - piece->used;
    const size_t taken = length < room ? length : room;

    memcpy(piece->text + piece->used, text, taken);
    piece->used += taken;
}

static void put_text(struct piece *piece, const char *text)
{
    put(piece, text, strlen(text));
}

static void put_symbol(struct piece *piece, struct cairn_naming *naming, const char *symbol,
                       uint64_t offset)
{
    char text[24];

    put_text(piece, cairn_naming_short(naming, symbol));
    if (!offset)
        return;
    snprintf(text, sizeof text, "+0x%llx", (unsigned long long)offset);
    put_text(piece, text);
}

static void put_address(struct piece *piece, uint64_t address, unsigned width)
{
    char text[24];
    const int length =
        snprintf(text, sizeof text, "%*llx", (int)width, (unsigned long long)address);

    put(piece, text, (size_t)length);
}

/* Everything of an instruction's line that is the same each time, but for the outcome. */
static size_t show(const struct cairn_people *people, struct cairn_code *code, uint64_t address,
                   const struct cairn_code_line *line, char *shown, size_t *flag_at)
{
    struct piece piece = {.text = shown, .size = CAIRN_CODE_SHOWN};
    struct cairn_naming *const naming = people->told.naming;
    uint64_t offset = 0;

    put_address(&piece, address, people->columns.address_width);
    put_text(&piece, "  ");
    *flag_at = piece.used;
    put_text(&piece, "  ");
    const size_t start = piece.used;
    if (!line) {
        put_text(&piece, "(no memory here)");
        return piece.used;
    }
    put(&piece, line->text, line->bare);
    const char *const symbol =
        line->has_target ? cairn_code_symbol(code, line->target, &offset) : NULL;
    if (symbol) {
        put_text(&piece, " <");
        put_symbol(&piece, naming, symbol, offset);
        put_text(&piece, ">");
    }
    if (!line->symbol)
        return piece.used;
    while (piece.used - start < CAIRN_PEOPLE_TEXT_COLUMN)
        put(&piece, " ", 1);
    put_text(&piece, "  ");
    put_text(&piece, people->columns.style->place);
    put_symbol(&piece, naming, line->symbol, line->symbol_offset);
    put_text(&piece, people->columns.style->end);
    return piece.used;
}

static void write_flag(const struct cairn_style *style, struct cairn_output *output, char flag)
{
    if (flag == ' ' || !style->end[0]) {
        cairn_output_char(output, flag);
        return;
    }
    cairn_output_text(output, flag == 'E' ? style->taken : style->not_taken);
    cairn_output_char(output, flag);
    cairn_output_text(output, style->end);
}

static void write_flags(struct cairn_output *output, unsigned flags)
{
    if (flags & CAIRN_FLOW_INFERRED)
        cairn_output_text(output, "  (from the return stack)");
    if (flags & CAIRN_FLOW_TRANSACTION)
        cairn_output_text(output, "  (transaction)");
    if (flags & CAIRN_FLOW_IMPRECISE)
        cairn_output_text(output, "  (imprecise)");
}

/* Nothing but the instruction, which is what most lines are. */
static void write_shown(const struct cairn_style *style, struct cairn_output *output,
                        const char *shown, size_t size, size_t flag_at, char flag)
{
    char *to = cairn_output_room(output, LINE_ROOM);

    if (flag != ' ' && style->end[0]) {
        cairn_output_data(output, shown, flag_at);
        write_flag(style, output, flag);
        cairn_output_data(output, shown + flag_at, size - flag_at);
        return;
    }
    memcpy(to, shown, flag_at);
    to[flag_at] = flag;
    memcpy(to + flag_at + 1, shown + flag_at, size - flag_at);
    output->used += size + 1;
}

void cairn_people_line(struct cairn_listing *listing, const struct cairn_people_line *line)
{
    struct cairn_people *const people = listing->people;
    struct cairn_output *const output = listing->output;

    cairn_columns_write(&people->columns, output, line->has_origin ? &line->origin : NULL,
                        &line->moment);
    write_shown(people->columns.style, output, line->shown, line->size, line->flag_at, line->flag);
    if (line->flags)
        write_flags(output, line->flags);
    cairn_output_line(output);
}

/* --- where the code is in the sources */

static bool same_place(const struct cairn_code_place *a, const struct cairn_code_place *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->frames[i].line != b->frames[i].line || a->frames[i].file != b->frames[i].file ||
            a->frames[i].function != b->frames[i].function)
            return false;
    return true;
}

/* As it was given to the compiler: what the folder of the compilation is says nothing new. */
static void write_file(struct cairn_output *output, const struct cairn_frame *frame)
{
    if (!frame->file) {
        cairn_output_text(output, "?");
        return;
    }
    const char *const below = cairn_frame_below(frame);
    cairn_output_harmless(output, below ? below : frame->file);
    cairn_output_format(output, ":%u", frame->line);
}

/* Without what is in front of it. */
static void write_source_text(struct cairn_output *output, struct cairn_source_line line)
{
    while (line.length && (line.text[0] == ' ' || line.text[0] == '\t')) {
        line.text++;
        line.length--;
    }
    cairn_source_line_write(output, &line, SOURCE_TEXT_MAX);
}

static const char *function_of(const struct cairn_people *people, const struct cairn_frame *frame)
{
    return frame->function ? cairn_naming_short(people->told.naming, frame->function) : "?";
}

/* "[inner, inlined by middle at f.c:7, by outer at f.c:9]". The outermost one has a symbol, which may
 * say more than debug information does. */
static void write_inlined(struct cairn_listing *listing, const struct cairn_code_place *place)
{
    struct cairn_people *const people = listing->people;
    struct cairn_output *const output = listing->output;

    if (place->count < 2)
        return;
    cairn_output_format(output, "  [%s, inlined", function_of(people, &place->frames[0]));
    for (size_t i = 1; i < place->count; i++) {
        struct cairn_frame frame = place->frames[i];
        if (i + 1 == place->count && listing->function)
            frame.function = listing->function;
        const char *const file = frame.file ? strrchr(frame.file, '/') : NULL;
        cairn_output_format(output, "%s by %s at %s:%u", i > 1 ? "," : "",
                            function_of(people, &frame),
                            file         ? file + 1
                            : frame.file ? frame.file
                                         : "?",
                            frame.line);
    }
    cairn_output_char(output, ']');
}

void cairn_people_source(struct cairn_listing *listing, uint64_t address)
{
    struct cairn_people *const people = listing->people;
    struct cairn_output *const output = listing->output;
    const struct cairn_style *const style = people->columns.style;
    const struct cairn_code_place *const place = cairn_code_place(listing->code, address);

    if (same_place(place, &people->place))
        return;
    people->place.count = place->count;
    memcpy(people->place.frames, place->frames, place->count * sizeof *place->frames);
    if (!place->count || !place->frames[0].file)
        return;
    cairn_columns_skip(&people->columns, output);
    cairn_output_text(output, "    ");
    cairn_output_text(output, style->source);
    write_file(output, &place->frames[0]);
    const struct cairn_source_line line = cairn_sources_line(
        people->sources, place->frames[0].file, place->frames[0].line, &place->changed);
    if (line.state == CAIRN_SOURCE_FOUND) {
        cairn_output_text(output, "  ");
        write_source_text(output, line);
    } else if (line.state == CAIRN_SOURCE_NEWER) {
        cairn_output_text(output, "  (the file is newer than the program)");
    }
    write_inlined(listing, place);
    cairn_output_text(output, style->end);
    cairn_output_line(output);
}

/* --- instructions */

static bool same_text(const char *a, const char *b)
{
    return a == b || (b && strcmp(a, b) == 0);
}

/* A line with the function's name where it is another one than on the line before. */
static void function_heading(struct cairn_listing *listing, const struct cairn_code_line *line)
{
    struct cairn_people *const people = listing->people;
    struct cairn_output *const output = listing->output;
    const char *const symbol = line ? line->symbol : NULL;
    const char *const object = line ? line->object : NULL;

    if (symbol == listing->function && (symbol || !object || same_text(object, people->object)) &&
        (people->headed || (!symbol && !object)))
        return;
    listing->function = symbol;
    people->object = object;
    people->headed = true;
    people->place.count = 0;
    cairn_columns_skip(&people->columns, output);
    cairn_output_text(output, people->columns.style->function);
    if (symbol) {
        cairn_output_text(output, cairn_naming_whole(people->told.naming, symbol));
        if (line->symbol_offset) {
            cairn_output_text(output, "+0x");
            cairn_output_hex(output, line->symbol_offset, 0);
        }
    } else if (object) {
        const char *const slash = strrchr(object, '/');
        cairn_output_text(output, "(no symbol, ");
        cairn_output_harmless(output, slash ? slash + 1 : object);
        cairn_output_char(output, ')');
    } else {
        cairn_output_text(output, "(no symbol)");
    }
    cairn_output_char(output, ':');
    cairn_output_text(output, people->columns.style->end);
    cairn_output_line(output);
}

/* What is printed of the line, made anew only where it is not remembered. */
static const char *shown_of(struct cairn_listing *listing, uint64_t address,
                            struct cairn_code_line *line, char *spare, size_t *size,
                            size_t *flag_at)
{
    if (!line) {
        *size = show(listing->people, listing->code, address, NULL, spare, flag_at);
        return spare;
    }
    if (!line->shown_size) {
        *size = show(listing->people, listing->code, address, line, line->shown, flag_at);
        line->shown_size = (uint16_t)*size;
        line->shown_flag = (uint16_t)*flag_at;
    }
    *size = line->shown_size;
    *flag_at = line->shown_flag;
    return line->shown;
}

/* The last one of a range waits: what comes next may be a count that belongs to it. */
static void hold(struct cairn_people *people, const char *shown, size_t size, size_t flag_at,
                 char flag, unsigned flags, const struct cairn_origin *origin)
{
    struct cairn_people_line *const held = &people->held;

    memcpy(held->shown, shown, size);
    held->size = size;
    held->flag_at = flag_at;
    held->flag = flag;
    held->flags = flags;
    held->has_origin = origin != NULL;
    if (origin)
        held->origin = *origin;
    held->moment = people->ahead;
    people->ahead.has = 0;
    people->holds = true;
}

void cairn_people_instructions(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                               size_t index, const struct cairn_origin *origin)
{
    struct cairn_people *const people = listing->people;
    struct cairn_output *const output = listing->output;
    const enum cairn_isa isa = batch->isa[index];
    const uint32_t count = batch->instructions[index];
    const unsigned flags = batch->flags[index];
    const char outcome = cairn_code_outcome(listing->code, batch, index);
    uint64_t address = batch->address[index];
    char spare[CAIRN_CODE_SHOWN];
    size_t size, flag_at;

    for (uint32_t i = 0; i < count && cairn_output_wanted(output); i++) {
        struct cairn_code_line *const line = cairn_code_line(listing->code, isa, address);
        const unsigned start = i ? 0 : flags & CAIRN_FLOW_INFERRED;

        function_heading(listing, line);
        if (people->options.source_lines)
            cairn_people_source(listing, address);
        const char *const shown = shown_of(listing, address, line, spare, &size, &flag_at);
        if (i + 1 == count) {
            hold(people, shown, size, flag_at, outcome,
                 start | (flags & (CAIRN_FLOW_TRANSACTION | CAIRN_FLOW_IMPRECISE)),
                 i ? NULL : origin);
            people->told.last = (struct cairn_told_last){true, isa, address, outcome};
            listing->last_address = address;
            return;
        }
        cairn_columns_write(&people->columns, output, i ? NULL : origin, &people->ahead);
        people->ahead.has = 0;
        write_shown(people->columns.style, output, shown, size, flag_at, ' ');
        if (start)
            write_flags(output, start);
        cairn_output_line(output);
        address += line ? line->size : cairn_code_size(listing->code, isa, address);
    }
}

void cairn_people_range(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                        size_t index, const struct cairn_origin *origin)
{
    struct cairn_people *const people = listing->people;
    const char outcome = cairn_code_outcome(listing->code, batch, index);
    char shown[CAIRN_CODE_SHOWN], text[32];
    struct piece piece = {.text = shown, .size = sizeof shown};
    const unsigned width = people->columns.address_width;
    uint64_t offset = 0;
    const char *const symbol = cairn_code_symbol(listing->code, batch->address[index], &offset);

    put_address(&piece, batch->address[index], width);
    put_text(&piece, "  ");
    snprintf(text, sizeof text, "%-*llx", (int)width, (unsigned long long)batch->value[index]);
    put_text(&piece, text);
    put_text(&piece, "   ");
    const size_t flag_at = piece.used;
    snprintf(text, sizeof text, "   %12u", batch->instructions[index]);
    put_text(&piece, text);
    if (symbol) {
        put_text(&piece, "  ");
        put_text(&piece, people->columns.style->place);
        put_symbol(&piece, people->told.naming, symbol, offset);
        put_text(&piece, people->columns.style->end);
    }
    hold(people, shown, piece.used, flag_at, outcome,
         batch->flags[index] &
             (CAIRN_FLOW_INFERRED | CAIRN_FLOW_TRANSACTION | CAIRN_FLOW_IMPRECISE),
         origin);
    /* Where its last instruction is would have to be looked for. */
    people->told.last = (struct cairn_told_last){batch->instructions[index] == 1, batch->isa[index],
                                                 batch->address[index], outcome};
    listing->last_address = batch->address[index];
}
