/* SPDX-License-Identifier: BSD-2-Clause */
/* Two runs: what is kept of them, and which of their threads are compared with which. */
#include <stdlib.h>
#include <string.h>

#include "report/diff_window.h"

cairn_status cairn_diff_begin(struct cairn_diff *diff)
{
    if (cairn_grow((void **)&diff->blocks, 0, &diff->block_room, sizeof *diff->blocks) ||
        cairn_grow((void **)&diff->chains, 0, &diff->chain_room, sizeof *diff->chains) ||
        cairn_grow((void **)&diff->objects, 0, &diff->object_room, sizeof *diff->objects))
        return CAIRN_E_MEMORY;
    diff->blocks[diff->block_count++] = (struct cairn_diff_block){0};
    diff->chains[diff->chain_count++] = (struct cairn_diff_chain){0};
    diff->objects[diff->object_count++] = (struct cairn_diff_object){.twin = CAIRN_DIFF_NONE};
    return cairn_diff_new_unpacked(diff);
}

static void free_run(struct cairn_diff_run *run)
{
    for (size_t i = 0; i < run->thread_count; i++) {
        cairn_diff_free_pages(&run->threads[i].tokens);
        cairn_diff_free_pages(&run->threads[i].marks);
    }
    for (size_t i = 0; i < run->source_count; i++)
        cairn_config_unref(run->sources[i].config);
    free(run->threads);
    free(run->sources);
    cairn_space_free(run->space);
    cairn_image_unref(run->image);
}

void cairn_diff_free(struct cairn_diff *diff)
{
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
        free_run(&diff->runs[side]);
        free(diff->unpacked[side]);
    }
    for (size_t i = 0; i < diff->pair_count; i++)
        free(diff->pairs[i].partings);
    cairn_table_clear(&diff->by_block);
    cairn_table_clear(&diff->by_chain);
    cairn_table_clear(&diff->by_name);
    cairn_table_clear(&diff->by_return);
    free(diff->followers);
    free(diff->returns);
    free(diff->objects);
    free(diff->blocks);
    free(diff->chains);
    free(diff->names);
    free(diff->exceptions);
    free(diff->pairs);
    cairn_arena_free(&diff->arena);
    *diff = (struct cairn_diff){0};
}

cairn_status cairn_diff_run(struct cairn_diff *diff, unsigned side, const char *capture,
                            struct cairn_image *image)
{
    struct cairn_diff_run *const run = &diff->runs[side];

    run->capture = capture;
    run->image = cairn_image_ref(image);
    return cairn_space_new(image, &run->space);
}

/* --- pairs --- */

static bool is_empty(const struct cairn_diff_thread *thread)
{
    return thread->count == 0 && thread->handled == 0;
}

static bool is_paired(const struct cairn_diff *diff, unsigned side, uint32_t thread)
{
    return diff->runs[side].threads[thread].is_paired;
}

static cairn_status add_pair(struct cairn_diff *diff, uint32_t a, uint32_t b, uint32_t rule)
{
    if (cairn_grow((void **)&diff->pairs, diff->pair_count, &diff->pair_room, sizeof *diff->pairs))
        return CAIRN_E_MEMORY;
    diff->pairs[diff->pair_count++] = (struct cairn_diff_pair){.threads = {a, b}, .rule = rule};
    if (a != CAIRN_DIFF_NONE)
        diff->runs[CAIRN_DIFF_A].threads[a].is_paired = true;
    if (b != CAIRN_DIFF_NONE)
        diff->runs[CAIRN_DIFF_B].threads[b].is_paired = true;
    return CAIRN_OK;
}

static enum cairn_diff_rule likeness(const struct cairn_diff *diff,
                                     const struct cairn_diff_thread *a,
                                     const struct cairn_diff_thread *b)
{
    const char *const one = diff->runs[CAIRN_DIFF_A].sources[a->source].name;
    const char *const other = diff->runs[CAIRN_DIFF_B].sources[b->source].name;

    const bool are_alone =
        diff->runs[CAIRN_DIFF_A].source_count == 1 && diff->runs[CAIRN_DIFF_B].source_count == 1;

    if (!are_alone && strcmp(one, other) != 0)
        return CAIRN_DIFF_BY_ORDER;
    return a->vmid == b->vmid && a->context_id == b->context_id ? CAIRN_DIFF_BY_CONTEXT
                                                                : CAIRN_DIFF_BY_SOURCE;
}

/* The surest first; of equals those that came first. */
static cairn_status pair_threads(struct cairn_diff *diff)
{
    const struct cairn_diff_run *const a = &diff->runs[CAIRN_DIFF_A];
    const struct cairn_diff_run *const b = &diff->runs[CAIRN_DIFF_B];
    cairn_status status = CAIRN_OK;

    for (unsigned least = CAIRN_DIFF_BY_CONTEXT; least >= CAIRN_DIFF_BY_ORDER; least--)
        for (uint32_t i = 0; i < a->thread_count && !status; i++) {
            if (is_empty(&a->threads[i]) || is_paired(diff, CAIRN_DIFF_A, i))
                continue;
            for (uint32_t k = 0; k < b->thread_count; k++)
                if (!is_empty(&b->threads[k]) && !is_paired(diff, CAIRN_DIFF_B, k) &&
                    likeness(diff, &a->threads[i], &b->threads[k]) >= least) {
                    status = add_pair(diff, i, k, least);
                    break;
                }
        }
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        for (uint32_t i = 0; i < diff->runs[side].thread_count && !status; i++)
            if (!is_empty(&diff->runs[side].threads[i]) && !is_paired(diff, side, i))
                status = side ? add_pair(diff, CAIRN_DIFF_NONE, i, 0)
                              : add_pair(diff, i, CAIRN_DIFF_NONE, 0);
    return status;
}

static int by_threads(const void *left, const void *right)
{
    const struct cairn_diff_pair *const a = left, *const b = right;

    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        if (a->threads[side] != b->threads[side])
            return a->threads[side] < b->threads[side] ? -1 : 1;
    return 0;
}

static cairn_status align_pair(struct cairn_diff *diff, struct cairn_diff_pair *pair,
                               struct cairn_diff_lines *lines)
{
    struct cairn_diff_flow flows[CAIRN_DIFF_SIDES] = {[0] = {.count = 0}};
    cairn_status status = CAIRN_OK;

    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        if (pair->threads[side] == CAIRN_DIFF_NONE) {
            pair->own[!side] = cairn_diff_thread_of(diff, pair, !side)->instructions;
            return CAIRN_OK;
        }
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES && !status; side++)
        status =
            cairn_diff_flow_new(diff, cairn_diff_thread_of(diff, pair, side), lines, &flows[side]);
    pair->by_lines = lines != NULL;
    if (!status)
        status = cairn_diff_align(diff, pair, flows);
    cairn_diff_flow_clear(&flows[CAIRN_DIFF_A]);
    cairn_diff_flow_clear(&flows[CAIRN_DIFF_B]);
    return status;
}

cairn_status cairn_diff_settle(struct cairn_diff *diff)
{
    struct cairn_diff_lines *lines = NULL;

    cairn_diff_find_twins(diff);
    cairn_status status = pair_threads(diff);
    if (!status && diff->pair_count)
        qsort(diff->pairs, diff->pair_count, sizeof *diff->pairs, by_threads);
    if (!status && diff->has_builds)
        status = cairn_diff_lines_new(diff, &lines);
    for (size_t i = 0; i < diff->pair_count && !status; i++)
        status = align_pair(diff, &diff->pairs[i], lines);
    cairn_diff_lines_free(lines);
    return status;
}
