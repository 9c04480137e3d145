/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/kallsyms.h"

#include <string.h>

#define DIGITS_MOST 16

static int digit_of(char letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    if (letter >= 'a' && letter <= 'f')
        return letter - 'a' + 10;
    return -1;
}

static bool read_line(const char *line, size_t length, struct cairn_kallsym *symbol)
{
    size_t digits = 0;
    uint64_t address = 0;

    for (; digits < length && digits <= DIGITS_MOST && digit_of(line[digits]) >= 0; digits++)
        address = address << 4 | (uint64_t)digit_of(line[digits]);
    if (!digits || digits > DIGITS_MOST || length < digits + 4 || line[digits] != ' ' ||
        line[digits + 2] != ' ')
        return false;
    const char *const name = line + digits + 3;
    size_t end = 0;

    while (end < length - digits - 3 && (unsigned char)name[end] > ' ')
        end++;
    *symbol = (struct cairn_kallsym){
        .address = address, .type = line[digits + 1], .name = name, .length = end};
    return end > 0;
}

bool cairn_kallsyms_next(const char *text, size_t size, size_t *at, struct cairn_kallsym *symbol)
{
    while (*at < size) {
        const char *const line = text + *at;
        const char *const end = memchr(line, '\n', size - *at);
        const size_t length = end ? (size_t)(end - line) : size - *at;

        *at += length + (end != NULL);
        if (read_line(line, length, symbol))
            return true;
    }
    return false;
}

bool cairn_kallsym_is_code(const struct cairn_kallsym *symbol)
{
    return symbol->address && symbol->type && strchr("TtWw", symbol->type) &&
           symbol->name[0] != '$';
}

bool cairn_kallsyms_name_code(const char *text, size_t size)
{
    struct cairn_kallsym symbol;

    for (size_t at = 0; cairn_kallsyms_next(text, size, &at, &symbol);)
        if (cairn_kallsym_is_code(&symbol))
            return true;
    return false;
}

bool cairn_kallsyms_find(const char *text, size_t size, const char *name, uint64_t *address)
{
    const size_t length = strlen(name);
    struct cairn_kallsym symbol;

    for (size_t at = 0; cairn_kallsyms_next(text, size, &at, &symbol);)
        if (symbol.length == length && !memcmp(symbol.name, name, length) && symbol.address) {
            *address = symbol.address;
            return true;
        }
    return false;
}
