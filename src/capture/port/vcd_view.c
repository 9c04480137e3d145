/* SPDX-License-Identifier: BSD-2-Clause */
/* A value change dump as a buffer of bytes: places are kept at even distances, from which any byte
 * is soon reached. Their number is bounded: when there are too many, every other one goes. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "capture/port/view.h"

#define PLACES 512u
#define FIRST_STRIDE ((uint64_t)2 << 10) /* bytes of the file */

struct view {
    struct cairn_buffer_view call; /* first, so that it leads here */
    struct cairn_vcd_file file;
    struct cairn_vcd_place *places;
    size_t place_count;
};

/* --- the first time through --- */

struct counting {
    struct cairn_vcd_place *places;
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

static int keep_place(void *context, const struct cairn_vcd_place *place)
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
};

static int fill(void *context, const uint8_t *bytes, size_t size)
{
    struct filling *filling = context;
    const size_t skipped = filling->skip < size ? (size_t)filling->skip : size;
    size_t count = size - skipped;

    filling->skip -= skipped;
    if (count > filling->size - filling->done)
        count = filling->size - filling->done;
    memcpy(filling->bytes + filling->done, bytes + skipped, count);
    filling->done += count;
    return filling->done == filling->size;
}

/* The last place that is not behind the offset. */
static const struct cairn_vcd_place *place_at(const struct view *view, uint64_t offset)
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

static int64_t read_view(const struct cairn_buffer_view *call, int fd, void *bytes, size_t size,
                         uint64_t offset)
{
    const struct view *view = (const struct view *)call;
    struct cairn_vcd_file file = view->file;
    struct cairn_vcd_place place = *place_at(view, offset);
    struct filling filling = {
        .bytes = bytes, .size = size, .skip = offset - place.sampler.produced};
    const struct cairn_vcd_taker taker = {.bytes = fill, .context = &filling};

    if (!size)
        return 0;
    file.input.fd = fd;
    place.sampler.layout = &file.layout;
    return cairn_vcd_run(&file, &place, &taker) == CAIRN_OK ? (int64_t)filling.done : -1;
}

static cairn_status go_through(struct view *view, struct cairn_capture *capture,
                               struct counting *counting, struct cairn_port_summary *summary)
{
    struct cairn_vcd_place place;
    const struct cairn_vcd_taker taker = {count_bytes, keep_place, counting};

    cairn_vcd_begin(&view->file, &place);
    counting->places[counting->count++] = place;
    const cairn_status status = cairn_vcd_run(&view->file, &place, &taker);
    if (status)
        return status;
    view->places = cairn_arena_alloc(&capture->arena, counting->count * sizeof *view->places);
    if (!view->places)
        return CAIRN_E_MEMORY;
    memcpy(view->places, counting->places, counting->count * sizeof *view->places);
    view->place_count = counting->count;
    summary->kind = view->file.layout.kind;
    summary->bytes = place.sampler.produced;
    summary->counts = place.sampler.counts;
    summary->rest = place.sampler.bit_count;
    summary->hunting = place.sampler.hunting;
    return CAIRN_OK;
}

cairn_status cairn_vcd_view(struct cairn_capture *capture, const char *what,
                            const struct cairn_vcd_file *file,
                            const struct cairn_buffer_view **view,
                            struct cairn_port_summary *summary, struct cairn_error *error)
{
    struct counting counting = {.stride = FIRST_STRIDE};
    struct view *made = cairn_arena_alloc(&capture->arena, sizeof *made);
    cairn_status status = CAIRN_E_MEMORY;

    counting.places = malloc(PLACES * sizeof *counting.places);
    if (made && counting.places) {
        made->call.read = read_view;
        made->file = *file;
        status = go_through(made, capture, &counting, summary);
    }
    free(counting.places);
    if (status == CAIRN_E_IO)
        return cairn_fail(error, status, "%s: cannot be read to its end", what);
    if (status)
        return cairn_fail(error, status, "%s: not enough memory to open it", what);
    *view = &made->call;
    return CAIRN_OK;
}
