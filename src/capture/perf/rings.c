/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshots of kernels before 5.4. Their AUX records have no offset in the owner's stream, but the place in its ring where
 * the newest byte is, and the size of the ring; and AUXTRACE records begin again at such a place each time. So each of
 * these is a part by itself, one behind the other in the order of the file. */
#include <stdlib.h>

#include "capture/frames.h"
#include "capture/perf/trace.h"

static int compare_places(const void *a, const void *b)
{
    const struct cairn_perf_fragment *const one = a, *const other = b;
    const int order = cairn_perf_by_owner(&one->owner, &other->owner);

    if (order || one->offset != other->offset)
        return order ? order : one->offset < other->offset ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* The last of the owner's that is not behind a place; NULL: there is none. */
static const struct cairn_perf_fragment *last_up_to(const struct cairn_perf_fragment *list,
                                                    size_t count,
                                                    const struct cairn_perf_owner *owner,
                                                    uint64_t place)
{
    const struct cairn_perf_fragment wanted = {
        .owner = *owner, .offset = place, .number = UINT64_MAX};
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (compare_places(&list[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low && !cairn_perf_by_owner(&list[low - 1].owner, owner) ? &list[low - 1] : NULL;
}

/* The record of the place where the piece ends, or another one of the owner's. */
static const struct cairn_perf_fragment *record_of(const struct cairn_perf_fragment *list,
                                                   size_t count,
                                                   const struct cairn_perf_piece *piece)
{
    const struct cairn_perf_fragment *const any =
        last_up_to(list, count, &piece->owner, UINT64_MAX);
    const uint64_t place = any ? (piece->offset + piece->size) % any->size : 0;
    const struct cairn_perf_fragment *const exact =
        any ? last_up_to(list, count, &piece->owner, place) : NULL;

    return exact && exact->offset == place ? exact : any;
}

/* Takes those that tell a place out of the fragments. */
static size_t take_places(struct cairn_perf_trace *trace, struct cairn_perf_fragment *list)
{
    size_t kept = 0, count = 0;

    for (size_t i = 0; i < trace->fragment_count; i++)
        if (trace->fragments[i].is_place)
            list[count++] = trace->fragments[i];
        else
            trace->fragments[kept++] = trace->fragments[i];
    trace->fragment_count = kept;
    return count;
}

cairn_status cairn_perf_settle_rings(struct cairn_perf_trace *trace)
{
    uint64_t offset = 0;
    size_t count = 0;

    for (size_t i = 0; i < trace->fragment_count; i++)
        count += trace->fragments[i].is_place;
    if (!count)
        return CAIRN_OK;
    struct cairn_perf_fragment *const list = calloc(count, sizeof *list);
    if (!list)
        return CAIRN_E_MEMORY;
    count = take_places(trace, list);
    qsort(list, count, sizeof *list, compare_places);
    for (size_t i = 0; i < trace->piece_count; i++) {
        struct cairn_perf_piece *const piece = &trace->pieces[i];
        const struct cairn_perf_fragment *const record = record_of(list, count, piece);

        if (!record || !cairn_perf_room(trace, (void **)&trace->fragments, trace->fragment_count,
                                        &trace->fragment_room, sizeof *trace->fragments,
                                        CAIRN_PERF_PIECES_MOST))
            continue;
        piece->offset = offset;
        trace->fragments[trace->fragment_count] = *record;
        trace->fragments[trace->fragment_count].offset = offset;
        trace->fragments[trace->fragment_count].size = piece->size;
        trace->fragment_count++;
        /* what was recorded between the two is not there */
        offset += (piece->size / CAIRN_FRAME_SIZE + 2) * CAIRN_FRAME_SIZE;
    }
    free(list);
    return trace->no_memory ? CAIRN_E_MEMORY : CAIRN_OK;
}
