/* SPDX-License-Identifier: BSD-2-Clause */
/* A page of sections for people: what does not fit a screen is counted, not shown. */
#ifndef CAIRN_CLI_SCREEN_PAGE_H
#define CAIRN_CLI_SCREEN_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/output.h"

#define CLI_PAGE_LINES 40
#define CLI_PAGE_COLUMNS 100
#define CLI_PAGE_SECTIONS 16
#define CLI_PAGE_CELLS 8

/* What stands or falls together: lines, ended by '\n' each. */
struct cli_item {
    char *text;
    size_t lines;
};

struct cli_section {
    char *title;
    struct cli_item *items;
    size_t count;
    size_t capacity;
    size_t shown;
};

struct cli_page {
    bool all;    /* everything is shown, however long and wide */
    bool failed; /* out of memory: something is missing */
    struct cli_section sections[CLI_PAGE_SECTIONS];
    size_t count;
};

/* A new section; the items that follow are in it. Empty ones are not printed, unless `title` alone
 * tells enough: then it ends with a full stop or a parenthesis. */
void cli_page_section(struct cli_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An item of a text of any length: wrapped between words, behind `indent` blanks from the second line
 * on; in at most `lines` lines, unless all is shown. */
void cli_page_text(struct cli_page *page, unsigned indent, size_t lines, const char *text);
void cli_page_format(struct cli_page *page, unsigned indent, size_t lines, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Prints and frees. False: it is not whole, for want of memory. */
bool cli_page_print(struct cli_page *page, struct cairn_output *output);

/* A table: a section whose title is the head of its columns. */
enum cli_align { CLI_LEFT = 0, CLI_RIGHT = 1 };

struct cli_table {
    size_t columns;
    enum cli_align align[CLI_PAGE_CELLS];
    char **cells; /* `columns` a row; the first row is the head */
    size_t count;
    size_t capacity;
    bool failed;
};

void cli_table_cell(struct cli_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds it to the page as a section, and frees it. A table that has only its head is left out. Where it
 * is too wide, the widest texts are cut. */
void cli_table_end(struct cli_table *table, struct cli_page *page);

#endif
