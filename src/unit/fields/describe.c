/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of fields in words, and words back to values. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "unit/fields/fields.h"

/* Resource events (D7.3): a byte. */
#define EVENT_TYPE 0x80u
#define EVENT_RES0 0x60u
#define EVENT_SEL 0x1fu
#define EVENT_LAST_PAIR 15u
/* Resource selectors */
#define GROUP_SHIFT 16
#define GROUP_MASK 0xfu
/* Events of older ETMs */
#define RESOURCE_MASK 0x7fu
#define B_SHIFT 7
#define FUNCTION_SHIFT 14
#define PERIOD_LEAST 8u
#define PERIOD_MOST 20u
#define COUNT_MOST 8u
#define ID_FIRST_RESERVED 0x70u

struct words {
    char *text;
    size_t length;
};

static void add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct words *words, const char *format, ...)
{
    va_list arguments;

    if (words->length >= CAIRN_FIELD_WORDS - 1)
        return;
    va_start(arguments, format);
    const int length = vsnprintf(words->text + words->length, CAIRN_FIELD_WORDS - words->length,
                                 format, arguments);
    va_end(arguments);
    if (length > 0)
        words->length += (size_t)length;
    if (words->length > CAIRN_FIELD_WORDS - 1)
        words->length = CAIRN_FIELD_WORDS - 1;
}

/* "address comparators 0, 3" */
static bool list_bits(struct words *words, const char *noun, unsigned first, uint64_t bits)
{
    const char *between = "";

    if (bits == 0) {
        add(words, "none");
        return true;
    }
    add(words, "%s%s ", noun, (bits & (bits - 1)) != 0 ? "s" : "");
    for (unsigned i = 0; i < 64; i++)
        if (bits >> i & 1) {
            add(words, "%s%u", between, i + first);
            between = ", ";
        }
    return true;
}

static bool list_levels(struct words *words, uint64_t bits)
{
    const char *between = "";

    if (bits == 0)
        add(words, "none");
    for (unsigned i = 0; i < 4; i++)
        if (bits >> i & 1) {
            add(words, "%sEL%u", between, i);
            between = ", ";
        }
    return true;
}

static bool describe_event(struct words *words, uint64_t event)
{
    const unsigned select = (unsigned)event & EVENT_SEL;

    if (event & EVENT_RES0) {
        add(words, "reserved: bits 6:5 of an event are 0");
        return false;
    }
    if (!(event & EVENT_TYPE)) {
        add(words, "%sselector %u%s",
            select == 0   ? "never: "
            : select == 1 ? "always: "
                          : "",
            select,
            select > 1    ? ""
            : select == 0 ? " is FALSE"
                          : " is TRUE");
        return true;
    }
    if (select > EVENT_LAST_PAIR) {
        add(words, "reserved: there are pairs 0 to 15");
        return false;
    }
    add(words, "pair %u: selectors %u and %u", select, 2 * select, 2 * select + 1);
    return true;
}

/* A resource of ETMs before ETMv4 (IHI0014 3.6, IHI0035 3.8.1). False: there is none of that number. */
static bool add_resource(struct words *words, unsigned number)
{
    const unsigned index = number & 0xf;

    if (number < 0x10)
        add(words, "address comparator %u", index + 1);
    else if (number < 0x18)
        add(words, "address range %u", index + 1);
    else if (number < 0x1c)
        add(words, "instrumentation resource %u", index - 7);
    else if (number >= 0x20 && number < 0x28)
        add(words, "EmbeddedICE input %u", index + 1);
    else if (number >= 0x30 && number < 0x40)
        add(words, "memory map decode %u", index + 1);
    else if (number >= 0x40 && number < 0x44)
        add(words, "counter %u at zero", index + 1);
    else if (number >= 0x50 && number < 0x53)
        add(words, "sequencer state %u", index + 1);
    else if (number >= 0x58 && number < 0x5b)
        add(words, "context ID comparator %u", index - 7);
    else if (number == 0x5b)
        add(words, "the VMID comparator");
    else if (number == 0x5f)
        add(words, "start/stop");
    else if (number >= 0x60 && number < 0x64)
        add(words, "external input %u", index + 1);
    else if (number >= 0x68 && number < 0x6c)
        add(words, "extended external input selector %u", index - 7);
    else if (number == 0x6d)
        add(words, "Non-secure state");
    else if (number == 0x6e)
        add(words, "trace prohibited");
    else if (number == 0x6f)
        add(words, "always");
    else
        add(words, "resource 0x%02x, which is reserved", number);
    return strstr(words->text, "reserved") == NULL;
}

static bool describe_event17(struct words *words, uint64_t event)
{
    /* What stands before A, between A and B, and how B is taken. */
    static const struct {
        const char *before, *between;
    } functions[] = {{"", NULL},        {"not ", NULL},        {"", " and "},
                     {"not ", " and "}, {"not ", " and not "}, {"", " or "},
                     {"not ", " or "},  {"not ", " or not "}};
    const unsigned function = (unsigned)(event >> FUNCTION_SHIFT) & 7;
    const unsigned a = (unsigned)event & RESOURCE_MASK;
    bool exists;

    if (function == 1 && a == 0x6f) {
        add(words, "never");
        return true;
    }
    add(words, "%s", functions[function].before);
    exists = add_resource(words, a);
    if (functions[function].between) {
        add(words, "%s", functions[function].between);
        exists = add_resource(words, (unsigned)(event >> B_SHIFT) & RESOURCE_MASK) && exists;
    }
    return exists;
}

static const struct {
    const char *noun;
    uint16_t resources; /* that there can be */
} groups[] = {
    {"external input selector", 0x000f},
    {"PE comparator input", 0x00ff},
    {NULL, 0x00ff},
    {"single-shot comparator control", 0x00ff},
    {"address comparator", 0xffff},
    {"address range comparator", 0x00ff},
    {"context identifier comparator", 0x00ff},
    {"virtual context identifier comparator", 0x00ff},
};

/* Table D7.1 */
static bool describe_select(struct words *words, uint64_t select, unsigned group)
{
    if (group >= sizeof groups / sizeof groups[0]) {
        add(words, "nothing: the group is reserved");
        return select == 0;
    }
    if (select & ~(uint64_t)groups[group].resources) {
        add(words, "reserved: the group has resources 0x%04x", (unsigned)groups[group].resources);
        return false;
    }
    if (groups[group].noun)
        return list_bits(words, groups[group].noun, 0, select);
    if (select & 0xf)
        list_bits(words, "counter", 0, select & 0xf);
    if (select & 0xf)
        add(words, " at zero%s", select & 0xf0 ? "; " : "");
    if (select & 0xf0)
        list_bits(words, "sequencer state", 0, select >> 4);
    if (select == 0)
        add(words, "none");
    return true;
}

static bool describe_period(struct words *words, uint64_t period)
{
    if (period == 0) {
        add(words, "none: no synchronisation but where trace begins");
        return true;
    }
    if (period < PERIOD_LEAST || period > PERIOD_MOST) {
        add(words, "reserved: 0, or 8 to 20");
        return false;
    }
    add(words, "%" PRIu64 " bytes", UINT64_C(1) << period);
    return true;
}

static bool describe_count(struct words *words, uint64_t count)
{
    add(words, "%" PRIu64 "%s", count, count > COUNT_MOST ? ", which is reserved" : "");
    return count <= COUNT_MOST;
}

static bool describe_trace_id(struct words *words, uint64_t id)
{
    if (id == 0)
        add(words, "0x00, which is none on a shared bus");
    else
        add(words, "0x%02" PRIx64 "%s", id, id >= ID_FIRST_RESERVED ? ", which is reserved" : "");
    return id < ID_FIRST_RESERVED;
}

static bool describe(const struct cairn_register_field *field, unsigned unit, uint64_t value,
                     uint64_t part, struct words *words)
{
    const char *word;

    (void)unit;
    switch ((enum cairn_meaning)field->meaning) {
    case CAIRN_MEANS_HEX: add(words, "0x%" PRIx64, part); return true;
    case CAIRN_MEANS_ADDRESS: add(words, "0x%" PRIx64, part); return true;
    case CAIRN_MEANS_FLAG:
    case CAIRN_MEANS_PAIRINV:
    case CAIRN_MEANS_CNTCHAIN: add(words, "%s", part ? "yes" : "no"); return true;
    case CAIRN_MEANS_RESERVED: add(words, "reserved"); return true;
    case CAIRN_MEANS_EVENT: return describe_event(words, part);
    case CAIRN_MEANS_EVENT17: return describe_event17(words, part);
    case CAIRN_MEANS_SELECT:
        return describe_select(words, part, (unsigned)(value >> GROUP_SHIFT) & GROUP_MASK);
    case CAIRN_MEANS_SACS: return list_bits(words, "address comparator", 0, part);
    case CAIRN_MEANS_ARCS: return list_bits(words, "address range", 0, part);
    case CAIRN_MEANS_PES: return list_bits(words, "PE comparator input", 0, part);
    case CAIRN_MEANS_SACS1: return list_bits(words, "address comparator", 1, part);
    case CAIRN_MEANS_ARCS1: return list_bits(words, "address range", 1, part);
    case CAIRN_MEANS_MMDS: return list_bits(words, "memory map decode", 1, part);
    case CAIRN_MEANS_ICES: return list_bits(words, "EmbeddedICE input", 1, part);
    case CAIRN_MEANS_EVENTS: return list_bits(words, "event", 0, part);
    case CAIRN_MEANS_EXTINS: return list_bits(words, "external input selector", 0, part);
    case CAIRN_MEANS_BYTES: return list_bits(words, "byte", 0, part);
    case CAIRN_MEANS_LEVELS:
    case CAIRN_MEANS_LEVELS_BUILT: return list_levels(words, part);
    case CAIRN_MEANS_PERIOD: return describe_period(words, part);
    case CAIRN_MEANS_COUNT: return describe_count(words, part);
    case CAIRN_MEANS_COUNT_MINUS_1: add(words, "%" PRIu64, part + 1); return true;
    case CAIRN_MEANS_PAIRS_MINUS_1:
        if (part == 0)
            add(words, "none (one before ETMv4.3)");
        else
            add(words, "%" PRIu64, part + 1);
        return true;
    case CAIRN_MEANS_CCSIZE: add(words, "%" PRIu64 " bits", part + 12); return part <= 8;
    case CAIRN_MEANS_RING: add(words, "%" PRIu64 " bytes", UINT64_C(16) << part); return true;
    case CAIRN_MEANS_POINTER: add(words, "0x%08" PRIx64, part << field->low); return true;
    case CAIRN_MEANS_TRACE_ID: return describe_trace_id(words, part);
    case CAIRN_MEANS_NUMBER: add(words, "%" PRIu64, part); return true;
    default: break;
    }
    word = cairn_meaning_word(field->meaning, part);
    add(words, "%s", word ? word : "reserved");
    return word != NULL;
}

bool cairn_field_describe(unsigned unit, const struct cairn_register_field *field, uint64_t value,
                          char text[CAIRN_FIELD_WORDS])
{
    struct words words = {text, 0};

    text[0] = '\0';
    return describe(field, unit, value, cairn_field_value(field, value), &words);
}

/* Decimal or 0x...; nothing behind it. */
static bool parse_number(const char *text, uint64_t *value)
{
    const bool hex = text[0] == '0' && (text[1] | 0x20) == 'x';
    char *end;

    if (text[0] < '0' || text[0] > '9' || (hex && !text[2]) || strlen(text) > 20)
        return false;
    *value = strtoull(text, &end, hex ? 16 : 10);
    return !*end;
}

/* "selector 2", "pair 3": with or without a blank. */
static bool parse_numbered(const char *word, const char *noun, uint64_t most, uint64_t *value)
{
    const size_t length = strlen(noun);

    if (strncasecmp(word, noun, length) != 0)
        return false;
    word += length;
    word += *word == ' ';
    return parse_number(word, value) && *value <= most;
}

static bool parse_event(const char *word, uint64_t *value)
{
    if (parse_numbered(word, "pair", EVENT_LAST_PAIR, value)) {
        *value |= EVENT_TYPE;
        return true;
    }
    *value = strcasecmp(word, "always") == 0;
    return *value || strcasecmp(word, "never") == 0 ||
           parse_numbered(word, "selector", EVENT_SEL, value);
}

bool cairn_field_parse(const struct cairn_register_field *field, const char *word, uint64_t *value)
{
    uint64_t part;
    bool known = parse_number(word, &part);

    if (!known && field->meaning == CAIRN_MEANS_EVENT)
        known = parse_event(word, &part);
    else if (!known && field->meaning == CAIRN_MEANS_EVENT17) {
        part = strcasecmp(word, "always") == 0 ? 0x6f : 0x406f;
        known = part == 0x6f || strcasecmp(word, "never") == 0;
    } else if (!known && field->meaning > CAIRN_MEANS_WORDS)
        known = cairn_meaning_value(field->meaning, word, &part);
    else if (!known &&
             (field->meaning == CAIRN_MEANS_FLAG || field->meaning == CAIRN_MEANS_PAIRINV ||
              field->meaning == CAIRN_MEANS_CNTCHAIN)) {
        part = strcasecmp(word, "yes") == 0;
        known = part || strcasecmp(word, "no") == 0;
    }
    if (!known || part > cairn_field_mask(field) >> field->low)
        return false;
    *value = part;
    return true;
}
