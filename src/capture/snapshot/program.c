/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/snapshot/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/percent.h"
#include "capture/ini.h"
#include "capture/snapshot/search.h"
#include "image/names.h"

#define MODULE_LIMIT 8192
#define ARGUMENT_LIMIT 4096
#define ENVIRONMENT_LIMIT 1024
#define RANGE_LIMIT 65536 /* of all modules */

/* Sections of the file. */
enum section { SECTION_OTHER = 0, SECTION_PROGRAM, SECTION_MODULE, SECTION_THREAD };

/* Where a module is named: all sources, or a part of one. */
struct range {
    uint32_t source;
    uint64_t from, to; /* UINT64_MAX: to the end */
};

struct module {
    struct cairn_module_info info;
    const char *embedded; /* its copy in the capture's folder, or NULL */
    bool in_parts;        /* it counts in its ranges only */
    bool broken;          /* a number could not be read */
    size_t first_range, range_count;
};

/* Texts in the order of their keys. */
struct texts {
    char **list;
    size_t count, capacity;
};

struct program {
    struct cairn_capture *capture;
    const char *name; /* of the file */
    struct module *modules;
    size_t module_count, module_capacity;
    struct range *ranges;
    size_t range_count, range_capacity;
    struct texts arguments, environment;
    enum section section;
    struct cairn_source_info *thread; /* whose section it is; NULL: no source of that name */
};

static bool same(const char *one, const char *other)
{
    return strcasecmp(one, other) == 0;
}

static const char *keep(struct program *program, const char *text)
{
    return cairn_arena_text(&program->capture->arena, text);
}

/* "thread thread_1": of the source of that name. */
static void begin_thread(struct program *program, const char *name)
{
    struct cairn_capture *capture = program->capture;

    name += strspn(name, " ");
    program->section = SECTION_THREAD;
    program->thread = NULL;
    for (size_t i = 0; i < capture->source_count; i++)
        if (strcmp(capture->sources[i].name, name) == 0)
            program->thread = &capture->sources[i];
}

static int begin_section(struct program *program, const char *section)
{
    program->section = same(section, "program") ? SECTION_PROGRAM : SECTION_OTHER;
    if (strncasecmp(section, "thread ", 7) == 0)
        begin_thread(program, section + 7);
    if (strncasecmp(section, "module", 6) != 0 || program->module_count >= MODULE_LIMIT)
        return CAIRN_OK;
    if (cairn_grow((void **)&program->modules, program->module_count, &program->module_capacity,
                   sizeof *program->modules) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    program->modules[program->module_count++] =
        (struct module){.first_range = program->range_count};
    program->section = SECTION_MODULE;
    return CAIRN_OK;
}

static int add_text(struct program *program, struct texts *texts, size_t limit, const char *value)
{
    if (texts->count >= limit)
        return CAIRN_OK;
    if (cairn_grow((void **)&texts->list, texts->count, &texts->capacity, sizeof *texts->list) !=
        CAIRN_OK)
        return CAIRN_E_MEMORY;
    char *text = cairn_arena_text(&program->capture->arena, value);
    if (!text)
        return CAIRN_E_MEMORY;
    texts->list[texts->count++] = text;
    return CAIRN_OK;
}

static int program_key(struct program *program, const struct cairn_ini_line *line)
{
    struct cairn_program_info *info = &program->capture->program;
    const struct {
        const char *key;
        const char **value;
    } texts[] = {{"path", &info->path}, {"signal", &info->signal}, {"recorder", &info->recorder},
                 {"host", &info->host}, {"guest", &info->guest},   {"folder", &info->folder}};
    uint64_t status;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (same(line->key, texts[i].key))
            return (*texts[i].value = keep(program, line->value)) ? CAIRN_OK : CAIRN_E_MEMORY;
    if (same(line->key, "exit_status") && cairn_ini_number(line->value, &status) && status < 256)
        info->exit_status = (int)status;
    if (strncasecmp(line->key, "argument", 8) == 0)
        return add_text(program, &program->arguments, ARGUMENT_LIMIT, line->value);
    if (strncasecmp(line->key, "environment", 11) == 0)
        return add_text(program, &program->environment, ENVIRONMENT_LIMIT, line->value);
    return CAIRN_OK;
}

static int thread_key(struct program *program, const struct cairn_ini_line *line)
{
    struct cairn_source_info *info = program->thread;

    if (info && same(line->key, "id"))
        (void)cairn_ini_number(line->value, &info->thread_id);
    else if (info && same(line->key, "name"))
        return (info->thread_name = keep(program, line->value)) ? CAIRN_OK : CAIRN_E_MEMORY;
    return CAIRN_OK;
}

/* "range(thread_2)=0x10-0x200", or without an end. A source that is not there has no range. */
static int module_range(struct program *program, struct module *module, char *key, char *value)
{
    struct cairn_capture *capture = program->capture;
    struct range range = {.to = UINT64_MAX};
    char *end = strchr(value, '-');

    key[strcspn(key, ")")] = 0;
    module->in_parts = true;
    if (end)
        *end++ = 0;
    if (!cairn_ini_number(value, &range.from) ||
        (end && (!cairn_ini_number(end, &range.to) || range.to <= range.from))) {
        module->broken = true;
        return CAIRN_OK;
    }
    if (program->range_count >= RANGE_LIMIT)
        return CAIRN_OK;
    while (range.source < capture->source_count &&
           strcmp(capture->sources[range.source].name, key) != 0)
        range.source++;
    if (range.source == capture->source_count)
        return CAIRN_OK;
    if (cairn_grow((void **)&program->ranges, program->range_count, &program->range_capacity,
                   sizeof *program->ranges) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    program->ranges[program->range_count++] = range;
    module->range_count++;
    return CAIRN_OK;
}

static int module_key(struct program *program, const struct cairn_ini_line *line)
{
    struct module *module = &program->modules[program->module_count - 1];
    struct cairn_module_info *info = &module->info;
    uint64_t *number = same(line->key, "bias")      ? &info->bias
                       : same(line->key, "address") ? &info->address
                       : same(line->key, "length")  ? &info->length
                                                    : NULL;

    if (number) {
        module->broken |= !cairn_ini_number(line->value, number);
        return CAIRN_OK;
    }
    if (same(line->key, "sources")) {
        module->in_parts = true;
        return CAIRN_OK;
    }
    if (strncasecmp(line->key, "range(", 6) == 0) {
        char *key = cairn_arena_text(&program->capture->arena, line->key + 6);
        char *value = cairn_arena_text(&program->capture->arena, line->value);
        return key && value ? module_range(program, module, key, value) : CAIRN_E_MEMORY;
    }
    const char **to = same(line->key, "path")       ? &info->path
                      : same(line->key, "build_id") ? &info->build_id
                      : same(line->key, "file")     ? &module->embedded
                                                    : NULL;
    if (!to)
        return CAIRN_OK;
    return (*to = keep(program, line->value)) ? CAIRN_OK : CAIRN_E_MEMORY;
}

static int take_pair(struct program *program, const struct cairn_ini_line *line)
{
    switch (program->section) {
    case SECTION_OTHER: break;
    case SECTION_PROGRAM: return program_key(program, line);
    case SECTION_MODULE: return module_key(program, line);
    case SECTION_THREAD: return thread_key(program, line);
    }
    return CAIRN_OK;
}

/* "path%=" has a value that is not plain text. */
static int take_escaped(struct program *program, const struct cairn_ini_line *line)
{
    struct cairn_ini_line plain = *line;
    char *key =
        cairn_arena_format(&program->capture->arena, "%.*s", (int)strlen(line->key) - 1, line->key);
    char *value = cairn_arena_text(&program->capture->arena, line->value);

    if (!key || !value)
        return CAIRN_E_MEMORY;
    cairn_percent_decode(value);
    plain.key = key;
    plain.value = value;
    return take_pair(program, &plain);
}

static int take_line(void *context, const struct cairn_ini_line *line)
{
    struct program *program = context;
    const size_t length = strlen(line->key);

    switch (line->kind) {
    case CAIRN_INI_MALFORMED:
        cairn_capture_say(program->capture, CAIRN_WARNING,
                          "%s:%u: \"%.60s\" is neither [section] nor key=value and is ignored.",
                          program->name, line->number, line->value);
        return CAIRN_OK;
    case CAIRN_INI_SECTION: return begin_section(program, line->section);
    case CAIRN_INI_PAIR: break;
    }
    return length && line->key[length - 1] == '%' ? take_escaped(program, line)
                                                  : take_pair(program, line);
}

/* --- the modules' files --- */

static cairn_status add_names_in(struct program *program, const struct module *module,
                                 const struct cairn_scope *scope, struct cairn_error *error)
{
    const struct cairn_module_info *const info = &module->info;
    struct cairn_image *const image = program->capture->image;
    const cairn_status status = cairn_image_add_names(image, info->file, info->bias, scope,
                                                      info->address, info->length, error);

    return status || !info->code ? status : cairn_image_name_program(image, info->code, error);
}

static cairn_status add_names(struct program *program, const struct module *module,
                              struct cairn_error *error)
{
    struct cairn_scope scope = cairn_scope_any();
    cairn_status status = CAIRN_OK;

    if (!module->in_parts)
        return add_names_in(program, module, &scope, error);
    for (size_t i = 0; i < module->range_count && status == CAIRN_OK; i++) {
        const struct range *range = &program->ranges[module->first_range + i];

        scope.source = range->source;
        scope.epoch_from = range->from;
        scope.epoch_to = range->to;
        status = add_names_in(program, module, &scope, error);
    }
    return status;
}

static void say_state(struct program *program, const struct cairn_module_info *info,
                      const char *reason)
{
    if (info->state == CAIRN_MODULE_MISSING)
        cairn_capture_say(
            program->capture, CAIRN_NOTE,
            "%.400s: what was recorded is not there any more, so its functions have no "
            "names. Put it back, tell where it is (--sysroot, --debug-dir), or give a copy with "
            "--image FILE@0x%llx.",
            info->path, (unsigned long long)info->bias);
    else if (info->state == CAIRN_MODULE_CHANGED && info->build_id)
        cairn_capture_say(
            program->capture, CAIRN_WARNING,
            "%.400s has changed since it was recorded (its build-id was %.64s), so it "
            "gives no names. Tell where the file that ran is (--sysroot, --debug-dir), or give it "
            "with --image FILE@0x%llx.",
            info->path, info->build_id, (unsigned long long)info->bias);
    else if (info->state == CAIRN_MODULE_CHANGED)
        cairn_capture_say(program->capture, CAIRN_WARNING,
                          "%.400s cannot be what was recorded, so it gives no names: %s.",
                          info->path, reason);
}

/* Finds the file; its path goes into the arena. */
static cairn_status find_file(struct program *program, const struct cairn_module_search *search,
                              const struct module *module, struct cairn_module_info *info)
{
    struct cairn_module_found found;
    cairn_status status = cairn_module_find(search, info, module->embedded, &found);

    if (status != CAIRN_OK)
        return status;
    info->state = found.state;
    if ((found.file && !(info->file = keep(program, found.file))) ||
        (found.code && !(info->code = keep(program, found.code))))
        status = CAIRN_E_MEMORY;
    if (found.other)
        cairn_capture_say(program->capture, CAIRN_WARNING,
                          "%.400s is not of the build that was recorded, so it is not used: "
                          "%.400s names it for its debug information, with another CRC "
                          "(.gnu_debuglink). Tell where the right one is (--debug-dir).",
                          found.other, info->file);
    cairn_module_found_clear(&found);
    return status;
}

static cairn_status settle(struct program *program, const struct cairn_module_search *search,
                           struct module *module)
{
    struct cairn_module_info *info = &module->info;
    struct cairn_error error = {.text = "it is no ELF file for Arm"};

    if (!info->path || module->broken) {
        cairn_capture_say(program->capture, CAIRN_WARNING,
                          "%s: a module without a path, or with a number that cannot be read, is "
                          "left out.",
                          program->name);
        return CAIRN_OK;
    }
    cairn_status status = find_file(program, search, module, info);
    if (status != CAIRN_OK)
        return status;
    if (info->file) {
        status = add_names(program, module, &error);
        if (status == CAIRN_E_MEMORY)
            return status;
        if (status != CAIRN_OK) {
            info->state = CAIRN_MODULE_CHANGED;
            info->file = info->code = NULL;
        }
    }
    say_state(program, info, error.text);
    return cairn_capture_add_module(program->capture, info);
}

/* The list goes into the arena, where its texts are. */
static const char *const *settle_texts(struct program *program, const struct texts *texts)
{
    char **list = cairn_arena_alloc(&program->capture->arena, (texts->count + 1) * sizeof *list);

    if (list && texts->count)
        memcpy(list, texts->list, texts->count * sizeof *list);
    return (const char *const *)list;
}

static cairn_status settle_all(struct program *program, const struct cairn_module_search *search)
{
    struct cairn_program_info *info = &program->capture->program;
    cairn_status status = CAIRN_OK;

    info->argument_count = program->arguments.count;
    info->arguments = settle_texts(program, &program->arguments);
    info->environment_count = program->environment.count;
    info->environment = settle_texts(program, &program->environment);
    if (!info->arguments || !info->environment)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < program->module_count && status == CAIRN_OK; i++)
        status = settle(program, search, &program->modules[i]);
    return status;
}

cairn_status cairn_snapshot_program(struct cairn_capture *capture,
                                    const struct cairn_module_search *search, const char *name,
                                    char *text, size_t size)
{
    struct program program = {.capture = capture, .name = name};

    capture->has_program = true;
    capture->program.exit_status = -1;
    cairn_status status = (cairn_status)cairn_ini_read(text, size, take_line, &program);
    if (status == CAIRN_OK)
        status = settle_all(&program, search);
    free(program.modules);
    free(program.ranges);
    free(program.arguments.list);
    free(program.environment.list);
    return status;
}
