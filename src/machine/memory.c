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

/* Bytes that are known: a new span, or more of the last one if that ends at most `hole` before. */
static cairn_status add_bytes(struct cairn_memory_file *file, const char *space, uint64_t address,
                              unsigned length, uint64_t hole)
{
    if (file->span_count) {
        struct cairn_snapshot_span *last = &file->spans[file->span_count - 1];
        const uint64_t apart = address - last->address;
        if (last->space == space && apart - last->length <= hole) {
            last->length = apart + length;
            return CAIRN_OK;
        }
    }
    if (cairn_grow((void **)&file->spans, file->span_count, &file->span_capacity,
                   sizeof *file->spans) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    file->spans[file->span_count++] =
        (struct cairn_snapshot_span){.space = space, .address = address, .length = length};
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
        const bool free_behind = i + 1 == file->span_count ||
                                 file->spans[i + 1].address >= end + HALF_WORD ||
                                 file->spans[i + 1].space != file->spans[i].space;
        if (free_behind)
            file->spans[i].length += HALF_WORD;
    }
}

/* The pages of each space, in the order of their addresses. */
struct lists {
    struct cairn_page **pages[CAIRN_PAGES_SPACES];
    size_t count[CAIRN_PAGES_SPACES];
    uint32_t users; /* the space that user programs are in, */
    uint64_t taken; /* of which these pages are taken, by their order */
};

#define USERS_END (UINT64_C(1) << (63 - CAIRN_PAGE_BITS)) /* what is behind is a kernel's */

static bool is_taken(const struct lists *lists, uint32_t space, const struct cairn_page *page)
{
    return space != lists->users || page->number >= USERS_END || page->order < lists->taken;
}

static cairn_status add_page(struct cairn_memory_file *file, const char *space,
                             const struct cairn_page *page, uint64_t hole)
{
    const uint64_t address = page->number << CAIRN_PAGE_BITS;

    for (unsigned at = 0, length; at < CAIRN_PAGE_BYTES; at += length) {
        const uint8_t eight = page->known[at / 8];
        const bool are_alike = at % 8 == 0 && (eight == 0 || eight == UINT8_MAX);

        length = are_alike ? 8 : 1; /* most are */
        if (!cairn_page_knows(page, at))
            continue;
        file->known += length;
        if (add_bytes(file, space, address + at, length, hole) != CAIRN_OK)
            return CAIRN_E_MEMORY;
    }
    return CAIRN_OK;
}

static cairn_status find_spans(struct cairn_memory_file *file, const struct lists *lists,
                               uint64_t hole)
{
    file->span_count = 0;
    file->known = 0;
    file->pages_lost = 0;
    for (uint32_t space = 0; space < CAIRN_PAGES_SPACES; space++) {
        const uint64_t known = file->known;

        for (size_t i = 0; i < lists->count[space]; i++) {
            const struct cairn_page *page = lists->pages[space][i];

            if (!is_taken(lists, space, page))
                file->pages_lost++;
            else if (add_page(file, cairn_pages_space_name(space), page, hole) != CAIRN_OK)
                return CAIRN_E_MEMORY;
        }
        if (space == CAIRN_PAGES_EL2S)
            file->known = known;
    }
    complete_words(file);
    return CAIRN_OK;
}

/* How many spans begin in each page of user programs, by the pages' order. */
static void count_spans(const struct cairn_memory_file *file, const struct lists *lists,
                        uint32_t *begun)
{
    const char *const space = cairn_pages_space_name(lists->users);
    struct cairn_page *const *page = lists->pages[lists->users];

    for (size_t i = 0; i < file->span_count; i++) {
        const uint64_t number = file->spans[i].address >> CAIRN_PAGE_BITS;

        if (file->spans[i].space != space || number >= USERS_END)
            continue;
        while ((*page)->number < number)
            page++;
        begun[(*page)->order]++;
    }
}

/* Leaves out as many as there are too many, and finds the others anew. */
static cairn_status leave_out(struct cairn_memory_file *file, struct lists *lists, uint64_t hole)
{
    uint32_t *const begun = calloc(lists->count[lists->users] + 1, sizeof *begun);
    size_t many = file->span_count - CAIRN_SNAPSHOT_DUMPS_MOST;

    if (!begun)
        return CAIRN_E_MEMORY;
    count_spans(file, lists, begun);
    if (lists->taken > lists->count[lists->users])
        lists->taken = lists->count[lists->users];
    while (many > 0 && lists->taken > 0) {
        const uint32_t begins = begun[--lists->taken];

        many -= begins < many ? begins : many;
    }
    free(begun);
    return find_spans(file, lists, hole);
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

static void free_lists(struct lists *lists)
{
    for (uint32_t space = 0; space < CAIRN_PAGES_SPACES; space++)
        free(lists->pages[space]);
}

static bool write_spans(struct cairn_memory_file *file, const char *name, const struct lists *lists)
{
    bool done = fwrite(heading, 1, sizeof heading, file->stream) == sizeof heading;
    size_t i = 0;

    file->size = sizeof heading;
    for (uint32_t space = 0; space < CAIRN_PAGES_SPACES; space++) {
        struct cairn_page *const *page = lists->pages[space];
        struct cairn_page *const *const end = page + lists->count[space];

        for (;
             done && i < file->span_count && file->spans[i].space == cairn_pages_space_name(space);
             i++) {
            file->spans[i].file = name;
            file->spans[i].offset = file->size;
            done = write_span(file, &file->spans[i], &page, end);
        }
    }
    return done;
}

cairn_status cairn_memory_begin(struct cairn_memory_file *file, const char *path, const char *name,
                                const struct cairn_pages pages[CAIRN_PAGES_SPACES], bool secure_EL2,
                                struct cairn_error *error)
{
    struct lists lists = {.users = pages[CAIRN_PAGES_ANY].count ? CAIRN_PAGES_ANY : CAIRN_PAGES_EL1,
                          .taken = UINT64_MAX};
    cairn_status status = CAIRN_OK;
    uint64_t hole = 0;

    *file = (struct cairn_memory_file){0};
    for (uint32_t space = 0; space < CAIRN_PAGES_SPACES && status == CAIRN_OK; space++) {
        const struct cairn_pages *own =
            &pages[space == CAIRN_PAGES_EL2S && secure_EL2 ? CAIRN_PAGES_EL2 : space];

        lists.pages[space] = cairn_pages_list(own);
        lists.count[space] = own->count;
        status = lists.pages[space] ? CAIRN_OK : CAIRN_E_MEMORY;
    }
    status = status == CAIRN_OK ? find_spans(file, &lists, hole) : status;
    while (status == CAIRN_OK && hole < HOLE_MOST && file->span_count > CAIRN_SNAPSHOT_DUMPS_MOST) {
        hole = hole ? hole * 2 : 4;
        status = find_spans(file, &lists, hole);
    }
    while (status == CAIRN_OK && lists.taken > 0 && file->span_count > CAIRN_SNAPSHOT_DUMPS_MOST)
        status = leave_out(file, &lists, hole);
    if (status != CAIRN_OK) {
        free_lists(&lists);
        return cairn_fail(error, status, "%s: not enough memory to write it", path);
    }
    unlink(path); /* a link in its place is not followed */
    file->stream = fopen(path, "wbx");
    const bool done = file->stream && write_spans(file, name, &lists);
    free_lists(&lists);
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
