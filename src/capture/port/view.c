/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording as a buffer of bytes: places are kept at even distances, from which any byte is soon
 * reached. Their number is bounded: when there are too many, every other one goes. What is read in order
 * goes on where the last call ended, without reading anything twice. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "capture/port/view.h"

#define PLACES 512u
#define FIRST_STRIDE ((uint64_t)2 << 10) /* bytes of the file */

/* Where reading stands. */
struct port_cursor {
    void *stream; /* NULL: nowhere */
    int fd;
    struct cairn_port_place place;
    uint8_t rest[CAIRN_PORT_EDGE_BYTES]; /* in front of the place, and not given yet */
    size_t rest_size;
};

struct port_view {
    struct cairn_buffer_view call; /* first, so that it leads here */
    const struct cairn_port_recording *recording;
    void *file;
    struct cairn_port_place *places;
    size_t place_count;
    atomic_flag busy; /* a thread uses the cursor; others do without */
    struct port_cursor cursor;
};

int64_t cairn_port_input_read(const struct cairn_port_input *input, void *bytes, size_t size,
                              uint64_t offset)
{
    const uint64_t left = offset < input->size ? input->size - offset : 0;

    if (!input->memory)
        return cairn_input_read(input->fd, bytes, size, offset);
    if (size > left)
        size = (size_t)left;
    if (size)
        memcpy(bytes, input->memory + offset, size);
    return (int64_t)size;
}

/* --- the first time through --- */

struct counting {
    struct cairn_port_place *places;
    size_t count;
    uint64_t stride;
};

static int count_bytes(void *context, const uint8_t *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
    return 0;
}

static int keep_place(void *context, const struct cairn_port_place *place)
{
    struct counting *counting = context;

    if (counting->count &&
        place->offset - counting->places[counting->count - 1].offset < counting->stride)
        return 0;
    if (counting->count == PLACES) {
        counting->count = PLACES / 2;
        for (size_t i = 1; i < counting->count; i++)
            counting->places[i] = counting->places[2 * i];
        counting->stride *= 2;
        if (place->offset - counting->places[counting->count - 1].offset < counting->stride)
            return 0;
    }
    counting->places[counting->count++] = *place;
    return 0;
}

/* --- reading --- */

struct filling {
    uint8_t *bytes;
    size_t size, done;
    uint64_t skip; /* bytes from the place to the first one wanted */
    struct port_cursor *cursor;
};

static int fill(void *context, const uint8_t *bytes, size_t size)
{
    struct filling *filling = context;
    const size_t skipped = filling->skip < size ? (size_t)filling->skip : size;
    const size_t left = size - skipped;
    const size_t count =
        left < filling->size - filling->done ? left : filling->size - filling->done;

    filling->skip -= skipped;
    memcpy(filling->bytes + filling->done, bytes + skipped, count);
    filling->done += count;
    filling->cursor->rest_size = left - count;
    memmove(filling->cursor->rest, bytes + skipped + count, left - count);
    return filling->done == filling->size;
}

/* The last place that is not behind the offset. */
static const struct cairn_port_place *place_at(const struct port_view *view, uint64_t offset)
{
    size_t low = 0, high = view->place_count;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (view->places[middle].sampler.produced <= offset)
            low = middle;
        else
            high = middle;
    }
    return &view->places[low];
}

static void drop_cursor(const struct port_view *view, struct port_cursor *cursor)
{
    if (!cursor->stream)
        return;
    view->recording->close(cursor->stream);
    cairn_input_close(cursor->fd);
    cursor->stream = NULL;
}

/* The offset of what it gives next. */
static uint64_t cursor_offset(const struct port_cursor *cursor)
{
    return cursor->place.sampler.produced - cursor->rest_size;
}

/* Puts it where it reaches the offset soonest. */
static bool set_cursor(const struct port_view *view, struct port_cursor *cursor, int fd,
                       uint64_t offset)
{
    const struct cairn_port_place *place = place_at(view, offset);

    if (cursor->stream && cursor_offset(cursor) <= offset &&
        cursor_offset(cursor) >= place->sampler.produced)
        return true;
    drop_cursor(view, cursor);
    cursor->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* the caller closes its own */
    if (cursor->fd < 0)
        return false;
    cursor->place = *place;
    cursor->rest_size = 0;
    cursor->stream = view->recording->open(view->file, cursor->fd, place);
    if (!cursor->stream)
        cairn_input_close(cursor->fd);
    return cursor->stream != NULL;
}

static int64_t read_on(const struct port_view *view, struct port_cursor *cursor, int fd,
                       struct filling *filling, uint64_t offset)
{
    const struct cairn_port_taker taker = {.bytes = fill, .context = filling};
    uint8_t rest[CAIRN_PORT_EDGE_BYTES];

    filling->cursor = cursor;
    if (!set_cursor(view, cursor, fd, offset))
        return -1;
    filling->skip = offset - cursor_offset(cursor);
    memcpy(rest, cursor->rest, sizeof rest);
    if (!fill(filling, rest, cursor->rest_size) &&
        view->recording->run(cursor->stream, &cursor->place, &taker) != CAIRN_OK) {
        drop_cursor(view, cursor);
        return -1;
    }
    return (int64_t)filling->done;
}

static int64_t read_view(const struct cairn_buffer_view *call, int fd, void *bytes, size_t size,
                         uint64_t offset)
{
    struct port_view *view =
        (struct port_view *)(uintptr_t)call; /* of which all but these is const */
    struct filling filling = {.bytes = bytes, .size = size};
    struct port_cursor own = {.stream = NULL};
    int64_t got;

    if (!size)
        return 0;
    if (atomic_flag_test_and_set_explicit(&view->busy, memory_order_acquire)) {
        got = read_on(view, &own, fd, &filling, offset);
        drop_cursor(view, &own);
        return got;
    }
    got = read_on(view, &view->cursor, fd, &filling, offset);
    atomic_flag_clear_explicit(&view->busy, memory_order_release);
    return got;
}

bool cairn_port_recording_of(const struct cairn_buffer_view *view,
                             const struct cairn_port_recording **recording, const void **file)
{
    const struct port_view *port = (const void *)view;

    if (!view || view->read != read_view)
        return false;
    *recording = port->recording;
    *file = port->file;
    return true;
}

static void close_view(struct cairn_buffer_view *call)
{
    struct port_view *view = (void *)call;

    drop_cursor(view, &view->cursor);
}

static cairn_status go_through(struct port_view *view, struct cairn_capture *capture, int fd,
                               struct counting *counting, struct cairn_port_summary *summary)
{
    struct cairn_port_place place;
    const struct cairn_port_taker taker = {count_bytes, keep_place, counting};

    view->recording->begin(view->file, &place);
    counting->places[counting->count++] = place;
    void *stream = view->recording->open(view->file, fd, &place);
    if (!stream)
        return CAIRN_E_MEMORY;
    const cairn_status status = view->recording->run(stream, &place, &taker);
    view->recording->close(stream);
    if (status)
        return status;
    view->places = cairn_arena_alloc(&capture->arena, counting->count * sizeof *view->places);
    if (!view->places)
        return CAIRN_E_MEMORY;
    memcpy(view->places, counting->places, counting->count * sizeof *view->places);
    view->place_count = counting->count;
    summary->kind = view->recording->layout(view->file)->kind;
    summary->bytes = place.sampler.produced;
    summary->counts = place.sampler.counts;
    summary->rest = place.sampler.bit_count;
    summary->hunting = place.sampler.hunting;
    return CAIRN_OK;
}

cairn_status cairn_port_view(struct cairn_capture *capture, const char *what,
                             const struct cairn_port_recording *recording, const void *file, int fd,
                             struct cairn_buffer_view **view, struct cairn_port_summary *summary,
                             struct cairn_error *error)
{
    struct counting counting = {.stride = FIRST_STRIDE};
    struct port_view *made = cairn_arena_alloc(&capture->arena, sizeof *made);
    void *copy = cairn_arena_alloc(&capture->arena, recording->file_size);
    cairn_status status = CAIRN_E_MEMORY;

    counting.places = malloc(PLACES * sizeof *counting.places);
    if (made && copy && counting.places) {
        memset(made, 0, sizeof *made);
        memcpy(copy, file, recording->file_size);
        made->call.read = read_view;
        made->call.close = close_view;
        made->recording = recording;
        made->file = copy;
        atomic_flag_clear(&made->busy);
        status = go_through(made, capture, fd, &counting, summary);
    }
    free(counting.places);
    if (status == CAIRN_E_IO)
        return cairn_fail(error, status, "%s: cannot be read to its end", what);
    if (status)
        return cairn_fail(error, status, "%s: not enough memory to open it", what);
    cairn_capture_keep_view(capture, &made->call);
    *view = &made->call;
    return CAIRN_OK;
}
