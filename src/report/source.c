/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/source.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_KEPT 65536              /* a power of two */
#define FILE_MAX ((off_t)16 << 20)    /* bytes; no source of people's is near */
#define TOTAL_MAX ((size_t)256 << 20) /* of all that are kept */
#define PATH_SIZE 4096

struct source_file {
    const char *name; /* NULL: free */
    bool newer;
    char *text;       /* NULL: there is none */
    uint32_t *starts; /* of lines; one more at the end of the text */
    uint32_t line_count;
};

struct cairn_sources {
    const struct cairn_source_path *paths;
    size_t path_count;
    size_t count, bytes;
    struct source_file files[FILES_KEPT];
};

struct cairn_sources *cairn_sources_new(const struct cairn_source_path *paths, size_t count)
{
    struct cairn_sources *const sources = calloc(1, sizeof *sources);

    if (sources) {
        sources->paths = paths;
        sources->path_count = count;
    }
    return sources;
}

void cairn_sources_free(struct cairn_sources *sources)
{
    for (size_t i = 0; sources && i < FILES_KEPT; i++) {
        free(sources->files[i].text);
        free(sources->files[i].starts);
    }
    free(sources);
}

static bool begins(const char *path, const struct cairn_source_path *moved)
{
    const size_t length = strlen(moved->from);

    return length && strncmp(path, moved->from, length) == 0 &&
           (moved->from[length - 1] == '/' || path[length] == '/' || !path[length]);
}

static bool path_of(const struct cairn_sources *sources, const char *name, char path[PATH_SIZE])
{
    for (size_t i = 0; i < sources->path_count; i++) {
        const struct cairn_source_path *moved = &sources->paths[i];
        if (begins(name, moved))
            return snprintf(path, PATH_SIZE, "%s%s", moved->to, name + strlen(moved->from)) <
                   PATH_SIZE;
    }
    return snprintf(path, PATH_SIZE, "%s", name) < PATH_SIZE;
}

static bool read_all(int fd, char *text, size_t size)
{
    size_t done = 0;

    while (done < size) {
        const ssize_t got = read(fd, text + done, size - done);
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static void find_lines(struct source_file *file, size_t size)
{
    uint32_t count = 1;

    for (size_t i = 0; i < size; i++)
        count += file->text[i] == '\n';
    file->starts = malloc((count + 1) * sizeof *file->starts);
    if (!file->starts)
        return;
    file->starts[0] = 0;
    for (size_t i = 0; i < size; i++)
        if (file->text[i] == '\n')
            file->starts[++file->line_count] = (uint32_t)i + 1;
    if (size && file->text[size - 1] != '\n')
        file->starts[++file->line_count] = (uint32_t)size + 1;
}

static bool is_after(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Not blocking: a path of the program's may be a FIFO here. */
static void read_file(struct cairn_sources *sources, struct source_file *file,
                      const struct timespec *changed)
{
    char path[PATH_SIZE];
    struct stat st;
    const int fd = path_of(sources, file->name, path)
                       ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                       : -1;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= FILE_MAX &&
        (size_t)st.st_size <= TOTAL_MAX - sources->bytes) {
        const size_t size = (size_t)st.st_size;
        file->newer = is_after(&st.st_mtim, changed);
        file->text = malloc(size);
        if (file->text && read_all(fd, file->text, size))
            find_lines(file, size);
        sources->bytes += size;
    }
    close(fd);
}

/* FNV-1a, 32 bits. */
static uint32_t hash_of(const char *name)
{
    uint32_t hash = 2166136261u;

    while (*name)
        hash = (hash ^ (unsigned char)*name++) * 16777619u;
    return hash;
}

/* By its name: each unit of a program has a text of its own for the same header. One more than are
 * kept has no text. */
static struct source_file *find_file(struct cairn_sources *sources, const char *name,
                                     const struct timespec *changed)
{
    for (size_t at = hash_of(name);; at++) {
        struct source_file *const file = &sources->files[at % FILES_KEPT];
        if (file->name && (file->name == name || strcmp(file->name, name) == 0))
            return file;
        if (file->name)
            continue;
        if (sources->count == FILES_KEPT / 2)
            return NULL;
        sources->count++;
        file->name = name;
        read_file(sources, file, changed);
        return file;
    }
}

struct cairn_source_line cairn_sources_line(struct cairn_sources *sources, const char *file,
                                            uint32_t line, const struct timespec *changed)
{
    const struct source_file *const found = sources ? find_file(sources, file, changed) : NULL;

    if (!found || !found->starts || line == 0 || line > found->line_count)
        return (struct cairn_source_line){.state = CAIRN_SOURCE_NO_FILE};
    if (found->newer)
        return (struct cairn_source_line){.state = CAIRN_SOURCE_NEWER};
    const uint32_t start = found->starts[line - 1];
    return (struct cairn_source_line){
        .state = CAIRN_SOURCE_FOUND,
        .text = found->text + start,
        .length = found->starts[line] - 1 - start,
    };
}

void cairn_source_line_write(struct cairn_output *output, const struct cairn_source_line *line,
                             size_t most)
{
    const size_t length =
        line->length && line->text[line->length - 1] == '\r' ? line->length - 1 : line->length;

    cairn_output_source(output, line->text, length < most ? length : most);
}
