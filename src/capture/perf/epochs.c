/* SPDX-License-Identifier: BSD-2-Clause */
/* Times in bytes of a source. AUX records tell when their part of the trace was complete; it began not before the part of
 * the same buffer in front of it was, and not before the event was started (ITRACE_START). What is told in between
 * happened in the midst of the part, unless pins in the trace tell more of it (pins.c). */
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

/* --- when parts began --- */

/* The event was started on a processor, or of a thread. */
struct start {
    bool is_of_thread;
    uint32_t number;
    uint64_t time;
};

static int compare_starts(const void *a, const void *b)
{
    const struct start *const one = a, *const other = b;

    if (one->is_of_thread != other->is_of_thread)
        return (int)one->is_of_thread - (int)other->is_of_thread;
    if (one->number != other->number)
        return one->number < other->number ? -1 : 1;
    return one->time < other->time ? -1 : one->time > other->time;
}

static size_t list_starts(const struct cairn_perf_trace *trace, struct start *list)
{
    size_t count = 0;

    for (size_t i = 0; i < trace->run_count; i++) {
        const struct cairn_perf_run *const run = &trace->runs[i];

        if (run->kind != CAIRN_PERF_RUN_START)
            continue;
        if (run->cpu != CAIRN_PERF_NOBODY)
            list[count++] = (struct start){.number = run->cpu, .time = run->time};
        list[count++] =
            (struct start){.is_of_thread = true, .number = run->thread, .time = run->time};
    }
    if (count)
        qsort(list, count, sizeof *list, compare_starts);
    return count;
}

/* The last start of the fragment's buffer until it was complete; 0: there is none. */
static uint64_t last_start(const struct start *list, size_t count,
                           const struct cairn_perf_fragment *fragment)
{
    const bool is_of_thread = fragment->owner.cpu == CAIRN_PERF_NOBODY;
    const struct start wanted = {
        .is_of_thread = is_of_thread,
        .number = is_of_thread ? fragment->owner.thread : fragment->owner.cpu,
        .time = fragment->time,
    };
    size_t from = 0, until = count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;

        if (compare_starts(&list[middle], &wanted) <= 0)
            from = middle + 1;
        else
            until = middle;
    }
    return from && list[from - 1].is_of_thread == wanted.is_of_thread &&
                   list[from - 1].number == wanted.number
               ? list[from - 1].time
               : 0;
}

cairn_status cairn_perf_find_beginnings(struct cairn_perf_trace *trace)
{
    struct start *const list = malloc((2 * trace->run_count + 1) * sizeof *list);
    const struct cairn_perf_fragment *last = NULL;

    if (!list)
        return CAIRN_E_MEMORY;
    const size_t count = list_starts(trace, list);
    for (size_t i = 0; i < trace->fragment_count; i++) {
        struct cairn_perf_fragment *const fragment = &trace->fragments[i];
        const uint64_t before =
            last && !cairn_perf_by_owner(&last->owner, &fragment->owner) ? last->time : 0;

        /* a snapshot may have what was recorded before the last one */
        if (!(fragment->flags & CAIRN_PERF_AUX_OVERWRITE)) {
            fragment->began = last_start(list, count, fragment);
            fragment->began = before > fragment->began ? before : fragment->began;
        }
        last = fragment;
    }
    free(list);
    return CAIRN_OK;
}

/* --- times --- */

size_t cairn_perf_place_part(const struct cairn_perf_place *place, uint64_t time)
{
    const struct cairn_perf_stream *const stream = place->stream;
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

bool cairn_perf_place_is_amid(const struct cairn_perf_place *place, size_t part, uint64_t time)
{
    const struct cairn_perf_stream *const stream = place->stream;

    return part < stream->mark_count && time > stream->marks[part].began &&
           time < stream->marks[part].time;
}

uint64_t cairn_perf_place_begin(const struct cairn_perf_place *place, size_t part)
{
    return part < place->stream->mark_count ? place->before[part] : CAIRN_PERF_OFFSET_END;
}

/* How many pins are of `time` or before it. */
static size_t count_pins(const struct cairn_perf_pins *pins, uint64_t time)
{
    size_t from = 0, until = pins->count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;

        if (pins->list[middle].time <= time)
            from = middle + 1;
        else
            until = middle;
    }
    return from;
}

static uint64_t larger(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

static uint64_t smaller(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

struct cairn_perf_between cairn_perf_place_between(const struct cairn_perf_place *place,
                                                   uint64_t time)
{
    const size_t part = cairn_perf_place_part(place, time);
    struct cairn_perf_between between = {cairn_perf_place_begin(place, part),
                                         cairn_perf_place_begin(place, part)};

    if (part == place->stream->mark_count || time <= place->stream->marks[part].began)
        return between;
    between.until = cairn_perf_place_begin(place, part + 1);
    if (time == place->stream->marks[part].time)
        between.from = between.until;
    const struct cairn_perf_pins *const pins = place->pins ? &place->pins[part] : NULL;
    const size_t before = pins ? count_pins(pins, time) : 0;
    const size_t behind = pins ? count_pins(pins, time - 1) : 0;

    if (before)
        between.from = larger(between.from, pins->list[before - 1].offset);
    if (pins && behind < pins->count)
        between.until = smaller(between.until, pins->list[behind].offset);
    return between;
}

void cairn_perf_place_clear(struct cairn_perf_place *place)
{
    for (size_t i = 0; place->pins && i < place->stream->mark_count; i++)
        free(place->pins[i].list);
    free(place->pins);
    free(place->before);
}
