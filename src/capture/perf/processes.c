/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the mapped code is of one process, or of several that have the same: then it is there whoever runs. */
#include <stdlib.h>
#include <string.h>

#include "capture/perf/trace.h"

/* Of a mapping and a run of another process's. */
#define PAIRS_MOST CAIRN_PERF_PAIRS_MOST

/* Mappings of a process that differ in their times alone, as one. Whoever makes code has many: each mprotect is one. */
struct mapped {
    const struct cairn_perf_mapping *first;
    uint64_t time; /* if it was inherited the first, or else the last */
};

/* Those that begin at one address in one process, by fork or not: code that is made grows in its place. */
struct run {
    size_t first, end; /* in the list */
    size_t largest;
    size_t other; /* the next run of another process */
    uint64_t earliest, latest;
    bool is_of_one; /* place in one file: each is a part of the largest */
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
    return kept;
}

static bool is_of_run(const struct mapped *list, const struct run *run, size_t i)
{
    const struct cairn_perf_mapping *const first = list[run->first].first, *const one =
                                                                               list[i].first;

    return first->address == one->address && first->process == one->process &&
           first->is_inherited == one->is_inherited;
}

static size_t make_runs(const struct mapped *list, size_t count, struct run *runs)
{
    size_t made = 0;

    for (size_t i = 0; i < count; i++) {
        struct run *run = made ? &runs[made - 1] : NULL;

        if (!run || !is_of_run(list, run, i)) {
            run = &runs[made++];
            *run = (struct run){.first = i,
                                .largest = i,
                                .earliest = list[i].time,
                                .latest = list[i].time,
                                .is_of_one = true};
        }
        const struct cairn_perf_mapping *const first = list[run->first].first;
        run->end = i + 1;
        run->largest = i; /* the list is by size */
        run->earliest = list[i].time < run->earliest ? list[i].time : run->earliest;
        run->latest = list[i].time > run->latest ? list[i].time : run->latest;
        run->is_of_one &=
            first->offset == list[i].first->offset && !strcmp(first->path, list[i].first->path);
    }
    for (size_t i = made; i-- > 0;)
        runs[i].other = i + 1 < made && list[runs[i + 1].first].first->process ==
                                            list[runs[i].first].first->process
                            ? runs[i + 1].other
                            : i + 1;
    return made;
}

/* Whether it parts ways with any of a run of another process. */
static bool parts_with(const struct mapped *list, const struct mapped *one, const struct run *run,
                       size_t *looks)
{
    const struct mapped *const largest = &list[run->largest];
    const bool is_inherited = largest->first->is_inherited;
    bool do_they = false;

    ++*looks;
    if (one->first->is_inherited ? is_inherited || run->latest <= one->time
                                 : is_inherited && one->time <= run->earliest)
        return false;
    if (run->is_of_one && (cairn_perf_is_same(one->first, largest->first) ||
                           cairn_perf_is_same(largest->first, one->first)))
        return false;
    for (size_t i = run->end; i-- > run->first && !do_they && *looks <= PAIRS_MOST; ++*looks)
        do_they = part_ways(one, &list[i]);
    return do_they;
}

/* Whether any two part ways. Of more pairs than can be looked at it is taken to be so, and *is_unsure. */
static bool do_part_ways(const struct cairn_perf_trace *trace, bool *is_unsure)
{
    struct mapped *const list = calloc(trace->mapping_count + 1, sizeof *list);
    struct run *const runs = calloc(trace->mapping_count + 1, sizeof *runs);
    size_t count = 0, run_count = 0, looks = 0;
    bool do_they = false;

    for (size_t i = 0; i < trace->mapping_count && list && runs; i++)
        if (cairn_perf_is_of_user(&trace->mappings[i]))
            list[count++] =
                (struct mapped){.first = &trace->mappings[i], .time = trace->mappings[i].time};
    if (count) {
        count = merge(list, count);
        run_count = make_runs(list, count, runs);
    }
    for (size_t n = 0; n < run_count; n++)
        for (size_t i = runs[n].first; i < runs[n].end && !do_they && looks <= PAIRS_MOST; i++) {
            const struct cairn_perf_mapping *const first = list[i].first;

            for (size_t k = runs[n].other;
                 k < run_count && !do_they && looks <= PAIRS_MOST &&
                 list[runs[k].first].first->address - first->address < first->size;) {
                do_they = parts_with(list, &list[i], &runs[k], &looks);
                k++;
                if (k < run_count && list[runs[k].first].first->process == first->process)
                    k = runs[k].other;
            }
        }
    *is_unsure = !do_they && looks > PAIRS_MOST;
    free(runs);
    free(list);
    return do_they || *is_unsure;
}

bool cairn_perf_has_one_process(const struct cairn_perf_trace *trace, bool *is_unsure)
{
    const struct cairn_perf_mapping *first = NULL;

    *is_unsure = false;
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
    return trace->is_untimed || !do_part_ways(trace, is_unsure);
}
