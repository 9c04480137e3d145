/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of a buffer in the order of the trace, wherever in files or memories they are
 * (arrange.c); and where in the file each of them stands. */
#include <string.h>

#include "base/error.h"
#include "capture/model.h"

cairn_status cairn_buffer_open(const struct cairn_buffer *buffer, int *fd, uint64_t *size,
                               struct cairn_error *error)
{
    if (!buffer->memory && !buffer->part_count) {
        const cairn_status status = cairn_input_open(buffer->info.path, fd, size, error);
        if (buffer->view)
            *size = buffer->info.bytes;
        return status;
    }
    *size = buffer->info.bytes;
    *fd = CAIRN_INPUT_MEMORY;
    return CAIRN_OK;
}

/* The part that has the byte at `offset`, or part_count. */
static size_t part_at(const struct cairn_buffer *buffer, uint64_t offset)
{
    size_t low = 0;
    size_t high = buffer->part_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (buffer->parts[middle].end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A file is open while it is read from: there may be more parts than a process may have open. */
static int64_t read_part(const struct cairn_capture_part *part, void *bytes, size_t size,
                         uint64_t offset)
{
    if (part->memory) {
        memcpy(bytes, part->memory + offset, size);
        return (int64_t)size;
    }
    int fd;
    uint64_t file_size;
    if (cairn_input_open(part->path, &fd, &file_size, NULL) != CAIRN_OK)
        return -1;
    const int64_t got = cairn_input_read(fd, bytes, size, offset);
    cairn_input_close(fd);
    return got;
}

static int64_t read_parts(const struct cairn_buffer *buffer, uint8_t *bytes, size_t size,
                          uint64_t offset)
{
    size_t done = 0;
    for (size_t i = part_at(buffer, offset); done < size && i < buffer->part_count; i++) {
        const struct cairn_capture_part *part = &buffer->parts[i];
        const uint64_t begin = i ? part[-1].end : 0;
        const uint64_t left = part->end - (offset + done);
        const size_t want = left < size - done ? (size_t)left : size - done;
        const int64_t got =
            read_part(part, bytes + done, want, part->offset + (offset + done - begin));
        if (got < 0)
            return -1;
        done += (size_t)got;
        if ((size_t)got < want)
            break;
    }
    return (int64_t)done;
}

int64_t cairn_buffer_read(const struct cairn_buffer *buffer, int fd, void *bytes, size_t size,
                          uint64_t offset)
{
    if (buffer->part_count)
        return read_parts(buffer, bytes, size, offset);
    if (buffer->view)
        return buffer->view->read(buffer->view, fd, bytes, size, offset);
    if (!buffer->memory)
        return cairn_input_read(fd, bytes, size, offset);
    memcpy(bytes, buffer->memory + offset, size);
    return (int64_t)size;
}

size_t cairn_buffer_sample(const struct cairn_capture *capture, size_t buffer, void *bytes,
                           size_t size, uint64_t offset)
{
    const struct cairn_buffer *from = &capture->buffers[buffer];
    const uint64_t left = offset < from->info.bytes ? from->info.bytes - offset : 0;
    int fd;
    uint64_t file_size;
    int64_t got = -1;

    if (!left)
        return 0;
    if (cairn_buffer_open(from, &fd, &file_size, NULL) == CAIRN_OK) {
        got = cairn_buffer_read(from, fd, bytes, left < size ? (size_t)left : size, offset);
        cairn_input_close(fd);
    }
    return got > 0 ? (size_t)got : 0;
}

uint64_t cairn_buffer_place(const struct cairn_buffer *buffer, uint64_t offset, uint64_t *left)
{
    for (size_t i = 0; i < buffer->order_count; i++) {
        const struct cairn_span *part = &buffer->order[i];
        if (offset < part->length) {
            *left = part->length - offset;
            return part->offset + offset;
        }
        offset -= part->length;
    }
    *left = buffer->order_count || offset >= buffer->info.bytes ? 0 : buffer->info.bytes - offset;
    return offset;
}

cairn_status cairn_buffer_set_order(struct cairn_capture *capture, struct cairn_buffer *buffer,
                                    const struct cairn_span *order, size_t count)
{
    struct cairn_span *copy = cairn_arena_alloc(&capture->arena, (count + 1) * sizeof *copy);

    if (!copy)
        return CAIRN_E_MEMORY;
    if (count)
        memcpy(copy, order, count * sizeof *copy);
    buffer->order = copy;
    buffer->order_count = count;
    return CAIRN_OK;
}
