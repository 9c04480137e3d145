/* SPDX-License-Identifier: BSD-2-Clause */
/* A space answers in three steps. A place that was selected before is found in `keys`. Otherwise
 * its matching scopes are collected, and if the same set was flattened before, its view is in
 * `views`. Otherwise the layers of these scopes are flattened into a new view. */
#include <cairn/image.h>

#include "image/interval.h"
#include "image/layer.h"

#include <stdlib.h>
#include <string.h>

#define WAYS 4    /* places with one hash that are remembered */
#define SETS 128  /* hashes; a power of two */
#define VIEWS 256 /* flattened sets of layers kept */

/* Layers that share a scope: members[first .. first + count). */
struct group {
    struct cairn_scope scope;
    size_t first;
    size_t count;
};

/* The layers of one set of matching groups, flattened. `id` is never used again, 0 is no view. */
struct view {
    uint64_t id;
    uint64_t used;
    uint32_t *groups;
    size_t group_count;
    struct cairn_intervals intervals; /* owner: layer */
};

/* A place, and the offsets through which it keeps its view. */
struct key {
    struct cairn_place place; /* offset is not used */
    uint64_t from;
    uint64_t last;
    struct view *view; /* valid while view->id == view_id */
    uint64_t view_id;
    uint64_t used;
};

struct cairn_space {
    struct cairn_image *image;
    size_t layer_count;   /* that groups were made of */
    struct group *groups; /* in cairn_scope_compare order */
    size_t group_count;
    size_t wild_count; /* the first ones have any context id */
    uint32_t *members;
    uint32_t *matching; /* scratch: indices of groups */
    struct key selected;
    struct key keys[SETS][WAYS];
    struct view views[VIEWS];
    uint64_t clock;
    uint64_t next_id;
};

static void clear_view(struct view *view)
{
    cairn_intervals_clear(&view->intervals);
    free(view->groups);
    *view = (struct view){0};
}

/* Forgets all that was made of the image's layers. */
static void clear(struct cairn_space *space)
{
    for (size_t i = 0; i < VIEWS; i++)
        clear_view(&space->views[i]);
    memset(space->keys, 0, sizeof space->keys);
    space->selected = (struct key){0};
    free(space->groups);
    free(space->members);
    free(space->matching);
    space->groups = NULL;
    space->members = NULL;
    space->matching = NULL;
    space->group_count = 0;
    space->wild_count = 0;
    space->layer_count = 0;
}

static int by_scope(const void *left, const void *right, void *context)
{
    const struct cairn_layers *const layers = context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    const int result = cairn_scope_compare(&layers->list[a].scope, &layers->list[b].scope);
    return result ? result : (a > b) - (a < b);
}

static void make_groups(struct cairn_space *space, const struct cairn_layers *layers)
{
    for (size_t i = 0; i < layers->count; i++)
        space->members[i] = (uint32_t)i;
    if (layers->count > 0)
        qsort_r(space->members, layers->count, sizeof *space->members, by_scope, (void *)layers);
    for (size_t i = 0; i < layers->count; i++) {
        const struct cairn_scope *const scope = &layers->list[space->members[i]].scope;
        if (space->group_count > 0) {
            struct group *const previous = &space->groups[space->group_count - 1];
            if (cairn_scope_compare(&previous->scope, scope) == 0) {
                previous->count++;
                continue;
            }
        }
        space->wild_count += scope->any_context_id;
        space->groups[space->group_count++] =
            (struct group){.scope = *scope, .first = i, .count = 1};
    }
}

static cairn_status rebuild(struct cairn_space *space)
{
    const struct cairn_layers *const layers = cairn_image_layers(space->image);
    clear(space);
    space->groups = calloc(layers->count + 1, sizeof *space->groups);
    space->members = calloc(layers->count + 1, sizeof *space->members);
    space->matching = calloc(layers->count + 1, sizeof *space->matching);
    if (!space->groups || !space->members || !space->matching) {
        clear(space);
        return CAIRN_E_MEMORY;
    }
    make_groups(space, layers);
    space->layer_count = layers->count;
    return CAIRN_OK;
}

cairn_status cairn_space_new(struct cairn_image *image, struct cairn_space **space)
{
    if (!image || !space)
        return CAIRN_E_ARGUMENT;
    struct cairn_space *const made = calloc(1, sizeof *made);
    if (!made)
        return CAIRN_E_MEMORY;
    made->image = cairn_image_ref(image);
    if (rebuild(made)) {
        cairn_space_free(made);
        return CAIRN_E_MEMORY;
    }
    *space = made;
    return CAIRN_OK;
}

void cairn_space_free(struct cairn_space *space)
{
    if (!space)
        return;
    clear(space);
    cairn_image_unref(space->image);
    free(space);
}

/* The first group behind the wild ones whose context id is not below `context_id`. */
static size_t first_with_context(const struct cairn_space *space, uint32_t context_id)
{
    size_t low = space->wild_count;
    size_t high = space->group_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (space->groups[middle].scope.context_id < context_id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds a group to the matching ones if it matches, and narrows the key's offsets to those through
 * which that answer holds. */
static void consider(struct cairn_space *space, size_t index, uint64_t offset, struct key *key,
                     size_t *count)
{
    const struct cairn_scope *const scope = &space->groups[index].scope;
    if (!cairn_scope_matches(scope, &key->place))
        return;
    const uint64_t last = cairn_scope_epoch_last(scope);
    if (offset < scope->epoch_from) {
        if (scope->epoch_from - 1 < key->last)
            key->last = scope->epoch_from - 1;
    } else if (offset > last) {
        if (last + 1 > key->from)
            key->from = last + 1;
    } else {
        if (scope->epoch_from > key->from)
            key->from = scope->epoch_from;
        if (last < key->last)
            key->last = last;
        space->matching[(*count)++] = (uint32_t)index;
    }
}

static size_t collect(struct cairn_space *space, uint64_t offset, struct key *key)
{
    size_t count = 0;
    key->from = 0;
    key->last = UINT64_MAX;
    for (size_t i = 0; i < space->wild_count; i++)
        consider(space, i, offset, key, &count);
    const uint32_t context_id = key->place.context_id;
    for (size_t i = first_with_context(space, context_id);
         i < space->group_count && space->groups[i].scope.context_id == context_id; i++)
        consider(space, i, offset, key, &count);
    return count;
}

static struct view *find_view(struct cairn_space *space, size_t count)
{
    for (size_t i = 0; i < VIEWS; i++) {
        struct view *const view = &space->views[i];
        if (view->id && view->group_count == count &&
            (count == 0 ||
             memcmp(view->groups, space->matching, count * sizeof *view->groups) == 0))
            return view;
    }
    return NULL;
}

static struct view *oldest_view(struct cairn_space *space)
{
    struct view *oldest = &space->views[0];
    for (size_t i = 0; i < VIEWS; i++) {
        struct view *const view = &space->views[i];
        if (!view->id)
            return view;
        if (view->used < oldest->used)
            oldest = view;
    }
    return oldest;
}

/* The layers of the matching groups as claims; *count receives their number. */
static struct cairn_claim *claims_of(const struct cairn_space *space, size_t group_count,
                                     size_t *count)
{
    const struct cairn_layers *const layers = cairn_image_layers(space->image);
    size_t total = 0;
    for (size_t i = 0; i < group_count; i++)
        total += space->groups[space->matching[i]].count;
    struct cairn_claim *const claims = calloc(total + 1, sizeof *claims);
    if (!claims)
        return NULL;
    *count = 0;
    for (size_t i = 0; i < group_count; i++) {
        const struct group *const group = &space->groups[space->matching[i]];
        for (size_t member = group->first; member < group->first + group->count; member++) {
            const uint32_t index = space->members[member];
            const struct cairn_layer *const layer = &layers->list[index];
            claims[(*count)++] = (struct cairn_claim){
                .first = layer->address,
                .last = layer->address + (layer->size - 1),
                .rank = cairn_layer_rank(layer, index),
                .owner = index,
            };
        }
    }
    return claims;
}

static struct view *make_view(struct cairn_space *space, size_t group_count)
{
    size_t claim_count = 0;
    struct cairn_claim *const claims = claims_of(space, group_count, &claim_count);
    struct view made = {.group_count = group_count};
    made.groups = calloc(group_count + 1, sizeof *made.groups);
    if (!claims || !made.groups || cairn_intervals_flatten(claims, claim_count, &made.intervals)) {
        free(claims);
        free(made.groups);
        return NULL;
    }
    free(claims);
    memcpy(made.groups, space->matching, group_count * sizeof *made.groups);
    made.id = ++space->next_id;
    struct view *const view = oldest_view(space);
    clear_view(view);
    *view = made;
    return view;
}

static bool is_same_place(const struct cairn_place *a, const struct cairn_place *b)
{
    return a->source == b->source && a->EL == b->EL && a->security == b->security &&
           a->vmid == b->vmid && a->context_id == b->context_id;
}

static bool holds(const struct key *key, const struct cairn_place *place)
{
    return key->view && is_same_place(&key->place, place) && key->from <= place->offset &&
           place->offset <= key->last;
}

/* Multiplicative hashing spreads the few bits in which the places of a trace differ. */
static struct key *set_of(struct cairn_space *space, const struct cairn_place *place)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */
    uint64_t hash = (uint64_t)place->context_id << 32 | place->vmid;
    hash = (hash ^ hash >> 32) * golden;
    hash ^= (uint64_t)place->source << 4 | (uint64_t)place->EL << 2 | place->security;
    hash *= golden;
    return space->keys[hash >> 32 & (SETS - 1)];
}

static struct key *find_key(struct cairn_space *space, const struct cairn_place *place)
{
    struct key *const set = set_of(space, place);
    for (size_t way = 0; way < WAYS; way++) {
        if (holds(&set[way], place) && set[way].view->id == set[way].view_id)
            return &set[way];
    }
    return NULL;
}

static void remember(struct cairn_space *space, const struct key *key)
{
    struct key *const set = set_of(space, &key->place);
    struct key *oldest = set;
    for (size_t way = 1; way < WAYS; way++) {
        if (set[way].used < oldest->used)
            oldest = &set[way];
    }
    *oldest = *key;
}

static cairn_status resolve(struct cairn_space *space, const struct cairn_place *place)
{
    struct key key = {.place = *place};
    const size_t count = collect(space, place->offset, &key);
    key.view = find_view(space, count);
    if (!key.view)
        key.view = make_view(space, count);
    if (!key.view)
        return CAIRN_E_MEMORY;
    key.view_id = key.view->id;
    key.used = key.view->used = ++space->clock;
    remember(space, &key);
    space->selected = key;
    return CAIRN_OK;
}

cairn_status cairn_space_select(struct cairn_space *space, const struct cairn_place *place)
{
    if (!space || !place)
        return CAIRN_E_ARGUMENT;
    const bool grown = space->layer_count != cairn_image_layer_count(space->image);
    if (!grown && holds(&space->selected, place))
        return CAIRN_OK;
    if (place->EL > 3 || place->security > CAIRN_REALM)
        return CAIRN_E_ARGUMENT;
    if (grown && rebuild(space))
        return CAIRN_E_MEMORY;
    struct key *const known = find_key(space, place);
    if (!known)
        return resolve(space, place);
    known->used = known->view->used = ++space->clock;
    space->selected = *known;
    return CAIRN_OK;
}

bool cairn_space_window(const struct cairn_space *space, uint64_t address,
                        struct cairn_window *window)
{
    if (!space || !window || !space->selected.view)
        return false;
    const struct cairn_interval *const found =
        cairn_intervals_find(&space->selected.view->intervals, address);
    if (!found)
        return false;
    const struct cairn_layer *const layer = &cairn_image_layers(space->image)->list[found->owner];
    const uint64_t size = found->last - found->first + 1;
    *window = (struct cairn_window){
        .address = found->first,
        .size = size,
        .bytes = layer->bytes + (found->first - layer->address),
        .layer = found->owner,
        .order = layer->order,
    };
    return true;
}
