/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/ini.h"

#include <string.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define COMMENT ";#"

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static char *trim(char *text)
{
    while (is_space(*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && is_space(end[-1]))
        *--end = 0;
    return text;
}

/* Without the comment behind it and without the quotes around it. */
static char *clean_value(char *value)
{
    value = trim(value);
    char *quote = *value == '"' || *value == '\'' ? strchr(value + 1, *value) : NULL;
    if (quote) {
        const char *behind = quote + 1;
        while (is_space(*behind))
            behind++;
        if (*behind == 0 || strchr(COMMENT, *behind)) {
            *quote = 0;
            return trim(value + 1);
        }
    }
    for (char *at = value; (at = strpbrk(at, COMMENT)) != NULL; at++) {
        if (at == value || is_space(at[-1])) {
            *at = 0;
            break;
        }
    }
    return trim(value);
}

/* Sorts one line, already cut out, into *line. False: nothing on it. */
static bool read_line(char *text, struct cairn_ini_line *line)
{
    text = trim(text);
    line->key = "";
    line->value = "";
    if (*text == 0 || strchr(COMMENT, *text))
        return false;
    line->kind = CAIRN_INI_MALFORMED;
    if (*text == '[') {
        char *end = strchr(text, ']');
        if (end) {
            *end = 0;
            line->kind = CAIRN_INI_SECTION;
            line->section = trim(text + 1);
            return true;
        }
    }
    char *equals = strchr(text, '=');
    if (*text == '[' || !equals || equals == text) {
        line->value = text;
        return true;
    }
    *equals = 0;
    line->kind = CAIRN_INI_PAIR;
    line->key = trim(text);
    line->value = clean_value(equals + 1);
    return true;
}

int cairn_ini_read(char *text, size_t size, cairn_ini_handler *handler, void *context)
{
    struct cairn_ini_line line = {.section = ""};
    char *const end = text + size;
    if (size >= sizeof BYTE_ORDER_MARK - 1 &&
        !memcmp(text, BYTE_ORDER_MARK, sizeof BYTE_ORDER_MARK - 1))
        text += sizeof BYTE_ORDER_MARK - 1;
    while (text < end) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        char *next = newline ? newline + 1 : end;
        if (newline)
            *newline = 0;
        line.number++;
        if (read_line(text, &line)) {
            const int stop = handler(context, &line);
            if (stop)
                return stop;
        }
        text = next;
    }
    return 0;
}

char *cairn_ini_item(char **list)
{
    while (*list) {
        char *item = *list;
        char *comma = strchr(item, ',');
        *list = comma ? comma + 1 : NULL;
        if (comma)
            *comma = 0;
        item = trim(item);
        if (*item)
            return item;
    }
    return NULL;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

bool cairn_ini_number(const char *text, uint64_t *value)
{
    unsigned base = 10;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    }
    if (digit_of(*text) >= (int)base)
        return false;
    uint64_t sum = 0;
    for (; *text && !strchr(COMMENT, *text); text++) {
        const unsigned digit = (unsigned)digit_of(*text);
        uint64_t next;
        if (digit >= base || __builtin_mul_overflow(sum, base, &next) ||
            __builtin_add_overflow(next, digit, &sum))
            return false;
    }
    *value = sum;
    return true;
}
