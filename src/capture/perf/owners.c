/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose a buffer of trace is, and lists of what records tell of it. */
#include "capture/perf/trace.h"

#include <stdlib.h>

#define ROOM_FIRST 64u

bool cairn_perf_room(struct cairn_perf_trace *trace, void **list, size_t count, size_t *room,
                     size_t size, size_t most)
{
    if (count < *room)
        return true;
    if (count >= most) {
        trace->too_many = true;
        return false;
    }
    const size_t wanted = *room ? 2 * *room : ROOM_FIRST;
    void *grown = realloc(*list, wanted * size);
    if (!grown) {
        trace->no_memory = true;
        return false;
    }
    *list = grown;
    *room = wanted;
    return true;
}

uint32_t cairn_perf_thread_of(const struct cairn_perf_owner *owner)
{
    return owner->cpu == CAIRN_PERF_NOBODY ? owner->thread : 0;
}

int cairn_perf_by_owner(const struct cairn_perf_owner *one, const struct cairn_perf_owner *other)
{
    if (one->cpu != other->cpu)
        return one->cpu < other->cpu ? -1 : 1;
    const uint32_t first = cairn_perf_thread_of(one), second = cairn_perf_thread_of(other);
    return first < second ? -1 : first > second;
}
