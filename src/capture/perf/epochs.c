/* SPDX-License-Identifier: BSD-2-Clause */
/* When something was mapped, in bytes of a source. AUX records tell when their part of the trace was complete: what
 * was mapped before that, and behind the part before, is there from the part's beginning on. */
#include <stdlib.h>

#include "capture/perf/trace.h"

#define WINDOW ((size_t)1 << 20)

/* Takes the buffer's frames up to byte `end` of it. False: it cannot be read. */
static bool take_until(const struct cairn_buffer *buffer, int fd, struct cairn_frames *frames,
                       uint8_t *window, uint64_t *at, uint64_t end)
{
    while (*at < end) {
        uint64_t left;
        const uint64_t place = cairn_buffer_place(buffer, *at, &left);
        const uint64_t wanted = end - *at < left ? end - *at : left;
        const int64_t got =
            cairn_buffer_read(buffer, fd, window, wanted < WINDOW ? (size_t)wanted : WINDOW, place);

        if (got <= 0)
            return false;
        cairn_frames_run(frames, window, (size_t)got, NULL);
        *at += (uint64_t)got;
    }
    return true;
}

/* Bytes of the source's ID in front of each mark. */
static cairn_status count_frames(const struct cairn_buffer *buffer, struct cairn_perf_place *place)
{
    uint8_t *window = malloc(WINDOW);
    struct cairn_frames frames;
    uint64_t size, at = 0;
    int fd = -1;
    bool reads = window && cairn_buffer_open(buffer, &fd, &size, NULL) == CAIRN_OK;

    cairn_frames_init(&frames, buffer->layout);
    for (size_t i = 0; i < place->stream->mark_count; i++) {
        reads =
            reads && take_until(buffer, fd, &frames, window, &at, place->stream->marks[i].bytes);
        place->before[i] = frames.account.data[place->id];
    }
    cairn_input_close(fd);
    free(window);
    return window ? CAIRN_OK : CAIRN_E_MEMORY;
}

cairn_status cairn_perf_place_count(const struct cairn_capture *capture,
                                    struct cairn_perf_place *place)
{
    const struct cairn_perf_stream *const stream = place->stream;

    if (place->before)
        return CAIRN_OK;
    place->before = calloc(stream->mark_count + 1, sizeof *place->before);
    if (!place->before)
        return CAIRN_E_MEMORY;
    if (!stream->is_raw)
        return count_frames(&capture->buffers[place->buffer], place);
    for (size_t i = 0; i < stream->mark_count; i++)
        place->before[i] = stream->marks[i].bytes;
    return CAIRN_OK;
}

/* The part that was complete next; as many as there are: none. */
static size_t part_at(const struct cairn_perf_stream *stream, uint64_t time)
{
    size_t from = 0, until = stream->mark_count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;

        if (stream->marks[middle].time < time)
            from = middle + 1;
        else
            until = middle;
    }
    return from;
}

bool cairn_perf_place_at(const struct cairn_perf_place *place, uint64_t time, uint64_t *offset)
{
    const size_t part = part_at(place->stream, time);

    if (part == place->stream->mark_count)
        return false;
    *offset = place->before[part];
    return true;
}

bool cairn_perf_place_goes_on(const struct cairn_perf_place *place, uint64_t time)
{
    return part_at(place->stream, time) + 1 < place->stream->mark_count;
}

uint64_t cairn_perf_place_behind(const struct cairn_perf_place *place, uint64_t time)
{
    return place->before[part_at(place->stream, time) + 1];
}
