/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line as it should have been: the user's options, but those that were wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/shell.h"
#include "cli/check/fix.h"
#include "cli/options/protocols.h"

static void put_option(FILE *out, const char *name, const char *value)
{
    char word[CAIRN_SHELL_ROOM];

    fprintf(out, " --%s %s", name, cairn_shell_word(value, word));
}

static const struct cli_remedy *remedy_of(const struct cli_fix *fix, enum cli_mend mend)
{
    for (size_t i = 0; i < fix->remedy_count; i++)
        if (fix->remedies[i]->mend == mend)
            return fix->remedies[i];
    return NULL;
}

/* Whether --set of that name (SOURCE:REGISTER too) was found to be wrong. */
static bool is_replaced(const struct cli_fix *fix, const char *name)
{
    const char *colon = strrchr(name, ':');
    const char *bare = colon ? colon + 1 : name;

    for (size_t i = 0; i < fix->remedy_count; i++)
        if (fix->remedies[i]->mend == CLI_MEND_REGISTER &&
            !strcasecmp(fix->remedies[i]->name, bare))
            return true;
    return remedy_of(fix, CLI_MEND_PROTOCOL) &&
           (!strcasecmp(bare, "TRCDEVARCH") || !strcasecmp(bare, "TRCIDR1") ||
            !strcasecmp(bare, "ETMIDR"));
}

static void put_registers(FILE *out, const struct cli_fix *fix, bool in_file)
{
    const struct cairn_capture_options *open = &fix->session->options->open;
    const bool many = cairn_capture_source_count(fix->session->capture) > 1;
    char text[256];

    for (size_t i = 0; i < open->register_count; i++) {
        if (is_replaced(fix, open->registers[i].name))
            continue;
        snprintf(text, sizeof text, "%s=0x%llx", open->registers[i].name,
                 (unsigned long long)open->registers[i].value);
        put_option(out, "set", text);
    }
    for (size_t i = 0; i < fix->remedy_count && !in_file; i++) {
        const struct cli_remedy *remedy = fix->remedies[i];
        if (remedy->mend != CLI_MEND_REGISTER)
            continue;
        snprintf(text, sizeof text, "%s%s%s=%s", many ? remedy->of : "", many ? ":" : "",
                 remedy->name, remedy->value);
        put_option(out, "set", text);
    }
}

static const char *frames_of(enum cairn_format format)
{
    switch (format) {
    case CAIRN_FORMAT_SOURCE_DATA: return "none";
    case CAIRN_FORMAT_CORESIGHT: return "coresight";
    case CAIRN_FORMAT_DSTREAM_CORESIGHT: return "dstream";
    case CAIRN_FORMAT_AUTO: break;
    }
    return NULL;
}

static enum cairn_format format_called(const char *name)
{
    for (enum cairn_format format = CAIRN_FORMAT_SOURCE_DATA;
         format <= CAIRN_FORMAT_DSTREAM_CORESIGHT; format++)
        if (!strcmp(cairn_format_name(format), name))
            return format;
    return CAIRN_FORMAT_AUTO;
}

static bool sets_id(const struct cli_fix *fix)
{
    for (size_t i = 0; i < fix->remedy_count; i++)
        if (fix->remedies[i]->mend == CLI_MEND_REGISTER &&
            strstr(fix->remedies[i]->name, "TRACEIDR"))
            return true;
    return false;
}

static void put_opening(FILE *out, const struct cli_fix *fix, bool in_file)
{
    const struct cairn_capture_options *open = &fix->session->options->open;
    const struct cli_remedy *protocol = remedy_of(fix, CLI_MEND_PROTOCOL);
    const struct cli_remedy *format = remedy_of(fix, CLI_MEND_FORMAT);
    char word[CLI_PROTOCOLS_TEXT];

    if (protocol && !in_file) {
        put_option(out, "protocol", protocol->value);
    } else if (open->protocol && !protocol) {
        cli_protocols_word(open->protocol, word);
        put_option(out, "protocol", word);
    }
    if (open->core)
        put_option(out, "core", open->core);
    const char *frames = frames_of(format ? format_called(format->value) : open->format);
    if (frames && (!format || !in_file))
        put_option(out, "frames", frames);
    if (open->trace_id >= 0 && !sets_id(fix)) {
        snprintf(word, sizeof word, "0x%x", (unsigned)open->trace_id);
        put_option(out, "id", word);
    }
    if (open->pins)
        put_option(out, "pins", open->pins);
    if (open->port_mode)
        put_option(out, "port-mode", open->port_mode);
    if (open->port_width) {
        snprintf(word, sizeof word, "%u", open->port_width);
        put_option(out, "port-width", word);
    }
    if (open->config_path)
        put_option(out, "config", fix->config ? fix->config : open->config_path);
    put_registers(out, fix, in_file);
}

/* An ELF file goes where its segments say. */
static void put_image(FILE *out, const struct cli_fix *fix, const char *image)
{
    for (size_t i = 0; i < fix->remedy_count; i++) {
        const struct cli_remedy *remedy = fix->remedies[i];
        const size_t length = strlen(remedy->of);
        if (remedy->mend != CLI_MEND_DUMP || strncmp(image, remedy->of, length) ||
            image[length] != '@')
            continue;
        put_option(out, "image", remedy->of);
        return;
    }
    put_option(out, "image", image);
}

char *cli_fix_command(const struct cli_fix *fix)
{
    const struct cli_options *options = fix->session->options;
    const bool in_file = fix->ini_count != 0;
    char *text = NULL, word[CAIRN_SHELL_ROOM];
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fputs("cairn check", out);
    put_opening(out, fix, in_file);
    for (size_t i = 0; i < options->images.count; i++)
        put_image(out, fix, options->images.items[i]);
    fprintf(out, " %s", cairn_shell_file(fix->capture ? fix->capture : options->capture, word));
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}
