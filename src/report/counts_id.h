/* SPDX-License-Identifier: BSD-2-Clause */
/* What files are told apart by. */
#ifndef CAIRN_REPORT_COUNTS_ID_H
#define CAIRN_REPORT_COUNTS_ID_H

#include <stddef.h>
#include <stdint.h>

struct cairn_file; /* image/file.h */

/* FNV-1a, of 64 bits. */
uint64_t cairn_counts_checksum(const uint8_t *bytes, size_t size);

/* What tells a file from other builds of it. */
#define CAIRN_COUNTS_ID 176
void cairn_counts_file_id(const struct cairn_file *file, char id[CAIRN_COUNTS_ID]);

#endif
