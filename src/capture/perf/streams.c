/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of each buffer that have one format, and of one thread where parts tell whose they are: parts one after
 * the other, as spans of the file. */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "capture/frames.h"
#include "capture/perf/trace.h"

static uint32_t hash_of(const struct cairn_perf_owner *owner, uint32_t thread, bool is_raw)
{
    return cairn_table_hash((uint64_t)owner->cpu << 32 | cairn_perf_thread_of(owner),
                            (uint64_t)thread << 1 | is_raw);
}

/* The first stream of an owner, thread and format; CAIRN_TABLE_NONE: there is none yet. */
static uint32_t first_stream(const struct cairn_perf_streams *streams,
                             const struct cairn_perf_owner *owner, uint32_t thread, bool is_raw)
{
    const uint32_t hash = hash_of(owner, thread, is_raw);
    size_t at = cairn_table_begin(&streams->first, hash);
    uint32_t first;

    while ((first = cairn_table_next(&streams->first, hash, &at)) != CAIRN_TABLE_NONE) {
        const struct cairn_perf_stream *const one = &streams->list[first];

        if (!cairn_perf_by_owner(&one->owner, owner) && one->is_raw == is_raw &&
            one->thread == thread)
            break;
    }
    return first;
}

static uint32_t thread_of_part(const struct cairn_perf_trace *trace,
                               const struct cairn_perf_fragment *fragment)
{
    if (fragment->owner.cpu == CAIRN_PERF_NOBODY)
        return fragment->owner.thread;
    return trace->has_turns ? fragment->turn : CAIRN_PERF_NOBODY;
}

/* The stream that the part goes on with, if there is one. */
static struct cairn_perf_stream *latest_stream(const struct cairn_perf_trace *trace,
                                               const struct cairn_perf_streams *streams,
                                               const struct cairn_perf_fragment *fragment,
                                               bool is_raw)
{
    const uint32_t thread = thread_of_part(trace, fragment);
    const uint32_t first = first_stream(streams, &fragment->owner, thread, is_raw);

    /* fragments come stretch by stretch */
    if (first == CAIRN_TABLE_NONE ||
        streams->list[streams->list[first].latest].stretch != fragment->stretch)
        return NULL;
    return &streams->list[streams->list[first].latest];
}

static struct cairn_perf_stream *stream_of(const struct cairn_perf_trace *trace,
                                           struct cairn_perf_streams *streams,
                                           const struct cairn_perf_fragment *fragment, bool is_raw,
                                           uint32_t file)
{
    const struct cairn_perf_owner *const owner = &fragment->owner;
    const uint32_t thread = thread_of_part(trace, fragment);
    struct cairn_perf_stream *const latest = latest_stream(trace, streams, fragment, is_raw);

    if (latest)
        return latest;
    const uint32_t first = first_stream(streams, owner, thread, is_raw);
    const uint32_t made = (uint32_t)streams->count;
    if (cairn_grow((void **)&streams->list, streams->count, &streams->room,
                   sizeof *streams->list) != CAIRN_OK ||
        (first == CAIRN_TABLE_NONE &&
         cairn_table_add(&streams->first, hash_of(owner, thread, is_raw), made)))
        return NULL;
    streams->list[made] = (struct cairn_perf_stream){
        .owner = *owner,
        .cpu = owner->cpu == CAIRN_PERF_NOBODY ? fragment->cpu : owner->cpu,
        .thread = thread,
        .is_raw = is_raw,
        .file = file,
        .stretch = fragment->stretch,
        .latest = made,
    };
    if (first != CAIRN_TABLE_NONE) {
        streams->list[made].number = streams->list[streams->list[first].latest].number + 1;
        streams->list[first].latest = made;
    }
    streams->count++;
    return &streams->list[made];
}

static cairn_status add_break(struct cairn_perf_stream *stream, const struct cairn_perf_break *lost)
{
    if (cairn_grow((void **)&stream->breaks, stream->break_count, &stream->break_room,
                   sizeof *stream->breaks) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    stream->breaks[stream->break_count++] = *lost;
    return CAIRN_OK;
}

/* Bytes of the fragment, from `offset` on. */
static cairn_status add_span(struct cairn_perf_stream *stream,
                             const struct cairn_perf_fragment *fragment, uint64_t offset,
                             uint64_t file, uint64_t size)
{
    struct cairn_span *const last =
        stream->span_count ? &stream->spans[stream->span_count - 1] : NULL;
    const struct cairn_perf_break lost = {
        .span = stream->span_count,
        .is_hole = last ? stream->next != offset : fragment->offset != offset,
        .is_start = fragment->offset == offset,
        .phase = (uint8_t)((offset - fragment->offset) % CAIRN_FRAME_SIZE),
    };
    const bool breaks = lost.is_hole || (last && stream->is_unsure);

    stream->bytes += size;
    stream->next = offset + size;
    stream->is_unsure = false;
    if (last && !breaks && last->offset + last->length == file) {
        last->length += size;
        return CAIRN_OK;
    }
    if ((breaks && add_break(stream, &lost) != CAIRN_OK) ||
        cairn_grow((void **)&stream->spans, stream->span_count, &stream->span_room,
                   sizeof *stream->spans) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    stream->spans[stream->span_count++] = (struct cairn_span){.offset = file, .length = size};
    return CAIRN_OK;
}

static cairn_status add_mark(struct cairn_perf_stream *stream,
                             const struct cairn_perf_fragment *fragment)
{
    if (cairn_grow((void **)&stream->marks, stream->mark_count, &stream->mark_room,
                   sizeof *stream->marks) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    const uint64_t before = stream->mark_count ? stream->marks[stream->mark_count - 1].time : 0;

    stream->marks[stream->mark_count++] = (struct cairn_perf_mark){
        .began = fragment->began,
        .time = fragment->time > before ? fragment->time : before,
        .bytes = stream->bytes,
    };
    return CAIRN_OK;
}

static void take_flags(struct cairn_perf_stream *stream, const struct cairn_perf_fragment *fragment)
{
    stream->fragments++;
    stream->is_unsure |=
        (fragment->flags & CAIRN_PERF_AUX_LOSSES) != 0 || fragment->is_before_silence;
    stream->truncated += (fragment->flags & CAIRN_PERF_AUX_TRUNCATED) != 0;
    stream->partial += (fragment->flags & CAIRN_PERF_AUX_PARTIAL) != 0;
    stream->collided += (fragment->flags & CAIRN_PERF_AUX_COLLISION) != 0;
}

/* Pieces up to *at begin in front of the fragment's end. Bytes of it may lie in several. */
cairn_status cairn_perf_put_part(struct cairn_perf_trace *trace, struct cairn_perf_streams *streams,
                                 const struct cairn_perf_fragment *fragment, size_t *at)
{
    const uint64_t end = fragment->offset + fragment->size;
    const bool is_raw = (fragment->flags & CAIRN_PERF_AUX_FORMAT) == CAIRN_PERF_AUX_RAW;
    struct cairn_perf_stream *stream = NULL;
    /* what a snapshot lacks was overwritten before it was taken, or comes behind it: that is meant */
    const bool is_snapshot = (fragment->flags & CAIRN_PERF_AUX_OVERWRITE) != 0;
    uint64_t from = fragment->offset, lacking = 0;

    if (!is_raw && (fragment->flags & CAIRN_PERF_AUX_FORMAT)) {
        streams->unknown_formats++;
        return CAIRN_OK;
    }
    for (; *at < trace->piece_count; ++*at) {
        const struct cairn_perf_piece *const piece = &trace->pieces[*at];
        const int order = cairn_perf_by_owner(&piece->owner, &fragment->owner);
        const uint64_t piece_end = piece->offset + piece->size;

        if (order > 0 || (!order && piece->offset >= end))
            break;
        /* a buffer is in one file; what would be in another is missing */
        if (order < 0 || piece_end <= from || (stream && piece->number != stream->file))
            continue;
        if (piece->offset > from) {
            lacking += piece->offset - from;
            from = piece->offset;
        }
        const uint64_t until = piece_end < end ? piece_end : end;
        if (!stream && (!(stream = stream_of(trace, streams, fragment, is_raw, piece->number)) ||
                        add_mark(stream, fragment) != CAIRN_OK))
            return CAIRN_E_MEMORY;
        stream->is_unsure |= from == fragment->offset && fragment->is_behind_silence;
        if (add_span(stream, fragment, from, piece->file + (from - piece->offset), until - from) !=
            CAIRN_OK)
            return CAIRN_E_MEMORY;
        from = until;
        if (piece_end >= end)
            break; /* the next fragment may be in it as well */
    }
    lacking += end - from;
    *(is_snapshot ? &streams->overwritten_bytes : &streams->missing_bytes) += lacking;
    *(is_snapshot ? &streams->overwritten : &streams->missing) += lacking != 0;
    if (stream)
        take_flags(stream, fragment);
    else
        stream = latest_stream(trace, streams, fragment, is_raw);
    if (stream) /* no more may come of it, and the loss is at its end then */
        stream->is_unsure |= from < end && !is_snapshot;
    return CAIRN_OK;
}

/* A part without bytes, of which the driver says that trace was lost: of whatever format, it is between others. */
void cairn_perf_put_nothing(const struct cairn_perf_trace *trace,
                            struct cairn_perf_streams *streams,
                            const struct cairn_perf_fragment *fragment)
{
    struct cairn_perf_stream *const last =
        streams->count ? &streams->list[streams->count - 1] : NULL;

    bool is_placed = false;

    if (last && last->stretch) { /* it is behind the last one alone */
        is_placed = !cairn_perf_by_owner(&last->owner, &fragment->owner);
        if (is_placed)
            take_flags(last, fragment);
        streams->nothing += !is_placed;
        return;
    }
    for (unsigned raw = 0; raw < 2; raw++) {
        const uint32_t first =
            first_stream(streams, &fragment->owner, thread_of_part(trace, fragment), raw != 0);

        if (first == CAIRN_TABLE_NONE)
            continue;
        take_flags(&streams->list[first], fragment);
        is_placed = true;
    }
    streams->nothing += !is_placed;
}
void cairn_perf_streams_clear(struct cairn_perf_streams *streams)
{
    for (size_t i = 0; i < streams->count; i++) {
        free(streams->list[i].spans);
        free(streams->list[i].breaks);
        free(streams->list[i].losses);
        free(streams->list[i].marks);
    }
    free(streams->list);
    cairn_table_clear(&streams->first);
    memset(streams, 0, sizeof *streams);
}
