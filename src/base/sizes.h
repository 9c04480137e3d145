/* SPDX-License-Identifier: BSD-2-Clause */
/* Structures that cross the library's border begin with their size, as the caller was compiled:
 * the caller may be older than the library, or newer (docs/api.md). */
#ifndef CAIRN_BASE_SIZES_H
#define CAIRN_BASE_SIZES_H

#include <stddef.h>

#include <cairn/status.h>

/* Reads a caller's options over the defaults in `given`, a structure of `size` bytes. What the
 * caller does not know keeps its default. CAIRN_E_ARGUMENT, with `given` left alone, when the caller
 * has no size, or sets members that this library does not know to anything but 0. NULL options: the
 * defaults. */
CAIRN_MUST_CHECK cairn_status cairn_options_read(void *given, size_t size, const void *options);

/* Writes `made`, a structure of `size` bytes that begins with a size, to a caller's structure as far
 * as the caller's size goes; that stays. What the library does not know becomes 0. CAIRN_E_ARGUMENT,
 * with nothing written, when the caller's size is none. */
cairn_status cairn_info_write(void *info, const void *made, size_t size);

/* True when the rows of a batch's column are those of this library: the batch says so by `stride`, or
 * is of a caller without that member. */
#define CAIRN_ROWS_FIT(type, batch, column, stride)                                                \
    ((batch)->size < offsetof(type, stride) + sizeof(batch)->stride || (batch)->stride == 0 ||     \
     (batch)->stride == sizeof *(batch)->column)

#endif
