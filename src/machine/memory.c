/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/arena.h"

#define HOLE_MOST 2048u

#define WORD 4u
#define HALF_WORD 2u

/* The file begins with its name in words: OpenCSD takes a dump at offset 0 for the whole file,
 * whatever length it is given, so that nothing may be there. */
static const char heading[16] = "executed memory";

static cairn_status fail_write(struct cairn_error *error)
{
    char reason[128];
    return cairn_fail(error, CAIRN_E_IO,
                      "the snapshot's memory file cannot be written: %s; make room and finish the "
                      "recording again",
                      strerror_r(errno, reason, sizeof reason));
}

/* A byte that is known: a new span, or more of the last one if that ends at most `hole` before. */
static cairn_status add_byte(struct cairn_memory_file *file, uint64_t address, uint64_t hole)
{
    if (file->span_count) {
        struct cairn_snapshot_span *last = &file->spans[file->span_count - 1];
        const uint64_t apart = address - last->address;
        if (apart - last->length <= hole) {
            last->length = apart + 1;
            return CAIRN_OK;
        }
    }
    if (cairn_grow((void **)&file->spans, file->span_count, &file->span_capacity,
                   sizeof *file->spans) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    file->spans[file->span_count++] = (struct cairn_snapshot_span){.address = address, .length = 1};
    return CAIRN_OK;
}

static uint64_t span_end(const struct cairn_snapshot_span *span)
{
    return span->address + span->length;
}

/* OpenCSD reads four bytes of each T32 instruction, or fails: where there is such code (spans that
 * begin or end in half a word tell) each span gets two bytes more, zeros. */
static void complete_words(struct cairn_memory_file *file)
{
    bool halves = false;

    for (size_t i = 0; i < file->span_count; i++)
        halves = halves || file->spans[i].address % WORD || file->spans[i].length % WORD;
    for (size_t i = 0; halves && i < file->span_count; i++) {
        const uint64_t end = span_end(&file->spans[i]);
        const bool free_behind =
            i + 1 == file->span_count || file->spans[i + 1].address >= end + HALF_WORD;
        if (free_behind)
            file->spans[i].length += HALF_WORD;
    }
}

static cairn_status find_spans(struct cairn_memory_file *file, struct cairn_page *const *pages,
                               size_t page_count, uint64_t hole)
{
    file->span_count = 0;
    file->known = 0;
    for (size_t i = 0; i < page_count; i++) {
        const uint64_t address = pages[i]->number << CAIRN_PAGE_BITS;
        for (unsigned at = 0; at < CAIRN_PAGE_BYTES; at++) {
            if (!cairn_page_knows(pages[i], at))
                continue;
            file->known++;
            if (add_byte(file, address + at, hole) != CAIRN_OK)
                return CAIRN_E_MEMORY;
        }
    }
    complete_words(file);
    return CAIRN_OK;
}

/* The bytes of one span; *page is a page that it begins in or behind. What is not known is zero. */
static bool write_span(struct cairn_memory_file *file, const struct cairn_snapshot_span *span,
                       struct cairn_page *const **page, struct cairn_page *const *end)
{
    static const uint8_t nothing[CAIRN_PAGE_BYTES];
    uint64_t done = 0;
    while (done < span->length) {
        const uint64_t address = span->address + done;
        const size_t at = (size_t)(address % CAIRN_PAGE_BYTES);
        const uint64_t left = span->length - done;
        const size_t part = left < CAIRN_PAGE_BYTES - at ? (size_t)left : CAIRN_PAGE_BYTES - at;
        while (*page < end && (**page)->number < address >> CAIRN_PAGE_BITS)
            (*page)++;
        const bool known = *page < end && (**page)->number == address >> CAIRN_PAGE_BITS;
        if (fwrite((known ? (**page)->bytes : nothing) + at, 1, part, file->stream) != part)
            return false;
        done += part;
    }
    file->size += span->length;
    return true;
}

cairn_status cairn_memory_begin(struct cairn_memory_file *file, const char *path, const char *name,
                                const struct cairn_pages *pages, struct cairn_error *error)
{
    *file = (struct cairn_memory_file){0};
    struct cairn_page **list = cairn_pages_list(pages);
    cairn_status status = list ? CAIRN_OK : CAIRN_E_MEMORY;
    for (uint64_t hole = 0; status == CAIRN_OK && hole <= HOLE_MOST; hole = hole ? hole * 2 : 4) {
        status = find_spans(file, list, pages->count, hole);
        if (file->span_count <= CAIRN_SNAPSHOT_DUMPS_MOST)
            break;
    }
    if (status != CAIRN_OK) {
        free(list);
        return cairn_fail(error, status, "%s: not enough memory to write it", path);
    }
    unlink(path); /* a link in its place is not followed */
    file->stream = fopen(path, "wbx");
    bool done = file->stream && fwrite(heading, 1, sizeof heading, file->stream) == sizeof heading;
    file->size = sizeof heading;
    struct cairn_page *const *page = list;
    for (size_t i = 0; done && i < file->span_count; i++) {
        file->spans[i].file = name;
        file->spans[i].offset = file->size;
        done = write_span(file, &file->spans[i], &page, list + pages->count);
    }
    free(list);
    return done ? CAIRN_OK : fail_write(error);
}

cairn_status cairn_memory_add(struct cairn_memory_file *file, const uint8_t *bytes, size_t size,
                              uint64_t *offset, struct cairn_error *error)
{
    if (fwrite(bytes, 1, size, file->stream) != size)
        return fail_write(error);
    *offset = file->size;
    file->size += size;
    return CAIRN_OK;
}

cairn_status cairn_memory_end(struct cairn_memory_file *file, struct cairn_error *error)
{
    FILE *stream = file->stream;
    file->stream = NULL;
    return stream && fclose(stream) != 0 ? fail_write(error) : CAIRN_OK;
}

void cairn_memory_free(struct cairn_memory_file *file)
{
    if (file->stream)
        fclose(file->stream);
    free(file->spans);
    *file = (struct cairn_memory_file){0};
}
