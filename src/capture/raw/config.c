/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/raw/config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "capture/ini.h"

#define SOURCE_LIMIT 1024
#define IMAGE_LIMIT 16384
#define REGISTER_LIMIT 1024
#define TRACE_ID_LIMIT 0x7fu
#define PORT_WIDTH_LIMIT 32u

enum room {
    ROOM_NONE = 0, /* before the first section */
    ROOM_BUFFER = 1,
    ROOM_SOURCE = 2,
    ROOM_IMAGE = 3,
};

struct parse {
    struct cairn_capture *capture;
    struct cairn_raw_config *config;
    const char *path;
    struct cairn_error *error;
    enum room room;
};

static bool same(const char *one, const char *other)
{
    return strcasecmp(one, other) == 0;
}

static int fail(struct parse *parse, const struct cairn_ini_line *line, const char *what)
{
    return cairn_fail(parse->error, CAIRN_E_FORMAT, "%s:%u: %s", parse->path, line->number, what);
}

static int no_memory(struct parse *parse)
{
    return cairn_fail(parse->error, CAIRN_E_MEMORY, "%s: not enough memory to read it",
                      parse->path);
}

static int keep(struct parse *parse, const char *text, const char **to)
{
    *to = cairn_arena_text(&parse->capture->arena, text);
    return *to ? CAIRN_OK : no_memory(parse);
}

static int begin_source(struct parse *parse, const struct cairn_ini_line *line, const char *name)
{
    struct cairn_raw_config *config = parse->config;
    if (config->source_count >= SOURCE_LIMIT)
        return fail(parse, line, "there are more than 1024 sources");
    for (size_t i = 0; i < config->source_count; i++) {
        if (same(config->sources[i].name, name))
            return fail(parse, line, "there is a source of that name already");
    }
    if (cairn_grow((void **)&config->sources, config->source_count, &config->source_capacity,
                   sizeof *config->sources) != CAIRN_OK)
        return no_memory(parse);
    struct cairn_raw_source source = {.trace_id = -1};
    const int status = keep(parse, name, &source.name);
    if (status != CAIRN_OK)
        return status;
    config->sources[config->source_count++] = source;
    parse->room = ROOM_SOURCE;
    return CAIRN_OK;
}

static int begin_image(struct parse *parse, const struct cairn_ini_line *line)
{
    struct cairn_raw_config *config = parse->config;
    if (config->image_count >= IMAGE_LIMIT)
        return fail(parse, line, "there are more than 16384 images");
    if (cairn_grow((void **)&config->images, config->image_count, &config->image_capacity,
                   sizeof *config->images) != CAIRN_OK)
        return no_memory(parse);
    config->images[config->image_count++] = (struct cairn_raw_image){.line = line->number};
    parse->room = ROOM_IMAGE;
    return CAIRN_OK;
}

static int begin_section(struct parse *parse, const struct cairn_ini_line *line)
{
    static const char word[] = "source";
    const char *name = line->section + sizeof word - 1;
    if (same(line->section, "buffer")) {
        parse->room = ROOM_BUFFER;
        return CAIRN_OK;
    }
    if (same(line->section, "image"))
        return begin_image(parse, line);
    if (!strncasecmp(line->section, word, sizeof word - 1) && (*name == ' ' || *name == '\t')) {
        name += strspn(name, " \t");
        return begin_source(parse, line, name);
    }
    return fail(parse, line, "the section is none of [buffer], [source NAME] and [image]");
}

static int number(struct parse *parse, const struct cairn_ini_line *line, uint64_t *value,
                  bool *has)
{
    if (!cairn_ini_number(line->value, value))
        return fail(parse, line,
                    "the value is no number (decimal, or hexadecimal with 0x, of up to 64 bits)");
    *has = true;
    return CAIRN_OK;
}

static int source_register(struct parse *parse, const struct cairn_ini_line *line,
                           struct cairn_raw_source *source)
{
    struct cairn_register value;
    bool has;
    int status = number(parse, line, &value.value, &has);
    if (status != CAIRN_OK)
        return status;
    char *name = cairn_arena_text(&parse->capture->arena, line->key);
    if (!name)
        return no_memory(parse);
    name[strcspn(name, "( \t")] = 0; /* a line of a snapshot may be pasted: NAME(0x004)=... */
    for (char *at = name; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    value.name = name;
    for (size_t i = 0; i < source->register_count; i++) {
        if (!strcmp(source->registers[i].name, name))
            return fail(parse, line, "the register has a value already");
    }
    if (source->register_count >= REGISTER_LIMIT)
        return fail(parse, line, "there are more than 1024 registers");
    if (cairn_grow((void **)&source->registers, source->register_count, &source->register_capacity,
                   sizeof *source->registers) != CAIRN_OK)
        return no_memory(parse);
    source->registers[source->register_count++] = value;
    return CAIRN_OK;
}

static int port_width(struct parse *parse, const struct cairn_ini_line *line,
                      struct cairn_raw_source *source)
{
    bool has;
    const int status = number(parse, line, &source->port_width, &has);
    if (status == CAIRN_OK && (!source->port_width || source->port_width > PORT_WIDTH_LIMIT))
        return fail(parse, line, "a trace port has 1 to 32 pins");
    return status;
}

static int source_key(struct parse *parse, const struct cairn_ini_line *line)
{
    struct cairn_raw_source *source = &parse->config->sources[parse->config->source_count - 1];
    if (same(line->key, "protocol"))
        return keep(parse, line->value, &source->protocol);
    if (same(line->key, "core"))
        return keep(parse, line->value, &source->core);
    if (same(line->key, "file"))
        return keep(parse, line->value, &source->file);
    if (same(line->key, "pins"))
        return keep(parse, line->value, &source->pins);
    if (same(line->key, "port_mode"))
        return keep(parse, line->value, &source->port_mode);
    if (same(line->key, "port_width"))
        return port_width(parse, line, source);
    if (!same(line->key, "trace_id"))
        return source_register(parse, line, source);
    uint64_t value;
    bool has;
    const int status = number(parse, line, &value, &has);
    if (status != CAIRN_OK)
        return status;
    if (value > TRACE_ID_LIMIT)
        return fail(parse, line, "a trace ID has 7 bits: 0x01 to 0x6f");
    source->trace_id = (int)value;
    return CAIRN_OK;
}

static int image_key(struct parse *parse, const struct cairn_ini_line *line)
{
    struct cairn_raw_image *image = &parse->config->images[parse->config->image_count - 1];
    if (same(line->key, "file"))
        return keep(parse, line->value, &image->file);
    if (same(line->key, "source"))
        return keep(parse, line->value, &image->source);
    if (same(line->key, "space"))
        return keep(parse, line->value, &image->space);
    if (same(line->key, "address"))
        return number(parse, line, &image->address, &image->has_address);
    if (same(line->key, "offset"))
        return number(parse, line, &image->offset, &(bool){false});
    if (same(line->key, "length"))
        return number(parse, line, &image->length, &image->has_length);
    return fail(parse, line, "[image] has file, address, offset, length, source and space only");
}

static int take_line(void *context, const struct cairn_ini_line *line)
{
    struct parse *parse = context;
    switch (line->kind) {
    case CAIRN_INI_MALFORMED:
        return fail(parse, line, "the line is neither [section] nor key=value");
    case CAIRN_INI_SECTION: return begin_section(parse, line);
    case CAIRN_INI_PAIR: break;
    }
    switch (parse->room) {
    case ROOM_NONE: return fail(parse, line, "a section must come first: [source NAME]");
    case ROOM_BUFFER:
        if (same(line->key, "format"))
            return keep(parse, line->value, &parse->config->format);
        if (same(line->key, "start"))
            return number(parse, line, &parse->config->start, &parse->config->has_start);
        return fail(parse, line, "[buffer] has format and start only");
    case ROOM_SOURCE: return source_key(parse, line);
    case ROOM_IMAGE: return image_key(parse, line);
    }
    return CAIRN_OK;
}

cairn_status cairn_raw_config_read(struct cairn_capture *capture, const char *path, char *text,
                                   size_t size, struct cairn_raw_config *config,
                                   struct cairn_error *error)
{
    struct parse parse = {.capture = capture, .config = config, .path = path, .error = error};
    memset(config, 0, sizeof *config);
    return (cairn_status)cairn_ini_read(text, size, take_line, &parse);
}

void cairn_raw_config_free(struct cairn_raw_config *config)
{
    for (size_t i = 0; i < config->source_count; i++)
        free(config->sources[i].registers);
    free(config->sources);
    free(config->images);
    memset(config, 0, sizeof *config);
}

bool cairn_is_raw_text(const char *text)
{
    static const char section[] = "[source";

    for (; (text = strchr(text, '[')); text++)
        if (!strncasecmp(text, section, sizeof section - 1) &&
            (text[sizeof section - 1] == ' ' || text[sizeof section - 1] == '\t'))
            return true;
    return false;
}
