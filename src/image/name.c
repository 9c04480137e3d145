/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "image/written.h"

#define NEAR_DISTANCE 3u /* edits between a typo and what was meant */

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Leaves out blanks but between two letters, in place. */
static void leave_out_blanks(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        const char next = from[1 + strspn(from, " ") - (*from == ' ')];

        if (*from != ' ' || (to > text && is_letter(to[-1]) && is_letter(next)))
            if (*from != ' ' || to == text || to[-1] != ' ')
                *to++ = *from;
    }
    *to = '\0';
}

/* --- C++ --- */

/* The place of the bracket that opens what ends with the closing one at `close`, or NULL. */
static const char *opening(const char *text, const char *close, char open)
{
    unsigned depth = 0;

    for (const char *at = close;; at--) {
        /* "->" and "operator>" are no brackets, nor is what follows "operator" in operator() */
        if (*at == *close && !(*at == '>' && at > text && at[-1] == '-'))
            depth++;
        else if (*at == open && --depth == 0)
            return at;
        if (at == text)
            return NULL;
    }
}

/* Cuts off the parameters and what is behind them: "ns::f" of "ns::f(int) const". */
static void cut_parameters(char *text)
{
    const char *const close = strrchr(text, ')');
    const char *const open = close ? opening(text, close, '(') : NULL;

    if (open && open > text)
        text[open - text] = '\0';
}

static void cut_arguments(char *text)
{
    const size_t length = strlen(text);
    const char *const open =
        length && text[length - 1] == '>' ? opening(text, text + length - 1, '<') : NULL;

    if (open && open > text)
        text[open - text] = '\0';
}

/* Where the last component begins: f of "ns::f". */
static const char *last_component(const char *text)
{
    const char *last = text;
    unsigned depth = 0;

    for (const char *at = text; *at; at++) {
        if (*at == '<' || *at == '(')
            depth++;
        else if ((*at == '>' || *at == ')') && depth)
            depth--;
        else if (depth == 0 && at[0] == ':' && at[1] == ':')
            last = at + 2;
    }
    return last;
}

/* Whether `text` ends with `name` behind what can be in front of it. */
static enum cairn_likeness compare_end(const char *text, const char *name)
{
    const size_t length = strlen(text), width = strlen(name);

    if (width == 0 || length < width || strcmp(text + length - width, name) != 0)
        return CAIRN_LIKE_NOT;
    if (length == width)
        return CAIRN_LIKE_SAME;
    const char *const before = text + length - width - 1;
    /* the type that a function of a template returns */
    if (strchr(" *&>)]", *before))
        return CAIRN_LIKE_SAME;
    return *before == ':' && before > text && before[-1] == ':' ? CAIRN_LIKE_TAIL : CAIRN_LIKE_NOT;
}

/* Cuts off what tells functions of one name apart in Rust's older names: core::fmt::write::h0123456789abcdef. */
static void cut_hash(char *text)
{
    static const char mark[] = "::h";
    const size_t width = sizeof mark - 1, digits = 16, length = strlen(text);
    char *const end = text + length - (length > width + digits ? width + digits : length);

    if (strncmp(end, mark, width) == 0 && strspn(end + width, "0123456789abcdef") == digits)
        *end = '\0';
}

/* As written, then without parameters, then without arguments of a template. */
static enum cairn_likeness compare_written(const char *name, char *written)
{
    enum cairn_likeness like;

    leave_out_blanks(written);
    like = compare_end(written, name);
    if (like == CAIRN_LIKE_NOT) {
        cut_parameters(written);
        cut_hash(written);
        like = compare_end(written, name);
    }
    if (like == CAIRN_LIKE_NOT) {
        cut_arguments(written);
        like = compare_end(written, name);
        like = like == CAIRN_LIKE_SAME ? CAIRN_LIKE_COPY : like;
    }
    return like;
}

/* --- what is appended --- */

/* Where what compilers append begins: ".constprop.0" ... The end where there is none. */
static size_t base_length(const char *symbol, size_t length, bool *is_part)
{
    static const struct {
        const char *word;
        bool is_part;
    } words[] = {{"cold", true},    {"part", true},         {"constprop", false},
                 {"isra", false},   {"lto_priv", false},    {"localalias", false},
                 {"llvm", false},   {"specialized", false}, {"warm", true},
                 {"__uniq", false}, {"resolver", false}};
    const char *const dot = memchr(symbol, '.', length);
    const size_t base = dot ? (size_t)(dot - symbol) : length;

    *is_part = false;
    for (size_t at = base; at < length;) {
        const size_t size = strcspn(symbol + at + 1, ".@");
        const char *const word = symbol + at + 1;
        bool known = size > 0 && strspn(word, "0123456789") >= size;

        for (size_t i = 0; i < sizeof words / sizeof words[0] && !known; i++) {
            known = strlen(words[i].word) == size && strncmp(word, words[i].word, size) == 0;
            *is_part |= known && words[i].is_part;
        }
        if (!known)
            return length;
        at += 1 + size;
    }
    return base > 0 ? base : length;
}

#define CUT_LENGTH 2u /* of the ".." that a short name can end with */

static bool is_cut(const struct cairn_name *name)
{
    const size_t length = strlen(name->text);

    return length > CUT_LENGTH && strcmp(name->text + length - CUT_LENGTH, "..") == 0;
}

/* Whether the beginning of a symbol is shown as a text (cairn_written). */
static bool is_shown(const char *symbol, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char letter = (unsigned char)symbol[i];
        const bool is_control = letter != '\0' && (letter < ' ' || letter == 0x7f);

        if (symbol[i] != text[i] && !(is_control && text[i] == '?'))
            return false;
    }
    return true;
}

static bool is_text(const char *symbol, size_t length, const char *text)
{
    return strlen(text) == length && is_shown(symbol, text, length);
}

/* "f(int) [clone .cold]" is shown of a symbol as a whole, */
static bool is_clone(const struct cairn_name *name, const char *symbol, size_t length)
{
    char *const own = strchr(name->plain, '[') ? strndup(symbol, length) : NULL;
    char *const written = own ? cairn_written(own) : NULL;

    if (written)
        leave_out_blanks(written);
    const bool is_it = written && strcmp(written, name->plain) == 0;
    free(written);
    free(own);
    return is_it;
}

/* and "ns::C<..>::f", or "a_long_na..", in columns. */
static bool is_short_of(const struct cairn_name *name, const char *symbol, size_t length)
{
    char *const own = strndup(symbol, length);
    char *const written = own ? cairn_written(own) : NULL;
    char brief[CAIRN_WRITTEN_SHORT + 1] = "";

    if (own)
        cairn_written_shorten(written ? written : own, brief, sizeof brief);
    free(written);
    free(own);
    return *brief && strcmp(brief, name->text) == 0;
}

enum cairn_likeness cairn_name_compare(const struct cairn_name *name, const char *symbol,
                                       bool *is_part)
{
    const size_t length = strcspn(symbol, "@"); /* behind it is the version */
    const char *const version = symbol + length + strspn(symbol + length, "@");
    bool part;
    const size_t base = base_length(symbol, length, &part);

    *is_part = false;
    if (name->version && symbol[length] && strcmp(version, name->version) != 0)
        return CAIRN_LIKE_NOT;
    if (is_text(symbol, length, name->text))
        return CAIRN_LIKE_SAME;
    if (base < length && is_clone(name, symbol, length))
        return CAIRN_LIKE_SAME;
    *is_part = part && base < length;
    if (base < length && is_text(symbol, base, name->text))
        return CAIRN_LIKE_COPY;
    if (strncmp(symbol, "_Z", 2) != 0)
        return is_cut(name) && is_short_of(name, symbol, length) ? CAIRN_LIKE_COPY : CAIRN_LIKE_NOT;
    char *const mangled = strndup(symbol, base);
    char *const written = mangled ? cairn_written(mangled) : NULL;
    enum cairn_likeness like = written ? compare_written(name->plain, written) : CAIRN_LIKE_NOT;

    free(mangled);
    free(written);
    if (like == CAIRN_LIKE_NOT)
        return is_short_of(name, symbol, length) ? CAIRN_LIKE_COPY : CAIRN_LIKE_NOT;
    return like == CAIRN_LIKE_SAME && base < length ? CAIRN_LIKE_COPY : like;
}

bool cairn_name_may_be(const struct cairn_name *name, const char *symbol)
{
    if (strncmp(symbol, "_Z", 2) != 0)
        return is_shown(symbol, name->text, strlen(name->text) - (is_cut(name) ? CUT_LENGTH : 0));
    return !name->inside || strncmp(symbol, name->text, strlen(name->text)) == 0 ||
           memmem(symbol, strlen(symbol), name->inside, name->inside_length) != NULL;
}

/* Classes of the standard library that a mangled name has letters for (Itanium C++ ABI, 5.1.10): their constructors are
 * called so. */
static bool is_abbreviated(const char *word)
{
    return strcmp(word, "allocator") == 0 || strncmp(word, "basic_", 6) == 0 ||
           strcmp(word, "string") == 0;
}

/* Identifiers are in a mangled name as they are; operators are not. */
static void find_inside(struct cairn_name *name)
{
    char *const copy = strdup(name->plain);

    if (!copy)
        return;
    cut_parameters(copy);
    cut_arguments(copy);
    const char *last = last_component(copy);
    last += *last == '~';
    const size_t length = strlen(last);
    if (length > 0 && strncmp(last, "operator", 8) != 0 && strcspn(last, " <>(){}[]") == length &&
        !is_abbreviated(last)) {
        name->inside = name->plain + (last - copy);
        name->inside_length = length;
    }
    free(copy);
}

cairn_status cairn_name_read(const char *text, size_t length, struct cairn_name *name)
{
    *name = (struct cairn_name){.text = strndup(text, length)};
    name->plain = name->text ? strdup(name->text) : NULL;
    if (!name->plain) {
        cairn_name_clear(name);
        return CAIRN_E_MEMORY;
    }
    char *const at = strchr(name->text, '@');
    if (at && at > name->text && at[1 + (at[1] == '@')]) {
        *at = '\0';
        name->version = at + 1 + (at[1] == '@');
        name->plain[at - name->text] = '\0';
    }
    cairn_written_reduce(name->plain);
    leave_out_blanks(name->plain);
    find_inside(name);
    return CAIRN_OK;
}

void cairn_name_clear(struct cairn_name *name)
{
    free(name->text);
    free(name->plain);
    *name = (struct cairn_name){0};
}

/* Leaves the last component alone, in place. */
static void shorten(char *written)
{
    leave_out_blanks(written);
    cut_parameters(written);
    cut_arguments(written);
    const char *const last = last_component(written);
    memmove(written, last, strlen(last) + 1);
}

char *cairn_name_last(const char *text, size_t length)
{
    char *const copy = strndup(text, length);

    if (copy) {
        copy[strcspn(copy, "@")] = '\0';
        shorten(copy);
    }
    return copy;
}

char *cairn_name_short(const char *symbol)
{
    bool part;
    const size_t base = base_length(symbol, strcspn(symbol, "@"), &part);
    char *const own = strndup(symbol, base);
    char *const written = own ? cairn_written(own) : NULL;

    if (!written)
        return own;
    free(own);
    shorten(written);
    return written;
}

bool cairn_path_ends(const char *path, const char *wanted, size_t length)
{
    const size_t size = strlen(path);

    return length > 0 && size >= length && strncmp(path + size - length, wanted, length) == 0 &&
           (size == length || path[size - length - 1] == '/');
}

/* --- misspelt names --- */

/* Letters in another order are the slip that is most often made. */
static bool has_same_letters(const char *one, const char *other)
{
    int counts[256] = {0};

    if (strlen(one) != strlen(other))
        return false;
    for (; *one; one++, other++) {
        counts[(unsigned char)*one]++;
        counts[(unsigned char)*other]--;
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i])
            return false;
    return true;
}

static unsigned distance_of(const char *wanted, const char *word)
{
    const unsigned distance = cairn_letters_apart(wanted, word);
    const size_t length = strlen(wanted);

    if (distance <= NEAR_DISTANCE && has_same_letters(wanted, word))
        return 0;

    /* "parse" may be short for parse_input */
    if (length >= 3 && strncmp(word, wanted, length) == 0 && distance > 1)
        return 2;
    return distance > NEAR_DISTANCE || 2 * distance > length || distance >= strlen(word)
               ? NEAR_DISTANCE + 1
               : distance;
}

void cairn_near_add(struct cairn_near *near, const char *wanted, const char *word)
{
    const unsigned distance = distance_of(wanted, word);
    size_t place = 0;

    if (distance > NEAR_DISTANCE)
        return;
    for (size_t i = 0; i < near->count; i++)
        if (strcmp(near->words[i], word) == 0)
            return;
    while (place < near->count && near->distances[place] <= distance)
        place++;
    if (place == CAIRN_NEAR_MOST)
        return;
    char *const copy = strdup(word);
    if (!copy)
        return;
    if (near->count == CAIRN_NEAR_MOST)
        free(near->words[--near->count]);
    for (size_t i = near->count++; i > place; i--) {
        near->words[i] = near->words[i - 1];
        near->distances[i] = near->distances[i - 1];
    }
    near->words[place] = copy;
    near->distances[place] = distance;
    while (near->distances[near->count - 1] > near->distances[0] + 1)
        free(near->words[--near->count]);
}

void cairn_near_clear(struct cairn_near *near)
{
    for (size_t i = 0; i < near->count; i++)
        free(near->words[i]);
    near->count = 0;
}

void cairn_near_text(const struct cairn_near *near, char *text, size_t capacity)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < near->count && length < capacity; i++) {
        const char *const before = i == 0 ? "; did you mean " : i + 1 < near->count ? ", " : " or ";
        const char *const end = i + 1 < near->count ? "" : "?";

        length += (size_t)snprintf(text + length, capacity - length, "%s'%s'%s", before,
                                   near->words[i], end);
    }
}
