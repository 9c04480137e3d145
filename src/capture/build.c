/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures that a program puts together by itself: buffers in memory or in any parts of a file. */
#include <string.h>

#include "base/error.h"
#include "base/sizes.h"
#include "capture/detect.h"
#include "capture/model.h"

/* The parts that follow one another in the buffer, and how long they are together. */
static cairn_status take_spans(struct cairn_capture *capture,
                               const struct cairn_buffer_options *given, uint64_t file_size,
                               struct cairn_buffer *buffer, struct cairn_error *error)
{
    buffer->info.bytes = given->span_count ? 0 : file_size;
    for (size_t i = 0; i < given->span_count; i++) {
        const struct cairn_span *span = &given->spans[i];
        if (span->offset > file_size || span->length > file_size - span->offset)
            return cairn_fail(error, CAIRN_E_ARGUMENT,
                              "%s: part %zu ends behind the %llu bytes that there are", given->name,
                              i, (unsigned long long)file_size);
        buffer->info.bytes += span->length;
    }
    if (!given->span_count)
        return CAIRN_OK;
    buffer->order = cairn_arena_alloc(&capture->arena, given->span_count * sizeof *buffer->order);
    if (!buffer->order)
        return CAIRN_E_MEMORY;
    memcpy(buffer->order, given->spans, given->span_count * sizeof *buffer->order);
    buffer->order_count = given->span_count;
    return CAIRN_OK;
}

/* Of places that are the same the first counts, and none is at the beginning, which nothing comes before, or further
 * than the end. */
static cairn_status take_losses(struct cairn_capture *capture,
                                const struct cairn_buffer_options *given,
                                struct cairn_buffer *buffer, struct cairn_error *error)
{
    uint64_t *losses;

    if (!given->loss_count)
        return CAIRN_OK;
    if (!given->losses)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "%s: its losses are not told", given->name);
    losses = cairn_arena_alloc(&capture->arena, given->loss_count * sizeof *losses);
    if (!losses)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < given->loss_count; i++) {
        const uint64_t at = given->losses[i];
        const uint64_t last = buffer->loss_count ? losses[buffer->loss_count - 1] : 0;

        if (i && at < given->losses[i - 1])
            return cairn_fail(error, CAIRN_E_ARGUMENT, "%s: its losses are not in order",
                              given->name);
        if (at > last && at <= buffer->info.bytes)
            losses[buffer->loss_count++] = at;
    }
    buffer->losses = losses;
    return CAIRN_OK;
}

/* The bytes of a part's file. */
static cairn_status file_size_of(const char *path, uint64_t *size, struct cairn_error *error)
{
    int fd;
    const cairn_status status = cairn_input_open(path, &fd, size, error);

    cairn_input_close(status ? -1 : fd);
    return status;
}

static cairn_status check_part(const struct cairn_buffer_options *given, size_t index,
                               struct cairn_error *error)
{
    const struct cairn_buffer_part *part = &given->parts[index];
    uint64_t size = UINT64_MAX;

    if (!part->path == !part->memory || part->length > UINT64_MAX - part->offset)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "%s: part %zu has no path or memory, or both, or does not end",
                          given->name, index);
    const cairn_status status = part->path ? file_size_of(part->path, &size, error) : CAIRN_OK;
    if (!status && part->offset + part->length > size)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "%s: part %zu ends behind the %llu bytes of %s",
                          given->name, index, (unsigned long long)size, part->path);
    return status;
}

/* Parts of several files and memories. */
static cairn_status take_parts(struct cairn_capture *capture,
                               const struct cairn_buffer_options *given,
                               struct cairn_buffer *buffer, struct cairn_error *error)
{
    buffer->parts = cairn_arena_alloc(&capture->arena, given->part_count * sizeof *buffer->parts);
    if (!buffer->parts)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < given->part_count; i++) {
        const struct cairn_buffer_part *part = &given->parts[i];
        const cairn_status status = check_part(given, i, error);
        if (status)
            return status;
        if (part->length > UINT64_MAX - buffer->info.bytes)
            return cairn_fail(error, CAIRN_E_ARGUMENT, "%s: its parts are too long", given->name);
        buffer->info.bytes += part->length;
        buffer->parts[i] = (struct cairn_capture_part){
            .memory = part->memory, .offset = part->offset, .end = buffer->info.bytes};
        if (part->path)
            buffer->parts[i].path = cairn_arena_text(&capture->arena, part->path);
        if (part->path && !buffer->parts[i].path)
            return CAIRN_E_MEMORY;
    }
    buffer->part_count = given->part_count;
    return CAIRN_OK;
}

/* Whether it is told once where the bytes are. */
static bool is_told(const struct cairn_buffer_options *given)
{
    if (given->part_count)
        return given->parts && !given->path && !given->memory && !given->span_count;
    return !given->path != !given->memory && (!given->span_count || given->spans);
}

static const char *path_of(const struct cairn_buffer_options *given)
{
    if (given->path)
        return given->path;
    return given->part_count ? "(parts)" : "(memory)";
}

cairn_status cairn_capture_put_buffer(struct cairn_capture *capture,
                                      const struct cairn_buffer_options *options, size_t *index,
                                      struct cairn_error *error)
{
    struct cairn_buffer_options given = {.size = sizeof given};
    struct cairn_buffer buffer = {0};
    uint64_t size;

    if (!options || cairn_options_read(&given, sizeof given, options) != CAIRN_OK || !given.name ||
        !is_told(&given))
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "a buffer has a name, a path, memory or parts and no two of them, and "
                          "begins with its size");
    size = given.memory_size;
    if (given.path) {
        const cairn_status opened = file_size_of(given.path, &size, error);
        if (opened)
            return opened;
    }
    buffer.memory = given.memory;
    buffer.info.format = given.format;
    buffer.info.name = cairn_arena_text(&capture->arena, given.name);
    buffer.info.path = cairn_arena_text(&capture->arena, path_of(&given));
    cairn_status status = buffer.info.name && buffer.info.path ? CAIRN_OK : CAIRN_E_MEMORY;
    if (!status && given.part_count)
        status = take_parts(capture, &given, &buffer, error);
    else if (!status)
        status = take_spans(capture, &given, size, &buffer, error);
    if (!status)
        status = take_losses(capture, &given, &buffer, error);
    if (status)
        return status;
    cairn_buffer_inspect(capture, &buffer);
    status = cairn_capture_add_buffer(capture, &buffer);
    if (!status && index)
        *index = capture->buffer_count - 1;
    return status;
}

static cairn_status copy_text(struct cairn_capture *capture, const char **text)
{
    if (!*text)
        return CAIRN_OK;
    *text = cairn_arena_text(&capture->arena, *text);
    return *text ? CAIRN_OK : CAIRN_E_MEMORY;
}

cairn_status cairn_capture_put_source(struct cairn_capture *capture,
                                      const struct cairn_source_options *options, size_t *index,
                                      struct cairn_error *error)
{
    struct cairn_source_options given = CAIRN_SOURCE_OPTIONS_INIT;

    if (!options || cairn_options_read(&given, sizeof given, options) != CAIRN_OK || !given.name ||
        given.buffer >= capture->buffer_count || (given.register_count && !given.registers))
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "a source has a name and one of the capture's buffers, and begins with "
                          "its size");
    struct cairn_source_info info = {
        .name = given.name,
        .core_type = given.core,
        .protocol = given.protocol,
        .trace_id = given.trace_id,
        .buffer = given.buffer,
    };
    cairn_status status = copy_text(capture, &info.name);
    if (!status)
        status = copy_text(capture, &info.core_type);
    if (!status)
        status = cairn_source_override(capture, &info, given.registers, given.register_count);
    if (status)
        return status;
    info.arch = cairn_capture_arch(capture, info.name, info.core_type, info.protocol);
    status = cairn_capture_add_source(capture, &info);
    if (!status && !capture->buffers[info.buffer].order_count)
        status = cairn_capture_order(capture, capture->source_count - 1, error);
    if (!status && index)
        *index = capture->source_count - 1;
    return status;
}
