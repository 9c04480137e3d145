/* SPDX-License-Identifier: BSD-2-Clause */
/* Layers whose scopes differ in the epoch only are a group with a timeline of its own, and that
 * stands at one source offset. To select a place is to find its groups (they are remembered) and to
 * move their timelines; a window is what the best of them has, less what the others take of it. So
 * an epoch is entered once, whatever contexts come and go. Where no group of a place has epochs
 * nothing moves, and what is seen of each is looked up in intervals, which all spaces share. */
#include "image/space.h"

#include "base/golden.h"
#include "image/groups.h"
#include "image/names.h"
#include "image/timeline.h"

#include <stdlib.h>
#include <string.h>

#define WAYS 4   /* places with one hash that are remembered */
#define SETS 128 /* hashes; a power of two */

/* A place and the groups that match it. */
struct key {
    struct cairn_place place; /* offset is not used */
    uint64_t used;            /* 0: this is none */
    uint64_t identity;        /* the same for the same groups */
    uint32_t *groups;
    size_t group_count;
    const struct cairn_intervals **still; /* of its groups, the best one first; NULL: timelines */
    uint64_t moves;                       /* of the space, when this was selected last */
    uint64_t from; /* the source offsets at which its timelines say the same as then */
    uint64_t until;
};

struct cairn_space {
    struct cairn_image *image;
    struct cairn_groups *groups;       /* of its layers */
    struct cairn_timeline **timelines; /* by group, made when first needed */
    struct key *selected;              /* or NULL */
    uint64_t offset;                   /* of the place selected */
    uint64_t moves;                    /* of timelines so far, that changed anything */
    struct key keys[SETS][WAYS];
    uint64_t clock;
    uint64_t identities; /* given so far */
    uint64_t work;
};

/* Forgets all that was made of the image's layers. */
static void clear(struct cairn_space *space)
{
    for (size_t i = 0; i < SETS && space->clock > 0; i++) { /* few keys are used, or none */
        for (size_t way = 0; way < WAYS; way++) {
            struct key *const key = &space->keys[i][way];
            if (!key->used)
                continue;
            free(key->groups);
            free(key->still);
            *key = (struct key){.used = 0};
        }
    }
    space->selected = NULL;
    for (size_t i = 0; space->timelines && i < space->groups->count; i++)
        cairn_timeline_free(space->timelines[i]);
    free(space->timelines);
    cairn_groups_give(cairn_image_groups(space->image), space->groups);
    space->timelines = NULL;
    space->groups = NULL;
}

static cairn_status rebuild(struct cairn_space *space)
{
    clear(space);
    const cairn_status status = cairn_groups_take(cairn_image_groups(space->image),
                                                  cairn_image_layers(space->image), &space->groups);
    if (status)
        return status;
    space->timelines = calloc(space->groups->count + 1, sizeof *space->timelines);
    if (space->timelines)
        return CAIRN_OK;
    clear(space);
    return CAIRN_E_MEMORY;
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
    size_t low = space->groups->wild_count;
    size_t high = space->groups->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (space->groups->list[middle].scope.context_id < context_id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Writes the groups that match a place, everything but its offset, into `found`, if that is not
 * NULL; their number. */
static size_t collect(struct cairn_space *space, const struct cairn_place *place, uint32_t *found)
{
    const struct cairn_groups *const groups = space->groups;
    size_t count = 0;
    size_t i = 0;
    for (;; i++) {
        if (i == groups->wild_count)
            i = first_with_context(space, place->context_id);
        if (i == groups->count ||
            (i >= groups->wild_count && groups->list[i].scope.context_id != place->context_id))
            return count;
        space->work++;
        if (!cairn_scope_matches(&groups->list[i].scope, place))
            continue;
        if (found)
            found[count] = (uint32_t)i;
        count++;
    }
}

static cairn_status make_timeline(struct cairn_space *space, uint32_t number)
{
    const struct cairn_group *const group = &space->groups->list[number];
    const struct cairn_layers *const layers = cairn_image_layers(space->image);
    struct cairn_timed_claim *const claims = calloc(group->count, sizeof *claims);
    if (!claims)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < group->count; i++) {
        const uint32_t index = space->groups->members[group->first + i];
        const struct cairn_layer *const layer = &layers->list[index];
        claims[i] = (struct cairn_timed_claim){
            .first = layer->address,
            .last = layer->address + (layer->size - 1),
            .from = layer->scope.epoch_from,
            .until = cairn_scope_epoch_last(&layer->scope),
            .rank = cairn_layer_rank(layer, index),
            .owner = index,
        };
    }
    return cairn_timeline_new(claims, group->count, &space->timelines[number]);
}

static bool is_same_place(const struct cairn_place *a, const struct cairn_place *b)
{
    return a->source == b->source && a->EL == b->EL && a->security == b->security &&
           a->vmid == b->vmid && a->context_id == b->context_id;
}

/* Multiplicative hashing spreads the few bits in which the places of a trace differ. */
static struct key *set_of(struct cairn_space *space, const struct cairn_place *place)
{
    uint64_t hash = (uint64_t)place->context_id << 32 | place->vmid;
    hash = (hash ^ hash >> 32) * CAIRN_GOLDEN;
    hash ^= (uint64_t)place->source << 4 | (uint64_t)place->EL << 2 | place->security;
    hash *= CAIRN_GOLDEN;
    return space->keys[hash >> 32 & (SETS - 1)];
}

static struct key *find_key(struct cairn_space *space, const struct cairn_place *place)
{
    struct key *const set = set_of(space, place);
    for (size_t way = 0; way < WAYS; way++) {
        if (set[way].used && is_same_place(&set[way].place, place))
            return &set[way];
    }
    return NULL;
}

static struct key *oldest_key(struct cairn_space *space, const struct cairn_place *place)
{
    struct key *const set = set_of(space, place);
    struct key *oldest = set;
    for (size_t way = 1; way < WAYS; way++) {
        if (set[way].used < oldest->used)
            oldest = &set[way];
    }
    return oldest;
}

/* What a key with these groups has, if there is one; or a new one. */
static uint64_t identity_of(struct cairn_space *space, const uint32_t *groups, size_t count)
{
    for (size_t i = 0; i < SETS; i++) {
        for (size_t way = 0; way < WAYS; way++) {
            const struct key *const key = &space->keys[i][way];
            if (key->used && key->group_count == count &&
                memcmp(key->groups, groups, count * sizeof *groups) == 0)
                return key->identity;
        }
    }
    return ++space->identities;
}

/* Groups of a key, the one with the best layer first. */
static int by_best(const void *left, const void *right, void *context)
{
    const struct cairn_groups *const groups = context;
    const uint64_t a = groups->list[*(const uint32_t *)left].best;
    const uint64_t b = groups->list[*(const uint32_t *)right].best;
    return (a > b) - (a < b);
}

/* Whether no group of `order` has epochs, and all of one are seen over all of the next. */
static bool is_still(const struct cairn_groups *groups, const uint32_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct cairn_group *const group = &groups->list[order[i]];
        if (!group->is_still || (i > 0 && groups->list[order[i - 1]].worst > group->best))
            return false;
    }
    return true;
}

/* What a key's places are looked up in. */
static cairn_status make_views(struct cairn_space *space, struct key *key)
{
    const size_t count = key->group_count;
    uint32_t *const order = malloc((count + 1) * sizeof *order);
    cairn_status status = order ? CAIRN_OK : CAIRN_E_MEMORY;
    if (status)
        return status;
    memcpy(order, key->groups, count * sizeof *order);
    if (count > 1)
        qsort_r(order, count, sizeof *order, by_best, space->groups);
    if (is_still(space->groups, order, count)) {
        key->still = calloc(count + 1, sizeof *key->still);
        status = key->still ? CAIRN_OK : CAIRN_E_MEMORY;
        for (size_t i = 0; i < count && !status; i++)
            status = cairn_groups_flatten(cairn_image_groups(space->image), space->groups, order[i],
                                          &key->still[i]);
    } else {
        for (size_t i = 0; i < count && !status; i++)
            if (!space->timelines[order[i]])
                status = make_timeline(space, order[i]);
    }
    free(order);
    return status;
}

/* Finds the groups of a place, with what they show, and remembers them. NULL: memory is out. */
static struct key *make_key(struct cairn_space *space, const struct cairn_place *place)
{
    struct key made = {.place = *place, .group_count = collect(space, place, NULL)};
    made.groups = calloc(made.group_count + 1, sizeof *made.groups);
    if (!made.groups)
        return NULL;
    collect(space, place, made.groups);
    if (make_views(space, &made)) {
        free(made.groups);
        free(made.still);
        return NULL;
    }
    struct key *const key = oldest_key(space, place);
    made.identity = identity_of(space, made.groups, made.group_count);
    free(key->groups);
    free(key->still);
    *key = made;
    return key;
}

/* Moves the timelines of a place to its offset. */
static void stand(struct cairn_space *space, struct key *key, const struct cairn_place *place)
{
    key->from = 0;
    key->until = UINT64_MAX;
    for (size_t i = 0; i < key->group_count && !key->still; i++) {
        struct cairn_timeline *const timeline = space->timelines[key->groups[i]];
        space->moves += cairn_timeline_move(timeline, place->offset);
        cairn_timeline_hold(timeline, &key->from, &key->until);
        space->work++;
    }
    cairn_names_hold(cairn_image_names(space->image), place, &key->from, &key->until);
    key->moves = space->moves;
}

cairn_status cairn_space_select(struct cairn_space *space, const struct cairn_place *place)
{
    if (!space || !place)
        return CAIRN_E_ARGUMENT;
    if (place->EL > 3 || place->security > CAIRN_REALM)
        return CAIRN_E_ARGUMENT;
    if ((!space->groups || space->groups->layer_count != cairn_image_layer_count(space->image)) &&
        rebuild(space))
        return CAIRN_E_MEMORY;
    struct key *key = space->selected;
    if (!key || !is_same_place(&key->place, place))
        key = find_key(space, place);
    if (!key)
        key = make_key(space, place);
    if (!key)
        return CAIRN_E_MEMORY;
    /* While nothing moved, what stands at one offset stands at all of these. */
    if (!key->used || key->moves != space->moves || place->offset < key->from ||
        key->until < place->offset)
        stand(space, key, place);
    key->used = ++space->clock;
    space->selected = key;
    space->offset = place->offset;
    return CAIRN_OK;
}

void cairn_space_hold(const struct cairn_space *space, uint64_t *from, uint64_t *until)
{
    *from = space->selected ? space->selected->from : 0;
    *until = space->selected ? space->selected->until : UINT64_MAX;
}

/* The layer that is seen at an address, and the addresses around it that it is seen at. */
struct seen {
    uint64_t first;
    uint64_t last;
    uint32_t layer;
};

static bool see_still(const struct key *key, uint64_t address, struct seen *seen)
{
    uint64_t first = 0;
    uint64_t last = UINT64_MAX;
    for (size_t i = 0; i < key->group_count; i++) {
        uint64_t from;
        uint64_t until;
        const struct cairn_interval *const found =
            cairn_intervals_around(key->still[i], address, &from, &until);
        first = from > first ? from : first;
        last = until < last ? until : last;
        if (found) {
            *seen = (struct seen){first, last, found->owner};
            return true;
        }
    }
    return false;
}

static bool see(const struct cairn_space *space, const struct key *key, uint64_t address,
                struct seen *seen)
{
    const struct cairn_timed_claim *best = NULL;
    for (size_t i = 0; i < key->group_count; i++) {
        const struct cairn_timed_claim *const claim =
            cairn_timeline_find(space->timelines[key->groups[i]], address);
        if (claim && (!best || claim->rank < best->rank))
            best = claim;
    }
    if (!best)
        return false;
    *seen = (struct seen){best->first, best->last, best->owner};
    for (size_t i = 0; i < key->group_count; i++)
        cairn_timeline_clip(space->timelines[key->groups[i]], best->rank, address, &seen->first,
                            &seen->last);
    return true;
}

void cairn_space_held(const struct cairn_space *space, struct cairn_held *held)
{
    *held = (struct cairn_held){.from = 1}; /* none */
    if (cairn_space_place(space, &held->place))
        cairn_space_hold(space, &held->from, &held->until);
}

bool cairn_space_window(const struct cairn_space *space, uint64_t address,
                        struct cairn_window *window)
{
    if (!space || !window || !space->selected)
        return false;
    const struct key *const key = space->selected;
    struct seen seen;
    if (!(key->still ? see_still(key, address, &seen) : see(space, key, address, &seen)))
        return false;
    uint64_t first = seen.first;
    uint64_t last = seen.last;
    const struct cairn_layer *const layer = &cairn_image_layers(space->image)->list[seen.layer];
    const uint8_t *bytes = layer->bytes;
    uint64_t begin = layer->address; /* of `bytes` */
    if (layer->pages) {
        size_t count = 0;
        bytes = cairn_live_pages_find(layer->pages, address, &begin, &count);
        if (!bytes)
            return false;
        first = first > begin ? first : begin;
        last = last - begin < count ? last : begin + (count - 1);
    }
    *window = (struct cairn_window){
        .address = first,
        .size = last - first + 1,
        .bytes = bytes + (first - begin),
        .layer = seen.layer,
        .order = layer->order,
    };
    return true;
}

uint64_t cairn_space_bytes(const struct cairn_space *space, uint64_t address, uint64_t *last)
{
    struct cairn_window window;

    *last = address;
    if (!cairn_space_window(space, address, &window))
        return 0;
    const struct cairn_layer *const layer = &cairn_image_layers(space->image)->list[window.layer];
    const uint64_t bytes = layer->place   ? layer->place
                           : layer->pages ? (uint64_t)(uintptr_t)layer->pages
                                          : (uint64_t)(uintptr_t)layer->bytes - layer->address;

    *last = window.address + (window.size - 1);
    return bytes ? bytes : 1;
}

uint64_t cairn_space_identity(const struct cairn_space *space)
{
    return space->selected ? space->selected->identity : 0;
}

void cairn_space_selection(const struct cairn_space *space, const uint32_t **groups, size_t *count,
                           size_t *layers)
{
    *groups = space->selected ? space->selected->groups : NULL;
    *count = space->selected ? space->selected->group_count : 0;
    *layers = space->groups ? space->groups->layer_count : 0;
}

uint64_t cairn_space_work(const struct cairn_space *space)
{
    uint64_t work = space->work;
    for (size_t i = 0; space->groups && i < space->groups->count; i++)
        work += space->timelines[i] ? cairn_timeline_work(space->timelines[i]) : 0;
    return work;
}

bool cairn_space_place(const struct cairn_space *space, struct cairn_place *place)
{
    if (!space->selected)
        return false;
    *place = space->selected->place;
    place->offset = space->offset;
    return true;
}

struct cairn_image *cairn_space_image(const struct cairn_space *space)
{
    return space->image;
}
