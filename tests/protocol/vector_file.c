/* SPDX-License-Identifier: BSD-2-Clause */
#include "vector_file.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool wrong(struct vector_reader *reader, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool wrong(struct vector_reader *reader, size_t line, const char *format, ...)
{
    char what[160];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    snprintf(reader->error, sizeof(reader->error), "line %zu: %s", line, what);
    return false;
}

char *vector_word(char **text)
{
    char *at = *text + strspn(*text, " \t\n");
    size_t length = strcspn(at, " \t\n");

    if (length == 0)
        return NULL;
    *text = at + length + (at[length] != '\0');
    at[length] = '\0';
    return at;
}

bool vector_number(const char *text, uint64_t *value)
{
    char *end = NULL;

    if (*text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, 0);
    return *end == '\0';
}

/* "F7", or "00*11": eleven times 00. */
static bool take_bytes(char *text, uint8_t *bytes, size_t capacity, size_t *size)
{
    for (char *word = vector_word(&text); word != NULL; word = vector_word(&text)) {
        char *end = NULL;
        unsigned long byte = strtoul(word, &end, 16);
        size_t times = 1;

        if (end != word + 2 || (*end != '\0' && *end != '*'))
            return false;
        if (*end == '*')
            times = strtoul(end + 1, &end, 10);
        if (*end != '\0' || times > capacity - *size)
            return false;
        memset(bytes + *size, (int)byte, times);
        *size += times;
    }
    return true;
}

static bool set_register(struct vector_config *config, const char *name, uint64_t value)
{
    size_t at = 0;

    while (at < config->count && strcmp(config->names[at], name) != 0)
        at++;
    if (at == VECTOR_REGISTERS_MAX || strlen(name) >= sizeof(config->names[0]))
        return false;
    if (at == config->count)
        strcpy(config->names[config->count++], name);
    config->values[at] = value;
    return true;
}

static bool set_arch(struct cairn_arch *arch, const char *text)
{
    int profile = 0;
    unsigned major = 0, minor = 0;

    if (strncmp(text, "v", 1) != 0 || sscanf(text, "v%u.%u%n", &major, &minor, &profile) != 2)
        return false;
    text += profile;
    if (strcmp(text, "-A") == 0)
        *arch = cairn_arch_any_a();
    else if (strcmp(text, "-R") == 0)
        *arch = (struct cairn_arch){.profile = CAIRN_PROFILE_R, .features = CAIRN_FEATURE_THUMB2};
    else if (strcmp(text, "-M") == 0)
        *arch = (struct cairn_arch){.profile = CAIRN_PROFILE_M, .features = CAIRN_FEATURE_THUMB2};
    else
        return false;
    arch->major = (uint8_t)major;
    arch->minor = (uint8_t)minor;
    return true;
}

/* "ETE TRCIDR8=4 arch=v9.2-A": adds to the configuration, or changes it. */
static bool take_config(char *text, struct vector_config *config)
{
    for (char *word = vector_word(&text); word != NULL; word = vector_word(&text)) {
        char *value = strchr(word, '=');
        uint64_t number;

        if (value == NULL) {
            if (strcmp(word, "ETE") == 0)
                config->protocol = CAIRN_PROTOCOL_ETE;
            else if (strcmp(word, "ETMv4") == 0)
                config->protocol = CAIRN_PROTOCOL_ETMV4;
            else if (strcmp(word, "ETMv3") == 0)
                config->protocol = CAIRN_PROTOCOL_ETMV3;
            else
                return false;
            continue;
        }
        *value++ = '\0';
        if (strcmp(word, "arch") == 0) {
            if (!set_arch(&config->arch, value))
                return false;
        } else if (!vector_number(value, &number) || !set_register(config, word, number)) {
            return false;
        }
    }
    return true;
}

/* A line that begins with white space goes on with the line before. Comments vanish; a blank line
 * stays. False at the end of the file. */
static bool next_line(struct vector_reader *reader, char *text, size_t *line)
{
    if (!reader->pending) {
        do {
            if (fgets(reader->text, sizeof(reader->text), reader->in) == NULL)
                return false;
            reader->line++;
        } while (reader->text[0] == '#');
        reader->pending_line = reader->line;
    }
    strcpy(text, reader->text);
    *line = reader->pending_line;
    reader->pending = false;
    while (fgets(reader->text, sizeof(reader->text), reader->in) != NULL) {
        reader->line++;
        if (reader->text[0] == '#')
            continue;
        if (reader->text[0] == ' ' && strlen(text) + strlen(reader->text) < VECTOR_LINE_MAX) {
            strcat(text, reader->text);
            continue;
        }
        reader->pending = true;
        reader->pending_line = reader->line;
        break;
    }
    for (char *at = text; (at = strchr(at, '\n')) != NULL;)
        *at = ' ';
    return true;
}

bool vector_open(struct vector_reader *reader, const char *path)
{
    const char *name = strrchr(path, '/');

    memset(reader, 0, sizeof(*reader));
    reader->file = name != NULL ? name + 1 : path;
    reader->config.arch = cairn_arch_any_a();
    reader->in = fopen(path, "r");
    return reader->in != NULL;
}

void vector_clear(struct vector_case *vector)
{
    for (size_t i = 0; i < vector->packet_count; i++) {
        free(vector->packets[i].expected);
        free(vector->packets[i].elements);
    }
    free(vector->resolved);
    free(vector->header_kind);
    memset(vector, 0, sizeof(*vector));
}

/* "F7 | ATOM_F1 atoms=E decode-only | ATOM E" */
static bool take_packet(struct vector_reader *reader, char *text, size_t line,
                        struct vector_case *vector)
{
    char *expected = strchr(text, '|');
    char *elements = expected != NULL ? strchr(expected + 1, '|') : NULL;
    struct vector_packet *packet = &vector->packets[vector->packet_count];
    char *marker;

    if (expected == NULL)
        return wrong(reader, line, "no | and no word that is known: \"%.40s\"", text);
    if (vector->packet_count == VECTOR_PACKETS_MAX)
        return wrong(reader, line, "too many packets");
    *expected++ = '\0';
    if (elements != NULL)
        *elements++ = '\0';
    *packet = (struct vector_packet){.line = line, .offset = vector->size};
    if (!take_bytes(text, vector->bytes, VECTOR_BYTES_MAX, &vector->size))
        return wrong(reader, line, "bytes are two hexadecimal digits, with *N to repeat one");
    packet->length = vector->size - packet->offset;
    if (packet->length == 0)
        return wrong(reader, line, "a packet has at least one byte");
    marker = strstr(expected, "decode-only");
    if (marker != NULL) {
        memset(marker, ' ', strlen("decode-only"));
        packet->decode_only = true;
    }
    packet->expected = strdup(expected);
    packet->elements = elements != NULL ? strdup(elements) : NULL;
    vector->has_elements |= elements != NULL;
    vector->packet_count++;
    return packet->expected != NULL;
}

static bool add_resolved(struct vector_case *vector, const char *text, size_t line)
{
    size_t old = vector->resolved != NULL ? strlen(vector->resolved) : 0;
    char *joined = realloc(vector->resolved, old + strlen(text) + 2);

    if (joined == NULL)
        return false;
    joined[old] = '\0';
    strcat(strcat(joined, old != 0 ? ";" : ""), text);
    vector->resolved = joined;
    if (!vector->has_resolved)
        vector->resolved_line = line;
    vector->has_resolved = true;
    return true;
}

/* "C0-D4,E0 KIND length=1" */
static bool take_headers(struct vector_reader *reader, char *text, size_t line,
                         struct vector_case *vector)
{
    char *ranges = vector_word(&text);
    char *kind = vector_word(&text);
    char *length = vector_word(&text);
    uint64_t number;

    if (length == NULL || strncmp(length, "length=", 7) != 0 || !vector_number(length + 7, &number))
        return wrong(reader, line, "headers RANGES KIND length=N");
    vector->is_headers = true;
    vector->line = line;
    vector->config = reader->config;
    vector->header_length = (size_t)number;
    vector->header_kind = strdup(kind);
    snprintf(vector->name, sizeof(vector->name), "headers %s: %s", ranges, kind);
    for (char *range = strtok(ranges, ","); range != NULL; range = strtok(NULL, ",")) {
        unsigned first = 0, last = 0;
        int got = sscanf(range, "%2x-%2x", &first, &last);

        if (got < 1 || first > 0xff || last > 0xff)
            return wrong(reader, line, "a range is F6 or F6-F7");
        for (unsigned h = first; h <= (got == 1 ? first : last); h++) {
            if (reader->headers_seen[h])
                return wrong(reader, line, "header %02X stands twice", h);
            reader->headers_seen[h] = vector->headers[h] = true;
        }
    }
    memcpy(vector->bytes, reader->start, reader->start_size);
    vector->start = vector->size = reader->start_size;
    return vector->header_kind != NULL;
}

static void begin_case(struct vector_reader *reader, const char *name, size_t line,
                       struct vector_case *vector)
{
    vector->line = line;
    snprintf(vector->name, sizeof(vector->name), "%.*s", (int)strcspn(name, "\n"), name);
    vector->config = reader->config;
    memcpy(vector->bytes, reader->start, reader->start_size);
    vector->start = vector->size = reader->start_size;
}

static bool take_start(char *text, uint8_t *bytes, size_t capacity, size_t *size)
{
    *size = 0;
    return take_bytes(text, bytes, capacity, size);
}

static bool take_case_line(struct vector_reader *reader, char *text, size_t line,
                           struct vector_case *vector)
{
    if (strncmp(text, "config ", 7) == 0) {
        if (!take_config(text + 7, &vector->config))
            return wrong(reader, line, "config: a word is wrong");
    } else if (strncmp(text, "start", 5) == 0) {
        if (vector->packet_count != 0 ||
            !take_start(text + 5, vector->bytes, VECTOR_BYTES_MAX, &vector->size))
            return wrong(reader, line, "start: bytes, before the first packet");
        vector->start = vector->size;
    } else if (strncmp(text, "decode-only", 11) == 0) {
        vector->decode_only = true;
    } else if (text[0] == '=') {
        return add_resolved(vector, text + 1, line);
    } else {
        return take_packet(reader, text, line, vector);
    }
    return true;
}

bool vector_next(struct vector_reader *reader, struct vector_case *vector)
{
    char text[VECTOR_LINE_MAX];
    size_t line = 0;
    bool inside = false;

    vector_clear(vector);
    vector->file = reader->file;
    while (next_line(reader, text, &line)) {
        bool blank = text[strspn(text, " \t\n")] == '\0';

        if (inside) {
            if (blank)
                return true;
            if (!take_case_line(reader, text, line, vector))
                return false;
        } else if (strncmp(text, "case ", 5) == 0) {
            begin_case(reader, text + 5, line, vector);
            inside = true;
        } else if (strncmp(text, "headers ", 8) == 0) {
            return take_headers(reader, text + 8, line, vector);
        } else if (strncmp(text, "config ", 7) == 0) {
            memset(&reader->config, 0, sizeof(reader->config));
            memset(reader->headers_seen, 0, sizeof(reader->headers_seen));
            reader->config.arch = cairn_arch_any_a();
            if (!take_config(text + 7, &reader->config))
                return wrong(reader, line, "config: a word is wrong");
        } else if (strncmp(text, "start", 5) == 0) {
            if (!take_start(text + 5, reader->start, sizeof(reader->start), &reader->start_size))
                return wrong(reader, line, "start: not bytes");
        } else if (strncmp(text, "all-headers", 11) == 0) {
            for (unsigned h = 0; h < 256; h++) {
                if (!reader->headers_seen[h])
                    return wrong(reader, line, "no headers line has %02X", h);
            }
        } else if (!blank) {
            return wrong(reader, line, "outside a case: \"%.40s\"", text);
        }
    }
    return inside;
}
