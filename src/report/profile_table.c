/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a profile's tables, and their text. */
#include "capture/model.h"
#include "report/profile_view.h"
#include "report/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

const char *cairn_profile_name(const struct cairn_profile_view *view, uint32_t function,
                               char text[CAIRN_PROFILE_NAME])
{
    const struct cairn_function *one = &view->profile->functions.list[function];

    if (function == 0)
        return "[unknown]";
    if (one->name)
        return cairn_naming_whole(view->naming, one->name);
    snprintf(text, CAIRN_PROFILE_NAME, "[%.500s]", last_part(one->object));
    return text;
}

const char *cairn_profile_thread_name(const struct cairn_profile_view *view,
                                      const struct cairn_profile_thread *thread,
                                      char text[CAIRN_PROFILE_NAME])
{
    const char *source = view->profile->sources[thread->source].name;
    struct cairn_thread known =
        cairn_thread_of(view->capture, view->profile->sources[thread->source].index, thread->vmid,
                        thread->context_id, false);
    const struct cairn_lived *const lived =
        known.has_thread ? cairn_capture_lived(view->capture, known.thread, thread->life) : NULL;
    char name[CAIRN_THREAD_TEXT];
    size_t same = 0;

    if (lived)
        known.name = lived->name;

    for (size_t i = 0; i < view->profile->thread_count; i++)
        same += view->profile->threads[i].source == thread->source;
    if (*cairn_thread_text(&known, name))
        snprintf(text, CAIRN_PROFILE_NAME, "%s %s", source, name);
    else if (same <= 1)
        snprintf(text, CAIRN_PROFILE_NAME, "%s", source);
    else if (thread->vmid)
        snprintf(text, CAIRN_PROFILE_NAME, "%s vmid 0x%x context 0x%x", source, thread->vmid,
                 thread->context_id);
    else
        snprintf(text, CAIRN_PROFILE_NAME, "%s context 0x%x", source, thread->context_id);
    return text;
}

/* --- rows --- */

struct rows {
    struct cairn_profile_row *list;
    size_t count, capacity;
};

static cairn_status add(struct rows *rows, const struct cairn_profile_row *row)
{
    if (rows->count == rows->capacity) {
        const size_t capacity = rows->capacity ? rows->capacity * 2 : 1024;
        struct cairn_profile_row *grown = realloc(rows->list, capacity * sizeof *grown);

        if (!grown)
            return CAIRN_E_MEMORY;
        rows->list = grown;
        rows->capacity = capacity;
    }
    rows->list[rows->count++] = *row;
    return CAIRN_OK;
}

static cairn_status add_functions(const struct cairn_profiled *profile, struct rows *rows)
{
    cairn_status status = CAIRN_OK;

    for (uint32_t i = 0; i < profile->functions.count && !status; i++) {
        const struct cairn_profile_function *total = &profile->totals[i];
        const struct cairn_profile_row row = {
            .function = i,
            .address = profile->functions.list[i].address,
            .self = total->self,
            .self_cycles = total->self_cycles,
            .total = total->total,
            .total_cycles = total->total_cycles,
            .calls = total->calls,
        };

        if (total->self || (i && (total->total || total->calls)))
            status = add(rows, &row);
    }
    return status;
}

static cairn_status add_insns(const struct cairn_profiled *profile, bool branches,
                              struct rows *rows)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < profile->insn_count && !status; i++) {
        const struct cairn_profile_insn *insn = &profile->insns[i];
        const struct cairn_profile_row row = {
            .function = insn->function,
            .insn = insn,
            .address = insn->address,
            .executed = insn->executed,
            .taken = insn->taken,
            .self = insn->executed,
            .self_cycles = insn->cycles,
        };

        if (!branches || insn->flags & CAIRN_BLOCK_BRANCH)
            status = add(rows, &row);
    }
    return status;
}

static cairn_status add_blocks(const struct cairn_profiled *profile, struct rows *rows)
{
    cairn_status status = CAIRN_OK;

    for (uint32_t i = 1; i < profile->counted.count && !status; i++) {
        const struct cairn_block_count *one = &profile->counted.list[i];
        const struct cairn_profile_row row = {
            .function = one->function,
            .block = one,
            .address = one->block.address,
            .executed = one->executed,
            .taken = one->taken,
            .self = one->executed * one->block.instructions,
            .self_cycles = one->cycles,
        };

        if (one->executed)
            status = add(rows, &row);
    }
    return status;
}

static void find_line(const struct cairn_profiled *profile, struct cairn_profile_row *row)
{
    const struct cairn_place *place = NULL;
    uint64_t address = row->address;

    if (row->insn)
        place = &profile->counted.list[row->insn->block].place;
    else if (row->block)
        place = &row->block->place;
    else if (row->function)
        place = &profile->functions.list[row->function].place;
    if (place && address && !row->file)
        (void)cairn_profile_line(profile, place, address, &row->file, &row->line);
}

static void find_declaration(const struct cairn_profiled *profile, struct cairn_profile_row *row)
{
    if (row->function && row->address)
        (void)cairn_profile_declaration(profile, &profile->functions.list[row->function].place,
                                        row->address, &row->file, &row->line);
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? 1 : a > b ? -1 : 0;
}

static int compare_texts(const char *one, const char *other)
{
    if (!one || !other)
        return (one == NULL) - (other == NULL);
    return strcmp(one, other);
}

/* A line is one of a function, also where several files of object code have a copy of that, as of one that is `static` in a
 * header: these have the same name. */
static int by_line(const void *left, const void *right, void *context)
{
    const struct cairn_function *const functions = context;
    const struct cairn_profile_row *a = left, *b = right;
    const struct cairn_function *one = &functions[a->function], *other = &functions[b->function];
    int order = compare_texts(a->file, b->file);

    if (order)
        return order;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->file && one->name && other->name) {
        order = compare_texts(one->object, other->object);
        return order ? order : strcmp(one->name, other->name);
    }
    return a->function < b->function ? -1 : a->function > b->function;
}

/* Instructions become lines of source; what has none is one line a function. */
static void merge_lines(const struct cairn_profiled *profile, struct rows *rows)
{
    size_t made = 0;

    for (size_t i = 0; i < rows->count; i++)
        find_line(profile, &rows->list[i]);
    if (rows->count)
        qsort_r(rows->list, rows->count, sizeof *rows->list, by_line, profile->functions.list);
    for (size_t i = 0; i < rows->count; i++) {
        struct cairn_profile_row *last = made ? &rows->list[made - 1] : NULL;
        const struct cairn_profile_row *one = &rows->list[i];

        if (!last || by_line(last, one, profile->functions.list) != 0) {
            rows->list[made] = *one;
            rows->list[made].insn = NULL;
            rows->list[made].executed = rows->list[made].taken = 0;
            made++;
            continue;
        }
        last->self += one->self;
        last->self_cycles += one->self_cycles;
        if (one->address < last->address)
            last->address = one->address;
    }
    rows->count = made;
}

static int order_of(const struct cairn_profile_row *a, const struct cairn_profile_row *b,
                    enum cairn_profile_sort sort)
{
    switch (sort) {
    case CAIRN_PROFILE_SORT_TOTAL: return compare(a->total, b->total);
    case CAIRN_PROFILE_SORT_CALLS: return compare(a->calls, b->calls);
    case CAIRN_PROFILE_SORT_CYCLES: return compare(a->self_cycles, b->self_cycles);
    case CAIRN_PROFILE_SORT_ADDRESS: return compare(b->address, a->address);
    case CAIRN_PROFILE_SORT_SELF: break;
    }
    return compare(a->self, b->self);
}

/* Of one address. */
static int by_block(const struct cairn_block_count *a, const struct cairn_block_count *b)
{
    int order = compare(b->block.end, a->block.end);

    order = order ? order : compare(b->block.isa, a->block.isa);
    order = order ? order : compare(b->block.instructions, a->block.instructions);
    order = order ? order : compare(b->executed, a->executed);
    return order ? order : compare(b->taken, a->taken);
}

/* What is equal stands in the order of addresses, so that the same profile is the same text. */
static int by_sort(const void *left, const void *right, void *context)
{
    const struct cairn_profile_row *a = left, *b = right;
    int order = order_of(a, b, *(const enum cairn_profile_sort *)context);

    if (!order)
        order = compare(a->self, b->self);
    if (!order)
        order = compare(b->address, a->address);
    if (!order)
        order = a->line < b->line ? -1 : a->line > b->line;
    if (!order)
        order = a->function < b->function ? -1 : a->function > b->function;
    return !order && a->block && b->block ? by_block(a->block, b->block) : order;
}

cairn_status cairn_profile_rows(const struct cairn_profile_view *view,
                                struct cairn_profile_row **rows, size_t *count)
{
    const struct cairn_profiled *profile = view->profile;
    struct rows made = {0};
    enum cairn_profile_sort sort = view->sort;
    cairn_status status = CAIRN_OK;

    switch (view->by) {
    case CAIRN_PROFILE_BY_FUNCTION: status = add_functions(profile, &made); break;
    case CAIRN_PROFILE_BY_BLOCK: status = add_blocks(profile, &made); break;
    case CAIRN_PROFILE_BY_BRANCH: status = add_insns(profile, true, &made); break;
    case CAIRN_PROFILE_BY_LINE:
    case CAIRN_PROFILE_BY_INSTRUCTION: status = add_insns(profile, false, &made); break;
    case CAIRN_PROFILE_BY_THREAD:
    case CAIRN_PROFILE_BY_PROCESS: break; /* these have rows of their own */
    }
    if (status) {
        free(made.list);
        return status;
    }
    if (view->by == CAIRN_PROFILE_BY_LINE)
        merge_lines(profile, &made);
    if (made.count)
        qsort_r(made.list, made.count, sizeof *made.list, by_sort, &sort);
    if (view->top && made.count > view->top)
        made.count = view->top;
    for (size_t i = 0; i < made.count; i++)
        if (view->by == CAIRN_PROFILE_BY_FUNCTION)
            find_declaration(profile, &made.list[i]);
        else
            find_line(profile, &made.list[i]);
    *rows = made.list;
    *count = made.count;
    return CAIRN_OK;
}

/* --- text --- */

static double share(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0.0;
}

static void print_head(const struct cairn_profile_view *view)
{
    static const char *const things[] = {"function", "line", "block", "branch", "instruction"};
    const struct cairn_profiled *profile = view->profile;
    struct cairn_output *output = view->output;
    const bool cycles = profile->has_cycles;

    cairn_output_format(output, "%7s %14s", "share", "self");
    if (cycles)
        cairn_output_format(output, " %14s", "cycles");
    if (view->by == CAIRN_PROFILE_BY_FUNCTION && profile->has_calls) {
        cairn_output_format(output, " %14s", "total");
        if (cycles)
            cairn_output_format(output, " %14s", "total cycles");
        cairn_output_format(output, " %10s", "calls");
    }
    if (view->by >= CAIRN_PROFILE_BY_BLOCK)
        cairn_output_format(output, " %12s", "times");
    if (view->by == CAIRN_PROFILE_BY_BLOCK || view->by == CAIRN_PROFILE_BY_BRANCH)
        cairn_output_format(output, " %12s", "taken");
    cairn_output_format(output, "  %s", things[view->by]);
    cairn_output_line(output);
}

static void print_row(const struct cairn_profile_view *view, const struct cairn_profile_row *row)
{
    const struct cairn_profiled *profile = view->profile;
    struct cairn_output *output = view->output;
    const bool cycles = profile->has_cycles;
    const struct cairn_function *function =
        row->function ? &profile->functions.list[row->function] : NULL;
    char text[CAIRN_PROFILE_NAME];
    const char *name = cairn_profile_name(view, row->function, text);

    cairn_output_format(output, "%6.2f%% %14llu", share(row->self, profile->instructions),
                        (unsigned long long)row->self);
    if (cycles)
        cairn_output_format(output, " %14llu", (unsigned long long)row->self_cycles);
    if (view->by == CAIRN_PROFILE_BY_FUNCTION && profile->has_calls) {
        cairn_output_format(output, " %14llu", (unsigned long long)row->total);
        if (cycles)
            cairn_output_format(output, " %14llu", (unsigned long long)row->total_cycles);
        cairn_output_format(output, " %10llu", (unsigned long long)row->calls);
    }
    if (view->by >= CAIRN_PROFILE_BY_BLOCK)
        cairn_output_format(output, " %12llu", (unsigned long long)row->executed);
    if (view->by == CAIRN_PROFILE_BY_BLOCK || view->by == CAIRN_PROFILE_BY_BRANCH)
        cairn_output_format(output, " %12llu", (unsigned long long)row->taken);
    cairn_output_text(output, "  ");
    if (view->by == CAIRN_PROFILE_BY_FUNCTION) {
        cairn_output_text(output, name);
    } else if (view->by == CAIRN_PROFILE_BY_LINE) {
        if (row->file) {
            cairn_output_harmless(output, last_part(row->file));
            cairn_output_format(output, ":%u  ", row->line);
        }
        cairn_output_text(output, name);
    } else {
        cairn_output_format(output, "0x%llx  %s", (unsigned long long)row->address, name);
        if (function && function->name)
            cairn_output_format(output, "+0x%llx",
                                (unsigned long long)(row->address - function->address));
    }
    if (row->file && view->by != CAIRN_PROFILE_BY_LINE) {
        cairn_output_text(output, "  ");
        cairn_output_harmless(output, last_part(row->file));
        cairn_output_format(output, ":%u", row->line);
    }
    if (function && function->object && function->name) {
        cairn_output_text(output, "  (");
        cairn_output_harmless(output, last_part(function->object));
        cairn_output_char(output, ')');
    }
    cairn_output_line(output);
}

uint64_t cairn_profile_unattributed(const struct cairn_profiled *profile)
{
    uint64_t told = 0;

    for (size_t i = 0; i < profile->source_count; i++)
        told += profile->sources[i].cycles;
    return told > profile->cycles ? told - profile->cycles : 0;
}

cairn_status cairn_profile_text(const struct cairn_profile_view *view)
{
    const struct cairn_profiled *profile = view->profile;
    struct cairn_profile_row *rows = NULL;
    size_t count = 0;
    const cairn_status status = cairn_profile_rows(view, &rows, &count);

    if (status)
        return status;
    for (size_t i = 0; i < profile->source_count; i++) {
        cairn_output_format(view->output, "%s: %llu instruction%s", profile->sources[i].name,
                            (unsigned long long)profile->sources[i].instructions,
                            cairn_plural(profile->sources[i].instructions));
        if (profile->sources[i].cycles)
            cairn_output_format(view->output, ", %llu cycle%s",
                                (unsigned long long)profile->sources[i].cycles,
                                cairn_plural(profile->sources[i].cycles));
        cairn_output_line(view->output);
    }
    const uint64_t cycles = cairn_profile_unattributed(profile);
    if (cycles) {
        cairn_output_format(view->output, "%llu of these cycles are of no code that is known",
                            (unsigned long long)cycles);
        cairn_output_line(view->output);
    }
    if (view->by < CAIRN_PROFILE_BY_THREAD)
        print_head(view);
    for (size_t i = 0; i < count && cairn_output_wanted(view->output); i++)
        print_row(view, &rows[i]);
    free(rows);
    return view->by < CAIRN_PROFILE_BY_THREAD ? CAIRN_OK : cairn_profile_threads_text(view);
}
