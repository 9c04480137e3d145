/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/golden.h"

#define SLOTS_LEAST 64u

const char *cairn_pages_space_name(uint32_t space)
{
    static const char *const names[CAIRN_PAGES_SPACES] = {NULL, "EL1", "EL3", "EL2N", "EL2S"};

    return space < CAIRN_PAGES_SPACES ? names[space] : NULL;
}

/* The slot of a page, or the empty one where it belongs. */
static size_t slot_of(const struct cairn_pages *pages, uint64_t number)
{
    size_t at = (size_t)(number * CAIRN_GOLDEN >> 20) & (pages->slot_count - 1);
    while (pages->slots[at] && pages->slots[at]->number != number)
        at = (at + 1) & (pages->slot_count - 1);
    return at;
}

static struct cairn_page *find(struct cairn_pages *pages, uint64_t number)
{
    if (pages->last && pages->last->number == number)
        return pages->last;
    if (!pages->count)
        return NULL;
    struct cairn_page *page = pages->slots[slot_of(pages, number)];
    if (page)
        pages->last = page;
    return page;
}

static bool grow(struct cairn_pages *pages)
{
    const size_t count = pages->slot_count ? pages->slot_count * 2 : SLOTS_LEAST;
    struct cairn_pages grown = {.slots = calloc(count, sizeof *grown.slots), .slot_count = count};
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < pages->slot_count; i++) {
        if (pages->slots[i])
            grown.slots[slot_of(&grown, pages->slots[i]->number)] = pages->slots[i];
    }
    free(pages->slots);
    pages->slots = grown.slots;
    pages->slot_count = count;
    return true;
}

static struct cairn_page *find_or_add(struct cairn_pages *pages, uint64_t number)
{
    struct cairn_page *page = find(pages, number);
    if (page)
        return page;
    if (pages->count * 2 >= pages->slot_count && !grow(pages))
        return NULL;
    page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->number = number;
    pages->slots[slot_of(pages, number)] = page;
    page->order = pages->count++;
    pages->last = page;
    return page;
}

/* The part of a range that is in its first page. */
static size_t part_of(uint64_t address, size_t size)
{
    const size_t room = CAIRN_PAGE_BYTES - (size_t)(address % CAIRN_PAGE_BYTES);
    return size < room ? size : room;
}

struct cairn_pages_answer cairn_pages_compare(struct cairn_pages *pages, uint64_t address,
                                              const uint8_t *bytes, size_t size)
{
    struct cairn_pages_answer answer = {0};
    while (size) {
        const struct cairn_page *page = find(pages, address >> CAIRN_PAGE_BITS);
        const unsigned at = (unsigned)(address % CAIRN_PAGE_BYTES);
        const size_t part = part_of(address, size);
        if (page && page->epoch > answer.epoch)
            answer.epoch = page->epoch;
        answer.unknown |= !page;
        for (unsigned i = 0; page && i < part; i++) {
            if (!cairn_page_knows(page, at + i))
                answer.unknown = true;
            else if (page->bytes[at + i] != bytes[i])
                answer.changed = true;
        }
        address += part;
        bytes += part;
        size -= part;
    }
    return answer;
}

cairn_status cairn_pages_set(struct cairn_pages *pages, uint64_t address, const uint8_t *bytes,
                             size_t size, enum cairn_pages_set how, uint64_t epoch)
{
    while (size) {
        struct cairn_page *page = find_or_add(pages, address >> CAIRN_PAGE_BITS);
        const unsigned at = (unsigned)(address % CAIRN_PAGE_BYTES);
        const size_t part = part_of(address, size);
        if (!page)
            return CAIRN_E_MEMORY;
        if (epoch > page->epoch)
            page->epoch = epoch;
        for (unsigned i = 0; i < part; i++) {
            if (how == CAIRN_PAGES_KEEP && cairn_page_knows(page, at + i))
                continue;
            page->bytes[at + i] = bytes[i];
            page->known[(at + i) / 8] |= (uint8_t)(1u << (at + i) % 8);
        }
        address += part;
        bytes += part;
        size -= part;
    }
    return CAIRN_OK;
}

const struct cairn_page *cairn_pages_find(struct cairn_pages *pages, uint64_t number)
{
    return find(pages, number);
}

static int by_number(const void *left, const void *right)
{
    const struct cairn_page *a = *(struct cairn_page *const *)left;
    const struct cairn_page *b = *(struct cairn_page *const *)right;
    return (a->number > b->number) - (a->number < b->number);
}

struct cairn_page **cairn_pages_list(const struct cairn_pages *pages)
{
    struct cairn_page **list = calloc(pages->count + 1, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; list && i < pages->slot_count; i++) {
        if (pages->slots[i])
            list[count++] = pages->slots[i];
    }
    if (count)
        qsort(list, count, sizeof *list, by_number);
    return list;
}

void cairn_pages_clear(struct cairn_pages *pages)
{
    for (size_t i = 0; i < pages->slot_count; i++)
        free(pages->slots[i]);
    free(pages->slots);
    *pages = (struct cairn_pages){0};
}
