/* SPDX-License-Identifier: BSD-2-Clause */
/* Where registers are read from. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <cairn/lint.h>

#include "capture/ini.h"
#include "capture/model.h"
#include "capture/trace_unit.h"
#include "cli/session/programmed.h"
#include "unit/script.h"

#define FILE_MOST (4u << 20)
#define SYSFS_VALUE 64u
#define PATH_MOST 4096u
#define NAME_MOST 32u

char *cli_read_text(struct cli_session *session, const char *path, size_t most, size_t *size)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    char *text = file ? malloc(most + 1) : NULL;

    if (!file) {
        cli_session_say(session, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    if (text) {
        *size = fread(text, 1, most, file);
        text[*size] = '\0';
    }
    const bool more = text && *size == most && fgetc(file) != EOF;
    const bool failed = ferror(file);
    const int why = errno;
    fclose(file);
    if (!text || more || failed) {
        cli_session_say(session, "cannot read %s: %s", path,
                        !text             ? "out of memory"
                        : more            ? "it is too long for registers or a script"
                        : (why == EISDIR) ? "it is a folder; give the file in it"
                                          : strerror(why));
        free(text);
        return NULL;
    }
    return text;
}

/* --- captures --- */

/* The unit of a source; one of another capture that has the same name is another one. */
static struct cli_trace_unit *unit_of_source(struct cli_programmed *programmed, const char *name,
                                             const char *path)
{
    struct cli_trace_unit *unit = cli_programmed_unit(programmed, name);
    char *both;

    if (!unit || !unit->is_source || unit->capture == programmed->captures)
        return unit;
    if (asprintf(&both, "%s (%s)", name, path) < 0)
        return NULL;
    unit = cli_programmed_unit(programmed, both);
    free(both);
    return unit;
}

static bool add_source(struct cli_programmed *programmed, const struct cairn_capture *capture,
                       size_t source, const char *path)
{
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_buffer_info buffer = {.size = sizeof buffer};

    if (cairn_capture_source(capture, source, &info) ||
        (!cairn_of_protocol(info.protocol) && !cli_programmed_is_modelled(info.protocol)))
        return true;
    struct cli_trace_unit *unit = unit_of_source(programmed, info.name, path);
    if (!unit)
        return false;
    unit->protocol = info.protocol;
    unit->is_source = true;
    unit->source = source;
    unit->trace_id = info.trace_id;
    if (cairn_capture_buffer(capture, info.buffer, &buffer) == CAIRN_OK)
        unit->flags =
            buffer.format == CAIRN_FORMAT_SOURCE_DATA ? CAIRN_LINT_OWN_SINK : CAIRN_LINT_SHARED_BUS;
    unit->flags |= CAIRN_LINT_AFTERWARDS;
    unit->buffer = info.buffer;
    unit->capture = programmed->captures;
    for (size_t i = 0; i < info.register_count; i++)
        if (!cli_unit_set(unit, info.registers[i].name, info.registers[i].value))
            return false;
    return true;
}

static bool read_capture(struct cli_programmed *programmed, struct cli_session *session,
                         const char *path)
{
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_capture *capture = NULL;
    bool done = true;

    if (cairn_capture_open(path, &session->options->open, &capture, &error) != CAIRN_OK) {
        cli_session_say(session, "%s", error.text);
        return false;
    }
    const size_t before = programmed->unit_count;
    for (size_t i = 0; done && i < cairn_capture_source_count(capture); i++)
        done = add_source(programmed, capture, i, path);
    if (done && programmed->unit_count == before) {
        cli_session_say(
            session, "%s: no trace unit of ETE, ETMv4, PTM, ETMv3 or MTB is described in it", path);
        done = false;
    }
    cairn_capture_free(capture);
    programmed->captures++;
    return done;
}

/* --- the INI file of one trace unit --- */

struct device {
    struct cli_trace_unit unit; /* registers alone */
    char name[NAME_MOST];
    enum cairn_protocol_id protocol;
    bool is_one;
    bool no_memory;
};

static int take_line(void *context, const struct cairn_ini_line *line)
{
    struct device *device = context;
    uint64_t value;

    if (line->kind == CAIRN_INI_SECTION) {
        device->is_one |= !strcasecmp(line->section, "regs");
        return 0;
    }
    if (line->kind != CAIRN_INI_PAIR)
        return 0;
    if (!strcasecmp(line->section, "device") && !strcasecmp(line->key, "name"))
        snprintf(device->name, sizeof device->name, "%s", line->value);
    if (!strcasecmp(line->section, "device") && !strcasecmp(line->key, "type"))
        device->protocol = cairn_protocol_of_type(line->value);
    if (!strcasecmp(line->section, "regs") && cairn_ini_number(line->value, &value) &&
        !cli_unit_set(&device->unit, line->key, value))
        device->no_memory = true;
    return device->no_memory;
}

/* *taken: it is such a file. */
static bool read_ini(struct cli_programmed *programmed, const char *text, size_t size, bool *taken)
{
    struct device device = {.protocol = CAIRN_PROTOCOL_UNKNOWN};
    char *copy = malloc(size + 1);
    bool done = copy != NULL;

    if (copy) {
        memcpy(copy, text, size + 1);
        cairn_ini_read(copy, size, take_line, &device);
        done = !device.no_memory;
    }
    *taken = device.is_one;
    if (done && device.is_one) {
        struct cli_trace_unit *unit =
            cli_programmed_unit(programmed, device.name[0] ? device.name : NULL);
        done = unit != NULL;
        if (unit && cairn_of_protocol(device.protocol))
            unit->protocol = device.protocol;
        for (size_t i = 0; done && i < device.unit.register_count; i++)
            done =
                cli_unit_set(unit, device.unit.registers[i].name, device.unit.registers[i].value);
    }
    for (size_t i = 0; i < device.unit.register_count; i++)
        free((char *)(uintptr_t)device.unit.registers[i].name);
    free(device.unit.registers);
    free(copy);
    return done;
}

/* --- sysfs --- */

/* A file's name as that of a register: in capitals, and with the R that the drivers leave out
 * (trcconfig, trctraceid). False: it is none. */
static bool register_of_file(const char *file, char name[NAME_MOST])
{
    const size_t length = strlen(file);

    if (length + 2 > NAME_MOST || (strncasecmp(file, "trc", 3) && strncasecmp(file, "etm", 3)))
        return false;
    for (size_t i = 0; i <= length; i++)
        name[i] = (char)toupper((unsigned char)file[i]);
    if (cairn_register_units(name))
        return true;
    snprintf(name + length, NAME_MOST - length, "R");
    return cairn_register_units(name) != 0;
}

static bool read_register_file(struct cli_trace_unit *unit, const char *folder, const char *file,
                               size_t *found)
{
    char path[PATH_MOST], name[NAME_MOST], text[SYSFS_VALUE];
    uint64_t value;

    if (!register_of_file(file, name) ||
        snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
        return true;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return true;
    const size_t size = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    text[size] = '\0';
    text[strcspn(text, " \t\r\n")] = '\0';
    if (!cairn_script_number(text, &value))
        return true;
    ++*found;
    return cli_unit_set(unit, name, value);
}

static bool read_folder(struct cli_trace_unit *unit, const char *folder, size_t *found)
{
    DIR *stream = opendir(folder);
    struct dirent *entry;
    bool done = true;

    while (stream && done && (entry = readdir(stream)))
        done = read_register_file(unit, folder, entry->d_name, found);
    if (stream)
        closedir(stream);
    return done;
}

/* A device's folder has mgmt/ and trcidr/; either may be given alone. */
static bool read_sysfs(struct cli_programmed *programmed, struct cli_session *session,
                       const char *path)
{
    static const char *const inside[] = {"", "/mgmt", "/trcidr"};
    struct cli_trace_unit *unit = cli_programmed_unit(programmed, NULL);
    char folder[PATH_MOST];
    size_t found = 0;

    if (!unit)
        return false;
    for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++)
        if (snprintf(folder, sizeof folder, "%s%s", path, inside[i]) < (int)sizeof folder &&
            !read_folder(unit, folder, &found))
            return false;
    unit->flags |= CAIRN_LINT_AFTERWARDS;
    if (!found)
        cli_session_say(session,
                        "%s: neither a snapshot (it has no snapshot.ini) nor a folder with a file "
                        "a register, such as trcconfigr with 0x1 in it",
                        path);
    return found > 0;
}

/* --- lines --- */

/* "NAME=VALUE", "NAME: VALUE", "NAME VALUE"; # begins a comment. */
static bool read_lines(struct cli_programmed *programmed, struct cli_session *session,
                       const char *path, char *text)
{
    struct cli_trace_unit *unit = cli_programmed_unit(programmed, NULL);
    unsigned number = 0;
    size_t found = 0;
    char *rest = text;

    while (unit && rest) {
        char *line = strsep(&rest, "\n");
        uint64_t value;

        number++;
        line[strcspn(line, "#;")] = '\0';
        line += strspn(line, " \t\r");
        if (!*line)
            continue;
        const size_t name = strcspn(line, "=: \t");
        char *behind = line + name + strspn(line + name, "=: \t");
        behind[strcspn(behind, " \t\r")] = '\0';
        if (name == 0 || name >= NAME_MOST || !cairn_script_number(behind, &value)) {
            cli_session_say(session,
                            "%s:%u: \"%.40s\" is no register: expected `NAME: VALUE`, `NAME=VALUE` "
                            "or, in a script, `write NAME VALUE`",
                            path, number, line);
            return false;
        }
        line[name] = '\0';
        found++;
        if (!cli_unit_set(unit, line, value))
            return false;
    }
    if (unit && !found)
        cli_session_say(session, "%s: there is no register in it", path);
    return found > 0;
}

static bool read_file(struct cli_programmed *programmed, struct cli_session *session,
                      const char *path)
{
    size_t size = 0;
    char *text = cli_read_text(session, path, FILE_MOST, &size);
    bool taken = false, done;

    if (!text)
        return false;
    if (memchr(text, 0, size)) {
        cli_session_say(session, "%s: it is no text; of a raw buffer give the registers as words",
                        path);
        free(text);
        return false;
    }
    if (cairn_is_snapshot_text(text, size)) {
        free(text);
        return read_capture(programmed, session, path);
    }
    if (cairn_script_is_one(text, size)) {
        struct cli_trace_unit *unit = cli_programmed_unit(programmed, NULL);
        if (!unit || unit->script) {
            cli_session_say(session, "%s: one script at a time", path);
            free(text);
            return false;
        }
        unit->script = text;
        unit->script_size = size;
        unit->script_name = path;
        return true;
    }
    done = read_ini(programmed, text, size, &taken);
    if (done && !taken)
        done = read_lines(programmed, session, path, text);
    free(text);
    return done;
}

bool cli_programmed_path(struct cli_programmed *programmed, struct cli_session *session,
                         const char *path)
{
    char snapshot[PATH_MOST];
    struct stat status;

    programmed->from_file = true;
    if (!strcmp(path, "-"))
        return read_file(programmed, session, path);
    if (stat(path, &status)) {
        cli_session_say(session, "cannot read %s: %s (a register is given as NAME=VALUE)", path,
                        strerror(errno));
        return false;
    }
    if (!S_ISDIR(status.st_mode))
        return read_file(programmed, session, path);
    if (snprintf(snapshot, sizeof snapshot, "%s/snapshot.ini", path) < (int)sizeof snapshot &&
        !stat(snapshot, &status))
        return read_capture(programmed, session, path);
    return read_sysfs(programmed, session, path);
}
