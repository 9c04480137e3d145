/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

bool cairn_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool system_size_of(void *context, const char *path, uint64_t *size)
{
    (void)context;
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    *size = (uint64_t)info.st_size;
    return true;
}

cairn_status cairn_input_open(const char *path, int *fd, uint64_t *size, struct cairn_error *error)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0) {
        const int number = errno;
        char reason[128];
        return cairn_fail(
            error, number == ENOENT || number == ENOTDIR ? CAIRN_E_NOT_FOUND : CAIRN_E_IO,
            "%s: cannot be opened: %s", path, strerror_r(number, reason, sizeof reason));
    }
    struct stat info;
    if (fstat(*fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(*fd);
        *fd = -1;
        return cairn_fail(error, CAIRN_E_IO,
                          "%s: is not a regular file; save what it gives to a file first", path);
    }
    *size = (uint64_t)info.st_size;
    return CAIRN_OK;
}

int64_t cairn_input_read(int fd, void *bytes, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t part = pread(fd, (char *)bytes + done, size - done, (off_t)(offset + done));
        if (part == 0)
            break;
        if (part > 0)
            done += (size_t)part;
        else if (errno != EINTR)
            return -1;
    }
    return (int64_t)done;
}

int64_t cairn_input_read_of(void *context, void *bytes, size_t size, uint64_t offset)
{
    return cairn_input_read(*(const int *)context, bytes, size, offset);
}

size_t cairn_input_head(const char *path, void *bytes, size_t size)
{
    uint64_t file_size;
    int fd;
    const cairn_status status = cairn_input_open(path, &fd, &file_size, NULL);
    const int64_t got = status ? 0 : cairn_input_read(fd, bytes, size, 0);

    cairn_input_close(fd);
    return got > 0 ? (size_t)got : 0;
}

static cairn_status system_read_text(void *context, const char *path, char **text, size_t *size,
                                     struct cairn_error *error)
{
    (void)context;
    uint64_t length;
    if (!system_size_of(NULL, path, &length))
        return CAIRN_E_NOT_FOUND;
    if (length > CAIRN_TEXT_LIMIT)
        return cairn_fail(error, CAIRN_E_LIMIT, "%s: is %llu bytes long, which no description is",
                          path, (unsigned long long)length);
    int fd;
    const cairn_status status = cairn_input_open(path, &fd, &length, error);
    if (status)
        return status;
    if (length > CAIRN_TEXT_LIMIT)
        length = CAIRN_TEXT_LIMIT; /* it has grown meanwhile */
    char *bytes = malloc((size_t)length + 1);
    const int64_t got = bytes ? cairn_input_read(fd, bytes, (size_t)length, 0) : 0;
    close(fd);
    if (!bytes)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to read it", path);
    if (got < 0) {
        free(bytes);
        return cairn_fail(error, CAIRN_E_IO, "%s: cannot be read", path);
    }
    bytes[got] = 0;
    *text = bytes;
    *size = (size_t)got;
    return CAIRN_OK;
}

static DIR *open_parent(char *path, char *part)
{
    if (part == path)
        return opendir(".");
    if (part == path + 1)
        return opendir("/");
    part[-1] = 0;
    DIR *folder = opendir(path);
    part[-1] = '/';
    return folder;
}

/* `part` is the last component of `path`. */
static bool respell_part(char *path, char *part)
{
    DIR *folder = open_parent(path, part);
    if (!folder)
        return false;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL && strcasecmp(entry->d_name, part) != 0)
        ;
    if (entry)
        memcpy(part, entry->d_name, strlen(part));
    closedir(folder);
    return entry != NULL;
}

static bool system_respell(void *context, char *path)
{
    (void)context;
    char *part = path + (*path == '/');
    for (;;) {
        char *end = part + strcspn(part, "/");
        const char behind = *end;
        *end = 0;
        const bool there = access(path, F_OK) == 0 || respell_part(path, part);
        *end = behind;
        if (!there)
            return false;
        if (!behind)
            return true;
        part = end + 1;
    }
}

struct cairn_files cairn_files_of_system(void)
{
    return (struct cairn_files){
        .read_text = system_read_text, .size_of = system_size_of, .respell = system_respell};
}

void cairn_input_close(int fd)
{
    if (fd >= 0 && fd != CAIRN_INPUT_MEMORY)
        close(fd);
}
