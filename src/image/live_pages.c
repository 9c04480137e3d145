/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/live_pages.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/golden.h"

#define PAGE 4096u
#define SLOTS_FIRST 64u /* a power of two */

struct image_page {
    uint64_t first; /* address of bytes[0] */
    size_t count;   /* bytes that there are */
    uint8_t *bytes; /* NULL: not asked for */
};

struct cairn_live_pages {
    uint64_t first;
    uint64_t last;
    cairn_image_read *read;
    void *context;
    pthread_mutex_t mutex;    /* of what follows, and of calls of `read` */
    struct image_page *slots; /* a hash table, at most half full */
    size_t slot_count;
    size_t used;
};

cairn_status cairn_live_pages_new(uint64_t first, uint64_t last, cairn_image_read *read,
                                  void *context, struct cairn_live_pages **pages)
{
    struct cairn_live_pages *made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    *made = (struct cairn_live_pages){.first = first,
                                      .last = last,
                                      .read = read,
                                      .context = context,
                                      .slots = calloc(SLOTS_FIRST, sizeof *made->slots),
                                      .slot_count = SLOTS_FIRST};
    if (!made->slots || pthread_mutex_init(&made->mutex, NULL) != 0) {
        free(made->slots);
        free(made);
        return CAIRN_E_MEMORY;
    }
    *pages = made;
    return CAIRN_OK;
}

void cairn_live_pages_free(struct cairn_live_pages *pages)
{
    if (!pages)
        return;
    for (size_t i = 0; i < pages->slot_count; i++)
        free(pages->slots[i].bytes);
    pthread_mutex_destroy(&pages->mutex);
    free(pages->slots);
    free(pages);
}

/* The slot of the page that begins at `first`, or the one where it would be put. */
static struct image_page *slot_of(struct image_page *slots, size_t count, uint64_t first)
{
    size_t slot = (size_t)((first / PAGE * CAIRN_GOLDEN) >> 32);

    for (;; slot++) {
        struct image_page *page = &slots[slot & (count - 1)];

        if (!page->bytes || page->first / PAGE == first / PAGE)
            return page;
    }
}

static bool make_room(struct cairn_live_pages *pages)
{
    if (2 * (pages->used + 1) <= pages->slot_count)
        return true;
    const size_t count = 2 * pages->slot_count;
    struct image_page *slots = calloc(count, sizeof *slots);

    if (!slots)
        return false;
    for (size_t i = 0; i < pages->slot_count; i++)
        if (pages->slots[i].bytes)
            *slot_of(slots, count, pages->slots[i].first) = pages->slots[i];
    free(pages->slots);
    pages->slots = slots;
    pages->slot_count = count;
    return true;
}

/* The page around `address`, as much of it as the range has. NULL: memory is short. */
static const struct image_page *take(struct cairn_live_pages *pages, uint64_t address)
{
    struct image_page page = {.first = address - address % PAGE};
    uint64_t last = page.first + (PAGE - 1);

    page.first = page.first < pages->first ? pages->first : page.first;
    last = last > pages->last ? pages->last : last;
    const size_t size = (size_t)(last - page.first) + 1;
    page.bytes = make_room(pages) ? malloc(size) : NULL;
    if (!page.bytes)
        return NULL;
    page.count = pages->read(pages->context, page.first, page.bytes, size);
    page.count = page.count < size ? page.count : size;
    struct image_page *slot = slot_of(pages->slots, pages->slot_count, page.first);
    *slot = page;
    pages->used++;
    return slot;
}

const uint8_t *cairn_live_pages_find(struct cairn_live_pages *pages, uint64_t address,
                                     uint64_t *first, size_t *count)
{
    const uint8_t *bytes = NULL;

    pthread_mutex_lock(&pages->mutex);
    const struct image_page *page = slot_of(pages->slots, pages->slot_count, address);
    if (!page->bytes)
        page = take(pages, address);
    if (page && address - page->first < page->count) {
        bytes = page->bytes;
        *first = page->first;
        *count = page->count;
    }
    pthread_mutex_unlock(&pages->mutex);
    return bytes;
}
