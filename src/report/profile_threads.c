/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile by thread or process: what each executed, on whichever processor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/model.h"
#include "report/json_fields.h"
#include "report/profile_view.h"
#include "report/thread.h"

#define NANOSECONDS 1e9 /* of a second */

static uint32_t number_of(enum cairn_thread_mark mark, const struct cairn_profile_thread *thread)
{
    return mark == CAIRN_THREAD_VMID ? thread->vmid : thread->context_id;
}

/* How the source of the thread marks threads; not at all, if it is one thread's itself. */
static enum cairn_thread_mark mark_of(const struct cairn_profile_view *view,
                                      const struct cairn_profile_thread *thread)
{
    struct cairn_source_info info = {.size = sizeof info};

    return cairn_capture_source(view->capture, view->profile->sources[thread->source].index,
                                &info) ||
                   info.thread_id
               ? CAIRN_THREAD_NOT_MARKED
               : info.thread_mark;
}

bool cairn_profile_lacks_numbers(const struct cairn_profile_view *view)
{
    const struct cairn_profiled *const profile = view->profile;
    bool is_any = false;

    for (size_t i = 0; i < profile->thread_count; i++) {
        const enum cairn_thread_mark mark = mark_of(view, &profile->threads[i]);

        if (mark == CAIRN_THREAD_NOT_MARKED)
            continue;
        if (number_of(mark, &profile->threads[i]))
            return false;
        is_any = true;
    }
    return is_any;
}

static struct cairn_profile_whom whom_of(const struct cairn_profile_view *view, size_t index,
                                         bool are_numbered)
{
    const struct cairn_profiled *const profile = view->profile;
    const struct cairn_profile_thread *const thread = &profile->threads[index];
    const struct cairn_profile_source *const source = &profile->sources[thread->source];
    const struct cairn_profile_sum *const root = &profile->sums[thread->root];
    const struct cairn_thread found = cairn_thread_of(view->capture, source->index, thread->vmid,
                                                      thread->context_id, are_numbered);
    const struct cairn_lived *const lived =
        found.has_thread ? cairn_capture_lived(view->capture, found.thread, thread->life) : NULL;

    return (struct cairn_profile_whom){
        .has_thread = found.has_thread,
        .has_process = found.has_process,
        .thread = found.thread,
        .process = found.process,
        .name = lived        ? lived->name
                : found.name ? found.name
                             : found.owner,
        .life = thread->life,
        .has_others = lived != NULL,
        .since = lived ? lived->since : 0,
        .source = source->name,
        .vmid = thread->vmid,
        .context_id = thread->context_id,
        .threads = 1,
        .first = index,
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
    const struct cairn_profile_whom *const a = left, *const b = right;
    const bool by_process = *(const bool *)context;
    int order = compare(!a->has_process, !b->has_process);

    if (!order && a->has_process)
        order = compare(a->process, b->process);
    order = order ? order : compare(a->life, b->life);
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
static void add_to(struct cairn_profile_whom *whom, const struct cairn_profile_whom *more,
                   bool by_process)
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
    const struct cairn_profile_whom *const a = left, *const b = right;
    const bool by_cycles = *(const enum cairn_profile_sort *)context == CAIRN_PROFILE_SORT_CYCLES;
    int order = by_cycles ? compare(b->cycles, a->cycles) : 0;

    if (!order)
        order = compare(b->instructions, a->instructions);
    return order ? order : by_thread(left, right);
}

/* Where in the list what a thread was counted for has gone, as `first` still says which that was. */
static cairn_status find_again(struct cairn_profile_whoms *whoms, size_t threads)
{
    uint32_t *const places = malloc((whoms->count + 1) * sizeof *places);

    if (!places)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < whoms->count; i++)
        places[whoms->of[whoms->list[i].first]] = (uint32_t)i;
    for (size_t i = 0; i < threads; i++)
        if (whoms->of[i] != CAIRN_PROFILE_NOBODY)
            whoms->of[i] = places[whoms->of[i]];
    free(places);
    return CAIRN_OK;
}

cairn_status cairn_profile_whoms(const struct cairn_profile_view *view,
                                 struct cairn_profile_whoms *whoms)
{
    const struct cairn_profiled *const profile = view->profile;
    bool by_process = view->by == CAIRN_PROFILE_BY_PROCESS;
    enum cairn_profile_sort sort = view->sort;
    struct cairn_profile_whom *const list = calloc(profile->thread_count + 1, sizeof *list);
    uint32_t *const of = malloc((profile->thread_count + 1) * sizeof *of);
    const bool are_numbered = cairn_capture_thread_mark(view->capture) != CAIRN_THREAD_NOT_MARKED &&
                              !cairn_profile_lacks_numbers(view);
    size_t count = 0, made = 0;

    *whoms = (struct cairn_profile_whoms){.list = list, .of = of};
    if (!list || !of)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < profile->thread_count; i++) {
        of[i] = CAIRN_PROFILE_NOBODY;
        list[count] = whom_of(view, i, are_numbered);
        count += list[count].instructions || list[count].cycles;
    }
    qsort(list, count, sizeof *list, by_thread);
    for (size_t i = 0; i < count; i++) {
        const size_t thread = list[i].first;

        if (!made || by_whom(&list[made - 1], &list[i], &by_process))
            list[made++] = list[i];
        else
            add_to(&list[made - 1], &list[i], by_process);
        of[thread] = (uint32_t)made - 1;
    }
    qsort_r(list, made, sizeof *list, by_share, &sort);
    whoms->count = made;
    return find_again(whoms, profile->thread_count);
}

void cairn_profile_whoms_free(struct cairn_profile_whoms *whoms)
{
    free(whoms->list);
    free(whoms->of);
    *whoms = (struct cairn_profile_whoms){0};
}

const char *cairn_profile_whom_text(const struct cairn_profile_whom *whom,
                                    char text[CAIRN_PROFILE_NAME])
{
    const struct cairn_thread thread = {
        .has_thread = whom->has_thread,
        .has_process = whom->has_process,
        .thread = whom->thread,
        .process = whom->process,
        .name = whom->name,
    };
    char name[CAIRN_THREAD_TEXT];

    if (whom->has_thread)
        snprintf(text, CAIRN_PROFILE_NAME, "%s", cairn_thread_text(&thread, name));
    else if (whom->vmid)
        snprintf(text, CAIRN_PROFILE_NAME, "%.400s vmid 0x%x context 0x%x", whom->source,
                 whom->vmid, whom->context_id);
    else
        snprintf(text, CAIRN_PROFILE_NAME, "%.400s context 0x%x", whom->source, whom->context_id);
    return text;
}

static size_t shown(const struct cairn_profile_view *view, const struct cairn_profile_whoms *whoms)
{
    return view->top && whoms->count > view->top ? view->top : whoms->count;
}

/* --- text --- */

static void print_number(struct cairn_output *output, bool is_known, uint64_t number)
{
    if (is_known)
        cairn_output_format(output, " %9llu", (unsigned long long)number);
    else
        cairn_output_format(output, " %9s", "-");
}

static void print_whom(const struct cairn_profile_view *view, const struct cairn_profile_whom *whom)
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
    if (whom->has_others && whom->since)
        cairn_output_format(output, " (since %.6f s)", (double)whom->since / NANOSECONDS);
    cairn_output_line(output);
}

cairn_status cairn_profile_threads_text(const struct cairn_profile_view *view)
{
    struct cairn_profile_whoms whoms;
    const cairn_status status = cairn_profile_whoms(view, &whoms);

    if (status) {
        cairn_profile_whoms_free(&whoms);
        return status;
    }
    cairn_output_format(view->output, "%7s %14s", "share", "self");
    if (view->profile->has_cycles)
        cairn_output_format(view->output, " %14s", "cycles");
    cairn_output_format(view->output, " %9s %9s  name", "process",
                        view->by == CAIRN_PROFILE_BY_PROCESS ? "threads" : "thread");
    cairn_output_line(view->output);
    for (size_t i = 0; i < shown(view, &whoms) && cairn_output_wanted(view->output); i++)
        print_whom(view, &whoms.list[i]);
    cairn_profile_whoms_free(&whoms);
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

static void put_whom(const struct cairn_profile_view *view, const struct cairn_profile_whom *whom)
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
    if (whom->has_others)
        put_id(output, "since", true, whom->since);
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
    struct cairn_profile_whoms whoms;
    const cairn_status status = cairn_profile_whoms(view, &whoms);

    if (status) {
        cairn_profile_whoms_free(&whoms);
        return status;
    }
    for (size_t i = 0; i < shown(view, &whoms) && cairn_output_wanted(view->output); i++)
        put_whom(view, &whoms.list[i]);
    cairn_profile_whoms_free(&whoms);
    return CAIRN_OK;
}
