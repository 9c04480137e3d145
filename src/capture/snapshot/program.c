/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/snapshot/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "capture/ini.h"

#define MODULE_LIMIT 8192
#define ARGUMENT_LIMIT 4096
#define RANGE_LIMIT 65536 /* of all modules */

/* Where a module is named: all sources, or a part of one. */
struct range {
    uint32_t source;
    uint64_t from, to; /* UINT64_MAX: to the end */
};

struct module {
    struct cairn_module_info info;
    bool in_parts; /* it counts in its ranges only */
    bool broken;   /* a number could not be read */
    size_t first_range, range_count;
};

struct program {
    struct cairn_capture *capture;
    const char *name; /* of the file */
    struct module *modules;
    size_t module_count, module_capacity;
    struct range *ranges;
    size_t range_count, range_capacity;
    char **arguments;
    size_t argument_count, argument_capacity;
    bool in_module;
};

static bool same(const char *one, const char *other)
{
    return strcasecmp(one, other) == 0;
}

static const char *keep(struct program *program, const char *text)
{
    return cairn_arena_text(&program->capture->arena, text);
}

static int begin_section(struct program *program, const char *section)
{
    program->in_module = false;
    if (strncasecmp(section, "module", 6) != 0 || program->module_count >= MODULE_LIMIT)
        return CAIRN_OK;
    if (cairn_grow((void **)&program->modules, program->module_count, &program->module_capacity,
                   sizeof *program->modules) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    program->modules[program->module_count++] =
        (struct module){.first_range = program->range_count};
    program->in_module = true;
    return CAIRN_OK;
}

static int program_key(struct program *program, const struct cairn_ini_line *line)
{
    struct cairn_program_info *info = &program->capture->program;
    uint64_t status;

    if (same(line->key, "path"))
        return (info->path = keep(program, line->value)) ? CAIRN_OK : CAIRN_E_MEMORY;
    if (same(line->key, "exit_status") && cairn_ini_number(line->value, &status) && status < 256)
        info->exit_status = (int)status;
    if (strncasecmp(line->key, "argument", 8) != 0 || program->argument_count >= ARGUMENT_LIMIT)
        return CAIRN_OK;
    if (cairn_grow((void **)&program->arguments, program->argument_count,
                   &program->argument_capacity, sizeof *program->arguments) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    char *argument = cairn_arena_text(&program->capture->arena, line->value);
    if (!argument)
        return CAIRN_E_MEMORY;
    program->arguments[program->argument_count++] = argument;
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
                                                    : NULL;
    if (!to)
        return CAIRN_OK;
    return (*to = keep(program, line->value)) ? CAIRN_OK : CAIRN_E_MEMORY;
}

static int take_line(void *context, const struct cairn_ini_line *line)
{
    struct program *program = context;

    switch (line->kind) {
    case CAIRN_INI_MALFORMED:
        cairn_capture_say(program->capture, CAIRN_WARNING,
                          "%s:%u: \"%.60s\" is neither [section] nor key=value and is ignored.",
                          program->name, line->number, line->value);
        return CAIRN_OK;
    case CAIRN_INI_SECTION: return begin_section(program, line->section);
    case CAIRN_INI_PAIR: break;
    }
    if (program->in_module)
        return module_key(program, line);
    return same(line->section, "program") ? program_key(program, line) : CAIRN_OK;
}

/* --- the modules' files --- */

static cairn_status add_names(struct program *program, const struct module *module,
                              struct cairn_error *error)
{
    const struct cairn_module_info *info = &module->info;
    struct cairn_image *image = program->capture->image;
    struct cairn_scope scope = cairn_scope_any();
    cairn_status status = CAIRN_OK;

    if (!module->in_parts)
        return cairn_image_add_names(image, info->file, info->bias, &scope, info->address,
                                     info->length, error);
    for (size_t i = 0; i < module->range_count && status == CAIRN_OK; i++) {
        const struct range *range = &program->ranges[module->first_range + i];

        scope.source = range->source;
        scope.epoch_from = range->from;
        scope.epoch_to = range->to;
        status = cairn_image_add_names(image, info->file, info->bias, &scope, info->address,
                                       info->length, error);
    }
    return status;
}

/* Whether the file is what was recorded: by its build-id, if it had one. */
static enum cairn_module_state state_of(struct cairn_capture *capture,
                                        const struct cairn_files *files,
                                        const struct cairn_module_info *info)
{
    uint64_t size;
    char *build_id;

    if (!files->size_of(files->context, info->path, &size))
        return CAIRN_MODULE_MISSING;
    if (!info->build_id)
        return CAIRN_MODULE_USED;
    build_id = cairn_image_build_id(info->path);
    const bool is_it = build_id && !strcmp(build_id, info->build_id);

    (void)capture;
    free(build_id);
    return is_it ? CAIRN_MODULE_USED : CAIRN_MODULE_CHANGED;
}

static void say_state(struct program *program, const struct cairn_module_info *info,
                      const char *reason)
{
    if (info->state == CAIRN_MODULE_MISSING)
        cairn_capture_say(
            program->capture, CAIRN_NOTE,
            "%.400s: what was recorded is not there any more, so its functions have no "
            "names. Put it back, or give a copy with --image FILE@0x%llx.",
            info->path, (unsigned long long)info->bias);
    else if (info->state == CAIRN_MODULE_CHANGED && info->build_id)
        cairn_capture_say(
            program->capture, CAIRN_WARNING,
            "%.400s has changed since it was recorded (its build-id was %.64s), so it "
            "gives no names. Give the file that ran with --image FILE@0x%llx.",
            info->path, info->build_id, (unsigned long long)info->bias);
    else if (info->state == CAIRN_MODULE_CHANGED)
        cairn_capture_say(program->capture, CAIRN_WARNING,
                          "%.400s cannot be what was recorded, so it gives no names: %s.",
                          info->path, reason);
}

static cairn_status settle(struct program *program, const struct cairn_files *files,
                           struct module *module)
{
    struct cairn_module_info *info = &module->info;
    struct cairn_error error = {.status = CAIRN_OK};

    if (!info->path || module->broken) {
        cairn_capture_say(program->capture, CAIRN_WARNING,
                          "%s: a module without a path, or with a number that cannot be read, is "
                          "left out.",
                          program->name);
        return CAIRN_OK;
    }
    info->state = state_of(program->capture, files, info);
    info->file = info->state == CAIRN_MODULE_USED ? info->path : NULL;
    if (info->file) {
        const cairn_status status = add_names(program, module, &error);

        if (status == CAIRN_E_MEMORY)
            return status;
        if (status != CAIRN_OK) {
            info->state = CAIRN_MODULE_CHANGED;
            info->file = NULL;
        }
    }
    say_state(program, info, error.text);
    return cairn_capture_add_module(program->capture, info);
}

static cairn_status settle_all(struct program *program, const struct cairn_files *files)
{
    struct cairn_capture *capture = program->capture;
    cairn_status status = CAIRN_OK;

    capture->program.argument_count = program->argument_count;
    capture->program.arguments = cairn_arena_alloc(&capture->arena, (program->argument_count + 1) *
                                                                        sizeof *program->arguments);
    if (!capture->program.arguments)
        return CAIRN_E_MEMORY;
    if (program->argument_count)
        memcpy((void *)(uintptr_t)capture->program.arguments, program->arguments,
               program->argument_count * sizeof *program->arguments);
    for (size_t i = 0; i < program->module_count && status == CAIRN_OK; i++)
        status = settle(program, files, &program->modules[i]);
    return status;
}

cairn_status cairn_snapshot_program(struct cairn_capture *capture, const struct cairn_files *files,
                                    const char *name, char *text, size_t size)
{
    struct program program = {.capture = capture, .name = name};

    capture->has_program = true;
    capture->program.exit_status = -1;
    cairn_status status = (cairn_status)cairn_ini_read(text, size, take_line, &program);
    if (status == CAIRN_OK)
        status = settle_all(&program, files);
    free(program.modules);
    free(program.ranges);
    free(program.arguments);
    return status;
}
