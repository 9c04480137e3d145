/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LINE = 64,
    LARGE = 2 << 20,
};

void *cairn_pages_new(size_t size)
{
    const size_t align = size >= LARGE ? LARGE : LINE;
    void *const memory =
        size > PTRDIFF_MAX - LARGE ? NULL : aligned_alloc(align, (size + align - 1) & ~(align - 1));

    if (memory && size >= LARGE)
        (void)madvise(memory, size, MADV_HUGEPAGE);
    return memory;
}

void *cairn_pages_grow(void *memory, size_t used, size_t size)
{
    if (size < LARGE)
        return realloc(memory, size);
    void *const grown = cairn_pages_new(size);
    if (!grown)
        return NULL;
    if (used)
        memcpy(grown, memory, used);
    free(memory);
    return grown;
}
