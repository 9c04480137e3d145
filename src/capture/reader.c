/* SPDX-License-Identifier: BSD-2-Clause */
/* One source's bytes in order: a window of the file is read, and, of buffers with frames, the
 * source's bytes in it are copied out. Memory does not grow with the buffer. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/model.h"

#define WINDOW ((size_t)256 << 10)
/* Of buffers with frames: as much data as one call may give, and its runs (one a frame at best). */
#define CHUNK ((size_t)64 << 10)
#define CHUNK_RUNS (CHUNK / 8)

struct cairn_reader {
    int fd; /* -1: the file is missing; the source is empty */
    bool framed;
    uint64_t end;    /* bytes of the file to read */
    uint64_t loaded; /* bytes of the file read, in the order of the trace */
    uint64_t skip;   /* chunks begin at this source offset at the earliest */
    size_t loss;     /* the next of the buffer's losses */
    bool lost;       /* the chunk begins behind one */
    struct cairn_buffer buffer;
    size_t index; /* of the buffer */
    struct cairn_measures *measures;
    uint8_t *window;
    size_t window_size, window_used;
    struct cairn_frames frames;
    struct cairn_frames_out out;
    struct cairn_run run; /* source_data: the only one */
};

static cairn_status no_memory(struct cairn_reader *reader, const char *name,
                              struct cairn_error *error)
{
    cairn_reader_free(reader);
    return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to read it", name);
}

cairn_status cairn_reader_new(const struct cairn_capture *capture, size_t source,
                              struct cairn_reader **reader, struct cairn_error *error)
{
    if (source >= capture->source_count)
        return cairn_fail(error, CAIRN_E_NOT_FOUND,
                          "source %zu does not exist; the capture has %zu (count from 0)", source,
                          capture->source_count);
    const struct cairn_source_info *info = &capture->sources[source];
    const struct cairn_buffer *buffer = &capture->buffers[info->buffer];
    struct cairn_reader *made = calloc(1, sizeof *made);
    if (!made)
        return no_memory(made, info->name, error);
    made->fd = -1;
    made->buffer = *buffer;
    made->index = info->buffer;
    made->measures = capture->measures;
    made->end = buffer->info.bytes - buffer->unwritten - buffer->outside;
    made->framed = buffer->info.format != CAIRN_FORMAT_SOURCE_DATA;
    made->window = malloc(WINDOW);
    if (!made->window)
        return no_memory(made, info->name, error);
    if (made->framed) {
        cairn_frames_init(&made->frames, buffer->layout);
        made->out.id = (uint8_t)(info->trace_id < 0 ? 0 : info->trace_id);
        made->out.byte_capacity = CHUNK;
        made->out.run_capacity = CHUNK_RUNS;
        made->out.bytes = malloc(CHUNK);
        made->out.runs = malloc(CHUNK_RUNS * sizeof *made->out.runs);
        if (!made->out.bytes || !made->out.runs)
            return no_memory(made, info->name, error);
        if (!cairn_trace_id_is_source(made->out.id))
            made->end = 0; /* no ID: nothing is known to be this source's */
    }
    if (made->end) {
        uint64_t size;
        const cairn_status status = cairn_buffer_open(buffer, &made->fd, &size, error);
        if (status) {
            cairn_reader_free(made);
            return status;
        }
    }
    *reader = made;
    return CAIRN_OK;
}

void cairn_reader_free(struct cairn_reader *reader)
{
    if (!reader)
        return;
    cairn_input_close(reader->fd);
    free(reader->window);
    free(reader->out.bytes);
    free(reader->out.runs);
    free(reader);
}

/* Loads the start of a part of the file; window_size 0 when there is none. */
static cairn_status load(struct cairn_reader *reader, struct cairn_span part)
{
    const size_t want = part.length < WINDOW ? (size_t)part.length : WINDOW;
    reader->window_used = 0;
    reader->window_size = 0;
    if (!want)
        return CAIRN_OK;
    const int64_t got =
        cairn_buffer_read(&reader->buffer, reader->fd, reader->window, want, part.offset);
    if (got <= 0)
        return CAIRN_E_IO; /* cannot be read, or has become shorter than it was */
    reader->window_size = (size_t)got;
    reader->loaded += (uint64_t)got;
    while (reader->loss < reader->buffer.loss_count &&
           reader->buffer.losses[reader->loss] < reader->loaded)
        reader->loss++;
    return CAIRN_OK;
}

/* What comes next, as far as it stands together in the file and nothing was lost in it. */
static struct cairn_span next_part(struct cairn_reader *reader)
{
    const struct cairn_buffer *const buffer = &reader->buffer;
    struct cairn_span part = {.length = 0};

    const bool lost =
        reader->loss < buffer->loss_count && buffer->losses[reader->loss] == reader->loaded;

    reader->lost |= lost;
    if (reader->loaded >= reader->end) {
        reader->loss += lost; /* behind all, it is told once */
        return part;
    }
    part.offset = cairn_buffer_place(buffer, reader->loaded, &part.length);
    const size_t next = reader->loss + lost;
    if (next < buffer->loss_count && buffer->losses[next] - reader->loaded < part.length)
        part.length = buffer->losses[next] - reader->loaded;
    return part;
}

/* The first loss from where the reader stands on. */
static void find_loss(struct cairn_reader *reader)
{
    const struct cairn_buffer *const buffer = &reader->buffer;
    size_t low = 0, high = buffer->loss_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (buffer->losses[middle] < reader->loaded)
            low = middle + 1;
        else
            high = middle;
    }
    reader->loss = low;
    reader->lost = false;
}

static cairn_status next_plain(struct cairn_reader *reader, struct cairn_chunk *chunk)
{
    const uint64_t offset = reader->loaded;

    reader->lost = false;
    const struct cairn_span part = next_part(reader);
    const cairn_status status = load(reader, part);
    if (status != CAIRN_OK)
        return status;
    reader->window_used = reader->window_size;
    reader->run = (struct cairn_run){
        .offset = offset, .file_offset = part.offset, .length = reader->window_size};
    *chunk = (struct cairn_chunk){.data = reader->window,
                                  .size = reader->window_size,
                                  .offset = offset,
                                  .runs = &reader->run,
                                  .run_count = reader->window_size ? 1 : 0};
    return CAIRN_OK;
}

/* Full, or at a window's end with something in it: a first chunk should not wait for the last byte.
 */
static cairn_status next_framed(struct cairn_reader *reader, struct cairn_chunk *chunk)
{
    struct cairn_frames_out *out = &reader->out;
    const uint64_t offset = out->offset;
    out->byte_count = 0;
    out->run_count = 0;
    reader->lost = false;
    for (;;) {
        const size_t left = reader->window_size - reader->window_used;
        const size_t taken =
            cairn_frames_run(&reader->frames, reader->window + reader->window_used, left, out);
        reader->window_used += taken;
        if (taken < left || out->byte_count)
            break;
        const cairn_status status = load(reader, next_part(reader));
        if (status != CAIRN_OK)
            return status;
        if (!reader->window_size)
            break;
    }
    for (size_t i = 0; reader->buffer.order_count && i < out->run_count; i++) {
        uint64_t left; /* of no matter: a frame stands together */
        out->runs[i].file_offset =
            cairn_buffer_place(&reader->buffer, out->runs[i].file_offset, &left);
    }
    *chunk = (struct cairn_chunk){.data = out->bytes,
                                  .size = out->byte_count,
                                  .offset = offset,
                                  .runs = out->runs,
                                  .run_count = out->run_count};
    return CAIRN_OK;
}

/* Takes what is in front of the place sought off a chunk that goes beyond it. */
static void trim(struct cairn_reader *reader, struct cairn_chunk *chunk)
{
    const size_t cut = (size_t)(reader->skip - chunk->offset);
    struct cairn_run *run = reader->out.runs; /* plain bytes are sought where they are */

    while (chunk->run_count && run->offset + run->length <= reader->skip) {
        run++;
        chunk->run_count--;
    }
    if (chunk->run_count && run->offset < reader->skip) {
        const uint64_t within = reader->skip - run->offset;
        run->offset += within;
        run->file_offset += within;
        run->length -= within;
    }
    reader->lost = false;
    chunk->runs = run;
    chunk->data += cut;
    chunk->size -= cut;
    chunk->offset += cut;
}

cairn_status cairn_reader_next(struct cairn_reader *reader, struct cairn_chunk *chunk)
{
    cairn_status status;

    if (!reader->framed)
        return next_plain(reader, chunk);
    do
        status = next_framed(reader, chunk);
    while (!status && chunk->size && chunk->offset + chunk->size <= reader->skip);
    if (!status && chunk->size && chunk->offset < reader->skip)
        trim(reader, chunk);
    reader->lost &= chunk->offset > 0;
    return status;
}

cairn_status cairn_reader_seek(struct cairn_reader *reader, uint64_t offset)
{
    const struct cairn_measure_watch nobody = {NULL, NULL};
    struct cairn_measure_place place;

    reader->window_size = 0;
    reader->window_used = 0;
    if (!reader->framed) {
        reader->loaded = offset < reader->end ? offset : reader->end;
        find_loss(reader);
        return CAIRN_OK;
    }
    if (!reader->end)
        return CAIRN_OK;
    const cairn_status status = cairn_measure_find(reader->measures, reader->index, &reader->buffer,
                                                   reader->out.id, offset, &nobody, &place);
    if (status)
        return status;
    reader->loaded = place.taken;
    reader->frames = place.frames;
    reader->out.offset = place.frames.account.data[reader->out.id];
    reader->skip = offset;
    find_loss(reader);
    return CAIRN_OK;
}

bool cairn_reader_lost(const struct cairn_reader *reader)
{
    return reader->lost;
}

cairn_status cairn_reader_size(struct cairn_reader *reader,
                               int (*progress)(void *context, uint64_t done, uint64_t total),
                               void *context, uint64_t *size)
{
    const struct cairn_measure_watch watch = {progress, context};

    if (!reader->framed || !reader->end) {
        *size = reader->end;
        return CAIRN_OK;
    }
    return cairn_measure_size(reader->measures, reader->index, &reader->buffer, reader->out.id,
                              &watch, size);
}

uint64_t cairn_reader_file_position(const struct cairn_reader *reader)
{
    return reader->loaded - (reader->window_size - reader->window_used);
}
