/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that was forked begins with a copy of its parent's memory, as that was then: what either maps later is its
 * own. */
#include <stdlib.h>

#include "capture/perf/trace.h"

/* Mappings that are looked at for all forks together. */
#define LOOKS_MOST (UINT64_C(1) << 26)
#define MISC_EXEC (1u << 13) /* it has started a program since: its memory is told by itself */

enum { AT_PROCESS = 0, AT_PARENT = 4, AT_THREAD = 8, AT_TIME = 16, FORK_SIZE = 16 };

void cairn_perf_take_fork(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                          const struct cairn_perf_record *record)
{
    struct cairn_perf_sample_id from = {.time = 0};

    if (record->size < FORK_SIZE)
        return;
    struct cairn_perf_fork fork = {.process = cairn_perf_u32(perf, record->bytes + AT_PROCESS),
                                   .parent = cairn_perf_u32(perf, record->bytes + AT_PARENT),
                                   .thread = cairn_perf_u32(perf, record->bytes + AT_THREAD),
                                   .number = trace->fork_count};
    cairn_perf_take_task(trace, fork.process, fork.thread);
    (void)cairn_perf_identify(perf, record, &from);
    fork.time = from.has_time                  ? from.time
                : record->size >= AT_TIME + 8u ? cairn_perf_u64(perf, record->bytes + AT_TIME)
                                               : 0;
    trace->has_forks |= fork.time != 0;
    if (fork.parent == fork.process || (record->misc & MISC_EXEC))
        return;
    if (cairn_perf_room(trace, (void **)&trace->forks, trace->fork_count, &trace->fork_room,
                        sizeof *trace->forks, CAIRN_PERF_MAPS_MOST))
        trace->forks[trace->fork_count++] = fork;
}

static int compare_forks(const void *a, const void *b)
{
    const struct cairn_perf_fork *const one = a, *const other = b;

    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* What a process had before recording began is told of each by itself, if at all. */
static bool has_own(const struct cairn_perf_trace *trace, uint32_t process)
{
    for (size_t i = 0; i < trace->mapping_count; i++)
        if (trace->mappings[i].process == process && !trace->mappings[i].time &&
            !trace->mappings[i].is_inherited)
            return true;
    return false;
}

static void inherit(struct cairn_perf_trace *trace, const struct cairn_perf_fork *fork)
{
    const size_t count = trace->mapping_count;

    for (size_t i = 0; i < count; i++) {
        struct cairn_perf_mapping copy = trace->mappings[i];

        if (copy.process != fork->parent || copy.time > fork->time)
            continue;
        if (!copy.is_inherited)
            copy.origin = copy.number;
        copy.is_inherited = true;
        copy.process = fork->process;
        copy.time = fork->time;
        copy.number = trace->mapping_count;
        if (!cairn_perf_room(trace, (void **)&trace->mappings, trace->mapping_count,
                             &trace->mapping_room, sizeof *trace->mappings, CAIRN_PERF_MAPS_MOST))
            return;
        trace->mappings[trace->mapping_count++] = copy;
    }
}

void cairn_perf_inherit(struct cairn_perf_trace *trace)
{
    uint64_t looks = 0;

    if (trace->fork_count)
        qsort(trace->forks, trace->fork_count, sizeof *trace->forks, compare_forks);
    for (size_t i = 0; i < trace->fork_count; i++) {
        const struct cairn_perf_fork *const fork = &trace->forks[i];

        /* nothing says when: it has all that its parent had at any time */
        if (trace->is_untimed) {
            cairn_perf_take_task(trace, fork->parent, fork->thread);
            continue;
        }
        looks += 2 * (uint64_t)trace->mapping_count;
        trace->too_many |= looks > LOOKS_MOST;
        if (looks <= LOOKS_MOST && (fork->time || !has_own(trace, fork->process)))
            inherit(trace, fork);
    }
}
