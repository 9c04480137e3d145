/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are certainly no trace buffer, though people give them for one. */
#ifndef CAIRN_CAPTURE_RAW_FOREIGN_H
#define CAIRN_CAPTURE_RAW_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

/* How much of a file's start is looked at. */
#define CAIRN_FOREIGN_HEAD 512

/* What a file that begins so is, and what to do, as the end of a sentence ("an ELF file: give
 * ..."); NULL: it may be trace. */
const char *cairn_foreign_kind(const uint8_t *head, size_t size);

#endif
