/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that several processes had, one after the other: where in the trace that is. */
#include <stdlib.h>

#include "capture/perf/trace.h"

#define BORDERS_MOST 65536u

struct cairn_perf_parts cairn_perf_parts_of(const struct cairn_perf_trace *trace)
{
    struct cairn_perf_parts parts = {.first = UINT64_MAX};

    for (size_t i = 0; i < trace->fragment_count; i++) {
        const uint64_t time = trace->fragments[i].time;

        parts.first = time < parts.first ? time : parts.first;
        parts.last = time > parts.last ? time : parts.last;
    }
    return parts;
}

/* Something that a process did, or that it began. */
struct sign {
    uint32_t process;
    bool is_fork;
    uint64_t time;
};

static int compare_signs(const void *a, const void *b)
{
    const struct sign *const one = a, *const other = b;

    if (one->process != other->process)
        return one->process < other->process ? -1 : 1;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return (int)other->is_fork - (int)one->is_fork;
}

static size_t list_signs(const struct cairn_perf_trace *trace, struct sign *list)
{
    size_t count = 0;

    for (size_t i = 0; i < trace->fork_count; i++)
        list[count++] = (struct sign){
            .process = trace->forks[i].process, .is_fork = true, .time = trace->forks[i].time};
    for (size_t i = 0; i < trace->mapping_count; i++)
        if (!trace->mappings[i].is_inherited)
            list[count++] = (struct sign){.process = trace->mappings[i].process,
                                          .time = trace->mappings[i].time};
    for (size_t i = 0; i < trace->name_count; i++)
        list[count++] =
            (struct sign){.process = trace->names[i].thread, .time = trace->names[i].time};
    qsort(list, count, sizeof *list, compare_signs);
    return count;
}

/* A process has begun that has the number of another one. */
struct again {
    uint32_t process;
    uint64_t time;
};

/* By process and time. Those that have begun in front of all trace, or behind it, are of no matter. */
static size_t list_again(const struct cairn_perf_trace *trace, struct sign *list,
                         struct again *again)
{
    const struct cairn_perf_parts parts = cairn_perf_parts_of(trace);
    const size_t signs = trace->is_untimed || !trace->fork_count ? 0 : list_signs(trace, list);
    size_t count = 0;

    for (size_t i = 1; i < signs; i++)
        if (list[i].is_fork && list[i - 1].process == list[i].process &&
            list[i].time > parts.first && list[i].time <= parts.last)
            again[count++] = (struct again){list[i].process, list[i].time};
    return count;
}

static void say(struct cairn_capture *capture, const char *path, const struct again *again,
                size_t count)
{
    const struct again *first = again;
    size_t processes = 0;

    for (size_t i = 0; i < count; i++) {
        processes += !i || again[i - 1].process != again[i].process;
        first = again[i].time < first->time ? &again[i] : first;
    }
    if (count)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: the number of process %u%s was used again, since %.6f s by another one: the trace tells "
            "processes by their numbers, so that what either executed counts together, under the last "
            "name. `cairn profile --by process` and `--by thread` have each by itself, and --time FROM,TO "
            "chooses by time.",
            path, first->process, processes > 1 ? ", and others," : "", (double)first->time / 1e9);
}

/* --- where that is --- */

static int compare_borders(const void *a, const void *b)
{
    const struct cairn_border *const one = a, *const other = b;

    if (one->thread_id != other->thread_id)
        return one->thread_id < other->thread_id ? -1 : 1;
    if (one->source != other->source)
        return one->source < other->source ? -1 : 1;
    return one->offset < other->offset ? -1 : one->offset > other->offset;
}

/* Of one thread of its process alone, or the one that has its number. */
static bool is_told(const struct cairn_perf_trace *trace, const struct cairn_perf_task *task)
{
    size_t processes = 0;

    for (size_t i = 0; i < trace->task_count && task->thread != task->process; i++)
        processes += trace->tasks[i].thread == task->thread;
    return processes <= 1;
}

/* The last name of a thread in [since, until), while there was trace if it had one then. */
static const char *name_in(const struct cairn_capture *capture, uint64_t thread, uint64_t since,
                           uint64_t until)
{
    const struct cairn_named *last = NULL;

    for (size_t i = cairn_capture_first_name(capture, thread);
         i < capture->name_count && capture->names[i].thread_id == thread; i++)
        if (capture->names[i].time >= since && capture->names[i].time < until &&
            (!last || !capture->names[i].is_elsewhen || last->is_elsewhen))
            last = &capture->names[i];
    return last ? last->name : NULL;
}

static void add_lives(struct cairn_capture *capture, uint64_t thread, const struct again *again,
                      size_t count)
{
    for (size_t i = 0; i <= count; i++) {
        const uint64_t since = i ? again[i - 1].time : 0;
        const uint64_t until = i < count ? again[i].time : UINT64_MAX;

        capture->lives[capture->life_count++] =
            (struct cairn_lived){.thread_id = thread,
                                 .life = (uint32_t)i,
                                 .since = since,
                                 .name = name_in(capture, thread, since, until)};
    }
}

/* In the midst of a part, of which nothing tells where that is, all of it is of the later one. */
static cairn_status add_borders(struct cairn_capture *capture, struct cairn_perf_place *places,
                                size_t place_count, uint64_t thread, const struct again *again,
                                size_t count)
{
    cairn_status status = CAIRN_OK;

    for (size_t n = 0; n < place_count && status == CAIRN_OK; n++) {
        status = cairn_perf_place_count(capture, &places[n]);
        for (size_t i = 0; i < count && status == CAIRN_OK; i++)
            capture->borders[capture->border_count++] = (struct cairn_border){
                .thread_id = thread,
                .source = places[n].source,
                .offset = cairn_perf_place_between(&places[n], again[i].time).from,
            };
    }
    return status;
}

static cairn_status add_all(struct cairn_capture *capture, const struct cairn_perf_trace *trace,
                            struct cairn_perf_place *places, size_t place_count,
                            const struct again *again, size_t count)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0, end = 0; i < count; i = end) {
        while (end < count && again[end].process == again[i].process)
            end++;
        for (size_t n = 0; n < trace->task_count && status == CAIRN_OK; n++) {
            const struct cairn_perf_task *const task = &trace->tasks[n];

            if (task->process != again[i].process || !is_told(trace, task) ||
                capture->border_count + place_count * (end - i) > BORDERS_MOST ||
                capture->life_count + (end - i) >= BORDERS_MOST)
                continue;
            add_lives(capture, task->thread, &again[i], end - i);
            status = add_borders(capture, places, place_count, task->thread, &again[i], end - i);
        }
    }
    return status;
}

static int compare_lives(const void *a, const void *b)
{
    const struct cairn_lived *const one = a, *const other = b;

    if (one->thread_id != other->thread_id)
        return one->thread_id < other->thread_id ? -1 : 1;
    return one->life < other->life ? -1 : one->life > other->life;
}

cairn_status cairn_perf_add_lives(struct cairn_capture *capture, const char *path,
                                  const struct cairn_perf_trace *trace,
                                  struct cairn_perf_place *places, size_t place_count)
{
    struct sign *const list =
        calloc(trace->fork_count + trace->mapping_count + trace->name_count + 1, sizeof *list);
    struct again *const again = calloc(trace->fork_count + 1, sizeof *again);
    const size_t count = list && again ? list_again(trace, list, again) : 0;
    cairn_status status = list && again ? CAIRN_OK : CAIRN_E_MEMORY;

    say(capture, path, again, count);
    if (count) {
        capture->lives = calloc(BORDERS_MOST, sizeof *capture->lives);
        capture->borders = calloc(BORDERS_MOST, sizeof *capture->borders);
        status = capture->lives && capture->borders
                     ? add_all(capture, trace, places, place_count, again, count)
                     : CAIRN_E_MEMORY;
    }
    if (capture->life_count)
        qsort(capture->lives, capture->life_count, sizeof *capture->lives, compare_lives);
    if (capture->border_count)
        qsort(capture->borders, capture->border_count, sizeof *capture->borders, compare_borders);
    free(list);
    free(again);
    return status;
}
