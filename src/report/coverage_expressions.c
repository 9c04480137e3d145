/* SPDX-License-Identifier: BSD-2-Clause */
/* Which lines are of one expression, and how many && and || it has: as C, C++ and their like are written. An
 * expression goes on where a parenthesis is open, or an operator stands at the line's end or the next one's
 * beginning. */
#include "report/coverage.h"

#include <string.h>

enum {
    BRACES_MOST = 64,  /* inside of each other; deeper ones are taken for one */
    LINES_MOST = 256,  /* of an expression; then a parenthesis was misread */
    LITERAL_MOST = 16, /* letters of '\U0010ffff' and the like */
};

/* Between two lines. */
struct expression_state {
    bool in_comment, in_directive;
    bool goes_on;                  /* an operator was last */
    unsigned parens;               /* open since the last brace */
    unsigned outside[BRACES_MOST]; /* and those around each brace */
    unsigned braces;
};

/* What a line has. */
struct expression_line {
    uint32_t operators;
    bool begins; /* with an operator */
    bool has_code;
};

static bool is_word(char letter)
{
    return letter == '_' || (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z');
}

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r';
}

/* The letter, or a blank where the text ends. */
static char letter_at(const char *text, size_t length, size_t at)
{
    return at < length ? text[at] : ' ';
}

/* Behind a literal that begins at `at`. A single ' may be another language's, or part of a number. */
static size_t literal_end(const char *text, size_t length, size_t at)
{
    const char quote = text[at];
    const char before = at ? text[at - 1] : ' ';
    size_t end = at + 1;

    if (quote == '\'' && is_word(before) && before != 'L' && before != 'u' && before != 'U')
        return end;
    while (end < length && text[end] != quote)
        end += text[end] == '\\' ? 2 : 1;
    if (quote == '\'' && (end >= length || end - at > LITERAL_MOST))
        return at + 1;
    return end < length ? end + 1 : length;
}

/* Not one of "T &&x", "T&& x", "&&label" and "<T&&>", which are no operators. */
static bool is_and(const char *text, size_t length, size_t at)
{
    const char before = at ? text[at - 1] : ' ', behind = letter_at(text, length, at + 2);

    if (at + 2 >= length && (is_word(before) || before == ')' || before == ']'))
        return true; /* at the end of a line */
    if (is_blank(before) || is_blank(behind))
        return is_blank(before) && is_blank(behind);
    return (is_word(before) || before == ')' || before == ']') && !strchr(">,)=", behind);
}

static bool is_operator(const char *text, size_t length, size_t at)
{
    return at + 1 < length && text[at] == text[at + 1] &&
           (text[at] == '|' || (text[at] == '&' && is_and(text, length, at)));
}

static void take_brace(struct expression_state *state, char letter)
{
    if (letter == '{') {
        if (state->braces < BRACES_MOST)
            state->outside[state->braces] = state->parens;
        state->braces++;
        state->parens = 0;
    } else if (state->braces) {
        state->braces--;
        state->parens = state->braces < BRACES_MOST ? state->outside[state->braces] : 0;
    }
}

static void take_letter(struct expression_state *state, char letter)
{
    switch (letter) {
    case '(': state->parens++; break;
    case ')': state->parens -= state->parens != 0; break;
    case '{':
    case '}': take_brace(state, letter); break;
    default: break;
    }
}

static size_t comment_end(struct expression_state *state, const char *text, size_t length,
                          size_t at)
{
    for (; at + 1 < length; at++)
        if (text[at] == '*' && text[at + 1] == '/') {
            state->in_comment = false;
            return at + 2;
        }
    return length;
}

static bool is_directive(struct expression_state *state, const char *text, size_t length)
{
    size_t at = 0;

    while (at < length && is_blank(text[at]))
        at++;
    const bool is = state->in_directive || letter_at(text, length, at) == '#';
    while (length && is_blank(text[length - 1]))
        length--;
    state->in_directive = is && length && text[length - 1] == '\\';
    return is;
}

static struct expression_line read_expression(struct expression_state *state, const char *text,
                                              size_t length)
{
    struct expression_line line = {.operators = 0};

    if (!state->in_comment && is_directive(state, text, length))
        return line;
    for (size_t at = 0; at < length;) {
        const char next = letter_at(text, length, at + 1);

        if (state->in_comment) {
            at = comment_end(state, text, length, at);
            continue;
        }
        if (text[at] == '/' && next == '/')
            break;
        if (text[at] == '/' && next == '*') {
            state->in_comment = true;
            at += 2;
            continue;
        }
        if (is_blank(text[at])) {
            at++;
            continue;
        }
        const bool is = is_operator(text, length, at);
        line.begins |= is && !line.has_code;
        line.has_code = true;
        line.operators += is;
        state->goes_on = is;
        take_letter(state, text[at]);
        at = is                                    ? at + 2
             : text[at] == '"' || text[at] == '\'' ? literal_end(text, length, at)
                                                   : at + 1;
    }
    return line;
}

/* --- of a file --- */

/* The expression that is read. */
struct expression {
    uint32_t first; /* its first line that has code; NONE: none yet */
    uint32_t operators;
    uint32_t lines;
};

static void end_expression(struct cairn_coverage *coverage, struct expression *expression)
{
    if (expression->first != CAIRN_COVERAGE_NONE)
        coverage->lines[expression->first].operators = expression->operators;
    *expression = (struct expression){.first = CAIRN_COVERAGE_NONE};
}

static void read_file_expressions(struct cairn_coverage *coverage,
                                  const struct cairn_coverage_file *file)
{
    struct expression_state state = {.in_comment = false};
    struct expression expression = {.first = CAIRN_COVERAGE_NONE};
    const size_t end = file->first_line + file->line_count;
    size_t next = file->first_line;

    for (uint32_t number = 1; next < end; number++) {
        const struct cairn_source_line text =
            cairn_sources_line(coverage->texts, file->path, number, &file->changed);
        const bool is_open = state.parens || state.goes_on;

        if (text.state != CAIRN_SOURCE_FOUND)
            break;
        const struct expression_line line = read_expression(&state, text.text, text.length);
        /* comments, directives and nothing may stand in front of an operator */
        if (!is_open && !line.begins && line.has_code)
            end_expression(coverage, &expression);
        if (++expression.lines == LINES_MOST)
            state.parens = state.goes_on = 0;
        expression.operators += line.operators;
        if (coverage->lines[next].number != number)
            continue;
        if (expression.first == CAIRN_COVERAGE_NONE)
            expression.first = (uint32_t)next;
        coverage->lines[next].first = expression.first;
        coverage->lines[next].has_text = true;
        next++;
    }
    end_expression(coverage, &expression);
}

void cairn_coverage_expressions(struct cairn_coverage *coverage)
{
    for (size_t i = 0; i < coverage->line_count; i++)
        coverage->lines[i].first = (uint32_t)i;
    for (size_t i = 0; i < coverage->file_count && coverage->texts; i++)
        read_file_expressions(coverage, &coverage->files[i]);
}
