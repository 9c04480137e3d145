/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of --config, mended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/check/fix.h"

/* "[source NAME]", with any space between. */
static size_t section_of(const struct cli_ini *ini, const char *source)
{
    static const char word[] = "source";
    char name[CLI_INI_NAME_MAX];
    size_t at = SIZE_MAX;

    while ((at = cli_ini_next_section(ini, at, name)) != SIZE_MAX) {
        const char *rest = name + sizeof word - 1;
        if (!strncasecmp(name, word, sizeof word - 1) &&
            !strcasecmp(rest + strspn(rest, " \t"), source))
            return at;
    }
    return SIZE_MAX;
}

/* The [image] section with that file; `of` may be a path in which it ends. */
static size_t image_of(const struct cli_ini *ini, const char *of)
{
    char file[CLI_INI_VALUE_MAX];
    size_t at = SIZE_MAX;

    while ((at = cli_ini_section(ini, "image", at)) != SIZE_MAX) {
        const size_t whole = strlen(of);
        if (!cli_ini_value(ini, at, "file", file))
            continue;
        const size_t length = strlen(file);
        if (length <= whole && !strcmp(of + whole - length, file))
            return at;
    }
    return SIZE_MAX;
}

static void apply(struct cli_fix *fix, struct cli_ini *ini, const struct cli_remedy *remedy)
{
    size_t at;

    switch (remedy->mend) {
    case CLI_MEND_NOTHING:
    case CLI_MEND_ORDER: return;
    case CLI_MEND_REGISTER:
        if ((at = section_of(ini, remedy->of)) == SIZE_MAX)
            return;
        if (strstr(remedy->name, "TRACEIDR")) /* which wins over the register */
            (void)cli_ini_comment(ini, at, "trace_id");
        cli_ini_set(ini, at, remedy->name, remedy->value);
        cli_fix_say(fix, "%s: %s=%s", remedy->of, remedy->name, remedy->value);
        return;
    case CLI_MEND_PROTOCOL:
        if ((at = section_of(ini, remedy->of)) == SIZE_MAX)
            return;
        cli_fix_witnesses(ini, at);
        cli_ini_set(ini, at, "protocol", remedy->value);
        cli_fix_say(fix, "%s: protocol=%s", remedy->of, remedy->value);
        return;
    case CLI_MEND_FORMAT:
        at = cli_ini_section(ini, "buffer", SIZE_MAX);
        if (at == SIZE_MAX)
            at = cli_ini_add_section(ini, "buffer");
        cli_ini_set(ini, at, "format", remedy->value);
        cli_fix_say(fix, "%s: format=%s", remedy->of, remedy->value);
        return;
    case CLI_MEND_DUMP:
        if ((at = image_of(ini, remedy->of)) == SIZE_MAX)
            return;
        (void)cli_ini_comment(ini, at, "address");
        (void)cli_ini_comment(ini, at, "offset");
        (void)cli_ini_comment(ini, at, "length");
        cli_fix_say(fix, "%s: without address=", remedy->of);
        return;
    }
}

void cli_fix_config(struct cli_fix *fix)
{
    fix->inis = calloc(1, sizeof *fix->inis);
    if (!fix->inis) {
        cli_fix_fail(fix, "out of memory");
        return;
    }
    fix->ini_count = 1;
    if (!cli_ini_read(fix->inis, fix->session->options->open.config_path)) {
        cli_fix_fail(fix, "%s cannot be read", fix->session->options->open.config_path);
        return;
    }
    for (size_t i = 0; i < fix->remedy_count; i++)
        apply(fix, fix->inis, fix->remedies[i]);
    if (fix->inis->changed)
        cli_fix_write(fix, fix->inis, &fix->config);
}
