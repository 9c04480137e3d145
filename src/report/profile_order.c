/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile in an order that says nothing of what was executed first, nor of how it was decoded: functions by file and
 * address, threads by source and context, calls inside of one by function and place. */
#include "report/profile.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(uint64_t one, uint64_t other)
{
    return one < other ? -1 : one > other;
}

static int compare_names(const char *one, const char *other)
{
    if (!one || !other)
        return (one != NULL) - (other != NULL);
    return strcmp(one, other);
}

/* --- functions --- */

/* Those without a name last, as all the rest of their file. */
static int by_file(const void *left, const void *right, void *context)
{
    const struct cairn_function *const list = context;
    const struct cairn_function *const one = &list[*(const uint32_t *)left];
    const struct cairn_function *const other = &list[*(const uint32_t *)right];
    int order = compare_names(one->object, other->object);

    order = order ? order : !one->name - !other->name;
    order = order ? order : compare_numbers(one->address, other->address);
    order = order ? order : compare_names(one->name, other->name);
    return order ? order : compare_numbers(*(const uint32_t *)left, *(const uint32_t *)right);
}

static void renumber_functions(struct cairn_profiled *profile, const uint32_t *numbers)
{
    for (uint32_t i = 1; i < profile->counted.count; i++)
        profile->counted.list[i].function = numbers[profile->counted.list[i].function];
    for (uint32_t i = 1; i < profile->node_count; i++)
        profile->nodes[i].function = numbers[profile->nodes[i].function];
    for (size_t i = 0; i < profile->insn_count; i++)
        profile->insns[i].function = numbers[profile->insns[i].function];
    for (size_t i = 0; profile->functions.bits && i < (size_t)1 << profile->functions.bits; i++)
        profile->functions.slots[i] = numbers[profile->functions.slots[i]];
}

static cairn_status order_functions(struct cairn_profiled *profile)
{
    const uint32_t count = profile->functions.count;
    uint32_t left = 0;
    uint32_t *const same = calloc((size_t)count + 1, sizeof *same);
    uint32_t *const order = malloc(((size_t)count + 1) * sizeof *order);
    uint32_t *const numbers = calloc((size_t)count + 1, sizeof *numbers);
    struct cairn_function *const made = malloc(((size_t)count + 1) * sizeof *made);
    struct cairn_profile_function *const totals = malloc(((size_t)count + 1) * sizeof *totals);
    cairn_status status = same && order && numbers && made && totals ? CAIRN_OK : CAIRN_E_MEMORY;

    if (!status)
        status = cairn_profile_merge_functions(profile, same);
    if (!status && count > 1) {
        for (uint32_t i = 0; i < count; i++)
            if (same[i] == i)
                order[left++] = i;
        qsort_r(order + 1, left - 1, sizeof *order, by_file, profile->functions.list);
        for (uint32_t i = 0; i < left; i++) {
            numbers[order[i]] = i;
            made[i] = profile->functions.list[order[i]];
            totals[i] = profile->totals[order[i]];
        }
        for (uint32_t i = 0; i < count; i++)
            numbers[i] = numbers[same[i]];
        memcpy(profile->functions.list, made, left * sizeof *made);
        memcpy(profile->totals, totals, left * sizeof *totals);
        profile->functions.count = left;
        renumber_functions(profile, numbers);
        /* blocks and chains are found by the numbers that functions had */
        cairn_functions_forget(&profile->functions);
        free(profile->counted.slots);
        free(profile->slots);
        profile->counted.slots = profile->slots = NULL;
        profile->counted.bits = profile->bits = 0;
    }
    free(same);
    free(order);
    free(numbers);
    free(made);
    free(totals);
    return status;
}

/* --- calls --- */

struct calls_order {
    const struct cairn_profile_node *nodes;
    const uint32_t *numbers;
};

static int by_call(const void *left, const void *right, void *context)
{
    const struct calls_order *const calls = context;
    const uint32_t first = *(const uint32_t *)left, second = *(const uint32_t *)right;
    const struct cairn_profile_node *const one = &calls->nodes[first];
    const struct cairn_profile_node *const other = &calls->nodes[second];
    int order = compare_numbers(calls->numbers[one->parent], calls->numbers[other->parent]);

    order = order ? order : compare_numbers(one->function, other->function);
    order = order ? order : compare_numbers(one->exception, other->exception);
    order = order ? order : compare_numbers(one->site, other->site);
    return order ? order : compare_numbers(first, second);
}

/* How far in each is; calls come behind those that they are inside of. */
static uint32_t *depths_of(const struct cairn_profiled *profile, uint32_t *most)
{
    uint32_t *const depths = calloc((size_t)profile->node_count + 1, sizeof *depths);

    *most = 0;
    for (uint32_t i = 1; i < profile->node_count && depths; i++) {
        const uint32_t parent = profile->nodes[i].parent;

        depths[i] = parent ? depths[parent] + 1 : 0;
        *most = depths[i] > *most ? depths[i] : *most;
    }
    return depths;
}

static int by_thread(const void *left, const void *right)
{
    const struct cairn_profile_thread *const one = left, *const other = right;
    int order = compare_numbers(one->source, other->source);

    order = order ? order : compare_numbers(one->vmid, other->vmid);
    order = order ? order : compare_numbers(one->context_id, other->context_id);
    return order ? order : compare_numbers(one->root, other->root);
}

/* Fills `order` with the nodes from the outermost on, and `numbers` with where each of them is in it. */
static void sort_nodes(const struct cairn_profiled *profile, const uint32_t *depths,
                       uint32_t *starts, uint32_t levels, uint32_t *order, uint32_t *numbers)
{
    struct calls_order calls = {profile->nodes, numbers};

    for (uint32_t i = 1; i < profile->node_count; i++)
        if (profile->nodes[i].parent)
            starts[depths[i] + 1]++;
    starts[1] = 1 + (uint32_t)profile->thread_count;
    for (uint32_t level = 1; level < levels; level++)
        starts[level + 1] += starts[level];
    for (size_t i = 0; i < profile->thread_count; i++)
        order[1 + i] = profile->threads[i].root;
    for (uint32_t i = 1; i < profile->node_count; i++)
        if (profile->nodes[i].parent)
            order[starts[depths[i]]++] = i;
    for (uint32_t level = 0, first = 1; level < levels; level++) {
        const uint32_t end = level ? starts[level] : 1 + (uint32_t)profile->thread_count;

        if (level && end > first)
            qsort_r(order + first, end - first, sizeof *order, by_call, &calls);
        for (uint32_t i = first; i < end; i++)
            numbers[order[i]] = i;
        first = end;
    }
}

static cairn_status order_calls(struct cairn_profiled *profile)
{
    const size_t count = profile->node_count;
    uint32_t most;
    uint32_t *const depths = depths_of(profile, &most);
    uint32_t *const starts = calloc((size_t)most + 3, sizeof *starts);
    uint32_t *const order = calloc(count + 1, sizeof *order);
    uint32_t *const numbers = calloc(count + 1, sizeof *numbers);
    struct cairn_profile_node *const made = calloc(count + 1, sizeof *made);
    const cairn_status status =
        depths && starts && order && numbers && made ? CAIRN_OK : CAIRN_E_MEMORY;

    if (!status && count > 1) {
        qsort(profile->threads, profile->thread_count, sizeof *profile->threads, by_thread);
        sort_nodes(profile, depths, starts, most + 1, order, numbers);
        for (uint32_t i = 1; i < count; i++) {
            made[i] = profile->nodes[order[i]];
            made[i].parent = numbers[made[i].parent];
        }
        memcpy(profile->nodes, made, count * sizeof *made);
        for (size_t i = 0; i < profile->thread_count; i++)
            profile->threads[i].root = profile->threads[i].node = numbers[profile->threads[i].root];
    }
    free(depths);
    free(starts);
    free(order);
    free(numbers);
    free(made);
    return status;
}

cairn_status cairn_profile_order(struct cairn_profiled *profile)
{
    const cairn_status status = order_functions(profile);

    return status ? status : order_calls(profile);
}
