/* SPDX-License-Identifier: BSD-2-Clause */
/* Where trace was lost, what comes next may begin in the middle of a packet: readers are told where. Of bytes without
 * frames what stands in front of the first alignment synchronisation there is left out. Frames go on behind what the driver says is
 * lost, because it writes a barrier there; where bytes are missing in the file, from the next barrier on, or from the
 * next part that begins with an ID. What was lost behind the last part is told as a loss at the end. */
#include <stdlib.h>
#include <string.h>

#include "capture/frames.h"
#include "capture/perf/trace.h"
#include "protocol/protocols.h"

#define WINDOW ((size_t)64 << 10)
#define OVERLAP 16u /* a synchronisation has 12 bytes at most */

static const struct cairn_protocol *protocol_of(enum cairn_protocol_id id)
{
    for (size_t i = 0; i < cairn_protocol_count; i++)
        if (cairn_protocols[i]->about->id == id)
            return cairn_protocols[i];
    return NULL;
}

/* How many bytes of the span stand in front of its first synchronisation; all of them, if it has none. */
static uint64_t bytes_before(const struct cairn_protocol *protocol,
                             const struct cairn_perf_input *input, const struct cairn_span *span,
                             uint8_t *window)
{
    for (uint64_t at = 0; at < span->length; at += WINDOW - OVERLAP) {
        const uint64_t left = span->length - at;
        const int64_t got = input->read(input->context, window,
                                        left < WINDOW ? (size_t)left : WINDOW, span->offset + at);
        const size_t size = got > 0 ? (size_t)got : 0;
        const size_t found = size ? protocol->find_sync(window, size, 0) : 0;

        if (!size)
            break;
        if (found < size)
            return at + found;
        if (left <= WINDOW)
            break;
    }
    return span->length;
}

/* --- frames --- */

static const uint8_t barrier[CAIRN_FRAME_SIZE] = {
    0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
};

/* What is done to a stream, span by span. Positions are those before anything is left out. */
struct resume {
    struct cairn_perf_stream *stream;
    const struct cairn_protocol *protocol;
    const struct cairn_perf_input *input; /* that spans are of */
    uint8_t *window;
    uint64_t at; /* position of the span */
    uint64_t removed;
    size_t mark;    /* those in front of it are moved */
    size_t part;    /* mark of a part that does not begin before what is looked at */
    uint8_t phase;  /* of the next byte in its frame */
    bool searching; /* for where to go on */
};

/* Bytes up to the next frame. */
static uint64_t to_frame(const struct resume *resume)
{
    return (uint64_t)(CAIRN_FRAME_SIZE - resume->phase) % CAIRN_FRAME_SIZE;
}

/* Where in [from, until) of the span a barrier begins; `until`: nowhere. Frames begin at `from`. */
static uint64_t find_barrier(const struct resume *resume, const struct cairn_span *span,
                             uint64_t from, uint64_t until)
{
    while (from < until && until - from >= CAIRN_FRAME_SIZE) {
        const uint64_t left = until - from;
        const int64_t got =
            resume->input->read(resume->input->context, resume->window,
                                left < WINDOW ? (size_t)left : WINDOW, span->offset + from);

        if (got < CAIRN_FRAME_SIZE)
            break;
        for (int64_t i = 0; i + CAIRN_FRAME_SIZE <= got; i += CAIRN_FRAME_SIZE)
            if (!memcmp(resume->window + i, barrier, sizeof barrier))
                return from + (uint64_t)i;
        from += (uint64_t)got / CAIRN_FRAME_SIZE * CAIRN_FRAME_SIZE;
    }
    return until;
}

static bool names_id(const struct resume *resume, uint64_t file)
{
    return resume->input->read(resume->input->context, resume->window, 1, file) == 1 &&
           (resume->window[0] & 1);
}

/* The position of the first part that begins at `from` or behind it. */
static uint64_t next_part(struct resume *resume, uint64_t from)
{
    const struct cairn_perf_stream *const stream = resume->stream;

    if (resume->part < resume->mark)
        resume->part = resume->mark;
    while (resume->part < stream->mark_count && stream->marks[resume->part].bytes < from)
        resume->part++;
    return resume->part < stream->mark_count ? stream->marks[resume->part].bytes : UINT64_MAX;
}

/* How many bytes of the span stand in front of a barrier, or of a part that begins with an ID: at its beginning the
 * trace units and the formatter have begun anew. All of them, if there is neither. */
static uint64_t frames_before(struct resume *resume, const struct cairn_span *span,
                              const struct cairn_perf_break *lost)
{
    uint64_t at = 0;

    while (at < span->length) {
        const bool starts =
            lost && !at ? lost->is_start : next_part(resume, resume->at + at) == resume->at + at;

        if (starts)
            resume->phase = 0;
        if (starts && names_id(resume, span->offset + at))
            return at;
        const uint64_t part = next_part(resume, resume->at + at + 1) - resume->at;
        const uint64_t until = part < span->length ? part : span->length;
        const uint64_t found = find_barrier(resume, span, at + to_frame(resume), until);
        if (found < until)
            return found;
        resume->phase = (uint8_t)((resume->phase + (until - at)) % CAIRN_FRAME_SIZE);
        at = until;
    }
    return span->length;
}

/* --- a stream --- */

/* `count` bytes at `from` are left out, which is behind all that was before. */
static void leave_out(struct resume *resume, uint64_t from, uint64_t count)
{
    struct cairn_perf_stream *const stream = resume->stream;

    for (; resume->mark < stream->mark_count; resume->mark++) {
        uint64_t *const bytes = &stream->marks[resume->mark].bytes;

        if (*bytes >= from + count)
            break;
        *bytes = (*bytes < from ? *bytes : from) - resume->removed;
    }
    resume->removed += count;
    stream->left_out += count;
    stream->bytes -= count;
}

/* The last `count` bytes of the first `kept` spans are taken away; returns how many spans there are then. */
static size_t shorten(struct cairn_span *spans, size_t kept, uint64_t count)
{
    while (count) {
        struct cairn_span *const last = &spans[kept - 1];
        const uint64_t some = last->length < count ? last->length : count;

        last->length -= some;
        count -= some;
        kept -= !last->length;
    }
    return kept;
}

/* How many bytes of the span, which begins behind a loss or is looked at for where to go on, are left out. */
static uint64_t count_before(struct resume *resume, const struct cairn_span *span,
                             const struct cairn_perf_break *lost)
{
    if (lost) {
        resume->searching |= resume->stream->is_raw ? resume->at > 0 : lost->is_hole;
        resume->phase = lost->phase;
    }
    if (!resume->searching)
        return 0;
    uint64_t before;
    if (resume->stream->is_raw) {
        before = bytes_before(resume->protocol, resume->input, span, resume->window);
    } else if (!resume->at) { /* nothing is in front of it: only that frames are whole matters */
        before = to_frame(resume);
        before = before < span->length ? before : span->length;
        resume->phase = (uint8_t)((resume->phase + before) % CAIRN_FRAME_SIZE);
    } else {
        before = frames_before(resume, span, lost);
    }
    resume->searching = before == span->length;
    return before;
}

/* What follows does not belong to what was before. */
static void note_loss(struct resume *resume)
{
    struct cairn_perf_stream *const stream = resume->stream;
    const uint64_t at = resume->at - resume->removed;

    if (at && (!stream->loss_count || stream->losses[stream->loss_count - 1] < at))
        stream->losses[stream->loss_count++] = at;
}

static void run(struct resume *resume)
{
    struct cairn_perf_stream *const stream = resume->stream;
    size_t kept = 0, next = 0;

    for (size_t i = 0; i < stream->span_count; i++) {
        struct cairn_span span = stream->spans[i];
        const struct cairn_perf_break *const lost =
            next < stream->break_count && stream->breaks[next].span == i ? &stream->breaks[next++]
                                                                         : NULL;
        const bool is_hole = lost && lost->is_hole && !stream->is_raw;
        /* a frame of which the end is missing */
        const uint64_t cut = is_hole ? (resume->at - resume->removed) % CAIRN_FRAME_SIZE : 0;
        const uint64_t before = count_before(resume, &span, lost);

        if (cut + before)
            leave_out(resume, resume->at - cut, cut + before);
        kept = shorten(stream->spans, kept, cut);
        resume->at += before;
        if (lost)
            note_loss(resume);
        resume->at += span.length - before;
        span.offset += before;
        span.length -= before;
        if (span.length)
            stream->spans[kept++] = span;
    }
    stream->span_count = kept;
    if (stream->is_unsure)
        note_loss(resume);
    for (; resume->mark < stream->mark_count; resume->mark++)
        stream->marks[resume->mark].bytes -= resume->removed;
}

cairn_status cairn_perf_resume(struct cairn_perf_stream *stream, enum cairn_protocol_id id,
                               const struct cairn_perf_input *input)
{
    struct resume resume = {.stream = stream, .protocol = protocol_of(id), .input = input};

    if ((!stream->break_count && !stream->is_unsure) ||
        (stream->is_raw && (!resume.protocol || !resume.protocol->find_sync)))
        return CAIRN_OK;
    resume.window = malloc(WINDOW);
    stream->losses = malloc((stream->break_count + 1) * sizeof *stream->losses);
    if (resume.window && stream->losses)
        run(&resume);
    free(resume.window);
    return resume.window && stream->losses ? CAIRN_OK : CAIRN_E_MEMORY;
}
