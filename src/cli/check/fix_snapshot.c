/* SPDX-License-Identifier: BSD-2-Clause */
/* A snapshot's INI files, mended: the changed ones beside the old ones, and a snapshot.ini that
 * names them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/check/fix.h"
#include "cli/options/protocols.h"

/* fix->inis: the root, the trace metadata, then the devices in the order of the list. */
enum { ROOT = 0, METADATA = 1, DEVICES = 2 };

/* `name` beside the root, with backslashes turned, as the capture finds it; the caller frees it. */
static char *beside(const char *root, const char *name)
{
    const char *slash = strrchr(root, '/');
    char *path = NULL;

    if (*name == '/' ||
        asprintf(&path, "%.*s%s", slash ? (int)(slash - root) + 1 : 0, root, name) < 0)
        return *name == '/' ? strdup(name) : NULL;
    for (char *at = path + (slash ? slash - root + 1 : 0); *at; at++)
        if (*at == '\\')
            *at = '/';
    return path;
}

static bool read_beside(struct cli_ini *ini, const char *root, const char *name)
{
    char *path = beside(root, name);
    const bool found = path && cli_ini_read(ini, path);

    free(path);
    return found;
}

/* Reads all of them; a device's file that is not there stays empty. */
static bool read_all(struct cli_fix *fix, const char *root)
{
    char key[CLI_INI_NAME_MAX], value[CLI_INI_VALUE_MAX];
    struct cli_ini first;
    size_t count = 0;

    if (!cli_ini_read(&first, root)) {
        cli_ini_free(&first);
        cli_fix_fail(fix, "%s cannot be read", root);
        return false;
    }
    const size_t list = cli_ini_section(&first, "device_list", SIZE_MAX);
    while (list != SIZE_MAX && cli_ini_pair(&first, list, count, key, value))
        count++;
    fix->inis = calloc(DEVICES + count, sizeof *fix->inis);
    if (!fix->inis) {
        cli_ini_free(&first);
        cli_fix_fail(fix, "out of memory");
        return false;
    }
    fix->ini_count = DEVICES + count;
    fix->inis[ROOT] = first;
    const size_t trace = cli_ini_section(&first, "trace", SIZE_MAX);
    if (trace == SIZE_MAX || !cli_ini_value(&first, trace, "metadata", value))
        snprintf(value, sizeof value, "trace.ini");
    (void)read_beside(&fix->inis[METADATA], root, value);
    for (size_t i = 0; i < count; i++)
        if (cli_ini_pair(&first, list, i, key, value))
            (void)read_beside(&fix->inis[DEVICES + i], root, value);
    return true;
}

static struct cli_ini *device_called(struct cli_fix *fix, const char *name)
{
    char value[CLI_INI_VALUE_MAX];

    for (size_t i = DEVICES; i < fix->ini_count; i++) {
        const size_t at = cli_ini_section(&fix->inis[i], "device", SIZE_MAX);
        if (at != SIZE_MAX && cli_ini_value(&fix->inis[i], at, "name", value) &&
            !strcasecmp(value, name))
            return &fix->inis[i];
    }
    return NULL;
}

/* The section of the metadata that describes a buffer. */
static size_t section_of_buffer(const struct cli_ini *metadata, const char *buffer)
{
    char name[CLI_INI_NAME_MAX], value[CLI_INI_VALUE_MAX];
    size_t at = SIZE_MAX;

    while ((at = cli_ini_next_section(metadata, at, name)) != SIZE_MAX)
        if (cli_ini_value(metadata, at, "name", value) ? !strcmp(value, buffer)
                                                       : !strcmp(name, buffer))
            return at;
    return SIZE_MAX;
}

static void say_where(struct cli_fix *fix, const struct cli_remedy *remedy)
{
    cli_fix_say(fix, "%s: the file that describes it was not found; it is left as it is",
                remedy->of);
}

static void mend_source(struct cli_fix *fix, const struct cli_remedy *remedy)
{
    struct cli_ini *device = device_called(fix, remedy->of);

    if (!device) {
        say_where(fix, remedy);
        return;
    }
    size_t registers = cli_ini_section(device, "regs", SIZE_MAX);
    if (remedy->mend == CLI_MEND_REGISTER) {
        if (registers == SIZE_MAX)
            registers = cli_ini_add_section(device, "regs");
        cli_ini_set(device, registers, remedy->name, remedy->value);
        cli_fix_say(fix, "%s: %s=%s", remedy->of, remedy->name, remedy->value);
        return;
    }
    const struct cairn_about *about = cairn_about(cli_protocols_find(false, remedy->value));
    const char *type = about->type ? about->type : remedy->value;
    if (registers != SIZE_MAX)
        cli_fix_witnesses(device, registers);
    cli_ini_set(device, cli_ini_section(device, "device", SIZE_MAX), "type", type);
    cli_fix_say(fix, "%s: type=%s, without registers that say another one", remedy->of, type);
}

/* Whether what names the copy of a buffer can be written, before the copy is. */
static bool may_name(struct cli_fix *fix, const struct cli_ini *ini)
{
    char *path = cli_ini_fixed_name(ini->path);
    const bool free_name = cli_fix_is_free(fix, path);

    free(path);
    return free_name;
}

static void mend_buffer(struct cli_fix *fix, const struct cli_remedy *remedy, const char *root)
{
    struct cli_ini *metadata = &fix->inis[METADATA];
    const size_t at = section_of_buffer(metadata, remedy->of);
    char value[CLI_INI_VALUE_MAX];
    char *made = NULL;

    if (at == SIZE_MAX) {
        say_where(fix, remedy);
        return;
    }
    if (remedy->mend == CLI_MEND_FORMAT) {
        cli_ini_set(metadata, at, "format", remedy->value);
        cli_fix_say(fix, "%s: format=%s", remedy->of, remedy->value);
        return;
    }
    if (!cli_ini_value(metadata, at, "file", value) || !may_name(fix, metadata) ||
        !may_name(fix, &fix->inis[ROOT]))
        return;
    char *from = beside(root, value);
    if (from)
        cli_fix_reverse(fix, from, (unsigned)strtoul(remedy->value, NULL, 10), &made);
    free(made);
    free(from);
    made = cli_ini_fixed_name(value);
    if (made)
        cli_ini_set(metadata, at, "file", made);
    free(made);
}

static bool remove_address(struct cli_ini *device, size_t at)
{
    (void)cli_ini_comment(device, at, "offset");
    (void)cli_ini_comment(device, at, "length");
    return cli_ini_comment(device, at, "address");
}

/* Every dump of the file, in whichever device it stands and whatever its section is called: cores
 * share memory. The path is the file's as it was found, and ends as the description has it. */
static bool mend_file(struct cli_ini *device, const char *path)
{
    char section[CLI_INI_NAME_MAX], file[CLI_INI_VALUE_MAX];
    const size_t whole = strlen(path);
    size_t at = SIZE_MAX;
    bool found = false;

    while ((at = cli_ini_next_section(device, at, section)) != SIZE_MAX) {
        const size_t length = cli_ini_value(device, at, "file", file) ? strlen(file) : whole + 1;
        if (!strncasecmp(section, "dump", 4) && length <= whole &&
            !strcmp(path + whole - length, file))
            found |= remove_address(device, at);
    }
    return found;
}

/* The dump stands in one of the devices' files: that of that name, or any. */
static void mend_dump(struct cli_fix *fix, const struct cli_remedy *remedy)
{
    bool found = false;

    for (size_t i = DEVICES; remedy->value && i < fix->ini_count; i++)
        found |= mend_file(&fix->inis[i], remedy->value);
    if (found) {
        cli_fix_say(fix, "%s: without address=", remedy->of);
        return;
    }
    for (size_t i = DEVICES; i < fix->ini_count; i++) {
        struct cli_ini *device = &fix->inis[i];
        const size_t whole = device->path ? strlen(device->path) : 0;
        const size_t length = remedy->name ? strlen(remedy->name) : 0;
        const size_t at = cli_ini_section(device, remedy->of, SIZE_MAX);
        if (at == SIZE_MAX || length > whole ||
            (remedy->name && strcasecmp(device->path + whole - length, remedy->name)))
            continue;
        found |= remove_address(device, at);
    }
    if (found)
        cli_fix_say(fix, "%s: without address=", remedy->of);
    else
        say_where(fix, remedy);
}

static void apply(struct cli_fix *fix, const struct cli_remedy *remedy, const char *root)
{
    switch (remedy->mend) {
    case CLI_MEND_NOTHING: return;
    case CLI_MEND_REGISTER:
    case CLI_MEND_PROTOCOL: mend_source(fix, remedy); return;
    case CLI_MEND_FORMAT:
    case CLI_MEND_ORDER: mend_buffer(fix, remedy, root); return;
    case CLI_MEND_DUMP: mend_dump(fix, remedy); return;
    }
}

/* The root names the changed files instead of the old ones. */
static void name_changed(struct cli_fix *fix)
{
    struct cli_ini *root = &fix->inis[ROOT];
    const size_t list = cli_ini_section(root, "device_list", SIZE_MAX);
    size_t trace = cli_ini_section(root, "trace", SIZE_MAX);
    char key[CLI_INI_NAME_MAX], value[CLI_INI_VALUE_MAX];

    for (size_t i = DEVICES; i < fix->ini_count; i++) {
        if (!fix->inis[i].changed || !cli_ini_pair(root, list, i - DEVICES, key, value))
            continue;
        char *name = cli_ini_fixed_name(value);
        if (name)
            cli_ini_set(root, list, key, name);
        free(name);
    }
    if (!fix->inis[METADATA].changed)
        return;
    if (trace == SIZE_MAX)
        trace = cli_ini_add_section(root, "trace");
    if (!cli_ini_value(root, trace, "metadata", value))
        snprintf(value, sizeof value, "trace.ini");
    char *name = cli_ini_fixed_name(value);
    if (name)
        cli_ini_set(root, trace, "metadata", name);
    free(name);
}

void cli_fix_snapshot(struct cli_fix *fix, const char *root)
{
    if (!read_all(fix, root))
        return;
    for (size_t i = 0; i < fix->remedy_count; i++)
        apply(fix, fix->remedies[i], root);
    name_changed(fix);
    /* All or nothing. */
    for (size_t i = 0; i < fix->ini_count && !fix->failed; i++) {
        char *path = fix->inis[i].changed ? cli_ini_fixed_name(fix->inis[i].path) : NULL;
        if (fix->inis[i].changed)
            (void)cli_fix_is_free(fix, path);
        free(path);
    }
    for (size_t i = fix->ini_count; i-- > 0 && !fix->failed;) {
        char *path = NULL;
        if (fix->inis[i].changed)
            cli_fix_write(fix, &fix->inis[i], &path);
        if (i == ROOT && path)
            fix->capture = path;
        else
            free(path);
    }
}
