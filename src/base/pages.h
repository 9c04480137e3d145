/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of tables that are large and touched all over. */
#ifndef CAIRN_BASE_PAGES_H
#define CAIRN_BASE_PAGES_H

#include <stddef.h>

/* On lines of the cache, and from 2 MiB on in large pages where the machine has them, which spare faults and address
 * translation. What is in it is not set. NULL: there is not so much. To be freed by free(). */
void *cairn_pages_new(size_t size);

/* As realloc() of what has `used` bytes, which becomes such memory when it is large. */
void *cairn_pages_grow(void *memory, size_t used, size_t size);

#endif
