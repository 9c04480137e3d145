/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands between the blocks of a thread, packed: how far behind the one before, and what it says. */
#include "report/diff_kept.h"

/* Bytes of a number of 64 bits, and of a mark. */
enum { NUMBER_MOST = 10, MARK_MOST = 2 * NUMBER_MOST, KIND_BITS = 3 };

/* Seven bits a byte, the lowest first. */
static void put(struct cairn_diff_page *page, uint64_t value)
{
    for (; value >> 7; value >>= 7)
        page->bytes[page->used++] = (uint8_t)(value | 0x80);
    page->bytes[page->used++] = (uint8_t)value;
}

static uint64_t take(const uint8_t *bytes, uint32_t *at)
{
    uint64_t value = 0;
    unsigned shift = 0;

    for (; bytes[*at] & 0x80; shift += 7)
        value |= (uint64_t)(bytes[(*at)++] & 0x7f) << shift;
    return value | (uint64_t)bytes[(*at)++] << shift;
}

/* Timestamps differ by little from the one before: of the difference, the sign is the lowest bit. */
static uint64_t fold(uint64_t difference)
{
    return difference << 1 ^ (UINT64_C(0) - (difference >> 63));
}

static uint64_t unfold(uint64_t folded)
{
    return folded >> 1 ^ (UINT64_C(0) - (folded & 1));
}

cairn_status cairn_diff_flush_mark(struct cairn_diff_run *run, struct cairn_diff_thread *thread)
{
    const struct cairn_diff_mark mark = thread->last_mark;
    struct cairn_diff_pages *const pages = &thread->marks;

    if (!thread->has_mark)
        return CAIRN_OK;
    thread->has_mark = false;
    if (!pages->count || pages->list[pages->count - 1].used + MARK_MOST > CAIRN_DIFF_PAGE_BYTES) {
        const size_t had = pages->count;
        const cairn_status status = cairn_diff_add_page(
            run, pages,
            (struct cairn_diff_page){.first = mark.token, .timestamp = thread->packed_time});

        if (status || pages->count == had)
            return status;
        thread->packed_token = mark.token;
    }
    struct cairn_diff_page *const page = &pages->list[pages->count - 1];
    put(page, (uint64_t)(mark.token - thread->packed_token) << KIND_BITS | mark.kind);
    put(page,
        mark.kind == CAIRN_MARK_TIMESTAMP ? fold(mark.value - thread->packed_time) : mark.value);
    thread->packed_token = mark.token;
    if (mark.kind == CAIRN_MARK_TIMESTAMP)
        thread->packed_time = mark.value;
    return CAIRN_OK;
}

cairn_status cairn_diff_add_mark(struct cairn_diff_run *run, struct cairn_diff_thread *thread,
                                 uint32_t kind, uint64_t value, size_t token)
{
    struct cairn_diff_mark *const last = thread->has_mark ? &thread->last_mark : NULL;

    if (run->is_full)
        return CAIRN_OK;
    if (last && last->kind == kind && last->token == token && kind != CAIRN_MARK_GAP) {
        last->value = kind == CAIRN_MARK_HANDLED ? last->value + value : value;
        return CAIRN_OK;
    }
    const cairn_status status = cairn_diff_flush_mark(run, thread);
    thread->last_mark = (struct cairn_diff_mark){.token = token, .value = value, .kind = kind};
    thread->has_mark = true;
    return status;
}

/* --- the way back --- */

static void enter_page(struct cairn_diff_marks *marks, size_t number)
{
    const struct cairn_diff_page *const page = &marks->thread->marks.list[number];

    marks->page = number;
    marks->byte = 0;
    marks->mark.token = page->first;
    marks->timestamp = page->timestamp;
}

bool cairn_diff_next_mark(struct cairn_diff_marks *marks)
{
    const struct cairn_diff_pages *const pages = &marks->thread->marks;

    if (marks->page >= pages->count)
        return false;
    if (marks->byte >= pages->list[marks->page].used) {
        if (marks->page + 1 == pages->count)
            return false;
        enter_page(marks, marks->page + 1);
    } else if (!marks->byte) {
        enter_page(marks, marks->page);
    }
    const uint8_t *const bytes = pages->list[marks->page].bytes;
    const uint64_t head = take(bytes, &marks->byte);
    marks->mark.kind = (uint32_t)(head & ((1u << KIND_BITS) - 1));
    marks->mark.token += (size_t)(head >> KIND_BITS);
    marks->mark.value = take(bytes, &marks->byte);
    if (marks->mark.kind == CAIRN_MARK_TIMESTAMP) {
        marks->mark.value = marks->timestamp + unfold(marks->mark.value);
        marks->timestamp = marks->mark.value;
    }
    return true;
}

bool cairn_diff_find_mark(const struct cairn_diff_thread *thread, uint32_t kind, size_t token,
                          bool before_too, struct cairn_diff_mark *mark)
{
    const struct cairn_diff_pages *const pages = &thread->marks;
    size_t low = 0, high = pages->count;
    bool found = false;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (pages->list[middle].first <= token)
            low = middle + 1;
        else
            high = middle;
    }
    /* from the last page that begins at most there backwards */
    for (; low > 0 && !found; low--) {
        struct cairn_diff_marks marks = {.thread = thread};

        if (!before_too && low < pages->count && pages->list[low].first < token)
            break;
        enter_page(&marks, low - 1);
        while (marks.byte < pages->list[low - 1].used && cairn_diff_next_mark(&marks) &&
               marks.mark.token <= token)
            if (marks.mark.kind == kind && (before_too || marks.mark.token == token)) {
                *mark = marks.mark;
                found = true;
            }
    }
    return found;
}
