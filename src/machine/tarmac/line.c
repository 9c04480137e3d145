/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of all dialects begin alike: [time [unit]] [processor] kind. What follows is the kind's. */
#include "machine/tarmac/line.h"

#include <string.h>
#include <strings.h>

struct span {
    const char *at, *end;
};

enum kind {
    KIND_NONE,
    KIND_IT,
    KIND_IS,
    KIND_ES,
    KIND_R,
    KIND_E,
    KIND_EXC,
    KIND_MEMORY,
    KIND_OTHER,
};

static const int8_t digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* Control characters too: a tab, the CR of a CR LF. */
static bool is_space(char c)
{
    return (unsigned char)c <= ' ';
}

static bool is_decimal(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static size_t span_size(struct span s)
{
    return (size_t)(s.end - s.at);
}

static bool span_is(struct span s, const char *word, size_t size)
{
    return span_size(s) == size && !memcmp(s.at, word, size);
}
#define IS(span, word) span_is((span), (word), sizeof(word) - 1)

/* Takes the next token off `rest`; false at the end of the line. */
static bool take(struct span *rest, struct span *token)
{
    const char *p = rest->at;

    while (p < rest->end && is_space(*p))
        p++;
    token->at = p;
    while (p < rest->end && !is_space(*p))
        p++;
    token->end = rest->at = p;
    return token->end > token->at;
}

/* Hexadecimal digits, '_' among them. Returns how many digits there were. */
static unsigned hex(struct span *s, uint64_t *value)
{
    uint64_t v = 0;
    unsigned count = 0;
    const char *p = s->at;

    for (; p < s->end; p++) {
        const int digit = digits[(unsigned char)*p];
        if (digit) {
            v = v << 4 | (unsigned)(digit - 1);
            count++;
        } else if (*p != '_' || !count) {
            break;
        }
    }
    s->at = p;
    *value = v;
    return count;
}

/* A token that is a hexadecimal number, whole. */
static bool hex_token(struct span token, uint64_t *value, unsigned *count)
{
    *count = hex(&token, value);
    return *count && token.at == token.end;
}

static bool is_unit(struct span s, uint8_t *unit)
{
    *unit = CAIRN_TARMAC_NO_TIME;
    if (IS(s, "clk") || IS(s, "tic") || IS(s, "cs") || IS(s, "cyc"))
        *unit = CAIRN_TARMAC_CLK;
    else if (IS(s, "ps"))
        *unit = CAIRN_TARMAC_PS;
    else if (IS(s, "ns"))
        *unit = CAIRN_TARMAC_NS;
    else if (IS(s, "us"))
        *unit = CAIRN_TARMAC_US;
    else if (IS(s, "fs"))
        *unit = CAIRN_TARMAC_FS;
    return *unit != CAIRN_TARMAC_NO_TIME;
}

static enum kind kind_of(struct span s)
{
    static const char *const others[] = {"BR", "LD", "ST", "CADI", "SIGNAL:", "TTW", "TLB", "MMU",
                                         "CACHE", "FD", "FI", "FR", "BI", "Tarmac", "DBG", "PC",
                                         /* what the model and its program say meanwhile */
                                         "TUBE", "TUBE:", "Warning:", "Info:"};
    const size_t size = span_size(s);

    switch (*s.at) {
    case 'I':
        if (size == 2 && s.at[1] == 'T')
            return KIND_IT;
        if (size == 2 && s.at[1] == 'S')
            return KIND_IS;
        break;
    case 'E':
        if (size == 1)
            return KIND_E;
        if (size == 2 && s.at[1] == 'S')
            return KIND_ES;
        if (IS(s, "EXC"))
            return KIND_EXC;
        break;
    case 'R':
        if (size == 1)
            return KIND_R;
        if (is_decimal(s.at[1]))
            return KIND_MEMORY;
        break;
    case 'W':
        if (size > 1 && is_decimal(s.at[1]))
            return KIND_MEMORY;
        break;
    case 'M':
        /* MR4, MW1, MNR4O__I ... */
        if (size >= 3 && (s.at[1] == 'R' || s.at[1] == 'W' || s.at[1] == 'N'))
            return KIND_MEMORY;
        break;
    default: break;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (*others[i] == *s.at && strlen(others[i]) == size && !memcmp(others[i], s.at, size))
            return KIND_OTHER;
    }
    return KIND_NONE;
}

/* "A", "T", "O" and longer spellings. `is_m`: only Cortex-M logs write it so. */
static bool isa_of(struct span s, uint8_t *isa, bool *is_m)
{
    const size_t size = span_size(s);

    *is_m = false;
    if (size == 1) {
        switch (*s.at) {
        case 'A': *isa = CAIRN_ISA_A32; return true;
        case 'T': *isa = CAIRN_ISA_T32; return true;
        case 'O': *isa = CAIRN_ISA_A64; return true;
        case 'X': /* T32EE */
        case 'J': *isa = CAIRN_ISA_UNKNOWN; return true;
        default: return false;
        }
    }
    if (IS(s, "T16") || IS(s, "T32")) {
        *isa = CAIRN_ISA_T32;
        *is_m = true;
        return true;
    }
    return false;
}

/* The opcode, given the instruction set. Dashes: the log does not know it. */
static bool opcode(struct span token, struct cairn_tarmac_record *record)
{
    uint64_t value;
    unsigned count;

    if (*token.at == '-') {
        record->size = 0;
        return strspn(token.at, "-") >= span_size(token);
    }
    if (!hex_token(token, &value, &count) || (count != 8 && count != 4))
        return false;
    if (record->isa == CAIRN_ISA_UNKNOWN) {
        record->size = 0;
        return true;
    }
    if (count == 4 && record->isa != CAIRN_ISA_T32)
        return false;
    record->size = (uint8_t)(count / 2);
    record->opcode = (uint32_t)value;
    return true;
}

static bool ends_in(struct span s, const char *word)
{
    const size_t size = strlen(word);

    while (s.end > s.at && is_space(s.end[-1]))
        s.end--;
    return span_size(s) >= size && !memcmp(s.end - size, word, size);
}

static void known_mode(struct span token, struct cairn_tarmac_line *line,
                       struct cairn_tarmac_record *record)
{
    const size_t size = span_size(token);

    if (size && size == line->mode_size && !memcmp(token.at, line->mode_text, size)) {
        record->mode = line->mode;
        record->security = line->security;
        return;
    }
    if (!cairn_tarmac_mode_parse(token.at, size, &record->mode, &record->security))
        return;
    if (size <= sizeof line->mode_text) {
        memcpy(line->mode_text, token.at, size);
        line->mode_size = (uint8_t)size;
        line->mode = record->mode;
        line->security = record->security;
    }
}

/* Mode, colon, disassembly. A word that is no mode is taken for an unknown one if the colon is
 * there: the instruction was executed all the same. */
static enum cairn_tarmac_verdict mode_and_text(struct span rest, bool is_m,
                                               struct cairn_tarmac_line *line,
                                               struct cairn_tarmac_record *record)
{
    struct span token;
    bool colon = false;

    record->mode = CAIRN_TARMAC_MODE_NONE;
    record->security = CAIRN_TARMAC_NO_SECURITY;
    if (is_m) {
        record->mode = CAIRN_TARMAC_MODE_M_PROFILE;
        return CAIRN_TARMAC_RECORD;
    }
    if (take(&rest, &token)) {
        const char *stop = memchr(token.at, ':', span_size(token));
        colon = stop != NULL;
        if (colon) {
            token.end = stop;
            rest.at = stop + 1;
        }
        known_mode(token, line, record);
    }
    if (!colon) {
        colon = take(&rest, &token) && *token.at == ':';
        if (colon)
            rest.at = token.at + 1;
    }
    if (!colon && (record->mode == CAIRN_TARMAC_MODE_NONE || !line->complete))
        return CAIRN_TARMAC_UNPARSABLE;
    struct span text = rest;
    if (take(&text, &token) && IS(token, "CCFAIL"))
        record->passed = false;
    if (rest.end > rest.at && rest.end[-1] == ')' && ends_in(rest, "(ABORTED)"))
        record->aborted = true;
    return CAIRN_TARMAC_RECORD;
}

/* IT, IS: [(count)] address opcode isa mode : text, or (address) opcode isa mode : text. */
static enum cairn_tarmac_verdict it_line(struct span rest, struct cairn_tarmac_line *line,
                                         struct cairn_tarmac_record *record)
{
    struct span inside = {NULL, NULL}, words[3];
    uint64_t value;
    bool is_m;

    while (rest.at < rest.end && is_space(*rest.at))
        rest.at++;
    if (rest.at < rest.end && *rest.at == '(') {
        const char *close = memchr(rest.at, ')', span_size(rest));
        if (!close)
            return CAIRN_TARMAC_UNPARSABLE;
        inside = (struct span){rest.at + 1, close};
        rest.at = close + 1;
    }
    if (!take(&rest, &words[0]) || !take(&rest, &words[1]))
        return CAIRN_TARMAC_UNPARSABLE;
    struct span address = words[0], code = words[1];
    if (isa_of(words[1], &record->isa, &is_m)) {
        address = inside;
        code = words[0];
    } else if (!take(&rest, &words[2]) || !isa_of(words[2], &record->isa, &is_m)) {
        return CAIRN_TARMAC_UNPARSABLE;
    }
    if (!address.at || hex(&address, &value) < 4 ||
        (address.at < address.end && *address.at != ':' && *address.at != ','))
        return CAIRN_TARMAC_UNPARSABLE;
    record->address = value;
    if (!opcode(code, record))
        return CAIRN_TARMAC_UNPARSABLE;
    return mode_and_text(rest, is_m, line, record);
}

/* Behind E: address [mode] number name, or name number. */
static enum cairn_tarmac_verdict e_line(struct span rest, struct cairn_tarmac_record *record)
{
    struct span token, name = {NULL, NULL};
    uint64_t value;
    unsigned count;

    while (take(&rest, &token)) {
        struct span number = token;
        if (!record->has_address && !name.at && hex(&number, &value) >= 4 &&
            (number.at == number.end || *number.at == ':')) {
            record->address = value;
            record->has_address = true;
        } else if (hex_token(token, &value, &count)) {
            record->value = value & UINT32_MAX;
            record->has_value = true;
        } else {
            name = token; /* the last word: a mode may come before it */
        }
    }
    if (!name.at)
        return CAIRN_TARMAC_UNPARSABLE;
    record->kind = CAIRN_TARMAC_EVENT;
    record->name = name.at;
    record->name_size = (uint32_t)span_size(name);
    return CAIRN_TARMAC_RECORD;
}

/* Behind EXC: [vector] text. */
static enum cairn_tarmac_verdict exc_line(struct span rest, struct cairn_tarmac_record *record)
{
    uint64_t value;

    while (rest.at < rest.end && is_space(*rest.at))
        rest.at++;
    if (rest.at < rest.end && *rest.at == '[') {
        rest.at++;
        if (span_size(rest) > 2 && rest.at[0] == '0' && (rest.at[1] | 0x20) == 'x')
            rest.at += 2;
        if (!hex(&rest, &value) || rest.at == rest.end || *rest.at != ']')
            return CAIRN_TARMAC_UNPARSABLE;
        rest.at++;
        record->value = value;
        record->has_value = true;
        record->is_vector = true;
        while (rest.at < rest.end && is_space(*rest.at))
            rest.at++;
    }
    while (rest.end > rest.at && is_space(rest.end[-1]))
        rest.end--;
    if (rest.at == rest.end && !record->has_value)
        return CAIRN_TARMAC_UNPARSABLE;
    record->kind = CAIRN_TARMAC_EVENT;
    record->name = rest.at;
    record->name_size = (uint32_t)span_size(rest);
    return CAIRN_TARMAC_RECORD;
}

/* ES: (address:opcode) isa mode: [CCFAIL] text, or EXC ... */
static enum cairn_tarmac_verdict es_line(struct span rest, struct cairn_tarmac_line *line,
                                         struct cairn_tarmac_record *record)
{
    struct span token, after = rest;
    uint64_t value;
    bool is_m;

    if (!take(&after, &token))
        return CAIRN_TARMAC_UNPARSABLE;
    if (IS(token, "EXC"))
        return exc_line(after, record);
    if (*token.at != '(')
        return CAIRN_TARMAC_OTHER;
    token.at++;
    if (token.end == token.at || token.end[-1] != ')')
        return CAIRN_TARMAC_UNPARSABLE;
    token.end--;
    if (hex(&token, &value) < 4 || token.at == token.end || *token.at != ':')
        return CAIRN_TARMAC_UNPARSABLE;
    token.at++;
    struct span isa;
    if (token.at == token.end || !take(&after, &isa) || !isa_of(isa, &record->isa, &is_m))
        return CAIRN_TARMAC_UNPARSABLE;
    record->address = value;
    if (!opcode(token, record))
        return CAIRN_TARMAC_UNPARSABLE;
    return mode_and_text(after, is_m, line, record);
}

/* R name [(bank)] value, whose digits may be in several words. */
static enum cairn_tarmac_verdict r_line(struct span rest, struct cairn_tarmac_line *line,
                                        struct cairn_tarmac_record *record)
{
    struct span name, token;
    uint64_t value = 0;
    unsigned total = 0;

    if (!take(&rest, &name))
        return CAIRN_TARMAC_UNPARSABLE;
    record->kind = CAIRN_TARMAC_REGISTER;
    record->name = name.at;
    record->name_size = (uint32_t)span_size(name);
    while (take(&rest, &token)) {
        if (*token.at == '(' && !total)
            continue;
        struct span number = token;
        uint64_t part;
        unsigned count;
        while ((count = hex(&number, &part)) > 0) {
            value = count < 16 ? value << (4 * count) | part : part;
            total += count;
            if (number.at < number.end && *number.at == ':')
                number.at++;
        }
        if (number.at < number.end)
            break;
    }
    record->value = value;
    record->has_value = total && line->complete;
    return CAIRN_TARMAC_RECORD;
}

/* [time [unit]]. False when a number stands there that is no time. */
static bool time_of(struct span *rest, struct cairn_tarmac_line *line)
{
    struct span token, after = *rest, unit;
    uint64_t time = 0;

    line->unit = CAIRN_TARMAC_NO_TIME;
    if (!take(&after, &token) || !is_decimal(*token.at))
        return true;
    while (token.at < token.end && is_decimal(*token.at)) {
        const uint64_t digit = (uint64_t)(*token.at - '0');
        time = time > (UINT64_MAX - digit) / 10 ? UINT64_MAX : time * 10 + digit;
        token.at++;
    }
    if (token.at < token.end && *token.at == '.') {
        token.at++;
        while (token.at < token.end && is_decimal(*token.at))
            token.at++;
    }
    if (token.at < token.end)
        unit = token;
    else if (!take(&after, &unit))
        return false;
    if (!is_unit(unit, &line->unit))
        return false;
    line->time = time;
    *rest = after;
    return true;
}

/* A line of memory that goes on the one before: it begins with an address. */
static bool is_continuation(struct span rest)
{
    struct span token;
    uint64_t value;
    unsigned count;

    return take(&rest, &token) && hex_token(token, &value, &count) && count >= 8;
}

enum cairn_tarmac_verdict cairn_tarmac_line_parse(const char *text, size_t size,
                                                  struct cairn_tarmac_line *line,
                                                  struct cairn_tarmac_record *record)
{
    struct span rest = {text, text + size}, token, second;

    line->cpu = NULL;
    if (!time_of(&rest, line))
        return is_continuation(rest) ? CAIRN_TARMAC_OTHER : CAIRN_TARMAC_UNPARSABLE;
    if (!take(&rest, &token))
        return line->unit ? CAIRN_TARMAC_UNPARSABLE : CAIRN_TARMAC_OTHER; /* empty */
    enum kind kind = kind_of(token);
    if (kind == KIND_NONE) {
        struct span after = rest;
        if (!line->unit && (*token.at == '#' || is_continuation(token)))
            return CAIRN_TARMAC_OTHER;
        if (take(&after, &second))
            kind = kind_of(second);
        if (kind == KIND_NONE || span_size(token) >= CAIRN_TARMAC_NAME)
            return line->unit ? CAIRN_TARMAC_UNKNOWN : CAIRN_TARMAC_UNPARSABLE;
        line->cpu = token.at;
        line->cpu_size = span_size(token);
        rest = after;
    }
    record->has_address = record->has_value = record->is_vector = false;
    record->aborted = false;
    switch (kind) {
    case KIND_IT:
    case KIND_IS:
        record->kind = CAIRN_TARMAC_INSTRUCTION;
        record->passed = kind == KIND_IT;
        return it_line(rest, line, record);
    case KIND_ES:
        record->kind = CAIRN_TARMAC_INSTRUCTION;
        record->passed = true;
        return es_line(rest, line, record);
    case KIND_R: return r_line(rest, line, record);
    case KIND_E: return e_line(rest, record);
    case KIND_EXC: return exc_line(rest, record);
    case KIND_MEMORY:
        if (!ends_in(rest, "(ABORTED)"))
            return CAIRN_TARMAC_OTHER;
        record->kind = CAIRN_TARMAC_ABORTED;
        return CAIRN_TARMAC_RECORD;
    case KIND_NONE:
    case KIND_OTHER: break;
    }
    return CAIRN_TARMAC_OTHER;
}
