/* SPDX-License-Identifier: BSD-2-Clause */
/* Source lines of an ELF file's code, by its debug information. */
#ifndef CAIRN_IMAGE_LINES_H
#define CAIRN_IMAGE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

#include "image/file.h"

struct cairn_lines;

/* The source file and line of an address of the file (no bias); *name lives as long as the file.
 * The debug information is opened at the first call; safe in any thread. CAIRN_E_NOT_FOUND. */
cairn_status cairn_file_line(struct cairn_file *file, uint64_t address, const char **name,
                             uint32_t *line);

/* One level of what an address is in: a function, or one that was inlined into the next. The texts
 * live as long as the file. */
struct cairn_frame {
    const char *function;  /* as the linker knows it, where that is told; NULL: not known */
    const char *file;      /* of the address, or of the call that the level before is; or NULL */
    const char *directory; /* that the compiler ran in, or NULL */
    uint32_t line;         /* 0: not known */
};

/* More levels than these are not told. */
#define CAIRN_FRAMES_MAX 16

/* The levels of an address of the file (no bias), innermost first: writes at most `capacity` of
 * them, and returns how many. 0: nothing is known. Safe in any thread. */
size_t cairn_file_frames(struct cairn_file *file, uint64_t address, struct cairn_frame *frames,
                         size_t capacity);

void cairn_lines_free(struct cairn_lines *lines); /* NULL is fine */

#endif
