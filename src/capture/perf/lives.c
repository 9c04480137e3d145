/* SPDX-License-Identifier: BSD-2-Clause */
/* When the memory of a process ends: it starts another program (COMM of an exec), or another process has its number
 * (FORK). */
#include <stdlib.h>

#include "capture/perf/trace.h"

void cairn_perf_take_end(struct cairn_perf_trace *trace, uint32_t process, uint64_t time,
                         bool is_exec)
{
    const struct cairn_perf_end_of_memory end = {
        .process = process, .time = time, .is_exec = is_exec};

    /* there is no memory of it from before that */
    if (time && cairn_perf_room(trace, (void **)&trace->ends, trace->end_count, &trace->end_room,
                                sizeof *trace->ends, CAIRN_PERF_MAPS_MOST))
        trace->ends[trace->end_count++] = end;
}

static int compare_ends(const void *a, const void *b)
{
    const struct cairn_perf_end_of_memory *const one = a, *const other = b;

    if (one->process != other->process)
        return one->process < other->process ? -1 : 1;
    return one->time < other->time ? -1 : one->time > other->time;
}

void cairn_perf_sort_ends(struct cairn_perf_trace *trace)
{
    if (trace->end_count)
        qsort(trace->ends, trace->end_count, sizeof *trace->ends, compare_ends);
}

/* How many ends are of processes before it, or of it and not later. */
static size_t count_until(const struct cairn_perf_trace *trace, uint32_t process, uint64_t time)
{
    const struct cairn_perf_end_of_memory wanted = {.process = process, .time = time};
    size_t from = 0, until = trace->end_count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;

        if (compare_ends(&trace->ends[middle], &wanted) <= 0)
            from = middle + 1;
        else
            until = middle;
    }
    return from;
}

const struct cairn_perf_end_of_memory *cairn_perf_last_end(const struct cairn_perf_trace *trace,
                                                           uint32_t process, uint64_t time)
{
    const size_t count = count_until(trace, process, time);

    return count && trace->ends[count - 1].process == process ? &trace->ends[count - 1] : NULL;
}

uint64_t cairn_perf_end_of(const struct cairn_perf_trace *trace,
                           const struct cairn_perf_mapping *mapping)
{
    const size_t from = count_until(trace, mapping->process, mapping->time);

    return !trace->is_untimed && from < trace->end_count &&
                   trace->ends[from].process == mapping->process
               ? trace->ends[from].time
               : 0;
}
