/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that an image uses, mapped whole and read-only. */
#ifndef CAIRN_IMAGE_FILE_H
#define CAIRN_IMAGE_FILE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cairn/status.h>

struct cairn_handlers;
struct cairn_symbols;
struct cairn_lines;

/* What tells two files apart, so that a file named twice is mapped once. */
struct cairn_file_identity {
    uint64_t device;
    uint64_t inode;
    uint64_t offset; /* in an archive (image/stored.h), or 0 */
    uint64_t size;
    struct timespec changed;
};

/* Of debug files. */
struct cairn_folders {
    const char *const *list;
    size_t count;
};

/* Belongs to one image. Only `symbols` changes once the file is open. */
struct cairn_file {
    struct cairn_file_identity identity;
    char *path;                          /* that it was opened by */
    char *origin;                        /* of the file that it is a copy of, or NULL */
    const struct cairn_folders *folders; /* where more debug information is looked for; or NULL */
    const uint8_t *data;                 /* of identity.size bytes, never 0 */
    void *mapped;                        /* the file, or the archive that it is in */
    size_t mapped_size;
    uint8_t *zeros; /* what p_memsz has beyond p_filesz, or NULL; pages never touched */
    size_t zeros_size;
    char *build_id;                          /* lower-case hex, or NULL */
    pthread_mutex_t lock;                    /* held while one of these is read */
    _Atomic(struct cairn_symbols *) symbols; /* NULL until asked for */
    struct cairn_lines *lines;               /* the same; under the lock */
    struct cairn_handlers *handlers;         /* the same */
};

/* Maps a regular file, or the archive of one that is stored in it: where there is no file of the path. Symbolic links are
 * followed. An empty file is CAIRN_E_FORMAT, one that does
 * not exist CAIRN_E_NOT_FOUND, anything else that cannot be mapped CAIRN_E_IO. */
CAIRN_MUST_CHECK cairn_status cairn_file_open(const char *path, struct cairn_file **file,
                                              struct cairn_error *error);
void cairn_file_close(struct cairn_file *file); /* NULL is fine */

/* Makes sure that file->zeros has `size` bytes: an anonymous mapping that costs address space and
 * no memory. It can be made once, for the largest need. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_file_map_zeros(struct cairn_file *file, size_t size);

/* What is at a path, also in an archive; false: nothing that could be mapped. */
bool cairn_file_identify(const char *path, struct cairn_file_identity *identity);
/* The path of an archive that a path begins with, in memory of malloc, and the name in it; NULL: it has none. */
char *cairn_file_archive(const char *path, const char **name);
bool cairn_file_is(const struct cairn_file *file, const struct cairn_file_identity *identity);
bool cairn_file_is_same(const struct cairn_file *left, const struct cairn_file *right);

#endif
