/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/shell.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Not ~, which means something in front, and no space, of course. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "0123456789_-./,:+@%=";

static bool is_plain(const char *word)
{
    return word[0] && word[strspn(word, plain)] == 0;
}

/* Within quotes everything is itself, but for the quote that ends them. */
static const char *quoted(const char *word, const char *ahead, char text[CAIRN_SHELL_ROOM])
{
    static const char quote[] = "'\\''";
    size_t used = 0;

    text[used++] = '\'';
    for (; *ahead; ahead++)
        text[used++] = *ahead;
    for (const char *at = word; *at; at++) {
        if (used + sizeof quote + 1 > CAIRN_SHELL_ROOM)
            return word;
        if (*at == '\'') {
            memcpy(text + used, quote, sizeof quote - 1);
            used += sizeof quote - 1;
        } else {
            text[used++] = *at;
        }
    }
    text[used++] = '\'';
    text[used] = 0;
    return text;
}

const char *cairn_shell_word(const char *word, char text[CAIRN_SHELL_ROOM])
{
    return is_plain(word) ? word : quoted(word, "", text);
}

const char *cairn_shell_file(const char *name, char text[CAIRN_SHELL_ROOM])
{
    /* "-" alone is standard input */
    if (name[0] != '-' || !name[1])
        return cairn_shell_word(name, text);
    if (!is_plain(name))
        return quoted(name, "./", text);
    const size_t length = strlen(name);
    if (length + sizeof "./" > CAIRN_SHELL_ROOM)
        return name;
    memcpy(text, "./", 2);
    memcpy(text + 2, name, length + 1);
    return text;
}
