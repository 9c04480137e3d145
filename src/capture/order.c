/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace unit that writes memory round and round leaves a file that begins in the middle of its
 * trace. The registers say where; readers then give the bytes in the order of the trace, and their
 * runs tell where in the file each of them stands. */
#include <string.h>

#include "base/error.h"
#include "capture/model.h"
#include "capture/trbe/trbe.h"
#include "protocol/about.h"

cairn_status cairn_buffer_open(const struct cairn_buffer *buffer, int *fd, uint64_t *size,
                               struct cairn_error *error)
{
    if (!buffer->memory && !buffer->part_count)
        return cairn_input_open(buffer->info.path, fd, size, error);
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
    if (!buffer->memory)
        return cairn_input_read(fd, bytes, size, offset);
    memcpy(bytes, buffer->memory + offset, size);
    return (int64_t)size;
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

/* By the registers of a trace buffer in memory: what they do not call trace is left out. */
static cairn_status order_by_trbe(struct cairn_capture *capture,
                                  const struct cairn_source_info *info, struct cairn_buffer *buffer,
                                  struct cairn_error *error)
{
    struct cairn_trbe_spans spans;

    if (buffer->info.format != CAIRN_FORMAT_SOURCE_DATA)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: a trace buffer in memory (TRBPTR_EL1 ...) has no frames, but buffer %s "
            "is to have them; give format source_data, or leave its registers out",
            info->name, buffer->info.name);
    if (buffer->order_count)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: TRBPTR_EL1 tells where the oldest byte of buffer %s is, and start= as "
            "well; leave one of them out",
            info->name, buffer->info.name);
    const cairn_status status =
        cairn_trbe_spans_of(capture, info, buffer->info.bytes, &spans, error);
    if (status)
        return status;
    buffer->unwritten = spans.unwritten;
    buffer->outside = spans.outside;
    return cairn_buffer_set_order(capture, buffer, spans.span, spans.count);
}

cairn_status cairn_capture_order(struct cairn_capture *capture, size_t source,
                                 struct cairn_error *error)
{
    const struct cairn_source_info *info = &capture->sources[source];
    struct cairn_buffer *buffer = &capture->buffers[info->buffer];
    struct cairn_config *config;
    struct cairn_error why = {0};
    struct cairn_span order[CAIRN_SPANS_MAX];
    size_t count = 0;
    if (cairn_trbe_is_given(info->registers, info->register_count))
        return order_by_trbe(capture, info, buffer, error);
    if (!cairn_about(info->protocol)->memory)
        return CAIRN_OK;
    if (buffer->info.format != CAIRN_FORMAT_SOURCE_DATA)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: a Micro Trace Buffer's trace is memory without frames, but buffer %s "
            "is to have them; give format source_data, or another protocol",
            info->name, buffer->info.name);
    struct cairn_source_config wanted = CAIRN_SOURCE_CONFIG_INIT;
    wanted.protocol = info->protocol;
    wanted.arch = info->arch;
    wanted.source = (uint32_t)source;
    wanted.registers = info->registers;
    wanted.register_count = info->register_count;
    cairn_status status = cairn_config_new(&wanted, &config, &why);
    if (status != CAIRN_OK)
        return cairn_fail(error, status, "%s: %s", info->name, why.text);
    status = cairn_config_spans(config, buffer->info.bytes, order, &count, &why);
    cairn_config_unref(config);
    if (status == CAIRN_OK)
        return cairn_buffer_set_order(capture, buffer, order, count);
    return cairn_fail(error, status, "%s: %s", info->name, why.text);
}
