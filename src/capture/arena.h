/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that lives as long as the capture it describes: names, registers, lists. */
#ifndef CAIRN_CAPTURE_ARENA_H
#define CAIRN_CAPTURE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include <cairn/status.h>

struct cairn_arena_block;
struct cairn_arena {
    struct cairn_arena_block *blocks;
};
#define CAIRN_ARENA_INIT                                                                           \
    {                                                                                              \
        NULL                                                                                       \
    }

/* Zeroed, aligned for any type; NULL when memory is out. */
void *cairn_arena_alloc(struct cairn_arena *arena, size_t size);
/* NULL when memory is out. */
char *cairn_arena_text(struct cairn_arena *arena, const char *text);
char *cairn_arena_format(struct cairn_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *cairn_arena_vformat(struct cairn_arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void cairn_arena_free(struct cairn_arena *arena);

/* Makes room for item `count` in a heap array that grows by doubling. */
CAIRN_MUST_CHECK cairn_status cairn_grow(void **items, size_t count, size_t *capacity,
                                         size_t item_size);

#endif
