/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that was forked begins with a copy of its parent's memory, as that was then: what either maps later is its
 * own. */
#include <stdlib.h>

#include "base/letters.h"
#include "capture/perf/trace.h"

#define NONE SIZE_MAX
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
    cairn_perf_take_end(trace, fork.process, fork.time, false);
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

/* The mappings of each process, in the order in which they were added. */
struct of_process {
    uint32_t process;
    bool has_own;       /* what it had before recording began is told of it by itself */
    size_t first, last; /* NONE: it has none */
};
struct heirs {
    struct cairn_perf_trace *trace;
    struct of_process *list; /* by process */
    size_t count;
    size_t *next; /* of each mapping that of the same process, or NONE */
    uint64_t looks;
};

static int compare_processes(const void *a, const void *b)
{
    const struct of_process *const one = a, *const other = b;

    return one->process < other->process ? -1 : one->process > other->process;
}

static struct of_process *process_of(const struct heirs *heirs, uint32_t process)
{
    const struct of_process wanted = {.process = process};

    return bsearch(&wanted, heirs->list, heirs->count, sizeof *heirs->list, compare_processes);
}

static void append(const struct heirs *heirs, struct of_process *process, size_t mapping)
{
    heirs->next[mapping] = NONE;
    if (process->first == NONE)
        process->first = mapping;
    else
        heirs->next[process->last] = mapping;
    process->last = mapping;
}

static bool list_processes(struct heirs *heirs)
{
    const struct cairn_perf_trace *const trace = heirs->trace;
    const size_t most = trace->fork_count + trace->mapping_count;
    size_t kept = 0;

    heirs->list = calloc(most, sizeof *heirs->list);
    heirs->next = calloc(CAIRN_PERF_MAPS_MOST, sizeof *heirs->next);
    if (!heirs->list || !heirs->next)
        return false;
    for (size_t i = 0; i < most; i++)
        heirs->list[i] = (struct of_process){
            .process = i < trace->fork_count ? trace->forks[i].process
                                             : trace->mappings[i - trace->fork_count].process,
            .first = NONE,
            .last = NONE};
    qsort(heirs->list, most, sizeof *heirs->list, compare_processes);
    for (size_t i = 0; i < most; i++)
        if (!kept || heirs->list[kept - 1].process != heirs->list[i].process)
            heirs->list[kept++] = heirs->list[i];
    heirs->count = kept;
    for (size_t i = 0; i < trace->mapping_count; i++) {
        struct of_process *const process = process_of(heirs, trace->mappings[i].process);

        process->has_own |= !trace->mappings[i].time;
        append(heirs, process, i);
    }
    return true;
}

/* False: not all of it is. */
static bool inherit(struct heirs *heirs, const struct cairn_perf_fork *fork)
{
    struct cairn_perf_trace *const trace = heirs->trace;
    const struct of_process *const parent = process_of(heirs, fork->parent);
    struct of_process *const child = process_of(heirs, fork->process);

    for (size_t i = parent ? parent->first : NONE; i != NONE; i = heirs->next[i]) {
        struct cairn_perf_mapping copy = trace->mappings[i];

        if (++heirs->looks > LOOKS_MOST)
            return false;
        if (copy.time > fork->time)
            continue;
        if (!copy.is_inherited)
            copy.origin = copy.number;
        copy.is_inherited = true;
        copy.process = fork->process;
        copy.time = fork->time;
        copy.number = trace->mapping_count;
        if (trace->mapping_count == CAIRN_PERF_MAPS_MOST ||
            !cairn_perf_room(trace, (void **)&trace->mappings, trace->mapping_count,
                             &trace->mapping_room, sizeof *trace->mappings, CAIRN_PERF_MAPS_MOST))
            return false;
        trace->mappings[trace->mapping_count] = copy;
        append(heirs, child, trace->mapping_count++);
    }
    return true;
}

void cairn_perf_inherit(struct cairn_perf_trace *trace)
{
    struct heirs heirs = {.trace = trace};

    if (!trace->fork_count)
        return;
    qsort(trace->forks, trace->fork_count, sizeof *trace->forks, compare_forks);
    trace->no_memory |= !list_processes(&heirs);
    for (size_t i = 0; i < trace->fork_count && !trace->no_memory; i++) {
        const struct cairn_perf_fork *const fork = &trace->forks[i];

        /* nothing says when: it has all that its parent had at any time */
        if (trace->is_untimed)
            cairn_perf_take_task(trace, fork->parent, fork->thread);
        else if (fork->time || !process_of(&heirs, fork->process)->has_own)
            trace->forks_left += !inherit(&heirs, fork);
    }
    free(heirs.list);
    free(heirs.next);
}

void cairn_perf_say_forks(struct cairn_capture *capture, const char *path,
                          const struct cairn_perf_trace *trace)
{
    if (trace->forks_left)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: of %zu processes that were forked the memory of %zu is not known, or not all of it, "
            "since together they have more than %u mappings: what these executed of their parents' "
            "code is missing. Record fewer at a time.",
            path, trace->fork_count, trace->forks_left, CAIRN_PERF_MAPS_MOST);
}
