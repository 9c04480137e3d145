/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/snapshot/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "protocol/about.h"

#define ANY_MOST 4095u /* bytes of a value of program.ini: as of a path */

/* A file in the making; `lost` when memory was out. */
struct text {
    char *bytes;
    size_t size, capacity;
    bool lost;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
    for (int tries = 0; tries < 2 && !text->lost; tries++) {
        const size_t room = text->capacity - text->size;
        va_list arguments;
        va_start(arguments, format);
        const int length =
            vsnprintf(room ? text->bytes + text->size : NULL, room, format, arguments);
        va_end(arguments);
        if (length >= 0 && (size_t)length < room) {
            text->size += (size_t)length;
            return;
        }
        const size_t capacity = text->capacity * 2 + (length < 0 ? 0 : (size_t)length) + 1024;
        char *grown = length < 0 ? NULL : realloc(text->bytes, capacity);
        if (grown) {
            text->bytes = grown;
            text->capacity = capacity;
        }
        text->lost = !grown;
    }
}

/* A value that must stay on its line, and must not be taken for a comment. */
static void add_line(struct text *text, const char *key, const char *value)
{
    char line[1024];
    size_t length = 0;
    for (const char *at = value; *at && length < sizeof line - 1; at++) {
        const bool control = (unsigned char)*at < 0x20 || *at == 0x7f;
        const bool comment = (*at == ';' || *at == '#') && length && line[length - 1] == ' ';
        line[length++] = control ? ' ' : comment ? ',' : *at;
    }
    line[length] = 0;
    add(text, "%s=%s\n", key, line);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Whether a reader gives the value back as it is: the rules of capture/ini.h. */
static bool is_plain(const char *value)
{
    const size_t length = strlen(value);

    if (length && (strchr("\"' ", value[0]) || is_blank(value[length - 1])))
        return false;
    for (size_t i = 0; i < length; i++) {
        const bool control = (unsigned char)value[i] < 0x20 || value[i] == 0x7f;
        const bool comment = value[i] == ';' || value[i] == '#';

        if (control || (comment && (i == 0 || is_blank(value[i - 1]))))
            return false;
    }
    return true;
}

/* A value of program.ini, where it can be anything: "KEY%=" and %20 for a blank, where it is not plain. */
static void add_any(struct text *text, const char *key, const char *value)
{
    const bool plain = is_plain(value);

    add(text, plain ? "%s=" : "%s%%=", key);
    for (size_t i = 0; value[i] && i < ANY_MOST; i++) {
        const unsigned char c = (unsigned char)value[i];
        const bool escaped = !plain && (c <= ' ' || c == 0x7f || strchr("%\"';#", c));

        add(text, escaped ? "%%%02X" : "%c", c);
    }
    add(text, "\n");
}

/* Writes and frees the text. A link in the file's place is not followed. */
static cairn_status write_text(const struct cairn_snapshot_parts *parts, const char *name,
                               const char *suffix, struct text *text, struct cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    const size_t size = strlen(parts->folder) + strlen(name) + strlen(suffix) + 2;
    char *path = malloc(size);
    if (!path || text->lost) {
        status = cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to write the snapshot",
                            parts->folder);
    } else {
        snprintf(path, size, "%s/%s%s", parts->folder, name, suffix);
        unlink(path);
        FILE *file = fopen(path, "wbx");
        bool done = file && fwrite(text->bytes, 1, text->size, file) == text->size;
        int number = errno;
        if (file && fclose(file) != 0 && done) {
            done = false;
            number = errno;
        }
        char reason[128];
        if (!done)
            status = cairn_fail(error, CAIRN_E_IO, "%s: cannot be written: %s", path,
                                strerror_r(number, reason, sizeof reason));
    }
    free(path);
    free(text->bytes);
    *text = (struct text){0};
    return status;
}

static void add_span(struct text *text, const struct cairn_snapshot_span *span)
{
    add(text, "file=%s\naddress=0x%" PRIx64 "\nlength=0x%" PRIx64 "\n", span->file, span->address,
        span->length);
    if (span->offset)
        add(text, "offset=0x%" PRIx64 "\n", span->offset);
    if (span->space)
        add(text, "space=%s\n", span->space);
}

/* ---- a trace source ---- */

static void add_register(struct text *text, const struct cairn_about *about, const char *name,
                         uint64_t value)
{
    const struct cairn_register_number *found = about->numbers;

    while (found && found->name && strcmp(found->name, name))
        found++;
    if (found && found->name)
        add(text, "%s(0x%03x)=0x%08" PRIx64 "\n", name, found->number, value);
    else
        add(text, "%s=0x%" PRIx64 "\n", name, value);
}

/* Some readers want an ID even where a buffer has no frames; that two then have the same one does
 * no harm. */
static uint64_t id_of(size_t index)
{
    return 1 + index % 0x6f;
}

static const char *type_of(const struct cairn_about *about,
                           const struct cairn_snapshot_stream *stream)
{
    return about->type_of ? about->type_of(stream->registers, stream->register_count) : about->type;
}

bool cairn_snapshot_takes(enum cairn_protocol_id protocol)
{
    const struct cairn_about *about = cairn_about(protocol);

    return about->type_of || about->type;
}

static cairn_status write_source(const struct cairn_snapshot_parts *parts, size_t index,
                                 struct cairn_error *error)
{
    const struct cairn_snapshot_stream *stream = &parts->streams[index];
    const struct cairn_about *about = cairn_about(stream->protocol);
    const char *id = about->id_registers ? *about->id_registers : NULL;
    bool has_id = false;
    struct text text = {0};
    add(&text, "[device]\nname=%s\nclass=trace_source\ntype=%s\n\n[regs]\n", stream->name,
        type_of(about, stream));
    for (size_t i = 0; i < stream->register_count; i++) {
        const bool is_id = id && !strcasecmp(stream->registers[i].name, id);
        has_id |= is_id;
        add_register(&text, about, stream->registers[i].name,
                     is_id && !stream->registers[i].value ? id_of(index)
                                                          : stream->registers[i].value);
    }
    if (id && !has_id)
        add_register(&text, about, id, id_of(index));
    if (stream->epochs_lost)
        add(&text, "\n[epochs]\nlost=%" PRIu64 "\n", stream->epochs_lost);
    if (stream->epochs_lost && stream->lost_from)
        add(&text, "from=0x%" PRIx64 "\n", stream->lost_from);
    for (size_t i = 0; i < stream->epoch_count; i++) {
        const struct cairn_snapshot_epoch *epoch = &stream->epochs[i];
        add(&text, "\n[epoch%zu]\n", i + 1);
        add_span(&text, &epoch->span);
        add(&text, "from=0x%" PRIx64 "\n", epoch->from);
        if (epoch->to != UINT64_MAX)
            add(&text, "to=0x%" PRIx64 "\n", epoch->to);
    }
    return write_text(parts, stream->name, ".ini", &text, error);
}

/* ---- a core ---- */

static bool has_one_core(const struct cairn_snapshot_parts *parts)
{
    return parts->stream_count &&
           parts->memory_count > CAIRN_SNAPSHOT_REPEATED_MOST / parts->stream_count;
}

static const char *core_of(const struct cairn_snapshot_parts *parts, size_t index)
{
    return parts->streams[has_one_core(parts) ? 0 : index].core;
}

static cairn_status write_core(const struct cairn_snapshot_parts *parts, size_t index,
                               struct cairn_error *error)
{
    const struct cairn_snapshot_stream *stream = &parts->streams[index];
    struct text text = {0};
    add(&text, "[device]\nname=%s\nclass=core\n", stream->core);
    if (stream->core_type)
        add_line(&text, "type", stream->core_type);
    add(&text, "\n[regs]\n");
    for (size_t i = 0; i < parts->memory_count; i++) {
        add(&text, "\n[dump%zu]\n", i + 1);
        add_span(&text, &parts->memory[i]);
    }
    return write_text(parts, stream->core, ".ini", &text, error);
}

/* ---- all together ---- */

static cairn_status write_trace(const struct cairn_snapshot_parts *parts, struct cairn_error *error)
{
    struct text text = {0};
    add(&text, "[trace_buffers]\nbuffers=");
    for (size_t i = 0; i < parts->stream_count; i++)
        add(&text, "%sbuffer%zu", i ? "," : "", i);
    add(&text, "\n");
    for (size_t i = 0; i < parts->stream_count; i++)
        add(&text, "\n[buffer%zu]\nname=%s\nfile=%s\nformat=source_data\n", i,
            parts->streams[i].name, parts->streams[i].file);
    add(&text, "\n[source_buffers]\n");
    for (size_t i = 0; i < parts->stream_count; i++)
        add(&text, "%s=%s\n", parts->streams[i].name, parts->streams[i].name);
    add(&text, "\n[core_trace_sources]\n");
    for (size_t i = 0; i < parts->stream_count; i++)
        add(&text, "%s=%s\n", core_of(parts, i), parts->streams[i].name);
    return write_text(parts, "trace", ".ini", &text, error);
}

static bool has_program(const struct cairn_snapshot_parts *parts)
{
    bool has = parts->program || parts->arguments || parts->lines || parts->module_count;

    for (size_t i = 0; i < parts->stream_count; i++)
        has = has || parts->streams[i].thread_id;
    return has;
}

static void add_module(struct text *text, const struct cairn_snapshot_module *module, size_t number)
{
    add(text, "\n[module%zu]\n", number);
    add_any(text, "path", module->path);
    if (module->build_id)
        add(text, "build_id=%s\n", module->build_id);
    if (module->file)
        add(text, "file=%s\n", module->file);
    add(text, "bias=0x%" PRIx64 "\n", module->bias);
    if (module->length)
        add(text, "address=0x%" PRIx64 "\nlength=0x%" PRIx64 "\n", module->address, module->length);
    if (module->ranges)
        add(text, "sources=%zu\n", module->range_count);
    for (size_t i = 0; i < module->range_count; i++) {
        const struct cairn_snapshot_range *range = &module->ranges[i];
        add(text, "range(%s)=0x%" PRIx64, range->stream, range->from);
        if (range->to != UINT64_MAX)
            add(text, "-0x%" PRIx64, range->to);
        add(text, "\n");
    }
}

static void add_list(struct text *text, const char *key, char *const *list)
{
    for (size_t i = 0; list && list[i]; i++) {
        char numbered[32];
        snprintf(numbered, sizeof numbered, "%s%zu", key, i);
        add_any(text, numbered, list[i]);
    }
}

static void add_thread(struct text *text, const struct cairn_snapshot_stream *stream)
{
    if (!stream->thread_id)
        return;
    add(text, "\n[thread %s]\nid=%" PRIu64 "\n", stream->name, stream->thread_id);
    if (stream->thread_name)
        add_line(text, "name", stream->thread_name);
}

static void add_program(struct text *text, const struct cairn_snapshot_parts *parts)
{
    const struct {
        const char *key, *value;
    } told[] = {{"path", parts->program},  {"signal", parts->signal}, {"folder", parts->started_in},
                {"recorder", parts->tool}, {"host", parts->host},     {"guest", parts->guest}};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        if (told[i].value)
            add_any(text, told[i].key, told[i].value);
    add_list(text, "argument", parts->arguments);
    if (parts->exit_status >= 0)
        add(text, "exit_status=%d\n", parts->exit_status);
    add_list(text, "environment", parts->environment);
}

char *cairn_snapshot_program_lines(const struct cairn_snapshot_parts *parts)
{
    struct text text = {0};

    add(&text, "%s", "");
    add_program(&text, parts);
    if (text.lost) {
        free(text.bytes);
        return NULL;
    }
    return text.bytes;
}

static cairn_status write_program(const struct cairn_snapshot_parts *parts,
                                  struct cairn_error *error)
{
    struct text text = {0};
    add(&text, "[program]\n");
    if (parts->lines)
        add(&text, "%s", parts->lines);
    else
        add_program(&text, parts);
    for (size_t i = 0; i < parts->stream_count; i++)
        add_thread(&text, &parts->streams[i]);
    for (size_t i = 0; i < parts->module_count; i++)
        add_module(&text, &parts->modules[i], i + 1);
    return write_text(parts, "program", ".ini", &text, error);
}

static cairn_status write_list(const struct cairn_snapshot_parts *parts, struct cairn_error *error)
{
    struct text text = {0};
    size_t devices = 0;
    add(&text, "[snapshot]\nversion=1.0\n");
    if (parts->description)
        add_line(&text, "description", parts->description);
    if (parts->recorder)
        add_line(&text, "recorder", parts->recorder);
    add(&text, "\n[device_list]\n");
    for (size_t i = 0; i < parts->stream_count; i++) {
        if (!i || !has_one_core(parts))
            add(&text, "device%zu=%s.ini\n", devices++, parts->streams[i].core);
        add(&text, "device%zu=%s.ini\n", devices++, parts->streams[i].name);
    }
    add(&text, "\n[trace]\nmetadata=trace.ini\n");
    if (has_program(parts))
        add(&text, "\n[program]\nmetadata=program.ini\n");
    return write_text(parts, "snapshot", ".ini", &text, error);
}

cairn_status cairn_snapshot_write(const struct cairn_snapshot_parts *parts,
                                  struct cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    for (size_t i = 0; i < parts->stream_count && status == CAIRN_OK; i++) {
        if (!cairn_snapshot_takes(parts->streams[i].protocol))
            return cairn_fail(
                error, CAIRN_E_ARGUMENT,
                "%s: a snapshot is written of ETE, ETMv4, ETMv3, PTM and MTB sources only",
                parts->streams[i].name);
        if (!i || !has_one_core(parts))
            status = write_core(parts, i, error);
        if (status == CAIRN_OK)
            status = write_source(parts, i, error);
    }
    if (status == CAIRN_OK)
        status = write_trace(parts, error);
    if (status == CAIRN_OK && has_program(parts))
        status = write_program(parts, error);
    return status == CAIRN_OK ? write_list(parts, error) : status;
}
