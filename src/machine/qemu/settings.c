/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin's arguments: machine/qemu/arguments.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/percent.h"
#include "machine/qemu/arguments.h"
#include "machine/qemu/plugin.h"
#include "protocol/about.h"
#include "unit/model.h"

enum { LINE_MAX_SIZE = 16384, REGISTERS_MAX = 512, RETURN_STACK_MAX = 15 };

static cairn_status set_text(char **text, const char *value, struct cairn_error *error)
{
    char *copy = strdup(value);

    if (!copy)
        return cairn_fail(error, CAIRN_E_MEMORY, "out of memory for the plugin's arguments");
    free(*text);
    *text = copy;
    return CAIRN_OK;
}

static cairn_status read_number(const char *key, const char *value, uint64_t most, uint64_t *number,
                                struct cairn_error *error)
{
    char *end = NULL;
    const bool digit = value[0] >= '0' && value[0] <= '9';
    const uint64_t read = strtoull(value, &end, 0);

    if (!digit || *end != '\0' || read > most)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "%s=%s: not a number from 0 to %#llx", key,
                          value, (unsigned long long)most);
    *number = read;
    return CAIRN_OK;
}

static cairn_status add_register(struct cairn_qemu_settings *settings, const char *text,
                                 struct cairn_error *error)
{
    const char *equals = strchr(text, '=');
    uint64_t value = 0;

    if (!equals || equals == text)
        return cairn_fail(error, CAIRN_E_ARGUMENT, CAIRN_QEMU_REGISTER " %s: not NAME=VALUE", text);
    if (settings->register_count == REGISTERS_MAX)
        return cairn_fail(error, CAIRN_E_LIMIT, CAIRN_QEMU_REGISTER " %s: more than %d registers",
                          text, REGISTERS_MAX);
    const cairn_status status = read_number(text, equals + 1, UINT64_MAX, &value, error);
    if (status != CAIRN_OK)
        return status;
    if (!settings->registers)
        settings->registers = calloc(REGISTERS_MAX, sizeof *settings->registers);
    char *name = settings->registers ? strndup(text, (size_t)(equals - text)) : NULL;
    if (!name)
        return cairn_fail(error, CAIRN_E_MEMORY, "out of memory for the plugin's arguments");
    settings->registers[settings->register_count++] =
        (struct cairn_register){.name = name, .value = value};
    return CAIRN_OK;
}

/* The word in front of *text, which moves behind it and the blanks there; NULL: there is none. */
static char *take_word(char **text)
{
    char *const word = *text + strspn(*text, " ");
    char *const end = word + strcspn(word, " ");

    if (end == word)
        return NULL;
    *text = end + strspn(end, " ");
    *end = '\0';
    return word;
}

static bool find_use(const char *word, enum cairn_filter_use *use)
{
    for (int i = 0; word && i < CAIRN_FILTER_USES; i++) {
        *use = (enum cairn_filter_use)i;
        if (strcmp(cairn_filter_name(*use), word) == 0)
            return true;
    }
    return false;
}

/* "include 0x1000 0x1fff" */
static cairn_status add_filter(struct cairn_qemu_settings *settings, char *text,
                               struct cairn_error *error)
{
    enum cairn_filter_use use;
    uint64_t first = 0, last = 0;
    const bool is_use = find_use(take_word(&text), &use);
    const char *const from = take_word(&text), *const to = take_word(&text);

    if (!is_use || !from || !to)
        return cairn_fail(error, CAIRN_E_ARGUMENT, CAIRN_QEMU_FILTER ": not USE FIRST LAST");
    cairn_status status = read_number(CAIRN_QEMU_FILTER, from, UINT64_MAX, &first, error);
    if (status == CAIRN_OK)
        status = read_number(CAIRN_QEMU_FILTER, to, UINT64_MAX, &last, error);
    if (status == CAIRN_OK && cairn_filters_add(&settings->filters, use, first, last) != CAIRN_OK)
        status = cairn_fail(error, CAIRN_E_MEMORY, "out of memory for the plugin's arguments");
    return status;
}

/* "start own main" */
static cairn_status add_name(struct cairn_qemu_settings *settings, char *text,
                             struct cairn_error *error)
{
    enum cairn_filter_use use;
    const bool is_use = find_use(take_word(&text), &use);
    const char *const whose = take_word(&text);
    const bool own = whose && strcmp(whose, CAIRN_QEMU_OWN) == 0;

    if (!is_use || !*text || (!own && strcmp(whose, CAIRN_QEMU_ANY) != 0))
        return cairn_fail(error, CAIRN_E_ARGUMENT, CAIRN_QEMU_NAME ": not USE own|any NAME");
    if (settings->name_count == CAIRN_QEMU_NAMES_MOST)
        return cairn_fail(error, CAIRN_E_LIMIT, CAIRN_QEMU_NAME " %s: more than %d names", text,
                          CAIRN_QEMU_NAMES_MOST);
    if (!settings->names)
        settings->names = calloc(CAIRN_QEMU_NAMES_MOST, sizeof *settings->names);
    char *const copy = settings->names ? strdup(text) : NULL;
    if (!copy)
        return cairn_fail(error, CAIRN_E_MEMORY, "out of memory for the plugin's arguments");
    settings->names[settings->name_count++] = (struct cairn_qemu_name){use, own, copy};
    settings->filters.waits[use] = true;
    return CAIRN_OK;
}

static enum cairn_protocol_id find_protocol(const char *name)
{
    const struct cairn_about *about;

    for (size_t i = 0; (about = cairn_about_at(i)); i++)
        if (cairn_unit_has_model(about->id) && strcasecmp(about->name, name) == 0)
            return about->id;
    return CAIRN_PROTOCOL_UNKNOWN;
}

static cairn_status set_choice(struct cairn_qemu_settings *settings, const char *key,
                               const char *value, struct cairn_error *error)
{
    if (strcmp(key, CAIRN_QEMU_PROTOCOL) == 0) {
        settings->protocol = find_protocol(value);
        if (settings->protocol == CAIRN_PROTOCOL_UNKNOWN)
            return cairn_fail(error, CAIRN_E_ARGUMENT, "%s=%s: no trace unit of that protocol", key,
                              value);
    } else {
        const bool tid = strcmp(value, "tid") == 0;
        if (!tid && strcmp(value, "none") != 0)
            return cairn_fail(error, CAIRN_E_ARGUMENT, "%s=%s: neither tid nor none", key, value);
        settings->context_is_thread = tid;
    }
    return CAIRN_OK;
}

static cairn_status set_program(struct cairn_qemu_settings *settings, const char *value,
                                struct cairn_error *error)
{
    const cairn_status status = set_text(&settings->program, value, error);

    if (status == CAIRN_OK)
        cairn_percent_decode(settings->program);
    return status;
}

static cairn_status set(struct cairn_qemu_settings *settings, const char *key, const char *value,
                        struct cairn_error *error)
{
    uint64_t number = 0;
    cairn_status status;

    if (strcmp(key, CAIRN_QEMU_CORE) == 0)
        return set_text(&settings->core, value, error);
    if (strcmp(key, CAIRN_QEMU_NOTE) == 0)
        return set_text(&settings->note, value, error);
    if (strcmp(key, CAIRN_QEMU_PROGRAM) == 0)
        return set_program(settings, value, error);
    if (strcmp(key, CAIRN_QEMU_PROTOCOL) == 0 || strcmp(key, CAIRN_QEMU_CONTEXT) == 0)
        return set_choice(settings, key, value, error);
    if (strcmp(key, CAIRN_QEMU_CHOICES) == 0) {
        status = read_number(key, value, UINT32_MAX, &number, error);
        if (status == CAIRN_OK)
            settings->choices = (uint32_t)number;
        return status;
    }
    if (strcmp(key, CAIRN_QEMU_LIMIT) == 0)
        return read_number(key, value, UINT64_MAX, &settings->limit, error);
    if (strcmp(key, CAIRN_QEMU_RETURN_STACK) == 0) {
        status = read_number(key, value, RETURN_STACK_MAX, &number, error);
        if (status == CAIRN_OK)
            settings->return_stack_depth = (uint32_t)number;
        return status;
    }
    if (strcmp(key, CAIRN_QEMU_FIFO) == 0 || strcmp(key, CAIRN_QEMU_DRAIN) == 0) {
        status = read_number(key, value, UINT32_MAX, &number, error);
        if (status == CAIRN_OK)
            *(strcmp(key, CAIRN_QEMU_FIFO) ? &settings->fifo_drain : &settings->fifo_bytes) =
                (uint32_t)number;
        return status;
    }
    if (strcmp(key, CAIRN_QEMU_BUFFER) == 0)
        return cairn_around_read_buffer(&settings->around, value, error);
    if (strcmp(key, CAIRN_QEMU_EVENTS) == 0)
        return cairn_around_read_events(&settings->around, value, error);
    if (strcmp(key, CAIRN_QEMU_EXPLAIN) == 0) {
        status = read_number(key, value, 1, &number, error);
        if (status == CAIRN_OK)
            settings->explain = number != 0;
        return status;
    }
    if (strcmp(key, CAIRN_QEMU_OVERWRITE) == 0) {
        status = read_number(key, value, 1, &number, error);
        if (status == CAIRN_OK)
            settings->overwrite = number != 0;
        return status;
    }
    return cairn_fail(error, CAIRN_E_ARGUMENT, "%s=%s: the plugin has no such argument", key,
                      value);
}

/* One line more of what is told of the program. */
static cairn_status add_told(struct cairn_qemu_settings *settings, const char *line,
                             struct cairn_error *error)
{
    const size_t size = settings->told ? strlen(settings->told) : 0;
    char *grown = realloc(settings->told, size + strlen(line) + 2);

    if (!grown)
        return cairn_fail(error, CAIRN_E_MEMORY, "out of memory for the plugin's arguments");
    sprintf(grown + size, "%s\n", line);
    settings->told = grown;
    return CAIRN_OK;
}

/* A line of the file of options, or an argument; `text` is changed. */
static cairn_status read_line(struct cairn_qemu_settings *settings, char *text,
                              struct cairn_error *error)
{
    static const char prefix[] = CAIRN_QEMU_REGISTER " ", filter[] = CAIRN_QEMU_FILTER " ",
                      name[] = CAIRN_QEMU_NAME " ", told[] = CAIRN_QEMU_TOLD " ";

    if (strncmp(text, told, sizeof told - 1) == 0)
        return add_told(settings, text + sizeof told - 1, error);
    if (strncmp(text, prefix, sizeof prefix - 1) == 0)
        return add_register(settings, text + sizeof prefix - 1, error);
    if (strncmp(text, filter, sizeof filter - 1) == 0)
        return add_filter(settings, text + sizeof filter - 1, error);
    if (strncmp(text, name, sizeof name - 1) == 0)
        return add_name(settings, text + sizeof name - 1, error);
    char *equals = strchr(text, '=');
    if (!equals)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "%s: not KEY=VALUE", text);
    *equals = '\0';
    return set(settings, text, equals + 1, error);
}

static cairn_status read_file(struct cairn_qemu_settings *settings, const char *path,
                              struct cairn_error *error)
{
    char line[LINE_MAX_SIZE];
    FILE *file = fopen(path, "re");
    cairn_status status = CAIRN_OK;

    if (!file)
        return cairn_fail(error, CAIRN_E_IO, "%s: cannot read the plugin's options", path);
    while (status == CAIRN_OK && fgets(line, sizeof line, file)) {
        const size_t length = strcspn(line, "\r\n");
        if (length == sizeof line - 1)
            status = cairn_fail(error, CAIRN_E_LIMIT, "%s: a line is too long", path);
        line[length] = '\0';
        if (status == CAIRN_OK && line[0] != '\0' && line[0] != '#')
            status = read_line(settings, line, error);
    }
    fclose(file);
    return status;
}

cairn_status cairn_qemu_settings_read(struct cairn_qemu_settings *settings, const char *argument,
                                      struct cairn_error *error)
{
    static const char folder[] = CAIRN_QEMU_FOLDER "=", options[] = CAIRN_QEMU_OPTIONS "=";
    char *text = strdup(argument);
    cairn_status status;

    if (!text)
        return cairn_fail(error, CAIRN_E_MEMORY, "out of memory for the plugin's arguments");
    cairn_percent_decode(text);
    if (strncmp(text, folder, sizeof folder - 1) == 0)
        status = set_text(&settings->folder, text + sizeof folder - 1, error);
    else if (strncmp(text, options, sizeof options - 1) == 0)
        status = read_file(settings, text + sizeof options - 1, error);
    else
        status = read_line(settings, text, error);
    free(text);
    return status;
}

void cairn_qemu_settings_free(struct cairn_qemu_settings *settings)
{
    for (size_t i = 0; i < settings->register_count; i++)
        free((void *)(uintptr_t)settings->registers[i].name);
    for (size_t i = 0; i < settings->name_count; i++)
        free(settings->names[i].text);
    cairn_filters_clear(&settings->filters);
    free(settings->names);
    free(settings->told);
    free(settings->registers);
    free(settings->folder);
    free(settings->core);
    free(settings->note);
    free(settings->program);
    *settings = (struct cairn_qemu_settings){0};
}

cairn_status cairn_qemu_settings_take(struct cairn_qemu_settings *settings, int count,
                                      char **arguments, struct cairn_error *error)
{
    const struct cairn_unit_options defaults = CAIRN_UNIT_OPTIONS_INIT;
    cairn_status status = CAIRN_OK;

    settings->protocol = defaults.protocol;
    settings->choices = defaults.choices;
    settings->return_stack_depth = defaults.return_stack_depth;
    for (int i = 0; i < count && status == CAIRN_OK; i++)
        status = cairn_qemu_settings_read(settings, arguments[i], error);
    if (status == CAIRN_OK && !settings->folder)
        status =
            cairn_fail(error, CAIRN_E_ARGUMENT,
                       "the plugin needs %s=FOLDER, where the recording goes", CAIRN_QEMU_FOLDER);
    return status;
}
