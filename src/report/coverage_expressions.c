/* SPDX-License-Identifier: BSD-2-Clause */
/* Which lines are of one expression, and how many && and || it has: as C, C++ and their like are written, `and` and `or`
 * too. An expression goes on where a parenthesis is open, or an operator stands at the line's end or the next one's
 * beginning. What stands in braces inside of parentheses, as the body of a lambda does, is not of it, and behind them it
 * goes on. Which arm of an #if was compiled is not known: each begins as the first one does. */
#include "report/coverage.h"

#include <string.h>

enum {
    BRACES_MOST = 64,  /* inside of each other; deeper ones are taken for one */
    LINES_MOST = 256,  /* of an expression; then a parenthesis was misread */
    LITERAL_MOST = 16, /* letters of '\U0010ffff' and the like */
    ARMS_MOST = 16,    /* #if inside of each other; in deeper ones the arms follow one another */
};

/* Between two lines. */
struct expression_state {
    bool in_comment, in_directive;
    bool goes_on;                  /* an operator was last */
    unsigned parens;               /* open since the last brace */
    unsigned outside[BRACES_MOST]; /* and those around each brace */
    unsigned braces;
    uint64_t statements; /* a bit for each of these: it has statements of an expression, "({" */
    unsigned inside;     /* braces that are in parentheses */
    unsigned lowest;     /* of those, in the line */
    bool has_operand;    /* what could be the left side of an operator was last */
    bool is_behind_open; /* a parenthesis was opened last */
};
_Static_assert(BRACES_MOST <= 64, "bits of statements");

/* What there was in front of each #if that is open. */
struct expression_arms {
    struct expression_state list[ARMS_MOST];
    unsigned depth;
};

/* What a line has. */
struct expression_line {
    uint32_t operators;
    unsigned
        statements; /* the most `inside` that a statement of an expression ends at; 0: none does */
    bool begins;    /* with an operator */
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

/* --- words --- */

static size_t word_end(const char *text, size_t length, size_t at)
{
    while (at < length && is_word(text[at]))
        at++;
    return at;
}

static bool is_text(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

/* Behind these no operator can stand. */
static bool is_keyword(const char *text, size_t size)
{
    static const char *const words[] = {"return",   "case",  "else",  "goto", "struct", "union",
                                        "enum",     "class", "throw", "do",   "sizeof", "co_return",
                                        "not",      "and",   "or",    "xor",  "bitor",  "bitand",
                                        "co_yield", "new",   "delete"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_text(text, size, words[i]))
            return true;
    return false;
}

/* Of a C program `and` may be a name: it is an operator where it stands between what can be its sides, of which one may be
 * in another line. */
static bool is_operator_word(const struct expression_state *state, const char *text, size_t length,
                             size_t at, size_t end, bool is_first)
{
    size_t behind = end;

    if (!is_text(text + at, end - at, "and") && !is_text(text + at, end - at, "or"))
        return false;
    while (behind < length && is_blank(text[behind]))
        behind++;
    const char next = letter_at(text, length, behind);
    const bool has_right = behind >= length || is_word(next) || strchr("(!~-+*&\"'{[", next) ||
                           (next == '/' && strchr("/*", letter_at(text, length, behind + 1)));
    return has_right && (is_first || state->has_operand);
}

/* Braces that stand in no parentheses are of what those around them are. */
static bool begins_statements(const struct expression_state *state)
{
    if (state->parens)
        return state->is_behind_open;
    return state->braces && state->statements >> (state->braces - 1) & 1;
}

static void take_brace(struct expression_state *state, char letter)
{
    if (letter == '{') {
        if (state->braces < BRACES_MOST) {
            const uint64_t bit = UINT64_C(1) << state->braces;

            state->statements =
                begins_statements(state) ? state->statements | bit : state->statements & ~bit;
            state->outside[state->braces] = state->parens;
            state->inside += state->parens != 0;
        }
        state->braces++;
        state->parens = 0;
    } else if (state->braces) {
        state->braces--;
        state->parens = state->braces < BRACES_MOST ? state->outside[state->braces] : 0;
        state->inside -= state->parens != 0;
        state->lowest = state->inside < state->lowest ? state->inside : state->lowest;
    }
}

/* Whether a statement ends that is of an expression. */
static bool ends_statement(const struct expression_state *state, char letter)
{
    return letter == ';' && !state->parens && state->braces && state->braces <= BRACES_MOST &&
           state->statements >> (state->braces - 1) & 1;
}

static void take_letter(struct expression_state *state, struct expression_line *line, char letter)
{
    if (ends_statement(state, letter) && state->inside > line->statements)
        line->statements = state->inside;
    switch (letter) {
    case '(': state->parens++; break;
    case ')': state->parens -= state->parens != 0; break;
    case '{':
    case '}': take_brace(state, letter); break;
    default: break;
    }
    state->is_behind_open = letter == '(';
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

static void begin_arm(struct expression_state *state, const struct expression_state *before)
{
    const bool in_directive = state->in_directive;

    *state = *before;
    state->in_directive = in_directive;
    state->lowest = state->inside;
}

/* Arms of an #if stand in place of each other: one may open what another one opens as well. */
static void take_directive(struct expression_state *state, struct expression_arms *arms,
                           const char *text, size_t length)
{
    size_t at = 0;

    while (at < length && (is_blank(text[at]) || text[at] == '#'))
        at++;
    const char *const word = text + at;
    const size_t size = word_end(text, length, at) - at;
    if (is_text(word, size, "if") || is_text(word, size, "ifdef") ||
        is_text(word, size, "ifndef")) {
        if (arms->depth < ARMS_MOST)
            arms->list[arms->depth] = *state;
        arms->depth++;
    } else if (arms->depth && is_text(word, size, "endif")) {
        arms->depth--;
    } else if (arms->depth && arms->depth <= ARMS_MOST && size >= 4 &&
               (!memcmp(word, "else", 4) || !memcmp(word, "elif", 4))) {
        begin_arm(state, &arms->list[arms->depth - 1]);
    }
}

/* A word, a literal, an operator or a letter; returns what is behind it. */
static size_t read_token(struct expression_state *state, struct expression_line *line,
                         const char *text, size_t length, size_t at)
{
    const bool is_first = !line->has_code;
    const bool is_literal = text[at] == '"' || text[at] == '\'';
    const size_t end = word_end(text, length, at);
    const bool is = end > at ? is_operator_word(state, text, length, at, end, is_first)
                             : is_operator(text, length, at);

    line->has_code = true;
    line->begins |= is && is_first;
    line->operators += is;
    state->goes_on = is;
    if (end > at) {
        state->has_operand = !is && !is_keyword(text + at, end - at);
        state->is_behind_open = false;
        return end;
    }
    state->has_operand =
        !is && (is_literal || text[at] == ')' || text[at] == ']' || text[at] == '}');
    take_letter(state, line, text[at]);
    return is ? at + 2 : is_literal ? literal_end(text, length, at) : at + 1;
}

static struct expression_line read_expression(struct expression_state *state,
                                              struct expression_arms *arms, const char *text,
                                              size_t length)
{
    const bool goes_on = state->in_directive;
    struct expression_line line = {.operators = 0};

    state->lowest = state->inside;
    if (!state->in_comment && is_directive(state, text, length)) {
        if (!goes_on)
            take_directive(state, arms, text, length);
        return line;
    }
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
        at = read_token(state, &line, text, length, at);
    }
    return line;
}

/* --- of a file --- */

/* The expression that is read. */
struct expression {
    uint32_t first; /* its first line that has code; NONE: none yet */
    uint32_t operators;
    uint32_t lines;
    bool has_block;
};

static void end_expression(struct cairn_coverage *coverage, struct expression *expression)
{
    if (expression->first != CAIRN_COVERAGE_NONE) {
        coverage->lines[expression->first].operators = expression->operators;
        coverage->lines[expression->first].has_block = expression->has_block;
    }
    *expression = (struct expression){.first = CAIRN_COVERAGE_NONE};
}

/* The lines of braces are in the expression around them, which may have begun in a line without code. */
static void note_outer(struct cairn_coverage *coverage, struct expression *list, unsigned depth,
                       uint32_t line)
{
    for (unsigned i = 0; i < depth; i++)
        if (list[i].first == CAIRN_COVERAGE_NONE)
            list[i].first = line;
    coverage->lines[line].outer = depth ? list[depth - 1].first : CAIRN_COVERAGE_NONE;
}

static void read_file_expressions(struct cairn_coverage *coverage,
                                  const struct cairn_coverage_file *file)
{
    struct expression_state state = {.in_comment = false};
    struct expression_arms arms = {.depth = 0};
    struct expression list[BRACES_MOST + 1]; /* by how many braces they are in */
    const size_t end = file->first_line + file->line_count;
    size_t next = file->first_line;
    unsigned depth = 0;

    list[0] = (struct expression){.first = CAIRN_COVERAGE_NONE};
    for (uint32_t number = 1; next < end; number++) {
        const struct cairn_source_line text =
            cairn_sources_line(coverage->texts, file->path, number, &file->changed);
        const bool is_open = state.parens || state.goes_on;

        if (text.state != CAIRN_SOURCE_FOUND)
            break;
        const struct expression_line line = read_expression(&state, &arms, text.text, text.length);
        const bool comes_back = state.lowest < depth;
        for (; depth > state.lowest; depth--)
            end_expression(coverage, &list[depth]);
        struct expression *const expression = &list[depth];
        /* comments, directives and nothing may stand in front of an operator */
        if (!comes_back && !is_open && !line.begins && line.has_code)
            end_expression(coverage, expression);
        if (++expression->lines == LINES_MOST)
            state.parens = state.goes_on = 0;
        expression->operators += line.operators;
        /* those of lines of their own are not of it */
        expression->has_block |= line.statements > depth;
        if (coverage->lines[next].number == number) {
            if (expression->first == CAIRN_COVERAGE_NONE)
                expression->first = (uint32_t)next;
            coverage->lines[next].first = expression->first;
            note_outer(coverage, list, depth, (uint32_t)next);
            coverage->lines[next].has_text = true;
            next++;
        }
        while (depth < state.inside)
            list[++depth] = (struct expression){.first = CAIRN_COVERAGE_NONE};
    }
    for (;; depth--) {
        end_expression(coverage, &list[depth]);
        if (!depth)
            break;
    }
}

void cairn_coverage_expressions(struct cairn_coverage *coverage)
{
    for (size_t i = 0; i < coverage->line_count; i++) {
        coverage->lines[i].first = (uint32_t)i;
        coverage->lines[i].outer = CAIRN_COVERAGE_NONE;
    }
    for (size_t i = 0; i < coverage->file_count && coverage->texts; i++)
        read_file_expressions(coverage, &coverage->files[i]);
}
