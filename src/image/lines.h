/* SPDX-License-Identifier: BSD-2-Clause */
/* Source lines of an ELF file's code, by its debug information. */
#ifndef CAIRN_IMAGE_LINES_H
#define CAIRN_IMAGE_LINES_H

#include <stdint.h>

#include <cairn/status.h>

#include "image/file.h"

struct cairn_lines;

/* The source file and line of an address of the file (no bias); *name lives as long as the file.
 * The debug information is opened at the first call; safe in any thread. CAIRN_E_NOT_FOUND. */
cairn_status cairn_file_line(struct cairn_file *file, uint64_t address, const char **name,
                             uint32_t *line);
void cairn_lines_free(struct cairn_lines *lines); /* NULL is fine */

#endif
