/* SPDX-License-Identifier: BSD-2-Clause */
/* What the library itself knows of a space. */
#ifndef CAIRN_IMAGE_SPACE_H
#define CAIRN_IMAGE_SPACE_H

#include <cairn/image.h>

/* The source offsets *from..*until, included, at which the place selected last has the same layers:
 * a selection of another one of them changes nothing. Before any selection they mean nothing. */
void cairn_space_hold(const struct cairn_space *space, uint64_t *from, uint64_t *until);

/* A place, and the offsets at which it has the same layers and names. */
struct cairn_held {
    struct cairn_place place;
    uint64_t from, until; /* included */
};

/* Holds the place selected last. */
void cairn_space_held(const struct cairn_space *space, struct cairn_held *held);

/* Whether another place has the same, as long as the image does not change. */
static inline bool cairn_held_has(const struct cairn_held *held, const struct cairn_place *place)
{
    const struct cairn_place *const of = &held->place;

    return place->offset >= held->from && place->offset <= held->until &&
           of->source == place->source && of->EL == place->EL && of->security == place->security &&
           of->vmid == place->vmid && of->context_id == place->context_id;
}

/* Steps taken by selections so far: groups of layers asked, nodes and layers changed. */
uint64_t cairn_space_work(const struct cairn_space *space);

/* The place selected last; false: none was. */
bool cairn_space_place(const struct cairn_space *space, struct cairn_place *place);

/* The image that it is a space of. */
struct cairn_image *cairn_space_image(const struct cairn_space *space);

/* A number for the layers that the selection is made of: the same for two places that match the
 * same layers, apart from what their source offsets select. 0 before any selection. */
uint64_t cairn_space_identity(const struct cairn_space *space);

/* What that number stands for: groups of an image that has `*layers` layers. Two spaces of one
 * image in which all three are the same have the same memory selected. Good up to the next
 * selection. */
void cairn_space_selection(const struct cairn_space *space, const uint32_t **groups, size_t *count,
                           size_t *layers);

/* A number for the bytes that are seen at an address, and up to `*last`: the same at that address for
 * all layers of the image that have them from one place of one file. 0: there is no memory. It is of
 * this process, so it is for telling apart, and not for an order. */
uint64_t cairn_space_bytes(const struct cairn_space *space, uint64_t address, uint64_t *last);

#endif
