/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/written.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/demangle.h"

#define REDUCED_MOST 4096 /* letters: longer names stay as they are */
#define CUT ".."
#define STRIPPED_SIZE 512 /* of a name while it is shortened */

/* Behind the bracket that belongs to the one at `at`. */
static const char *behind_bracket(const char *at)
{
    unsigned depth = 0;

    for (; *at; at++) {
        if (*at == '<' || *at == '(' || *at == '{' || *at == '[')
            depth++;
        else if ((*at == '>' && at[-1] != '-') || *at == ')' || *at == '}' || *at == ']')
            depth--;
        if (depth == 0)
            return at + 1;
    }
    return at;
}

/* The length of a default of the standard library's templates up to its bracket, if one begins here;
 * libc++ has them in a namespace of its own, std::__1. */
static size_t default_length(const char *text)
{
    static const char *const defaults[] = {"allocator<", "char_traits<",    "less<",
                                           "hash<",      "default_delete<", "equal_to<"};
    const char *at = text + 1 + (text[0] == ',' && text[1] == ' ');

    if (*text != ',' || strncmp(at, "std::", strlen("std::")) != 0)
        return 0;
    at += strlen("std::");
    if (strncmp(at, "__1::", strlen("__1::")) == 0)
        at += strlen("__1::");
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (strncmp(at, defaults[i], strlen(defaults[i])) == 0)
            return (size_t)(at - text) + strlen(defaults[i]) - 1;
    return 0;
}

static void replace(char *text, const char *part, const char *by)
{
    const size_t length = strlen(part), new_length = strlen(by);

    for (char *at = text; (at = strstr(at, part)); at += new_length) {
        memcpy(at, by, new_length);
        memmove(at + new_length, at + length, strlen(at + length) + 1);
    }
}

/* From the end on: what stands in front of one that goes away is then the last itself. */
void cairn_written_reduce(char *name)
{
    const size_t size = strlen(name);

    if (size > REDUCED_MOST)
        return;
    for (size_t i = size; i-- > 0;) {
        char *at = name + i;
        const size_t length = default_length(at);
        const char *end = length ? behind_bracket(at + length) : at;

        end += strspn(end, " ");
        if (!length || *end != '>')
            continue;
        if (i > 0 && at[-1] == '>') /* "> >", as the demangler has it */
            *at++ = ' ';
        memmove(at, end, strlen(end) + 1);
    }
    replace(name, "std::__cxx11::basic_string<char>", "std::string");
    replace(name, "std::__1::basic_string<char>", "std::string");
    replace(name, "std::basic_string<char>", "std::string");
    replace(name, "std::string >", "std::string>");
}

/* --- short names --- */

/* Whether the name goes on with an operator that is written with <, > or (). */
static size_t operator_length(const char *name)
{
    static const char *const operators[] = {
        "operator<=>", "operator<<=", "operator>>=", "operator<<", "operator>>", "operator<=",
        "operator>=",  "operator->*", "operator->",  "operator()", "operator<",  "operator>"};

    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strncmp(name, operators[i], strlen(operators[i])) == 0)
            return strlen(operators[i]);
    return 0;
}

static const char anonymous[] = "(anonymous namespace)";

/* "operator bool": the blank is part of the name. */
static bool ends_in_operator(const char *name, const char *at)
{
    static const char word[] = "operator ";
    const size_t length = sizeof word - 1;

    return (size_t)(at - name) >= length && strncmp(at - length, word, length) == 0;
}

/* "(&f<int>(int))(char)", "(C<int>::*f(int))[3]": the function inside of what it returns, a pointer or a
 * reference to a function or an array. NULL when it is none. */
static const char *inside_returned(const char *at)
{
    const char *found = NULL;

    for (at++; *at && *at != '(' && *at != ')' && !operator_length(at);) {
        if (*at == '*' || *at == '&')
            found = at + 1;
        at = *at == '<' ? behind_bracket(at) : at + 1;
    }
    return found;
}

/* Where the name begins behind a return type, which functions made of templates have. */
static const char *behind_type(const char *name)
{
    const char *start = name;

    for (const char *at = name; *at;) {
        const size_t operator= operator_length(at);
        if (operator)
            return start;
        if (strncmp(at, anonymous, sizeof anonymous - 1) == 0)
            at += sizeof anonymous - 1;
        else if (*at == '(') {
            const char *const inside = at == start ? inside_returned(at) : NULL;
            if (!inside)
                return start;
            at = start = inside;
        } else if (*at == '<' || *at == '{' || *at == '[')
            at = behind_bracket(at);
        else if (*at++ == ' ' && !ends_in_operator(name, at))
            start = at;
    }
    return start;
}

/* Without parameters, and with <..> for template arguments. */
static void strip(const char *name, char *text, size_t size)
{
    const char *at = behind_type(name);
    size_t used = 0;

    while (*at && used + 1 < size) {
        size_t taken = operator_length(at);
        const char *part = at;

        if (!taken && strncmp(at, anonymous, sizeof anonymous - 1) == 0) {
            part = "(anon)";
            taken = strlen(part);
            at += sizeof anonymous - 1;
        } else if (!taken && *at == '<' && at != name) {
            part = "<" CUT ">";
            taken = strlen(part);
            at = behind_bracket(at);
        } else if (!taken && *at == '(') { /* parameters; behind them, of what is inside of it */
            at = behind_bracket(at);
            if (strncmp(at, "::", 2) != 0 && strncmp(at, " const::", 8) != 0)
                break;
            at = strstr(at, "::");
            continue;
        } else if (!taken && *at == '{') { /* {lambda(int)#1} */
            taken = (size_t)(behind_bracket(at) - at);
            at += taken;
        } else if (!taken && *at == '[') { /* [clone .cold], [abi:cxx11] */
            at = behind_bracket(at);
            continue;
        } else {
            taken = taken ? taken : 1;
            at += taken;
        }
        for (size_t i = 0; i < taken && used + 1 < size; i++)
            text[used++] = part[i];
    }
    while (used && text[used - 1] == ' ')
        used--;
    text[used] = '\0';
}

/* What does not fit is cut in front, where the classes and namespaces are; or else at the end. */
void cairn_written_shorten(const char *name, char *text, size_t size)
{
    static const size_t cut = sizeof CUT - 1;
    char whole[STRIPPED_SIZE];
    const char *last = whole;

    strip(name, whole, sizeof whole);
    if (strlen(whole) < size) {
        memcpy(text, whole, strlen(whole) + 1);
        return;
    }
    for (const char *at = strstr(whole, "::"); at; at = strstr(last, "::")) {
        if (cut + strlen(at) < size) {
            snprintf(text, size, CUT "%s", at);
            return;
        }
        last = at + 2;
    }
    snprintf(text, size, "%.*s" CUT, (int)(size - 1 - cut), last);
}

/* --- symbols --- */

/* What a terminal would act on; a name from a file may have anything. */
static bool is_control(char letter)
{
    return (unsigned char)letter < (unsigned char)' ' || letter == 0x7f;
}

static bool has_control(const char *text)
{
    while (*text && !is_control(*text))
        text++;
    return *text != '\0';
}

char *cairn_written(const char *symbol)
{
    char *written = cairn_demangle(symbol);

    if (written)
        cairn_written_reduce(written);
    else if (has_control(symbol))
        written = strdup(symbol);
    for (char *at = written; at && *at; at++)
        if (is_control(*at))
            *at = '?';
    return written;
}
