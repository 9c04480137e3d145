/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/session/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/screen/watch.h"

#define PART ((size_t)256 << 10)
#define IN_MEMORY ((uint64_t)64 << 20)
#define MOST ((uint64_t)64 << 30)

bool cli_spool_wanted(const char *path)
{
    struct stat info;

    if (!strcmp(path, "-"))
        return true;
    return !stat(path, &info) && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") ? path : "standard input";
}

/* A file that goes away with the program. */
static int nameless_file(void)
{
    const char *folder = getenv("TMPDIR");

    return open(folder && *folder ? folder : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        const ssize_t part = write(fd, bytes, size);

        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return false;
        bytes += part;
        size -= (size_t)part;
    }
    return true;
}

/* Moves what is in memory into a file, from where on that is the spool. */
static bool move_to_file(int *fd, char *bytes)
{
    const int file = nameless_file();
    off_t at = 0;
    ssize_t part;

    if (file < 0)
        return false;
    while ((part = pread(*fd, bytes, PART, at)) > 0) {
        if (!write_all(file, bytes, (size_t)part)) {
            close(file);
            return false;
        }
        at += part;
    }
    close(*fd);
    *fd = file;
    return part == 0;
}

static cairn_status no_room(const char *path, struct cairn_error *error)
{
    return cairn_fail(error, CAIRN_E_IO,
                      "%s: what comes through it cannot be kept in a file in %s: %s; save it to a "
                      "file, or set TMPDIR to a folder with room",
                      name_of(path), getenv("TMPDIR") ? getenv("TMPDIR") : "/var/tmp",
                      strerror(errno));
}

static cairn_status copy(const char *path, int from, int *to, char *bytes,
                         struct cairn_error *error)
{
    uint64_t size = 0;
    bool in_file = false;

    for (;;) {
        const ssize_t part = read(from, bytes, PART);

        if (cli_interrupted())
            return cairn_fail(error, CAIRN_E_LIMIT, "%s: stopped after %llu bytes", name_of(path),
                              (unsigned long long)size);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return cairn_fail(error, CAIRN_E_IO, "%s: cannot be read: %s", name_of(path),
                              strerror(errno));
        if (part == 0)
            return CAIRN_OK;
        size += (uint64_t)part;
        if (size > MOST)
            return cairn_fail(error, CAIRN_E_LIMIT,
                              "%s: more than %llu GiB come through it: save them to a file first",
                              name_of(path), (unsigned long long)(MOST >> 30));
        if (!write_all(*to, bytes, (size_t)part))
            return no_room(path, error);
        if (size > IN_MEMORY && !in_file) {
            if (!move_to_file(to, bytes))
                return no_room(path, error);
            in_file = true;
        }
    }
}

/* Standard input is the program's, and can be read once. */
struct spooled {
    struct spooled *next;
    char opened[32]; /* the path of what came */
    char path[];
};
static struct spooled *all_spooled;

static cairn_status read_all(const char *path, int *fd, struct cairn_error *error)
{
    const bool standard = !strcmp(path, "-");
    const int from = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = malloc(PART);
    cairn_status status;

    *fd = memfd_create(CLI_SPOOL_NAME, MFD_CLOEXEC);
    if (from < 0)
        status = cairn_fail(error, CAIRN_E_IO, "%s: cannot be opened: %s", name_of(path),
                            strerror(errno));
    else if (*fd < 0 || !bytes)
        status =
            cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to read it", name_of(path));
    else
        status = copy(path, from, fd, bytes, error);
    free(bytes);
    if (from >= 0 && !standard)
        close(from);
    if (status && *fd >= 0)
        close(*fd);
    return status;
}

cairn_status cli_spool_open(const char *path, const char **opened, struct cairn_error *error)
{
    int fd;

    *opened = path;
    if (!cli_spool_wanted(path))
        return CAIRN_OK;
    for (const struct spooled *one = all_spooled; one; one = one->next)
        if (!strcmp(one->path, path)) {
            *opened = one->opened;
            return CAIRN_OK;
        }
    struct spooled *const made = malloc(sizeof *made + strlen(path) + 1);
    if (!made)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to read it", name_of(path));
    const cairn_status status = read_all(path, &fd, error);
    if (status) {
        free(made);
        return status;
    }
    strcpy(made->path, path);
    snprintf(made->opened, sizeof made->opened, "/proc/self/fd/%d", fd);
    made->next = all_spooled;
    all_spooled = made;
    *opened = made->opened;
    return CAIRN_OK;
}

const char *cli_spool_look(const char *path)
{
    const char *opened = NULL;

    return path && !cli_spool_open(path, &opened, NULL) ? opened : path;
}
