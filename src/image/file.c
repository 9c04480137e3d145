/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/file.h"

#include "base/error.h"
#include "image/handlers.h"
#include "image/lines.h"
#include "image/symbol.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cairn/image.h>

#define REASON_TEXT 128

static cairn_status fail_system(struct cairn_error *error, const char *path, int number)
{
    char buffer[REASON_TEXT];
    const char *const reason = strerror_r(number, buffer, sizeof buffer);
    if (number == ENOENT || number == ENOTDIR)
        return cairn_fail(error, CAIRN_E_NOT_FOUND,
                          "%s: there is no such file; check the path, or leave it out", path);
    return cairn_fail(error, CAIRN_E_IO, "%s: cannot be read: %s", path, reason);
}

/* Not blocking: opening a FIFO that nobody writes to must not hang. */
static int open_quietly(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static cairn_status check_kind(const char *path, const struct stat *st, struct cairn_error *error)
{
    if (S_ISDIR(st->st_mode))
        return cairn_fail(error, CAIRN_E_IO, "%s: is a directory; name the file inside it", path);
    if (!S_ISREG(st->st_mode))
        return cairn_fail(error, CAIRN_E_IO, "%s: is not a regular file; copy its content into one",
                          path);
    if (st->st_size <= 0)
        return cairn_fail(error, CAIRN_E_FORMAT, "%s: is empty", path);
    if ((uintmax_t)st->st_size > SIZE_MAX)
        return cairn_fail(error, CAIRN_E_LIMIT, "%s: %ju bytes are more than this machine can map",
                          path, (uintmax_t)st->st_size);
    return CAIRN_OK;
}

static struct cairn_file_identity identity_of(const struct stat *st)
{
    return (struct cairn_file_identity){
        .device = (uint64_t)st->st_dev,
        .inode = (uint64_t)st->st_ino,
        .size = (uint64_t)st->st_size,
        .changed = st->st_mtim,
    };
}

bool cairn_file_identify(const char *path, struct cairn_file_identity *identity)
{
    struct stat st;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    *identity = identity_of(&st);
    return true;
}

static cairn_status map(int fd, const char *path, struct cairn_file *file,
                        struct cairn_error *error)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return fail_system(error, path, errno);
    const cairn_status status = check_kind(path, &st, error);
    if (status)
        return status;
    void *const data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return fail_system(error, path, errno);
    file->data = data;
    file->identity = identity_of(&st);
    return CAIRN_OK;
}

cairn_status cairn_file_open(const char *path, struct cairn_file **file, struct cairn_error *error)
{
    struct cairn_file *const opened = calloc(1, sizeof *opened);
    if (!opened || pthread_mutex_init(&opened->lock, NULL) != 0) {
        free(opened);
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: out of memory", path);
    }
    atomic_init(&opened->symbols, NULL);
    const int fd = open_quietly(path);
    const cairn_status status =
        fd < 0 ? fail_system(error, path, errno) : map(fd, path, opened, error);
    if (fd >= 0)
        close(fd);
    if (status) {
        cairn_file_close(opened);
        return status;
    }
    *file = opened;
    return CAIRN_OK;
}

void cairn_file_close(struct cairn_file *file)
{
    if (!file)
        return;
    cairn_lines_free(file->lines);
    cairn_handlers_free(file->handlers);
    cairn_symbols_free(atomic_load(&file->symbols));
    if (file->data)
        munmap((void *)(uintptr_t)file->data, (size_t)file->identity.size);
    if (file->zeros)
        munmap(file->zeros, file->zeros_size);
    pthread_mutex_destroy(&file->lock);
    free(file->build_id);
    free(file);
}

cairn_status cairn_file_map_zeros(struct cairn_file *file, size_t size)
{
    if (size <= file->zeros_size)
        return CAIRN_OK;
    if (file->zeros)
        return CAIRN_E_ARGUMENT;
    void *const zeros =
        mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (zeros == MAP_FAILED)
        return CAIRN_E_MEMORY;
    file->zeros = zeros;
    file->zeros_size = size;
    return CAIRN_OK;
}

bool cairn_file_is(const struct cairn_file *file, const struct cairn_file_identity *b)
{
    const struct cairn_file_identity *const a = &file->identity;
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

bool cairn_file_is_same(const struct cairn_file *left, const struct cairn_file *right)
{
    return cairn_file_is(left, &right->identity);
}

bool cairn_file_is_elf(const char *path)
{
    if (!path)
        return false;
    const int fd = open_quietly(path);
    if (fd < 0)
        return false;
    unsigned char ident[EI_NIDENT];
    const ssize_t got = read(fd, ident, sizeof ident);
    close(fd);
    if (got != (ssize_t)sizeof ident || memcmp(ident, ELFMAG, SELFMAG) != 0)
        return false;
    return (ident[EI_CLASS] == ELFCLASS32 || ident[EI_CLASS] == ELFCLASS64) &&
           (ident[EI_DATA] == ELFDATA2LSB || ident[EI_DATA] == ELFDATA2MSB);
}
