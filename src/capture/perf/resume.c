/* SPDX-License-Identifier: BSD-2-Clause */
/* Where trace was lost, what comes next may begin in the middle of a packet. Of bytes without frames what stands
 * in front of the first alignment synchronisation there is left out. */
#include <stdlib.h>

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
static uint64_t bytes_before(const struct cairn_protocol *protocol, int fd,
                             const struct cairn_span *span, uint8_t *window)
{
    for (uint64_t at = 0; at < span->length; at += WINDOW - OVERLAP) {
        const uint64_t left = span->length - at;
        const int64_t got =
            cairn_input_read(fd, window, left < WINDOW ? (size_t)left : WINDOW, span->offset + at);
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

/* `count` bytes at `from` are left out. */
static void move_marks(struct cairn_perf_stream *stream, uint64_t from, uint64_t count)
{
    for (size_t i = 0; i < stream->mark_count; i++) {
        uint64_t *const bytes = &stream->marks[i].bytes;

        if (*bytes > from)
            *bytes = *bytes - from > count ? *bytes - count : from;
    }
}

cairn_status cairn_perf_resume(struct cairn_perf_stream *stream, enum cairn_protocol_id id, int fd)
{
    const struct cairn_protocol *const protocol = protocol_of(id);
    size_t kept = 0, next = 0;
    uint64_t taken = 0;

    if (!stream->is_raw || !stream->break_count || !protocol || !protocol->find_sync)
        return CAIRN_OK;
    uint8_t *window = malloc(WINDOW);
    if (!window)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < stream->span_count; i++) {
        struct cairn_span span = stream->spans[i];

        if (next < stream->break_count && stream->breaks[next] == i) {
            const uint64_t before = bytes_before(protocol, fd, &span, window);

            stream->left_out += before;
            stream->bytes -= before;
            move_marks(stream, taken, before);
            span.offset += before;
            span.length -= before;
            next++;
        }
        taken += span.length;
        if (span.length)
            stream->spans[kept++] = span;
    }
    stream->span_count = kept;
    free(window);
    return CAIRN_OK;
}
