/* SPDX-License-Identifier: BSD-2-Clause */
/* Which process and thread a timeline's tracks are of. A thread that runs on several processors has a stack in each source,
 * and these overlap in time: the first one's track has the thread's own number, each further one a number that no thread has. */
#include <stdio.h>

#include "base/room.h"
#include "report/call_timeline.h"
#include "report/thread.h"

/* Linux has no process or thread of this number or a higher one (PID_MAX_LIMIT). */
#define NUMBERS (UINT64_C(1) << 22)

static const struct cairn_call_whose nobody = {.process = 1, .thread = 1};

static bool has_threads(const struct cairn_call_list *list)
{
    struct cairn_thread_info one = {.size = sizeof one};

    return list->capture && !cairn_capture_thread(list->capture, 0, &one);
}

static struct cairn_thread known(const struct cairn_call_list *list, uint32_t thread)
{
    struct cairn_calls_thread one = {.size = sizeof one};

    (void)cairn_calls_thread(list->calls, thread, &one);
    if (one.others)
        return (struct cairn_thread){.has_thread = false};
    return cairn_thread_of(list->capture, list->source_index, one.vmid, one.context_id, false);
}

uint64_t cairn_timeline_source(const struct cairn_call_list *list)
{
    return (has_threads(list) ? NUMBERS : 0) + list->source_number + 1;
}

/* Whether numbers had been taken already; they are now. */
static bool take(struct cairn_call_list *list, uint64_t process, uint64_t thread)
{
    const uint32_t hash = cairn_table_hash(process, thread);
    size_t at = cairn_table_begin(&list->taken_by, hash);
    uint32_t item;

    while ((item = cairn_table_next(&list->taken_by, hash, &at)) != CAIRN_TABLE_NONE)
        if (list->taken[item].process == process && list->taken[item].thread == thread)
            return true;
    /* where memory is short tracks have numbers of their own */
    if (cairn_enlarge(&list->taken, &list->taken_room, list->taken_count + 1,
                      sizeof *list->taken) ||
        cairn_table_add(&list->taken_by, hash, (uint32_t)list->taken_count))
        return true;
    list->taken[list->taken_count++] =
        (struct cairn_call_whose){.process = process, .thread = thread};
    return false;
}

bool cairn_timeline_names(struct cairn_call_list *list, uint32_t thread)
{
    if (!cairn_call_list_names(list, thread) ||
        !cairn_call_list_room(&list->whose, &list->whose_count, thread, sizeof *list->whose))
        return false;

    const struct cairn_thread found = known(list, thread);
    struct cairn_call_whose *const whose = &list->whose[thread];

    whose->is_known = found.has_thread && found.thread < NUMBERS;
    whose->is_process = whose->is_known && found.has_process && found.process < NUMBERS;
    whose->process = whose->is_process ? found.process : cairn_timeline_source(list);
    whose->thread = whose->is_known ? found.thread : NUMBERS;
    if (!has_threads(
            list)) /* one number for each thread of all sources: Perfetto takes those of one process apart by it */
        whose->thread = (uint64_t)(list->source_number + 1) * 100000u + thread;
    else if (!whose->is_known || take(list, whose->process, whose->thread))
        whose->thread = NUMBERS + ++list->spare;
    return true;
}

const struct cairn_call_whose *cairn_timeline_whose(const struct cairn_call_list *list,
                                                    uint32_t thread)
{
    return thread < list->whose_count ? &list->whose[thread] : &nobody;
}

bool cairn_timeline_process(struct cairn_call_list *list, uint32_t thread,
                            char name[CAIRN_CALL_NAME])
{
    const struct cairn_call_whose *const whose = cairn_timeline_whose(list, thread);
    const struct cairn_thread found = known(list, thread);
    const char *const called = found.owner ? found.owner : found.name;

    if (!whose->is_process || take(list, whose->process, UINT64_MAX))
        return false;
    if (called)
        snprintf(name, CAIRN_CALL_NAME, "%.400s", called);
    else
        snprintf(name, CAIRN_CALL_NAME, "process %llu", (unsigned long long)whose->process);
    return true;
}

void cairn_timeline_thread(const struct cairn_call_list *list, uint32_t thread,
                           char name[CAIRN_CALL_NAME])
{
    const struct cairn_call_whose *const whose = cairn_timeline_whose(list, thread);
    const struct cairn_thread found = known(list, thread);
    const char *const called = found.name ? found.name : found.owner;

    if (!whose->is_known)
        cairn_call_list_thread(list, thread, name);
    else if (called)
        snprintf(name, CAIRN_CALL_NAME, "%.200s (%.200s)", called, list->source);
    else
        snprintf(name, CAIRN_CALL_NAME, "thread %llu (%.200s)", (unsigned long long)found.thread,
                 list->source);
}
