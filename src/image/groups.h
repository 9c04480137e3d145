/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups: the layers of an image whose scopes differ in the epoch only. They do not depend on an offset of the source,
 * and neither does what is seen of a group without epochs; so they are made once, and shared by the spaces of the image. */
#ifndef CAIRN_IMAGE_GROUPS_H
#define CAIRN_IMAGE_GROUPS_H

#include <pthread.h>

#include "image/interval.h"
#include "image/layer.h"

struct cairn_group {
    struct cairn_scope scope; /* of one of its layers */
    size_t first, count;      /* of `members` */
    uint64_t best, worst;     /* the lowest rank of its layers, and the highest */
    bool is_still;            /* all its layers are there at all offsets */
    bool is_flat;             /* `intervals` is made; with the lock */
    struct cairn_intervals intervals;
};

struct cairn_groups {
    size_t references; /* with the lock of the image */
    const struct cairn_layers *layers;
    size_t layer_count;       /* that they were made of */
    struct cairn_group *list; /* in cairn_scope_compare order */
    size_t count;
    size_t wild_count; /* the first ones have any context id */
    uint32_t *members; /* layers, by group */
};

/* An image's. */
struct cairn_image_groups {
    pthread_mutex_t lock;
    struct cairn_groups *now; /* NULL: nobody needed them yet, or layers came or went since */
};
struct cairn_image_groups *cairn_image_groups(struct cairn_image *image);

/* A reference to the groups of the layers that there are now. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_groups_take(struct cairn_image_groups *of,
                                                const struct cairn_layers *layers,
                                                struct cairn_groups **groups);
/* Gives it back; NULL is fine. */
void cairn_groups_give(struct cairn_image_groups *of, struct cairn_groups *groups);
/* Layers have changed: who takes from now on gets others. */
void cairn_groups_forget(struct cairn_image_groups *of);

/* What is seen of a group that is still, as long as the reference is held: owners are layers. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_groups_flatten(struct cairn_image_groups *of,
                                                   struct cairn_groups *groups, size_t group,
                                                   const struct cairn_intervals **intervals);

#endif
