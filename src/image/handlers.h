/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a thrown exception lands: the tables that compilers make for the unwinders of C++ and others. Those of
 * .eh_frame (LSB 5.0, 10.6) say which code has a table of its call sites (the LSDA of the Itanium C++ ABI,
 * "Exception Handling Tables"). */
#ifndef CAIRN_IMAGE_HANDLERS_H
#define CAIRN_IMAGE_HANDLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

#include "image/file.h"

struct cairn_handlers;

/* A file without such tables gives an empty one. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_handlers_read(const struct cairn_file *file,
                                                  struct cairn_handlers **handlers);
void cairn_handlers_free(struct cairn_handlers *handlers); /* NULL is fine */

/* Where an exception lands that passes the call at an address of the file (no bias): *landing is 0 where
 * it passes through. CAIRN_E_NOT_FOUND: no table tells. */
cairn_status cairn_handlers_find(const struct cairn_handlers *handlers, uint64_t site,
                                 uint64_t *landing);

/* Whether exceptions land at an address from `first` to `last`. */
bool cairn_handlers_any(const struct cairn_handlers *handlers, uint64_t first, uint64_t last);

/* The file's table, read at the first call; safe in any thread. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_file_handlers(struct cairn_file *file,
                                                  const struct cairn_handlers **handlers);

#endif
