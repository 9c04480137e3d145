/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/branches/branch_dump.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cairn/brbe.h>

#include "base/bytes.h"
#include "cli/session/programmed.h"
#include "pe/fields.h"
#include "pe/registers.h"

#define FILE_MOST (4u << 20)
#define DUMPS_MOST 4096u /* in a file: bounds memory */
#define BANK_RECORDS 32u
#define WORD_MOST 40u
#define HEX_DIGITS 16u /* of a register that is printed without 0x */

static const char *const part_names[CLI_BRANCH_PARTS] = {"BRBINF", "BRBSRC", "BRBTGT"};
static const char *const control_names[CLI_BRANCH_CONTROLS] = {"BRBIDR0", "BRBFCR", "BRBCR_EL1",
                                                               "BRBCR_EL2", "BRBTS"};
/* Registers that tell nothing of what was recorded. */
static const char *const other_names[] = {"BRBINFINJ", "BRBSRCINJ", "BRBTGTINJ", "BRBCR_EL12"};

/* A file that is being read. */
struct branch_reader {
    struct cli_branch_dumps *dumps;
    struct cli_session *session;
    const char *path;
    struct cli_branch_dump open; /* the section that the line is in */
    bool is_open;                /* it has records */
    unsigned line;
    /* controls in front of the first section, where no records are, are those of all */
    struct cli_branch_value shared[CLI_BRANCH_CONTROLS];
    bool has_section;
};

void cli_branch_dumps_free(struct cli_branch_dumps *dumps)
{
    for (size_t i = 0; i < dumps->count; i++)
        free(dumps->items[i].name);
    free(dumps->items);
    *dumps = (struct cli_branch_dumps){0};
}

/* --- a section, when all of it was read --- */

static bool is_given(const struct cli_branch_dump *dump, size_t n)
{
    for (size_t part = 0; part < CLI_BRANCH_PARTS; part++)
        if (dump->records[n][part].line)
            return true;
    return false;
}

static size_t count_records(const struct cli_branch_dump *dump)
{
    size_t count = CLI_BRANCHES_MOST;

    while (count && !is_given(dump, count - 1))
        count--;
    return count;
}

/* A half of record n that BRBINF says is there has to be in the dump. */
static bool has_half(struct branch_reader *reader, size_t n, uint32_t flag,
                     enum cli_branch_part part, const char *half)
{
    const struct cli_branch_value *const record = reader->open.records[n];

    if (!(record[CLI_BRANCH_INF].value & flag) || record[part].line)
        return true;
    cli_session_say(
        reader->session,
        "%s:%u: BRBINF%zu_EL1 says that record %zu has a %s, and %s%zu_EL1 is not in the "
        "dump: add it%s",
        reader->path, record[CLI_BRANCH_INF].line, n, n, half, part_names[part], n,
        n ? ", or leave out this record and the older ones" : "");
    return false;
}

/* VALID (BRBINF<n>_EL1[1:0]): bit 1 the source, bit 0 the target. */
#define VALID_SOURCE (1u << 1)
#define VALID_TARGET (1u << 0)

static bool has_record(struct branch_reader *reader, size_t n)
{
    const struct cli_branch_dump *const dump = &reader->open;
    const struct cli_branch_value *const record = dump->records[n];
    size_t other = n;

    if (record[CLI_BRANCH_INF].line)
        return has_half(reader, n, VALID_SOURCE, CLI_BRANCH_SRC, "source") &&
               has_half(reader, n, VALID_TARGET, CLI_BRANCH_TGT, "target");
    while (!is_given(dump, other)) /* there is one behind: n is below the count */
        other++;
    enum cli_branch_part part = 0;
    while (!dump->records[other][part].line)
        part++;
    cli_session_say(reader->session,
                    "%s:%u: %s%zu_EL1 is in the dump, and BRBINF%zu_EL1 is not: without it nothing "
                    "says whether record %zu is one. Add it; 0 stands for no record",
                    reader->path, dump->records[other][part].line, part_names[part], other, n, n);
    return false;
}

static bool fits(struct branch_reader *reader)
{
    struct cli_branch_dump *const dump = &reader->open;
    const struct cli_branch_value *const id = &dump->controls[CLI_BRANCH_IDR0];
    const struct cli_branch_value *const control = &dump->controls[CLI_BRANCH_FCR];
    struct cairn_branch_identity identity = {.size = sizeof identity};

    if (id->line && cairn_branch_identify(id->value, &identity) != CAIRN_OK) {
        cli_session_say(
            reader->session,
            "%s:%u: BRBIDR0_EL1=0x%llx is of no Branch Record Buffer that is known: NUMREC "
            "(bits 7:0) has to be 8, 16, 32 or 64, FORMAT (11:8) 0, CC (15:12) 5. Leave "
            "the line out if it is not what was read",
            reader->path, id->line, (unsigned long long)id->value);
        return false;
    }
    dump->capacity = identity.records;
    /* the registers of the second bank have the same names */
    if (control->line && CAIRN_GET(control->value, BRBFCR_BANK) == 1 &&
        dump->count <= BANK_RECORDS && (!id->line || identity.records > BANK_RECORDS))
        dump->first = BANK_RECORDS;
    if (!dump->capacity || dump->first + dump->count <= dump->capacity)
        return true;
    const size_t last = dump->count - 1;
    unsigned line = 0;
    for (size_t part = 0; part < CLI_BRANCH_PARTS && !line; part++)
        line = dump->records[last][part].line;
    cli_session_say(
        reader->session,
        "%s:%u: there is a record %zu, and BRBIDR0_EL1 says that there are %zu, from 0 on: "
        "leave out the one or the other",
        reader->path, line, dump->first + last, dump->capacity);
    return false;
}

/* False after a message. */
static bool close_section(struct branch_reader *reader)
{
    struct cli_branch_dumps *const dumps = reader->dumps;
    struct cli_branch_dump *const dump = &reader->open;

    if (!reader->is_open) {
        free(dump->name);
        *dump = (struct cli_branch_dump){0};
        return true;
    }
    for (size_t i = 0; i < CLI_BRANCH_CONTROLS; i++)
        if (!dump->controls[i].line)
            dump->controls[i] = reader->shared[i];
    dump->count = count_records(dump);
    if (!fits(reader))
        return false;
    for (size_t n = 0; n < dump->count; n++)
        if (!has_record(reader, n))
            return false;
    struct cli_branch_dump *grown = dumps->count < DUMPS_MOST
                                        ? realloc(dumps->items, (dumps->count + 1) * sizeof *grown)
                                        : NULL;
    if (!grown) {
        cli_session_say(reader->session, "%s: there are more stacks in it than there is room for",
                        reader->path);
        return false;
    }
    dumps->items = grown;
    dumps->items[dumps->count++] = *dump;
    *dump = (struct cli_branch_dump){0};
    reader->is_open = false;
    return true;
}

/* --- registers as they lie in memory --- */

#define RAW_SIZE ((size_t)CLI_BRANCH_PARTS * 8)
#define RAW_LINE 1u /* what is given; there are no lines */

/* How many records a buffer has; 0 after a message. */
static size_t raw_records(struct cli_session *session, const char *path, size_t size,
                          size_t records)
{
    const size_t count = size / RAW_SIZE;

    if (size == 0 || size % RAW_SIZE)
        cli_session_say(
            session,
            "%s: it has %zu bytes: records of raw registers have 24 each, BRBINF, BRBSRC and BRBTGT, and "
            "there is at least one. Cut the file to whole records",
            path, size);
    else if (!records && count > CLI_BRANCHES_MOST)
        cli_session_say(
            session,
            "%s: it has %zu records, and a buffer has at most 64: say how many each has, as --brbe raw,32",
            path, count);
    else if (records && count % records)
        cli_session_say(
            session,
            "%s: it has %zu records, which is no multiple of the %zu that --brbe says each buffer has. "
            "Give another number, or cut the file to whole buffers",
            path, count, records);
    else
        return records ? records : count;
    return 0;
}

static void take_raw(struct cli_branch_dump *dump, const uint8_t *bytes, size_t records)
{
    dump->count = records;
    for (size_t n = 0; n < records; n++)
        for (size_t part = 0; part < CLI_BRANCH_PARTS; part++)
            dump->records[n][part] = (struct cli_branch_value){
                .value = cairn_load_le64(bytes + n * RAW_SIZE + part * 8), .line = RAW_LINE};
}

bool cli_branch_dumps_read_raw(struct cli_branch_dumps *dumps, struct cli_session *session,
                               const char *path, size_t records,
                               const struct cli_branch_value controls[CLI_BRANCH_CONTROLS])
{
    size_t size = 0;
    char *text = cli_read_text(session, path, FILE_MOST, &size);
    const uint8_t *bytes = (const uint8_t *)text;
    const size_t each = text ? raw_records(session, path, size, records) : 0;
    bool done = each > 0;

    for (size_t at = 0; done && at < size; at += each * RAW_SIZE) {
        struct branch_reader reader = {.dumps = dumps, .session = session, .path = path};

        if (size > each * RAW_SIZE &&
            asprintf(&reader.open.name, "buffer %zu", at / each / RAW_SIZE) < 0) {
            cli_session_say(session, "out of memory");
            reader.open.name = NULL;
            done = false;
            break;
        }
        memcpy(reader.open.controls, controls, sizeof reader.open.controls);
        take_raw(&reader.open, bytes + at, each);
        reader.is_open = true;
        done = close_section(&reader);
        free(reader.open.name);
    }
    free(text);
    return done;
}

/* --- lines --- */

/* Whether `word` is `name`, with _EL1 behind it or without, or the other way round. */
static bool is_named(const char *word, const char *name)
{
    const size_t length = strlen(name);

    if (!strcasecmp(word, name))
        return true;
    if (!strncasecmp(word, name, length) && !strcasecmp(word + length, "_EL1"))
        return true;
    return !strcasecmp(name, "BRBCR_EL1") && !strcasecmp(word, "BRBCR");
}

/* "BRBINF12_EL1", "brbsrc3": where it belongs; NULL: it is no record's. */
static struct cli_branch_value *record_value(struct cli_branch_dump *dump, const char *word)
{
    for (size_t part = 0; part < CLI_BRANCH_PARTS; part++) {
        const char *at = word + strlen(part_names[part]);
        size_t n = 0, digits = 0;

        if (strncasecmp(word, part_names[part], strlen(part_names[part])) != 0)
            continue;
        for (; isdigit((unsigned char)*at) && digits < 3; digits++)
            n = 10 * n + (size_t)(*at++ - '0');
        if (digits && n < CLI_BRANCHES_MOST && (!*at || !strcasecmp(at, "_EL1")))
            return &dump->records[n][part];
    }
    return NULL;
}

static struct cli_branch_value *control_value(struct cli_branch_dump *dump, const char *word)
{
    for (size_t i = 0; i < CLI_BRANCH_CONTROLS; i++)
        if (is_named(word, control_names[i]))
            return &dump->controls[i];
    return NULL;
}

static bool is_other(const char *word)
{
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++)
        if (is_named(word, other_names[i]))
            return true;
    return false;
}

/* 0x..., decimal; or all 16 digits of a register, which is how kernels print them. */
static bool is_number(const char *word, uint64_t *value)
{
    char hex[HEX_DIGITS + 3];

    if (strlen(word) == HEX_DIGITS && strspn(word, "0123456789abcdefABCDEF") == HEX_DIGITS) {
        snprintf(hex, sizeof hex, "0x%.*s", HEX_DIGITS, word);
        return cli_number(hex, value);
    }
    return cli_number(word, value);
}

static bool take(struct branch_reader *reader, const char *name, const char *text)
{
    struct cli_branch_value *value = record_value(&reader->open, name);
    const bool is_record = value != NULL;
    uint64_t number;

    if (!value)
        value = control_value(&reader->open, name);
    if (!value && !is_other(name)) {
        cli_session_say(
            reader->session,
            "%s:%u: %s is no register of a Branch Record Buffer: these are BRBINF0_EL1 to "
            "BRBINF63_EL1, as many BRBSRC and BRBTGT, BRBIDR0_EL1, BRBFCR_EL1, BRBCR_EL1, "
            "BRBCR_EL2 and BRBTS_EL1. Correct the name, or leave the line out",
            reader->path, reader->line, name);
        return false;
    }
    if (!is_number(text, &number)) {
        cli_session_say(
            reader->session,
            "%s:%u: %s: \"%s\" is no number: give 0x and hex digits, all 16 digits without "
            "0x, or a decimal number",
            reader->path, reader->line, name, text);
        return false;
    }
    if (!value)
        return true;
    if (value->line) {
        cli_session_say(reader->session,
                        "%s:%u: %s stands in line %u already: put [NAME] in front of each buffer's "
                        "registers if these are two",
                        reader->path, reader->line, name, value->line);
        return false;
    }
    *value = (struct cli_branch_value){.value = number, .line = reader->line};
    reader->is_open |= is_record;
    return true;
}

static bool begin_section(struct branch_reader *reader, const char *name, size_t length)
{
    if (!reader->has_section && !reader->is_open)
        memcpy(reader->shared, reader->open.controls, sizeof reader->shared);
    reader->has_section = true;
    if (!close_section(reader))
        return false;
    reader->open.name = strndup(name, length);
    if (reader->open.name)
        return true;
    cli_session_say(reader->session, "out of memory");
    return false;
}

/* The next word of a line: up to a blank or one of `ends`, cut to what a word can have. */
static const char *next_word(const char *at, const char *ends, char word[WORD_MOST])
{
    const size_t length = strcspn(at, ends);

    snprintf(word, WORD_MOST, "%.*s", (int)(length < WORD_MOST ? length : WORD_MOST - 1), at);
    return at + length;
}

#define BLANKS " \t\r"

static bool take_line(struct branch_reader *reader, char *line)
{
    char name[WORD_MOST], value[WORD_MOST];

    line[strcspn(line, "#;")] = '\0';
    for (char *end = line + strlen(line); end > line && strchr(BLANKS, end[-1]);)
        *--end = '\0';
    const char *at = line + strspn(line, BLANKS);
    const char *bracket = *at == '[' ? strchr(at, ']') : NULL;
    if (bracket && !bracket[1])
        return begin_section(reader, at + 1, (size_t)(bracket - at - 1));
    if (bracket) /* the time in front of a kernel's message */
        at = bracket + 1;
    for (;;) {
        at += strspn(at, BLANKS ",");
        if (strncasecmp(at, "BRB", 3) != 0)
            return true; /* of something else, or the end */
        at = next_word(at, BLANKS "=:,", name);
        if (!strncasecmp(name, "BRBE", 4))
            return true; /* words about it: "BRBE of CPU 3" */
        at += strspn(at, BLANKS "=:");
        at = next_word(at, BLANKS ",", value);
        if (!take(reader, name, value))
            return false;
    }
}

bool cli_branch_dumps_read(struct cli_branch_dumps *dumps, struct cli_session *session,
                           const char *path)
{
    struct branch_reader reader = {.dumps = dumps, .session = session, .path = path};
    const size_t before = dumps->count;
    size_t size = 0;
    char *text = cli_read_text(session, path, FILE_MOST, &size);
    char *rest = text;
    bool done = text != NULL;

    if (text && memchr(text, 0, size)) {
        cli_session_say(session,
                        "%s: it is no text: give a file with lines such as BRBINF0_EL1=0x83", path);
        done = false;
    }
    while (done && rest) {
        char *line = strsep(&rest, "\n");

        reader.line++;
        done = take_line(&reader, line);
    }
    done = done && close_section(&reader);
    free(reader.open.name);
    free(text);
    if (!done || dumps->count > before)
        return done;
    cli_session_say(session,
                    "%s: there is no BRBINF<n>_EL1 in it: expected lines such as BRBINF0_EL1=0x83, "
                    "BRBSRC0_EL1=0x1000, BRBTGT0_EL1=0x2000, a set for each record",
                    path);
    return false;
}
