/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads were called, one name after the other. */
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

/* The name ends where the thread's next one begins. */
static bool is_elsewhen(const struct cairn_named *name, const struct cairn_named *next,
                        const struct cairn_perf_parts *parts)
{
    return name->time > parts->last ||
           (next && next->thread_id == name->thread_id && next->time <= parts->first);
}

cairn_status cairn_perf_add_names(struct cairn_capture *capture,
                                  const struct cairn_perf_trace *trace)
{
    struct cairn_named *const names = calloc(trace->name_count + 1, sizeof *names);
    const struct cairn_perf_parts parts = cairn_perf_parts_of(trace);

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
