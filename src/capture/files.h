/* SPDX-License-Identifier: BSD-2-Clause */
/* How a capture reaches its files: the file system, or texts in memory (tests and fuzzing). */
#ifndef CAIRN_CAPTURE_FILES_H
#define CAIRN_CAPTURE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

/* A description is a small text: anything longer is another file by mistake. */
#define CAIRN_TEXT_LIMIT ((size_t)16 << 20)

struct cairn_files {
    /* The whole text of a small file, with a 0 behind it; the caller frees *text. CAIRN_E_NOT_FOUND
     * without a message when there is no such file. */
    cairn_status (*read_text)(void *context, const char *path, char **text, size_t *size,
                              struct cairn_error *error);
    /* False when the path is no regular file. */
    bool (*size_of)(void *context, const char *path, uint64_t *size);
    /* Makes `path` that of a file whose name differs in letter case only, as descriptions written
     * on Windows have them; false when there is none, and then *path may be half changed. May be
     * NULL. */
    bool (*respell)(void *context, char *path);
    void *context;
};

struct cairn_files cairn_files_of_system(void);

bool cairn_is_folder(const char *path);

/* Opens a regular file for reading. *fd is -1 where that fails: CAIRN_E_NOT_FOUND where there is no
 * such file, else CAIRN_E_IO. */
CAIRN_MUST_CHECK cairn_status cairn_input_open(const char *path, int *fd, uint64_t *size,
                                               struct cairn_error *error);

/* The first bytes of a file, at most `size`: how many were read, 0 where it cannot be opened. For
 * the probe of a container. */
size_t cairn_input_head(const char *path, void *bytes, size_t size);

/* Closes what cairn_input_open or cairn_buffer_open gave; -1 is fine. */
void cairn_input_close(int fd);

/* What cairn_buffer_open gives for a buffer in memory, where nothing is opened. */
#define CAIRN_INPUT_MEMORY 0x7fffffff

/* Reads up to `size` bytes at `offset`; fewer only at the file's end. Negative: it cannot be read.
 */
int64_t cairn_input_read(int fd, void *bytes, size_t size, uint64_t offset);
/* The same as a callback: `context` leads to the descriptor, an int. */
int64_t cairn_input_read_of(void *context, void *bytes, size_t size, uint64_t offset);

/* What was packed and unpacks to more than so many bytes was made to take memory: trace and its records, and lists, are
 * packed to a tenth or so. */
static inline uint64_t cairn_unpacked_most(uint64_t packed)
{
    enum { FREE = 1 << 20, TIMES = 1024 };

    return packed > (UINT64_MAX - FREE) / TIMES ? UINT64_MAX : FREE + TIMES * packed;
}

#endif
