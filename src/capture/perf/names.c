/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads were called, one name after the other, and numbers that several processes had. */
#include <stdlib.h>

#include "capture/perf/trace.h"

/* Names by thread, those of one in their order. */
static int compare_names(const void *a, const void *b)
{
    const struct cairn_named *const one = a, *const other = b;

    if (one->thread_id != other->thread_id)
        return one->thread_id < other->thread_id ? -1 : 1;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* When the first and the last of the parts that count were complete. */
struct parts {
    uint64_t first, last;
};

static struct parts parts_of(const struct cairn_perf_trace *trace)
{
    struct parts parts = {.first = UINT64_MAX};

    for (size_t i = 0; i < trace->fragment_count; i++) {
        const uint64_t time = trace->fragments[i].time;

        parts.first = time < parts.first ? time : parts.first;
        parts.last = time > parts.last ? time : parts.last;
    }
    return parts;
}

/* The name ends where the thread's next one begins. */
static bool is_elsewhen(const struct cairn_named *name, const struct cairn_named *next,
                        const struct parts *parts)
{
    return name->time > parts->last ||
           (next && next->thread_id == name->thread_id && next->time <= parts->first);
}

cairn_status cairn_perf_add_names(struct cairn_capture *capture,
                                  const struct cairn_perf_trace *trace)
{
    struct cairn_named *const names = calloc(trace->name_count + 1, sizeof *names);
    const struct parts parts = parts_of(trace);

    if (!names)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < trace->name_count; i++) {
        const char *const name = cairn_arena_format(&capture->arena, "%.16s", trace->names[i].name);

        if (!name) {
            free(names);
            return CAIRN_E_MEMORY;
        }
        names[i] = (struct cairn_named){.thread_id = trace->names[i].thread,
                                        .time = trace->names[i].time,
                                        .name = name,
                                        .number = i};
    }
    if (trace->name_count)
        qsort(names, trace->name_count, sizeof *names, compare_names);
    for (size_t i = 0; i < trace->name_count; i++) {
        const struct cairn_named *const next = i + 1 < trace->name_count ? &names[i + 1] : NULL;

        names[i].is_elsewhen = !trace->is_untimed && is_elsewhen(&names[i], next, &parts);
    }
    capture->names = names;
    capture->name_count = trace->name_count;
    return CAIRN_OK;
}

/* --- numbers --- */

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

cairn_status cairn_perf_say_again(struct cairn_capture *capture, const char *path,
                                  const struct cairn_perf_trace *trace)
{
    struct sign *const list =
        calloc(trace->fork_count + trace->mapping_count + trace->name_count + 1, sizeof *list);
    const struct parts parts = parts_of(trace);
    const struct sign *first = NULL, *last = NULL;
    size_t count = 0;

    if (!list)
        return CAIRN_E_MEMORY;
    const size_t signs = trace->is_untimed || !trace->fork_count ? 0 : list_signs(trace, list);
    for (size_t i = 1; i < signs; i++) {
        if (!list[i].is_fork || list[i - 1].process != list[i].process ||
            list[i].time <= parts.first || list[i].time > parts.last)
            continue;
        count += !last || last->process != list[i].process;
        last = &list[i];
        first = first ? first : last;
    }
    if (count)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: the number of process %u%s was used again, since %.6f s by another one: the trace tells "
            "processes by their numbers, so that what either executed counts together, under the last "
            "name. --time FROM,TO chooses by time.",
            path, first->process, count > 1 ? ", and others," : "", (double)first->time / 1e9);
    free(list);
    return CAIRN_OK;
}
