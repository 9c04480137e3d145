/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/turns.h"

#include <stdlib.h>
#include <string.h>

#include "capture/arena.h"

#define SPACE(value) ((uint32_t)((value) % CAIRN_PAGE_BYTES))

struct cairn_turned {
    uint64_t page; /* its address, and the space in the low bits */
    uint64_t position;
    size_t number; /* in the journal */
    uint32_t source, version;
};

/* What is known of a version: from its first byte to its last. */
struct cairn_turned_span {
    uint64_t page;   /* that it is of; as above */
    uint64_t offset; /* in the memory file */
    uint32_t first, length;
};

cairn_status cairn_turns_content(struct cairn_turns *turns,
                                 struct cairn_pages pages[CAIRN_PAGES_SPACES],
                                 const struct cairn_journal_record *record, const uint8_t *payload)
{
    if (record->version == 0)
        return cairn_pages_set(&pages[record->source], record->address, payload, record->size,
                               CAIRN_PAGES_KEEP, 0);
    return cairn_pages_set(&turns->content,
                           ((uint64_t)record->version << CAIRN_PAGE_BITS) |
                               record->address % CAIRN_PAGE_BYTES,
                           payload, record->size, CAIRN_PAGES_KEEP, 0);
}

cairn_status cairn_turns_take(struct cairn_turns *turns, const struct cairn_journal_record *record)
{
    if (cairn_grow((void **)&turns->turns, turns->turn_count, &turns->turn_capacity,
                   sizeof *turns->turns) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    turns->turns[turns->turn_count] = (struct cairn_turned){.page = record->value,
                                                            .position = record->address,
                                                            .number = turns->turn_count,
                                                            .source = record->source,
                                                            .version = record->version};
    turns->turn_count++;
    return CAIRN_OK;
}

static int by_page(const void *left, const void *right)
{
    const struct cairn_turned *a = left, *b = right;

    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->page != b->page)
        return a->page < b->page ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Where the source leaves what it turned to. */
static uint64_t end_of(const struct cairn_turns *turns, size_t index)
{
    const struct cairn_turned *turn = &turns->turns[index];

    if (index + 1 == turns->turn_count || turn[1].source != turn->source ||
        turn[1].page != turn->page)
        return UINT64_MAX;
    return turn[1].position;
}

/* It is no epoch: the source had what the page begins with, or nothing was executed then. */
static bool is_none(const struct cairn_turns *turns, size_t index)
{
    const struct cairn_turned *turn = &turns->turns[index];

    return turn->version == 0 || turns->spans[turn->version].length == 0 ||
           turn->position >= end_of(turns, index);
}

/* How many epochs it is. */
static unsigned told(const struct cairn_turns *turns, const struct cairn_turned *turn)
{
    return SPACE(turn->page) == CAIRN_PAGES_EL2 && turns->secure_EL2 ? 2 : 1;
}

static cairn_status find_room(struct cairn_turns *turns)
{
    uint8_t *const epochs = calloc(turns->turn_count + 1, 1);
    size_t total = 0;

    if (!epochs)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < turns->turn_count; i++)
        if (!is_none(turns, i))
            epochs[turns->turns[i].number] = (uint8_t)told(turns, &turns->turns[i]);
    turns->first_out = 0;
    while (turns->first_out < turns->turn_count) {
        total += epochs[turns->first_out];
        if (total > CAIRN_SNAPSHOT_EPOCHS_MOST)
            break;
        turns->first_out++;
    }
    free(epochs);
    return CAIRN_OK;
}

/* What a version has between its first byte and its last, and was not executed then, is as it was first: as what is
 * around it. */
static void fill(struct cairn_page *version, const struct cairn_page *first)
{
    for (unsigned at = 0; first && at < CAIRN_PAGE_BYTES; at++)
        if (!cairn_page_knows(version, at))
            version->bytes[at] = first->bytes[at];
}

cairn_status cairn_turns_write(struct cairn_turns *turns,
                               struct cairn_pages pages[CAIRN_PAGES_SPACES],
                               struct cairn_memory_file *file, struct cairn_error *error)
{
    struct cairn_page **list = cairn_pages_list(&turns->content);
    cairn_status status = CAIRN_OK;

    turns->spans = calloc(CAIRN_JOURNAL_VERSIONS + 1, sizeof *turns->spans);
    if (!list || !turns->spans)
        status = CAIRN_E_MEMORY;
    for (size_t i = 0; i < turns->turn_count && status == CAIRN_OK; i++)
        turns->spans[turns->turns[i].version].page = turns->turns[i].page;
    for (size_t i = 0; i < turns->content.count && status == CAIRN_OK; i++) {
        struct cairn_turned_span *span = &turns->spans[list[i]->number];
        uint32_t end = CAIRN_PAGE_BYTES;

        while (span->first < end && !cairn_page_knows(list[i], span->first))
            span->first++;
        while (end > span->first && !cairn_page_knows(list[i], end - 1))
            end--;
        span->length = end - span->first;
        fill(list[i], cairn_pages_find(&pages[SPACE(span->page)], span->page >> CAIRN_PAGE_BITS));
        file->known += span->length;
        status = cairn_memory_add(file, list[i]->bytes + span->first, span->length, &span->offset,
                                  error);
    }
    free(list);
    if (turns->turn_count)
        qsort(turns->turns, turns->turn_count, sizeof *turns->turns, by_page);
    return status == CAIRN_OK ? find_room(turns) : status;
}

static void lose(struct cairn_snapshot_stream *stream, uint64_t position)
{
    if (stream->epochs_lost++ == 0 || position < stream->lost_from)
        stream->lost_from = position;
}

cairn_status cairn_turns_epochs(const struct cairn_turns *turns, uint32_t source, uint64_t bytes,
                                struct cairn_snapshot_stream *stream)
{
    struct cairn_snapshot_epoch *epochs = NULL;
    size_t count = 0, capacity = 0;

    for (size_t i = 0; i < turns->turn_count; i++) {
        const struct cairn_turned *turn = &turns->turns[i];
        const struct cairn_turned_span *span = &turns->spans[turn->version];
        const uint64_t to = end_of(turns, i);

        if (turn->source != source || turn->position >= bytes || is_none(turns, i))
            continue;
        if (turn->number >= turns->first_out) {
            lose(stream, turn->position);
            continue;
        }
        for (uint32_t n = 0; n < told(turns, turn); n++) {
            if (cairn_grow((void **)&epochs, count, &capacity, sizeof *epochs) != CAIRN_OK) {
                free(epochs);
                return CAIRN_E_MEMORY;
            }
            epochs[count++] = (struct cairn_snapshot_epoch){
                .span = {.file = CAIRN_JOURNAL_MEMORY,
                         .space = cairn_pages_space_name(SPACE(turn->page) + n),
                         .address = turn->page - SPACE(turn->page) + span->first,
                         .length = span->length,
                         .offset = span->offset},
                .from = turn->position,
                .to = to < bytes ? to : UINT64_MAX,
            };
        }
    }
    stream->epochs = epochs;
    stream->epoch_count = count;
    return CAIRN_OK;
}

void cairn_turns_clear(struct cairn_turns *turns)
{
    cairn_pages_clear(&turns->content);
    free(turns->spans);
    free(turns->turns);
    *turns = (struct cairn_turns){.turn_count = 0};
}
