/* SPDX-License-Identifier: BSD-2-Clause */
/* A log's bytes into lines, and who its processors are. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/tarmac/line.h"

enum { BUFFER_SIZE = 256 * 1024 };

struct cpu {
    char name[CAIRN_TARMAC_NAME];
    uint64_t time;
    uint8_t unit;
};

struct cairn_tarmac_reader {
    cairn_tarmac_read *read;
    void *context;
    int fd;            /* to close, or -1 */
    size_t begin, end; /* of what the buffer holds */
    bool at_end;
    bool skipping; /* inside a line that is too long */
    uint32_t cpu;  /* of the last line */
    uint32_t cpu_count;
    struct cairn_tarmac_counts counts;
    struct cairn_tarmac_line line;
    struct cpu cpus[CAIRN_TARMAC_CPUS];
    char buffer[BUFFER_SIZE + 1]; /* and the byte that ends the last line */
};

cairn_status cairn_tarmac_reader_new(cairn_tarmac_read *read_bytes, void *context,
                                     struct cairn_tarmac_reader **reader)
{
    struct cairn_tarmac_reader *r = calloc(1, sizeof *r);

    if (!r)
        return CAIRN_E_MEMORY;
    r->read = read_bytes;
    r->context = context;
    r->fd = -1;
    *reader = r;
    return CAIRN_OK;
}

static long read_file(void *context, char *bytes, size_t size)
{
    const struct cairn_tarmac_reader *reader = context;
    ssize_t got;

    do
        got = read(reader->fd >= 0 ? reader->fd : STDIN_FILENO, bytes, size);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

cairn_status cairn_tarmac_reader_open(const char *path, struct cairn_tarmac_reader **reader,
                                      struct cairn_error *error)
{
    struct cairn_tarmac_reader *r;
    int fd = -1;

    if (strcmp(path, "-") != 0) {
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            return cairn_fail(error, CAIRN_E_IO, "%s: %s", path, strerror(errno));
    }
    if (cairn_tarmac_reader_new(read_file, NULL, &r)) {
        if (fd >= 0)
            close(fd);
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: no memory for its reader", path);
    }
    r->context = r;
    r->fd = fd;
    *reader = r;
    return CAIRN_OK;
}

void cairn_tarmac_reader_free(struct cairn_tarmac_reader *reader)
{
    if (!reader)
        return;
    if (reader->fd >= 0)
        close(reader->fd);
    free(reader);
}

const struct cairn_tarmac_counts *
cairn_tarmac_reader_counts(const struct cairn_tarmac_reader *reader)
{
    return &reader->counts;
}

const char *cairn_tarmac_reader_cpu(const struct cairn_tarmac_reader *reader, uint32_t cpu)
{
    return cpu < reader->cpu_count ? reader->cpus[cpu].name : NULL;
}

/* Finds a processor by its name, or adds it. False when there are too many. */
static bool find_cpu(struct cairn_tarmac_reader *reader, const char *name, size_t size,
                     bool may_add)
{
    for (uint32_t i = 0; i < reader->cpu_count; i++) {
        /* Lines of a processor often follow each other: begin with the last one. */
        const uint32_t cpu = (reader->cpu + i) % reader->cpu_count;
        if (!memcmp(reader->cpus[cpu].name, name, size) && !reader->cpus[cpu].name[size]) {
            reader->cpu = cpu;
            return true;
        }
    }
    if (!may_add || reader->cpu_count == CAIRN_TARMAC_CPUS)
        return false;
    memcpy(reader->cpus[reader->cpu_count].name, name, size);
    reader->cpu = reader->cpu_count++;
    return true;
}

/* Who a line speaks of: a line without a name speaks of who the line before it spoke of. */
static bool whose(struct cairn_tarmac_reader *reader, const struct cairn_tarmac_record *record)
{
    const struct cairn_tarmac_line *line = &reader->line;

    /* Of lines without a time only instructions are sure enough to be believed a new name. */
    if (line->cpu)
        return find_cpu(reader, line->cpu, line->cpu_size,
                        line->unit || record->kind == CAIRN_TARMAC_INSTRUCTION);
    return reader->cpu_count || find_cpu(reader, "cpu0", 4, true);
}

static void note(struct cairn_tarmac_reader *reader, const char *text, size_t size)
{
    struct cairn_tarmac_counts *counts = &reader->counts;

    counts->unparsable++;
    if (counts->note_count == CAIRN_TARMAC_NOTES)
        return;
    struct cairn_tarmac_note *n = &counts->notes[counts->note_count++];
    size_t i = 0;
    for (; i < size && i + 1 < sizeof n->text; i++)
        n->text[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : text[i] == '\t' ? ' ' : '?';
    n->text[i] = 0;
    n->line = counts->lines;
}

/* Fills the buffer behind what is left in it. */
static cairn_status fill(struct cairn_tarmac_reader *reader, struct cairn_error *error)
{
    memmove(reader->buffer, reader->buffer + reader->begin, reader->end - reader->begin);
    reader->end -= reader->begin;
    reader->begin = 0;
    const long got =
        reader->read(reader->context, reader->buffer + reader->end, BUFFER_SIZE - reader->end);
    if (got < 0)
        return cairn_fail(error, CAIRN_E_IO, "the log cannot be read behind line %llu: %s",
                          (unsigned long long)reader->counts.lines, strerror((int)-got));
    if (!got)
        reader->at_end = true;
    reader->end += (size_t)got;
    reader->counts.bytes += (uint64_t)got;
    return CAIRN_OK;
}

/* The next line, without its end. False when there is none, or *status says why. */
static bool next_line(struct cairn_tarmac_reader *reader, const char **text, size_t *size,
                      cairn_status *status, struct cairn_error *error)
{
    for (;;) {
        const size_t left = reader->end - reader->begin;
        char *const start = reader->buffer + reader->begin;
        char *const stop = memchr(start, '\n', left);
        if (stop || (reader->at_end && left)) {
            *text = start;
            *size = stop ? (size_t)(stop - start) : left;
            reader->line.complete = stop != NULL;
            reader->begin += stop ? *size + 1 : left;
            if (!stop)
                reader->buffer[reader->end] = 0;
            if (reader->skipping) {
                reader->skipping = false;
                continue;
            }
            reader->counts.lines++;
            return true;
        }
        if (reader->at_end)
            return false;
        if (left >= CAIRN_TARMAC_LINE) {
            if (!reader->skipping) {
                reader->counts.lines++;
                note(reader, start, CAIRN_TARMAC_LINE);
            }
            reader->skipping = true;
            reader->begin = reader->end = 0;
        }
        *status = fill(reader, error);
        if (*status)
            return false;
    }
}

static void stamp(struct cairn_tarmac_reader *reader, struct cairn_tarmac_record *record)
{
    struct cpu *cpu = &reader->cpus[reader->cpu];

    if (reader->line.unit) {
        cpu->time = reader->line.time;
        cpu->unit = reader->line.unit;
    }
    record->line = reader->counts.lines;
    record->cpu = reader->cpu;
    record->time = cpu->time;
    record->unit = cpu->unit;
}

cairn_status cairn_tarmac_next(struct cairn_tarmac_reader *reader,
                               struct cairn_tarmac_record *record, struct cairn_error *error)
{
    struct cairn_tarmac_counts *counts = &reader->counts;
    cairn_status status = CAIRN_OK;
    const char *text;
    size_t size;

    while (next_line(reader, &text, &size, &status, error)) {
        enum cairn_tarmac_verdict verdict = CAIRN_TARMAC_UNPARSABLE;
        if (size < CAIRN_TARMAC_LINE)
            verdict = cairn_tarmac_line_parse(text, size, &reader->line, record);
        if (verdict == CAIRN_TARMAC_RECORD && !whose(reader, record))
            verdict = CAIRN_TARMAC_UNPARSABLE;
        switch (verdict) {
        case CAIRN_TARMAC_OTHER: counts->other++; continue;
        case CAIRN_TARMAC_UNKNOWN: counts->unknown++; continue;
        case CAIRN_TARMAC_UNPARSABLE: note(reader, text, size); continue;
        case CAIRN_TARMAC_RECORD: break;
        }
        stamp(reader, record);
        if (record->kind == CAIRN_TARMAC_INSTRUCTION)
            counts->instructions++;
        else if (record->kind == CAIRN_TARMAC_REGISTER)
            counts->registers++;
        else if (record->kind == CAIRN_TARMAC_EVENT)
            counts->events++;
        else
            counts->other++;
        return CAIRN_OK;
    }
    record->kind = CAIRN_TARMAC_END;
    return status;
}
