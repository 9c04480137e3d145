/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/info/info_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_fields.h"

/* What goes without saying. */
enum usual {
    USUALLY_NOT,    /* false, 0 or none */
    USUALLY_64,     /* 64 */
    USUALLY_1,      /* 1, or true */
    USUALLY_ANY,    /* whatever it is */
    USUALLY_NEVER,  /* nothing */
    USUALLY_CYCLES, /* whatever it is where no cycles are counted, ... */
    USUALLY_TIMES,  /* ... there are no timestamps, ... */
    USUALLY_VMID,   /* ... VMIDs are not traced, ... */
    USUALLY_DEPTH,  /* ... nothing is speculative */
};

struct term {
    const char *name;  /* as a protocol has it */
    const char *label; /* the key is that in small letters; NULL: told elsewhere */
    enum usual usual;
};

/* Sorted by name. What is not in here keeps its name, and is told unless it is USUALLY_NOT. */
static const struct term terms[] = {
    {"32-bit Thumb is one waypoint", "Thumb-32 is one waypoint", USUALLY_1},
    {"Security Extensions", "Security Extensions", USUALLY_ANY},
    {"VMID trace", "VMID", USUALLY_NOT},
    {"Virtualization Extensions", "Virtualization Extensions", USUALLY_ANY},
    {"address bits", "address bits", USUALLY_64},
    {"atoms of 32-bit Thumb", "atoms of Thumb-32", USUALLY_1},
    {"branch encoding", "branch encoding", USUALLY_ANY},
    {"commit mode", "commit mode", USUALLY_DEPTH},
    {"context id", "context ID", USUALLY_NOT},
    {"context id bytes", "context ID bytes", USUALLY_ANY},
    {"cycle count threshold", "cycle threshold", USUALLY_CYCLES},
    {"cycle counter bits", "cycle counter bits", USUALLY_ANY},
    {"cycle-accurate", "cycle counting", USUALLY_NOT},
    {"direct branch packets", "branch broadcast", USUALLY_NOT},
    {"profile", NULL, USUALLY_ANY}, /* of the architecture */
    {"timestamp bits", "timestamp bits", USUALLY_TIMES},
    {"timestamp encoding", "timestamp encoding", USUALLY_TIMES},
    {"trace ID", NULL, USUALLY_ANY}, /* of the source */
    {"trace id", NULL, USUALLY_ANY},
    {"version", "version", USUALLY_ANY}, /* beside the protocol */
    {"virtual context id", "VMID", USUALLY_NOT},
    {"virtual context id source", "VMID source", USUALLY_VMID},
    {"virtualization", "Virtualization Extensions", USUALLY_ANY},
};

static int compare_names(const void *name, const void *term)
{
    return strcmp(name, ((const struct term *)term)->name);
}

static struct cli_setting *add(struct cli_settings *settings, const char *label)
{
    struct cli_setting *setting = &settings->items[settings->count];

    if (settings->count < CLI_SETTINGS_MAX - 1)
        settings->count++;
    memset(setting, 0, sizeof *setting);
    snprintf(setting->label, sizeof setting->label, "%s", label);
    cairn_json_key(label, setting->key);
    return setting;
}

/* "no" and "none" are no texts. */
static void set_text(struct cli_setting *setting, const char *text)
{
    setting->type = CLI_SETTING_TEXT_OF;
    if (!text || !strcmp(text, "no") || !strcmp(text, "none"))
        setting->type = CLI_SETTING_NONE;
    else
        snprintf(setting->text, sizeof setting->text, "%s", text);
}

static void set_value(struct cli_setting *setting, const struct cairn_field *field)
{
    setting->value = field->value;
    switch (field->type) {
    case CAIRN_FIELD_DECIMAL: setting->type = CLI_SETTING_NUMBER; return;
    case CAIRN_FIELD_HEX: setting->type = CLI_SETTING_HEX; return;
    case CAIRN_FIELD_FLAG: setting->type = CLI_SETTING_FLAG; return;
    case CAIRN_FIELD_TEXT: set_text(setting, field->text); return;
    case CAIRN_FIELD_UNKNOWN: break;
    }
    setting->type = CLI_SETTING_NONE;
}

/* "48 bits, Gray code" is two settings. */
static bool add_timestamp_form(struct cli_settings *settings, const struct cairn_field *field)
{
    unsigned bits;

    if (strcmp(field->name, "timestamp form") || !field->text ||
        sscanf(field->text, "%u bits", &bits) != 1)
        return false;
    struct cli_setting *setting = add(settings, "timestamp bits");
    setting->value = bits;
    setting->usual = true; /* finish() tells */
    setting = add(settings, "timestamp encoding");
    set_text(setting, strstr(field->text, "Gray") ? "Gray" : "binary");
    setting->usual = true;
    return true;
}

/* Of a source that has context IDs in so many bytes. */
static void add_context_id(struct cli_settings *settings, const struct cairn_field *field)
{
    struct cli_setting *setting = add(settings, "context ID");

    setting->type = CLI_SETTING_FLAG;
    setting->value = field->value != 0;
    setting->usual = field->value == 0;
}

static bool is_off(const struct cli_settings *settings, const char *key)
{
    const struct cli_setting *setting = cli_settings_find(settings, key);

    return !setting || setting->value == 0;
}

static bool is_usual(const struct cli_settings *settings, const struct cli_setting *setting,
                     enum usual usual)
{
    switch (usual) {
    case USUALLY_NOT:
        return setting->type == CLI_SETTING_NONE ||
               (setting->type != CLI_SETTING_TEXT_OF && setting->value == 0);
    case USUALLY_64: return setting->value == 64;
    case USUALLY_1: return setting->value == 1;
    case USUALLY_ANY: return true;
    case USUALLY_NEVER: return false;
    case USUALLY_CYCLES: return is_off(settings, "cycle_counting");
    case USUALLY_TIMES: return is_off(settings, "timestamps");
    case USUALLY_VMID: return is_off(settings, "vmid");
    case USUALLY_DEPTH: return is_off(settings, "speculation_depth");
    }
    return false;
}

static const struct term *find_term(const char *name)
{
    return bsearch(name, terms, sizeof terms / sizeof *terms, sizeof *terms, compare_names);
}

/* The number alone: the protocol's name, which may be in it, stands beside it. */
static void strip_version(struct cli_setting *setting)
{
    const size_t name = strcspn(setting->text, "0123456789");

    memmove(setting->text, setting->text + name, strlen(setting->text + name) + 1);
}

/* What depends on settings that may stand behind it. */
static void finish(struct cli_settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        struct cli_setting *setting = &settings->items[i];
        if (!strcmp(setting->key, "version"))
            strip_version(setting);
        if (!strncmp(setting->key, "timestamp_", 10) && strcmp(setting->key, "timestamp_markers"))
            setting->usual = is_off(settings, "timestamps") || !strcmp(setting->text, "binary");
    }
}

void cli_settings_of(struct cli_settings *settings, const struct cairn_config *config)
{
    struct cairn_field fields[CLI_SETTINGS_MAX];
    size_t count = cairn_config_describe(config, fields, CLI_SETTINGS_MAX);

    settings->count = 0;
    for (size_t i = 0; i < count && i < CLI_SETTINGS_MAX; i++) {
        const struct term *term = find_term(fields[i].name);
        if (add_timestamp_form(settings, &fields[i]) || (term && !term->label))
            continue;
        if (!strcmp(fields[i].name, "context id bytes"))
            add_context_id(settings, &fields[i]);
        struct cli_setting *setting = add(settings, term ? term->label : fields[i].name);
        set_value(setting, &fields[i]);
        setting->usual = is_usual(settings, setting, term ? term->usual : USUALLY_NOT);
    }
    finish(settings);
}

const struct cli_setting *cli_settings_find(const struct cli_settings *settings, const char *key)
{
    for (size_t i = 0; i < settings->count; i++)
        if (!strcmp(settings->items[i].key, key))
            return &settings->items[i];
    return NULL;
}

unsigned cli_settings_trace_id(const struct cairn_config *config)
{
    struct cairn_field fields[CLI_SETTINGS_MAX];
    size_t count = cairn_config_describe(config, fields, CLI_SETTINGS_MAX);

    for (size_t i = 0; i < count && i < CLI_SETTINGS_MAX; i++)
        if (!strcmp(fields[i].name, "trace ID") || !strcmp(fields[i].name, "trace id"))
            return (unsigned)fields[i].value;
    return 0;
}

bool cli_settings_same(const struct cli_settings *a, const struct cli_settings *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct cli_setting *one = &a->items[i], *other = &b->items[i];
        if (strcmp(one->key, other->key) || one->type != other->type ||
            one->value != other->value || strcmp(one->text, other->text))
            return false;
    }
    return true;
}

void cli_setting_words(const struct cli_setting *setting, char text[CLI_SETTING_TEXT])
{
    switch (setting->type) {
    case CLI_SETTING_NUMBER:
        snprintf(text, CLI_SETTING_TEXT, "%llu", (unsigned long long)setting->value);
        return;
    case CLI_SETTING_HEX:
        snprintf(text, CLI_SETTING_TEXT, "0x%llx", (unsigned long long)setting->value);
        return;
    case CLI_SETTING_FLAG:
        snprintf(text, CLI_SETTING_TEXT, "%s", setting->value ? "yes" : "no");
        return;
    case CLI_SETTING_TEXT_OF: snprintf(text, CLI_SETTING_TEXT, "%s", setting->text); return;
    case CLI_SETTING_NONE: break;
    }
    snprintf(text, CLI_SETTING_TEXT, "none");
}
