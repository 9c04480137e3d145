/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/thread.h"

#include <stdio.h>

/* Of several that had the number one after the other no process is told, and what a fork took over is the leader's. */
static void find_process(const struct cairn_capture *capture, struct cairn_thread *thread)
{
    struct cairn_thread_info one = {.size = sizeof one};
    size_t found = 0;

    for (size_t i = 0; !cairn_capture_thread(capture, i, &one); i++) {
        if (one.thread_id != thread->thread)
            continue;
        thread->name = one.name ? one.name : thread->name;
        thread->process = one.process_id;
        found++;
        if (one.process_id == one.thread_id) {
            found = 1;
            break;
        }
    }
    thread->has_process = found == 1;
}

static void find_owner(const struct cairn_capture *capture, struct cairn_thread *thread)
{
    struct cairn_thread_info one = {.size = sizeof one};

    for (size_t i = 0; !thread->owner && !cairn_capture_thread(capture, i, &one); i++)
        if (one.thread_id == thread->process && one.process_id == thread->process)
            thread->owner = one.name;
}

struct cairn_thread cairn_thread_of(const struct cairn_capture *capture, size_t source,
                                    uint32_t vmid, uint32_t context_id, bool zero)
{
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_thread thread = {.has_thread = false};

    if (!capture) /* counts have none */
        return thread;
    if (cairn_capture_source(capture, source, &info))
        return thread;
    const enum cairn_thread_mark mark = info.thread_mark;
    if (info.thread_id) {
        thread.thread = info.thread_id;
        thread.name = info.thread_name;
        thread.has_thread = thread.is_source = true;
    } else if (mark != CAIRN_THREAD_NOT_MARKED) {
        thread.thread = mark == CAIRN_THREAD_VMID ? vmid : context_id;
        thread.has_thread = thread.thread || zero;
    }
    if (thread.has_thread)
        find_process(capture, &thread);
    if (thread.has_process)
        find_owner(capture, &thread);
    return thread;
}

const char *cairn_thread_text(const struct cairn_thread *thread, char text[CAIRN_THREAD_TEXT])
{
    const char *name = thread->name ? thread->name : thread->owner;
    const unsigned long long number = thread->thread;

    text[0] = '\0';
    if (!thread->has_thread)
        return text;
    if (thread->is_source &&
        !thread->has_process) { /* its number is of a run, and the source has a name */
        snprintf(text, CAIRN_THREAD_TEXT, "%.40s", name ? name : "");
        return text;
    }
    if (!name)
        name = "thread";
    if (thread->has_process && thread->process != thread->thread)
        snprintf(text, CAIRN_THREAD_TEXT, "%.40s %llu/%llu", name,
                 (unsigned long long)thread->process, number);
    else
        snprintf(text, CAIRN_THREAD_TEXT, "%.40s %llu", name, number);
    return text;
}
