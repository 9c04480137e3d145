/* SPDX-License-Identifier: BSD-2-Clause */
/* A snapshot's description made a capture: buffers, one source for each (trace source, buffer), and
 * the cores' memory. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "capture/detect.h"
#include "capture/snapshot/description.h"
#include "capture/snapshot/dumps.h"
#include "capture/snapshot/epochs.h"
#include "capture/snapshot/program.h"
#include "capture/snapshot/verify.h"
#include "capture/trace_unit.h"
#include "protocol/about.h"

struct opening {
    struct cairn_capture *capture;
    const struct cairn_files *files;
    const struct cairn_capture_options *options;
    const char *folder; /* with a slash behind it, or "" */
    struct cairn_snapshot snapshot;
    /* for each source of the capture; NULL: not known */
    const struct cairn_snapshot_device **core_of, **device_of;
    size_t core_of_capacity, device_of_capacity;
};

static bool same(const char *one, const char *other)
{
    return strcasecmp(one, other) == 0;
}

static enum cairn_format format_of(const char *name)
{
    static const enum cairn_format formats[] = {CAIRN_FORMAT_SOURCE_DATA, CAIRN_FORMAT_CORESIGHT,
                                                CAIRN_FORMAT_DSTREAM_CORESIGHT};
    for (size_t i = 0; name && i < sizeof formats / sizeof formats[0]; i++) {
        if (same(name, cairn_format_name(formats[i])))
            return formats[i];
    }
    return CAIRN_FORMAT_AUTO;
}

/* ---- buffers ---- */

static cairn_status add_buffer(struct opening *opening, const struct cairn_snapshot_buffer *told)
{
    struct cairn_capture *capture = opening->capture;
    struct cairn_buffer buffer = {.info = {.name = told->name ? told->name : told->section,
                                           .path = "",
                                           .format = format_of(told->format)}};
    if (!told->file) {
        cairn_capture_say_as(capture, "CAIRN-MISSING-FILE", CAIRN_PROBLEM,
                             "Buffer %s: section [%s] of the trace metadata is missing or has no "
                             "file=, so the buffer counts as empty.",
                             buffer.info.name, told->section);
    } else {
        buffer.info.path =
            cairn_snapshot_find(capture, opening->files, opening->folder, told->file);
        if (!buffer.info.path)
            return CAIRN_E_MEMORY;
        if (!opening->files->size_of(opening->files->context, buffer.info.path, &buffer.info.bytes))
            cairn_capture_say_as(
                capture, "CAIRN-MISSING-FILE", CAIRN_PROBLEM,
                "Buffer %s: its file %s is missing, so it counts as empty. Put the "
                "file there, or correct file= in [%s] of the trace metadata.",
                buffer.info.name, buffer.info.path, told->section);
    }
    if (buffer.info.format == CAIRN_FORMAT_AUTO && told->file)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "Buffer %s: %s%.40s in [%s] of the trace metadata (source_data, coresight "
            "and dstream_coresight are known); the bytes decide.",
            buffer.info.name,
            told->format ? "unknown format=" : "no format=", told->format ? told->format : "",
            told->section);
    cairn_buffer_inspect(capture, &buffer);
    return cairn_capture_add_buffer(capture, &buffer);
}

static cairn_status add_buffers(struct opening *opening)
{
    const struct cairn_snapshot *snapshot = &opening->snapshot;
    for (size_t i = 0; i < snapshot->buffer_count; i++) {
        const struct cairn_snapshot_buffer *told = &snapshot->buffers[i];
        if (!told->listed && snapshot->has_buffer_list) {
            cairn_capture_say(opening->capture, CAIRN_NOTE,
                              "Section [%s] of the trace metadata is not in buffers= of "
                              "[trace_buffers] and is left out.",
                              told->section);
            continue;
        }
        const cairn_status status = add_buffer(opening, told);
        if (status != CAIRN_OK)
            return status;
    }
    if (!opening->capture->buffer_count)
        cairn_capture_say(opening->capture, CAIRN_PROBLEM,
                          "The trace metadata names no trace buffer (buffers= in [trace_buffers]): "
                          "there is nothing to decode.");
    return CAIRN_OK;
}

/* The index of a buffer by name; buffer_count when there is none. */
static size_t find_buffer(const struct cairn_capture *capture, const char *name)
{
    size_t i = 0;
    while (i < capture->buffer_count && !same(capture->buffers[i].info.name, name))
        i++;
    return i;
}

/* ---- sources ---- */

static const struct cairn_snapshot_device *find_device(const struct cairn_snapshot *snapshot,
                                                       const char *name)
{
    for (size_t i = 0; i < snapshot->device_count; i++) {
        if (snapshot->devices[i].name && same(snapshot->devices[i].name, name))
            return &snapshot->devices[i];
    }
    return NULL;
}

static const char *core_name_of(const struct cairn_snapshot *snapshot, const char *source)
{
    for (size_t i = 0; i < snapshot->core_source_count; i++) {
        if (same(snapshot->core_sources[i].to, source))
            return snapshot->core_sources[i].from;
    }
    return NULL;
}

static void say_unknown(struct cairn_capture *capture, const struct cairn_source_info *info)
{
    const char *type = info->type ? info->type : "";
    const char *near = cairn_protocol_near(type);
    char known[CAIRN_PROTOCOL_LIST];
    cairn_protocol_list(" and ", known);
    cairn_capture_say_as(capture, "CAIRN-NO-PROTOCOL", CAIRN_PROBLEM,
                         "%s: trace unit type \"%.40s\" is not known (%s are), so its bytes "
                         "are not decoded%s%s; correct type= in its device file.",
                         info->name, type, known, near ? "; did you mean " : "", near ? near : "");
}

/* The protocol that was given, else the one that the type names; the registers may contradict it, or
 * help when the type is unknown. */
static void settle_protocol(struct cairn_capture *capture, struct cairn_source_info *info,
                            enum cairn_protocol_id given)
{
    const enum cairn_protocol_id told =
        info->type ? cairn_protocol_of_type(info->type) : CAIRN_PROTOCOL_UNKNOWN;
    const struct cairn_register *witness;
    const enum cairn_protocol_id seen =
        cairn_protocol_of_registers(info->registers, info->register_count, &witness);
    const bool stays = cairn_about(told)->beside_cores;
    info->protocol = given && !stays ? given : told ? told : seen;
    if (given && given != told)
        cairn_capture_say(capture, CAIRN_NOTE,
                          "%s: its type is %.40s; %s the protocol that was given, %s%s.",
                          info->name, info->type ? info->type : "not known",
                          stays ? "it stays one, for" : "it is read as", cairn_protocol_word(given),
                          stays ? ", is for what traces a core" : "");
    else if (told == CAIRN_PROTOCOL_UNKNOWN && info->protocol)
        cairn_capture_say(capture, CAIRN_WARNING,
                          "%s: trace unit type \"%.40s\" is not known; read as %s because %s says "
                          "so.",
                          info->name, info->type ? info->type : "", cairn_protocol_word(seen),
                          witness ? witness->name : "the caller");
    else if (told == CAIRN_PROTOCOL_UNKNOWN)
        say_unknown(capture, info);
    else if (seen && seen != told)
        cairn_capture_say_as(
            capture, "CAIRN-WRONG-PROTOCOL", CAIRN_WARNING,
            "%s: wrong protocol guess? Its type is %.40s, but %s 0x%llx is that of "
            "%s. It is read as its type says; if packets look broken, correct type= "
            "in its device file.",
            info->name, info->type, witness->name, (unsigned long long)witness->value,
            cairn_protocol_word(seen));
}

/* The core that a source is linked to; with no link, the only core there is. *name may be NULL. */
static const struct cairn_snapshot_device *core_of_source(struct opening *opening,
                                                          const char *source, const char **name)
{
    const struct cairn_snapshot *snapshot = &opening->snapshot;
    const struct cairn_snapshot_device *only = NULL;
    *name = core_name_of(snapshot, source);
    if (*name)
        return find_device(snapshot, *name);
    for (size_t i = 0; i < snapshot->device_count; i++) {
        const struct cairn_snapshot_device *device = &snapshot->devices[i];
        if (device->class != CAIRN_DEVICE_CORE || cairn_is_trace_unit(device))
            continue;
        if (only || !device->name)
            return NULL;
        only = device;
    }
    if (only) {
        *name = only->name;
        cairn_capture_say(opening->capture, CAIRN_WARNING,
                          "%s: no core is given for it; it is taken to trace %s, the only one. Add "
                          "%s=%s to [core_trace_sources].",
                          source, only->name, only->name, source);
    }
    return only;
}

/* A core that no device file describes may be called by its type: "Cortex-M33_0". NULL: it is not,
 * or memory is out. */
static const char *type_in_name(struct cairn_capture *capture, const char *name)
{
    struct cairn_arch arch;
    char *type = cairn_arena_text(&capture->arena, name);
    char *number = type ? strrchr(type, '_') : NULL;
    if (number && number[1] && !number[1 + strspn(number + 1, "0123456789")])
        *number = 0;
    return type && cairn_arch_from_name(type, &arch) == CAIRN_OK ? type : NULL;
}

static void check_trace_id(struct opening *opening, const struct cairn_source_info *info)
{
    const struct cairn_buffer_info *buffer = &opening->capture->buffers[info->buffer].info;
    if (buffer->format == CAIRN_FORMAT_SOURCE_DATA || info->trace_id >= 0)
        return;
    cairn_capture_say_as(opening->capture, "CAIRN-WRONG-ID", CAIRN_PROBLEM,
                         "%s: its registers lack %s, so its trace ID in buffer %s is not known and "
                         "none of its bytes are found.",
                         info->name, cairn_trace_id_register(info->protocol), buffer->name);
}

/* Fills the core's name and type in. NULL: no device file describes the core. */
static const struct cairn_snapshot_device *
settle_core(struct opening *opening, struct cairn_source_info *info, const char *source)
{
    struct cairn_capture *capture = opening->capture;
    const char *given = opening->options->core;
    if (cairn_about(info->protocol)->beside_cores) {
        info->core = core_name_of(&opening->snapshot, source);
        return info->core ? find_device(&opening->snapshot, info->core) : NULL;
    }
    const struct cairn_snapshot_device *core = core_of_source(opening, source, &info->core);
    info->core_type = given                ? cairn_arena_text(&capture->arena, given)
                      : core && core->type ? core->type
                      : info->core         ? type_in_name(capture, info->core)
                                           : NULL;
    if (info->core_type && !given && !(core && core->type))
        cairn_capture_say(capture, CAIRN_NOTE,
                          "%s: no device file tells the type of its core %s; by its name it is a "
                          "%s.",
                          info->name, info->core, info->core_type);
    else if (!info->core_type)
        cairn_capture_say(capture, CAIRN_WARNING,
                          "%s: %s%s; every instruction of the newest architecture is assumed to "
                          "exist on it. Add core=%s to [core_trace_sources], and the core's device "
                          "file with type=.",
                          info->name,
                          info->core ? "nothing tells the type of its core "
                                     : "no core is given for it",
                          info->core ? info->core : "", source);
    return core;
}

static cairn_status add_source(struct opening *opening, const char *name,
                               const struct cairn_snapshot_device *device, const char *source,
                               size_t buffer)
{
    struct cairn_capture *capture = opening->capture;
    const struct cairn_capture_options *options = opening->options;
    struct cairn_source_info info = {.name = name, .buffer = buffer};
    enum cairn_protocol_id told = CAIRN_PROTOCOL_UNKNOWN;
    if (device) {
        info.type = device->type;
        info.registers = device->settled;
        info.register_count = device->register_count;
        told = info.type ? cairn_protocol_of_type(info.type) : CAIRN_PROTOCOL_UNKNOWN;
    }
    if (options->protocol && !cairn_about(told)->beside_cores)
        told = options->protocol;
    if (cairn_source_set(capture, &info, told, options->registers, options->register_count))
        return CAIRN_E_MEMORY;
    settle_protocol(capture, &info, options->protocol);
    const struct cairn_snapshot_device *core = settle_core(opening, &info, source);
    if ((core && cairn_source_core_set(capture, &info, core->settled, core->register_count)) ||
        cairn_source_core_set(capture, &info, options->registers, options->register_count))
        return CAIRN_E_MEMORY;
    info.arch = cairn_capture_arch(capture, name, info.core_type, info.protocol);
    info.trace_id = cairn_trace_id_of(info.protocol, info.registers, info.register_count);
    check_trace_id(opening, &info);
    if (cairn_grow((void **)&opening->core_of, capture->source_count, &opening->core_of_capacity,
                   sizeof *opening->core_of) != CAIRN_OK ||
        cairn_grow((void **)&opening->device_of, capture->source_count,
                   &opening->device_of_capacity, sizeof *opening->device_of) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    opening->core_of[capture->source_count] = core;
    opening->device_of[capture->source_count] = device;
    return cairn_capture_add_source(capture, &info);
}

/* A source that has its bytes in several buffers (sessions) is as many sources: the buffer's name
 * tells them apart. */
static const char *name_of(struct opening *opening, const struct cairn_snapshot_link *link)
{
    size_t times = 0;
    for (size_t i = 0; i < opening->snapshot.source_buffer_count; i++)
        times += same(opening->snapshot.source_buffers[i].from, link->from);
    return times == 1 ? link->from
                      : cairn_arena_format(&opening->capture->arena, "%.200s@%.200s", link->from,
                                           link->to);
}

static bool buffer_has_source(const struct cairn_capture *capture, size_t buffer)
{
    for (size_t i = 0; i < capture->source_count; i++) {
        if (capture->sources[i].buffer == buffer)
            return true;
    }
    return false;
}

static cairn_status add_linked(struct opening *opening, const struct cairn_snapshot_link *link)
{
    struct cairn_capture *capture = opening->capture;
    const size_t buffer = find_buffer(capture, link->to);
    if (buffer == capture->buffer_count) {
        cairn_capture_say(capture, CAIRN_WARNING,
                          "%s: [source_buffers] puts it into buffer %s, which does not exist; the "
                          "source is left out.",
                          link->from, link->to);
        return CAIRN_OK;
    }
    const bool framed = capture->buffers[buffer].info.format != CAIRN_FORMAT_SOURCE_DATA;
    const struct cairn_snapshot_device *device = find_device(&opening->snapshot, link->from);
    if (!device) {
        cairn_capture_say(capture, CAIRN_PROBLEM,
                          "%s: [source_buffers] names it, but no device file in the device list "
                          "does, so its protocol and registers are not known. Add its device "
                          "file.",
                          link->from);
        if (framed)
            return CAIRN_OK; /* nor its trace ID: what it wrote is found by the survey */
    }
    if (!framed && buffer_has_source(capture, buffer)) {
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: buffer %s has no frames, so it holds one source only, and %s is that "
            "already; this one is left out.",
            link->from, link->to, capture->sources[capture->source_count - 1].name);
        return CAIRN_OK;
    }
    const char *name = name_of(opening, link);
    return name ? add_source(opening, name, device, link->from, buffer) : CAIRN_E_MEMORY;
}

/* Without [source_buffers] a single buffer must be where all trace sources write. */
static cairn_status add_unlinked(struct opening *opening)
{
    struct cairn_capture *capture = opening->capture;
    const struct cairn_snapshot *snapshot = &opening->snapshot;
    if (capture->buffer_count != 1)
        return CAIRN_OK;
    for (size_t i = 0; i < snapshot->device_count; i++) {
        const struct cairn_snapshot_device *device = &snapshot->devices[i];
        if (!cairn_is_trace_unit(device) || !device->name)
            continue;
        const struct cairn_snapshot_link link = {device->name, capture->buffers[0].info.name};
        cairn_capture_say(capture, CAIRN_WARNING,
                          "%s: the trace metadata has no [source_buffers], so it is taken to write "
                          "into the only buffer, %s.",
                          link.from, link.to);
        const cairn_status status = add_linked(opening, &link);
        if (status != CAIRN_OK)
            return status;
    }
    return CAIRN_OK;
}

static cairn_status add_sources(struct opening *opening)
{
    struct cairn_capture *capture = opening->capture;
    const struct cairn_snapshot *snapshot = &opening->snapshot;
    cairn_status status = CAIRN_OK;
    for (size_t i = 0; i < snapshot->source_buffer_count && status == CAIRN_OK; i++)
        status = add_linked(opening, &snapshot->source_buffers[i]);
    if (!snapshot->source_buffer_count && status == CAIRN_OK)
        status = add_unlinked(opening);
    for (size_t i = 0; i < capture->buffer_count && status == CAIRN_OK; i++) {
        const struct cairn_buffer_info *info = &capture->buffers[i].info;
        if (info->format != CAIRN_FORMAT_SOURCE_DATA || buffer_has_source(capture, i))
            continue;
        cairn_capture_say(capture, CAIRN_PROBLEM,
                          "Buffer %s: [source_buffers] names no source for it, so its bytes cannot "
                          "be decoded; add NAME=%s.",
                          info->name, info->name);
        status = add_source(opening, info->name, NULL, info->name, i);
    }
    return status;
}

static void say_ignored(struct cairn_capture *capture, const struct cairn_capture_options *options)
{
    if (options->format != CAIRN_FORMAT_AUTO || options->trace_id >= 0 || options->config_path)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "A snapshot describes itself: the format, trace ID and configuration file "
            "given are not used (registers, protocol and core are).");
}

/* What cannot be put in order is read as it stands in its file. */
static void order_buffers(struct cairn_capture *capture)
{
    for (size_t i = 0; i < capture->source_count; i++) {
        struct cairn_error error = {0};
        if (cairn_capture_order(capture, i, &error) != CAIRN_OK)
            cairn_capture_say(capture, CAIRN_PROBLEM, "%s", error.text);
    }
}

/* What ran, if the snapshot is a recording's. */
static cairn_status add_program(struct opening *opening, struct cairn_error *error)
{
    struct cairn_capture *capture = opening->capture;
    const char *name = opening->snapshot.program;
    char *text;
    size_t size;
    if (!name)
        return CAIRN_OK;
    const char *path = cairn_snapshot_find(capture, opening->files, opening->folder, name);
    cairn_status status =
        path ? opening->files->read_text(opening->files->context, path, &text, &size, NULL)
             : CAIRN_E_MEMORY;
    if (status == CAIRN_OK) {
        const struct cairn_module_search search = {
            .files = opening->files, .folder = opening->folder, .options = opening->options};
        status = cairn_snapshot_program(capture, &search, name, text, size);
        free(text);
    } else if (status != CAIRN_E_MEMORY) {
        cairn_capture_say(capture, CAIRN_WARNING,
                          "%s: [program] of the snapshot names this file, but it cannot be read: "
                          "what ran is not known, and its functions have no names.",
                          path);
        return CAIRN_OK;
    }
    return status == CAIRN_OK ? CAIRN_OK
                              : cairn_fail(error, status, "%s: not enough memory to read it", name);
}

cairn_status cairn_snapshot_open(struct cairn_capture *capture, const struct cairn_files *files,
                                 const char *ini_path, const struct cairn_capture_options *options,
                                 struct cairn_error *error)
{
    struct opening opening = {.capture = capture, .files = files, .options = options};
    char *folder = cairn_arena_text(&capture->arena, ini_path);
    if (!folder)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to open it", ini_path);
    char *slash = strrchr(folder, '/');
    folder[slash ? slash + 1 - folder : 0] = 0;
    opening.folder = folder;
    cairn_status status =
        cairn_snapshot_describe(capture, files, ini_path, folder, &opening.snapshot, error);
    if (status == CAIRN_OK) {
        say_ignored(capture, options);
        status = add_buffers(&opening);
        if (status == CAIRN_OK)
            status = add_sources(&opening);
        if (status != CAIRN_OK)
            cairn_fail(error, status, "%s: not enough memory to open it", ini_path);
    }
    if (status == CAIRN_OK) {
        cairn_capture_check_ids(capture);
        order_buffers(capture);
        status = cairn_snapshot_add_dumps(capture, files, folder, &opening.snapshot,
                                          opening.core_of, error);
    }
    if (status == CAIRN_OK)
        status = cairn_snapshot_add_epochs(capture, files, folder, &opening.snapshot,
                                           opening.device_of, error);
    if (status == CAIRN_OK)
        status = add_program(&opening, error);
    if (status == CAIRN_OK && cairn_snapshot_verify(capture) != CAIRN_OK)
        status = cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to open it", ini_path);
    free(opening.core_of);
    free(opening.device_of);
    cairn_snapshot_free(&opening.snapshot);
    return status;
}
