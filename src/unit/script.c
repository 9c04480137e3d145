/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/script.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

#define WORDS_MOST 6u /* of a line: "map VA PA SIZE ro" and one too many */
#define LINE_MOST 256u
#define SHOWN 60 /* of a line in a message */

struct line {
    char text[LINE_MOST]; /* cut up */
    const char *words[WORDS_MOST];
    size_t count;
};

static const struct verb {
    const char *word;
    enum cairn_script_kind kind;
    bool by_instruction;
    const char *usage; /* NULL: a barrier */
} verbs[] =
    {
        {"write", CAIRN_SCRIPT_WRITE, false, "write NAME VALUE"},
        {"read", CAIRN_SCRIPT_READ, false, "read NAME [VALUE]"},
        {"wait", CAIRN_SCRIPT_WAIT, false, "wait NAME[.FIELD] VALUE"},
        {"poll", CAIRN_SCRIPT_WAIT, true, "poll NAME[.FIELD] VALUE"},
        {"msr", CAIRN_SCRIPT_WRITE, true, "msr NAME, VALUE"},
        {"mrs", CAIRN_SCRIPT_READ, true, "mrs xN, NAME [VALUE]"},
        {"isb", CAIRN_SCRIPT_ISB, true, NULL},
        {"dsb", CAIRN_SCRIPT_DSB, true, NULL},
        {"tsb", CAIRN_SCRIPT_TSB, true, NULL},
},
  verbs_of_pe[] = {
      {"sys", CAIRN_SCRIPT_SYS, true, "sys BRB_IALL"},
      {"enter", CAIRN_SCRIPT_ENTER, true, "enter EL1n"},
      {"run", CAIRN_SCRIPT_RUN, true, "run INSTRUCTIONS"},
      {"load", CAIRN_SCRIPT_LOAD, true, "load ADDRESS SIZE"},
      {"store", CAIRN_SCRIPT_STORE, true, "store ADDRESS SIZE"},
      {"tlbi", CAIRN_SCRIPT_TLBI, true, "tlbi NAME [VALUE]"},
      {"unmap", CAIRN_SCRIPT_UNMAP, true, "unmap VA SIZE"},
      {"map", CAIRN_SCRIPT_MAP, true, "map VA PA SIZE [ro|noaf]"},
      {"trigger", CAIRN_SCRIPT_TRIGGER, true, "trigger NUMBER"},
      {"reset", CAIRN_SCRIPT_RESET, true, "reset cold|warm|trace"},
      {"power", CAIRN_SCRIPT_POWER, true, "power normal|standby|retention|down|saved"},
      {"abort", CAIRN_SCRIPT_ABORT, true, "abort PA SIZE [sync|async|serror|none]"},
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == '\f' || c == '\v';
}

static bool is_comment(const char *text, size_t left)
{
    return *text == '#' || *text == ';' || (left > 1 && text[0] == '/' && text[1] == '/');
}

void cairn_script_begin(struct cairn_script *script, const char *name, const char *text,
                        size_t size)
{
    *script = (struct cairn_script){.name = name, .at = text, .left = size};
}

/* The next line that says something, in *text; false: none. */
static bool next_line(struct cairn_script *script, const char **text, size_t *size)
{
    while (script->left > 0) {
        const char *start = script->at;
        const char *newline = memchr(start, '\n', script->left);
        size_t length = newline ? (size_t)(newline - start) : script->left;

        script->line++;
        script->at += length + (newline != NULL);
        script->left -= length + (newline != NULL);
        while (length > 0 && is_blank(*start)) {
            start++;
            length--;
        }
        for (size_t i = 0; i < length; i++)
            if (is_comment(start + i, length - i))
                length = i;
        while (length > 0 && is_blank(start[length - 1]))
            length--;
        if (length == 0)
            continue;
        *text = start;
        *size = length;
        return true;
    }
    return false;
}

static const struct verb *find_among(const struct verb *among, size_t count, const char *word,
                                     size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(among[i].word) == length && strncasecmp(among[i].word, word, length) == 0)
            return &among[i];
    return NULL;
}

static const struct verb *find_verb(const struct cairn_script *script, const char *word,
                                    size_t length)
{
    const struct verb *verb = find_among(verbs, sizeof verbs / sizeof verbs[0], word, length);

    if (!verb && script->of_pe)
        verb = find_among(verbs_of_pe, sizeof verbs_of_pe / sizeof verbs_of_pe[0], word, length);
    return verb;
}

bool cairn_script_is_one(const char *text, size_t size)
{
    struct cairn_script script;
    const char *line;
    size_t length, word = 0;

    cairn_script_begin(&script, "", text, size);
    if (!next_line(&script, &line, &length))
        return false;
    while (word < length && !is_blank(line[word]))
        word++;
    return find_verb(&script, line, word) != NULL;
}

bool cairn_script_number(const char *text, uint64_t *value)
{
    const bool hex = text[0] == '0' && (text[1] | 0x20) == 'x';
    const unsigned base = hex ? 16 : 10;
    uint64_t sum = 0;

    text += hex ? 2 : 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        const char c = (char)(*text | 0x20);
        unsigned digit = 16;
        if (*text >= '0' && *text <= '9')
            digit = (unsigned)(*text - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (unsigned)(c - 'a') + 10;
        if (digit >= base || __builtin_mul_overflow(sum, base, &sum) ||
            __builtin_add_overflow(sum, digit, &sum))
            return false;
    }
    *value = sum;
    return true;
}

static void split(const char *text, size_t size, struct line *line)
{
    size_t at = 0;

    memcpy(line->text, text, size);
    line->text[size] = '\0';
    line->count = 0;
    while (at < size && line->count < WORDS_MOST) {
        line->words[line->count++] = line->text + at;
        while (at < size && !is_blank(line->text[at]))
            at++;
        while (at < size && is_blank(line->text[at]))
            line->text[at++] = '\0';
    }
}

static cairn_status refuse(const struct cairn_script *script, struct cairn_error *error,
                           const char *text, size_t size, const char *why, const char *expected)
{
    char shown[SHOWN + 1];
    size_t length = size < SHOWN ? size : SHOWN;

    for (size_t i = 0; i < length; i++)
        shown[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    shown[length] = '\0';
    return cairn_fail(error, CAIRN_E_FORMAT, "%s:%u: \"%s\": %s; expected `%s`", script->name,
                      script->line, shown, why, expected);
}

/* "x0", "w3": where an mrs puts what it reads. */
static bool is_core_register(const char *word)
{
    uint64_t number;

    return ((word[0] | 0x20) == 'x' || (word[0] | 0x20) == 'w') &&
           (cairn_script_number(word + 1, &number) || strcasecmp(word + 1, "zr") == 0);
}

/* "TRCSTATR.IDLE"; false: a part is empty or too long. */
static bool take_name(const char *word, struct cairn_script_access *access)
{
    const char *dot = strchr(word, '.');
    const size_t length = dot ? (size_t)(dot - word) : strlen(word);

    if (length == 0 || length >= sizeof access->name ||
        (dot && (!dot[1] || strlen(dot + 1) >= sizeof access->field)))
        return false;
    memcpy(access->name, word, length);
    if (dot)
        memcpy(access->field, dot + 1, strlen(dot + 1));
    return true;
}

/* What stands behind the words of a PE. NULL, or why it cannot be. */
static const char *take_of_pe(const struct line *line, struct cairn_script_access *access)
{
    /* Words that there have to be, numbers among them, and those that there may be. */
    static const struct {
        uint8_t names, numbers, more;
    } of[] = {
        [CAIRN_SCRIPT_SYS] = {1, 0, 0},     [CAIRN_SCRIPT_ENTER] = {1, 0, 0},
        [CAIRN_SCRIPT_RUN] = {0, 1, 0},     [CAIRN_SCRIPT_LOAD] = {0, 2, 0},
        [CAIRN_SCRIPT_STORE] = {0, 2, 0},   [CAIRN_SCRIPT_TLBI] = {1, 0, 1},
        [CAIRN_SCRIPT_UNMAP] = {0, 2, 0},   [CAIRN_SCRIPT_MAP] = {0, 3, 1},
        [CAIRN_SCRIPT_TRIGGER] = {0, 1, 0}, [CAIRN_SCRIPT_RESET] = {1, 0, 0},
        [CAIRN_SCRIPT_POWER] = {1, 0, 0},   [CAIRN_SCRIPT_ABORT] = {0, 2, 1},
    };
    const size_t wanted = 1u + of[access->kind].names + of[access->kind].numbers;
    uint64_t *const numbers[] = {&access->value, &access->size, &access->third};
    const char *name = of[access->kind].names ? line->words[1] : "";

    if (line->count < wanted)
        return "something is missing";
    if (line->count > wanted + of[access->kind].more)
        return "there are words left over";
    for (size_t i = 0; i < of[access->kind].numbers; i++)
        if (!cairn_script_number(line->words[wanted - of[access->kind].numbers + i], numbers[i]))
            return "that is no number, decimal or 0x... of 64 bits";
    access->has_value = of[access->kind].numbers > 0;
    if (access->kind == CAIRN_SCRIPT_MAP && line->count > wanted) {
        name = line->words[wanted];
        if (strcasecmp(name, "ro") != 0 && strcasecmp(name, "noaf") != 0)
            return "a page can be ro or noaf";
    }
    if (access->kind == CAIRN_SCRIPT_ABORT && line->count > wanted)
        name = line->words[wanted];
    if (access->kind == CAIRN_SCRIPT_TLBI && line->count > wanted) {
        if (!cairn_script_number(line->words[wanted], &access->value))
            return "that is no number, decimal or 0x... of 64 bits";
        access->has_value = true;
    }
    if (strlen(name) >= sizeof access->name)
        return "there is nothing of that name";
    strcpy(access->name, name);
    return NULL;
}

cairn_status cairn_script_next(struct cairn_script *script, struct cairn_script_access *access,
                               struct cairn_error *error)
{
    const char *all = script->of_pe
                          ? "write, read, wait, poll, msr, mrs, isb, dsb, tsb, sys, enter, "
                            "run, load, store, map, unmap, tlbi, trigger, reset, power or abort"
                          : "write, read, wait, poll, msr, mrs, isb, dsb or tsb";
    struct line line;
    const char *text;
    size_t size;

    if (!next_line(script, &text, &size))
        return CAIRN_E_NOT_FOUND;
    if (size >= LINE_MOST)
        return refuse(script, error, text, size, "the line is too long", all);
    split(text, size, &line);
    const struct verb *verb = find_verb(script, line.words[0], strlen(line.words[0]));
    if (!verb)
        return refuse(script, error, text, size, "no access begins so", all);
    *access = (struct cairn_script_access){
        .kind = verb->kind, .by_instruction = verb->by_instruction, .line = script->line};
    if (!verb->usage)
        return CAIRN_OK;
    if (verb->kind >= CAIRN_SCRIPT_SYS) {
        const char *why = take_of_pe(&line, access);

        return why ? refuse(script, error, text, size, why, verb->usage) : CAIRN_OK;
    }
    size_t at = 1;
    if (verb->by_instruction && verb->kind == CAIRN_SCRIPT_READ && at < line.count &&
        is_core_register(line.words[at]))
        at++;
    if (at >= line.count)
        return refuse(script, error, text, size, "which register?", verb->usage);
    if (!take_name(line.words[at++], access))
        return refuse(script, error, text, size, "that is no name of a register", verb->usage);
    if (access->field[0] && verb->kind != CAIRN_SCRIPT_WAIT)
        return refuse(script, error, text, size, "a whole register is written or read",
                      verb->usage);
    if (at < line.count) {
        if (!cairn_script_number(line.words[at], &access->value))
            return refuse(script, error, text, size,
                          "the value is no number, decimal or 0x... of 64 bits", verb->usage);
        access->has_value = true;
        at++;
    }
    if (!access->has_value && verb->kind != CAIRN_SCRIPT_READ)
        return refuse(script, error, text, size, "the value is missing", verb->usage);
    if (at < line.count)
        return refuse(script, error, text, size, "there are words left over", verb->usage);
    return CAIRN_OK;
}
