/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/check/ini_edit.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "capture/files.h"

static const char mark[] = "\xef\xbb\xbf"; /* byte order mark of UTF-8 */

static void add_line(struct cli_ini *ini, size_t at, const char *text, size_t length)
{
    if (ini->count == ini->capacity) {
        const size_t capacity = ini->capacity ? ini->capacity * 2 : 64;
        char **lines = realloc(ini->lines, capacity * sizeof *lines);
        if (!lines) {
            ini->failed = true;
            return;
        }
        ini->lines = lines;
        ini->capacity = capacity;
    }
    char *line = strndup(text, length);
    if (!line) {
        ini->failed = true;
        return;
    }
    memmove(&ini->lines[at + 1], &ini->lines[at], (ini->count - at) * sizeof *ini->lines);
    ini->lines[at] = line;
    ini->count++;
}

bool cli_ini_read(struct cli_ini *ini, const char *path)
{
    const struct cairn_files files = cairn_files_of_system();
    char *text;
    size_t size;

    *ini = (struct cli_ini){.path = strdup(path)};
    if (!ini->path || files.read_text(files.context, path, &text, &size, NULL) != CAIRN_OK)
        return false;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - (text + at)) : size - at;
        const size_t next = at + length + 1;
        if (length && text[at + length - 1] == '\r') {
            ini->crlf = true;
            length--;
        }
        add_line(ini, ini->count, text + at, length);
        at = next;
    }
    free(text);
    return !ini->failed;
}

void cli_ini_free(struct cli_ini *ini)
{
    for (size_t i = 0; i < ini->count; i++)
        free(ini->lines[i]);
    free(ini->lines);
    free(ini->path);
    *ini = (struct cli_ini){0};
}

static const char *content(const char *line)
{
    if (!strncmp(line, mark, sizeof mark - 1))
        line += sizeof mark - 1;
    return line + strspn(line, " \t");
}

static bool heading(const char *line, char name[CLI_INI_NAME_MAX])
{
    const char *at = content(line);
    const char *end = *at == '[' ? strchr(at, ']') : NULL;

    if (!end)
        return false;
    at += 1 + strspn(at + 1, " \t");
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    snprintf(name, CLI_INI_NAME_MAX, "%.*s", (int)(end > at ? end - at : 0), at);
    return true;
}

size_t cli_ini_next_section(const struct cli_ini *ini, size_t after, char name[CLI_INI_NAME_MAX])
{
    for (size_t i = after == SIZE_MAX ? 0 : after + 1; i < ini->count; i++)
        if (heading(ini->lines[i], name))
            return i;
    return SIZE_MAX;
}

size_t cli_ini_section(const struct cli_ini *ini, const char *name, size_t after)
{
    char found[CLI_INI_NAME_MAX];

    while ((after = cli_ini_next_section(ini, after, found)) != SIZE_MAX)
        if (!strcasecmp(found, name))
            return after;
    return SIZE_MAX;
}

/* Where the value of `key` begins, if the line gives it; NULL: it does not. */
static const char *value_at(const char *line, const char *key)
{
    const char *at = content(line);
    const char *equals = strchr(at, '=');
    const size_t length = strlen(key);

    if (!equals || *at == ';' || *at == '#' || strncasecmp(at, key, length))
        return NULL;
    /* nothing behind the name but what a register may have there */
    const char *behind = at + length;
    if (*behind != '(' && *behind != ' ' && *behind != '\t' && *behind != '=')
        return NULL;
    return equals + 1;
}

/* The first line of `key` from `from` on, inside one section; SIZE_MAX: there is none. */
static size_t line_of(const struct cli_ini *ini, size_t from, const char *key)
{
    char name[CLI_INI_NAME_MAX];

    for (size_t i = from; i < ini->count && !heading(ini->lines[i], name); i++)
        if (value_at(ini->lines[i], key))
            return i;
    return SIZE_MAX;
}

static size_t first_of(size_t section)
{
    return section == SIZE_MAX ? 0 : section + 1;
}

/* Without a comment behind it, and quotes around it. */
static void take_value(const char *at, char value[CLI_INI_VALUE_MAX])
{
    at += strspn(at, " \t");
    snprintf(value, CLI_INI_VALUE_MAX, "%s", at);
    for (char *c = value; *c; c++)
        if ((*c == ';' || *c == '#') && c > value && isspace((unsigned char)c[-1]))
            *c-- = 0;
    size_t length = strlen(value);
    while (length && isspace((unsigned char)value[length - 1]))
        value[--length] = 0;
    if (length >= 2 && *value == '"' && value[length - 1] == '"') {
        value[length - 1] = 0;
        memmove(value, value + 1, length - 1);
    }
}

bool cli_ini_value(const struct cli_ini *ini, size_t section, const char *key,
                   char value[CLI_INI_VALUE_MAX])
{
    const size_t at = line_of(ini, first_of(section), key);

    if (at == SIZE_MAX)
        return false;
    take_value(value_at(ini->lines[at], key), value);
    return true;
}

bool cli_ini_pair(const struct cli_ini *ini, size_t section, size_t nth, char key[CLI_INI_NAME_MAX],
                  char value[CLI_INI_VALUE_MAX])
{
    for (size_t i = first_of(section); i < ini->count && !heading(ini->lines[i], key); i++) {
        const char *at = content(ini->lines[i]);
        const char *equals = strchr(at, '=');
        if (!equals || *at == ';' || *at == '#' || nth--)
            continue;
        snprintf(key, CLI_INI_NAME_MAX, "%.*s", (int)(equals - at), at);
        key[strcspn(key, " \t")] = 0;
        take_value(equals + 1, value);
        return true;
    }
    return false;
}

void cli_ini_set(struct cli_ini *ini, size_t section, const char *key, const char *value)
{
    size_t at = line_of(ini, first_of(section), key), next = at;
    char *line = NULL;

    while (next != SIZE_MAX && (next = line_of(ini, next + 1, key)) != SIZE_MAX)
        at = next; /* of one that stands twice the last counts */
    const char *old = at == SIZE_MAX ? NULL : ini->lines[at];
    const int before = old ? (int)(value_at(old, key) - old) : 0;
    const int length =
        old ? asprintf(&line, "%.*s%s", before, old, value) : asprintf(&line, "%s=%s", key, value);
    if (length < 0) {
        ini->failed = true;
        return;
    }
    if (old) {
        free(ini->lines[at]);
        ini->lines[at] = line;
    } else {
        add_line(ini, first_of(section), line, strlen(line));
        free(line);
    }
    ini->changed = true;
}

bool cli_ini_comment(struct cli_ini *ini, size_t section, const char *key)
{
    bool found = false;
    size_t at = first_of(section);

    while ((at = line_of(ini, at, key)) != SIZE_MAX) {
        char *line = NULL;
        if (asprintf(&line, "; %s", ini->lines[at]) < 0) {
            ini->failed = true;
            return false;
        }
        free(ini->lines[at]);
        ini->lines[at++] = line;
        ini->changed = true;
        found = true;
    }
    return found;
}

size_t cli_ini_add_section(struct cli_ini *ini, const char *name)
{
    char *line = NULL;

    if (asprintf(&line, "[%s]", name) < 0) {
        ini->failed = true;
        return SIZE_MAX;
    }
    add_line(ini, ini->count, line, strlen(line));
    free(line);
    ini->changed = true;
    return ini->count - 1;
}

char *cli_ini_fixed_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    const int length = dot ? (int)(dot - path) : (int)strlen(path);
    char *name = NULL;

    return asprintf(&name, "%.*s.fixed%s", length, path, dot ? dot : "") < 0 ? NULL : name;
}

static bool write_all(int fd, const char *text, size_t size)
{
    while (size) {
        const ssize_t written = write(fd, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        size -= (size_t)written;
    }
    return true;
}

int cli_ini_write(const struct cli_ini *ini, const char *path, bool replaces)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL), 0666);
    int error = 0;

    if (fd < 0)
        return errno;
    for (size_t i = 0; i < ini->count && !error; i++)
        if (!write_all(fd, ini->lines[i], strlen(ini->lines[i])) ||
            !write_all(fd, ini->crlf ? "\r\n" : "\n", ini->crlf ? 2 : 1))
            error = errno ? errno : EIO;
    if (close(fd) && !error)
        error = errno;
    return error;
}
