/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that the file names, and how the trace tells whose it is. */
#include <stdlib.h>
#include <string.h>

#include "capture/perf/trace.h"

static int compare(uint32_t one, uint32_t other)
{
    return one < other ? -1 : one > other;
}

static int compare_tasks(const void *a, const void *b)
{
    const struct cairn_perf_task *const one = a, *const other = b;
    const int order = compare(one->process, other->process);

    return order ? order : compare(one->thread, other->thread);
}

/* Each once. */
void cairn_perf_sort_tasks(struct cairn_perf_trace *trace)
{
    size_t kept = 0;

    if (trace->task_count)
        qsort(trace->tasks, trace->task_count, sizeof *trace->tasks, compare_tasks);
    for (size_t i = 0; i < trace->task_count; i++)
        if (!kept || compare_tasks(&trace->tasks[kept - 1], &trace->tasks[i]))
            trace->tasks[kept++] = trace->tasks[i];
    trace->task_count = kept;
}

/* TRCCONFIGR: contexts have the number of the thread, in the Context ID or, where the kernel runs at EL2, in the
 * VMID. */
#define TRCCONFIGR_CID (UINT64_C(1) << 6)
#define TRCCONFIGR_VMID (UINT64_C(1) << 7)
#define TRCCONFIGR_VMIDOPT (UINT64_C(1) << 15)
#define ETMCR_CONTEXT_SIZE UINT64_C(0xc000)
#define MISC_EXEC (1u << 13) /* of COMM */

enum cairn_thread_mark cairn_perf_mark_of(const struct cairn_perf_core *core)
{
    const uint64_t config = core->register_count ? core->registers[0].value : 0;
    const uint64_t in_vmid = TRCCONFIGR_VMID | TRCCONFIGR_VMIDOPT;

    if (core->register_count && !strcmp(core->registers[0].name, "ETMCR"))
        return config & ETMCR_CONTEXT_SIZE ? CAIRN_THREAD_CONTEXT_ID : CAIRN_THREAD_NOT_MARKED;
    if ((config & in_vmid) == in_vmid)
        return CAIRN_THREAD_VMID;
    return config & TRCCONFIGR_CID ? CAIRN_THREAD_CONTEXT_ID : CAIRN_THREAD_NOT_MARKED;
}

enum cairn_thread_mark cairn_perf_thread_mark(const struct cairn_perf_trace *trace)
{
    for (size_t i = 0; i < trace->core_count; i++)
        if (cairn_perf_mark_of(&trace->cores[i]))
            return cairn_perf_mark_of(&trace->cores[i]);
    return CAIRN_THREAD_NOT_MARKED;
}

void cairn_perf_take_name(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                          const struct cairn_perf_record *record)
{
    struct cairn_perf_name name = {.thread = cairn_perf_u32(perf, record->bytes + 4)};
    struct cairn_perf_sample_id from = {.time = 0};
    const size_t length = strnlen((const char *)record->bytes + 8, record->size - 8);

    (void)cairn_perf_identify(perf, record, &from);
    name.time = from.time;
    memcpy(name.name, record->bytes + 8, length < sizeof name.name ? length : sizeof name.name);
    if (record->misc & MISC_EXEC) {
        cairn_perf_take_end(trace, cairn_perf_u32(perf, record->bytes), from.time, true);
        if (from.time >= trace->program_time) {
            memcpy(trace->program, name.name, sizeof trace->program);
            trace->program_time = from.time;
        }
    }
    if (cairn_perf_room(trace, (void **)&trace->names, trace->name_count, &trace->name_room,
                        sizeof *trace->names, CAIRN_PERF_MAPS_MOST))
        trace->names[trace->name_count++] = name;
}

const char *cairn_perf_name_of(const struct cairn_perf_trace *trace, uint32_t thread)
{
    const struct cairn_perf_name *last = NULL;

    for (size_t i = 0; i < trace->name_count; i++)
        if (trace->names[i].thread == thread && (!last || trace->names[i].time >= last->time))
            last = &trace->names[i];
    return last ? cairn_arena_format(trace->arena, "%.16s", last->name) : NULL;
}

/* Names by thread; those of one in their order. */
struct thread_name {
    uint32_t thread;
    uint64_t time;
    size_t number;
};

static int compare_names(const void *a, const void *b)
{
    const struct thread_name *const one = a, *const other = b;

    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* The last name of a thread; NULL: nobody says, or memory is short. */
static const char *last_name(struct cairn_capture *capture, const struct cairn_perf_trace *trace,
                             const struct thread_name *names, uint32_t thread)
{
    size_t from = 0, until = trace->name_count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;

        if (names[middle].thread <= thread)
            from = middle + 1;
        else
            until = middle;
    }
    return from && names[from - 1].thread == thread
               ? cairn_arena_format(&capture->arena, "%.16s",
                                    trace->names[names[from - 1].number].name)
               : NULL;
}

/* Which sources have no mark, where others have one. */
static void say_unmarked(struct cairn_capture *capture)
{
    size_t count = 0, first = 0;

    for (size_t i = capture->thread_mark ? capture->source_count : 0; i-- > 0;)
        if (!capture->sources[i].thread_mark && !capture->sources[i].thread_id) {
            first = i;
            count++;
        }
    if (count)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s%s: the trace does not say which thread it is of, as that of other processors does: "
            "--pid, --tid and --comm leave it out, and of several processes none has its code there. "
            "Records of switches (perf record --switch-events) may tell who ran.",
            capture->sources[first].name, count > 1 ? " and others" : "");
}

cairn_status cairn_perf_add_threads(struct cairn_capture *capture,
                                    const struct cairn_perf_trace *trace)
{
    struct thread_name *const names = malloc((trace->name_count + 1) * sizeof *names);
    cairn_status status = CAIRN_OK;

    if (!names)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < trace->name_count; i++)
        names[i] = (struct thread_name){
            .thread = trace->names[i].thread, .time = trace->names[i].time, .number = i};
    if (trace->name_count)
        qsort(names, trace->name_count, sizeof *names, compare_names);
    for (size_t i = 0; i < trace->task_count && status == CAIRN_OK; i++) {
        const struct cairn_perf_task *const task = &trace->tasks[i];

        /* the kernel's mappings are of no process */
        if (task->process == CAIRN_PERF_NOBODY || task->thread == CAIRN_PERF_NOBODY)
            continue;
        status = cairn_capture_add_thread(
            capture,
            &(struct cairn_thread_info){.process_id = task->process,
                                        .thread_id = task->thread,
                                        .name = last_name(capture, trace, names, task->thread)});
    }
    free(names);
    say_unmarked(capture);
    return status == CAIRN_OK ? cairn_perf_add_names(capture, trace) : status;
}
