/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/screen/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUT "..."
#define NARROWEST 12 /* no column is cut below that */
#define GAP 2        /* between columns */
#define ITEMS_FIRST 16

/* vasprintf with an answer that is always defined. */
static char *text_of(const char *format, va_list arguments)
{
    char *text;

    return vasprintf(&text, format, arguments) < 0 ? NULL : text;
}

/* How many columns it takes: the bytes that begin a character. */
static size_t columns_of(const char *text, size_t bytes)
{
    size_t columns = 0;

    for (size_t i = 0; i < bytes; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

/* How many bytes the first `columns` characters take. */
static size_t bytes_of(const char *text, size_t columns)
{
    size_t at = 0;

    for (; text[at]; at++)
        if (((unsigned char)text[at] & 0xc0) != 0x80 && columns-- == 0)
            break;
    return at;
}

/* Names come from files: nothing in them may move the cursor. */
static void make_harmless(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

static struct cli_section *current(struct cli_page *page)
{
    return &page->sections[page->count - 1];
}

void cli_page_section(struct cli_page *page, const char *format, ...)
{
    va_list arguments;

    if (page->count == CLI_PAGE_SECTIONS) {
        page->failed = true;
        return;
    }
    va_start(arguments, format);
    page->sections[page->count] = (struct cli_section){.title = text_of(format, arguments)};
    va_end(arguments);
    page->failed |= !page->sections[page->count].title;
    page->count++;
    if (current(page)->title)
        make_harmless(current(page)->title);
}

/* Takes the text over. */
static void add_item(struct cli_page *page, char *text, size_t lines)
{
    struct cli_section *section = current(page);

    if (section->count == section->capacity) {
        size_t capacity = section->capacity ? section->capacity * 2 : ITEMS_FIRST;
        struct cli_item *items = realloc(section->items, capacity * sizeof *items);
        if (!items) {
            page->failed = true;
            free(text);
            return;
        }
        section->items = items;
        section->capacity = capacity;
    }
    section->items[section->count++] = (struct cli_item){.text = text, .lines = lines};
}

/* How many bytes of `text` go into a line of so many columns: up to a blank, if there is one. */
static size_t line_length(const char *text, size_t columns)
{
    size_t most = bytes_of(text, columns);

    if (!text[most])
        return most;
    for (size_t at = most; at > 0; at--)
        if (text[at] == ' ')
            return at;
    return most;
}

/* The last line that may be written, of a text that goes on. */
static int write_cut(char *to, size_t room, const char *text, size_t indent)
{
    const size_t columns = CLI_PAGE_COLUMNS - indent - (sizeof CUT - 1);

    return snprintf(to, room, "%*s%.*s%s\n", (int)indent, "", (int)bytes_of(text, columns), text,
                    CUT);
}

void cli_page_text(struct cli_page *page, unsigned indent, size_t lines, const char *text)
{
    const size_t room = (strlen(text) + 2) * (indent + sizeof CUT + 1); /* of lines of one letter */
    char *item = malloc(room), *copy = strdup(text);
    size_t used = 0, count = 0;

    if (!item || !copy) {
        page->failed = true;
        free(item);
        free(copy);
        return;
    }
    make_harmless(copy);
    for (const char *at = copy; count == 0 || *at; count++) {
        const size_t before = count ? indent : 0;
        const size_t length = page->all ? strlen(at) : line_length(at, CLI_PAGE_COLUMNS - before);
        if (!page->all && count + 1 == lines && at[length]) {
            used += (size_t)write_cut(item + used, room - used, at, before);
            count++;
            break;
        }
        used += (size_t)snprintf(item + used, room - used, "%*s%.*s\n", (int)before, "",
                                 (int)length, at);
        at += length;
        at += *at == ' ';
    }
    free(copy);
    add_item(page, item, count);
}

void cli_page_format(struct cli_page *page, unsigned indent, size_t lines, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *text = text_of(format, arguments);
    va_end(arguments);
    if (text)
        cli_page_text(page, indent, lines, text);
    page->failed |= !text;
    free(text);
}

/* Lines of a section with its first `shown` items. */
static size_t lines_of(const struct cli_section *section, size_t shown)
{
    size_t lines = section->title[0] != '\0';

    for (size_t i = 0; i < shown; i++)
        lines += section->items[i].lines;
    return lines + (shown < section->count);
}

static size_t page_lines(const struct cli_page *page)
{
    size_t lines = 0;

    for (size_t i = 0; i < page->count; i++)
        lines += lines_of(&page->sections[i], page->sections[i].shown);
    return lines;
}

/* The section shows an item more, if that fits: the last one in place of the line that counts it. */
static bool grow(struct cli_page *page, struct cli_section *section)
{
    if (section->shown == section->count)
        return false;
    section->shown++;
    if (page_lines(page) <= CLI_PAGE_LINES)
        return true;
    section->shown--;
    return false;
}

/* Each section has its first item; what is left of the screen goes round. */
static void choose(struct cli_page *page)
{
    bool more = true;

    for (size_t i = 0; i < page->count; i++) {
        struct cli_section *section = &page->sections[i];
        section->shown = page->all || !section->count ? section->count : 1;
    }
    while (more && !page->all) {
        more = false;
        for (size_t i = 0; i < page->count; i++)
            more |= grow(page, &page->sections[i]);
    }
}

static bool tells_alone(const char *title)
{
    const size_t length = strlen(title);

    return length && strchr(".)", title[length - 1]);
}

static void print_section(const struct cli_section *section, struct cairn_output *output)
{
    if (!section->count && !tells_alone(section->title))
        return;
    if (section->title[0]) {
        cairn_output_text(output, section->title);
        cairn_output_line(output);
    }
    for (size_t i = 0; i < section->shown; i++)
        cairn_output_text(output, section->items[i].text);
    if (section->shown == section->count)
        return;
    cairn_output_format(output, "  ... and %zu more (--all)", section->count - section->shown);
    cairn_output_line(output);
}

/* Sections that print nothing take no line. */
static void leave_out_empty(struct cli_page *page)
{
    size_t kept = 0;

    for (size_t i = 0; i < page->count; i++) {
        if (page->sections[i].count || tells_alone(page->sections[i].title))
            page->sections[kept++] = page->sections[i];
        else
            free(page->sections[i].title);
    }
    page->count = kept;
}

bool cli_page_print(struct cli_page *page, struct cairn_output *output)
{
    bool whole = !page->failed;

    if (whole) {
        leave_out_empty(page);
        choose(page);
    }
    for (size_t i = 0; i < page->count; i++) {
        struct cli_section *section = &page->sections[i];
        if (whole)
            print_section(section, output);
        for (size_t item = 0; item < section->count; item++)
            free(section->items[item].text);
        free(section->items);
        free(section->title);
    }
    page->count = 0;
    return whole;
}

void cli_table_cell(struct cli_table *table, const char *format, ...)
{
    va_list arguments;

    if (table->count == table->capacity) {
        size_t capacity = table->capacity ? table->capacity * 2 : ITEMS_FIRST * table->columns;
        char **cells = realloc(table->cells, capacity * sizeof *cells);
        if (!cells) {
            table->failed = true;
            return;
        }
        table->cells = cells;
        table->capacity = capacity;
    }
    va_start(arguments, format);
    char *text = text_of(format, arguments);
    va_end(arguments);
    if (text) {
        make_harmless(text);
        table->cells[table->count++] = text;
    }
    table->failed |= !text;
}

static size_t cell_columns(const struct cli_table *table, size_t cell)
{
    return columns_of(table->cells[cell], strlen(table->cells[cell]));
}

/* As wide as what is in them; together no wider than the page, unless all is shown. */
static void find_widths(const struct cli_table *table, bool all, size_t width[CLI_PAGE_CELLS])
{
    size_t total = GAP * (table->columns - 1);

    memset(width, 0, CLI_PAGE_CELLS * sizeof *width);
    for (size_t cell = 0; cell < table->count; cell++)
        if (cell_columns(table, cell) > width[cell % table->columns])
            width[cell % table->columns] = cell_columns(table, cell);
    for (size_t i = 0; i < table->columns; i++)
        total += width[i];
    while (!all && total > CLI_PAGE_COLUMNS) {
        size_t widest = 0;
        for (size_t i = 1; i < table->columns; i++)
            if (table->align[i] == CLI_LEFT && width[i] > width[widest])
                widest = i;
        if (width[widest] <= NARROWEST)
            return;
        width[widest]--;
        total--;
    }
}

/* The text in so many columns: of one that is too long the middle is left out, since paths differ at
 * their ends and names at their beginnings. */
static size_t write_fitted(char *to, size_t room, const char *text, size_t width)
{
    const size_t columns = columns_of(text, strlen(text));

    if (columns <= width)
        return (size_t)snprintf(to, room, "%s", text);
    const size_t kept = width - (sizeof CUT - 1), head = kept / 3;
    return (size_t)snprintf(to, room, "%.*s%s%s", (int)bytes_of(text, head), text, CUT,
                            text + bytes_of(text, columns - (kept - head)));
}

static char *row_text(const struct cli_table *table, size_t row, const size_t width[CLI_PAGE_CELLS])
{
    char *const *cells = table->cells + row * table->columns;
    size_t room = 2, used = 0;

    for (size_t i = 0; i < table->columns; i++)
        room += strlen(cells[i]) + width[i] + GAP + sizeof CUT;
    char *text = malloc(room);
    for (size_t i = 0; text && i < table->columns; i++) {
        const size_t columns = columns_of(cells[i], strlen(cells[i]));
        const size_t blank = columns < width[i] ? width[i] - columns : 0;
        if (i)
            used += (size_t)snprintf(text + used, room - used, "%*s", GAP, "");
        if (table->align[i] == CLI_RIGHT)
            used += (size_t)snprintf(text + used, room - used, "%*s", (int)blank, "");
        used += write_fitted(text + used, room - used, cells[i], width[i]);
        if (table->align[i] == CLI_LEFT)
            used += (size_t)snprintf(text + used, room - used, "%*s", (int)blank, "");
    }
    while (text && used && text[used - 1] == ' ')
        used--;
    if (text)
        text[used] = '\0';
    return text;
}

static void add_rows(const struct cli_table *table, struct cli_page *page)
{
    size_t width[CLI_PAGE_CELLS];

    find_widths(table, page->all, width);
    for (size_t row = 0; row < table->count / table->columns; row++) {
        char *text = row_text(table, row, width);
        if (!text) {
            page->failed = true;
            return;
        }
        if (!row) {
            cli_page_section(page, "%s", text);
            free(text);
            continue;
        }
        const size_t length = strlen(text);
        text[length] = '\n'; /* row_text leaves room */
        text[length + 1] = '\0';
        add_item(page, text, 1);
    }
}

void cli_table_end(struct cli_table *table, struct cli_page *page)
{
    page->failed |= table->failed;
    if (!table->failed && table->count > table->columns)
        add_rows(table, page);
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (struct cli_table){0};
}
