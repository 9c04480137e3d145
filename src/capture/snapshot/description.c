/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/snapshot/description.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "capture/ini.h"
#include "capture/trace_unit.h"

#define DEFAULT_METADATA "trace.ini"

/* More than any capture has; what comes behind is dropped, with a remark. */
#define DEVICE_LIMIT 8448
#define REGISTER_LIMIT 1024           /* of one device: 4 KiB of registers */
#define DUMP_LIMIT 65536              /* of all devices; and as many epochs */
#define TEXT_LIMIT ((size_t)64 << 20) /* of all files */
#define BUFFER_LIMIT 4224
#define LINK_LIMIT 4224

/* What the handlers of one file share. They stop at the first non-zero status. */
struct parse {
    struct cairn_capture *capture;
    struct cairn_snapshot *snapshot;
    const char *file; /* for remarks */
    const char *full; /* what there is too much of: said once in a row */
    size_t text_size; /* read so far, of all files */
    /* snapshot.ini */
    char **device_files;
    size_t device_file_count, device_file_capacity;
    const char *metadata;
    /* a device's file */
    struct cairn_snapshot_device *device;
    struct cairn_snapshot_dump *range; /* the [dumpN] or [epochN] that the lines are in, or NULL */
    size_t dump_count, epoch_count;    /* of all devices */
    /* trace.ini */
    struct cairn_snapshot_buffer *buffer;
    struct cairn_snapshot_buffer spare; /* takes the keys of buffers beyond the limit */
};

static bool same(const char *one, const char *other)
{
    return strcasecmp(one, other) == 0;
}

static bool begins(const char *text, const char *prefix)
{
    return strncasecmp(text, prefix, strlen(prefix)) == 0;
}

static const char *keep(struct parse *parse, const char *text)
{
    return cairn_arena_text(&parse->capture->arena, text);
}

static int say_malformed(struct parse *parse, const struct cairn_ini_line *line)
{
    cairn_capture_say(parse->capture, CAIRN_WARNING,
                      "%s:%u: \"%.60s\" is neither [section] nor key=value and is ignored.",
                      parse->file, line->number, line->value);
    return CAIRN_OK;
}

static bool is_full(struct parse *parse, size_t count, size_t limit, const char *what)
{
    if (count == limit && parse->full != what) {
        cairn_capture_say(parse->capture, CAIRN_PROBLEM,
                          "%s: has more than %zu %s; the rest is ignored.", parse->file, limit,
                          what);
        parse->full = what;
    }
    return count >= limit;
}

/* `name` in `folder`, with backslashes turned; NULL when memory is out. */
static char *path_of(struct cairn_arena *arena, const char *folder, const char *name)
{
    char *path = *name == '/' ? cairn_arena_text(arena, name)
                              : cairn_arena_format(arena, "%s%s", folder, name);
    if (!path)
        return NULL;
    /* written on Windows; a folder's own name keeps its bytes */
    for (char *at = path + (*name == '/' ? 0 : strlen(folder)); *at; at++) {
        if (*at == '\\')
            *at = '/';
    }
    return path;
}

/* "/dir/file", "C:\dir\file", "\\host\file" */
static bool is_absolute(const char *name)
{
    if (*name == '/' || *name == '\\')
        return true;
    return isalpha((unsigned char)*name) && name[1] == ':';
}

/* The path, or one of another letter case; NULL when there is no such file. */
static const char *existing(struct cairn_capture *capture, const struct cairn_files *files,
                            const char *path)
{
    uint64_t size;
    if (files->size_of(files->context, path, &size))
        return path;
    char *other = files->respell ? cairn_arena_text(&capture->arena, path) : NULL;
    const bool found = other && files->respell(files->context, other) &&
                       files->size_of(files->context, other, &size);
    return found ? other : NULL;
}

const char *cairn_snapshot_find(struct cairn_capture *capture, const struct cairn_files *files,
                                const char *folder, const char *name)
{
    char *path = path_of(&capture->arena, folder, name);
    if (!path)
        return NULL;
    const char *found = existing(capture, files, path);
    if (!found && is_absolute(name)) {
        const char *slash = strrchr(path, '/');
        const char *beside = path_of(&capture->arena, folder, slash ? slash + 1 : path);
        found = beside ? existing(capture, files, beside) : NULL;
        if (found)
            cairn_capture_say(capture, CAIRN_WARNING,
                              "%.300s is not there; %.300s is taken for it. Correct the path if "
                              "that is another file.",
                              name, found);
    } else if (found && found != path) {
        cairn_capture_say(capture, CAIRN_NOTE,
                          "%.300s is taken for %.300s, which differs in letter case only.", found,
                          path);
    }
    return found ? found : path;
}

/* ---- snapshot.ini ---- */

static int snapshot_line(void *context, const struct cairn_ini_line *line)
{
    struct parse *parse = context;
    if (line->kind == CAIRN_INI_MALFORMED)
        return say_malformed(parse, line);
    if (line->kind != CAIRN_INI_PAIR)
        return CAIRN_OK;
    if (same(line->section, "trace") && same(line->key, "metadata")) {
        parse->metadata = keep(parse, line->value);
        return parse->metadata ? CAIRN_OK : CAIRN_E_MEMORY;
    }
    if (same(line->section, "program") && same(line->key, "metadata") && *line->value) {
        parse->snapshot->program = keep(parse, line->value);
        return parse->snapshot->program ? CAIRN_OK : CAIRN_E_MEMORY;
    }
    if (!same(line->section, "device_list") || !*line->value)
        return CAIRN_OK;
    if (is_full(parse, parse->device_file_count, DEVICE_LIMIT, "devices"))
        return CAIRN_OK;
    if (cairn_grow((void **)&parse->device_files, parse->device_file_count,
                   &parse->device_file_capacity, sizeof *parse->device_files) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    char *name = cairn_arena_text(&parse->capture->arena, line->value);
    if (!name)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < parse->device_file_count; i++) {
        if (!strcmp(parse->device_files[i], name)) {
            cairn_capture_say(parse->capture, CAIRN_NOTE, "%s:%u: %.60s is listed twice.",
                              parse->file, line->number, name);
            return CAIRN_OK;
        }
    }
    parse->device_files[parse->device_file_count++] = name;
    return CAIRN_OK;
}

bool cairn_is_snapshot_text(const char *text, size_t size)
{
    (void)size;
    for (const char *at = text; (at = strchr(at, '[')) != NULL; at++) {
        if (begins(at, "[device_list]") || begins(at, "[snapshot]") || begins(at, "[trace]"))
            return true;
    }
    return false;
}

/* ---- a device's file ---- */

static enum cairn_device_class class_of(const char *name)
{
    if (same(name, "core"))
        return CAIRN_DEVICE_CORE;
    return same(name, "trace_source") ? CAIRN_DEVICE_TRACE_SOURCE : CAIRN_DEVICE_OTHER;
}

/* "NAME", "NAME(0x004)", "NAME(id:0x4,size:64)" -> NAME. */
static const char *register_name(struct parse *parse, const char *key)
{
    char *name = cairn_arena_text(&parse->capture->arena, key);
    if (!name)
        return NULL;
    name[strcspn(name, "( \t")] = 0;
    for (char *at = name; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return name;
}

static int device_register(struct parse *parse, const struct cairn_ini_line *line)
{
    struct cairn_snapshot_device *device = parse->device;
    struct cairn_register value = {0};
    if (is_full(parse, device->register_count, REGISTER_LIMIT, "registers"))
        return CAIRN_OK;
    if (!cairn_ini_number(line->value, &value.value)) {
        /* cores have registers of 128 bits and more, which nobody asks for */
        if (device->class != CAIRN_DEVICE_CORE)
            cairn_capture_say(parse->capture, CAIRN_WARNING,
                              "%s:%u: \"%.40s\" is no value for %.40s (a decimal number, or "
                              "hexadecimal with 0x, of up to 64 bits); the register is left out.",
                              parse->file, line->number, line->value, line->key);
        return CAIRN_OK;
    }
    value.name = register_name(parse, line->key);
    if (!value.name ||
        cairn_grow((void **)&device->registers, device->register_count, &device->register_capacity,
                   sizeof *device->registers) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    device->registers[device->register_count++] = value;
    return CAIRN_OK;
}

/* Begins a [dumpN] or [epochN]: parse->range, which stays NULL beyond the limit. */
static int begin_range(struct parse *parse, const char *section, const char *what, size_t *total,
                       struct cairn_snapshot_dump **list, size_t *count, size_t *capacity)
{
    if (is_full(parse, *total, DUMP_LIMIT, what))
        return CAIRN_OK;
    if (cairn_grow((void **)list, *count, capacity, sizeof **list) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    const struct cairn_snapshot_dump range = {.section = keep(parse, section)};
    if (!range.section)
        return CAIRN_E_MEMORY;
    parse->range = &(*list)[(*count)++];
    *parse->range = range;
    ++*total;
    return CAIRN_OK;
}

static int begin_section(struct parse *parse, const char *section)
{
    struct cairn_snapshot_device *device = parse->device;
    parse->range = NULL;
    if (begins(section, "dump"))
        return begin_range(parse, section, "dumps", &parse->dump_count, &device->dumps,
                           &device->dump_count, &device->dump_capacity);
    if (begins(section, "epoch") && !same(section, "epochs"))
        return begin_range(parse, section, "epochs", &parse->epoch_count, &device->epochs,
                           &device->epoch_count, &device->epoch_capacity);
    return CAIRN_OK;
}

static void range_number(struct parse *parse, const struct cairn_ini_line *line, uint64_t *value,
                         bool *has)
{
    if (cairn_ini_number(line->value, value)) {
        *has = true;
        return;
    }
    parse->range->broken = true;
    cairn_capture_say(parse->capture, CAIRN_WARNING,
                      "%s:%u: \"%.40s\" is no number for %s; it is ignored.", parse->file,
                      line->number, line->value, line->key);
}

static int range_key(struct parse *parse, const struct cairn_ini_line *line)
{
    struct cairn_snapshot_dump *range = parse->range;
    if (same(line->key, "file"))
        return (range->file = keep(parse, line->value)) ? CAIRN_OK : CAIRN_E_MEMORY;
    if (same(line->key, "space"))
        return (range->space = keep(parse, line->value)) ? CAIRN_OK : CAIRN_E_MEMORY;
    if (same(line->key, "address"))
        range_number(parse, line, &range->address, &range->has_address);
    else if (same(line->key, "length"))
        range_number(parse, line, &range->length, &range->has_length);
    else if (same(line->key, "offset"))
        range_number(parse, line, &range->offset, &(bool){false});
    else if (same(line->key, "from"))
        range_number(parse, line, &range->from, &range->has_from);
    else if (same(line->key, "to"))
        range_number(parse, line, &range->to, &range->has_to);
    return CAIRN_OK;
}

static int device_key(struct parse *parse, const struct cairn_ini_line *line)
{
    struct cairn_snapshot_device *device = parse->device;
    if (same(line->key, "class")) {
        device->class = class_of(line->value);
        return CAIRN_OK;
    }
    const char **to = same(line->key, "name")   ? &device->name
                      : same(line->key, "type") ? &device->type
                                                : NULL;
    if (!to || !*line->value)
        return CAIRN_OK;
    return (*to = keep(parse, line->value)) ? CAIRN_OK : CAIRN_E_MEMORY;
}

static int device_line(void *context, const struct cairn_ini_line *line)
{
    struct parse *parse = context;
    switch (line->kind) {
    case CAIRN_INI_MALFORMED: return say_malformed(parse, line);
    case CAIRN_INI_SECTION: return begin_section(parse, line->section);
    case CAIRN_INI_PAIR: break;
    }
    if (parse->range)
        return range_key(parse, line);
    if (same(line->section, "epochs") && same(line->key, "lost"))
        cairn_ini_number(line->value, &parse->device->epochs_lost);
    if (same(line->section, "epochs") && same(line->key, "from"))
        cairn_ini_number(line->value, &parse->device->lost_from);
    if (same(line->section, "device"))
        return device_key(parse, line);
    return same(line->section, "regs") ? device_register(parse, line) : CAIRN_OK;
}

/* ---- trace.ini ---- */

static struct cairn_snapshot_buffer *buffer_of_section(struct parse *parse, const char *section)
{
    struct cairn_snapshot *snapshot = parse->snapshot;
    for (size_t i = 0; i < snapshot->buffer_count; i++) {
        if (same(snapshot->buffers[i].section, section))
            return &snapshot->buffers[i];
    }
    if (is_full(parse, snapshot->buffer_count, BUFFER_LIMIT, "buffers"))
        return &parse->spare;
    if (cairn_grow((void **)&snapshot->buffers, snapshot->buffer_count, &snapshot->buffer_capacity,
                   sizeof *snapshot->buffers) != CAIRN_OK)
        return NULL;
    const char *name = keep(parse, section);
    if (!name)
        return NULL;
    snapshot->buffers[snapshot->buffer_count] = (struct cairn_snapshot_buffer){.section = name};
    return &snapshot->buffers[snapshot->buffer_count++];
}

static int buffer_list(struct parse *parse, const char *value)
{
    char *list = cairn_arena_text(&parse->capture->arena, value);
    if (!list)
        return CAIRN_E_MEMORY;
    parse->snapshot->has_buffer_list = true;
    for (char *item; (item = cairn_ini_item(&list)) != NULL;) {
        struct cairn_snapshot_buffer *buffer = buffer_of_section(parse, item);
        if (!buffer)
            return CAIRN_E_MEMORY;
        buffer->listed = true;
    }
    return CAIRN_OK;
}

static int buffer_key(struct parse *parse, const struct cairn_ini_line *line)
{
    struct cairn_snapshot_buffer *buffer = parse->buffer;
    const char **to = same(line->key, "name")     ? &buffer->name
                      : same(line->key, "file")   ? &buffer->file
                      : same(line->key, "format") ? &buffer->format
                                                  : NULL;
    if (!to || !*line->value)
        return CAIRN_OK;
    return (*to = keep(parse, line->value)) ? CAIRN_OK : CAIRN_E_MEMORY;
}

/* A value may be a list: "cpu_0=ETM_0,STM_0". */
static int add_links(struct parse *parse, const struct cairn_ini_line *line,
                     struct cairn_snapshot_link **links, size_t *count, size_t *capacity)
{
    char *list = cairn_arena_text(&parse->capture->arena, line->value);
    const char *from = keep(parse, line->key);
    if (!list || !from)
        return CAIRN_E_MEMORY;
    for (char *item; (item = cairn_ini_item(&list)) != NULL;) {
        if (is_full(parse, *count, LINK_LIMIT, "sources"))
            break;
        if (cairn_grow((void **)links, *count, capacity, sizeof **links) != CAIRN_OK)
            return CAIRN_E_MEMORY;
        (*links)[(*count)++] = (struct cairn_snapshot_link){.from = from, .to = item};
    }
    return CAIRN_OK;
}

static int trace_line(void *context, const struct cairn_ini_line *line)
{
    struct parse *parse = context;
    struct cairn_snapshot *snapshot = parse->snapshot;
    switch (line->kind) {
    case CAIRN_INI_MALFORMED: return say_malformed(parse, line);
    case CAIRN_INI_SECTION:
        parse->buffer = NULL;
        snapshot->has_source_buffers |= same(line->section, "source_buffers");
        if (begins(line->section, "buffer")) {
            parse->buffer = buffer_of_section(parse, line->section);
            return parse->buffer ? CAIRN_OK : CAIRN_E_MEMORY;
        }
        for (size_t i = 0; i < snapshot->buffer_count; i++) {
            if (same(snapshot->buffers[i].section, line->section))
                parse->buffer = &snapshot->buffers[i];
        }
        return CAIRN_OK;
    case CAIRN_INI_PAIR: break;
    }
    if (parse->buffer)
        return buffer_key(parse, line);
    if (same(line->section, "trace_buffers") && same(line->key, "buffers"))
        return buffer_list(parse, line->value);
    if (same(line->section, "source_buffers"))
        return add_links(parse, line, &snapshot->source_buffers, &snapshot->source_buffer_count,
                         &snapshot->source_buffer_capacity);
    if (same(line->section, "core_trace_sources"))
        return add_links(parse, line, &snapshot->core_sources, &snapshot->core_source_count,
                         &snapshot->core_source_capacity);
    return CAIRN_OK;
}

/* ---- the files together ---- */

static cairn_status read_ini(struct parse *parse, const struct cairn_files *files, const char *path,
                             cairn_ini_handler *handler, struct cairn_error *error)
{
    char *text;
    size_t size;
    const cairn_status status = files->read_text(files->context, path, &text, &size, error);
    if (status != CAIRN_OK)
        return status;
    parse->text_size += size;
    if (parse->text_size > TEXT_LIMIT) {
        free(text);
        return cairn_fail(error, CAIRN_E_LIMIT,
                          "%s: the snapshot's INI files are longer than 64 MiB together; no "
                          "debugger writes such",
                          path);
    }
    const int stop = cairn_ini_read(text, size, handler, parse);
    free(text);
    if (stop)
        return cairn_fail(error, (cairn_status)stop, "%s: not enough memory to read it", path);
    return CAIRN_OK;
}

bool cairn_is_trace_unit(const struct cairn_snapshot_device *device)
{
    return device->class == CAIRN_DEVICE_TRACE_SOURCE ||
           (device->type && cairn_protocol_of_type(device->type));
}

/* Cores keep what listings ask for. */
static void keep_of_core(struct cairn_snapshot_device *device)
{
    size_t kept = 0;
    for (size_t i = 0; i < device->register_count; i++) {
        if (cairn_is_core_register(device->registers[i].name))
            device->registers[kept++] = device->registers[i];
    }
    device->register_count = kept;
}

/* Of a register that occurs twice the last value counts. */
static cairn_status settle_registers(struct cairn_capture *capture,
                                     struct cairn_snapshot_device *device)
{
    if (device->class == CAIRN_DEVICE_CORE && !cairn_is_trace_unit(device))
        keep_of_core(device);
    size_t kept = 0;
    for (size_t i = 0; i < device->register_count; i++) {
        const struct cairn_register one = device->registers[i];
        size_t at = 0;
        while (at < kept && strcmp(device->registers[at].name, one.name))
            at++;
        if (at < kept && device->registers[at].value != one.value)
            cairn_capture_say(capture, CAIRN_WARNING,
                              "%s: %s is given twice with different values; the last one counts.",
                              device->ini, one.name);
        device->registers[at] = one;
        kept += at == kept;
    }
    device->register_count = kept;
    struct cairn_register *in_arena =
        cairn_arena_alloc(&capture->arena, kept * sizeof *device->registers);
    if (!in_arena)
        return CAIRN_E_MEMORY;
    if (kept)
        memcpy(in_arena, device->registers, kept * sizeof *in_arena);
    free(device->registers);
    device->registers = NULL;
    device->settled = in_arena;
    return CAIRN_OK;
}

static cairn_status read_device(struct parse *parse, const struct cairn_files *files,
                                const char *folder, const char *ini, struct cairn_error *error)
{
    struct cairn_snapshot *snapshot = parse->snapshot;
    const char *path = cairn_snapshot_find(parse->capture, files, folder, ini);
    if (!path || cairn_grow((void **)&snapshot->devices, snapshot->device_count,
                            &snapshot->device_capacity, sizeof *snapshot->devices) != CAIRN_OK)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to read it", ini);
    struct cairn_snapshot_device *device = &snapshot->devices[snapshot->device_count];
    memset(device, 0, sizeof *device);
    device->ini = ini;
    snapshot->device_count++;
    parse->device = device;
    parse->file = ini;
    parse->range = NULL;
    const cairn_status status = read_ini(parse, files, path, device_line, error);
    if (status == CAIRN_E_MEMORY || status == CAIRN_E_LIMIT)
        return status;
    if (status != CAIRN_OK)
        cairn_capture_say_as(
            parse->capture, "CAIRN-MISSING-FILE", CAIRN_PROBLEM,
            "%s: the device list names this file, but it cannot be read: its device "
            "and memory are not known. Add the file, or take it off the list.",
            path);
    else if (!device->name)
        cairn_capture_say(parse->capture, CAIRN_WARNING,
                          "%s: the device has no name= in [device], so nothing can refer to it.",
                          path);
    if (settle_registers(parse->capture, device) != CAIRN_OK)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to read it", path);
    return CAIRN_OK;
}

static cairn_status read_trace(struct parse *parse, const struct cairn_files *files,
                               const char *ini_path, const char *folder, struct cairn_error *error)
{
    const char *name = parse->metadata && *parse->metadata ? parse->metadata : DEFAULT_METADATA;
    const char *path = cairn_snapshot_find(parse->capture, files, folder, name);
    if (!path)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to read it", name);
    parse->file = name;
    parse->buffer = NULL;
    const cairn_status status = read_ini(parse, files, path, trace_line, error);
    if (status == CAIRN_E_NOT_FOUND)
        return cairn_fail(error, CAIRN_E_NOT_FOUND,
                          "%s: is missing, and without it no trace buffer is known; %s must name "
                          "the trace metadata in [trace] metadata=",
                          path, ini_path);
    if (status == CAIRN_OK && !(parse->metadata && *parse->metadata))
        cairn_capture_say(parse->capture, CAIRN_NOTE,
                          "%s has no [trace] metadata=; " DEFAULT_METADATA " is used.", ini_path);
    return status;
}

cairn_status cairn_snapshot_describe(struct cairn_capture *capture, const struct cairn_files *files,
                                     const char *ini_path, const char *folder,
                                     struct cairn_snapshot *snapshot, struct cairn_error *error)
{
    struct parse parse = {.capture = capture, .snapshot = snapshot, .file = ini_path};
    memset(snapshot, 0, sizeof *snapshot);
    cairn_status status = read_ini(&parse, files, ini_path, snapshot_line, error);
    if (status == CAIRN_E_NOT_FOUND)
        cairn_fail(error, status, "%s: does not exist; give a snapshot's folder", ini_path);
    for (size_t i = 0; i < parse.device_file_count && status == CAIRN_OK; i++)
        status = read_device(&parse, files, folder, parse.device_files[i], error);
    if (status == CAIRN_OK)
        status = read_trace(&parse, files, ini_path, folder, error);
    free(parse.device_files);
    return status;
}

void cairn_snapshot_free(struct cairn_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->device_count; i++) {
        free(snapshot->devices[i].registers);
        free(snapshot->devices[i].dumps);
        free(snapshot->devices[i].epochs);
    }
    free(snapshot->devices);
    free(snapshot->buffers);
    free(snapshot->source_buffers);
    free(snapshot->core_sources);
    memset(snapshot, 0, sizeof *snapshot);
}
