/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the mapped code is of one process, or of several that have the same: then it is there whoever runs. */
#include <stdlib.h>
#include <string.h>

#include "capture/perf/trace.h"

#define PAIRS_MOST (1u << 22) /* of mappings of two processes */

/* Mappings of a process that differ in their times alone, as one. Whoever makes code has many: each mprotect is one. */
struct mapped {
    const struct cairn_perf_mapping *first;
    uint64_t time; /* if it was inherited the first, or else the last */
    size_t other;  /* the next one of another process */
};

bool cairn_perf_is_of_user(const struct cairn_perf_mapping *mapping)
{
    return mapping->process != UINT32_MAX;
}

bool cairn_perf_has_file(const struct cairn_perf_mapping *mapping)
{
    return cairn_perf_is_of_user(mapping) && mapping->path[0] == '/' &&
           strncmp(mapping->path, "//anon", 6) != 0;
}

bool cairn_perf_is_same(const struct cairn_perf_mapping *one,
                        const struct cairn_perf_mapping *other)
{
    return one->address - one->offset == other->address - other->offset &&
           one->address <= other->address &&
           other->address - one->address + other->size <= one->size &&
           !strcmp(one->path, other->path);
}

/* Of two processes: whether one has something else where the other one has what it was forked with, or has mapped. */
static bool part_ways(const struct mapped *one, const struct mapped *other)
{
    if (one->first->is_inherited && other->first->is_inherited)
        return false;
    if (one->first->is_inherited)
        return part_ways(other, one);
    /* at the fork they had the same */
    return (!other->first->is_inherited || one->time > other->time) &&
           !cairn_perf_is_same(one->first, other->first) &&
           !cairn_perf_is_same(other->first, one->first);
}

static int order_of(uint64_t one, uint64_t other)
{
    return (one > other) - (one < other);
}

/* By address; those of which struct mapped makes one are side by side. */
static int compare_mapped(const void *a, const void *b)
{
    const struct cairn_perf_mapping *const one = ((const struct mapped *)a)->first;
    const struct cairn_perf_mapping *const other = ((const struct mapped *)b)->first;
    int order = order_of(one->address, other->address);

    order = order ? order : order_of(one->process, other->process);
    order = order ? order : order_of(one->is_inherited, other->is_inherited);
    order = order ? order : order_of(one->size, other->size);
    order = order ? order : order_of(one->offset, other->offset);
    return order ? order : strcmp(one->path, other->path);
}

/* Returns how many are left of `count`. */
static size_t merge(struct mapped *list, size_t count)
{
    size_t kept = 0;

    if (count)
        qsort(list, count, sizeof *list, compare_mapped);
    for (size_t i = 0; i < count; i++) {
        struct mapped *const last = kept ? &list[kept - 1] : NULL;

        if (!last || compare_mapped(last, &list[i]))
            list[kept++] = list[i];
        else if (last->first->is_inherited ? list[i].time < last->time : list[i].time > last->time)
            last->time = list[i].time;
    }
    for (size_t i = kept; i-- > 0;)
        list[i].other = i + 1 < kept && list[i + 1].first->process == list[i].first->process
                            ? list[i + 1].other
                            : i + 1;
    return kept;
}

/* The next one behind `k` of another process than `i`. */
static size_t next_other(const struct mapped *list, size_t count, size_t i, size_t k)
{
    k++;
    return k < count && list[k].first->process == list[i].first->process ? list[k].other : k;
}

/* Whether any two part ways: of more pairs than can be looked at it is taken to be so. False as well where memory is short. */
static bool do_part_ways(const struct cairn_perf_trace *trace)
{
    struct mapped *const list = calloc(trace->mapping_count + 1, sizeof *list);
    size_t count = 0, looks = 0;
    bool do_they = false;

    for (size_t i = 0; i < trace->mapping_count && list; i++)
        if (cairn_perf_is_of_user(&trace->mappings[i]))
            list[count++] =
                (struct mapped){.first = &trace->mappings[i], .time = trace->mappings[i].time};
    count = list ? merge(list, count) : 0;
    for (size_t i = 0; i < count && !do_they; i++) {
        const struct cairn_perf_mapping *const first = list[i].first;

        for (size_t k = list[i].other;
             k < count && !do_they && list[k].first->address - first->address < first->size;
             k = next_other(list, count, i, k))
            do_they = part_ways(&list[i], &list[k]) || ++looks > PAIRS_MOST;
    }
    free(list);
    return do_they;
}

bool cairn_perf_has_one_process(const struct cairn_perf_trace *trace)
{
    const struct cairn_perf_mapping *first = NULL;

    for (size_t i = 0; i < trace->mapping_count; i++) {
        const struct cairn_perf_mapping *const mapping = &trace->mappings[i];
        const struct cairn_perf_mapping at_fork = {
            .process = first ? first->process : mapping->process, .time = mapping->time};

        /* what was forked keeps its memory when that of its parent ends */
        if (mapping->is_inherited && cairn_perf_end_of(trace, &at_fork))
            return false;
        if (!cairn_perf_has_file(mapping) || mapping->is_inherited)
            continue;
        if (first && first->process != mapping->process)
            return false;
        first = mapping;
    }
    return trace->is_untimed || !do_part_ways(trace);
}
