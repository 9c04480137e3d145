/* SPDX-License-Identifier: BSD-2-Clause */
/* The configurations of `cairn info`: each once, with the names of the sources that have it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/info/info.h"
#include "cli/info/info_settings.h"
#include "cli/screen/page.h"

#define INDENT 4
#define LINES 4
#define LABEL_WIDTH 32

/* A text that grows. */
struct words {
    char *text;
    size_t used;
    size_t capacity;
    bool failed;
};

static void __attribute__((format(printf, 2, 3))) say(struct words *words, const char *format, ...)
{
    char *more;
    va_list arguments;

    va_start(arguments, format);
    const int length = vasprintf(&more, format, arguments);
    va_end(arguments);
    if (length < 0) {
        words->failed = true;
        return;
    }
    if (words->used + (size_t)length + 1 > words->capacity) {
        const size_t capacity = 2 * (words->used + (size_t)length + 1);
        char *text = realloc(words->text, capacity);
        if (!text) {
            words->failed = true;
            free(more);
            return;
        }
        words->text = text;
        words->capacity = capacity;
    }
    memcpy(words->text + words->used, more, (size_t)length + 1);
    words->used += (size_t)length;
    free(more);
}

/* What stands in parentheses behind another setting, if that is on. */
static const struct {
    const char *of;
    const char *key;
    const char *before;
    const char *after;
} details[] = {
    {"cycle_counting", "cycle_threshold", "threshold ", ""},
    {"timestamps", "timestamp_bits", "", " bits"},
    {"context_id", "context_id_bytes", "", " bytes"},
    {"vmid", "vmid_source", "", ""},
};

static bool is_detail(const char *key)
{
    for (size_t i = 0; i < sizeof details / sizeof *details; i++)
        if (!strcmp(details[i].key, key))
            return true;
    return false;
}

static void say_detail(struct words *words, const struct cli_settings *settings, const char *of)
{
    char text[CLI_SETTING_TEXT];

    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        const struct cli_setting *detail = cli_settings_find(settings, details[i].key);
        if (strcmp(details[i].of, of) || !detail || detail->type == CLI_SETTING_NONE)
            continue;
        cli_setting_words(detail, text);
        say(words, " (%s%s%s)", details[i].before, text,
            !strcmp(text, "1") && !strcmp(details[i].after, " bytes") ? " byte" : details[i].after);
    }
}

static void say_setting(struct words *words, const struct cli_setting *setting)
{
    char text[CLI_SETTING_TEXT];

    cli_setting_words(setting, text);
    switch (setting->type) {
    case CLI_SETTING_FLAG: say(words, "%s%s", setting->value ? "" : "no ", setting->label); return;
    case CLI_SETTING_NUMBER:
    case CLI_SETTING_HEX: say(words, "%s %s", setting->label, text); return;
    case CLI_SETTING_TEXT_OF:
    case CLI_SETTING_NONE: break;
    }
    say(words, "%s: %s", setting->label, text);
}

/* "cycle counting (threshold 16), return stack": what does not go without saying. */
static void say_settings(struct words *words, const struct cli_settings *settings)
{
    const char *separator = "";

    for (size_t i = 0; i < settings->count; i++) {
        const struct cli_setting *setting = &settings->items[i];
        if (setting->usual || is_detail(setting->key))
            continue;
        say(words, "%s", separator);
        say_setting(words, setting);
        say_detail(words, settings, setting->key);
        separator = ", ";
    }
    if (!*separator)
        say(words, "nothing out of the ordinary");
}

/* Digits at the end of a name, and their number; the length without them. */
static size_t split_name(const char *name, unsigned long long *number)
{
    size_t length = strlen(name), digits = 0;

    while (digits < length && digits < 18 && name[length - digits - 1] >= '0' &&
           name[length - digits - 1] <= '9')
        digits++;
    *number = digits ? strtoull(name + length - digits, NULL, 10) : 0;
    return digits && (digits == 1 || name[length - digits] != '0') ? length - digits : length;
}

/* Whether `next` is `name` with the number after its own. */
static bool follows(const char *name, const char *next)
{
    unsigned long long number, next_number;
    const size_t length = split_name(name, &number), next_length = split_name(next, &next_number);

    return name[length] && length == next_length && !strncmp(name, next, length) &&
           next_number == number + 1;
}

/* "thread_1..41, other": the sources of a group. */
static void say_names(struct words *words, const struct cli_audit *audit, const size_t *group,
                      size_t of)
{
    const char *first = NULL, *last = NULL;
    unsigned long long number;

    for (size_t i = 0; i <= audit->source_count; i++) {
        const char *name = i < audit->source_count ? audit->sources[i].info.name : NULL;
        if (name && group[i] != of)
            continue;
        if (name && last && follows(last, name)) {
            last = name;
            continue;
        }
        if (last && last != first) {
            split_name(last, &number);
            say(words, "..%llu", number);
        }
        if (name)
            say(words, "%s%s", first ? ", " : "", name);
        first = first && !name ? first : name;
        last = name;
    }
}

/* A line a setting, for who wants to see everything. */
static void list_settings(struct cli_page *page, const struct cli_settings *settings)
{
    char text[CLI_SETTING_TEXT];

    for (size_t i = 0; i < settings->count; i++) {
        cli_setting_words(&settings->items[i], text);
        cli_page_format(page, INDENT, 1, "    %-*s %s", LABEL_WIDTH, settings->items[i].label,
                        text);
    }
}

static bool same_notes(const struct cairn_config *a, const struct cairn_config *b)
{
    const char *one, *other;
    size_t i = 0;

    do {
        one = cairn_config_note(a, i);
        other = cairn_config_note(b, i++);
    } while (one && other && !strcmp(one, other));
    return !one && !other;
}

static bool same(const struct cli_audit_source *a, const struct cli_audit_source *b)
{
    struct cli_settings one, other;

    if (a->info.protocol != b->info.protocol || !same_notes(a->config, b->config))
        return false;
    cli_settings_of(&one, a->config);
    cli_settings_of(&other, b->config);
    return cli_settings_same(&one, &other);
}

static void print_group(const struct cli_audit *audit, const size_t *group, size_t of,
                        struct cli_page *page)
{
    const struct cairn_config *config = audit->sources[of].config;
    struct words words = {0};
    struct cli_settings settings;
    const char *note;

    cli_settings_of(&settings, config);
    say(&words, "  ");
    say_names(&words, audit, group, of);
    if (!page->all) {
        say(&words, ": ");
        say_settings(&words, &settings);
    }
    if (words.text)
        cli_page_text(page, INDENT, LINES, words.text);
    page->failed |= words.failed;
    free(words.text);
    if (page->all)
        list_settings(page, &settings);
    for (size_t i = 0; (note = cairn_config_note(config, i)); i++)
        cli_page_format(page, INDENT + 2, LINES, "    note: %s", note);
}

void cli_info_configurations(const struct cli_audit *audit, struct cli_page *page)
{
    size_t *group = calloc(audit->source_count + 1, sizeof *group);

    page->failed |= !group;
    if (!group)
        return;
    cli_page_section(page, "configuration");
    for (size_t i = 0; i < audit->source_count; i++) {
        group[i] = i;
        for (size_t other = 0; audit->sources[i].config && other < i && group[i] == i; other++)
            if (group[other] == other && audit->sources[other].config &&
                same(&audit->sources[other], &audit->sources[i]))
                group[i] = other;
    }
    for (size_t i = 0; i < audit->source_count; i++)
        if (group[i] == i && audit->sources[i].config)
            print_group(audit, group, i, page);
    free(group);
}
