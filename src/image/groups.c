/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/groups.h"

#include <stdlib.h>

static void free_groups(struct cairn_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        cairn_intervals_clear(&groups->list[i].intervals);
    free(groups->list);
    free(groups->members);
    free(groups);
}

/* --- making --- */

static int by_scope(const void *left, const void *right, void *context)
{
    const struct cairn_layers *const layers = context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    const int result = cairn_scope_compare(&layers->list[a].scope, &layers->list[b].scope);
    return result ? result : (a > b) - (a < b);
}

/* Most images have all layers in one group, or in order. */
static bool is_sorted(const struct cairn_layers *layers)
{
    for (size_t i = 1; i < layers->count; i++)
        if (cairn_scope_compare(&layers->list[i - 1].scope, &layers->list[i].scope) > 0)
            return false;
    return true;
}

static void add_member(struct cairn_group *group, const struct cairn_layer *layer, size_t index)
{
    const struct cairn_scope *const scope = &layer->scope;
    const uint64_t rank = cairn_layer_rank(layer, index);

    group->count++;
    group->best = rank < group->best ? rank : group->best;
    group->worst = rank > group->worst ? rank : group->worst;
    group->is_still &= scope->epoch_from == 0 && cairn_scope_epoch_last(scope) == UINT64_MAX;
}

static void make_groups(struct cairn_groups *groups)
{
    const struct cairn_layers *const layers = groups->layers;

    for (size_t i = 0; i < layers->count; i++)
        groups->members[i] = (uint32_t)i;
    if (!is_sorted(layers))
        qsort_r(groups->members, layers->count, sizeof *groups->members, by_scope, (void *)layers);
    for (size_t i = 0; i < layers->count; i++) {
        const uint32_t index = groups->members[i];
        const struct cairn_layer *const layer = &layers->list[index];
        struct cairn_group *group = groups->count ? &groups->list[groups->count - 1] : NULL;

        if (!group || cairn_scope_compare(&group->scope, &layer->scope) != 0) {
            groups->wild_count += layer->scope.any_context_id;
            group = &groups->list[groups->count++];
            *group = (struct cairn_group){
                .scope = layer->scope, .first = i, .best = UINT64_MAX, .is_still = true};
        }
        add_member(group, layer, index);
    }
}

static struct cairn_groups *new_groups(const struct cairn_layers *layers)
{
    struct cairn_groups *const made = calloc(1, sizeof *made);

    if (!made)
        return NULL;
    made->layers = layers;
    made->layer_count = layers->count;
    made->list = calloc(layers->count + 1, sizeof *made->list);
    made->members = calloc(layers->count + 1, sizeof *made->members);
    if (!made->list || !made->members) {
        free_groups(made);
        return NULL;
    }
    make_groups(made);
    struct cairn_group *const trimmed = realloc(made->list, (made->count + 1) * sizeof *made->list);
    if (trimmed)
        made->list = trimmed;
    return made;
}

/* --- sharing --- */

static void unref(struct cairn_groups *groups)
{
    if (groups && --groups->references == 0)
        free_groups(groups);
}

cairn_status cairn_groups_take(struct cairn_image_groups *of, const struct cairn_layers *layers,
                               struct cairn_groups **groups)
{
    if (pthread_mutex_lock(&of->lock) != 0)
        return CAIRN_E_MEMORY;
    if (of->now && of->now->layer_count != layers->count) {
        unref(of->now);
        of->now = NULL;
    }
    if (!of->now) {
        of->now = new_groups(layers);
        if (of->now)
            of->now->references = 1;
    }
    *groups = of->now;
    if (of->now)
        of->now->references++;
    pthread_mutex_unlock(&of->lock);
    return *groups ? CAIRN_OK : CAIRN_E_MEMORY;
}

void cairn_groups_give(struct cairn_image_groups *of, struct cairn_groups *groups)
{
    pthread_mutex_lock(&of->lock);
    unref(groups);
    pthread_mutex_unlock(&of->lock);
}

void cairn_groups_forget(struct cairn_image_groups *of)
{
    pthread_mutex_lock(&of->lock);
    unref(of->now);
    of->now = NULL;
    pthread_mutex_unlock(&of->lock);
}

static cairn_status flatten(const struct cairn_groups *groups, struct cairn_group *group)
{
    struct cairn_claim *const claims = calloc(group->count, sizeof *claims);

    if (!claims)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < group->count; i++) {
        const uint32_t index = groups->members[group->first + i];
        const struct cairn_layer *const layer = &groups->layers->list[index];

        claims[i] = (struct cairn_claim){
            .first = layer->address,
            .last = layer->address + (layer->size - 1),
            .rank = cairn_layer_rank(layer, index),
            .owner = index,
        };
    }
    const cairn_status status = cairn_intervals_flatten(claims, group->count, &group->intervals);
    free(claims);
    group->is_flat = !status;
    return status;
}

cairn_status cairn_groups_flatten(struct cairn_image_groups *of, struct cairn_groups *groups,
                                  size_t group, const struct cairn_intervals **intervals)
{
    struct cairn_group *const one = &groups->list[group];

    if (pthread_mutex_lock(&of->lock) != 0)
        return CAIRN_E_MEMORY;
    const cairn_status status = one->is_flat ? CAIRN_OK : flatten(groups, one);
    pthread_mutex_unlock(&of->lock);
    *intervals = &one->intervals;
    return status;
}
