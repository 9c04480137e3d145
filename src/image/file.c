/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/file.h"

#include "base/error.h"
#include "image/handlers.h"
#include "image/lines.h"
#include "image/stored.h"
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
    file->mapped = data;
    file->mapped_size = (size_t)st.st_size;
    file->identity = identity_of(&st);
    return CAIRN_OK;
}

static bool is_regular(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

char *cairn_file_archive(const char *path, const char **name)
{
    for (const char *mark = strstr(path, CAIRN_STORED_MARK); mark;
         mark = strstr(mark + 1, CAIRN_STORED_MARK)) {
        char *const archive = strndup(path, (size_t)(mark - path));

        if (archive && is_regular(archive)) {
            *name = mark + strlen(CAIRN_STORED_MARK);
            return archive;
        }
        free(archive);
    }
    return NULL;
}

/* The file in the archive that is mapped. */
static cairn_status choose(struct cairn_file *file, const char *path, const char *name,
                           struct cairn_error *error)
{
    struct cairn_stored stored;

    if (!cairn_stored_find(file->data, file->mapped_size, name, &stored))
        return cairn_fail(
            error, CAIRN_E_NOT_FOUND,
            "%s: there is no such file in the archive, or it is packed there; take it out "
            "of the archive",
            path);
    file->data += stored.offset;
    file->identity.offset = stored.offset;
    file->identity.size = stored.size;
    return CAIRN_OK;
}

static cairn_status map_path(const char *path, struct cairn_file *file, struct cairn_error *error)
{
    const char *name = NULL;
    int fd = open_quietly(path);
    const int number = errno;
    char *const archive = fd < 0 ? cairn_file_archive(path, &name) : NULL;

    if (archive)
        fd = open_quietly(archive);
    cairn_status status = fd < 0 ? fail_system(error, path, number) : map(fd, path, file, error);
    if (!status && archive)
        status = choose(file, path, name, error);
    if (fd >= 0)
        close(fd);
    free(archive);
    return status;
}

cairn_status cairn_file_open(const char *path, struct cairn_file **file, struct cairn_error *error)
{
    struct cairn_file *const opened = calloc(1, sizeof *opened);
    char *const own = opened ? strdup(path) : NULL;
    if (!own || pthread_mutex_init(&opened->lock, NULL) != 0) {
        free(own);
        free(opened);
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: out of memory", path);
    }
    opened->path = own;
    atomic_init(&opened->symbols, NULL);
    const cairn_status status = map_path(path, opened, error);
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
    if (file->mapped)
        munmap(file->mapped, file->mapped_size);
    if (file->zeros)
        munmap(file->zeros, file->zeros_size);
    pthread_mutex_destroy(&file->lock);
    free(file->path);
    free(file->origin);
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

bool cairn_file_identify(const char *path, struct cairn_file_identity *identity)
{
    struct cairn_file *file = NULL;
    const char *name;
    struct stat st;

    if (stat(path, &st) == 0) {
        *identity = identity_of(&st);
        return S_ISREG(st.st_mode);
    }
    char *const archive = cairn_file_archive(path, &name);
    const bool is_one = archive && cairn_file_open(path, &file, NULL) == CAIRN_OK;

    if (is_one)
        *identity = file->identity;
    cairn_file_close(file);
    free(archive);
    return is_one;
}

bool cairn_file_is(const struct cairn_file *file, const struct cairn_file_identity *b)
{
    const struct cairn_file_identity *const a = &file->identity;
    return a->device == b->device && a->inode == b->inode && a->offset == b->offset &&
           a->size == b->size && a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec;
}

bool cairn_file_is_same(const struct cairn_file *left, const struct cairn_file *right)
{
    return cairn_file_is(left, &right->identity);
}

bool cairn_file_is_elf(const char *path)
{
    struct cairn_file *file = NULL;

    if (!path || cairn_file_open(path, &file, NULL) != CAIRN_OK)
        return false;
    const uint8_t *const ident = file->data;
    const bool is_elf = file->identity.size >= EI_NIDENT && !memcmp(ident, ELFMAG, SELFMAG) &&
                        (ident[EI_CLASS] == ELFCLASS32 || ident[EI_CLASS] == ELFCLASS64) &&
                        (ident[EI_DATA] == ELFDATA2LSB || ident[EI_DATA] == ELFDATA2MSB);

    cairn_file_close(file);
    return is_elf;
}
