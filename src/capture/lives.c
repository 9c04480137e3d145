/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that had the same number one after the other. */
#include "capture/model.h"

const struct cairn_lived *cairn_capture_lived(const struct cairn_capture *capture, uint64_t thread,
                                              uint32_t life)
{
    size_t from = 0, until = capture ? capture->life_count : 0;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;
        const struct cairn_lived *const one = &capture->lives[middle];

        if (one->thread_id == thread && one->life == life)
            return one;
        if (one->thread_id < thread || (one->thread_id == thread && one->life < life))
            from = middle + 1;
        else
            until = middle;
    }
    return NULL;
}

/* How many borders are in front of these numbers. */
static size_t count_before(const struct cairn_capture *capture, uint64_t thread, size_t source,
                           uint64_t offset)
{
    size_t from = 0, until = capture->border_count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;
        const struct cairn_border *const one = &capture->borders[middle];
        const bool is_before = one->thread_id != thread ? one->thread_id < thread
                               : one->source != source  ? one->source < source
                                                        : one->offset < offset;

        if (is_before)
            from = middle + 1;
        else
            until = middle;
    }
    return from;
}

uint32_t cairn_capture_life(const struct cairn_capture *capture, size_t source, uint32_t vmid,
                            uint32_t context_id, uint64_t offset)
{
    if (source >= capture->source_count || !capture->border_count)
        return 0;
    const struct cairn_source_info *const info = &capture->sources[source];
    const uint64_t number = info->thread_mark == CAIRN_THREAD_VMID ? vmid : context_id;
    const uint64_t thread = info->thread_id ? info->thread_id : number;

    return (uint32_t)(count_before(capture, thread, source, offset + 1) -
                      count_before(capture, thread, source, 0));
}
