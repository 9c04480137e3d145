/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/letters.h"
#include "base/sizes.h"
#include "capture/model.h"
#include "capture/register_names.h"
#include "capture/trace_unit.h"
#include "image/names.h"
#include "protocol/about.h"

const char *cairn_format_name(enum cairn_format format)
{
    switch (format) {
    case CAIRN_FORMAT_AUTO: return "auto";
    case CAIRN_FORMAT_SOURCE_DATA: return "source_data";
    case CAIRN_FORMAT_CORESIGHT: return "coresight";
    case CAIRN_FORMAT_DSTREAM_CORESIGHT: return "dstream_coresight";
    }
    return "unknown";
}

cairn_status cairn_capture_new(struct cairn_capture **capture, struct cairn_error *error)
{
    struct cairn_capture *made = calloc(1, sizeof *made);
    if (made)
        made->measures = cairn_measures_new();
    if (!made || !made->measures || cairn_image_new(&made->image) != CAIRN_OK) {
        if (made)
            cairn_measures_free(made->measures);
        free(made);
        return cairn_fail(error, CAIRN_E_MEMORY, "not enough memory to open a capture");
    }
    *capture = made;
    return CAIRN_OK;
}

void cairn_capture_free(struct cairn_capture *capture)
{
    if (!capture)
        return;
    for (struct cairn_buffer_view *view = capture->views; view; view = view->next)
        view->close(view);
    cairn_image_unref(capture->image);
    cairn_measures_free(capture->measures);
    free(capture->buffers);
    free(capture->sources);
    free(capture->remarks);
    free(capture->modules);
    free(capture->threads);
    free(capture->names);
    free(capture->lives);
    free(capture->borders);
    cairn_arena_free(&capture->arena);
    free(capture);
}

void cairn_capture_keep_view(struct cairn_capture *capture, struct cairn_buffer_view *view)
{
    view->next = capture->views;
    capture->views = view;
}

static void say(struct cairn_capture *capture, const char *code, enum cairn_severity severity,
                const char *format, va_list arguments)
{
    if (capture->remark_count >= CAIRN_REMARK_LIMIT)
        return;
    if (cairn_grow((void **)&capture->remarks, capture->remark_count, &capture->remark_capacity,
                   sizeof *capture->remarks) != CAIRN_OK)
        return;
    char sentence[CAIRN_REMARK_SIZE];
    vsnprintf(sentence, sizeof sentence, format, arguments);
    const char *text = capture->remark_count + 1 < CAIRN_REMARK_LIMIT
                           ? cairn_arena_text(&capture->arena, sentence)
                           : "There is more like this, which is not listed; mend the first ones.";
    if (text)
        capture->remarks[capture->remark_count++] =
            (struct cairn_said){.remark = {.severity = severity, .text = text}, .code = code};
}

void cairn_capture_say(struct cairn_capture *capture, enum cairn_severity severity,
                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(capture, NULL, severity, format, arguments);
    va_end(arguments);
}

void cairn_capture_doubt(struct cairn_capture *capture, const char *format, ...)
{
    const size_t before = capture->remark_count;
    va_list arguments;

    va_start(arguments, format);
    say(capture, NULL, CAIRN_WARNING, format, arguments);
    va_end(arguments);
    if (capture->remark_count > before)
        capture->remarks[before].is_doubt = true;
}

void cairn_capture_say_as(struct cairn_capture *capture, const char *code,
                          enum cairn_severity severity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(capture, code, severity, format, arguments);
    va_end(arguments);
}

cairn_status cairn_capture_add_buffer(struct cairn_capture *capture,
                                      const struct cairn_buffer *buffer)
{
    if (cairn_grow((void **)&capture->buffers, capture->buffer_count, &capture->buffer_capacity,
                   sizeof *capture->buffers) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    capture->buffers[capture->buffer_count++] = *buffer;
    return CAIRN_OK;
}

cairn_status cairn_capture_add_source(struct cairn_capture *capture,
                                      const struct cairn_source_info *source)
{
    if (cairn_grow((void **)&capture->sources, capture->source_count, &capture->source_capacity,
                   sizeof *capture->sources) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    capture->sources[capture->source_count++] = *source;
    return CAIRN_OK;
}

cairn_status cairn_capture_add_module(struct cairn_capture *capture,
                                      const struct cairn_module_info *module)
{
    if (cairn_grow((void **)&capture->modules, capture->module_count, &capture->module_capacity,
                   sizeof *capture->modules) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    capture->modules[capture->module_count++] = *module;
    return !module->file || !module->path || !strcmp(module->file, module->path)
               ? CAIRN_OK
               : cairn_image_is_copy(capture->image, module->file, module->path);
}

cairn_status cairn_capture_program(const struct cairn_capture *capture,
                                   struct cairn_program_info *info)
{
    if (!capture || !info)
        return CAIRN_E_ARGUMENT;
    if (!capture->has_program)
        return CAIRN_E_NOT_FOUND;
    return cairn_info_write(info, &capture->program, sizeof *info);
}

cairn_status cairn_capture_add_thread(struct cairn_capture *capture,
                                      const struct cairn_thread_info *thread)
{
    if (cairn_grow((void **)&capture->threads, capture->thread_count, &capture->thread_capacity,
                   sizeof *capture->threads) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    capture->threads[capture->thread_count++] = *thread;
    return CAIRN_OK;
}

size_t cairn_capture_first_name(const struct cairn_capture *capture, uint64_t thread)
{
    size_t from = 0, until = capture->name_count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;

        if (capture->names[middle].thread_id < thread)
            from = middle + 1;
        else
            until = middle;
    }
    return from;
}

size_t cairn_capture_thread_count(const struct cairn_capture *capture)
{
    return capture ? capture->thread_count : 0;
}

cairn_status cairn_capture_thread(const struct cairn_capture *capture, size_t index,
                                  struct cairn_thread_info *info)
{
    if (!capture || !info)
        return CAIRN_E_ARGUMENT;
    if (index >= capture->thread_count)
        return CAIRN_E_NOT_FOUND;
    return cairn_info_write(info, &capture->threads[index], sizeof *info);
}

enum cairn_thread_mark cairn_capture_thread_mark(const struct cairn_capture *capture)
{
    return capture ? capture->thread_mark : CAIRN_THREAD_NOT_MARKED;
}

cairn_status cairn_capture_clock(const struct cairn_capture *capture, struct cairn_clock_info *info)
{
    if (!capture || !info)
        return CAIRN_E_ARGUMENT;
    if (!capture->has_clock)
        return CAIRN_E_NOT_FOUND;
    return cairn_info_write(info, &capture->clock, sizeof *info);
}

uint64_t cairn_clock_time(const struct cairn_clock_info *clock, uint64_t timestamp)
{
    const uint64_t count = clock->counter + ((timestamp - clock->counter) & clock->counter_mask);
    const unsigned shift = clock->shift & 63;
    const uint64_t rest = count & ((UINT64_C(1) << shift) - 1);

    return clock->zero + (count >> shift) * clock->multiplier + (rest * clock->multiplier >> shift);
}

size_t cairn_capture_module_count(const struct cairn_capture *capture)
{
    return capture ? capture->module_count : 0;
}

cairn_status cairn_capture_module(const struct cairn_capture *capture, size_t module,
                                  struct cairn_module_info *info)
{
    if (!capture || !info)
        return CAIRN_E_ARGUMENT;
    if (module >= capture->module_count)
        return CAIRN_E_NOT_FOUND;
    return cairn_info_write(info, &capture->modules[module], sizeof *info);
}

struct cairn_arch cairn_capture_arch(struct cairn_capture *capture, const char *source,
                                     const char *core_type, enum cairn_protocol_id protocol)
{
    struct cairn_arch arch = cairn_arch_any_a();
    const struct cairn_about *about = cairn_about(protocol);
    if (!core_type && about->arch)
        (void)cairn_arch_from_name(about->arch, &arch);
    if (!core_type)
        return arch;
    if (cairn_arch_from_name(core_type, &arch) != CAIRN_OK) {
        cairn_capture_say(capture, CAIRN_WARNING,
                          "%s: core type \"%s\" is not known; every instruction of the newest "
                          "architecture is assumed to exist on it. Give a known core "
                          "(\"Cortex-A53\") or an architecture (\"ARMv8.2-A\") instead.",
                          source, core_type);
    } else if (arch.major < about->first_arch) {
        cairn_capture_say(capture, CAIRN_NOTE,
                          "%s: core type \"%s\" is older than Armv%u, where %s begins; every "
                          "instruction of the newest architecture is assumed to exist on it.",
                          source, core_type, about->first_arch, about->name);
        arch = cairn_arch_any_a();
    }
    return arch;
}

cairn_status cairn_source_override(struct cairn_capture *capture, struct cairn_source_info *info,
                                   const struct cairn_register *registers, size_t register_count)
{
    if (!register_count)
        return CAIRN_OK;
    const size_t old_count = info->register_count;
    struct cairn_register *merged =
        cairn_arena_alloc(&capture->arena, (old_count + register_count) * sizeof *merged);
    if (!merged)
        return CAIRN_E_MEMORY;
    if (old_count)
        memcpy(merged, info->registers, old_count * sizeof *merged);
    size_t count = old_count;
    for (size_t i = 0; i < register_count; i++) {
        size_t at = 0;
        while (at < count && strcasecmp(merged[at].name, registers[i].name))
            at++;
        if (at == count) {
            merged[count].name = cairn_arena_text(&capture->arena, registers[i].name);
            if (!merged[count++].name)
                return CAIRN_E_MEMORY;
        }
        merged[at].value = registers[i].value;
    }
    info->registers = merged;
    info->register_count = count;
    return CAIRN_OK;
}

/* "ETM_0:TRCCONFIGR" -> how long the source's name is; 0: there is none. */
static size_t named_source(const char *given)
{
    const char *colon = given ? strrchr(given, ':') : NULL;
    return colon ? (size_t)(colon - given) : 0;
}

/* A source of several buffers (sessions) may be named without the buffer: NAME@BUFFER. */
static bool is_name(const char *name, const char *given, size_t length)
{
    return !strncasecmp(name, given, length) && (!name[length] || name[length] == '@');
}

/* Of a trace unit whose registers are not known here: what is no other's may be its. */
static bool may_have(enum cairn_protocol_id protocol, const char *name)
{
    const struct cairn_about *about;
    if (cairn_register_names_known(protocol) || !protocol)
        return !protocol || cairn_register_name_exists(protocol, name);
    for (size_t i = 0; (about = cairn_about_at(i)); i++) {
        if (cairn_register_name_exists(about->id, name))
            return false;
    }
    return true;
}

cairn_status cairn_source_set(struct cairn_capture *capture, struct cairn_source_info *info,
                              enum cairn_protocol_id protocol,
                              const struct cairn_register *registers, size_t register_count)
{
    for (size_t i = 0; i < register_count; i++) {
        const char *name = registers[i].name;
        const size_t length = named_source(name);
        const bool is_its = length ? is_name(info->name, name, length) : may_have(protocol, name);
        const struct cairn_register bare = {.name = length ? name + length + 1 : name,
                                            .value = registers[i].value};
        if (is_its && cairn_source_override(capture, info, &bare, 1) != CAIRN_OK)
            return CAIRN_E_MEMORY;
    }
    return CAIRN_OK;
}

bool cairn_is_core_register(const char *name)
{
    static const char *const names[] = {"VTOR", "VTOR_S", "VTOR_NS"};

    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(name, names[i]))
            return true;
    return false;
}

cairn_status cairn_source_core_set(struct cairn_capture *capture, struct cairn_source_info *info,
                                   const struct cairn_register *registers, size_t register_count)
{
    struct cairn_source_info core = {.registers = info->core_registers,
                                     .register_count = info->core_register_count};
    for (size_t i = 0; i < register_count; i++) {
        const char *name = registers[i].name;
        const size_t length = named_source(name);
        const struct cairn_register bare = {.name = length ? name + length + 1 : name,
                                            .value = registers[i].value};
        if (!cairn_is_core_register(bare.name) || (length && !is_name(info->name, name, length)))
            continue;
        if (cairn_source_override(capture, &core, &bare, 1) != CAIRN_OK)
            return CAIRN_E_MEMORY;
    }
    info->core_registers = core.registers;
    info->core_register_count = core.register_count;
    return CAIRN_OK;
}

/* Of the core: only that of an M profile core has such a register. */
static bool is_of_core(const struct cairn_capture *capture, const char *name)
{
    const size_t length = named_source(name);
    if (!cairn_is_core_register(length ? name + length + 1 : name))
        return false;
    for (size_t i = 0; i < capture->source_count; i++) {
        if (capture->sources[i].arch.profile == CAIRN_PROFILE_M)
            return true;
    }
    return false;
}

cairn_status cairn_capture_find_given(const struct cairn_capture *capture,
                                      const struct cairn_register *registers, size_t register_count,
                                      struct cairn_error *error)
{
    for (size_t i = 0; i < register_count; i++) {
        const char *name = registers[i].name;
        const size_t length = named_source(name);
        const char *near = NULL;
        unsigned least = CAIRN_NAMES_FAR;
        char word[CAIRN_LETTERS_MAX + 2];
        size_t at = 0;
        snprintf(word, sizeof word, "%.*s", (int)length, name ? name : "");
        while (at < capture->source_count &&
               !is_name(capture->sources[at].name, name ? name : "", length))
            at++;
        if (!length || at < capture->source_count)
            continue;
        for (at = 0; at < capture->source_count; at++) {
            const unsigned apart = cairn_letters_apart(word, capture->sources[at].name);
            near = apart < least ? capture->sources[at].name : near;
            least = apart < least ? apart : least;
        }
        return cairn_fail(error, CAIRN_E_NOT_FOUND, "%.60s: there is no source %s; %s%s%s", name,
                          word, near ? "did you mean " : "its names are what `cairn info` shows",
                          near ? near : "", near ? "?" : "");
    }
    return CAIRN_OK;
}

/* How many sources' trace units have the register, or may have it. */
static size_t register_expected(const struct cairn_capture *capture, const char *name)
{
    const size_t length = named_source(name);
    size_t count = 0;
    for (size_t i = 0; i < capture->source_count; i++) {
        const struct cairn_source_info *info = &capture->sources[i];
        if (!length || is_name(info->name, name, length))
            count += may_have(info->protocol, length ? name + length + 1 : name);
    }
    return count;
}

void cairn_capture_check_registers(struct cairn_capture *capture,
                                   const struct cairn_register *registers, size_t register_count)
{
    for (size_t i = 0; capture->source_count && i < register_count; i++) {
        const char *name = registers[i].name;
        if (!name || is_of_core(capture, name))
            continue;
        const size_t expected = register_expected(capture, name);
        if (expected && expected < capture->source_count && !named_source(name))
            cairn_capture_say(capture, CAIRN_NOTE,
                              "%.40s is given to the sources whose trace unit has it, %zu of %zu; "
                              "SOURCE:%.40s is that of one.",
                              name, expected, capture->source_count, name);
        if (expected)
            continue;
        const char *bare = name + (named_source(name) ? named_source(name) + 1 : 0);
        const char *near = NULL;
        for (size_t j = 0; j < capture->source_count && !near; j++)
            near = cairn_register_name_near(capture->sources[j].protocol, bare);
        const enum cairn_protocol_id protocol = capture->sources[0].protocol;
        if (near)
            cairn_capture_say_as(capture, "CAIRN-REGISTER-ODD", CAIRN_WARNING,
                                 "%.40s is no register of the trace unit and does nothing; did you "
                                 "mean %s?",
                                 name, near);
        else
            cairn_capture_say_as(
                capture, "CAIRN-REGISTER-ODD", CAIRN_WARNING,
                "%.40s is no register of the trace unit and does nothing; those of "
                "%s that decoding uses are %s.",
                name, cairn_protocol_word(protocol), cairn_register_names_needed(protocol));
    }
}

void cairn_capture_check_ids(struct cairn_capture *capture)
{
    for (size_t i = 0; i < capture->source_count; i++) {
        const struct cairn_source_info *one = &capture->sources[i];
        const struct cairn_buffer *buffer = &capture->buffers[one->buffer];
        if (buffer->info.format == CAIRN_FORMAT_SOURCE_DATA || one->trace_id < 0)
            continue;
        if (!cairn_trace_id_is_source((unsigned)one->trace_id))
            cairn_capture_say_as(capture, "CAIRN-WRONG-ID", CAIRN_PROBLEM,
                                 "%s: trace ID 0x%02x is reserved, so nothing in buffer %s is its; "
                                 "read %s while the trace unit is programmed.",
                                 one->name, (unsigned)one->trace_id, buffer->info.name,
                                 cairn_trace_id_register(one->protocol));
        for (size_t j = 0; j < i; j++) {
            const struct cairn_source_info *other = &capture->sources[j];
            if (other->buffer == one->buffer && other->trace_id == one->trace_id)
                cairn_capture_say_as(
                    capture, "CAIRN-WRONG-ID", CAIRN_PROBLEM,
                    "%s and %s both have trace ID 0x%02x in buffer %s: their bytes "
                    "cannot be told apart and each is given all of them. Give each "
                    "trace unit its own ID (%s).",
                    other->name, one->name, (unsigned)one->trace_id, buffer->info.name,
                    cairn_trace_id_register(one->protocol));
        }
    }
}

size_t cairn_capture_source_count(const struct cairn_capture *capture)
{
    return capture->source_count;
}

cairn_status cairn_capture_source(const struct cairn_capture *capture, size_t source,
                                  struct cairn_source_info *info)
{
    if (source >= capture->source_count)
        return CAIRN_E_NOT_FOUND;
    return cairn_info_write(info, &capture->sources[source], sizeof *info);
}

size_t cairn_capture_buffer_count(const struct cairn_capture *capture)
{
    return capture->buffer_count;
}

cairn_status cairn_capture_buffer(const struct cairn_capture *capture, size_t buffer,
                                  struct cairn_buffer_info *info)
{
    if (buffer >= capture->buffer_count)
        return CAIRN_E_NOT_FOUND;
    return cairn_info_write(info, &capture->buffers[buffer].info, sizeof *info);
}

struct cairn_image *cairn_capture_image(struct cairn_capture *capture)
{
    return capture->image;
}

cairn_status cairn_capture_remark(const struct cairn_capture *capture, size_t index,
                                  struct cairn_remark *remark)
{
    if (index >= capture->remark_count)
        return CAIRN_E_NOT_FOUND;
    *remark = capture->remarks[index].remark;
    return CAIRN_OK;
}

const char *cairn_capture_remark_code(const struct cairn_capture *capture, size_t index)
{
    return index < capture->remark_count ? capture->remarks[index].code : NULL;
}
