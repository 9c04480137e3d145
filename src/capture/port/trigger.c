/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the trigger is in what a capture device stored: of recordings the sampler counts, and of samples they are
 * looked through, in the order of the trace. */
#include "base/letters.h"
#include "capture/port/view.h"

#define MOST (UINT64_C(64) << 20) /* bytes of samples: more than any trace buffer has */
#define AT_ONCE ((size_t)4 << 10)

/* A dump of OpenOCD's has the status that was under the trigger, and marks it. */
static bool is_trigger(struct cairn_sample sample)
{
    return sample.flags & CAIRN_SAMPLE_TRIGGER || sample.pipestat == CAIRN_PORT_TR;
}

void cairn_port_say_trigger(struct cairn_capture *capture, const struct cairn_buffer *buffer)
{
    const uint64_t end = buffer->info.bytes - buffer->unwritten - buffer->outside;
    uint8_t samples[AT_ONCE];
    uint64_t size, count = 0, first = 0, left;
    int fd;

    if (cairn_buffer_open(buffer, &fd, &size, NULL) != CAIRN_OK)
        return;
    for (uint64_t at = 0; at < end && at < MOST;) {
        const uint64_t offset = cairn_buffer_place(buffer, at, &left);
        const size_t want = left < AT_ONCE ? (size_t)left : AT_ONCE;
        const int64_t got = cairn_buffer_read(buffer, fd, samples, want, offset);
        if (got < (int64_t)CAIRN_SAMPLE_BYTES)
            break;
        for (size_t i = 0; i + CAIRN_SAMPLE_BYTES <= (size_t)got; i += CAIRN_SAMPLE_BYTES)
            if (is_trigger(cairn_sample_load(samples + i)) && !count++)
                first = at + i;
        at += (uint64_t)got / CAIRN_SAMPLE_BYTES * CAIRN_SAMPLE_BYTES;
    }
    cairn_input_close(fd);
    if (count)
        cairn_capture_say(capture, CAIRN_NOTE,
                          "%s: the port showed %llu trigger%s, the first at offset 0x%llx of its "
                          "bytes.",
                          buffer->info.name, (unsigned long long)count, cairn_plural(count),
                          (unsigned long long)first);
}
