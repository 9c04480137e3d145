/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace buffer (TRBE) begins to write at an alignment of its own (TRBIDR_EL1.Align). What the driver skips up to that it
 * fills with Ignore packets, and no AUX record tells of them: nothing is lost there. They belong to the part in front. */
#include "capture/perf/trace.h"

#define ALIGNMENT_MOST 2048u /* that TRBIDR_EL1 can tell */

static bool is_skipped(uint64_t from, uint64_t until)
{
    const uint64_t size = until - from;
    uint64_t alignment = 1;

    if (until <= from || size >= ALIGNMENT_MOST)
        return false;
    while (alignment <= size)
        alignment *= 2;
    return until % alignment == 0;
}

static bool is_raw(const struct cairn_perf_fragment *fragment)
{
    return (fragment->flags & CAIRN_PERF_AUX_FORMAT) == CAIRN_PERF_AUX_RAW;
}

/* In front of the first part that a file has, if the recorder began another one there (perf record --switch-output). */
static void take_in_front(struct cairn_perf_fragment *fragment,
                          const struct cairn_perf_piece *piece)
{
    if (!is_raw(fragment) || !fragment->size || !is_skipped(piece->offset, fragment->offset))
        return;
    fragment->size += fragment->offset - piece->offset;
    fragment->offset = piece->offset;
}

void cairn_perf_take_padding(struct cairn_perf_trace *trace)
{
    size_t next_piece = 0;

    for (size_t i = 0; i < trace->fragment_count; i++) {
        struct cairn_perf_fragment *const fragment = &trace->fragments[i];
        const struct cairn_perf_fragment *const next =
            i + 1 < trace->fragment_count &&
                    !cairn_perf_by_owner(&fragment->owner, &fragment[1].owner)
                ? &fragment[1]
                : NULL;
        const bool is_first = !i || cairn_perf_by_owner(&fragment[-1].owner, &fragment->owner);

        while (next_piece < trace->piece_count &&
               cairn_perf_by_owner(&trace->pieces[next_piece].owner, &fragment->owner) < 0)
            next_piece++;
        if (is_first && next_piece < trace->piece_count &&
            !cairn_perf_by_owner(&trace->pieces[next_piece].owner, &fragment->owner))
            take_in_front(fragment, &trace->pieces[next_piece]);
        const uint64_t end = fragment->offset + fragment->size;
        while (next_piece < trace->piece_count &&
               cairn_perf_by_owner(&trace->pieces[next_piece].owner, &fragment->owner) <= 0)
            next_piece++;
        const struct cairn_perf_piece *const last =
            next_piece ? &trace->pieces[next_piece - 1] : NULL;
        if (!fragment->size || !is_raw(fragment) || !last ||
            cairn_perf_by_owner(&last->owner, &fragment->owner) ||
            (next && next->size && !is_raw(next)))
            continue;
        const uint64_t until = next ? next->offset : last->offset + last->size;
        /* behind the last one perf itself fills up a word */
        if (is_skipped(end, until) && (next || until - end >= CAIRN_PERF_WORD))
            fragment->size = until - fragment->offset;
    }
}
