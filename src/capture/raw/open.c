/* SPDX-License-Identifier: BSD-2-Clause */
/* A raw buffer file: what the options and their INI file say, else what the bytes themselves tell.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "capture/detect.h"
#include "capture/port/etb.h"
#include "capture/port/port.h"
#include "capture/raw/checks.h"
#include "capture/raw/config.h"
#include "capture/raw/cores.h"
#include "capture/raw/foreign.h"
#include "capture/snapshot/description.h"
#include "capture/snapshot/dumps.h"
#include "capture/trace_unit.h"
#include "capture/trbe/trbe.h"
#include "protocol/about.h"

struct opening {
    struct cairn_capture *capture;
    const struct cairn_files *files;
    const struct cairn_capture_options *options;
    struct cairn_raw_config config;
    size_t source;                 /* of `config`, that the buffer is of */
    size_t buffer;                 /* its index */
    struct cairn_port_source port; /* what its file says, if it is a trace port's */
    struct cairn_error *error;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* What the buffer is called. */
static const char *name_of(const struct opening *opening, const char *path)
{
    return opening->options->name ? opening->options->name : base_name(path);
}

static cairn_status no_memory(const struct opening *opening, const char *path)
{
    return cairn_fail(opening->error, CAIRN_E_MEMORY, "%s: not enough memory to open it", path);
}

static bool is_framed(const struct opening *opening)
{
    return opening->capture->buffers[opening->buffer].info.format != CAIRN_FORMAT_SOURCE_DATA;
}

static const struct cairn_raw_source *told_of(const struct opening *opening)
{
    return opening->config.source_count ? &opening->config.sources[opening->source] : NULL;
}

/* True when the registers are those of a trace buffer in memory as well. */
static bool has_trbe(const struct opening *opening)
{
    const struct cairn_raw_source *told = told_of(opening);
    return cairn_trbe_is_given(opening->options->registers, opening->options->register_count) ||
           (told && cairn_trbe_is_given(told->registers, told->register_count));
}

static bool has_no_frames(const struct cairn_about *about)
{
    return about->memory || about->samples;
}

/* True when the source's file is a dump of memory, as a Micro Trace Buffer's is, or what was on the pins
 * of a trace port. */
static bool is_plain(const struct opening *opening)
{
    const struct cairn_raw_source *told = told_of(opening);
    if (has_trbe(opening))
        return true;
    if (opening->options->protocol)
        return has_no_frames(cairn_about(opening->options->protocol));
    return told && told->protocol &&
           has_no_frames(cairn_about(cairn_protocol_of_type(told->protocol)));
}

static cairn_status choose_format(const struct opening *opening, enum cairn_format *format)
{
    static const enum cairn_format known[] = {CAIRN_FORMAT_AUTO, CAIRN_FORMAT_SOURCE_DATA,
                                              CAIRN_FORMAT_CORESIGHT,
                                              CAIRN_FORMAT_DSTREAM_CORESIGHT};
    const char *name = opening->config.format;
    *format = opening->options->format;
    if (*format != CAIRN_FORMAT_AUTO)
        return CAIRN_OK;
    if (!name) {
        if (is_plain(opening))
            *format = CAIRN_FORMAT_SOURCE_DATA; /* what is in it is not asked */
        return CAIRN_OK;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!strcasecmp(name, cairn_format_name(known[i]))) {
            *format = known[i];
            return CAIRN_OK;
        }
    }
    return cairn_fail(opening->error, CAIRN_E_FORMAT,
                      "%s: format=%.40s is not known; use source_data, coresight, "
                      "dstream_coresight or auto",
                      opening->options->config_path, name);
}

/* A file that is certainly something else is refused, unless it was said how it is laid out. */
static cairn_status check_kind(const struct opening *opening, const char *path)
{
    uint8_t head[CAIRN_FOREIGN_HEAD];
    const bool told = opening->options->format != CAIRN_FORMAT_AUTO || opening->config.format;
    const size_t size = cairn_input_head(path, head, sizeof head);
    const char *kind = cairn_foreign_kind(head, size);
    if (!kind || (has_trbe(opening) && cairn_trbe_is_core(head, size)))
        return CAIRN_OK;
    if (!told)
        return cairn_fail(opening->error, CAIRN_E_FORMAT,
                          "%s: is no trace buffer but %s. If it is trace all the same, say how it "
                          "is laid out (format source_data, coresight or dstream_coresight)",
                          opening->options->name ? opening->options->name : path, kind);
    cairn_capture_say(opening->capture, CAIRN_WARNING, "%s: begins as %s.", name_of(opening, path),
                      kind);
    return CAIRN_OK;
}

/* A ring in memory, dumped from its first byte on: its trace begins behind the newest byte. */
static cairn_status set_start(const struct opening *opening, struct cairn_buffer *buffer)
{
    const struct cairn_raw_config *config = &opening->config;
    const struct cairn_buffer_info *info = &buffer->info;
    const char *wrong = NULL;
    if (!config->has_start || config->start == 0)
        return CAIRN_OK;
    if (is_plain(opening))
        wrong =
            "POSITION of a Micro Trace Buffer tells that, TRBPTR_EL1 of a trace buffer, ETB_RWP of "
            "one behind an ETMv1 or ETMv2";
    else if (config->start >= info->bytes)
        wrong = "the file ends before";
    else if (info->format == CAIRN_FORMAT_DSTREAM_CORESIGHT)
        wrong = "a trace port's stream is no ring in memory";
    else if (info->format == CAIRN_FORMAT_CORESIGHT &&
             (config->start % CAIRN_FRAME_SIZE || info->bytes % CAIRN_FRAME_SIZE))
        wrong = "frames of 16 bytes begin at multiples of 16, and the ring has whole ones";
    if (wrong)
        return cairn_fail(
            opening->error, CAIRN_E_CONFIG, "%s: start=0x%llx cannot be the oldest byte of %s: %s",
            opening->options->config_path, (unsigned long long)config->start, info->path, wrong);
    buffer->layout.skip = 0;
    const struct cairn_span order[] = {
        {.offset = config->start, .length = info->bytes - config->start},
        {.offset = 0, .length = config->start},
    };
    return cairn_buffer_set_order(opening->capture, buffer, order, 2);
}

static struct cairn_port_request port_request(const struct opening *opening,
                                              const struct cairn_buffer *buffer)
{
    return cairn_raw_port_request(
        opening->options, told_of(opening),
        opening->options->name ? opening->options->name : buffer->info.path, buffer->info.format);
}

/* A file of a trace port: its bytes are what the pins showed. */
static cairn_status attach_port(struct opening *opening, struct cairn_buffer *buffer)
{
    const struct cairn_port_request request = port_request(opening, buffer);
    return cairn_port_attach(opening->capture, &request, buffer, &opening->port, opening->error);
}

/* The registers of a trace buffer with the trace unit's, of which the options' count before. */
static struct cairn_etb etb_of(const struct opening *opening)
{
    const struct cairn_raw_source *told = told_of(opening);
    const struct cairn_etb etb =
        cairn_etb_of(opening->options->registers, opening->options->register_count);

    return etb.is_given || !told ? etb : cairn_etb_of(told->registers, told->register_count);
}

/* A raw file: a dump of a trace buffer's RAM, or the source's bytes as they are. */
static cairn_status attach_raw(struct opening *opening, struct cairn_buffer *buffer)
{
    const struct cairn_etb etb = etb_of(opening);
    const struct cairn_port_request request = port_request(opening, buffer);

    if (etb.is_given && (request.kind == CAIRN_PORT_V1 || request.kind == CAIRN_PORT_V2))
        return cairn_port_attach_etb(opening->capture, &request, &etb, buffer, &opening->port,
                                     opening->error);
    return check_kind(opening, buffer->info.path);
}

static cairn_status add_buffer(struct opening *opening, const char *path)
{
    struct cairn_capture *capture = opening->capture;
    struct cairn_buffer buffer = {.info.path = cairn_arena_text(&capture->arena, path)};
    if (!buffer.info.path)
        return no_memory(opening, path);
    buffer.info.name = cairn_arena_text(&capture->arena, name_of(opening, path));
    if (!buffer.info.name)
        return no_memory(opening, path);
    opening->port = (struct cairn_port_source){.type = NULL};
    cairn_status status = choose_format(opening, &buffer.info.format);
    if (status != CAIRN_OK)
        return status;
    if (!opening->files->size_of(opening->files->context, path, &buffer.info.bytes)) {
        int fd;
        uint64_t size;
        const bool missing = cairn_input_open(path, &fd, &size, NULL) == CAIRN_E_NOT_FOUND;
        cairn_input_close(fd);
        return cairn_fail(opening->error, missing ? CAIRN_E_NOT_FOUND : CAIRN_E_IO,
                          "%s: %s; give a snapshot's folder or a trace buffer's file", path,
                          missing ? "does not exist" : "cannot be read, or is no regular file");
    }
    status = cairn_port_is(path) ? attach_port(opening, &buffer) : attach_raw(opening, &buffer);
    if (status)
        return status;
    if (!buffer.info.bytes)
        cairn_capture_say_as(capture, "CAIRN-EMPTY-BUFFER", CAIRN_PROBLEM, "%s: the file is empty.",
                             buffer.info.name);
    cairn_buffer_inspect(capture, &buffer);
    if (set_start(opening, &buffer) != CAIRN_OK)
        return CAIRN_E_CONFIG;
    return cairn_capture_add_buffer(capture, &buffer) == CAIRN_OK ? CAIRN_OK
                                                                  : no_memory(opening, path);
}

/* ---- sources ---- */

static cairn_status unknown_protocol(const struct opening *opening,
                                     const struct cairn_source_info *info, const char *written)
{
    const char *near = cairn_protocol_near(written);
    const char *config = opening->options->config_path;
    char known[CAIRN_PROTOCOL_LIST];
    cairn_protocol_list(" or ", known);
    return cairn_fail(opening->error, CAIRN_E_FORMAT,
                      "%s: protocol=%.40s of source %s is not known; %s%s%suse %s", config, written,
                      info->name, near ? "did you mean " : "", near ? near : "",
                      near ? "? Else " : "", known);
}

static cairn_status set_protocol(struct opening *opening, struct cairn_source_info *info,
                                 const char *written)
{
    const struct cairn_register *witness;
    const enum cairn_protocol_id seen =
        cairn_protocol_of_registers(info->registers, info->register_count, &witness);
    info->protocol = opening->options->protocol;
    if (!written && !info->protocol && !seen)
        written = opening->port.type;
    if (written) {
        info->type = written;
        const enum cairn_protocol_id told = cairn_protocol_of_type(written);
        if (!told)
            return unknown_protocol(opening, info, written);
        if (!info->protocol)
            info->protocol = told;
    }
    if (!info->protocol && seen) {
        info->protocol = seen;
        cairn_capture_say(opening->capture, CAIRN_NOTE,
                          "%s: no protocol was given; %s 0x%llx is that of %s.", info->name,
                          witness->name, (unsigned long long)witness->value,
                          cairn_protocol_word(seen));
    } else if (seen && seen != info->protocol) {
        cairn_capture_say_as(opening->capture, "CAIRN-WRONG-PROTOCOL", CAIRN_WARNING,
                             "%s: wrong protocol guess? %s 0x%llx is that of %s, which is not the "
                             "protocol given.",
                             info->name, witness->name, (unsigned long long)witness->value,
                             cairn_protocol_word(seen));
    } else if (!info->protocol) {
        cairn_capture_say_as(opening->capture, "CAIRN-NO-PROTOCOL", CAIRN_PROBLEM,
                             "%s: no protocol was given, so its bytes are not decoded; give the "
                             "protocol and the trace unit's registers.",
                             info->name);
    }
    return CAIRN_OK;
}

/* A trace ID that was given, or found, is the one that the trace unit had: its register says so. */
static cairn_status set_trace_id(struct opening *opening, struct cairn_source_info *info)
{
    const struct cairn_register id = {.name = cairn_trace_id_register(info->protocol),
                                      .value = (uint64_t)info->trace_id};
    /* it has none, or more than that in the register */
    if (info->trace_id < 0 || cairn_trace_id_of(info->protocol, &id, 1) != info->trace_id)
        return CAIRN_OK;
    return cairn_source_override(opening->capture, info, &id, 1);
}

/* `told` may be NULL: the options alone. trace_id -1: the registers' word counts. */
static cairn_status add_source(struct opening *opening, const char *name,
                               const struct cairn_raw_source *told, int trace_id)
{
    struct cairn_capture *capture = opening->capture;
    const struct cairn_capture_options *options = opening->options;
    struct cairn_source_info info = {.name = name, .buffer = opening->buffer};
    if (cairn_source_override(capture, &info, opening->port.registers,
                              opening->port.register_count) ||
        (told && cairn_source_override(capture, &info, told->registers, told->register_count)))
        return no_memory(opening, name);
    if (cairn_source_set(capture, &info, CAIRN_PROTOCOL_UNKNOWN, options->registers,
                         options->register_count) ||
        (told && cairn_source_core_set(capture, &info, told->registers, told->register_count)) ||
        cairn_source_core_set(capture, &info, options->registers, options->register_count) ||
        (opening->port.instead && cairn_source_override(capture, &info, opening->port.registers,
                                                        opening->port.register_count)))
        return no_memory(opening, name);
    cairn_status status = set_protocol(opening, &info, told ? told->protocol : NULL);
    if (status == CAIRN_OK)
        status = cairn_raw_check_port(&info, opening->port.type, opening->error);
    if (status != CAIRN_OK)
        return status;
    if (told)
        cairn_raw_check_spelling(capture, options->config_path, &info, told);
    info.core_type = told ? told->core : NULL;
    if (options->core && !(info.core_type = cairn_arena_text(&capture->arena, options->core)))
        return no_memory(opening, name);
    const struct cairn_about *about = cairn_about(info.protocol);
    if (!info.core_type && !about->beside_cores)
        cairn_capture_say(
            capture, CAIRN_NOTE, "%s: no core was given; %s is assumed to exist on it.", name,
            about->assumed ? about->assumed : "every instruction of the newest architecture");
    cairn_raw_check_core(capture, &info);
    info.arch = cairn_capture_arch(capture, name, info.core_type, info.protocol);
    info.trace_id = trace_id >= 0
                        ? trace_id
                        : cairn_trace_id_of(info.protocol, info.registers, info.register_count);
    if (set_trace_id(opening, &info) != CAIRN_OK)
        return no_memory(opening, name);
    if (is_framed(opening) && info.trace_id < 0)
        cairn_capture_say_as(
            capture, "CAIRN-WRONG-ID", CAIRN_PROBLEM,
            "%s: neither trace_id nor %s was given, so none of its bytes are found.", name,
            cairn_trace_id_register(info.protocol));
    return cairn_capture_add_source(capture, &info) == CAIRN_OK ? CAIRN_OK
                                                                : no_memory(opening, name);
}

/* A buffer with frames, and what to decode but not which ID: every ID that carries data is taken.
 */
static cairn_status add_every_id(struct opening *opening)
{
    struct cairn_capture *capture = opening->capture;
    struct cairn_buffer_account account = {.size = sizeof account};
    const size_t remark_count = capture->remark_count;
    cairn_status status = cairn_capture_survey(capture, 0, &account, NULL, NULL, opening->error);
    if (status != CAIRN_OK)
        return status;
    /* what the survey said and added for unknown IDs: they become known now */
    capture->source_count = 0;
    capture->remark_count = remark_count;
    capture->buffers[0].surveyed = false;
    for (unsigned id = 0; id < CAIRN_FRAME_ID_COUNT && status == CAIRN_OK; id++) {
        if (!account.data[id])
            continue;
        const char *name = cairn_arena_format(&capture->arena, "id-0x%02x", id);
        status = name ? add_source(opening, name, NULL, (int)id) : no_memory(opening, "sources");
    }
    if (status == CAIRN_OK)
        cairn_capture_say(capture, CAIRN_NOTE,
                          "No trace ID was given; the protocol and registers given are used for "
                          "each of the %zu IDs that carry data.",
                          capture->source_count);
    return status;
}

static cairn_status add_sources(struct opening *opening, const char *path)
{
    const struct cairn_capture_options *options = opening->options;
    const struct cairn_raw_config *config = &opening->config;
    const bool framed = is_framed(opening);
    if (config->source_count > 1 && !framed)
        return cairn_fail(
            opening->error, CAIRN_E_CONFIG,
            "%s: describes %zu sources, but the buffer has no frames and so one source "
            "only; give format coresight or dstream_coresight if it has frames",
            options->config_path, config->source_count);
    for (size_t i = 0; i < config->source_count; i++) {
        const struct cairn_raw_source *told = &config->sources[i];
        const int id = options->trace_id >= 0 && config->source_count == 1 ? options->trace_id
                                                                           : told->trace_id;
        const cairn_status status = add_source(opening, told->name, told, id);
        if (status != CAIRN_OK)
            return status;
    }
    if (config->source_count)
        return CAIRN_OK;
    const struct cairn_register *witness;
    const enum cairn_protocol_id seen =
        cairn_protocol_of_registers(options->registers, options->register_count, &witness);
    const enum cairn_protocol_id protocol = options->protocol ? options->protocol : seen;
    const bool has_id = options->trace_id >= 0 || cairn_trace_id_of(protocol, options->registers,
                                                                    options->register_count) >= 0;
    if (!framed || has_id) {
        const char *name = cairn_arena_text(&opening->capture->arena, name_of(opening, path));
        return name ? add_source(opening, name, NULL, options->trace_id) : no_memory(opening, path);
    }
    return protocol ? add_every_id(opening) : CAIRN_OK;
}

/* ---- images ---- */

static cairn_status find_source(const struct opening *opening, const struct cairn_raw_image *image,
                                uint32_t *source)
{
    const struct cairn_capture *capture = opening->capture;
    *source = CAIRN_ANY_SOURCE;
    if (!image->source)
        return CAIRN_OK;
    for (size_t i = 0; i < capture->source_count; i++) {
        if (!strcasecmp(capture->sources[i].name, image->source)) {
            *source = (uint32_t)i;
            return CAIRN_OK;
        }
    }
    return cairn_fail(opening->error, CAIRN_E_NOT_FOUND,
                      "%s:%u: [image] is for source %.60s, which does not exist",
                      opening->options->config_path, image->line, image->source);
}

static cairn_status add_images(struct opening *opening, const char *folder)
{
    struct cairn_arena *arena = &opening->capture->arena;
    for (size_t i = 0; i < opening->config.image_count; i++) {
        const struct cairn_raw_image *image = &opening->config.images[i];
        if (!image->file)
            return cairn_fail(opening->error, CAIRN_E_FORMAT,
                              "%s:%u: [image] has no file=", opening->options->config_path,
                              image->line);
        const struct cairn_dump_place place = {
            .what = cairn_arena_format(arena, "%s:%u", opening->options->config_path, image->line),
            .path = cairn_snapshot_find(opening->capture, opening->files, folder, image->file),
            .space = image->space,
            .address = image->address,
            .length = image->length,
            .offset = image->offset,
            .has_address = image->has_address,
            .has_length = image->has_length,
        };
        uint32_t source;
        cairn_status status = find_source(opening, image, &source);
        if (status != CAIRN_OK)
            return status;
        if (!place.what || !place.path)
            return no_memory(opening, image->file);
        if (!cairn_dump_check(opening->capture, opening->files, &place))
            continue;
        if (cairn_dump_add(opening->capture, &place, source) != CAIRN_OK)
            return no_memory(opening, image->file);
    }
    return CAIRN_OK;
}

static cairn_status read_config(struct opening *opening)
{
    const char *path = opening->options->config_path;
    char *text;
    size_t size;
    cairn_status status =
        opening->files->read_text(opening->files->context, path, &text, &size, opening->error);
    if (status == CAIRN_E_NOT_FOUND)
        return cairn_fail(opening->error, status,
                          "%s: the configuration file does not exist, or is no regular file", path);
    if (status != CAIRN_OK)
        return status;
    status =
        cairn_raw_config_read(opening->capture, path, text, size, &opening->config, opening->error);
    free(text);
    return status;
}

/* "dir/" of "dir/file", "" of "file"; NULL when memory is out. */
static const char *folder_of(struct cairn_arena *arena, const char *path)
{
    char *folder = cairn_arena_text(arena, path);
    if (!folder)
        return NULL;
    char *slash = strrchr(folder, '/');
    folder[slash ? slash + 1 - folder : 0] = 0;
    return folder;
}

/* A file for each source: the description is the capture. */
static cairn_status add_described(struct opening *opening, const char *folder)
{
    const struct cairn_raw_config *config = &opening->config;
    cairn_status status = CAIRN_OK;
    for (size_t i = 0; i < config->source_count && status == CAIRN_OK; i++) {
        const struct cairn_raw_source *told = &config->sources[i];
        if (!told->file)
            return cairn_fail(
                opening->error, CAIRN_E_FORMAT,
                "%s: source %s has no file=, the dump that it is in; or give the dump "
                "itself, and this file with --config",
                opening->options->config_path, told->name);
        const char *path =
            cairn_snapshot_find(opening->capture, opening->files, folder, told->file);
        if (!path)
            return no_memory(opening, told->file);
        opening->source = opening->buffer = i;
        status = add_buffer(opening, path);
        if (status == CAIRN_OK && is_framed(opening))
            status =
                cairn_fail(opening->error, CAIRN_E_UNSUPPORTED,
                           "%s: %s has frames, and with them trace of several sources: give it "
                           "as the capture, and this file, without file=, with --config",
                           opening->options->config_path, path);
        if (status == CAIRN_OK)
            status = add_source(opening, told->name, told, told->trace_id);
    }
    if (status == CAIRN_OK && !config->source_count)
        return cairn_fail(opening->error, CAIRN_E_FORMAT, "%s: describes no [source NAME]",
                          opening->options->config_path);
    return status;
}

/* path NULL: the description says which files. */
static cairn_status add_all(struct opening *opening, const char *path)
{
    const struct cairn_raw_config *config = &opening->config;
    const char *config_path = opening->options->config_path;
    if (!path) {
        const char *folder = folder_of(&opening->capture->arena, config_path);
        return folder ? add_described(opening, folder) : no_memory(opening, config_path);
    }
    for (size_t i = 0; i < config->source_count; i++) {
        if (config->sources[i].file)
            return cairn_fail(
                opening->error, CAIRN_E_CONFIG,
                "%s: source %s has a file= of its own: give %s itself as the capture, or "
                "leave file= out",
                config_path, config->sources[i].name, config_path);
    }
    const cairn_status status = add_buffer(opening, path);
    return status ? status : add_sources(opening, path);
}

static cairn_status open_all(struct opening *opening, const char *path)
{
    const char *config = opening->options->config_path;
    cairn_status status = config ? read_config(opening) : CAIRN_OK;
    if (status == CAIRN_OK)
        status = add_all(opening, path);
    if (status != CAIRN_OK)
        return status;
    cairn_capture_check_ids(opening->capture);
    for (size_t i = 0; i < opening->capture->source_count; i++) {
        status = cairn_capture_order(opening->capture, i, opening->error);
        if (status != CAIRN_OK)
            return status;
    }
    if (!config)
        return CAIRN_OK;
    const char *folder = folder_of(&opening->capture->arena, config);
    return folder ? add_images(opening, folder) : no_memory(opening, path);
}

cairn_status cairn_raw_open(struct cairn_capture *capture, const struct cairn_files *files,
                            const char *path, const struct cairn_capture_options *options,
                            struct cairn_error *error)
{
    struct opening opening = {
        .capture = capture, .files = files, .options = options, .error = error};
    const cairn_status status = open_all(&opening, path);
    cairn_raw_config_free(&opening.config);
    return status;
}

cairn_status cairn_raw_open_described(struct cairn_capture *capture,
                                      const struct cairn_files *files, const char *path,
                                      const struct cairn_capture_options *options,
                                      struct cairn_error *error)
{
    struct cairn_capture_options given = *options;
    if (options->config_path)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: describes its buffers itself: --config %s is one description too many", path,
            options->config_path);
    given.config_path = path;
    struct opening opening = {
        .capture = capture, .files = files, .options = &given, .error = error};
    const cairn_status status = open_all(&opening, NULL);
    cairn_raw_config_free(&opening.config);
    return status;
}
