/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

#define BLOCK_SIZE 4096
#define FIRST_CAPACITY 8

struct cairn_arena_block {
    struct cairn_arena_block *next;
    size_t used;
    size_t capacity;
    alignas(max_align_t) unsigned char bytes[];
};

static size_t align_up(size_t size)
{
    const size_t alignment = alignof(max_align_t);
    return (size + alignment - 1) / alignment * alignment;
}

void *cairn_arena_alloc(struct cairn_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = align_up(size ? size : 1);
    struct cairn_arena_block *block = arena->blocks;
    if (!block || block->capacity - block->used < size) {
        const size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = calloc(1, sizeof *block + capacity);
        if (!block)
            return NULL;
        block->capacity = capacity;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *memory = block->bytes + block->used;
    block->used += size;
    return memory;
}

char *cairn_arena_text(struct cairn_arena *arena, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = cairn_arena_alloc(arena, size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

char *cairn_arena_vformat(struct cairn_arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return NULL;
    char *text = cairn_arena_alloc(arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *cairn_arena_format(struct cairn_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = cairn_arena_vformat(arena, format, arguments);
    va_end(arguments);
    return text;
}

void cairn_arena_free(struct cairn_arena *arena)
{
    while (arena->blocks) {
        struct cairn_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}

cairn_status cairn_grow(void **items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return CAIRN_OK;
    const size_t wanted = *capacity ? *capacity * 2 : FIRST_CAPACITY;
    if (wanted > SIZE_MAX / item_size)
        return CAIRN_E_MEMORY;
    void *grown = cairn_pages_grow(*items, count * item_size, wanted * item_size);
    if (!grown)
        return CAIRN_E_MEMORY;
    *items = grown;
    *capacity = wanted;
    return CAIRN_OK;
}
