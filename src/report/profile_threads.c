/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile by thread or process: what each executed, on whichever processor. */
#include <stdlib.h>
#include <string.h>

#include "report/json_fields.h"
#include "report/profile_view.h"
#include "report/thread.h"

/* A thread; or a process, of which it is the first thread. */
struct whom {
    bool has_thread,
        has_process; /* what is so called by the capture; else the source's contexts are apart */
    uint64_t thread, process;
    const char *name;   /* or NULL */
    const char *source; /* NULL: several */
    uint32_t vmid, context_id;
    uint64_t threads; /* of a process */
    uint64_t instructions, cycles;
};

struct whoms {
    struct whom *list;
    size_t count;
};

static uint32_t number_of(enum cairn_thread_mark mark, const struct cairn_profile_thread *thread)
{
    return mark == CAIRN_THREAD_VMID ? thread->vmid : thread->context_id;
}

static bool is_of_thread(const struct cairn_profile_view *view,
                         const struct cairn_profile_thread *thread)
{
    struct cairn_source_info info = {.size = sizeof info};

    return !cairn_capture_source(view->capture, view->profile->sources[thread->source].index,
                                 &info) &&
           info.thread_id;
}

bool cairn_profile_lacks_numbers(const struct cairn_profile_view *view)
{
    const struct cairn_profiled *const profile = view->profile;
    const enum cairn_thread_mark mark = cairn_capture_thread_mark(view->capture);
    bool is_any = false;

    for (size_t i = 0; i < profile->thread_count && mark != CAIRN_THREAD_NOT_MARKED; i++) {
        if (is_of_thread(view, &profile->threads[i]))
            continue;
        if (number_of(mark, &profile->threads[i]))
            return false;
        is_any = true;
    }
    return is_any;
}

static struct whom whom_of(const struct cairn_profile_view *view,
                           const struct cairn_profile_thread *thread, bool are_numbered)
{
    const struct cairn_profiled *const profile = view->profile;
    const struct cairn_profile_source *const source = &profile->sources[thread->source];
    const struct cairn_profile_sum *const root = &profile->sums[thread->root];
    const struct cairn_thread found = cairn_thread_of(view->capture, source->index, thread->vmid,
                                                      thread->context_id, are_numbered);

    return (struct whom){
        .has_thread = found.has_thread,
        .has_process = found.has_process,
        .thread = found.thread,
        .process = found.process,
        .name = found.name ? found.name : found.owner,
        .source = source->name,
        .vmid = thread->vmid,
        .context_id = thread->context_id,
        .threads = 1,
        .instructions = root->instructions,
        .cycles = root->cycles,
    };
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* What is one row stands side by side. */
static int by_whom(const void *left, const void *right, void *context)
{
    const struct whom *const a = left, *const b = right;
    const bool by_process = *(const bool *)context;
    int order = compare(!a->has_process, !b->has_process);

    if (!order && a->has_process)
        order = compare(a->process, b->process);
    if (order || (by_process && a->has_process))
        return order;
    order = compare(!a->has_thread, !b->has_thread);
    if (!order && a->has_thread)
        return compare(a->thread, b->thread);
    if (!order)
        order = strcmp(a->source, b->source);
    if (!order)
        order = compare(a->vmid, b->vmid);
    return order ? order : compare(a->context_id, b->context_id);
}

/* Its name is that of its first thread. */
static void add_to(struct whom *whom, const struct whom *more, bool by_process)
{
    if (whom->source && more->source && strcmp(whom->source, more->source) != 0)
        whom->source = NULL;
    whom->threads += by_process && whom->thread != more->thread;
    if (by_process && more->thread == more->process)
        whom->name = more->name;
    whom->thread = more->thread;
    whom->instructions += more->instructions;
    whom->cycles += more->cycles;
}

static int by_thread(const void *left, const void *right)
{
    bool by_process = false;

    return by_whom(left, right, &by_process);
}

static int by_share(const void *left, const void *right, void *context)
{
    const struct whom *const a = left, *const b = right;
    const bool by_cycles = *(const enum cairn_profile_sort *)context == CAIRN_PROFILE_SORT_CYCLES;
    int order = by_cycles ? compare(b->cycles, a->cycles) : 0;

    if (!order)
        order = compare(b->instructions, a->instructions);
    return order ? order : by_thread(left, right);
}

static cairn_status find_whoms(const struct cairn_profile_view *view, struct whoms *whoms)
{
    const struct cairn_profiled *const profile = view->profile;
    bool by_process = view->by == CAIRN_PROFILE_BY_PROCESS;
    enum cairn_profile_sort sort = view->sort;
    struct whom *const list = calloc(profile->thread_count + 1, sizeof *list);
    const bool are_numbered = cairn_capture_thread_mark(view->capture) != CAIRN_THREAD_NOT_MARKED &&
                              !cairn_profile_lacks_numbers(view);
    size_t count = 0, made = 0;

    if (!list)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < profile->thread_count; i++) {
        list[count] = whom_of(view, &profile->threads[i], are_numbered);
        count += list[count].instructions || list[count].cycles;
    }
    qsort(list, count, sizeof *list, by_thread);
    for (size_t i = 0; i < count; i++)
        if (!made || by_whom(&list[made - 1], &list[i], &by_process))
            list[made++] = list[i];
        else
            add_to(&list[made - 1], &list[i], by_process);
    qsort_r(list, made, sizeof *list, by_share, &sort);
    whoms->list = list;
    whoms->count = view->top && made > view->top ? view->top : made;
    return CAIRN_OK;
}

/* --- text --- */

static void print_number(struct cairn_output *output, bool is_known, uint64_t number)
{
    if (is_known)
        cairn_output_format(output, " %9llu", (unsigned long long)number);
    else
        cairn_output_format(output, " %9s", "-");
}

static void print_whom(const struct cairn_profile_view *view, const struct whom *whom)
{
    struct cairn_output *const output = view->output;
    const uint64_t all = view->profile->instructions;

    cairn_output_format(output, "%6.2f%% %14llu",
                        all ? 100.0 * (double)whom->instructions / (double)all : 0.0,
                        (unsigned long long)whom->instructions);
    if (view->profile->has_cycles)
        cairn_output_format(output, " %14llu", (unsigned long long)whom->cycles);
    print_number(output, whom->has_process, whom->process);
    if (view->by == CAIRN_PROFILE_BY_PROCESS)
        cairn_output_format(output, " %9llu", (unsigned long long)whom->threads);
    else
        print_number(output, whom->has_thread, whom->thread);
    cairn_output_text(output, "  ");
    if (whom->name)
        cairn_output_text(output, whom->name);
    else if (whom->has_thread)
        cairn_output_text(output, "-");
    else if (whom->vmid)
        cairn_output_format(output, "%s vmid 0x%x context 0x%x", whom->source, whom->vmid,
                            whom->context_id);
    else
        cairn_output_format(output, "%s context 0x%x", whom->source, whom->context_id);
    cairn_output_line(output);
}

cairn_status cairn_profile_threads_text(const struct cairn_profile_view *view)
{
    struct whoms whoms;
    const cairn_status status = find_whoms(view, &whoms);

    if (status)
        return status;
    cairn_output_format(view->output, "%7s %14s", "share", "self");
    if (view->profile->has_cycles)
        cairn_output_format(view->output, " %14s", "cycles");
    cairn_output_format(view->output, " %9s %9s  name", "process",
                        view->by == CAIRN_PROFILE_BY_PROCESS ? "threads" : "thread");
    cairn_output_line(view->output);
    for (size_t i = 0; i < whoms.count && cairn_output_wanted(view->output); i++)
        print_whom(view, &whoms.list[i]);
    free(whoms.list);
    return CAIRN_OK;
}

/* --- JSON --- */

static void put_id(struct cairn_output *output, const char *key, bool is_known, uint64_t number)
{
    if (is_known)
        cairn_output_format(output, ",\"%s\":%llu", key, (unsigned long long)number);
    else
        cairn_output_format(output, ",\"%s\":null", key);
}

static void put_whom(const struct cairn_profile_view *view, const struct whom *whom)
{
    struct cairn_output *const output = view->output;
    const bool by_process = view->by == CAIRN_PROFILE_BY_PROCESS;

    cairn_output_format(output, "{\"type\":\"%s\"", by_process ? "process" : "thread");
    put_id(output, "process_id", whom->has_process, whom->process);
    if (by_process)
        put_id(output, "threads", true, whom->threads);
    else
        put_id(output, "thread_id", whom->has_thread, whom->thread);
    cairn_json_text(output, "name", whom->name);
    cairn_json_text(output, "source", whom->source);
    if (!by_process)
        cairn_output_format(output, ",\"vmid\":\"0x%x\",\"context_id\":\"0x%x\"", whom->vmid,
                            whom->context_id);
    put_id(output, "instructions", true, whom->instructions);
    if (view->profile->has_cycles)
        put_id(output, "cycles", true, whom->cycles);
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

cairn_status cairn_profile_threads_json(const struct cairn_profile_view *view)
{
    struct whoms whoms;
    const cairn_status status = find_whoms(view, &whoms);

    if (status)
        return status;
    for (size_t i = 0; i < whoms.count && cairn_output_wanted(view->output); i++)
        put_whom(view, &whoms.list[i]);
    free(whoms.list);
    return CAIRN_OK;
}
